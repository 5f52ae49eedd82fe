"""The page "Stufen": what each stage does to the list, and the run without a stage."""

from __future__ import annotations

import streamlit as st

from dashboard.blocks import heading, paragraph
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.running import Run
from dashboard.state import State
from dashboard.views import differences as views
from dashboard.views import funnel as funnels
from dashboard.views import misses as missed
from retrieval.decide import STAGES
from retrieval.exports.cells import csv_of
from retrieval.inspector.differences import Difference, differences
from retrieval.inspector.funnel import funnel
from retrieval.inspector.misses import misses
from retrieval.words import Words

_CHOSEN = "stage_shown"


def page(run: Run, words: Words) -> None:
    """Draw the stages of the run of this session."""
    _toggles(run.state, words)
    every = differences(run.pool, run.trace)
    draw([heading(words.t("stages.effects")), *views.overview(every, run.trace, words)], "effects", words.language)
    _one(every, run, words)
    _funnel(run, words)


def _toggles(state: State, words: Words) -> None:
    """One switch for each stage; the state is the truth, the switches follow."""
    draw([heading(words.t("stages.leave_out"))], "leave_out", words.language)
    # The name of the last stage is long.
    for column, stage in zip(st.columns([3, 3, 3, 6]), STAGES, strict=True):
        key, off = _key(stage), stage in state.without
        if st.session_state.get(key) != off:
            st.session_state[key] = off
        column.toggle(words.t(f"stages.toggle.{stage}"), key=key, on_change=_take)
    st.caption(words.t("stages.leave_out_help"))


def _key(stage: str) -> str:
    return f"without_{stage}"


def _take() -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(without=tuple(stage for stage in STAGES if st.session_state[_key(stage)]))


def _one(every: tuple[Difference, ...], run: Run, words: Words) -> None:
    """The stage that was chosen: its sentence, the lists without and with it, and the lists around it inside the run."""
    draw([heading(words.t("stages.one"))], "one", words.language)
    first = next((one.stage for one in every if not one.effect.nothing), STAGES[0])
    names = {stage: words.t(f"differences.name.{stage}") for stage in STAGES}
    if st.session_state.get(_CHOSEN) not in STAGES:
        st.session_state[_CHOSEN] = first
    chosen = st.radio(words.t("stages.choose"), STAGES, key=_CHOSEN, format_func=names.__getitem__, horizontal=True)
    found = every[STAGES.index(chosen)]
    trace, stage = run.trace, names[chosen]
    ends, inside = views.ends(found, words), views.inside(found, trace.limit, words)
    draw([paragraph(views.sentence(found, trace, words))], "effect", words.language)
    for name, columns in (("ends", ends), ("inside", inside)):
        if any(column.ids for column in columns):
            chart(views.figure(columns, trace, words, ink(), words.t(f"differences.{name}_chart", stage=stage)), f"slope_{name}")
        draw(views.blocks(columns, trace, words, words.t(f"differences.{name}_caption")), f"table_{name}", words.language)
    data = csv_of(*views.sheet(views.frame(ends, trace), words), words.language)
    st.download_button(words.t("stages.download"), data, f"{chosen}.csv", "text/csv", key="save_stage", on_click="ignore")


def _funnel(run: Run, words: Words) -> None:
    trace = run.trace
    found = funnel(trace)
    table = funnels.frame(found, trace)
    draw([heading(words.t("stages.funnel"))], "funnel_head", words.language)
    if len(table):
        chart(funnels.figure(table, words, ink()), "funnel")
    draw([*funnels.blocks(found, trace, words), *funnels.ledgers(found, trace, words)], "funnel_words", words.language)
    data = csv_of(*funnels.sheet(table, words), words.language)
    st.download_button(words.t("stages.download"), data, "funnel.csv", "text/csv", key="save_funnel", on_click="ignore")
    below = [heading(words.t("misses.title")), *missed.blocks(misses(trace), trace, words, run.state.show_all)]
    draw(below, "misses", words.language)

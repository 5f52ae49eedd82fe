"""The page "Vorführung": one run, one stage at a time, with the screen for itself."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.blocks import Block, paragraph
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.running import Run
from dashboard.state import State
from dashboard.views import anchors, corpora, floor, named, verweise
from dashboard.views import present as view
from retrieval.trace import Trace
from retrieval.words import Words

_DRAWN: dict[str, Callable[[Trace, Words], list[Block]]] = {
    "question": view.question,
    "corpora": corpora.blocks,
    "routes": view.routes,
    "anchors": anchors.blocks,
    "references": verweise.blocks,
    "quota": lambda trace, words: [paragraph(floor.sentence(trace, words)), *floor.blocks(trace, words)],
    "named": lambda trace, words: view.said(named.sentence(trace, words)),
    "list": view.final,
}


def page(run: Run, words: Words) -> None:
    """Draw the stage at which this session stands."""
    place = min(run.state.step, len(view.STAGES) - 1)
    stage = view.STAGES[place]
    _buttons(place, words)
    st.title(words.t(f"present.stage.{stage}"), anchor=False)
    if stage == "quota" and run.trace.completed.living:
        chart(floor.figure(floor.frame(run.trace, words), run.trace, words, ink()), "floor")
    draw(_DRAWN[stage](run.trace, words), "stage", words.language)


def _buttons(place: int, words: Words) -> None:
    count = len(view.STAGES)
    with st.container(horizontal=True, vertical_alignment="center", key="present_buttons"):
        back, on = words.t("present.back"), words.t("present.next")
        st.button(back, key="present_back", shortcut="Left", on_click=_go, args=(place - 1,), disabled=place == 0)
        st.button(on, key="present_next", type="primary", shortcut="Right", on_click=_go, args=(place + 1,), disabled=place == count - 1)
        st.text(words.t("present.progress", number=place + 1, count=count))


def _go(place: int) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(step=place)

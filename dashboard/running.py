"""What every page about a run has in common: the question, the run, and the screens that stand in its place."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec
import streamlit as st

from dashboard import fields, pinning, screens
from dashboard.blocks import Block, folded, paragraph
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.naming import title_of
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.views import faults, share
from retrieval.decide import decide
from retrieval.errors import BadSetting
from retrieval.trace import Pool, Trace
from retrieval.words import Words

log = logging.getLogger(__name__)
_FIELD = "question"


class Run(msgspec.Struct, frozen=True):
    """One run on the page: what it ran on, what was gathered, what was decided, and the state that asked for it.

    ``questions`` are the example questions that the owner of the stock named.
    """

    runs: Runs
    pool: Pool
    trace: Trace
    state: State
    index: Path
    questions: tuple[str, ...] = ()


def run(runs: Runs, questions: Sequence[str], index: Path, above: Sequence[Block], words: Words, alone: bool = False) -> Run | None:
    """Draw the question and what is to be said about the run; the run, or None where a screen stands in its place.

    ``alone`` draws only what failed: the page of the run has the screen for itself.
    """
    state: State = st.session_state[STATE]
    if not alone:
        _question(state, questions, words)
    screen = _screen(runs, state, index, words)
    if screen is not None:
        draw([*above, screen], "above", words.language)
        return None
    pinning.note(state)
    try:
        pool = runs.pool(state.question, state.settings)
        trace = decide(pool, state.settings, without=state.without)
    except Exception as error:
        log.exception("the run broke off")
        draw([*above, screens.of_error(error, index, words)], "above", words.language)
        return None
    # A presentation says once, at its beginning, what is to be said about stock and link; what failed is said at every step.
    about = [] if alone and state.step else [*above, *share.changed(state.seen, trace, words)]
    summary = [] if alone else [paragraph(faults.summary(trace, words))]
    draw([*about, *faults.blocks(trace, words), *summary], "above", words.language)
    if trace.partial:
        st.button(words.t("page.again"), on_click=runs.forget, args=(trace.question,))
    return Run(runs, pool, trace, state, index, tuple(questions))


def glossary(words: Words) -> None:
    """The words of the page, behind a label, at its foot."""
    draw([folded(words.t("page.glossary"), [screens.glossary(words)], "glossary")], "glossary", words.language)


# --- the question -----------------------------------------------------------------------------------------------------


def _question(state: State, examples: Sequence[str], words: Words) -> None:
    if examples:
        label, hint = words.t("page.examples"), words.t("page.examples_choose")
        st.selectbox(label, examples, index=None, key="example", placeholder=hint, on_change=_take_example)
    with st.form("ask", border=False):
        key = fields.key(_FIELD, state.question)
        st.text_area(words.t("page.question"), state.question, key=key, height=90, placeholder=words.t("page.placeholder"))
        st.form_submit_button(words.t("page.ask"), type="primary", on_click=_take_question)


def _take_question() -> None:
    _ask(fields.taken(_FIELD))


def _take_example() -> None:
    if st.session_state["example"]:
        _ask(st.session_state["example"])
        st.session_state["example"] = None


def _ask(text: str) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(question=text.strip(), step=0, seen="")
    st.session_state["notes"] = ()


# --- what stands in the place of a run ----------------------------------------------------------------------------------


def _screen(runs: Runs, state: State, index: Path, words: Words) -> Block | None:
    """The screen that stands in the place of a run, None when there is a run to show."""
    stock = runs.stock
    empty = screens.no_stock(stock, index, words)
    if empty is not None:
        return empty
    if not state.question:
        return screens.no_question([title_of(corpus, {corpus: stock.spec(corpus)}) for corpus in stock.available()], words)
    if state.too_long:
        return screens.too_long(state, words)
    try:
        state.settings.shares()
    except BadSetting:
        return screens.no_weights(words)
    return None

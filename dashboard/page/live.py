"""The page "Live": one question, and the run that answers it, in the order of the run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import streamlit as st

from dashboard import screens
from dashboard.blocks import Block, folded, heading, paragraph
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.naming import norm, title_of
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.views import anchors, balance, corpora, faults, floor, hits, movement, verweise
from retrieval.decide import decide
from retrieval.errors import BadSetting
from retrieval.trace import Trace
from retrieval.words import Words

log = logging.getLogger(__name__)
_FIELD = "question"


def page(runs: Runs, examples: Sequence[str], index: Path, above: Sequence[Block], words: Words) -> None:
    """Draw the page for the state of this session; ``above`` is what stands above every page."""
    state: State = st.session_state[STATE]
    _question(state, examples, words)
    screen = _screen(runs, state, index, words)
    if screen is not None:
        draw([*above, screen], "above", words.language)
    else:
        trace = _run(runs, state, index, above, words)
        if trace is not None:
            _trace(trace, runs, above, state, words)
    draw([folded(words.t("page.glossary"), [screens.glossary(words)], "glossary")], "glossary", words.language)


# --- the question -----------------------------------------------------------------------------------------------------


def _question(state: State, examples: Sequence[str], words: Words) -> None:
    if st.session_state.get(_FIELD) != state.question:
        st.session_state[_FIELD] = state.question
    if examples:
        label, hint = words.t("page.examples"), words.t("page.examples_choose")
        st.selectbox(label, examples, index=None, key="example", placeholder=hint, on_change=_take_example)
    with st.form("ask", border=False):
        st.text_area(words.t("page.question"), key=_FIELD, height=90, placeholder=words.t("page.placeholder"))
        st.form_submit_button(words.t("page.ask"), type="primary", on_click=_take_question)


def _take_question() -> None:
    _ask(st.session_state[_FIELD])


def _take_example() -> None:
    if st.session_state["example"]:
        _ask(st.session_state["example"])
        st.session_state["example"] = None


def _ask(text: str) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(question=text.strip())
    st.session_state["notes"] = ()


# --- what stands in the place of a run --------------------------------------------------------------------------------------


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
        state.settings.fusion.shares()
    except BadSetting:
        return screens.no_weights(words)
    return None


def _run(runs: Runs, state: State, index: Path, above: Sequence[Block], words: Words) -> Trace | None:
    """The run, or its error on screen."""
    try:
        return decide(runs.pool(state.question, state.settings), state.settings)
    except Exception as error:
        log.exception("the run broke off")
        draw([*above, screens.of_error(error, index, words)], "above", words.language)
        return None


# --- the run ----------------------------------------------------------------------------------------------------------


def _trace(trace: Trace, runs: Runs, above: Sequence[Block], state: State, words: Words) -> None:
    draw([*above, *faults.blocks(trace, words), paragraph(faults.summary(trace, words))], "above", words.language)
    if trace.partial:
        st.button(words.t("page.again"), on_click=runs.forget, args=(trace.question,))
    draw(_before_fusion(trace, state, words), "selection", words.language)
    _quota(trace, state, words)
    draw(_result(trace, state, words), "result", words.language)


def _before_fusion(trace: Trace, state: State, words: Words) -> list[Block]:
    used = ", ".join(words.quoted(word) for word in trace.words)
    return [
        heading(words.t("section.corpora")),
        *corpora.blocks(trace, words),
        paragraph(words.t("page.words_used", words=used) if used else words.t("page.words_none"), muted=True),
        heading(words.t("section.anchors")),
        *anchors.blocks(trace, words),
        heading(words.t("section.verweise")),
        *verweise.blocks(trace, words, state.show_all),
        heading(words.t("section.quota")),
    ]


def _quota(trace: Trace, state: State, words: Words) -> None:
    if not trace.completed.living:
        draw([paragraph(movement.sentence(trace, words))], "moved", words.language)
        return
    chart(movement.figure(movement.frame(trace, words), trace, words, ink()), "movement")
    between = [paragraph(movement.sentence(trace, words)), *movement.blocks(trace, words, state.show_all)]
    draw(between, "moved", words.language)
    chart(floor.figure(floor.frame(trace, words), trace, words, ink()), "floor")
    draw([paragraph(floor.sentence(trace, words)), *floor.blocks(trace, words)], "floor_words", words.language)


def _result(trace: Trace, state: State, words: Words) -> list[Block]:
    today = date.today().strftime("%d.%m.%Y" if words.language == "de" else "%d %B %Y")
    record = [
        heading(words.t("section.record")),
        *balance.counts(trace, words),
        *(balance.dropped(trace, words) if state.show_all else ()),
        *balance.settings(trace.settings, words),
        *balance.stamps(trace, words),
        paragraph(words.t("page.shown_on", date=today, question=words.quoted(trace.question)), muted=True),
    ]
    named = [heading(words.t("section.named")), paragraph(_named(trace, words))]
    return [*named, heading(words.t("section.hits")), *hits.blocks(trace, words), *record]


def _named(trace: Trace, words: Words) -> str:
    named = trace.named
    if not named.moved:
        return words.word("named.reason", named.reason)
    return words.t(
        "named.moved",
        corpora=", ".join(title_of(corpus, trace.specs) for corpus in named.named),
        norm=norm(trace.chunks[named.moved], trace.specs),
        place=named.from_place,
        before=words.number(named.lifted_from),
        after=words.number(trace.final[0].rank),
    )

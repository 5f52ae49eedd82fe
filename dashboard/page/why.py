"""The page "Warum?": one norm in the run of this session, its way through the stations, and what would change it."""

from __future__ import annotations

import logging
from functools import partial

import streamlit as st

from dashboard import screens, searching
from dashboard.blocks import Block, paragraph, to_why
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.running import Run
from dashboard.state import State
from dashboard.views import life as view
from dashboard.views import whatif
from retrieval.inspector.counterfactuals import Answer, counterfactual
from retrieval.inspector.life import Life, chunks_of, life
from retrieval.knobs import Value
from retrieval.model import Address
from retrieval.words import Words

log = logging.getLogger(__name__)
_KEPT = "changes_kept"


def page(run: Run, words: Words) -> None:
    """Draw the page for this run and the norm that the state names."""
    searching.field(words.t("why.find"), words)
    draw(view.chips(run.trace, words), "chips", words.language)
    if not run.state.norm:
        draw([paragraph(words.t("why.none"))], "life", words.language)
        return
    found = _found(run, words)
    if not isinstance(found, Life):
        draw(found, "life", words.language)
        return
    draw(view.blocks(found, run.trace, words), "life", words.language)
    if found.best is not None:
        _changes(found, run, words)


def _found(run: Run, words: Words) -> Life | list[Block]:
    """The life of the norm that is meant, or the screen that stands in its place."""
    meant = searching.address(run.state, run.runs.texts, words, to_why)
    if not isinstance(meant, Address):
        return meant
    if not meant.section_id:
        return view.not_one_norm(meant, run.trace, words)
    try:
        return life(run.trace, run.pool, meant, run.runs.federation)
    except Exception as error:
        log.exception("the life of the norm could not be told")
        return [screens.of_error(error, run.index, words)]


# --- what would change it ---------------------------------------------------------------------------------------------


def _changes(found: Life, run: Run, words: Words) -> None:
    try:
        with st.spinner(words.t("why.change.searching")):
            answer = _answer(found, run)
    except Exception:
        log.exception("the search for changes broke off")
        draw([paragraph(words.t("why.change.failed"))], "changes", words.language)
        return
    draw(whatif.blocks(answer, run.trace, words, run.runs.texts), "changes", words.language)
    for number, change in enumerate(whatif.suggestions(answer, run.trace, words, run.runs.texts)):
        draw([paragraph(change.text)], f"change_{number}", words.language)
        st.button(change.label, key=f"apply_{number}", on_click=_apply, args=(change.values,))


def _answer(found: Life, run: Run) -> Answer:
    """The answer for this norm, kept in the session while nothing that it depends on changes."""
    key = (run.pool, run.state.settings, run.state.without, found.chunk_ids)
    kept: tuple[object, Answer] | None = st.session_state.get(_KEPT)
    if kept is not None and kept[0] == key:
        return kept[1]
    federation = run.runs.federation
    # Not by the page's memory of pools: the search tries many settings, and would push out the pools of other sessions.
    regather = partial(federation.gather, run.trace.question, known=run.pool)
    chunks = chunks_of(found.chunk_ids, run.pool, federation)
    answer = counterfactual(run.pool, run.state.settings, chunks, regather, run.state.without, pairs=True)
    st.session_state[_KEPT] = key, answer
    return answer


def _apply(values: dict[str, Value]) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(values={**state.values, **values})

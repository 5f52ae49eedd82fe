"""The page "Norm": one norm, what it cites and what cites it; the way to it is a click or typed words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard import screens
from dashboard.blocks import Block, heading
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.links import address_of
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.views import finding, neighbours
from dashboard.views import norm as view
from retrieval.norms import Norm, look_up, norm
from retrieval.stock import Federation
from retrieval.words import Words

log = logging.getLogger(__name__)
_FIELD = "norm_typed"


def page(runs: Runs, index: Path, above: Sequence[Block], back: Callable[[], None], words: Words) -> None:
    """Draw the page for the state of this session; ``back`` draws the way back to the run."""
    state: State = st.session_state[STATE]
    _search(state, words)
    if state.question:
        back()
    federation = runs.texts
    screen = screens.no_stock(runs.stock, index, words) or (screens.no_texts(words) if federation is None else None)
    if screen is not None or federation is None:
        draw([*above, *([screen] if screen else [])], "above", words.language)
        return
    try:
        found = _found(state, federation, words)
    except Exception as error:
        log.exception("the norm could not be shown")
        found = [screens.of_error(error, index, words)]
    if isinstance(found, Norm):
        _show(found, federation, above, words)
    else:
        draw([*above, *found], "above", words.language)


def _search(state: State, words: Words) -> None:
    """The search box; it holds what was typed, and nothing where a click led here."""
    typed = "" if address_of(state.norm) else state.norm
    if st.session_state.get(_FIELD) != typed:
        st.session_state[_FIELD] = typed
    with st.form("find", border=False):
        st.text_input(words.t("norm.find"), key=_FIELD, placeholder=words.t("norm.placeholder"))
        st.form_submit_button(words.t("norm.search"), type="primary", on_click=_take)


def _take() -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(norm=st.session_state[_FIELD].strip())
    st.session_state["notes"] = ()


def _found(state: State, federation: Federation, words: Words) -> Norm | list[Block]:
    """The norm that is asked for, or the screen that stands in its place."""
    if not state.norm:
        return finding.no_norm(federation, words)
    if state.typed_too_long:
        return [screens.norm_too_long(state, words)]
    address = address_of(state.norm)
    if address is not None:
        return norm(address, federation) or [finding.unknown_norm(address, federation.specs, words)]
    typed = look_up(state.norm, federation)
    if len(typed.places) == 1:
        return norm(typed.places[0], federation) or [finding.unknown_norm(typed.places[0], federation.specs, words)]
    if typed.places:
        return finding.choice(state.norm, typed.places, federation, words)
    return [finding.nothing_found(state.norm, typed, federation.specs, words)]


def _show(found: Norm, federation: Federation, above: Sequence[Block], words: Words) -> None:
    draw([*above, *view.above(found, federation, words), *view.wording(found, federation, words)], "above", words.language)
    if not view.has_references(found):
        return
    draw([*view.cites(found, federation, words), *view.cited_by(found, federation, words)], "references", words.language)
    draw([heading(words.t("norm.section.neighbours"))], "neighbours_title", words.language)
    if neighbours.neighbours(found):
        chart(neighbours.figure(found, federation.specs, words, ink()), "neighbours")
    draw(neighbours.blocks(found, federation, words), "neighbours_words", words.language)

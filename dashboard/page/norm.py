"""The page "Norm": one norm, what it cites and what cites it; the way to it is a click or typed words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard import screens, searching
from dashboard.blocks import Block, heading
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.views import finding, neighbours
from dashboard.views import norm as view
from retrieval.model import Address
from retrieval.norms import Norm, norm
from retrieval.places import Server
from retrieval.stock import Federation
from retrieval.words import Words

log = logging.getLogger(__name__)


def page(runs: Runs, index: Path, above: Sequence[Block], back: Callable[[], None], words: Words) -> None:
    """Draw the page for the state of this session; ``back`` draws the way back to the run."""
    state: State = st.session_state[STATE]
    searching.field(words.t("norm.find"), words)
    if state.question:
        back()
    federation = runs.texts
    screen = screens.no_stock(runs.stock, index, words) or (screens.no_texts(words) if federation is None else None)
    if screen is not None or federation is None:
        draw([*above, *([screen] if screen else [])], "above", words.language)
        return
    try:
        found = _found(state, federation, _place(runs, index, words), words)
    except Exception as error:
        log.exception("the norm could not be shown")
        found = [screens.of_error(error, index, words)]
    if isinstance(found, Norm):
        _show(found, federation, above, words)
    else:
        draw([*above, *found], "above", words.language)


def _place(runs: Runs, index: Path, words: Words) -> str:
    """Where the stock lies, in a sentence; empty where that is not known."""
    place = getattr(runs.stock, "place", None)
    if place is None:
        return ""
    return (
        words.t("place.server", folder=index, server=place.address) if isinstance(place, Server) else words.t("place.folder", folder=index)
    )


def _found(state: State, federation: Federation, place: str, words: Words) -> Norm | list[Block]:
    """The norm that is asked for, or the screen that stands in its place."""
    if not state.norm:
        return finding.no_norm(federation, place, words)
    meant = searching.address(state, federation, words)
    if not isinstance(meant, Address):
        return meant
    return norm(meant, federation) or [finding.unknown_norm(meant, federation.specs, words)]


def _show(found: Norm, federation: Federation, above: Sequence[Block], words: Words) -> None:
    draw([*above, *view.above(found, federation, words), *view.wording(found, federation, words)], "above", words.language)
    if not view.has_references(found):
        return
    draw([*view.cites(found, federation, words), *view.cited_by(found, federation, words)], "references", words.language)
    draw([heading(words.t("norm.section.neighbours"))], "neighbours_title", words.language)
    if neighbours.neighbours(found):
        chart(neighbours.figure(found, federation.specs, words, ink()), "neighbours")
    draw(neighbours.blocks(found, federation, words), "neighbours_words", words.language)

"""The page "Rundgang": a guided tour over the stock, computed while it is shown."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from dashboard import screens
from dashboard.blocks import Block, folded, paragraph
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.views import anchors, corpora, floor, verweise
from dashboard.views import tour as view
from retrieval.errors import BadInput
from retrieval.settings import Settings
from retrieval.tours import Step, Tour, Walked, read_tour, walk
from retrieval.trace import Trace
from retrieval.words import Words

log = logging.getLogger(__name__)


def page(runs: Runs, index: Path, file: Path | None, above: Sequence[Block], live: Callable[[State, str], None], words: Words) -> None:
    """Draw the step of the tour at which this session stands; ``live`` draws a link to the page "Live" in a state, with a label."""
    found = _tour(runs, index, file, words)
    if not isinstance(found, Tour):
        draw([*above, *found], "above", words.language)
        return
    state: State = st.session_state[STATE]
    place = min(state.step, len(found.steps) - 1)
    step = found.steps[place]
    try:
        federation = runs.texts
        walked = walk(step, runs.pool, federation.book if federation else None)
    except Exception as error:
        log.exception("a step of the tour broke off")
        draw([*above, screens.of_error(error, index, words)], "above", words.language)
        _buttons(place, len(found.steps), words)
        return
    draw([*above, *view.head(walked, place + 1, len(found.steps), words)], "above", words.language)
    _buttons(place, len(found.steps), words)
    _show(walked, words)
    live(_as_state(step, state), words.t("tour.live"))


def _tour(runs: Runs, index: Path, file: Path | None, words: Words) -> Tour | list[Block]:
    """The tour, or what stands in its place."""
    if file is None:
        return view.none(words)
    try:
        found = read_tour(file)
    except BadInput as error:
        return view.broken(error, words)
    screen = screens.no_stock(runs.stock, index, words)
    return found if screen is None else [screen]


def _show(walked: Walked, words: Words) -> None:
    draw([*view.moved(walked, words), *view.lists(walked, words), *view.checks(walked, words)], "lists", words.language)
    if walked.step.shows == "floor" and walked.shown.completed.living:
        chart(floor.figure(floor.frame(walked.shown, words), walked.shown, words, ink()), "floor")
    draw(_part(walked.step, walked.shown, words), "part", words.language)


def _part(step: Step, trace: Trace, words: Words) -> list[Block]:
    """What the step shows beside the lists."""
    if step.shows == "floor":
        return [paragraph(floor.sentence(trace, words)), *floor.blocks(trace, words)]
    if step.shows == "corpora":
        return corpora.blocks(trace, words)
    if step.shows == "anchors":
        return anchors.blocks(trace, words)
    if step.shows == "references":
        return [folded(words.t("tour.references"), verweise.blocks(trace, words, False), "tour_references")]
    return []


# --- from step to step ------------------------------------------------------------------------------------------------


def _buttons(place: int, count: int, words: Words) -> None:
    with st.container(horizontal=True, key="tour_buttons"):
        back, on = words.t("tour.back"), words.t("tour.next")
        st.button(back, key="tour_back", shortcut="Left", on_click=_go, args=(place - 1,), disabled=place == 0)
        st.button(on, key="tour_next", type="primary", shortcut="Right", on_click=_go, args=(place + 1,), disabled=place == count - 1)


def _go(place: int) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(step=place)


def _as_state(step: Step, state: State) -> State:
    """The state in which the page "Live" runs this step."""
    used = Settings.of(step.settings)
    values = {name: used.value(name) for name in step.settings}
    return state.replaced(question=step.question, values=values, without=step.without, step=0)

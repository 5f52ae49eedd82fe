"""The page "Regler": what one setting does over its whole range, and how firmly the list stands under each of them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard import dragging, knobtext
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.running import Run
from dashboard.state import State
from dashboard.views import stability
from dashboard.views import track as view
from retrieval.inspector.tracks import CONTINUOUS
from retrieval.settings import KNOBS
from retrieval.words import Words

_CHOSEN = "slider_chosen"
_FIRST = "verweis_score"


def page(run: Run, words: Words) -> None:
    """Draw the chosen setting, then all of them side by side."""
    tracks = {knob: run.runs.track(run.pool, run.state.settings, knob, run.state.without) for knob in CONTINUOUS}
    knob = _choice(words)
    data, under = view.section(tracks[knob], run.trace, words)
    dragging.draw(data, f"drag_{knob}", partial(_take, knob))
    draw(under, "track_words", words.language)
    draw(stability.blocks(tuple(tracks.values()), run.trace, words), "stability", words.language)


def _choice(words: Words) -> str:
    """The setting that is looked at; it is remembered while another page is open."""
    kept = st.session_state.get("slider_kept", _FIRST)
    if st.session_state.get(_CHOSEN) not in CONTINUOUS:
        st.session_state[_CHOSEN] = kept
    chosen: str = st.radio(
        words.t("sliders.choose"),
        CONTINUOUS,
        key=_CHOSEN,
        format_func=lambda knob: knobtext.label(KNOBS[knob], words),
        horizontal=True,
    )
    st.session_state["slider_kept"] = chosen
    return chosen


def _take(knob: str, value: float) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.with_value(knob, KNOBS[knob].read(value))

"""The slider alone with the settings beside it, over the corpora in memory; the address says question, settings and knob."""

from __future__ import annotations

import streamlit as st

from dashboard import controls, dragging
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.state import State, read
from dashboard.stock import Runs
from dashboard.views import track as view
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.inspector.breakpoints import track
from retrieval.settings import KNOBS
from tests.dashboard.demo import QUESTION, federation

KNOB = "moved"


@st.cache_resource
def _runs() -> Runs:
    return Runs(federation())


def main() -> None:
    params = st.query_params.to_dict()
    name = params.pop(KNOB, "weight_vector")
    if STATE not in st.session_state:
        st.session_state[STATE] = read({"q": QUESTION, **params})[0]
    state: State = st.session_state[STATE]
    words = page_words(state.language)

    def take(value: float) -> None:
        now: State = st.session_state[STATE]
        st.session_state[STATE] = now.with_value(name, KNOBS[name].read(value))

    st.title("Regler")
    with st.sidebar:
        controls.draw(words)
    pool = _runs().pool(state.question, state.settings)
    trace = decide(pool, state.settings)
    data, below = view.section(track(pool, state.settings, name), trace, words)
    dragging.draw(data, "slider", take)
    draw(below, "below", words.language)
    st.text(f"in Kraft: {state.value(name)}")
    st.text(" | ".join(entry.chunk_id for entry in trace.final))


main()

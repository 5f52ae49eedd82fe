"""The controls, generated from the knobs: what a knob is called, does and takes is written once, in the knob."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from dashboard import fields, knobtext
from dashboard.state import State
from retrieval.errors import BadSetting
from retrieval.knobs import Knob, Value
from retrieval.settings import KNOBS, RERANKING
from retrieval.stages.fusion import RERANKER
from retrieval.words import Words

STATE = "state"
_MOST_STEPS = 250


def draw(words: Words, reranker: bool = False) -> None:
    """All knobs in the sidebar, by stage. A knob that has no effect stays visible, switched off, with its value and the reason.

    ``reranker`` says whether one is set up.
    """
    state: State = st.session_state[STATE]
    st.subheader(words.t("page.settings"), anchor=False)
    for group, knobs in groupby(KNOBS.values(), key=lambda knob: knob.group):
        st.markdown(f"**{words.t(f'group.{group}')}**")
        for knob in knobs:
            _draw(knob, state, words, reranker)
        if group == "fusion":
            st.caption(shares(state, words))
    st.button(words.t("page.reset"), on_click=_reset, width="stretch")


def shares(state: State, words: Words) -> str:
    """The weights as shares that sum to 1, in words."""
    try:
        found = state.settings.shares()
    except BadSetting:
        return words.t("knob.no_shares")
    return words.t(
        "knob.shares_reranked" if RERANKER in found else "knob.shares", **{name: words.percent(share) for name, share in found.items()}
    )


def idle(knob: Knob, state: State) -> bool:
    """Whether a knob has no effect under the method in force, or because the reranker is off."""
    off = knob.name in RERANKING and state.value(RERANKER) == "off"
    return off or (bool(knob.only) and knob.only != state.value("fusion"))


def _reason(knob: Knob, state: State, words: Words, reranker: bool) -> str:
    """Why a knob is switched off; empty for one that can be moved. A reranker that is on can be switched off even where none is set up."""
    if not reranker and (knob.name in RERANKING or (knob.name == RERANKER and state.value(RERANKER) == "off")):
        return words.t("knob.reranker_missing")
    if not idle(knob, state):
        return words.t("knob.only_choice") if len(knob.choices) == 1 else ""
    return words.t("knob.idle", method=words.word("choice", knob.only)) if knob.only else words.t("knob.reranker_off")


def grid(knob: Knob, value: Value) -> list[float]:
    """The places of a slider for a fraction, with the value in force even where it lies between two steps."""
    steps = round((knob.high - knob.low) / knob.step)
    return sorted({*(round(knob.low + step * knob.step, 6) for step in range(steps + 1)), float(value)})


def _draw(knob: Knob, state: State, words: Words, reranker: bool) -> None:
    # The state is the truth, the widget follows: so a value survives hidden widgets, other pages, links and the way back.
    value = state.value(knob.name)
    reason = _reason(knob, state, words, reranker)
    _widget(knob, fields.key(_field(knob.name), value), value, bool(reason), words)
    lines = [knobtext.sentence(knob, words), f"{knobtext.scale(knob, words)}.", *([reason] if reason else [])]
    st.caption("  \n".join([lines[0], " ".join(lines[1:])]))


def _widget(knob: Knob, key: str, value: Value, off: bool, words: Words) -> None:
    label = knobtext.label(knob, words)
    if knob.kind == "choice":
        options, name = list(knob.choices), lambda choice: words.word("choice", choice)
        st.selectbox(label, options, options.index(str(value)), key=key, format_func=name, disabled=off, on_change=_take, args=(knob.name,))
    elif knob.kind == "float":
        places, shown = grid(knob, value), lambda place: knobtext.number(knob, place, words)
        st.select_slider(label, places, float(value), key=key, format_func=shown, disabled=off, on_change=_take, args=(knob.name,))
    else:
        field = st.number_input if (knob.high - knob.low) / knob.step > _MOST_STEPS else st.slider
        low, high, step = int(knob.low), int(knob.high), int(knob.step)
        field(label, low, high, int(value), step=step, key=key, disabled=off, on_change=_take, args=(knob.name,))


def _field(name: str) -> str:
    return f"knob_{name}"


def _take(name: str) -> None:
    state: State = st.session_state[STATE]
    value = KNOBS[name].read(fields.taken(_field(name)))
    st.session_state[STATE] = state.with_value(name, value)


def _reset() -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(values={})

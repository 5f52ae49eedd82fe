"""The way to a norm on every page that is about one: a field to type its address, and the norm that is meant."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import fields, screens
from dashboard.blocks import Block, Line, to_norm
from dashboard.controls import STATE
from dashboard.links import address_of
from dashboard.state import State
from dashboard.views import finding
from retrieval.model import Address
from retrieval.norms import look_up
from retrieval.stock import Federation
from retrieval.words import Words

_FIELD = "norm_typed"


def field(label: str, words: Words) -> None:
    """The search box; it holds what was typed, and nothing where a click led here."""
    state: State = st.session_state[STATE]
    typed = "" if address_of(state.norm) else state.norm
    with st.form("find", border=False):
        st.text_input(label, typed, key=fields.key(_FIELD, typed), placeholder=words.t("norm.placeholder"))
        st.form_submit_button(words.t("norm.search"), type="primary", on_click=_take)


def _take() -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(norm=fields.taken(_FIELD).strip())
    st.session_state["notes"] = ()


def address(state: State, federation: Federation | None, words: Words, way: Callable[[str, str], Line] = to_norm) -> Address | list[Block]:
    """The one norm that the state names, or the screen that stands in its place; the state must name something.

    ``federation`` is None where the corpora are not ours: then a click leads to a norm, typed words to none. ``way`` makes the links of a
    choice.
    """
    if state.typed_too_long:
        return [screens.norm_too_long(state, words)]
    clicked = address_of(state.norm)
    if clicked is not None:
        return clicked
    if federation is None:
        return [screens.no_texts(words)]
    typed = look_up(state.norm, federation)
    if len(typed.places) == 1:
        return typed.places[0]
    if typed.places:
        return finding.choice(state.norm, typed.places, federation, words, way)
    return [finding.nothing_found(state.norm, typed, federation.specs, words)]

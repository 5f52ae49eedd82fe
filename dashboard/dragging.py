"""Draws the slider that moves the list while it is dragged: one component that needs the server only when the reader lets go."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from math import isfinite
from typing import Any

import streamlit as st

from dashboard.blocks import Block

OnValue = Callable[[float], None]


HTML = "<div class='track'></div>"
"""What the script fills."""


def style() -> str:
    """The style sheet of the component."""
    return _asset("track.css")


def script() -> str:
    """The script of the component, one module."""
    return _asset("track_parts.js") + _asset("track.js")


def _asset(name: str) -> str:
    return files("dashboard").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _component() -> Any:
    return st.components.v2.component("fundstelle_track", html=HTML, css=style(), js=script())


def draw(data: Block, key: str, on_value: OnValue) -> None:
    """Draw the slider at this place of the page; ``key`` is unique on it and holds no double underscore.

    ``data`` is that of ``views.track.section``. ``on_value`` is called before the next run with the value at which the reader let go, a
    number of the knob's range. The line under it leads to the plain slider where the script of this one does not run.
    """
    took = partial(_take, key, data["low"], data["high"], on_value)
    _component()(key=key, data=data, on_value_change=took)
    st.caption(data["words"]["beside"])


def _take(key: str, low: float, high: float, on_value: OnValue) -> None:
    """Hand over what came from the browser if it is a number of the range; from there comes whatever somebody sends."""
    value = st.session_state[key].get("value")
    if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) and low <= value <= high:
        on_value(float(value))

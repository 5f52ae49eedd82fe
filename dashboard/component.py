"""Draws blocks in the page: one component with text nodes only, real tables and lists, and the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

import streamlit as st

from dashboard.blocks import Block


@cache
def _component() -> Any:
    assets = files("dashboard").joinpath("assets")
    css, js = (assets.joinpath(name).read_text(encoding="utf-8") for name in ("blocks.css", "blocks.js"))
    return st.components.v2.component("fundstelle_blocks", html="<div class='blocks'></div>", css=css, js=js)


GOTO = "goto"
"""Where a click on a norm leaves the norm's key for the entry of the page."""
WHY = "why"
"""The same for a click that asks why a norm stands where it stands."""

_CHART = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


def draw(blocks: Sequence[Block], key: str, language: str) -> None:
    """Draw blocks at this place of the page; ``key`` is unique on it. ``language`` is that of the words, for readers aloud."""
    if blocks:
        _component()(
            key=key,
            data={"blocks": list(blocks), "language": language},
            on_norm_change=partial(_go, key, "norm", GOTO),
            on_why_change=partial(_go, key, "why", WHY),
        )


def chart(figure: dict[str, Any], key: str) -> None:
    """Draw a plain plotly figure; its table stands beside it, so it takes no clicks."""
    st.plotly_chart(figure, key=key, config=_CHART)


def ink() -> str:
    """The colour of text in the theme that this reader sees; a figure cannot ask for it itself."""
    return "#fafafa" if st.context.theme.type == "dark" else "#31333f"


def _go(key: str, trigger: str, place: str) -> None:
    chosen = st.session_state[key].get(trigger)
    if isinstance(chosen, str):
        st.session_state[place] = chosen

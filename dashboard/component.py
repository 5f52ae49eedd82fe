"""Draws blocks in the page: one component with text nodes only, real tables and lists, and the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

from dashboard.blocks import Block


@cache
def _component() -> Any:
    assets = files("dashboard").joinpath("assets")
    css, js = (assets.joinpath(name).read_text(encoding="utf-8") for name in ("blocks.css", "blocks.js"))
    return st.components.v2.component("fundstelle_blocks", html="<div class='blocks'></div>", css=css, js=js)


def draw(blocks: Sequence[Block], key: str, language: str) -> None:
    """Draw blocks at this place of the page; ``key`` is unique on it. ``language`` is that of the words, for readers aloud."""
    if blocks:
        _component()(key=key, data={"blocks": list(blocks), "language": language})

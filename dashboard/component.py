"""Draws blocks in the page: one component with text nodes only, real tables and lists, and the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

import streamlit as st

from dashboard.blocks import Block
from dashboard.state import MODES
from retrieval.words import LANGUAGES


@cache
def _component() -> Any:
    assets = files("dashboard").joinpath("assets")
    css, js = (assets.joinpath(name).read_text(encoding="utf-8") for name in ("blocks.css", "blocks.js"))
    return st.components.v2.component("fundstelle_blocks", html="<div class='blocks'></div>", css=css, js=js)


GOTO = "goto"
"""Where a click on a norm leaves the norm's key for the entry of the page."""
WHY = "why"
"""The same for a click that asks why a norm stands where it stands."""

_MODE = "page_mode"
_SIZES = {"dense": "14px", "large": "clamp(17px, 0.7vw + 14px, 24px)"}
"""The size of type from which the page and its blocks measure everything else, where it is not the browser's own."""
_CHART_SIZES = {"dense": 0.9, "large": 1.5}
_PLOTLY_FONT = 12
_READABLE = """
[data-testid=stCaptionContainer], kbd { opacity: 0.8 !important }
[data-testid=stWidgetLabel], [data-testid=stWidgetLabel] *, [data-testid=stSliderThumbValue], [data-testid=stSliderThumbValue] * {
    color: inherit !important
}
"""
"""Streamlit's small type, the labels of what is switched off and the values of sliders are paler than 4.5 to 1, which type needs."""
_DARK = "button[kind^=primary]:not(:disabled) { background-color: #2f74a5; border-color: #2f74a5 }"
"""White on the colour that stands out from a dark ground is too pale; white on this one is not."""
_ALONE = """
[data-testid=stSidebar], [data-testid=stHeader], [data-testid=stExpandSidebarButton] { display: none }
[data-testid=stMainBlockContainer] { padding-top: 2rem }
"""
_CHART = {"displayModeBar": True, "modeBarButtons": [["toImage"]], "displaylogo": False, "scrollZoom": False, "doubleClick": False}
_SAVE_DE = "Bild speichern (SVG)"


def set_mode(mode: str, alone: bool = False) -> None:
    """Set this run of the page as ``mode`` says, one of ``MODES``; ``alone`` leaves nothing on screen beside what the page draws itself."""
    st.session_state[_MODE] = mode
    size = f":root {{ font-size: {_SIZES[mode]} }}" if mode in _SIZES else ""
    dark = _DARK if st.context.theme.type == "dark" else ""
    st.html(f"<style>{_READABLE} {dark} {size} {_ALONE if alone else ''}</style>")


def _mode() -> str:
    return str(st.session_state.get(_MODE, MODES[0]))


def draw(blocks: Sequence[Block], key: str, language: str) -> None:
    """Draw blocks at this place of the page; ``key`` is unique on it. ``language`` is that of the words, for readers aloud."""
    if blocks:
        _component()(
            key=key,
            data={"blocks": list(blocks), "language": language, "mode": _mode()},
            on_norm_change=partial(_go, key, "norm", GOTO),
            on_why_change=partial(_go, key, "why", WHY),
        )


def chart(figure: dict[str, Any], key: str) -> None:
    """Draw a plain plotly figure; its table stands beside it, so it takes no clicks."""
    factor = _CHART_SIZES.get(_mode(), 1.0)
    drawn = figure if factor == 1.0 else {**figure, "layout": _resized(figure.get("layout", {}), factor)}
    st.plotly_chart(drawn, key=key, config=_config(key))


def _config(key: str) -> dict[str, Any]:
    """One button, which saves the chart as a picture, named in both languages; Plotly speaks English where it is told nothing."""
    german = {"dictionary": {"Download plot": _SAVE_DE, "Download plot as a png": _SAVE_DE, "Download plot as SVG": _SAVE_DE}}
    language = st.session_state.get("language", LANGUAGES[0])
    saved = {"format": "svg", "filename": f"fundstelle-{key}"}
    return {**_CHART, "locale": language, "locales": {"de": german}, "toImageButtonOptions": saved}


def _resized(layout: dict[str, Any], factor: float) -> dict[str, Any]:
    """A layout with all type, the room for it and its shifts larger or smaller; what is measured in data stays."""
    font = {"size": _PLOTLY_FONT, **layout.get("font", {})}
    resized: dict[str, Any] = _times({**layout, "font": font}, factor)
    return resized


def _times(part: Any, factor: float, key: str = "") -> Any:
    if isinstance(part, dict):
        return {name: _times(value, factor, name if key != "margin" else "height") for name, value in part.items()}
    if isinstance(part, list):
        return [_times(each, factor) for each in part]
    return part * factor if key in ("size", "height", "xshift", "yshift") and isinstance(part, (int, float)) else part


def ink() -> str:
    """The colour of text in the theme that this reader sees; a figure cannot ask for it itself."""
    return "#fafafa" if st.context.theme.type == "dark" else "#31333f"


def _go(key: str, trigger: str, place: str) -> None:
    chosen = st.session_state[key].get(trigger)
    if isinstance(chosen, str):
        st.session_state[place] = chosen

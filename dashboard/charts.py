"""What the charts of figures over question sets have in common: axes whose numbers are written as the language writes them, and frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from dashboard import knobtext
from dashboard.naming import figure_text
from retrieval.settings import KNOBS
from retrieval.words import Words

STRONG, QUIET, DARK, LIGHT = "#3f86ba", "#8b95a1", "#17222c", "#ffffff"
"""The one hue of a chart, what stands back, and two that are read on every ground."""
_TICKS = 5
_LEAST = 0.02
"""The narrowest cut of a scale from 0 to 1 that is drawn: less would make a cliff of a trifle."""


def cut(values: Iterable[float | None]) -> tuple[float, float]:
    """The part of a scale from 0 to 1 that some figures need, with a little room on both sides; the whole scale where there are none."""
    found = [value for value in values if value is not None]
    if not found:
        return 0.0, 1.0
    low, high = min(found), max(found)
    room = max(high - low, _LEAST) * 0.15
    return max(0.0, low - room), min(1.0, high + room)


def knob_axis(name: str, words: Words) -> dict[str, Any]:
    """The whole range of a knob, named by its label."""
    knob = KNOBS[name]
    ticks = [knob.low + (knob.high - knob.low) * tick / _TICKS for tick in range(_TICKS + 1)]
    whole = knob.step >= 1
    places = sorted({float(round(tick)) if whole else tick for tick in ticks})
    shown = [words.whole(int(place)) if whole else knobtext.number(knob, place, words) for place in places]
    room = (knob.high - knob.low) * 0.02
    return {**_axis(knobtext.label(knob, words)), "range": [knob.low - room, knob.high + room], "tickvals": places, "ticktext": shown}


def value_axis(title: str, low: float, high: float, words: Words) -> dict[str, Any]:
    """A part of a figure's scale from 0 to 1."""
    ticks = round_values(low, high)
    return {**_axis(title), "range": [low, high], "tickvals": ticks, "ticktext": [words.number(tick) for tick in ticks]}


def round_values(low: float, high: float) -> list[float]:
    """Round values between two ends, both below 1000 and not equal: multiples of 1, 2 or 5 with a power of ten."""
    power = 10.0 ** floor(log10((high - low) / _TICKS))
    step = next(power * factor for factor in (1, 2, 5, 10) if (high - low) / (power * factor) <= _TICKS + 1e-9)
    return [round(step * number, 6) for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _axis(title: str) -> dict[str, Any]:
    return {"title": {"text": figure_text(title, 70)}, "zeroline": False, "fixedrange": True, "automargin": True}


def layout(title: str, x: dict[str, Any], y: dict[str, Any], ink: str, height: int = 420) -> dict[str, Any]:
    """A chart with its legend below it; ``ink`` is the colour of text in the theme."""
    return {
        "height": height,
        "title": {"text": figure_text(title, 90), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 48, "b": 120},
        "font": {"color": ink},
        "xaxis": _inked(x, ink),
        "yaxis": _inked(y, ink),
        "hovermode": "closest",
        "legend": legend_below(),
    }


def legend_below() -> dict[str, Any]:
    """A legend under the chart that is read and not clicked."""
    return {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "itemclick": False, "itemdoubleclick": False}


def rows_axis(labels: Sequence[str], ink: str) -> dict[str, Any]:
    """One row for each label, from top to bottom."""
    rows = len(labels)
    return {
        "tickvals": list(range(rows)),
        "ticktext": list(labels),
        "tickfont": {"color": ink},
        "range": [rows - 0.4, -0.6],
        "automargin": True,
        "zeroline": False,
        "fixedrange": True,
    }


def scale(low: float, high: float, ticks: Mapping[float, str], ink: str) -> dict[str, Any]:
    """Numbers from ``low`` to ``high``, with the texts that stand at some of them."""
    return {
        "range": [low, high],
        "tickvals": list(ticks),
        "ticktext": list(ticks.values()),
        "tickfont": {"color": ink},
        "zeroline": False,
        "fixedrange": True,
    }


def _inked(axis: dict[str, Any], ink: str) -> dict[str, Any]:
    return {**axis, "title": {**axis["title"], "font": {"color": ink, "size": 13}}, "tickfont": {"color": ink}}

"""The drawing of the calibration: every corpus's best scores on one axis, with and without gold, as one SVG file that needs nothing else.

Two axes side by side: the best rank score itself, and its share of the best of all, on which the floor of the quota is one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Protocol

import numpy as np

_ROW, _TOP, _NAMES, _AXIS, _GAP = 22, 84, 250, 420, 60
_BLUE, _GREY = "#2f6f9f", "#8b95a1"
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Best(Protocol):
    """The best score of each corpus for one question, and which corpora hold gold of it."""

    @property
    def gold(self) -> np.ndarray: ...

    @property
    def scores(self) -> dict[tuple[str, str], np.ndarray]: ...


def chart(titles: Sequence[str], bests: Sequence[Best], floor: float, key: tuple[str, str] = ("now", "both")) -> str:
    """The SVG text. ``titles`` are those of the corpora, in the order of the arrays; ``floor`` is ``min_ratio``."""
    scores = np.array([one.scores[key] for one in bests])
    gold = np.array([one.gold for one in bests])
    shares = scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-12)
    height = _TOP + _ROW * len(titles) + 30
    left, right = _NAMES, _NAMES + _AXIS + _GAP
    parts = [
        _text(12, 24, f"Best score of each corpus, {len(bests)} questions", size=16),
        _text(
            12, 44, "Diamond: a corpus with gold of the question. Line: the others, 5 to 95 %; thick: the middle half; stroke: the median."
        ),
        *_axis(left, height, "best score of the corpus"),
        *_axis(right, height, "share of the best of all corpora"),
        _line(right + floor * _AXIS, _TOP - 6, right + floor * _AXIS, height - 24, _BLUE, 1.5, "5 3"),
        _text(right + floor * _AXIS + 4, _TOP - 8, f"min_ratio {floor:g}"),
    ]
    for row, title in enumerate(titles):
        y = _TOP + _ROW * row + _ROW / 2
        parts.append(_text(_NAMES - 10, y + 4, title if len(title) < 38 else f"{title[:36]}…", anchor="end"))
        for x, values in ((left, scores[:, row]), (right, shares[:, row])):
            parts += [*_spread(x, y, values[~gold[:, row]]), *_diamonds(x, y, values[gold[:, row]])]
    width = right + _AXIS + 20
    size = f'width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} font-family="sans-serif">'
    return "\n".join([head, f'<rect {size} fill="#ffffff"/>', *parts, "</svg>", ""])


def _axis(x: float, height: float, name: str) -> Iterator[str]:
    for tick in _TICKS:
        at = x + tick * _AXIS
        yield _line(at, _TOP - 2, at, height - 26, "#d9dee3", 1)
        yield _text(at, height - 10, f"{tick:g}", anchor="middle")
    yield _text(x, _TOP - 24, name, size=13)


def _spread(x: float, y: float, values: np.ndarray) -> Iterable[str]:
    if not len(values):
        return
    low, first, middle, third, high = (x + _AXIS * value for value in np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95)))
    yield _line(low, y, high, y, _GREY, 1.5)
    yield _line(first, y, third, y, _GREY, 6)
    yield _line(middle, y - 6, middle, y + 6, "#3a424a", 2)


def _diamonds(x: float, y: float, values: np.ndarray) -> Iterable[str]:
    for value in values:
        at = x + _AXIS * float(value)
        yield f'<path d="M{at - 4:.1f} {y:.1f}l4 -5l4 5l-4 5z" fill="{_BLUE}" fill-opacity="0.45" stroke="{_BLUE}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"{dashed}/>'


def _text(x: float, y: float, text: str, size: int = 12, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="#222222">{escape(text)}</text>'

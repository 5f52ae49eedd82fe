"""Lists side by side: a column for each, with lines that connect the places of a hit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import msgspec
import pandas as pd

from dashboard.blocks import Block, row, table, to_norm
from dashboard.naming import figure_text
from retrieval.words import Words

Kind = Literal["same", "moved", "partial"]
KINDS: tuple[Kind, ...] = ("same", "moved", "partial")
_DASHES: dict[Kind, str] = {"same": "solid", "moved": "dash", "partial": "dot"}
_QUIET, _STRONG = "#8b95a1", "#3f86ba"
_ROW_HEIGHT = 26
_LEFT, _RIGHT = 34, 24
_MARKER = 8


class Column(msgspec.Struct, frozen=True):
    """One list: its title, and the ids that stand in it, best first, each at most once.

    ``at`` are their places from 1 where some of a long list are left out, rising; empty: no one is.
    """

    title: str
    ids: tuple[str, ...]
    at: tuple[int, ...] = ()

    @property
    def places(self) -> dict[str, int]:
        """The place of each id, from 1."""
        return dict(zip(self.ids, self.at or range(1, len(self.ids) + 1), strict=True))

    @property
    def rows(self) -> dict[str, int]:
        """The row in which each id is drawn, from 1."""
        return {one: row for row, one in enumerate(self.ids, start=1)}


class _Drawn(msgspec.Struct, frozen=True):
    """One id with its places and its rows in all lists; 0 = not in that list."""

    label: str
    places: tuple[int, ...]
    rows: tuple[int, ...]
    strong: bool

    @property
    def kind(self) -> Kind:
        return kind_of(self.places)


def places(columns: Sequence[Column]) -> dict[str, tuple[int, ...]]:
    """The places of each id in all lists (0 = not in that list), in the order in which the lists name them."""
    by_column = [column.places for column in columns]
    every = dict.fromkeys(one for column in columns for one in column.ids)
    return {one: tuple(found.get(one, 0) for found in by_column) for one in every}


def kind_of(found: Sequence[int]) -> Kind:
    """``same`` for one that stands everywhere on one place, ``moved`` for one that stands everywhere, else ``partial``."""
    if 0 in found:
        return "partial"
    return "same" if len(set(found)) == 1 else "moved"


def frame(columns: Sequence[Column], labels: Mapping[str, str]) -> pd.DataFrame:
    """One row for each id: ``id``, its ``label``, and a column of places for each list, under its title (0 = not in that list)."""
    rows = [(one, labels.get(one, one), *found) for one, found in places(columns).items()]
    return pd.DataFrame(rows, columns=["id", "label", *(column.title for column in columns)])


def figure(
    columns: Sequence[Column],
    labels: Mapping[str, str],
    ink: str,
    words: Words,
    changed: Collection[str] | None = None,
    title: str = "",
) -> dict[str, Any]:
    """The lists as a plain plotly figure; ``ink`` is the colour of text in the theme.

    The form of the line and open markers say what moved and what is not in every list. ``changed`` are the ids that are drawn strong:
    without it, all that do not stand everywhere on one place. The name of a hit stands where it comes first, elsewhere its place.
    """
    drawn = _drawn(columns, labels, changed)
    groups = [[one for one in drawn if one.kind == kind and one.strong is strong] for kind in KINDS for strong in (False, True)]
    lines = _named_once([_lines(group, words) for group in groups if group])
    deep = max((len(column.ids) for column in columns), default=1)
    layout = _layout([column.title for column in columns], drawn, deep, ink, title or words.t("slopes.chart"))
    return {"data": [*lines, *_inner(len(columns), drawn, ink), _right_axis()], "layout": layout}


def _drawn(columns: Sequence[Column], labels: Mapping[str, str], changed: Collection[str] | None) -> list[_Drawn]:
    rows = [column.rows for column in columns]
    return [
        _Drawn(
            labels.get(one, one),
            where,
            tuple(found.get(one, 0) for found in rows),
            kind_of(where) != "same" if changed is None else one in changed,
        )
        for one, where in places(columns).items()
    ]


def _lines(drawn: Sequence[_Drawn], words: Words) -> dict[str, Any]:
    """The lines of one form and strength."""
    x: list[int | None] = []
    y: list[int | None] = []
    text: list[str] = []
    for one in drawn:
        x += [*range(len(one.rows)), None]
        y += [*(row or None for row in one.rows), None]
        text += [figure_text(f"{one.label}: {in_words(one.places, words)}", 160)] * (len(one.rows) + 1)
    kind, strong = drawn[0].kind, drawn[0].strong
    colour = _STRONG if strong else _QUIET
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "text": text,
        "hovertemplate": "%{text}<extra></extra>",
        "name": words.t(f"slopes.kind.{kind}"),
        "legendgroup": kind,
        "connectgaps": False,
        # On a narrow page the outer markers stand wider than the margin of the axis.
        "cliponaxis": False,
        "line": {"dash": _DASHES[kind], "color": colour, "width": 2.5 if strong else 1.2},
        "marker": {"size": _MARKER if strong else _MARKER - 2, "color": colour, "symbol": "circle-open" if kind == "partial" else "circle"},
    }


def _named_once(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry of the legend for each form of line."""
    named: set[str] = set()
    shown = []
    for one in data:
        shown.append({**one, "showlegend": one["legendgroup"] not in named})
        named.add(one["legendgroup"])
    return shown


def in_words(found: Sequence[int], words: Words) -> str:
    """The places of one hit in words: ``Platz 14 → 9``, ``nicht in der Liste → Platz 3``."""
    return " → ".join(words.t("slopes.place", place=words.whole(place)) if place else words.t("slopes.absent") for place in found)


def _layout(titles: Sequence[str], drawn: Sequence[_Drawn], deep: int, ink: str, title: str) -> dict[str, Any]:
    last = len(titles) - 1
    left = [(one.rows[0], f"{_shortened(one.label, _LEFT)}  <b>{one.places[0]}</b>") for one in drawn if one.rows[0]]
    right = [(one.rows[last], _name(one, last)) for one in drawn if last > 0 and one.rows[last]]
    return layout([figure_text(name, 24) for name in titles], left, right, deep, ink, figure_text(title, 90))


Label = tuple[int, str]
"""A row, counted from 1, and what stands beside it."""


def layout(titles: Sequence[str], left: Sequence[Label], right: Sequence[Label], deep: int, ink: str, title: str) -> dict[str, Any]:
    """The layout of lists side by side: ``titles`` above the columns, labels at both ends, ``deep`` rows."""
    last = len(titles) - 1
    axis = {
        "range": [deep + 0.7, 0.3],
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "ticks": "",
        "ticklabelstandoff": _MARKER,
        "fixedrange": True,
        "tickfont": {"color": ink},
    }
    return {
        "height": 140 + _ROW_HEIGHT * (deep + 1),
        "title": {"text": title, "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 8, "t": 74, "b": 60},
        "xaxis": {
            "range": [-0.04, max(last, 1) + 0.04],
            "tickvals": list(range(len(titles))),
            "ticktext": list(titles),
            "side": "top",
            "tickangle": 0,
            "tickfont": {"color": ink},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {**axis, "tickvals": [place for place, _ in left], "ticktext": [text for _, text in left]},
        "yaxis2": {
            **axis,
            "overlaying": "y",
            "side": "right",
            "tickvals": [place for place, _ in right],
            "ticktext": [text for _, text in right],
        },
        "legend": {"orientation": "h", "y": 0, "yanchor": "top", "x": 0, "itemclick": False, "itemdoubleclick": False},
        "hovermode": "closest",
        "font": {"color": ink},
    }


def _name(one: _Drawn, number: int) -> str:
    """The place in a list, with the name of a hit that stands in none before it."""
    return f"<b>{one.places[number]}</b>" + ("" if any(one.places[:number]) else f"  {_shortened(one.label, _RIGHT)}")


def _shortened(label: str, most: int) -> str:
    """A name that is too long loses what it begins with: by its end it is told from its neighbours."""
    kept = label
    while len(kept) > most and " · " in kept:
        kept = kept.split(" · ", 1)[1]
    return figure_text(kept if kept == label else f"… {kept}", most + 2)


def _inner(count: int, drawn: Sequence[_Drawn], ink: str) -> list[dict[str, Any]]:
    """The places in the lists between the outer ones."""
    inner = [(number, one) for one in drawn for number in range(1, count - 1) if one.rows[number]]
    if not inner:
        return []
    return [
        {
            "type": "scatter",
            # The marker is not seen: it is as large as those of the lines, and keeps the text off them.
            "mode": "markers+text",
            "marker": {"size": _MARKER + 4, "opacity": 0},
            "x": [number for number, _ in inner],
            "y": [one.rows[number] for number, one in inner],
            "text": [_name(one, number) for number, one in inner],
            "textposition": "top center",
            "textfont": {"color": ink, "size": 10.5},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]


def _right_axis() -> dict[str, Any]:
    """Plotly draws the right axis only where something lies on it."""
    return {"type": "scatter", "x": [1], "y": [1], "yaxis": "y2", "opacity": 0, "showlegend": False, "hoverinfo": "skip"}


def sentence(columns: Sequence[Column], words: Words) -> str:
    """How many hits stand everywhere on one place, how many moved, how many are not in every list."""
    kinds = [kind_of(where) for where in places(columns).values()]
    if not kinds:
        return words.t("slopes.nothing")
    if set(kinds) == {"same"}:
        return words.t("slopes.equal")
    return " ".join(words.n(f"slopes.count.{kind}", kinds.count(kind)) for kind in KINDS if kind in kinds)


def blocks(
    columns: Sequence[Column], labels: Mapping[str, str], words: Words, caption: str, keys: Mapping[str, str] | None = None
) -> list[Block]:
    """The places as a table; ``keys`` are the keys of the norms that a row leads to."""
    leads = keys or {}
    head = [words.t("slopes.norm"), *(column.title for column in columns)]
    rows = [
        row(
            [[to_norm(labels.get(one, one), leads.get(one, ""))], *(words.whole(place or None) for place in where)],
            "strong" if kind_of(where) == "partial" else "",
        )
        for one, where in places(columns).items()
    ]
    return [table(caption, head, rows, numeric=range(1, len(head)), empty=words.t("slopes.nothing"))]

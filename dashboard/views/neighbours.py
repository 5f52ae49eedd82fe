"""The neighbourhood of a norm: what it cites and what cites it, as a small graph with a sentence and a table."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import msgspec

from dashboard.blocks import Block, paragraph, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.naming import figure_text, short_name
from dashboard.naming import norm as named
from retrieval.model import Address, Chunk, CorpusSpec
from retrieval.norms import Norm, first_chunk
from retrieval.stock import Federation
from retrieval.words import Words

MOST = 25
"""Norms in the graph, the one in the middle included."""

_SIDE = (MOST - 1) // 2
_ROW_HEIGHT, _LABEL, _TITLE = 42, 15, 26
_QUIET = "#8b95a1"
Way = Literal["citing", "both", "cited"]
_WAYS: dict[Way, tuple[str, str, str]] = {
    "citing": ("square", "#c2701c", "dash"),
    "both": ("diamond", "#5b8c5a", "solid"),
    "cited": ("circle", "#3f86ba", "solid"),
}


class Neighbour(msgspec.Struct, frozen=True):
    """A norm as a whole and how often it cites the one in the middle (``citing``) and is cited by it (``cited``)."""

    norm: Address
    citing: int
    cited: int
    repealed: bool = False

    @property
    def way(self) -> Way:
        """On which side it stands."""
        return "both" if self.citing and self.cited else "citing" if self.citing else "cited"


def neighbours(found: Norm) -> tuple[Neighbour, ...]:
    """All neighbours, the ones with most references first, then by address. The norm itself is none."""
    here = _whole(found.address)
    citing = Counter(_whole(one.by) for one in found.cited_by)
    cited = Counter(_whole(one.reference.target) for one in found.cites if one.reference.target and one.reference.state in _IN_STOCK)
    gone = {_whole(one.reference.target) for one in found.cites if one.reference.target and one.reference.state == "repealed"}
    all_of_them = [Neighbour(norm, citing[norm], cited[norm], norm in gone) for norm in dict.fromkeys([*citing, *cited]) if norm != here]
    return tuple(sorted(all_of_them, key=lambda one: (-one.citing - one.cited, one.norm)))


_IN_STOCK = ("resolved", "repealed")


def _whole(place: Address | Chunk) -> Address:
    return Address(place.corpus_id, place.container_id, place.section_id)


def chosen(every: tuple[Neighbour, ...]) -> tuple[Neighbour, ...]:
    """The neighbours that are drawn: half of the room for each side, what one side leaves free goes to the other."""
    left = [one for one in every if one.way == "citing"]
    right = [one for one in every if one.way != "citing"]
    room_left = min(len(left), max(_SIDE, MOST - 1 - len(right)))
    kept = {*left[:room_left], *right[: MOST - 1 - room_left]}
    return tuple(one for one in every if one in kept)


def sentence(found: Norm, words: Words) -> str:
    """How many norms stand around this one, and how many of them are left out of the graph."""
    every = neighbours(found)
    if not every:
        return words.t("neighbours.none")
    parts = [words.n("neighbours.all", len(every))]
    counts = Counter(one.way for one in every)
    parts += [words.n(f"neighbours.count.{way}", counts[way]) for way in ("citing", "cited", "both") if counts[way]]
    left_out = len(every) - len(chosen(every))
    if left_out:
        parts.append(words.n("neighbours.left_out", left_out))
    return " ".join(parts)


def figure(found: Norm, specs: dict[str, CorpusSpec], words: Words, ink: str) -> dict[str, Any]:
    """The graph as a plain plotly figure: who cites the norm on the left, what it cites on the right, in a fixed order."""
    drawn = chosen(neighbours(found))
    left = [one for one in drawn if one.way == "citing"]
    right = [one for one in drawn if one.way != "citing"]
    rows = max(len(left), len(right), 1)
    middle = (rows - 1) / 2
    places = {one: (x, middle + index - (len(side) - 1) / 2) for x, side in ((0.0, left), (2.0, right)) for index, one in enumerate(side)}
    data = [_line(one, place, middle, words) for one, place in places.items()]
    data += [_points(way, {one: place for one, place in places.items() if one.way == way}, specs, words) for way in _WAYS]
    data.append(_centre(middle, words))
    axis = {"visible": False, "fixedrange": True}
    layout = {
        "height": 120 + _ROW_HEIGHT * (rows + 1),
        "title": {
            "text": words.t("neighbours.chart", norm=figure_text(named(found.address, specs), _TITLE)),
            "font": {"color": ink, "size": 15},
        },
        "margin": {"l": 4, "r": 4, "t": 60, "b": 60},
        "xaxis": {**axis, "range": [-1.05, 3.05]},
        "yaxis": {**axis, "range": [rows - 0.4, -0.6]},
        "legend": {"orientation": "h", "y": 0, "yanchor": "top", "x": 0, "itemclick": False, "itemdoubleclick": False},
        "hovermode": "closest",
        "font": {"color": ink, "size": 11},
    }
    return {"data": [one for one in data if one["x"]], "layout": layout}


def _line(one: Neighbour, place: tuple[float, float], middle: float, words: Words) -> dict[str, Any]:
    _, colour, dash = _WAYS[one.way]
    width = min(1 + 0.5 * (one.citing + one.cited - 1), 4)
    line = {"color": colour, "dash": dash, "width": width}
    ends = ([place[0], 1], [place[1], middle])
    return {"type": "scatter", "mode": "lines", "x": ends[0], "y": ends[1], "line": line, "hoverinfo": "skip", "showlegend": False}


def _points(way: Way, places: dict[Neighbour, tuple[float, float]], specs: dict[str, CorpusSpec], words: Words) -> dict[str, Any]:
    symbol, colour, _ = _WAYS[way]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x for x, _ in places.values()],
        "y": [y for _, y in places.values()],
        "text": [_label(one.norm, specs) for one in places],
        "hovertext": [figure_text(f"{named(one.norm, specs)}: {in_words(one, words)}", 160) for one in places],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "textposition": "middle left" if way == "citing" else "middle right",
        "cliponaxis": False,
        "name": words.t(f"neighbours.way.{way}"),
        "marker": {"symbol": [f"{symbol}-open" if one.repealed else symbol for one in places], "size": 11, "color": colour},
    }


def _centre(middle: float, words: Words) -> dict[str, Any]:
    """The norm itself; its name stands in the title, clear of the lines."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [1],
        "y": [middle],
        "hoverinfo": "skip",
        "name": words.t("neighbours.way.here"),
        "marker": {"symbol": "star", "size": 17, "color": _QUIET},
    }


def _label(norm: Address, specs: dict[str, CorpusSpec]) -> str:
    """The norm in two short lines: its section, and where that stands."""
    section = norm.section_id or norm.container_id
    home = [short_name(norm.corpus_id, specs), norm.container_id if norm.section_id else ""]
    lines = (section, " · ".join(part for part in home if part))
    return "<br>".join(figure_text(line, _LABEL) for line in lines)


def in_words(one: Neighbour, words: Words) -> str:
    """What connects a neighbour with the norm."""
    parts = []
    if one.citing:
        parts.append(words.n("neighbours.citing", one.citing))
    if one.cited:
        parts.append(words.n("neighbours.cited", one.cited))
    if one.repealed:
        parts.append(words.t("norm.state.repealed"))
    return ", ".join(parts)


def blocks(found: Norm, federation: Federation, words: Words) -> list[Block]:
    """The sentence and the table of the norms in the graph."""
    specs = federation.specs
    head = [words.t("norm.head.norm"), words.t("norm.head.heading"), words.t("neighbours.head.relation")]
    rows = [
        row([[to_norm(named(one.norm, specs), key_of(one.norm))], [written(_heading(one.norm, federation))], in_words(one, words)])
        for one in chosen(neighbours(found))
    ]
    return [paragraph(sentence(found, words)), *([table(words.t("neighbours.caption"), head, rows)] if rows else [])]


def _heading(norm: Address, federation: Federation) -> str:
    chunk = first_chunk(norm, federation)
    return chunk.heading if chunk else ""

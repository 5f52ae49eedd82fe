"""Stage differences: the lists before and after a stage, and the list with and without it, joined by lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dashboard import slopes
from dashboard.blocks import Block, Cell, alike, paragraph, row, table, to_norm
from dashboard.knobtext import first_up
from dashboard.links import key_of
from dashboard.naming import norm
from dashboard.slopes import Column
from retrieval.exports.cells import Cell as FileCell
from retrieval.inspector.differences import Difference, Step
from retrieval.inspector.tracks import Moved
from retrieval.trace import Trace
from retrieval.words import Words

_MOST_NAMED = 4
_MOST_DRAWN = 30


def labels(trace: Trace, ids: Sequence[str]) -> dict[str, str]:
    """The norms of some chunks in words."""
    return {one: norm(trace.chunks[one], trace.specs) for one in ids}


def keys(trace: Trace, ids: Sequence[str]) -> dict[str, str]:
    """The keys of the norms of some chunks."""
    return {one: key_of(trace.chunks[one]) for one in ids}


def inside(found: Difference, limit: int | None, words: Words) -> tuple[Column, Column]:
    """The lists before and after the stage: what stands within the limit in one of them, with its true places."""
    most = min(limit or _MOST_DRAWN, _MOST_DRAWN)
    shown = {*found.before[:most], *found.after[:most]}
    before, after = _shortened("differences.before", found.before, shown, words), _shortened("differences.after", found.after, shown, words)
    return before, after


def _shortened(title: str, ids: Sequence[str], shown: set[str], words: Words) -> Column:
    kept = [(place, one) for place, one in enumerate(ids, start=1) if one in shown]
    return Column(words.t(title), tuple(one for _, one in kept), tuple(place for place, _ in kept))


def ends(found: Difference, words: Words) -> tuple[Column, Column]:
    """The final lists without and with the stage."""
    return Column(words.t("differences.list_without"), found.without), Column(words.t("differences.list_with"), found.with_it)


def figure(columns: Sequence[Column], trace: Trace, words: Words, ink: str, title: str) -> dict[str, Any]:
    """Two lists side by side as a plain plotly figure."""
    return slopes.figure(columns, labels(trace, [one for column in columns for one in column.ids]), ink, words, title=title)


def frame(columns: Sequence[Column], trace: Trace) -> pd.DataFrame:
    """The places in both lists, one row for each hit."""
    return slopes.frame(columns, labels(trace, [one for column in columns for one in column.ids]))


def sheet(frame: pd.DataFrame, words: Words) -> tuple[list[str], list[list[FileCell]]]:
    """The same with a word for the norm in the head, to be written to a file; a hit outside a list has an empty place."""
    titles = list(frame.columns[2:])
    rows: list[list[FileCell]] = [[line["label"], *(int(line[title]) or None for title in titles)] for line in frame.to_dict("records")]
    return [words.t("slopes.norm"), *titles], rows


def sentence(found: Difference, trace: Trace, words: Words) -> str:
    """What the final list would be without the stage, or with it where the run leaves it out."""
    way = "with" if found.off else "without"
    stage = words.t(f"differences.{way}.{found.stage}")
    if found.effect.nothing:
        return first_up(words.t(f"differences.{way}_same", stage=stage))
    parts = [_exchange(found.effect, way, stage, trace, words)]
    if found.effect.moves:
        parts.append(words.n("differences.moves", len(found.effect.moves)))
    return first_up(" ".join(parts))


def _exchange(effect: Step, way: str, stage: str, trace: Trace, words: Words) -> str:
    come, go = _names(effect.enters, trace, words), _names(effect.leaves, trace, words)
    if come and go:
        said = words.n(f"differences.{way}_enters", len(effect.enters), stage=stage, norms=come)
        return f"{said} {words.n(f'differences.{way}_instead', len(effect.leaves), norms=go)}"
    if come:
        return words.n(f"differences.{way}_enters_only", len(effect.enters), stage=stage, norms=come)
    if go:
        return words.n(f"differences.{way}_leaves_only", len(effect.leaves), stage=stage, norms=go)
    return words.t(f"differences.{way}_order", stage=stage)


def _names(moved: Sequence[Moved], trace: Trace, words: Words) -> str:
    """Norms in a row: ``§ 1, § 2 und § 3``, at most some by name."""
    names = [norm(trace.chunks[one.chunk_id], trace.specs).replace("§ ", "§\u00a0") for one in moved]
    if len(names) > _MOST_NAMED:
        names = [*names[: _MOST_NAMED - 1], words.n("differences.more", len(names) - _MOST_NAMED + 1)]
    return words.t("differences.and", first=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else "".join(names)


def overview(every: Sequence[Difference], trace: Trace, words: Words) -> list[Block]:
    """One row for each stage: whom it brings into the list, whom it costs the place, how many change theirs."""
    head = [words.t(f"differences.head.{name}") for name in ("stage", "enters", "leaves", "moves")]
    rows = [
        row(
            [
                [words.t(f"differences.name.{one.stage}"), *([words.t("differences.off")] if one.off else [])],
                _norms(one.effect.enters, trace, words),
                _norms(one.effect.leaves, trace, words),
                words.whole(len(one.effect.moves)),
            ],
            "muted" if one.effect.nothing else "",
        )
        for one in every
    ]
    return [table(words.t("differences.caption"), head, rows, numeric=(3,))]


def _norms(moved: Sequence[Moved], trace: Trace, words: Words) -> Cell:
    chunks = [trace.chunks[one.chunk_id] for one in moved]
    return alike([to_norm(norm(chunk, trace.specs), key_of(chunk)) for chunk in chunks]) or words.t("differences.nobody")


def blocks(columns: Sequence[Column], trace: Trace, words: Words, caption: str) -> list[Block]:
    """The sentence under a drawing, and its table."""
    ids = [one for column in columns for one in column.ids]
    said = paragraph(slopes.sentence(columns, words))
    return [said, *slopes.blocks(columns, labels(trace, ids), words, caption, keys(trace, ids))]

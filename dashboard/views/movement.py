"""Before and after the quota: a slope chart, two lists side by side, and the movement in words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dashboard.blocks import Block, Line, item, pair, ranking, rule, to_why
from dashboard.journey import HOWS, How, Step, moving, steps
from dashboard.links import key_of
from dashboard.naming import figure_text, norm
from dashboard.slopes import layout
from retrieval.trace import Trace
from retrieval.words import Words

COLUMNS = ["chunk_id", "label", "before", "after", "left", "right", "how", "words", "rank"]
_QUIET = "#8b95a1"
_LINES: dict[How, tuple[str, str, float]] = {
    "search": ("solid", _QUIET, 1.5),
    "quota": ("dash", "#c2701c", 2.5),
    "anchor": ("dot", "#3f86ba", 2.5),
    "lookup": ("dot", "#5b8c5a", 2.5),
    "definition": ("longdashdot", "#2f8f86", 2.5),
    "verweis": ("dashdot", "#9a6fbf", 2.5),
    "named": ("longdash", "#c4566a", 2.5),
    "displaced": ("solid", _QUIET, 1.0),
    "below": ("solid", _QUIET, 1.0),
}


def frame(trace: Trace, words: Words) -> pd.DataFrame:
    """One row for each hit that is drawn: up to the limit before the quota, and what came into the list from behind it.

    Columns: ``before``/``after`` true places (0 = not in the list), ``left``/``right`` rows of the drawing from 1 (places far behind are
    drawn next below the limit), ``how`` the code of what brought it there, ``words`` the movement in words, ``rank`` the rank score
    before the quota.
    """
    drawn = moving(steps(trace), trace.limit)
    after_rows = len(trace.final)
    rows: list[tuple[Any, ...]] = []
    for left, step in enumerate(drawn, start=1):
        after_rows += not step.after
        label = norm(trace.chunks[step.entry.chunk_id], trace.specs)
        right = step.after or after_rows
        rows.append((step.entry.chunk_id, label, step.before, step.after, left, right, step.how, in_words(step, words), step.entry.rank))
    return pd.DataFrame(rows, columns=COLUMNS)


def in_words(step: Step, words: Words) -> str:
    """The movement of one hit: ``Platz 14 → 9, durch die Quote (Runde 1)``."""
    if not step.after:
        return words.t("movement.dropped", before=words.whole(step.before), why=words.t(f"movement.how.{step.how}"))
    moved = words.t("movement.same" if step.before == step.after else "movement.moved", before=step.before, after=step.after)
    why = "" if step.how == "search" else words.t(f"movement.how.{step.how}", round=step.round)
    held = words.t("movement.held", round=step.round) if step.round and step.how != "quota" else ""
    return ", ".join(part for part in (moved, why, held) if part)


def figure(table: pd.DataFrame, trace: Trace, words: Words, ink: str) -> dict[str, Any]:
    """The slope chart of a frame as a plain plotly figure; ``ink`` is the colour of text in the theme."""
    rows: list[dict[Any, Any]] = table.to_dict("records")
    deep = max((max(line["left"], line["right"]) for line in rows), default=1)
    names = {how: [line for line in rows if line["how"] == how] for how in HOWS}
    shapes, notes = _drawn_lines(trace, rows, words)
    left = [(line["left"], f"{figure_text(line['label'], 34)}  <b>{line['before']}</b>") for line in rows]
    right = [(line["right"], _right_label(line, words)) for line in rows]
    titles = [words.t("movement.before"), words.t("movement.after")]
    drawn = {**layout(titles, left, right, deep, ink, words.t("movement.chart")), "shapes": shapes, "annotations": notes}
    data = [_trace_of(how, lines, words) for how, lines in names.items() if lines]
    data.append({"type": "scatter", "x": [1], "y": [1], "yaxis": "y2", "opacity": 0, "showlegend": False, "hoverinfo": "skip"})
    return {"data": data, "layout": drawn}


def _right_label(line: dict[Any, Any], words: Words) -> str:
    if not line["after"]:
        return words.t("movement.out")
    how = "" if line["how"] == "search" else f" · {words.t('movement.short.' + line['how'])}"
    return f"<b>{line['after']}</b>{how}"


def _trace_of(how: How, lines: list[dict[Any, Any]], words: Words) -> dict[str, Any]:
    dash, colour, width = _LINES[how]
    x: list[float | None] = []
    y: list[int | None] = []
    text: list[str] = []
    for line in lines:
        x += [0, 1, None]
        y += [line["left"], line["right"], None]
        text += [figure_text(f"{line['label']}: {line['words']}", 160)] * 3
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "text": text,
        "hovertemplate": "%{text}<extra></extra>",
        "name": words.t(f"movement.legend.{how}"),
        "line": {"dash": dash, "color": colour, "width": width},
        "marker": {"size": 6, "color": colour, "symbol": "circle-open" if how in ("displaced", "below") else "circle"},
    }


def _drawn_lines(trace: Trace, rows: list[dict[Any, Any]], words: Words) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The end of the list and the floor, drawn across with their words."""
    lines: list[tuple[float, str]] = []
    if trace.limit is not None and len(rows) > len(trace.final):
        lines.append((len(trace.final) + 0.5, words.t("movement.mark.cut")))
    under = next((line["left"] for line in rows if line["rank"] < trace.quota.floor), None)
    if under is not None:
        lines.append((under - 0.5, words.t("movement.mark.floor", floor=words.number(trace.quota.floor))))
    by_y = {y: " · ".join(text for other, text in lines if other == y) for y, _ in lines}
    shapes = [{"type": "line", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": {"dash": "dot", "width": 1, "color": _QUIET}} for y in by_y]
    # Below the line and at its left end, where the hits' own lines are furthest apart.
    place = {"x": 0.02, "xanchor": "left", "yshift": -6, "showarrow": False, "font": {"size": 10.5}}
    return shapes, [{**place, "y": y, "text": text} for y, text in by_y.items()]


def sentence(trace: Trace, words: Words) -> str:
    """What moved, in one or two sentences."""
    drawn = moving(steps(trace), trace.limit)
    if not drawn:
        return words.t("movement.nothing")
    by = {how: sum(step.how == how for step in drawn) for how in HOWS}
    parts = [words.n(f"movement.count.{how}", by[how]) for how in ("quota", "named", "displaced") if by[how]]
    if parts:
        return " ".join(parts)
    return words.t("movement.tied" if any(step.after not in (0, step.before) for step in drawn) else "movement.none")


def blocks(trace: Trace, words: Words, everything: bool = False) -> list[Block]:
    """The lists before and after the quota side by side, the movement of each hit in words."""
    every = steps(trace)
    drawn = every if everything else moving(every, trace.limit)
    left = _before(trace, drawn, words)
    hidden = len(every) - len(drawn)
    note = words.n("movement.hidden", hidden) if hidden else ""
    by_id = {step.entry.chunk_id: step for step in every}
    right: list[Block] = []
    for place, entry in enumerate(trace.final, start=1):
        step = by_id[entry.chunk_id]
        title = norm(trace.chunks[entry.chunk_id], trace.specs)
        tone = "" if step.how == "search" else "strong"
        right.append(item(str(place), title, [f"{_value(entry.rank, words)} · {in_words(step, words)}"], tone))
    return [pair(ranking(words.t("movement.list.before"), left, note), ranking(words.t("movement.list.after"), right))]


def _before(trace: Trace, drawn: tuple[Step, ...], words: Words) -> list[Block]:
    """The list before the quota, with the end of the list and the floor drawn through it."""
    items: list[Block] = []
    cut = trace.limit is None
    floor = False
    for step in drawn:
        if not cut and trace.limit is not None and step.before > trace.limit:
            items.append(rule(words.n("movement.cut", trace.limit)))
            cut = True
        if not floor and step.entry.rank < trace.quota.floor:
            items.append(rule(words.t("movement.floor", floor=words.number(trace.quota.floor))))
            floor = True
        chunk = trace.chunks[step.entry.chunk_id]
        lines: list[Line] = [_onward(step, words)]
        if not step.after:
            lines.append(to_why(words.t("why.gone"), key_of(chunk)))
        items.append(item(str(step.before), norm(chunk, trace.specs), lines, "" if step.after else "muted"))
    return items


def _onward(step: Step, words: Words) -> str:
    if step.after:
        return words.t("movement.value_to", rank=words.number(step.entry.rank), place=step.after)
    return f"{_value(step.entry.rank, words)} · {words.t(f'movement.how.{step.how}')}"


def _value(rank: float, words: Words) -> str:
    return words.t("movement.value", rank=words.number(rank))

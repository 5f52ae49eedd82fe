"""One setting over its whole range: the exact staircase of a figure, its stretches of one value, and who changes at each step."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from dashboard import charts, figures
from dashboard.blocks import Block, folded, paragraph, row, table
from dashboard.knobtext import label, number, shown
from dashboard.naming import figure_text
from retrieval.evaluation.staircase import Flip, Plateau, Staircase
from retrieval.evaluation.sweeps.model import Line, Step, Stretch, Sweep
from retrieval.knobs import Value
from retrieval.settings import KNOBS
from retrieval.words import Words

Names = Mapping[str, str]
"""The questions by their ids."""
COLUMNS = ["low", "high", "mean", "flips"]
_SAME = 1e-12
_ROWS = 400
"""So many rows stand in a table at most; the others are counted."""
_THIN = 0.002
"""A single value is drawn as wide as this share of the range, or nobody would see it."""
_WIDE = 6


def frame(line: Line) -> pd.DataFrame:
    """One row for each stretch of one value: its ends, the mean, and how many questions change where it begins."""
    rows = [(one.low, one.high, one.value, len(flips)) for one, flips in _stretches(line.staircase)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _stretches(found: Staircase) -> Iterator[tuple[Plateau, tuple[Flip, ...]]]:
    """Each stretch with the questions that change where it begins; a value that stands alone takes none."""
    for one in found.plateaus():
        place = bisect_left(found.points, one.low)
        begins = 0 < place < len(found.points) - 1 and one.high > one.low
        yield one, found.flips[place - 1] if begins else ()


# --- the chart of a setting that moves freely -------------------------------------------------------------------------


def figure(sweep: Sweep, line: Line, revealed: bool, words: Words, ink: str) -> dict[str, Any]:
    """The staircase with its steps, the best stretch, what is not distinguishable from it, and the values in force and proposed.

    ``revealed`` draws the staircase of the questions held out, too.
    """
    name, held = line.staircase.knob, line.held if revealed else None
    low, high = _scale(line, revealed)
    data = [
        _band(line, low, high, words),
        *([_steps(held, "held", words)] if held else []),
        _best(line, words),
        _steps(line.staircase, "tuned", words),
        _alone(line.staircase, words),
        _mark(line, line.present, "present", words, ink),
        *([_mark(line, line.chosen, "chosen", words, ink)] if line.chosen != line.present else []),
    ]
    title = words.t("staircase.chart", metric=figures.name(sweep.spec.goal.metric, words))
    y = charts.value_axis(figures.name(sweep.spec.goal.metric, words), low, high, words)
    return {"data": [one for one in data if one["x"]], "layout": charts.layout(title, charts.knob_axis(name, words), y, ink)}


def _scale(line: Line, revealed: bool) -> tuple[float, float]:
    held = line.held if revealed else None
    return charts.cut([*line.staircase.between, *line.staircase.at, *((*held.between, *held.at) if held else ())])


def _steps(found: Staircase, which: str, words: Words) -> dict[str, Any]:
    """The line with its true steps: every stretch flat, every step upright."""
    x = [end for ends in pairwise(found.points) for end in ends]
    y = [value for value in found.between for _ in range(2)]
    knob = KNOBS[found.knob]
    said = [
        words.t("staircase.hover", low=number(knob, low, words), high=number(knob, high, words), value=value)
        for (low, high), value in zip(pairwise(found.points), found.between, strict=True)
        for _ in range(2)
    ]
    style = {"color": charts.STRONG, "width": 2} if which == "tuned" else {"color": charts.QUIET, "width": 2, "dash": "dash"}
    return {**_trace(words.t(f"staircase.line.{which}"), x, y), "mode": "lines", "line": style, "text": said}


def _trace(name: str, x: Sequence[float | None], y: Sequence[float | None]) -> dict[str, Any]:
    return {"type": "scatter", "name": name, "x": list(x), "y": list(y), "hovertemplate": "%{text}<extra></extra>", "cliponaxis": False}


def _band(line: Line, low: float, high: float, words: Words) -> dict[str, Any]:
    """Hatched: where the figure is not distinguishable from the best."""
    points = line.staircase.points
    thin = (points[-1] - points[0]) * _THIN
    x: list[float | None] = []
    y: list[float | None] = []
    for one in merged(line.alike):
        left, right = (one.low, one.high) if one.high - one.low > 2 * thin else (one.low - thin, one.high + thin)
        x += [left, left, right, right, left, None]
        y += [low, high, high, low, low, None]
    pattern = {"shape": "/", "size": 9, "solidity": 0.12, "fgcolor": charts.QUIET, "bgcolor": "rgba(0,0,0,0)"}
    filled = {"fill": "toself", "fillpattern": pattern, "fillcolor": charts.QUIET, "line": {"width": 0}, "hoverinfo": "skip"}
    trace = {**_trace(words.t("staircase.line.alike"), x, y), "mode": "lines", **filled}
    del trace["hovertemplate"]
    return trace


def _best(line: Line, words: Words) -> dict[str, Any]:
    one = line.best
    ends = [one.low, one.high]
    said = [_range(KNOBS[line.staircase.knob].name, one.low, one.high, words)] * 2
    style = {"color": charts.STRONG, "width": 3 * _WIDE}
    trace = {**_trace(words.t("staircase.line.best"), ends, [one.value] * 2), "mode": "lines", "line": style, "text": said}
    if one.width > 0:
        return {**trace, "opacity": 0.35}
    mark = {"symbol": "line-ns-open", "size": 18, "color": charts.STRONG, "line": {"width": _WIDE // 2, "color": charts.STRONG}}
    return {**trace, "mode": "markers", "marker": mark}


def _alone(found: Staircase, words: Words) -> dict[str, Any]:
    """Values that hold exactly at a step, or at an end, and on neither side of it."""
    knob = KNOBS[found.knob]
    placed = [
        (point, value)
        for place, (point, value) in enumerate(zip(found.points, found.at, strict=True))
        if value is not None and all(abs(value - side) > _SAME for side in found.between[max(place - 1, 0) : place + 1])
    ]
    said = [words.t("staircase.hover_alone", at=number(knob, point, words), value=value) for point, value in placed]
    mark = {"symbol": "circle-open", "size": 8, "color": charts.STRONG, "line": {"width": 2}}
    points, values = [point for point, _ in placed], [value for _, value in placed]
    return {**_trace(words.t("staircase.line.alone"), points, values), "mode": "markers", "marker": mark, "text": said}


def _mark(line: Line, at: float, which: str, words: Words, ink: str) -> dict[str, Any]:
    """The value in force as a diamond, the one that is proposed as a star, each with its words."""
    value = line.staircase.value_at(at)
    found = [] if value is None else [at]
    said = words.t(f"staircase.mark.{which}", value=number(KNOBS[line.staircase.knob], at, words))
    symbol = {"present": "diamond", "chosen": "star"}[which]
    mark = {"symbol": symbol, "size": 14, "color": charts.LIGHT, "line": {"width": 2, "color": charts.DARK}}
    return {**_trace(said, found, [value] * len(found)), "mode": "markers", "marker": mark, "text": [said] * len(found)}


# --- what is said about it --------------------------------------------------------------------------------------------


def merged(found: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Stretches that touch, as one."""
    kept: list[Stretch] = []
    for one in sorted(found, key=lambda stretch: (stretch.low, stretch.high)):
        if kept and one.low <= kept[-1].high:
            kept[-1] = Stretch(kept[-1].low, max(kept[-1].high, one.high))
        else:
            kept.append(one)
    return tuple(kept)


def sentences(sweep: Sweep, line: Line, revealed: bool, words: Words) -> list[str]:
    """What the chart shows: the best stretch, the value in force, what cannot be told from the best, and where the scale is cut."""
    name, found = line.staircase.knob, line.staircase
    knob, metric = KNOBS[name], figures.name(sweep.spec.goal.metric, words)
    said = [words.n("staircase.shows", found.count, metric=metric, setting=label(knob, words))]
    low, high = _scale(line, revealed)
    cut = [words.t("staircase.cut", low=low, high=high)]
    if revealed and line.held is not None:
        cut.append(words.n("staircase.held", line.held.count))
    if len(found.plateaus()) == 1:
        return [*said, words.t("staircase.flat", value=line.best.value), *cut]
    said.append(words.t("staircase.best", range=_range(name, line.best.low, line.best.high, words), value=line.best.value))
    if line.best.width > 0:
        middle = number(knob, round(line.best.middle, 4), words)
        said.append(words.t("staircase.width", width=number(knob, round(line.best.width, 4), words), middle=middle))
    present = found.value_at(line.present)
    key = "staircase.present" if present is not None else "staircase.present_refused"
    said.append(words.t(key, at=number(knob, line.present, words), value=words.number(present)))
    return [*said, _alike(line, words), *cut]


def _alike(line: Line, words: Words) -> str:
    stretches, points = merged(line.alike), line.staircase.points
    if len(stretches) == 1 and (stretches[0].low, stretches[0].high) == (points[0], points[-1]):
        return words.t("staircase.all_alike")
    named = "; ".join(_range(line.staircase.knob, one.low, one.high, words) for one in stretches)
    return words.t("staircase.alike", ranges=named) if named else words.t("staircase.none_alike")


def _range(name: str, low: float, high: float, words: Words) -> str:
    knob = KNOBS[name]
    if low == high:
        return words.t("staircase.exactly", at=number(knob, low, words))
    return words.t("staircase.range", low=number(knob, low, words), high=number(knob, high, words))


def blocks(sweep: Sweep, line: Line, names: Names, revealed: bool, words: Words) -> list[Block]:
    """The sentence under the chart and its tables: the stretches, and who changes at each step."""
    said = [paragraph(" ".join(sentences(sweep, line, revealed, words))), paragraph(words.t("staircase.plateau"), muted=True)]
    found = [*said, folded(words.t("staircase.stretches"), _plateaus(line, words), f"plateaus-{sweep.id}")]
    if revealed and line.held is not None:
        found.append(folded(words.t("staircase.held_stretches"), _held(line.held, words), f"held-plateaus-{sweep.id}"))
    steps = list(zip(line.staircase.points[1:-1], line.staircase.flips, strict=False))
    found.append(folded(words.t("staircase.who"), _flips(line.staircase.knob, steps, names, words), f"flips-{sweep.id}"))
    return found


def _plateaus(line: Line, words: Words) -> list[Block]:
    knob = KNOBS[line.staircase.knob]
    head = [words.t(f"staircase.head.{name}") for name in ("low", "high", "mean", "flips", "what")]
    rows = []
    for one, flips in _stretches(line.staircase):
        what = [words.t("staircase.is_best")] if (one.low, one.high) == (line.best.low, line.best.high) else []
        what += [words.t("staircase.is_present")] if _holds(line.staircase, one, line.present) else []
        cells = [number(knob, end, words) for end in (one.low, one.high)]
        begins = one.high > one.low > line.staircase.points[0]
        rows.append(
            row([*cells, words.number(one.value), words.whole(len(flips) if begins else None), ", ".join(what)], "strong" if what else "")
        )
    return _cut(words.t("staircase.stretches_caption"), head, rows, words, numeric=(0, 1, 2, 3))


def _held(held: Staircase, words: Words) -> list[Block]:
    """The dashed line as a table; which value to take is no question to those held out, so nothing in it stands out."""
    knob = KNOBS[held.knob]
    head = [words.t(f"staircase.head.{name}") for name in ("low", "high", "mean")]
    rows = [row([number(knob, one.low, words), number(knob, one.high, words), words.number(one.value)]) for one, _ in _stretches(held)]
    return _cut(words.t("staircase.held_caption"), head, rows, words, numeric=(0, 1, 2))


def _holds(found: Staircase, one: Plateau, at: float) -> bool:
    """Whether this stretch is the one on which a value stands: at a step the value there decides."""
    value = found.value_at(at)
    return value is not None and one.low <= at <= one.high and abs(one.value - value) <= _SAME


def _flips(name: str, steps: Sequence[tuple[float, tuple[Flip, ...]]], names: Names, words: Words) -> list[Block]:
    head = [words.t(f"staircase.head.{name}") for name in ("at", "question", "before", "after")]
    rows = [
        row([number(KNOBS[name], at, words), names.get(one.question, one.question), words.number(one.before), words.number(one.after)])
        for at, flips in steps
        for one in flips
    ]
    return _cut(words.t("staircase.flips_caption"), head, rows, words, numeric=(0, 2, 3), empty=words.t("staircase.no_flips"))


def _cut(
    caption: str, head: Sequence[str], rows: Sequence[Block], words: Words, numeric: Sequence[int] = (), empty: str = ""
) -> list[Block]:
    found = [table(caption, head, rows[:_ROWS], numeric=numeric, empty=empty)]
    rest = len(rows) - _ROWS
    return [*found, paragraph(words.n("staircase.rest", rest), muted=True)] if rest > 0 else found


# --- a setting with whole numbers or names ----------------------------------------------------------------------------


def values_figure(sweep: Sweep, words: Words, ink: str) -> dict[str, Any]:
    """A mark for each value: a star for the best, a diamond for the one in force, open where it cannot be told from the best."""
    name = sweep.spec.knobs[0]
    low, high = charts.cut([one.mean for one in sweep.steps])
    metric = figures.name(sweep.spec.goal.metric, words)
    places = {one.value: place for place, one in enumerate(sweep.steps)}
    sorts = ("other", "alike", "present", "best")
    data = [_values([one for one in sweep.steps if _sort(one, sweep) == sort], sort, places, name, words) for sort in sorts]
    shown_values = [figure_text(shown(KNOBS[name], one.value, words)) for one in sweep.steps]
    x = {"title": {"text": label(KNOBS[name], words)}, "fixedrange": True, "automargin": True, "zeroline": False, "showgrid": False}
    every = max(1, len(places) // 25)
    x |= {"tickvals": list(places.values())[::every], "ticktext": shown_values[::every], "range": [-0.5, len(places) - 0.5]}
    title = words.t("staircase.chart", metric=metric)
    y = charts.value_axis(metric, low, high, words)
    return {"data": [one for one in data if one["x"]], "layout": charts.layout(title, x, y, ink)}


def _sort(one: Step, sweep: Sweep) -> str:
    name = sweep.spec.knobs[0]
    if sweep.values.get(name) == one.value:
        return "best"
    return "present" if sweep.spec.settings.value(name) == one.value else "alike" if one.alike else "other"


def _values(steps: Sequence[Step], sort: str, places: Mapping[Value, int], name: str, words: Words) -> dict[str, Any]:
    found = [one for one in steps if one.mean is not None]
    symbols = {"best": "star", "present": "diamond", "alike": "circle-open", "other": "circle"}
    said = [words.t("staircase.hover_alone", at=shown(KNOBS[name], one.value, words), value=one.mean) for one in found]
    mark = {"symbol": symbols[sort], "size": 15 if sort in ("best", "present") else 11, "color": charts.STRONG, "line": {"width": 2}}
    trace = _trace(words.t(f"staircase.sort.{sort}"), [places[one.value] for one in found], [one.mean for one in found])
    return {**trace, "mode": "markers", "marker": mark, "text": said}


def values_blocks(sweep: Sweep, names: Names, words: Words) -> list[Block]:
    """The sentence under the marks, a row for each value, and who changes from one value to the next."""
    name = sweep.spec.knobs[0]
    knob, best = KNOBS[name], sweep.values.get(name)
    metric = figures.name(sweep.spec.goal.metric, words)
    said = [words.t("staircase.values_show", metric=metric, setting=label(knob, words))]
    if best is not None:
        said.append(words.t("staircase.values_best", at=shown(knob, best, words), value=words.number(sweep.reached)))
        present = sweep.spec.settings.value(name)
        said.append(words.t("staircase.present", at=shown(knob, present, words), value=words.number(sweep.present)))
        alike = sum(one.alike and one.value != best for one in sweep.steps)
        said.append(words.n("staircase.values_alike", alike) if alike else words.t("staircase.none_alike"))
    head = [words.t(f"staircase.head.{name}") for name in ("value", "mean", "flips_before", "what")]
    rows = [_value_row(one, sweep, words) for one in sweep.steps]
    flips = [
        row([shown(knob, one.value, words), names.get(flip.question, flip.question), words.number(flip.before), words.number(flip.after)])
        for one in sweep.steps
        for flip in one.flips
    ]
    flip_head = [words.t(f"staircase.head.{name}") for name in ("value", "question", "before", "after")]
    caption, none = words.t("staircase.values_flips_caption"), words.t("staircase.no_flips")
    who = _cut(caption, flip_head, flips, words, numeric=(2, 3), empty=none)
    found = [paragraph(" ".join(said)), table(words.t("staircase.values_caption"), head, rows, numeric=(1, 2))]
    return [*found, folded(words.t("staircase.who"), who, f"flips-{sweep.id}")]


def _value_row(one: Step, sweep: Sweep, words: Words) -> Block:
    knob = KNOBS[sweep.spec.knobs[0]]
    sort = _sort(one, sweep)
    what = [] if sort == "other" else [words.t(f"staircase.sort.{sort}")]
    what += [words.t("staircase.is_alike")] if sort == "present" and one.alike else []
    what += [words.t("staircase.is_present")] if sort == "best" and sweep.spec.settings.value(knob.name) == one.value else []
    mean = words.t("staircase.refused") if one.mean is None else words.number(one.mean)
    return row(
        [shown(knob, one.value, words), mean, words.whole(len(one.flips)), ", ".join(what)], "strong" if sort in ("best", "present") else ""
    )

"""Two settings on a grid: a heat map in one hue with the cells in force and best marked by letters, and the same as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from dashboard import charts, figures
from dashboard.blocks import Block, Cell, folded, paragraph, row, table
from dashboard.knobtext import label, number
from retrieval.evaluation.sweeps.model import Field, Sweep
from retrieval.settings import KNOBS
from retrieval.words import Words

COLUMNS = ["x", "y", "mean"]
_SCALE = [[0, "#e3edf5"], [1, "#123f63"]]
_SAME = 1e-12
_SHOWN = 10
"""So many of the best cells stand in a table of their own."""


def frame(field: Field) -> pd.DataFrame:
    """One row for each cell that has a figure: both values and the mean."""
    rows = [
        (x, y, mean)
        for y, means in zip(field.ys, field.means, strict=True)
        for x, mean in zip(field.xs, means, strict=True)
        if mean is not None
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def figure(sweep: Sweep, field: Field, words: Words, ink: str) -> dict[str, Any]:
    """The heat map; cells without a figure stay empty. Letters mark the values in force and the best cell, dots what is as good."""
    across, up = sweep.spec.knobs
    metric = figures.name(sweep.spec.goal.metric, words)
    x, y = charts.knob_axis(across, words), charts.knob_axis(up, words)
    x["range"], y["range"] = _around(field.xs), _around(field.ys)
    title = words.t("heatmap.chart", metric=metric)
    marks = [_alike(field, words), *_letters(sweep, field, words)]
    layout = charts.layout(title, {**x, "showgrid": False}, {**y, "showgrid": False}, ink, height=520)
    return {"data": [_cells(sweep, field, words, ink), *(one for one in marks if one["x"])], "layout": layout}


def _around(values: Sequence[float]) -> list[float]:
    """The range of an axis with half a cell around the outermost ones."""
    half = (values[-1] - values[0]) / max(len(values) - 1, 1) / 2 or 0.5
    return [values[0] - half, values[-1] + half]


def _cells(sweep: Sweep, field: Field, words: Words, ink: str) -> dict[str, Any]:
    low, high = charts.cut(mean for means in field.means for mean in means)
    ticks = charts.round_values(low, high)
    bar = {
        "title": {"text": figures.name(sweep.spec.goal.metric, words), "side": "right", "font": {"color": ink}},
        "tickvals": ticks,
        "ticktext": [words.number(tick) for tick in ticks],
        "tickfont": {"color": ink},
        "outlinewidth": 0,
        "thickness": 14,
    }
    said = [[_told(sweep, field, row, column, words) for column in range(len(field.xs))] for row in range(len(field.ys))]
    return {
        "type": "heatmap",
        "x": list(field.xs),
        "y": list(field.ys),
        "z": [list(means) for means in field.means],
        "text": said,
        "hovertemplate": "%{text}<extra></extra>",
        "hoverongaps": False,
        "colorscale": _SCALE,
        "zmin": low,
        "zmax": high,
        "xgap": 1,
        "ygap": 1,
        "colorbar": bar,
    }


def _told(sweep: Sweep, field: Field, row: int, column: int, words: Words) -> str:
    x, y = _values(sweep, field, row, column, words)
    return words.t("heatmap.hover", x=x, y=y, value=words.number(field.means[row][column]))


def _values(sweep: Sweep, field: Field, row: int, column: int, words: Words) -> tuple[str, str]:
    across, up = (KNOBS[name] for name in sweep.spec.knobs)
    return number(across, field.xs[column], words), number(up, field.ys[row], words)


def _alike(field: Field, words: Words) -> dict[str, Any]:
    """A dot in each cell that cannot be told from the best, other than the best itself."""
    cells = [] if _all_alike(field) else [cell for cell in field.alike if cell != field.best]
    mark = {"symbol": "circle", "size": 5, "color": charts.LIGHT, "line": {"width": 1, "color": charts.DARK}}
    x, y = [field.xs[column] for _, column in cells], [field.ys[row] for row, _ in cells]
    return _points(words.t("heatmap.alike"), x, y, mark)


def _all_alike(field: Field) -> bool:
    """Whether no cell can be told from the best: a dot in each of them would say nothing."""
    return len({*field.alike, field.best}) == sum(mean is not None for means in field.means for mean in means)


def _letters(sweep: Sweep, field: Field, words: Words) -> Iterator[dict[str, Any]]:
    across, up = sweep.spec.knobs
    present = (float(sweep.spec.settings.value(across)), float(sweep.spec.settings.value(up)))
    best = None if field.best is None else (field.xs[field.best[1]], field.ys[field.best[0]])
    if best == present:
        yield _letter("both", best, words)
        return
    yield _letter("present", present, words)
    if best is not None:
        yield _letter("best", best, words)


def _letter(which: str, at: tuple[float, float], words: Words) -> dict[str, Any]:
    """A letter on a light ground with a dark border: a square for what is in force, a circle for the best."""
    symbol = "square" if which == "present" else "circle"
    mark = {"symbol": symbol, "size": 20, "color": charts.LIGHT, "line": {"width": 2, "color": charts.DARK}}
    letter = {"mode": "markers+text", "text": [words.t(f"heatmap.letter.{which}")], "textfont": {"color": charts.DARK, "size": 12}}
    return {**_points(words.t(f"heatmap.mark.{which}"), [at[0]], [at[1]], mark), **letter}


def _points(name: str, x: Sequence[float], y: Sequence[float], mark: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": list(x),
        "y": list(y),
        "marker": mark,
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


# --- in words ---------------------------------------------------------------------------------------------------------


def sentences(sweep: Sweep, field: Field, words: Words) -> list[str]:
    """How many cells were computed, which is the best, and how many cannot be told from it."""
    across, up = (label(KNOBS[name], words) for name in sweep.spec.knobs)
    said = [words.t("heatmap.shows", metric=figures.name(sweep.spec.goal.metric, words), x=across, y=up)]
    said.append(words.t("heatmap.count", done=words.whole(field.done), total=words.whole(field.total)))
    if field.best is None:
        return [*said, words.t("heatmap.no_best")]
    row, column = field.best
    x, y = _values(sweep, field, row, column, words)
    said.append(words.t("heatmap.best", x=x, y=y, x_name=across, y_name=up, value=words.number(field.means[row][column])))
    top = field.means[row][column]
    level = sum(mean is not None and top is not None and top - mean <= _SAME for means in field.means for mean in means) - 1
    if level:
        said.append(words.n("heatmap.level", level))
    if sweep.present is not None:
        said.append(words.t("heatmap.present", value=sweep.present))
    alike = len({*field.alike, field.best}) - 1
    if _all_alike(field) and alike:
        return [*said, words.t("heatmap.all_alike")]
    return [*said, words.n("heatmap.alike_count", alike) if alike else words.t("heatmap.none_alike")]


def blocks(sweep: Sweep, field: Field, words: Words) -> list[Block]:
    """The sentence under the heat map, the best cells, and every cell as a table."""
    best = sorted(_figures(field), key=lambda one: (-one[2], one[0] != field.best, one[0]))[:_SHOWN]
    names = [label(KNOBS[name], words) for name in sweep.spec.knobs]
    head = [*names, words.t("heatmap.head.mean"), words.t("heatmap.head.what")]
    rows = [
        row([*_values(sweep, field, *cell, words), words.number(mean), _what(sweep, field, *cell, words)], "strong" if first else "")
        for (cell, first, mean) in best
    ]
    top = table(words.n("heatmap.top", len(rows)), head, rows, numeric=(0, 1, 2), empty=words.t("heatmap.no_best"))
    said = paragraph(" ".join(sentences(sweep, field, words)))
    return [said, top, folded(words.t("heatmap.every"), [_every(sweep, field, words)], f"cells-{sweep.id}")]


def _figures(field: Field) -> Iterator[tuple[tuple[int, int], bool, float]]:
    for row_number, means in enumerate(field.means):
        for column, mean in enumerate(means):
            if mean is not None:
                yield (row_number, column), (row_number, column) == field.best, mean


def _what(sweep: Sweep, field: Field, row: int, column: int, words: Words) -> str:
    """What a cell is, in words."""
    across, up = sweep.spec.knobs
    here = (field.xs[column], field.ys[row]) == (float(sweep.spec.settings.value(across)), float(sweep.spec.settings.value(up)))
    found = [words.t("heatmap.is.present")] if here else []
    if (row, column) == field.best:
        found.append(words.t("heatmap.is.best"))
    elif (row, column) in field.alike:
        found.append(words.t("heatmap.is.alike"))
    return ", ".join(found)


def _every(sweep: Sweep, field: Field, words: Words) -> Block:
    """Every cell, rows from high to low as in the chart; what was refused and what was not reached say so."""
    across, up = (KNOBS[name] for name in sweep.spec.knobs)
    head = [words.t("heatmap.corner", x=label(across, words), y=label(up, words)), *(number(across, x, words) for x in field.xs)]
    rows = [
        row([number(up, field.ys[place], words), *(_cell(sweep, field, place, column, words) for column in range(len(field.xs)))])
        for place in reversed(range(len(field.ys)))
    ]
    return table(words.t("heatmap.every_caption"), head, rows, numeric=range(len(head)))


def _cell(sweep: Sweep, field: Field, row: int, column: int, words: Words) -> Cell:
    mean = field.means[row][column]
    if mean is None:
        reached = row * len(field.xs) + column < field.done
        return words.t("heatmap.refused" if reached else "heatmap.not_reached")
    what = _what(sweep, field, row, column, words)
    return [words.number(mean), what] if what else words.number(mean)

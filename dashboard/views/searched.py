"""A search over several settings: each setting that was tried, and the best so far as a line that only rises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dashboard import charts, figures
from dashboard.blocks import Block, folded, paragraph, row, table
from dashboard.knobtext import label, shown
from retrieval.evaluation.sweeps.model import Sweep, Trial
from retrieval.settings import KNOBS
from retrieval.words import Words

_SAME = 1e-12
_DIGITS = 3
"""Digits of a value that a search tries."""
_SHOWN = 10
_ROWS = 500
"""So many trials stand in a table at most; the others are counted."""


def frame(sweep: Sweep) -> pd.DataFrame:
    """One row for each trial: its number, the values of the settings, its mean and the best mean so far."""
    rows = [(one.number, *(one.values[name] for name in sweep.spec.knobs), one.mean, one.best) for one in sweep.trials]
    return pd.DataFrame(rows, columns=["number", *sweep.spec.knobs, "mean", "best"])


def figure(sweep: Sweep, words: Words, ink: str) -> dict[str, Any]:
    """The history: an open circle for each trial, the best so far as steps, a star where the best was found."""
    tried = [one for one in sweep.trials if one.mean is not None]
    low, high = charts.cut([one.mean for one in tried])
    metric = figures.name(sweep.spec.goal.metric, words)
    last = len(sweep.trials)
    room = max(1, last / 40)
    ticks = [1, *(int(tick) for tick in charts.round_values(0, max(last, 5)) if tick > 1)]
    x = {"title": {"text": words.t("searched.axis")}, "zeroline": False, "fixedrange": True, "range": [1 - room, last + room]}
    x |= {"tickvals": ticks, "ticktext": [words.whole(tick) for tick in ticks]}
    data = [_trials(tried, "trial", "circle-open", 8, sweep, words), _line(sweep, words)]
    found = best(sweep)
    if found is not None:
        data.append(_trials([found], "best", "star", 16, sweep, words))
    title = words.t("searched.chart", metric=metric)
    y = charts.value_axis(metric, low, high, words)
    return {"data": [one for one in data if one["x"]], "layout": charts.layout(title, x, y, ink)}


def best(sweep: Sweep) -> Trial | None:
    """The trial with the values that the sweep proposes, the first of the best where it proposes none; None where none has a figure."""
    found = [one for one in sweep.trials if one.mean is not None]
    proposed = [one for one in found if one.values == sweep.values]
    return next(iter(proposed), None) or max(found, key=lambda one: one.mean or 0.0, default=None)


def _trials(found: Sequence[Trial], which: str, symbol: str, size: int, sweep: Sweep, words: Words) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": words.t(f"searched.mark.{which}"),
        "x": [one.number for one in found],
        "y": [one.mean for one in found],
        "text": [words.t("searched.hover", number=words.whole(one.number), value=words.number(one.mean)) for one in found],
        "hovertemplate": "%{text}<extra></extra>",
        "cliponaxis": False,
        "marker": {"symbol": symbol, "size": size, "color": charts.QUIET if which == "trial" else charts.STRONG, "line": {"width": 2}},
    }


def _line(sweep: Sweep, words: Words) -> dict[str, Any]:
    """The best so far, from the first trial with a figure on."""
    first = next((place for place, one in enumerate(sweep.trials) if one.mean is not None), len(sweep.trials))
    found = sweep.trials[first:]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": words.t("searched.mark.line"),
        "x": [one.number for one in found],
        "y": [one.best for one in found],
        "line": {"shape": "hv", "width": 2, "color": charts.STRONG},
        "hoverinfo": "skip",
    }


def sentences(sweep: Sweep, words: Words) -> list[str]:
    """How many settings were tried, and which is the best."""
    metric = figures.name(sweep.spec.goal.metric, words)
    said = [words.n("searched.shows", len(sweep.trials), metric=metric, seed=sweep.spec.seed)]
    found = best(sweep)
    if found is None:
        return [*said, words.t("searched.no_best")]
    values = "; ".join(
        words.t("searched.value", name=label(KNOBS[name], words), value=shown(KNOBS[name], found.values[name], words))
        for name in found.values
    )
    said.append(words.t("searched.best", number=words.whole(found.number), value=words.number(found.mean), values=values))
    top = found.mean or 0.0
    level = sum(one.mean is not None and top - one.mean <= _SAME for one in sweep.trials) - 1
    return [*said, words.n("searched.level", level)] if level else said


def _shown(name: str, one: Trial, words: Words) -> str:
    """A value as it was tried: all of one setting with the same digits."""
    knob, value = KNOBS[name], one.values[name]
    return words.number(value, _DIGITS) if isinstance(value, float) and knob.step < 1 else shown(knob, value, words)


def blocks(sweep: Sweep, words: Words) -> list[Block]:
    """The sentence under the history, the best trials, and all of them in their order."""
    with_figure = [one for one in sweep.trials if one.mean is not None]
    top = sorted(with_figure, key=lambda one: (-(one.mean or 0.0), one.number))[:_SHOWN]
    head = [words.t("searched.head.number"), *(label(KNOBS[name], words) for name in sweep.spec.knobs), words.t("searched.head.mean")]
    numeric = range(len(head))
    leading = table(words.n("searched.top", len(top)), head, [_row(one, sweep, words) for one in top], numeric, words.t("searched.no_best"))
    all_head = [*head, words.t("searched.head.best")]
    rows = [_row(one, sweep, words, history=True) for one in sweep.trials[:_ROWS]]
    every: list[Block] = [table(words.t("searched.every_caption"), all_head, rows, range(len(all_head)), words.t("searched.no_best"))]
    rest = len(sweep.trials) - _ROWS
    if rest > 0:
        every.append(paragraph(words.n("searched.rest", rest), muted=True))
    said = paragraph(" ".join(sentences(sweep, words)))
    return [said, leading, folded(words.t("searched.every"), every, f"trials-{sweep.id}")]


def _row(one: Trial, sweep: Sweep, words: Words, history: bool = False) -> Block:
    mean = words.t("searched.refused") if one.mean is None else words.number(one.mean)
    cells = [words.whole(one.number), *(_shown(name, one, words) for name in sweep.spec.knobs), mean]
    return row([*cells, words.number(one.best)] if history else cells)

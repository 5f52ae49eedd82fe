"""The decision gap: right and wrong questions on one scale of decision scores, and how much room a threshold has between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.blocks import Block, Cell, folded, notice, paragraph, row, table
from dashboard.charts import QUIET, STRONG, round_values, rows_axis, scale
from dashboard.naming import norm, shortened
from retrieval.evaluation.statistics import LEVEL
from retrieval.evaluation.thresholds import Choice, Gap, Observed
from retrieval.model import CorpusSpec
from retrieval.words import NONE, Words

_DIGITS = 4
_QUESTION = 90
_NAMED = 6
Specs = Mapping[str, CorpusSpec]


def value(number: float | None, words: Words) -> str:
    """A decision score with the digits that a narrow gap needs."""
    return words.number(number, _DIGITS)


def sentence(found: Gap, words: Words) -> str:
    """Whether one threshold tells right from wrong, and between which values."""
    right = sum(one.right for one in found.observed)
    parts = [words.n("measure.gap.counted", len(found.observed), right=words.whole(right), wrong=words.whole(len(found.observed) - right))]
    if found.best is None:
        return words.t("measure.gap.no_question")
    between = _between(found.best.low, found.best.high, words)
    if found.feasible:
        parts.append(words.t("measure.gap.feasible", between=between))
    else:
        parts.append(words.n("measure.gap.not_feasible", found.best.mistakes, between=between))
    if found.best.low is None or found.best.high is None:
        parts.append(words.t("measure.gap.all_pass" if found.best.low is None else "measure.gap.none_passes"))
    return " ".join(parts)


def _between(low: float | None, high: float | None, words: Words) -> str:
    if low is None:
        return words.t("measure.gap.up_to", high=value(high, words)) if high is not None else words.t("measure.gap.every")
    if high is None:
        return words.t("measure.gap.above", low=value(low, words))
    return words.t("measure.gap.between", low=value(low, words), high=value(high, words))


def apart(found: Gap, words: Words) -> list[str]:
    """The questions that are counted apart."""
    counted = (("without_value", found.without_value), ("without_gold", found.without_gold))
    return [words.n(f"measure.gap.{name}", len(ids)) for name, ids in counted if ids]


def figure(found: Gap, chosen: Choice, words: Words, ink: str) -> dict[str, Any]:
    """A full dot for each right question, a cross for each other one, and the threshold as a line through both."""
    sides = ((True, "circle", 0), (False, "x-thin", 1))
    data = [_dots([one for one in found.observed if one.right is side], found, symbol, y, words) for side, symbol, y in sides]
    values = [one.value(found.quantity) or 0.0 for one in found.observed]
    low, high = min([*values, chosen.threshold]), max([*values, chosen.threshold])
    room = max(0.05 * (high - low), 0.001)
    ticks = round_values(low, high) if high > low else [low]
    labels = [
        words.n(f"measure.gap.{name}", sum(one.right is side for one in found.observed))
        for name, side in (("right", True), ("wrong", False))
    ]
    layout = {
        "font": {"color": ink},
        "height": 260,
        "title": {"text": words.t(f"measure.gap.chart.{found.quantity}"), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 72, "b": 48},
        "xaxis": scale(low - room, high + room, {tick: value(tick, words) for tick in ticks}, ink),
        "yaxis": {**rows_axis(labels, ink), "showgrid": False},
        "shapes": _shapes(chosen),
        "annotations": [
            {
                "x": chosen.threshold,
                "y": 1,
                "yref": "paper",
                "yshift": 12,
                "showarrow": False,
                "text": words.t("measure.gap.line", value=value(chosen.threshold, words)),
                "font": {"size": 11, "color": ink},
            }
        ],
    }
    return {"data": data, "layout": layout}


def _dots(observed: Sequence[Observed], found: Gap, symbol: str, y: int, words: Words) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [one.value(found.quantity) for one in observed],
        "y": [y] * len(observed),
        "text": [value(one.value(found.quantity), words) for one in observed],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 11, "symbol": symbol, "color": STRONG, "opacity": 0.75, "line": {"width": 2 if y else 0, "color": STRONG}},
        "showlegend": False,
    }


def _shapes(chosen: Choice) -> list[dict[str, Any]]:
    """The stretch in which every threshold does the same, and the threshold."""
    line = {"type": "line", "x0": chosen.threshold, "x1": chosen.threshold, "y0": 0, "y1": 1, "yref": "paper"}
    drawn: list[dict[str, Any]] = [{**line, "line": {"dash": "dash", "width": 2, "color": QUIET}}]
    if chosen.span.low is not None and chosen.span.high is not None:
        area = {"type": "rect", "x0": chosen.span.low, "x1": chosen.span.high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
        drawn.insert(0, {**area, "fillcolor": QUIET, "opacity": 0.25, "line": {"width": 0}})
    return drawn


def blocks(found: Gap, chosen: Choice, specs: Specs, words: Words) -> list[Block]:
    """What the threshold does: its mistakes with their interval, the room on both sides and the questions that take it."""
    by_id = {one.question_id: one for one in found.observed}
    lines = [
        words.n(
            "measure.gap.errors",
            chosen.n,
            mistakes=words.whole(chosen.mistakes),
            share=_share(chosen),
            between=_errors(chosen, words),
            level=words.percent(LEVEL),
        )
    ]
    for side, room, pins in (("below", chosen.below, chosen.pins_below), ("above", chosen.above, chosen.pins_above)):
        lines.append(_room(side, room, pins, by_id, words))
    drawn = [*(paragraph(line) for line in lines), *_mistakes(found, chosen, by_id, specs, words)]
    if found.contradicting:
        names = [shortened(by_id[one].question, _QUESTION) for one in found.contradicting[:_NAMED]]
        more = [words.t("measure.more", n=words.whole(len(found.contradicting) - _NAMED))] if len(found.contradicting) > _NAMED else []
        drawn.append(
            notice(
                words.n("measure.gap.contradicting", len(found.contradicting)), [words.t("measure.gap.contradicting_says"), *names, *more]
            )
        )
    return [*drawn, _table(found, chosen, specs, words)]


def _share(chosen: Choice) -> float:
    return chosen.mistakes / chosen.n if chosen.n else 0.0


def _errors(chosen: Choice, words: Words) -> str:
    return words.t("figures.interval", low=chosen.errors.low, high=chosen.errors.high) if chosen.errors else NONE


def _room(side: str, room: float | None, pins: Sequence[str], by_id: Mapping[str, Observed], words: Words) -> str:
    if room is None:
        return words.t(f"measure.gap.free_{side}")
    names = "; ".join(words.quoted(shortened(by_id[one].question, _QUESTION)) for one in pins)
    return words.t(f"measure.gap.room_{side}", room=value(room, words), questions=names)


def _mistakes(found: Gap, chosen: Choice, by_id: Mapping[str, Observed], specs: Specs, words: Words) -> list[Block]:
    if not chosen.mistakes:
        return []
    head = [words.t(f"measure.gap.head.{name}") for name in ("question", "value", "norm", "mistake")]
    sides = (("refused", chosen.refused), ("passed", chosen.passed))
    rows = [row([*_cells(by_id[one], found, specs, words), words.t(f"measure.gap.{side}")]) for side, ids in sides for one in ids]
    return [table(words.t("measure.gap.mistakes"), head, rows, numeric=(1,))]


def _cells(one: Observed, found: Gap, specs: Specs, words: Words) -> list[Cell]:
    name = norm(one.norm, specs) if one.norm else NONE
    return [shortened(one.question, _QUESTION), value(one.value(found.quantity), words), name]


def _table(found: Gap, chosen: Choice, specs: Specs, words: Words) -> Block:
    """Every dot of the chart, the highest first."""
    head = [words.t(f"measure.gap.head.{name}") for name in ("question", "value", "norm", "right", "passes")]
    ordered = sorted(found.observed, key=lambda one: -(one.value(found.quantity) or 0.0))
    rows = []
    for one in ordered:
        passes = (one.value(found.quantity) or 0.0) >= chosen.threshold
        said = [words.t(f"measure.gap.{'yes' if fact else 'no'}") for fact in (one.right, passes)]
        rows.append(row([*_cells(one, found, specs, words), *said]))
    made = table(words.t("measure.gap.caption"), head, rows, numeric=(1,))
    return folded(words.n("measure.gap.label", len(rows)), [made], "gap_rows")

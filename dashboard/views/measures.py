"""What a setting makes of a set: all figures with their intervals, what limits them, parts of the set, and question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard import figures
from dashboard.blocks import Block, Cell, Line, folded, notice, paragraph, row, table, to_norm
from dashboard.charts import QUIET, STRONG, legend_below, rows_axis, scale
from dashboard.links import key_of
from dashboard.naming import figure_text, shortened, title_of
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Question
from retrieval.evaluation.report import Figure, Group, Problem, Report, Row
from retrieval.evaluation.statistics import LEVEL
from retrieval.model import CorpusSpec
from retrieval.words import NONE, Words

COLUMNS = ["metric", "name", "value", "low", "high", "judged", "n"]
SHOWN = ("recall", "chain_coverage", "ndcg", "mrr")
"""The figures that stand in the line of a question."""
_QUESTION = 110
_NAMED = 3
Specs = Mapping[str, CorpusSpec]
Settled = Mapping[str, Question]
"""The questions of the set by id, with their norms as the stock spells them."""


# --- the whole set ----------------------------------------------------------------------------------------------------


def faults(report: Report, words: Words) -> list[Block]:
    """What must be known before any figure is read: questions that failed, runs in which a part failed, a stock that changed meanwhile."""
    found: list[Block] = []
    label = words.t("screen.details")
    if report.failed:
        about = [(shortened(one.question, _QUESTION), f"{one.error_class}: {one.message}") for one in report.failed]
        names = [shortened(one.question, _QUESTION) for one in report.failed[:5]]
        found.append(notice(words.n("measure.failed", len(report.failed)), names, "fault", about, label))
    if report.partial:
        texts = {one.question_id: one.question for one in report.rows}
        names = [shortened(texts[one], _QUESTION) for one in report.partial]
        found.append(notice(words.n("measure.partial", len(report.partial)), [words.t("measure.partial.text"), *names], "warning"))
    if len(report.stamps) > 1:
        found.append(notice(words.t("measure.stock_changed"), role="warning"))
    return found


def about(report: Report, words: Words) -> str:
    """What was measured, in two or three sentences."""
    parts = [
        words.n("measure.about", len(report.rows), golds=words.n("measure.norms", report.golds), k=words.n("measure.places", report.k))
    ]
    if report.without_gold:
        parts.append(words.n("measure.without_gold", len(report.without_gold)))
    if report.problems:
        states = Counter(one.state for one in report.problems)
        named = ", ".join(f"{words.whole(n)} {words.word('measure.gold', state)}" for state, n in states.items())
        parts.append(words.n("measure.limited", len(report.problems), states=named))
    return " ".join(parts)


def frame(found: Sequence[Figure], words: Words) -> pd.DataFrame:
    """One row for each figure that a question entered: value, interval, value over judged places only, number of questions."""
    rows = []
    for one in found:
        between = one.estimate.interval
        if between is not None:
            values = (one.estimate.value, between.low, between.high, one.judged.value, one.estimate.n)
            rows.append((one.metric, figures.name(one.metric, words), *values))
    return pd.DataFrame(rows, columns=COLUMNS)


def figure(frame: pd.DataFrame, words: Words, ink: str) -> dict[str, Any]:
    """A dot with its interval for each figure, and an open one for the value over judged places only. ``ink``: the colour of text."""
    rows: list[dict[Any, Any]] = frame.to_dict("records")
    open_ones = [
        (place, line["judged"]) for place, line in enumerate(rows) if line["judged"] == line["judged"] and line["judged"] is not None
    ]
    labels = [f"{figure_text(line['name'])} · {words.n('measure.questions', int(line['n']))}" for line in rows]
    layout = {
        "font": {"color": ink},
        "height": 130 + 34 * len(rows),
        "title": {"text": words.t("measure.chart"), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 40, "b": 64},
        "xaxis": scale(-0.03, 1.03, {tick: words.number(tick, 2) for tick in (0, 0.25, 0.5, 0.75, 1)}, ink),
        "yaxis": rows_axis(labels, ink),
        "legend": legend_below(),
    }
    return {"data": [_dots(rows, words), _judged_dots(open_ones, words)], "layout": layout}


def _dots(rows: Sequence[dict[Any, Any]], words: Words) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": words.t("measure.legend.all"),
        "x": [line["value"] for line in rows],
        "y": list(range(len(rows))),
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [line["high"] - line["value"] for line in rows],
            "arrayminus": [line["value"] - line["low"] for line in rows],
            "color": QUIET,
            "thickness": 2,
            "width": 5,
        },
        "text": [words.t("measure.hover", value=line["value"], low=line["low"], high=line["high"]) for line in rows],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 11, "color": STRONG},
    }


def _judged_dots(found: Sequence[tuple[int, float]], words: Words) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": words.t("measure.legend.judged"),
        "x": [value for _, value in found],
        "y": [place + 0.22 for place, _ in found],
        "text": [words.number(value) for _, value in found],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 9, "color": STRONG, "symbol": "diamond-open", "line": {"width": 2, "color": STRONG}},
    }


def sentence(words: Words) -> str:
    """What the chart shows, and what an interval says."""
    return words.t("measure.chart_sentence", level=words.percent(LEVEL))


def table_of(report: Report, specs: Specs, words: Words) -> list[Block]:
    """Every figure with its interval, the value over judged places only, the places without judgement, and the norms that limit it."""
    names = ("figure", "value", "interval", "questions", "judged", "unjudged", "limits")
    head = [words.t(f"measure.head.{name}") for name in names]
    rows = [_figure_row(one, report, specs, words) for one in report.figures]
    meanings = [paragraph(f"{figures.name(one.metric, words)}: {figures.about(one.metric, report.k, words)}") for one in report.figures]
    found = [table(words.t("measure.caption"), head, rows, numeric=(1, 2, 3, 4, 5)), *_limits(report, specs, words)]
    return [*found, folded(words.t("measure.meanings"), meanings, "meanings")]


def _figure_row(one: Figure, report: Report, specs: Specs, words: Words) -> Block:
    entered = [found for found in report.rows if found.values[one.metric] is not None]
    places = sum(len(found.hits) for found in entered)
    unjudged = words.t("measure.of", n=words.whole(sum(found.unjudged for found in entered)), all=words.whole(places)) if entered else NONE
    cells: list[Cell] = [
        figures.name(one.metric, words),
        figures.value(one.estimate, words),
        figures.interval(one.estimate, words),
        words.whole(one.estimate.n),
        figures.value(one.judged, words),
        unjudged,
        _touching(one, report, specs, words),
    ]
    return row(cells, "" if one.estimate.n else "muted")


def _touching(one: Figure, report: Report, specs: Specs, words: Words) -> Cell:
    """The norms that limit this figure, by name."""
    entered = {found.question_id for found in report.rows if found.values[one.metric] is not None}
    touching = {_problem_name(found, specs, words): found for found in report.problems if found.question_id in entered}
    if not one.golds:
        return NONE
    if not touching or not METRICS[one.metric].compared:
        return words.t("measure.limit_none") if report.checked else words.t("measure.limit_unchecked")
    counted = words.t("measure.of", n=words.whole(one.unreachable + one.repealed), all=words.n("measure.norms", one.golds))
    named = [_line(name, found) for name, found in list(touching.items())[:_NAMED]]
    more = [words.t("measure.more", n=words.whole(len(touching) - _NAMED))] if len(touching) > _NAMED else []
    return [counted, *named, *more]


def _line(name: str, one: Problem) -> Line:
    """A norm that limits a figure; it leads to the norm where the stock has it."""
    return to_norm(name, key_of(one.gold.address)) if one.state == "repealed" else name


def _problem_name(one: Problem, specs: Specs, words: Words) -> str:
    return f"{figures.need([(one.gold.address, one.gold.written)], specs, words)} ({words.word('measure.gold', one.state)})"


def _limits(report: Report, specs: Specs, words: Words) -> list[Block]:
    """Every norm that limits a figure: where it is asked for, how it stands in stock, and which figures it touches."""
    if not report.problems:
        return []
    head = [words.t(f"measure.limits.{name}") for name in ("norm", "state", "question", "figures")]
    by_id = {one.question_id: one for one in report.rows}
    rows = []
    for one in report.problems:
        asked = by_id.get(one.question_id)
        values = asked.values if asked else {}
        touched = [figures.name(name, words) for name, value in values.items() if value is not None and METRICS[name].compared]
        name = _line(figures.need([(one.gold.address, one.gold.written)], specs, words), one)
        question = shortened(asked.question, _QUESTION) if asked else one.question_id
        rows.append(row([[name], words.word("measure.gold", one.state), question, ", ".join(touched) or NONE]))
    drawn = [paragraph(words.t("measure.limits.says")), table(words.t("measure.limits.caption"), head, rows)]
    return [folded(words.n("measure.limits.label", len(report.problems)), drawn, "limits")]


# --- parts of the set -------------------------------------------------------------------------------------------------


def groups(found: Sequence[Group], kind: str, specs: Specs, words: Words) -> list[Block]:
    """The figures of parts of the set, one row for each part; ``kind`` is corpus or tag."""
    if not found:
        return [paragraph(words.t(f"measure.{kind}.none"))]
    names = [one.metric for one in found[0].figures if METRICS[one.metric].compared]
    head = [words.t(f"measure.{kind}.head"), words.t("measure.head.questions"), *(figures.name(name, words) for name in names)]
    rows = [_group_row(one, names, kind, specs, words) for one in found]
    return [paragraph(words.t(f"measure.{kind}.says")), table(words.t(f"measure.{kind}.caption"), head, rows, numeric=range(1, len(head)))]


def _group_row(one: Group, names: Sequence[str], kind: str, specs: Specs, words: Words) -> Block:
    by_name = {found.metric: found for found in one.figures}
    title = title_of(one.name, specs) if kind == "corpus" else one.name
    values = [_with_interval(by_name[name], one.questions, words) for name in names]
    return row([title, words.whole(one.questions), *values])


def _with_interval(one: Figure, questions: int, words: Words) -> Cell:
    """A value with its interval below; the number of questions where not all of the part enter."""
    if one.estimate.value is None:
        return NONE
    fewer = [words.n("measure.questions", one.estimate.n)] if one.estimate.n != questions else []
    return [figures.value(one.estimate, words), figures.interval(one.estimate, words), *fewer]


# --- question by question ---------------------------------------------------------------------------------------------


def worst_first(rows: Iterable[Row]) -> list[Row]:
    """The questions by what was found of their norms, the worst first; those without known norms last."""
    return sorted(rows, key=lambda one: (one.values["recall"] is None, one.values["recall"] or 0.0, one.values["ndcg"] or 0.0))


def row_text(one: Row, questions: Settled, specs: Specs, words: Words) -> str:
    """One question in lines: its figures, where its norms stand, and what is unjudged."""
    values = [f"{figures.name(name, words)} {words.number(one.values[name])}" for name in SHOWN if one.values[name] is not None]
    lines = [shortened(one.question, 2 * _QUESTION), " · ".join(values) or words.t("measure.row.no_gold")]
    lines += [places] if (places := _places(one, questions, specs, words)) else []
    lines.append(words.n("measure.row.unjudged", one.unjudged, all=words.whole(len(one.hits))))
    return "\n".join([*lines, words.t("measure.row.partial")] if one.partial else lines)


def _places(one: Row, questions: Settled, specs: Specs, words: Words) -> str:
    """The place of each need, or that it is missing."""
    return "; ".join(
        words.t("measure.row.place", norm=name, place=place) if place else words.t("measure.row.missing", norm=name)
        for name, place in zip(_needs(one, questions, specs, words), one.places, strict=True)
    )


def _needs(one: Row, questions: Settled, specs: Specs, words: Words) -> list[str]:
    question = questions[one.question_id]
    return [figures.need([(gold.address, gold.written) for gold in need.any_of], specs, words) for need in question.needs]


def rows_table(rows: Sequence[Row], questions: Settled, specs: Specs, words: Words) -> list[Block]:
    """The same as a table with every figure, the value over judged places below where it differs."""
    names = [name for name, metric in METRICS.items() if metric.compared]
    fixed = [words.t(f"measure.rows.{name}") for name in ("question", "places", "unjudged")]
    head = [fixed[0], *(figures.name(name, words) for name in names), *fixed[1:]]
    drawn = [_table_row(one, names, questions, specs, words) for one in rows]
    made = table(words.t("measure.rows.caption"), head, drawn, numeric=range(1, len(names) + 1))
    return [folded(words.t("measure.rows.label"), [paragraph(words.t("measure.rows.says")), made], "rows")]


def _table_row(one: Row, names: Sequence[str], questions: Settled, specs: Specs, words: Words) -> Block:
    needs = zip(_needs(one, questions, specs, words), one.places, strict=True)
    places = "; ".join(f"{name}: {words.whole(place) if place else words.t('measure.rows.missing')}" for name, place in needs)
    values = [_both(one.values[name], one.judged[name], words) for name in names]
    unjudged = words.t("measure.of", n=words.whole(one.unjudged), all=words.whole(len(one.hits)))
    return row([shortened(one.question, _QUESTION), *values, places or NONE, unjudged])


def _both(value: float | None, judged: float | None, words: Words) -> Cell:
    if value is None or judged is None or words.number(value) == words.number(judged):
        return words.number(value)
    return [words.number(value), words.t("measure.rows.judged", value=judged)]

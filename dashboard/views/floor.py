"""Who takes part in the quota: each corpus's best rank score against the floor."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dashboard.blocks import Block, row, table
from dashboard.charts import rows_axis, scale
from dashboard.naming import figure_text, short_name, title_of
from retrieval.trace import Trace
from retrieval.words import Words

_DOT = "#3f86ba"
COLUMNS = ["corpus_id", "name", "best", "takes_part", "reserved"]


def frame(trace: Trace, words: Words) -> pd.DataFrame:
    """One row for each corpus with a hit: its best rank score before the quota, whether it takes part, the places reserved for it."""
    rows = [
        (corpus.corpus_id, short_name(corpus.corpus_id, trace.specs), corpus.best, corpus.takes_part, corpus.reserved)
        for corpus in trace.quota.corpora
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def figure(frame: pd.DataFrame, trace: Trace, words: Words, ink: str) -> dict[str, Any]:
    """A dot for each corpus; floor, VERWEIS_SCORE and 1.0 as lines with their words. ``ink`` is the colour of text in the theme."""
    rows: list[dict[Any, Any]] = frame.to_dict("records")
    top = max([1.0, *(line["best"] for line in rows)])
    marks = _marks(trace, words)
    labels = [f"{figure_text(line['name'])} · {_part(line['takes_part'], words)}" for line in rows]
    layout = {
        "font": {"color": ink},
        "height": 156 + 34 * len(rows),
        "title": {"text": words.t("floor.chart"), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 92, "b": 40},
        "xaxis": {
            **scale(0, 1.06 * top, {tick: words.number(tick, 1) for tick in (0, 0.2, 0.4, 0.6, 0.8, 1)}, ink),
            "title": {"text": words.t("floor.axis")},
        },
        "yaxis": {**rows_axis(labels, ink), "showgrid": False},
        "shapes": [
            {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": {"dash": dash, "width": 1.5, "color": "#8b95a1"}}
            for x, _, dash in marks
        ],
        "annotations": [
            {"x": x, "y": 1, "yref": "paper", "text": text, "showarrow": False, "yshift": 12 + 16 * (number % 3), "font": {"size": 11}}
            for number, (x, text, _) in enumerate(marks)
        ],
    }
    return {"data": [_dots(rows, top, words)], "layout": layout}


def _dots(rows: list[dict[Any, Any]], top: float, words: Words) -> dict[str, Any]:
    """A full dot for a corpus that takes part, an open one for the others; the value beside it on the side with room."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [line["best"] for line in rows],
        "y": list(range(len(rows))),
        "text": [words.number(line["best"]) for line in rows],
        "textposition": ["middle left" if line["best"] > 0.8 * top else "middle right" for line in rows],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "size": 12,
            "color": _DOT,
            "symbol": ["circle" if line["takes_part"] else "circle-open" for line in rows],
            "line": {"width": 2, "color": _DOT},
        },
        "showlegend": False,
    }


def _marks(trace: Trace, words: Words) -> list[tuple[float, str, str]]:
    score = trace.settings.references.verweis_score
    return [
        (trace.quota.floor, words.t("floor.mark.floor", value=words.number(trace.quota.floor)), "dash"),
        (score, words.t("floor.mark.verweis", value=words.number(score, 2)), "dashdot"),
        (1.0, words.t("floor.mark.anchor", value=words.number(1.0, 2)), "dot"),
    ]


def _part(takes_part: bool, words: Words) -> str:
    return words.t("floor.in" if takes_part else "floor.out")


def sentence(trace: Trace, words: Words) -> str:
    """What the quota did, how the floor comes about and who reaches it."""
    quota = trace.quota
    if not quota.corpora:
        return words.t("floor.nothing")
    ratio = words.number(trace.settings.quota.min_ratio, 2)
    parts = [words.t("floor.how", ratio=ratio, best=words.number(quota.best), floor=words.number(quota.floor))]
    taking = sum(corpus.takes_part for corpus in quota.corpora)
    parts.append(words.n("floor.taking", taking, all=words.whole(len(quota.corpora))))
    reserved = sum(corpus.reserved for corpus in quota.corpora)
    if quota.applied and not reserved:
        parts.append(words.n("floor.no_round", quota.places))
    elif quota.applied:
        parts.append(words.n("floor.reserved", reserved, places=quota.places, rounds=words.n("floor.rounds", quota.rounds)))
        parts.append(words.word("quota.stopped", quota.stopped))
    elif "quota" in trace.without:
        parts.append(words.t("left_out.quota"))
    else:
        parts.append(words.word("quota.reason", quota.reason))
    return " ".join(parts)


def blocks(trace: Trace, words: Words) -> list[Block]:
    """The same as a table."""
    head = [words.t(f"floor.head.{name}") for name in ("corpus", "best", "part", "reserved")]
    rows = [
        row(
            [
                title_of(corpus.corpus_id, trace.specs),
                words.number(corpus.best),
                _part(corpus.takes_part, words),
                words.whole(corpus.reserved) if trace.quota.applied and corpus.takes_part else words.number(None),
            ],
            "" if corpus.takes_part else "muted",
        )
        for corpus in trace.quota.corpora
    ]
    return [table(words.t("floor.caption"), head, rows, numeric=(1, 3), empty=words.t("floor.nothing"))]

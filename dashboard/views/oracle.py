"""Where norms are lost: the best list that each stage still allows, as falling bars, in words, and by the names of the norms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard import figures
from dashboard.blocks import Block, Cell, folded, paragraph, row, table
from dashboard.charts import QUIET, STRONG, rows_axis, scale
from dashboard.naming import figure_text, norm, shortened
from retrieval.evaluation.oracle import STAGES, Lost, MetricOracle, Oracle, QuestionOracle
from retrieval.model import CorpusSpec
from retrieval.words import NONE, Words

_QUESTION = 100
_SAME = 5e-4
Specs = Mapping[str, CorpusSpec]


def sentence(found: MetricOracle, words: Words) -> str:
    """Where most is lost, what is left, and that the parts sum up."""
    name = figures.name(found.metric, words)
    if found.best is None:
        return words.t("measure.oracle.no_question", name=name)
    real, losses = found.best[-1], found.losses
    parts = [words.n("measure.oracle.real", found.n, name=name, real=real, lost=1 - real)]
    worst = max(range(len(losses)), key=lambda place: losses[place])
    if losses[worst] > _SAME:
        values = {"stage": words.t(f"measure.oracle.stage.{STAGES[worst]}"), "loss": losses[worst]}
        parts.append(words.t("measure.oracle.worst", **values, says=words.t(f"measure.oracle.says.{STAGES[worst]}")))
    else:
        parts.append(words.t("measure.oracle.nothing_lost"))
    return " ".join(parts)


def figure(found: MetricOracle, words: Words, ink: str) -> dict[str, Any]:
    """What each stage takes away, one below the other, from all that is needed to the real list. ``ink`` is the colour of text."""
    best = found.best or ()
    levels = [1.0, *best]
    titles = [
        words.t("measure.oracle.start"),
        *(words.t(f"measure.oracle.stage.{stage}") for stage in STAGES),
        words.t("measure.oracle.end"),
    ]
    base = [0.0, *(min(pair) for pair in zip(levels, best, strict=False)), 0.0]
    widths = [1.0, *(abs(loss) for loss in found.losses), levels[-1]]
    texts = [words.number(1.0), *(_signed(loss, words) for loss in found.losses), words.number(levels[-1])]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(titles))),
        "x": widths,
        "base": base,
        "text": texts,
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": [QUIET, *[STRONG] * len(STAGES), QUIET],
            "pattern": {"shape": ["", *("/" if loss < -_SAME else "" for loss in found.losses), ""]},
        },
        "showlegend": False,
    }
    labels = [f"{figure_text(title, 34)}  <b>{text}</b>" for title, text in zip(titles, texts, strict=True)]
    layout = {
        "font": {"color": ink},
        "height": 100 + 34 * len(titles),
        "title": {"text": words.t("measure.oracle.chart", name=figures.name(found.metric, words)), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 44, "b": 40},
        "bargap": 0.35,
        "xaxis": scale(0, 1.02, {tick: words.number(tick, 2) for tick in (0, 0.25, 0.5, 0.75, 1)}, ink),
        "yaxis": {**rows_axis(labels, ink), "showgrid": False},
    }
    return {"data": [bars], "layout": layout}


def _signed(loss: float, words: Words) -> str:
    """What a stage takes away, or gives back."""
    if abs(loss) < _SAME:
        return words.number(0.0)
    return f"{'−' if loss > 0 else '+'}{words.number(abs(loss))}"


def blocks(found: Oracle, words: Words) -> list[Block]:
    """All stages and metrics as a table that adds up, and what each stage means."""
    used = [one for one in found.metrics if one.best is not None]
    head = [words.t("measure.oracle.head.stage"), *(figures.name(one.metric, words) for one in used), words.t("measure.oracle.head.says")]
    ones: list[Cell] = [words.number(1.0) for _ in used]
    rows = [row([words.t("measure.oracle.start"), *ones, words.t("measure.oracle.says.start")])]
    for place, stage in enumerate(STAGES):
        cells = [_signed(one.losses[place], words) for one in used]
        rows.append(row([words.t(f"measure.oracle.stage.{stage}"), *cells, words.t(f"measure.oracle.says.{stage}")]))
    real = [words.number(one.best[-1] if one.best else None) for one in used]
    rows.append(row([words.t("measure.oracle.end"), *real, words.t("measure.oracle.says.end")], "strong"))
    return [table(words.t("measure.oracle.caption"), head, rows, numeric=range(1, len(used) + 1))]


def names(found: Oracle, specs: Specs, words: Words) -> list[Block]:
    """Which questions lose which norms at which stage; what stands too far down is behind a label of its own."""
    drawn: list[Block] = []
    for stage in STAGES:
        pairs = [(one, lost) for one in found.questions for lost in one.lost if lost.stage == stage]
        if pairs:
            drawn.append(_stage(stage, pairs, specs, words))
    return drawn or [paragraph(words.t("measure.oracle.all_there"))]


def _stage(stage: str, pairs: Sequence[tuple[QuestionOracle, Lost]], specs: Specs, words: Words) -> Block:
    head = [words.t(f"measure.oracle.head.{name}") for name in ("question", "norm")]
    rows = [row([shortened(one.question, _QUESTION), _norm(lost, specs, words)]) for one, lost in pairs]
    label = words.n("measure.oracle.label", len(pairs), stage=words.t(f"measure.oracle.stage.{stage}"))
    made = table(words.t(f"measure.oracle.says.{stage}"), head, rows)
    return folded(label, [made], f"oracle_{stage}")


def _norm(lost: Lost, specs: Specs, words: Words) -> Cell:
    either = f" {words.t('figures.or')} "
    name = either.join(norm(one, specs) if one.corpus_id else NONE for one in lost.any_of)
    if lost.stage == "order":
        return [name, words.t("measure.oracle.lower", place=lost.place, best=lost.best)]
    return name

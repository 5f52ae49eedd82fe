"""The finding: what one value of a setting costs against another, what is replaced by what, and where on the scale it happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard import figures
from dashboard.blocks import Block, Cell, Line, alike, folded, paragraph, row, table, to_norm
from dashboard.charts import QUIET, STRONG, cut, knob_axis, layout, value_axis
from dashboard.knobtext import label, number, shown
from dashboard.links import key_of
from dashboard.naming import norm, short_name, shortened
from retrieval.evaluation.against import MetricChange
from retrieval.evaluation.exchange import Balance, Exchange, Swapped, Turn
from retrieval.evaluation.model import Question
from retrieval.evaluation.report import Report
from retrieval.evaluation.staircase import Staircase
from retrieval.knobs import Knob, Value
from retrieval.model import CorpusSpec
from retrieval.words import NONE, Words

_QUESTION = 100
_HITS = 6
Specs = Mapping[str, CorpusSpec]
Settled = Mapping[str, Question]


# --- the sentence at the top ------------------------------------------------------------------------------------------


def headline(change: MetricChange, before: Report, after: Report, knob: Knob, values: tuple[Value, Value], words: Words) -> str:
    """What the second value does to one figure, in a sentence for a room."""
    said = {"knob": label(knob, words), "first": shown(knob, values[0], words), "second": shown(knob, values[1], words)}
    name = figures.name(change.metric, words)
    one, other = (report.figure(change.metric).estimate.value for report in (before, after))
    if change.effect.difference is None:
        return words.t("swap.headline.none", name=name, **said)
    if not change.losers and not change.winners:
        return words.t("swap.headline.equal", name=name, value=words.number(one), **said)
    way = "falls" if change.effect.difference < 0 else "rises" if change.effect.difference > 0 else "stays"
    return words.n(f"swap.headline.{way}", change.effect.n, name=name, before=words.number(one), after=words.number(other), **said)


def honest(change: MetricChange, words: Words) -> str:
    """How sure that is, and who loses and gains."""
    parts = [figures.verdict(change.effect, words)]
    for side, changes in (("losers", change.losers), ("winners", change.winners)):
        if changes:
            names = "; ".join(words.quoted(shortened(one.question or one.question_id, _QUESTION)) for one in changes)
            parts.append(words.n(f"swap.{side}", len(changes), names=names))
    return " ".join(parts)


# --- what is replaced by what -------------------------------------------------------------------------------------------


def summary(found: Sequence[Exchange], words: Words) -> str:
    """How many lists change, and how many hits leave and come."""
    changed = [one for one in found if not one.nothing]
    if not changed:
        moved = sum(bool(one.shifted) for one in found)
        return words.n("swap.same_hits", len(found), moved=words.whole(moved))
    leaves, comes = (sum(len(side) for side in sides) for sides in zip(*((one.leaves, one.comes) for one in changed), strict=True))
    parts = [words.n("swap.changed", len(changed), all=words.whole(len(found)))]
    parts.append(words.t("swap.swapped", leaves=words.n("swap.hits", leaves), comes=words.n("swap.hits", comes)))
    quota = sum(bool(one.quota_lost) for one in changed)
    return " ".join([*parts, words.n("swap.quota_lost", quota)] if quota else parts)


def balance(found: Sequence[Balance], words: Words) -> list[Block]:
    """The hits that left and came by their ways, with their sums."""
    head = [words.t(f"swap.balance.{name}") for name in ("way", "leaves", "leaves_needed", "comes", "comes_needed")]
    rows = [row([words.t(f"swap.way.{one.way}"), *_counts(one, words)]) for one in found]
    every = [sum(column) for column in zip(*(_numbers(one) for one in found), strict=True)]
    rows.append(row([words.t("swap.balance.sum"), *(words.whole(number) for number in every)], "strong"))
    return [table(words.t("swap.balance.caption"), head, rows, numeric=range(1, 5))]


def _numbers(one: Balance) -> tuple[int, int, int, int]:
    return one.leaves, one.leaves_needed, one.comes, one.comes_needed


def _counts(one: Balance, words: Words) -> list[Cell]:
    return [words.whole(number) for number in _numbers(one)]


def questions(found: Sequence[Exchange], settled: Settled, specs: Specs, words: Words) -> list[Block]:
    """Every question whose list changes, those that lose or gain a needed norm first, with the reason as far as the run shows it."""
    ordered = sorted((one for one in found if not one.nothing), key=lambda one: not (one.lost or one.gained))
    if not ordered:
        return []
    head = [words.t(f"swap.head.{name}") for name in ("question", "leaves", "comes")]
    rows = [_question_row(one, settled, specs, words) for one in ordered]
    return [table(words.t("swap.questions"), head, rows)]


def _question_row(one: Exchange, settled: Settled, specs: Specs, words: Words) -> Block:
    question = settled[one.question_id]
    sides = (("lost", one.lost), ("gained", one.gained))
    norms = [words.t(f"swap.{side}", norms=_needs(numbers, question, specs, words)) for side, numbers in sides if numbers]
    reasons = why(one, specs, words)
    about: list[Line] = [shortened(one.question, _QUESTION), *norms, *([reasons] if reasons else [])]
    cells: list[Cell] = [about, *(_hits(side, specs, words) for side in (one.leaves, one.comes))]
    return row(cells, "" if norms else "muted")


def _needs(numbers: Sequence[int], question: Question, specs: Specs, words: Words) -> str:
    return "; ".join(figures.need([(gold.address, gold.written) for gold in question.needs[one].any_of], specs, words) for one in numbers)


def _hits(hits: Sequence[Swapped], specs: Specs, words: Words) -> Cell:
    """Hits that lead to their norms, each with its place and its way below it."""
    lines: list[Line] = []
    for hit in hits[:_HITS]:
        needed = [words.t("swap.needed")] if hit.needs else []
        about = words.t("swap.hit", place=hit.place, way=words.t(f"swap.way.{hit.way}"))
        lines += [*alike([to_norm(norm(hit.norm, specs), key_of(hit.norm))]), ", ".join([about, *needed])]
    more = [words.t("measure.more", n=words.whole(len(hits) - _HITS))] if len(hits) > _HITS else []
    return [*lines, *more] or NONE


def why(one: Exchange, specs: Specs, words: Words) -> str:
    """What the run shows of the reason: norms that a reference moves up, and corpora that no longer take part in the quota, or do now."""
    up, down = ([hit for hit in one.shifted if (hit.after < hit.before) is rises] for rises in (True, False))
    parts = []
    for side, hits in (("up", up), ("down", down)):
        if hits:
            moved = "; ".join(words.t("swap.why.moved", norm=norm(hit.norm, specs), before=hit.before, after=hit.after) for hit in hits)
            parts.append(words.t(f"swap.why.{side}", norms=moved))
    for side, corpora in (("quota_lost", one.quota_lost), ("quota_gained", one.quota_gained)):
        if corpora:
            parts.append(words.n(f"swap.why.{side}", len(corpora), corpora=", ".join(short_name(corpus, specs) for corpus in corpora)))
    return " ".join(parts)


# --- where it happens ---------------------------------------------------------------------------------------------------


def figure(stairs: Staircase, metric: str, values: tuple[float, float], knob: Knob, words: Words, ink: str) -> dict[str, Any]:
    """The figure over the whole range of the setting, with both values as lines. ``ink`` is the colour of text in the theme."""
    xs: list[float] = []
    ys: list[float | None] = []
    for place, mean in enumerate(stairs.between):
        xs += [stairs.points[place], stairs.points[place + 1]]
        ys += [mean, mean]
    low, high = cut(ys)
    name = figures.name(metric, words)
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": xs,
        "y": ys,
        "text": [words.number(mean) for mean in ys],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": STRONG, "width": 2.5},
        "showlegend": False,
    }
    drawn = layout(words.t("swap.stairs.chart", name=name), knob_axis(stairs.knob, words), value_axis(name, low, high, words), ink, 340)
    marks = [
        (value, words.t(f"swap.stairs.{side}", value=number(knob, value, words)))
        for side, value in zip(("first", "second"), values, strict=True)
    ]
    drawn["margin"] = {"l": 8, "r": 16, "t": 84, "b": 56}
    drawn["shapes"] = [
        {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": {"dash": dash, "width": 1.5, "color": QUIET}}
        for (x, _), dash in zip(marks, ("dash", "dot"), strict=True)
    ]
    middle = (stairs.points[0] + stairs.points[-1]) / 2
    drawn["annotations"] = [
        {
            "x": x,
            "xanchor": "right" if x > middle else "left",
            "y": 1,
            "yref": "paper",
            "yshift": 10 + 14 * place,
            "showarrow": False,
            "text": text,
            "font": {"size": 11, "color": ink},
        }
        for place, (x, text) in enumerate(marks)
    ]
    return {"data": [line], "layout": drawn}


def stairs_table(stairs: Staircase, metric: str, knob: Knob, words: Words) -> list[Block]:
    """Every stretch of the range with its figure."""
    head = [words.t(f"swap.stairs.head.{name}") for name in ("from", "to")]
    rows = [row([number(knob, one.low, words), number(knob, one.high, words), words.number(one.value)]) for one in stairs.plateaus()]
    made = table(words.t("swap.stairs.caption"), [*head, figures.name(metric, words)], rows, numeric=(0, 1, 2))
    return [folded(words.n("swap.stairs.label", len(rows)), [made], "stairs")]


def turns(found: Sequence[Turn], texts: Mapping[str, str], knob: Knob, metric: str, words: Words) -> list[Block]:
    """At which values each question turns."""
    name = figures.name(metric, words)
    if not found:
        return [paragraph(words.t("swap.turns.none", name=name))]
    head = [words.t(f"swap.turns.head.{part}") for part in ("question", "before", "after", "at")]
    rows = [
        row([shortened(texts[one.question_id], _QUESTION), words.number(one.before), words.number(one.after), _at(one, knob, words)])
        for one in found
    ]
    exact = all(one.exact for one in found)
    said = words.t("swap.turns.exact" if exact else "swap.turns.steps", name=name)
    return [paragraph(said), table(words.t("swap.turns.caption", name=name), head, rows, numeric=(1, 2, 3))]


def _at(one: Turn, knob: Knob, words: Words) -> str:
    return "; ".join(number(knob, point, words) for point in one.at) or NONE

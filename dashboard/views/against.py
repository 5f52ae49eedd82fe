"""Two settings over one set: what the second changes in each figure, how sure that is, and who gains and loses, by name."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard import figures
from dashboard.blocks import Block, Cell, folded, notice, paragraph, row, table
from dashboard.knobtext import label, shown
from dashboard.naming import shortened
from retrieval.evaluation.against import Against, Change, MetricChange
from retrieval.evaluation.report import Report
from retrieval.inspector.comparison import WITHOUT, Difference
from retrieval.knobs import Value
from retrieval.settings import KNOBS
from retrieval.words import Words

_QUESTION = 80
_NAMED = 5


def differing(found: Sequence[Difference], words: Words) -> str:
    """The settings in which two sides differ, in one sentence."""
    if not found:
        return words.t("measure.against.same_settings")
    moved = [words.t("measure.against.moved", name=_name(one.name, words), **_values(one, words)) for one in found]
    return words.n("measure.against.differing", len(found), settings="; ".join(moved))


def _values(one: Difference, words: Words) -> dict[str, str]:
    before, after = (_value(one.name, value, words) for value in one.values)
    return {"before": before, "after": after}


def _name(name: str, words: Words) -> str:
    return words.t("measure.against.stages") if name == WITHOUT else label(KNOBS[name], words)


def _value(name: str, value: Value, words: Words) -> str:
    if name != WITHOUT:
        return shown(KNOBS[name], value, words)
    return ", ".join(words.word("stage", stage) for stage in str(value).split(",") if stage) or words.t("measure.against.no_stage")


def faults(found: Against, words: Words) -> list[Block]:
    """What must be known before a comparison is read."""
    lines = []
    if found.unpaired:
        lines.append(words.n("measure.against.unpaired", len(found.unpaired), questions=", ".join(found.unpaired[:_NAMED])))
    if found.stock_differs:
        lines.append(words.t("measure.against.stock_differs"))
    return [notice(words.t("measure.against.limited"), lines, "warning")] if lines else []


def summary(found: Against, words: Words) -> str:
    """What may be said about the second setting in one sentence: figures that are really better or worse, by name."""
    sides = {side: [figures.name(one.metric, words) for one in found.metrics if one.effect.verdict == side] for side in ("better", "worse")}
    said = [words.t(f"measure.against.{side}", names=", ".join(names)) for side, names in sides.items() if names]
    open_ones = sum(one.effect.verdict == "not_distinguishable" for one in found.metrics)
    if not said and not open_ones:
        return words.n("measure.against.equal", found.questions)
    return " ".join([*said, words.n("measure.against.open", open_ones)] if open_ones else said)


def verdicts(found: Against, before: Report, after: Report, titles: tuple[str, str], words: Words) -> list[Block]:
    """Every figure under both settings; then, where they differ, what may be said about it and the names of who loses and gains."""
    names = ("difference", "interval")
    head = [words.t("measure.head.figure"), *titles, *(words.t(f"measure.against.head.{name}") for name in names)]
    rows = [_row(one, before, after, words) for one in found.metrics]
    drawn = [paragraph(summary(found, words)), table(words.t("measure.against.caption"), head, rows, numeric=range(1, 5))]
    drawn.append(paragraph(words.t("measure.against.rounded"), muted=True))
    differing = [one for one in found.metrics if one.effect.n and one.effect.verdict != "equal"]
    if differing:
        said = [row([figures.name(one.metric, words), [figures.verdict(one.effect, words), *_names(one, words)]]) for one in differing]
        drawn.append(table(words.t("measure.against.said"), [head[0], words.t("measure.against.head.verdict")], said))
    return [*drawn, *_everybody(found, words)]


def _row(one: MetricChange, before: Report, after: Report, words: Words) -> Block:
    values = [figures.value(report.figure(one.metric).estimate, words) for report in (before, after)]
    tone = "strong" if one.effect.verdict in ("better", "worse") else "muted" if one.effect.verdict in ("equal", "no_questions") else ""
    numbers = [words.number(one.effect.difference), figures.interval(one.effect, words)]
    return row([figures.name(one.metric, words), *values, *numbers], tone)


def _names(one: MetricChange, words: Words) -> list[str]:
    """Who loses and who gains, the losers first."""
    lines: list[str] = []
    for side, changes in (("losers", one.losers), ("winners", one.winners)):
        if changes:
            more = [words.t("measure.more", n=words.whole(len(changes) - _NAMED))] if len(changes) > _NAMED else []
            lines += [words.n(f"measure.against.{side}", len(changes)), *figures.moved(changes[:_NAMED], words, _question), *more]
    return lines


def _question(one: Change) -> str:
    return shortened(one.question or one.question_id, _QUESTION)


def _everybody(found: Against, words: Words) -> list[Block]:
    """All who gain or lose, where the table above has no room for them."""
    if not any(len(changes) > _NAMED for one in found.metrics for changes in (one.losers, one.winners)):
        return []
    drawn: list[Block] = []
    for one in found.metrics:
        for side, changes in (("losers", one.losers), ("winners", one.winners)):
            if changes:
                title = f"{figures.name(one.metric, words)}: {words.t(f'measure.against.head.{side}')}"
                drawn += [paragraph(title), *(paragraph(line, muted=True) for line in figures.moved(changes, words, _question))]
    return [folded(words.t("measure.against.everybody"), drawn, "everybody")]


def halves(tuned: Against, held: Against | None, sizes: tuple[int, int], words: Words) -> list[Block]:
    """The verdicts on the half that was tuned with and on the half that was held out; None: nobody has looked at it."""
    kept = {one.metric: one for one in held.metrics} if held else {}
    head = [
        words.t("measure.head.figure"),
        *(words.n(f"measure.halves.{name}", n) for name, n in zip(("tuned", "held"), sizes, strict=True)),
    ]
    rows = []
    for one in tuned.metrics:
        cells = [_side(one, words), _side(kept[one.metric], words) if held else words.t("measure.halves.unseen")]
        rows.append(row([figures.name(one.metric, words), *cells]))
    return [table(words.t("measure.halves.caption"), head, rows)]


def _side(one: MetricChange, words: Words) -> Cell:
    named = [
        words.t(f"measure.halves.{side}", n=words.whole(len(found)))
        for side, found in (("worse", one.losers), ("better", one.winners))
        if found
    ]
    return [figures.verdict(one.effect, words), *named]

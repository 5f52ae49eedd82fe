"""Decisions on the page: the list of them, one with its figures and limits, and two against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dashboard import figures
from dashboard.blocks import Block, Cell, folded, heading, notice, paragraph, row, statement, table
from dashboard.naming import shortened
from retrieval.evaluation.decision_compare import Compared, Loss, losses
from retrieval.evaluation.decision_files import Folder, Kept
from retrieval.evaluation.decision_text import PARTS, changes, effect_text, lost_text, uncertain
from retrieval.evaluation.decisions import Comparison, Decision
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.protocol import shifts
from retrieval.evaluation.protocol_text import change, left_out, moves, name_of, reason, sentence, value_text, when
from retrieval.evaluation.report import Figure, Report
from retrieval.exports.fingerprints import PARTS as MARKS
from retrieval.knobs import Value
from retrieval.settings import KNOBS
from retrieval.words import NONE, Words

_QUESTION = 110


def listed(folder: Folder, words: Words) -> list[Block]:
    """All decisions of the workshop, the latest first, and the files that cannot be read."""
    head = [words.t(f"record.head.{name}") for name in ("decided", "decision", "by", "set")]
    rows = [row([when(one.decided, words), one.name, "; ".join(one.decided_by), one.questions.name]) for one in _of(folder)]
    drawn = [table(words.n("record.decisions", len(folder.kept)), head, rows, empty=words.t("record.no_decision"))]
    if folder.unreadable:
        about = [(one.path.name, one.reason) for one in folder.unreadable]
        title = words.n("record.unreadable", len(about))
        drawn.append(notice(title, [words.t("record.unreadable_text")], "warning", about, words.t("screen.details")))
    return drawn


def _of(folder: Folder) -> Iterable[Decision]:
    return (one.decision for one in folder.kept)


def title(kept: Kept, words: Words) -> str:
    """A decision in a line, to be chosen by."""
    return words.t("record.titled", when=when(kept.decision.decided, words), name=shortened(kept.decision.name, 60))


# --- before signing -----------------------------------------------------------------------------------------------------


def in_force(settings: dict[str, Value], without: Sequence[str], words: Words) -> list[Block]:
    """What would be signed: the settings that are not the defaults."""
    lines = changes(settings, without, words)
    return [paragraph(words.t("record.in_force" if lines else "record.in_force_defaults")), *_bulleted(lines)]


def measured(report: Report, words: Words) -> list[Block]:
    """The figures of the settings in force, over all questions."""
    head = [words.t(f"record.head.{name}") for name in ("metric", "value", "range", "n")]
    rows = [
        row(
            [
                figures.name(one.metric, words),
                figures.value(one.estimate, words),
                figures.interval(one.estimate, words),
                words.whole(one.estimate.n),
            ]
        )
        for one in report.figures
    ]
    return [table(words.t("record.measured"), head, rows, numeric=(1, 2, 3))]


# --- one decision --------------------------------------------------------------------------------------------------------


def blocks(kept: Kept, words: Words) -> list[Block]:
    """One decision: who decided what and why, figures, comparison, limits, losers, and how it came about."""
    decision = kept.decision
    return [
        statement(decision.name, words.t("record.decision")),
        *_head(decision, words),
        heading(words.t("record.section.reason")),
        *(paragraph(line) for line in decision.reason.splitlines() if line.strip()),
        heading(words.t("record.section.figures")),
        _figures(decision, words),
        paragraph(words.t("record.figures_text"), muted=True),
        *(block for one in decision.comparisons for block in _comparison(one, decision, words)),
        heading(words.t("record.section.uncertain")),
        *_bulleted(uncertain(decision, words, str)),
        *_folds(kept, words),
    ]


def _head(decision: Decision, words: Words) -> list[Block]:
    former = decision.replaces
    replaced = words.t("decision.first")
    if former is not None:
        replaced = words.t("record.replaced", name=words.quoted(former.name), when=when(former.decided, words))
    counts = words.n("decision.questions", len(decision.report.rows)), words.n("decision.golds", decision.report.golds)
    facts = {
        "decided": when(decision.decided, words),
        "by": "; ".join(decision.decided_by),
        "set": f"{words.quoted(decision.questions.name)}: {', '.join(counts)}",
        "replaces": replaced,
    }
    rows = [row([words.t(f"record.head.{name}"), value]) for name, value in facts.items()]
    lines = changes(decision.settings, decision.without, words)
    return [
        table(words.t("record.about"), [words.t("record.head.fact"), words.t("record.head.said")], rows),
        paragraph(words.t("record.decided" if lines else "record.decided_defaults")),
        *_bulleted(lines),
    ]


def _bulleted(lines: Iterable[str]) -> list[Block]:
    return [paragraph(f"– {line}") for line in lines]


def _figures(decision: Decision, words: Words) -> Block:
    parts = [decision.part(name) for name in PARTS]
    counted = (words.t(f"record.part.{one.name}", n=words.whole(len(one.questions))) for one in parts)
    rows = [
        row([figures.name(name, words), *(_figure(part.figure(name), words) for part in parts)])
        for name in METRICS
        if parts[0].figure(name)
    ]
    return table(words.t("record.figures"), [words.t("record.head.metric"), *counted], rows, numeric=(1, 2, 3))


def _figure(one: Figure | None, words: Words) -> Cell:
    if one is None or one.estimate.value is None:
        return NONE
    return [figures.value(one.estimate, words), figures.interval(one.estimate, words)]


def _comparison(one: Comparison, decision: Decision, words: Words) -> list[Block]:
    title = heading(words.t(f"decision.against.{one.side}"))
    if one.settings == decision.settings and one.without == decision.without:
        return [title, paragraph(words.t(f"decision.same_as.{one.side}"))]
    effects = {name: {found.metric: found.effect for found in one.part(name).metrics} for name in PARTS}
    head = [words.t("record.head.metric"), *(words.t(f"record.part.{name}", n=words.whole(one.part(name).questions)) for name in PARTS)]
    rows = [row([figures.name(name, words), *(effect_text(effects[part][name], words) for part in PARTS)]) for name in effects["all"]]
    drawn = [title, table(words.t("record.against"), head, rows), paragraph(words.t("record.against_text"), muted=True)]
    if one.without:
        drawn.append(paragraph(words.t(f"decision.against_without.{one.side}", stages=left_out(one.without, words))))
    lost = losses(one.all.metrics)
    label = words.n(f"record.losers.{one.side}", len(lost)) if lost else ""
    return [
        *drawn,
        folded(label, [_losers(lost, words)], f"losers_{one.side}") if lost else paragraph(words.t(f"decision.no_losers.{one.side}")),
    ]


def _losers(lost: Sequence[Loss], words: Words) -> Block:
    head = [words.t("record.head.question"), words.t("record.head.lost")]
    rows = [row([[shortened(one.question, _QUESTION), one.question_id], lost_text(one, words)]) for one in lost]
    return table(words.t("record.lost"), head, rows, empty=words.t("record.nobody_lost"))


def _folds(kept: Kept, words: Words) -> list[Block]:
    decision = kept.decision
    return [
        folded(words.n("record.fold.history", len(decision.events)), [_history(decision, words)], "decision_history"),
        folded(words.t("record.fold.settings"), [_settings(decision, words)], "decision_settings"),
        folded(words.t("record.fold.marks"), [_marks(kept, words)], "decision_marks"),
    ]


def _history(decision: Decision, words: Words) -> Block:
    head = [words.t("record.head.when"), words.t("record.head.what")]
    rows = []
    for event, moved in zip(decision.events, shifts(decision.events), strict=True):
        lines = [line for line in (sentence(event, words), change(event, moved, words), reason(event, words)) if line]
        rows.append(row([when(event.when, words), lines]))
    return table(words.t("record.history"), head, rows, empty=words.t("decision.no_events"))


def _settings(decision: Decision, words: Words) -> Block:
    head = [words.t(f"record.head.{name}") for name in ("setting", "value", "default")]
    rows = []
    for name, value in decision.settings.items():
        default = value_text(name, KNOBS[name].default, words) if name in KNOBS else NONE
        rows.append(row([name_of(name, words), value_text(name, value, words), default]))
    return table(words.t("record.settings"), head, rows, numeric=(1, 2))


def _marks(kept: Kept, words: Words) -> Block:
    decision = kept.decision
    rows = [row([words.t(f"decision.mark.{part}"), getattr(decision.fingerprint, part) or NONE]) for part in MARKS]
    rows += [row([words.t("decision.mark.set"), decision.set_fingerprint]), row([words.t("record.mark.file"), kept.path.name])]
    rows.append(row([words.t("record.mark.hash"), kept.hash]))
    return table(words.t("record.marks"), [words.t("record.head.fact"), words.t("record.head.mark")], rows)


# --- two decisions ---------------------------------------------------------------------------------------------------------


def compared(found: Compared, words: Words) -> list[Block]:
    """What leads from one decision to another: settings, set, figures over the common questions, stock."""
    moved = moves(found.shift, words)
    return [
        heading(words.t("record.section.settings")),
        paragraph(words.t("record.moved" if moved else "record.same_settings")),
        *_bulleted(moved),
        heading(words.t("record.section.set")),
        *_set(found, words),
        heading(words.t("record.section.common")),
        *_common(found, words),
        heading(words.t("record.section.stock")),
        _stock(found, words),
    ]


def _set(found: Compared, words: Words) -> list[Block]:
    other = found.set_change
    if found.same_set or not other:
        return [paragraph(words.t("record.same_set" if found.same_set else "record.same_questions"))]
    groups = {"added": other.added, "removed": other.removed, "other_norms": other.other_norms, "reworded": other.reworded}
    head = [words.t("record.head.change"), words.t("record.head.question")]
    rows = [
        row([words.t(f"record.change.{name}"), [shortened(one.text, _QUESTION), one.id]]) for name, some in groups.items() for one in some
    ]
    return [table(words.t("record.set_change"), head, rows)]


def _common(found: Compared, words: Words) -> list[Block]:
    if not found.common:
        before, after = (words.whole(k) for k in found.k)
        return [paragraph(words.t("record.other_places", before=before, after=after))]
    if not found.questions:
        return [paragraph(words.t("record.no_common"))]
    head = [words.t(f"record.head.{name}") for name in ("metric", "before", "after", "verdict")]
    rows = [
        row([figures.name(one.metric, words), words.number(one.before), words.number(one.after), figures.verdict(one.effect, words)])
        for one in found.common
    ]
    caption = words.n("record.common", found.questions)
    return [
        table(caption, head, rows, numeric=(1, 2)),
        paragraph(words.t("record.common_text"), muted=True),
        _losers(losses(found.common), words),
    ]


def _stock(found: Compared, words: Words) -> Block:
    head = [words.t(f"record.head.{name}") for name in ("part", "before", "after", "same")]
    rows = [
        row([words.t(f"record.stock.{one.part}"), one.there or NONE, one.here or NONE, words.t(f"record.same.{one.verdict}")])
        for one in found.stock
    ]
    return table(words.t("record.stock_caption"), head, rows)

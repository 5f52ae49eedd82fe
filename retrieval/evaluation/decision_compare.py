"""Decisions against each other, and against what is measured today: what differs, what it changes, and who loses by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from retrieval.evaluation.against import Against, Change, MetricChange, against
from retrieval.evaluation.decisions import NO_MARKS, Decision
from retrieval.evaluation.evaluate import SAMPLING, Sampling
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.protocol import Event, Shift, shift
from retrieval.evaluation.report import Report, Row
from retrieval.evaluation.statistics import Effect
from retrieval.exports.fingerprints import Fingerprint, Line, lines

_ROUNDING = 1e-9
"""Sums of the same values in another order differ in their last digits."""


class SetChange(msgspec.Struct, frozen=True):
    """What is other in a second set: its new questions, those that are gone, those that ask for other norms, and those that ask for the
    same in other words, or with other tags or remarks.
    """

    added: tuple[Question, ...] = ()
    removed: tuple[Question, ...] = ()
    other_norms: tuple[Question, ...] = ()
    reworded: tuple[Question, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.other_norms or self.reworded)


class Common(msgspec.Struct, frozen=True):
    """A metric over the questions that both measurements have: the means before and after, and what can be said of the difference."""

    metric: str
    before: float | None
    after: float | None
    effect: Effect
    winners: tuple[Change, ...] = ()
    losers: tuple[Change, ...] = ()


class Compared(msgspec.Struct, frozen=True):
    """Two decisions. ``shift`` leads from the settings of the first to those of the second; ``same_set`` says that the sets are equal.

    ``common`` are the metrics over the ``questions`` that both have, none where ``k`` (the places looked at) differs. ``stock`` are the
    fingerprints part by part, that of the settings left out.
    """

    shift: Shift
    same_set: bool
    set_change: SetChange
    k: tuple[int, int]
    questions: int
    common: tuple[Common, ...] = ()
    stock: tuple[Line, ...] = ()


def compared(before: Decision, after: Decision, sampling: Sampling = SAMPLING) -> Compared:
    """What leads from one decision to another, by what each of them recorded."""
    same_places = before.report.k == after.report.k
    found = against(before.report, after.report, sampling=sampling) if same_places else None
    return Compared(
        _shift(before, after),
        before.set_fingerprint == after.set_fingerprint,
        set_change(before.questions, after.questions),
        (before.report.k, after.report.k),
        found.questions if found else 0,
        tuple(_common(found, before.report, after.report)) if found else (),
        marks(before.fingerprint, after.fingerprint),
    )


def _shift(before: Decision, after: Decision) -> Shift:
    former = Event("", "", "decided", "", settings=before.settings, without=before.without)
    return shift(former, after.settings, after.without)


def marks(before: Fingerprint, after: Fingerprint) -> tuple[Line, ...]:
    """Code, index, model and anchors of two measurements, part by part."""
    return tuple(line for line in lines(before, after) if line.part != "settings")


def set_change(before: QuestionSet, after: QuestionSet) -> SetChange:
    """What leads from one set to another, question by question, by their ids."""
    old, new = ({one.id: one for one in some.questions} for some in (before, after))
    both = [(old[one], new[one]) for one in new if one in old]
    return SetChange(
        tuple(one for name, one in new.items() if name not in old),
        tuple(one for name, one in old.items() if name not in new),
        tuple(other for one, other in both if _asked(one) != _asked(other)),
        tuple(other for one, other in both if _asked(one) == _asked(other) and one != other),
    )


def _asked(one: Question) -> tuple[object, ...]:
    """What an answer needs: norms with grades, and whether less is no answer; the words of a person do not count."""
    return one.chain, tuple(tuple((gold.address, gold.grade) for gold in need.any_of) for need in one.needs)


def _common(found: Against, before: Report, after: Report) -> Iterable[Common]:
    pairs = _pairs(before, after)
    for one in found.metrics:
        values = [(old.values.get(one.metric), new.values.get(one.metric)) for old, new in pairs]
        both = [(old, new) for old, new in values if old is not None and new is not None]
        means = [_mean([pair[side] for pair in both]) for side in (0, 1)]
        yield Common(one.metric, means[0], means[1], one.effect, one.winners, one.losers)


def _pairs(before: Report, after: Report) -> list[tuple[Row, Row]]:
    """The rows of the questions that both reports have and that ask the same."""
    rows = {row.question_id: row for row in before.rows}
    both = ((rows[row.question_id], row) for row in after.rows if row.question_id in rows)
    return [(old, new) for old, new in both if old.fingerprint == new.fingerprint]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


# --- who loses -------------------------------------------------------------------------------------------------------------


class Loss(msgspec.Struct, frozen=True):
    """A question that loses, with each metric in which it does."""

    question_id: str
    question: str
    changes: tuple[tuple[str, Change], ...]


def losses(found: Iterable[MetricChange | Common]) -> tuple[Loss, ...]:
    """The questions that lose in any metric, each once, those first that lose in the first metrics."""
    lost: dict[str, list[tuple[str, Change]]] = {}
    for one in found:
        for change in one.losers:
            lost.setdefault(change.question_id, []).append((one.metric, change))
    return tuple(Loss(name, changes[0][1].question, tuple(changes)) for name, changes in lost.items())


# --- a decision against today ----------------------------------------------------------------------------------------------


class Shortfall(msgspec.Struct, frozen=True):
    """A metric that is lower than decided by more than is allowed, or has no value any more; ``worse`` are the questions that lost."""

    metric: str
    decided: float
    now: float | None
    worse: tuple[Change, ...] = ()


class Held(msgspec.Struct, frozen=True):
    """Whether a decision still holds over the ``questions`` that it and the set of today have in common.

    ``worse`` are all questions that lost, by metric, also where their mean held. ``stock`` are the fingerprints then and now.
    """

    name: str
    tolerance: float
    questions: int
    shortfalls: tuple[Shortfall, ...] = ()
    worse: dict[str, tuple[Change, ...]] = {}
    same_set: bool = True
    unpaired: tuple[str, ...] = ()
    stock: tuple[Line, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every figure was reached; nothing is proved where no question is common."""
        return bool(self.questions) and not self.shortfalls


def held(decision: Decision, report: Report, tolerance: float = 0.0, now: Fingerprint = NO_MARKS) -> Held:
    """A decision against a measurement of its settings over as many places, today.

    ``tolerance`` (0 to 1) is how far a mean may fall. Only questions that ask the same are compared.
    """
    pairs = _pairs(decision.report, report)
    shortfalls: list[Shortfall] = []
    worse: dict[str, tuple[Change, ...]] = {}
    for name in (name for name, metric in METRICS.items() if metric.compared):
        decided, today, lost = _metric(name, pairs)
        if lost:
            worse[name] = lost
        if decided is not None and (today is None or today < decided - tolerance - _ROUNDING):
            shortfalls.append(Shortfall(name, decided, today, lost))
    paired = {row.question_id for _, row in pairs}
    named = dict.fromkeys(row.question_id for one in (decision.report, report) for row in one.rows)
    failed = [one.question_id for one in report.failed]
    return Held(
        decision.name,
        tolerance,
        len(pairs),
        tuple(shortfalls),
        worse,
        decision.report.fingerprint == report.fingerprint,
        tuple(one for one in dict.fromkeys((*named, *failed)) if one not in paired),
        marks(decision.fingerprint, now),
    )


def _metric(name: str, pairs: Sequence[tuple[Row, Row]]) -> tuple[float | None, float | None, tuple[Change, ...]]:
    """The decided mean and that of today over the same questions, and those that lost, the largest loss first."""
    values = [(new, old.values.get(name), new.values.get(name)) for old, new in pairs]
    both = [(row, before, after) for row, before, after in values if before is not None and after is not None]
    if not both:
        return _mean([before for _, before, _ in values if before is not None]), None, ()
    lost = [Change(row.question_id, row.question, before, after) for row, before, after in both if after < before - _ROUNDING]
    ordered = tuple(sorted(lost, key=lambda one: one.after - one.before))
    return _mean([before for _, before, _ in both]), _mean([after for _, _, after in both]), ordered

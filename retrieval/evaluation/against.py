"""One report against another: what a second setting changes, how sure that is, and which questions gain and lose, by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.evaluate import SAMPLING, Sampling
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.report import Report, Row
from retrieval.evaluation.statistics import Effect, effects
from retrieval.inspector.comparison import Difference, differences

_SAME = 1e-12


class Change(msgspec.Struct, frozen=True):
    """A question whose value differs."""

    question_id: str
    question: str
    before: float
    after: float


class MetricChange(msgspec.Struct, frozen=True):
    """What becomes of one metric; winners and losers with the largest change first."""

    metric: str
    effect: Effect
    winners: tuple[Change, ...] = ()
    losers: tuple[Change, ...] = ()


class Against(msgspec.Struct, frozen=True):
    """Two reports of one set.

    ``differing`` are the settings in which they differ. ``unpaired`` are questions that stand in one report only, or that ask for other
    norms in each: they are compared in nothing. ``stock_differs`` says that the reports do not rest on the same stock, anchors or code.
    """

    metrics: tuple[MetricChange, ...]
    questions: int
    differing: tuple[Difference, ...] = ()
    unpaired: tuple[str, ...] = ()
    stock_differs: bool = False


def against(before: Report, after: Report, ids: Collection[str] | None = None, sampling: Sampling = SAMPLING) -> Against:
    """The second report against the first, over the questions of ``ids`` (all where None): the held-out half, say.

    All metrics are compared at once, and their chances are raised for that. Raises BadInput where the reports look at different numbers
    of places.
    """
    if before.k != after.k:
        raise BadInput(f"Two reports: found figures over {before.k} and {after.k} places, expected the same number. Evaluate both alike.")
    rows = {row.question_id: row for row in before.rows}
    pairs = [(rows[row.question_id], row) for row in after.rows if row.question_id in rows and _wanted(row, ids)]
    paired = [(one, other) for one, other in pairs if one.fingerprint == other.fingerprint]
    return Against(
        _metrics(paired, sampling),
        len(paired),
        differences((before.settings, after.settings), (before.without, after.without)) if before.settings and after.settings else (),
        _unpaired(before, after, {one.question_id for one, _ in paired}, ids),
        set(before.stamps) != set(after.stamps),
    )


def _wanted(row: Row, ids: Collection[str] | None) -> bool:
    return ids is None or row.question_id in ids


def _unpaired(before: Report, after: Report, paired: Collection[str], ids: Collection[str] | None) -> tuple[str, ...]:
    named = dict.fromkeys(row.question_id for report in (before, after) for row in report.rows if _wanted(row, ids))
    lost = dict.fromkeys(one.question_id for report in (before, after) for one in report.failed if ids is None or one.question_id in ids)
    return tuple(one for one in {**named, **lost} if one not in paired)


Pair = tuple[Row, Row]


def _metrics(pairs: Sequence[Pair], sampling: Sampling) -> tuple[MetricChange, ...]:
    names = [name for name, metric in METRICS.items() if metric.compared]
    changes = {name: [change for pair in pairs if (change := _change(pair, name))] for name in names}
    values = [([one.before for one in changes[name]], [one.after for one in changes[name]]) for name in names]
    found = effects(values, sampling.level, sampling.resamples, sampling.seed)
    return tuple(MetricChange(name, effect, *_moved(changes[name])) for name, effect in zip(names, found, strict=True))


def _change(pair: Pair, name: str) -> Change | None:
    before, after = (row.values.get(name) for row in pair)
    return None if before is None or after is None else Change(pair[1].question_id, pair[1].question, before, after)


def _moved(changes: Iterable[Change]) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    ordered = sorted(changes, key=lambda one: -abs(one.after - one.before))
    winners = tuple(one for one in ordered if one.after - one.before > _SAME)
    return winners, tuple(one for one in ordered if one.before - one.after > _SAME)

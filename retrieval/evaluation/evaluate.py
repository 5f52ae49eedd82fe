"""Evaluate: a set of questions and one run for each become a report with all figures, their intervals, and what limits them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.assertions import Assertion, assertions, matrix
from retrieval.evaluation.golds import CheckedQuestion, CheckedSet, Found, Golds
from retrieval.evaluation.judging import NO_JUDGEMENTS, JudgedList, Judgements, judge, only_needs
from retrieval.evaluation.metrics import METRICS, Metric, Values
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.report import Failed, Figure, Group, Problem, Report, Row
from retrieval.evaluation.sets import fingerprint
from retrieval.evaluation.statistics import LEVEL, RESAMPLES, SEED, Estimate, mean, share
from retrieval.model import Address, Chunk
from retrieval.settings import Settings
from retrieval.trace import Stamps, Trace

log = logging.getLogger(__name__)
Runs = Callable[[str], Trace] | Mapping[str, Trace]
"""Makes the run of a question from its text, or holds the runs by question id."""
PLACES = 10
"""How many places are looked at where neither the caller nor the runs name a number."""


class Sampling(msgspec.Struct, frozen=True):
    """How sure the intervals are to be, and how they are drawn."""

    level: float = LEVEL
    resamples: int = RESAMPLES
    seed: int = SEED


SAMPLING = Sampling()


class _Ran(msgspec.Struct, frozen=True):
    """What an evaluation keeps of a run: a whole trace for each of 300 questions would be too much."""

    chunks: tuple[Chunk, ...]
    cells: tuple[Assertion, ...]
    settings: Settings
    without: tuple[str, ...]
    limit: int | None
    stamps: Stamps
    partial: bool


def evaluate(
    questions: QuestionSet | CheckedSet,
    runs: Runs,
    *,
    k: int | None = None,
    judgements: Judgements = NO_JUDGEMENTS,
    sampling: Sampling = SAMPLING,
) -> Report:
    """The report of a set under the one setting of its runs.

    ``questions`` may come checked against the stock (``Golds(federation).check``); only then is known which gold norms cannot be found.
    ``k`` replaces the limit of the runs as the number of places looked at. A question whose run raises is named and enters no figure.
    Raises BadInput for runs of different settings.
    """
    checked = questions if isinstance(questions, CheckedSet) else Golds().check(questions)
    ran, failed = _run(checked.settled, runs)
    settings, without = _setting(ran.values())
    pairs = [(one, settled) for one, settled in zip(checked.questions, checked.settled.questions, strict=True) if settled.id in ran]
    asked = [settled for _, settled in pairs]
    lists = tuple(judge(one, ran[one.id].chunks, judgements.get(one.id, ()), _demanded(ran[one.id])) for one in asked)
    part = _Part(lists, tuple(one.found for one, _ in pairs), k or _limit(ran.values()), sampling)
    return Report(
        name=checked.settled.name,
        fingerprint=fingerprint(checked.settled),
        k=part.k,
        settings=settings,
        without=without,
        stamps=tuple(dict.fromkeys(one.stamps for one in ran.values())),
        figures=_figures(part, METRICS.values()),
        by_corpus=_by_corpus(pairs, ran, judgements, part),
        by_tag=_by_tag(asked, part),
        rows=_rows(asked, ran, part),
        golds=checked.golds,
        checked=any(found.state != "unchecked" for one in checked.questions for found in one.found),
        problems=tuple(_problems(checked.questions)),
        failed=failed,
        without_gold=tuple(one.id for one in asked if not one.needs),
        demands=matrix(asked, (cell for one in ran.values() for cell in one.cells)),
        level=sampling.level,
    )


# --- the runs ---------------------------------------------------------------------------------------------------------


def _run(questions: QuestionSet, runs: Runs) -> tuple[dict[str, _Ran], tuple[Failed, ...]]:
    ran: dict[str, _Ran] = {}
    failed: list[Failed] = []
    for question in questions.questions:
        try:
            trace = runs(question.text) if callable(runs) else _held(runs, question.id)
            ran[question.id] = _kept(question, trace)
        except Exception as error:
            log.exception("a question of the set could not be run")
            failed.append(Failed(question.id, question.text, type(error).__name__, str(error)[:500]))
    return ran, tuple(failed)


def _held(runs: Mapping[str, Trace], question_id: str) -> Trace:
    if question_id not in runs:
        raise LookupError("No run was handed over for this question.")
    return runs[question_id]


def _kept(question: Question, trace: Trace) -> _Ran:
    chunks = tuple(trace.chunks[entry.chunk_id] for entry in trace.final)
    return _Ran(chunks, assertions(question, trace), trace.settings, trace.without, trace.limit, trace.stamps, trace.partial)


def _demanded(ran: _Ran) -> list[Address]:
    return [cell.norm for cell in ran.cells]


def _setting(ran: Iterable[_Ran]) -> tuple[Settings | None, tuple[str, ...]]:
    found = {(tuple(one.settings.flat().items()), one.without): (one.settings, one.without) for one in ran}
    if len(found) > 1:
        raise BadInput(f"Evaluation: found runs under {len(found)} settings, expected one. Evaluate each setting by itself.")
    return next(iter(found.values()), (None, ()))


def _limit(ran: Iterable[_Ran]) -> int:
    return max((one.limit for one in ran if one.limit), default=PLACES)


def _fingerprint(question: Question) -> str:
    return hashlib.sha256(msgspec.json.encode(question)).hexdigest()


# --- figures ----------------------------------------------------------------------------------------------------------


class _Part(msgspec.Struct, frozen=True):
    """A part of the set that is measured: its lists, the gold norms of each, and how."""

    lists: tuple[JudgedList, ...]
    golds: tuple[tuple[Found, ...], ...]
    k: int
    sampling: Sampling


def _figures(part: _Part, metrics: Iterable[Metric]) -> tuple[Figure, ...]:
    """The figures of the questions of a part."""
    return tuple(_figure(part, metric) for metric in metrics)


def _figure(part: _Part, metric: Metric) -> Figure:
    values = metric.values(part.lists, part.k)
    entered = [found for golds, value in zip(part.golds, values, strict=True) if value is not None for found in golds]
    judged = _estimate(metric.judged_values(part.lists, part.k), metric, part.sampling)
    lost = sum(not found.reachable for found in entered)
    repealed = sum(found.state == "repealed" for found in entered)
    return Figure(metric.name, _estimate(values, metric, part.sampling), judged, len(entered), lost, repealed)


def _estimate(values: Values, metric: Metric, sampling: Sampling) -> Estimate:
    known = [value for value in values if value is not None]
    if metric.kind == "share":
        return share(known, sampling.level)
    return mean(known, sampling.level, sampling.resamples, sampling.seed)


Pairs = Sequence[tuple[CheckedQuestion, Question]]


def _by_corpus(pairs: Pairs, ran: Mapping[str, _Ran], judgements: Judgements, whole: _Part) -> tuple[Group, ...]:
    """For each corpus the questions that need a norm of it, as if only its norms were asked for."""
    corpora = dict.fromkeys(gold.address.corpus_id for _, one in pairs for need in one.needs for gold in need.any_of)
    metrics = [metric for metric in METRICS.values() if metric.by_corpus]
    groups: list[Group] = []
    for corpus in sorted(filter(None, corpora)):  # a norm that could not be read has none
        narrowed = [(one, only_needs(settled, {corpus})) for one, settled in pairs]
        there = [(one, settled) for one, settled in narrowed if settled.needs]
        lists = tuple(judge(one, ran[one.id].chunks, judgements.get(one.id, ())) for _, one in there)
        golds = tuple(tuple(found for found in one.found if found.gold.address.corpus_id == corpus) for one, _ in there)
        part = _Part(lists, golds, whole.k, whole.sampling)
        groups.append(Group(corpus, len(there), _figures(part, metrics)))
    return tuple(groups)


def _by_tag(questions: Sequence[Question], whole: _Part) -> tuple[Group, ...]:
    groups: list[Group] = []
    for tag in sorted({tag for one in questions for tag in one.tags}):
        here = [place for place, one in enumerate(questions) if tag in one.tags]
        part = _Part(tuple(whole.lists[one] for one in here), tuple(whole.golds[one] for one in here), whole.k, whole.sampling)
        groups.append(Group(tag, len(here), _figures(part, METRICS.values())))
    return tuple(groups)


def _rows(questions: Sequence[Question], ran: Mapping[str, _Ran], part: _Part) -> tuple[Row, ...]:
    values = {name: metric.values(part.lists, part.k) for name, metric in METRICS.items()}
    judged = {name: metric.judged_values(part.lists, part.k) for name, metric in METRICS.items()}
    return tuple(
        Row(
            question.id,
            question.text,
            _fingerprint(question),
            question.tags,
            tuple(place.chunk_id for place in one.places),
            one.first_places,
            one.unjudged,
            {name: found[number] for name, found in values.items()},
            {name: found[number] for name, found in judged.items()},
            ran[question.id].partial,
        )
        for number, (question, one) in enumerate(zip(questions, part.lists, strict=True))
    )


def _problems(questions: Iterable[CheckedQuestion]) -> Iterable[Problem]:
    found = ((one.question.id, gold) for one in questions for gold in one.found)
    return (Problem(question_id, one.gold, one.state) for question_id, one in found if not one.reachable or one.state == "repealed")

"""The oracle gap: the best list that each stage of a run still allows, so that it is known which stage loses the norms.

Between what the set asks for and the real list lie seven steps. After each of them the best list is built that could be made of what is
there, and measured as the real one is. A step costs what the best list after it is worth less than the one before it; following references
can only give back. The steps sum up, so that 1 minus all of them is the real figure.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Literal

import msgspec

from retrieval.evaluation.golds import CheckedQuestion
from retrieval.evaluation.judging import JudgedList, Place, judge
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Need, Question, covers
from retrieval.model import Address, Chunk
from retrieval.ranking import Entry
from retrieval.trace import Trace

Stage = Literal["stock", "asked", "length", "candidates", "references", "quota", "order"]
"""``stock``: no search can find it. ``asked``: its corpus was not asked. ``length``: the list is too short for all that is needed.
``candidates``: neither route, look-up nor anchor found it. ``references``: gives back what a reference brought. ``quota``: left out of the
list, by the quota or by rank. ``order``: in the list, but further down than it could stand."""
STAGES: tuple[Stage, ...] = ("stock", "asked", "length", "candidates", "references", "quota", "order")
METRICS_OF_LISTS = ("recall", "chain_coverage", "ndcg")
_MOST_CHOSEN = 12
Offer = frozenset[int]
"""The needs (from 0) that one piece of text fulfils."""


class Lost(msgspec.Struct, frozen=True):
    """A need that a stage loses for good, or that references brought back (``regained``); ``any_of`` are its norms.

    For ``order`` the need stands at ``place`` and could stand at ``best``; both count from 1 and are 0 for the other stages.
    """

    need: int
    any_of: tuple[Address, ...]
    stage: Stage
    regained: bool = False
    place: int = 0
    best: int = 0


class QuestionOracle(msgspec.Struct, frozen=True):
    """One question. ``best[metric][i]`` is the metric of the best list after ``STAGES[i]``, last the real list; None: does not enter."""

    question_id: str
    question: str
    best: dict[str, tuple[float, ...] | None]
    lost: tuple[Lost, ...] = ()

    def losses(self, metric: str) -> tuple[float, ...]:
        """What each stage costs this question; all 0 where it does not enter the metric. Below 0 is a gain."""
        best = self.best[metric]
        return _steps(best) if best else (0.0,) * len(STAGES)


class MetricOracle(msgspec.Struct, frozen=True):
    """One metric over the questions that enter it: the mean of the best lists after each stage; None and n = 0 where none enters."""

    metric: str
    n: int
    best: tuple[float, ...] | None = None

    @property
    def losses(self) -> tuple[float, ...]:
        """What each stage costs on average; 1 minus their sum is the real figure. Below 0 is a gain."""
        return _steps(self.best) if self.best else ()


class Oracle(msgspec.Struct, frozen=True):
    """The oracle gap of a set under one setting."""

    metrics: tuple[MetricOracle, ...]
    questions: tuple[QuestionOracle, ...]

    def metric(self, name: str) -> MetricOracle:
        """One metric by its name. Raises KeyError for another."""
        return {one.metric: one for one in self.metrics}[name]


def _steps(best: Sequence[float]) -> tuple[float, ...]:
    return tuple(before - after for before, after in pairwise((1.0, *best)))


def summed(questions: Iterable[QuestionOracle]) -> Oracle:
    """The oracle gap of a set from those of its questions."""
    made = tuple(questions)
    return Oracle(tuple(_mean(name, made) for name in METRICS_OF_LISTS), made)


def _mean(metric: str, questions: Sequence[QuestionOracle]) -> MetricOracle:
    entered = [best for one in questions if (best := one.best[metric]) is not None]
    if not entered:
        return MetricOracle(metric, 0)
    return MetricOracle(metric, len(entered), tuple(math.fsum(column) / len(entered) for column in zip(*entered, strict=True)))


# --- one question -----------------------------------------------------------------------------------------------------


def oracle(checked: CheckedQuestion, trace: Trace, k: int | None = None) -> QuestionOracle:
    """The best lists of one question over its run. ``k`` places are looked at, as many as the run's limit where None.

    ``checked`` is the question with its norms as the stock has them; ``trace`` the run of its text.
    """
    question = settled(checked)
    places = k or trace.limit or len(trace.final)
    real = judge(question, _chunks(trace.final, trace))
    levels = _levels(checked, question, trace)
    lists = [(_covering(real, level, limit), _ordered(real, level)) for level, limit in _limited(levels, places)]
    best = {name: _values(name, lists, real, places) for name in METRICS_OF_LISTS}
    return QuestionOracle(checked.question.id, checked.question.text, best, _lost(question, levels, real))


def settled(checked: CheckedQuestion) -> Question:
    """The question with every gold norm as the stock spells it."""
    needs = tuple(Need(tuple(found.gold for found in need)) for need in checked.needs)
    return msgspec.structs.replace(checked.question, needs=needs)


Level = tuple[Offer, ...]


def _levels(checked: CheckedQuestion, question: Question, trace: Trace) -> dict[Stage, Level]:
    """What each stage leaves to build a list of. Before the search every norm that can be found counts as a piece of its own."""
    lists: dict[Stage, tuple[Entry, ...]] = {
        "candidates": trace.anchored.living,
        "references": trace.completed.living,
        "quota": trace.final,
    }
    found = {stage: _offers(question, _chunks(entries, trace)) for stage, entries in lists.items()}
    reachable = [{one.gold.address.corpus_id for one in need if one.reachable} for need in checked.needs]
    stock = _singles(number for number, corpora in enumerate(reachable) if corpora)
    asked = _singles(number for number, corpora in enumerate(reachable) if corpora & set(trace.selection.selected))
    later = (*found["candidates"], *found["references"])
    return {"stock": (*stock, *later), "asked": (*asked, *later), **found}


def _singles(needs: Iterable[int]) -> Level:
    return tuple(frozenset((need,)) for need in needs)


def _chunks(entries: Iterable[Entry], trace: Trace) -> list[Chunk]:
    return [trace.chunks[entry.chunk_id] for entry in entries]


def _offers(question: Question, chunks: Iterable[Chunk]) -> Level:
    offers = (_offer(question, chunk) for chunk in chunks)
    return tuple(offer for offer in offers if offer)


def _offer(question: Question, chunk: Chunk) -> Offer:
    return frozenset(number for number, need in enumerate(question.needs) if any(covers(one.address, chunk) for one in need.any_of))


def _limited(levels: Mapping[Stage, Level], places: int) -> list[tuple[Level, int | None]]:
    """The levels in the order of the stages with the length of their lists: only from ``length`` on is it limited."""
    order: tuple[Stage, ...] = ("stock", "asked", "asked", "candidates", "references", "quota")
    return [(levels[stage], None if number < STAGES.index("length") else places) for number, stage in enumerate(order)]


def _values(metric: str, lists: Sequence[tuple[JudgedList, JudgedList]], real: JudgedList, k: int) -> tuple[float, ...] | None:
    ordered = metric == "ndcg"
    # What is longer than the list is looked at whole: only the step "length" cuts it.
    found = [METRICS[metric].of([one[ordered]], k if ordered else max(k, len(real.grades)))[0] for one in lists]
    known = [value for value in (*found, METRICS[metric].of([real], k)[0]) if value is not None]
    return tuple(known) if len(known) == len(STAGES) else None


# --- the best list ----------------------------------------------------------------------------------------------------


def _covering(real: JudgedList, level: Level, limit: int | None) -> JudgedList:
    """A list of at most ``limit`` places that fulfils as many needs as any."""
    done: set[int] = set()
    places = []
    for offer in covering(level, limit):
        places.append(Place("", tuple(sorted(offer - done))))
        done |= offer
    return msgspec.structs.replace(real, places=tuple(places))


def covering(level: Collection[Offer], limit: int | None) -> tuple[Offer, ...]:
    """The offers, at most ``limit`` of them, that fulfil together as many needs as any so many.

    Where there are places for all needs, one offer for each does. Else all choices among the offers that fulfil several needs are looked
    at, or, where those are more than twelve, the choice that adds most each time; single needs fill the rest.
    """
    every: frozenset[int] = frozenset().union(*level)
    whole = [offer for offer in set(level) if not any(offer < other for other in level)]
    whole.sort(key=lambda offer: (-len(offer), sorted(offer)))
    if limit is None or len(every) <= limit:
        return tuple(next(offer for offer in whole if need in offer) for need in sorted(every))
    several, single = ([offer for offer in whole if (len(offer) > 1) is many] for many in (True, False))
    filled = [(*choice, *single[: limit - len(choice)]) for choice in _choices(several) if len(choice) <= limit]
    return max(filled, key=lambda choice: len(frozenset().union(*choice)))


def _choices(several: Sequence[Offer]) -> Iterable[tuple[Offer, ...]]:
    if len(several) <= _MOST_CHOSEN:
        return (choice for size in range(len(several) + 1) for choice in combinations(several, size))
    taken: list[Offer] = []
    for _ in several:
        done: frozenset[int] = frozenset().union(*taken)
        taken.append(max((offer for offer in several if offer not in taken), key=lambda offer: len(offer - done)))
    return [tuple(taken[:size]) for size in range(len(taken) + 1)]


def _ordered(real: JudgedList, level: Level) -> JudgedList:
    """The list in which each place earns a need, the weightiest first."""
    earned = sorted(earning(level, real.grades), key=lambda need: (-real.grades[need], need))
    return msgspec.structs.replace(real, places=tuple(Place("", (need,), need) for need in earned))


def earning(level: Sequence[Offer], grades: Sequence[int]) -> set[int]:
    """The needs that can each be given to a piece of text of its own, the weightiest first.

    Needs that can be served together form a matroid, so taking the weightiest that still fits each time gives the best list of every
    length. Reference: J. Edmonds, Matroids and the greedy algorithm, Mathematical Programming 1, 1971.
    """
    holder: dict[int, int] = {}
    order = sorted(range(len(grades)), key=lambda need: (-grades[need], need))
    return {need for need in order if _placed(need, level, holder, set())}


def _placed(need: int, level: Sequence[Offer], holder: dict[int, int], seen: set[int]) -> bool:
    """Give a need a piece of its own, moving others to further pieces where that makes room."""
    for piece, offer in enumerate(level):
        if need not in offer or piece in seen:
            continue
        seen.add(piece)
        if piece not in holder or _placed(holder[piece], level, holder, seen):
            holder[piece] = need
            return True
    return False


# --- which norms ------------------------------------------------------------------------------------------------------


def _lost(question: Question, levels: Mapping[Stage, Level], real: JudgedList) -> tuple[Lost, ...]:
    there = {stage: frozenset().union(*level) for stage, level in levels.items()}
    named = [_named(question, number, there) for number in range(len(question.needs))]
    return (*(one for found in named for one in found), *_lower(question, real))


def _named(question: Question, need: int, there: Mapping[Stage, frozenset[int]]) -> list[Lost]:
    """Where this need is lost, and whether a reference brought it back before."""
    any_of = tuple(one.address for one in question.needs[need].any_of)
    before: tuple[Stage, ...] = ("stock", "asked")
    missing = next((stage for stage in before if need not in there[stage]), None)
    if missing is not None:
        return [Lost(need, any_of, missing)]
    if need not in there["references"]:
        return [Lost(need, any_of, "candidates")]
    back = [] if need in there["candidates"] else [Lost(need, any_of, "references", regained=True)]
    return back if need in there["quota"] else [*back, Lost(need, any_of, "quota")]


def _lower(question: Question, real: JudgedList) -> Iterable[Lost]:
    """The needs that are earned further down than in the best order of the same list."""
    places = {place.earns: number for number, place in enumerate(real.places, start=1) if place.earns is not None}
    order = sorted(places, key=lambda need: (-real.grades[need], places[need]))
    for best, need in enumerate(order, start=1):
        if places[need] > best:
            yield Lost(need, tuple(one.address for one in question.needs[need].any_of), "order", place=places[need], best=best)

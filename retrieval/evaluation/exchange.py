"""The exchange: two values of one setting over a set of questions, which hits leave and come, by which way, and which norms that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from retrieval.evaluation.judging import JudgedList, judge
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Question, covers
from retrieval.evaluation.staircase import Flip, Ids, Score, Staircase, staircase
from retrieval.inspector.tracks import Track
from retrieval.knobs import Value
from retrieval.model import DEFINITION_LOOKUP, NORM_ANCHOR, SECTION_LOOKUP, VERWEIS, Address, Chunk
from retrieval.trace import Trace

Way = Literal["verweis", "quota", "anchor", "lookup", "search"]
WAYS: tuple[Way, ...] = ("verweis", "quota", "anchor", "lookup", "search")
"""What gives a hit its place: the value of a reference, the quota from behind the last place, the value of an anchor or of a section that
the question names, else the search."""
_BY: dict[str, Way] = {VERWEIS: "verweis", NORM_ANCHOR: "anchor", SECTION_LOOKUP: "lookup", DEFINITION_LOOKUP: "lookup"}


class Swapped(msgspec.Struct, frozen=True):
    """A hit that stands in one of two lists only: its place there (from 1), its way there, and the needs that it helps to fulfil."""

    chunk_id: str
    norm: Address
    way: Way
    place: int
    needs: tuple[int, ...] = ()


class Shifted(msgspec.Struct, frozen=True):
    """A hit that a reference places in one of both lists or in both: its places there (from 1)."""

    chunk_id: str
    norm: Address
    before: int
    after: int


class Exchange(msgspec.Struct, frozen=True):
    """One question under both values: what leaves, what comes, and the needs (from 0) that are fulfilled under one of them only.

    ``shifted`` are the hits placed by a reference that stand in both lists on different places. ``quota_lost`` and ``quota_gained`` are the
    corpora that take part in the quota under the first value only, and under the second only.
    """

    question_id: str
    question: str
    leaves: tuple[Swapped, ...] = ()
    comes: tuple[Swapped, ...] = ()
    lost: tuple[int, ...] = ()
    gained: tuple[int, ...] = ()
    shifted: tuple[Shifted, ...] = ()
    quota_lost: tuple[str, ...] = ()
    quota_gained: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether both lists hold the same hits."""
        return not (self.leaves or self.comes)


class Balance(msgspec.Struct, frozen=True):
    """How many hits left and came by one way over a whole set, and how many of them help to fulfil a need."""

    way: Way
    leaves: int
    comes: int
    leaves_needed: int = 0
    comes_needed: int = 0


class Turn(msgspec.Struct, frozen=True):
    """One question whose figure changes while the setting goes from one value to the other.

    ``at`` are the values at which it does, in the order in which they are passed; ``exact`` says that these are the very points, else the
    first of the values that were tried.
    """

    question_id: str
    before: float
    after: float
    at: tuple[float, ...]
    exact: bool = True


# --- what is replaced by what -------------------------------------------------------------------------------------------


def exchange(question: Question, first: Trace, second: Trace) -> Exchange:
    """What the second list of a question holds instead of the first; ``question`` has its gold norms as the stock spells them."""
    before, after = ({entry.chunk_id: place for place, entry in enumerate(run.final, start=1)} for run in (first, second))
    leaves = tuple(_swapped(one, place, question, first) for one, place in before.items() if one not in after)
    comes = tuple(_swapped(one, place, question, second) for one, place in after.items() if one not in before)
    had, has = (_fulfilled(question, run) for run in (first, second))
    shifted = tuple(
        Shifted(one, second.chunks[one].address, before[one], after[one])
        for one in after
        if one in before and before[one] != after[one] and "verweis" in (way(one, first), way(one, second))
    )
    lost, gained = tuple(sorted(had - has)), tuple(sorted(has - had))
    return Exchange(question.id, question.text, leaves, comes, lost, gained, shifted, _only(first, second), _only(second, first))


def _only(one: Trace, other: Trace) -> tuple[str, ...]:
    """The corpora that take part in the quota of one run and not of the other."""
    there = {corpus.corpus_id for corpus in other.quota.corpora if corpus.takes_part}
    return tuple(corpus.corpus_id for corpus in one.quota.corpora if corpus.takes_part and corpus.corpus_id not in there)


def _swapped(chunk_id: str, place: int, question: Question, trace: Trace) -> Swapped:
    chunk = trace.chunks[chunk_id]
    return Swapped(chunk_id, chunk.address, way(chunk_id, trace), place, _needs(question, chunk))


def way(chunk_id: str, trace: Trace) -> Way:
    """What gives a hit of the final list its place.

    One that stood behind the last place before the quota comes by the quota, whatever else found it.
    """
    before = 1 + [entry.chunk_id for entry in trace.completed.living].index(chunk_id)
    if trace.limit is not None and before > trace.limit:
        return "quota"
    return _BY.get(trace.completed.living[before - 1].rank_by, "search")


def _needs(question: Question, chunk: Chunk) -> tuple[int, ...]:
    return tuple(number for number, need in enumerate(question.needs) if any(covers(one.address, chunk) for one in need.any_of))


def _fulfilled(question: Question, trace: Trace) -> set[int]:
    return {need for entry in trace.final for need in _needs(question, trace.chunks[entry.chunk_id])}


def balance(found: Iterable[Exchange]) -> tuple[Balance, ...]:
    """The hits of all questions by their ways; the sums are those of the questions."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    for one in found:
        counts.update(("leaves", hit.way, bool(hit.needs)) for hit in one.leaves)
        counts.update(("comes", hit.way, bool(hit.needs)) for hit in one.comes)

    def of(side: str, name: Way) -> int:
        return counts[side, name, True] + counts[side, name, False]

    return tuple(
        Balance(name, of("leaves", name), of("comes", name), counts["leaves", name, True], counts["comes", name, True]) for name in WAYS
    )


# --- where it happens ---------------------------------------------------------------------------------------------------


def scorer(questions: Iterable[Question], metric: str, k: int, chunk: Callable[[str], Chunk]) -> Score:
    """What a list is worth for a question by one metric, as the report counts it; ``chunk`` gives the text of an id."""
    known = {one.id: one for one in questions}

    def of(question_id: str, ids: Ids) -> float | None:
        judged: JudgedList = judge(known[question_id], [chunk(one) for one in ids])
        return METRICS[metric].of([judged], k)[0]

    return of


def turns(tracks: Mapping[str, Track], score: Score, first: float, second: float) -> tuple[Staircase, tuple[Turn, ...]]:
    """The exact staircase over the whole range, and at which values each question turns on the way from the first to the second value."""
    stairs = staircase(tracks, score)
    low, high = sorted((first, second))
    met: dict[str, list[float]] = {}
    for place, flips in enumerate(stairs.flips):
        point = stairs.points[place + 1]
        for flip in flips if low <= point <= high else ():
            met.setdefault(flip.question, []).append(point)
    return stairs, tuple(_turns(tracks, score, met, first, second))


def _turns(tracks: Mapping[str, Track], score: Score, met: Mapping[str, Sequence[float]], first: float, second: float) -> Iterable[Turn]:
    for question, track in tracks.items():
        before, after = (_at(track, score, question, value) for value in (first, second))
        if before is not None and after is not None and before != after:
            points = met.get(question, ())
            yield Turn(question, before, after, tuple(points if first <= second else reversed(points)))


def _at(track: Track, score: Score, question: str, value: float) -> float | None:
    ids = track.list_at(value)
    return None if ids is None else score(question, ids)


def steps(lists: Mapping[str, Sequence[Ids | None]], values: Sequence[Value], score: Score) -> tuple[Turn, ...]:
    """The same for a setting of whole numbers, from its lists at each of ``values``, which lead from the first to the second value."""
    found: list[Turn] = []
    for question, held in lists.items():
        flips = list(_flips(question, held, values, score))
        if flips and flips[0][1].before != flips[-1][1].after:
            found.append(Turn(question, flips[0][1].before, flips[-1][1].after, tuple(point for point, _ in flips), exact=False))
    return tuple(found)


def _flips(question: str, held: Sequence[Ids | None], values: Sequence[Value], score: Score) -> Iterable[tuple[float, Flip]]:
    before: float | None = None
    for value, ids in zip(values, held, strict=True):
        here = None if ids is None else score(question, ids)
        if before is not None and here is not None and here != before:
            yield float(value), Flip(question, before, here)
        before = here if here is not None else before

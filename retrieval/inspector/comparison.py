"""Comparison: how lists overlap, in which settings they differ, and which questions of a set change most.

Lists are compared as hits (chunk ids: what goes on to the answer) and, beside that, as norms: a list that trades one Absatz for another
of the same norm differs in hits and not in norms.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Literal

import msgspec

from retrieval.inspector.tracks import Moved
from retrieval.knobs import Value
from retrieval.settings import KNOBS, RERANKING, Settings
from retrieval.trace import Trace

P = 0.9
"""The persistence of RBO: how far down a reader goes. With 0.9 the first ten places carry 86 % of the weight."""
WITHOUT = "without"
"""The name under which the stages left out stand among the settings; their value is the stages with commas between them."""


class Overlap(msgspec.Struct, frozen=True):
    """Two lists against each other, places from 1.

    ``common`` stands in the order of the first list, ``only_a`` and ``only_b`` in the order of their own. ``moved`` are the common ones
    whose place differs. ``jaccard`` and ``rbo`` lie between 0 and 1; see the functions of those names.
    """

    common: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    moved: tuple[Moved, ...]
    jaccard: float
    rbo: float

    @property
    def equal(self) -> bool:
        """Whether both lists hold the same in the same order."""
        return not (self.only_a or self.only_b or self.moved)


class Pair(msgspec.Struct, frozen=True):
    """The lists with the numbers ``a`` and ``b`` (from 0) against each other."""

    a: int
    b: int
    overlap: Overlap


class Comparison(msgspec.Struct, frozen=True):
    """Any number of lists side by side.

    ``common`` stands in all of them (in the order of the first), ``only[i]`` in list ``i`` and no other, ``moved`` in all of them but
    not everywhere on the same place. ``pairs`` holds each pair of lists once.
    """

    lists: tuple[tuple[str, ...], ...]
    common: tuple[str, ...]
    only: tuple[tuple[str, ...], ...]
    moved: tuple[str, ...]
    pairs: tuple[Pair, ...]


def compare(lists: Sequence[Sequence[str]], p: float = P) -> Comparison:
    """Lists of ids, best first, against each other; an id that stands twice in a list counts at its first place."""
    once = tuple(tuple(dict.fromkeys(one)) for one in lists)
    sets = [frozenset(one) for one in once]
    shared = frozenset.intersection(*sets) if sets else frozenset()
    common = tuple(one for one in once[0] if one in shared) if once else ()
    places = [{one: place for place, one in enumerate(ids)} for ids in once]
    moved = tuple(one for one in common if len({place[one] for place in places}) > 1)
    only = tuple(_only(number, once, sets) for number in range(len(once)))
    pairs = tuple(Pair(a, b, overlap(once[a], once[b], p)) for a, b in combinations(range(len(once)), 2))
    return Comparison(once, common, only, moved, pairs)


def _only(number: int, lists: Sequence[Sequence[str]], sets: Sequence[frozenset[str]]) -> tuple[str, ...]:
    others: frozenset[str] = frozenset().union(*(found for place, found in enumerate(sets) if place != number))
    return tuple(one for one in lists[number] if one not in others)


def overlap(a: Sequence[str], b: Sequence[str], p: float = P) -> Overlap:
    """Two lists of ids, best first, against each other; an id that stands twice in a list counts at its first place."""
    before = {one: place for place, one in enumerate(dict.fromkeys(a), start=1)}
    after = {one: place for place, one in enumerate(dict.fromkeys(b), start=1)}
    common = tuple(one for one in before if one in after)
    return Overlap(
        common,
        tuple(one for one in before if one not in after),
        tuple(one for one in after if one not in before),
        tuple(Moved(one, before[one], after[one]) for one in common if before[one] != after[one]),
        jaccard(before, after),
        rbo(tuple(before), tuple(after), p),
    )


def jaccard(a: Collection[str], b: Collection[str]) -> float:
    """The share of what stands in both among what stands in at least one; 1 for two empty lists, which are equal."""
    every = {*a, *b}
    return len(set(a) & set(b)) / len(every) if every else 1.0


def rbo(a: Sequence[str], b: Sequence[str], p: float = P) -> float:
    """Rank-biased overlap, extrapolated (RBO_ext) for lists of any two lengths, from 0 (nothing in common) to 1.

    It weighs the agreement at each depth, the front places most, and assumes behind the end of a list what was seen up to there. A list
    and its own beginning have 1: they agree as far as both go. Two empty lists have 1, an empty one and another 0. ``p`` lies between 0
    and 1, both excluded.

    Reference: W. Webber, A. Moffat and J. Zobel, A Similarity Measure for Indefinite Rankings, ACM TOIS 28(4), 2010, equation 32.
    """
    if not 0 < p < 1:
        raise ValueError(f"rbo: found p = {p}, expected a number between 0 and 1. Take 0.9 for the first ten places.")
    short, long = sorted((tuple(dict.fromkeys(a)), tuple(dict.fromkeys(b))), key=len)
    if not short:
        return 0.0 if long else 1.0
    s, depth = len(short), len(long)
    if short == long[:s]:
        return 1.0
    found = _overlaps(short, long)
    agreement = sum(found[d] / d * p**d for d in range(1, depth + 1))
    assumed = sum(found[s] * (d - s) / (s * d) * p**d for d in range(s + 1, depth + 1))
    rest = ((found[depth] - found[s]) / depth + found[s] / s) * p**depth
    return min(1.0, (1 - p) / p * (agreement + assumed) + rest)


def _overlaps(short: Sequence[str], long: Sequence[str]) -> list[int]:
    """How many the two lists share in their first ``d`` places, for each ``d`` from 0 to the length of the longer one."""
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    found = [0]
    for place, one in enumerate(long):
        seen_long.add(one)
        seen_short.update(short[place : place + 1])
        found.append(len(seen_short & seen_long))
    return found


def weight_of_first(places: int, p: float = P) -> float:
    """The share of the whole weight of RBO that the first ``places`` places carry, from 0 to 1 (equation 21 of the same paper)."""
    tail = math.log(1 / (1 - p)) - sum(p**i / i for i in range(1, places))
    return 1 - p ** (places - 1) + (1 - p) / p * places * tail


# --- runs ---------------------------------------------------------------------------------------------------------------


def hits_of(trace: Trace) -> tuple[str, ...]:
    """The final list of a run as chunk ids, best first."""
    return tuple(entry.chunk_id for entry in trace.final)


def norms_of(trace: Trace) -> tuple[str, ...]:
    """The norms of the final list (corpus, container, section), each at the place of its first hit among the norms."""
    chunks = (trace.chunks[entry.chunk_id] for entry in trace.final)
    return tuple(dict.fromkeys("\x1f".join((one.corpus_id, one.container_id, one.section_id)) for one in chunks))


# --- what the settings differ in ------------------------------------------------------------------------------------------


class Difference(msgspec.Struct, frozen=True):
    """One setting that has not the same value everywhere, with its value in each column.

    ``idle`` says why the difference cannot change a list: ``method`` (no column uses the fusion method that reads it), ``reranker`` (it
    is switched off in all columns) or ``shares`` (the weights differ, their shares do not); empty when it can.
    """

    name: str
    values: tuple[Value, ...]
    idle: Literal["", "method", "reranker", "shares"] = ""


def differences(settings: Sequence[Settings], without: Sequence[Sequence[str]] = ()) -> tuple[Difference, ...]:
    """The settings that differ, in the order of the run; ``without`` are the stages that each column leaves out."""
    found = [
        Difference(name, values, _idle(name, settings))
        for name in KNOBS
        if len(set(values := tuple(one.value(name) for one in settings))) > 1
    ]
    left_out = tuple(",".join(stages) for stages in without)
    return (*found, *([Difference(WITHOUT, left_out)] if len(set(left_out)) > 1 else ()))


def _idle(name: str, settings: Sequence[Settings]) -> Literal["", "method", "reranker", "shares"]:
    if not any(one.acts(name) for one in settings):
        return "reranker" if name in RERANKING else "method"
    if name.startswith("weight_") and all(_same_shares(settings[0], one) for one in settings[1:]):
        return "shares"
    return ""


def _same_shares(one: Settings, other: Settings) -> bool:
    mine, theirs = one.shares(), other.shares()
    return mine.keys() == theirs.keys() and all(math.isclose(mine[route], theirs[route], abs_tol=1e-12) for route in mine)


# --- a set of questions -----------------------------------------------------------------------------------------------------


class QuestionChange(msgspec.Struct, frozen=True):
    """One question under two settings: the lists of hits and of norms against each other.

    ``partial`` says that a part of one of the two runs failed, so that what differs may come from there.
    """

    question: str
    hits: Overlap
    norms: Overlap
    partial: bool = False


class Summary(msgspec.Struct, frozen=True):
    """A set of questions under two settings: how many lists hold other hits, only another order, or are equal; and the means."""

    questions: int
    changed: int
    reordered: int
    equal: int
    jaccard: float | None
    rbo: float | None


def question_change(a: Trace, b: Trace, p: float = P) -> QuestionChange:
    """The change from the first run to the second, which asked the same question. Raises ValueError for two questions."""
    if a.question != b.question:
        raise ValueError(f"question_change: found two questions, {a.question[:40]!r} and {b.question[:40]!r}; expected one.")
    hits, norms = overlap(hits_of(a), hits_of(b), p), overlap(norms_of(a), norms_of(b), p)
    return QuestionChange(a.question, hits, norms, a.partial or b.partial)


def over_questions(traces_a: Iterable[Trace], traces_b: Iterable[Trace], p: float = P) -> tuple[QuestionChange, ...]:
    """The changes of a set of questions, the most changed first; both hold the same questions in the same order."""
    return most_changed(question_change(a, b, p) for a, b in zip(traces_a, traces_b, strict=True))


def most_changed(rows: Iterable[QuestionChange]) -> tuple[QuestionChange, ...]:
    """Those with the most other hits first, among equals those with the most changed order, then as they came.

    What stands in the list counts before its order: the whole list goes on to the answer.
    """
    return tuple(sorted(rows, key=lambda row: (row.hits.jaccard, row.hits.rbo)))


def summary(rows: Sequence[QuestionChange]) -> Summary:
    """What happened over a set; the means are None for no question."""
    equal = sum(row.hits.equal for row in rows)
    reordered = sum(bool(row.hits.moved) and not (row.hits.only_a or row.hits.only_b) for row in rows)
    means = (math.fsum(values) / len(rows) if rows else None for values in ([r.hits.jaccard for r in rows], [r.hits.rbo for r in rows]))
    return Summary(len(rows), len(rows) - equal - reordered, reordered, equal, *means)

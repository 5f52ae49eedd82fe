"""The spread: every corpus's rank scores on one scale, the decision scores beside them, and the formulas with their numbers."""

from __future__ import annotations

from statistics import median
from typing import Literal

import msgspec

from retrieval.ranking import Entry, RankBy
from retrieval.stages.fusion import RERANKER, Method
from retrieval.trace import CorpusTrace, Trace


class Dot(msgspec.Struct, frozen=True, gc=False):
    """One candidate of the list before the quota: its rank score, what gave it, its place there and its place at the end (0: none)."""

    chunk_id: str
    rank: float
    rank_by: RankBy
    before: int
    place: int


class Strip(msgspec.Struct, frozen=True):
    """One corpus: all its candidates, best first. ``fused`` are the rank scores that the routes alone gave, best first.

    ``state`` and ``status`` are those of the trace: a corpus without dots was not asked, failed, or found nothing.
    """

    corpus_id: str
    state: str
    status: str
    dots: tuple[Dot, ...] = ()
    fused: tuple[float, ...] = ()

    @property
    def best(self) -> float | None:
        """The highest rank score; None without candidates."""
        return self.dots[0].rank if self.dots else None

    @property
    def middle(self) -> float | None:
        """The median of the rank scores; None without candidates."""
        return median(dot.rank for dot in self.dots) if self.dots else None

    def reaching(self, score: float) -> int:
        """How many candidates have at least this rank score."""
        return sum(dot.rank >= score for dot in self.dots)

    @property
    def held(self) -> int:
        """How many stand in the final list."""
        return sum(dot.place > 0 for dot in self.dots)


class Decision(msgspec.Struct, frozen=True):
    """The decision score of one hit of the final list (raw cosine; None outside the vector route)."""

    chunk_id: str
    place: int
    cosine: float | None


class Term(msgspec.Struct, frozen=True, gc=False):
    """One route in the formula of a rank score.

    ``scaled`` is its score from 0 to 1 and counts in a weighted sum, ``place`` counts in rank fusion; ``raw`` is the route's own score,
    which is shown only. ``amount`` is what it added.
    """

    route: str
    weight: float
    scaled: float | None
    place: int
    amount: float
    raw: float | None = None


Missing = Literal["not_found", "failed", "foreign", "not_shown"]
"""Why a route gave a hit nothing; of a retriever that is not ours its routes are not known, and the reranker reads the first hits only."""
FormulaKind = Literal["weighted", "rrf", "fixed"]


class Formula(msgspec.Struct, frozen=True):
    """How the rank score of one hit of the final list comes about.

    ``terms`` are the routes and ``total`` is their sum; where ``kind`` is ``fixed`` the rank came from ``rank_by`` instead and the terms
    count nothing. ``missing`` are the other routes, each with its reason. ``rank`` is the score before the quota,
    ``lifted`` that of a hit that was moved to the front, None else.
    """

    chunk_id: str
    place: int
    kind: FormulaKind
    rank_by: RankBy
    terms: tuple[Term, ...]
    total: float
    rank: float
    missing: dict[str, Missing] = {}
    lifted: float | None = None


class Spread(msgspec.Struct, frozen=True):
    """All numbers of the score view.

    ``floor`` is the floor of the quota, ``decides`` whether it has a say in this run. ``k`` and ``ceiling`` are those of rank fusion (0
    for the weighted sum). ``decisions`` are in the order of the list; ``first``, ``second`` and ``gap`` are the two highest decision
    scores of the list and their distance, None where there are fewer than two.
    """

    strips: tuple[Strip, ...]
    floor: float
    decides: bool
    verweis_score: float
    method: Method
    k: float
    ceiling: float
    decisions: tuple[Decision, ...]
    formulas: tuple[Formula, ...]
    first: Decision | None = None
    second: Decision | None = None
    gap: float | None = None


ANCHOR = 1.0
"""The rank score of an anchor and of a section that the question names."""


def spread(trace: Trace) -> Spread:
    """The numbers of the score view, from a trace alone."""
    decisions = tuple(Decision(entry.chunk_id, place, entry.cosine) for place, entry in enumerate(trace.final, start=1))
    best = sorted((one for one in decisions if one.cosine is not None), key=lambda one: -(one.cosine or 0.0))[:2]
    first, second = (best[0] if best else None), (best[1] if len(best) > 1 else None)
    gap = first.cosine - second.cosine if first and second and first.cosine is not None and second.cosine is not None else None
    method = trace.settings.fusion.fusion
    before = {entry.chunk_id: entry for entry in trace.completed.living}
    return Spread(
        _strips(trace),
        trace.quota.floor,
        trace.quota.applied or trace.quota.reason == "too_few_qualify",
        trace.settings.references.verweis_score,
        method,
        trace.settings.fusion.rrf_k if method == "rrf" else 0.0,
        trace.rrf_ceiling,
        decisions,
        tuple(_formula(entry, before[entry.chunk_id], place, trace) for place, entry in enumerate(trace.final, start=1)),
        first,
        second,
        gap,
    )


def _strips(trace: Trace) -> tuple[Strip, ...]:
    finals = {entry.chunk_id: place for place, entry in enumerate(trace.final, start=1)}
    dots: dict[str, list[Dot]] = {}
    for before, entry in enumerate(trace.completed.living, start=1):
        dot = Dot(entry.chunk_id, entry.rank, entry.rank_by, before, finals.get(entry.chunk_id, 0))
        dots.setdefault(entry.corpus_id, []).append(dot)
    fused: dict[str, list[float]] = {}
    for entry in trace.fused.living:
        fused.setdefault(entry.corpus_id, []).append(entry.rank)
    return tuple(
        Strip(one.corpus_id, one.state, one.status, tuple(dots.get(one.corpus_id, ())), tuple(fused.get(one.corpus_id, ())))
        for one in trace.corpora
    )


def _formula(final: Entry, before: Entry, place: int, trace: Trace) -> Formula:
    kind: FormulaKind = trace.settings.fusion.fusion if before.rank_by == "routes" else "fixed"
    terms = tuple(Term(part.route, part.weight, part.scaled, part.place, part.amount, part.raw) for part in before.parts)
    found = {term.route for term in terms}
    corpus = next(one for one in trace.corpora if one.corpus_id == final.corpus_id)
    missing = {route: _missing(route, corpus) for route in trace.shares if route not in found}
    lifted = final.rank if final.rank_by == "named_first" else None
    return Formula(final.chunk_id, place, kind, before.rank_by, terms, sum(term.amount for term in terms), before.rank, missing, lifted)


def _missing(route: str, corpus: CorpusTrace) -> Missing:
    if corpus.foreign:
        return "foreign"
    if route == RERANKER:
        return "not_shown"
    return "failed" if any(one.route == route and one.status == "failed" for one in corpus.routes) else "not_found"

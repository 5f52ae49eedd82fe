"""The stations of a norm on its way into the list; here those of its corpus and of the two routes."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from retrieval.inspector.standing import RouteStanding, Standing
from retrieval.model import LEXICAL, VECTOR, Address, AnchorClaim, CorpusAnswer
from retrieval.ranking import Part, Ranking
from retrieval.trace import CorpusTrace, Pool, Trace

Name = Literal[
    "stock",
    "routed",
    "required",
    "selected",
    "vector",
    "lexical",
    "fusion",
    "lookup",
    "anchor",
    "verweis",
    "merging",
    "floor",
    "quota",
    "fill",
    "named",
    "final",
]
State = Literal["passed", "stopped", "not_reached", "not_applicable", "failed"]


class Quote(msgspec.Struct, frozen=True):
    """The sentence of a hit that names the norm; ``start``/``end`` is the span of ``words`` in it (both 0: cut away)."""

    by: str
    address: Address
    place: int
    words: str
    sentence: str
    start: int = 0
    end: int = 0


class Station(msgspec.Struct, frozen=True):
    """One station: whether the norm passed it, by which rule, and by how much.

    ``place`` is the rank or place that the station gives, from 1, ``bound`` the last one that passes (candidates fetched, cap, length of
    the list), ``of`` how many were ranked. ``value`` is compared with ``threshold``; ``margin`` is their difference, negative where it
    falls short. ``scaled`` is the value on the scale from 0 to 1, ``overall`` the rank over all selected corpora, ``before`` the place
    before the quota. ``words`` are the words or names that the reason speaks of; ``other`` is the chunk that it speaks of.
    """

    name: Name
    state: State
    reason: str
    place: int = 0
    bound: int = 0
    of: int = 0
    overall: int = 0
    before: int = 0
    value: float | None = None
    threshold: float | None = None
    margin: float | None = None
    scaled: float | None = None
    words: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    other: str = ""
    quote: Quote | None = None
    claim: AnchorClaim | None = None
    error: str = ""


class Subject(msgspec.Struct, frozen=True):
    """The chunk whose way is told: its address, its standing where it was computed, whether it is out of force."""

    chunk_id: str
    address: Address
    repealed: bool = False
    standing: Standing | None = None


# --- the corpus -------------------------------------------------------------------------------------------------------


def corpus_stations(subject: Subject, trace: Trace) -> tuple[Station, ...]:
    """Corpus available, routed, required, selected."""
    stock = Station("stock", "passed", "repealed" if subject.repealed else "in_stock")
    corpus = subject.address.corpus_id
    return stock, _routed(corpus, trace), _required(corpus, trace), _selected(corpus, trace)


def _routed(corpus: str, trace: Trace) -> Station:
    routed = trace.selection.routed
    about = _about(corpus, trace)
    if broken("router", trace):
        return Station("routed", "failed", "router_failed")
    if not routed:
        return Station("routed", "passed", "all")
    if corpus in routed:
        words = about.routed_by if about else ()
        return Station("routed", "passed", "named" if words else "routed", words=words)
    return Station("routed", "stopped", "others", words=routed)


def _required(corpus: str, trace: Trace) -> Station:
    about = _about(corpus, trace)
    if about and about.required_by:
        return Station("required", "passed", "by_anchor", words=about.required_by)
    if broken("anchors", trace):
        return Station("required", "failed", "anchors_failed")
    return Station("required", "not_applicable", "no_anchor")


def _selected(corpus: str, trace: Trace) -> Station:
    selection, about = trace.selection, _about(corpus, trace)
    if corpus in selection.cut:
        place = len(selection.selected) + selection.cut.index(corpus) + 1
        return Station("selected", "stopped", "cut_by_cap", place, selection.cap)
    if corpus not in selection.selected or about is None:
        return Station("selected", "stopped", "not_routed", bound=selection.cap)
    place = selection.selected.index(corpus) + 1
    if about.status == "failed":
        return Station("selected", "failed", "corpus_failed", place, selection.cap, error=_error(about.error_class, about.error))
    return Station("selected", "passed", "asked", place, selection.cap, len(selection.selected))


def _about(corpus: str, trace: Trace) -> CorpusTrace | None:
    return next((one for one in trace.corpora if one.corpus_id == corpus), None)


def broken(part: str, trace: Trace) -> bool:
    """Whether this part of the run failed."""
    return any(fault.part == part for fault in trace.faults)


def _error(error_class: str, message: str) -> str:
    return ": ".join(part for part in (error_class, message) if part)


# --- the routes -------------------------------------------------------------------------------------------------------


def route_stations(subject: Subject, trace: Trace, pool: Pool) -> tuple[Station, ...]:
    """Candidate in the vector route and in the lexical route, then scaled, weighted and fused."""
    answer = pool.answers.get(subject.address.corpus_id) if subject.address.corpus_id in trace.selection.selected else None
    routes = [_route("vector", VECTOR, subject, answer, trace, pool), _route("lexical", LEXICAL, subject, answer, trace, pool)]
    return (*routes, _fusion(subject, answer, trace))


def _route(name: Name, route: str, subject: Subject, answer: CorpusAnswer | None, trace: Trace, pool: Pool) -> Station:
    if answer is None:
        return _standing(name, "not_reached", "corpus_not_asked", subject, pool)
    if answer.foreign:
        return Station(name, "not_applicable", "foreign")
    found = next((one for one in answer.routes if one.route == route), None)
    if answer.status == "failed" or (found is not None and found.status == "failed"):
        fault = found if found is not None and found.status == "failed" else answer
        return Station(name, "failed", "route_failed", error=_error(fault.error_class, fault.error))
    hits = found.hits if found is not None else ()
    for place, hit in enumerate(hits, start=1):
        if hit.chunk_id == subject.chunk_id:
            overall = next((part.place for part in _parts(subject, trace.fused) if part.route == route), 0)
            values: dict[str, Any] = {"value": hit.score, "scaled": hit.scaled, "words": hit.words}
            return Station(name, "passed", "fetched", place, pool.fetch_k, len(hits), overall, **values)
    last = hits[-1].score if len(hits) >= pool.fetch_k else None
    return _standing(name, "stopped", "not_found", subject, pool, last)


def _parts(subject: Subject, ranking: Ranking) -> tuple[Part, ...]:
    return next((entry.parts for entry in ranking.entries if entry.chunk_id == subject.chunk_id), ())


def _standing(name: Name, state: State, reason: str, subject: Subject, pool: Pool, last: float | None = None) -> Station:
    """A route that did not bring the chunk: its true rank and score there, and what it lacks to the last one that was fetched."""
    if subject.repealed:
        return Station(name, "stopped", "repealed")
    there = subject.standing.route(name) if subject.standing is not None else None
    if there is None:
        return Station(name, state, reason, bound=pool.fetch_k)
    if there.state == "failed":
        return Station(name, "failed", "route_failed", error=_error(there.error_class, there.error))
    if there.state != "ranked":
        return Station(name, state, reason if state == "not_reached" else there.state, bound=pool.fetch_k, of=there.of)
    if state == "stopped":
        reason = "beyond_fetch" if there.rank > pool.fetch_k else "missed"
    return _ranked(name, state, reason, there, pool, last)


def _ranked(name: Name, state: State, reason: str, there: RouteStanding, pool: Pool, last: float | None) -> Station:
    margin = None if last is None or there.score is None else there.score - last
    return Station(
        name,
        state,
        reason,
        there.rank,
        pool.fetch_k,
        there.of,
        there.overall,
        value=there.score,
        threshold=last,
        margin=margin,
        scaled=there.scaled,
        words=there.words,
    )


def _fusion(subject: Subject, answer: CorpusAnswer | None, trace: Trace) -> Station:
    if answer is not None and answer.foreign:
        for place, hit in enumerate(answer.ready, start=1):
            if hit.chunk_id == subject.chunk_id:
                return Station("fusion", "passed", "own_rank", place, of=len(answer.ready), value=hit.rank)
        return Station("fusion", "stopped", "not_handed_over", of=len(answer.ready))
    for place, entry in enumerate(trace.fused.entries, start=1):
        if entry.chunk_id == subject.chunk_id and entry.alive:
            return Station("fusion", "passed", "fused", place, of=len(trace.fused.living), value=entry.rank, parts=entry.parts)
        if entry.chunk_id == subject.chunk_id:
            return Station("fusion", "stopped", "no_contribution", value=entry.rank, parts=entry.parts)
    return Station("fusion", "not_reached", "no_route")

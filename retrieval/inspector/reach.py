"""Reach: which candidates can stand in the final list at all while weights and constants move, and their rank as a function.

The rest stands behind a whole list of others at every setting and can be left aside when a run is looked ahead over many settings.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from retrieval.decide import looked_up, selection_of
from retrieval.model import LEXICAL, VECTOR, CorpusAnswer, RouteHit
from retrieval.settings import Settings
from retrieval.trace import Pool, target_key


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """One fused candidate: its scaled score and its place (from 1) in each route over the federation; None where a route missed it."""

    chunk_id: str
    corpus_id: str
    identity: str
    vector: float | None
    lexical: float | None
    vector_place: int | None
    lexical_place: int | None


def candidates(pool: Pool, settings: Settings) -> tuple[Candidate, ...]:
    """Every candidate of the selected corpora's routes, in the order in which fusion meets them (vector route first), no hidden one."""
    lists = {name: _route(name, pool, settings) for name in (VECTOR, LEXICAL)}
    by_rank = settings.fusion.fusion == "rrf"
    places: dict[str, dict[str, tuple[int, float]]] = {}
    for name, hits in lists.items():
        found: dict[str, tuple[int, float]] = {}
        for place, hit in enumerate(hits, start=1):
            if by_rank or hit.scaled is None or hit.scaled >= 0:
                found.setdefault(hit.chunk_id, (place, hit.scaled or 0.0))
        places[name] = found
    ids = dict.fromkeys((*places[VECTOR], *places[LEXICAL]))
    return tuple(_candidate(one, pool, places[VECTOR].get(one), places[LEXICAL].get(one)) for one in ids if one not in pool.hidden)


def _route(name: str, pool: Pool, settings: Settings) -> list[RouteHit]:
    answers = [pool.answers[corpus] for corpus in selection_of(pool, settings).selected]
    hits = [hit for answer in answers for route in answer.routes if route.route == name for hit in route.hits]
    return sorted(hits, key=lambda hit: (-(hit.scaled or 0.0), -(hit.score or 0.0), hit.chunk_id))


def _candidate(chunk_id: str, pool: Pool, vector: tuple[int, float] | None, lexical: tuple[int, float] | None) -> Candidate:
    return Candidate(
        chunk_id,
        pool.chunks[chunk_id].corpus_id,
        pool.identities[chunk_id],
        vector[1] if vector else None,
        lexical[1] if lexical else None,
        vector[0] if vector else None,
        lexical[0] if lexical else None,
    )


def within(found: Sequence[Candidate], most: int) -> frozenset[str]:
    """The chunks that fewer than ``most`` others lead at every weight and every RRF constant.

    One leads another when it is at least as good in both routes and met first by fusion; then it stands before it whatever the settings.
    Taken in the order of the vector route, only the lexical side has to be compared: ``best`` holds the ``most`` best lexical sides met so
    far, one for each identity, the weakest on top.
    """
    kept: list[str] = []
    best: list[float] = []
    seen: set[str] = set()
    for one in sorted(found, key=_met):
        side = _lexical_side(one)
        if len(best) < most or side > best[0]:
            kept.append(one.chunk_id)
        if one.identity in seen:
            continue
        seen.add(one.identity)
        if len(best) < most:
            heapq.heappush(best, side)
        elif side > best[0]:
            heapq.heapreplace(best, side)
    return frozenset(kept)


def leads(one: Candidate, other: Candidate) -> bool:
    """Whether ``one`` stands before ``other`` at every weight and every RRF constant."""
    return _met(one) < _met(other) and _lexical_side(one) >= _lexical_side(other)


def leaders(found: Sequence[Candidate], most: int) -> frozenset[str]:
    """The same for each corpus by itself."""
    by_corpus: dict[str, list[Candidate]] = {}
    for one in found:
        by_corpus.setdefault(one.corpus_id, []).append(one)
    return frozenset().union(*(within(group, most) for group in by_corpus.values()))


def _met(one: Candidate) -> tuple[float, float]:
    return (one.vector_place or float("inf"), one.lexical_place or float("inf"))


def _lexical_side(one: Candidate) -> float:
    """The place in the lexical route turned round: the larger, the better; by place it also orders equal scores."""
    return -one.lexical_place if one.lexical_place is not None else float("-inf")


def ahead(pool: Pool, settings: Settings, most: int, rounds: int) -> Pool:
    """The pool without what no weight or constant brings into a list of ``most`` places with ``rounds`` rounds of quota.

    It speaks for the fusion method in force only: rank fusion needs the places of those that are hidden, the weighted sum does not.

    The list holds hits that are among the first ``most`` of all, and the first ``rounds`` of each corpus. Only a hit among the first
    ``most`` of all speaks for others, so the references of the others are left aside too. What a reference may fetch stays: its place
    among the candidates decides between equal ranks.
    """
    found = candidates(pool, settings)
    speaking = within(found, most + 1) | _by_address(pool)  # one more than the list holds: whether everything fits stays as it is
    fetched = {pool.identities[one] for one in brought_in(pool, speaking)}
    each = max(1, min(rounds, most)) + len(astray(pool))
    kept = speaking | leaders(found, each) | {one.chunk_id for one in found if one.identity in fetched}
    names = frozenset(one.chunk_id for one in found)
    references = {one: read for one, read in pool.references.items() if one in speaking or one not in names}
    if settings.fusion.fusion == "rrf":
        return replace(pool, hidden=pool.hidden | (names - kept), references=references)
    return replace(pool, answers={corpus: _only(answer, kept) for corpus, answer in pool.answers.items()}, references=references)


def astray(pool: Pool) -> frozenset[str]:
    """The identities that several corpora have, for a foreign retriever may hand over the chunk of another.

    Where such a chunk wins as the other corpus's, it leaves its place of a round to the next of its own.
    """
    homes = Counter(name for name, _ in {(name, pool.chunks[one].corpus_id) for one, name in pool.identities.items()})
    return frozenset(name for name, count in homes.items() if count > 1)


def _only(answer: CorpusAnswer, kept: frozenset[str]) -> CorpusAnswer:
    """The answer without the others: in a weighted sum nothing hangs on their places."""
    routes = tuple(replace(route, hits=tuple(hit for hit in route.hits if hit.chunk_id in kept)) for route in answer.routes)
    return replace(answer, routes=routes)


def _by_address(pool: Pool) -> frozenset[str]:
    """The chunks that come with a rank of their own: looked-up sections and anchors."""
    ready = [hit.chunk_id for answer in pool.answers.values() for hit in answer.ready]
    return frozenset((*ready, *(hit.chunk_id for units in pool.anchor_units for hit in units.hits)))


def brought_in(pool: Pool, speaking: Iterable[str]) -> Iterator[str]:
    """The chunks that the references of these hits may bring in."""
    keys: Iterable[str] = pool.reference_units
    if pool.given_targets is None:
        targets = (reference.target for one in speaking for reference in pool.references.get(one, ()) if reference.target is not None)
        keys = {target_key(looked_up(target)) for target in targets}
    for key in keys:
        units = pool.reference_units.get(key)
        yield from (hit.chunk_id for hit in units.hits) if units else ()

"""Reach: which candidates can stand in the final list at all while weights and constants move, and their rank as a function.

The rest stands behind a whole list of others at every setting and can be left aside when a run is looked ahead over many settings.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from retrieval.decide import looked_up, selection_of, shares_of, units_of
from retrieval.model import CorpusAnswer, RouteHit
from retrieval.settings import Settings
from retrieval.trace import Pool, target_key


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """One fused candidate: its scaled score and its place (from 1) in each route over the federation; None where a route missed it.

    ``unit`` is what stands once in the list: its norm, or the chunk itself.
    """

    chunk_id: str
    corpus_id: str
    identity: str
    unit: str
    scores: tuple[float | None, ...]
    places: tuple[int | None, ...]


def routes_of(pool: Pool, settings: Settings) -> tuple[str, ...]:
    """The routes that a run fuses, in the order in which fusion meets them; the same whatever their weights are."""
    weighted = replace(settings.fusion, weight_vector=1.0)
    return tuple(shares_of(_answers(pool, settings), replace(settings, fusion=weighted)))


def candidates(pool: Pool, settings: Settings) -> tuple[Candidate, ...]:
    """Every candidate of the selected corpora's routes, in the order in which fusion meets them (vector route first), no hidden one."""
    by_rank = settings.fusion.fusion == "rrf"
    known: list[dict[str, tuple[int, float]]] = []
    for name in routes_of(pool, settings):
        found: dict[str, tuple[int, float]] = {}
        for place, hit in enumerate(_route(name, pool, settings), start=1):
            if by_rank or hit.scaled is None or hit.scaled >= 0:
                found.setdefault(hit.chunk_id, (place, hit.scaled or 0.0))
        known.append(found)
    ids = dict.fromkeys(one for found in known for one in found)
    units = units_of(pool.chunks, settings.quota.list_unit)
    return tuple(_candidate(one, pool, units, [found.get(one) for found in known]) for one in ids if one not in pool.hidden)


def _answers(pool: Pool, settings: Settings) -> list[CorpusAnswer]:
    return [pool.answers[corpus] for corpus in selection_of(pool, settings).selected]


def _route(name: str, pool: Pool, settings: Settings) -> list[RouteHit]:
    hits = [hit for answer in _answers(pool, settings) for route in answer.routes if route.route == name for hit in route.hits]
    return sorted(hits, key=lambda hit: (-(hit.scaled or 0.0), -(hit.score or 0.0), hit.chunk_id))


def _candidate(chunk_id: str, pool: Pool, units: Mapping[str, str], found: Sequence[tuple[int, float] | None]) -> Candidate:
    scores, places = tuple(one and one[1] for one in found), tuple(one and one[0] for one in found)
    identity = pool.identities[chunk_id]
    return Candidate(chunk_id, pool.chunks[chunk_id].corpus_id, identity, units.get(chunk_id, identity), scores, places)


def within(found: Sequence[Candidate], most: int) -> frozenset[str]:
    """The chunks that fewer than ``most`` others lead at every weight and every RRF constant.

    One leads another when it is at least as good in every route and met first by fusion; then it stands before it whatever the settings.
    Taken in the order of the first route, only the side of the second has to be compared: ``best`` holds the ``most`` best sides met so
    far, one for each unit of the list, the weakest on top. The few that a further route knows are compared with each other besides, for
    only such a one can lead them.
    """
    kept: list[str] = []
    best: list[float] = []
    seen: set[str] = set()
    ordered = sorted(found, key=_met)
    further = [one for one in ordered if any(one.places[2:])]
    kept += _ahead_of_few([_sides(one) for one in further], further, most)
    for one in ordered:
        side = _sides(one)[1]
        if len(best) < most or side > best[0]:
            kept.append(one.chunk_id)
        if one.unit in seen:
            continue
        seen.add(one.unit)
        if len(best) < most:
            heapq.heappush(best, side)
        elif side > best[0]:
            heapq.heapreplace(best, side)
    return frozenset(kept)


def leads(one: Candidate, other: Candidate) -> bool:
    """Whether ``one`` stands before ``other`` at every weight and every RRF constant."""
    return _met(one) < _met(other) and all(mine >= theirs for mine, theirs in zip(_sides(one), _sides(other), strict=True))


def leaders(found: Sequence[Candidate], most: int) -> frozenset[str]:
    """The same for each corpus by itself."""
    by_corpus: dict[str, list[Candidate]] = {}
    for one in found:
        by_corpus.setdefault(one.corpus_id, []).append(one)
    return frozenset().union(*(within(group, most) for group in by_corpus.values()))


def _ahead_of_few(sides: Sequence[tuple[float, ...]], found: Sequence[Candidate], most: int) -> list[str]:
    """Those of a few candidates, in the order in which they are met, that fewer than ``most`` others lead, one for each unit."""
    if not found:
        return []
    table = np.array(sides)
    first = {one.unit: place for place, one in reversed(list(enumerate(found)))}
    leading = np.array(sorted(first.values()))
    ahead = (leading[:, None] < np.arange(len(found))) & (table[leading][:, None] >= table[None]).all(axis=2)
    return [one.chunk_id for one, count in zip(found, ahead.sum(axis=0), strict=True) if count < most]


def _met(one: Candidate) -> tuple[float, ...]:
    return tuple(place or float("inf") for place in one.places)


def _sides(one: Candidate) -> tuple[float, ...]:
    """The places in the routes turned round: the larger, the better; by place they also order equal scores."""
    return tuple(-place if place else float("-inf") for place in one.places)


def ahead(pool: Pool, settings: Settings, most: int, rounds: int) -> Pool:
    """The pool without what no weight or constant brings into a list of ``most`` places with ``rounds`` rounds of quota.

    It speaks for the fusion method in force only: rank fusion needs the places of those that are hidden, the weighted sum does not.

    The list holds hits that are among the first ``most`` of all, and the first ``rounds`` of each corpus. Only a hit among the first
    ``most`` of all speaks for others, so the references of the others are left aside too. What a reference may fetch stays: its place
    among the candidates decides between equal ranks. So does what comes by its address too: the higher of its ranks counts.
    """
    found = candidates(pool, settings)
    addressed = _by_address(pool)
    speaking = within(found, most + 1) | addressed  # one more than the list holds: whether everything fits stays as it is
    fetched = {pool.identities[one] for one in (*brought_in(pool, speaking), *addressed)}
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

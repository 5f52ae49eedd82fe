"""Counterfactuals: the smallest change of settings that brings a norm into the list or keeps it out, or why there is none.

Continuous settings are searched exactly, over their breakpoints; whole numbers and choices one by one. Two settings at a time are searched
on the steps of the first and exactly over the second. Every way is checked by a run before it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from math import ceil, floor
from typing import Literal

import msgspec
from msgspec.structs import replace

from retrieval.decide import decide, selection_of
from retrieval.errors import BadSetting
from retrieval.inspector.breakpoints import track
from retrieval.inspector.reach import Candidate, ahead, candidates, leads
from retrieval.inspector.tracks import CONTINUOUS, Track
from retrieval.knobs import Knob, Value
from retrieval.model import DEFINITION_LOOKUP, NORM_ANCHOR, SECTION_LOOKUP, Chunk, CorpusAnswer, RouteAnswer, RouteHit
from retrieval.settings import KNOBS, Settings
from retrieval.stages.fusion import RERANKER
from retrieval.trace import Pool, Trace

Why = Literal[
    "never_candidate",  # neither route, nor an anchor, nor a reference of a hit in reach brings it among what was gathered
    "corpus_not_asked",  # its corpus was not routed, and no setting routes it
    "not_in_stock",
    "repealed",
    "always_behind",  # at every setting at least as many hits as the longest list stand before it
    "always_first",  # it comes by its address with the highest rank that there is, and nothing stands before it
]


class Way(msgspec.Struct, frozen=True):
    """One change that does it, checked by a run.

    ``values`` are the settings to apply, by name, with short numbers just beyond the threshold; ``bounds`` the exact thresholds of the
    continuous ones, in the same order of names. ``distance`` is the sum of the moves, each as a share of its setting's range (0 to 1).
    ``place`` is the norm's place in the new list (0: out). ``regathers``: the corpora have to be asked again for it.
    """

    values: dict[str, Value]
    bounds: dict[str, float]
    distance: float
    place: int
    chunk_id: str = ""
    enters: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    regathers: bool = False


class Answer(msgspec.Struct, frozen=True):
    """What brings a norm in (``wanted``) or keeps it out: ``ways`` by distance, smallest first, at most one for each setting or pair.

    Without a way, ``proof`` says why none can exist, or is empty where the search of single settings and pairs found none and more than
    that is not claimed. ``behind`` are the hits that stand before the norm at every setting. ``place`` is its place now (0: not in the
    list).
    """

    chunk_ids: tuple[str, ...]
    wanted: bool
    place: int
    ways: tuple[Way, ...] = ()
    proof: Why | Literal[""] = ""
    behind: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()


Regather = Callable[[Settings], Pool]
"""Asks the corpora again under other settings."""

_GATHERED = ("max_corpora_per_query", "fetch_k")
_STEPPED = tuple(name for name, knob in KNOBS.items() if knob.scope == "decide" and name not in CONTINUOUS)
_MOST_DIGITS = 6
_COARSE = 8  # steps of each setting when two are moved together


def counterfactual(
    pool: Pool,
    settings: Settings,
    norm: Sequence[Chunk],
    regather: Regather | None = None,
    without: Collection[str] = (),
    pairs: bool = False,
) -> Answer:
    """What brings a norm into the list, or keeps it out when it is there; ``norm`` are its chunks, of which any one counts.

    ``regather`` lets the number of corpora and of candidates be tried too. ``pairs`` looks for two settings at once where no single one
    does it. Raises what ``decide`` raises for the settings in force.
    """
    return _Search(pool, settings, norm, regather, without).answer(pairs)


class _Search:
    def __init__(self, pool: Pool, settings: Settings, norm: Sequence[Chunk], regather: Regather | None, without: Collection[str]) -> None:
        self.pool, self.settings, self.norm, self.regather, self.without = pool, settings, norm, regather, without
        self.ids = frozenset(one.chunk_id for one in norm)
        self.now = self._ids(decide(pool, settings, without=without))
        self.place = self._place(self.now)
        self.wanted = not self.place

    @staticmethod
    def _ids(trace: Trace) -> tuple[str, ...]:
        return tuple(entry.chunk_id for entry in trace.final)

    def _place(self, ids: Sequence[str]) -> int:
        """The place of the norm's first chunk in a list, 0 = not there."""
        return next((place for place, one in enumerate(ids, start=1) if one in self.ids), 0)

    def _holds(self, ids: Sequence[str] | None) -> bool:
        """Whether a list is as it is wanted."""
        return ids is not None and bool(self._place(ids)) == self.wanted

    # --- the answer -----------------------------------------------------------------------------------------------------

    def answer(self, pairs: bool) -> Answer:
        names = tuple(one.chunk_id for one in self.norm)
        proof = self._out_of_reach() if self.wanted else self._immovable()
        if proof:
            return Answer(names, self.wanted, self.place, proof=proof)
        behind = self._leaders() if self.wanted else ()
        searched = [*CONTINUOUS, *_STEPPED, *(_GATHERED if self.regather else ())]
        found = [] if behind else list(self._single())
        if self.regather is not None:
            found += self._gathered(self.regather)
        if not found and not behind and pairs:
            found = list(self._pairs())
            searched.append("pairs")
        ways = tuple(sorted(found, key=lambda way: way.distance))
        if behind and not ways:
            return Answer(names, True, 0, proof="always_behind", behind=behind, searched=tuple(searched))
        return Answer(names, self.wanted, self.place, ways, searched=tuple(searched))

    def _out_of_reach(self) -> Why | Literal[""]:
        """Why no setting at all can bring the norm in, as far as that follows from what was asked and found."""
        corpora = {one.corpus_id for one in self.norm}
        if not corpora & set(self.pool.available):
            return "not_in_stock"
        selection = selection_of(self.pool, self.settings)
        if not corpora & {*selection.selected, *selection.cut}:
            return "corpus_not_asked"
        if self.norm and all(one.repealed for one in self.norm) and not self.ids & self.pool.chunks.keys():
            return "repealed"
        widest = self._widest()
        return "" if self.ids & widest.chunks.keys() else "never_candidate"

    def _immovable(self) -> Why | Literal[""]:
        """Why no setting at all can take the norm out of the list.

        What comes by its address (an anchor, a section that the question names) or as a plain definition has the rank 1.0 at every
        setting; the sum of the routes
        and a reference have 1.0 at most and stand behind it among equals. So the first of them leads every list, however short, as long as
        its corpus is asked: because an anchor requires it, or because it is the first in turn.
        """
        trace = decide(self.pool, self.settings, without=self.without)
        if not trace.anchored.living:
            return ""
        first = trace.anchored.living[0]
        by_address = first.rank_by in (SECTION_LOOKUP, DEFINITION_LOOKUP, NORM_ANCHOR) and first.rank >= 1.0
        stays = first.corpus_id in (*trace.selection.required, *trace.selection.selected[:1])
        return "always_first" if by_address and stays and first.chunk_id in self.ids else ""

    def _widest(self) -> Pool:
        """What the widest search brings: as many corpora and candidates as can be set."""
        if self.regather is None or self.ids & self.pool.chunks.keys():
            return self.pool
        return self.regather(self.settings.changed({name: int(KNOBS[name].high) for name in _GATHERED}))

    def _leaders(self) -> tuple[str, ...]:
        """Hits that stand before the norm at every setting that only ranks anew, when they bar its way for good; else empty.

        They fill the longest list that can be set, and those of its own corpus take every round of the quota. A norm that comes by its
        address, as an anchor or as a reference, is bound to none of that.
        """
        by_address = {hit.chunk_id for units in (*self.pool.anchor_units, *self.pool.reference_units.values()) for hit in units.hits}
        by_address |= {hit.chunk_id for answer in self.pool.answers.values() for hit in answer.ready}
        mine = self.ids & self.pool.chunks.keys()
        if mine & by_address:
            return ()
        found = candidates(self.pool, self.settings)
        barred = [_barred(one, found) for one in found if one.chunk_id in mine]
        return barred[0] if barred and all(barred) else ()

    # --- one setting ------------------------------------------------------------------------------------------------------

    def _single(self) -> Iterator[Way]:
        for name in CONTINUOUS:
            yield from self._of_track(track(self.pool, self.settings, name, self.without), self.settings, {})
        widest = ahead(self.pool, self.settings, int(KNOBS["max_final_results"].high), int(KNOBS["min_hits_per_corpus"].high))
        for name in _STEPPED:
            for value in _outward(KNOBS[name], self.settings.value(name)):
                if self._holds(self._list(self.pool if name == "fusion" else widest, self.settings, {name: value})):
                    yield from self._checked({name: value}, {}, _move(KNOBS[name], self.settings.value(name), value))
                    break

    def _list(self, pool: Pool, settings: Settings, values: dict[str, Value]) -> tuple[str, ...] | None:
        """The list under changed settings, None where they are refused."""
        try:
            return self._ids(decide(pool, settings.changed(values), without=self.without))
        except BadSetting:
            return None

    def _of_track(self, found: Track, settings: Settings, values: dict[str, Value], moved: float = 0.0) -> Iterator[Way]:
        """The nearest value of one setting at which the list is as wanted."""
        knob = KNOBS[found.knob]
        for bound, low, high in _nearest(found, self._holds):
            value = _short(knob, bound, low, high)
            if value is None:
                continue
            distance = moved + abs(bound - found.value) / (knob.high - knob.low)
            ways = list(self._checked({**values, found.knob: value}, {found.knob: bound}, distance))
            if ways:
                yield ways[0]
                return

    def _checked(self, values: dict[str, Value], bounds: dict[str, float], distance: float, pool: Pool | None = None) -> Iterator[Way]:
        """The way, if a run under these settings gives what is wanted."""
        ids = self._list(pool or self.pool, self.settings, values)
        if ids is None or not self._holds(ids):
            return
        place = self._place(ids)
        enters = tuple(one for one in ids if one not in self.now)
        leaves = tuple(one for one in self.now if one not in ids)
        yield Way(values, bounds, distance, place, ids[place - 1] if place else "", enters, leaves, pool is not None)

    def _gathered(self, regather: Regather) -> Iterator[Way]:
        """The settings that ask the corpora again: the fewest corpora more or less, the fewest candidates more or less."""
        for name, values in (("max_corpora_per_query", self._caps()), ("fetch_k", self._depths(regather))):
            now = self.settings.value(name)
            for value in sorted(values, key=lambda value: (abs(value - float(now)), value)):
                pool = regather(self.settings.changed({name: value}))
                ways = list(self._checked({name: value}, {}, _move(KNOBS[name], now, value), pool))
                if ways:
                    yield ways[0]
                    break

    def _caps(self) -> list[int]:
        """How many corpora have to be asked so that this one is among them, or is not."""
        selection = selection_of(self.pool, self.settings)
        wanted = (*selection.selected, *selection.cut)
        places = [wanted.index(one.corpus_id) + 1 for one in self.norm[:1] if one.corpus_id in wanted]
        found = places if self.wanted else [place - 1 for place in places]
        return [place for place in found if KNOBS["max_corpora_per_query"].low <= place and place != selection.cap]

    def _depths(self, regather: Regather) -> list[int]:
        """The numbers of candidates that would do it, out of those at which a chunk of the norm becomes a candidate or ceases to be one.

        A smaller number only cuts every list shorter, so one deep search answers for all of them.
        """
        knob = KNOBS["fetch_k"]
        deep = regather(self.settings.changed({"fetch_k": int(knob.high)})) if self.wanted else self.pool
        ranks = {
            place
            for answer in deep.answers.values()
            for route in answer.routes
            if route.route != RERANKER
            for place, hit in enumerate(route.hits, start=1)
            if hit.chunk_id in self.ids
        }
        found = ranks if self.wanted else {place - 1 for place in ranks}
        depths = [value for value in found if knob.low <= value and value != self.settings.gathering.fetch_k]
        return [value for value in depths if self._holds(self._list(_cut(deep, value), self.settings, {}))]

    # --- two settings ---------------------------------------------------------------------------------------------------

    def _pairs(self) -> Iterator[Way]:
        """For each pair of settings the nearest place found: coarse steps of both, then exactly over the continuous one."""
        widest = ahead(self.pool, self.settings, int(KNOBS["max_final_results"].high), int(KNOBS["min_hits_per_corpus"].high))
        names = [name for name in (*_STEPPED, *CONTINUOUS) if self.settings.acts(name)]
        for one, other in combinations(names, 2):
            found = self._coarse(self.pool if "fusion" in (one, other) else widest, one, other)
            if found is not None:
                yield from self._refined(one, other, found)

    def _coarse(self, pool: Pool, one: str, other: str) -> tuple[Value, Value] | None:
        """The nearest of the coarse places at which both settings together do it."""
        firsts, seconds = (_coarse_values(KNOBS[name], self.settings.value(name)) for name in (one, other))
        moves = [
            (_move(KNOBS[one], self.settings.value(one), first) + _move(KNOBS[other], self.settings.value(other), second), first, second)
            for first in firsts
            for second in seconds
        ]
        for _, first, second in sorted(moves, key=lambda move: move[0]):
            if self._holds(self._list(pool, self.settings, {one: first, other: second})):
                return first, second
        return None

    def _refined(self, one: str, other: str, found: tuple[Value, Value]) -> Iterator[Way]:
        """The second setting moved back exactly as far as it goes, the first as the coarse search found it."""
        values: dict[str, Value] = {one: found[0]}
        moved = _move(KNOBS[one], self.settings.value(one), found[0])
        if other not in CONTINUOUS:
            total = moved + _move(KNOBS[other], self.settings.value(other), found[1])
            yield from self._checked({**values, other: found[1]}, {}, total)
            return
        try:
            settings = self.settings.changed(values)
            yield from self._of_track(track(self.pool, settings, other, self.without), settings, values, moved)
        except BadSetting:
            return


def _cut(pool: Pool, depth: int) -> Pool:
    """The pool as it would be if each search of each corpus had handed over at most ``depth`` hits; the reranker reads no others."""

    def cut(answer: CorpusAnswer) -> CorpusAnswer:
        kept = {hit.chunk_id for route in answer.routes if route.route != RERANKER for hit in route.hits[:depth]}
        routes = (replace(route, hits=_shown(route, kept) if route.route == RERANKER else route.hits[:depth]) for route in answer.routes)
        return replace(answer, routes=tuple(routes))

    return replace(pool, answers={corpus: cut(answer) for corpus, answer in pool.answers.items()}, fetch_k=depth)


def _shown(route: RouteAnswer, kept: Collection[str]) -> tuple[RouteHit, ...]:
    return tuple(hit for hit in route.hits if hit.chunk_id in kept)


def _barred(one: Candidate, found: Sequence[Candidate]) -> tuple[str, ...]:
    """The hits that bar a candidate's way into the longest list and into every round of the quota; empty where they do not."""
    first: dict[str, Candidate] = {}
    for other in found:
        if other.identity != one.identity and leads(other, one):
            first.setdefault(other.identity, other)
    own = sum(other.corpus_id == one.corpus_id for other in first.values())
    longest, rounds = (int(KNOBS[name].high) for name in ("max_final_results", "min_hits_per_corpus"))
    return tuple(other.chunk_id for other in first.values())[:longest] if len(first) >= longest and own >= rounds else ()


# --- values -----------------------------------------------------------------------------------------------------------


def _move(knob: Knob, before: Value, after: Value) -> float:
    """How far a setting moves, as a share of its range; another choice is the whole range."""
    if isinstance(before, str) or isinstance(after, str):
        return 0.0 if before == after else 1.0
    return abs(float(after) - float(before)) / (knob.high - knob.low)


def _outward(knob: Knob, value: Value) -> list[Value]:
    """All other values of a setting that goes in steps, the nearest first, the smaller one of two equally near."""
    if isinstance(value, str):
        return [choice for choice in knob.choices if choice != value]
    here = float(value)
    others = [number for number in range(int(knob.low), int(knob.high) + 1) if number != here]
    others.sort(key=lambda number: (abs(number - here), number))
    return [*others]


def _coarse_values(knob: Knob, value: Value) -> list[Value]:
    """A few values of a setting over its whole range, without the one in force."""
    if isinstance(value, str) or knob.kind == "int":
        return _outward(knob, value)[: 2 * _COARSE]
    digits = 0 if knob.step >= 1 else 4
    steps = {round(knob.low + step * (knob.high - knob.low) / _COARSE, digits) for step in range(_COARSE + 1)}
    here = float(value)
    others = sorted(steps - {here}, key=lambda number: (abs(number - here), number))
    return [*others]


def _nearest(found: Track, holds: Callable[[tuple[str, ...] | None], bool]) -> list[tuple[float, float, float]]:
    """The stretches of a track in which the list is as wanted, the nearest first: (nearest end, low end, high end).

    Both ends equal: only this point. An end belongs to the stretch when the list holds there too; that is a stretch of its own.
    """
    pieces = [(point, point) for point, ids in zip(found.points, found.at, strict=True) if holds(ids)]
    pieces += [(found.points[place], found.points[place + 1]) for place, ids in enumerate(found.between) if holds(ids)]
    bounds = [(min(max(found.value, low), high), low, high) for low, high in pieces]
    return sorted(bounds, key=lambda piece: (abs(piece[0] - found.value), piece[2] - piece[1], piece))


def _short(knob: Knob, bound: float, low: float, high: float) -> float | None:
    """The shortest number in a stretch that lies nearest to its bound; None where the stretch is narrower than any number to be typed."""
    if low == high:
        return bound if round(bound, _MOST_DIGITS) == bound else None
    for digits in range(0 if knob.step >= 1 else 2, _MOST_DIGITS + 1):
        unit = 10.0**digits
        number: float = (floor(bound * unit) + 1) / unit if bound == low else (ceil(bound * unit) - 1) / unit
        if low < number < high:
            return number
    return None

"""The kernel: the final lists of one question under thousands of settings, as arithmetic on whole columns of numbers.

It follows ``decide`` stage by stage and gives the same lists, ties included: what is one ranking there is one row of a matrix here. Only
candidates that some row of a block can bring to the front are looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval.decide import by_address, reference_key, selection_of, units_of
from retrieval.errors import NotGathered
from retrieval.inspector.reach import Candidate, ahead, astray, brought_in, candidates, routes_of
from retrieval.ranking import Entry
from retrieval.settings import Settings
from retrieval.stages.references import given_targets, targets
from retrieval.trace import Pool

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Truths = NDArray[np.bool_]
Ids = tuple[str, ...]
_SCALE = 1e12  # the digits of a rank score
_DIGITS = 12
_HALF = 4e-4
"""So near to a half in its last digit, a number times the scale may lie on the wrong side of it."""
_MARGIN = 1e-9
"""More than rounding does to a rank score."""


class Block(msgspec.Struct, frozen=True):
    """Columns of numbers with a row for each setting: the RRF constant, the score of references, the least ratio.

    ``weights`` holds the weights of the routes in the order in which fusion meets them (routes x rows), also of those that a pool lacks.
    """

    weights: Floats
    k: Floats
    verweis: Floats
    ratio: Floats


class _Matrix(msgspec.Struct, frozen=True):
    """Entries in order, one row for each setting: rank (-inf: not there), and chunk by its number."""

    ranks: Floats
    chunks: Whole

    def ordered(self, order: Whole) -> _Matrix:
        return _Matrix(np.take_along_axis(self.ranks, order, 1), np.take_along_axis(self.chunks, order, 1))


class Kernel:
    """One pool under settings that differ in weights, RRF constant, score of references and least ratio only.

    ``settings`` gives everything else. Raises NotGathered when the settings select a corpus that the pool did not ask.
    """

    def __init__(self, pool: Pool, settings: Settings, without: Collection[str] = ()) -> None:
        selection = selection_of(pool, settings)
        missing = [corpus for corpus in selection.selected if corpus not in pool.answers]
        if missing:
            raise NotGathered(f"The pool holds no answer of {', '.join(missing)}; gather again with these settings.")
        self._limit = settings.quota.max_final_results
        self._rounds = 0 if "quota" in without else settings.quota.min_hits_per_corpus
        self._cap = 0 if "references" in without else settings.references.max_verweis_normen
        self._by_rank = settings.fusion.fusion == "rrf"
        self._selected = selection.selected
        self._corpora = {corpus: number for number, corpus in enumerate(selection.selected)}
        self._pool = ahead(pool, settings, self._limit, self._rounds)
        self._unit_of = units_of(self._pool.chunks, settings.quota.list_unit)
        answers = [self._pool.answers[corpus] for corpus in selection.selected]
        self._routes = len(routes_of(self._pool, settings))
        fixed, _ = by_address(answers, self._pool, selection, claimed="anchors" not in without)
        self._chunk_ids: list[str] = []
        self._homes: list[int] = []
        self._numbers: dict[str, int] = {}
        self._columns(fixed, candidates(self._pool, settings))
        self._named = self._asked(() if "named_first" in without else pool.named)
        self._heads: dict[bytes, tuple[tuple[int, int], ...]] = {}
        self._lists: dict[bytes, Ids] = {}

    # --- what does not change ------------------------------------------------------------------------------------------

    def _columns(self, fixed: Sequence[Entry], fused: Sequence[Candidate]) -> None:
        """A column for each identity: first what comes by its address, in order, then the candidates as fusion meets them."""
        winners: dict[str, Entry] = {}
        for entry in fixed:
            standing = winners.get(entry.identity)
            if standing is None or entry.rank > standing.rank:
                winners[entry.identity] = entry
        self._column = {name: number for number, name in enumerate(dict.fromkeys([*winners, *(one.identity for one in fused)]))}
        self._fixed = len(winners)
        self._fixed_ranks = np.array([entry.rank for entry in winners.values()], np.float64)
        self._fixed_chunks = np.array([self._number(entry.chunk_id) for entry in winners.values()], np.int64)
        self._of = np.array([self._column[one.identity] for one in fused], np.int64)
        self._fused_chunks = np.array([self._number(one.chunk_id) for one in fused], np.int64)
        homes = np.zeros(len(self._column), np.int64)
        homes[self._of], homes[: self._fixed] = self._home(self._fused_chunks), self._home(self._fixed_chunks)
        units = {name: name for name in self._column} | {one.identity: one.unit for one in fused}
        known_units = {name: number for number, name in enumerate(dict.fromkeys(units.values()))}
        self._units = np.array([known_units[units[name]] for name in self._column], np.int64)
        mixed = astray(self._pool)
        sure = np.array([name not in mixed for name in self._column], np.bool_)
        self._members = [np.flatnonzero(sure & (homes == corpus)) for corpus in range(len(self._corpora))]
        found = [one.places if self._by_rank else one.scores for one in fused]
        missed = np.inf if self._by_rank else 0.0
        shape = self._routes, len(fused)
        self._has = np.array([[side[route] is not None for side in found] for route in range(self._routes)], np.bool_).reshape(shape)
        known = [[missed if side[route] is None else side[route] for side in found] for route in range(self._routes)]
        self._sides = np.array(known, np.float64).reshape(shape)
        self._lifts = [self._liftable(one.chunk_id) for one in fused]
        speaking = [one.chunk_id for one in winners.values()]
        foreign = self._pool.given_targets is not None
        self._lifted = frozenset().union(*map(self._liftable, speaking), self._liftable("") if foreign else ())

    def _number(self, chunk_id: str) -> int:
        """The number of a chunk in the matrices."""
        if chunk_id not in self._numbers:
            self._numbers[chunk_id] = len(self._chunk_ids)
            self._chunk_ids.append(chunk_id)
            self._homes.append(self._corpora[self._pool.chunks[chunk_id].corpus_id])
        return self._numbers[chunk_id]

    def _home(self, chunks: Whole) -> Whole:
        """The corpora of these chunks, by their numbers; 0 where there is no chunk at all."""
        found: Whole = np.array([*self._homes, 0], np.int64)[chunks]
        return found

    def _liftable(self, chunk_id: str) -> frozenset[int]:
        """The columns that the references of a chunk may lift."""
        found = (self._column.get(self._pool.identities[one]) for one in brought_in(self._pool, (chunk_id,)))
        return frozenset(one for one in found if one is not None)

    def _asked(self, named: Sequence[str]) -> Truths | None:
        """Which of the corpora asked the question names; None where that moves nothing."""
        asked = {corpus for corpus in named if corpus in self._corpora}
        if not asked or len(asked) == len(self._corpora):
            return None
        return np.array([corpus in asked for corpus in self._corpora], np.bool_)

    # --- a block of settings ---------------------------------------------------------------------------------------------

    def lists(self, block: Block) -> list[Ids]:
        """The final list (chunk ids, best first) under each row of the block."""
        before = self._once(self._completed(*self._anchored(block), block.verweis))
        if not before.ranks.shape[1]:
            return [()] * len(block.k)
        return self._listed(self._first_named(self._cut(before, block.ratio)))

    def brought_in(self, block: Block) -> list[Ids]:
        """The chunks that references bring in under each row, in their order."""
        found: list[Ids] = [()] * len(block.k)
        for rows, brought in self._runs(self._anchored(block)[0]) if self._cap else ():
            found[rows] = [tuple(self._chunk_ids[chunk] for chunk, _ in brought)] * (rows.stop - rows.start)
        return found

    def _shares(self, block: Block) -> tuple[Floats, Floats]:
        """The shares of the routes (routes x rows) and their sums, to the last bit as fusion has them; 0 where no route has a weight."""
        weights = block.weights[: self._routes]
        shares = weights / np.array([sum(row) or 1.0 for row in weights.T.tolist()])
        return shares, np.array([sum(row) or 1.0 for row in shares.T.tolist()])

    def _kept(self, block: Block, shares: Floats) -> Whole:
        """The candidates that some row may bring into the list or a round of the quota, or that a reference may lift.

        A rank score is linear in the shares and grows with k, so its least and greatest values in a block lie at the corners. Who is behind
        as many others as the list has places even at its greatest, and behind as many of its corpus as there are rounds, stays behind.
        """
        ends = [(corner, k) for corner in _corners(shares) for k in (block.k.min(), block.k.max())]
        corners = np.stack([self._at(corner, k) for corner, k in ends])
        low, high = np.full(len(self._column), -np.inf), corners.max(axis=0)
        np.maximum.at(low, self._of, corners.min(axis=0))
        near = high >= _nth(self._best(low, slice(None)), self._limit + 1) - _MARGIN
        kept = near.copy()
        own = self._home(self._fused_chunks)
        for corpus, members in enumerate(self._members):
            kept |= (own == corpus) & (high >= _nth(self._best(low, members), max(1, self._rounds)) - _MARGIN)
        lifted = self._lifted.union(*(self._lifts[one] for one in np.flatnonzero(near)))
        # What comes by its address too stands with whichever of its ranks is the higher, and for the corpus of that one.
        return np.flatnonzero(kept | (self._of < self._fixed) | np.isin(self._of, list(lifted)))

    def _best(self, numbers: Floats, columns: Whole | slice) -> Floats:
        """The highest number of each unit of the list among these columns; -inf for a unit that is not there."""
        best = np.full(len(self._column), -np.inf)
        np.maximum.at(best, self._units[columns], numbers[columns])
        return best

    def _at(self, shares: Floats, k: float) -> Floats:
        found: Floats = (shares[:, None] * ((k + 1) / (k + self._sides) if self._by_rank else self._sides)).sum(axis=0)
        return found

    def _scores(self, block: Block, shares: Floats, total: Floats, keep: Whole) -> tuple[Floats, Floats]:
        """Unrounded sums and rank scores of these candidates, -inf where a candidate has no part with a weight.

        The summands are added one route after the other, as fusion adds them, so that the last bits are the same.
        """
        base = block.k[:, None]
        sums, living = np.zeros((len(block.k), len(keep))), np.zeros((len(block.k), len(keep)), np.bool_)
        for share, side, has in zip(shares[:, :, None], self._sides[:, keep], self._has[:, keep], strict=True):
            sums += share / (base + side) if self._by_rank else share * side
            living |= has & (share > 0)
        ranks = rounded(sums / (total[:, None] / (base + 1)) if self._by_rank else sums)
        return np.where(living, sums, -np.inf), np.where(living, ranks, -np.inf)

    def _anchored(self, block: Block) -> tuple[_Matrix, Whole]:
        """Candidates and what comes by its address, each chunk once, best first; and the columns in that order."""
        shares, total = self._shares(block)
        keep = self._kept(block, shares)
        sums, scores = self._scores(block, shares, total, keep)
        rows, numbers = len(block.k), self._fused_chunks[keep]
        ranks, ties = np.full((2, rows, len(self._column)), -np.inf)
        chunks = np.zeros(ranks.shape, np.int64)
        ranks[:, : self._fixed], ties[:, : self._fixed], chunks[:, : self._fixed] = self._fixed_ranks, np.inf, self._fixed_chunks
        columns, count = np.unique(self._of[keep], return_counts=True)
        alone = np.isin(self._of[keep], columns[(count == 1) & (columns >= self._fixed)])
        ranks[:, self._of[keep[alone]]], ties[:, self._of[keep[alone]]] = scores[:, alone], sums[:, alone]
        chunks[:, self._of[keep[alone]]] = numbers[alone]
        met = np.broadcast_to(np.arange(ranks.shape[1]), ranks.shape).copy()
        met[:, self._of[keep[alone]]] = self._fixed + keep[alone]
        for column in np.unique(self._of[keep[~alone]]):
            # The same chunk found several times: the first that fusion has, and what comes by its address unless that ranks lower.
            places = np.flatnonzero(self._of[keep] == column)
            best = places[np.argmax(sums[:, places], axis=1)][:, None]
            score = np.take_along_axis(scores, best, 1)[:, 0]
            better = score > ranks[:, column]
            ranks[better, column], chunks[better, column] = score[better], numbers[best[better, 0]]
            if column >= self._fixed:
                ties[:, column], met[:, column] = np.take_along_axis(sums, best, 1)[:, 0], self._fixed + keep[best[:, 0]]
        used = np.union1d(np.arange(self._fixed), columns)
        order = used[np.lexsort((met[:, used], -ties[:, used]), axis=1)]
        order = np.take_along_axis(order, np.argsort(-np.take_along_axis(ranks, order, 1), axis=1, kind="stable"), 1)
        return _Matrix(ranks, chunks).ordered(order), order

    # --- references ------------------------------------------------------------------------------------------------------

    def _completed(self, anchored: _Matrix, order: Whole, verweis: Floats) -> _Matrix:
        """The same with the norms that references bring in: lifted where they are, else behind the others before they are ordered."""
        ranks, chunks = anchored.ranks.copy(), anchored.chunks.copy()
        runs = list(self._runs(anchored)) if self._cap else []
        rows, width = len(ranks), max((len(found) for _, found in runs), default=0)
        added, added_chunks = np.full((rows, width), -np.inf), np.zeros((rows, width), np.int64)
        for rows_of, found in runs:
            score = verweis[rows_of]
            for slot, (chunk, column) in enumerate(found):
                there = (order[rows_of] == column) & (anchored.ranks[rows_of] > -np.inf)
                lifted = there & (score[:, None] > ranks[rows_of])
                ranks[rows_of] = np.where(lifted, score[:, None], ranks[rows_of])
                chunks[rows_of] = np.where(lifted, chunk, chunks[rows_of])
                added[rows_of, slot] = np.where(there.any(axis=1), -np.inf, score)
                added_chunks[rows_of, slot] = chunk
        matrix = _Matrix(np.concatenate([ranks, added], axis=1), np.concatenate([chunks, added_chunks], axis=1))
        return matrix.ordered(np.argsort(-matrix.ranks, axis=1, kind="stable"))

    def _runs(self, anchored: _Matrix) -> Iterator[tuple[slice, tuple[tuple[int, int], ...]]]:
        """Neighbouring rows with the same hits in front, and what their references bring in: (chunk, its column or -1), in order."""
        head = np.where(anchored.ranks > -np.inf, anchored.chunks, -1)[:, : self._limit]
        positive = (anchored.ranks[:, : self._limit] > 0).sum(axis=1, keepdims=True)
        signs = np.concatenate([head, positive], axis=1)
        starts = np.flatnonzero(np.concatenate([[True], (signs[1:] != signs[:-1]).any(axis=1)]))
        for start, end in zip(starts, [*starts[1:], len(signs)], strict=True):
            key = signs[start].tobytes()
            if key not in self._heads:
                self._heads[key] = tuple(self._brought(signs[start]))
            if self._heads[key]:
                yield slice(int(start), int(end)), self._heads[key]

    def _brought(self, signs: Whole) -> Iterator[tuple[int, int]]:
        pool, selected = self._pool, self._selected
        ids = [self._chunk_ids[number] for number in signs[:-1] if number >= 0]
        entries = [Entry(one, pool.chunks[one].corpus_id, pool.identities[one], float(place < signs[-1])) for place, one in enumerate(ids)]
        if pool.given_targets is not None:
            defaults = {corpus: spec.default_container_id for corpus, spec in pool.specs.items()}
            verweise = given_targets(pool.given_targets, defaults, selected, self._cap)
        else:
            verweise = targets(entries, pool.references, pool.chunks, selected, self._cap, self._limit)
        seen: set[str] = set()
        for number, verweis in enumerate(verweise):
            if verweis.fate != "follow" or verweis.target is None:
                continue
            units = pool.reference_units[reference_key(verweis, number, pool)]
            for hit in units.hits if units.status == "found" else ():
                identity = pool.identities[hit.chunk_id]
                if identity not in seen:
                    seen.add(identity)
                    yield self._number(hit.chunk_id), self._column.get(identity, -1)

    def _once(self, before: _Matrix) -> _Matrix:
        """The same with one chunk of each unit: the first in each row; what was fetched by its address stays whole."""
        if not self._unit_of:
            return before
        units, whole = self._numbered_units()
        mine, valid = units[before.chunks], before.ranks > -np.inf
        order = np.argsort(mine, axis=1, kind="stable")
        ordered = np.take_along_axis(mine, order, 1)
        again = np.zeros(mine.shape, np.bool_)
        np.put_along_axis(again, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
        ranks = np.where(again & valid & ~whole[before.chunks], -np.inf, before.ranks)
        return _Matrix(ranks, before.chunks).ordered(np.argsort(ranks == -np.inf, axis=1, kind="stable"))

    def _numbered_units(self) -> tuple[Whole, Truths]:
        """For every chunk the number of its unit, its own where it has none, and whether it was fetched by its address."""
        names = [self._unit_of.get(one, one) for one in self._chunk_ids]
        known = {name: number for number, name in enumerate(dict.fromkeys(names))}
        columns = [self._column.get(self._pool.identities[one], self._fixed) for one in self._chunk_ids]
        return np.array([known[name] for name in names] or [0], np.int64), np.array(columns or [0], np.int64) < self._fixed

    # --- quota and named corpus --------------------------------------------------------------------------------------------

    def _cut(self, before: _Matrix, ratio: Floats) -> _Matrix:
        """The list: the places that the quota holds, the rest by rank."""
        ranks, own, width = before.ranks, self._home(before.chunks), before.ranks.shape[1]
        valid = ranks > -np.inf
        within, first = np.zeros((2, *ranks.shape), np.int64)
        sizes, qualifies = np.zeros((len(ranks), len(self._corpora)), np.int64), np.zeros((len(ranks), len(self._corpora)), np.bool_)
        floor = ratio * np.where(valid[:, 0], ranks[:, 0], 0.0)
        for corpus in range(len(self._corpora)):
            here = (own == corpus) & valid
            within += np.where(here, np.cumsum(here, axis=1), 0)
            first += np.where(here, np.argmax(here, axis=1)[:, None], 0)
            sizes[:, corpus] = here.sum(axis=1)
            qualifies[:, corpus] = here.any(axis=1) & (np.where(here, ranks, -np.inf).max(axis=1) >= floor)
        applied = (valid.sum(axis=1) > self._limit) & ((sizes > 0).sum(axis=1) > 1) & (qualifies.sum(axis=1) > 1)
        rounds, taken = self._held(sizes, qualifies, applied)
        held = valid & np.take_along_axis(qualifies, own, 1) & (within <= rounds[:, None])
        others = valid & ~held
        chosen = held | (others & (np.cumsum(others, axis=1) <= (self._limit - taken)[:, None]))
        # Among equal ranks the held places lead, in the order of their rounds and of the best hits of their corpora.
        ties = np.where(held, within * width + first, (self._rounds + 2) * width + np.arange(width))
        ranks = np.where(chosen, ranks, -np.inf)
        places = np.argsort(~chosen, axis=1, kind="stable")[:, : self._limit]
        keys = (np.take_along_axis(ties, places, 1), -np.take_along_axis(ranks, places, 1))
        places = np.take_along_axis(places, np.lexsort(keys, axis=1), 1)
        return _Matrix(ranks, before.chunks).ordered(places)

    def _held(self, sizes: Whole, qualifies: Truths, applied: Truths) -> tuple[Whole, Whole]:
        """How many whole rounds each row holds, and how many places those are."""
        rounds, taken = np.zeros((2, len(sizes)), np.int64)
        most = max(1, self._limit // 2)
        for number in range(1, self._rounds + 1):
            members = (qualifies & (sizes >= number)).sum(axis=1)
            applied = applied & (members > 0) & (taken + members <= most)
            rounds, taken = np.where(applied, number, rounds), np.where(applied, taken + members, taken)
        return rounds, taken

    def _first_named(self, cut: _Matrix) -> _Matrix:
        if self._named is None:
            return cut
        asked = self._named[self._home(cut.chunks)] & (cut.ranks > -np.inf)
        keys = np.broadcast_to(np.arange(asked.shape[1]), asked.shape).copy()
        rows = np.flatnonzero(asked.any(axis=1))
        keys[rows, np.argmax(asked[rows], axis=1)] = -1
        return cut.ordered(np.argsort(keys, axis=1, kind="stable"))

    def _listed(self, cut: _Matrix) -> list[Ids]:
        numbers = np.where(cut.ranks > -np.inf, cut.chunks, -1)
        found = []
        for row in numbers:
            key = row.tobytes()
            if key not in self._lists:
                self._lists[key] = tuple(self._chunk_ids[number] for number in row if number >= 0)
            found.append(self._lists[key])
        return found


def rounded(numbers: Floats) -> Floats:
    """The numbers rounded to twelve digits exactly as ``round`` does it."""
    scaled = numbers * _SCALE
    found: Floats = np.rint(scaled) / _SCALE
    doubtful = (np.abs(scaled - np.floor(scaled) - 0.5) < _HALF) | (np.abs(numbers) > 1_000)
    found[doubtful] = [round(float(one), _DIGITS) for one in numbers[doubtful]]
    return found


def _corners(shares: Floats) -> list[Floats]:
    """The corners of the least range of shares that sum to 1 and holds all of these (routes x rows): all but one share at an end."""
    low, high = shares.min(axis=1), shares.max(axis=1)
    found = []
    for free in range(len(shares)):
        others = [route for route in range(len(shares)) if route != free]
        for ends in product(*((low[route], high[route]) for route in others)):
            corner = np.empty(len(shares))
            corner[others], corner[free] = ends, 1 - sum(ends)
            if low[free] - _MARGIN <= corner[free] <= high[free] + _MARGIN:
                found.append(corner)
    return found or [low, high]


def _nth(numbers: Floats, n: int) -> float:
    """The n-th largest; -inf where there are fewer."""
    return float(np.partition(numbers, len(numbers) - n)[len(numbers) - n]) if len(numbers) >= n else -np.inf

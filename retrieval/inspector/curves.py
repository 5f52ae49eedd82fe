"""Curves: the rank scores of all candidates as functions of one number, and the points at which something about the list may change."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.decide import decide, units_of
from retrieval.inspector.reach import Candidate, candidates, leaders, routes_of
from retrieval.ranking import Entry
from retrieval.settings import Settings
from retrieval.stages.fusion import shares
from retrieval.trace import Pool, Trace

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Truths = NDArray[np.bool_]
Signs = NDArray[np.int32]
_DIGITS = 12  # those of a rank score
_BLOCK = 2_000  # so many numbers are looked at together
_UNIT = 200.0  # the RRF constant at its highest


class Family(Protocol):
    """A family of functions of one number, one for each fused candidate."""

    def values(self, at: Floats) -> Floats:
        """The rank scores (numbers x candidates)."""
        ...

    def meetings(self, rows: Whole) -> Floats:
        """Where two of these candidates have the same rank."""
        ...

    def levels(self, level: float) -> Floats:
        """Where a candidate has this rank."""
        ...

    def ratios(self, ratio: float, ahead: Whole, behind: Whole) -> Floats:
        """Where a candidate of ``behind`` has ``ratio`` times the rank of one of ``ahead``."""
        ...


class Lines:
    """Rank scores over the share of one route: ``share · own + (1 - share) · rest``, the rest in its own proportions."""

    def __init__(self, own: Floats, rest: Floats) -> None:
        self.own, self.rest = own, rest

    def values(self, at: Floats) -> Floats:
        return np.outer(at, self.own) + np.outer(1 - at, self.rest)

    def _zero(self, own: Floats, rest: Floats) -> Floats:
        """Where ``share · own + (1 - share) · rest`` is 0."""
        slope = rest - own
        there = slope != 0
        found: Floats = rest[there] / slope[there]
        return found

    def meetings(self, rows: Whole) -> Floats:
        one, other = _pairs(rows)
        return self._zero(self.own[one] - self.own[other], self.rest[one] - self.rest[other])

    def levels(self, level: float) -> Floats:
        return self._zero(self.own - level, self.rest - level)

    def ratios(self, ratio: float, ahead: Whole, behind: Whole) -> Floats:
        own = self.own[behind][:, None] - ratio * self.own[ahead][None, :]
        rest = self.rest[behind][:, None] - ratio * self.rest[ahead][None, :]
        return self._zero(own.ravel(), rest.ravel())


class Fractions:
    """Rank scores over the RRF constant k: ``(k + 1) · Σ share / (k + place in the route)``.

    A candidate that a route missed has no summand for it.
    """

    def __init__(self, places: Floats, shares: Sequence[float]) -> None:
        """``places`` (routes x candidates) are places from 1, infinite where a route missed the candidate."""
        # A summand as (numerator, denominator) of one polynomial: a missed route is 0 / 1.
        missed = np.isinf(places)
        self._weight = np.where(missed, 0.0, np.array(shares)[:, None])
        self._grows = np.where(missed, 0.0, 1.0)
        self._constant = np.where(missed, 1.0, places)

    def values(self, at: Floats) -> Floats:
        k = at[:, None, None]
        summands = self._weight[None] / (self._grows[None] * k + self._constant[None])
        total: Floats = (at[:, None] + 1) * summands.sum(axis=1)
        return total

    def _halves(self, rows: Whole) -> tuple[Floats, Floats]:
        """Each candidate's sum as numerator and denominator, polynomials without the factor k + 1; highest power first."""
        top, bottom = np.zeros((1, len(rows))), np.ones((1, len(rows)))
        for weight, grows, constant in zip(self._weight[:, rows], self._grows[:, rows], self._constant[:, rows], strict=True):
            one = np.stack([grows, constant])
            top, bottom = _times(top, one) + np.pad(bottom * weight, ((1, 0), (0, 0))), _times(bottom, one)
        return top, bottom

    def meetings(self, rows: Whole) -> Floats:
        one, other = _pairs(rows)
        return self._equal(1.0, other, one)

    def _equal(self, ratio: float, ahead: Whole, behind: Whole) -> Floats:
        """Where ``behind[i]`` has ``ratio`` times the rank of ``ahead[i]``: the roots of a polynomial."""
        (top_a, bottom_a), (top_b, bottom_b) = self._halves(ahead), self._halves(behind)
        return _roots(_times(top_b, bottom_a) - ratio * _times(top_a, bottom_b))

    def levels(self, level: float) -> Floats:
        top, bottom = self._halves(np.arange(self._weight.shape[1]))
        return _roots(_times(np.ones((2, top.shape[1])), top) - level * np.pad(bottom, ((len(top) + 1 - len(bottom), 0), (0, 0))))

    def ratios(self, ratio: float, ahead: Whole, behind: Whole) -> Floats:
        one, other = np.meshgrid(ahead, behind)
        return self._equal(ratio, one.ravel(), other.ravel())


def _pairs(rows: Whole) -> tuple[Whole, Whole]:
    one, other = np.triu_indices(len(rows), 1)
    return rows[one], rows[other]


def _times(one: Floats, other: Floats) -> Floats:
    """The products of polynomials, column by column; highest power first."""
    product = np.zeros((len(one) + len(other) - 1, one.shape[1]))
    for power, row in enumerate(one):
        product[power : power + len(other)] += row * other
    return product


def _roots(polynomials: Floats) -> Floats:
    """The real roots of polynomials, one in each column, highest power first; those that are 0 throughout have none.

    The unknown is counted in units of ``_UNIT``, so that what is small beside the largest coefficient is nothing in the range either.
    """
    powers = _UNIT ** np.arange(len(polynomials) - 1, -1, -1.0)
    units = polynomials * powers[:, None]
    size = np.abs(units).max(axis=0)
    scaled = units[:, size > 0] / size[size > 0]
    scaled = np.where(np.abs(scaled) < 1e-15, 0.0, scaled)
    scaled = np.pad(scaled, ((max(0, 3 - len(scaled)), 0), (0, 0)))
    degree = len(scaled) - 1 - np.argmax(scaled != 0, axis=0)
    found = [_quadratic(scaled[-3:, degree <= 2])]
    found += [_higher(scaled[-one - 1 :, degree == one]) for one in range(3, len(scaled))]
    return _UNIT * np.concatenate(found)


def _higher(columns: Floats) -> Floats:
    """The real roots of polynomials of one degree above 2: the eigenvalues of their companion matrices, all at once."""
    degree, count = len(columns) - 1, columns.shape[1]
    if not count:
        return np.empty(0)
    companions = np.zeros((count, degree, degree))
    companions[:, 0] = -(columns[1:] / columns[0]).T
    companions[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    roots = np.linalg.eigvals(companions).ravel()
    real: Floats = roots.real[np.abs(roots.imag) <= 1e-9 * np.maximum(1.0, np.abs(roots.real))]
    return real


def _quadratic(columns: Floats) -> Floats:
    """The real roots of ``a x² + b x + c``, in the form that loses no digits (Press et al., Numerical Recipes, 5.6)."""
    a, b, c = columns
    inside = b * b - 4 * a * c
    real = inside >= -1e-14 * (b * b + np.abs(4 * a * c))
    a, b, c = a[real], b[real], c[real]
    half = -0.5 * (b + np.where(b < 0, -1.0, 1.0) * np.sqrt(np.maximum(inside[real], 0.0)))
    first = half[a != 0] / a[a != 0]
    second = c[half != 0] / half[half != 0]
    return np.concatenate([first, second])


# --- what of it can change the list --------------------------------------------------------------------------------------


class Curves:
    """The rank scores of everything that can stand in the list: fused candidates, and constants such as anchors and references."""

    def __init__(self, family: Family, fused: tuple[Candidate, ...], trace: Trace) -> None:
        self.family, self.fused = family, fused
        self._rounds = trace.settings.quota.min_hits_per_corpus if "quota" not in trace.without else 0
        self._ratio = trace.settings.quota.min_ratio
        self._verweis = trace.settings.references.verweis_score if "references" not in trace.without else None
        fixed = [entry for entry in (*trace.anchored.entries, *trace.fused.entries) if entry.rank_by != "routes"]
        self._fixed = np.array([entry.rank for entry in fixed], dtype=np.float64)
        names = dict.fromkeys([*(entry.identity for entry in fixed), *(one.identity for one in fused)])
        self._number = {identity: number for number, identity in enumerate(names)}
        self._owner = np.array([self._number[entry.identity] for entry in fixed] + [self._number[one.identity] for one in fused])
        self._several, self._whole = _units(fixed, fused, trace, list(names))
        corpus_of = {entry.identity: entry.corpus_id for entry in fixed} | {one.identity: one.corpus_id for one in fused}
        corpora = [corpus_of[identity] for identity in names]
        self._corpora = [np.flatnonzero(np.array(corpora) == corpus) for corpus in dict.fromkeys(corpora)]

    def events(self, low: float, high: float, most: int) -> list[float]:
        """The numbers between ``low`` and ``high`` at which the first ``most`` places, a round or a floor of the quota may change."""
        if not self.fused:
            return []
        levels = [*np.unique(self._fixed), *([] if self._verweis is None else [self._verweis])]
        found = [self.family.meetings(np.arange(len(self.fused))), *(self.family.levels(float(level)) for level in levels)]
        found += self._floors(levels)
        points = np.concatenate(found)
        points = np.unique(points[(points > low) & (points < high)])
        points = points[np.concatenate([[True], np.diff(points) > 1e-13 * (high - low)])] if len(points) else points
        edges = np.concatenate([[low], points, [high]])
        middles = (edges[:-1] + edges[1:]) / 2
        blocks = [self._signatures(middles[start : start + _BLOCK], most) for start in range(0, len(middles), _BLOCK)]
        signs = np.concatenate(blocks)
        changed = (signs[1:] != signs[:-1]).any(axis=1)
        return [float(point) for point in points[changed]]

    def meetings(self, chunk_ids: Collection[str], low: float, high: float) -> list[float]:
        """The numbers between ``low`` and ``high`` at which two of these candidates have the same rank."""
        rows = np.array([row for row, one in enumerate(self.fused) if one.chunk_id in chunk_ids], dtype=np.int64)
        points = self.family.meetings(rows) if len(rows) > 1 else np.empty(0)
        return [float(point) for point in points if low < point < high]

    def _floors(self, levels: list[float]) -> list[Floats]:
        """Where the best of a corpus meets the floor: ``min_ratio`` times the best of all."""
        if not self._rounds or not self._ratio:
            return []
        first = leaders(self.fused, 1)
        rows = np.array([row for row, one in enumerate(self.fused) if one.chunk_id in first], dtype=np.int64)
        found = [self.family.ratios(self._ratio, rows, rows)]
        for level in levels:
            found += [self.family.levels(self._ratio * level), self.family.levels(level / self._ratio)]
        return found

    def _once(self, ranks: Floats) -> Floats:
        """The ranks with one column of each norm, the best; what was fetched by its address stays."""
        found = ranks.copy()
        for columns in self._several:
            mine = ranks[:, columns]
            behind = np.arange(len(columns)) != np.argmax(mine, axis=1)[:, None]
            found[:, columns] = np.where(behind & ~self._whole[columns], -np.inf, mine)
        return found

    def _signatures(self, at: Floats, most: int) -> Signs:
        """For each number everything that the list depends on: the first places, each corpus's rounds and their order, the floors."""
        own = np.round(self.family.values(at), _DIGITS)
        every = np.concatenate([np.broadcast_to(self._fixed, (len(at), len(self._fixed))), own], axis=1)
        by_name = np.full((len(self._number), len(at)), -np.inf)
        np.maximum.at(by_name, self._owner, every.T)  # the same chunk, found several times, has the best of its ranks
        ranks = by_name.T
        speaking, ranks = _first(ranks, most), self._once(ranks)
        head = _first(ranks, most)
        leaders = [_first(ranks[:, columns], max(1, min(self._rounds, most))) for columns in self._corpora]
        places = np.concatenate([columns[found] for columns, found in zip(self._corpora, leaders, strict=True)], axis=1)
        values = np.take_along_axis(ranks, places, axis=1)
        parts = [speaking, head, places, np.argsort(-values, axis=1, kind="stable")]
        best = ranks.max(axis=1)
        tops = np.stack([ranks[:, columns].max(axis=1) for columns in self._corpora], axis=1)
        parts.append(tops >= self._ratio * best[:, None])
        if self._verweis is not None:
            heads = np.take_along_axis(ranks, head, axis=1)
            parts += [heads > self._verweis, values > self._verweis, tops >= self._ratio * self._verweis]
            parts.append((self._verweis >= self._ratio * best)[:, None])
        return np.concatenate([part.astype(np.int32) for part in parts], axis=1)


def _units(fixed: Sequence[Entry], fused: Sequence[Candidate], trace: Trace, names: Sequence[str]) -> tuple[list[Whole], Truths]:
    """The columns of every norm that has several, and which columns were fetched by their address and keep their places."""
    units = units_of(trace.chunks, trace.settings.quota.list_unit)
    unit = {entry.identity: units.get(entry.chunk_id, entry.identity) for entry in fixed} | {one.identity: one.unit for one in fused}
    members: dict[str, list[int]] = {}
    for column, name in enumerate(names):
        members.setdefault(unit[name], []).append(column)
    addressed = {entry.identity for entry in fixed}
    whole = np.array([name in addressed for name in names], dtype=np.bool_)
    return [np.array(columns) for columns in members.values() if len(columns) > 1], whole


def _first(ranks: Floats, most: int) -> Whole:
    """The columns of the ``most`` best ranks of each row, best first, equal ones in the order of the columns."""
    found: Whole = np.argsort(-ranks, axis=1, kind="stable")[:, :most]
    return found


def lines(pool: Pool, settings: Settings, route: str, without: Collection[str] = ()) -> Curves:
    """The rank scores over the share of one route, from 0 to 1, in the fusion method in force; the others keep their proportions."""
    fused, routes = candidates(pool, settings), routes_of(pool, settings)
    if settings.fusion.fusion == "rrf":
        k = settings.fusion.rrf_k
        sides = (k + 1) / (k + _places(fused, len(routes)))
    else:
        sides = np.array([[score or 0.0 for score in one.scores] for one in fused]).reshape(len(fused), len(routes)).T
    others = {name: weight for name, weight in weights_of(pool, settings).items() if name != route}
    rest = np.zeros(len(fused))
    for name, share in (shares(others) if any(others.values()) else {}).items():
        rest += share * sides[routes.index(name)]
    return Curves(Lines(sides[routes.index(route)], rest), fused, decide(pool, settings, without=without))


def weights_of(pool: Pool, settings: Settings) -> dict[str, float]:
    """The weights of the routes that a run fuses."""
    weights = settings.fusion.weights()
    return {name: weights[name] for name in routes_of(pool, settings)}


def _places(fused: Sequence[Candidate], routes: int) -> Floats:
    """The places (routes x candidates), infinite where a route missed a candidate."""
    return np.array([[place or np.inf for place in one.places] for one in fused], np.float64).reshape(len(fused), routes).T


def fractions(pool: Pool, settings: Settings, without: Collection[str] = ()) -> Curves:
    """The rank scores over the RRF constant."""
    fused, trace = candidates(pool, settings), decide(pool, settings, without=without)
    routes = routes_of(pool, settings)
    family = Fractions(_places(fused, len(routes)), [trace.shares[name] for name in routes])
    return Curves(family, fused, trace)

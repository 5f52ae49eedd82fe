"""Breakpoints: the exact values at which the final list changes while one setting moves and all others stay.

Every rank score is a known function of the setting: a line over the share of a weight, a sum of fractions over the RRF constant, a constant
or the setting itself. The list can only change where two such functions meet, or where one meets the floor of the quota. Those points are
computed; the list between them is that of ``decide``, and what does not change the list is dropped again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import pairwise

from msgspec.structs import replace

from retrieval.decide import decide, units_of
from retrieval.errors import BadSetting
from retrieval.inspector.curves import Curves, fractions, lines, weights_of
from retrieval.inspector.grids import Grid, Table
from retrieval.inspector.reach import ahead
from retrieval.inspector.tracks import CONTINUOUS, Track
from retrieval.settings import KNOBS, Settings
from retrieval.stages.fusion import ROUTES
from retrieval.stages.merging import once
from retrieval.trace import Pool

_SAME = 1e-12
"""Points nearer than this share of the range are one point: no number between them can be set."""
_SHORT = 6
Ids = tuple[str, ...]


def track(pool: Pool, settings: Settings, knob: str, without: Collection[str] = ()) -> Track:
    """The final list over the whole range of ``knob``, everything else as ``settings`` has it.

    ``without`` names stages that are left out, as in ``decide``. Raises BadSetting for a setting that is no continuous one.
    """
    if knob not in CONTINUOUS:
        raise BadSetting(f"Breakpoints of {knob[:40]!r}: found no continuous setting. Those are: {', '.join(CONTINUOUS)}.")
    runs = _Runs(ahead(pool, settings, settings.quota.max_final_results, settings.quota.min_hits_per_corpus), settings, knob, without)
    value, low, high = float(settings.value(knob)), KNOBS[knob].low, KNOBS[knob].high
    if not _works(runs.pool, settings, knob):
        (here,) = runs.lists([value])
        return Track(knob, value, (low, high), (here or (),), (here, here), works=False)
    points = _points(runs, low, high)
    between = [ids or () for ids in runs.lists(_middles(points))]
    kept = [0, *(place for place in range(1, len(between)) if between[place] != between[place - 1])]
    points = (*(points[place] for place in kept), high)
    return Track(knob, value, points, tuple(between[place] for place in kept), tuple(runs.lists(points)))


def _works(pool: Pool, settings: Settings, knob: str) -> bool:
    """Whether the setting has a say: the fusion method reads it, and a weight belongs to a route that is there."""
    return settings.acts(knob) and (knob not in _ROUTE_OF or _ROUTE_OF[knob] in weights_of(pool, settings))


class _Runs:
    """What the run gives at values of one setting."""

    def __init__(self, pool: Pool, settings: Settings, knob: str, without: Collection[str] = ()) -> None:
        self.pool, self.settings, self.knob, self.without = pool, settings, knob, without
        self._grid = Grid(pool, without)

    @property
    def most(self) -> int:
        """The length of the list."""
        return self.settings.quota.max_final_results

    def lists(self, values: Sequence[float]) -> list[Ids | None]:
        """The list at each value, None where the setting is refused."""
        return self._grid.lists(self._table(values))

    def brought_in(self, values: Sequence[float]) -> list[Ids | None]:
        """The chunks that references bring in at each value."""
        return self._grid.brought_in(self._table(values))

    def _table(self, values: Sequence[float]) -> Table:
        group = KNOBS[self.knob].group
        now = getattr(self.settings, group)
        return Table([replace(self.settings, **{group: replace(now, **{self.knob: value})}) for value in values])


def _middles(points: Sequence[float]) -> list[float]:
    return [(left + right) / 2 for left, right in pairwise(points)]


def _points(runs: _Runs, low: float, high: float) -> tuple[float, ...]:
    """The ends of the range and every value between them at which the list may change."""
    if runs.knob == "min_ratio":
        return (low, *_distinct(_of_ratio(runs), low, high), high)
    if runs.knob == "verweis_score":
        return (low, *_distinct(_of_verweis(runs), low, high), high)
    curves, value_of, start, end = _CURVES[runs.knob](runs)
    found = [value_of(point) for point in curves.events(start, end, runs.most)]
    points = (low, *_distinct(found, low, high), high)
    # Among equal ranks, norms that references bring in have the order that they have as candidates.
    stretches: dict[Ids, list[tuple[float, float]]] = {}
    for stretch, brought in zip(pairwise(points), runs.brought_in(_middles(points)), strict=True):
        stretches.setdefault(brought or (), []).append(stretch)
    for brought, there in stretches.items():
        met = sorted(value_of(point) for point in curves.meetings(brought, start, end))
        found += [point for left, right in there for point in met[bisect_right(met, left) : bisect_left(met, right)]]
    return (low, *_distinct(found, low, high), high)


def _distinct(found: Iterable[float], low: float, high: float) -> tuple[float, ...]:
    """The points inside the range, in order, those that are one but for rounding counted once.

    A point that is a short number but for rounding is that number: at 0.15 and not at 0.14999999999999997.
    """
    near = _SAME * (high - low)
    kept: list[float] = []
    for exact in sorted(found):
        point = round(exact, _SHORT) if abs(round(exact, _SHORT) - exact) <= near else exact
        if low + near < point < high - near and (not kept or point - kept[-1] > near):
            kept.append(point)
    return tuple(kept)


# --- one setting each -------------------------------------------------------------------------------------------------


def _of_ratio(runs: _Runs) -> Iterable[float]:
    """A corpus takes part while its best rank reaches the floor: up to its share of the best of all."""
    quota = decide(runs.pool, runs.settings, without=runs.without).quota
    return [corpus.best / quota.best for corpus in quota.corpora] if quota.best > 0 else []


def _of_verweis(runs: _Runs) -> Iterable[float]:
    """A fetched norm passes each hit of the list and of its corpus, the floors that others set, and the one that it sets itself.

    A hit behind another one of its norm has no place, so none to pass, unless it was asked for by its address.
    """
    trace = decide(runs.pool, runs.settings, without=runs.without)
    ratio = runs.settings.quota.min_ratio
    whole = {entry.identity for entry in trace.anchored.entries if entry.rank_by != "routes"}
    listed = once(trace.anchored, units_of(trace.chunks, runs.settings.quota.list_unit), whole).living
    ranks: set[float] = set()
    seen: Counter[str] = Counter()
    for place, entry in enumerate(listed):
        seen[entry.corpus_id] += 1
        if place < runs.most or seen[entry.corpus_id] <= runs.most:
            ranks.add(entry.rank)
    best = max(ranks, default=0.0)
    return [*ranks, ratio * best, *(rank / ratio for rank in ranks if ratio)]


_Moving = tuple[Curves, Callable[[float], float], float, float]
"""Curves, what turns their number into the setting's value, and the range of that number in which there is one."""


def _of_weight(route: str, runs: _Runs) -> _Moving:
    other = sum(weight for name, weight in weights_of(runs.pool, runs.settings).items() if name != route)
    curves = lines(runs.pool, runs.settings, route, runs.without)
    return curves, lambda share: other * share / (1 - share), 0.0, 1 / (1 + other)


def _of_constant(runs: _Runs) -> _Moving:
    knob = KNOBS["rrf_k"]
    return fractions(runs.pool, runs.settings, runs.without), lambda k: k, knob.low, knob.high


_ROUTE_OF = {f"weight_{route}": route for route in ROUTES}
_CURVES: dict[str, Callable[[_Runs], _Moving]] = {
    **{knob: partial(_of_weight, route) for knob, route in _ROUTE_OF.items()},
    "rrf_k": _of_constant,
}

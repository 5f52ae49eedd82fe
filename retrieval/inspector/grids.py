"""Grids: the final list of one question under many settings at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from retrieval.errors import BadSetting
from retrieval.inspector.kernel import Block, Floats, Ids, Kernel, Whole
from retrieval.settings import KNOBS, Settings
from retrieval.stages.fusion import ROUTES
from retrieval.trace import Pool

_WEIGHTS = tuple(f"weight_{route}" for route in ROUTES)

MOVING = (*_WEIGHTS, "rrf_k", "verweis_score", "min_ratio")
"""The settings whose values are worked on together; those that differ in another one are taken apart."""
_SHAPE = tuple(name for name in KNOBS if name not in MOVING)
_ROWS = 512


class Table:
    """Many settings, made ready once for any number of pools. ``refused`` are the places of those that no run takes."""

    def __init__(self, settings: Sequence[Settings]) -> None:
        self.count = len(settings)
        shapes: dict[tuple[object, ...], list[tuple[int, Settings]]] = {}
        self.refused: list[int] = []
        for place, one in enumerate(settings):
            try:
                one.shares()
            except BadSetting:
                self.refused.append(place)
                continue
            shapes.setdefault(tuple(one.value(name) for name in _SHAPE), []).append((place, one))
        self.groups = {shape: _Group(rows) for shape, rows in shapes.items()}


class _Group:
    """Settings of one shape as blocks of rows that lie near each other, each with the places of its rows in the table."""

    def __init__(self, rows: Sequence[tuple[int, Settings]]) -> None:
        self.settings = rows[0][1]
        places = np.array([place for place, _ in rows], np.int64)
        weights = np.array([tuple(one.fusion.weights().values()) for _, one in rows], np.float64)
        others = np.array([(one.fusion.rrf_k, one.references.verweis_score, one.quota.min_ratio) for _, one in rows], np.float64)
        shares = [list(one.shares().values()) for _, one in rows]
        near = [*np.array(shares, np.float64).T[::-1]]  # the last of these keys counts first
        order = np.lexsort((*near, others[:, 0]) if self.settings.fusion.fusion == "rrf" else near)
        self.blocks = tuple(self._cut(places[order], weights[order], others[order]))

    @staticmethod
    def _cut(places: Whole, weights: Floats, others: Floats) -> Iterator[tuple[Whole, Block]]:
        for start in range(0, len(places), _ROWS):
            part = slice(start, start + _ROWS)
            yield places[part], Block(*(np.ascontiguousarray(column) for column in (weights[part].T, *others[part].T)))


class Grid:
    """One pool under any settings; what a shape of settings needs of the pool is made once. ``without`` as in ``decide``."""

    def __init__(self, pool: Pool, without: Collection[str] = ()) -> None:
        self._pool, self._without = pool, tuple(without)
        self._kernels: dict[tuple[object, ...], Kernel] = {}

    def lists(self, table: Table) -> list[Ids | None]:
        """The final list (chunk ids, best first) under each of the settings, equal to that of ``decide``; None where one is refused.

        Raises NotGathered where settings select a corpus that the pool did not ask.
        """
        return self._each(table, Kernel.lists)

    def brought_in(self, table: Table) -> list[Ids | None]:
        """The chunks that references bring in under each of the settings, in their order; None where one is refused."""
        return self._each(table, Kernel.brought_in)

    def _each(self, table: Table, ask: Callable[[Kernel, Block], Sequence[Ids]]) -> list[Ids | None]:
        found: list[Ids | None] = [None] * table.count
        for shape, group in table.groups.items():
            if shape not in self._kernels:
                self._kernels[shape] = Kernel(self._pool, group.settings, self._without)
            for places, block in group.blocks:
                for place, ids in zip(places, ask(self._kernels[shape], block), strict=True):
                    found[place] = ids
        return found


def lists(pool: Pool, settings: Sequence[Settings], without: Collection[str] = ()) -> list[Ids | None]:
    """The final list of a pool under each of the settings, as ``Grid.lists`` gives it."""
    return Grid(pool, without).lists(Table(settings))

"""Sweeps over a table of values: one setting with whole numbers or names step by step, two settings row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import dist

from msgspec.structs import replace

from retrieval.evaluation.staircase import Flip
from retrieval.evaluation.sweeps.asking import Point, axis, choices, present, row, with_values
from retrieval.evaluation.sweeps.bench import Bench, Steps, Table, Vector
from retrieval.evaluation.sweeps.comparing import EQUAL, Alike
from retrieval.evaluation.sweeps.model import Field, Step
from retrieval.evaluation.sweeps.ways import Found
from retrieval.inspector.grids import MOVING
from retrieval.settings import KNOBS

_AT_ONCE = 16
_DIGITS = 12
Cell = tuple[int, int]
"""Row and column."""


class _TableWay(ABC):
    """What both have in common: the values in force come first into the table, then the points row by row."""

    def __init__(self, bench: Bench, rows: Sequence[Sequence[Point]]) -> None:
        self._bench, self._rows = bench, rows
        self._width = len(rows[0])
        self._table = Table(bench, ())
        self._alike: frozenset[Cell] = frozenset()
        self._found = Found()

    def compute(self) -> Steps:
        """Measure row by row; the steps are the points."""
        self._table = Table(self._bench, self._bench.tuned)
        if not self._table.ids:
            return
        spec = self._bench.spec
        self._table.add([with_values(spec.settings, present(spec))])
        # A grid works on a row together, except where each point of it has another shape: then a row would be long to wait for.
        at_once = self._width if spec.knobs[0] in MOVING else 1
        points = [point for row in self._rows for point in row]
        for start in range(0, len(points), at_once):
            done = start + at_once
            self._table.add([with_values(spec.settings, point) for point in points[start:done]])
            if done % self._width == 0:
                self._put_together()
            yield done, len(points)

    def test(self) -> Steps:
        """Compare every point with the best."""
        best = self._best()
        reference = self._vector(best) if best else None
        if reference is None:
            return
        alike, found, cells = Alike(reference), set(), self._cells()
        for done, cell in enumerate(cells, start=1):
            figures = self._vector(cell)
            if figures is not None and alike.holds(figures):
                found.add(cell)
            if done % _AT_ONCE == 0:
                yield done, len(cells)
        self._alike = frozenset(found)
        self._put_together()
        yield len(cells), len(cells)

    def found(self, *, at_end: bool) -> Found:
        """The points that were measured, and the best of them."""
        if at_end:
            self._put_together()
        return self._found

    def _put_together(self) -> None:
        best = self._best()
        if best is None:
            self._found = self._shaped(Found(measured=self._table.ids, tried=len(self._cells())), None)
            return
        now, then = self._table.means[0], self._mean(best)
        stays = now is not None and then is not None and then - now <= EQUAL
        found = Found(
            measured=self._table.ids,
            values=present(self._bench.spec) if stays else self._rows[best[0]][best[1]],
            present=now,
            reached=now if stays else then,
            tried=len(self._cells()),
        )
        self._found = self._shaped(found, best)

    @abstractmethod
    def _shaped(self, found: Found, best: Cell | None) -> Found:
        """``found`` with the points in the shape that this kind of sweep has."""

    def _best(self) -> Cell | None:
        return best_cell({cell: mean for cell in self._cells() if (mean := self._mean(cell)) is not None})

    def _cells(self) -> list[Cell]:
        """The cells that were measured, in order."""
        return [divmod(place, self._width) for place in range(len(self._table.means) - 1)]

    def _mean(self, cell: Cell) -> float | None:
        return self._table.means[self._place(cell)]

    def _vector(self, cell: Cell) -> Vector | None:
        return self._table.vector(self._place(cell))

    def _place(self, cell: Cell) -> int:
        return 1 + cell[0] * self._width + cell[1]


class StepsWay(_TableWay):
    """The way of one setting with whole numbers or names."""

    def __init__(self, bench: Bench) -> None:
        self._knob = bench.spec.knobs[0]
        super().__init__(bench, [[{self._knob: value}] for value in choices(KNOBS[self._knob])])

    def _shaped(self, found: Found, best: Cell | None) -> Found:
        return replace(found, steps=tuple(self._steps()))

    def _steps(self) -> Iterator[Step]:
        before: Vector | None = None
        for cell in self._cells():
            figures = self._vector(cell)
            value = self._rows[cell[0]][0][self._knob]
            yield Step(value, self._mean(cell), tuple(_flips(self._table.ids, before, figures)), cell in self._alike)
            before = figures


def _flips(ids: Iterable[str], before: Vector | None, after: Vector | None) -> Iterator[Flip]:
    if before is None or after is None:
        return
    for question_id, one, other in zip(ids, before, after, strict=True):
        if abs(one - other) > EQUAL:
            yield Flip(question_id, one, other)


class FieldWay(_TableWay):
    """The way of two settings."""

    def __init__(self, bench: Bench) -> None:
        spec = bench.spec
        self._xs, self._ys = (axis(KNOBS[name], spec.cells) for name in spec.knobs)
        super().__init__(bench, [row(spec, self._xs, y) for y in self._ys])

    def _shaped(self, found: Found, best: Cell | None) -> Found:
        cells = self._cells()
        if not cells:
            return found
        done = {cell: self._mean(cell) for cell in cells}
        means = tuple(tuple(done.get((row, column)) for column in range(len(self._xs))) for row in range(len(self._ys)))
        field = Field(self._xs, self._ys, means, len(cells), len(self._xs) * len(self._ys), best, tuple(sorted(self._alike)))
        return replace(found, field=field)


def best_cell(means: dict[Cell, float]) -> Cell | None:
    """The cell with the highest mean; None for none.

    Of several the one that lies deepest among them, so that both settings may move furthest without a loss; then the one whose neighbours
    are best on average, the one nearest to the middle of those, and the first.
    """
    if not means:
        return None
    top = max(means.values())
    inner = [cell for cell, mean in means.items() if top - mean <= EQUAL]
    sides = tuple((-1, 0, 1) if len({cell[axis] for cell in means}) > 1 else (0,) for axis in (0, 1))
    deeper = inner
    while deeper and len(means) > 1:
        inner, every = deeper, set(deeper)
        deeper = [cell for cell in inner if every.issuperset(_near(cell, sides))]
    middle = [sum(cell[axis] for cell in inner) / len(inner) for axis in (0, 1)]
    return max(inner, key=lambda cell: (_around(cell, means), -round(dist(cell, middle), _DIGITS)))


def _near(cell: Cell, sides: tuple[tuple[int, ...], ...]) -> list[Cell]:
    """The cell and those around it."""
    return [(cell[0] + down, cell[1] + right) for down, right in product(*sides)]


def _around(cell: Cell, means: dict[Cell, float]) -> float:
    near = [means[there] for there in product(*(range(one - 1, one + 2) for one in cell)) if there in means and there != cell]
    return round(sum(near) / len(near), _DIGITS) if near else 0.0

"""The staircase of a sweep against trying every value of a fine grid."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cache, cached_property

import numpy as np
import pytest
from numpy.typing import NDArray

from retrieval.evaluation.sweeps.asking import spec_of, with_values
from retrieval.evaluation.sweeps.model import Goal, Line
from retrieval.evaluation.sweeps.run import run
from retrieval.inspector.grids import Grid, Table
from retrieval.inspector.tracks import CONTINUOUS
from retrieval.model import Address
from retrieval.settings import KNOBS
from tests.evaluation.sweeps.made import random_set
from tests.inspector.generated import generated, reranked

SETS = 48
VALUES = 10_001
_NEAR = 1e-9


def by_hand(goal: str, golds: Set[Address], listed: Sequence[Address]) -> float:
    """Recall, or 1 divided by the first place of a norm."""
    if goal == "recall":
        return len(golds & set(listed)) / len(golds)
    return next((1 / place for place, one in enumerate(listed, start=1) if one in golds), 0.0)


class Case:
    """A generated set, settings, a setting to sweep (the constant of rank fusion and a reranker where they are there), and a goal."""

    def __init__(self, seed: int) -> None:
        self.knob = CONTINUOUS[seed % len(CONTINUOUS)]
        self.made, settings = random_set(seed, 10, draw=reranked if self.knob == "weight_reranker" else generated)
        self.goal = ("recall", "mrr")[seed % 2]
        self.settings = settings.changed({"fusion": "rrf"}) if self.knob == "rrf_k" else settings
        self.values = np.linspace(KNOBS[self.knob].low, KNOBS[self.knob].high, VALUES)

    @cached_property
    def line(self) -> Line:
        """What the sweep says."""
        spec = spec_of(self.made.checked, [self.knob], Goal(self.goal), self.settings, hold_out=False)
        found = run(spec, self.made.checked, self.made.gather)
        assert found.line is not None
        assert (found.state, found.failed) == ("finished", ())
        return found.line

    def tried(self) -> NDArray[np.float64]:
        """The mean at every value, from the lists of all of them; no number where the value is refused."""
        table = Table([with_values(self.settings, {self.knob: float(value)}) for value in self.values])
        columns = []
        for question in self.made.checked.settled.questions:
            pool = self.made.pools[question.id]
            golds = {gold.address for need in question.needs for gold in need.any_of}
            found = Grid(pool).lists(table)
            known = {ids: by_hand(self.goal, golds, [pool.chunks[one].address for one in ids]) for ids in set(found) if ids is not None}
            columns.append([float("nan") if ids is None else known[ids] for ids in found])
        return np.array(columns).mean(axis=0)


@cache
def made(seed: int) -> Case:
    return Case(seed)


@pytest.mark.parametrize("seed", range(SETS))
def test_a_staircase_equals_ten_thousand_values_tried(seed: int) -> None:
    case = made(seed)
    line, values, figures = case.line, case.values, case.tried()
    points = np.array(line.staircase.points)
    clear = np.abs(values[:, None] - points[None, 1:-1]).min(axis=1, initial=1.0) > _NEAR * (points[-1] - points[0])
    stairs = np.array([line.staircase.value_at(float(value)) for value in values], np.float64)
    np.testing.assert_allclose(stairs[clear], figures[clear], rtol=0, atol=1e-12)
    best = line.best
    assert np.nanmax(figures[clear]) <= best.value + 1e-12
    inside = clear & (values > best.low) & (values < best.high)
    np.testing.assert_allclose(figures[inside], best.value, rtol=0, atol=1e-12)
    assert line.staircase.value_at(line.chosen) == pytest.approx(best.value, abs=1e-12)


def test_the_generated_sets_have_staircases_worth_the_name() -> None:
    steps = [len(made(seed).line.staircase.points) - 2 for seed in range(SETS)]
    assert sum(count > 0 for count in steps) >= 20
    assert sum(steps) >= 100
    assert max(steps) >= 10

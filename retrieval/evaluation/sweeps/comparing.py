"""Comparing the settings of a sweep: what cannot be told from the best, and what the best gains on both halves of the questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrieval.evaluation.against import Change
from retrieval.evaluation.statistics import LEVEL, effect, randomisation_test
from retrieval.evaluation.sweeps.asking import Point, present, with_values
from retrieval.evaluation.sweeps.bench import Bench, Vector
from retrieval.evaluation.sweeps.model import Gain, Half
from retrieval.evaluation.sweeps.scoring import estimate_of

EQUAL = 1e-12
"""Means nearer than this are one: the same thirds added in another order."""


class Alike:
    """Which figures are not distinguishable from the best ones; equal figures are compared once."""

    def __init__(self, best: Vector) -> None:
        self._best = best
        self._known: dict[Vector, bool] = {}

    def holds(self, figures: Vector) -> bool:
        """Whether these figures of the same questions are not distinguishably worse than the best."""
        if figures not in self._known:
            self._known[figures] = self._compared(figures)
        return self._known[figures]

    def _compared(self, figures: Vector) -> bool:
        moved = sum(abs(one - other) >= EQUAL for one, other in zip(self._best, figures, strict=True))
        # Of all exchanges of so few questions two are always as extreme as what was found, and that alone is no rare chance.
        if 2.0 ** (1 - moved) > 1 - LEVEL:
            return True
        # The first half of what ``effect`` asks, and the cheaper one: most figures need no more.
        if randomisation_test(self._best, figures) > 1 - LEVEL:
            return True
        return effect(self._best, figures).verdict != "worse"


def gain(bench: Bench, point: Point, tuned: Sequence[str]) -> Gain | None:
    """What the values ``point`` gain over those in force, on the questions ``tuned`` and on those held out; None without a figure."""
    first = _half(bench, point, tuned)
    return Gain(first, _half(bench, point, bench.held)) if first else None


def _half(bench: Bench, point: Point, ids: Sequence[str]) -> Half | None:
    settings = bench.spec.settings
    found = bench.figures(ids, [with_values(settings, present(bench.spec)), with_values(settings, point)])
    pairs = {one: (before, after) for one, (before, after) in found.items() if before is not None and after is not None}
    if not pairs:
        return None
    before, after = ([pair[side] for pair in pairs.values()] for side in (0, 1))
    changes = _changes(bench, pairs)
    return Half(
        estimate_of(bench.spec.goal, before),
        estimate_of(bench.spec.goal, after),
        effect(before, after),
        tuple(one for one in changes if one.after > one.before),
        tuple(one for one in changes if one.after < one.before),
    )


def _changes(bench: Bench, pairs: Mapping[str, tuple[float, float]]) -> list[Change]:
    """The questions whose figure changes, the largest change first."""
    moved = [Change(one, bench.questions[one].text, *pair) for one, pair in pairs.items() if abs(pair[1] - pair[0]) > EQUAL]
    return sorted(moved, key=lambda one: -abs(one.after - one.before))

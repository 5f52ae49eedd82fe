"""The effort of a sweep: how much of the whole each phase is likely to take, so that a bar of progress moves evenly.

The costs are rough and differ from machine to machine; only their ratios matter here.
"""

from __future__ import annotations

from retrieval.evaluation.sweeps.asking import axis, is_track, shapes
from retrieval.evaluation.sweeps.model import Phase, Spec
from retrieval.settings import KNOBS

_GATHER, _TRACK, _KERNEL, _LIST, _COMPARED = 25.0, 8.0, 3.0, 0.06, 0.05
"""Milliseconds for each question: to gather it, for its track, for what a grid makes of it for each shape of settings, for each list, and
for each comparison that it enters."""
_STEPS = 3
"""How many steps of a staircase come from each question."""
Span = tuple[float, float]


def spans(spec: Spec) -> dict[Phase, Span]:
    """For each phase where its part of the whole begins and ends, from 0 to 1."""
    tuned, every = len(spec.questions), len(spec.questions) + len(spec.held_out)
    gathering = _GATHER * every
    computing = _TRACK * every if is_track(spec) else tuned * _each(spec)
    compared = 0 if spec.kind == "search" else _STEPS * tuned if is_track(spec) else points(spec)
    whole = gathering + computing + _COMPARED * tuned * compared
    first, second = gathering / whole, (gathering + computing) / whole
    return {"gathering": (0.0, first), "computing": (first, second), "testing": (second, 1.0)}


def _each(spec: Spec) -> float:
    """What one question takes under all the settings that are tried."""
    count = points(spec)
    return _KERNEL * min(count, shapes(spec)) + _LIST * count


def points(spec: Spec) -> int:
    """How many settings a sweep that is no track tries."""
    if spec.kind == "search":
        return spec.trials
    if spec.kind == "one":
        return shapes(spec)
    xs, ys = (axis(KNOBS[name], spec.cells) for name in spec.knobs)
    return len(xs) * len(ys)

"""The effort of a sweep: how much of the whole each phase is likely to take, so that a bar of progress moves evenly.

The costs are rough and differ from machine to machine; only their ratios matter here.
"""

from __future__ import annotations

from retrieval.evaluation.sweeps.asking import axis, is_track, shapes
from retrieval.evaluation.sweeps.model import Phase, Spec
from retrieval.settings import KNOBS

_GATHER, _TRACK, _KERNEL, _LIST = 25.0, 8.0, 3.0, 0.06
"""Milliseconds for each question: to gather it, for its track, for what a grid makes of it for each shape of settings, for each list."""
_TESTING = 0.04
"""The share of the comparisons, which depends on what comes out."""
Span = tuple[float, float]


def spans(spec: Spec) -> dict[Phase, Span]:
    """For each phase where its part of the whole begins and ends, from 0 to 1."""
    tuned, every = len(spec.questions), len(spec.questions) + len(spec.held_out)
    gathering = _GATHER * every
    computing = _TRACK * every if is_track(spec) else tuned * _each(spec)
    first = (1 - _TESTING) * gathering / (gathering + computing)
    return {"gathering": (0.0, first), "computing": (first, 1 - _TESTING), "testing": (1 - _TESTING, 1.0)}


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

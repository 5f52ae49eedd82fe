"""The ways through a sweep: what each kind computes step by step, and what it has found so far.

A way is valid after every step: what it holds then is what a sweep that is stopped there keeps.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from retrieval.evaluation.sweeps.asking import Point
from retrieval.evaluation.sweeps.bench import Steps
from retrieval.evaluation.sweeps.model import Field, Line, Step, Trial


class Found(msgspec.Struct, frozen=True):
    """What a way has found: its part of a ``Sweep``, with the fields of the same names. ``values`` is empty while there is no figure."""

    measured: tuple[str, ...] = ()
    line: Line | None = None
    steps: tuple[Step, ...] = ()
    field: Field | None = None
    trials: tuple[Trial, ...] = ()
    values: Point = {}
    present: float | None = None
    reached: float | None = None
    tried: int = 0


class Way(Protocol):
    """One kind of sweep."""

    def compute(self) -> Steps:
        """Measure, one step after the other."""
        ...

    def test(self) -> Steps:
        """Find what is not distinguishable from the best."""
        ...

    def found(self, *, at_end: bool) -> Found:
        """What was found; ``at_end`` asks for all of it, else the last that was put together will do."""
        ...

"""A sweep as frozen values that survive JSON: what is asked, how far it is, and what came out."""

from __future__ import annotations

from typing import Literal

import msgspec

from retrieval.evaluation.against import Change
from retrieval.evaluation.report import Failed
from retrieval.evaluation.staircase import Flip, Plateau, Staircase
from retrieval.evaluation.statistics import Effect, Estimate
from retrieval.knobs import Value
from retrieval.settings import Settings
from retrieval.trace import Stamps

COST = "cost"
"""The goal in which the expert says what a missing norm weighs against superfluous hits."""
Kind = Literal["one", "two", "search"]
State = Literal["running", "finished", "stopped", "failed", "interrupted"]
"""``interrupted``: the process ended before the sweep did; what was kept until then is there."""
Phase = Literal["gathering", "computing", "testing"]


class Goal(msgspec.Struct, frozen=True):
    """What is to be as high as possible: a metric by its name, or ``COST`` with ``hits_per_norm``.

    ``hits_per_norm`` (above 0): one missing norm weighs as much as so many superfluous hits.
    """

    metric: str = "recall"
    hits_per_norm: float = 5.0


class Spec(msgspec.Struct, frozen=True):
    """What a sweep is asked to do; with the same stock it gives the same result.

    ``knobs``: one, two (x and y) or several names. ``settings`` and ``without`` are in force for everything else. ``questions`` are the
    ids that are tuned with, ``held_out`` those that are only looked at afterwards. ``cells``: steps of each axis of a grid (two) from edge
    to edge, so there are ``cells + 1`` values. ``trials`` and ``seed`` are for the search. ``who`` started it.
    """

    kind: Kind
    knobs: tuple[str, ...]
    goal: Goal
    settings: Settings
    set_name: str
    set_fingerprint: str
    questions: tuple[str, ...]
    held_out: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    cells: int = 20
    trials: int = 200
    seed: int = 0
    who: str = ""


class Progress(msgspec.Struct, frozen=True):
    """How far a sweep is: ``done`` of ``total`` steps of a phase. ``share`` is that of the whole sweep, from 0 to 1."""

    phase: Phase
    done: int
    total: int
    share: float


class Half(msgspec.Struct, frozen=True):
    """What one half of the questions says about the best setting against the present one."""

    present: Estimate
    best: Estimate
    effect: Effect
    winners: tuple[Change, ...] = ()
    losers: tuple[Change, ...] = ()


class Gain(msgspec.Struct, frozen=True):
    """The gain on the questions that were tuned with, and on those held out (None where none were)."""

    tuned: Half
    held: Half | None = None


class Stretch(msgspec.Struct, frozen=True):
    """A stretch of one setting; at an end that is a step, the step's own value may belong to what stands beside it."""

    low: float
    high: float


class Line(msgspec.Struct, frozen=True):
    """One setting that moves freely: its exact staircase.

    ``present`` is the value in force, ``best`` the plateau of the highest mean, ``chosen`` the value to take from it: the one in force
    where it stands on a plateau as high as the best, else the middle of the best, rounded to the setting's step where that lies inside.
    ``alike`` are the stretches whose figures are not distinguishable from the best. ``held`` is the staircase of the held-out half.
    """

    staircase: Staircase
    present: float
    best: Plateau
    chosen: float
    alike: tuple[Stretch, ...] = ()
    held: Staircase | None = None


class Step(msgspec.Struct, frozen=True):
    """One value of a setting that has only whole numbers or names, with its mean (None: refused), and who flips against the value before.

    ``alike`` says that the mean is not distinguishable from the best.
    """

    value: Value
    mean: float | None
    flips: tuple[Flip, ...] = ()
    alike: bool = False


class Field(msgspec.Struct, frozen=True):
    """Two settings on a grid with both edges: ``means[row][column]`` for ``ys[row]`` and ``xs[column]``; None: refused, or not reached.

    ``done`` of ``total`` cells were computed. ``best`` is (row, column) of the best cell: of several the one that lies deepest among
    them, see ``tables.best_cell``. ``alike`` are the cells whose figures are not distinguishable from the best.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    means: tuple[tuple[float | None, ...], ...]
    done: int
    total: int
    best: tuple[int, int] | None = None
    alike: tuple[tuple[int, int], ...] = ()


class Trial(msgspec.Struct, frozen=True):
    """One setting that a search tried: its number from 1, the values of the knobs, its mean, and the best mean so far."""

    number: int
    values: dict[str, Value]
    mean: float | None
    best: float


class Sweep(msgspec.Struct, frozen=True):
    """A sweep and what came out of it so far. One of ``line``, ``steps``, ``field`` and ``trials`` holds something once there is something.

    ``measured`` are the questions that entered, ``without_figure`` those that the goal asks nothing of, ``failed`` those that could not be
    run. ``values`` are the values of the knobs to take; ``present`` and ``reached`` the means before and then. ``tried`` counts the
    settings that were looked at. ``seconds`` is how long it took; ``started`` when it began (UTC, ISO). ``error`` says why it failed.
    ``measured`` and ``without_figure`` speak of the questions that are tuned with, ``failed`` and ``partial`` (a part of the search failed)
    of those held out too. ``k`` is the number of places that metrics with a cut look at.
    """

    spec: Spec
    state: State = "running"
    progress: Progress = Progress("gathering", 0, 0, 0.0)
    id: str = ""
    stamps: tuple[Stamps, ...] = ()
    started: str = ""
    seconds: float = 0.0
    measured: tuple[str, ...] = ()
    without_figure: tuple[str, ...] = ()
    failed: tuple[Failed, ...] = ()
    line: Line | None = None
    steps: tuple[Step, ...] = ()
    field: Field | None = None
    trials: tuple[Trial, ...] = ()
    values: dict[str, Value] = {}
    present: float | None = None
    reached: float | None = None
    tried: int = 0
    gain: Gain | None = None
    error: str = ""
    k: int = 0
    partial: tuple[str, ...] = ()

"""Differences: what each stage does to the list, inside the run and for its end when it is left out."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from retrieval.decide import STAGES, decide
from retrieval.inspector.tracks import Moved
from retrieval.trace import Pool, Trace


class Step(msgspec.Struct, frozen=True):
    """From one list to another: who comes in, who leaves, who changes place among those that stay. Places count from 1."""

    enters: tuple[Moved, ...] = ()
    leaves: tuple[Moved, ...] = ()
    moves: tuple[Moved, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether both lists are equal."""
        return not (self.enters or self.leaves or self.moves)


class Difference(msgspec.Struct, frozen=True):
    """One stage: the lists before and after it inside the run, and the final lists of the run with and without it (chunk ids).

    ``inside`` leads from ``before`` to ``after``, ``effect`` from the final list without the stage to the one with it. ``off`` says that
    the run at hand leaves the stage out; the other stages are as they are in that run.
    """

    stage: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    inside: Step
    without: tuple[str, ...]
    with_it: tuple[str, ...]
    effect: Step
    off: bool = False


def step(before: Sequence[str], after: Sequence[str]) -> Step:
    """What leads from one list of chunk ids to another."""
    old = {one: place for place, one in enumerate(before, start=1)}
    new = {one: place for place, one in enumerate(after, start=1)}
    return Step(
        tuple(Moved(one, 0, place) for one, place in new.items() if one not in old),
        tuple(Moved(one, place, 0) for one, place in old.items() if one not in new),
        tuple(Moved(one, old[one], place) for one, place in new.items() if one in old and old[one] != place),
    )


def differences(pool: Pool, trace: Trace) -> tuple[Difference, ...]:
    """The difference that each stage of ``STAGES`` makes to the run ``trace`` over ``pool``."""
    return tuple(difference(pool, trace, stage) for stage in STAGES)


def difference(pool: Pool, trace: Trace, stage: str) -> Difference:
    """The difference that one stage makes to the run ``trace`` over ``pool``. Raises BadSetting for an unknown stage."""
    off = stage in trace.without
    others = {one for one in trace.without if one != stage}
    other = decide(pool, trace.settings, trace.limit, others if off else {*others, stage})
    with_it, without = (other, trace) if off else (trace, other)
    before, after = _inside(with_it, stage)
    lists = [tuple(entry.chunk_id for entry in run.final) for run in (without, with_it)]
    return Difference(stage, before, after, step(before, after), lists[0], lists[1], step(*lists), off)


def _inside(trace: Trace, stage: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rankings = (trace.fused, trace.anchored, trace.completed, trace.quota.ranking, trace.named.ranking)
    place = STAGES.index(stage)
    before, after = (tuple(entry.chunk_id for entry in ranking.living) for ranking in rankings[place : place + 2])
    return before, after

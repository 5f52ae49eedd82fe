"""Run a sweep: gather once for each question, compute, compare; it can be watched and stopped after every step."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from retrieval.evaluation.golds import CheckedSet
from retrieval.evaluation.judging import NO_JUDGEMENTS, Judgements
from retrieval.evaluation.protocol import moment
from retrieval.evaluation.sweeps.asking import check, is_track, places
from retrieval.evaluation.sweeps.bench import Bench, Gather
from retrieval.evaluation.sweeps.comparing import gain
from retrieval.evaluation.sweeps.effort import spans
from retrieval.evaluation.sweeps.lines import LineWay
from retrieval.evaluation.sweeps.model import Phase, Progress, Spec, State, Sweep
from retrieval.evaluation.sweeps.searching import SearchWay
from retrieval.evaluation.sweeps.tables import FieldWay, StepsWay
from retrieval.evaluation.sweeps.ways import Found, Way

Watch = Callable[[Sweep], bool]
"""Told after each step what there is; False stops the sweep."""


def run(
    spec: Spec,
    checked: CheckedSet,
    gather: Gather,
    judgements: Judgements = NO_JUDGEMENTS,
    watch: Watch = lambda sweep: True,
) -> Sweep:
    """The sweep that ``spec`` asks for over a checked set.

    ``gather`` makes the pool of a question (its text) under some settings; it is asked once for each question. ``watch`` gets the sweep
    so far after each step, valid as it is; when it returns False the sweep ends as ``stopped`` with all that is finished. A question that
    fails is named and does not end it. Metrics with a cut look at as many places as the longest list in play has (``Sweep.k``): the
    ``max_final_results`` in force, or its highest where it is swept itself. Raises BadInput, before anything is gathered, for what cannot
    be swept.
    """
    check(spec, checked)
    return _Running(spec, Bench(spec, checked, judgements), watch).whole(gather)


def _way(bench: Bench) -> Way:
    if bench.spec.kind == "search":
        return SearchWay(bench)
    if bench.spec.kind == "two":
        return FieldWay(bench)
    return LineWay(bench) if is_track(bench.spec) else StepsWay(bench)


class _Running:
    """A sweep on its way."""

    def __init__(self, spec: Spec, bench: Bench, watch: Watch) -> None:
        self._bench, self._watch, self._way = bench, watch, _way(bench)
        self._spans = spans(spec)
        self._began = time.perf_counter()
        self._sweep = Sweep(spec, started=moment(), k=places(spec))

    def whole(self, gather: Gather) -> Sweep:
        """From the first question to the last comparison."""
        phases: tuple[Phase, ...] = ("gathering", "computing", "testing")
        for phase, steps in zip(phases, (self._bench.gather(gather), self._way.compute(), self._way.test()), strict=True):
            for done, total in steps:
                first, last = self._spans[phase]
                self._show(Progress(phase, done, total, first + (last - first) * done / total), self._way.found(at_end=False))
                if not self._watch(self._sweep):
                    return self._ended("stopped")
        return self._ended("finished")

    def _show(self, progress: Progress, found: Found) -> None:
        self._sweep = replace(
            self._sweep,
            progress=progress,
            seconds=time.perf_counter() - self._began,
            stamps=self._bench.stamps,
            without_figure=tuple(self._bench.without_figure),
            failed=tuple(self._bench.failed),
            partial=tuple(self._bench.partial),
            **{name: getattr(found, name) for name in found.__struct_fields__},
        )

    def _ended(self, state: State) -> Sweep:
        """The sweep with all that is finished, and what it gains; ``failed`` where every question did."""
        found = self._way.found(at_end=True)
        gained = gain(self._bench, found.values, found.measured) if found.values else None
        done = state == "finished"
        self._show(replace(self._sweep.progress, share=1.0) if done else self._sweep.progress, found)
        if done and not self._sweep.measured and self._sweep.failed:
            return replace(self._sweep, state="failed", error=self._sweep.failed[0].message)
        return replace(self._sweep, state=state, gain=gained)

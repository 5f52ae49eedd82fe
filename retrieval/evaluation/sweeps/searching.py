"""A sweep of several settings at once: a search that tries where the trials before did well."""

from __future__ import annotations

from typing import Any

from retrieval.evaluation.sweeps.asking import Point, choices, present, with_values
from retrieval.evaluation.sweeps.bench import Bench, Steps, Table
from retrieval.evaluation.sweeps.comparing import EQUAL
from retrieval.evaluation.sweeps.model import Trial
from retrieval.evaluation.sweeps.ways import Found
from retrieval.knobs import Value
from retrieval.settings import KNOBS

_DIGITS = 3
"""Digits of a value that is tried: those that a screen shows, so that what is read is what was tried."""


class SearchWay:
    """The way of several settings; the one in force is the first trial.

    Reference: J. Bergstra et al., Algorithms for Hyper-Parameter Optimization, NIPS 2011 (tree-structured Parzen estimator), by Optuna.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._table = Table(bench, ())
        self._points: list[Point] = []

    def compute(self) -> Steps:
        """One trial after the other."""
        self._table = Table(self._bench, self._bench.tuned)
        if not self._table.ids:
            return
        study, spec = _study(self._bench.spec.seed), self._bench.spec
        study.enqueue_trial(present(spec))
        for number in range(1, spec.trials + 1):
            trial = study.ask()
            point = {name: _suggested(trial, name) for name in spec.knobs}
            self._points.append(present(spec) if number == 1 else {name: _short(value) for name, value in point.items()})
            self._table.add([with_values(spec.settings, self._points[-1])])
            _tell(study, trial, self._table.means[-1])
            yield number, spec.trials

    def test(self) -> Steps:
        """A history has no stretches to compare."""
        yield from ()

    def found(self, *, at_end: bool) -> Found:
        """The trials, and the first of the best."""
        del at_end  # it costs next to nothing
        trials: list[Trial] = []
        best = 0
        for place, (point, mean) in enumerate(zip(self._points, self._table.means, strict=True)):
            top = self._table.means[best]
            if mean is not None and top is not None and mean - top > EQUAL:
                best = place
            trials.append(Trial(place + 1, point, mean, self._table.means[best] or 0.0))
        if not trials or trials[0].mean is None:
            return Found(measured=self._table.ids)
        return Found(
            measured=self._table.ids,
            trials=tuple(trials),
            values=trials[best].values,
            present=trials[0].mean,
            reached=trials[best].mean,
            tried=len(trials),
        )


def _study(seed: int) -> Any:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))


def _suggested(trial: Any, name: str) -> Value:
    """A value of a knob as the search proposes it."""
    knob = KNOBS[name]
    found: Value
    if knob.kind == "choice":
        found = trial.suggest_categorical(name, choices(knob))
    elif knob.kind == "int":
        found = trial.suggest_int(name, int(knob.low), int(knob.high))
    else:
        found = trial.suggest_float(name, knob.low, knob.high)
    return found


def _short(value: Value) -> Value:
    return round(value, _DIGITS) if isinstance(value, float) else value


def _tell(study: Any, trial: Any, mean: float | None) -> None:
    """Let the search learn from a trial; a refused setting teaches it nothing."""
    from optuna.trial import TrialState

    if mean is None:
        study.tell(trial, state=TrialState.FAIL)
    else:
        study.tell(trial, mean)

"""What a sweep is asked: the parts of a specification put together, checked before anything runs, and the values that it tries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import msgspec

from retrieval.decide import STAGES
from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation.golds import CheckedSet
from retrieval.evaluation.sets import fingerprint
from retrieval.evaluation.statistics import halves
from retrieval.evaluation.sweeps.model import Goal, Kind, Spec
from retrieval.evaluation.sweeps.scoring import measure_of
from retrieval.inspector.grids import MOVING
from retrieval.inspector.tracks import CONTINUOUS
from retrieval.knobs import Knob, Value
from retrieval.settings import KNOBS, Settings

LENGTH = "max_final_results"
_MOST_CELLS, _MOST_TRIALS = 200, 2_000
_KNOBS_OF: dict[Kind, tuple[int, int]] = {"one": (1, 1), "two": (2, 2), "search": (1, len(KNOBS))}


def spec_of(
    checked: CheckedSet,
    knobs: Sequence[str],
    goal: Goal | None = None,
    settings: Settings | None = None,
    *,
    kind: Kind | None = None,
    hold_out: bool = True,
    without: Sequence[str] = (),
    cells: int = 20,
    trials: int = 200,
    seed: int = 0,
    who: str = "",
) -> Spec:
    """The specification of a sweep over a set; without a ``kind`` that which fits the number of knobs.

    ``hold_out`` keeps the half of the questions out of tuning that their ids' hashes say. Raises BadInput for what cannot be swept.
    """
    ids = [one.id for one in checked.settled.questions]
    tuned, held = halves(ids) if hold_out else (tuple(ids), ())
    spec = Spec(
        kind or ("one" if len(knobs) == 1 else "two" if len(knobs) == 2 else "search"),
        tuple(knobs),
        goal or Goal(),
        settings or Settings(),
        checked.settled.name,
        fingerprint(checked.settled),
        tuned,
        held,
        tuple(without),
        cells,
        trials,
        seed,
        who,
    )
    check(spec, checked)
    return spec


# --- checks -----------------------------------------------------------------------------------------------------------


def check(spec: Spec, checked: CheckedSet) -> None:
    """Whether a sweep can be run as it is asked for. Raises BadInput, for settings BadSetting, with what to do."""
    _check_knobs(spec)
    _check_questions(spec, checked)
    measure_of(spec.goal)
    spec.settings.shares()
    unknown = [stage for stage in spec.without if stage not in STAGES]
    if unknown:
        raise BadSetting(f"Stages left out: found {', '.join(unknown)}; expected some of {', '.join(STAGES)}.")
    for name, found, most in (("cells", spec.cells, _MOST_CELLS), ("trials", spec.trials, _MOST_TRIALS)):
        if not 1 <= found <= most:
            raise BadInput(f"Sweep, {name}: found {found}, expected a whole number from 1 to {most}. Choose one of them.")
    if spec.seed < 0:
        raise BadInput(f"Sweep, seed: found {spec.seed}, expected a whole number of at least 0. Choose another one.")


def _check_knobs(spec: Spec) -> None:
    least, most = _KNOBS_OF[spec.kind]
    if not least <= len(spec.knobs) <= most or len(set(spec.knobs)) < len(spec.knobs):
        number = f"{least}" if least == most else f"at least {least}"
        raise BadInput(
            f"Sweep of the kind {spec.kind!r}: found the settings {', '.join(spec.knobs) or 'none'}; expected {number}, each named once. "
            "Choose others, or another kind."
        )
    for name in spec.knobs:
        knob = KNOBS.get(name)
        if knob is None:
            raise BadInput(f"Sweep: found the setting {name[:40]!r}, which is not known. Known are: {', '.join(SWEPT)}. Name one of them.")
        if knob.scope == "gather":
            raise BadInput(
                f"Sweep of {name}: every value of it asks the corpora again, and a sweep asks them once. Measure a few values of it "
                f"one by one. What can be swept: {', '.join(SWEPT)}."
            )
        if spec.kind == "two" and knob.kind == "choice":
            raise BadInput(f"Grid over {name}: found a setting with names for values, expected one with numbers. Sweep it alone or search.")


SWEPT = tuple(name for name, knob in KNOBS.items() if knob.scope == "decide")
"""The settings that can be swept: a change re-ranks what was gathered."""


def _check_questions(spec: Spec, checked: CheckedSet) -> None:
    if spec.set_fingerprint != fingerprint(checked.settled):
        raise BadInput(f"Sweep of {spec.set_name!r}: the question set is not the one that it was set up for. Set the sweep up again.")
    asked = (*spec.questions, *spec.held_out)
    unknown = sorted(set(asked) - {one.id for one in checked.settled.questions})
    if unknown:
        raise BadInput(
            f"Sweep of {spec.set_name!r}: found the questions {', '.join(unknown)[:200]}, which are not in the set. Set the sweep up again."
        )
    if len(set(asked)) < len(asked):
        raise BadInput(
            f"Sweep of {spec.set_name!r}: found a question twice; expected each once, tuned with or held out. Set the sweep up again."
        )
    if not spec.questions:
        raise BadInput(f"Sweep of {spec.set_name!r}: found no question to tune with. Add questions to the set, or hold none out.")


# --- values -----------------------------------------------------------------------------------------------------------

Point = dict[str, Value]
"""Values of some knobs, by their names."""


def is_track(spec: Spec) -> bool:
    """Whether the sweep follows one setting without any gap."""
    return spec.kind == "one" and spec.knobs[0] in CONTINUOUS


def present(spec: Spec) -> Point:
    """The values in force of the knobs that are swept."""
    return {name: spec.settings.value(name) for name in spec.knobs}


def with_values(settings: Settings, point: Mapping[str, Value]) -> Settings:
    """The settings with these values; weights that are no weights are left for ``decide`` to refuse."""
    groups: dict[str, Point] = {}
    for name, value in point.items():
        groups.setdefault(KNOBS[name].group, {})[name] = value
    changed = {group: msgspec.structs.replace(getattr(settings, group), **values) for group, values in groups.items()}
    return msgspec.structs.replace(settings, **changed)


def choices(knob: Knob) -> tuple[Value, ...]:
    """Every value of a setting with whole numbers or names."""
    return knob.choices if knob.kind == "choice" else tuple(range(int(knob.low), int(knob.high) + 1))


def axis(knob: Knob, cells: int) -> tuple[float, ...]:
    """The values of one side of a grid, from edge to edge: ``cells + 1`` of them, or all whole numbers of a setting that has only those."""
    if knob.kind == "int":
        return tuple(float(value) for value in choices(knob))
    inner = (knob.low + (knob.high - knob.low) * step / cells for step in range(cells))
    return (*inner, knob.high)


def row(spec: Spec, xs: Sequence[float], y: float) -> list[Point]:
    """The points of one row of a grid, each value as its knob has it."""
    return [dict(zip(spec.knobs, map(_typed, spec.knobs, pair), strict=True)) for pair in product(xs, (y,))]


def _typed(name: str, value: float) -> Value:
    return int(value) if KNOBS[name].kind == "int" else value


def shapes(spec: Spec) -> int:
    """How many combinations there are of the values that a grid takes apart; it makes one kernel of each question for each of them."""
    return math.prod(len(choices(KNOBS[name])) for name in spec.knobs if name not in MOVING)


def places(spec: Spec) -> int:
    """How many places are looked at: the longest list in play, so that all settings of a sweep are measured alike."""
    return int(KNOBS[LENGTH].high) if LENGTH in spec.knobs else spec.settings.quota.max_final_results

"""The tuning mode of the quality benchmark: settings chosen on one half of the questions, reported on the other.

The product's bench gathers each question once and measures its lists under thousands of settings. One setting is moved at a time, from
edge to edge, and kept where the mean over the sets rises (every set counts alike, whatever its size), until none rises any more; once for
each way of fusion. What is in force stays where nothing is better.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchmarks.quality_sets import Taken, of_half
from benchmarks.quality_systems import System, wiring
from retrieval.evaluation.sweeps.asking import Point, axis, choices, spec_of, with_values
from retrieval.evaluation.sweeps.bench import Bench, mean_of
from retrieval.evaluation.sweeps.comparing import EQUAL, gain
from retrieval.evaluation.sweeps.model import Gain, Goal, Half
from retrieval.federated import FederatedRetriever
from retrieval.gather import gather
from retrieval.knobs import Value
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Pool

KNOBS_TUNED = ("fusion", "weight_vector", "rrf_k", "min_ratio", "verweis_score", "max_verweis_normen", "min_hits_per_corpus")
_PAIR = {"weight_vector": "weight_lexical"}
"""The weights are shares: what one gains the other gives."""
_CELLS = 20
_MOST_VALUES = 6
_MOST_ROUNDS = 6


class Tried(msgspec.Struct, frozen=True):
    """One setting moved from edge to edge at the chosen values of all others: each value with the mean over the sets."""

    knob: str
    means: tuple[tuple[Value, float], ...]


class Tuned(msgspec.Struct, frozen=True):
    """What was chosen, what it gives on each set, and how each setting moves the mean there. ``tried`` counts the settings measured."""

    goal: str
    present: Point
    chosen: Point
    before: float
    after: float
    gains: dict[str, Gain]
    curves: tuple[Tried, ...]
    tried: int


def tuned(
    stocks: Sequence[tuple[FederatedRetriever, Sequence[Taken]]], knobs: Sequence[str], goal: str, base: System, most: int = 0
) -> Tuned:
    """The best values of some knobs for all sets together, everything else as in the system ``base``.

    ``most``: so many questions of each half of a set, all where it is 0.
    """
    benches = {taken.name: _bench(federation, taken, knobs, Goal(goal), base, most) for federation, sets in stocks for taken in sets}
    settings = base.settings
    search = _Search({name: bench for name, bench in benches.items() if bench.tuned}, settings)
    present = {name: settings.value(name) for knob in knobs for name in (knob, *_pair(knob))}
    ends = [search.climb({**present, "fusion": fusion}, knobs) for fusion in (KNOBS["fusion"].choices if "fusion" in knobs else ())]
    start = search.climb(present, [knob for knob in knobs if knob != "fusion"])
    best = max([present, start, *ends], key=lambda point: (search.mean(point) > search.mean(present) + EQUAL, search.mean(point)))
    gains = {name: found for name, bench in search.benches.items() if (found := gain(bench, best, bench.tuned))}
    curves = tuple(Tried(knob, tuple(search.line(best, knob))) for knob in knobs if _acts(knob, best))
    return Tuned(goal, present, best, search.mean(present), search.mean(best), gains, curves, search.tried)


def _bench(federation: FederatedRetriever, taken: Taken, knobs: Sequence[str], goal: Goal, base: System, most: int) -> Bench:
    """The questions of a set, gathered."""
    tune = tuple(one.id for one in of_half(taken.questions, "tune", most))
    report = tuple(one.id for one in of_half(taken.questions, "report", most))
    spec = spec_of(taken.checked, knobs, goal, base.settings, kind="search", hold_out=False, without=base.without)
    questions = {one.text: one for one in taken.questions}
    bench = Bench(replace(spec, questions=tune, held_out=report), taken.checked, {})

    def ask(text: str, settings: Settings) -> Pool:
        return gather(text, settings, wiring(federation, questions[text], base.routing))

    for done, total in bench.gather(ask):
        if done % 20 == 0:
            print(f"  {taken.name}: {done} of {total} questions gathered", file=sys.stderr, flush=True)
    return bench


class _Search:
    """Means over all benches, each point measured once."""

    def __init__(self, benches: Mapping[str, Bench], settings: Settings) -> None:
        self.benches, self._settings = benches, settings
        self._known: dict[str, float] = {}

    @property
    def tried(self) -> int:
        """How many different settings were measured."""
        return len(self._known)

    def mean(self, point: Point) -> float:
        """The mean of the sets' means under these values."""
        return self.means([point])[0]

    def means(self, points: Sequence[Point]) -> list[float]:
        """The same for several points; the benches work on them at once."""
        keys = [repr(sorted(point.items())) for point in points]
        new = {key: point for key, point in zip(keys, points, strict=True) if key not in self._known}
        if new:
            asked = [with_values(self._settings, point) for point in new.values()]
            sets = [list(zip(*bench.figures(bench.tuned, asked).values(), strict=True)) for bench in self.benches.values()]
            for place, key in enumerate(new):
                found = [mean_of(tuple(value for value in column[place] if value is not None)) for column in sets if column]
                self._known[key] = mean_of(tuple(one or 0.0 for one in found)) or 0.0
        return [self._known[key] for key in keys]

    def line(self, point: Point, knob: str) -> Iterator[tuple[Value, float]]:
        """Each value of a knob, that of ``point`` among them, with the mean it gives, all else as in ``point``."""
        values = values_of(knob, point[knob])
        yield from zip(values, self.means([moved(point, knob, value) for value in values]), strict=True)

    def climb(self, point: Point, knobs: Sequence[str]) -> Point:
        """From a point upwards, one knob after the other, until none helps any more."""
        for _ in range(_MOST_ROUNDS):
            before = point
            for knob in knobs:
                if knob == "fusion" or not _acts(knob, point):
                    continue
                value, best = max(self.line(point, knob), key=lambda pair: pair[1])
                if best > self.mean(point) + EQUAL:
                    point = moved(point, knob, value)
            if point == before:
                break
        return point


def values_of(knob: str, present: Value) -> tuple[Value, ...]:
    """The values of a knob that are tried: all names; of numbers some from edge to edge, and the present one."""
    described = KNOBS[knob]
    if described.kind == "choice":
        return choices(described)
    every: tuple[Value, ...] = choices(described) if described.kind == "int" else axis(described, _CELLS)
    step = max(1, -(-len(every) // _MOST_VALUES)) if described.kind == "int" else 1
    return tuple(sorted({round(float(one), 4) if described.kind == "float" else one for one in (*every[::step], present)}, key=float))


def moved(point: Point, knob: str, value: Value) -> Point:
    """The point with another value of one knob, and of the weight that goes with it."""
    other = {_PAIR[knob]: round(1.0 - float(value), 4)} if knob in _PAIR else {}
    return {**point, knob: value, **other}


def _pair(knob: str) -> tuple[str, ...]:
    return (_PAIR[knob],) if knob in _PAIR else ()


def _acts(knob: str, point: Point) -> bool:
    """Whether a knob has an effect under the fusion of a point."""
    fusion = point.get("fusion", Settings().value("fusion"))
    return KNOBS[knob].only in ("", fusion)


# --- in words -----------------------------------------------------------------------------------------------------------


def told(found: Tuned) -> str:
    """What was chosen and what it gives."""
    changed = {name: value for name, value in found.chosen.items() if value != found.present[name]}
    lines = [
        f"{found.goal} at 10, mean of the sets' means on the half to tune with: {found.before:.3f} now, {found.after:.3f} chosen; "
        f"{found.tried} settings tried.",
        "chosen: " + (", ".join(f"{name} {found.present[name]} → {value}" for name, value in changed.items()) or "what is in force"),
        f"{'':28} | {'tuned: now':>10} | {'chosen':>8} | {'reported: now':>14} | {'chosen':>8} | difference on the reporting half",
    ]
    lines += [f"{name:28} | {_half(one.tuned)} | {_held(one.held)}" for name, one in found.gains.items()]
    for curve in found.curves:
        lines.append(f"{curve.knob}: " + "  ".join(f"{value}={mean:.3f}" for value, mean in curve.means))
    return "\n".join(lines)


def _half(half: Half) -> str:
    return f"{half.present.value or 0:10.3f} | {half.best.value or 0:8.3f}"


def _held(half: Half | None) -> str:
    if half is None or half.effect.interval is None:
        return "no questions"
    one = half.effect
    between = f"({one.interval.low:+.3f} to {one.interval.high:+.3f})" if one.interval else ""
    return (
        f"{half.present.value or 0:14.3f} | {half.best.value or 0:8.3f} | {one.difference:+.3f} {between} {one.verdict.replace('_', ' ')}"
    )

"""``fundstelle sweep``: where one, two or several settings make the most of a question set, and how sure that is."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.commands import asking
from retrieval.commands import settings as settings_command
from retrieval.commands.terminal import CliWords, Terminal, one_line
from retrieval.errors import BadInput
from retrieval.knobs import Value
from retrieval.settings import KNOBS

if TYPE_CHECKING:
    from retrieval.evaluation.against import Change
    from retrieval.evaluation.staircase import Flip
    from retrieval.evaluation.statistics import Effect
    from retrieval.evaluation.sweeps.model import Field, Goal, Half, Line, Step, Sweep, Trial
    from retrieval.federated import FederatedRetriever

GOALS = "recall, success, precision, mrr, ndcg, map, chain_coverage, chain_complete, demanded, cost"
"""The names of the goals, for the help: the metrics' library is loaded by the command only."""
_SHOWN_QUESTION = 100
_COST = "cost"
_ROUNDING = 1e-12


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle sweep``."""
    parser.add_argument("set_file", type=Path, metavar="SATZ", help=words.t("cli.sweep.help.set"))
    parser.add_argument("--knob", action="append", required=True, metavar="NAME", help=words.t("cli.sweep.help.knob"))
    parser.add_argument("--goal", metavar="KENNZAHL", help=words.t("cli.sweep.help.goal", goals=GOALS))
    parser.add_argument("--cost", metavar="N", help=words.t("cli.sweep.help.cost"))
    parser.add_argument("--cells", type=int, default=20, metavar="N", help=words.t("cli.sweep.help.cells"))
    parser.add_argument("--trials", type=int, metavar="N", help=words.t("cli.sweep.help.trials"))
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=words.t("cli.sweep.help.seed"))
    halves = parser.add_mutually_exclusive_group()
    halves.add_argument("--hold-out", action="store_true", default=True, help=words.t("cli.sweep.help.hold_out"))
    halves.add_argument("--no-hold-out", action="store_false", dest="hold_out", help=words.t("cli.sweep.help.no_hold_out"))
    asking.add_options(parser, words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Sweep; exit code 1 when no question has a value, a question or a part of a run failed, or a corpus could not be asked."""
    from retrieval.evaluation.golds import Golds
    from retrieval.evaluation.sets import load
    from retrieval.evaluation.sweeps.asking import spec_of
    from retrieval.evaluation.sweeps.run import run as sweep

    settings = settings_command.chosen(args.settings, args.set)
    goal = _goal(args.goal, args.cost)
    questions = load(args.set_file).questions
    federation = asking.opened(args)
    checked = Golds(federation.registry.federation).check(questions)
    spec = spec_of(
        checked,
        args.knob,
        goal,
        settings,
        kind="search" if args.trials is not None else None,
        hold_out=args.hold_out,
        cells=args.cells,
        trials=200 if args.trials is None else args.trials,
        seed=args.seed,
    )
    found = sweep(spec, checked, federation.gather)
    if out.as_json:
        out.json(found)
    else:
        _Told(found, out).all()
    return _verdict(found, federation, out)


def _goal(name: str | None, cost: str | None) -> Goal:
    """The goal that the options name; a price alone means the cost."""
    from retrieval.evaluation.sweeps.model import Goal

    if cost is None:
        return Goal(name or "recall")
    if name not in (None, _COST):
        raise BadInput(f"--cost: found it beside --goal {one_line(name, 40)}, expected it with the goal cost only. Leave one of them out.")
    try:
        return Goal(_COST, float(cost.strip().replace(",", ".", 1)))
    except ValueError:
        raise BadInput(f"--cost: found {cost[:40]!r}, expected a number of superfluous hits. Write it like 5 or 2,5.") from None


def _verdict(found: Sweep, federation: FederatedRetriever, out: Terminal) -> int:
    """What must not be overlooked, on stderr, and the exit code."""
    for one in found.failed:
        reason = one_line(f"{one.error_class}: {one.message}", 200)
        out.complain(out.words.t("cli.sweep.failed", question=one_line(one.question, _SHOWN_QUESTION), reason=reason))
    if found.partial:
        out.complain(out.words.t("cli.sweep.partial", questions=", ".join(found.partial)))
    if len(found.stamps) > 1:
        out.complain(out.words.t("cli.evaluate.stock_changed"))
    flawed = bool(found.failed or found.partial or len(found.stamps) > 1 or not found.measured)
    return asking.told(federation, flawed, out)


class _Told:
    """A sweep in words and tables."""

    def __init__(self, found: Sweep, out: Terminal) -> None:
        self.found, self.out, self.words = found, out, out.words

    def all(self) -> None:
        """Everything, the gain last."""
        found, spec = self.found, self.found.spec
        name = one_line(spec.set_name)
        self.out.say("sweep.set", name=name, tuned=len(spec.questions), held=len(spec.held_out), k=found.k)
        self._goal()
        self._settings()
        self.out.say("sweep.measured", measured=len(found.measured), without=len(found.without_figure))
        if not found.measured:
            self.out.head("sweep.none")
            return
        if found.line:
            self._line(found.line)
        if found.field:
            self._field(found.field)
        self._steps(found.steps)
        self._trials(found.trials)
        self._taken()
        self._gain()

    def _t(self, key: str, **values: object) -> str:
        return self.words.t(f"cli.sweep.{key}", **values)

    def _goal(self) -> None:
        goal = self.found.spec.goal
        if goal.metric == _COST:
            self.out.say("sweep.cost", hits=self.words.value(goal.hits_per_norm))
        else:
            self.out.say("sweep.goal", goal=f"{self._label(goal.metric)} [{goal.metric}]")

    def _label(self, metric: str) -> str:
        from retrieval.evaluation.metrics import METRICS

        return METRICS[metric].label_de if self.words.language == "de" else METRICS[metric].label_en

    def _settings(self) -> None:
        others = {name: value for name, value in self.found.spec.settings.flat().items() if value != KNOBS[name].default}
        if others:
            self.out.say("evaluate.settings", changed=self._values(others))
        else:
            self.out.say("evaluate.defaults")

    def _values(self, values: Mapping[str, Value]) -> str:
        return ", ".join(f"{name} = {self.words.value(value)}" for name, value in values.items())

    def _present(self) -> None:
        spec = self.found.spec
        values = self._values({name: spec.settings.value(name) for name in spec.knobs})
        self.out.line("  " + self._t("present", values=values, mean=self.words.number(self.found.present)))

    # --- what was found -----------------------------------------------------------------------------------------------

    def _line(self, line: Line) -> None:
        best, points = line.best, line.staircase.points
        low, high = self.words.value(points[0]), self.words.value(points[-1])
        plateaus = self.words.whole(len(line.staircase.plateaus()))
        self.out.head("sweep.line", knob=line.staircase.knob, low=low, high=high, plateaus=plateaus)
        self._present()
        ends = {name: self.words.value(getattr(best, name)) for name in ("low", "high", "width", "middle")}
        self.out.line("  " + self._t("best", mean=self.words.number(best.value), **ends))
        stretches = (self._t("stretch", low=self.words.value(one.low), high=self.words.value(one.high)) for one in line.alike)
        self.out.line("  " + self._t("alike", stretches="; ".join(stretches)))
        for point, flips in zip(points[1:-1], line.staircase.flips, strict=True):
            if point in (best.low, best.high) and flips:
                self.out.line("  " + self._t("flips", at=self.words.value(point)))
                self.out.table((self._flip(one) for one in flips), indent=4)

    def _flip(self, one: Flip) -> list[str]:
        return [one.question, f"{self.words.number(one.before)} → {self.words.number(one.after)}"]

    def _steps(self, steps: Sequence[Step]) -> None:
        if not steps:
            return
        self.out.head("sweep.steps", knob=self.found.spec.knobs[0])
        self.out.table((self._step(one) for one in steps), [self._t(name) for name in ("step_value", "mean", "changed", "remark")])

    def _step(self, one: Step) -> list[str]:
        remarks = [self._t("in_force")] if one.value == self.found.spec.settings.value(self.found.spec.knobs[0]) else []
        remarks += [self._t("step_alike")] if one.alike else []
        return [
            self.words.value(one.value),
            self.words.number(one.mean),
            ", ".join(flip.question for flip in one.flips),
            ", ".join(remarks),
        ]

    def _field(self, field: Field) -> None:
        knobs = self.found.spec.knobs
        self.out.head("sweep.field", knobs=" × ".join(knobs), done=self.words.whole(field.done), total=self.words.whole(field.total))
        self._present()
        if field.best is None:
            return
        row, column = field.best
        values = self._values({knobs[0]: field.xs[column], knobs[1]: field.ys[row]})
        self.out.line("  " + self._t("cell", values=values, mean=self.words.number(field.means[row][column])))
        sides = ([field.xs[cell[1]] for cell in field.alike], [field.ys[cell[0]] for cell in field.alike])
        ranges = ", ".join(self._range(name, side) for name, side in zip(knobs, sides, strict=True))
        self.out.line("  " + self._t("cells_alike", count=self.words.whole(len(field.alike)), ranges=ranges))

    def _range(self, knob: str, values: Sequence[float]) -> str:
        return self._t("range", knob=knob, low=self.words.value(min(values)), high=self.words.value(max(values)))

    def _trials(self, trials: Sequence[Trial]) -> None:
        if not trials:
            return
        self.out.head("sweep.search", knobs=", ".join(self.found.spec.knobs), trials=self.words.whole(len(trials)))
        best = [one for before, one in zip((None, *trials), trials, strict=False) if before is None or one.best - before.best > _ROUNDING]
        rows = ([str(one.number), self._values(one.values), self.words.number(one.mean)] for one in best)
        self.out.table(rows, [self._t(name) for name in ("trial", "step_value", "mean")])

    # --- what comes of it ---------------------------------------------------------------------------------------------

    def _taken(self) -> None:
        settings, values = self.found.spec.settings, self.found.values
        stays = all(settings.value(name) == value for name, value in values.items())
        self.out.head("sweep.keep" if stays else "sweep.take", values=self._values(values))
        self.out.say("sweep.tried" if self.found.spec.held_out else "sweep.tried_all", tried=self.words.whole(self.found.tried))

    def _gain(self) -> None:
        gain = self.found.gain
        if gain is None:
            return
        halves = {name: half for name, half in (("tuned", gain.tuned), ("held", gain.held)) if half is not None}
        self.out.head("sweep.gain")
        head = [self._t(name) for name in ("half", "before", "after")]
        head += [self.words.t(f"cli.evaluate.against.{name}") for name in ("difference", "chance", "verdict")]
        self.out.table((self._half(self._t(name), half) for name, half in halves.items()), head)
        for name, half in halves.items():
            self._moved(f"losers.{name}", half.losers)
            self._moved(f"winners.{name}", half.winners)

    def _moved(self, key: str, changes: Sequence[Change]) -> None:
        rows = [[one.question_id, f"{self.words.number(one.before)} → {self.words.number(one.after)}"] for one in changes]
        if rows:
            self.out.head(f"sweep.{key}")
            self.out.table(rows)

    def _half(self, name: str, half: Half) -> list[str]:
        values = [self.words.number(one.value) for one in (half.present, half.best)]
        return [
            f"{name} ({half.effect.n})",
            *values,
            self._difference(half.effect),
            self.words.number(half.effect.p),
            self._judged(half.effect),
        ]

    def _difference(self, effect: Effect) -> str:
        value, between = self.words.number(effect.difference), effect.interval
        if between is None:
            return value
        return self.words.t("cli.evaluate.interval", value=value, low=between.low, high=between.high)

    def _judged(self, effect: Effect) -> str:
        if effect.verdict == "not_distinguishable" and effect.more:
            return self.words.t("cli.evaluate.against.needed", more=self.words.whole(effect.more))
        return self.words.t(f"cli.evaluate.against.{effect.verdict}")

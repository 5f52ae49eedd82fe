"""``fundstelle evaluate``: a set of questions with known norms, measured under a setting, against another one, against limits."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from retrieval.commands import asking, holding
from retrieval.commands import settings as settings_command
from retrieval.commands.terminal import CliWords, Terminal, address, one_line, short_name
from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.model import CorpusSpec
from retrieval.settings import KNOBS, Settings

if TYPE_CHECKING:
    from retrieval.evaluation.against import Against, Change, MetricChange
    from retrieval.evaluation.assertions import Assertion
    from retrieval.evaluation.decisions import Decision
    from retrieval.evaluation.golds import CheckedSet
    from retrieval.evaluation.report import Figure, Group, Problem, Report
    from retrieval.evaluation.statistics import Estimate, Interval
    from retrieval.federated import FederatedRetriever
    from retrieval.trace import Trace

_SHOWN_QUESTION = 100
_ROUNDING = 1e-12
_METRICS = "recall, success, precision, mrr, ndcg, map, chain_coverage, chain_complete, judged, demanded"
"""The names of the metrics, for the help: their library is loaded by this command only."""


class Under(msgspec.Struct, frozen=True):
    """A figure with its limit; ``value`` is None where no question entered it."""

    metric: str
    value: float | None
    least: float


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle evaluate``."""
    parser.add_argument("set_file", type=Path, metavar="SATZ", help=words.t("cli.evaluate.help.set"))
    asking.add_options(parser, words)
    parser.add_argument("--against", type=Path, metavar="DATEI", help=words.t("cli.evaluate.help.against"))
    text = words.t("cli.evaluate.help.fail_under", metrics=_METRICS)
    parser.add_argument("--fail-under", action="append", default=[], metavar="KENNZAHL=WERT", help=text)
    holding.add_options(parser, words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Measure; exit code 1 when a figure is below its limit or its decision, a question or a run failed, or a corpus was not asked."""
    from retrieval.evaluation.against import against
    from retrieval.evaluation.golds import Golds
    from retrieval.evaluation.sets import load

    least = dict(_limit(pair) for pair in args.fail_under)
    decision, allowed = holding.chosen(args), holding.tolerance(args)
    settings = decision.used if decision else settings_command.chosen(args.settings, args.set)
    other = _other(args.against)
    questions = load(args.set_file).questions
    federation = asking.opened(args)
    checked = Golds(federation.registry.federation).check(questions)
    k = decision.report.k if decision else _places(settings, other)
    report = _measured(checked, settings, federation, k, decision)
    compared = None
    if other is not None:
        before = _measured(checked, other, federation, k) if isinstance(other, Settings) else other
        compared = against(before, report)
    found = (Under(metric, report.figure(metric).estimate.value, limit) for metric, limit in least.items())
    under = tuple(one for one in found if _below(one))
    held = holding.held(decision, report, allowed, federation, checked) if decision else None
    if out.as_json:
        out.json({"report": report, "against": compared, "under": under, "decision": held})
    else:
        _Told(report, out, federation.registry.federation.specs).all(compared, args.against, isinstance(other, Settings))
        if decision and held:
            holding.tell(held, decision, out)
    holds = held is None or holding.complain(held, out)
    return _verdict(report, under, holds, federation, out)


def _limit(pair: str) -> tuple[str, float]:
    """A limit from ``metric=value``; a decimal comma is allowed."""
    from retrieval.evaluation.metrics import METRICS

    name, _, text = pair.partition("=")
    metric = METRICS.get(name.strip())
    try:
        value = float(text.strip().replace(",", ".", 1))
    except ValueError:
        value = float("nan")
    if metric is None or not metric.low <= value <= metric.high:
        raise BadInput(f"--fail-under: found {pair[:40]!r}, expected NAME=VALUE with one of {_METRICS} and a value from 0 to 1.")
    return metric.name, value


def _other(file: Path | None) -> Settings | Report | None:
    """What to compare with: settings from TOML, or a report from JSON."""
    from retrieval.evaluation.report import read_report

    if file is None:
        return None
    text = file.read_bytes()
    return read_report(text, file.name) if text.lstrip().startswith(b"{") else settings_command.chosen(file, ())


def _places(settings: Settings, other: Settings | Report | None) -> int:
    """How many places both sides are measured on."""
    if other is None or isinstance(other, Settings):
        return max(one.quota.max_final_results for one in (settings, other) if one)
    return other.k


def _measured(checked: CheckedSet, settings: Settings, federation: FederatedRetriever, k: int, decision: Decision | None = None) -> Report:
    """What settings make of a set; as a decision was measured where there is one."""
    from retrieval.evaluation.evaluate import evaluate

    without, judgements = (decision.without, decision.judgements) if decision else ((), {})

    def run(question: str) -> Trace:
        return decide(federation.gather(question, settings), settings, without=without)

    return evaluate(checked, run, k=k, judgements=judgements)


def _below(one: Under) -> bool:
    """A figure that no question entered proves nothing and is below every limit."""
    return one.value is None or one.value < one.least - _ROUNDING


def _verdict(report: Report, under: Sequence[Under], holds: bool, federation: FederatedRetriever, out: Terminal) -> int:
    """What must not be overlooked, on stderr, and the exit code; ``holds`` says that no decision is broken."""
    for one in report.failed:
        reason = one_line(f"{one.error_class}: {one.message}", 200)
        out.complain(out.words.t("cli.evaluate.failed", question=one_line(one.question, _SHOWN_QUESTION), reason=reason))
    if report.partial:
        out.complain(out.words.t("cli.evaluate.partial", questions=", ".join(report.partial)))
    if len(report.stamps) > 1:
        out.complain(out.words.t("cli.evaluate.stock_changed"))
    for low in under:
        numbers = {"value": out.words.number(low.value), "least": out.words.number(low.least)}
        out.complain(out.words.t("cli.evaluate.under", metric=low.metric, **numbers))
    flawed = bool(report.failed or report.partial or len(report.stamps) > 1 or under or not holds)
    return asking.told(federation, flawed, out)


# --- on the terminal --------------------------------------------------------------------------------------------------


class _Told:
    """A report in words and tables."""

    def __init__(self, report: Report, out: Terminal, specs: Mapping[str, CorpusSpec]) -> None:
        self.report, self.out, self.words, self.specs = report, out, out.words, specs

    def all(self, compared: Against | None, file: Path | None, is_settings: bool) -> None:
        """Everything, the comparison last."""
        report = self.report
        self.out.say("evaluate.set", name=one_line(report.name), questions=len(report.rows), golds=report.golds, k=report.k)
        self._settings()
        self.out.head("evaluate.head", level=self.words.percent(report.level))
        head = [self._t(name) for name in ("metric", "value", "judged", "n", "limits")]
        self.out.table((self._figure(one) for one in report.figures), head)
        self.out.say("evaluate.judged_only")
        self._groups("by_corpus", report.by_corpus, {name: short_name(spec, name) for name, spec in self.specs.items()})
        self._groups("by_tag", report.by_tag, {})
        self._limits()
        if compared is not None and file is not None:
            name = self._t("against.file" if is_settings else "against.report", file=file.name)
            self._against(compared, name)

    def _t(self, key: str, **values: object) -> str:
        return self.words.t(f"cli.evaluate.{key}", **values)

    def _settings(self) -> None:
        settings = self.report.settings or Settings()
        changed = [f"{name} = {self.words.value(value)}" for name, value in settings.flat().items() if value != KNOBS[name].default]
        if changed:
            self.out.say("evaluate.settings", changed=", ".join(changed))
        else:
            self.out.say("evaluate.defaults")

    def _figure(self, one: Figure) -> list[str]:
        lost = one.unreachable + one.repealed
        limit = self._t("limit", lost=lost, golds=one.golds) if lost else ""
        judged = self.words.number(one.judged.value)
        return [f"{self._label(one.metric)} [{one.metric}]", self._estimate(one.estimate), judged, str(one.estimate.n), limit]

    def _label(self, metric: str) -> str:
        from retrieval.evaluation.metrics import METRICS

        return METRICS[metric].label_de if self.words.language == "de" else METRICS[metric].label_en

    def _estimate(self, one: Estimate) -> str:
        value = self.words.number(one.value)
        return self._between(value, one.interval) if one.interval else value

    def _between(self, value: str, interval: Interval) -> str:
        return self._t("interval", value=value, low=self.words.number(interval.low), high=self.words.number(interval.high))

    def _groups(self, key: str, groups: Sequence[Group], names: Mapping[str, str]) -> None:
        if not groups:
            return
        self.out.head(f"evaluate.{key}")
        rows = []
        for group in groups:
            recall = next(figure for figure in group.figures if figure.metric == "recall")
            rows.append([names.get(group.name, group.name), *self._figure(recall)[1:2], *self._figure(recall)[3:]])
        self.out.table(rows, [self._t(name) for name in ("group", "value", "n", "limits")])

    def _limits(self) -> None:
        report = self.report
        if report.without_gold:
            self.out.head("evaluate.without_gold", questions=", ".join(report.without_gold))
        if report.golds and not report.checked:
            self.out.head("evaluate.unchecked")
        if report.problems:
            self.out.head("evaluate.problems")
            self.out.table(self._problem(one) for one in report.problems)
        if report.demands.broken:
            self.out.head("evaluate.demands")
            self.out.table(self._demand(one) for one in report.demands.broken)

    def _problem(self, one: Problem) -> list[str]:
        return [one.question_id, one.gold.written or address(one.gold.address, self.specs), self._t(f"state.{one.state}")]

    def _demand(self, one: Assertion) -> list[str]:
        return [one.question_id, address(one.norm, self.specs), self._t(f"demand.{one.state}")]

    # --- against another ----------------------------------------------------------------------------------------------

    def _against(self, compared: Against, name: str) -> None:
        self.out.head("evaluate.against.head", name=name, questions=compared.questions)
        head = [self._t(key) for key in ("metric", "against.difference", "n", "against.chance", "against.verdict")]
        self.out.table((self._change(one) for one in compared.metrics), head)
        self.out.say("evaluate.against.chances")
        if compared.unpaired:
            self.out.say("evaluate.against.unpaired", questions=", ".join(compared.unpaired))
        if compared.stock_differs:
            self.out.say("evaluate.against.stock")
        for one in compared.metrics:
            self._moved("losers", one.metric, one.losers)
            self._moved("winners", one.metric, one.winners)

    def _change(self, one: MetricChange) -> list[str]:
        effect = one.effect
        value = self.words.number(effect.difference)
        shown = self._between(value, effect.interval) if effect.interval else value
        verdict = self._t(f"against.{effect.verdict}")
        if effect.verdict == "not_distinguishable" and effect.more:
            verdict = self._t("against.needed", more=self.words.whole(effect.more))
        return [self._label(one.metric), shown, str(effect.n), self.words.number(effect.adjusted), verdict]

    def _moved(self, key: str, metric: str, changes: Iterable[Change]) -> None:
        rows = [[one.question_id, f"{self.words.number(one.before)} → {self.words.number(one.after)}"] for one in changes]
        if rows:
            self.out.head(f"evaluate.against.{key}", metric=self._label(metric))
            self.out.table(rows)

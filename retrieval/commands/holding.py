"""``--decision`` of ``fundstelle evaluate``: whether a decision still holds, for a nightly run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.commands.terminal import CliWords, Terminal, one_line
from retrieval.decide import decide
from retrieval.errors import BadInput

if TYPE_CHECKING:
    from retrieval.evaluation.decision_compare import Held
    from retrieval.evaluation.decisions import Decision
    from retrieval.evaluation.golds import CheckedSet
    from retrieval.evaluation.report import Report
    from retrieval.exports.fingerprints import Fingerprint
    from retrieval.federated import FederatedRetriever


def add_options(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """``--decision`` and ``--tolerance``."""
    parser.add_argument("--decision", type=Path, metavar="ENTSCHEIDUNG", help=words.t("cli.evaluate.help.decision"))
    parser.add_argument("--tolerance", metavar="WERT", help=words.t("cli.evaluate.help.tolerance"))


def chosen(args: argparse.Namespace) -> Decision | None:
    """The decision to measure against; None where none is named. Raises BadInput where other settings are named as well."""
    from retrieval.evaluation.decision_files import load

    if args.decision is None:
        if args.tolerance is not None:
            raise BadInput("--tolerance: found without --decision, expected both. Name the decision whose figures may fall by so much.")
        return None
    if args.settings or args.set:
        found = "--settings" if args.settings else "--set"
        raise BadInput(f"--decision: found together with {found}, expected one of them. A decision brings its own settings. Leave one out.")
    return load(args.decision).decision


def tolerance(args: argparse.Namespace) -> float:
    """How far a mean may fall, from 0 to 1; a decimal comma is allowed."""
    text = args.tolerance or "0"
    try:
        value = float(text.strip().replace(",", ".", 1))
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1:
        raise BadInput(f"--tolerance: found {text[:40]!r}, expected a number from 0 to 1. Write it like 0.02.")
    return value


def held(decision: Decision, report: Report, allowed: float, federation: FederatedRetriever, checked: CheckedSet) -> Held:
    """The decision against what was measured now."""
    from retrieval.evaluation.decision_compare import held

    return held(decision, report, allowed, _marks(decision, federation, checked))


def _marks(decision: Decision, federation: FederatedRetriever, checked: CheckedSet) -> Fingerprint:
    """What the runs of today rest on; nothing is stated where there is no question to run."""
    from retrieval.exports.fingerprints import Fingerprint

    if not checked.questions:
        return Fingerprint()
    question = checked.questions[0].question.text
    return Fingerprint.of(decide(federation.gather(question, decision.used), decision.used, without=decision.without))


# --- on the terminal --------------------------------------------------------------------------------------------------


def tell(found: Held, decision: Decision, out: Terminal) -> None:
    """What was compared and who got worse."""
    from retrieval.evaluation.protocol_text import when

    words = out.words
    values = {"questions": words.whole(found.questions), "tolerance": words.number(found.tolerance)}
    out.head("evaluate.decision.head", name=one_line(found.name), when=when(decision.decided, words), **values)
    if not found.same_set:
        out.say("evaluate.decision.other_set")
    if found.unpaired:
        out.say("evaluate.decision.unpaired", questions=one_line(", ".join(found.unpaired)))
    for verdict, key in (("different", "stock"), ("unknown", "stock_unknown")):
        parts = ", ".join(words.t(f"cli.decisions.part.{line.part}") for line in found.stock if line.verdict == verdict)
        if parts:
            out.say(f"evaluate.decision.{key}", parts=parts)
    if found.holds:
        out.say("evaluate.decision.holds")
    for metric, changes in found.worse.items():
        out.head("evaluate.decision.worse", metric=_label(metric, words))
        rows = [[one.question_id, f"{words.number(one.before)} → {words.number(one.after)}", one_line(one.question, 80)] for one in changes]
        out.table(rows)


def complain(found: Held, out: Terminal) -> bool:
    """Say on stderr what does not hold; whether it holds."""
    words = out.words
    for one in found.shortfalls:
        numbers = {"now": words.number(one.now), "decided": words.number(one.decided)}
        out.complain(words.t("cli.evaluate.decision.below", metric=one.metric, **numbers))
    if not found.questions:
        out.complain(words.t("cli.evaluate.decision.no_common"))
    return found.holds


def _label(metric: str, words: CliWords) -> str:
    from retrieval.evaluation.decision_text import metric_name

    return metric_name(metric, words)

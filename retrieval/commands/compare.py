"""``fundstelle compare``: one question, or a set of them, under two settings: what is shared, what moved, what differs."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from retrieval.commands import asking
from retrieval.commands import settings as settings_command
from retrieval.commands.ask import valid_question
from retrieval.commands.terminal import CliWords, Terminal, address, one_line
from retrieval.decide import STAGES, decide
from retrieval.errors import BadInput
from retrieval.federated import FederatedRetriever
from retrieval.inspector.comparison import (
    WITHOUT,
    Difference,
    Overlap,
    QuestionChange,
    differences,
    hits_of,
    most_changed,
    norms_of,
    overlap,
    question_change,
    summary,
)
from retrieval.knobs import Value
from retrieval.model import Chunk
from retrieval.questionfile import question_texts
from retrieval.settings import Settings
from retrieval.trace import Stamps, Trace
from retrieval.words import NONE

log = logging.getLogger(__name__)
_SHOWN_QUESTION = 100


class Side(msgspec.Struct, frozen=True):
    """One of the two settings, with the stages that it leaves out."""

    settings: Settings
    without: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True):
    """A question of the set that could not be run."""

    question: str
    error_class: str
    message: str


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle compare``."""
    parser.add_argument("question", metavar="FRAGE", nargs="?", help=words.t("cli.help.question"))
    parser.add_argument("--questions", type=Path, metavar="DATEI", help=words.t("cli.compare.help.questions"))
    for side in ("a", "b"):
        parser.add_argument(f"--{side}", type=Path, metavar="DATEI", help=words.t(f"cli.compare.help.{side}"))
        text = words.t("cli.compare.help.set", side=side.upper())
        parser.add_argument(f"--set-{side}", action="append", default=[], metavar="NAME=WERT", help=text)
        text = words.t("cli.compare.help.without", side=side.upper(), stages=", ".join(STAGES))
        parser.add_argument(f"--without-{side}", action="append", default=[], choices=STAGES, metavar="STUFE", help=text)
    asking.add_options(parser, words, settings=False)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Compare; exit code 1 when a part of a run failed, a question could not be run or a corpus in stock could not be asked."""
    a, b = (_side(args, name) for name in ("a", "b"))
    if a == b:
        raise BadInput("The two settings: found the same on both sides, expected two. Name a file with --b or a change with --set-b.")
    questions = _questions(args)
    federation = asking.opened(args)
    if args.questions:
        sound = _set(questions, a, b, federation, out)
    else:
        before, after = _traces(questions[0], a, b, federation)
        _one(before, after, out)
        sound = not (before.partial or after.partial)
    return asking.told(federation, not sound, out)


def _side(args: argparse.Namespace, name: str) -> Side:
    chosen = settings_command.chosen(getattr(args, name), getattr(args, f"set_{name}"))
    left_out: list[str] = getattr(args, f"without_{name}")
    return Side(chosen, tuple(stage for stage in STAGES if stage in left_out))


def _questions(args: argparse.Namespace) -> tuple[str, ...]:
    if (args.question is None) == (args.questions is None):
        found = "neither" if args.question is None else "both"
        raise BadInput(f"What to ask: found {found}, expected either a question or --questions DATEI. Name one of the two.")
    if args.questions is None:
        return (valid_question(args.question),)
    found_texts = question_texts(args.questions)
    if not found_texts:
        raise BadInput(f"Question file {args.questions}: found no question, expected at least one [[question]] with a text. Add one.")
    return found_texts


def _traces(question: str, a: Side, b: Side, federation: FederatedRetriever) -> tuple[Trace, Trace]:
    """The runs under both settings; what the first has gathered is not asked again."""
    pool = federation.gather(question, a.settings)
    same = (a.settings.gathering, a.settings.selection) == (b.settings.gathering, b.settings.selection)
    other = pool if same else federation.gather(question, b.settings, known=pool)
    return decide(pool, a.settings, without=a.without), decide(other, b.settings, without=b.without)


# --- one question -----------------------------------------------------------------------------------------------------------


def _one(a: Trace, b: Trace, out: Terminal) -> None:
    hits, norms = overlap(hits_of(a), hits_of(b)), overlap(norms_of(a), norms_of(b))
    differing = differences((a.settings, b.settings), (a.without, b.without))
    if out.as_json:
        out.json(_as_json(a, b, hits, norms, differing))
        return
    out.say("ask.question", question=one_line(a.question))
    for name, trace in (("A", a), ("B", b)):
        if trace.partial:
            out.say("compare.partial", side=name)
    _differing(differing, out)
    out.head("compare.lists")
    out.table(_rows(a, b), ("A", "B", out.words.t("cli.compare.norm")))
    out.head("compare.common", common=len(hits.common), moved=len(hits.moved), only_a=len(hits.only_a), only_b=len(hits.only_b))
    out.say("compare.norms", common=len(norms.common), only_a=len(norms.only_a), only_b=len(norms.only_b))
    out.say("compare.measures", jaccard=out.words.number(hits.jaccard, 2), rbo=out.words.number(hits.rbo, 2))


def _as_json(a: Trace, b: Trace, hits: Overlap, norms: Overlap, differing: Sequence[Difference]) -> dict[str, Any]:
    sides = {
        name: {"settings": trace.settings.flat(), "without": trace.without, "hits": hits_of(trace), "partial": trace.partial}
        for name, trace in (("a", a), ("b", b))
    }
    return {"question": a.question, **sides, "hits": hits, "norms": norms, "differences": differing, "stamps": a.stamps}


def _rows(a: Trace, b: Trace) -> Iterator[tuple[str, str, str]]:
    """Place in both lists and address of each hit, in the order of the first list, then of the second."""
    before, after = ({one: str(place) for place, one in enumerate(hits_of(trace), start=1)} for trace in (a, b))
    chunks: Mapping[str, Chunk] = {**a.chunks, **b.chunks}
    for one in dict.fromkeys((*before, *after)):
        yield before.get(one, NONE), after.get(one, NONE), address(chunks[one], {**a.specs, **b.specs})


def _differing(found: Sequence[Difference], out: Terminal) -> None:
    out.head("compare.differing")
    for one in found:
        idle = f" ({out.words.t(f'cli.compare.idle.{one.idle}')})" if one.idle else ""
        a, b = (_value(one.name, value, out) for value in one.values)
        name = out.words.t("cli.compare.without") if one.name == WITHOUT else one.name
        out.line(f"  {name}: {a} → {b}{idle}")


def _value(name: str, value: Value, out: Terminal) -> str:
    if name != WITHOUT:
        return out.words.value(value)
    return ", ".join(out.words.word("stage", stage) for stage in str(value).split(",") if stage) or NONE


# --- a set of questions -------------------------------------------------------------------------------------------------------


def _set(questions: Sequence[str], a: Side, b: Side, federation: FederatedRetriever, out: Terminal) -> bool:
    """Print the set, the most changed question first; whether every run went well."""
    rows: list[QuestionChange] = []
    failed: list[Failed] = []
    stamps = Stamps()
    for question in questions:
        try:
            before, after = _traces(question, a, b, federation)
            stamps = before.stamps
            rows.append(question_change(before, after))
        except Exception as error:
            log.exception("a question of the set could not be run")
            failed.append(Failed(question, type(error).__name__, str(error)))
    rows = list(most_changed(rows))
    differing = differences((a.settings, b.settings), (a.without, b.without))
    if out.as_json:
        sides = {name: {"settings": side.settings.flat(), "without": side.without} for name, side in (("a", a), ("b", b))}
        out.json({**sides, "summary": summary(rows), "questions": rows, "failed": failed, "differences": differing, "stamps": stamps})
    else:
        _print_set(rows, differing, out)
    for one in failed:
        reason = one_line(f"{one.error_class}: {one.message}", 200)
        out.complain(out.words.t("cli.compare.failed", question=one_line(one.question, _SHOWN_QUESTION), reason=reason))
    return not failed and not any(row.partial for row in rows)


def _print_set(rows: Sequence[QuestionChange], differing: Sequence[Difference], out: Terminal) -> None:
    found = summary(rows)
    means = {"jaccard": out.words.number(found.jaccard, 2), "rbo": out.words.number(found.rbo, 2)}
    counts = {"count": found.questions, "changed": found.changed, "reordered": found.reordered, "equal": found.equal}
    out.say("compare.summary", **counts, **means)
    _differing(differing, out)
    out.head("compare.set")
    head = [out.words.t(f"cli.compare.{name}") for name in ("shared", "jaccard", "rbo", "question")]
    out.table((_set_row(row, out) for row in rows), head)


def _set_row(row: QuestionChange, out: Terminal) -> list[str]:
    one = row.hits
    mark = f"  ({out.words.t('cli.compare.incomplete')})" if row.partial else ""
    shared = f"{len(one.common)} | {len(one.common) + len(one.only_a)} | {len(one.common) + len(one.only_b)}"
    numbers = [out.words.number(value, 2) for value in (one.jaccard, one.rbo)]
    return [shared, *numbers, one_line(row.question, _SHOWN_QUESTION) + mark]

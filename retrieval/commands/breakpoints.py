"""``fundstelle breakpoints``: the exact values of each continuous setting at which the list of a question changes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec

from retrieval.commands import asking
from retrieval.commands import settings as settings_command
from retrieval.commands.ask import valid_question
from retrieval.commands.terminal import CliWords, Terminal, address
from retrieval.decide import decide
from retrieval.inspector.breakpoints import track
from retrieval.inspector.tracks import CONTINUOUS, Change, Moved, Track
from retrieval.settings import KNOBS
from retrieval.trace import Trace


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle breakpoints``."""
    parser.add_argument("question", metavar="FRAGE", help=words.t("cli.help.question"))
    parser.add_argument("--knob", choices=CONTINUOUS, action="append", help=words.t("cli.help.knob"))
    asking.add_options(parser, words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Print the breakpoints; exit code 1 when a part of the run failed."""
    settings = settings_command.chosen(args.settings, args.set)
    question = valid_question(args.question)
    federation = asking.opened(args)
    pool = federation.gather(question, settings)
    trace = decide(pool, settings)
    tracks = [track(pool, settings, knob) for knob in dict.fromkeys(args.knob or CONTINUOUS)]
    if out.as_json:
        out.json([{**msgspec.to_builtins(found), "changes": found.changes, "stable": found.stable()} for found in tracks])
    else:
        for found in tracks:
            _print(found, trace, out)
    return asking.told(federation, trace.partial, out)


def _print(found: Track, trace: Trace, out: Terminal) -> None:
    low, high = (out.words.value(end) for end in found.stable())
    out.head("breakpoints.head", knob=found.knob, value=out.words.value(found.value))
    if not found.works:
        out.say("breakpoints.idle" if KNOBS[found.knob].only else "breakpoints.idle_reranker")
        return
    out.say("breakpoints.stable", low=low, high=high)
    if not found.changes:
        out.say("breakpoints.none")
    out.table([(out.words.number(change.at, 4), _what(change, trace, out)) for change in found.changes], indent=4)


def _what(change: Change, trace: Trace, out: Terminal) -> str:
    """What happens where the setting passes this value upwards."""
    parts = [out.words.t(f"cli.breakpoints.{name}", norms=_norms(getattr(change, name), trace)) for name in _KINDS if getattr(change, name)]
    return "; ".join(parts)


_KINDS = ("enters", "leaves", "moves")


def _norms(moved: Sequence[Moved], trace: Trace) -> str:
    return ", ".join(f"{address(trace.chunks[one.chunk_id], trace.specs)} ({_places(one)})" for one in moved)


def _places(moved: Moved) -> str:
    return f"{moved.before} → {moved.after}" if moved.before and moved.after else str(moved.before or moved.after)

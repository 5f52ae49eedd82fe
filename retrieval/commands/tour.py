"""``fundstelle tour``: a tour in the terminal, each step computed now, each claim checked."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from retrieval.commands.terminal import CliWords, Terminal, address, anchors_file, index_folder, one_line, short_name
from retrieval.tours import Beside, Held, Move, Place, Step, Tour, Walked, read_tour, walk
from retrieval.trace import Trace


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle tour``."""
    parser.add_argument("file", type=Path, metavar="DATEI", help=words.t("cli.help.tour_file"))
    parser.add_argument("--anchors", type=Path, metavar="DATEI", help=words.t("cli.help.register"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Walk the tour; exit code 1 when a claim is not true of this stock."""
    tour = read_tour(args.file)
    from retrieval.assemble import open_federation

    federation = open_federation(index_folder(args.index), anchors_file(args.anchors))
    book = federation.registry.federation.book
    walked = [walk(step, federation.gather, book) for step in tour.steps]
    if out.as_json:
        out.json([_record(one) for one in walked])
    else:
        _print(tour, walked, out)
    return 0 if all(one.holds for one in walked) else 1


def _record(walked: Walked) -> dict[str, Any]:
    """One step as plain data, without the two whole runs."""
    known = walked.shown.chunks | (walked.compared.chunks if walked.compared else {})
    moves = [{**msgspec.to_builtins(move), "address": msgspec.to_builtins(known[move.chunk_id].address)} for move in walked.moves]
    held = msgspec.to_builtins(walked.held)
    return {"step": msgspec.to_builtins(walked.step), "holds": walked.holds, "held": held, "moves": moves, "focus": sorted(walked.focus)}


def _print(tour: Tour, walked: list[Walked], out: Terminal) -> None:
    for number, one in enumerate(walked, start=1):
        out.head("tour.step", number=number, count=len(walked), sentence=one_line(one.step.sentence(out.words.language)))
        for line in _lines(one, out.words):
            out.line("  " + line)
    wrong = sum(held.state != "met" for one in walked for held in one.held)
    claims = sum(len(one.held) for one in walked)
    out.head("tour.not_all_true" if wrong else "tour.all_true", count=len(tour.steps), claims=claims, wrong=wrong)


def _lines(walked: Walked, words: CliWords) -> Iterator[str]:
    yield words.t("cli.tour.question", question=words.quoted(one_line(walked.step.question)))
    yield words.t("cli.tour.run", run=_side(walked.step, words))
    if walked.compared is None or walked.step.compare_with is None:
        yield words.t("cli.tour.list", count=len(walked.shown.final))
    else:
        yield words.t("cli.tour.compared", run=_side(walked.step.compare_with, words))
        changed = [move for move in walked.moves if move.before != move.after]
        yield from (f"  {_moved(move, walked, words)}" for move in changed)
        if not changed:
            yield words.t("cli.tour.unchanged")
    if not walked.held:
        yield words.t("cli.tour.no_claims")
    yield from (_held(held, walked.shown, words) for held in walked.held)


def _side(side: Step | Beside, words: CliWords) -> str:
    settings = [words.t("cli.tour.setting", name=name, value=words.value(value)) for name, value in side.settings.items()]
    without = [words.word("tour_without", stage) for stage in side.without]
    return ", ".join((*settings, *without)) or words.t("cli.tour.defaults")


def _moved(move: Move, walked: Walked, words: CliWords) -> str:
    known = walked.shown if move.chunk_id in walked.shown.chunks else walked.compared or walked.shown
    norm = address(known.chunks[move.chunk_id], known.specs)
    if not move.before:
        stood = words.t("cli.tour.stood", place=move.stood) if move.stood else words.t("cli.tour.no_candidate")
        return words.t("cli.tour.enters", after=move.after, norm=norm, before=stood)
    key = "cli.tour.moves" if move.after else "cli.tour.leaves"
    return words.t(key, before=move.before, after=move.after, norm=norm)


def _held(held: Held, trace: Trace, words: CliWords) -> str:
    expected = held.expectation
    norm = _name(expected, trace)
    key = "at_place" if expected.place else "in_list" if expected.in_list else "not_in_list"
    claim = words.t(f"cli.tour.{key}", norm=norm, place=expected.place)
    if expected.compared:
        claim = words.t("cli.tour.in_compared", claim=claim)
    found = words.t("cli.tour.found_at", places=", ".join(map(str, held.places))) if held.places else words.t("cli.tour.found_nowhere")
    return words.t(f"cli.tour.{held.state}", claim=claim, places=found)


def _name(place: Place, trace: Trace) -> str:
    if place.section:
        return address(place.target, trace.specs)
    return one_line(short_name(trace.specs.get(place.corpus), place.corpus))

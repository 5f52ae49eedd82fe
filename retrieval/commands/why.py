"""``fundstelle why``: why a norm is in the list of a question or not, station by station, and what would change that."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec

from retrieval.commands import asking
from retrieval.commands import settings as settings_command
from retrieval.commands.ask import valid_question
from retrieval.commands.cites import single
from retrieval.commands.telling import Changes, Telling
from retrieval.commands.terminal import CliWords, Terminal, address, one_line
from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.inspector.counterfactuals import Answer, counterfactual
from retrieval.inspector.life import Life, Piece, chunks_of, life
from retrieval.inspector.stations import Station
from retrieval.settings import Settings
from retrieval.trace import Pool


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle why``."""
    parser.add_argument("address", metavar="FUNDSTELLE", help=words.t("cli.help.address"))
    parser.add_argument("question", metavar="FRAGE", help=words.t("cli.help.question"))
    asking.add_options(parser, words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Run the question and print the life of the norm; exit code 1 when a part of the run failed or a corpus could not be asked."""
    settings = settings_command.chosen(args.settings, args.set)
    question = valid_question(args.question)
    federation = asking.opened(args)
    norm = single(args.address, federation.registry.state.federation)
    pool = federation.gather(question, settings)
    trace = decide(pool, settings)
    found = life(trace, pool, norm, federation)
    answer = _answer(found, pool, settings, federation)
    if out.as_json:
        out.json({"life": msgspec.to_builtins(found), "answer": msgspec.to_builtins(answer)})
    else:
        _print(found, answer, Telling(trace, out.words, address, federation.registry.state.federation), out)
    return asking.told(federation, trace.partial, out)


def _answer(found: Life, pool: Pool, settings: Settings, federation: FederatedRetriever) -> Answer:
    chunks = chunks_of(found.chunk_ids, pool, federation)
    return counterfactual(pool, settings, chunks, lambda other: federation.gather(pool.question, other, known=pool), pairs=True)


def _print(found: Life, answer: Answer, telling: Telling, out: Terminal) -> None:
    out.line(one_line(telling.answer(found)))
    out.line()
    for number, station in enumerate(found.stations, start=1):
        out.line(f"{number:3}. {telling.title(station)}: {telling.state(station)}")
        for text in _lines(station, telling):
            out.line(f"     {one_line(text)}")
    if found.others:
        out.head("why.others", count=len(found.others))
        out.table(_pieces(found.others, telling), [out.words.t(f"cli.why.{name}") for name in ("norm", "place", "vector", "lexical")])
    changes = Changes(answer, telling)
    out.line()
    out.line(one_line(changes.verdict()))
    for way in answer.ways:
        out.line(f"  - {one_line(changes.way(way))}")


def _lines(station: Station, telling: Telling) -> Sequence[str]:
    """The reason, the sentence of the hit that names the norm, the note of the anchor, the exact fault."""
    quote = telling.words.quoted(station.quote.sentence) if station.quote else ""
    note = station.claim.note if station.claim else ""
    return [text for text in (telling.reason(station), quote, note, station.error) if text]


def _pieces(pieces: Sequence[Piece], telling: Telling) -> list[list[str]]:
    """The other chunks of the norm with their places; a dash where there is none."""
    whole = telling.words.whole
    return [[telling.name(one.address), *(whole(place or None) for place in (one.place, one.vector, one.lexical))] for one in pieces]

"""``fundstelle corpora``: bodies of rules into the stock, what is in stock, and out again."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from retrieval import manifest, places
from retrieval.commands.terminal import AddParser, CliWords, Terminal, index_folder, one_line, short_name
from retrieval.errors import BadInput, BadSource, FundstelleError
from retrieval.manifest import CorpusEntry, IngestReport
from retrieval.places import Place, Server

_SUFFIXES = (".md", ".txt", ".xml", ".zip")
_SOURCES = Path("quellen")
_SHOWN_EXAMPLES = 5
_PART_FAILED = 1
_ALL_FAILED = 2


def add_add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle corpora add``."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="DATEI", help=words.t("cli.help.path"))
    parser.add_argument("--manifest", type=Path, metavar="DATEI", help=words.t("cli.help.manifest"))
    parser.add_argument("--id", metavar="NAME", help=words.t("cli.help.id"))
    parser.add_argument("--title", metavar="TITEL", help=words.t("cli.help.title"))
    parser.add_argument("--encoder", metavar="MODELL", help=words.t("cli.help.encoder"))
    _add_chroma(parser, words)
    parser.set_defaults(run=add)


def add_fetch_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle corpora fetch``."""
    parser.add_argument("law", metavar="KÜRZEL", help=words.t("cli.help.law"))
    parser.add_argument("--into", type=Path, default=_SOURCES, metavar="ORDNER", help=words.t("cli.help.into"))
    parser.add_argument("--encoder", metavar="MODELL", help=words.t("cli.help.encoder"))
    _add_chroma(parser, words)
    parser.set_defaults(run=fetch)


def add_list_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """``fundstelle corpora list`` has no options of its own."""
    del words
    parser.set_defaults(run=list_all)


def add_show_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle corpora show``."""
    parser.add_argument("corpus", metavar="NAME", help=words.t("cli.help.corpus"))
    parser.set_defaults(run=show)


def add_remove_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle corpora remove``."""
    parser.add_argument("corpus", metavar="NAME", help=words.t("cli.help.corpus"))
    _add_chroma(parser, words)
    parser.set_defaults(run=remove)


def add_check_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle corpora check``."""
    _add_chroma(parser, words)
    parser.set_defaults(run=check)


def _add_chroma(parser: argparse.ArgumentParser, words: CliWords) -> None:
    parser.add_argument("--chroma", metavar="ADRESSE", default="", help=words.t("cli.help.chroma", variable=places.SERVER))


PARSERS: dict[str, AddParser] = {
    "add": add_add_parser,
    "list": add_list_parser,
    "show": add_show_parser,
    "check": add_check_parser,
    "remove": add_remove_parser,
    "fetch": add_fetch_parser,
}


# --- in and out -----------------------------------------------------------------------------------------------------


def add(args: argparse.Namespace, out: Terminal) -> int:
    """Read and store every file; one that fails does not stop the others."""
    paths = [path for given in args.paths for path in files_in(given)]
    if len(paths) > 1 and (args.id or args.title or args.manifest):
        raise BadInput(f"--id, --title, --manifest: found {len(paths)} files, expected one. Add the files one by one.")
    overrides = {"corpus_id": args.id, "title": args.title}
    done = [_added(path, args, overrides, out) for path in paths]
    if out.as_json:
        out.json(done)
    failed = sum("error" in one for one in done)
    return 0 if not failed else _ALL_FAILED if failed == len(done) else _PART_FAILED


def files_in(given: Path) -> list[Path]:
    """The file itself; of a folder, its files of rules in the order of their names (a README is none)."""
    if not given.is_dir():
        return [given]
    found = sorted(path for path in given.iterdir() if path.suffix.lower() in _SUFFIXES and path.stem.lower() != "readme")
    if not found:
        raise BadSource(f"{given}: found no file of rules, expected .md, .txt, .xml or .xml.zip. Name the files or another folder.")
    return found


def _added(path: Path, args: argparse.Namespace, overrides: dict[str, Any], out: Terminal) -> dict[str, Any]:
    try:
        return _ingested(path, args, overrides, out)
    except (FundstelleError, OSError) as error:
        out.error(error, path.name)
        return {"file": str(path), "error": type(error).__name__, "message": str(error)}


def _ingested(path: Path, args: argparse.Namespace, overrides: dict[str, Any], out: Terminal) -> dict[str, Any]:
    from retrieval.build import ingest
    from retrieval.chunking import CHUNKING, chunks
    from retrieval.embedding import DEFAULT
    from retrieval.readers import read

    if not path.exists():
        raise BadSource(f"{path}: found nothing at this place, expected a file of rules. Correct the path.")
    corpus = read(path, args.manifest, **overrides)
    pieces = chunks(corpus)
    sources = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (path, args.manifest) if file}
    encoder = args.encoder or DEFAULT
    with _progress(corpus.spec.title, len(pieces), out.words) as bar:

        def advance(done: int, _total: int) -> None:
            bar.update(done - bar.n)

        folder = index_folder(args.index)
        report = ingest(
            folder, corpus.spec, pieces, corpus.report, encoder, advance, chunking=CHUNKING, sources=sources, server=args.chroma
        )
    if not out.as_json:
        out.say("corpora.stored", name=one_line(corpus.spec.title), id=corpus.spec.corpus_id)
        place = places.of_index(folder, manifest.read(folder).server, args.chroma)
        if isinstance(place, Server):
            _say_place(place, out)
        _print_report(report, out)
    return {"file": str(path), "corpus": corpus.spec.corpus_id, "report": msgspec.to_builtins(report)}


def _progress(title: str, total: int, words: CliWords) -> Any:
    """A bar on stderr with what is done, the rate and the time that remains."""
    from tqdm import tqdm

    at_terminal = sys.stderr.isatty()
    return tqdm(
        desc=one_line(title, 40),
        total=total,
        unit=" " + words.t("cli.corpora.chunks"),
        bar_format=words.t("cli.corpora.bar"),
        mininterval=0.2 if at_terminal else 10.0,  # a log needs no line for every step
        leave=not at_terminal,
    )


def remove(args: argparse.Namespace, out: Terminal) -> int:
    """Take one corpus out of the stock."""
    from retrieval.build import remove as remove_corpus

    remove_corpus(index_folder(args.index), args.corpus, args.chroma)
    if out.as_json:
        out.json({"removed": args.corpus})
    else:
        out.say("corpora.removed", id=args.corpus)
    return 0


def fetch(args: argparse.Namespace, out: Terminal) -> int:
    """Download one federal law and read it in."""
    from retrieval.download import fetch as download

    args.paths = [download(args.law, args.into)]
    args.manifest = args.id = args.title = None
    return add(args, out)


# --- what is in stock -------------------------------------------------------------------------------------------------


def list_all(args: argparse.Namespace, out: Terminal) -> int:
    """The corpora in stock, in their order, and ingests that did not come to their end."""
    folder = index_folder(args.index)
    stock = manifest.read(folder)
    unfinished = manifest.unfinished(folder)
    place = places.of_index(folder, stock.server)
    if out.as_json:
        corpora = [{**msgspec.to_builtins(entry.spec), "chunks": entry.count} for entry in stock.corpora]
        out.json({"stamp": stock.stamp, "server": _server(place), "corpora": corpora, "unfinished": msgspec.to_builtins(unfinished)})
        return 0
    out.say("corpora.stock", folder=folder.resolve(), stamp=stock.stamp)
    _say_place(place, out)
    head = [out.words.t(f"cli.corpora.{column}") for column in ("id", "name", "kind", "chunks", "title")]
    out.table((_row(entry, out.words) for entry in stock.corpora), head)
    for one in unfinished:
        out.say("corpora.unfinished", title=one_line(one.title), id=one.corpus_id)
    return 0


def _server(place: Place) -> str:
    return place.address if isinstance(place, Server) else ""


def _say_place(place: Place, out: Terminal) -> None:
    """Where the vectors are."""
    if isinstance(place, Server):
        out.say("corpora.on_server", address=place.address)
    else:
        out.say("corpora.in_folder")


def check(args: argparse.Namespace, out: Terminal) -> int:
    """Open the stock as a question would, and say of each corpus whether it can be asked."""
    from retrieval.registry import CorpusRegistry

    registry = CorpusRegistry(index_folder(args.index), server=args.chroma)
    found = registry.diagnostics()
    lost, without_encoder = found["place"]["lost"], [reason for reason in found["encoders"].values() if isinstance(reason, str)]
    faults = [fault for fault in (lost, *without_encoder, found["consistent_embedding"]) if fault]
    if out.as_json:
        out.json(found)
    else:
        out.say("corpora.stock", folder=registry.folder.resolve(), stamp=registry.stamp)
        _say_place(registry.state.place, out)
        out.table([[one["corpus_id"], *_condition(one, lost, out.words)] for one in found["corpora"]])
        for fault in faults:
            out.line(one_line(fault))
    return _PART_FAILED if faults or any(one["blocked"] or one["without_vectors"] for one in found["corpora"]) else 0


def _condition(about: Mapping[str, Any], lost: str, words: CliWords) -> list[str]:
    """How one corpus can be asked, and why not in full, unless that is the same for all."""
    reason = about["blocked"] or about["without_vectors"]
    state = "blocked" if about["blocked"] else "words_only" if reason else "whole"
    return [words.t(f"cli.corpora.{state}"), "" if lost and lost in reason else reason]


def _row(entry: CorpusEntry, words: CliWords) -> list[str]:
    spec = entry.spec
    kind = words.word("corpus_kind", spec.kind) + (f", {words.t('term.invented')}" if spec.invented else "")
    return [spec.corpus_id, short_name(spec, spec.corpus_id), kind, words.whole(entry.count), one_line(spec.title, 60)]


def show(args: argparse.Namespace, out: Terminal) -> int:
    """What is known about one corpus, and the report of its ingest."""
    entry = manifest.read(index_folder(args.index)).entry(args.corpus)
    if out.as_json:
        out.json(msgspec.to_builtins(entry))
        return 0
    spec = entry.spec
    out.line(one_line(spec.title))
    facts = {
        "id": spec.corpus_id,
        "kind": out.words.word("corpus_kind", spec.kind),
        "names": ", ".join(spec.names),
        "containers": ", ".join(spec.containers),
        "stand": spec.stand,
        "source": spec.source,
        "invented": out.words.t("term.invented") if spec.invented else "",
        "model": f"{entry.fingerprint.model} {entry.fingerprint.revision}" if entry.fingerprint else "",
        "sources": ", ".join(entry.sources),
    }
    out.table((out.words.t(f"cli.corpora.{name}"), one_line(value)) for name, value in facts.items() if value)
    _print_report(entry.report, out)
    return 0


def _print_report(report: IngestReport, out: Terminal) -> None:
    """The ingest report: what was read, what changed, and what a person should look at."""
    read = report.read
    names = ("norms", "paragraphs", "repealed", "tables_found", "tables_kept")
    counts = {name: read[name] for name in names if read.get(name)} | {"chunks": report.chunks}
    changes = {f"places_{name}": count for name, count in msgspec.structs.asdict(report.changes).items()}
    for numbers in (counts, changes):
        shown = (f"{out.words.t(f'cli.corpora.{name}')} {out.words.whole(count)}" for name, count in numbers.items())
        out.line("  " + " · ".join(shown))
    for key, found in (("truncated", report.truncated), ("empty", read.get("empty", ()))):
        if found:
            out.line("  " + out.words.t(f"cli.corpora.{key}_list", count=len(found), examples=_examples(found)))
    _print_oddities(read.get("oddities", ()), out)


def _print_oddities(oddities: Sequence[Mapping[str, str]], out: Terminal) -> None:
    """What a person should look at, one line for each kind, with where it was met or what it was."""
    if oddities:
        out.line("  " + out.words.t("cli.corpora.oddities", count=len(oddities)))
    for code in dict.fromkeys(oddity["code"] for oddity in oddities):
        found = [oddity["where"] or oddity["detail"] for oddity in oddities if oddity["code"] == code]
        out.line(f"    {out.words.word('cli.oddity', code)} ({len(found)}): {_examples(found)}")


def _examples(found: Iterable[str]) -> str:
    shown = [one_line(one, 100) for one in found]
    more = f" … (+ {len(shown) - _SHOWN_EXAMPLES})" if len(shown) > _SHOWN_EXAMPLES else ""
    return ", ".join(shown[:_SHOWN_EXAMPLES]) + more

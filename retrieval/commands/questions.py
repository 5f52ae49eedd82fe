"""``fundstelle questions``: question sets checked against the stock, taken from other forms, handed on, listed, and brought back."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from retrieval.commands import export as export_command
from retrieval.commands.terminal import AddParser, CliWords, Terminal, address, index_folder, one_line
from retrieval.errors import BadInput, BadSource

if TYPE_CHECKING:
    from retrieval.evaluation.formats.preview import Preview, Remark, Row
    from retrieval.evaluation.golds import CheckedSet, Found, Golds, GoldState
    from retrieval.evaluation.sets import Loaded

_FORMATS = "csv, xlsx, quepid, trec, beir, ranx, opensearch, toml"
"""The names of the formats, for the help, which loads none of them."""
_BY_ENDING = {".csv": "csv", ".xlsx": "xlsx", ".toml": "toml"}
_SHOWN_TEXT = 70
_HASH = 12


def add_check_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle questions check``."""
    parser.add_argument("set_file", type=Path, metavar="SATZ", help=words.t("cli.questions.help.set"))
    parser.set_defaults(run=check)


def add_import_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle questions import``."""
    parser.add_argument("source", type=Path, metavar="QUELLE", help=words.t("cli.questions.help.source"))
    parser.add_argument("--format", metavar="FORM", help=words.t("cli.questions.help.format", formats=_FORMATS))
    parser.add_argument("--texts", type=Path, metavar="DATEI", help=words.t("cli.questions.help.texts"))
    parser.add_argument("--into", type=Path, metavar="SATZ", help=words.t("cli.questions.help.into"))
    parser.set_defaults(run=take)


def add_export_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle questions export``."""
    parser.add_argument("set_file", type=Path, metavar="SATZ", help=words.t("cli.questions.help.set"))
    parser.add_argument("--format", metavar="FORM", help=words.t("cli.questions.help.format", formats=_FORMATS))
    parser.add_argument("--output", type=Path, metavar="DATEI", required=True, help=words.t("cli.questions.help.output"))
    parser.add_argument("--force", action="store_true", help=words.t("cli.questions.help.force"))
    parser.set_defaults(run=hand_on)


def add_list_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle questions list``."""
    parser.add_argument("paths", type=Path, nargs="*", metavar="PFAD", help=words.t("cli.questions.help.paths"))
    parser.set_defaults(run=show)


def add_history_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle questions history``."""
    parser.add_argument("set_file", type=Path, metavar="SATZ", help=words.t("cli.questions.help.set"))
    parser.add_argument("--restore", metavar="KENNZEICHEN", help=words.t("cli.questions.help.restore"))
    parser.set_defaults(run=history)


PARSERS: dict[str, AddParser] = {
    "check": add_check_parser,
    "import": add_import_parser,
    "export": add_export_parser,
    "list": add_list_parser,
    "history": add_history_parser,
}


def _golds(args: argparse.Namespace) -> tuple[Golds, dict[str, str]]:
    """What reads gold norms against the stock, and the corpora that could not be read, with the reasons."""
    from retrieval.evaluation.golds import Golds
    from retrieval.registry import open_texts

    state = open_texts(index_folder(args.index))
    return Golds(state.federation), state.blocked


def _complain(blocked: Mapping[str, str], out: Terminal) -> None:
    for reason in blocked.values():
        out.complain(out.words.t("cli.cites.blocked", reason=one_line(reason)))


# --- check ------------------------------------------------------------------------------------------------------------------


def check(args: argparse.Namespace, out: Terminal) -> int:
    """Print how the norms of a set stand; exit code 1 when one is not in stock and in force, or a corpus could not be read."""
    from retrieval.evaluation.sets import fingerprint, load

    loaded = load(args.set_file)
    golds, blocked = _golds(args)
    checked = golds.check(loaded.questions)
    findings = [(one.question.id, found) for one in checked.questions for found in one.found if found.state != "in_stock" or found.note]
    if out.as_json:
        out.json(
            {
                "name": loaded.questions.name,
                "fingerprint": fingerprint(loaded.questions),
                "questions": len(loaded.questions.questions),
                "golds": checked.golds,
                "states": checked.states,
                "unreachable": checked.unreachable,
                "without_gold": checked.without_gold,
                "findings": [{"question": question, "gold": msgspec.to_builtins(found)} for question, found in findings],
            }
        )
    else:
        _print_check(checked, findings, golds, out)
    _complain(blocked, out)
    return 1 if findings or blocked else 0


def _print_check(checked: CheckedSet, findings: Sequence[tuple[str, Found]], golds: Golds, out: Terminal) -> None:
    words = out.words
    out.say(
        "questions.set",
        name=one_line(checked.settled.name),
        questions=_n("questions", len(checked.questions), out),
        golds=_n("golds", checked.golds, out),
    )
    _print_states(checked.states, out)
    if checked.unreachable:
        out.say("questions.unreachable", unreachable=checked.unreachable, golds=checked.golds)
    if checked.without_gold:
        out.line(_n("without_gold", checked.without_gold, out))
    if not findings:
        out.say("questions.all_well")
    last = ""
    for question, found in findings:
        if question != last:
            out.line("  " + words.t("cli.questions.question", id=one_line(question)))
            last = question
        for remark in _about(found):
            out.line(f"    {one_line(_said(remark, out))}")
        for place in found.choices:
            out.line(f"      {address(place, golds.federation.specs if golds.federation else {})}")


def _about(found: Found) -> list[Remark]:
    from retrieval.evaluation.formats.preview import about, unreadable

    return [unreadable(found)] if found.state == "unreadable" else about(found)


def _print_states(states: Mapping[GoldState, int], out: Terminal) -> None:
    if states:
        counted = ", ".join(f"{count} {out.words.word('questions.state', state)}" for state, count in states.items())
        out.say("questions.states", states=counted)


def _n(what: str, count: int, out: Terminal) -> str:
    return out.words.n(f"questions.n.{what}", count)


def _said(remark: Remark, out: Terminal) -> str:
    return out.words.word("questions.remark", remark.code, **remark.values)


# --- import -----------------------------------------------------------------------------------------------------------------


def take(args: argparse.Namespace, out: Terminal) -> int:
    """Show what a source holds, and with ``--into`` take it; exit code 1 when a line was not taken or a corpus could not be read."""
    from retrieval.evaluation import formats
    from retrieval.evaluation.formats.preview import beside
    from retrieval.evaluation.model import QuestionSet
    from retrieval.evaluation.sets import Loaded, load, save

    name = _format(args.format, args.source, formats.FORMATS)
    data, texts = _bytes(args.source), _texts(args.texts)
    old = load(args.into) if args.into and args.into.exists() else Loaded(QuestionSet(args.into.stem if args.into else ""), "")
    golds, blocked = _golds(args)
    preview = formats.read(name, data, golds, args.source.name, texts)
    preview = beside(preview, old.questions, "id" not in formats.FORMATS[name].holds)
    new = preview.questions.questions
    after = msgspec.structs.replace(old.questions, questions=(*old.questions.questions, *new))
    saved = save(args.into, after, old.seen) if args.into and new else None
    if out.as_json:
        summary = {verdict: preview.count(verdict) for verdict in ("taken", "remarked", "refused")}
        counts = {**summary, "without_gold": preview.without_gold, "states": preview.states}
        out.json({**msgspec.to_builtins(preview), **counts, "written": str(args.into) if saved else None})
    else:
        _print_preview(preview, out)
        _print_written(args.into, saved, out)
    _complain(blocked, out)
    return 1 if preview.count("refused") or blocked else 0


def _format(given: str | None, path: Path, known: Iterable[str]) -> str:
    name = given or _BY_ENDING.get(path.suffix.lower(), "")
    if name not in set(known):
        found = f"the format {given!r}" if given else f"no format for the ending {path.suffix!r}"
        raise BadInput(f"--format: found {found}; expected one of {', '.join(known)}. Name it.")
    return name


def _bytes(path: Path) -> bytes:
    from retrieval.evaluation.formats.zipped import LARGEST, folder

    if path.is_dir():
        return folder(path)
    if not path.is_file():
        raise BadSource(f"{path.name}: there is no such file; expected a file or folder of questions. Check the path.")
    if path.stat().st_size > LARGEST:
        raise BadSource(f"{path.name}: found {path.stat().st_size} bytes; at most {LARGEST} are read. Split the file.")
    return path.read_bytes()


def _texts(path: Path | None) -> dict[str, str] | None:
    """The words of questions by their ids."""
    if path is None:
        return None
    from retrieval.evaluation.formats.trec import topics
    from retrieval.evaluation.sets import load

    if path.suffix.lower() == ".toml":
        return {question.id: question.text for question in load(path).questions.questions}
    return topics(_bytes(path), path.name)


def _print_preview(preview: Preview, out: Terminal) -> None:
    if preview.head:
        out.say("questions.head")
        for remark in preview.head:
            out.line(f"  {one_line(_said(remark, out))}")
    for row in preview.rows:
        _print_row(row, out)
    counts = {verdict: preview.count(verdict) for verdict in ("taken", "remarked", "refused")}
    out.say("questions.preview", questions=_n("questions", len(preview.questions.questions), out), **counts)
    if preview.without_gold:
        out.line(_n("without_gold", preview.without_gold, out))
    _print_states(preview.states, out)


def _print_row(row: Row, out: Terminal) -> None:
    verdict = out.words.word("questions.verdict", row.verdict)
    label = " · ".join(part for part in (one_line(row.id), one_line(row.text, _SHOWN_TEXT)) if part)
    line = out.words.t("cli.questions.line", line=row.line, verdict=verdict)
    out.line(f"{line}   {label}".rstrip())
    for remark in row.remarks:
        out.line(f"    {one_line(_said(remark, out))}")


def _print_written(path: Path | None, saved: Loaded | None, out: Terminal) -> None:
    if saved is not None:
        out.say("questions.written", file=path, questions=_n("questions", len(saved.questions.questions), out))
    else:
        out.say("questions.nothing" if path else "questions.shown")


# --- export -----------------------------------------------------------------------------------------------------------------


def hand_on(args: argparse.Namespace, out: Terminal) -> int:
    """Write a set in another form, and say what that form does not hold."""
    from retrieval.evaluation.formats import FORMATS
    from retrieval.evaluation.formats.preview import lost
    from retrieval.evaluation.sets import load

    known = [name for name, one in FORMATS.items() if one.write]
    name = _format(args.format, args.output, known)
    export_command.check(args.output, args.force)
    questions = load(args.set_file).questions
    write = FORMATS[name].write
    data = write(questions) if write else b""
    missing = lost(questions, FORMATS[name].holds)
    export_command.write(args.output, data, force=args.force)
    if out.as_json:
        out.json({"file": str(args.output), "format": name, "bytes": len(data), "lost": list(missing)})
        return 0
    out.say("questions.exported", file=args.output, size=out.words.whole(len(data)))
    if missing:
        out.say("questions.lost", fields="; ".join(out.words.word("questions.field", field) for field in missing))
    return 0


# --- list and history -------------------------------------------------------------------------------------------------------


class Listed(msgspec.Struct, frozen=True):
    """One set in a list. ``hash`` is that of its file."""

    file: str
    name: str
    questions: int
    without_gold: int
    chains: int
    hash: str
    versions: int


def show(args: argparse.Namespace, out: Terminal) -> int:
    """List sets; a file that was named and is none is said, and gives exit code 1. In a folder only sets are looked at."""
    found: list[Listed] = []
    failed: dict[str, str] = {}
    for path in args.paths or [Path()]:
        for file in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
            try:
                found.append(_listed(file))
            except BadInput as error:
                if not path.is_dir():
                    failed[str(file)] = str(error)
    if out.as_json:
        out.json({"sets": msgspec.to_builtins(found), "failed": failed})
    elif found:
        head = [out.words.t(f"cli.questions.{name}") for name in ("file", "name", "count", "empty", "chains", "hash", "versions")]
        out.table([msgspec.structs.astuple(one) for one in found], head)
    elif not failed:
        out.say("questions.none")
    for name, reason in failed.items() if not out.as_json else ():
        out.complain(out.words.t("cli.questions.no_set", file=name, reason=one_line(reason)))
    return 1 if failed else 0


def _listed(file: Path) -> Listed:
    from retrieval.evaluation import sets

    loaded = sets.load(file)
    questions = loaded.questions.questions
    if not questions:
        raise BadInput(f"{file.name}: found no question; expected a set with [[question]] entries. Name another file.")
    without, chains = sum(not one.needs for one in questions), sum(one.chain for one in questions)
    return Listed(str(file), loaded.questions.name, len(questions), without, chains, loaded.seen[:_HASH], len(sets.history(file)))


def history(args: argparse.Namespace, out: Terminal) -> int:
    """Show the kept versions of a set, the newest first, or let one count again."""
    from retrieval.evaluation import sets

    if args.restore:
        restored = sets.restore(args.set_file, args.restore, _seen(args.set_file))
        if out.as_json:
            out.json({"file": str(args.set_file), "hash": restored.seen, "questions": len(restored.questions.questions)})
        else:
            out.say("questions.restored", hash=restored.seen[:_HASH], questions=_n("questions", len(restored.questions.questions), out))
        return 0
    kept = sets.history(args.set_file)
    if out.as_json:
        out.json(msgspec.to_builtins(kept))
    elif kept:
        out.table([(one.time, one.hash) for one in kept], [out.words.t("cli.questions.time"), out.words.t("cli.questions.hash")])
    else:
        out.say("questions.no_versions")
    return 0


def _seen(path: Path) -> str:
    """The hash of what is there, which may be no set any more: that is why an older version is wanted."""
    from retrieval.evaluation.sets import file_hash

    return file_hash(path.read_bytes()) if path.exists() else ""

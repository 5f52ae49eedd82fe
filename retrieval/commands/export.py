"""``fundstelle export``: a run as a file that can be handed on."""

from __future__ import annotations

import argparse
import os
import tempfile
from datetime import date
from pathlib import Path

from retrieval.commands import asking
from retrieval.commands import settings as settings_command
from retrieval.commands.ask import valid_question
from retrieval.commands.terminal import CliWords, Terminal
from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.exports.files import KINDS, export


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle export``."""
    parser.add_argument("question", metavar="FRAGE", help=words.t("cli.help.question"))
    parser.add_argument("--kind", choices=tuple(KINDS), required=True, help=words.t("cli.help.export_kind"))
    parser.add_argument("--output", type=Path, metavar="DATEI", help=words.t("cli.help.export_output"))
    parser.add_argument("--force", action="store_true", help=words.t("cli.help.export_force"))
    asking.add_options(parser, words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Ask, decide and write the file; exit code 1 when a part of the run failed or a corpus in stock could not be asked."""
    settings = settings_command.chosen(args.settings, args.set)
    question = valid_question(args.question)
    if args.output:
        check(args.output, args.force)  # before the question is asked: nobody waits for a refusal
    federation = asking.opened(args)
    trace = decide(federation.gather(question, settings), settings)
    file = export(args.kind, trace, out.words, date.today())
    path: Path = args.output or Path(file.name)
    write(path, file.data, force=args.force)
    if out.as_json:
        out.json({"file": str(path), "kind": args.kind, "mime": file.mime, "bytes": len(file.data), "partial": trace.partial})
    else:
        out.say("export.written", file=path, size=out.words.whole(len(file.data)))
    return asking.told(federation, trace.partial, out)


def check(path: Path, force: bool) -> None:
    """Raises BadInput where nothing may or can be written."""
    if path.is_dir():
        raise BadInput(f"--output: found the folder {path}, expected a file. Add a file name.")
    if not path.parent.is_dir():
        raise BadInput(f"--output: found no folder {path.parent}; expected one that exists. Make it first, or name another one.")
    if path.exists() and not force:
        raise BadInput(f"--output: found a file {path}; expected a new one. Name another file, or replace this one with --force.")


def write(path: Path, data: bytes, *, force: bool) -> None:
    """Write the whole file or nothing; a file that is there is replaced only with ``force``. Raises BadInput and OSError."""
    check(path, force)
    handle, name = tempfile.mkstemp(prefix=".fundstelle-", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(0o644)
        if force:
            new.replace(path)
        else:
            _link(new, path)
    finally:
        new.unlink(missing_ok=True)


def _link(new: Path, path: Path) -> None:
    """Put the file in its place unless something came there meanwhile."""
    try:
        os.link(new, path)
    except FileExistsError:
        check(path, force=False)
    except OSError:  # a file system without hard links
        check(path, force=False)
        new.replace(path)

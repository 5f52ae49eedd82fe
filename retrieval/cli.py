"""``fundstelle``: the command line. German by default, English with ``--lang en``, every command with ``--json``.

Exit codes: 0 done · 1 done in part, or findings · 2 nothing done, the reason stands on stderr · 130 interrupted.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NoReturn

from retrieval.commands import (
    anchors,
    ask,
    breakpoints,
    cites,
    compare,
    corpora,
    decisions,
    evaluate,
    export,
    questions,
    serve,
    settings,
    sweep,
    tour,
    why,
)
from retrieval.commands.terminal import AddParser, CliWords, Terminal
from retrieval.errors import FundstelleError
from retrieval.words import LANGUAGES

COMMANDS: dict[str, AddParser | dict[str, AddParser]] = {
    "corpora": corpora.PARSERS,
    "ask": ask.add_parser,
    "export": export.add_parser,
    "why": why.add_parser,
    "breakpoints": breakpoints.add_parser,
    "compare": compare.add_parser,
    "questions": questions.PARSERS,
    "evaluate": evaluate.add_parser,
    "sweep": sweep.add_parser,
    "decisions": decisions.PARSERS,
    "serve": serve.add_parser,
    "cites": cites.add_parser,
    "norm": cites.add_norm_parser,
    "anchors": anchors.PARSERS,
    "settings": settings.add_parser,
    "tour": tour.add_parser,
}

_NOTHING_DONE = 2
_INTERRUPTED = 130

# The sentences of the library's own parser, which speaks English only.
_GERMAN = {
    "the following arguments are required": "es fehlt",
    "unrecognized arguments": "unbekannt",
    "expected one argument": "hier fehlt ein Wert",
    "expected at least one argument": "hier fehlt mindestens ein Wert",
    "invalid choice": "unbekannte Wahl",
    "choose from": "möglich",
    "invalid int value": "keine ganze Zahl",
    "not allowed with argument": "nicht zusammen mit",
    "argument ": "",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    args = arguments(given)
    out = Terminal(args.lang, as_json=args.json)
    logging.getLogger("retrieval").addHandler(logging.NullHandler())  # what is logged stands in the output already
    try:
        code: int = args.run(args, out)
        sys.stdout.flush()
        return code
    except (FundstelleError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone, as with "| head"
            return 0
        out.error(error)
        return _NOTHING_DONE
    except KeyboardInterrupt:
        out.complain(out.words.t("cli.interrupted"))
        return _INTERRUPTED


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command; ``run`` is the function that carries it out. Ends the program when they do not fit."""
    return _parser(CliWords(_language(given))).parse_args(given)


def _language(given: Sequence[str]) -> str:
    """The language is needed before the arguments are read, for the help and for what is wrong with them."""
    early = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    early.add_argument("--lang", choices=LANGUAGES, default=LANGUAGES[0])
    try:
        return str(early.parse_known_args(given)[0].lang)
    except argparse.ArgumentError:
        return LANGUAGES[0]


class _Parser(argparse.ArgumentParser):
    """The library's parser with headings and complaints in the user's language."""

    def __init__(self, *, words: CliWords, **kwargs: Any) -> None:
        super().__init__(add_help=False, allow_abbrev=False, formatter_class=_formatter(words), **kwargs)
        self.words = words
        self._positionals.title = words.t("cli.help.arguments")
        self._optionals.title = words.t("cli.help.options")
        self.add_argument("-h", "--help", action="help", help=words.t("cli.help.help"))

    def error(self, message: str) -> NoReturn:
        for english, german in _GERMAN.items() if self.words.language == "de" else ():
            message = message.replace(english, german)
        Terminal(self.words.language).complain(self.words.t("cli.usage_error", detail=message, program=self.prog))
        raise SystemExit(_NOTHING_DONE)


def _formatter(words: CliWords) -> type[argparse.HelpFormatter]:
    class Formatter(argparse.HelpFormatter):
        def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
            super().add_usage(usage, actions, groups, words.t("cli.help.usage") if prefix is None else prefix)

    return Formatter


def _parser(words: CliWords) -> argparse.ArgumentParser:
    parser = _Parser(words=words, prog="fundstelle", description=words.t("cli.help.about"))
    parser.add_argument("--version", action="version", version=f"fundstelle {_version()}", help=words.t("cli.help.version"))
    _common(parser, words, defaults=True)
    commands = parser.add_subparsers(title=words.t("cli.help.commands"), metavar=words.t("cli.help.command"), required=True)
    for name, found in COMMANDS.items():
        sub = commands.add_parser(name, words=words, help=words.t(f"cli.help.{name}"))
        if callable(found):
            _common(sub, words)
            found(sub, words)
        else:
            actions = sub.add_subparsers(title=words.t("cli.help.commands"), metavar=words.t("cli.help.command"), required=True)
            for action, add_parser in found.items():
                leaf = actions.add_parser(action, words=words, help=words.t(f"cli.help.{name}_{action}"))
                _common(leaf, words)
                add_parser(leaf, words)
    return parser


def _common(parser: argparse.ArgumentParser, words: CliWords, *, defaults: bool = False) -> None:
    """The options of every command; they may stand before or after it, so only the first parser sets their defaults."""

    def default(value: object) -> object:
        return value if defaults else argparse.SUPPRESS

    parser.add_argument("--index", type=Path, metavar="ORDNER", default=default(None), help=words.t("cli.help.index"))
    parser.add_argument("--lang", choices=LANGUAGES, default=default(LANGUAGES[0]), help=words.t("cli.help.lang"))
    parser.add_argument("--json", action="store_true", default=default(False), help=words.t("cli.help.json"))


def _version() -> str:
    try:
        return version("fundstelle")
    except PackageNotFoundError:
        return "(nicht installiert)"


if __name__ == "__main__":
    sys.exit(main())

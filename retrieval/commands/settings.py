"""``fundstelle settings``: every setting with its range, default and sentence; as a table, as TOML, as Markdown."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from retrieval.commands.terminal import CliWords, Terminal
from retrieval.errors import BadInput
from retrieval.knobs import Knob
from retrieval.settings import KNOBS, Settings


def add_options(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """``--set name=value`` and ``--settings FILE``, for every command that runs a question."""
    parser.add_argument("--set", action="append", default=[], metavar="NAME=WERT", help=words.t("cli.help.set"))
    parser.add_argument("--settings", type=Path, metavar="DATEI", help=words.t("cli.help.settings_file"))


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle settings``."""
    add_options(parser, words)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--toml", action="store_true", help=words.t("cli.help.toml"))
    form.add_argument("--markdown", action="store_true", help=words.t("cli.help.markdown"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Print the settings."""
    settings = chosen(args.settings, args.set)
    if out.as_json:
        out.json(settings.flat())
    elif args.toml:
        out.line(settings.to_toml().rstrip())
    elif args.markdown:
        out.line(markdown(out.words))
    else:
        table(settings, out)
    return 0


def chosen(file: Path | None, pairs: Sequence[str]) -> Settings:
    """The settings of a TOML file, changed by ``name=value`` pairs. Raises BadInput."""
    settings = Settings.from_toml(_text(file)) if file else Settings()
    values: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--set: found {pair[:40]!r}, expected NAME=WERT, for example --set verweis_score=0.97.")
        values[name.strip()] = value
    return settings.changed(values)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{file}: found text that is not UTF-8; expected a TOML file. Save it as UTF-8.") from None


def table(settings: Settings, out: Terminal) -> None:
    """The settings on a terminal: value, default, range, and the sentence below each name."""
    for knob in KNOBS.values():
        value, default = (out.words.value(found) for found in (settings.value(knob.name), knob.default))
        mark = "" if value == default else " " + out.words.t("cli.settings.default", value=default)
        out.line(f"{knob.name} = {value}{mark}   [{bounds(knob, out.words)}]")
        out.line(f"    {sentence(knob, out.words)}")


def markdown(words: CliWords) -> str:
    """The settings as a Markdown table: name, default, range, what it does, and whether a change asks the corpora again."""
    head = [words.t(f"cli.settings.{column}") for column in ("name", "value", "range", "meaning", "scope")]
    rows = (
        [f"`{knob.name}`", words.value(knob.default), bounds(knob, words), sentence(knob, words), scope(knob, words)]
        for knob in KNOBS.values()
    )
    return "\n".join(_row(row) for row in (head, ["---"] * len(head), *rows))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def bounds(knob: Knob, words: CliWords) -> str:
    """The values that a setting can have, with its step."""
    if knob.kind == "choice":
        return ", ".join(knob.choices)
    low, high, step = (words.value(float(number)) for number in (knob.low, knob.high, knob.step))
    return words.t("cli.settings.bounds", low=low, high=high, step=step)


def sentence(knob: Knob, words: CliWords) -> str:
    """What a setting does."""
    return knob.de if words.language == "de" else knob.en


def scope(knob: Knob, words: CliWords) -> str:
    """Whether a change re-ranks or asks again."""
    return words.t(f"cli.settings.{knob.scope}")

"""The terminal: words in one language, tables, JSON, and no control characters out of anybody's text."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from retrieval.errors import FundstelleError
from retrieval.model import Address, Chunk, CorpusSpec, Target
from retrieval.words import Words

INDEX = "FUNDSTELLE_INDEX"
ANCHORS = "FUNDSTELLE_ANCHORS"
QUESTIONS = "FUNDSTELLE_QUESTIONS"
TOUR = "FUNDSTELLE_TOUR"
TUNING = "FUNDSTELLE_TUNING"
RERANKER = "FUNDSTELLE_RERANKER"
DEFAULT_INDEX = Path("fundstelle-index")

# Control characters could move the cursor or colour the screen; direction marks could show a text in another order than it has.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def plain(text: object) -> str:
    """``text`` without control characters and direction marks; tabs and line ends stay."""
    return _CONTROLS.sub(" ", str(text))


def one_line(text: object, length: int = 0) -> str:
    """``text`` on one line, cut with an ellipsis after ``length`` characters (0: whole)."""
    line = " ".join(plain(text).split())
    return line if not length or len(line) <= length else line[: length - 1].rstrip() + "…"


class CliWords(Words):
    """The message catalogue with the command line's own sentences (``cli.…``)."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        text = files("retrieval.commands").joinpath(f"{language}.toml").read_text("utf-8")
        own = {f"cli.{name}": sentence for name, sentence in tomllib.loads(text).items()}
        self.catalogue = {**self.catalogue, **own}

    def value(self, value: object) -> str:
        """A setting's value: fractions with the language's decimal sign and no more digits than they have."""
        return f"{value:g}".replace(".", "," if self.language == "de" else ".") if isinstance(value, float) else str(value)


AddParser = Callable[[argparse.ArgumentParser, CliWords], None]
"""Adds the options of one command to its parser, and the function that runs it as ``run``."""


class Terminal:
    """Where a command writes: sentences and tables, or one JSON value with ``as_json``."""

    def __init__(self, language: str = "de", *, as_json: bool = False) -> None:
        self.words = CliWords(language)
        self.as_json = as_json
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that has no "§" shows "?" and does not end the program

    def line(self, text: object = "") -> None:
        """One or more lines of text."""
        sys.stdout.write(plain(text) + "\n")

    def say(self, key: str, **values: object) -> None:
        """A sentence of the catalogue's own part for the command line."""
        self.line(self.words.t(f"cli.{key}", **values))

    def head(self, key: str, **values: object) -> None:
        """A heading with a blank line before it."""
        self.line()
        self.say(key, **values)

    def table(self, rows: Iterable[Sequence[object]], head: Sequence[str] = (), indent: int = 2) -> None:
        """Rows in columns as wide as their widest cell."""
        cells = [[one_line(cell) for cell in row] for row in ((head, *rows) if head else rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.line(" " * indent + "  ".join(padded).rstrip())

    def json(self, value: Any) -> None:
        """One JSON value; what could steer a terminal is written as an escape."""
        encoded = value if isinstance(value, bytes) else msgspec.json.encode(value)
        text = msgspec.json.format(encoded, indent=1).decode()
        escaped = _CONTROLS.sub(lambda found: "".join(f"\\u{ord(sign):04x}" for sign in found.group()), text)
        sys.stdout.write(escaped + "\n")

    def error(self, error: FundstelleError | OSError, subject: str = "") -> None:
        """One sentence on stderr: what kind of error it is in the user's language, then what was found, expected, and helps."""
        kinds = (f"cli.error.{kind.__name__}" for kind in type(error).__mro__)
        kind = next((self.words.t(key) for key in kinds if key in self.words.catalogue), type(error).__name__)
        self.complain(": ".join(part for part in (subject, kind, str(error)) if part))

    def complain(self, text: str) -> None:
        """A sentence on stderr; what it lists stands on lines of its own."""
        sys.stdout.flush()
        sys.stderr.writelines(one_line(line) + "\n" for line in text.splitlines())


def index_folder(given: Path | None) -> Path:
    """The index folder: as given, else the environment's, else ``fundstelle-index`` here."""
    return given or Path(os.environ.get(INDEX) or DEFAULT_INDEX)


def anchors_file(given: Path | None) -> Path | None:
    """The anchor register: as given, else the environment's, else none."""
    named = os.environ.get(ANCHORS)
    return given or (Path(named) if named else None)


def short_name(spec: CorpusSpec | None, corpus_id: str) -> str:
    """The name under which a corpus is cited: the first of the names that people use, else its title."""
    return (spec.names[0] if spec.names else spec.title) if spec and (spec.names or spec.title) else corpus_id


def address(place: Chunk | Address | Target, specs: Mapping[str, CorpusSpec]) -> str:
    """An address as it is cited: ``§ 10 Abs. 2 Anlage 11 Abgabevertrag``; the corpus's main container is not named."""
    spec = specs.get(place.corpus_id)
    subsection = f"Abs. {place.subsection}" if place.subsection else ""
    container = "" if spec and place.container_id == spec.default_container_id else place.container_id
    parts = (place.section_id, subsection, container, short_name(spec, place.corpus_id))
    return one_line(" ".join(part for part in parts if part))

"""Fingerprints of a run: short hashes of what it rests on, for a link, for an export, and to compare it with what runs in production."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import msgspec

from retrieval.errors import BadInput
from retrieval.settings import RERANKING, Settings
from retrieval.trace import Trace

PRODUCTION = "FUNDSTELLE_PRODUCTION"
"""The environment names the file with the fingerprints of production here."""

_DIGITS = 10
_HASH = re.compile(f"[0-9a-f]{{{_DIGITS}}}")
_TABLE = "production"
# What only speaks, draws, measures or writes files changes no list; a better sentence is no other program.
_FACES = {"cli.py", "commands", "evaluation", "exports", "inspector", "tours.py", "words"}
_SUFFIXES = (".py", ".toml", ".tsv")


class Fingerprint(msgspec.Struct, frozen=True):
    """Short hashes (10 hex digits) of what a run rests on; empty: not stated."""

    code: str = ""
    index: str = ""
    model: str = ""
    anchors: str = ""
    settings: str = ""

    @classmethod
    def of(cls, trace: Trace) -> Fingerprint:
        """The fingerprint of a run that this program made: the trace's stamps, the searching code, and the settings in force.

        The settings are all values, those of a reranker only while it is switched on, the length of the list, and the stages that were
        left out on purpose. The model is that of the encoder, with the reranker where one has scored.
        """
        stamps = trace.stamps
        settings = f"{_said(trace.settings)}limit = {trace.limit}\nwithout = {','.join(trace.without)}\n"
        code = f"{stamps.code}\n{code_hash()}" if stamps.code else ""
        return cls(*(_short(text) for text in (code, stamps.index, stamps.version("model"), stamps.anchors, settings)))

    def text(self) -> str:
        """The fingerprint as it stands in a link: ``c=1a2b3c4d5e.i=….m=….a=….s=…``."""
        return ".".join(f"{name[0]}={getattr(self, name)}" for name in PARTS)

    @classmethod
    def read(cls, text: str) -> Fingerprint | None:
        """The fingerprint that ``text`` means; None for what is none, nothing from a link is believed."""
        pairs = dict(part.partition("=")[::2] for part in text.split("."))
        if pairs.keys() != {name[0] for name in PARTS} or any(found and not _HASH.fullmatch(found) for found in pairs.values()):
            return None
        return cls(**{name: pairs[name[0]] for name in PARTS})

    def to_toml(self) -> str:
        """The fingerprint as the file that ``same_as`` reads."""
        return f"[{_TABLE}]\n" + "".join(f'{name} = "{getattr(self, name)}"\n' for name in PARTS)


PARTS: tuple[str, ...] = Fingerprint.__struct_fields__
"""The parts of a fingerprint; their first letters differ."""


def _said(settings: Settings) -> str:
    """The settings as a table; what acts only while the reranker is switched on stands in it only then."""
    lines = settings.to_toml().splitlines(keepends=True)
    return "".join(line for line in lines if settings.reranking or line.partition(" = ")[0] not in RERANKING)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS] if text else ""


@cache
def code_hash() -> str:
    """A hash of the code and data in this program that can change a list, as they were when it was first asked for."""
    digest = hashlib.sha256()
    for name, data in _sources(files("retrieval")):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _sources(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir() and item.name not in _FACES:
            yield from _sources(item, f"{path}{item.name}/")
        elif item.name.endswith(_SUFFIXES) and item.name not in _FACES:
            yield path + item.name, item.read_bytes().replace(b"\r\n", b"\n")


# --- comparing ----------------------------------------------------------------------------------------------------------

Verdict = Literal["same", "different", "unknown"]


class Line(msgspec.Struct, frozen=True):
    """One part in two fingerprints. ``unknown``: at least one of the two does not state it, so nothing is claimed."""

    part: str
    there: str
    here: str
    verdict: Verdict


def lines(there: Fingerprint, here: Fingerprint) -> tuple[Line, ...]:
    """Two fingerprints, part by part."""
    return tuple(_line(part, getattr(there, part), getattr(here, part)) for part in PARTS)


def _line(part: str, there: str, here: str) -> Line:
    if part == "anchors" and not there and not here:
        return Line(part, there, here, "same")  # no register is stated by its absence
    return Line(part, there, here, "unknown" if not there or not here else "same" if there == here else "different")


def differences(seen: Fingerprint, now: Fingerprint) -> tuple[str, ...]:
    """The parts that are not the same in both: another one, or stated in one of them only."""
    return tuple(part for part in PARTS if getattr(seen, part) != getattr(now, part))


Answer = Literal["yes", "no", "not_stated", "unreadable"]


class Comparison(msgspec.Struct, frozen=True):
    """Whether a run is the same as production.

    ``not_stated``: no file was named, there is none at ``path``, or a part is stated on one side only while no other differs.
    ``unreadable``: the file is there and holds no fingerprints; ``error`` says why.
    """

    answer: Answer
    lines: tuple[Line, ...] = ()
    path: str = ""
    error: str = ""


def same_as(production: Path | None, now: Fingerprint) -> Comparison:
    """Whether a run is the same as what the production file states, part by part."""
    if production is None:
        return Comparison("not_stated")
    if not production.is_file():
        return Comparison("not_stated", path=str(production))
    try:
        there = production_of(production)
    except (BadInput, OSError) as error:
        return Comparison("unreadable", path=str(production), error=str(error))
    found = lines(there, now)
    verdicts = {line.verdict for line in found}
    answer: Answer = "no" if "different" in verdicts else "not_stated" if "unknown" in verdicts else "yes"
    return Comparison(answer, found, str(production))


def production_of(path: Path) -> Fingerprint:
    """The fingerprints in a production file. Raises BadInput for a file that is none, and OSError."""
    wanted = f"Expected a TOML file with a table [{_TABLE}]; write it with: fundstelle export --kind production"
    try:
        table: Any = tomllib.loads(path.read_text("utf-8")).get(_TABLE)
    except ValueError as error:
        raise BadInput(f"{path}: found text that is no TOML ({error}). {wanted}.") from None
    if not isinstance(table, dict):
        raise BadInput(f"{path}: found no table [{_TABLE}]. {wanted}.")
    found = {part: table.get(part, "") for part in PARTS}
    wrong = [part for part, value in found.items() if not isinstance(value, str) or (value and not _HASH.fullmatch(value))]
    if wrong or not any(found.values()):
        named = ", ".join(wrong) or "nothing stated"
        raise BadInput(f"{path}: found no fingerprint of {_DIGITS} hex digits ({named}). {wanted}.")
    return Fingerprint(**found)

"""What every reader hands over: norms with their Absätze, and a report of what was found on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from retrieval.model import CorpusSpec


class Paragraph(Struct, frozen=True):
    """One Absatz. ``subsection`` is its number without parentheses, empty if the norm has no numbered Absätze."""

    subsection: str
    text: str


class ReadNorm(Struct, frozen=True):
    """One norm with its text in the order of the source.

    ``section_id`` is whole and carries its unit. ``path`` names the structure above the norm, outermost first. A repealed
    norm has the words of the source as its text, such as ``(weggefallen)``.
    """

    section_id: str
    heading: str
    paragraphs: tuple[Paragraph, ...]
    container_id: str = ""
    path: tuple[str, ...] = ()
    repealed: bool = False
    stand: str = ""


class Oddity(Struct, frozen=True):
    """Something a person should look at: a stable snake_case ``code``, an address or a line, and a sentence."""

    code: str
    where: str
    detail: str


class ReadReport(Struct, frozen=True):
    """Counts over one corpus. ``empty`` names the norms with a heading and no text that are not repealed."""

    norms: int
    paragraphs: int
    tables_found: int
    tables_kept: int
    pictures: int
    footnotes: int
    repealed: int
    empty: tuple[str, ...]
    oddities: tuple[Oddity, ...]


class ReadCorpus(Struct, frozen=True):
    """A body of rules as it was read: what it says about itself, its norms and the report."""

    spec: CorpusSpec
    norms: tuple[ReadNorm, ...]
    report: ReadReport


class Reader(Struct, frozen=True):
    """One format. ``accepts`` sees path and first bytes; ``read`` gets path, manifest and overrides, and raises BadSource."""

    name: str
    accepts: Callable[[Path, bytes], bool]
    read: Callable[[Path, Path | None, Mapping[str, Any]], ReadCorpus]

"""What a heading line of a rule text says: a norm, a container with its own numbering, or a level of structure."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from retrieval.readers.sections import plain, read_label, section_id

_NUMBER = r"\d+(?:[a-z]{1,2}|\s[a-z])?(?![^\W\d_])"
_GLUE = r"\s*(?:,|;|\bund\b|\bu\.|\bbis\b|–|-)\s*"
_MARK = re.compile(r"^\(?X{2,}\)?\s*(?=§|Art|Anl)")
_ONE = re.compile(rf"^(§|Artikel|Art\.?|Ziffer|Ziff\.)\s*((?:\d+\.)+\d+|{_NUMBER})(?![\d.]*\d)\s*(.*)$")
_MANY = re.compile(rf"^((?:§§|Artikel|Art\.?|Anlagen?)\s*{_NUMBER}(?:{_GLUE}{_NUMBER})+)\s*(.*)$")
_ANNEX = re.compile(r"^(Anlage|Anhang)(?:\s+(\d+(?:[a-z]\b)?|[IVXLC]+(?:\s?[a-z]\b)?|[A-Z]\b|EV\b))?(?!\w)\s*(.*)$")
_DECIMAL = re.compile(r"^(\d+(?:\.\d+)*)(?!\.?\d)\s+(\S.*)$")
_ALONE = re.compile(
    r"^(Präambel|Eingangsformel|Schlu(?:ss|ß)formel|Inhaltsübersicht|Inhaltsverzeichnis|Vorbemerkung(?:en)?|Protokollnotiz(?:en)?)\b[:.]?\s*(.*)$"
)
_LEVELS = {"buch": 1, "teil": 1, "kapitel": 2, "abschnitt": 3, "unterabschnitt": 4, "titel": 4, "untertitel": 5}
_ORDINAL = r"(?:\d+\.|[IVXLC]+\.|(?:Erst|Zweit|Dritt|Viert|Fünft|Sechst|Sieb(?:en)?t|Acht|Neunt|Zehnt|Elft|Zwölft)e[rs]?)"
_STRUCTURE = re.compile(
    rf"^(?:{_ORDINAL}\s+)?(Buch|Teil|Kapitel|Abschnitt|Unterabschnitt|Titel|Untertitel)(?:\s+(?:\d+[a-z]?|[IVXLC]+|[A-Z]))?(?:\b\W*(.*))?$"
)
_REFERENCE = re.compile(
    r"^(?:Abs\.|Absatz|Absätze|Satz|Sätze|S\.|Nr\.|Nummer|Nrn\.|Buchst|Buchstabe|Unterabs|Halbs|Alt\.|ff?\.|[IVX]+\b(?!\.)|[A-ZÄÖÜ][A-Za-zäöü]*[A-Z]\b)"
)


class Heading(Struct, frozen=True):
    """One heading: the ids it names (one, or all of a range; none for structure), its title and its level from 1 (outermost).

    ``depth`` orders structure of one level by its word: a Kapitel stands below a Buch though both have one ``#``.
    """

    kind: Literal["norm", "container", "structure"]
    ids: tuple[str, ...]
    title: str
    level: int = 1
    depth: int = 0


def read_heading(text: str, level: int, default_container: str = "") -> Heading:
    """What a line that is known to be a heading says. In a corpus with containers an annex is a container, else a norm."""
    words = plain(text)
    container = _container(words, level, default_container) if default_container else None
    return container or norm_heading(words, level) or Heading("structure", (), words, level, _depth(words))


def _depth(words: str) -> int:
    match = _STRUCTURE.match(words)
    return _LEVELS[match.group(1).lower()] if match else 0


def norm_heading(text: str, level: int = 1) -> Heading | None:
    """The norm that this heading opens, or None."""
    words = _MARK.sub("", plain(text))
    many = _MANY.match(words)
    if many:
        return Heading("norm", read_label(many.group(1)).ids, _title(many.group(2)), level)
    one = _ONE.match(words)
    if one:
        return Heading("norm", (section_id(one.group(1), one.group(2)),), _title(one.group(3)), level)
    annex, alone, decimal = _ANNEX.match(words), _ALONE.match(words), _DECIMAL.match(words)
    if annex:
        return Heading("norm", (_annex_id(annex),), _title(annex.group(3)), level)
    if alone:
        return Heading("norm", (alone.group(1),), _title(alone.group(2)), level)
    if decimal and not _STRUCTURE.match(words):
        return Heading("norm", (f"Ziffer {decimal.group(1)}",), _title(decimal.group(2)), level)
    return None


def _container(words: str, level: int, default: str) -> Heading | None:
    annex = _ANNEX.match(words)
    if annex:
        return Heading("container", (_annex_id(annex),), _title(annex.group(3)), level)
    if re.match(rf"{re.escape(default)}\s*(?:$|[:–—-])", words):
        return Heading("container", (default,), _title(words[len(default) :]), level)
    return None


def _annex_id(match: re.Match[str]) -> str:
    return " ".join(part for part in (match.group(1), "".join((match.group(2) or "").split())) if part)


def _title(rest: str) -> str:
    return re.sub(r"^[.:–—-]\s*", "", rest).strip()


def plain_heading(line: str, default_container: str, apart: bool) -> Heading | None:
    """The heading that a line without ``#`` is, or None for running text. ``apart`` says that an empty line stands before it."""
    words = plain(line)
    structure = _STRUCTURE.match(words)
    if structure and apart and is_title(structure.group(2) or ""):
        return Heading("structure", (), words, 1, _depth(words))
    heading = (_container(words, 0, default_container) if default_container else None) or norm_heading(words)
    if heading is None or not is_title(heading.title):
        return None
    if heading.kind == "norm" and heading.ids[0].startswith("§"):
        return heading
    return heading if apart and (heading.title or heading.kind == "container" or not words[0].isdigit()) else None


def is_title(words: str) -> bool:
    """Whether these words can be a title: not a reference going on (``Abs. 2``), not a sentence, not cut off."""
    if not words:
        return True
    if words.startswith("("):
        return words.endswith(")") and not re.match(r"\(\d", words)
    return words[0].isupper() and len(words) <= 240 and words[-1] not in ".,;" and not _REFERENCE.match(words)


def decimal_parts(section: str) -> tuple[int, ...]:
    """``Ziffer 4.10`` as (4, 10); empty for other sections."""
    match = re.fullmatch(r"Ziffer (\d+(?:\.\d+)*)", section)
    return tuple(int(part) for part in match.group(1).split(".")) if match else ()

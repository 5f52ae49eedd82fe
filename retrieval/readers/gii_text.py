"""From the elements of the official XML to readable lines: lists one item a line, tables one row a line, no glued words."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from msgspec import Struct

from retrieval.readers.sections import plain

PICTURE = "[Abbildung]"
CELL = " | "

_INLINE = frozenset(["B", "I", "U", "SP", "NB", "small", "LA", "noindex", "an", "ins", "del", "Citation", "Revision", "Split"])
_BLOCKS = frozenset(["P", "Content", "TOC", "Title", "Subtitle", "DL", "kommentar", "pre", "Ident", "Footnote"])
_HEADS = frozenset(["titel", "enbez", "langue", "kurzue", "jurabk", "amtabk", "standkommentar"])
_SILENT = frozenset(["FnArea", "ABWFORMAT", "colspec", "spanspec"])
_PICTURES = frozenset(["IMG", "FILE", "VIDEO", "AUDIO"])
_UP = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_DOWN = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_SPACES = re.compile(r"[ \t\r\n]+")


class Counts(Struct):
    """What was met while rendering; the one mutable tally of a reading."""

    tables_found: int = 0
    tables_kept: int = 0
    pictures: int = 0
    footnotes: int = 0
    unknown: list[str] = []


class Lines:
    """A page being written: words run on, ``line`` starts a new one, blanks never double."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.footnotes: list[str] = []
        self._parts: list[str] = []

    def words(self, text: str | None) -> None:
        """Adds running text; ordinary blanks collapse, no-break blanks and hyphens stay."""
        if text:
            self._parts.append(_SPACES.sub(" ", text))

    def line(self) -> None:
        """Starts a new line, unless one has just been started."""
        self._parts.append("\n")

    def ends_open(self) -> bool:
        """Whether the next word would touch no other word."""
        last = next((part for part in reversed(self._parts) if part), "\n")
        return last[-1] in " \n\xa0"

    def text(self) -> str:
        """The page: no empty lines, no doubled or outer blanks."""
        lines = (re.sub(" {2,}", " ", line).strip(" ") for line in "".join(self._parts).split("\n"))
        return "\n".join(line for line in lines if line)


def render(element: Element, counts: Counts) -> tuple[str, tuple[str, ...]]:
    """The text of one element and the ids of the footnotes that it calls."""
    page = Lines(counts)
    _element(page, element)
    return page.text(), tuple(page.footnotes)


def one_line(element: Element | None) -> str:
    """The text of a heading on one line, line breaks as blanks, footnote signs left out; empty for None."""
    if element is None:
        return ""
    text, _ = render(element, Counts())
    return " ".join(text.split("\n"))


def _inside(page: Lines, element: Element) -> None:
    page.words(element.text)
    for child in element:
        _element(page, child)
        page.words(child.tail)


def _element(page: Lines, element: Element) -> None:
    tag = element.tag
    if not isinstance(tag, str) or tag in _SILENT:
        return
    special = _SPECIAL.get(tag)
    if special:
        special(page, element)
    elif tag in _PICTURES:
        page.counts.pictures += 1
        _apart(page, PICTURE)
    elif tag in _INLINE:
        _inside(page, element)
    else:
        if tag not in _BLOCKS and tag not in _HEADS and not tag.startswith("gliederungs"):
            page.counts.unknown.append(tag)
        page.line()
        _inside(page, element)
        page.line()


def _apart(page: Lines, words: str) -> None:
    page.words(words if page.ends_open() else " " + words)
    page.words(" ")


def _break(page: Lines, _: Element) -> None:
    page.line()


def _footnote_sign(page: Lines, element: Element) -> None:
    """The sign stays out of the sentence; the id says later whose footnote it is."""
    page.footnotes.append(element.get("ID", ""))


def _term(page: Lines, element: Element) -> None:
    page.line()
    _inside(page, element)
    page.words(" ")


def _definition(page: Lines, element: Element) -> None:
    """The parts of a DD follow its mark on the same line; further LA start their own."""
    page.words(element.text)
    for number, child in enumerate(element):
        if number and child.tag == "LA":
            page.line()
        _element(page, child)
        page.words(child.tail)


def _field(page: Lines, element: Element) -> None:
    if element.get("Value"):
        _apart(page, f"[{element.get('Value')}]")
    else:
        _inside(page, element)


def _superscript(page: Lines, element: Element) -> None:
    """A sentence number becomes a word of its own (``¹ Apotheken``); an exponent stays at its word (``m²``)."""
    text = plain("".join(element.itertext()))
    if not text.lstrip("+-").isdigit():
        page.words(text)
    elif element.get("class") == "Rec" or (page.ends_open() and text.isdigit()):
        _apart(page, text.translate(_UP))
    else:
        page.words(text.translate(_UP))


def _subscript(page: Lines, element: Element) -> None:
    text = plain("".join(element.itertext()))
    page.words(text.translate(_DOWN) if text.lstrip("+-").isdigit() else text)


def _table(page: Lines, element: Element) -> None:
    """Each row on one line, heading rows first, cells parted by a bar. Kept means: no cell with words was left out."""
    page.counts.tables_found += 1
    page.line()
    written = 0
    for child in element:
        if child.tag != "tgroup":
            _element(page, child)
            continue
        for part in ("thead", "tbody", "tfoot"):
            for row in child.iterfind(f"{part}/row"):
                cells = [_cell(page, entry) for entry in row.iterfind("entry")]
                written += len(cells)
                page.words(CELL.join(cells) if any(cells) else "")
                page.line()
    nested = {id(entry) for table in element.iter("table") if table is not element for entry in table.iter("entry")}
    page.counts.tables_kept += written == sum(id(entry) not in nested for entry in element.iter("entry"))


def _cell(page: Lines, entry: Element) -> str:
    inner = Lines(page.counts)
    _inside(inner, entry)
    page.footnotes.extend(inner.footnotes)
    return inner.text().replace("\n", " ")


_SPECIAL: dict[str, Any] = {
    "BR": _break,
    "FnR": _footnote_sign,
    "DT": _term,
    "DD": _definition,
    "F": _field,
    "SUP": _superscript,
    "SUB": _subscript,
    "table": _table,
}

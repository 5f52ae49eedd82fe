"""Markdown and plain text to readable lines: wrapped lines joined, one list item or table row a line, marks of markup gone."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from retrieval.readers.gii_text import CELL, PICTURE, Counts
from retrieval.readers.sections import subsections

_ROW = re.compile(r"^\s*\|(.*)\|\s*$")
_RULE = re.compile(r"^\s*:?-+:?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_LIST_ROW = re.compile(r"^\*\s{2,}\*(.*)$")
_LIST_CELL = re.compile(r"^\s{4}\*(.*)$")
_ITEM = re.compile(r"^\s*(?:[-*+•–—]|\d{1,3}[a-z]?[.)]|[a-z]{1,2}\)|[ivx]{1,4}\))\s+(?=\S)")
_NOTE = re.compile(r"^\[\^(\w+)\]:\s*")
_UP = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_INLINE = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), PICTURE),
    (re.compile(r"(?<!!)\[([^\]]+)\]\((?:https?:|#|mailto:|/)[^)\s]*\)"), r"\1"),
    (re.compile(r"\[\^\w+\]"), ""),
    (re.compile(r"<br\s*/?>", re.IGNORECASE), " "),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"\1"),
)
_SUPERSCRIPT = re.compile(r"<sup>\s*(\d+)\s*</sup>\s*(\w)?", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!=|<>~\"'&$%:;,/?@^])")


class Line(Struct, frozen=True):
    """One readable line. ``opens`` says that it opens a paragraph, an item or a row of its own in the source."""

    text: str
    opens: bool


def inline(text: str) -> str:
    """Running text without marks of markup; entities become their characters, a sentence number a word of its own."""
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    text = _SUPERSCRIPT.sub(_raised, text)
    text = html.unescape(_ESCAPE.sub(r"\1", text))
    return re.sub(r"[ \t]+", " ", text).strip(" \t")


def starts_line(text: str) -> bool:
    """Whether this line of the source starts a line of its own: a list item, a numbered Absatz or a table row."""
    return bool(_ITEM.match(text) or _ROW.match(text) or subsections(text))


def _raised(match: re.Match[str]) -> str:
    number, letter = match.group(1).translate(_UP), match.group(2) or ""
    return f"{number} {letter}" if letter else number


def readable(source: Sequence[str], counts: Counts) -> list[Line]:
    """The readable lines of the source lines of one norm."""
    lines: list[Line] = []
    join = False
    for row, text in _rows_joined(source, counts):
        words = inline(text)
        if not words:
            join = False
            continue
        counts.pictures += words.count(PICTURE)
        note = _NOTE.match(text.strip())
        opens = row or note is not None or not join or bool(_ITEM.match(text) or subsections(words))
        if note:
            counts.footnotes += 1
            words = f"[Fußnote {note.group(1)}] {inline(_NOTE.sub('', text.strip()))}"
        if opens:
            lines.append(Line(re.sub(r"^[*+] ", "• ", words), not join or row))
        else:
            lines[-1] = Line(f"{lines[-1].text} {words}", lines[-1].opens)
        join = not row and not text.endswith("  ")
    return lines


def _rows_joined(source: Sequence[str], counts: Counts) -> Iterable[tuple[bool, str]]:
    """Each source line, with whether it is a table row; rows have their cells parted by a bar, rules below a head are gone."""
    inside = False
    for line in _list_tables(source, counts):
        match = _ROW.match(line)
        if not match:
            inside = inside and not line.strip()
            yield False, line
            continue
        cells = [cell.strip() for cell in _BAR.split(match.group(1))]
        if not inside:
            counts.tables_found += 1
            counts.tables_kept += 1
        inside = True
        if any(cells) and not all(_RULE.match(cell) for cell in cells):
            yield True, CELL.join(inline(cell) for cell in cells)


def _list_tables(source: Sequence[str], counts: Counts) -> Iterable[str]:
    """Tables that were written as lists in lists (a row ``*    *   cell``, further cells indented) as rows with bars."""
    cells: list[str] = []
    for line in source:
        row, cell = _LIST_ROW.match(line), _LIST_CELL.match(line)
        if cells and cell:
            cells.append(cell.group(1).strip())
        elif cells and (not line.strip() or line.startswith("        ")):
            cells[-1] = f"{cells[-1]} {line.strip()}".strip()
        else:
            if cells:
                yield f"| {CELL.join(cells)} |"
                if not row:
                    yield ""
            cells = [row.group(1).strip()] if row else []
            if not row:
                yield line
    if cells:
        yield f"| {CELL.join(cells)} |"

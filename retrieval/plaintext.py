"""A text made plain for the grammar of citations, with the way back to the places in the text as it was given.

Entities, odd blanks, hyphens, superscripts and decomposed umlauts become what they mean; a word that a line break or a soft hyphen parts
becomes whole again. Every step is linear in the length of the text, and a text without such signs is handed through untouched.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

import msgspec

Spans = list[tuple[int, int]]

_ENTITY = re.compile(r"&(?:sect|nbsp|thinsp|ensp|emsp|#167|#xa7|#160|#xa0|#8239|#x202f|#8201|#x2009);", re.IGNORECASE)
_SIGN = ("sect;", "#167;", "#xa7;")
_ODD_SIGNS = "\u200b\u2060\ufeff\u2010\u2011¹²³⁰⁴⁵⁶⁷⁸⁹"
_ODD = str.maketrans(_ODD_SIGNS, "   --" + " " * 10)
# What must be made plain holds one of these; to look for each is much faster than one pattern that looks for all.
_NOT_PLAIN = ("&", "\u0308", "\xad", "-\n", "- \n", "Abs. (", "Absatz (", *_ODD_SIGNS)
_IN_BRACKETS = re.compile(r"(Abs\. |Absatz )\((\d{1,2}[a-z]?)\)")
_COMBINED = re.compile(r"[aouAOU]\u0308")
_PARTED = re.compile(r"\xad|(?<=[a-zäöüß])-[^\S\n]?\n[^\S\n]{0,9}(?!(?:und|oder|bzw|sowie)\b)(?=[a-zäöüß])")
_HYPHEN = re.compile(r"-\s{0,4}\n\s{0,9}")
_QUOTE = re.compile(
    r"„[^„“”]{0,3000}[“”]|»[^«»]{0,3000}«|«[^«»]{0,3000}»|“[^“”]{0,3000}”|\"[^\"]{0,3000}\"|\(\+\+\+(?:[^+]|\+(?!\+\+\))){0,3000}\+\+\+\)"
)


# Blanks as the patterns know them, and those of them that are common in texts.
SPACES = frozenset(chr(code) for code in range(0x3001) if chr(code).isspace())
_COMMON_SPACES = frozenset(" \u00a0\n")


def ahead(plain: str, pos: int) -> str:
    """The sign with which the text goes on behind one blank at most; a further blank can hide any sign and is in all sets of signs.

    A look at it spares most of the patterns that cannot match.
    """
    try:
        sign = plain[pos]
        return plain[pos + 1] if sign in _COMMON_SPACES else sign
    except IndexError:
        return ""


class Plain(msgspec.Struct, frozen=True, gc=False):
    """``given`` as it came and ``text`` made plain; ``places`` holds for each sign of ``text`` its place in ``given``, if it moved."""

    given: str
    text: str
    places: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the given text of what stands between the two."""
        return (start, end) if self.places is None else (self.places[start], self.places[end - 1] + 1)

    def end(self, pos: int) -> int:
        """The place in the given text behind the character that ends at ``pos``."""
        return pos if self.places is None else self.places[pos - 1] + 1

    def name(self, start: int, end: int) -> str:
        """The given words of a name, whole where a line break parts them."""
        words = self.given[slice(*self.span(start, end))]
        return words if self.places is None else _HYPHEN.sub("", words)


def plain(text: str) -> Plain:
    """The text for the grammar."""
    return _made_plain(text) if any(map(text.__contains__, _NOT_PLAIN)) else Plain(text, text, None)


def _made_plain(text: str) -> Plain:
    same = _same_length(text)
    parts: list[str] = []
    places: list[int] = []
    pos = 0
    for gap in _PARTED.finditer(same):
        parts.append(same[pos : gap.start()])
        places.extend(range(pos, gap.start()))
        pos = gap.end()
    if not pos:
        return Plain(text, same, None)
    parts.append(same[pos:])
    places.extend(range(pos, len(same)))
    return Plain(text, "".join(parts), places)


def _same_length(text: str) -> str:
    if "&" in text:
        text = _ENTITY.sub(lambda m: ("§" if m[0][1:].lower() in _SIGN else " ").ljust(len(m[0]), "\xad"), text)
    if "\u0308" in text:
        text = _COMBINED.sub(lambda m: unicodedata.normalize("NFC", m[0]) + "\xad", text)
    if "Abs. (" in text or "Absatz (" in text:
        text = _IN_BRACKETS.sub(r"\1 \2 ", text)
    return text.translate(_ODD) if any(map(text.__contains__, _ODD_SIGNS)) else text


def quoted(text: str) -> Spans:
    """The spans between quotation marks, and the editors' notes "(+++ … +++)"."""
    has_marks = "„" in text or "»" in text or "«" in text or "“" in text or '"' in text or "(+++" in text
    return [match.span() for match in _QUOTE.finditer(text)] if has_marks else []


def is_inside(pos: int, spans: Spans) -> bool:
    """Whether ``pos`` lies in one of the spans, which follow one another."""
    index = bisect_right(spans, (pos, 1 << 62)) - 1
    return index >= 0 and pos < spans[index][1]

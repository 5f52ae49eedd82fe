"""Section labels: ``§ 129 a`` to ``§ 129a``, ``Art 1`` to ``Artikel 1``, a range to every section in it."""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

_MARK = re.compile(r"^\(X+\)\s*")
_UNITS = {
    "§": "§", "§§": "§", "art": "Artikel", "art.": "Artikel", "artikel": "Artikel", "anlage": "Anlage", "anlagen": "Anlage",
    "anhang": "Anhang", "ziffer": "Ziffer", "ziff.": "Ziffer",
}  # fmt: skip
_LABEL = re.compile(r"^(§§|§|Art\.|Artikel|Art|Anlagen|Anlage|Anhang|Ziffer|Ziff\.)\s*(.*)$", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d+)\s?([a-z]{0,2})$", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:\bbis\b|–|—|(?<=[\da-z])\s*-\s*(?=\d))\s*")
_LIST = re.compile(r"\s*(?:,|;|\bund\b|\bu\.|\bsowie\b)\s*")

_UNOCCUPIED = re.compile(
    r"^[\(\[]?\s*(?:weggefallen|aufgehoben|gestrichen|entfallen|gegenstandslos|außer Kraft getreten"
    r"|(?:nicht |un)besetzt|(?:nicht |un)belegt)\s*[\)\]]?\.?$",
    re.IGNORECASE,
)
_WIDEST = 2000


class Label(Struct, frozen=True):
    """The sections a label names, in order, and whether it carries the mark of a range that was taken out, ``(XXXX)``."""

    ids: tuple[str, ...]
    marked: bool = False


def plain(text: str) -> str:
    """``text`` on one line with ordinary blanks, no soft hyphens and composed umlauts: for labels, never for displayed text."""
    return " ".join(unicodedata.normalize("NFC", text).replace("\xad", "").split())


def is_repealed(text: str) -> bool:
    """Whether the words say nothing but that this norm is no longer, or not yet, occupied."""
    return bool(_UNOCCUPIED.match(plain(text)))


def read_label(text: str) -> Label:
    """The sections that a label such as ``(XXXX) §§ 140b bis 140d`` names; words without a unit are one id."""
    words = plain(text)
    bare = _MARK.sub("", words)
    return Label(_ids(bare), bare != words)


def section_id(unit: str, number: str) -> str:
    """One whole section id from a unit in any spelling and a number: ``("Art.", "12 A")`` gives ``Artikel 12a``."""
    name = _UNITS.get(unit.lower(), unit)
    match = _NUMBER.match(number)
    return f"{name} {match.group(1)}{match.group(2).lower()}" if match else f"{name} {number}".strip()


def _ids(bare: str) -> tuple[str, ...]:
    match = _LABEL.match(bare)
    if not match:
        return (bare,) if bare else ()
    unit, rest = match.groups()
    numbers: list[str] = []
    for part in _LIST.split(rest):
        ends = [end.strip() for end in _RANGE.split(part)]
        if len(ends) == 2 and all(_NUMBER.match(end) for end in ends):
            numbers.extend(_between(*ends))
        elif _NUMBER.match(part.strip()):
            numbers.append(part.strip())
        else:
            return (section_id(unit, rest),)
    return tuple(dict.fromkeys(section_id(unit, number) for number in numbers))


def _between(first: str, last: str) -> list[str]:
    """Every number from first to last: letters run inside one number, whole numbers between two."""
    low, high = _parts(first), _parts(last)
    if low[0] == high[0] and len(low[1]) <= 1 and len(high[1]) == 1 and low[1] <= high[1]:
        start = ord(low[1]) if low[1] else ord("a")
        head = [] if low[1] else [first]
        return head + [f"{low[0]}{chr(code)}" for code in range(start, ord(high[1]) + 1)]
    if not low[0] < high[0] <= low[0] + _WIDEST:
        return [first, last]
    return [first, *(str(number) for number in range(low[0] + 1, high[0])), last]


def _parts(number: str) -> tuple[int, str]:
    match = _NUMBER.match(number)
    assert match is not None
    return int(match.group(1)), match.group(2).lower()


_SUBSECTION = re.compile(r"^\(\s*(\d+\s?[a-z]{0,2})\s*\)")
_MORE = re.compile(r"^\(\s*(\d+)\s*\)\s*(u\.|und|,|-|–|bis)\s*\(\s*(\d+)\s*\)")


def subsections(text: str) -> tuple[str, ...]:
    """The numbers of the Absätze that this text opens: ``(1a) …`` one, ``(4) - (6) (weggefallen)`` three, else none."""
    start = text.lstrip(" \xa0\t")
    more = _MORE.match(start)
    if more:
        first, sign, last = more.groups()
        if sign in ("-", "–", "bis") and 0 < int(last) - int(first) < 50:
            return tuple(str(number) for number in range(int(first), int(last) + 1))
        return first, last
    one = _SUBSECTION.match(start)
    return ("".join(one.group(1).split()),) if one else ()


def follows(number: str, following: str) -> bool:
    """Whether ``following`` can come after ``number``: ``2`` is followed by ``2a`` or ``3``, ``2a`` by ``2b`` or ``3``."""
    before, after = _NUMBER.match(number), _NUMBER.match(following)
    if not before or not after:
        return False
    step = int(after.group(1)) - int(before.group(1))
    return (step == 1 and not after.group(2)) or (step == 0 and before.group(2) < after.group(2))

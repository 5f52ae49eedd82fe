"""How a norm is written down so that its address can be read back exactly: in a cell, as the id of a document, in a list of norms.

A cell names what a question needs: ``;`` or a line end parts needs, ``|`` or "oder" parts alternatives, ``[3]`` at the end is a grade,
and ``how a person wrote it = address`` keeps both. What would be mistaken for one of these signs is percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

import msgspec

from retrieval.evaluation.model import Gold, Need
from retrieval.model import Address

NOWHERE = Address("")
"""The address of a norm that no corpus could be found for."""
EQUALS = " = "

_SEPARATORS = re.compile(r"[;\n]")
_ALTERNATIVES = re.compile(r"\||\s(?:oder|or)(?=\s)")
_OR = re.compile(r"(?<=\s)o(?=(?:der|r)(?:\s|$))")
_SIGNS = re.compile(r"[%;|=\[\]\n\r]")
_GRADE = re.compile(r"\s*\[([^\[\]]*)\]\s*$")
_NO_TOKEN = re.compile(r"[\s%:;|=,\[\]\"'#<>\x00-\x20\x7f-\x9f]")
_EXACT = re.compile(
    r"(?P<corpus>[a-z0-9][a-z0-9_.-]*) (?:(?P<container>\S+(?: \S+)*?) )??"
    r"(?P<section>(?:§|Artikel|Ziffer|Anlage|Anhang) \w[\w.]*)(?: Abs\. (?P<subsection>\w[\w.]*))?"
)


class Written(msgspec.Struct, frozen=True):
    """One norm of a cell: the words in front of ``=``, the words for the address, the grade as it stands there (empty: none)."""

    words: str
    place: str
    grade: str = ""


def needs_in(cell: str) -> tuple[tuple[Written, ...], ...]:
    """The needs that a cell names, each with its alternatives; empty parts are left out."""
    needs = (tuple(_written(part) for part in _ALTERNATIVES.split(need) if part.strip()) for need in _SEPARATORS.split(cell))
    return tuple(need for need in needs if need)


def _written(part: str) -> Written:
    grade = _GRADE.search(part)
    bare = part[: grade.start()] if grade else part
    words, equals, place = bare.rpartition(EQUALS)
    return Written(unprotected(words.strip()) if equals else "", place.strip(), grade[1].strip() if grade else "")


def cell_of(needs: Iterable[Need]) -> str:
    """The cell that names these needs; ``needs_in`` reads it back."""
    return "; ".join(" | ".join(_alternative(gold, alone=len(need.any_of) == 1) for gold in need.any_of) for need in needs)


def _alternative(gold: Gold, alone: bool) -> str:
    # Words without an address would be read as a norm of the corpus that an alternative behind them names.
    words, place = protected(gold.written), spelled(gold.address) or ("" if alone else doc_id(NOWHERE))
    both = words + EQUALS + place if words and place else words or place
    return both if gold.grade == 1 else f"{both} [{gold.grade}]"


def protected(words: str) -> str:
    """Words of a person as they can stand in a cell."""
    signs = _SIGNS.sub(lambda sign: quote(sign[0], safe=""), words)
    return _OR.sub("%6F", signs)


def unprotected(words: str) -> str:
    """The words that ``protected`` was given. Words with a per cent sign that nobody encoded stay as they are."""
    try:
        return unquote(words, errors="strict")
    except UnicodeDecodeError:
        return words


def spelled(address: Address) -> str:
    """An address as a person can read it and a program reads it back: ``abgabevertrag Anlage 11 § 10 Abs. 2``.

    One that would not come back so is written as ``doc_id`` writes it; ``NOWHERE`` is empty.
    """
    if address == NOWHERE:
        return ""
    subsection = f"Abs. {address.subsection}" if address.subsection else ""
    text = " ".join(part for part in (address.corpus_id, address.container_id, address.section_id, subsection) if part)
    plain = not _SIGNS.search(text) and not _ALTERNATIVES.search(text) and _exact(text) == address
    return text if plain else doc_id(address)


def address_of(text: str) -> Address | None:
    """The address that ``spelled`` or ``doc_id`` wrote so; None for other words."""
    parts = text.split(":")
    if len(parts) == 4 and not any(character.isspace() for character in text):
        return Address(*map(unprotected, parts))
    return _exact(text)


def _exact(text: str) -> Address | None:
    found = _EXACT.fullmatch(text)
    if found is None:
        return None
    return Address(found["corpus"], found["container"] or "", found["section"], found["subsection"] or "")


def doc_id(address: Address) -> str:
    """An address as one word for files whose columns are parted by blanks: ``sgb_v::§%20129:2``."""
    return ":".join(token(part) for part in msgspec.structs.astuple(address))


def doc_id_of(gold: Gold) -> str:
    """The word for a gold norm: its address, or what a person wrote where no address was found."""
    return doc_id(gold.address) if gold.address != NOWHERE else token(gold.written)


def token(text: str) -> str:
    """Any text as one word without blanks, separators and control characters; ``unprotected`` gives the text back."""
    return _NO_TOKEN.sub(lambda sign: quote(sign[0], safe=""), text)

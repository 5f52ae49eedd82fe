"""The gold of our own for references: sentences with marked spans and the addresses to which they lead.

The format is described at the head of ``tests/references/gold.txt``. A third of the sentences, chosen by a hash of their text, is kept for
reporting only: nobody looks at them to mend the grammar.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from retrieval.addresses import AddressBook
from retrieval.model import Address, Chunk, CorpusSpec, Reference
from retrieval.names import Names
from retrieval.verweise import references

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "references"
_STATES = {
    "": "resolved",
    "R": "repealed",
    "A": "ambiguous",
    "N": "not_in_stock",
    "O": "open_ended",
    "Q": "quoted",
    "F": "former",
}
_ADDRESS = (
    r"(?P<corpus>\w*):(?P<container>(?:Vertrag|Anlage \d+|[AB])?)"
    r"(?:\s(?P<section>(?:§|Ziffer|Artikel|Anlage|Anhang) [^/]+)(?:/(?P<subsection>\w+))?)?"
)
_TARGET = re.compile(rf"(?:(?P<state>[RANOQF]):)?(?:- (?P<law>.+)|{_ADDRESS})")
_PLACE = re.compile(rf"(?P<genre>\w+) {_ADDRESS}")
_MARKS = re.compile(r"[{}]")
_SUBSECTIONS = ("1", "1a", "2", "3", "3a", "4", "5", "5a", "6", "7", "8")

Key = tuple[int, int, str, str]
"""Start, end, state, and the address or, where the law is not in stock, its words."""


class Sentence(msgspec.Struct, frozen=True):
    """One sentence with the references that a lawyer reads in it; ``own`` is the norm in which it stands."""

    genre: str
    own: Address
    text: str
    expected: tuple[Key, ...]

    @property
    def sentence_id(self) -> str:
        """A stable id made from genre and text."""
        return hashlib.sha256(f"{self.genre}\x1f{self.text}".encode()).hexdigest()[:12]

    @property
    def for_reporting(self) -> bool:
        """Whether this sentence belongs to the third that is kept for reporting."""
        return int(self.sentence_id, 16) % 3 == 0


@cache
def sentences() -> tuple[Sentence, ...]:
    """All sentences of the gold file. Raises ValueError at a line that does not follow the format."""
    found: list[Sentence] = []
    genre, own = "", Address("")
    for number, line in enumerate((FOLDER / "gold.txt").read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("@"):
            opening = _PLACE.fullmatch(line[2:])
            if opening is None:
                raise ValueError(f"gold.txt, line {number}: expected '@ genre corpus:container section/Absatz', found {line!r}.")
            genre, own = opening["genre"], _address(opening)
        elif line and not line.startswith("#"):
            found.append(_sentence(line, number, genre, own))
    return tuple(found)


def _sentence(line: str, number: int, genre: str, own: Address) -> Sentence:
    marked, _, answer = line.partition(" => ")
    text, spans = _spans(re.sub(r"\\(u[0-9a-f]{4}|n|t)", lambda escape: f"\\{escape[1]}".encode().decode("unicode_escape"), marked))
    groups = [group.split(", ") for group in answer.split("; ")] if answer else []
    if len(groups) != len(spans):
        raise ValueError(f"gold.txt, line {number}: found {len(spans)} spans and {len(groups)} groups of targets; expected one for each.")
    keys = tuple(_key(span, target, number) for span, group in zip(spans, groups, strict=True) for target in group)
    return Sentence(genre, own, text, keys)


def _spans(marked: str) -> tuple[str, list[tuple[int, int]]]:
    marks = [match.start() - shift for shift, match in enumerate(_MARKS.finditer(marked))]
    return _MARKS.sub("", marked), list(zip(marks[::2], marks[1::2], strict=True))


def _key(span: tuple[int, int], written: str, number: int) -> Key:
    target = _TARGET.fullmatch(written.strip())
    if target is None:
        raise ValueError(f"gold.txt, line {number}: expected 'corpus:container section/Absatz' or '- law', found {written!r}.")
    state = _STATES[target["state"] or ""]
    if target["law"]:
        return (*span, state, target["law"])
    return (*span, state, place(_address(target)))


def _address(match: re.Match[str]) -> Address:
    return Address(match["corpus"], match["container"], match["section"] or "", match["subsection"] or "")


def place(address: Address) -> str:
    """An address in one line, its parts as they are."""
    return " · ".join(part for part in (address.corpus_id, address.container_id, address.section_id, address.subsection) if part)


@cache
def stock() -> tuple[AddressBook, Names]:
    """The invented stock of ``stock.toml``."""
    raw = tomllib.loads((FOLDER / "stock.toml").read_text(encoding="utf-8"))
    specs = {
        corpus: CorpusSpec(corpus, one["title"], one["kind"], tuple(one["names"]), default_container_id=one.get("default", ""))
        for corpus, one in raw.items()
    }
    chunks = [
        chunk
        for corpus, one in raw.items()
        for container, labels in one["containers"].items()
        for label in labels.split(", ")
        for chunk in _chunks(corpus, container, label)
    ]
    return AddressBook(chunks, specs), Names(specs)


def _chunks(corpus: str, container: str, label: str) -> Iterable[Chunk]:
    section = label.strip("()")
    for subsection in _SUBSECTIONS if section.startswith(("§", "Artikel")) else ("",):
        yield Chunk(f"{corpus}/{container}/{section}/{subsection}", corpus, container, section, subsection, repealed=label != section)


def read(sentence: Sentence) -> tuple[Key, ...]:
    """What the product reads in a sentence, in the form of the gold."""
    own = sentence.own
    chunk = Chunk("own", own.corpus_id, own.container_id, own.section_id, own.subsection, text=sentence.text)
    return tuple(key(reference) for reference in references(chunk, *stock()))


def key(reference: Reference) -> Key:
    """A reference in the form of the gold."""
    where = place(reference.target) if reference.target else reference.law
    return reference.start, reference.end, reference.state, where

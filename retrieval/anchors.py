"""The register of norm anchors: curated claims that a norm decides a type of question, kept in a TOML file that is only ever data."""

from __future__ import annotations

import datetime
import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from retrieval.addresses import AddressBook, normal_section
from retrieval.errors import BadRegister
from retrieval.model import AnchorClaim, Target

_KINDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "triggers": (list,),
    "corpus": (str,),
    "section": (str,),
    "container": (str,),
    "subsection": (str,),
    "max_chunks": (int,),
    "note": (str,),
    "author": (str,),
    "date": (str, datetime.date),
}
_REQUIRED = ("id", "triggers", "corpus", "section")
_TYPE_WORDS = {str: "a text in quotes", list: "a list", int: "a whole number", datetime.date: "a date such as 2033-05-02"}
_HEADER = re.compile(r"\s*\[\[\s*anchor\s*\]\]")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*=""")
_QUOTES = re.compile(r'"""|\'\'\'')
_WORD = re.compile(r"[^\W_](?:\w|[-‐‑]\w)*")
_HYPHENS = re.compile(r"[-‐‑]")


class Anchor(msgspec.Struct, frozen=True):
    """One entry. Each trigger is a tuple of phrases that must all occur; a phrase is a tuple of folded words in a row."""

    anchor_id: str
    target: Target
    triggers: tuple[tuple[tuple[str, ...], ...], ...]
    wordings: tuple[str, ...]
    note: str = ""
    author: str = ""
    date: str = ""
    line: int = 0


class Finding(msgspec.Struct, frozen=True):
    """An anchor whose address is not what it claims: ``missing``, ``repealed`` or ``ambiguous`` (several containers)."""

    anchor_id: str
    line: int
    problem: Literal["missing", "repealed", "ambiguous"]
    target: Target


class AnchorRegister:
    """All anchors of one file. A call gives the targets that apply to a question, in the order of the file."""

    def __init__(self, anchors: Iterable[Anchor] = (), fingerprint: str = "") -> None:
        self.anchors = tuple(anchors)
        self.fingerprint = fingerprint

    @classmethod
    def load(cls, path: Path | str | None) -> AnchorRegister:
        """The register in this file; without a path, an empty one.

        Raises BadRegister with all faults together, each with its line.
        """
        if not path:
            return cls()
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise BadRegister(
                f"The anchor register {Path(path).name} cannot be read ({type(error).__name__}). Expected a TOML file. Check the path."
            ) from error
        return cls.parse(content, Path(path).name)

    @classmethod
    def parse(cls, content: bytes, name: str = "anchors.toml") -> AnchorRegister:
        """The register in these bytes; ``name`` stands in the messages. Raises BadRegister with all faults together."""
        try:
            text = content.decode("utf-8-sig")
            raw = tomllib.loads(text)
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            raise BadRegister(
                f"{name}: found no valid TOML ({error}). Expected entries that begin with [[anchor]]. Mend the line."
            ) from error
        faults: list[str] = []
        anchors = list(_anchors(raw, _lines(text), faults))
        if faults:
            raise BadRegister(f"{name}: {len(faults)} fault(s), nothing was loaded.\n" + "\n".join(faults))
        return cls(anchors, hashlib.sha256(content).hexdigest())

    def __call__(self, question: str) -> tuple[Target, ...]:
        """The targets of all anchors that apply to the question, each once."""
        return tuple(dict.fromkeys(claim.target for claim in self.claims(question)))

    def claims(self, question: str) -> tuple[AnchorClaim, ...]:
        """The anchors that apply, with the wording of the first trigger that did it."""
        words = _forms(question)
        return tuple(
            AnchorClaim(anchor.target, anchor.note, anchor.author, anchor.date, wording, anchor.anchor_id)
            for anchor in self.anchors
            if (wording := _first_hit(anchor, words)) is not None
        )

    def check(self, book: AddressBook) -> tuple[Finding, ...]:
        """The anchors whose address is missing, repealed or ambiguous in this stock; empty when all is well."""
        return tuple(
            Finding(anchor.anchor_id, anchor.line, problem, anchor.target)
            for anchor in self.anchors
            if (problem := _problem(anchor.target, book)) is not None
        )


def _problem(target: Target, book: AddressBook) -> Literal["missing", "repealed", "ambiguous"] | None:
    state = book.state(target)
    if state == "not_found":
        return "missing"
    if state == "repealed":
        return "repealed"
    containers = {place.container_id for place in book.places(target)}
    return "ambiguous" if len(containers) > 1 else None


def _anchors(raw: Mapping[str, Any], lines: list[dict[str, int]], faults: list[str]) -> Iterator[Anchor]:
    """The entries without a fault; the faults of the others are added to ``faults``."""
    for key in raw:
        if key != "anchor":
            faults.append(f"Found the key {key!r} outside an entry. Expected [[anchor]] only. Remove it or move it into an entry.")
    entries = raw.get("anchor", [])
    if not isinstance(entries, list):
        faults.append("Found [anchor]. Expected [[anchor]] with two brackets, once for each entry.")
        return
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        places = lines[index] if index < len(lines) else {}
        before = len(faults)
        faults.extend(_faults(entry, places, seen))
        if len(faults) == before:
            yield _anchor(entry, places.get("", 0))


def _faults(entry: Any, places: Mapping[str, int], seen: dict[str, int]) -> Iterator[str]:
    start = places.get("", 0)
    if not isinstance(entry, dict):
        yield f"Line {start}: found {type(entry).__name__}, expected the keys of an anchor."
        return
    for key, value in entry.items():
        yield from (f"Line {places.get(key, start)}: {fault}" for fault in _key_faults(key, value))
    for key in _REQUIRED:
        if key not in entry:
            yield f"Line {start}: the key {key!r} is missing. Add it to the entry."
    anchor_id = entry.get("id")
    if isinstance(anchor_id, str):
        if anchor_id in seen:
            yield f"Line {places.get('id', start)}: the id {anchor_id!r} stands already in line {seen[anchor_id]}. Give each entry its own."
        seen.setdefault(anchor_id, places.get("id", start))


def _key_faults(key: str, value: Any) -> Iterator[str]:
    kinds = _KINDS.get(key)
    fits = kinds is not None and isinstance(value, kinds) and not isinstance(value, bool)
    if kinds is None:
        yield f"the key {key!r} is unknown. Known are {', '.join(_KINDS)}. Correct or remove it."
    elif not fits:
        yield f"{key!r} is {_shown(value)}. Expected {' or '.join(_TYPE_WORDS[kind] for kind in kinds)}."
    elif key in ("id", "corpus", "section") and not str(value).strip():
        yield f"{key!r} is empty. Write it out."
    elif key == "max_chunks" and value < 1:
        yield f"'max_chunks' is {value}. Expected 1 or more."
    elif key == "date" and isinstance(value, str) and not _is_date(value):
        yield f"'date' is {_shown(value)}. Expected a date such as 2033-05-02."
    elif key == "triggers":
        yield from _trigger_faults(value)


def _trigger_faults(triggers: list[Any]) -> Iterator[str]:
    if not triggers:
        yield "'triggers' is empty. Expected at least one phrase or list of words."
    for trigger in triggers:
        phrases = trigger if isinstance(trigger, list) else [trigger]
        if not all(isinstance(phrase, str) for phrase in phrases):
            yield f"the trigger {_shown(trigger)} is neither a phrase nor a list of words."
        elif not phrases or not all(_phrase(phrase) for phrase in phrases):
            yield f"the trigger {_shown(trigger)} has no word in it: it would apply to every question. Remove it or write the word."


def _shown(value: object) -> str:
    return repr(value)[:60]


def _is_date(value: str) -> bool:
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _anchor(entry: Mapping[str, Any], line: int) -> Anchor:
    wordings = [trigger if isinstance(trigger, list) else [trigger] for trigger in entry["triggers"]]
    target = Target(
        corpus_id=entry["corpus"].strip(),
        section_id=normal_section(entry["section"]),
        container_id=entry.get("container"),
        subsection=entry.get("subsection"),
        max_chunks=entry.get("max_chunks"),
    )
    return Anchor(
        anchor_id=entry["id"].strip(),
        target=target,
        triggers=tuple(tuple(_phrase(phrase) for phrase in trigger) for trigger in wordings),
        wordings=tuple(" + ".join(trigger) for trigger in wordings),
        note=entry.get("note", ""),
        author=entry.get("author", ""),
        date=str(entry.get("date", "")),
        line=line,
    )


def _lines(text: str) -> list[dict[str, int]]:
    """For each [[anchor]] the lines of its keys, from 1; the key "" is the line of the header. Lines inside long texts do not count."""
    found: list[dict[str, int]] = []
    inside = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if not inside:
            if _HEADER.match(line):
                found.append({"": number})
            elif found and (key := _KEY.match(line)):
                found[-1].setdefault(key[1] or key[2] or key[3], number)
        for quote in _QUOTES.findall(line):
            inside = "" if inside == quote else inside or quote
    return found


def _fold(text: str) -> str:
    """Lower case, ß as ss, umlauts without their dots, however they are encoded: "Verträge" begins like "Vertrag"."""
    decomposed = unicodedata.normalize("NFKD", text.replace("\xad", "").casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text.replace("\xad", "")))


def _phrase(text: str) -> tuple[str, ...]:
    return tuple(_fold(_HYPHENS.sub("", word)) for word in _words(text))


def _forms(text: str) -> list[tuple[str, ...]]:
    """Each word of a question as the forms that a trigger may begin: the whole, and the parts of a compound with hyphens."""
    forms = []
    for word in _words(text):
        parts = _HYPHENS.split(word)
        forms.append(tuple(_fold(form) for form in (("".join(parts), *parts) if len(parts) > 1 else parts)))
    return forms


def _first_hit(anchor: Anchor, words: list[tuple[str, ...]]) -> str | None:
    for trigger, wording in zip(anchor.triggers, anchor.wordings, strict=True):
        if all(_occurs(phrase, words) for phrase in trigger):
            return wording
    return None


def _occurs(phrase: tuple[str, ...], words: list[tuple[str, ...]]) -> bool:
    """Whether words in a row begin with the words of the phrase."""
    return any(
        all(any(form.startswith(part) for form in words[start + offset]) for offset, part in enumerate(phrase))
        for start in range(len(words) - len(phrase) + 1)
    )

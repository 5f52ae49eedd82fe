"""A norm with its text, what it cites and what cites it; and the way to it from the words that a person types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from retrieval.addresses import State
from retrieval.chunking import sentences
from retrieval.citations import citations
from retrieval.model import Address, Chunk, Reference, Target
from retrieval.names import NOT_IN_STOCK
from retrieval.stock import Federation

_LONGEST = 400
"""Characters of a sentence that is shown whole; of a longer one the part around the reference."""


_FULL_STOP = re.compile(r"\.\s+[A-ZÄÖÜ]")


class Citing(msgspec.Struct, frozen=True):
    """One reference, the chunk in which it stands, and the sentence around it."""

    by: Chunk
    reference: Reference
    sentence: str


class Norm(msgspec.Struct, frozen=True):
    """A norm as it stands in stock.

    ``address`` is spelled as in the stock; without section it means a whole container, whose ``sections`` are listed. ``chunks`` are those
    of the whole section, also where an Absatz is meant; ``cites`` and ``cited_by`` speak of the Absatz then, and ``cited_whole`` counts the
    references to the section as a whole. ``missing`` is an Absatz that was asked for and is not there.
    """

    address: Address
    state: State
    chunks: tuple[Chunk, ...]
    sections: tuple[Address, ...] = ()
    cites: tuple[Citing, ...] = ()
    cited_by: tuple[Citing, ...] = ()
    cited_whole: int = 0
    missing: str = ""


class Found(msgspec.Struct, frozen=True):
    """What typed words led to: ``places`` are in stock, ``void`` was understood and is not, ``corpora`` were named.

    ``elsewhere`` are laws that were named and are not in stock, ``strange`` those that nobody knows.
    """

    places: tuple[Address, ...] = ()
    void: tuple[Target, ...] = ()
    corpora: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()


def look_up(text: str, federation: Federation) -> Found:
    """The norms that a person means by ``text`` ("129 Abs 2 SGB V", "TA1 4.10"); several where no corpus is named."""
    book, names = federation.book, federation.names
    places: list[Address] = []
    void: list[Target] = []
    for target in book.read(text, names):
        found = _places(target, federation)
        places += found
        if not found:
            void.append(target)
    mentions = names.find_typed(text)
    laws = [citation.law for citation in citations(text) if citation.law and not names.knows(citation.law)]
    return Found(
        tuple(dict.fromkeys(places)),
        tuple(dict.fromkeys(void)),
        tuple(dict.fromkeys(mention.corpus_id for mention in mentions if mention.corpus_id != NOT_IN_STOCK)),
        tuple(dict.fromkeys(mention.words for mention in mentions if mention.corpus_id == NOT_IN_STOCK)),
        tuple(dict.fromkeys(law for law in laws if not any(mention.words in law for mention in mentions))),
    )


def _places(target: Target, federation: Federation) -> list[Address]:
    book = federation.book
    if not target.section_id and target.container_id is not None:
        home = book.container(target.corpus_id, target.container_id)
        return [] if home is None else [Address(target.corpus_id, home)]
    return [msgspec.structs.replace(place, subsection=target.subsection or "") for place in book.places(target)]


def norm(address: Address, federation: Federation) -> Norm | None:
    """The norm at this address; None when nothing stands there. The whole stock is read once for what cites it."""
    book = federation.book
    if not address.section_id:
        return _container(address, federation)
    here, state = book.locate(*msgspec.structs.astuple(address))
    missing = ""
    if state == "not_found" and address.subsection:
        here, state = book.locate(address.corpus_id, address.container_id, address.section_id)
        missing = address.subsection
    if state == "not_found":
        return None
    section = Target(here.corpus_id, here.section_id, here.container_id)
    chunks = tuple(federation.chunk(chunk_id) for chunk_id in book.find(section))
    if here.subsection not in {chunk.subsection for chunk in chunks}:
        here = msgspec.structs.replace(here, subsection="")
    citing = federation.cited_by(here)
    return Norm(
        here,
        state,
        chunks,
        cites=tuple(_cites((chunk for chunk in chunks if here.subsection in ("", chunk.subsection)), federation)),
        cited_by=tuple(_cited_by((pair for pair in citing if _names(pair[1], here.subsection)), federation)),
        cited_whole=sum(_names(reference, "", only=True) for _, reference in citing) if here.subsection else 0,
        missing=missing,
    )


def _container(address: Address, federation: Federation) -> Norm | None:
    book = federation.book
    whole = Target(address.corpus_id, "", address.container_id)
    home = book.container(address.corpus_id, address.container_id)
    if home is None:
        return None
    here = Address(address.corpus_id, home)
    sections = tuple(Address(here.corpus_id, home, section) for section in book.sections(here.corpus_id, home))
    return Norm(here, book.state(whole), (), sections, cited_by=tuple(_cited_by(federation.cited_by(here), federation)))


def _names(reference: Reference, subsection: str, only: bool = False) -> bool:
    """Whether a reference to a section is one to this Absatz; without Absatz every one is, ``only`` those to the whole."""
    named = reference.target.subsection if reference.target else ""
    return named == subsection if subsection or only else True


def _cites(chunks: Iterable[Chunk], federation: Federation) -> Iterator[Citing]:
    for chunk in chunks:
        for reference in federation.references(chunk.chunk_id):
            yield Citing(chunk, reference, sentence(chunk.text, reference.start, reference.end))


def _cited_by(pairs: Iterable[tuple[str, Reference]], federation: Federation) -> Iterator[Citing]:
    for chunk_id, reference in pairs:
        chunk = federation.chunk(chunk_id)
        yield Citing(chunk, reference, sentence(chunk.text, reference.start, reference.end))


def first_chunk(place: Address, federation: Federation) -> Chunk | None:
    """The first chunk of the section at this address; None when nothing stands there."""
    ids = federation.book.find(Target(place.corpus_id, place.section_id, place.container_id))
    return federation.chunk(ids[0]) if ids else None


def sentence(text: str, start: int, end: int) -> str:
    """The sentence of ``text`` in which the span stands, on one line; a long one is cut around the span, with ellipses."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : last if last >= 0 else len(text)]
    begin, stop = 0, len(line)
    position = 0
    for part in sentences(line):
        position = line.index(part, position)
        if position <= start - first:
            begin, stop = position, max(position + len(part), end - first)
        position += len(part)
    # A full stop behind a number may belong to an ordinal ("8. Mai"), so sentences stay whole there; behind a reference it ends one.
    if _FULL_STOP.match(line, end - first):
        stop = end - first + 1
    return _around(line[begin:stop], start - first - begin, end - first - begin)


def _around(part: str, start: int, end: int) -> str:
    """``part`` on one line, at most about ``_LONGEST`` characters of it, cut at blanks."""
    room = max(0, (_LONGEST - (end - start)) // 2)
    left = 0 if start <= room or len(part) <= _LONGEST else part.find(" ", start - room, start) + 1
    right = len(part) if len(part) <= _LONGEST or end + room >= len(part) else part.rfind(" ", end, end + room)
    shown = " ".join(part[left : right if right > 0 else len(part)].split())
    return ("… " if left else "") + shown + (" …" if 0 < right < len(part) else "")

"""The references in a chunk's text, resolved against the stock.

Nothing is guessed: a section of a law that nobody knows, of a quoted text or of an annex that is not there leads nowhere, and where two
readings are possible the reference says so instead of choosing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final

from msgspec import structs

from retrieval.addresses import AddressBook, State
from retrieval.citations import Citation, citations
from retrieval.model import Address, Chunk, CorpusSpec, Reference, ReferenceState, Target
from retrieval.names import Names
from retrieval.sectionlist import ANNEX, APPENDIX, ARTICLE, ITEM
from retrieval.sublevels import RELATIVE

_STATES: Final[dict[State, ReferenceState]] = {"found": "resolved", "repealed": "repealed", "not_found": "not_in_stock"}
_OWN_NOUN: Final = {
    "contract": re.compile(r"Vertrag(?:e?s)?$"),
    "agreement": re.compile(r"Vereinbarung$"),
    "directive": re.compile(r"Richtlinie$"),
}
_FRAME_CONTRACT: Final = re.compile(r"(?:Rahmen|Haupt)vertrag(?:e?s)?$")


def references(chunk: Chunk, book: AddressBook, names: Names, reading: Sequence[Citation] | None = None) -> tuple[Reference, ...]:
    """All references in the text of ``chunk``, in the order of the text; a range gives one for each section, all with the same span.

    ``reading`` are the text's citations where they were read before. Own text comes first for a section without a law. Neither the chunk's
    own address nor its whole section is a reference, and neither is the place in a commentary. Sub-levels below the Absatz that are listed
    for one norm make one reference.
    """
    found: list[Reference] = []
    own = (chunk.address, Address(chunk.corpus_id, chunk.container_id, chunk.section_id))
    for citation in citations(chunk.text) if reading is None else reading:
        if citation.locator:
            continue
        for reference in _resolve(citation, chunk, book, names):
            if reference.target in own:
                continue
            if _repeats(reference, found):
                found[-1] = _widened(found[-1], reference.end, chunk.text)
            else:
                found.append(reference)
    return tuple(found)


def _repeats(reference: Reference, found: list[Reference]) -> bool:
    """Whether the last reference already leads to the same norm ("Nr. 1, 2 und 4" of one Absatz)."""
    last = found[-1] if found else None
    if last is None or last.target is None or last.target != reference.target or last.state != reference.state:
        return False
    goes_on = 0 <= reference.start - last.end <= 12 and not reference.words.startswith(("§", "Art", "Anl", "Anh", "Ziff"))
    return goes_on or reference.start == last.start


def _widened(last: Reference, end: int, text: str) -> Reference:
    return structs.replace(last, end=end, words=_shown(text[last.start : end])) if end > last.end else last


def _shown(words: str) -> str:
    """The words as a person reads them: "§", not its entity."""
    return unescape(words) if "&" in words else words


def _resolve(citation: Citation, chunk: Chunk, book: AddressBook, names: Names) -> Iterator[Reference]:
    if citation.unit == RELATIVE:
        return _relative(citation, chunk, book)
    law = citation.law
    if not law and not citation.own and (following := chunk.text[citation.end : citation.end + 3].lstrip(" (")) and following[0].isupper():
        beside = names.beside(chunk.text, citation.end)
        law = beside[0].words if beside else ""
    if not law or _is_own(law, chunk, book, names):
        return _own(citation, chunk, book)
    corpora = names.corpora_of(law)
    if len(corpora) > 1:
        readings = (Address(corpus, citation.container or "", _label(citation), citation.subsection or "") for corpus in corpora)
        return iter([_reference(citation, "ambiguous", None, law, tuple(readings))])
    if not corpora:
        return iter([_reference(citation, "not_in_stock", None, law)])
    return _foreign(citation, corpora[0], law, chunk, book)


def _is_own(law: str, chunk: Chunk, book: AddressBook, names: Names) -> bool:
    """Whether the words mean the own text: its own name, or "des Vertrages" in a contract."""
    spec: CorpusSpec | None = book.specs.get(chunk.corpus_id)
    kind = spec.kind if spec else "other"
    if kind in _OWN_NOUN and _OWN_NOUN[kind].match(law):
        return True
    corpora = names.corpora_of(law)
    return corpora == (chunk.corpus_id,) if corpora else kind == "contract" and bool(_FRAME_CONTRACT.match(law))


def _relative(citation: Citation, chunk: Chunk, book: AddressBook) -> Iterator[Reference]:
    """ "Absatz 2": the own section, if it has such an Absatz."""
    target, state = book.locate(chunk.corpus_id, chunk.container_id, chunk.section_id, citation.subsection or "")
    if chunk.section_id and state != "not_found":
        yield _reference(citation, _STATES[state], target)


def _own(citation: Citation, chunk: Chunk, book: AddressBook) -> Iterator[Reference]:
    """A section of the own text: in its own container first, then in the default one."""
    corpus = chunk.corpus_id
    default = book.default_container(corpus) or ""
    if citation.unit in (ANNEX, APPENDIX):
        return _annex(citation, corpus, chunk.container_id, "", book)
    if citation.container is not None:
        return _in_annex(citation, chunk, book)
    if not any(book.counts_in(corpus, home, citation.unit) for home in (chunk.container_id, default)):
        # A number in a unit that the own text does not have is no section of it; of a § it is sure that it stands elsewhere.
        if citation.unit in (ITEM, ARTICLE):
            return iter(())
        if corpus in book.specs:
            return iter([_reference(citation, "not_in_stock", None)])
    home = chunk.container_id
    if home != default and not _stands(book, corpus, home, citation) and _stands(book, corpus, default, citation):
        home = default
    return _sections(citation, corpus, home, "", book)


def _in_annex(citation: Citation, chunk: Chunk, book: AddressBook) -> Iterator[Reference]:
    """ "§ 10 der Anlage 11"; before a comma the annex may be meant or not, and only one of the two readings may exist."""
    corpus = chunk.corpus_id
    annex = book.container(corpus, citation.container or "")
    if not citation.spread:
        return _sections(citation, corpus, annex or citation.container or "", "", book)
    here = _stands(book, corpus, chunk.container_id, citation)
    there = annex is not None and _stands(book, corpus, annex, citation)
    if here and there:
        return iter([_reference(citation, "ambiguous", None, "", _either(citation, (corpus, annex or ""), (corpus, chunk.container_id)))])
    return _sections(citation, corpus, (annex or "") if there else chunk.container_id, "", book)


def _foreign(citation: Citation, corpus: str, law: str, chunk: Chunk, book: AddressBook) -> Iterator[Reference]:
    """A section of another corpus: in the container that is named, else in the default one."""
    if citation.unit in (ANNEX, APPENDIX):
        return _annex(citation, corpus, None, law, book)
    if citation.container is not None:
        home = book.container(corpus, citation.container) or citation.container
    else:
        places = book.places(Target(corpus, _label(citation)))
        if len(places) > 1:
            return iter([_reference(citation, "ambiguous", None, law, places)])
        home = places[0].container_id if places else book.default_container(corpus) or ""
    if citation.spread and _stands(book, chunk.corpus_id, chunk.container_id, citation):
        readings = _either(citation, (corpus, home), (chunk.corpus_id, chunk.container_id))
        return iter([_reference(citation, "ambiguous", None, law, readings)])
    return _sections(citation, corpus, home, law, book)


def _annex(citation: Citation, corpus: str, home: str | None, law: str, book: AddressBook) -> Iterator[Reference]:
    """An annex as a whole: a container of the corpus, or a section of it that is called so."""
    numbers = [citation.section]
    if citation.until and citation.section.isdigit() and citation.until.isdigit():
        numbers = [str(number) for number in range(int(citation.section), min(int(citation.until), int(citation.section) + 59) + 1)]
    for number in numbers:
        label = f"{citation.unit} {number}"
        container = book.container(corpus, label)
        if container is not None:
            yield _reference(citation, _STATES[book.state(Target(corpus, "", container))], Address(corpus, container), law)
            continue
        places = book.places(Target(corpus, label, home)) if home else book.places(Target(corpus, label))
        target = places[0] if places else Address(corpus, home or "", label)
        yield _reference(citation, _STATES[book.state(_target(target))], target, law)


def _sections(citation: Citation, corpus: str, home: str, law: str, book: AddressBook) -> Iterator[Reference]:
    """The sections of one container that a citation names: one, a range, or one with its followers."""
    label = _label(citation)
    if citation.until is not None:
        within = book.range(corpus, home, label, f"{citation.unit} {citation.until}")
        for section in within:
            yield _section(citation, book.locate(corpus, home, section), law)
        if within:
            return
    place = book.locate(corpus, home, label, citation.subsection or "")
    yield _section(citation, place, law)
    if citation.open_ended == "ff":
        yield _reference(citation, "open_ended", place[0], law)
    elif citation.open_ended == "f" and (following := book.following(corpus, home, label)):
        yield _section(citation, book.locate(corpus, home, following), law)


def _section(citation: Citation, place: tuple[Address, State], law: str) -> Reference:
    return _reference(citation, _STATES[place[1]], place[0], law)


def _stands(book: AddressBook, corpus: str, container: str, citation: Citation) -> bool:
    """Whether the section, whatever its Absatz, is known in this container."""
    return book.locate(corpus, container, _label(citation))[1] != "not_found"


def _either(citation: Citation, *homes: tuple[str, str]) -> tuple[Address, ...]:
    """The section in each of these corpora and containers."""
    return tuple(Address(corpus, container, _label(citation), citation.subsection or "") for corpus, container in homes)


def _reference(
    citation: Citation, state: ReferenceState, target: Address | None, law: str = "", readings: tuple[Address, ...] = ()
) -> Reference:
    """One reference; what is quoted or means a former version says so, whatever stands at its address."""
    state = "quoted" if citation.quoted else "former" if citation.former and state != "repealed" and (target or readings) else state
    return Reference(
        citation.start,
        citation.end,
        _shown(citation.words),
        state,
        readings[0] if readings else target,
        law,
        readings,
        citation.sentence or "",
        citation.number or "",
        citation.letter or "",
    )


def _target(address: Address) -> Target:
    return Target(address.corpus_id, address.section_id, address.container_id, address.subsection or None)


def _label(citation: Citation) -> str:
    return f"{citation.unit} {citation.section}"

"""Addresses in the stock: which chunks stand at one, in which order the sections follow, and how a person types one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from retrieval.citations import Citation, citations
from retrieval.model import Address, Chunk, CorpusSpec, Target
from retrieval.names import NOT_IN_STOCK, Mention, Names
from retrieval.sectionlist import ANNEX, APPENDIX, ITEM, SECTION
from retrieval.shelf import Container, Section, Shelf, State, normal_section
from retrieval.sublevels import RELATIVE

__all__ = ["RANGE_LIMIT", "AddressBook", "State", "normal_section"]

RANGE_LIMIT: Final = 60
"""More sections than these are never made out of one range."""

_KEYWORD = re.compile(
    r"(?<![\w-])(paragra(?:f|ph)(?:en)?|artikeln?|art\.|anlagen?|anhang|ziffern?|ziff\.|abschnitt|abs(?:atz|\.|(?=\s?\d))|nr\.?|nummer|satz|buchst\.)"
    r"(?=\s{0,9}\d|\s{0,9}[IVX]+\b)"
)
_UNKNOWN_LAW = re.compile(r"(?<!\w)(?![IVXLC]+\b)[A-ZÄÖÜ][\w-]*[A-ZÄÖÜ]")
_LETTER = re.compile(r"(?<![\w.])(\d{1,4}) ([A-HJ-UWYZ])(?=\s|$)")
_BARE = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,3}){0,4}\s?[a-zA-Z]?(?![\w.])")
_BEHIND = re.compile(r"[\s,:(–-]{0,9}(?:(?:des|der|dem|den|vom|zum|zur|im|in der|aus dem|aus der|von)\s{1,9})?\(?")
_IN_FRONT = re.compile(r"[\s,:(–-]{0,9}(?:(?:in|unter|und zwar)\s{1,9})?")


_Part = tuple[Section, str | None]
_KEPT = 1 << 14
"""So many targets are kept with what stands there."""


class AddressBook:
    """The addresses of all chunks of all corpora. Sections are compared whole and by their normal spelling ("12 A" is § 12a)."""

    def __init__(self, chunks: Iterable[Chunk] | Mapping[str, Sequence[Chunk]], specs: Mapping[str, CorpusSpec]) -> None:
        """``chunks`` in the order of the stock, or by corpus: then a corpus is looked at only when it is asked for."""
        self._specs = dict(specs)
        self._chunks: Mapping[str, Sequence[Chunk]] = chunks if isinstance(chunks, Mapping) else _by_corpus(chunks)
        self._shelves: dict[str, Shelf] = {}
        self._corpora = tuple(dict.fromkeys((*self._specs, *self._chunks)))
        # A question looks up the same targets several times, and the next question many of them again.
        self._matches = lru_cache(maxsize=_KEPT)(self._matching)

    def _shelf(self, corpus: str) -> Shelf:
        """The sections of this corpus; of one that is not here, none."""
        if corpus not in self._shelves:
            shelf = Shelf(corpus, self._chunks.get(corpus, ()))
            if corpus not in self._chunks:
                return shelf
            self._shelves[corpus] = shelf
        return self._shelves[corpus]

    def _container(self, corpus: str, container: str) -> Container:
        return self._shelf(corpus).containers.get(container) or Container(container)

    @property
    def specs(self) -> Mapping[str, CorpusSpec]:
        """The specs of the corpora, by id."""
        return self._specs

    def container(self, corpus: str, words: str) -> str | None:
        """The container of this corpus that is called so ("anlage 11" is "Anlage 11"); None when there is none."""
        return self._shelf(corpus).container(words)

    def default_container(self, corpus: str) -> str | None:
        """The container that is meant when none is named; None when the corpus declares none."""
        spec = self._specs.get(corpus)
        return (spec.default_container_id or None) if spec else None

    def places(self, target: Target) -> tuple[Address, ...]:
        """The sections at this address, without a look at the Absatz.

        Several where no container is named and the corpus has no default, or where a whole container is meant.
        """
        return tuple(dict.fromkeys(Address(section.corpus, section.container, section.section_id) for section, _ in self._matches(target)))

    def find(self, target: Target) -> tuple[str, ...]:
        """The ids of the chunks at this address, in the order of the stock, uncut (``max_chunks`` is the caller's).

        Without a container the default one is meant, or any if the corpus has none. An empty corpus means any corpus, an empty section
        the whole container. A number without a unit takes the first unit in which the corpus counts: §, Artikel, Ziffer.
        """
        return tuple(
            chunk_id
            for section, wanted in self._matches(target)
            for chunk_id, subsection in zip(section.chunk_ids, section.subsections, strict=True)
            if wanted is None or subsection == section.part(wanted)
        )

    def state(self, target: Target) -> State:
        """Whether the address is in stock; ``repealed`` when all that stands there is out of force."""
        states = {section.state(wanted) for section, wanted in self._matches(target)}
        return "found" if "found" in states else "repealed" if "repealed" in states else "not_found"

    def locate(self, corpus: str, container: str, section: str, subsection: str = "") -> tuple[Address, State]:
        """The address in exactly this container, spelled as in the stock, and its state. No ``subsection`` means the whole section."""
        shelf, label = self._shelf(corpus), normal_section(section)
        number = self._container(corpus, container).numbers.get(label)
        if number is None:
            for parent, item in ((shelf.section(one), part) for one, part in shelf.items.get(label, ())):
                if parent.container == container:
                    return Address(corpus, container, parent.section_id, item), parent.state(item)
            return Address(corpus, container, section, subsection), "not_found"
        found = shelf.section(number)
        return Address(corpus, container, found.section_id, subsection), found.state(subsection or None)

    def _matching(self, target: Target) -> tuple[_Part, ...]:
        """The sections at an address, each with the part of it that is meant."""
        if not target.corpus_id:
            return tuple(part for corpus in self._corpora for part in self._within(corpus, target))
        return self._within(target.corpus_id, target)

    def _within(self, corpus: str, target: Target) -> tuple[_Part, ...]:
        named = target.container_id if target.container_id is not None else self.default_container(corpus)
        wanted = None if named is None else self.container(corpus, named)
        if named is not None and wanted is None:
            return ()
        if not target.section_id.strip():
            return () if wanted is None else self._whole(corpus, wanted)
        shelf = self._shelf(corpus)
        for label in _labels(target.section_id):
            parts: list[_Part] = [(section, target.subsection) for section in shelf.labelled(label)]
            parts = parts or [(shelf.section(number), part) for number, part in shelf.items.get(label, ())]
            if hits := tuple(part for part in parts if wanted is None or part[0].container == wanted):
                return hits
        annex = self.container(corpus, target.section_id) if target.container_id is None else None
        return self._whole(corpus, annex) if annex else ()

    def _whole(self, corpus: str, container: str) -> tuple[_Part, ...]:
        return tuple((section, None) for section in self._shelf(corpus).within(container))

    def sections(self, corpus: str, container: str = "") -> tuple[str, ...]:
        """The sections of one container, in the order of the stock."""
        return self._spelled(corpus, container, self._container(corpus, container).labels)

    def range(self, corpus: str, container: str, first: str, last: str, limit: int = RANGE_LIMIT) -> tuple[str, ...]:
        """The sections from ``first`` to ``last`` in the order of the stock (129, 129a, 130), at most ``limit``.

        An end that is not in stock is placed by its number.
        """
        here = self._container(corpus, container)
        low, high = (next((label for label in _labels(end) if label in here.numbers), _labels(end)[0]) for end in (first, last))
        return self._spelled(corpus, container, here.between(low, high)[:limit])

    def _spelled(self, corpus: str, container: str, labels: Iterable[str]) -> tuple[str, ...]:
        shelf = self._shelf(corpus)
        return tuple(shelf.spelled(container, label) for label in labels)

    def following(self, corpus: str, container: str, section: str) -> str | None:
        """The section that stands behind this one in the stock; None at the end."""
        here = self._container(corpus, container)
        place = here.places.get(normal_section(section), len(here.labels))
        return next(iter(self._spelled(corpus, container, here.labels[place + 1 : place + 2])), None)

    def counts_in(self, corpus: str, container: str, unit: str) -> bool:
        """Whether this container has sections of this unit (§, Artikel, Ziffer, Anlage)."""
        return unit in self._container(corpus, container).units

    def read(self, text: str, names: Names) -> tuple[Target, ...]:
        """What a person types as an address ("129 Abs 2 SGB V", "TA1 4.10", "§ 10 Anlage 11 Rahmenvertrag").

        The corpus of a target is empty when none is named. Empty when the text holds no address, or names a law that is not in stock or
        that looks like one and is not known.
        """
        text = _LETTER.sub(lambda match: f"{match[1]}{match[2].lower()} ", text)
        mentions = names.find_typed(text)
        rest = _capital(_without(text, mentions))
        number = _BARE.match(rest, len(rest) - len(rest.lstrip())) or (None if _sections_of(_capital(text)) else _BARE.search(rest))
        if number is None:
            return self._named(_capital(text), mentions, names, typed=True)
        unit = f"{ITEM} " if "." in number[0] else f"{SECTION} "
        corpora = tuple(dict.fromkeys(mention.corpus_id for mention in mentions)) or ("",)
        found = [citation for citation in _sections_of(rest[: number.start()] + unit + rest[number.start() :]) if not citation.law]
        if not mentions and _UNKNOWN_LAW.search(rest):
            return ()
        chosen = corpora if not mentions else tuple(corpus for corpus in corpora if corpus != NOT_IN_STOCK)
        return tuple(
            dict.fromkeys(target for citation in found for corpus in chosen for target in self._of_citation(citation, corpus, bare=True))
        )

    def sections_named(self, question: str, names: Names) -> tuple[Target, ...]:
        """The sections that a question names outright; the corpus is empty where the question names none for it.

        A section of a law that is not in stock is no target.
        """
        return self._named(_capital(question), names.find(question), names, typed=False)

    def _named(self, text: str, mentions: tuple[Mention, ...], names: Names, typed: bool) -> tuple[Target, ...]:
        only = {mention.corpus_id for mention in mentions}
        targets: list[Target] = []
        for citation in _sections_of(text):
            owners = _owners(citation, text, mentions, names)
            if owners == ("",) and typed and len(only) == 1:
                owners = tuple(only - {NOT_IN_STOCK})
            elif owners == ("",) and typed and _UNKNOWN_LAW.search(text, citation.end):
                owners = ()
            for corpus in owners:
                targets += self._of_citation(citation, corpus, bare=False)
        return tuple(dict.fromkeys(targets))

    def _of_citation(self, citation: Citation, corpus: str, bare: bool) -> list[Target]:
        """The targets of one citation; ``bare`` says that its unit was not written and is the corpus's to choose."""
        container = citation.container
        label = citation.section if bare and "." not in citation.section else f"{citation.unit} {citation.section}"
        if citation.unit in (ANNEX, APPENDIX) and corpus and (annex := self.container(corpus, label)):
            return [Target(corpus, "", annex)]
        if citation.until is None or not corpus:
            home = self.places(Target(corpus, label, container)) if bare and corpus else ()
            return [Target(corpus, home[0].section_id if home else normal_section(label), container, citation.subsection)]
        home_container = container if container is not None else self.default_container(corpus) or ""
        last = f"{citation.unit} {citation.until}"
        return [Target(corpus, section, container, citation.subsection) for section in self.range(corpus, home_container, label, last)]


def _by_corpus(chunks: Iterable[Chunk]) -> dict[str, list[Chunk]]:
    found: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        found.setdefault(chunk.corpus_id, []).append(chunk)
    return found


@lru_cache(maxsize=1 << 16)
def _labels(words: str) -> tuple[str, ...]:
    """The labels that the words may mean: one, or one for each unit when only a number is given."""
    label = normal_section(words)
    if not words.strip()[:1].isdigit():
        return (label,)
    number = label.split(" ", 1)[1]
    return tuple(f"{unit} {number}" for unit in (("Ziffer", "§", "Artikel") if "." in number else ("§", "Artikel", "Ziffer")))


def _without(text: str, mentions: tuple[Mention, ...]) -> str:
    for mention in mentions:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def _capital(text: str) -> str:
    """The words of an address as they are written in texts, no offset moved: "absatz 2" becomes "Absatz 2"."""
    return _KEYWORD.sub(lambda match: match[0][0].upper() + match[0][1:], text)


def _sections_of(text: str) -> tuple[Citation, ...]:
    return tuple(citation for citation in citations(text) if citation.unit != RELATIVE)


def _owners(citation: Citation, text: str, mentions: tuple[Mention, ...], names: Names) -> tuple[str, ...]:
    """The corpora whose law the citation names, ("",) if it names none, nothing if the law is not in stock."""
    if citation.law:
        return names.corpora_of(citation.law) or _longer(citation, mentions)
    near = [mention.corpus_id for mention in mentions if _touches(citation, mention, text)]
    return tuple(corpus for corpus in near if corpus != NOT_IN_STOCK) if near else ("",)


def _touches(citation: Citation, mention: Mention, text: str) -> bool:
    """Whether a name stands directly behind or in front of a citation, with an article at most between them."""
    if mention.start >= citation.end:
        return bool(_BEHIND.fullmatch(text, citation.end, mention.start))
    return mention.end <= citation.start and bool(_IN_FRONT.fullmatch(text, mention.end, citation.start))


def _longer(citation: Citation, mentions: tuple[Mention, ...]) -> tuple[str, ...]:
    """The corpora of a name that goes on where the grammar ended the law ("Richtlinie des Heilrats")."""
    begin = citation.end - len(citation.law)
    return tuple(m.corpus_id for m in mentions if m.start == begin and m.end > citation.end and m.corpus_id != NOT_IN_STOCK)

"""The words of the field as frozen values: addresses, chunks, specs, answers, candidates.

Everything here is immutable and made of plain data, so that a run can be stored as JSON and read back.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

VECTOR = "vector"
LEXICAL = "lexical"

# Kinds of retrieval, as they stand in a hit (SPEC: the hit).
SEMANTIC = "semantic"
LEXICAL_KIND = "lexical"
SECTION_LOOKUP: Literal["section_lookup"] = "section_lookup"
DEFINITION_LOOKUP: Literal["definition_lookup"] = "definition_lookup"
NEIGHBOR = "neighbor"
NORM_ANCHOR: Literal["norm_anchor"] = "norm_anchor"
VERWEIS: Literal["verweis"] = "verweis"


class Address(msgspec.Struct, frozen=True, order=True):
    """Where a norm stands: corpus · container · section · subsection. Parts not named are empty.

    ``section_id`` is whole and carries its unit: ``§ 129``, ``§ 129a``, ``Artikel 3``, ``Ziffer 4.10``, ``Anlage 1``.
    ``subsection`` is the number of the Absatz without parentheses: ``1``, ``4a``.
    """

    corpus_id: str
    container_id: str = ""
    section_id: str = ""
    subsection: str = ""


class Chunk(msgspec.Struct, frozen=True):
    """A piece of one norm: an Absatz, or a part of one that was split at a sentence end.

    ``chunk_id`` is made from the address and is unique in the stock. ``position`` is the running index inside the section
    (``chunk_index_in_section``), from 0. ``text`` is the Absatz as it is shown; ``heading`` is the heading of its norm.
    ``path`` names the structure above the norm (book, chapter), outermost first. ``extra`` keeps what a foreign hit brought along.
    """

    chunk_id: str
    corpus_id: str
    container_id: str = ""
    section_id: str = ""
    subsection: str = ""
    position: int | None = 0
    text: str = ""
    text_hash: str = ""
    heading: str = ""
    path: tuple[str, ...] = ()
    source: str = ""
    stand: str = ""
    repealed: bool = False
    extra: dict[str, Any] | None = None

    @property
    def address(self) -> Address:
        """The address of the norm that this chunk belongs to, with its Absatz."""
        return Address(self.corpus_id, self.container_id, self.section_id, self.subsection)

    @property
    def passage(self) -> str:
        """What is embedded: section and heading, then the text."""
        head = " ".join(part for part in (self.section_id, self.heading) if part)
        return f"{head}\n{self.text}" if head else self.text

    @property
    def wording(self) -> str:
        """What is searched for words: the passage, with the heading once more, for its words say what the norm is about."""
        return f"{self.heading}\n{self.passage}" if self.heading else self.passage


def hash_text(address: Address, text: str) -> str:
    """A stable hash of address and text (32 hex digits): two norms that read alike stay two."""
    parts = (address.corpus_id, address.container_id, address.section_id, address.subsection, text)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


CorpusKind = Literal["statute", "ordinance", "contract", "agreement", "directive", "other"]


class CorpusSpec(msgspec.Struct, frozen=True):
    """What a corpus says about itself.

    ``names`` are the names and abbreviations people use, without the title. ``invented`` marks rules that were made up for
    demonstration. ``stand`` is the wording of the source about its date of validity, all lines.
    """

    corpus_id: str
    title: str
    kind: CorpusKind = "other"
    names: tuple[str, ...] = ()
    stand: str = ""
    source: str = ""
    default_container_id: str = ""
    containers: tuple[str, ...] = ()
    invented: bool = False
    collection: str = ""


class Target(msgspec.Struct, frozen=True):
    """A norm that is to be fetched by its address: from an anchor or from a reference.

    ``container_id``, ``subsection`` and ``max_chunks`` may be None: not named, take the default.
    """

    corpus_id: str
    section_id: str
    container_id: str | None = None
    subsection: str | None = None
    max_chunks: int | None = None


# --- what the outside world answered --------------------------------------------------------------------------------

Status = Literal["ok", "empty", "failed"]


class RouteHit(msgspec.Struct, frozen=True, gc=False):
    """One place in the list that one route of one corpus handed over.

    ``score`` is the raw score of the route (cosine, BM25); ``scaled`` the same on the common scale from 0 to 1. ``words`` are the words
    of the question that matched (lexical route).
    """

    chunk_id: str
    score: float | None
    scaled: float | None = None
    words: tuple[str, ...] = ()


class RouteAnswer(msgspec.Struct, frozen=True):
    """What one route of one corpus found, best first. ``empty`` is information, ``failed`` is a fault.

    ``way`` says how it searched: ``exact`` (all vectors compared), ``index`` (Chroma's index), ``bm25``. ``note`` is a code for the
    page, such as ``no_usable_words``.
    """

    route: str
    status: Status
    hits: tuple[RouteHit, ...] = ()
    way: str = ""
    note: str = ""
    error_class: str = ""
    error: str = ""


class ReadyHit(msgspec.Struct, frozen=True, gc=False):
    """A hit that comes with its own rank: a looked-up section, or a hit of a retriever that is not ours."""

    chunk_id: str
    rank: float
    kinds: tuple[str, ...] = ()
    score: float | None = None
    cosine: float | None = None


class CorpusAnswer(msgspec.Struct, frozen=True):
    """Everything one corpus answered to one question. ``foreign`` marks a retriever that is not ours."""

    corpus_id: str
    status: Status
    routes: tuple[RouteAnswer, ...] = ()
    ready: tuple[ReadyHit, ...] = ()
    size: int = 0
    dropped_filter: str = ""
    foreign: bool = False
    error_class: str = ""
    error: str = ""


class Units(msgspec.Struct, frozen=True):
    """The answer to a look-up by address: found · not_found · repealed · failed · not_asked."""

    status: Literal["found", "not_found", "repealed", "failed", "not_asked"]
    hits: tuple[ReadyHit, ...] = ()
    error_class: str = ""
    error: str = ""


class Routing(msgspec.Struct, frozen=True):
    """One corpus that the router chose, with the words of the question that named it."""

    corpus_id: str
    words: tuple[str, ...] = ()


class AnchorClaim(msgspec.Struct, frozen=True):
    """One curated claim that applies to the question: its target, who wrote it and which words triggered it."""

    target: Target
    note: str = ""
    author: str = ""
    date: str = ""
    trigger: str = ""
    anchor_id: str = ""


ReferenceState = Literal["resolved", "repealed", "not_in_stock", "ambiguous", "open_ended", "quoted", "former"]


class Reference(msgspec.Struct, frozen=True, gc=False):
    """One norm that a text refers to; words that name a range give one reference for each norm, all with the same span.

    ``start``/``end`` are the character span in the chunk's text, ``words`` the text there, ``law`` the words that named the law (empty
    for the own text). ``target`` is the address in stock, or as far as it could be read; None when the law is not in stock.
    ``resolved`` means: this norm is in stock and in force. ``quoted`` stands between quotation marks or in a note of the editors,
    ``former`` means another version than the one in stock; neither is followed. ``alternatives`` are the readings of an ambiguous
    reference, the target first. ``sentence``, ``number`` and ``letter`` are the sub-levels of the first norm that the words name.
    """

    start: int
    end: int
    words: str
    state: ReferenceState
    target: Address | None = None
    law: str = ""
    alternatives: tuple[Address, ...] = ()
    sentence: str = ""
    number: str = ""
    letter: str = ""

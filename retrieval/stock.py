"""What a retriever works on: one corpus in memory, and what all corpora of a federation share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.addresses import AddressBook
from retrieval.chunkfile import ChunkFile
from retrieval.definitions import Definitions, Terms, read
from retrieval.errors import BrokenStock, EncoderError, UnknownCorpus
from retrieval.hits import metadata_of
from retrieval.lexical import LexicalIndex
from retrieval.model import Address, Chunk, CorpusSpec, Reference, Target
from retrieval.names import Names
from retrieval.ports import Encoder, Fingerprint, Question
from retrieval.readings import Reading
from retrieval.shelf import Layout
from retrieval.tokenizer import originals, tokens
from retrieval.where import matches


class Vectors(Protocol):
    """The vector search of one corpus; ``way`` says how it searches."""

    way: Any

    def search(self, vector: Any, k: int, mask: Any = None) -> list[tuple[int, float]]:
        """The ``k`` nearest chunks as (row, cosine), best first."""
        ...


Mask = NDArray[np.bool_] | None
"""For every chunk of a corpus whether it may appear; None: all may."""

_CONTENTS = frozenset({"inhaltsübersicht", "inhaltsverzeichnis"})
_CERTAIN = frozenset({"resolved", "repealed"})
_FILTERS = 8
"""So many filters are kept for each corpus."""


def _whole(norm: Address) -> Address:
    return Address(norm.corpus_id, norm.container_id, norm.section_id)


class NoVectors:
    """Stands where a corpus has no vector search; asked, it says why."""

    way = ""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def search(self, vector: Any, k: int, mask: Any = None) -> list[tuple[int, float]]:
        """Raises BrokenStock with the reason."""
        raise BrokenStock(self.reason)


class HeldChunks(tuple[Chunk, ...]):
    """Chunks in memory, found by their rows and by their ids."""

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of the chunks, in their order."""
        return tuple(chunk.chunk_id for chunk in self)

    @cached_property
    def layout(self) -> Layout:
        """How the chunks lie in sections."""
        return Layout.of(self)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {chunk_id: row for row, chunk_id in enumerate(self.ids)}

    def row(self, chunk_id: str) -> int | None:
        """The row of the chunk with this id; None where there is none."""
        return self._rows.get(chunk_id)


class CorpusStock:
    """One corpus as it stands in stock: its chunks in order, in their file or in memory, its vector search, its Chroma collection (None
    where that is closed).

    ``readings`` are the citations of the chunks, in their order; None: not read yet. ``definitions`` gives what they define when it is
    asked for first; None: it is read from the texts.
    """

    def __init__(
        self,
        spec: CorpusSpec,
        chunks: Sequence[Chunk],
        index: Vectors,
        fingerprint: Fingerprint,
        col: Any = None,
        readings: Sequence[Reading] | None = None,
        definitions: Callable[[], Definitions] | None = None,
    ) -> None:
        self.spec, self.index, self.fingerprint, self.col = spec, index, fingerprint, col
        self.chunks = chunks if isinstance(chunks, ChunkFile) else HeldChunks(chunks)
        self.readings, self._definitions = readings, definitions
        self._masks: dict[str, NDArray[np.bool_]] = {}

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the chunks, in their order."""
        return self.chunks.ids

    def mask(self, where: Mapping[str, Any] | None) -> Mask:
        """For every chunk whether its metadata fulfil ``where``; None where all do. Those of the last few filters are kept, as every
        filter reads the whole corpus once. Raises BadInput for an operator that is not known."""
        if not where:
            return None
        key = repr(where)
        found = self._masks.get(key)
        if found is None:
            found = np.fromiter((matches(metadata_of(chunk), where) for chunk in self.chunks), dtype=np.bool_, count=len(self.chunks))
            self._masks = dict([*self._masks.items(), (key, found)][-_FILTERS:])
        return found

    @cached_property
    def terms(self) -> Terms:
        """The terms that this corpus defines."""
        return Terms(read(self.chunks) if self._definitions is None else self._definitions())

    def chunk(self, chunk_id: str) -> Chunk:
        """The chunk with this id. Raises UnknownCorpus for an id that is not in this corpus."""
        row = self.chunks.row(chunk_id)
        if row is None:
            raise UnknownCorpus(
                f"The chunk {chunk_id!r} is not in the corpus {self.spec.corpus_id!r}. The stock may have changed; ask again."
            )
        return self.chunks[row]


class Federation:
    """What all corpora share: the words of all chunks, the addresses, the names, the encoders. Made once for a state of the stock.

    ``encoders`` has for every model in stock its encoder, or a sentence that says why there is none. Addresses, names and references are
    worked out when they are first asked for.
    """

    def __init__(self, stocks: Iterable[CorpusStock], lexical: LexicalIndex, encoders: Mapping[str, Encoder | str]) -> None:
        self._stocks = tuple(stocks)
        self._by_id = {stock.spec.corpus_id: stock for stock in self._stocks}
        self.lexical = lexical
        self.encoders = dict(encoders)
        self._references: dict[str, tuple[Reference, ...]] = {}
        self._encoding = threading.Lock()
        self._citing = threading.Lock()

    @cached_property
    def specs(self) -> dict[str, CorpusSpec]:
        """The specs of the corpora, by id, in the order of the stock."""
        return {stock.spec.corpus_id: stock.spec for stock in self._stocks}

    @cached_property
    def names(self) -> Names:
        """The names of all corpora."""
        return Names(self.specs)

    @cached_property
    def book(self) -> AddressBook:
        """The addresses of all chunks."""
        return AddressBook({stock.spec.corpus_id: stock.chunks for stock in self._stocks}, self.specs)

    @cached_property
    def containers(self) -> dict[str, tuple[str, ...]]:
        """The containers of each corpus, in the order of the stock; a corpus that has none counts as one without a name."""
        return {stock.spec.corpus_id: tuple(dict.fromkeys(name for name, _ in stock.chunks.layout.names)) for stock in self._stocks}

    def _found(self, chunk_id: str) -> tuple[CorpusStock, int] | None:
        """Where the chunk with this id stands. Ids begin with that of their corpus, so that one is asked first; none relies on it."""
        first = self._by_id.get(chunk_id.split(":", 1)[0])
        for stock in (*(() if first is None else (first,)), *self._stocks):
            if (row := stock.chunks.row(chunk_id)) is not None:
                return stock, row
        return None

    def chunk(self, chunk_id: str) -> Chunk:
        """The chunk with this id, of whatever corpus. Raises UnknownCorpus for an id that is not in stock."""
        found = self._found(chunk_id)
        if found is None:
            raise UnknownCorpus(f"The chunk {chunk_id!r} is not in stock. The stock may have changed; ask again.")
        stock, row = found
        return stock.chunks[row]

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        """The references in this chunk's text, in the order of the text; empty for a chunk that is not in stock."""
        from retrieval.verweise import references

        if chunk_id not in self._references:
            found = self._found(chunk_id)
            if found is None:
                return ()
            stock, row = found
            reading = None if stock.readings is None else stock.readings[row]
            self._references[chunk_id] = references(stock.chunks[row], self.book, self.names, reading)
        return self._references[chunk_id]

    def cited_by(self, norm: Address) -> tuple[tuple[str, Reference], ...]:
        """Who cites this norm or an Absatz of it: ids of the citing chunks in the order of the stock, each with its reference.

        Only what is certain counts: the norm is in stock, in force or repealed. A table of contents names every norm and cites none. The
        whole stock is read when this is asked for first.
        """
        return self._cited_by.get(_whole(norm), ())

    @property
    def _cited_by(self) -> dict[Address, tuple[tuple[str, Reference], ...]]:
        with self._citing:
            return self._reversed

    @cached_property
    def _reversed(self) -> dict[Address, tuple[tuple[str, Reference], ...]]:
        found: dict[Address, list[tuple[str, Reference]]] = {}
        for chunk in (chunk for stock in self._stocks for chunk in stock.chunks):
            if chunk.section_id.casefold() in _CONTENTS:
                continue
            for reference in self.references(chunk.chunk_id):
                if reference.target is not None and reference.state in _CERTAIN:
                    found.setdefault(_whole(reference.target), []).append((chunk.chunk_id, reference))
        return {norm: tuple(citing) for norm, citing in found.items()}

    def prepare(self, question: str, explicit_sections: Sequence[str] = ()) -> Question:
        """The question with its vector for every model in stock, its words, and the sections that it or the caller names.

        A model that gives no vector is named in ``encoder_error`` with the reason; the words and sections are there all the same.
        """
        vectors, errors = self._vectors(question)
        typed = [target for words in explicit_sections for target in self.book.read(words, self.names)]
        sections: tuple[Target, ...] = tuple(dict.fromkeys([*typed, *self.book.sections_named(question, self.names)]))
        spelled = tuple(dict.fromkeys(originals(question).values()))
        return Question(question, vectors, tokens(question), spelled, sections, errors)

    def _vectors(self, question: str) -> tuple[dict[str, Any], dict[str, str]]:
        vectors: dict[str, Any] = {}
        errors: dict[str, str] = {}
        made: dict[int, Any] = {}
        for model, encoder in self.encoders.items():
            if isinstance(encoder, str):
                errors[model] = encoder
                continue
            try:
                if id(encoder) not in made:
                    with self._encoding:
                        made[id(encoder)] = encoder.questions([question])[0]
                vectors[model] = made[id(encoder)]
            except EncoderError as error:
                errors[model] = str(error)
        return vectors, errors

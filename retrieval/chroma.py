"""The vectors: one Chroma collection per corpus, in a folder or on a server, read whole, searched exactly or by Chroma's index."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import BrokenStock, UnknownCorpus
from retrieval.model import Chunk
from retrieval.places import DATABASE, Place, Server, in_clear_words, named
from retrieval.ports import Matrix
from retrieval.vectorfile import load_matrix, save_matrix

Way = Literal["auto", "exact", "index"]
Mask = Sequence[bool] | NDArray[np.bool_]

EXACT_UP_TO = 200_000
"""Up to so many vectors every one is compared: 16 ms a question and 400 MB at 512 dimensions on two cores; Chroma's index takes 3 to 10 ms,
but leaves out some of the first hundred."""

# Chroma's defaults find 0.90 to 0.96 of the first hundred and answer differently after a restart; with these it is 0.998 and repeatable.
_CONFIGURATION = {"hnsw": {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 500, "sync_threshold": 2}}
_READ_PAGE = 5_000
_TIE = 1e-6
"""Cosines that differ by less are told apart by exact arithmetic only."""
_DIGITS = 7
_NEVER = np.float32(-2.0)
"""Less than any cosine."""
_SPARE = 50


# --- collections ----------------------------------------------------------------------------------------------------


def collection(client: Any, place: Place, name: str) -> Any:
    """The collection of this name, without Chroma's own embedding function, which would try a download. Raises UnknownCorpus."""
    from chromadb.errors import NotFoundError

    with in_clear_words(place):
        try:
            return client.get_collection(name, embedding_function=None)
        except NotFoundError as cause:
            raise UnknownCorpus(
                f"The collection {name!r} is missing from {named(place)}, though the manifest names it. Ingest it again."
            ) from cause


def new_collection(client: Any, place: Place, name: str) -> Any:
    """The collection of this name in cosine space, created if it is not there yet."""
    with in_clear_words(place):
        return client.get_or_create_collection(name, embedding_function=None, configuration=_CONFIGURATION)


def drop(client: Any, place: Place, name: str) -> None:
    """Deletes the collection of this name, if it is there, in a folder also the files of its index; a server's files are its own."""
    from chromadb.errors import NotFoundError

    with in_clear_words(place), suppress(NotFoundError):
        found = client.get_collection(name, embedding_function=None)
        files = [] if isinstance(place, Server) else _index_files(place, found.id)
        client.delete_collection(name)
        for path in files:
            shutil.rmtree(path, ignore_errors=True)


def _index_files(folder: Path, collection_id: object) -> list[Path]:
    """The folders of a collection's index, which Chroma leaves behind when the collection is deleted."""
    database = sqlite3.connect(folder / DATABASE)
    try:
        segments = database.execute("select id from segments where collection = ?", (str(collection_id),)).fetchall()
    finally:
        database.close()
    return [folder / str(UUID(segment)) for (segment,) in segments]


def names(client: Any, place: Place) -> tuple[str, ...]:
    """The names of all collections, sorted."""
    with in_clear_words(place):
        pages = (client.list_collections(limit=_READ_PAGE, offset=start) for start in itertools.count(0, _READ_PAGE))
        return tuple(sorted(found.name for found in itertools.chain.from_iterable(itertools.takewhile(bool, pages))))


def space(found: Any) -> str:
    """The metric of a collection: ``cosine``, ``l2`` or ``ip``."""
    return str(found.configuration_json["hnsw"]["space"])


def metadata(chunk: Chunk) -> dict[str, str | int | bool]:
    """The metadata of a chunk. What is absent has no key; ``has_subsection`` says whether the chunk belongs to a numbered Absatz."""
    texts = {
        "corpus_id": chunk.corpus_id,
        "container_id": chunk.container_id,
        "section_id": chunk.section_id,
        "subsection": chunk.subsection,
        "text_hash": chunk.text_hash,
        "heading": chunk.heading,
        "path": " › ".join(chunk.path),
        "source": chunk.source,
        "stand": chunk.stand,
    }
    found: dict[str, str | int | bool] = {key: text for key, text in texts.items() if text}
    if chunk.position is not None:
        found["chunk_index_in_section"] = chunk.position
    return found | {"has_subsection": bool(chunk.subsection), "repealed": chunk.repealed}


def write(client: Any, found: Any, place: Place, chunks: Sequence[Chunk], vectors: Matrix) -> None:
    """Chunks with their vectors (one row each) into a collection; a chunk that is there is replaced."""
    with in_clear_words(place):
        step = client.get_max_batch_size()
        for start in range(0, len(chunks), step):
            batch = chunks[start : start + step]
            found.upsert(
                ids=[chunk.chunk_id for chunk in batch],
                embeddings=vectors[start : start + step],
                documents=[chunk.text for chunk in batch],
                metadatas=[metadata(chunk) for chunk in batch],
            )


def count(found: Any, place: Place) -> int:
    """How many records the collection says it holds."""
    with in_clear_words(place):
        return int(found.count())


def vectors_by_id(found: Any, place: Place, ids: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    """The stored vectors of these ids, or of all; an id that is not there is not in the answer, one named twice is no error."""
    return {chunk_id: vector for names, vectors in pages(found, place, ids) for chunk_id, vector in zip(names, vectors, strict=True)}


def pages(found: Any, place: Place, ids: Sequence[str] | None = None) -> Iterator[tuple[list[str], NDArray[Any]]]:
    """The stored vectors of these ids, or of all, in pages of ids and rows; in Chroma's own order."""
    wanted = None if ids is None else list(dict.fromkeys(ids))
    with in_clear_words(place):
        total = int(found.count()) if wanted is None else len(wanted)
        for start in range(0, total, _READ_PAGE):
            part: dict[str, Any] = {"limit": _READ_PAGE, "offset": start} if wanted is None else {"ids": wanted[start : start + _READ_PAGE]}
            page = found.get(include=["embeddings"], **part)
            yield page["ids"], page["embeddings"]


def verify(found: Any, place: Place, expected: int, probe: Sequence[float] | None) -> None:
    """Raises BrokenStock unless the collection holds ``expected`` records and a question returns as many as asked for."""
    there = count(found, place)
    if there != expected:
        raise BrokenStock(f"The collection {found.name!r} holds {there} records; {expected} were written. Ingest the corpus again.")
    asked = min(50, expected)
    if not asked or probe is None:
        return
    with in_clear_words(place):
        answered = len(found.query(query_embeddings=[list(probe)], n_results=asked, include=["distances"])["ids"][0])
    if answered != asked:
        raise BrokenStock(
            f"The index of the collection {found.name!r} returned {answered} of {asked} records asked for; parts of it are lost. "
            "Ingest the corpus again."
        )


# --- searching ------------------------------------------------------------------------------------------------------


class VectorIndex:
    """The vectors of one corpus that take part in the search, by the row of their chunk.

    ``way`` is ``exact`` (every vector is compared) or ``index`` (Chroma's index, asked for more than needed and computed exactly
    afterwards). Both give cosines rounded to seven digits, and among equal ones the order of the chunks. ``is_kept`` says that all vectors
    were at hand in a file that is whole, so that the collection was not read.
    """

    def __init__(
        self,
        found: Any,
        place: Place,
        ids: Sequence[str],
        rows: Sequence[int] | NDArray[np.int64],
        way: Way = "auto",
        find: Callable[[str], int | None] | None = None,
        kept: Path | None = None,
    ) -> None:
        """``ids`` are the searchable chunks in order, ``rows`` their places among all chunks, ascending; ``find`` gives the row of an id.

        In the folder ``kept`` the compared vectors are kept once they were read, and mapped from there by all processes. Raises BrokenStock
        when a vector is missing or not all have one length.
        """
        self.way: Literal["exact", "index"] = ("exact" if len(ids) <= EXACT_UP_TO else "index") if way == "auto" else way
        self._found, self._at, self._ids, self._kept = found, place, ids, kept
        self._rows = np.asarray(rows, dtype=np.int64)
        self._find = find or dict(zip(ids, self._rows.tolist(), strict=True)).get
        _one_thread()
        self.is_kept = False
        self._matrix = self._all() if self.way == "exact" else self._read(list(ids[:1]))
        self.dimension = self._matrix.shape[1]
        self._total = count(found, place) if self.way == "index" else len(ids)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def probe(self) -> list[float] | None:
        """A stored vector, to ask Chroma's index for; None in an empty corpus."""
        return self._matrix[0].tolist() if len(self._matrix) else None

    def _all(self) -> Matrix:
        """The vectors of all chunks: as they were kept of this very collection, else read from it."""
        key = f"{self._found.id} {len(self)}"
        known = load_matrix(self._kept, key) if self._kept is not None else None
        self.is_kept = known is not None
        if known is None:
            # A product with one vector runs down the columns, which takes half the time of running along the rows.
            known = np.asfortranarray(self._read(list(self._ids)))
            if self._kept is not None and len(known):
                known = save_matrix(self._kept, key, known)
        return known

    def _read(self, ids: Sequence[str]) -> Matrix:
        """The vectors of these chunks, row by row: of all, or for Chroma's index of the first, whose length is that of all."""
        rows = {chunk_id: row for row, chunk_id in enumerate(ids)}
        matrix = np.empty((len(ids), 0), dtype=np.float32)
        read = 0
        for names, vectors in pages(self._found, self._at, ids if self.way == "index" else None):
            if not matrix.size:
                matrix = np.empty((len(ids), vectors.shape[1]), dtype=np.float32)
            here = [(rows[name], row) for row, name in enumerate(names) if name in rows]
            matrix[[row for row, _ in here]] = vectors[[row for _, row in here]]
            read += len(here)
        if read < len(ids):
            raise BrokenStock(
                f"The collection {self._found.name!r} has no vector for {len(ids) - read} of {len(ids)} chunks. Ingest the corpus again."
            )
        return _unit(matrix)

    def whole(self) -> VectorIndex:
        """These vectors with all of them compared, whatever their number: where a rank behind the near ones is asked for."""
        if self.way == "exact":
            return self
        return VectorIndex(self._found, self._at, self._ids, self._rows, "exact", self._find, self._kept)

    def search(self, vector: Matrix, k: int, mask: Mask | None = None) -> list[tuple[int, float]]:
        """The ``k`` nearest chunks as (row, cosine), best first; ``mask`` says for every chunk of the corpus whether it may appear.

        ``vector`` is a question's vector, one row or flat; it must have the index's dimension.
        """
        question = np.asarray(vector, dtype=np.float64).reshape(-1)
        if not len(self) or k < 1:
            return []
        if question.shape[0] != self.dimension:
            raise BrokenStock(f"The question has {question.shape[0]} numbers, the stored vectors have {self.dimension}. Use their encoder.")
        question = question / np.linalg.norm(question)
        may = None if mask is None else np.asarray(mask, dtype=np.bool_)[self._rows]
        places, vectors = self._all_near(question, k, may) if self.way == "exact" else self._asked(question, k, may)
        cosines = np.round(vectors.astype(np.float64) @ question, _DIGITS)
        order = np.lexsort((places, -cosines))[:k]
        return list(zip(self._rows[places[order]].tolist(), cosines[order].tolist(), strict=True))

    def _all_near(self, question: NDArray[np.float64], k: int, may: NDArray[np.bool_] | None) -> tuple[NDArray[np.int64], Matrix]:
        scores = self._matrix @ question.astype(np.float32)
        if may is not None:
            scores[~may] = _NEVER
        last = np.partition(scores, len(scores) - k)[len(scores) - k] if k < len(scores) else _NEVER
        near = np.flatnonzero(scores >= max(last, -1.5) - _TIE)
        return near, self._matrix[near]

    def _asked(self, question: NDArray[np.float64], k: int, may: NDArray[np.bool_] | None) -> tuple[NDArray[np.int64], Matrix]:
        asked, wanted = min(self._total, 2 * k + _SPARE), min(k, len(self) if may is None else int(may.sum()))
        while True:
            with in_clear_words(self._at):
                answer = self._found.query(query_embeddings=[question.tolist()], n_results=asked, include=["embeddings"])
            rows = np.array([-1 if (row := self._find(one)) is None else row for one in answer["ids"][0]], dtype=np.int64)
            places = np.minimum(np.searchsorted(self._rows, rows), len(self) - 1)
            usable = (self._rows[places] == rows) & (True if may is None else may[places])
            if int(usable.sum()) >= wanted or asked == self._total:
                break
            asked = min(self._total, 4 * asked)
        vectors = np.asarray(answer["embeddings"][0], dtype=np.float32).reshape(-1, self.dimension)
        return places[usable], _unit(vectors[usable])


@cache
def _one_thread() -> Any:
    """Bounds the linear algebra of this process to one thread, once and for good.

    A question is a product with one vector: a second thread gains a quarter where there are 100,000 of them and nothing below, and when
    the cores are busy the two wait for each other (95th percentile over 5,000 vectors: 70 against 4 ms).
    """
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController().limit(limits=1, user_api="blas")


def _unit(vectors: Matrix) -> Matrix:
    """Rows of length 1, so that a product is a cosine whatever metric the collection was made with; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)

"""The systems beside the product: one flat list over all chunks, made as a user of the library would make it.

Plain BM25 (``bm25s``, its own tokens), BM25 with our tokens, BM25 over whole norms, one dense model, and Chroma.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.quality_systems import System
from benchmarks.quality_vectors import Vectors
from retrieval.evaluation.model import Question, covers
from retrieval.model import Chunk
from retrieval.tokenizer import tokens

Lists = Callable[[Sequence[Question]], list[Sequence[Chunk]]]
"""The list of each question, best first."""
Place = tuple[Chunk, ...]
"""What one document holds: a chunk, or all chunks of a norm."""
_WIDER = 8
_ADDED = 5_000


class Flat:
    """The chunks of a stock as one heap, for lists of ``length`` places."""

    def __init__(self, chunks: Sequence[Chunk], vectors: Vectors, length: int, model: str = "use") -> None:
        self.chunks, self.vectors, self.length, self.model = tuple(chunks), vectors, length, model
        self._made: dict[str, Lists] = {}

    def lists(self, system: System) -> Lists:
        """The lists of a system that is not the product; its index is made once. Raises NotThere for a model that cannot be used here."""
        if system.name not in self._made:
            self._made[system.name] = self._lists(system)
        return self._made[system.name]

    def _lists(self, system: System) -> Lists:
        if system.way == "plain_words":
            return self.plain_words(system.whole_norms, system.once)
        if system.way == "our_words":
            return self.our_words(system.once)
        return self.dense(system.model, system.once) if system.way == "dense" else self.chroma()

    # --- by words -------------------------------------------------------------------------------------------------------

    def plain_words(self, whole_norms: bool = False, once: bool = False) -> Lists:
        """``bm25s`` as it comes: its own words without its German stop words, its own constants."""
        import bm25s

        places = self._norms() if whole_norms else [(chunk,) for chunk in self.chunks]
        corpus = bm25s.tokenize([_text(place) for place in places], stopwords="de", show_progress=False)
        return self._bm25(places, corpus, lambda text: bm25s.tokenize([text], stopwords="de", show_progress=False), once)

    def our_words(self, once: bool = False) -> Lists:
        """``bm25s`` with its own constants over the words that the product searches."""
        places = [(chunk,) for chunk in self.chunks]
        return self._bm25(places, [list(tokens(_text(place))) for place in places], lambda text: [list(tokens(text))], once)

    def _bm25(self, places: Sequence[Place], corpus: Any, ask: Callable[[str], Any], once: bool) -> Lists:
        import bm25s

        index = bm25s.BM25()
        index.index(corpus, show_progress=False)

        def lists(questions: Sequence[Question]) -> list[Sequence[Chunk]]:
            wanted = min(len(places), self.length * (_WIDER if once else 1))
            found: list[Sequence[Chunk]] = []
            for question in questions:
                numbers, scores = index.retrieve(ask(question.text), k=wanted, show_progress=False)
                hits = [places[int(one)] for one, score in zip(numbers[0], scores[0], strict=True) if score > 0]
                found.append(self._cut([_shown(place, question) for place in hits], once))
            return found

        return lists

    def _norms(self) -> list[Place]:
        norms: dict[tuple[str, str, str], list[Chunk]] = {}
        for chunk in self.chunks:
            norms.setdefault(_norm_of(chunk), []).append(chunk)
        return [tuple(chunks) for chunks in norms.values()]

    # --- by vectors -----------------------------------------------------------------------------------------------------

    def dense(self, model: str, once: bool = False) -> Lists:
        """All vectors of one model compared. Raises NotThere for a model that cannot be used here."""
        passages = self.vectors.passages(model, [chunk.passage for chunk in self.chunks])

        def lists(questions: Sequence[Question]) -> list[Sequence[Chunk]]:
            asked = self.vectors.questions(model, [question.text for question in questions])
            cosines = asked @ passages.T
            wanted = self.length * (_WIDER if once else 1)
            order = np.argsort(-cosines, axis=1, kind="stable")[:, :wanted]
            return [self._cut([self.chunks[int(one)] for one in row], once) for row in order]

        return lists

    def chroma(self) -> Lists:
        """The plain use of Chroma: one collection with everything in it, one query."""
        import chromadb

        texts = [chunk.passage for chunk in self.chunks]
        embeddings = self.vectors.passages(self.model, texts)
        client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
        name = f"everything-{id(self)}"
        collection = client.create_collection(name, embedding_function=None)
        for start in range(0, len(texts), _ADDED):
            part = slice(start, start + _ADDED)
            numbers = [str(number) for number in range(len(texts))[part]]
            collection.add(ids=numbers, documents=texts[part], embeddings=embeddings[part])

        def lists(questions: Sequence[Question]) -> list[Sequence[Chunk]]:
            asked = self.vectors.questions(self.model, [question.text for question in questions])
            found = collection.query(query_embeddings=asked, n_results=min(self.length, len(texts)), include=[])
            return [[self.chunks[int(one)] for one in ids] for ids in found["ids"]]

        return lists

    def _cut(self, chunks: Sequence[Chunk], once: bool) -> Sequence[Chunk]:
        if once:
            best: dict[tuple[str, str, str], Chunk] = {}
            for chunk in chunks:
                best.setdefault(_norm_of(chunk), chunk)
            chunks = list(best.values())
        return chunks[: self.length]


def _norm_of(chunk: Chunk) -> tuple[str, str, str]:
    return chunk.corpus_id, chunk.container_id, chunk.section_id


def _text(place: Place) -> str:
    return "\n".join([place[0].passage, *(chunk.text for chunk in place[1:])])


def _shown(place: Place, question: Question) -> Chunk:
    """The chunk that stands for a document: of a whole norm, whichever Absatz the question's gold asks for is there to be read."""
    golds = [gold.address for need in question.needs for gold in need.any_of]
    return next((chunk for chunk in place if any(covers(gold, chunk) for gold in golds)), place[0])

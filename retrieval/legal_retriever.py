"""The retriever of one corpus: a vector route, a word route, and the look-up of sections that the question names.

It hands over what its routes found before any fusion, so that weights can be moved without asking again. ``query`` is the same run over
this corpus alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from retrieval.background import scaled, scaled_words
from retrieval.decide import decide
from retrieval.definitions import Form, asked, words_of
from retrieval.errors import FundstelleError
from retrieval.hits import dictionaries, hits_of, metadata_of, sections_of
from retrieval.model import (
    DEFINITION_LOOKUP,
    LEXICAL,
    SECTION_LOOKUP,
    VECTOR,
    Chunk,
    CorpusAnswer,
    ReadyHit,
    Reference,
    RouteAnswer,
    RouteHit,
    Target,
    Units,
)
from retrieval.neighbors import with_neighbors
from retrieval.ports import Question
from retrieval.ranking import Entry
from retrieval.settings import Settings
from retrieval.stock import CorpusStock, Federation, Mask
from retrieval.trace import Pool
from retrieval.where import matches

_LOOKUP_CHUNKS = 5
_DEFINED: dict[Form, float] = {"stated": 1.0, "bracketed": 0.9, "loose": 0.5}
"""The rank of a looked-up definition by its form."""
_WIDER = 3  # how much further the search looks before it says that nothing is there
_NEAR = 0.06
"""Scaled cosine from which a passage may hold the answer, and the share of a question's words, by their weight, that speaks for one.

Both were chosen so that hardly ever nothing is said to be there while the stock has the norm; benchmarks/negative.py measures it.
"""
_SHARE = 0.4


class LegalRetriever:
    """One corpus in stock, asked by meaning, by words and by address.

    ``federation`` is what all corpora share: names, addresses, the word index with its federation-wide frequencies, the encoder.
    """

    def __init__(self, stock: CorpusStock, federation: Federation) -> None:
        self.stock = stock
        self.federation = federation
        self.corpus_id = stock.spec.corpus_id

    # --- the question -------------------------------------------------------------------------------------------------

    def prepare(self, question: str, explicit_sections: Sequence[str] = ()) -> Question:
        """The question embedded once for the federation, split into words, with the sections that it or the caller names."""
        return self.federation.prepare(question, explicit_sections)

    def candidates(self, question: Question, fetch_k: int, where: Mapping[str, Any] | None = None) -> CorpusAnswer:
        """What both routes found, best first, at most ``fetch_k`` each, and the sections and definitions that the question is after."""
        rows = self.stock.mask(where)
        routes = (self._vector(question, fetch_k, rows), self._lexical(question, fetch_k, rows))
        ready = (*self._named_sections(question, where), *self._definitions(question, where))
        found = bool(ready) or any(route.hits for route in routes)
        failed = all(route.status == "failed" for route in routes)
        status: Any = "ok" if found else "failed" if failed else "empty"
        error = next((route for route in routes if route.status == "failed"), None) if failed else None
        return CorpusAnswer(
            self.corpus_id,
            status,
            routes,
            ready,
            size=len(self.stock.chunks),
            error_class=error.error_class if error else "",
            error=error.error if error else "",
        )

    def affinity(self, question: Question) -> float:
        """How near this corpus is to the question, from 0 to 1: the mean of its best passage by meaning and its best by words.

        Both count alike, whatever the weights of the fusion; a route that failed is left out. The best one, not the mean of several: a
        small corpus may hold one norm only, and that the decisive one.
        """
        lexical, words = self.federation.lexical, question.tokens
        found = [scaled_words(lexical.best(self.corpus_id, words), lexical.ceiling(words)) if words else 0.0]
        vector = self._vector(question, 1, None)
        if vector.status != "failed":
            found.append(max((hit.scaled or 0.0 for hit in vector.hits), default=0.0))
        return round(sum(found) / len(found), 4)

    def _vector(self, question: Question, fetch_k: int, rows: Mask) -> RouteAnswer:
        fingerprint = self.stock.fingerprint
        if fingerprint.model in question.encoder_error:
            return RouteAnswer(
                VECTOR, "failed", note="no_encoder", error_class="EncoderError", error=question.encoder_error[fingerprint.model]
            )
        try:
            found = self.stock.index.search(question.vectors[fingerprint.model], fetch_k, rows)
        except FundstelleError as error:
            return RouteAnswer(VECTOR, "failed", error_class=type(error).__name__, error=str(error))
        ids, background, near = self.stock.ids, fingerprint.background, fingerprint.near
        hits = tuple(RouteHit(ids[row], cosine, scaled(cosine, background, near)) for row, cosine in found)
        return RouteAnswer(VECTOR, "ok" if hits else "empty", hits, way=self.stock.index.way, note="" if ids else "empty_corpus")

    def _lexical(self, question: Question, fetch_k: int, rows: Mask) -> RouteAnswer:
        if not question.tokens:
            return RouteAnswer(LEXICAL, "empty", way="bm25", note="no_usable_words")
        lexical = self.federation.lexical
        ceiling = lexical.ceiling(question.tokens)
        found = lexical.search(self.corpus_id, question.text, question.tokens, fetch_k, rows)
        ids = self.stock.ids
        hits = tuple(RouteHit(ids[row], score, scaled_words(score, ceiling), words) for row, score, words in found)
        return RouteAnswer(LEXICAL, "ok" if hits else "empty", hits, way="bm25")

    def _named_sections(self, question: Question, where: Mapping[str, Any] | None) -> tuple[ReadyHit, ...]:
        mine = [target for target in question.sections if target.corpus_id in ("", self.corpus_id)]
        found: dict[str, ReadyHit] = {}
        for target in mine:
            here = msgspec.structs.replace(target, corpus_id=self.corpus_id, max_chunks=target.max_chunks or _LOOKUP_CHUNKS)
            for hit in self.units(here).hits:
                if matches(metadata_of(self.chunk(hit.chunk_id)), where):
                    found.setdefault(hit.chunk_id, hit)
        return tuple(found.values())

    def _definitions(self, question: Question, where: Mapping[str, Any] | None) -> tuple[ReadyHit, ...]:
        terms = asked(question.text)
        found = self.stock.terms.find(terms) if terms else ()
        chunks = [(self.stock.chunks[row], _DEFINED[one.form]) for row, one in found]
        return tuple(
            ReadyHit(chunk.chunk_id, rank, (DEFINITION_LOOKUP,), rank) for chunk, rank in chunks if matches(metadata_of(chunk), where)
        )

    # --- look-ups -----------------------------------------------------------------------------------------------------

    def chunk(self, chunk_id: str) -> Chunk:
        """The chunk with this id."""
        return self.stock.chunk(chunk_id)

    def units(self, target: Target) -> Units:
        """The chunks of a norm by its address alone; without a container the corpus's default one."""
        container = target.container_id
        if container is None:
            container = self.stock.spec.default_container_id or None
        asked = msgspec.structs.replace(target, corpus_id=self.corpus_id, container_id=container)
        ids = self.federation.book.find(asked)
        state: Any = self.federation.book.state(asked)
        return Units(state, tuple(ReadyHit(chunk_id, 1.0, (SECTION_LOOKUP,), 1.0) for chunk_id in ids[: target.max_chunks]))

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        """The references in this chunk's text, in the order of the text."""
        return self.federation.references(chunk_id)

    def get_units(
        self, section_id: str, container: str | None = None, subsection: str | None = None, max_chunks: int | None = None
    ) -> list[dict[str, Any]]:
        """A norm's chunks as hits with score 1.0, by metadata alone, in the order of the text."""
        units = self.units(Target(self.corpus_id, section_id, container, subsection, max_chunks))
        chunks = [self.chunk(hit.chunk_id) for hit in units.hits]
        entries = [Entry(one.chunk_id, self.corpus_id, one.chunk_id, 1.0, 1.0, kinds=(SECTION_LOOKUP,)) for one in chunks]
        return dictionaries(entries, {one.chunk_id: one for one in chunks})

    # --- the drop-in face ---------------------------------------------------------------------------------------------

    def query(
        self,
        question: str,
        top_k: int | None = None,
        fetch_k: int | None = None,
        where: Mapping[str, Any] | None = None,
        max_final_results: int | None = None,
        explicit_sections: str | Sequence[str] = (),
        include_neighbors: bool = False,
        enable_definition_lookup: bool = False,
    ) -> list[dict[str, Any]]:
        """The fused list of this corpus alone, as dictionaries.

        ``enable_definition_lookup``: a question for the meaning of a term finds where this corpus defines it. ``include_neighbors``: behind
        a hit that is one part of an Absatz stand its neighbours, at most two on either side, in excess of the limit.
        """
        settings = Settings.of({} if fetch_k is None else {"fetch_k": fetch_k})
        pool = self._pool(question, settings.gathering.fetch_k, where, sections_of(explicit_sections), enable_definition_lookup)
        trace = decide(pool, settings, max_final_results or top_k)
        return hits_of(with_neighbors(trace, lambda corpus: self) if include_neighbors else trace)

    def _pool(
        self, question: str, fetch_k: int, where: Mapping[str, Any] | None, explicit_sections: Sequence[str], definitions: bool
    ) -> Pool:
        answer = self.candidates(self.prepare(question, explicit_sections), fetch_k, where)
        if not definitions:
            answer = msgspec.structs.replace(answer, ready=tuple(hit for hit in answer.ready if DEFINITION_LOOKUP not in hit.kinds))
        ids = [hit.chunk_id for route in answer.routes for hit in route.hits] + [hit.chunk_id for hit in answer.ready]
        chunks = {chunk_id: self.chunk(chunk_id) for chunk_id in ids}
        return Pool(
            question=question,
            fetch_k=fetch_k,
            available=(self.corpus_id,),
            routings=(),
            claims=(),
            named=(),
            answers={self.corpus_id: answer},
            anchor_units=(),
            references={},
            reference_units={},
            chunks=chunks,
            identities={chunk_id: f"{one.corpus_id}\x1f{one.text_hash}" for chunk_id, one in chunks.items()},
            specs={self.corpus_id: self.stock.spec},
        )

    def verify_negative_result(self, question: str) -> dict[str, Any]:
        """Whether "nothing here" may be said of this corpus: a search three times as wide finds no passage that may hold the answer.

        An objection (``reason``) is a section that the question names (``section_named``), a definition it asks for
        (``definition_found``), a passage whose cosine lies above what unrelated passages reach (``passage_near``), or one that holds a
        large share of what the question's words weigh (``words_found``); else ``nothing_near``. The order of ranks plays no part.
        Beside ``safe`` stand ``best_decision_score``, the same on the common scale as ``best_scaled``, the ``best_share`` of words, and
        ``chunk_id`` of the passage that objects, empty where none does.
        Raises FundstelleError when the vector route failed, for then nothing was refuted.
        """
        return self.verdict(self.prepare(question))

    def verdict(self, question: Question) -> dict[str, Any]:
        """``verify_negative_result`` for a question that was prepared once for all corpora."""
        answer = self.candidates(question, Settings().gathering.fetch_k * _WIDER)
        vector = answer.routes[0]
        if vector.status == "failed":
            raise FundstelleError(f"{self.corpus_id}: the vector route failed ({vector.error}); nothing can be ruled out.")
        nearest = max(vector.hits, key=lambda hit: hit.scaled or 0.0, default=RouteHit("", 0.0, 0.0))
        words, share = self._most_words(question, answer.routes[1])
        named = next((hit for hit in answer.ready), None)
        if named is not None:
            reason, chunk_id = ("definition_found" if named.kinds == (DEFINITION_LOOKUP,) else "section_named"), named.chunk_id
        elif (nearest.scaled or 0.0) >= _NEAR:
            reason, chunk_id = "passage_near", nearest.chunk_id
        else:
            reason, chunk_id = ("words_found", words) if share >= _SHARE else ("nothing_near", "")
        return {
            "safe": reason == "nothing_near",
            "corpus_id": self.corpus_id,
            "best_decision_score": nearest.score or 0.0,
            "best_scaled": nearest.scaled or 0.0,
            "best_share": share,
            "reason": reason,
            "chunk_id": chunk_id,
        }

    def _most_words(self, question: Question, lexical: RouteAnswer) -> tuple[str, float]:
        """The passage that holds the largest share of what the question's words weigh, and that share.

        Whole words count: a part of a compound is too common to speak for a passage.
        """
        wanted = self.federation.lexical.weights(tuple(dict.fromkeys(words_of(question.text))))
        best, most = "", 0.0
        for hit in lexical.hits:
            at_most = {word for spelled in hit.words for word in words_of(spelled)}
            if sum(wanted.get(word, 0.0) for word in at_most) > most:
                held = at_most.intersection(words_of(self.chunk(hit.chunk_id).passage))
                weight = sum(wanted.get(word, 0.0) for word in held)
                best, most = (hit.chunk_id, weight) if weight > most else (best, most)
        whole = sum(wanted.values())
        return best, most / whole if whole else 0.0

    @property
    def col(self) -> Any:
        """The corpus's Chroma collection."""
        return self.stock.col

    @property
    def collection_name(self) -> str:
        """The name of the collection."""
        return self.stock.spec.collection

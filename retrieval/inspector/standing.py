"""Where any chunk stands in both routes of its corpus: over all chunks that are searched, not only over those that were fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from retrieval.background import scaled, scaled_words
from retrieval.chroma import VectorIndex
from retrieval.errors import FundstelleError
from retrieval.federated import FederatedRetriever
from retrieval.hits import metadata_of
from retrieval.legal_retriever import LegalRetriever
from retrieval.model import LEXICAL, VECTOR, RouteHit
from retrieval.ports import Question
from retrieval.where import for_corpus, matches

RouteState = Literal[
    "ranked",
    "no_match",  # the chunk holds none of the question's words
    "no_words",  # the question holds no word that can be searched
    "repealed",  # what is out of force takes no part in the search
    "filtered",  # the filter of the question leaves it out
    "failed",  # nothing can be said: no encoder, no vectors
]


class RouteStanding(msgspec.Struct, frozen=True):
    """One chunk in one route.

    ``rank`` counts from 1 over the ``of`` chunks of its corpus that the route ranks; 0 in every state but ``ranked``. ``score`` is the raw
    score (cosine, BM25), ``scaled`` the same from 0 to 1. ``overall`` is the rank over all ``overall_of`` chunks that the route ranks in
    the selected corpora; 0 where that is not defined: its corpus is not selected, or one of the selected cannot be ranked. ``words`` are
    the words of the question that it holds.
    """

    route: str
    state: RouteState
    rank: int = 0
    of: int = 0
    score: float | None = None
    scaled: float | None = None
    words: tuple[str, ...] = ()
    overall: int = 0
    overall_of: int = 0
    error_class: str = ""
    error: str = ""


class Standing(msgspec.Struct, frozen=True):
    """One chunk in both routes."""

    chunk_id: str
    vector: RouteStanding
    lexical: RouteStanding

    def route(self, name: str) -> RouteStanding:
        """The standing in the route of this name."""
        return self.vector if name == VECTOR else self.lexical

    def sum(self, shares: Mapping[str, float]) -> float:
        """The weighted sum of both scaled scores: what ordered the chunk if every chunk were fetched."""
        return sum(share * (self.route(name).scaled or 0.0) for name, share in shares.items())


class _Ranked(msgspec.Struct, frozen=True):
    """All hits of one route of one corpus, best first, and the place of each; or the fault for which there are none."""

    hits: tuple[RouteHit, ...] = ()
    places: dict[str, int] = {}
    state: RouteState = "ranked"
    error_class: str = ""
    error: str = ""


class Standings:
    """The standings for one question; every corpus is ranked once, when it is first needed.

    ``selected`` are the corpora over which the overall ranks run, ``where`` is the filter of the run.
    """

    def __init__(
        self, question: str, federation: FederatedRetriever, selected: Sequence[str] = (), where: Mapping[str, Any] | None = None
    ) -> None:
        self._text, self._selected, self._where = question, tuple(selected), where
        self._registry = getattr(federation.registry, "state", federation.registry)
        self._prepared: dict[int, Question] = {}
        self._ranked: dict[tuple[str, str], _Ranked] = {}

    def of(self, corpus_id: str, chunk_ids: Sequence[str]) -> dict[str, Standing]:
        """The standing of each of these chunks of one corpus. Empty for a retriever that is not ours: it hands over no routes.

        Raises UnknownCorpus for a corpus or chunk that is not in stock, BrokenStock for a corpus that is blocked.
        """
        retriever = self._registry.retriever(corpus_id)
        if not isinstance(retriever, LegalRetriever):
            return {}
        return {one: Standing(one, *(self._standing(retriever, one, route) for route in (VECTOR, LEXICAL))) for one in chunk_ids}

    # --- one chunk ----------------------------------------------------------------------------------------------------

    def _standing(self, retriever: LegalRetriever, chunk_id: str, route: str) -> RouteStanding:
        chunk = retriever.chunk(chunk_id)
        if chunk.repealed:
            return RouteStanding(route, "repealed")
        if not matches(metadata_of(chunk), self._filter(retriever)):
            return RouteStanding(route, "filtered")
        ranked = self._of_corpus(retriever, route)
        if ranked.state != "ranked":
            return RouteStanding(route, ranked.state, error_class=ranked.error_class, error=ranked.error)
        place = ranked.places.get(chunk_id)
        if place is None:
            return RouteStanding(route, "no_match", of=len(ranked.hits))
        hit = ranked.hits[place]
        overall, overall_of = self._overall(retriever.corpus_id, route, hit)
        return RouteStanding(route, "ranked", place + 1, len(ranked.hits), hit.score, hit.scaled, hit.words, overall, overall_of)

    def _overall(self, corpus_id: str, route: str, hit: RouteHit) -> tuple[int, int]:
        """The rank among the chunks of all selected corpora, as the run orders them, and how many those are."""
        try:
            retrievers = [self._registry.retriever(corpus) for corpus in self._selected]
        except FundstelleError:
            return 0, 0
        if corpus_id not in self._selected or not all(isinstance(one, LegalRetriever) for one in retrievers):
            return 0, 0
        ranked = [self._of_corpus(one, route) for one in retrievers]
        if any(one.state != "ranked" for one in ranked):
            return 0, 0
        mine = _order(hit)
        return 1 + sum(_order(other) < mine for one in ranked for other in one.hits), sum(len(one.hits) for one in ranked)

    # --- one corpus ---------------------------------------------------------------------------------------------------

    def _of_corpus(self, retriever: LegalRetriever, route: str) -> _Ranked:
        key = retriever.corpus_id, route
        if key not in self._ranked:
            self._ranked[key] = self._vector(retriever) if route == VECTOR else self._lexical(retriever)
        return self._ranked[key]

    def _vector(self, retriever: LegalRetriever) -> _Ranked:
        stock, question = retriever.stock, self._question(retriever)
        fingerprint = stock.fingerprint
        if fingerprint.model in question.encoder_error:
            return _Ranked(state="failed", error_class="EncoderError", error=question.encoder_error[fingerprint.model])
        try:
            index = stock.index.whole() if isinstance(stock.index, VectorIndex) else stock.index
            found = index.search(question.vectors[fingerprint.model], len(stock.chunks), self._mask(retriever))
        except FundstelleError as error:
            return _Ranked(state="failed", error_class=type(error).__name__, error=str(error))
        background, near = fingerprint.background, fingerprint.near
        return _ranked([RouteHit(stock.ids[row], cosine, scaled(cosine, background, near)) for row, cosine in found])

    def _lexical(self, retriever: LegalRetriever) -> _Ranked:
        question, lexical = self._question(retriever), retriever.federation.lexical
        if not question.tokens:
            return _Ranked(state="no_words")
        ids, ceiling = retriever.stock.ids, lexical.ceiling(question.tokens)
        found = lexical.search(retriever.corpus_id, question.text, question.tokens, len(ids), self._mask(retriever))
        return _ranked([RouteHit(ids[row], score, scaled_words(score, ceiling), words) for row, score, words in found])

    def _question(self, retriever: LegalRetriever) -> Question:
        key = id(retriever.federation)
        if key not in self._prepared:
            self._prepared[key] = retriever.prepare(self._text)
        return self._prepared[key]

    def _filter(self, retriever: LegalRetriever) -> dict[str, Any] | None:
        return for_corpus(self._where, retriever.stock.spec.default_container_id)[0]

    def _mask(self, retriever: LegalRetriever) -> Any:
        return retriever.stock.mask(self._filter(retriever))


def _ranked(hits: list[RouteHit]) -> _Ranked:
    return _Ranked(tuple(hits), {hit.chunk_id: place for place, hit in enumerate(hits)})


def _order(hit: RouteHit) -> tuple[float, float, str]:
    """The order of a route over several corpora, as ``decide`` has it."""
    return -(hit.scaled or 0.0), -(hit.score or 0.0), hit.chunk_id

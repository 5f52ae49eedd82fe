"""Builders with defaults: pools, answers and chunks for tests that need no index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from retrieval.model import (
    AnchorClaim,
    Chunk,
    CorpusAnswer,
    CorpusSpec,
    ReadyHit,
    Reference,
    RouteAnswer,
    RouteHit,
    Routing,
    Target,
    Units,
    hash_text,
)
from retrieval.ranking import Entry
from retrieval.stages.fusion import RERANKER, logistic
from retrieval.trace import Pool, target_key


def chunk(chunk_id: str, corpus: str = "gesetz", section: str = "§ 1", **more: object) -> Chunk:
    """A chunk whose text is its id."""
    values: dict[str, object] = {"text": f"Text {chunk_id}", "section_id": section, **more}
    bare = Chunk(chunk_id, corpus, **values)  # type: ignore[arg-type]
    return Chunk(chunk_id, corpus, **{**values, "text_hash": hash_text(bare.address, f"{chunk_id} {bare.text}")})  # type: ignore[arg-type]


def entry(chunk_id: str, rank: float, corpus: str = "gesetz", **more: object) -> Entry:
    """A living entry."""
    return Entry(chunk_id, corpus, str(more.pop("identity", chunk_id)), rank, **more)  # type: ignore[arg-type]


def route(name: str, hits: Mapping[str, float] | None = None, failed: bool = False) -> RouteAnswer:
    """One route's answer; a score is its own scaled score."""
    if failed:
        return RouteAnswer(name, "failed", error_class="RuntimeError", error="kaputt")
    ordered = sorted((hits or {}).items(), key=lambda pair: -pair[1])
    return RouteAnswer(name, "ok" if ordered else "empty", tuple(RouteHit(key, score, score) for key, score in ordered), way="exact")


def answer(
    corpus: str,
    vector: Mapping[str, float] | None = None,
    lexical: Mapping[str, float] | None = None,
    ready: Sequence[ReadyHit] = (),
    failed_routes: Sequence[str] = (),
) -> CorpusAnswer:
    """The answer of one corpus of ours."""
    routes = (route("vector", vector, "vector" in failed_routes), route("lexical", lexical, "lexical" in failed_routes))
    return CorpusAnswer(corpus, "ok", routes, tuple(ready), size=100)


def with_reranker(made: Pool, raw: Mapping[str, float]) -> Pool:
    """The pool with these raw scores of a reranker; what they do not name was not shown to it."""
    answers = {}
    for corpus, one in made.answers.items():
        shown = {hit.chunk_id for found in one.routes for hit in found.hits if hit.chunk_id in raw}
        hits = [RouteHit(chunk_id, raw[chunk_id], logistic(raw[chunk_id])) for chunk_id in sorted(shown, key=lambda one: (-raw[one], one))]
        scored = RouteAnswer(RERANKER, "ok" if hits else "empty", tuple(hits))
        answers[corpus] = replace(one, routes=(*one.routes, scored)) if one.routes else one
    return replace(made, answers=answers)


def pool(
    answers: Sequence[CorpusAnswer],
    chunks: Sequence[Chunk],
    *,
    routed: Sequence[str] = (),
    claims: Sequence[tuple[AnchorClaim, Units]] = (),
    named: Sequence[str] = (),
    references: Mapping[str, Sequence[Reference]] | None = None,
    units: Mapping[Target, Units] | None = None,
    available: Sequence[str] | None = None,
) -> Pool:
    """A pool in which every answer's corpus is available."""
    stock = tuple(available if available is not None else [one.corpus_id for one in answers])
    return Pool(
        question="Frage",
        fetch_k=60,
        available=stock,
        routings=tuple(Routing(corpus, (corpus,)) for corpus in routed),
        claims=tuple(claim for claim, _ in claims),
        named=tuple(named),
        answers={one.corpus_id: one for one in answers},
        anchor_units=tuple(found for _, found in claims),
        references={key: tuple(found) for key, found in (references or {}).items()},
        reference_units={target_key(target): found for target, found in (units or {}).items()},
        chunks={one.chunk_id: one for one in chunks},
        identities={one.chunk_id: f"{one.corpus_id}\x1f{one.text_hash}" for one in chunks},
        specs={corpus: CorpusSpec(corpus, corpus.upper()) for corpus in stock},
    )

"""A retriever that is not ours, seen through our eyes: only ``query``, perhaps ``get_units``.

Its hits keep their own ranks and everything else they brought along. It is handed only the keywords that its ``query`` declares, read
from the signature once; a ``TypeError`` from inside is its failure and never a reason to call it again with less.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.errors import FundstelleError
from retrieval.model import Chunk, CorpusAnswer, ReadyHit, Target, Units
from retrieval.ranking import entry_of


def declared_keywords(function: Any) -> frozenset[str] | None:
    """The keywords that ``function`` declares; None when it takes any."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY)


def accepted(keywords: Mapping[str, Any], declared: frozenset[str] | None) -> dict[str, Any]:
    """The keywords that are declared."""
    return {name: value for name, value in keywords.items() if declared is None or name in declared}


class ForeignCorpus:
    """One foreign retriever under its corpus id; collects the chunks that its hits speak of."""

    def __init__(self, corpus_id: str, retriever: Any) -> None:
        self.corpus_id = corpus_id
        self.chunks: dict[str, Chunk] = {}
        self.identities: dict[str, str] = {}
        self._retriever = retriever
        self._query_keywords = declared_keywords(retriever.query)
        get_units = getattr(retriever, "get_units", None)
        self._units_keywords = declared_keywords(get_units) if get_units else None

    def answer(self, question: str, keywords: Mapping[str, Any], dropped_filter: str = "") -> CorpusAnswer:
        """The retriever's answer; raises what the retriever raises."""
        found = self._retriever.query(question, **accepted(keywords, self._query_keywords))
        ready = self._ready(found or ())
        status: Any = "ok" if ready else "empty"
        return CorpusAnswer(self.corpus_id, status, ready=ready, dropped_filter=dropped_filter, foreign=True)

    def units(self, target: Target) -> Units:
        """The look-up of a norm; raises what the retriever raises, or FundstelleError when it has no look-up."""
        if not hasattr(self._retriever, "get_units"):
            raise FundstelleError(f"{self.corpus_id}: this retriever has no get_units, so no norm can be fetched by its address.")
        keywords = {"container": target.container_id, "subsection": target.subsection, "max_chunks": target.max_chunks}
        found = self._retriever.get_units(target.section_id, **accepted(keywords, self._units_keywords))
        ready = self._ready(found or ())
        return Units("found" if ready else "not_found", ready)

    def _ready(self, hits: Sequence[Mapping[str, Any]]) -> tuple[ReadyHit, ...]:
        return tuple(self._take(hit) for hit in hits)

    def _take(self, raw: Mapping[str, Any]) -> ReadyHit:
        hit = copy.deepcopy(dict(raw))
        hit.setdefault("corpus_id", self.corpus_id)
        chunk_id = f"{self.corpus_id}#{len(self.chunks)}"
        entry = entry_of(hit, chunk_id)
        metadata = hit.get("metadata") or {}
        self.chunks[chunk_id] = Chunk(
            chunk_id,
            self.corpus_id,
            str(metadata.get("container_id") or hit.get("container") or ""),
            str(metadata.get("section_id") or hit.get("section") or ""),
            str(metadata.get("subsection") or ""),
            metadata.get("chunk_index_in_section", hit.get("chunk_index")),
            str(hit.get("text", "")),
            str(metadata.get("text_hash") or ""),
            str(metadata.get("heading") or ""),
            source=str(metadata.get("source") or ""),
            stand=str(metadata.get("stand") or metadata.get("Stand") or ""),
            extra=hit,
        )
        self.identities[chunk_id] = entry.identity
        return ReadyHit(chunk_id, entry.rank, entry.kinds, entry.score)

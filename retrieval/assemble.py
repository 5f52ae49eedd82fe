"""Where the parts are put together: a folder of corpora and an anchor register become a federated retriever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retrieval.anchors import AnchorRegister
from retrieval.federated import FederatedRetriever
from retrieval.hits import target_of
from retrieval.model import Address, Chunk, Reference, Routing, Target
from retrieval.ranking import entry_of
from retrieval.registry import CorpusRegistry
from retrieval.reranking import RememberingReranker
from retrieval.router import NameRouter
from retrieval.settings import KNOBS, Settings
from retrieval.stages.references import targets


class StoredReferences:
    """The references of the stock as a provider: each chunk's references, read once.

    As a callable it is the drop-in ``(hits, ids) -> targets``: best hit first, then the order of the text, at most as many as can be
    followed at all.
    """

    def __init__(self, registry: CorpusRegistry) -> None:
        self._registry = registry

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        """The references in this chunk's text, in the order of the text."""
        return self._registry.federation.references(chunk_id)

    def __call__(self, hits: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> list[Target]:
        """Targets of the hits' references in the corpora ``ids``, for hits that carry a ``chunk_id`` in their metadata."""
        entries = [entry_of(hit, str((hit.get("metadata") or {}).get("chunk_id", ""))) for hit in hits]
        known = [entry for entry in entries if entry.chunk_id]
        chunks: dict[str, Chunk] = {entry.chunk_id: self._registry.retriever(entry.corpus_id).chunk(entry.chunk_id) for entry in known}
        read = {entry.chunk_id: self.references(entry.chunk_id) for entry in known}
        found = targets(known, read, chunks, ids, int(KNOBS["max_verweis_normen"].high), None)
        return [_target(one.target) for one in found if one.fate == "follow" and one.target is not None]


def _target(address: Address) -> Target:
    return target_of(
        {
            "corpus_id": address.corpus_id,
            "section_id": address.section_id,
            "container_id": address.container_id,
            "subsection": address.subsection or None,
        }
    )


def open_federation(
    index: Path,
    anchors: Path | None = None,
    encoder: str | None = None,
    settings: Settings | None = None,
    reranker: str | None = None,
) -> FederatedRetriever:
    """The federation over the corpora in ``index``, with the register in the file ``anchors``.

    ``encoder`` names another encoder than the one that the stock was made with, ``reranker`` a cross-encoder (folder, or name of a
    downloaded one), which is loaded when a question first asks for it. Raises NoDatabase when nothing is stored at ``index``, and
    BadRegister for a faulty register.
    """
    registry = CorpusRegistry(index, encoder)
    register = AnchorRegister.load(anchors) if anchors else AnchorRegister(())
    router = StockRouter(registry)
    return FederatedRetriever(
        registry,
        router=router,
        anchors=register,
        verweise=StoredReferences(registry),
        named_corpora=router.named_corpora,
        reranker=RememberingReranker.named(reranker) if reranker else None,
        settings=settings,
    )


class StockRouter:
    """The router by names, always over the names of the stock as it is now."""

    def __init__(self, registry: CorpusRegistry) -> None:
        self._registry = registry

    def _now(self) -> NameRouter:
        return NameRouter(self._registry.federation.names)

    def __call__(self, question: str, ids: Sequence[str]) -> list[str]:
        """The corpora that the question names; none = all."""
        return self._now()(question, ids)

    def named_corpora(self, question: str, ids: Sequence[str]) -> list[str]:
        """The corpora that the question names."""
        return self._now().named_corpora(question, ids)

    def explain(self, question: str, ids: Sequence[str]) -> tuple[Routing, ...]:
        """The corpora that the question names, each with the words that name it."""
        return self._now().explain(question, ids)

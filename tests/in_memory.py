"""A federation over chunks at hand: words, addresses and definitions work, there are no vectors and nothing is on the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.federated import FederatedRetriever
from retrieval.legal_retriever import LegalRetriever
from retrieval.lexical import LexicalIndex, StoredTokens
from retrieval.model import Chunk, CorpusSpec
from retrieval.ports import Fingerprint
from retrieval.stock import CorpusStock, Federation, NoVectors


class Registry:
    """The corpora by their ids, in the order given."""

    def __init__(self, corpora: Mapping[str, Sequence[Chunk]]) -> None:
        without = NoVectors("No vectors in this test.")
        stocks = {
            one: CorpusStock(CorpusSpec(one, one.upper()), chunks, without, Fingerprint("", "", 0)) for one, chunks in corpora.items()
        }
        words = {one: (StoredTokens.of(chunk.passage for chunk in chunks), range(len(chunks))) for one, chunks in corpora.items()}
        self.federation = Federation(stocks.values(), LexicalIndex(words), {"": "No encoder in this test."})
        self._retrievers = {one: LegalRetriever(stock, self.federation) for one, stock in stocks.items()}

    def available(self) -> list[str]:
        return list(self._retrievers)

    def retriever(self, corpus_id: str) -> LegalRetriever:
        return self._retrievers[corpus_id]

    def spec(self, corpus_id: str) -> CorpusSpec:
        return self.federation.specs[corpus_id]


def federated(corpora: Mapping[str, Sequence[Chunk]], **more: Any) -> FederatedRetriever:
    """A federation over these corpora; ``more`` goes to its constructor."""
    return FederatedRetriever(Registry(corpora), **more)

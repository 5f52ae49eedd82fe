"""Builders for tests of the stock: chunks with defaults, and an encoder that counts what it is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from retrieval.model import Address, Chunk, CorpusSpec, hash_text
from retrieval.ports import Fingerprint, Matrix


def chunk(section: str, text: str, corpus: str = "abgabe", container: str = "", subsection: str = "", **more: Any) -> Chunk:
    """A chunk with its hash, and an id made from its address."""
    address = Address(corpus, container, section, subsection)
    chunk_id = ":".join((corpus, container, section, subsection, str(more.get("position", 0))))
    fields = {"chunk_id": chunk_id, "text_hash": hash_text(address, text)} | more
    return Chunk(corpus_id=corpus, container_id=container, section_id=section, subsection=subsection, text=text, **fields)


def spec(corpus: str = "abgabe", **more: Any) -> CorpusSpec:
    """A spec with a title."""
    return CorpusSpec(corpus, more.pop("title", f"Regeln {corpus}"), **more)


class CountingEncoder:
    """Vectors from a hash of the text: of no meaning, always the same. ``seen`` keeps the passages that were encoded, but for those of
    the background; from ``fail_after`` on there is no more memory.
    """

    def __init__(self, dimension: int = 8, model: str = "counting", limit: int = 10**9, **more: Any) -> None:
        self.fingerprint = Fingerprint(model, "1", dimension, **more)
        self.limit = limit
        self.seen: list[str] = []
        self.fail_after = 10**9

    def questions(self, texts: Sequence[str]) -> Matrix:
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(len(texts), self.fingerprint.dimension)

    def passages(self, texts: Sequence[str]) -> Matrix:
        if not any("Zimt und Rosinen" in text for text in texts):
            if len(self.seen) >= self.fail_after:
                raise MemoryError("the machine is out of memory")
            self.seen.extend(texts)
        return self.questions(texts)

    def truncated(self, texts: Sequence[str]) -> list[int]:
        return [place for place, text in enumerate(texts) if len(text.split()) > self.limit]

    def _vector(self, text: str) -> Matrix:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).normal(size=self.fingerprint.dimension)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

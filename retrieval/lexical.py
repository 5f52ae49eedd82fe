"""The lexical route: BM25 over the words of the whole federation, so that a rare word is rare everywhere and scores can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import BrokenStock
from retrieval.tokenizer import STYLE, originals, tokens

__all__ = ["K1", "B", "LexicalHit", "LexicalIndex", "StoredTokens", "originals", "tokens"]

K1 = 1.5
B = 0.75
ATTAINABLE = 0.5
"""The share of a question's words, by their weight, that a passage must hold to count as the best that the question could score."""


class LexicalHit(NamedTuple):
    """A chunk by its row in its corpus, its BM25 score, and the words of the question that it holds."""

    row: int
    score: float
    words: tuple[str, ...]


class StoredTokens:
    """The search words of a corpus, chunk by chunk: a vocabulary and numbers into it, kept as plain arrays."""

    def __init__(self, vocabulary: Sequence[str], numbers: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
        """``numbers`` are the words of all chunks one after the other, ``offsets`` where each chunk starts, and the end."""
        self.vocabulary, self.numbers, self.offsets = list(vocabulary), numbers, offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, passages: Iterable[str]) -> StoredTokens:
        """The search words of these passages."""
        vocabulary: dict[str, int] = {}
        rows = [[vocabulary.setdefault(token, len(vocabulary)) for token in tokens(passage)] for passage in passages]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(list(vocabulary), np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(offsets[-1])), offsets)

    def save(self, path: Path) -> None:
        """Writes the arrays to a file of numpy's own format, without pickles."""
        words = np.frombuffer("\n".join(self.vocabulary).encode(), dtype=np.uint8)
        style = np.frombuffer(STYLE.encode(), dtype=np.uint8)
        with path.open("wb") as file:
            np.savez(file, words=words, numbers=self.numbers, offsets=self.offsets, style=style)

    @classmethod
    def load(cls, path: Path) -> StoredTokens:
        """Reads what ``save`` wrote. Raises BrokenStock for a file that is none, holds code, or was made by other rules of words."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                style, words, numbers, offsets = (stored[key] for key in ("style", "words", "numbers", "offsets"))
            vocabulary = words.tobytes().decode().split("\n") if words.size else []
            sound = style.tobytes().decode() == STYLE and _fits(vocabulary, numbers, offsets)
        except Exception as cause:
            # Damaged archives raise from zip, zlib, numpy and the decoder alike.
            raise BrokenStock(f"The stored words {path.name} cannot be read ({type(cause).__name__}). Ingest the corpus again.") from cause
        if not sound:
            raise BrokenStock(f"The stored words {path.name} do not follow the rules {STYLE!r}. Ingest the corpus again.")
        return cls(vocabulary, numbers, offsets)

    def rows(self, wanted: Sequence[int], place: NDArray[np.int64]) -> list[list[int]]:
        """The words of these chunks as numbers into another vocabulary; ``place`` maps this one to it."""
        mapped = place[self.numbers].tolist() if len(self.numbers) else []
        bounds = self.offsets.tolist()
        return [mapped[bounds[row] : bounds[row + 1]] for row in wanted]


def _fits(vocabulary: Sequence[str], numbers: NDArray[Any], offsets: NDArray[Any]) -> bool:
    whole = numbers.dtype == np.int32 and offsets.dtype == np.int64 and numbers.ndim == offsets.ndim == 1 and len(offsets) > 0
    if not whole or offsets[0] != 0 or offsets[-1] != len(numbers) or (np.diff(offsets) < 0).any():
        return False
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < len(vocabulary))


class LexicalIndex:
    """BM25 (Robertson et al. 1994; idf ln(1 + (N - n + 0.5) / (n + 0.5)), k1 = 1.5, b = 0.75) over the chunks of all corpora."""

    def __init__(self, corpora: Mapping[str, tuple[StoredTokens, Sequence[int]]]) -> None:
        """For every corpus its stored words and the rows of the chunks that take part in the search."""
        self._vocabulary: dict[str, int] = {}
        self._rows: dict[str, NDArray[np.int64]] = {}
        self._slices: dict[str, slice] = {}
        documents: list[list[int]] = []
        for corpus_id, (stored, rows) in corpora.items():
            place = np.array([self._vocabulary.setdefault(word, len(self._vocabulary)) for word in stored.vocabulary], dtype=np.int64)
            self._slices[corpus_id] = slice(len(documents), len(documents) + len(rows))
            self._rows[corpus_id] = np.asarray(rows, dtype=np.int64)
            documents.extend(stored.rows(rows, place))
        self.size = len(documents)
        self._last: tuple[tuple[str, ...], NDArray[Any]] | None = None
        self._index = _indexed(documents, self._vocabulary)

    def search(
        self, corpus_id: str, text: str, words: Sequence[str], k: int, mask: Sequence[bool] | NDArray[np.bool_] | None = None
    ) -> list[LexicalHit]:
        """The ``k`` best chunks of one corpus that hold a word of the question, best first, among equals in the order of the chunks.

        ``words`` are the tokens of the question, ``text`` is the question itself, from which the matched words are named. ``mask`` says
        for every chunk of the corpus whether it may appear.
        """
        known = [word for word in words if word in self._vocabulary]
        if self._index is None or not known or k < 1:
            return []
        scores = self._scores(tuple(known))[self._slices[corpus_id]]
        rows = self._rows[corpus_id]
        found = np.flatnonzero(scores > 0 if mask is None else (scores > 0) & np.asarray(mask, dtype=np.bool_)[rows])
        best = found[np.lexsort((found, -scores[found]))[:k]]
        matched = self._matched(known, best + self._slices[corpus_id].start, originals(text))
        return [LexicalHit(int(rows[one]), float(scores[one]), held) for one, held in zip(best, matched, strict=True)]

    def ceiling(self, words: Sequence[str]) -> float:
        """The best that this question could score here: what the best passage of the whole federation reaches, one number for all corpora.

        It is never less than half of what a passage of average length would reach that holds every word of the question once (the sum of
        the words' idf, each as often as the question says it): where the stock has nothing to say, its best passage must not look good.
        Words that no chunk of the federation holds are left out, as they can raise no score.
        """
        known = tuple(word for word in words if word in self._vocabulary)
        if self._index is None or not known:
            return 0.0
        return max(float(self._scores(known).max()), ATTAINABLE * math.fsum(self._idf(word) for word in known))

    def _scores(self, known: tuple[str, ...]) -> NDArray[Any]:
        """The scores of all chunks of the federation; those of the last question are kept, as every corpus asks for its part of them."""
        last = self._last
        if last is None or last[0] != known:
            last = self._last = known, self._index.get_scores(list(known)) * (K1 + 1)
        return last[1]

    def _idf(self, word: str) -> float:
        holding = len(self._holders(word))
        return math.log(1 + (self.size - holding + 0.5) / (holding + 0.5)) if holding else 0.0

    def _holders(self, word: str) -> NDArray[Any]:
        """The numbers of the documents that hold the word."""
        if self._index is None:
            return np.empty(0, dtype=np.int64)
        number = self._vocabulary[word]
        start, end = self._index.scores["indptr"][number : number + 2]
        found: NDArray[Any] = self._index.scores["indices"][start:end]
        return found

    def _matched(self, words: Sequence[str], documents: NDArray[Any], spelled: Mapping[str, str]) -> list[tuple[str, ...]]:
        held = {word: np.isin(documents, self._holders(word)) for word in dict.fromkeys(words)}
        return [
            tuple(dict.fromkeys(spelled.get(word, word) for word, there in held.items() if there[place])) for place in range(len(documents))
        ]


def _indexed(documents: list[list[int]], vocabulary: dict[str, int]) -> Any:
    """The scores of all words in all documents, or None where there is not one word."""
    if not any(documents):
        return None
    import bm25s

    index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    index.index((documents, vocabulary), create_empty_token=False, show_progress=False)
    return index

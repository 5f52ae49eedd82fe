"""The lexical route: BM25 over the words of the whole federation, so that a rare word is rare everywhere and scores can be compared."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.diskfile import written
from retrieval.errors import BrokenStock
from retrieval.postings import K1, B, Postings, Words
from retrieval.postings import impact as impact_of
from retrieval.tokenizer import STYLE, originals, tokens

__all__ = ["K1", "B", "LexicalHit", "LexicalIndex", "StoredTokens", "originals", "tokens"]

ATTAINABLE = 0.5
"""The share of a question's words, by their weight, that a passage must hold to count as the best that the question could score."""

_KEPT = 4
"""So many questions are kept at once: those of people who ask at the same time."""
_BLOCK = 1 << 16
_CHEAP = 50
_SLACK = 1e-9
"""Sums of rounded numbers may be off by less than this; what could be meant by it is computed."""


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
        """Writes the arrays to a file of numpy's own format, without pickles; a reader finds the old file or the new one."""
        words = np.frombuffer("\n".join(self.vocabulary).encode(), dtype=np.uint8)
        style = np.frombuffer(STYLE.encode(), dtype=np.uint8)
        with written(path) as file:
            np.savez(file, words=words, numbers=self.numbers, offsets=self.offsets, style=style)

    @classmethod
    def load(cls, path: Path) -> StoredTokens:
        """Reads what ``save`` wrote. Raises BrokenStock for a file that is none, holds code, or was made by other rules of words."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                style, words, numbers, offsets = (stored[key] for key in ("style", "words", "numbers", "offsets"))
            vocabulary = words.tobytes().decode().split("\n") if words.size else []
            sound = style.tobytes().decode() == STYLE and _fits(vocabulary, numbers, offsets)
        except Exception as cause:
            # Damaged archives raise from zip, zlib, numpy and the decoder alike.
            raise BrokenStock(f"The stored words {path.name} cannot be read ({type(cause).__name__}). Ingest the corpus again.") from cause
        if not sound:
            raise BrokenStock(f"The stored words {path.name} do not follow the rules {STYLE!r}. Ingest the corpus again.")
        return cls(vocabulary, numbers, offsets)

    def of_rows(self, wanted: Sequence[int] | NDArray[Any]) -> Words:
        """The words of these chunks, with the part of the vocabulary that they use."""
        rows = np.asarray(wanted, dtype=np.int64)
        lengths = np.diff(self.offsets)
        taking_part = np.zeros(len(self), dtype=np.bool_)
        taking_part[rows] = True
        numbers = self.numbers[np.repeat(taking_part, lengths)]
        used = np.bincount(numbers, minlength=len(self.vocabulary)) > 0
        vocabulary = [word for word, there in zip(self.vocabulary, used.tolist(), strict=True) if there]
        return Words(vocabulary, (np.cumsum(used) - 1)[numbers], lengths[rows], rows)


def _fits(vocabulary: Sequence[str], numbers: NDArray[Any], offsets: NDArray[Any]) -> bool:
    whole = numbers.dtype == np.int32 and offsets.dtype == np.int64 and numbers.ndim == offsets.ndim == 1 and len(offsets) > 0
    if not whole or offsets[0] != 0 or offsets[-1] != len(numbers) or (np.diff(offsets) < 0).any():
        return False
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < len(vocabulary))


class LexicalIndex:
    """BM25 (Robertson et al. 1994; idf ln(1 + (N - n + 0.5) / (n + 0.5)), k1 = 1.5, b = 0.75) over the chunks of all corpora.

    What a question needs is read from postings, which may lie on disk. Of frequent words only those documents are looked up that can
    still be among the best (Turtle and Flood 1995); lists and scores are those of the full sum, bit for bit.
    """

    def __init__(self, corpora: Mapping[str, tuple[StoredTokens, Sequence[int]]] | Postings) -> None:
        """For every corpus its stored words and the rows of the chunks that take part in the search, ascending; or their postings."""
        if not isinstance(corpora, Postings):
            corpora = Postings.of({name: stored.of_rows(rows) for name, (stored, rows) in corpora.items()})
        self._postings = corpora
        self.size = corpora.size
        self._blocks = _blocks(corpora.ranges)
        self._asked: OrderedDict[tuple[str, ...], _Asked] = OrderedDict()
        self._asking = threading.Lock()

    @property
    def room(self) -> int:
        """How many bytes the index takes, on disk or in memory."""
        return self._postings.room

    def search(
        self, corpus_id: str, text: str, words: Sequence[str], k: int, mask: Sequence[bool] | NDArray[np.bool_] | None = None
    ) -> list[LexicalHit]:
        """The ``k`` best chunks of one corpus that hold a word of the question, best first, among equals in the order of the chunks.

        ``words`` are the tokens of the question, ``text`` is the question itself, from which the matched words are named. ``mask`` says
        for every chunk of the corpus whether it may appear.
        """
        start, end = self._postings.ranges.get(corpus_id, (0, 0))
        if k < 1 or start == end:
            return []
        allowed = None if mask is None else np.asarray(mask, dtype=np.bool_)[self._postings.rows[start:end]]
        documents, scores, held = self._question(words).best(start, end, k, allowed)
        spelled = _spelled(text)
        rows = self._postings.rows[documents].tolist()
        return [
            LexicalHit(row, score, tuple(dict.fromkeys(spelled.get(word, word) for word in there)))
            for row, score, there in zip(rows, scores.tolist(), held, strict=True)
        ]

    def best(self, corpus_id: str, words: Sequence[str]) -> float:
        """The score of the best chunk of one corpus; 0 where none holds a word of the question."""
        start, end = self._postings.ranges.get(corpus_id, (0, 0))
        return self._question(words).most(start, end) if start < end else 0.0

    def ceiling(self, words: Sequence[str]) -> float:
        """The best that this question could score here: what the best passage of the whole federation reaches, one number for all corpora.

        It is never less than half of what a passage of average length would reach that holds every word of the question once (the sum of
        the words' idf, each as often as the question says it): where the stock has nothing to say, its best passage must not look good.
        Words that no chunk of the federation holds are left out, as they can raise no score.
        """
        return self._question(words).ceiling()

    def weights(self, words: Sequence[str]) -> dict[str, float]:
        """What each of these words weighs: its idf, as often as the question says it; one that no chunk holds weighs the most."""
        unheard = math.log(1 + (self.size + 0.5) / 0.5)
        known = {term.word: term.weight for term in self._question(words).terms}
        return {word: known.get(word, words.count(word) * unheard) for word in dict.fromkeys(words)}

    def _question(self, words: Sequence[str]) -> _Asked:
        """What is known of this question; that of the last few is kept, as every corpus asks for its part of it."""
        key = tuple(words)
        with self._asking:
            asked = self._asked.pop(key, None) or _Asked(self._postings, self._blocks, key)
            self._asked[key] = asked
            if len(self._asked) > _KEPT:
                self._asked.popitem(last=False)
        return asked


@lru_cache(maxsize=64)
def _spelled(text: str) -> Mapping[str, str]:
    return originals(text)


def _blocks(ranges: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """The documents in parts that are scored together: a large corpus alone, small neighbours together."""
    blocks: list[tuple[int, int]] = []
    for start, end in ranges.values():
        if blocks and end - blocks[-1][0] <= _BLOCK:
            blocks[-1] = blocks[-1][0], end
        elif end > start:
            blocks.append((start, end))
    return blocks


# --- one question -----------------------------------------------------------------------------------------------------


class _Term(NamedTuple):
    """A word of the question: its postings from ``start`` to ``end``, its idf times how often the question says it, and the most that it
    can give a document."""

    word: str
    start: int
    end: int
    weight: float
    most: float


class _Asked:
    """One question to the whole federation: its words, the rare ones first, and what is known of the scores in each block."""

    def __init__(self, postings: Postings, blocks: Sequence[tuple[int, int]], words: tuple[str, ...]) -> None:
        self.words = tuple(dict.fromkeys(words))
        found = [_term(postings, word, words.count(word)) for word in self.words]
        self.terms = sorted((term for term in found if term is not None), key=lambda term: (term.end - term.start, term.start))
        self.weight = math.fsum(term.weight for term in self.terms)
        self.blocks = [_Block(postings, self.terms, start, end) for start, end in blocks]
        self._ceiling: float | None = None
        self._working = threading.Lock()

    def best(
        self, start: int, end: int, k: int, allowed: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], list[list[str]]]:
        """The best documents between two numbers, best first, with their scores and the words that each holds."""
        block = next(block for block in self.blocks if block.start <= start and end <= block.end)
        with self._working:
            documents, scores = block.leading(start, end, k, allowed)
            order = np.lexsort((documents, -scores))[:k]
            held = block.held(documents[order])
        return documents[order], scores[order], [[word for word in self.words if word in there] for there in held]

    def most(self, start: int, end: int) -> float:
        """The best score between two numbers."""
        block = next(block for block in self.blocks if block.start <= start and end <= block.end)
        with self._working:
            return float(block.leading(start, end, 1, None)[1].max(initial=0.0))

    def ceiling(self) -> float:
        """See ``LexicalIndex.ceiling``."""
        with self._working:
            if self._ceiling is None:
                self._ceiling = ATTAINABLE * self.weight
                for block in self.blocks:
                    _, scores = block.leading(block.start, block.end, 1, None, self._ceiling)
                    self._ceiling = max(self._ceiling, float(scores.max(initial=0.0)))
            return self._ceiling


def _term(postings: Postings, word: str, times: int) -> _Term | None:
    number = postings.number(word)
    if number is None:
        return None
    start, end = postings.bounds[number : number + 2].tolist()
    weight = times * math.log(1 + (postings.size - (end - start) + 0.5) / (end - start + 0.5))
    return _Term(word, start, end, weight, weight * float(postings.tops[number]))


class _Block:
    """The scores of one question in a range of documents: the first words of the question are added up, as many as were needed so far.

    A document's score is always the sum in the order of the words, so it is the same number however it was come by.
    """

    def __init__(self, postings: Postings, terms: Sequence[_Term], start: int, end: int) -> None:
        self.start, self.end = start, end
        self._postings = postings
        self._terms = [_within(postings, term, start, end) for term in terms]
        self._rests = np.cumsum([0.0, *(term.most if term.end > term.start else 0.0 for term in reversed(self._terms))])[::-1] * (
            1 + _SLACK
        )
        self._scores = np.zeros(end - start)
        self._added = 0

    def leading(
        self, start: int, end: int, k: int, allowed: NDArray[np.bool_] | None, least: float = 0.0
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Documents with their scores, among them the ``k`` best of this range that reach ``least``."""
        part = self._scores[start - self.start : end - self.start]
        while self._added < len(self._terms) and (self._is_cheap() or self._rests[self._added] >= self._bar(part, k, allowed, least)):
            self._add()
        bar = self._bar(part, k, allowed, least) - self._rests[self._added] - _SLACK
        near = part >= bar if bar > 0 else part > 0
        documents = np.flatnonzero(near if allowed is None else near & allowed)
        return documents + start, self._completed(documents + start, part[documents])

    def held(self, documents: NDArray[np.int64]) -> list[set[str]]:
        """The words that each of these documents holds."""
        found: list[set[str]] = [set() for _ in documents]
        for term in self._terms:
            for place in np.flatnonzero(self._looked_up(term, documents)).tolist():
                found[place].add(term.word)
        return found

    def _is_cheap(self) -> bool:
        """Whether adding the next word costs less than seeing if it is needed."""
        term = self._terms[self._added]
        return (term.end - term.start) * _CHEAP < self.end - self.start

    def _bar(self, part: NDArray[np.float64], k: int, allowed: NDArray[np.bool_] | None, least: float) -> float:
        """What a document must reach in the end to be among the ``k`` best: what the ``k``-th has now."""
        known = part[part > 0 if allowed is None else (part > 0) & allowed]
        return least if len(known) < k else max(least, float(np.partition(known, len(known) - k)[len(known) - k]))

    def _add(self) -> None:
        term = self._terms[self._added]
        documents = self._postings.documents[term.start : term.end].astype(np.int64)
        counts = self._postings.counts[term.start : term.end]
        self._scores[documents - self.start] += term.weight * impact_of(counts, self._postings.norms[documents])
        self._added += 1

    def _completed(self, documents: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores with the words that are not added up yet."""
        norms = self._postings.norms[documents]
        for term in self._terms[self._added :]:
            scores = scores + term.weight * impact_of(self._looked_up(term, documents), norms)
        return scores

    def _looked_up(self, term: _Term, documents: NDArray[np.int64]) -> NDArray[Any]:
        """How often each of these documents holds the word."""
        if term.start == term.end:
            return np.zeros(len(documents), dtype=np.uint16)
        there = self._postings.documents[term.start : term.end]
        places = np.minimum(np.searchsorted(there, documents.astype(np.int32)), len(there) - 1)
        return np.where(there[places] == documents, self._postings.counts[term.start : term.end][places], 0)


def _within(postings: Postings, term: _Term, start: int, end: int) -> _Term:
    """The term with its postings in a range of documents."""
    there = postings.documents[term.start : term.end]
    first, last = np.searchsorted(there, np.array([start, end], dtype=np.int32)).tolist()
    return term._replace(start=term.start + first, end=term.start + last)

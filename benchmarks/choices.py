"""What each choice in the search is worth: words, passages, and the order of the corpora, one at a time.

    python -m benchmarks.choices [--index FOLDER] [--vectors FOLDER] [--half tune|report|all] [--sets NAME ...]
                                 [--only words passages routing]

One flat list over all bodies of law, without the product's stages, each Absatz once, so that a difference comes from the choice alone.
"By words" is BM25 with the product's constants, "both" the sum of both routes on their common scale with equal weights. "Corpora" is the
share of the gold norms' corpora among the first four. Sets, halves, gold norms and figures are those of ``benchmarks.quality``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.law import all_sources, arguments, ensure, index_at, require_law
from benchmarks.quality_sets import SHARED, at_level, of_half, shared
from benchmarks.quality_vectors import Vectors
from retrieval.assemble import open_federation
from retrieval.background import scaled, scaled_words
from retrieval.decide import units_of
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.judging import judge
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Question
from retrieval.lexical import ATTAINABLE, K1, B
from retrieval.model import Chunk, CorpusSpec
from retrieval.ports import Fingerprint
from retrieval.tokenizer import tokens, whole_words

_TEN, _FOUR = 10, 4
Scores = Callable[[Question], NDArray[np.float64]]
"""What each chunk scores for a question, from 0 to 1."""


def grams(text: str, size: int = 5) -> tuple[str, ...]:
    """Whole words and their pieces of five letters."""
    words = whole_words(text)
    return words + tuple(f"#{word[at : at + size]}" for word in words if len(word) > size for at in range(len(word) - size + 1))


class Heap:
    """The searchable chunks of a stock, and the lists that scores over them give."""

    def __init__(self, chunks: Sequence[Chunk], specs: Mapping[str, CorpusSpec]) -> None:
        self.chunks, self.specs = [chunk for chunk in chunks if not chunk.repealed], specs
        self.units = units_of({one.chunk_id: one for one in self.chunks}, "subsection")
        self.corpora = np.array([one.corpus_id for one in self.chunks])

    def by_words(self, text: Callable[[Chunk], str], split: Callable[[str], Sequence[str]]) -> Scores:
        """BM25 over these texts, split so."""
        import bm25s

        documents = [list(split(text(one))) for one in self.chunks]
        index = bm25s.BM25(method="lucene", k1=K1, b=B)
        index.index(documents, show_progress=False)
        holding: dict[str, int] = {}
        for document in documents:
            for word in set(document):
                holding[word] = holding.get(word, 0) + 1

        def scores(question: Question) -> NDArray[np.float64]:
            known = [word for word in split(question.text) if word in holding]
            if not known:
                return np.zeros(len(documents))
            found = np.asarray(index.get_scores(known), np.float64) * (K1 + 1)
            counts = np.array([holding[word] for word in known])
            whole = np.log(1 + (len(documents) - counts + 0.5) / (counts + 0.5)).sum()
            ceiling = max(float(found.max()), ATTAINABLE * float(whole))
            return np.array([scaled_words(float(one), ceiling) for one in found])

        return scores

    def by_meaning(self, text: Callable[[Chunk], str], vectors: Vectors, fingerprint: Fingerprint) -> Scores:
        """The default model over these texts."""
        passages = vectors.passages("use", [text(one) for one in self.chunks])

        def scores(question: Question) -> NDArray[np.float64]:
            cosines = passages @ vectors.questions("use", [question.text])[0]
            return np.array([scaled(float(one), fingerprint.background, fingerprint.near) for one in cosines])

        return scores

    def list_of(self, scores: NDArray[np.float64]) -> list[Chunk]:
        """The ten best, each Absatz once."""
        best: dict[str, Chunk] = {}
        for place in np.argsort(-scores, kind="stable"):
            chunk = self.chunks[int(place)]
            best.setdefault(self.units.get(chunk.chunk_id, chunk.chunk_id), chunk)
            if len(best) == _TEN:
                break
        return list(best.values())

    def order(self, scores: Sequence[NDArray[np.float64]], most: int) -> list[str]:
        """The corpora by the mean of their ``most`` best scores, over all these."""

        def near(corpus: str) -> float:
            mine = self.corpora == corpus
            return sum(float(np.sort(one[mine])[-most:].sum()) for one in scores)

        return sorted(dict.fromkeys(self.corpora.tolist()), key=lambda corpus: -near(corpus))


def recall(questions: Sequence[Question], heap: Heap, scores: Scores) -> str:
    """Recall of ten places, and of whole norms."""
    lists = [heap.list_of(scores(one)) for one in questions]
    exact = [judge(one, found) for one, found in zip(questions, lists, strict=True)]
    norms = [judge(at_level(one, "norm"), found) for one, found in zip(questions, lists, strict=True)]
    return " / ".join(f"{fmean(v for v in METRICS['recall'].values(one, _TEN) if v is not None):.2f}" for one in (exact, norms))


def both(one: Scores, other: Scores) -> Scores:
    """The sum of two routes with equal weights."""
    return lambda question: 0.5 * one(question) + 0.5 * other(question)


def kept(scores: Scores) -> Scores:
    """The same, computed once for each question."""
    known: dict[str, NDArray[np.float64]] = {}

    def found(question: Question) -> NDArray[np.float64]:
        if question.text not in known:
            known[question.text] = scores(question)
        return known[question.text]

    return found


def word_choices(specs: Mapping[str, CorpusSpec]) -> dict[str, tuple[Callable[[Chunk], str], Callable[[str], Sequence[str]]]]:
    """What is searched for words, and how it is split."""

    def twice(one: Chunk) -> str:
        return one.wording

    return {
        "as shipped": (twice, tokens),
        "compounds whole": (twice, whole_words),
        "compounds whole, pieces of five letters": (twice, grams),
        "heading once": (lambda one: one.passage, tokens),
        "heading three times": (lambda one: f"{one.heading}\n{one.wording}", tokens),
        "with the title of the body of rules": (lambda one: f"{specs[one.corpus_id].title}\n{one.wording}", tokens),
        "with book and chapter": (lambda one: "\n".join((*one.path, one.wording)), tokens),
    }


def passage_choices(specs: Mapping[str, CorpusSpec]) -> dict[str, Callable[[Chunk], str]]:
    """What is embedded."""
    return {
        "as shipped: section, heading, text": lambda one: one.passage,
        "heading and text": lambda one: f"{one.heading}\n{one.text}" if one.heading else one.text,
        "title of the body of rules, heading, text": lambda one: f"{specs[one.corpus_id].title}, {one.heading}\n{one.text}",
    }


def corpora_found(questions: Sequence[Question], order: Callable[[Question], Sequence[str]]) -> str:
    """The share of the gold norms' corpora among the first four."""
    found: list[float] = []
    for question in questions:
        wanted = {gold.address.corpus_id for need in question.needs for gold in need.any_of}
        found.append(len(wanted & set(order(question)[:_FOUR])) / len(wanted))
    return f"{fmean(found):.2f}"


def orders(heap: Heap, words: Scores, meaning: Scores, stock: Sequence[str]) -> dict[str, Callable[[Question], Sequence[str]]]:
    """Ways to put the corpora in order for a question."""
    return {
        "in the order of the stock": lambda question: stock,
        "as shipped: best passage of each route": lambda question: heap.order([words(question), meaning(question)], 1),
        "mean of three of each route": lambda question: heap.order([words(question), meaning(question)], 3),
        "mean of ten of each route": lambda question: heap.order([words(question), meaning(question)], 10),
        "best passage by words": lambda question: heap.order([words(question)], 1),
        "best passage by meaning": lambda question: heap.order([meaning(question)], 1),
    }


def table(title: str, rows: Mapping[str, Sequence[str]], sets: Sequence[str]) -> None:
    """One table."""
    print(f"\n{title}\n{'':45} | " + " | ".join(f"{name:>24}" for name in sets))
    for name, cells in rows.items():
        print(f"{name:45} | " + " | ".join(f"{cell:>24}" for cell in cells), flush=True)


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--half", choices=("tune", "report", "all"), default="tune")
    parser.add_argument("--sets", nargs="+", default=SHARED, choices=SHARED)
    parser.add_argument("--only", nargs="+", default=("words", "passages", "routing"), choices=("words", "passages", "routing"))
    args = parser.parse_args()
    require_law()
    with index_at(args.index) as folder:
        ensure(folder, all_sources())
        federation = open_federation(folder)
        golds = Golds(federation.registry.federation)
        sets = {name: of_half(shared(name, golds).questions, args.half) for name in args.sets}
        stocks = federation.registry.state.stocks
        heap = Heap([chunk for stock in stocks.values() for chunk in stock.chunks], federation.registry.federation.specs)
        measure(heap, sets, Vectors(args.vectors), next(iter(stocks.values())).fingerprint, args.only)


def measure(heap: Heap, sets: Mapping[str, Sequence[Question]], vectors: Vectors, fingerprint: Fingerprint, only: Any) -> None:
    """The tables."""
    print("Recall of ten places, Absatz named / whole norm: " + ", ".join(f"{name} {len(found)}" for name, found in sets.items()))
    meaning = kept(heap.by_meaning(lambda one: one.passage, vectors, fingerprint))
    words = kept(heap.by_words(*word_choices(heap.specs)["as shipped"]))
    if "words" in only:
        rows: dict[str, list[str]] = {}
        for name, choice in word_choices(heap.specs).items():
            scores = kept(heap.by_words(*choice))
            rows[f"{name}, by words"] = [recall(found, heap, scores) for found in sets.values()]
            rows[f"{name}, both"] = [recall(found, heap, both(scores, meaning)) for found in sets.values()]
        table("Words", rows, list(sets))
    if "passages" in only:
        rows = {}
        for name, text in passage_choices(heap.specs).items():
            scores = kept(heap.by_meaning(text, vectors, fingerprint))
            rows[f"{name}, by meaning"] = [recall(found, heap, scores) for found in sets.values()]
            rows[f"{name}, both"] = [recall(found, heap, both(words, scores)) for found in sets.values()]
        table("Passages", rows, list(sets))
    if "routing" in only:
        ways = orders(heap, words, meaning, list(heap.specs))
        table("Corpora", {name: [corpora_found(found, way) for found in sets.values()] for name, way in ways.items()}, list(sets))


if __name__ == "__main__":
    main()

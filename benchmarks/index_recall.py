"""Does the vector search find what is there, and does the same file always give the same lists?

    python -m benchmarks.index_recall [--index FOLDER]

Recall of the search as it is configured (``auto``), of Chroma's index as the product asks it (``index``: over-fetched, computed exactly
afterwards) and of a plain ``collection.query``, against numpy over the collection's own vectors, for real questions on real law. The
product leaves out repealed norms, so its lists are held against the vectors of those in force, and the plain query's against all. Then
the same files are ingested into two more folders, and every list of every question is compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.law import SIX, arguments, ensure, index_at, met, question_texts, require_law
from benchmarks.real_law import KEY_QUESTIONS
from retrieval import chroma
from retrieval.assemble import open_federation
from retrieval.chroma import VectorIndex, Way
from retrieval.embedding import encoder
from retrieval.federated import FederatedRetriever
from retrieval.gather import gather
from retrieval.registry import CorpusRegistry
from retrieval.settings import Settings
from retrieval.stock import CorpusStock

BAR = 0.999
DEPTHS = (10, Settings().gathering.fetch_k, 100)
PLAIN = "plain query"
_SAME = 1e-6
"""Cosines that differ by less are the same place: which of them is named is no fault."""

Search = Callable[[Any, int], Sequence[int]]
Matrix = np.ndarray[Any, Any]


def stored_vectors(stock: CorpusStock, folder: Path) -> Matrix:
    """The unit vectors of all chunks, row by row, read from the collection itself."""
    stored = chroma.vectors_by_id(stock.col, folder)
    matrix = np.array([stored[chunk_id] for chunk_id in stock.ids], dtype=np.float64)
    lengths: Matrix = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / lengths


def searches(stock: CorpusStock, folder: Path) -> dict[str, Search]:
    """The three ways to ask one corpus, each giving rows."""
    rows = [row for row, chunk in enumerate(stock.chunks) if not chunk.repealed]
    ids = [stock.ids[row] for row in rows]
    place = {chunk_id: row for row, chunk_id in enumerate(stock.ids)}

    def ours(way: Way) -> Search:
        index = VectorIndex(stock.col, folder, ids, rows, way)
        return lambda vector, k: [row for row, _ in index.search(vector, k)]

    def plain(vector: Any, k: int) -> list[int]:
        found = stock.col.query(query_embeddings=[vector.tolist()], n_results=min(k, len(stock.ids)), include=[])["ids"][0]
        return [place[chunk_id] for chunk_id in found]

    return {"auto": ours("auto"), "index": ours("index"), PLAIN: plain}


def recall(found: Sequence[int], cosines: Matrix, k: int) -> float:
    """The share of the ``k`` nearest that was found; ``cosines`` is -2 for what does not count."""
    wanted = min(k, int((cosines > -2).sum()))
    least = np.sort(cosines)[-wanted] - _SAME
    near = sum(bool(cosines[row] >= least) for row in dict.fromkeys(found))
    return min(1.0, near / wanted)


def recalls(folder: Path, questions: Sequence[str]) -> dict[tuple[str, int], tuple[float, float]]:
    """For each way and depth the mean over corpora and questions, and the worst of all."""
    registry = CorpusRegistry(folder)
    vectors = encoder().questions(questions)
    seen: dict[tuple[str, int], list[float]] = {}
    for corpus in registry.available():
        stock: CorpusStock = registry.retriever(corpus).stock
        matrix, ways = stored_vectors(stock, folder), searches(stock, folder)
        repealed = np.array([chunk.repealed for chunk in stock.chunks])
        for vector in vectors:
            every = matrix @ vector.astype(np.float64)
            in_force = np.where(repealed, -2, every)
            for name, search in ways.items():
                for k in DEPTHS:
                    seen.setdefault((name, k), []).append(recall(search(vector, k), every if name == PLAIN else in_force, k))
    return {key: (float(np.mean(values)), min(values)) for key, values in seen.items()}


# --- the same lists twice -------------------------------------------------------------------------------------------------


def lists(federation: FederatedRetriever, question: str) -> dict[str, Any]:
    """Every list of one question: each route of each corpus with its scores, and the final one with its rank scores."""
    settings = Settings.of(max_corpora_per_query=len(SIX))
    pool = gather(question, settings, federation.wiring)
    found: dict[str, Any] = {
        f"{corpus}, {route.route}": [(hit.chunk_id, hit.score) for hit in route.hits]
        for corpus, answer in pool.answers.items()
        for route in answer.routes
    }
    found["final"] = [(hit["metadata"]["chunk_id"], hit["rank_score"]) for hit in federation.query(question)]
    return found


def differences(one: Path, other: Path, questions: Sequence[str]) -> tuple[int, list[str]]:
    """How many lists were compared, and those that differ."""
    left, right = open_federation(one), open_federation(other)
    compared, unequal = 0, []
    for question in questions:
        first, second = lists(left, question), lists(right, question)
        compared += len(first)
        unequal += [f"{name}: {question[:60]}" for name in first if first[name] != second.get(name)]
    return compared, unequal


def main() -> None:
    """Print recall and the comparison."""
    args = arguments(__doc__ or "").parse_args()
    require_law()
    questions = [*question_texts(), *KEY_QUESTIONS]
    with index_at(args.index) as folder:
        ensure(folder, SIX)
        found = recalls(folder, questions)
    print(f"{len(questions)} questions, each to {len(SIX)} corpora; recall against numpy over the stored vectors, mean (worst)")
    names = tuple(dict.fromkeys(name for name, _ in found))
    print(f"  {'':<14}" + "".join(f"{f'first {k}':>20}" for k in DEPTHS))
    for name in names:
        print(f"  {name:<14}" + "".join(f"{f'{found[name, k][0]:.5f} ({found[name, k][1]:.2f})':>20}" for k in DEPTHS))
    for name in names[:2]:
        print(f"  {name}: bar {BAR}: {met(min(found[name, k][0] for k in DEPTHS) >= BAR)}")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        for place in (one, other):
            ensure(Path(place), SIX)
        compared, unequal = differences(Path(one), Path(other), questions)
    print(f"two ingests of the same files: {compared} lists compared, {len(unequal)} differ; bar none: {met(not unequal)}")
    for name in unequal[:10]:
        print(f"  {name}")


if __name__ == "__main__":
    main()

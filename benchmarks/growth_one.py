"""One stock of ``growth.py``, opened and asked in a process that does nothing else; prints what it found as JSON.

python -m benchmarks.growth_one FOLDER [--questions]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.growth import DIMENSION, PLAIN, SEED
from benchmarks.invented import HashedWords, Vocabulary, questions
from retrieval import postings
from retrieval.assemble import StockRouter, StoredReferences
from retrieval.chroma import VectorIndex
from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.registry import CorpusRegistry
from retrieval.settings import Settings
from retrieval.stock import CorpusStock
from retrieval.tokenizer import tokens

ASKED = 60
LOOKED_UP = 300
DEPTHS = (10, 60, 100)
_AS_IT_COMES, _EF = 100, (200, 500, 1000, 2000, 4000)
_EQUAL = 0.99
_SAME = 1e-6
_MB = 1 << 20


def memory() -> dict[str, float]:
    """Megabytes of this process: of its own, and of files that it shares with others (Linux only)."""
    lines = [line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]]
    held = {line[0]: int(line[1]) / 1024 for line in lines}
    return {"own": held["Anonymous:"], "mapped": held["Rss:"] - held["Anonymous:"]}


def spent(calls: Sequence[Callable[[], object]]) -> tuple[list[float], list[float]]:
    """Milliseconds of each call, of the processor and by the clock."""
    processor: list[float] = []
    clock: list[float] = []
    for call in calls:
        before = time.process_time(), time.perf_counter()
        call()
        after = time.process_time(), time.perf_counter()
        processor.append(1000 * (after[0] - before[0]))
        clock.append(1000 * (after[1] - before[1]))
    return processor, clock


def opened(folder: Path, encoder: HashedWords) -> tuple[FederatedRetriever, dict[str, float]]:
    """The federation over this stock, and what opening it took."""
    before = time.process_time(), time.perf_counter()
    registry = CorpusRegistry(folder, encoder)
    after = time.process_time(), time.perf_counter()
    router, settings = StockRouter(registry), Settings.of(max_corpora_per_query=8)
    federation = FederatedRetriever(
        registry, router=router, verweise=StoredReferences(registry), named_corpora=router.named_corpora, settings=settings
    )
    now = memory()
    found = {"opening, s": after[0] - before[0], "opening by the clock, s": after[1] - before[1]}
    return federation, {**found, "own memory, MB": now["own"], "mapped files, MB": now["mapped"]}


def on_disk(folder: Path) -> dict[str, float]:
    """Megabytes of the word index, of what else the product keeps, and of Chroma."""
    sizes = {path.relative_to(folder): path.stat().st_size / _MB for path in folder.rglob("*") if path.is_file()}
    words = sum(size for path, size in sizes.items() if path.parts[0] == postings.FOLDER)
    data = sum(size for path, size in sizes.items() if path.parts[0] == "corpora")
    plain = sum(size for path, size in sizes.items() if path.parts[0] == PLAIN)
    return {
        "word index, MB": words,
        "chunks, citations, vectors, MB": data,
        "Chroma, MB": sum(sizes.values()) - words - data - plain,
    }


def asked(federation: FederatedRetriever, texts: Sequence[str]) -> dict[str, float]:
    """A question that nobody asked before: gather and decide, to eight corpora; then both routes alone, to all."""
    settings, found = federation.settings, dict[str, float]()
    calls = [lambda text=text: decide(federation.gather(text), settings, 10) for text in texts]
    found["first question, ms"] = spent(calls[:1])[0][0]
    processor, clock = spent(calls[1:])
    found |= {"cold question, ms": statistics.median(processor), "by the clock, ms": statistics.median(clock)}
    found |= {"slowest of twenty, ms": statistics.quantiles(processor, n=20)[-1]}
    return found


def routes(federation: FederatedRetriever, encoder: HashedWords, texts: Sequence[str]) -> dict[str, float]:
    """Both routes alone, to all corpora."""
    lexical, stocks = federation.registry.federation.lexical, stocks_of(federation)

    def words(text: str) -> None:
        asked_for = tokens(text)
        lexical.ceiling(asked_for)
        for stock in stocks:
            lexical.search(stock.spec.corpus_id, text, asked_for, 60)

    def vectors(text: str) -> None:
        question = encoder.questions([text])[0]
        for stock in stocks:
            stock.index.search(question, 60)

    return {
        "word route, ms": statistics.median(spent([lambda text=text: words(text) for text in texts])[0]),  # type: ignore[misc]
        "vector route, ms": statistics.median(spent([lambda text=text: vectors(text) for text in texts])[0]),  # type: ignore[misc]
    }


def stocks_of(federation: FederatedRetriever) -> list[CorpusStock]:
    """The corpora, in the order of the stock."""
    return list(federation.registry.state.stocks.values())


def looked_up(federation: FederatedRetriever) -> dict[str, float]:
    """Norms by their address, from all corpora."""
    random = np.random.default_rng(SEED)
    stocks = stocks_of(federation)
    chosen = [stocks[place] for place in random.integers(len(stocks), size=LOOKED_UP)]
    norms = [(stock.spec.corpus_id, stock.chunks[int(random.integers(len(stock.chunks)))]) for stock in chosen]
    retrievers = {corpus: federation.registry.retriever(corpus) for corpus, _ in norms}
    calls = [lambda corpus=corpus, norm=norm: retrievers[corpus].get_units(norm.section_id) for corpus, norm in norms]
    return {"get_units, ms": statistics.median(spent(calls)[0])}


def recall(found: Sequence[Any], cosines: Any, k: int) -> float:
    """The share of the ``k`` nearest that was found; ``found`` are places in ``cosines``."""
    least = np.sort(cosines)[-k] - _SAME
    return sum(bool(cosines[place] >= least) for place in dict.fromkeys(found)) / k


def recalls(federation: FederatedRetriever, folder: Path, encoder: HashedWords, texts: Sequence[str]) -> dict[str, float]:
    """In the largest corpus, the nearest of all vectors: as configured, and by Chroma's index as the product asks it."""
    stock = stocks_of(federation)[0]
    configured: Any = stock.index
    rows = np.arange(len(stock.chunks))
    whole = configured.whole()
    indexed = VectorIndex(stock.col, folder, stock.ids, rows, "index", stock.chunks.row)
    seen: dict[str, list[float]] = {}
    for vector in encoder.questions(texts):
        cosines = whole._matrix.astype(np.float64) @ vector.astype(np.float64)
        for name, index in (("as configured", configured), ("Chroma's index", indexed)):
            for k in DEPTHS:
                rows_found = [row for row, _ in index.search(vector, k)]
                seen.setdefault(f"recall@{k}, {name}", []).append(recall(rows_found, cosines, k))
    return {name: statistics.mean(values) for name, values in seen.items()}


def beside(federation: FederatedRetriever, folder: Path, encoder: HashedWords, texts: Sequence[str]) -> dict[str, float]:
    """The plain use of Chroma: the question embedded, ten of one collection of everything; and ours, the same ten by vectors alone.

    The plain side is measured as Chroma comes, and with the least ``ef_search`` of those tried that finds what ours finds.
    """
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient

    path = str(folder / PLAIN)
    if not Path(path).is_dir():
        return {}
    stocks, found = stocks_of(federation), dict[str, float]()

    def ours(text: str) -> list[str]:
        vector = encoder.questions([text])[0]
        hits = [(-cosine, place, row) for place, stock in enumerate(stocks) for row, cosine in stock.index.search(vector, 10)]
        return [stocks[place].chunks[row].chunk_id for _, place, row in sorted(hits)[:10]]

    wanted = [{*ours(text)} for text in texts]
    for ef in (_AS_IT_COMES, *_EF):
        # A client keeps an index that it has read as it was.
        chromadb.PersistentClient(path).get_collection("alles", embedding_function=None).modify(configuration={"hnsw": {"ef_search": ef}})
        SharedSystemClient.clear_system_cache()
        collection = chromadb.PersistentClient(path).get_collection("alles", embedding_function=None)

        def plain(text: str) -> list[str]:
            vector = encoder.questions([text])[0].tolist()
            answer = collection.query(query_embeddings=[vector], n_results=10, include=["documents", "metadatas", "distances"])  # noqa: B023
            return list(answer["ids"][0])

        reached = statistics.mean(len(best & {*plain(text)}) / 10 for best, text in zip(wanted, texts, strict=True))
        if ef == _AS_IT_COMES or reached >= _EQUAL or ef == _EF[-1]:
            pairs = [spent([lambda text=text: plain(text), lambda text=text: ours(text)])[1] for text in texts]  # type: ignore[misc]
            kind = "as it comes" if ef == _AS_IT_COMES else "at equal recall"
            found[f"recall@10, plain Chroma {kind}"] = reached
            found[f"plain Chroma {kind}, ms by the clock"] = statistics.median(pair[0] for pair in pairs)
            found["our vectors, ten of all, ms by the clock"] = statistics.median(pair[1] for pair in pairs)
            found[f"ratio, plain Chroma {kind} to our vectors"] = statistics.median(pair[0] / pair[1] for pair in pairs)
            if kind == "at equal recall":
                found["recall, its ef_search for that"] = ef
                break
    return found


def main() -> None:
    """Open, and with ``--questions`` measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", action="store_true")
    args = parser.parse_args()
    encoder, texts = HashedWords(DIMENSION), questions(3 * ASKED, Vocabulary(SEED), SEED)
    encoder.questions(texts)
    federation, found = opened(args.folder, encoder)
    if args.questions:
        found |= asked(federation, texts[:ASKED]) | looked_up(federation) | routes(federation, encoder, texts[ASKED : 2 * ASKED])
        found |= on_disk(args.folder)
        found["own memory after questions, MB"] = memory()["own"]
        found |= beside(federation, args.folder, encoder, texts[2 * ASKED :])
        found |= recalls(federation, args.folder, encoder, texts[:ASKED:2])
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""What a question costs that nobody asked before: the whole run against the bare sum of encoding and asking Chroma.

    python -m benchmarks.cold_question [--index FOLDER]

Bare: the question's vector, and one ``collection.query`` per selected corpus with documents, metadatas and distances, on the same index
opened by a client of its own: no word search, no references, no fusion, no explanation. Both sides take turns, each question is asked
once by each, and who is first changes with every question. The first questions of a process are shown apart: they load the model, and
meet only chunks whose references nobody has read yet.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.law import ANCHORS, DATA, SAMPLES, SIX, arguments, ensure, index_at, met, question_texts
from retrieval import federated, manifest, places
from retrieval.assemble import open_federation
from retrieval.build import ingest_file
from retrieval.commands.corpora import files_in
from retrieval.embedding import encoder
from retrieval.federated import FederatedRetriever
from retrieval.gather import _Gathering
from retrieval.legal_retriever import LegalRetriever
from retrieval.stock import Federation

BAR = 1.3
WARM = 5
PARTS = {
    "encode the question": (Federation, "_vectors"),
    "names, words and sections of the question": (Federation, "prepare"),
    "vector route": (LegalRetriever, "_vector"),
    "word route": (LegalRetriever, "_lexical"),
    "sections named": (LegalRetriever, "_named_sections"),
    "router": (_Gathering, "_routings"),
    "read references": (_Gathering, "_references"),
    "look up references": (_Gathering, "_reference_units"),
    "decide": (federated, "decide"),
}
"""What a run is made of. The second contains the first; its own share is the difference."""


def plain_collections(folder: Path) -> tuple[Any, dict[str, Any]]:
    """A client of its own, and its collections by corpus."""
    client = places.open_client(folder)
    entries = manifest.read(folder).corpora
    return client, {entry.spec.corpus_id: client.get_collection(entry.collection, embedding_function=None) for entry in entries}


def bare(question: str, selected: Sequence[str], collections: dict[str, Any], fetch_k: int) -> None:
    """Encode, then one plain query per corpus."""
    vector = encoder().questions([question])[0].tolist()
    for corpus in selected:
        collections[corpus].query(query_embeddings=[vector], n_results=fetch_k, include=["documents", "metadatas", "distances"])


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(federation: FederatedRetriever, collections: dict[str, Any], questions: Sequence[str]) -> tuple[list[float], list[float]]:
    """Seconds of each question on both sides."""
    fetch_k = federation.settings.gathering.fetch_k
    ours: list[float] = []
    plain: list[float] = []
    for number, question in enumerate(questions):
        selected = federation.select_corpora(question)
        sides: list[tuple[list[float], Callable[[], object]]] = [
            (ours, lambda question=question: federation.trace(question)),  # type: ignore[misc]
            (plain, lambda question=question, selected=selected: bare(question, selected, collections, fetch_k)),  # type: ignore[misc]
        ]
        for seen, call in sides if number % 2 else reversed(sides):
            seen.append(timed(call))
    return ours, plain


@contextmanager
def stopwatch() -> Iterator[dict[str, float]]:
    """Seconds spent in each part of a run while this is open."""
    spent = dict.fromkeys(PARTS, 0.0)
    with ExitStack() as stack:
        for name, (owner, attribute) in PARTS.items():
            stack.enter_context(patch.object(owner, attribute, _measured(name, getattr(owner, attribute), spent)))
        yield spent


def _measured(name: str, inner: Callable[..., Any], spent: dict[str, float]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return inner(*args, **kwargs)
        finally:
            spent[name] += time.perf_counter() - start

    return call


def split(federation: FederatedRetriever, questions: Sequence[str]) -> dict[str, float]:
    """Milliseconds of each part per question, the rest last."""
    with stopwatch() as spent:
        whole = sum(timed(lambda question=question: federation.trace(question)) for question in questions)  # type: ignore[misc]
    spent["names, words and sections of the question"] -= spent["encode the question"]
    spent["everything else"] = whole - sum(spent.values())
    return {name: 1000 * seconds / len(questions) for name, seconds in spent.items()}


def report(ours: Sequence[float], plain: Sequence[float], parts: dict[str, float], corpora: int) -> str:
    """The comparison and the split in words."""
    ratio = statistics.median(ours) / statistics.median(plain)
    pairs = statistics.median(one / other for one, other in zip(ours, plain, strict=True))
    slow = statistics.quantiles(ours, n=20)[-1], statistics.quantiles(plain, n=20)[-1]
    lines = [
        f"{len(ours)} questions, each asked once, over {corpora} corpora",
        f"  {'encode + plain Chroma query per corpus':<44} median {1000 * statistics.median(plain):7.2f} ms   p95 {1000 * slow[1]:7.2f} ms",
        f"  {'trace(question)':<44} median {1000 * statistics.median(ours):7.2f} ms   p95 {1000 * slow[0]:7.2f} ms",
        f"  ratio of the medians {ratio:.2f}, median of the ratios {pairs:.2f}; bar {BAR}: {met(ratio <= BAR)}",
        "where the time of a question goes, mean of other questions:",
    ]
    return "\n".join(lines + [f"  {name:<44} {spent:7.2f} ms" for name, spent in parts.items()])


def _pairs(ours: Sequence[float], plain: Sequence[float]) -> str:
    return ", ".join(f"{1000 * one:.0f} against {1000 * other:.0f} ms" for one, other in zip(ours, plain, strict=True))


def main() -> None:
    """Print both."""
    args = arguments(__doc__ or "").parse_args()
    with index_at(args.index) as folder:
        if DATA.is_dir():
            ensure(folder, SIX)
        else:
            for path in files_in(SAMPLES):
                ingest_file(folder, path)
        texts, register = question_texts(), ANCHORS if DATA.is_dir() else None
        half = len(texts) // 2
        client, collections = plain_collections(folder)
        federation = open_federation(folder, register)
        first = compare(federation, collections, texts[-WARM:])
        ours, plain = compare(federation, collections, texts[:half])
        parts = split(open_federation(folder, register), texts[half:-WARM])
        print(report(ours, plain, parts, len(collections)))
        print(f"the first {WARM} questions after opening, not counted above: " + _pairs(*first))
        client.close()


if __name__ == "__main__":
    main()

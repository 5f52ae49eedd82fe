"""What grows how: ingest, opening, questions, look-ups, files and memory over stocks of different size, each with its exponent.

    python -m benchmarks.growth [--sizes 7000 100000 1000000] [--keep FOLDER] [--no-plain]

The stocks are made up (``invented.py``) and read in by the product's own ``ingest``, each as eight bodies of rules from 40 chunks to two
fifths of all; ``--keep`` keeps them, one folder for each size. The encoder hashes words (128 numbers): a million real embeddings would
take hours, so what is measured of the ingest is everything but the model. Each stock is then opened by a fresh process (``growth_one.py``),
once to build what is built once, once to measure. Beside it stands what a user would write in ten lines: one collection of everything with
Chroma's own parameters, asked for ten; ``--no-plain`` leaves it out.

Seconds are processor time, with the time by the clock beside it where people wait. The exponent is the slope between the smallest and the
largest size on logarithmic axes: 1 is as much more as there are more chunks, 0 is the same for every size.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.invented import Corpus, HashedWords, Vocabulary, chunks, corpora
from retrieval import chroma, manifest
from retrieval.build import ingest
from retrieval.errors import NoDatabase
from retrieval.registry import CorpusRegistry

SEED = 20_261_130
DIMENSION = 128
SIZES = (7_000, 100_000, 1_000_000)
PLAIN = "plain"
_RECORD = "growth.json"


class Ingested(msgspec.Struct, frozen=True):
    """What it took to read in one corpus."""

    corpus_id: str
    chunks: int
    seconds: float
    processor: float


def stocked(folder: Path, size: int, vocabulary: Vocabulary) -> tuple[Ingested, ...]:
    """The stock of this size in its folder, read in where it is not there yet, and what that took."""
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / _RECORD
    known = msgspec.json.decode(record.read_bytes(), type=tuple[Ingested, ...]) if record.exists() else ()
    there = _in_stock(folder)
    encoder = HashedWords(DIMENSION)
    for corpus in corpora(size, SEED):
        if there.get(corpus.spec.corpus_id) != corpus.size:
            known = (*known, _ingested(folder, corpus, vocabulary, encoder))
            record.write_bytes(msgspec.json.encode(known))
    return known


def _in_stock(folder: Path) -> dict[str, int]:
    try:
        return {entry.spec.corpus_id: entry.count for entry in manifest.read(folder).corpora}
    except NoDatabase:
        return {}


def _ingested(folder: Path, corpus: Corpus, vocabulary: Vocabulary, encoder: HashedWords) -> Ingested:
    made = tuple(chunks(corpus, vocabulary))
    started, processor = time.perf_counter(), time.process_time()

    def advance(done: int, total: int) -> None:
        if done % 10_240 == 0:
            print(f"  {corpus.spec.corpus_id}: {done} of {total}, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)

    ingest(folder, corpus.spec, made, None, encoder, advance)
    return Ingested(corpus.spec.corpus_id, corpus.size, time.perf_counter() - started, time.process_time() - processor)


def plain(folder: Path, size: int) -> None:
    """One collection of everything, as it is written in ten lines, with the vectors of the stock, if it is not there yet."""
    import chromadb

    client = chromadb.PersistentClient(str(folder / PLAIN))
    collection = client.get_or_create_collection("alles", embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
    if collection.count() == size:
        return
    registry = CorpusRegistry(folder, HashedWords(DIMENSION))
    for stock in registry.state.stocks.values():
        for ids, vectors in chroma.pages(stock.col, folder):
            chunks_here = [stock.chunk(chunk_id) for chunk_id in ids]
            collection.upsert(
                ids=ids,
                embeddings=vectors,
                documents=[chunk.text for chunk in chunks_here],
                metadatas=[{"corpus_id": chunk.corpus_id, "section_id": chunk.section_id} for chunk in chunks_here],
            )


def measured(folder: Path) -> dict[str, float]:
    """What a fresh process finds; the first opening, which builds what is built once, is measured apart."""
    first, second = (_in_a_process(folder, again) for again in (False, True))
    return {**second, "first opening, s": first["opening, s"]}


def _in_a_process(folder: Path, questions: bool) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.growth_one", str(folder), *(["--questions"] if questions else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = msgspec.json.decode(done.stdout.splitlines()[-1])
    return found


def exponent(sizes: Sequence[int], values: Sequence[float | None]) -> str:
    """The slope from the smallest to the largest size on logarithmic axes."""
    known = [(size, value) for size, value in zip(sizes, values, strict=True) if value]
    if len(known) < 2:
        return "–"
    (low, first), (high, last) = known[0], known[-1]
    return f"n^{math.log(last / first) / math.log(high / low):.2f}"


def table(results: dict[int, dict[str, float]]) -> str:
    """Each measure as a row, each size as a column, the exponent last."""
    sizes = sorted(results)
    names = list(dict.fromkeys(name for size in sizes for name in results[size]))
    lines = ["| | " + " | ".join(f"{size:,}" for size in sizes) + " | growth |", "|---" * (len(sizes) + 2) + "|"]
    for name in names:
        values = [results[size].get(name) for size in sizes]
        growth = "" if name.startswith(("recall", "ratio")) else exponent(sizes, values)
        lines.append(f"| {name} | " + " | ".join("–" if value is None else f"{value:.4g}" for value in values) + f" | {growth} |")
    return "\n".join(lines)


@contextmanager
def _kept_at(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def main() -> None:
    """Make what is missing, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--keep", type=Path, help="folder that keeps the stocks; default: a temporary one")
    parser.add_argument("--no-plain", action="store_true", help="without the plain use of Chroma beside it")
    args = parser.parse_args()
    vocabulary = Vocabulary(SEED)
    results: dict[int, dict[str, float]] = {}
    with _kept_at(args.keep) as keep:
        for size in args.sizes:
            folder = keep / str(size)
            took = stocked(folder, size, vocabulary)
            if not args.no_plain:
                plain(folder, size)
            ingested: dict[str, Any] = {
                "ingest, s": sum(one.processor for one in took),
                "by the clock, s": sum(one.seconds for one in took),
            }
            results[size] = {**ingested, **measured(folder)}
    print(table(results))


if __name__ == "__main__":
    main()

"""What an ingest adds to the encoder: chunks per second into stock, against the bare encoder over the same passages.

    python -m benchmarks.ingest [--rounds 3]

The whole of the AMG and the first 1,500 chunks of SGB V; of the samples where real law is absent. Each round begins with an empty folder,
and the sides take turns. An ingest embeds, writes Chroma's index and the search words, and checks with a fresh client what was written;
reading the file and cutting it into chunks stands beside it, as share of the whole.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.law import AMG, DATA, SAMPLES, SGB_V, Source, met
from retrieval.build import ingest
from retrieval.chunking import CHUNKING, chunks
from retrieval.commands.corpora import files_in
from retrieval.embedding import encoder
from retrieval.model import Chunk, CorpusSpec

BAR = 0.85
PART = 1_500


class Load(msgspec.Struct, frozen=True):
    """The chunks of one ingest, and how long reading and cutting took (seconds, None: not measured for a part)."""

    name: str
    spec: CorpusSpec
    chunks: tuple[Chunk, ...]
    reading: float | None = None


def loads() -> tuple[Load, ...]:
    """What is ingested."""
    if not DATA.is_dir():
        return tuple(_whole(Source(path)) for path in files_in(SAMPLES)[:1])
    part = SGB_V.read()
    return _whole(AMG), Load(f"SGB V, first {PART} chunks", part.spec, chunks(part)[:PART])


def _whole(source: Source) -> Load:
    start = time.perf_counter()
    corpus = source.read()
    pieces = chunks(corpus)
    return Load(corpus.spec.names[0], corpus.spec, pieces, time.perf_counter() - start)


class Cost(NamedTuple):
    """Seconds on the clock, and seconds of processor time over all threads, which a busy machine changes less."""

    clock: float
    processor: float


def cost(call: Callable[[], object]) -> Cost:
    """What one call costs."""
    clock, processor = time.perf_counter(), time.process_time()
    call()
    return Cost(time.perf_counter() - clock, time.process_time() - processor)


def bare(load: Load) -> Cost:
    """The encoder alone, all passages in one call."""
    passages = [chunk.passage for chunk in load.chunks]
    return cost(lambda: encoder().passages(passages))


def ingested(load: Load) -> Cost:
    """A whole ingest into an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        return cost(lambda: ingest(Path(folder), load.spec, load.chunks, chunking=CHUNKING))


def measured(load: Load, rounds: int) -> tuple[Cost, Cost]:
    """The best round of the encoder and of the ingest, taking turns: what the machine does when nobody else asks it."""
    plain: list[Cost] = []
    ours: list[Cost] = []
    for number in range(rounds):
        sides = [(plain, bare), (ours, ingested)]
        for seen, side in sides if number % 2 else reversed(sides):
            seen.append(side(load))
    first, second = (Cost(*map(min, zip(*seen, strict=True))) for seen in (plain, ours))
    return first, second


def main() -> None:
    """Print the rates and the ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    encoder().passages(["Aufwärmen"])
    for load in loads():
        plain, ours = measured(load, rounds)
        size, ratio, by_processor = len(load.chunks), plain.clock / ours.clock, plain.processor / ours.processor
        print(f"{load.name}: {size} chunks, best of {rounds} rounds")
        print(f"  bare encoder {size / plain.clock:7.1f} chunks/s, ingest {size / ours.clock:7.1f} chunks/s")
        print(f"  ingest / bare encoder {ratio:.2f} (by processor time {by_processor:.2f}); bar {BAR}: {met(ratio >= BAR)}")
        if load.reading is not None:
            print(f"  reading and cutting the file before it: {load.reading:.2f} s, {load.reading / ours.clock:.0%} of the ingest")


if __name__ == "__main__":
    main()

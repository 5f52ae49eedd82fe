"""What it costs that the collections live on a Chroma server: opening, and a question that nobody asked before.

    python -m benchmarks.places [--index FOLDER]

The same chunks with the same vectors lie in a folder and on a server of this machine. Both sides take turns, each question is asked once
by each, and who is first changes with every question. ``exact`` compares all vectors, which are read when the stock is first opened;
``index`` asks Chroma's index for every question. With ``exact`` both must give the same lists, or the measurement ends; with ``index``
they are counted, for two builds of one index need not be equal.
"""

from __future__ import annotations

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.law import ANCHORS, DATA, SAMPLES, SIX, arguments, ensure, index_at, question_texts
from retrieval import chroma, manifest, places
from retrieval.assemble import open_federation
from retrieval.build import ingest, ingest_file
from retrieval.commands.corpora import files_in
from retrieval.embedding import encoder
from retrieval.errors import StockError
from retrieval.federated import FederatedRetriever
from retrieval.places import Server
from retrieval.ports import Matrix
from retrieval.trace import Trace

WARM = 5
OPENINGS = 3
_STARTS = 60.0


class Kept:
    """The encoder of the stock with the vectors that it has made already, so that the second index need not be embedded again."""

    def __init__(self, vectors: dict[str, Any]) -> None:
        self._inner, self._vectors = encoder(), vectors
        self.fingerprint, self.questions, self.truncated = self._inner.fingerprint, self._inner.questions, self._inner.truncated

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of passages, one row each."""
        if all(text in self._vectors for text in texts):
            return np.array([self._vectors[text] for text in texts], dtype=np.float32)
        return self._inner.passages(texts)


@contextmanager
def running() -> Iterator[str]:
    """A Chroma server of this machine over an empty folder; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(Server(f"http://127.0.0.1:{port}"))
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _wait_for(server: Server) -> None:
    end = time.monotonic() + _STARTS
    while True:
        try:
            places.require_answer(server)
            return
        except StockError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def give(folder: Path, other: Path, address: str = "") -> Path:
    """Everything that is in stock at ``folder`` in a new index at ``other``, its collections there or on the server at ``address``."""
    client = places.open_client(folder)
    for entry in manifest.read(folder).corpora:
        pieces = manifest.load_chunks(manifest.data_folder(folder, entry.collection))
        stored = chroma.vectors_by_id(chroma.collection(client, folder, entry.collection), folder)
        kept = Kept({piece.passage: stored[piece.chunk_id] for piece in pieces})
        ingest(other, entry.spec, pieces, None, kept, chunking=entry.fingerprint.chunking if entry.fingerprint else "", server=address)
    client.close()
    return other


def opened(folder: Path, way: str) -> tuple[FederatedRetriever, float]:
    """The federation, and the seconds that opening it took."""
    register = ANCHORS if DATA.is_dir() else None
    with patch.object(chroma, "EXACT_UP_TO", 10**9 if way == "exact" else 0):
        start = time.perf_counter()
        federation = open_federation(folder, register, "use")
        return federation, time.perf_counter() - start


def openings(folders: Sequence[Path], way: str) -> tuple[list[float], list[float]]:
    """The seconds of opening each for the first time, and the median of later ones, taking turns."""
    first, *later = [[opened(folder, way)[1] for folder in folders] for _ in range(1 + OPENINGS)]
    return first, [statistics.median(seconds) for seconds in zip(*later, strict=True)]


def asked(sides: Sequence[FederatedRetriever], questions: Sequence[str]) -> tuple[list[list[float]], int]:
    """Seconds of each question on both sides, and how many of the questions got the same candidates in every route."""
    seconds: list[list[float]] = [[], []]
    same = 0
    for number, question in enumerate(questions):
        traces: dict[int, Trace] = {}
        for side in (0, 1) if number % 2 else (1, 0):
            start = time.perf_counter()
            traces[side] = sides[side].trace(question)
            seconds[side].append(time.perf_counter() - start)
        same += _lists(traces[0]) == _lists(traces[1])
    return seconds, same


def _lists(trace: Trace) -> list[tuple[str, float]]:
    return [(entry.chunk_id, entry.rank) for entry in trace.final]


def report(way: str, starts: Sequence[Sequence[float]], seconds: Sequence[Sequence[float]], same: int) -> str:
    """One way of searching in words."""
    folder, server = (1000 * statistics.median(side) for side in seconds)
    more = statistics.median(1000 * (one - other) for other, one in zip(*seconds, strict=True))
    return "\n".join(
        (
            f"{way}: {len(seconds[0])} questions, {same} of them with equal lists",
            *(
                f"  {name:<14} folder {here:6.2f} s    server {there:6.2f} s    ratio {there / here:.2f}"
                for name, (here, there) in zip(("first opening", "later ones"), starts, strict=True)
            ),
            f"  question       folder {folder:6.1f} ms   server {server:6.1f} ms   ratio {server / folder:.2f}",
            f"  median of the differences {more:+.1f} ms",
        )
    )


def measured(way: str, folders: Sequence[Path], questions: Sequence[str]) -> str:
    """The report for one way. Ends the program when exact lists differ."""
    starts = openings(folders, way)
    sides = [opened(folder, way)[0] for folder in folders]
    asked(sides, questions[:WARM])
    seconds, same = asked(sides, questions[WARM:])
    if way == "exact" and same < len(seconds[0]):
        sys.exit(f"exact: {len(seconds[0]) - same} of {len(seconds[0])} lists differ between folder and server; none may.")
    return report(way, starts, seconds, same)


def main() -> None:
    """Print both ways."""
    args = arguments(__doc__ or "").parse_args()
    with index_at(args.index) as folder, running() as address, tempfile.TemporaryDirectory() as other:
        if DATA.is_dir():
            ensure(folder, SIX)
        else:
            for path in files_in(SAMPLES):
                ingest_file(folder, path)
        # Both are made anew: an index that was kept may have been read in by an older program.
        folders = give(folder, Path(other, "here")), give(folder, Path(other, "there"), address)
        for way in ("exact", "index"):
            print(measured(way, folders, question_texts()))


if __name__ == "__main__":
    main()

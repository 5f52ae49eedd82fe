"""The chunks of a corpus in their file, read one by one when they are asked for.

The file is a JSON array. Beside it stands what is needed to find a chunk without reading the others: where each begins, which are
repealed, a hash of each id in order, and where each section starts. Where it is missing or does not fit, the file is read through once.
"""

from __future__ import annotations

import hashlib
import io
import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval.diskfile import written
from retrieval.errors import BrokenStock
from retrieval.model import Chunk
from retrieval.shelf import Layout

INDEX = "chunks.npz"
_KEPT = 1024
"""So many chunks of a corpus are kept as they were read last."""
_TYPES = {
    "offsets": np.int64,  # where each chunk starts in the file, and one behind the last
    "repealed": np.bool_,
    "hashes": np.uint64,  # of the ids, sorted
    "order": np.int32,  # the rows in that order
    "starts": np.int64,  # the row of the first chunk of each run of one section
    "dotted": np.int64,  # the rows whose Absatz is numbered like 2.1
    "names": np.uint8,  # container and section of each run
}


class _Head(msgspec.Struct, frozen=True, gc=False):
    chunk_id: str
    container_id: str = ""
    section_id: str = ""
    subsection: str = ""
    repealed: bool = False


class _Index(NamedTuple):
    """What stands beside the file (``_TYPES``)."""

    offsets: NDArray[np.int64]
    repealed: NDArray[np.bool_]
    hashes: NDArray[np.uint64]
    order: NDArray[np.int32]
    starts: NDArray[np.int64]
    dotted: NDArray[np.int64]
    names: NDArray[np.uint8]

    @classmethod
    def of(cls, content: bytes) -> _Index:
        """What there is to know about this file, read through. Raises msgspec.MsgspecError, or ValueError for one that is not dense."""
        raws = msgspec.json.decode(content, type=list[msgspec.Raw])
        lengths = np.fromiter((len(raw) for raw in raws), dtype=np.int64, count=len(raws))
        offsets = np.cumsum(np.concatenate([[1], lengths + 1]))
        if len(raws) and offsets[-1] != len(content):
            raise ValueError("the chunks do not follow each other without blanks")
        head = msgspec.json.Decoder(_Head)
        heads = [head.decode(raw) for raw in raws]
        hashes = np.fromiter((_hash(one.chunk_id) for one in heads), dtype=np.uint64, count=len(heads))
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        repealed = np.fromiter((one.repealed for one in heads), dtype=np.bool_, count=len(heads))
        laid = Layout.of(heads)
        names = np.frombuffer(msgspec.json.encode(laid.names), dtype=np.uint8)
        starts, dotted = (np.array(rows, dtype=np.int64) for rows in (laid.starts, laid.dotted))
        return cls(offsets, repealed, hashes[order], order, starts, dotted, names)

    @classmethod
    def load(cls, path: Path, size: int) -> _Index | None:
        """The stored one; None where there is none that fits a file of this size."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in _TYPES}
        except Exception:  # damaged archives raise from zip, zlib and numpy alike
            return None
        found = cls(**arrays)
        count = len(found.repealed)
        sound = all(arrays[name].ndim == 1 and arrays[name].dtype == kind for name, kind in _TYPES.items())
        whole = [len(found.offsets) - 1, len(found.hashes), len(found.order)] == [count] * 3
        return found if sound and whole and (not count or found.offsets[-1] == size) else None

    @property
    def layout(self) -> Layout:
        """How the chunks lie in sections."""
        return Layout(msgspec.json.decode(self.names.tobytes(), type=list[tuple[str, str]]), self.starts.tolist(), self.dotted.tolist())


def index_of(content: bytes) -> bytes:
    """What is stored beside a file of chunks with this content."""
    found = io.BytesIO()
    np.savez(found, **_Index.of(content)._asdict())
    return found.getvalue()


def _stored(path: Path, content: bytes) -> _Index:
    """The index of this content, stored at ``path`` for the next time if that can be."""
    made = _Index.of(content)
    with suppress(OSError), written(path) as file:
        np.savez(file, **made._asdict())
    return made


class ChunkFile(Sequence[Chunk]):
    """The chunks of a file, in order. Each is decoded when it is asked for; those asked for last are kept."""

    def __init__(self, path: Path) -> None:
        """Raises BrokenStock for a file that is missing or damaged; what is damaged inside is found when it is read."""
        self._path = path
        try:
            with path.open("rb") as file:
                self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._index = _Index.load(path.with_name(INDEX), len(self._content)) or _stored(path.with_name(INDEX), self._content[:])
        except (OSError, ValueError, msgspec.MsgspecError) as cause:
            raise self._broken(cause) from cause
        self._count = len(self._index.repealed)
        self._decoder = msgspec.json.Decoder(Chunk)
        self._read = lru_cache(maxsize=_KEPT)(self._remembered)
        self._rows: dict[str, int] = {}
        self.ids: Sequence[str] = _Ids(self, range(len(self)))

    def _broken(self, cause: Exception) -> BrokenStock:
        return BrokenStock(f"{self._path.absolute()} cannot be read ({type(cause).__name__}). Ingest the corpus again.")

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Chunk: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Chunk, ...]: ...

    def __getitem__(self, place: int | slice) -> Chunk | tuple[Chunk, ...]:
        if isinstance(place, slice):
            return tuple(self._decoded(row) for row in range(*place.indices(len(self))))
        row = place + self._count if place < 0 else place
        if not 0 <= row < self._count:
            raise IndexError(f"There is no chunk {place} among {self._count}.")
        return self._read(row)

    def __iter__(self) -> Iterator[Chunk]:
        return map(self._decoded, range(len(self)))

    def _remembered(self, row: int) -> Chunk:
        """The chunk in this row, whose id is likely to be asked for next."""
        chunk = self._decoded(row)
        if len(self._rows) > 4 * _KEPT:
            self._rows = {}
        self._rows[chunk.chunk_id] = row
        return chunk

    def _decoded(self, row: int) -> Chunk:
        start, end = self._index.offsets[row : row + 2].tolist()
        try:
            return self._decoder.decode(self._content[start : end - 1])
        except msgspec.MsgspecError as cause:
            raise self._broken(cause) from cause

    @property
    def in_force(self) -> NDArray[np.int64]:
        """The rows of the chunks that are not repealed."""
        return np.flatnonzero(~self._index.repealed)

    @property
    def layout(self) -> Layout:
        """How the chunks lie in sections."""
        return self._index.layout

    def ids_of(self, rows: NDArray[np.int64]) -> Sequence[str]:
        """The ids of the chunks in these rows."""
        return _Ids(self, rows)

    def row(self, chunk_id: str) -> int | None:
        """The row of the chunk with this id; None where there is none."""
        if (known := self._rows.get(chunk_id)) is not None:
            return known
        wanted = _hash(chunk_id)
        place = int(self._index.hashes.searchsorted(np.uint64(wanted)))
        while place < len(self) and int(self._index.hashes[place]) == wanted:
            row = int(self._index.order[place])
            if self[row].chunk_id == chunk_id:
                return row
            place += 1
        return None


class _Ids(Sequence[str]):
    """The ids of some chunks of a file, in their order, each read when it is asked for."""

    def __init__(self, chunks: ChunkFile, rows: Sequence[int] | NDArray[np.int64]) -> None:
        self._chunks, self._rows = chunks, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(self._chunks[int(row)].chunk_id for row in self._rows[place])
        return self._chunks[int(self._rows[place])].chunk_id


def _hash(chunk_id: str) -> int:
    return int.from_bytes(hashlib.blake2b(chunk_id.encode(), digest_size=8).digest(), "little")

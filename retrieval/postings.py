"""The postings of all words: which documents hold a word how often, as plain arrays that are built once and then read from the disk.

A document is a chunk that takes part in the word search. The documents of one corpus stand in a row, in the order of its chunks, so that
a corpus is a range of numbers. On disk the arrays are a folder of numpy's own files without pickles, opened memory-mapped: several
processes share them, and a question reads only the parts that it needs.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval.diskfile import checksum

log = logging.getLogger(__name__)

K1 = 1.5
B = 0.75
FORMAT = 1
FOLDER = "words"
_ABOUT = "about.json"
_MOST = np.iinfo(np.uint16).max
_ABANDONED = 3600.0
"""Seconds after which a folder that somebody began to write is nobody's."""
_TYPES = {
    "letters": np.uint8,  # the words in the order of their bytes, one behind the other
    "starts": np.int64,  # where each word starts there, and the end
    "bounds": np.int64,  # where the postings of each word start, and the end
    "documents": np.int32,  # the documents of each word, in order
    "counts": np.uint16,  # how often the document holds it
    "tops": np.float64,  # the most that the word gives a document, in units of its idf
    "norms": np.float64,  # k1 * (1 - b + b * length / average length) of each document
    "rows": np.int32,  # the row of each document in its corpus
}


class Words(NamedTuple):
    """The words of one corpus: its vocabulary, every word of which is in a document; the words of the documents one after the other as
    numbers into it; and of each document how many words it has and its row among the chunks of the corpus."""

    vocabulary: Sequence[str]
    numbers: NDArray[Any]
    lengths: NDArray[Any]
    rows: NDArray[Any]


class _About(msgspec.Struct, frozen=True):
    """What the folder says about itself. ``key`` names what it was built from, ``checksum`` is over all arrays in their order."""

    format: int
    key: str
    ranges: dict[str, tuple[int, int]]
    sizes: dict[str, int]
    checksum: int


class Postings:
    """The arrays of an index (``_TYPES``), and the range of documents of each corpus."""

    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]
    bounds: NDArray[np.int64]
    documents: NDArray[np.int32]
    counts: NDArray[np.uint16]
    tops: NDArray[np.float64]
    norms: NDArray[np.float64]
    rows: NDArray[np.int32]

    def __init__(self, ranges: Mapping[str, tuple[int, int]], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.ranges = dict(ranges)
        self.arrays = dict(arrays)
        for name, array in arrays.items():
            setattr(self, name, array)

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.norms)

    @property
    def room(self) -> int:
        """How many bytes the arrays take."""
        return sum(array.nbytes for array in self.arrays.values())

    def number(self, word: str) -> int | None:
        """The number of this word; None where no document holds it."""
        wanted = word.encode()
        place = bisect_left(range(len(self.starts) - 1), wanted, key=self._word)
        return place if place < len(self.starts) - 1 and self._word(place) == wanted else None

    def _word(self, place: int) -> bytes:
        return self.letters[self.starts[place] : self.starts[place + 1]].tobytes()

    # --- building -----------------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, corpora: Mapping[str, Words]) -> Postings:
        """The postings of these corpora, in their order."""
        words = sorted({word.encode() for one in corpora.values() for word in one.vocabulary})
        place = {word: number for number, word in enumerate(words)}
        lengths = np.concatenate([np.empty(0, dtype=np.int64), *(one.lengths for one in corpora.values())])
        average = lengths.mean() if lengths.any() else 1.0
        norms = K1 * (1 - B + B * lengths / average)
        ends = np.cumsum([0, *(len(one.lengths) for one in corpora.values())]).tolist()
        ranges = {name: (start, end) for name, start, end in zip(corpora, ends, ends[1:], strict=False)}
        parts = [_counted(one, place, start) for one, start in zip(corpora.values(), ends, strict=False)]
        documents, counts, bounds = _merged(parts, len(words))
        letters = np.frombuffer(b"".join(words), dtype=np.uint8)
        starts = np.cumsum([0, *map(len, words)], dtype=np.int64)
        rows = np.concatenate([np.empty(0, dtype=np.int32), *(np.asarray(one.rows, dtype=np.int32) for one in corpora.values())])
        tops = _tops(documents, counts, bounds, norms)
        return cls(ranges, dict(zip(_TYPES, (letters, starts, bounds, documents, counts, tops, norms, rows), strict=True)))

    # --- on disk ------------------------------------------------------------------------------------------------------

    def save(self, place: Path, key: str) -> None:
        """Writes the arrays into a new folder at ``place``. Raises OSError where that cannot be, or where another process was first."""
        place.parent.mkdir(exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=place.parent, prefix=f"{place.name}."))
        try:
            for name, array in self.arrays.items():
                with (new / f"{name}.npy").open("wb") as file:
                    np.save(file, array, allow_pickle=False)
            sizes = {name: len(array) for name, array in self.arrays.items()}
            (new / _ABOUT).write_bytes(msgspec.json.encode(_About(FORMAT, key, self.ranges, sizes, _checksum(new))))
            new.chmod(0o755)  # temporary folders are closed to all others
            os.rename(new, place)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise

    @classmethod
    def load(cls, place: Path, key: str) -> Postings | None:
        """What ``save`` wrote for this key; None where there is nothing, or nothing whole."""
        try:
            about = msgspec.json.decode((place / _ABOUT).read_bytes(), type=_About)
            if (about.format, about.key, about.checksum) != (FORMAT, key, _checksum(place)):
                return None
            arrays = {name: _mapped(place / f"{name}.npy", kind, about.sizes[name]) for name, kind in _TYPES.items()}
        except (OSError, ValueError, KeyError, msgspec.MsgspecError) as cause:
            if place.exists():
                log.warning("The word index at %s cannot be used (%s) and is made anew.", place, type(cause).__name__)
            return None
        return cls(about.ranges, arrays)


def kept(folder: Path, key: str, corpora: Callable[[], Mapping[str, Words]]) -> Postings:
    """The postings under this key in the index folder, built by ``corpora()`` if they are not there whole; those under other keys go.

    Several processes may build at once: the first one's files stay. Where nothing can be written, the postings stay in memory.
    """
    place = folder / FOLDER / f"{FORMAT}-{key}"
    found = Postings.load(place, key)
    if found is not None:
        return found
    made = Postings.of(corpora())
    if (found := Postings.load(place, key)) is not None:
        return found
    try:
        _clear(place)
        made.save(place, key)
    except OSError as error:
        log.info("The word index is not kept at %s: %s", place, error)
    _sweep(place)
    return Postings.load(place, key) or made


def _clear(place: Path) -> None:
    """Takes away what stands in the way; moved first, so that nobody finds half of it."""
    if place.exists():
        aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f"{place.name}."))
        os.replace(place, aside)
        shutil.rmtree(aside, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Removes the indexes of other versions, but not what another process is writing now."""
    now = time.time()
    with suppress(OSError):  # what is gone already was removed by another process
        for other in place.parent.glob("*"):
            if other != place and ("." not in other.name or now - other.stat().st_mtime > _ABANDONED):
                shutil.rmtree(other, ignore_errors=True)


def _checksum(place: Path) -> int:
    """Over all arrays in their order."""
    found = 0
    for name in _TYPES:
        found = checksum(place / f"{name}.npy", found)
    return found


def _mapped(path: Path, kind: Any, size: int) -> NDArray[Any]:
    # A mapping of nothing is refused by the system.
    array: NDArray[Any] = np.load(path, mmap_mode="r" if size else None, allow_pickle=False)
    if array.dtype != kind or array.shape != (size,):
        raise ValueError(f"{path.name} holds {array.dtype} {array.shape}, expected {size} numbers of {np.dtype(kind)}")
    return array


class _Part(NamedTuple):
    """The postings of one corpus: word, document and count, by word and then document."""

    words: NDArray[np.int64]
    documents: NDArray[np.int32]
    counts: NDArray[np.uint16]


def _counted(one: Words, place: Mapping[bytes, int], first: int) -> _Part:
    """The postings of one corpus, whose documents are numbered from ``first``."""
    global_numbers = np.array([place[word.encode()] for word in one.vocabulary], dtype=np.int64)
    total = max(1, len(one.lengths))
    pairs = global_numbers[one.numbers] * total + np.repeat(np.arange(len(one.lengths)), one.lengths)
    pairs.sort()
    heads = np.flatnonzero(np.diff(pairs, prepend=-1))
    counts = np.minimum(np.diff(heads, append=len(pairs)), _MOST).astype(np.uint16)
    words, documents = np.divmod(pairs[heads], total)
    return _Part(words, (documents + first).astype(np.int32), counts)


def _merged(parts: Iterable[_Part], words: int) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.int64]]:
    """The documents and counts of all corpora by word, and where each word starts."""
    held = list(parts)
    sizes = [np.bincount(part.words, minlength=words) for part in held]
    bounds = np.concatenate([[0], np.cumsum(sum(sizes, np.zeros(words, dtype=np.int64)))]).astype(np.int64)
    documents = np.empty(bounds[-1], dtype=np.int32)
    counts = np.empty(bounds[-1], dtype=np.uint16)
    free = bounds[:-1].copy()
    for part, size in zip(held, sizes, strict=True):
        targets = np.arange(len(part.words)) + (free - np.cumsum(size) + size)[part.words]
        documents[targets], counts[targets] = part.documents, part.counts
        free += size
    return documents, counts, bounds


def _tops(documents: NDArray[Any], counts: NDArray[Any], bounds: NDArray[Any], norms: NDArray[Any]) -> NDArray[np.float64]:
    """The most that each word gives a document, in units of its idf. Every word has a posting."""
    if not len(documents):
        return np.zeros(len(bounds) - 1)
    return np.maximum.reduceat(impact(counts, norms[documents]), bounds[:-1])


def impact(counts: NDArray[Any], norms: NDArray[Any]) -> NDArray[np.float64]:
    """What words give their documents, in units of their idf: grows with the count, falls with the length; 0 where the count is 0."""
    found: NDArray[np.float64] = counts * (K1 + 1) / (counts + norms)
    return found

"""The manifest: what stands in the index folder, in one file that is replaced as a whole or not at all.

Beside it lie, for every generation of a corpus, a folder of plain data (its chunks, their search words, and the citations in
their texts), and Chroma's database, unless the collections live on a server.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from retrieval.chunkfile import INDEX, ChunkFile, index_of
from retrieval.errors import BrokenStock, NoDatabase, StockBusy, UnknownCorpus
from retrieval.model import Chunk, CorpusSpec
from retrieval.ports import Fingerprint

FORMAT = 1
FILE = "fundstelle.json"
CHUNKS = "chunks.json"
TOKENS = "tokens.npz"
READINGS = "citations.json"
_LOCK = "fundstelle.lock"
_DATA = "corpora"
_STARTED = "ingest.json"


class Changes(msgspec.Struct, frozen=True):
    """What an ingest did to the chunks of a corpus, counted by their addresses."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


class IngestReport(msgspec.Struct, frozen=True):
    """What was read and stored.

    ``read`` is the reader's report as plain data: norms, paragraphs, tables_found, tables_kept, repealed, empty, oddities. ``truncated``
    names the chunks that the encoder does not read to their end. ``encoded`` counts the chunks that were embedded now, ``reused``
    those whose vectors were at hand.
    """

    chunks: int = 0
    changes: Changes = Changes()
    truncated: tuple[str, ...] = ()
    encoded: int = 0
    reused: int = 0
    read: dict[str, Any] = {}


class CorpusEntry(msgspec.Struct, frozen=True):
    """One corpus in stock. ``encoder`` is the name under which its encoder is loaded, ``sources`` maps file names to their sha256.

    A corpus without fingerprint was made by something unknown; its scores cannot be compared with others.
    """

    spec: CorpusSpec
    collection: str
    count: int
    fingerprint: Fingerprint | None = None
    encoder: str = ""
    sources: dict[str, str] = {}
    report: IngestReport = IngestReport()


class Manifest(msgspec.Struct, frozen=True):
    """All corpora in stock, in the order in which they came. ``stamp`` is another one after every write.

    ``server`` is the address of the Chroma server that holds the collections, empty when they lie in this folder; ``index_id`` tells them
    there from those of other indexes.
    """

    format: int = FORMAT
    serial: int = 0
    stamp: str = ""
    chroma: str = ""
    corpora: tuple[CorpusEntry, ...] = ()
    server: str = ""
    index_id: str = ""

    def entry(self, corpus_id: str) -> CorpusEntry:
        """The entry of this corpus. Raises UnknownCorpus with the ids that exist."""
        for entry in self.corpora:
            if entry.spec.corpus_id == corpus_id:
                return entry
        known = ", ".join(entry.spec.corpus_id for entry in self.corpora) or "none"
        raise UnknownCorpus(f"The corpus {corpus_id!r} is not in stock. In stock: {known}. Ingest it or choose another.")

    def with_entry(self, entry: CorpusEntry) -> Manifest:
        """With this corpus at its old place, or at the end if it is new."""
        ids = [old.spec.corpus_id for old in self.corpora]
        if entry.spec.corpus_id not in ids:
            return msgspec.structs.replace(self, corpora=(*self.corpora, entry))
        same = tuple(entry if old.spec.corpus_id == entry.spec.corpus_id else old for old in self.corpora)
        return msgspec.structs.replace(self, corpora=same)

    def without(self, corpus_id: str) -> Manifest:
        """Without this corpus."""
        rest = tuple(entry for entry in self.corpora if entry.spec.corpus_id != corpus_id)
        return msgspec.structs.replace(self, corpora=rest)


class Unfinished(msgspec.Struct, frozen=True):
    """An ingest that did not come to its end: nothing of it can be asked; the next ingest of the corpus uses or removes it."""

    corpus_id: str
    title: str
    collection: str
    chunks: int
    fingerprint: Fingerprint | None = None


class _Header(msgspec.Struct, frozen=True):
    """What manifests of every format, older or newer, have in common."""

    format: int


# --- reading and writing --------------------------------------------------------------------------------------------


def read(folder: Path) -> Manifest:
    """The manifest of this folder. Raises NoDatabase if there is none, BrokenStock if it cannot be read or is of a newer format."""
    path = folder / FILE
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as cause:
        raise NoDatabase(
            f"There is no database at this place: {folder.absolute()} (no {FILE}). Nothing was created. Correct the path or ingest first."
        ) from cause
    except OSError as cause:
        raise BrokenStock(f"{path.absolute()} cannot be read: {cause.strerror}. Check the rights of the folder.") from cause
    try:
        found = msgspec.json.decode(raw, type=_Header).format
        if found == FORMAT:
            return msgspec.json.decode(raw, type=Manifest)
    except msgspec.MsgspecError as cause:
        raise BrokenStock(f"{path.absolute()} is damaged: {cause}. Restore it from a copy or ingest into a new folder.") from cause
    raise BrokenStock(
        f"{path.absolute()} has the format {found}; this version reads format {FORMAT}. Nothing was changed. "
        "Use the version of Fundstelle that wrote it, or ingest into a new folder."
    )


def write(folder: Path, manifest: Manifest) -> Manifest:
    """Replaces the manifest of this folder in one step; returns it with its new stamp."""
    serial = manifest.serial + 1
    content = hashlib.sha256(msgspec.json.encode(manifest.corpora)).hexdigest()[:12]
    stamped = msgspec.structs.replace(manifest, serial=serial, stamp=f"{serial}-{content}")
    replace_file(folder / FILE, msgspec.json.format(msgspec.json.encode(stamped), indent=1))
    return stamped


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file so that a reader finds the old or the new content, whatever happens in between."""
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError:
        with suppress(OSError):  # on a full disk half a file only takes room
            new.unlink()
        raise
    if hasattr(os, "O_DIRECTORY"):
        directory = os.open(path.parent, os.O_DIRECTORY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Only one process writes at a time; a second one is refused at once with StockBusy."""
    import filelock

    lock = filelock.FileLock(folder / _LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout as cause:
        raise StockBusy(f"Another ingest is writing to {folder.absolute()}. Wait until it has ended, then start again.") from cause
    except OSError as cause:
        raise BrokenStock(f"Nothing can be written to {folder.absolute()}: {cause.strerror}. Check the path and the rights.") from cause
    try:
        yield
    finally:
        lock.release()


# --- the data of a generation ---------------------------------------------------------------------------------------


def data_folder(folder: Path, collection: str) -> Path:
    """The folder of plain data that belongs to a collection."""
    return folder / _DATA / collection


def begin(folder: Path, started: Unfinished) -> Path:
    """Marks a generation as begun; returns its folder of data."""
    place = data_folder(folder, started.collection)
    place.mkdir(parents=True, exist_ok=True)
    replace_file(place / _STARTED, msgspec.json.encode(started))
    return place


def unfinished(folder: Path) -> tuple[Unfinished, ...]:
    """The generations that were begun and are not in the manifest, in the order of their names."""
    try:
        in_use = {entry.collection for entry in read(folder).corpora}
    except NoDatabase:
        in_use = set()
    found = (_started(path) for path in sorted(folder.glob(f"{_DATA}/*/{_STARTED}")) if path.parent.name not in in_use)
    return tuple(one for one in found if one is not None)


def _started(path: Path) -> Unfinished | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Unfinished)
    except (OSError, msgspec.MsgspecError):
        # Not ours or torn by a crash while it was written; the next ingest removes what the manifest does not name.
        return None


def generations(folder: Path) -> tuple[str, ...]:
    """The names of all collections that have a folder of data here."""
    return tuple(sorted(path.name for path in folder.glob(f"{_DATA}/*") if path.is_dir()))


def save_chunks(place: Path, chunks: tuple[Chunk, ...]) -> None:
    """Writes the chunks of a corpus, in order, and beside them what finds one without reading the others."""
    content = msgspec.json.encode(chunks)
    replace_file(place / CHUNKS, content)
    replace_file(place / INDEX, index_of(content))


def open_chunks(place: Path) -> ChunkFile:
    """The chunks of a corpus, in order, read when they are asked for. Raises BrokenStock for a missing or damaged file."""
    return ChunkFile(place / CHUNKS)


def load_chunks(place: Path) -> tuple[Chunk, ...]:
    """The chunks of a corpus, in order. Raises BrokenStock for a missing or damaged file."""
    path = place / CHUNKS
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Chunk, ...])
    except (OSError, msgspec.MsgspecError) as cause:
        raise BrokenStock(f"{path.absolute()} cannot be read ({type(cause).__name__}). Ingest the corpus again.") from cause

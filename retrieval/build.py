"""Ingest: the chunks of a body of rules become a corpus in stock, as a whole or not at all.

A corpus is written as a new generation: a collection of its own and a folder of data. Only when it is complete and answers, the manifest
is switched to it in one step, and the old generation goes. Whatever happens before that, the old corpus stays as it was, and what was
embedded so far serves the next attempt.
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval import background, chroma, manifest, places, readings
from retrieval.definitions import DEFINITIONS, stored_definitions
from retrieval.errors import BadSource, NoDatabase, StockError
from retrieval.lexical import StoredTokens
from retrieval.manifest import Changes, CorpusEntry, IngestReport, Manifest, Unfinished
from retrieval.model import Address, Chunk, CorpusSpec
from retrieval.places import Place, Server
from retrieval.ports import Encoder, Fingerprint, Matrix

__all__ = ["Changes", "IngestReport", "Progress", "ingest", "ingest_file", "remove"]

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Called with the number of chunks that have their vector and the number of all."""

_ENCODE_BATCH = 64
_WRITE_BATCH, _LARGEST_BATCH, _BATCHES = 256, 4096, 64
"""Chroma writes a batch while the next one is encoded. With each batch it writes parts of its index that are as large as the collection, so
batches grow with it: to a sixty-fourth of all chunks, within these bounds."""


def ingest_file(
    folder: Path,
    path: Path,
    about: Path | None = None,
    encoder: Encoder | str = "use",
    progress: Progress | None = None,
    server: str = "",
    **overrides: Any,
) -> IngestReport:
    """Reads a file of rules, cuts it into chunks and stores them; ``about`` and ``overrides`` are the reader's.

    Raises BadSource for a file that cannot be read, and what ``ingest`` raises.
    """
    from retrieval.chunking import CHUNKING, chunks
    from retrieval.readers import read

    corpus = read(path, about, **overrides)
    sources = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in (path, about) if one is not None}
    return ingest(folder, corpus.spec, chunks(corpus), corpus.report, encoder, progress, chunking=CHUNKING, sources=sources, server=server)


def ingest(
    folder: Path,
    spec: CorpusSpec,
    chunks: Sequence[Chunk],
    report: Any = None,
    encoder: Encoder | str = "use",
    progress: Progress | None = None,
    *,
    chunking: str = "",
    sources: Mapping[str, str] | None = None,
    server: str = "",
) -> IngestReport:
    """Stores a corpus in place of the one with the same id, or as a new one.

    ``report`` is the reader's report (a msgspec struct or plain data). ``chunking`` is the stamp of how the chunks were cut. ``server`` is
    the address of the Chroma server on which a new index shall have its collections, or to which the one of this index has moved; without
    it a new index has them where FUNDSTELLE_CHROMA says, else in its folder, and any other where it was made.
    Raises BadSource for chunks that do not fit together, BadInput for a server that does not fit the index, StockBusy while another
    process writes, EncoderError, BrokenStock.
    """
    _require_sound(spec, chunks)
    # A server that does not answer is said before anything is made, locked or embedded.
    places.require_answer(_place(folder, _stock(folder), server))
    name = encoder if isinstance(encoder, str) else ""
    model = _loaded(encoder)
    fingerprint = background.stamped(msgspec.structs.replace(model.fingerprint, chunking=chunking), model)
    read: dict[str, Any] = msgspec.to_builtins(report) if report is not None else {}
    with manifest.sole_writer(folder), _made(folder, server) as made:
        run = _Ingest(made, spec, tuple(chunks), model, fingerprint, progress or (lambda done, total: None))
        counts = run.store()
        done = msgspec.structs.replace(counts, truncated=_truncated(model, chunks), read=read)
        named = msgspec.structs.replace(spec, collection=run.name)
        entry = CorpusEntry(named, run.name, len(chunks), fingerprint, name, dict(sources or {}), done)
        made.write(made.stock.with_entry(entry))
        made.sweep(spec.corpus_id)
    return done


def remove(folder: Path, corpus_id: str, server: str = "") -> None:
    """Takes a corpus out of stock, also one that was never finished. Raises UnknownCorpus, StockBusy, BrokenStock.

    ``server`` is the address to which the Chroma server of this index has moved.
    """
    if not folder.is_dir():
        manifest.read(folder)
    with manifest.sole_writer(folder), _made(folder, server, new=False) as made:
        begun = {one.corpus_id for one in manifest.unfinished(folder)}
        if corpus_id in {entry.spec.corpus_id for entry in made.stock.corpora}:
            made.write(made.stock.without(corpus_id))
        elif corpus_id not in begun:
            made.stock.entry(corpus_id)
        made.sweep(corpus_id)


def _loaded(encoder: Encoder | str) -> Encoder:
    from retrieval.embedding import encoder as load

    return load(encoder) if isinstance(encoder, str) else encoder


def _require_sound(spec: CorpusSpec, chunks: Sequence[Chunk]) -> None:
    if not spec.corpus_id.strip():
        raise BadSource("The corpus has no id; expected at least one letter or digit. Give it an id.")
    foreign = next((chunk for chunk in chunks if chunk.corpus_id != spec.corpus_id), None)
    if foreign is not None:
        raise BadSource(
            f"The chunk {foreign.chunk_id!r} belongs to {foreign.corpus_id!r}, expected {spec.corpus_id!r}. Read the source again."
        )
    seen: set[str] = set()
    for chunk in chunks:
        if chunk.chunk_id in seen or not chunk.chunk_id:
            raise BadSource(
                f"The chunk id {chunk.chunk_id!r} is there twice or empty; expected one id for each chunk. Read the source again."
            )
        seen.add(chunk.chunk_id)


def _stock(folder: Path) -> Manifest | None:
    try:
        return manifest.read(folder)
    except NoDatabase:
        return None


def _place(folder: Path, stock: Manifest | None, server: str) -> Place:
    return places.of_index(folder, stock.server, server) if stock is not None else places.for_new(folder, server)


class _Made:
    """An index that is written to: its manifest, and the place of its collections, which is opened when it is first needed."""

    def __init__(self, folder: Path, stock: Manifest, place: Place) -> None:
        self.folder, self.stock, self.place = folder, stock, place

    @cached_property
    def client(self) -> Any:
        """A client that creates the database if there is none, and never upgrades one that another version wrote."""
        return places.open_client(self.place, create=isinstance(self.place, Server) or not (self.place / places.DATABASE).exists())

    def close(self) -> None:
        """Closes the client, if there is one."""
        if "client" in vars(self):
            self.client.close()

    def write(self, stock: Manifest) -> None:
        """Switches the index to this manifest; what is written says with which Chroma and where."""
        from importlib.metadata import version

        server = self.place.address if isinstance(self.place, Server) else ""
        self.stock = manifest.write(self.folder, msgspec.structs.replace(stock, chroma=version("chromadb"), server=server))
        try:
            if isinstance(self.place, Server):
                places.keep_home(self.client, self.place, self.stock.index_id, self.stock.serial)
        except StockError as error:
            log.warning("The index is written, but its home could not be told: %s", error)

    def sweep(self, corpus_id: str) -> None:
        """Removes what the manifest does not name of this corpus; what cannot go now stays visible as unfinished and goes next time."""
        gone = [one.collection for one in manifest.unfinished(self.folder) if one.corpus_id == corpus_id]
        try:
            for name in gone:
                chroma.drop(self.client, self.place, name)
                shutil.rmtree(manifest.data_folder(self.folder, name))
        except (StockError, OSError) as error:
            log.warning("An old generation of %s stays for now: %s", corpus_id, error)


@contextmanager
def _made(folder: Path, server: str, new: bool = True) -> Iterator[_Made]:
    """The index in this folder, made now if there is none and it is to be ``new``.

    On a server it is made before its first corpus is, so that what an interrupted ingest leaves there is found again.
    """
    stock = _stock(folder)
    made = _Made(folder, stock or Manifest(), _place(folder, stock, server) if new or stock else folder)
    try:
        if isinstance(made.place, Server):
            if stock is None:
                made.write(Manifest(index_id=places.new_home(made.client, made.place)))
            places.require_home(made.client, made.place, made.stock.index_id, made.stock.serial)
        yield made
    finally:
        made.close()


def _truncated(model: Encoder, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    return tuple(chunks[place].chunk_id for place in model.truncated([chunk.passage for chunk in chunks]))


def _generation(spec: CorpusSpec, index_id: str, existing: Sequence[str]) -> str:
    """A new technical name: it says which corpus and, on a server, of which index, is no path, and was not used before."""
    from retrieval.readers.naming import technical_name

    slug = "-".join(filter(None, (technical_name(spec.collection or spec.corpus_id), index_id)))
    used = [int(found[1]) for name in existing if (found := re.fullmatch(re.escape(slug) + r"-(\d+)", name))]
    return f"{slug}-{max(used, default=0) + 1:04d}"


class _Ingest:
    """One generation on its way into the stock."""

    def __init__(
        self, made: _Made, spec: CorpusSpec, chunks: tuple[Chunk, ...], model: Encoder, fingerprint: Fingerprint, progress: Progress
    ) -> None:
        self.folder, self.place, self.client = made.folder, made.place, made.client
        self.spec, self.chunks = spec, chunks
        self.model, self.fingerprint, self.progress = model, fingerprint, progress
        self.old = next((entry for entry in made.stock.corpora if entry.spec.corpus_id == spec.corpus_id), None)
        existing = (*manifest.generations(self.folder), *chroma.names(self.client, self.place))
        self.name = _generation(spec, made.stock.index_id, existing)

    def store(self) -> IngestReport:
        """Writes everything but the manifest, and checks with fresh eyes that it is there."""
        at_hand = self._vectors_at_hand()
        data = manifest.begin(self.folder, Unfinished(self.spec.corpus_id, self.spec.title, self.name, len(self.chunks), self.fingerprint))
        manifest.save_chunks(data, self.chunks)
        StoredTokens.of(chunk.wording for chunk in self.chunks).save(data / manifest.TOKENS)
        manifest.replace_file(data / manifest.READINGS, readings.encoded(readings.read(chunk.text for chunk in self.chunks)))
        manifest.replace_file(data / DEFINITIONS, stored_definitions(self.chunks))
        reused = self._write(at_hand)
        self._verify()
        changes = changes_between(self._old_chunks(), self.chunks)
        return IngestReport(chunks=len(self.chunks), changes=changes, encoded=len(self.chunks) - reused, reused=reused)

    def _old_chunks(self) -> tuple[Chunk, ...]:
        if self.old is None:
            return ()
        try:
            return manifest.load_chunks(manifest.data_folder(self.folder, self.old.collection))
        except StockError as error:
            log.warning("The old chunks of %s cannot be compared: %s", self.spec.corpus_id, error)
            return ()

    def _vectors_at_hand(self) -> dict[tuple[str, str], NDArray[Any]]:
        """Vectors that the same encoder made earlier of the same passages: of the old corpus, and of attempts that were interrupted."""
        earlier = [(one.collection, one.fingerprint) for one in manifest.unfinished(self.folder) if one.corpus_id == self.spec.corpus_id]
        if self.old is not None:
            earlier.append((self.old.collection, self.old.fingerprint))
        found: dict[tuple[str, str], NDArray[Any]] = {}
        for name, fingerprint in earlier:
            if fingerprint is not None and _same_vectors(fingerprint, self.fingerprint):
                found |= self._stored_vectors(name)
        return found

    def _stored_vectors(self, name: str) -> dict[tuple[str, str], NDArray[Any]]:
        try:
            chunks = manifest.load_chunks(manifest.data_folder(self.folder, name))
            vectors = chroma.vectors_by_id(chroma.collection(self.client, self.place, name), self.place)
        except StockError as error:
            log.warning("Nothing of %s is used again: %s", name, error)
            return {}
        return {_key(chunk): vectors[chunk.chunk_id] for chunk in chunks if chunk.chunk_id in vectors}

    def _write(self, at_hand: Mapping[tuple[str, str], NDArray[Any]]) -> int:
        """Writes all chunks with their vectors; returns how many vectors were at hand. Chroma writes while the next are computed."""
        collection = chroma.new_collection(self.client, self.place, self.name)
        known = [chunk for chunk in self.chunks if _key(chunk) in at_hand]
        fresh = [chunk for chunk in self.chunks if _key(chunk) not in at_hand]
        with ThreadPoolExecutor(1) as writer:
            pending: Future[None] | None = None
            for block, vectors in self._blocks(known, fresh, at_hand):
                if pending is not None:
                    pending.result()
                pending = writer.submit(chroma.write, self.client, collection, self.place, block, vectors)
            if pending is not None:
                pending.result()
        return len(known)

    def _blocks(
        self, known: Sequence[Chunk], fresh: Sequence[Chunk], at_hand: Mapping[tuple[str, str], NDArray[Any]]
    ) -> Iterator[tuple[Sequence[Chunk], Matrix]]:
        self.progress(len(known), len(self.chunks))
        size = min(max(_WRITE_BATCH, len(self.chunks) // _BATCHES), _LARGEST_BATCH)
        for block in _batches(known, size):
            yield block, np.array([at_hand[_key(chunk)] for chunk in block], dtype=np.float32)
        for start, block in enumerate(_batches(fresh, size)):
            yield block, self._encoded(block, len(known) + start * size)

    def _encoded(self, block: Sequence[Chunk], before: int) -> Matrix:
        parts: list[Matrix] = []
        done = before
        for batch in _batches(block, _ENCODE_BATCH):
            parts.append(self.model.passages([chunk.passage for chunk in batch]))
            done += len(batch)
            self.progress(done, len(self.chunks))
        return np.concatenate(parts)

    def _verify(self) -> None:
        client = places.open_client(self.place)
        try:
            collection = chroma.collection(client, self.place, self.name)
            first = [self.chunks[0].chunk_id] if self.chunks else []
            probe = next(iter(chroma.vectors_by_id(collection, self.place, first).values()), None)
            chroma.verify(collection, self.place, len(self.chunks), None if probe is None else probe.tolist())
        finally:
            client.close()


def _key(chunk: Chunk) -> tuple[str, str]:
    return chunk.text_hash, chunk.passage


def _same_vectors(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether both make the same vector of the same passage; how questions are encoded does not matter for that."""
    fields = ("model", "revision", "dimension", "passage_prompt", "normalised", "metric")
    return all(getattr(one, field) == getattr(other, field) for field in fields)


def _batches(chunks: Sequence[Chunk], size: int) -> Iterator[Sequence[Chunk]]:
    return (chunks[start : start + size] for start in range(0, len(chunks), size))


def changes_between(old: Sequence[Chunk], new: Sequence[Chunk]) -> Changes:
    """What became of the norms, counted by address: an address is changed when the passages under it are others than before."""
    before, after = _by_address(old), _by_address(new)
    both = before.keys() & after.keys()
    changed = sum(before[address] != after[address] for address in both)
    return Changes(len(after.keys() - both), changed, len(before.keys() - both), len(both) - changed)


def _by_address(chunks: Sequence[Chunk]) -> dict[Address, list[tuple[str, bool]]]:
    ordered = sorted(enumerate(chunks), key=lambda pair: (pair[1].address, pair[0]))
    grouped = groupby((chunk for _, chunk in ordered), key=lambda chunk: chunk.address)
    return {address: [(chunk.passage, chunk.repealed) for chunk in group] for address, group in grouped}

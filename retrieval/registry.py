"""The registry: the corpora in an index folder that can be asked now, checked when they are opened, exchanged as a whole."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval import chroma, manifest, places, readings
from retrieval.background import completed
from retrieval.chroma import VectorIndex, Way
from retrieval.chunkfile import ChunkFile
from retrieval.comparable import differences, other_encoders
from retrieval.definitions import DEFINITIONS, Definitions, load_definitions
from retrieval.errors import BrokenStock, EncoderError, StockError
from retrieval.lexical import LexicalIndex, StoredTokens
from retrieval.manifest import CorpusEntry, Manifest
from retrieval.model import Chunk, CorpusSpec
from retrieval.places import NotOpenedHere, Place, Server
from retrieval.ports import Encoder, Fingerprint
from retrieval.postings import Words, kept
from retrieval.readings import Reading
from retrieval.stock import CorpusStock, Federation, NoVectors, Vectors
from retrieval.tokenizer import STYLE

log = logging.getLogger(__name__)
Rows = NDArray[np.int64]
_ATTEMPTS = 3
_PATIENCE = 3.0
"""Seconds between two looks for a server that does not answer."""


class State:
    """The stock as it was at one moment: every corpus in it belongs to the same version. Never changed after it is made.

    ``place`` is where its collections live; ``lost`` says why that could not be opened, empty when it could.
    """

    def __init__(
        self,
        stock: Manifest,
        stocks: dict[str, CorpusStock],
        blocked: dict[str, str],
        federation: Federation,
        place: Place,
        lost: str = "",
    ) -> None:
        from retrieval.legal_retriever import LegalRetriever

        self.manifest, self.stocks, self.blocked, self.federation = stock, stocks, blocked, federation
        self.place, self.lost = place, lost
        self._retrievers = {corpus_id: LegalRetriever(one, federation) for corpus_id, one in stocks.items()}

    def available(self) -> tuple[str, ...]:
        """The ids of the corpora that can be asked, in the order in which they came into stock."""
        return tuple(self.stocks)

    def stamps(self) -> tuple[str, str]:
        """The version of the stock, and the models that its corpora were made with."""
        models = dict.fromkeys(f"{one.fingerprint.model} {one.fingerprint.revision}".strip() for one in self.stocks.values())
        return self.manifest.stamp, ", ".join(models)

    def spec(self, corpus_id: str) -> CorpusSpec:
        """What a corpus says about itself, also of one that is blocked. Raises UnknownCorpus."""
        return self.manifest.entry(corpus_id).spec

    def retriever(self, corpus_id: str) -> Any:
        """The retriever of this corpus. Raises UnknownCorpus, or BrokenStock with the reason for which it is blocked."""
        if corpus_id in self.blocked:
            raise BrokenStock(self.blocked[corpus_id])
        self.manifest.entry(corpus_id)
        return self._retrievers[corpus_id]


class CorpusRegistry:
    """The corpora in one index folder. Opening it changes nothing of them; the word index is built beside them once for every version.

    ``encoder`` (an encoder or its name) takes the place of the ones that the corpora were made with. A corpus that is broken is blocked
    with a reason, one without encoder or vectors is searched by words alone; the others keep working. ``server`` is the address to which
    the Chroma server of this index has moved; without it, FUNDSTELLE_CHROMA's or the one with which the index was made.
    """

    def __init__(self, folder: Path | str, encoder: Encoder | str | None = None, way: Way = "auto", server: str = "") -> None:
        """Raises NoDatabase if nothing is stored here, BrokenStock if the manifest cannot be read, BadInput for a server that is none."""
        self.folder = Path(folder)
        self._encoder, self._way, self._server = encoder, way, server
        self._reloading = threading.Lock()
        self._looked = 0.0
        self._state = self._opened()

    @property
    def state(self) -> State:
        """The stock as it is now; whoever keeps it sees no change until it is asked for again."""
        return self._state

    @property
    def federation(self) -> Federation:
        """What all corpora share."""
        return self._state.federation

    @property
    def blocked(self) -> Mapping[str, str]:
        """The corpora that cannot be asked, with the reason."""
        return self._state.blocked

    @property
    def stamp(self) -> str:
        """The version of the stock that is open."""
        return self._state.manifest.stamp

    @property
    def primary_id(self) -> str:
        """The first corpus that can be asked; empty when there is none."""
        return next(iter(self._state.stocks), "")

    @property
    def persist_dir(self) -> str:
        """The index folder."""
        return str(self.folder)

    def available(self) -> tuple[str, ...]:
        """The ids of the corpora that can be asked, in the order in which they came into stock."""
        return self._state.available()

    def spec(self, corpus_id: str) -> CorpusSpec:
        """What a corpus says about itself. Raises UnknownCorpus."""
        return self._state.spec(corpus_id)

    def retriever(self, corpus_id: str) -> Any:
        """The retriever of this corpus. Raises UnknownCorpus, or BrokenStock for one that is blocked."""
        return self._state.retriever(corpus_id)

    def reload_if_changed(self) -> bool:
        """Opens the stock anew if another version was written, or its server is back; whether it did.

        What fails leaves the state that is open.
        """
        with self._reloading:
            if manifest.read(self.folder).stamp == self.stamp and not self._is_back():
                return False
            self._state = self._opened()
            return True

    def _is_back(self) -> bool:
        """Whether the server that could not be opened holds the index now; it is asked every few seconds at most."""
        state = self._state
        if not state.lost or not isinstance(state.place, Server) or time.monotonic() - self._looked < _PATIENCE:
            return False
        client, fault = _client(state.place, state.manifest)
        self._looked = time.monotonic()
        if client is not None:
            client.close()
        return fault is None

    def assert_consistent_embedding(self) -> str:
        """Empty, or a sentence when the scores of the corpora cannot be compared as they are."""
        state = self._state
        return " ".join((*differences(state.stocks), *other_encoders(state.stocks, state.federation.encoders)))

    def diagnostics(self) -> dict[str, Any]:
        """Everything an operator may ask about the stock, as plain data."""
        from importlib.metadata import version

        state = self._state
        encoders = {
            model: found if isinstance(found, str) else _plain(found.fingerprint) for model, found in state.federation.encoders.items()
        }
        return {
            "folder": str(self.folder.absolute()),
            "stamp": self.stamp,
            "chroma": {"installed": version("chromadb"), "written_with": state.manifest.chroma},
            "place": {
                "server": state.place.address if isinstance(state.place, Server) else "",
                "made_at": state.manifest.server,
                "lost": state.lost,
            },
            "corpora": [_about(state, entry) for entry in state.manifest.corpora],
            "encoders": encoders,
            "unfinished": [_plain(one) for one in manifest.unfinished(self.folder)],
            "consistent_embedding": self.assert_consistent_embedding(),
        }

    def _opened(self) -> State:
        """A complete state: if the stock is written while it is read, reading starts again."""
        for _ in range(_ATTEMPTS):
            stock = manifest.read(self.folder)
            state = _load(self.folder, stock, self._encoder, self._way, places.of_index(self.folder, stock.server, self._server))
            if manifest.read(self.folder).stamp == stock.stamp:
                return state
        raise BrokenStock(f"The stock at {self.folder.absolute()} changed {_ATTEMPTS} times while it was read. Try again.")


def open_texts(folder: Path | str) -> State:
    """The texts, names and addresses of a stock, without vectors, words and encoders: for look-ups, in a fraction of the time.

    Raises NoDatabase, or BrokenStock if the manifest cannot be read; a corpus that is broken is blocked with a reason.
    """
    place = Path(folder)
    stock = manifest.read(place)
    stocks: dict[str, CorpusStock] = {}
    blocked: dict[str, str] = {}
    for entry in stock.corpora:
        try:
            chunks = _chunks(place, entry)
        except StockError as error:
            blocked[entry.spec.corpus_id] = f"{entry.spec.title}: {error}"
            continue
        fingerprint = entry.fingerprint or Fingerprint("", "", 0, metric="")
        without = NoVectors("The stock was opened for look-ups only.")
        stocks[entry.spec.corpus_id] = CorpusStock(
            entry.spec,
            chunks,
            without,
            fingerprint,
            readings=_readings(place, entry, chunks),
            definitions=_definitions(place, entry, chunks),
        )
    federation = Federation(stocks.values(), LexicalIndex({}), {})
    return State(stock, stocks, blocked, federation, places.of_index(place, stock.server))


# --- loading --------------------------------------------------------------------------------------------------------


class _Opened(NamedTuple):
    """An index folder with a client of the place of its collections, or with the fault for which there is none."""

    folder: Path
    place: Place
    way: Way
    client: Any
    fault: StockError | None


def _load(folder: Path, stock: Manifest, given: Encoder | str | None, way: Way, place: Place) -> State:
    encoders = _encoders(stock.corpora, given)
    stocks: dict[str, CorpusStock] = {}
    rows: dict[str, Rows] = {}
    blocked: dict[str, str] = {}
    opened = _Opened(folder, place, way, *_client(place, stock))
    for entry in stock.corpora:
        corpus_id = entry.spec.corpus_id
        try:
            stocks[corpus_id], rows[corpus_id] = _corpus(opened, entry, encoders)
        except StockError as error:
            log.warning("The corpus %s is blocked: %s", corpus_id, error)
            blocked[corpus_id] = f"{entry.spec.title}: {error}"
    federation = Federation(stocks.values(), _words(folder, stock, stocks, rows), encoders)
    if opened.client is not None:
        # Retrievers in use hold the federation; when the last one is gone, so is the need for the client.
        weakref.finalize(federation, opened.client.close).atexit = False
    return State(stock, stocks, blocked, federation, place, _lost(opened, stocks.values()))


def _client(place: Place, stock: Manifest) -> tuple[Any, StockError | None]:
    client: Any = None
    try:
        client = places.open_client(place)
        if isinstance(place, Server):
            places.require_home(client, place, stock.index_id)
        return client, None
    except StockError as error:
        log.warning("The database cannot be opened: %s", error)
        if client is not None:
            client.close()
        return None, error


def _lost(opened: _Opened, stocks: Iterable[CorpusStock]) -> str:
    """Why the place of the collections was not open from the first to the last of them."""
    gone = (stock.index.reason for stock in stocks if stock.col is None and isinstance(stock.index, NoVectors))
    return str(opened.fault) if opened.fault is not None else next(gone, "")


def _corpus(opened: _Opened, entry: CorpusEntry, encoders: Mapping[str, Encoder | str]) -> tuple[CorpusStock, Rows]:
    """One corpus and the rows that take part in the search: those of the norms in force."""
    chunks = _chunks(opened.folder, entry)
    rows = chunks.in_force
    index, col = _vectors(opened, entry, chunks, rows)
    fingerprint = entry.fingerprint or Fingerprint("", "", getattr(index, "dimension", 0), metric="")
    fingerprint = completed(fingerprint, encoders.get(fingerprint.model))
    index = _fitting(index, encoders.get(fingerprint.model), entry)
    stock = CorpusStock(
        entry.spec, chunks, index, fingerprint, col, _readings(opened.folder, entry, chunks), _definitions(opened.folder, entry, chunks)
    )
    return stock, rows


def _chunks(folder: Path, entry: CorpusEntry) -> ChunkFile:
    chunks = manifest.open_chunks(manifest.data_folder(folder, entry.collection))
    if len(chunks) != entry.count:
        raise BrokenStock(f"{len(chunks)} chunks are there; {entry.count} were written. Ingest the corpus again.")
    return chunks


def _words(folder: Path, stock: Manifest, stocks: Mapping[str, CorpusStock], rows: Mapping[str, Rows]) -> LexicalIndex:
    """The word index over the corpora that can be asked, built once for this version of the stock and these rules of words."""
    entries = [entry for entry in stock.corpora if entry.spec.corpus_id in stocks]

    def words() -> dict[str, Words]:
        ids = ((entry, entry.spec.corpus_id) for entry in entries)
        return {corpus_id: _tokens(folder, entry, stocks[corpus_id].chunks).of_rows(rows[corpus_id]) for entry, corpus_id in ids}

    named = "\n".join((stock.stamp, STYLE, *(f"{entry.collection} {len(rows[entry.spec.corpus_id])}" for entry in entries)))
    return LexicalIndex(kept(folder, hashlib.sha256(named.encode()).hexdigest()[:16], words))


def _tokens(folder: Path, entry: CorpusEntry, chunks: Sequence[Chunk]) -> StoredTokens:
    """The stored words, or the words made anew and stored where the stored ones are damaged or follow other rules."""
    path = manifest.data_folder(folder, entry.collection) / manifest.TOKENS
    try:
        stored = StoredTokens.load(path)
        if len(stored) == len(chunks):
            return stored
        log.warning("The words of %s belong to other chunks and are made anew.", entry.spec.corpus_id)
    except BrokenStock as error:
        log.warning("The words of %s are made anew: %s", entry.spec.corpus_id, error)
    made = StoredTokens.of(chunk.wording for chunk in chunks)
    with suppress(OSError):  # a stock that cannot be written to is asked all the same
        made.save(path)
    return made


def _readings(folder: Path, entry: CorpusEntry, chunks: Sequence[Chunk]) -> Sequence[Reading] | None:
    """The stored citations of the chunks; None where there are none that fit, and the texts are read when they are needed."""
    try:
        stored = readings.load(manifest.data_folder(folder, entry.collection) / manifest.READINGS)
    except BrokenStock as error:
        log.info("The references of %s are read on demand: %s", entry.spec.corpus_id, error)
        return None
    return stored if len(stored) == len(chunks) else None


def _definitions(folder: Path, entry: CorpusEntry, chunks: Sequence[Chunk]) -> Callable[[], Definitions]:
    """What the chunks define, read from the disk when it is asked for first."""
    return partial(load_definitions, manifest.data_folder(folder, entry.collection) / DEFINITIONS, chunks)


def _vectors(opened: _Opened, entry: CorpusEntry, chunks: ChunkFile, rows: Rows) -> tuple[Vectors, Any]:
    """The checked vector search of a corpus and its collection, or the reason for which it must do without.

    Raises StockError for a corpus that must not be asked.
    """
    try:
        if opened.fault is not None:
            raise opened.fault
        return _checked(opened, entry, chunks, rows)
    except NotOpenedHere as error:
        return NoVectors(str(error)), None


def _checked(opened: _Opened, entry: CorpusEntry, chunks: ChunkFile, rows: Rows) -> tuple[VectorIndex, Any]:
    col = chroma.collection(opened.client, opened.place, entry.collection)
    kept_at = manifest.data_folder(opened.folder, entry.collection)
    index = VectorIndex(col, opened.place, chunks.ids_of(rows), rows, opened.way, chunks.row, kept_at)
    if not index.is_kept or isinstance(opened.place, Server):
        # Whoever counts or asks a collection in a folder makes Chroma read its whole index into this process. Where all vectors are
        # compared and were read before, nobody needs it.
        chroma.verify(col, opened.place, entry.count, index.probe)
    if entry.fingerprint is not None and len(index) and index.dimension != entry.fingerprint.dimension:
        raise BrokenStock(
            f"The stored vectors have {index.dimension} numbers, the manifest says {entry.fingerprint.dimension}. Ingest the corpus again."
        )
    return index, col


def _fitting(index: Vectors, encoder: Encoder | str | None, entry: CorpusEntry) -> Vectors:
    """The index, or the reason why this encoder's vectors cannot be compared with it."""
    dimension = getattr(index, "dimension", 0)
    if encoder is None or isinstance(encoder, str) or not dimension or encoder.fingerprint.dimension == dimension:
        return index
    found = encoder.fingerprint
    return NoVectors(
        f"{entry.spec.title} ({entry.spec.corpus_id}): its vectors have {dimension} numbers, those of the encoder {found.model} have "
        f"{found.dimension}. Choose the encoder that the corpus was made with, or ingest it again."
    )


def _encoders(entries: Iterable[CorpusEntry], given: Encoder | str | None) -> dict[str, Encoder | str]:
    """For every model in stock the encoder of questions, or a sentence why there is none."""
    found: dict[str, Encoder | str] = {}
    for entry in entries:
        model = entry.fingerprint.model if entry.fingerprint else ""
        if model not in found:
            found[model] = _encoder(given if given is not None else entry.encoder, model)
    return found


def _encoder(wanted: Encoder | str, model: str) -> Encoder | str:
    from retrieval.embedding import encoder

    if not isinstance(wanted, str):
        return wanted
    if not wanted:
        return f"The corpora of the model {model or 'unknown'!r} were stored without the name of their encoder. Name an encoder."
    try:
        return encoder(wanted)
    except EncoderError as error:
        log.warning("No vectors for questions: %s", error)
        return str(error)


# --- saying what is there -------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Frozen data as it looks in JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _about(state: State, entry: CorpusEntry) -> dict[str, Any]:
    corpus_id = entry.spec.corpus_id
    stock = state.stocks.get(corpus_id)
    index = stock.index if stock else None
    return {
        "corpus_id": corpus_id,
        "title": entry.spec.title,
        "collection": entry.collection,
        "chunks": entry.count,
        "fingerprint": _plain(entry.fingerprint),
        "encoder": entry.encoder,
        "way": index.way if index else "",
        "blocked": state.blocked.get(corpus_id, ""),
        "without_vectors": index.reason if isinstance(index, NoVectors) else "",
        "sources": dict(entry.sources),
        "report": _plain(entry.report),
    }

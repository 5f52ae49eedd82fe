"""What the page runs on: the places named by the environment, and a bounded memory of pools.

A pool is frozen and keyed by what it depends on, so no session can change what another one sees.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from retrieval.errors import FundstelleError
from retrieval.federated import FederatedRetriever
from retrieval.inspector.breakpoints import track
from retrieval.inspector.tracks import Track
from retrieval.questionfile import question_texts
from retrieval.settings import Settings
from retrieval.stock import Federation
from retrieval.trace import Pool

INDEX, ANCHORS, QUESTIONS, TOUR = "FUNDSTELLE_INDEX", "FUNDSTELLE_ANCHORS", "FUNDSTELLE_QUESTIONS", "FUNDSTELLE_TOUR"
TUNING = "FUNDSTELLE_TUNING"
RERANKER = "FUNDSTELLE_RERANKER"
"""The environment names the folder of the reranker, or a downloaded one, here."""
_BESIDE = "-tuning"
_POOLS = 512
_TRACKS = 256
_Key = tuple[str, str, int, int, int]
Opener = Callable[[Path, Path | None], FederatedRetriever]


class Places(msgspec.Struct, frozen=True):
    """Where the index, the anchor register, the example questions, the tour and the workshop lie; None: not named."""

    index: Path | None = None
    anchors: Path | None = None
    questions: Path | None = None
    tour: Path | None = None
    tuning: Path | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Places:
        """The places that the environment names, as absolute paths."""
        return cls(*(_path(environment.get(name, "")) for name in (INDEX, ANCHORS, QUESTIONS, TOUR, TUNING)))

    @property
    def workshop(self) -> Path:
        """The folder of the workshop: the one that is named, else one beside the index."""
        if self.tuning is not None:
            return self.tuning
        index = self.index or Path("fundstelle")
        return index.with_name(index.name + _BESIDE)


def _path(text: str) -> Path | None:
    return Path(text).expanduser().absolute() if text.strip() else None


def example_questions(path: Path | None) -> tuple[str, ...]:
    """The texts of a question file (``[[question]]`` with ``text``), each once, in order. Raises BadSource for a file that is none."""
    return question_texts(path) if path is not None else ()


class Runs:
    """One federation and the pools that were gathered with it, the latest ones kept.

    Safe for several threads: a pool is never changed, only the memory of pools is.
    """

    def __init__(self, federation: FederatedRetriever, most: int = _POOLS) -> None:
        self.federation = federation
        self._most = most
        self._pools: OrderedDict[_Key, Pool] = OrderedDict()
        self._tracks: OrderedDict[tuple[Any, ...], Track] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def registry(self) -> Any:
        """The corpora of the federation."""
        return self.federation.registry

    @property
    def stock(self) -> Any:
        """The stock as it is now, in one piece: what is read from it belongs together even if another version is opened meanwhile."""
        return getattr(self.registry, "state", self.registry)

    @property
    def texts(self) -> Federation | None:
        """The texts, addresses and references of the stock as it is now; None where the corpora are not ours."""
        found = getattr(self.stock, "federation", None)
        return found if isinstance(found, Federation) else None

    @property
    def register(self) -> Any:
        """The anchors of the federation, whatever they are."""
        return self.federation.wiring.anchors

    @property
    def has_reranker(self) -> bool:
        """Whether a reranker is set up, be it that it loads or not."""
        return self.federation.wiring.reranker is not None

    @property
    def stamp(self) -> str:
        """The version of the stock that is open."""
        return str(self.registry.stamp)

    def look(self) -> FundstelleError | None:
        """Open the stock anew if another process has written it; what went wrong then. The open stock stays in that case."""
        before = self.stamp
        try:
            opened = self.registry.reload_if_changed()
        except FundstelleError as error:
            return error
        if opened and self.stamp == before:  # the same stock, with the vectors that it had to do without: what was gathered is asked again
            with self._lock:
                self._pools.clear()
                self._tracks.clear()
        return None

    def pool(self, question: str, settings: Settings) -> Pool:
        """What was gathered for this question, asked now where it was not asked before.

        Equal up to the settings that only ``decide`` reads, so moving those asks nobody.
        """
        key = _key(self.stamp, question, settings)
        with self._lock:
            found = self._pools.get(key)
            if found is not None:
                self._pools.move_to_end(key)
                return found
            known = next((pool for other, pool in reversed(self._pools.items()) if other[:3] == key[:3]), None)
        pool = self.federation.gather(question, settings, known=known)
        with self._lock:
            # Another session may have opened a new version meanwhile; the pool knows of which one it speaks.
            self._pools[(pool.stamps.index or key[0], *key[1:])] = pool
            while len(self._pools) > self._most:
                self._pools.popitem(last=False)
        return pool

    def track(self, pool: Pool, settings: Settings, knob: str, without: Sequence[str] = ()) -> Track:
        """The track of one setting over this pool; moving that setting alone computes nothing anew."""
        others = tuple(value for name, value in settings.flat().items() if name != knob)
        key = (pool.stamps.index, pool.question, pool.fetch_k, others, knob, tuple(without))
        with self._lock:
            found = self._tracks.get(key)
        if found is None:
            found = track(pool, settings, knob, without)
            with self._lock:
                self._tracks[key] = found
                while len(self._tracks) > _TRACKS:
                    self._tracks.popitem(last=False)
        return msgspec.structs.replace(found, value=float(settings.value(knob)))

    def forget(self, question: str) -> None:
        """Ask again next time: for a run in which something failed."""
        with self._lock:
            for key in [key for key in self._pools if key[1] == question]:
                del self._pools[key]
            for known in [known for known in self._tracks if known[1] == question]:
                del self._tracks[known]


def _key(stamp: str, question: str, settings: Settings) -> _Key:
    asked = settings.gathering
    depth = asked.rerank_depth if settings.reranking else 0
    return stamp, question, asked.fetch_k, settings.selection.max_corpora_per_query, depth

"""The record of a run: the pool that was gathered, and the trace of every stage that decided over it.

Both are immutable and survive JSON. The page draws a trace and computes nothing that it does not hold.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from retrieval.model import AnchorClaim, Chunk, CorpusAnswer, CorpusSpec, Reference, Routing, Status, Target, Units
from retrieval.ranking import Entry, Ranking
from retrieval.settings import Settings
from retrieval.stages.named_first import NamedFirst
from retrieval.stages.quota import Quota
from retrieval.stages.references import Verweis
from retrieval.stages.selection import Selection


class Stamps(msgspec.Struct, frozen=True):
    """What a run rests on: version of the index, model, hash of the anchor register, version of the code, and the reranker.

    ``reranker`` names its model and revision, empty where none has scored.
    """

    index: str = ""
    model: str = ""
    anchors: str = ""
    code: str = ""
    reranker: str = ""

    def version(self, part: str) -> str:
        """The version of one part (index · model · anchors · code), empty where it is not stated; of the models all that have scored."""
        names = (self.model, self.reranker) if part == "model" else (str(getattr(self, part)),)
        return " + ".join(name for name in names if name)


class Fault(msgspec.Struct, frozen=True):
    """A part of the run that failed and cost only itself.

    ``part``: router · anchors · verweise · named_corpora · consistency · encoder · reranker.
    """

    part: str
    error_class: str
    message: str = ""


class Pool(msgspec.Struct, frozen=True):
    """Everything that was gathered for one question; ``decide`` needs nothing else.

    ``answers`` holds one answer for each corpus asked. ``anchor_units`` are the look-ups of ``claims``, in their order;
    ``reference_units`` those of reference targets by ``target_key``. ``references`` are the readings of the candidates' texts;
    ``given_targets`` is what a foreign reference provider returned instead (None: ours). ``affinities`` say how near the contents of the
    corpora are to the question, from 0 to 1, where some of them had to be left out. ``identities`` tells equal chunks. ``hidden`` are
    chunks that keep their places in the routes' lists but go no further; gathering hides none, looking ahead over many settings hides
    those that stand behind the whole list at each of them. ``definitions`` names the term that the question asks for, for every chunk that
    was looked up because it defines it.
    """

    question: str
    fetch_k: int
    available: tuple[str, ...]
    routings: tuple[Routing, ...]
    claims: tuple[AnchorClaim, ...]
    named: tuple[str, ...]
    answers: dict[str, CorpusAnswer]
    anchor_units: tuple[Units, ...]
    references: dict[str, tuple[Reference, ...]]
    reference_units: dict[str, Units]
    chunks: dict[str, Chunk]
    identities: dict[str, str]
    specs: dict[str, CorpusSpec]
    given_targets: tuple[Target, ...] | None = None
    faults: tuple[Fault, ...] = ()
    stamps: Stamps = Stamps()
    words: tuple[str, ...] = ()
    where: dict[str, Any] | None = None
    hidden: frozenset[str] = frozenset()
    definitions: dict[str, str] = {}
    affinities: dict[str, float] = {}


def target_key(target: Target) -> str:
    """The key of a look-up."""
    parts = (target.corpus_id, target.container_id, target.section_id, target.subsection, target.max_chunks)
    return "\x1f".join("" if part is None else str(part) for part in parts)


class RouteTrace(msgspec.Struct, frozen=True):
    """How one route of one corpus went: ``found`` hits, best raw score, the way it searched."""

    route: str
    status: Status
    found: int
    best: float | None = None
    way: str = ""
    note: str = ""
    error_class: str = ""
    error: str = ""


class CorpusTrace(msgspec.Struct, frozen=True):
    """One corpus in this run.

    ``state``: asked · cut_by_cap · not_routed. ``status`` is that of its answer, empty when it was not asked.
    ``affinity`` is how near its content is to the question, from 0 to 1; None where nothing had to be left out.
    """

    corpus_id: str
    title: str
    state: str
    status: str = ""
    routed_by: tuple[str, ...] = ()
    required_by: tuple[str, ...] = ()
    size: int = 0
    routes: tuple[RouteTrace, ...] = ()
    lookups: int = 0
    dropped_filter: str = ""
    foreign: bool = False
    error_class: str = ""
    error: str = ""
    affinity: float | None = None


class Anchor(msgspec.Struct, frozen=True):
    """One anchor target of this run. ``outcome``: found · not_found · repealed · failed · corpus_not_asked · corpus_not_in_stock."""

    claim: AnchorClaim
    outcome: str
    chunk_ids: tuple[str, ...] = ()
    error_class: str = ""


class StageCount(msgspec.Struct, frozen=True):
    """The balance of one stage: ``came_in + added = living + Σ fates``."""

    stage: str
    came_in: int
    added: int
    living: int
    fates: dict[str, int]


class Neighbors(msgspec.Struct, frozen=True):
    """A hit that is one part of an Absatz: all parts of it in the order of the text, and those that go along behind the hit."""

    chunk_id: str
    parts: tuple[str, ...]
    behind: tuple[str, ...]


class Trace(msgspec.Struct, frozen=True):
    """One run, whole.

    ``fused`` is the list of the routes; ``anchored`` the same with looked-up sections and anchors, merged; ``completed`` with the
    reference targets, merged (the list before the quota); ``quota.ranking`` the list after it; ``named.ranking`` the final one.
    ``route_failure`` is empty, ``partial_route_failure`` or ``all_routes_failed``; ``partial`` says that some part of the run failed.
    ``without`` names the stages that were left out on purpose. ``definitions`` is that of the pool. ``neighbors``
    are asked for on their own and stand beside the final list.
    """

    question: str
    settings: Settings
    limit: int | None
    stamps: Stamps
    selection: Selection
    corpora: tuple[CorpusTrace, ...]
    shares: dict[str, float]
    fused: Ranking
    anchors: tuple[Anchor, ...]
    anchored: Ranking
    verweise: tuple[Verweis, ...]
    completed: Ranking
    quota: Quota
    named: NamedFirst
    counts: tuple[StageCount, ...]
    chunks: dict[str, Chunk]
    specs: dict[str, CorpusSpec]
    route_failure: str = ""
    partial: bool = False
    faults: tuple[Fault, ...] = ()
    words: tuple[str, ...] = ()
    rrf_ceiling: float = 0.0
    without: tuple[str, ...] = ()
    definitions: dict[str, str] = {}
    neighbors: tuple[Neighbors, ...] = ()

    @property
    def final(self) -> tuple[Entry, ...]:
        """The final list, best first."""
        return self.named.ranking.living

    def to_json(self) -> bytes:
        """The trace as JSON."""
        return msgspec.json.encode(self, order="sorted")

    @classmethod
    def from_json(cls, data: bytes | str) -> Trace:
        """A trace from its JSON. Raises msgspec.ValidationError for JSON of another shape."""
        return msgspec.json.decode(data, type=cls)


def count(stage: str, came_in: int, added: int, ranking: Ranking) -> StageCount:
    """The balance of a stage from its ranking."""
    codes = Counter(entry.fate.code for entry in ranking.entries if not entry.alive)
    return StageCount(stage, came_in, added, len(ranking.entries) - codes.total(), dict(sorted(codes.items())))


__all__ = ["Anchor", "CorpusTrace", "Fault", "Neighbors", "Pool", "RouteTrace", "StageCount", "Stamps", "Trace", "count", "target_key"]

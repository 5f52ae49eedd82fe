"""The funnel: for each corpus and in sum, how many candidates each stage took in, added, passed on and dropped, and by which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from retrieval.ranking import Entry, Ranking
from retrieval.stages.fusion import RERANKER
from retrieval.trace import Trace


class Level(msgspec.Struct, frozen=True):
    """The balance of one stage: ``came_in + added = living + Σ losses``.

    ``by`` says what added how many (``routes`` or a code of ``RankBy``), ``losses`` which rule ended how many (codes of ``FateCode``).
    """

    stage: str
    came_in: int
    added: int
    living: int
    losses: dict[str, int]
    by: dict[str, int]

    @property
    def lost(self) -> int:
        """How many end here."""
        return sum(self.losses.values())


class Branch(msgspec.Struct, frozen=True):
    """One corpus, or all of them where ``corpus_id`` is empty, with its levels in the order of the run.

    ``state`` and ``status`` are those of the trace (asked · cut_by_cap · not_routed; ok · empty · failed); a corpus that was not asked
    has no levels.
    """

    corpus_id: str
    state: str
    status: str
    levels: tuple[Level, ...] = ()

    def level(self, stage: str) -> Level | None:
        """The balance of one stage; None for a corpus that was not asked."""
        return next((level for level in self.levels if level.stage == stage), None)


class Funnel(msgspec.Struct, frozen=True):
    """The balance of a run: one branch for each corpus, those that were asked first, and their sum."""

    branches: tuple[Branch, ...]
    total: Branch


def funnel(trace: Trace) -> Funnel:
    """The funnel of a run, from its trace alone."""
    rankings = (trace.fused, trace.anchored, trace.completed, trace.quota.ranking, trace.named.ranking)
    found = {corpus.corpus_id: sum(route.found for route in corpus.routes if route.route != RERANKER) for corpus in trace.corpora}
    parted = [_by_corpus(ranking) for ranking in rankings]
    branches = tuple(
        Branch(one.corpus_id, one.state, one.status, _levels(found[one.corpus_id], [part.get(one.corpus_id, ()) for part in parted]))
        if one.state == "asked"
        else Branch(one.corpus_id, one.state, one.status)
        for one in trace.corpora
    )
    return Funnel(branches, Branch("", "asked", "", _levels(sum(found.values()), [ranking.entries for ranking in rankings])))


def _by_corpus(ranking: Ranking) -> dict[str, list[Entry]]:
    parted: dict[str, list[Entry]] = {}
    for entry in ranking.entries:
        parted.setdefault(entry.corpus_id, []).append(entry)
    return parted


def _levels(places: int, rankings: Sequence[Sequence[Entry]]) -> tuple[Level, ...]:
    """The levels over the rankings of fusion, anchors, references, quota and named corpus; ``places`` are those of the route lists."""
    fused, anchored, completed, quota, named = rankings
    twice = places - len(fused)
    return (
        Level("gathered", 0, places, len(fused), {"merged_into": twice} if twice else {}, {"routes": places} if places else {}),
        _level("fusion", len(fused), fused, ()),
        _level("anchors", _living(fused), anchored, (entry.rank_by for entry in anchored if entry.rank_by != "routes")),
        # What came by a reference is new here; anchors and look-ups have passed the stage before.
        _level("references", _living(anchored), completed, (entry.rank_by for entry in completed if entry.rank_by == "verweis")),
        _level("quota", _living(completed), quota, ()),
        _level("named_first", _living(quota), named, ()),
    )


def _living(entries: Iterable[Entry]) -> int:
    return sum(entry.alive for entry in entries)


def _level(stage: str, came_in: int, entries: Sequence[Entry], added_by: Iterable[str]) -> Level:
    by = dict(sorted(Counter(added_by).items()))
    losses: Counter[str] = Counter(entry.fate.code for entry in entries if not entry.alive)
    return Level(stage, came_in, sum(by.values()), _living(entries), dict(sorted(losses.items())), by)

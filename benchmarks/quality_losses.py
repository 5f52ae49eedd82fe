"""Where a gold norm was lost: for every need of a question one fate, so that the shares of all fates sum to 1.

A need that several norms can fulfil has the fate of the norm that came farthest. The order of ``FATES`` is the order of a run, what is
found first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from retrieval.decide import STAGES
from retrieval.evaluation.model import Need, covers
from retrieval.inspector.misses import misses
from retrieval.inspector.standing import Standings
from retrieval.model import Address, Chunk
from retrieval.ranking import Ranking
from retrieval.trace import Trace

FOUND = "found"
FATES = {
    FOUND: "in the list",
    "quota": "cut by the quota (in the list without it)",
    "references": "replaced by a reference (in the list without them)",
    "anchors": "replaced by an anchor (in the list without them)",
    "stages": "replaced by these stages together",
    "behind": "behind the last place, within the first 50",
    "far_behind": "a candidate, behind the first 50",
    "dropped": "dropped by another rule",
    "no_contribution": "found only by a route without weight",
    "not_fetched": "corpus asked, no candidate",
    "corpus_failed": "its corpus failed",
    "cut_by_cap": "routed away: corpus behind the cap",
    "not_routed": "routed away: another corpus was named",
}
_ORDER = {code: place for place, code in enumerate(FATES)}
_WITHIN = 50
Rerun = Callable[[Sequence[str]], Trace]
"""The same run with these stages left out."""


class Fate(msgspec.Struct, frozen=True):
    """What became of one need.

    ``sibling``: it is not found, but another Absatz of the norm stands in the list. ``place`` is the place before the quota, for what is
    behind; for what was no candidate the better of its places in both routes of its corpus (0: in neither).
    """

    code: str
    sibling: bool = False
    place: int = 0
    corpus_id: str = ""


class Losses(msgspec.Struct, frozen=True):
    """The fates of all needs: how many of each, in the order of ``FATES``. ``shares`` sum to 1.

    ``places`` are those of what was lost, by fate, in order. ``corpora`` has for each corpus how many of its needs are found, and of how
    many.
    """

    needs: int
    counts: dict[str, int]
    siblings: int = 0
    places: dict[str, tuple[int, ...]] = {}
    corpora: dict[str, tuple[int, int]] = {}

    @property
    def shares(self) -> dict[str, float]:
        """Each fate as a share of all needs."""
        return {code: count / self.needs for code, count in self.counts.items()} if self.needs else {}


def summed(fates: Iterable[Fate]) -> Losses:
    """The losses of many needs."""
    every = list(fates)
    counts = Counter(one.code for one in every)
    there = {code: counts[code] for code in FATES if counts[code]}
    places = {code: tuple(sorted(one.place for one in every if one.code == code)) for code in there if code != FOUND}
    corpora = {name: [one for one in every if one.corpus_id == name] for name in sorted({one.corpus_id for one in every})}
    found = {name: (sum(one.code == FOUND for one in those), len(those)) for name, those in corpora.items()}
    return Losses(len(every), there, sum(one.sibling for one in every), places, found)


def fates(needs: Sequence[Need], trace: Trace, rerun: Rerun, standings: Standings | None = None, stock: Sequence[Chunk] = ()) -> list[Fate]:
    """What became of each need in a run. With ``standings`` the places of what was no candidate are told; ``stock`` are all chunks."""
    lost = _Lost(trace, rerun, standings, stock)
    return [min((lost.fate(gold.address) for gold in need.any_of), key=lambda fate: _ORDER[fate.code]) for need in needs]


class _Lost:
    """One run, in which norms are looked for."""

    def __init__(self, trace: Trace, rerun: Rerun, standings: Standings | None, stock: Sequence[Chunk]) -> None:
        self._trace, self._rerun, self._standings, self._stock = trace, rerun, standings, stock
        self._reruns: dict[tuple[str, ...], tuple[Chunk, ...]] = {}
        self._displaced = {miss.chunk_id for group in misses(trace).groups if group.rule == "displaced" for miss in group.misses}
        self._states = {corpus.corpus_id: corpus for corpus in trace.corpora}

    def fate(self, gold: Address) -> Fate:
        final = [self._trace.chunks[entry.chunk_id] for entry in self._trace.final]
        if any(covers(gold, chunk) for chunk in final):
            return Fate(FOUND, corpus_id=gold.corpus_id)
        norm = Address(gold.corpus_id, gold.container_id, gold.section_id)
        sibling = any(covers(norm, chunk) for chunk in final)
        code, place = self._lost(gold)
        return Fate(code, sibling, place, gold.corpus_id)

    def _lost(self, gold: Address) -> tuple[str, int]:
        corpus = self._states.get(gold.corpus_id)
        if corpus is None or corpus.state != "asked":
            return ("cut_by_cap" if corpus is not None and corpus.state == "cut_by_cap" else "not_routed"), 0
        before = self._among(gold, self._trace.completed, alive=True)
        if before:
            return self._cut(gold, before)
        if self._among(gold, self._trace.completed) or self._among(gold, self._trace.anchored):
            return "dropped", 0
        codes = {self._trace.fused.entries[place - 1].fate.code for place in self._among(gold, self._trace.fused)}
        if codes:
            return ("no_contribution" if codes == {"no_contribution"} else "dropped"), 0
        return ("corpus_failed", 0) if corpus.status == "failed" else ("not_fetched", self._stands(gold))

    def _among(self, gold: Address, ranking: Ranking, alive: bool = False) -> list[int]:
        """The places (from 1) of the norm's chunks in a ranking."""
        entries = ranking.living if alive else ranking.entries
        return [place for place, entry in enumerate(entries, start=1) if covers(gold, self._trace.chunks[entry.chunk_id])]

    def _cut(self, gold: Address, places: Sequence[int]) -> tuple[str, int]:
        """Why a norm that was in the list before the quota is not in the final one: what must be left out to have it there."""
        living = self._trace.completed.living
        if any(living[place - 1].chunk_id in self._displaced for place in places):
            return "quota", places[0]
        for code, stages in (("references", ("references",)), ("anchors", ("anchors",)), ("stages", STAGES)):
            if self._there(gold, stages):
                return code, places[0]
        ended = {entry.fate.code for entry in self._trace.quota.ranking.dropped if covers(gold, self._trace.chunks[entry.chunk_id])}
        if "below_limit" not in ended:
            return "dropped", places[0]
        return ("behind" if places[0] <= _WITHIN else "far_behind"), places[0]

    def _there(self, gold: Address, stages: Sequence[str]) -> bool:
        left_out = tuple(stage for stage in STAGES if stage in stages or stage in self._trace.without)
        if left_out == self._trace.without:
            return False
        if left_out not in self._reruns:
            run = self._rerun(left_out)
            self._reruns[left_out] = tuple(run.chunks[entry.chunk_id] for entry in run.final)
        return any(covers(gold, chunk) for chunk in self._reruns[left_out])

    def _stands(self, gold: Address) -> int:
        """The best place of the norm in a route of its corpus, over all chunks that are searched; 0 where it has none."""
        if self._standings is None:
            return 0
        ids = [chunk.chunk_id for chunk in self._stock if covers(gold, chunk)]
        found = self._standings.of(gold.corpus_id, ids).values()
        return min((route.rank for one in found for route in (one.vector, one.lexical) if route.rank), default=0)

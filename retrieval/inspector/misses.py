"""Misses: what did not come into the list, grouped by the rule that kept it out, the nearest one of each rule first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import msgspec

from retrieval.model import Address
from retrieval.ranking import Entry
from retrieval.stages.references import Verweis
from retrieval.trace import Trace

Rule = Literal[
    "displaced",  # within the list before the quota, which gave the place to another corpus
    "below_limit",  # behind the last place of the list
    "below_floor",  # the best hit of a corpus does not reach the floor of the quota
    "verweis_beyond_cap",
    "verweis_behind_list",
    "verweis_no_rank",
    "verweis_void",
    "verweis_failed",
    "verweis_repealed",
    "verweis_not_in_stock",
    "verweis_ambiguous",
    "verweis_open_ended",
    "verweis_quoted",
    "verweis_former",
    "verweis_corpus_not_selected",
    "anchor_not_found",
    "anchor_repealed",
    "anchor_failed",
    "anchor_corpus_not_asked",
    "anchor_corpus_not_in_stock",
    "no_contribution",  # found only by a route whose weight is 0
    "corpus_cut_by_cap",
    "corpus_not_routed",
    "corpus_failed",
]
RULES: tuple[Rule, ...] = get_args(Rule)
_IN_THE_LIST = frozenset({"follow", "fetched", "already_in_list", "own_norm", "repeated"})
_DECIDES = frozenset({"", "too_few_qualify"})


class Miss(msgspec.Struct, frozen=True):
    """One candidate, norm or corpus that was kept out.

    ``had`` and ``needed`` are what it had and what the rule asks for: rank scores under ``displaced`` and ``below_limit`` (more than
    ``needed``) and ``below_floor`` (at least ``needed``), places and numbers else; None where the rule has no threshold. ``place`` is the
    place before the quota, of the citing hit for a reference. ``by`` is the citing chunk, ``words`` the words there or the trigger of an
    anchor.
    """

    rule: Rule
    corpus_id: str = ""
    chunk_id: str = ""
    target: Address | None = None
    had: float | None = None
    needed: float | None = None
    place: int = 0
    by: str = ""
    words: str = ""

    @property
    def margin(self) -> float | None:
        """How far it stands from the threshold, at least 0; None where the rule has none."""
        return None if self.had is None or self.needed is None else abs(self.needed - self.had)


class Group(msgspec.Struct, frozen=True):
    """All that one rule kept out, nearest first."""

    rule: Rule
    misses: tuple[Miss, ...]


class Misses(msgspec.Struct, frozen=True):
    """The groups in a fixed order, and the routes (corpus, route) whose list is as long as ``fetch_k``: what follows there is unknown."""

    groups: tuple[Group, ...]
    full: tuple[tuple[str, str], ...] = ()


def misses(trace: Trace) -> Misses:
    """What a run kept out, from its trace alone. What was merged into a hit, or named by two references, is in the list."""
    found: dict[Rule, list[Miss]] = {rule: [] for rule in RULES}
    for miss in (*_below_limit(trace), *_below_floor(trace), *_verweise(trace), *_anchors(trace), *_unweighted(trace), *_corpora(trace)):
        found[miss.rule].append(miss)
    groups = tuple(Group(rule, tuple(sorted(some, key=_nearness))) for rule, some in found.items() if some)
    most = trace.settings.gathering.fetch_k
    full = tuple((corpus.corpus_id, route.route) for corpus in trace.corpora for route in corpus.routes if route.found >= most)
    return Misses(groups, full)


def _nearness(miss: Miss) -> float:
    return 0.0 if miss.margin is None else miss.margin


def _below_limit(trace: Trace) -> Iterator[Miss]:
    """A hit comes in above the last place that is filled by rank, or above the last reserved hit of its own corpus."""
    filled = [entry.rank for entry in trace.quota.ranking.living if entry.fate.code != "reserved"]
    reserved: dict[str, float] = {}
    for entry in trace.quota.ranking.living:
        if entry.fate.code == "reserved":
            reserved[entry.corpus_id] = min(entry.rank, reserved.get(entry.corpus_id, entry.rank))
    places = {entry.chunk_id: place for place, entry in enumerate(trace.completed.living, start=1)}
    for entry in trace.quota.ranking.dropped:
        needed = min([*filled[-1:], *([reserved[entry.corpus_id]] if entry.corpus_id in reserved else [])])
        yield _missed(entry, needed, places[entry.chunk_id], trace.limit)


def _missed(entry: Entry, needed: float, place: int, limit: int | None) -> Miss:
    rule: Rule = "displaced" if limit and place <= limit else "below_limit"
    return Miss(rule, entry.corpus_id, entry.chunk_id, had=entry.rank, needed=needed, place=place)


def _below_floor(trace: Trace) -> Iterator[Miss]:
    if trace.quota.reason not in _DECIDES:
        return
    living = trace.completed.living
    first = {entry.corpus_id: (place, entry.chunk_id) for place, entry in reversed(list(enumerate(living, start=1)))}
    for corpus in trace.quota.corpora:
        if not corpus.takes_part:
            place, chunk_id = first[corpus.corpus_id]
            yield Miss("below_floor", corpus.corpus_id, chunk_id, had=corpus.best, needed=trace.quota.floor, place=place)


def _verweise(trace: Trace) -> Iterator[Miss]:
    """Each norm once for each rule, by the reference that stands nearest; what another reference brought is in the list."""
    fetched = {verweis.target for verweis in trace.verweise if verweis.fate in ("fetched", "already_in_list")}
    cap, beyond = trace.settings.references.max_verweis_normen, 0
    seen: set[tuple[str, object]] = set()
    for verweis in trace.verweise:
        key = (verweis.fate, verweis.target or (verweis.law, verweis.words))
        if verweis.fate in _IN_THE_LIST or key in seen or (verweis.target and verweis.target in fetched):
            continue
        seen.add(key)
        beyond += verweis.fate == "beyond_cap"
        yield _unfollowed(verweis, trace.limit, cap, beyond)


def _unfollowed(verweis: Verweis, limit: int | None, cap: int, beyond: int) -> Miss:
    had: float | None = None
    needed: float | None = None
    if verweis.fate == "beyond_cap":
        had, needed = cap, cap + beyond
    elif verweis.fate == "behind_list" and limit:
        had, needed = verweis.place, limit
    rule: Rule = f"verweis_{verweis.fate}"  # type: ignore[assignment]
    corpus = verweis.target.corpus_id if verweis.target else ""
    words = verweis.words if verweis.target else (verweis.law or verweis.words)
    return Miss(rule, corpus, target=verweis.target, had=had, needed=needed, place=verweis.place, by=verweis.by, words=words)


def _anchors(trace: Trace) -> Iterator[Miss]:
    for anchor in trace.anchors:
        rule = f"anchor_{anchor.outcome}"
        if rule in RULES:
            target = anchor.claim.target
            address = Address(target.corpus_id, target.container_id or "", target.section_id, target.subsection or "")
            yield Miss(rule, target.corpus_id, target=address, words=anchor.claim.trigger)


def _unweighted(trace: Trace) -> Iterator[Miss]:
    """Found only by a route without weight, and not brought by an anchor or a reference either; by its place in that route."""
    there = {entry.identity for entry in trace.completed.entries}
    lost = [entry for entry in trace.fused.dropped if entry.fate.code == "no_contribution" and entry.identity not in there]
    for entry in sorted(lost, key=lambda entry: min(part.place for part in entry.parts)):
        yield Miss("no_contribution", entry.corpus_id, entry.chunk_id, place=min(part.place for part in entry.parts))


def _corpora(trace: Trace) -> Iterator[Miss]:
    cap = trace.selection.cap
    for number, corpus_id in enumerate(trace.selection.cut, start=1):
        yield Miss("corpus_cut_by_cap", corpus_id, had=cap, needed=cap + number)
    for corpus in trace.corpora:
        if corpus.state == "not_routed":
            yield Miss("corpus_not_routed", corpus.corpus_id)
        elif corpus.status == "failed":
            yield Miss("corpus_failed", corpus.corpus_id)

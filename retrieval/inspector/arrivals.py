"""The stations behind the routes: what brings a norm in by its address, and what the list does with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrieval.addresses import normal_section
from retrieval.inspector.stations import Name, Quote, State, Station, Subject, broken
from retrieval.model import DEFINITION_LOOKUP, Address, CorpusSpec, Target
from retrieval.norms import sentence
from retrieval.ranking import Entry
from retrieval.stages.references import Verweis
from retrieval.trace import Anchor, Pool, Trace

_TELLING = ("fetched", "beyond_cap", "behind_list", "no_rank", "failed", "repealed", "void", "already_in_list", "corpus_not_selected")
"""The fates of a reference that say most about its target, first; the rest follows in the order of the run."""


# --- looked up: named in the question, by an anchor, by a reference -----------------------------------------------------


def lookup_stations(subject: Subject, trace: Trace, pool: Pool) -> tuple[Station, ...]:
    """Named in the question, anchor, Verweis."""
    return _lookup(subject, trace, pool), _anchor(subject, trace, pool), _verweis(subject, trace)


def _lookup(subject: Subject, trace: Trace, pool: Pool) -> Station:
    corpus = subject.address.corpus_id
    answer = pool.answers.get(corpus)
    if corpus not in trace.selection.selected or answer is None:
        return Station("lookup", "not_reached", "corpus_not_asked")
    hit = next((one for one in answer.ready if one.chunk_id == subject.chunk_id), None)
    if answer.foreign or hit is None:
        return Station("lookup", "not_applicable", "foreign" if answer.foreign else "not_named")
    if DEFINITION_LOOKUP in hit.kinds:
        return Station("lookup", "passed", "defined", value=hit.rank, words=(trace.definitions.get(hit.chunk_id, ""),))
    return Station("lookup", "passed", "named", value=hit.rank)


def _anchor(subject: Subject, trace: Trace, pool: Pool) -> Station:
    for anchor in trace.anchors:
        if subject.chunk_id in anchor.chunk_ids:
            return Station("anchor", "passed", "found", value=1.0, claim=anchor.claim)
    meant = next((anchor for anchor in trace.anchors if meets(anchor.claim.target, subject.address, trace.specs)), None)
    if meant is not None:
        return _missed_anchor(meant)
    left_out = next((claim for claim in pool.claims if meets(claim.target, subject.address, trace.specs)), None)
    if "anchors" in trace.without and left_out is not None:
        return Station("anchor", "not_applicable", "left_out", claim=left_out)
    if broken("anchors", trace):
        return Station("anchor", "failed", "anchors_failed")
    return Station("anchor", "not_applicable", "no_anchor")


def _missed_anchor(anchor: Anchor) -> Station:
    if anchor.outcome == "found":
        return Station("anchor", "not_applicable", "other_chunk", claim=anchor.claim, other=anchor.chunk_ids[0])
    state: State = "failed" if anchor.outcome == "failed" else "stopped"
    return Station("anchor", state, anchor.outcome, claim=anchor.claim, error=anchor.error_class)


def meets(target: Target, address: Address, specs: Mapping[str, CorpusSpec]) -> bool:
    """Whether a target means this norm; without a container the corpus's default one is meant, without Absatz any."""
    spec = specs.get(target.corpus_id)
    container = target.container_id if target.container_id is not None else (spec.default_container_id or None) if spec else None
    return (
        target.corpus_id == address.corpus_id
        and normal_section(target.section_id) == normal_section(address.section_id)
        and container in (None, address.container_id)
        and (target.subsection or address.subsection) == address.subsection
    )


def _verweis(subject: Subject, trace: Trace) -> Station:
    if "references" in trace.without:
        return Station("verweis", "not_applicable", "left_out")
    found = next((one for one in trace.verweise if subject.chunk_id in one.chunk_ids), None) or _told(subject, trace)
    if found is None and broken("verweise", trace):
        return Station("verweis", "failed", "verweise_failed")
    if found is None:
        return Station("verweis", "not_applicable", "not_cited")
    quote, cap = _quote(found, trace), trace.settings.references.max_verweis_normen
    if subject.chunk_id in found.chunk_ids:
        return Station("verweis", "passed", "fetched", found.place, cap, value=trace.settings.references.verweis_score, quote=quote)
    if found.fate == "fetched":
        return Station("verweis", "not_applicable", "other_chunk", found.place, cap, other=found.chunk_ids[0], quote=quote)
    if found.fate == "beyond_cap":
        return Station("verweis", "stopped", "beyond_cap", cap + _behind_cap(found, trace), cap, quote=quote)
    if found.fate == "behind_list":
        return Station("verweis", "stopped", "behind_list", found.place, trace.limit or 0, quote=quote)
    states: dict[str, State] = {"already_in_list": "not_applicable", "failed": "failed"}
    return Station("verweis", states.get(found.fate, "stopped"), found.fate, found.at, cap, quote=quote, error=found.error_class)


def _told(subject: Subject, trace: Trace) -> Verweis | None:
    """The reference to this norm that says most about why it was, or was not, fetched; hits that name themselves say nothing."""
    here = subject.address
    whole = Address(here.corpus_id, here.container_id, here.section_id)
    found = [one for one in trace.verweise if one.target in (here, whole) and one.fate not in ("own_norm", "repeated")]
    order = {fate: number for number, fate in enumerate(_TELLING)}
    return min(found, key=lambda one: order.get(one.fate, len(order)), default=None)


def _behind_cap(verweis: Verweis, trace: Trace) -> int:
    return 1 + [one for one in trace.verweise if one.fate == "beyond_cap"].index(verweis)


def _quote(verweis: Verweis, trace: Trace) -> Quote | None:
    chunk = trace.chunks.get(verweis.by)
    if chunk is None:
        return None
    around = sentence(chunk.text, verweis.start, verweis.end)
    words = " ".join(verweis.words.split())
    start = around.find(words) if words else -1
    span = (start, start + len(words)) if start >= 0 else (0, 0)
    return Quote(verweis.by, chunk.address, verweis.place, words, around, *span)


# --- the list ---------------------------------------------------------------------------------------------------------


def merging(subject: Subject, trace: Trace, pool: Pool) -> Station:
    """Merged with: the same chunk, found on several ways, stands once in the list."""
    identity = pool.identities.get(subject.chunk_id, "")
    standing = next((entry for entry in trace.completed.living if identity and entry.identity == identity), None)
    if standing is None:
        left = next((one for one in trace.completed.dropped if one.fate.code == "same_norm" and one.identity == identity), None)
        if left is not None:
            return Station("merging", "stopped", "same_norm", value=left.rank, other=left.fate.into)
        return Station("merging", "not_reached", "no_candidate")
    if standing.chunk_id != subject.chunk_id:
        return Station("merging", "stopped", "merged_into", value=standing.rank, other=standing.chunk_id)
    merged = [entry for ranking in (trace.anchored, trace.completed) for entry in ranking.dropped if entry.identity == identity]
    sources = tuple(dict.fromkeys((standing.rank_by, *(entry.rank_by for entry in merged))))
    return Station("merging", "passed", "united" if len(sources) > 1 else "alone", value=standing.rank, words=sources)


def list_stations(before: Station, entry: Entry | None, trace: Trace) -> tuple[Station, ...]:
    """Floor, quota round, fill, named corpus, final place.

    ``entry`` is the chunk in the list before the quota, None where the merging, the station ``before``, handed on none.
    """
    if entry is None:
        names: Sequence[Name] = ("floor", "quota", "fill", "named", "final")
        return tuple(Station(name, "not_reached", before.reason) for name in names)
    return _floor(entry, trace), _quota(entry, trace), _fill(entry, trace), _named(entry, trace), _final(entry, trace)


def _floor(entry: Entry, trace: Trace) -> Station:
    quota = trace.quota
    mine = next(one for one in quota.corpora if one.corpus_id == entry.corpus_id)
    if not quota.applied and quota.reason != "too_few_qualify":
        return Station("floor", "not_applicable", _no_quota(trace), value=mine.best)
    state: State = "passed" if mine.takes_part else "stopped"
    reason = "reached" if mine.takes_part else "below_floor"
    return Station("floor", state, reason, value=mine.best, threshold=quota.floor, margin=mine.best - quota.floor)


def _no_quota(trace: Trace) -> str:
    return "left_out" if "quota" in trace.without else trace.quota.reason


def _quota(entry: Entry, trace: Trace) -> Station:
    quota = trace.quota
    if not quota.applied:
        return Station("quota", "not_applicable", _no_quota(trace))
    after = next(one for one in quota.ranking.entries if one.chunk_id == entry.chunk_id)
    place = 1 + [one.chunk_id for one in trace.completed.living if one.corpus_id == entry.corpus_id].index(entry.chunk_id)
    if after.fate.code == "reserved":
        return Station("quota", "passed", "reserved", after.fate.round, quota.rounds)
    if not next(one for one in quota.corpora if one.corpus_id == entry.corpus_id).takes_part:
        return Station("quota", "stopped", "below_floor", place, quota.rounds)
    return Station("quota", "stopped", "beyond_rounds" if quota.rounds else "no_round", place, quota.rounds)


def _fill(entry: Entry, trace: Trace) -> Station:
    """Among the hits without a reserved place: this one's place, the places that are left, and the rank score of the last one taken."""
    entries = trace.quota.ranking.entries
    after = next(one for one in entries if one.chunk_id == entry.chunk_id)
    if after.fate.code == "reserved":
        return Station("fill", "not_applicable", "reserved", value=entry.rank)
    taken = [one for one in entries if one.alive and one.fate.code != "reserved"]
    queue = [one for one in entries if one.fate.code != "reserved"]
    place = 1 + [one.chunk_id for one in queue].index(entry.chunk_id)
    last = taken[-1].rank if taken else None
    margin = None if last is None else entry.rank - last
    if after.alive:
        return Station("fill", "passed", "filled", place, len(taken), value=entry.rank, threshold=last, margin=margin)
    reason = "tied" if margin == 0 else "below_limit"
    return Station("fill", "stopped", reason, place, len(taken), value=entry.rank, threshold=last, margin=margin)


def _named(entry: Entry, trace: Trace) -> Station:
    named, places = trace.named, [one.chunk_id for one in trace.quota.ranking.living]
    if entry.chunk_id not in places:
        return Station("named", "not_reached", "below_limit")
    place = places.index(entry.chunk_id) + 1
    if named.moved == entry.chunk_id:
        return Station("named", "passed", "moved", place, value=named.lifted_from, threshold=trace.final[0].rank, words=named.named)
    if "named_first" in trace.without:
        return Station("named", "not_applicable", "left_out")
    if named.moved:
        reason = "pushed" if place < named.from_place else "unmoved"
        return Station("named", "not_applicable", reason, place, words=named.named, other=named.moved)
    return Station("named", "not_applicable", named.reason, place)


def _final(entry: Entry, trace: Trace) -> Station:
    """The final place; for a norm without one the place before the quota, which displaced it where that lies within the list."""
    before = 1 + [one.chunk_id for one in trace.completed.living].index(entry.chunk_id)
    for place, one in enumerate(trace.final, start=1):
        if one.chunk_id == entry.chunk_id:
            return Station("final", "passed", "in_list", place, trace.limit or 0, len(trace.final), before=before, value=one.rank)
    reason = "displaced" if before <= (trace.limit or 0) else "below_limit"
    return Station("final", "stopped", reason, before, trace.limit or 0, len(trace.completed.living), before=before, value=entry.rank)

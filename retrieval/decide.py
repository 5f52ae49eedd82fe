"""Decide: a straight line of pure stages over what was gathered, from the pool to the trace.

Nothing is asked here and nothing is changed: the same pool and settings give the same trace, however often.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from retrieval.errors import BadSetting, NotGathered
from retrieval.model import (
    DEFINITION_LOOKUP,
    LEXICAL,
    LEXICAL_KIND,
    NORM_ANCHOR,
    SECTION_LOOKUP,
    SEMANTIC,
    VECTOR,
    VERWEIS,
    Address,
    Chunk,
    CorpusAnswer,
    ReadyHit,
    RouteHit,
    Target,
    Units,
)
from retrieval.ranking import Entry, Fate, Part, RankBy, Ranking
from retrieval.settings import Settings
from retrieval.stages.fusion import METHODS, RERANKER, Contribution, Fused, Fusion, Route, rrf_ceiling
from retrieval.stages.merging import merge, once
from retrieval.stages.named_first import named_first
from retrieval.stages.quota import apply_quota
from retrieval.stages.references import Verweis, given_targets, targets
from retrieval.stages.selection import Selection, select
from retrieval.trace import Anchor, CorpusTrace, Pool, RouteTrace, StageCount, Trace, count, target_key

_KINDS = {VECTOR: SEMANTIC, LEXICAL: LEXICAL_KIND}
_UNSET = -1
STAGES = ("anchors", "references", "quota", "named_first")
"""The stages that can be left out of a run, to see the list without them."""


def decide(pool: Pool, settings: Settings, limit: int | None = _UNSET, without: Collection[str] = ()) -> Trace:
    """The run over ``pool`` under ``settings``.

    ``limit`` replaces ``max_final_results`` (None or 0: no limit). ``without`` names stages of ``STAGES`` that do nothing in this run; the
    corpora asked stay the same. Raises NotGathered when the settings select a corpus that the pool did not ask, and BadSetting for weights
    that are no weights or for an unknown stage.
    """
    left_out = tuple(stage for stage in STAGES if stage in without)
    if len(left_out) != len(set(without)):
        raise BadSetting(f"Stages left out: found {', '.join(sorted(set(without)))}; expected some of {', '.join(STAGES)}.")
    if limit == _UNSET:
        limit = settings.quota.max_final_results
    selection = selection_of(pool, settings)
    missing = [corpus for corpus in selection.selected if corpus not in pool.answers]
    if missing:
        raise NotGathered(f"The pool holds no answer of {', '.join(missing)}; gather again with these settings.")
    answers = [pool.answers[corpus] for corpus in selection.selected]
    shares = shares_of(answers, settings)
    fused, ceiling, failure = _fuse(answers, shares, pool, settings)
    addressed, anchors = by_address(answers, pool, selection, claimed="anchors" not in left_out)
    # What was asked for by its address comes first, so that the Absätze of a norm stand in the order of the text.
    anchored = merge((*addressed, *fused.living))
    verweise = () if "references" in left_out else _verweise(anchored, pool, settings, selection, limit)
    completed, verweise, added = _completed(anchored, verweise, pool, settings)
    units = units_of(pool.chunks, settings.quota.list_unit)
    completed = once(completed, units, {entry.identity for entry in addressed})
    rounds = 0 if "quota" in left_out else settings.quota.min_hits_per_corpus
    quota = apply_quota(completed.living, limit, rounds, settings.quota.min_ratio)
    named = named_first(quota.ranking.living, () if "named_first" in left_out else pool.named, selection.selected)
    counts = (
        _gathered(answers, len(fused.entries)),
        count("fusion", len(fused.entries), 0, fused),
        count("anchors", len(fused.living), len(addressed), anchored),
        count("references", len(anchored.living), added, completed),
        count("quota", len(completed.living), 0, quota.ranking),
        count("named_first", len(quota.ranking.living), 0, named.ranking),
    )
    return Trace(
        question=pool.question,
        settings=settings,
        limit=limit or None,
        stamps=pool.stamps,
        selection=selection,
        corpora=_corpora(pool, selection),
        shares=shares,
        fused=fused,
        anchors=anchors,
        anchored=anchored,
        verweise=verweise,
        completed=completed,
        quota=quota,
        named=named,
        counts=counts,
        chunks=pool.chunks,
        specs=pool.specs,
        route_failure=failure,
        partial=bool(failure or pool.faults or any(answer.status == "failed" for answer in answers)),
        faults=pool.faults,
        words=pool.words,
        rrf_ceiling=ceiling,
        without=left_out,
        definitions=pool.definitions,
    )


def selection_of(pool: Pool, settings: Settings) -> Selection:
    """Which corpora the settings select, from what is known before any corpus is asked."""
    routed = [routing.corpus_id for routing in pool.routings]
    required = [claim.target.corpus_id for claim in pool.claims]
    affinities = pool.affinities if settings.selection.corpus_order == "similarity" else None
    return select(pool.available, routed, required, settings.selection.max_corpora_per_query, affinities)


def _gathered(answers: Sequence[CorpusAnswer], distinct: int) -> StageCount:
    """The places in the lists of both searches, and how many of them speak of a chunk that the other has found too."""
    places = sum(len(route.hits) for answer in answers for route in answer.routes if route.route != RERANKER)
    return StageCount("gathered", 0, places, distinct, {"merged_into": places - distinct} if places > distinct else {})


# --- fusion ---------------------------------------------------------------------------------------------------------


def reranked(answers: Iterable[CorpusAnswer]) -> bool:
    """Whether the reranker has scored what these corpora found."""
    return any(route.route == RERANKER for answer in answers for route in answer.routes)


def shares_of(answers: Sequence[CorpusAnswer], settings: Settings) -> dict[str, float]:
    """The shares of the routes in a run. A reranker that gave nothing costs only itself: the others share its weight.

    Raises BadSetting for weights that are no weights.
    """
    there = settings.reranking and reranked(answers)
    alone = not settings.fusion.weight_vector and not settings.fusion.weight_lexical
    return settings.shares() if alone else settings.fusion.shares(there)


def _fuse(answers: Sequence[CorpusAnswer], shares: Mapping[str, float], pool: Pool, settings: Settings) -> tuple[Ranking, float, str]:
    """The routes of all corpora as one list; each route's ranks run over the whole federation."""
    asked = [answer for answer in answers if answer.routes]
    lists = {name: route_hits(name, asked) for name in shares}
    routes = [
        Route(name, weight, tuple((_visible(hit, pool), hit.scaled) for hit in lists[name]), degraded=_failed(name, asked))
        for name, weight in shares.items()
    ]
    fusion: Fusion = METHODS[settings.fusion.fusion](routes, settings.fusion.rrf_k)
    ceiling = rrf_ceiling(routes, settings.fusion.rrf_k) if settings.fusion.fusion == "rrf" else 1.0
    raw = {name: {hit.chunk_id: hit.score for hit in hits} for name, hits in lists.items()}
    entries = [_entry(hit, pool, raw, ceiling) for hit in fusion.hits]
    living = [entry for entry in entries if entry.fate.code == "kept"]
    dropped = [entry for entry in entries if entry.fate.code != "kept"]
    return Ranking((*living, *dropped)), ceiling if settings.fusion.fusion == "rrf" else 0.0, fusion.reason if asked else ""


def route_hits(name: str, answers: Sequence[CorpusAnswer]) -> list[RouteHit]:
    """One route over all corpora, best first; equal scores are ordered by the chunk's id, which is made from the address."""
    hits = [hit for answer in answers for route in answer.routes if route.route == name for hit in route.hits]
    return sorted(hits, key=lambda hit: (-(hit.scaled or 0.0), -(hit.score or 0.0), hit.chunk_id))


def _visible(hit: RouteHit, pool: Pool) -> str | None:
    return None if hit.chunk_id in pool.hidden else hit.chunk_id


def _failed(name: str, answers: Sequence[CorpusAnswer]) -> bool:
    return any(route.status == "failed" for answer in answers for route in answer.routes if route.route == name)


def _entry(hit: Fused, pool: Pool, raw: dict[str, dict[str, float | None]], ceiling: float) -> Entry:
    parts = tuple(_part(part, raw[part.route][hit.doc_id], ceiling) for part in hit.contributions)
    counted = [part for part in parts if part.weight > 0]
    # The reranker finds nothing by itself: how a hit was found say the searches, those with a weight where there are such.
    searches = [part for part in parts if part.route in _KINDS]
    kinds = tuple(_KINDS[part.route] for part in [part for part in searches if part.weight > 0] or searches)
    cosine = raw[VECTOR].get(hit.doc_id)
    fate = Fate() if counted else Fate("no_contribution")
    corpus = pool.chunks[hit.doc_id].corpus_id
    # Twelve digits: what is equal on paper (all parts 1.0 and an anchor's 1.0) stays equal whatever the weights do to the last bit.
    rank = round(hit.fused_score / ceiling, 12)
    return Entry(hit.doc_id, corpus, pool.identities[hit.doc_id], rank, cosine or 0.0, cosine, kinds, parts, fate=fate)


def _part(part: Contribution, raw: float | None, ceiling: float) -> Part:
    return Part(part.route, part.rank, raw, part.score, part.weight, part.amount / ceiling)


# --- looked-up sections, anchors, references -------------------------------------------------------------------------


def _ready(hit: ReadyHit, pool: Pool, kinds: tuple[str, ...], rank_by: RankBy, rank: float | None = None) -> Entry:
    corpus = pool.chunks[hit.chunk_id].corpus_id
    value = hit.rank if rank is None else rank
    score = (hit.rank if hit.score is None else hit.score) if rank is None else rank
    return Entry(hit.chunk_id, corpus, pool.identities[hit.chunk_id], value, score, hit.cosine, kinds, rank_by=rank_by)


def by_address(
    answers: Sequence[CorpusAnswer], pool: Pool, selection: Selection, claimed: bool
) -> tuple[tuple[Entry, ...], tuple[Anchor, ...]]:
    """What was asked for by its address, in order: looked-up sections and definitions, then (where ``claimed``) anchors.

    With it comes what became of each claim.
    """
    entries = [_ready(hit, pool, hit.kinds, _looked_up_by(hit, answer)) for answer in answers for hit in answer.ready]
    anchors: list[Anchor] = []
    for claim, units in zip(pool.claims, pool.anchor_units, strict=True) if claimed else ():
        outcome = _anchor_outcome(claim.target, units, pool, selection)
        found = units.hits if outcome == "found" else ()
        entries += [_ready(hit, pool, tuple(sorted({*hit.kinds, NORM_ANCHOR, SECTION_LOOKUP})), NORM_ANCHOR) for hit in found]
        anchors.append(Anchor(claim, outcome, tuple(hit.chunk_id for hit in found), units.error_class))
    return tuple(entries), tuple(anchors)


def _looked_up_by(hit: ReadyHit, answer: CorpusAnswer) -> RankBy:
    if answer.foreign:
        return "own_rank"
    return DEFINITION_LOOKUP if DEFINITION_LOOKUP in hit.kinds else SECTION_LOOKUP


def _anchor_outcome(target: Target, units: Units, pool: Pool, selection: Selection) -> str:
    if target.corpus_id not in pool.available:
        return "corpus_not_in_stock"
    return units.status if target.corpus_id in selection.selected else "corpus_not_asked"


def _verweise(anchored: Ranking, pool: Pool, settings: Settings, selection: Selection, limit: int | None) -> tuple[Verweis, ...]:
    cap = settings.references.max_verweis_normen
    if pool.given_targets is not None:
        defaults = {corpus: spec.default_container_id for corpus, spec in pool.specs.items()}
        return given_targets(pool.given_targets, defaults, selection.selected, cap)
    return targets(anchored.living, pool.references, pool.chunks, selection.selected, cap, limit)


def _completed(anchored: Ranking, verweise: Sequence[Verweis], pool: Pool, settings: Settings) -> tuple[Ranking, tuple[Verweis, ...], int]:
    """The list with the followed references in it, merged again, and what became of each reference."""
    score = settings.references.verweis_score
    entries: list[Entry] = []
    outcomes: list[Verweis] = []
    for number, verweis in enumerate(verweise):
        if verweis.fate != "follow" or verweis.target is None:
            outcomes.append(verweis)
            continue
        units = pool.reference_units[reference_key(verweis, number, pool)]
        hits = units.hits if units.status == "found" else ()
        entries += [_ready(hit, pool, (VERWEIS,), VERWEIS, score) for hit in hits]
        fate = {"found": "fetched", "repealed": "repealed", "failed": "failed"}.get(units.status, "void")
        chunk_ids = tuple(hit.chunk_id for hit in hits)
        outcomes.append(replace(verweis, fate=fate, chunk_ids=chunk_ids, error_class=units.error_class))
    return merge((*anchored.living, *entries)), tuple(outcomes), len(entries)


def units_of(chunks: Mapping[str, Chunk], unit: str) -> dict[str, str]:
    """By chunk id what stands once in the list: its Absatz or its norm as a whole; empty where every chunk has a place of its own.

    A chunk without a section belongs to no norm. What a foreign retriever hands over is left as it is: its addresses may be coarser.
    """
    if unit == "chunk":
        return {}
    return {one.chunk_id: _unit(one, unit) for one in chunks.values() if one.section_id and one.extra is None}


def _unit(chunk: Chunk, unit: str) -> str:
    norm = (chunk.corpus_id, chunk.container_id, chunk.section_id)
    return "\x1f".join((*norm, chunk.subsection) if unit == "subsection" else norm)


def reference_key(verweis: Verweis, number: int, pool: Pool) -> str:
    """The key under which the pool holds the look-up of a reference target."""
    target = verweis.target
    if pool.given_targets is not None or target is None:
        return given_key(number)
    return target_key(looked_up(target))


def looked_up(address: Address) -> Target:
    """The look-up of a reference's target."""
    return Target(address.corpus_id, address.section_id, address.container_id, address.subsection or None)


def given_key(number: int) -> str:
    """The key of the look-up for the target that a foreign provider named at this place (from 0)."""
    return f"given {number}"


# --- the corpora ----------------------------------------------------------------------------------------------------


def _corpora(pool: Pool, selection: Selection) -> tuple[CorpusTrace, ...]:
    words = {routing.corpus_id: routing.words for routing in pool.routings}
    order = (*selection.selected, *selection.cut, *selection.available)
    return tuple(_corpus(corpus, pool, selection, words) for corpus in dict.fromkeys(order))


def _corpus(corpus: str, pool: Pool, selection: Selection, words: dict[str, tuple[str, ...]]) -> CorpusTrace:
    spec = pool.specs.get(corpus)
    state = "asked" if corpus in selection.selected else "cut_by_cap" if corpus in selection.cut else "not_routed"
    required = tuple(claim.anchor_id or claim.trigger for claim in pool.claims if claim.target.corpus_id == corpus)
    title = spec.title if spec and spec.title else corpus
    near = pool.affinities.get(corpus)
    answer = pool.answers.get(corpus) if state == "asked" else None
    if answer is None:
        return CorpusTrace(corpus, title, state, routed_by=words.get(corpus, ()), required_by=required, affinity=near)
    return CorpusTrace(
        corpus,
        title,
        state,
        answer.status,
        words.get(corpus, ()),
        required,
        answer.size,
        tuple(_routes(answer)),
        len(answer.ready),
        answer.dropped_filter,
        answer.foreign,
        answer.error_class,
        answer.error,
        near,
    )


def _routes(answer: CorpusAnswer) -> Iterator[RouteTrace]:
    for route in answer.routes:
        best = max((hit.score for hit in route.hits if hit.score is not None), default=None)
        yield RouteTrace(route.route, route.status, len(route.hits), best, route.way, route.note, route.error_class, route.error)

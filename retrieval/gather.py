"""Gather: the outside world is asked once, and what it answered is frozen in a pool.

The question is embedded once, each selected corpus is asked once. Router, anchors, references and named corpora are injected; each may
raise, which costs only its own part and is recorded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import msgspec

from retrieval.decide import decide, given_key
from retrieval.definitions import defined_in
from retrieval.errors import EncoderError
from retrieval.foreign import ForeignCorpus
from retrieval.hits import dictionaries, target_of
from retrieval.model import DEFINITION_LOOKUP, AnchorClaim, Chunk, CorpusAnswer, CorpusSpec, Reference, Routing, Target, Units
from retrieval.ports import (
    Anchors,
    ExplainsAnchors,
    ExplainsRouting,
    NamedCorpora,
    Question,
    ReadsReferences,
    Reranker,
    Router,
    Source,
    Verweise,
)
from retrieval.reranking import shown_to, with_scores, without_scores
from retrieval.settings import KNOBS, Settings
from retrieval.stages.selection import Selection, rivals, select
from retrieval.trace import Fault, Pool, Stamps, target_key
from retrieval.where import for_corpus

log = logging.getLogger(__name__)
_ANCHOR_CHUNKS = 2
_VERWEIS_CHUNKS = 1
_DEFINITIONS = 5  # half of a list of the usual length
T = TypeVar("T")


class Wiring(msgspec.Struct, frozen=True):
    """What a federation is made of: the corpora, the four injected statements about them, and a second model that scores their hits."""

    registry: Any
    router: Router | None = None
    anchors: Anchors | None = None
    verweise: Verweise | None = None
    named_corpora: NamedCorpora | None = None
    reranker: Reranker | None = None


class Chosen(msgspec.Struct, frozen=True):
    """Which corpora a question goes to, with what was said and measured about them."""

    selection: Selection
    routings: tuple[Routing, ...] = ()
    claims: tuple[AnchorClaim, ...] = ()
    affinities: dict[str, float] = {}


class Ask(msgspec.Struct, frozen=True):
    """What goes to the corpora beside the question: a filter, sections to look up, and keywords for retrievers that are not ours.

    ``definitions`` says whether a question for the meaning of a term looks up where that is defined.
    """

    where: Mapping[str, Any] | None = None
    explicit_sections: tuple[str, ...] = ()
    keywords: Mapping[str, Any] = {}
    definitions: bool = True


def gather(
    question: str, settings: Settings, wiring: Wiring, ask: Ask | None = None, limit: int | None = None, known: Pool | None = None
) -> Pool:
    """Ask the world once: everything that ``decide`` needs for this question.

    ``known`` is an earlier pool for the same question, filter and index: the corpora that it asked with the same ``fetch_k`` are not
    asked again. A foreign reference provider sees the merged list under ``settings`` and ``limit``.
    """
    return _Gathering(question, settings, wiring, ask or Ask(), known).pool(limit)


def chosen(question: str, settings: Settings, wiring: Wiring) -> Chosen:
    """Which corpora a question goes to, before any of them is asked."""
    return _Gathering(question, settings, wiring, Ask(), None).chosen()


class _Gathering:
    """One gathering; every call into the outside that fails is logged, recorded and costs only its part."""

    def __init__(self, question: str, settings: Settings, wiring: Wiring, ask: Ask, known: Pool | None) -> None:
        self.question = question
        self.settings = settings
        # One state of the stock for the whole run: another process may write a new version in the middle of it.
        self.registry = getattr(wiring.registry, "state", wiring.registry)
        self.wiring = wiring
        self.ask = ask
        self.faults: list[Fault] = []
        self.sources: dict[str, Source | ForeignCorpus] = {}
        self.prepared: dict[int, Question] = {}
        self.chunks: dict[str, Chunk] = {}
        self.identities: dict[str, str] = {}
        self.scored_by = ""
        self.known = known if known is not None and self._speaks_of_now(known) else None

    def _speaks_of_now(self, known: Pool) -> bool:
        """Whether an earlier pool is about this question, these candidates, this filter and this version of the stock."""
        asked = known.question, known.fetch_k, known.where, known.stamps.index
        where = dict(self.ask.where) if self.ask.where else None
        return asked == (self.question, self.settings.gathering.fetch_k, where, self._stamps().index)

    # --- the line -----------------------------------------------------------------------------------------------------

    def pool(self, limit: int | None) -> Pool:
        chosen = self.chosen()
        routings, claims, available, selected = chosen.routings, chosen.claims, chosen.selection.available, chosen.selection.selected
        answers = self._reranked(_few_definitions({corpus: self._answer(corpus) for corpus in selected}))
        units = tuple(self._anchor_units(claim.target, selected) for claim in claims)
        references = self._references()
        pool = Pool(
            question=self.question,
            fetch_k=self.settings.gathering.fetch_k,
            available=available,
            routings=routings,
            claims=claims,
            named=self._named(available),
            answers=answers,
            anchor_units=units,
            references=references,
            reference_units=self._reference_units(references, selected),
            chunks=self.chunks,
            identities=self.identities,
            specs=self._specs(available),
            stamps=self._stamps(),
            words=next((prepared.words for prepared in self.prepared.values()), self.known.words if self.known else ()),
            where=dict(self.ask.where) if self.ask.where else None,
            definitions=self._definitions(answers.values()),
            affinities=chosen.affinities,
        )
        pool = self._with_given_targets(pool, limit)
        return msgspec.structs.replace(pool, faults=(*self._blocked(), *self._encoder_faults(), *self.faults))

    def chosen(self) -> Chosen:
        """The corpora that the question goes to. How near they are is measured only where not all can be asked."""
        available = tuple(self.registry.available())
        routings, claims = self._routings(available), self._claims()
        knobs = self.settings.selection
        asked = (available, [one.corpus_id for one in routings], [one.target.corpus_id for one in claims], knobs.max_corpora_per_query)
        near = {corpus: self._affinity(corpus) for corpus in rivals(*asked)} if knobs.corpus_order == "similarity" else {}
        affinities = {corpus: affinity for corpus, affinity in near.items() if affinity is not None}
        return Chosen(select(*asked, affinities), routings, claims, affinities)

    # --- calls that may fail ------------------------------------------------------------------------------------------

    def _try(self, part: str, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Exception as error:
            log.warning("%s failed: %s: %s", part, type(error).__name__, error)
            self.faults.append(Fault(part, type(error).__name__, str(error)[:500]))
            return otherwise

    def _blocked(self) -> list[Fault]:
        """The corpora in stock that cannot be asked at all, with the reason."""
        return [Fault("stock", "BrokenStock", str(reason)) for reason in getattr(self.registry, "blocked", {}).values()]

    def _encoder_faults(self) -> list[Fault]:
        if not self.prepared and self.known is not None:
            return [fault for fault in self.known.faults if fault.part == "encoder"]
        messages = {message for prepared in self.prepared.values() for message in prepared.encoder_error.values()}
        return [Fault("encoder", "EncoderError", message) for message in sorted(messages)]

    # --- the four statements ------------------------------------------------------------------------------------------

    def _routings(self, available: Sequence[str]) -> tuple[Routing, ...]:
        router = self.wiring.router
        if router is None:
            return ()
        if isinstance(router, ExplainsRouting):
            return self._try("router", lambda: tuple(router.explain(self.question, available)), ())
        return self._try("router", lambda: tuple(Routing(str(corpus)) for corpus in router(self.question, available) or ()), ())

    def _affinity(self, corpus: str) -> float | None:
        """How near a corpus is; None for one that cannot say it. One that fails stands behind those that answered."""
        last: float | None = 0.0
        return self._try("affinity", lambda: self._measured_affinity(corpus), last)

    def _measured_affinity(self, corpus: str) -> float | None:
        source = self._source(corpus)
        # Asked of every corpus in stock: the check of a protocol would take longer than the answer.
        measure: Callable[[Question], float] | None = getattr(source, "affinity", None)
        return None if isinstance(source, ForeignCorpus) or measure is None else measure(self._prepared(source))

    def _claims(self) -> tuple[AnchorClaim, ...]:
        anchors = self.wiring.anchors
        if anchors is None:
            return ()
        if isinstance(anchors, ExplainsAnchors):
            return self._try("anchors", lambda: tuple(anchors.claims(self.question)), ())
        return self._try("anchors", lambda: tuple(AnchorClaim(target_of(raw)) for raw in anchors(self.question) or ()), ())

    def _named(self, available: Sequence[str]) -> tuple[str, ...]:
        named = self.wiring.named_corpora
        if named is None:
            return ()
        return self._try("named_corpora", lambda: tuple(str(corpus) for corpus in named(self.question, available) or ()), ())

    def _specs(self, corpora: Iterable[str]) -> dict[str, CorpusSpec]:
        return {corpus: self._spec(corpus) for corpus in corpora}

    def _spec(self, corpus: str) -> CorpusSpec:
        found = self._try("spec", lambda: self.registry.spec(corpus), None)
        if isinstance(found, CorpusSpec):
            return found
        read = found.get if isinstance(found, Mapping) else lambda key, other=None: getattr(found, key, other)
        return CorpusSpec(corpus, str(read("title", "") or corpus), default_container_id=str(read("default_container_id", "") or ""))

    def _stamps(self) -> Stamps:
        stamps = getattr(self.registry, "stamps", None)
        index, model = stamps() if callable(stamps) else ("", "")
        return Stamps(index, model, str(getattr(self.wiring.anchors, "fingerprint", "")), code_version(), self.scored_by)

    # --- the corpora --------------------------------------------------------------------------------------------------

    def _source(self, corpus: str) -> Source | ForeignCorpus:
        if corpus not in self.sources:
            retriever = self.registry.retriever(corpus)
            self.sources[corpus] = retriever if isinstance(retriever, Source) else ForeignCorpus(corpus, retriever)
        return self.sources[corpus]

    def _answer(self, corpus: str) -> CorpusAnswer:
        earlier = without_scores(self.known.answers.get(corpus)) if self.known is not None else None
        again = earlier is None or earlier.foreign or earlier.status == "failed"
        try:
            answer = self._asked(corpus) if again or earlier is None else earlier
            self._keep(corpus, answer)
        except Exception as error:
            log.warning("corpus %s failed: %s: %s", corpus, type(error).__name__, error)
            return CorpusAnswer(corpus, "failed", error_class=type(error).__name__, error=str(error)[:500])
        return answer

    def _asked(self, corpus: str) -> CorpusAnswer:
        source = self._source(corpus)
        where, dropped = for_corpus(self.ask.where, self._spec(corpus).default_container_id)
        if isinstance(source, ForeignCorpus):
            keywords = {**self.ask.keywords, "where": where} if where else dict(self.ask.keywords)
            return source.answer(self.question, keywords, dropped)
        answer = source.candidates(self._prepared(source), self.settings.gathering.fetch_k, where)
        ready = answer.ready if self.ask.definitions else tuple(hit for hit in answer.ready if DEFINITION_LOOKUP not in hit.kinds)
        return msgspec.structs.replace(answer, dropped_filter=dropped, ready=ready)

    def _definitions(self, answers: Iterable[CorpusAnswer]) -> dict[str, str]:
        """The term that the question asks for, as each chunk says it that was looked up because it defines it."""
        ids = [hit.chunk_id for answer in answers for hit in answer.ready if DEFINITION_LOOKUP in hit.kinds]
        found = {chunk_id: defined_in(self.question, self.chunks[chunk_id]) for chunk_id in ids}
        return {chunk_id: one.term for chunk_id, one in found.items() if one is not None}

    def _prepared(self, source: Source) -> Question:
        key = id(source.federation)
        if key not in self.prepared:
            self.prepared[key] = source.prepare(self.question, self.ask.explicit_sections)
        return self.prepared[key]

    # --- the second model ---------------------------------------------------------------------------------------------

    def _reranked(self, answers: dict[str, CorpusAnswer]) -> dict[str, CorpusAnswer]:
        """The answers with a route of the reranker each; as they are where none is switched on, or where it fails."""
        if not self.settings.reranking:
            return answers
        return self._try("reranker", lambda: self._scored(answers), answers)

    def _scored(self, answers: dict[str, CorpusAnswer]) -> dict[str, CorpusAnswer]:
        reranker = self.wiring.reranker
        if reranker is None:
            raise EncoderError("No reranker is set up. Start with --reranker MODEL, or switch the setting 'reranker' off.")
        shown = shown_to(list(answers.values()), self.settings.gathering.rerank_depth)
        raw = reranker.scores(self.question, [self.chunks[one].passage for one in shown])
        with_route = with_scores(answers, dict(zip(shown, raw, strict=True)))
        self.scored_by = reranker.fingerprint
        return with_route

    def _keep(self, corpus: str, answer: CorpusAnswer | Units) -> None:
        """Take the chunks that an answer speaks of into the pool."""
        source = self._source(corpus)
        if isinstance(source, ForeignCorpus):
            self.chunks.update(source.chunks)
            self.identities.update(source.identities)
            return
        ids = [hit.chunk_id for hit in (answer.ready if isinstance(answer, CorpusAnswer) else answer.hits)]
        if isinstance(answer, CorpusAnswer):
            ids += [hit.chunk_id for route in answer.routes for hit in route.hits]
        for chunk_id in ids:
            if chunk_id not in self.chunks:
                chunk = source.chunk(chunk_id)
                self.chunks[chunk_id] = chunk
                self.identities[chunk_id] = f"{chunk.corpus_id}\x1f{chunk.text_hash}"

    # --- look-ups by address ------------------------------------------------------------------------------------------

    def _units(self, target: Target) -> Units:
        try:
            found = self._source(target.corpus_id).units(target)
        except Exception as error:
            log.warning("look-up of %s in %s failed: %s", target.section_id, target.corpus_id, error)
            return Units("failed", error_class=type(error).__name__, error=str(error)[:500])
        self._keep(target.corpus_id, found)
        return found

    def _anchor_units(self, target: Target, selected: Sequence[str]) -> Units:
        if target.corpus_id not in selected:
            return Units("not_asked")
        asked = target if target.max_chunks is not None else msgspec.structs.replace(target, max_chunks=_ANCHOR_CHUNKS)
        units = self._units(asked)
        if units.status == "not_found":
            log.warning("anchor target not found: %s · %s · %s", target.corpus_id, target.container_id or "-", target.section_id)
        return units

    # --- references ---------------------------------------------------------------------------------------------------

    def _references(self) -> dict[str, tuple[Reference, ...]]:
        """The references in every chunk that the answers and the anchors brought, as its own corpus knows them."""
        if not isinstance(self.wiring.verweise, ReadsReferences):
            return {}
        known: dict[str, tuple[Reference, ...]] = {}
        for chunk_id, chunk in self.chunks.items():
            source = self._source(chunk.corpus_id)
            if not isinstance(source, ForeignCorpus):
                known[chunk_id] = self._try("verweise", partial(source.references, chunk_id), ())
        return {chunk_id: found for chunk_id, found in known.items() if found}

    def _reference_units(self, references: Mapping[str, Sequence[Reference]], selected: Sequence[str]) -> dict[str, Units]:
        found: dict[str, Units] = {}
        for named in references.values():
            for reference in named:
                address = reference.target
                if address is None or reference.state != "resolved" or address.corpus_id not in selected:
                    continue
                target = Target(address.corpus_id, address.section_id, address.container_id, address.subsection or None)
                key = target_key(target)
                if key not in found:
                    found[key] = self._units(msgspec.structs.replace(target, max_chunks=_VERWEIS_CHUNKS))
        return found

    def _with_given_targets(self, pool: Pool, limit: int | None) -> Pool:
        """The targets of a reference provider that is not ours: it sees the merged list, as it stands under these settings."""
        provider = self.wiring.verweise
        if provider is None or isinstance(provider, ReadsReferences):
            return pool
        before = decide(pool, self.settings, limit)
        hits = dictionaries(before.anchored.living, pool.chunks)
        selected = before.selection.selected
        given: tuple[Target, ...] = ()
        if hits:
            given = self._try("verweise", lambda: tuple(target_of(raw) for raw in provider(hits, selected) or ()), given)
        pool = msgspec.structs.replace(pool, given_targets=given)
        most = int(KNOBS["max_verweis_normen"].high)
        units = {
            given_key(number): self._units(self._completed(target))
            for number, target in enumerate(given[:most])
            if target.corpus_id in selected
        }
        return msgspec.structs.replace(pool, given_targets=given, reference_units=units)

    def _completed(self, target: Target) -> Target:
        """A reference target with the defaults: the corpus's default container, one chunk."""
        container = target.container_id
        if container is None:
            container = self._spec(target.corpus_id).default_container_id or None
        chunks = _VERWEIS_CHUNKS if target.max_chunks is None else target.max_chunks
        return msgspec.structs.replace(target, container_id=container, max_chunks=chunks)


def _few_definitions(answers: dict[str, CorpusAnswer]) -> dict[str, CorpusAnswer]:
    """The answers with the surest definitions alone, in the order of the corpora, where many corpora define the term."""
    hits = [hit for answer in answers.values() for hit in answer.ready if hit.kinds == (DEFINITION_LOOKUP,)]
    over = {hit.chunk_id for hit in sorted(hits, key=lambda hit: -hit.rank)[_DEFINITIONS:]}
    if not over:
        return answers
    return {
        corpus: msgspec.structs.replace(answer, ready=tuple(hit for hit in answer.ready if hit.chunk_id not in over))
        for corpus, answer in answers.items()
    }


@cache
def code_version() -> str:
    """The version of the installed product, ``source`` when it runs uninstalled."""
    try:
        return version("fundstelle")
    except PackageNotFoundError:
        return "source"

"""The federated retriever: the drop-in for a retriever of one corpus, a thin face over gather and decide.

The page and ``query()`` run the same two calls, so they cannot differ.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from retrieval.decide import decide
from retrieval.errors import BadSetting
from retrieval.gather import Ask, Wiring, chosen, gather
from retrieval.hits import hits_of, sections_of, target_of
from retrieval.legal_retriever import LegalRetriever
from retrieval.model import Target
from retrieval.neighbors import with_neighbors
from retrieval.ports import Anchors, NamedCorpora, Question, Reranker, Router, Verweise
from retrieval.settings import Settings
from retrieval.stages.selection import Selection
from retrieval.trace import Pool, Trace
from retrieval.where import for_corpus

log = logging.getLogger(__name__)
_ABSENT: Any = object()
T = TypeVar("T")


class FederatedRetriever:
    """Searches several corpora as one.

    Parameters
    ----------
    registry: has ``available()``, ``retriever(id)`` and ``spec(id)``.
    router: ``(question, ids) -> ids``; default: every corpus.
    anchors: ``(question) -> targets``. verweise: ``(hits, ids) -> targets``. named_corpora: ``(question, ids) -> ids``.
    reranker: a second model, which scores what the corpora found while the setting ``reranker`` is on.
    settings: the settings of a run; every other keyword is one of them by name (``min_ratio=0.3``) and goes before it.

    All four callables and the reranker may raise; that is logged, stands in the trace and costs only their part.
    """

    def __init__(
        self,
        registry: Any,
        *,
        router: Router | None = None,
        anchors: Anchors | None = None,
        verweise: Verweise | None = None,
        named_corpora: NamedCorpora | None = None,
        reranker: Reranker | None = None,
        settings: Settings | None = None,
        **values: Any,
    ) -> None:
        self.registry = registry
        self.wiring = Wiring(registry, router, anchors, verweise, named_corpora, reranker)
        self.settings = (settings or Settings()).changed(values)

    # --- a question ---------------------------------------------------------------------------------------------------

    def query(self, question: str, **kwargs: Any) -> list[dict[str, Any]]:
        """The final list for ``question`` as new dictionaries.

        Keywords: ``top_k``, ``max_final_results`` (the limit; it goes before ``top_k``), ``fetch_k``, ``where``, ``explicit_sections``,
        ``include_neighbors``, ``enable_definition_lookup``; others go to the retrievers that declare them.

        ``enable_definition_lookup`` (default: True): a question for the meaning of a term looks up where the corpora define it.
        ``include_neighbors``: a hit that is one part of an Absatz is followed by its neighbours, at most two on either side, in the order
        of the text, with the rank of their hit. They come in excess of the limit and change no place: whoever reads the context needs the
        whole Absatz, and what was found shall not pay for it.
        """
        return hits_of(self.trace(question, **kwargs))

    def trace(self, question: str, **kwargs: Any) -> Trace:
        """The same run as ``query``, with everything that happened in it."""
        settings, limit, ask = self._read(kwargs)
        trace = decide(gather(question, settings, self.wiring, ask, limit), settings, limit)
        return with_neighbors(trace, self.registry.retriever) if kwargs.get("include_neighbors") else trace

    def gather(self, question: str, settings: Settings | None = None, known: Pool | None = None) -> Pool:
        """What the world answers to ``question``; ``known`` is an earlier pool for it."""
        used = settings or self.settings
        return gather(question, used, self.wiring, limit=used.quota.max_final_results, known=known)

    def _read(self, kwargs: Mapping[str, Any]) -> tuple[Settings, int | None, Ask]:
        settings = self.settings
        if kwargs.get("fetch_k") is not None:
            settings = settings.changed({"fetch_k": kwargs["fetch_k"]})
        limit = kwargs.get("max_final_results", _ABSENT)
        top_k = kwargs.get("top_k", _ABSENT)
        if limit is _ABSENT and top_k is _ABSENT:
            limit = settings.quota.max_final_results
        elif limit is _ABSENT or limit is None:
            limit = None if top_k is _ABSENT else top_k
        for_corpus(kwargs.get("where"), "")
        definitions = bool(kwargs.get("enable_definition_lookup", True))
        ask = Ask(kwargs.get("where"), sections_of(kwargs.get("explicit_sections")), _passed_on(kwargs), definitions)
        return settings, valid_limit(limit), ask

    # --- what happens before a search ------------------------------------------------------------------------------------

    def anchor_targets(self, question: str) -> list[Target]:
        """The targets of the curated register for this question; empty when the register fails."""
        anchors = self.wiring.anchors
        if anchors is None:
            return []
        return _quietly("anchors", lambda: [target_of(raw) for raw in anchors(question) or ()], [])

    def required_corpora(self, question: str) -> list[str]:
        """The corpora that anchors require, in their order, as far as they are available."""
        return list(self._selection(question).required)

    def select_corpora(self, question: str) -> list[str]:
        """The corpora that this question is put to, in order."""
        return list(self._selection(question).selected)

    def explain_selection(self, question: str) -> dict[str, Any]:
        """``available``, ``routed``, ``required``, ``selected`` and the anchor targets, as plain data."""
        selection = self._selection(question)
        targets = [msgspec.to_builtins(target) for target in self.anchor_targets(question)]
        steps = {name: list(getattr(selection, name)) for name in ("available", "routed", "required", "selected")}
        return {**steps, "anchor_targets": targets}

    def _selection(self, question: str) -> Selection:
        return chosen(question, self.settings, self.wiring).selection

    # --- is it really not there? ----------------------------------------------------------------------------------------

    def verify_negative_result(self, question: str, corpora: Sequence[str] | None = None) -> dict[str, Any]:
        """Whether "nothing was found" may be said: every selected corpus is asked with a wider search, or those in ``corpora``.

        ``safe`` only when none objects and none failed; ``objections`` and ``unchecked`` name the corpora, ``unasked`` those that were not
        selected and of which nothing is said, ``reason`` says it in a sentence. ``verdicts`` has what each corpus answered, by its id. A
        corpus that failed has refuted nothing and confirmed nothing.
        """
        wanted = self.select_corpora(question) if corpora is None else list(corpora)
        prepared: dict[int, Question] = {}
        nothing: dict[str, Any] = {}
        answers = {one: _quietly(one, partial(self._verdict, one, question, prepared), nothing) for one in wanted}
        objections = [corpus for corpus, answer in answers.items() if answer and not answer["safe"]]
        unchecked = [corpus for corpus, answer in answers.items() if not answer]
        unasked = [corpus for corpus in self.registry.available() if corpus not in answers]
        return {
            "safe": not objections and not unchecked,
            "objections": objections,
            "unchecked": unchecked,
            "unasked": unasked,
            "reason": _negative_reason(objections, unchecked, unasked),
            "verdicts": answers,
        }

    def _verdict(self, corpus: str, question: str, prepared: dict[int, Question]) -> dict[str, Any]:
        """What one corpus says; empty where it cannot be asked. ``prepared`` keeps the question for corpora that share an encoder."""
        retriever = self.registry.retriever(corpus)
        if isinstance(retriever, LegalRetriever):
            key = id(retriever.federation)
            if key not in prepared:
                prepared[key] = retriever.prepare(question)
            return retriever.verdict(prepared[key])
        check = getattr(retriever, "verify_negative_result", None)
        if check is None:
            return {}
        found = check(question)
        return {**found, "safe": bool(found.get("safe"))} if isinstance(found, Mapping) else {"safe": bool(found)}

    # --- the rest of the face -------------------------------------------------------------------------------------------

    def diagnostics(self) -> dict[str, Any]:
        """The registry's diagnostics, the consistency of the embeddings and the settings."""
        inner: dict[str, Any] = _quietly("diagnostics", lambda: dict(self.registry.diagnostics()), {})
        check = getattr(self.registry, "assert_consistent_embedding", lambda: "")
        return {**inner, "consistent_embedding": _quietly("consistency", check, ""), "settings": self.settings.flat()}

    @property
    def _primary(self) -> Any:
        primary = getattr(self.registry, "primary_id", None) or next(iter(self.registry.available()))
        return self.registry.retriever(primary)

    @property
    def col(self) -> Any:
        """The collection of the primary corpus."""
        return self._primary.col

    @property
    def collection_name(self) -> str:
        """The name of the primary corpus's collection."""
        return str(getattr(self._primary, "collection_name", ""))

    @property
    def persist_dir(self) -> str:
        """The folder of the index."""
        return str(getattr(self.registry, "persist_dir", ""))


def valid_limit(limit: object) -> int | None:
    """A limit as a whole number of at least 1, None for no limit (None and 0). Raises BadSetting."""
    if limit is None or limit == 0:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise BadSetting(f"The limit of the list: found {str(limit)[:40]!r}, expected a whole number of at least 1, or None for no limit.")
    return limit


def _passed_on(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kwargs.items() if name != "where" and value is not None}


def _quietly(part: str, call: Callable[[], T], otherwise: T) -> T:
    try:
        return call()
    except Exception as error:
        log.warning("%s failed: %s: %s", part, type(error).__name__, error)
        return otherwise


def _negative_reason(objections: Sequence[str], unchecked: Sequence[str], unasked: Sequence[str]) -> str:
    parts = []
    if objections:
        parts.append(f"the wider search found something in {', '.join(objections)}")
    if unchecked:
        parts.append(f"{', '.join(unchecked)} could not be checked, so nothing was confirmed there")
    if not parts:
        parts.append("every selected corpus was searched more widely and none objects")
        if unasked:
            parts.append(f"nothing is said of {', '.join(unasked)}, which this question is not put to")
    return "; ".join(parts)

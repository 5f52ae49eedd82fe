"""Reranking: a second model reads the question with each of the first hits of both searches, and its scores become a third route.

The raw score of the model (a logit) is kept and brought to the scale from 0 to 1 once, by the logistic function.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from retrieval.decide import route_hits
from retrieval.errors import EncoderError
from retrieval.model import LEXICAL, VECTOR, CorpusAnswer, RouteAnswer, RouteHit
from retrieval.ports import Reranker
from retrieval.stages.fusion import RERANKER, logistic

MOST_KEPT = 20_000
"""So many scores are remembered; a question of the usual depth has up to a hundred."""


def shown_to(answers: Sequence[CorpusAnswer], depth: int) -> tuple[str, ...]:
    """The chunks that a reranker is shown: the first ``depth`` hits of each search over all corpora, each chunk once.

    They do not hang on any weight, so that moving one ranks anew and asks nothing.
    """
    return tuple(dict.fromkeys(hit.chunk_id for name in (VECTOR, LEXICAL) for hit in route_hits(name, answers)[:depth]))


def with_scores(answers: Mapping[str, CorpusAnswer], raw: Mapping[str, float]) -> dict[str, CorpusAnswer]:
    """The answers with a route of the reranker each, best first; a corpus without routes stays as it is.

    Raises EncoderError for a score that is no finite number.
    """
    if not all(math.isfinite(score) for score in raw.values()):
        raise EncoderError("The reranker: found a score that is no number, expected one for each text. Choose another model.")
    return {
        corpus: replace(answer, routes=(*answer.routes, _route(answer, raw))) if answer.routes else answer
        for corpus, answer in answers.items()
    }


def _route(answer: CorpusAnswer, raw: Mapping[str, float]) -> RouteAnswer:
    found = dict.fromkeys(hit.chunk_id for route in answer.routes for hit in route.hits if hit.chunk_id in raw)
    hits = tuple(RouteHit(one, raw[one], logistic(raw[one])) for one in sorted(found, key=lambda one: (-raw[one], one)))
    return RouteAnswer(RERANKER, "ok" if hits else "empty", hits, way=RERANKER)


def without_scores(answer: CorpusAnswer | None) -> CorpusAnswer | None:
    """The answer as the searches gave it."""
    if answer is None:
        return None
    return replace(answer, routes=tuple(route for route in answer.routes if route.route != RERANKER))


# --- the model ----------------------------------------------------------------------------------------------------------


class RememberingReranker:
    """A reranker that loads its model when it is first asked, and remembers each score by model, question and passage.

    Safe for several threads. A model that does not load is tried again at the next question: its folder may have been mended.
    """

    def __init__(self, opened: Callable[[], Reranker], most: int = MOST_KEPT) -> None:
        """``opened`` loads the model and may raise EncoderError; ``most`` scores are remembered, those used last."""
        self._open, self._most = opened, most
        self._model: Reranker | None = None
        self._known: OrderedDict[tuple[str, str, str], float] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def named(cls, name: str) -> RememberingReranker:
        """The cross-encoder in a folder, or a downloaded one by its name."""

        def opened() -> Reranker:
            from retrieval.reranking_st import CrossEncoderReranker

            return CrossEncoderReranker.named(name)

        return cls(opened)

    @property
    def fingerprint(self) -> str:
        """Model and revision. Raises EncoderError where the model does not load."""
        with self._lock:
            return self._loaded().fingerprint

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One raw score for each passage; only what is not remembered is computed. Raises EncoderError."""
        with self._lock:
            model = self._loaded()
            keys = {passage: (model.fingerprint, question, passage) for passage in passages}
            missing = [passage for passage, key in keys.items() if key not in self._known]
            found = {passage: self._known[key] for passage, key in keys.items() if key in self._known}
            if missing:
                found |= {passage: float(score) for passage, score in zip(missing, model.scores(question, missing), strict=True)}
            for passage, key in keys.items():
                self._known[key] = found[passage]
                self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return [found[passage] for passage in passages]

    def _loaded(self) -> Reranker:
        if self._model is None:
            self._model = self._open()
        return self._model

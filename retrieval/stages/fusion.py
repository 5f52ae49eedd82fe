"""Fusion: one list out of the lists of several routes.

Two methods, each a pure function. Ties go to the earlier route, then to the order inside the route, so the same input always gives the
same list. The raw score of the vector route is carried beside the fused score and never replaced by it: the fused score orders, the raw
cosine decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from retrieval.errors import BadSetting
from retrieval.knobs import Knob
from retrieval.model import LEXICAL, VECTOR

Method = Literal["weighted", "rrf"]
RERANKER = "reranker"
"""The route of the second model: it finds nothing by itself and scores what the two searches found."""
ROUTES = (VECTOR, LEXICAL, RERANKER)
"""All routes, in the order in which fusion meets them."""


class FusionKnobs(msgspec.Struct, frozen=True, kw_only=True):
    """How the routes are made into one list."""

    fusion: Annotated[
        Method,
        Knob(
            label_de="Fusion",
            label_en="Fusion",
            de="Wie Vektor- und Wortsuche zu einer Liste werden: gewichtete Summe der Werte oder Rangfusion (RRF).",
            en="How vector and word search become one list: weighted sum of the scores, or rank fusion (RRF).",
            choices=("weighted", "rrf"),
        ),
    ] = "weighted"
    weight_vector: Annotated[
        float,
        Knob(
            label_de="Gewicht der Vektorsuche",
            label_en="Weight of the vector search",
            de="Anteil der Bedeutungsähnlichkeit am Ordnungswert. Gezeigt wird der Anteil an der Summe aller Gewichte.",
            en="Share of the similarity in meaning in the rank score. Shown as its share of all weights.",
            step=0.05,
            unit="share",
        ),
    ] = 0.5
    weight_lexical: Annotated[
        float,
        Knob(
            label_de="Gewicht der Wortsuche",
            label_en="Weight of the word search",
            de="Anteil der Wortübereinstimmung (BM25) am Ordnungswert.",
            en="Share of the matching words (BM25) in the rank score.",
            step=0.05,
            unit="share",
        ),
    ] = 0.5
    weight_reranker: Annotated[
        float,
        Knob(
            label_de="Gewicht des Rerankers",
            label_en="Weight of the reranker",
            de="Anteil des Rerankers am Ordnungswert; wirkt nur, wenn er eingeschaltet ist. Seine Rohwerte (etwa −10 bis 10) werden "
            "einmal durch die logistische Funktion auf 0 bis 1 gebracht: −8,3 wird 0,000, 0,4 wird 0,599, 8,15 wird 1,000.",
            en="Share of the reranker in the rank score; acts only while it is switched on. Its raw values (about −10 to 10) are brought "
            "to 0 to 1 once, by the logistic function: −8.3 becomes 0.000, 0.4 becomes 0.599, 8.15 becomes 1.000.",
            step=0.05,
            unit="share",
        ),
    ] = 0.5
    rrf_k: Annotated[
        float,
        Knob(
            label_de="RRF-Konstante k",
            label_en="RRF constant k",
            de="Je größer k, desto weniger zählt der Abstand zwischen vorderen und hinteren Rängen. Wirkt nur bei der Rangfusion.",
            en="The larger k, the less the distance between front and back ranks counts. Acts in rank fusion only.",
            low=1,
            high=200,
            step=1,
            unit="ranks",
            only="rrf",
        ),
    ] = 60.0

    def weights(self) -> dict[str, float]:
        """The weights of all routes, in the order in which fusion meets them."""
        return {name: getattr(self, f"weight_{name}") for name in ROUTES}

    def shares(self, reranked: bool = False) -> dict[str, float]:
        """The weights as shares that sum to 1: (3, 1) and (0.75, 0.25) are the same setting. The reranker counts where ``reranked``.

        Raises BadSetting when a weight is negative or all are zero.
        """
        return shares({name: weight for name, weight in self.weights().items() if reranked or name != RERANKER})


class Route(msgspec.Struct, frozen=True):
    """One list to be fused. ``hits`` are (document, score or None), best first; a None document is skipped but keeps its rank."""

    name: str
    weight: float
    hits: tuple[tuple[str | None, float | None], ...]
    degraded: bool = False


class Contribution(msgspec.Struct, frozen=True, gc=False):
    """What one route gave to one document: its rank there (from 1), its score there, the weight, and the amount added."""

    route: str
    rank: int
    score: float | None
    weight: float
    amount: float


class Fused(msgspec.Struct, frozen=True, gc=False):
    """One document of the fused list. ``best_vector_score`` is the score of the vector route, None outside of it."""

    doc_id: str
    fused_score: float
    best_vector_score: float | None
    contributions: tuple[Contribution, ...]

    @property
    def routes(self) -> list[str]:
        """The names of the routes that found the document, in the order of the routes."""
        return list(dict.fromkeys(part.route for part in self.contributions))

    @property
    def route_scores(self) -> dict[str, float]:
        """The score that each route gave, as far as it gave one; of a repeated document the last."""
        return {part.route: part.score for part in self.contributions if part.score is not None}


class Fusion(msgspec.Struct, frozen=True):
    """The fused list, best first, and whether a route failed: ``""``, ``partial_route_failure`` or ``all_routes_failed``."""

    hits: tuple[Fused, ...]
    reason: str = ""

    @property
    def degraded(self) -> bool:
        """Whether at least one route failed."""
        return bool(self.reason)


def weighted(routes: Sequence[Route], k: float = 0) -> Fusion:
    """Weighted sum: ``Σ weight · score`` over the routes that found the document; each occurrence adds, a negative score is skipped.

    ``k`` is not used. Reference: E. A. Fox and J. A. Shaw, Combination of Multiple Searches, TREC-2, 1994 (CombSUM, with weights).
    """
    del k
    return _fuse(routes, lambda route, _rank, score: route.weight * (score or 0.0), by_rank=False)


def rrf(routes: Sequence[Route], k: float = 60) -> Fusion:
    """Weighted reciprocal rank fusion: ``Σ weight / (k + rank)``, rank from 1; ``k <= 0`` counts as 1.

    A document that a route repeats counts once, at its first place. Reference: G. V. Cormack, C. L. A. Clarke and S. Büttcher,
    Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods, SIGIR 2009.
    """
    base = k if k > 0 else 1
    return _fuse(routes, lambda route, rank, _score: route.weight / (base + rank), by_rank=True)


METHODS: dict[str, Callable[[Sequence[Route], float], Fusion]] = {"weighted": weighted, "rrf": rrf}


def _fuse(routes: Sequence[Route], amount: Callable[[Route, int, float | None], float], *, by_rank: bool) -> Fusion:
    sums: dict[str, float] = {}
    vector: dict[str, float] = {}
    parts: dict[str, list[Contribution]] = {}
    for route in routes:
        seen: set[str] = set()
        is_vector = route.name == VECTOR
        for rank, (doc_id, score) in enumerate(route.hits, start=1):
            if doc_id is None or (doc_id in seen if by_rank else score is not None and score < 0):
                continue
            seen.add(doc_id)
            added = amount(route, rank, score)
            sums[doc_id] = sums.get(doc_id, 0.0) + added
            parts.setdefault(doc_id, []).append(Contribution(route.name, rank, score, route.weight, added))
            if is_vector and score is not None:
                vector[doc_id] = max(score, vector.get(doc_id, score))
    order = sorted(sums, key=lambda doc_id: -sums[doc_id])  # stable: the first found stays first among equals
    hits = tuple(Fused(doc_id, sums[doc_id], vector.get(doc_id), tuple(parts[doc_id])) for doc_id in order)
    return Fusion(hits, _failure(routes))


def _failure(routes: Sequence[Route]) -> str:
    broken = sum(route.degraded for route in routes)
    if not broken:
        return ""
    return "all_routes_failed" if broken == len(routes) else "partial_route_failure"


def rrf_ceiling(routes: Sequence[Route], k: float) -> float:
    """The rank score of a document that leads every route: ``Σ weight / (k + 1)``. Divides RRF sums onto the scale from 0 to 1."""
    base = k if k > 0 else 1
    return sum(route.weight for route in routes) / (base + 1)


def logistic(raw: float) -> float:
    """A raw value of a reranker on the scale from 0 to 1: ``1 / (1 + e^-raw)``, in the form that does not overflow."""
    if raw >= 0:
        return 1 / (1 + math.exp(-raw))
    power = math.exp(raw)
    return power / (1 + power)


def shares(weights: Mapping[str, float]) -> dict[str, float]:
    """``weights`` divided by their sum.

    Raises BadSetting when one is negative or no finite number, or when all are zero.
    """
    if any(not math.isfinite(weight) or weight < 0 for weight in weights.values()) or not any(weights.values()):
        shown = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
        raise BadSetting(f"Weights: found {shown}; expected numbers of at least 0, not all of them 0. Raise one of them.")
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


# --- the border: routes and hits as dictionaries ---------------------------------------------------------------------


def route_of(raw: Mapping[str, Any], weight: float | None = None) -> Route:
    """A route from ``{name, weight, hits: [{doc_id, score}], degraded}``; an unreadable score counts as found without score.

    ``weight`` replaces the route's own (1 for all routes is the plain formula of rank fusion).
    """
    hits = tuple((_doc_id(hit), _score(hit.get("score"))) for hit in raw["hits"])
    return Route(str(raw["name"]), float(raw["weight"]) if weight is None else weight, hits, bool(raw.get("degraded")))


def _doc_id(hit: Mapping[str, Any]) -> str | None:
    found = hit.get("doc_id")
    return str(found) if found not in (None, "") else None


def _score(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        return None
    try:
        value = float(raw)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def payloads(fusion: Fusion, routes: Sequence[Mapping[str, Any]], digits: int = 4) -> list[dict[str, Any]]:
    """The fused list as dictionaries: what the document's first finder knew of it, with ``score`` = decision score (0.0 for none).

    ``fused_score`` is rounded to ``digits``; it orders and decides nothing.
    """
    hits = {(str(route["name"]), rank): hit for route in routes for rank, hit in enumerate(route["hits"], start=1)}
    return [
        {
            **hits[hit.contributions[0].route, hit.contributions[0].rank],
            "score": hit.best_vector_score or 0.0,
            "fused_score": round(hit.fused_score, digits),
            "routes": hit.routes,
        }
        for hit in fusion.hits
    ]

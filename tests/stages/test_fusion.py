"""Fusion: weights act in both methods, a missing route adds nothing, ties follow the routes."""

from __future__ import annotations

import math

import pytest

from retrieval.errors import BadSetting
from retrieval.stages.fusion import METHODS, Route, rrf, rrf_ceiling, shares, weighted


def route(name: str, ids: str, weight: float = 1.0, scores: list[float] | None = None) -> Route:
    """A route over documents named by one letter each."""
    return Route(name, weight, tuple(zip(ids, scores or [None] * len(ids), strict=True)))


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((1, 1), {"R": 1 / 63 + 1 / 61, "P": 1 / 61, "Q": 1 / 62, "S": 1 / 62}),
        ((0.7, 0.3), {"R": 0.7 / 63 + 0.3 / 61, "P": 0.7 / 61, "Q": 0.7 / 62, "S": 0.3 / 62}),
        ((0.1, 0.9), {"R": 0.1 / 63 + 0.9 / 61, "S": 0.9 / 62, "P": 0.1 / 61, "Q": 0.1 / 62}),
    ],
)
def test_weights_act_in_rank_fusion(weights: tuple[float, float], expected: dict[str, float]) -> None:
    hits = rrf([route("vector", "PQR", weights[0]), route("lexical", "RS", weights[1])], 60).hits
    assert [(hit.doc_id, hit.fused_score) for hit in hits] == [(key, pytest.approx(value)) for key, value in expected.items()]


def test_a_document_missing_in_a_route_gets_nothing_from_it() -> None:
    hits = rrf([route("vector", "XaY"), route("lexical", "bcY")], 60).hits
    assert [hit.doc_id for hit in hits] == ["Y", "X", "b", "a", "c"]
    expected = {"Y": 2 / 63, "X": 1 / 61, "b": 1 / 61, "a": 1 / 62, "c": 1 / 62}
    assert {hit.doc_id: hit.fused_score for hit in hits} == pytest.approx(expected)


def test_the_weighted_sum_adds_over_the_routes_that_found_the_document() -> None:
    fused = weighted([route("vector", "ab", 0.7, [0.62, 0.4]), route("lexical", "bc", 0.3, [1.0, 0.5])])
    assert {hit.doc_id: hit.fused_score for hit in fused.hits} == pytest.approx({"a": 0.7 * 0.62, "b": 0.7 * 0.4 + 0.3, "c": 0.15})


def test_the_raw_vector_score_is_kept_beside_the_fused_one() -> None:
    fused = weighted([route("lexical", "a", 0.9, [1.0]), route("vector", "a", 0.1, [0.3])])
    assert (fused.hits[0].best_vector_score, fused.hits[0].fused_score) == (0.3, pytest.approx(0.93))
    assert weighted([route("lexical", "a", 0.9, [1.0])]).hits[0].best_vector_score is None


@pytest.mark.parametrize("method", sorted(METHODS))
def test_failed_routes_are_told_apart_from_empty_ones(method: str) -> None:
    good, empty = route("vector", "a", 1.0, [0.5]), route("lexical", "")
    broken = Route("lexical", 1.0, (), degraded=True)
    assert METHODS[method]([good, empty], 60).reason == ""
    assert METHODS[method]([good, broken], 60).reason == "partial_route_failure"
    assert METHODS[method]([broken], 60).reason == "all_routes_failed"


@pytest.mark.parametrize("k", [1, 60, 200])
def test_the_ceiling_of_rank_fusion_is_the_score_of_the_leader_everywhere(k: int) -> None:
    routes = [route("vector", "ab", 0.3), route("lexical", "ab", 0.7)]
    assert rrf(routes, k).hits[0].fused_score == pytest.approx(rrf_ceiling(routes, k))


@pytest.mark.parametrize("k", [0, -3])
def test_a_constant_below_one_counts_as_one(k: int) -> None:
    assert rrf([route("vector", "a")], k).hits[0].fused_score == 1 / 2


def test_shares_sum_to_one() -> None:
    assert shares({"vector": 3, "lexical": 1}) == {"vector": 0.75, "lexical": 0.25}


@pytest.mark.parametrize("weights", [(0, 0), (-0.2, 1.2), (math.nan, 1), (math.inf, 1)])
def test_weights_that_are_no_weights_are_refused(weights: tuple[float, float]) -> None:
    with pytest.raises(BadSetting, match="expected numbers of at least 0"):
        shares({"vector": weights[0], "lexical": weights[1]})

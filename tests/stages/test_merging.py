"""Merging: the same chunk once, different norms never."""

from __future__ import annotations

from retrieval.stages.merging import merge, merge_hits, once
from tests.builders import chunk, entry


def test_the_better_rank_wins_and_takes_the_kinds_of_both() -> None:
    merged = merge([entry("a", 0.4, identity="x", kinds=("semantic",)), entry("b", 0.9, identity="x", kinds=("verweis",))])
    assert [(one.chunk_id, one.rank, one.kinds) for one in merged.living] == [("b", 0.9, ("semantic", "verweis"))]
    assert [(one.chunk_id, one.fate.code, one.fate.into) for one in merged.dropped] == [("a", "merged_into", "b")]


def test_the_cosine_survives_whichever_finding_wins() -> None:
    for order in ((0.4, 0.9), (0.9, 0.4)):
        merged = merge([entry("a", order[0], identity="x", cosine=0.31), entry("a", order[1], identity="x")])
        assert merged.living[0].cosine == 0.31


def test_two_norms_that_read_alike_stay_two() -> None:
    text = "Die §§ 1 bis 3 gelten entsprechend."
    thirty, forty = chunk("a", section="§ 30", text=text), chunk("b", section="§ 47", text=text)
    assert thirty.text_hash != forty.text_hash


def test_what_was_handed_in_is_not_changed() -> None:
    hits = [{"corpus_id": "a", "text": "x", "score": 0.1, "retrieval_kinds": ["semantic"], "metadata": {"text_hash": "1"}}]
    hits.append({**hits[0], "score": 0.5, "retrieval_kinds": ["lexical"]})
    merged = merge_hits(hits)
    assert [(hit["rank_score"], hit["retrieval_kinds"]) for hit in merged] == [(0.5, ["lexical", "semantic"])]
    assert [hit["score"] for hit in hits] == [0.1, 0.5]
    assert "rank_score" not in hits[0]


def test_a_norm_stands_once_with_its_best_chunk() -> None:
    ranking = merge([entry("a1", 0.9), entry("b1", 0.8), entry("a2", 0.7), entry("free", 0.1)])
    found = once(ranking, {"a1": "§ 1", "a2": "§ 1", "b1": "§ 2"})
    assert [one.chunk_id for one in found.living] == ["a1", "b1", "free"]
    assert [(one.chunk_id, one.fate.code, one.fate.into) for one in found.dropped] == [("a2", "same_norm", "a1")]


def test_what_was_fetched_by_its_address_keeps_all_its_chunks() -> None:
    ranking = merge([entry("a1", 1.0), entry("a2", 1.0), entry("a3", 0.4)])
    found = once(ranking, dict.fromkeys(("a1", "a2", "a3"), "§ 1"), {"a1", "a2"})
    assert [one.chunk_id for one in found.living] == ["a1", "a2"]


def test_without_units_every_chunk_keeps_its_place() -> None:
    ranking = merge([entry("a1", 0.9), entry("a2", 0.7)])
    assert once(ranking, {}) == ranking

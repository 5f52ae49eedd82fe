"""The laws of a run, over any pool and any settings."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decide import decide, selection_of
from retrieval.errors import NotGathered
from retrieval.model import Address, AnchorClaim, ReadyHit, Reference, Target, Units
from retrieval.ranking import Entry
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool
from tests.strategies import pools, settings


def gathered(p: Pool, trace: Trace) -> set[str]:
    """Every chunk that some selected corpus, anchor or followed reference brought."""
    routes = {hit.chunk_id for c in trace.selection.selected for r in p.answers[c].routes for hit in r.hits}
    ready = {hit.chunk_id for c in trace.selection.selected for hit in p.answers[c].ready}
    anchors = {chunk_id for anchor in trace.anchors for chunk_id in anchor.chunk_ids}
    verweise = {chunk_id for verweis in trace.verweise for chunk_id in verweis.chunk_ids}
    return routes | ready | anchors | verweise


@given(pools(), settings())
def test_no_candidate_is_lost_and_every_drop_has_a_fate(p: Pool, s: Settings) -> None:
    trace = decide(p, s)
    rankings = (trace.fused, trace.anchored, trace.completed, trace.quota.ranking, trace.named.ranking)
    seen = {entry.identity for ranking in rankings for entry in ranking.entries}
    assert seen == {p.identities[chunk_id] for chunk_id in gathered(p, trace)}
    for ranking in rankings:
        assert len(ranking.living) + len(ranking.dropped) == len(ranking.entries)
        assert all(entry.fate.code != "kept" for entry in ranking.dropped)


@given(pools(), settings())
def test_the_counts_add_up_from_stage_to_stage(p: Pool, s: Settings) -> None:
    trace = decide(p, s)
    for before, stage in zip(trace.counts, trace.counts[1:], strict=False):
        assert stage.came_in == before.living
        assert stage.came_in + stage.added == stage.living + sum(stage.fates.values())
    assert trace.counts[-1].living == len(trace.final)


@given(pools(), settings(), st.randoms())
def test_the_order_in_which_corpora_answered_does_not_matter(p: Pool, s: Settings, rng: random.Random) -> None:
    items = list(p.answers.items())
    rng.shuffle(items)
    assert decide(msgspec.structs.replace(p, answers=dict(items)), s) == decide(p, s)


@given(pools(), settings(), st.randoms())
def test_the_order_of_hits_inside_a_route_follows_from_their_scores_alone(p: Pool, s: Settings, rng: random.Random) -> None:
    shuffled = {}
    for corpus, one in p.answers.items():
        routes = tuple(msgspec.structs.replace(r, hits=tuple(rng.sample(r.hits, len(r.hits)))) for r in one.routes)
        shuffled[corpus] = msgspec.structs.replace(one, routes=routes)
    trace = decide(msgspec.structs.replace(p, answers=shuffled), s)
    assert trace.named == decide(p, s).named


@given(pools(), settings())
def test_deciding_twice_gives_the_same_and_changes_nothing(p: Pool, s: Settings) -> None:
    before = msgspec.json.encode(p, order="sorted")
    first = decide(p, s).to_json()
    decide(p, Settings())
    assert decide(p, s).to_json() == first
    assert msgspec.json.encode(p, order="sorted") == before


@given(pools(), settings())
def test_a_trace_survives_json(p: Pool, s: Settings) -> None:
    trace = decide(p, s)
    assert Trace.from_json(trace.to_json()) == trace


@given(pools(), settings())
def test_the_quota_never_exceeds_its_bounds(p: Pool, s: Settings) -> None:
    trace = decide(p, s)
    quota, limit = trace.quota, s.quota.max_final_results
    assert len(trace.final) == min(limit, len(trace.completed.living))
    reserved = [entry for entry in quota.ranking.living if entry.fate.code == "reserved"]
    assert len(reserved) <= max(1, limit // 2)
    for corpus in quota.corpora:
        assert corpus.reserved <= s.quota.min_hits_per_corpus
        assert corpus.takes_part == (corpus.best >= s.quota.min_ratio * quota.best)
    assert quota.rounds == max((entry.fate.round for entry in reserved), default=0)


@given(pools(), settings())
def test_the_parts_of_a_fused_hit_sum_to_its_rank(p: Pool, s: Settings) -> None:
    for entry in decide(p, s).fused.living:
        assert sum(part.amount for part in entry.parts) == pytest.approx(entry.rank, abs=1e-12)
        assert -1e-12 <= entry.rank <= 1 + 1e-12


@given(pools(), settings())
def test_the_decision_score_is_the_raw_cosine_whatever_the_settings(p: Pool, s: Settings) -> None:
    raw = {hit.chunk_id: hit.score for one in p.answers.values() for r in one.routes if r.route == "vector" for hit in r.hits}
    for entry in decide(p, s).final:
        assert entry.cosine is None or entry.cosine == raw[entry.chunk_id]


@given(pools(), settings())
def test_the_final_list_is_ordered_by_rank(p: Pool, s: Settings) -> None:
    ranks = [entry.rank for entry in decide(p, s).final]
    assert ranks == sorted(ranks, reverse=True)


def ids(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.chunk_id for entry in entries]


def test_weights_in_the_same_proportion_are_the_same_setting() -> None:
    p = pool([answer("gesetz", {"a": 0.6, "b": 0.2}, {"b": 0.9, "c": 0.4})], [chunk(name) for name in "abc"])
    one = decide(p, Settings.of(weight_vector=0.75, weight_lexical=0.25))
    other = decide(p, Settings.of(weight_vector=0.6, weight_lexical=0.2))
    assert [(e.chunk_id, pytest.approx(e.rank)) for e in one.final] == [(e.chunk_id, e.rank) for e in other.final]
    assert other.shares == pytest.approx({"vector": 0.75, "lexical": 0.25})


def test_a_chunk_found_only_by_a_route_without_weight_is_not_in_the_list() -> None:
    p = pool([answer("gesetz", {"a": 0.6}, {"b": 0.9})], [chunk("a"), chunk("b")])
    trace = decide(p, Settings.of(weight_vector=1, weight_lexical=0))
    assert ids(trace.final) == ["a"]
    assert [(e.chunk_id, e.fate.code) for e in trace.fused.dropped] == [("b", "no_contribution")]


def test_rank_fusion_runs_over_the_whole_federation() -> None:
    answers = [answer(c, {c: score}) for c, score in (("c1", 0.41), ("c2", 0.72), ("c3", 0.55))]
    chunks = [chunk(c, c) for c in ("c1", "c2", "c3")]
    s = Settings.of(fusion="rrf", max_final_results=2)
    assert ids(decide(pool(answers, chunks), s).final) == ["c2", "c3"]
    assert ids(decide(pool(answers[::-1], chunks), s).final) == ["c2", "c3"]


def test_the_leader_of_every_route_has_rank_one_in_rank_fusion() -> None:
    p = pool([answer("gesetz", {"a": 0.6, "b": 0.2}, {"a": 0.9})], [chunk("a"), chunk("b")])
    for k in (1, 60, 200):
        assert decide(p, Settings.of(fusion="rrf", rrf_k=k)).final[0].rank == pytest.approx(1.0)


def test_a_chunk_found_three_ways_stands_once_and_names_all_three() -> None:
    claim = AnchorClaim(Target("gesetz", "§ 1"), note="entscheidet")
    p = pool(
        [answer("gesetz", {"a": 0.81, "b": 0.7}, {"b": 0.5, "a": 0.3})],
        [chunk("a"), chunk("b", section="§ 2")],
        claims=[(claim, Units("found", (ReadyHit("a", 1.0, (), 1.0),)))],
    )
    first = decide(p, Settings()).final[0]
    assert (first.chunk_id, first.rank, first.cosine) == ("a", 1.0, 0.81)
    assert first.kinds == ("lexical", "norm_anchor", "section_lookup", "semantic")


def test_a_reference_comes_with_the_configured_score_and_says_only_verweis() -> None:
    address = Address("vertrag", "Vertrag", "§ 9")
    p = pool(
        [answer("gesetz", {"a": 0.8}), answer("vertrag", {"x": 0.1})],
        [chunk("a"), chunk("x", "vertrag", "§ 1"), chunk("z", "vertrag", "§ 9", container_id="Vertrag")],
        references={"a": [Reference(5, 8, "§ 9", "resolved", address, "Vertrag")]},
        units={Target("vertrag", "§ 9", "Vertrag"): Units("found", (ReadyHit("z", 1.0, (), 1.0),))},
    )
    trace = decide(p, Settings.of(verweis_score=0.45))
    hit = next(entry for entry in trace.final if entry.chunk_id == "z")
    assert (hit.rank, hit.score, hit.kinds, hit.cosine) == (0.45, 0.45, ("verweis",), None)
    assert [(v.by, v.words, v.fate, v.chunk_ids) for v in trace.verweise] == [("a", "§ 9", "fetched", ("z",))]
    assert decide(p, Settings.of(max_verweis_normen=0)).verweise[0].fate == "beyond_cap"


def test_settings_that_need_another_corpus_ask_to_gather_again() -> None:
    p = pool([answer("gesetz", {"a": 0.8})], [chunk("a")], available=["gesetz", "vertrag"])
    assert selection_of(p, Settings()).selected == ("gesetz", "vertrag")
    with pytest.raises(NotGathered, match="vertrag"):
        decide(p, Settings())
    assert ids(decide(p, Settings.of(max_corpora_per_query=1)).final) == ["a"]


def test_a_failed_route_is_a_fault_and_an_empty_one_is_not() -> None:
    chunks = [chunk("a")]
    assert decide(pool([answer("gesetz", {"a": 0.5})], chunks), Settings()).partial is False
    partial = decide(pool([answer("gesetz", {"a": 0.5}, failed_routes=["lexical"])], chunks), Settings())
    assert (partial.route_failure, partial.partial, ids(partial.final)) == ("partial_route_failure", True, ["a"])
    broken = decide(pool([answer("gesetz", failed_routes=["vector", "lexical"])], chunks), Settings())
    assert (broken.route_failure, broken.final) == ("all_routes_failed", ())

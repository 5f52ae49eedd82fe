"""Funnel, misses, differences and spread: the numbers of a run, held over any pool and settings."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from retrieval.decide import STAGES, decide
from retrieval.errors import BadSetting
from retrieval.inspector.differences import Difference, difference, differences, step
from retrieval.inspector.funnel import Funnel, Level, funnel
from retrieval.inspector.misses import Miss, Misses, misses
from retrieval.inspector.spread import Spread, spread
from retrieval.model import Address, AnchorClaim, ReadyHit, Reference, Target, Units
from retrieval.ranking import best_first
from retrieval.settings import Settings
from retrieval.stages.quota import apply_quota
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool
from tests.strategies import pools, settings

without = st.sets(st.sampled_from(STAGES))


def quota_pool() -> Pool:
    """Corpus A fills a list of four; B's only hit stands behind it, C's is far below the floor."""
    scores = {"a1": 0.9, "a2": 0.8, "a3": 0.7, "a4": 0.6, "a5": 0.5}
    chunks = [chunk(key, key[0].upper(), f"§ {key[1]}") for key in (*scores, "b1", "c1")]
    return pool([answer("A", scores), answer("B", {"b1": 0.4}), answer("C", {"c1": 0.1})], chunks)


def quota_run(**values: Any) -> Trace:
    return decide(quota_pool(), Settings.of({"max_final_results": 4, "min_hits_per_corpus": 1, "weight_lexical": 0, **values}))


def by_rule(trace: Trace) -> dict[str, tuple[Miss, ...]]:
    return {group.rule: group.misses for group in misses(trace).groups}


# --- the funnel -------------------------------------------------------------------------------------------------------


@given(pools(), settings(), without)
def test_every_level_adds_up_for_each_corpus_and_in_sum(one: Pool, used: Settings, left_out: set[str]) -> None:
    found = funnel(decide(one, used, without=left_out))
    for branch in (*found.branches, found.total):
        for level in branch.levels:
            assert level.came_in + level.added == level.living + level.lost
            assert level.added == sum(level.by.values())
        for above, below in zip(branch.levels, branch.levels[1:], strict=False):
            assert above.living == below.came_in


@given(pools(), settings(), without)
def test_the_corpora_sum_to_the_balance_of_the_run(one: Pool, used: Settings, left_out: set[str]) -> None:
    trace = decide(one, used, without=left_out)
    found = funnel(trace)
    for number, (level, count) in enumerate(zip(found.total.levels, trace.counts, strict=True)):
        assert (level.stage, level.came_in, level.added, level.living, level.losses) == msgspec.structs.astuple(count)
        parts = [branch.levels[number] for branch in found.branches if branch.levels]
        assert level.added == sum(part.added for part in parts)
        assert level.living == sum(part.living for part in parts)
        assert level.losses == {code: sum(part.losses.get(code, 0) for part in parts) for code in level.losses}


def test_the_funnel_names_what_each_corpus_lost_and_by_which_rule() -> None:
    found = funnel(quota_run())
    quota = {branch.corpus_id: branch.level("quota") for branch in found.branches}
    assert quota["A"] == Level("quota", 5, 0, 3, {"below_limit": 2}, {})
    assert quota["B"] == Level("quota", 1, 0, 1, {}, {})
    assert quota["C"] == Level("quota", 1, 0, 0, {"below_limit": 1}, {})


def test_a_corpus_that_was_not_asked_has_no_levels() -> None:
    cut = funnel(quota_run(max_corpora_per_query=2)).branches[2]
    assert (cut.corpus_id, cut.state, cut.levels, cut.level("quota")) == ("C", "cut_by_cap", (), None)


def test_anchors_and_look_ups_are_counted_apart() -> None:
    norms = [chunk("a1", "A", "§ 1"), chunk("a2", "A", "§ 2"), chunk("a3", "A", "§ 3")]
    claim = (AnchorClaim(Target("A", "§ 2")), Units("found", (ReadyHit("a2", 1.0),)))
    named = [ReadyHit("a3", 1.0, ("section_lookup",), 1.0)]
    level = funnel(decide(pool([answer("A", {"a1": 0.5}, None, named)], norms, claims=[claim]), Settings())).total.level("anchors")
    assert level == Level("anchors", 1, 2, 3, {}, {"norm_anchor": 1, "section_lookup": 1})


# --- the misses -------------------------------------------------------------------------------------------------------


def test_the_nearest_miss_of_the_list_stands_first_with_what_it_lacks() -> None:
    found = by_rule(quota_run())
    (a4,), (a5, c1) = found["displaced"], found["below_limit"]
    # A's worst reserved hit has 0.9, the last place filled by rank 0.7: the lower of the two is what is needed.
    assert [(one.chunk_id, one.had, one.needed, one.place) for one in (a4, a5, c1)] == [
        ("a4", 0.6, 0.7, 4),
        ("a5", 0.5, 0.7, 5),
        ("c1", 0.1, 0.7, 7),
    ]
    assert a4.margin == pytest.approx(0.1)


@given(pools(), settings(), without)
def test_a_hit_that_gains_a_hair_more_than_it_lacks_comes_into_the_list(one: Pool, used: Settings, left_out: set[str]) -> None:
    trace = decide(one, used, without=left_out)
    rounds = 0 if "quota" in left_out else used.quota.min_hits_per_corpus
    missed = by_rule(trace)
    for miss in (*missed.get("displaced", ()), *missed.get("below_limit", ())):
        assert miss.needed is not None
        assert miss.had is not None
        assert miss.needed >= miss.had
        raised = [replace(entry, rank=miss.needed + 1e-9) if entry.chunk_id == miss.chunk_id else entry for entry in trace.completed.living]
        after = apply_quota(best_first(raised), trace.limit, rounds, used.quota.min_ratio)
        assert miss.chunk_id in {entry.chunk_id for entry in after.ranking.living}


@given(pools(), settings(), without)
def test_every_candidate_ends_in_the_list_merged_or_among_the_misses(one: Pool, used: Settings, left_out: set[str]) -> None:
    trace = decide(one, used, without=left_out)
    missed = {one.identities[miss.chunk_id] for group in misses(trace).groups for miss in group.misses if miss.chunk_id}
    there = {entry.identity for entry in trace.final}
    gathered = {entry.identity for ranking in (trace.fused, trace.completed) for entry in ranking.entries}
    assert gathered == there | missed
    places = {entry.chunk_id: place for place, entry in enumerate(trace.completed.living, start=1)}
    assert all(places[miss.chunk_id] <= (trace.limit or 0) for miss in by_rule(trace).get("displaced", ()))
    assert {miss.chunk_id for miss in by_rule(trace).get("below_limit", ())} & {entry.chunk_id for entry in trace.final} == set()


@given(pools(), settings(), without)
def test_in_each_group_the_nearest_miss_stands_first(one: Pool, used: Settings, left_out: set[str]) -> None:
    for group in misses(decide(one, used, without=left_out)).groups:
        margins = [miss.margin or 0.0 for miss in group.misses]
        assert margins == sorted(margins)
        assert {miss.rule for miss in group.misses} == {group.rule}


def test_a_corpus_below_the_floor_says_how_far() -> None:
    (miss,) = by_rule(quota_run())["below_floor"]
    assert (miss.corpus_id, miss.chunk_id, miss.had) == ("C", "c1", 0.1)
    assert miss.needed == pytest.approx(0.25 * 0.9)


def test_a_floor_without_a_say_keeps_nobody_out() -> None:
    assert "below_floor" not in by_rule(quota_run(min_hits_per_corpus=0))


def test_a_corpus_beyond_the_cap_says_which_cap_it_needs() -> None:
    (miss,) = by_rule(quota_run(max_corpora_per_query=2))["corpus_cut_by_cap"]
    assert (miss.corpus_id, miss.had, miss.needed, miss.margin) == ("C", 2, 3, 1)


def test_references_beyond_the_cap_are_counted_from_it_and_named_once() -> None:
    chunks = [chunk(f"a{number}", "A", f"§ {number}") for number in range(1, 5)]
    towards = [Reference(0, 3, f"§ {number}", "resolved", Address("A", "", f"§ {number}")) for number in (2, 3, 4, 4)]
    units = {Target("A", f"§ {number}", ""): Units("found", (ReadyHit(f"a{number}", 1.0),)) for number in (2, 3, 4)}
    one = pool([answer("A", {"a1": 0.9})], chunks, references={"a1": towards}, units=units)
    found = by_rule(decide(one, Settings.of(max_verweis_normen=1)))["verweis_beyond_cap"]
    assert [(miss.target, miss.had, miss.needed) for miss in found] == [
        (Address("A", "", "§ 3"), 1, 2),
        (Address("A", "", "§ 4"), 1, 3),
    ]


def test_an_anchor_that_leads_nowhere_is_a_miss() -> None:
    claim = (AnchorClaim(Target("A", "§ 9"), trigger="Wort"), Units("not_found"))
    (miss,) = by_rule(decide(pool([answer("A", {"a1": 0.5})], [chunk("a1", "A")], claims=[claim]), Settings()))["anchor_not_found"]
    assert (miss.target, miss.words) == (Address("A", "", "§ 9"), "Wort")


def test_a_list_as_long_as_was_asked_for_may_go_on() -> None:
    assert misses(quota_run()).full == ()
    assert misses(quota_run(fetch_k=5)).full == (("A", "vector"),)


# --- the differences --------------------------------------------------------------------------------------------------


@given(pools(), settings(), without)
def test_the_difference_of_a_stage_is_the_difference_of_two_runs(one: Pool, used: Settings, left_out: set[str]) -> None:
    trace = decide(one, used, without=left_out)
    for found in differences(one, trace):
        lists = [
            tuple(entry.chunk_id for entry in decide(one, used, without=stages).final)
            for stages in (left_out | {found.stage}, left_out - {found.stage})
        ]
        assert [found.without, found.with_it] == lists
        assert found.off == (found.stage in left_out)


@given(pools(), settings())
def test_what_comes_leaves_and_moves_explains_the_whole_difference(one: Pool, used: Settings) -> None:
    for found in differences(one, decide(one, used)):
        for start, end, made in ((found.before, found.after, found.inside), (found.without, found.with_it, found.effect)):
            assert {moved.chunk_id for moved in made.enters} == set(end) - set(start)
            assert {moved.chunk_id for moved in made.leaves} == set(start) - set(end)
            assert all(start[moved.before - 1] == end[moved.after - 1] == moved.chunk_id for moved in made.moves)
            assert made.nothing == (start == end)


def test_the_quota_brings_one_hit_for_another() -> None:
    one = quota_pool()
    found = difference(one, decide(one, Settings.of(max_final_results=4, min_hits_per_corpus=1, weight_lexical=0)), "quota")
    assert [moved.chunk_id for moved in found.effect.enters] == ["b1"]
    assert [moved.chunk_id for moved in found.effect.leaves] == ["a4"]
    assert found.before[:4] == ("a1", "a2", "a3", "a4")
    assert found.after == ("a1", "a2", "a3", "b1")


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(BadSetting, match="fusion"):
        difference(quota_pool(), quota_run(), "fusion")


def test_lists_without_a_hit_differ_in_nothing() -> None:
    assert step((), ()).nothing


# --- the spread -------------------------------------------------------------------------------------------------------


@given(pools(), settings(), without)
def test_every_candidate_has_one_dot_and_every_hit_a_formula(one: Pool, used: Settings, left_out: set[str]) -> None:
    trace = decide(one, used, without=left_out)
    found = spread(trace)
    dots = [dot for strip in found.strips for dot in strip.dots]
    assert sorted(dot.chunk_id for dot in dots) == sorted(entry.chunk_id for entry in trace.completed.living)
    assert [formula.chunk_id for formula in found.formulas] == [entry.chunk_id for entry in trace.final]
    assert sorted(dot.place for dot in dots if dot.place) == list(range(1, len(trace.final) + 1))
    for formula in found.formulas:
        if formula.kind != "fixed":
            assert formula.total == pytest.approx(formula.rank, abs=1e-9)


@given(pools(), settings(), without)
def test_the_filled_in_numbers_give_the_rank_score(one: Pool, used: Settings, left_out: set[str]) -> None:
    found = spread(decide(one, used, without=left_out))
    for formula in found.formulas:
        for term in formula.terms:
            if found.method == "weighted":
                expected = term.weight * (term.scaled or 0.0)
            else:
                expected = term.weight / (found.k + term.place) / found.ceiling
            assert term.amount == pytest.approx(expected)


@given(pools(), settings(), without)
def test_the_gap_lies_between_the_two_highest_decision_scores(one: Pool, used: Settings, left_out: set[str]) -> None:
    found = spread(decide(one, used, without=left_out))
    cosines = sorted((one.cosine for one in found.decisions if one.cosine is not None), reverse=True)
    if len(cosines) < 2:
        assert (found.gap, found.second) == (None, None)
    else:
        assert found.gap == cosines[0] - cosines[1]
        assert found.gap >= 0


@given(pools(), settings(), without)
def test_the_records_survive_json(one: Pool, used: Settings, left_out: set[str]) -> None:
    trace = decide(one, used, without=left_out)
    for record, kind in ((funnel(trace), Funnel), (misses(trace), Misses), (spread(trace), Spread)):
        assert msgspec.json.decode(msgspec.json.encode(record), type=kind) == record
    found = difference(one, trace, "anchors")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Difference) == found

"""Breakpoints: between two of them the list is one, on both sides of each it differs, and none is missing."""

from __future__ import annotations

import random
from itertools import pairwise

import msgspec
import pytest

from retrieval.decide import STAGES, decide
from retrieval.errors import BadSetting
from retrieval.inspector.breakpoints import track
from retrieval.inspector.reach import ahead
from retrieval.inspector.tracks import CONTINUOUS, Track
from retrieval.model import Address, AnchorClaim, ReadyHit, Reference, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Pool
from tests.builders import answer, chunk, pool
from tests.inspector.generated import Runs, generated, reranked

NEAR = 1e-9


def near_a_point(found: Track, value: float) -> bool:
    return any(abs(value - point) <= NEAR * (found.high - found.low) for point in found.points)


def check(made: Pool, settings: Settings, knob: str, grid: int, inside: int, seed: int, without: tuple[str, ...] = ()) -> Track:
    """Against the whole pool, in which nothing is hidden: random values in every stretch, a grid over the range, the points themselves."""
    found = track(made, settings, knob, without)
    runs = Runs(made, settings, knob, without)
    rng = random.Random(seed)
    for (low, high), ids in zip(pairwise(found.points), found.between, strict=True):
        values = [rng.uniform(low, high) for _ in range(inside)]
        assert [value for value in values if not near_a_point(found, value) and runs.at(value) != ids] == []
    values = [found.low + (found.high - found.low) * step / grid for step in range(grid + 1)]
    assert [value for value in values if not near_a_point(found, value) and runs.at(value) != found.list_at(value)] == []
    assert [runs.at(point) for point in found.points] == list(found.at)
    assert [one for one, other in pairwise(found.between) if one == other] == []
    return found


@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 200, 25)], ids=str)
@pytest.mark.parametrize("knob", CONTINUOUS)
def test_between_two_breakpoints_there_is_one_list_and_none_is_missing(seeds: range, knob: str) -> None:
    for seed in seeds:
        made, settings = generated(seed, 6 + seed % 9)
        check(made, settings, knob, 40, 6, seed)


@pytest.mark.parametrize("knob", [knob for knob in CONTINUOUS if knob != "weight_reranker"])
def test_none_is_missing_against_a_fine_grid(knob: str) -> None:
    made, settings = generated(391, 12)
    settings = settings.changed({"fusion": "rrf"})
    assert check(made, settings, knob, 10_000, 50, 391).breakpoints


@pytest.mark.parametrize("knob", CONTINUOUS)
def test_with_a_reranker_there_is_one_list_between_two_breakpoints_and_none_is_missing(knob: str) -> None:
    for seed in range(60):
        made, settings = reranked(seed, 6 + seed % 9)
        check(made, settings, knob, 40, 6, seed)


@pytest.mark.parametrize("method", ["weighted", "rrf"])
def test_the_weight_of_a_reranker_has_breakpoints(method: str) -> None:
    made, settings = reranked(391, 12)
    assert check(made, settings.changed({"fusion": method}), "weight_reranker", 2_000, 50, 391).breakpoints


def test_the_weight_of_a_reranker_that_is_off_or_gave_nothing_moves_nothing_and_says_so() -> None:
    made, settings = reranked(3)
    off = track(made, settings.changed({"reranker": "off"}), "weight_reranker")
    failed = track(generated(3)[0], settings, "weight_reranker")
    assert [(one.works, one.breakpoints) for one in (off, failed)] == [(False, ()), (False, ())]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_that_is_left_out_is_left_out_of_the_track(stage: str) -> None:
    for seed in range(300, 312):
        made, settings = generated(seed, 10)
        for knob in CONTINUOUS:
            check(made, settings, knob, 20, 3, seed, (stage,))


def test_two_lines_cross_where_they_must() -> None:
    made = pool([answer("a", {"a/1": 0.9, "a/2": 0.3}, {"a/1": 0.1, "a/2": 0.5})], [chunk("a/1", "a", "§ 1"), chunk("a/2", "a", "§ 2")])
    found = track(made, Settings.of(weight_lexical=0.5), "weight_vector")
    # share · 0.9 + (1 - share) · 0.1 = share · 0.3 + (1 - share) · 0.5 at share 0.4: weight 0.5 · 0.4 / 0.6
    assert found.breakpoints == (pytest.approx(1 / 3, abs=1e-15),)
    assert found.between == (("a/2", "a/1"), ("a/1", "a/2"))
    (change,) = found.changes
    assert [(one.chunk_id, one.before, one.after) for one in change.moves] == [("a/1", 2, 1), ("a/2", 1, 2)]
    assert found.stable() == (pytest.approx(1 / 3), 1.0)


def test_the_floor_is_met_at_a_ratio_and_at_a_score() -> None:
    hits = {f"a/{n}": 0.8 - n / 100 for n in range(6)}
    chunks = [*(chunk(one, "a", f"§ {one}") for one in hits), chunk("b/1", "b", "§ 1")]
    made = pool([answer("a", hits), answer("b", {"b/1": 0.2})], chunks)
    settings = Settings.of(max_final_results=4, weight_lexical=0.0, weight_vector=1.0)
    found = track(made, settings, "min_ratio")
    assert found.breakpoints == (0.25,)
    assert ("b/1" in found.between[0], "b/1" in (found.at[1] or ()), "b/1" in found.between[1]) == (True, True, False)


def test_a_fetched_norm_passes_a_hit_that_is_in_the_list_only_because_others_of_one_norm_share_a_place() -> None:
    hits = {"a/1": 0.9, "a/2": 0.8, "a/3": 0.7, "a/4": 0.4}
    chunks = [*(chunk(one, "a", "§ 1") for one in ("a/1", "a/2", "a/3")), chunk("a/4", "a", "§ 2"), chunk("a/5", "a", "§ 3")]
    reference = Reference(0, 3, "§ 3", "resolved", Address("a", "", "§ 3"))
    units = {Target("a", "§ 3", ""): Units("found", (ReadyHit("a/5", 1.0, (), 1.0),))}
    made = pool([answer("a", hits)], chunks, references={"a/1": [reference]}, units=units)
    settings = Settings.of(max_final_results=2, min_hits_per_corpus=0, weight_lexical=0.0, weight_vector=1.0)
    found = check(made, settings, "verweis_score", 1_000, 20, 1)
    # The place of § 2 goes at its own rank, 0.4; at 0.9 the fetched norm passes the first one too.
    assert found.breakpoints == (0.4, 0.9)
    assert found.between == (("a/1", "a/4"), ("a/1", "a/5"), ("a/5", "a/1"))


def test_the_rrf_constant_has_real_roots() -> None:
    vector = {f"a/{n}": 1 - n / 100 for n in range(6)}
    lexical = {"a/5": 0.9, "a/4": 0.8, "a/3": 0.7}
    made = pool([answer("a", vector, lexical)], [chunk(one, "a", f"§ {one}") for one in vector])
    settings = Settings.of(fusion="rrf", max_final_results=6)
    found = check(made, settings, "rrf_k", 2_000, 50, 1)
    # a/0 leads the vector route alone, a/4 is fifth there and second by words: 1 / (k + 1) = 1 / (k + 5) + 1 / (k + 2), k² + 2k - 3 = 0
    # has the root 1 only; a/3 is fourth and third: k² + 2k - 5 = 0 at k = √6 - 1.
    assert found.breakpoints == (pytest.approx(6**0.5 - 1, abs=1e-12),)


def test_a_constant_that_the_method_does_not_use_changes_nothing_and_says_so() -> None:
    made, settings = generated(3)
    found = track(made, settings.changed({"fusion": "weighted"}), "rrf_k")
    assert (found.works, found.breakpoints, len(found.between)) == (False, (), 1)


def test_a_weight_of_zero_beside_no_other_is_refused_at_that_point_alone() -> None:
    made, _ = generated(3)
    found = track(made, Settings.of(weight_lexical=0.0), "weight_vector")
    assert (found.at[0], found.breakpoints) == (None, ())
    assert found.list_at(0.0) is None
    assert found.between[0] == found.at[1]


def test_a_hit_that_leads_in_both_routes_and_an_anchor_stay_in_their_order_at_every_weight() -> None:
    chunks = [chunk(one, "a", f"§ {one}") for one in ("a/1", "a/2", "a/3")]
    made = pool([answer("a", {"a/1": 1.0, "a/2": 0.4}, {"a/1": 1.0, "a/3": 0.4})], chunks)
    claim = AnchorClaim(Target("a", "§ a/3")), Units("found", (ReadyHit("a/3", 1.0, (), 1.0),))
    made = msgspec.structs.replace(made, claims=(claim[0],), anchor_units=(claim[1],))
    found = track(made, Settings(), "weight_vector")
    assert {ids[:2] for ids in found.between} == {("a/3", "a/1")}


@pytest.mark.parametrize("seed", range(90))
def test_what_is_hidden_could_not_have_come_in(seed: int) -> None:
    made, settings = generated(seed, 20) if seed < 60 else reranked(seed, 20)
    small = ahead(made, settings, settings.quota.max_final_results, settings.quota.min_hits_per_corpus)
    rng = random.Random(seed)
    for _ in range(20):
        values = {"weight_vector": rng.random(), "weight_lexical": 0.01 + 0.9 * rng.random(), "rrf_k": 1 + 199 * rng.random()}
        moved = settings.changed({**values, "weight_reranker": rng.random(), "verweis_score": rng.random(), "min_ratio": rng.random()})
        assert [one.chunk_id for one in decide(small, moved).final] == [one.chunk_id for one in decide(made, moved).final]
    assert not small.hidden & {one.chunk_id for one in decide(made, settings).final}
    assert len(decide(small, settings).fused.entries) <= len(decide(made, settings).fused.entries)


def test_a_setting_that_is_not_continuous_is_refused_with_those_that_are() -> None:
    made, settings = generated(1)
    with pytest.raises(BadSetting, match="verweis_score"):
        track(made, settings, "fetch_k")


def test_a_track_survives_json() -> None:
    made, settings = generated(11)
    found = track(made, settings, "verweis_score")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Track) == found


def test_the_share_of_the_range_counts_the_stretches_in_which_a_hit_stands() -> None:
    found = Track("min_ratio", 0.2, (0.0, 0.25, 1.0), (("a", "b"), ("a",)), (("a", "b"), ("a", "b"), ("a",)))
    assert (found.share("a"), found.share("b"), found.share("c")) == (1.0, 0.25, 0.0)
    assert (found.stable(), found.list_at(0.25), found.list_at(0.3), found.list_at(7)) == ((0.0, 0.25), ("a", "b"), ("a",), None)


def test_a_value_on_a_breakpoint_is_stable_towards_the_side_that_has_its_list() -> None:
    found = Track("min_ratio", 0.25, (0.0, 0.25, 1.0), (("a", "b"), ("a",)), (("a", "b"), ("a", "b"), ("a",)))
    assert found.stable() == (0.0, 0.25)
    alone = Track("min_ratio", 0.25, (0.0, 0.25, 1.0), (("a", "b"), ("a",)), (("a", "b"), ("b", "a"), ("a",)))
    assert alone.stable() == (0.25, 0.25)

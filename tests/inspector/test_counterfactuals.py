"""Counterfactuals: each way holds, none is nearer, and what is called impossible never happens."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from retrieval.decide import decide
from retrieval.inspector.counterfactuals import counterfactual
from retrieval.knobs import Value
from retrieval.model import AnchorClaim, Chunk, ReadyHit, Reference, Target, Units
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Pool
from tests.builders import answer, chunk, pool
from tests.inspector.generated import generated

RERANKING = [name for name, knob in KNOBS.items() if knob.scope == "decide"]


def place(made: Pool, settings: Settings, norm: Sequence[Chunk]) -> int:
    ids = {one.chunk_id for one in norm}
    return next((number for number, hit in enumerate(decide(made, settings).final, start=1) if hit.chunk_id in ids), 0)


def values_of(name: str, steps: int) -> list[Value]:
    knob = KNOBS[name]
    if knob.kind == "choice":
        return list(knob.choices)
    if knob.kind == "int":
        return list(range(int(knob.low), int(knob.high) + 1))
    return [knob.low + (knob.high - knob.low) * step / steps for step in range(steps + 1)]


def brute_force(made: Pool, settings: Settings, norm: Sequence[Chunk], name: str, steps: int) -> float | None:
    """The smallest move of one setting over a grid that turns the matter, as a share of its range."""
    now = bool(place(made, settings, norm))
    moves: list[float] = []
    for value in values_of(name, steps):
        try:
            turned = bool(place(made, settings.changed({name: value}), norm)) != now
        except Exception:
            continue
        if turned:
            old = settings.value(name)
            same_kind = not isinstance(value, str) and not isinstance(old, str)
            moves.append(abs(float(value) - float(old)) / (KNOBS[name].high - KNOBS[name].low) if same_kind else 1.0)
    return min(moves, default=None)


@pytest.mark.parametrize("seed", range(40))
def test_no_smaller_change_of_one_setting_is_found_by_trying_them_all(seed: int) -> None:
    made, settings = generated(seed, 5 + seed % 6)
    chunks = list(made.chunks.values())
    for norm in ([chunks[seed % len(chunks)]], [chunks[(7 * seed) % len(chunks)]]):
        found = counterfactual(made, settings, norm)
        ways = {next(iter(way.values)): way for way in found.ways}
        for name in RERANKING:
            nearest = brute_force(made, settings, norm, name, 40)
            if nearest is not None:
                assert name in ways, (name, nearest)
                assert ways[name].distance <= nearest + 1e-9
                assert not found.proof


@pytest.mark.parametrize("seed", range(60))
def test_each_way_is_what_a_run_gives(seed: int) -> None:
    made, settings = generated(seed, 9)
    for norm in list(made.chunks.values())[:6]:
        found = counterfactual(made, settings, [norm])
        assert (found.place, found.wanted) == (place(made, settings, [norm]), not place(made, settings, [norm]))
        for way in found.ways:
            assert bool(place(made, settings.changed(way.values), [norm])) is found.wanted
            assert place(made, settings.changed(way.values), [norm]) == way.place
        assert [way.distance for way in found.ways] == sorted(way.distance for way in found.ways)


def long_pool(size: int = 70) -> Pool:
    hits = {f"a/{n}": 0.9 - n / 100 for n in range(size)}
    return pool([answer("a", hits, hits)], [chunk(one, "a", f"§ {one}") for one in hits])


def test_what_stands_behind_fifty_hits_in_both_routes_is_called_out_of_reach_with_them() -> None:
    made = long_pool()
    found = counterfactual(made, Settings(), [made.chunks["a/66"]])
    assert (found.proof, found.ways, len(found.behind)) == ("always_behind", (), 50)
    assert all(brute_force(made, Settings(), [made.chunks["a/66"]], name, 60) is None for name in RERANKING)


def test_the_fiftieth_hit_is_reached_by_a_longer_list_and_by_nothing_else() -> None:
    made = long_pool()
    found = counterfactual(made, Settings(), [made.chunks["a/49"]])
    assert [(way.values, way.place) for way in found.ways] == [({"max_final_results": 50}, 50)]


def test_what_a_reference_brings_is_not_called_out_of_reach() -> None:
    made = long_pool()
    last = made.chunks["a/66"]
    target = Target("a", last.section_id, "")
    made = pool(
        list(made.answers.values()),
        list(made.chunks.values()),
        references={"a/0": [Reference(0, 3, last.section_id, "resolved", last.address)]},
        units={target: Units("found", (ReadyHit("a/66", 1.0, (), 1.0),))},
    )
    settings = Settings.of(verweis_score=0.0)
    found = counterfactual(made, settings, [last])
    assert found.proof == ""
    assert next(list(way.values) for way in found.ways) == ["verweis_score"]


def test_a_threshold_is_exact_and_the_value_to_set_lies_just_beyond_it() -> None:
    hits = {f"a/{n}": 0.8 - n / 100 for n in range(6)}
    chunks = [*(chunk(one, "a", f"§ {one}") for one in hits), chunk("b/1", "b", "§ 1")]
    made = pool([answer("a", hits), answer("b", {"b/1": 0.2})], chunks)
    settings = Settings.of(max_final_results=4, weight_lexical=0.0, weight_vector=1.0, min_ratio=0.4)
    found = counterfactual(made, settings, [made.chunks["b/1"]])
    way = next(way for way in found.ways if "min_ratio" in way.values)
    assert (way.bounds, way.values) == ({"min_ratio": 0.25}, {"min_ratio": 0.25})
    assert way.leaves == ("a/3",)


@pytest.mark.parametrize(
    ("norm", "proof"),
    [
        (chunk("z/1", "z", "§ 1"), "not_in_stock"),
        (chunk("c/1", "c", "§ 1"), "corpus_not_asked"),
        (chunk("a/9", "a", "§ 9"), "never_candidate"),
        (chunk("a/9", "a", "§ 9", repealed=True), "repealed"),
    ],
)
def test_what_no_setting_can_do_is_said_with_its_reason(norm: Chunk, proof: str) -> None:
    made = pool([answer("a", {"a/1": 0.9})], [chunk("a/1", "a", "§ 1")], routed=["a"], available=["a", "c"])
    found = counterfactual(made, Settings(), [norm])
    assert (found.proof, found.ways) == (proof, ())


def anchored(*ids: str) -> Pool:
    hits = {f"a/{n}": 1.0 - n / 100 for n in range(12)}
    claims = [(AnchorClaim(Target("a", f"§ {one}")), Units("found", (ReadyHit(one, 1.0, (), 1.0),))) for one in ids]
    return pool([answer("a", hits, hits)], [chunk(one, "a", f"§ {one}") for one in hits], claims=claims, named=["a"])


def test_what_an_anchor_puts_first_no_setting_takes_out() -> None:
    made = anchored("a/9", "a/8")
    found = counterfactual(made, Settings(), [made.chunks["a/9"]])
    assert (found.wanted, found.place, found.proof, found.ways) == (False, 1, "always_first", ())
    assert all(brute_force(made, Settings(), [made.chunks["a/9"]], name, 60) is None for name in RERANKING)


def test_the_second_anchor_leaves_a_list_of_one_place() -> None:
    made = anchored("a/9", "a/8")
    found = counterfactual(made, Settings(), [made.chunks["a/8"]])
    assert [way.values for way in found.ways] == [{"max_final_results": 1}]


def test_an_anchor_that_is_left_out_proves_nothing() -> None:
    made = anchored("a/0")
    assert counterfactual(made, Settings(), [made.chunks["a/0"]], without=("anchors",)).proof == ""


def test_a_corpus_beyond_the_cap_is_brought_in_by_asking_one_more() -> None:
    made = pool([answer("a", {"a/1": 0.9})], [chunk("a/1", "a", "§ 1"), chunk("b/1", "b", "§ 1")], routed=["a", "b"], available=["a", "b"])
    wide = pool(
        [answer("a", {"a/1": 0.9}), answer("b", {"b/1": 0.8})],
        [chunk("a/1", "a", "§ 1"), chunk("b/1", "b", "§ 1")],
        routed=["a", "b"],
        available=["a", "b"],
    )
    settings = Settings.of(max_corpora_per_query=1)
    asked: list[Settings] = []

    def regather(wanted: Settings) -> Pool:
        asked.append(wanted)
        return wide

    found = counterfactual(made, settings, [wide.chunks["b/1"]], regather)
    assert next((way.values, way.regathers, way.place) for way in found.ways) == ({"max_corpora_per_query": 2}, True, 2)
    assert asked


def test_the_number_of_candidates_that_brings_a_norm_in_is_its_rank_and_is_asked_for_once() -> None:
    hits = {f"a/{n}": 0.9 - n / 100 for n in range(8)}
    words = {"a/7": 0.9}
    chunks = [chunk(one, "a", f"§ {one}") for one in hits]
    deep = pool([answer("a", hits, words)], chunks)
    shallow = pool([answer("a", {one: score for one, score in hits.items() if score > 0.87}, {})], chunks)
    asked: list[int] = []

    def regather(wanted: Settings) -> Pool:
        depth = wanted.gathering.fetch_k
        asked.append(depth)
        routes = tuple(replace(route, hits=route.hits[:depth]) for route in deep.answers["a"].routes)
        return replace(deep, fetch_k=depth, answers={"a": replace(deep.answers["a"], routes=routes)})

    settings = Settings.of(fetch_k=3, max_final_results=4)
    found = counterfactual(shallow, settings, [deep.chunks["a/7"]], regather)
    way = next(way for way in found.ways if "fetch_k" in way.values)
    # By words it is the first; by meaning the eighth, which is further from the three that are fetched now.
    assert (way.values, way.regathers, way.place) == ({"fetch_k": 1}, True, 2)
    assert asked == [500, 3, 1]  # once as deep as can be, once with fewer corpora, once to check what was found


def test_two_settings_together_do_what_none_does_alone() -> None:
    first = {f"a/{n}": 0.9 - n / 50 for n in range(8)}
    chunks = [*(chunk(one, "a", f"§ {one}") for one in first), *(chunk(f"b/{n}", "b", f"§ {n}") for n in range(8))]
    made = pool([answer("a", first), answer("b", {f"b/{n}": 0.3 - n / 50 for n in range(8)})], chunks)
    settings = Settings.of(min_hits_per_corpus=0, min_ratio=0.9, max_final_results=3, weight_lexical=0.0, weight_vector=1.0)
    norm = [made.chunks["b/0"]]
    alone = counterfactual(made, settings, norm)
    assert [list(way.values) for way in alone.ways] == [["max_final_results"]]
    found = counterfactual(made, settings.changed({"max_final_results": 2}), norm, pairs=True)
    assert found.ways

"""Lists against each other: overlap, RBO against its definition, settings that differ, a set of questions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decide import decide
from retrieval.inspector.comparison import (
    Comparison,
    Difference,
    compare,
    differences,
    hits_of,
    jaccard,
    most_changed,
    norms_of,
    over_questions,
    overlap,
    question_change,
    rbo,
    summary,
    weight_of_first,
)
from retrieval.inspector.tracks import Moved
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool
from tests.strategies import pools, settings

lists = st.lists(st.sampled_from("abcdefghijklmn"), max_size=12, unique=True)
persistence = st.sampled_from([0.5, 0.8, 0.9, 0.97])


def by_definition(a: Sequence[str], b: Sequence[str], p: float, deep: int = 800) -> float:
    """RBO as the sum of the agreements at all depths, each place behind an end assumed as the paper does; cut far behind."""
    short, long = sorted((a, b), key=len)
    s, size = len(short), len(long)
    seen_at_s = len(set(short) & set(long[:s]))
    total = 0.0
    for depth in range(1, deep + 1):
        reached = min(depth, size)
        shared = len(set(short[:reached]) & set(long[:reached])) + seen_at_s * max(0, reached - s) / s
        total += (1 - p) * p ** (depth - 1) * shared / reached
    return total


# --- RBO ------------------------------------------------------------------------------------------------------------------


def test_rbo_of_the_example_in_the_paper_sums_its_agreements() -> None:
    # The agreements at the seven depths of ⟨a b c d e f g⟩ and ⟨z c a v w x y⟩ are 0, 0, 2/3, 2/4, 2/5, 2/6, 2/7.
    p = 0.9
    agreements = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    expected = (1 - p) / p * sum(agreement * p**depth for depth, agreement in enumerate(agreements, start=1)) + 2 / 7 * p**7
    assert rbo("abcdefg", "zcavwxy", p) == pytest.approx(expected)


def test_one_hit_that_falls_to_the_fourth_place_costs_what_the_definition_says() -> None:
    # Agreements 0, 1/2, 2/3, 1, 1.
    assert rbo("abcde", "bcdae", 0.9) == pytest.approx(0.1 * (0.9 / 2 + 0.81 * 2 / 3 + 0.729 + 0.6561) + 0.9**5)
    assert rbo("abcde", "bcdae", 0.9) == pytest.approx(0.828, abs=0.0005)


def test_the_weight_of_the_front_places_is_what_they_add_to_all_depths_from_theirs_on() -> None:
    # A place counts at its own depth and at each one behind it, shared among all places up to there.
    def place(number: int, p: float) -> float:
        return sum((1 - p) * p ** (depth - 1) / depth for depth in range(number, 3000))

    for p, places in ((0.9, 10), (0.9, 1), (0.5, 2), (0.98, 50)):
        assert weight_of_first(places, p) == pytest.approx(sum(place(number, p) for number in range(1, places + 1)))
    assert round(weight_of_first(10, 0.9), 2) == 0.86


@given(lists.filter(bool), lists.filter(bool), persistence)
def test_rbo_is_the_sum_of_the_agreements_at_all_depths(a: list[str], b: list[str], p: float) -> None:
    assert rbo(a, b, p) == pytest.approx(by_definition(a, b, p), abs=1e-6)


@given(lists, lists, persistence)
def test_rbo_is_symmetric_and_lies_between_0_and_1(a: list[str], b: list[str], p: float) -> None:
    assert rbo(a, b, p) == rbo(b, a, p)
    assert 0 <= rbo(a, b, p) <= 1


@given(lists, persistence)
def test_rbo_of_equal_lists_is_1_and_of_a_list_with_its_beginning_too(a: list[str], p: float) -> None:
    assert rbo(a, a, p) == 1
    assert all(rbo(a, a[:end], p) == 1 for end in range(1, len(a) + 1))


@given(lists.filter(bool), lists, persistence)
def test_rbo_of_lists_that_share_nothing_is_0(a: list[str], b: list[str], p: float) -> None:
    assert rbo(a, [one.upper() for one in b], p) == 0


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True), persistence)
def test_an_exchange_further_behind_changes_rbo_less(a: list[str], p: float) -> None:
    exchanged = [[*a[:place], a[place + 1], a[place], *a[place + 2 :]] for place in range(len(a) - 1)]
    found = [rbo(a, other, p) for other in exchanged]
    assert found == sorted(found)
    assert found[0] < 1


@pytest.mark.parametrize("p", [0, 1, -0.5, float("nan")])
def test_a_persistence_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        rbo("ab", "ba", p)


def test_empty_lists_are_equal_and_an_empty_one_shares_nothing() -> None:
    assert (rbo("", ""), jaccard("", "")) == (1, 1)
    assert (rbo("", "a"), jaccard("", "a")) == (0, 0)


# --- overlap --------------------------------------------------------------------------------------------------------------


def test_two_lists_say_what_is_common_moved_and_only_in_one() -> None:
    found = overlap("abcd", "acxb")
    assert (found.common, found.only_a, found.only_b) == (("a", "b", "c"), ("d",), ("x",))
    assert found.moved == (Moved("b", 2, 4), Moved("c", 3, 2))
    assert found.jaccard == 3 / 5
    assert not found.equal


def test_three_lists_say_what_stands_in_all_and_what_in_one_alone() -> None:
    found = compare(["abc", "acd", "axc"])
    assert (found.common, found.moved) == (("a", "c"), ("c",))
    assert found.only == (("b",), ("d",), ("x",))
    assert [(pair.a, pair.b) for pair in found.pairs] == [(0, 1), (0, 2), (1, 2)]


def test_no_list_and_one_list_have_no_pairs() -> None:
    assert compare([]) == Comparison((), (), (), (), ())
    assert compare(["ab"]) == Comparison((("a", "b"),), ("a", "b"), (("a", "b"),), (), ())


def test_the_same_hit_twice_in_a_list_counts_at_its_first_place() -> None:
    assert compare(["aab", "ab"]).pairs[0].overlap.equal


@given(st.lists(lists, min_size=1, max_size=4))
def test_every_pair_accounts_for_all_of_both_lists(many: list[list[str]]) -> None:
    found = compare(many)
    for pair in found.pairs:
        one = pair.overlap
        assert {*one.common, *one.only_a} == set(many[pair.a])
        assert {*one.common, *one.only_b} == set(many[pair.b])
        assert one.equal == (many[pair.a] == many[pair.b])
    assert set(found.common) == set.intersection(*map(set, many))


@given(st.lists(lists, min_size=1, max_size=4))
def test_a_comparison_survives_json(many: list[list[str]]) -> None:
    found = compare(many)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


# --- settings ---------------------------------------------------------------------------------------------------------------


def test_only_settings_that_differ_are_named_with_all_values() -> None:
    found = differences([Settings(), Settings.of(min_ratio=0.5), Settings.of(min_ratio=0.5)])
    assert found == (Difference("min_ratio", (0.25, 0.5, 0.5)),)


def test_the_stages_left_out_stand_behind_the_settings() -> None:
    assert differences([Settings()] * 2, [(), ("anchors", "quota")]) == (Difference("without", ("", "anchors,quota")),)
    assert differences([Settings()] * 2, [("quota",), ("quota",)]) == ()


def test_a_difference_without_effect_says_why() -> None:
    assert differences([Settings(), Settings.of(rrf_k=70)])[0].idle == "method"
    assert [one.idle for one in differences([Settings.of(fusion="rrf"), Settings.of(rrf_k=70)])] == ["", ""]
    same = differences([Settings(), Settings.of(weight_vector=1, weight_lexical=1)])
    assert [(one.name, one.idle) for one in same] == [("weight_vector", "shares"), ("weight_lexical", "shares")]
    assert differences([Settings(), Settings.of(weight_vector=1)])[0].idle == ""
    assert differences([Settings(), Settings.of(weight_reranker=1)])[0].idle == "reranker"
    on = [Settings.of(reranker="on", weight_reranker=weight) for weight in (0.5, 1)]
    assert [one.idle for one in differences(on)] == [""]
    assert [one.idle for one in differences([Settings(), Settings.of(reranker="on")])] == [""]


@given(pools(), settings(), st.integers(1, 20), st.integers(0, 20), st.integers(1, 200))
def test_differences_without_effect_give_the_same_list(found: Pool, used: Settings, vector: int, lexical: int, k: int) -> None:
    weights = {"weight_vector": vector / 20, "weight_lexical": lexical / 20, "weight_reranker": used.fusion.weight_reranker}
    a = used.changed({"fusion": "weighted", **weights})
    b = a.changed({"rrf_k": k, **{name: value / 2 for name, value in weights.items()}})
    assert all(one.idle for one in differences([a, b]))
    assert hits_of(decide(found, a)) == hits_of(decide(found, b))


# --- a set of questions -------------------------------------------------------------------------------------------------------


def _pool(question: str) -> Pool:
    chunks = [chunk("a", section="§ 1"), chunk("b", section="§ 2"), chunk("c", section="§ 2", subsection="2"), chunk("d", section="§ 3")]
    scores = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    words = {"still": scores, "turned": {"b": 0.8, "a": 0.5}, "other": {"d": 0.9, "c": 0.8}}[question]
    return msgspec.structs.replace(pool([answer("gesetz", scores, words)], chunks), question=question)


def _traces(values: dict[str, float]) -> list[Trace]:
    used = Settings.of(max_final_results=2, **values)
    return [decide(_pool(question), used) for question in ("still", "turned", "other")]


def test_the_question_with_the_most_other_hits_comes_first_then_the_changed_order() -> None:
    rows = over_questions(_traces({"weight_lexical": 0}), _traces({"weight_vector": 0}))
    assert [row.question for row in rows] == ["other", "turned", "still"]
    assert [len(row.hits.common) for row in rows] == [0, 2, 2]
    assert summary(rows) == summary(tuple(reversed(rows)))
    found = summary(rows)
    assert (found.questions, found.changed, found.reordered, found.equal) == (3, 1, 1, 1)
    assert found.jaccard == pytest.approx((0 + 1 + 1) / 3)


def test_two_subsections_of_one_norm_are_two_hits_and_one_norm() -> None:
    trace = decide(_pool("still"), Settings())
    assert hits_of(trace) == ("a", "b", "c", "d")
    assert [norm.split("\x1f")[-1] for norm in norms_of(trace)] == ["§ 1", "§ 2", "§ 3"]


def test_equal_rows_stay_in_the_order_in_which_they_came() -> None:
    traces = _traces({})
    rows = [question_change(trace, trace) for trace in traces]
    assert [row.question for row in most_changed(rows)] == ["still", "turned", "other"]


def test_runs_of_two_questions_are_no_comparison() -> None:
    still, turned = islice(_traces({}), 2)
    with pytest.raises(ValueError, match="two questions"):
        question_change(still, turned)


def test_no_question_has_no_means() -> None:
    found = summary([])
    assert (found.questions, found.jaccard, found.rbo) == (0, None, None)

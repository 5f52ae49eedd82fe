"""Metrics: worked values, and equality with ir_measures and ranx."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ir_measures
import pytest
from ir_measures import AP, RR, Judged, P, R, Success, nDCG

from retrieval.evaluation.judging import JudgedList, judge
from retrieval.evaluation.metrics import METRICS
from retrieval.words import LANGUAGES
from tests.evaluation.lists import Case, chunk, chunks, gold, need, norm, question, simple

CASES = [Case(seed) for seed in range(200)]
BY_LIBRARY = {"recall": R, "success": Success, "precision": P, "mrr": RR, "ndcg": nDCG, "map": AP}
CUTS = (1, 3, 5, 10, 100)


def value(name: str, one: JudgedList, k: int = 10) -> float | None:
    (found,) = METRICS[name].values([one], k)
    return found


def judged_value(name: str, one: JudgedList, k: int = 10) -> float | None:
    (found,) = METRICS[name].judged_values([one], k)
    return found


def test_unjudged_hits_count_and_stand_beside_the_judged_ones_alone() -> None:
    found = judge(simple("g1 g2"), chunks("x g1 y g2"))
    assert value("precision", found, 4) == 0.5
    assert value("recall", found, 4) == 1
    assert value("ndcg", found, 4) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert value("ndcg", found, 4) == pytest.approx(0.651, abs=5e-4)
    assert value("judged", found, 4) == 2 / 4
    assert found.unjudged == 2
    assert [judged_value(name, found, 4) for name in ("precision", "recall", "ndcg")] == [1, 1, 1]


def test_a_short_list_is_measured_against_all_that_is_known() -> None:
    found = judge(simple("g1 g2 g3"), chunks("g1"))
    assert value("recall", found) == pytest.approx(1 / 3)
    assert value("ndcg", found) == pytest.approx(1 / (1 + 1 / math.log2(3) + 1 / math.log2(4)))
    assert value("ndcg", found) == pytest.approx(0.469, abs=5e-4)
    assert value("precision", found) == pytest.approx(0.10)
    assert value("map", found) == pytest.approx(1 / 3)


def test_a_norm_in_several_chunks_counts_once_for_recall_and_every_time_for_precision() -> None:
    found = judge(simple("a b"), [chunk("a", "1"), chunk("a", "2"), chunk("b")])
    assert value("recall", found) == 1
    assert value("precision", found, 3) == 1
    assert value("ndcg", found) == pytest.approx((1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)))
    assert value("map", found) == pytest.approx((1 + 2 / 3) / 2)
    assert value("mrr", found) == 1


def test_one_alternative_is_all_that_a_need_asks_for() -> None:
    found = judge(question(need(gold("a", 1), gold("b", 3)), need(gold("c", 3)), chain=True), chunks("a c"))
    assert [value(name, found) for name in ("recall", "ndcg", "map", "chain_coverage", "chain_complete")] == [1, 1, 1, 1, 1]


def test_a_list_that_fulfils_two_needs_at_one_place_has_full_recall() -> None:
    found = judge(question(need(gold("a")), need(gold("a", subsection="1"))), [chunk("a", "1")])
    assert value("recall", found) == 1
    assert value("recall", found, 1) == 1


def test_chain_coverage_is_the_share_of_links_in_the_whole_list_and_asks_chains_only() -> None:
    chain = judge(simple("a b c d", chain=True), chunks("x a y c b"))
    assert value("chain_coverage", chain, 1) == 3 / 4
    assert value("chain_complete", chain) == 0
    assert value("chain_complete", judge(simple("a b", chain=True), chunks("b a"))) == 1
    assert value("chain_coverage", judge(simple("a b"), chunks("a"))) is None
    assert value("chain_complete", judge(question(chain=True), chunks("a"))) is None


def test_the_share_of_demanded_norms_asks_questions_with_an_anchor_only() -> None:
    found = judge(simple("a"), chunks("b"), demanded=[norm("b"), norm("c")])
    assert value("demanded", found) == 1 / 2
    assert value("demanded", judge(simple("a"), chunks("b"))) is None


def test_a_question_without_gold_enters_no_metric() -> None:
    found = judge(question(), chunks("a b"))
    assert {name: value(name, found) for name in METRICS} == dict.fromkeys(METRICS)
    assert {name: judged_value(name, found) for name in METRICS} == dict.fromkeys(METRICS)


def test_an_empty_list_is_worth_nothing_and_has_no_places_to_judge() -> None:
    found = judge(simple("a", chain=True), ())
    zero = ("recall", "success", "precision", "mrr", "ndcg", "map", "chain_coverage", "chain_complete")
    assert [value(name, found) for name in zero] == [0] * len(zero)
    assert value("judged", found) is None
    assert judged_value("precision", found) is None


def test_lists_keep_their_values_beside_others() -> None:
    lists = [case.judged for case in CASES[:20]] + [judge(question(), chunks("a")), judge(simple("a"), ())]
    for metric in METRICS.values():
        assert metric.values(lists, 5) == [metric.values([one], 5)[0] for one in lists]


def by_library(measure: object, scores: Sequence[dict[str, float]]) -> list[float]:
    known = {case.question.id: case.known for case in CASES}
    run = {case.question.id: listed for case, listed in zip(CASES, scores, strict=True)}
    found = {one.query_id: one.value for one in ir_measures.iter_calc([measure], known, run)}
    return [found[case.question.id] for case in CASES]


@pytest.mark.parametrize("k", CUTS)
@pytest.mark.parametrize("name", BY_LIBRARY)
def test_the_metrics_equal_those_of_ir_measures(name: str, k: int) -> None:
    # Its reciprocal rank knows no cut of its own kind, so it is given the first k places.
    measure = RR if name == "mrr" else BY_LIBRARY[name] @ k
    scores = [dict(list(case.falling.items())[:k]) if name == "mrr" else case.falling for case in CASES]
    assert METRICS[name].values([case.judged for case in CASES], k) == pytest.approx(by_library(measure, scores))


@pytest.mark.parametrize("k", CUTS)
def test_the_share_of_judged_places_equals_that_of_ir_measures(k: int) -> None:
    expected = by_library(Judged @ k, [case.falling for case in CASES])
    assert METRICS["judged"].values([case.judged for case in CASES], k) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["recall", "success", "ndcg", "map"])
def test_judged_only_equals_that_of_ir_measures(name: str) -> None:
    if name == "recall":
        measure, scores = R @ 100, [dict(list(_condensed(case).items())[:5]) for case in CASES]
    else:
        measure, scores = BY_LIBRARY[name](judged_only=True) @ 5, [case.falling for case in CASES]
    assert METRICS[name].judged_values([case.judged for case in CASES], 5) == pytest.approx(by_library(measure, scores))


def _condensed(case: Case) -> dict[str, float]:
    return {section: score for section, score in case.falling.items() if section in case.known}


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")
def test_the_metrics_equal_those_of_ranx() -> None:
    from ranx import Qrels, Run, evaluate

    names = {"recall": "recall", "success": "hit_rate", "precision": "precision", "mrr": "mrr", "ndcg": "ndcg", "map": "map"}
    known = Qrels({case.question.id: case.grades for case in CASES})
    run = Run({case.question.id: case.falling for case in CASES})
    for k in (3, 10):
        evaluate(known, run, [f"{theirs}@{k}" for theirs in names.values()])
        for ours, theirs in names.items():
            expected = [run.scores[f"{theirs}@{k}"][case.question.id] for case in CASES]
            assert METRICS[ours].values([case.judged for case in CASES], k) == pytest.approx(expected), (ours, k)


def test_scores_with_ties_would_let_an_evaluator_choose_another_order() -> None:
    ours = METRICS["ndcg"].values([case.judged for case in CASES], 5)
    tied = by_library(nDCG @ 5, [case.tied for case in CASES])
    assert sum(not math.isclose(one, other) for one, other in zip(ours, tied, strict=True) if one is not None) > 20


def test_every_metric_says_in_both_languages_what_it_is_and_stays_in_its_range() -> None:
    lists = [case.judged for case in CASES]
    for name, metric in METRICS.items():
        assert metric.name == name
        for language in LANGUAGES:
            sentence = getattr(metric, language).format(k=7)
            assert sentence.endswith(".")
            assert getattr(metric, f"label_{language}")
        values = [one for one in metric.values(lists, 5) if one is not None]
        assert all(metric.low <= one <= metric.high for one in values)
        if metric.kind == "share":
            assert set(values) <= {0, 1}

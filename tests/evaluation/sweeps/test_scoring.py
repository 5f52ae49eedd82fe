"""Scoring: a list is worth what an evaluation says, however many are asked at once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.evaluation.assertions import assertions
from retrieval.evaluation.evaluate import Sampling, evaluate
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.judging import judge
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Gold
from retrieval.evaluation.sets import load
from retrieval.evaluation.sweeps import scoring
from retrieval.evaluation.sweeps.model import COST, Goal
from retrieval.evaluation.sweeps.scoring import Scorer, asks, cost, estimate_of, goals, measure_of
from retrieval.federated import FederatedRetriever
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.evaluation.lists import chunks, gold, need, question, simple
from tests.evaluation.sweeps.made import Made, random_set

SAMPLES = Path(__file__).parents[3] / "sample_corpora"
COMPARED = [name for name in goals() if name != COST]
QUICK = Sampling(resamples=50)


def final(trace: Trace) -> tuple[str, ...]:
    return tuple(entry.chunk_id for entry in trace.final)


def test_a_sweep_can_aim_at_every_compared_metric_and_at_the_cost() -> None:
    assert goals() == (*(name for name, metric in METRICS.items() if metric.compared), "cost")
    assert "judged" not in goals()


@pytest.mark.parametrize("values", [{}, {"verweis_score": 0.97, "max_final_results": 4}, {"fusion": "rrf", "min_hits_per_corpus": 0}])
def test_the_values_of_the_sample_questions_are_those_of_an_evaluation(federation: FederatedRetriever, values: dict[str, object]) -> None:
    settings = Settings.of(values)
    checked = Golds(federation.registry.federation).check(load(SAMPLES / "questions.toml").questions)
    traces = {one.id: decide(federation.gather(one.text, settings), settings) for one in checked.settled.questions}
    report = evaluate(checked, traces, sampling=QUICK)
    demanded = {one.id: [cell.norm for cell in assertions(one, traces[one.id])] for one in checked.settled.questions}
    assert any(demanded.values())
    for goal in COMPARED:
        scorer = Scorer(checked, Goal(goal), {name: one.chunks for name, one in traces.items()}, report.k, demanded=demanded)
        found = scorer.values((name, final(one)) for name, one in traces.items())
        assert found == [row.values[goal] for row in report.rows]


def judgements_for(made: Made, seed: int) -> dict[str, list[Gold]]:
    drawn = random.Random(seed)
    stock = {name: list(one.chunks.values()) for name, one in made.pools.items()}
    return {
        name: [Gold(one.address, drawn.choice((0, 0, 2))) for one in drawn.sample(found, len(found) // 2)] for name, found in stock.items()
    }


@pytest.mark.parametrize("seed", range(6))
def test_the_values_of_generated_questions_are_those_of_an_evaluation(seed: int) -> None:
    made, _ = random_set(seed, questions=8)
    judgements = judgements_for(made, seed)
    for length in (1, 3, 10):
        settings = Settings.of(max_final_results=length)
        traces = {name: decide(one, settings) for name, one in made.pools.items()}
        report = evaluate(made.checked, traces, k=4, judgements=judgements, sampling=QUICK)
        demanded = {one.id: [cell.norm for cell in assertions(one, traces[one.id])] for one in made.checked.settled.questions}
        stock = {name: one.chunks for name, one in made.pools.items()}
        for goal in COMPARED:
            scorer = Scorer(made.checked, Goal(goal), stock, 4, judgements, demanded)
            assert [scorer.value(name, final(one)) for name, one in traces.items()] == [row.values[goal] for row in report.rows]


def test_lists_that_hold_the_same_norms_at_the_same_places_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, _ = random_set(5, questions=1)
    golds = {gold.address for need in made.checked.settled.questions[0].needs for gold in need.any_of}
    stock = made.pools["f0"].chunks
    others = [name for name, one in stock.items() if one.address not in golds]
    held = next(name for name, one in stock.items() if one.address in golds)
    lists = [(one, held) for one in others]
    assert len(lists) > 5
    judged: list[object] = []
    monkeypatch.setattr(scoring, "judge", lambda *given: judged.append(given) or judge(*given))
    scorer = Scorer(made.checked, Goal("mrr"), {"f0": stock}, 10)
    assert scorer.values(("f0", one) for one in lists) == [0.5] * len(lists)
    assert scorer.value("f0", lists[0]) == 0.5
    assert len(judged) == 1
    assert scorer.value("f0", lists[0][::-1]) == 1.0
    assert len(judged) == 2


# --- the cost -----------------------------------------------------------------------------------------------------------------


def test_the_cost_is_that_of_missing_norms_and_superfluous_places() -> None:
    # one of two needs is missing (5), three places are superfluous (3): 8 of at most 2 · 5 + 10
    assert cost([judge(simple("a b"), chunks("x a y z"))], 10, 5.0) == [1 - 8 / 20]
    assert cost([judge(simple("a b"), chunks("x a y z"))], 10, 0.5) == [1 - 3.5 / 11]


def test_the_cost_of_all_norms_and_nothing_else_is_nothing_and_the_highest_is_everything() -> None:
    best, worst = judge(simple("a b"), chunks("a b")), judge(simple("a b"), chunks("x y z"))
    assert cost([best, worst], 3, 7.0) == [1.0, 0.0]


def test_an_empty_list_costs_its_missing_norms() -> None:
    assert cost([judge(simple("a b"), [])], 10, 5.0) == [1 - 10 / 20]


def test_an_alternative_and_a_norm_that_is_judged_to_help_are_not_superfluous() -> None:
    either = question(need(gold("a"), gold("b")))
    assert cost([judge(either, chunks("a b"))], 10, 5.0) == [1.0]
    assert cost([judge(either, chunks("a h n"), [gold("h", 2), gold("n", 0)])], 9, 1.0) == [1 - 1 / 10]


def test_a_question_without_needs_has_no_cost() -> None:
    assert cost([judge(question(), chunks("x"))], 10, 5.0) == [None]
    assert not asks(Goal(COST), question())


@pytest.mark.parametrize("hits", [0.0, -1.0, float("nan"), float("inf")])
def test_a_cost_that_is_none_is_refused(hits: float) -> None:
    with pytest.raises(BadInput, match="expected a number above 0"):
        measure_of(Goal(COST, hits))


@pytest.mark.parametrize("metric", ["judged", "Recall", ""])
def test_a_goal_that_there_is_not_is_refused(metric: str) -> None:
    with pytest.raises(BadInput, match="expected one of recall, success"):
        measure_of(Goal(metric))


# --- who enters ---------------------------------------------------------------------------------------------------------------


def test_a_question_enters_by_what_the_goal_asks_and_not_by_its_list() -> None:
    chain, plain = simple("a b", chain=True), simple("a b")
    assert (asks(Goal("chain_coverage"), chain), asks(Goal("chain_coverage"), plain)) == (True, False)
    assert (asks(Goal("recall"), plain), asks(Goal("recall"), question())) == (True, False)
    assert (asks(Goal("demanded"), plain), asks(Goal("demanded"), plain, [gold("c").address])) == (False, True)


def test_shares_of_questions_get_the_interval_of_shares_and_other_means_theirs() -> None:
    assert estimate_of(Goal("success"), [1.0, 0.0] * 6).method == "wilson"
    assert estimate_of(Goal("ndcg"), [1.0, 0.0] * 6).method == "bootstrap"
    assert estimate_of(Goal(COST), [1.0, 0.0] * 6).method == "bootstrap"

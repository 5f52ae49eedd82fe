"""The oracle gap: which stage loses the norms, and that the losses lead from 1 exactly to the real figure."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decide import decide
from retrieval.evaluation.evaluate import Sampling, evaluate
from retrieval.evaluation.golds import CheckedQuestion, Found, Golds, GoldState
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.oracle import (
    METRICS_OF_LISTS,
    STAGES,
    Oracle,
    QuestionOracle,
    covering,
    earning,
    oracle,
    summed,
)
from retrieval.evaluation.sets import load
from retrieval.federated import FederatedRetriever
from retrieval.model import Address, ReadyHit, Reference, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool
from tests.evaluation.lists import gold, need, question, simple
from tests.strategies import pools
from tests.strategies import settings as any_settings

SAMPLES = Path(__file__).parents[2] / "sample_corpora"
ONE_LIST = Settings.of(max_final_results=3)


def checked(one: Question, **states: GoldState) -> CheckedQuestion:
    """The question with the state of each norm by its section, in stock where none is named."""
    needs = tuple(tuple(Found(each, states.get(each.address.section_id, "in_stock")) for each in need.any_of) for need in one.needs)
    return CheckedQuestion(one, needs)


def gathered(listed: str, *more: str) -> Pool:
    """The pool of one corpus that finds these sections, best first; ``more`` are further ones in its stock."""
    sections = listed.split()
    stock = [chunk(f"gesetz/{name}", "gesetz", name) for name in (*sections, *more)]
    scores = {f"gesetz/{name}": 0.9 - place / 100 for place, name in enumerate(sections)}
    return pool([answer("gesetz", scores)], stock)


def run_of(listed: str, settings: Settings = ONE_LIST) -> Trace:
    return decide(gathered(listed), settings)


def losses(found: QuestionOracle, metric: str) -> dict[str, float]:
    """The stages that cost something or give something back."""
    return {stage: loss for stage, loss in zip(STAGES, found.losses(metric), strict=True) if abs(loss) > 1e-12}


def stages(found: QuestionOracle) -> list[tuple[str, str]]:
    return [(lost.any_of[0].section_id, lost.stage) for lost in found.lost]


def test_a_norm_that_is_not_in_stock_is_a_loss_of_its_own() -> None:
    found = oracle(checked(simple("a z", chain=True), z="not_in_stock"), run_of("a x y"))
    assert losses(found, "recall") == {"stock": 0.5}
    assert losses(found, "chain_coverage") == {"stock": 0.5}
    assert stages(found) == [("z", "stock")]


def test_a_norm_of_a_corpus_that_was_not_asked_is_lost_there() -> None:
    asked = question(need(gold("a")), need(gold("b", corpus="vertrag")), id="eins")
    found = oracle(checked(asked), run_of("a x y"))
    assert losses(found, "recall") == {"asked": 0.5}
    assert stages(found) == [("b", "asked")]


def test_an_alternative_in_a_corpus_that_was_asked_is_enough() -> None:
    asked = question(need(gold("b", corpus="vertrag"), gold("a")), id="eins")
    assert losses(oracle(checked(asked), run_of("a x y")), "recall") == {}


def test_a_norm_that_nothing_finds_is_lost_before_the_candidates() -> None:
    found = oracle(checked(simple("a b")), run_of("a x y"))
    assert losses(found, "recall") == {"candidates": 0.5}
    assert stages(found) == [("b", "candidates")]


def test_a_norm_behind_the_list_is_lost_by_the_quota() -> None:
    found = oracle(checked(simple("a b")), run_of("a x y b"))
    assert losses(found, "recall") == {"quota": 0.5}
    assert stages(found) == [("b", "quota")]


def test_a_norm_too_far_down_costs_the_order_only() -> None:
    found = oracle(checked(simple("a")), run_of("x y a"))
    assert losses(found, "recall") == {}
    assert losses(found, "ndcg") == {"order": pytest.approx(1 - 1 / 2)}
    (lost,) = found.lost
    assert (lost.stage, lost.place, lost.best) == ("order", 3, 1)


def test_more_needs_than_places_are_lost_to_the_length_of_the_list() -> None:
    found = oracle(checked(simple("a b c d", chain=True)), run_of("a b c d"))
    assert losses(found, "recall") == {"length": 0.25}
    assert losses(found, "chain_coverage") == {"length": 0.25}
    assert losses(found, "ndcg") == {}


def test_a_reference_gives_back_what_the_search_did_not_find() -> None:
    cited = Address("gesetz", "", "b", "")
    base = gathered("a x", "b")
    reference = Reference(0, 1, "b", "resolved", cited)
    units = {Target("gesetz", "b", ""): Units("found", (ReadyHit("gesetz/b", 1.0),))}
    run = decide(
        pool(list(base.answers.values()), list(base.chunks.values()), references={"gesetz/a": [reference]}, units=units),
        ONE_LIST,
    )
    found = oracle(checked(simple("a b")), run)
    assert losses(found, "recall") == {"candidates": 0.5, "references": -0.5}
    assert [(lost.stage, lost.regained) for lost in found.lost] == [("references", True)]


def test_a_question_without_gold_enters_nothing() -> None:
    found = summed([oracle(checked(question(id="leer")), run_of("a")), oracle(checked(simple("a")), run_of("a"))])
    assert found.questions[0].best == dict.fromkeys(METRICS_OF_LISTS)
    assert [(one.metric, one.n) for one in found.metrics] == [("recall", 1), ("chain_coverage", 0), ("ndcg", 1)]
    assert found.metric("chain_coverage").losses == ()


def test_an_oracle_survives_json() -> None:
    found = summed([oracle(checked(simple("a b z", chain=True), z="ambiguous"), run_of("x b a"))])
    assert msgspec.json.decode(msgspec.json.encode(found), type=Oracle) == found


@given(pools(), any_settings(), st.data())
def test_the_losses_lead_from_one_to_what_the_report_says(made: Pool, settings: Settings, data: st.DataObject) -> None:
    run = decide(made, settings)
    chunks = sorted(made.chunks)
    golds = data.draw(st.lists(st.tuples(st.sampled_from(chunks), st.integers(1, 3)), min_size=1, max_size=5)) if chunks else []
    needs = [Need((Gold(msgspec.structs.replace(made.chunks[one].address, subsection=""), grade),)) for one, grade in golds]
    asked = Question("eins", "Frage", (*needs, Need((Gold(Address("gesetz", "", "nirgends", "")),))), chain=True)
    states: dict[str, GoldState] = {"nirgends": "not_in_stock"}
    found = summed([oracle(checked(asked, **states), run)])
    report = evaluate(QuestionSet("Satz", (asked,)), {"eins": run}, sampling=Sampling(resamples=10))
    for one in found.metrics:
        assert 1 - math.fsum(one.losses) == pytest.approx(report.figure(one.metric).estimate.value, abs=1e-12)
        by_stage = dict(zip(STAGES, one.losses, strict=True))
        assert all(loss >= -1e-12 for stage, loss in by_stage.items() if stage != "references")
        assert by_stage["references"] <= 1e-12


def test_on_the_samples_the_losses_add_up_to_every_figure(federation: FederatedRetriever) -> None:
    asked = Golds(federation.registry.federation).check(load(SAMPLES / "questions.toml").questions)
    runs = {one.id: decide(federation.gather(one.text, Settings()), Settings()) for one in asked.settled.questions}
    report = evaluate(asked, runs, sampling=Sampling(resamples=10))
    found = summed(oracle(one, runs[one.question.id]) for one in asked.questions)
    for one in found.metrics:
        figure = report.figure(one.metric)
        assert (one.n, 1 - math.fsum(one.losses)) == (figure.estimate.n, pytest.approx(figure.estimate.value, abs=1e-12))
    missing = {(row.question_id, need) for row in report.rows for need, place in enumerate(row.places) if place is None}
    lost = {(one.question_id, lost.need) for one in found.questions for lost in one.lost if lost.stage != "order" and not lost.regained}
    assert lost == missing


# --- the best list, against trying all ------------------------------------------------------------------------------------

OFFERS = st.lists(st.frozensets(st.integers(0, 5), min_size=1, max_size=3), max_size=6)


@given(OFFERS, st.integers(1, 4))
def test_no_other_choice_covers_more(offers: list[frozenset[int]], limit: int) -> None:
    best = max((len(frozenset().union(*some)) for size in range(limit + 1) for some in combinations(offers, size)), default=0)
    chosen = covering(offers, limit)
    assert len(chosen) <= limit
    assert set(chosen) <= set(offers)
    assert len(frozenset().union(*chosen)) == best


def test_with_many_overlapping_offers_the_best_is_taken_each_time() -> None:
    offers = [frozenset({number, number + 20}) for number in range(15)] + [frozenset({0, 1, 2})]
    assert len(frozenset().union(*covering(offers, 3))) == 7


@given(OFFERS, st.lists(st.integers(1, 3), min_size=6, max_size=6))
def test_no_other_order_gains_more(offers: list[frozenset[int]], grades: list[int]) -> None:
    def gain(needs: list[int]) -> float:
        return sum(grades[need] / math.log2(place + 2) for place, need in enumerate(needs))

    best = 0.0
    for size in range(min(len(offers), 4) + 1):
        for some in permutations(range(6), size):
            if len({*some}) == size and _served(list(some), offers):
                best = max(best, gain(list(some)))
    ordered = sorted(earning(offers, grades), key=lambda need: -grades[need])
    assert gain(ordered[:4]) == pytest.approx(best)


def _served(needs: list[int], offers: list[frozenset[int]]) -> bool:
    """Whether each need can have an offer of its own, by trying all ways."""
    if not needs:
        return True
    return any(_served(needs[1:], offers[:at] + offers[at + 1 :]) for at, offer in enumerate(offers) if needs[0] in offer)


def test_the_metrics_of_lists_are_metrics() -> None:
    assert set(METRICS_OF_LISTS) <= METRICS.keys()

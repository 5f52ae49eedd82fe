"""Evaluation: figures over a set, what limits them, and one report against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.evaluation.against import against
from retrieval.evaluation.evaluate import Sampling, evaluate
from retrieval.evaluation.golds import CheckedQuestion, CheckedSet, Found, GoldState
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.report import Report, read_report
from retrieval.evaluation.statistics import wilson
from retrieval.federated import FederatedRetriever
from retrieval.model import AnchorClaim, ReadyHit, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.builders import answer, chunk, pool
from tests.evaluation.lists import gold, need, question, simple

SAMPLES = Path(__file__).parents[2] / "sample_corpora"
QUICK = Sampling(resamples=200)


def run_of(listed: str, *demanded: str, settings: Settings | None = None) -> Trace:
    """The run of one corpus whose list is these sections, best first; an anchor demands each norm of ``demanded``."""
    sections = listed.split()
    stock = {name: chunk(f"gesetz/{name}", "gesetz", name) for name in (*sections, *demanded)}
    scores = {f"gesetz/{name}": 0.9 - place / 100 for place, name in enumerate(sections)}
    hits = {name: Units("found", (ReadyHit(f"gesetz/{name}", 1.0),)) if name in sections else Units("not_found") for name in demanded}
    claims = [(AnchorClaim(Target("gesetz", name), anchor_id=f"anker-{name}"), hits[name]) for name in demanded]
    chosen = settings or Settings.of(max_final_results=4)
    return decide(pool([answer("gesetz", scores)], list(stock.values()), claims=claims), chosen)


def a_set(*questions: Question) -> QuestionSet:
    return QuestionSet("Satz", questions)


def checked(states: Mapping[str, Sequence[GoldState]], *questions: Question) -> CheckedSet:
    """A set whose gold norms have these states, by question id."""
    found = []
    for one in questions:
        state = iter(states.get(one.id, ()))
        needs = tuple(tuple(Found(each, next(state, "in_stock")) for each in need.any_of) for need in one.needs)
        found.append(CheckedQuestion(one, needs))
    return CheckedSet(a_set(*questions), tuple(found))


EINS = simple("a b", id="eins", tags=("Kette", "Laien"), chain=True)
ZWEI = simple("c", id="zwei", tags=("Laien",))
DREI = question(id="drei")
RUNS = {"eins": run_of("x a y b"), "zwei": run_of("x y c"), "drei": run_of("x")}


def report(runs: Mapping[str, Trace] = RUNS, *questions: Question) -> Report:
    return evaluate(a_set(*(questions or (EINS, ZWEI, DREI))), runs, sampling=QUICK)


def test_every_figure_has_its_number_of_questions_and_an_interval() -> None:
    found = report()
    assert [figure.metric for figure in found.figures] == list(METRICS)
    assert found.k == 4
    assert (found.figure("recall").estimate.value, found.figure("recall").estimate.n) == (1.0, 2)
    assert found.figure("precision").estimate.value == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert found.figure("mrr").estimate.value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert (found.figure("chain_coverage").estimate.n, found.figure("demanded").estimate.n) == (1, 0)
    assert found.figure("success").estimate.interval == wilson(2, 2)
    assert found.figure("precision").judged.value == 1
    assert all((figure.estimate.interval is None) == (figure.estimate.n == 0) for figure in found.figures)


def test_a_metric_that_there_is_not_is_no_figure() -> None:
    with pytest.raises(KeyError, match="expected one of recall"):
        report().figure("f1")


def test_questions_without_gold_are_run_and_counted_and_enter_no_figure() -> None:
    found = report()
    assert found.without_gold == ("drei",)
    assert len(found.rows) == 3
    assert found.rows[2].values == dict.fromkeys(METRICS)
    assert found.golds == 3


def test_a_question_that_fails_is_named_and_the_others_are_measured() -> None:
    def runs(text: str) -> Trace:
        if text == ZWEI.text:
            raise RuntimeError("kaputt")
        return RUNS["eins"]

    found = evaluate(a_set(EINS, ZWEI), runs, sampling=QUICK)
    assert [(one.question_id, one.error_class, one.message) for one in found.failed] == [("zwei", "RuntimeError", "kaputt")]
    assert found.figure("recall").estimate.n == 1
    missing = evaluate(a_set(EINS, ZWEI), {"eins": RUNS["eins"]}, sampling=QUICK)
    assert [(one.question_id, one.error_class) for one in missing.failed] == [("zwei", "LookupError")]


def test_a_set_of_which_nothing_runs_is_a_report_without_figures() -> None:
    found = evaluate(a_set(EINS), {}, sampling=QUICK)
    assert (found.settings, found.stamps, found.k) == (None, (), 10)
    assert {figure.estimate.n for figure in found.figures} == {0}
    assert against(found, found).metrics[0].effect.verdict == "no_questions"


def test_every_figure_says_how_many_gold_norms_cannot_be_reached() -> None:
    one = question(need(gold("a"), gold("b")), need(gold("c")), need(gold("d")), id="eins")
    found = evaluate(checked({"eins": ["in_stock", "not_in_stock", "repealed", "ambiguous"]}, one), {"eins": RUNS["eins"]}, sampling=QUICK)
    figure = found.figure("recall")
    assert (figure.golds, figure.unreachable, figure.repealed) == (4, 2, 1)
    assert [(each.gold.address.section_id, each.state) for each in found.problems] == [
        ("b", "not_in_stock"),
        ("c", "repealed"),
        ("d", "ambiguous"),
    ]
    assert found.checked
    assert not report().checked
    assert (found.figure("demanded").golds, found.figure("demanded").unreachable) == (0, 0)


def test_figures_by_tag_are_those_of_the_questions_that_carry_it() -> None:
    groups = {group.name: group for group in report().by_tag}
    assert {name: group.questions for name, group in groups.items()} == {"Kette": 1, "Laien": 2}
    assert groups["Laien"].figures == report(RUNS, EINS, ZWEI).figures


def test_figures_by_corpus_ask_for_the_norms_of_that_corpus_alone() -> None:
    mixed = question(need(gold("a")), need(gold("z", corpus="vertrag")), id="eins")
    groups = {group.name: {figure.metric: figure for figure in group.figures} for group in report(RUNS, mixed, ZWEI).by_corpus}
    assert set(groups) == {"gesetz", "vertrag"}
    assert (groups["gesetz"]["recall"].estimate.value, groups["gesetz"]["recall"].estimate.n, groups["gesetz"]["recall"].golds) == (1, 2, 2)
    assert (groups["vertrag"]["recall"].estimate.value, groups["vertrag"]["recall"].estimate.n) == (0, 1)
    assert "precision" not in groups["gesetz"]


def test_the_norms_that_anchors_demand_stand_in_a_matrix() -> None:
    runs = {"eins": run_of("x a", "a", "q"), "zwei": run_of("x c", "c"), "drei": run_of("q c")}
    found = report(runs, EINS, ZWEI, simple("a", id="drei"))
    assert [norm.section_id for norm in found.demands.norms] == ["a", "q", "c"]
    cells = [(cell.question_id, cell.norm.section_id, cell.state, cell.place, cell.gold) for cell in found.demands.cells]
    assert cells == [
        ("eins", "a", "held", 1, True),
        ("eins", "q", "not_found", None, False),
        ("zwei", "c", "held", 1, True),
        ("drei", "a", "not_demanded", None, True),
    ]
    assert [cell.norm.section_id for cell in found.demands.broken] == ["q"]
    assert found.demands.cells[0].anchor_ids == ("anker-a",)
    assert (found.figure("demanded").estimate.value, found.figure("demanded").estimate.n) == (0.75, 2)


def test_a_demanded_norm_that_the_list_has_no_room_for_is_missing() -> None:
    crowded = run_of("a b c", "a", "b", "c", settings=Settings.of(max_final_results=2))
    states = [cell.state for cell in report({"eins": crowded}, EINS).demands.cells]
    assert sorted(states) == ["held", "held", "missing"]


def test_judgements_beside_the_gold_change_what_is_judged() -> None:
    found = evaluate(a_set(ZWEI), RUNS, judgements={"zwei": [gold("x", 0), gold("y", 2)]}, sampling=QUICK)
    assert found.figure("judged").estimate.value == 1
    assert found.figure("precision").estimate.value == 2 / 4
    assert found.figure("precision").judged.value == pytest.approx(2 / 3)


def test_runs_under_two_settings_are_no_evaluation() -> None:
    with pytest.raises(BadInput, match="found runs under 2 settings"):
        report({"eins": RUNS["eins"], "zwei": run_of("c", settings=Settings.of(max_final_results=9))}, EINS, ZWEI)


def test_a_report_survives_json_and_what_is_none_is_refused() -> None:
    found = report()
    assert read_report(found.to_json(), "bericht.json") == found
    assert read_report(msgspec.json.encode({"report": found, "against": None}), "bericht.json") == found
    for text in ("{", "[]", '{"report": {"k": 3}}', b"\xff", "[" * 100_000):
        with pytest.raises(BadInput, match=r"bericht\.json: found no report"):
            read_report(text, "bericht.json")


# --- one report against another ---------------------------------------------------------------------------------------


def test_winners_and_losers_are_named_with_the_largest_change_first() -> None:
    before = report({"eins": run_of("a b"), "zwei": run_of("x c"), "drei": run_of("x")})
    after = report({"eins": run_of("x y a"), "zwei": run_of("c"), "drei": run_of("x")})
    found = {one.metric: one for one in against(before, after, sampling=QUICK).metrics}
    assert [(one.question_id, one.before, one.after) for one in found["recall"].losers] == [("eins", 1.0, 0.5)]
    assert [one.question_id for one in found["mrr"].winners] == ["zwei"]
    assert found["mrr"].effect.difference == pytest.approx(((1 / 3 - 1) + (1 - 1 / 2)) / 2)
    assert found["recall"].effect.verdict == "not_distinguishable"
    assert "judged" not in found


def test_a_report_against_itself_is_equal_in_everything() -> None:
    found = against(report(), report())
    assert {one.effect.verdict for one in found.metrics} == {"equal", "no_questions"}
    assert (found.unpaired, found.differing, found.stock_differs, found.questions) == ((), (), False, 3)


def test_only_questions_with_the_same_gold_are_compared() -> None:
    failing = report({"eins": RUNS["eins"], "drei": RUNS["drei"]})
    changed = report(RUNS, EINS, simple("c d", id="zwei"), DREI, simple("a", id="vier"))
    assert against(report(), changed).unpaired == ("zwei", "vier")
    assert against(report(), failing).unpaired == ("zwei",)
    assert against(report(), failing).questions == 2


def test_one_half_of_the_questions_can_be_compared_alone() -> None:
    found = against(report(), report({**RUNS, "eins": run_of("x")}), {"zwei", "drei"}, QUICK)
    assert found.questions == 2
    assert {one.effect.verdict for one in found.metrics} == {"equal", "no_questions"}


def test_the_settings_that_differ_are_named_and_other_places_refused() -> None:
    other = {name: run_of("x a y b", settings=Settings.of(max_final_results=4, min_ratio=0.5)) for name in RUNS}
    assert [one.name for one in against(report(), report(other)).differing] == ["min_ratio"]
    longer = evaluate(a_set(EINS), RUNS, k=3, sampling=QUICK)
    with pytest.raises(BadInput, match="over 4 and 3 places"):
        against(report(), longer)


# --- the sample questions ---------------------------------------------------------------------------------------------


def test_references_that_rank_high_cost_the_sample_chains_a_link(federation: FederatedRetriever) -> None:
    from retrieval.evaluation.golds import Golds
    from retrieval.evaluation.sets import load

    known = Golds(federation.registry.federation).check(load(SAMPLES / "questions.toml").questions)
    chains = CheckedSet(
        QuestionSet("Ketten", tuple(one for one in known.settled.questions if one.chain)),
        tuple(one for one in known.questions if one.question.chain),
    )
    pools = {one.id: federation.gather(one.text) for one in chains.settled.questions}
    low, high = (
        evaluate(chains, {name: decide(found, Settings.of(verweis_score=score)) for name, found in pools.items()}, sampling=QUICK)
        for score in (0.5, 0.97)
    )
    change = next(one for one in against(low, high, sampling=QUICK).metrics if one.metric == "chain_coverage")
    assert {one.question_id for one in change.losers} == {"sonderkennzeichen", "abweichende-abgabe", "saft-nicht-lieferbar"}
    assert change.winners == ()
    assert change.effect.difference == pytest.approx(-(1 / 2 + 2 * 1 / 4) / len(pools))
    assert change.effect.verdict == "not_distinguishable"
    assert change.effect.more is not None
    assert change.effect.more > 0

"""Running sweeps: what is measured equals an evaluation, what is stopped keeps what is finished, what fails is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from retrieval.decide import decide
from retrieval.evaluation.evaluate import Sampling, evaluate
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.report import Report
from retrieval.evaluation.sets import load
from retrieval.evaluation.sweeps import bench, searching
from retrieval.evaluation.sweeps.asking import spec_of
from retrieval.evaluation.sweeps.model import Goal, Spec, Sweep
from retrieval.evaluation.sweeps.run import run
from retrieval.federated import FederatedRetriever
from retrieval.inspector.grids import Grid, Table
from retrieval.settings import Settings
from retrieval.trace import Pool
from tests.builders import answer
from tests.evaluation.sweeps.made import ONE_PLACE, Made, crossing, random_set, timeless

SAMPLES = Path(__file__).parents[3] / "sample_corpora"
QUICK = Sampling(resamples=50)
WEIGHTS = ("weight_vector", "weight_lexical")
KINDS = {
    "a line": (["weight_vector"], {}),
    "steps": (["max_verweis_normen"], {}),
    "a field": (["verweis_score", "min_ratio"], {"cells": 4}),
    "a search": (["weight_vector", "min_ratio", "max_verweis_normen"], {"trials": 8}),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def spec_for(made: Made, kind: str, goal: str = "ndcg", **more: object) -> Spec:
    knobs, options = KINDS[kind]
    return spec_of(made.checked, knobs, Goal(goal), Settings.of(max_final_results=3), **{"hold_out": False, **options, **more})  # type: ignore[arg-type]


def swept(made: Made, kind: str, watch: Callable[[Sweep], bool] = lambda sweep: True, **more: object) -> Sweep:
    return run(spec_for(made, kind, **more), made.checked, made.gather, watch=watch)


def counted(sweep: Sweep) -> int:
    """How much a sweep has computed, by whatever its kind counts."""
    if sweep.line:
        return sweep.line.staircase.count
    return sweep.field.done if sweep.field else len(sweep.steps) or len(sweep.trials)


# --- equal to an evaluation -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def samples(federation: FederatedRetriever) -> CheckedSet:
    return Golds(federation.registry.federation).check(load(SAMPLES / "questions.toml").questions)


Gather = Callable[[str, Settings], Pool]


@pytest.fixture(scope="module")
def once(federation: FederatedRetriever) -> Gather:
    """Gathers each question once, whatever the settings: no setting that is swept is asked of the corpora."""
    pools: dict[str, Pool] = {}

    def gather(text: str, settings: Settings) -> Pool:
        if text not in pools:
            pools[text] = federation.gather(text, settings)
        return pools[text]

    return gather


def evaluated(samples: CheckedSet, gather: Gather, settings: Settings, k: int, ids: tuple[str, ...] = ()) -> Report:
    chosen = [place for place, one in enumerate(samples.settled.questions) if not ids or one.id in ids]
    some = QuestionSet(samples.settled.name, tuple(samples.settled.questions[place] for place in chosen))
    part = CheckedSet(some, tuple(samples.questions[place] for place in chosen))
    return evaluate(part, lambda text: decide(gather(text, settings), settings), k=k, sampling=QUICK)


def test_the_cells_of_a_grid_are_what_an_evaluation_finds_there(samples: CheckedSet, federation: FederatedRetriever) -> None:
    spec = spec_of(samples, ["verweis_score", "max_verweis_normen"], Goal("chain_coverage"), hold_out=False, cells=4)
    field = run(spec, samples, federation.gather).field
    assert field is not None
    assert (field.xs, field.ys[0], field.ys[-1], field.done, field.total) == ((0.0, 0.25, 0.5, 0.75, 1.0), 0.0, 20.0, 105, 105)
    for row, column in ((0, 0), (1, 4), (3, 2), (20, 3)):
        settings = Settings.of(verweis_score=field.xs[column], max_verweis_normen=int(field.ys[row]))
        report = evaluated(samples, federation.gather, settings, 10)
        assert field.means[row][column] == pytest.approx(report.figure("chain_coverage").estimate.value, abs=1e-12)


def test_the_steps_of_the_length_of_the_list_are_measured_on_the_longest(samples: CheckedSet, once: Gather) -> None:
    spec = spec_of(samples, ["max_final_results"], Goal("precision"), hold_out=False)
    found = run(spec, samples, once)
    assert (found.k, [step.value for step in found.steps]) == (50, list(range(1, 51)))
    for length in (1, 10, 50):
        report = evaluated(samples, once, Settings.of(max_final_results=length), 50)
        assert found.steps[length - 1].mean == pytest.approx(report.figure("precision").estimate.value, abs=1e-12)


def test_the_gain_is_that_of_two_evaluations_on_each_half(samples: CheckedSet, once: Gather) -> None:
    before = Settings.of(verweis_score=0.97)
    found = run(spec_of(samples, ["verweis_score"], Goal("chain_complete"), before), samples, once)
    after = before.changed(found.values)
    assert found.gain is not None
    assert found.gain.held is not None
    for half, ids in ((found.gain.tuned, found.spec.questions), (found.gain.held, found.spec.held_out)):
        for estimate, settings in ((half.present, before), (half.best, after)):
            assert estimate == evaluated(samples, once, settings, 10, ids).figure("chain_complete").estimate
    assert (found.gain.tuned.present.value, found.gain.tuned.best.value) == (found.present, found.reached)
    assert [one.question_id for one in found.gain.tuned.winners] == ["sonderkennzeichen", "abweichende-abgabe", "saft-nicht-lieferbar"]
    assert found.gain.tuned.losers == ()


# --- grids ----------------------------------------------------------------------------------------------------------------------


def test_a_grid_has_both_edges_and_whole_numbers_where_a_setting_has_only_those() -> None:
    made = crossing([0.1, 0.2])
    field = run(spec_of(made.checked, ["weight_vector", "min_hits_per_corpus"], hold_out=False), made.checked, made.gather).field
    assert field is not None
    assert (field.xs[0], field.xs[-1], len(field.xs)) == (0.0, 1.0, 21)
    assert field.ys == tuple(float(number) for number in range(11))
    assert (field.done, field.total) == (231, 231)
    assert [len(row) for row in field.means] == [21] * 11


def test_weights_that_are_both_nothing_are_refused_and_not_zero() -> None:
    made = crossing([0.1, 0.2, 0.3])
    field = run(spec_of(made.checked, WEIGHTS, settings=ONE_PLACE, hold_out=False, cells=4), made.checked, made.gather).field
    assert field is not None
    assert field.means[0][0] is None
    assert sum(mean is None for row in field.means for mean in row) == 1
    assert (0, 0) not in field.alike
    alone = run(
        spec_of(made.checked, ["weight_vector"], settings=ONE_PLACE.changed({"weight_lexical": 0}), hold_out=False),
        made.checked,
        made.gather,
    )
    assert alone.line is not None
    assert (alone.line.staircase.at[0], alone.line.staircase.value_at(0.5)) == (None, 1.0)
    assert alone.line.best.low == 0.0


def test_a_refused_trial_has_no_mean_and_is_never_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    made = crossing([0.1, 0.2])
    suggested = searching._suggested
    monkeypatch.setattr(searching, "_suggested", lambda trial, name: suggested(trial, name) * (trial.number != 2))
    spec = spec_of(made.checked, WEIGHTS, kind="search", settings=ONE_PLACE, hold_out=False, trials=6)
    found = run(spec, made.checked, made.gather)
    assert [trial.mean is None for trial in found.trials] == [False, False, True, False, False, False]
    assert (found.trials[2].values, found.trials[2].best) == ({"weight_vector": 0.0, "weight_lexical": 0.0}, found.trials[1].best)
    assert (found.tried, found.state) == (6, "finished")


# --- searching --------------------------------------------------------------------------------------------------------------------


def test_a_search_begins_with_the_setting_in_force_and_keeps_the_best_so_far() -> None:
    made = crossing([0.15, 0.2, 0.3], falling=[0.48])
    settings = ONE_PLACE.changed({"weight_vector": 0.012346})
    found = run(
        spec_of(made.checked, ["weight_vector", "min_ratio", "fusion"], settings=settings, hold_out=False, trials=30),
        made.checked,
        made.gather,
    )
    assert found.trials[0].values == {"weight_vector": 0.012346, "min_ratio": 0.25, "fusion": "weighted"}
    assert [trial.number for trial in found.trials] == list(range(1, 31))
    best = 0.0
    for trial in found.trials:
        best = max(best, trial.mean or 0.0)
        assert trial.best == best
    assert (found.reached, found.present) == (best, 0.25)
    assert found.values == next(trial.values for trial in found.trials if trial.mean == best)
    assert best == 1.0
    other = run(msgspec.structs.replace(found.spec, seed=1), made.checked, made.gather)
    assert [trial.values for trial in other.trials[1:]] != [trial.values for trial in found.trials[1:]]


# --- the same again, and step by step ---------------------------------------------------------------------------------------------


@every_kind
def test_the_same_specification_gives_the_same_result_twice(kind: str) -> None:
    one, other = (swept(random_set(41)[0], kind, hold_out=True) for _ in range(2))
    assert timeless(one) == timeless(other)
    assert (one.state, one.progress.share, one.error) == ("finished", 1.0, "")
    assert one.gain is not None


@every_kind
def test_every_step_shows_a_sweep_that_is_valid_and_further_than_before(kind: str) -> None:
    seen: list[Sweep] = []
    made = random_set(41)[0]
    last = swept(made, kind, lambda sweep: not seen.append(sweep), hold_out=True)
    shares = [one.progress.share for one in seen]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.2
    assert shares[-1] <= 1 == last.progress.share
    assert all(one.state == "running" and 0 < one.progress.done <= one.progress.total for one in seen)
    assert {one.progress.phase for one in seen} >= {"gathering", "computing"}
    assert all(msgspec.json.decode(msgspec.json.encode(one), type=Sweep) == one for one in (*seen, last))
    assert sorted(made.asked) == sorted((*last.spec.questions, *last.spec.held_out))


@every_kind
@pytest.mark.parametrize("steps", [1, 3])
def test_a_sweep_that_is_stopped_keeps_what_is_finished_and_says_so(kind: str, steps: int) -> None:
    whole = swept(random_set(41)[0], kind)
    computed: list[Sweep] = []

    def watch(sweep: Sweep) -> bool:
        if sweep.progress.phase == "computing":
            computed.append(sweep)
        return len(computed) < steps

    found = swept(random_set(41)[0], kind, watch)
    assert (found.state, found.progress.phase) == ("stopped", "computing")
    assert counted(found) == steps * (5 if kind == "a field" else 1)
    assert found.progress.share < 1
    assert found.gain is not None
    if found.field and whole.field:
        assert found.field.means[:steps] == whole.field.means[:steps]
        assert {mean for row in found.field.means[steps:] for mean in row} == {None}
        assert (found.field.total, found.field.alike) == (25, ())
    elif kind == "a line":
        assert found.measured == whole.measured[:steps]
    else:
        assert [step.mean for step in found.steps] == [step.mean for step in whole.steps[:steps]]
        assert found.trials == whole.trials[:steps]


def test_a_grid_of_points_that_each_take_long_can_be_stopped_within_a_row() -> None:
    made = random_set(41)[0]
    spec = spec_of(made.checked, ["max_verweis_normen", "min_ratio"], hold_out=False, cells=2)
    found = run(spec, made.checked, made.gather, watch=lambda sweep: sweep.progress.phase == "gathering" or sweep.progress.done < 30)
    whole = run(spec, made.checked, made.gather).field
    assert found.field is not None
    assert whole is not None
    assert (found.state, found.field.done, found.field.total, found.tried) == ("stopped", 30, 63, 30)
    assert found.field.means == (whole.means[0], (*whole.means[1][:9], *[None] * 12), (None,) * 21)


def test_a_sweep_that_is_stopped_while_it_gathers_holds_no_figure() -> None:
    made = random_set(41)[0]
    found = swept(made, "a line", lambda sweep: sweep.progress.done < 2)
    assert (found.state, found.progress.phase, found.progress.done, len(made.asked)) == ("stopped", "gathering", 2, 2)
    assert (found.line, found.values, found.gain, found.present, found.tried) == (None, {}, None, None, 0)


def test_a_sweep_that_is_stopped_while_it_compares_claims_no_likeness() -> None:
    made = random_set(15)[0]
    found = swept(made, "a field", lambda sweep: sweep.progress.phase != "testing", cells=9)
    assert (found.state, found.progress.phase) == ("stopped", "testing")
    assert found.field is not None
    assert (found.field.done, found.field.alike) == (100, ())


# --- what enters --------------------------------------------------------------------------------------------------------------------


@every_kind
def test_without_a_question_that_has_a_figure_nothing_is_claimed(kind: str) -> None:
    made = crossing([0.1, 0.2, 0.3])
    found = swept(made, kind, goal="chain_coverage")
    assert (found.state, found.measured, found.without_figure) == ("finished", (), ("f0", "f1", "f2"))
    assert (found.present, found.reached, found.values, found.gain, found.tried) == (None, None, {}, None, 0)
    assert (found.line, found.steps, found.field, found.trials) == (None, (), None, ())
    assert made.asked == []


def test_whether_an_anchor_demands_a_norm_is_known_only_when_the_question_was_asked() -> None:
    made = crossing([0.1, 0.2])
    found = swept(made, "steps", goal="demanded")
    assert (made.asked, found.without_figure, found.steps) == (["f0", "f1"], ("f0", "f1"), ())


@every_kind
def test_a_question_that_fails_is_named_and_all_else_is_as_without_it(kind: str) -> None:
    made = random_set(41)[0]
    found = run(spec_for(made, kind), made.checked, made.failing("f2"))
    assert [(one.question_id, one.error_class, one.message) for one in found.failed] == [
        ("f2", "ConnectionError", "Der Bestand antwortet nicht.")
    ]
    others = tuple(one for one in found.spec.questions if one != "f2")
    without = run(msgspec.structs.replace(found.spec, questions=others), made.checked, made.gather)
    assert timeless(msgspec.structs.replace(found, spec=without.spec, failed=())) == timeless(without)
    assert "f2" not in found.measured


@every_kind
def test_a_question_that_fails_in_the_middle_is_taken_out_of_what_was_computed_before(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = random_set(41)[0]
    calls: list[int] = []

    class Breaking(Grid):
        def lists(self, table: Table) -> list[tuple[str, ...] | None]:
            if self._pool is made.pools["f2"]:
                calls.append(table.count)
                if len(calls) == 3:
                    raise RuntimeError("Mitten in der Arbeit.")
            return super().lists(table)

    def track(pool: Pool, *rest: object) -> object:
        if pool is made.pools["f2"]:
            raise RuntimeError("Mitten in der Arbeit.")
        return real(pool, *rest)

    from retrieval.evaluation.sweeps import lines

    real = lines.track
    monkeypatch.setattr(bench, "Grid", Breaking)
    monkeypatch.setattr(lines, "track", track)
    found = swept(made, kind)
    assert [(one.question_id, one.message) for one in found.failed] == [("f2", "Mitten in der Arbeit.")]
    monkeypatch.undo()
    others = tuple(one for one in found.spec.questions if one != "f2")
    without = run(msgspec.structs.replace(found.spec, questions=others), made.checked, made.gather)
    same = msgspec.structs.replace(found, spec=without.spec, failed=())
    if kind == "a search":  # what was tried after the failure rests on the means before it
        assert [trial.mean for trial in same.trials[:2]] == [trial.mean for trial in without.trials[:2]]
        assert same.measured == without.measured
    else:
        assert timeless(same) == timeless(without)


def test_a_sweep_of_which_every_question_fails_has_failed() -> None:
    made = crossing([0.1, 0.2])
    found = run(spec_for(made, "a field"), made.checked, made.failing("f0", "f1"))
    assert (found.state, found.error, len(found.failed)) == ("failed", "Der Bestand antwortet nicht.", 2)


def test_a_question_in_whose_run_a_part_failed_is_named_and_counted() -> None:
    made = crossing([0.1, 0.2])
    half = answer("gesetz", {"gesetz/gold": 1.0}, failed_routes=["lexical"])
    made.pools = {**made.pools, "f1": msgspec.structs.replace(made.pools["f1"], answers={"gesetz": half})}
    found = swept(made, "a line")
    assert (found.partial, found.failed, found.measured) == (("f1",), (), ("f0", "f1"))

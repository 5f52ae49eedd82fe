"""The best of a sweep, what cannot be told from it, and what it gains: with figures that can be said beforehand."""

from __future__ import annotations

import random

import pytest

from retrieval.evaluation.staircase import staircase
from retrieval.evaluation.statistics import effect, halves
from retrieval.evaluation.sweeps.asking import spec_of
from retrieval.evaluation.sweeps.comparing import Alike
from retrieval.evaluation.sweeps.model import Goal, Line, Stretch, Sweep
from retrieval.evaluation.sweeps.run import run
from retrieval.evaluation.sweeps.tables import best_cell
from retrieval.inspector.breakpoints import track
from retrieval.settings import Settings
from tests.evaluation.sweeps.made import ONE_PLACE, Made, crossing

TEN = [0.04 * number for number in range(1, 11)]


def swept(made: Made, weight: float = 0.5, goal: str = "success", knob: str = "weight_vector", **more: object) -> Sweep:
    settings = ONE_PLACE.changed({"weight_vector": weight})
    return run(spec_of(made.checked, [knob], Goal(goal), settings, **{"hold_out": False, **more}), made.checked, made.gather)  # type: ignore[arg-type]


def line_of(sweep: Sweep) -> Line:
    assert sweep.line is not None
    return sweep.line


def near(*numbers: float) -> object:
    return pytest.approx(numbers, abs=1e-9)


# --- the range that cannot be told from the best ----------------------------------------------------------------------------------


def test_a_sweep_names_its_best_with_the_range_that_is_not_distinguishable_from_it() -> None:
    found = swept(crossing(TEN), weight=0.01)
    line = line_of(found)
    assert (line.best.low, line.best.high, line.best.value) == near(0.4, 1.0, 1.0)
    # Five questions fewer are no difference (2 of 32 exchanges are as extreme), six are one (2 of 64): 0.16 is where the fourth passes.
    assert len(line.alike) == 1
    assert (line.alike[0].low, line.alike[0].high) == near(0.2, 1.0)
    assert found.tried == 11
    assert line.chosen == 0.7
    assert (found.values, found.present, found.reached) == ({"weight_vector": 0.7}, 0.0, 1.0)
    assert [[flip.question for flip in flips] for flips in line.staircase.flips] == [[f"f{number}"] for number in range(10)]


def test_a_step_that_only_some_values_in_between_do_not_reach_parts_the_range() -> None:
    # Six questions find their norm below 0.1, and six others from 0.3 on; between them nobody does.
    made = crossing([0.3] * 6, falling=[0.1] * 6)
    line = line_of(swept(made, weight=0.02))
    assert [(one.low, one.high) for one in line.alike] == [near(0.0, 0.1), near(0.3, 1.0)]
    assert (line.chosen, line.best.low) == (0.02, pytest.approx(0.3))


def test_eight_of_ten_are_not_called_better_than_seven() -> None:
    found = swept(crossing([0.1] * 7 + [0.2], falling=[0.01] * 2), weight=0.15)
    assert found.gain is not None
    tuned = found.gain.tuned
    assert [(one.value, one.n, one.method) for one in (tuned.present, tuned.best)] == [(0.7, 10, "wilson"), (0.8, 10, "wilson")]
    assert tuned.present.interval is not None
    assert tuned.best.interval is not None
    assert (tuned.present.interval.low, tuned.present.interval.high) == pytest.approx((0.397, 0.892), abs=5e-4)
    assert (tuned.best.interval.low, tuned.best.interval.high) == pytest.approx((0.490, 0.943), abs=5e-4)
    assert tuned.effect.verdict == "not_distinguishable"
    assert [one.question_id for one in tuned.winners] == ["f7"]
    assert any(one.low < 0.15 < one.high for one in line_of(found).alike)


@pytest.mark.parametrize("seed", range(40))
def test_alike_is_whatever_an_effect_does_not_call_worse(seed: int) -> None:
    drawn = random.Random(seed)
    best = tuple(drawn.choice((1.0, 1.0, 0.5)) for _ in range(drawn.randint(1, 14)))
    other = tuple(value if drawn.random() < 0.5 else drawn.choice((0.0, 0.25, 1.0)) for value in best)
    assert Alike(best).holds(other) == (effect(best, other).verdict != "worse")


def test_both_verdicts_of_likeness_occur() -> None:
    assert Alike((1.0,) * 8).holds((0.0,) * 5 + (1.0,) * 3)
    assert not Alike((1.0,) * 8).holds((0.0,) * 6 + (1.0,) * 2)
    assert not Alike((1.0,) * 8).holds((0.0,) * 8)


# --- the value to take --------------------------------------------------------------------------------------------------------------


def test_among_equals_the_value_in_force_stays() -> None:
    found = swept(crossing([0.3], falling=[0.1]), weight=0.05)
    line = line_of(found)
    assert (line.best.low, line.best.high) == near(0.3, 1.0)
    assert (line.chosen, found.values, found.present, found.reached) == (0.05, {"weight_vector": 0.05}, 0.5, 0.5)
    assert found.gain is not None
    assert found.gain.tuned.effect.verdict == "equal"


def test_the_middle_of_the_best_is_taken_as_a_round_number_where_one_lies_inside() -> None:
    wide = line_of(swept(crossing([0.2, 0.21], falling=[0.33]), weight=0.01))
    assert (wide.best.low, wide.best.high) == near(0.21, 0.33)
    assert wide.chosen == 0.25
    narrow = line_of(swept(crossing([0.2, 0.21], falling=[0.23]), weight=0.01))
    assert narrow.chosen == pytest.approx(0.22)
    assert narrow.chosen == narrow.best.middle


def test_a_value_that_no_question_minds_leaves_everything_alike() -> None:
    found = swept(crossing([0.1, 0.2]), knob="min_ratio")
    line = line_of(found)
    assert (line.alike, found.tried, found.values) == ((Stretch(0.0, 1.0),), 1, {"min_ratio": 0.25})


def test_a_setting_with_names_is_tried_name_by_name() -> None:
    found = swept(crossing(TEN), knob="fusion", weight=0.5)
    assert [(step.value, step.mean, step.alike) for step in found.steps] == [("weighted", 1.0, True), ("rrf", 1.0, True)]
    assert (found.values, found.tried) == ({"fusion": "weighted"}, 2)


def test_the_steps_of_whole_numbers_name_who_flips_against_the_value_before() -> None:
    made = crossing([0.3] * 6)
    found = swept(made, weight=0.1, goal="recall", knob="max_final_results")
    assert [step.mean for step in found.steps[:3]] == [0.0, 1.0, 1.0]
    assert [[flip.question for flip in step.flips] for step in found.steps[:3]] == [[], [f"f{number}" for number in range(6)], []]
    assert [step.alike for step in found.steps[:3]] == [False, True, True]
    assert found.values["max_final_results"] > 1


def test_of_equal_cells_the_deepest_leads_then_the_one_with_the_best_neighbours_then_the_first() -> None:
    assert best_cell({}) is None
    row = dict(zip([(0, column) for column in range(6)], [0.9, 0.1, 0.8, 0.9, 0.8, 0.2], strict=True))
    assert best_cell(row) == (0, 3)
    assert best_cell({(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.5, (1, 1): 0.5}) == (0, 0)
    assert best_cell({(0, 0): 0.1 + 0.2, (0, 1): 0.3, (0, 2): 0.3}) == (0, 1)
    assert best_cell({(0, 0): 0.5}) == (0, 0)
    field = {(row, column): 0.9 if 1 <= column <= 5 and row <= 4 else 0.1 for row in range(7) for column in range(7)}
    assert best_cell(field) == (2, 3)


# --- both halves ----------------------------------------------------------------------------------------------------------------------


def test_the_half_held_out_has_its_own_staircase_and_gain() -> None:
    ids = [f"frage-{number}" for number in range(14)]
    made = crossing([0.02 * number for number in range(1, 15)], ids)
    found = swept(made, weight=0.05, hold_out=True)
    tuned, held = halves(ids)
    assert (found.spec.questions, found.spec.held_out) == (tuned, held)
    assert min(len(tuned), len(held)) >= 4
    assert found.measured == tuned
    settings = ONE_PLACE.changed({"weight_vector": 0.05})
    expected = staircase(
        {one: track(made.pools[one], settings, "weight_vector") for one in held}, lambda _, listed: float("gesetz/gold" in listed)
    )
    assert line_of(found).held == expected
    assert found.gain is not None
    assert found.gain.held is not None
    assert (found.gain.tuned.effect.n, found.gain.held.effect.n) == (len(tuned), len(held))
    assert {one.question_id for one in found.gain.held.winners} < set(held)


def test_losers_are_named_beside_the_average() -> None:
    found = swept(crossing([0.3, 0.3, 0.3], falling=[0.2]), weight=0.1)
    assert found.gain is not None
    assert [(one.question_id, one.question, one.before, one.after) for one in found.gain.tuned.losers] == [("f3", "Frage f3?", 1.0, 0.0)]
    assert len(found.gain.tuned.winners) == 3
    assert found.gain.held is None


def test_the_settings_in_force_hold_for_all_that_is_not_swept() -> None:
    made = crossing([0.3] * 3)
    plain = spec_of(made.checked, ["min_ratio"], settings=Settings.of(max_final_results=1, weight_vector=0.1), hold_out=False)
    assert run(plain, made.checked, made.gather).present == 0.0
    assert run(spec_of(made.checked, ["min_ratio"], settings=ONE_PLACE, hold_out=False), made.checked, made.gather).present == 1.0

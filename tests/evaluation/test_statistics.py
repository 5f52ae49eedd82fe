"""Intervals, tests and their plain consequences, against worked values and scipy."""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from retrieval.evaluation import statistics
from retrieval.evaluation.statistics import Effect, Estimate, Interval, effect, effects, halves, held_out, holm, mean, share, tried, wilson

DRAWN = np.random.default_rng(7)
VALUES = [float(one) for one in DRAWN.choice((0, 0.25, 0.5, 0.75, 1), 40)]
OTHERS = [min(1.0, one + float(more)) for one, more in zip(VALUES, DRAWN.choice((0, 0, 0, 0.25), 40), strict=True)]
shares = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
values = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=30)


@pytest.mark.parametrize(("found", "n", "low", "high"), [(7, 10, 39.7, 89.2), (8, 10, 49.0, 94.3), (3, 8, 13.7, 69.4)])
def test_few_questions_leave_wide_intervals(found: int, n: int, low: float, high: float) -> None:
    interval = wilson(found, n)
    assert (round(100 * interval.low, 1), round(100 * interval.high, 1)) == (low, high)


def test_eight_of_ten_are_not_called_better_than_seven_of_ten() -> None:
    found = effect([1.0] * 7 + [0.0] * 3, [1.0] * 8 + [0.0] * 2)
    assert found.difference == pytest.approx(0.1)
    assert (found.verdict, found.p) == ("not_distinguishable", 1.0)
    assert found.interval is not None
    assert 0 in found.interval
    # One question of ten differs: s² = 0.1, so (1.959964 + 0.841621)² · 0.1 / 0.1² = 78.489.
    assert (found.needed, found.more) == (79, 69)


@given(shares)
def test_wilson_equals_that_of_scipy(pair: tuple[int, int]) -> None:
    found, n = pair
    expected = stats.binomtest(found, n).proportion_ci(0.95, method="wilson")
    interval = wilson(found, n)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found / n in interval


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_bootstrap_equals_that_of_scipy(level: float) -> None:
    drawing = np.random.default_rng(3)
    expected = stats.bootstrap((VALUES,), np.mean, confidence_level=level, n_resamples=5000, method="percentile", rng=drawing)
    found = statistics.bootstrap(VALUES, level, 5000, seed=3)
    interval = expected.confidence_interval
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_the_paired_bootstrap_equals_that_of_scipy() -> None:
    def difference(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(second - first, axis=axis)

    drawing = np.random.default_rng(0)
    expected = stats.bootstrap((VALUES, OTHERS), difference, paired=True, n_resamples=5000, method="percentile", rng=drawing)
    found = statistics.paired_bootstrap(VALUES, OTHERS, resamples=5000)
    interval = expected.confidence_interval
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def permuted(first: list[float], second: list[float], resamples: int) -> float:
    found = stats.permutation_test(
        (first, second), lambda one, other: np.mean(other) - np.mean(one), permutation_type="samples", n_resamples=resamples
    )
    return float(found.pvalue)


@pytest.mark.parametrize("seed", range(8))
def test_the_exact_randomisation_test_equals_that_of_scipy(seed: int) -> None:
    drawing = np.random.default_rng(seed)
    first, second = ([float(one) for one in drawing.choice((0, 0.25, 1 / 3, 0.5, 1), 9)] for _ in range(2))
    assert statistics.randomisation_test(first, second) == pytest.approx(permuted(first, second, 100_000))


@pytest.mark.parametrize("more", [(0.25, 0.25, -0.25, 0.5), (0.25, -0.5, -0.25, 0.75)], ids=["a rare chance", "a common one"])
def test_the_drawn_randomisation_test_comes_near_the_exact_one_and_that_of_scipy(more: tuple[float, ...]) -> None:
    first, second = VALUES[:16], [one + further for one, further in zip(VALUES, more * 4, strict=False)]
    exact = statistics.randomisation_test(first, second, resamples=1 << 16)
    drawn = statistics.randomisation_test(first, second, resamples=10_000)
    assert exact != drawn
    assert drawn == pytest.approx(exact, abs=0.015)
    assert exact == pytest.approx(permuted(first, second, 1 << 16))


def test_questions_that_do_not_differ_leave_the_randomisation_test_unmoved() -> None:
    first, second = [0.0, 0.0, 0.0, 0.5], [1.0, 1.0, 0.5, 0.25]
    assert statistics.randomisation_test(first, second) == statistics.randomisation_test([*first, 1.0, 0.5], [*second, 1.0, 0.5])


def test_five_gains_are_never_enough_and_six_can_be() -> None:
    assert statistics.randomisation_test([0.0] * 5, [1.0] * 5) == 2 / 2**5
    assert effect([0.0] * 5 + [1.0] * 5, [1.0] * 10).verdict == "not_distinguishable"
    assert statistics.randomisation_test([0.0] * 6, [1.0] * 6) == 2 / 2**6
    assert effect([0.0] * 6 + [1.0] * 4, [1.0] * 10).verdict == "better"
    assert effect([1.0] * 10, [0.0] * 6 + [1.0] * 4).verdict == "worse"


def test_holm_raises_the_chances_in_the_order_of_their_size() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((3 * 0.01, 2 * 0.03, 2 * 0.03))
    assert holm([0.5, 0.6]) == (1.0, 1.0)
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_the_single_chance_and_bonferroni(chances: list[float]) -> None:
    raised = holm(chances)
    assert all(one <= other <= min(1.0, len(chances) * one) + 1e-12 for one, other in zip(chances, raised, strict=True))
    ordered = sorted(zip(chances, raised, strict=True))
    assert all(before[1] <= after[1] for before, after in pairwise(ordered))


def test_what_is_compared_together_must_stand_out_more() -> None:
    good, same = ([0.0] * 6 + [1.0] * 4, [1.0] * 10), ([0.0, 1.0], [1.0, 0.0])
    assert effects([good])[0].verdict == "better"
    several = effects([good, same, ([], [])])
    assert [one.verdict for one in several] == ["not_distinguishable", "not_distinguishable", "no_questions"]
    assert several[0].adjusted == pytest.approx(2 * several[0].p)


def test_what_is_compared_together_needs_more_questions() -> None:
    alone = effect(VALUES, OTHERS)
    nine = effects([(VALUES, OTHERS)] * 9)[0]
    assert alone.needed is not None
    assert effects([(VALUES, OTHERS)])[0] == alone
    normal = stats.norm.ppf
    ratio = ((normal(1 - 0.05 / 18) + normal(0.8)) / (normal(0.975) + normal(0.8))) ** 2
    assert nine.needed == pytest.approx(alone.needed * ratio, abs=2)


@given(values)
def test_a_setting_against_itself_is_equal(some: list[float]) -> None:
    found = effect(some, some)
    assert (found.difference, found.verdict, found.p, found.needed) == (0.0, "equal", 1.0, None)


def test_values_that_differ_in_their_last_digit_only_are_equal() -> None:
    assert effect([0.3, 0.5], [0.1 + 0.2, 0.5]).verdict == "equal"


def test_one_question_gives_a_difference_and_no_interval() -> None:
    found = effect([0.0], [1.0])
    assert (found.difference, found.interval, found.verdict) == (1.0, None, "not_distinguishable")


def test_lists_of_different_questions_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="expected those of the same questions"):
        effect([0.0], [1.0, 0.0])


@pytest.mark.parametrize("wanted", [0.02, 0.05, 0.1])
def test_the_questions_needed_are_the_fewest_that_reach_the_power(wanted: float) -> None:
    differences = [after - before for before, after in zip(VALUES, OTHERS, strict=True)]
    needed = statistics.questions_needed(differences, wanted)
    assert needed is not None

    def power(n: int) -> float:
        return float(stats.norm.cdf(wanted * math.sqrt(n) / np.std(differences, ddof=1) - stats.norm.ppf(0.975)))

    assert power(needed - 1) < 0.8 <= power(needed)


def test_without_difference_or_spread_no_number_of_questions_is_named() -> None:
    assert statistics.questions_needed([0.1, 0.2], 0.0) is None
    assert statistics.questions_needed([0.1, 0.1], 0.1) is None
    assert statistics.questions_needed([0.1], 0.1) is None


def test_a_share_has_wilsons_interval_and_a_mean_that_of_the_bootstrap() -> None:
    assert share([1.0] * 7 + [0.0] * 3).interval == wilson(7, 10)
    found = mean(VALUES)
    assert (found.method, found.n) == ("bootstrap", 40)
    assert found.interval == statistics.bootstrap(VALUES)
    assert found.value == pytest.approx(np.mean(VALUES))


def test_ten_perfect_values_are_not_certainty() -> None:
    found = mean([1.0] * 10)
    assert (found.value, found.method, found.interval) == (1.0, "bound", wilson(10, 10))
    half = mean([0.5] * 4)
    assert (half.method, half.interval) == ("bound", wilson(2, 4))


def test_few_values_are_not_resampled_because_their_interval_would_be_too_narrow() -> None:
    few = [0.75, 1.0]
    assert (mean(few).method, mean(few).interval) == ("bound", wilson(1.75, 2))
    assert mean(few * 5).method == "bootstrap"
    resampled, bound = statistics.bootstrap(few), mean(few).interval
    assert bound is not None
    assert bound.low < resampled.low


def test_no_question_gives_no_figure_and_one_question_a_wide_interval() -> None:
    assert (share([]), mean([])) == (Estimate(None, 0), Estimate(None, 0))
    assert mean([0.5]).interval == wilson(0.5, 1)
    assert share([1.0]).interval == wilson(1, 1)


@given(values)
def test_an_estimate_lies_in_its_interval_and_comes_again(some: list[float]) -> None:
    found = mean(some, resamples=500)
    assert found == mean(some, resamples=500)
    assert found.interval is not None
    assert found.value in found.interval


def test_intervals_of_nothing_are_refused() -> None:
    for bad in ((1, 0), (3, 2), (-1, 5)):
        with pytest.raises(ValueError, match="expected a number from 0 to n"):
            wilson(*bad)
    with pytest.raises(ValueError, match="found no value"):
        statistics.bootstrap([])


def test_about_half_of_the_questions_is_held_out_and_further_ones_move_none() -> None:
    ids = [f"frage-{number}" for number in range(300)]
    tuning, kept = halves(ids)
    assert 120 <= len(kept) <= 180
    assert sorted((*tuning, *kept)) == sorted(ids)
    assert tuple(one for one in halves([*ids[:50], "neu", *ids[50:]])[1] if one != "neu") == kept
    assert [held_out(one) for one in ids] == [one in set(kept) for one in ids]
    assert halves(ids, salt="2027")[1] != kept


def test_the_more_settings_are_tried_the_likelier_one_looks_good_by_chance() -> None:
    assert tried(0).chance == 0
    assert tried(1).chance == pytest.approx(0.05)
    assert tried(14).chance == pytest.approx(1 - 0.95**14)
    assert tried(231).chance > 0.99
    with pytest.raises(ValueError, match="expected 0 or more"):
        tried(-1)


def test_an_effect_survives_json() -> None:
    found = effect(VALUES, OTHERS)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Effect) == found
    assert isinstance(found.interval, Interval)

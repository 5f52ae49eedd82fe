"""Agreement of judges: the figures of the literature, and what is not said of too little."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from retrieval.evaluation.agreement import FEWEST, RELIABLE, TENTATIVE, agreement
from retrieval.evaluation.verdicts import Verdict, withdrawal
from tests.evaluation.lists import norm


def table(*rows: Sequence[int | None]) -> list[Verdict]:
    """Verdicts out of a table: a row for each judge, a column for each norm; None for no grade."""
    cells = [(judge, number, grade) for judge, row in zip("ABCDE", rows, strict=False) for number, grade in enumerate(row)]
    return [Verdict("f1", norm(f"n{number}"), grade, judge) for judge, number, grade in cells]


def alpha_by_hand(rows: Sequence[Sequence[int | None]]) -> float:
    """Krippendorff's alpha for ordered grades from its definition: coincidences of pairs, and squared ranks between two grades."""
    units = [[grade for grade in column if grade is not None] for column in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = [grade for unit in units for grade in unit]
    counts = {grade: values.count(grade) for grade in set(values)}

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        between = sum(count for grade, count in counts.items() if low <= grade <= high)
        return float(between - (counts[one] + counts[other]) / 2) ** 2 if one != other else 0.0

    def of_pairs(found: Sequence[int]) -> float:
        return sum(distance(one, other) for place, one in enumerate(found) for at, other in enumerate(found) if at != place)

    observed = sum(of_pairs(unit) / (len(unit) - 1) for unit in units) / len(values)
    expected = of_pairs(values) / (len(values) * (len(values) - 1))
    return 1 - observed / expected


def test_alpha_is_that_of_its_definition_with_missing_grades() -> None:
    drawn = random.Random(3)
    for _ in range(25):
        rows = [[drawn.choice((0, 1, 2, 3, None)) if drawn.random() < 0.4 else number % 4 for number in range(24)] for _ in range(3)]
        found = agreement(table(*rows))
        assert found.alpha is not None
        assert math.isclose(found.alpha, alpha_by_hand(rows), abs_tol=1e-9)


def test_full_agreement_is_one_and_opposite_grades_are_below_zero() -> None:
    grades = [0, 1, 2, 3] * 3
    assert agreement(table(grades, grades)).alpha == 1.0
    assert (agreement(table(grades, [3 - grade for grade in grades])).alpha or 0) < 0


@pytest.mark.parametrize(("wrong", "reading"), [(0, "agree"), (1, "agree"), (5, "partly"), (18, "differ")])
def test_the_reading_follows_the_thresholds_that_krippendorff_named(wrong: int, reading: str) -> None:
    first = [0, 3] * 15
    second = [3 - grade if number < wrong else grade for number, grade in enumerate(first)]
    found = agreement(table(first, second))
    assert found.alpha is not None
    assert found.reading == reading
    assert (found.alpha >= RELIABLE, found.alpha >= TENTATIVE) == {"agree": (True, True), "partly": (False, True)}.get(
        reading, (False, False)
    )


def test_few_norms_give_no_number() -> None:
    grades = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert agreement(table(grades[: FEWEST - 1], grades[: FEWEST - 1])).reading == "few"
    assert agreement(table(grades[: FEWEST - 1], grades[: FEWEST - 1])).alpha is None
    assert agreement(table(grades[:FEWEST], grades[:FEWEST])).alpha == 1.0


def test_none_shared_alone_agrees_with_nobody() -> None:
    found = agreement(table([0, 1, 2, 3] * 5))
    assert (found.judges, found.units, found.alpha, found.reading, found.pairs) == (("A",), 0, None, "none_shared", ())


def test_nobody_has_judged_anything_and_that_is_no_fault() -> None:
    assert agreement([]).reading == "none_shared"


def test_where_every_grade_is_the_same_chance_cannot_be_told_from_agreement() -> None:
    found = agreement(table([0] * 12, [0] * 12))
    assert (found.alpha, found.reading, found.pairs[0].share) == (None, "no_variation", 1.0)


def test_each_pair_counts_the_norms_that_both_have_graded() -> None:
    found = agreement(table([0, 1, 2, 3], [0, 1, None, 1], [None, None, 2, None]))
    assert [(one.first, one.second, one.n, one.equal, one.share) for one in found.pairs] == [
        ("A", "B", 3, 2, 2 / 3),
        ("A", "C", 1, 1, 1.0),
        ("B", "C", 0, 0, None),
    ]
    assert found.units == 4


def test_a_judge_without_a_norm_in_common_changes_nothing() -> None:
    rows = [[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], [0, 1, 2, 2, 0, 1, 3, 3, 0, 1, 2, 3]]
    alone = [Verdict("f2", norm("x"), 2, "C")]
    assert agreement([*table(*rows), *alone]).alpha == agreement(table(*rows)).alpha


def test_what_was_taken_back_or_said_anew_counts_as_it_stands_now() -> None:
    first, second = table([0, 1, 2], [0, 1, 2])[:3], table([0, 1, 2], [3, 3, 3])[3:]
    again = [Verdict(one.question_id, one.address, number, "B") for number, one in enumerate(second)]
    assert agreement([*first, *second, *again]).pairs[0].equal == 3
    assert agreement([*first, *second, withdrawal(second[0])]).pairs[0].n == 2


def test_the_same_norm_for_another_question_is_another_thing_to_judge() -> None:
    lines = [Verdict("f1", norm("a"), 1, "A"), Verdict("f2", norm("a"), 1, "B")]
    assert agreement(lines).units == 0

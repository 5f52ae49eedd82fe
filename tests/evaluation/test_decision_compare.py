"""Two decisions side by side, and a decision against what is measured today."""

from __future__ import annotations

import msgspec
import pytest

from retrieval.evaluation.decision_compare import compared, held, losses
from retrieval.evaluation.model import QuestionSet
from retrieval.settings import Settings
from tests.evaluation.decided import (
    BAD,
    HIGH,
    MARKS,
    QUESTIONS,
    QUICK,
    made,
    question,
    report,
    signed,
)


def test_two_decisions_compare_settings_set_figures_and_stock() -> None:
    first = made(after=report(), told=signed("Erste"))
    questions = QuestionSet("Satz", (question("f0", "§1"), *QUESTIONS[1:11], question("neu", "§1")))
    later = made(
        questions=questions,
        after=report(HIGH, others={"f3": BAD}, questions=questions),
        marks=msgspec.structs.replace(MARKS, index="9" * 10),
    )
    found = compared(first, later, QUICK)
    assert [(one.name, one.before, one.after) for one in found.shift.settings] == [("verweis_score", 0.5, 0.97)]
    assert not found.same_set
    names = [[one.id for one in some] for some in (found.set_change.added, found.set_change.removed, found.set_change.other_norms)]
    assert names == [["neu"], ["f11"], ["f0"]]
    assert found.questions == 10
    recall = next(one for one in found.common if one.metric == "recall")
    assert (recall.before, recall.after) == (1.0, pytest.approx(0.95))
    assert [one.question_id for one in losses(found.common)] == ["f3"]
    assert {one.part: one.verdict for one in found.stock} == {"code": "same", "index": "different", "model": "same", "anchors": "same"}


def test_other_words_and_tags_are_told_apart_from_other_norms() -> None:
    questions = QuestionSet("Satz", (msgspec.structs.replace(QUESTIONS[0], note="neu"), *QUESTIONS[1:]))
    found = compared(made(after=report()), made(questions=questions, after=report(questions=questions)), QUICK)
    assert [one.id for one in found.set_change.reworded] == ["f0"]
    assert found.set_change.other_norms == ()
    assert found.questions == 11


def test_figures_over_other_numbers_of_places_are_not_compared() -> None:
    longer = Settings.of(max_final_results=5)
    found = compared(made(after=report()), made(after=report(longer), before=report(longer)), QUICK)
    assert (found.common, found.k) == ((), (4, 5))


# --- a decision against today ------------------------------------------------------------------------------------------------


def test_a_decision_holds_when_every_figure_is_reached() -> None:
    found = held(made(), report(HIGH, others={"f0": BAD}), now=MARKS)
    assert found.holds
    assert (found.questions, found.same_set, found.worse, found.unpaired) == (12, True, {}, ())
    assert {line.verdict for line in found.stock} == {"same"}


def test_a_figure_that_falls_breaks_it_and_the_losers_are_named() -> None:
    found = held(made(), report(HIGH, others={"f0": BAD, "f3": BAD}))
    assert not found.holds
    recall = next(one for one in found.shortfalls if one.metric == "recall")
    assert (recall.decided, recall.now) == (pytest.approx(11.5 / 12), pytest.approx(11 / 12))
    assert [one.question_id for one in recall.worse] == ["f3"]
    assert {line.verdict for line in found.stock} == {"unknown"}


def test_a_fall_within_the_tolerance_holds_and_still_names_who_lost() -> None:
    worse = report(HIGH, others={"f0": BAD, "f3": BAD})
    assert not held(made(), worse, 0.04).holds
    found = held(made(), worse, 0.5)
    assert found.holds
    assert [one.question_id for one in found.worse["recall"]] == ["f3"]


def test_only_common_questions_are_compared_and_none_prove_nothing() -> None:
    questions = QuestionSet("Satz", (*QUESTIONS[:6], question("neu", "§1 §5")))
    found = held(made(), report(HIGH, others={"f0": BAD}, questions=questions))
    assert (found.questions, found.same_set, found.holds) == (6, False, True)
    assert found.unpaired == (*(f"f{number}" for number in range(6, 12)), "neu")
    other = QuestionSet("Satz", (question("neu", "§1"),))
    assert not held(made(), report(HIGH, questions=other)).holds


def test_a_figure_that_vanished_is_a_shortfall() -> None:
    today = report(HIGH, others={"f0": BAD})
    rows = tuple(msgspec.structs.replace(row, values={**row.values, "chain_coverage": None}) for row in today.rows)
    found = held(made(), msgspec.structs.replace(today, rows=rows))
    assert [(one.metric, one.now) for one in found.shortfalls] == [("chain_coverage", None)]

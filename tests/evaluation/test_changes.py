"""Two versions of a set: what came, what went, what says something else, by name."""

from __future__ import annotations

from hypothesis import given

from retrieval.evaluation.changes import SetChanges, changes
from retrieval.evaluation.formats import csv_table
from retrieval.evaluation.formats.preview import beside
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from tests.evaluation.question_sets import federation, need, question, question_sets

A = question("a", "A?", need("sgb_v||§ 129"))
B = question("b", "B?")


def test_questions_that_came_went_and_changed_are_told_by_name() -> None:
    edited = question("b", "B?", need("sgb_v||§ 31"), chain=True)
    found = changes(QuestionSet("s", (A, B)), QuestionSet("s", (edited, question("c"))))
    assert [one.id for one in found.added] == ["c"]
    assert [one.id for one in found.removed] == ["a"]
    assert [(one.before, one.after, one.parts) for one in found.edited] == [(B, edited, ("needs", "chain"))]
    assert not found.moved
    assert not found.none


def test_another_order_and_another_name_are_changes_too() -> None:
    found = changes(QuestionSet("s", (A, B)), QuestionSet("t", (B, A)))
    assert found == SetChanges(moved=True, named=True)


@given(one=question_sets(), other=question_sets())
def test_there_is_no_change_exactly_between_equal_sets(one: QuestionSet, other: QuestionSet) -> None:
    assert changes(one, one).none
    assert changes(one, other).none == (one == other)


def test_beside_a_set_the_same_question_and_another_under_its_id_are_told_apart() -> None:
    golds = Golds(federation())
    data = "id;frage;gold\na;A?;sgb_v § 129\na2;B? ;\nb;Etwas anderes?;\nneu;Neu?;\n".encode()
    preview = beside(csv_table.read(data, golds, "s"), QuestionSet("s", (A, B)), ids_are_made=False)
    assert [(row.verdict, row.remarks[0].code, row.remarks[0].values) for row in preview.rows[:3]] == [
        ("refused", "in_set", {"id": "a"}),
        ("refused", "in_set", {"id": "b"}),
        ("refused", "id_in_set", {"id": "b"}),
    ]
    assert [one.id for one in preview.questions.questions] == ["neu"]


def test_the_same_id_with_other_norms_is_not_taken_and_said() -> None:
    data = "id;frage;gold\na;A?;sgb_v § 31\n".encode()
    preview = beside(csv_table.read(data, Golds(federation()), "s"), QuestionSet("s", (A,)), ids_are_made=False)
    assert [remark.code for remark in preview.rows[0].remarks] == ["id_in_set"]
    assert preview.questions.questions == ()

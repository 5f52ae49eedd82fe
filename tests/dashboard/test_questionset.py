"""A set of questions under two settings: it stops, goes on, names what failed and asks nothing twice."""

from __future__ import annotations

from typing import Any

from dashboard import questionset
from dashboard.questionset import SetRun, Side
from dashboard.stock import Runs
from retrieval.settings import Settings
from tests.dashboard.demo import QUESTION, federation

QUESTIONS = (QUESTION, "Was sagt TA-T zur Abrechnung der Apotheke?", "Arzneimittel lagern")
A, B = Side("A", Settings()), Side("B", Settings.of(weight_vector=1, weight_lexical=0))


def whole(run: SetRun, runs: Runs, known: questionset.Known) -> SetRun:
    while run.going:
        run = questionset.advanced(run, runs, known)
    return run


def test_every_question_is_run_once_in_order() -> None:
    done = whole(SetRun(QUESTIONS, A, B, "1"), Runs(federation()), {})
    assert [row.question for row in done.rows] == list(QUESTIONS)
    assert (done.done, done.failed, done.stopped) == (3, (), False)


def test_settings_that_gather_the_same_embed_each_question_once() -> None:
    runs = Runs(federation())
    whole(SetRun(QUESTIONS, A, B, "1"), runs, {})
    assert runs.registry.embedded == len(QUESTIONS)


def test_a_stopped_set_keeps_its_rows_and_goes_on_where_it_was() -> None:
    runs: Runs = Runs(federation())
    run = questionset.stopped(questionset.advanced(SetRun(QUESTIONS, A, B, "1"), runs, {}))
    assert (run.going, run.done) == (False, 1)
    assert whole(questionset.continued(run), runs, {}) == whole(SetRun(QUESTIONS, A, B, "1"), runs, {})


def test_a_question_that_cannot_be_run_is_named_and_the_others_go_on() -> None:
    runs = Runs(federation())
    gather = runs.federation.gather

    def breaks(question: str, *rest: Any, **more: Any) -> Any:
        if question == QUESTIONS[1]:
            raise RuntimeError("kaputt")
        return gather(question, *rest, **more)

    runs.federation.gather = breaks  # type: ignore[method-assign]
    done = whole(SetRun(QUESTIONS, A, B, "1"), runs, {})
    assert [row.question for row in done.rows] == [QUESTIONS[0], QUESTIONS[2]]
    assert [(one.question, one.error_class, one.message) for one in done.failed] == [(QUESTIONS[1], "RuntimeError", "kaputt")]


def test_what_is_known_is_not_run_again_and_another_stock_is_not_what_is_known() -> None:
    known: questionset.Known = {}
    whole(SetRun(QUESTIONS, A, B, "1"), Runs(federation()), known)
    again, other = Runs(federation()), Runs(federation())
    whole(SetRun(QUESTIONS, Side("ein anderer Titel", A.settings), B, "1"), again, known)
    assert again.registry.embedded == 0
    other.registry.stamp = "2"
    whole(SetRun(QUESTIONS, A, B, "2"), other, known)
    assert other.registry.embedded == len(QUESTIONS)


def test_a_row_of_a_run_that_failed_in_part_is_marked_and_asked_again_next_time() -> None:
    known: questionset.Known = {}
    done = whole(SetRun(QUESTIONS[:1], A, B, "1"), Runs(federation(fails={"vertrag": "corpus"})), known)
    assert [row.partial for row in done.rows] == [True]
    assert known == {}


def test_a_set_ends_where_the_stock_changes() -> None:
    runs = Runs(federation())
    run = questionset.advanced(SetRun(QUESTIONS, A, B, "1"), runs, {})
    runs.registry.stamp = "2"
    ended = questionset.advanced(run, runs, {})
    assert (ended.going, ended.rows) == (False, run.rows)


def test_what_is_known_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(questionset, "MOST_KNOWN", 2)
    known: questionset.Known = {}
    whole(SetRun(QUESTIONS, A, B, "1"), Runs(federation()), known)
    assert [row.question for row in known.values()] == list(QUESTIONS[1:])

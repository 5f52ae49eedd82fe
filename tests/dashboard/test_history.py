"""The history of a session: every state once in a row, pins with letters, the way back."""

from __future__ import annotations

from dashboard import history
from dashboard.history import LONGEST_NAME, MOST, History
from dashboard.state import State, read, write
from retrieval.settings import Settings

FIRST = State(question="Was gilt?", values={"min_ratio": 0.5})


def noted(*states: State) -> History:
    found = History()
    for at, state in enumerate(states):
        found = history.noted(found, state, float(at))
    return found


def test_a_state_stands_once_in_a_row_and_again_after_another_one() -> None:
    other = FIRST.with_value("min_ratio", 0.6)
    found = noted(FIRST, FIRST, other, other, FIRST)
    assert [(one.number, one.at, one.values) for one in found.tried] == [
        (1, 0.0, {"min_ratio": 0.5}),
        (2, 2.0, {"min_ratio": 0.6}),
        (3, 4.0, {"min_ratio": 0.5}),
    ]


def test_what_a_run_does_not_read_makes_no_new_state() -> None:
    same = FIRST.replaced(language="en", show_all=True, norm="x", mode="dense", step=3, seen="fp")
    assert len(noted(FIRST, same, FIRST.with_value("verweis_score", 0.5)).tried) == 1


def test_question_settings_and_stages_left_out_each_make_a_new_state() -> None:
    found = noted(FIRST, FIRST.replaced(question="Und nun?"), FIRST, FIRST.replaced(without=("quota",)))
    assert len(found.tried) == 4
    assert found.questions == ("Was gilt?", "Und nun?")


def test_going_back_brings_question_and_settings_and_leaves_the_rest() -> None:
    found = noted(FIRST.replaced(without=("quota",)))
    now = State(question="Anderes", values={"fusion": "rrf"}, language="en", step=4)
    back = history.back_to(now, found.tried[0])
    assert back == State(question="Was gilt?", values={"min_ratio": 0.5}, without=("quota",), language="en")
    assert read(write(back))[0] == back


def test_the_oldest_states_fall_out_and_are_counted_while_numbers_go_on() -> None:
    found = noted(*(FIRST.replaced(question=f"Frage {number}?") for number in range(MOST + 3)))
    assert (len(found.tried), found.fallen) == (MOST, 3)
    assert (found.tried[0].number, found.tried[0].question) == (4, "Frage 3?")
    assert found.tried[-1].number == MOST + 3


def test_the_same_settings_are_pinned_once_whatever_the_question() -> None:
    found = history.pinned(history.pinned(History(), FIRST), FIRST.replaced(question="Anderes", language="en"))
    assert [pin.letter for pin in found.pins] == ["A"]
    assert history.pin_of(found, FIRST) == found.pins[0]
    assert history.pin_of(found, FIRST.replaced(without=("quota",))) is None


def test_any_number_can_be_pinned_and_no_letter_comes_twice() -> None:
    found = History()
    for number in range(60):
        found = history.pinned(found, FIRST.with_value("fetch_k", number + 1))
        if number == 1:
            found = history.unpinned(found, "A")
    letters = [pin.letter for pin in found.pins]
    assert letters[:2] == ["B", "C"]
    assert letters[24:27] == ["Z", "AA", "AB"]
    assert len(set(letters)) == len(letters) == 59


def test_a_name_is_one_line_of_bounded_length_and_can_be_taken_away() -> None:
    found = history.renamed(history.pinned(History(), FIRST), "A", "  ohne\n Quote " + "x" * 99)
    assert found.pins[0].title.startswith("A · ohne Quote xxx")
    assert len(found.pins[0].name) == LONGEST_NAME
    assert history.renamed(found, "A", " ").pins[0].title == "A"


def test_a_pin_brings_its_settings_and_leaves_the_question() -> None:
    found = history.pinned(History(), FIRST.replaced(without=("quota",)))
    back = history.applied(State(question="Anderes", values={"fusion": "rrf"}), found.pins[0])
    assert (back.question, back.settings, back.without) == ("Anderes", Settings.of(min_ratio=0.5), ("quota",))
    assert history.pin_of(found, back) == found.pins[0]

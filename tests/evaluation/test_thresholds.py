"""The decision gap: the stretch in which a threshold makes no mistake, the room in it, and what contradicts it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decide import decide
from retrieval.evaluation.statistics import wilson
from retrieval.evaluation.thresholds import QUANTITIES, Gap, Observed, Span, choice, gap, middle, observed
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.builders import answer, chunk, pool
from tests.evaluation.lists import question, simple


def seen(name: str, value: float | None, right: bool) -> Observed:
    return Observed(name, f"Frage {name}", right, value, value)


# Wrong ones below 0.0649, right ones from 0.0759 on.
APART = [seen("w1", 0.01, False), seen("w2", 0.0649, False), seen("r1", 0.0759, True), seen("r2", 0.2, True)]


def run_of(cosines: dict[str, float], lexical: dict[str, float] | None = None) -> Trace:
    """The run of one corpus; each section has its cosine in the vector route."""
    names = {**cosines, **(lexical or {})}
    stock = [chunk(f"gesetz/{name}", "gesetz", name) for name in names]
    found = answer("gesetz", {f"gesetz/{n}": c for n, c in cosines.items()}, {f"gesetz/{n}": s for n, s in (lexical or {}).items()})
    return decide(pool([found], stock), Settings())


def test_a_narrow_gap_has_its_two_ends_and_the_questions_that_pin_it() -> None:
    found = gap("min_gap", APART)
    assert found.feasible
    assert found.best == Span(0.0649, 0.0759, 0)
    chosen = choice(found, middle(found) or 0.0)
    assert chosen.threshold == pytest.approx(0.0704)
    assert (chosen.below, chosen.above) == (pytest.approx(0.0055), pytest.approx(0.0055))
    assert (chosen.pins_below, chosen.pins_above) == (("w2",), ("r1",))
    assert (chosen.refused, chosen.passed, chosen.mistakes) == ((), (), 0)


def test_the_lower_end_does_not_belong_to_the_stretch_and_the_upper_one_does() -> None:
    found = gap("min_gap", APART)
    assert choice(found, 0.0649).passed == ("w2",)
    assert choice(found, 0.0759).mistakes == 0


def test_another_threshold_is_told_its_mistakes_with_their_interval() -> None:
    chosen = choice(gap("min_gap", APART), 0.1)
    assert (chosen.refused, chosen.passed) == (("r1",), ())
    assert chosen.errors == wilson(1, 4)
    assert chosen.span == Span(0.0759, 0.2, 1)


def test_questions_that_contradict_are_named_and_the_fewest_mistakes_counted() -> None:
    mixed = [seen("w1", 0.1, False), seen("r1", 0.2, True), seen("w2", 0.3, False), seen("r2", 0.4, True)]
    found = gap("min_score", mixed)
    assert not found.feasible
    assert found.contradicting == ("r1", "w2")
    assert found.best == Span(0.1, 0.2, 1)


def test_a_right_and_a_wrong_question_of_one_value_contradict_each_other() -> None:
    found = gap("min_score", [seen("w", 0.5, False), seen("r", 0.5, True)])
    assert found.contradicting == ("w", "r")
    assert found.best is not None
    assert found.best.mistakes == 1


def test_with_right_questions_only_nothing_bounds_the_threshold_below() -> None:
    found = gap("min_score", [seen("r1", 0.4, True), seen("r2", 0.6, True)])
    assert found.best == Span(None, 0.4, 0)
    chosen = choice(found, middle(found) or 0.0)
    assert chosen.threshold < 0.4
    assert (chosen.below, chosen.pins_below, chosen.mistakes) == (None, (), 0)


def test_questions_without_a_value_are_counted_apart() -> None:
    found = gap("min_gap", [*APART, seen("leer", None, False)], ["unbekannt"])
    assert len(found.observed) == 4
    assert (found.without_value, found.without_gold) == (("leer",), ("unbekannt",))


def test_without_any_value_there_is_no_stretch() -> None:
    found = gap("min_gap", [seen("leer", None, True)])
    assert (found.best, found.feasible, middle(found)) == (None, False, None)
    assert choice(found, 0.5).errors is None


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=9))
def test_no_threshold_makes_fewer_mistakes_than_the_best_stretch(made: list[tuple[int, bool]]) -> None:
    questions = [seen(f"f{number}", value / 10, right) for number, (value, right) in enumerate(made)]
    found = gap("min_score", questions)
    tried = [choice(found, step / 20) for step in range(-2, 24)]
    assert found.best is not None
    assert min(one.mistakes for one in tried) == found.best.mistakes
    assert all(one.span.mistakes == one.mistakes for one in tried)
    assert found.feasible == (not found.contradicting)


def test_the_values_are_raw_cosines_and_not_rank_scores() -> None:
    found = observed(simple("b"), run_of({"a": 0.4, "b": 0.55}, {"a": 0.9, "c": 0.8}))
    assert found is not None
    assert (found.min_score, found.min_gap, found.right) == (0.55, pytest.approx(0.15), True)
    assert found.norm is not None
    assert found.norm.section_id == "b"


def test_one_decision_score_has_no_gap_and_none_has_no_value() -> None:
    one = observed(simple("a"), run_of({"a": 0.4}))
    none = observed(simple("a"), run_of({}, {"a": 0.9}))
    assert one is not None
    assert none is not None
    assert (one.min_gap, one.min_score) == (None, 0.4)
    assert (none.min_gap, none.min_score, none.right, none.norm) == (None, None, False, None)


def test_a_question_without_gold_is_neither_right_nor_wrong() -> None:
    assert observed(question(id="leer"), run_of({"a": 0.4})) is None


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_gap_survives_json(quantity: str) -> None:
    found = gap(quantity, APART)  # type: ignore[arg-type]
    assert msgspec.json.decode(msgspec.json.encode(found), type=Gap) == found

"""Selection: required first, never cut; none routed means all."""

from __future__ import annotations

from retrieval.stages.selection import rivals, select


def test_a_required_corpus_comes_first_and_is_never_cut() -> None:
    selection = select(["a", "b", "c"], ["a", "b"], ["c", "b", "c"], 1)
    assert (selection.required, selection.selected, selection.cut, selection.cap) == (("c", "b"), ("c", "b"), ("a",), 2)


def test_none_routed_means_every_corpus() -> None:
    assert select(["a", "b", "c"], [], [], 2).selected == ("a", "b")
    assert select(["a", "b", "c"], ["unbekannt"], [], 4).selected == ("a", "b", "c")


def test_a_corpus_that_is_not_available_is_neither_routed_nor_required() -> None:
    selection = select(["a"], ["x", "a"], ["y"], 4)
    assert (selection.routed, selection.required, selection.selected) == (("a",), (), ("a",))


def test_the_corpora_nearest_to_the_question_are_asked_and_required_ones_lead() -> None:
    near = {"a": 0.1, "b": 0.7, "c": 0.4}
    selection = select(["a", "b", "c", "d"], [], ["d"], 2, near)
    assert (selection.selected, selection.cut) == (("d", "b"), ("c", "a"))


def test_a_corpus_that_cannot_be_measured_is_not_left_out_for_one_that_can() -> None:
    assert select(["a", "b", "foreign"], [], [], 2, {"a": 0.9, "b": 0.8}).selected == ("foreign", "a")


def test_equally_near_corpora_keep_their_order() -> None:
    assert select(["a", "b", "c"], [], [], 2, dict.fromkeys("abc", 0.5)).selected == ("a", "b")


def test_nothing_is_measured_where_all_can_be_asked() -> None:
    assert rivals(["a", "b"], [], [], 2) == ()
    assert rivals(["a", "b", "c"], [], ["b"], 2) == ("a", "c")
    assert rivals(["a", "b", "c"], ["a", "b"], [], 2) == ()

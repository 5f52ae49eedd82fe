"""Selection: required first, never cut; none routed means all."""

from __future__ import annotations

from retrieval.stages.selection import select


def test_a_required_corpus_comes_first_and_is_never_cut() -> None:
    selection = select(["a", "b", "c"], ["a", "b"], ["c", "b", "c"], 1)
    assert (selection.required, selection.selected, selection.cut, selection.cap) == (("c", "b"), ("c", "b"), ("a",), 2)


def test_none_routed_means_every_corpus() -> None:
    assert select(["a", "b", "c"], [], [], 2).selected == ("a", "b")
    assert select(["a", "b", "c"], ["unbekannt"], [], 4).selected == ("a", "b", "c")


def test_a_corpus_that_is_not_available_is_neither_routed_nor_required() -> None:
    selection = select(["a"], ["x", "a"], ["y"], 4)
    assert (selection.routed, selection.required, selection.selected) == (("a",), (), ("a",))

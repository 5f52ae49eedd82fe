"""References: best hit first, then the order of the text; what takes no place of the cap."""

from __future__ import annotations

from retrieval.model import Address, Reference
from retrieval.stages.references import Verweis, targets
from tests.builders import chunk, entry

CHUNKS = {one.chunk_id: one for one in [chunk(name, section=f"§ {number}") for number, name in enumerate("abc", 1)]}
LIST = [entry("a", 0.9), entry("b", 0.5), entry("c", 0.1)]


def to(section: str, state: str = "resolved", corpus: str = "gesetz", subsection: str = "") -> Reference:
    return Reference(0, 4, section, state, Address(corpus, "", section, subsection))  # type: ignore[arg-type]


def run(references: dict[str, list[Reference]], cap: int = 9, limit: int | None = 2) -> list[tuple[str, str, str]]:
    found: tuple[Verweis, ...] = targets(LIST, references, CHUNKS, ["gesetz"], cap, limit)
    return [(one.by, one.words, one.fate) for one in found]


def test_the_best_hit_is_read_first_and_the_cap_names_what_it_leaves_out() -> None:
    assert run({"b": [to("§ 8")], "a": [to("§ 11"), to("§ 12")]}, cap=2) == [
        ("a", "§ 11", "follow"),
        ("a", "§ 12", "follow"),
        ("b", "§ 8", "beyond_cap"),
    ]


def test_a_hit_behind_the_list_speaks_for_no_other_norm() -> None:
    references = {"c": [to("§ 8"), to("§ 1")], "b": [to("§ 9")]}
    assert run(references, limit=2) == [("b", "§ 9", "follow"), ("c", "§ 8", "behind_list"), ("c", "§ 1", "already_in_list")]
    assert run(references, limit=None)[1] == ("c", "§ 8", "follow")


def test_a_hit_without_a_rank_speaks_for_no_other_norm() -> None:
    found = targets([entry("a", 0.0)], {"a": [to("§ 8")]}, CHUNKS, ["gesetz"], 3, 10)
    assert [one.fate for one in found] == ["no_rank"]


def test_a_norm_that_is_already_in_the_list_takes_no_place() -> None:
    assert run({"a": [to("§ 2"), to("§ 3"), to("§ 4")]}, cap=1, limit=2) == [
        ("a", "§ 2", "already_in_list"),
        ("a", "§ 3", "follow"),  # only in the part behind the limit
        ("a", "§ 4", "beyond_cap"),
    ]


def test_a_norm_is_named_once_and_never_by_itself() -> None:
    assert run({"a": [to("§ 1"), to("§ 7"), to("§ 7")], "b": [to("§ 7")]}) == [
        ("a", "§ 1", "own_norm"),
        ("a", "§ 7", "follow"),
        ("a", "§ 7", "repeated"),
        ("b", "§ 7", "repeated"),
    ]


def test_another_absatz_of_a_norm_in_the_list_is_another_address() -> None:
    assert run({"a": [to("§ 2", subsection="4")]}) == [("a", "§ 2", "follow")]


def test_what_cannot_be_followed_says_why_and_takes_no_place() -> None:
    states = [to("§ 5", "repealed"), to("§ 6", "ambiguous"), Reference(0, 3, "§ 7", "not_in_stock", None, "HausO")]
    assert run({"a": [*states, to("§ 8", corpus="anderes"), to("§ 9")]}, cap=1) == [
        ("a", "§ 5", "repealed"),
        ("a", "§ 6", "ambiguous"),
        ("a", "§ 7", "not_in_stock"),
        ("a", "§ 8", "corpus_not_selected"),
        ("a", "§ 9", "follow"),
    ]

"""Filters: read in Chroma's form, applied in memory, a foreign container's condition taken out."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval.errors import BadInput
from retrieval.where import for_corpus, matches

NORM = {"container_id": "Vertrag", "section_id": "§ 9", "chunk_index_in_section": 2}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, True),
        ({}, True),
        ({"section_id": "§ 9"}, True),
        ({"section_id": "§ 91"}, False),
        ({"section_id": {"$in": []}}, False),
        ({"section_id": {"$nin": ["§ 1"]}}, True),
        ({"$and": [{"section_id": "§ 9"}, {"container_id": {"$ne": "Vertrag"}}]}, False),
        ({"$or": [{"section_id": "§ 1"}, {"chunk_index_in_section": {"$gte": 2}}]}, True),
        ({"missing": {"$lt": 3}}, False),
    ],
)
def test_a_filter_means_what_it_says(where: dict[str, Any] | None, expected: bool) -> None:
    assert matches(NORM, where) is expected


@pytest.mark.parametrize("where", [{"$not": {"section_id": "§ 9"}}, {"a": {"$regex": "9"}}, "§ 9"])
def test_a_filter_that_is_none_is_refused_before_any_corpus_is_asked(where: Any) -> None:
    with pytest.raises(BadInput, match="Filter: found"):
        for_corpus(where, "Vertrag")


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(BadInput, match=r"\$regex"):
        matches(NORM, {"section_id": {"$regex": "9"}})


@pytest.mark.parametrize(
    ("where", "container", "kept", "dropped"),
    [
        ({"container_id": "Vertrag"}, "Vertrag", {"container_id": "Vertrag"}, ""),
        ({"container_id": "Vertrag"}, "", None, "Vertrag"),
        ({"container_id": "Vertrag", "kind": "x"}, "Anlage 1", {"kind": "x"}, "Vertrag"),
        ({"$and": [{"container_id": "Vertrag"}, {"kind": "x"}]}, "", {"kind": "x"}, "Vertrag"),
        (None, "Vertrag", None, ""),
    ],
)
def test_only_the_foreign_container_condition_is_dropped(where: Any, container: str, kept: Any, dropped: str) -> None:
    assert for_corpus(where, container) == (kept, dropped)

"""Named corpus first: the order changes, nothing drops out."""

from __future__ import annotations

import pytest

from retrieval.stages.named_first import named_first
from tests.builders import entry

HITS = [entry("a", 0.9, "vertrag"), entry("b", 0.5, "gesetz"), entry("c", 0.4, "richtlinie"), entry("d", 0.3, "richtlinie")]


def test_the_best_hit_of_the_named_corpus_moves_to_the_front() -> None:
    moved = named_first(HITS, ["richtlinie"], ["vertrag", "gesetz", "richtlinie"])
    assert [one.chunk_id for one in moved.ranking.living] == ["c", "a", "b", "d"]
    assert (moved.ranking.living[0].rank, moved.moved, moved.from_place, moved.lifted_from) == (0.9, "c", 3, 0.4)


@pytest.mark.parametrize(
    ("named", "selected", "reason"),
    [
        ([], ["vertrag", "gesetz"], "none_named"),
        (["vertrag", "gesetz"], ["vertrag", "gesetz"], "all_named"),
        (["vertrag"], ["vertrag", "gesetz"], "already_first"),
        (["x"], ["vertrag", "x"], "named_gave_nothing"),
        (["nicht gefragt"], ["vertrag"], "none_named"),
    ],
)
def test_otherwise_nothing_moves_and_the_reason_is_told(named: list[str], selected: list[str], reason: str) -> None:
    result = named_first(HITS, named, selected)
    assert (result.ranking.entries, result.reason) == (tuple(HITS), reason)

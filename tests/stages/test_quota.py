"""Quota: the small corpus keeps its place."""

from __future__ import annotations

import pytest

from retrieval.ranking import Entry
from retrieval.stages.quota import Quota, apply_quota
from tests.builders import entry


def ranked(**corpora: list[float]) -> list[Entry]:
    """Entries named by corpus and number, best first."""
    entries = [entry(f"{corpus}{number}", score, corpus) for corpus, scores in corpora.items() for number, score in enumerate(scores, 1)]
    return sorted(entries, key=lambda one: -one.rank)


def names(quota: Quota) -> list[str]:
    return [one.chunk_id for one in quota.ranking.living]


def test_a_comparable_corpus_gets_in_and_one_with_nothing_to_say_does_not() -> None:
    quota = apply_quota(ranked(A=[0.92, 0.90, 0.88, 0.86, 0.84, 0.82, 0.80, 0.78], B=[0.60], C=[0.10]), 6, 2, 0.25)
    assert names(quota) == ["A1", "A2", "A3", "A4", "A5", "B1"]
    assert [(one.corpus_id, one.takes_part, one.reserved) for one in quota.corpora] == [("A", True, 2), ("B", True, 1), ("C", False, 0)]
    assert quota.floor == pytest.approx(0.23)


def test_rounds_are_whole_and_never_more_than_half_of_the_list() -> None:
    quota = apply_quota(ranked(A=[0.90 - 0.01 * n for n in range(12)], B=[0.70, 0.69], C=[0.60, 0.59], D=[0.50, 0.49]), 10, 2, 0.25)
    assert names(quota) == [*(f"A{n}" for n in range(1, 8)), "B1", "C1", "D1"]
    assert (quota.rounds, quota.places, quota.stopped) == (1, 5, "half")


def test_every_place_says_whether_it_was_promised_or_filled() -> None:
    quota = apply_quota(ranked(A=[0.9, 0.8, 0.7, 0.6], B=[0.5]), 4, 1, 0.25)
    assert [(one.chunk_id, one.fate.code, one.fate.round) for one in quota.ranking.entries] == [
        ("A1", "reserved", 1),
        ("A2", "filled", 0),
        ("A3", "filled", 0),
        ("B1", "reserved", 1),
        ("A4", "below_limit", 0),
    ]


@pytest.mark.parametrize(
    ("limit", "rounds", "ratio", "reason"),
    [(None, 2, 0.25, "no_limit"), (9, 2, 0.25, "fits"), (2, 0, 0.25, "switched_off"), (2, 2, 1.0, "too_few_qualify")],
)
def test_where_there_is_nothing_to_promise_the_list_is_only_cut(limit: int | None, rounds: int, ratio: float, reason: str) -> None:
    quota = apply_quota(ranked(A=[0.9, 0.8], B=[0.5]), limit, rounds, ratio)
    assert (quota.applied, quota.reason) == (False, reason)
    assert names(quota) == ["A1", "A2", "B1"][:limit]


def test_one_corpus_is_only_cut() -> None:
    assert apply_quota(ranked(A=[0.9, 0.8, 0.7]), 2, 2, 0.25).reason == "one_corpus"


def test_an_empty_list_stays_empty() -> None:
    assert names(apply_quota([], 10, 2, 0.25)) == []

"""Our own gold: every sentence outside the third for reporting is read exactly, and the third as well as is promised."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.reference_gold import Sentence, read, sentences

REST = [sentence for sentence in sentences() if not sentence.for_reporting]
REPORTING = [sentence for sentence in sentences() if sentence.for_reporting]


@pytest.mark.parametrize("sentence", REST, ids=lambda sentence: sentence.sentence_id)
def test_a_sentence_is_read_with_its_spans_states_and_addresses(sentence: Sentence) -> None:
    assert Counter(read(sentence)) == Counter(sentence.expected), sentence.text


def test_the_third_for_reporting_reaches_its_bar() -> None:
    pairs = [(Counter(sentence.expected), Counter(read(sentence))) for sentence in REPORTING]
    hits = sum((expected & got).total() for expected, got in pairs)
    f1 = 2 * hits / sum(expected.total() + got.total() for expected, got in pairs)
    assert f1 >= 0.98


def test_the_gold_is_large_enough_and_a_third_of_it_is_kept() -> None:
    assert sum(len(sentence.expected) for sentence in sentences()) >= 400
    assert 0.25 < len(REPORTING) / len(sentences()) < 0.42
    assert len({sentence.sentence_id for sentence in sentences()}) == len(sentences())


def test_the_gold_holds_every_state_and_every_kind_of_text() -> None:
    assert {key[2] for sentence in sentences() for key in sentence.expected} == {
        "resolved",
        "repealed",
        "ambiguous",
        "not_in_stock",
        "open_ended",
        "quoted",
        "former",
    }
    genres = {sentence.genre for sentence in sentences()}
    assert genres == {"statute", "contract", "directive", "annex", "question", "decision", "amendment", "page"}

"""The catalogue: both languages say the same things, and every code of a run has a word."""

from datetime import date
from string import Formatter
from typing import get_args

import pytest

from retrieval.ranking import FateCode, RankBy
from retrieval.settings import KNOBS
from retrieval.stages.references import VerweisFate
from retrieval.words import NONE, Words, catalogue


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


PACKAGES = ["retrieval.words", "dashboard.words"]


@pytest.mark.parametrize("package", PACKAGES)
def test_both_languages_hold_the_same_keys_in_the_same_order(package: str) -> None:
    assert list(catalogue("de", package)) == list(catalogue("en", package))


@pytest.mark.parametrize("package", PACKAGES)
def test_both_languages_fill_the_same_placeholders(package: str) -> None:
    german, english = catalogue("de", package), catalogue("en", package)
    assert [key for key in german if placeholders(german[key]) != placeholders(english[key])] == []


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_is_empty_or_padded(language: str, package: str) -> None:
    assert [key for key, text in catalogue(language, package).items() if not text or text != text.strip()] == []


def test_the_two_catalogues_share_no_key() -> None:
    assert set(catalogue("de", PACKAGES[0])) & set(catalogue("de", PACKAGES[1])) == set()


@pytest.mark.parametrize(
    ("family", "codes"), [("fate", get_args(FateCode)), ("rank_by", get_args(RankBy)), ("verweis", get_args(VerweisFate))]
)
def test_every_code_of_a_stage_has_a_word(family: str, codes: tuple[str, ...]) -> None:
    assert [code for code in codes if f"{family}.{code}" not in catalogue("de")] == []


def test_every_choice_of_a_knob_has_a_word() -> None:
    choices = {choice for knob in KNOBS.values() for choice in knob.choices}
    assert {choice for choice in choices if f"choice.{choice}" not in catalogue("de")} == set()


def test_values_are_put_in_as_they_are() -> None:
    assert Words("de").t("fate.reserved", round="{round} $1") == "durch die Quote, Runde {round} $1"


def test_german_numbers_have_a_decimal_comma() -> None:
    assert (Words("de").number(0.5), Words("en").number(0.5)) == ("0,500", "0.500")
    assert (Words("de").whole(6670), Words("en").whole(6670)) == ("6.670", "6,670")


def test_a_difference_is_that_of_the_numbers_that_are_shown() -> None:
    words = Words("de")
    one, other = 0.2804, 0.4285
    assert (words.number(one), words.number(other), words.difference(one, other)) == ("0,280", "0,428", "0,148")
    assert (words.number(0.1274), words.number(0.1935), words.difference(0.1274, 0.1935)) == ("0,127", "0,194", "0,067")
    assert words.difference(None, 0.5) == NONE


def test_a_date_is_written_as_the_language_writes_it() -> None:
    day = date(2026, 11, 5)
    assert (Words("de").date(day), Words("en").date(day)) == ("05.11.2026", "5 November 2026")


def test_a_missing_number_is_a_dash_and_zero_is_zero() -> None:
    assert (Words("de").number(None), Words("de").number(0.0)) == (NONE, "0,000")


def test_a_code_without_a_word_stands_for_itself() -> None:
    assert Words("de").word("kind", "foreign_kind") == "foreign_kind"


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="de, en"):
        Words("fr")

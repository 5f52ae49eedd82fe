"""Section labels and the numbers of Absätze."""

from __future__ import annotations

import pytest

from retrieval.readers.sections import follows, is_repealed, read_label, section_id, subsections


@pytest.mark.parametrize(
    ("label", "ids", "marked"),
    [
        ("§ 129", ("§ 129",), False),
        ("§\u00a0129\u00a0a", ("§ 129a",), False),
        ("§129A", ("§ 129a",), False),
        ("Art. 3", ("Artikel 3",), False),
        ("Ziff. 4", ("Ziffer 4",), False),
        ("§§ 21, 22", ("§ 21", "§ 22"), False),
        ("(XXXX) §§ 51 bis 53", ("§ 51", "§ 52", "§ 53"), True),
        ("(XXXX)§§ 109b und 109c", ("§ 109b", "§ 109c"), True),
        ("(XXXX) §§ 17 u. 18", ("§ 17", "§ 18"), True),
        ("§§ 140b bis 140d", ("§ 140b", "§ 140c", "§ 140d"), False),
        ("§§ 3 bis 3c", ("§ 3", "§ 3a", "§ 3b", "§ 3c"), False),
        ("§§ 12a bis 14", ("§ 12a", "§ 13", "§ 14"), False),
        ("§§ 3, 5–7 und 9a", ("§ 3", "§ 5", "§ 6", "§ 7", "§ 9a"), False),
        ("(XXXX) Art 74a und 75", ("Artikel 74a", "Artikel 75"), True),
        ("(XXXX) Anlage 1 bis 3", ("Anlage 1", "Anlage 2", "Anlage 3"), True),
        ("Anlage III", ("Anlage III",), False),
        ("Anhang EV", ("Anhang EV",), False),
        ("Schlu\u00dfformel", ("Schlußformel",), False),
        ("§§ 9 bis 3", ("§ 9", "§ 3"), False),
        ("§§ 1 bis 999999999", ("§ 1", "§ 999999999"), False),
        ("", (), False),
    ],
)
def test_a_label_names_every_section_in_it(label: str, ids: tuple[str, ...], marked: bool) -> None:
    found = read_label(label)
    assert (found.ids, found.marked) == (ids, marked)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(1) Text", ("1",)),
        ("(1a) Text", ("1a",)),
        ("(22\u00a0a) Text", ("22a",)),
        ("(4)(weggefallen)", ("4",)),
        ("(5) u. (6) (weggefallen)", ("5", "6")),
        ("(4) - (6) (weggefallen)", ("4", "5", "6")),
        ("(weggefallen)", ()),
        ("(RS)-3-Methyl", ()),
        ("Satz (2)", ()),
    ],
)
def test_the_numbers_of_absaetze_are_read_at_the_start(text: str, numbers: tuple[str, ...]) -> None:
    assert subsections(text) == numbers


@pytest.mark.parametrize(
    ("before", "after", "right"),
    [
        ("1", "2", True),
        ("2", "2a", True),
        ("2a", "2b", True),
        ("2c", "3", True),
        ("2", "4", False),
        ("2", "1", False),
        ("2", "3a", False),
        ("", "1", False),
    ],
)
def test_absaetze_follow_in_counting_order(before: str, after: str, right: bool) -> None:
    assert follows(before, after) is right


@pytest.mark.parametrize(
    "words", ["(weggefallen)", "weggefallen", "(aufgehoben)", "nicht besetzt", "(gegenstandslos)", "[unbesetzt]", "(Weggefallen)."]
)
def test_words_that_say_nothing_else_mean_repealed(words: str) -> None:
    assert is_repealed(words)


@pytest.mark.parametrize("words", ["", "-", "Die Pflicht ist weggefallen.", "(Inkrafttreten)", "(1) (weggefallen)"])
def test_words_that_say_more_do_not(words: str) -> None:
    assert not is_repealed(words)


def test_a_unit_in_any_spelling_gives_one_id() -> None:
    assert {section_id(unit, "12 A") for unit in ("Art", "Art.", "Artikel")} == {"Artikel 12a"}

"""Compounds and their parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.compounds import parts


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Arzneimittelabrechnungsvereinbarung", ("arzneimittel", "abrechnung", "vereinbarung")),
        ("Rahmenvertrag", ("rahmen", "vertrag")),
        ("DRINGLICHKEITSLISTE", ("dringlichkeit", "liste")),
        ("Straßenverkehr", ("straßen", "verkehr")),
        ("umsatzsteuerbefreite", ("umsatzsteuer", "befreite")),
        ("Betäubungsmittelverschreibungsverordnung", ("betäubungsmittel", "verschreibung", "verordnung")),
    ],
)
def test_a_compound_gives_its_parts(word: str, expected: tuple[str, ...]) -> None:
    assert parts(word) == expected


@pytest.mark.parametrize(
    "word",
    [
        "Abgabe",
        "Verordnung",
        "Vereinbarung",
        "Zubereitungen",
        "entsprechend",
        "Widerspruch",
        "Unternehmen",
        "Xyzqvbwkl",
        "129aabcdefgh",
        "",
    ],
)
def test_a_word_that_is_no_compound_stays_whole(word: str) -> None:
    assert parts(word) == ()


@given(st.text("abdefginrstuäöüß", max_size=24))
def test_the_parts_are_pieces_of_the_word_in_their_order(word: str) -> None:
    place = 0
    for part in parts(word):
        place = word.index(part, place) + len(part)

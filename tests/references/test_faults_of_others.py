"""Faults that users of comparable software reported: each input leads to the right norms, or to none."""

from __future__ import annotations

import pytest

from benchmarks.reference_gold import place, stock
from retrieval.citations import Citation, citations
from retrieval.model import Address, Chunk, Target
from retrieval.verweise import references

CONTRACT = Address("rv", "Vertrag", "§ 2", "1")
_LEVELS = ("subsection", "sentence", "half_sentence", "number", "letter", "double_letter", "alternative")


def leads_to(text: str, own: Address = CONTRACT) -> list[str]:
    """The references of a text in one line each: the address, or the words of a law that is not in stock; other states in brackets."""
    chunk = Chunk("own", own.corpus_id, own.container_id, own.section_id, own.subsection, text=text)
    return [
        (place(one.target) if one.target else one.law) + ("" if one.state == "resolved" else f" [{one.state}]")
        for one in references(chunk, *stock())
    ]


def levels(citation: Citation) -> str:
    """Section and sub-levels, parted by blanks."""
    return " ".join([citation.section, *(value for name in _LEVELS if (value := getattr(citation, name)))])


TABLE = [
    (
        "Die Auswahl erfolgt nach Maßgabe der §§ 11 bis 14 dieses Vertrages.",
        Address("rv", "Vertrag", "§ 10", "1"),
        ["rv · Vertrag · § 11", "rv · Vertrag · § 12", "rv · Vertrag · § 13", "rv · Vertrag · § 14"],
    ),
    ("Es gelten die §§ 129a, 130a Abs. 8, 131 SGB V.", CONTRACT, ["sgb_v · § 129a", "sgb_v · § 130a · 8", "sgb_v · § 131"]),
    (
        "Es gelten die §§ 300 Abs. 3, 303 und 305 Abs. 1 Satz 2 Nr. 1, 2 und 4 SGB V.",
        CONTRACT,
        ["sgb_v · § 300 · 3", "sgb_v · § 303", "sgb_v · § 305 · 1"],
    ),
    ("§ 65f SGB V", CONTRACT, ["sgb_v · § 65f [not_in_stock]"]),
    ("§ 65 f. SGB V", CONTRACT, ["sgb_v · § 65", "sgb_v · § 65a"]),
    ("§§ 65 ff. SGB V", CONTRACT, ["sgb_v · § 65", "sgb_v · § 65 [open_ended]"]),
    ("§\u00a0129\u00a0Abs.\u00a02 SGB\u00a0V", CONTRACT, ["sgb_v · § 129 · 2"]),
    ("§ 129 Abs.1 Satz 1 Nr.2 Buchst.a SGB V", CONTRACT, ["sgb_v · § 129 · 1"]),
    ("§129 Abs.\u202f2 SGB V", CONTRACT, ["sgb_v · § 129 · 2"]),
    ("§  129  Abs. 2  SGB  V", CONTRACT, ["sgb_v · § 129 · 2"]),
    ("§ 129 Absatz 1a Satz 2 des Fünften Buches Sozialgesetzbuch", CONTRACT, ["sgb_v · § 129 · 1a"]),
    ("Fünftes Buch Sozialgesetzbuch, § 129", CONTRACT, ["sgb_v · § 129"]),
    ("§ 129 SGB 5", CONTRACT, ["sgb_v · § 129"]),
    ("§ 129 SGB-V", CONTRACT, ["sgb_v · § 129"]),
    ("§ 72 des Elften Buches Sozialgesetzbuch", CONTRACT, ["Elften Buches Sozialgesetzbuch [not_in_stock]"]),
    (
        "§ 11 dieses Vertrages und § 129 Absatz 2 des Fünften Buches Sozialgesetzbuch bleiben unberührt; § 14 gilt entsprechend.",
        Address("rv", "Vertrag", "§ 9"),
        ["rv · Vertrag · § 11", "sgb_v · § 129 · 2", "rv · Vertrag · § 14"],
    ),
    (
        "§ 11 des Rahmenvertrages, § 12 dieses Rahmenvertrags, § 13 dieser Vereinbarung",
        CONTRACT,
        ["rv · Vertrag · § 11", "rv · Vertrag · § 12", "rv · Vertrag · § 13"],
    ),
    (
        "§ 3 der Verordnung zur Änderung der Arzneimittelpreisverordnung",
        CONTRACT,
        ["Verordnung zur Änderung der Arzneimittelpreisverordnung [not_in_stock]"],
    ),
    ("nach den §§ 10, 36 bis 39 des Gesetzes über das Musterwesen", CONTRACT, ["Gesetzes über das Musterwesen [not_in_stock]"] * 2),
    ("§ 4 der Hausordnung", CONTRACT, ["Hausordnung [not_in_stock]"]),
    ("Nach &sect;&nbsp;9 ApoG und &#167; 12 ApoG", CONTRACT, ["apog · § 9", "apog · § 12"]),
    (
        "Absatz 2 Satz 1 gilt entsprechend. Die Fälle nach Satz 2 Nummer 3 bleiben unberührt.",
        Address("sgb_v", "", "§ 129", "1"),
        ["sgb_v · § 129 · 2"],
    ),
    ("§ 10 der Anlage 11", CONTRACT, ["rv · Anlage 11 · § 10"]),
    ("Anlage 11 § 10", CONTRACT, ["rv · Anlage 11 · § 10"]),
    ("§ 10 Absatz 2 Anlage 11 dieses Vertrages", CONTRACT, ["rv · Anlage 11 · § 10 · 2"]),
    ("§ 10", CONTRACT, ["rv · Vertrag · § 10"]),
    ("Näheres steht in Anlage 11.", CONTRACT, ["rv · Anlage 11"]),
    ("Diese Art der 5 Packungen genügt nicht.", CONTRACT, []),
    ("Artikel 3 Absatz 2 des Mustervertragsgesetzes", CONTRACT, ["Mustervertragsgesetzes [not_in_stock]"]),
    ("Art. 3 und 4 StGG", CONTRACT, ["StGG [not_in_stock]", "StGG [not_in_stock]"]),
    ("wie in § 9 und § 14 bestimmt", Address("ta1", "", "Ziffer 4.10"), [" [not_in_stock]", " [not_in_stock]"]),
]


@pytest.mark.parametrize(("text", "own", "expected"), TABLE)
def test_a_text_leads_to_exactly_these_norms(text: str, own: Address, expected: list[str]) -> None:
    assert leads_to(text, own) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("§§ 300 Abs. 3, 303 und 305 Abs. 1 Satz 2 Nr. 1, 2 und 4 SGB V", ["300 3", "303", "305 1 2 1", "305 1 2 2", "305 1 2 4"]),
        ("§ 129 Abs.1 Satz 1 Nr.2 Buchst.a SGB V", ["129 1 1 2 a"]),
        ("§ 309 Nr. 8 Buchst. b Doppelbuchst. aa BGB", ["309 8 b aa"]),
        ("§ 77 Abs. 1 Satz 1, 2. Halbsatz AsylG", ["77 1 1 2"]),
        ("§ 14 Absatz 1 S.1 Alt. 2 des Vertrages", ["14 1 1 2"]),
        ("§ 1 IIa 3 BGB", ["1 2a 3"]),
    ],
)
def test_every_sub_level_is_kept(text: str, expected: list[str]) -> None:
    assert [levels(citation) for citation in citations(text)] == expected


def test_the_words_that_are_shown_have_no_entity() -> None:
    chunk = Chunk("own", "rv", "Vertrag", "§ 2", text="Nach &sect; 9 ApoG gilt das.")
    (reference,) = references(chunk, *stock())
    assert reference.words == "§ 9 ApoG"
    assert chunk.text[reference.start : reference.end] == "&sect; 9 ApoG"


def test_an_ambiguous_reference_keeps_its_readings() -> None:
    chunk = Chunk("own", "rv", "Vertrag", "§ 2", text="Das folgt aus § 1 Abs. 2 und § 3 AMPreisV.")
    first, second = references(chunk, *stock())
    assert first.state == "ambiguous"
    assert first.alternatives == (Address("ampreisv", "", "§ 1", "2"), Address("rv", "Vertrag", "§ 1", "2"))
    assert (second.state, second.alternatives) == ("resolved", ())


@pytest.mark.parametrize("spelling", ["12 A", "12a", "§ 12a"])
def test_sections_are_compared_whole(spelling: str) -> None:
    book, _ = stock()
    assert {one.split("/")[2] for one in book.find(Target("sgb_v", "§ 12"))} == {"§ 12"}
    assert {one.split("/")[2] for one in book.find(Target("sgb_v", spelling))} == {"§ 12a"}


@pytest.mark.parametrize(
    "words",
    [
        "Buchholz 406.11 § 9 BauGB Nr. 74",
        "SozR 3-2500 § 240 Nr. 6",
        "AP Nr. 1 zu § 74a HGB",
        "Muster, UWG, 28. Aufl., § 3 UWG Rn. 4",
        "§ 5 Rdn. 2",
    ],
)
def test_a_place_in_a_commentary_is_no_reference(words: str) -> None:
    assert leads_to(f"So auch {words}.") == []
    assert [citation.locator for citation in citations(f"So auch {words}.")] == [True]

"""Addresses: sections are compared whole, ranges follow the stock, and what a person types is understood."""

from __future__ import annotations

import time

import pytest

from retrieval.addresses import AddressBook, normal_section
from retrieval.model import Chunk, CorpusSpec, Target
from retrieval.names import Names

SPECS = {
    "sgb_v": CorpusSpec("sgb_v", "Fünftes Buch Sozialgesetzbuch", "statute", ("SGB V",)),
    "vertrag": CorpusSpec(
        "vertrag", "Rahmenvertrag", "contract", ("Rahmenvertrag", "RV"), default_container_id="Vertrag", containers=("Vertrag", "Anlage 11")
    ),
    "ta1": CorpusSpec("ta1", "Technische Anlage 1", "agreement", ("TA1",)),
    "gg": CorpusSpec("gg", "Grundgesetz", "statute", ("GG",)),
    "offen": CorpusSpec("offen", "Vereinbarung ohne Haupttext", "agreement", ("OffV",)),
}


def chunks() -> list[Chunk]:
    """A small stock: (corpus, container, section, Absätze); a section in brackets is repealed."""
    table = [
        ("sgb_v", "", "§ 12", "12"),
        ("sgb_v", "", "§ 12a", ""),
        ("sgb_v", "", "§ 112", "1"),
        ("sgb_v", "", "§ 129", "123"),
        ("sgb_v", "", "§ 129a", "1"),
        ("sgb_v", "", "(§ 130)", ""),
        ("sgb_v", "", "§ 131", "1"),
        ("vertrag", "Vertrag", "§ 9", "1"),
        ("vertrag", "Vertrag", "§ 10", "1"),
        ("vertrag", "Anlage 11", "§ 10", "12"),
        ("vertrag", "Anlage 11", "§ 20", "1"),
        ("ta1", "", "Ziffer 4.2", ""),
        ("ta1", "", "Ziffer 4.10", ""),
        ("gg", "", "Artikel 3", "123"),
        ("offen", "A", "§ 1", "1"),
        ("offen", "B", "§ 1", "1"),
    ]
    made = []
    for corpus, container, label, subsections in table:
        section = label.strip("()")
        for subsection in subsections or [""]:
            chunk_id = "/".join(part for part in (corpus, container, section, subsection) if part)
            made.append(Chunk(chunk_id, corpus, container, section, subsection, repealed=label.startswith("(")))
    return made


@pytest.fixture(scope="module")
def book() -> AddressBook:
    return AddressBook(chunks(), SPECS)


@pytest.fixture(scope="module")
def names() -> Names:
    return Names(SPECS)


def test_a_section_is_never_found_by_its_beginning(book: AddressBook) -> None:
    assert book.find(Target("sgb_v", "§ 12")) == ("sgb_v/§ 12/1", "sgb_v/§ 12/2")
    assert book.find(Target("sgb_v", "§ 1")) == ()


@pytest.mark.parametrize("spelling", ["12 A", "12a", "§ 12a", "§12 a", "§  12A"])
def test_spellings_of_a_section_are_one(book: AddressBook, spelling: str) -> None:
    assert book.find(Target("sgb_v", spelling)) == ("sgb_v/§ 12a",)


def test_a_subsection_filters_and_a_section_without_any_is_its_own_first(book: AddressBook) -> None:
    assert book.find(Target("sgb_v", "§ 129", subsection="2")) == ("sgb_v/§ 129/2",)
    assert book.find(Target("sgb_v", "§ 129", subsection="9")) == ()
    assert book.find(Target("sgb_v", "§ 12a", subsection="1")) == ("sgb_v/§ 12a",)
    assert book.find(Target("sgb_v", "§ 12a", subsection="2")) == ()


def test_without_a_container_the_default_one_is_meant(book: AddressBook) -> None:
    assert book.find(Target("vertrag", "§ 10")) == ("vertrag/Vertrag/§ 10/1",)
    assert book.find(Target("vertrag", "§ 10", "anlage 11")) == ("vertrag/Anlage 11/§ 10/1", "vertrag/Anlage 11/§ 10/2")
    assert book.find(Target("vertrag", "§ 20")) == ()
    assert book.find(Target("offen", "§ 1")) == ("offen/A/§ 1/1", "offen/B/§ 1/1")
    assert [place.container_id for place in book.places(Target("offen", "§ 1"))] == ["A", "B"]


def test_an_annex_is_a_container_as_a_whole(book: AddressBook) -> None:
    whole = ("vertrag/Anlage 11/§ 10/1", "vertrag/Anlage 11/§ 10/2", "vertrag/Anlage 11/§ 20/1")
    assert book.find(Target("vertrag", "", "Anlage 11")) == whole
    assert book.find(Target("vertrag", "Anlage 11")) == whole
    assert book.find(Target("vertrag", "", "Anlage 12")) == ()


def test_repealed_is_not_missing(book: AddressBook) -> None:
    assert book.state(Target("sgb_v", "§ 130")) == "repealed"
    assert book.state(Target("sgb_v", "§ 133")) == "not_found"
    assert book.state(Target("sgb_v", "§ 129", subsection="3")) == "found"
    assert book.state(Target("unbekannt", "§ 1")) == "not_found"


def test_a_range_follows_the_order_of_the_stock(book: AddressBook) -> None:
    assert book.range("sgb_v", "", "§ 129", "§ 131") == ("§ 129", "§ 129a", "§ 130", "§ 131")
    assert book.range("sgb_v", "", "128", "130a") == ("§ 129", "§ 129a", "§ 130")
    assert book.range("sgb_v", "", "131", "129") == ()
    assert book.range("sgb_v", "", "1", "999", limit=2) == ("§ 12", "§ 12a")
    assert book.sections("ta1") == ("Ziffer 4.2", "Ziffer 4.10")
    assert book.following("sgb_v", "", "129") == "§ 129a"
    assert book.following("sgb_v", "", "131") is None


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("129 Abs 2 SGB V", [Target("sgb_v", "§ 129", None, "2")]),
        ("sgb5 129", [Target("sgb_v", "§ 129")]),
        ("§ 129 absatz 2 sgb v", [Target("sgb_v", "§ 129", None, "2")]),
        ("12 A SGB V", [Target("sgb_v", "§ 12a")]),
        ("TA1 4.10", [Target("ta1", "Ziffer 4.10")]),
        ("Ziffer 4.10 TA 1", [Target("ta1", "Ziffer 4.10")]),
        ("§ 10 Rahmenvertrag", [Target("vertrag", "§ 10")]),
        ("§ 10 Anlage 11 Rahmenvertrag", [Target("vertrag", "§ 10", "Anlage 11")]),
        ("rahmenvertrag anlage 11 § 10", [Target("vertrag", "§ 10", "Anlage 11")]),
        ("10 Anlage 11 RV", [Target("vertrag", "§ 10", "Anlage 11")]),
        ("Anlage 11 RV", [Target("vertrag", "", "Anlage 11")]),
        ("§§ 129 bis 131 SGB V", [Target("sgb_v", section) for section in ("§ 129", "§ 129a", "§ 130", "§ 131")]),
        ("3 GG", [Target("gg", "Artikel 3")]),
        ("§ 129 SGB V und § 10 RV", [Target("sgb_v", "§ 129"), Target("vertrag", "§ 10")]),
        ("129", [Target("", "§ 129")]),
        ("§ 129 SGB XI", []),
        ("129 SGB XI", []),
        ("§ 3 Hausordnung", []),
        ("SGB V", []),
        ("", []),
    ],
)
def test_a_typed_address_is_read(book: AddressBook, names: Names, typed: str, expected: list[Target]) -> None:
    assert list(book.read(typed, names)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was sagt § 129 Abs. 2 SGB V zur Abgabe?", [Target("sgb_v", "§ 129", None, "2")]),
        ("Was regelt das SGB V in § 129?", [Target("sgb_v", "§ 129")]),
        ("Gilt § 9 oder Anlage 11 § 10 des Rahmenvertrags?", [Target("vertrag", "§ 9"), Target("vertrag", "§ 10", "Anlage 11")]),
        ("Was steht in § 12?", [Target("", "§ 12")]),
        ("Was steht in § 72 SGB XI?", []),
        ("Gibt es 129 Packungen in 12 Apotheken?", []),
    ],
)
def test_a_question_names_sections_outright(book: AddressBook, names: Names, question: str, expected: list[Target]) -> None:
    assert list(book.sections_named(question, names)) == expected


def test_an_empty_corpus_means_any(book: AddressBook) -> None:
    assert book.find(Target("", "§ 12")) == ("sgb_v/§ 12/1", "sgb_v/§ 12/2")


def test_labels_have_one_normal_spelling() -> None:
    assert [normal_section(words) for words in ("Art. 3", "Artikel 3", "4.10", "Anlage XII", "Inhaltsübersicht")] == [
        "Artikel 3",
        "Artikel 3",
        "Ziffer 4.10",
        "Anlage XII",
        "Inhaltsübersicht",
    ]


def test_a_large_stock_is_ready_at_once() -> None:
    many = [Chunk(f"k/{n}", "gross", "", f"§ {n // 4}", str(n % 4 + 1)) for n in range(40_000)]
    start = time.process_time()
    AddressBook(many, {"gross": CorpusSpec("gross", "Großes Gesetz")})
    assert time.process_time() - start < 1.0

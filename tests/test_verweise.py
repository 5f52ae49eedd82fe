"""References: every one in the text, in its order, to the right norm or to none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.addresses import AddressBook
from retrieval.model import Address, Chunk, CorpusSpec, Reference, Target
from retrieval.names import Names
from retrieval.verweise import references

SPECS = {
    "sgb_v": CorpusSpec("sgb_v", "Fünftes Buch Sozialgesetzbuch", "statute", ("SGB V",)),
    "apog": CorpusSpec("apog", "Apothekengesetz", "statute", ("ApoG",)),
    "ampreisv": CorpusSpec("ampreisv", "Arzneimittelpreisverordnung", "ordinance", ("AMPreisV",)),
    "rv": CorpusSpec("rv", "Rahmenvertrag", "contract", ("Rahmenvertrag",), default_container_id="Vertrag"),
    "ta": CorpusSpec("ta", "Technische Anlage 1", "agreement", ("TA1",)),
    "hilfsmittel": CorpusSpec("hilfsmittel", "Hilfsmittelvertrag", "contract"),
    "offen": CorpusSpec("offen", "Vereinbarung ohne Haupttext", "agreement", ("OffV",)),
}
STOCK = {
    (
        "sgb_v",
        "",
    ): "§ 1, § 2, § 3, § 4, § 10, § 11, § 12, § 12a, § 65, § 65a, § 65b, § 66, § 72, § 129, § 129a, (§ 130), § 130a, § 131, § 303, § 305",
    ("apog", ""): "§ 5, § 7, § 9, § 12, Anlage 1",
    ("ampreisv", ""): "§ 3",
    ("rv", "Vertrag"): "§ 1, § 2, § 3, § 4, § 5, § 9, § 10, § 11, § 12, § 13, § 14, § 129",
    ("rv", "Anlage 11"): "§ 1, § 3, § 10",
    ("ta", ""): "Ziffer 4.2, Ziffer 4.10",
    ("hilfsmittel", ""): "§ 1, § 2",
    ("offen", "A"): "§ 1",
    ("offen", "B"): "§ 1",
}


def stock() -> list[Chunk]:
    made = []
    for (corpus, container), sections in STOCK.items():
        for label in sections.split(", "):
            section = label.strip("()")
            subsections = ("1", "1a", "2", "3", "8") if (corpus, section) in (("sgb_v", "§ 129"), ("sgb_v", "§ 130a")) else ("1", "2")
            made += [
                Chunk(f"{corpus}/{container}/{section}/{n}", corpus, container, section, n, repealed=label != section) for n in subsections
            ]
    return [*made, Chunk("teil", "ta", "", "Ziffer 4.10.1", "4.10.1 b")]


BOOK = AddressBook(stock(), SPECS)
NAMES = Names(SPECS)


def read(text: str, own: str) -> list[str]:
    """References in one line each; ``own`` is "corpus · container · section · Absatz"."""
    corpus, container, section, subsection = (part.strip() for part in own.split("·"))
    chunk = Chunk("eigener", corpus, container, section, subsection, text=text)
    return [line(reference) for reference in references(chunk, BOOK, NAMES)]


def line(reference: Reference) -> str:
    target = reference.target
    place = (
        " · ".join(part for part in (target.corpus_id, target.container_id, target.section_id, target.subsection) if part)
        if target
        else "–"
    )
    state = "" if reference.state == "resolved" else f" [{reference.state}]"
    return place + state + (f" | {reference.law}" if target is None else "")


VERTRAG = "rv · Vertrag · § 2 · 1"
TABLE = [
    (
        "Die Auswahl erfolgt nach Maßgabe der §§ 11 bis 14 dieses Vertrages.",
        "rv · Vertrag · § 10 · 1",
        ["rv · Vertrag · § 11", "rv · Vertrag · § 12", "rv · Vertrag · § 13", "rv · Vertrag · § 14"],
    ),
    (
        "Es gelten die §§ 129a, 130a Abs. 8, 131 SGB V.",
        VERTRAG,
        ["sgb_v · § 129a", "sgb_v · § 130a · 8", "sgb_v · § 131"],
    ),
    (
        "Es gelten die §§ 129 Abs. 3, 303 und 305 Abs. 1 Satz 2 Nr. 1, 2 und 4 SGB V.",
        VERTRAG,
        ["sgb_v · § 129 · 3", "sgb_v · § 303", "sgb_v · § 305 · 1"],
    ),
    ("§ 65 f. SGB V", VERTRAG, ["sgb_v · § 65", "sgb_v · § 65a"]),
    ("§§ 65 ff. SGB V", VERTRAG, ["sgb_v · § 65", "sgb_v · § 65 [open_ended]"]),
    ("§ 65f SGB V", VERTRAG, ["sgb_v · § 65f [not_in_stock]"]),
    (
        "§ 129 Absatz 1a Satz 2 des Fünften Buches Sozialgesetzbuch und § 72 des Elften Buches Sozialgesetzbuch",
        VERTRAG,
        ["sgb_v · § 129 · 1a", "– [not_in_stock] | Elften Buches Sozialgesetzbuch"],
    ),
    (
        "§ 11 dieses Vertrages und § 129 Absatz 2 des Fünften Buches Sozialgesetzbuch bleiben unberührt; § 14 gilt entsprechend.",
        "rv · Vertrag · § 9 · 1",
        ["rv · Vertrag · § 11", "sgb_v · § 129 · 2", "rv · Vertrag · § 14"],
    ),
    (
        "§ 11 des Rahmenvertrages, § 12 dieses Rahmenvertrags, § 13 dieser Vereinbarung, § 14 des Vertrages",
        VERTRAG,
        [f"rv · Vertrag · § {n}" for n in (11, 12, 13, 14)],
    ),
    (
        "§ 3 der Verordnung zur Änderung der Arzneimittelpreisverordnung",
        VERTRAG,
        ["– [not_in_stock] | Verordnung zur Änderung der Arzneimittelpreisverordnung"],
    ),
    (
        "nach den §§ 10, 36 bis 39 des Gesetzes über das Musterwesen",
        VERTRAG,
        ["– [not_in_stock] | Gesetzes über das Musterwesen"] * 2,
    ),
    ("§ 4 der Hausordnung", VERTRAG, ["– [not_in_stock] | Hausordnung"]),
    ("Nach &sect;&nbsp;9 ApoG und &#167; 12 ApoG", VERTRAG, ["apog · § 9", "apog · § 12"]),
    (
        "Absatz 2 Satz 1 gilt entsprechend. Die Fälle nach Satz 2 Nummer 3 bleiben unberührt.",
        "sgb_v ·  · § 129 · 1",
        ["sgb_v · § 129 · 2"],
    ),
    ("Absatz 1 und § 129 gelten; Absatz 7 nicht.", "sgb_v ·  · § 129 · 1", []),
    ("§ 10 der Anlage 11", "rv · Vertrag · § 5 · 1", ["rv · Anlage 11 · § 10"]),
    ("Anlage 11 § 10", "rv · Vertrag · § 5 · 1", ["rv · Anlage 11 · § 10"]),
    ("§ 10 Absatz 2 Anlage 11 dieses Vertrages", "rv · Vertrag · § 5 · 1", ["rv · Anlage 11 · § 10 · 2"]),
    ("§ 10", "rv · Vertrag · § 5 · 1", ["rv · Vertrag · § 10"]),
    ("Näheres steht in Anlage 11.", "rv · Vertrag · § 5 · 1", ["rv · Anlage 11"]),
    ("Näheres steht in Anlage 12.", "rv · Vertrag · § 5 · 1", ["rv · Vertrag · Anlage 12 [not_in_stock]"]),
    ("§ 10 und § 14 gelten.", "rv · Anlage 11 · § 1 · 1", ["rv · Anlage 11 · § 10", "rv · Vertrag · § 14"]),
    ("§ 10 der Anlage 12", "rv · Vertrag · § 5 · 1", ["rv · Anlage 12 · § 10 [not_in_stock]"]),
    ("nach Anlage 11, § 3", "rv · Vertrag · § 5 · 1", ["rv · Anlage 11 · § 3 [ambiguous]"]),
    ("nach Anlage 11, § 14", "rv · Vertrag · § 5 · 1", ["rv · Vertrag · § 14"]),
    ("Diese Art der 5 Packungen genügt nicht.", VERTRAG, []),
    ("Artikel 3 Absatz 2 des Mustervertragsgesetzes", VERTRAG, ["– [not_in_stock] | Mustervertragsgesetzes"]),
    ("Art. 3 und 4 GG", VERTRAG, ["– [not_in_stock] | GG"] * 2),
    ("nach § 130 SGB V", VERTRAG, ["sgb_v · § 130 [repealed]"]),
    ("nach § 129 Abs. 9 SGB V", VERTRAG, ["sgb_v · § 129 · 9 [not_in_stock]"]),
    ("nach § 1 der OffV", VERTRAG, ["offen · A · § 1 [ambiguous]"]),
    ("nach § 9 und § 12 ApoG", VERTRAG, ["apog · § 9 [ambiguous]", "apog · § 12"]),
    ("nach § 7 und § 12 ApoG", VERTRAG, ["apog · § 7", "apog · § 12"]),
    ("In § 5 wird die Angabe „§ 129 Abs. 2“ ersetzt.", VERTRAG, ["rv · Vertrag · § 5", "rv · Vertrag · § 129 · 2 [quoted]"]),
    ("nach Ziffer 4.10 der TA1 und Anlage 1 des Apothekengesetzes", VERTRAG, ["ta · Ziffer 4.10", "apog · Anlage 1"]),
    (
        "nach § 11 des Vertrages und § 12 des Rahmenvertrags",
        "ta ·  · Ziffer 4.10 · ",
        ["– [not_in_stock] | Vertrages", "rv · Vertrag · § 12"],
    ),
    ("§ 9 des Rahmenvertrages", "hilfsmittel ·  · § 1 · ", ["rv · Vertrag · § 9"]),
    ("§ 2 des Vertrages", "hilfsmittel ·  · § 1 · ", ["hilfsmittel · § 2"]),
    ("nach § 5 des SGB V erlassenen Regeln", VERTRAG, ["sgb_v · § 5 [not_in_stock]"]),
    ("siehe Ziffer 4.10.1b und Nr. 4.2", "ta ·  · Ziffer 4.2 · ", ["ta · Ziffer 4.10.1 · 4.10.1 b"]),
    ("siehe Abschnitt 4.2", "ta ·  · Ziffer 4.10 · ", ["ta · Ziffer 4.2"]),
    ("siehe Ziffer 4.2", VERTRAG, []),
    ("Ohne Verweis.", VERTRAG, []),
]


@pytest.mark.parametrize(("text", "own", "expected"), TABLE)
def test_a_text_leads_to_exactly_these_norms(text: str, own: str, expected: list[str]) -> None:
    assert read(text, own) == expected


def test_a_range_is_capped_and_shares_one_span() -> None:
    specs = {"k": CorpusSpec("k", "Langes Gesetz", "statute")}
    book = AddressBook((Chunk(f"k{n}", "k", "", f"§ {n}") for n in range(1, 200)), specs)
    found = references(Chunk("c", "k", "", "§ 199", text="Es gelten die §§ 1 bis 150."), book, Names(specs))
    assert len(found) == 60
    assert {(reference.start, reference.end, reference.words) for reference in found} == {(14, 26, "§§ 1 bis 150")}


WORDS = "§ §§ Anlage 11 3 129 bis und , der des dieses Vertrages SGB V ApoG Absatz 2 Ziffer 4.2 ff. f."
PIECES = st.sampled_from(WORDS.split())


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_what_is_resolved_is_in_stock_and_in_force(text: str) -> None:
    chunk = Chunk("c", "rv", "Vertrag", "§ 2", "1", text=text)
    for reference in references(chunk, BOOK, NAMES):
        assert reference.words == text[reference.start : reference.end]
        assert reference.target not in (chunk.address, Address("rv", "Vertrag", "§ 2"))
        if reference.state == "resolved":
            target = reference.target
            assert target is not None
            wanted = Target(target.corpus_id, target.section_id, target.container_id, target.subsection or None)
            assert BOOK.state(wanted) == "found"
            assert BOOK.find(wanted)


def test_spans_fit_the_text() -> None:
    text = "Nach &sect;&nbsp;9 ApoG gilt Absatz 2."
    found = references(Chunk("c", "apog", "", "§ 5", "1", text=text), BOOK, NAMES)
    assert [text[reference.start : reference.end] for reference in found] == ["&sect;&nbsp;9 ApoG", "Absatz 2"]


SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "gesetze_xml" / "BJNR024820988.xml"


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data/gesetze_xml is not here: no real law to read")
def test_the_fifth_book_resolves_almost_all_of_its_own_references() -> None:
    from retrieval.chunking import chunks
    from retrieval.readers import read as read_file

    corpus = read_file(SHARED)
    specs = {corpus.spec.corpus_id: corpus.spec}
    stock = chunks(corpus)
    book, names = AddressBook(stock, specs), Names(specs)
    start = time.process_time()
    found = [reference for chunk in stock for reference in references(chunk, book, names)]
    per_chunk = (time.process_time() - start) / len(stock)
    own = [reference for reference in found if not reference.law]
    lost = [reference for reference in own if reference.state == "not_in_stock"]
    assert len(own) > 8_000
    assert len(lost) < 0.01 * len(own)
    assert per_chunk < 500e-6

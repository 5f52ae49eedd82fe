"""Names: every spelling of a law leads to the corpus that holds it, and no ordinary word does."""

from __future__ import annotations

from importlib import resources

import pytest

from retrieval.model import CorpusSpec
from retrieval.names import Names, is_abbreviation, name_key

SGB_V = CorpusSpec("sgb_v", "Sozialgesetzbuch (SGB) Fünftes Buch (V) - Gesetzliche Krankenversicherung", "statute", ("SGB V", "SGB 5"))
APOG = CorpusSpec("apog", "Gesetz über das Apothekenwesen", "statute", ("ApoG", "Apothekengesetz"))
CONTRACT = CorpusSpec("vertrag", "Rahmenvertrag über die Musterversorgung", "contract", ("Rahmenvertrag", "RV", "Rahmenvertrag nach § 129"))
ANNEX = CorpusSpec("ta1", "Technische Anlage 1 zur Musterabrechnung", "agreement", ("TA1", "Technische Anlage 1"))
INVENTED = CorpusSpec("hvg", "Heilversorgungsgesetz der Mark", "statute", ("HVG-A",))


@pytest.fixture(scope="module")
def names() -> Names:
    return Names([SGB_V, APOG, CONTRACT, ANNEX, INVENTED])


def found(names: Names, text: str) -> list[tuple[str, str]]:
    return [(mention.words, mention.corpus_id) for mention in names.find(text)]


@pytest.mark.parametrize(
    "spelling",
    [
        *("SGB V", "SGB 5", "SGB-V", "SGBV", "sgb5", "sgb v", "SGB\u00a0V", "5. Buch Sozialgesetzbuch", "Fünftes Buch Sozialgesetzbuch"),
        *("Fünften Buches Sozialgesetzbuch", "Sozialgesetzbuch Fünftes Buch", "Sozialgesetzbuches – Fünftes Buch"),
        "Fu\u0308nften Buch Sozialgesetzbuch",
    ],
)
def test_every_spelling_of_a_book_names_its_corpus(names: Names, spelling: str) -> None:
    assert found(names, f"Was steht im {spelling} dazu?") == [(spelling, "sgb_v")]
    assert names.corpus_of(spelling) == "sgb_v"


@pytest.mark.parametrize("spelling", ["SGB XI", "SGB 11", "Elften Buches Sozialgesetzbuch", "Grundgesetzes", "Zivilprozeßordnung"])
def test_a_known_law_that_is_not_in_stock_names_no_corpus(names: Names, spelling: str) -> None:
    assert found(names, f"nach {spelling} gilt") == [(spelling, "")]
    assert names.corpora_of(spelling) == ()
    assert names.knows(spelling)


def test_a_book_alone_counts_beside_a_section_only(names: Names) -> None:
    assert names.corpus_of("Fünften Buches") == "sgb_v"
    assert names.knows("Elften Buches")
    assert names.corpus_of("Elften Buches") is None
    assert found(names, "das fünfte Buch, das ich las") == []


def test_an_abbreviation_needs_its_case_and_its_borders(names: Names) -> None:
    assert found(names, "gg gilt, apog nicht, EGBGBX auch nicht, XRVX nicht") == []
    assert found(names, "ApoG und GG") == [("ApoG", "apog"), ("GG", "")]
    assert found(names, "die SGB V-Leistungen") == [("SGB V", "sgb_v")]


def test_the_longest_name_wins(names: Names) -> None:
    assert found(names, "im Rahmenvertrag nach § 129 und im Rahmenvertrag") == [
        ("Rahmenvertrag nach § 129", "vertrag"),
        ("Rahmenvertrag", "vertrag"),
    ]
    assert found(names, "Technische Anlage 1 und TA 1") == [("Technische Anlage 1", "ta1"), ("TA 1", "ta1")]


def test_written_names_are_found_with_their_endings_in_any_case(names: Names) -> None:
    assert found(names, "des Gesetzes über das Apothekenwesen") == [("Gesetzes über das Apothekenwesen", "apog")]
    assert found(names, "des APOTHEKENGESETZES") == [("APOTHEKENGESETZES", "apog")]
    assert names.corpus_of("Rahmenvertrages") == "vertrag"


@pytest.mark.parametrize(
    "words",
    ["Verordnung zur Änderung der Arzneimittelpreisverordnung", "Hausordnung", "Rahmenvertrages nach § 131", "Vertrag", "Richtlinie"],
)
def test_a_name_counts_as_a_whole_and_only_if_it_is_listed(names: Names, words: str) -> None:
    assert not names.knows(words)


def test_a_contract_may_be_named_by_the_section_it_rests_on() -> None:
    plain = Names([CorpusSpec("rv", "Rahmenvertrag nach § 129 Absatz 2 SGB V", "contract", ("Rahmenvertrag",))])
    assert plain.corpus_of("Rahmenvertrages nach § 129") == plain.corpus_of("Rahmenvertrags § 129") == "rv"
    assert plain.corpus_of("Rahmenvertrages nach § 12") is None


def test_a_name_of_two_corpora_is_not_one_corpus() -> None:
    old = CorpusSpec("apog_alt", "Gesetz über das Apothekenwesen, alte Fassung", "statute", ("ApoG",))
    both = Names({"apog": APOG, "apog_alt": old})
    assert both.corpora_of("ApoG") == ("apog", "apog_alt")
    assert both.corpus_of("ApoG") is None
    assert found(both, "§ 9 ApoG") == [("ApoG", "apog"), ("ApoG", "apog_alt")]


def test_a_name_directly_behind_a_place_is_read(names: Names) -> None:
    text = "§ 14 des RV regelt es"
    assert [(m.words, m.corpus_id, text[m.start : m.end]) for m in names.beside(text, 4)] == [("RV", "vertrag", "RV")]
    assert names.beside("§ 14 gilt, RV auch", 4) == ()


def test_typed_names_ignore_case(names: Names) -> None:
    assert [mention.corpus_id for mention in names.find_typed("9 apog")] == ["apog"]


def test_abbreviations_are_told_from_words() -> None:
    assert all(is_abbreviation(name) for name in ("SGB V", "ApoG", "TA1", "AM-RL", "HVG-A", "BtMG 1981"))
    assert not any(is_abbreviation(name) for name in ("Rahmenvertrag", "Technische Anlage 1", "Fünftes Buch", "129", "§ 129"))
    assert name_key("Fünften Buches") == name_key("fünftes Buch")


def test_every_listed_law_is_known_and_none_is_listed_twice() -> None:
    lines = resources.files("retrieval").joinpath("data/law_names.tsv").read_text(encoding="utf-8").splitlines()[1:]
    pairs = [line.split("\t") for line in lines]
    names = Names({})
    assert len(pairs) > 200
    assert all(names.knows(short) and names.knows(name) and names.corpora_of(short) == () for short, name in pairs)
    assert len({short for short, _ in pairs}) == len(pairs) == len({name for _, name in pairs})
    assert pairs == sorted(pairs, key=lambda pair: pair[0].lower())


@pytest.mark.parametrize("law", ["HOAI", "VOB/B", "TVöD", "FreizügG/EU", "EBM", "BMV-Ä"])
def test_a_known_law_is_never_the_own_text(law: str) -> None:
    from retrieval.addresses import AddressBook
    from retrieval.model import Chunk
    from retrieval.verweise import references

    spec = CorpusSpec("eigenes", "Eigenes Gesetz", "statute")
    specs = {"eigenes": spec}
    own = Chunk("eigenes/1", "eigenes", "", "§ 1", text=f"Es gilt § 5 {law}.")
    book = AddressBook([own, Chunk("eigenes/5", "eigenes", "", "§ 5")], specs)
    assert [(one.state, one.law) for one in references(own, book, Names(specs))] == [("not_in_stock", law)]

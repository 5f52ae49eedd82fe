"""The grammar of citations: what a text names, and what it only seems to name."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrieval.citations import Citation, citations
from retrieval.sublevels import section_key

V = "SGB V"
BOOK_FIVE = "Fünften Buches Sozialgesetzbuch"


def named(text: str) -> list[str]:
    """Citations in one line each: "§ 129 Abs 1 Satz 2 Nr 3 Buchst a | law"."""
    return [line(citation) for citation in citations(text)]


def line(citation: Citation) -> str:
    until = f"–{citation.until}" if citation.until else ""
    parts = [f"{citation.container}:"] if citation.container else []
    parts.append(f"{citation.unit} {citation.section}{until}".strip())
    levels = (("Abs", citation.subsection), ("Satz", citation.sentence), ("Nr", citation.number), ("Buchst", citation.letter))
    parts += [f"{name} {value}" for name, value in levels if value]
    parts += [citation.open_ended] if citation.open_ended else []
    law = "own" if citation.own else citation.law
    return " ".join(parts) + (f" | {law}" if law else "")


LISTS = [
    ("nach Maßgabe der §§ 11 bis 14 dieses Vertrages.", ["§ 11–14 | own"]),
    ("die §§ 129a, 130a Abs. 8, 131 SGB V.", [f"§ 129a | {V}", f"§ 130a Abs 8 | {V}", f"§ 131 | {V}"]),
    (
        "die §§ 300 Abs. 3, 303 und 305 Abs. 1 Satz 2 Nr. 1, 2 und 4 SGB V.",
        [f"§ 300 Abs 3 | {V}", f"§ 303 | {V}", *(f"§ 305 Abs 1 Satz 2 Nr {n} | {V}" for n in "124")],
    ),
    ("nach den §§ 22 bis 24a und 25b", ["§ 22–24a", "§ 25b"]),
    ("§§ 12–15 BGB", ["§ 12–15 | BGB"]),
    ("§ 12-15 BGB", ["§ 12–15 | BGB"]),
    ("die §§ 82 – 85 SGB V", [f"§ 82–85 | {V}"]),
    ("§§ 124 Abs. 2 Nr. 3, 124 a Abs. 1 Satz 1 VwGO", ["§ 124 Abs 2 Nr 3 | VwGO", "§ 124a Abs 1 Satz 1 | VwGO"]),
    ("§§ 1, 2 Abs. 2, 3, 10 Abs. 1 Nr. 1 BGB", ["§ 1 | BGB", "§ 2 Abs 2 | BGB", "§ 3 | BGB", "§ 10 Abs 1 Nr 1 | BGB"]),
    ("§ 123 Abs. 1 S. 2, 3 S. 4", ["§ 123 Abs 1 Satz 2", "§ 123 Abs 3 Satz 4"]),
    ("§ 123 Abs. 1 S. 2, 3 Nr. 4", ["§ 123 Abs 1 Satz 2", "§ 123 Abs 1 Satz 3 Nr 4"]),
    ("§ 2 Abs. 1 Nr. 1, Nr. 7, Abs. 2 UrhG", ["§ 2 Abs 1 Nr 1 | UrhG", "§ 2 Abs 1 Nr 7 | UrhG", "§ 2 Abs 2 | UrhG"]),
    ("§ 11 Nummer 3 Buchstabe a und b", ["§ 11 Nr 3 Buchst a", "§ 11 Nr 3 Buchst b"]),
    ("§ 130a Abs. 1 bis 3a", ["§ 130a Abs 1", "§ 130a Abs 2", "§ 130a Abs 3", "§ 130a Abs 3a"]),
    ("§ 62 I 2 AufenthG und § 280 I, III BGB", ["§ 62 Abs 1 Satz 2 | AufenthG", "§ 280 Abs 1 | BGB", "§ 280 Abs 3 | BGB"]),
    ("§ 31, 14 Tage nach der Abgabe", ["§ 31"]),
    ("500 DM gemäß § 13 Abs 1 Nr 1 und 210 DM", ["§ 13 Abs 1 Nr 1"]),
    ("§ 77 Abs. 1 Satz 1, 1. Halbsatz AsylG", ["§ 77 Abs 1 Satz 1 | AsylG"]),
    ("(§ 124 a) sowie § 5 a) gilt", ["§ 124a", "§ 5"]),
]

LETTERS = [
    ("§ 65f SGB V", [f"§ 65f | {V}"]),
    ("§ 65 f. SGB V", [f"§ 65 f | {V}"]),
    ("§§ 65 ff. SGB V", [f"§ 65 ff | {V}"]),
    ("§§ 65ff. SGB V", [f"§ 65 ff | {V}"]),
    ("§ 312 f BGB", ["§ 312 f | BGB"]),
    ("Es gilt § 65f.", ["§ 65f"]),
]

BLANKS = [
    ("§\u00a0129\u00a0Abs.\u00a02 SGB\u00a0V", ["§ 129 Abs 2 | SGB\u00a0V"]),
    ("§ 129 Abs.1 Satz 1 Nr.2 Buchst.a SGB V", [f"§ 129 Abs 1 Satz 1 Nr 2 Buchst a | {V}"]),
    ("§129 Abs.\u202f2 SGB V", [f"§ 129 Abs 2 | {V}"]),
    ("§  129  Abs. 2  SGB  V", ["§ 129 Abs 2 | SGB  V"]),
    ("§\u200912\u2009a\nSGB V", [f"§ 12a | {V}"]),
    ("Nach &sect;&nbsp;9 ApoG und &#167; 12 ApoG", ["§ 9 | ApoG", "§ 12 | ApoG"]),
    ("§ 129 Abs. 2 des Fu\u0308nften Buches", ["§ 129 Abs 2 | Fu\u0308nften Buches"]),
]

LAWS = [
    ("§ 129 Absatz 1a Satz 2 des Fünften Buches Sozialgesetzbuch", [f"§ 129 Abs 1a Satz 2 | {BOOK_FIVE}"]),
    ("Fünftes Buch Sozialgesetzbuch, § 129", ["§ 129 | Fünftes Buch Sozialgesetzbuch"]),
    ("§ 129 SGB 5", ["§ 129 | SGB 5"]),
    ("§ 129 SGB-V", ["§ 129 | SGB-V"]),
    ("SGB V § 129 Abs. 2", [f"§ 129 Abs 2 | {V}"]),
    ("§ 72 des Elften Buches Sozialgesetzbuch", ["§ 72 | Elften Buches Sozialgesetzbuch"]),
    (
        "§ 11 dieses Vertrages und § 129 Absatz 2 des Fünften Buches Sozialgesetzbuch bleiben unberührt; § 14 gilt entsprechend.",
        ["§ 11 | own", f"§ 129 Abs 2 | {BOOK_FIVE}", "§ 14"],
    ),
    (
        "§ 3 der Verordnung zur Änderung der Arzneimittelpreisverordnung",
        ["§ 3 | Verordnung zur Änderung der Arzneimittelpreisverordnung"],
    ),
    (
        "nach den §§ 10, 36 bis 39 des Gesetzes über das Musterwesen",
        ["§ 10 | Gesetzes über das Musterwesen", "§ 36–39 | Gesetzes über das Musterwesen"],
    ),
    ("§ 4 der Hausordnung", ["§ 4 | Hausordnung"]),
    ("§ 14 Rahmenvertrag", ["§ 14 | Rahmenvertrag"]),
    ("nach § 5 Vereinbarungen treffen", ["§ 5"]),
    ("§ 5 des Arzneimittelgesetzes erlassenen Rechtsverordnung", ["§ 5 | Arzneimittelgesetzes"]),
    ("§ 15 der Bundeselterngeld- und Elternzeitverordnung", ["§ 15 | Bundeselterngeld- und Elternzeitverordnung"]),
    ("§ 312 i.V.m. § 355 BGB", ["§ 312 | BGB", "§ 355 | BGB"]),
    ("§ 129 des SGB V, § 14 gilt", [f"§ 129 | {V}", "§ 14"]),
    ("§§ 46 Abs. 2 ArbGG, 91 Abs. 1 ZPO", ["§ 46 Abs 2 | ArbGG", "§ 91 Abs 1 | ZPO"]),
    ("§ 129 Abs. 1 Nr. 2 lit. b) SGB V", [f"§ 129 Abs 1 Nr 2 Buchst b | {V}"]),
    ("(nach § 129 Buchst. b) gilt", ["§ 129 Buchst b"]),
    ("§ 129 Abs.2S.1 SGB V", [f"§ 129 Abs 2 Satz 1 | {V}"]),
    ("§ 129 Abs. 1 – 3 SGB V", [f"§ 129 Abs {n} | {V}" for n in "123"]),
    ("§ 129 Absatz 5f SGB V", [f"§ 129 Abs 5f | {V}"]),
    ("§ 129 Abs. 5 ff. SGB V", [f"§ 129 Abs 5 | {V}"]),
    ("§ 129 SGB V Abs. 2 und 3", [f"§ 129 Abs 2 | {V}", f"§ 129 Abs 3 | {V}"]),
    ("§ 129 Abs. 1, letzter Satz SGB V", [f"§ 129 Abs 1 | {V}"]),
    ("§ 129 SGB Fünftes Buch", ["§ 129 | SGB Fünftes Buch"]),
    ("§ 129 des Sozialgesetzbuchs (SGB V)", ["§ 129 | Sozialgesetzbuchs (SGB V)"]),
    ("§ 129 (2) SGB V und § 130 (1) Satz 2 SGB V", [f"§ 129 Abs 2 | {V}", f"§ 130 Abs 1 Satz 2 | {V}"]),
    ("§ 129 Abs. (2) SGB V", [f"§ 129 Abs 2 | {V}"]),
    ("§ 5 (1) Die Apotheke", ["§ 5"]),
    ("§§ 46 Abs. 2 ArbGG, 14 Tage nach", ["§ 46 Abs 2 | ArbGG"]),
    ("1. aus dem Asylgesetz:\na) nach § 84,\nb) nach § 84a,\n2. nach § 5", ["§ 84 | Asylgesetz", "§ 84a | Asylgesetz", "§ 5"]),
    ("§ 29 Abs. 2,\n8. die Rücknahme", ["§ 29 Abs 2"]),
    ("Artikel 18 der Richtlinie des Rates vom 25. Juli 1985", ["Artikel 18 | Richtlinie des Rates"]),
    ("Anhang XV Kapitel II Ziffer 3.1.1. der Verordnung (EU) 2017/745", ["Anhang XV | Verordnung (EU) 2017/745"]),
    ("Bei Fragen des SGB V, § 14 bleibt unberührt", ["§ 14"]),
    ("§ 9 des Rahmenvertrages nach § 129 Abs. 2 SGB V", ["§ 9 | Rahmenvertrages nach § 129", f"§ 129 Abs 2 | {V}"]),
    ("Absatz 2 des § 129 SGB V", [f"§ 129 Abs 2 | {V}"]),
    ("Art. 13 Teil B Buchst. b der Richtlinie 77/388/EWG", ["Artikel 13 Buchst b | Richtlinie 77/388/EWG"]),
    ("§ 5 GKV-Versicherte", ["§ 5"]),
]

UNITS = [
    ("Diese Art der 5 Packungen genügt nicht.", []),
    ("Packungen dieser Art 5 Stück", []),
    ("Artikel 3 Absatz 2 des Mustervertragsgesetzes", ["Artikel 3 Abs 2 | Mustervertragsgesetzes"]),
    ("Art. 3 und 4 GG", ["Artikel 3 | GG", "Artikel 4 | GG"]),
    ("Nach Art 5 GG", ["Artikel 5 | GG"]),
    ("Artikel 247 § 13 Absatz 2 EGBGB", ["Artikel 247: § 13 Abs 2 | EGBGB"]),
    ("§ 10 der Anlage 11", ["Anlage 11: § 10"]),
    ("Anlage 11 § 10", ["Anlage 11: § 10"]),
    ("§ 10 Absatz 2 Anlage 11 dieses Vertrages", ["Anlage 11: § 10 Abs 2 | own"]),
    ("nach Anlage 11 gilt", ["Anlage 11"]),
    ("Anlagen 1 bis 3 der Apothekenbetriebsordnung", ["Anlage 1–3 | Apothekenbetriebsordnung"]),
    ("Ziffer 4.10 der TA1 und Nr. 4.11", ["Ziffer 4.10 | TA1", "Ziffer 4.11"]),
    ("in Nummer 4 und Nr. 5", []),
    ("Absatz 2 Satz 1 gilt. Die Fälle nach Satz 2 Nummer 3 bleiben.", ["Absatz Abs 2 Satz 1"]),
    ("Absatz 2 der Vorbemerkung", []),
    ("Paragraf 129 Absatz 2 SGB V", [f"§ 129 Abs 2 | {V}"]),
]


@pytest.mark.parametrize(("text", "expected"), LISTS + LETTERS + BLANKS + LAWS + UNITS)
def test_a_text_names_exactly_these_sections(text: str, expected: list[str]) -> None:
    assert named(text) == expected


def test_a_law_behind_a_joint_is_marked_as_spread() -> None:
    first, second = citations("§ 5 und § 7 ApoG")
    assert (first.law, first.spread, second.law, second.spread) == ("ApoG", True, "ApoG", False)


def test_an_annex_before_a_comma_is_a_container_that_may_be_meant() -> None:
    (citation,) = citations("Anlage 11, § 14 Abs. 1")
    assert (citation.container, citation.section, citation.spread) == ("Anlage 11", "14", True)


def test_words_inside_quotation_marks_are_marked_as_quoted() -> None:
    outside, inside = citations("In § 5 wird die Angabe „§ 129 Abs. 2“ ersetzt.")
    assert (outside.quoted, inside.quoted) == (False, True)


def test_spans_count_in_the_text_as_given() -> None:
    text = "Nach &sect;&nbsp;9 ApoG gilt"
    (citation,) = citations(text)
    assert text[citation.start : citation.end] == citation.words == "&sect;&nbsp;9 ApoG"


def test_section_numbers_sort_as_statutes_do() -> None:
    numbers = ["1300", "130", "129a", "12b", "129", "65a", "12a", "12", "1"]
    assert sorted(numbers, key=section_key) == ["1", "12", "12a", "12b", "65a", "129", "129a", "130", "1300"]
    assert sorted(["4.10", "4.2", "4.10.1"], key=section_key) == ["4.2", "4.10", "4.10.1"]


WORDS = "§ §§ Art. Artikel Anlage Absatz Abs. Satz Nr. Buchst. 1 12a 129 4.10 bis – , ; und ( ) „ “ V SGB ApoG"
MORE = "des der Gesetzes dieses über ff. a f Ziffer &sect; &nbsp;"
PIECES = st.sampled_from([*WORDS.split(), *MORE.split(), "\u00a0", "\u0308"])


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)))
@example("§ 1 f.\u00ad")
def test_any_text_is_read_and_the_spans_fit(text: str) -> None:
    before = -1
    for citation in citations(text):
        assert citation.words == text[citation.start : citation.end]
        assert 0 <= citation.start < citation.end <= len(text)
        assert citation.section or citation.unit == "Absatz"
        assert citation.start >= before
        before = citation.start


@pytest.mark.parametrize(
    "law",
    [
        *(
            "Apothekengesetz",
            "Bürgerliches Gesetzbuch",
            "Strafprozessordnung",
            "Rahmenvertrag",
            "Arzneimittelvereinbarung",
            "Berufsrichtlinie",
        ),
        *("Hauptsatzung", "Samtabkommen", "Weltübereinkommen", "Kassenstatut", "Landesverfassung", "Rechtskonvention"),
        *("Ausführungsbestimmung", "Kassenreglement", "Pharmakodex", "Impfempfehlung", "Amtsbekanntmachung"),
        *("Hilfstaxe", "Impfleitlinie", "Fünftes Buch", "Buch V des SGB", "Technische Anlage 1", "TA1", "ApBetrO", "SGB V"),
    ],
)
@pytest.mark.parametrize("between", [" ", ", ", " ("])
def test_every_word_for_a_law_is_seen_in_front_of_a_section(law: str, between: str) -> None:
    assert named(f"Gemeint ist: {law}{between}§ 14") == [f"§ 14 | {law}"]


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\u00a0", "\u2009", "\r\n"])
def test_any_blank_may_stand_before_the_margin_number_of_a_commentary(blank: str) -> None:
    assert [citation.locator for citation in citations(f"Muster, § 5{blank}Rn. 3 meint")] == [True]


@pytest.mark.parametrize(
    "piece",
    [
        "§",
        "§ 1, ",
        "§§ 1, 2 Abs. 3 und ",
        "Absatz 1, ",
        "Absatz 1 der ",
        "Art 1, ",
        "Anlage 1, § ",
        "§ 1 des Gesetzes über ",
        "A ",
        "„§ 1 ",
        "„§ 1“ ",
        "§§ 1 ApoG, 2, ",
        " der ApoG:\n§ 1",
        "SGB V, ",
    ],
)
def test_the_time_grows_no_faster_than_the_text(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            citations(text)
            best = min(best, time.process_time() - start)
        return best

    # Eight times the text: linear is a factor of 8, quadratic one of 64.
    assert seconds(32_000) < 30 * seconds(4_000) + 0.02

"""The official XML: tables, lists, sentence numbers, repealed ranges, footnotes, and what a law says about itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.readers import ReadCorpus
from tests.readers.law import norm, one, read_law, text_of, unit

TABLE = (
    "<table><Title>Stufen</Title><tgroup cols='2'><thead><row><entry>Stufe</entry><entry>Betrag</entry></row></thead><tbody>"
    "<row><entry>Stufe 1</entry><entry>3,50<BR/>Euro</entry></row><row><entry>Stufe 2</entry><entry>7,10 Euro</entry></row>"
    "<row><entry/><entry/></row></tbody></tgroup></table>"
)


def ids(corpus: ReadCorpus, repealed: bool | None = None) -> list[str]:
    return [found.section_id for found in corpus.norms if repealed is None or found.repealed is repealed]


def test_a_table_row_stays_on_one_line_with_its_head_first(tmp_path: Path) -> None:
    corpus = read_law(tmp_path, norm("Anlage 1", f"<P>{TABLE}</P>"))
    assert corpus.norms[0].section_id == "Anlage 1"
    assert corpus.norms[0].paragraphs[0].text == "Stufen\nStufe | Betrag\nStufe 1 | 3,50 Euro\nStufe 2 | 7,10 Euro"
    assert (corpus.report.tables_found, corpus.report.tables_kept) == (1, 1)


def test_a_table_with_cells_outside_its_groups_is_told(tmp_path: Path) -> None:
    corpus = read_law(tmp_path, norm("§ 1", "<table><row><entry>verirrt</entry></row></table>"))
    assert "verirrt" in corpus.norms[0].paragraphs[0].text
    assert (corpus.report.tables_found, corpus.report.tables_kept) == (1, 0)
    assert "table_not_kept" in {oddity.code for oddity in corpus.report.oddities}


def test_repealed_sections_are_known_one_by_one(tmp_path: Path) -> None:
    corpus = read_law(
        tmp_path,
        norm("§ 1", "<P>Gilt.</P>"),
        norm("(XXXX) §§ 21, 22", "<P/>", titel="(weggefallen)"),
        norm("(XXXX) §§ 51 bis 53", "<P>(weggefallen)</P>"),
        norm("§ 30", "<P/>", titel="(weggefallen)"),
        norm("(XXXX) §§ 140b bis 140d", "<P>-</P>", titel="(weggefallen)"),
        norm("§ 60", "<P>-</P>"),
    )
    assert ids(corpus, repealed=True) == ["§ 21", "§ 22", "§ 51", "§ 52", "§ 53", "§ 30", "§ 140b", "§ 140c", "§ 140d", "§ 60"]
    assert corpus.report.empty == ()
    assert corpus.report.repealed == 10
    assert all(found.paragraphs for found in corpus.norms)


def test_a_repealed_absatz_leaves_its_norm_in_force(tmp_path: Path) -> None:
    found = one(tmp_path, "<P>(1) Gilt.</P><P>(2) (weggefallen)</P><P>(4) - (6) (weggefallen)</P>")
    assert not found.repealed
    assert [paragraph.subsection for paragraph in found.paragraphs] == ["1", "2", "4", "5", "6"]


def test_a_word_in_parentheses_in_place_of_the_text_is_the_text(tmp_path: Path) -> None:
    corpus = read_law(tmp_path, norm("§ 9", "<P>-</P>", titel="(Inkrafttreten)"))
    assert corpus.norms[0].paragraphs[0].text == "(Inkrafttreten)"
    assert not corpus.norms[0].repealed
    assert corpus.report.empty == ()


def test_a_sentence_number_is_a_word_of_its_own(tmp_path: Path) -> None:
    content = '<P>(1) <SUP class="Rec">1</SUP>Apotheken geben das Mittel ab. <SUP class="Rec">2</SUP>Dies gilt nicht im Notfall.</P>'
    assert text_of(tmp_path, content) == "(1) ¹ Apotheken geben das Mittel ab. ² Dies gilt nicht im Notfall."


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<P>20 m<SUP>2</SUP> und H<SUB>2</SUB>O</P>", "20 m² und H₂O"),
        ("<P>10<SUP>-3</SUP> mol</P>", "10⁻³ mol"),
        ("<P>mit (<SUP>99m</SUP> Tc)</P>", "mit (99m Tc)"),
        ("<P>Ende. <SUP>3</SUP>Danach</P>", "Ende. ³ Danach"),
        ("<P>Gewinn<FnR ID='F1'/>, der entsteht</P>", "Gewinn, der entsteht"),
        ("<P>eins<BR/>zwei</P>", "eins\nzwei"),
        (
            "<P>die Produkte-<NB>Verordnung</NB> und <B>fett</B>gedruckt</P>",
            "die Produkte-Verordnung und fettgedruckt",
        ),
        ("<P>Nach[<F Value='2'/>]</P>", "Nach[ [2] ]"),
        ("<P>Bild:<IMG SRC='a.gif'/>so</P>", "Bild: [Abbildung] so"),
        ("<P>E\u2011Rezept mit\u00a0Maß\u00adgabe, Pru\u0308fung</P>", "E\u2011Rezept mit\u00a0Maß\u00adgabe, Pru\u0308fung"),
    ],
)
def test_words_stay_words_at_the_borders_of_elements(tmp_path: Path, content: str, expected: str) -> None:
    assert text_of(tmp_path, content) == expected


def test_a_list_has_one_item_a_line_and_no_glued_letters(tmp_path: Path) -> None:
    content = (
        "<P>Pflichten sind <DL><DT>a)</DT><DD><LA>Abgabe</LA></DD><DT>b)</DT><DD><LA>Beratung: "
        "<DL><DT>aa)</DT><DD><LA>mündlich</LA></DD></DL></LA><LA>auch abends</LA></DD></DL> und mehr.</P>"
    )
    assert text_of(tmp_path, content) == "Pflichten sind\na) Abgabe\nb) Beratung:\naa) mündlich\nauch abends\nund mehr."


def test_a_break_in_a_title_is_a_blank(tmp_path: Path) -> None:
    assert one(tmp_path, "<P>Text</P>", titel="Abgabe<BR/>im Notdienst").heading == "Abgabe im Notdienst"


def test_every_absatz_is_kept_with_what_follows_it(tmp_path: Path) -> None:
    content = (
        "<P>(1) Erster.</P><P>(2) Zweiter: <DL><DT>a)</DT><DD><LA>eins</LA></DD></DL></P><P>Für beide gilt Satz 1.</P>"
        "<P>(2a)\u00a0Eingefügt.<BR/>(2b) Ohne eigenen Block.<BR/>(7) Nur eine Zahl im Satz.</P><P>(3) Dritter.</P>"
    )
    found = one(tmp_path, content)
    assert [paragraph.subsection for paragraph in found.paragraphs] == ["1", "2", "2a", "2b", "3"]
    assert found.paragraphs[1].text == "(2) Zweiter:\na) eins\nFür beide gilt Satz 1."
    assert found.paragraphs[3].text.endswith("(7) Nur eine Zahl im Satz.")


def test_enacted_footnotes_stand_apart_and_editorial_ones_are_counted(tmp_path: Path) -> None:
    corpus = read_law(
        tmp_path,
        norm(
            "§ 1",
            "<P>(1) Gewinn<FnR ID='F1'/>, der entsteht.</P><P>(2) Zweiter.</P>",
            footnotes="<Footnotes><Footnote ID='F1' FnZ='1' Postfix=')'>Gilt ab 2032.</Footnote>"
            "<Footnote ID='F2' FnZ='*'>Amtlicher<BR/>Hinweis.</Footnote></Footnotes>",
            notes="<Content><P>(+++ Nachweis +++)</P><P>§ 1 Abs. 2: Mit GG unvereinbar und nichtig gem. BVerfGE</P></Content>",
        ),
    )
    texts = [paragraph.text for paragraph in corpus.norms[0].paragraphs]
    assert texts == [
        "(1) Gewinn, der entsteht.\n[Fußnote 1)] Gilt ab 2032.",
        "(2) Zweiter.",
        "[Fußnote *] Amtlicher Hinweis.",
        "[Anmerkung] § 1 Abs. 2: Mit GG unvereinbar und nichtig gem. BVerfGE",
    ]
    assert corpus.report.footnotes == 4


@pytest.mark.parametrize(
    ("enbez", "section"),
    [
        ("§\u00a0129 a", "§ 129a"),
        ("Art 12 A", "Artikel 12a"),
        ("Anlage I", "Anlage I"),
        ("Eingangsformel", "Eingangsformel"),
        ("§ 7b", "§ 7b"),
    ],
)
def test_section_ids_are_whole_and_carry_their_unit(tmp_path: Path, enbez: str, section: str) -> None:
    assert ids(read_law(tmp_path, norm(enbez, "<P>Text</P>"))) == [section]


def test_the_path_follows_the_structure_and_annexes_stand_outside(tmp_path: Path) -> None:
    corpus = read_law(
        tmp_path,
        unit("010", "Buch 1", "Allgemeines"),
        unit("010010", "Titel 1", "Grundsatz"),
        norm("§ 1", "<P>a</P>"),
        unit("010020", "Titel 2", "Ausnahme"),
        norm("§ 2", "<P>b</P>"),
        unit("020", "Buch 2", "Besonderes"),
        norm("§ 3", "<P>c</P>"),
        norm("Anlage 1", "<P>d</P>"),
    )
    assert [found.path for found in corpus.norms] == [
        ("Buch 1 Allgemeines", "Titel 1 Grundsatz"),
        ("Buch 1 Allgemeines", "Titel 2 Ausnahme"),
        ("Buch 2 Besonderes",),
        (),
    ]


def test_a_section_that_stands_twice_is_kept_twice_and_told(tmp_path: Path) -> None:
    corpus = read_law(tmp_path, norm("§ 3", "<P>eins</P>"), norm("§ 3", "<P>zwei</P>"))
    assert ids(corpus) == ["§ 3", "§ 3"]
    assert [(oddity.code, oddity.where) for oddity in corpus.report.oddities] == [("duplicate_section", "§ 3")]


def test_many_norms_without_text_are_told(tmp_path: Path) -> None:
    corpus = read_law(tmp_path, norm("§ 1", "<P>Text</P>"), norm("§ 2", titel="Leer"))
    assert corpus.report.empty == ("§ 2",)
    assert "too_many_empty" in {oddity.code for oddity in corpus.report.oddities}


def test_an_unknown_element_keeps_its_text_and_is_told(tmp_path: Path) -> None:
    corpus = read_law(tmp_path, norm("§ 1", "<P>vor<Neuling>drin</Neuling>nach</P>"))
    assert corpus.norms[0].paragraphs[0].text == "vor\ndrin\nnach"
    assert ("unknown_element", "Neuling") in {(oddity.code, oddity.where) for oddity in corpus.report.oddities}


@pytest.mark.parametrize(
    ("meta", "corpus_id", "kind", "names"),
    [
        (
            {"jurabk": "SGB 5", "langue": "Sozialgesetzbuch (SGB) Fünftes Buch (V) - Krankenversicherung"},
            "sgb_v",
            "statute",
            ("SGB V", "SGB 5", "Fünftes Buch Sozialgesetzbuch"),
        ),
        (
            {"jurabk": "HeilMWerbG", "amtabk": "HWG", "kurzue": "Heilmittelwerbegesetz", "langue": "Gesetz über die Werbung"},
            "hwg",
            "statute",
            ("HWG", "Heilmittelwerbegesetz", "HeilMWerbG"),
        ),
        ({"jurabk": "AMG 1976", "amtabk": "AMG", "langue": "Gesetz über Arzneimittel"}, "amg", "statute", ("AMG", "AMG 1976")),
        ({"jurabk": "TestV", "langue": "Verordnung über Tests"}, "testv", "ordinance", ("TestV",)),
        ({"jurabk": "VwGO", "langue": "Verwaltungsgerichtsordnung"}, "vwgo", "statute", ("VwGO",)),
        ({"jurabk": "AM-NutzenV", "langue": "Arzneimittel-Nutzenverordnung"}, "am_nutzenv", "ordinance", ("AM-NutzenV",)),
        ({"jurabk": "GG", "langue": "Grundgesetz"}, "corpus_gg", "statute", ("GG",)),
    ],
)
def test_a_law_names_itself_as_people_do(tmp_path: Path, meta: dict[str, str], corpus_id: str, kind: str, names: tuple[str, ...]) -> None:
    spec = read_law(tmp_path, norm("§ 1", "<P>Text</P>"), **meta).spec
    assert (spec.corpus_id, spec.kind, spec.names, spec.title) == (corpus_id, kind, names, meta["langue"])


def test_the_stand_has_all_its_lines(tmp_path: Path) -> None:
    spec = read_law(tmp_path, norm("§ 1", "<P>Text</P>")).spec
    assert spec.stand == "Zuletzt geändert am 1.2.2031\nÄnderung noch nicht eingearbeitet"
    assert "BJNR1" in spec.source
    assert "20310203" in spec.source

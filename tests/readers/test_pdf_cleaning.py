"""Rough conversions of a PDF: contents lists, page heads, false headings, broken words, numbers glued to words."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.readers import ReadCorpus, read
from retrieval.readers.pdf_cleaning import clean, next_decimal
from retrieval.readers.word_repair import repaired

DIRECTIVE = """Richtlinie des Heil rats
über Proben
2 Inhalt
I. Allgemeiner Teil .................... 3
A. Zweck ............................... 3
### § 1 Zweck .......................... 3
### § 2 Lange Überschrift mit Verweis auf § 34
Absatz 1 des Gesetzes .................. 3
### § 2a (weggefallen) ................. 4
B. Umfang .............................. 4
### § 3 Umfang ......................... 4
II. Schluss ............................ 6
3 I. Allgemeiner Teil
A. Zweck
### § 1 Zweck
1Diese Richtlinie regelt Proben. 2Sie gilt nach
### § 3 des Gesetzes über Proben. 3§ 4 bleibt unberührt.
### § 2 Lange Überschrift mit Verweis auf § 34
Absatz 1 des Gesetzes
(1) Zu prüfen ist, ob
### 1. eine Probe vorliegt,
4 2. sie bis zum vollendeten
### 12. Lebensjahr verlangt wird und
### 3. der Heilrat nach Absatz
(3) Satz 2 zustimmt.
(2)
1Der Heilrat ent scheidet. 2Die Prüfung endet.
### § 2a (weggefallen)
5 B. Umfang
### § 3 Umfang
Der Heilrat entscheidet über den Um fang der Prüfung.
6 II. Schluss
Die Anlagen
## Anlage I Liste der Proben
7 sind Teil der Richtlinie.
"""


def pdf(folder: Path, text: str) -> ReadCorpus:
    (folder / "m.toml").write_text('title = "Proben"\nkind = "directive"\nlayout = "pdf"\n', encoding="utf-8")
    (folder / "r.md").write_text(text, encoding="utf-8")
    return read(folder / "r.md", manifest=folder / "m.toml")


def body(corpus: ReadCorpus, section: str) -> str:
    return "\n".join(part.text for norm in corpus.norms if norm.section_id == section for part in norm.paragraphs)


def test_only_real_headings_are_norms_and_the_contents_list_is_gone(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, DIRECTIVE)
    assert [(norm.section_id, norm.repealed) for norm in corpus.norms] == [
        ("§ 1", False),
        ("§ 2", False),
        ("§ 2a", True),
        ("§ 3", False),
        ("II. Schluss", False),
    ]
    assert "contents_dropped" in {oddity.code for oddity in corpus.report.oddities}


def test_a_wrapped_heading_is_whole(tmp_path: Path) -> None:
    assert pdf(tmp_path, DIRECTIVE).norms[1].heading == "Lange Überschrift mit Verweis auf § 34 Absatz 1 des Gesetzes"


def test_a_citation_that_became_a_heading_is_text_again(tmp_path: Path) -> None:
    assert body(pdf(tmp_path, DIRECTIVE), "§ 1") == (
        "¹ Diese Richtlinie regelt Proben. ² Sie gilt nach § 3 des Gesetzes über Proben. ³ § 4 bleibt unberührt."
    )


def test_list_items_are_lines_and_other_numbers_stay_in_their_sentence(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, DIRECTIVE)
    assert [part.subsection for part in corpus.norms[1].paragraphs] == ["1", "2"]
    assert corpus.norms[1].paragraphs[0].text.split("\n") == [
        "(1) Zu prüfen ist, ob",
        "1. eine Probe vorliegt,",
        "2. sie bis zum vollendeten 12. Lebensjahr verlangt wird und",
        "3. der Heilrat nach Absatz (3) Satz 2 zustimmt.",
    ]


def test_page_numbers_at_line_starts_are_gone(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, DIRECTIVE)
    assert [norm.path for norm in corpus.norms][-2:] == [("I. Allgemeiner Teil", "B. Umfang"), ("II. Schluss",)]
    assert "7" not in body(corpus, "II. Schluss")


def test_numbers_at_line_starts_that_count_no_pages_stay() -> None:
    text = "### § 1 Eins\nNach\n2 Wochen und\n17 Tagen und\n3 Stunden endet es.\n"
    assert "Nach 2 Wochen und 17 Tagen und 3 Stunden endet es." in clean(text).text


def pages(*bodies: str) -> str:
    heads = (f"| Regeln Stand 2031 Seite: {number} |\n| :---- |\n\n" for number in range(1, len(bodies) + 1))
    return "".join(f"{text}\n\n{head}" for text, head in zip(bodies, heads, strict=True))


TECHNICAL = pages(
    "**Anlage zur Probe**\n\n**Historie**\n\n| Version | Was |\n| --- | --- |\n| 1 | 4.10 neu |",
    "**1 Allgemeines**\n\nDas Sonderkennzeichen ist einzu",
    "tragen. Jede Probe wird einzutragen sein.\n\n**2 Sonderfälle**",
    "**2.1.1 Gebühr** 2.1.1 a Papierweg\n\nDer Faktor ist der Promilleanteil3 davon.\n\n3 In Tausendsteln.",
    "2.1.1 b E-Weg\n\n| Feld | Wert |\n| --- | --- |\n| a | 1 |\n\n**Hinweis**\n\n**2.2 nicht besetzt**",
    "**2.10 Abgabe**\n\n2.10.1 Papierweg\n\n**9 Keine Ziffer**\n\nNach Ziffer 2.2 gilt nichts.\n\n**3 Ende**\n\nSchluss.",
)


def test_bold_lines_are_headings_where_their_number_comes_next(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, TECHNICAL.replace("2.10", "2.3"))
    assert [norm.section_id for norm in corpus.norms] == [f"Ziffer {number}" for number in ("1", "2", "2.1.1", "2.2", "2.3", "3")]
    assert "9 Keine Ziffer" in body(corpus, "Ziffer 2.3")
    assert [part.subsection for part in corpus.norms[2].paragraphs] == ["2.1.1 a", "2.1.1 b"]
    assert corpus.norms[3].repealed


def test_page_heads_are_gone_and_sentences_go_on_over_the_page(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, TECHNICAL)
    assert body(corpus, "Ziffer 1") == "Das Sonderkennzeichen ist einzutragen. Jede Probe wird einzutragen sein."
    assert "Seite" not in "".join(part.text for norm in corpus.norms for part in norm.paragraphs)
    assert "Seite: 1" in next(oddity.detail for oddity in corpus.report.oddities if oddity.code == "page_heads_dropped")


def test_tables_that_are_no_page_heads_stay(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, TECHNICAL)
    assert "Feld | Wert\na | 1" in body(corpus, "Ziffer 2.1.1")
    assert (corpus.report.tables_found, corpus.report.tables_kept) == (1, 1)


def test_a_footnote_sign_leaves_its_word(tmp_path: Path) -> None:
    text = body(pdf(tmp_path, TECHNICAL), "Ziffer 2.1.1")
    assert "Promilleanteil [3] davon." in text
    assert "[Fußnote 3] In Tausendsteln." in text


def test_lines_that_differ_in_a_number_alone_are_no_page_heads_without_a_page_number() -> None:
    lines = "\n\n".join(f"Der Wert der Stufe beträgt {number} Euro im Jahr" for number in range(1, 9))
    assert clean(f"### § 1 Werte\n\n{lines}\n").text.count("Der Wert der Stufe") == 8


def test_one_lost_heading_does_not_lose_those_after_it(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, "### § 1 Eins\na\n### § 3 Drei\nb\n§ 5 Fünf\n§ 4 Vier\nc\n### § 9 Neun\nd\n")
    assert [norm.section_id for norm in corpus.norms] == ["§ 1", "§ 3", "§ 4"]
    assert "§ 9 Neun" in body(corpus, "§ 4")


def test_a_promised_heading_may_come_after_any_gap(tmp_path: Path) -> None:
    corpus = pdf(tmp_path, DIRECTIVE.replace("§ 2a (weggefallen)", "§ 17b Neu").replace("§ 3 Umfang", "§ 20 Umfang"))
    assert [norm.section_id for norm in corpus.norms][:4] == ["§ 1", "§ 2", "§ 17b", "§ 20"]


@pytest.mark.parametrize(
    ("before", "after", "right"),
    [
        ((4,), (4, 1, 1), True),
        ((4, 1, 4), (4, 2), True),
        ((4, 1, 4), (4, 1, 5), True),
        ((4, 14), (4, 14, 1), True),
        ((4, 16), (5,), True),
        ((4, 2), (4, 4), False),
        ((4, 2), (4, 2), False),
        ((4, 2), (4,), False),
        ((4, 2), (5, 2), False),
        ((4, 2), (3, 1), False),
    ],
)
def test_decimal_numbers_follow_in_counting_order(before: tuple[int, ...], after: tuple[int, ...], right: bool) -> None:
    assert next_decimal(before, after) is right


@pytest.mark.parametrize(
    ("evidence", "broken", "mended"),
    [
        ("Der Bundesausschuss tagt.", "der Bundesaus schuss", "der Bundesausschuss"),
        ("Er ergänzt die Liste.", "er er gänzt sie", "er ergänzt sie"),
        ("Das SGB V gilt.", "nach dem S GB V", "nach dem SGB V"),
        ("Bei der Ernährung gilt: enterale Ernährung.", "zur entera len Ernährung", "zur enteralen Ernährung"),
        ("Die Abrechnung und die Datei.", "die Abrech nungsdatei", "die Abrechnungsdatei"),
        ("Die Apothekenbetriebsordnung gilt.", "nach der Apothekenbe- triebsordnung", "nach der Apothekenbetriebsordnung"),
        ("Das Gebot der Wirtschaftlichkeit.", "die Wirt-schaftlichkeit", "die Wirtschaftlichkeit"),
        ("der Arzt, der Rat, der Satz", "nach de r Liste", "nach der Liste"),
        ("Nichts.", "Regelungs - und Geltungsbereich", "Regelungs- und Geltungsbereich"),
        ("Nichts.", "Off -Label -Use und Arzneimittel- Richtlinie", "Off-Label-Use und Arzneimittel-Richtlinie"),
        ("Nichts.", "Rat , der ( selten ) tagt", "Rat, der (selten ) tagt"),
    ],
)
def test_a_broken_word_is_mended_by_the_words_of_the_document(evidence: str, broken: str, mended: str) -> None:
    assert repaired([evidence, broken])[0][1] == mended


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ("Das ist zulassen und wir lassen es.", "nicht zu lassen"),
        ("Das ist zulassen.", "nicht zu lassen"),
        ("Ein Bundesausschuss.", "Bundes Ausschuss"),
        ("So weit, so gut; soweit möglich. Weit weg.", "sind so weit weg"),
        ("Der Heilrat.", "Wort bruch ohne Zeugen"),
        ("Ein- und Ausgang, einundzwanzig.", "Ein- und Ausgang"),
        ("Ein Antrag a und ein Antrag b.", "Buchstabe a und Buchstabe b"),
        ("E-Rezept und Rezept", "das E-Rezept"),
    ],
)
def test_two_words_stay_two(evidence: str, words: str) -> None:
    assert repaired([evidence, words])[0][1] == words


def test_the_mended_words_are_counted(tmp_path: Path) -> None:
    assert repaired(["Prüfung Prüfung", "Prü fung", "Prüfun g"])[1] == 2
    assert "words_rejoined" in {oddity.code for oddity in pdf(tmp_path, DIRECTIVE).report.oddities}

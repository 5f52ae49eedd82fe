"""Rules as Markdown and plain text: headings, containers, Absätze, tables, front matter and manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.errors import BadSource
from retrieval.readers import Paragraph, ReadCorpus, read

CONTRACT = """+++
id = "vertrag"
title = "Vertrag über Proben"
kind = "contract"
names = ["Probenvertrag", "PV"]
stand = "1. Mai 2031"
source = "erfunden"
default_container = "Vertrag"
invented = true
+++
# Vertrag
## § 1 Gegenstand
(1) Erster Satz.
(2) Zweiter Satz:
a) eins
b) zwei
## § 2
Ohne Absätze.
# Anlage 11: Dienstleistungen
Vorab gilt dies.
## § 1 Umfang
(1) In der Anlage.
# Anhang 2
Nur Text.
"""


def written(folder: Path, text: str, name: str = "regeln.md") -> ReadCorpus:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


def places(corpus: ReadCorpus) -> list[str]:
    return [f"{norm.container_id}·{norm.section_id}" if norm.container_id else norm.section_id for norm in corpus.norms]


def body(corpus: ReadCorpus, at: int = 0) -> str:
    return "\n".join(paragraph.text for paragraph in corpus.norms[at].paragraphs)


def test_a_contract_has_its_annexes_as_containers(tmp_path: Path) -> None:
    corpus = written(tmp_path, CONTRACT)
    assert places(corpus) == ["Vertrag·§ 1", "Vertrag·§ 2", "Anlage 11·Anlage 11", "Anlage 11·§ 1", "Anhang 2·Anhang 2"]
    assert corpus.spec.containers == ("Vertrag", "Anlage 11", "Anhang 2")
    assert corpus.norms[3].path == ("Dienstleistungen",)
    assert corpus.norms[0].paragraphs == (Paragraph("1", "(1) Erster Satz."), Paragraph("2", "(2) Zweiter Satz:\na) eins\nb) zwei"))


def test_the_front_matter_becomes_the_spec(tmp_path: Path) -> None:
    spec = written(tmp_path, CONTRACT).spec
    assert (spec.corpus_id, spec.kind, spec.names, spec.invented) == ("vertrag", "contract", ("Probenvertrag", "PV"), True)
    assert (spec.stand, spec.source, spec.default_container_id) == ("1. Mai 2031", "erfunden", "Vertrag")


def test_in_a_statute_an_annex_is_a_norm(tmp_path: Path) -> None:
    corpus = written(
        tmp_path, '+++\ntitle = "G"\nkind = "statute"\n+++\n## § 1 Eins\nText\n## Anlage 1 (zu § 1)\nListe\n## Anlage IIa Zwei\nMehr\n'
    )
    assert [(norm.section_id, norm.heading) for norm in corpus.norms[1:]] == [("Anlage 1", "(zu § 1)"), ("Anlage IIa", "Zwei")]


@pytest.mark.parametrize(
    ("heading", "section", "title"),
    [
        ("# § 9 Auswahlbereich", "§ 9", "Auswahlbereich"),
        ("#### § 9a. Auswahl", "§ 9a", "Auswahl"),
        ("## § 9 a Auswahl", "§ 9a", "Auswahl"),
        ("## § 9 an Feiertagen", "§ 9", "an Feiertagen"),
        ("## §\u00a09 – Auswahl ##", "§ 9", "Auswahl"),
        ("## &sect;&nbsp;9 Auswahl", "§ 9", "Auswahl"),
        ("## **§ 9 Auswahl**", "§ 9", "Auswahl"),
        ("## Art. 3 Gleichheit", "Artikel 3", "Gleichheit"),
        ("## Ziffer 4.10 Abgabe", "Ziffer 4.10", "Abgabe"),
        ("## 4.1.2 Gebühren", "Ziffer 4.1.2", "Gebühren"),
        ("## 7 Nummern", "Ziffer 7", "Nummern"),
        ("## Präambel", "Präambel", ""),
    ],
)
def test_a_heading_says_its_norm(tmp_path: Path, heading: str, section: str, title: str) -> None:
    corpus = written(tmp_path, f"{heading}\nText.\n")
    assert [(norm.section_id, norm.heading) for norm in corpus.norms] == [(section, title)]


def test_structure_headings_become_the_path(tmp_path: Path) -> None:
    first = "# Erstes Buch: A\n# Zweites Kapitel: B\n## 1. Abschnitt C\n### § 1 Eins\nx\n"
    text = f"{first}# Drittes Kapitel\n## § 2 Zwei\ny\n# Zweites Buch\n## § 3\nz\n"
    corpus = written(tmp_path, f'+++\ntitle = "G"\n+++\n{text}')
    assert [norm.path for norm in corpus.norms] == [
        ("Erstes Buch: A", "Zweites Kapitel: B", "1. Abschnitt C"),
        ("Erstes Buch: A", "Drittes Kapitel"),
        ("Zweites Buch",),
    ]


def test_the_first_heading_is_the_title_where_none_is_given(tmp_path: Path) -> None:
    corpus = written(tmp_path, "# Hausordnung\n## § 1 Ruhe\nLeise.\n")
    assert (corpus.spec.title, corpus.spec.corpus_id, corpus.norms[0].path) == ("Hausordnung", "hausordnung", ())


def test_words_outside_a_norm_are_kept_under_their_heading(tmp_path: Path) -> None:
    corpus = written(tmp_path, '+++\ntitle = "G"\n+++\nVorweg.\n# Teil 1 Allgemeines\nEinleitung.\n## § 1 Eins\nText.\n')
    assert [(norm.section_id, body(corpus, at)) for at, norm in enumerate(corpus.norms)] == [
        ("Vorspruch", "Vorweg."),
        ("Teil 1 Allgemeines", "Einleitung."),
        ("§ 1", "Text."),
    ]


def test_repealed_sections_and_ranges_are_known(tmp_path: Path) -> None:
    ranges = "## §§ 3 bis 5 (weggefallen)\n## § 7\n(weggefallen)\n## (XXXX) §§ 8a und 8b (weggefallen)\n-\n"
    corpus = written(tmp_path, f"## § 1 Eins\nText\n{ranges}## Ziffer 9 nicht besetzt\n")
    assert [norm.section_id for norm in corpus.norms if norm.repealed] == ["§ 3", "§ 4", "§ 5", "§ 7", "§ 8a", "§ 8b", "Ziffer 9"]
    assert corpus.report.empty == ()


def test_wrapped_lines_are_joined_and_items_stay_apart(tmp_path: Path) -> None:
    items = "1.  erstens\n    und mehr,\n2.  zweitens.\n\nSchluss.\n\n(2) Neu.\n"
    corpus = written(tmp_path, f"## § 1 Eins\n(1) Ein Satz, der\nweitergeht und nach Absatz\n(4) endet.\n\n{items}")
    assert [paragraph.subsection for paragraph in corpus.norms[0].paragraphs] == ["1", "2"]
    assert (
        corpus.norms[0].paragraphs[0].text
        == "(1) Ein Satz, der weitergeht und nach Absatz\n(4) endet.\n1. erstens und mehr,\n2. zweitens.\nSchluss."
    )


def test_a_table_row_stays_on_one_line(tmp_path: Path) -> None:
    corpus = written(
        tmp_path, "## § 1 Eins\nSiehe:\n\n| Stufe | Betrag |\n| :--- | ---: |\n| 1 | 3,50 Euro |\n| **2** | 7,10 \\| x |\n\nEnde.\n"
    )
    assert body(corpus) == "Siehe:\nStufe | Betrag\n1 | 3,50 Euro\n2 | 7,10 | x\nEnde."
    assert (corpus.report.tables_found, corpus.report.tables_kept) == (1, 1)


def test_a_table_written_as_lists_in_lists_is_a_table(tmp_path: Path) -> None:
    corpus = written(
        tmp_path, "## § 1 Eins\nSiehe\n\n*    *   bis 5\n\n    *   21 Prozent\n\n\n*    *   über 5\n\n    *   3\n        Prozent\n\nEnde.\n"
    )
    assert body(corpus) == "Siehe\nbis 5 | 21 Prozent\nüber 5 | 3 Prozent\nEnde."
    assert corpus.report.tables_found == 1


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Nach &sect;&nbsp;9 und &#167; 12", "Nach §\u00a09 und § 12"),
        ("**fett** und *kursiv* und 2 * 3 * 4", "fett und kursiv und 2 * 3 * 4"),
        ("Satz<sup>1</sup> m<sup>2</sup>", "Satz¹ m²"),
        ("<sup>1</sup>Apotheken", "¹ Apotheken"),
        ("siehe [hier](https://example.org/a) und [Anm.](nicht)", "siehe hier und [Anm.](nicht)"),
        ("Bild ![Plan](a.png)", "Bild [Abbildung]"),
        ("ID 23\\) und \\= 5", "ID 23) und = 5"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("Gewinn[^1], der", "Gewinn, der"),
    ],
)
def test_running_text_is_shown_without_marks(tmp_path: Path, source: str, shown: str) -> None:
    assert body(written(tmp_path, f"## § 1 Eins\n{source}\n")) == shown


def test_pictures_and_footnotes_are_counted(tmp_path: Path) -> None:
    corpus = written(tmp_path, "## § 1 Eins\nText[^1] ![x](y)\n\n[^1]: Gilt ab Mai.\n")
    assert body(corpus) == "Text [Abbildung]\n[Fußnote 1] Gilt ab Mai."
    assert (corpus.report.pictures, corpus.report.footnotes) == (1, 1)


PLAIN = """Hausvertrag

Erster Abschnitt Grundlagen

§ 1 Gegenstand
(1) Dies regelt die Ruhe. Im Übrigen gilt
§ 7 Abs. 2 BGB entsprechend.
§ 9 ApoG bleibt unberührt.
(2) Zweiter.

Artikel 3 Gleichheit
Alle sind gleich.

4.10 Abweichende Abgabe
Text der Ziffer mit 4.11 Euro
12.5 Prozent davon.

4.10.1 Papier
Unterpunkt.

§ 12 Ende
Schluss.
"""


def test_plain_text_finds_headings_by_their_look(tmp_path: Path) -> None:
    corpus = written(tmp_path, PLAIN, "hausvertrag.txt")
    assert places(corpus) == ["Vorspruch", "§ 1", "Artikel 3", "Ziffer 4.10", "Ziffer 4.10.1", "§ 12"]
    assert corpus.norms[1].paragraphs[0].text.endswith("§ 7 Abs. 2 BGB entsprechend. § 9 ApoG bleibt unberührt.")
    assert body(corpus, 3) == "Text der Ziffer mit 4.11 Euro 12.5 Prozent davon."
    assert corpus.norms[1].path == ("Erster Abschnitt Grundlagen",)


def test_plain_text_knows_containers_too(tmp_path: Path) -> None:
    head = '+++\ntitle = "V"\nkind = "contract"\ndefault_container = "Vertrag"\n+++\n'
    corpus = written(
        tmp_path, f"{head}§ 1 Eins\nDie Anlage 11 gilt.\nAnlage 11 gilt auch hier.\n\nAnlage 11: Listen\n\n§ 1 Liste\nText\n", "v.txt"
    )
    assert places(corpus) == ["Vertrag·§ 1", "Anlage 11·§ 1"]


def test_a_number_below_a_ziffer_in_running_text_is_its_subsection(tmp_path: Path) -> None:
    corpus = written(
        tmp_path,
        "## 4.10 Abgabe\n\n4.10.1 Papier\n\nText.\n\n4.10.2 Elektronisch\n\n## 4.11 Ende\n\n4.11 a Papier\n\nNach 4.10.1 geht es.\n",
    )
    assert [(norm.section_id, [paragraph.subsection for paragraph in norm.paragraphs]) for norm in corpus.norms] == [
        ("Ziffer 4.10", ["4.10.1", "4.10.2"]),
        ("Ziffer 4.11", ["4.11 a"]),
    ]


def test_a_ziffer_with_nothing_but_ziffern_below_it_keeps_its_heading(tmp_path: Path) -> None:
    corpus = written(tmp_path, "## 4 Sonderfälle\n### 4.1.1 Eins\nText\n### 4.2 Zwei\n## 5 Leer\n")
    assert [paragraph.text for paragraph in corpus.norms[0].paragraphs] == ["Sonderfälle"]
    assert [norm.path for norm in corpus.norms] == [(), ("4 Sonderfälle",), ("4 Sonderfälle",), ()]
    assert corpus.report.empty == ("Ziffer 4.2", "Ziffer 5")


def test_a_public_collection_head_names_law_and_stand(tmp_path: Path) -> None:
    head = "---\nTitle: Sozialgesetzbuch (SGB) Fünftes\n  Buch\njurabk: SGB 5\n---\n\n# Sozialgesetzbuch (SGB) Fünftes Buch (SGB 5)\n\n"
    terms = "Fundstelle\n:   BGBl\n\nZuletzt geändert durch\n:   Art. 1\n    G v. 2031\n\n"
    corpus = written(tmp_path, f"{head}{terms}## Erster Abschnitt - A\n### § 1 Eins\nText\n")
    spec = corpus.spec
    assert (spec.corpus_id, spec.title, spec.kind) == ("sgb_v", "Sozialgesetzbuch (SGB) Fünftes Buch", "statute")
    assert (spec.names, spec.stand) == (("SGB V", "SGB 5"), "Zuletzt geändert durch Art. 1 G v. 2031")
    assert places(corpus) == ["§ 1"]
    assert corpus.norms[0].path == ("Erster Abschnitt - A",)


def test_a_manifest_beside_the_rules_speaks_for_them(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('id = "eigen"\ntitle = "Eigene Regeln"\nkind = "directive"\n', encoding="utf-8")
    (tmp_path / "r.md").write_text("## § 1 Eins\nText\n", encoding="utf-8")
    spec = read(tmp_path / "r.md", manifest=tmp_path / "m.toml").spec
    assert (spec.corpus_id, spec.title, spec.kind) == ("eigen", "Eigene Regeln", "directive")


def test_a_manifest_can_list_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## § 1 Eins\nText\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("## § 1 Anders\nText\n", encoding="utf-8")
    manifest = tmp_path / "m.toml"
    manifest.write_text(
        'title = "V"\nkind = "contract"\ndefault_container = "Vertrag"\n'
        'files = ["a.md", {path = "b.md", container = "Anlage 2", title = "Preise"}]\n',
        encoding="utf-8",
    )
    corpus = read(manifest)
    assert places(corpus) == ["Vertrag·§ 1", "Anlage 2·§ 1"]
    assert corpus.norms[1].path == ("Preise",)
    assert corpus.spec.containers == ("Vertrag", "Anlage 2")


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ('title = "V"\n', "lists no files"),
        ('files = ["../fremd.md"]\n', "outside the manifest"),
        ('files = ["/etc/passwd"]\n', "outside the manifest"),
        ('files = ["fehlt.md"]\n', "no such file"),
        ('farbe = "rot"\nfiles = ["a.md"]\n', "farbe"),
        ('kind = "roman"\nfiles = ["a.md"]\n', "kind"),
        ("files = 3\n", "Expected the keys"),
        ("title = V\n", "not TOML"),
    ],
)
def test_a_faulty_manifest_is_refused_with_its_cause(tmp_path: Path, manifest: str, words: str) -> None:
    (tmp_path / "a.md").write_text("## § 1 Eins\nText\n", encoding="utf-8")
    (tmp_path / "m.toml").write_text(manifest, encoding="utf-8")
    with pytest.raises(BadSource, match=words):
        read(tmp_path / "m.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("+++\ntitle = 'x'\n## § 1 Eins\n", "never closes"),
        ("+++\ntitle x\n+++\n## § 1 Eins\n", "not TOML"),
        ("Ein Brief ohne jede Gliederung.\n" * 3, "no norm"),
    ],
)
def test_rules_that_are_none_are_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadSource, match=words):
        written(tmp_path, text)


def test_a_section_that_stands_twice_is_kept_twice_and_told(tmp_path: Path) -> None:
    corpus = written(tmp_path, "## § 3 Eins\na\n## § 3 Zwei\nb\n")
    assert [body(corpus, at) for at in (0, 1)] == ["a", "b"]
    assert [oddity.code for oddity in corpus.report.oddities] == ["duplicate_section"]

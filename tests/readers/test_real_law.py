"""Real law from the shared folder: nothing is lost, counts are what the index of the folder says, forms read alike."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import parse

from retrieval.chunking import chunks
from retrieval.readers import ReadCorpus, ReadNorm, read

pytestmark = pytest.mark.shared

FOLDERS = ("gesetze_xml", "gesetze_xml_weitere", "gesetze_xml_original")
MANIFESTS = Path(__file__).parents[2] / "benchmarks" / "corpora"


@cache
def law(path: Path) -> ReadCorpus:
    return read(path)


def listed(shared: Path, folder: str) -> list[tuple[Path, dict[str, Any]]]:
    entries = json.loads((shared / "data" / folder / "gesetze.json").read_text(encoding="utf-8"))
    return [(shared / "data" / folder / entry["datei"], entry) for entry in entries]


def norms_of(path: Path) -> list[Element]:
    return [norm for norm in parse(path, forbid_dtd=False).getroot() if norm.findtext("metadaten/enbez")]


def label_of(norm: Element) -> str:
    return norm.findtext("metadaten/enbez") or ""


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_section_that_the_index_counts_is_read(shared: Path, folder: str) -> None:
    """The index counts labels that open with § or Art; a range that was taken out is one label there and several norms here."""
    for path, entry in listed(shared, folder):
        single = [label for norm in norms_of(path) if (label := label_of(norm)).startswith(("§", "Art"))]
        assert len(single) == entry["paragraphen_oder_artikel"], path.name
        read_ids = [norm.section_id for norm in law(path).norms]
        assert [section for section in read_ids if section in {label.replace("Art ", "Artikel ") for label in single}] == [
            label.replace("Art ", "Artikel ") for label in single
        ], path.name
        ranges = [label for norm in norms_of(path) if (label := label_of(norm)).startswith("(XXXX)")]
        others = len(norms_of(path)) - len(single) - len(ranges)
        assert len(read_ids) >= len(single) + others + 2 * len(ranges), path.name


SEVERAL = re.compile(r"\((\d+)\)\s*(?:u\.|und|bis|-|–)\s*\((\d+)\)")


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_absatz_that_the_index_counts_is_read(shared: Path, folder: str) -> None:
    """The index counts blocks of § and Art. A block without a number is here a part of its Absatz; one that opens several is several."""
    for path, entry in listed(shared, folder):
        blocks = [
            " ".join("".join(block.itertext()).split())
            for norm in norms_of(path)
            if label_of(norm).startswith(("§", "Art"))
            for block in norm.iterfind("textdaten/text/Content/P")
        ]
        assert abs(sum(1 for block in blocks if block) - entry["absaetze"]) <= 2, path.name
        numbered = sum(1 for block in blocks if re.match(r"\(\d+\s?[a-z]?\)", block))
        numbered += sum(int(several.group(2)) - int(several.group(1)) for block in blocks if (several := SEVERAL.match(block)))
        sections = [norm for norm in law(path).norms if norm.section_id.startswith(("§", "Artikel"))]
        found = sum(1 for norm in sections for paragraph in norm.paragraphs if paragraph.subsection)
        inside = 3 if path.name == "BJNR024820988.xml" else 0  # § 342 of SGB V opens three Absätze inside one block
        assert found == numbered + inside, path.name


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_table_is_kept_and_hardly_a_norm_is_empty(shared: Path, folder: str) -> None:
    for path, entry in listed(shared, folder):
        report = law(path).report
        assert report.tables_found == report.tables_kept == entry["tabellen"], path.name
        codes = {oddity.code for oddity in report.oddities}
        assert codes <= {"note_outside_norms", "duplicate_section"}, (path.name, codes)
        assert report.empty == (), path.name


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")))


def raw_text(norm: Element) -> str:
    skipped = {id(note) for area in norm.iter("Footnotes") for note in area.iter()}
    parts: list[str] = []

    def walk(element: Element) -> None:
        if element.tag == "F" and element.get("Value"):
            parts.append(element.get("Value", ""))
        if element.tag in ("FILE", "IMG"):
            parts.append("Abbildung")
        parts.append(element.text or "")
        for child in element:
            if id(child) not in skipped:
                walk(child)
            parts.append(child.tail or "")

    for content in norm.iterfind("textdaten/text/*"):
        if content.tag != "Footnotes":
            walk(content)
    return letters("".join(parts))


def own_text(norm: ReadNorm) -> str:
    lines = (line for paragraph in norm.paragraphs for line in paragraph.text.split("\n"))
    return letters("".join(line for line in lines if not line.startswith(("[Fußnote", "[Anmerkung]"))))


@pytest.mark.parametrize("folder", FOLDERS)
def test_not_one_letter_of_a_norm_is_lost(shared: Path, folder: str) -> None:
    for path, _ in listed(shared, folder):
        read_texts: dict[str, set[str]] = {}
        for norm in law(path).norms:
            read_texts.setdefault(norm.section_id, set()).add(own_text(norm))
        for element in norms_of(path):
            raw, label = raw_text(element), label_of(element)
            if raw and not label.startswith("(XXXX)") and not SEVERAL.search("".join(element.itertext())):
                assert raw in read_texts[label.replace("Art ", "Artikel ")], (path.name, label)


def test_raw_and_canonical_form_read_alike(shared: Path) -> None:
    """Sozialgesetzbuch I: the archive, its member and the canonical form of a later day."""
    old, zipped = (law(shared / "data" / "gesetze_xml_original" / name) for name in ("BJNR030150975.xml", "sgb_1.xml.zip"))
    assert (zipped.norms, zipped.spec.names) == (old.norms, old.spec.names)
    new = law(shared / "data" / "gesetze_xml" / "BJNR030150975.xml")
    assert [norm.section_id for norm in new.norms] == [norm.section_id for norm in old.norms]
    changed = [norm.section_id for norm, before in zip(new.norms, old.norms, strict=True) if norm.paragraphs != before.paragraphs]
    assert len(changed) <= 4


def test_known_rules_are_where_lawyers_look_for_them(shared: Path) -> None:
    sgb_v = law(shared / "data" / "gesetze_xml" / "BJNR024820988.xml")
    norms = {norm.section_id: norm for norm in sgb_v.norms}
    assert {"2a", "4d", "5h"} <= {paragraph.subsection for paragraph in norms["§ 129"].paragraphs}
    assert {"2a", "2b", "2c"} <= {paragraph.subsection for paragraph in norms["§ 342"].paragraphs}
    assert all(norms[section].repealed for section in ("§ 140b", "§ 140c", "§ 140d"))
    assert norms["§ 129"].path[0].startswith("Viertes Kapitel")
    assert len(sgb_v.spec.stand.split("\n")) == 4
    prices = law(shared / "data" / "gesetze_xml" / "BJNR021470980.xml")
    text = "\n".join(paragraph.text for norm in prices.norms for paragraph in norm.paragraphs)
    assert "von 0,85 Euro bis 0,88 Euro | 0,18 Euro," in text.split("\n")


def test_names_are_those_in_use(shared: Path) -> None:
    for folder in FOLDERS[:2]:
        for path, entry in listed(shared, folder):
            spec = law(path).spec
            assert set(entry["gebraeuchlich"]) <= {*spec.names, spec.title}, path.name


def test_chunks_of_all_laws_are_unique_and_short(shared: Path) -> None:
    sizes: list[int] = []
    for folder in FOLDERS[:2]:
        for path, _ in listed(shared, folder):
            made = chunks(law(path))
            assert len({chunk.chunk_id for chunk in made}) == len(made)
            sizes.extend(len(chunk.text.split()) for chunk in made)
    assert sum(size > 160 for size in sizes) < len(sizes) / 500


def test_the_markdown_of_an_older_day_has_the_same_structure(shared: Path) -> None:
    files = sorted((shared / "data" / "gesetze_md_2022").glob("*.md"))
    for path in files:
        if path.name != "README.md":
            corpus = read(path)
            assert corpus.report.empty == (), path.name
            assert not any(oddity.code == "duplicate_section" for oddity in corpus.report.oddities), path.name
            assert corpus.spec.names, path.name
    prices = read(shared / "data" / "gesetze_md_2022" / "ampreisv.md")
    today = law(shared / "data" / "gesetze_xml" / "BJNR021470980.xml")
    assert [norm.section_id for norm in prices.norms] == [norm.section_id for norm in today.norms]
    assert prices.report.tables_found == today.report.tables_found


def converted(shared: Path, pattern: str, manifest: str) -> ReadCorpus:
    return read(next((shared / "data").glob(pattern)), manifest=MANIFESTS / manifest)


def test_the_directive_has_each_of_its_sections(shared: Path) -> None:
    corpus = converted(shared, "arzneimittel_richtlinie/AM-RL-2025*.md", "am_rl.toml")
    sections = [norm.section_id for norm in corpus.norms if norm.section_id.startswith("§")]
    expected = [f"§ {number}{letter}" for number in range(1, 55) for letter in ["", *{3: "a", 4: "a", 40: "ab"}.get(number, "")]]
    assert sections == expected
    assert [norm.section_id for norm in corpus.norms if norm.repealed] == ["§ 3a", "§ 46", "§ 47", "§ 48", "§ 49"]
    assert [norm.section_id for norm in corpus.norms[-2:]] == [
        "III. Anpassung und Aktualisierung der Richtlinie",
        "IV. Verzeichnis der Anlagen zur Richtlinie",
    ]
    text = "\n".join(paragraph.text for norm in corpus.norms for paragraph in norm.paragraphs)
    assert not re.search(r"\.{5}|\b\d[A-ZÄÖÜ][a-zäöü]|S GB|aus schuss|###", text)
    assert {norm.path[0] for norm in corpus.norms[:3]} == {"I. Allgemeiner Teil"}


def test_the_technical_annex_has_each_of_its_numbers(shared: Path) -> None:
    corpus = converted(shared, "arzneimittelabrechnung_ta/TA1_039*.md", "ta1.toml")
    numbers = [norm.section_id.removeprefix("Ziffer ") for norm in corpus.norms]
    fours = [
        *(f"4.1.{part}" for part in range(1, 5)),
        *(f"4.{part}" for part in range(2, 15)),
        "4.14.1",
        "4.14.2",
        "4.15",
        "4.15.1",
        "4.15.2",
        "4.16",
    ]
    assert numbers == ["1", "2", "3", "3.1", "3.2", "4", *fours, "5", "6", "7"]
    assert [norm.section_id for norm in corpus.norms if norm.repealed] == ["Ziffer 4.2", "Ziffer 4.3"]
    assert corpus.report.empty == ()
    norm = next(norm for norm in corpus.norms if norm.section_id == "Ziffer 4.10")
    assert [paragraph.subsection for paragraph in norm.paragraphs] == ["4.10.1", "4.10.2"]
    text = "\n".join(paragraph.text for paragraph in norm.paragraphs)
    for named in ("§ 9 Absatz 1 und 2", "§ 11 Absatz 2", "§ 14 Absatz 1", "§ 15 des Rahmenvertrages", "02567024"):
        assert named in text
    for named in ("§ 17 Absatz 5 S. 2 Apothekenbetriebsordnung", "§ 129 Absatz 2a SGB V", "§ 3 Absatz 1a AMPreisV"):
        assert named in text
    everything = "\n".join(paragraph.text for norm in corpus.norms for paragraph in norm.paragraphs)
    assert "Seite:" not in everything
    assert "Der Faktor ist als Promilleanteil [3] anzugeben." in everything

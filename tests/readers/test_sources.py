"""Files from strangers: bombs, broken archives, wrong formats, encodings and names."""

from __future__ import annotations

import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadSource
from retrieval.readers import READERS, read
from retrieval.readers.naming import technical_name, usual_abbreviation
from retrieval.readers.safe_files import LARGEST
from tests.readers.law import HEADER, law_xml, norm, read_law

LAW = law_xml(norm("§ 1", "<P>Text</P>"))


def archive(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name.replace("_", "."), text)
    return path


def test_the_official_header_is_read_without_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the reader opened a connection")

    monkeypatch.setattr("socket.socket.connect", refuse)
    assert "<!DOCTYPE dokumente SYSTEM" in HEADER
    assert read_law(tmp_path, norm("§ 1", "<P>Text</P>")).report.norms == 1


def test_an_archive_is_read_like_its_member(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(LAW, encoding="utf-8")
    zipped = archive(tmp_path / "xml.zip", a_xml=LAW, bild_gif="GIF89a")
    assert read(zipped) == read(tmp_path / "a.xml")


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE dokumente [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>'
    "<dokumente><norm><metadaten/><textdaten>&c;</textdaten></norm></dokumente>"
)
OUTSIDE = '<!DOCTYPE dokumente [<!ENTITY x SYSTEM "file:///etc/passwd">]><dokumente>&x;</dokumente>'


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.xml", BOMB, "entities of its own"),
        ("a.xml", OUTSIDE, "entities of its own"),
        ("a.xml", "<?xml version='1.0'?><dokumente><norm>", "not well-formed"),
        ("a.xml", "<?xml version='1.0'?><rss></rss>", "expected <dokumente>"),
        ("a.xml", "<!DOCTYPE html><html><body>404</body></html>", "HTML page"),
        ("xml.zip", "<html><body>Wartung</body></html>", "HTML page"),
        ("xml.zip", "kein Archiv", "not a readable zip"),
        ("xml.zip", "", "empty"),
        ("a.md", "<html><body>404</body></html>", "HTML page"),
        ("a.pdf", "%PDF-1.7 ...", "PDF file"),
        ("a.md", "Nur ein Satz ohne Gliederung.\0", "binary data"),
        ("a.xml", law_xml(), "found no norm"),
    ],
)
def test_what_is_no_law_is_refused_with_its_cause(tmp_path: Path, name: str, content: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadSource, match=words):
        read(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "fehlt.xml"):
        with pytest.raises(BadSource, match="no such file"):
            read(path)


@pytest.mark.parametrize(("members", "words"), [({"a_xml": LAW, "b_xml": LAW}, "2 members"), ({"a_txt": "Text"}, "0 members")])
def test_an_archive_needs_exactly_one_law(tmp_path: Path, members: dict[str, str], words: str) -> None:
    with pytest.raises(BadSource, match=words):
        read(archive(tmp_path / "xml.zip", **members))


def test_an_archive_that_unpacks_too_large_is_refused_at_once_with_flat_memory(tmp_path: Path) -> None:
    path = tmp_path / "xml.zip"
    block = b"<P>ha</P>" * 100_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file, file.open("a.xml", "w") as member:
        for _ in range(LARGEST // len(block) + 2):
            member.write(block)
    tracemalloc.start()
    started = time.perf_counter()
    with pytest.raises(BadSource, match="unpacks to more than"):
        read(path)
    assert time.perf_counter() - started < 1
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "xml.zip", a_xml=LAW + " " * 100_000)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (10).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    with pytest.raises(BadSource, match="zip"):
        read(path)


def test_elements_nested_without_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(law_xml(norm("§ 1", "<P>" + "<B>" * 5000 + "x" + "</B>" * 5000 + "</P>")), encoding="utf-8")
    with pytest.raises(BadSource, match="nested too deeply"):
        read(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_text_is_read_in_the_encodings_of_german_offices(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "regeln.txt"
    path.write_bytes("§ 1 Prüfung\r\nÄrzte prüfen – stets.\r\n".encode(encoding))
    found = read(path).norms[0]
    assert (found.section_id, found.heading, found.paragraphs[0].text) == ("§ 1", "Prüfung", "Ärzte prüfen – stets.")


def test_text_in_no_known_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "regeln.txt"
    path.write_bytes(b"\xa7 1 Eins\nText\nkaputt \x81 hier\n")
    with pytest.raises(BadSource, match=r"line 3.*0x81"):
        read(path)


def test_overrides_replace_what_the_source_says(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(LAW, encoding="utf-8")
    spec = read(tmp_path / "a.xml", corpus_id="mein_gesetz", names=("MeinG",), title=None).spec
    assert (spec.corpus_id, spec.names, spec.title) == ("mein_gesetz", ("MeinG",), "Gesetz über Tests")


@pytest.mark.parametrize(("override", "words"), [({"farbe": "rot"}, "farbe"), ({"kind": "roman"}, "kind"), ({"names": 3}, "names")])
def test_a_wrong_override_is_refused(tmp_path: Path, override: dict[str, object], words: str) -> None:
    (tmp_path / "a.xml").write_text(LAW, encoding="utf-8")
    with pytest.raises(BadSource, match=words):
        read(tmp_path / "a.xml", **override)


def test_each_reader_has_its_own_name() -> None:
    assert len({reader.name for reader in READERS}) == len(READERS)


HARD_NAMES = [
    "../../tmp/x",
    "/etc",
    "C:\\x",
    "a/b",
    "..",
    "Rahmenvertrag § 129",
    "x" * 600,
    "x" * 599,
    "a b/c",
    "§",
    "·",
    "tmp x",
    "a",
    "日本",
]


@pytest.mark.parametrize("name", HARD_NAMES)
def test_a_technical_name_is_a_name_and_no_path(name: str) -> None:
    technical = technical_name(name)
    assert 3 <= len(technical) <= 63
    assert set(technical) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
    assert technical == technical.strip("_")


def test_hard_names_stay_different() -> None:
    assert len({technical_name(name) for name in HARD_NAMES}) == len(HARD_NAMES)


@pytest.mark.parametrize(
    ("name", "technical"),
    [("SGB V", "sgb_v"), ("AMG", "amg"), ("Prüf-Richtlinie", "pruef_richtlinie"), ("Straße 1", "strasse_1"), ("GG", "corpus_gg")],
)
def test_a_plain_name_keeps_its_letters(name: str, technical: str) -> None:
    assert technical_name(name) == technical


@pytest.mark.parametrize("name", ["", "   ", "\n"])
def test_an_empty_name_is_refused(name: str) -> None:
    with pytest.raises(BadSource, match="empty"):
        technical_name(name)


@given(st.text(min_size=1).filter(lambda text: bool(text.strip())))
def test_every_name_gets_a_valid_technical_name(name: str) -> None:
    technical = technical_name(name)
    assert 3 <= len(technical) <= 63
    assert technical.isascii()
    assert technical.replace("_", "a").isalnum()


@pytest.mark.parametrize(
    ("jurabk", "amtabk", "usual"), [("SGB 10", "SGB X", "SGB X"), ("SGB 5", "", "SGB V"), ("UWG 2004", "", "UWG"), ("WoEigG", "WEG", "WEG")]
)
def test_the_usual_abbreviation_has_no_year(jurabk: str, amtabk: str, usual: str) -> None:
    assert usual_abbreviation(jurabk, amtabk) == usual

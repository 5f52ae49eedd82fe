"""The manifest of a stock: replaced as a whole, read politely, written by one process at a time."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import msgspec
import pytest
from stock_builders import chunk, spec

from retrieval import manifest
from retrieval.errors import BrokenStock, NoDatabase, StockBusy, UnknownCorpus
from retrieval.manifest import CorpusEntry, IngestReport, Manifest, Unfinished
from retrieval.ports import Fingerprint


def entry(corpus: str, count: int = 3) -> CorpusEntry:
    report = IngestReport(chunks=count, truncated=("a",), read={"norms": 2, "oddities": [{"code": "x"}]})
    return CorpusEntry(spec(corpus), f"{corpus}-0001", count, Fingerprint("m", "1", 8, background=0.2), "use", {"a.xml": "ab"}, report)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    written = manifest.write(tmp_path, Manifest(chroma="1.5.9").with_entry(entry("a")).with_entry(entry("b")))
    assert manifest.read(tmp_path) == written
    assert [one.spec.corpus_id for one in written.corpora] == ["a", "b"]


def test_every_write_gives_another_stamp(tmp_path: Path) -> None:
    first = manifest.write(tmp_path, Manifest())
    second = manifest.write(tmp_path, first)
    assert first.corpora == second.corpora
    assert first.stamp != second.stamp


def test_two_stocks_with_other_content_have_other_stamps(tmp_path: Path) -> None:
    stamps = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        stamps.add(manifest.write(tmp_path / name, Manifest().with_entry(entry(name))).stamp)
    assert len(stamps) == 2


def test_a_corpus_keeps_its_place_when_it_is_replaced() -> None:
    both = Manifest().with_entry(entry("a")).with_entry(entry("b")).with_entry(entry("a", 7))
    assert [(one.spec.corpus_id, one.count) for one in both.corpora] == [("a", 7), ("b", 3)]
    assert [one.spec.corpus_id for one in both.without("a").corpora] == ["b"]


def test_an_unknown_corpus_is_named_with_those_in_stock() -> None:
    with pytest.raises(UnknownCorpus, match=r"'c' is not in stock\. In stock: a, b"):
        Manifest().with_entry(entry("a")).with_entry(entry("b")).entry("c")
    with pytest.raises(UnknownCorpus, match="In stock: none"):
        Manifest().entry("c")


def test_a_folder_without_manifest_is_no_database_and_stays_as_it_is(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nirgends"):
        with pytest.raises(NoDatabase, match=str(folder)):
            manifest.read(folder)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_is_a_file_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NoDatabase):
        manifest.read(tmp_path / "file")


def test_a_manifest_of_a_newer_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    newer = b'{"format": 2, "corpora": "something else"}'
    (tmp_path / manifest.FILE).write_bytes(newer)
    with pytest.raises(BrokenStock, match="has the format 2; this version reads format 1"):
        manifest.read(tmp_path)
    assert (tmp_path / manifest.FILE).read_bytes() == newer


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"format": 1, "corpora": [{}]}', b"\x80\x04pickle"])
def test_a_damaged_manifest_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / manifest.FILE).write_bytes(content)
    with pytest.raises(BrokenStock, match="is damaged"):
        manifest.read(tmp_path)


def test_a_write_that_fails_leaves_the_old_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = manifest.write(tmp_path, Manifest())

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        manifest.write(tmp_path, old.with_entry(entry("a")))
    assert manifest.read(tmp_path) == old


def test_a_second_writer_is_refused_at_once(tmp_path: Path) -> None:
    refused: list[Exception] = []

    def second() -> None:
        try:
            with manifest.sole_writer(tmp_path):
                pass
        except StockBusy as error:
            refused.append(error)

    with manifest.sole_writer(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert "Another ingest is writing" in str(refused[0])
    with manifest.sole_writer(tmp_path):
        pass


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BrokenStock, match="Nothing can be written"), manifest.sole_writer(tmp_path / "file"):
        pass


def test_a_generation_is_unfinished_until_the_manifest_names_it(tmp_path: Path) -> None:
    begun = Unfinished("a", "Regeln a", "a-0001", 3, Fingerprint("m", "1", 8))
    manifest.begin(tmp_path, begun)
    assert manifest.unfinished(tmp_path) == (begun,)
    manifest.write(tmp_path, Manifest().with_entry(entry("a")))
    assert manifest.unfinished(tmp_path) == ()
    assert manifest.generations(tmp_path) == ("a-0001",)


def test_a_torn_mark_is_passed_over(tmp_path: Path) -> None:
    place = manifest.begin(tmp_path, Unfinished("a", "", "a-0001", 3))
    (place / "ingest.json").write_bytes(b"{")
    assert manifest.unfinished(tmp_path) == ()


def test_chunks_come_back_as_they_were(tmp_path: Path) -> None:
    chunks = (chunk("§ 1", "Größe <b>&", path=("Buch", "Teil")), chunk("§ 2", "", repealed=True, position=None))
    manifest.save_chunks(tmp_path, chunks)
    assert manifest.load_chunks(tmp_path) == chunks


def test_damaged_chunks_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BrokenStock, match="FileNotFoundError"):
        manifest.load_chunks(tmp_path)
    (tmp_path / manifest.CHUNKS).write_bytes(msgspec.json.encode([{"corpus_id": "a"}]))
    with pytest.raises(BrokenStock, match="ValidationError"):
        manifest.load_chunks(tmp_path)

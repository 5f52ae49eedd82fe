"""Stored readings: what the grammar read once is what it would read now, or it is not used."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from retrieval import manifest, readings, stock
from retrieval.build import ingest
from retrieval.citations import citations
from retrieval.errors import BrokenStock
from retrieval.registry import CorpusRegistry
from tests.stock_builders import CountingEncoder, chunk, spec

ROOT = Path(__file__).parents[1]
TEXTS = ("Es gilt § 2 Abs. 1 und 2 des Gesetzes.", "Kein Verweis.", "Nach §§ 3 bis 5 SGB V und „§ 9“ gilt Absatz 2 dieses Vertrages.")


def built(folder: Path, texts: Sequence[str] = TEXTS) -> Path:
    """An index with one small corpus; the path of its readings."""
    chunks = [chunk(f"§ {number}", text) for number, text in enumerate(texts, start=1)]
    ingest(folder, spec(), chunks, encoder=CountingEncoder())
    (path,) = folder.glob(f"corpora/*/{manifest.READINGS}")
    return path


def opened(folder: Path) -> CorpusRegistry:
    return CorpusRegistry(folder, CountingEncoder())


def test_what_is_stored_is_what_the_grammar_reads(tmp_path: Path) -> None:
    file = tmp_path / "citations.json"
    file.write_bytes(readings.encoded(readings.read(TEXTS)))
    assert tuple(readings.load(file)) == tuple(citations(text) for text in TEXTS)
    assert [len(reading) for reading in readings.load(file)][:2] == [2, 0]


def test_an_ingest_stores_the_reading_and_loading_uses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path)
    federation = opened(tmp_path).federation

    def never(text: str) -> None:
        raise AssertionError(f"read again: {text}")

    monkeypatch.setattr("retrieval.verweise.citations", never)
    found = federation.references("abgabe::§ 1::0")
    assert [reference.words for reference in found] == ["§ 2 Abs. 1", "2 des Gesetzes"]


@pytest.mark.parametrize("harm", ["missing", "torn", "other grammar", "too few"])
def test_a_reading_that_does_not_fit_is_read_anew_with_the_same_result(tmp_path: Path, harm: str) -> None:
    path = built(tmp_path)
    good = opened(tmp_path).federation
    expected = {one: good.references(one) for one in ("abgabe::§ 1::0", "abgabe::§ 3::0")}
    stored = msgspec.json.decode(path.read_bytes())
    if harm == "missing":
        path.unlink()
    elif harm == "torn":
        path.write_bytes(path.read_bytes()[:-5])
    elif harm == "other grammar":
        path.write_bytes(msgspec.json.encode({**stored, "grammar": "0" * 16, "chunks": [[] for _ in stored["chunks"]]}))
    else:
        path.write_bytes(msgspec.json.encode({**stored, "chunks": stored["chunks"][:1]}))
    registry = opened(tmp_path)
    assert registry.blocked == {}
    assert registry.state.stocks["abgabe"].readings is None
    assert {one: registry.federation.references(one) for one in expected} == expected


def test_a_corpus_without_stored_reading_says_so_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    built(tmp_path).unlink()
    with caplog.at_level(logging.INFO, logger="retrieval.registry"):
        opened(tmp_path)
    assert "The references of abgabe are read on demand" in caplog.text


def test_a_reading_of_another_grammar_is_refused_with_both_stamps(tmp_path: Path) -> None:
    file = tmp_path / "citations.json"
    file.write_bytes(msgspec.json.encode({"grammar": "0" * 16, "chunks": []}))
    with pytest.raises(BrokenStock, match=f"0{{16}}, expected {readings.grammar()}"):
        readings.load(file)


def test_the_stamp_covers_every_module_that_the_grammar_rests_on() -> None:
    sources = readings.grammar_sources()
    assert {"citations.py", "sectionlist.py", "lawnames.py"} <= set(sources)
    imported = {f"{name}.py" for text in sources.values() for name in re.findall(r"from retrieval\.(\w+) import", text)}
    assert imported <= set(sources)
    assert re.fullmatch("[0-9a-f]{16}", readings.grammar())


def test_references_are_the_same_from_the_stored_reading_and_from_the_text(sample_index: Path) -> None:
    federation = CorpusRegistry(sample_index).federation
    without = stock.Federation(
        [stock.CorpusStock(one.spec, one.chunks, one.index, one.fingerprint) for one in federation._stocks], federation.lexical, {}
    )
    ids = [chunk_id for one in federation._stocks for chunk_id in one.ids]
    assert all(one.readings is not None for one in federation._stocks)
    assert [federation.references(one) for one in ids] == [without.references(one) for one in ids]

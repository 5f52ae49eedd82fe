"""Chunks in their file: each found by its row and its id without reading the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stock_builders import chunk, spec

from retrieval import chunkfile, manifest
from retrieval.addresses import AddressBook
from retrieval.chunkfile import INDEX, ChunkFile
from retrieval.errors import BrokenStock
from retrieval.model import Chunk, Target

RULES = (
    chunk("§ 1", "Größe, Maß und „Anführung“ mit \\ und \n Umbruch."),
    chunk("§ 2", "", repealed=True, path=("Buch 1", "Teil 2")),
    chunk("§ 2", "[{},]", subsection="1", extra={"a": [1, {"b": ","}]}),
    chunk("§ 3", "Ende."),
)


def opened(place: Path, chunks: tuple[Chunk, ...] = RULES) -> ChunkFile:
    manifest.save_chunks(place, chunks)
    return manifest.open_chunks(place)


def test_every_chunk_comes_back_by_its_row_and_by_its_id(tmp_path: Path) -> None:
    found = opened(tmp_path)
    assert (tuple(found), len(found), found[1:3], found[-1]) == (RULES, 4, RULES[1:3], RULES[3])
    assert [found[row] for row in range(4)] == list(RULES)
    assert [found.row(one.chunk_id) for one in RULES] == [0, 1, 2, 3]
    assert (found.row("abgabe:§ 9"), found.row("")) == (None, None)
    assert (list(found.ids), found.ids[1:3], found.ids[-1]) == (
        [one.chunk_id for one in RULES], tuple(one.chunk_id for one in RULES[1:3]), RULES[3].chunk_id,
    )  # fmt: skip
    with pytest.raises(IndexError, match="no chunk 4 among 4"):
        found[4]


def test_the_rows_in_force_and_their_ids_are_told(tmp_path: Path) -> None:
    found = opened(tmp_path)
    assert found.in_force.tolist() == [0, 2, 3]
    assert list(found.ids_of(found.in_force)) == [RULES[row].chunk_id for row in (0, 2, 3)]


def test_the_sections_are_told_as_the_chunks_lie_in_them(tmp_path: Path) -> None:
    rules = (*RULES, chunk("Ziffer 2", "Eins.", container="Anlage 1", subsection="2.1"), chunk("§ 1", "Noch eins.", position=1))
    for stored in (True, False):
        found = opened(tmp_path, rules)
        if not stored:
            (tmp_path / INDEX).unlink()
            found = manifest.open_chunks(tmp_path)
        assert list(found.layout.names) == [("", "§ 1"), ("", "§ 2"), ("", "§ 3"), ("Anlage 1", "Ziffer 2"), ("", "§ 1")]
        assert (found.layout.starts, found.layout.dotted) == ([0, 1, 3, 4, 5], [4])
        book = AddressBook({"abgabe": found}, {"abgabe": spec()})
        assert book.find(Target("abgabe", "§ 1")) == (rules[0].chunk_id, rules[5].chunk_id)
        assert book.find(Target("abgabe", "Ziffer 2.1")) == (rules[4].chunk_id,)
        assert book.state(Target("abgabe", "2")) == "found"


def test_a_corpus_is_read_only_where_it_is_asked_for(tmp_path: Path) -> None:
    class Closed(Sequence[Chunk]):
        def __len__(self) -> int:
            raise AssertionError("nobody asked for this corpus")

        def __getitem__(self, place: Any) -> Any:
            raise AssertionError("nobody asked for this corpus")

    book = AddressBook({"abgabe": opened(tmp_path), "fern": Closed()}, {"abgabe": spec(), "fern": spec("fern")})
    assert book.find(Target("abgabe", "§ 3")) == (RULES[3].chunk_id,)


def test_a_corpus_without_chunks_is_an_empty_file(tmp_path: Path) -> None:
    found = opened(tmp_path, ())
    assert (tuple(found), list(found.ids), found.row("x"), found.in_force.tolist()) == ((), [], None, [])


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20), st.booleans()), max_size=20, unique_by=lambda one: one[0]))
def test_any_texts_and_ids_come_back(tmp_path_factory: pytest.TempPathFactory, raw: list[tuple[str, str, bool]]) -> None:
    chunks = tuple(chunk("§ 1", text, chunk_id=chunk_id, repealed=repealed) for chunk_id, text, repealed in raw)
    found = opened(tmp_path_factory.mktemp("any"), chunks)
    assert tuple(found) == chunks
    assert [found.row(one.chunk_id) for one in chunks] == list(range(len(chunks)))


def test_ids_with_the_same_hash_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunkfile, "_hash", lambda chunk_id: len(chunk_id))
    found = opened(tmp_path)
    assert [found.row(one.chunk_id) for one in RULES] == [0, 1, 2, 3]
    assert found.row("abgabe::§ 8::0") is None


@pytest.mark.parametrize("harm", ["missing", "torn", "of another file", "other arrays"])
def test_what_stands_beside_the_chunks_is_made_anew_where_it_does_not_fit(tmp_path: Path, harm: str) -> None:
    manifest.save_chunks(tmp_path, RULES)
    beside = tmp_path / INDEX
    if harm == "missing":
        beside.unlink()
    elif harm == "torn":
        beside.write_bytes(beside.read_bytes()[:-40])
    elif harm == "of another file":
        beside.write_bytes(chunkfile.index_of(msgspec.json.encode(RULES[:2])))
    else:
        with beside.open("wb") as file:
            np.savez(file, offsets=np.zeros(3))
    found = manifest.open_chunks(tmp_path)
    assert tuple(found) == RULES
    assert [found.row(one.chunk_id) for one in RULES] == [0, 1, 2, 3]


def test_only_what_is_asked_for_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = opened(tmp_path)
    seen: list[int] = []
    decode = ChunkFile._decoded

    def counted(self: ChunkFile, row: int) -> Chunk:
        seen.append(row)
        return decode(self, row)

    monkeypatch.setattr(ChunkFile, "_decoded", counted)
    again = manifest.open_chunks(tmp_path)
    assert (len(again), len(again.in_force), seen) == (len(found), 3, [])
    assert again.row(RULES[3].chunk_id) == 3
    assert again[3] == RULES[3]
    assert seen == [3]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'[{"chunk_id": "a", "corpus_id": "b"}, {"chunk_id": "c", "corpus_id": "b"}]'])
def test_a_file_that_is_none_of_ours_is_refused_with_its_place(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / manifest.CHUNKS
    path.write_bytes(content)
    with pytest.raises(BrokenStock, match=r"chunks\.json cannot be read .* Ingest the corpus again"):
        ChunkFile(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenStock, match="FileNotFoundError"):
        ChunkFile(tmp_path / manifest.CHUNKS)


def test_a_chunk_that_is_damaged_inside_is_told_when_it_is_read(tmp_path: Path) -> None:
    manifest.save_chunks(tmp_path, RULES)
    path = tmp_path / manifest.CHUNKS
    path.write_bytes(path.read_bytes().replace("Größe".encode(), b'"""""""'))
    found = ChunkFile(path)
    assert found[3] == RULES[3]
    with pytest.raises(BrokenStock, match="Ingest the corpus again"):
        found[0]

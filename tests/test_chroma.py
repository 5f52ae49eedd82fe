"""Chroma behind our own doors: nothing created by looking, nothing lost in silence, similarities that are cosines.

What takes a ``place`` runs twice, in a folder and on a server. What damages files does not: a server's files are its own, and what it says
when it cannot read them is tested with the server.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stock_builders import CountingEncoder, chunk

from retrieval import chroma, places
from retrieval.chroma import VectorIndex
from retrieval.errors import BrokenStock, NoDatabase, UnknownCorpus
from retrieval.places import Place, Server


@pytest.fixture
def client(place: Place) -> Iterator[Any]:
    opened = places.open_client(place, create=True)
    yield opened
    opened.close()


def filled(client: Any, place: Place, vectors: np.ndarray, name: str = "abgabe-0001") -> tuple[Any, list[str]]:
    """A collection with one chunk for each vector, and the ids in order."""
    collection = chroma.new_collection(client, place, name)
    chunks = [chunk(f"§ {number}", f"Text {number}") for number in range(1, len(vectors) + 1)]
    chroma.write(client, collection, place, chunks, np.asarray(vectors, dtype=np.float32))
    return collection, [one.chunk_id for one in chunks]


def random_vectors(count: int, dimension: int = 16) -> np.ndarray:
    found = np.random.default_rng(7).normal(size=(count, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_looking_into_a_wrong_folder_creates_nothing(tmp_path: Path) -> None:
    wrong = tmp_path / "stokc"
    with pytest.raises(NoDatabase, match=str(wrong)):
        places.open_client(wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_relative_folder_is_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoDatabase, match=str(tmp_path / "stock")):
        places.open_client(Path("stock"))


def test_an_empty_database_file_is_not_an_empty_stock(tmp_path: Path) -> None:
    (tmp_path / places.DATABASE).touch()
    with pytest.raises(BrokenStock, match="0 bytes"):
        places.open_client(tmp_path)
    assert (tmp_path / places.DATABASE).stat().st_size == 0


def test_a_damaged_database_is_named_with_the_installed_version_and_left_alone(tmp_path: Path) -> None:
    database = tmp_path / places.DATABASE
    database.write_bytes(b"no database" * 500)
    with pytest.raises(BrokenStock, match=rf"Chroma {version('chromadb')} cannot use.*InternalError.*not touched"):
        places.open_client(tmp_path)
    assert database.read_bytes() == b"no database" * 500


def migrations(folder: Path) -> list[tuple[str, int]]:
    database = sqlite3.connect(folder / places.DATABASE)
    found: list[tuple[str, int]] = database.execute("select dir, version from migrations order by 1, 2").fetchall()
    database.close()
    return found


def test_a_database_of_an_older_version_is_not_upgraded_by_looking(tmp_path: Path) -> None:
    places.open_client(tmp_path, create=True).close()
    with sqlite3.connect(tmp_path / places.DATABASE) as database:
        database.execute("delete from migrations where dir = 'sysdb' and version = 10")
    database.close()
    before = migrations(tmp_path)
    with pytest.raises(BrokenStock, match="another version"):
        places.open_client(tmp_path)
    assert migrations(tmp_path) == before


def test_an_unreadable_configuration_is_named_and_left_alone(tmp_path: Path) -> None:
    client = places.open_client(tmp_path, create=True)
    filled(client, tmp_path, random_vectors(3))
    client.close()
    with sqlite3.connect(tmp_path / places.DATABASE) as database:
        database.execute("update collections set schema_str = '{\"unknown\": 1}'")
    database.close()
    client = places.open_client(tmp_path)
    with pytest.raises(BrokenStock, match=rf"Chroma {version('chromadb')} cannot use.*not touched"):
        chroma.space(chroma.collection(client, tmp_path, "abgabe-0001"))
    client.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    places.open_client(tmp_path, create=True).close()
    tmp_path.chmod(0o555)
    with pytest.raises(BrokenStock, match="read-only"):
        places.open_client(tmp_path)
    tmp_path.chmod(0o755)


def test_a_file_system_without_the_right_to_write_gives_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places.open_client(tmp_path, create=True).close()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(BrokenStock, match=r"is read-only.*Copy the folder"):
        places.open_client(tmp_path)


def test_an_old_sqlite_gives_one_sentence_with_the_remedy(tmp_path: Path) -> None:
    code = (
        "import sqlite3; sqlite3.sqlite_version_info = (3, 34, 1)\n"
        "from pathlib import Path; from retrieval.places import open_client; from retrieval.errors import BrokenStock\n"
        f"try: open_client(Path({str(tmp_path)!r}), create=True)\n"
        "except BrokenStock as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert "sqlite of this Python is too old" in ran.stdout
    assert "Use a Python with sqlite 3.35" in ran.stdout


def test_a_missing_collection_is_an_unknown_corpus(client: Any, place: Place) -> None:
    with pytest.raises(UnknownCorpus, match="'nirgends-0001'"):
        chroma.collection(client, place, "nirgends-0001")


@pytest.mark.filterwarnings("ignore:legacy embedding function config:DeprecationWarning")
def test_a_collection_has_cosine_space_the_stated_settings_and_no_embedding_function(client: Any, place: Place) -> None:
    chroma.new_collection(client, place, "abgabe-0001")
    collection = chroma.collection(client, place, "abgabe-0001")
    with pytest.raises(ValueError, match="embedding function"):
        collection.query(query_texts=["Abgabe"])
    found = collection.configuration_json
    expected = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 500, "sync_threshold": 2}
    assert expected.items() <= found["hnsw"].items()


def test_absent_metadata_are_absent_and_the_whole_batch_is_stored(client: Any, place: Place) -> None:
    chunks = [chunk(f"§ {number}", "Text", subsection="1") for number in range(98)]
    chunks += [chunk("§ 98", "Text", position=None, path=()), chunk("§ 99", "Text", path=("Buch 1", "Abschnitt 2"), heading="Frist")]
    collection = chroma.new_collection(client, place, "abgabe-0001")
    chroma.write(client, collection, place, chunks, random_vectors(100))
    assert chroma.count(collection, place) == 100
    without = collection.get(where={"has_subsection": False})
    assert sorted(without["ids"]) == sorted(one.chunk_id for one in chunks[98:])
    stored = collection.get(ids=[chunks[98].chunk_id])["metadatas"][0]
    assert set(stored) == {"corpus_id", "section_id", "text_hash", "has_subsection", "repealed"}
    assert collection.get(ids=[chunks[99].chunk_id])["metadatas"][0]["path"] == "Buch 1 › Abschnitt 2"


def test_a_chunk_written_twice_has_its_new_text(client: Any, place: Place) -> None:
    collection = chroma.new_collection(client, place, "abgabe-0001")
    for text in ("alt", "neu"):
        chroma.write(client, collection, place, [chunk("§ 5", text)], random_vectors(1))
    assert collection.get()["documents"] == ["neu"]


def test_more_chunks_than_one_batch_holds_are_written_and_read_whole(client: Any, place: Place) -> None:
    vectors = random_vectors(5_600, 4)
    assert client.get_max_batch_size() < len(vectors)
    collection, ids = filled(client, place, vectors)
    stored = chroma.vectors_by_id(collection, place)
    assert sorted(stored) == sorted(ids)
    np.testing.assert_allclose(np.array([stored[one] for one in ids]), vectors, atol=1e-6)


def test_an_id_named_twice_or_not_there_is_no_error(client: Any, place: Place) -> None:
    collection, ids = filled(client, place, random_vectors(3))
    assert list(chroma.vectors_by_id(collection, place, [ids[1], ids[1], "nirgends"])) == [ids[1]]


@pytest.mark.parametrize("way", ["exact", "index"])
@pytest.mark.parametrize("metric", ["cosine", "l2", "ip"])
def test_similarity_is_the_cosine_whatever_the_metric_of_the_collection(client: Any, place: Place, metric: str, way: Any) -> None:
    collection = client.create_collection("fremd", embedding_function=None, configuration={"hnsw": {"space": metric}})
    collection.add(ids=["a", "b"], embeddings=[[0.6, 0.8], [0.0, 1.0]])
    assert chroma.space(collection) == metric
    index = VectorIndex(collection, place, ["a", "b"], [0, 1], way)
    assert index.search(np.array([1.0, 0.0]), 2) == [(0, pytest.approx(0.6)), (1, pytest.approx(0.0))]


@pytest.mark.parametrize("way", ["exact", "index"])
def test_the_search_gives_the_nearest_first_as_brute_force_does(client: Any, place: Place, way: Any) -> None:
    vectors = random_vectors(300)
    collection, ids = filled(client, place, vectors)
    index = VectorIndex(collection, place, ids, range(300), way)
    for question in random_vectors(305)[300:]:
        cosines = (vectors.astype(float) @ question.astype(float)).tolist()
        expected = sorted(range(300), key=lambda row: -cosines[row])[:60]
        hits = index.search(question, 60)
        assert [row for row, _ in hits] == expected
        assert [cosine for _, cosine in hits] == pytest.approx([cosines[row] for row in expected], abs=1e-6)


@pytest.mark.parametrize("way", ["exact", "index"])
def test_equal_vectors_stand_in_the_order_of_the_chunks(client: Any, place: Place, way: Any) -> None:
    vectors = np.concatenate([random_vectors(3), np.repeat(random_vectors(4)[3:], 40, axis=0)])
    collection, ids = filled(client, place, vectors)
    index = VectorIndex(collection, place, ids, range(43), way)
    found = [row for row, _ in index.search(vectors[-1], 10)]
    assert found == sorted(found)
    if way == "exact":
        assert found == list(range(3, 13))


@pytest.mark.parametrize("way", ["exact", "index"])
def test_rows_that_take_no_part_and_rows_under_the_mask_do_not_appear(client: Any, place: Place, way: Any) -> None:
    vectors = random_vectors(200)
    collection, ids = filled(client, place, vectors)
    searchable = [row for row in range(200) if row % 2]
    index = VectorIndex(collection, place, [ids[row] for row in searchable], searchable, way)
    mask = [row >= 190 for row in range(200)]
    found = index.search(vectors[0], 10, mask)
    assert sorted(row for row, _ in found) == [191, 193, 195, 197, 199]
    assert index.search(vectors[0], 10, [False] * 200) == []


def test_the_way_is_chosen_by_the_number_of_vectors(client: Any, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    collection, ids = filled(client, place, random_vectors(12))
    assert VectorIndex(collection, place, ids, range(12)).way == "exact"
    monkeypatch.setattr(chroma, "EXACT_UP_TO", 11)
    assert VectorIndex(collection, place, ids, range(12)).way == "index"


def test_fewer_hits_than_asked_for_are_no_fault(client: Any, place: Place) -> None:
    vectors = random_vectors(3)
    collection, ids = filled(client, place, vectors)
    for way in ("exact", "index"):
        index = VectorIndex(collection, place, ids, range(3), way)
        assert (len(index.search(vectors[0], 10)), index.search(vectors[0], 0)) == (3, [])
        assert VectorIndex(collection, place, [], [], way).search(vectors[0], 10) == []


def test_a_question_of_another_length_is_refused_with_both_lengths(client: Any, place: Place) -> None:
    collection, ids = filled(client, place, random_vectors(2, 3))
    index = VectorIndex(collection, place, ids, range(2))
    assert index.dimension == 3
    with pytest.raises(BrokenStock, match="has 2 numbers, the stored vectors have 3"):
        index.search(np.array([1.0, 0.0]), 5)


def test_a_chunk_without_vector_is_found_when_the_collection_is_opened(client: Any, place: Place) -> None:
    collection, ids = filled(client, place, random_vectors(3))
    with pytest.raises(BrokenStock, match="no vector for 1 of 4 chunks"):
        VectorIndex(collection, place, [*ids, "verloren"], range(4))


def test_another_number_of_records_than_was_written_is_a_broken_stock(client: Any, place: Place) -> None:
    collection, _ = filled(client, place, random_vectors(3))
    chroma.verify(collection, place, 3, random_vectors(1)[0].tolist())
    with pytest.raises(BrokenStock, match="holds 3 records; 4 were written"):
        chroma.verify(collection, place, 4, None)


def test_a_lost_index_folder_is_found_although_the_count_is_right(tmp_path: Path) -> None:
    client = places.open_client(tmp_path, create=True)
    vectors = random_vectors(1_200, 4)
    filled(client, tmp_path, vectors)
    client.close()
    for folder in (path for path in tmp_path.iterdir() if path.is_dir()):
        shutil.rmtree(folder)
    client = places.open_client(tmp_path)
    collection = chroma.collection(client, tmp_path, "abgabe-0001")
    assert chroma.count(collection, tmp_path) == 1_200
    with pytest.raises(BrokenStock, match="returned 1 of 50 records"):
        chroma.verify(collection, tmp_path, 1_200, vectors[0].tolist())
    with pytest.raises(BrokenStock, match="cannot use the database"):
        chroma.vectors_by_id(collection, tmp_path)
    client.close()


def test_a_dropped_collection_is_gone_and_in_a_folder_so_are_its_files(client: Any, place: Place) -> None:
    for name in ("alt-0001", "alt-0002"):
        filled(client, place, random_vectors(1_200, 4), name)
    chroma.drop(client, place, "alt-0001")
    chroma.drop(client, place, "alt-0001")
    assert isinstance(place, Server) or len([path for path in place.iterdir() if path.is_dir()]) == 1
    assert chroma.names(client, place) == ("alt-0002",)
    assert len(chroma.vectors_by_id(chroma.collection(client, place, "alt-0002"), place)) == 1_200


def test_a_new_client_sees_what_was_written_after_another_was_opened(client: Any, place: Place) -> None:
    encoder = CountingEncoder()
    early = places.open_client(place)
    filled(client, place, encoder.passages(["a", "b"]))
    late = places.open_client(place)
    assert chroma.names(late, place) == ("abgabe-0001",)
    index = VectorIndex(chroma.collection(late, place, "abgabe-0001"), place, ["abgabe::§ 1::0"], [0], "index")
    assert index.search(encoder.questions(["a"]), 1) == [(0, 1.0)]
    early.close()
    late.close()

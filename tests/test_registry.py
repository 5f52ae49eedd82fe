"""The registry: what can be asked, what is blocked and why, and a stock that changes as a whole."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from stock_builders import CountingEncoder, chunk, spec

from retrieval import chroma, manifest, places
from retrieval import registry as registry_module
from retrieval.build import ingest, remove
from retrieval.errors import BrokenStock, EncoderError, NoDatabase, UnknownCorpus
from retrieval.legal_retriever import LegalRetriever
from retrieval.model import Target
from retrieval.places import Place, Server
from retrieval.postings import Postings
from retrieval.registry import CorpusRegistry

QUESTION = "Welche Frist gilt nach § 2 für die Abgabe?"


def rules(corpus: str, texts: tuple[str, ...] = ("Die Frist beträgt einen Monat.", "Die Abgabe regelt § 1.", "Es gilt § 9.")) -> list[Any]:
    return [chunk(f"§ {number}", text, corpus) for number, text in enumerate(texts, 1)]


@pytest.fixture
def encoder() -> CountingEncoder:
    return CountingEncoder()


def make(stock: Path) -> None:
    """A stock with the corpora a and b; in a, § 4 is repealed."""
    repealed = chunk("§ 4", "(weggefallen) Frist", "a", repealed=True)
    ingest(stock, spec("a"), [*rules("a"), repealed], {"norms": 4}, CountingEncoder(), chunking="absatz-1")
    ingest(stock, spec("b"), rules("b"), None, CountingEncoder(), chunking="absatz-1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stock with its collections in its folder."""
    stock = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(places.SERVER, raising=False)
        make(stock)
    return stock


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of the stock for one test, for what has nothing to do with where the collections live, or damages files."""
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True))


@pytest.fixture
def stock(place: Place, made: Path, tmp_path: Path) -> Path:
    """The stock for one test, once with its collections in its folder, once on a server."""
    if isinstance(place, Server):
        make(tmp_path)
        return tmp_path
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True))


def routes(opened: CorpusRegistry, corpus: str, question: str = QUESTION) -> dict[str, str]:
    retriever = opened.retriever(corpus)
    answer = retriever.candidates(retriever.prepare(question), 10)
    return {route.route: route.status for route in answer.routes}


def altered(folder: Path, corpus: str, **fields: Any) -> None:
    """The manifest with other fields for one corpus."""
    stock = manifest.read(folder)
    manifest.write(folder, stock.with_entry(msgspec.structs.replace(stock.entry(corpus), **fields)))


def test_the_corpora_are_there_in_the_order_in_which_they_came(stock: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(stock, encoder)
    assert (opened.available(), opened.primary_id, opened.persist_dir) == (("a", "b"), "a", str(stock))
    assert opened.spec("b").title == "Regeln b"
    assert isinstance(opened.retriever("a"), LegalRetriever)
    assert opened.retriever("a") is opened.retriever("a")
    assert opened.retriever("a").col.count() == 4
    assert opened.retriever("a").collection_name == manifest.read(stock).entry("a").collection
    with pytest.raises(UnknownCorpus, match="In stock: a, b"):
        opened.retriever("c")
    with pytest.raises(UnknownCorpus, match="'nirgends' is not in the corpus 'a'"):
        opened.retriever("a").chunk("nirgends")


def test_a_wrong_folder_is_no_database_and_nothing_is_created(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase, match="stokc"):
        CorpusRegistry(tmp_path / "stokc")
    assert list(tmp_path.iterdir()) == []


def test_opening_and_asking_changes_no_file_of_ours(stock: Path, encoder: CountingEncoder) -> None:
    before = {path: path.read_bytes() for path in stock.rglob("*.json")}
    routes(CorpusRegistry(stock, encoder), "a")
    assert {path: path.read_bytes() for path in before} == before


def test_the_stored_vectors_are_found_by_their_own_text(stock: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(stock, encoder)
    retriever = opened.retriever("a")
    answer = retriever.candidates(retriever.prepare(rules("a")[1].passage), 2)
    assert answer.routes[0].way == "exact"
    assert (answer.routes[0].hits[0].chunk_id, answer.routes[0].hits[0].score) == ("a::§ 2::0", pytest.approx(1.0))


@pytest.mark.parametrize("way", ["exact", "index"])
def test_a_repealed_norm_is_known_by_its_address_and_found_by_no_search(stock: Path, encoder: CountingEncoder, way: Any) -> None:
    retriever = CorpusRegistry(stock, encoder, way).retriever("a")
    answer = retriever.candidates(retriever.prepare("Frist weggefallen"), 10)
    found = {hit.chunk_id for route in answer.routes for hit in route.hits}
    assert answer.routes[0].way == way
    assert found == {"a::§ 1::0", "a::§ 2::0", "a::§ 3::0"}
    assert retriever.units(Target("a", "§ 4")).status == "repealed"


def test_word_frequencies_are_those_of_the_federation(folder: Path, encoder: CountingEncoder) -> None:
    assert CorpusRegistry(folder, encoder).federation.lexical.size == 6


def test_a_question_is_prepared_once_for_all_corpora(folder: Path, encoder: CountingEncoder) -> None:
    question = CorpusRegistry(folder, encoder).federation.prepare(QUESTION, ["§ 3"])
    np.testing.assert_array_equal(question.vectors["counting"], encoder.questions([QUESTION])[0])
    assert question.tokens == ("frist", "gilt", "2", "abgab")
    assert question.words == ("Frist", "gilt", "2", "Abgabe")
    assert [target.section_id for target in question.sections] == ["§ 3", "§ 2"]
    assert question.encoder_error == {}


def test_the_references_of_a_chunk_are_read_against_the_federation(folder: Path, encoder: CountingEncoder) -> None:
    federation = CorpusRegistry(folder, encoder).federation
    (reference,) = federation.references("a::§ 2::0")
    assert (reference.target.section_id if reference.target else "", reference.state) == ("§ 1", "resolved")
    assert federation.references("nirgends") == ()


@pytest.mark.parametrize("fault", ["count", "collection", "chunks", "chunk_count", "dimension", "index"])
def test_a_broken_corpus_is_blocked_with_its_reason_and_the_others_work(
    stock: Path, place: Place, encoder: CountingEncoder, fault: str
) -> None:
    name = manifest.read(stock).entry("a").collection
    data = manifest.data_folder(stock, name)
    client = places.open_client(place)
    collection = chroma.collection(client, place, name)
    if fault == "count":
        collection.delete(ids=["a::§ 1::0"])
    elif fault == "collection":
        chroma.drop(client, place, name)
    elif fault == "chunks":
        (data / manifest.CHUNKS).write_bytes(b"{")
    elif fault == "chunk_count":
        manifest.save_chunks(data, manifest.load_chunks(data)[:2])
    elif fault == "dimension":
        made = manifest.read(stock).entry("a").fingerprint
        assert made is not None
        altered(stock, "a", fingerprint=msgspec.structs.replace(made, dimension=9))
    else:
        collection.delete(ids=["a::§ 1::0"])
        collection.upsert(ids=["fremd"], embeddings=[[1.0] * 8])
    client.close()
    opened = CorpusRegistry(stock, encoder)
    assert opened.available() == ("b",)
    assert opened.blocked["a"].startswith("Regeln a: ")
    with pytest.raises(BrokenStock, match="Ingest"):
        opened.retriever("a")
    assert routes(opened, "b") == {"vector": "ok", "lexical": "ok"}
    about = {one["corpus_id"]: one["blocked"] for one in opened.diagnostics()["corpora"]}
    assert about == {"a": opened.blocked["a"], "b": ""}


def test_an_unreadable_database_blocks_all_corpora_and_is_left_alone(folder: Path, encoder: CountingEncoder) -> None:
    database = sqlite3.connect(folder / places.DATABASE)
    database.execute("update collections set schema_str = '{\"unknown\": 1}'")
    database.commit()
    database.close()
    opened = CorpusRegistry(folder, encoder)
    assert opened.available() == ()
    assert opened.primary_id == ""
    assert "not touched" in opened.blocked["b"]


def test_a_read_only_stock_is_searched_by_words(folder: Path, encoder: CountingEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    opened = CorpusRegistry(folder, encoder)
    assert opened.available() == ("a", "b")
    assert routes(opened, "a") == {"vector": "failed", "lexical": "ok"}
    assert "read-only" in opened.diagnostics()["corpora"][0]["without_vectors"]
    assert opened.assert_consistent_embedding() == ""


def test_without_encoder_the_words_are_searched_and_the_reason_is_named(folder: Path) -> None:
    altered(folder, "a", encoder="st:nirgends/kein-modell")
    altered(folder, "b", encoder="st:nirgends/kein-modell")
    opened = CorpusRegistry(folder)
    assert routes(opened, "a") == {"vector": "failed", "lexical": "ok"}
    assert "'nirgends/kein-modell' is not on this machine" in opened.federation.prepare(QUESTION).encoder_error["counting"]
    assert "not on this machine" in opened.diagnostics()["encoders"]["counting"]


def test_a_corpus_that_does_not_name_its_encoder_needs_one_named(folder: Path) -> None:
    errors = CorpusRegistry(folder).federation.prepare(QUESTION).encoder_error
    assert errors["counting"].endswith("Name an encoder.")


def test_an_encoder_that_fails_at_the_question_costs_its_route_only(folder: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(folder, encoder)

    def fail(_: object) -> None:
        raise EncoderError("no memory for the model")

    encoder.questions = fail  # type: ignore[assignment,method-assign]
    assert routes(opened, "b") == {"vector": "failed", "lexical": "ok"}


def test_vectors_of_another_length_are_found_at_the_start_with_both_lengths(stock: Path, encoder: CountingEncoder) -> None:
    ingest(stock, spec("c"), rules("c"), None, CountingEncoder(dimension=3, model="short"))
    opened = CorpusRegistry(stock, encoder)
    (reason,) = [one["without_vectors"] for one in opened.diagnostics()["corpora"] if one["without_vectors"]]
    assert "Regeln c (c): its vectors have 3 numbers, those of the encoder counting have 8" in reason
    assert routes(opened, "c") == {"vector": "failed", "lexical": "ok"}
    assert routes(opened, "a") == {"vector": "ok", "lexical": "ok"}


def test_equal_fingerprints_are_consistent_whatever_the_background_and_the_chunking(folder: Path, encoder: CountingEncoder) -> None:
    made = manifest.read(folder).entry("a").fingerprint
    assert made is not None
    altered(folder, "a", fingerprint=msgspec.structs.replace(made, background=0.5, chunking="absatz-2"))
    assert CorpusRegistry(folder, encoder).assert_consistent_embedding() == ""


@pytest.mark.parametrize("field", ["model", "revision", "question_prompt", "passage_prompt", "normalised"])
def test_a_difference_of_fingerprints_is_named_with_its_corpora(folder: Path, encoder: CountingEncoder, field: str) -> None:
    made = manifest.read(folder).entry("a").fingerprint
    assert made is not None
    other = msgspec.structs.replace(made, chunking="absatz-2", **{field: False if field == "normalised" else "anders"})
    altered(folder, "a", fingerprint=other)
    opened = CorpusRegistry(folder, encoder)
    sentence = opened.assert_consistent_embedding()
    assert f"differ in {field} (" in sentence
    assert "cut in different ways ('absatz-2': a; 'absatz-1': b)" in sentence
    assert opened.available() == ("a", "b")


def test_a_collection_with_another_metric_is_named(stock: Path, place: Place, encoder: CountingEncoder) -> None:
    client = places.open_client(place)
    name = manifest.read(stock).entry("a").collection
    old = chroma.collection(client, place, name).get(include=["embeddings"])
    fresh = client.create_collection("corpus_a-l2", embedding_function=None, configuration={"hnsw": {"space": "l2"}})
    fresh.add(ids=old["ids"], embeddings=old["embeddings"])
    client.close()
    shutil.copytree(manifest.data_folder(stock, name), manifest.data_folder(stock, "corpus_a-l2"))
    altered(stock, "a", collection="corpus_a-l2")
    opened = CorpusRegistry(stock, encoder)
    assert "differ in metric ('l2': a; 'cosine': b)" in opened.assert_consistent_embedding()


def test_a_corpus_without_fingerprint_is_unknown_and_not_equal(folder: Path, encoder: CountingEncoder) -> None:
    altered(folder, "a", fingerprint=None)
    opened = CorpusRegistry(folder, encoder)
    assert "not known which model made the vectors of a;" in opened.assert_consistent_embedding()
    assert routes(opened, "a") == {"vector": "ok", "lexical": "ok"}


def test_questions_with_another_prompt_than_the_corpus_are_inconsistent(folder: Path) -> None:
    prompted = CountingEncoder(question_prompt="query: ")
    sentence = CorpusRegistry(folder, prompted).assert_consistent_embedding()
    assert "Questions to a are encoded otherwise than it was made: question_prompt 'query: ' instead of ''." in sentence


def test_damaged_words_are_made_anew_from_the_text(folder: Path, encoder: CountingEncoder, caplog: pytest.LogCaptureFixture) -> None:
    (manifest.data_folder(folder, "corpus_a-0001") / manifest.TOKENS).write_bytes(b"\x80\x04.")
    assert routes(CorpusRegistry(folder, encoder), "a") == {"vector": "ok", "lexical": "ok"}
    assert "made anew" in caplog.text


def test_an_unfinished_ingest_is_visible_and_cannot_be_asked(stock: Path, encoder: CountingEncoder) -> None:
    failing = CountingEncoder()
    failing.fail_after = 0
    with pytest.raises(MemoryError):
        ingest(stock, spec("c"), rules("c"), None, failing)
    opened = CorpusRegistry(stock, encoder)
    assert opened.available() == ("a", "b")
    assert [one["corpus_id"] for one in opened.diagnostics()["unfinished"]] == ["c"]


def test_diagnostics_are_plain_data(stock: Path, encoder: CountingEncoder) -> None:
    found = CorpusRegistry(stock, encoder).diagnostics()
    assert json.loads(json.dumps(found)) == found
    assert found["corpora"][0]["report"]["read"] == {"norms": 4}
    assert found["corpora"][0]["fingerprint"]["chunking"] == "absatz-1"


def test_an_unchanged_stock_is_not_opened_again(folder: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(folder, encoder)
    state = opened.state
    assert opened.reload_if_changed() is False
    assert opened.state is state


def test_what_another_process_writes_is_seen_whole_after_a_reload(stock: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(stock, encoder, "index")
    old, stamp = opened.state, opened.stamp
    code = f"""
import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
from pathlib import Path; from retrieval.build import ingest; from stock_builders import CountingEncoder, chunk, spec
ingest(Path({str(stock)!r}), spec("a"), [chunk("§ 1", "Ein Einhorn.", "a")], None, CountingEncoder())
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert old.retriever("a").chunk("a::§ 1::0").text == "Die Frist beträgt einen Monat."
    assert opened.reload_if_changed() is True
    assert opened.stamp != stamp
    retriever = opened.retriever("a")
    answer = retriever.candidates(retriever.prepare("§ 1\nEin Einhorn."), 10)
    assert [[hit.chunk_id for hit in route.hits] for route in answer.routes] == [["a::§ 1::0"]] * 2
    assert answer.routes[0].hits[0].score == pytest.approx(1.0)
    assert old.stocks["a"].chunks[0].text == "Die Frist beträgt einen Monat."


def test_a_removed_corpus_is_gone_after_a_reload(stock: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(stock, encoder)
    remove(stock, "a")
    assert opened.available() == ("a", "b")
    assert opened.reload_if_changed()
    assert opened.available() == ("b",)


def test_a_reload_that_fails_leaves_the_open_state(folder: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(folder, encoder)
    (folder / manifest.FILE).rename(folder / "away.json")
    with pytest.raises(NoDatabase):
        opened.reload_if_changed()
    assert routes(opened, "a") == {"vector": "ok", "lexical": "ok"}


def test_a_stock_that_changes_while_it_is_read_is_read_again(
    stock: Path, encoder: CountingEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, calls = registry_module._load, []

    def loaded(*args: Any) -> Any:
        calls.append(args[1].stamp)
        state = load(*args)
        if len(calls) == 1:
            remove(stock, "a")
        return state

    monkeypatch.setattr(registry_module, "_load", loaded)
    assert CorpusRegistry(stock, encoder).available() == ("b",)
    assert len(calls) == 2


def test_a_client_is_closed_when_nobody_holds_its_state(stock: Path, encoder: CountingEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    opened_client = places.open_client

    def spied(*args: Any, **keywords: Any) -> Any:
        client = opened_client(*args, **keywords)
        close = client.close
        monkeypatch.setattr(client, "close", lambda: (closed.append(True), close()))
        return client

    monkeypatch.setattr(places, "open_client", spied)
    opened = CorpusRegistry(stock, encoder)
    held = opened.retriever("a")
    altered(stock, "a", encoder="other")
    assert opened.reload_if_changed()
    gc.collect()
    assert closed == []
    del held
    gc.collect()
    assert closed == [True]


def test_many_threads_ask_one_registry(stock: Path, encoder: CountingEncoder) -> None:
    opened = CorpusRegistry(stock, encoder)
    expected = opened.retriever("a").candidates(opened.retriever("a").prepare(QUESTION), 10)
    seen: list[bool] = []

    def ask() -> None:
        for _ in range(10):
            retriever = opened.retriever("a")
            seen.append(retriever.candidates(retriever.prepare(QUESTION), 10) == expected)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 60


def test_words_are_indexed_once_for_each_version(folder: Path, encoder: CountingEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []
    build = Postings.of

    def counted(corpora: Any) -> Postings:
        built.append(corpora)
        return build(corpora)

    monkeypatch.setattr(Postings, "of", counted)
    lists = [CorpusRegistry(folder, encoder).retriever("a").query("Welche Frist gilt?") for _ in range(2)]
    assert lists[0] == lists[1] != []
    assert len(built) == 1
    ingest(folder, spec("b"), rules("b", ("Die Frist ist eine andere.",)), None, encoder)
    CorpusRegistry(folder, encoder)
    assert len(built) == 2

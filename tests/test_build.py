"""The ingest: whole or not at all, with a report that can be trusted. What writes to Chroma runs over a folder and over a server."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stock_builders import CountingEncoder, chunk, spec

from retrieval import build, chroma, manifest, places
from retrieval.build import Changes, changes_between, ingest, remove
from retrieval.errors import BadSource, BrokenStock, NoDatabase, StockBusy, UnknownCorpus
from retrieval.lexical import StoredTokens
from retrieval.model import Chunk
from retrieval.places import Place, Server

both = pytest.mark.usefixtures("place")
"""Once with the collections in the folder of the index, once on a server."""

RULES = [chunk(f"§ {number}", f"Regel {number} über die Abgabe.", subsection="1") for number in range(1, 8)]


def place_of(folder: Path) -> Place:
    """Where the collections of this index live."""
    return places.of_index(folder, manifest.read(folder).server)


def stored(folder: Path, corpus: str = "abgabe") -> dict[str, str]:
    """The texts in Chroma by section, with vectors that can be read."""
    entry, place = manifest.read(folder).entry(corpus), place_of(folder)
    client = places.open_client(place)
    found = chroma.collection(client, place, entry.collection).get(include=["documents", "metadatas", "embeddings"])
    client.close()
    assert len(found["ids"]) == len(found["embeddings"]) == entry.count
    return {meta["section_id"]: text for meta, text in zip(found["metadatas"], found["documents"], strict=True)}


def files(folder: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.json")}


@both
def test_a_corpus_is_stored_with_everything_that_is_known_about_it(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    report = {"norms": 7, "tables_found": 1, "tables_kept": 1, "oddities": [{"code": "x", "where": "§ 1", "detail": "…"}]}
    done = ingest(tmp_path, spec(), RULES, report, encoder, chunking="absatz-1", sources={"a.xml": "abc"})
    entry = manifest.read(tmp_path).entry("abgabe")
    assert done == entry.report
    assert (done.chunks, done.encoded, done.reused, done.changes) == (7, 7, 0, Changes(added=7))
    assert done.read == report
    assert entry.fingerprint is not None
    assert (entry.fingerprint.model, entry.fingerprint.chunking) == ("counting", "absatz-1")
    assert -1 < entry.fingerprint.background < 1
    assert entry.sources == {"a.xml": "abc"}
    assert entry.spec.collection == entry.collection
    assert stored(tmp_path)["§ 3"] == "Regel 3 über die Abgabe."
    place = manifest.data_folder(tmp_path, entry.collection)
    assert manifest.load_chunks(place) == tuple(RULES)
    assert len(StoredTokens.load(place / manifest.TOKENS)) == 7


@both
def test_reading_in_again_keeps_no_old_text(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    rules = [chunk(f"§ {number}", "alt" if number == 5 else f"Text {number}") for number in range(1, 8)]
    ingest(tmp_path, spec(), rules, None, encoder)
    rules[4] = chunk("§ 5", "neu")
    assert ingest(tmp_path, spec(), rules, None, encoder).changes == Changes(changed=1, unchanged=6)
    assert stored(tmp_path)["§ 5"] == "neu"
    del rules[5]
    assert ingest(tmp_path, spec(), rules, None, encoder).changes == Changes(removed=1, unchanged=6)
    assert sorted(stored(tmp_path)) == ["§ 1", "§ 2", "§ 3", "§ 4", "§ 5", "§ 7"]


def test_changes_are_counted_by_address_and_not_by_chunk() -> None:
    old = [chunk("§ 1", "a", position=0), chunk("§ 1", "b", position=1), chunk("§ 2", "c"), chunk("§ 3", "d"), chunk("§ 4", "e")]
    new = [
        chunk("§ 1", "a", position=0),
        chunk("§ 1", "B", position=1),
        chunk("§ 2", "c"),
        chunk("§ 3", "d", heading="Neu"),
        chunk("§ 9", "f"),
    ]
    assert changes_between(old, new) == Changes(added=1, changed=2, removed=1, unchanged=1)


@both
def test_only_what_changed_is_embedded_again(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    ingest(tmp_path, spec(), RULES, None, encoder)
    encoder.seen.clear()
    done = ingest(tmp_path, spec(), [*RULES[:6], chunk("§ 7", "Ganz neu.", subsection="1")], None, encoder)
    assert encoder.seen == ["§ 7\nGanz neu."]
    assert (done.encoded, done.reused) == (1, 6)


def test_a_new_heading_is_embedded_again_although_the_text_is_the_same(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    ingest(tmp_path, spec(), [chunk("§ 1", "Text")], None, encoder)
    encoder.seen.clear()
    ingest(tmp_path, spec(), [chunk("§ 1", "Text", heading="Frist")], None, encoder)
    assert encoder.seen == ["§ 1 Frist\nText"]


@both
@pytest.mark.parametrize("other", [{"model": "another"}, {"passage_prompt": "passage: "}, {"dimension": 9}])
def test_another_encoder_embeds_everything_again(tmp_path: Path, other: dict[str, Any]) -> None:
    ingest(tmp_path, spec(), RULES, None, CountingEncoder())
    encoder = CountingEncoder(**other)
    done = ingest(tmp_path, spec(), RULES, None, encoder)
    assert (len(encoder.seen), done.reused, done.changes) == (7, 0, Changes(unchanged=7))


def test_the_old_generation_leaves_nothing_behind(tmp_path: Path, place: Place) -> None:
    for text in ("eins", "zwei", "drei"):
        ingest(tmp_path, spec(), [chunk("§ 1", text)], None, CountingEncoder())
    entry = manifest.read(tmp_path).entry("abgabe")
    assert entry.collection == "-".join(filter(None, ("abgabe", manifest.read(tmp_path).index_id, "0003")))
    assert manifest.generations(tmp_path) == (entry.collection,)
    assert manifest.unfinished(tmp_path) == ()
    client = places.open_client(place)
    # On a server, the index has a home beside its collections.
    assert [name for name in chroma.names(client, place) if not name.startswith("fundstelle-")] == [entry.collection]
    client.close()


@pytest.mark.parametrize(("chunks", "batches"), [(5, [2, 2, 1]), (12, [3, 3, 3, 3]), (24, [4] * 6)])
def test_batches_grow_with_the_corpus_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunks: int, batches: list[int]
) -> None:
    for name, value in (("_WRITE_BATCH", 2), ("_LARGEST_BATCH", 4), ("_BATCHES", 4)):
        monkeypatch.setattr(build, name, value)
    written: list[int] = []
    write = chroma.write

    def counted(*args: Any) -> None:
        written.append(len(args[3]))
        write(*args)

    monkeypatch.setattr(chroma, "write", counted)
    ingest(tmp_path, spec(), [chunk(f"§ {number}", "Frist.") for number in range(chunks)], None, CountingEncoder())
    assert written == batches


@both
def test_an_ingest_that_fails_leaves_the_old_corpus_and_serves_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_WRITE_BATCH", 2)
    monkeypatch.setattr(build, "_ENCODE_BATCH", 1)
    ingest(tmp_path, spec(), RULES[:1], None, CountingEncoder())
    before = files(tmp_path)
    failing = CountingEncoder()
    failing.fail_after = 4
    with pytest.raises(MemoryError):
        ingest(tmp_path, spec(), RULES, None, failing)
    assert before.items() <= files(tmp_path).items()
    assert list(stored(tmp_path)) == ["§ 1"]
    (left,) = manifest.unfinished(tmp_path)
    assert (left.corpus_id, left.collection[-4:], left.chunks) == ("abgabe", "0002", 7)

    encoder = CountingEncoder()
    done = ingest(tmp_path, spec(), RULES, None, encoder)
    assert 0 < len(encoder.seen) < 6
    assert done.reused + done.encoded == 7
    assert (len(stored(tmp_path)), manifest.unfinished(tmp_path)) == (7, ())


def test_a_new_corpus_that_fails_is_not_in_stock(tmp_path: Path, place: Place) -> None:
    failing = CountingEncoder()
    failing.fail_after = 0
    with pytest.raises(MemoryError):
        ingest(tmp_path, spec(), RULES, None, failing)
    if isinstance(place, Server):
        assert manifest.read(tmp_path).corpora == (), (
            "an index on a server is made before its first corpus, so that this one is found again"
        )
    else:
        with pytest.raises(NoDatabase):
            manifest.read(tmp_path)
    assert [one.corpus_id for one in manifest.unfinished(tmp_path)] == ["abgabe"]
    remove(tmp_path, "abgabe")
    assert (manifest.unfinished(tmp_path), manifest.generations(tmp_path)) == ((), ())


@both
@pytest.mark.parametrize("fault", ["verify", "switch"])
def test_a_fault_just_before_the_switch_leaves_the_old_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    ingest(tmp_path, spec(), RULES[:2], None, CountingEncoder())

    def fail(*_: object) -> None:
        raise BrokenStock("lost")

    with monkeypatch.context() as patch:
        patch.setattr(*((chroma, "verify") if fault == "verify" else (manifest, "write")), fail)
        with pytest.raises(BrokenStock, match="lost"):
            ingest(tmp_path, spec(), RULES, None, CountingEncoder())
    assert sorted(stored(tmp_path)) == ["§ 1", "§ 2"]
    assert ingest(tmp_path, spec(), RULES, None, CountingEncoder()).reused == 7


@both
def test_a_killed_ingest_leaves_the_old_corpus_usable(tmp_path: Path) -> None:
    ingest(tmp_path, spec(), RULES[:2], None, CountingEncoder())
    code = f"""
import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
import time; from pathlib import Path
from retrieval import build; from stock_builders import CountingEncoder, chunk, spec
build._WRITE_BATCH = build._ENCODE_BATCH = 2
def slow(done, total):
    if done >= 4: print("half", flush=True); time.sleep(60)
rules = [chunk(f"§ {{n}}", f"Regel {{n}} über die Abgabe.", subsection="1") for n in range(1, 8)]
build.ingest(Path({str(tmp_path)!r}), spec(), rules, None, CountingEncoder(), slow)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    with pytest.raises(StockBusy):
        ingest(tmp_path, spec(), RULES, None, CountingEncoder())
    with pytest.raises(StockBusy):
        remove(tmp_path, "abgabe")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert sorted(stored(tmp_path)) == ["§ 1", "§ 2"]
    assert len(manifest.unfinished(tmp_path)) == 1
    assert ingest(tmp_path, spec(), RULES, None, CountingEncoder()).changes == Changes(added=5, unchanged=2)
    assert (len(stored(tmp_path)), manifest.unfinished(tmp_path)) == (7, ())


@both
def test_other_corpora_stay_as_they_are(tmp_path: Path) -> None:
    ingest(tmp_path, spec("a"), [chunk("§ 1", "A", "a")], None, CountingEncoder())
    before = manifest.read(tmp_path).entry("a")
    ingest(tmp_path, spec("b"), [chunk("§ 1", "B", "b")], None, CountingEncoder())
    remove(tmp_path, "b")
    assert manifest.read(tmp_path).corpora == (before,)
    assert stored(tmp_path, "a") == {"§ 1": "A"}


@both
def test_only_a_corpus_that_is_there_can_be_removed(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase):
        remove(tmp_path / "nirgends", "a")
    assert not (tmp_path / "nirgends").exists()
    ingest(tmp_path, spec("a"), [chunk("§ 1", "A", "a")], None, CountingEncoder())
    with pytest.raises(UnknownCorpus, match="In stock: a"):
        remove(tmp_path, "b")


def test_a_text_that_the_encoder_does_not_read_to_its_end_is_named(tmp_path: Path) -> None:
    rules = [chunk("§ 1", "kurz"), chunk("§ 2", "Wort " * 900 + "Sonderkennzeichen")]
    done = ingest(tmp_path, spec(), rules, None, CountingEncoder(limit=512))
    assert done.truncated == (rules[1].chunk_id,)
    tokens = StoredTokens.load(manifest.data_folder(tmp_path, "abgabe-0001") / manifest.TOKENS)
    assert "sonderkennzeich" in tokens.vocabulary


def test_progress_counts_up_to_all_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_ENCODE_BATCH", 3)
    ingest(tmp_path, spec(), RULES[:2], None, CountingEncoder())
    seen: list[tuple[int, int]] = []
    ingest(tmp_path, spec(), RULES, None, CountingEncoder(), lambda done, total: seen.append((done, total)))
    assert seen == [(2, 7), (5, 7), (7, 7)]


@both
def test_a_repealed_norm_is_stored_so_that_its_address_is_known(tmp_path: Path) -> None:
    ingest(tmp_path, spec(), [*RULES, chunk("§ 52", "(weggefallen)", repealed=True)], None, CountingEncoder())
    assert stored(tmp_path)["§ 52"] == "(weggefallen)"


@both
def test_a_corpus_without_chunks_is_stored(tmp_path: Path) -> None:
    done = ingest(tmp_path, spec(), [], None, CountingEncoder())
    assert (done.chunks, stored(tmp_path)) == (0, {})


@both
@pytest.mark.parametrize("name", ["../../tmp/x", "/etc", "C:\\x", "a/b", "..", "Rahmenvertrag § 129", "x" * 600])
def test_no_name_of_a_corpus_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    stock = tmp_path / "deep" / "stock"
    ingest(stock, spec(name), [chunk("§ 1", "A", name)], None, CountingEncoder())
    assert stored(stock, name) == {"§ 1": "A"}
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["stock"]
    (data,) = (stock / "corpora").iterdir()
    assert data.name == manifest.read(stock).entry(name).collection


@both
def test_two_corpora_whose_names_look_alike_do_not_share_a_collection(tmp_path: Path) -> None:
    for name in ("E-Rezept", "e_rezept"):
        ingest(tmp_path, spec(name), [chunk("§ 1", name, name)], None, CountingEncoder())
    assert stored(tmp_path, "E-Rezept") == {"§ 1": "E-Rezept"}
    assert stored(tmp_path, "e_rezept") == {"§ 1": "e_rezept"}


@pytest.mark.parametrize(
    ("corpus", "chunks", "message"),
    [
        (" ", [], "has no id"),
        ("abgabe", [chunk("§ 1", "A"), chunk("§ 1", "B")], "is there twice"),
        ("abgabe", [chunk("§ 1", "A", "fremd")], "belongs to 'fremd'"),
    ],
)
def test_chunks_that_do_not_fit_together_are_refused(tmp_path: Path, corpus: str, chunks: list[Chunk], message: str) -> None:
    with pytest.raises(BadSource, match=message):
        ingest(tmp_path, spec(corpus), chunks, None, CountingEncoder())
    assert list(tmp_path.iterdir()) == []


def test_the_default_encoder_is_stored_by_its_name(tmp_path: Path) -> None:
    from retrieval.embedding import encoder

    ingest(tmp_path, spec(), RULES)
    entry = manifest.read(tmp_path).entry("abgabe")
    assert entry.encoder == "use"
    assert entry.fingerprint is not None
    assert 0.1 < entry.fingerprint.background < 0.4
    client = places.open_client(tmp_path)
    vectors = chroma.vectors_by_id(chroma.collection(client, tmp_path, entry.collection), tmp_path)
    client.close()
    expected = encoder().passages([rule.passage for rule in RULES])
    np.testing.assert_allclose([vectors[rule.chunk_id] for rule in RULES], expected, atol=1e-6)


def test_a_file_of_rules_is_read_cut_and_stored(tmp_path: Path) -> None:
    path = tmp_path / "regeln.md"
    path.write_text(
        "# Hausordnung\n\n## § 1 Ruhe\n\n(1) Nachts ist Ruhe zu halten.\n\n(2) Mittags auch.\n\n## § 2 Müll\n\nMüll wird getrennt.\n"
    )
    done = build.ingest_file(tmp_path / "stock", path, encoder=CountingEncoder(), corpus_id="haus", title="Hausordnung")
    entry = manifest.read(tmp_path / "stock").entry("haus")
    assert (done.chunks, done.read["norms"], done.changes) == (3, 2, Changes(added=3))
    assert entry.sources == {"regeln.md": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert entry.fingerprint is not None
    assert entry.fingerprint.chunking.startswith("absatz")
    assert stored(tmp_path / "stock", "haus")["§ 2"] == "Müll wird getrennt."


def test_a_file_that_cannot_be_read_leaves_the_stock_as_it_was(tmp_path: Path) -> None:
    ingest(tmp_path / "stock", spec(), RULES, None, CountingEncoder())
    before = files(tmp_path / "stock")
    for name, content in (("leer.zip", b""), ("xml.zip", b"<html>Fehler</html>")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadSource):
            build.ingest_file(tmp_path / "stock", tmp_path / name, encoder=CountingEncoder(), corpus_id="abgabe")
    assert files(tmp_path / "stock") == before
    assert len(stored(tmp_path / "stock")) == 7

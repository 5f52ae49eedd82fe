"""Where collections live: which place is meant, what a server is told, and one sentence for each way in which it can fail."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from chroma_server import ChromaServer
from stock_builders import CountingEncoder, chunk, spec

from retrieval import chroma, manifest, places
from retrieval import registry as registry_module
from retrieval.build import ingest, remove
from retrieval.errors import BadInput, BrokenStock, NoDatabase, StockBusy
from retrieval.places import HEADERS, SERVER, TOKEN, Place, Server, ServerGone
from retrieval.registry import CorpusRegistry

RULES = [chunk(f"§ {number}", f"Die Frist {number} beträgt einen Monat.") for number in range(1, 6)]
HERE = "http://127.0.0.1:8000"


@pytest.fixture
def index(server: ChromaServer, tmp_path: Path) -> Path:
    """An index with one corpus, its collection on the server."""
    ingest(tmp_path / "index", spec(), RULES, None, CountingEncoder())
    return tmp_path / "index"


def statuses(opened: CorpusRegistry) -> dict[str, str]:
    retriever = opened.retriever("abgabe")
    answer = retriever.candidates(retriever.prepare("Welche Frist gilt?"), 10)
    return {route.route: route.status for route in answer.routes}


# --- which place ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (HERE, HERE),
        (f" {HERE}/ ", HERE),
        ("https://Chroma.Example", "https://chroma.example"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("https://kanzlei.example/chroma/", "https://kanzlei.example/chroma"),
    ],
)
def test_an_address_is_kept_in_one_spelling(typed: str, kept: str) -> None:
    assert places.address(typed) == kept


@pytest.mark.parametrize(
    "typed", ["", "127.0.0.1:8000", "ftp://x", "http://", "http://x:port", "http://x:99999", f"{HERE}?a=1", "http://a b"]
)
def test_what_is_no_address_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(BadInput, match=r"expected an address like http://127\.0\.0\.1:8000"):
        places.address(typed)


@pytest.mark.parametrize("typed", ["http://me:geheim@127.0.0.1:8000", "http://geheim@host", "http://me:geheim@host?x"])
def test_a_password_in_an_address_is_refused_and_not_repeated(typed: str) -> None:
    with pytest.raises(BadInput) as refused:
        places.address(typed)
    assert "geheim" not in str(refused.value)


def test_an_index_stays_where_it_was_made_unless_another_server_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (places.for_new(tmp_path), places.of_index(tmp_path, "")) == (tmp_path, tmp_path)
    assert places.of_index(tmp_path, HERE) == Server(HERE)
    monkeypatch.setenv(SERVER, "http://other:1")
    assert (places.for_new(tmp_path), places.of_index(tmp_path, HERE)) == (Server("http://other:1"), Server("http://other:1"))
    assert places.of_index(tmp_path, "") == tmp_path, "an index in its folder is not moved by the environment"
    assert (places.for_new(tmp_path, HERE), places.of_index(tmp_path, "http://old:1", HERE)) == (Server(HERE), Server(HERE))


def test_a_server_named_for_an_index_in_its_folder_is_refused(tmp_path: Path) -> None:
    ingest(tmp_path, spec(), RULES, None, CountingEncoder())
    for attempt in (
        lambda: ingest(tmp_path, spec(), RULES, None, CountingEncoder(), server=HERE),
        lambda: CorpusRegistry(tmp_path, CountingEncoder(), server=HERE),
        lambda: remove(tmp_path, "abgabe", HERE),
    ):
        with pytest.raises(BadInput, match="live in its folder"):
            attempt()
    assert manifest.read(tmp_path).serial == 1


# --- an index on a server -------------------------------------------------------------------------------------------


def test_the_manifest_says_where_and_the_folder_holds_no_database(
    index: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert manifest.read(index).server == server.place.address
    assert not (index / places.DATABASE).exists()
    monkeypatch.delenv(SERVER)
    opened = CorpusRegistry(index, CountingEncoder())
    assert statuses(opened) == {"vector": "ok", "lexical": "ok"}
    assert opened.diagnostics()["place"] == {"server": server.place.address, "made_at": server.place.address, "lost": ""}


def test_both_places_give_the_same_lists(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SERVER)
    ingest(tmp_path / "here", spec(), RULES, None, CountingEncoder())
    found = []
    for folder in (index, tmp_path / "here"):
        retriever = CorpusRegistry(folder, CountingEncoder()).retriever("abgabe")
        found.append(retriever.candidates(retriever.prepare("Welche Frist gilt?"), 10))
    assert found[0] == found[1]
    assert found[0].routes[0].hits


def test_two_indexes_on_one_server_do_not_meet(index: Path, server: ChromaServer, tmp_path: Path) -> None:
    other = tmp_path / "other"
    ingest(other, spec(), [chunk("§ 1", "Ein Einhorn.")], None, CountingEncoder())
    assert manifest.read(other).entry("abgabe").collection != manifest.read(index).entry("abgabe").collection
    remove(other, "abgabe")
    assert statuses(CorpusRegistry(index, CountingEncoder())) == {"vector": "ok", "lexical": "ok"}
    client = places.open_client(server.place)
    assert [name for name in chroma.names(client, server.place) if name.startswith("abgabe")] == [
        manifest.read(index).entry("abgabe").collection
    ]
    client.close()


def test_a_server_that_has_moved_is_named_and_then_remembered(index: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SERVER)
    moved = f"http://localhost:{server.port}"
    assert statuses(CorpusRegistry(index, CountingEncoder(), server=moved)) == {"vector": "ok", "lexical": "ok"}
    assert manifest.read(index).server == server.place.address
    ingest(index, spec("b"), [chunk("§ 1", "B", "b")], None, CountingEncoder(), server=moved)
    assert manifest.read(index).server == moved


def test_a_second_copy_of_the_folder_may_read_and_not_write(index: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(index, tmp_path / "copy"))
    ingest(index, spec("b"), [chunk("§ 1", "B", "b")], None, CountingEncoder())
    assert statuses(CorpusRegistry(copy, CountingEncoder())) == {"vector": "ok", "lexical": "ok"}
    for attempt in (lambda: ingest(copy, spec(), RULES, None, CountingEncoder()), lambda: remove(copy, "abgabe")):
        with pytest.raises(StockBusy, match="1 times from another copy"):
            attempt()
    assert statuses(CorpusRegistry(index, CountingEncoder())) == {"vector": "ok", "lexical": "ok"}


def test_a_switch_that_the_server_was_not_told_of_does_not_lock_the_index(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise ServerGone("gone")

    with monkeypatch.context() as patch:
        patch.setattr(places, "keep_home", gone)
        ingest(index, spec("b"), [chunk("§ 1", "B", "b")], None, CountingEncoder())
    assert ingest(index, spec("b"), [chunk("§ 1", "B", "b")], None, CountingEncoder()).reused == 1


# --- a server that fails --------------------------------------------------------------------------------------------


def test_without_its_server_a_stock_is_searched_by_words_until_it_is_back(
    index: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_module, "_PATIENCE", 0.0)
    server.stop()
    opened = CorpusRegistry(index, CountingEncoder())
    assert statuses(opened) == {"vector": "failed", "lexical": "ok"}
    about = opened.diagnostics()
    assert "does not answer (ConnectError" in about["place"]["lost"]
    assert about["corpora"][0]["without_vectors"] == about["place"]["lost"]
    assert opened.reload_if_changed() is False
    server.start()
    assert opened.reload_if_changed() is True
    assert (statuses(opened), opened.state.lost) == ({"vector": "ok", "lexical": "ok"}, "")
    assert opened.reload_if_changed() is False


def test_a_server_that_is_gone_is_not_looked_for_at_every_turn(index: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.stop()
    opened = CorpusRegistry(index, CountingEncoder())
    looked: list[object] = []

    def look(place: Place) -> None:
        looked.append(place)
        raise ServerGone("gone")

    with monkeypatch.context() as patch:
        patch.setattr(places, "open_client", look)
        for _ in range(5):
            opened.reload_if_changed()
    assert len(looked) == 1


def test_a_server_that_goes_while_it_is_asked_costs_the_vectors_of_that_question(index: Path, server: ChromaServer) -> None:
    opened = CorpusRegistry(index, CountingEncoder(), "index")
    assert statuses(opened) == {"vector": "ok", "lexical": "ok"}
    server.stop()
    assert statuses(opened) == {"vector": "failed", "lexical": "ok"}
    retriever = opened.retriever("abgabe")
    (vector, _) = retriever.candidates(retriever.prepare("Frist"), 10).routes
    assert (vector.error_class, "does not answer" in vector.error) == ("ServerGone", True)
    server.start()
    assert statuses(opened) == {"vector": "ok", "lexical": "ok"}


def test_vectors_that_were_read_are_compared_without_the_server(index: Path, server: ChromaServer) -> None:
    opened = CorpusRegistry(index, CountingEncoder())
    server.stop()
    assert statuses(opened) == {"vector": "ok", "lexical": "ok"}


def test_a_server_that_goes_while_the_stock_is_opened_leaves_the_words(
    index: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = chroma.count

    def going(*args: object) -> int:
        server.stop()
        return count(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(chroma, "count", going)
    opened = CorpusRegistry(index, CountingEncoder())
    assert statuses(opened) == {"vector": "failed", "lexical": "ok"}
    assert "does not answer" in opened.state.lost


def test_nothing_is_made_locked_or_embedded_when_the_server_is_not_there(server: ChromaServer, index: Path, tmp_path: Path) -> None:
    server.stop()
    encoder, before = CountingEncoder(), manifest.read(index)
    for folder in (tmp_path / "new", index):
        with pytest.raises(ServerGone, match="Start it with 'chroma run'"):
            ingest(folder, spec(), RULES, None, encoder)
    with pytest.raises(ServerGone):
        remove(index, "abgabe")
    assert (encoder.seen, (tmp_path / "new").exists(), manifest.read(index)) == ([], False, before)


def test_a_wrong_server_is_not_an_empty_one(index: Path, server: ChromaServer, tmp_path: Path) -> None:
    server.stop()
    server.start(tmp_path / "wrong")
    opened = CorpusRegistry(index, CountingEncoder())
    assert opened.available() == ()
    assert "does not hold this index" in opened.blocked["abgabe"]
    for attempt in (lambda: ingest(index, spec(), RULES, None, CountingEncoder()), lambda: remove(index, "abgabe")):
        with pytest.raises(NoDatabase, match="Nothing was created"):
            attempt()
    client = places.open_client(server.place)
    assert chroma.names(client, server.place) == ()
    client.close()


def test_an_index_that_the_server_has_lost_is_found_although_the_count_is_right(server: ChromaServer, tmp_path: Path) -> None:
    index, rules = tmp_path / "index", [chunk(f"§ {number}", f"Regel {number}.") for number in range(1_200)]
    ingest(index, spec(), rules, None, CountingEncoder())
    server.stop()
    for folder in (path for path in server.folder.iterdir() if path.is_dir()):
        shutil.rmtree(folder)
    server.start()
    assert "cannot do what it was asked" in CorpusRegistry(index, CountingEncoder()).blocked["abgabe"]
    client = places.open_client(server.place)
    collection = chroma.collection(client, server.place, manifest.read(index).entry("abgabe").collection)
    assert chroma.count(collection, server.place) == 1_200
    with pytest.raises(BrokenStock, match="returned 1 of 50 records"):
        chroma.verify(collection, server.place, 1_200, CountingEncoder().questions(["Regel"])[0].tolist())
    client.close()


# --- what answers in its place --------------------------------------------------------------------------------------

Answers = Callable[[int, str], tuple[Server, list[dict[str, str]]]]


@pytest.fixture
def answering() -> Iterator[Answers]:
    """Makes something that answers every request with one status and text, and keeps the headers that it was sent."""
    running: list[ThreadingHTTPServer] = []

    def start(status: int, text: str) -> tuple[Server, list[dict[str, str]]]:
        seen: list[dict[str, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append(dict(self.headers))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        running.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, args=(0.05,)).start()
        return Server(f"http://127.0.0.1:{running[-1].server_port}"), seen

    yield start
    for one in running:
        one.shutdown()
        one.server_close()


@pytest.mark.parametrize(
    ("status", "text", "sentence"),
    [
        (200, '"0.6.3"', "has the version 0.6.3; expected 1"),
        (200, '"2.0.0"', "has the version 2.0.0; expected 1"),
        (200, "<html>Willkommen</html>", "found status 200, expected a version number"),
        (410, '{"error":"Unimplemented"}', "found status 410, expected a version number"),
        (502, "Bad Gateway", "found status 502"),
        (401, "", f"does not let this program in.*Put its key into {TOKEN}"),
    ],
)
def test_what_answers_and_is_no_server_of_this_version_is_named(answering: Answers, status: int, text: str, sentence: str) -> None:
    place, _ = answering(status, text)
    with pytest.raises(ServerGone, match=sentence):
        places.open_client(place)


def test_a_server_that_accepts_and_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_ANSWER", 0.2)
    with closing(socket.socket()) as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(ServerGone, match=r"does not answer \(ReadTimeout"):
            places.open_client(Server(f"http://127.0.0.1:{deaf.getsockname()[1]}"))


def test_a_client_waits_for_no_answer_for_ever_and_leaves_no_connection(server: ChromaServer) -> None:
    client = places.open_client(server.place)
    session = client._server._session
    assert (session.timeout.connect, session.timeout.read) == (5.0, 60.0)
    client.close()
    assert session.is_closed
    assert client._admin_client._server._session.is_closed


def test_the_key_is_shown_to_the_server_and_nowhere_else(answering: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "geheim-1")
    monkeypatch.setenv(HEADERS, "X-Chroma-Token: geheim-2\nX-Kanzlei: Müller und Söhne".replace("ü", "ue").replace("ö", "oe"))
    place, seen = answering(500, "refused: Bearer geheim-1, geheim-2")
    with pytest.raises(ServerGone) as refused:
        places.open_client(place)
    assert {"Authorization": "Bearer geheim-1", "X-Chroma-Token": "geheim-2", "X-Kanzlei": "Mueller und Soehne"}.items() <= seen[0].items()
    with pytest.raises(BrokenStock) as failed, places.in_clear_words(place):
        raise ValueError("the header 'Bearer geheim-1' or 'geheim-2' is not accepted")
    assert "geheim" not in f"{refused.value} {failed.value}"


@pytest.mark.parametrize("lines", ["ohne Doppelpunkt geheim", "Name: ge\theim", "Na me: geheim", "Name: gehÄim", ": geheim"])
def test_what_can_be_no_header_is_refused_and_not_repeated(lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HEADERS, lines)
    with pytest.raises(BadInput, match="expected one 'Name: value' a line") as refused:
        places.open_client(Server(HERE))
    assert lines.rpartition(": ")[2] not in str(refused.value)


def test_the_key_is_not_stored(server: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "geheim-1")
    ingest(tmp_path / "index", spec(), RULES, None, CountingEncoder())
    opened = CorpusRegistry(tmp_path / "index", CountingEncoder())
    stored = b"".join(path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file())
    assert b"geheim" not in stored + repr(opened.diagnostics()).encode()

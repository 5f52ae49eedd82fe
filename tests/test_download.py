"""Downloads, against a server on this machine."""

from __future__ import annotations

import io
import socket
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from retrieval import download
from retrieval.download import fetch, slug
from retrieval.errors import DownloadFailed


def zipped(**members: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return packed.getvalue()


LAW = zipped(BJNR1__xml="<dokumente/>", bild__jpg="x")
ANSWERS: dict[str, tuple[int, bytes]] = {
    "/sgb_5/xml.zip": (200, LAW),
    "/leer/xml.zip": (200, b""),
    "/seite/xml.zip": (200, b"\n<html><body>Nicht gefunden</body></html>"),
    "/text/xml.zip": (200, b"%PDF-1.7"),
    "/ohne/xml.zip": (200, zipped(a__txt="x")),
    "/zwei/xml.zip": (200, zipped(a__xml="<a/>", b__xml="<b/>")),
    "/halb/xml.zip": (200, LAW[:-30]),
    "/kaputt/xml.zip": (503, b""),
}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/langsam"):
            time.sleep(1.0)
        status, body = ANSWERS.get(self.path, (404, b"<html>"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + (100 if self.path.startswith("/abgebrochen") else 0)))
        with suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("kuerzel", "expected"),
    [("SGB V", "sgb_5"), ("SGB XI", "sgb_11"), ("sgb_5", "sgb_5"), ("SGB 5", "sgb_5"), ("ApoG", "apog"), ("AM-NutzenV", "am_nutzenv")],
)
def test_an_abbreviation_becomes_the_name_that_the_site_uses(kuerzel: str, expected: str) -> None:
    assert slug(kuerzel) == expected


@pytest.mark.parametrize("kuerzel", ["", " ", "../../etc", "a/b", "sgb?x", "§ 1", "a\nb", ".."])
def test_what_is_no_abbreviation_is_refused_before_anything_is_asked(kuerzel: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match="expected the abbreviation"):
        fetch(kuerzel, tmp_path, "http://127.0.0.1:1")


def test_a_law_is_stored_as_the_site_sends_it(site: str, tmp_path: Path) -> None:
    path = fetch("SGB V", tmp_path / "new", site + "/")
    assert path == tmp_path / "new" / "sgb_5.xml.zip"
    assert path.read_bytes() == LAW


@pytest.mark.parametrize(
    ("kuerzel", "message"),
    [
        ("leer", "0 bytes"),
        ("seite", "a web page and no zip file"),
        ("text", "something else and no zip file"),
        ("halb", "no zip file"),
        ("ohne", "a zip file with 0 XML files"),
        ("zwei", "a zip file with 2 XML files"),
        ("kaputt", "answered 503"),
        ("nirgends", "answered 404.*Look up the address"),
    ],
)
def test_anything_else_is_refused_and_the_old_file_stays(site: str, tmp_path: Path, kuerzel: str, message: str) -> None:
    old = tmp_path / f"{kuerzel}.xml.zip"
    old.write_bytes(b"old")
    with pytest.raises(DownloadFailed, match=message):
        fetch(kuerzel, tmp_path, site)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_damaged_member_is_refused(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = bytearray(zipped(a__xml="<a>" + "Regel " * 500 + "</a>"))
    broken[45] ^= 0xFF
    monkeypatch.setitem(ANSWERS, "/defekt/xml.zip", (200, bytes(broken)))
    with pytest.raises(DownloadFailed, match=r"damaged|no zip file"):
        fetch("defekt", tmp_path, site)


def test_more_than_a_law_can_be_is_refused(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LARGEST", 100)
    with pytest.raises(DownloadFailed, match="sent more than"):
        fetch("SGB V", tmp_path, site)


def test_a_site_that_is_not_reached_is_named(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DownloadFailed, match=rf"127.0.0.1:{port}/apog/xml.zip was not reached.*Check the network"):
        fetch("ApoG", tmp_path, f"http://127.0.0.1:{port}")
    assert list(tmp_path.iterdir()) == []


def test_a_site_that_does_not_answer_in_time_is_named(site: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match="was not reached"):
        fetch("langsam", tmp_path, site, timeout=0.2)


def test_an_answer_that_breaks_off_is_refused(site: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed):
        fetch("abgebrochen", tmp_path, site, timeout=0.5)
    assert list(tmp_path.iterdir()) == []

"""Where the collections of an index live: in Chroma's database in its folder, or on a Chroma server.

Opening either of them creates and upgrades nothing unless that is asked for, and whatever goes wrong becomes one sentence.
"""

from __future__ import annotations

import itertools
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from retrieval.errors import BadInput, BrokenStock, NoDatabase, StockBusy, StockError

DATABASE = "chroma.sqlite3"
SERVER = "FUNDSTELLE_CHROMA"
TOKEN = "FUNDSTELLE_CHROMA_TOKEN"
HEADERS = "FUNDSTELLE_CHROMA_HEADERS"
_CONNECT, _ANSWER, _READ, _WRITE = 5.0, 10.0, 60.0, 600.0
"""Seconds until a server that does not answer counts as gone: for a connection, a sign of life, a question, and a batch that is written."""
_serial = itertools.count(1)


class NotOpenedHere(BrokenStock):
    """The database cannot be opened from here and now, though nothing says that its data is damaged."""


class ServerGone(NotOpenedHere):
    """The Chroma server does not answer, or what answers is no Chroma server that this program can speak to."""


class Server(msgspec.Struct, frozen=True):
    """A Chroma server by its address, such as ``http://127.0.0.1:8000``; what it wants to be shown stands in the environment only."""

    address: str

    @property
    def encrypted(self) -> bool:
        """Whether its certificate is looked at. Where it has none, the list of authorities is not read: a tenth of a second a client."""
        return self.address.startswith("https")


Place = Path | Server


# --- which place ----------------------------------------------------------------------------------------------------


def of_index(folder: Path, made_at: str, named: str = "") -> Place:
    """Where the collections of an index are that was made at ``made_at``, the address of a server or empty for its own folder.

    ``named``, or else FUNDSTELLE_CHROMA, says where the server of such an index is now. Raises BadInput for an address that is none, and
    when a server is named for an index that lives in its folder.
    """
    if made_at:
        return Server(address(named or os.environ.get(SERVER, "").strip() or made_at))
    if named:
        raise BadInput(
            f"The collections of the index {folder.absolute()} live in its folder; found the server {address(named)} named for it. "
            "Leave the server out, or read the rules into a new folder."
        )
    return folder


def for_new(folder: Path, named: str = "") -> Place:
    """Where the collections of a new index will live: on the server that is ``named``, else on FUNDSTELLE_CHROMA's, else in its folder."""
    wanted = named or os.environ.get(SERVER, "").strip()
    return Server(address(wanted)) if wanted else folder


def address(text: str) -> str:
    """The address of a server as it is stored and shown. Raises BadInput for one that is none, and for one with a password in it."""
    try:
        parts = urlsplit(text.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or parts.query or parts.fragment or re.search(r"\s", text.strip()):
        raise BadInput(
            f"The Chroma server: found {text.strip()[:80].rpartition('@')[2]!r}, expected an address like http://127.0.0.1:8000."
        )
    if "@" in parts.netloc:
        raise BadInput(
            f"The Chroma server: found an address with a name or password, expected one without; it would be stored and shown. "
            f"Put what the server wants to be shown into {TOKEN} or {HEADERS}."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


# --- opening --------------------------------------------------------------------------------------------------------


def open_client(place: Place, create: bool = False) -> Any:
    """A client of its own for the database at ``place``; close it with ``.close()``.

    Without ``create`` nothing is ever created, changed or upgraded. Raises NoDatabase if there is none in a folder, NotOpenedHere if it
    cannot be opened from here (ServerGone for a server), BrokenStock if it cannot be read.
    """
    if isinstance(place, Server):
        return _connected(place, _WRITE if create else _READ)
    if not create:
        _require_database(place)
    with in_clear_words(place):
        import chromadb
        from chromadb.config import Settings

        # "validate" refuses a database of an older version instead of migrating it.
        settings = Settings(anonymized_telemetry=False, migrations="apply" if create else "validate")
        return chromadb.PersistentClient(path=_own_spelling(place), settings=settings)


def _own_spelling(folder: Path) -> str:
    """``folder``, spelled as nobody spelled it before: Chroma shares what it knows between clients of one spelling, and what it
    shares does not see what another process wrote."""
    steps = ("." if bit == "1" else "" for bit in f"{next(_serial):b}")
    return "/".join((folder.absolute().as_posix(), *steps, ""))


def _require_database(folder: Path) -> None:
    database = folder / DATABASE
    if not database.is_file():
        raise NoDatabase(f"There is no database at this place: {folder.absolute()}. Nothing was created. Correct the path or ingest first.")
    if database.stat().st_size == 0:
        raise BrokenStock(f"The database file {database.absolute()} is empty (0 bytes). Nothing was changed. Restore it from a copy.")
    if not (os.access(folder, os.W_OK) and os.access(database, os.W_OK)):
        raise NotOpenedHere(_read_only(folder))


def _read_only(folder: Path) -> str:
    return (
        f"The folder {folder.absolute()} is read-only, and the database cannot be opened without the right to write, even to read. "
        "Copy the folder to a place with the right to write."
    )


def _connected(server: Server, patience: float) -> Any:
    require_answer(server)
    with in_clear_words(server):
        import chromadb
        import httpx
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False, chroma_server_ssl_verify=server.encrypted)
        client = chromadb.HttpClient(server.address, headers=_headers(), settings=settings)
        # Chroma's own sessions wait for ever, which a question must not, and stay open when the client is closed.
        sessions, release = [one._server._session for one in (client, client._admin_client)], client.close
        sessions[0].timeout = httpx.Timeout(patience, connect=_CONNECT)

        def close() -> None:
            release()
            for session in sessions:
                session.close()

        client.close = close
        return client


def require_answer(place: Place) -> str:
    """The version of the interface that the server speaks; empty for a folder, which is not asked. Raises ServerGone."""
    if not isinstance(place, Server):
        return ""
    with in_clear_words(place):
        import httpx

        patience = httpx.Timeout(_ANSWER, connect=_CONNECT)
        reply = httpx.get(f"{place.address}/api/v2/version", headers=_headers(), timeout=patience, verify=place.encrypted)
    found = reply.text.strip()[:40].strip('"')
    if reply.status_code in (401, 403):
        raise ServerGone(f"{_subject(place)} does not let this program in ({reply.status_code}). Put its key into {TOKEN} or {HEADERS}.")
    if reply.status_code != 200 or not re.fullmatch(r"\d+(\.\w+)+", found):
        raise ServerGone(
            f"{_subject(place)} is none that speaks interface 2: found status {reply.status_code}, expected a version number. "
            "Correct the address, or start a server of the version that is installed here with 'chroma run'."
        )
    if found.partition(".")[0] != "1":
        raise ServerGone(
            f"{_subject(place)} has the version {found}; expected 1. The data was not touched. Start a server of the version that is "
            "installed here with 'chroma run'."
        )
    return found


def _headers() -> dict[str, str]:
    """What a server wants to be shown, from the environment. Raises BadInput for what can be no header; its value is never shown."""
    token = os.environ.get(TOKEN, "").strip()
    lines = [line.partition(":") for line in os.environ.get(HEADERS, "").splitlines() if line.strip()]
    found = {name.strip(): value.strip() for name, _, value in lines} | ({"Authorization": f"Bearer {token}"} if token else {})
    for name, value in found.items():
        if not re.fullmatch(r"[\w-]+", name, re.ASCII) or not value or not value.isascii() or not value.isprintable():
            raise BadInput(f"{TOKEN}, {HEADERS}: found what can be no header; expected one 'Name: value' a line in plain letters.")
    return found


# --- clear words ----------------------------------------------------------------------------------------------------


@contextmanager
def in_clear_words(place: Place) -> Iterator[None]:
    """Whatever Chroma raises becomes one sentence; its classes of error do not say what happened, its words do."""
    try:
        yield
    except (StockError, BadInput):
        raise
    except Exception as cause:
        raise (_of_server(place, cause) if isinstance(place, Server) else _of_folder(place, cause)) from cause


def _of_folder(folder: Path, cause: Exception) -> StockError:
    from importlib.metadata import version

    found = f"{type(cause).__name__}: {str(cause)[:200]}"
    if "readonly database" in found or "Read-only" in found or "Permission denied" in found:
        return NotOpenedHere(_read_only(folder))
    if "sqlite" in found and "version" in found and "unsupported" in found:
        return NotOpenedHere(f"The sqlite of this Python is too old for Chroma ({found}). Use a Python with sqlite 3.35 or newer.")
    return BrokenStock(
        f"Chroma {version('chromadb')} cannot use the database at {folder.absolute()} ({found}). The data was not touched. "
        "If another version wrote it, install that version; else restore the folder from a copy or ingest into a new folder."
    )


def _of_server(server: Server, cause: Exception) -> StockError:
    import httpx

    found = _without_secrets(f"{type(cause).__name__}: {str(cause)[:200]}", _headers())
    # Chroma's own words for a server that is not there, and for an answer that came from something else on the way.
    if isinstance(cause, httpx.HTTPError) or "Could not connect" in found or type(cause) is Exception:
        return ServerGone(
            f"{_subject(server)} does not answer ({found}). The data was not touched. Start it with 'chroma run' and the folder that it "
            f"was made with, or name its new address in {SERVER}."
        )
    return BrokenStock(
        f"{_subject(server)} cannot do what it was asked ({found}). The data was not touched. Start a server of the version that is "
        "installed here; if its data is damaged, restore it from a copy or ingest into a new folder."
    )


def _without_secrets(text: str, headers: Mapping[str, str]) -> str:
    for value in headers.values():
        text = text.replace(value, "…").replace(value.removeprefix("Bearer "), "…")
    return text


def named(place: Place) -> str:
    """A place in words: ``the database at …``, ``the Chroma server at …``."""
    return f"the Chroma server at {place.address}" if isinstance(place, Server) else f"the database at {place.absolute()}"


def _subject(server: Server) -> str:
    return f"The Chroma server at {server.address}"


# --- the home of an index on a server -------------------------------------------------------------------------------


def new_home(client: Any, server: Server) -> str:
    """Makes a home for a new index on this server; returns its id.

    A home is an empty collection that carries the index's id in its name, and the number of the manifest that was written last. Without it
    a wrong server would look like one whose collections are lost.
    """
    index_id = uuid.uuid4().hex[:12]
    with in_clear_words(server):
        client.create_collection(_home(index_id), embedding_function=None, metadata={"serial": 0})
    return index_id


def require_home(client: Any, server: Server, index_id: str, serial: int | None = None) -> None:
    """Raises NoDatabase unless the index has its home on this server.

    With the ``serial`` of the manifest also StockBusy when a newer one was written: then another copy of the index folder is at work, and
    both would take the other's collections for old ones.
    """
    from chromadb.errors import NotFoundError

    with in_clear_words(server):
        try:
            found = client.get_collection(_home(index_id), embedding_function=None)
        except NotFoundError as cause:
            raise NoDatabase(
                f"{_subject(server)} does not hold this index: the collection {_home(index_id)!r} is missing. Nothing was created. Start "
                f"the server with the folder that it was made with, name another address in {SERVER}, or read the rules into a new folder."
            ) from cause
    newest = int((found.metadata or {}).get("serial", 0))
    if serial is not None and newest > serial:
        raise StockBusy(
            f"The collections on {named(server)} were written {newest - serial} times from another copy of this folder. Nothing was "
            "changed. Use that copy, or read the rules into a new folder."
        )


def keep_home(client: Any, server: Server, index_id: str, serial: int) -> None:
    """Notes at the home of the index that the manifest with this number was written."""
    with in_clear_words(server):
        client.get_collection(_home(index_id), embedding_function=None).modify(metadata={"serial": serial})


def _home(index_id: str) -> str:
    return f"fundstelle-{index_id}"

"""A question set as one TOML file that people review: read with clear faults, written whole or not at all, with every version kept.

Beside ``fragen.toml`` lies the folder ``fragen.toml.history``: each version that was ever written, by time and hash.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.settext import parse, written
from retrieval.manifest import replace_file

HISTORY = ".history"
_LOCK = "write.lock"
_PATIENCE = 10.0
"""Seconds to wait for another writer: a set is written in milliseconds."""
_VERSION = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-([0-9a-f]{12})\.toml")
_TIME = "%Y%m%dT%H%M%S.%fZ"


class SetChanged(BadInput):
    """Somebody else has written the set since it was read; nothing was written."""


class SetBusy(BadInput):
    """Somebody else is writing the set right now; nothing was written."""


class Loaded(msgspec.Struct, frozen=True):
    """A set as it was read. ``seen`` is the hash of the file's bytes, which whoever writes it again has to show."""

    questions: QuestionSet
    seen: str


class Version(msgspec.Struct, frozen=True):
    """One kept version: the name of its file, when it was written (UTC, ISO), and the first 12 digits of its hash."""

    name: str
    time: str
    hash: str


def file_hash(content: bytes) -> str:
    """The sha256 of a file's bytes (64 hex digits)."""
    return hashlib.sha256(content).hexdigest()


def fingerprint(questions: QuestionSet) -> str:
    """A hash of what a set says (64 hex digits); comments and layout of its file do not count."""
    return hashlib.sha256(msgspec.json.encode(questions)).hexdigest()


def load(path: Path) -> Loaded:
    """The set in this file; one that names itself nothing is called like its file. Raises BadInput with all faults, each with its line."""
    content = _read(path)
    return Loaded(parse(content, path.name), file_hash(content))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"The question set {path.name} cannot be read ({type(error).__name__}). Expected a TOML file. Check the path and the rights."
        ) from error


def save(path: Path, questions: QuestionSet, seen: str, now: datetime | None = None) -> Loaded:
    """Write a set; what its questions say unchanged stays in the file byte for byte, comments included.

    ``seen`` is the hash of what was read, empty for a file that is not there yet. Raises SetChanged when the file is another one by now,
    SetBusy when another writer does not come to an end, BadInput for a set that no file can hold, and where writing breaks off.
    """
    place = path.resolve()  # a link stays a link
    with _sole_writer(place):
        before = _unchanged(place, seen)
        content = written(questions, before, place.name)
        _keep(place, before, content, now)
    return Loaded(questions, file_hash(content))


def _unchanged(path: Path, seen: str) -> bytes:
    """The bytes that are there, if they are the ones that were seen."""
    before = _read(path) if path.exists() else b""
    if (file_hash(before) if path.exists() else "") != seen:
        found = "a set that was written since you read it" if seen else "a set that is there already"
        raise SetChanged(f"{path.name}: found {found}; nothing was written. Read it again, and make your change there.")
    return before


def _keep(path: Path, before: bytes, content: bytes, now: datetime | None) -> None:
    """The version goes into the history first: whatever breaks off, no version of the file is without its copy."""
    folder = _folder(path)
    moment = now or datetime.now(UTC)
    if before and not any(file_hash(before).startswith(one.hash) for one in history(path)):
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        replace_file(folder / _name(before, min(changed, moment)), before)
    replace_file(folder / _name(content, moment), content)
    replace_file(path, content)


def _folder(path: Path) -> Path:
    return path.with_name(path.name + HISTORY)


def _name(content: bytes, moment: datetime) -> str:
    return f"{moment.astimezone(UTC).strftime(_TIME)}-{file_hash(content)[:12]}.toml"


@contextmanager
def _sole_writer(path: Path) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(_folder(path) / _LOCK, timeout=_PATIENCE)
    try:
        _folder(path).mkdir(exist_ok=True)
        lock.acquire()
    except filelock.Timeout as cause:
        raise SetBusy(f"{path.name}: somebody else is writing this set. Nothing was written. Try again in a moment.") from cause
    except OSError as cause:
        raise BadInput(
            f"{path.name}: nothing can be written to {path.parent} ({cause.strerror}). Check the path and the rights."
        ) from cause
    try:
        yield
    except OSError as cause:
        raise BadInput(
            f"{path.name}: writing broke off ({cause.strerror}); the set is as it was. Make room or check the rights, then try again."
        ) from cause
    finally:
        lock.release()


# --- history --------------------------------------------------------------------------------------------------------------


def history(path: Path) -> tuple[Version, ...]:
    """All kept versions of a set, the newest first; empty for a set that was never written here."""
    matches = (_VERSION.fullmatch(file.name) for file in _folder(path.resolve()).glob("*.toml"))
    found = (Version(match[0], _iso(match[1]), match[2]) for match in matches if match)
    return tuple(sorted(found, key=lambda version: version.name, reverse=True))


def _iso(moment: str) -> str:
    return datetime.strptime(moment, _TIME).replace(tzinfo=UTC).isoformat(timespec="seconds")


def version(path: Path, wanted: str) -> Loaded:
    """One kept version by its name or the beginning of its hash. Raises BadInput when there is none, or several differ."""
    place = path.resolve()
    content = _read(_folder(place) / _chosen(path, wanted).name)
    return Loaded(parse(content, place.name), file_hash(content))


def restore(path: Path, wanted: str, seen: str, now: datetime | None = None) -> Loaded:
    """Make a kept version the set again, byte for byte; what stood there stays in the history. ``seen`` and errors as for ``save``."""
    place = path.resolve()
    content = _read(_folder(place) / _chosen(path, wanted).name)
    questions = parse(content, place.name)
    with _sole_writer(place):
        _keep(place, _unchanged(place, seen), content, now)
    return Loaded(questions, file_hash(content))


def _chosen(path: Path, wanted: str) -> Version:
    kept = history(path)
    found = [one for one in kept if one.name == wanted or (wanted and one.hash.startswith(wanted))]
    if not found or len({one.hash for one in found}) > 1:
        known = ", ".join(dict.fromkeys(one.hash for one in kept[:10])) or "none"
        raise BadInput(
            f"{path.name}: found {len(found)} versions {wanted!r}, expected one. Kept are, newest first: {known}. Name one of them."
        )
    return found[0]

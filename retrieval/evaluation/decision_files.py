"""Decisions as files: three for each, written together, never overwritten: the record (.json), the text (.md), the settings (.toml)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.decision_text import minutes
from retrieval.evaluation.decisions import Decision, Former, read_decision
from retrieval.exports.files import file_name
from retrieval.manifest import replace_file
from retrieval.words import Words

ENDINGS = (".md", ".settings.toml", ".json")
"""The record comes last: a decision is there when its record is."""
_LOCK = "write.lock"
_PATIENCE = 10.0
_HERE = ZoneInfo("Europe/Berlin")


class Taken(BadInput):
    """There is a file of this name already; nothing was written."""


class Kept(msgspec.Struct, frozen=True):
    """One decision on disk. ``hash`` is the sha256 of its record (64 hex digits)."""

    path: Path
    decision: Decision
    hash: str

    @property
    def former(self) -> Former:
        """The decision as one that replaces it names it."""
        return Former(self.decision.name, self.decision.decided, self.path.name, self.hash)

    def beside(self, ending: str) -> Path:
        """The file with another of the ``ENDINGS`` that was written with the record."""
        return _with(self.path.parent, self.path.name.removesuffix(".json"), ending)


class Unreadable(msgspec.Struct, frozen=True):
    """A file that is no decision that this program reads, and why."""

    path: Path
    reason: str


class Folder(msgspec.Struct, frozen=True):
    """What a folder of decisions holds, the latest first."""

    kept: tuple[Kept, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


def stem(name: str, decided: str) -> str:
    """The name of a decision's files without ending: the day in Germany, then a to z, digits and hyphens out of its name."""
    day = datetime.fromisoformat(decided).astimezone(_HERE).date()
    return file_name(name, day, "").removeprefix("fundstelle-").removesuffix(".")


def store(folder: Path, decision: Decision) -> Kept:
    """Write a decision into a folder. Raises Taken where one of its files is there already, BadInput where nothing can be written."""
    contents, name = _contents(decision), stem(decision.name, decision.decided)
    with _sole_writer(folder):
        places = [_with(folder, name, ending) for ending in ENDINGS]
        taken = [place.name for place in places if place.exists()]
        if taken:
            raise Taken(f"{taken[-1]}: found a file of this name; a decision is never overwritten. Give this one another name.")
        _write(places, contents)
    return Kept(places[-1], decision, hashlib.sha256(contents[-1]).hexdigest())


def _contents(decision: Decision) -> tuple[bytes, ...]:
    """The bytes of the files, in the order of ``ENDINGS``."""
    try:
        return minutes(decision, Words("de")).encode(), decision.settings_toml.encode(), decision.to_json()
    except UnicodeEncodeError as error:
        raise BadInput(
            f"Decision: found half a character ({error.object[error.start]!r}) in a text; expected whole ones. Remove it."
        ) from None


def _write(places: Sequence[Path], contents: Sequence[bytes]) -> None:
    """All files or none: what was written before it broke off is taken away again."""
    try:
        for place, content in zip(places, contents, strict=True):
            replace_file(place, content)
    except OSError:
        for place in places:
            place.unlink(missing_ok=True)
        raise


def _with(folder: Path, name: str, ending: str) -> Path:
    return folder / f"{name}{ending}"


@contextmanager
def _sole_writer(folder: Path) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(folder / _LOCK, timeout=_PATIENCE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout as cause:
        raise BadInput("Somebody else is writing a decision right now; nothing was written. Try again in a moment.") from cause
    except OSError as cause:
        raise BadInput(f"{folder.name}: nothing can be written to {folder} ({cause.strerror}). Check the path and the rights.") from cause
    try:
        yield
    except OSError as cause:
        raise BadInput(f"{folder.name}: writing broke off ({cause.strerror}). Make room or check the rights, then try again.") from cause
    finally:
        lock.release()


def load(path: Path) -> Kept:
    """The decision in this file. Raises BadInput for a file that is none, or cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as cause:
        raise BadInput(
            f"{path.name}: found no file that can be read ({cause.strerror}); expected the .json file of a decision. Check the path."
        ) from cause
    return Kept(path, read_decision(data, path.name), hashlib.sha256(data).hexdigest())


def stored(folder: Path) -> Folder:
    """All decisions of a folder; one that cannot be read is named and costs only itself."""
    kept: list[Kept] = []
    unreadable: list[Unreadable] = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            kept.append(load(path))
        except BadInput as error:
            unreadable.append(Unreadable(path, str(error)))
    latest = sorted(kept, key=lambda one: (one.decision.decided, one.path.name), reverse=True)
    return Folder(tuple(latest), tuple(unreadable))

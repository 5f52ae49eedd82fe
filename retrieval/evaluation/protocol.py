"""The protocol of a tuning session: who did what, when and why, line by line, and never changed afterwards.

One file for each question set, one JSON object in each line. It is readable without this program.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import RawIOBase
from pathlib import Path
from typing import Literal

import msgspec

from retrieval.errors import BadInput
from retrieval.knobs import Value

Act = Literal["imported", "changed", "judged", "moved", "measured", "compared", "swept", "revealed", "remarked", "decided"]
"""``moved``: settings were changed. ``revealed``: the held-out half was looked at. ``remarked``: somebody wrote something down."""
_LOCK = ".lock"
_PATIENCE = 10.0
"""Seconds to wait for another writer: a line is written in milliseconds."""
_TORN = "truncated"
"""What the library says of the beginning of an object, and of nothing else."""


class Event(msgspec.Struct, frozen=True):
    """One thing that was done. ``when`` is UTC in ISO form with seconds; ``who`` a name that a person gave.

    ``set_fingerprint`` is that of the set then; ``settings`` are all values in force after it, None where it has none. ``details`` are
    what the words of the act speak of. ``tried`` counts the settings that this act measured. ``why`` is the reason in a person's words.
    """

    when: str
    who: str
    act: Act
    set_name: str
    set_fingerprint: str = ""
    settings: dict[str, Value] | None = None
    without: tuple[str, ...] = ()
    details: dict[str, str | int | float | None] = {}
    tried: int = 0
    why: str = ""


class Protocol(msgspec.Struct, frozen=True):
    """What a file holds: its events, oldest first, and the lines (from 1) on which writing broke off half-way."""

    events: tuple[Event, ...] = ()
    torn: tuple[int, ...] = ()


class Moved(msgspec.Struct, frozen=True):
    """One setting that has another value than before; None where one of the two does not know it."""

    name: str
    before: Value | None
    after: Value | None


class Stage(msgspec.Struct, frozen=True):
    """One stage that is left out now and was not before, or the other way round."""

    name: str
    out: bool


class Shift(msgspec.Struct, frozen=True):
    """What is other than at the last event that states its settings."""

    settings: tuple[Moved, ...] = ()
    stages: tuple[Stage, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.settings or self.stages)


def moment(now: datetime | None = None) -> str:
    """Now, as an event has it."""
    return (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")


# --- writing ----------------------------------------------------------------------------------------------------------


def append(path: Path, event: Event) -> None:
    """Write one event at the end of a protocol, whole or not at all.

    What another program left half-written stays, on a line of its own. Raises BadInput where nothing can be written.
    """
    line = _line(path, event)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _sole_writer(path), path.open("ab+", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                whole = line if _ends_well(file, end) else b"\n" + line
                if file.write(whole) != len(whole):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise
    except OSError as cause:
        raise BadInput(
            f"{path.name}: nothing can be written to {path.parent} ({cause.strerror}). Check the path and the rights."
        ) from cause


def _line(path: Path, event: Event) -> bytes:
    try:
        return msgspec.json.encode(event) + b"\n"
    except UnicodeEncodeError as error:
        raise BadInput(
            f"{path.name}: found half a character ({error.object[error.start]!r}) in a text; expected whole ones. Remove it."
        ) from None


def _ends_well(file: RawIOBase, end: int) -> bool:
    """Whether a file of ``end`` bytes is empty or ends with a line end."""
    if not end:
        return True
    file.seek(end - 1)
    return file.read(1) == b"\n"


@contextmanager
def _sole_writer(path: Path) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(path.with_name(path.name + _LOCK), timeout=_PATIENCE)
    try:
        lock.acquire()
    except filelock.Timeout as cause:
        raise BadInput(f"{path.name}: somebody else is writing this protocol. Nothing was written. Try again in a moment.") from cause
    try:
        yield
    finally:
        lock.release()


# --- reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> Protocol:
    """A protocol with what is wrong in it; an empty one where there is no file.

    A line on which writing broke off is named and not read. Raises BadInput for any other line that is no event.
    """
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as cause:
        raise BadInput(f"{path.name}: found a protocol that cannot be read ({cause.strerror}). Check the path and the rights.") from cause
    found: list[Event] = []
    torn: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(msgspec.json.decode(line, type=Event))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if _TORN not in str(error):
                raise BadInput(f"{path.name}, line {number}: found no event ({error}); expected one JSON object. Mend the line.") from None
            torn.append(number)
    return Protocol(tuple(found), tuple(torn))


def events(path: Path) -> tuple[Event, ...]:
    """All events of a protocol, oldest first; none where there is no file. Errors as for ``read``."""
    return read(path).events


# --- between events ---------------------------------------------------------------------------------------------------


def shift(before: Event | None, settings: dict[str, Value] | None, without: Sequence[str] = ()) -> Shift:
    """What is other than at the event ``before``, in the order of the later settings; nothing where one of the two states none."""
    if before is None or before.settings is None or settings is None:
        return Shift()
    names = dict.fromkeys((*settings, *before.settings))
    moved = (Moved(name, before.settings.get(name), settings.get(name)) for name in names)
    stages = dict.fromkeys((*before.without, *without))
    return Shift(
        tuple(one for one in moved if one.before != one.after),
        tuple(Stage(name, name in without) for name in stages if (name in without) != (name in before.without)),
    )


def shifts(found: Sequence[Event]) -> tuple[Shift, ...]:
    """For each event what is other than at the latest one before it that states its settings."""
    last: Event | None = None
    made: list[Shift] = []
    for event in found:
        made.append(shift(last, event.settings, event.without))
        last = event if event.settings is not None else last
    return tuple(made)


def latest(found: Sequence[Event]) -> Event | None:
    """The latest event that states its settings."""
    return next((event for event in reversed(found) if event.settings is not None), None)


def tried(found: Sequence[Event]) -> int:
    """How many settings were measured in these events."""
    return sum(event.tried for event in found)

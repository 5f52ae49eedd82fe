"""Files of JSON lines to which is only ever added: one writer at a time, each line whole or not at all, what broke off named and not read.

One JSON object in each line; the files are readable without this program.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from retrieval.errors import BadInput

_LOCK = ".lock"
_PATIENCE = 10.0
"""Seconds to wait for another writer: a line is written in milliseconds."""
_TORN = "truncated"
"""What the library says of the beginning of an object, and of nothing else."""
_BLANK = b"\x00\r\t "
"""What is no text: a file system may fill with NUL what it had not written when the power went."""
One = TypeVar("One")


class Lines(msgspec.Struct, Generic[One], frozen=True):
    """What a file holds, oldest first, and the numbers (from 1) of the lines on which writing broke off half-way."""

    found: tuple[One, ...] = ()
    torn: tuple[int, ...] = ()


def append(path: Path, value: msgspec.Struct) -> None:
    """Write one object at the end of a file, whole or not at all.

    What another program left half-written stays, on a line of its own. Raises BadInput where nothing can be written.
    """
    line = _line(path, value)
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


def _line(path: Path, value: msgspec.Struct) -> bytes:
    try:
        return msgspec.json.encode(value) + b"\n"
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
        raise BadInput(f"{path.name}: somebody else is writing this file. Nothing was written. Try again in a moment.") from cause
    try:
        yield
    finally:
        lock.release()


def read(path: Path, kind: type[One], called: str) -> Lines[One]:
    """All lines of a file as objects of this kind; none where there is no file.

    A line on which writing broke off is named and not read. Raises BadInput for any other line that is no such object, which the message
    calls ``called``.
    """
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as cause:
        raise BadInput(f"{path.name}: found a file that cannot be read ({cause.strerror}). Check the path and the rights.") from cause
    found: list[One] = []
    torn: list[int] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip(_BLANK)
        try:
            if text:
                found.append(msgspec.json.decode(text, type=kind))
            elif b"\x00" in line:
                torn.append(number)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if _TORN not in str(error):
                raise BadInput(
                    f"{path.name}, line {number}: found no {called} ({error}); expected one JSON object that this version knows. "
                    "Read it with the version that wrote it, or mend the line."
                ) from None
            torn.append(number)
    return Lines(tuple(found), tuple(torn))

"""The protocol of a tuning session: who did what, when and why, line by line, and never changed afterwards.

One file for each question set, one JSON object in each line. It is readable without this program.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from retrieval.errors import BadInput
from retrieval.knobs import Value

Act = Literal["imported", "changed", "judged", "moved", "measured", "compared", "swept", "revealed", "remarked", "decided"]
"""``moved``: settings were changed. ``revealed``: the held-out half was looked at. ``remarked``: somebody wrote something down."""


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


_LOCK = threading.Lock()


def moment(now: datetime | None = None) -> str:
    """Now, as an event has it."""
    return (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")


def append(path: Path, event: Event) -> None:
    """Write one event at the end of a protocol. Raises BadInput where nothing can be written."""
    line = msgspec.json.encode(event) + b"\n"
    try:
        with _LOCK:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:  # one write at the end of the file: lines of two writers do not mix
                file.write(line)
    except OSError as cause:
        raise BadInput(
            f"{path.name}: nothing can be written to {path.parent} ({cause.strerror}). Check the path and the rights."
        ) from cause


def events(path: Path) -> tuple[Event, ...]:
    """All events of a protocol, oldest first; none where there is no file. Raises BadInput for a line that is no event."""
    if not path.exists():
        return ()
    found: list[Event] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(msgspec.json.decode(line, type=Event))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{path.name}, line {number}: found no event ({error}); expected one JSON object. Mend the line.") from None
    return tuple(found)

"""The protocol of a tuning session: who did what, when and why, line by line, and never changed afterwards.

One file for each question set, one JSON object in each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from retrieval.evaluation import jsonlines
from retrieval.knobs import Value

Act = Literal["imported", "changed", "judged", "moved", "measured", "compared", "swept", "revealed", "remarked", "decided"]
"""``moved``: settings were changed. ``revealed``: the held-out half was looked at. ``remarked``: somebody wrote something down."""


class Event(msgspec.Struct, frozen=True):
    """One thing that was done. ``when`` is UTC in ISO form with seconds; ``who`` a name that a person gave.

    ``set_fingerprint`` is that of the set then; ``settings`` are all values in force after it, None where it has none. ``details`` are
    what the words of the act speak of. ``tried`` counts the settings that this act measured. ``why`` is the reason in a person's words.
    ``aside`` says that its settings were only looked at beside those in force, for a comparison.
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
    aside: bool = False


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


# --- the file ---------------------------------------------------------------------------------------------------------


def append(path: Path, event: Event) -> None:
    """Write one event at the end of a protocol, whole or not at all. Raises BadInput where nothing can be written."""
    jsonlines.append(path, event)


def read(path: Path) -> Protocol:
    """A protocol with what is wrong in it; an empty one where there is no file. Errors as for ``jsonlines.read``."""
    lines = jsonlines.read(path, Event, "event")
    return Protocol(lines.found, lines.torn)


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
    """For each event what is other than at the latest one before it that states the settings in force."""
    last: Event | None = None
    made: list[Shift] = []
    for event in found:
        made.append(shift(last, event.settings, event.without))
        last = event if _states(event) else last
    return tuple(made)


def latest(found: Sequence[Event]) -> Event | None:
    """The latest event that states the settings in force."""
    return next((event for event in reversed(found) if _states(event)), None)


def _states(event: Event) -> bool:
    return event.settings is not None and not event.aside


def tried(found: Sequence[Event]) -> int:
    """How many settings were measured in these events."""
    return sum(event.tried for event in found)

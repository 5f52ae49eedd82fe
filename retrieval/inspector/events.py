"""What there is to see along a track: its events in order, values to jump to, and the intervals in which a hit stands in the list."""

from __future__ import annotations

from typing import Literal

import msgspec

from retrieval.inspector.tracks import Change, Track

MOST_DIGITS = 4
"""A value that a person sets has at most so many digits behind the decimal sign."""
Ids = tuple[str, ...]


class Event(msgspec.Struct, frozen=True):
    """One event on a track.

    ``passing``: the list is another one before and after this value; the change reads upwards. ``exactly``: only at this very value
    stands a list that stands on neither side; the change leads from the side to it. ``refused``: this very value is no setting.
    ``back`` is the same for who comes from the right: read downwards, or from the right side.
    """

    kind: Literal["passing", "exactly", "refused"]
    change: Change
    back: Change

    @property
    def at(self) -> float:
        """Where it happens."""
        return self.change.at

    @property
    def size(self) -> int:
        """How many hits come, leave or change their place."""
        return len(self.change.enters) + len(self.change.leaves) + len(self.change.moves)


class Standing(msgspec.Struct, frozen=True):
    """Where one hit stands in the list.

    ``place`` is that at the value in force, 0 for none; ``spans`` are the intervals of the range, from left to right, neighbours joined;
    empty for a hit that stands in the list at single values only. ``share`` is their part of the range, from 0 to 1.
    """

    chunk_id: str
    place: int
    spans: tuple[tuple[float, float], ...]
    share: float


class Along(msgspec.Struct, frozen=True):
    """What there is to see along one track.

    ``landings`` are values to jump to, rising, of at most ``MOST_DIGITS`` digits: for each stretch between two points the shortest number
    in it, nearest to its middle, and each point that is such a number and has a list of its own. ``narrow`` counts the stretches in which
    no such number lies.
    """

    track: Track
    events: tuple[Event, ...]
    landings: tuple[float, ...]
    standings: tuple[Standing, ...]
    narrow: int = 0


def along(track: Track) -> Along:
    """Events, values to jump to and hits of a track."""
    found = events(track)
    short = [_short(low, high) for low, high in zip(track.points, track.points[1:], strict=False)]
    inside = {value for value in short if value is not None}
    own = {event.at for event in found if event.kind == "exactly" and round(event.at, MOST_DIGITS) == event.at}
    return Along(track, found, tuple(sorted(inside | own)), standings(track), len(short) - len(inside))


def events(track: Track) -> tuple[Event, ...]:
    """All events, from left to right; the ends of the range have one where the list exactly there is not the list beside it."""
    found: list[Event] = []
    for place, point in enumerate(track.points):
        sides = track.between[max(place - 1, 0) : place + 1]
        here = track.at[place]
        if sides[0] != sides[-1]:
            found.append(Event("passing", _change(point, sides[0], sides[-1]), _change(point, sides[-1], sides[0])))
        if here is None:
            found.append(Event("refused", Change(point), Change(point)))
        elif here not in sides:
            found.append(Event("exactly", _change(point, sides[0], here), _change(point, sides[-1], here)))
    return tuple(found)


def _change(at: float, before: Ids, after: Ids) -> Change:
    """The change from one list to another, as a track of these two lists has it."""
    return Track("", at, (at, at, at), (before, after), (None, None, None)).changes[0]


def _short(low: float, high: float) -> float | None:
    """If a number of so many digits lies inside, then the one nearest to the middle does."""
    middle = (low + high) / 2
    return next((short for digits in range(MOST_DIGITS + 1) if low < (short := round(middle, digits)) < high), None)


def standings(track: Track) -> tuple[Standing, ...]:
    """Every hit that stands in the list anywhere: those of the list in force in its order, then the others, the widest share first."""
    spans: dict[str, list[tuple[float, float]]] = {}
    for place, ids in enumerate(track.between):
        low, high = track.points[place], track.points[place + 1]
        for chunk_id in ids:
            held = spans.setdefault(chunk_id, [])
            held.append((held.pop()[0] if held and held[-1][1] == low else low, high))
    for ids in filter(None, track.at):
        for chunk_id in ids:
            spans.setdefault(chunk_id, [])
    here = {chunk_id: place for place, chunk_id in enumerate(track.list_at(track.value) or (), start=1)}
    width = (track.high - track.low) or 1.0
    found = [Standing(one, here.get(one, 0), tuple(runs), sum(high - low for low, high in runs) / width) for one, runs in spans.items()]
    return tuple(sorted(found, key=lambda one: (one.place or len(here) + 1, -one.share)))

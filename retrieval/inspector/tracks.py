"""Tracks: the exact values of one setting at which the final list changes, and the lists between them."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

import msgspec

CONTINUOUS = ("weight_vector", "weight_lexical", "weight_reranker", "rrf_k", "verweis_score", "min_ratio")
"""The settings that have a track."""


class Moved(msgspec.Struct, frozen=True):
    """One hit whose place changes; places count from 1, 0 = not in the list."""

    chunk_id: str
    before: int
    after: int


class Change(msgspec.Struct, frozen=True):
    """What happens where a setting passes ``at`` upwards: who comes in, who leaves, who changes place among those that stay."""

    at: float
    enters: tuple[Moved, ...] = ()
    leaves: tuple[Moved, ...] = ()
    moves: tuple[Moved, ...] = ()


class Track(msgspec.Struct, frozen=True, dict=True):
    """One setting over its whole range, everything else as it is in force.

    ``points`` are the low end, the breakpoints in rising order, and the high end. ``between[i]`` is the final list (chunk ids, best
    first) for every value strictly between ``points[i]`` and ``points[i + 1]``; ``at[i]`` the list exactly at ``points[i]``, None where
    the setting is refused there. ``value`` is the value in force. ``works`` is false for a setting that the run does not use.
    """

    knob: str
    value: float
    points: tuple[float, ...]
    between: tuple[tuple[str, ...], ...]
    at: tuple[tuple[str, ...] | None, ...]
    works: bool = True

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The values at which the list changes, without the ends of the range."""
        return self.points[1:-1]

    @property
    def low(self) -> float:
        """The low end of the range."""
        return self.points[0]

    @property
    def high(self) -> float:
        """The high end of the range."""
        return self.points[-1]

    def list_at(self, value: float) -> tuple[str, ...] | None:
        """The final list at ``value``; None where the setting is refused or out of range."""
        if not self.low <= value <= self.high:
            return None
        place = bisect_left(self.points, value)
        return self.at[place] if self.points[place] == value else self.between[place - 1]

    def stable(self) -> tuple[float, float]:
        """The interval around the value in force in which the list does not change; both ends equal where it stands on a breakpoint."""
        place = bisect_left(self.points, self.value)
        if self.points[place] != self.value:
            return self.points[place - 1], self.points[place]
        here = self.at[place]
        low, high = self.value, self.value
        if place and self.between[place - 1] == here:
            low = self.points[place - 1]
        if place < len(self.between) and self.between[place] == here:
            high = self.points[place + 1]
        return low, high

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What happens at each breakpoint, from left to right."""
        return tuple(_change(point, self.between[place], self.between[place + 1]) for place, point in enumerate(self.breakpoints))

    def share(self, chunk_id: str) -> float:
        """Over how much of the range, from 0 to 1, this hit stands in the list."""
        width = self.high - self.low
        held = sum(self.points[place + 1] - self.points[place] for place, ids in enumerate(self.between) if chunk_id in ids)
        return held / width if width else 0.0


def _change(at: float, before: tuple[str, ...], after: tuple[str, ...]) -> Change:
    old = {chunk_id: place for place, chunk_id in enumerate(before, start=1)}
    new = {chunk_id: place for place, chunk_id in enumerate(after, start=1)}
    return Change(
        at,
        tuple(Moved(one, 0, place) for one, place in new.items() if one not in old),
        tuple(Moved(one, place, 0) for one, place in old.items() if one not in new),
        tuple(Moved(one, old[one], place) for one, place in new.items() if one in old and old[one] != place),
    )

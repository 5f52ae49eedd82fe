"""Staircases: a figure over all questions of a set as a function of one setting, exact, because the lists between breakpoints are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import msgspec

from retrieval.inspector.tracks import Track

Ids = tuple[str, ...]
Score = Callable[[str, Ids], float | None]
"""What a list is worth for a question (its id), or None where the question has no figure."""
_EQUAL = 1e-12


class Flip(msgspec.Struct, frozen=True):
    """One question whose figure changes where the setting passes a step upwards."""

    question: str
    before: float
    after: float


class Plateau(msgspec.Struct, frozen=True):
    """A stretch of the setting with one and the same figure; both ends equal where it is a single value."""

    low: float
    high: float
    value: float

    @property
    def width(self) -> float:
        """How far the setting can move on it."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """The value that is furthest from both ends."""
        return (self.low + self.high) / 2


class Staircase(msgspec.Struct, frozen=True):
    """The mean figure of ``count`` questions over the range of one setting.

    ``points`` are the low end, the steps in rising order, and the high end; ``between[i]`` is the mean strictly between ``points[i]`` and
    ``points[i + 1]``, ``at[i]`` that exactly at ``points[i]`` (None where the setting is refused there). ``flips[i]`` are the questions
    that change at the step ``points[i + 1]``. ``without`` are the questions that have no figure.
    """

    knob: str
    points: tuple[float, ...]
    between: tuple[float, ...]
    at: tuple[float | None, ...]
    flips: tuple[tuple[Flip, ...], ...]
    count: int
    without: tuple[str, ...] = ()

    def value_at(self, value: float) -> float | None:
        """The mean at a value of the setting; None where it is refused or out of range."""
        if not self.points[0] <= value <= self.points[-1]:
            return None
        place = bisect_left(self.points, value)
        return self.at[place] if self.points[place] == value else self.between[place - 1]

    def plateaus(self) -> tuple[Plateau, ...]:
        """The range cut into stretches of one mean each, from left to right; steps that stand alone are stretches of no width."""
        found: list[Plateau] = []
        pieces: list[tuple[float, float, float | None]] = []
        for place, point in enumerate(self.points):
            pieces.append((point, point, self.at[place]))
            if place < len(self.between):
                pieces.append((point, self.points[place + 1], self.between[place]))
        for low, high, value in pieces:
            if value is None:
                continue
            if found and found[-1].high == low and abs(found[-1].value - value) <= _EQUAL:
                found[-1] = Plateau(found[-1].low, high, value)
            else:
                found.append(Plateau(low, high, value))
        return tuple(found)

    def best(self) -> Plateau:
        """The widest of the stretches with the highest mean, the first among equally wide ones."""
        every = self.plateaus()
        top = max(one.value for one in every)
        return max((one for one in every if top - one.value <= _EQUAL), key=lambda one: one.width)


def staircase(tracks: Mapping[str, Track], score: Score) -> Staircase:
    """The mean of ``score`` over the questions whose tracks these are (by question id), all of one setting.

    Raises ValueError without a track, or for tracks of several settings.
    """
    knobs = {(track.knob, track.low, track.high) for track in tracks.values()}
    if len(knobs) != 1:
        raise ValueError(f"Staircase: found tracks of {len(knobs)} settings; expected at least one track, and all of one setting.")
    ((knob, low, high),) = knobs
    steps = {question: _Steps(track, question, score) for question, track in tracks.items()}
    counted = {question: one for question, one in steps.items() if one.has_figure}
    without = tuple(question for question in tracks if question not in counted)
    inner = sorted({point for one in counted.values() for point in one.points if low < point < high})
    points = (low, *inner, high)
    middles = [(left + right) / 2 for left, right in pairwise(points)]
    between = tuple(_mean([one.value_at(middle) for one in counted.values()]) or 0.0 for middle in middles)
    at = tuple(_mean([one.value_at(point) for one in counted.values()]) for point in points)
    flips = tuple(tuple(_flips(counted, left, right)) for left, right in pairwise(middles))
    return Staircase(knob, points, between, at, flips, len(counted), without)


class _Steps:
    """The figure of one question over the setting; each different list is scored once."""

    def __init__(self, track: Track, question: str, score: Score) -> None:
        known: dict[Ids, float | None] = {}

        def of(ids: Ids | None) -> float | None:
            if ids is None:
                return None
            if ids not in known:
                known[ids] = score(question, ids)
            return known[ids]

        self.track = track
        self._between = [of(ids) for ids in track.between]
        self._at = [of(ids) for ids in track.at]
        self.has_figure = any(value is not None for value in self._between)

    @property
    def points(self) -> list[float]:
        """The points at which the figure of this question changes, or has another value only there."""
        found = []
        for place, point in enumerate(self.track.points):
            sides = self._between[max(place - 1, 0) : place + 1]
            if len({*sides, self._at[place]}) > 1:
                found.append(point)
        return found

    def value_at(self, value: float) -> float | None:
        place = bisect_left(self.track.points, value)
        if self.track.points[place] == value:
            return self._at[place]
        return self._between[bisect_right(self.track.points, value) - 1]


def _mean(values: list[float | None]) -> float | None:
    """The mean; None where one of the figures is refused."""
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found and len(found) == len(values) else None


def _flips(counted: Mapping[str, _Steps], left: float, right: float) -> Iterator[Flip]:
    for question, one in counted.items():
        before, after = one.value_at(left), one.value_at(right)
        if before is not None and after is not None and before != after:
            yield Flip(question, before, after)

"""A sweep of one setting without gaps: the exact staircase from the tracks of all questions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from retrieval.evaluation.staircase import Plateau, Staircase, staircase
from retrieval.evaluation.sweeps.bench import Bench, Steps, Vector
from retrieval.evaluation.sweeps.comparing import EQUAL, Alike
from retrieval.evaluation.sweeps.model import Line, Stretch
from retrieval.evaluation.sweeps.ways import Found
from retrieval.inspector.breakpoints import track
from retrieval.inspector.tracks import Track
from retrieval.settings import KNOBS

_GROWTH = 1.5
"""A line so far is put together again when so many times the questions are there: their sum costs as much as two or three lines."""
_AT_ONCE = 16
_DIGITS = 6


class LineWay:
    """The way of one setting that moves freely."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._knob = bench, bench.spec.knobs[0]
        self._present = float(bench.spec.settings.value(self._knob))
        self._tuned: dict[str, Track] = {}
        self._held: dict[str, Track] = {}
        self._found = Found()
        self._tracks_there = 0

    def compute(self) -> Steps:
        """One track for each question, those that are tuned with first."""
        todo = [*((one, self._tuned) for one in self._bench.tuned), *((one, self._held) for one in self._bench.held)]
        for done, (question_id, tracks) in enumerate(todo, start=1):
            try:
                made = track(self._bench.pools[question_id], self._bench.spec.settings, self._knob, self._bench.spec.without)
                self._learn(question_id, made)
                tracks[question_id] = made
            except Exception as error:
                self._bench.fail(question_id, error)
            if len(self._tuned) > _GROWTH * len(self._found.measured):
                self._put_together()
            yield done, len(todo)

    def _learn(self, question_id: str, made: Track) -> None:
        """Score all lists of a track in one call, so that the staircase finds them known."""
        listed = dict.fromkeys((*made.between, *(ids for ids in made.at if ids is not None)))
        self._bench.scorer.values([(question_id, ids) for ids in listed])

    def test(self) -> Steps:
        """Compare every stretch of the setting with the best."""
        self._put_together()
        line = self._found.line
        if line is None:
            return
        alike = Alike(self._figures(line.chosen) or ())
        pieces = list(_pieces(line.staircase))
        stretches: list[Stretch] = []
        joined = False
        for done, (low, high, value) in enumerate(pieces, start=1):
            figures = self._figures(value)
            fits = figures is not None and alike.holds(figures)
            if fits:
                stretches.append(Stretch(stretches.pop().low if joined else low, high))
            joined = fits
            if done % _AT_ONCE == 0:
                yield done, len(pieces)
        self._found = replace(self._found, line=replace(line, alike=tuple(stretches)))
        yield len(pieces), len(pieces)

    def _figures(self, value: float) -> Vector | None:
        """The figures of all questions at a value of the setting; None where it is refused."""
        listed = [(question_id, made.list_at(value)) for question_id, made in self._tuned.items()]
        values = self._bench.scorer.values([(question_id, ids) for question_id, ids in listed if ids is not None])
        known = tuple(one for one in values if one is not None)
        return known if len(known) == len(listed) else None

    def found(self, *, at_end: bool) -> Found:
        """The line over the questions whose tracks are there."""
        if at_end:
            self._put_together()
        return self._found

    def _put_together(self) -> None:
        there = len(self._tuned) + len(self._held)
        if not self._tuned or there == self._tracks_there:
            return
        self._tracks_there = there
        stairs = staircase(self._tuned, self._bench.scorer.value)
        best = stairs.best()
        chosen = chosen_value(stairs, best, self._present, KNOBS[self._knob].step)
        held = staircase(self._held, self._bench.scorer.value) if self._held else None
        self._found = Found(
            measured=tuple(self._tuned),
            line=Line(stairs, self._present, best, chosen, held=held),
            values={self._knob: chosen},
            present=stairs.value_at(self._present),
            reached=stairs.value_at(chosen),
            tried=len(stairs.plateaus()),
        )


def chosen_value(stairs: Staircase, best: Plateau, in_force: float, step: float) -> float:
    """The value to take: that in force where none is better, else the middle of the best plateau, as a round number where one is there."""
    here = stairs.value_at(in_force)
    if here is not None and best.value - here <= EQUAL:
        return in_force
    rounded = round(round(best.middle / step) * step, _DIGITS)
    there = stairs.value_at(rounded)
    inside = best.low <= rounded <= best.high and there is not None and abs(best.value - there) <= EQUAL
    return rounded if inside else best.middle


def _pieces(stairs: Staircase) -> Iterator[tuple[float, float, float]]:
    """The points of a staircase and the stretches between them, from left to right: both ends, and a value to look at."""
    for left, right in pairwise(stairs.points):
        yield left, left, left
        yield left, right, (left + right) / 2
    yield stairs.points[-1], stairs.points[-1], stairs.points[-1]

"""The bench of a sweep: the questions with what was gathered for them, and their figures under any settings."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from retrieval.decide import decide
from retrieval.evaluation.assertions import assertions
from retrieval.evaluation.golds import CheckedSet
from retrieval.evaluation.judging import Judgements
from retrieval.evaluation.model import Question
from retrieval.evaluation.report import Failed
from retrieval.evaluation.sweeps.asking import places, shapes
from retrieval.evaluation.sweeps.model import Spec
from retrieval.evaluation.sweeps.scoring import Ids, Scorer, asks
from retrieval.inspector import grids
from retrieval.inspector.grids import Grid
from retrieval.model import Address, Chunk
from retrieval.settings import Settings
from retrieval.trace import Pool, Stamps

log = logging.getLogger(__name__)
Gather = Callable[[str, Settings], Pool]
"""Asks the corpora one question (its text) under some settings."""
Vector = tuple[float, ...]
"""One figure for each question."""
Steps = Iterator[tuple[int, int]]
"""What is done, step by step: how many of how many."""
_DEMANDED = "demanded"
_MOST_KERNELS = 4000
"""So many kernels are kept at most: one takes about a tenth of a megabyte for 2,000 candidates."""


class Bench:
    """The questions of a sweep that can be measured: ``tuned`` and ``held`` out, by their ids, in the order of the specification."""

    def __init__(self, spec: Spec, checked: CheckedSet, judgements: Judgements) -> None:
        self.spec, self.questions = spec, {one.id: one for one in checked.settled.questions}
        self.pools: dict[str, Pool] = {}
        self.failed: list[Failed] = []
        self.partial: list[str] = []
        self.without_figure: list[str] = []
        self._chunks: dict[str, Mapping[str, Chunk]] = {}
        self._demanded: dict[str, Sequence[Address]] = {}
        self._grids: dict[str, Grid] = {}
        self._keeps = shapes(spec) * len(self.questions) <= _MOST_KERNELS
        self.scorer = Scorer(checked, spec.goal, self._chunks, places(spec), judgements, self._demanded)

    @property
    def tuned(self) -> tuple[str, ...]:
        """The questions to tune with that have a figure and have not failed."""
        return tuple(one for one in self.spec.questions if one in self.pools)

    @property
    def held(self) -> tuple[str, ...]:
        """The same of the questions held out."""
        return tuple(one for one in self.spec.held_out if one in self.pools)

    @property
    def stamps(self) -> tuple[Stamps, ...]:
        """What the runs rest on; more than one where the stock changed meanwhile."""
        return tuple(dict.fromkeys(pool.stamps for pool in self.pools.values()))

    # --- gathering ----------------------------------------------------------------------------------------------------

    def gather(self, ask: Gather) -> Steps:
        """Ask every question once; one of which the goal asks nothing is not asked, as far as the set alone tells."""
        every = (*self.spec.questions, *self.spec.held_out)
        for done, question_id in enumerate(every, start=1):
            question = self.questions[question_id]
            if self.spec.goal.metric != _DEMANDED and not asks(self.spec.goal, question):
                self._nothing_asked(question_id)
            else:
                try:
                    self._take(question, ask(question.text, self.spec.settings))
                except Exception as error:
                    self.fail(question_id, error)
            yield done, len(every)

    def _take(self, question: Question, pool: Pool) -> None:
        trace = decide(pool, self.spec.settings, without=self.spec.without)
        demanded = [cell.norm for cell in assertions(question, trace)]
        if trace.partial:
            self.partial.append(question.id)
        if not asks(self.spec.goal, question, demanded):
            self._nothing_asked(question.id)
            return
        self.pools[question.id] = pool
        self._chunks[question.id] = pool.chunks
        self._demanded[question.id] = demanded

    def _nothing_asked(self, question_id: str) -> None:
        if question_id in self.spec.questions:
            self.without_figure.append(question_id)

    def fail(self, question_id: str, error: Exception) -> None:
        """A question that could not be run: it is named, and out of every figure."""
        log.error("a question of the sweep could not be run", exc_info=error)
        self.pools.pop(question_id, None)
        question = self.questions[question_id]
        self.failed.append(Failed(question.id, question.text, type(error).__name__, str(error)[:500]))

    # --- figures ------------------------------------------------------------------------------------------------------

    def figures(self, ids: Sequence[str], settings: Sequence[Settings]) -> dict[str, list[float | None]]:
        """For each question its figure under each of the settings, None where one is refused; a question that fails is left out."""
        table = grids.Table(settings)
        found: dict[str, list[Ids | None]] = {}
        for question_id in ids:
            try:
                found[question_id] = self._grid(question_id).lists(table)
            except Exception as error:
                self.fail(question_id, error)
        asked = [(question_id, one) for question_id, listed in found.items() for one in listed if one is not None]
        values = dict(zip(asked, self.scorer.values(asked), strict=True))
        return {question_id: [None if one is None else values[question_id, one] for one in listed] for question_id, listed in found.items()}

    def _grid(self, question_id: str) -> Grid:
        if question_id in self._grids:
            return self._grids[question_id]
        made = Grid(self.pools[question_id], self.spec.without)
        if self._keeps:
            self._grids[question_id] = made
        return made


class Table:
    """The figures of some questions under more and more settings; a question that fails is taken out of all of it."""

    def __init__(self, bench: Bench, ids: Sequence[str]) -> None:
        self._bench = bench
        self._columns: dict[str, list[float | None]] = {one: [] for one in ids}
        self.means: list[float | None] = []

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions, in order."""
        return tuple(self._columns)

    def add(self, settings: Sequence[Settings]) -> None:
        """Measure these settings too."""
        new = self._bench.figures(self.ids, settings)
        failed = [one for one in self._columns if one not in new]
        for one in failed:
            del self._columns[one]
        for one, values in new.items():
            self._columns[one].extend(values)
        size = len(self.means) + len(settings)
        start = 0 if failed else len(self.means)
        self.means[start:] = [mean_of(self.vector(place)) for place in range(start, size)]

    def vector(self, place: int) -> Vector | None:
        """The figures of all questions under the setting at this place (from 0); None where it is refused, or no question is there."""
        values = [column[place] for column in self._columns.values()]
        known = tuple(value for value in values if value is not None)
        return known if known and len(known) == len(values) else None


def mean_of(vector: Vector | None) -> float | None:
    """The mean of the figures; None for none."""
    return math.fsum(vector) / len(vector) if vector else None

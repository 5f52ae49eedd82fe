"""Scoring: what a final list is worth for a question, for many lists at once.

Most lists that a sweep meets are worth the same: they differ in places on which nobody has an opinion. So lists are told apart only by the
norms that they hold where, each such pattern is judged once, and the patterns of many questions go to the library in one call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from retrieval.errors import BadInput
from retrieval.evaluation.golds import CheckedSet
from retrieval.evaluation.judging import NO_JUDGEMENTS, JudgedList, Judgements, judge
from retrieval.evaluation.metrics import METRICS, Values
from retrieval.evaluation.model import Question, covers
from retrieval.evaluation.statistics import Estimate, mean, share
from retrieval.evaluation.sweeps.model import COST, Goal
from retrieval.model import Address, Chunk

Ids = tuple[str, ...]
Pattern = tuple[tuple[int, ...], ...]
"""For each place the norms (by their number in the question) that stand there."""
Measure = Callable[[Sequence[JudgedList], int], Values]


def goals() -> tuple[str, ...]:
    """What a sweep can aim at: every metric of which more is better, and the cost."""
    return (*(name for name, metric in METRICS.items() if metric.compared), COST)


def cost(lists: Sequence[JudgedList], k: int, hits_per_norm: float) -> Values:
    """1 minus the cost of each list divided by the highest possible cost, so 1 is best and 0 worst; None for a question without needs.

    The cost is ``hits_per_norm`` for each need that the whole list leaves unfulfilled, and 1 for each superfluous place: one without a norm
    that helps. The highest possible: no need fulfilled, and ``k`` superfluous places.
    """
    return [_thrift(one, k, hits_per_norm) if one.grades else None for one in lists]


def _thrift(one: JudgedList, k: int, hits_per_norm: float) -> float:
    missing = sum(place is None for place in one.first_places)
    superfluous = sum(not place.relevant for place in one.places)
    return 1 - (hits_per_norm * missing + superfluous) / (hits_per_norm * len(one.grades) + k)


def measure_of(goal: Goal) -> Measure:
    """The function that measures a goal. Raises BadInput for a goal that there is not, or a cost that is none."""
    if goal.metric == COST:
        if not (math.isfinite(goal.hits_per_norm) and goal.hits_per_norm > 0):
            raise BadInput(
                f"Cost of a missing norm: found {goal.hits_per_norm:g}, expected a number above 0. Say how many superfluous hits it weighs."
            )
        return lambda lists, k: cost(lists, k, goal.hits_per_norm)
    if goal.metric not in goals():
        raise BadInput(f"Goal of a sweep: found {goal.metric[:40]!r}, expected one of {', '.join(goals())}. Name one of them.")
    return METRICS[goal.metric].of


def estimate_of(goal: Goal, values: Sequence[float]) -> Estimate:
    """The mean of a goal's values with its interval, of the same kind as a report has it."""
    shared = goal.metric != COST and METRICS[goal.metric].kind == "share"
    return share(values) if shared else mean(values)


def asks(goal: Goal, question: Question, demanded: Sequence[Address] = ()) -> bool:
    """Whether a question has a figure for this goal: whatever list it gets, or none at all."""
    return measure_of(goal)([judge(question, (), (), demanded)], 1)[0] is not None


class Scorer:
    """What lists are worth for a goal: exactly what ``evaluate`` finds with the same ``k``.

    ``chunks`` holds the chunks of each question by its id and theirs; ``demanded`` the norms that anchors demand, by question id. ``k`` is
    the number of places that metrics with a cut look at, and the length of the longest list that a cost can meet: in a sweep the highest
    ``max_final_results`` in play.
    """

    def __init__(
        self,
        checked: CheckedSet,
        goal: Goal,
        chunks: Mapping[str, Mapping[str, Chunk]],
        k: int,
        judgements: Judgements = NO_JUDGEMENTS,
        demanded: Mapping[str, Sequence[Address]] | None = None,
    ) -> None:
        self._measure, self._chunks, self._k = measure_of(goal), chunks, k
        self._judgements, self._demanded = judgements, demanded or {}
        self._questions = {one.id: one for one in checked.settled.questions}
        self._norms: dict[str, tuple[Address, ...]] = {}
        self._signs: dict[str, dict[str, tuple[int, ...]]] = {}
        self._patterns: dict[tuple[str, Pattern], float | None] = {}
        self._known: dict[tuple[str, Ids], float | None] = {}

    def value(self, question_id: str, ids: Ids) -> float | None:
        """What one list (chunk ids, best first) is worth; None where the question does not enter."""
        return self.values([(question_id, ids)])[0]

    def values(self, asked: Iterable[tuple[str, Ids]]) -> Values:
        """What many lists are worth, each with the id of its question."""
        wanted = list(asked)
        new = {one: self._pattern(*one) for one in dict.fromkeys(wanted) if one not in self._known}
        self._learn({(one[0], pattern): one[1] for one, pattern in new.items() if (one[0], pattern) not in self._patterns})
        self._known.update((one, self._patterns[one[0], pattern]) for one, pattern in new.items())
        return [self._known[one] for one in wanted]

    def _learn(self, examples: Mapping[tuple[str, Pattern], Ids]) -> None:
        """The value of each pattern, from one list that has it."""
        if examples:
            judged = [self._judged(question_id, ids) for (question_id, _), ids in examples.items()]
            self._patterns.update(zip(examples, self._measure(judged, self._k), strict=True))

    def _judged(self, question_id: str, ids: Ids) -> JudgedList:
        chunks = self._chunks[question_id]
        judgements = self._judgements.get(question_id, ())
        return judge(self._questions[question_id], (chunks[one] for one in ids), judgements, self._demanded.get(question_id, ()))

    def _pattern(self, question_id: str, ids: Ids) -> Pattern:
        signs = self._signs.setdefault(question_id, {})
        for one in ids:
            if one not in signs:
                signs[one] = self._sign(question_id, self._chunks[question_id][one])
        return tuple(signs[one] for one in ids)

    def _sign(self, question_id: str, chunk: Chunk) -> tuple[int, ...]:
        """Which norms that anybody has an opinion on stand in a chunk; nothing else of it can matter."""
        if question_id not in self._norms:
            golds = [gold for need in self._questions[question_id].needs for gold in need.any_of]
            others = self._judgements.get(question_id, ())
            self._norms[question_id] = (*(gold.address for gold in (*golds, *others)), *self._demanded.get(question_id, ()))
        return tuple(number for number, norm in enumerate(self._norms[question_id]) if covers(norm, chunk))

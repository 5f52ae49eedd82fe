"""The decision gap: between which values a threshold on a decision score tells right from wrong, and which questions leave it no more room.

Decision scores are raw cosines. A question is **right** when the hit of its list with the highest decision score is a gold norm. A good
threshold lets the right ones pass (their value reaches it) and the others not. So the values of the questions alone say which thresholds
do the same: from just above one value up to the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from retrieval.evaluation.model import Question, covers
from retrieval.evaluation.statistics import Interval, wilson
from retrieval.model import Address
from retrieval.ranking import Entry
from retrieval.trace import Trace

Quantity = Literal["min_gap", "min_score"]
QUANTITIES: tuple[Quantity, ...] = ("min_gap", "min_score")
"""``min_gap``: the distance of the two highest decision scores of the list. ``min_score``: the highest one."""
RANGES: dict[Quantity, tuple[float, float]] = {"min_gap": (0.0, 2.0), "min_score": (-1.0, 1.0)}
"""Between which values each of them lies, both ends included: cosines lie between -1 and 1."""


_LEAST = 0.001
_DIGITS = 12  # 0.2 - 0.1 and 0.4 - 0.3 are one width


class Observed(msgspec.Struct, frozen=True):
    """One question with a run: its values (None: the list has too few hits with a decision score), and whether it is right.

    ``norm`` is that of the hit with the highest decision score, None where there is none.
    """

    question_id: str
    question: str
    right: bool
    min_gap: float | None = None
    min_score: float | None = None
    norm: Address | None = None

    def value(self, quantity: Quantity) -> float | None:
        """The value of one quantity."""
        return self.min_gap if quantity == "min_gap" else self.min_score


class Span(msgspec.Struct, frozen=True):
    """The thresholds above ``low`` up to ``high``, which all do the same; None where nothing bounds them. ``mistakes`` of that many."""

    low: float | None
    high: float | None
    mistakes: int

    def holds(self, threshold: float) -> bool:
        """Whether this threshold is one of them."""
        return (self.low is None or self.low < threshold) and (self.high is None or threshold <= self.high)


class Gap(msgspec.Struct, frozen=True):
    """All thresholds of one quantity over some questions.

    ``spans`` cover every threshold, from left to right; ``best`` is the one with the fewest mistakes: of several one that is bounded on
    both sides, then the widest, then the first. ``contradicting`` are the questions that no threshold satisfies all of: right ones that
    reach no more than a wrong one does, and those wrong ones. ``without_value`` were run and have no value, ``without_gold`` nobody knows.
    """

    quantity: Quantity
    observed: tuple[Observed, ...]
    spans: tuple[Span, ...]
    best: Span | None
    contradicting: tuple[str, ...] = ()
    without_value: tuple[str, ...] = ()
    without_gold: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether one threshold makes no mistake."""
        return self.best is not None and self.best.mistakes == 0

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest threshold that make sense."""
        return RANGES[self.quantity]


class Choice(msgspec.Struct, frozen=True):
    """What one threshold does. ``below`` and ``above`` are the room on both sides until a question changes sides, None where none does.

    ``pins_below`` and ``pins_above`` are those questions. ``refused`` are right and do not pass, ``passed`` are wrong and do.
    ``errors`` is Wilson's interval of the share of such mistakes among all ``n``; None without a question.
    """

    threshold: float
    n: int
    span: Span
    below: float | None
    above: float | None
    pins_below: tuple[str, ...]
    pins_above: tuple[str, ...]
    refused: tuple[str, ...]
    passed: tuple[str, ...]
    errors: Interval | None

    @property
    def mistakes(self) -> int:
        """How many questions end on the wrong side."""
        return len(self.refused) + len(self.passed)


# --- from a run -------------------------------------------------------------------------------------------------------


def observed(question: Question, trace: Trace) -> Observed | None:
    """The values of one question from its run; None for a question without gold, of which nobody knows whether it is right.

    ``question`` has its gold norms as the stock spells them. Among equal decision scores the hit further up counts.
    """
    if not question.needs:
        return None
    scored = sorted(((one.cosine, one) for one in trace.final if one.cosine is not None), key=lambda pair: -pair[0])
    if not scored:
        return Observed(question.id, question.text, right=False)
    best = scored[0][1]
    gap = scored[0][0] - scored[1][0] if len(scored) > 1 else None
    right = _is_gold(question, best, trace)
    return Observed(question.id, question.text, right, gap, scored[0][0], trace.chunks[best.chunk_id].address)


def _is_gold(question: Question, entry: Entry, trace: Trace) -> bool:
    chunk = trace.chunks[entry.chunk_id]
    return any(covers(gold.address, chunk) for need in question.needs for gold in need.any_of)


# --- over a set -------------------------------------------------------------------------------------------------------


def gap(quantity: Quantity, questions: Iterable[Observed], without_gold: Sequence[str] = ()) -> Gap:
    """All thresholds of one quantity; ``without_gold`` are the ids of questions that nobody knows the answer to."""
    every = tuple(questions)
    known = tuple(one for one in every if one.value(quantity) is not None)
    values = sorted({_value(one, quantity) for one in known})
    spans = tuple(_span(low, high, known, quantity) for low, high in pairwise((None, *values, None)))
    best = (
        min(spans, key=lambda one: (one.mistakes, one.low is None or one.high is None, -round(_width(one, quantity), _DIGITS)))
        if known
        else None
    )
    nothing = tuple(one.question_id for one in every if one.value(quantity) is None)
    return Gap(quantity, known, spans, best, _contradicting(known, quantity), nothing, tuple(without_gold))


def _value(one: Observed, quantity: Quantity) -> float:
    value = one.value(quantity)
    if value is None:
        raise ValueError(f"{one.question_id}: found no {quantity}, expected a question with one. Leave it out.")
    return value


def _span(low: float | None, high: float | None, known: Sequence[Observed], quantity: Quantity) -> Span:
    passes = {one.question_id: low is None or _value(one, quantity) > low for one in known}
    return Span(low, high, sum(passes[one.question_id] != one.right for one in known))


def _width(span: Span, quantity: Quantity) -> float:
    low, high = _ends(span, quantity)
    return high - low


def _ends(span: Span, quantity: Quantity) -> tuple[float, float]:
    low, high = RANGES[quantity]
    return low if span.low is None else span.low, high if span.high is None else span.high


def _contradicting(known: Sequence[Observed], quantity: Quantity) -> tuple[str, ...]:
    right, wrong = ([_value(one, quantity) for one in known if one.right is side] for side in (True, False))
    if not right or not wrong:
        return ()
    lowest, highest = min(right), max(wrong)
    return tuple(one.question_id for one in known if (_value(one, quantity) <= highest if one.right else _value(one, quantity) >= lowest))


def middle(found: Gap) -> float | None:
    """The threshold with the most room on both sides in the best stretch; None where no question has a value.

    In a stretch without an end it stands a little beyond the last value: a tenth of what lies between all values.
    """
    if found.best is None:
        return None
    low, high = found.best.low, found.best.high
    values = [_value(one, found.quantity) for one in found.observed]
    beyond = max((max(values) - min(values)) / 10, _LEAST)
    if low is None or high is None:
        return low + beyond if low is not None else (high or 0.0) - beyond
    return (low + high) / 2


def choice(found: Gap, threshold: float) -> Choice:
    """What a threshold does, whichever it is."""
    known, quantity = found.observed, found.quantity
    span = next((one for one in found.spans if one.holds(threshold)), Span(None, None, 0))
    refused = tuple(one.question_id for one in known if one.right and _value(one, quantity) < threshold)
    passed = tuple(one.question_id for one in known if not one.right and _value(one, quantity) >= threshold)
    return Choice(
        threshold,
        len(known),
        span,
        None if span.low is None else threshold - span.low,
        None if span.high is None else span.high - threshold,
        tuple(one.question_id for one in known if _value(one, quantity) == span.low),
        tuple(one.question_id for one in known if _value(one, quantity) == span.high),
        refused,
        passed,
        wilson(len(refused) + len(passed), len(known)) if known else None,
    )

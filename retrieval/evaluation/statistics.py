"""How sure one can be of a figure: intervals, tests between two settings, and how many questions a difference needs.

Everything is computed from one value per question. Resampling is seeded, so the same values give the same numbers. The level is the
confidence of an interval (0.95: it misses the true value in one of twenty sets of questions); a test at that level calls a difference
real when chance alone would bring one as large in less than ``1 - level`` of all cases.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
POWER = 0.8
RESAMPLES = 10_000
SEED = 0
Numbers = NDArray[np.float64]
Method = Literal["wilson", "bootstrap", "bound", "none"]
Verdict = Literal["better", "worse", "not_distinguishable", "equal", "no_questions"]
_ROUNDING = 1e-12
_FEWEST = 10


class Interval(msgspec.Struct, frozen=True):
    """The values between which the true one lies at the level asked for, both ends included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


class Estimate(msgspec.Struct, frozen=True):
    """A mean over ``n`` questions with its interval; ``value`` and ``interval`` are None where no question entered.

    ``method``: ``wilson`` for shares of questions, ``bootstrap`` for means of other values, ``bound`` for such means of few values or
    without any spread.
    """

    value: float | None
    n: int
    interval: Interval | None = None
    method: Method = "none"


class Effect(msgspec.Struct, frozen=True):
    """What a second setting changes against a first, over the ``n`` questions that have a value under both.

    ``difference`` is second minus first, on average; ``p`` the chance of a difference at least as large, in either direction, if the
    settings were equally good; ``adjusted`` the same after ``holm`` over everything that was compared at once. ``needed`` is the number of
    questions at which a difference as large as this one would be found (see ``questions_needed``), among so many comparisons at that; None
    where there is no difference.
    """

    difference: float | None
    n: int
    interval: Interval | None
    p: float
    adjusted: float
    verdict: Verdict
    needed: int | None = None

    @property
    def more(self) -> int | None:
        """How many more questions would be needed; 0 where there are enough."""
        return None if self.needed is None else max(0, self.needed - self.n)


class Tried(msgspec.Struct, frozen=True):
    """How many settings were tried in a session, and the chance that a test calls one different where all are equally good."""

    settings: int
    chance: float


# --- intervals --------------------------------------------------------------------------------------------------------


def wilson(successes: float, n: int, level: float = LEVEL) -> Interval:
    """The interval of a share of ``successes`` in ``n`` questions. Raises ValueError for a share that is none.

    Reference: E. B. Wilson, Probable Inference, JASA 22, 1927.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"wilson: found {successes} of {n}, expected a number from 0 to n of at least one question.")
    z, share = _z((1 + level) / 2), successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At both ends the arithmetic gives the share itself, but for the last digit.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return Interval(max(0.0, low), min(1.0, high))


def bootstrap(values: Sequence[float], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The percentile interval of a mean: the questions are drawn again with replacement, ``resamples`` times.

    Raises ValueError without a value. Reference: B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    if not values:
        raise ValueError("bootstrap: found no value, expected at least one. Give a figure without questions no interval.")
    means = np.asarray(values, np.float64)[_draws(len(values), resamples, seed)].mean(axis=1)
    low, high = np.percentile(means, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(low), float(high))


@lru_cache(maxsize=4)
def _draws(n: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """Which questions are drawn: one row of ``n`` places for each resample."""
    return np.random.default_rng(seed).integers(0, n, (resamples, n))


def share(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """The share of questions with the value 1 among values of 0 and 1, with Wilson's interval."""
    if not values:
        return Estimate(None, 0)
    return Estimate(math.fsum(values) / len(values), len(values), wilson(math.fsum(values), len(values), level), "wilson")


def mean(values: Sequence[float], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED) -> Estimate:
    """The mean of values from 0 to 1, with its bootstrap interval, or Wilson's as a bound.

    Values that are all equal leave a bootstrap nothing to vary, and fewer than ten too little: its interval would claim more than they
    know. Wilson's is taken then, and is wide enough, for no values from 0 to 1 spread more than those of 0 and 1 with the same mean.
    """
    if not values:
        return Estimate(None, 0)
    value, n = math.fsum(values) / len(values), len(values)
    if n < _FEWEST or max(values) == min(values):
        return Estimate(value, n, wilson(min(n * value, n), n, level), "bound")
    return Estimate(value, n, bootstrap(values, level, resamples, seed), "bootstrap")


# --- two settings -----------------------------------------------------------------------------------------------------


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The interval of the mean difference, second minus first; each question is drawn with both of its values."""
    return bootstrap(_differences(first, second), level, resamples, seed)


def randomisation_test(first: Sequence[float], second: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED) -> float:
    """The chance, from 0 to 1, of a mean difference at least as large in either direction if the settings were equally good.

    Were they, each question could as well have its two values exchanged. All exchanges are tried where there are at most ``resamples``
    of them, else so many are drawn, and the real one counts among them.

    Reference: M. Smucker, J. Allan and B. Carterette, A Comparison of Statistical Significance Tests for IR Evaluation, CIKM 2007.
    """
    moved = np.array([one for one in _differences(first, second) if one], np.float64)
    if not moved.size:
        return 1.0
    found = abs(moved.sum()) * (1 - _ROUNDING) - _ROUNDING
    if 2**moved.size <= resamples:
        signs = np.array(list(product((-1.0, 1.0), repeat=moved.size)))
        return float(np.mean(np.abs(signs @ moved) >= found))
    bits = np.unpackbits(np.frombuffer(np.random.default_rng(seed).bytes(-(-resamples * moved.size // 8)), np.uint8))
    signs = 2.0 * bits[: resamples * moved.size].reshape(resamples, moved.size) - 1.0
    return float((np.sum(np.abs(signs @ moved) >= found) + 1) / (resamples + 1))


def holm(chances: Sequence[float]) -> tuple[float, ...]:
    """The chances of several tests made at once, raised so that one real-looking accident in all of them stays rare; in their order.

    Reference: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    raised = [0.0] * len(chances)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda one: chances[one])):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        raised[place] = highest
    return tuple(raised)


def effect(first: Sequence[float], second: Sequence[float], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED) -> Effect:
    """What the second setting changes; ``first`` and ``second`` hold the values of the same questions in the same order."""
    found = _differences(first, second)
    if not found:
        return Effect(None, 0, None, 1.0, 1.0, "no_questions")
    difference = math.fsum(found) / len(found)
    interval = bootstrap(found, level, resamples, seed) if len(found) > 1 else None
    p = randomisation_test(first, second, resamples, seed)
    needed = _needed(first, second, level)
    return _judged(Effect(difference, len(found), interval, p, p, "equal" if not any(found) else "not_distinguishable", needed), level)


def _needed(first: Sequence[float], second: Sequence[float], level: float) -> int | None:
    found = _differences(first, second)
    return questions_needed(found, math.fsum(found) / len(found), level=level)


def effects(
    pairs: Iterable[tuple[Sequence[float], Sequence[float]]], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[Effect, ...]:
    """The effects of several comparisons made at once, each judged by its chance after ``holm``.

    ``needed`` is what the strictest step of ``holm`` needs, which the first of them must pass.
    """
    every = list(pairs)
    alone = [effect(first, second, level, resamples, seed) for first, second in every]
    asked = [one for one in alone if one.n]
    raised = iter(holm([one.p for one in asked]))
    strict = 1 - (1 - level) / max(1, len(asked))
    return tuple(
        _judged(msgspec.structs.replace(one, adjusted=next(raised), needed=_needed(*pair, strict)), level) if one.n else one
        for one, pair in zip(alone, every, strict=True)
    )


def _judged(one: Effect, level: float) -> Effect:
    """The same with its verdict: a difference must be too large for chance and its interval must not hold 0."""
    if one.verdict == "equal" or one.difference is None:
        return one
    real = one.adjusted <= 1 - level and one.interval is not None and 0 not in one.interval
    verdict: Verdict = "not_distinguishable" if not real else "better" if one.difference > 0 else "worse"
    return msgspec.structs.replace(one, verdict=verdict)


def questions_needed(differences: Sequence[float], difference: float, power: float = POWER, level: float = LEVEL) -> int | None:
    """How many questions a mean ``difference`` needs to be found in ``power`` of all cases; None for none, and without any spread.

    n = ((z of (1 + level) / 2 + z of power) · s / difference)², rounded up, where s is the standard deviation of the differences per
    question seen so far: the normal approximation of the paired test. Reference: J. Cohen, Statistical Power Analysis, 1988, chapter 2.
    """
    if abs(difference) < _ROUNDING or len(differences) < 2:
        return None
    spread = float(np.std(np.asarray(differences, np.float64), ddof=1))
    if spread < _ROUNDING:
        return None
    return math.ceil(((_z((1 + level) / 2) + _z(power)) * spread / difference) ** 2)


def _differences(first: Sequence[float], second: Sequence[float]) -> list[float]:
    if len(first) != len(second):
        raise ValueError(f"Two settings: found {len(first)} and {len(second)} values, expected those of the same questions.")
    # Values such as 1/3 + 1/3 and 2/3 differ in their last digit and mean the same.
    found = (after - before for before, after in zip(first, second, strict=True))
    return [0.0 if abs(one) < _ROUNDING else one for one in found]


@lru_cache
def _z(share_below: float) -> float:
    return NormalDist().inv_cdf(share_below)


# --- tuning without fooling oneself -----------------------------------------------------------------------------------


def held_out(question_id: str, salt: str = "") -> bool:
    """Whether a question is kept out of tuning: by its id alone, so that further questions move none to the other side."""
    return hashlib.sha256(f"{salt}\x1f{question_id}".encode()).digest()[0] % 2 == 1


def halves(question_ids: Iterable[str], salt: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids to tune with, and those held out; about half each, in their order."""
    ids = tuple(question_ids)
    return tuple(one for one in ids if not held_out(one, salt)), tuple(one for one in ids if held_out(one, salt))


def tried(settings: int, level: float = LEVEL) -> Tried:
    """How far the number of settings tried weakens what a single test says: ``1 - level ** settings`` is its chance to err at most.

    That is exact for settings that have nothing to do with each other; neighbours on one scale err together and less often
    (Z. Šidák, JASA 62, 1967).
    """
    if settings < 0:
        raise ValueError(f"tried: found {settings} settings, expected 0 or more.")
    return Tried(settings, 1 - level**settings)

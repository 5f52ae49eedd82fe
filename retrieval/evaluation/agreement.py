"""Agreement: how far judges say the same of the same norms.

Krippendorff's alpha is 1 where all agree and 0 where they agree as often as chance alone would have it. His own thresholds stand here
(Content Analysis, ch. 12): from 0.8 on judgements can be relied on; from 0.667 on they allow careful conclusions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

import msgspec

from retrieval.evaluation.verdicts import GRADES, Verdict, in_force
from retrieval.model import Address

RELIABLE, TENTATIVE = 0.8, 0.667
FEWEST = 10
"""Norms that two judges have graded, below which alpha says nothing."""
Reading = Literal["none_shared", "few", "no_variation", "agree", "partly", "differ"]
"""``none_shared``: no norm was graded by two. ``few``: fewer than FEWEST were. ``no_variation``: all grades are the same, so chance cannot
be told from agreement. ``agree`` from RELIABLE on, ``partly`` from TENTATIVE on, else ``differ``."""
Unit = tuple[str, Address]


class Pair(msgspec.Struct, frozen=True):
    """Two judges: how many norms both have graded, and on how many of them they gave the same grade."""

    first: str
    second: str
    n: int
    equal: int

    @property
    def share(self) -> float | None:
        """The share of equal grades, None where they have no norm in common."""
        return self.equal / self.n if self.n else None


class Agreement(msgspec.Struct, frozen=True):
    """The agreement of all judges. ``units`` are the norms that at least two have graded; ``alpha`` is None where it would say nothing."""

    judges: tuple[str, ...]
    units: int
    alpha: float | None
    reading: Reading
    pairs: tuple[Pair, ...] = ()


def agreement(lines: Iterable[Verdict]) -> Agreement:
    """How far judges agree on the norms that they have graded; "cannot judge" counts as no grade."""
    grades = _grades(lines)
    judges = tuple(sorted({judge for said in grades.values() for judge in said}))
    shared = [said for said in grades.values() if len(said) > 1]
    pairs = tuple(_pair(first, second, shared) for first, second in combinations(judges, 2))
    alpha = _alpha(shared, judges) if len(shared) >= FEWEST else None
    return Agreement(judges, len(shared), alpha, _reading(len(shared), alpha), pairs)


def _grades(lines: Iterable[Verdict]) -> Mapping[Unit, Mapping[str, int]]:
    found: dict[Unit, dict[str, int]] = defaultdict(dict)
    for one in in_force(lines):
        if one.grade is not None:
            found[one.question_id, one.address][one.judge] = one.grade
    return found


def _pair(first: str, second: str, shared: Iterable[Mapping[str, int]]) -> Pair:
    both = [said for said in shared if first in said and second in said]
    return Pair(first, second, len(both), sum(said[first] == said[second] for said in both))


def _alpha(shared: Sequence[Mapping[str, int]], judges: Sequence[str]) -> float | None:
    """Alpha for grades that have an order; None where every grade is the same, for which it is not defined."""
    import krippendorff
    import numpy as np

    if len({grade for said in shared for grade in said.values()}) < 2:
        return None
    table = [[said.get(judge, np.nan) for said in shared] for judge in judges]
    return float(krippendorff.alpha(np.array(table, dtype=float), value_domain=list(GRADES), level_of_measurement="ordinal"))


def _reading(units: int, alpha: float | None) -> Reading:
    if units < FEWEST:
        return "few" if units else "none_shared"
    if alpha is None:
        return "no_variation"
    if alpha >= RELIABLE:
        return "agree"
    return "partly" if alpha >= TENTATIVE else "differ"

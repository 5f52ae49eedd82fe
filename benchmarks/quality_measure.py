"""One question set under all systems: figures with intervals, the defaults against each other system, and where gold norms were lost."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import msgspec

from benchmarks.quality_flat import Flat
from benchmarks.quality_losses import Fate, Losses, fates, summed
from benchmarks.quality_sets import Half, Level, Taken, at_level, of_half
from benchmarks.quality_systems import DEFAULT, LONG, SHORT, Found, Product, System, changes
from benchmarks.quality_vectors import NotThere
from retrieval.evaluation.judging import JudgedList, judge
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Question
from retrieval.evaluation.statistics import Effect, Estimate, effects, mean, share
from retrieval.inspector.standing import Standings
from retrieval.knobs import Value
from retrieval.model import Chunk
from retrieval.trace import Trace

FIGURES: dict[str, tuple[str, int, Level]] = {
    "R@1": ("recall", 1, "absatz"),
    "R@5": ("recall", 5, "absatz"),
    "R@10": ("recall", SHORT, "absatz"),
    "R@50": ("recall", LONG, "absatz"),
    "R@10 norm": ("recall", SHORT, "norm"),
    "any@10 norm": ("success", SHORT, "norm"),
    "MRR": ("mrr", SHORT, "absatz"),
    "nDCG@10": ("ndcg", SHORT, "absatz"),
    "chain@10": ("chain_coverage", SHORT, "absatz"),
}
"""The columns: metric, places, and whether gold that names an Absatz asks for it or for its norm.

R@50 is that of a list of 50 places, all others are of the list of 10. any@10: any gold norm is there.
"""
COMPARED = ("R@10", "R@10 norm", "nDCG@10")
Values = dict[str, list[float | None]]


class Row(msgspec.Struct, frozen=True):
    """One system on one set.

    ``against`` says for each figure of ``COMPARED`` what the defaults change against this system, with its chance raised for so many
    comparisons (Holm). ``note`` stands where there is nothing to measure, or says what failed.
    """

    system: str
    settings: dict[str, Value]
    without: tuple[str, ...]
    routing: str
    figures: dict[str, Estimate] = {}
    against: dict[str, Effect] = {}
    losses: Losses | None = None
    note: str = ""


class SetReport(msgspec.Struct, frozen=True):
    """One question set: how many questions were measured of how many, what was left out and why, and the rows.

    ``slow``: the kernel did not decide as the product does, so every list was decided.
    """

    name: str
    half: Half
    questions: int
    of: int
    chains: int
    norms: int
    left_out: dict[str, int]
    questions_left_out: int
    rows: tuple[Row, ...] = ()
    slow: bool = False

    def row(self, system: str) -> Row | None:
        """The row of a system."""
        return next((row for row in self.rows if row.system == system), None)


def measured(taken: Taken, half: Half, wanted: Sequence[System], product: Product, flat: Flat, most: int = 0) -> SetReport:
    """A set under all systems; ``most`` questions of it where that is not 0."""
    questions = of_half(taken.questions, half, most)
    run = _Run(questions, product, flat)
    for system in wanted:
        if system.way != "product":
            run.flat(system)
    run.product([system for system in wanted if system.way == "product"])
    return SetReport(
        taken.name,
        half,
        len(questions),
        len(taken.questions),
        sum(one.chain for one in questions),
        taken.norms,
        taken.left_out,
        taken.questions_left_out,
        run.rows(wanted),
        product.slow,
    )


class _Run:
    """The lists of some questions, judged, system by system."""

    def __init__(self, questions: Sequence[Question], product: Product, flat: Flat) -> None:
        self._questions, self._product, self._flat = questions, product, flat
        self._lists: dict[tuple[str, int, Level], list[JudgedList]] = defaultdict(list)
        self._fates: dict[str, list[Fate]] = {}
        self._notes: dict[str, str] = {}

    # --- lists ----------------------------------------------------------------------------------------------------------

    def flat(self, system: System) -> None:
        """The lists of a system that is not the product."""
        if system.note:
            self._notes[system.name] = system.note
            return
        try:
            found = self._flat.lists(system)(self._questions)
        except NotThere as error:
            self._notes[system.name] = str(error)
            return
        for question, chunks in zip(self._questions, found, strict=True):
            self._keep(system.name, question, chunks[:SHORT], chunks)

    def product(self, wanted: Sequence[System]) -> None:
        """The lists of the product, question by question, so that no more than one question's candidates are held."""
        for number, question in enumerate(self._questions, start=1):
            asked, lists = self._product.ask(question, [one for one in wanted if one.name not in self._notes])
            for system in wanted:
                found = lists.get(system.name)
                if isinstance(found, Found):
                    self._keep(system.name, question, found.short, found.long)
                elif found is not None:
                    self._notes[system.name] = f"failed at question {question.id}: {type(found).__name__}: {found}"[:300]
                if system.explained and isinstance(found, Found):
                    self._fates.setdefault(system.name, []).extend(self._explained(question, asked.trace, system))
            if number % 20 == 0:
                print(f"  {number} of {len(self._questions)} questions", file=sys.stderr, flush=True)

    def _explained(self, question: Question, trace: Callable[..., Trace], system: System) -> list[Fate]:
        run = trace(system, SHORT)
        standings = Standings(question.text, self._product.federation, run.selection.selected)
        return fates(question.needs, run, lambda without: trace(system, SHORT, without), standings, self._flat.chunks)

    def _keep(self, system: str, question: Question, short: Sequence[Chunk], long: Sequence[Chunk]) -> None:
        for level in get_args(Level):
            asked = at_level(question, level)
            self._lists[system, SHORT, level].append(judge(asked, short))
            self._lists[system, LONG, level].append(judge(asked, long))

    # --- figures --------------------------------------------------------------------------------------------------------

    def rows(self, wanted: Sequence[System]) -> tuple[Row, ...]:
        values = {
            one.name: self._values(one.name) for one in wanted if (one.name, SHORT, "absatz") in self._lists and one.name not in self._notes
        }
        against = compared(values)
        return tuple(self._row(one, values.get(one.name), against.get(one.name, {})) for one in wanted)

    def _row(self, system: System, values: Values | None, against: dict[str, Effect]) -> Row:
        settings = dict(changes(system)) if system.way == "product" else {}
        note = self._notes.get(system.name, "" if values else "no questions in this half")
        lost = summed(self._fates[system.name]) if system.name in self._fates else None
        figures = {name: _estimate(name, [one for one in found if one is not None]) for name, found in (values or {}).items()}
        return Row(system.name, settings, system.without, system.routing, figures, against, lost, note)

    def _values(self, system: str) -> Values:
        return {name: METRICS[metric].values(self._lists[system, max(k, SHORT), level], k) for name, (metric, k, level) in FIGURES.items()}


def _estimate(figure: str, values: Sequence[float]) -> Estimate:
    return share(values) if METRICS[FIGURES[figure][0]].kind == "share" else mean(values)


def compared(values: Mapping[str, Values]) -> dict[str, dict[str, Effect]]:
    """What the defaults change against each other system, figure by figure; over the questions that have a figure under both."""
    usual = values.get(DEFAULT)
    others = [name for name in values if name != DEFAULT]
    if usual is None or not others:
        return {}
    found: dict[str, dict[str, Effect]] = {name: {} for name in others}
    for figure in COMPARED:
        pairs = [_pairs(values[name][figure], usual[figure]) for name in others]
        for name, effect in zip(others, effects(pairs), strict=True):
            found[name][figure] = effect
    return found


def _pairs(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[list[float], list[float]]:
    both = [(one, other) for one, other in zip(first, second, strict=True) if one is not None and other is not None]
    return [one for one, _ in both], [other for _, other in both]

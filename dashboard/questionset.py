"""A set of questions under two settings, one question after the other: it can be stopped, and goes on where it was."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

import msgspec

from dashboard.stock import Runs
from retrieval.decide import decide
from retrieval.inspector.comparison import QuestionChange, question_change
from retrieval.settings import Settings
from retrieval.trace import Trace

log = logging.getLogger(__name__)
Known = MutableMapping[Any, QuestionChange]
"""What is known already, by everything that it depends on."""
MOST_KNOWN = 2000


class Side(msgspec.Struct, frozen=True):
    """One of the two settings, under the title that it had when the set was started."""

    title: str
    settings: Settings
    without: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True):
    """A question that could not be run; the others go on."""

    question: str
    error_class: str
    message: str = ""


class SetRun(msgspec.Struct, frozen=True):
    """A set under way or done. ``stamp`` is the version of the stock that it began with; it ends where the stock changes."""

    questions: tuple[str, ...]
    a: Side
    b: Side
    stamp: str
    rows: tuple[QuestionChange, ...] = ()
    failed: tuple[Failed, ...] = ()
    stopped: bool = False

    @property
    def done(self) -> int:
        """How many questions were run, with those that failed."""
        return len(self.rows) + len(self.failed)

    @property
    def going(self) -> bool:
        """Whether there is something left to do that nobody stopped."""
        return not self.stopped and self.done < len(self.questions)


def advanced(run: SetRun, runs: Runs, known: Known) -> SetRun:
    """The set with one question more, or stopped where the stock is another one by now."""
    if runs.stamp != run.stamp:
        return stopped(run)
    question = run.questions[run.done]
    try:
        return msgspec.structs.replace(run, rows=(*run.rows, _row(question, run, runs, known)))
    except Exception as error:
        log.exception("a question of the set could not be run")
        return msgspec.structs.replace(run, failed=(*run.failed, Failed(question, type(error).__name__, str(error))))


def stopped(run: SetRun) -> SetRun:
    """The set as it is; what was run stays."""
    return msgspec.structs.replace(run, stopped=True)


def continued(run: SetRun) -> SetRun:
    """The set under way again."""
    return msgspec.structs.replace(run, stopped=False)


def _row(question: str, run: SetRun, runs: Runs, known: Known) -> QuestionChange:
    key = (run.stamp, question, *(msgspec.json.encode((side.settings, side.without)) for side in (run.a, run.b)))
    if key not in known:
        row = question_change(_trace(question, run.a, runs), _trace(question, run.b, runs))
        if row.partial:  # what failed may go well the next time
            return row
        if len(known) >= MOST_KNOWN:
            known.pop(next(iter(known)))
        known[key] = row
    return known[key]


def _trace(question: str, side: Side, runs: Runs) -> Trace:
    return decide(runs.pool(question, side.settings), side.settings, without=side.without)

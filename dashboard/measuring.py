"""Reports of a set on the page: made once for each setting and version of everything that they rest on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import msgspec

from dashboard.tuning import Tuning
from retrieval.decide import decide
from retrieval.evaluation.evaluate import evaluate
from retrieval.evaluation.judging import NO_JUDGEMENTS, Judgements
from retrieval.evaluation.report import Report
from retrieval.settings import Settings
from retrieval.trace import Trace

_MOST = 64
_reports: OrderedDict[bytes, Report] = OrderedDict()
_lock = threading.Lock()
Watch = Callable[[int, int], None]
"""Told after each question how many of how many were run."""


def report(
    tuning: Tuning,
    settings: Settings | None = None,
    without: Sequence[str] | None = None,
    judgements: Judgements = NO_JUDGEMENTS,
    watch: Watch | None = None,
    k: int | None = None,
) -> Report:
    """What a setting makes of the set; the settings and stages in force where none are given.

    ``k``: the places that are looked at; as many as the list has where none are given.
    """
    used = settings or tuning.settings
    left_out = tuple(tuning.state.without if without is None else without)
    # A copy has the bytes of another set, and a report says whose it is.
    version = (tuning.loaded.questions.name, tuning.loaded.seen)
    what = (str(tuning.index), tuning.runs.stamp, version, used.flat(), left_out, tuple(judgements.items()), k)
    key = msgspec.json.encode(what)
    with _lock:
        known = _reports.get(key)
    if known is not None:
        return known
    every = len(tuning.checked.questions)
    done = 0

    def run(question: str) -> Trace:
        nonlocal done
        trace = decide(tuning.runs.pool(question, used), used, without=left_out)
        done += 1
        if watch is not None:
            watch(done, every)
        return trace

    found = evaluate(tuning.checked, run, k=k, judgements=judgements)
    if not found.failed and not found.partial:  # what failed may go well the next time
        with _lock:
            _reports[key] = found
            while len(_reports) > _MOST:
                _reports.popitem(last=False)
    return found

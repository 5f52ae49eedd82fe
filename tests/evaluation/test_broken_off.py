"""Writers that die without a word: after each file that they put in place, what is there is whole and can be worked with."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from retrieval.evaluation import sets
from retrieval.evaluation.decision_files import Folder, store, stored
from retrieval.evaluation.desk import Desk, Watch
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.sweeps.model import Goal, Spec, Sweep
from retrieval.settings import Settings
from tests.evaluation.decided import made, signed
from tests.evaluation.question_sets import question

OLD, NEW = QuestionSet("fragen", (question("a"),)), QuestionSet("fragen", (question("a"), question("b")))

SPEC = Spec("search", ("min_ratio",), Goal(), Settings(), "fragen", "hash", ("q1", "q2"))


def rows(done: int) -> Sweep:
    """A sweep that tried so many settings."""
    return Sweep(SPEC, tried=done)


def killed(work: Callable[[], object], before: int) -> bool:
    """Run this in a process of its own that is killed when it puts its file number ``before`` (from 1) in place; whether it was."""

    def dying() -> None:
        put, count = os.replace, 0

        def replace(source: Path, target: Path) -> None:
            nonlocal count
            count += 1
            if count == before:
                os.kill(os.getpid(), signal.SIGKILL)
            put(source, target)

        os.replace = replace  # type: ignore[assignment]
        work()

    process = multiprocessing.get_context("fork").Process(target=dying)
    process.start()
    process.join(20)
    return process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("before", [1, 2])
def test_a_set_whose_writer_is_killed_is_the_old_one_and_can_be_written_at_once(tmp_path: Path, before: int) -> None:
    path = tmp_path / "fragen.toml"
    old = sets.save(path, OLD, "")
    assert killed(lambda: sets.save(path, NEW, old.seen), before)
    assert sets.load(path) == old
    assert {sets.version(path, one.name).seen for one in sets.history(path)} >= {old.seen}
    new = sets.save(path, NEW, old.seen)
    assert sets.load(path) == new
    assert sets.restore(path, old.seen[:12], new.seen).questions == OLD


@pytest.mark.parametrize("before", [1, 2, 3])
def test_a_decision_whose_writer_is_killed_is_not_there_and_hides_no_other(tmp_path: Path, before: int) -> None:
    assert killed(lambda: store(tmp_path, made()), before)
    assert stored(tmp_path) == Folder()
    other = store(tmp_path, made(told=signed(name="Anders benannt")))
    assert stored(tmp_path) == Folder((other,))


@pytest.mark.parametrize("before", [2, 3, 4])
def test_a_sweep_whose_process_is_killed_while_writing_is_broken_off_with_what_was_kept(tmp_path: Path, before: int) -> None:
    def work(watch: Watch) -> Sweep:
        for done in range(1, 10):
            watch(rows(done))
        return rows(10)

    def sweep() -> None:
        desk = Desk(tmp_path, pause=0.0)
        desk.start(SPEC, work)
        time.sleep(10)

    assert killed(sweep, before)
    desk = Desk(tmp_path, pause=0.0)
    shelf = desk.sweeps("fragen")
    (kept,) = shelf.kept
    assert (kept.sweep.state, kept.sweep.tried, shelf.broken) == ("interrupted", before - 2, ())
    again = desk.start(SPEC, lambda watch: rows(10))
    assert [one.sweep.id for one in desk.sweeps("fragen").kept] == [again, kept.sweep.id]

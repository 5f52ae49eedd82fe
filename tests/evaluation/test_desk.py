"""The desk: one sweep at a time beside everything else, kept while it runs, stopped with what is finished, never taken for another's."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from retrieval.errors import BadInput
from retrieval.evaluation.desk import Desk, Kept, Shelf, SweepBusy, Watch, Work
from retrieval.evaluation.sweeps.model import Field, Goal, Progress, Spec, Sweep
from retrieval.settings import Settings

ROOT = Path(__file__).parents[2]
NAME = "fragen"


def spec(set_name: str = NAME, knob: str = "min_ratio") -> Spec:
    return Spec("two", (knob, "verweis_score"), Goal(), Settings(), set_name, "hash", ("q1", "q2"))


def rows(done: int, used: Spec) -> Sweep:
    """A sweep with so many rows of a grid with ten."""
    means = tuple((0.5, 0.25) if row < done else (None, None) for row in range(10))
    field = Field((0.0, 1.0), tuple(row / 9 for row in range(10)), means, 2 * done, 20)
    return Sweep(used, progress=Progress("computing", done, 10, done / 10), field=field, tried=2 * done)


class Steps:
    """Work in ten steps, each of which waits until the test lets it go on; ``done`` counts those that were told of."""

    def __init__(self, used: Spec) -> None:
        self.used, self.go, self.done = used, threading.Semaphore(0), 0

    def __call__(self, watch: Watch) -> Sweep:
        for step in range(1, 11):
            assert self.go.acquire(timeout=5)
            on = watch(rows(step, self.used))
            self.done = step
            if not on:
                return msgspec.structs.replace(rows(step, self.used), state="stopped")
        return msgspec.structs.replace(rows(10, self.used), state="finished")

    def let(self, steps: int) -> None:
        self.go.release(steps)


def until(true: Callable[[], bool]) -> None:
    for _ in range(1000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come about within ten seconds")


def only(shelf: Shelf) -> Kept:
    assert len(shelf.kept) == 1
    return shelf.kept[0]


def at_once(used: Spec) -> Work:
    return lambda watch: msgspec.structs.replace(rows(10, used), state="finished")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path / "sweeps", pause=0.0, patience=0.5)
    yield found
    running = found.running()
    if running is not None:
        found.stop(running.id)


def ended(desk: Desk) -> None:
    until(lambda: desk.running() is None)


def test_a_sweep_runs_beside_its_caller_and_is_shown_as_far_as_it_is(desk: Desk) -> None:
    steps = Steps(spec())
    sweep_id = desk.start(spec(), steps)
    first = only(desk.sweeps(NAME))
    assert (first.sweep.id, first.sweep.state, first.here, first.sweep.field) == (sweep_id, "running", True, None)
    steps.let(3)
    until(lambda: only(desk.sweeps(NAME)).sweep.tried == 6)
    running = desk.running()
    assert running is not None
    assert running.progress.share == 0.3
    assert running.started.endswith("+00:00")
    steps.let(7)
    ended(desk)
    last = only(desk.sweeps(NAME))
    assert (last.sweep.state, last.sweep.tried, last.here, last.unsaved) == ("finished", 20, False, "")
    assert last.sweep.seconds > 0


def test_a_finished_sweep_survives_the_process(desk: Desk) -> None:
    desk.start(spec(), at_once(spec()))
    ended(desk)
    assert Desk(desk.folder).sweeps(NAME) == desk.sweeps(NAME)


def test_a_running_sweep_is_on_disk_before_it_ends(desk: Desk) -> None:
    steps = Steps(spec())
    sweep_id = desk.start(spec(), steps)
    path = desk.folder / f"{sweep_id}.json"
    assert msgspec.json.decode(path.read_bytes(), type=Sweep).state == "running"
    steps.let(4)
    until(lambda: msgspec.json.decode(path.read_bytes(), type=Sweep).tried == 8)


def test_the_file_of_a_running_sweep_is_written_once_in_a_pause_and_at_the_end(tmp_path: Path) -> None:
    desk = Desk(tmp_path, pause=3600)
    steps = Steps(spec())
    path = tmp_path / f"{desk.start(spec(), steps)}.json"
    steps.let(9)
    until(lambda: (now := desk.running()) is not None and now.tried == 18)
    assert msgspec.json.decode(path.read_bytes(), type=Sweep).tried == 2
    steps.let(1)
    ended(desk)
    assert msgspec.json.decode(path.read_bytes(), type=Sweep).tried == 20


def test_a_stopped_sweep_keeps_its_finished_rows_and_is_marked(tmp_path: Path) -> None:
    desk = Desk(tmp_path, pause=0.0, patience=20.0)
    steps = Steps(spec())
    sweep_id = desk.start(spec(), steps)
    steps.let(3)
    until(lambda: steps.done == 3)
    threading.Timer(0.1, steps.let, [1]).start()
    stopped = desk.stop(sweep_id)
    assert (stopped.state, stopped.tried) == ("stopped", 8)
    assert stopped.field is not None
    assert [row for row in stopped.field.means if None not in row] == [(0.5, 0.25)] * 4
    assert only(Desk(desk.folder).sweeps(NAME)).sweep == stopped


def test_a_step_that_takes_too_long_is_not_waited_for_and_nothing_starts_beside_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, pause=0.0, patience=0.2)
    steps = Steps(spec())
    sweep_id = desk.start(spec(), steps)
    steps.let(2)
    until(lambda: steps.done == 2 and only(desk.sweeps(NAME)).sweep.tried == 4)
    began = time.monotonic()
    stopped = desk.stop(sweep_id)
    assert time.monotonic() - began < 2
    assert (stopped.state, stopped.tried, desk.running()) == ("stopped", 4, None)
    with pytest.raises(SweepBusy):
        desk.start(spec(), at_once(spec()))
    steps.let(1)
    until(lambda: not any(thread.name == f"sweep {sweep_id}" for thread in threading.enumerate()))
    assert only(desk.sweeps(NAME)).sweep == stopped
    desk.start(spec(), at_once(spec()))
    ended(desk)
    assert [one.sweep.state for one in desk.sweeps(NAME).kept] == ["finished", "stopped"]


def test_a_second_sweep_is_refused_and_the_one_that_runs_is_named(desk: Desk) -> None:
    steps = Steps(spec())
    desk.start(spec(), steps)
    with pytest.raises(SweepBusy, match="min_ratio, verweis_score over fragen"):
        desk.start(spec("andere"), at_once(spec("andere")))
    assert desk.sweeps("andere") == Shelf()
    assert only(desk.sweeps(NAME)).sweep.state == "running"


def test_a_failed_sweep_says_why_and_keeps_what_it_has(desk: Desk) -> None:
    def work(watch: Watch) -> Sweep:
        watch(rows(2, spec()))
        raise ZeroDivisionError("nothing to divide")

    desk.start(spec(), work)
    ended(desk)
    failed = only(desk.sweeps(NAME)).sweep
    assert (failed.state, failed.tried, failed.error) == ("failed", 4, "ZeroDivisionError: nothing to divide")
    desk.start(spec(), at_once(spec()))
    ended(desk)
    assert [one.sweep.state for one in desk.sweeps(NAME).kept] == ["finished", "failed"]


def test_a_refusal_keeps_its_own_sentence(desk: Desk) -> None:
    def work(watch: Watch) -> Sweep:
        raise BadInput("Setting fetch_k: found one that asks the corpora again.")

    desk.start(spec(), work)
    ended(desk)
    assert only(desk.sweeps(NAME)).sweep.error == "Setting fetch_k: found one that asks the corpora again."


def test_sweeps_stand_newest_first_and_only_those_of_the_set(desk: Desk) -> None:
    ids = []
    for name in (NAME, "andere", NAME):
        ids.append(desk.start(spec(name), at_once(spec(name))))
        ended(desk)
    assert [one.sweep.id for one in desk.sweeps(NAME).kept] == [ids[2], ids[0]]
    assert [one.sweep.id for one in desk.sweeps("andere").kept] == [ids[1]]


def test_a_broken_file_is_named_and_hides_no_other(desk: Desk) -> None:
    desk.start(spec(), at_once(spec()))
    ended(desk)
    (desk.folder / "halb.json").write_text('{"spec": {"kind"', "utf-8")
    (desk.folder / "kein.json").write_bytes(b"\xff\xfe")
    (desk.folder / "tief.json").write_bytes(b'{"neu": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    found = desk.sweeps(NAME)
    assert len(found.kept) == 1
    assert [one.name for one in found.broken] == ["tief.json", "kein.json", "halb.json"]
    assert all("found no sweep" in one.message and "Read it with the version that wrote it" in one.message for one in found.broken)


def test_a_changed_file_is_read_again(desk: Desk) -> None:
    sweep_id = desk.start(spec(), at_once(spec()))
    ended(desk)
    other = Desk(desk.folder)
    assert only(other.sweeps(NAME)).sweep.tried == 20
    path = desk.folder / f"{sweep_id}.json"
    path.write_bytes(msgspec.json.encode(rows(7, spec())))
    assert only(other.sweeps(NAME)).sweep.tried == 14


def test_a_sweep_whose_process_is_gone_is_interrupted_with_what_it_has(desk: Desk) -> None:
    desk.folder.mkdir()
    (desk.folder / "20260101T000000.000000Z.json").write_bytes(msgspec.json.encode(rows(3, spec())))
    found = only(desk.sweeps(NAME))
    assert (found.sweep.state, found.here, found.sweep.tried) == ("interrupted", False, 6)
    desk.start(spec(), at_once(spec()))
    ended(desk)
    states = [msgspec.json.decode(path.read_bytes(), type=Sweep).state for path in sorted(desk.folder.glob("*.json"))]
    assert states == ["interrupted", "finished"]


_OTHER = """
import sys, time
from pathlib import Path
from retrieval.evaluation.desk import Desk
from tests.evaluation.test_desk import rows, spec

def work(watch):
    watch(rows(3, spec()))
    print("ready", flush=True)
    time.sleep(60)
    return rows(3, spec())

Desk(Path(sys.argv[1]), pause=0.0).start(spec(), work)
time.sleep(60)
"""


def test_a_sweep_of_another_process_is_shown_as_such_until_that_process_dies(desk: Desk) -> None:
    command = [sys.executable, "-c", _OTHER, str(desk.folder)]
    other = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        found = only(desk.sweeps(NAME))
        assert (found.sweep.state, found.here, found.sweep.tried, desk.running()) == ("running", False, 6, None)
        with pytest.raises(SweepBusy, match="min_ratio"):
            desk.start(spec(), at_once(spec()))
        with pytest.raises(BadInput, match="where it was started"):
            desk.stop(found.sweep.id)
    finally:
        other.kill()
        other.communicate()
    assert only(desk.sweeps(NAME)).sweep.state == "interrupted"
    desk.start(spec(), at_once(spec()))
    ended(desk)


def test_two_desks_of_one_process_do_not_take_each_others_sweep_for_their_own(desk: Desk) -> None:
    steps = Steps(spec())
    desk.start(spec(), steps)
    other = Desk(desk.folder)
    assert (only(other.sweeps(NAME)).sweep.state, only(other.sweeps(NAME)).here) == ("running", False)
    with pytest.raises(SweepBusy):
        other.start(spec(), at_once(spec()))


def test_an_end_that_cannot_be_written_is_kept_in_memory_and_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    steps = Steps(spec())
    desk.start(spec(), steps)
    monkeypatch.setattr("retrieval.evaluation.desk.replace_file", full)
    steps.let(10)
    ended(desk)
    kept = only(desk.sweeps(NAME))
    assert (kept.sweep.state, kept.sweep.tried) == ("finished", 20)
    assert "No space left on device" in kept.unsaved


def test_a_folder_that_cannot_be_written_refuses_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    with pytest.raises(BadInput, match="nothing can be written"):
        Desk(tmp_path / "file" / "sweeps").start(spec(), at_once(spec()))


def test_the_remaining_time_follows_the_pace_of_the_present_phase(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("retrieval.evaluation.desk.time.monotonic", lambda: clock[0])
    told: list[float | None] = []

    def work(watch: Watch) -> Sweep:
        told.append(desk.remaining())
        steps = [("gathering", 1.0, 0.5), ("computing", 10.0, 0.5), ("computing", 20.0, 0.6), ("computing", 30.0, 0.7)]
        for phase, seconds, share in steps:
            clock[0] = 100.0 + seconds
            watch(msgspec.structs.replace(rows(1, spec()), progress=Progress(phase, 1, 1, share)))  # type: ignore[arg-type]
            told.append(desk.remaining())
        return rows(10, spec())

    desk.start(spec(), work)
    until(lambda: desk.running() is None)
    assert told == [None, pytest.approx(1.0), None, pytest.approx(40.0), pytest.approx(30.0)]
    assert desk.remaining() is None

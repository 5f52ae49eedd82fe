"""The desk: sweeps that run beside the page, one at a time, and are kept as files while they run and afterwards.

A sweep runs in a thread of the process that started it. While it does, the process holds a lock of the folder, which the system takes back
when the process ends in whatever way: so a file that says "running" and a lock that nobody holds mean a sweep that was broken off.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import filelock
import msgspec

from retrieval.errors import BadInput, FundstelleError
from retrieval.evaluation.sweeps.model import Spec, State, Sweep
from retrieval.manifest import replace_file

log = logging.getLogger(__name__)
Watch = Callable[[Sweep], bool]
"""Told of a sweep so far after each step; answers whether to go on."""
Work = Callable[[Watch], Sweep]
"""Does a whole sweep, and returns it when it is done or was told to stop."""
_LOCK = "running.lock"
_PROBE = 0.5
"""Seconds to wait for the lock: another process that only looks whether it is held gives it back at once."""
_PAUSE = 1.0
_PATIENCE = 5.0
_NAMED_ELSEWHERE = "another process"


class SweepBusy(BadInput):
    """A sweep runs already; a second one does not run beside it."""


class Kept(msgspec.Struct, frozen=True):
    """A sweep as it is now. ``here`` says that it runs in this process and can be stopped from it; ``unsaved`` why no file holds it."""

    sweep: Sweep
    here: bool = False
    unsaved: str = ""


class Broken(msgspec.Struct, frozen=True):
    """A file that holds no sweep: its name, and what is wrong with it."""

    name: str
    message: str


class Shelf(msgspec.Struct, frozen=True):
    """The sweeps over one question set, newest first, and the files that could not be read, of whatever set."""

    kept: tuple[Kept, ...] = ()
    broken: tuple[Broken, ...] = ()


class _Phase(NamedTuple):
    """When a phase of a sweep began, and the share of the whole that was done then."""

    name: str
    began: float
    share: float


class _Job:
    """The sweep that runs, or ran last, in this process."""

    def __init__(self, sweep: Sweep, path: Path) -> None:
        self.sweep, self.path = sweep, path
        self.asked_to_stop = threading.Event()
        self.over = threading.Event()
        self.began = time.monotonic()
        self.unsaved = ""
        self.saved = 0.0
        self.phase = _Phase(sweep.progress.phase, self.began, 0.0)
        self.guard = threading.Lock()


class Desk:
    """Starts, stops and shows the sweeps of one workshop. One for each process and folder; safe for several threads.

    ``pause``: seconds between two versions of the file of a running sweep; ``patience``: how long ``stop`` waits for the next step.
    """

    def __init__(self, folder: Path, pause: float = _PAUSE, patience: float = _PATIENCE) -> None:
        self.folder, self._pause, self._patience = folder, pause, patience
        self._job: _Job | None = None
        self._starting = threading.Lock()
        self._read: dict[Path, tuple[tuple[int, int], Sweep | Broken]] = {}
        self._unsaved: dict[str, Kept] = {}

    # --- running ------------------------------------------------------------------------------------------------------

    def start(self, spec: Spec, work: Work) -> str:
        """Run ``work`` in the background; the id of the sweep.

        Raises SweepBusy while another one runs, here or in another process, and BadInput where nothing can be written.
        """
        with self._starting:
            before = self._job
            # A sweep that has just ended gives the lock back a moment later.
            if before is not None and not before.over.wait(0 if before.sweep.state == "running" else _PROBE):
                raise SweepBusy(_busy(before.sweep))
            lock = self._locked()
            try:
                self._close_interrupted()
                now = datetime.now(UTC)
                sweep = Sweep(spec, id=f"{now:%Y%m%dT%H%M%S}.{now.microsecond:06d}Z", started=now.isoformat(timespec="seconds"))
                job = _Job(sweep, self.folder / f"{sweep.id}.json")
                _write(job.path, sweep)
            except BaseException as cause:
                lock.release()
                if isinstance(cause, OSError):
                    raise BadInput(_unwritable(self.folder, cause)) from cause
                raise
            self._job = job
            threading.Thread(target=self._run, args=(job, work, lock), name=f"sweep {sweep.id}", daemon=True).start()
            return sweep.id

    def stop(self, sweep_id: str) -> Sweep:
        """Ask a sweep to end, and wait a few seconds for it; the sweep with what is finished.

        Where a single step takes longer, the sweep is marked as stopped already, and no other can start before that step is over.
        Raises BadInput for a sweep that does not run in this process.
        """
        job = self._job
        if job is None or job.sweep.id != sweep_id:
            raise BadInput(f"Sweep {sweep_id[:40]!r}: found none that runs in this process. Stop it where it was started.")
        job.asked_to_stop.set()
        if not job.over.wait(self._patience):
            self._note(job, job.sweep, "stopped", last=True)
        return job.sweep

    def _run(self, job: _Job, work: Work, lock: filelock.BaseFileLock) -> None:
        def watch(sweep: Sweep) -> bool:
            self._note(job, sweep, "running")
            return not job.asked_to_stop.is_set()

        try:
            found = work(watch)
            state = "stopped" if found.state == "running" and job.asked_to_stop.is_set() else found.state
            self._note(job, found, "finished" if state == "running" else state, last=True)
        except Exception as error:
            log.exception("the sweep %s broke off", job.sweep.id)
            message = str(error) if isinstance(error, FundstelleError) else f"{type(error).__name__}: {error}"
            self._note(job, msgspec.structs.replace(job.sweep, error=message), "failed", last=True)
        finally:
            lock.release()
            job.over.set()

    def _note(self, job: _Job, sweep: Sweep, state: State, last: bool = False) -> None:
        """Take in how far a sweep is; one that was marked as stopped stays so."""
        with job.guard:
            if job.sweep.state != "running":
                return
            now = time.monotonic()
            known = job.sweep
            if sweep.progress.phase != job.phase.name:
                job.phase = _Phase(sweep.progress.phase, now, known.progress.share)
            new = msgspec.structs.replace(sweep, state=state, id=known.id, started=known.started, seconds=now - job.began)
            if last or now - job.saved >= self._pause:
                job.saved = now
                self._save(job, new)
            job.sweep = new  # whoever sees the end finds it on disk

    def _save(self, job: _Job, sweep: Sweep) -> None:
        """Write the file. Where that fails the sweep goes on, and says so as long as this process lives."""
        try:
            _write(job.path, sweep)
            job.unsaved = ""
        except OSError as error:
            log.warning("%s", _unwritable(self.folder, error))
            job.unsaved = _unwritable(self.folder, error)
        if job.unsaved and sweep.state != "running":
            self._unsaved[sweep.id] = Kept(sweep, unsaved=job.unsaved)

    # --- the lock -----------------------------------------------------------------------------------------------------

    def _locked(self) -> filelock.BaseFileLock:
        """The lock of the folder, held. It is released by another thread than the one that takes it."""
        lock = filelock.FileLock(self.folder / _LOCK, timeout=_PROBE, thread_local=False)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except filelock.Timeout:
            running = next((one for one in self._files() if isinstance(one, Sweep) and one.state == "running"), None)
            raise SweepBusy(_busy(running)) from None
        except OSError as cause:
            raise BadInput(_unwritable(self.folder, cause)) from cause
        return lock

    def _held_elsewhere(self) -> bool:
        """Whether another process holds the lock: one of its sweeps runs."""
        if not (self.folder / _LOCK).exists():
            return False
        lock = filelock.FileLock(self.folder / _LOCK, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            return True
        except OSError:
            return False
        lock.release()
        return False

    def _close_interrupted(self) -> None:
        """With the lock in hand nobody else runs a sweep: what still says so was broken off."""
        for one in self._files():
            if isinstance(one, Sweep) and one.state == "running":
                _write(self.folder / f"{one.id}.json", msgspec.structs.replace(one, state="interrupted"))

    # --- what there is --------------------------------------------------------------------------------------------------

    def running(self) -> Sweep | None:
        """The sweep that runs in this process; None where there is none."""
        job = self._job
        return job.sweep if job is not None and job.sweep.state == "running" else None

    def remaining(self) -> float | None:
        """The seconds that the running sweep will still take, at the pace of its present phase; None while there is nothing to tell from.

        Phases differ in pace: what was asked before is gathered in no time.
        """
        job = self._job
        if job is None or job.sweep.state != "running":
            return None
        share, phase = job.sweep.progress.share, job.phase
        done, seconds = share - phase.share, job.began + job.sweep.seconds - phase.began
        return seconds * (1 - share) / done if done > 0 and seconds > 0 else None

    def sweeps(self, set_name: str) -> Shelf:
        """All sweeps over a question set: those of this process as they are now, the others from their files."""
        job = self._job
        own = {} if job is None else {job.sweep.id: Kept(job.sweep, job.sweep.state == "running", job.unsaved)}
        own |= self._unsaved
        files = list(self._files())
        others = [one for one in files if isinstance(one, Sweep) and one.id not in own]
        if any(one.state == "running" for one in others) and not self._runs_elsewhere():
            others = [msgspec.structs.replace(one, state="interrupted") if one.state == "running" else one for one in others]
        kept = [one for one in (*own.values(), *map(Kept, others)) if one.sweep.spec.set_name == set_name]
        broken = tuple(one for one in files if isinstance(one, Broken))
        return Shelf(tuple(sorted(kept, key=lambda one: one.sweep.id, reverse=True)), broken)

    def _runs_elsewhere(self) -> bool:
        """Whether a file that says "running", and is none of this process, can be right."""
        job = self._job
        return (job is None or job.over.is_set()) and self._held_elsewhere()

    def _files(self) -> Iterator[Sweep | Broken]:
        """What the files hold, newest first; a file is read again only where it has changed."""
        for path in sorted(self.folder.glob("*.json"), reverse=True):
            try:
                found = path.stat()
                seen = (found.st_mtime_ns, found.st_size)
                known = self._read.get(path)
                if known is None or known[0] != seen:
                    known = self._read[path] = (seen, _sweep(path))
            except OSError as error:
                known = ((0, 0), Broken(path.name, f"{path.name}: cannot be read ({error.strerror}). Check the rights."))
            yield known[1]


def _sweep(path: Path) -> Sweep | Broken:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Sweep)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        wanted = "expected what a sweep of this version wrote. Read it with the version that wrote it, or move it away."
        return Broken(path.name, f"{path.name}: found no sweep ({error}); {wanted}")
    # Whatever the file says of itself, it is found by its name.
    return msgspec.structs.replace(found, id=path.stem)


def _write(path: Path, sweep: Sweep) -> None:
    replace_file(path, msgspec.json.encode(sweep))


def _busy(running: Sweep | None) -> str:
    named = _NAMED_ELSEWHERE if running is None else f"{', '.join(running.spec.knobs)} over {running.spec.set_name}, {running.started}"
    return f"A sweep: found one that runs already ({named}); expected none. Wait until it has ended, or stop it."


def _unwritable(folder: Path, cause: OSError) -> str:
    return f"Sweeps: nothing can be written to {folder} ({cause.strerror}). Check the path and the rights."

"""Files of JSON lines: whatever ends a writer, every whole line is read, and what broke off is named."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from retrieval.errors import BadInput
from retrieval.evaluation.jsonlines import Lines, append, read


class Word(msgspec.Struct, frozen=True):
    number: int
    text: str = ""


def words(path: Path) -> Lines[Word]:
    return read(path, Word, "word")


def test_a_writer_that_is_killed_at_any_moment_loses_no_line_that_it_finished(tmp_path: Path) -> None:
    path = tmp_path / "worte.jsonl"
    code = f"""
from pathlib import Path
from retrieval.evaluation.jsonlines import append
from tests.evaluation.test_jsonlines import Word
for number in range(100_000):
    append(Path({str(path)!r}), Word(number, "x" * 20_000))
    print(number, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(20):
            writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)
        finished = 20 + len(writer.stdout.read().split())
    began = time.monotonic()
    append(path, Word(-1))
    assert time.monotonic() - began < 5  # the lock of the dead is free
    found = words(path)
    assert [one.number for one in found.found][:finished] == list(range(finished))
    assert found.found[-1] == Word(-1)
    assert len(found.torn) <= 1


def test_a_file_with_nul_where_nothing_had_been_written_is_read_and_the_place_named(tmp_path: Path) -> None:
    path = tmp_path / "worte.jsonl"
    append(path, Word(1))
    path.write_bytes(path.read_bytes() + bytes(4096))
    append(path, Word(2))
    assert words(path) == Lines((Word(1), Word(2)), (2,))


def test_nul_in_the_middle_of_a_line_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "worte.jsonl"
    path.write_bytes(b'{"number": 1}\n{"number":\x00 2}\n')
    with pytest.raises(BadInput, match=r"worte\.jsonl, line 2: found no word"):
        words(path)


@pytest.mark.parametrize(
    "line", [b'{"number": NaN}', b'{"number": 1e999}', b"[" * 100_000, b'{"neu": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"]
)
def test_numbers_that_are_none_and_bottomless_values_are_refused_or_torn_and_never_crash(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "worte.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(BadInput, match="line 1: found no word"):
        words(path)


def test_what_a_newer_version_added_to_a_line_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "worte.jsonl"
    path.write_bytes(b'{"number": 1, "mood": {"good": true}}\n')
    assert words(path).found == (Word(1),)


def test_a_file_that_grows_full_half_way_through_a_line_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "worte.jsonl"
    append(path, Word(1))
    before = path.read_bytes()

    class Short:
        """A file on a disk with room for five more bytes."""

        def __init__(self, file: object) -> None:
            self.file = file

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def __enter__(self) -> Short:
            return self

        def __exit__(self, *about: object) -> None:
            self.file.close()  # type: ignore[attr-defined]

        def write(self, data: bytes) -> int:
            return int(self.file.write(data[:5]))  # type: ignore[attr-defined]

    opened = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, mode="r", **more: Short(opened(self, mode, **more)) if "a" in mode else opened(self, mode, **more)
    )
    with pytest.raises(BadInput, match="No space left"):
        append(path, Word(2, "lang"))
    assert path.read_bytes() == before

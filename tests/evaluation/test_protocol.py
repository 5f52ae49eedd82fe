"""The protocol: events come back as they were written, whoever writes beside, whatever breaks off, whatever the texts say."""

from __future__ import annotations

import multiprocessing
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval.errors import BadInput
from retrieval.evaluation import protocol, protocol_text
from retrieval.evaluation.protocol import Event, Moved, Stage
from retrieval.words import Words

HOSTILE = '"}\n{"act":"decided"}\r\n\x00\u2028\u202e# **fett** <script>alert(1)</script>'


def event(act: protocol.Act = "remarked", why: str = "", **more: object) -> Event:
    return Event("2033-05-02T08:00:00+00:00", "Ada", act, "fragen", why=why, **more)  # type: ignore[arg-type]


def write_many(path: str, who: str, count: int) -> None:
    for number in range(count):
        protocol.append(Path(path), Event("2033-05-02T08:00:00+00:00", who, "remarked", "fragen", why=f"{number} " + "x" * 9000))


def test_events_come_back_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "protocols" / "fragen.jsonl"
    written = [event("imported", details={"questions": 38, "file": "a.csv"}), event("moved", settings={"verweis_score": 0.97}, tried=3)]
    for one in written:
        protocol.append(path, one)
    assert list(protocol.events(path)) == written
    assert protocol.tried(written) == 3


def test_no_file_is_an_empty_protocol_and_nothing_is_made(tmp_path: Path) -> None:
    assert protocol.read(tmp_path / "fragen.jsonl") == protocol.Protocol()
    assert list(tmp_path.iterdir()) == []


def test_hostile_text_is_one_line_and_comes_back_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    protocol.append(path, event(why=HOSTILE))
    protocol.append(path, event(why="danach"))
    assert path.read_bytes().count(b"\n") == 2
    assert [one.why for one in protocol.events(path)] == [HOSTILE, "danach"]


def test_half_a_character_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    with pytest.raises(BadInput, match="half a character"):
        protocol.append(path, event(why="a\ud800b"))
    assert not path.exists()


def test_two_processes_that_write_at_once_lose_and_mix_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_many, args=(str(path), who, 25)) for who in ("Ada", "Emil")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = protocol.read(path)
    assert found.torn == ()
    for who in ("Ada", "Emil"):
        assert [int(one.why.split()[0]) for one in found.events if one.who == who] == list(range(25))


@pytest.mark.parametrize("kept", [1, 40, 90])
def test_a_line_that_broke_off_is_named_and_the_next_one_stands_below_it(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "fragen.jsonl"
    protocol.append(path, event(why="eins"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    assert protocol.read(path) == protocol.Protocol((event(why="eins"),), (2,))
    protocol.append(path, event(why="zwei"))
    assert protocol.read(path) == protocol.Protocol((event(why="eins"), event(why="zwei")), (2,))


def test_a_last_line_without_its_end_is_read_and_not_joined_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    protocol.append(path, event(why="eins"))
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    protocol.append(path, event(why="zwei"))
    assert [one.why for one in protocol.events(path)] == ["eins", "zwei"]


def test_a_line_that_is_no_event_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    protocol.append(path, event())
    path.write_bytes(path.read_bytes() + b'\n{"act": "erfunden"}\n')
    with pytest.raises(BadInput, match=r"fragen\.jsonl, line 3: found no event .*Read it with the version that wrote it"):
        protocol.events(path)


def test_what_could_not_be_written_whole_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fragen.jsonl"
    protocol.append(path, event(why="eins"))
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left on device"):
        protocol.append(path, event(why="zwei"))
    assert path.read_bytes() == before


def test_a_place_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "protocols").write_text("eine Datei", "utf-8")
    with pytest.raises(BadInput, match="nothing can be written"):
        protocol.append(tmp_path / "protocols" / "fragen.jsonl", event())


def test_a_moment_is_utc_with_seconds() -> None:
    assert protocol.moment(datetime(2033, 5, 2, 8, 0, 5, 999, UTC)) == "2033-05-02T08:00:05+00:00"


def test_settings_that_nobody_noted_show_between_two_events() -> None:
    written = [
        event("measured", settings={"verweis_score": 0.5, "min_ratio": 0.25}),
        event("remarked"),
        event("measured", settings={"verweis_score": 0.97, "min_ratio": 0.25}, without=("quota",)),
        event("measured", settings={"verweis_score": 0.97, "neu": 1}),
    ]
    first, nothing, second, third = protocol.shifts(written)
    assert (bool(first), bool(nothing)) == (False, False)
    assert second == protocol.Shift((Moved("verweis_score", 0.5, 0.97),), (Stage("quota", True),))
    assert third == protocol.Shift((Moved("neu", None, 1), Moved("min_ratio", 0.25, None)), (Stage("quota", False),))
    assert protocol.latest(written) == written[3]
    assert protocol.latest(written[1:2]) is None


def test_settings_that_were_looked_at_for_a_comparison_are_not_those_in_force() -> None:
    force, other = {"verweis_score": 0.48}, {"verweis_score": 0.5}
    found = [event("measured", settings=force), event("measured", settings=other, aside=True), event("compared", settings=force)]
    first, aside, after = protocol.shifts(found)
    assert (first.settings, aside.settings, after.settings) == ((), (Moved("verweis_score", 0.48, 0.5),), ())
    assert protocol.latest(found[:2]) == found[0]
    words = Words("de")
    assert protocol_text.sentence(found[1], words) == "Ada hat zum Vergleich die Kennzahlen anderer Einstellungen gemessen."
    moved = "Gegenüber den zuletzt festgehaltenen Einstellungen: Wert eines Verweisziels (VERWEIS_SCORE) 0,48 → 0,50."
    assert protocol_text.change(found[1], aside, words) == moved

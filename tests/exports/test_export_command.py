"""``fundstelle export``: the file is whole or not there, and nothing is overwritten by accident."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from cli_runs import Run

from retrieval.commands import export
from retrieval.errors import BadInput
from retrieval.exports.files import KINDS
from retrieval.trace import Trace

QUESTION = "Welches Sonderkennzeichen setzt die Apotheke?"


def test_the_json_file_holds_the_run_with_its_settings(run: Run, sample_index: Path, tmp_path: Path) -> None:
    file = tmp_path / "lauf.json"
    ran = run("export", QUESTION, "--kind", "json", "--output", file, "--index", sample_index, "--set", "max_final_results=4")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Geschrieben: {file} (")
    trace = Trace.from_json(file.read_bytes())
    assert (trace.question, trace.limit, len(trace.final)) == (QUESTION, 4, 4)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written_and_summed_up_as_json(run: Run, sample_index: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "datei"
    ran = run("--json", "export", QUESTION, "--kind", kind, "--output", file, "--index", sample_index, "--lang", "en")
    assert ran.code == 0
    summary = json.loads(ran.out)
    assert (summary["kind"], summary["file"], summary["bytes"]) == (kind, str(file), file.stat().st_size)


def test_without_a_name_the_file_stands_here_under_day_and_question(
    run: Run, sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", QUESTION, "--kind", "html", "--index", sample_index).code == 0
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("fundstelle-")
    assert file.name.endswith("-welches-sonderkennzeichen-setzt-die-apotheke.html")


def test_a_file_that_is_there_is_replaced_only_when_asked(run: Run, sample_index: Path, tmp_path: Path) -> None:
    file = tmp_path / "betrieb.toml"
    file.write_text("mein Text", "utf-8")
    call = ("export", QUESTION, "--kind", "production", "--output", file, "--index", sample_index)
    ran = run(*call)
    assert ran.refused
    assert "--force" in ran.err
    assert file.read_text("utf-8") == "mein Text"
    assert run(*call, "--force").code == 0
    assert "production" in tomllib.loads(file.read_text("utf-8"))


@pytest.mark.parametrize("place", ["fehlt/datei.json", "."])
def test_a_place_where_nothing_can_be_written_is_refused_before_the_question_is_asked(run: Run, tmp_path: Path, place: str) -> None:
    ran = run("export", QUESTION, "--kind", "json", "--output", tmp_path / place, "--index", tmp_path / "no-index")
    assert ran.refused
    assert "--output" in ran.err


def test_an_unknown_kind_is_refused_with_the_known_ones(run: Run) -> None:
    ran = run("export", QUESTION, "--kind", "pdf")
    assert ran.refused
    assert "xlsx" in ran.err


def test_bytes_that_are_no_text_are_refused_as_a_question(run: Run, tmp_path: Path) -> None:
    ran = run("export", "Apotheke \udcff", "--kind", "json", "--index", tmp_path)
    assert ran.refused
    assert "UTF-8" in ran.err


def test_what_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", broken)
    file = tmp_path / "datei"
    file.write_text("alt", "utf-8")
    with pytest.raises(OSError, match="disk full"):
        export.write(file, b"neu", force=True)
    assert file.read_text("utf-8") == "alt"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_appears_while_writing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "datei"
    monkeypatch.setattr(os, "fsync", lambda _: file.write_text("fremd", "utf-8"))
    with pytest.raises(BadInput, match="--force"):
        export.write(file, b"neu", force=False)
    assert file.read_text("utf-8") == "fremd"


def test_a_file_system_without_links_is_written_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unlinkable(*_: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", unlinkable)
    export.write(tmp_path / "datei", b"neu", force=False)
    assert (tmp_path / "datei").read_bytes() == b"neu"

"""The command line: its words and refusals, text on a terminal, the settings and the page's start."""

from __future__ import annotations

import json
import os
import re
import socket
import string
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from cli_runs import Run

from retrieval import errors
from retrieval.commands import serve
from retrieval.commands.terminal import ANCHORS, INDEX, QUESTIONS, TOUR, CliWords, Terminal, index_folder, one_line, plain
from retrieval.errors import FundstelleError
from retrieval.settings import KNOBS, Settings
from retrieval.words import LANGUAGES

ROOT = Path(__file__).parents[1]
ANCHOR_FILE = ROOT / "sample_corpora" / "anchors.toml"


# --- the program ------------------------------------------------------------------------------------------------------


def test_the_help_loads_no_heavy_library() -> None:
    heavy = ("torch", "sentence_transformers", "chromadb", "pandas", "streamlit", "bm25s")
    code = f"import sys, retrieval.cli as c\ntry: c.main(['--help'])\nfinally: print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert found.stdout.splitlines()[-1] == "[]"
    assert found.stdout.startswith("Aufruf: fundstelle")


def test_both_languages_have_the_same_sentences_with_the_same_placeholders() -> None:
    def shape(language: str) -> dict[str, set[str | None]]:
        catalogue = CliWords(language).catalogue
        own = {key: text for key, text in catalogue.items() if key.startswith("cli.")}
        return {key: {field for _, field, _, _ in string.Formatter().parse(text)} - {None} for key, text in own.items()}

    german, *others = (shape(language) for language in LANGUAGES)
    assert len(german) > 80
    assert all(other == german for other in others)


def test_every_sentence_is_used_and_every_used_sentence_is_there() -> None:
    sources = [ROOT / "retrieval" / "cli.py", *(ROOT / "retrieval" / "commands").glob("*.py")]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    keys = {key.removeprefix("cli.") for key in CliWords("de").catalogue if key.startswith("cli.")}
    families = tuple(prefix for prefix in re.findall(r"cli\.([\w.]*)\{", text) if prefix)
    families += tuple(f"{name}." for name in re.findall(r"word\('cli\.(\w+)'", text))
    literal = set(re.findall(r'cli\.([\w.]+)"', text)) | set(re.findall(r'(?:say|head)\("([\w.]+)"', text))
    assert literal <= keys
    assert [key for key in sorted(keys - literal) if not key.startswith(families)] == []


def test_every_kind_of_error_has_its_words() -> None:
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, FundstelleError)}
    assert len(kinds) > 10
    assert {f"cli.error.{name}" for name in kinds} <= CliWords("de").catalogue.keys()


def test_every_kind_of_oddity_has_its_words() -> None:
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "retrieval" / "readers").glob("*.py"))
    codes = set(re.findall(r'Oddity\(\s*"(\w+)"', text)) | set(re.findall(r'^\s+\("(\w+_\w+)", ', text, re.MULTILINE))
    assert len(codes) > 8
    assert {f"cli.oddity.{code}" for code in codes} <= CliWords("de").catalogue.keys()


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["ask"], "es fehlt: FRAGE"),
        (["--lang", "en", "ask"], "required: FRAGE"),
        (["corpora", "add"], "es fehlt: DATEI"),
        (["frag", "was"], "unbekannte Wahl: 'frag'"),
        (["settings", "--toml", "--markdown"], "nicht zusammen mit"),
        (["serve", "--port", "acht"], "keine ganze Zahl: 'acht'"),
        (["--lang", "fr", "settings"], "'fr'"),
    ],
)
def test_a_call_that_does_not_fit_is_one_sentence_and_code_2(run: Run, argv: Sequence[str], expected: str) -> None:
    ran = run(*argv)
    assert ran.refused
    assert expected in ran.err


def test_an_interruption_is_said_and_has_its_own_code(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("retrieval.commands.settings.table", interrupted)
    code, _, err = run("settings")
    assert code == 130
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m retrieval.cli settings | head -n 1"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (found.returncode, found.stderr) == (0, "")


# --- text on a terminal -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["\x1b", "\x07", "\x9b", "\r", "\x7f", "\u202e", "\u2066", "\u2028"])
def test_no_sign_that_steers_a_terminal_gets_through(sign: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert plain(f"§{sign}1") == "§ 1"
    Terminal("de").json({"text": f"§{sign}1"})
    printed = capsys.readouterr().out
    assert sign not in printed
    assert json.loads(printed) == {"text": f"§{sign}1"}


def test_a_long_text_is_cut_on_one_line() -> None:
    assert one_line("eins\n zwei\tdrei", 9) == "eins zwe…"
    assert one_line("eins\n zwei") == "eins zwei"


def test_the_index_folder_is_the_given_one_else_the_environments_else_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INDEX, "umgebung")
    assert index_folder(Path("option")) == Path("option")
    assert index_folder(None) == Path("umgebung")
    monkeypatch.delenv(INDEX)
    assert index_folder(None) == Path("fundstelle-index")


# --- settings -----------------------------------------------------------------------------------------------------------


def test_the_settings_are_printed_in_every_form(run: Run) -> None:
    code, table, _ = run("settings")
    assert code == 0
    assert all(f"{name} = " in table for name in KNOBS)
    assert Settings.from_toml(run("settings", "--toml")[1]) == Settings()
    assert json.loads(run("settings", "--json")[1]) == Settings().flat()
    assert len(run("settings", "--markdown")[1].splitlines()) == 2 + len(KNOBS)


def test_a_setting_on_the_line_goes_before_the_one_in_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(Settings.of(min_ratio=0.4, rrf_k=30).to_toml(), "utf-8")
    found = json.loads(run("settings", "--json", "--settings", file, "--set", "min_ratio=0,5")[1])
    assert (found["min_ratio"], found["rrf_k"]) == (0.5, 30)


@pytest.mark.parametrize("pair", ["min_ratio=7", "min_ratio=nan", "min_ratio=abc", "min_ratio", "unbekannt=1", "weight_vector=-1"])
def test_a_setting_that_is_none_is_refused_in_one_sentence(run: Run, pair: str) -> None:
    assert run("settings", "--set", pair).refused


def test_a_settings_file_that_cannot_be_read_is_refused_in_one_sentence(run: Run, tmp_path: Path) -> None:
    latin = tmp_path / "latin.toml"
    latin.write_bytes("[settings]\n# für".encode("latin-1"))
    for file in (latin, tmp_path / "fehlt.toml", tmp_path):
        assert run("settings", "--settings", file).refused


# --- serve ----------------------------------------------------------------------------------------------------------------


def test_the_page_is_served_on_this_machine_only_with_what_was_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []

    def execve(_program: str, command: list[str], environment: dict[str, str]) -> NoReturn:
        started.append((command, environment))
        raise SystemExit(0)

    monkeypatch.setattr(os, "execve", execve)
    questions, tour = tmp_path / "fragen.toml", tmp_path / "rundgang.toml"
    questions.touch()
    tour.touch()
    code, out, _ = run("serve", "--index", tmp_path, "--anchors", ANCHOR_FILE, "--questions", questions, "--tour", tour)
    ((command, environment),) = started
    assert code == 0
    assert {
        "--server.address=127.0.0.1",
        "--server.headless=true",
        "--browser.gatherUsageStats=false",
        "--server.fileWatcherType=none",
    } <= set(command)
    assert Path(command[4]).is_file()
    assert [environment[name] for name in (INDEX, ANCHORS, QUESTIONS, TOUR)] == [*map(str, (tmp_path, ANCHOR_FILE, questions, tour))]
    (port,) = re.findall(r"http://127\.0\.0\.1:(\d+)", out)
    assert f"--server.port={port}" in command


def test_a_port_in_use_is_said_and_the_next_one_is_taken_where_none_was_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind((serve.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run("serve", "--port", port).refused
        monkeypatch.setattr(serve, "PORT", port)
        assert serve.free_port(None) > port


@pytest.mark.parametrize("argv", [["--port", "0"], ["--port", "70000"], ["--questions", "fehlt.toml"], ["--anchors", "fehlt.toml"]])
def test_a_page_that_cannot_be_served_is_refused_in_one_sentence(run: Run, argv: list[str]) -> None:
    assert run("serve", *argv).refused

"""The command line: what it prints, what it refuses, and with which exit code."""

from __future__ import annotations

import json
import os
import re
import socket
import string
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from retrieval import cli, errors
from retrieval.commands import ask, serve
from retrieval.commands.terminal import ANCHORS, INDEX, QUESTIONS, CliWords, Terminal, index_folder, one_line, plain
from retrieval.errors import FundstelleError
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Trace
from retrieval.words import LANGUAGES

ROOT = Path(__file__).parents[1]
ANCHOR_FILE = ROOT / "sample_corpora" / "anchors.toml"

RULES = """+++
id = "leihordnung"
title = "Leihordnung der Bücherei (erfunden)"
kind = "ordinance"
names = ["Leihordnung"]
invented = true
+++
## § 1 Leihfrist
(1) Die Leihfrist für Bücher beträgt vier Wochen.
(2) Sie kann nach § 2 verlängert werden.
## § 2 Verlängerung
(1) Die Verlängerung ist vor Ablauf der Leihfrist zu beantragen. \x1b[2J\u202eUmkehr
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in (INDEX, ANCHORS, QUESTIONS):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: object) -> tuple[int, str, str]:
        try:
            code = cli.main([str(one) for one in argv])
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "leihordnung.md"
    path.write_text(RULES, "utf-8")
    return path


def is_one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and text.endswith("\n") and "Traceback" not in text


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
    literal = set(re.findall(r'cli\.([\w.]+)"', text)) | set(re.findall(r'(?:say|head)\("([\w.]+)"', text))
    assert literal <= keys
    assert [key for key in sorted(keys - literal) if not key.startswith(families)] == []


def test_every_kind_of_error_has_its_words() -> None:
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, FundstelleError)}
    assert len(kinds) > 10
    assert {f"cli.error.{name}" for name in kinds} <= CliWords("de").catalogue.keys()


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
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)
    assert expected in err


def test_an_interruption_is_said_and_has_its_own_code(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("retrieval.commands.settings.table", interrupted)
    code, _, err = run("settings")
    assert code == 130
    assert is_one_sentence(err)


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
    code, out, err = run("settings", "--set", pair)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)


def test_a_settings_file_that_cannot_be_read_is_refused_in_one_sentence(run: Run, tmp_path: Path) -> None:
    latin = tmp_path / "latin.toml"
    latin.write_bytes("[settings]\n# für".encode("latin-1"))
    for file in (latin, tmp_path / "fehlt.toml", tmp_path):
        code, out, err = run("settings", "--settings", file)
        assert (code, out) == (2, "")
        assert is_one_sentence(err)


# --- corpora ------------------------------------------------------------------------------------------------------------


def test_a_corpus_comes_into_stock_is_shown_and_leaves_it(run: Run, rules: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    code, out, err = run("corpora", "add", rules, "--index", index)
    assert code == 0
    assert "leihordnung" in out
    assert "3 von 3" in err, "the bar has counted to the end"
    code, out, _ = run("corpora", "list", "--index", index)
    assert code == 0
    assert "Leihordnung" in out
    assert json.loads(run("corpora", "list", "--index", index, "--json")[1])["corpora"][0]["chunks"] == 3
    shown = run("corpora", "show", "leihordnung", "--index", index)[1]
    assert "2 Normen, 3 Absätze" in shown
    assert "erfundenes Recht" in shown
    assert run("corpora", "remove", "leihordnung", "--index", index)[0] == 0
    assert json.loads(run("corpora", "list", "--index", index, "--json")[1])["corpora"] == []


def test_a_file_that_fails_does_not_stop_the_others(run: Run, rules: Path, tmp_path: Path) -> None:
    broken = tmp_path / "kaputt.md"
    broken.write_text("Kein Recht, nur ein Satz.", "utf-8")
    code, out, err = run("corpora", "add", broken, tmp_path / "fehlt.md", rules, "--index", tmp_path / "index", "--json")
    assert code == 1
    assert [one.get("error", one.get("corpus")) for one in json.loads(out)] == ["BadSource", "BadSource", "leihordnung"]
    assert "kaputt.md: Die Datei lässt sich nicht einlesen" in err
    assert "Traceback" not in err


def test_nothing_read_in_at_all_is_code_2_and_creates_no_stock(run: Run, tmp_path: Path) -> None:
    code, _, err = run("corpora", "add", tmp_path / "fehlt.md", "--index", tmp_path / "index")
    assert code == 2
    assert is_one_sentence(err)
    assert not (tmp_path / "index").exists()


def test_a_name_for_several_files_is_refused(run: Run, rules: Path, tmp_path: Path) -> None:
    code, out, err = run("corpora", "add", rules, rules, "--id", "x", "--index", tmp_path / "index")
    assert (code, out) == (2, "")
    assert is_one_sentence(err)


@pytest.mark.parametrize("action", [["list"], ["show", "x"], ["remove", "x"]])
def test_a_wrong_folder_is_said_and_nothing_is_created(run: Run, tmp_path: Path, action: list[str]) -> None:
    index = tmp_path / "index"
    code, out, err = run("corpora", *action, "--index", index)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)
    assert "kein Bestand" in err
    assert not index.exists()


def test_an_unknown_corpus_is_said_with_those_in_stock(run: Run, sample_index: Path) -> None:
    code, _, err = run("corpora", "show", "gibt_es_nicht", "--index", sample_index)
    assert code == 2
    assert is_one_sentence(err)
    assert "hvg_a" in err


def test_a_law_is_fetched_and_read_in(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Path) -> None:
    asked: list[tuple[str, Path]] = []

    def download(law: str, into: Path) -> Path:
        asked.append((law, into))
        return rules

    monkeypatch.setattr("retrieval.download.fetch", download)
    code, out, _ = run("corpora", "fetch", "leih_o", "--into", tmp_path / "quellen", "--index", tmp_path / "index")
    assert (code, asked) == (0, [("leih_o", tmp_path / "quellen")])
    assert "leihordnung" in out


# --- ask ----------------------------------------------------------------------------------------------------------------

QUESTION = "Wie wird die abweichende Abgabe mit Sonderkennzeichen vergütet?"


def test_an_answer_gives_for_each_place_its_scores_and_its_reason(run: Run, sample_index: Path) -> None:
    code, out, err = run("ask", QUESTION, "--index", sample_index, "--anchors", ANCHOR_FILE)
    assert (code, err) == (0, "")
    assert len(re.findall(r"Ordnungswert \d,\d{3} · Urteilswert (\d,\d{3}|–)", out)) == out.count("Warum hier:") == 10
    assert len(re.findall(r"^ {1,2}\d+\. ", out, re.MULTILINE)) == 10
    assert "Anker: fester Wert" in out


def test_the_json_of_an_answer_is_the_whole_trace(run: Run, sample_index: Path) -> None:
    code, out, _ = run("ask", QUESTION, "--index", sample_index, "--json", "--set", "verweis_score=0.97", "--set", "max_final_results=7")
    trace = Trace.from_json(out)
    assert code == 0
    assert len(trace.final) == 7
    assert trace.settings == Settings.of(verweis_score=0.97, max_final_results=7)
    assert trace.question == QUESTION


def test_both_languages_give_the_same_list(run: Run, sample_index: Path) -> None:
    german, english = (run("--lang", language, "ask", QUESTION, "--index", sample_index)[1] for language in LANGUAGES)
    places = [re.findall(r"^ {1,2}\d+\. .*", text, re.MULTILINE) for text in (german, english)]
    assert places[0] == places[1] != []
    assert "rank score" in english
    assert "Ordnungswert" not in english


def test_changed_settings_stand_under_the_answer(run: Run, sample_index: Path) -> None:
    out = run("ask", QUESTION, "--index", sample_index, "--set", "fusion=rrf", "--set", "min_ratio=0,3")[1]
    assert "fusion = rrf, min_ratio = 0,3" in out


def test_text_of_a_corpus_cannot_steer_the_terminal(run: Run, rules: Path, tmp_path: Path) -> None:
    run("corpora", "add", rules, "--index", tmp_path / "index")
    out = run("ask", "Verlängerung \x1b[31m der Leihfrist", "--index", tmp_path / "index")[1]
    assert "Umkehr" in out
    assert not {"\x1b", "\u202e"} & set(out)


@pytest.mark.parametrize("question", ["", "   ", "x" * 20_000])
def test_a_question_that_is_none_is_refused_in_one_sentence(run: Run, sample_index: Path, question: str) -> None:
    code, out, err = run("ask", question, "--index", sample_index)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)


def test_a_corpus_that_cannot_be_asked_is_named_and_the_others_answer(run: Run, rules: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    other = tmp_path / "hausordnung.md"
    other.write_text(RULES.replace("leihordnung", "hausordnung").replace("Leihordnung", "Hausordnung"), "utf-8")
    run("corpora", "add", rules, other, "--index", index)
    (chunks,) = index.glob("corpora/hausordnung*/chunks.json")
    chunks.unlink()
    code, out, err = run("ask", "Leihfrist", "--index", index)
    assert code == 1
    assert "§ 1 Abs. 1 Leihordnung" in out
    assert is_one_sentence(err)
    assert "Hausordnung" in err


def test_a_question_without_a_stock_is_refused_and_nothing_is_created(run: Run, tmp_path: Path) -> None:
    code, out, err = run("ask", QUESTION, "--index", tmp_path / "index")
    assert (code, out) == (2, "")
    assert is_one_sentence(err)
    assert not (tmp_path / "index").exists()


def test_a_report_names_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    from builders import answer, chunk, pool

    from retrieval.decide import decide

    found = pool([answer("gesetz", {"a": 0.5}, failed_routes=["lexical"])], [chunk("a")])
    ask.Report(decide(found, Settings()), Terminal("de")).print()
    out = capsys.readouterr().out
    assert "Unvollständig" in out
    assert "Wortsuche ausgefallen (RuntimeError: kaputt)" in out


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    from builders import answer, pool

    from retrieval.decide import decide

    ask.Report(decide(pool([answer("gesetz")], []), Settings()), Terminal("de")).print()
    assert "Nichts gefunden" in capsys.readouterr().out


# --- anchors --------------------------------------------------------------------------------------------------------------


def test_a_clean_register_has_no_findings(run: Run, sample_index: Path) -> None:
    code, out, _ = run("anchors", "check", "--index", sample_index, "--anchors", ANCHOR_FILE)
    assert code == 0
    assert "0 Befunde" in out


def test_an_anchor_into_the_void_is_a_finding_and_code_1(run: Run, sample_index: Path, tmp_path: Path) -> None:
    register = tmp_path / "anker.toml"
    register.write_text('[[anchor]]\nid = "leer"\ntriggers = ["Abgabe"]\ncorpus = "hvg_a"\nsection = "§ 9999"\n', "utf-8")
    code, out, _ = run("anchors", "check", "--index", sample_index, "--anchors", register)
    assert code == 1
    assert "leer" in out
    code, out, _ = run("anchors", "check", "--index", sample_index, "--anchors", register, "--json")
    assert (code, len(json.loads(out)["findings"])) == (1, 1)


def test_a_missing_register_is_refused_in_one_sentence(run: Run, sample_index: Path, tmp_path: Path) -> None:
    for given in (["--anchors", tmp_path / "fehlt.toml"], []):
        code, out, err = run("anchors", "check", "--index", sample_index, *given)
        assert (code, out) == (2, "")
        assert is_one_sentence(err)


def test_a_faulty_register_is_refused_with_every_fault_on_its_line(run: Run, sample_index: Path, tmp_path: Path) -> None:
    faulty = tmp_path / "anker.toml"
    faulty.write_text('[[anchor]]\nid = "x"\n[[anchor]]\nid = "x"\n', "utf-8")
    code, out, err = run("anchors", "check", "--index", sample_index, "--anchors", faulty)
    assert (code, out) == (2, "")
    assert err.startswith("Das Ankerregister hat Fehler")
    assert len(err.splitlines()) > 2
    assert "Traceback" not in err


# --- serve ----------------------------------------------------------------------------------------------------------------


def test_the_page_is_served_on_this_machine_only_with_what_was_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []

    def execve(_program: str, command: list[str], environment: dict[str, str]) -> NoReturn:
        started.append((command, environment))
        raise SystemExit(0)

    monkeypatch.setattr(os, "execve", execve)
    questions = tmp_path / "fragen.toml"
    questions.touch()
    code, out, _ = run("serve", "--index", tmp_path, "--anchors", ANCHOR_FILE, "--questions", questions)
    ((command, environment),) = started
    assert code == 0
    assert {
        "--server.address=127.0.0.1",
        "--server.headless=true",
        "--browser.gatherUsageStats=false",
        "--server.fileWatcherType=none",
    } <= set(command)
    assert Path(command[4]).is_file()
    assert [environment[name] for name in (INDEX, ANCHORS, QUESTIONS)] == [str(tmp_path), str(ANCHOR_FILE), str(questions)]
    (port,) = re.findall(r"http://127\.0\.0\.1:(\d+)", out)
    assert f"--server.port={port}" in command


def test_a_port_in_use_is_said_and_the_next_one_is_taken_where_none_was_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind((serve.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = run("serve", "--port", port)
        assert (code, out) == (2, "")
        assert is_one_sentence(err)
        monkeypatch.setattr(serve, "PORT", port)
        assert serve.free_port(None) > port


@pytest.mark.parametrize("argv", [["--port", "0"], ["--port", "70000"], ["--questions", "fehlt.toml"], ["--anchors", "fehlt.toml"]])
def test_a_page_that_cannot_be_served_is_refused_in_one_sentence(run: Run, argv: list[str]) -> None:
    code, out, err = run("serve", *argv)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)

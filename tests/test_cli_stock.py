"""The commands over a stock: corpora in and out, a question with its reasons, the check of the anchors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from builders import answer, chunk, pool
from chroma_server import ChromaServer
from cli_runs import Run

from retrieval.commands import ask
from retrieval.commands.terminal import Terminal
from retrieval.decide import decide
from retrieval.places import SERVER
from retrieval.settings import Settings
from retrieval.trace import Trace
from retrieval.words import LANGUAGES

ANCHOR_FILE = Path(__file__).parents[1] / "sample_corpora" / "anchors.toml"

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


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "leihordnung.md"
    path.write_text(RULES, "utf-8")
    return path


# --- corpora ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("place")
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
    assert "Normen 2 · Absätze 3 · Textstücke 3" in shown
    assert "erfundenes Recht" in shown
    assert "neue Fundstellen 3 · geänderte 0 · entfallene 0 · unveränderte 0" in shown
    assert run("corpora", "remove", "leihordnung", "--index", index)[0] == 0
    assert json.loads(run("corpora", "list", "--index", index, "--json")[1])["corpora"] == []


def test_the_vectors_can_be_given_to_a_server_and_every_command_finds_them_there(
    run: Run, rules: Path, tmp_path: Path, server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SERVER)
    index, address = tmp_path / "index", server.place.address
    out = run("corpora", "add", rules, "--index", index, "--chroma", address)[1]
    assert f"auf dem Chroma-Server {address}" in out
    assert f"auf dem Chroma-Server {address}" in run("corpora", "list", "--index", index)[1]
    assert json.loads(run("corpora", "list", "--index", index, "--json")[1])["server"] == address
    code, out, err = run("corpora", "check", "--index", index)
    assert (code, err) == (0, "")
    assert re.search(r"leihordnung +vollständig", out)
    assert "§ 1 Abs. 1 Leihordnung" in run("ask", "Wie lange darf ich ein Buch behalten?", "--index", index)[1]
    server.stop()
    code, out, _ = run("corpora", "check", "--index", index)
    assert code == 1
    assert re.search(r"leihordnung +nur Wortsuche", out)
    assert out.count("does not answer") == 1
    code, out, err = run("ask", "Leihfrist", "--index", index)
    assert code == 1
    assert "§ 1 Abs. 1 Leihordnung" in out
    assert "Traceback" not in out + err
    ran = run("corpora", "remove", "leihordnung", "--index", index)
    assert ran.refused
    assert ran.err.startswith("Der Chroma-Server lässt sich nicht benutzen: ")


def test_a_stock_in_its_folder_says_so_and_takes_no_server(run: Run, sample_index: Path) -> None:
    assert "Vektoren: in diesem Ordner" in run("corpora", "list", "--index", sample_index)[1]
    code, out, _ = run("corpora", "check", "--index", sample_index)
    assert (code, out.count("vollständig")) == (0, 5)
    ran = run("corpora", "check", "--index", sample_index, "--chroma", "http://127.0.0.1:1")
    assert ran.refused
    assert "live in its folder" in ran.err


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
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    assert not (tmp_path / "index").exists()


def test_a_name_for_several_files_is_refused(run: Run, rules: Path, tmp_path: Path) -> None:
    assert run("corpora", "add", rules, rules, "--id", "x", "--index", tmp_path / "index").refused


@pytest.mark.parametrize("action", [["list"], ["show", "x"], ["remove", "x"]])
def test_a_wrong_folder_is_said_and_nothing_is_created(run: Run, tmp_path: Path, action: list[str]) -> None:
    index = tmp_path / "index"
    ran = run("corpora", *action, "--index", index)
    assert ran.refused
    assert "kein Bestand" in ran.err
    assert not index.exists()


def test_an_unknown_corpus_is_said_with_those_in_stock(run: Run, sample_index: Path) -> None:
    code, _, err = run("corpora", "show", "gibt_es_nicht", "--index", sample_index)
    assert code == 2
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
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
    assert run("ask", question, "--index", sample_index).refused


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
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    assert "Hausordnung" in err


def test_a_question_without_a_stock_is_refused_and_nothing_is_created(run: Run, tmp_path: Path) -> None:
    assert run("ask", QUESTION, "--index", tmp_path / "index").refused
    assert not (tmp_path / "index").exists()


def test_a_report_names_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    found = pool([answer("gesetz", {"a": 0.5}, failed_routes=["lexical"])], [chunk("a")])
    ask.Report(decide(found, Settings()), Terminal("de")).print()
    out = capsys.readouterr().out
    assert "Unvollständig" in out
    assert "Wortsuche ausgefallen (RuntimeError: kaputt)" in out


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
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
        assert run("anchors", "check", "--index", sample_index, *given).refused


def test_a_faulty_register_is_refused_with_every_fault_on_its_line(run: Run, sample_index: Path, tmp_path: Path) -> None:
    faulty = tmp_path / "anker.toml"
    faulty.write_text('[[anchor]]\nid = "x"\n[[anchor]]\nid = "x"\n', "utf-8")
    code, out, err = run("anchors", "check", "--index", sample_index, "--anchors", faulty)
    assert (code, out) == (2, "")
    assert err.startswith("Das Ankerregister hat Fehler")
    assert len(err.splitlines()) > 2
    assert "Traceback" not in err

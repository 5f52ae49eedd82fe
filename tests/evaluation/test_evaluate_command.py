"""``fundstelle evaluate`` over the sample corpora."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from cli_runs import Run

from retrieval.commands.evaluate import _METRICS
from retrieval.evaluation.against import Against
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.report import Report
from retrieval.federated import FederatedRetriever
from retrieval.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_corpora"
QUESTION = "Wie viel Krankengeld bekomme ich und wie lange?"
SET = f"""
[[question]]
id = "krankengeld"
text = "{QUESTION}"
gold = [{{ written = "§ 40 HVG-A", corpus = "hvg_a", section = "§ 40" }}]
tags = ["Leistungen"]

[[question]]
id = "aufgehoben"
text = "Was regelte § 52 HVG-A?"
gold = [{{ written = "§ 52 HVG-A", corpus = "hvg_a", section = "§ 52" }}]

[[question]]
id = "nirgends"
text = "Wie lange läuft ein Nachlassvertrag?"
gold = [{{ written = "§ 999 HVG-A", corpus = "hvg_a", section = "§ 999" }}]

[[question]]
id = "offen"
text = "Wer prüft eine Rezeptur?"
"""


@pytest.fixture
def set_file(tmp_path: Path) -> Path:
    file = tmp_path / "satz.toml"
    file.write_text(SET, "utf-8")
    return file


def settings_file(folder: Path, **values: object) -> Path:
    file = folder / "andere.toml"
    file.write_text(Settings.of(**values).to_toml(), "utf-8")
    return file


def test_the_figures_stand_with_their_range_and_what_limits_them(run: Run, sample_index: Path, set_file: Path) -> None:
    found = run("evaluate", set_file, "--index", sample_index)
    assert (found.code, found.err) == (0, "")
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert lines[0] == "Fragensatz satz: 4 Fragen gestellt, 3 bekannte Normen; gemessen auf 10 Plätzen"
    assert "Fragen mit Treffer [success] 0,667 (0,208 bis 0,939) 0,667 3 2 von 3" in lines
    assert "Ohne bekannte Norm, in keiner Kennzahl: offen" in lines
    assert "nirgends § 999 HVG-A nicht im Bestand, nicht zu finden" in lines
    assert "aufgehoben § 52 HVG-A aufgehoben, nur mit Namen zu finden" in lines
    assert "Leistungen 1,000 (0,207 bis 1,000) 1" in lines
    assert any(line.startswith("HVG-A ") and line.endswith(" 3 2 von 3") for line in lines)


def test_a_figure_below_its_limit_ends_with_one(run: Run, sample_index: Path, set_file: Path) -> None:
    found = run("evaluate", set_file, "--fail-under", "success=0,7", "--fail-under", "recall=0.5", "--index", sample_index)
    assert found.code == 1
    assert found.err == "Unter der Grenze: success ist 0,667, verlangt ist mindestens 0,700.\n"
    assert run("evaluate", set_file, "--fail-under", f"success={2 / 3}", "--index", sample_index).code == 0


def test_a_figure_that_no_question_enters_is_below_every_limit(run: Run, sample_index: Path, set_file: Path) -> None:
    found = run("evaluate", set_file, "--fail-under", "chain_coverage=0", "--index", sample_index)
    assert found.code == 1
    assert found.err == "Unter der Grenze: chain_coverage ist –, verlangt ist mindestens 0,000.\n"


def test_other_settings_are_compared_with_chance_verdict_and_losers(run: Run, sample_index: Path, tmp_path: Path) -> None:
    other = settings_file(tmp_path, verweis_score=0.97)
    given = ("evaluate", SAMPLES / "questions.toml", "--against", other, "--index", sample_index, "--anchors", SAMPLES / "anchors.toml")
    found = run(*given)
    assert found.code == 0
    assert "Gegenüber Einstellungen andere.toml (38 Fragen in beiden):" in found.out
    after = [line.split() for line in found.out.partition("Kettenabdeckung, gewonnen:\n")[2].partition("\n\n")[0].splitlines()]
    before = {"sonderkennzeichen": "0,500", "abweichende-abgabe": "0,750", "saft-nicht-lieferbar": "0,750"}
    assert after == [[name, figure, "→", "1,000"] for name, figure in before.items()]
    assert "nicht unterscheidbar; nötig wären etwa" in found.out
    told = json.loads(run(*given, "--json").out)
    compared = msgspec.convert(told["against"], Against)
    assert [one.name for one in compared.differing] == ["verweis_score"]
    assert msgspec.convert(told["report"], Report).figure("chain_coverage").estimate.n == 17


def test_an_earlier_report_is_compared_as_it_was_written(run: Run, sample_index: Path, set_file: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "bericht.json"
    earlier.write_text(run("evaluate", set_file, "--set", "max_final_results=3", "--json", "--index", sample_index).out, "utf-8")
    found = run("evaluate", set_file, "--against", earlier, "--set", "max_final_results=3", "--index", sample_index)
    assert found.code == 0
    assert "Gegenüber Bericht bericht.json (4 Fragen in beiden):" in found.out
    assert "bei jeder Frage gleich" in found.out
    assert "verloren:" not in found.out
    longer = json.loads(run("evaluate", set_file, "--against", earlier, "--json", "--index", sample_index).out)
    assert longer["report"]["k"] == 3
    assert [one["name"] for one in longer["against"]["differing"]] == ["max_final_results"]


def test_english_sentences_and_the_changed_settings(run: Run, sample_index: Path, set_file: Path) -> None:
    found = run("evaluate", set_file, "--set", "min_ratio=0.5", "--lang", "en", "--index", sample_index)
    assert "Other than the defaults: min_ratio = 0.5\n" in found.out
    assert "0.667 (0.208 to 0.939)" in found.out


def test_a_question_that_cannot_be_run_is_named(run: Run, sample_index: Path, set_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gather = FederatedRetriever.gather

    def breaks(self: FederatedRetriever, question: str, *rest: object, **more: object) -> object:
        if question == QUESTION:
            raise RuntimeError("kaputt")
        return gather(self, question, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(FederatedRetriever, "gather", breaks)
    found = run("evaluate", set_file, "--index", sample_index)
    assert found.code == 1
    assert found.err == f"Nicht ausgeführt, in keiner Kennzahl: {QUESTION} (RuntimeError: kaputt)\n"


@pytest.mark.parametrize(
    "given",
    [
        ("--fail-under", "f1=0.5"),
        ("--fail-under", "recall"),
        ("--fail-under", "recall=1.5"),
        ("--fail-under", "recall=nan"),
        ("--against", "gibt-es-nicht.toml"),
        ("--settings", "gibt-es-nicht.toml"),
        ("--set", "min_ratio=7"),
    ],
)
def test_what_is_no_evaluation_is_refused_in_a_sentence(run: Run, sample_index: Path, set_file: Path, given: tuple[str, ...]) -> None:
    assert run("evaluate", set_file, *given, "--index", sample_index).refused


def test_a_file_that_is_neither_settings_nor_report_is_refused(run: Run, sample_index: Path, set_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "kein.json"
    for text in ('{"report": 3}', "x = 1", "{"):
        file.write_text(text, "utf-8")
        assert run("evaluate", set_file, "--against", file, "--index", sample_index).refused


def test_the_help_names_every_metric() -> None:
    assert _METRICS.split(", ") == list(METRICS)

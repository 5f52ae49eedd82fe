"""``fundstelle sweep`` over the sample corpora."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from cli_runs import Ran, Run

from retrieval.commands.sweep import GOALS
from retrieval.evaluation.sweeps.model import Goal, Sweep
from retrieval.evaluation.sweeps.scoring import goals
from retrieval.federated import FederatedRetriever

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_corpora"
QUESTIONS = SAMPLES / "questions.toml"
ANCHORS = ("--anchors", SAMPLES / "anchors.toml")
SMALL = """
[[question]]
id = "krankengeld"
text = "Wie viel Krankengeld bekomme ich und wie lange?"
gold = [{ written = "§ 40 HVG-A", corpus = "hvg_a", section = "§ 40" }]

[[question]]
id = "offen"
text = "Wer prüft eine Rezeptur?"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "satz.toml"
    file.write_text(SMALL, "utf-8")
    return file


def lines(found: Ran) -> list[str]:
    return [" ".join(line.split()) for line in found.out.splitlines()]


def test_a_staircase_is_told_with_its_best_stretch_its_edges_and_both_halves(run: Run, sample_index: Path) -> None:
    given = ("sweep", QUESTIONS, "--knob", "verweis_score", "--goal", "chain_complete", "--set", "verweis_score=0,97")
    found = run(*given, "--index", sample_index, *ANCHORS)
    assert (found.code, found.err) == (0, "")
    told = lines(found)
    assert told[:4] == [
        "Fragensatz questions: 27 Fragen zum Abstimmen, 11 zurückgehalten; gemessen auf 10 Plätzen",
        "Ziel: Vollständige Ketten [chain_complete]; mehr ist besser",
        "Abweichend von den Vorgaben: verweis_score = 0,97",
        "Mit Wert: 12; ohne Wert, weil das Ziel von ihnen nichts verlangt: 15",
    ]
    assert "in Kraft: verweis_score = 0,97, Wert 0,583" in told
    assert "bester Abschnitt: 0,35879 bis 0,51918, Wert 0,833 (Breite 0,160389, Mitte 0,438985)" in told
    assert "nicht vom besten zu unterscheiden: 0 bis 1" in told
    edge = told.index("Am Rand 0,51918 wechseln:")
    assert told[edge + 1] == "sonderkennzeichen 1,000 → 0,000"
    assert "Zu nehmen: verweis_score = 0,44" in told
    assert any(line.startswith("Gemessene Einstellungen: 7. ") and line.endswith("auf den zurückgehaltenen Fragen.") for line in told)
    assert any(line.startswith("zum Abstimmen (12) 0,583 0,833 0,250 ") and "nicht unterscheidbar" in line for line in told)
    assert any(line.startswith("zurückgehalten (5) 0,200 0,200 ") and line.endswith("bei jeder Frage gleich") for line in told)
    won = told.index("Gewonnen unter den Fragen zum Abstimmen:")
    assert told[won + 1 :] == [f"{name} 0,000 → 1,000" for name in ("sonderkennzeichen", "abweichende-abgabe", "saft-nicht-lieferbar")]


def test_the_numbers_told_are_those_of_the_json(run: Run, sample_index: Path) -> None:
    given = ("sweep", QUESTIONS, "--knob", "weight_vector", "--goal", "ndcg", "--index", sample_index, *ANCHORS)
    sweep = msgspec.convert(json.loads(run(*given, "--json").out), Sweep)
    assert (sweep.state, sweep.spec.kind, sweep.spec.goal) == ("finished", "one", Goal("ndcg"))
    assert sweep.line is not None
    assert sweep.gain is not None
    told = run(*given, "--lang", "en").out
    assert f"stretches of one value: {sweep.tried}\n" in told
    assert f"value {sweep.line.best.value:.3f} (width" in told
    assert f"To take: weight_vector = {sweep.values['weight_vector']:g}\n" in told
    assert f"to tune with ({sweep.gain.tuned.effect.n})" in told


def test_a_grid_says_how_many_cells_it_has(run: Run, sample_index: Path) -> None:
    given = ("sweep", QUESTIONS, "--knob", "weight_vector", "--knob", "min_hits_per_corpus", "--no-hold-out")
    found = run(*given, "--index", sample_index)
    assert found.code == 0
    assert "weight_vector × min_hits_per_corpus, gerechnete Zellen: 231 von 231\n" in found.out
    assert "Fragensatz questions: 38 Fragen zum Abstimmen, 0 zurückgehalten" in found.out
    assert "zurückgehalten ist keine Frage, an der sich das prüfen ließe." in found.out
    assert "beste Zelle: weight_vector = " in found.out


def test_trials_make_it_a_search_and_the_same_seed_the_same_search(run: Run, sample_index: Path, small: Path) -> None:
    given = ("sweep", small, "--knob", "min_ratio", "--trials", "5", "--seed", "3", "--no-hold-out", "--index", sample_index)
    found = run(*given)
    assert "Suche über min_ratio; Versuche: 5." in found.out
    one, other = (msgspec.convert(json.loads(run(*given, "--json").out), Sweep) for _ in range(2))
    assert one.trials == other.trials
    assert (one.spec.kind, one.spec.seed, len(one.trials)) == ("search", 3, 5)
    three = run(
        "sweep",
        small,
        *(part for name in ("min_ratio", "verweis_score", "fusion") for part in ("--knob", name)),
        "--no-hold-out",
        "--index",
        sample_index,
        "--json",
    )
    assert len(msgspec.convert(json.loads(three.out), Sweep).trials) == 200


def test_a_price_makes_the_cost_the_goal_and_values_are_told_one_by_one(run: Run, sample_index: Path) -> None:
    given = ("sweep", QUESTIONS, "--knob", "max_verweis_normen", "--cost", "2,5", "--index", sample_index)
    found = run(*given)
    assert "eine fehlende Norm wiegt so viel wie 2,5 überzählige Treffer" in found.out
    rows = [line for line in lines(found) if "nicht vom besten zu unterscheiden" in line]
    assert any(line.startswith("3 ") and "in Kraft" in line for line in rows)
    sweep = msgspec.convert(json.loads(run(*given, "--json").out), Sweep)
    assert sweep.spec.goal == Goal("cost", 2.5)
    assert [step.value for step in sweep.steps] == list(range(21))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--knob", "fetch_k"), "every value of it asks the corpora again"),
        (("--knob", "verweis"), "Known are: fusion, weight_vector"),
        (("--knob", "min_ratio", "--goal", "Recall"), "expected one of recall"),
        (("--knob", "min_ratio", "--goal", "mrr", "--cost", "5"), "expected it with the goal cost only"),
        (("--knob", "min_ratio", "--cost", "viel"), "expected a number of superfluous hits"),
        (("--knob", "min_ratio", "--cost", "0"), "expected a number above 0"),
        (("--knob", "min_ratio", "--trials", "0"), "trials: found 0"),
        (("--knob", "min_ratio", "--knob", "verweis_score", "--cells", "0"), "cells: found 0"),
        (("--knob", "min_ratio", "--set", "weight_vector=0", "--set", "weight_lexical=0"), "not all of them 0"),
    ],
)
def test_what_cannot_be_swept_is_refused(run: Run, sample_index: Path, small: Path, given: tuple[str, ...], said: str) -> None:
    found = run("sweep", small, *given, "--no-hold-out", "--index", sample_index)
    assert found.refused
    assert said in found.err


def test_a_set_without_a_value_for_the_goal_says_so_and_ends_with_one(run: Run, sample_index: Path, small: Path) -> None:
    found = run("sweep", small, "--knob", "min_ratio", "--goal", "chain_coverage", "--no-hold-out", "--index", sample_index)
    assert (found.code, found.err) == (1, "")
    assert found.out.endswith("\n\nKeine Frage zum Abstimmen hat einen Wert für dieses Ziel.\n")


def test_a_question_that_cannot_be_run_is_named(run: Run, sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gather = FederatedRetriever.gather
    asked: list[str] = []

    def breaks(self: FederatedRetriever, question: str, *rest: object, **more: object) -> object:
        asked.append(question)
        if len(asked) == 1:
            raise RuntimeError("kaputt")
        return gather(self, question, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(FederatedRetriever, "gather", breaks)
    found = run("sweep", QUESTIONS, "--knob", "min_ratio", "--index", sample_index)
    assert found.code == 1
    assert found.err.startswith("Nicht ausgeführt, in keiner Zahl: ")
    assert found.err.endswith("(RuntimeError: kaputt)\n")
    assert "Mit Wert: 26;" in found.out


def test_the_help_names_every_goal_and_loads_no_library(run: Run) -> None:
    assert ", ".join(goals()) == GOALS
    heavy = ("ir_measures", "optuna")
    code = (
        f"import sys, retrieval.cli as c\ntry: c.main(['sweep', '--help'])\nfinally: print([one for one in {heavy} if one in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert found.stdout.splitlines()[-1] == "[]"
    assert " ".join(GOALS.split()) in " ".join(found.stdout.split())

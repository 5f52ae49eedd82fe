"""``fundstelle compare`` over the sample corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runs import Run

from retrieval.errors import BadSource
from retrieval.questionfile import question_texts
from retrieval.settings import Settings

QUESTION = "Wann ist eine abweichende Abgabe erlaubt, wenn das Nachlassarzneimittel nicht verfügbar ist?"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "fragen.toml"
    file.write_text(f'[[question]]\ntext = "{QUESTION}"\n[[question]]\ntext = "Wie lange gilt eine Verordnung?"\n', "utf-8")
    return file


def test_both_lists_stand_side_by_side_with_what_they_share(run: Run, sample_index: Path) -> None:
    found = run("compare", QUESTION, "--set-b", "weight_lexical=0", "--set-b", "rrf_k=70", "--index", sample_index)
    assert found.code == 0
    assert "weight_lexical: 0,5 → 0\n" in found.out
    assert "rrf_k: 60 → 70 (ohne Wirkung: keine Seite nutzt diese Fusion)" in found.out
    rows = [line.split()[:2] for line in found.out.split("Fundstelle\n")[1].split("\n\n")[0].splitlines()]
    both = sum("–" not in row for row in rows)
    assert f"Treffer: {both} gemeinsam" in found.out
    assert [row[0] for row in rows if row[0] != "–"] == [str(place) for place in range(1, 11)]


def test_the_lists_are_those_of_ask(run: Run, sample_index: Path) -> None:
    compared = json.loads(run("compare", QUESTION, "--set-b", "min_ratio=0.9", "--json", "--index", sample_index).out)
    for side, more in (("a", ()), ("b", ("--set", "min_ratio=0.9"))):
        asked = json.loads(run("ask", QUESTION, *more, "--json", "--index", sample_index).out)
        living = [entry for entry in asked["named"]["ranking"]["entries"] if entry["fate"]["code"] != "below_limit"]
        assert compared[side]["hits"] == [entry["chunk_id"] for entry in living[:10]]
        assert compared["stamps"] == asked["stamps"]


def test_settings_come_from_files_and_a_stage_can_be_left_out(run: Run, sample_index: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.toml"
    file.write_text(Settings.of(max_final_results=5).to_toml(), "utf-8")
    found = json.loads(
        run("compare", QUESTION, "--b", file, "--without-b", "references", "--without-b", "quota", "--json", "--index", sample_index).out
    )
    assert (len(found["a"]["hits"]), len(found["b"]["hits"])) == (10, 5)
    assert found["b"]["without"] == ["references", "quota"]
    assert [one["name"] for one in found["differences"]] == ["max_final_results", "without"]


def test_a_set_of_questions_stands_with_the_most_changed_first(run: Run, sample_index: Path, questions: Path) -> None:
    found = run("compare", "--questions", questions, "--set-b", "weight_lexical=0", "--index", sample_index)
    assert found.code == 0
    assert found.out.startswith("Verglichene Fragen: 2;")
    told = json.loads(run("compare", "--questions", questions, "--set-b", "weight_lexical=0", "--json", "--index", sample_index).out)
    measured = [row["hits"]["jaccard"] for row in told["questions"]]
    assert measured == sorted(measured)
    assert told["summary"]["questions"] == 2
    assert told["b"]["settings"]["weight_lexical"] == 0
    assert told["stamps"]["index"]


def test_a_question_that_cannot_be_run_is_named_and_the_others_are_compared(
    run: Run, sample_index: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from retrieval.federated import FederatedRetriever

    gather = FederatedRetriever.gather

    def breaks(self: FederatedRetriever, question: str, *rest: object, **more: object) -> object:
        if question == QUESTION:
            raise RuntimeError("kaputt")
        return gather(self, question, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(FederatedRetriever, "gather", breaks)
    found = run("compare", "--questions", questions, "--set-b", "weight_lexical=0", "--index", sample_index)
    assert found.code == 1
    assert found.out.startswith("Verglichene Fragen: 1;")
    assert found.err == f"Nicht ausgeführt: {QUESTION} (RuntimeError: kaputt)\n"


@pytest.mark.parametrize(
    "given",
    [
        (QUESTION,),
        (QUESTION, "--set-a", "min_ratio=0.5", "--set-b", "min_ratio=0,5"),
        ("--set-b", "min_ratio=0.5"),
        (QUESTION, "--questions", "fragen.toml", "--set-b", "min_ratio=0.5"),
        ("--questions", "gibt-es-nicht.toml", "--set-b", "min_ratio=0.5"),
        (QUESTION, "--set-b", "min_ratio"),
    ],
)
def test_what_is_no_comparison_is_refused_in_a_sentence(run: Run, sample_index: Path, given: tuple[str, ...]) -> None:
    assert run("compare", *given, "--index", sample_index).refused


def test_a_file_without_a_question_is_refused(run: Run, sample_index: Path, tmp_path: Path) -> None:
    file = tmp_path / "leer.toml"
    file.write_text('[[question]]\nid = "x"\n', "utf-8")
    assert run("compare", "--questions", file, "--set-b", "min_ratio=0.5", "--index", sample_index).refused
    file.write_text("x = 1", "utf-8")
    with pytest.raises(BadSource, match="Expected"):
        question_texts(file)

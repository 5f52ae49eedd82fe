"""``fundstelle why`` over the sample corpora."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from cli_runs import Run

from retrieval.inspector.counterfactuals import Answer
from retrieval.inspector.life import STATIONS, Life

QUESTION = "Wie viel Krankengeld bekomme ich und wie lange?"
ANCHORS = Path(__file__).parents[1] / "sample_corpora" / "anchors.toml"


def test_the_stations_and_the_changes_are_printed(run: Run, sample_index: Path) -> None:
    found = run("why", "§ 40 HVG-A", QUESTION, "--index", sample_index)
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].startswith("§ 40 Abs. ")
    assert "steht auf Platz 1" in lines[0]
    assert [line.strip() for line in lines if line.startswith((" 1.", "  1.", " 16."))] == ["1. Im Bestand: ja", "16. In der Liste: ja"]
    assert "Weitere Textstücke dieser Norm (" in found.out
    assert any(line.startswith("  - „") for line in lines) or "nimmt die Norm aus der Liste" in found.out


def test_a_norm_that_was_not_fetched_tells_its_rank(run: Run, sample_index: Path) -> None:
    found = run("why", "§ 9 Abgabevertrag", QUESTION, "--set", "fetch_k=5", "--index", sample_index)
    assert "§ 9" in found.out.splitlines()[0]
    assert "in der Vektorsuche, geholt wurde bis Rang 5;" in found.out.splitlines()[0]


def test_life_and_answer_come_as_json_that_reads_back(run: Run, sample_index: Path) -> None:
    question = "Womit belegt die Apotheke die Abgabe anstelle des Nachlassarzneimittels?"
    found = run("why", "Ziffer 4.10 Abrechnungsvereinbarung", question, "--json", "--index", sample_index, "--anchors", ANCHORS)
    read = json.loads(found.out)
    told, answer = msgspec.convert(read["life"], Life), msgspec.convert(read["answer"], Answer)
    assert tuple(one.name for one in told.stations) == STATIONS
    assert (told.how, told.place, answer.place, answer.wanted) == ("anchor", 1, 1, False)
    claim = told.station("anchor").claim
    assert claim is not None
    assert claim.anchor_id == "abweichende-abgabe-kennzeichnen"


def test_the_answer_comes_in_english(run: Run, sample_index: Path) -> None:
    found = run("why", "§ 52 HVG-A", QUESTION, "--lang", "en", "--index", sample_index)
    assert found.out.splitlines()[0] == "§ 52 HVG-A is not in the list: the norm is repealed, and repealed norms are not searched."
    assert "No setting can help: the norm is repealed, and repealed norms are not searched." in found.out


@pytest.mark.parametrize(
    ("address", "question", "complaint"),
    [
        ("§ 14", QUESTION, "expected one"),
        ("§ 9999 HVG-A", QUESTION, "found no § 9999 there"),
        ("Guten Tag", QUESTION, "found no address"),
        ("§ 40 HVG-A", " ", "found no text"),
    ],
)
def test_what_is_not_one_norm_or_no_question_is_refused(run: Run, sample_index: Path, address: str, question: str, complaint: str) -> None:
    found = run("why", address, question, "--index", sample_index)
    assert found.refused
    assert complaint in found.err

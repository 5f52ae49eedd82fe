"""``fundstelle cites`` and ``fundstelle norm`` over the sample corpora."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from cli_runs import Run

from retrieval.manifest import CHUNKS
from retrieval.registry import CorpusRegistry, open_texts

TEXT = "Nach § 9 des Abgabevertrages und § 823 BGB gilt Absatz 2."


def test_the_citations_of_a_text_are_read_and_resolved(run: Run, sample_index: Path) -> None:
    found = run("cites", TEXT, "--index", sample_index)
    assert found.code == 0
    assert found.out.splitlines()[0] == "3 Fundstellen gelesen, 2 Verweise"
    assert "„§ 9 des Abgabevertrages“: § 9" in found.out
    assert "(aufgelöst)" in found.out
    assert "„§ 823 BGB“: BGB (Ziel nicht im Bestand)" in found.out
    assert "„Absatz 2“: kein Verweis" in found.out


def test_the_own_text_is_named_with_in(run: Run, sample_index: Path) -> None:
    without = run("cites", "Es gilt § 2.", "--index", sample_index)
    within = run("cites", "Es gilt § 2.", "--in", "§ 1 HVG-A", "--index", sample_index)
    assert "ohne Regelwerk genannt" in without.out
    assert "„§ 2“: § 2 HVG-A (aufgelöst)" in within.out


def test_a_text_comes_from_standard_input(run: Run, sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    assert run("cites", "-", "--index", sample_index).out == run("cites", TEXT, "--index", sample_index).out


def test_citations_and_references_come_as_json(run: Run, sample_index: Path) -> None:
    found = json.loads(run("cites", TEXT, "--json", "--index", sample_index).out)
    assert [one["words"] for one in found["citations"]] == ["§ 9 des Abgabevertrages", "§ 823 BGB", "Absatz 2"]
    assert [one["state"] for one in found["references"]] == ["resolved", "not_in_stock"]


def test_a_text_without_citation_says_so_and_an_empty_one_is_refused(run: Run, sample_index: Path) -> None:
    assert run("cites", "Guten Tag", "--index", sample_index).out == "Der Text nennt keine Fundstelle.\n"
    assert run("cites", " ", "--index", sample_index).refused


def test_a_norm_is_shown_with_what_it_cites_and_what_cites_it(run: Run, sample_index: Path) -> None:
    found = run("norm", "§ 9 Abgabevertrag", "--index", sample_index)
    assert found.code == 0
    assert found.out.startswith("§ 9 Abgabevertrag")
    assert "Nennt (" in found.out
    assert "Wird genannt von (" in found.out
    read = json.loads(run("norm", "§ 9 Abgabevertrag", "--json", "--index", sample_index).out)
    assert f"Wird genannt von ({len(read['cited_by'])}):" in found.out
    assert read["state"] == "found"


@pytest.mark.parametrize(
    ("typed", "reason"),
    [("§ 823 BGB", "BGB is not in stock"), ("§ 1", "found"), ("HVG-A", "no section"), ("§ 999 HVG-A", "found no § 999")],
)
def test_words_that_are_no_single_norm_are_refused_with_what_was_understood(run: Run, sample_index: Path, typed: str, reason: str) -> None:
    found = run("norm", typed, "--index", sample_index)
    assert found.refused
    assert reason in found.err


def test_texts_opened_for_look_ups_have_the_references_of_the_whole_stock(sample_index: Path) -> None:
    whole, texts = CorpusRegistry(sample_index).state, open_texts(sample_index)
    assert texts.available() == whole.available()
    ids = [chunk_id for stock in whole.stocks.values() for chunk_id in stock.ids]
    assert [texts.federation.references(one) for one in ids] == [whole.federation.references(one) for one in ids]


def test_a_corpus_that_cannot_be_read_is_named_and_the_others_serve(run: Run, sample_index: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "index"
    shutil.copytree(sample_index, folder)
    next(folder.glob(f"corpora/hvg*/{CHUNKS}")).unlink()
    found = run("norm", "§ 9 Abgabevertrag", "--index", folder)
    assert found.code == 1
    assert found.out.startswith("§ 9 Abgabevertrag")
    assert "Nicht gelesen, weil gesperrt: Heilversorgungsgesetz" in found.err

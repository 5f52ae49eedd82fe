"""``fundstelle tour``: what it says, what it checks, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

from cli_runs import Run

from sample_corpora import PATH

ANCHORS = PATH / "anchors.toml"
STEP = '[[step]]\nid = "a"\nde = "Der § 4 steht vorn."\nquestion = "Wann befreit mich die Kasse vom Eigenanteil?"\n'


def written(folder: Path, *lines: str) -> Path:
    file = folder / "rundgang.toml"
    file.write_text(STEP + "\n".join(lines), "utf-8")
    return file


def test_the_tour_of_the_samples_is_true_and_says_so(run: Run, sample_index: Path) -> None:
    found = run("tour", PATH / "tour.toml", "--index", sample_index, "--anchors", ANCHORS)
    assert (found.code, found.err) == (0, "")
    assert "Schritt 2 von 7: Die Quote sagt jedem Regelwerk" in found.out
    assert "neu auf Platz 10: Ziffer 4.10 Abrechnungsvereinbarung (vorher nicht in der Liste, vor der Quote Platz 24)" in found.out
    assert found.out.endswith("7 Schritte, 20 Aussagen: alle treffen zu.\n")


def test_without_the_register_the_claims_about_anchors_are_not_true(run: Run, sample_index: Path) -> None:
    found = run("tour", PATH / "tour.toml", "--index", sample_index, "--lang", "en")
    assert found.code == 1
    assert "NOT TRUE: Ziffer 4.10 Abrechnungsvereinbarung is at place 1; not found in the list" in found.out
    assert "Both lists are the same." in found.out


def test_a_claim_about_what_is_not_in_stock_is_no_success(run: Run, sample_index: Path, tmp_path: Path) -> None:
    file = written(tmp_path, 'expects = [{ corpus = "hvg_a", section = "§ 999", in_list = false }]')
    found = run("tour", file, "--index", sample_index)
    assert found.code == 1
    assert "NICHT IM BESTAND: § 999 HVG-A steht nicht in der Liste" in found.out


def test_a_step_without_claims_says_that_nothing_was_checked(run: Run, sample_index: Path, tmp_path: Path) -> None:
    found = run("tour", written(tmp_path), "--index", sample_index)
    assert found.code == 0
    assert "Zu diesem Schritt ist nichts zum Nachprüfen angegeben." in found.out
    assert "Gezeigt: alle Einstellungen auf Vorgabe" in found.out


def test_as_json_each_step_has_its_claims_and_its_moves(run: Run, sample_index: Path) -> None:
    found = run("tour", PATH / "tour.toml", "--index", sample_index, "--anchors", ANCHORS, "--json")
    records = json.loads(found.out)
    assert [record["holds"] for record in records] == [True] * 7
    entered = [(move["address"]["section_id"], move["after"], move["stood"]) for move in records[1]["moves"] if not move["before"]]
    assert entered == [("§ 12", 9, 11), ("Ziffer 4.10", 10, 24)]


def test_a_faulty_file_is_refused_in_one_sentence(run: Run, sample_index: Path, tmp_path: Path) -> None:
    found = run("tour", written(tmp_path, "settings = { min_ratio = 7 }"), "--index", sample_index)
    assert found.refused
    assert "rundgang.toml, step 1, line 1: min_ratio: found '7'" in found.err

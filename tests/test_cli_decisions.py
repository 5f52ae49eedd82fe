"""``fundstelle decisions`` and ``fundstelle evaluate --decision``: listed, shown, compared, and held against a later measurement."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from cli_runs import Run

from retrieval.decide import decide
from retrieval.evaluation.decision_compare import Held
from retrieval.evaluation.decision_files import Kept, store
from retrieval.evaluation.decisions import Decision, decision
from retrieval.evaluation.evaluate import evaluate
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.sets import load
from retrieval.exports.fingerprints import Fingerprint
from retrieval.federated import FederatedRetriever
from retrieval.settings import Settings
from tests.evaluation.decided import BAD, HIGH, made, report, signed

SAMPLES = Path(__file__).parents[1] / "sample_corpora"
SET = """
[[question]]
id = "krankengeld"
text = "Wie viel Krankengeld bekomme ich und wie lange?"
gold = [{ written = "§ 40 HVG-A", corpus = "hvg_a", section = "§ 40" }]

[[question]]
id = "kasse"
text = "Meine Kasse wird teurer. Kann ich sie wechseln?"
gold = [{ written = "§ 17 Absatz 2 HVG-A", corpus = "hvg_a", section = "§ 17", subsection = "2" }]
"""


@pytest.fixture
def set_file(tmp_path: Path) -> Path:
    file = tmp_path / "satz.toml"
    file.write_text(SET, "utf-8")
    return file


@pytest.fixture
def kept(tmp_path: Path, set_file: Path, federation: FederatedRetriever) -> Kept:
    """A decision over the set on the sample corpora, without the quota."""
    checked = Golds(federation.registry.federation).check(load(set_file).questions)
    used, without = Settings.of(verweis_score=0.97), ("quota",)
    traces = {one.id: decide(federation.gather(one.text, used), used, without=without) for one in checked.settled.questions}
    marks = Fingerprint.of(next(iter(traces.values())))
    return store(tmp_path / "decisions", decision(signed(), evaluate(checked, traces), checked.settled, marks=marks))


def changed(kept: Kept, **fields: object) -> Path:
    """The decision with other fields, beside it."""
    path = kept.path.with_name("andere.json")
    path.write_bytes(msgspec.structs.replace(kept.decision, **fields).to_json())
    return path


# --- list, show, compare -----------------------------------------------------------------------------------------------------


def test_decisions_are_listed_latest_first_and_broken_files_named(run: Run, tmp_path: Path) -> None:
    store(tmp_path, made())
    store(tmp_path, made(told=msgspec.structs.replace(signed("Später"), decided="2033-06-01T08:00:00+00:00")))
    found = run("decisions", "list", tmp_path)
    assert (found.code, found.err) == (0, "")
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert lines[1] == "01.06.2033, 10:00 Uhr Später Ada Beispiel; Emil Muster Satz 2033-06-01-spaeter.json"
    assert lines[2].startswith("02.05.2033, 20:30 Uhr Verweise weiter vorn")
    (tmp_path / "kaputt.json").write_text("{}", "utf-8")
    broken = run("decisions", "list", tmp_path, "--json")
    assert broken.code == 1
    assert "kaputt.json: found no decision" in broken.err
    told = json.loads(broken.out)
    assert [one["name"] for one in told["decisions"]] == ["Später", "Verweise weiter vorn"]
    assert told["decisions"][0]["settings"] == HIGH.flat()


def test_a_workshop_without_decisions_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNDSTELLE_TUNING", str(tmp_path))
    found = run("decisions", "list", "--lang", "en")
    assert (found.code, found.out) == (0, f"There is no decision in {tmp_path / 'decisions'} yet.\n")


def test_a_decision_is_shown_as_minutes_by_its_name_in_the_workshop(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = store(tmp_path / "decisions", made())
    monkeypatch.setenv("FUNDSTELLE_TUNING", str(tmp_path))
    for name in (kept.path, kept.path.name, kept.path.stem):
        found = run("decisions", "show", name)
        assert (found.code, found.out.rstrip()) == (0, kept.beside(".md").read_text("utf-8").rstrip())
    assert msgspec.json.decode(run("decisions", "show", kept.path, "--json").out, type=Decision) == made()
    assert "# Minutes of the decision" in run("decisions", "show", kept.path, "--lang", "en").out


def test_what_is_no_decision_is_refused(run: Run, tmp_path: Path) -> None:
    assert run("decisions", "show", tmp_path / "nichts.json").refused
    later = tmp_path / "neu.json"
    later.write_text('{"schema": 9}', "utf-8")
    found = run("decisions", "show", later)
    assert found.refused
    assert "form 9; this program reads form 1" in found.err


def test_two_decisions_are_compared_in_words_and_as_json(run: Run, tmp_path: Path) -> None:
    first = store(tmp_path, made(after=report(), told=signed("Erste")))
    second = store(tmp_path, made(after=report(HIGH, others={"f3": BAD})))
    found = run("decisions", "compare", first.path, second.path)
    assert (found.code, found.err) == (0, "")
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert lines[0].startswith("Von „Erste“ (02.05.2033, 20:30 Uhr) zu „Verweise weiter vorn“")
    assert "Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97" in lines
    assert "Der Fragensatz ist derselbe." in lines
    assert any(line.startswith("Ausbeute (Recall) 1,000 0,958 offen: −0,042") for line in lines)
    assert any(line.startswith("f3 Ausbeute (Recall) 1,000 → 0,500") for line in lines)
    told = json.loads(run("decisions", "compare", first.path, second.path, "--json").out)
    assert (told["questions"], told["same_set"]) == (12, True)
    assert [one["name"] for one in told["shift"]["settings"]] == ["verweis_score"]


# --- a nightly run -----------------------------------------------------------------------------------------------------------


def test_a_decision_that_holds_ends_with_zero(run: Run, sample_index: Path, set_file: Path, kept: Kept) -> None:
    given = ("evaluate", set_file, "--decision", kept.path, "--index", sample_index, "--anchors", SAMPLES / "anchors.toml")
    found = run(*given)
    assert (found.code, found.err) == (0, "")
    assert "Abweichend von den Vorgaben: verweis_score = 0,97" in found.out
    assert "Keine Kennzahl liegt darunter; die Entscheidung trägt." in found.out
    assert "Nicht mehr wie bei der Entscheidung" not in found.out
    told = json.loads(run(*given, "--json").out)
    assert told["report"]["without"] == ["quota"]
    assert msgspec.convert(told["decision"], Held).holds


def test_a_fallen_figure_ends_with_one_and_names_the_questions(run: Run, sample_index: Path, set_file: Path, kept: Kept) -> None:
    rows = kept.decision.report.rows
    better = tuple(msgspec.structs.replace(row, values={**row.values, "mrr": (row.values["mrr"] or 0) + 0.5}) for row in rows[:1])
    path = changed(kept, report=msgspec.structs.replace(kept.decision.report, rows=(*better, *rows[1:])))
    given = ("evaluate", set_file, "--decision", path, "--index", sample_index, "--anchors", SAMPLES / "anchors.toml")
    found = run(*given)
    assert found.code == 1
    assert found.err.startswith("Unter der Entscheidung: mrr ist ")
    assert found.err.count("\n") == 1
    after = found.out.partition("Erster Treffer (MRR), schlechter als entschieden:\n")[2]
    assert after.split()[0] == "krankengeld"
    assert run(*given, "--tolerance", "0,3").code == 0
    assert run(*given, "--tolerance", "0.2").code == 1


def test_another_set_and_another_stock_are_said(run: Run, sample_index: Path, set_file: Path, kept: Kept) -> None:
    set_file.write_text(
        SET.partition('[[question]]\nid = "kasse"')[0] + '[[question]]\nid = "neu"\ntext = "Wer prüft eine Rezeptur?"\n', "utf-8"
    )
    found = run("evaluate", set_file, "--decision", kept.path, "--index", sample_index)
    assert "Der Fragensatz ist nicht der der Entscheidung" in found.out
    assert "mit anderen Angaben: kasse, neu" in found.out
    assert "Nicht mehr wie bei der Entscheidung: Ankerregister." in found.out or "steht nicht fest: Ankerregister" in found.out
    set_file.write_text('[[question]]\nid = "neu"\ntext = "Wer prüft eine Rezeptur?"\n', "utf-8")
    nothing = run("evaluate", set_file, "--decision", kept.path, "--index", sample_index)
    assert nothing.code == 1
    assert "damit ist nichts belegt" in nothing.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--settings", "a.toml"), "found together with --settings"),
        (("--set", "min_ratio=0.5"), "found together with --set"),
        (("--tolerance", "2"), "expected a number from 0 to 1"),
        (("--tolerance", "viel"), "expected a number from 0 to 1"),
    ],
)
def test_options_that_do_not_go_with_a_decision_are_refused(
    run: Run, tmp_path: Path, set_file: Path, more: tuple[str, str], said: str
) -> None:
    path = store(tmp_path / "decisions", made()).path
    found = run("evaluate", set_file, "--decision", path, *more)
    assert found.refused
    assert said in found.err


def test_a_tolerance_without_a_decision_is_refused(run: Run, set_file: Path) -> None:
    assert run("evaluate", set_file, "--tolerance", "0.1").refused

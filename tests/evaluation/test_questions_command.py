"""``fundstelle questions``: what is taken is said line by line, nothing is written by accident, and everything comes back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_runs import Run

from retrieval.commands import questions as command
from retrieval.evaluation import sets
from retrieval.evaluation.formats import FORMATS
from retrieval.evaluation.formats.preview import reduced
from retrieval.words import LANGUAGES, catalogue

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_corpora" / "questions.toml"
TABLE = 'id;frage;gold;Farbe\na;Wer haftet?;§ 41a HVG-A;rot\nb;Wo steht das?;"§ 433 BGB; § 14 Abgabevertrag"\na;Noch eine?;\n'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of a German spreadsheet with a line that cannot be taken."""
    path = tmp_path / "fragen.csv"
    path.write_bytes(TABLE.replace("\n", "\r\n").encode("cp1252"))
    return path


def test_the_sample_set_has_all_its_norms_in_stock(run: Run, sample_index: Path) -> None:
    ran = run("questions", "check", SAMPLE, "--index", sample_index)
    assert "„questions“: 38 Fragen" in ran.out
    assert "aufgehoben" in ran.out
    assert ran.out.count("Frage „") == 1  # one asks for a repealed norm on purpose
    assert ran.code == 1


def test_check_says_what_is_wrong_with_a_norm(run: Run, sample_index: Path, tmp_path: Path) -> None:
    path = tmp_path / "probe.toml"
    norms = [
        '{ corpus = "hvg_a", section = "§ 999" }',
        '{ written = "§ 10" }',
        '{ written = "§ 14 Abgabevertrag", corpus = "hvg_a", section = "§ 41a" }',
    ]
    path.write_text(f'[[question]]\nid = "a"\ntext = "Frage?"\ngold = [{", ".join(norms)}]\n', "utf-8")
    ran = run("questions", "check", path, "--index", sample_index)
    assert ran.code == 1
    assert "„§ 999 hvg_a“ ist nicht im Bestand" in ran.out
    assert "„§ 10“ ist nicht eindeutig" in ran.out
    assert "      § 10 HVG-A\n" in ran.out
    assert "„§ 14 Abgabevertrag“ meint eine andere Norm" in ran.out
    assert "2 von 3 Normen kann keine Suche finden." in ran.out
    found = json.loads(run("--json", "questions", "check", path, "--index", sample_index).out)
    assert found["states"] == {"not_in_stock": 1, "ambiguous": 1, "in_stock": 1}
    assert [one["gold"]["state"] for one in found["findings"]] == ["not_in_stock", "ambiguous", "in_stock"]


def test_an_import_is_shown_line_by_line_and_writes_nothing(run: Run, sample_index: Path, table: Path) -> None:
    before = sorted(table.parent.iterdir())
    ran = run("questions", "import", table, "--index", sample_index)
    assert ran.code == 1
    assert "Die Spalte „Farbe“ ist nicht bekannt" in ran.out
    assert "Zeile 2: übernommen   a · Wer haftet?" in ran.out
    assert "Zeile 3: übernommen mit Hinweis   b · Wo steht das?\n    „§ 433 BGB“ ist nicht im Bestand." in ran.out
    assert "Zeile 4: nicht übernommen   a · Noch eine?\n    Die Kennung „a“ steht schon in Zeile 2." in ran.out
    assert "Zeilen: 1 übernommen, 1 mit Hinweis übernommen, 1 nicht übernommen. Das ergibt 2 Fragen." in ran.out
    assert "Nur gezeigt" in ran.out
    assert sorted(table.parent.iterdir()) == before


def test_an_import_goes_into_a_set_and_not_a_second_time(run: Run, sample_index: Path, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "satz.toml"
    ran = run("questions", "import", table, "--into", path, "--index", sample_index)
    assert f"Geschrieben: {path}, jetzt 2 Fragen" in ran.out
    written = path.read_bytes()
    assert [one.id for one in sets.load(path).questions.questions] == ["a", "b"]
    again = run("questions", "import", table, "--into", path, "--index", sample_index)
    assert again.code == 1
    assert again.out.count("Diese Frage steht schon im Fragensatz") == 2
    assert "es wurde nichts geschrieben" in again.out
    assert path.read_bytes() == written
    assert len(sets.history(path)) == 1


def test_an_id_that_was_made_gives_way_to_one_in_use(run: Run, sample_index: Path, tmp_path: Path) -> None:
    path, source = tmp_path / "satz.toml", tmp_path / "neu.csv"
    path.write_text('# meine Fragen\n\n[[question]]\nid = "wer-haftet"\ntext = "Eine andere?"\n', "utf-8")
    source.write_text("frage\nWer haftet?\n", "utf-8")
    ran = run("--json", "questions", "import", source, "--into", path, "--index", sample_index)
    assert json.loads(ran.out)["written"] == str(path)
    assert [one.id for one in sets.load(path).questions.questions] == ["wer-haftet", "wer-haftet-2"]
    assert path.read_text("utf-8").startswith("# meine Fragen\n")


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_exported_is_imported_again(run: Run, sample_index: Path, tmp_path: Path, name: str) -> None:
    file, path = tmp_path / f"satz.{FORMATS[name].ending}", tmp_path / "questions.toml"
    ran = run("questions", "export", SAMPLE, "--format", name, "--output", file)
    assert (ran.code, ran.err) == (0, "")
    assert ("geht verloren" in ran.out) == (name not in ("csv", "xlsx", "beir", "toml"))
    texts = () if "text" in FORMATS[name].holds else ("--texts", SAMPLE)
    ran = run("questions", "import", file, "--format", name, "--into", path, "--index", sample_index, *texts)
    assert (ran.code, ran.err) == (0, "")
    assert sets.load(path).questions == reduced(sets.load(SAMPLE).questions, FORMATS[name].holds)


def test_a_file_is_replaced_only_when_asked(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "satz.csv"
    file.write_text("mein Text", "utf-8")
    call = ("questions", "export", SAMPLE, "--output", file)
    assert run(*call).refused
    assert file.read_text("utf-8") == "mein Text"
    assert json.loads(run("--json", *call, "--force").out)["format"] == "csv"
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("import", "fehlt.csv"), "there is no such file"),
        (("import", "fragen.csv", "--format", "word"), "found the format 'word'"),
        (("import", "fragen.txt"), "no format for the ending '.txt'"),
        (("export", SAMPLE, "--output", "satz.pdf"), "no format for the ending '.pdf'"),
        (("check", "fehlt.toml"), "cannot be read"),
        (("history", SAMPLE, "--restore", "abc"), "found 0 versions"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(
    run: Run, sample_index: Path, table: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(table.parent)
    ran = run("questions", *argv, "--index", sample_index)
    assert ran.refused
    assert said in ran.err


def test_sets_are_listed_and_other_files_are_not(run: Run, tmp_path: Path) -> None:
    (tmp_path / "satz.toml").write_bytes(SAMPLE.read_bytes())
    (tmp_path / "andere.toml").write_text("x = 1\n", "utf-8")
    (tmp_path / "leer.toml").write_text("", "utf-8")
    ran = run("questions", "list", tmp_path)
    assert ran.code == 0
    assert ran.out.count("\n") == 2
    assert re.search(r"satz\.toml  satz  38      0          \d+", ran.out)
    listed = json.loads(run("--json", "questions", "list", tmp_path).out)["sets"]
    assert [(one["name"], one["questions"], one["versions"]) for one in listed] == [("satz", 38, 0)]
    named = run("questions", "list", tmp_path / "andere.toml")
    assert (named.code, "Kein Fragensatz" in named.err) == (1, True)
    (tmp_path / "ordner").mkdir()
    assert run("questions", "list", tmp_path / "ordner").out == "Keine Fragensätze gefunden.\n"


def test_a_former_version_is_shown_and_comes_back(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "satz.toml"
    path.write_bytes(SAMPLE.read_bytes())
    assert "noch nie von diesem Programm" in run("questions", "history", path).out
    loaded = sets.load(path)
    sets.save(path, type(loaded.questions)("satz", loaded.questions.questions[:3]), loaded.seen)
    kept = json.loads(run("--json", "questions", "history", path).out)
    assert len(kept) == 2
    assert kept[0]["hash"] in run("questions", "history", path).out
    path.write_text("kaputt", "utf-8")
    ran = run("questions", "history", path, "--restore", kept[1]["hash"])
    assert "mit 38 Fragen" in ran.out
    assert path.read_bytes() == SAMPLE.read_bytes()


# --- words ------------------------------------------------------------------------------------------------------------------


def test_every_remark_has_its_words_with_the_values_that_it_brings() -> None:
    folder = ROOT / "retrieval" / "evaluation" / "formats"
    text = "\n".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    codes = set(re.findall(r'Remark\("(\w+)"', text)) | set(re.findall(r'refuse\(line, "(\w+)"', text)) | {"same_text", "blank_only"}
    codes |= {f"gold_{state}" for state in ("not_in_stock", "repealed", "ambiguous", "unreadable")}
    codes |= {f"gold_{note}" for note in ("only_one", "written_differs", "several", "piece")}
    codes |= {f"gold_unreadable_{note}" for note in ("whole_part", "grade", "several")}
    for language in LANGUAGES:
        keys = {key.removeprefix("questions.remark.") for key in catalogue(language) if key.startswith("questions.remark.")}
        assert codes == keys


def test_every_field_and_state_has_its_word() -> None:
    from typing import get_args

    from retrieval.evaluation.formats.preview import Field, Verdict
    from retrieval.evaluation.golds import GoldState

    for family, codes in (("field", Field), ("state", GoldState), ("verdict", Verdict)):
        assert {key for key in catalogue("de") if key.startswith(f"questions.{family}.")} == {
            f"questions.{family}.{code}" for code in get_args(codes)
        }


def test_the_help_names_the_formats_that_there_are() -> None:
    assert ", ".join(FORMATS) == command._FORMATS

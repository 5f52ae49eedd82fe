"""Taking questions in: a file is looked at line by line, and stored only then."""

from __future__ import annotations

import io
import unicodedata
from pathlib import Path

import openpyxl
import pytest

from dashboard.controls import STATE
from retrieval.evaluation import protocol, sets
from retrieval.evaluation.formats import FORMATS
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from tests.dashboard.demo import HTML
from tests.dashboard.question_sets.using import MADE, Open, acts, press, preview, rows, shown, task, upload

ROWS = 'id;frage;gold\n1;Wie läuft die Prüfung?;"gesetz § 5 Abs. 1; vereinbarung Ziffer 5"\n'


@pytest.mark.parametrize(
    "data",
    [
        ROWS.encode("utf-8-sig"),
        ROWS.encode(),
        ROWS.encode("cp1252"),
        ROWS.replace("; ", "|").replace(";", ",").replace("|", "; ").encode(),
        ROWS.replace("\n", "\r\n").encode(),
    ],
    ids=["mark", "utf-8", "cp1252", "commas", "crlf"],
)
def test_a_german_spreadsheet_gives_the_same_questions_however_it_was_saved(opened: Open, workshop: Workshop, data: bytes) -> None:
    page = upload(opened(), data)
    assert "1 Zeile: 1 übernommen, 0 mit Hinweis übernommen, 0 nicht übernommen. Das ergibt 1 Frage." in shown(page)
    assert not workshop.folder.exists()
    press(page, "sets_take")
    (made,) = sets.load(workshop.set_file("fragen")).questions.questions
    assert (made.id, made.text) == ("1", "Wie läuft die Prüfung?")
    assert [need.any_of[0].address for need in made.needs] == [Address("gesetz", "", "§ 5", "1"), Address("vereinbarung", "", "Ziffer 5")]


def test_norms_that_are_not_in_stock_are_said_before_anything_is_stored(opened: Open, workshop: Workshop) -> None:
    data = "id;frage;gold\n1;A?;gesetz § 5 Abs. 1\n2;B?;AMG-T § 5 Absatz 1\n3;C?;gesetz § 999\n4;D?;unbekannt § 1\n"
    page = upload(opened(), data.encode())
    assert "Stand der genannten Normen: 2 im Bestand, 2 nicht im Bestand." in shown(page)
    found = preview(page)
    assert [row[1] for row in found] == ["übernommen", "übernommen", "übernommen mit Hinweis", "übernommen mit Hinweis"]
    assert found[0][3] == found[1][3] == "AMG-T · § 5 Abs. 1: im Bestand"
    assert found[2][3] == "AMG-T · § 999: nicht im Bestand"
    assert "ist nicht im Bestand" in found[3][4]
    press(page, "sets_take")
    assert "2 von 4 Normen kann keine Suche finden." in shown(page)
    assert [row[0] for row in rows(page, "Normen, zu denen etwas zu sagen ist")] == [
        "AMG-T · § 999: nicht im Bestand",
        "unbekannt · § 1: nicht im Bestand",
    ]


def test_rows_that_are_not_complete_are_said_line_by_line(opened: Open) -> None:
    data = "id;frage;gold;farbe\n1;Nur Frage?\n2;Ohne Gold?;;rot\n2;Doppelt?;gesetz § 5\n4;Ohne Gold? ;gesetz § 5\n;;\n"
    page = upload(opened(), data.encode())
    found = preview(page)
    assert [(row[0], row[1]) for row in found] == [
        ("2", "übernommen mit Hinweis"),
        ("3", "übernommen mit Hinweis"),
        ("4", "nicht übernommen"),
        ("5", "nicht übernommen"),
        ("6", "nicht übernommen"),
    ]
    assert "steht schon in Zeile 3" in found[2][4]
    assert "nur durch Leerzeichen" in found[3][4]
    text = shown(page)
    assert "Die Spalte „farbe“ ist nicht bekannt" in text
    assert "2 Fragen nennen keine Norm" in text
    page.radio(key="sets_shown").set_value("refused").run()
    assert [row[0] for row in preview(page)] == ["4", "5", "6"]


def test_the_protocol_knows_who_took_in_what(opened: Open, workshop: Workshop) -> None:
    page = opened()
    next(one for one in page.text_input if one.label == "Wer arbeitet?").set_value(" Dr.  Muster ").run()
    press(upload(page, ROWS.encode(), "Prüfung & Co.csv"), "sets_take")
    assert page.session_state[STATE].chosen_set == "Prüfung Co"
    assert page.query_params["set"] == "Prüfung Co"
    assert "Aufgenommen in „Prüfung Co“" in shown(page)
    details = {"file": "Prüfung & Co.csv", "format": "csv", "questions": 1, "refused": 0}
    assert acts(workshop, "Prüfung Co") == [("imported", details, "")]
    assert [one.who for one in protocol.events(workshop.protocol_file("Prüfung Co"))] == ["Dr. Muster"]


def test_a_set_that_exists_is_never_overwritten(opened: Open, own: Path) -> None:
    before = own.read_bytes()
    page = upload(task(opened(), "import"), ROWS.encode())
    name = next(one for one in page.text_input if one.label == "Name des Fragensatzes")
    assert name.value == "fragen 2"
    name.set_value("FRAGEN")
    press(page, "sets_take")
    assert "Den Namen „FRAGEN“ gibt es schon" in shown(page)
    assert own.read_bytes() == before
    next(one for one in page.text_input if one.label == "Name des Fragensatzes").set_value("../x")
    press(page, "sets_take")
    assert "„../x“ kann kein Fragensatz heißen" in shown(page)


def test_added_questions_leave_what_is_there_as_it_is(opened: Open, own: Path) -> None:
    page = upload(task(opened(), "import"), "id;frage;gold\neins;Anderes?;gesetz § 6\nneu;Neu?;gesetz § 7\n".encode())
    page.radio(key="sets_target_0").set_value("add").run()
    found = preview(page)
    assert [row[1] for row in found] == ["nicht übernommen", "übernommen"]
    assert "Was dort steht, bleibt." in found[0][4]
    press(page, "sets_take")
    after = sets.load(own).questions.questions
    assert after[:3] == MADE.questions
    assert [one.id for one in after[3:]] == ["neu"]


def test_a_set_written_meanwhile_is_not_added_to(opened: Open, own: Path) -> None:
    page = upload(task(opened(), "import"), ROWS.encode())
    page.radio(key="sets_target_0").set_value("add").run()
    other = sets.save(own, QuestionSet("fragen", MADE.questions[:1]), sets.load(own).seen)
    press(page, "sets_take")
    assert "wurde inzwischen von jemand anderem geschrieben" in shown(page)
    assert sets.load(own) == other


def test_a_file_without_words_takes_them_from_another_set(opened: Open, own: Path, workshop: Workshop) -> None:
    write = FORMATS["ranx"].write
    assert write is not None
    page = upload(task(opened(), "import"), write(MADE), "qrels.json")
    assert "Keine Frage zu übernehmen" in shown(page)
    page.selectbox(key="sets_texts_0").select("fragen").run()
    press(page, "sets_take")
    taken = sets.load(workshop.set_file("qrels")).questions.questions
    assert [one.text for one in taken] == [one.text for one in MADE.questions]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "Die Datei ist leer"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "mit einem Kennwort geschützt"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "im alten Format XLS"),
        (b"frage;gold\nl\x81uft\xff\xfe;x\n", "In Zeile 2 stehen Zeichen, die sich nicht lesen lassen."),
        (b"PK\x03\x04kaputt", "beschädigt oder kein Text"),
        (b"[[question]]\nid = 3\n", "lässt sich so nicht lesen"),
        (f"{HTML};{HTML}\n".encode(), "lässt sich so nicht lesen"),
    ],
)
def test_a_file_that_gives_nothing_is_refused_with_a_sentence(opened: Open, workshop: Workshop, data: bytes, said: str) -> None:
    page = upload(opened(), data)
    assert said in shown(page)
    assert not any(button.key == "sets_take" for button in page.button)
    assert not workshop.folder.exists()


def test_the_form_that_was_guessed_can_be_changed(opened: Open) -> None:
    page = upload(opened(), b"query,docid,rating\nWas?,gesetz::\xc2\xa7%205:,1\n")
    assert preview(page)[0][1] == "übernommen"
    chosen = next(one for one in page.selectbox if one.label == "Form der Datei")
    chosen.select("toml").run()
    assert "Als „Fragensatz (TOML)“ ergibt sie keine Fragen" in shown(page)
    assert any("Am Inhalt erkannt wurde: Quepid" in caption.value for caption in page.caption)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_handed_on_can_be_taken_in_again(opened: Open, own: Path, name: str) -> None:
    write = FORMATS[name].write
    assert write is not None
    page = upload(task(opened(), "import"), write(MADE), f"wieder.{FORMATS[name].ending}")
    chosen = next(one for one in page.selectbox if one.label == "Form der Datei")
    assert chosen.value == name


def test_a_workbook_is_taken_in(opened: Open, workshop: Workshop) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Nr", "Frage", "Gold", "Kette"])
    book.active.append([1, "Wie?", "§ 5 AMG-T", True])
    out = io.BytesIO()
    book.save(out)
    press(upload(opened(), out.getvalue(), "mappe.xlsx"), "sets_take")
    (made,) = sets.load(workshop.set_file("mappe")).questions.questions
    assert (made.id, made.chain, made.needs[0].any_of[0].address.section_id) == ("1", True, "§ 5")


def test_a_file_from_a_disk_that_takes_letters_apart_keeps_its_name(opened: Open, workshop: Workshop) -> None:
    page = upload(opened(), ROWS.encode(), unicodedata.normalize("NFD", "Prüfung.csv"))
    press(page, "sets_take")
    assert [one.stem for one in workshop.set_files()] == ["Prüfung"]

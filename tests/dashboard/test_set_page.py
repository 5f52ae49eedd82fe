"""The page "Fragensätze" without a browser: taking in, looking, changing, going back, handing on."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.controls import STATE
from dashboard.handing_on import MAP, RUN
from retrieval.evaluation import protocol, sets
from retrieval.evaluation.formats import FORMATS, runs
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from tests.dashboard.controls_of import knob
from tests.dashboard.demo import HOSTILE, HTML, QUESTION

SCRIPT = Path(__file__).with_name("sets_page.py")
Open = Callable[..., AppTest]
NORM = Gold(Address("gesetz", "", "§ 5"), 1, "§ 5 AMG-T")
MADE = QuestionSet(
    "fragen",
    (
        Question("eins", QUESTION, (Need((NORM,)),), tags=("Abgabe",)),
        Question("zwei", "Was sagt TA-T zur Abrechnung der Apotheke?", (Need((Gold(Address("gesetz", "", "§ 999")),)),)),
        Question("drei", HOSTILE, note=HTML, author=HTML, tags=(HTML,)),
    ),
)


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "werkstatt")


@pytest.fixture
def opened(tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the page over the stock in memory and the workshop of this test, with an example set where one is wanted."""
    control, example = tmp_path / "control", tmp_path / "beispiele.toml"
    monkeypatch.setenv("PAGE_CONTROL", str(control))
    monkeypatch.setenv("FUNDSTELLE_INDEX", "")
    monkeypatch.setenv("FUNDSTELLE_TUNING", str(workshop.folder))
    control.write_text(f"/stock/{tmp_path.name}/full", "utf-8")

    def open_page(example_set: bool = False, **address: str) -> AppTest:
        if example_set:
            sets.save(example, MADE, "")
        monkeypatch.setenv("FUNDSTELLE_QUESTIONS", str(example) if example_set else "")
        page = AppTest.from_file(str(SCRIPT), default_timeout=30)
        for key, value in address.items():
            page.query_params[key] = value
        page.run()
        assert not page.exception
        return page

    return open_page


@pytest.fixture
def own(workshop: Workshop) -> Path:
    """A set of the workshop."""
    path = workshop.set_file("fragen")
    path.parent.mkdir(parents=True)
    sets.save(path, MADE, "")
    return path


def shown(page: AppTest) -> str:
    found: list[Any] = []
    for element in page.get("bidi_component"):
        found += json.loads(element.proto.json)["blocks"]  # type: ignore[attr-defined]
    return json.dumps(found, ensure_ascii=False).replace("\u00a0", " ")


def rows(page: AppTest, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, as texts."""
    for element in page.get("bidi_component"):
        for block in json.loads(element.proto.json)["blocks"]:  # type: ignore[attr-defined]
            if block.get("caption") == caption:
                return [[_text(cell) for cell in row["cells"]] for row in block["rows"]]
    raise AssertionError(f"no table {caption!r} in {shown(page)}")


def _text(cell: Any) -> str:
    lines = cell if isinstance(cell, list) else [cell]
    return " / ".join(line["text"] if isinstance(line, dict) else line for line in lines).replace("\u00a0", " ")


def upload(page: AppTest, data: bytes, name: str = "fragen.csv") -> AppTest:
    page.file_uploader[0].upload(name, data, "application/octet-stream").run()
    assert not page.exception
    return page


def press(page: AppTest, key: str) -> AppTest:
    button = next(one for one in page.button if one.key == key or str(one.key).startswith(f"FormSubmitter:{key}"))
    button.click().run()
    assert not page.exception
    return page


def task(page: AppTest, name: str) -> AppTest:
    next(one for one in page.radio if one.label in ("Was möchten Sie tun?", "What would you like to do?")).set_value(name).run()
    assert not page.exception
    return page


def preview(page: AppTest) -> list[list[str]]:
    return rows(page, "Was die Datei enthält und was davon übernommen wird")


def acts(workshop: Workshop, name: str = "fragen") -> list[tuple[str, dict[str, Any], str]]:
    return [(one.act, one.details, one.why) for one in protocol.events(workshop.protocol_file(name))]


# --- no set, and taking in ---------------------------------------------------------------------------------------------------

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


# --- looking and changing ------------------------------------------------------------------------------------------------------


def edit(page: AppTest, question_id: str) -> AppTest:
    place = [one.id for one in MADE.questions].index(question_id)
    press(page, f"sets_open_{place}")
    return press(page, "sets_edit")


def field(page: AppTest, name: str) -> Any:
    return next(
        one for one in [*page.text_area, *page.text_input, *page.checkbox] if str(one.key).endswith(f"_{name}") and "draft" in str(one.key)
    )


def test_one_question_is_told_with_its_norms_in_words(opened: Open, own: Path) -> None:
    page = press(opened(), "sets_open_1")
    assert "Zur Antwort gehört: AMG-T · § 999." in shown(page)
    assert rows(page, "Was die Antwort braucht")[0][1] == "AMG-T · § 999: nicht im Bestand"
    press(page, "sets_back")
    press(page, "sets_open_2")
    assert "Zu dieser Frage ist keine Norm genannt" in shown(page)
    assert HTML in rows(page, "Was sonst zur Frage vermerkt ist")[3][1]


def test_new_norms_are_looked_at_before_they_are_stored(opened: Open, own: Path, workshop: Workshop) -> None:
    page = edit(opened(), "eins")
    assert field(page, "gold").value == "§ 5 AMG-T = gesetz § 5"
    field(page, "gold").set_value("§ 6 AMG-T oder § 7 AMG-T\nZiffer 5 TA-T [3]")
    field(page, "why").set_value("Gesetz geändert")
    field(page, "chain").set_value(True)
    press(page, "sets_save")
    assert "Noch nicht gespeichert" in shown(page)
    assert [row[0] for row in rows(page, "So wurden die Normen gelesen")] == [
        "AMG-T · § 6: im Bestand",
        "AMG-T · § 7: im Bestand",
        "TA-T · Ziffer 5: im Bestand · Grad 3",
    ]
    assert sets.load(own).questions == MADE
    press(page, "sets_save")
    assert "Gespeichert" in shown(page)
    changed = sets.load(own).questions.questions
    assert changed[1:] == MADE.questions[1:]
    assert [[gold.address.section_id for gold in need.any_of] for need in changed[0].needs] == [["§ 6", "§ 7"], ["Ziffer 5"]]
    assert (changed[0].chain, changed[0].tags, changed[0].text) == (True, ("Abgabe",), QUESTION)
    assert acts(workshop) == [("changed", {"what": "edited", "question": "eins"}, "Gesetz geändert")]


def test_norms_that_cannot_be_read_are_not_stored_and_stay_in_the_form(opened: Open, own: Path) -> None:
    page = edit(opened(), "eins")
    field(page, "gold").set_value("siehe oben")
    press(page, "sets_save")
    assert "Unter dem Formular steht, was nicht stimmt." in shown(page)
    assert "ist keine Fundstelle" in rows(page, "So wurden die Normen gelesen")[0][1]
    assert field(page, "gold").value == "siehe oben"
    task(page, "export")
    task(page, "questions")
    assert field(page, "gold").value == "siehe oben"
    assert sets.load(own).questions == MADE


def test_a_change_of_somebody_else_loses_nothing_that_was_typed(opened: Open, own: Path) -> None:
    page = edit(opened(), "eins")
    field(page, "text").set_value("Meine neue Fassung?")
    other = QuestionSet("fragen", (Question("eins", "Fassung der anderen?", MADE.questions[0].needs), *MADE.questions[1:]))
    sets.save(own, other, sets.load(own).seen)
    press(page, "sets_save")
    text = shown(page)
    assert "Inzwischen hat jemand anderes diesen Fragensatz geschrieben" in text
    assert "Auch diese Frage wurde dort geändert: Wortlaut" in text
    assert "Fassung der anderen?" in text
    assert (field(page, "text").value, sets.load(own).questions) == ("Meine neue Fassung?", other)
    press(page, "sets_rebase")
    assert field(page, "text").value == "Meine neue Fassung?"
    press(page, "sets_save")
    assert sets.load(own).questions.questions[0].text == "Meine neue Fassung?"
    assert len(sets.history(own)) == 3


def test_a_set_that_is_being_written_is_left_alone(opened: Open, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import filelock

    monkeypatch.setattr(sets, "_PATIENCE", 0.05)
    page = edit(opened(), "eins")
    field(page, "text").set_value("Meine neue Fassung?")
    with filelock.FileLock(own.with_name("fragen.toml.history") / "write.lock"):
        press(page, "sets_save")
    assert "wird gerade von jemand anderem geschrieben" in shown(page)
    assert field(page, "text").value == "Meine neue Fassung?"
    press(page, "sets_save")
    assert sets.load(own).questions.questions[0].text == "Meine neue Fassung?"


def test_a_new_question_gets_an_id_and_the_name_of_who_wrote_it(opened: Open, own: Path) -> None:
    page = opened()
    next(one for one in page.text_input if one.label == "Wer arbeitet?").set_value(" Dr.  Muster ").run()
    press(page, "sets_new_question")
    field(page, "text").set_value("Wer dokumentiert?")
    field(page, "tags").set_value("Abgabe, Neu")
    press(page, "sets_save")
    new = sets.load(own).questions.questions[-1]
    assert (new.id, new.text, new.tags, new.author) == ("wer-dokumentiert", "Wer dokumentiert?", ("Abgabe", "Neu"), "Dr. Muster")
    assert "Frage wer-dokumentiert" in shown(page)


def test_an_id_in_use_is_refused_for_a_new_question(opened: Open, own: Path) -> None:
    page = press(opened(), "sets_new_question")
    field(page, "id").set_value("eins")
    field(page, "text").set_value("Etwas anderes?")
    press(page, "sets_save")
    assert "Die Kennung „eins“ ist im Fragensatz vergeben" in shown(page)
    assert sets.load(own).questions == MADE


def test_a_hostile_question_comes_back_from_the_form_as_it_was(opened: Open, own: Path) -> None:
    page = edit(opened(), "drei")
    press(page, "sets_save")
    assert "Gespeichert" in shown(page)
    assert sets.load(own).questions == MADE


def test_a_question_goes_only_with_a_reason(opened: Open, own: Path, workshop: Workshop) -> None:
    page = press(opened(), "sets_open_1")
    press(page, "sets_remove")
    assert "Es fehlt der Grund" in shown(page)
    assert sets.load(own).questions == MADE
    page.text_input(key="sets_reason_zwei").set_value("Norm gibt es nicht")
    press(page, "sets_remove")
    assert [one.id for one in sets.load(own).questions.questions] == ["eins", "drei"]
    assert acts(workshop) == [("changed", {"what": "removed", "question": "zwei"}, "Norm gibt es nicht")]


def test_questions_are_found_by_word_tag_and_what_is_to_be_said(opened: Open, own: Path) -> None:
    page = opened()
    assert len([one for one in page.button if str(one.key).startswith("sets_open_")]) == 3
    page.text_input(key="sets_wanted").set_value("abrechnung").run()
    assert any(caption.value == "1 von 3 Fragen passt zur Auswahl." for caption in page.caption)
    page.text_input(key="sets_wanted").set_value("").run()
    page.selectbox(key="sets_tag").select("Abgabe").run()
    assert [text.value.split("\n")[0] for text in page.text] == [QUESTION]
    page.selectbox(key="sets_tag").select("").run()
    page.checkbox(key="sets_odd").check().run()
    assert any(caption.value == "2 von 3 Fragen passen zur Auswahl." for caption in page.caption)


def test_three_hundred_questions_are_shown_twenty_at_a_time(opened: Open, own: Path) -> None:
    many = QuestionSet("fragen", tuple(Question(f"q{number}", f"Frage {number}?") for number in range(300)))
    sets.save(own, many, sets.load(own).seen)
    page = opened()
    assert len([one for one in page.button if str(one.key).startswith("sets_open_")]) == 20
    press(page, "sets_list_fragen_on")
    press(page, "sets_open_20")
    assert "Frage q20" in shown(page)


# --- examples, versions, handing on --------------------------------------------------------------------------------------------


def test_examples_are_read_only_until_they_are_copied(opened: Open, workshop: Workshop) -> None:
    page = press(opened(example_set=True), "sets_open_0")
    assert not any(button.key in ("sets_edit", "sets_new_question") for button in page.button)
    press(page, "sets_back")
    page.text_input(key="sets_copy").set_value("meine")
    press(page, "sets_copy_button")
    assert page.session_state[STATE].chosen_set == "meine"
    assert sets.load(workshop.set_file("meine")).questions == QuestionSet("meine", MADE.questions)
    press(page, "sets_open_0")
    assert any(button.key == "sets_edit" for button in page.button)


def test_an_earlier_version_is_compared_and_counts_again(opened: Open, own: Path, workshop: Workshop) -> None:
    sets.save(own, QuestionSet("fragen", (*MADE.questions[1:], Question("neu", "Neu?"))), sets.load(own).seen)
    page = task(opened(), "history")
    assert "besteht kein Unterschied" in shown(page)
    page.selectbox(key="sets_version_fragen").select_index(1).run()
    assert [row[:2] for row in rows(page, "Was seit dieser Fassung anders ist")] == [
        ["dazugekommen", "Neu? / neu"],
        ["entfernt", f"{QUESTION} / eins"],
    ]
    press(page, "sets_restore")
    assert sets.load(own).questions == MADE
    assert len(sets.history(own)) == 3
    assert acts(workshop)[0][1]["what"] == "restored"


def test_a_broken_set_is_said_and_an_earlier_version_brings_it_back(opened: Open, own: Path) -> None:
    own.write_text(f"kaputt {HTML}", "utf-8")
    page = opened()
    assert "Der Fragensatz „fragen“ lässt sich nicht lesen" in shown(page)
    assert "Datei nicht lesbar" in shown(page)
    press(page, "sets_restore")
    assert sets.load(own).questions == MADE


def test_what_a_form_cannot_hold_is_said_before_it_is_downloaded(opened: Open, own: Path) -> None:
    page = task(opened(), "export")
    assert "Diese Form hält alles" in shown(page)
    page.selectbox(key="sets_export_format").select("quepid").run()
    assert "die Kennungen der Fragen; die Schreibweise der Normen; die Schlagworte" in shown(page)


def test_the_lists_of_a_set_are_handed_on_in_their_order(opened: Open, own: Path) -> None:
    page = press(task(opened(), "export"), "sets_run_start")
    ran = page.session_state["sets_run"]
    assert list(ran.lists) == ["eins", "zwei", "drei"]
    assert ran.failed == {}
    data = runs.write(ran.lists)
    assert runs.read(data) == {key: tuple(place.document for place in listed) for key, listed in ran.lists.items()}
    button = next(one for one in page.get("download_button") if "3 Listen herunterladen" in one.proto.label)  # type: ignore[attr-defined]
    assert button is not None


def test_the_archive_of_a_run_leads_back_to_every_chunk(opened: Open, own: Path) -> None:
    from dashboard.handing_on import archive

    page = press(task(opened(), "export"), "sets_run_start")
    ran = page.session_state["sets_run"]

    class Settled:
        class checked:
            settled = MADE

    with zipfile.ZipFile(io.BytesIO(archive(ran, Settled))) as packed:  # type: ignore[arg-type]
        assert packed.namelist() == [RUN, MAP, "qrels.txt"]
        assert runs.read_map(packed.read(MAP)) == ran.lists


def test_another_setting_prepares_the_lists_anew(opened: Open, own: Path) -> None:
    page = press(task(opened(), "export"), "sets_run_start")
    knob(page, "weight_vector").set_value(0.7).run()
    assert any(button.key == "sets_run_start" for button in page.button)


def test_settings_that_are_none_are_said_and_nothing_else_is_drawn(opened: Open, own: Path) -> None:
    page = opened()
    for name in ("weight_vector", "weight_lexical"):
        knob(page, name).set_value(0.0).run()
    assert not page.exception
    assert not page.text


def test_a_question_longer_than_the_field_comes_back_whole(opened: Open, own: Path) -> None:
    long = msgspec.structs.replace(MADE.questions[0], text="Wie? " * 1500 + "Ende")
    sets.save(own, QuestionSet("fragen", (long, *MADE.questions[1:])), sets.load(own).seen)
    page = edit(opened(), "eins")
    press(page, "sets_save")
    assert sets.load(own).questions.questions[0] == long


def test_a_workbook_is_taken_in(opened: Open, workshop: Workshop) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Nr", "Frage", "Gold", "Kette"])
    book.active.append([1, "Wie?", "§ 5 AMG-T", True])
    out = io.BytesIO()
    book.save(out)
    press(upload(opened(), out.getvalue(), "mappe.xlsx"), "sets_take")
    (made,) = sets.load(workshop.set_file("mappe")).questions.questions
    assert (made.id, made.chain, made.needs[0].any_of[0].address.section_id) == ("1", True, "§ 5")


def test_the_page_is_there_in_english(opened: Open, own: Path) -> None:
    page = opened(lang="en")
    text = shown(page)
    assert "Question sets at hand" in text
    assert "1 of 2 norms cannot be found by any search." in text

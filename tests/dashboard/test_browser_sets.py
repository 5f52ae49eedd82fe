"""Question sets in a real browser: a file becomes a set, a question is changed under somebody's eyes, and the set goes out again."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from retrieval.evaluation import sets
from retrieval.evaluation.formats import FORMATS
from retrieval.evaluation.formats.runs import read, read_map
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from tests.dashboard.browsing import Server, Visit, fresh_set, query_of, see, settled
from tests.dashboard.demo import HOSTILE, HTML, LINK, QUESTION
from tests.dashboard.test_browser_axe import grave, whole

pytestmark = pytest.mark.browser

CSV = f"id;frage;gold\n1;{QUESTION};§ 5 AMG-T\n2;{HOSTILE.replace(';', ',')};gesetz § 999\n2;Doppelt?;§ 5 AMG-T\n"
MADE = QuestionSet("x", (Question("eins", QUESTION, (Need((Gold(Address("gesetz", "", "§ 5")),)),)), Question("zwei", HOSTILE, note=HTML)))
TASKS = {"import": "Fragen aufnehmen", "history": "Frühere Fassungen", "export": "Mitnehmen", "questions": "Fragen ansehen und ändern"}


@pytest.fixture
def name(request: pytest.FixtureRequest, workshop: Workshop) -> str:
    """A fresh set for this test."""
    return fresh_set(request, workshop, MADE.questions)


def open_set(visit: Visit, desk: Server, name: str, more: str = "", **view: Any) -> Any:
    page = visit(f"fragen?set={name}{more}", address=desk.address, **view)
    see(page, "Vorhandene Fragensätze" if "lang=en" not in more else "Question sets at hand")
    settled(page)
    return page


def turn(page: Any, task: str) -> None:
    page.locator("[data-testid=stRadio] label", has_text=TASKS[task]).click()
    settled(page)


def press(page: Any, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()
    settled(page)


def give(page: Any, data: bytes, file: str) -> None:
    page.locator("input[type=file]").set_input_files({"name": file, "mimeType": "application/octet-stream", "buffer": data})
    settled(page)


def download(page: Any, label: str | re.Pattern[str]) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label).click()
    return Path(waiting.value.path()).read_bytes()


def test_a_file_becomes_a_set_that_stands_in_the_address(visit: Visit, desk: Server, workshop: Workshop, name: str) -> None:
    page = open_set(visit, desk, name)
    turn(page, "import")
    button = page.locator("[data-testid=stFileUploaderDropzone] button")
    assert "Datei wählen" in button.locator("p").evaluate("node => getComputedStyle(node, '::after').content")
    give(page, CSV.encode("cp1252"), f"{name} neu.csv")
    see(page, "3 Zeilen: 1 übernommen, 1 mit Hinweis übernommen, 1 nicht übernommen. Das ergibt 2 Fragen.")
    assert not workshop.set_file(f"{name} neu").exists()
    press(page, "2 Fragen aufnehmen")
    see(page, "1 von 2 Normen kann keine Suche finden.")
    assert query_of(page)["set"] == f"{name} neu"
    made = sets.load(workshop.set_file(f"{name} neu")).questions.questions
    assert [one.text for one in made] == [QUESTION, HOSTILE.replace(";", ",")]
    page.reload()
    see(page, f"Normen im Fragensatz „{name} neu“")


def test_a_name_typed_just_before_the_click_is_the_name_of_the_set(visit: Visit, desk: Server, workshop: Workshop, name: str) -> None:
    page = open_set(visit, desk, name)
    turn(page, "import")
    give(page, CSV.encode(), "quelle.csv")
    field = page.get_by_label("Name des Fragensatzes")
    field.fill(name)
    press(page, "2 Fragen aufnehmen")
    see(page, "Ein vorhandener Fragensatz wird nicht überschrieben.")
    assert sets.load(workshop.set_file(name)).questions.questions == MADE.questions
    field.fill(f"{name} b")
    press(page, "2 Fragen aufnehmen")
    see(page, f"Aufgenommen in „{name} b“")
    assert workshop.set_file(f"{name} b").exists()


def test_a_file_that_is_too_large_is_said_in_our_words(visit: Visit, desk: Server, name: str, tmp_path: Path) -> None:
    large = tmp_path / "gross.csv"
    large.write_bytes(b"frage\n" + b"x" * 21_000_000)
    page = open_set(visit, desk, name)
    turn(page, "import")
    page.locator("input[type=file]").set_input_files(large)  # from the disk: through the browser's own pipe it takes many seconds
    see(page, "Die Datei ist zu groß")


def test_what_was_typed_outlives_the_change_of_somebody_else(visit: Visit, desk: Server, workshop: Workshop, name: str) -> None:
    path = workshop.set_file(name)
    one, other = open_set(visit, desk, name), open_set(visit, desk, name)
    for page, text in ((one, "Fassung der einen?"), (other, "Fassung der anderen?")):
        press(page, "Frage 1 öffnen")
        press(page, "Diese Frage ändern")
        page.get_by_label("Wortlaut der Frage").fill(text)
    press(one, "Speichern")
    see(one, "Gespeichert")
    press(other, "Speichern")
    see(other, "Inzwischen hat jemand anderes diesen Fragensatz geschrieben")
    assert other.get_by_label("Wortlaut der Frage").input_value() == "Fassung der anderen?"
    assert sets.load(path).questions.questions[0].text == "Fassung der einen?"
    press(other, "Auf der neuen Fassung weiterarbeiten")
    assert other.get_by_label("Wortlaut der Frage").input_value() == "Fassung der anderen?"
    press(other, "Speichern")
    see(other, "Gespeichert")
    assert sets.load(path).questions.questions[0].text == "Fassung der anderen?"


def test_norms_are_read_before_they_are_stored_and_an_old_version_comes_back(
    visit: Visit, desk: Server, workshop: Workshop, name: str
) -> None:
    path = workshop.set_file(name)
    page = open_set(visit, desk, name)
    press(page, "Frage 1 öffnen")
    press(page, "Diese Frage ändern")
    page.get_by_label("Normen, die zur Antwort gehören").fill("§ 6 AMG-T oder § 7 AMG-T")
    press(page, "Speichern")
    see(page, "Noch nicht gespeichert")
    see(page, "AMG-T · § 7: im Bestand".replace("§ ", "§\u00a0"))
    press(page, "Speichern")
    see(page, "Gespeichert")
    assert len(sets.load(path).questions.questions[0].needs[0].any_of) == 2
    turn(page, "history")
    page.get_by_label("Fassung", exact=True).click()
    page.get_by_role("option").last.click()
    see(page, "Seither wurde 1 Frage geändert.")
    press(page, "Diese Fassung wieder gelten lassen")
    see(page, "gilt wieder")
    assert sets.load(path).questions.questions == MADE.questions


def test_the_set_and_its_lists_go_out_and_read_back(visit: Visit, desk: Server, name: str) -> None:
    page = open_set(visit, desk, name)
    turn(page, "export")
    data = download(page, "Datei herunterladen")
    assert FORMATS["csv"].read(data, Golds(), name).questions.questions == MADE.questions
    press(page, "2 Fragen stellen und Listen vorbereiten")
    see(page, "2 Listen herunterladen")
    settled(page)
    with zipfile.ZipFile(io.BytesIO(download(page, re.compile("2 Listen herunterladen")))) as packed:
        lists, places = read(packed.read("run.txt")), read_map(packed.read("run-map.tsv"))
        assert b"gesetz::" in packed.read("qrels.txt")
    assert set(lists) == {"eins", "zwei"}
    assert {key: tuple(place.document for place in listed) for key, listed in places.items()} == lists


def test_hostile_questions_are_text_wherever_they_stand(visit: Visit, desk: Server, name: str) -> None:
    page = open_set(visit, desk, name)
    press(page, "Frage 2 öffnen")
    see(page, HTML)
    press(page, "Diese Frage ändern")
    main = page.get_by_test_id("stMain")
    assert any(LINK in text for text in main.locator(".statement").all_inner_texts())
    assert LINK in page.get_by_label("Wortlaut der Frage").input_value()
    assert main.locator("img, a[href^=javascript]").count() == 0
    assert page.locator("body").evaluate("body => getComputedStyle(body).display") == "block"


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("more", ["", "&lang=en"])
def test_nothing_stands_out_of_the_page_in_any_width_or_language(visit: Visit, desk: Server, name: str, more: str, width: int) -> None:
    page = open_set(visit, desk, name, more, width=width)
    labels = page.locator("[data-testid=stMain] [data-testid=stRadio]").first.locator("label")
    for number in range(1, labels.count()):
        labels.nth(number).click()
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert labels.count() == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_in_any_part(visit: Visit, desk: Server, name: str, scheme: str) -> None:
    page = open_set(visit, desk, name, scheme=scheme)
    found: dict[str, list[str]] = {}
    for task in ("import", "history", "export", "questions"):
        turn(page, task)
        if task == "import":
            give(page, CSV.encode(), "fragen.csv")
        if task == "questions":
            press(page, "Frage 1 öffnen")
            press(page, "Diese Frage ändern")
        whole(page)
        found[task] = list(grave(page))
        page.set_viewport_size({"width": 1280, "height": 1000})
    assert {task: faults for task, faults in found.items() if faults} == {}

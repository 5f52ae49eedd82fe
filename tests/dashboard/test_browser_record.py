"""The record in a real browser: notes, changes of settings, a decision signed off, taken along, and compared with the next one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from retrieval.evaluation import protocol
from retrieval.evaluation.decision_files import load, stored
from retrieval.evaluation.model import Gold, Need, Question
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from retrieval.settings import Settings
from tests.dashboard.browsing import Server, Visit, fresh_set, see, settled
from tests.dashboard.demo import HOSTILE, QUESTION
from tests.dashboard.test_browser_axe import grave

pytestmark = pytest.mark.browser

Open = Callable[..., Any]


@pytest.fixture
def name(request: pytest.FixtureRequest, workshop: Workshop) -> str:
    """A fresh set of four questions for this test, and no decisions."""
    ten, five = Gold(Address("vertrag", "Vertrag", "§ 10")), Gold(Address("seltsam", "", "§ 5"))
    texts = (QUESTION, HOSTILE, "Was gilt für die Abrechnung?", "Wann darf die Apotheke abgeben?")
    questions = tuple(Question(f"f{number}", text, (Need((ten, five)),)) for number, text in enumerate(texts))
    for file in workshop.decisions.glob("*"):
        file.unlink()
    return fresh_set(request, workshop, questions)


@pytest.fixture
def opened(visit: Visit, desk: Server, name: str) -> Open:
    """Opens the page for the set of this test, and says who is at work."""

    def go(who: str = "Ada", more: str = "", **view: Any) -> Any:
        page = visit(f"protokoll?set={quote(name)}{more}", address=desk.address, **view)
        page.get_by_test_id("stRadio").last.wait_for()
        settled(page)
        if who:
            field = page.get_by_label(re.compile("Wer arbeitet|Who is at work"))
            field.fill(who)
            field.press("Enter")
            settled(page)
        return page

    return go


def part(page: Any, title: str) -> None:
    page.get_by_test_id("stMain").get_by_text(title, exact=True).first.click()
    settled(page)


def choose(page: Any, label: str, option: str) -> None:
    """Choose from a list; one that opens while the page still scrolls to its control closes again."""
    box = page.get_by_role("combobox", name=label, exact=False).last
    box.evaluate("box => box.scrollIntoView({block: 'center', behavior: 'instant'})")
    settled(page)
    box.click()
    page.get_by_role("option", name=option, exact=False).click()
    settled(page)


def sign(page: Any, title: str, reason: str = "Die Ketten bleiben ganz.") -> None:
    """Sign off the settings in force."""
    part(page, "Entscheiden")
    see(page, "Was diese Einstellungen erreichen")
    settled(page)
    page.get_by_label("Name der Entscheidung").fill(title)
    page.get_by_label("Gründe").fill(reason)
    page.get_by_role("button", name="Entscheidung festhalten").click()
    see(page, "Die Entscheidung ist festgehalten")
    settled(page)


def test_a_note_waits_for_a_name_and_stands_in_the_list_as_it_was_written(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened(who="")
    assert page.get_by_role("button", name="Notiz festhalten").is_disabled()
    field = page.get_by_label("Wer arbeitet?")
    field.fill("Ada *B*")
    field.press("Enter")
    settled(page)
    page.get_by_role("button", name="Notiz festhalten").click()
    see(page, "Die Notiz ist noch leer.")
    page.get_by_label("Notiz", exact=True).fill(HOSTILE)
    page.get_by_role("button", name="Notiz festhalten").click()
    see(page, "Die Notiz steht im Protokoll.")
    see(page, "Ada *B* hat etwas notiert.")
    (event,) = protocol.events(workshop.protocol_file(name))
    assert (event.who, event.act, event.why, event.settings) == ("Ada *B*", "remarked", HOSTILE, Settings().flat())
    assert page.get_by_label("Notiz", exact=True).input_value() == ""


def test_a_moved_setting_is_shown_until_it_is_noted(opened: Open, workshop: Workshop, name: str) -> None:
    protocol.append(
        workshop.protocol_file(name),
        protocol.Event("2033-05-02T08:00:00+00:00", "Emil", "measured", name, settings=Settings().flat()),
    )
    page = opened(more="&vs=0.97")
    see(page, "Seit dem letzten Eintrag geändert")
    row = page.get_by_role("row").filter(has_text="VERWEIS_SCORE").first
    assert row.inner_text().split()[-2:] == ["0,50", "0,97"]
    page.get_by_label("Warum wurde geändert?").fill("Versuch")
    page.get_by_role("button", name="Änderung festhalten").click()
    see(page, "Die Änderung steht im Protokoll.")
    settled(page)
    assert page.get_by_label("Warum wurde geändert?").count() == 0
    see(page, "Geändert: Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97.")
    assert protocol.events(workshop.protocol_file(name))[-1].why == "Versuch"


def test_the_entries_are_filtered_by_person_and_act(opened: Open, workshop: Workshop, name: str) -> None:
    for who, act in (("Ada", "measured"), ("Emil", "remarked"), ("Emil", "measured")):
        protocol.append(workshop.protocol_file(name), protocol.Event("2033-05-02T08:00:00+00:00", who, act, name))  # type: ignore[arg-type]
    page = opened()
    see(page, "3 Einträge, der neueste zuerst")
    for label, option, left in (("Wer", "Emil", "2 Einträge"), ("Was", "Notiz", "1 Eintrag")):
        choose(page, label, option)
        see(page, left)


def test_a_decision_is_signed_off_and_lies_there_as_three_files(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened(more="&vs=0.97")
    part(page, "Entscheiden")
    page.get_by_role("button", name="Entscheidung festhalten").click()
    see(page, "Es fehlt noch: Name der Entscheidung, Gründe.")
    page.get_by_label("Entschieden von").fill("Ada, Emil")
    sign(page, "Verweise weiter vorn")
    see(page, "Verglichen mit den Vorgaben des Programms")
    (kept,) = stored(workshop.decisions).kept
    found = kept.decision
    assert (found.name, found.decided_by, found.settings["verweis_score"]) == ("Verweise weiter vorn", ("Ada", "Emil"), 0.97)
    assert (found.questions.name, len(found.report.rows), found.tried) == (name, 4, 1)
    assert all(kept.beside(ending).is_file() for ending in (".md", ".settings.toml", ".json"))
    assert protocol.events(workshop.protocol_file(name))[-1].act == "decided"
    with page.expect_download() as download:
        page.get_by_role("button", name="Niederschrift (.md)").click()
    assert Path(download.value.path()).read_text("utf-8").startswith("# Niederschrift über die Entscheidung „Verweise weiter vorn“")


def test_the_same_name_on_the_same_day_is_refused_and_nothing_is_overwritten(opened: Open, workshop: Workshop) -> None:
    page = opened()
    sign(page, "Zweimal")
    before = stored(workshop.decisions).kept
    part(page, "Entscheiden")
    page.get_by_label("Name der Entscheidung").fill("Zweimal")
    page.get_by_label("Gründe").fill("anders")
    page.get_by_role("button", name="Entscheidung festhalten").click()
    see(page, "Das ist nicht gelungen")
    assert stored(workshop.decisions).kept == before


def test_a_second_decision_replaces_the_first_and_both_are_compared(opened: Open, workshop: Workshop) -> None:
    page = opened()
    sign(page, "Erste")
    (first,) = stored(workshop.decisions).kept
    page = opened(more="&vs=0.97&mfr=5")
    part(page, "Entscheiden")
    page.get_by_role("button", name="Entscheidung festhalten").wait_for()
    choose(page, "Ersetzt diese Entscheidung", "Erste")
    sign(page, "Zweite")
    found = next(one for one in stored(workshop.decisions).kept if one.decision.name == "Zweite").decision
    assert found.replaces == first.former
    assert [one.side for one in found.comparisons] == ["default", "former"]
    assert {one.k for one in found.comparisons} == {10}
    see(page, "Zwei Entscheidungen vergleichen")
    see(page, "Von der früheren zur späteren ändert sich:")
    see(page, "Gemessen wurde auf 10 und auf 5 Plätzen")


def test_decided_settings_are_put_in_force(opened: Open, workshop: Workshop) -> None:
    page = opened(more="&vs=0.97&off=quota")
    sign(page, "Gilt")
    page = opened()
    part(page, "Entscheidungen")
    page.get_by_role("button", name="Diese Einstellungen jetzt gelten lassen").click()
    see(page, "Die entschiedenen Einstellungen gelten jetzt")
    page.wait_for_function("() => new URLSearchParams(location.search).get('vs') === '0.97'")
    assert "off=quota" in page.url


def test_hostile_text_of_people_is_shown_as_text(opened: Open, workshop: Workshop) -> None:
    page = opened(who=HOSTILE[:60])
    sign(page, HOSTILE[:110], HOSTILE)
    see(page, HOSTILE[:110])
    assert page.get_by_test_id("stMain").locator("img, script").count() == 0
    (kept,) = stored(workshop.decisions).kept
    assert load(kept.path).decision.reason == HOSTILE


def test_a_broken_protocol_and_a_broken_decision_are_named(opened: Open, workshop: Workshop, name: str) -> None:
    workshop.protocols.mkdir(exist_ok=True)
    workshop.protocol_file(name).write_text("kein Eintrag\n", "utf-8")
    workshop.decisions.mkdir(exist_ok=True)
    (workshop.decisions / "kaputt.json").write_text("{}", "utf-8")
    page = opened()
    see(page, "Das ist nicht gelungen")
    part(page, "Entscheidungen")
    see(page, "Eine Datei lässt sich nicht als Entscheidung lesen")


@pytest.mark.parametrize(("width", "scheme"), [(420, "light"), (1280, "dark")])
def test_every_part_is_readable_on_a_phone_and_in_the_dark(opened: Open, width: int, scheme: str) -> None:
    page = opened(more="&vs=0.97", width=width, scheme=scheme)
    sign(page, "Lesbar")
    page.set_viewport_size({"width": width, "height": 5000})  # what is scrolled out of sight has no contrast that could be measured
    for title in ("Was geschah", "Entscheiden", "Entscheidungen"):
        part(page, title)
        assert page.get_by_test_id("stMain").evaluate("node => node.scrollWidth <= node.clientWidth"), title
        assert list(grave(page)) == [], title

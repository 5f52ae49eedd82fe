"""Tuning in a real browser: a sweep runs beside the page, is stopped with what it has, survives a reload, and never runs twice."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dashboard.words import page_words
from retrieval.evaluation import protocol, sets
from retrieval.evaluation.model import Gold, Need, Question
from retrieval.evaluation.protocol import Event
from retrieval.evaluation.statistics import held_out
from retrieval.evaluation.sweeps.model import Sweep
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from tests.dashboard.browsing import Server, Visit, fresh_set, query_of, see, served, settled
from tests.dashboard.demo import HTML, QUESTION
from tests.dashboard.test_browser_axe import grave, whole

pytestmark = pytest.mark.browser

DE = page_words("de")
PAUSE = 0.15
GOLDS = (Address("vertrag", "Vertrag", "§ 10"), Address("gesetz", "", "§ 3"), Address("vereinbarung", "", "Ziffer 4.10"))
PARTIAL = "Unvollständig: Der Durchlauf wurde angehalten"
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def tuned(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    named = {"FUNDSTELLE_TUNING": str(workshop.folder), "FUNDSTELLE_QUESTIONS": "", "SWEEP_PAUSE": str(PAUSE)}
    yield from served(Path(__file__).with_name("sweep_page.py"), tmp_path_factory.mktemp("tuned"), **named)


@pytest.fixture
def name(request: pytest.FixtureRequest, workshop: Workshop) -> str:
    """A fresh set of eight chains for this test; one question is full of characters that other programs read as commands."""
    needs = tuple(Need((Gold(one),)) for one in GOLDS)
    texts = [f"{QUESTION} {number}" for number in range(7)] + [f"{QUESTION} {HTML}"]
    questions = tuple(Question(f"q{number}", text, needs, chain=True) for number, text in enumerate(texts))
    return fresh_set(request, workshop, questions)


@pytest.fixture
def opened(visit: Visit, tuned: Server, name: str) -> Iterator[Open]:
    """Opens the page for the set of this test; a sweep that still runs at the end of it is stopped."""
    pages: list[Any] = []

    def go(more: str = "", **view: Any) -> Any:
        page = visit(f"abstimmen?set={name}{more}", address=tuned.address, **view)
        pages.append(page)
        page.get_by_role("button", name=re.compile("berechnen|Compute")).wait_for()
        settled(page)
        return page

    yield go
    stop = pages[0].get_by_role("button", name="Anhalten")
    if stop.count():
        stop.click()
        see(pages[0], PARTIAL)


def two(page: Any) -> None:
    """Ask for a grid, which is computed row by row."""
    page.get_by_text("zwei Einstellungen", exact=True).click()
    page.get_by_label("Waagrechte Einstellung").wait_for()
    settled(page)


def several(page: Any, trials: int) -> None:
    """Ask for a search: a trial is a step."""
    page.get_by_text("mehrere Einstellungen", exact=True).click()
    fill(page, "Versuche", trials)
    see(page, f"{trials} Einstellungen × ")
    settled(page)


def fill(page: Any, label: str, number: int) -> None:
    page.get_by_label(label).fill(str(number))
    page.get_by_label(label).press("Enter")


def start(page: Any) -> None:
    page.get_by_role("button", name=re.compile("berechnen|Compute")).click()
    page.get_by_test_id("stProgress").wait_for()


def steps_done(page: Any) -> int:
    """How many cells of a grid or trials of a search are computed by now; 0 while the questions are asked."""
    found = re.match(r"Rechnen: ([\d.]+) von", str(page.get_by_test_id("stProgress").inner_text()))
    return int(found.group(1).replace(".", "")) if found else 0


def wait_for_steps(page: Any, count: int) -> None:
    for _ in range(150):
        if steps_done(page) >= count:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{count} steps were not reached")


def over(page: Any) -> None:
    page.get_by_test_id("stProgress").wait_for(state="detached", timeout=30_000)
    settled(page)


def newest(workshop: Workshop, name: str) -> Sweep:
    found = [msgspec.json.decode(path.read_bytes(), type=Sweep) for path in sorted(workshop.sweeps.glob("*.json"))]
    return [one for one in found if one.spec.set_name == name][-1]


def acts(workshop: Workshop, name: str, act: str) -> list[Event]:
    return [one for one in protocol.events(workshop.protocol_file(name)) if one.act == act]


def push(page: Any, label: str) -> float:
    """Move a slider by one step; the seconds until the page has answered in its address."""
    slider = page.locator(f'input[aria-label="{label}"]')
    slider.focus()
    began = time.monotonic()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("mr="), timeout=15_000)
    return time.monotonic() - began


def test_a_sweep_that_is_stopped_keeps_its_rows_whatever_is_moved_meanwhile(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened()
    two(page)
    fill(page, "Schritte je Achse", 50)
    see(page, "2.601 Einstellungen × ")
    settled(page)
    start(page)
    wait_for_steps(page, 51 * 51 // 3)
    assert push(page, "Mindestverhältnis zum besten Treffer (min_ratio)") < 2
    see(page, "Mindestverhältnis zum besten Treffer (min_ratio): beim Start 0,25, jetzt 0,26.")
    before = steps_done(page)
    wait_for_steps(page, before + 1)
    began = time.monotonic()
    page.get_by_role("button", name="Anhalten").click()
    see(page, PARTIAL)
    assert time.monotonic() - began < 5
    kept = newest(workshop, name)
    assert (kept.state, kept.spec.settings.value("min_ratio")) == ("stopped", 0.25)
    assert kept.field is not None
    assert 51 * 51 // 3 <= kept.field.done < 51 * 51
    assert kept.field.done % 51 == 0
    assert sum(mean is not None for row in kept.field.means for mean in row) == kept.field.done
    assert kept.stamps
    see(page, f"{DE.whole(kept.field.done)} von 2.601 Zellen sind berechnet.")
    page.reload()
    see(page, PARTIAL)
    see(page, f"{DE.whole(kept.field.done)} von 2.601 Zellen sind berechnet.")
    settled(page)
    (noted,) = acts(workshop, name, "swept")
    assert (noted.tried, noted.details["state"]) == (kept.tried, "stopped")


def test_a_second_sweep_is_refused_where_everybody_sees_it(opened: Open, workshop: Workshop, name: str) -> None:
    first, second = opened(), opened()
    several(first, 400)
    start(first)
    settled(first)
    assert first.get_by_role("button", name="berechnen").is_disabled()
    see(first, "Es läuft schon ein Durchlauf. Ein zweiter läuft nicht daneben")
    second.get_by_role("button", name="berechnen").click()
    see(second, "Der Durchlauf wurde nicht gestartet")
    see(second, "Es läuft schon ein anderer:")
    assert len([path for path in workshop.sweeps.glob("*.json") if name.encode() in path.read_bytes()]) == 1


def test_a_running_sweep_survives_a_reload_and_another_page(opened: Open) -> None:
    page = opened()
    several(page, 400)
    start(page)
    wait_for_steps(page, 1)
    page.get_by_role("link", name="Live", exact=True).click()
    see(page, "Noch keine Frage")
    page.get_by_role("link", name="Abstimmen", exact=True).click()
    page.get_by_test_id("stProgress").wait_for()
    before = steps_done(page)
    page.reload()
    page.get_by_test_id("stProgress").wait_for()
    wait_for_steps(page, before + 1)
    see(page, "der Durchlauf rechnet mit den Einstellungen weiter, mit denen er gestartet wurde")


def test_the_form_keeps_what_was_chosen_while_another_page_is_open(opened: Open) -> None:
    page = opened()
    two(page)
    fill(page, "Schritte je Achse", 7)
    see(page, "64 Einstellungen × ")
    page.get_by_role("link", name="Live", exact=True).click()
    see(page, "Noch keine Frage")
    page.get_by_role("link", name="Abstimmen", exact=True).click()
    see(page, "64 Einstellungen × ")
    assert page.get_by_label("Schritte je Achse").input_value() == "7"


def test_one_setting_is_swept_looked_at_and_taken_over_with_a_reason(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened("&mr=0.99")
    page.get_by_role("combobox", name="Einstellung", exact=False).first.click()
    page.get_by_role("option", name="Mindestverhältnis").click()
    settled(page)
    start(page)
    over(page)
    found = newest(workshop, name)
    assert (found.state, found.spec.held_out != ()) == ("finished", True)
    see(page, "Ein Plateau ist ein Abschnitt mit gleichem Wert")
    see(page, f"Bisher wurden {found.tried} Einstellungen probiert.")
    assert page.get_by_text("zurückgehaltene Fragen (gestrichelt)").count() == 0
    page.get_by_role("button", name="Linie der zurückgehaltenen Fragen ansehen").click()
    page.get_by_text("zurückgehaltene Fragen (gestrichelt)").first.wait_for()
    assert [one.details["sweep"] for one in acts(workshop, name, "revealed")] == [found.id]
    page.get_by_label("Begründung").fill("Der Vertrag kam zu kurz.")
    page.get_by_label("Begründung").press("Enter")
    settled(page)
    page.get_by_role("button", name="Diese Werte übernehmen").click()
    see(page, "Übernommen.")
    settled(page)
    (moved,) = acts(workshop, name, "moved")
    assert (moved.why, moved.settings and moved.settings["min_ratio"]) == ("Der Vertrag kam zu kurz.", found.values["min_ratio"])
    assert float(query_of(page).get("mr", "0.25")) == found.values["min_ratio"]
    assert page.get_by_role("button", name="Diese Werte übernehmen").is_disabled()
    assert [one.tried for one in acts(workshop, name, "swept")] == [found.tried]


def test_a_search_shows_its_history(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened()
    several(page, 5)
    start(page)
    over(page)
    see(page, "Gemacht sind 5 Versuche (Startzahl 0).")
    assert len(newest(workshop, name).trials) == 5
    assert page.locator("table").filter(has_text="Die 5 besten Versuche").locator("tbody tr").count() == 5


def test_questions_stay_text_in_every_table_and_a_phone_needs_no_sideways_scrolling(opened: Open) -> None:
    page = opened(width=420)
    start(page)
    over(page)
    page.get_by_text("Welche Fragen sich an welcher Stufe ändern").click()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_and_english_words_stand_everywhere(opened: Open, scheme: str) -> None:
    page = opened("&lang=en", scheme=scheme)
    start(page)
    see(page, "Stop and keep what is finished")
    over(page)
    see(page, "What follows from it?")
    whole(page)
    assert list(grave(page)) == []
    assert not re.search(r"Durchlauf|Frage|Einstellung", page.locator('[data-testid="stMain"]').inner_text())


def test_where_all_questions_are_held_out_the_page_says_so(visit: Visit, tuned: Server, workshop: Workshop, name: str) -> None:
    made = sets.load(workshop.set_file(name))
    held = next(one for one in map("kennung{}".format, range(50)) if held_out(one))
    only = msgspec.structs.replace(made.questions, questions=(msgspec.structs.replace(made.questions.questions[0], id=held),))
    sets.save(workshop.set_file(name), only, made.seen)
    page = visit(f"abstimmen?set={name}", address=tuned.address)
    see(page, "Alle Fragen sind zurückgehalten; zum Abstimmen bleibt keine.")
    page.get_by_text("Die Hälfte der Fragen zurückhalten").click()
    see(page, "Alle Werte × 1 Frage berechnen")


def test_two_sweeps_of_one_minute_can_be_told_apart_in_the_list(opened: Open) -> None:
    page = opened()
    two(page)
    fill(page, "Schritte je Achse", 1)
    see(page, "4 Einstellungen × ")
    for _ in range(2):
        start(page)
        page.get_by_test_id("stProgress").wait_for(state="detached", timeout=30_000)
        settled(page)
    page.get_by_role("combobox", name="Durchlauf").click()
    page.get_by_role("option").nth(1).wait_for()
    named = page.get_by_role("option").all_inner_texts()
    page.keyboard.press("Escape")
    assert len(named) == len(set(named)) == 2

"""Measuring and the finding in a real browser, over the sample corpora: what is computed, what is kept, and that a narrow page holds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from retrieval.evaluation.protocol import Event, events
from retrieval.evaluation.workshop import Workshop
from tests.dashboard.browsing import ROOT, Server, Visit, query_of, see, served, settled
from tests.dashboard.test_browser_axe import grave, whole

pytestmark = pytest.mark.browser
SAMPLES = ROOT / "sample_corpora"


@pytest.fixture(scope="module")
def desk(sample_index: Path, workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    places = {
        "FUNDSTELLE_INDEX": str(sample_index),
        "FUNDSTELLE_ANCHORS": str(SAMPLES / "anchors.toml"),
        "FUNDSTELLE_QUESTIONS": str(SAMPLES / "questions.toml"),
        "FUNDSTELLE_TUNING": str(workshop.folder),
    }
    yield from served(ROOT / "dashboard" / "app.py", tmp_path_factory.mktemp("measure"), **places)


MOST_MISSING = "Wer darf in der Apotheke die Prüfung der Medikation vornehmen, was wird dafür vergütet und welches Sonderkennzeichen gilt?"


def noted(workshop: Workshop, act: str) -> list[Event]:
    return [one for one in events(workshop.protocol_file("questions")) if one.act == act]


def part(page: Any, name: str) -> None:
    page.get_by_text(name, exact=True).first.click()
    settled(page)


def test_measuring_shows_every_figure_and_is_noted_once(visit: Visit, desk: Server, workshop: Workshop) -> None:
    page = visit("messen", address=desk.address)
    see(page, "Gemessen wurden 38 Fragen mit 76 bekannten Normen")
    page.locator(".st-key-figures_chart .js-plotly-plot").wait_for()
    see(page, "0,809 bis 0,961")
    see(page, "HVG-A · § 52 (aufgehoben)")
    page.reload()
    see(page, "Gemessen wurden 38 Fragen")
    settled(page)
    (one,) = [event for event in noted(workshop, "measured") if event.settings and event.settings["verweis_score"] == 0.5]
    assert (one.tried, round(float(one.details["chain_coverage"] or 0), 3)) == (1, 0.887)


def test_each_question_opens_on_the_page_live(visit: Visit, desk: Server) -> None:
    page = visit("messen?mr=0.3", address=desk.address)
    see(page, "Gemessen wurden 38 Fragen")
    settled(page)
    part(page, "Fragen")
    page.get_by_role("link", name="Frage 1 öffnen", exact=True).click()
    page.get_by_role("heading", name="Live", exact=True).wait_for()
    settled(page)
    assert unquote(query_of(page)["q"]) == MOST_MISSING
    assert query_of(page)["mr"] == "0.3"


def test_the_held_out_questions_are_seen_when_somebody_asks_and_the_protocol_says_so(
    visit: Visit, desk: Server, workshop: Workshop
) -> None:
    page = visit("messen?vs=0.97", address=desk.address)
    see(page, "Gemessen wurden 38 Fragen")
    settled(page)
    part(page, "Zwei Einstellungen")
    see(page, "Verschieden ist 1 Einstellung. Wert eines Verweisziels (VERWEIS_SCORE): 0,50 → 0,97")
    see(page, "noch nicht angesehen")
    assert noted(workshop, "revealed") == []
    page.get_by_role("button", name="Zurückgehaltene Fragen ansehen").click()
    settled(page)
    see(page, "laut Protokoll bisher 1 Mal angesehen")
    assert page.get_by_text("noch nicht angesehen").count() == 0
    assert len(noted(workshop, "revealed")) == 1
    assert noted(workshop, "compared")[0].details["against"] == "Vorgaben"
    slider = page.get_by_test_id("stSidebar").get_by_role("slider", name="Wert eines Verweisziels")
    slider.press("ArrowLeft")
    see(page, "Wert eines Verweisziels (VERWEIS_SCORE): 0,50 → 0,96")
    see(page, "für diesen Vergleich noch nicht angesehen")
    assert len(noted(workshop, "revealed")) == 1


def test_a_settings_file_is_compared_and_what_is_none_is_refused_in_words(visit: Visit, desk: Server) -> None:
    page = visit("messen", address=desk.address)
    see(page, "Gemessen wurden 38 Fragen")
    settled(page)
    part(page, "Zwei Einstellungen")
    see(page, "Beide Einstellungen sind dieselbe")
    page.get_by_role("combobox", name="Vergleichen mit", exact=False).click()
    page.get_by_role("option", name="Einstellungen aus einer Datei").click()
    settled(page)
    choose = page.locator("input[type=file]")
    choose.set_input_files({"name": "kaputt.toml", "mimeType": "application/toml", "buffer": b"x = "})
    see(page, "„kaputt.toml“ enthält keine Einstellungen")
    choose.set_input_files({"name": "gut.toml", "mimeType": "application/toml", "buffer": b"[settings]\nmin_hits_per_corpus = 0\n"})
    see(page, "Plätze je Regelwerk: 0 → 2")


def test_the_losses_stand_in_bars_and_by_name(visit: Visit, desk: Server) -> None:
    page = visit("messen", address=desk.address)
    see(page, "Gemessen wurden 38 Fragen")
    settled(page)
    part(page, "Wo Normen verloren gehen")
    page.locator(".st-key-losses_chart .js-plotly-plot").wait_for()
    see(page, "Am meisten kostet „Nicht in die Liste gekommen“ mit 0,035")
    page.get_by_text("Regelwerk nicht befragt: 2 Normen").click()
    see(page, "AStV-A · § 11")


def test_another_threshold_is_taken_with_a_decimal_comma_and_refused_in_words(visit: Visit, desk: Server) -> None:
    page = visit("messen", address=desk.address)
    see(page, "Gemessen wurden 38 Fragen")
    settled(page)
    part(page, "Entscheidungsschwelle")
    see(page, "Keine Schwelle trennt beide ohne Fehler.")
    field = page.get_by_label("Schwelle", exact=True)
    field.fill("0,05")
    field.press("Enter")
    settled(page)
    see(page, "Schwelle 0,0500")
    field.fill("viel")
    field.press("Enter")
    settled(page)
    see(page, "„viel“ gilt nicht; erwartet wird eine Zahl von 0 bis 2.")


def test_the_finding_is_computed_and_can_be_changed(visit: Visit, desk: Server) -> None:
    page = visit("befund", address=desk.address)
    see(page, "„Kettenabdeckung“ sinkt von 0,887 auf 0,828 (17 Fragen).")
    see(page, "nicht vom Zufall zu unterscheiden")
    see(page, "0,5192")
    see(page, "0,9097")
    see(page, "0,9300")
    see(page, "Verloren: HVG-A · § 41a.")
    settled(page)
    page.get_by_role("combobox", name="Einstellung", exact=False).first.click()
    page.get_by_role("option", name="Plätze je Regelwerk").click()
    settled(page)
    see(page, "Plätze je Regelwerk 0 statt 2")
    see(page, "Bei diesen Werten ändert sich")


def test_lists_of_different_length_are_measured_on_the_same_places(visit: Visit, desk: Server) -> None:
    page = visit("befund", address=desk.address)
    see(page, "„Kettenabdeckung“ sinkt von 0,887 auf 0,828 (17 Fragen).")
    settled(page)
    page.get_by_role("combobox", name="Einstellung", exact=False).first.click()
    page.get_by_role("option", name="Länge der Liste").click()
    see(page, "Länge der Liste 50 statt 10: „Kettenabdeckung“ steigt von 0,887 auf 0,951 (17 Fragen).")
    see(page, "1.525 Treffer kommen herein")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_on_any_view(visit: Visit, desk: Server, scheme: str) -> None:
    page = visit("befund", address=desk.address, scheme=scheme)
    see(page, "„Kettenabdeckung“ sinkt von 0,887 auf 0,828")
    settled(page)
    whole(page)
    found = {"befund": list(grave(page))}
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.goto(f"{desk.address}/messen?vs=0.97")
    see(page, "Gemessen wurden 38 Fragen")
    for name in ("Kennzahlen", "Fragen", "Zwei Einstellungen", "Wo Normen verloren gehen", "Entscheidungsschwelle"):
        part(page, name)
        whole(page)
        found[name] = list(grave(page))
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("address", ["messen", "befund"])
def test_a_narrow_page_holds_everything_and_speaks_english(visit: Visit, desk: Server, address: str) -> None:
    page = visit(f"{address}?lang=en", address=desk.address, width=420, scheme="dark")
    see(page, "Figures over the whole set" if address == "messen" else "falls from 0.887 to 0.828 (17 questions)")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

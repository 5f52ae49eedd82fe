"""The pages "Stufen" and "Werte" in a real browser: switches, addresses, drawings, files."""

from __future__ import annotations

import pytest

from tests.dashboard.browsing import Visit, ask, query_of, see, settled
from tests.dashboard.demo import HOSTILE, QUESTION

pytestmark = pytest.mark.browser


def test_a_stage_that_is_switched_off_stands_in_the_address_and_on_every_run_page(visit: Visit) -> None:
    page = visit(f"stufen{ask(QUESTION)}")
    see(page, "Was jede Stufe bewirkt")
    page.get_by_text("Ohne Quote", exact=True).click()
    see(page, "Diese Liste entsteht ohne die Quote")
    settled(page)
    assert query_of(page)["off"] == "quota"
    page.get_by_role("link", name="Werte", exact=True).click()
    see(page, "Wie jeder Ordnungswert zustande kommt")
    see(page, "Diese Liste entsteht ohne die Quote")
    assert query_of(page)["off"] == "quota"


def test_a_link_without_stages_sets_their_switches_and_one_click_takes_a_stage_in_again(visit: Visit) -> None:
    page = visit(f"stufen{ask(QUESTION)}&off=anchors,quota")
    see(page, "Diese Liste entsteht ohne die Anker und ohne die Quote")
    states = [page.get_by_role("switch", name=name).is_checked() for name in ("Ohne Anker", "Ohne Verweise", "Ohne Quote")]
    assert states == [True, False, True]
    page.get_by_text("Ohne Anker", exact=True).click()
    see(page, "Diese Liste entsteht ohne die Quote")
    settled(page)
    assert query_of(page)["off"] == "quota"


def test_the_chosen_stage_is_drawn_with_its_sentence(visit: Visit) -> None:
    page = visit(f"stufen{ask(QUESTION)}")
    # What is drawn later moves the choice from under the pointer, so the click waits for the last drawing.
    page.locator(".st-key-funnel .js-plotly-plot").wait_for()
    settled(page)
    choice = page.get_by_role("radiogroup", name="Stufe ansehen")
    choice.get_by_text("Quote", exact=True).click()
    choice.locator("label:has(input:checked)", has_text="Quote").wait_for()
    settled(page)
    see(page, "ohne die Quote")
    see(page, "Quote: endgültige Liste ohne und mit")


@pytest.mark.parametrize("width", [420, 1440])
def test_the_scores_fit_the_width_and_hold_no_markup_of_a_corpus(visit: Visit, width: int) -> None:
    page = visit(f"werte{ask(HOSTILE)}", width=width)
    see(page, "Ordnungswerte: Sie ordnen")
    page.locator(".js-plotly-plot").nth(1).wait_for()
    settled(page)
    assert page.locator("img[src=x]").count() == 0
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= page.evaluate("document.querySelector('[data-testid=stMain]').clientWidth")


def test_the_table_of_the_scores_comes_as_a_file(visit: Visit) -> None:
    page = visit(f"werte{ask(QUESTION)}")
    see(page, "Tabelle herunterladen (CSV)")
    with page.expect_download() as started:
        page.get_by_role("button", name="Tabelle herunterladen (CSV)").click()
    with open(started.value.path(), "rb") as file:
        first = file.readline().decode("utf-8-sig").strip()
    assert first == "Fundstelle;Regelwerk;Ordnungswert;Herkunft des Ordnungswerts;Platz vor der Quote;Platz in der Liste"


def test_what_narrowly_missed_the_list_stands_under_it_on_live(visit: Visit) -> None:
    page = visit(f"{ask(QUESTION)}&mfr=3")
    see(page, "Knapp daneben: was nicht in der Liste steht")
    see(page, "Hinter dem letzten Platz der Liste")

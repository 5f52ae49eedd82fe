"""The page "Warum?" in a real browser: a click leads to it, typed words too, and a change is one click."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

import pytest

from tests.dashboard.browsing import Visit, ask, query_of, see, settled
from tests.dashboard.demo import QUESTION

pytestmark = pytest.mark.browser


def why(norm: str = "", question: str = QUESTION, **more: str) -> str:
    named = {"n": norm, **more} if norm else more
    return f"warum{ask(question)}" + "".join(f"&{key}={quote(text)}" for key, text in named.items())


def test_a_click_on_a_hit_leads_to_its_reasons_and_the_next_norm_is_a_click_away(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    page.get_by_role("link", name="Warum hier?").last.wait_for()
    settled(page)
    page.locator("li.card").first.get_by_role("link", name="Warum hier?").click()
    see(page, "Der Weg der Norm durch den Lauf")
    settled(page)
    assert urlsplit(page.url).path == "/warum"
    first = query_of(page)["n"]
    page.get_by_role("navigation", name="Normen in der Liste").get_by_role("link").nth(1).click()
    page.wait_for_function("first => new URLSearchParams(location.search).get('n') !== first", arg=first)
    settled(page)
    assert page.locator("ol.stations > li").count() == 16


def test_typed_words_lead_to_a_norm_and_several_to_a_choice_that_stays_here(visit: Visit) -> None:
    page = visit(why())
    see(page, "Wählen Sie oben eine Norm")
    box = page.get_by_label("Norm", exact=True)
    box.fill("§ 10")
    page.keyboard.press("Enter")
    see(page, "2 Normen passen")
    page.locator("th a").filter(has_text="RV").click()
    see(page, "Der Weg der Norm durch den Lauf")
    settled(page)
    assert (urlsplit(page.url).path, query_of(page)["n"]) == ("/warum", "vertrag|Vertrag|§ 10")


def test_a_change_is_applied_by_its_button_and_the_norm_stands_in_the_list(visit: Visit) -> None:
    page = visit(why("gesetz||§ 24|1", mfr="2", mhpc="0"))
    see(page, "Was die Norm in die Liste brächte")
    button = page.get_by_role("button", name="Änderung 1 übernehmen")
    button.wait_for()
    before = query_of(page)
    button.click()
    see(page, "Was die Norm aus der Liste nähme")
    settled(page)
    assert query_of(page) != before
    assert page.locator("ol.stations > li").last.locator(".state").inner_text() == "ja"


def test_the_state_of_a_station_is_a_word_and_a_form_of_border(visit: Visit) -> None:
    page = visit(why("gesetz||§ 24|1", mfr="2", mhpc="0"))
    page.locator("ol.stations").wait_for()
    forms = page.locator("ol.stations > li").evaluate_all(
        "nodes => nodes.map(node => [node.querySelector('.state').textContent, getComputedStyle(node).borderTopStyle])"
    )
    assert dict(forms) == {"ja": "solid", "nein": "double", "nicht erreicht": "dotted", "entfällt": "dashed"}
    assert page.locator("ol.stations .decides").count() == 1


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_phone_shows_the_stations_in_a_column_without_sideways_scrolling(visit: Visit, language: str) -> None:
    page = visit(why("gesetz||§ 24|1", lang=language), width=420)
    page.locator("ol.stations").wait_for()
    settled(page)
    lefts = page.locator("ol.stations > li").evaluate_all("nodes => [...new Set(nodes.map(node => node.getBoundingClientRect().left))]")
    assert len(lefts) == 1
    assert page.get_by_test_id("stMain").evaluate("node => node.scrollWidth <= node.clientWidth")

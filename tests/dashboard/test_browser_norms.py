"""Norms in a real browser: a click on a mark, typed words, links that are too old, and text that stays text."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.dashboard.browsing import Visit, ask, query_of, see, settled
from tests.dashboard.demo import HTML, LINK, MARKDOWN

pytestmark = pytest.mark.browser
RUN = ask("Apotheke abweichen")
TIED = "\u00a0"


def norm(key: str) -> str:
    return f"norm?n={quote(key)}"


def title(page: Any) -> str:
    return str(page.locator("h1").inner_text())


def place(page: Any) -> str:
    return urlsplit(page.url).path


def test_a_click_on_a_mark_leads_to_the_norm_and_the_way_back_to_the_run(visit: Visit) -> None:
    page = visit(f"{RUN}&mr=0.3")
    mark = page.locator("a.mark.followed").first
    mark.wait_for()
    assert mark.inner_text() == "§ 2 AMG-T"
    assert mark.evaluate("node => getComputedStyle(node, '::after').content").endswith('[nachgeladen]"')
    mark.click()
    see(page, "Wird genannt von")
    settled(page)
    assert (place(page), query_of(page)) == ("/norm", {"q": "Apotheke abweichen", "mr": "0.3", "n": "gesetz||§ 2"})
    assert page.locator("input[type=range]").count() == 0
    page.get_by_test_id("stMain").get_by_role("link", name="Zurück zum Lauf").click()
    see(page, "6 · Treffer")
    settled(page)
    assert (place(page), query_of(page)) == ("/", {"q": "Apotheke abweichen", "mr": "0.3"})
    assert page.locator('input[aria-label="Mindestverhältnis zum besten Treffer (min_ratio)"]').get_attribute("aria-valuetext") == "0,30"


def test_a_mark_works_by_keyboard_and_in_a_new_tab(visit: Visit) -> None:
    page = visit(RUN)
    mark = page.locator("a.mark.followed").first
    mark.wait_for()
    settled(page)
    mark.focus()
    address = urlsplit(str(mark.evaluate("node => node.href")))
    assert (address.path, parse_qs(address.query)) == ("/norm", {"q": ["Apotheke abweichen"], "n": ["gesetz||§ 2"]})
    page.keyboard.press("Enter")
    see(page, "Wird genannt von")
    other = visit(f"norm?{address.query}")
    see(other, "AMG-T · § 2: Abgabe")


def test_the_way_back_of_the_browser_leads_from_norm_to_norm(visit: Visit) -> None:
    page = visit(norm("vertrag|Vertrag|§ 10"))
    page.locator("a.mark").first.click()
    see(page, "AMG-T · § 2: Abgabe")
    settled(page)
    page.go_back()
    see(page, "RV · Vertrag · § 10: Abweichung")
    settled(page)
    assert query_of(page) == {"n": "vertrag|Vertrag|§ 10"}


def test_a_typed_address_shows_its_norm_and_an_ambiguous_one_a_choice(visit: Visit) -> None:
    page = visit("norm")
    see(page, "Noch keine Norm")
    box = page.get_by_label("Fundstelle", exact=True)
    box.fill("§ 10")
    page.keyboard.press("Enter")
    see(page, "2 Normen passen")
    page.get_by_role("link", name="RV · Vertrag · § 10").click()
    see(page, "RV · Vertrag · § 10: Abweichung")
    page.get_by_role("link", name="auch in: Anlage 11").click()
    see(page, "RV · Anlage 11 · § 10: Abrechnung")
    settled(page)
    assert query_of(page) == {"n": "vertrag|Anlage 11|§ 10"}
    assert box.input_value() == ""
    box.fill("2 amg-t")
    page.get_by_role("button", name="Zeigen").click()
    see(page, "AMG-T · § 2: Abgabe")
    settled(page)
    assert query_of(page) == {"n": "2 amg-t"}


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("gesetz||§ 99", "Diese Fundstelle steht nicht im Bestand"),
        (f"{HTML}||{LINK}", "Dieses Regelwerk ist nicht im Bestand, oder nicht mehr."),
        (f"§ 5 {HTML[:60]}", "Normen passen"),
    ],
)
def test_a_link_to_nothing_has_a_clear_screen(visit: Visit, key: str, sentence: str) -> None:
    page = visit(norm(key))
    see(page, sentence)
    assert page.locator("img[src='x'], a[href^='javascript']").count() == 0


def test_hostile_text_of_a_norm_stays_text_everywhere(visit: Visit) -> None:
    page = visit(norm("seltsam||§ 7"))
    see(page, "Nachbarschaft")
    settled(page)
    text = f"{HTML} Es gilt § 5 und § 2 AMG-T. {LINK}"
    assert page.locator(".wording").inner_text() == text
    assert page.locator("h2").first.inner_text().endswith(f"§\xa07: {MARKDOWN}")
    assert page.locator("a.mark").all_inner_texts()[-2:] == ["§ 5", "§ 2 AMG-T"]
    assert page.locator("img[src='x'], a[href^='javascript'], .katex").count() == 0
    assert page.locator(".js-plotly-plot text").filter(has_text="<i>S</i>").count() >= 1
    assert page.evaluate("getComputedStyle(document.body).display") == "block"


def test_own_words_are_tied_and_those_of_a_source_stand_as_they_are(visit: Visit) -> None:
    page = visit(norm("seltsam||§ 5"))
    see(page, "Wird genannt von")
    settled(page)
    assert page.locator("h2").first.inner_text() == f"<i>S</i> · §{TIED}5: {HTML}"
    assert page.locator(".wording").inner_text() == f"{MARKDOWN}\n{HTML}\n{LINK}\nDie Apotheke darf abgeben."
    citing = page.locator("td .under").filter(has_text="Es gilt")
    assert "Es gilt § 5 und § 2 AMG-T." in citing.first.inner_text()
    assert page.locator("td .main").filter(has_text="„§").first.inner_text() == "„§ 5“"
    assert f"§{TIED}7" in page.locator("a[data-norm='seltsam||§ 7']").first.inner_text()


def test_the_register_stands_on_its_page_and_leads_to_its_norms(visit: Visit) -> None:
    page = visit("anker")
    see(page, "2 Anker führen nicht eindeutig zu einer geltenden Norm")
    assert title(page) == "Anker"
    assert page.locator("td .main").filter(has_text="onerror").first.inner_text() == f"„{HTML}“"
    page.get_by_role("link", name="TA-T · Ziffer 4.10").click()
    see(page, "Wer anders abgibt, setzt das Sonderkennzeichen.")
    assert title(page) == "Norm"


def test_the_pages_are_reached_from_the_side_and_keep_the_settings(visit: Visit) -> None:
    page = visit(f"{RUN}&mr=0.3&lang=en")
    side = page.get_by_test_id("stSidebar")
    for name, expected in (("Norm", "/norm"), ("Anchors", "/anker"), ("Live", "/")):
        side.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", name=name, level=1).wait_for()
        settled(page)
        assert (place(page), query_of(page)) == (expected, {"q": "Apotheke abweichen", "mr": "0.3", "lang": "en"})


@pytest.mark.parametrize("address", [norm("gesetz||§ 2"), "anker", "norm"])
def test_a_phone_shows_the_pages_without_sideways_scrolling(visit: Visit, address: str) -> None:
    page = visit(address, width=420)
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    main = page.get_by_test_id("stMain")
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth")

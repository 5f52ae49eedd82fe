"""The comparison in a real browser: pins over all pages, names that stay text, the way back, a phone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dashboard.browsing import Visit, ask, query_of, see, settled
from tests.dashboard.demo import HTML, QUESTION

pytestmark = pytest.mark.browser


def push(page: Any, label: str, key: str = "ArrowRight") -> None:
    page.locator(f'input[aria-label="{label}"]').focus()
    page.keyboard.press(key)
    settled(page)


def pin(page: Any) -> None:
    page.get_by_role("button", name="Diese Einstellung anheften").first.click()
    settled(page)


def compared(page: Any) -> Any:
    see(page, "Was in dieser Sitzung probiert wurde")
    settled(page)
    return page


def test_a_pin_set_on_another_page_stands_in_the_comparison(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "Diese Einstellung anheften")
    settled(page)
    pin(page)
    see(page, "Angeheftet als A.")
    push(page, "Gewicht der Vektorsuche")
    page.get_by_role("link", name="Vergleich").click()
    compared(page)
    see(page, "„A“ und „jetzt“:")
    assert page.locator("table").filter(has_text="Gewicht der Vektorsuche").locator("td").all_inner_texts()[:2] == ["0,50", "0,55"]


def test_the_way_back_changes_the_controls_and_the_address(visit: Visit) -> None:
    page = compared(visit(f"vergleich{ask(QUESTION)}&mr=0.4"))
    push(page, "Gewicht der Vektorsuche")
    assert query_of(page)["wv"] == "0.55"
    page.get_by_role("button", name="Zurück zu Stand 1").click()
    settled(page)
    assert query_of(page) == {"q": QUESTION, "mr": "0.4"}
    assert page.locator('input[aria-label="Gewicht der Vektorsuche"]').get_attribute("aria-valuetext") == "0,50"
    see(page, "Stand 3: jetzt")


def test_a_hostile_name_of_a_pin_stays_text_everywhere(visit: Visit) -> None:
    page = compared(visit(f"vergleich{ask(QUESTION)}"))
    pin(page)
    push(page, "Gewicht der Vektorsuche")
    pin(page)
    push(page, "Gewicht der Vektorsuche")
    name = f"$x$ **b** {HTML}"[:40]
    page.get_by_label("Name von A").fill(name)
    page.keyboard.press("Enter")
    see(page, f"„A · {name.strip()}“ und „B“:")
    settled(page)
    assert page.locator("img[src='x'], .katex").count() == 0
    assert page.get_by_label("Name von A").input_value() == name.strip()


def test_the_set_of_questions_runs_and_opens_a_question_above(visit: Visit) -> None:
    page = compared(visit(f"vergleich{ask('Arzneimittel lagern')}"))
    pin(page)
    push(page, "Gewicht der Vektorsuche", "End")
    page.get_by_role("button", name="Vergleich über 2 Fragen starten").click()
    see(page, "2 von 2 Fragen.")
    settled(page)
    page.get_by_role("button", name="Frage 1 oben öffnen").click()
    settled(page)
    asked = query_of(page)["q"]
    assert page.locator('[data-testid="stText"]').filter(has_text=asked).first.inner_text().startswith("1. ")
    assert page.get_by_label("Ihre Frage").input_value() == asked
    assert page.get_by_role("button", name="Frage 1 steht oben").is_disabled()


def test_a_phone_shows_the_comparison_without_sideways_scrolling_and_with_names_for_all_controls(visit: Visit) -> None:
    page = compared(visit(f"vergleich{ask(QUESTION)}&wv=0.9", width=420))
    page.locator("[data-testid=stMain]").get_by_role("button", name="Diese Einstellung anheften").click()
    settled(page)
    page.get_by_label("Ihre Frage").fill("Arzneimittel lagern")
    page.keyboard.press("Control+Enter")
    settled(page)
    see(page, "Stand 2: jetzt")
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stMain] :is(input, textarea, button)')]
            .filter(node => node.offsetParent !== null && !node.innerText)
            .filter(node => !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') || node.labels?.length))
            .map(node => node.outerHTML.slice(0, 160))"""
    )
    assert nameless == []

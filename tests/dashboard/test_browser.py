"""The page in a real browser: what a reader sees, what a link carries, what hostile text does not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.dashboard.browsing import ROOT, Visit, ask, query_of, see, served, settled
from tests.dashboard.demo import HOSTILE, HTML, LINK, MARKDOWN, QUESTION

pytestmark = pytest.mark.browser


def slider(page: Any, label: str) -> Any:
    return page.locator(f'input[aria-label="{label}"]')


def values(page: Any) -> list[str]:
    return [handle.get_attribute("aria-valuetext") for handle in page.get_by_role("slider").all()]


def test_a_slider_keeps_its_value_while_the_other_method_is_in_force(visit: Visit) -> None:
    page = visit(f"{ask(QUESTION)}&f=rrf&rk=90")
    see(page, "6 · Treffer")
    settled(page)
    assert slider(page, "RRF-Konstante k").get_attribute("aria-valuetext") == "90"
    for method in ("gewichtete Summe", "Rangfusion (RRF)"):
        box = page.get_by_role("combobox", name="Fusion", exact=False)
        # A list that opens while the page still scrolls to its control closes again.
        box.evaluate("box => box.scrollIntoView({block: 'center', behavior: 'instant'})")
        settled(page)
        box.click()
        page.get_by_role("option", name=method).click()
        settled(page)
        assert slider(page, "RRF-Konstante k").get_attribute("aria-valuetext") == "90"
        assert slider(page, "RRF-Konstante k").is_disabled() == (method == "gewichtete Summe")


def test_a_slider_moved_by_keyboard_keeps_the_focus_and_leaves_the_others_alone(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "6 · Treffer")
    before = values(page)
    handle = slider(page, "Gewicht der Vektorsuche")
    handle.focus()
    for expected in ("0,55", "0,60", "0,65"):
        page.keyboard.press("ArrowRight")
        settled(page)
        assert handle.get_attribute("aria-valuetext") == expected
    assert query_of(page)["wv"] == "0.65"
    assert [value for value in values(page) if value not in before] == ["0,65"]
    see(page, "Wirksame Anteile: Vektorsuche 57 %, Wortsuche 43 %.")


def test_a_link_carries_question_settings_and_language_to_another_session(visit: Visit) -> None:
    first = visit(f"{ask('Arzneimittel § 2 & § 3 + 5 % # ä ß abgeben')}&mr=0,3")
    see(first, "6 · Treffer")
    first.get_by_text("English", exact=True).click()
    see(first, "6 · Hits")
    settled(first)
    second = visit(f"?{urlsplit(first.url).query}")
    see(second, "6 · Hits")
    assert second.get_by_label("Your question").input_value() == "Arzneimittel § 2 & § 3 + 5 % # ä ß abgeben"
    assert slider(second, "Least ratio to the best hit (min_ratio)").get_attribute("aria-valuetext") == "0.30"
    assert query_of(second)["mr"] == "0.3"


def test_bad_values_in_a_link_are_named_and_do_not_count(visit: Visit) -> None:
    page = visit(f"{ask(QUESTION)}&wv=7&wl=nan&mr=-0.3&mfr=abc&xyz=1")
    see(page, "Einige Angaben in der Adresse gelten nicht")
    see(page, "Gewicht der Vektorsuche: „7“ gilt nicht")
    see(page, "Die Angabe xyz ist unbekannt")
    settled(page)
    assert query_of(page) == {"q": QUESTION}


def test_a_question_of_twenty_thousand_characters_is_refused_in_a_sentence(visit: Visit) -> None:
    page = visit()
    see(page, "Noch keine Frage")
    page.get_by_label("Ihre Frage").fill("x" * 20_000)
    page.get_by_role("button", name="Fragen").click()
    see(page, "Sie hat 20.000 Zeichen; möglich sind 2.000.")


def test_a_question_typed_with_a_line_break_goes_into_the_address_and_back(visit: Visit) -> None:
    page = visit()
    see(page, "Noch keine Frage")
    page.get_by_label("Ihre Frage").fill("Arzneimittel?\nApotheke abgeben")
    page.keyboard.press("Control+Enter")
    see(page, "6 · Treffer")
    settled(page)
    assert query_of(page)["q"] == "Arzneimittel?\nApotheke abgeben"
    page.reload()
    see(page, "6 · Treffer")
    assert page.get_by_label("Ihre Frage").input_value() == "Arzneimittel?\nApotheke abgeben"


def test_legal_text_is_neither_markdown_nor_html_anywhere(visit: Visit) -> None:
    page = visit(f"{ask(HOSTILE)}&mfr=50")
    see(page, "6 · Treffer")
    settled(page)
    wording = page.locator(".wording").filter(has_text="Faktor:preis").first
    assert wording.inner_text() == f"{MARKDOWN}\n{HTML}\n{LINK}\nDie Apotheke darf abgeben."
    assert page.locator("h3 + .subtitle").filter(has_text="<img src=x").first.inner_text() == HTML
    assert page.locator("th .main").filter(has_text="onerror").first.inner_text().replace("\xa0", " ") == f"{HTML} {MARKDOWN}"
    assert page.get_by_label("Ihre Frage").input_value() == HOSTILE
    assert page.locator("img[src='x'], a[href^='javascript'], .katex").count() == 0
    assert page.locator(".ytick text").filter(has_text="<i>S</i> · § 6 <b>f</b> $x$").count() == 1
    assert page.evaluate("getComputedStyle(document.body).display") == "block"


def test_an_example_question_is_shown_as_it_stands_and_asked_when_chosen(visit: Visit) -> None:
    page = visit()
    page.get_by_role("combobox", name="Beispielfragen", exact=False).click()
    option = page.get_by_role("option").nth(1)
    assert option.inner_text() == HOSTILE
    option.click()
    see(page, "6 · Treffer")
    settled(page)
    assert query_of(page)["q"] == HOSTILE


def test_the_same_section_number_twice_stands_twice_each_with_its_own_folds(visit: Visit) -> None:
    page = visit(f"{ask('Apotheke Abweichung abweichen rechnet')}&mfr=50")
    see(page, "6 · Treffer")
    cards = page.locator(".card").filter(has_text="§ 10")
    titles = cards.locator("h3").all_inner_texts()
    assert {"RV · Vertrag · §\xa010", "RV · Anlage\xa011 · §\xa010"} <= set(titles)
    first, second = (page.locator(".card").filter(has_text=title).first for title in ("RV · Vertrag · § 10", "RV · Anlage 11 · § 10"))
    first.get_by_text("Bestandteile und Angaben").click()
    assert first.get_by_text("Summe = Ordnungswert").is_visible()
    assert not second.get_by_text("Summe = Ordnungswert").is_visible()


def test_an_opened_fold_stays_open_when_a_slider_moves(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "6 · Treffer")
    card = page.locator(".card").first
    card.get_by_text("Bestandteile und Angaben").click()
    slider(page, "Länge der Liste").focus()
    page.keyboard.press("ArrowLeft")
    see(page, "9 Treffer")
    assert card.get_by_text("Summe = Ordnungswert").is_visible()


@pytest.mark.parametrize(
    ("stock", "sentence"),
    [
        ("nowhere", "An diesem Ort ist keine Datenbank"),
        ("empty", "Der Bestand ist leer"),
        ("unread", "Der Bestand ist nicht lesbar oder nicht vollständig"),
        ("broken_corpus", "Rahmenvertrag mit Anlagen ist ausgefallen (RuntimeError) und fehlt in der Liste."),
        ("broken_words", "Wortsuche in Gesetz über Arzneimittel ausgefallen (RuntimeError)."),
        ("mixed", "Die Regelwerke sind nicht mit demselben Modell eingelesen."),
    ],
)
def test_each_special_case_has_its_own_screen(visit: Visit, stock: str, sentence: str) -> None:
    see(visit(ask(QUESTION), stock), sentence)


def test_a_phone_shows_the_page_without_sideways_scrolling(visit: Visit) -> None:
    page = visit(ask(QUESTION), width=420)
    see(page, "6 · Treffer")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_paper_shows_every_fold_open(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "7 · Protokoll des Laufs")
    settled(page)
    card = page.locator(".card").first
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert card.get_by_text("Summe = Ordnungswert").is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert not card.get_by_text("Summe = Ordnungswert").is_visible()


def test_every_control_has_a_spoken_name(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "6 · Treffer")
    settled(page)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('input, textarea, [role=slider], [role=combobox]')]
            .filter(node => node.offsetParent !== null || node.type === 'range')
            .filter(node => !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') || node.labels?.length))
            .map(node => node.outerHTML.slice(0, 120))"""
    )
    assert nameless == []


def test_the_first_session_of_the_entry_file_opens_the_page_of_its_address_and_keeps_its_controls(
    tmp_path: Path, browser: Any, visit: Visit
) -> None:
    for own in served(ROOT / "dashboard" / "app.py", tmp_path, FUNDSTELLE_INDEX=str(tmp_path / "nothing here")):
        page = visit("norm?n=129", address=own.address)
        see(page, "An diesem Ort ist keine Datenbank")
        assert page.locator("h1").inner_text() == "Norm"
        see(page, "nothing here")
        page.get_by_text("English", exact=True).click()
        see(page, "There is no database at this place")
        assert page.get_by_role("radio", name="English").is_checked()
        settled(page)
        assert query_of(page) == {"lang": "en", "n": "129"}
        assert not (tmp_path / "nothing here").exists()

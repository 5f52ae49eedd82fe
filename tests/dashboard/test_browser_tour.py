"""Tour, presentation and display in a real browser: by keys, without a network, in both themes, on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.dashboard.browsing import ROOT, Visit, ask, query_of, see, served, settled
from tests.dashboard.demo import QUESTION, TOUR

pytestmark = pytest.mark.browser
SERVED = Path(__file__).with_name("served_page.py")
FIRST, SECOND = "Ohne Quote fehlt der § 10 des Vertrages.", "Mit der Quote steht der § 10 des Vertrages in der Liste."


def progress(page: Any) -> str:
    return str(page.locator(".statement .above").inner_text())


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        settled(page)


def size(page: Any) -> float:
    return float(page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)"))


# --- the tour ---------------------------------------------------------------------------------------------------------


def test_the_tour_goes_on_and_back_by_keys_and_its_place_stands_in_the_address(visit: Visit) -> None:
    page = visit("rundgang")
    see(page, FIRST)
    settled(page)
    press(page, "ArrowRight")
    see(page, SECOND)
    assert (progress(page), query_of(page)["s"]) == ("Schritt 2 von 3", "1")
    press(page, "ArrowLeft")
    assert (progress(page), query_of(page)) == ("Schritt 1 von 3", {})
    press(page, "ArrowLeft")
    assert progress(page) == "Schritt 1 von 3"


def test_the_change_is_marked_in_words_and_the_norm_in_question_in_form(visit: Visit) -> None:
    page = visit("rundgang?s=1")
    see(page, SECOND)
    entered = page.locator(".ranking li.focus")
    assert entered.count() == 1
    assert entered.locator(".main").inner_text().replace("\xa0", " ") == "RV · Vertrag · § 10"
    assert "▲ neu in der Liste" in entered.inner_text()
    assert page.locator(".ranking li").filter(has_text="▼ fällt heraus").count() == 2
    see(page, "2 Treffer kommen neu in die Liste")
    see(page, "Stufe: Quote")


def test_a_sentence_that_is_not_true_of_the_stock_says_so(visit: Visit) -> None:
    page = visit("rundgang?s=2")
    see(page, "Auf diesen Bestand trifft der Satz nicht zu")
    see(page, "Das gibt es in diesem Bestand nicht.")
    see(page, "Länge der Liste")


def test_a_place_behind_the_last_step_is_the_last_step(visit: Visit) -> None:
    page = visit("rundgang?s=99")
    see(page, "Schritt 3 von 3")
    assert page.get_by_role("button", name="Weiter").is_disabled()


def test_a_step_opens_on_the_live_page_with_its_question_and_settings(visit: Visit) -> None:
    page = visit("rundgang?s=2&lang=en")
    page.get_by_role("link", name="See this step on the page “Live”").click()
    see(page, "6 · Hits")
    settled(page)
    assert query_of(page) == {"q": QUESTION, "mfr": "4", "lang": "en"}


def test_the_tour_works_when_nothing_outside_can_be_reached(visit: Visit, server: Any) -> None:
    page = visit("rundgang")
    see(page, FIRST)
    settled(page)
    page.context.route(lambda url: not url.startswith(server.address), lambda route: route.abort())
    press(page, "ArrowRight")
    see(page, SECOND)
    page.reload()
    see(page, SECOND)


def test_without_a_tour_the_page_says_how_to_write_one_and_a_broken_one_is_named(tmp_path: Path, browser: Any, visit: Visit) -> None:
    broken = tmp_path / "tour.toml"
    for file, sentence, exact in (
        ("", "Noch kein Rundgang", 'shows = "floor"'),
        (str(broken), "Der Rundgang lässt sich nicht lesen", "found the id 'mit' in another step too"),
    ):
        broken.write_text(TOUR.replace('"falsch"', '"mit"'), "utf-8")
        folder = tmp_path / str(bool(file))
        folder.mkdir()
        for own in served(SERVED, folder, FUNDSTELLE_TOUR=file):
            page = visit("rundgang", address=own.address)
            see(page, sentence)
            page.locator("summary").first.click()
            assert exact in page.locator(".exact").first.inner_text()


# --- the presentation -------------------------------------------------------------------------------------------------


def test_a_presentation_shows_one_stage_at_a_time_and_nothing_else(visit: Visit) -> None:
    page = visit(f"vorfuehrung{ask(QUESTION)}")
    see(page, "1 von 8")
    settled(page)
    titles = []
    for place in range(8):
        see(page, f"{place + 1} von 8")
        titles.append(page.locator("h1").inner_text())
        press(page, "ArrowRight")
    assert len(set(titles)) == 8
    assert (titles[0], titles[-1]) == ("Die Frage", "Die Liste")
    assert not page.get_by_test_id("stSidebar").is_visible()
    assert page.get_by_label("Ihre Frage").count() == 0
    assert size(page) > 20
    press(page, "ArrowLeft")
    assert page.locator("h1").inner_text() == titles[6]
    press(page, "Escape")
    see(page, "6 · Treffer")
    assert query_of(page) == {"q": QUESTION}


def test_a_presentation_without_a_question_asks_for_one(visit: Visit) -> None:
    page = visit("vorfuehrung")
    see(page, "Noch keine Frage")
    assert page.locator("h1").inner_text() == "Vorführung"


def test_a_presentation_does_not_hide_what_failed(visit: Visit) -> None:
    page = visit(f"vorfuehrung{ask(QUESTION)}&s=3", "broken_corpus")
    see(page, "Rahmenvertrag mit Anlagen ist ausgefallen (RuntimeError) und fehlt in der Liste.")


# --- desk and projector -----------------------------------------------------------------------------------------------


def test_the_display_is_chosen_in_the_sidebar_and_stands_in_the_address(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "6 · Treffer")
    settled(page)
    normal = size(page)
    page.get_by_text("groß", exact=True).click()
    page.locator(".blocks.large").first.wait_for()
    settled(page)
    assert query_of(page)["m"] == "large"
    assert size(page) > 1.3 * normal
    assert page.locator(".blocks.large").count() > 2
    page.get_by_text("dicht", exact=True).click()
    page.locator(".blocks.dense").first.wait_for()
    settled(page)
    assert query_of(page)["m"] == "dense"
    assert size(page) < normal


def test_dense_cards_have_their_texts_folded_until_someone_opens_one(visit: Visit) -> None:
    page = visit(f"{ask(QUESTION)}&m=dense")
    see(page, "6 · Treffer")
    settled(page)
    card = page.locator(".card").first
    assert not card.locator(".wording").is_visible()
    card.get_by_text("Wortlaut", exact=True).click()
    assert card.locator(".wording").is_visible()
    page.get_by_text("normal", exact=True).click()
    page.locator(".card .wording").nth(1).wait_for()


def test_the_type_of_charts_grows_with_the_page(visit: Visit) -> None:
    def tick(query: str) -> float:
        page = visit(f"{ask(QUESTION)}{query}")
        see(page, "6 · Treffer")
        page.locator(".ytick text").first.wait_for()
        settled(page)
        return float(page.evaluate("parseFloat(getComputedStyle(document.querySelector('.ytick text')).fontSize)"))

    assert tick("&m=large") > 1.3 * tick("")


@pytest.mark.parametrize("address", ["rundgang?s=1", f"vorfuehrung{ask(QUESTION)}&s=2", f"{ask(QUESTION)}&m=large"])
def test_a_phone_shows_it_without_sideways_scrolling(visit: Visit, address: str) -> None:
    page = visit(address, width=420)
    page.locator(".blocks p").first.wait_for()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_a_number_never_parts_from_its_section_sign_and_the_wording_stays_exact(visit: Visit) -> None:
    page = visit(ask(QUESTION))
    see(page, "6 · Treffer")
    titles = page.locator(".card h3").all_inner_texts()
    assert titles
    assert [title for title in titles if "§ " in title or "Abs. " in title] == []
    assert "\xa0" not in "".join(page.locator(".wording").all_inner_texts())
    assert query_of(page) == {"q": QUESTION}


def test_the_whole_way_from_a_question_to_a_step_of_the_tour_goes_by_keyboard(visit: Visit) -> None:
    page = visit()
    see(page, "Noch keine Frage")
    settled(page)
    tab_to(page, "Ihre Frage")
    page.keyboard.type("Arzneimittel abgeben")
    tab_to(page, "Fragen")
    page.keyboard.press("Enter")
    see(page, "6 · Treffer")
    settled(page)
    tab_to(page, "Rundgang")
    page.keyboard.press("Enter")
    see(page, FIRST)
    settled(page)
    tab_to(page, "Weiter")
    page.keyboard.press("Enter")
    see(page, SECOND)


_FOCUSED = """() => {
    let node = document.activeElement;
    while (node && node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
    return node ? node.getAttribute('aria-label') || (node.innerText || '').split('\\n')[0].trim() : '';
}"""


def tab_to(page: Any, name: str) -> None:
    """Press the tab key until the control with this name has the focus."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate(_FOCUSED) == name:
            return
    raise AssertionError(f"{name} cannot be reached by the tab key")


def test_the_entry_file_takes_the_tour_of_the_samples(tmp_path: Path, browser: Any, visit: Visit) -> None:
    named = {"FUNDSTELLE_INDEX": str(tmp_path / "nothing here"), "FUNDSTELLE_TOUR": str(ROOT / "sample_corpora" / "tour.toml")}
    for own in served(ROOT / "dashboard" / "app.py", tmp_path, **named):
        see(visit("rundgang", address=own.address), "An diesem Ort ist keine Datenbank")

"""Several quick changes, one after the other: the last one holds, whatever the browser's address says in between."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.browsing import Visit, ask, query_of, settled
from tests.dashboard.controls_of import knob
from tests.dashboard.demo import QUESTION

SCRIPT = Path(__file__).with_name("served_page.py")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    control = tmp_path / "control"
    control.write_text(f"/stock/{tmp_path.name}/full", "utf-8")
    monkeypatch.setenv("PAGE_CONTROL", str(control))
    monkeypatch.setenv("FUNDSTELLE_INDEX", "")
    monkeypatch.delenv("FUNDSTELLE_QUESTIONS", raising=False)
    page = AppTest.from_file(str(SCRIPT), default_timeout=20)
    page.query_params["q"] = QUESTION
    return page.run()


def test_a_control_counts_more_than_the_address_that_the_browser_has_not_yet_replaced(page: AppTest) -> None:
    knob(page, "max_final_results").set_value(11).run()
    page.query_params["mfr"] = "9"
    knob(page, "max_final_results").set_value(12).run()
    assert (knob(page, "max_final_results").value, page.query_params["mfr"]) == (12, "12")


def test_the_way_back_in_the_browser_still_leads_to_the_address_that_it_shows(page: AppTest) -> None:
    knob(page, "max_final_results").set_value(11).run()
    page.query_params["mfr"] = "9"
    page.run()
    assert knob(page, "max_final_results").value == 9


@pytest.mark.browser
@pytest.mark.parametrize("label", ["Länge der Liste", "Verfolgte Verweise"])
def test_ten_quick_presses_of_a_key_move_a_slider_by_ten_steps(visit: Visit, label: str) -> None:
    page = visit(f"stufen{ask(QUESTION)}")
    settled(page)
    handle = page.locator(f'input[aria-label="{label}"]')
    low = int(handle.get_attribute("min"))
    for _ in range(3):
        handle.focus()
        page.keyboard.press("Home")
        settled(page)
        handle.focus()
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        settled(page)
        assert handle.get_attribute("aria-valuetext") == str(low + 10)
    key = {"Länge der Liste": "mfr", "Verfolgte Verweise": "mvn"}[label]
    assert query_of(page).get(key, str(low + 10)) == str(low + 10)


def test_a_control_begins_with_its_value_and_is_not_set_to_it(page: AppTest) -> None:
    page.query_params["mfr"], page.query_params["mr"] = "9", "0.4"
    page.run()
    for name, value in (("max_final_results", 9), ("min_ratio", 0.4), ("weight_vector", 0.5)):
        found = knob(page, name)
        assert (found.value, found.proto.set_value) == (value, False)

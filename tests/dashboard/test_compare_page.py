"""The page "Vergleich" without a browser: pins, columns, the set of questions, the way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.controls import STATE
from dashboard.history import History
from dashboard.pinning import HISTORY
from tests.dashboard.controls_of import control, knob
from tests.dashboard.demo import HOSTILE, OPENED, QUESTION

SCRIPT = Path(__file__).with_name("compare_page.py")
Open = Callable[..., AppTest]
QUESTIONS = (QUESTION, HOSTILE, "Was sagt TA-T zur Abrechnung der Apotheke?")


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the page over a stock, with example questions and values in the address."""
    control, questions = tmp_path / "control", tmp_path / "questions.toml"
    questions.write_text("".join(f"[[question]]\ntext = '''{one}'''\n" for one in QUESTIONS), "utf-8")
    monkeypatch.setenv("PAGE_CONTROL", str(control))
    monkeypatch.setenv("FUNDSTELLE_INDEX", "")
    monkeypatch.setenv("FUNDSTELLE_QUESTIONS", str(questions))

    def open_page(stock: str = "full", **address: str) -> AppTest:
        control.write_text(f"/stock/{tmp_path.name}/{stock}", "utf-8")
        page = AppTest.from_file(str(SCRIPT), default_timeout=30)
        for key, value in {"q": QUESTION, **address}.items():
            page.query_params[key] = value
        page.run()
        assert not page.exception
        return page

    return open_page


def shown(page: AppTest) -> str:
    found: list[Any] = []
    for element in page.get("bidi_component"):
        found += json.loads(element.proto.json)["blocks"]  # type: ignore[attr-defined]
    return json.dumps(found, ensure_ascii=False)


def history_of(page: AppTest) -> History:
    found: History = page.session_state[HISTORY]
    return found


def columns(page: AppTest) -> Any:
    return next(one for one in page.multiselect if str(one.key).startswith("compare_columns"))


def side(page: AppTest, name: str) -> Any:
    return next(one for one in page.selectbox if str(one.key).startswith(f"compare_{name}"))


def pin(page: AppTest) -> None:
    page.button(key="pin_page").click().run()
    assert not page.exception


def move(page: AppTest, name: str, value: float) -> None:
    knob(page, name).set_value(value).run()
    assert not page.exception


def test_without_a_pin_the_page_says_what_to_do_and_keeps_the_state(opened: Open) -> None:
    page = opened()
    assert "Noch keine Einstellung angeheftet" in shown(page)
    assert [one.question for one in history_of(page).tried] == [QUESTION]
    assert page.button(key="tried_1").disabled


def test_a_pinned_setting_stands_beside_the_one_in_force(opened: Open) -> None:
    page = opened()
    pin(page)
    assert page.button(key="pin_page").disabled
    assert page.button(key="pin_sidebar").disabled
    move(page, "weight_vector", 0.0)
    text = shown(page)
    assert "„A“ und „jetzt“: " in text
    assert "1 Einstellung unterscheidet sich." in text
    assert "kann die Liste ändern" in text


def test_the_same_hit_in_many_lists_leaves_every_control_with_its_own_key(opened: Open) -> None:
    page = opened(mfr="50")
    for value in (0.5, 0.6, 0.7, 0.8):
        move(page, "weight_vector", value)
        pin(page)
    move(page, "weight_vector", 0.9)
    assert columns(page).value == ["A", "B", "C", "D", "now"]
    assert "In allen 5 Listen stehen" in shown(page)


def test_a_column_can_be_taken_out_and_a_new_pin_comes_in_by_itself(opened: Open) -> None:
    page = opened()
    pin(page)
    move(page, "weight_vector", 0.7)
    pin(page)
    move(page, "weight_vector", 0.8)
    columns(page).unselect("B").run()
    assert "„B“" not in shown(page)
    pin(page)
    assert columns(page).value == ["A", "C"]


def test_a_pin_gets_a_name_brings_its_settings_back_and_goes(opened: Open) -> None:
    page = opened()
    pin(page)
    move(page, "weight_vector", 0.7)
    page.text_input(key="pin_name_A").set_value("<b>Vorgabe</b>").run()
    assert "„A · <b>Vorgabe</b>“ und „jetzt“" in shown(page)
    page.button(key="pin_back_A").click().run()
    assert knob(page, "weight_vector").value == 0.5
    assert "wv" not in page.query_params
    page.button(key="pin_gone_A").click().run()
    assert history_of(page).pins == ()


def test_the_way_back_to_a_state_brings_question_settings_and_stages(opened: Open) -> None:
    page = opened(wv="0.7", off="quota")
    move(page, "min_ratio", 0.5)
    control(page, "question").set_value("Arzneimittel lagern")
    page.button(key="FormSubmitter:ask-Fragen").click().run()
    assert len(history_of(page).tried) == 3
    page.button(key="tried_1").click().run()
    state = page.session_state[STATE]
    assert (state.question, state.without) == (QUESTION, ("quota",))
    assert knob(page, "min_ratio").value == 0.25
    assert control(page, "question").value == QUESTION
    assert [one.number for one in history_of(page).tried] == [1, 2, 3, 4]


def test_a_setting_of_a_hidden_control_comes_back_too(opened: Open) -> None:
    page = opened(f="rrf", rk="90")
    knob(page, "fusion").select("weighted").run()
    page.button(key="tried_1").click().run()
    assert (knob(page, "fusion").value, knob(page, "rrf_k").value) == ("rrf", 90)


def test_the_set_runs_over_all_questions_and_opens_one_of_them(opened: Open) -> None:
    page = opened()
    pin(page)
    move(page, "weight_vector", 0.0)
    page.button(key="set_start").click().run()
    assert not page.exception
    assert "3 von 3 Fragen" in shown(page)
    assert "„beim Start in Kraft“: Gewicht der Vektorsuche: 0,00" in shown(page)
    assert OPENED[-1].registry.embedded == 3
    rows = [text.value for text in page.text if text.value.split(".")[0] in "123"]
    assert len(rows) == 3
    place, wanted = next((number, row) for number, row in enumerate(rows) if "TA-T" in row)
    assert wanted.startswith(f"{place + 1}. ")
    page.button(key=f"set_open_{place}").click().run()
    assert page.session_state[STATE].question == QUESTIONS[2]
    assert page.button(key=f"set_open_{place}").disabled


def test_a_failed_part_is_named_in_the_comparison_and_in_the_rows_of_the_set(opened: Open) -> None:
    page = opened("broken_corpus")
    pin(page)
    move(page, "weight_vector", 0.0)
    assert "Ein Teil eines Laufs ist ausgefallen" in shown(page)
    page.button(key="set_start").click().run()
    assert any(text.value.endswith("Ein Teil des Laufs ist ausgefallen.") for text in page.text)


def test_two_sides_that_are_the_same_cannot_be_started(opened: Open) -> None:
    page = opened()
    pin(page)
    move(page, "weight_vector", 0.0)
    side(page, "b").select("A").run()
    assert page.button(key="set_start").disabled
    assert "Wählen Sie zwei verschiedene." in " ".join(caption.value for caption in page.caption)


def test_a_side_keeps_its_meaning_when_its_title_changes(opened: Open) -> None:
    page = opened()
    pin(page)
    move(page, "weight_vector", 0.0)
    assert (side(page, "a").value, side(page, "b").value) == ("A", "now")
    page.text_input(key="pin_name_A").set_value("Vorgabe").run()
    assert (side(page, "a").value, side(page, "a").options) == ("A", ["A · Vorgabe", "jetzt"])
    page.button(key="pin_back_A").click().run()
    move(page, "weight_vector", 0.0)
    assert (side(page, "a").value, side(page, "b").value) == ("A", "now")


def test_a_control_begins_in_the_browser_with_what_is_in_force(opened: Open) -> None:
    page = opened()
    pin(page)
    move(page, "weight_vector", 0.0)
    for name, place in (("a", 0), ("b", 1)):
        assert (side(page, name).proto.default, side(page, name).proto.set_value) == (place, False)
    pin(page)
    move(page, "min_ratio", 0.9)
    assert (list(columns(page).proto.default), columns(page).proto.set_value) == ([0, 1, 2], False)
    columns(page).unselect("B").run()
    assert list(columns(page).proto.default) == [0, 2]


def test_long_histories_are_turned_over_page_by_page(opened: Open) -> None:
    page = opened()
    for step in range(25):
        move(page, "min_ratio", round(0.3 + step / 100 * 2, 2) if step % 2 else 0.26)
    assert len([button for button in page.button if str(button.key).startswith("tried_")]) == 20
    page.button(key="history_page_on").click().run()
    assert page.button(key="tried_1").label == "Zurück zu Stand 1"


def test_one_session_sees_nothing_of_another(opened: Open) -> None:
    first = opened()
    pin(first)
    move(first, "weight_vector", 0.0)
    second = opened(q="Arzneimittel lagern")
    assert (history_of(second).pins, len(history_of(second).tried)) == ((), 1)
    assert QUESTION not in " ".join(text.value for text in second.text)


def test_weights_that_are_none_cannot_be_pinned(opened: Open) -> None:
    page = opened()
    knob(page, "weight_vector").set_value(0.0).run()
    knob(page, "weight_lexical").set_value(0.0).run()
    assert not page.exception
    assert page.button(key="pin_sidebar").disabled

"""The page as a whole, without a browser: controls, settings in force, special screens."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import SERVER_FLAGS
from retrieval.errors import BrokenStock
from retrieval.places import Server
from retrieval.settings import KNOBS
from tests.dashboard.controls_of import control, knob
from tests.dashboard.demo import HTML, OPENED, QUESTION

SCRIPT = Path(__file__).with_name("served_page.py")
ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the page over a stock, with values in the address."""
    control = tmp_path / "control"
    monkeypatch.setenv("PAGE_CONTROL", str(control))
    monkeypatch.setenv("FUNDSTELLE_INDEX", "")
    monkeypatch.delenv("FUNDSTELLE_QUESTIONS", raising=False)

    def open_page(stock: str = "full", **address: str) -> AppTest:
        control.write_text(f"/stock/{tmp_path.name}/{stock}", "utf-8")
        page = AppTest.from_file(str(SCRIPT), default_timeout=20)
        for key, value in address.items():
            page.query_params[key] = value
        page.run()
        assert not page.exception
        return page

    return open_page


def blocks_of(page: AppTest) -> list[Any]:
    """All blocks that the components of the page were given, as text."""
    found = []
    for element in page.get("bidi_component"):
        found += json.loads(element.proto.json)["blocks"]  # type: ignore[attr-defined]
    return found


def shown(page: AppTest) -> str:
    return json.dumps(blocks_of(page), ensure_ascii=False)


def test_every_knob_has_a_control_with_its_label(opened: Open) -> None:
    page = opened()
    widgets = [*page.select_slider, *page.slider, *page.number_input, *page.selectbox]
    labels = {widget.key: widget.label for widget in widgets}
    assert {f"knob_{name}": knob.label_de for name, knob in KNOBS.items()}.items() <= labels.items()


def test_every_sentence_of_a_knob_is_on_the_page(opened: Open) -> None:
    captions = " ".join(caption.value for caption in opened().caption)
    assert [knob.name for knob in KNOBS.values() if knob.de not in captions] == []


def test_the_knob_of_the_other_method_is_visible_switched_off_and_keeps_its_value(opened: Open) -> None:
    page = opened(q=QUESTION, f="rrf", rk="90")
    assert not knob(page, "rrf_k").disabled
    knob(page, "fusion").select("weighted").run()
    assert knob(page, "rrf_k").disabled
    assert knob(page, "rrf_k").value == 90
    assert page.query_params["rk"] == "90"
    knob(page, "fusion").select("rrf").run()
    assert (knob(page, "rrf_k").value, knob(page, "rrf_k").disabled) == (90, False)


def test_whether_nothing_is_there_is_checked_on_demand(opened: Open) -> None:
    page = opened(q=QUESTION)
    assert "Nein, das lässt sich nicht sagen." not in shown(page)
    next(button for button in page.button if button.key == "negative_check").click().run()
    assert not page.exception
    assert "Nein, das lässt sich nicht sagen." in shown(page)


def test_a_moved_slider_reaches_the_run_and_the_address(opened: Open) -> None:
    page = opened(q=QUESTION)
    knob(page, "min_ratio").set_value(0.4).run()
    assert page.query_params["mr"] == "0.4"
    assert '["Mindestverhältnis zum besten Treffer (min_ratio)", "0,40", "0,25", "ordnet neu"]' in shown(page)


def test_all_controls_moved_one_after_the_other_keep_all_values(opened: Open) -> None:
    page = opened(q=QUESTION)
    knob(page, "max_corpora_per_query").set_value(3).run()
    knob(page, "fetch_k").set_value(40).run()
    knob(page, "fusion").select("rrf").run()
    knob(page, "weight_vector").set_value(0.75).run()
    knob(page, "weight_lexical").set_value(0.25).run()
    knob(page, "rrf_k").set_value(10).run()
    knob(page, "verweis_score").set_value(0.97).run()
    knob(page, "max_verweis_normen").set_value(1).run()
    knob(page, "max_final_results").set_value(6).run()
    knob(page, "min_hits_per_corpus").set_value(1).run()
    knob(page, "min_ratio").set_value(0.1).run()
    written = {key: value for key, value in page.query_params.items() if key != "q"}
    assert written == {
        "mcpq": "3",
        "fk": "40",
        "f": "rrf",
        "wv": "0.75",
        "wl": "0.25",
        "rk": "10",
        "vs": "0.97",
        "mvn": "1",
        "mfr": "6",
        "mhpc": "1",
        "mr": "0.1",
    }
    assert not page.exception


def test_the_weights_are_shown_as_effective_shares(opened: Open) -> None:
    page = opened(wv="0,9", wl="0,3")
    assert "Wirksame Anteile: Vektorsuche 75 %, Wortsuche 25 %." in [caption.value for caption in page.caption]


def test_two_weights_of_zero_are_refused_and_nothing_is_ranked(opened: Open) -> None:
    page = opened(q=QUESTION)
    knob(page, "weight_vector").set_value(0.0).run()
    knob(page, "weight_lexical").set_value(0.0).run()
    assert "Beide Gewichte sind 0" in shown(page)
    assert "Endgültige Liste" not in shown(page)


def test_reset_brings_all_defaults_back_and_keeps_the_question(opened: Open) -> None:
    page = opened(q=QUESTION, mr="0.4", f="rrf")
    next(button for button in page.button if button.label == "Alle auf Vorgabe setzen").click().run()
    assert dict(page.query_params) == {"q": QUESTION}
    assert knob(page, "min_ratio").value == 0.25


def test_the_language_switch_changes_words_and_keeps_settings(opened: Open) -> None:
    page = opened(q=QUESTION, mr="0.4")
    control(page, "language").set_value("en").run()
    assert page.query_params["lang"] == "en"
    assert knob(page, "min_ratio").value == 0.4
    assert "Ranking before and after the quota" in shown(page)


def test_a_question_of_twenty_thousand_characters_is_not_asked(opened: Open) -> None:
    page = opened(q="x" * 20_000)
    assert "Die Frage ist zu lang" in shown(page)
    assert "Sie hat 20.000 Zeichen" in shown(page)


@pytest.mark.parametrize(
    ("stock", "sentence"),
    [
        ("full", "Noch keine Frage"),
        ("nowhere", "An diesem Ort ist keine Datenbank"),
        ("empty", "Der Bestand ist leer"),
        ("unread", "Der Bestand ist nicht lesbar oder nicht vollständig"),
        ("mixed", "Die Regelwerke sind nicht mit demselben Modell eingelesen."),
    ],
)
def test_each_special_case_has_its_own_screen(opened: Open, stock: str, sentence: str) -> None:
    assert sentence in shown(opened(stock))


def test_no_index_named_is_said(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened()
    Path(os.environ["PAGE_CONTROL"]).write_text(" ", "utf-8")
    page.run()
    assert "Es ist kein Bestand angegeben" in shown(page)


def test_a_missing_database_is_named_with_its_full_path(opened: Open) -> None:
    assert "/nowhere" in shown(opened("nowhere", q=QUESTION))


def test_a_failed_corpus_leaves_a_banner_and_the_other_hits(opened: Open) -> None:
    page = opened("broken_corpus", q=QUESTION)
    assert "Unvollständiger Lauf: Ein Teil ist ausgefallen" in shown(page)
    assert "Gesetz über Arzneimittel" in shown(page)
    assert "Noch einmal fragen" in [button.label for button in page.button]


def test_a_stock_that_another_process_changed_is_said_once_and_asked_anew(opened: Open) -> None:
    page = opened(q=QUESTION)
    asked = OPENED[-1].registry.corpora["gesetz"]
    OPENED[-1].registry.stamp = "2"
    page.run()
    assert "Der Bestand hat sich geändert und wurde neu geladen." in shown(page)
    assert asked.asked == 2
    page.run()
    assert "neu geladen" not in shown(page)


def test_a_changed_stock_that_cannot_be_loaded_is_said_and_the_open_one_shown(opened: Open) -> None:
    page = opened(q=QUESTION)
    OPENED[-1].registry.unreadable = BrokenStock("being written")
    page.run()
    assert "Der geänderte Bestand lässt sich nicht laden" in shown(page)
    assert "Endgültige Liste" in shown(page)


def test_blocked_corpora_are_named_and_an_all_blocked_stock_is_not_called_empty(opened: Open) -> None:
    page = opened("empty", q=QUESTION)
    OPENED[-1].registry.blocked = {"gesetz": "written by chromadb 9.9.9"}
    page.run()
    assert "1 Regelwerk ist nicht lesbar und wird nicht befragt: gesetz." in shown(page)
    assert "Kein Regelwerk kann befragt werden" in shown(page)
    assert "Der Bestand ist leer" not in shown(page)


def test_a_stock_without_its_server_says_so_on_every_page_and_names_the_fault(opened: Open) -> None:
    page = opened(q=QUESTION)
    assert "Die Vektorsuche fällt zurzeit aus" not in shown(page)
    OPENED[-1].registry.place = Server("http://127.0.0.1:8000")
    OPENED[-1].registry.lost = "The Chroma server at http://127.0.0.1:8000 does not answer"
    page.run()
    assert "Die Vektorsuche fällt zurzeit aus" in shown(page)
    assert "auf dem Chroma-Server http://127.0.0.1:8000. Ist er wieder da" in shown(page)
    assert "http://127.0.0.1:8000 does not answer" in shown(page)


def test_asking_once_more_asks_again_after_a_fault(opened: Open) -> None:
    page = opened("broken_corpus", q=QUESTION)
    OPENED[-1].registry.corpora["vertrag"].fails = ""
    next(button for button in page.button if button.label == "Noch einmal fragen").click().run()
    assert "Unvollständiger Lauf" not in shown(page)


def test_an_error_in_the_run_has_its_own_screen_with_its_class(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("durch null")

    monkeypatch.setattr("dashboard.running.decide", broken)
    page = opened(q=QUESTION)
    assert "Der Lauf ist abgebrochen" in shown(page)
    assert "ZeroDivisionError" in shown(page)


def test_bad_values_in_the_address_leave_a_note(opened: Open) -> None:
    page = opened(q=QUESTION, wv="nan", mfr="abc")
    assert "Einige Angaben in der Adresse gelten nicht" in shown(page)
    assert knob(page, "weight_vector").value == 0.5


def test_nothing_from_a_corpus_reaches_an_element_that_reads_markdown(opened: Open) -> None:
    page = opened(q=f"Arzneimittel {HTML}")
    spoken = [element.value for element in (*page.markdown, *page.caption, *page.title, *page.subheader)]
    assert [text for text in spoken if "<img" in text or "javascript" in text] == []


# --- the other pages ----------------------------------------------------------------------------------------------------


def at(page: AppTest, name: str) -> AppTest:
    """The same session on another page; what the address holds is the test's, as a browser keeps it."""
    link = next(link for link in page.get("page_link") if link.proto.page == name)  # type: ignore[attr-defined]
    page._page_hash = link.proto.page_script_hash  # type: ignore[attr-defined]
    page.run()
    assert not page.exception
    return page


def titles(page: AppTest) -> list[str]:
    return [title.value for title in page.title]


def test_the_norm_page_works_without_a_question_and_shows_what_is_in_stock(opened: Open) -> None:
    page = at(opened(), "norm")
    assert titles(page) == ["Norm"]
    assert "Noch keine Norm" in shown(page)
    assert '"norm": "vertrag|Anlage 11"' in shown(page)


def test_typed_words_open_the_norm_and_stand_in_the_address(opened: Open) -> None:
    page = at(opened(), "norm")
    page.text_input(key="norm_typed").set_value("2 AMG-T")
    page.button[0].click().run()
    assert "AMG-T · § 2: Abgabe" in shown(page)
    assert page.query_params["n"] == "2 AMG-T"
    assert "Näheres regeln § 2 AMG-T und § 7 ApoG." in shown(page)


def test_settings_and_question_survive_a_visit_to_the_other_pages(opened: Open) -> None:
    page = opened(q=QUESTION, mr="0.4", lang="en")
    for name in ("norm", "anker"):
        at(page, name)
        assert [widget.key for widget in (*page.select_slider, *page.slider)] == []
        assert (page.query_params["q"], page.query_params["mr"]) == (QUESTION, "0.4")
    at(page, "")
    assert knob(page, "min_ratio").value == 0.4
    assert control(page, "question").value == QUESTION


def test_the_language_switch_is_on_every_page(opened: Open) -> None:
    page = opened()
    for name, title in (("norm", "Norm"), ("anker", "Anchors")):
        control(at(page, name), "language").set_value("en").run()
        assert titles(page) == [title]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("gesetz||§ 99", "Diese Fundstelle steht nicht im Bestand"),
        ("weg||§ 1", "Dieses Regelwerk ist nicht im Bestand, oder nicht mehr."),
        ("§ 7 ApoG", "ist als Regelwerk bekannt, aber nicht im Bestand."),
        ("§ 10 RV", "RV · Vertrag · § 10: Abweichung"),
        ("§ 10", "Normen passen"),
        ("gesetz||§ 2|7", "Absatz 7 steht dort nicht. Gezeigt wird die ganze Norm."),
        ("vertrag|Anlage 11", "RV · Anlage 11"),
        ("x" * 400, "Das ist zu lang für eine Fundstelle"),
        ("a|b|c|d|e|f", "Keine Norm gefunden"),
    ],
)
def test_whatever_stands_in_a_link_to_a_norm_has_its_own_screen(opened: Open, typed: str, sentence: str) -> None:
    assert sentence in shown(at(opened(n=typed), "norm"))


def test_the_contents_of_a_body_of_rules_say_nothing_of_references(opened: Open) -> None:
    assert "Wird genannt von" not in shown(at(opened(n="gesetz|"), "norm"))
    assert "Wird genannt von" in shown(at(opened(n="gesetz||§ 2"), "norm"))


def test_a_click_on_a_norm_leads_to_its_page_and_back_to_the_run(opened: Open) -> None:
    page = opened(q=QUESTION, mr="0.4")
    page.session_state["goto"] = "gesetz||§ 2"
    page.run()
    assert titles(page) == ["Norm"]
    assert "AMG-T · § 2: Abgabe" in shown(page)
    assert dict(page.query_params) == {"q": QUESTION, "mr": "0.4", "n": "gesetz||§ 2"}
    assert "Zurück zum Lauf" in [link.proto.label for link in page.get("page_link")]  # type: ignore[attr-defined]


def test_the_register_page_shows_its_findings(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNDSTELLE_ANCHORS", "anchors.toml")
    page = at(opened(), "anker")
    assert "2 Anker führen nicht eindeutig zu einer geltenden Norm" in shown(page)
    assert "AMG-T · § 99" in shown(page)


def test_no_register_has_its_own_screen(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FUNDSTELLE_ANCHORS", raising=False)
    assert "Es ist kein Ankerregister angegeben" in shown(at(opened(), "anker"))


@pytest.mark.parametrize("name", ["norm", "anker"])
@pytest.mark.parametrize(
    ("stock", "sentence"), [("nowhere", "An diesem Ort ist keine Datenbank"), ("empty", "Der Bestand ist leer"), ("unread", "nicht lesbar")]
)
def test_every_page_has_the_screens_of_a_stock_that_cannot_serve(
    opened: Open, monkeypatch: pytest.MonkeyPatch, stock: str, sentence: str, name: str
) -> None:
    monkeypatch.setenv("FUNDSTELLE_ANCHORS", "anchors.toml")
    assert sentence in shown(at(opened(stock), name))


def test_the_flags_of_the_command_say_what_the_configuration_file_says() -> None:
    table = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    flat = {f"--{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in _flat(table)}
    assert flat == set(SERVER_FLAGS)


def _flat(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value

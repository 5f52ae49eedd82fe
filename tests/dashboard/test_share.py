"""Handing on a run: what a link says when it is opened later, whether a run is the same as production, and the page of both."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec.structs import replace

from dashboard import app
from dashboard.links import RUN_PAGES
from dashboard.page import export as page
from dashboard.state import State, read
from dashboard.views import share
from dashboard.words import page_words
from retrieval.exports.files import KINDS
from retrieval.exports.fingerprints import PRODUCTION, Fingerprint, same_as
from retrieval.trace import Stamps, Trace
from retrieval.words import LANGUAGES
from tests.dashboard.controls_of import control
from tests.dashboard.demo import QUESTION
from tests.dashboard.test_page_app import Open, blocks_of, opened, shown
from tests.exports.runs import traced

__all__ = ["opened"]
WORDS = page_words("de")
RUN = traced()


def said(trace: Trace, seen: str) -> str:
    return json.dumps(share.changed(seen, trace, WORDS), ensure_ascii=False)


# --- what has changed since a link was made -----------------------------------------------------------------------------


def test_an_address_without_fingerprints_says_nothing() -> None:
    assert share.changed("", RUN, WORDS) == []


def test_a_link_opened_on_the_same_says_that_nothing_has_changed() -> None:
    assert "hat sich nichts geändert" in said(RUN, share.stamp(RUN))


@pytest.mark.parametrize(
    ("part", "value", "sentence"),
    [
        ("index", "2", "Bestand: Regelwerke wurden seither"),
        ("model", "anders", "Modell: Die Vektorsuche"),
        ("anchors", "def", "Ankerregister: Es gilt eine andere Fassung."),
        ("anchors", "", "Ankerregister: Damals galt eines, jetzt gilt keines."),
        ("code", "9.9", "Programm: Die Suche"),
    ],
)
def test_each_part_that_has_changed_has_its_own_sentence(part: str, value: str, sentence: str) -> None:
    now = replace(RUN, stamps=replace(RUN.stamps, **{part: value}))
    (block,) = share.changed(share.stamp(RUN), now, WORDS)
    assert block["lines"][0].startswith(sentence)
    assert len(block["lines"]) == 2


def test_a_register_that_came_later_is_called_new() -> None:
    before = replace(RUN, stamps=replace(RUN.stamps, anchors=""))
    assert "Damals galt keines, jetzt gilt eines." in said(RUN, share.stamp(before))


def test_other_settings_are_named() -> None:
    assert "Einstellungen: Sie wurden hier verstellt" in said(traced(min_ratio=0.4), share.stamp(RUN))


@pytest.mark.parametrize("seen", ["1", "<script>", "c=.i=.m=.a=", "x" * 300])
def test_fingerprints_that_are_none_are_another_display(seen: str) -> None:
    (block,) = share.changed(seen, RUN, WORDS)
    assert block["title"] == "Ob sich seit diesem Link etwas geändert hat, ist nicht bekannt"
    assert seen not in json.dumps(block)


# --- the same as production ---------------------------------------------------------------------------------------------


def titles(production: Path | None, trace: Trace = RUN) -> str:
    blocks = share.same(same_as(production, Fingerprint.of(trace)), trace, WORDS)
    return str(blocks[0].get("text") or blocks[0].get("title"))


def test_yes_no_not_stated_and_unreadable_are_four_displays(tmp_path: Path) -> None:
    file, broken = tmp_path / "betrieb.toml", tmp_path / "kaputt.toml"
    file.write_text(Fingerprint.of(RUN).to_toml(), "utf-8")
    broken.write_text("kein TOML", "utf-8")
    found = [titles(file), titles(file, traced(fetch_k=9)), titles(None), titles(broken)]
    assert [title.removeprefix("Gleich wie im Betrieb: ") for title in found] == ["ja", "nein", "nicht angegeben", "nicht lesbar"]


def test_a_no_names_the_parts_and_shows_both_fingerprints(tmp_path: Path) -> None:
    file = tmp_path / "betrieb.toml"
    file.write_text(Fingerprint.of(RUN).to_toml(), "utf-8")
    other = replace(RUN, stamps=Stamps("9", RUN.stamps.model, "", RUN.stamps.code))
    blocks = share.same(same_as(file, Fingerprint.of(other)), other, WORDS)
    assert blocks[1]["text"].endswith("Verschieden: Bestand.")
    rows = {row["cells"][0]: row["cells"] for row in blocks[2]["rows"]}
    assert rows["Ankerregister"][2:] == ["nicht angegeben", "nicht bekannt"]
    assert [rows["Bestand"][3], rows["Modell"][3]] == ["nein", "ja"]
    assert rows["Bestand"][1] != rows["Bestand"][2]


def test_a_named_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    blocks = share.same(same_as(tmp_path / "weg.toml", Fingerprint.of(RUN)), RUN, WORDS)
    assert "weg.toml gibt es nicht" in blocks[1]["text"]


# --- the link -----------------------------------------------------------------------------------------------------------


def test_a_link_carries_question_settings_page_and_fingerprints() -> None:
    state = State("Was gilt? § 5 & <b>", {"min_ratio": 0.4}, language="en", without=("quota",), step=3)
    parts = urlsplit(page.link("http://seite:8501", "scores", state, RUN))
    assert (parts.netloc, parts.path) == ("seite:8501", "/werte")
    found, notes = read({key: values[0] for key, values in parse_qs(parts.query).items()})
    assert notes == ()
    assert found == state.replaced(seen=share.stamp(RUN), step=0)


@pytest.mark.parametrize("name", ["min_ratio", "weight_vector", "verweis_score"])
def test_a_value_between_two_steps_keeps_its_digits_so_that_the_fingerprint_holds(name: str) -> None:
    state = State("Frage", {name: 0.12345678901})
    query = parse_qs(urlsplit(page.link("", "page", state, RUN)).query)
    found, _ = read({key: values[0] for key, values in query.items()})
    assert found.settings == state.settings


def test_a_norm_comes_along_only_where_the_page_shows_one() -> None:
    state = State("Frage", norm="gesetz||§ 1")
    assert "n=" in urlsplit(page.link("", "why", state, RUN)).query
    assert "&n=" not in page.link("", "page", state, RUN)


@pytest.mark.parametrize("url", ["http://seite:1", "http://seite:1/", "http://seite:1/mitnehmen", "http://seite:1/mitnehmen/"])
def test_the_link_begins_where_the_pages_stand(url: str) -> None:
    assert page.base_of(url) == "http://seite:1"


def test_a_link_can_open_every_page_about_a_run() -> None:
    assert list(app._DRAWN) == list(RUN_PAGES)


# --- the page -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def on_page(opened: Open, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the page "Mitnehmen" on its own, as the navigation draws it."""
    monkeypatch.delenv(PRODUCTION, raising=False)
    monkeypatch.setitem(app._DRAWN, "page", page.page)
    return opened


def test_the_page_offers_the_link_and_every_kind_of_file(on_page: Open) -> None:
    drawn = on_page(q=QUESTION)
    (code,) = drawn.code
    assert f"fp={share.stamp(traced(QUESTION)).partition('.')[0]}." in code.value
    assert {button.proto.label for button in drawn.get("download_button")} == {WORDS.t(f"export.file.{kind}") for kind in KINDS}  # type: ignore[attr-defined]
    assert "Gleich wie im Betrieb: nicht angegeben" in shown(drawn)


def test_the_address_bar_does_not_carry_fingerprints_of_its_own(on_page: Open) -> None:
    assert "fp" not in on_page(q=QUESTION).query_params


def test_every_run_page_says_what_has_changed_until_another_question_is_asked(opened: Open) -> None:
    drawn = opened(q=QUESTION, fp="c=0123456789.i=.m=.a=.s=")
    assert "Seit dieser Link erstellt wurde, hat sich etwas geändert" in shown(drawn)
    control(drawn, "question").set_value("Was gilt bei Lieferausfall?").run()
    drawn.button[0].click().run()
    assert "Seit dieser Link erstellt wurde" not in shown(drawn)
    assert blocks_of(drawn)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_and_kind_has_its_words(language: str) -> None:
    words = page_words(language)
    keys = {f"export.{family}.{kind}" for family in ("file", "about") for kind in KINDS}
    assert {key for key in keys if key not in words.catalogue} == set()

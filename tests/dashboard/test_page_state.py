"""State and address: nothing from a link is believed, and what is valid survives the way there and back."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import knobtext, screens
from dashboard.controls import grid
from dashboard.state import BY_KEY, MOST_CHARACTERS, Note, State, link_key, read, write
from dashboard.words import page_words
from retrieval.knobs import Knob
from retrieval.settings import KNOBS, Settings

DE = page_words("de")


def test_every_knob_has_its_own_short_key_in_the_address() -> None:
    assert len(BY_KEY) == len(KNOBS)
    assert not {"q", "lang", "all"} & set(BY_KEY)
    assert link_key("max_final_results") == "mfr"


@pytest.mark.parametrize("raw", ["7", "nan", "inf", "-0.3", "abc", "", "1e999", "0,7,1", "½"])
def test_a_bad_weight_falls_back_to_the_default_with_a_note_that_names_it(raw: str) -> None:
    state, notes = read({"wv": raw})
    assert state.settings == Settings()
    assert notes == (Note("value", "weight_vector", raw),)


def test_a_decimal_comma_is_a_decimal_comma() -> None:
    state, notes = read({"wv": "0,7", "mr": "0,3"})
    assert (state.value("weight_vector"), state.value("min_ratio"), notes) == (0.7, 0.3, ())


def test_two_weights_of_zero_fall_back_together() -> None:
    state, notes = read({"wv": "0", "wl": "0", "mfr": "5"})
    assert (state.settings, [note.code for note in notes]) == (Settings.of(max_final_results=5), ["weights"])


def test_unknown_keys_languages_and_flags_are_named() -> None:
    state, notes = read({"corpus": "gibtsnicht", "lang": "fr", "all": "ja"})
    assert (state.language, state.show_all) == ("de", False)
    assert [note.code for note in notes] == ["unknown", "language", "flag"]


def test_a_note_says_what_was_found_what_was_expected_and_what_counts() -> None:
    (block,) = screens.notes((Note("value", "weight_vector", "7"),), DE)
    assert block["lines"] == ["Gewicht der Vektorsuche: „7“ gilt nicht (Skala 0,00 bis 1,00). Es gilt die Vorgabe 0,50."]


def test_only_what_is_not_the_default_is_written() -> None:
    assert write(State()) == {}
    assert write(State("Frage", {"min_ratio": 0.3, "fetch_k": 60}, "en", True)) == {"q": "Frage", "mr": "0.3", "lang": "en", "all": "1"}


def test_a_question_that_is_too_long_is_neither_asked_nor_written() -> None:
    state, _ = read({"q": "x" * 20_000})
    assert state.too_long
    assert write(state) == {}
    text = screens.too_long(state, DE)["lines"][0]
    assert text.startswith("Sie hat 20.000 Zeichen; möglich sind 2.000.")
    assert not State("x" * MOST_CHARACTERS).too_long


def test_special_characters_survive_copying_the_link() -> None:
    question = "§ 129 & § 31 + 5 % # ä ß\nzweite Zeile = Ende?"
    link = urlencode(write(State(question)))
    assert read(dict(parse_qsl(link)))[0].question == question


values = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from(knob.choices)
        if knob.kind == "choice"
        else st.integers(int(knob.low), int(knob.high))
        if knob.kind == "int"
        else st.floats(max(0.05, knob.low), knob.high).map(lambda value: round(value, 4))
        for name, knob in KNOBS.items()
    },
)


@given(question=st.text(max_size=80).map(str.strip), chosen=values, language=st.sampled_from(["de", "en"]), show_all=st.booleans())
def test_every_valid_state_comes_back_from_its_own_address(
    question: str, chosen: dict[str, float | int | str], language: str, show_all: bool
) -> None:
    state = State(question, chosen, language, show_all)
    back, notes = read(write(state))
    assert notes == ()
    assert (back.question, back.settings, back.language, back.show_all) == (question, state.settings, language, show_all)


@given(params=st.dictionaries(st.sampled_from([*BY_KEY, "lang", "all", "x"]), st.text(max_size=12)))
def test_no_address_makes_settings_that_are_refused(params: dict[str, str]) -> None:
    state, _ = read(params)
    assert state.settings.fusion.shares()


@pytest.mark.parametrize("name", [name for name, knob in KNOBS.items() if knob.kind == "float"])
def test_a_slider_holds_its_range_and_a_value_between_two_steps(name: str) -> None:
    knob = KNOBS[name]
    between = knob.low + 0.123
    places = grid(knob, between)
    assert (places[0], places[-1], between in places, places == sorted(set(places))) == (knob.low, knob.high, True, True)


@pytest.mark.parametrize("knob", KNOBS.values(), ids=list(KNOBS))
@pytest.mark.parametrize("language", ["de", "en"])
def test_every_knob_has_label_sentence_scale_and_default_in_words(knob: Knob, language: str) -> None:
    words = page_words(language)
    assert knobtext.label(knob, words)
    assert knobtext.sentence(knob, words).endswith(".")
    assert knobtext.shown(knob, knob.default, words) in knobtext.scale(knob, words)
    assert knob.unit not in ("ratio", "share") or words.t(f"unit.{knob.unit}") in knobtext.scale(knob, words)

"""Along a track: its events, the values to jump to, where each hit stands; and what the page says and hands to the slider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import dragging
from dashboard.blocks import Block
from dashboard.views import track as view
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.inspector.breakpoints import track as track_of
from retrieval.inspector.events import MOST_DIGITS, Along, Standing, along, events, standings
from retrieval.inspector.tracks import CONTINUOUS, Track
from retrieval.model import CorpusSpec
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Trace
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import HTML, MARKDOWN, QUESTION, federation

DE, EN = page_words("de"), page_words("en")
NARROW = "\u00a0"


def run(**settings: Any) -> Trace:
    """A run whose chunks are named a to h: § 1 to § 8 of one body of rules."""
    scores = {key: 0.9 - place / 20 for place, key in enumerate("abcdefgh")}
    chunks = [chunk(key, section=f"§ {place}") for place, key in enumerate("abcdefgh", start=1)]
    bare = pool([answer("gesetz", scores)], chunks)
    named = msgspec.structs.replace(bare, specs={"gesetz": CorpusSpec("gesetz", "Gesetz über Tests", names=("GT",))})
    return decide(named, Settings.of(settings))


def made(*lists: str, points: tuple[float, ...] = (), value: float = 0.5, knob: str = "weight_vector", **more: Any) -> Track:
    """A track whose lists are written as letters; at each inner point stands the list behind it, at the ends the one inside."""
    places = points or tuple(place / len(lists) for place in range(len(lists) + 1))
    between = tuple(tuple(ids) for ids in lists)
    at = (between[0], *between[1:], between[-1])
    return Track(knob, value, places, between, more.pop("at", at), **more)


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts(inner)


def sentences(track: Track, words: Any = DE) -> list[str]:
    trace = run()
    return [view.event_sentence(event, KNOBS[track.knob], trace, words) for event in events(track)]


# --- along a track ------------------------------------------------------------------------------------------------------


def test_events_are_the_breakpoints_from_left_to_right() -> None:
    found = events(made("ab", "ac", "ca"))
    assert [(event.kind, round(event.at, 2), event.size) for event in found] == [("passing", 0.33, 2), ("passing", 0.67, 2)]


def test_a_list_that_stands_at_an_end_only_is_an_event_there() -> None:
    found = events(made("ab", at=(("a",), ("a", "b"))))
    assert [(event.kind, event.at) for event in found] == [("exactly", 0.0)]
    assert [one.chunk_id for one in found[0].change.leaves] == ["b"]


def test_a_third_list_exactly_at_a_breakpoint_is_an_event_beside_the_passing() -> None:
    found = events(made("ab", "ba", at=(("a", "b"), ("a", "c"), ("b", "a"))))
    assert [(event.kind, event.at) for event in found] == [("passing", 0.5), ("exactly", 0.5)]


def test_an_event_reads_backwards_for_who_lowers_the_value() -> None:
    (passing,) = events(made("ab", "bc"))
    assert [one.chunk_id for one in passing.change.enters] == [one.chunk_id for one in passing.back.leaves] == ["c"]
    assert [one.chunk_id for one in passing.back.enters] == ["a"]
    assert [(one.before, one.after) for one in passing.back.moves] == [(1, 2)]
    _, exactly = events(made("ab", "ba", at=(("a", "b"), ("a", "c"), ("b", "a"))))
    assert [one.chunk_id for one in exactly.back.leaves] == ["b"]


def test_a_refused_value_is_an_event_in_which_nothing_moves() -> None:
    found = events(made("ab", at=(None, ("a", "b"))))
    assert [(event.kind, event.at, event.size) for event in found] == [("refused", 0.0, 0)]


def test_a_jump_lands_on_the_shortest_number_nearest_to_the_middle_of_a_stretch() -> None:
    found = along(made("ab", "ba", "ab", "bc", points=(0.0, 0.5831, 0.7142, 0.7148, 1.0)))
    assert (found.landings, found.narrow) == ((0.3, 0.6, 0.7145, 0.9), 0)


def test_no_jump_leads_into_a_stretch_too_narrow_for_four_digits() -> None:
    found = along(made("ab", "ba", "ac", points=(0.0, 0.50001, 0.50009, 1.0)))
    assert (found.landings, found.narrow) == ((0.3, 0.8), 1)


def test_a_jump_lands_on_an_end_that_has_a_list_of_its_own() -> None:
    assert along(made("ab", "ba", at=(("a",), ("b", "a"), ("b", "a")))).landings == (0.0, 0.2, 0.8)


def test_a_hit_stands_in_joined_intervals_and_those_of_the_list_in_force_come_first() -> None:
    found = standings(made("ab", "ac", "ca", "bd", value=0.3))
    assert [(one.chunk_id, one.place, one.spans, one.share) for one in found] == [
        ("a", 1, ((0.0, 0.75),), 0.75),
        ("c", 2, ((0.25, 0.75),), 0.5),
        ("b", 0, ((0.0, 0.25), (0.75, 1.0)), 0.5),
        ("d", 0, ((0.75, 1.0),), 0.25),
    ]


def test_a_hit_at_a_single_value_only_has_no_interval() -> None:
    found = standings(made("a", at=(("a", "b"), ("a",))))
    assert found[-1] == Standing("b", 0, (), 0.0)


def test_what_there_is_to_see_survives_json() -> None:
    seen = along(made("ab", "ba", at=(None, ("a", "c"), ("b", "a"))))
    assert msgspec.json.decode(msgspec.json.encode(seen), type=Along) == seen


tracks = st.lists(st.permutations("abcd").map(lambda ids: "".join(ids[:3])), min_size=1, max_size=6).flatmap(
    lambda lists: st.lists(st.floats(0.001, 0.999), min_size=len(lists) - 1, max_size=len(lists) - 1, unique=True).map(
        lambda inner: made(*lists, points=(0.0, *sorted(inner), 1.0))
    )
)


@given(tracks)
def test_every_landing_is_short_and_every_wide_stretch_has_one(track: Track) -> None:
    found = along(track)
    assert all(round(value, MOST_DIGITS) == value and track.list_at(value) is not None for value in found.landings)
    wide = [(low, high) for low, high in zip(track.points, track.points[1:], strict=False) if high - low > 10.0**-MOST_DIGITS]
    assert all(any(low < value < high for value in found.landings) for low, high in wide)


@given(tracks)
def test_the_shares_of_all_hits_sum_to_the_length_of_the_list(track: Track) -> None:
    assert sum(one.share for one in standings(track)) == pytest.approx(3)


# --- sentences ----------------------------------------------------------------------------------------------------------


def test_a_hit_that_enters_and_one_that_leaves_are_named_with_their_places() -> None:
    assert sentences(made("ab", "ac")) == [
        f"Bei 0,50: GT · §{NARROW}3 kommt auf Platz 2 in die Liste; GT · §{NARROW}2 verlässt die Liste (war auf Platz 2)."
    ]


def test_two_hits_that_swap_are_named_with_both_places() -> None:
    assert sentences(made("abc", "acb"), EN) == [f"At 0.50: GT · §{NARROW}2 and GT · §{NARROW}3 swap the places 2 and 3."]


def test_of_many_the_first_three_are_named_and_the_others_counted() -> None:
    text = sentences(made("abcd", "efgh"))[0]
    assert text.count("kommt auf Platz") == 3
    assert "1 weiterer kommt in die Liste" in text
    assert text.count("war auf Platz") == 3
    assert "1 weiterer verlässt die Liste" in text


def test_a_hit_that_passes_several_others_is_named_and_they_are_counted() -> None:
    text = sentences(made("abcd", "dabc"))[0]
    assert text == f"Bei 0,50: GT · §{NARROW}4 geht von Platz 4 auf 1; 3 weitere wechseln den Platz."


def test_of_hits_that_move_alike_none_is_named() -> None:
    assert sentences(made("abcd", "cdab")) == ["Bei 0,50: 4 Treffer wechseln den Platz."]


def test_hits_that_move_beside_one_that_comes_are_counted() -> None:
    assert "3 Treffer wechseln den Platz" in sentences(made("abcd", "eabc"))[0]


def test_what_stands_at_one_value_only_says_so_and_a_refused_value_too() -> None:
    assert sentences(made("ab", at=(("a",), None))) == [
        f"Nur genau bei 0,00: GT · §{NARROW}2 verlässt die Liste (war auf Platz 2).",
        "Genau 1,00 ist nicht zulässig.",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.3, "Zwischen 0,25 und 0,6194 bleibt die Liste gleich."),
        (0.6194, "Von 0,6194 bis 1,00 bleibt die Liste gleich; der Wert steht genau auf der Grenze."),
    ],
)
def test_the_stability_of_the_value_in_force_is_written_out(value: float, expected: str) -> None:
    assert view.stability(made("ab", "ba", "ac", points=(0.0, 0.25, 0.6194, 1.0), value=value), DE) == expected


def test_a_value_between_two_lists_that_has_its_own_is_called_unstable() -> None:
    track = made("ab", "ba", at=(("a", "b"), ("a", "c"), ("b", "a")))
    assert view.stability(track, DE).startswith("Genau bei 0,50 wechselt die Liste")


def test_a_refused_value_is_named_as_one() -> None:
    assert view.stability(made("ab", at=(None, ("a", "b")), value=0.0), DE).startswith("Der Wert 0,00 ist nicht zulässig")


@pytest.mark.parametrize(
    ("spans", "share", "expected"),
    [
        (((0.0, 1.0),), 1.0, "im ganzen Bereich"),
        (((0.0, 0.5), (0.502, 1.0)), 0.998, "in über 99 % des Bereichs"),
        (((0.0, 0.62),), 0.62, "in 62 % des Bereichs"),
        (((0.0, 0.002),), 0.002, "in unter 1 % des Bereichs"),
        ((), 0.0, "nur an einzelnen Stellen"),
    ],
)
def test_a_badge_says_all_only_where_it_is_all(spans: Any, share: float, expected: str) -> None:
    assert view.badge(Standing("a", 1, spans, share), DE) == expected


def test_the_whole_range_in_one_sentence() -> None:
    assert view.overview(along(made("ab", "ac", "ca")), DE) == (
        "Von 0,00 bis 1,00 wechselt die Liste an 2 Stellen. Ein Treffer steht im ganzen Bereich in ihr, 2 nur in einem Teil."
    )


def test_a_slider_that_changes_nothing_says_so_and_has_nothing_under_it() -> None:
    data, below = view.section(made("abc"), run(), DE)
    assert (data["constant"], below) == ("Dieser Regler ändert an dieser Liste nichts.", [])


def test_a_slider_that_changes_something_at_an_end_only_does_not_claim_to_change_nothing() -> None:
    data, _ = view.section(made("abc", at=(("a",), ("a", "b", "c"))), run(), DE)
    assert data["constant"].startswith("Außer genau an einem Ende")


def test_a_refused_value_is_no_change_of_the_list() -> None:
    data, _ = view.section(made("abc", at=(None, ("a", "b", "c"))), run(), DE)
    assert data["constant"] == "Dieser Regler ändert an dieser Liste nichts."


def test_a_slider_of_the_other_method_says_which_method_is_in_force() -> None:
    trace = run()
    data, below = view.section(made("abc", points=(1.0, 200.0), value=60.0, knob="rrf_k", works=False), trace, DE)
    assert (
        data["off"]
        == "Dieser Regler wirkt nur bei der Fusion „Rangfusion (RRF)“. In Kraft ist „gewichtete Summe“, deshalb ist er hier abgeschaltet."
    )
    assert (data["constant"], below) == ("", [])


# --- what the component gets ----------------------------------------------------------------------------------------------


def lists_of(data: Block, ids: list[int]) -> list[list[str]]:
    return [[data["hits"][hit]["key"] for hit in data["lists"][one]] for one in ids if one >= 0]


@pytest.mark.parametrize("knob", CONTINUOUS)
@pytest.mark.parametrize("words", [DE, EN], ids=["de", "en"])
def test_the_component_gets_every_list_of_the_record_and_all_of_it_is_plain(knob: str, words: Any) -> None:
    federated = federation()
    settings = Settings.of(fusion="rrf") if knob == "rrf_k" else Settings.of()
    gathered = federated.gather(QUESTION, settings)
    track = track_of(gathered, settings, knob)
    data, below = view.section(track, decide(gathered, settings), words)
    assert lists_of(data, data["between"]) == [list(ids) for ids in track.between]
    assert lists_of(data, data["at"]) == [list(ids) for ids in track.at if ids is not None]
    assert [one == -1 for one in data["at"]] == [ids is None for ids in track.at]
    assert json.loads(json.dumps([data, below])) == [data, below]


def test_the_same_list_twice_on_a_track_is_one_list() -> None:
    data, _ = view.section(made("ab", "ba", "ab"), run(), DE)
    assert (data["between"], len(data["lists"])) == ([0, 1, 0], 2)


@pytest.mark.parametrize(("knob", "low", "high", "fine", "digits"), [("weight_vector", 0.0, 1.0, 0.001, 2), ("rrf_k", 1.0, 200.0, 0.1, 0)])
def test_the_pointer_moves_finer_than_a_thousandth_of_the_range(knob: str, low: float, high: float, fine: float, digits: int) -> None:
    data, _ = view.section(made("ab", "ba", points=(low, (low + high) / 2, high), value=low, knob=knob), run(), DE)
    assert (data["fine"], data["digits"]) == (pytest.approx(fine), digits)


def test_what_the_browser_fills_in_is_left_open_and_nothing_else() -> None:
    found = view.section(made("ab", "ba"), run(), DE)[0]["words"]
    open_ = {name: text for name, text in found.items() if "{" in text}
    assert found["against"] == "Gegenüber dem Wert in Kraft (0,50): {changes}."
    assert open_["stable_between"] == "Zwischen {low} und {high} bleibt die Liste gleich."
    known = {"low", "high", "value", "at", "place", "changes", "summary", "n"}
    assert {name for text in open_.values() for name in known if f"{{{name}}}" in text} == known


def test_foreign_text_arrives_as_it_stands() -> None:
    settings = Settings.of()
    gathered = federation().gather(QUESTION, settings)
    data, below = view.section(track_of(gathered, settings, "weight_vector"), decide(gathered, settings), DE)
    assert any(hit["corpus"] == f"{HTML} {MARKDOWN}" for hit in data["hits"])
    assert any(f"{HTML} {MARKDOWN}" in text for text in texts(below))


@pytest.mark.parametrize(
    ("sent", "taken"),
    [(0.62, [0.62]), (1, [1.0]), (True, []), ("0.62", []), (None, []), (1.2, []), (float("nan"), []), ({"value": 0.5}, [])],
)
def test_only_a_number_of_the_range_is_taken_from_the_browser(sent: Any, taken: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: dict[str, Any] = {}
    monkeypatch.setattr(dragging, "_component", lambda: lambda **given: calls.update(given))
    monkeypatch.setattr(dragging.st, "session_state", {"slider": {"value": sent}})
    monkeypatch.setattr(dragging.st, "caption", lambda text: None)
    seen: list[float] = []
    dragging.draw(view.section(made("ab", "ba"), run(), DE)[0], "slider", seen.append)
    calls["on_value_change"]()
    assert seen == taken


# --- under the component --------------------------------------------------------------------------------------------------


def test_under_the_slider_stand_the_range_the_events_and_the_hits() -> None:
    _, (said, told, stood) = view.section(made("ab", "ac", "ca", value=0.4), run(), DE)
    assert said["text"].startswith("Von 0,00 bis 1,00 wechselt die Liste an 2 Stellen.")
    assert told["label"] == "Die Ereignisse in Sätzen"
    assert [row["cells"][0] for row in told["blocks"][0]["rows"]] == ["0,3333", "0,6667"]
    assert [row["cells"][2:] for row in stood["blocks"][0]["rows"]] == [
        ["Platz 1", "im ganzen Bereich", "0,00 bis 1,00"],
        ["Platz 2", "in 67 % des Bereichs", "0,3333 bis 1,00"],
        ["nicht in der Liste", "in 33 % des Bereichs", "0,00 bis 0,3333"],
    ]


def test_in_the_table_the_value_stands_once() -> None:
    _, (_, told, _) = view.section(made("ab", "ba", at=(None, ("a", "b"), ("b",))), run(), DE)
    assert [row["cells"][1][0] for row in told["blocks"][0]["rows"]] == [
        "Dieser Wert ist nicht zulässig.",
        f"GT · §{NARROW}1 und GT · §{NARROW}2 tauschen die Plätze 1 und 2.",
        f"Nur genau hier: GT · §{NARROW}1 verlässt die Liste (war auf Platz 2).",
    ]


def test_the_moves_that_a_sentence_only_counts_are_listed_under_it() -> None:
    _, (_, told, _) = view.section(made("abcd", "eabc"), run(), DE)
    assert told["blocks"][0]["rows"][0]["cells"][1][1] == f"GT · §{NARROW}1, 1 → 2; GT · §{NARROW}2, 2 → 3; GT · §{NARROW}3, 3 → 4"


def test_of_very_many_events_the_table_holds_those_nearest_to_the_value_in_force() -> None:
    _, (_, told, _) = view.section(made(*("ab", "ba") * 150, value=0.0001), run(), DE)
    table, note = told["blocks"]
    assert len(table["rows"]) == 200
    assert table["rows"][0]["cells"][0] == "0,0033"
    assert note["text"].startswith("Gezeigt sind die 200 Ereignisse")


def test_a_stretch_without_a_number_is_owned_up_to() -> None:
    _, (_, told, _) = view.section(made("ab", "ba", "ac", points=(0.0, 0.50001, 0.50009, 1.0)), run(), DE)
    assert "keine Zahl mit vier Stellen" in told["blocks"][1]["text"]

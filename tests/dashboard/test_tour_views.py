"""The step of a tour and the stages of a presentation, in words and in form, without a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dashboard.naming import norm
from dashboard.views import named, present, tour
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.settings import Settings
from retrieval.tours import Beside, Expectation, Place, Step, Walked, parse_tour, walk
from retrieval.trace import Trace
from tests.dashboard.demo import QUESTION, TOUR, federation

GERMAN, ENGLISH = page_words("de"), page_words("en")
SECTION = Place("vertrag", "§ 10")


def walked(**fields: Any) -> Walked:
    step = Step(id="a", de="Ein Satz.", en="A sentence.", question=fields.pop("question", QUESTION), **fields)
    return walk(step, federation().gather, federation().registry.federation.book)


def rescued() -> Walked:
    return walk(parse_tour(TOUR.encode()).steps[1], federation().gather, federation().registry.federation.book)


def traced(question: str = QUESTION, fails: dict[str, str] | None = None, **settings: object) -> Trace:
    used = Settings.of(settings)
    return decide(federation(fails=fails).gather(question, used), used)


def text(blocks: object) -> str:
    return json.dumps(blocks, ensure_ascii=False)


def sides(found: Walked) -> list[list[dict[str, Any]]]:
    (pair,) = [block for block in tour.lists(found, GERMAN) if block["type"] == "pair"]
    return [side["items"] for side in pair["sides"]]


# --- the step ---------------------------------------------------------------------------------------------------------


def test_a_step_says_its_place_its_one_sentence_and_its_question() -> None:
    statement, question = tour.head(rescued(), 2, 3, GERMAN)
    assert statement == {
        "type": "statement",
        "text": "Mit der Quote steht der § 10 des Vertrages in der Liste.",
        "above": "Schritt 2 von 3",
    }
    assert question["text"] == f"Frage: „{QUESTION}“"
    assert tour.head(rescued(), 2, 3, ENGLISH)[0]["text"] == "With the quota § 10 of the contract is in the list."


def test_what_comes_in_and_what_leaves_is_marked_in_words_and_in_form() -> None:
    before, after = sides(rescued())
    other, entered = [item for item in after if "▲ neu in der Liste" in item["lines"][0]]
    assert (other["tone"], entered["tone"]) == ("strong", "strong focus")
    assert entered["title"] == "RV · Vertrag · § 10"
    assert "◆ gemeinte Norm" in entered["lines"][0]
    left = [item for item in before if "▼ fällt heraus" in item["lines"][0]]
    assert [item["tone"] for item in left] == ["strong", "strong"]
    assert {item["tone"] for item in after if "bleibt auf Platz" in item["lines"][0]} == {""}


def test_the_change_is_told_in_a_sentence_with_the_names_of_the_norms() -> None:
    found = rescued()
    said = tour.change(found, GERMAN)
    entered = [norm(found.shown.chunks[move.chunk_id], found.shown.specs) for move in found.moves if not move.before]
    assert f"2 Treffer kommen neu in die Liste: {'; '.join(entered)}." in said
    assert "2 Treffer fallen heraus: AMG-T · § 10 Abs. 1; AMG-T · § 13 Abs. 1." in said


def test_equal_lists_are_said_to_be_equal() -> None:
    found = walked(compare_with=Beside())
    assert tour.change(found, GERMAN) == "Beide Listen sind gleich."
    assert "Beide Läufe haben dieselben Einstellungen." in text(tour.moved(found, GERMAN))


def test_a_moved_setting_is_shown_from_and_to_with_a_decimal_comma() -> None:
    found = walked(settings={"verweis_score": 0.97}, compare_with=Beside(settings={"verweis_score": 0.5}))
    (table,) = tour.moved(found, GERMAN)
    assert [row["cells"] for row in table["rows"]] == [["Wert eines Verweisziels (VERWEIS_SCORE)", "0,50", "0,97"]]
    assert "0.97" in text(tour.moved(found, ENGLISH))


def test_a_stage_left_out_is_shown_as_off_and_on() -> None:
    (table,) = tour.moved(rescued(), GERMAN)
    assert [row["cells"] for row in table["rows"]] == [["Stufe: Quote", "ausgelassen", "an"]]


def test_a_step_without_comparison_shows_one_list_and_where_the_missing_norm_stands() -> None:
    found = walked(without=("quota",), norms=(SECTION,))
    assert len(sides(found)) == 1
    place = [entry.chunk_id for entry in found.shown.completed.living].index("vertrag|Vertrag|§ 10") + 1
    assert f"§ 10 steht nicht in der Liste, sondern auf Platz {place} unter allen Kandidaten." in text(tour.lists(found, GERMAN))


def test_an_empty_list_says_so() -> None:
    found = walked(question="und oder", norms=(SECTION,))
    assert "Die Liste ist leer: Es wurde nichts gefunden." in text(tour.lists(found, GERMAN))
    assert "steht nicht in der Liste und war nicht unter den Kandidaten." in text(tour.lists(found, GERMAN))


def test_a_claim_that_is_not_true_stands_above_everything_else() -> None:
    found = walked(expects=(Expectation("vertrag", "§ 10", place=1), Expectation("anderes", "§ 1")))
    notice = tour.head(found, 1, 1, GERMAN)[1]
    assert (notice["role"], notice["title"]) == ("fault", "Auf diesen Bestand trifft der Satz nicht zu")
    assert "steht auf Platz 1. Gefunden: auf Platz" in notice["lines"][0]
    assert notice["lines"][1].endswith("Das gibt es in diesem Bestand nicht.")
    assert tour.checks(found, GERMAN) == []


def test_what_was_checked_is_said_and_what_was_not_is_said_too() -> None:
    assert "Nachgeprüft an diesem Bestand: RV · § 10 steht in der Liste." in text(tour.checks(rescued(), GERMAN))
    assert "nichts zum Nachprüfen" in text(tour.checks(walked(), GERMAN))


def test_the_example_on_the_screen_without_a_tour_is_a_tour() -> None:
    (step,) = parse_tour(tour.EXAMPLE.encode()).steps
    assert step.expects
    blocks = tour.none(GERMAN)
    assert blocks[0]["details"][0][1] == tour.EXAMPLE
    assert [name for name, _ in blocks[1]["blocks"][0]["pairs"]] == [
        "id",
        "de",
        "question",
        "settings",
        "without",
        "compare_with",
        "norms",
        "shows",
        "expects",
    ]


def test_a_broken_tour_shows_the_exact_fault() -> None:
    (notice,) = tour.broken(ValueError("step 3, line 41"), GERMAN)
    assert notice["details"] == [["ValueError", "step 3, line 41"]]


# --- the presentation -------------------------------------------------------------------------------------------------


def test_every_stage_of_a_presentation_has_its_words() -> None:
    assert [stage for stage in present.STAGES if f"present.stage.{stage}" not in GERMAN.catalogue] == []


def test_the_two_searches_stand_side_by_side_best_first() -> None:
    _, pair = present.routes(traced(), GERMAN)
    assert [side["title"] for side in pair["sides"]] == ["Vektorsuche", "Wortsuche"]
    for side in pair["sides"]:
        assert [item["place"] for item in side["items"]] == [str(place) for place in range(1, present.SHOWN + 1)]


@pytest.mark.parametrize(
    ("fails", "settings", "said"),
    [
        ({"gesetz": "lexical"}, {}, "In einem Teil der Regelwerke ist diese Suche ausgefallen."),
        (dict.fromkeys(("gesetz", "vertrag", "vereinbarung", "seltsam"), "lexical"), {}, "Diese Suche ist ausgefallen."),
        ({}, {"weight_lexical": 0}, "Das Gewicht dieser Suche ist 0: Sie zählt nicht."),
    ],
)
def test_a_search_that_failed_or_does_not_count_is_told_apart(fails: dict[str, str], settings: dict[str, Any], said: str) -> None:
    _, pair = present.routes(traced(fails=fails, **settings), GERMAN)
    assert pair["sides"][1]["note"].startswith(said)
    assert pair["sides"][0]["note"] == ""


def test_a_search_that_found_nothing_says_so() -> None:
    _, pair = present.routes(traced("und oder"), GERMAN)
    assert {side["note"] for side in pair["sides"]} == {"Diese Suche hat nichts gefunden."}


def test_the_list_shows_each_hit_with_what_brought_it_there() -> None:
    trace = traced()
    (block,) = present.final(trace, GERMAN)
    items = block["sides"][0]["items"]
    assert len(items) == len(trace.final)
    assert any("nur durch die Quote in der Liste" in item["lines"][1] for item in items)


def test_an_empty_list_and_a_failed_search_are_two_sentences() -> None:
    (nothing,) = present.final(traced("und oder"), GERMAN)
    (failed,) = present.final(traced(fails=dict.fromkeys(("gesetz", "vertrag", "vereinbarung", "seltsam"), "corpus")), GERMAN)
    assert nothing["text"].startswith("Nichts gefunden. Alle befragten Regelwerke haben geantwortet")
    assert "ausgefallen" in failed["text"]


def test_a_named_corpus_is_told_with_the_places_of_its_hit() -> None:
    assert named.sentence(traced(), GERMAN) == GERMAN.word("named.reason", "none_named")
    moved = traced("Wer setzt das Sonderkennzeichen, wenn die Apotheke nach dem RV abweichen darf?")
    assert "rückt von Platz 2 auf Platz 1" in named.sentence(moved, GERMAN)
    assert moved.chunks[moved.final[0].chunk_id].corpus_id == "vertrag"

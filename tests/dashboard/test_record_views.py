"""The views of the record: entries newest first, what nobody noted, decisions with their limits, two against each other."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from dashboard.blocks import Block
from dashboard.deciding import Draft
from dashboard.views import decisions, protocol
from dashboard.words import page_words
from retrieval.evaluation.decision_compare import compared
from retrieval.evaluation.decision_files import Folder, Kept, Unreadable
from retrieval.evaluation.decision_text import PARTS
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.protocol import Protocol, shift
from retrieval.evaluation.protocol_text import details, sentence, when
from retrieval.settings import Settings
from retrieval.words import Words
from tests.evaluation.decided import BAD, DEFAULTS, EVENTS, HIGH, HOSTILE, MARKS, QUESTIONS, QUICK, event, made, question, report, signed

DE, EN = page_words("de"), page_words("en")
FOUND = Protocol(EVENTS)


def kept(**more: object) -> Kept:
    return Kept(Path("2033-05-02-a.json"), made(**more), "ab" * 32)  # type: ignore[arg-type]


def cells(blocks: list[Block], place: int = 0) -> list[list[object]]:
    """The rows of the table at this place among the tables."""
    return [row["cells"] for row in [block for block in blocks if block["type"] == "table"][place]["rows"]]


def texts(blocks: list[Block]) -> list[str]:
    return [block["text"] for block in blocks if block["type"] == "paragraph"]


# --- the protocol ------------------------------------------------------------------------------------------------------------


def test_the_latest_entry_comes_first_with_day_and_time_in_germany() -> None:
    rows = cells(protocol.listed(protocol.entries(FOUND), 4, DE))
    assert [row[0] for row in rows] == [f"02.05.2033, {hour}:00 Uhr" for hour in (13, 12, 11, 10)]
    assert rows[3][2] == ["Ada hat die Kennzahlen gemessen (Ausbeute (Recall): 0,900)."]


def test_settings_that_nobody_noted_are_shown_before_and_after() -> None:
    rows = cells(protocol.listed(protocol.entries(FOUND), 4, DE))
    moved = "Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97"
    assert rows[1][2] == ["Ada hat die Kennzahlen gemessen.", f"Seit dem vorigen Eintrag geändert, ohne dass es jemand festhielt: {moved}."]
    noted = Protocol((EVENTS[0], event("moved", settings=HIGH, why="Versuch")))
    assert cells(protocol.listed(protocol.entries(noted), 2, DE))[0][2] == [
        "Ada hat eine Änderung der Einstellungen festgehalten.",
        f"Geändert: {moved}.",
        "Grund: Versuch",
    ]


def test_a_change_is_found_whatever_the_filter_leaves_out() -> None:
    shown = protocol.entries(FOUND, act="remarked")
    assert [one.event.act for one in shown] == ["remarked"]
    assert not shown[0].moved
    assert protocol.entries(FOUND, person="Niemand") == ()
    assert bool(protocol.entries(FOUND, person="Ada", act="measured")[0].moved)


def test_a_filter_that_fits_nothing_and_an_empty_protocol_are_two_displays() -> None:
    (none,) = protocol.listed((), 0, DE, filtered=True)
    (empty,) = protocol.listed((), 0, DE)
    assert none["empty"] != empty["empty"]
    assert "Noch kein Eintrag" in empty["empty"]


def test_people_and_acts_are_those_that_occur() -> None:
    found = Protocol((event("measured", who="Emil"), event("measured", who=""), event("decided", who="Ada")))
    assert protocol.people(found) == ("", "Ada", "Emil")
    assert protocol.acts(found) == ("measured", "decided")


def test_lines_that_broke_off_are_named_and_otherwise_nothing_is_said() -> None:
    (found,) = protocol.torn(Protocol(EVENTS, (2, 7)), DE)
    assert found["title"] == "2 Einträge brachen beim Schreiben ab"
    assert "Zeile 2, 7" in found["lines"][0]
    assert protocol.torn(FOUND, DE) == []


def test_what_moved_since_the_last_entry_is_a_table_and_stages_are_sentences() -> None:
    moved = shift(EVENTS[0], HIGH.flat(), ("quota",))
    found = protocol.since(moved, DE)
    assert cells(found) == [["Wert eines Verweisziels (VERWEIS_SCORE)", "0,50", "0,97"]]
    assert texts(found) == ["Stufe „Quote“ ausgelassen."]


@pytest.mark.parametrize("words", [DE, EN])
def test_details_are_told_by_words_and_what_only_programs_need_is_left_out(words: Words) -> None:
    swept = event(
        "swept", details={"sweep": "abc", "knobs": "verweis_score, min_ratio", "goal": "recall", "state": "stopped", "unbekannt": 3}
    )
    said = details(swept, words)
    assert "abc" not in said
    assert "VERWEIS_SCORE" in said
    assert "unbekannt: 3" in said
    assert ("angehalten" if words.language == "de" else "stopped") in said
    assert details(event("compared", details={"recall": -0.02, "mrr": 0.0, "ndcg": 1e-18}), DE).count("−") == 1
    assert sentence(event("measured", who=""), DE).startswith("Jemand ohne Namen hat")


def test_a_moment_that_is_none_stands_as_it_is() -> None:
    assert when("gestern", DE) == "gestern"
    assert when("2033-12-31T23:30:00+00:00", EN) == "1 January 2034, 00:30 German time"


# --- decisions -----------------------------------------------------------------------------------------------------------------


def test_all_decisions_are_listed_and_broken_files_named() -> None:
    folder = Folder((kept(),), (Unreadable(Path("kaputt.json"), f"found {HOSTILE}"),))
    listed, broken = decisions.listed(folder, DE)
    assert [row["cells"] for row in listed["rows"]] == [
        ["02.05.2033, 20:30 Uhr", "Verweise weiter vorn", "Ada Beispiel; Emil Muster", "Satz"]
    ]
    assert broken["details"] == [["kaputt.json", f"found {HOSTILE}"]]
    (empty,) = decisions.listed(Folder(), DE)
    assert empty["empty"].startswith("Noch keine Entscheidung")


def test_a_decision_shows_people_settings_figures_and_limits() -> None:
    blocks = decisions.blocks(kept(), DE)
    assert blocks[0]["text"] == "Verweise weiter vorn"
    assert ["Von", "Ada Beispiel; Emil Muster"] in cells(blocks)
    assert "– Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97" in texts(blocks)
    recall = next(row for row in cells(blocks, 1) if row[0] == "Ausbeute (Recall)")
    interval = made().report.figure("recall").estimate.interval
    assert interval is not None
    assert recall[1] == ["0,958", DE.t("figures.interval", low=interval.low, high=interval.high)]
    assert len(recall) == 1 + len(PARTS)
    assert any(text.startswith("– Alles ruht auf 12 Fragen") for text in texts(blocks))
    json.dumps(blocks)


def test_a_figure_that_no_question_enters_is_a_dash() -> None:
    demanded = next(row for row in cells(decisions.blocks(kept(), DE), 1) if row[0] == "Pflichtabruf")
    assert demanded[1:] == ["–", "–", "–"]


def test_losers_stand_behind_a_label_that_counts_them_or_it_is_said_that_there_are_none() -> None:
    folds = [block for block in decisions.blocks(kept(), DE) if block["type"] == "folded"]
    assert folds[0]["label"] == "Eine Frage verliert gegenüber den Vorgaben"
    assert folds[0]["blocks"][0]["rows"][0]["cells"][0] == ["Frage f0?", "f0"]
    assert "Gegenüber den Vorgaben verliert keine Frage." in texts(decisions.blocks(kept(after=report(HIGH)), DE))


@pytest.mark.parametrize("words", [DE, EN])
def test_text_of_people_stays_data(words: Words) -> None:
    questions = QuestionSet(HOSTILE, tuple(msgspec.structs.replace(one, text=HOSTILE) for one in QUESTIONS))
    told = msgspec.structs.replace(signed(HOSTILE, f"{HOSTILE}\n\nzweite Zeile"), decided_by=(HOSTILE,))
    blocks = decisions.blocks(kept(questions=questions, told=told), words)
    assert blocks[0]["text"] == HOSTILE
    assert [text for text in texts(blocks) if text in (HOSTILE, "zweite Zeile")] == [HOSTILE, "zweite Zeile"]
    assert [text for text in texts(blocks) if "\\*" in text] == []


def test_before_signing_the_settings_in_force_and_their_figures_are_shown() -> None:
    assert len(decisions.in_force(Settings().flat(), (), DE)) == 1
    lines = texts(decisions.in_force(HIGH.flat(), ("quota",), DE))
    assert "– Stufe „Quote“ ausgelassen" in lines
    rows = cells(decisions.measured(report(DEFAULTS), DE))
    assert rows[0][:2] == ["Ausbeute (Recall)", "1,000"]
    assert rows[-1] == ["Pflichtabruf", "–", "–", "0"]


def test_names_are_parted_and_missing_fields_named() -> None:
    assert Draft("a", "Ada,  Emil Muster;Ada,\n Ida", "weil").decided_by == ("Ada", "Emil Muster", "Ida")
    assert Draft(" ", " ,; ", "\n").missing == ("name", "names", "reason")
    assert Draft("a", "b", "c").missing == ()


# --- two decisions ----------------------------------------------------------------------------------------------------------------


def test_two_decisions_show_settings_set_figures_and_stock() -> None:
    questions = QuestionSet("Satz", (*QUESTIONS[1:], question("neu", "§1")))
    after = made(
        questions=questions,
        after=report(HIGH, others={"f3": BAD}, questions=questions),
        marks=msgspec.structs.replace(MARKS, index="9" * 10),
    )
    blocks = decisions.compared(compared(made(after=report()), after, QUICK), DE)
    assert [row[0] for row in cells(blocks)] == ["neu", "entfallen"]
    assert cells(blocks, 1)[0][:3] == ["Ausbeute (Recall)", "1,000", "0,955"]
    assert cells(blocks, 2) == [[["Frage f3?", "f3"], cells(blocks, 2)[0][1]]]
    assert [row[3] for row in cells(blocks, 3)] == ["gleich", "anders", "gleich", "gleich"]
    assert "– Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97" in texts(blocks)


def test_equal_decisions_and_other_lengths_are_said_to_be_so() -> None:
    same = texts(decisions.compared(compared(made(), made(), QUICK), EN))
    assert "The settings are the same." in same
    assert "The question set is the same." in same
    longer = Settings.of(max_final_results=5)
    other = compared(made(after=report()), made(after=report(longer), before=report(longer)), QUICK)
    assert any("auf 4 und auf 5 Plätzen" in text for text in texts(decisions.compared(other, DE)))

"""The comparison in words: sentences, tables and what changed from state to state."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from dashboard.stock import Runs
from dashboard.views import comparison as view
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.inspector.comparison import Comparison, compare, differences, hits_of, norms_of, overlap, question_change, summary
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.dashboard.demo import HTML, QUESTION, federation

DE, EN = page_words("de"), page_words("en")
NAMES = {one: f"Norm {one}" for one in "abcdefgh"}


def sentence(a: str, b: str) -> str:
    return view.sentence(compare([a, b]).pairs[0], ["A", "jetzt"], NAMES, DE)


def runs(*settings: Settings) -> list[Trace]:
    found = Runs(federation())
    return [decide(found.pool(QUESTION, one), one) for one in settings]


def both(traces: list[Trace]) -> tuple[Comparison, Comparison]:
    return compare([hits_of(trace) for trace in traces]), compare([norms_of(trace) for trace in traces])


def test_lists_of_one_length_are_told_as_so_many_of_so_many() -> None:
    assert sentence("abc", "acd") == (
        "„A“ und „jetzt“: 2 von 3 Treffern gemeinsam. 1 davon steht auf einem anderen Platz. Nur in „A“: Norm b. Nur in „jetzt“: Norm d."
    )


def test_lists_of_two_lengths_are_told_with_both() -> None:
    assert sentence("abc", "ab") == (
        "„A“ und „jetzt“: 2 Treffer gemeinsam (3 in „A“, 2 in „jetzt“). Sie stehen auf denselben Plätzen."
        " Nur in „A“: Norm c. Nur in „jetzt“: nichts."
    )


def test_equal_and_empty_lists_have_sentences_of_their_own() -> None:
    assert sentence("ab", "ab") == "„A“ und „jetzt“: Die Listen sind gleich."
    assert sentence("", "") == "„A“ und „jetzt“: Beide Listen sind leer."


def test_many_names_are_cut_and_counted() -> None:
    assert "Norm e; und 3 weitere." in sentence("abcdefgh", "")


def test_the_numbers_are_told_with_what_they_mean() -> None:
    assert view.measures(overlap("abc", "acd"), DE).startswith(
        "Jaccard 0,50: Von 4 Treffern, die in mindestens einer der beiden Listen stehen, stehen 2 in beiden. RBO 0,69: So ähnlich"
    )


@pytest.mark.parametrize(("value", "shown"), [(1.0, "1,00"), (0.999, "> 0,99"), (0.994, "0,99"), (0.001, "< 0,01"), (0.0, "0,00")])
def test_a_measure_that_is_not_quite_1_or_0_does_not_look_like_it(value: float, shown: str) -> None:
    assert view.share(value, DE) == shown


def test_two_lists_explain_their_numbers_and_three_say_what_stands_in_all() -> None:
    two = runs(Settings(), Settings.of(max_final_results=5))
    three = runs(Settings(), Settings.of(max_final_results=5), Settings.of(max_final_results=4))
    told = [json.dumps(view.overlap(*both(traces), ["A", "B", "C"][: len(traces)], view.labels(traces), DE)) for traces in (two, three)]
    assert ["stehen 5 in beiden" in one for one in told] == [True, False]
    assert ["In allen 3 Listen stehen 4 Treffer gemeinsam." in one for one in told] == [False, True]


def test_each_pair_of_lists_has_a_row_with_hits_and_norms() -> None:
    traces = runs(Settings(), Settings.of(max_final_results=5), Settings.of(fusion="rrf"))
    (table,) = (one for one in view.overlap(*both(traces), ["A", "B", "C"], view.labels(traces), DE) if one["type"] == "table")
    assert [found["cells"][0] for found in table["rows"]] == [["„A“", "„B“"], ["„A“", "„C“"], ["„B“", "„C“"]]
    assert table["rows"][0]["cells"][1:6] == ["5", "0", "5", "0", "5"]


def test_a_long_table_of_places_stands_behind_a_label() -> None:
    short, long = runs(Settings.of(max_final_results=5), Settings.of(max_final_results=50))
    assert [one["type"] for one in view.lists(["A"], [short], DE)] == ["table"]
    (found,) = view.lists(["A", "B"], [short, long], DE)
    assert (found["type"], found["label"]) == ("folded", f"Als Tabelle ({len(long.final)} Zeilen)")


def test_only_settings_that_differ_are_in_the_table_with_what_they_do() -> None:
    a, b = Settings(), Settings.of(fetch_k=80, rrf_k=70, verweis_score=0.97)
    sentence, table = view.settings(differences([a, b], [(), ("quota",)]), ["A", "B"], DE)
    assert sentence["text"] == "4 Einstellungen unterscheiden sich."
    assert [found["cells"] for found in table["rows"]] == [
        ["Kandidaten je Regelwerk und Suchweg (fetch_k)", "60", "80", "fragt die Regelwerke neu"],
        ["RRF-Konstante k", "60", "70", "ohne Wirkung: keine der Spalten nutzt die zugehörige Fusion"],
        ["Wert eines Verweisziels (VERWEIS_SCORE)", "0,50", "0,97", "kann die Liste ändern"],
        ["Weggelassene Stufen", "keine", "Quote", "kann die Liste ändern"],
    ]
    assert view.settings((), ["A", "B"], DE)[0]["text"] == "Alle gezeigten Einstellungen sind gleich."


def test_a_row_of_the_set_says_what_changed() -> None:
    a, b, c = runs(Settings(), Settings.of(max_final_results=5), Settings())
    assert view.set_row(question_change(a, c), DE) == "Liste unverändert."
    assert view.set_row(question_change(a, b), DE) == (
        "5 Treffer gemeinsam; die erste Liste hat 10, die zweite 5 (Jaccard 0,50, RBO 1,00). Normen gemeinsam: 5 von 10."
    )
    turned = msgspec.structs.replace(question_change(a, c), hits=overlap("ab", "ba"), partial=True)
    assert view.set_row(turned, DE) == "Dieselben Treffer, andere Reihenfolge (RBO 0,90). Ein Teil des Laufs ist ausgefallen."


def test_the_summary_leaves_out_what_did_not_happen() -> None:
    a, b = runs(Settings(), Settings())
    assert view.set_summary(summary([question_change(a, b)]), DE) == [
        "Bei 1 bleibt die Liste, wie sie ist.",
        "Im Mittel: Jaccard 1,00, RBO 1,00.",
    ]
    assert view.set_summary(summary([]), DE) == []


class Stood(msgspec.Struct, frozen=True):
    question: str
    settings: Settings = Settings()
    without: tuple[str, ...] = ()


def test_a_state_says_what_changed_against_the_one_before() -> None:
    before = Stood("Was gilt?", Settings.of(verweis_score=0.5))
    now = Stood("Und nun?", Settings.of(verweis_score=0.97), ("quota",))
    assert view.change(before, now, DE) == (
        "andere Frage; Wert eines Verweisziels (VERWEIS_SCORE): 0,50 → 0,97; Weggelassene Stufen: keine → Quote"
    )
    assert view.change(None, now, DE) == "erste Frage dieser Sitzung"
    assert view.change(None, now, DE, first=False) == "der älteste aufbewahrte Stand"


def test_a_pin_says_what_is_not_the_default() -> None:
    assert view.about(Settings(), (), DE) == "Alle Regler auf Vorgabe."
    assert view.about(Settings.of(fusion="rrf"), ("quota",), DE) == "Fusion: Rangfusion (RRF); Weggelassene Stufen: Quote"


@pytest.mark.parametrize("words", [DE, EN])
def test_every_list_can_be_told_in_both_languages_and_hostile_titles_stay_text(words: Any) -> None:
    traces = runs(Settings(), Settings.of(max_final_results=5), Settings.of(fusion="rrf", max_final_results=50))
    titles = ["A", f"B · {HTML}", "jetzt"]
    found = [*view.lists(titles, traces, words), *view.overlap(*both(traces), titles, view.labels(traces), words)]
    found += view.settings(differences([trace.settings for trace in traces]), titles, words)
    assert HTML in json.dumps(found, ensure_ascii=False)

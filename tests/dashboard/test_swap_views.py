"""The finding on screen: a sentence for a room that claims no more than the questions show, and totals that add up."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from dashboard.blocks import Block
from dashboard.views import exchange as view
from dashboard.words import page_words
from retrieval.evaluation.against import Change, MetricChange
from retrieval.evaluation.exchange import Exchange, Shifted, Swapped, Turn, balance
from retrieval.evaluation.report import Figure, Report
from retrieval.evaluation.staircase import Flip, Staircase
from retrieval.evaluation.statistics import Estimate, effect
from retrieval.model import Address
from retrieval.settings import KNOBS
from retrieval.words import Words
from tests.dashboard.demo import SPECS
from tests.evaluation.lists import gold, need, question

DE, EN = page_words("de"), page_words("en")
BOTH = pytest.mark.parametrize("words", [DE, EN], ids=["de", "en"])
KNOB = KNOBS["verweis_score"]
TEN, ELEVEN, FOUR = Address("vertrag", "Vertrag", "§ 10"), Address("vertrag", "Vertrag", "§ 11"), Address("vereinbarung", "", "Ziffer 4.10")
ASKED = {
    "f1": question(need(gold("Ziffer 4.10", corpus="vereinbarung")), id="f1"),
    "f2": question(need(gold("§ 1")), id="f2"),
}
LOSES = Exchange(
    "f1",
    "Frage f1?",
    (Swapped("a", FOUR, "quota", 10, (0,)),),
    (Swapped("b", TEN, "search", 9), Swapped("c", ELEVEN, "verweis", 1)),
    (0,),
    shifted=(Shifted("d", ELEVEN, 4, 1),),
    quota_lost=("vereinbarung",),
)
CHANGES = Exchange("f2", "Frage f2?", (Swapped("e", ELEVEN, "search", 3),), ())
SAME = Exchange("f3", "Frage f3?")


def change(before: Sequence[float], after: Sequence[float]) -> MetricChange:
    pairs = [(f"f{number}", one, other) for number, (one, other) in enumerate(zip(before, after, strict=True), start=1)]
    made = [Change(name, f"Frage {name}?", one, other) for name, one, other in pairs if one != other]
    winners, losers = (tuple(one for one in made if (one.after > one.before) is up) for up in (True, False))
    return MetricChange("chain_coverage", effect(before, after, resamples=200), winners, losers)


def report(value: float | None) -> Report:
    figure = Figure("chain_coverage", Estimate(value, 4), Estimate(None, 0))
    return Report("Satz", "", 10, None, (), (), (figure,), (), (), (), 0, True)


def headline(before: Sequence[float], after: Sequence[float], words: Words = DE) -> str:
    means = [sum(values) / len(values) if values else None for values in (before, after)]
    return view.headline(change(before, after), report(means[0]), report(means[1]), KNOB, (0.5, 0.97), words)


def test_the_headline_says_what_falls_from_where_to_where() -> None:
    said = headline([1, 1, 1, 1], [0.75, 1, 1, 1])
    assert said == "Wert eines Verweisziels (VERWEIS_SCORE) 0,97 statt 0,50: „Kettenabdeckung“ sinkt von 1,000 auf 0,938 (4 Fragen)."


@BOTH
def test_the_headline_has_a_sentence_of_its_own_for_rising_equal_and_cancelling(words: Words) -> None:
    said = {headline(*values, words) for values in (([0, 1], [1, 1]), ([1, 1], [1, 1]), ([0, 1], [1, 0]), ([], []))}
    assert len(said) == 4
    assert all(words.number(0.97, 2) in one for one in said)


def test_the_honest_sentence_says_when_a_difference_may_be_chance_and_who_loses() -> None:
    said = view.honest(change([1, 1, 1, 1], [0.75, 1, 1, 1]), DE)
    assert "nicht vom Zufall zu unterscheiden" in said
    assert said.endswith("Schlechter wird 1 Frage: „Frage f1?“.")


def test_the_summary_counts_lists_hits_and_the_quota() -> None:
    assert view.summary([LOSES, CHANGES, SAME], DE) == (
        "Von 3 Listen enthalten 2 andere Treffer. Dabei fallen 2 Treffer heraus, und 2 Treffer kommen herein. "
        "Bei 1 dieser Listen nimmt mindestens ein Regelwerk mit dem zweiten Wert nicht mehr an der Quote teil."
    )
    assert view.summary([SAME], DE).startswith("Die Liste der einen Frage enthält unter beiden Werten dieselben Treffer")


def test_the_balance_has_a_sum_that_its_rows_add_up_to() -> None:
    (table,) = view.balance(balance([LOSES, CHANGES, SAME]), DE)
    rows = [row["cells"] for row in table["rows"]]
    assert {row[0]: row[1:] for row in rows}["Quote"] == ["1", "1", "0", "0"]
    assert rows[-1] == ["Zusammen", "2", "1", "2", "0"]
    for column in range(1, 5):
        assert sum(int(row[column]) for row in rows[:-1]) == int(rows[-1][column])


def test_who_loses_a_norm_stands_first_with_what_left_what_came_and_why() -> None:
    (table,) = view.questions([CHANGES, LOSES, SAME], ASKED, SPECS, DE)
    first, second = table["rows"]
    assert first["cells"][0] == [
        "Frage f1?",
        "Verloren: TA-T · Ziffer 4.10.",
        "Ein Verweis hebt nach vorn: RV · Vertrag · § 11 von 4 auf 1. Nicht mehr an der Quote beteiligt: TA-T.",
    ]
    assert first["cells"][1][0]["norm"] == "vereinbarung||Ziffer 4.10"
    assert first["cells"][1][1] == "Platz 10, Quote, wird gebraucht"
    assert [line["text"] for line in first["cells"][2] if isinstance(line, dict)] == ["RV · Vertrag · § 10", "RV · Vertrag · § 11"]
    assert (second["cells"][0], second["cells"][2]) == (["Frage f2?"], "–")
    assert view.questions([SAME], ASKED, SPECS, DE) == []


def test_of_a_long_exchange_the_first_hits_are_named_and_the_others_counted() -> None:
    long = Exchange("f2", "Frage f2?", (), tuple(Swapped(str(place), TEN, "search", place) for place in range(1, 41)))
    (table,) = view.questions([long], ASKED, SPECS, DE)
    assert table["rows"][0]["cells"][2][-1] == "und 34 weitere"


STAIRS = Staircase("verweis_score", (0.0, 0.6158, 1.0), (1.0, 0.75), (1.0, 1.0, 0.75), ((Flip("f1", 1.0, 0.75),),), 1)


def test_the_staircase_marks_both_values_and_has_its_stretches_as_a_table() -> None:
    drawn = view.figure(STAIRS, "chain_coverage", (0.5, 0.97), KNOB, DE, "#000")
    assert drawn["data"][0]["x"] == [0.0, 0.6158, 0.6158, 1.0]
    assert [note["text"] for note in drawn["layout"]["annotations"]] == ["erster Wert 0,50", "zweiter Wert 0,97"]
    assert len({shape["line"]["dash"] for shape in drawn["layout"]["shapes"]}) == 2
    (folded,) = view.stairs_table(STAIRS, "chain_coverage", KNOB, DE)
    assert [row["cells"] for row in folded["blocks"][0]["rows"]] == [["0,00", "0,6158", "1,000"], ["0,6158", "1,00", "0,750"]]


@BOTH
def test_each_turn_has_its_value(words: Words) -> None:
    said, table = view.turns([Turn("f1", 1.0, 0.75, (0.6158,))], {"f1": "Frage f1?"}, KNOB, "chain_coverage", words)
    assert table["rows"][0]["cells"][-1] == words.number(0.6158, 4)
    walked: list[Block] = view.turns([Turn("f1", 1.0, 0.75, (3.0,), exact=False)], {"f1": "Frage f1?"}, KNOB, "chain_coverage", words)
    assert walked[0] != said
    assert len(view.turns([], {}, KNOB, "chain_coverage", words)) == 1


def test_what_is_drawn_is_plain_data() -> None:
    drawn = [*view.questions([LOSES], ASKED, SPECS, DE), *view.balance(balance([LOSES]), DE)]
    assert json.loads(json.dumps(drawn)) == drawn

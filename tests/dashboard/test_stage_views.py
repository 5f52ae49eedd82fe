"""Funnel, misses, stage differences and scores on screen: sentences and tables exactly, figures lightly."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.blocks import Block
from dashboard.views import anchors as anchor_view
from dashboard.views import corpora, differences, faults, floor, funnel, misses, named, spread
from dashboard.views import verweise as verweis_view
from dashboard.words import page_words
from retrieval.decide import STAGES, decide
from retrieval.exports.cells import csv_of
from retrieval.inspector.differences import difference
from retrieval.inspector.differences import differences as differences_of
from retrieval.inspector.funnel import funnel as funnel_of
from retrieval.inspector.misses import RULES
from retrieval.inspector.misses import misses as misses_of
from retrieval.inspector.spread import spread as spread_of
from retrieval.model import AnchorClaim, CorpusAnswer, ReadyHit, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import HOSTILE, HTML, federation
from tests.strategies import pools
from tests.strategies import settings as any_settings

DE, EN = page_words("de"), page_words("en")
HARD = {"max_final_results": 4, "min_hits_per_corpus": 1, "weight_lexical": 0}


def quota_pool() -> Pool:
    """Corpus A fills a list of four; B's only hit stands behind it, C's is far below the floor."""
    scores = {"a1": 0.9, "a2": 0.8, "a3": 0.7, "a4": 0.6, "a5": 0.5}
    chunks = [chunk(key, key[0].upper(), f"§ {key[1]}") for key in (*scores, "b1", "c1")]
    return pool([answer("A", scores), answer("B", {"b1": 0.4}), answer("C", {"c1": 0.1})], chunks)


def quota_run(without: tuple[str, ...] = (), **values: Any) -> Trace:
    return decide(quota_pool(), Settings.of({**HARD, **values}), without=without)


def rows(found: list[Block], caption: str) -> list[list[Any]]:
    return next([row["cells"] for row in block["rows"]] for block in found if block["type"] == "table" and block["caption"] == caption)


def paragraphs(found: list[Block]) -> list[str]:
    return [block["text"] for block in found if block["type"] == "paragraph"]


# --- the funnel -------------------------------------------------------------------------------------------------------


def test_the_funnel_has_a_number_for_each_corpus_and_step() -> None:
    trace = quota_run()
    table = funnel.frame(funnel_of(trace), trace)
    assert table.values.tolist() == [["A", "A", 5, 5, 5, 5, 3], ["B", "B", 1, 1, 1, 1, 1], ["C", "C", 1, 1, 1, 1, 0]]
    assert funnel.sheet(table, DE)[1][0] == ["A", 5, 5, 5, 5, 3]


def test_many_corpora_that_were_not_asked_are_folded_or_counted() -> None:
    stock = ["A", *(f"Z{number}" for number in range(9))]
    for size, many in ((9, False), (10, True)):
        one = pool([answer("A", {"a1": 0.9})], [chunk("a1", "A")], available=stock[:size])
        trace = decide(one, Settings.of({"max_corpora_per_query": 1}))
        found = corpora.blocks(trace, DE)
        assert [len(block["rows"]) for block in found if block["type"] == "table"] == [1 if many else 9]
        folds = [(block["label"], len(block["blocks"][0]["rows"])) for block in found if block["type"] == "folded"]
        assert folds == ([("9 weitere Regelwerke wurden nicht befragt", 9)] if many else [])
        record = funnel.blocks(funnel_of(trace), trace, DE)
        assert len(record[1]["rows"]) == (2 if many else 10)
        assert ("9 weitere Regelwerke wurden nicht befragt." in paragraphs(record)) == many


def test_the_parts_of_each_bar_sum_to_the_whole_and_tell_corpora_apart_by_pattern() -> None:
    trace = quota_run()
    bars = funnel.figure(funnel.frame(funnel_of(trace), trace), DE, "#000")
    assert [sum(shares) for shares in zip(*(bar["x"] for bar in bars["data"]), strict=True)] == pytest.approx([1] * len(funnel.STEPS))
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars["data"]}) == 3
    assert bars["data"][2]["text"][-1] == ""
    json.dumps(bars)


def test_the_sentence_says_whose_share_changes_most() -> None:
    trace = quota_run()
    assert funnel.sentence(funnel_of(trace), trace, DE) == (
        "Die Suchlisten haben zusammen 7 Plätze; das sind 7 verschiedene Textstücke. In der endgültigen Liste stehen 4 Treffer. "
        "Am stärksten ändert sich der Anteil dieses Regelwerks: C stellt 14 % der gefundenen Textstücke und 0 % der Liste."
    )


def test_a_corpus_that_was_not_asked_has_dashes_and_the_reason_and_the_sum_stands_last() -> None:
    trace = quota_run(max_corpora_per_query=2)
    found = rows(funnel.blocks(funnel_of(trace), trace, DE), DE.t("funnel.caption"))
    assert found[2] == [["C", "C", "nicht befragt: Höchstzahl der Regelwerke erreicht"], "–", "–", "–", "–", "–"]
    assert found[-1] == ["alle zusammen", "6", "6", "6", "6", "4"]


def test_a_failed_corpus_has_zeros_and_says_that_it_failed() -> None:
    federated = federation(fails={"vertrag": "corpus"})
    trace = decide(federated.gather(HOSTILE, Settings()), Settings())
    found = rows(funnel.blocks(funnel_of(trace), trace, DE), DE.t("funnel.caption"))
    assert ["RV", "Rahmenvertrag mit Anlagen", "ausgefallen"] in [row[0] for row in found]


def test_each_corpus_has_a_ledger_that_adds_up() -> None:
    trace = quota_run()
    (folded,) = funnel.ledgers(funnel_of(trace), trace, DE)
    assert [row["cells"] for row in folded["blocks"][1]["rows"]][4] == [
        "Quote",
        "5",
        "0",
        "3",
        "2",
        "2: fällt weg: hinter dem letzten Platz der Liste",
    ]


# --- the misses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_words_in_both_languages(rule: str) -> None:
    for words in (DE, EN):
        assert {f"misses.rule.{rule}.one", f"misses.rule.{rule}.other"} <= words.catalogue.keys()
        assert rule in ("displaced", "below_limit", "below_floor") or f"misses.lack.{rule}" in words.catalogue


def test_the_misses_are_greyed_and_the_nearest_stands_first() -> None:
    trace = quota_run()
    found = misses.blocks(misses_of(trace), trace, DE)
    displaced, below = [block for block in found if block["type"] == "table"][:2]
    assert displaced["caption"].startswith("Von der Quote verdrängt: 1 Textstück. Vor der Quote stand es in der Liste;")
    assert [row["cells"][1:] for row in displaced["rows"]] == [["4", "0,600", "0,700", "0,100"]]
    assert displaced["rows"][0]["cells"][0][-1]["text"] == "Warum nicht in der Liste?"
    assert below["caption"] == DE.n("misses.rule.below_limit", 2)
    assert [row["cells"][1:] for row in below["rows"]] == [
        ["5", "0,500", "0,700", "0,200"],
        ["7", "0,100", "0,700", "0,600"],
    ]
    assert {row["tone"] for row in below["rows"]} == {"muted"}


def test_a_corpus_below_the_floor_shows_its_best_hit_and_the_distance() -> None:
    trace = quota_run()
    (found,) = rows(misses.blocks(misses_of(trace), trace, DE), "Unter der Schwelle der Quote: 1 Regelwerk")
    assert found[0][0] == "C"
    assert found[1:] == ["7", "0,100", "0,225", "0,125"]


def test_a_tie_and_a_tiny_distance_are_said_in_words() -> None:
    scores = {"a1": 0.5, "a2": 0.5, "a3": 0.4999}
    trace = decide(
        pool([answer("A", scores)], [chunk(one, "A", f"§ {one[1]}") for one in scores]), Settings.of({**HARD, "max_final_results": 1})
    )
    found = rows(misses.blocks(misses_of(trace), trace, DE), DE.n("misses.rule.below_limit", 2))
    assert [row[-1] for row in found] == ["gleichauf, steht dahinter", "unter 0,001"]


def test_long_groups_are_cut_with_a_count_unless_everything_is_asked_for() -> None:
    scores = {f"a{number}": 1 - number / 20 for number in range(1, 15)}
    trace = decide(pool([answer("A", scores)], [chunk(one, "A", f"§ {one[1:]}") for one in scores]), Settings.of(HARD))
    short = misses.blocks(misses_of(trace), trace, DE)
    assert len(rows(short, DE.n("misses.rule.below_limit", 10))) == misses.NEAREST
    assert "5 weitere Zeilen sind nicht aufgeführt." in paragraphs(short)
    assert len(rows(misses.blocks(misses_of(trace), trace, DE, everything=True), DE.n("misses.rule.below_limit", 10))) == 10


def test_what_follows_a_full_list_is_said_to_be_unknown() -> None:
    trace = quota_run(fetch_k=5)
    assert paragraphs(misses.blocks(misses_of(trace), trace, DE))[-1] == (
        "Nicht bekannt ist, was die Suche hinter dem 5. Kandidaten gefunden hätte. "
        "So lang wie erlaubt sind diese Suchlisten: Vektorsuche in A."
    )


# --- the stages -------------------------------------------------------------------------------------------------------


def test_the_sentence_names_who_would_be_in_the_list_without_the_stage() -> None:
    trace = quota_run()
    found = difference(quota_pool(), trace, "quota")
    assert (
        differences.sentence(found, trace, DE) == "Ohne die Quote stünde B · §\u00a01 nicht in der Liste; dafür stünde A · §\u00a04 darin."
    )
    assert (
        differences.sentence(found, trace, EN)
        == "Without the quota, B · §\u00a01 would not be in the list; A · §\u00a04 would be in it instead."
    )


def test_for_a_stage_that_is_left_out_the_sentence_says_what_it_would_do() -> None:
    trace = quota_run(without=("quota",))
    found = difference(quota_pool(), trace, "quota")
    assert differences.sentence(found, trace, DE) == "Mit der Quote käme B · §\u00a01 in die Liste; dafür fiele A · §\u00a04 heraus."
    assert rows(differences.overview([found], trace, DE), DE.t("differences.caption"))[0][0] == ["Quote", "in diesem Lauf weggelassen"]


def test_norms_that_a_stage_brings_in_are_drawn_alike() -> None:
    chunks = [chunk(key, key[0].upper(), f"§ {key[1]}") for key in ("a1", "a2", "b1", "b2")]
    scores = {"a1": 0.9, "a2": 0.8}
    anchor = AnchorClaim(Target("B", "§ 1"))
    units = Units("found", (ReadyHit("b1", 1.0), ReadyHit("b2", 1.0)))
    gathered = pool([answer("A", scores), answer("B")], chunks, claims=[(anchor, units)])
    trace = decide(gathered, Settings())
    found = difference(gathered, trace, "anchors")
    brought = rows(differences.overview([found], trace, DE), DE.t("differences.caption"))[0][1]
    assert [(line["text"], line["alike"]) for line in brought] == [("B · § 1", True), ("B · § 2", True)]


def test_a_stage_that_does_nothing_says_so() -> None:
    trace = quota_run()
    found = difference(quota_pool(), trace, "anchors")
    assert differences.sentence(found, trace, DE) == "Auch ohne die Anker wäre die endgültige Liste dieselbe."


def test_the_lists_around_a_stage_keep_their_true_places() -> None:
    trace = quota_run()
    before, after = differences.inside(difference(quota_pool(), trace, "quota"), trace.limit, DE)
    assert before.places == {"a1": 1, "a2": 2, "a3": 3, "a4": 4, "b1": 6}
    assert after.places == {"a1": 1, "a2": 2, "a3": 3, "b1": 4}


def test_the_file_of_the_lists_has_an_empty_cell_where_a_hit_is_missing() -> None:
    trace = quota_run()
    ends = differences.ends(difference(quota_pool(), trace, "quota"), DE)
    written = csv_of(*differences.sheet(differences.frame(ends, trace), DE), "de").decode("utf-8-sig").splitlines()
    assert written[0] == "Fundstelle;ohne;mit"
    assert written[-1] == "B · § 1;;4"


@pytest.mark.parametrize("stage", STAGES)
def test_every_run_page_says_which_stage_is_left_out(stage: str) -> None:
    trace = quota_run(without=(stage,))
    (notice,) = faults.blocks(trace, DE)
    assert notice["title"] == f"Diese Liste entsteht {DE.t(f'differences.without.{stage}')}"
    said = {
        "anchors": lambda: json.dumps(anchor_view.blocks(trace, DE), ensure_ascii=False),
        "references": lambda: json.dumps(verweis_view.blocks(trace, DE), ensure_ascii=False),
        "quota": lambda: floor.sentence(trace, DE),
        "named_first": lambda: named.sentence(trace, DE),
    }
    assert DE.t(f"left_out.{stage}") in said[stage]()


def test_several_stages_left_out_stand_in_one_notice() -> None:
    (notice,) = faults.blocks(quota_run(without=STAGES), DE)
    assert notice["title"] == (
        "Diese Liste entsteht ohne die Anker, ohne die Verweise, ohne die Quote und ohne den Vorrang des genannten Regelwerks"
    )
    assert faults.blocks(quota_run(), DE) == []


# --- the scores -------------------------------------------------------------------------------------------------------


def test_hits_of_the_list_have_another_form_and_the_best_of_each_corpus_is_labelled() -> None:
    trace = quota_run()
    drawn = spread.figure(spread_of(trace), trace, DE, "#000")
    out, inside, best = drawn["data"]
    assert out["marker"]["symbol"] != inside["marker"]["symbol"]
    assert (sorted(out["x"]), sorted(inside["x"])) == ([0.1, 0.5, 0.6], [0.4, 0.7, 0.8, 0.9])
    assert best["text"] == ["§ 1 · <b>0,900</b>", "§ 1 · <b>0,400</b>", "§ 1 · <b>0,100</b>"]
    assert [note["text"] for note in drawn["layout"]["annotations"]] == [
        "0: ohne Zusammenhang",
        "Schwelle 0,225",
        "Verweis 0,50",
        "Anker 1,00",
    ]
    json.dumps(drawn)


def test_zero_means_unrelated_in_the_weighted_sum_only() -> None:
    trace = quota_run(fusion="rrf")
    drawn = spread.figure(spread_of(trace), trace, DE, "#000")
    assert DE.t("spread.mark.zero") not in [note["text"] for note in drawn["layout"]["annotations"]]
    assert DE.t("spread.zero") not in spread.sentence(spread_of(trace), trace, DE)


def test_the_sentence_of_the_scores_names_the_highest_and_the_lowest_corpus() -> None:
    trace = quota_run()
    assert spread.sentence(spread_of(trace), trace, DE) == (
        "Jeder Strich ist ein Kandidat, jede Raute ein Treffer der endgültigen Liste. "
        "Bei 0 steht, was nicht näher liegt als ein Text ohne Zusammenhang. Am höchsten steht A mit 0,900. "
        "Am niedrigsten bleibt der beste Kandidat von C mit 0,100. Die Schwelle 0,225 erreichen 2 von 3 Regelwerken."
    )


def test_the_gap_is_one_of_decision_scores_only() -> None:
    trace = quota_run(weight_vector=0.4)
    assert spread.decision_sentence(spread_of(trace), trace, DE).startswith(
        "Den höchsten Urteilswert hat A · §\u00a01 mit 0,900, den zweithöchsten A · §\u00a02 mit 0,800. Der Abstand ist 0,100."
    )
    drawn = spread.decision_figure(spread_of(trace), trace, DE, "#000")
    assert drawn["layout"]["annotations"][0]["text"] == "Abstand 0,100"
    assert [shape["x0"] for shape in drawn["layout"]["shapes"]] == [0.8, 0.9]


def test_a_hit_without_decision_score_says_whether_its_search_failed_or_did_not_find_it() -> None:
    chunks = [chunk("a1", "A"), chunk("b1", "B"), chunk("f1", "F")]
    foreign = CorpusAnswer("F", "ok", ready=(ReadyHit("f1", 0.9),), foreign=True)
    answers = [answer("A", lexical={"a1": 0.8}, failed_routes=["vector"]), answer("B", {}, {"b1": 0.4}), foreign]
    trace = decide(pool(answers, chunks), Settings())
    found = spread_of(trace)
    assert spread.decision_sentence(found, trace, DE) == (
        "Kein Treffer der Liste hat einen Urteilswert; zu zeichnen gibt es nichts. "
        "1 Treffer hat keinen Urteilswert und wird nicht gezeichnet: Ein fremder Sucher hat ihn ohne Urteilswert geliefert. "
        "1 Treffer hat keinen Urteilswert und wird nicht gezeichnet: Die Vektorsuche seines Regelwerks ist ausgefallen. "
        "1 Treffer hat keinen Urteilswert und wird nicht gezeichnet: Die Vektorsuche hat ihn nicht gefunden."
    )
    assert spread.in_words(found.formulas[0], found, DE)[1] == (
        "Ein fremder Sucher hat den fertigen Wert geliefert; seine Suchwege sind nicht bekannt."
    )


def test_a_formula_has_its_numbers_filled_in() -> None:
    one = pool([answer("A", {"a1": 0.812}, {"a1": 0.64, "a2": 0.2})], [chunk("a1", "A", "§ 1"), chunk("a2", "A", "§ 2")])
    found = spread_of(decide(one, Settings()))
    lines = [[line.replace("\u00a0", " ") for line in spread.in_words(formula, found, DE)] for formula in found.formulas]
    assert lines == [
        ["Vektorsuche 0,5 · 0,812 + Wortsuche 0,5 · 0,640 = 0,726"],
        ["Wortsuche 0,5 · 0,200 = 0,100", "Vektorsuche: nicht gefunden, kein Beitrag."],
    ]
    ranked = spread_of(decide(one, Settings.of(fusion="rrf")))
    assert spread.in_words(ranked.formulas[0], ranked, DE)[0].replace("\u00a0", " ") == (
        "(Vektorsuche 0,5 ÷ (60 + 1) + Wortsuche 0,5 ÷ (60 + 1)) ÷ 0,01639 = 1,000"
    )


def test_an_empty_list_has_a_sentence_for_each_part() -> None:
    trace = decide(pool([answer("A")], []), Settings())
    found = spread_of(trace)
    assert spread.sentence(found, trace, DE) == "Es gibt keine Kandidaten, also keine Werte."
    assert spread.decision_sentence(found, trace, DE) == "Die Liste ist leer; es gibt keine Werte."
    assert funnel.sentence(funnel_of(trace), trace, DE) == DE.t("funnel.nothing")
    assert paragraphs(misses.blocks(misses_of(trace), trace, DE)) == ["Keine Regel hat etwas von der Liste ferngehalten."]


# --- any run ----------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(pools(), any_settings(), st.sets(st.sampled_from(STAGES)), st.sampled_from([DE, EN]))
def test_every_run_can_be_drawn_and_written(one: Pool, used: Settings, left_out: set[str], words: Any) -> None:
    trace = decide(one, used, without=left_out)
    found, scores = funnel_of(trace), spread_of(trace)
    every = differences_of(one, trace)
    columns = [pair for item in every for pair in (differences.ends(item, words), differences.inside(item, trace.limit, words))]
    drawn = [
        *funnel.blocks(found, trace, words),
        *funnel.ledgers(found, trace, words),
        *misses.blocks(misses_of(trace), trace, words, everything=True),
        *misses.blocks(misses_of(trace), trace, words),
        *differences.overview(every, trace, words),
        *spread.blocks(scores, trace, words),
        *spread.formulas(scores, trace, words),
        *(block for pair in columns for block in differences.blocks(pair, trace, words, "Plätze")),
        {"said": [differences.sentence(item, trace, words) for item in every]},
        funnel.figure(funnel.frame(found, trace), words, "#000"),
        spread.figure(scores, trace, words, "#000"),
        spread.decision_figure(scores, trace, words, "#000"),
        *(differences.figure(pair, trace, words, "#000", "Titel") for pair in columns),
    ]
    assert re.findall(r"(?<!%)\{\w+\}", json.dumps(drawn, ensure_ascii=False)) == []
    head, written = spread.sheet(spread.frame(scores, trace), trace, words)
    assert csv_of(head, written, words.language).decode("utf-8-sig").count("\r\n") == len(written) + 1


def test_hostile_text_reaches_figures_as_characters_only() -> None:
    trace = decide(federation().gather(HOSTILE, Settings()), Settings())
    scores = spread_of(trace)
    drawn = [
        funnel.figure(funnel.frame(funnel_of(trace), trace), DE, "#000"),
        spread.figure(scores, trace, DE, "#000"),
        spread.decision_figure(scores, trace, DE, "#000"),
    ]
    assert any(strip.corpus_id == "seltsam" and strip.dots for strip in scores.strips)
    text = json.dumps(drawn, ensure_ascii=False)
    assert HTML not in text
    assert "<i>" not in text
    assert "<img" not in text

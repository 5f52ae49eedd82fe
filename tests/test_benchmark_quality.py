"""The quality benchmark's own arithmetic, over the sample corpora: halves, fates that sum to 1, lists, vectors that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from stock_builders import CountingEncoder, chunk

from benchmarks import quality_sets, quality_tables
from benchmarks.quality_flat import Flat
from benchmarks.quality_losses import FATES, FOUND, fates, summed
from benchmarks.quality_measure import FIGURES, compared, measured
from benchmarks.quality_sets import Taken, at_level, of_half
from benchmarks.quality_systems import DEFAULT, LONG, SHORT, Asked, Product, System, distinct, named, systems
from benchmarks.quality_tuning import KNOBS_TUNED, moved, tuned, values_of
from benchmarks.quality_vectors import Encoder, NotThere, Vectors
from retrieval.decide import STAGES
from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Gold, Need, Question, covers
from retrieval.federated import FederatedRetriever
from retrieval.model import Address, Chunk
from retrieval.settings import KNOBS, Settings

PLAIN = System("plain", "plain_words")
USUAL = System(DEFAULT, explained=True)


@pytest.fixture(scope="module")
def own(federation: FederatedRetriever) -> Taken:
    return quality_sets.own(Golds(federation.registry.federation))


@pytest.fixture(scope="module")
def stock(federation: FederatedRetriever) -> list[Chunk]:
    return [one for stock in federation.registry.state.stocks.values() for one in stock.chunks]


def question(text: str, id: str = "q", corpus: str = "abgabe", section: str = "§ 1", absatz: str = "") -> Question:
    return Question(id, text, (Need((Gold(Address(corpus, "", section, absatz)),)),))


def counting(model: str) -> Encoder:
    if model == "absent":
        raise NotThere("not installed: pip install absent")
    return CountingEncoder(model=model)


# --- questions ----------------------------------------------------------------------------------------------------------


def test_the_halves_share_no_question_and_miss_none(own: Taken) -> None:
    tune, report = (of_half(own.questions, half) for half in ("tune", "report"))
    assert {one.id for one in tune} | {one.id for one in report} == {one.id for one in own.questions}
    assert not {one.id for one in tune} & {one.id for one in report}
    assert tune
    assert report


def test_questions_that_begin_alike_stay_on_one_side() -> None:
    alike = [question("Abweichung von der Verordnung bei Fertigarzneimitteln" + str(number), str(number)) for number in range(20)]
    assert sorted(len(of_half(alike, half)) for half in ("tune", "report")) == [0, 20]


def test_two_absaetze_of_a_norm_are_one_need_where_norms_are_asked_for() -> None:
    needs = question("x", absatz="1").needs + question("x", absatz="2").needs
    asked = Question("q", "x", needs)
    assert at_level(asked, "absatz") == asked
    assert at_level(asked, "norm").needs == question("x").needs


def test_what_is_left_out_is_counted_by_reason(own: Taken, federation: FederatedRetriever) -> None:
    left = sum(own.left_out.values())
    assert own.left_out == {"repealed": 1}
    assert own.norms - left == sum(len(need.any_of) for one in own.questions for need in one.needs)
    whole = quality_sets.own(Golds(federation.registry.federation), "norm")
    assert not any(gold.address.subsection for one in whole.questions for need in one.needs for gold in need.any_of)


# --- systems ------------------------------------------------------------------------------------------------------------


def test_every_stage_is_left_out_once_under_each_fusion() -> None:
    every = distinct(systems())
    for fusion in KNOBS["fusion"].choices:
        alone = [one.without for one in every if one.way == "product" and one.settings.value("fusion") == fusion and len(one.without) == 1]
        assert sorted(alone) == sorted((stage,) for stage in STAGES)
    assert [one.name for one in every].count(DEFAULT) == 1


def test_a_system_of_the_command_line_is_settings_stages_and_routing() -> None:
    one = named("mine: rrf_k=20 fusion=rrf without=quota,anchors routing=told")
    assert one.name == "mine"
    assert one.settings.value("rrf_k") == 20
    assert one.settings.value("max_corpora_per_query") == KNOBS["max_corpora_per_query"].high
    assert (one.without, one.routing) == (("quota", "anchors"), "told")


@pytest.mark.parametrize("text", ["no colon", "x: rrf_k", "x: routing=maybe", "x: without=nothing"])
def test_a_system_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--system"):
        named(text)


def test_a_system_with_an_unknown_setting_is_refused() -> None:
    with pytest.raises(BadSetting, match="not known"):
        named("x: nonsense=1")


def test_the_same_system_twice_is_one_row() -> None:
    usual = float(Settings().value("rrf_k"))
    assert distinct([System("a"), System("b", values={"rrf_k": usual}), System("c", routing="off")]) == (
        System("a"),
        System("c", routing="off"),
    )


def test_told_the_corpora_asks_only_those_of_the_gold(federation: FederatedRetriever, own: Taken) -> None:
    one = next(each for each in own.questions if len({gold.address.corpus_id for need in each.needs for gold in need.any_of}) == 1)
    gold = {each.address.corpus_id for need in one.needs for each in need.any_of}
    selected = set(Asked(federation, one).trace(System("t", routing="told", without=STAGES), SHORT).selection.selected)
    required = {claim.target.corpus_id for claim in federation.wiring.anchors.claims(one.text)}  # type: ignore[union-attr]
    assert gold <= selected <= gold | required
    everything = Asked(federation, one).trace(System("o", routing="off"), SHORT).selection.selected
    assert set(everything) == set(federation.registry.available())


def test_the_kernel_gives_the_lists_that_the_product_decides(federation: FederatedRetriever, own: Taken) -> None:
    asked = Asked(federation, own.questions[1])
    for system in (USUAL, System("r", values={"fusion": "rrf"}, routing="off"), System("n", without=STAGES, routing="told")):
        found = asked.decided(system)
        assert asked.computed(system) == found
        assert len(found.short) <= SHORT < len(found.long) <= LONG


# --- flat lists ---------------------------------------------------------------------------------------------------------

PIECES = (
    chunk("§ 1", "Die Apotheke prüft das Rezept vor der Abgabe.", subsection="1"),
    chunk("§ 1", "Ein Rezept ohne Datum ist ungültig.", subsection="2"),
    chunk("§ 2", "Der Nachtdienst dauert bis zum Morgen.", subsection="1"),
)


def test_a_flat_list_of_words_holds_only_what_has_a_word_of_the_question() -> None:
    flat = Flat(PIECES, Vectors(open_model=counting), LONG)
    for lists in (flat.plain_words(), flat.our_words()):
        assert [one.section_id for one in lists([question("Rezept")])[0]] == ["§ 1", "§ 1"]
    assert [one.subsection for one in flat.our_words(once=True)([question("Rezept ohne Datum")])[0]] == ["2"]


def test_a_whole_norm_stands_for_the_absatz_that_is_asked_for() -> None:
    lists = Flat(PIECES, Vectors(open_model=counting), LONG).plain_words(whole_norms=True)
    assert lists([question("Rezept", absatz="2")])[0] == [PIECES[1]]


def test_a_passage_finds_itself_first_by_its_vector_and_in_chroma() -> None:
    flat = Flat(PIECES, Vectors(open_model=counting), LONG, "counting")
    asked = [question(one.passage) for one in PIECES]
    for lists in (flat.dense("counting"), flat.chroma()):
        assert [found[0] for found in lists(asked)] == list(PIECES)


def test_kept_vectors_are_not_made_again(tmp_path: Path) -> None:
    made: list[CountingEncoder] = []

    def once(model: str) -> Encoder:
        made.append(CountingEncoder(model=model))
        return made[-1]

    first = Vectors(tmp_path, once).passages("use", ["eins", "zwei"])
    again = Vectors(tmp_path, once).passages("use", ["zwei", "drei", "eins"])
    np.testing.assert_array_equal(again[[2, 0]], first)
    assert [one.seen for one in made] == [["eins", "zwei"], ["drei"]]


# --- figures and losses -------------------------------------------------------------------------------------------------


def test_the_fates_sum_to_one_and_found_is_the_recall_of_norms(federation: FederatedRetriever, own: Taken, stock: Sequence[Chunk]) -> None:
    report = measured(own, "tune", [PLAIN, USUAL], Product(federation), Flat(stock, Vectors(), LONG))
    row = report.row(DEFAULT)
    assert row is not None
    assert row.losses is not None
    assert sum(row.losses.shares.values()) == pytest.approx(1)
    assert row.losses.needs == sum(len(one.needs) for one in of_half(own.questions, "tune"))
    assert set(row.figures) == set(FIGURES)
    assert set(row.against) == set()
    plain = report.row("plain")
    assert plain is not None
    there, usual = plain.figures["R@10"].value, row.figures["R@10"].value
    assert there is not None
    assert usual is not None
    assert plain.against["R@10"].difference == pytest.approx(usual - there)
    assert not report.slow
    shown = quality_tables.text([report]) + quality_tables.markdown([report])
    assert shown.count(DEFAULT) >= 2
    assert f"{usual:.2f} (" in shown


def test_a_norm_of_a_corpus_that_is_not_asked_was_routed_away(federation: FederatedRetriever, own: Taken) -> None:
    system = System("one", values={"max_corpora_per_query": 1})
    asked = Asked(federation, own.questions[2])
    run = asked.trace(system, SHORT)
    away = next(corpus.corpus_id for corpus in run.corpora if corpus.state == "cut_by_cap")
    found = fates([Need((Gold(Address(away, "", "§ 1")),))], run, lambda without: asked.trace(system, SHORT, without))
    assert [one.code for one in found] == ["cut_by_cap"]


def test_what_another_stage_took_is_there_without_it(federation: FederatedRetriever, own: Taken) -> None:
    system = System("short", values={"verweis_score": 0.97})
    seen: set[str] = set()
    for one in own.questions:
        asked = Asked(federation, one)
        run = asked.trace(system, SHORT)
        for need, fate in zip(one.needs, fates(one.needs, run, lambda left, asked=asked: asked.trace(system, SHORT, left)), strict=True):
            seen.add(fate.code)
            if fate.code in ("quota", "references", "anchors"):
                without = asked.trace(system, SHORT, (fate.code,))
                listed = [without.chunks[entry.chunk_id] for entry in without.final]
                assert any(covers(gold.address, each) for gold in need.any_of for each in listed)
    assert {FOUND, "references"} <= seen <= set(FATES)


def test_shares_of_no_norm_are_none() -> None:
    assert summed([]).shares == {}


def test_the_defaults_are_compared_over_the_questions_that_both_measured() -> None:
    usual = {name: [1.0, None, 1.0] for name in FIGURES}
    other = {name: [0.0, 1.0, 0.5] for name in FIGURES}
    found = compared({DEFAULT: usual, "other": other})
    assert (found["other"]["R@10"].difference, found["other"]["R@10"].n) == (0.75, 2)


def test_a_model_that_is_not_there_costs_only_its_row(federation: FederatedRetriever, own: Taken, stock: Sequence[Chunk]) -> None:
    absent = System("absent", "dense", model="absent")
    report = measured(own, "report", [PLAIN, absent], Product(federation), Flat(stock, Vectors(open_model=counting), LONG), most=2)
    row = report.row("absent")
    assert row is not None
    assert (row.note, row.figures) == ("not installed: pip install absent", {})
    assert "pip install absent" in quality_tables.text([report])


# --- tuning -------------------------------------------------------------------------------------------------------------


def test_tuning_never_ends_below_what_is_in_force(federation: FederatedRetriever, own: Taken) -> None:
    found = tuned([(federation, [own])], ("weight_vector", "min_ratio"), "recall", System(DEFAULT, routing="off"), most=6)
    assert found.after >= found.before
    assert found.chosen.keys() == {"weight_vector", "weight_lexical", "min_ratio"}
    assert max(mean for curve in found.curves for _, mean in curve.means) == pytest.approx(found.after)


def test_what_one_weight_gains_the_other_gives() -> None:
    assert moved({"rrf_k": 60.0}, "weight_vector", 0.3) == {"rrf_k": 60.0, "weight_vector": 0.3, "weight_lexical": 0.7}
    for knob in (KNOBS[name] for name in KNOBS_TUNED if name != "fusion"):
        tried = values_of(knob.name, knob.default)
        assert knob.default in tried
        assert all(knob.low <= float(value) <= knob.high for value in tried)

"""What the samples demonstrate, measured with the product itself: default encoder, default settings, the register of the samples."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import pytest

from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.gather import Wiring, gather
from retrieval.model import Address, Chunk
from retrieval.settings import Settings
from retrieval.stages.quota import Qualifying
from retrieval.trace import Pool, Trace
from sample_corpora import PATH

QUESTIONS = {row["id"]: row for row in tomllib.loads((PATH / "questions.toml").read_text("utf-8"))["question"]}
CHAINS = [name for name, row in QUESTIONS.items() if row.get("chain")]
LONG_CHAINS = [name for name in CHAINS if len(QUESTIONS[name]["gold"]) >= 4]
STATUTE, CONTRACT, AGREEMENT = "hvg_a", "abgabevertrag", "abrechnungsvereinbarung"
DIRECTIVE, ORDINANCE = "verordnungsrichtlinie", "abgabestellenverordnung"
DEFAULTS = Settings()


@pytest.fixture(scope="module")
def pools(federation: FederatedRetriever) -> Mapping[str, Pool]:
    """What the corpora answered to each question, under the default settings."""
    return {name: federation.gather(row["text"]) for name, row in QUESTIONS.items()}


def without_anchors(federation: FederatedRetriever, settings: Settings = DEFAULTS) -> Pool:
    """The answer to the question about the special code, with an empty register."""
    wired = federation.wiring
    wiring = Wiring(federation.registry, wired.router, None, wired.verweise, wired.named_corpora)
    return gather(QUESTIONS["sonderkennzeichen"]["text"], settings, wiring)


def shown(trace: Trace) -> list[Chunk]:
    return [trace.chunks[entry.chunk_id] for entry in trace.named.ranking.living]


def address(gold: Mapping[str, Any]) -> Address:
    return Address(gold["corpus"], gold.get("container", ""), gold["section"], gold.get("subsection", ""))


def found(name: str, trace: Trace) -> list[bool]:
    """For each gold norm of a question, whether it stands in the final list."""
    whole = {Address(chunk.corpus_id, chunk.container_id, chunk.section_id) for chunk in shown(trace)}
    there = whole | {chunk.address for chunk in shown(trace)}
    return [address(gold) in there for gold in QUESTIONS[name]["gold"]]


def coverage(names: Sequence[str], pools: Mapping[str, Pool], settings: Settings) -> float:
    """The mean share of the chains' norms in the final lists, from 0 to 1."""
    return fmean(fmean(found(name, decide(pools[name], settings))) for name in names)


def corpus(trace: Trace, corpus_id: str) -> Qualifying:
    return next(one for one in trace.quota.corpora if one.corpus_id == corpus_id)


# --- a small body of rules beside a large one --------------------------------------------------------------------------


def test_without_quota_and_anchor_the_agreement_never_reaches_the_list(federation: FederatedRetriever) -> None:
    five = Settings.of(max_corpora_per_query=5)
    asked = without_anchors(federation, five)
    trace = decide(asked, Settings.of(max_corpora_per_query=5, min_hits_per_corpus=0))
    sizes = {one.corpus_id: one.size for one in trace.corpora}
    assert sizes[AGREEMENT] * 20 <= sizes[STATUTE]
    assert AGREEMENT in trace.selection.selected
    assert len(shown(trace)) == 10
    assert AGREEMENT not in {chunk.corpus_id for chunk in shown(trace)}
    # The question and the rule share hardly a word: the quota alone does not help either.
    with_quota = decide(asked, five)
    assert not corpus(with_quota, AGREEMENT).takes_part
    assert AGREEMENT not in {chunk.corpus_id for chunk in shown(with_quota)}


def test_with_quota_and_anchor_the_deciding_norm_arrives(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["sonderkennzeichen"], DEFAULTS)
    assert shown(trace)[0].address == Address(AGREEMENT, "", "Ziffer 4.10")
    assert trace.anchors[0].outcome == "found"


@pytest.mark.parametrize("name", ["abweichende-abgabe", "saft-nicht-lieferbar"])
def test_the_quota_alone_brings_the_norm_of_the_agreement(name: str, pools: Mapping[str, Pool]) -> None:
    trace, bare = decide(pools[name], DEFAULTS), decide(pools[name], Settings.of(min_hits_per_corpus=0))
    assert AGREEMENT in trace.selection.selected
    assert not trace.anchors
    assert AGREEMENT not in {chunk.corpus_id for chunk in shown(bare)}
    assert found(name, bare) == [True, True, True, False]
    assert found(name, trace) == [True, True, True, True]
    assert corpus(trace, AGREEMENT).reserved == 1


# --- min_ratio ---------------------------------------------------------------------------------------------------------


def test_a_corpus_with_nothing_to_say_stays_far_below_the_floor(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["teststreifen"], DEFAULTS)
    assert corpus(trace, DIRECTIVE).best == trace.quota.best
    for silent in (corpus(trace, CONTRACT), corpus(trace, ORDINANCE)):
        assert silent.corpus_id in trace.selection.selected
        assert not silent.takes_part
        assert silent.best < 0.1 * trace.quota.floor


def test_the_corpus_that_the_quota_rescues_stands_far_above_the_one_with_nothing_to_say(pools: Mapping[str, Pool]) -> None:
    rescued = decide(pools["saft-nicht-lieferbar"], DEFAULTS)
    assert corpus(rescued, AGREEMENT).best > 1.5 * rescued.quota.floor
    assert corpus(rescued, AGREEMENT).best > 10 * corpus(decide(pools["teststreifen"], DEFAULTS), CONTRACT).best


def test_without_the_floor_that_corpus_takes_a_place(pools: Mapping[str, Pool]) -> None:
    open_to_all = decide(pools["teststreifen"], Settings.of(min_ratio=0))
    assert {CONTRACT, ORDINANCE} <= {chunk.corpus_id for chunk in shown(open_to_all)}
    assert not {CONTRACT, ORDINANCE} & {chunk.corpus_id for chunk in shown(decide(pools["teststreifen"], DEFAULTS))}


# --- VERWEIS_SCORE -----------------------------------------------------------------------------------------------------


def test_a_high_score_for_references_costs_chain_coverage(pools: Mapping[str, Pool]) -> None:
    high = Settings.of(verweis_score=0.97)
    assert coverage(CHAINS, pools, high) < coverage(CHAINS, pools, DEFAULTS)
    assert coverage(LONG_CHAINS, pools, DEFAULTS) - coverage(LONG_CHAINS, pools, high) > 0.05


@pytest.mark.parametrize("name", ["abweichende-abgabe", "saft-nicht-lieferbar"])
def test_a_reference_that_ranks_high_does_not_add_but_replaces_a_member_of_the_chain(name: str, pools: Mapping[str, Pool]) -> None:
    low, high = decide(pools[name], DEFAULTS), decide(pools[name], Settings.of(verweis_score=0.97))
    assert len(shown(low)) == len(shown(high)) == 10
    assert found(name, low) == [True, True, True, True]
    assert found(name, high) == [True, True, True, False]
    assert corpus(low, AGREEMENT).takes_part
    assert not corpus(high, AGREEMENT).takes_part


def test_a_fetched_norm_with_a_high_score_takes_the_place_of_a_member_of_the_chain(pools: Mapping[str, Pool]) -> None:
    low, high = decide(pools["sonderkennzeichen"], DEFAULTS), decide(pools["sonderkennzeichen"], Settings.of(verweis_score=0.97))
    assert found("sonderkennzeichen", low) == [True, True]
    assert found("sonderkennzeichen", high) == [True, False]
    fetched = {chunk_id for verweis in high.verweise for chunk_id in verweis.chunk_ids}
    assert {chunk.chunk_id for chunk in shown(high)} - {chunk.chunk_id for chunk in shown(low)} == fetched
    assert len(fetched) == 3
    # Both runs reserve the same number of places: nothing but the fetched norms' own rank pushes § 41a out.
    assert [one.takes_part for one in low.quota.corpora] == [one.takes_part for one in high.quota.corpora]


def test_references_bring_norms_that_no_search_found(pools: Mapping[str, Pool]) -> None:
    none = Settings.of(max_verweis_normen=0)
    assert coverage(CHAINS, pools, DEFAULTS) > coverage(CHAINS, pools, none)
    assert found("rangfolge-vertrag", decide(pools["rangfolge-vertrag"], none)) == [True, False, False, False]
    assert found("rangfolge-vertrag", decide(pools["rangfolge-vertrag"], DEFAULTS)) == [True, True, True, True]


# --- named corpus first ------------------------------------------------------------------------------------------------


def test_the_directive_that_the_question_names_comes_before_the_anchored_contract(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["richtlinie-darreichungsformen"], DEFAULTS)
    before = [trace.chunks[entry.chunk_id] for entry in trace.quota.ranking.living]
    assert (before[0].corpus_id, before[0].section_id) == (CONTRACT, "§ 9")
    assert (shown(trace)[0].corpus_id, shown(trace)[0].section_id) == (DIRECTIVE, "§ 14")
    assert {chunk.chunk_id for chunk in shown(trace)} == {chunk.chunk_id for chunk in before}


# --- selection and addresses --------------------------------------------------------------------------------------------


def test_a_corpus_is_cut_and_called_in_by_an_anchor(pools: Mapping[str, Pool], federation: FederatedRetriever) -> None:
    cut = decide(without_anchors(federation), DEFAULTS)
    assert cut.selection.cut == (AGREEMENT,)
    assert found("sonderkennzeichen", cut) == [False, True]
    called_in = decide(pools["sonderkennzeichen"], DEFAULTS)
    assert called_in.selection.required == (AGREEMENT,)
    assert found("sonderkennzeichen", called_in) == [True, True]


def test_where_five_corpora_have_something_to_say_the_cap_costs_a_member_of_the_chain(
    pools: Mapping[str, Pool], federation: FederatedRetriever
) -> None:
    name, five = "teilmenge-bei-lieferausfall", Settings.of(max_corpora_per_query=5)
    capped = decide(pools[name], DEFAULTS)
    assert capped.selection.cut == (ORDINANCE,)
    assert found(name, capped) == [True, False, True, True]
    assert found(name, decide(federation.gather(QUESTIONS[name]["text"], five), five)) == [True, True, True, True]


def test_the_corpora_nearest_to_the_question_are_asked_and_not_the_first_in_stock(
    pools: Mapping[str, Pool], federation: FederatedRetriever
) -> None:
    name, in_order = "rezeptur-freigabe", Settings.of(corpus_order="stock_order")
    first = decide(federation.gather(QUESTIONS[name]["text"], in_order), in_order)
    assert first.selection.cut == (ORDINANCE,)
    assert found(name, first) == [False]
    nearest = decide(pools[name], DEFAULTS)
    assert nearest.selection.selected[0] == ORDINANCE
    assert found(name, nearest) == [True]


def test_the_annex_that_the_question_names_decides_which_section_10(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["entgelt-anlage-11"], DEFAULTS)
    looked_up = [chunk for chunk, entry in zip(shown(trace), trace.named.ranking.living, strict=True) if "section_lookup" in entry.kinds]
    assert {(chunk.container_id, chunk.section_id) for chunk in looked_up} == {("Anlage 11", "§ 10")}


def test_a_repealed_section_that_is_asked_for_by_number_is_shown_as_repealed(pools: Mapping[str, Pool]) -> None:
    first = shown(decide(pools["aufgehobene-norm"], DEFAULTS))[0]
    assert (first.section_id, first.repealed) == ("§ 52", True)


def test_the_cell_of_a_table_is_found(pools: Mapping[str, Pool]) -> None:
    chunk = next(chunk for chunk in shown(decide(pools["eigenanteil-p2"], DEFAULTS)) if chunk.section_id == "Anlage 1")
    assert "3,90 Taler" in chunk.text


def test_most_gold_norms_stand_in_the_final_lists(pools: Mapping[str, Pool]) -> None:
    assert coverage(list(QUESTIONS), pools, DEFAULTS) > 0.85

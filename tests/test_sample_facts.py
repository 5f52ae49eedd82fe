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


@pytest.fixture(scope="module")
def without_anchors(federation: FederatedRetriever) -> Pool:
    """The answer to the question about the special code, with an empty register."""
    wired = federation.wiring
    wiring = Wiring(federation.registry, wired.router, None, wired.verweise, wired.named_corpora)
    return gather(QUESTIONS["sonderkennzeichen"]["text"], DEFAULTS, wiring)


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


def test_without_quota_and_anchor_the_agreement_never_reaches_the_list(without_anchors: Pool) -> None:
    trace = decide(without_anchors, Settings.of(min_hits_per_corpus=0))
    sizes = {one.corpus_id: one.size for one in trace.corpora}
    assert sizes[AGREEMENT] * 20 <= sizes[STATUTE]
    assert AGREEMENT in trace.selection.selected
    assert len(shown(trace)) == 10
    assert AGREEMENT not in {chunk.corpus_id for chunk in shown(trace)}


def test_with_quota_and_anchor_the_deciding_norm_arrives(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["sonderkennzeichen"], DEFAULTS)
    assert shown(trace)[0].address == Address(AGREEMENT, "", "Ziffer 4.10")
    assert trace.anchors[0].outcome == "found"


# --- min_ratio ---------------------------------------------------------------------------------------------------------


def test_a_corpus_with_nothing_to_say_stays_far_below_the_floor(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["schlafmittel"], DEFAULTS)
    silent = corpus(trace, AGREEMENT)
    assert AGREEMENT in trace.selection.selected
    assert not silent.takes_part
    assert silent.best < 0.5 * trace.quota.floor
    assert corpus(trace, DIRECTIVE).best == trace.quota.best > 10 * silent.best


def test_without_the_floor_that_corpus_takes_a_place(pools: Mapping[str, Pool]) -> None:
    open_to_all = decide(pools["schlafmittel"], Settings.of(min_ratio=0))
    assert AGREEMENT in {chunk.corpus_id for chunk in shown(open_to_all)}
    assert AGREEMENT not in {chunk.corpus_id for chunk in shown(decide(pools["schlafmittel"], DEFAULTS))}


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


def test_references_bring_norms_that_no_search_found(pools: Mapping[str, Pool]) -> None:
    none = Settings.of(max_verweis_normen=0)
    assert coverage(CHAINS, pools, DEFAULTS) > coverage(CHAINS, pools, none)
    assert found("rangfolge-vertrag", decide(pools["rangfolge-vertrag"], none)) == [True, False, False, True]
    assert found("rangfolge-vertrag", decide(pools["rangfolge-vertrag"], DEFAULTS)) == [True, True, True, True]


# --- named corpus first ------------------------------------------------------------------------------------------------


def test_the_directive_that_the_question_names_comes_before_the_anchored_contract(pools: Mapping[str, Pool]) -> None:
    trace = decide(pools["richtlinie-darreichungsformen"], DEFAULTS)
    before = [trace.chunks[entry.chunk_id] for entry in trace.quota.ranking.living]
    assert (before[0].corpus_id, before[0].section_id) == (CONTRACT, "§ 9")
    assert (shown(trace)[0].corpus_id, shown(trace)[0].section_id) == (DIRECTIVE, "§ 14")
    assert {chunk.chunk_id for chunk in shown(trace)} == {chunk.chunk_id for chunk in before}


# --- selection and addresses --------------------------------------------------------------------------------------------


def test_the_fifth_corpus_is_cut_and_called_in_by_an_anchor(pools: Mapping[str, Pool]) -> None:
    assert decide(pools["rezeptur-freigabe"], DEFAULTS).selection.cut == (ORDINANCE,)
    called_in = decide(pools["vorrat"], DEFAULTS)
    assert called_in.selection.required == (ORDINANCE,)
    assert found("vorrat", called_in) == [True]


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

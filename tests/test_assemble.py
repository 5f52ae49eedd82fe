"""The federation over the sample stock: query and page are one run, nothing is asked twice, one state for a whole run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from dashboard.stock import Runs
from retrieval.assemble import StoredReferences
from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.hits import hits_of
from retrieval.legal_retriever import LegalRetriever
from retrieval.settings import Settings

QUESTION = "Womit belegt die Apotheke, dass sie ein anderes als das Nachlassarzneimittel abgegeben hat?"
MOVES = [
    {},
    {"verweis_score": 0.97},
    {"min_ratio": 0.9, "min_hits_per_corpus": 1},
    {"fusion": "rrf", "rrf_k": 10},
    {"weight_vector": 0.9, "weight_lexical": 0.1},
    {"max_verweis_normen": 0, "max_final_results": 5},
    {"max_corpora_per_query": 5},
    {"fetch_k": 10},
]


@pytest.mark.parametrize("values", MOVES, ids=str)
def test_query_gives_the_list_that_the_page_shows(federation: FederatedRetriever, values: dict[str, Any]) -> None:
    settings = Settings.of(values)
    page = decide(Runs(federation).pool(QUESTION, settings), settings)
    wired = federation.wiring
    production = FederatedRetriever(
        wired.registry,
        router=wired.router,
        anchors=wired.anchors,
        verweise=wired.verweise,
        named_corpora=wired.named_corpora,
        **values,
    )
    assert production.query(QUESTION) == hits_of(page) != []


class Counted:
    """Counts what a retriever is asked."""

    def __init__(self) -> None:
        self.prepared: list[str] = []
        self.asked: list[str] = []


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    count = Counted()
    prepare, candidates = LegalRetriever.prepare, LegalRetriever.candidates

    def counting_prepare(self: LegalRetriever, question: str, explicit: Any = ()) -> Any:
        count.prepared.append(question)
        return prepare(self, question, explicit)

    def counting_candidates(self: LegalRetriever, *args: Any) -> Any:
        count.asked.append(self.corpus_id)
        return candidates(self, *args)

    monkeypatch.setattr(LegalRetriever, "prepare", counting_prepare)
    monkeypatch.setattr(LegalRetriever, "candidates", counting_candidates)
    return count


def test_a_moved_slider_asks_nobody(federation: FederatedRetriever, counted: Counted) -> None:
    runs = Runs(federation)
    for step in range(10):
        settings = Settings.of(weight_vector=step / 10, verweis_score=step / 10, min_ratio=step / 10)
        decide(runs.pool(QUESTION, settings), settings)
    assert counted.prepared == [QUESTION]
    assert len(counted.asked) == len(set(counted.asked)) == 4


def test_one_corpus_more_asks_only_that_one(federation: FederatedRetriever, counted: Counted) -> None:
    runs = Runs(federation)
    runs.pool(QUESTION, Settings())
    before = list(counted.asked)
    more = runs.pool(QUESTION, Settings.of(max_corpora_per_query=5))
    assert len(counted.asked) == len(before) + 1
    assert more == federation.gather(QUESTION, Settings.of(max_corpora_per_query=5))


def test_a_stock_that_changes_in_the_middle_of_a_run_does_not_mix_two_versions(
    federation: FederatedRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = federation.registry
    expected = federation.trace(QUESTION)
    state, candidates = registry.state, LegalRetriever.candidates

    class Empty:
        """The next version of the stock: nothing in it."""

        manifest, stocks, blocked, federation = state.manifest, {}, {}, None

        def available(self) -> tuple[str, ...]:
            return ()

    def changing(self: LegalRetriever, *args: Any) -> Any:
        registry._state = Empty()
        return candidates(self, *args)

    monkeypatch.setattr(LegalRetriever, "candidates", changing)
    try:
        trace = federation.trace(QUESTION)
    finally:
        registry._state = state
    # The names are those of the new version, which knows none; everything else is the version in which the run began.
    assert trace.completed == expected.completed
    assert trace.stamps == expected.stamps


def test_an_earlier_pool_of_another_version_of_the_stock_is_not_used(federation: FederatedRetriever, counted: Counted) -> None:
    earlier = federation.gather(QUESTION)
    other = msgspec.structs.replace(earlier, stamps=msgspec.structs.replace(earlier.stamps, index="an older version"))
    asked = len(counted.asked)
    assert federation.gather(QUESTION, known=earlier) == earlier
    assert len(counted.asked) == asked
    assert federation.gather(QUESTION, known=other) == earlier
    assert len(counted.asked) == 2 * asked


def test_the_absaetze_of_a_section_that_the_question_names_stand_in_the_order_of_the_text(federation: FederatedRetriever) -> None:
    trace = federation.trace("Was regelt § 14 des Abgabevertrages?")
    named = [trace.chunks[entry.chunk_id] for entry in trace.final if entry.rank_by == "section_lookup"]
    assert [chunk.subsection for chunk in named] == ["1", "2", "3", "4"]
    assert {chunk.section_id for chunk in named} == {"§ 14"}


def test_one_section_may_be_named_without_a_list(federation: FederatedRetriever) -> None:
    first = federation.query("Rangfolge", explicit_sections="§ 14 Abgabevertrag", max_final_results=1)[0]
    assert (first["corpus_id"], first["metadata"]["section_id"]) == ("abgabevertrag", "§ 14")


def test_the_references_are_a_provider_for_hits_of_any_federation(federation: FederatedRetriever) -> None:
    hits = federation.query(QUESTION)
    provider = StoredReferences(federation.registry)
    found = provider(hits[:2], federation.registry.available())
    assert found
    assert len({(one.corpus_id, one.container_id, one.section_id, one.subsection) for one in found}) == len(found)
    assert provider(hits, []) == []
    assert provider([{"text": "ein Treffer ohne Kennung", "score": 1.0}], federation.registry.available()) == []


def test_one_corpus_alone_answers_like_any_retriever(federation: FederatedRetriever) -> None:
    contract: LegalRetriever = federation.registry.retriever("abgabevertrag")
    hits = contract.query(QUESTION, top_k=3)
    assert len(hits) == 3
    assert {hit["corpus_id"] for hit in hits} == {"abgabevertrag"}
    annex = contract.query(QUESTION, top_k=5, where={"container_id": "Anlage 11"})
    assert {hit["metadata"]["container_id"] for hit in annex} == {"Anlage 11"}
    assert [hit["score"] for hit in hits] == [hit["decision_score"] for hit in hits]


def test_the_container_decides_which_section_ten(federation: FederatedRetriever) -> None:
    contract: LegalRetriever = federation.registry.retriever("abgabevertrag")
    main, annex = contract.get_units("§ 10"), contract.get_units("§ 10", container="Anlage 11")
    assert {hit["metadata"]["container_id"] for hit in main} == {"Vertrag"}
    assert {hit["metadata"]["container_id"] for hit in annex} == {"Anlage 11"}
    assert {hit["score"] for hit in main} == {1.0}
    assert len(contract.get_units("§ 10", max_chunks=1)) == 1
    assert contract.get_units("§ 100") == []


def test_a_negative_is_refused_where_a_passage_is_near_and_granted_where_none_is(federation: FederatedRetriever) -> None:
    statute: LegalRetriever = federation.registry.retriever("hvg_a")
    assert statute.verify_negative_result("Wie viel Krankengeld bekomme ich und wie lange?")["safe"] is False
    assert statute.verify_negative_result("How do I bake an apple pie?")["safe"] is True
    assert statute.verify_negative_result("Was regelt § 41a HVG-A?")["reason"] == "section_named"

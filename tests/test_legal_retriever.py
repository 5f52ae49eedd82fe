"""One corpus: what lies far back in a long text is found, equal scores stay equal, and "nothing here" is said with reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from retrieval.build import ingest
from retrieval.decide import decide
from retrieval.errors import FundstelleError
from retrieval.federated import FederatedRetriever
from retrieval.legal_retriever import LegalRetriever
from retrieval.model import Chunk
from retrieval.registry import CorpusRegistry
from retrieval.settings import Settings
from tests.in_memory import federated
from tests.stock_builders import CountingEncoder, chunk, spec


def test_a_word_behind_the_end_of_what_the_model_reads_is_found_all_the_same(tmp_path: Path) -> None:
    words = [f"wort{number}" for number in range(900)]
    words[700] = "Sonderkennzeichen"
    rules = [chunk("§ 1", " ".join(words)), chunk("§ 2", "Etwas anderes.")]
    encoder = CountingEncoder(limit=512)
    report = ingest(tmp_path, spec(), rules, encoder=encoder)
    assert report.truncated == (rules[0].chunk_id,)
    hits = CorpusRegistry(tmp_path, encoder).retriever("abgabe").query("Sonderkennzeichen")
    assert hits[0]["metadata"]["chunk_id"] == rules[0].chunk_id
    assert "lexical" in hits[0]["retrieval_kinds"]


def test_equal_raw_scores_stay_equal_on_the_scale_and_no_hit_is_lost() -> None:
    federation = federated({"abgabe": [chunk(f"§ {number}", "Die Rechnung ist fällig.") for number in (1, 2, 3)]})
    retriever = federation.registry.retriever("abgabe")
    (_, lexical) = retriever.candidates(retriever.prepare("Wann ist die Rechnung fällig?"), 60).routes
    assert len({hit.score for hit in lexical.hits}) == len({hit.scaled for hit in lexical.hits}) == 1
    assert all(hit.scaled is not None and 0 <= hit.scaled <= 1 for hit in lexical.hits)
    settings = Settings.of(weight_vector=0.7, weight_lexical=0.3)
    final = decide(federation.gather("Wann ist die Rechnung fällig?", settings), settings).final
    assert len(final) == 3
    assert len({entry.rank for entry in final}) == 1


# --- is nothing there? --------------------------------------------------------------------------------------------------


@pytest.fixture
def statute(federation: FederatedRetriever) -> LegalRetriever:
    found: LegalRetriever = federation.registry.retriever("hvg_a")
    return found


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Was regelt § 41a HVG-A?", "section_named"),
        ("Was ist ein Lieferausfall?", "definition_found"),
        ("Wie viel Krankengeld bekomme ich und wie lange?", "passage_near"),
    ],
)
def test_an_objection_names_its_reason_and_its_passage(statute: LegalRetriever, question: str, reason: str) -> None:
    verdict = statute.verify_negative_result(question)
    assert (verdict["safe"], verdict["reason"]) == (False, reason)
    assert statute.chunk(verdict["chunk_id"]).corpus_id == "hvg_a"


@pytest.mark.parametrize("question", ["Wie stimme ich eine Gitarre ohne Stimmgerät?", "Wie viele Monde hat der Jupiter?"])
def test_a_question_of_everyday_life_meets_no_objection(statute: LegalRetriever, question: str) -> None:
    verdict = statute.verify_negative_result(question)
    assert (verdict["safe"], verdict["reason"], verdict["chunk_id"]) == (True, "nothing_near", "")


class _Far:
    """A vector search that finds every chunk unlike the question."""

    way = "exact"

    def __init__(self, size: int) -> None:
        self.size = size

    def search(self, vector: Any, k: int, mask: Any = None) -> list[tuple[int, float]]:
        return [(row, 0.0) for row in range(self.size)][:k]


def _of_words(rules: list[Chunk]) -> LegalRetriever:
    """A corpus of which only the words speak."""
    retriever = federated({"abgabe": rules}).registry.retriever("abgabe")
    retriever.stock.index = _Far(len(rules))
    retriever.federation.encoders = {"": CountingEncoder()}
    found: LegalRetriever = retriever
    return found


def test_a_passage_with_the_weightiest_words_of_the_question_objects() -> None:
    rules = [chunk("§ 1", "Die Botendienstgebühr trägt der Kunde."), *(chunk(f"§ {n}", "Die Apotheke hat geöffnet.") for n in range(2, 9))]
    verdict = _of_words(rules).verify_negative_result("Botendienstgebühr der Apotheke")
    assert (verdict["reason"], verdict["chunk_id"]) == ("words_found", rules[0].chunk_id)
    assert 0.4 <= verdict["best_share"] < 1


def test_words_that_stand_everywhere_do_not_object() -> None:
    rules = [chunk(f"§ {number}", "Die Apotheke hat geöffnet.") for number in range(1, 9)]
    verdict = _of_words(rules).verify_negative_result("Gibt die Apotheke Luftballons aus?")
    assert verdict["safe"] is True
    assert 0 < verdict["best_share"] < 0.4


def test_where_the_vector_route_fails_nothing_is_ruled_out() -> None:
    rules = [chunk("§ 1", "Die Apotheke hat geöffnet.")]
    retriever = federated({"abgabe": rules}).registry.retriever("abgabe")
    with pytest.raises(FundstelleError, match="nothing can be ruled out"):
        retriever.verify_negative_result("Luftballons")
    answer = federated({"abgabe": rules}).verify_negative_result("Luftballons")
    assert (answer["safe"], answer["unchecked"]) == (False, ["abgabe"])
    assert "could not be checked" in answer["reason"]


def test_a_safe_negative_says_of_which_corpora_it_does_not_speak(federation: FederatedRetriever) -> None:
    answer = federation.verify_negative_result("Wie viele Monde hat der Jupiter?", ["hvg_a"])
    assert answer["safe"] is True
    assert "hvg_a" not in answer["unasked"]
    assert len(answer["unasked"]) == 4
    assert answer["unasked"][0] in answer["reason"]

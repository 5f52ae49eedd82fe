"""The router: a question goes to the bodies of rules that it names, with the words that named them."""

from __future__ import annotations

import pytest

from retrieval.model import CorpusSpec, Routing
from retrieval.names import Names
from retrieval.ports import ExplainsRouting, NamedCorpora, Router
from retrieval.router import NameRouter

SPECS = [
    CorpusSpec("sgb_v", "Fünftes Buch Sozialgesetzbuch", "statute", ("SGB V",)),
    CorpusSpec("apog", "Apothekengesetz", "statute", ("ApoG",)),
    CorpusSpec("ampreisv", "Arzneimittelpreisverordnung", "ordinance", ("AMPreisV",)),
    CorpusSpec("richtlinie", "Verordnungsrichtlinie", "directive", ("Richtlinie",)),
    CorpusSpec("vertrag", "Rahmenvertrag", "contract"),
]
IDS = [spec.corpus_id for spec in SPECS]
ROUTER = NameRouter(Names(SPECS))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was sagt die Richtlinie zum Austausch?", ["richtlinie"]),
        ("Was sagen Rahmenvertrag und SGB V?", ["sgb_v", "vertrag"]),
        ("Was regelt § 129 Abs. 2 SGB V?", ["sgb_v"]),
        ("Was regelt § 129 des Fünften Buches?", ["sgb_v"]),
        ("Was regelt § 72 des Elften Buches?", []),
        ("Was steht in § 3 der Verordnung zur Änderung der Arzneimittelpreisverordnung?", []),
        ("Darf die Apotheke austauschen?", []),
        ("Was gilt nach dem Vertrag und der Verordnung?", []),
        ("", []),
    ],
)
def test_a_question_goes_where_it_names(question: str, expected: list[str]) -> None:
    assert ROUTER(question, IDS) == expected
    assert ROUTER.named_corpora(question, IDS) == expected


def test_the_router_serves_as_the_injected_callables() -> None:
    router: Router = ROUTER
    named: NamedCorpora = ROUTER.named_corpora
    explaining: ExplainsRouting = ROUTER
    assert list(router("ApoG", IDS)) == list(named("ApoG", IDS)) == [routing.corpus_id for routing in explaining.explain("ApoG", IDS)]


def test_the_order_is_that_of_the_corpora_and_only_they_count() -> None:
    assert ROUTER("SGB V und ApoG", ["apog", "sgb_v"]) == ["apog", "sgb_v"]
    assert ROUTER("SGB V und ApoG", ["vertrag", "apog"]) == ["apog"]


def test_the_words_that_named_a_corpus_are_kept() -> None:
    assert ROUTER.explain("§ 129 des Fünften Buches, also SGB V, und das ApoG: SGB V?", IDS) == (
        Routing("sgb_v", ("Fünften Buches", "SGB V")),
        Routing("apog", ("ApoG",)),
    )

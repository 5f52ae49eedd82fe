"""What the page says in a sentence about a whole run: nothing to do with the question, references in front, places among equals."""

from __future__ import annotations

from typing import Any

from dashboard.views import faults, movement, verweise
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import federation

DE = page_words("de")


def run(question: str, **settings: Any) -> Trace:
    used = Settings.of(settings)
    return decide(federation().gather(question, used), used)


def test_a_list_of_zeros_is_said_to_have_nothing_to_do_with_the_question() -> None:
    chunks = [chunk("a1", "A", "§ 1")]
    unrelated = decide(pool([answer("A", {"a1": 0.0})], chunks), Settings())
    related = decide(pool([answer("A", {"a1": 0.3})], chunks), Settings())
    said = "Alle Ordnungswerte sind 0: Kein gefundener Text hat erkennbar mit der Frage zu tun."
    assert faults.summary(unrelated, DE) == f"1 Treffer: A (1). {said}"
    assert said not in faults.summary(related, DE)


def test_references_before_all_hits_of_the_search_are_named() -> None:
    high, low = (run("Apotheke abweichen", verweis_score=score) for score in (1, 0))
    assert any(one.fate == "fetched" for one in high.verweise)
    assert "Sie stehen vor allen Treffern der Suche." in verweise.summary(high, DE)
    assert "Sie stehen vor allen Treffern der Suche." not in verweise.summary(low, DE)


def test_a_change_of_places_among_equals_is_not_called_no_change() -> None:
    scores = {"a": {"a1": 0.9, "a2": 0.5, "a3": 0.5, "a4": 0.1}, "b": {"b1": 0.5}}
    chunks = [chunk(name, corpus, f"§ {number}") for corpus, found in scores.items() for number, name in enumerate(found)]
    answers = [answer(corpus, found) for corpus, found in scores.items()]
    trace = decide(pool(answers, chunks), Settings.of(max_final_results=4, min_hits_per_corpus=1))
    assert [entry.chunk_id for entry in trace.final] == ["a1", "b1", "a2", "a3"]
    assert movement.sentence(trace, DE) == (
        "Kein Treffer kommt hinzu, keiner fällt heraus. Unter gleichen Ordnungswerten stehen die vorn, deren Platz die Quote gesichert hat."
    )


def test_a_followed_reference_says_where_its_norm_stands_in_the_end() -> None:
    def outcome(**settings: Any) -> list[str]:
        trace = run("Apotheke abweichen", **settings)
        followed = next(one for one in trace.verweise if one.fate == "fetched")
        return verweise.outcome(followed, trace, DE)

    assert outcome(verweis_score=1) == ["nachgeladen", "Platz 1"]
    assert outcome(verweis_score=0, max_final_results=1, min_hits_per_corpus=0) == ["nachgeladen", "hinter dem letzten Platz"]

"""Neighbours: the other parts of a cut Absatz follow their hit, and the list stays as it is."""

from __future__ import annotations

import msgspec
import pytest

from retrieval.federated import FederatedRetriever
from retrieval.model import NEIGHBOR, Chunk
from retrieval.neighbors import near, parts_of
from retrieval.trace import Trace
from tests.in_memory import federated
from tests.stock_builders import chunk


def _norm(*texts: str, section: str = "§ 1", subsection: str = "1", start: int = 0) -> list[Chunk]:
    return [chunk(section, text, subsection=subsection, position=place) for place, text in enumerate(texts, start=start)]


PARTS = _norm("Anfang des Absatzes.", "Die Rechnung wird gekürzt.", "Ende des Absatzes.", "Ganz am Ende.", "Nachspann.")
OTHERS = [*_norm("Die Rechnung ist fällig.", subsection="2", start=5), *_norm("Die Rechnung wird bezahlt.", section="§ 2")]


@pytest.fixture
def cut() -> FederatedRetriever:
    return federated({"abgabe": [*PARTS, *OTHERS]})


def test_the_parts_next_to_a_hit_follow_it_in_the_order_of_the_text(cut: FederatedRetriever) -> None:
    hits = cut.query("Wann wird die Rechnung gekürzt?", include_neighbors=True)
    place = next(number for number, hit in enumerate(hits) if "gekürzt" in hit["text"])
    assert [hit["text"] for hit in hits[place + 1 : place + 4]] == ["Anfang des Absatzes.", "Ende des Absatzes.", "Ganz am Ende."]
    assert [hit["retrieval_kinds"] for hit in hits[place + 1 : place + 4]] == [[NEIGHBOR]] * 3
    assert {(hit["rank_score"], hit["score"], hit["decision_score"]) for hit in hits[place + 1 : place + 4]} == {
        (hits[place]["rank_score"], 0.0, 0.0)
    }


@pytest.mark.parametrize("limit", [1, 2, 3, None])
def test_neighbours_take_no_place_and_change_no_order(cut: FederatedRetriever, limit: int | None) -> None:
    without = cut.query("Wann wird die Rechnung gekürzt?", max_final_results=limit)
    completed = cut.query("Wann wird die Rechnung gekürzt?", max_final_results=limit, include_neighbors=True)
    assert [hit for hit in completed if hit["retrieval_kinds"] != [NEIGHBOR]] == without
    assert len(completed) > len(without)


def test_a_list_sorted_by_rank_keeps_neighbours_behind_their_hit(cut: FederatedRetriever) -> None:
    hits = cut.query("Wann wird die Rechnung gekürzt?", include_neighbors=True)
    assert sorted(hits, key=lambda hit: -hit["rank_score"]) == hits


def test_a_part_that_is_a_hit_itself_is_not_repeated() -> None:
    hits = federated({"abgabe": PARTS}, list_unit="chunk").query("Rechnung am Ende", include_neighbors=True)
    texts = [hit["text"] for hit in hits]
    assert len(texts) == len(set(texts))


def test_an_absatz_in_one_piece_has_no_neighbours(cut: FederatedRetriever) -> None:
    hits = cut.query("Ist die Rechnung fällig?", max_final_results=1, include_neighbors=True)
    assert [hit["text"] for hit in hits] == ["Die Rechnung ist fällig."]


def test_another_absatz_and_another_container_are_no_neighbours() -> None:
    here = chunk("§ 1", "Hier.", subsection="1", position=0)
    there = chunk("§ 1", "Dort.", container="Anlage 1", subsection="1", position=1)
    source = federated({"abgabe": [here, chunk("§ 1", "Danach.", subsection="2", position=1), there]}).registry.retriever("abgabe")
    assert parts_of(here, source) == (here,)


def test_parts_that_do_not_follow_one_another_are_no_neighbours() -> None:
    first, second = chunk("§ 1", "Eins.", position=0), chunk("§ 1", "Zwei.", position=4)
    source = federated({"abgabe": [first, second]}).registry.retriever("abgabe")
    assert parts_of(second, source) == (second,)


def test_a_norm_without_numbered_absaetze_is_completed_by_its_own_chunks() -> None:
    rules = [chunk("§ 1", f"Satz {number}.", position=number) for number in range(3)]
    source = federated({"abgabe": rules}).registry.retriever("abgabe")
    assert parts_of(rules[1], source) == tuple(rules)


def test_at_most_two_parts_on_either_side_go_along() -> None:
    assert near("abcdefg", "d") == ("b", "c", "e", "f")
    assert near("abcdefg", "a") == ("b", "c")
    assert near("ab", "b") == ("a",)


def test_the_record_stands_beside_the_final_list_and_survives_json(cut: FederatedRetriever) -> None:
    plain = cut.trace("Wann wird die Rechnung gekürzt?")
    completed = cut.trace("Wann wird die Rechnung gekürzt?", include_neighbors=True)
    assert completed.final == plain.final
    assert plain.neighbors == ()
    (found,) = completed.neighbors
    assert (found.chunk_id, found.parts) == (PARTS[1].chunk_id, tuple(part.chunk_id for part in PARTS))
    assert Trace.from_json(completed.to_json()) == completed
    assert msgspec.structs.replace(completed, neighbors=(), chunks=plain.chunks) == plain


def test_a_retriever_of_one_corpus_completes_its_hits_too(cut: FederatedRetriever) -> None:
    hits = cut.registry.retriever("abgabe").query("Wann wird die Rechnung gekürzt?", include_neighbors=True)
    assert [NEIGHBOR] in [hit["retrieval_kinds"] for hit in hits]

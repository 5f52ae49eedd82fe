"""Run files whose order survives evaluators that sort again, and the way back from their ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadInput
from retrieval.evaluation.formats import runs
from retrieval.evaluation.model import Gold, Question
from retrieval.evaluation.spelling import doc_id
from retrieval.model import Chunk
from tests.evaluation.question_sets import address, federation, need, one_line, question

CHUNKS = [federation(2).chunk(one) for one in ("sgb_v/-/§ 129/0", "sgb_v/-/§ 129/1", "sgb_v/-/§ 129/2", "ta1/-/Ziffer 4.10/0")]


def test_a_gold_norm_has_its_name_once_and_every_other_place_its_own() -> None:
    asked = question("a", "", need("sgb_v||§ 129"), need("ta1||Ziffer 4.10"))
    found = runs.places(asked, CHUNKS)
    assert [place.document for place in found] == [
        doc_id(address("sgb_v||§ 129")),
        "sgb_v/-/§%20129/1",
        "sgb_v/-/§%20129/2",
        doc_id(address("ta1||Ziffer 4.10")),
    ]
    assert [place.chunk_id for place in found] == [chunk.chunk_id for chunk in CHUNKS]


def test_an_absatz_is_covered_by_its_own_chunks_only() -> None:
    found = runs.places(question("a", "", need("sgb_v||§ 129|2")), CHUNKS)
    assert [place.document == doc_id(address("sgb_v||§ 129|2")) for place in found] == [False, False, True, False]


@given(
    st.lists(st.permutations(range(8)).map(lambda order: order[:5]), min_size=1, max_size=4), st.lists(one_line, min_size=4, unique=True)
)
def test_the_order_survives_an_evaluator_that_sorts_again(orders: list[list[int]], ids: list[str]) -> None:
    listed = {
        question_id: runs.places(question(question_id), [Chunk(f"c {number}", "g", section_id="§ 1") for number in order])
        for question_id, order in zip(ids, orders, strict=False)
    }
    data = runs.write(listed, "mein lauf")
    assert runs.read(data) == {key: tuple(place.document for place in found) for key, found in listed.items()}
    assert runs.read_map(runs.write_map(listed)) == listed
    by_question: dict[str, list[float]] = {}
    for row in data.decode().splitlines():
        key, zero, _, rank, score, tag = row.split()
        assert (zero, tag) == ("Q0", "mein%20lauf")
        by_question.setdefault(key, []).append(float(score))
        assert len(by_question[key]) == int(rank)
    for scores in by_question.values():
        assert all(before > after for before, after in pairwise(scores))


def test_equal_scores_are_sorted_as_evaluators_sort_them() -> None:
    assert runs.read(b"a Q0 x 1 1.0 t\na Q0 y 2 1.0 t\na Q0 z 3 2.5 t\n") == {"a": ("z", "y", "x")}


@pytest.mark.parametrize("row", [b"a Q0 x 1 1.0\n", b"a Q0 x 1 hoch t\n"])
def test_a_line_of_another_form_is_refused(row: bytes) -> None:
    with pytest.raises(BadInput, match="line 1"):
        runs.read(row)
    with pytest.raises(BadInput, match="line 2"):
        runs.read_map(b"head\n" + row)


def test_a_chunk_is_named_like_the_first_open_norm_that_it_covers() -> None:
    asked = Question("a", "x", (need(Gold(address("sgb_v||§ 129|1"))), need(Gold(address("sgb_v||§ 129")))))
    documents = [place.document for place in runs.places(asked, CHUNKS)]
    assert documents[:2] == [doc_id(address("sgb_v||§ 129|1")), doc_id(address("sgb_v||§ 129"))]

"""The constants of an encoder and the common scale of cosines and word scores."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from retrieval.background import CHANCE, completed, measured, scaled, scaled_words, stamped
from retrieval.embedding import encoder
from retrieval.ports import Fingerprint, Matrix

TOPICS = tomllib.loads((Path(__file__).parents[1] / "retrieval/data/background.toml").read_text("utf-8"))["topics"]
COSINES = st.floats(-1.0, 1.0)


class Squeezed:
    """An encoder whose vectors all share one strong direction, so that every cosine is high."""

    fingerprint = Fingerprint("squeezed", "1", 513)

    def questions(self, texts: Sequence[str]) -> Matrix:
        vectors = np.hstack([encoder().questions(texts), np.full((len(texts), 1), 2.0, dtype=np.float32)])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    passages = questions

    def truncated(self, texts: Sequence[str]) -> list[int]:
        return []


class Blind(Squeezed):
    """An encoder for which passages of the question's own topic lie no nearer than all others."""

    fingerprint = Fingerprint("blind", "1", 2)

    def questions(self, texts: Sequence[str]) -> Matrix:
        return np.tile(np.asarray([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))

    passages = questions


def cosines(model: Squeezed | None = None) -> tuple[Matrix, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """The cosines of all topics' questions and passages, and which of them belong to one topic."""
    used = model or encoder()
    found = used.questions([topic["question"] for topic in TOPICS]) @ used.passages([p for t in TOPICS for p in t["passages"]]).T
    return found, np.repeat(np.eye(len(TOPICS), dtype=bool), 2, axis=1)


# --- the constants ------------------------------------------------------------------------------------------------------


def test_the_topics_are_many_and_each_has_a_question_and_two_passages() -> None:
    assert len(TOPICS) == 24
    assert len({topic["name"] for topic in TOPICS}) == 24
    assert all(topic["question"].endswith("?") and len(topic["passages"]) == 2 for topic in TOPICS)


def test_one_pair_of_different_topics_in_a_hundred_lies_above_the_background() -> None:
    found, related = cosines()
    assert 0.005 <= (found[~related] > measured(encoder()).background).mean() <= 0.015
    assert (found[related] > measured(encoder()).background).mean() > 0.5


def test_one_pair_of_one_topic_in_twenty_lies_above_the_near_cosine_and_no_other_pair() -> None:
    found, related = cosines()
    near = measured(encoder()).near
    assert 0.02 <= (found[related] > near).mean() <= 0.08
    assert not (found[~related] > near).any()


def test_an_encoder_with_squeezed_cosines_gives_the_same_scale() -> None:
    squeezed, plain = measured(Squeezed()), measured(encoder())
    assert squeezed == pytest.approx([(4 + cosine) / 5 for cosine in plain], abs=1e-3)
    found, _ = cosines()
    for cosine in found.ravel().tolist()[:200]:
        assert scaled((4 + cosine) / 5, *squeezed) == pytest.approx(scaled(cosine, *plain), abs=5e-3)


def test_an_encoder_that_tells_no_topics_apart_keeps_a_straight_line() -> None:
    background, near = measured(Blind())
    assert background == pytest.approx(1.0)
    assert near == pytest.approx((1.0 + background) / 2.0)
    assert scaled(1.0, background, near) == 0.0


# --- fingerprints -------------------------------------------------------------------------------------------------------


def test_a_fingerprint_is_stamped_with_the_constants_of_its_encoder() -> None:
    found = stamped(encoder().fingerprint, encoder())
    assert (found.background, found.near) == measured(encoder())
    assert replace(found, background=0.0, near=None) == encoder().fingerprint


def test_a_stock_without_a_near_cosine_is_completed_by_its_own_encoder() -> None:
    old = replace(encoder().fingerprint, background=0.2, chunking="absatz-1")
    found = completed(old, encoder())
    assert (found.background, found.near) == measured(encoder())
    assert found.chunking == "absatz-1"


def test_a_stock_is_not_completed_by_another_encoder_or_by_none() -> None:
    old = replace(encoder().fingerprint, background=0.2, revision="0.0.0")
    assert completed(old, encoder()) is old
    assert completed(old, "There is no encoder.") is old
    assert completed(old, None) is old


def test_a_stock_with_a_near_cosine_keeps_its_own() -> None:
    kept = replace(encoder().fingerprint, background=0.2, near=0.4)
    assert completed(kept, encoder()) is kept


# --- the scale ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cosine", "background", "expected"),
    [(1.0, 0.2, 1.0), (0.2, 0.2, 0.0), (0.6, 0.2, 0.5), (-0.3, 0.2, 0.0), (1.0000001, 0.2, 1.0), (0.5, 0.0, 0.5), (0.9, 1.0, 0.0)],
)
def test_without_a_near_cosine_the_scale_is_one_straight_line(cosine: float, background: float, expected: float) -> None:
    assert scaled(cosine, background) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("cosine", "expected"), [(0.2, 0.0), (0.3, 0.25), (0.4, 0.5), (0.7, 0.75), (1.0, 1.0), (-1.0, 0.0), (1.0000001, 1.0)]
)
def test_the_near_cosine_is_half_way(cosine: float, expected: float) -> None:
    assert scaled(cosine, 0.2, 0.4) == pytest.approx(expected)


@pytest.mark.parametrize("near", [-0.5, 0.2, 1.0, 1.5])
def test_a_near_cosine_that_is_none_is_left_aside(near: float) -> None:
    assert scaled(0.6, 0.2, near) == scaled(0.6, 0.2)


@given(COSINES, COSINES, COSINES, st.none() | COSINES)
def test_a_higher_cosine_never_comes_out_lower(one: float, other: float, background: float, near: float | None) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= scaled(low, background, near) <= scaled(high, background, near) <= 1.0


@pytest.mark.parametrize(("score", "expected"), [(0.0, 0.0), (1.0, 0.0), (5.5, 0.5), (10.0, 1.0), (12.0, 1.0)])
def test_a_word_score_begins_above_chance_and_ends_at_the_best_possible(score: float, expected: float) -> None:
    assert CHANCE == 0.1
    assert scaled_words(score, 10.0) == pytest.approx(expected)


def test_a_question_that_can_score_nothing_gives_nothing() -> None:
    assert scaled_words(3.0, 0.0) == 0.0


@pytest.mark.shared
@pytest.mark.parametrize("law", ["BJNR363210005.xml", "BJNR005470987.xml"])
def test_the_best_hit_of_a_law_that_has_nothing_to_say_is_near_zero(shared: Path, law: str) -> None:
    from retrieval.chunking import chunks
    from retrieval.readers import read

    use = encoder()
    passages = use.passages([chunk.passage for chunk in chunks(read(shared / "data" / "gesetze_xml" / law)) if not chunk.repealed])
    kitchen = {"Apfelkuchen", "Bienenhaltung", "Sternbeobachtung", "Klavierstimmen", "Waldbrand", "Angelschein"}
    best = (use.questions([topic["question"] for topic in TOPICS if topic["name"] in kitchen]) @ passages.T).max(axis=1)
    assert max(scaled(float(cosine), *measured(use)) for cosine in best) < 0.1

"""The background similarity and the common scale of cosines."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from retrieval.background import measured, scaled
from retrieval.embedding import encoder
from retrieval.ports import Fingerprint, Matrix

TOPICS = tomllib.loads((Path(__file__).parents[1] / "retrieval/data/background.toml").read_text("utf-8"))["topics"]


class Squeezed:
    """An encoder whose vectors all share one strong direction, so that every cosine is high."""

    fingerprint = Fingerprint("squeezed", "1", 513)

    def questions(self, texts: Sequence[str]) -> Matrix:
        vectors = np.hstack([encoder().questions(texts), np.full((len(texts), 1), 2.0, dtype=np.float32)])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    passages = questions

    def truncated(self, texts: Sequence[str]) -> list[int]:
        return []


def test_the_topics_are_many_and_each_has_a_question_and_two_passages() -> None:
    assert len(TOPICS) == 24
    assert len({topic["name"] for topic in TOPICS}) == 24
    assert all(topic["question"].endswith("?") and len(topic["passages"]) == 2 for topic in TOPICS)


def test_the_background_is_measured_on_pairs_of_different_topics() -> None:
    use = encoder()
    cosines = use.questions([topic["question"] for topic in TOPICS]) @ use.passages([p for t in TOPICS for p in t["passages"]]).T
    related = np.repeat(np.eye(24, dtype=bool), 2, axis=1)
    share_above = (cosines[~related] > measured(use)).mean()
    assert 0.005 <= share_above <= 0.015
    assert (cosines[related] > measured(use)).mean() > 0.5


def test_an_encoder_with_squeezed_cosines_has_a_high_background() -> None:
    background = measured(Squeezed())
    assert background == pytest.approx((4 + measured(encoder())) / 5, abs=1e-3)
    unrelated = float((Squeezed().questions([TOPICS[0]["question"]]) @ Squeezed().passages([TOPICS[1]["passages"][0]]).T).item())
    assert unrelated > 0.75
    assert scaled(unrelated, background) == 0.0


@pytest.mark.parametrize(
    ("cosine", "background", "expected"),
    [(1.0, 0.2, 1.0), (0.2, 0.2, 0.0), (0.6, 0.2, 0.5), (-0.3, 0.2, 0.0), (1.0000001, 0.2, 1.0), (0.5, 0.0, 0.5), (0.9, 1.0, 0.0)],
)
def test_a_cosine_is_scaled_between_the_background_and_one(cosine: float, background: float, expected: float) -> None:
    assert scaled(cosine, background) == pytest.approx(expected)


@pytest.mark.shared
@pytest.mark.parametrize("law", ["BJNR363210005.xml", "BJNR005470987.xml"])
def test_the_best_hit_of_a_law_that_has_nothing_to_say_is_near_zero(shared: Path, law: str) -> None:
    from retrieval.chunking import chunks
    from retrieval.readers import read

    use = encoder()
    background = measured(use)
    passages = use.passages([chunk.passage for chunk in chunks(read(shared / "data" / "gesetze_xml" / law)) if not chunk.repealed])
    kitchen = {"Apfelkuchen", "Bienenhaltung", "Sternbeobachtung", "Klavierstimmen", "Waldbrand", "Angelschein"}
    best = (use.questions([topic["question"] for topic in TOPICS if topic["name"] in kitchen]) @ passages.T).max(axis=1)
    assert max(scaled(float(cosine), background) for cosine in best) < 0.1

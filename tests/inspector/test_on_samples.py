"""Breakpoints and counterfactuals over every sample question, with the real model."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.inspector.counterfactuals import counterfactual
from retrieval.inspector.tracks import CONTINUOUS
from retrieval.settings import Settings
from tests.inspector.test_breakpoints import check

SAMPLES = Path(__file__).parents[2] / "sample_corpora"
TEXTS = [entry["text"] for entry in tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]]
PLACES = [str(place) for place in range(1, len(TEXTS) + 1)]


@pytest.mark.parametrize("question", TEXTS, ids=PLACES)
def test_between_two_breakpoints_of_a_sample_question_there_is_one_list(question: str, federation: FederatedRetriever) -> None:
    pool = federation.gather(question)
    for number, knob in enumerate(CONTINUOUS):
        settings = Settings.of(fusion="rrf" if knob == "rrf_k" else "weighted")
        check(pool, settings, knob, 40, 2, number)


@pytest.mark.parametrize("question", TEXTS[::3], ids=PLACES[::3])
def test_each_way_of_a_sample_question_is_what_asking_again_gives(question: str, federation: FederatedRetriever) -> None:
    settings = Settings()
    pool = federation.gather(question, settings)
    trace = decide(pool, settings)
    listed = [entry.chunk_id for entry in trace.completed.living]
    for chunk_id in (listed[0], listed[min(11, len(listed) - 1)], listed[-1]):
        found = counterfactual(pool, settings, [pool.chunks[chunk_id]], lambda other: federation.gather(question, other))
        for way in found.ways:
            changed = settings.changed(way.values)
            ids = [hit["metadata"]["chunk_id"] for hit in _with(federation, changed).query(question)]
            assert (chunk_id in ids) is found.wanted
            assert (ids.index(chunk_id) + 1 if chunk_id in ids else 0) == way.place


def _with(federation: FederatedRetriever, settings: Settings) -> FederatedRetriever:
    """The same federation under other settings, asked as a program asks it."""
    wiring = federation.wiring
    return FederatedRetriever(
        wiring.registry,
        router=wiring.router,
        anchors=wiring.anchors,
        verweise=wiring.verweise,
        named_corpora=wiring.named_corpora,
        settings=settings,
    )

"""The reranker: raw scores kept, brought to 0 to 1 once, remembered, and a failure that costs only itself."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.assemble import open_federation
from retrieval.decide import decide
from retrieval.errors import EncoderError
from retrieval.federated import FederatedRetriever
from retrieval.reranking import RememberingReranker, shown_to, with_scores
from retrieval.reranking_st import CrossEncoderReranker, threads_of
from retrieval.settings import Settings
from retrieval.stages.fusion import RERANKER, logistic
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool, with_reranker
from tests.dashboard import demo
from tests.tiny_cross_encoder import made

ON = Settings.of(reranker="on")
library_warnings = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
raws = st.lists(st.floats(-60, 60, allow_nan=False), min_size=1, max_size=12)


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder that was taught which of the passages in memory a question fits."""
    return made(tmp_path_factory.mktemp("reranker"), demo.PAIRS)


@pytest.fixture(scope="session")
def model(model_folder: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(model_folder)


class Counting:
    """A reranker that counts what it is asked: the score of a passage is its length, with the question's length as its sign."""

    fingerprint = "counting 1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        self.asked += passages
        return [len(passage) / 10 - len(question) / 10 for passage in passages]


def with_model(reranker: Any) -> FederatedRetriever:
    found = demo.federation()
    found.wiring = msgspec.structs.replace(found.wiring, reranker=reranker)
    return found


def scored(found: Pool | Trace) -> dict[str, tuple[float | None, float | None]]:
    """Raw and scaled score of each chunk that the reranker has scored."""
    if isinstance(found, Trace):
        parts = [(entry.chunk_id, part) for entry in found.fused.entries for part in entry.parts if part.route == RERANKER]
        return {one: (part.raw, part.scaled) for one, part in parts}
    routes = [route for one in found.answers.values() for route in one.routes if route.route == RERANKER]
    return {hit.chunk_id: (hit.score, hit.scaled) for route in routes for hit in route.hits}


# --- the scale --------------------------------------------------------------------------------------------------------


def test_raw_values_are_brought_to_the_scale_by_the_logistic_function() -> None:
    assert [round(logistic(raw), 3) for raw in (-8.3, 0.4, 8.15)] == [0.0, 0.599, 1.0]
    assert sum(logistic(raw) >= 0.5 for raw in (-8.3, 0.4, 8.15)) == 2
    assert (logistic(-2_000.0), logistic(2_000.0)) == (0.0, 1.0)


@given(raws)
def test_the_order_is_the_same_with_and_without_the_scale(values: list[float]) -> None:
    raw = {f"a/{number}": value for number, value in enumerate(values)}
    found = pool([answer("a", dict.fromkeys(raw, 0.5))], [chunk(one, "a", f"§ {one}") for one in raw])
    trace = decide(with_reranker(found, raw), ON.changed({"weight_vector": 0, "weight_lexical": 0}), None)
    places = {entry.chunk_id: part.place for entry in trace.fused.entries for part in entry.parts if part.route == RERANKER}
    assert sorted(raw, key=lambda one: places[one]) == sorted(raw, key=lambda one: (-raw[one], one))
    # In the list, scores that are the same number to twelve digits are equal.
    final = [round(logistic(raw[entry.chunk_id]), 12) for entry in trace.final]
    assert final == sorted(final, reverse=True)


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(EncoderError, match="no number"):
        with_scores({"a": answer("a", {"a/1": 0.5})}, {"a/1": float("nan")})


# --- the third route ----------------------------------------------------------------------------------------------------


def three() -> Pool:
    vector, lexical = {"a/1": 0.9, "a/2": 0.6, "a/3": 0.3}, {"a/1": 0.8, "a/2": 0.2}
    return pool([answer("a", vector, lexical)], [chunk(one, "a", f"§ {one}") for one in vector])


def test_each_weight_counts_with_its_share_and_what_was_not_shown_gets_nothing() -> None:
    trace = decide(with_reranker(three(), {"a/1": -8.3, "a/2": 8.15}), ON)
    assert trace.shares == pytest.approx({"vector": 1 / 3, "lexical": 1 / 3, RERANKER: 1 / 3})
    ranks = {entry.chunk_id: entry.rank for entry in trace.fused.living}
    assert ranks["a/2"] == pytest.approx((0.6 + 0.2 + logistic(8.15)) / 3)
    assert ranks["a/1"] == pytest.approx((0.9 + 0.8 + logistic(-8.3)) / 3)
    assert ranks["a/3"] == pytest.approx(0.3 / 3)
    assert [entry.chunk_id for entry in trace.final] == ["a/2", "a/1", "a/3"]
    assert {entry.chunk_id: entry.cosine for entry in trace.final} == {"a/1": 0.9, "a/2": 0.6, "a/3": 0.3}


def test_rank_fusion_counts_the_place_and_not_the_score() -> None:
    trace = decide(with_reranker(three(), {"a/1": -8.3, "a/2": 8.15}), ON.changed({"fusion": "rrf", "rrf_k": 60}))
    ranks = {entry.chunk_id: entry.rank for entry in trace.fused.living}
    assert ranks["a/2"] == pytest.approx(61 / 3 * (1 / 62 + 1 / 62 + 1 / 61))
    assert ranks["a/1"] == pytest.approx(61 / 3 * (1 / 61 + 1 / 61 + 1 / 62))


def test_alone_it_orders_what_it_was_shown_and_the_kinds_still_say_how_a_hit_was_found() -> None:
    trace = decide(with_reranker(three(), {"a/1": -1.0, "a/2": 2.0}), ON.changed({"weight_vector": 0, "weight_lexical": 0}))
    assert [(entry.chunk_id, entry.kinds) for entry in trace.final] == [("a/2", ("semantic", "lexical")), ("a/1", ("semantic", "lexical"))]
    assert {entry.chunk_id: entry.fate.code for entry in trace.fused.dropped} == {"a/3": "no_contribution"}


def test_switched_off_the_run_is_the_one_without_it() -> None:
    plain = decide(three(), Settings())
    assert decide(with_reranker(three(), {"a/1": -8.3, "a/2": 8.15}), Settings()).fused == plain.fused
    assert plain.shares == {"vector": 0.5, "lexical": 0.5}
    assert Settings.from_toml('[settings]\nreranker = "off"\nweight_vector = 0.5\n') == Settings()


def test_both_searches_hand_over_their_first_hits_over_all_corpora_whatever_the_weights() -> None:
    answers = [answer("a", {"a/1": 0.9, "a/2": 0.1}, {"a/2": 0.9}), answer("b", {"b/1": 0.5}, {"b/1": 0.2, "a/9": 0.95})]
    assert shown_to(answers, 1) == ("a/1", "a/9")
    assert shown_to(answers, 2) == ("a/1", "b/1", "a/9", "a/2")


# --- gathering ----------------------------------------------------------------------------------------------------------


def test_a_deeper_search_computes_only_what_is_new() -> None:
    counting = Counting()
    found = with_model(RememberingReranker(lambda: counting))
    small = found.gather(demo.QUESTION, ON.changed({"rerank_depth": 3}))
    first = len(counting.asked)
    assert first == len(scored(small)) <= 6
    large = found.gather(demo.QUESTION, ON.changed({"rerank_depth": 20}), known=small)
    assert len(counting.asked) == len(set(counting.asked)) == len({large.chunks[one].passage for one in scored(large)}) > first
    again = found.gather(demo.QUESTION, ON.changed({"rerank_depth": 20}))
    assert (len(counting.asked), scored(again)) == (len(set(counting.asked)), scored(large))
    assert large.stamps.reranker == "counting 1"


def test_what_was_scored_for_an_earlier_pool_is_gone_from_one_without_reranker() -> None:
    found = with_model(RememberingReranker(Counting))
    plain = found.gather(demo.QUESTION, Settings(), known=found.gather(demo.QUESTION, ON))
    assert (scored(plain), plain.stamps.reranker) == ({}, "")
    assert decide(plain, Settings()).fused == decide(demo.federation().gather(demo.QUESTION, Settings()), Settings()).fused


def test_the_memory_keeps_the_latest_scores_and_no_more() -> None:
    counting = Counting()
    remembering = RememberingReranker(lambda: counting, most=2)
    assert remembering.scores("q", ["aa", "b", "aa"]) == [0.1, 0.0, 0.1]
    remembering.scores("q", ["ccc"])
    remembering.scores("q", ["b", "ccc"])
    assert counting.asked == ["aa", "b", "ccc"]
    remembering.scores("andere Frage", ["b"])
    remembering.scores("q", ["aa"])
    assert counting.asked == ["aa", "b", "ccc", "b", "aa"]


@pytest.mark.parametrize("reranker", [None, RememberingReranker.named("/kein/ordner")])
def test_a_reranker_that_is_missing_costs_only_itself(reranker: Any) -> None:
    trace = decide(with_model(reranker).gather(demo.QUESTION, ON), ON)
    (fault,) = trace.faults
    assert (fault.part, fault.error_class, trace.partial, trace.route_failure) == ("reranker", "EncoderError", True, "")
    assert ("--reranker" if reranker is None else "/kein/ordner") in fault.message
    plain = decide(demo.federation().gather(demo.QUESTION, Settings()), Settings())
    assert (trace.fused, trace.shares) == (plain.fused, plain.shares)
    assert [entry.chunk_id for entry in trace.final] == [entry.chunk_id for entry in plain.final]


# --- the model ----------------------------------------------------------------------------------------------------------


@library_warnings
def test_the_score_is_the_output_of_the_model_without_its_activation(model: CrossEncoderReranker, model_folder: Path) -> None:
    from sentence_transformers import CrossEncoder

    passages = [one.passage for one in demo.CHUNKS["vertrag"]]
    raw = model.scores(demo.QUESTION, passages)
    usual = CrossEncoder(str(model_folder), local_files_only=True).predict([(demo.QUESTION, one) for one in passages])
    assert [logistic(one) for one in raw] == pytest.approx([float(one) for one in usual], abs=1e-6)
    assert any(not 0 <= one <= 1 for one in raw)


@library_warnings
def test_a_text_has_one_score_alone_among_others_and_in_any_order(model: CrossEncoderReranker) -> None:
    passages = [one.passage for chunks in demo.CHUNKS.values() for one in chunks]
    together = model.scores(demo.QUESTION, passages)
    assert model.scores(demo.QUESTION, passages[::-1]) == together[::-1]
    assert [model.scores(demo.QUESTION, [one])[0] for one in passages[:5]] == together[:5]
    assert model.scores(demo.QUESTION, []) == []


@library_warnings
def test_the_real_model_scores_what_the_searches_found_and_prefers_shared_words(model_folder: Path, model: CrossEncoderReranker) -> None:
    found = with_model(RememberingReranker.named(str(model_folder)))
    gathered = found.gather(demo.QUESTION, ON)
    expected = {one: model.scores(demo.QUESTION, [gathered.chunks[one].passage])[0] for one in scored(gathered)}
    assert scored(gathered) == {one: (raw, logistic(raw)) for one, raw in expected.items()}
    trace = decide(gathered, ON)
    assert scored(trace) == scored(gathered)
    assert Trace.from_json(trace.to_json()) == trace
    assert trace.stamps.reranker == model.fingerprint
    lager, vorstand = (demo.THEMES[number] for number in (3, 4))
    first, second = model.scores("Wo sind Arzneimittel zu lagern?", [lager, vorstand])
    assert first > second


@library_warnings
def test_the_federation_takes_the_folder_by_name_and_loads_it_when_it_is_asked_for(sample_index: Path, model_folder: Path) -> None:
    found = open_federation(sample_index, reranker=str(model_folder))
    question = "Wann darf die Apotheke abweichen?"
    assert found.gather(question).stamps.reranker == ""
    trace = decide(found.gather(question, ON), ON)
    assert trace.stamps.reranker.startswith("cross-encoder ")
    assert not trace.partial
    assert RERANKER in trace.shares


# --- refusals -----------------------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(EncoderError, match=r"'/kein/ordner' is not on this machine"):
        CrossEncoderReranker.named("/kein/ordner")


def copied(folder: Path, target: Path, name: str, **changes: object) -> Path:
    """A copy of a model folder with one JSON file changed."""
    shutil.copytree(folder, target)
    file = target / name
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changes}), "utf-8")
    return target


def test_what_is_no_cross_encoder_with_one_label_is_refused_with_what_it_is(model_folder: Path, tmp_path: Path) -> None:
    sentence = copied(model_folder, tmp_path / "a", "config_sentence_transformers.json", model_type="SentenceTransformer")
    several = copied(model_folder, tmp_path / "b", "config.json", id2label={"0": "nein", "1": "ja"}, label2id={"nein": 0, "ja": 1})
    plain = copied(model_folder.with_name("plain"), tmp_path / "c", "config.json", architectures=["BertModel"])
    (tmp_path / "leer").mkdir()
    for folder, said in (
        (sentence, "SentenceTransformer"),
        (several, "2 labels"),
        (plain, "BertModel"),
        (tmp_path / "leer", "config.json"),
    ):
        with pytest.raises(EncoderError, match=re.escape(said)):
            CrossEncoderReranker(folder)


@library_warnings
def test_a_model_whose_weights_are_broken_is_refused_with_the_reason(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kaputt"
    shutil.copytree(model_folder, folder)
    (folder / "model.safetensors").write_bytes(b"nichts")
    with pytest.raises(EncoderError, match="kaputt: the model does not load"):
        CrossEncoderReranker(folder)


def test_two_folders_with_other_weights_have_other_fingerprints(model_folder: Path, model: CrossEncoderReranker, tmp_path: Path) -> None:
    other = copied(model_folder, tmp_path / "cross-encoder", "config.json", note="anders")
    assert CrossEncoderReranker(other).fingerprint != model.fingerprint


def test_the_threads_of_the_model_are_bounded() -> None:
    assert (threads_of("", 64), threads_of("", 2), threads_of(" 3 ", 64)) == (4, 2, 3)
    assert 1 <= threads_of("") <= (os.cpu_count() or 1)
    for wrong in ("0", "-1", "viele", "²"):
        with pytest.raises(EncoderError, match="FUNDSTELLE_THREADS"):
            threads_of(wrong)

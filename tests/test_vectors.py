"""Recorded inputs and right outputs. A quarter of them lies beside this file; the rest is read where ``../shared/vectors`` is there."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from retrieval.federated import FederatedRetriever
from retrieval.stages.fusion import METHODS, Fused, payloads, route_of
from retrieval.stages.merging import merge_hits
from retrieval.stages.quota import quota_hits
from retrieval.trace import Trace

Case = Mapping[str, Any]
HERE = Path(__file__).parent / "vectors"
NAMES = ("dedup", "quota", "route_fusion", "federated_query")


def cases(folder: Path, name: str) -> list[Case]:
    found: list[Case] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return found


def in_short(hits: list[Any]) -> list[dict[str, Any]]:
    return [{"id": hit["id"], "rank": hit["rank_score"], "retrieval_kinds": hit["retrieval_kinds"]} for hit in hits]


def check_dedup(case: Case) -> None:
    assert in_short(merge_hits(case["hits"])) == case["expected"]


def check_quota(case: Case) -> None:
    hits = quota_hits(case["hits"], case["limit"], case["min_per_corpus"], case["min_ratio"])
    assert [hit["id"] for hit in hits] == case["expected"]


def as_recorded(hit: Fused, *, with_scores: bool) -> dict[str, Any]:
    shown = {
        "doc_id": hit.doc_id,
        "fused_score": pytest.approx(hit.fused_score, abs=1e-9),
        "best_vector_score": hit.best_vector_score,
        "routes": hit.routes,
    }
    return {**shown, "route_scores": hit.route_scores} if with_scores else shown


def check_route_fusion(case: Case) -> None:
    for method, weight in (("weighted", None), ("rrf", 1.0)):
        with_scores = method == "weighted"
        fusion = METHODS[method]([route_of(route, weight) for route in case["routes"]], case["k"])
        fields = list(as_recorded(fusion.hits[0], with_scores=with_scores)) if fusion.hits else []
        expected = [{field: hit[field] for field in fields} for hit in case[method]["hits"]]
        assert [as_recorded(hit, with_scores=with_scores) for hit in fusion.hits] == expected
        assert (fusion.degraded, fusion.reason) == (case[method]["degraded"], case[method]["reason"])
        assert payloads(fusion, case["routes"]) == case[f"{method}_payloads"]


class RecordedRetriever:
    """Answers what was recorded for one corpus."""

    def __init__(self, corpus: Case) -> None:
        self.corpus = corpus

    def query(self, question: str, top_k: int | None = None, max_final_results: int | None = None) -> Any:
        if self.corpus["fails"]:
            raise RuntimeError(f"recorded failure at {question!r}, {top_k}, {max_final_results}")
        return self.corpus["hits"]

    def get_units(self, section_id: str, container: str | None = None, subsection: str | None = None, max_chunks: int | None = None) -> Any:
        if self.corpus["units_fail"]:
            raise RuntimeError(f"recorded failure at {section_id}, {subsection}")
        units = [unit for unit in self.corpus["units"] if unit["metadata"]["section_id"] == section_id]
        return [unit for unit in units if container in (None, unit["metadata"]["container_id"])][:max_chunks]


class RecordedRegistry:
    """The corpora of one recorded case."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def available(self) -> Any:
        return self.case["available"]

    def retriever(self, corpus_id: str) -> RecordedRetriever:
        return RecordedRetriever(self.case["corpora"][corpus_id])

    def spec(self, corpus_id: str) -> dict[str, Any]:
        return {"default_container_id": self.case["corpora"][corpus_id]["default_container_id"]}


def check_federated_query(case: Case) -> None:
    before = json.dumps(case)
    settings = {name: case[name] for name in ("max_corpora_per_query", "min_hits_per_corpus", "max_verweis_normen")}
    federation = FederatedRetriever(
        RecordedRegistry(case),
        router=lambda _question, _ids: case["routed"],
        anchors=lambda _question: case["anchors"],
        verweise=lambda _hits, _ids: case["references"],
        named_corpora=lambda _question, _ids: case["named"],
        **settings,
    )
    limits = {"top_k": case["top_k"], "max_final_results": case["max_final_results"]}
    assert in_short(federation.query(case["question"], **limits)) == case["expected"]["hits"]
    assert federation.explain_selection(case["question"]) == case["expected"]["selection"]
    trace = federation.trace(case["question"], **limits)
    assert Trace.from_json(trace.to_json()) == trace
    assert json.dumps(case) == before


CHECKS: dict[str, Callable[[Case], None]] = {
    "dedup": check_dedup,
    "quota": check_quota,
    "route_fusion": check_route_fusion,
    "federated_query": check_federated_query,
}


def check_all(folder: Path, name: str, caplog: pytest.LogCaptureFixture) -> int:
    caplog.set_level(logging.CRITICAL)  # the recorded failures are logged, hundreds of times
    found = cases(folder, name)
    for number, case in enumerate(found):
        try:
            CHECKS[name](case)
        except AssertionError as error:
            raise AssertionError(f"{name}.json, case {number}: {error}") from error
    return len(found)


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_cases_come_out_as_recorded(name: str, caplog: pytest.LogCaptureFixture) -> None:
    assert check_all(HERE, name, caplog) >= 40


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_all_recorded_cases_come_out_as_recorded(name: str, shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert check_all(shared / "vectors", name, caplog) >= 160


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_the_cases_here_are_a_quarter_of_the_recorded_ones(name: str, shared: Path) -> None:
    assert cases(HERE, name) == cases(shared / "vectors", name)[::4]

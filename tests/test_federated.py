"""The drop-in face: foreign retrievers, injected callables that fail, and nothing that is ever changed."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from retrieval.errors import BadSetting
from retrieval.federated import FederatedRetriever
from retrieval.model import Target

Hit = dict[str, Any]


def hit(name: str, rank: float, corpus: str, section: str = "§ 1", container: str = "") -> Hit:
    metadata = {"section_id": section, "container_id": container, "text_hash": name}
    return {"id": name, "text": name, "corpus_id": corpus, "rank_score": rank, "retrieval_kinds": ["semantic"], "metadata": metadata}


class Retriever:
    """A retriever that is not ours: a list, and look-ups by section."""

    def __init__(self, hits: Sequence[Hit], units: Sequence[Hit] = ()) -> None:
        self.hits, self.units, self.asked = list(hits), list(units), []

    def query(self, question: str, top_k: int = 5, where: Any = None) -> list[Hit]:
        self.asked.append({"question": question, "top_k": top_k, "where": where})
        return self.hits

    def get_units(self, section_id: str, container: str | None = None, max_chunks: int | None = None) -> list[Hit]:
        found = [unit for unit in self.units if unit["metadata"]["section_id"] == section_id]
        return [unit for unit in found if container in (None, unit["metadata"]["container_id"])][:max_chunks]


class Registry:
    def __init__(self, default_container: str = "", **retrievers: Any) -> None:
        self.retrievers, self.default_container = retrievers, default_container

    def available(self) -> list[str]:
        return list(self.retrievers)

    def retriever(self, corpus_id: str) -> Any:
        return self.retrievers[corpus_id]

    def spec(self, corpus_id: str) -> dict[str, str]:
        return {"title": corpus_id, "default_container_id": self.default_container}


def names(hits: Sequence[Hit]) -> list[str]:
    return [one["id"] for one in hits]


def test_the_question_may_come_by_keyword() -> None:
    federation = FederatedRetriever(Registry(a=Retriever([hit("x", 0.5, "a")])))
    assert names(federation.query(question="Frage")) == names(federation.query("Frage")) == ["x"]


def test_only_declared_keywords_are_passed_on() -> None:
    retriever = Retriever([hit("x", 0.5, "a")])
    FederatedRetriever(Registry(a=retriever)).query("Frage", top_k=7, include_neighbors=True, where={"kind": "x"})
    assert retriever.asked == [{"question": "Frage", "top_k": 7, "where": {"kind": "x"}}]


def test_a_type_error_from_inside_is_a_failure_and_no_second_call() -> None:
    class Broken(Retriever):
        def query(self, question: str, **kwargs: Any) -> list[Hit]:
            self.asked.append(kwargs)
            raise TypeError("inside")

    broken = Broken([])
    trace = FederatedRetriever(Registry(a=broken, b=Retriever([hit("x", 0.5, "b")]))).trace("Frage", top_k=3)
    assert len(broken.asked) == 1
    assert [(c.corpus_id, c.status, c.error_class) for c in trace.corpora] == [("a", "failed", "TypeError"), ("b", "ok", "")]
    assert trace.partial
    assert len(trace.final) == 1


def test_a_container_filter_goes_only_to_the_corpus_it_speaks_of() -> None:
    first, second = Retriever([]), Retriever([])
    registry = Registry(a=first, b=second)
    registry.spec = lambda corpus_id: {"default_container_id": "Vertrag" if corpus_id == "a" else ""}  # type: ignore[method-assign]
    where = {"$and": [{"container_id": "Vertrag"}, {"kind": "norm"}]}
    trace = FederatedRetriever(registry).trace("Frage", where=where)
    assert first.asked[0]["where"] == where
    assert second.asked[0]["where"] == {"kind": "norm"}
    assert [c.dropped_filter for c in trace.corpora] == ["", "Vertrag"]


def test_each_injected_callable_may_fail_and_costs_only_its_part() -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("kaputt")

    federation = FederatedRetriever(
        Registry(a=Retriever([hit("x", 0.5, "a")])), router=broken, anchors=broken, verweise=broken, named_corpora=broken
    )
    trace = federation.trace("Frage")
    assert len(trace.final) == 1
    assert {(fault.part, fault.error_class) for fault in trace.faults} == {
        (part, "RuntimeError") for part in ("router", "anchors", "verweise", "named_corpora")
    }
    assert federation.select_corpora("Frage") == ["a"]
    assert federation.anchor_targets("Frage") == []


def test_what_a_retriever_hands_over_is_never_changed() -> None:
    cached = [hit("x", 0.4, "a"), hit("y", 0.9, "a")]
    other = [hit("z", 1.0, "b", "§ 7")]
    before = copy.deepcopy((cached, other))
    registry = Registry(a=Retriever(cached), b=Retriever(other, other))
    naming = FederatedRetriever(registry, named_corpora=lambda q, ids: ["a"], anchors=lambda q: [Target("b", "§ 7")])
    plain = FederatedRetriever(registry)
    assert naming.query("Frage")[0]["rank_score"] == 1.0
    assert [(one["id"], one["rank_score"]) for one in plain.query("Frage")] == [("z", 1.0), ("y", 0.9), ("x", 0.4)]
    naming.query("Frage")[0]["metadata"]["text_hash"] = "changed by a caller"
    assert (cached, other) == before


def test_a_reference_without_a_container_means_the_default_container() -> None:
    units = [hit("annex", 1.0, "a", "§ 10", "Anlage 11"), hit("main", 1.0, "a", "§ 10", "Vertrag")]
    registry = Registry("Vertrag", a=Retriever([hit("x", 0.6, "a")], units))
    federation = FederatedRetriever(registry, verweise=lambda hits, ids: [{"corpus_id": "a", "section_id": "§ 10"}])
    found = federation.query("Frage")
    assert [(one["id"], one["rank_score"], one["retrieval_kinds"]) for one in found] == [
        ("x", 0.6, ["semantic"]),
        ("main", 0.5, ["verweis"]),
    ]


def test_a_retriever_without_look_up_costs_only_its_anchor() -> None:
    class Bare:
        def query(self, question: str) -> list[Hit]:
            return [hit("x", 0.5, "a")]

    trace = FederatedRetriever(Registry(a=Bare()), anchors=lambda q: [Target("a", "§ 1")]).trace("Frage")
    assert [anchor.outcome for anchor in trace.anchors] == ["failed"]
    assert len(trace.final) == 1


@pytest.mark.parametrize(
    ("kwargs", "count"),
    [({}, 10), ({"top_k": 3}, 3), ({"top_k": 3, "max_final_results": 5}, 5), ({"max_final_results": None}, 12), ({"top_k": None}, 12)],
)
def test_the_limit_is_max_final_results_else_top_k_else_none(kwargs: dict[str, Any], count: int) -> None:
    registry = Registry(a=Retriever([hit(f"x{n}", 0.5, "a") for n in range(12)]))
    assert len(FederatedRetriever(registry).query("Frage", **kwargs)) == count


@pytest.mark.parametrize("limit", [-1, 2.5, "5", True])
def test_a_limit_that_is_none_is_refused(limit: Any) -> None:
    with pytest.raises(BadSetting, match="whole number of at least 1"):
        FederatedRetriever(Registry(a=Retriever([]))).query("Frage", top_k=limit)


def test_a_corpus_that_is_blocked_stands_in_the_trace() -> None:
    registry = Registry(a=Retriever([hit("x", 0.5, "a")]))
    registry.blocked = {"b": "b: the collection is damaged"}  # type: ignore[attr-defined]
    trace = FederatedRetriever(registry).trace("Frage")
    assert [(fault.part, fault.message) for fault in trace.faults] == [("stock", "b: the collection is damaged")]
    assert trace.partial


class Checked(Retriever):
    def __init__(self, verdict: Any) -> None:
        super().__init__([])
        self.verdict = verdict

    def verify_negative_result(self, question: str) -> Any:
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


def test_a_negative_is_safe_only_when_nobody_objects_and_nobody_failed() -> None:
    def verdict(**corpora: Any) -> dict[str, Any]:
        return FederatedRetriever(Registry(**corpora)).verify_negative_result("Frage")

    assert verdict(a=Checked(True), b=Checked({"safe": True}))["safe"] is True
    assert verdict(a=Checked(True), b=Checked({"safe": False}))["objections"] == ["b"]
    failed = verdict(a=Checked(True), b=Checked(RuntimeError("weg")), c=Retriever([]))
    assert (failed["safe"], failed["unchecked"]) == (False, ["b", "c"])
    assert "b, c" in failed["reason"]

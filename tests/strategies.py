"""Hypothesis strategies for pools and settings."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from retrieval.model import Address, AnchorClaim, Chunk, CorpusAnswer, ReadyHit, Reference, Target, Units
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Pool
from tests.builders import answer, chunk, pool, with_reranker

CORPORA = ("gesetz", "vertrag", "abrechnung", "richtlinie")
scores = st.sampled_from([0.0, 0.008, 0.1, 0.25, 0.3, 0.41, 0.5, 0.66, 0.85, 1.0]) | st.floats(0, 1, allow_nan=False)


def settings() -> st.SearchStrategy[Settings]:
    """Any valid settings."""

    def value(name: str) -> st.SearchStrategy[Any]:
        knob = KNOBS[name]
        if knob.kind == "choice":
            return st.sampled_from(knob.choices)
        if knob.kind == "int":
            return st.integers(int(knob.low), int(min(knob.high, 30)))
        return st.floats(knob.low, knob.high, allow_nan=False)

    fields = st.fixed_dictionaries({name: value(name) for name in KNOBS})
    return fields.filter(lambda values: values["weight_vector"] + values["weight_lexical"] > 0).map(Settings.of)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """Pools of up to four corpora with both routes, look-ups, anchors, references and names."""
    corpora = draw(st.lists(st.sampled_from(CORPORA), min_size=1, max_size=4, unique=True))
    stock = {corpus: _stock(corpus, draw(st.integers(0, 8))) for corpus in corpora}
    chunks = [one for found in stock.values() for one in found]
    answers = [_answer(draw, corpus, stock[corpus]) for corpus in corpora]
    references, units = _references(draw, chunks)
    made = pool(
        answers,
        chunks,
        routed=draw(st.lists(st.sampled_from(corpora), max_size=2, unique=True)),
        claims=[_claim(draw, one) for one in draw(st.lists(st.sampled_from(chunks), max_size=2))] if chunks else [],
        named=draw(st.lists(st.sampled_from(corpora), max_size=2, unique=True)),
        references=references,
        units=units,
    )
    if not chunks or draw(st.booleans()):
        return made
    shown = st.dictionaries(st.sampled_from([one.chunk_id for one in chunks]), st.floats(-12, 12, allow_nan=False), max_size=8)
    return with_reranker(made, draw(shown))


def _stock(corpus: str, size: int) -> list[Chunk]:
    return [chunk(f"{corpus}/{number}", corpus, f"§ {number}") for number in range(size)]


def _answer(draw: st.DrawFn, corpus: str, stock: list[Chunk]) -> CorpusAnswer:
    ids = [one.chunk_id for one in stock]
    some = st.dictionaries(st.sampled_from(ids), scores, max_size=6) if ids else st.just({})
    looked_up = draw(st.lists(st.sampled_from(ids), max_size=2, unique=True)) if ids else []
    ready = [ReadyHit(one, 1.0, ("section_lookup",), 1.0) for one in looked_up]
    failed = draw(st.lists(st.sampled_from(["vector", "lexical"]), max_size=1))
    return answer(corpus, draw(some), draw(some), ready, failed)


def _claim(draw: st.DrawFn, one: Chunk) -> tuple[AnchorClaim, Units]:
    found = draw(st.booleans())
    hits = (ReadyHit(one.chunk_id, 1.0, (), 1.0),) if found else ()
    return AnchorClaim(Target(one.corpus_id, one.section_id)), Units("found" if found else "not_found", hits)


def _references(draw: st.DrawFn, chunks: list[Chunk]) -> tuple[dict[str, list[Reference]], dict[Target, Units]]:
    references: dict[str, list[Reference]] = {}
    units: dict[Target, Units] = {}
    if not chunks:
        return references, units
    for by, to in draw(st.lists(st.tuples(st.sampled_from(chunks), st.sampled_from(chunks)), max_size=6)):
        state = draw(st.sampled_from(["resolved", "resolved", "repealed", "not_in_stock", "ambiguous"]))
        address = None if state == "not_in_stock" else Address(to.corpus_id, "", to.section_id)
        references.setdefault(by.chunk_id, []).append(Reference(0, 3, "§ x", state, address))
        units[Target(to.corpus_id, to.section_id, "")] = Units("found", (ReadyHit(to.chunk_id, 1.0, (), 1.0),))
    return references, units

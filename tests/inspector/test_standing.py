"""Exact standings over the sample corpora, held against a ranking of all chunks made by hand."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.assemble import open_federation
from retrieval.errors import UnknownCorpus
from retrieval.federated import FederatedRetriever
from retrieval.inspector.standing import Standings
from retrieval.model import Target
from retrieval.registry import CorpusRegistry
from retrieval.tokenizer import tokens
from tests.test_federated import Registry, Retriever, hit

QUESTION = "Wann darf die Apotheke ein anderes als das Nachlassarzneimittel abgeben?"
CORPUS = "hvg_a"


def cosines(federation: FederatedRetriever, corpus: str) -> dict[str, float]:
    """The cosine of every chunk in force, from the vectors in the database."""
    stock = federation.registry.state.stocks[corpus]
    stored = stock.col.get(include=["embeddings"])
    vector = np.asarray(federation.registry.federation.prepare(QUESTION).vectors[stock.fingerprint.model], dtype=np.float64)
    living = {chunk.chunk_id for chunk in stock.chunks if not chunk.repealed}
    found = {}
    for chunk_id, row in zip(stored["ids"], np.asarray(stored["embeddings"], dtype=np.float64), strict=True):
        if chunk_id in living:
            found[chunk_id] = float(row @ vector / np.linalg.norm(row) / np.linalg.norm(vector))
    return found


def bm25(federation: FederatedRetriever) -> dict[str, float]:
    """The BM25 score of every chunk in force of the whole federation, by the formula."""
    chunks = [chunk for stock in federation.registry.state.stocks.values() for chunk in stock.chunks if not chunk.repealed]
    documents = {chunk.chunk_id: Counter(tokens(chunk.wording)) for chunk in chunks}
    mean = sum(document.total() for document in documents.values()) / len(documents)
    scores = dict.fromkeys(documents, 0.0)
    for word in tokens(QUESTION):
        holding = sum(word in document for document in documents.values())
        idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        for chunk_id, document in documents.items():
            count = document[word]
            scores[chunk_id] += idf * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * document.total() / mean))
    return scores


def test_every_rank_in_the_vector_route_is_that_of_a_ranking_by_hand(federation: FederatedRetriever) -> None:
    expected = cosines(federation, CORPUS)
    order = {chunk_id: row for row, chunk_id in enumerate(federation.registry.state.stocks[CORPUS].ids)}
    ranked = sorted(expected, key=lambda one: (-round(expected[one], 7), order[one]))
    found = Standings(QUESTION, federation).of(CORPUS, list(expected))
    assert len(ranked) > 300
    assert {one: found[one].vector.rank for one in ranked} == {one: place for place, one in enumerate(ranked, start=1)}
    assert all(found[one].vector.score == pytest.approx(expected[one], abs=1e-6) for one in ranked)
    assert {found[one].vector.of for one in ranked} == {len(ranked)}


def test_every_rank_in_the_word_route_is_that_of_the_formula(federation: FederatedRetriever) -> None:
    scores = bm25(federation)
    ids = [chunk.chunk_id for chunk in federation.registry.state.stocks[CORPUS].chunks if not chunk.repealed]
    ranked = sorted((one for one in ids if scores[one] > 0), key=lambda one: -round(scores[one], 9))
    found = Standings(QUESTION, federation).of(CORPUS, ids)
    assert 50 < len(ranked) < len(ids)
    assert [found[one].lexical.rank for one in ranked] == list(range(1, len(ranked) + 1))
    assert all(found[one].lexical.score == pytest.approx(scores[one], rel=1e-9) for one in ranked)
    assert {found[one].lexical.state for one in ids if not scores[one]} == {"no_match"}
    words = {word for one in ranked for word in found[one].lexical.words}
    assert words == {"darf", "Apotheke", "anderes", "abgeben", "Nachlassarzneimittel"}


def test_the_overall_rank_runs_over_the_selected_corpora(federation: FederatedRetriever) -> None:
    selected = ("hvg_a", "abgabevertrag")
    scores = bm25(federation)
    mine = [one for one in scores if one.partition("/")[0] in selected and scores[one] > 0]
    ids = [one for one in mine if one.startswith(f"{CORPUS}/")]
    found = Standings(QUESTION, federation, selected).of(CORPUS, ids)
    assert {found[one].lexical.overall_of for one in ids} == {len(mine)}
    for one in ids:
        ahead = sum(scores[other] > scores[one] + 1e-9 for other in mine)
        equal = sum(abs(scores[other] - scores[one]) <= 1e-9 for other in mine)
        assert ahead < found[one].lexical.overall <= ahead + equal


def test_a_corpus_that_was_not_selected_has_no_overall_rank(federation: FederatedRetriever) -> None:
    chunk_id = federation.registry.state.stocks[CORPUS].ids[0]
    found = Standings(QUESTION, federation, ("abgabevertrag",)).of(CORPUS, [chunk_id])[chunk_id]
    assert (found.vector.state, found.vector.overall, found.vector.overall_of) == ("ranked", 0, 0)


def test_the_index_of_the_database_gives_the_same_standings_as_comparing_all(federation: FederatedRetriever, sample_index: Path) -> None:
    searched = FederatedRetriever(CorpusRegistry(sample_index, way="index"))
    assert searched.registry.state.stocks[CORPUS].index.way == "index"
    ids = [chunk.chunk_id for chunk in searched.registry.state.stocks[CORPUS].chunks]
    assert Standings(QUESTION, searched).of(CORPUS, ids) == Standings(QUESTION, federation).of(CORPUS, ids)


def test_a_repealed_chunk_takes_no_part(federation: FederatedRetriever) -> None:
    (chunk_id,) = federation.registry.federation.book.find(Target(CORPUS, "§ 52"))
    found = Standings(QUESTION, federation).of(CORPUS, [chunk_id])[chunk_id]
    assert {(one.state, one.rank, one.score) for one in (found.vector, found.lexical)} == {("repealed", 0, None)}


def test_a_filter_leaves_chunks_out_and_ranks_the_others_without_them(federation: FederatedRetriever) -> None:
    book = federation.registry.federation.book
    inside, outside = book.find(Target(CORPUS, "§ 41"))[0], book.find(Target(CORPUS, "§ 42"))[0]
    found = Standings(QUESTION, federation, where={"section_id": "§ 41"}).of(CORPUS, [inside, outside])
    assert found[outside].vector.state == found[outside].lexical.state == "filtered"
    assert 1 <= found[inside].vector.rank <= found[inside].vector.of == len(book.find(Target(CORPUS, "§ 41")))


def test_without_encoder_the_word_route_stands_and_the_other_says_why(sample_index: Path) -> None:
    federation = open_federation(sample_index, encoder="st:/nowhere/at/all")
    chunk_id = federation.registry.federation.book.find(Target(CORPUS, "§ 41"))[0]
    found = Standings(QUESTION, federation, (CORPUS,)).of(CORPUS, [chunk_id])[chunk_id]
    assert (found.vector.state, found.vector.error_class, found.vector.rank) == ("failed", "EncoderError", 0)
    assert found.vector.error
    assert found.lexical.state == "ranked"


def test_a_question_of_stop_words_ranks_nothing_by_words(federation: FederatedRetriever) -> None:
    chunk_id = federation.registry.state.stocks[CORPUS].ids[0]
    found = Standings("und oder die", federation).of(CORPUS, [chunk_id])[chunk_id]
    assert (found.lexical.state, found.vector.state) == ("no_words", "ranked")


def test_a_retriever_that_is_not_ours_has_no_standings() -> None:
    foreign: Any = Registry(a=Retriever([hit("x", 0.5, "a")]))
    assert Standings(QUESTION, FederatedRetriever(foreign)).of("a", ["a#0"]) == {}


def test_an_unknown_corpus_or_chunk_is_refused(federation: FederatedRetriever) -> None:
    for corpus, chunk_id in (("nirgends", "x"), (CORPUS, "x")):
        with pytest.raises(UnknownCorpus):
            Standings(QUESTION, federation).of(corpus, [chunk_id])

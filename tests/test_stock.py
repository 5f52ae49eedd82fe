"""One corpus as it stands in stock, and what all share: found by id, filtered once, whether its chunks are in memory or in their file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from stock_builders import CountingEncoder, chunk, spec

from retrieval import manifest
from retrieval import stock as stock_module
from retrieval.errors import BadInput, UnknownCorpus
from retrieval.lexical import LexicalIndex
from retrieval.model import Chunk
from retrieval.stock import CorpusStock, Federation, NoVectors

RULES = (chunk("§ 1", "Frist."), chunk("§ 2", "Abgabe.", subsection="1"), chunk("§ 3", "Entfallen.", repealed=True))


def stocked(chunks: Sequence[Chunk], corpus: str = "abgabe") -> CorpusStock:
    return CorpusStock(spec(corpus), chunks, NoVectors("none here"), CountingEncoder().fingerprint)


@pytest.fixture(params=["in memory", "in their file"])
def chunks(request: pytest.FixtureRequest, tmp_path: Path) -> Sequence[Chunk]:
    if request.param == "in memory":
        return RULES
    manifest.save_chunks(tmp_path, RULES)
    return manifest.open_chunks(tmp_path)


def test_a_chunk_is_found_by_its_id_and_by_its_row(chunks: Sequence[Chunk]) -> None:
    stock = stocked(chunks)
    assert [stock.chunk(one.chunk_id) for one in RULES] == list(RULES) == list(stock.chunks)
    assert list(stock.ids) == [one.chunk_id for one in RULES]
    with pytest.raises(UnknownCorpus, match="'fremd' is not in the corpus 'abgabe'"):
        stock.chunk("fremd")


def test_a_filter_reads_a_corpus_once(chunks: Sequence[Chunk], monkeypatch: pytest.MonkeyPatch) -> None:
    stock, read = stocked(chunks), list[str]()
    metadata = stock_module.metadata_of

    def counted(one: Chunk) -> dict[str, object]:
        read.append(one.chunk_id)
        return metadata(one)

    monkeypatch.setattr(stock_module, "metadata_of", counted)
    assert stock.mask(None) is stock.mask({}) is None
    for _ in range(2):
        mask = stock.mask({"section_id": {"$in": ["§ 1", "§ 3"]}})
        assert mask is not None
        assert mask.tolist() == [True, False, True]
    assert len(read) == 3
    repealed = stock.mask({"repealed": True})
    assert repealed is not None
    assert repealed.tolist() == [False, False, True]
    with pytest.raises(BadInput, match="operator"):
        stock.mask({"section_id": {"$like": "§"}})


def test_only_the_last_few_filters_are_kept() -> None:
    stock = stocked(RULES)
    for number in range(20):
        stock.mask({"section_id": f"§ {number}"})
    assert len(stock._masks) == stock_module._FILTERS


def test_a_chunk_of_the_federation_is_found_whatever_its_id_looks_like() -> None:
    strange = chunk("§ 1", "Fremd.", "b", chunk_id="abgabe:§ 77")
    federation = Federation([stocked(RULES), stocked([strange], "b")], LexicalIndex({}), {})
    assert federation.chunk("abgabe:§ 77") is strange
    assert federation.chunk(RULES[1].chunk_id) == RULES[1]
    assert federation.references("nirgends") == ()
    with pytest.raises(UnknownCorpus, match="not in stock"):
        federation.chunk("nirgends")

"""The chains that the product is shown with: what two real norms name is followed completely, as far as it is in stock."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from benchmarks.law import AMG, AMPREISV, APBETRO, DATA, SGB_V, TA1
from retrieval.addresses import AddressBook
from retrieval.model import Chunk, Reference
from retrieval.names import Names
from retrieval.verweise import references

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not Path(DATA).is_dir(), reason="../shared/data is not here: no real law to follow"),
]


@cache
def law() -> tuple[AddressBook, Names, list[Chunk]]:
    from retrieval.chunking import chunks

    corpora = [source.read() for source in (SGB_V, AMG, AMPREISV, APBETRO, TA1)]
    stock = [chunk for corpus in corpora for chunk in chunks(corpus)]
    specs = {corpus.spec.corpus_id: corpus.spec for corpus in corpora}
    return AddressBook(stock, specs), Names(specs), stock


def named_by(corpus: str, section: str) -> list[Reference]:
    book, names, stock = law()
    own = (chunk for chunk in stock if chunk.corpus_id == corpus and chunk.section_id == section)
    return [reference for chunk in own for reference in references(chunk, book, names)]


def test_the_chain_of_the_special_codes_is_followed() -> None:
    found = named_by("ta1", "Ziffer 4.10")
    reached = {
        (one.target.corpus_id, one.target.section_id, one.target.subsection) for one in found if one.state == "resolved" and one.target
    }
    assert reached == {
        ("sgb_v", "§ 129", ""),
        ("sgb_v", "§ 129", "2"),
        ("sgb_v", "§ 129", "2a"),
        ("sgb_v", "§ 300", ""),
        ("apbetro", "§ 17", "5"),
        ("ampreisv", "§ 3", "1a"),
    }
    # The rest are sections of the framework contract, which is not in this stock; none is taken for a norm of another text.
    assert {one.state for one in found if one.state != "resolved"} == {"not_in_stock"}
    assert {one.target for one in found if one.state == "not_in_stock"} == {None}


def test_the_chain_of_the_supply_of_medicines_is_followed() -> None:
    found = named_by("sgb_v", "§ 129")
    states = Counter(one.state for one in found)
    assert states["resolved"] >= 100
    assert {one.law for one in found if one.state == "not_in_stock"} <= {"Richtlinie 2001/83/EG", "Apothekengesetzes"}
    assert set(states) <= {"resolved", "former", "not_in_stock"}
    assert {one.target.section_id for one in found if one.state == "former" and one.target} == {"§ 2", "§ 3"}

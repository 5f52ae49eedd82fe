"""Norms: what they cite, what cites them, in which sentence, and how typed words lead to them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model import Address, Chunk, CorpusSpec
from retrieval.norms import Found, look_up, norm, sentence
from retrieval.ports import Fingerprint
from retrieval.stock import CorpusStock, Federation, NoVectors
from tests.stock_builders import chunk

SPECS = {
    "gesetz": CorpusSpec("gesetz", "Gesetz über Hüte", "statute", ("HutG",)),
    "vertrag": CorpusSpec("vertrag", "Hutvertrag", "contract", ("HutV",), default_container_id="Vertrag"),
}
CHUNKS = [
    chunk("§ 1", "Für Hüte gilt § 2 Abs. 2.", "gesetz", subsection="1"),
    chunk("§ 1", "Absatz 1 gilt auch für Mützen. Es gilt § 9 ApoG.", "gesetz", subsection="2", position=1),
    chunk("§ 2", "Hüte sind rund.", "gesetz", subsection="1"),
    chunk("§ 2", "Mützen sind weich; § 1 bleibt unberührt.", "gesetz", subsection="2", position=1),
    chunk("§ 3", "(weggefallen)", "gesetz", repealed=True),
    chunk("§ 1", "Es gelten § 2 HutG und § 3 HutG. Näheres regelt Anlage 1.", "vertrag", "Vertrag"),
    chunk("§ 1", "Hutgrößen nach § 2 Absatz 2 HutG.", "vertrag", "Anlage 1"),
]


def federation(chunks: list[Chunk] | None = None) -> Federation:
    used = CHUNKS if chunks is None else chunks
    stocks = [
        CorpusStock(spec, [one for one in used if one.corpus_id == spec.corpus_id], NoVectors("none"), Fingerprint("", "", 0))
        for spec in SPECS.values()
    ]
    return Federation(stocks, None, {})  # type: ignore[arg-type]


FEDERATION = federation()


def places(text: str) -> list[str]:
    return [
        " ".join(part for part in (one.container_id, one.section_id, one.subsection) if part) for one in look_up(text, FEDERATION).places
    ]


def test_a_norm_knows_what_it_cites_and_what_cites_it() -> None:
    found = norm(Address("gesetz", "", "§ 2"), FEDERATION)
    assert found is not None
    assert [(one.by.subsection, one.reference.words) for one in found.cites] == [("2", "§ 1")]
    assert [(one.by.corpus_id, one.by.container_id, one.reference.words) for one in found.cited_by] == [
        ("gesetz", "", "§ 2 Abs. 2"),
        ("vertrag", "Vertrag", "§ 2 HutG"),
        ("vertrag", "Anlage 1", "§ 2 Absatz 2 HutG"),
    ]


def test_an_absatz_has_its_own_references_and_counts_those_to_the_whole() -> None:
    found = norm(Address("gesetz", "", "§ 2", "2"), FEDERATION)
    assert found is not None
    assert [one.reference.words for one in found.cited_by] == ["§ 2 Abs. 2", "§ 2 Absatz 2 HutG"]
    assert (found.cited_whole, len(found.chunks), [one.by.subsection for one in found.cites]) == (1, 2, ["2"])


def test_an_absatz_that_is_not_there_is_named_and_the_section_is_shown() -> None:
    found = norm(Address("gesetz", "", "§ 2", "7"), FEDERATION)
    assert found is not None
    assert (found.address, found.missing) == (Address("gesetz", "", "§ 2"), "7")


def test_a_section_that_is_not_there_is_no_norm() -> None:
    assert norm(Address("gesetz", "", "§ 99"), FEDERATION) is None
    assert norm(Address("niemand", "", "§ 1"), FEDERATION) is None
    assert norm(Address("vertrag", "Anlage 7"), FEDERATION) is None


def test_a_repealed_norm_says_so_and_is_cited_all_the_same() -> None:
    found = norm(Address("gesetz", "", "§ 3"), FEDERATION)
    assert found is not None
    assert (found.state, [one.reference.state for one in found.cited_by]) == ("repealed", ["repealed"])


def test_an_annex_as_a_whole_lists_its_sections_and_who_names_it() -> None:
    found = norm(Address("vertrag", "anlage 1"), FEDERATION)
    assert found is not None
    assert found.sections == (Address("vertrag", "Anlage 1", "§ 1"),)
    assert [one.reference.words for one in found.cited_by] == ["Anlage 1"]


def test_every_certain_reference_of_the_stock_stands_once_in_the_reverse_index() -> None:
    ids = [one.chunk_id for one in CHUNKS]
    forward = sorted(
        (one, reference.start, reference.target)
        for one in ids
        for reference in FEDERATION.references(one)
        if reference.state in ("resolved", "repealed") and reference.target
    )
    norms = {Address(one.corpus_id, one.container_id, one.section_id) for one in CHUNKS} | {Address("vertrag", "Anlage 1")}
    backward = sorted((by, reference.start, reference.target) for one in norms for by, reference in FEDERATION.cited_by(one))
    assert backward == forward
    assert len(forward) == 7


def test_a_table_of_contents_cites_no_norm() -> None:
    contents = chunk("Inhaltsübersicht", "§ 1 Hüte\n§ 2 Mützen", "gesetz")
    fresh = federation([contents, *CHUNKS])
    assert [reference.words for reference in fresh.references(contents.chunk_id)] == ["§ 1", "§ 2"]
    assert fresh.cited_by(Address("gesetz", "", "§ 2")) == FEDERATION.cited_by(Address("gesetz", "", "§ 2"))


def test_the_stock_is_read_once_however_many_ask_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh, read = federation(), []
    of_chunk = Federation.references
    monkeypatch.setattr(Federation, "references", lambda self, one: (read.append(one), of_chunk(self, one))[1])
    threads = [threading.Thread(target=fresh.cited_by, args=(Address("gesetz", "", "§ 2"),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(read) == sorted(one.chunk_id for one in CHUNKS)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("2 Abs 2 HutG", ["§ 2 2"]),
        ("hutg 2", ["§ 2"]),
        ("§ 1", ["§ 1", "Vertrag § 1"]),
        ("§ 1 Anlage 1 HutV", ["Anlage 1 § 1"]),
        ("Anlage 1 HutV", ["Anlage 1"]),
        ("Hüte", []),
    ],
)
def test_typed_words_lead_to_the_norms_they_mean(typed: str, expected: list[str]) -> None:
    assert places(typed) == expected


def test_words_that_lead_nowhere_say_what_was_understood() -> None:
    assert look_up("§ 9 ApoG", FEDERATION) == Found(elsewhere=("ApoG",))
    assert look_up("§ 9 XYG", FEDERATION) == Found(strange=("XYG",))
    assert look_up("HutG", FEDERATION) == Found(corpora=("gesetz",))
    assert [target.section_id for target in look_up("§ 99 HutG", FEDERATION).void] == ["§ 99"]


def test_the_sentence_of_a_reference_is_the_one_it_stands_in() -> None:
    text = "Hüte sind rund. Nach § 2 Abs. 1 S. 2 HutG, z. B. im Winter, gilt mehr. Ende.\nNach § 3 nicht."
    at = text.index("§ 2")
    assert sentence(text, at, at + 20) == "Nach § 2 Abs. 1 S. 2 HutG, z. B. im Winter, gilt mehr."
    assert sentence("Es gilt § 2. Mehr nicht.", 8, 11) == "Es gilt § 2."
    at = text.index("§ 3")
    assert sentence(text, at, at + 3) == "Nach § 3 nicht."


def test_a_very_long_sentence_is_cut_around_the_reference() -> None:
    text = "Wort " * 300 + "nach § 7 HutG " + "Wort " * 300
    at = text.index("§ 7")
    shown = sentence(text, at, at + 8)
    assert "nach § 7 HutG Wort" in shown
    assert len(shown) < 450
    assert shown.startswith("… Wort")
    assert shown.endswith("Wort …")


@given(text=st.text("ab .;§1\n|", min_size=1, max_size=80), data=st.data())
def test_the_sentence_holds_the_words_of_the_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert " ".join(text[start:end].split()) in sentence(text, start, end)


SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "gesetze_xml" / "BJNR024820988.xml"


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data/gesetze_xml is not here: no real law to read")
def test_what_cites_section_129_of_the_fifth_book_is_known_in_less_than_two_seconds() -> None:
    from retrieval.chunking import chunks
    from retrieval.readers import read

    corpus = read(SHARED)
    stock = CorpusStock(corpus.spec, chunks(corpus), NoVectors("none"), Fingerprint("", "", 0))
    fifth = Federation([stock], None, {})  # type: ignore[arg-type]
    start = time.process_time()
    found = norm(Address(corpus.spec.corpus_id, "", "§ 129"), fifth)
    taken = time.process_time() - start
    assert found is not None
    citing = {one.by.section_id for one in found.cited_by}
    assert {"§ 31", "§ 130a", "§ 131", "§ 300"} <= citing
    assert "Inhaltsübersicht" not in citing
    assert taken < 2

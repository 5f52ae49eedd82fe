"""The sample corpora are what they claim: invented, large enough, a net of references, with gold and anchors that are in stock."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from typing import Any

import pytest

from retrieval.addresses import AddressBook
from retrieval.anchors import AnchorRegister
from retrieval.chunking import chunks
from retrieval.model import Chunk, Reference, Target
from retrieval.names import Names
from retrieval.readers import ReadCorpus, read
from retrieval.verweise import references
from sample_corpora import PATH

REAL_LAWS = """
    SGB V SGB XI SGB X AMG ApoG ApBetrO AMPreisV BtMG BtMVV HWG AMVV AM-RL BGB StGB GG HeilM-RL MPDG PackungsV AVWG GSAV ALBVVG DSGVO BDSG
    TA1 AMRabG IfSG KHG GKV-WSG BPflV
    Sozialgesetzbuch Arzneimittelgesetz Apothekengesetz Apothekenbetriebsordnung Arzneimittelpreisverordnung Betäubungsmittelgesetz
    Heilmittelwerbegesetz Arzneimittelverschreibungsverordnung Arzneimittel-Richtlinie Rahmenvertrag Krankenversicherungsgesetz
    Packungsgrößenverordnung Infektionsschutzgesetz Grundgesetz Strafgesetzbuch Arzneiversorgungsvertrag Hilfstaxe Bundesmantelvertrag
"""
REAL_NAMES = frozenset(word.casefold() for word in re.findall(r"SGB [XVI]+|[\w-]+", REAL_LAWS))


@cache
def corpora() -> dict[str, ReadCorpus]:
    read_ones = [read(path) for path in sorted(PATH.glob("*.md")) if path.stem != "README"]
    return {corpus.spec.corpus_id: corpus for corpus in read_ones}


@cache
def chunks_of(corpus_id: str) -> tuple[Chunk, ...]:
    return chunks(corpora()[corpus_id])


@cache
def book() -> AddressBook:
    stored = [chunk for corpus_id in corpora() for chunk in chunks_of(corpus_id)]
    return AddressBook(stored, {corpus_id: corpus.spec for corpus_id, corpus in corpora().items()})


@cache
def all_references() -> tuple[tuple[str, Reference], ...]:
    names = Names(corpus.spec for corpus in corpora().values())
    return tuple(
        (corpus_id, found) for corpus_id in corpora() for chunk in chunks_of(corpus_id) for found in references(chunk, book(), names)
    )


def of_kind(kind: str) -> str:
    return next(corpus_id for corpus_id, corpus in corpora().items() if corpus.spec.kind == kind)


def tables(name: str, key: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((PATH / name).read_text("utf-8"))[key])


def target(row: dict[str, Any]) -> Target:
    return Target(row["corpus"], row["section"], row.get("container"), row.get("subsection"))


QUESTIONS = tables("questions.toml", "question")
ANCHORS = tables("anchors.toml", "anchor")


# --- the texts ---------------------------------------------------------------------------------------------------------


def test_there_is_one_body_of_rules_of_each_kind() -> None:
    kinds = Counter(corpus.spec.kind for corpus in corpora().values())
    assert kinds == {"statute": 1, "contract": 1, "agreement": 1, "directive": 1, "ordinance": 1}


def test_the_statute_has_more_than_three_hundred_absaetze() -> None:
    assert len([chunk for chunk in chunks_of(of_kind("statute")) if chunk.subsection]) >= 300


def test_the_agreement_has_at_most_a_twentieth_of_the_statutes_chunks() -> None:
    assert 0 < len(chunks_of(of_kind("agreement"))) * 20 <= len(chunks_of(of_kind("statute")))


@pytest.mark.parametrize("corpus_id", corpora())
def test_every_body_of_rules_says_that_it_is_invented(corpus_id: str) -> None:
    spec = corpora()[corpus_id].spec
    assert spec.invented
    assert "erfunden" in spec.title
    assert "erfunden" in spec.stand.casefold()
    assert spec.source == "Für Vorführungen erfunden"


@pytest.mark.parametrize("corpus_id", corpora())
def test_no_body_of_rules_bears_the_name_of_a_real_one(corpus_id: str) -> None:
    spec = corpora()[corpus_id].spec
    for name in (spec.title, *spec.names, corpus_id.replace("_", " ")):
        words = {word.casefold() for word in re.findall(r"SGB [XVI]+|[\w-]+", name)}
        assert not words & REAL_NAMES


@pytest.mark.parametrize("corpus_id", corpora())
def test_no_text_names_a_real_law(corpus_id: str) -> None:
    for chunk in chunks_of(corpus_id):
        words = {word.casefold() for word in re.findall(r"SGB [XVI]+|[\w-]+", chunk.passage)}
        assert not words & REAL_NAMES, chunk.chunk_id


@pytest.mark.parametrize("corpus_id", corpora())
def test_every_norm_in_force_has_a_heading_and_a_text(corpus_id: str) -> None:
    report = corpora()[corpus_id].report
    assert report.empty == ()
    assert report.oddities == ()
    assert all(norm.heading and norm.paragraphs for norm in corpora()[corpus_id].norms if not norm.repealed)


def test_no_two_absaetze_of_the_statute_read_alike() -> None:
    texts = Counter(chunk.text for chunk in chunks_of(of_kind("statute")) if not chunk.repealed)
    assert max(texts.values()) == 1


def test_the_contracts_parts_count_their_sections_each_from_one() -> None:
    contract = corpora()[of_kind("contract")]
    assert contract.spec.default_container_id == "Vertrag"
    for container in ("Vertrag", "Anlage 2", "Anlage 11"):
        assert {f"§ {number}" for number in range(1, 11)} <= set(book().sections(contract.spec.corpus_id, container))


def test_the_statute_holds_lettered_and_repealed_sections_and_its_tables() -> None:
    statute = corpora()[of_kind("statute")]
    assert {"§ 18a", "§ 41a", "§ 41b"} <= {norm.section_id for norm in statute.norms}
    assert {"§ 51", "§ 52", "§ 53"} <= {norm.section_id for norm in statute.norms if norm.repealed}
    assert statute.report.tables_found == statute.report.tables_kept == 2
    assert "P2 | 3,90 Taler" in "".join(chunk.text for chunk in chunks_of(statute.spec.corpus_id) if chunk.section_id == "Anlage 1")


# --- the net of references -----------------------------------------------------------------------------------------------


def test_each_reference_leads_to_a_norm_or_says_why_not() -> None:
    states = Counter(found.state for _, found in all_references())
    assert states["resolved"] >= 100
    assert set(states) == {"resolved", "repealed", "not_in_stock"}
    assert {found.law for _, found in all_references() if found.state == "not_in_stock"} == {"Grenzlandstatuts", "Datenordnungsgesetzes"}


def test_every_body_of_rules_refers_to_another_and_is_referred_to() -> None:
    links = {(source, found.target.corpus_id) for source, found in all_references() if found.target is not None}
    across = {(source, goal) for source, goal in links if source != goal}
    assert {source for source, _ in across} == {goal for _, goal in across} == set(corpora())


def test_the_sections_that_the_contract_names_as_a_range_are_its_own() -> None:
    contract = of_kind("contract")
    ranged = [found.target for source, found in all_references() if source == contract and found.words.startswith("§§ 11 bis 14")]
    assert [address and (address.container_id, address.section_id) for address in ranged] == [
        ("Vertrag", "§ 11"),
        ("Vertrag", "§ 12"),
        ("Vertrag", "§ 13"),
        ("Vertrag", "§ 14"),
    ]


# --- questions and anchors ---------------------------------------------------------------------------------------------


def test_there_are_enough_questions_and_chains() -> None:
    chains = [question for question in QUESTIONS if question.get("chain")]
    assert len(QUESTIONS) >= 25
    assert len(chains) >= 8
    assert len([question for question in chains if len(question["gold"]) >= 4]) >= 5
    assert all(len(question["gold"]) >= 2 for question in chains)


@pytest.mark.parametrize("key", ["id", "text"])
def test_no_two_questions_are_the_same(key: str) -> None:
    assert len({question[key].strip().casefold() for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_every_gold_norm_is_in_stock(question: dict[str, Any]) -> None:
    expected = "repealed" if "weggefallen" in question["tags"] else "found"
    assert [book().state(target(row)) for row in question["gold"]] == [expected] * len(question["gold"])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_a_gold_norm_as_written_is_the_norm_of_its_address(question: dict[str, Any]) -> None:
    names = Names(corpus.spec for corpus in corpora().values())
    for row in question["gold"]:
        assert [book().find(read_one) for read_one in book().read(row["written"], names)] == [book().find(target(row))]


def test_every_anchor_leads_to_one_norm_in_force() -> None:
    assert AnchorRegister.load(PATH / "anchors.toml").check(book()) == ()


@pytest.mark.parametrize("anchor", ANCHORS, ids=lambda anchor: anchor["id"])
def test_every_anchor_is_triggered_by_a_question(anchor: dict[str, Any]) -> None:
    register = AnchorRegister.load(PATH / "anchors.toml")
    triggered = [question["id"] for question in QUESTIONS for claim in register.claims(question["text"]) if claim.anchor_id == anchor["id"]]
    assert triggered


def test_the_register_holds_six_to_ten_claims_with_reason_author_and_date() -> None:
    assert 6 <= len(ANCHORS) <= 10
    assert len({anchor["id"] for anchor in ANCHORS}) == len(ANCHORS)
    assert all(anchor["note"] and anchor["author"] and anchor["date"] and anchor["triggers"] for anchor in ANCHORS)

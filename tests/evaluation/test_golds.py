"""Gold norms against the stock: what people write becomes addresses, and each has a state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Gold, QuestionSet, covers
from retrieval.evaluation.spelling import NOWHERE, address_of, cell_of, doc_id, needs_in, protected, spelled, token, unprotected
from retrieval.lexical import LexicalIndex
from retrieval.model import Address, Target
from retrieval.ports import Fingerprint
from retrieval.stock import CorpusStock, Federation, NoVectors
from tests.evaluation.question_sets import address, addresses, federation, need, question, question_sets, words

GOLDS = Golds(federation())


@pytest.mark.parametrize(
    ("text", "state", "place"),
    [
        ("sgb_v § 129 Abs. 2", "in_stock", "sgb_v||§ 129|2"),
        ("SGB V § 129 Absatz 2", "in_stock", "sgb_v||§ 129|2"),
        ("§ 129 Abs. 2 SGB V", "in_stock", "sgb_v||§ 129|2"),
        ("129 SGB V", "in_stock", "sgb_v||§ 129"),
        ("§ 31 Abs. 1 Satz 2 SGB V", "in_stock", "sgb_v||§ 31|1"),
        ("Ziffer 4.10 TA1", "in_stock", "ta1||Ziffer 4.10"),
        ("TA1 4.10", "in_stock", "ta1||Ziffer 4.10"),
        ("rahmenvertrag § 10", "in_stock", "rahmenvertrag|Vertrag|§ 10"),
        ("§ 10 LRV", "in_stock", "rahmenvertrag|Vertrag|§ 10"),
        ("rahmenvertrag Anlage 11 § 10 Abs. 1", "in_stock", "rahmenvertrag|Anlage 11|§ 10|1"),
        ("§ 10 Anlage 11 LRV", "in_stock", "rahmenvertrag|Anlage 11|§ 10"),
        ("satzung Teil B § 5", "in_stock", "satzung|Teil B|§ 5"),
        ("§ 300 SGB V", "repealed", "sgb_v||§ 300"),
        ("sgb_v § 999", "not_in_stock", "sgb_v||§ 999"),
        ("§ 129 Abs. 9 SGB V", "not_in_stock", "sgb_v||§ 129|9"),
        ("unbekannt § 1", "not_in_stock", "unbekannt||§ 1"),
        ("§ 433 BGB", "not_in_stock", ""),
        ("§ 6 Abs. 2 Rahmenvertrag nach § 129", "not_in_stock", ""),
        ("§ 5 SatzT", "ambiguous", "satzung||§ 5"),
        ("§ 5", "ambiguous", ""),
        ("Anlage 11 LRV", "unreadable", "rahmenvertrag|Anlage 11"),
        ("siehe oben", "unreadable", ""),
    ],
)
def test_what_a_person_writes_has_an_address_and_a_state(text: str, state: str, place: str) -> None:
    (alternatives,) = GOLDS.read(text)
    (found,) = alternatives
    assert (found.state, found.gold.address) == (state, address(place))


def test_two_spellings_are_the_same_norm() -> None:
    ((one,),), ((other,),) = GOLDS.read("sgb_v § 129 Abs. 2"), GOLDS.read("SGB V § 129 Absatz 2")
    assert one.gold.address == other.gold.address


def test_a_section_that_is_its_own_first_absatz_is_found_by_its_chunks() -> None:
    ((found,),) = GOLDS.read("§ 129a Abs. 1 SGB V")
    assert found.gold.address == address("sgb_v||§ 129a")
    chunks = federation().book.find(Target("sgb_v", "§ 129a"))
    assert [covers(found.gold.address, federation().chunk(one)) for one in chunks] == [True]


def test_a_norm_without_a_corpus_that_only_one_has_is_taken_and_said() -> None:
    ((found,),) = GOLDS.read("§ 129a")
    assert (found.state, found.note, found.gold.address) == ("in_stock", "only_one", address("sgb_v||§ 129a"))


def test_semicolons_part_needs_and_oder_parts_alternatives() -> None:
    found = GOLDS.read("§ 129 SGB V oder § 3 AMPreisV; Ziffer 4.10 TA1 [3]")
    assert [[one.gold.address for one in each] for each in found] == [
        [address("sgb_v||§ 129"), address("ampreisv||§ 3")],
        [address("ta1||Ziffer 4.10")],
    ]
    assert [one.gold.grade for each in found for one in each] == [1, 1, 3]


def test_an_alternative_without_a_corpus_belongs_to_the_one_behind_it() -> None:
    ((one, other),) = GOLDS.read("§ 129 oder § 31 SGB V")
    assert (one.gold.address, other.gold.address) == (address("sgb_v||§ 129"), address("sgb_v||§ 31"))


def test_norms_that_are_named_together_are_needed_all() -> None:
    found = GOLDS.read("§§ 31 und 129 SGB V")
    assert [[one.gold.address for one in each] for each in found] == [[address("sgb_v||§ 31")], [address("sgb_v||§ 129")]]


def test_several_norms_in_one_alternative_are_not_guessed() -> None:
    ((one, other),) = GOLDS.read("§§ 31 und 129 SGB V oder § 3 AMPreisV")
    assert (one.state, one.note, len(one.choices)) == ("unreadable", "several", 2)
    assert other.state == "in_stock"


@pytest.mark.parametrize("grade", ["0", "4", "x", "2,5"])
def test_a_grade_that_is_none_makes_the_norm_unreadable(grade: str) -> None:
    ((found,),) = GOLDS.read(f"§ 129 SGB V [{grade}]")
    assert (found.state, found.note) == ("unreadable", "grade")


def test_words_that_mean_another_norm_than_the_address_are_said() -> None:
    same = GOLDS.settle(Gold(address("sgb_v||§ 129"), 1, "§ 129 SGB V"))
    other = GOLDS.settle(Gold(address("sgb_v||§ 129"), 1, "§ 31 SGB V"))
    assert (same.note, other.note) == ("", "written_differs")
    assert other.gold.address == address("sgb_v||§ 129")


def test_a_norm_that_was_not_in_stock_is_read_again_when_it_comes_in() -> None:
    found = GOLDS.settle(Gold(NOWHERE, 2, "§ 129 SGB V"))
    assert (found.state, found.gold) == ("in_stock", Gold(address("sgb_v||§ 129"), 2, "§ 129 SGB V"))
    assert GOLDS.settle(Gold(NOWHERE, 2, "§ 433 BGB")).state == "not_in_stock"
    assert GOLDS.settle(Gold(NOWHERE, 2, "siehe oben")).state == "unreadable"
    assert GOLDS.settle(Gold(NOWHERE, 2, "§§ 31 und 129 SGB V")).state == "ambiguous"


def test_a_set_is_checked_norm_by_norm_and_settled() -> None:
    golds = [need("sgb_v||§ 129|2"), need("sgb_v||§ 129|2"), need("sgb_v||§ 999"), need("unbekannt||§ 1")]
    checked = GOLDS.check(QuestionSet("fragen", (question("a", "", *golds), question("b"), question("c", "", need("rahmenvertrag||§ 10")))))
    assert (checked.golds, checked.unreachable, checked.without_gold) == (5, 2, 1)
    assert checked.states == {"in_stock": 3, "not_in_stock": 2}
    assert checked.settled.questions[2].needs == (need("rahmenvertrag|Vertrag|§ 10"),)


def test_other_pieces_of_the_same_rules_change_no_gold_norm() -> None:
    cells = ["§ 129 Abs. 2 SGB V", "§ 129a SGB V", "§ 10 Anlage 11 LRV", "§ 300 SGB V", "sgb_v § 999", "§ 5 SatzT"]
    assert [Golds(federation(3)).read(cell) for cell in cells] == [GOLDS.read(cell) for cell in cells]


def test_the_id_of_a_piece_of_text_means_its_whole_norm() -> None:
    (found,) = GOLDS.document("sgb_v/-/§%20129/1")
    assert (found.state, found.note, found.gold.address) == ("in_stock", "piece", address("sgb_v||§ 129"))


def test_without_a_stock_addresses_are_read_and_nothing_is_said_about_them() -> None:
    ((one,), (other,)) = Golds().read("sgb_v § 129 Abs. 2; SGB V § 129 Absatz 2")
    assert (one.state, one.gold) == ("unchecked", Gold(address("sgb_v||§ 129|2")))
    assert (other.state, other.gold) == ("unchecked", Gold(NOWHERE, 1, "SGB V § 129 Absatz 2"))


# --- spelling ---------------------------------------------------------------------------------------------------------------


@given(addresses)
def test_an_address_is_read_back_from_both_of_its_spellings(place: Address) -> None:
    assert address_of(spelled(place)) == place
    assert address_of(doc_id(place)) == place
    assert not any(sign.isspace() for sign in doc_id(place))


@given(words)
def test_any_words_are_read_back_from_a_cell_and_from_a_token(text: str) -> None:
    assert unprotected(protected(text)) == text
    assert unprotected(token(text)) == text
    assert len(token(text).split()) == 1


@settings(max_examples=60)
@given(question_sets())
def test_a_cell_names_the_needs_that_it_was_made_of(made: QuestionSet) -> None:
    for one in made.questions:
        found = Golds().read(cell_of(one.needs))
        assert tuple(need(*(each.gold for each in group)) for group in found) == one.needs


def test_a_readable_address_is_written_as_people_read_it() -> None:
    assert spelled(address("abgabevertrag|Anlage 11|§ 10|2")) == "abgabevertrag Anlage 11 § 10 Abs. 2"
    assert spelled(address("g||§ 1; § 2")) == "g::§%201%3B%20§%202:"


def test_per_cent_signs_of_people_stay() -> None:
    (((only,)),) = needs_in("100 % nach § 1")
    assert unprotected(only.place) == "100 % nach § 1"


# --- real law ---------------------------------------------------------------------------------------------------------------

LAWS = {"SGB V": "BJNR024820988.xml", "AMPreisV": "BJNR021470980.xml"}


@pytest.mark.shared
def test_real_questions_find_their_real_norms_in_every_spelling(shared: Path) -> None:
    from retrieval.chunking import chunks
    from retrieval.readers import read

    corpora = {name: read(shared / "data" / "gesetze_xml" / file) for name, file in LAWS.items()}
    stocks = [CorpusStock(corpus.spec, chunks(corpus), NoVectors("none"), Fingerprint("", "", 0)) for corpus in corpora.values()]
    golds = Golds(Federation(stocks, LexicalIndex({}), {}))
    lines = (shared / "data" / "fragen_katalog_apotheke" / "fragen.jsonl").read_text("utf-8").splitlines()
    named = [gold for line in lines for gold in json.loads(line)["gold"] if "norm" in gold and gold["law"] != "TA1"]
    here = [gold for gold in named if gold["law"] in LAWS]
    assert len(here) > 60
    for gold in here:
        corpus_id = corpora[gold["law"]].spec.corpus_id
        subsection = gold.get("absatz") or ""
        spellings = (
            f"§ {gold['norm']} {f'Abs. {subsection} ' if subsection else ''}{gold['law']}",
            f"{gold['law']} § {gold['norm']}{f' Absatz {subsection}' if subsection else ''}",
            f"{corpus_id} § {gold['norm']}{f' Abs. {subsection}' if subsection else ''}",
        )
        found = [golds.read(spelling) for spelling in spellings]
        assert {(each[0][0].state, each[0][0].gold.address) for each in found} == {
            ("in_stock", Address(corpus_id, "", f"§ {gold['norm']}", subsection))
        }
    elsewhere = [gold for gold in named if gold["law"] not in LAWS]
    assert {each[0].state for gold in elsewhere for each in golds.read(f"§ {gold['norm']} {gold['law']}")} == {"not_in_stock"}

"""Chunks: where an Absatz is cut, what is never cut, and ids that are unique and say their address."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.chunking import CHUNKING, LONGEST, WORDS, chunks, sentences, split
from retrieval.model import Address, CorpusSpec, hash_text
from retrieval.readers import Paragraph, ReadCorpus, ReadNorm, ReadReport

REPORT = ReadReport(0, 0, 0, 0, 0, 0, 0, (), ())


def corpus(*norms: ReadNorm) -> ReadCorpus:
    return ReadCorpus(CorpusSpec("gesetz", "Gesetz", stand="heute", source="hier"), norms, REPORT)


def norm(section: str, *texts: str, container: str = "", repealed: bool = False) -> ReadNorm:
    paragraphs = []
    for text in texts:
        number = re.match(r"\((\w+)\)", text)
        paragraphs.append(Paragraph(number.group(1) if number else "", text))
    return ReadNorm(section, "Titel", tuple(paragraphs), container, ("Buch 1",), repealed)


def long(words: int, sentence: int = 12) -> str:
    """Sentences of equal length, each with its number."""
    return " ".join(f"Satz {number} " + "wort " * (sentence - 3) + "Ende." for number in range(words // sentence))


def test_each_absatz_is_a_chunk_with_its_address() -> None:
    made = chunks(corpus(norm("§ 1", "(1) Eins.", "(2a) Zwei.")))
    assert [(chunk.chunk_id, chunk.subsection, chunk.position) for chunk in made] == [
        ("gesetz/-/§ 1/0", "1", 0),
        ("gesetz/-/§ 1/1", "2a", 1),
    ]
    assert made[0].text == "(1) Eins."
    assert made[0].text_hash == hash_text(Address("gesetz", "", "§ 1", "1"), "(1) Eins.")
    assert (made[0].heading, made[0].path, made[0].stand, made[0].source) == ("Titel", ("Buch 1",), "heute", "hier")


def test_the_same_section_in_two_containers_counts_apart() -> None:
    made = chunks(corpus(norm("§ 1", "a", container="Vertrag"), norm("§ 1", "b", container="Anlage 11")))
    assert [chunk.chunk_id for chunk in made] == ["gesetz/Vertrag/§ 1/0", "gesetz/Anlage 11/§ 1/0"]


def test_a_section_that_stands_twice_counts_on() -> None:
    made = chunks(corpus(norm("§ 3", "eins"), norm("§ 4", "x"), norm("§ 3", "zwei", "drei")))
    assert [chunk.chunk_id for chunk in made] == ["gesetz/-/§ 3/0", "gesetz/-/§ 4/0", "gesetz/-/§ 3/1", "gesetz/-/§ 3/2"]


def test_a_repealed_norm_is_one_chunk_that_says_so() -> None:
    made = chunks(corpus(norm("§ 5", "(weggefallen)", repealed=True), norm("§ 6", repealed=True)))
    assert [(chunk.section_id, chunk.text, chunk.repealed) for chunk in made] == [
        ("§ 5", "(weggefallen)", True),
        ("§ 6", "(weggefallen)", True),
    ]
    assert made[0].text_hash != made[1].text_hash


def test_a_repealed_absatz_says_so_and_its_neighbours_do_not() -> None:
    made = chunks(corpus(norm("§ 5", "(1) Gilt.", "(2) (weggefallen)", "(5) u. (6) (weggefallen)", "(7) Der Anspruch ist weggefallen.")))
    assert [chunk.repealed for chunk in made] == [False, True, True, False]


def test_a_norm_without_text_gives_no_chunk() -> None:
    assert chunks(corpus(norm("§ 5"))) == ()


def test_a_slash_in_a_name_cannot_make_two_ids_one() -> None:
    made = chunks(corpus(norm("1/§ 2", "a", container="A"), norm("§ 2", "b", container="A/1")))
    assert len({chunk.chunk_id for chunk in made}) == 2


def test_a_short_absatz_stays_whole() -> None:
    text = long(LONGEST)
    assert split(text) == [text]


def test_a_long_absatz_is_cut_at_sentence_ends() -> None:
    parts = split(long(600))
    assert all(part.startswith("Satz") and part.endswith("Ende.") for part in parts)
    assert all(WORDS / 2 < len(part.split()) <= LONGEST for part in parts)


def test_a_short_rest_stays_with_the_part_before() -> None:
    parts = split(f"{long(132)} Gilt nicht im Notfall. {long(120)} Es gilt stets.")
    assert parts[-1].endswith("Es gilt stets.")
    assert len(parts[-1].split()) > 20


def test_lines_are_cut_before_sentences() -> None:
    items = [f"{number}. " + "wort " * 39 + "ende," for number in range(1, 7)]
    assert split("\n".join(items)) == ["\n".join(items[:2]), "\n".join(items[2:4]), "\n".join(items[4:])]


def test_a_table_row_is_never_cut() -> None:
    row = "Stufe 1. Hier | " + "Das steht. Auch das. " * 40 + "| 7,10 Euro"
    parts = split(f"Kopf | Wert\n{row}\n{long(120)}")
    assert any(row in part.split("\n") for part in parts)


@pytest.mark.parametrize(
    "whole",
    [
        "Nach § 1 Abs. 2 Nr. 3 Satz 1 gilt das.",
        "Mittel, z. B. Salben, i. V. m. Ölen, u. a. Fette usw. Das.",
        "Am 1. Januar und am 31. Dezember gilt es.",
        "Das Gesetz (BGBl. I S. 2477) gilt vgl. Art. 3 Buchst. A.",
        "Der 2. Senat mit Dr. Meier und Prof. Huber.",
        "Gem. Ziff. IV. Absatz ist es so.",
        "Preis von 3.50 Euro und Ziffer 4.10.1 Papier.",
    ],
)
def test_a_citation_or_an_abbreviation_ends_no_sentence(whole: str) -> None:
    assert list(sentences(whole)) == [whole]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("Das gilt. Dies nicht.", ["Das gilt.", "Dies nicht."]),
        ("¹ Das gilt. ² Dies nicht.", ["¹ Das gilt.", "² Dies nicht."]),
        ("Gilt das? § 2 sagt es!", ["Gilt das?", "§ 2 sagt es!"]),
        ("Er sagt „so.“ Dann geht er.", ["Er sagt „so.“", "Dann geht er."]),
        ("Es gilt nach Satz 1 das Recht. (weggefallen)", ["Es gilt nach Satz 1 das Recht. (weggefallen)"]),
    ],
)
def test_sentences_end_where_a_new_one_begins(line: str, parts: list[str]) -> None:
    assert list(sentences(line)) == parts


def test_one_endless_sentence_stays_whole() -> None:
    text = "wort " * 500 + "ende."
    assert split(text) == [text]


WORD = st.sampled_from(
    [
        "Abs.",
        "§",
        "1",
        "z.",
        "B.",
        "Das",
        "gilt.",
        "Nicht.",
        "a)",
        "|",
        "\n",
        "\n\n",
        " | ",
        "(1)",
        "¹",
        "Ende!",
        "„Gut.“",
        "\u00a0",
        "x" * 30,
        "Nr.",
    ]
)


@given(st.lists(WORD, max_size=600).map(" ".join))
def test_no_word_is_lost_and_none_is_added_by_cutting(text: str) -> None:
    assert " ".join(split(text)).split() == text.split()


@given(st.lists(st.tuples(st.sampled_from(["§ 1", "§ 2", "§ 1a"]), st.sampled_from(["", "Anlage 1"]), st.text(max_size=30)), max_size=20))
def test_every_chunk_id_is_unique_and_positions_run_on(parts: list[tuple[str, str, str]]) -> None:
    made = chunks(corpus(*(norm(section, text, container=container) for section, container, text in parts)))
    assert len({chunk.chunk_id for chunk in made}) == len(made)
    for key in {(chunk.container_id, chunk.section_id) for chunk in made}:
        positions = [chunk.position for chunk in made if (chunk.container_id, chunk.section_id) == key]
        assert positions == list(range(len(positions)))


def test_the_stamp_names_its_parameters() -> None:
    assert CHUNKING.startswith("absatz-1:")
    assert str(WORDS) in CHUNKING
    assert str(LONGEST) in CHUNKING

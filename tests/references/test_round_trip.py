"""A citation that is printed in any supported spelling is read back to the same address; any text at all is read in peace."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.reference_gold import read, sentences, stock
from retrieval.citations import citations
from retrieval.model import Chunk
from retrieval.verweise import references

BLANK = st.sampled_from([" ", "\u00a0", "\u202f", "\u2009", "  ", "\n", "\t", "&nbsp;"])
SIGNS = st.sampled_from(["§", "§", "§§", "&sect;", "&#167;", "Paragraf", "Paragraph"])
BOOK_FIVE = [
    "SGB V",
    "SGB-V",
    "SGB 5",
    "des SGB V",
    "des Fünften Buches",
    "des Fünften Buches Sozialgesetzbuch",
    "Fünftes Buch Sozialgesetzbuch",
]
MORE = ["des Sozialgesetzbuchs (SGB V)", "Sozialgesetzbuch V", "des Fünften Buches des Sozialgesetzbuchs", "(SGB V)", "SGB Fünftes Buch"]
LAWS = {
    "sgb_v": [*BOOK_FIVE, *MORE],
    "apog": ["ApoG", "des ApoG", "des Apothekengesetzes", "Apothekengesetz", "des Apotheken-\ngesetzes"],
    "amg": ["AMG", "des Arzneimittelgesetzes", "des Arzneimittelgesetzes (AMG)", "des Gesetzes über den Verkehr mit Arzneimitteln"],
    "ampreisv": ["AMPreisV", "der AMPreisV", "der Arzneimittelpreisverordnung"],
}
SUBSECTIONS = ["1", "1a", "2", "3", "3a", "4", "5", "5a", "6", "7", "8"]
ABSATZ = st.sampled_from(["Abs.", "Absatz", "Abs", "Ab-\nsatz", "Ab\u00adsatz"])
TAILS = [
    "",
    "Satz 1",
    "S. 2",
    "Nr. 3",
    "Satz 1 Nr. 2 Buchst. a",
    "Nummer 4 Buchstabe b",
    "Satz 2 Halbsatz 1",
    "S. 1 Hs. 2",
    "Satz 1 Alt. 2",
]


@st.composite
def printed(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A citation as text, with the corpus, section and Absatz that it means."""
    book, _ = stock()
    corpus = draw(st.sampled_from(sorted(LAWS)))
    section = draw(st.sampled_from([one for one in book.sections(corpus) if one.startswith("§")])).removeprefix("§ ")
    subsection = draw(st.sampled_from(SUBSECTIONS))
    blank = draw(BLANK)
    law, sign, tail = draw(st.sampled_from(LAWS[corpus])), draw(SIGNS), draw(st.sampled_from(TAILS))
    digits, letter = section.rstrip("abcdefghij"), section.lstrip("0123456789")
    number = f"{digits}{draw(st.sampled_from(['', blank]))}{letter}" if letter else digits
    behind_sign = blank if sign.startswith("Para") else draw(st.sampled_from(["", blank]))
    written = f"{draw(ABSATZ)}{draw(st.sampled_from(['', blank]))}{subsection}"
    level = draw(st.sampled_from([written, f"({subsection})"]))
    words = f"{sign}{behind_sign}{number}{blank}{level}{f' {tail}' if tail else ''}"
    return f"{words}{blank}{law}", corpus, f"§ {section}", subsection


@settings(max_examples=300, deadline=None)
@given(printed())
def test_a_printed_citation_is_read_back_to_its_address(case: tuple[str, str, str, str]) -> None:
    words, corpus, section, subsection = case
    book, names = stock()
    text = f"Maßgeblich ist {words}, soweit nichts anderes gilt."
    found = references(Chunk("own", "gg", "", "Artikel 1", "1", text=text), book, names)
    assert [one.state for one in found] in (["resolved"], ["repealed"])
    target = found[0].target
    assert target is not None
    assert (target.corpus_id, target.section_id, target.subsection) == (corpus, section, subsection)
    assert (found[0].start, found[0].end) == (15, 15 + len(words))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["1", "2", "3", "5", "7", "9", "10", "11", "11a", "12"]), min_size=2, max_size=6, unique=True), st.data())
def test_a_list_in_any_joints_names_exactly_its_sections(numbers: list[str], data: st.DataObject) -> None:
    ordered = sorted(numbers, key=lambda number: (int(number.rstrip("a")), number))
    joints = [data.draw(st.sampled_from([", ", "; ", ",\n"])) for _ in ordered[2:]]
    joints.append(data.draw(st.sampled_from([" und ", " oder ", " sowie ", " bzw. ", ", ", " und\u00a0"])))
    text = "§§ " + ordered[0] + "".join(joint + number for joint, number in zip(joints, ordered[1:], strict=True)) + " ApoG"
    found = citations(text)
    assert [citation.section for citation in found] == ordered
    assert {citation.law for citation in found} == {"ApoG"}


@pytest.mark.parametrize("dash", [" bis ", "-", " - ", "–", " – ", "—", "\u2011", " bis einschließlich ", " bis zum § ", "\u00a0bis\u00a0"])
def test_a_range_is_one_with_every_dash(dash: str) -> None:
    (citation,) = citations(f"§§ 9{dash}12 ApoG")
    assert (citation.section, citation.until, citation.law) == ("9", "12", "ApoG")


@pytest.mark.parametrize(
    "joint",
    [
        "i. V. m.",
        "i.V.m.",
        "iVm",
        "i.\u00a0V.\u00a0m.",
        "i. V. mit",
        "in Verbindung mit",
        ", auch in Verbindung mit",
        ", jeweils in Verbindung mit",
        "und",
        "bzw.",
        "sowie",
    ],
)
def test_two_sections_are_joined_in_every_spelling(joint: str) -> None:
    gap = "" if joint.startswith(",") else " "
    found = citations(f"§ 9 Abs. 1{gap}{joint} § 12 ApoG")
    assert [(citation.section, citation.law) for citation in found] == [("9", "ApoG"), ("12", "ApoG")]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*(word for one in sentences() for word in one.text.split(" ")), "\n", "„", "“", "(", ")"]), max_size=40),
    st.data(),
)
def test_words_of_real_sentences_in_any_order_give_spans_inside_the_text(words: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([" ", "", "\n"])).join(words)
    found = citations(text)
    assert all(0 <= citation.start < citation.end <= len(text) for citation in found)
    assert all(text[citation.start : citation.end] == citation.words for citation in found)
    assert all(first.start <= second.start for first, second in pairwise(found))


@pytest.mark.parametrize(
    ("piece", "length"),
    [
        ("§", 1_000_000),
        *(
            (piece, 160_000)
            for piece in ("§ ", "§ 1 ", "§§ 1, ", "\u00ad", "-\n", "a-\n", "§ 1 in der bis zum ", "aaO § 1 ", "(+++ ", "Abs. 1 i. V. m. ")
        ),
    ],
)
def test_the_time_is_linear_up_to_a_million_signs(piece: str, length: int) -> None:
    def seconds(size: int) -> float:
        text = (piece * size)[:size]
        start = time.process_time()
        citations(text)
        return time.process_time() - start

    # Eight times the text: linear is a factor of 8, quadratic one of 64.
    assert seconds(length) < 30 * min(seconds(length // 8) for _ in range(2)) + 0.05


def test_reading_twice_gives_the_same() -> None:
    assert [read(one) for one in sentences()] == [read(one) for one in sentences()]

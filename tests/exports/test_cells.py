"""Cells: text stays text, numbers stay numbers, and what was guarded can be read back."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.exports.cells import csv_of, original_text, safe_text

FORMULAS = [
    '=HYPERLINK("http://beispiel.invalid";"x")',
    "- Abgabe nur im Notfall",
    "−5 Grad",
    "@summe",
    "\t=1+1",
    "\rText",
    "\nText",
    "+49 30",
    "   =1+1",
    "\u00a0=1+1",
    "\u200b=1+1",
    "\ufeff=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠summe",
    "'=1+1",
    "''  @summe",
]
risky = st.sampled_from(["'", "=", "+", "-", "−", "@", "\t", "\r", "\n", " ", "\u00a0", "＝", "\u200b"])


def read(data: bytes, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter))


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_begins_like_a_formula_is_guarded_visibly_and_reversibly(text: str) -> None:
    assert safe_text(text) == "'" + text
    assert original_text(safe_text(text)) == text


@pytest.mark.parametrize("text", ["§ 129 Abs. 2", "Ärzte", "", "'s ist", "3 - 4", "a=b", "–", "(+)"])
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert (safe_text(text), original_text(text)) == (text, text)


@given(st.text() | st.lists(risky | st.text(max_size=3), max_size=8).map("".join))
@example("''=")
def test_every_text_comes_back(text: str) -> None:
    assert original_text(safe_text(text)) == text


@given(st.lists(risky | st.text(max_size=3), max_size=8).map("".join))
def test_a_guarded_text_begins_with_no_sign_that_runs(text: str) -> None:
    assert safe_text(text).lstrip(" \u00a0\u200b")[:1] not in tuple("=+-−@\t\r\n＝")


def test_a_german_table_has_semicolons_and_decimal_commas() -> None:
    data = csv_of(["Fundstelle", "Wert"], [['§ 5 Größe; "neu"', -0.1198], ["- Abgabe", 0.0], ["leer", None]], "de")
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.decode("utf-8-sig").splitlines(keepends=True)[1] == '"§ 5 Größe; ""neu""";-0,1198\r\n'
    assert read(data, ";")[2:] == [["'- Abgabe", "0,0"], ["leer", ""]]


def test_an_english_table_has_commas_and_decimal_points() -> None:
    assert read(csv_of(["Provision", "Score"], [["§ 5, new", -0.1198], ["x", 12]], "en"), ",")[1:] == [["§ 5, new", "-0.1198"], ["x", "12"]]


@given(st.floats())
def test_a_number_stays_the_same_number_without_exponent(number: float) -> None:
    cell = read(csv_of(["x", "y"], [[number, "z"]], "de"), ";")[1][0]
    assert "e" not in cell.lower()
    assert cell == "" if number != number or abs(number) == float("inf") else float(cell.replace(",", ".")) == number


def test_a_head_that_looks_like_a_formula_is_guarded_too() -> None:
    assert read(csv_of(["=1+1"], [], "de"), ";") == [["'=1+1"]]


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=2, max_size=2), max_size=4))
def test_every_text_comes_back_out_of_the_table(rows: list[list[str]]) -> None:
    assert [[original_text(cell) for cell in row] for row in read(csv_of(["a", "b"], rows, "de"), ";")[1:]] == rows

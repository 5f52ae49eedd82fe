"""Question sets that come and go in the formats of others: said line by line, and equal after a round trip."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import msgspec
import openpyxl
import pytest
from hypothesis import given, settings

from retrieval.errors import BadInput, BadSource
from retrieval.evaluation import sets
from retrieval.evaluation.formats import FORMATS, csv_table
from retrieval.evaluation.formats.preview import Preview, lost, reduced
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from tests.evaluation.question_sets import federation, need, one_line, question, question_sets

GOLDS = Golds(federation())
ROWS = (("id", "frage", "gold"), ("1", "Wie läuft die Prüfung?", "sgb_v § 129 Abs. 2; ampreisv § 3"), ("2", "Was gilt für §?", ""))


def codes(preview: Preview, line: int) -> list[str]:
    """The remarks of a line."""
    return [remark.code for row in preview.rows if row.line == line for remark in row.remarks]


def table(*rows: Sequence[str]) -> bytes:
    return "\n".join(";".join(row) for row in rows).encode()


# --- round trips ------------------------------------------------------------------------------------------------------------


def round_trip(name: str, made: QuestionSet) -> None:
    chosen = FORMATS[name]
    assert chosen.write is not None
    data = chosen.write(made)
    assert data == chosen.write(made)
    texts = None if "text" in chosen.holds else {one.id: one.text for one in made.questions}
    preview = chosen.read(data, Golds(), made.name, texts)
    assert preview.questions == reduced(made, chosen.holds)
    assert preview.count("refused") == 0


@pytest.mark.parametrize("name", ["csv", "xlsx", "beir", "toml"])
@settings(max_examples=60)
@given(made=question_sets())
def test_what_is_exported_and_read_again_is_equal(name: str, made: QuestionSet) -> None:
    round_trip(name, made)
    assert reduced(made, FORMATS[name].holds) == made


@pytest.mark.parametrize("name", ["quepid", "opensearch", "ranx", "trec"])
@settings(max_examples=60)
@given(made=question_sets(one_line))
def test_what_a_format_can_hold_is_equal_after_a_round_trip(name: str, made: QuestionSet) -> None:
    round_trip(name, made)


@pytest.mark.parametrize("name", FORMATS)
def test_the_sample_set_comes_back_from_every_format(name: str) -> None:
    sample = Path(__file__).parents[2] / "sample_corpora" / "questions.toml"
    round_trip(name, sets.load(sample).questions)


def test_what_a_format_loses_is_known_before() -> None:
    alternatives = question("a", "Frage?", need("g||§ 1", "g||§ 2"), chain=True, note="x")
    assert lost(QuestionSet("s", (alternatives,)), FORMATS["csv"].holds) == ()
    assert lost(QuestionSet("s", (alternatives,)), FORMATS["trec"].holds) == ("chain", "note")
    assert lost(QuestionSet("s", (alternatives,)), FORMATS["quepid"].holds) == ("id", "any_of", "chain", "note")
    assert lost(QuestionSet("s", (question("a"),)), FORMATS["ranx"].holds) == ("text",)


# --- tables -----------------------------------------------------------------------------------------------------------------

_CSV = 'id;frage;gold\n1;Wie läuft die Prüfung?;"sgb_v § 129 Abs. 2; ampreisv § 3"\n2;Was gilt für §?;\n'
_COMMAS = 'id,frage,gold\n1,Wie läuft die Prüfung?,"sgb_v § 129 Abs. 2; ampreisv § 3"\n2,Was gilt für §?,\n'


@pytest.mark.parametrize(
    "data",
    [
        _CSV.encode("utf-8-sig"),
        _CSV.encode(),
        _CSV.encode("cp1252"),
        _COMMAS.encode(),
        _CSV.replace("\n", "\r\n").encode(),
        _CSV.replace(";", "\t").replace("2\t ", "2; ").encode("utf-16"),
        b"sep=;\r\n" + _CSV.replace("\n", "\r\n").encode("cp1252"),
    ],
    ids=["mark", "utf-8", "cp1252", "commas", "crlf", "unicode text", "sep"],
)
def test_a_table_reads_alike_in_all_habits_of_spreadsheets(data: bytes) -> None:
    preview = csv_table.read(data, GOLDS, "fragen")
    first, second = preview.questions.questions
    assert (first.id, first.text) == ("1", "Wie läuft die Prüfung?")
    assert first.needs == (need("sgb_v||§ 129|2"), need("ampreisv||§ 3"))
    assert (second.id, second.text, second.needs) == ("2", "Was gilt für §?", ())
    assert preview.head == ()


def test_bytes_that_are_no_text_are_refused_with_the_line() -> None:
    with pytest.raises(BadSource, match="line 2"):
        csv_table.read(b"id;frage\n1;Pr\x81fung\n", GOLDS, "fragen.csv")


def test_a_sign_that_was_lost_before_is_not_stored() -> None:
    preview = csv_table.read(table(("id", "frage"), ("1", "Pr\ufffdfung?")), GOLDS)
    assert codes(preview, 2) == ["replacement"]
    assert preview.questions.questions == ()


def test_rows_that_are_not_complete_are_told_line_by_line() -> None:
    data = (
        "id;frage;gold;Farbe\n"
        ";Nur eine Frage?\n"
        "b;Ohne Norm?;\n"
        "c;Mit Norm?;SGB V § 129;blau\n"
        "c;Doppelte Nummer?;\n"
        "d;Mit Norm? ;\n"
        "e;;sgb_v § 129\n"
        "f;Zu viele?;;;x\n"
        ";;;\n"
        "g;Mit Norm?;\n"
    )
    preview = csv_table.read(data.encode(), GOLDS, "fragen")
    assert [(remark.code, remark.values) for remark in preview.head] == [("unknown_column", {"column": "Farbe"})]
    assert {row.line: (row.verdict, [remark.code for remark in row.remarks]) for row in preview.rows} == {
        2: ("remarked", ["id_made", "no_gold"]),
        3: ("remarked", ["no_gold"]),
        4: ("taken", []),
        5: ("refused", ["doubled_id"]),
        6: ("refused", ["blank_only"]),
        7: ("refused", ["no_text"]),
        8: ("refused", ["too_many_cells"]),
        9: ("refused", ["empty_line"]),
        10: ("refused", ["same_text"]),
    }
    assert [one.id for one in preview.questions.questions] == ["nur-eine-frage", "b", "c"]
    assert (preview.without_gold, preview.count("taken"), preview.count("remarked"), preview.count("refused")) == (2, 1, 2, 6)


def test_gold_that_is_not_in_stock_is_said_at_import_and_counted() -> None:
    preview = csv_table.read(
        table(("frage", "gold"), ("A?", '"sgb_v § 129 Abs. 2; SGB V § 129 Absatz 2"'), ("B?", '"sgb_v § 999; unbekannt § 1"')), GOLDS
    )
    assert preview.states == {"in_stock": 2, "not_in_stock": 2}
    assert codes(preview, 2) == ["gold_twice", "id_made"]
    assert codes(preview, 3) == ["gold_not_in_stock", "gold_not_in_stock", "id_made"]
    first, second = preview.questions.questions
    assert first.needs[0].any_of[0].address == first.needs[1].any_of[0].address
    assert len(second.needs) == 2


def test_a_norm_that_slipped_into_a_column_that_is_not_read_is_said() -> None:
    preview = csv_table.read(
        table(("id", "frage", "gold", "Farbe"), ("1", "A?", "§ 129 SGB V", " § 3 AMPreisV"), ("2", "B?", "", "blau")), GOLDS
    )
    assert [codes(preview, line) for line in (2, 3)] == [["norm_beside"], ["no_gold"]]


def test_gold_that_nobody_can_read_refuses_its_row() -> None:
    preview = csv_table.read(table(("frage", "gold"), ("A?", "siehe oben"), ("B?", "Anlage 11 LRV"), ("C?", "§ 5 SatzT")), GOLDS)
    assert [codes(preview, line)[0] for line in (2, 3, 4)] == ["gold_unreadable", "gold_unreadable_whole_part", "gold_ambiguous"]
    assert [row.verdict for row in preview.rows] == ["refused", "refused", "remarked"]


def test_cells_are_read_as_people_write_them() -> None:
    head = ("Nr.", "Frage", "Fundstellen", "Grad", "Kette", "Schlagworte", "Datum")
    preview = csv_table.read(
        table(head, ("1", "A?", "§ 129 SGB V", "2,0", "Ja", "Kette, Abgabe", "2.5.2033"), ("2", "B?", "§ 129 SGB V", "10", "", "", "bald")),
        GOLDS,
    )
    one, two = preview.questions.questions
    assert (one.chain, one.tags, one.date, one.needs[0].any_of[0].grade) == (True, ("Kette", "Abgabe"), "2033-05-02", 2)
    assert (two.chain, two.date, two.needs[0].any_of[0].grade) == (False, "", 3)
    assert codes(preview, 3) == ["grade_fitted", "date_unreadable"]


@pytest.mark.parametrize(
    ("cells", "code"),
    [({"Grad": "hoch"}, "rating_unreadable"), ({"Grad": "0"}, "not_relevant"), ({"Kette": "vielleicht"}, "chain_unreadable")],
)
def test_a_cell_that_says_something_unclear_refuses_its_row(cells: dict[str, str], code: str) -> None:
    preview = csv_table.read(table(("frage", *cells), ("A?", *cells.values())), GOLDS)
    assert codes(preview, 2)[0] == code
    assert preview.questions.questions == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nr;gold\n1;x\n", "a column 'frage'"),
        ("", "no names of columns"),
        ("frage;text\na;b\n", "two columns for text"),
        ('frage\n"offen\n', "a torn row that begins in line 2"),
    ],
)
def test_a_table_that_is_none_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        csv_table.read(text.encode(), GOLDS, "fragen.csv")


def test_texts_that_a_spreadsheet_would_run_are_guarded_and_come_back() -> None:
    made = QuestionSet("s", (question("-1", "=HYPERLINK(1)", note="@summe"),))
    data = csv_table.write(made)
    assert b"'=HYPERLINK" in data
    assert b"'-1" in data
    assert csv_table.read(data, Golds(), "s").questions == made
    (sheet,) = openpyxl.load_workbook(io.BytesIO(FORMATS["xlsx"].write(made))).worksheets  # type: ignore[misc]
    assert [cell.data_type for cell in sheet[2] if cell.value] == ["s", "s", "s"]


def test_ends_of_lines_of_every_kind_survive_a_workbook_as_one_kind() -> None:
    made = QuestionSet("s", (question("a", note="eins\r\nzwei\rdrei\nvier"),))
    (back,) = FORMATS["xlsx"].read(FORMATS["xlsx"].write(made), Golds(), "s", None).questions.questions
    assert back.note == "eins\nzwei\ndrei\nvier"
    book = openpyxl.Workbook()
    book.active.append(["id", "frage", "notiz"])
    book.active.append(["a", "Was gilt?", "eins_x000D_\nzwei"])
    out = io.BytesIO()
    book.save(out)
    (foreign,) = FORMATS["xlsx"].read(out.getvalue(), Golds(), "s", None).questions.questions
    assert foreign.note == "eins\nzwei"


def test_a_workbook_is_read_with_its_numbers_days_and_empty_rows() -> None:
    from datetime import datetime

    book = openpyxl.Workbook()
    book.active.append(["Hinweise"])
    sheet = book.create_sheet("Daten")
    sheet.append([None])
    for row in (
        ["Nr", "Frage", "Gold", "Kette", "Datum"],
        [1.0, "A?", "§ 129 SGB V", True, datetime(2033, 5, 2)],
        [None] * 5,
        [2, "B?"],
        [None],
    ):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    preview = FORMATS["xlsx"].read(out.getvalue(), GOLDS, "s")
    one, two = preview.questions.questions
    assert (one.id, one.chain, one.date, two.id) == ("1", True, "2033-05-02", "2")
    assert [(row.line, row.verdict) for row in preview.rows] == [(3, "taken"), (4, "refused"), (5, "remarked")]


def test_a_cell_far_away_makes_no_million_lines() -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"], book.active["A60000"], book.active["ZZ3"] = "Frage", "A?", "B?", "weit weg"
    out = io.BytesIO()
    book.save(out)
    preview = FORMATS["xlsx"].read(out.getvalue(), GOLDS, "s")
    assert [(row.line, row.verdict) for row in preview.rows] == [(2, "remarked"), (3, "refused"), (60000, "remarked")]


def test_empty_lines_in_a_row_are_told_once() -> None:
    preview = csv_table.read(b"\n\nfrage\nA?\n\n\n\nB?\n\n", GOLDS)
    assert [(row.line, row.verdict) for row in preview.rows] == [(4, "remarked"), (5, "refused"), (8, "remarked"), (9, "refused")]


def test_a_text_that_no_cell_can_hold_is_refused_at_export() -> None:
    with pytest.raises(BadInput, match="32767"):
        FORMATS["xlsx"].write(QuestionSet("s", (question("a", "x" * 40_000),)))  # type: ignore[misc]


def test_a_preview_survives_json() -> None:
    preview = csv_table.read(table(*ROWS), GOLDS, "s")
    assert msgspec.json.decode(msgspec.json.encode(preview), type=Preview) == preview

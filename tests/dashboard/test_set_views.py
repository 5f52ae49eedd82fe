"""Question sets as blocks: the list, what cannot be found, one question, differences, and the preview of an import."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard import goldnames
from dashboard.blocks import Block
from dashboard.views import preview as preview_view
from dashboard.views import question_sets as view
from dashboard.views.question_sets import Shelved
from dashboard.words import page_words
from retrieval.evaluation import formats
from retrieval.evaluation.changes import changes
from retrieval.evaluation.formats.preview import Preview
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.model import Gold, QuestionSet
from retrieval.evaluation.protocol_text import when
from retrieval.words import Words
from tests.evaluation.question_sets import address, federation, need, question

DE, EN = page_words("de"), page_words("en")
STOCK = federation()
SPECS = STOCK.specs
GOLDS = Golds(STOCK)
HOSTILE = "<b>*x*</b> $y$ [z](javascript:1)"
MADE = QuestionSet(
    "s",
    (
        question("gut", "Was gilt?", need("sgb_v||§ 129|2"), need("ampreisv||§ 3", "ta1||Ziffer 4.10"), tags=("Zwei", "eins")),
        question("fern", "Gibt es das?", need("sgb_v||§ 999"), need("sgb_v||§ 300"), chain=True, note="Nachsehen"),
        question("vage", HOSTILE, need(Gold(address(""), 3, "§ 5 SatzT"))),
        question("leer", "Ohne Norm?"),
    ),
)


def checked(made: QuestionSet = MADE) -> CheckedSet:
    return GOLDS.check(made)


def text(cell: Any) -> str:
    lines = cell if isinstance(cell, list) else [cell]
    return " / ".join(line["text"] if isinstance(line, dict) else line for line in lines).replace("\u00a0", " ")


def cells(block: Block) -> list[list[str]]:
    return [[text(cell) for cell in row["cells"]] for row in block["rows"]]


def tables(blocks: list[Block]) -> list[Block]:
    return [block for block in blocks if block["type"] == "table"]


# --- the list ---------------------------------------------------------------------------------------------------------------


def test_the_list_counts_what_cannot_be_found_by_its_state() -> None:
    (block,) = view.shelf([Shelved("s", True, "2033-05-02T12:05:00+00:00", "ab" * 32, checked())], DE)
    assert cells(block) == [
        [
            "s",
            "4",
            "6",
            "1 nicht im Bestand / 1 aufgehoben / 1 nicht eindeutig / 1 Frage ohne Norm",
            "02.05.2033, 14:05 Uhr",
            "abababababab",
        ]
    ]


def test_missing_broken_and_empty_are_different_displays() -> None:
    made = {"alles": QuestionSet("a", MADE.questions[:1]), "nichts": QuestionSet("n", MADE.questions[3:])}
    found = [Shelved(name, False, "2033-05-02T12:05:00+00:00", "0" * 64, checked(one)) for name, one in made.items()]
    (block,) = view.shelf([*found, Shelved("kaputt", True, "2033-05-02T12:05:00+00:00", "0" * 64)], DE)
    assert [row[:4] for row in cells(block)] == [
        ["alles / Beispielfragen, nur lesen", "1", "3", "alle im Bestand"],
        ["nichts / Beispielfragen, nur lesen", "1", "0", "keine Norm genannt / 1 Frage ohne Norm"],
        ["kaputt", "–", "–", "Datei nicht lesbar"],
    ]


@pytest.mark.parametrize("words", [DE, EN])
def test_a_set_was_written_at_the_hour_that_the_protocol_names(words: Words) -> None:
    late = "2033-05-02T22:30:00+00:00"
    (block,) = view.shelf([Shelved("s", True, late, "0" * 64)], words)
    assert cells(block)[0][4] == when(late, words)
    assert "00:30" in cells(block)[0][4]


def test_every_norm_that_something_is_to_be_said_about_is_named_with_its_question() -> None:
    said, found = view.problems(checked(), SPECS, DE)
    assert said["text"] == "2 von 6 Normen kann keine Suche finden. Hier steht jede, zu der etwas zu sagen ist."
    rows = cells(found)
    assert [(row[0], row[2]) for row in rows] == [
        ("SGB V · § 999: nicht im Bestand", "Gibt es das? / fern"),
        ("SGB V · § 300: aufgehoben", "Gibt es das? / fern"),
        ("SatzT · § 5: nicht eindeutig · Grad 3", f"{HOSTILE} / vage"),
    ]
    assert rows[2][1].endswith("Gemeint sein kann: / SatzT · Teil A · § 5 / SatzT · Teil B · § 5")


def test_a_set_in_good_order_is_said_to_be_so() -> None:
    good = QuestionSet("g", MADE.questions[:1])
    assert [block["text"] for block in view.problems(checked(good), SPECS, DE)] == ["Alle 3 Normen sind im Bestand und gelten."]
    assert view.problems(checked(QuestionSet("n", MADE.questions[3:])), SPECS, DE) == []
    repealed = QuestionSet("r", (question("a", "", need("sgb_v||§ 300")),))
    assert view.problems(checked(repealed), SPECS, DE)[0]["text"] == "Die Norm steht im Bestand; trotzdem ist etwas zu ihr zu sagen."


def test_no_text_without_a_norm_is_drawn_as_a_link() -> None:
    found = view.problems(checked(), SPECS, DE)[1]
    lines = [line for row in found["rows"] for cell in row["cells"] if isinstance(cell, list) for line in cell if isinstance(line, dict)]
    assert all(line.get("written") or line["norm"] for line in lines)


# --- questions ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["gut", "fern", "vage", "leer"]),
        ({"wanted": "GILT was"}, ["gut"]),
        ({"wanted": "nachsehen"}, ["fern"]),
        ({"wanted": "§ 999"}, ["fern"]),
        ({"tag": "Zwei"}, ["gut"]),
        ({"odd": True}, ["fern", "vage", "leer"]),
        ({"wanted": "gilt", "odd": True}, []),
    ],
)
def test_questions_are_found_by_words_tags_and_what_is_to_be_said(asked: dict[str, Any], found: list[str]) -> None:
    assert [one.question.id for one in view.matching(checked(), **asked)] == found


def test_tags_are_listed_once_and_by_name() -> None:
    assert view.tags(checked()) == ["eins", "Zwei"]


def test_one_line_says_what_a_question_needs() -> None:
    lines = [view.line(one, DE) for one in checked().questions]
    assert lines[0] == "Was gilt?\ngut · 3 Normen · Zwei, eins"
    assert lines[1] == "Gibt es das?\nfern · 2 Normen · zu 2 Normen ist etwas zu sagen · nur alle Normen zusammen"
    assert lines[3] == "Ohne Norm?\nleer · keine Norm genannt"


def test_what_a_question_needs_is_a_sentence_and_a_table() -> None:
    blocks = view.question(checked().questions[0], SPECS, DE)
    said = [block["text"] for block in blocks if block["type"] == "paragraph"]
    assert said == ["Zur Antwort gehören: SGB V · § 129 Abs. 2; und AMPreisV · § 3 oder TA1 · Ziffer 4.10. Auch ein Teil davon hilft."]
    assert [row[1] for row in cells(tables(blocks)[0])] == [
        "SGB V · § 129 Abs. 2: im Bestand",
        "AMPreisV · § 3: im Bestand / oder / TA1 · Ziffer 4.10: im Bestand",
    ]


def test_a_chain_says_that_only_all_norms_answer() -> None:
    blocks = view.question(checked().questions[1], SPECS, EN)
    assert "Only all of them together answer the question." in str(blocks)
    about = dict(cells(tables(blocks)[1]))
    assert about == {
        "Chain": "yes: only all norms together answer the question",
        "Tags": "not given",
        "Written by": "not given",
        "Note": "Nachsehen",
        "Date": "not given",
    }


def test_texts_of_people_stand_as_they_are_written() -> None:
    blocks = view.question(
        checked(QuestionSet("s", (question("x", HOSTILE, note=HOSTILE, author=HOSTILE, date="2033-05-02"),))).questions[0], SPECS, DE
    )
    about = tables(blocks)[0]
    assert [line["written"] for row in about["rows"] for cell in row["cells"][1:] if isinstance(cell, list) for line in cell] == [True] * 4
    assert dict(cells(about))["Datum"] == "02.05.2033"


# --- differences --------------------------------------------------------------------------------------------------------------


def test_differences_are_told_by_name_in_words() -> None:
    before = QuestionSet("s", (MADE.questions[0], question("weg", "Weg?")))
    after = QuestionSet(
        "s", (question("gut", "Was gilt?", need("sgb_v||§ 31"), chain=True, tags=("Zwei", "eins")), question("neu", "Neu?"))
    )
    said, found = view.difference(changes(before, after), SPECS, DE)
    assert said["text"] == "Seither ist 1 Frage dazugekommen. Seither wurde 1 Frage entfernt. Seither wurde 1 Frage geändert."
    assert cells(found) == [
        ["dazugekommen", "Neu? / neu", "", ""],
        ["entfernt", "Weg? / weg", "", ""],
        [
            "geändert: Normen, Kette",
            "Was gilt? / gut",
            "SGB V · § 129 Abs. 2; und AMPreisV · § 3 oder TA1 · Ziffer 4.10 / nein",
            "SGB V · § 31 / ja: nur alle Normen zusammen beantworten die Frage",
        ],
    ]


def test_a_change_of_the_grade_alone_is_to_be_seen() -> None:
    one, other = (QuestionSet("s", (question("a", "A?", need(Gold(address("sgb_v||§ 129"), grade))),)) for grade in (1, 3))
    row = cells(view.difference(changes(one, other), SPECS, DE)[1])[0]
    assert row[2:] == ["sgb_v § 129", "sgb_v § 129 [3]"]


def test_equal_versions_and_another_order_are_said() -> None:
    assert view.difference(changes(MADE, MADE), SPECS, DE)[0]["text"].endswith("kein Unterschied.")
    turned = QuestionSet("s", MADE.questions[::-1])
    assert [block["text"] for block in view.difference(changes(MADE, turned), SPECS, DE)] == ["Die Fragen stehen in anderer Reihenfolge."]


# --- the preview ---------------------------------------------------------------------------------------------------------------


def previewed(data: str, name: str = "csv") -> Preview:
    return formats.read(name, data.encode(), GOLDS, "s")


def test_the_preview_counts_lines_questions_and_states() -> None:
    preview = previewed("id;frage;gold\n1;A?;§ 129 SGB V\n2;B?;\n3;C?;siehe oben\n")
    (said,) = preview_view.summary(preview, DE)
    assert said["text"] == (
        "3 Zeilen: 1 übernommen, 1 mit Hinweis übernommen, 1 nicht übernommen. Das ergibt 2 Fragen. Stand der genannten Normen: "
        "1 im Bestand. 1 Frage nennt keine Norm; sie kann gestellt werden, zählt aber nicht in der Ausbeute."
    )
    assert [row.line for row in preview_view.rows_with(preview, "refused")] == [4]
    assert len(preview_view.rows_with(preview, "")) == 3


def test_files_without_lines_count_entries() -> None:
    preview = previewed('{"querySetQueries": [{"queryText": "A?"}, {"queryText": "B?"}]}', "opensearch")
    assert preview_view.summary(preview, DE)[0]["text"].startswith("2 Einträge: ")
    assert preview_view.rows(preview, preview.rows, SPECS, DE)["head"][0] == "Eintrag"


def test_what_a_form_was_read_as_names_norms_and_faults() -> None:
    ambiguous, refused = previewed("frage;gold;kette\nA?;§ 5 SatzT\nB?;§ 129 SGB V;vielleicht\n").rows
    (found, said) = preview_view.read(ambiguous, SPECS, DE)
    assert cells(found)[0][0] == "SatzT · § 5: nicht eindeutig"
    assert "bekommt „a“" in said["text"]
    assert preview_view.read(refused, SPECS, DE)[0]["lines"] == [
        "In der Spalte Kette steht „vielleicht“. Erwartet ist ja, nein oder nichts."
    ]


def test_a_norm_that_no_stock_was_asked_for_is_not_called_missing() -> None:
    (found,) = Golds().read("sgb_v § 129 Abs. 2")[0]
    assert goldnames.line(found, {}, DE) == "sgb_v · §\u00a0129 Abs. 2: nicht geprüft"
    assert not view.is_odd(found)

"""A table with one question in each row, as CSV and spreadsheets hold it: columns by their names, cells as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from retrieval.evaluation.formats.preview import Entry, Field, Intake, Preview, Remark, grade_of, unusable
from retrieval.evaluation.golds import LOWEST, Golds
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.spelling import cell_of, unprotected
from retrieval.exports.cells import original_text

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "nr", "nr.", "nummer", "kennung", "frage-id", "frage_id", "question_id", "question id", "qid"),
    "text": ("frage", "fragen", "text", "fragetext", "question", "query", "wortlaut"),
    "gold": ("gold", "norm", "normen", "fundstelle", "fundstellen", "goldnorm", "goldnormen", "norms"),
    "grade": ("grad", "gewicht", "stufe", "grade", "rating", "note_grad"),
    "chain": ("kette", "chain"),
    "tags": ("schlagworte", "schlagwörter", "stichworte", "stichwörter", "tags"),
    "author": ("autor", "autorin", "verfasser", "verfasserin", "author"),
    "note": ("notiz", "bemerkung", "anmerkung", "hinweis", "note", "notes"),
    "date": ("datum", "date"),
}
"""The columns by the names that people give them, in lower case; the first is the one that is written."""
HEAD = ("id", "frage", "gold", "kette", "schlagworte", "autor", "notiz", "datum")
HOLDS: frozenset[Field] = frozenset(("id", "text", "grade", "written", "any_of", "chain", "tags", "author", "note", "date"))

_YES = frozenset(("ja", "j", "x", "1", "true", "wahr", "yes", "y"))
_NO = frozenset(("", "nein", "n", "0", "false", "falsch", "no", "-"))
_NORM = re.compile(r"§|(?:Art\.|Artikel|Ziffer|Anlage)\s?\d")
_GERMAN_DATE = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")

Line = tuple[int, Sequence[str]]
"""The number of a line and its cells."""


def _is_empty(line: Line) -> bool:
    return not any(cell.strip() for cell in line[1])


def column_of(name: str) -> str:
    """The column that a heading means; empty for one that nobody knows."""
    heading = " ".join(original_text(name).replace("\ufeff", "").casefold().split())
    return next((column for column, names in COLUMNS.items() if heading in names), "")


def read_table(lines: Iterable[Line], golds: Golds, format_name: str, name: str) -> Preview:
    """The questions of a table whose first line holds the names of the columns. Raises BadInput where no column holds the questions."""
    rows = iter(lines)
    head_line, head = next((line for line in rows if not _is_empty(line)), (1, ()))
    columns = [column_of(heading) for heading in head]
    _check(columns, head, name, head_line)
    unknown = [
        Remark("unknown_column", {"column": heading.strip()})
        for heading, column in zip(head, columns, strict=True)
        if heading.strip() and not column
    ]
    intake = Intake()
    before_empty = False
    for line, cells in rows:
        before_empty, again = _is_empty((line, cells)), before_empty
        if before_empty:
            if not again:
                intake.refuse(line, "empty_line")
        elif any(cell.strip() for cell in cells[len(columns) :]):
            intake.refuse(line, "too_many_cells", cells=str(len(cells)), columns=str(len(columns)))
        else:
            known = {column: original_text(cell) for column, cell in zip(columns, cells, strict=False) if column}
            intake.add(_entry(line, known, golds, list(_beside(head, columns, cells))))
    return Preview(format_name, QuestionSet(name, tuple(intake.questions)), tuple(intake.rows), tuple(unknown))


def _beside(head: Sequence[str], columns: Sequence[str], cells: Sequence[str]) -> Iterator[Remark]:
    """Norms that slipped into a column that is not read: "§ 1; § 2" without quotation marks is two cells."""
    for heading, column, cell in zip(head, columns, cells, strict=False):
        if not column and _NORM.search(cell):
            yield Remark("norm_beside", {"column": heading.strip(), "value": cell.strip()})


def _check(columns: Sequence[str], head: Sequence[str], name: str, line: int) -> None:
    named = ", ".join(repr(heading.strip()[:30]) for heading in head if heading.strip()) or "no names of columns"
    if "text" not in columns:
        wanted = f"a column 'frage' (or {', '.join(COLUMNS['text'][1:])})"
        raise unusable(name, f"{named} in line {line}", wanted, "Name the column of the questions in the first line.")
    doubled = sorted({column for column in columns if column and columns.count(column) > 1})
    if doubled:
        raise unusable(name, f"two columns for {', '.join(doubled)} ({named})", "one of each", "Rename or remove one of them.")


def _entry(line: int, cells: Mapping[str, str], golds: Golds, remarks: list[Remark]) -> Entry:
    refusals: list[Remark] = []
    grade, said = grade_of(cells.get("grade", ""))
    if said:
        (remarks if grade else refusals).append(said)
    chain = cells.get("chain", "").strip().casefold()
    if chain not in _YES | _NO:
        refusals.append(Remark("chain_unreadable", {"value": cells["chain"].strip()}))
    day = day_of(cells.get("date", ""))
    if day is None:
        remarks.append(Remark("date_unreadable", {"value": cells["date"].strip()}))
    return Entry(
        line,
        cells.get("id", "").strip(),
        cells.get("text", ""),
        golds.read(cells.get("gold", ""), grade or LOWEST),
        tuple(remarks),
        tuple(refusals),
        chain in _YES,
        tuple(dict.fromkeys(unprotected(tag.strip()) for tag in re.split(r"[,;|\n]", cells.get("tags", "")) if tag.strip())),
        cells.get("author", "").strip(),
        cells.get("note", "").strip(),
        day or "",
    )


def day_of(text: str) -> str | None:
    """A date as an ISO date: 2033-05-02, 2.5.2033, 02.05.2033; empty for none, None for what is no date."""
    words = text.strip()
    german = _GERMAN_DATE.fullmatch(words)
    try:
        if german:
            return date(int(german[3]), int(german[2]), int(german[1])).isoformat()
        return datetime.fromisoformat(words).date().isoformat() if words else ""
    except ValueError:
        return None


def rows_of(questions: QuestionSet) -> Iterator[list[str]]:
    """The cells of each question, in the order of ``HEAD``."""
    for one in questions.questions:
        yield [one.id, one.text, cell_of(one.needs), "ja" if one.chain else "", _tags(one), one.author, one.note, one.date]


def _tags(question: Question) -> str:
    return ", ".join(re.sub(r"[%,;|\n]", lambda sign: f"%{ord(sign[0]):02X}", tag) for tag in question.tags)

"""XLSX: the first sheet that has a column of questions, one question in each row."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from retrieval.errors import BadInput
from retrieval.evaluation.formats.preview import Preview, unusable
from retrieval.evaluation.formats.table import HEAD, Line, column_of, read_table, rows_of
from retrieval.evaluation.formats.zipped import members
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.exports.cells import safe_text

NAME = "xlsx"
_MOST_CHARACTERS = 32_767
"""What one cell of a spreadsheet holds at most (Excel specifications and limits)."""
_MOST_COLUMNS = 64
_RETURN = "_x000D_\n"
"""How a workbook spells an end of line that has a carriage return (ECMA-376, ST_Xstring)."""
_WIDTHS = (24, 60, 60, 8, 24, 20, 40, 12)
_PLAIN = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a workbook. Raises BadInput for what is no workbook, and for one without a column of questions."""
    members(data, name)  # bounds what it unpacks to before anything is unpacked
    import openpyxl

    try:
        with warnings.catch_warnings(action="ignore"):  # about what a workbook has beside its cells
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = [list(_lines(sheet)) for sheet in book.worksheets]
            book.close()
    except Exception as error:  # the library has no root for what a foreign file makes it raise
        found = f"no workbook that can be read ({type(error).__name__})"
        raise unusable(name, found, "an XLSX file without password", "Save it as XLSX again, or as CSV.") from error
    rows = next((sheet for sheet in sheets if _has_questions(sheet)), sheets[0] if sheets else [])
    return read_table(rows, golds, NAME, name)


def _has_questions(sheet: Sequence[Line]) -> bool:
    return bool(sheet) and any(column_of(cell) == "text" for cell in sheet[0][1])


def _lines(sheet: Any) -> Iterator[Line]:
    """The rows of a sheet as texts. Of empty rows in a row the first is kept; those at both ends are formatting and no lines."""
    sheet.reset_dimensions()  # the size that a file states may be wrong
    begun, empty = False, 0
    for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=_MOST_COLUMNS), start=1):
        texts = [_text(cell) for cell in row]
        if not any(text.strip() for text in texts):
            empty = empty or number
            continue
        if begun and empty:
            yield empty, ()
        begun, empty = True, 0
        yield number, texts


def _text(cell: Any) -> str:
    """A cell as a person reads it: whole numbers without a point, days without a time, truth as yes or no."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "ja" if cell else "nein"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell).replace(_RETURN, "\n")


def write(questions: QuestionSet) -> bytes:
    """The set as a workbook with one sheet; texts that would run are guarded. Raises BadInput for a text that no cell can hold."""
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, _PLAIN) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})  # the same set gives the same bytes
        sheet = book.add_worksheet("Fragen")
        heads, cells = (book.add_format({"text_wrap": True, "valign": "top", "bold": bold}) for bold in (True, False))
        for column, width in enumerate(_WIDTHS):
            sheet.set_column(column, column, width)
        for row, texts in enumerate([list(HEAD), *rows_of(questions)]):
            for column, text in enumerate(texts):
                if text:
                    sheet.write_string(row, column, _fitting(text, row), cells if row else heads)
        sheet.freeze_panes(1, 1)
        sheet.autofilter(0, 0, len(questions.questions), len(HEAD) - 1)
    return out.getvalue()


def _fitting(text: str, row: int) -> str:
    safe = safe_text(text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(safe) > _MOST_CHARACTERS:
        raise BadInput(
            f"Row {row + 1}: found a text of {len(safe)} characters; a cell of a spreadsheet holds {_MOST_CHARACTERS}. "
            "Shorten it, or use CSV."
        )
    return safe

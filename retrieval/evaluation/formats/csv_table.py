"""CSV in the habits of German spreadsheets: semicolon, comma or tab, with or without byte order mark, UTF-8 or Windows-1252."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping

from retrieval.evaluation.formats.preview import Preview, unusable
from retrieval.evaluation.formats.table import HEAD, Line, column_of, read_table, rows_of
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.exports.cells import csv_of
from retrieval.readers.safe_files import decoded

NAME = "csv"
_DELIMITERS = (";", ",", "\t")


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a CSV file, one in each row. Raises BadSource for bytes that are no text, BadInput for a torn table."""
    text = decoded_table(data, name)
    return read_table(lines_of(text, delimiter_of(text), name), golds, NAME, name)


def write(questions: QuestionSet) -> bytes:
    """The set as a German spreadsheet opens it: semicolons, UTF-8 with byte order mark; texts that would run are guarded."""
    return csv_of(HEAD, rows_of(questions), "de")


def decoded_table(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, Windows-1252, or UTF-16 with its mark, which spreadsheets call Unicode text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            raise unusable(name, "a torn UTF-16 text", "UTF-8, Windows-1252 or UTF-16", "Save the file as UTF-8.") from None
    return decoded(data, name or "CSV")


def delimiter_of(text: str, known: Mapping[str, object] | None = None) -> str:
    """The sign that parts the columns: a line ``sep=;`` says so, else the one that makes the most known names of the first line."""
    first = text.partition("\n")[0].strip()
    if first.casefold().startswith("sep=") and len(first) == 5:
        return first[-1]

    def names(delimiter: str) -> int:
        try:
            heading = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:  # a cell longer than any name
            return 0
        return sum((name.strip().casefold() in known) if known is not None else bool(column_of(name)) for name in heading)

    return max(_DELIMITERS, key=names)


def lines_of(text: str, delimiter: str, name: str) -> Iterator[Line]:
    """The rows of a CSV text, each with the line on which it begins; a first line ``sep=;`` is no row."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begin = 1
    try:
        for cells in rows:
            if not (begin == 1 and cells and cells[0].casefold().startswith("sep=")):
                yield begin, cells
            begin = rows.line_num + 1
    except csv.Error as error:
        found = f"a torn row that begins in line {begin} ({error})"
        raise unusable(name, found, "quotation marks in pairs around a cell", "Mend the row, or save the table as CSV again.") from None

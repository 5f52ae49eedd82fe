"""A run as a spreadsheet that can be recalculated: the settings are cells, the amounts and sums are formulas over them.

The values of the run stand beside the formulas, so a program that calculates nothing shows them too.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

import xlsxwriter

from retrieval.exports.cells import safe_text
from retrieval.exports.naming import label, shown, title
from retrieval.exports.sections import basis, selection
from retrieval.exports.tables import CEILING, SCORE, SHARE, WEIGHT, Content, Formula, K, Table, tables
from retrieval.knobs import Knob, Value
from retrieval.settings import KNOBS
from retrieval.stages.fusion import ROUTES
from retrieval.trace import CorpusTrace, Trace
from retrieval.words import Words

_MOST_CHARACTERS = 32_767
"""What one cell of a spreadsheet holds at most (Excel specifications and limits)."""
_NAMED = {*(WEIGHT.format(route) for route in ROUTES), K, SCORE}
_WIDEST, _NARROWEST = 60, 9
_PLAIN = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
_Row = tuple[Content, ...]


def workbook(trace: Trace, words: Words, made: date) -> bytes:
    """The run as XLSX, the same bytes for the same run, language and day."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, _PLAIN) as book:
        book.set_properties({"title": words.t("report.title"), "created": datetime(made.year, made.month, made.day)})
        book.set_calc_mode("auto")
        writer = _Writer(book, words)
        writer.run(trace, made)
        for table in tables(trace, words):
            writer.table(table)
    return out.getvalue()


class _Writer:
    """Writes cells of each kind as what they are: texts as guarded texts, numbers as numbers, formulas with their value."""

    def __init__(self, book: Any, words: Words) -> None:
        self.book, self.words = book, words
        self.heads = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
        self.texts = book.add_format({"text_wrap": True, "valign": "top"})
        self.fractions = book.add_format({"num_format": "0.000", "valign": "top"})
        self.wholes = book.add_format({"num_format": "0", "valign": "top"})
        self.settings = book.add_format({"num_format": "0.00##", "valign": "top"})

    def sheet(self, name: str) -> Any:
        sheet = self.book.add_worksheet(self.words.t(f"file.sheet.{name}"))
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)
        return sheet

    def table(self, table: Table) -> None:
        """A sheet with a head that stays in view."""
        sheet = self.sheet(table.name)
        for column, width in enumerate(_widths(table)):
            sheet.set_column(column, column, width)
        self.row(sheet, 0, table.head, self.heads)
        for row, cells in enumerate(table.rows, start=1):
            self.row(sheet, row, cells)
        sheet.freeze_panes(1, 2)
        if table.rows:
            sheet.autofilter(0, 0, len(table.rows), len(table.head) - 1)

    def row(self, sheet: Any, row: int, cells: Iterable[Content], form: Any = None) -> None:
        for column, cell in enumerate(cells):
            self.put(sheet, row, column, cell, form)

    def put(self, sheet: Any, row: int, column: int, cell: Content, form: Any = None) -> None:
        """One cell; ``form`` is the format of a head or of fractions, None for the usual one. Nothing is written for None."""
        if isinstance(cell, Formula):
            whole = isinstance(cell.value, int)
            sheet.write_formula(row, column, f"={cell.text}", form or (self.wholes if whole else self.fractions), cell.value)
        elif isinstance(cell, str) and cell:
            sheet.write_string(row, column, self._fitting(cell), self.heads if form is self.heads else self.texts)
        elif isinstance(cell, (int, float)):
            sheet.write_number(row, column, cell, self.wholes if isinstance(cell, int) else form or self.fractions)

    def _fitting(self, text: str) -> str:
        clean = safe_text(text).encode("utf-8", "replace").decode()
        if len(clean) <= _MOST_CHARACTERS:
            return clean
        room = _MOST_CHARACTERS - len(self.words.t("file.cut.text", text=""))
        return self.words.t("file.cut.text", text=clean[:room])

    # --- the sheet of the run -------------------------------------------------------------------------------------------

    def run(self, trace: Trace, made: date) -> None:
        """Question, date, what the run rests on, the settings with names that the formulas read, and the corpora."""
        words, sheet = self.words, self.sheet("run")
        name = words.t("file.sheet.run").replace("'", "''")
        sheet.set_column(0, 0, 44)
        sheet.set_column(1, 3, 34)
        blocks = (_about(trace, made, words), _basis(trace, words), _settings(trace, words), _corpora(trace, words))
        row = 0
        for block in blocks:
            for number, (cells, named) in enumerate(block):
                is_head = number == 0 and block is not blocks[0]
                self.row(sheet, row, cells, self.heads if is_head else self.settings)
                if named:
                    self.book.define_name(named, f"='{name}'!$B${row + 1}")
                row += 1
            row += 1


def _widths(table: Table) -> Iterator[float]:
    for column, name in enumerate(table.head):
        longest = max((len(cell) for row in table.rows if isinstance(cell := row[column], str)), default=0)
        yield max(_NARROWEST, min(_WIDEST, longest + 2), min(len(name) + 2, 14))


_Line = tuple[_Row, str]
"""The cells of a line, and the name of its cell in column B, empty for none."""


def _about(trace: Trace, made: date, words: Words) -> list[_Line]:
    def line(key: str, value: Content) -> _Line:
        return (words.t(f"file.run.{key}"), value), ""

    without = ", ".join(words.word("stage", stage) for stage in trace.without)
    return [
        line("question", trace.question),
        line("date", words.date(made)),
        line("hits", len(trace.final)),
        line("limit", trace.limit or words.t("file.run.no_limit")),
        line("partial", words.t(f"file.run.partial_{'yes' if trace.partial else 'no'}")),
        *([line("without", without)] if without else []),
        line("how", words.t(f"file.run.{trace.settings.fusion.fusion}")),
        (("", words.t("file.run.change")), ""),
        (("", words.t("file.run.guard")), ""),
    ]


def _basis(trace: Trace, words: Words) -> list[_Line]:
    head = tuple(words.t(f"file.run.{name}") for name in ("basis", "version", "mark"))
    return [(head, ""), *((row, "") for row in basis(trace, words))]


def _settings(trace: Trace, words: Words) -> list[_Line]:
    head = tuple(words.t(f"file.run.{name}") for name in ("setting", "value", "default", "name"))
    rows = [(_setting(knob, trace, words), knob.name if knob.name in _NAMED else "") for knob in KNOBS.values()]
    total = "+".join(WEIGHT.format(route) for route in trace.shares)
    shares = [
        (
            (words.t("file.run.share", route=words.word("route", route)), Formula(f"{WEIGHT.format(route)}/({total})", share)),
            SHARE.format(route),
        )
        for route, share in trace.shares.items()
    ]
    found: list[_Line] = [(head, ""), *rows, *shares]
    if trace.rrf_ceiling:
        sums = "+".join(SHARE.format(route) for route in trace.shares)
        found.append(((words.t("file.run.ceiling"), Formula(f"({sums})/({K}+1)", trace.rrf_ceiling)), CEILING))
    return found


def _setting(knob: Knob, trace: Trace, words: Words) -> _Row:
    def cell(value: Value) -> Content:
        return shown(knob, value, words) if isinstance(value, str) else value

    return label(knob, words), cell(trace.settings.value(knob.name)), cell(knob.default), knob.name


def _corpora(trace: Trace, words: Words) -> list[_Line]:
    head = tuple(words.t(f"file.run.{name}") for name in ("corpus", "state", "answer"))
    return [(head, ""), *((_corpus(corpus, trace, words), "") for corpus in trace.corpora)]


def _corpus(corpus: CorpusTrace, trace: Trace, words: Words) -> _Row:
    answer = words.word("status", corpus.status) if corpus.status else None
    return title(corpus.corpus_id, trace.specs), selection(corpus, words), answer

"""Quepid's CSV of ratings: ``query,docid,rating``, one judgement in each row, a row with a query alone for one that nobody rated.

The longer export with ``Query Text``, ``Doc ID`` and ``Rating`` among other columns is read, too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

import msgspec

from retrieval.evaluation.formats.csv_table import decoded_table, delimiter_of, lines_of
from retrieval.evaluation.formats.judgements import Asked, Judgement, documents, read_judgements
from retrieval.evaluation.formats.preview import Field, Preview, Remark, unusable
from retrieval.evaluation.formats.table import Line
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.spelling import doc_id_of
from retrieval.exports.cells import original_text, safe_text

NAME = "quepid"
HOLDS: frozenset[Field] = frozenset(("text", "grade"))
_COLUMNS = {"query": "query", "query text": "query", "docid": "doc", "doc id": "doc", "doc_id": "doc", "rating": "rating"}
_BESIDE = frozenset(("team name", "case name", "case id", "doc position", "title", "modeled rating", "notes", "information need"))


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a file of ratings. Raises BadInput for a table without the three columns."""
    text = decoded_table(data, name)
    rows = lines_of(text, delimiter_of(text, _COLUMNS), name)
    _, head = next(rows, (1, []))
    columns = [_COLUMNS.get(heading.replace("\ufeff", "").strip().casefold(), "") for heading in head]
    if not {"query", "doc", "rating"} <= set(columns):
        found = ", ".join(repr(heading.strip()[:30]) for heading in head) or "no columns"
        raise unusable(name, found, "the columns query, docid, rating", "Export the ratings of the case again, in the basic form.")
    judgements = list(_judgements(rows, columns))
    asked = {one.key: Asked(text=one.key) for one in judgements if one.key.strip()}
    preview = read_judgements(judgements, asked, golds, NAME, name)
    unknown = [heading.strip() for heading, column in zip(head, columns, strict=True) if not column]
    strange = tuple(Remark("unknown_column", {"column": one}) for one in unknown if one and one.casefold() not in _BESIDE)
    return msgspec.structs.replace(preview, head=strange)


def _judgements(rows: Iterator[Line], columns: list[str]) -> Iterator[Judgement]:
    for line, cells in rows:
        values = {column: original_text(cell) for column, cell in zip(columns, cells, strict=False)}
        if any(cell.strip() for cell in cells):
            yield Judgement(line, values.get("query", ""), values.get("doc", "").strip(), values.get("rating", "").strip())


def write(questions: QuestionSet) -> bytes:
    """The set as ratings, in UTF-8 with commas as Quepid reads it; texts that a spreadsheet would run are guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("query", "docid", "rating"))
    for question in questions.questions:
        text = safe_text(question.text)
        rows = [(text, safe_text(doc_id_of(gold)), str(gold.grade)) for gold, _ in documents(question)]
        writer.writerows(rows or [(text, "", "")])
    return out.getvalue().encode()

"""The files that a run gives: one function for each kind, each with a name, a type and the bytes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date

import msgspec

from retrieval.exports import tables
from retrieval.exports.cells import csv_of
from retrieval.exports.fingerprints import Fingerprint
from retrieval.trace import Trace
from retrieval.words import Words

_LONGEST = 60
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "§": " par "})


class File(msgspec.Struct, frozen=True):
    """One file: its name without folder, its media type, its bytes."""

    name: str
    mime: str
    data: bytes


def file_name(question: str, made: date, ending: str) -> str:
    """A name out of question and day that is safe on every system: ``fundstelle-2033-05-02-wann-darf-die-apotheke.xlsx``.

    Only a to z, digits and hyphens come from the question, at most 60 characters, cut between words.
    """
    plain = unicodedata.normalize("NFKD", question.lower().translate(_UMLAUTS)).encode("ascii", "ignore").decode()
    words = re.findall("[a-z0-9]+", plain)
    while len("-".join(words)) > _LONGEST and len(words) > 1:
        words.pop()
    return "-".join(("fundstelle", made.isoformat(), *(["-".join(words)[:_LONGEST]] if words else []))) + f".{ending}"


def as_json(trace: Trace, words: Words, made: date) -> File:
    """The trace, whole; ``Trace.from_json`` reads it back."""
    return File(file_name(trace.question, made, "json"), "application/json", trace.to_json())


def as_xlsx(trace: Trace, words: Words, made: date) -> File:
    """The spreadsheet with formulas."""
    from retrieval.exports.spreadsheet import workbook

    mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return File(file_name(trace.question, made, "xlsx"), mime, workbook(trace, words, made))


def as_csv(trace: Trace, words: Words, made: date) -> File:
    """The final list as a plain table."""
    table = tables.final_list(trace, words)
    data = csv_of(table.head, table.values(), words.language)
    return File(file_name(trace.question, made, "csv"), "text/csv", data)


def as_html(trace: Trace, words: Words, made: date) -> File:
    """The report."""
    from retrieval.exports.report import report

    return File(file_name(trace.question, made, "html"), "text/html", report(trace, words, made))


def as_toml(trace: Trace, words: Words, made: date) -> File:
    """The settings, as ``--settings`` reads them, and as comments what the run rests on."""
    marks = "".join(f"# {line}\n" for line in Fingerprint.of(trace).to_toml().splitlines())
    return File(file_name(trace.question, made, "toml"), "application/toml", f"{trace.settings.to_toml()}\n{marks}".encode())


def as_production(trace: Trace, words: Words, made: date) -> File:
    """The fingerprints, for the comparison with production."""
    return File("fundstelle-production.toml", "application/toml", Fingerprint.of(trace).to_toml().encode())


KINDS: dict[str, Callable[[Trace, Words, date], File]] = {
    "html": as_html,
    "xlsx": as_xlsx,
    "csv": as_csv,
    "json": as_json,
    "toml": as_toml,
    "production": as_production,
}
"""The kinds of files, each made from a run, in one language, on one day."""

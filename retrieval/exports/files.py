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


class Kind(msgspec.Struct, frozen=True):
    """A kind of file: the ending of its name, its media type, and what makes its bytes of a run, in one language, on one day."""

    ending: str
    mime: str
    make: Callable[[Trace, Words, date], bytes]


def export(kind: str, trace: Trace, words: Words, made: date) -> File:
    """The run as a file of this kind. Raises KeyError for an unknown kind."""
    found = KINDS[kind]
    return File(name_of(kind, trace.question, made), found.mime, found.make(trace, words, made))


def name_of(kind: str, question: str, made: date) -> str:
    """The name of a file, known before the file is made."""
    return "fundstelle-production.toml" if kind == "production" else file_name(question, made, KINDS[kind].ending)


def file_name(question: str, made: date, ending: str) -> str:
    """A name out of question and day that is safe on every system: ``fundstelle-2033-05-02-wann-darf-die-apotheke.xlsx``.

    Only a to z, digits and hyphens come from the question, at most 60 characters, cut between words.
    """
    plain = unicodedata.normalize("NFKD", question.lower().translate(_UMLAUTS)).encode("ascii", "ignore").decode()
    words = re.findall("[a-z0-9]+", plain)
    while len("-".join(words)) > _LONGEST and len(words) > 1:
        words.pop()
    return "-".join(("fundstelle", made.isoformat(), *(["-".join(words)[:_LONGEST]] if words else []))) + f".{ending}"


def as_json(trace: Trace, words: Words, made: date) -> bytes:
    """The trace, whole; ``Trace.from_json`` reads it back."""
    return trace.to_json()


def as_xlsx(trace: Trace, words: Words, made: date) -> bytes:
    """The spreadsheet with formulas."""
    from retrieval.exports.spreadsheet import workbook

    return workbook(trace, words, made)


def as_csv(trace: Trace, words: Words, made: date) -> bytes:
    """The final list as a plain table."""
    table = tables.final_list(trace, words)
    return csv_of(table.head, table.values(), words.language)


def as_html(trace: Trace, words: Words, made: date) -> bytes:
    """The report."""
    from retrieval.exports.report import report

    return report(trace, words, made)


def as_toml(trace: Trace, words: Words, made: date) -> bytes:
    """The settings, as ``--settings`` reads them, and as comments what the run rests on."""
    marks = "".join(f"# {line}\n" for line in Fingerprint.of(trace).to_toml().splitlines())
    return f"{trace.settings.to_toml()}\n{marks}".encode()


def as_production(trace: Trace, words: Words, made: date) -> bytes:
    """The fingerprints, for the comparison with production."""
    return Fingerprint.of(trace).to_toml().encode()


KINDS: dict[str, Kind] = {
    "html": Kind("html", "text/html", as_html),
    "xlsx": Kind("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
    "csv": Kind("csv", "text/csv", as_csv),
    "json": Kind("json", "application/json", as_json),
    "toml": Kind("toml", "application/toml", as_toml),
    "production": Kind("toml", "application/toml", as_production),
}
"""All kinds, by the name that the command line and the page call them."""

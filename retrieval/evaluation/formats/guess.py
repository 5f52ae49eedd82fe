"""Which format a file has, by what stands in it; and what is wrong with a file that has none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from retrieval.errors import BadInput, BadSource
from retrieval.evaluation.formats import beir, csv_table, opensearch, quepid, ranx_json, toml_set, trec, xlsx
from retrieval.evaluation.formats.csv_table import decoded_table, delimiter_of, lines_of
from retrieval.evaluation.formats.zipped import is_archive, members

Fault = Literal["", "empty", "password", "old_workbook", "torn"]
"""``old_workbook``: the workbook format before XLSX. ``torn``: bytes that are no text, or an archive that cannot be unpacked."""

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How compound files begin: old workbooks, and new ones behind a password ([MS-CFB], [MS-OFFCRYPTO])."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_LOCKED_MEMBER, _FLAGS = 1, 6
"""The flag of a member behind a password, and where the flags of the first one stand (APPNOTE.TXT, 4.3.7 and 4.4.4)."""
_ENTRY = re.compile(r"^\s*\[\[\s*question\s*\]\]", re.MULTILINE)
_QREL = re.compile(r"\S+[ \t]+\S+[ \t]+\S+[ \t]+-?\d+")
_LINE = re.compile(r"line (\d+)")
_QUEPID = {"query": 1, "docid": 1, "rating": 1, "query text": 1, "doc id": 1, "doc_id": 1}


class Guess(msgspec.Struct, frozen=True):
    """The name of a format, or what speaks against every one; ``line`` is where a text is torn, 0 where no line can be named."""

    format: str = ""
    fault: Fault = ""
    line: int = 0


def guess(data: bytes) -> Guess:
    """The format that a file most likely has. A text of which nothing is known counts as a table, whose reader says what it misses."""
    if not data.strip(b"\x00\t\n\r \xef\xbb\xbf"):
        return Guess(fault="empty")
    if data.startswith(_COMPOUND):
        return Guess(xlsx.NAME, "password" if _ENCRYPTED in data else "old_workbook")
    if is_archive(data):
        return _of_archive(data)
    try:
        text = decoded_table(data, "")
    except (BadInput, BadSource) as error:
        found = _LINE.search(str(error))
        return Guess(csv_table.NAME, "torn", int(found[1]) if found else 0)
    return Guess(_of_text(text))


def _of_archive(data: bytes) -> Guess:
    if any(flags & _LOCKED_MEMBER for flags in data[_FLAGS : _FLAGS + 1]):
        return Guess(fault="password")
    try:
        files = members(data)
    except BadInput:
        return Guess(fault="torn")
    names = [path.rpartition("/")[2].lower() for path in files]
    if any(path.startswith("xl/") for path in files):
        return Guess(xlsx.NAME)
    return Guess(beir.NAME if "queries.jsonl" in names else trec.NAME)


def _of_text(text: str) -> str:
    if text.lstrip("\ufeff \n\t").startswith(("{", "[{")):
        return _of_json(text)
    if _ENTRY.search(text):
        return toml_set.NAME
    rows = [row.strip() for row in text.split("\n") if row.strip()]
    if all(_QREL.fullmatch(row) for row in rows):
        return trec.NAME
    return quepid.NAME if _has_ratings(text) else csv_table.NAME


def _of_json(text: str) -> str:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):  # one object in each line is what the workbench writes, and its reader says what is wrong
        return opensearch.NAME
    rated = isinstance(value, Mapping) and all(isinstance(one, Mapping) for one in value.values()) and "hits" not in value
    return ranx_json.NAME if rated else opensearch.NAME


def _has_ratings(text: str) -> bool:
    try:
        head = next(lines_of(text, delimiter_of(text, _QUEPID), ""), (1, []))[1]
    except BadInput:
        return False
    return sum(cell.replace("\ufeff", "").strip().casefold() in _QUEPID for cell in head) >= len(("query", "document", "rating"))

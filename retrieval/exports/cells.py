"""Cells of a spreadsheet out of anybody's text: no text becomes a formula, every number stays a number.

A spreadsheet reads a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end as something to run. See OWASP, CSV Injection.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

Cell = str | int | float | None
"""Text, a number, or nothing: an empty cell, which is not zero."""

_GUARD = "'"
# The signs themselves, the minus of typography, and the small and full-width forms that a spreadsheet reads alike; before them may stand
# blanks and signs without width. A text that has a guard of its own gets another one, so that taking one off always gives the text back.
_RISKY = re.compile(
    "'*[\\s\x00-\x1f\u200b-\u200f\u2060-\u2064\ufeff]*?[=+\\-@\t\r\n\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]"
)


def safe_text(text: str) -> str:
    """``text`` as a cell that no spreadsheet runs: behind an apostrophe where it begins like a formula, else as it is."""
    return _GUARD + text if _RISKY.match(text) else text


def original_text(cell: str) -> str:
    """The text that ``safe_text`` made ``cell`` of."""
    return cell[1:] if cell.startswith(_GUARD) and _RISKY.match(cell[1:]) else cell


def csv_of(head: Sequence[str], rows: Iterable[Sequence[Cell]], language: str) -> bytes:
    """A table as CSV that a spreadsheet of this language opens with a double click, umlauts and § right.

    ``de``: semicolon and decimal comma; ``en``: comma and decimal point. UTF-8 with byte order mark, lines end with CR LF. A number that
    is none (NaN, infinite) and None are empty cells.
    """
    german = language == "de"
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if german else ",", lineterminator="\r\n")
    writer.writerow([safe_text(name) for name in head])
    writer.writerows([_written(cell, "," if german else ".") for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")


def _written(cell: Cell, point: str) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, str):
        return safe_text(cell)
    # Never with an exponent, which some spreadsheets read as text.
    return f"{Decimal(repr(cell)):f}".replace(".", point)

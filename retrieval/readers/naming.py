"""Technical names: what a corpus is called in the stock, made from the name that people read."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from retrieval.errors import BadSource

LONGEST = 63
SHORTEST = 3

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_SEPARATORS = re.compile(r"[\s_\-–]+")
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")


def technical_name(name: str) -> str:
    """``name`` as 3 to 63 lower-case letters, digits and underscores; blanks and hyphens become underscores, umlauts are folded.

    A short hash of the whole name is added where characters were lost, so that names that differ stay different.
    Names that differ only in case, hyphen or blank are one name. Raises BadSource when nothing is left to name.
    """
    whole = unicodedata.normalize("NFC", name).strip()
    if not whole:
        raise BadSource("The name of the corpus is empty; expected at least one letter or digit. Give the corpus a title.")
    folded = _fold(whole).strip("_")
    kept = re.sub(r"[^a-z0-9_]", "", folded).strip("_")
    if kept == folded and len(kept) <= LONGEST:
        return kept if len(kept) >= SHORTEST else f"corpus_{kept}"
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    head = kept[: LONGEST - len(mark) - 1].strip("_") or "corpus"
    return f"{head}_{mark}"


def _fold(name: str) -> str:
    lowered = _SEPARATORS.sub("_", name.lower()).translate(_UMLAUTS)
    return "".join(char for char in unicodedata.normalize("NFD", lowered) if not unicodedata.combining(char))


def roman(number: int) -> str:
    """1 to 15 as a Roman numeral, as the books of the Sozialgesetzbuch are counted; other numbers as digits."""
    return _ROMAN[number] if 0 < number < len(_ROMAN) else str(number)


def usual_abbreviation(jurabk: str, amtabk: str = "") -> str:
    """The abbreviation people use: the official one, else the documentation's without its year; ``SGB 5`` is ``SGB V``."""
    short = re.sub(r"\s+(?:1[89]|20)\d\d$", "", (amtabk or jurabk).strip())
    book = re.fullmatch(r"SGB (\d{1,2})", short)
    return f"SGB {roman(int(book.group(1)))}" if book else short

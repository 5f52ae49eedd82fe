"""From a German text to its search words: one spelling for what is spelled in several ways, stems, no words without meaning.

- Text is brought to one form of Unicode; soft hyphens and joiners vanish, hyphens of all kinds become one, ß is ss.
- A word with hyphens gives itself in one piece and its parts: ``E-Rezept`` is ``erezept`` and ``rezept``.
- Numbers are whole: ``129a``, ``4.10`` and ``7,10`` are one word each, and ``129`` is another one.
- Words are reduced to their stem (Snowball, German), which also makes ``Pruefung`` and ``Prüfung`` one.
- A compound gives itself and its parts: ``Rabattarzneimittel`` is found by ``Rabatt`` and by ``Arzneimittel``.
"""

from __future__ import annotations

import re
import threading
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import Stemmer

from retrieval.compounds import parts as parts_of

STYLE = "german-2"
"""Names these rules; tokens that were stored under another name are made again from the text."""

_LIST = tomllib.loads((Path(__file__).parent / "data" / "stopwords.toml").read_text("utf-8"))["words"]
_STOP_WORDS = frozenset(_LIST.casefold().split())
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
# Raised digits count sentences or footnotes; the common form of Unicode would glue them to the next word.
_RAISED = dict.fromkeys(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹"), " ")
_WORD = re.compile(
    r"\d+(?:[.,]\d+)+[a-z]?(?!\w)"  # 4.10 and 7,10
    r"|\d+[a-z]?(?!\w)|\d+(?=[^\W\d_])"  # 129a; but 10 and mg in 10mg
    r"|[^\W_]+(?:-[^\W_]+)*",
    re.IGNORECASE,
)

_stemmer = Stemmer.Stemmer("german")
_stemming = threading.Lock()


def tokens(text: str) -> tuple[str, ...]:
    """The search words of a text in order, with repetitions; empty where it holds stop words only."""
    return tuple(token for _, found in _words(text) for token in found)


def whole_words(text: str) -> tuple[str, ...]:
    """The same without the parts of compounds."""
    return tuple(token for word, _ in _words(text) for token in _stems(_pieces(word.lower())))


def originals(text: str) -> dict[str, str]:
    """For every search word of a question the word that stands there, as it was first written."""
    found: dict[str, str] = {}
    for word, made in _words(text):
        for token in made:
            found.setdefault(token, word)
    return found


def _words(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    plain = unicodedata.normalize("NFKC", text.translate(_RAISED)).translate(_INVISIBLE).translate(_HYPHENS)
    for match in _WORD.finditer(plain):
        word = match.group()
        if found := _tokens_of(word.lower()):
            yield word, found


@lru_cache(maxsize=200_000)
def _tokens_of(word: str) -> tuple[str, ...]:
    return _stems([piece for one in _pieces(word) for piece in (one, *parts_of(one))])


def _pieces(word: str) -> list[str]:
    """A word in one piece, and its members where it has hyphens."""
    members = word.split("-")
    return [word] if len(members) == 1 else ["".join(members), *(one for one in members if len(one) > 1 or one.isdigit())]


def _stems(pieces: Iterable[str]) -> tuple[str, ...]:
    folded = (piece.casefold() for piece in pieces)
    return tuple(dict.fromkeys(_stem(piece) for piece in folded if piece not in _STOP_WORDS))


def _stem(word: str) -> str:
    if any(char.isdigit() for char in word):
        return word
    # The stemmer keeps a buffer of its own and is not made for several threads.
    with _stemming:
        return str(_stemmer.stemWord(word))

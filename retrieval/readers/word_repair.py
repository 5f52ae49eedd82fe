"""Rejoins words that a conversion broke by a blank or a hyphen, by the evidence of the document's own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[A-Za-zÄÖÜäöüß]+")
_HYPHENATED = re.compile(r"\b([A-Za-zÄÖÜäöüß]+(?:-[A-Za-zÄÖÜäöüß]+)+)\b")
_PAIR = re.compile(r"(?<![\w-])([A-Za-zÄÖÜäöüß]+) {1,2}([a-zäöüß]+|[A-ZÄÖÜ]{1,3})(?![\w])")
_BROKEN_HYPHEN = re.compile(r"\b([A-Za-zÄÖÜäöüß]{2,})-[ ]?([a-zäöüß]{2,})\b")
_LOOSE_HYPHEN = re.compile(r"\b([A-Za-zÄÖÜäöüß]+)( -|- )(?=[A-ZÄÖÜ])")
_ELISION = re.compile(r"\b([A-Za-zÄÖÜäöüß]{3,}) - (und|oder|sowie|bzw\.) ")

# Words that stand before verbs and nouns on their own: "zu lassen" is not a broken "zulassen".
_STANDS_ALONE = frozenset(
    "ab als am an auf aus bei bis da damit dem den der des die durch ein eine einem einen einer eines für gegen hin hinter im in ist ihr "
    "ihre ins je mit nach neben nicht ob oder ohne sein sie sind so über um und unter vom von vor war was weder weg wenn wer wie wo zu "
    "zum zur zusammen zwischen dar dies diese dieser dieses daran darauf davon dazu her nur noch auch es er hat wird kann soll darf".split()
)  # noqa: SIM905


def repaired(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines with broken words made whole, and how many were. Table rows and headings are repaired too.

    A pair is joined only when the whole word stands elsewhere in the document and the pair is not two words of its own.
    """
    done = list(lines)
    total = 0
    for _ in range(3):
        words = Words(done)
        before = total
        done, count = _pass(done, words)
        total += count
        if total == before:
            break
    return done, total


class Words:
    """How often each word stands in the document, and each word that is written with a hyphen."""

    def __init__(self, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        self._whole = Counter(_WORD.findall(text))
        self._hyphened = Counter(_HYPHENATED.findall(text))
        self._lower = Counter({word.lower(): 0 for word in self._whole})
        for word, count in self._whole.items():
            self._lower[word.lower()] += count
        self._pairs = Counter((left, right) for line in lines for left, right in _pairs(line))

    def joins(self, left: str, right: str) -> bool:
        """Whether ``left right`` is one broken word: the whole stands elsewhere, and a part of it stands nowhere but here."""
        whole = left + right
        if left.lower() in _STANDS_ALONE or not self._known(whole):
            return False
        here = self._pairs[left, right]
        return self._whole[right] <= here or self._whole[left] <= here

    def _known(self, whole: str) -> bool:
        return len(whole) >= 4 and (self._whole[whole] > 0 or (whole[1:].islower() and self._lower[whole.lower()] > 0))

    def unhyphened(self, left: str, right: str) -> bool:
        """Whether ``left-right`` is a word broken at a line end: the word stands elsewhere, and oftener than with the hyphen."""
        return self._known(left + right) and self._whole[left + right] >= self._hyphened[f"{left}-{right}"]


def _pairs(line: str) -> list[tuple[str, str]]:
    words = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(line)]
    return [(a[2], b[2]) for a, b in zip(words, words[1:], strict=False) if not line[a[1] : b[0]].strip() and b[0] - a[1] <= 2]


def _pass(lines: Sequence[str], words: Words) -> tuple[list[str], int]:
    count = 0

    def join(match: re.Match[str]) -> str:
        nonlocal count
        left, right = match.groups()
        if not words.joins(left, right):
            return match.group(0)
        count += 1
        return left + right

    def unhyphen(match: re.Match[str]) -> str:
        nonlocal count
        left, right = match.groups()
        if not words.unhyphened(left, right):
            return match.group(0)
        count += 1
        return left + right

    done = []
    for line in lines:
        fixed = _BROKEN_HYPHEN.sub(unhyphen, _PAIR.sub(join, line))
        fixed = _ELISION.sub(r"\1- \2 ", fixed)
        done.append(_LOOSE_HYPHEN.sub(r"\1-", fixed))
    return done, count

"""Rejoins words that a conversion broke by a blank or a hyphen, by the evidence of the document's own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

_LETTERS = "A-Za-zÄÖÜäöüß"
_WORD = re.compile(rf"[{_LETTERS}]+")
_TOKEN = re.compile(rf"(?<![{_LETTERS}\d-])[{_LETTERS}]+(?![{_LETTERS}\d])")
_HYPHENATED = re.compile(rf"(?<!-)\b([{_LETTERS}]+-[{_LETTERS}]+)\b")
_BROKEN_HYPHEN = re.compile(rf"(?<!-)\b([{_LETTERS}]{{2,}})- ?([a-zäöüß]{{2,}})\b")
_LOOSE = (
    (re.compile(rf"\b([{_LETTERS}]{{3,}}) - (und|oder|sowie|bzw\.) "), r"\1- \2 "),
    (re.compile(rf"(?<=[{_LETTERS}])(?: -|- )(?=[A-ZÄÖÜ])"), "-"),
    (re.compile(rf"(?<=[{_LETTERS}]) -(?=[,/])"), "-"),
    (re.compile(r"(?<=\w) (?=[,;](?:\s|$))"), ""),
    (re.compile(r"\( (?=\w)"), "("),
)
_ENDING = re.compile(r"(?:e[nmrs]?|n|s)$")

# The only words of two letters; any other pair of letters with a blank on both sides is a splinter.
_SHORT = frozenset(["ab", "am", "an", "da", "du", "eg", "er", "es", "eu", "im", "in", "iv", "ja", "ob", "so", "um", "vi", "wo", "zb", "zu"])
# Words that go before a word of its own far more often than they begin one that was broken.
_LEADING = frozenset(
    ["auf", "aus", "bei", "der", "die", "ein", "für", "her", "hin", "mit", "nach", "oder", "so", "und", "von", "vor", "wie", "zu", "zum"]
)


def repaired(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines with broken words made whole, and how many were.

    Two pieces are joined only when the whole word stands elsewhere in the document, in this or another inflection or as the parts of a
    compound, and one of the pieces is no word of its own.
    """
    done = [_tidied(line) for line in lines]
    total = 0
    for _ in range(3):
        words = Words(done)
        results = [_joined(line, words) for line in done]
        done = [line for line, _ in results]
        count = sum(joined for _, joined in results)
        total += count
        if not count:
            break
    return done, total


def _tidied(line: str) -> str:
    for pattern, replacement in _LOOSE:
        line = pattern.sub(replacement, line)
    return line


class Words:
    """How often each word stands in the document whole, and how often as a neighbour that might be its other half."""

    def __init__(self, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        self._whole = Counter(_WORD.findall(text))
        self._folded = Counter[str]()
        for word, count in self._whole.items():
            self._folded[word.lower()] += count
        self._stems = {_ENDING.sub("", word) for word in self._folded if len(word) > 6}
        self._hyphened = Counter(_HYPHENATED.findall(text))
        self._pairs = Counter(pair for line in lines for pair in _pairs(line))

    def joins(self, left: str, right: str) -> bool:
        """Whether ``left right`` is one broken word."""
        if right[0].isupper() and not (left + right).isupper():
            return False
        if not self._known(left, right):
            return False
        if left.lower() in _LEADING and (self._own(right, left, right) or right.endswith("en")):
            return False
        return not (self._own(left, left, right) and self._own(right, left, right))

    def _own(self, word: str, left: str, right: str) -> bool:
        """Whether a piece is a word by itself: not a splinter of one or two letters, and seen apart from this pair."""
        if len(word) <= 2:
            return word.lower() in _SHORT
        return self._whole[word] > self._pairs[left, right]

    def _known(self, left: str, right: str) -> bool:
        whole = left + right
        if whole.isupper():
            return len(whole) >= 3 and self._whole[whole] > 0
        seen = self._folded[whole.lower()]
        if len(whole) < 5:
            return seen >= 3 and (len(whole) > 2 or whole.lower() in _SHORT)
        if min(len(left), len(right)) < 3 or seen:
            return seen > 0
        return _ENDING.sub("", whole.lower()) in self._stems or self._compound(left, right)

    def _compound(self, left: str, right: str) -> bool:
        """Whether the whole is two words of the document, the seam being elsewhere than the blank."""
        whole = (left + right).lower()
        for seam in range(len(left) + 2, len(whole) - 3):
            rest = whole[seam:]
            if self._folded[whole[:seam]] and (self._folded[rest] or (rest[0] == "s" and len(rest) > 4 and self._folded[rest[1:]])):
                return seam >= 5
        return False

    def unhyphened(self, left: str, right: str) -> bool:
        """Whether ``left-right`` is a word broken at a line end: it stands elsewhere without the hyphen, and not oftener with it."""
        whole = self._folded[(left + right).lower()]
        return whole > 0 and whole >= self._hyphened[f"{left}-{right}"]


def _pairs(line: str) -> Iterable[tuple[str, str]]:
    tokens = list(_TOKEN.finditer(line))
    for one, two in pairwise(tokens):
        if _blank(line, one, two):
            yield one.group(), two.group()


def _blank(line: str, one: re.Match[str], two: re.Match[str]) -> bool:
    """Whether nothing but one or two blanks stands between two tokens."""
    return line[one.end() : two.start()] in (" ", "  ")


def _joined(line: str, words: Words) -> tuple[str, int]:
    tokens = list(_TOKEN.finditer(line))
    cuts = []
    skip = False
    for one, two in pairwise(tokens):
        if not skip and _blank(line, one, two) and words.joins(one.group(), two.group()):
            cuts.append((one.end(), two.start()))
            skip = True
        else:
            skip = False
    for start, end in reversed(cuts):
        line = line[:start] + line[end:]
    line, unhyphened = _unhyphened(line, words)
    return line, len(cuts) + unhyphened


def _unhyphened(line: str, words: Words) -> tuple[str, int]:
    count = 0

    def join(match: re.Match[str]) -> str:
        nonlocal count
        if not words.unhyphened(*match.groups()):
            return match.group(0)
        count += 1
        return match.group(1) + match.group(2)

    return _BROKEN_HYPHEN.sub(join, line), count

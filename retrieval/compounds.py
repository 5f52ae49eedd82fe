"""German compounds and their parts: ``Arzneimittelabrechnungsvereinbarung`` is ``arzneimittel``, ``abrechnung``, ``vereinbarung``.

The words are those of simplemma's German dictionary, which lies inside that package; a part is a word of it, with the s that joins it to
the next one or without. The last part, which says what the whole thing is, is made as long as possible. Where no division into words of
the dictionary exists, a word stays whole: a wrong part would find wrong passages.
"""

from __future__ import annotations

from functools import lru_cache

SHORTEST = 9
"""Letters of a word that may be a compound."""
_PART = 4
_JOINED = ("s", "es")
# As first parts these make a new word rather than a compound: what is "Widerspruch" is no kind of "Spruch".
_NEW_WORDS = "ander andere außer durch empor entgegen fort gegen haupt hinter nach neben nicht über unter voran weiter wider wieder zurück"
_NO_PARTS = frozenset(f"{_NEW_WORDS} zusammen zwischen".split())


def parts(word: str) -> tuple[str, ...]:
    """The parts of a compound in their order, in lower case; empty for a word that is none, or that the dictionary cannot divide."""
    return _parts(word.lower()) if len(word) >= SHORTEST and word.isalpha() else ()


@lru_cache(maxsize=100_000)
def _parts(word: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for cut in range(_PART, len(word) - _PART + 1):
        front, last = word[:cut], word[cut:]
        if not _known(last):
            continue
        if first := _front(front):
            return first, last
        # Two parts are better than three; of several divisions into more, the one with the longest last part.
        if not found and (before := _parts(front) or _parts(front.removesuffix("s"))):
            found = (*before, last)
    return found


def _front(piece: str) -> str:
    """A part that is not the last one, without the letters that join it where the dictionary knows it so only; empty for none."""
    bare = (piece.removesuffix(joint) for joint in _JOINED if piece.endswith(joint))
    return next((one for one in (piece, *bare) if _known(one)), "")


@lru_cache(maxsize=200_000)
def _known(word: str) -> bool:
    from simplemma import is_known

    return len(word) >= _PART and word not in _NO_PARTS and is_known(word, lang="de")

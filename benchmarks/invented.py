"""Bodies of rules of any size that nobody wrote: German-looking words with the frequencies of a language, sections, headings, references.

Nearly half of the words are German stop words; the others follow Zipf's law as Mandelbrot wrote it ((rank + 10) ** -1.05, 120,000 words
made of syllables, several in a row for compounds), so that the most frequent stands in every eighth passage. Every section has a topic of
40 words from the middle of the list, which give a third of its words. The same seed gives the same texts, whatever else is made.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval.model import Address, Chunk, CorpusSpec, hash_text
from retrieval.ports import Fingerprint, Matrix

WORDS = 120_000
TOPICS = 20_000
_ZIPF, _SHIFT = 1.05, 10
_STOP_WORDS = 0.45
_TOPIC_WORDS = 40
_TOPICAL, _ASKED = 1 / 3, 1 / 2
_MEAN_LENGTH = 55
_SHARES = (0.42, 0.26, 0.14, 0.08, 0.05, 0.03, 0.0195)
_SMALL = 40
_ONSETS = ("b", "br", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pr", "r", "s", "schl", "st", "t", "tr", "v", "w", "z")
_VOWELS = ("a", "e", "i", "o", "u", "ä", "ö", "ü", "au", "ei", "ie")
_CODAS = ("", "", "l", "n", "nd", "ng", "r", "rt", "s", "st", "t", "cht", "ll", "ß")
_ENDINGS = ("", "", "e", "en", "er", "ung", "ungen", "heit", "lich", "liche")


class Vocabulary:
    """The words of the language, the most frequent first, and the topics as numbers of words."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        listed = tomllib.loads(files("retrieval").joinpath("data/stopwords.toml").read_text("utf-8"))["words"].split()
        self.stop_words = list(dict.fromkeys(listed))
        self.words = _words(random)
        self._shares = {len(words): _cumulated(len(words)) for words in (self.stop_words, self.words)}
        self._topics: NDArray[np.int64] = random.integers(300, 40_000, size=(TOPICS, _TOPIC_WORDS))

    def text(self, random: np.random.Generator, topic: int, count: int, topical: float) -> list[str]:
        """``count`` words of a sentence on this topic, ``topical`` of them its own."""
        kinds = random.random(count)
        stop, common, own = (
            self._drawn(random, self.stop_words, count),
            self._drawn(random, self.words, count),
            self.own(random, topic, count),
        )
        chosen = (stop if kind < _STOP_WORDS else own if kind > 1 - topical else common for kind in kinds)
        return [words[place] for place, words in enumerate(chosen)]

    def own(self, random: np.random.Generator, topic: int, count: int) -> list[str]:
        """``count`` words of this topic."""
        return [self.words[number] for number in self._topics[topic, (_TOPIC_WORDS * random.random(count) ** 2).astype(np.int64)]]

    def _drawn(self, random: np.random.Generator, words: list[str], count: int) -> list[str]:
        numbers = np.searchsorted(self._shares[len(words)], random.random(count))
        return [words[min(int(number), len(words) - 1)] for number in numbers]


def _cumulated(size: int) -> NDArray[np.float64]:
    weights = (np.arange(size, dtype=np.float64) + 1 + _SHIFT) ** -_ZIPF
    return np.cumsum(weights / weights.sum())


def _words(random: np.random.Generator) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < WORDS:
        word = "".join(_pick(random, part) for _ in range(int(random.integers(2, 5))) for part in (_ONSETS, _VOWELS, _CODAS))
        found.setdefault(word.capitalize() if random.random() < 1 / 2 else word + _pick(random, _ENDINGS))
    return list(found)


def _pick(random: np.random.Generator, choices: tuple[str, ...]) -> str:
    return choices[int(random.integers(len(choices)))]


class Corpus(msgspec.Struct, frozen=True):
    """One body of rules to be made: its spec, how many chunks, and its own seed."""

    spec: CorpusSpec
    size: int
    seed: int


def corpora(total: int, seed: int) -> tuple[Corpus, ...]:
    """Bodies of rules with ``total`` chunks together: one with two fifths of them, each further one smaller, and one of 40."""
    sizes = [int(total * share) for share in _SHARES]
    sizes = [total - _SMALL - sum(sizes[1:]), *sizes[1:], _SMALL]
    return tuple(
        Corpus(CorpusSpec(f"werk_{place}", f"Regelwerk {place}", "statute", (f"RegW{place}",), invented=True), size, seed + place)
        for place, size in enumerate(sizes, 1)
    )


def chunks(corpus: Corpus, vocabulary: Vocabulary) -> Iterator[Chunk]:
    """The chunks of one body of rules: sections of one to five Absätze about one topic, one reference in every third Absatz."""
    random = np.random.default_rng(corpus.seed)
    made = section = 0
    while made < corpus.size:
        section += 1
        topic = int(random.integers(TOPICS))
        heading = " ".join(vocabulary.own(random, topic, 3))
        for subsection in range(1, min(int(random.integers(1, 6)), corpus.size - made) + 1):
            made += 1
            text = _text(random, vocabulary, topic, corpus)
            yield _chunk(corpus.spec.corpus_id, f"§ {section}", str(subsection), heading, text)


def _text(random: np.random.Generator, vocabulary: Vocabulary, topic: int, corpus: Corpus) -> str:
    length = 8 + int(random.gamma(2.0, (_MEAN_LENGTH - 8) / 2))
    words = vocabulary.text(random, topic, length, _TOPICAL)
    if random.random() < 1 / 3:
        words.append(f"nach § {1 + int(random.integers(max(1, corpus.size // 3)))} Absatz 1")
    return " ".join(words) + "."


def _chunk(corpus: str, section: str, subsection: str, heading: str, text: str) -> Chunk:
    hashed = hash_text(Address(corpus, "", section, subsection), text)
    return Chunk(f"{corpus}::{section}:{subsection}:0", corpus, "", section, subsection, int(subsection) - 1, text, hashed, heading)


def questions(count: int, vocabulary: Vocabulary, seed: int) -> list[str]:
    """Questions of a sentence each, on one topic each, with two words that every third passage holds."""
    random = np.random.default_rng(seed)
    return [_question(random, vocabulary) for _ in range(count)]


def _question(random: np.random.Generator, vocabulary: Vocabulary) -> str:
    topic = int(random.integers(TOPICS))
    words = vocabulary.text(random, topic, int(random.integers(6, 16)), _ASKED)
    return f"Was gilt nach Absatz 1 für {' '.join(words)}?"


# --- an encoder that costs next to nothing --------------------------------------------------------------------------------


class HashedWords:
    """Unit vectors from the words of a text: each word has a direction, half of it drawn from its first letters; short words count less.

    Texts on one topic lie close together, as they share words. It knows no meaning, and takes 30 microseconds for a text: a real model
    would take hours for a million.
    """

    def __init__(self, dimension: int) -> None:
        self.fingerprint = Fingerprint("hashed-words", "1", dimension)
        self._rows: dict[str, int] = {}
        self._known = np.empty((1024, dimension), dtype=np.float32)

    @cached_property
    def _common(self) -> Matrix:
        """What every text has in common, so that unrelated texts are not at right angles."""
        return self._direction("")

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of questions, one row each."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of passages, one row each."""
        made = np.array([self._sum(text) for text in texts], dtype=np.float32) + 2 * self._common
        unit: Matrix = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit

    def truncated(self, texts: Sequence[str]) -> list[int]:
        """None: every word counts."""
        return []

    def _sum(self, text: str) -> Matrix:
        words = re.findall(r"\w{4,}", text.casefold())
        rows = [self._rows[word] if word in self._rows else self._learned(word) for word in words]
        total: Matrix = self._known[rows].sum(axis=0)
        return total

    def _learned(self, word: str) -> int:
        number = self._rows[word] = len(self._rows)
        if number == len(self._known):
            self._known = np.concatenate([self._known, np.empty_like(self._known)])
        self._known[number] = (self._direction(word[:4]) + self._direction(word)) * min(len(word), 12) / 6
        return number

    def _direction(self, word: str) -> Matrix:
        seed = int.from_bytes(word.encode().ljust(1, b"\0"), "little")
        direction = np.random.default_rng(seed).normal(size=self.fingerprint.dimension)
        return np.asarray(direction / np.linalg.norm(direction), dtype=np.float32)

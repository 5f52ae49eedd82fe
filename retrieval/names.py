"""Which corpus a name means: the names of the corpora in stock, widened by the known spellings of German laws."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec

from retrieval.model import CorpusSpec

NOT_IN_STOCK = ""
"""The corpus id of a law that is known and that no corpus in stock holds."""


class Mention(msgspec.Struct, frozen=True):
    """A name in a text. ``start``/``end`` are its character span; ``corpus_id`` is empty for a known law that is not in stock."""

    start: int
    end: int
    words: str
    corpus_id: str


class _Law(msgspec.Struct, frozen=True):
    """One entry of the alias table: keys, and the written names as their stems."""

    short: frozenset[str]
    names: Mapping[str, tuple[str, ...]]
    beside: frozenset[str]


class _Table(msgspec.Struct):
    """Keys to the corpora they mean; no corpus means: known, not in stock."""

    short: dict[str, tuple[str, ...]] = {}
    names: dict[str, tuple[str, ...]] = {}
    beside: dict[str, tuple[str, ...]] = {}


_WORD = re.compile(r"[^\W_](?:[\w\u0300-\u036f\xad]*)(?:[-‐‑–][\w\u0300-\u036f\xad]+)*|§")
_PART = re.compile(r"[^\W_][\w\u0300-\u036f\xad]*")
_GAP_SHORT = re.compile(r"[\s‐‑–/-]{1,3}$")
_GAP_NAME = re.compile(r"[\s,.()/„“–-]{1,8}$")
_ENDING = re.compile(r"(?<=....)(?:es|s|en|er|em|e|n)$")
_QUALIFIED = re.compile(r"(.+?)(?:\s+(?:nach|gemäß|gem\.|zu))?\s+§{1,2}\s{0,9}(\d{1,4}[a-z]?)")
_BESIDE = re.compile(r"[\s,]{0,9}(?:(?:des|der|dem|den|vom|zum|zur|im|in der|aus dem|aus der|von)\s{1,9})?\(?")
_Span = tuple[int, int, tuple[str, ...]]
_LONGEST_SHORT = 4
_SURE_LETTERS = 5


class Names:
    """All names of the corpora in stock and of the known laws; frozen after it is built."""

    def __init__(self, specs: Iterable[CorpusSpec] | Mapping[str, CorpusSpec]) -> None:
        listed = list(specs.values()) if isinstance(specs, Mapping) else list(specs)
        self._table = _Table({}, {}, {})
        self._spec = {spec.corpus_id: spec for spec in listed}
        self._known: dict[str, tuple[str, ...] | None] = {}
        self._words_from: dict[str, int] = {}
        own = [(spec.corpus_id, *_keys(spec)) for spec in listed]
        for law in _laws():
            holders = tuple(corpus for corpus, short, names in own if short & law.short or names & law.names.keys())
            for target, keys in ((self._table.short, law.short), (self._table.names, law.names), (self._table.beside, law.beside)):
                for key in keys:
                    target[key] = tuple(dict.fromkeys((*target.get(key, ()), *holders)))
            for stems in law.names.values():
                self._note_length(stems)
        for spec in listed:
            for name in (spec.title, *spec.names):
                self._add(name, spec.corpus_id)
        self._lower = {key.lower(): ids for key, ids in self._table.short.items()}
        self._insensitive = {key.lower(): ids for key, ids in self._table.short.items() if _is_sure(key)}

    def _add(self, name: str, corpus_id: str) -> None:
        if is_abbreviation(name):
            table, key = self._table.short, short_key(name)
        else:
            table, stems = self._table.names, _stems(name)
            key = "".join(stems)
            self._note_length(stems)
        if key:
            table[key] = tuple(dict.fromkeys((*table.get(key, ()), corpus_id)))

    def _note_length(self, stems: Sequence[str]) -> None:
        """Remember how many words a name that begins with this word has at most."""
        if stems:
            self._words_from[stems[0]] = max(self._words_from.get(stems[0], 0), len(stems))

    @property
    def specs(self) -> Mapping[str, CorpusSpec]:
        """The specs of the corpora in stock, by id."""
        return self._spec

    def find(self, text: str) -> tuple[Mention, ...]:
        """All names in ``text``, in its order, the longest first where names overlap.

        A name that several corpora share gives one mention for each of them, all with the same span.
        """
        return self._mentions(text, lenient=False)

    def find_typed(self, text: str) -> tuple[Mention, ...]:
        """Like ``find`` for words that were typed as an address: upper and lower case never count."""
        return self._mentions(text, lenient=True)

    def beside(self, text: str, pos: int) -> tuple[Mention, ...]:
        """The name that stands directly behind ``pos``, after an article at most; empty when there is none."""
        gap = _BESIDE.match(text, pos)
        start = gap.end() if gap else pos
        window = text[start : start + 200]
        spans = [*self._short_spans(window, first_only=True), *self._name_spans(window, first_only=True)]
        _, end, ids = max(spans, key=lambda span: span[1], default=(0, 0, ()))
        return tuple(Mention(start, start + end, window[:end], corpus) for corpus in ids or (NOT_IN_STOCK,)) if end else ()

    def corpora_of(self, law_words: str) -> tuple[str, ...]:
        """The corpora that these words name as a whole ("des Fünften Buches"); empty when none in stock is meant."""
        return self._lookup(law_words) or ()

    def corpus_of(self, law_words: str) -> str | None:
        """The one corpus that these words name; None when none or more than one is meant."""
        ids = self.corpora_of(law_words)
        return ids[0] if len(ids) == 1 else None

    def knows(self, law_words: str) -> bool:
        """Whether these words name a law that is known, in stock or not."""
        return self._lookup(law_words) is not None

    def _lookup(self, law_words: str) -> tuple[str, ...] | None:
        if law_words not in self._known:
            if len(self._known) > 20_000:
                self._known.clear()
            self._known[law_words] = self._read(law_words)
        return self._known[law_words]

    def _read(self, law_words: str) -> tuple[str, ...] | None:
        key, short = name_key(law_words), short_key(law_words)
        tables = ((self._table.names, key), (self._table.short, short), (self._table.beside, key), (self._insensitive, short.lower()))
        found = next((table[word] for table, word in tables if word in table), None)
        qualified = _QUALIFIED.fullmatch(law_words) if found is None else None
        return self._read_qualified(qualified) if qualified else found

    def _read_qualified(self, words: re.Match[str]) -> tuple[str, ...] | None:
        """ "Rahmenvertrages nach § 129": the corpora called so whose title or names hold that section, too."""
        section = re.compile(rf"§\s?{re.escape(words[2])}(?!\w)")
        holders = (self._spec[corpus] for corpus in self.corpora_of(words[1]))
        return tuple(spec.corpus_id for spec in holders if any(section.search(name) for name in (spec.title, *spec.names))) or None

    def _mentions(self, text: str, lenient: bool) -> tuple[Mention, ...]:
        spans: list[_Span] = [*self._short_spans(text, lenient), *self._name_spans(text)]
        spans.sort(key=lambda span: (span[0] - span[1], span[0]))
        taken = bytearray(len(text))
        chosen: list[_Span] = []
        for start, end, ids in spans:
            if 1 not in taken[start:end]:
                taken[start:end] = b"\x01" * (end - start)
                chosen.append((start, end, ids))
        return tuple(
            Mention(start, end, text[start:end], corpus) for start, end, ids in sorted(chosen) for corpus in ids or (NOT_IN_STOCK,)
        )

    def _short_spans(self, text: str, lenient: bool = False, first_only: bool = False) -> Iterator[_Span]:
        table = self._lower if lenient else self._insensitive
        parts = list(_PART.finditer(text))
        for first, part in enumerate(parts[:1] if first_only and parts and parts[0].start() == 0 else () if first_only else parts):
            key = ""
            for index in range(first, min(first + _LONGEST_SHORT, len(parts))):
                if index > first and not _GAP_SHORT.match(text[parts[index - 1].end() : parts[index].start()]):
                    break
                key += parts[index][0]
                ids = self._table.short.get(key, table.get(key.lower()))
                if ids is not None:
                    yield part.start(), parts[index].end(), ids

    def _name_spans(self, text: str, first_only: bool = False) -> Iterator[_Span]:
        words = list(_WORD.finditer(text))
        stems = [_stem(word[0]) for word in words]
        for first, word in enumerate(words[:1] if first_only and words and words[0].start() == 0 else () if first_only else words):
            key = ""
            for index in range(first, min(first + self._words_from.get(stems[first], 0), len(words))):
                if index > first and not _GAP_NAME.match(text[words[index - 1].end() : words[index].start()]):
                    break
                key += stems[index]
                ids = self._table.names.get(key)
                if ids is not None:
                    yield word.start(), words[index].end(), ids


def is_abbreviation(name: str) -> bool:
    """Whether a name is an abbreviation ("SGB V", "ApoG", "TA1"): short, with a capital, and no word of it is written out."""
    parts = _PART.findall(name)
    if len(name) > 24 or not any(part[0].isupper() for part in parts):
        return False
    return all(not part.isalpha() or len(part) < 3 or sum(map(str.isupper, part)) > 1 for part in parts)


def short_key(name: str) -> str:
    """An abbreviation without blanks and hyphens, case kept."""
    return "".join(_PART.findall(unicodedata.normalize("NFC", name).replace("\xad", "")))


def name_key(name: str) -> str:
    """A written name as its words without endings, joined: "Fünften Buches" and "Fünftes Buch" give the same."""
    return "".join(_stems(name))


def _stems(name: str) -> tuple[str, ...]:
    return tuple(_stem(word) for word in _WORD.findall(name))


def _stem(word: str) -> str:
    folded = unicodedata.normalize("NFC", word.replace("\xad", "")).casefold()
    return _ENDING.sub("", re.sub(r"[-‐‑–]", "", folded))


def _is_sure(key: str) -> bool:
    """Whether an abbreviation is no ordinary word when its case is not kept: it is long, has a digit, or is SGB with its number."""
    return len(key) >= _SURE_LETTERS or any(letter.isdigit() for letter in key) or key.startswith("SGB")


def _keys(spec: CorpusSpec) -> tuple[set[str], set[str]]:
    """The keys of a corpus's own names: abbreviations, written names."""
    names = (spec.title, *spec.names)
    return {short_key(name) for name in names if is_abbreviation(name)}, {name_key(name) for name in names if not is_abbreviation(name)}


@cache
def _laws() -> tuple[_Law, ...]:
    raw = tomllib.loads(resources.files("retrieval").joinpath("data/aliases.toml").read_text(encoding="utf-8"))
    return tuple(
        _Law(
            short=frozenset(short_key(name) for name in law["short"]),
            names={"".join(stems): stems for stems in map(_stems, law["names"])},
            beside=frozenset(name_key(name) for name in law.get("beside", ())),
        )
        for law in [*raw["law"], *_known()]
    )


def _known() -> Iterator[dict[str, list[str]]]:
    """The laws that are known by one abbreviation and one name only."""
    lines = resources.files("retrieval").joinpath("data/law_names.tsv").read_text(encoding="utf-8").splitlines()
    for short, name in (line.split("\t") for line in lines if not line.startswith("#")):
        yield {"short": [short], "names": [name]}

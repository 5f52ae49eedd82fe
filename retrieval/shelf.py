"""The sections of one corpus: where each stands among the chunks, found by container and label without a look at the others.

Only labels are kept in memory; the chunks of a section are read when they are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from retrieval.model import Chunk
from retrieval.sectionlist import ITEM
from retrieval.sublevels import section_key

State = Literal["found", "repealed", "not_found"]

_KEPT = 4096
"""So many sections of a corpus are kept with what is known of their chunks."""
_UNITS = {"§": "§", "§§": "§", "art": "Artikel", "artikel": "Artikel", "ziffer": "Ziffer", "ziff": "Ziffer", "nr": "Ziffer"}
_UNITS |= {
    "anlage": "Anlage",
    "anl": "Anlage",
    "anhang": "Anhang",
    "paragraf": "§",
    "paragraph": "§",
    "abschnitt": "Ziffer",
    "nummer": "Ziffer",
}
_LABEL = re.compile(r"\s*(§{1,2}|[A-Za-zäöü]+\.?)?\s*(\d+(?:\.\d+)*\s?[A-Za-z]{0,2}\d*|[IVXLC]+[a-z]?|[A-H])\s*$")


class Layout(NamedTuple):
    """How chunks lie in sections: container and section id of each run of chunks of one section, the row where each run starts, and the
    rows of the chunks whose Absatz is numbered like 2.1."""

    names: Sequence[tuple[str, str]]
    starts: Sequence[int]
    dotted: Sequence[int]

    @classmethod
    def of(cls, chunks: Iterable[Any]) -> Layout:
        """The layout of these chunks; of each only container, section and subsection are read."""
        names: list[tuple[str, str]] = []
        starts: list[int] = []
        dotted: list[int] = []
        for row, chunk in enumerate(chunks):
            name = chunk.container_id, chunk.section_id
            if not names or name != names[-1]:
                names.append(name)
                starts.append(row)
            if "." in chunk.subsection:
                dotted.append(row)
        return cls(names, starts, dotted)


class Section:
    """The chunks of one section in one container, in the order of the stock; ``section_id`` as the stock spells it."""

    __slots__ = ("chunk_ids", "container", "corpus", "gone", "section_id", "subsections")

    def __init__(self, corpus: str, container: str, section_id: str, chunks: Iterable[Chunk]) -> None:
        self.corpus, self.container, self.section_id = corpus, container, section_id
        self.chunk_ids: list[str] = []
        self.subsections: list[str] = []
        # For each Absatz, and for None as the whole, whether all of it is repealed.
        self.gone: dict[str | None, bool] = {}
        for chunk in chunks:
            self.chunk_ids.append(chunk.chunk_id)
            self.subsections.append(chunk.subsection)
            for part in (None, chunk.subsection):
                self.gone[part] = self.gone.get(part, True) and chunk.repealed

    def part(self, subsection: str | None) -> str | None:
        """The Absatz that is meant: a section without numbered Absätze is its own first."""
        return "" if subsection == "1" and len(self.gone) == 2 and "" in self.gone else subsection

    def state(self, subsection: str | None) -> State:
        """Whether this Absatz, or for None the section, is here and in force."""
        gone = self.gone.get(self.part(subsection))
        return "not_found" if gone is None else "repealed" if gone else "found"


class Container:
    """The labels of one container in the order of the stock, each with the number of its section."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numbers: dict[str, int] = {}
        self._sorted: dict[str, tuple[list[tuple[tuple[int, str], ...]], list[int]]] = {}

    @cached_property
    def labels(self) -> list[str]:
        """The labels in order."""
        return list(self.numbers)

    @cached_property
    def places(self) -> dict[str, int]:
        """For every label its place in that order."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def units(self) -> frozenset[str]:
        """The units in which the container counts."""
        return frozenset(label.split(" ", 1)[0] for label in self.labels if " " in label)

    def between(self, low: str, high: str) -> list[str]:
        """The labels from one to another, in the order of the stock; an end that is not here is placed by its number."""
        places = self.places
        if low in places and high in places:
            return self.labels[places[low] : places[high] + 1]
        keys, found = self._by_number(low.split(" ", 1)[0])
        chosen = found[bisect_left(keys, number_of(low)) : bisect_right(keys, number_of(high))]
        return [self.labels[place] for place in sorted(chosen)]

    def _by_number(self, unit: str) -> tuple[list[tuple[tuple[int, str], ...]], list[int]]:
        """The numbers of one unit, sorted, with the places of their labels."""
        if unit not in self._sorted:
            pairs = sorted((number_of(label), place) for place, label in enumerate(self.labels) if label.startswith(f"{unit} "))
            self._sorted[unit] = [number for number, _ in pairs], [place for _, place in pairs]
        return self._sorted[unit]


class Shelf:
    """The sections of one corpus, compared whole and by their normal spelling ("12 A" is § 12a)."""

    def __init__(self, corpus: str, chunks: Sequence[Chunk]) -> None:
        laid = getattr(chunks, "layout", None) or Layout.of(chunks)
        self.corpus = corpus
        self._chunks, self._names = chunks, laid.names
        self._starts = (*laid.starts, len(chunks))
        self._again: dict[int, list[int]] = {}
        self.containers: dict[str, Container] = {}
        self._by_fold: dict[str, str] = {}
        for run, (name, section_id) in enumerate(laid.names):
            container = self.containers.get(name)
            if container is None:
                container = self.containers[name] = Container(name)
            first = container.numbers.setdefault(normal_section(section_id), run)
            if first != run:
                self._again.setdefault(first, []).append(run)
            # The spelling that comes last counts.
            self._by_fold[fold(name)] = name
        self._dotted = laid.dotted
        self.section = lru_cache(maxsize=_KEPT)(self._section)

    def _section(self, number: int) -> Section:
        """The section with this number."""
        runs = (number, *self._again.get(number, ()))
        name, section_id = self._names[number]
        rows = (row for run in runs for row in range(self._starts[run], self._starts[run + 1]))
        return Section(self.corpus, name, section_id, (self._chunks[row] for row in rows))

    @cached_property
    def items(self) -> dict[str, list[tuple[int, str]]]:
        """Agreements number their paragraphs through (Ziffer 2 has the parts 2.1, 2.2): such a part can be named like a section.

        For every label the sections with their part.
        """
        found: dict[str, dict[tuple[int, str], None]] = {}
        for row in self._dotted:
            chunk = self._chunks[row]
            number = self.containers[chunk.container_id].numbers[normal_section(chunk.section_id)]
            found.setdefault(normal_section(f"{ITEM} {chunk.subsection}"), {})[number, chunk.subsection] = None
        return {label: list(parts) for label, parts in found.items()}

    def container(self, words: str) -> str | None:
        """The container that is called so ("anlage 11" is "Anlage 11"); None when there is none."""
        return self._by_fold.get(fold(words))

    def labelled(self, label: str) -> list[Section]:
        """The sections with this label, of all containers."""
        return [self.section(one.numbers[label]) for one in self.containers.values() if label in one.numbers]

    def within(self, container: str) -> list[Section]:
        """All sections of one container."""
        found = self.containers.get(container)
        return [] if found is None else [self.section(number) for number in found.numbers.values()]

    def spelled(self, container: str, label: str) -> str:
        """The id of a section, as the stock spells it."""
        return self._names[self.containers[container].numbers[label]][1]


@lru_cache(maxsize=1 << 16)
def normal_section(words: str) -> str:
    """The normal spelling of a section: "12 A", "12a" and "§ 12a" give "§ 12a"; what is no number stays as it is."""
    match = _LABEL.match(words)
    if match is None:
        return " ".join(words.split())
    unit = _UNITS.get((match[1] or "§").lower().rstrip("."))
    if unit is None:
        return " ".join(words.split())
    number = match[2].replace(" ", "")
    if match[1] is None and "." in number:
        unit = "Ziffer"
    return f"{unit} {number.lower() if number[0].isdigit() else number}"


def number_of(label: str) -> tuple[tuple[int, str], ...]:
    """What orders labels of one unit by their numbers."""
    return section_key(label.split(" ", 1)[-1])


@lru_cache(maxsize=1 << 12)
def fold(container: str) -> str:
    """A container's name without regard to case and blanks."""
    return " ".join(container.split()).casefold()

"""The one type that flows through the stages: a frozen ranking of entries, in which nobody is lost.

An entry that a stage drops stays in that stage's ranking behind the living ones, with its fate. Dictionaries (the compatibility surface
of a hit) are read and made here, at the border.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

FateCode = Literal[
    "kept",
    "reserved",  # by the quota, in round n
    "filled",  # by rank, after the quota's reserve
    "moved_to_front",  # named corpus first
    "below_limit",  # behind the last place of the list
    "merged_into",  # the same chunk stands elsewhere in the list
    "same_norm",  # its norm stands in the list with a better chunk
    "no_contribution",  # found only by a route whose weight is zero
    "corpus_not_selected",  # gathered, but its corpus is not asked under these settings
]
RankBy = Literal["routes", "section_lookup", "definition_lookup", "norm_anchor", "verweis", "own_rank", "named_first"]
LIVING: frozenset[str] = frozenset({"kept", "reserved", "filled", "moved_to_front"})


class Fate(msgspec.Struct, frozen=True, gc=False):
    """What a stage did with an entry.

    ``round`` counts from 1; ``into`` is the chunk that an entry was merged into, or that stands for its norm.
    """

    code: FateCode = "kept"
    round: int = 0
    into: str = ""


KEPT = Fate()
FILLED = Fate("filled")
BELOW_LIMIT = Fate("below_limit")


class Part(msgspec.Struct, frozen=True, gc=False):
    """What one route gave to an entry.

    ``raw`` is the route's own score (cosine, BM25), ``scaled`` the same on the common scale from 0 to 1, ``place`` the place in the route's
    list over the whole federation (from 1), ``weight`` the share of the route, ``amount`` what it added to the rank score.
    """

    route: str
    place: int
    raw: float | None
    scaled: float | None
    weight: float
    amount: float


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One candidate in a ranking.

    ``rank`` orders (Ordnungswert); ``cosine`` is the raw cosine of the vector route and decides (Urteilswert), None outside that route.
    ``score`` is the value of the hit's field of that name. ``identity`` is equal for the same chunk found twice. ``rank_by`` says what
    gave the rank; where it is ``routes``, the amounts of ``parts`` sum to it.
    """

    chunk_id: str
    corpus_id: str
    identity: str
    rank: float
    score: float = 0.0
    cosine: float | None = None
    kinds: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    rank_by: RankBy = "routes"
    fate: Fate = KEPT

    @property
    def alive(self) -> bool:
        """Whether the entry goes on to the next stage."""
        return self.fate.code in LIVING


class Ranking(msgspec.Struct, frozen=True):
    """Entries in order: the living ones best first, then the dropped ones."""

    entries: tuple[Entry, ...] = ()

    @property
    def living(self) -> tuple[Entry, ...]:
        """The entries that go on, best first."""
        return tuple(entry for entry in self.entries if entry.fate.code in LIVING)

    @property
    def dropped(self) -> tuple[Entry, ...]:
        """The entries that end here, each with its fate."""
        return tuple(entry for entry in self.entries if entry.fate.code not in LIVING)


def finite(value: object) -> float:
    """``value`` as a finite number; what is none counts as 0 (numeric text is read, truth values are none)."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return 0.0
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


# --- the border -------------------------------------------------------------------------------------------------------


def rank_of(hit: Mapping[str, Any]) -> float:
    """The rank of a hit: its ``rank_score``, where it has none its ``score``, else 0."""
    return finite(hit["rank_score"] if "rank_score" in hit else hit.get("score", 0.0))


def identity_of(hit: Mapping[str, Any]) -> str:
    """What makes two hits the same chunk: corpus and ``text_hash``; without a hash the address, the chunk index and 160 characters.

    A hit of the older shape (address at the top, no metadata) and one with metadata come from different indexes and stay two.
    """
    metadata = hit.get("metadata") or {}
    corpus = str(hit.get("corpus_id") or metadata.get("corpus_id") or "")
    text_hash = metadata.get("text_hash") or hit.get("text_hash")
    if text_hash:
        return f"{corpus}\x1f{text_hash}"
    if metadata:
        address = ("new", *(metadata.get(key) for key in ("container_id", "section_id", "chunk_index_in_section")))
    else:
        address = ("old", *(hit.get(key) for key in ("container", "section", "chunk_index")))
    return "\x1f".join((corpus, *("" if part is None else str(part) for part in address), str(hit.get("text", ""))[:160]))


def entry_of(hit: Mapping[str, Any], chunk_id: str) -> Entry:
    """A hit's dictionary as an entry named ``chunk_id``."""
    metadata = hit.get("metadata") or {}
    corpus = str(hit.get("corpus_id") or metadata.get("corpus_id") or "")
    kinds = tuple(str(kind) for kind in hit.get("retrieval_kinds") or ())
    return Entry(chunk_id, corpus, identity_of(hit), rank_of(hit), finite(hit.get("score")), kinds=kinds)


def entries_of(hits: Sequence[Mapping[str, Any]]) -> tuple[Entry, ...]:
    """A list of hits as entries, each named by its place in the list."""
    return tuple(entry_of(hit, str(place)) for place, hit in enumerate(hits))


def with_entry(hit: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """A copy of ``hit`` with the rank, score and kinds that the run gave it; the original is left as it is."""
    return {**hit, "score": entry.score, "rank_score": entry.rank, "retrieval_kinds": list(entry.kinds)}


def best_first(entries: Iterable[Entry]) -> list[Entry]:
    """Entries by rank, best first; equal ranks keep their order."""
    return sorted(entries, key=lambda entry: -entry.rank)

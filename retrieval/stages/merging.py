"""Merging: the same chunk, found several times, stands once in the list; a norm stands there once, with its best chunk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from retrieval.ranking import Entry, Fate, Ranking, best_first, entries_of, with_entry


def merge(entries: Iterable[Entry]) -> Ranking:
    """One entry for each identity: the better rank wins (the earlier one among equals) and takes the kinds and the parts of both.

    The order is by rank, stable. The entries that were merged away follow, each with the chunk it went into.
    """
    winners: dict[str, Entry] = {}
    losers: list[tuple[Entry, str]] = []
    for entry in entries:
        standing = winners.get(entry.identity)
        if standing is None:
            winners[entry.identity] = entry
            continue
        better, other = (entry, standing) if entry.rank > standing.rank else (standing, entry)
        winners[entry.identity] = _united(better, standing, entry)
        losers.append((other, entry.identity))
    dropped = tuple(replace(entry, fate=Fate("merged_into", into=winners[identity].chunk_id)) for entry, identity in losers)
    return Ranking((*best_first(winners.values()), *dropped))


def once(ranking: Ranking, units: Mapping[str, str], whole: Collection[str] = ()) -> Ranking:
    """Every unit keeps its first chunk; the others are dropped, each with the chunk that stands for its norm.

    ``units`` has the unit of every chunk that belongs to one, by chunk id. What is ``whole``, by its identity, keeps all its chunks: it
    was asked for by its address.
    """
    first: dict[str, str] = {}
    kept: list[Entry] = []
    dropped: list[Entry] = []
    for entry in ranking.living:
        unit = units.get(entry.chunk_id)
        if unit is None or unit not in first or entry.identity in whole:
            kept.append(entry)
            first.setdefault(unit or entry.chunk_id, entry.chunk_id)
        else:
            dropped.append(replace(entry, fate=Fate("same_norm", into=first[unit])))
    return Ranking((*kept, *dropped, *ranking.dropped))


def _united(better: Entry, first: Entry, second: Entry) -> Entry:
    kinds = tuple(sorted({*first.kinds, *second.kinds}))
    cosine = first.cosine if first.cosine is not None else second.cosine
    return replace(better, kinds=kinds, parts=first.parts or second.parts, cosine=cosine)


def merge_hits(hits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same for dictionaries: the merged list, best first; nothing handed in is changed."""
    return [with_entry(hits[int(entry.chunk_id)], entry) for entry in merge(entries_of(hits)).living]

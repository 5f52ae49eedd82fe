"""Named corpus first: who asks about one body of rules reads it first."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from retrieval.ranking import Entry, Fate, Ranking


class NamedFirst(msgspec.Struct, frozen=True):
    """What the stage did. ``reason`` when nothing moved: none_named · all_named · already_first · named_gave_nothing · empty_list."""

    ranking: Ranking
    named: tuple[str, ...] = ()
    moved: str = ""
    from_place: int = 0
    lifted_from: float = 0.0
    reason: str = ""


def named_first(entries: Sequence[Entry], named: Sequence[str], selected: Sequence[str]) -> NamedFirst:
    """The best hit of a named corpus moves to the front, its rank lifted to the maximum; nothing drops out.

    It happens when the question names corpora, but not all of the selected ones, and the first hit is from none of them.
    """
    asked = tuple(corpus for corpus in dict.fromkeys(named) if corpus in selected)
    place, reason = _place(entries, set(asked), set(selected))
    if reason:
        return NamedFirst(Ranking(tuple(entries)), asked, reason=reason)
    best = entries[place]
    top = max(entry.rank for entry in entries)
    lifted = replace(best, rank=top, rank_by="named_first", fate=Fate("moved_to_front", round=best.fate.round))
    ranking = Ranking((lifted, *entries[:place], *entries[place + 1 :]))
    return NamedFirst(ranking, asked, best.chunk_id, place + 1, best.rank)


def _place(entries: Sequence[Entry], asked: set[str], selected: set[str]) -> tuple[int, str]:
    if not asked:
        return 0, "none_named"
    if asked >= selected:
        return 0, "all_named"
    if not entries:
        return 0, "empty_list"
    place = next((place for place, entry in enumerate(entries) if entry.corpus_id in asked), None)
    if place is None:
        return 0, "named_gave_nothing"
    return place, "" if place else "already_first"

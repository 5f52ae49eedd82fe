"""Quota: every corpus that has something to say keeps a place, however large its neighbours are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from retrieval.knobs import Knob
from retrieval.ranking import BELOW_LIMIT, FILLED, KEPT, Entry, Fate, Ranking, best_first, entries_of


class QuotaKnobs(msgspec.Struct, frozen=True, kw_only=True):
    """How long the list is, and which places in it are promised."""

    max_final_results: Annotated[
        int,
        Knob(
            label_de="Länge der Liste",
            label_en="Length of the list",
            de="So viele Treffer gehen an die Antwort weiter.",
            en="So many hits are handed on to the answer.",
            low=1,
            high=50,
            unit="hits",
        ),
    ] = 10
    list_unit: Annotated[
        Literal["chunk", "subsection", "section"],
        Knob(
            label_de="Einheit der Liste",
            label_en="Unit of the list",
            de="Wofür es einen Platz gibt: für jedes Textstück, für jeden Absatz oder für jede Norm als Ganzes (Paragraph, Artikel, "
            "Ziffer), jeweils mit dem besten Textstück. Was über seine Fundstelle geholt wurde, behält alle Textstücke.",
            en="What gets a place: every passage, every Absatz, or every norm as a whole (section, article, Ziffer), each with its best "
            "passage. What was fetched by its address keeps all its passages.",
            choices=("chunk", "subsection", "section"),
        ),
    ] = "subsection"
    min_hits_per_corpus: Annotated[
        int,
        Knob(
            label_de="Plätze je Regelwerk",
            label_en="Places per corpus",
            de="So viele Runden zu je einem Platz für jedes Regelwerk, das etwas zu sagen hat; höchstens die halbe Liste. 0 = keine Quote.",
            en="So many rounds of one place for each corpus that has something to say; at most half of the list. 0 = no quota.",
            low=0,
            high=10,
            unit="places",
        ),
    ] = 2
    min_ratio: Annotated[
        float,
        Knob(
            label_de="Mindestverhältnis zum besten Treffer (min_ratio)",
            label_en="Least ratio to the best hit (min_ratio)",
            de="Ein Regelwerk nimmt an der Quote teil, wenn sein bester Treffer mindestens diesen Anteil des besten von allen erreicht.",
            en="A corpus takes part in the quota if its best hit reaches at least this share of the best of all.",
            step=0.01,
            unit="ratio",
        ),
    ] = 0.25


class Qualifying(msgspec.Struct, frozen=True):
    """One corpus before the quota: its best rank score, what was needed, and whether it takes part."""

    corpus_id: str
    best: float
    takes_part: bool
    reserved: int = 0


class Quota(msgspec.Struct, frozen=True):
    """What the quota did.

    ``applied`` is false when the list was only cut, with ``reason`` = no_limit · fits · switched_off · one_corpus · too_few_qualify.
    ``floor`` is ``min_ratio`` times the best rank score; ``places`` the number that may be reserved; ``rounds`` the whole rounds that were.
    ``stopped`` says why no further round came: rounds · half · empty.
    """

    ranking: Ranking
    limit: int | None
    applied: bool
    reason: str = ""
    best: float = 0.0
    floor: float = 0.0
    places: int = 0
    rounds: int = 0
    stopped: str = ""
    corpora: tuple[Qualifying, ...] = ()


def apply_quota(entries: Sequence[Entry], limit: int | None, min_hits_per_corpus: int, min_ratio: float) -> Quota:
    """The list cut to ``limit`` places (None or 0: no limit), some of them reserved in whole rounds for the corpora that qualify.

    ``entries`` are ordered by rank, best first. Round n holds the n-th hit of every qualifying corpus, corpora in the order of their best
    hits; at most ``min_hits_per_corpus`` rounds and never more than half of the limit (at least 1) in all; a round that does not fit
    whole ends it. The rest is filled by rank; the list is ordered by rank.
    """
    by_corpus: dict[str, list[Entry]] = {}
    for entry in entries:
        by_corpus.setdefault(entry.corpus_id, []).append(entry)
    best = entries[0].rank if entries else 0.0
    floor = min_ratio * best
    qualifying = [corpus for corpus, hits in by_corpus.items() if hits[0].rank >= floor]
    corpora = tuple(Qualifying(corpus, hits[0].rank, hits[0].rank >= floor) for corpus, hits in by_corpus.items())
    reason = _only_cut(len(entries), limit, min_hits_per_corpus, len(by_corpus), len(qualifying))
    if reason or not limit:
        return Quota(_cut(entries, limit), limit, False, reason, best, floor, corpora=corpora)
    places = max(1, limit // 2)
    rounds, stopped = _rounds([by_corpus[corpus] for corpus in qualifying], min_hits_per_corpus, places)
    taken = [replace(entry, fate=Fate("reserved", round=number)) for number, members in enumerate(rounds, start=1) for entry in members]
    held = Counter(entry.corpus_id for entry in taken)
    corpora = tuple(replace(corpus, reserved=held[corpus.corpus_id]) for corpus in corpora)
    return Quota(_filled(entries, limit, taken), limit, True, "", best, floor, places, len(rounds), stopped, corpora)


def _only_cut(count: int, limit: int | None, min_hits: int, corpora: int, qualifying: int) -> str:
    if not limit:
        return "no_limit"
    if count <= limit:
        return "fits"
    if min_hits <= 0:
        return "switched_off"
    if corpora < 2:
        return "one_corpus"
    return "too_few_qualify" if qualifying < 2 else ""


def _rounds(queues: Sequence[Sequence[Entry]], most: int, places: int) -> tuple[list[list[Entry]], str]:
    rounds: list[list[Entry]] = []
    taken = 0
    for number in range(most):
        members = [queue[number] for queue in queues if len(queue) > number]
        if not members:
            return rounds, "empty"
        if taken + len(members) > places:
            return rounds, "half"
        rounds.append(members)
        taken += len(members)
    return rounds, "rounds"


def _filled(entries: Sequence[Entry], limit: int, reserved: Sequence[Entry]) -> Ranking:
    """The reserved places, in the order of their rounds, then the rest by rank; among equal ranks the reserved ones lead."""
    held = {entry.chunk_id for entry in reserved}
    others = [entry for entry in entries if entry.chunk_id not in held]
    free = limit - len(reserved)
    filled = [replace(entry, fate=FILLED) for entry in others[:free]]
    dropped = [replace(entry, fate=BELOW_LIMIT) for entry in others[free:]]
    return Ranking((*best_first([*reserved, *filled]), *dropped))


def _cut(entries: Sequence[Entry], limit: int | None) -> Ranking:
    if not limit:
        return Ranking(tuple(replace(entry, fate=KEPT) for entry in entries))
    head = (replace(entry, fate=KEPT) for entry in entries[:limit])
    tail = (replace(entry, fate=BELOW_LIMIT) for entry in entries[limit:])
    return Ranking((*head, *tail))


def quota_hits(
    hits: Sequence[Mapping[str, Any]], limit: int | None, min_hits_per_corpus: int = 2, min_ratio: float = 0.25
) -> list[Mapping[str, Any]]:
    """The same for dictionaries that are ordered by rank: the hits that stay, in order."""
    quota = apply_quota(entries_of(hits), limit, min_hits_per_corpus, min_ratio)
    return [hits[int(entry.chunk_id)] for entry in quota.ranking.living]

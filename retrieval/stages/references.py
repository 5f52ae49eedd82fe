"""References: the norms that the found texts name are fetched and stand in the list's tail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from retrieval.knobs import Knob
from retrieval.model import Address, Chunk, Reference, Target
from retrieval.ranking import Entry

VerweisFate = Literal[
    "follow",  # within the cap: to be fetched
    "fetched",
    "void",  # followed, but nothing stands at this address
    "failed",  # followed, but the look-up failed
    "beyond_cap",
    "no_rank",  # the citing hit has the rank 0: nothing speaks for it
    "behind_list",  # the citing hit itself stands behind the last place of the list
    "already_in_list",
    "own_norm",  # the hit names itself
    "repeated",  # named before, by a better hit or earlier in the text
    "repealed",
    "not_in_stock",
    "ambiguous",
    "open_ended",
    "quoted",
    "former",
    "corpus_not_selected",
]

_UNFOLLOWED: dict[str, VerweisFate] = {
    "repealed": "repealed",
    "not_in_stock": "not_in_stock",
    "ambiguous": "ambiguous",
    "open_ended": "open_ended",
    "quoted": "quoted",
    "former": "former",
}


class ReferenceKnobs(msgspec.Struct, frozen=True, kw_only=True):
    """What a reference is worth, and how many are followed."""

    verweis_score: Annotated[
        float,
        Knob(
            label_de="Wert eines Verweisziels (VERWEIS_SCORE)",
            label_en="Score of a reference target (VERWEIS_SCORE)",
            de="Ordnungswert einer Norm, die nur über einen Verweis kommt. Hoch: sie verdrängt Treffer; niedrig: sie steht hinten.",
            en="Rank score of a norm that comes by a reference only. High: it replaces hits; low: it stands in the tail.",
            step=0.01,
            unit="rank score",
        ),
    ] = 0.50
    max_verweis_normen: Annotated[
        int,
        Knob(
            label_de="Verfolgte Verweise",
            label_en="References followed",
            de="So viele Normen werden über Verweise höchstens nachgeladen. Es zählen Treffer, die selbst in die Liste kämen. 0 = keine.",
            en="At most so many norms are fetched by reference. Hits count that would come into the list themselves. 0 = none.",
            low=0,
            high=20,
            unit="norms",
        ),
    ] = 3


class Verweis(msgspec.Struct, frozen=True, gc=False):
    """One reference of one hit and what became of it.

    ``by`` is the citing chunk and ``place`` its place in the merged list (from 1); ``start``/``end``/``words`` are the span in its text.
    ``target`` is the address as far as it is known. ``chunk_ids`` are the chunks that were fetched. ``at`` names the place of a norm that
    is already in the list.
    """

    by: str
    place: int
    start: int
    end: int
    words: str
    fate: VerweisFate
    target: Address | None = None
    law: str = ""
    chunk_ids: tuple[str, ...] = ()
    at: int = 0
    error_class: str = ""


def targets(
    entries: Sequence[Entry],
    references: Mapping[str, Sequence[Reference]],
    chunks: Mapping[str, Chunk],
    selected: Sequence[str],
    cap: int,
    limit: int | None,
) -> tuple[Verweis, ...]:
    """Every reference of the merged list with its fate, best hit first, then in the order of the text.

    The first ``cap`` that can be followed get the fate ``follow``. Only a hit among the first ``limit`` speaks for others: what a hit
    names that does not reach the list itself, or has the rank 0, is not followed. A norm that already stands among the first ``limit``
    hits, the hit's own norm, and a norm named before take no place of the cap.
    """
    chosen = set(selected)
    there = _places(entries[:limit] if limit else entries, chunks)
    seen: set[Address] = set()
    left = cap
    found: list[Verweis] = []
    for place, entry in enumerate(entries, start=1):
        named = references.get(entry.chunk_id)
        if not named:
            continue
        own = chunks[entry.chunk_id]
        for reference in named:
            fate, at = _fate(reference, own, there, seen, chosen)
            if fate == "follow" and reference.target is not None:
                seen.add(reference.target)
                fate = _followed(entry, place, limit, left)
                left -= fate == "follow"
            found.append(
                Verweis(
                    entry.chunk_id,
                    place,
                    reference.start,
                    reference.end,
                    reference.words,
                    fate,
                    reference.target,
                    reference.law,
                    at=at,
                )
            )
    return tuple(found)


def _followed(entry: Entry, place: int, limit: int | None, left: int) -> VerweisFate:
    if entry.rank <= 0:
        return "no_rank"
    if limit and place > limit:
        return "behind_list"
    return "follow" if left > 0 else "beyond_cap"


def _places(entries: Iterable[Entry], chunks: Mapping[str, Chunk]) -> dict[Address, int]:
    """Where each norm stands first, with its Absatz and as a whole."""
    places: dict[Address, int] = {}
    for place, entry in enumerate(entries, start=1):
        chunk = chunks[entry.chunk_id]
        places.setdefault(chunk.address, place)
        places.setdefault(Address(chunk.corpus_id, chunk.container_id, chunk.section_id), place)
    return places


def _fate(reference: Reference, own: Chunk, there: Mapping[Address, int], seen: set[Address], chosen: set[str]) -> tuple[VerweisFate, int]:
    unfollowed = _UNFOLLOWED.get(reference.state)
    target = reference.target
    if unfollowed is not None or target is None:
        return unfollowed or "not_in_stock", 0
    if target in (own.address, Address(own.corpus_id, own.container_id, own.section_id)):
        return "own_norm", 0
    if target.corpus_id not in chosen:
        return "corpus_not_selected", 0
    if target in there:
        return "already_in_list", there[target]
    return ("repeated" if target in seen else "follow"), 0


def given_targets(wanted: Sequence[Target], defaults: Mapping[str, str], selected: Sequence[str], cap: int) -> tuple[Verweis, ...]:
    """The targets of a provider that is not ours: the first ``cap`` of them, and of those the ones in selected corpora."""
    found: list[Verweis] = []
    for number, target in enumerate(wanted):
        container = target.container_id if target.container_id is not None else defaults.get(target.corpus_id, "")
        address = Address(target.corpus_id, container, target.section_id, target.subsection or "")
        fate: VerweisFate = "beyond_cap" if number >= cap else "follow" if target.corpus_id in selected else "corpus_not_selected"
        found.append(Verweis("", 0, 0, 0, "", fate, address))
    return tuple(found)

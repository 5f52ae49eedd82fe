"""Counterfactuals: the smallest change of settings that brings a norm into the list or keeps it out, or why there is none."""

from __future__ import annotations

from typing import Literal

import msgspec

from retrieval.knobs import Value

Why = Literal[
    "never_candidate",  # neither route, nor an anchor, nor a reference of a hit in reach brings it among what was gathered
    "corpus_not_asked",  # its corpus was not routed, and no setting routes it
    "not_in_stock",
    "repealed",
    "always_behind",  # at every setting at least as many hits as the longest list stand before it
    "not_in_list",  # asked what keeps it out, but it is not in the list
    "in_list",  # asked what brings it in, but it is in the list
]


class Way(msgspec.Struct, frozen=True):
    """One change that does it, checked by a run.

    ``values`` are the settings to apply, by name, with short numbers just beyond the threshold; ``bounds`` the exact thresholds of the
    continuous ones, in the same order of names. ``distance`` is the sum of the moves, each as a share of its setting's range (0 to 1).
    ``place`` is the norm's place in the new list (0: out). ``regathers``: the corpora have to be asked again for it.
    """

    values: dict[str, Value]
    bounds: dict[str, float]
    distance: float
    place: int
    chunk_id: str = ""
    enters: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    regathers: bool = False


class Answer(msgspec.Struct, frozen=True):
    """What brings a norm in (``wanted``) or keeps it out: ``ways`` by distance, smallest first, at most one for each setting or pair.

    Without a way, ``proof`` says why none can exist, or is empty where the search of single settings and pairs found none and more than
    that is not claimed. ``behind`` are the hits that stand before the norm at every setting. ``place`` is its place now (0: not in the
    list).
    """

    chunk_ids: tuple[str, ...]
    wanted: bool
    place: int
    ways: tuple[Way, ...] = ()
    proof: Why | Literal[""] = ""
    behind: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()

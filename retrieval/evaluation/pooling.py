"""Pooled judging: the lists of several settings as one heap of norms, in an order that tells nothing about them.

Whoever judges sees neither which setting brought a norm nor at which place. The order comes from a seed alone, so that it stays as it is
while norms are judged, and the lists may be united in any order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping

import msgspec

from retrieval.evaluation.verdicts import Verdict, in_force
from retrieval.model import Address, Chunk


class Hit(msgspec.Struct, frozen=True, order=True):
    """One norm to be judged for one question; ``address`` has the Absatz where the hit has one."""

    question_id: str
    address: Address


def pool(lists: Mapping[str, Iterable[Iterable[Chunk]]], seed: str) -> tuple[Hit, ...]:
    """The norms of all lists of each question, each once; the questions in their order, the norms of each at random.

    ``lists`` holds the lists of the settings by question id. The same norms and the same ``seed`` give the same order.
    """
    heaps = {question_id: {Hit(question_id, chunk.address) for one in found for chunk in one} for question_id, found in lists.items()}
    return tuple(hit for heap in heaps.values() for hit in sorted(heap, key=lambda hit: (_drawn(hit, seed), hit)))


def in_order(question_id: str, chunks: Iterable[Chunk]) -> tuple[Hit, ...]:
    """The norms of one list in its order, each at its first place."""
    return tuple(dict.fromkeys(Hit(question_id, chunk.address) for chunk in chunks))


def spoken_of(lines: Iterable[Verdict], judge: str) -> dict[Hit, Verdict]:
    """What this judge has spoken of, and what counts of it; who cannot judge a norm has spoken of it."""
    return {Hit(one.question_id, one.address): one for one in in_force(lines) if one.judge == judge}


def open_hits(hits: Iterable[Hit], spoken: Container[Hit]) -> tuple[Hit, ...]:
    """The hits that are not yet spoken of, in their order."""
    return tuple(hit for hit in hits if hit not in spoken)


def _drawn(hit: Hit, seed: str) -> bytes:
    """A number drawn for this hit: each hit has its own, so that a hit more or less moves no other."""
    return hashlib.sha256(msgspec.json.encode((seed, hit))).digest()

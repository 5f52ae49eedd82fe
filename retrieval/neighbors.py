"""Neighbours: the other parts of an Absatz that was cut, for hits that show only one of them.

They stand beside the final list, never in it: nothing is ranked anew and nothing loses its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from retrieval.model import Chunk, Target
from retrieval.ports import Source
from retrieval.trace import Neighbors, Trace

REACH = 2
"""So many parts on either side of a hit go along with it: an Absatz of three parts, and most that are cut have two, is then whole."""

SourceOf = Callable[[str], Any]
"""The retriever of a corpus by its id."""


def with_neighbors(trace: Trace, source_of: SourceOf) -> Trace:
    """The trace with the parts of every Absatz that the final list shows a part of, and with their chunks.

    A part that two hits could bring stands behind the better one, and a part that is a hit itself behind none. The hits of retrievers that
    are not ours stay as they are.
    """
    taken = {entry.chunk_id for entry in trace.final}
    chunks = dict(trace.chunks)
    found: list[Neighbors] = []
    for entry in trace.final:
        source = source_of(entry.corpus_id)
        parts = parts_of(chunks[entry.chunk_id], source) if isinstance(source, Source) else ()
        if len(parts) < 2:
            continue
        chunks.update((part.chunk_id, part) for part in parts)
        ids = tuple(part.chunk_id for part in parts)
        behind = tuple(one for one in near(ids, entry.chunk_id) if one not in taken)
        taken.update(behind)
        found.append(Neighbors(entry.chunk_id, ids, behind))
    return msgspec.structs.replace(trace, neighbors=tuple(found), chunks=chunks)


def parts_of(chunk: Chunk, source: Source) -> tuple[Chunk, ...]:
    """The parts of the Absatz that this chunk is one of, in the order of the text; of a norm without numbered Absätze, its chunks.

    Just the chunk itself where its Absatz was not cut, or where the stock does not know it.
    """
    units = source.units(Target(chunk.corpus_id, chunk.section_id, chunk.container_id, chunk.subsection))
    at_hand = (source.chunk(hit.chunk_id) for hit in units.hits)
    same = [one for one in at_hand if one.address == chunk.address and one.position is not None]
    run = next((run for run in _runs(same) if chunk.chunk_id in {one.chunk_id for one in run}), None)
    return tuple(run) if run else (chunk,)


def _runs(chunks: Sequence[Chunk]) -> Iterable[list[Chunk]]:
    """Chunks that follow one another in their section, together."""
    runs = [list(chunks[:1])]
    for before, here in pairwise(chunks):
        if (here.position or 0) == (before.position or 0) + 1:
            runs[-1].append(here)
        else:
            runs.append([here])
    return runs


def near(parts: Sequence[str], hit: str) -> tuple[str, ...]:
    """The parts within reach of the hit, without it, in the order of the text."""
    place = parts.index(hit)
    return tuple(part for part in parts[max(0, place - REACH) : place + REACH + 1] if part != hit)

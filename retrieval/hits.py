"""The border: the final list as dictionaries, the shape that the rest of an assistant reads."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from retrieval.model import NEIGHBOR, Chunk, Target
from retrieval.ranking import Entry
from retrieval.trace import Trace


def hit_of(entry: Entry, chunk: Chunk) -> dict[str, Any]:
    """One hit as a new dictionary; ``decision_score`` is the raw cosine, 0.0 where the vector route did not find the chunk."""
    if chunk.extra is not None:
        raw = copy.deepcopy(chunk.extra)
        return {**raw, "score": entry.score, "rank_score": entry.rank, "retrieval_kinds": list(entry.kinds)}
    return {
        "text": chunk.text,
        "score": entry.score,
        "rank_score": entry.rank,
        "decision_score": entry.cosine or 0.0,
        "corpus_id": chunk.corpus_id,
        "retrieval_kinds": list(entry.kinds),
        "metadata": metadata_of(chunk),
    }


def metadata_of(chunk: Chunk) -> dict[str, Any]:
    """The metadata of a chunk as they stand in a hit and in the collection."""
    return {
        "chunk_id": chunk.chunk_id,
        "corpus_id": chunk.corpus_id,
        "container_id": chunk.container_id,
        "section_id": chunk.section_id,
        "subsection": chunk.subsection,
        "chunk_index_in_section": chunk.position,
        "text_hash": chunk.text_hash,
        "heading": chunk.heading,
        "source": chunk.source,
        "stand": chunk.stand,
        "repealed": chunk.repealed,
    }


def hits_of(trace: Trace) -> list[dict[str, Any]]:
    """The final list of a run; where neighbours were asked for, each hit's right behind it, in the order of the text.

    A neighbour has the rank of its hit, so that it stays there when a list is sorted by rank, and no score: no search has found it.
    """
    behind = {one.chunk_id: one.behind for one in trace.neighbors}
    entries = (one for entry in trace.final for one in (entry, *_along(entry, behind.get(entry.chunk_id, ()))))
    return dictionaries(entries, trace.chunks)


def _along(hit: Entry, ids: Iterable[str]) -> Iterable[Entry]:
    return (Entry(one, hit.corpus_id, one, hit.rank, kinds=(NEIGHBOR,)) for one in ids)


def dictionaries(entries: Iterable[Entry], chunks: dict[str, Chunk]) -> list[dict[str, Any]]:
    """Entries as hits, in their order."""
    return [hit_of(entry, chunks[entry.chunk_id]) for entry in entries]


def target_of(raw: Any) -> Target:
    """A target from a ``Target`` or a mapping ``{corpus_id, container_id, section_id, subsection, max_chunks}``."""
    if isinstance(raw, Target):
        return raw
    container, subsection = raw.get("container_id"), raw.get("subsection")
    return Target(
        str(raw["corpus_id"]),
        str(raw["section_id"]),
        None if container is None else str(container),
        None if subsection is None else str(subsection),
        raw.get("max_chunks"),
    )


def sections_of(raw: str | Iterable[str] | None) -> tuple[str, ...]:
    """Sections as a caller names them: one, several or none."""
    return (raw,) if isinstance(raw, str) else tuple(raw or ())

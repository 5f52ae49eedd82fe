"""The way of each hit from the list before the quota to the final one, joined from the trace's rankings."""

from __future__ import annotations

from typing import Literal

import msgspec

from retrieval.model import DEFINITION_LOOKUP, NORM_ANCHOR, SECTION_LOOKUP, VERWEIS
from retrieval.ranking import Entry
from retrieval.trace import Trace

How = Literal["search", "anchor", "lookup", "definition", "verweis", "quota", "named", "displaced", "below"]
HOWS: tuple[How, ...] = ("search", "quota", "anchor", "lookup", "definition", "verweis", "named", "displaced", "below")


class Step(msgspec.Struct, frozen=True):
    """One hit's places before the quota and at the end (from 1; 0 = not in the final list).

    ``how`` says what brought it there: quota and named when it would not stand there otherwise, then anchor, lookup, definition or verweis
    when its rank score comes from there, else search. ``displaced`` had a place before the quota and lost it, ``below`` never had one.
    """

    before: int
    after: int
    how: How
    entry: Entry
    round: int = 0


def steps(trace: Trace) -> tuple[Step, ...]:
    """One step for each hit of the list before the quota, in its order."""
    finals = {entry.chunk_id: (place, entry) for place, entry in enumerate(trace.final, start=1)}
    reserved = {entry.chunk_id: entry.fate.round for entry in trace.quota.ranking.living if entry.fate.code == "reserved"}
    found: list[Step] = []
    for before, entry in enumerate(trace.completed.living, start=1):
        after = finals[entry.chunk_id][0] if entry.chunk_id in finals else 0
        how = _how(trace, entry, before, after)
        found.append(Step(before, after, how, entry, reserved.get(entry.chunk_id, 0)))
    return tuple(found)


def _how(trace: Trace, entry: Entry, before: int, after: int) -> How:
    beyond = trace.limit is not None and before > trace.limit
    if not after:
        return "below" if beyond else "displaced"
    if entry.chunk_id == trace.named.moved:
        return "named"
    if beyond:
        return "quota"
    by: dict[str, How] = {NORM_ANCHOR: "anchor", SECTION_LOOKUP: "lookup", DEFINITION_LOOKUP: "definition", VERWEIS: "verweis"}
    return by.get(entry.rank_by, "search")


def moving(all_steps: tuple[Step, ...], limit: int | None) -> tuple[Step, ...]:
    """The steps that are drawn: everything up to the limit, and what came into the list from behind it."""
    return tuple(step for step in all_steps if limit is None or step.before <= limit or step.after)

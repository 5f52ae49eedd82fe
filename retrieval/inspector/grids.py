"""Grids: the final list of one question under many settings at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from retrieval.decide import decide
from retrieval.errors import BadSetting
from retrieval.settings import Settings
from retrieval.trace import Pool

Ids = tuple[str, ...]


def lists(pool: Pool, settings: Sequence[Settings], without: Collection[str] = ()) -> list[Ids | None]:
    """The final list (chunk ids, best first) under each of the settings; None where one is refused.

    Equal to that of ``decide``, each time. ``without`` names stages that are left out, as in ``decide``.
    """
    found: list[Ids | None] = []
    for one in settings:
        try:
            found.append(tuple(entry.chunk_id for entry in decide(pool, one, without=without).final))
        except BadSetting:
            found.append(None)
    return found

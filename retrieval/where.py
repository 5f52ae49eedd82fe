"""Metadata filters in Chroma's form, read and applied in memory.

A condition on ``container_id`` speaks of one corpus only; for the others it is taken out while the rest of the filter stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from retrieval.errors import BadInput

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda found, wanted: found == wanted,
    "$ne": lambda found, wanted: found != wanted,
    "$in": lambda found, wanted: found in wanted,
    "$nin": lambda found, wanted: found not in wanted,
    "$gt": lambda found, wanted: found is not None and found > wanted,
    "$gte": lambda found, wanted: found is not None and found >= wanted,
    "$lt": lambda found, wanted: found is not None and found < wanted,
    "$lte": lambda found, wanted: found is not None and found <= wanted,
}


def matches(metadata: Mapping[str, Any], where: Mapping[str, Any] | None) -> bool:
    """Whether ``metadata`` fulfils ``where`` (``{key: value}``, ``{key: {"$in": …}}``, ``$and``, ``$or``; None or empty: everything).

    Raises BadInput for an operator that is not known.
    """
    return all(_condition(metadata, key, wanted) for key, wanted in (where or {}).items())


def _condition(metadata: Mapping[str, Any], key: str, wanted: Any) -> bool:
    if key.startswith("$") and key not in ("$and", "$or"):
        raise BadInput(f"Filter: found {key!r} where a key or $and or $or is expected.")
    if key == "$and":
        return all(matches(metadata, part) for part in wanted)
    if key == "$or":
        return any(matches(metadata, part) for part in wanted)
    tests = wanted.items() if isinstance(wanted, Mapping) else (("$eq", wanted),)
    return all(_operator(name)(metadata.get(key), value) for name, value in tests)


def _operator(name: str) -> Callable[[Any, Any], bool]:
    if name not in _COMPARE:
        raise BadInput(f"Filter: found the operator {name!r}; known are {', '.join(_COMPARE)}, $and and $or.")
    return _COMPARE[name]


def for_corpus(where: Mapping[str, Any] | None, default_container: str) -> tuple[dict[str, Any] | None, str]:
    """``where`` as it goes to the corpus with this default container, and the container condition that was dropped (empty: none).

    A condition on ``container_id`` stays only where it asks for the corpus's own default container.
    """
    if not where:
        return None, ""
    if not isinstance(where, Mapping):
        raise BadInput(f"Filter: found {str(where)[:40]!r}, expected a mapping of metadata keys to conditions.")
    matches({}, where)  # an operator that is not known is refused before any corpus is asked
    dropped: list[str] = []
    kept = _without_foreign(where, default_container, dropped)
    return kept or None, ", ".join(dropped)


def _without_foreign(where: Mapping[str, Any], default_container: str, dropped: list[str]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, wanted in where.items():
        if key in ("$and", "$or"):
            parts = [part for part in (_without_foreign(part, default_container, dropped) for part in wanted) if part]
            if len(parts) == 1:
                kept.update(parts[0])
            elif parts:
                kept[key] = parts
        elif key == "container_id" and not (default_container and matches({"container_id": default_container}, {key: wanted})):
            dropped.append(str(wanted))
        else:
            kept[key] = wanted
    return kept

"""Addresses: those of the pages about a run, and the key of a norm in them: its parts between bars, such as ``sgb_v||§ 129|2``."""

from __future__ import annotations

import msgspec

from retrieval.model import Address, Chunk

RUN_PAGES = {
    "page": "",
    "why": "warum",
    "sliders": "regler",
    "stages": "stufen",
    "scores": "werte",
    "compare": "vergleich",
    "present": "vorfuehrung",
    "export": "mitnehmen",
}
"""The pages about the run of a session: their addresses, by the name under which their words stand."""
SET_PAGES = {
    "sets": "fragen",
    "judge": "bewerten",
    "measure": "messen",
    "sweep": "abstimmen",
    "swap": "befund",
    "record": "protokoll",
}
"""The pages about a set of questions, likewise."""
_BAR, _ESCAPED = "|", (("%", "%25"), ("|", "%7C"))


def key_of(norm: Address | Chunk) -> str:
    """The key of an address; empty for one without corpus."""
    if not norm.corpus_id:
        return ""
    parts = [_escaped(part) for part in (norm.corpus_id, norm.container_id, norm.section_id, norm.subsection)]
    return parts[0] + _BAR + _BAR.join(parts[1:]).rstrip(_BAR)


def address_of(key: str) -> Address | None:
    """The address that a key means; None for what is no key, such as words that a person typed."""
    parts = key.split(_BAR)
    if not 2 <= len(parts) <= len(msgspec.structs.fields(Address)) or not parts[0]:
        return None
    return Address(*(_plain(part) for part in parts))


def _escaped(part: str) -> str:
    for plain, escaped in _ESCAPED:
        part = part.replace(plain, escaped)
    return part


def _plain(part: str) -> str:
    for plain, escaped in reversed(_ESCAPED):
        part = part.replace(escaped, plain)
    return part

"""What the grammar read in every chunk of a corpus, kept beside the chunks, so that following a reference costs a look-up.

A reading depends on the text and on the grammar alone, not on what else is in stock. It carries the stamp of the grammar; under another
one the texts are read anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from retrieval.citations import Citation, citations
from retrieval.errors import BrokenStock

Reading = tuple[Citation, ...]

_IMPORTED = re.compile(r"^from retrieval\.(\w+) import|\"(data/[\w.]+)\"", re.MULTILINE)
_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(Citation)}


class _File(msgspec.Struct, frozen=True):
    grammar: str
    chunks: tuple[Reading, ...]


@cache
def grammar() -> str:
    """The stamp of the grammar: 16 hex digits, others after every change of its source."""
    sources = grammar_sources()
    return hashlib.sha256("".join(sources[name] for name in sorted(sources)).encode()).hexdigest()[:16]


def grammar_sources() -> dict[str, str]:
    """The source of the grammar by file name: its module, and the modules and data files that this one rests on."""
    place, found, open_names = files("retrieval"), dict[str, str](), ["citations.py"]
    while open_names:
        name = open_names.pop()
        if name not in found:
            found[name] = place.joinpath(name).read_text(encoding="utf-8")
            open_names += [data or f"{module}.py" for module, data in _IMPORTED.findall(found[name]) if module or data]
    return found


def read(texts: Iterable[str]) -> tuple[Reading, ...]:
    """The citations of each text."""
    return tuple(citations(text) for text in texts)


def encoded(readings: Sequence[Reading]) -> bytes:
    """Readings with the stamp of the grammar, as JSON without what is not there."""
    return msgspec.json.encode({"grammar": grammar(), "chunks": [[_lean(citation) for citation in reading] for reading in readings]})


def load(path: Path) -> tuple[Reading, ...]:
    """The readings of a corpus, in the order of its chunks. Raises BrokenStock if there are none of this grammar."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.MsgspecError) as cause:
        raise BrokenStock(
            f"{path.absolute()} cannot be read ({type(cause).__name__}). The references are read from the texts instead; "
            "ingest the corpus again to store them."
        ) from cause
    if found.grammar != grammar():
        raise BrokenStock(
            f"{path.absolute()} was read with the grammar {found.grammar}, expected {grammar()}. The references are read from the texts "
            "instead; ingest the corpus again to store them."
        )
    return found.chunks


def _lean(citation: Citation) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(citation).items() if value != _DEFAULTS[name]}

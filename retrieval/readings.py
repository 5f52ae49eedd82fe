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
from typing import Any, overload

import msgspec
import numpy as np

from retrieval.citations import Citation, citations
from retrieval.errors import BrokenStock

Reading = tuple[Citation, ...]

_IMPORTED = re.compile(r"^from retrieval\.(\w+) import|\"(data/[\w.]+)\"", re.MULTILINE)
_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(Citation)}


class _File(msgspec.Struct, frozen=True):
    grammar: str
    chunks: list[msgspec.Raw]


class _Stored(Sequence[Reading]):
    """The readings of a file, each decoded when it is asked for: most of a large stock is never asked for."""

    def __init__(self, raws: Sequence[msgspec.Raw]) -> None:
        self._content = b"".join(raws)
        self._bounds = np.cumsum([0, *map(len, raws)], dtype=np.int64)
        self._decoder = msgspec.json.Decoder(Reading)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, place: int) -> Reading: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Reading, ...]: ...

    def __getitem__(self, place: int | slice) -> Reading | tuple[Reading, ...]:
        if isinstance(place, slice):
            return tuple(self[row] for row in range(*place.indices(len(self))))
        row = range(len(self))[place]
        start, end = self._bounds[row : row + 2].tolist()
        return self._decoder.decode(self._content[start:end])


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


def load(path: Path) -> Sequence[Reading]:
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
    return _Stored(found.chunks)


def _lean(citation: Citation) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(citation).items() if value != _DEFAULTS[name]}

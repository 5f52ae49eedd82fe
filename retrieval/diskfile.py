"""Files beside the stock that may be made anew at any time: written so that nobody reads half of one, checked before they are used."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PIECE = 1 << 22


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of ``path`` when the block ends, and goes when it fails; several processes may write at once."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, 0o644)  # temporary files are closed to all others
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def checksum(path: Path, before: int = 0) -> int:
    """The CRC-32 of a file, continued from ``before``. It is read piece by piece: through a mapping it would count as memory."""
    found = before
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found = zlib.crc32(piece, found)
    return found

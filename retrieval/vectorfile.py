"""A matrix of vectors in a file of its own: written once, then mapped by every process that needs it."""

from __future__ import annotations

import logging
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from retrieval.ports import Matrix

log = logging.getLogger(__name__)
FILE = "vectors.npy"
ABOUT = "vectors.json"
_READ = 1 << 22


class _About(msgspec.Struct, frozen=True):
    """``key`` says of what the matrix is made, ``checksum`` is that of the whole file."""

    key: str
    shape: tuple[int, int]
    checksum: int


def load_matrix(folder: Path, key: str) -> Matrix | None:
    """The matrix that was kept here under this key; None where there is none, or none that is whole."""
    try:
        about = msgspec.json.decode((folder / ABOUT).read_bytes(), type=_About)
        if about.key != key or about.checksum != _checksum(folder / FILE):
            return None
        matrix: Matrix = np.load(folder / FILE, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    return matrix if matrix.dtype == np.float32 and matrix.shape == about.shape else None


def save_matrix(folder: Path, key: str, matrix: Matrix) -> Matrix:
    """Keeps the matrix under this key and maps it from its file; where nothing can be written, it stays in memory."""
    try:
        _write(folder / FILE, lambda file: np.save(file, matrix, allow_pickle=False))
        about = msgspec.json.encode(_About(key, (matrix.shape[0], matrix.shape[1]), _checksum(folder / FILE)))
        _write(folder / ABOUT, lambda file: file.write(about))
    except OSError as error:
        log.info("The vectors are not kept at %s: %s", folder, error)
        return matrix
    found = load_matrix(folder, key)
    return matrix if found is None else found


def _write(path: Path, fill: Any) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            fill(file)
        os.chmod(name, 0o644)  # temporary files are closed to all others
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _checksum(path: Path) -> int:
    """Read piece by piece: read through a mapping, the file would count as memory of this process."""
    found = 0
    with path.open("rb") as file:
        while piece := file.read(_READ):
            found = zlib.crc32(piece, found)
    return found

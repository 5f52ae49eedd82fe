"""A matrix of vectors in a file of its own: written once, then mapped by every process that needs it."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
import numpy as np

from retrieval.diskfile import checksum, written
from retrieval.ports import Matrix

log = logging.getLogger(__name__)
FILE = "vectors.npy"
ABOUT = "vectors.json"


class _About(msgspec.Struct, frozen=True):
    """``key`` says of what the matrix is made, ``checksum`` is that of the whole file."""

    key: str
    shape: tuple[int, int]
    checksum: int


def load_matrix(folder: Path, key: str) -> Matrix | None:
    """The matrix that was kept here under this key; None where there is none, or none that is whole."""
    try:
        about = msgspec.json.decode((folder / ABOUT).read_bytes(), type=_About)
        if about.key != key or about.checksum != checksum(folder / FILE):
            return None
        matrix: Matrix = np.load(folder / FILE, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    return matrix if matrix.dtype == np.float32 and matrix.shape == about.shape else None


def save_matrix(folder: Path, key: str, matrix: Matrix) -> Matrix:
    """Keeps the matrix under this key and maps it from its file; where nothing can be written, it stays in memory."""
    try:
        with written(folder / FILE) as file:
            np.save(file, matrix, allow_pickle=False)
        with written(folder / ABOUT) as file:
            file.write(msgspec.json.encode(_About(key, (matrix.shape[0], matrix.shape[1]), checksum(folder / FILE))))
    except OSError as error:
        log.info("The vectors are not kept at %s: %s", folder, error)
        return matrix
    found = load_matrix(folder, key)
    return matrix if found is None else found

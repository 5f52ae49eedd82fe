"""Vectors as every encoder hands them over: rows of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrieval.errors import EncoderError
from retrieval.ports import Matrix


def unit_rows(vectors: Any) -> Matrix:
    """The rows of a matrix scaled to length 1, as float32. Raises EncoderError for a row that has no direction."""
    matrix = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise EncoderError("The encoder returned a vector without a direction; expected finite numbers. Check the model's files.")
    return np.asarray(matrix / lengths, dtype=np.float32)

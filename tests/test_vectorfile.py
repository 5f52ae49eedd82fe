"""Vectors in a file of their own: read from their collection once, then mapped by every process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.chroma import VectorIndex
from retrieval.vectorfile import ABOUT, FILE, load_matrix, save_matrix

MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_a_matrix_is_kept_under_its_key_and_mapped(tmp_path: Path) -> None:
    assert load_matrix(tmp_path, "one") is None
    first, again = save_matrix(tmp_path, "one", MATRIX), load_matrix(tmp_path, "one")
    for found in (first, again):
        assert isinstance(found, np.memmap)
        assert (found == MATRIX).all()
    assert load_matrix(tmp_path, "two") is None
    assert sorted(path.name for path in tmp_path.iterdir()) == [ABOUT, FILE]


@pytest.mark.parametrize("name", [FILE, ABOUT])
@pytest.mark.parametrize("damage", ["cut", "gone", "flipped", "foreign"])
def test_a_matrix_that_is_not_whole_is_none(tmp_path: Path, name: str, damage: str) -> None:
    save_matrix(tmp_path, "one", MATRIX)
    path = tmp_path / name
    content = path.read_bytes()
    path.unlink()
    if damage != "gone":
        other = content[:-2] + bytes([content[-2] ^ 1]) + content[-1:]
        path.write_bytes({"cut": content[:-3], "flipped": other, "foreign": b"PK\x03\x04 something else"}[damage])
    assert load_matrix(tmp_path, "one") is None


def test_where_nothing_can_be_written_the_matrix_stays_in_memory(tmp_path: Path) -> None:
    found = save_matrix(tmp_path / "nowhere", "one", MATRIX)
    assert found is MATRIX


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    assert save_matrix(tmp_path, "one", MATRIX) is MATRIX
    assert list(tmp_path.iterdir()) == []


class Collection:
    """A collection that counts how often it is read."""

    def __init__(self, identity: str = "1") -> None:
        self.id, self.name, self.read = identity, "abgabe-0001", 0

    def count(self) -> int:
        return len(MATRIX)

    def get(self, include: list[str], **_: Any) -> dict[str, Any]:
        self.read += 1
        return {"ids": ["a", "b", "c", "d"], "embeddings": MATRIX + 1}


def test_a_collection_is_read_once_and_another_one_again(tmp_path: Path) -> None:
    one, other = Collection(), Collection("2")
    indexes = [VectorIndex(found, tmp_path, ["a", "c"], [0, 2], kept=tmp_path) for found in (one, one, other)]
    assert (one.read, other.read) == (1, 1)
    lists = [index.search(np.array([1.0, 0.0, 0.5]), 5) for index in indexes]
    assert lists[0] == lists[1] == lists[2] != []
    assert [row for row, _ in lists[0]] == [2, 0]

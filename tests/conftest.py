"""What several test files need: the shared folder, and the sample corpora ingested once."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real law and recorded cases that lies beside the repository; a test is skipped where it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder ../shared with real law is not there; it is not part of the project")
    return folder

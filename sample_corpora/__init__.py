"""Five invented bodies of rules with anchors and questions, for demonstrations and tests."""

from __future__ import annotations

from pathlib import Path

PATH = Path(__file__).resolve().parent
"""The folder with the texts (``*.md``), ``anchors.toml`` and ``questions.toml``."""

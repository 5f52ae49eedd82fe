"""The file of a set of questions: TOML with one ``[[question]]`` entry for each, its words under ``text``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from retrieval.errors import BadSource


def question_texts(path: Path) -> tuple[str, ...]:
    """The texts of a question file, each once, in order. Raises BadSource for a file that is none."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("question")
    except (OSError, ValueError) as error:
        raise BadSource(f"Question file {path}: {error}. Expected a TOML file with [[question]] entries.") from None
    if not isinstance(found, list):
        raise BadSource(f"Question file {path}: found no [[question]] entry. Expected one with a line 'text = …' for each question.")
    texts = (entry.get("text") for entry in found if isinstance(entry, dict))
    return tuple(dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip()))

"""Readers: files of rules in, norms and a report out. A new format is one module and one line here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from retrieval.errors import BadSource
from retrieval.readers import gii, rules
from retrieval.readers.safe_files import head
from retrieval.readers.types import Oddity, Paragraph, ReadCorpus, Reader, ReadNorm, ReadReport

__all__ = ["READERS", "Oddity", "Paragraph", "ReadCorpus", "ReadNorm", "ReadReport", "Reader", "read"]

READERS: tuple[Reader, ...] = (
    Reader("gii", gii.accepts, gii.read),
    Reader("rules", rules.accepts, rules.read),
)  # fmt: skip
"""In the order in which they are asked; the first that accepts the file reads it."""


def read(path: Path, manifest: Path | None = None, **overrides: Any) -> ReadCorpus:
    """The body of rules in this file, by the first reader that knows the content.

    ``manifest`` is a TOML file with what the rules do not say about themselves. ``overrides`` replace fields of the spec, such as
    ``corpus_id``, ``title`` or ``names``. Raises BadSource with what was found, what was expected and what to do.
    """
    path = Path(path)
    start = head(path)
    for reader in READERS:
        if reader.accepts(path, start):
            return reader.read(path, Path(manifest) if manifest else None, overrides)
    raise BadSource(f"{path.name}: found {_what_it_is(start)}; expected .xml, .xml.zip, .md or .txt. Convert or download the file again.")


def _what_it_is(start: bytes) -> str:
    opening = start.lstrip().lower()
    if opening.startswith(b"%pdf"):
        return 'a PDF file (convert it to Markdown and give it layout = "pdf" in a manifest)'
    return "an HTML page" if opening.startswith((b"<!doctype html", b"<html")) else "a format that is not known"

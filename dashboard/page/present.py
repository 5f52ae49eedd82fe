"""The page "Vorführung"."""

from __future__ import annotations

from dashboard.blocks import paragraph
from dashboard.component import draw
from dashboard.running import Run
from retrieval.words import Words


def page(run: Run, words: Words) -> None:
    """Draw the page for this run."""
    draw([paragraph(words.quoted(run.trace.question))], "question_shown", words.language)

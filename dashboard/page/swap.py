"""The page about a question set named "swap"."""

from __future__ import annotations

from dashboard.tuning import Tuning
from retrieval.words import Words


def page(tuning: Tuning, words: Words) -> None:
    """Draw the page for this set."""
    del tuning, words

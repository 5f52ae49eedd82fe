"""The page "Fragensätze": what sets there are, what is in them, and how others come in and go out."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.blocks import Block
from dashboard.component import draw
from dashboard.stock import Places, Runs
from retrieval.words import Words


def page(runs: Runs, places: Places, above: Sequence[Block], words: Words) -> None:
    """Draw the page; it stands where there is no set yet, too."""
    del runs, places
    draw(list(above), "above", words.language)

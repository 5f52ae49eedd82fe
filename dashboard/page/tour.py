"""The page "Rundgang": a guided tour over the stock, computed while it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dashboard.blocks import Block
from dashboard.component import draw
from dashboard.stock import Runs
from retrieval.words import Words


def page(runs: Runs, index: Path, above: Sequence[Block], words: Words) -> None:
    """Draw the step of the tour at which this session stands."""
    del runs, index
    draw(list(above), "above", words.language)

"""The page "Anker": the register of curated claims, each held against the stock."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from dashboard import screens
from dashboard.blocks import Block
from dashboard.component import draw
from dashboard.stock import Runs
from dashboard.views import register as view
from retrieval.anchors import AnchorRegister
from retrieval.words import Words

log = logging.getLogger(__name__)


def page(runs: Runs, index: Path, file: Path | None, above: Sequence[Block], words: Words) -> None:
    """Draw the page; ``file`` is the register that was named, None when there is none."""
    draw([*above, *_blocks(runs, index, file, words)], "above", words.language)


def _blocks(runs: Runs, index: Path, file: Path | None, words: Words) -> list[Block]:
    register, federation = runs.register, runs.texts
    if file is None or not isinstance(register, AnchorRegister):
        return [screens.no_register(words)]
    screen = screens.no_stock(runs.stock, index, words)
    if screen is not None or federation is None:
        return [screen or screens.no_texts(words)]
    try:
        return view.blocks(register, federation, words)
    except Exception as error:
        log.exception("the register could not be checked")
        return [screens.of_error(error, index, words)]

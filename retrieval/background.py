"""The common scale from 0 to 1, on which the scores of all corpora, both routes and every encoder can be compared.

Cosines of different encoders mean different things: one spreads unrelated pairs around 0.07, another around 0.8. Two constants are
measured per encoder, on questions and passages that ship with the package, each topic unrelated to the others:

- the background, the 99th percentile of pairs of different topics, becomes 0. It is a high quantile, not the mean: what must come out
  near 0 is the best hit of a whole corpus that has nothing to say, and the best of some hundred passages lies far above the average one;
- the near cosine, the 95th percentile of pairs of one topic, becomes 0.5, where the product ranks what a hit refers to. A straight line
  from the background to 1 would put 0.5 where hardly a right passage comes, with some encoders less than with others.

Between them the scale is straight, and 1 stays 1. The word route has its own floor: long questions share chance words with any passage.
``docs/calibration.md`` has the figures.
"""

from __future__ import annotations

import statistics
import threading
import tomllib
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from retrieval.ports import Encoder, Fingerprint

_TOPICS = Path(__file__).parent / "data" / "background.toml"
CHANCE = 0.1
"""The share of the best possible word score that a passage reaches by words that it shares with a question by chance."""
_SAME = ("model", "revision", "dimension", "question_prompt", "passage_prompt")


class Constants(NamedTuple):
    """What is measured per encoder: two cosines from -1 to 1, ``background`` below ``near``."""

    background: float
    near: float


_known: WeakKeyDictionary[Encoder, Constants] = WeakKeyDictionary()
_measuring = threading.Lock()


def measured(encoder: Encoder) -> Constants:
    """The constants of this encoder; measured once per encoder and process, safe to call from several threads."""
    with _measuring:
        if encoder not in _known:
            _known[encoder] = _measured(encoder)
        return _known[encoder]


def topics() -> tuple[list[str], list[str], list[int]]:
    """The questions and the passages on which the constants are measured, and for each passage the place of its question."""
    read = tomllib.loads(_TOPICS.read_text("utf-8"))["topics"]
    passages = [(passage, place) for place, topic in enumerate(read) for passage in topic["passages"]]
    return [topic["question"] for topic in read], [passage for passage, _ in passages], [place for _, place in passages]


def _measured(encoder: Encoder) -> Constants:
    questions, passages, owner = topics()
    related: list[float] = []
    unrelated: list[float] = []
    for place, row in enumerate((encoder.questions(questions) @ encoder.passages(passages).T).tolist()):
        for cosine, other in zip(row, owner, strict=True):
            (related if other == place else unrelated).append(cosine)
    background = round(statistics.quantiles(unrelated, n=100)[98], 4)
    near = round(statistics.quantiles(related, n=20, method="inclusive")[18], 4)
    return Constants(background, near if background < near < 1.0 else _straight(background))


def stamped(fingerprint: Fingerprint, encoder: Encoder) -> Fingerprint:
    """The fingerprint with the constants of its encoder."""
    background, near = measured(encoder)
    return replace(fingerprint, background=background, near=near)


def completed(fingerprint: Fingerprint, encoder: Encoder | str | None) -> Fingerprint:
    """A stored fingerprint with both constants: what it lacks is measured, as far as its encoder is here and still the same.

    Corpora of one encoder then stand on one scale, whichever version of the program read them in.
    """
    if fingerprint.near is not None or encoder is None or isinstance(encoder, str):
        return fingerprint
    if any(getattr(fingerprint, name) != getattr(encoder.fingerprint, name) for name in _SAME):
        return fingerprint
    return stamped(fingerprint, encoder)


def scaled(cosine: float, background: float, near: float | None = None) -> float:
    """A cosine on the common scale: 0 at the background and below, 0.5 at ``near``, 1 for the same direction. Pure arithmetic.

    Without a ``near`` between background and 1 the scale is one straight line.
    """
    if background >= 1.0:
        return 0.0
    middle = near if near is not None and background < near < 1.0 else _straight(background)
    if cosine < middle:
        return max(0.0, 0.5 * (cosine - background) / (middle - background))
    return min(1.0, 0.5 + 0.5 * (cosine - middle) / (1.0 - middle))


def _straight(background: float) -> float:
    return (1.0 + background) / 2.0


def scaled_words(score: float, ceiling: float) -> float:
    """A BM25 score on the common scale: 0 at a tenth of the best possible score and below, 1 at that score and above.

    ``ceiling`` is what this question could reach at best (``LexicalIndex.ceiling``), one number for all corpora. Pure arithmetic.
    """
    if ceiling <= 0.0:
        return 0.0
    return min(1.0, max(0.0, (score / ceiling - CHANCE) / (1.0 - CHANCE)))

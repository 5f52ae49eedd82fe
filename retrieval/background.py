"""Background similarity: what an encoder gives for a question and a passage that have nothing to do with each other.

Cosines of different encoders mean different things: one spreads unrelated pairs around 0.07, another around 0.8. The background is
measured, one constant per encoder, on questions and passages about unrelated topics that ship with the package.

The statistic is a high quantile, not the mean: what must come out near 0 is the best hit of a whole corpus that has nothing to say, and
the best of some hundred passages lies far above the average one. Measured with the default encoder (mean 0.07, quantile 0.26) on 323 lay
questions about civil law: the best passage of the medical devices act reached 0.29 in the median, that of the civil code 0.54. Over the
mean the first keeps 0.46 of the second on the common scale, over the quantile 0.08.
"""

from __future__ import annotations

import statistics
import tomllib
from pathlib import Path
from weakref import WeakKeyDictionary

from retrieval.ports import Encoder

_TOPICS = Path(__file__).parent / "data" / "background.toml"


_known: WeakKeyDictionary[Encoder, float] = WeakKeyDictionary()


def measured(encoder: Encoder) -> float:
    """The encoder's background: the 99th percentile of the cosines of all unrelated pairs, from -1 to 1; measured once per encoder."""
    if encoder not in _known:
        _known[encoder] = _measured(encoder)
    return _known[encoder]


def _measured(encoder: Encoder) -> float:
    topics = tomllib.loads(_TOPICS.read_text("utf-8"))["topics"]
    questions = encoder.questions([topic["question"] for topic in topics])
    passages = encoder.passages([passage for topic in topics for passage in topic["passages"]])
    owner = [place for place, topic in enumerate(topics) for _ in topic["passages"]]
    cosines: list[list[float]] = (questions @ passages.T).tolist()
    unrelated = [cosine for place, row in enumerate(cosines) for cosine, other in zip(row, owner, strict=True) if other != place]
    return round(statistics.quantiles(unrelated, n=100)[98], 4)


def scaled(cosine: float, background: float) -> float:
    """A cosine on the common scale: 0 at the background and below, 1 for the same direction. Pure arithmetic."""
    if background >= 1.0:
        return 0.0
    return min(1.0, max(0.0, (cosine - background) / (1.0 - background)))

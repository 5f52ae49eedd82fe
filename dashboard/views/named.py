"""Named corpus first: whether a hit was moved to the front because the question names its corpus, in a sentence."""

from __future__ import annotations

from dashboard.naming import norm, title_of
from retrieval.trace import Trace
from retrieval.words import Words


def sentence(trace: Trace, words: Words) -> str:
    """What the stage did, or why nothing moved."""
    named = trace.named
    if "named_first" in trace.without:
        return words.t("left_out.named_first")
    if not named.moved:
        return words.word("named.reason", named.reason)
    return words.t(
        "named.moved",
        corpora=", ".join(title_of(corpus, trace.specs) for corpus in named.named),
        norm=norm(trace.chunks[named.moved], trace.specs),
        place=named.from_place,
        before=words.number(named.lifted_from),
        after=words.number(trace.final[0].rank),
    )

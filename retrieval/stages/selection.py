"""Selection: which of the corpora in stock are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from retrieval.knobs import Knob


class SelectionKnobs(msgspec.Struct, frozen=True, kw_only=True):
    """How many corpora are asked."""

    max_corpora_per_query: Annotated[
        int,
        Knob(
            label_de="Regelwerke je Frage",
            label_en="Corpora per question",
            de="So viele Regelwerke werden höchstens befragt; ein Regelwerk, das ein Anker verlangt, fällt nie weg.",
            en="At most so many corpora are asked; a corpus that an anchor requires is never cut.",
            low=1,
            high=50,
            unit="corpora",
            scope="gather",
        ),
    ] = 4
    corpus_order: Annotated[
        Literal["similarity", "stock_order"],
        Knob(
            label_de="Vorrang unter den Regelwerken",
            label_en="Which corpora come first",
            de="Gibt es mehr Regelwerke, als befragt werden: Vorrang haben die, deren Inhalt der Frage am nächsten kommt, oder die zuerst "
            "aufgenommenen. Was ein Anker verlangt, geht immer voran.",
            en="Where there are more corpora than are asked: first come those whose content is nearest to the question, or those that came "
            "into stock first. What an anchor requires always leads.",
            choices=("similarity", "stock_order"),
            scope="gather",
        ),
    ] = "similarity"


class Selection(msgspec.Struct, frozen=True):
    """The corpora at each step: available → routed → required → selected; ``cut`` are those beyond the cap, in order.

    ``routed`` is empty when the router named none: then every available corpus is routed.
    """

    available: tuple[str, ...]
    routed: tuple[str, ...]
    required: tuple[str, ...]
    selected: tuple[str, ...]
    cut: tuple[str, ...] = ()
    cap: int = 0


def rivals(available: Sequence[str], routed: Sequence[str], required: Sequence[str], max_corpora: int) -> tuple[str, ...]:
    """The corpora of which some must be left out, in their order: what is routed and not required; empty where all can be asked."""
    every = select(available, routed, required, max_corpora)
    others = tuple(corpus for corpus in (*every.selected, *every.cut) if corpus not in every.required)
    return others if every.cut and every.cap > len(every.required) else ()


def select(
    available: Sequence[str],
    routed: Sequence[str],
    required: Sequence[str],
    max_corpora: int,
    affinities: Mapping[str, float] | None = None,
) -> Selection:
    """Required corpora first, then the other routed ones, cut at ``max(max_corpora, number required)``.

    Ids that are not available are left out; none routed means all. Repeated ids count once. The others come in the order of their
    ``affinities`` to the question, highest first; where these are equal or not known, in the order of the arguments, and what has none
    comes first: a corpus that cannot be measured is not left out for one that can.
    """
    stock = tuple(dict.fromkeys(available))
    named = tuple(corpus for corpus in dict.fromkeys(routed) if corpus in stock)
    must = tuple(corpus for corpus in dict.fromkeys(required) if corpus in stock)
    near = affinities or {}
    others = sorted((corpus for corpus in named or stock if corpus not in must), key=lambda corpus: -near.get(corpus, float("inf")))
    wanted = (*must, *others)
    cap = max(max_corpora, len(must))
    return Selection(stock, named, must, wanted[:cap], wanted[cap:], cap)

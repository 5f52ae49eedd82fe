"""Selection: which of the corpora in stock are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

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


def select(available: Sequence[str], routed: Sequence[str], required: Sequence[str], max_corpora: int) -> Selection:
    """Required corpora first, then the other routed ones, cut at ``max(max_corpora, number required)``.

    Ids that are not available are left out; none routed means all. The order of each argument is kept, repeated ids count once.
    """
    stock = tuple(dict.fromkeys(available))
    named = tuple(corpus for corpus in dict.fromkeys(routed) if corpus in stock)
    must = tuple(corpus for corpus in dict.fromkeys(required) if corpus in stock)
    wanted = tuple(dict.fromkeys((*must, *(named or stock))))
    cap = max(max_corpora, len(must))
    return Selection(stock, named, must, wanted[:cap], wanted[cap:], cap)

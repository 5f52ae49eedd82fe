"""What would bring a norm into the list or take it out: one sentence for each change, with the exact threshold."""

from __future__ import annotations

import msgspec

from dashboard.blocks import Block, heading, paragraph
from dashboard.naming import norm
from retrieval.commands.telling import Changes, Telling
from retrieval.inspector.counterfactuals import Answer
from retrieval.knobs import Value
from retrieval.stock import Federation
from retrieval.trace import Trace
from retrieval.words import Words


class Suggestion(msgspec.Struct, frozen=True):
    """One change in words, the label of its button, and the settings that it sets, by name."""

    text: str
    label: str
    values: dict[str, Value]


def blocks(answer: Answer, trace: Trace, words: Words, texts: Federation | None = None) -> list[Block]:
    """The heading and the verdict: how many changes there are, or why there is none. ``texts`` names what the run does not hold."""
    changes = Changes(answer, Telling(trace, words, norm, texts))
    title = words.t("why.change.section_in" if answer.wanted else "why.change.section_out")
    checked = [paragraph(words.t("why.change.checked"), muted=True)] if answer.ways else []
    return [heading(title), paragraph(changes.verdict()), *checked]


def suggestions(answer: Answer, trace: Trace, words: Words, texts: Federation | None = None) -> list[Suggestion]:
    """The changes, the smallest first. ``texts`` names what other settings would bring in."""
    changes = Changes(answer, Telling(trace, words, norm, texts))
    return [
        Suggestion(
            words.t("why.change.numbered", number=number, text=changes.way(way)), words.t("why.change.apply", number=number), way.values
        )
        for number, way in enumerate(answer.ways, start=1)
    ]

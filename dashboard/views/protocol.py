"""The protocol of a question set on the page: what was done, newest first, and what moved since the last entry."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dashboard.blocks import Block, Cell, notice, paragraph, row, table
from retrieval.evaluation.protocol import Event, Protocol, Shift, shifts
from retrieval.evaluation.protocol_text import change, name_of, reason, sentence, value_text, when, who
from retrieval.words import Words


class Entry(msgspec.Struct, frozen=True):
    """One event, with what moved up to it."""

    event: Event
    moved: Shift


def entries(found: Protocol, person: str | None = None, act: str | None = None) -> tuple[Entry, ...]:
    """The events, the latest first; of one person or of one act only where they are named."""
    every = [Entry(event, moved) for event, moved in zip(found.events, shifts(found.events), strict=True)]
    wanted = (one for one in reversed(every) if person in (None, one.event.who) and act in (None, one.event.act))
    return tuple(wanted)


def people(found: Protocol) -> tuple[str, ...]:
    """Who did anything, each once, by name."""
    return tuple(sorted({event.who for event in found.events}))


def acts(found: Protocol) -> tuple[str, ...]:
    """What was done, each once, in the order in which it was first done."""
    return tuple(dict.fromkeys(event.act for event in found.events))


def listed(shown: Sequence[Entry], every: int, words: Words, *, filtered: bool = False) -> list[Block]:
    """Some of the entries as a table; ``every`` counts those that match, ``filtered`` says that there are others."""
    head = [words.t(f"record.head.{name}") for name in ("when", "who", "what")]
    rows = [row([when(one.event.when, words), who(one.event.who, words), _what(one, words)]) for one in shown]
    empty = words.t("record.nothing_matches" if filtered else "record.nothing_yet")
    return [table(words.n("record.entries", every), head, rows, empty=empty)]


def _what(one: Entry, words: Words) -> Cell:
    lines = (sentence(one.event, words), change(one.event, one.moved, words), reason(one.event, words))
    return [line for line in lines if line]


def torn(found: Protocol, words: Words) -> list[Block]:
    """That writing broke off somewhere; nothing where it never did."""
    if not found.torn:
        return []
    lines = ", ".join(words.whole(number) for number in found.torn)
    return [notice(words.n("record.torn", len(found.torn)), [words.t("record.torn_text", lines=lines)], "warning")]


def since(found: Shift, words: Words) -> list[Block]:
    """The settings that are other than at the last entry, before and after."""
    head = [words.t(f"record.head.{name}") for name in ("setting", "before", "after")]
    rows = [
        row([name_of(one.name, words), value_text(one.name, one.before, words), value_text(one.name, one.after, words)])
        for one in found.settings
    ]
    stages = [words.t(f"protocol.stage_{'out' if one.out else 'back'}", stage=words.word("stage", one.name)) for one in found.stages]
    drawn = [table(words.t("record.since"), head, rows, numeric=(1, 2))] if rows else []
    return [*drawn, *(paragraph(f"{line}.") for line in stages)]

"""Lists under several settings: what they share, in what the settings differ, and what changes over a set of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from dashboard.blocks import Block, Cell, folded, paragraph, row, table, terms
from dashboard.knobtext import label, shown
from dashboard.links import key_of
from dashboard.naming import norm
from dashboard.slopes import Column
from dashboard.slopes import blocks as places_table
from retrieval.inspector.comparison import (
    WITHOUT,
    Comparison,
    Difference,
    Overlap,
    P,
    Pair,
    QuestionChange,
    Summary,
    differences,
    hits_of,
    weight_of_first,
)
from retrieval.knobs import Value
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Trace
from retrieval.words import Words

_NAMED = 5
_OPEN_ROWS = 20
_FRONT = 10


class Stand(Protocol):
    """A question with the settings under which it is asked."""

    @property
    def question(self) -> str: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def without(self) -> tuple[str, ...]: ...


# --- the lists ------------------------------------------------------------------------------------------------------------


def columns(titles: Sequence[str], traces: Sequence[Trace]) -> list[Column]:
    """The final list of each run under its title."""
    return [Column(title, hits_of(trace)) for title, trace in zip(titles, traces, strict=True)]


def labels(traces: Sequence[Trace]) -> dict[str, str]:
    """The address of each hit in words."""
    return {one: norm(trace.chunks[one], trace.specs) for trace in traces for one in hits_of(trace)}


def lists(titles: Sequence[str], traces: Sequence[Trace], words: Words) -> list[Block]:
    """The places of each hit as a table, behind a label where it is long."""
    keys = {one: key_of(trace.chunks[one]) for trace in traces for one in hits_of(trace)}
    drawn = places_table(columns(titles, traces), labels(traces), words, words.t("compare.caption"), keys)
    if len(keys) <= _OPEN_ROWS:
        return drawn
    return [folded(words.t("compare.as_table", n=words.whole(len(keys))), drawn, "places")]


# --- what is shared ---------------------------------------------------------------------------------------------------------


def overlap(hits: Comparison, norms: Comparison, titles: Sequence[str], names: Mapping[str, str], words: Words) -> list[Block]:
    """The first list against each other one in sentences, all pairs as a table, and what the numbers mean."""
    lines = [sentence(pair, titles, names, words) for pair in hits.pairs if pair.a == 0]
    if len(hits.pairs) == 1 and not hits.pairs[0].overlap.equal:
        lines.append(measures(hits.pairs[0].overlap, words))
    if len(titles) > 2:
        lines = [*_everywhere(hits, titles, names, words), *lines]
    found = [paragraph(line) for line in lines]
    return [*found, _pairs(hits, norms, titles, words), folded(words.t("compare.how"), [_terms(words)], "measures")]


def sentence(pair: Pair, titles: Sequence[str], names: Mapping[str, str], words: Words) -> str:
    """What two lists share, and what stands in one of them only."""
    one, (a, b) = pair.overlap, (words.quoted(titles[place]) for place in (pair.a, pair.b))
    if one.equal:
        return words.t("compare.overlap.equal" if one.common else "compare.overlap.both_empty", a=a, b=b)
    only = [_only(title, ids, names, words) for title, ids in ((a, one.only_a), (b, one.only_b))]
    about = " ".join(part for part in (_common(one, a, b, words), _moved(one, words), *only) if part)
    return words.t("compare.overlap.pair", a=a, b=b, common=about)


def measures(one: Overlap, words: Words) -> str:
    """How alike two lists are, with what the numbers mean."""
    every = len(one.common) + len(one.only_a) + len(one.only_b)
    numbers = {"jaccard": share(one.jaccard, words), "rbo": share(one.rbo, words)}
    return words.t("compare.overlap.measures", every=words.whole(every), common=words.whole(len(one.common)), **numbers)


def share(value: float, words: Words) -> str:
    """A measure from 0 to 1 with two digits; what is not quite 1 or 0 does not look as if it were."""
    if 0.995 <= value < 1:
        return f"> {words.number(0.99, 2)}"
    if 0 < value < 0.005:
        return f"< {words.number(0.01, 2)}"
    return words.number(value, 2)


def _common(one: Overlap, a: str, b: str, words: Words) -> str:
    n, first, second = (words.whole(number) for number in (len(one.common), *_sizes(one)))
    if first == second:
        return words.t("compare.overlap.common.same", n=n, all=first)
    return words.t("compare.overlap.common.other", n=n, a_all=first, b_all=second, a=a, b=b)


def _sizes(one: Overlap) -> tuple[int, int]:
    return len(one.common) + len(one.only_a), len(one.common) + len(one.only_b)


def _moved(one: Overlap, words: Words) -> str:
    if not one.common:
        return ""
    return words.n("compare.overlap.moved", len(one.moved)) if one.moved else words.t("compare.overlap.moved.none")


def _only(title: str, ids: Sequence[str], names: Mapping[str, str], words: Words) -> str:
    if not ids:
        return words.t("compare.overlap.only_none", title=title)
    return words.t("compare.overlap.only", title=title, norms=_listed(ids, names, words))


def _listed(ids: Sequence[str], names: Mapping[str, str], words: Words) -> str:
    more = [words.t("compare.more", n=words.whole(len(ids) - _NAMED))] if len(ids) > _NAMED else []
    return "; ".join([*(names.get(one, one) for one in ids[:_NAMED]), *more])


def _everywhere(hits: Comparison, titles: Sequence[str], names: Mapping[str, str], words: Words) -> list[str]:
    """What all lists share, and what stands in one of them and in no other."""
    lines = [words.n("compare.overlap.every", len(hits.common), lists=words.whole(len(titles)))]
    for title, ids in zip(titles, hits.only, strict=True):
        if ids:
            lines.append(words.n("compare.overlap.alone", len(ids), title=words.quoted(title), norms=_listed(ids, names, words)))
    return lines


def _pairs(hits: Comparison, norms: Comparison, titles: Sequence[str], words: Words) -> Block:
    head = [words.t(f"compare.overlap.head.{name}") for name in ("pair", "common", "moved", "only_a", "only_b", "norms", "jaccard", "rbo")]
    rows = []
    for pair, of_norms in zip(hits.pairs, norms.pairs, strict=True):
        one = pair.overlap
        counts = (one.common, one.moved, one.only_a, one.only_b, of_norms.overlap.common)
        numbers = [*(words.whole(len(found)) for found in counts), share(one.jaccard, words), share(one.rbo, words)]
        rows.append(row([[words.quoted(titles[pair.a]), words.quoted(titles[pair.b])], *numbers]))
    return table(words.t("compare.overlap.caption"), head, rows, numeric=range(1, len(head)))


def _terms(words: Words) -> Block:
    values = {"places": words.whole(_FRONT), "weight": words.percent(weight_of_first(_FRONT)), "p": words.number(P, 1)}
    names = ("common", "jaccard", "rbo")
    return terms([(words.t(f"compare.term.{name}"), words.t(f"compare.term.{name}_text", **values)) for name in names])


# --- the settings -----------------------------------------------------------------------------------------------------------


def settings(found: Sequence[Difference], titles: Sequence[str], words: Words) -> list[Block]:
    """The settings that differ, one row for each."""
    if not found:
        return [paragraph(words.t("compare.settings.equal"))]
    head = [words.t("compare.settings.setting"), *titles, words.t("compare.settings.effect")]
    rows = [_difference(one, words) for one in found]
    return [
        paragraph(words.n("compare.differing", len(found))),
        table(words.t("compare.settings.caption"), head, rows, numeric=range(1, len(titles) + 1)),
    ]


def _difference(one: Difference, words: Words) -> Block:
    values: list[Cell] = [_value(one.name, value, words) for value in one.values]
    return row([_name(one.name, words), *values, _effect(one, words)], "muted" if one.idle else "")


def _effect(one: Difference, words: Words) -> str:
    if one.idle:
        return words.t(f"compare.settings.idle.{one.idle}")
    gathers = one.name != WITHOUT and KNOBS[one.name].scope == "gather"
    return words.t("compare.settings.regathers" if gathers else "compare.settings.acts")


def _name(name: str, words: Words) -> str:
    return words.t("compare.settings.without") if name == WITHOUT else label(KNOBS[name], words)


def _value(name: str, value: Value, words: Words) -> str:
    if name != WITHOUT:
        return shown(KNOBS[name], value, words)
    stages = [words.word("stage", stage) for stage in str(value).split(",") if stage]
    return ", ".join(stages) or words.t("compare.settings.without_none")


# --- the set of questions -----------------------------------------------------------------------------------------------------


def set_summary(found: Summary, words: Words) -> list[str]:
    """How many lists changed and how, and the means."""
    counts = (("changed", found.changed), ("reordered", found.reordered), ("equal", found.equal))
    lines = [words.n(f"compare.set.{name}", number) for name, number in counts if number]
    if found.jaccard is None or found.rbo is None:
        return lines
    return [*lines, words.t("compare.set.means", jaccard=share(found.jaccard, words), rbo=share(found.rbo, words))]


def set_row(found: QuestionChange, words: Words) -> str:
    """What changed for one question, in a line."""
    line = _change(found, words)
    return f"{line} {words.t('compare.set.incomplete')}" if found.partial else line


def _change(found: QuestionChange, words: Words) -> str:
    one, norms = found.hits, found.norms
    if one.equal:
        return words.t("compare.set.row_equal" if one.common else "compare.set.row_both_empty")
    if not one.only_a and not one.only_b:
        return words.t("compare.set.row_reordered", rbo=share(one.rbo, words))
    first, second = (words.whole(number) for number in _sizes(one))
    values = {
        "common": words.whole(len(one.common)),
        "jaccard": share(one.jaccard, words),
        "rbo": share(one.rbo, words),
        "norms": words.whole(len(norms.common)),
        "norms_all": words.whole(len(norms.common) + len(norms.only_a) + len(norms.only_b)),
    }
    if first == second:
        return words.t("compare.set.row.same", all=first, **values)
    return words.t("compare.set.row.other", a_all=first, b_all=second, **values)


# --- the history and the pins ---------------------------------------------------------------------------------------------------


def change(before: Stand | None, now: Stand, words: Words, first: bool = True) -> str:
    """What changed from one state to the next: the question, and each setting; ``first`` says that nothing was ever before."""
    if before is None:
        return words.t("compare.history.first" if first else "compare.history.oldest")
    moved = differences((before.settings, now.settings), (before.without, now.without))
    parts = [words.t("compare.history.question")] if before.question != now.question else []
    for one in moved:
        old, new = (_value(one.name, value, words) for value in one.values)
        parts.append(words.t("compare.history.changed", name=_name(one.name, words), before=old, after=new))
    return "; ".join(parts) or words.t("compare.history.same")


def about(used: Settings, without: Sequence[str], words: Words) -> str:
    """A setting in a line: what is not the default."""
    moved = differences((Settings(), used), ((), without))
    parts = [words.t("compare.value", name=_name(one.name, words), value=_value(one.name, one.values[1], words)) for one in moved]
    return "; ".join(parts) or words.t("compare.defaults")

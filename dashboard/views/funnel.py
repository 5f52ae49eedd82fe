"""The funnel: what each corpus has at each stage, from the places in the route lists to the final list."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dashboard.blocks import Block, folded, paragraph, row, table
from dashboard.charts import legend_below, rows_axis, scale
from dashboard.naming import figure_text, short_name, title_of
from retrieval.exports.cells import Cell
from retrieval.inspector.funnel import Branch, Funnel, Level
from retrieval.trace import Trace
from retrieval.words import Words

_MOST_OTHERS = 8
"""More corpora that were not asked than these are counted, not listed: every number of theirs is missing."""
STEPS = ("places", "distinct", "anchored", "before", "final")
COLUMNS = ["corpus_id", "name", *STEPS]
_FILLS = (
    ("#3f86ba", ""),
    ("#c2701c", "/"),
    ("#8b95a1", "x"),
    ("#9a6fbf", "-"),
    ("#5d7f99", "."),
    ("#b8935a", "\\"),
    ("#6e6aa8", "+"),
    ("#a8758f", "|"),
)


def counts(branch: Branch) -> tuple[int, ...]:
    """How many a corpus has at each of ``STEPS``; nothing for one that was not asked."""
    if not branch.levels:
        return ()
    gathered, _, anchors, references, _, named = branch.levels
    return gathered.added, gathered.living, anchors.living, references.living, named.living


def frame(found: Funnel, trace: Trace) -> pd.DataFrame:
    """One row for each corpus that was asked: how many places, different texts and hits it has at each step."""
    rows = [(one.corpus_id, short_name(one.corpus_id, trace.specs), *counts(one)) for one in found.branches if one.levels]
    return pd.DataFrame(rows, columns=COLUMNS)


def sheet(frame: pd.DataFrame, words: Words) -> tuple[list[str], list[list[Cell]]]:
    """The same with words in the head, to be written to a file."""
    head = [words.t("funnel.corpus"), *(words.t(f"funnel.head.{step}") for step in STEPS)]
    rows: list[list[Cell]] = [[line["name"], *(int(line[step]) for step in STEPS)] for line in frame.to_dict("records")]
    return head, rows


def figure(frame: pd.DataFrame, words: Words, ink: str) -> dict[str, Any]:
    """A bar for each step, parted by corpus in shares; the numbers stand in the parts, colour and pattern name the corpus."""
    sums = [int(frame[step].sum()) for step in STEPS]
    labels = [f"{words.t(f'funnel.step.{step}')} · {words.whole(total)}" for step, total in zip(STEPS, sums, strict=True)]
    rows: list[dict[Any, Any]] = frame.to_dict("records")
    layout = {
        "barmode": "stack",
        "height": 150 + 46 * len(STEPS),
        "title": {"text": words.t("funnel.chart"), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 60, "b": 80},
        "xaxis": scale(0, 1, {tick: words.percent(tick) for tick in (0, 0.25, 0.5, 0.75, 1)}, ink),
        "yaxis": rows_axis(labels, ink),
        "legend": legend_below(),
        "font": {"color": ink},
    }
    return {"data": [_bars(line, number, sums, words, ink) for number, line in enumerate(rows)], "layout": layout}


def _bars(line: dict[Any, Any], number: int, sums: list[int], words: Words, ink: str) -> dict[str, Any]:
    colour, pattern = _FILLS[number % len(_FILLS)]
    values = [int(line[step]) for step in STEPS]
    shares = [value / total if total else 0 for value, total in zip(values, sums, strict=True)]
    name = figure_text(line["name"])
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": shares,
        "y": list(range(len(STEPS))),
        "text": [f"<b>{words.whole(value)}</b>" if value else "" for value in values],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": ink, "size": 13},
        "hovertext": [f"{name}: {words.whole(value)} ({words.percent(share)})" for value, share in zip(values, shares, strict=True)],
        "hovertemplate": "%{hovertext}<extra></extra>",
        # The ground stays light enough for numbers in the colour of text; the pattern tells corpora apart without colour.
        "marker": {
            "color": f"{colour}55",
            "line": {"color": colour, "width": 1.5},
            "pattern": {"shape": pattern, "fgcolor": colour, "solidity": 0.15, "size": 9},
        },
    }


def sentence(found: Funnel, trace: Trace, words: Words) -> str:
    """From the places in the route lists to the final list, and whose share changes most."""
    places, distinct, _, _, final = counts(found.total)
    if not places and not final:
        return words.t("funnel.nothing")
    by_stage = {level.stage: level.added for level in found.total.levels}
    parts = [words.n("funnel.places", places, distinct=words.n("funnel.distinct", distinct))]
    if by_stage["anchors"]:
        parts.append(words.n("funnel.looked_up", by_stage["anchors"]))
    if by_stage["references"]:
        parts.append(words.n("funnel.referred", by_stage["references"]))
    parts.append(words.n("funnel.final", final))
    if distinct and final:
        parts += _shifted(found, trace, words)
    return " ".join(parts)


def _shifted(found: Funnel, trace: Trace, words: Words) -> list[str]:
    """The corpus whose share in the final list lies furthest from its share of the texts found; nothing where none does."""
    every = counts(found.total)
    shares = {
        one.corpus_id: (mine[STEPS.index("distinct")] / every[STEPS.index("distinct")], mine[-1] / every[-1])
        for one in found.branches
        if (mine := counts(one))
    }
    corpus_id, (gathered, final) = max(shares.items(), key=lambda pair: round(abs(pair[1][1] - pair[1][0]), 9))
    if gathered == final:
        return []
    name = short_name(corpus_id, trace.specs)
    return [words.t("funnel.shift", corpus=name, gathered=words.percent(gathered), final=words.percent(final))]


def blocks(found: Funnel, trace: Trace, words: Words) -> list[Block]:
    """The sentence, and one row for each corpus with its number at each step; what was not asked or failed says so."""
    others = sum(not one.levels for one in found.branches)
    many = others > _MOST_OTHERS
    head = [words.t("funnel.corpus"), *(words.t(f"funnel.head.{step}") for step in STEPS)]
    rows = [
        row([_name(one, trace, words), *(words.whole(number) for number in counts(one) or (None,) * len(STEPS))], _tone(one))
        for one in found.branches
        if one.levels or not many
    ]
    rows.append(row([words.t("funnel.all"), *(words.whole(number) for number in counts(found.total))], "strong"))
    return [
        paragraph(sentence(found, trace, words)),
        table(words.t("funnel.caption"), head, rows, numeric=range(1, len(head))),
        *([paragraph(f"{words.n('funnel.not_asked', others)}.", muted=True)] if many else []),
        paragraph(words.t("funnel.reading"), muted=True),
    ]


def _name(branch: Branch, trace: Trace, words: Words) -> list[str]:
    names = [short_name(branch.corpus_id, trace.specs), title_of(branch.corpus_id, trace.specs)]
    if not branch.levels:
        return [*names, words.word("state", branch.state)]
    return [*names, words.word("status", branch.status)] if branch.status != "ok" else names


def _tone(branch: Branch) -> str:
    return "" if branch.levels and branch.status == "ok" else "muted"


def ledgers(found: Funnel, trace: Trace, words: Words) -> list[Block]:
    """The balance of every stage for each corpus, behind a label."""
    tables = [
        _ledger(words.t("funnel.ledger", corpus=title_of(one.corpus_id, trace.specs)), one, words) for one in found.branches if one.levels
    ]
    inner = [paragraph(words.t("balance.sentence"), muted=True), *tables]
    return [folded(words.t("funnel.ledgers"), inner, "ledgers")] if tables else []


def _ledger(caption: str, branch: Branch, words: Words) -> Block:
    head = [words.t(f"balance.head.{name}") for name in ("stage", "came_in", "added", "living", "dropped", "why")]
    return table(caption, head, [_line(level, words) for level in branch.levels], numeric=(1, 2, 3, 4))


def _line(level: Level, words: Words) -> Block:
    reasons = [f"{words.whole(number)}: {words.word('fate', code)}" for code, number in level.losses.items()]
    numbers = [words.whole(value) for value in (level.came_in, level.added, level.living, level.lost)]
    return row([words.word("stage", level.stage), *numbers, "; ".join(reasons) or words.number(None)])

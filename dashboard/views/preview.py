"""What an import would take: counts, remarks about the file, and every line with its verdict and the reasons."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard import goldnames
from dashboard.blocks import Block, Cell, Line, notice, paragraph, row, table, written
from dashboard.goldnames import Specs
from dashboard.naming import shortened
from retrieval.evaluation.formats.preview import Preview, Row, Verdict
from retrieval.words import NONE, Words

VERDICTS: tuple[Verdict, ...] = ("taken", "remarked", "refused")
_COUNTED = ("ranx", "opensearch")
"""Formats whose entries are counted, because they have no lines."""
_TEXT = 160


def summary(preview: Preview, words: Words) -> list[Block]:
    """How many lines are taken, with a remark, and refused; how many questions that gives, and how their norms stand."""
    counts = {verdict: words.whole(preview.count(verdict)) for verdict in VERDICTS}
    questions = words.n("questions.n.questions", len(preview.questions.questions))
    lines = [words.n(f"sets.preview.counts_{_unit(preview)}", len(preview.rows), questions=questions, **counts)]
    if preview.states:
        stated = ", ".join(f"{words.whole(count)} {words.word('questions.state', state)}" for state, count in preview.states.items())
        lines.append(words.t("sets.preview.states", states=stated))
    if preview.without_gold:
        lines.append(words.n("questions.n.without_gold", preview.without_gold))
    head = [notice(words.t("sets.preview.head_title"), [goldnames.said(one, words) for one in preview.head], "warning")]
    return [paragraph(" ".join(lines)), *(head if preview.head else [])]


def _unit(preview: Preview) -> str:
    return "entries" if preview.format in _COUNTED else "lines"


def rows_with(preview: Preview, verdict: str) -> list[Row]:
    """The lines with this verdict, all of them for an empty one."""
    return [one for one in preview.rows if verdict in ("", one.verdict)]


def rows(preview: Preview, shown: Sequence[Row], specs: Specs, words: Words) -> Block:
    """These lines as a table: number, verdict, question, norms as the stock spells them, remarks."""
    unit = words.t(f"sets.preview.unit_{_unit(preview)}")
    head = [unit, *(words.t(f"sets.preview.{name}") for name in ("verdict", "question", "norms", "remarks"))]
    made = [row(_cells(one, specs, words), "muted" if one.verdict == "refused" else "") for one in shown]
    return table(words.t("sets.preview.caption"), head, made, numeric=(0,), empty=words.t("sets.preview.empty"))


def _cells(one: Row, specs: Specs, words: Words) -> list[Cell]:
    question: list[Line] = [written(shortened(one.text, _TEXT) or NONE), *([written(one.id)] if one.id else [])]
    remarks: list[Line] = [goldnames.said(remark, words) for remark in one.remarks]
    for found in one.golds:
        remarks += goldnames.choices(found, specs, words)
    golds = goldnames.even([goldnames.line(found, specs, words) for found in one.golds])
    return [
        words.whole(one.line or None),
        words.word("questions.verdict", one.verdict),
        question,
        golds or NONE,
        goldnames.even(remarks) if remarks else "",
    ]


def read(one: Row, specs: Specs, words: Words) -> list[Block]:
    """What a form was read as: its norms with their states, and why it is not taken or what is to be said."""
    head = [words.t("sets.preview.norms"), words.t("sets.preview.remarks")]
    made = []
    for found in one.golds:
        said: list[Line] = [goldnames.said(remark, words) for remark in goldnames.remarks(found)]
        made.append(row([[goldnames.line(found, specs, words)], goldnames.even([*said, *goldnames.choices(found, specs, words)]) or ""]))
    others = [goldnames.said(remark, words) for remark in one.remarks if not remark.code.startswith("gold_")]
    found_blocks: list[Block] = [table(words.t("sets.form.read"), head, made, empty=words.t("sets.form.read_none"))]
    if one.verdict == "refused":
        return [notice(words.t("sets.form.refused"), others, "warning"), *found_blocks]
    return [*found_blocks, *(paragraph(text, muted=True) for text in others)]

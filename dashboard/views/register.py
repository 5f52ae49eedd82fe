"""The anchor register against the stock: what every claim points to, the findings first."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.blocks import Block, Cell, Line, heading, notice, paragraph, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.naming import target_name, title_of
from retrieval.anchors import Anchor, AnchorRegister, Finding
from retrieval.stock import Federation
from retrieval.words import Words

_IN_STOCK = "found"
_JOINT = " + "
"""Between words of a trigger that must stand in the question together."""


def blocks(register: AnchorRegister, federation: Federation, words: Words) -> list[Block]:
    """A sentence, the findings, and every claim with its target, its triggers and its author."""
    findings = register.check(federation.book)
    problems = {(one.anchor_id, one.line): one for one in findings}
    every = sorted(register.anchors, key=lambda anchor: (anchor.anchor_id, anchor.line) not in problems)
    head = [words.t(f"register.head.{name}") for name in ("target", "state", "triggers", "note")]
    rows = [_row(anchor, problems.get((anchor.anchor_id, anchor.line)), federation, words) for anchor in every]
    return [
        heading(words.t("register.section")),
        paragraph(words.n("register.checked", len(register.anchors))),
        *_verdict(findings, len(register.anchors), words),
        table(words.t("register.caption"), head, rows, empty=words.t("register.empty")),
        *(
            [paragraph(words.t("register.joined"), muted=True)]
            if any(_JOINT in wording for one in every for wording in one.wordings)
            else []
        ),
    ]


def _verdict(findings: Sequence[Finding], checked: int, words: Words) -> list[Block]:
    if findings:
        counts = {problem: sum(one.problem == problem for one in findings) for problem in ("missing", "repealed", "ambiguous")}
        lines = [words.n(f"register.count.{problem}", count) for problem, count in counts.items() if count]
        return [notice(words.n("register.findings", len(findings)), lines, "warning")]
    return [paragraph(words.t("register.sound"))] if checked else []


def _row(anchor: Anchor, finding: Finding | None, federation: Federation, words: Words) -> Block:
    target = anchor.target
    places = federation.book.places(target)
    name = target_name(target, federation.specs)
    shown: list[Line] = [to_norm(name, key_of(places[0])) if len(places) == 1 else name]
    if len(places) > 1:
        shown += [to_norm(place.container_id or place.section_id, key_of(place)) for place in places]
    shown += [title_of(target.corpus_id, federation.specs), anchor.anchor_id]
    state: Cell = [words.t(f"register.state.{finding.problem if finding else _IN_STOCK}"), words.t("register.line", line=anchor.line)]
    origin = ", ".join(part for part in (anchor.author, anchor.date) if part)
    note: Cell = [written(anchor.note) or words.t("anchors.no_note"), origin]
    return row([shown, state, [words.quoted(wording) for wording in anchor.wordings], note], "strong" if finding else "")

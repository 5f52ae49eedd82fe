"""The anchor targets of a run: address, note, outcome."""

from __future__ import annotations

from dashboard.blocks import Block, Cell, paragraph, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.naming import target_name
from retrieval.trace import Anchor, Trace
from retrieval.words import Words


def blocks(trace: Trace, words: Words) -> list[Block]:
    """One row for each anchor that applies to the question, or the sentence that none does."""
    if "anchors" in trace.without:
        return [paragraph(words.t("left_out.anchors"))]
    if any(fault.part == "anchors" for fault in trace.faults):
        return [paragraph(words.t("anchors.failed"))]
    if not trace.anchors:
        return [paragraph(words.t("anchors.none"))]
    head = [words.t(f"anchors.head.{name}") for name in ("target", "outcome", "trigger", "note")]
    return [table(words.t("anchors.caption"), head, [_row(anchor, trace, words) for anchor in trace.anchors])]


def _row(anchor: Anchor, trace: Trace, words: Words) -> Block:
    claim = anchor.claim
    outcome = [words.word("anchor", anchor.outcome) + (f": {anchor.error_class}" if anchor.error_class else "")]
    if anchor.chunk_ids:
        outcome.append(words.n("anchors.chunks", len(anchor.chunk_ids)))
    origin = ", ".join(part for part in (claim.author, claim.date) if part)
    trigger = words.quoted(claim.trigger) if claim.trigger else words.t("anchors.trigger.unknown")
    cells: list[Cell] = [
        [to_norm(target_name(claim.target, trace.specs), _key(anchor, trace)), claim.anchor_id],
        outcome,
        trigger,
        [written(claim.note) or words.t("anchors.no_note"), origin],
    ]
    return row(cells)


def _key(anchor: Anchor, trace: Trace) -> str:
    """The key of the norm that an anchor brought; empty where it brought none."""
    return key_of(trace.chunks[anchor.chunk_ids[0]]) if anchor.chunk_ids and anchor.chunk_ids[0] in trace.chunks else ""

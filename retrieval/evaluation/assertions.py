"""Anchor assertions: a matrix of the questions of a set and the norms that anchors demand, and whether each stands in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from retrieval.evaluation.model import Question, covers
from retrieval.model import Address
from retrieval.trace import Anchor, Trace

HELD = "held"
MISSING = "missing"
NOT_DEMANDED = "not_demanded"


class Assertion(msgspec.Struct, frozen=True):
    """One cell: a question and a norm that an anchor demands for it, or for another question of the set.

    ``state``: ``held`` (in the list, at ``place`` from 1), ``missing`` (in stock, not in the list), the outcome of the anchor (not_found ·
    repealed · failed · corpus_not_asked · corpus_not_in_stock), or ``not_demanded``: the norm is gold here, yet no anchor demands it.
    ``gold`` says whether it is gold; ``anchor_ids`` are the anchors (without an id: their triggers).
    """

    question_id: str
    norm: Address
    state: str
    place: int | None = None
    gold: bool = False
    anchor_ids: tuple[str, ...] = ()


class Matrix(msgspec.Struct, frozen=True):
    """The demanded norms (columns), each once in the order in which they were met, and the cells that are not empty, row by row."""

    norms: tuple[Address, ...] = ()
    cells: tuple[Assertion, ...] = ()

    @property
    def broken(self) -> tuple[Assertion, ...]:
        """The demands that are not met."""
        return tuple(cell for cell in self.cells if cell.state not in (HELD, NOT_DEMANDED))


def assertions(question: Question, trace: Trace) -> tuple[Assertion, ...]:
    """The demands of the anchors for one question, each norm once, and what became of them."""
    found: dict[Address, Assertion] = {}
    for anchor in trace.anchors:
        norm = demanded_norm(anchor, trace)
        place = _place(norm, trace)
        state = HELD if place else MISSING if anchor.outcome == "found" else anchor.outcome
        earlier = found[norm].anchor_ids if norm in found else ()
        names = tuple(dict.fromkeys((*earlier, anchor.claim.anchor_id or anchor.claim.trigger)))
        found[norm] = Assertion(question.id, norm, state, place, _is_gold(norm, question), names)
    return tuple(found.values())


def demanded_norm(anchor: Anchor, trace: Trace) -> Address:
    """The norm that an anchor demands, in the container where it was found."""
    target = anchor.claim.target
    asked = Address(target.corpus_id, target.container_id or "", target.section_id, target.subsection or "")
    chunk = trace.chunks.get(anchor.chunk_ids[0]) if anchor.chunk_ids else None
    if chunk is None:
        return asked
    subsection = asked.subsection if asked.subsection == chunk.subsection else ""
    return Address(chunk.corpus_id, chunk.container_id, chunk.section_id, subsection)


def _place(norm: Address, trace: Trace) -> int | None:
    places = (place for place, entry in enumerate(trace.final, start=1) if covers(norm, trace.chunks[entry.chunk_id]))
    return next(places, None)


def _is_gold(norm: Address, question: Question) -> bool:
    """Whether a gold norm is this one, a part of it or the whole of it."""
    golds = (gold.address for need in question.needs for gold in need.any_of)
    return any(_section(gold) == _section(norm) and ("" in (gold.subsection, norm.subsection) or gold == norm) for gold in golds)


def _section(norm: Address) -> tuple[str, str, str]:
    return norm.corpus_id, norm.container_id, norm.section_id


def matrix(questions: Sequence[Question], cells: Iterable[Assertion]) -> Matrix:
    """All cells of a set, in the order of the questions, with the gold norms that no anchor demands although one does elsewhere."""
    made = tuple(cells)
    norms = tuple(dict.fromkeys(cell.norm for cell in made))
    rows: dict[str, list[Assertion]] = {one.id: [] for one in questions}
    for cell in made:
        rows[cell.question_id].append(cell)
    return Matrix(norms, tuple(cell for one in questions for cell in (*rows[one.id], *_undemanded(one, norms, rows[one.id]))))


def _undemanded(question: Question, norms: Iterable[Address], row: Iterable[Assertion]) -> Iterator[Assertion]:
    demanded = {cell.norm for cell in row}
    return (Assertion(question.id, norm, NOT_DEMANDED, gold=True) for norm in norms if norm not in demanded and _is_gold(norm, question))

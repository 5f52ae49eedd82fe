"""The matrix of questions and the norms that anchors demand for them: which demands the lists keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.blocks import Block, Cell, folded, paragraph, row, table
from dashboard.naming import norm, shortened
from retrieval.evaluation.assertions import HELD, NOT_DEMANDED, Assertion, Matrix
from retrieval.model import Address, CorpusSpec
from retrieval.words import NONE, Words

_QUESTION = 90
_MOST_COLUMNS = 8
Specs = Mapping[str, CorpusSpec]


def sentence(found: Matrix, words: Words) -> str:
    """How many demands there are and how many are kept."""
    demands = [cell for cell in found.cells if cell.state != NOT_DEMANDED]
    if not demands:
        return words.t("measure.matrix.none")
    held = sum(cell.state == HELD for cell in demands)
    return words.n("measure.matrix.held", len(demands), held=words.whole(held))


def blocks(found: Matrix, texts: Mapping[str, str], specs: Specs, words: Words) -> list[Block]:
    """The matrix with every state in words; ``texts`` are the questions by id. Demands that are not kept stand by name above it."""
    drawn = [paragraph(sentence(found, words))]
    if not found.cells:
        return drawn
    if found.broken:
        drawn.append(_broken(found.broken, texts, specs, words))
    parts = [found.norms[at : at + _MOST_COLUMNS] for at in range(0, len(found.norms), _MOST_COLUMNS)]
    tables = [_matrix(found, norms, texts, specs, words) for norms in parts]
    return [*drawn, folded(words.t("measure.matrix.label"), [paragraph(words.t("measure.matrix.says")), *tables], "matrix")]


def _broken(cells: Sequence[Assertion], texts: Mapping[str, str], specs: Specs, words: Words) -> Block:
    head = [words.t(f"measure.matrix.{name}") for name in ("question", "norm", "state", "anchor")]
    rows = []
    for cell in cells:
        named = [shortened(texts[cell.question_id], _QUESTION), norm(cell.norm, specs)]
        rows.append(row([*named, words.word("measure.demand", cell.state), ", ".join(cell.anchor_ids)]))
    return table(words.t("measure.matrix.broken"), head, rows)


def _matrix(found: Matrix, norms: Sequence[Address], texts: Mapping[str, str], specs: Specs, words: Words) -> Block:
    by_place = {(cell.question_id, cell.norm): cell for cell in found.cells if cell.norm in norms}
    questions = dict.fromkeys(question for question, _ in by_place)
    head = [words.t("measure.matrix.question"), *(norm(one, specs) for one in norms)]
    rows = [
        row([shortened(texts[question], _QUESTION), *(_cell(by_place.get((question, one)), words) for one in norms)])
        for question in questions
    ]
    return table(words.t("measure.matrix.caption"), head, rows)


def _cell(cell: Assertion | None, words: Words) -> Cell:
    if cell is None:
        return NONE
    state = words.t("measure.demand.held_at", place=cell.place) if cell.place else words.word("measure.demand", cell.state)
    return [state, words.t("measure.demand.gold")] if cell.gold and cell.state != NOT_DEMANDED else state

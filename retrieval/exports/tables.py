"""A run as tables of plain cells; where a value is calculated, the cell holds the formula and the value that the run gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from retrieval.exports.cells import Cell
from retrieval.exports.naming import kinds, norm, outcomes, short
from retrieval.model import VERWEIS
from retrieval.ranking import Entry, Part
from retrieval.stages.references import Verweis
from retrieval.trace import Anchor, StageCount, Trace
from retrieval.words import Words

WEIGHT, SHARE, K, CEILING, SCORE = "weight_{}", "share_{}", "rrf_k", "rrf_ceiling", "verweis_score"
"""The names of the cells that the formulas read."""
_DIGITS = 12
"""The run rounds the sum of the amounts so, see ``decide``."""


class Formula(msgspec.Struct, frozen=True):
    """A formula without its equals sign, and its value in the run."""

    text: str
    value: float


Content = Cell | Formula


class Table(msgspec.Struct, frozen=True):
    """A table whose head stands in row 1; the formulas of its rows count on that. ``name`` is its key in the words ``file.sheet``."""

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[Content, ...], ...]

    def values(self) -> Iterator[list[Cell]]:
        """The rows with the values in place of the formulas."""
        for row in self.rows:
            yield [cell.value if isinstance(cell, Formula) else cell for cell in row]


# --- the list and the candidates -----------------------------------------------------------------------------------------


def final_list(trace: Trace, words: Words) -> Table:
    """The final list: places, addresses, the parts of each route, the sums, and the whole wording."""
    columns = _Columns(trace, words)
    rows = []
    for place, entry in enumerate(trace.final, start=1):
        fate = words.word("fate", entry.fate.code, round=entry.fate.round)
        rows.append((place, *columns.cells(entry, place + 1, len(trace.final) + 1), fate, trace.chunks[entry.chunk_id].text))
    return Table("list", _head(words, "place", *columns.head(), "outcome", "text"), tuple(rows))


def candidates(trace: Trace, words: Words) -> Table:
    """Every candidate of the list before the quota, those that were merged away too, with what became of it."""
    columns, ends = _Columns(trace, words), outcomes(trace)
    places = {entry.chunk_id: place for place, entry in enumerate(trace.final, start=1)}
    rows: list[tuple[Content, ...]] = []
    for number, entry in enumerate(trace.completed.entries, start=1):
        fate = ends[entry.chunk_id].fate if entry.alive else entry.fate
        outcome = words.word("fate", fate.code, round=fate.round)
        end = places.get(entry.chunk_id) if entry.alive else None
        rows.append((number if entry.alive else None, *columns.cells(entry, number + 1), end, outcome))
    return Table("candidates", _head(words, "before", *columns.head(), "end", "outcome"), tuple(rows))


def _head(words: Words, *names: str) -> tuple[str, ...]:
    """The words of a head; a name ``route_raw:vector`` is that of a route's column."""
    found = []
    for name in names:
        key, _, route = name.partition(":")
        found.append(words.t(f"file.head.{key}", **({"route": words.word("route", route)} if route else {})))
    return tuple(found)


class _Columns:
    """The columns that list and candidates share; the first of them stands in column B."""

    _BEFORE = ("norm", "corpus", "heading")
    _ROUTE = ("route_place", "route_raw", "route_scaled", "route_weight", "route_amount")
    _AFTER = ("sum", "rank", "decision", "source", "kinds")

    def __init__(self, trace: Trace, words: Words) -> None:
        self.trace, self.words = trace, words
        self.routes = tuple(trace.shares)
        self.by_rank = trace.settings.fusion.fusion == "rrf"

    def head(self) -> tuple[str, ...]:
        routes = (f"{name}:{route}" for route in self.routes for name in self._ROUTE)
        return (*self._BEFORE, *routes, *self._AFTER)

    def _at(self, number: int) -> str:
        """The letter of a column, counted from A = 0."""
        return chr(ord("A") + number)

    def cells(self, entry: Entry, row: int, last: int = 0) -> tuple[Content, ...]:
        """One entry in row ``row`` of its sheet; ``last`` is the last row of a final list."""
        chunk = self.trace.chunks[entry.chunk_id]
        parts = {part.route: part for part in entry.parts}
        routes = (cell for number, route in enumerate(self.routes) for cell in self._part(parts.get(route), number, row))
        named = (norm(chunk, self.trace.specs), short(chunk.corpus_id, self.trace.specs), chunk.heading)
        source = self.words.word("rank_by", entry.rank_by)
        return (*named, *routes, self._sum(entry, row), self._rank(entry, row, last), entry.cosine, source, kinds(entry, self.words))

    def _first(self, number: int) -> int:
        return 1 + len(self._BEFORE) + number * len(self._ROUTE)

    def _part(self, part: Part | None, number: int, row: int) -> tuple[Content, ...]:
        if part is None:
            return (None,) * len(self._ROUTE)
        place, _, scaled, weight, _ = (f"{self._at(self._first(number) + step)}{row}" for step in range(len(self._ROUTE)))
        amount = f"{weight}/({K}+{place})/{CEILING}" if self.by_rank else f"{weight}*{scaled}"
        share = Formula(SHARE.format(part.route), part.weight)
        return part.place, part.raw, part.scaled, share, Formula(amount, part.amount)

    def _sum(self, entry: Entry, row: int) -> Content:
        if not entry.parts:
            return None
        amounts = (f"{self._at(self._first(number) + len(self._ROUTE) - 1)}{row}" for number in range(len(self.routes)))
        total = round(sum(part.amount for part in entry.parts), _DIGITS)
        return Formula(f"ROUND(SUM({','.join(amounts)}),{_DIGITS})", entry.rank if entry.rank_by == "routes" else total)

    def _rank(self, entry: Entry, row: int, last: int) -> Content:
        column = self._first(len(self.routes))
        if entry.rank_by == "routes" and entry.parts:
            return Formula(f"{self._at(column)}{row}", entry.rank)
        if entry.rank_by == VERWEIS:
            return Formula(SCORE, entry.rank)
        if entry.rank_by == "named_first" and last > row:
            rank = self._at(column + 1)
            return Formula(f"MAX({rank}{row + 1}:{rank}{last})", entry.rank)
        return entry.rank


# --- the balance, references, anchors ------------------------------------------------------------------------------------


def balance(trace: Trace, words: Words) -> Table:
    """One row for each stage; the check column calculates came in + added - passed on - dropped, which is 0."""
    rows = tuple(_stage(stage, row, words) for row, stage in enumerate(trace.counts, start=2))
    return Table("balance", _head(words, "stage", "came_in", "added", "living", "dropped", "check", "why"), rows)


def _stage(stage: StageCount, row: int, words: Words) -> tuple[Content, ...]:
    dropped = sum(stage.fates.values())
    why = "; ".join(f"{words.whole(number)}: {words.word('fate', code, round=0)}" for code, number in stage.fates.items())
    check = Formula(f"B{row}+C{row}-D{row}-E{row}", stage.came_in + stage.added - stage.living - dropped)
    return words.word("stage", stage.stage), stage.came_in, stage.added, stage.living, dropped, check, why


def references(trace: Trace, words: Words) -> Table:
    """Every reference that was read, with what became of it."""
    rows = tuple(_reference(verweis, trace, words) for verweis in trace.verweise)
    return Table("references", _head(words, "by_place", "by", "words", "target", "outcome", "chunks"), rows)


def _reference(verweis: Verweis, trace: Trace, words: Words) -> tuple[Content, ...]:
    by = norm(trace.chunks[verweis.by], trace.specs) if verweis.by else None
    target = norm(verweis.target, trace.specs) if verweis.target else verweis.law or None
    outcome = words.word("verweis", verweis.fate)
    return verweis.place or None, by, verweis.words, target, _failed(outcome, verweis.error_class), len(verweis.chunk_ids)


def anchors(trace: Trace, words: Words) -> Table:
    """Every anchor that applied, with its outcome and who entered it why."""
    rows = tuple(_anchor(anchor, trace, words) for anchor in trace.anchors)
    return Table("anchors", _head(words, "target", "outcome", "chunks", "trigger", "note", "author", "date", "anchor"), rows)


def _anchor(anchor: Anchor, trace: Trace, words: Words) -> tuple[Content, ...]:
    claim = anchor.claim
    outcome = _failed(words.word("anchor", anchor.outcome), anchor.error_class)
    about = (claim.trigger, claim.note, claim.author, claim.date, claim.anchor_id)
    return norm(claim.target, trace.specs), outcome, len(anchor.chunk_ids), *(text or None for text in about)


def _failed(outcome: str, error_class: str) -> str:
    return f"{outcome} ({error_class})" if error_class else outcome


def tables(trace: Trace, words: Words) -> Sequence[Table]:
    """All tables of a run, in the order of the sheets."""
    return tuple(make(trace, words) for make in (final_list, candidates, balance, references, anchors))

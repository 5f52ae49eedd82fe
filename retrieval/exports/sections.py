"""The sections of a report behind the list: corpora, anchors, references, balance, what was dropped, settings, what the run rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from retrieval.exports import tables
from retrieval.exports.cells import Cell
from retrieval.exports.fingerprints import PARTS, Fingerprint
from retrieval.exports.naming import label, printed, shown, tied, title
from retrieval.inspector.misses import misses
from retrieval.knobs import Knob
from retrieval.ranking import Ranking
from retrieval.settings import KNOBS
from retrieval.trace import CorpusTrace, Trace
from retrieval.words import Words

_CHECK = 5
"""The column of the balance that checks the sum."""
NEAREST = 10
"""So many rows of each kind stand in a report, which is read; spreadsheet and record hold them all."""
_SCORED = frozenset({"displaced", "below_limit"})


class Section(msgspec.Struct, frozen=True):
    """A title, sentences, and a table in words; ``numeric`` are its columns of numbers, ``total`` marks the last row as a sum."""

    title: str
    sentences: tuple[str, ...]
    head: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    numeric: tuple[int, ...] = ()
    caption: str = ""
    total: bool = False


def sections(trace: Trace, words: Words) -> tuple[Section, ...]:
    """All sections behind the list, in order."""
    makers = (_corpora, _anchors, _references, _balance, _cut, _settings, _basis)
    return tuple(make(trace, words) for make in makers)


def selection(corpus: CorpusTrace, words: Words) -> str:
    """Whether a corpus was asked, and what spoke for it."""
    found = [words.word("state", corpus.state)]
    if corpus.routed_by:
        found.append(words.t("file.run.routed", words=", ".join(map(words.quoted, corpus.routed_by))))
    if corpus.affinity is not None:
        found.append(words.t("routing.affinity", affinity=words.number(corpus.affinity)))
    if corpus.required_by:
        found.append(words.t("file.run.required", anchors=", ".join(corpus.required_by)))
    return "; ".join(found)


def _corpora(trace: Trace, words: Words) -> Section:
    head = tuple(words.t(f"file.run.{name}") for name in ("corpus", "state", "answer"))
    rows = tuple(
        (title(corpus.corpus_id, trace.specs), selection(corpus, words), words.word("status", corpus.status) if corpus.status else "–")
        for corpus in trace.corpora
    )
    return Section(words.t("report.corpora"), (words.t("report.corpora_text"),), head, rows)


def _failed(trace: Trace, part: str) -> bool:
    return any(fault.part == part for fault in trace.faults)


def _anchors(trace: Trace, words: Words) -> Section:
    table = tables.anchors(trace, words)
    none = words.t("report.anchors_failed" if _failed(trace, "anchors") else "report.no_anchors")
    return Section(words.t("report.anchors"), () if table.rows else (none,), table.head, _worded(table, words, named=(0,)), (2,))


def _references(trace: Trace, words: Words) -> Section:
    table = tables.references(trace, words)
    none = words.t("report.references_failed" if _failed(trace, "verweise") else "report.no_references")
    text = words.t("report.references_text", cap=words.whole(trace.settings.references.max_verweis_normen))
    kinds = [words.word("verweis", verweis.fate) for verweis in trace.verweise]
    rows, rest = _nearest(_worded(table, words, named=(1, 3)), kinds, words)
    return Section(words.t("report.references"), (text, *rest) if rows else (none,), table.head, rows, (0, 5))


def _balance(trace: Trace, words: Words) -> Section:
    table = tables.balance(trace, words)
    quota = trace.quota
    about = (
        words.t("report.quota", floor=words.number(quota.floor), rounds=words.whole(quota.rounds))
        if quota.applied
        else words.word("quota.reason", quota.reason)
    )
    # The check is for a spreadsheet; here the sentence says what holds.
    head = (*table.head[:_CHECK], *table.head[_CHECK + 1 :])
    rows = tuple((*row[:_CHECK], *row[_CHECK + 1 :]) for row in _worded(table, words))
    return Section(words.t("report.balance"), (about, words.t("report.balance_text")), head, rows, (1, 2, 3, 4))


def _cut(trace: Trace, words: Words) -> Section:
    head = tuple(words.t(f"file.head.{name}") for name in ("stage", "norm", "rank", "needed", "why"))
    every = tuple(_dropped(trace, words))
    rows, rest = _nearest(every, [f"{row[0]}: {row[-1]}" for row in every], words)
    text = words.t("report.cut_text" if rows else "report.no_cut")
    return Section(words.t("report.cut"), (text, *rest), head, rows, (2, 3))


def _nearest(rows: Sequence[tuple[str, ...]], kinds: Sequence[str], words: Words) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The first rows of each kind, and a sentence that counts the others; nothing is left out unsaid."""
    seen: Counter[str] = Counter()
    shown = []
    for row, kind in zip(rows, kinds, strict=True):
        seen[kind] += 1
        if seen[kind] <= NEAREST:
            shown.append(row)
    left = {kind: count - NEAREST for kind, count in seen.items() if count > NEAREST}
    if not left:
        return tuple(shown), ()
    counts = "; ".join(f"{kind} ({words.whole(count)})" for kind, count in left.items())
    return tuple(shown), (words.t("report.rest", most=words.whole(NEAREST), count=words.whole(sum(left.values())), counts=counts),)


def _dropped(trace: Trace, words: Words) -> Iterator[tuple[str, ...]]:
    """What each stage dropped, the best first, with the rank score that it would have needed where there is such a one."""
    needed = {miss.chunk_id: miss.needed for group in misses(trace).groups if group.rule in _SCORED for miss in group.misses}
    stages: dict[str, Ranking] = {
        "fusion": trace.fused,
        "anchors": trace.anchored,
        "references": trace.completed,
        "quota": trace.quota.ranking,
        "named_first": trace.named.ranking,
    }
    for stage, ranking in stages.items():
        for entry in ranking.dropped:
            why = words.word("fate", entry.fate.code, round=entry.fate.round)
            lacks = words.number(needed.get(entry.chunk_id) if stage == "quota" else None)
            yield words.word("stage", stage), printed(trace.chunks[entry.chunk_id], trace.specs), words.number(entry.rank), lacks, why


def _settings(trace: Trace, words: Words) -> Section:
    head = (*(words.t(f"file.run.{name}") for name in ("setting", "value", "default")), words.t("file.run.note"))
    rows = tuple(_setting(knob, trace, words) for knob in KNOBS.values())
    left_out = ", ".join(words.word("stage", stage) for stage in trace.without)
    sentences = (f"{words.t('file.run.without')}: {left_out}",) if left_out else ()
    return Section(words.t("report.settings"), sentences, head, rows, (1, 2))


def _setting(knob: Knob, trace: Trace, words: Words) -> tuple[str, ...]:
    value = trace.settings.value(knob.name)
    idle = words.t("report.idle" if knob.only else "report.idle_reranker")
    note = idle if not trace.settings.acts(knob.name) else words.t("report.changed") if value != knob.default else ""
    return label(knob, words), shown(knob, value, words), shown(knob, knob.default, words), note


def _basis(trace: Trace, words: Words) -> Section:
    head = tuple(words.t(f"file.run.{name}") for name in ("basis", "version", "mark"))
    return Section(words.t("report.basis"), (words.t("report.basis_text"),), head, tuple(basis(trace, words)))


def basis(trace: Trace, words: Words) -> Iterator[tuple[str, str, str]]:
    """What the run rests on, part by part: its name, its version, its fingerprint. The settings have no version of their own."""
    marks, none = Fingerprint.of(trace), words.t("file.run.not_stated")
    for part in PARTS:
        version = "–" if part == "settings" else trace.stamps.version(part) or none
        yield words.t(f"file.part.{part}"), version, getattr(marks, part) or none


def _worded(table: tables.Table, words: Words, named: tuple[int, ...] = ()) -> tuple[tuple[str, ...], ...]:
    """The rows in words; ``named`` are the columns with addresses, tied."""
    return tuple(tuple(_word(cell, words, column in named) for column, cell in enumerate(row)) for row in table.values())


def _word(cell: Cell, words: Words, named: bool) -> str:
    if isinstance(cell, str):
        return tied(cell) if named else cell
    return words.whole(cell) if cell is None or isinstance(cell, int) else words.number(cell)

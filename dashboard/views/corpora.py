"""The corpora of a run: available, routed by which words, required by which anchor, selected, cut by the cap, failed."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.blocks import Block, Cell, folded, paragraph, row, table
from dashboard.naming import short_name, shortened
from retrieval.model import LEXICAL, VECTOR
from retrieval.trace import CorpusTrace, RouteTrace, Trace
from retrieval.words import Words

_MOST_OTHERS = 8
"""More corpora that were not asked than these stand behind a label."""


def blocks(trace: Trace, words: Words) -> list[Block]:
    """A sentence about the selection and one row for each corpus in stock; many that were not asked have a table of their own."""
    head = [words.t(f"corpora.head.{name}") for name in ("corpus", "state", "answer", "vector", "lexical")]
    caption, others = words.t("corpora.caption"), [corpus for corpus in trace.corpora if corpus.state != "asked"]
    many = len(others) > _MOST_OTHERS
    rows = [_row(corpus, trace, words) for corpus in trace.corpora if not many or corpus.state == "asked"]
    found = [paragraph(sentence(trace, words)), table(caption, head, rows, empty=words.t("corpora.empty"))]
    if many:
        label = words.n("funnel.not_asked", len(others))
        found.append(folded(label, [table(label, head, [_row(corpus, trace, words) for corpus in others])], "corpora_others"))
    return found


def sentence(trace: Trace, words: Words) -> str:
    """How the corpora were chosen, in words."""
    selection = trace.selection
    parts = [
        words.n("corpora.available", len(selection.available)),
        words.n("corpora.routed", len(selection.routed)) if selection.routed else words.t("corpora.routed.none"),
        words.n("corpora.required", len(selection.required)) if selection.required else words.t("corpora.required.none"),
        words.n("corpora.selected", len(selection.selected), cap=selection.cap),
    ]
    if selection.cut:
        near = any(corpus.affinity is not None for corpus in trace.corpora)
        parts.append(words.n("corpora.cut_near" if near else "corpora.cut", len(selection.cut)))
    return " ".join(parts)


def _row(corpus: CorpusTrace, trace: Trace, words: Words) -> Block:
    spec = trace.specs.get(corpus.corpus_id)
    name = short_name(corpus.corpus_id, trace.specs)
    under = [name] if name != corpus.title else []
    if spec:
        under.append(words.t(f"corpus_kind.{spec.kind}"))
    if spec and spec.stand:
        under.append(shortened(spec.stand, 160))
    if spec and spec.invented:
        under.append(words.t("term.invented"))
    cells: list[Cell] = [
        [corpus.title, " · ".join(under)],
        list(_state(corpus, words)),
        list(_answer(corpus, words)),
        list(_route(corpus, VECTOR, words)),
        list(_route(corpus, LEXICAL, words)),
    ]
    tone = "strong" if corpus.status == "failed" else "" if corpus.state == "asked" else "muted"
    return row(cells, tone)


def _state(corpus: CorpusTrace, words: Words) -> Iterator[str]:
    yield words.word("state", corpus.state)
    if corpus.routed_by:
        yield words.t("corpora.routed_by", words=", ".join(words.quoted(word) for word in corpus.routed_by))
    if corpus.affinity is not None:
        yield words.t("routing.affinity", affinity=words.number(corpus.affinity))
    if corpus.required_by:
        yield words.t("corpora.required_by", anchors=", ".join(corpus.required_by))


def _answer(corpus: CorpusTrace, words: Words) -> Iterator[str]:
    if corpus.state != "asked":
        yield words.t("corpora.not_asked")
        return
    yield words.word("status", corpus.status) + (f": {corpus.error_class}" if corpus.error_class else "")
    if corpus.error:
        yield corpus.error
    if corpus.status != "failed":
        yield words.t("corpora.size.empty") if not corpus.size and not corpus.foreign else words.n("corpora.size", corpus.size)
    if corpus.lookups:
        yield words.n("corpora.lookups", corpus.lookups)
    if corpus.foreign:
        yield words.t("corpora.foreign")
    if corpus.dropped_filter:
        yield words.t("corpora.dropped_filter", condition=corpus.dropped_filter)


def _route(corpus: CorpusTrace, name: str, words: Words) -> Iterator[str]:
    """Missing, failed, empty and found are four different displays."""
    route = next((route for route in corpus.routes if route.route == name), None)
    if route is None:
        yield words.t("corpora.route.missing" if corpus.state == "asked" else "corpora.not_asked")
    elif route.status == "failed":
        yield words.t("corpora.route.failed", route=words.word("route", name), error=route.error_class)
        if route.error:
            yield route.error
    elif route.note:
        yield words.word("note", route.note)
    elif not route.found:
        yield words.t("corpora.route.empty", route=words.word("route", name))
    else:
        yield from _found(route, words)


def _found(route: RouteTrace, words: Words) -> Iterator[str]:
    yield words.n("corpora.route.found", route.found)
    best = words.t("corpora.route.best", score=words.number(route.best))
    yield " · ".join(part for part in (best, words.word("way", route.way)) if part)

"""The stages of a presentation that no other view has: the question, the two searches, the list in large type."""

from __future__ import annotations

from dashboard.blocks import Block, item, pair, paragraph, ranking, statement
from dashboard.journey import steps
from dashboard.naming import norm
from retrieval.model import LEXICAL, VECTOR
from retrieval.trace import Trace
from retrieval.words import Words

STAGES = ("question", "corpora", "routes", "anchors", "references", "quota", "named", "list")
"""The stages of a presentation, in the order of the run."""
SHOWN = 6
"""So many norms of each search are shown."""


def question(trace: Trace, words: Words) -> list[Block]:
    """The question, the words of it that the word search uses, and how many corpora there are."""
    used = ", ".join(words.quoted(word) for word in trace.words)
    said = words.t("present.words.used", words=used) if used else words.t("present.words.none")
    stock = words.n("present.stock", len(trace.selection.available))
    return [statement(words.quoted(trace.question)), paragraph(stock), paragraph(said)]


def said(sentence: str) -> list[Block]:
    """A stage that is one sentence."""
    return [statement(sentence)]


def routes(trace: Trace, words: Words) -> list[Block]:
    """The first norms of both searches over all corpora, side by side."""
    return [
        paragraph(words.t("present.says.routes", n=words.whole(SHOWN))),
        pair(*(_route(name, trace, words) for name in (VECTOR, LEXICAL))),
    ]


def _route(name: str, trace: Trace, words: Words) -> Block:
    parts = [(part, entry.chunk_id) for entry in trace.fused.entries for part in entry.parts if part.route == name]
    first = sorted(parts, key=lambda found: found[0].place)[:SHOWN]
    items = [
        item(
            words.whole(part.place),
            norm(trace.chunks[chunk_id], trace.specs),
            [trace.chunks[chunk_id].heading, words.t("present.route.raw", raw=words.number(part.raw))],
        )
        for part, chunk_id in first
    ]
    return ranking(words.word("route", name), items, _note(name, bool(items), trace, words))


def _note(name: str, found: bool, trace: Trace, words: Words) -> str:
    """What is to be said about a search that failed somewhere, found nothing, or does not count."""
    states = {route.status for corpus in trace.corpora for route in corpus.routes if route.route == name}
    if "failed" in states:
        return words.t("present.route.partial" if found else "present.route.failed")
    if not found:
        return words.t("present.route.empty")
    return "" if trace.shares.get(name) else words.t("present.route.idle")


def final(trace: Trace, words: Words) -> list[Block]:
    """The list, each hit with its heading, its rank score and what brought it there; without any, why there is none."""
    if not trace.final:
        failed = trace.route_failure == "all_routes_failed"
        return [statement(words.t("hits.failed" if failed else "hits.partial" if trace.partial else "hits.none"))]
    hows = {step.entry.chunk_id: step for step in steps(trace)}
    items = []
    for place, entry in enumerate(trace.final, start=1):
        chunk = trace.chunks[entry.chunk_id]
        step = hows[entry.chunk_id]
        origin = words.t(f"present.origin.{step.how}")
        value = words.t("present.hit.rank", rank=words.number(entry.rank), origin=origin)
        items.append(item(str(place), norm(chunk, trace.specs), [chunk.heading, value], "" if step.how == "search" else "strong"))
    return [{"type": "pair", "sides": [ranking(words.t("present.says.list"), items)]}]

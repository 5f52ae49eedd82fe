"""The banner of a run in which something failed, and the summary of one run in a sentence."""

from __future__ import annotations

from collections import Counter

from dashboard.blocks import Block, notice
from dashboard.journey import steps
from dashboard.knobtext import first_up
from dashboard.naming import short_name
from retrieval.trace import Trace
from retrieval.words import Words


def blocks(trace: Trace, words: Words) -> list[Block]:
    """A framed message that names the stages that were left out, and one that names everything that failed; nothing for a whole run."""
    return [*_left_out(trace, words), *_failed(trace, words)]


def _left_out(trace: Trace, words: Words) -> list[Block]:
    names = [words.t(f"differences.without.{stage}") for stage in trace.without]
    if not names:
        return []
    stages = words.t("differences.and", first=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]
    return [notice(words.t("left_out.title", stages=stages), [words.n("left_out.text", len(names))], "warning")]


def _failed(trace: Trace, words: Words) -> list[Block]:
    if not trace.partial:
        return []
    lines: list[str] = []
    details: list[tuple[str, str]] = []
    for corpus in trace.corpora:
        if corpus.status == "failed":
            lines.append(words.t("faults.corpus", corpus=corpus.title, error=corpus.error_class))
            details.append((f"{corpus.title} · {corpus.error_class}", corpus.error))
        for route in (route for route in corpus.routes if route.status == "failed"):
            name = words.word("route", route.route)
            lines.append(first_up(words.t("faults.route", route=name, corpus=corpus.title, error=route.error_class)))
            details.append((f"{corpus.title} · {name} · {route.error_class}", route.error))
    if trace.route_failure:
        lines.append(words.word("route_failure", trace.route_failure))
    for fault in trace.faults:
        lines.append(words.t("faults.part", part=words.word("fault", fault.part), error=fault.error_class))
        details.append((f"{words.word('fault', fault.part)} · {fault.error_class}", fault.message))
    shown = [pair for pair in dict.fromkeys(details) if pair[1]]
    return [notice(words.t("faults.title"), list(dict.fromkeys(lines)), "fault", shown, words.t("faults.details"))]


def summary(trace: Trace, words: Words) -> str:
    """How many hits from which corpora, and how many stand there only by quota, anchor or reference."""
    if not trace.final:
        return words.t("summary.none")
    by_corpus = Counter(entry.corpus_id for entry in trace.final)
    named = ", ".join(f"{short_name(corpus, trace.specs)} ({number})" for corpus, number in by_corpus.most_common())
    hows = Counter(step.how for step in steps(trace) if step.after)
    parts = [words.n("summary.hits", len(trace.final), corpora=named)]
    parts += [words.n(f"summary.{how}", hows[how]) for how in ("quota", "anchor", "lookup", "definition", "verweis", "named") if hows[how]]
    if trace.final[0].rank <= 0:
        parts.append(words.t("summary.all_zero"))
    return " ".join(parts)

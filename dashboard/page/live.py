"""The page "Live": one question, and the run that answers it, in the order of the run."""

from __future__ import annotations

from datetime import date

from dashboard.blocks import Block, heading, paragraph
from dashboard.component import chart, draw, ink
from dashboard.running import Run
from dashboard.state import State
from dashboard.views import anchors, balance, corpora, floor, funnel, hits, misses, movement, named, verweise
from retrieval.inspector.funnel import funnel as funnel_of
from retrieval.inspector.misses import misses as misses_of
from retrieval.trace import Trace
from retrieval.words import Words


def page(run: Run, words: Words) -> None:
    """Draw the run of this session."""
    trace, state = run.trace, run.state
    draw(_before_fusion(trace, state, words), "selection", words.language)
    _quota(trace, state, words)
    draw(_result(trace, state, words), "result", words.language)


def _before_fusion(trace: Trace, state: State, words: Words) -> list[Block]:
    used = ", ".join(words.quoted(word) for word in trace.words)
    return [
        heading(words.t("section.corpora")),
        *corpora.blocks(trace, words),
        paragraph(words.t("page.words_used", words=used) if used else words.t("page.words_none"), muted=True),
        heading(words.t("section.anchors")),
        *anchors.blocks(trace, words),
        heading(words.t("section.verweise")),
        *verweise.blocks(trace, words, state.show_all),
        heading(words.t("section.quota")),
    ]


def _quota(trace: Trace, state: State, words: Words) -> None:
    if not trace.completed.living:
        draw([paragraph(movement.sentence(trace, words))], "moved", words.language)
        return
    chart(movement.figure(movement.frame(trace, words), trace, words, ink()), "movement")
    between = [paragraph(movement.sentence(trace, words)), *movement.blocks(trace, words, state.show_all)]
    draw(between, "moved", words.language)
    chart(floor.figure(floor.frame(trace, words), trace, words, ink()), "floor")
    draw([paragraph(floor.sentence(trace, words)), *floor.blocks(trace, words)], "floor_words", words.language)


def _result(trace: Trace, state: State, words: Words) -> list[Block]:
    today = date.today().strftime("%d.%m.%Y" if words.language == "de" else "%d %B %Y")
    record = [
        heading(words.t("section.record")),
        *funnel.blocks(funnel_of(trace), trace, words),
        *balance.counts(trace, words),
        *(balance.dropped(trace, words) if state.show_all else ()),
        *balance.settings(trace.settings, words),
        *balance.stamps(trace, words),
        paragraph(words.t("page.shown_on", date=today, question=words.quoted(trace.question)), muted=True),
    ]
    moved = [heading(words.t("section.named")), paragraph(named.sentence(trace, words))]
    missed = [heading(words.t("misses.title")), *misses.blocks(misses_of(trace), trace, words)]
    return [*moved, heading(words.t("section.hits")), *hits.blocks(trace, words), *missed, *record]

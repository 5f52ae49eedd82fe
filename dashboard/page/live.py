"""The page "Live": one question, and the run that answers it, in the order of the run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import streamlit as st

from dashboard import sitting
from dashboard.blocks import Block, heading, paragraph
from dashboard.component import chart, draw, ink
from dashboard.links import SET_PAGES
from dashboard.running import Run
from dashboard.state import write
from dashboard.views import anchors, balance, corpora, floor, funnel, hits, judging, misses, movement, named, negative, verweise
from retrieval.errors import FundstelleError
from retrieval.inspector.funnel import funnel as funnel_of
from retrieval.inspector.misses import misses as misses_of
from retrieval.neighbors import with_neighbors
from retrieval.trace import Trace
from retrieval.words import Words


def page(run: Run, words: Words) -> None:
    """Draw the run of this session."""
    for key, part in parts(_completed(run), run.state.show_all, ink(), words):
        if isinstance(part, list):
            draw(part, key, words.language)
        else:
            chart(part, key)
    _negative(run, words)
    _judged(run, words)


def _completed(run: Run) -> Trace:
    """The trace with the other parts of what was cut; as it is where the stock has changed meanwhile."""
    try:
        return with_neighbors(run.trace, run.runs.stock.retriever)
    except FundstelleError:
        return run.trace


def _negative(run: Run, words: Words) -> None:
    """Whether one may say that nothing is there, asked on demand."""
    draw([heading(words.t("negative.title")), paragraph(words.t("negative.lead"), muted=True)], "negative", words.language)
    if st.button(words.t("negative.check"), key="negative_check"):
        answer = run.runs.federation.verify_negative_result(run.trace.question, run.trace.selection.selected)
        found = negative.blocks(answer, run.trace.specs, lambda corpus, chunk: run.runs.stock.retriever(corpus).chunk(chunk), words)
        draw(found, "negative_answer", words.language)


def _judged(run: Run, words: Words) -> None:
    """How far this list is judged, and the way to judge it, where the chosen set has the question."""
    found = sitting.coverage_of_run(run.runs, run.trace, run.state.chosen_set)
    if found is not None:
        draw(
            [heading(words.t("judge.live.title")), paragraph(judging.unjudged(found.places, found.unjudged, words))],
            "judged",
            words.language,
        )
        # A page is known by its address: this one is drawn by the entry.
        judge = st.Page(lambda: None, title=words.t("judge.title"), url_path=SET_PAGES["judge"])
        st.page_link(judge, label=words.t("judge.live.link"), query_params=write(run.state.replaced(step=0)))


def parts(trace: Trace, everything: bool, ink: str, words: Words) -> Iterator[tuple[str, list[Block] | dict[str, Any]]]:
    """The page in its order: blocks and plain figures, each with its key. ``ink`` is the colour of text in the theme."""
    yield "selection", _before_fusion(trace, everything, words)
    if trace.completed.living:
        yield "movement", movement.figure(movement.frame(trace, words), trace, words, ink)
        said = [paragraph(movement.sentence(trace, words)), paragraph(words.t("movement.says"), muted=True)]
        yield "moved", [*said, *movement.blocks(trace, words, everything)]
        yield "floor", floor.figure(floor.frame(trace, words), trace, words, ink)
        yield "floor_words", [paragraph(floor.sentence(trace, words)), *floor.blocks(trace, words)]
    else:
        yield "moved", [paragraph(movement.sentence(trace, words))]
    yield "result", _result(trace, everything, words)


def _before_fusion(trace: Trace, everything: bool, words: Words) -> list[Block]:
    used = ", ".join(words.quoted(word) for word in trace.words)
    return [
        heading(words.t("section.corpora")),
        *corpora.blocks(trace, words),
        paragraph(words.t("page.words_used", words=used) if used else words.t("page.words_none"), muted=True),
        heading(words.t("section.anchors")),
        *anchors.blocks(trace, words),
        heading(words.t("section.verweise")),
        *verweise.blocks(trace, words, everything),
        heading(words.t("section.quota")),
    ]


def _result(trace: Trace, everything: bool, words: Words) -> list[Block]:
    today = words.date(date.today())
    record = [
        heading(words.t("section.record")),
        *funnel.blocks(funnel_of(trace), trace, words),
        *balance.counts(trace, words),
        *(balance.dropped(trace, words) if everything else ()),
        *balance.settings(trace.settings, words),
        *balance.stamps(trace, words),
        paragraph(words.t("page.shown_on", date=today, question=words.quoted(trace.question)), muted=True),
    ]
    moved = [heading(words.t("section.named")), paragraph(named.sentence(trace, words))]
    missed = [heading(words.t("misses.title")), *misses.blocks(misses_of(trace), trace, words, everything)]
    return [*moved, heading(words.t("section.hits")), *hits.blocks(trace, words), *missed, *record]

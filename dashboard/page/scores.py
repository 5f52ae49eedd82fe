"""The page "Werte": the scores of all corpora on one axis, the decision scores on another, and the arithmetic of each hit."""

from __future__ import annotations

import streamlit as st

from dashboard.blocks import heading, paragraph
from dashboard.component import chart, draw, ink
from dashboard.running import Run
from dashboard.views import spread as views
from retrieval.exports.cells import csv_of
from retrieval.inspector.spread import spread
from retrieval.words import Words


def page(run: Run, words: Words) -> None:
    """Draw the scores of the run of this session."""
    trace = run.trace
    found = spread(trace)
    draw([heading(words.t("scores.ranks"))], "ranks", words.language)
    if any(strip.dots for strip in found.strips):
        chart(views.figure(found, trace, words, ink()), "spread")
    draw(views.blocks(found, trace, words), "spread_words", words.language)
    data = csv_of(*views.sheet(views.frame(found, trace), trace, words), words.language)
    st.download_button(words.t("scores.download"), data, "scores.csv", "text/csv", key="save_scores", on_click="ignore")
    draw([heading(words.t("scores.decisions"))], "decisions", words.language)
    if found.first is not None:
        chart(views.decision_figure(found, trace, words, ink()), "decision")
    said = [paragraph(views.decision_sentence(found, trace, words)), heading(words.t("scores.formulas"))]
    draw([*said, *views.formulas(found, trace, words)], "formulas", words.language)

"""Whether one may say that nothing in stock speaks of a question: the answer, and which corpus objects with what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dashboard.blocks import Block, notice, paragraph
from dashboard.naming import norm, title_of
from retrieval.model import Chunk, CorpusSpec
from retrieval.words import Words


def blocks(answer: Mapping[str, Any], specs: Mapping[str, CorpusSpec], chunk: Callable[[str, str], Chunk], words: Words) -> list[Block]:
    """The answer of the check over all corpora asked; ``chunk`` gives a passage by its corpus and id."""
    lines = [*_objections(answer, specs, chunk, words), *_unchecked(answer, specs, words)]
    title = words.t("negative.safe" if answer["safe"] else "negative.unsafe")
    return [notice(title, lines), paragraph(words.t("negative.limits"), muted=True)]


def _objections(
    answer: Mapping[str, Any], specs: Mapping[str, CorpusSpec], chunk: Callable[[str, str], Chunk], words: Words
) -> Iterator[str]:
    for corpus in answer["objections"]:
        verdict = answer["verdicts"][corpus]
        reason = verdict.get("reason", "")
        if f"negative.why.{reason}" not in words.catalogue:
            reason = "objection"
        passage = verdict.get("chunk_id", "")
        # The name of a norm begins with its corpus.
        values = {
            "norm": norm(chunk(corpus, passage), specs) if passage else "",
            "value": words.number(verdict.get("best_decision_score")),
            "share": words.percent(verdict.get("best_share", 0.0)),
        }
        yield words.t(f"negative.why.{reason}", corpus=title_of(corpus, specs), **values)


def _unchecked(answer: Mapping[str, Any], specs: Mapping[str, CorpusSpec], words: Words) -> Iterator[str]:
    for corpus in answer["unchecked"]:
        yield words.t("negative.failed", corpus=title_of(corpus, specs))
    if answer["unasked"]:
        yield words.t("negative.unasked", corpora=", ".join(title_of(corpus, specs) for corpus in answer["unasked"]))

"""How far judges agree, in plain words, and every norm on which they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.blocks import Block, Line, alike, heading, paragraph, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.naming import norm as named
from dashboard.naming import part_name
from retrieval.evaluation.agreement import FEWEST, RELIABLE, TENTATIVE, Agreement
from retrieval.evaluation.model import Question
from retrieval.evaluation.verdicts import Conflict, Verdict
from retrieval.model import CorpusSpec
from retrieval.words import NONE, Words

Specs = Mapping[str, CorpusSpec]


def sentence(found: Agreement, words: Words) -> str:
    """How far the judges agree; no number where it would rest on too little."""
    if not found.judges:
        return words.t("judge.agreement.nobody")
    if found.reading == "none_shared":
        return words.t("judge.agreement.alone" if len(found.judges) == 1 else "judge.agreement.none_shared")
    if found.alpha is None:
        return words.n(f"judge.agreement.{found.reading}", found.units, fewest=FEWEST)
    return words.t(f"judge.agreement.{found.reading}", alpha=words.number(found.alpha, 2), n=words.whole(found.units))


def blocks(found: Agreement, words: Words) -> list[Block]:
    """Heading, sentence, how to read it, and a table of all pairs of judges."""
    shown = [heading(words.t("judge.agreement.title")), paragraph(sentence(found, words))]
    if found.alpha is not None:
        bounds = {"reliable": words.number(RELIABLE, 1), "tentative": words.number(TENTATIVE, 3)}
        shown.append(paragraph(words.t("judge.agreement.how", **bounds), muted=True))
    if not found.pairs:
        return shown
    head = [words.t(f"judge.head.{name}") for name in ("pair", "shared", "equal", "share")]
    rows = [
        row(
            [
                words.t("judge.agreement.pair", first=one.first, second=one.second),
                words.whole(one.n),
                words.whole(one.equal),
                NONE if one.share is None else words.percent(one.share),
            ]
        )
        for one in found.pairs
    ]
    return [*shown, table(words.t("judge.agreement.caption"), head, rows, numeric=(1, 2, 3))]


def conflicts(found: Sequence[Conflict], questions: Mapping[str, Question], specs: Specs, words: Words) -> list[Block]:
    """Every norm on which judges differ from each other or from the set: who said what, and why."""
    head = [words.t(f"judge.head.{name}") for name in ("norm", "said", "set", "question")]
    rows = [_conflict(one, questions[one.question_id], specs, words) for one in found]
    counted = words.n("judge.conflict.count", len(found)) if found else words.t("judge.conflict.none")
    shown = [heading(words.t("judge.conflict.title")), paragraph(counted)]
    if not found:
        return shown
    how = [paragraph(words.t("judge.conflict.how"), muted=True)] if any(one.against_gold for one in found) else []
    return [*shown, table(words.t("judge.conflict.caption"), head, rows), *how]


def _conflict(one: Conflict, question: Question, specs: Specs, words: Words) -> Block:
    gold = words.t(f"judge.grade.{one.gold.grade}") if one.gold else words.t("judge.conflict.not_named")
    said: list[Line] = [written(_said(verdict, one, words)) for verdict in one.said]
    return row([[to_norm(named(one.address, specs), key_of(one.address))], alike(said), gold, [written(question.text)]])


def _said(verdict: Verdict, one: Conflict, words: Words) -> str:
    part = verdict.address.subsection if verdict.address != one.address else ""
    values = {"judge": verdict.judge, "grade": words.t(f"judge.grade.{verdict.grade}")}
    told = words.t("judge.conflict.said", **values)
    if part:
        told = words.t("judge.conflict.said_of", part=part_name(one.address.section_id, part, words.t("norm.absatz")), **values)
    return words.t("judge.conflict.because", said=told, reason=words.quoted(verdict.reason)) if verdict.reason else told

"""Judging: one hit with its wording, the gold norms on demand, and a list with what everybody said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from dashboard.blocks import (
    Block,
    Cell,
    Line,
    alike,
    folded,
    heading,
    links,
    notice,
    paragraph,
    passage,
    passages,
    row,
    statement,
    table,
    to_norm,
    written,
)
from dashboard.links import key_of
from dashboard.naming import norm as named
from dashboard.naming import part_name, shortened
from retrieval.evaluation.model import Gold, Need, Question
from retrieval.evaluation.pooling import Hit
from retrieval.evaluation.verdicts import Verdict, common_grade, golds_of, within
from retrieval.model import Address, Chunk, CorpusSpec
from retrieval.words import NONE, Words

Key = TypeVar("Key")
Specs = Mapping[str, CorpusSpec]
_QUESTION = 110


def grade(value: int | None, words: Words) -> str:
    """A grade in words."""
    return words.t(f"judge.grade.{'none' if value is None else value}")


def question_name(question: Question, still: int, words: Words) -> str:
    """A question in a list of choices, with the number of its hits that are still to be judged."""
    return words.t("judge.choice", question=shortened(question.text, _QUESTION), open=words.n("judge.open", still))


def told_apart(names: Mapping[Key, str]) -> dict[Key, str]:
    """Names in a list of choices, of which no two are alike: what is chosen is known by its name alone."""
    seen: Counter[str] = Counter()
    found: dict[Key, str] = {}
    for key, name in names.items():
        seen[name] += 1
        found[key] = name if seen[name] == 1 else f"{name} · {seen[name]}"
    return found


def torn(lines: Sequence[int], words: Words) -> list[Block]:
    """That writing broke off on these lines of the file; nothing where it never did."""
    if not lines:
        return []
    numbers = ", ".join(map(words.whole, lines))
    return [notice(words.n("judge.torn", len(lines)), [words.t("judge.torn_text", lines=numbers)], "warning")]


# --- one hit ------------------------------------------------------------------------------------------------------------


def asked(question: Question, specs: Specs, words: Words) -> list[Block]:
    """The question that a hit is judged for, and behind a label what the set says that it needs."""
    head = [words.t("judge.head.need"), words.t("judge.head.grade")]
    rows = [row([_alternatives(need, specs), grade(max(gold.grade for gold in need.any_of), words)]) for need in question.needs]
    shown = table(words.t("judge.gold.caption"), head, rows, empty=words.t("judge.gold.none"))
    return [*plainly(question, words), folded(words.t("judge.gold.show"), [shown], f"gold-{question.id}")]


def plainly(question: Question, words: Words) -> list[Block]:
    """The question alone."""
    return [statement(question.text, words.t("judge.question"))]


def _alternatives(need: Need, specs: Specs) -> Cell:
    return alike([to_norm(gold.written or named(gold.address, specs), key_of(gold.address)) for gold in need.any_of])


def hit(address: Address, chunks: Sequence[Chunk], specs: Specs, words: Words) -> list[Block]:
    """The name of the norm and its whole wording, Absatz by Absatz as far as it has several."""
    first = next(iter(chunks), None)
    above = [notice(words.t("judge.repealed"), (), "warning")] if first is not None and first.repealed else []
    return [heading(named(address, specs), source=f": {first.heading}" if first and first.heading else ""), *above]


def wording(address: Address, chunks: Sequence[Chunk], words: Words) -> list[Block]:
    """The wording as it stands in stock, and the way to the whole norm."""
    several = len({chunk.subsection for chunk in chunks}) > 1
    drawn = [passage(f"{chunk.chunk_id}-text", chunk.text, [], _absatz(chunk, words) if several else "") for chunk in chunks]
    if not drawn:
        return [paragraph(words.t("judge.no_wording"))]
    return [passages(words.t("judge.wording"), drawn), links(words.t("judge.around"), [to_norm(words.t("judge.whole"), key_of(address))])]


def _absatz(chunk: Chunk, words: Words) -> str:
    return part_name(chunk.section_id, chunk.subsection, words.t("norm.absatz")) or words.t("judge.opening_words")


def before(verdict: Verdict, words: Words) -> list[Block]:
    """What this judge said of the hit before."""
    lines = [words.t("judge.said_reason", reason=words.quoted(verdict.reason))] if verdict.reason else []
    return [notice(words.t("judge.said", grade=grade(verdict.grade, words)), lines)]


# --- the list with all grades ---------------------------------------------------------------------------------------------


def unjudged(places: int, nobody: int, words: Words) -> str:
    """How much of a list nobody has judged."""
    if not places:
        return words.t("judge.list.empty")
    if not nobody:
        return words.n("judge.list.all", places)
    return words.n("judge.list.unjudged", nobody, places=words.whole(places))


def overview(question: Question, chunks: Sequence[Chunk], said: Sequence[Verdict], specs: Specs, words: Words) -> list[Block]:
    """The present list with the grade that the set and each judge give to each place."""
    judges = sorted({one.judge for one in said})
    by_norm = {(one.address, one.judge): one for one in said}
    rows = [_place(place, chunk, question, by_norm, judges, specs, words) for place, chunk in enumerate(chunks, start=1)]
    head = [*(words.t(f"judge.head.{name}") for name in ("place", "norm", "set")), *judges, words.t("judge.head.common")]
    return [
        table(words.t("judge.list.caption"), head, rows, empty=words.t("judge.list.empty")),
        paragraph(words.t("judge.list.how"), muted=True),
    ]


def _place(
    place: int,
    chunk: Chunk,
    question: Question,
    by_norm: Mapping[tuple[Address, str], Verdict],
    judges: Sequence[str],
    specs: Specs,
    words: Words,
) -> Block:
    said = [by_norm.get((chunk.address, judge)) for judge in judges]
    grades = [one.grade for one in said if one is not None and one.grade is not None]
    gold = max((one.grade for one in golds_of(question) if within(one.address, chunk.address)), default=None)
    norm: list[Line] = [to_norm(named(chunk, specs), key_of(chunk)), written(chunk.heading)]
    cells: list[Cell] = [str(place), norm, NONE if gold is None else grade(gold, words), *(_said(one, words) for one in said)]
    return row([*cells, _common(gold, grades, words)])


def _said(verdict: Verdict | None, words: Words) -> Cell:
    if verdict is None:
        return NONE
    return [grade(verdict.grade, words), written(verdict.reason)]


def _common(gold: int | None, grades: Sequence[int], words: Words) -> str:
    """What is measured with: the set counts for itself, else the median of the judges."""
    if gold is not None:
        return grade(gold, words)
    return grade(common_grade(grades), words) if grades else words.t("judge.unjudged")


# --- what was judged, and what may go into the gold --------------------------------------------------------------------------


def helpful(question: Question, said: Iterable[Verdict]) -> tuple[Gold, ...]:
    """The norms that judges find to help and that the set does not name, the most helpful first."""
    grades: dict[Address, list[int]] = {}
    for one in said:
        if one.question_id == question.id and one.grade is not None:
            grades.setdefault(one.address, []).append(one.grade)
    golds = [Gold(address, common_grade(found)) for address, found in grades.items() if common_grade(found)]
    free = [one for one in golds if not any(within(gold.address, one.address) for gold in golds_of(question))]
    return tuple(sorted(free, key=lambda one: (-one.grade, one.address)))


def gold_name(gold: Gold, specs: Specs, words: Words) -> str:
    """A norm with its grade, in a list of choices."""
    return words.t("judge.graded", norm=named(gold.address, specs), grade=grade(gold.grade, words))


def need_name(question: Question, number: int, specs: Specs, words: Words) -> str:
    """A need of a question (from 0) by its norms."""
    names = [gold.written or named(gold.address, specs) for gold in question.needs[number].any_of]
    return f" {words.t('judge.or')} ".join(names)


def hit_name(found: Hit, verdict: Verdict, specs: Specs, words: Words) -> str:
    """A hit with the grade that was given to it, in a list of choices."""
    return words.t("judge.graded", norm=named(found.address, specs), grade=grade(verdict.grade, words))

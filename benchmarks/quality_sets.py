"""Question sets of the quality benchmark against a stock: the shared ones and the samples', their gold as the product reads it, two halves.

Gold norms that no search can find are left out and counted by reason: not in stock, repealed, ambiguous, or written so that they name no
single norm. A question without any other gold is left out with them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from benchmarks.law import DATA, SAMPLES
from retrieval.evaluation import sets
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.statistics import held_out

SHARED = ("fragen_katalog_apotheke", "fragen_faelle", "fragen_begriffe", "fragen_strafrecht_karten", "fragen_laien_bgb")
OWN = "sample_corpora"
Half = Literal["tune", "report", "all"]
Level = Literal["absatz", "norm"]
"""Whether a gold norm that names an Absatz asks for that Absatz, or for any of its norm."""
NO_SINGLE_NORM = "no_single_norm"
_FIELDS = ("text_ohne_zitat", "frage", "text")
_ALIKE = 40
"""Questions with as many equal characters in front are nearly the same and stay on one side."""


class Taken(msgspec.Struct, frozen=True):
    """A set against a stock: its questions with at least one norm in it, how many norms it names, and why which number was left out."""

    name: str
    checked: CheckedSet
    norms: int
    left_out: dict[str, int]
    questions_left_out: int = 0

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions, with every gold norm as the stock spells it."""
        return self.checked.settled.questions


def shared(name: str, golds: Golds, level: Level = "absatz") -> Taken:
    """A set of the shared folder. Several norms of one question are a chain: only together do they answer it."""
    questions: list[Question] = []
    left_out: Counter[str] = Counter()
    norms = without = 0
    for line in (DATA / name / "fragen.jsonl").read_text("utf-8").splitlines():
        raw = json.loads(line)
        read = [_norm(gold, golds) for gold in raw["gold"]]
        norms += len(read)
        left_out.update(one for one in read if isinstance(one, str))
        needs = distinct([Need((one,)) for one in read if isinstance(one, Gold)], level)
        without += not needs
        if needs:
            text = next(raw[field] for field in _FIELDS if raw.get(field))
            questions.append(Question(str(raw["id"]), text, needs, chain=len(needs) > 1))
    return Taken(name, golds.check(QuestionSet(name, tuple(questions))), norms, dict(sorted(left_out.items())), without)


def _norm(raw: Mapping[str, Any], golds: Golds) -> Gold | str:
    """The gold norm as the stock spells it, or why it is left out."""
    if not raw.get("law") or not raw.get("norm"):
        return NO_SINGLE_NORM
    unit = "Ziffer" if raw["law"] == "TA1" else "Artikel" if raw.get("artikel") else "§"
    absatz = f" Abs. {raw['absatz']}" if raw.get("absatz") else ""
    found = golds.words(f"{raw['law']} {unit} {raw['norm']}{absatz}")
    if len(found) != 1:
        return NO_SINGLE_NORM
    return found[0].gold if found[0].state == "in_stock" else found[0].state


def own(golds: Golds, level: Level = "absatz") -> Taken:
    """Our own sample questions."""
    checked = golds.check(sets.load(SAMPLES / "questions.toml").questions)
    left_out = Counter(one.state for each in checked.questions for one in each.found if one.state != "in_stock")
    questions: list[Question] = []
    for one in checked.questions:
        kept = [tuple(found.gold for found in need if found.state == "in_stock") for need in one.needs]
        needs = distinct([Need(golds) for golds in kept if golds], level)
        if needs:
            questions.append(replace(one.question, needs=needs))
    usable = golds.check(replace(checked.settled, questions=tuple(questions)))
    return Taken(OWN, usable, checked.golds, dict(sorted(left_out.items())), len(checked.questions) - len(questions))


def at_level(question: Question, level: Level) -> Question:
    """The question as it is, or asking for whole norms."""
    return question if level == "absatz" else replace(question, needs=distinct(question.needs, level))


def distinct(needs: Sequence[Need], level: Level) -> tuple[Need, ...]:
    """The needs, each once."""
    if level == "norm":
        needs = [Need(tuple(dict.fromkeys(map(_whole, need.any_of)))) for need in needs]
    return tuple(dict.fromkeys(needs))


def _whole(gold: Gold) -> Gold:
    return replace(gold, address=replace(gold.address, subsection=""))


# --- halves -----------------------------------------------------------------------------------------------------------


def of_half(questions: Sequence[Question], half: Half, most: int = 0) -> tuple[Question, ...]:
    """The questions to tune with, those to report, or all; ``most`` of them where that is not 0.

    The product's hash decides, over the id of the first question that begins with the same words.
    """
    first: dict[str, str] = {}
    sides = [held_out(first.setdefault(one.text[:_ALIKE].casefold(), one.id)) for one in questions]
    found = tuple(one for one, held in zip(questions, sides, strict=True) if half == "all" or held is (half == "report"))
    return found[:most] if most else found

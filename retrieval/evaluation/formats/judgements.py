"""Files that hold one judgement in each line: a question, a document, a rating. They become questions with their gold norms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from retrieval.evaluation.formats.preview import (
    Entry,
    Intake,
    Preview,
    Remark,
    Row,
    about,
    grade_of,
    is_torn,
    unreadable,
    unusable,
)
from retrieval.evaluation.golds import LOWEST, Found, Golds
from retrieval.evaluation.model import Gold, Question, QuestionSet
from retrieval.evaluation.spelling import doc_id_of


class Judgement(msgspec.Struct, frozen=True):
    """One line. ``key`` tells the questions apart: an id, or the words themselves where a format has no ids.

    ``doc`` is empty for a question that is only listed. ``need`` groups alternatives; 0: this norm is needed by itself.
    """

    line: int
    key: str
    doc: str = ""
    rating: str = ""
    need: int = 0


class Asked(msgspec.Struct, frozen=True):
    """What a file says about a question beside its judgements. ``written`` maps documents to what a person wrote for them."""

    id: str = ""
    text: str = ""
    more: dict[str, Any] = {}
    written: dict[str, str] = {}


class _Open:
    """A question whose lines are still coming in."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.needs: dict[tuple[int, int], list[Found]] = {}
        self.seen: dict[tuple[object, ...], int] = {}

    def take(self, judgement: Judgement, found: tuple[Found, ...]) -> None:
        for number, one in enumerate(found):
            group = (judgement.need, 0) if judgement.need else (0, judgement.line * 100 + number)
            self.needs.setdefault(group, []).append(one)


def read_judgements(judgements: Iterable[Judgement], asked: Mapping[str, Asked], golds: Golds, format_name: str, name: str) -> Preview:
    """The questions of a file of judgements, in the order of ``asked``, then of the lines; one that has no words anywhere is refused."""
    rows: list[tuple[str, Row]] = []
    questions: dict[str, _Open] = {}
    spellings: dict[str, str] = {}  # the same question may be written with other blanks
    for key in asked:
        if spellings.setdefault(_folded(key), key) == key:
            questions[key] = _Open(0)
    for judgement in judgements:
        key = spellings.setdefault(_folded(judgement.key), judgement.key)
        question = questions.setdefault(key, _Open(judgement.line))
        question.line = question.line or judgement.line
        about_it = asked.get(key, Asked())
        remarks = [Remark("blank_merged")] if key != judgement.key else []
        rows.append((key, _judged(judgement, question, about_it, golds, remarks)))
    intake = Intake()
    for key, question in questions.items():
        intake.add(_entry(key, question, asked.get(key, Asked())))
    lost = {key for key, row in zip(questions, intake.rows, strict=True) if row.verdict == "refused"}
    judged = [_without_question(row) if key in lost else row for key, row in rows]
    return Preview(format_name, QuestionSet(name, tuple(intake.questions)), _merged(judged, intake.rows))


def _without_question(row: Row) -> Row:
    return msgspec.structs.replace(row, verdict="refused", remarks=(*row.remarks, Remark("question_refused")))


def _folded(key: str) -> str:
    return " ".join(key.split())


def _judged(judgement: Judgement, question: _Open, asked: Asked, golds: Golds, remarks: list[Remark]) -> Row:
    found: tuple[Found, ...] = ()
    refusals: list[Remark] = []
    if judgement.doc:
        grade, said = grade_of(judgement.rating)
        if said:
            (remarks if grade else refusals).append(said)
        found = tuple(_written(one, asked.written.get(judgement.doc, "")) for one in golds.document(judgement.doc, grade or LOWEST))
        refusals += _refusals(judgement, found, question)
        if not refusals:
            question.take(judgement, found)
            remarks += [one for each in found for one in about(each)]
    verdict = "refused" if refusals else "remarked" if remarks else "taken"
    return Row(judgement.line, asked.id, asked.text, verdict, tuple(refusals or remarks), found)  # type: ignore[arg-type]


def _written(found: Found, words: str) -> Found:
    gold = found.gold
    return msgspec.structs.replace(found, gold=Gold(gold.address, gold.grade, words)) if words else found


def _refusals(judgement: Judgement, found: tuple[Found, ...], question: _Open) -> Iterable[Remark]:
    if not found:
        yield Remark("gold_unreadable", {"gold": judgement.doc})
    for one in found:
        if one.state == "unreadable":
            yield unreadable(one)
    if is_torn(judgement.doc):
        yield Remark("replacement")
    first = question.seen.setdefault((judgement.need, *(doc_id_of(one.gold) for one in found)), judgement.line)
    if first != judgement.line:
        yield Remark("doubled_gold", {"gold": judgement.doc, "line": str(first)})


def _entry(key: str, question: _Open, asked: Asked) -> Entry:
    needs = tuple(tuple(group) for group in question.needs.values())
    known = asked if asked.id or asked.text else Asked(key)
    return Entry(question.line, known.id, known.text, needs, **known.more)


def _merged(rows: list[Row], questions: list[Row]) -> tuple[Row, ...]:
    """The rows of the judgements with what is to be said of their questions beside the norms.

    It stands in the row of the line where the question begins, and in a row of its own where no such row fared like the question.
    """
    places = {row.line: place for place, row in reversed(list(enumerate(rows)))}
    merged, extra = list(rows), []
    for question in questions:
        remarks = tuple(one for one in question.remarks if not one.code.startswith("gold_") and one.code != "id_made")
        if not remarks:
            continue
        place = places.get(question.line)
        if place is None or (merged[place].verdict == "refused") != (question.verdict == "refused"):
            extra.append(msgspec.structs.replace(question, remarks=remarks, golds=()))
        else:
            said = (*merged[place].remarks, *remarks)
            merged[place] = msgspec.structs.replace(merged[place], verdict=question.verdict, remarks=said)
    return tuple(sorted([*merged, *extra], key=lambda row: row.line))


def documents(question: Question) -> list[tuple[Gold, int]]:
    """The gold norms of a question, each once, with the number of its need; 0 where the need has no alternatives."""
    found: dict[str, tuple[Gold, int]] = {}
    for number, need in enumerate(question.needs, start=1):
        for gold in need.any_of:
            found.setdefault(doc_id_of(gold), (gold, number if len(need.any_of) > 1 else 0))
    return list(found.values())


def from_json(data: bytes, name: str) -> Any:
    """The value of a JSON file. Raises BadInput for what is none, and for an object that has one key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            keys = [key for key, _ in pairs]
            doubled = next(key for key in keys if keys.count(key) > 1)
            raise unusable(name, f"the key {doubled!r} twice in one object", "each question and document once", "Join the two.")
        return table

    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise unusable(name, f"no valid JSON ({error})", "a JSON file in UTF-8", "Write it again.") from None

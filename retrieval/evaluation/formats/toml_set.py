"""Another question set of our own form: what a colleague wrote elsewhere, taken question by question."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.evaluation.formats.preview import MORE, Entry, Intake, Preview
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.settext import parse, places, written

NAME = "toml"


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a set, each with the line on which it begins. Raises BadInput with all faults of the file together."""
    questions = parse(data, name or "fragen.toml")
    intake = Intake()
    for one, line in zip(questions.questions, places(data), strict=True):
        needs = tuple(tuple(golds.settle(gold) for gold in need.any_of) for need in one.needs)
        more = {field: getattr(one, field) for field in MORE}
        intake.add(Entry(line, one.id, one.text, needs, **more))
    return Preview(NAME, QuestionSet(name, tuple(intake.questions)), tuple(intake.rows))


def write(questions: QuestionSet) -> bytes:
    """The set as a new file, without the comments of any old one."""
    return written(questions)

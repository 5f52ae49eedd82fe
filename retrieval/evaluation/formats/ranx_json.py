"""The JSON of ranx and pytrec_eval: ``{question: {document: grade}}``. It holds no words of the questions; they come from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from retrieval.evaluation.formats.judgements import Asked, Judgement, documents, from_json, read_judgements
from retrieval.evaluation.formats.preview import Field, Preview, unusable
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.spelling import doc_id_of

NAME = "ranx"
HOLDS: frozenset[Field] = frozenset(("id", "grade"))


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a file of qrels; ``texts`` gives their words, and a question without words is refused. Judgements are counted.

    Raises BadInput for JSON of another form.
    """
    value = from_json(data, name)
    if not isinstance(value, dict) or not all(isinstance(rated, dict) for rated in value.values()):
        raise unusable(name, f"a JSON {type(value).__name__} of another form", "{question: {document: grade}}", "Save the qrels again.")
    words = texts or {}
    asked = {key: Asked(key, words.get(key, "")) for key in value}
    return read_judgements(_judgements(value), asked, golds, NAME, name)


def _judgements(value: Mapping[str, Mapping[str, Any]]) -> Iterator[Judgement]:
    line = 0
    for key, rated in value.items():
        for doc, rating in rated.items():
            line += 1
            yield Judgement(line, key, doc, str(rating))


def write(questions: QuestionSet) -> bytes:
    """The set as qrels; a question without norms is an empty object."""
    table = {one.id: {doc_id_of(gold): gold.grade for gold, _ in documents(one)} for one in questions.questions}
    return json.dumps(table, ensure_ascii=False, indent=1).encode()

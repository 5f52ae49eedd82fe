"""The JSON of OpenSearch's search relevance workbench: a judgment list, or a query set.

A judgment list is what ``PUT _plugins/_search_relevance/judgments`` takes and its GET gives back: ``judgmentRatings`` with ``query`` and
``ratings`` of ``docId`` and ``rating``, which is a text. A query set has ``querySetQueries`` with ``queryText``, or one such object in
each line of a file. See OpenSearch's documentation, Search Relevance Workbench, pages Judgments and Query sets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from retrieval.evaluation.formats.judgements import Asked, Judgement, documents, from_json, read_judgements
from retrieval.evaluation.formats.preview import Field, Preview, unusable
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.spelling import doc_id_of

NAME = "opensearch"
HOLDS: frozenset[Field] = frozenset(("text", "grade"))
_LONGEST_NAME = 50
"""Characters that the workbench allows for a name."""


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a judgment list or a query set; judgements are counted. Raises BadInput for JSON of another form."""
    body = _body(data, name)
    judgements = list(_judgements(body, name))
    asked = {one.key: Asked(text=one.key) for one in judgements if one.key.strip()}
    return read_judgements(judgements, asked, golds, NAME, name)


def _body(data: bytes, name: str) -> Mapping[str, Any]:
    """The list itself: as it is sent, as the server gives it back, or line by line."""
    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.strip().startswith(b"{") and line.strip().endswith(b"}") for line in lines):
        return {"querySetQueries": [from_json(line, name) for line in lines]}
    value = from_json(data, name)
    hits = value.get("hits") if isinstance(value, dict) else None
    sources = hits.get("hits") if isinstance(hits, dict) else None
    if isinstance(sources, list):
        if len(sources) != 1 or not isinstance(sources[0], dict):
            raise unusable(name, f"{len(sources)} lists in one answer", "exactly one", "Ask for one list by its id.")
        value = sources[0].get("_source")
    if isinstance(value, dict) and isinstance(value.get("queryText"), str):
        return {"querySetQueries": [value]}
    if not isinstance(value, dict) or not isinstance(value.get("judgmentRatings", value.get("querySetQueries")), list):
        raise unusable(name, "neither 'judgmentRatings' nor 'querySetQueries'", "a list of the workbench", "Ask for the list again.")
    return value


def _judgements(body: Mapping[str, Any], name: str) -> Iterator[Judgement]:
    line = 0
    for query in body.get("querySetQueries", ()):
        line += 1
        yield Judgement(line, _text(query, "queryText", name))
    for rated in body.get("judgmentRatings", ()):
        query = _text(rated, "query", name)
        ratings = rated.get("ratings")
        if not isinstance(ratings, list):
            raise unusable(name, f"no list of ratings for {query[:40]!r}", "'ratings' with docId and rating", "Ask for the list again.")
        if not ratings:
            line += 1
            yield Judgement(line, query)
        for rating in ratings:
            line += 1
            yield Judgement(line, query, _text(rating, "docId", name), str(rating.get("rating", "")))


def _text(value: Any, key: str, name: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, str):
        raise unusable(name, f"an entry without {key!r}", f"a text under {key!r} in each", "Ask for the list again.")
    return found


def write(questions: QuestionSet) -> bytes:
    """The set as a judgment list that the workbench imports."""
    rated = [
        {"query": one.text, "ratings": [{"docId": doc_id_of(gold), "rating": f"{gold.grade}.000"} for gold, _ in documents(one)]}
        for one in questions.questions
    ]
    name = questions.name[:_LONGEST_NAME] or "Fundstelle"
    return json.dumps({"name": name, "type": "IMPORT_JUDGMENT", "judgmentRatings": rated}, ensure_ascii=False, indent=1).encode()

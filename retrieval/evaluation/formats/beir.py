"""BEIR: ``queries.jsonl`` and ``qrels/*.tsv`` in an archive. What BEIR has no place for stands in the ``metadata`` of each query."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from retrieval.evaluation.formats.judgements import Asked, Judgement, documents, from_json, read_judgements
from retrieval.evaluation.formats.preview import Field, Preview, Remark, Row, unusable
from retrieval.evaluation.formats.table import day_of
from retrieval.evaluation.formats.zipped import members, packed
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.spelling import NOWHERE, doc_id_of
from retrieval.readers.safe_files import decoded

NAME = "beir"
HOLDS: frozenset[Field] = frozenset(("id", "text", "grade", "written", "any_of", "chain", "tags", "author", "note", "date"))
_HEAD = "query-id\tcorpus-id\tscore\n"


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of an archive. Lines are counted through all its qrels. Raises BadInput for one without queries.jsonl."""
    files = members(data, name)
    queries = next((path for path in files if path.rpartition("/")[2] == "queries.jsonl"), None)
    qrels = [path for path in sorted(files) if path.endswith(".tsv")]
    if queries is None:
        raise unusable(name, ", ".join(list(files)[:5]) or "nothing", "queries.jsonl and qrels/*.tsv", "Pack the folder again.")
    asked, groups = _asked(files[queries], queries)
    refused: list[Row] = []
    text = "\n".join(decoded(files[path], path) for path in qrels)
    preview = read_judgements(_judgements(text, groups, refused), asked, golds, NAME, name)
    return msgspec.structs.replace(preview, rows=tuple(sorted([*preview.rows, *refused], key=lambda row: row.line)))


_Groups = dict[tuple[str, str], int]


def _asked(data: bytes, name: str) -> tuple[dict[str, Asked], _Groups]:
    asked: dict[str, Asked] = {}
    groups: _Groups = {}
    for line, row in enumerate(decoded(data, name).split("\n"), start=1):
        if not row.strip():
            continue
        query = from_json(row.encode(), f"{name}, line {line}")
        if not isinstance(query, dict) or "_id" not in query:
            raise unusable(f"{name}, line {line}", "no object with '_id'", 'a line such as {"_id": …, "text": …}', "Mend the line.")
        key, metadata = str(query["_id"]), query.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        if key in asked:
            raise unusable(f"{name}, line {line}", f"the id {key!r} a second time", "each id once", "Give it another one.")
        asked[key] = Asked(key, str(query.get("text") or ""), _more(metadata), _texts(metadata.get("written")))
        groups |= {(key, doc): number for doc, number in _numbers(metadata.get("needs")).items()}
    return asked, groups


def _more(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What the metadata say about a question; what has another form than ours is somebody else's and left alone."""
    texts = {name: value.strip() for name in ("author", "note") if isinstance(value := metadata.get(name), str)}
    tags = metadata.get("tags")
    words = tuple(tag for tag in tags if isinstance(tag, str) and tag.strip()) if isinstance(tags, list) else ()
    day = metadata.get("date")
    return {**texts, "chain": metadata.get("chain") is True, "tags": words, "date": (day_of(day) or "") if isinstance(day, str) else ""}


def _texts(value: Any) -> dict[str, str]:
    return {doc: words for doc, words in value.items() if isinstance(words, str)} if isinstance(value, dict) else {}


def _numbers(needs: Any) -> dict[str, int]:
    """The number of the need of each document; 0 is left out, for documents that are needed by themselves."""
    groups = [need for need in needs if isinstance(need, list)] if isinstance(needs, list) else []
    return {doc: number for number, need in enumerate(groups, start=1) if len(need) > 1 for doc in need if isinstance(doc, str)}


def _judgements(text: str, groups: _Groups, refused: list[Row]) -> Iterator[Judgement]:
    for line, row in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in row.split("\t")]
        if not row.strip() or cells[0] == "query-id":
            continue
        if len(cells) == 3:
            yield Judgement(line, cells[0], cells[1], cells[2], groups.get((cells[0], cells[1]), 0))
        else:
            refused.append(Row(line, "", row.strip(), "refused", (Remark("columns", {"found": str(len(cells)), "expected": "3"}),)))


def write(questions: QuestionSet) -> bytes:
    """The set as an archive. ``corpus.jsonl``, which loaders ask for, names each norm as a title; its text is for the reader to fill."""
    golds = {doc_id_of(gold): gold for question in questions.questions for gold, _ in documents(question)}
    corpus = [{"_id": doc, "title": gold.written or doc, "text": ""} for doc, gold in golds.items()]
    qrels = [f"{one.id}\t{doc_id_of(gold)}\t{gold.grade}\n" for one in questions.questions for gold, _ in documents(one)]
    return packed(
        {
            "corpus.jsonl": _lines(corpus),
            "queries.jsonl": _lines({"_id": one.id, "text": one.text, "metadata": _metadata(one)} for one in questions.questions),
            "qrels/test.tsv": _HEAD + "".join(qrels),
        }
    )


def _lines(values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _metadata(question: Question) -> dict[str, Any]:
    groups = [[doc_id_of(gold) for gold in need.any_of] for need in question.needs]
    golds = [gold for gold, _ in documents(question)]
    found: dict[str, Any] = {
        "chain": question.chain,
        "tags": list(question.tags),
        "author": question.author,
        "note": question.note,
        "date": question.date,
        "needs": groups if any(len(group) > 1 for group in groups) else [],
        "written": {doc_id_of(gold): gold.written for gold in golds if gold.written and gold.address != NOWHERE},
    }
    return {name: value for name, value in found.items() if value}

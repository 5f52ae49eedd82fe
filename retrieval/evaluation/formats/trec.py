"""TREC qrels, with the topics beside them: ``question need document grade`` in each line, as trec_eval and ir_measures read it.

The second column is 0 for a norm that is needed by itself. In the qrels of the diversity tasks it numbers the subtopics, of which any
one document will do; so the alternatives of a need share a number here. Evaluators of ordinary tasks do not read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from retrieval.evaluation.formats.judgements import Asked, Judgement, documents, read_judgements
from retrieval.evaluation.formats.preview import Field, Preview, Remark, Row, unusable
from retrieval.evaluation.formats.zipped import is_archive, members, packed
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from retrieval.evaluation.spelling import doc_id_of, token, unprotected
from retrieval.readers.safe_files import decoded

NAME = "trec"
HOLDS: frozenset[Field] = frozenset(("id", "text", "grade", "any_of"))
QRELS, TOPICS = "qrels.txt", "topics.tsv"
_TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:)?\s*([^<]*)", re.IGNORECASE)


def read(data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
    """The questions of a qrels file, or of an archive with qrels and topics. Raises BadInput for an archive without qrels."""
    words = dict(texts or {})
    qrels = data
    if is_archive(data):
        files = members(data, name)
        topic_files = [path for path in files if "topic" in path.lower() or "quer" in path.lower()]
        qrel_files = [path for path in files if "qrel" in path.lower()]
        if len(qrel_files) != 1:
            raise unusable(name, f"{len(qrel_files)} files named qrels", "exactly one, and one with topics", "Pack it again.")
        qrels = files[qrel_files[0]]
        for path in topic_files:
            words |= topics(files[path], path)
    asked = {key: Asked(key, text) for key, text in words.items()}
    refused: list[Row] = []
    judgements = list(_judgements(decoded(qrels, name or QRELS), refused))
    preview = read_judgements(judgements, asked, golds, NAME, name)
    head = (Remark("numbered_needs"),) if any(one.need for one in judgements) else ()
    return msgspec.structs.replace(preview, rows=tuple(sorted([*preview.rows, *refused], key=lambda row: row.line)), head=head)


def _judgements(text: str, refused: list[Row]) -> Iterator[Judgement]:
    for line, row in enumerate(text.split("\n"), start=1):
        cells = row.split()
        if len(cells) == 4:
            need = int(cells[1]) if cells[1].isdecimal() and len(cells[1]) < 9 else 0
            yield Judgement(line, unprotected(cells[0]), cells[2], cells[3], need)
        elif cells:
            refused.append(Row(line, "", row.strip(), "refused", (Remark("columns", {"found": str(len(cells)), "expected": "4"}),)))


def topics(data: bytes, name: str = TOPICS) -> dict[str, str]:
    """The words of each question by its id: TREC's own form with ``<top>``, or a line with id, tab and words for each."""
    text = decoded(data, name)
    if "<top>" in text.lower():
        found = ((_NUMBER.search(topic), _TITLE.search(topic)) for topic in _TOPIC.findall(text))
        return {number[1]: " ".join(title[1].split()) for number, title in found if number and title}
    pairs = (row.partition("\t") for row in text.split("\n") if row.strip())
    return {unprotected(key.strip()): words.strip() for key, _, words in pairs}


def write(questions: QuestionSet) -> bytes:
    """The set as an archive with qrels and topics; blanks inside ids are percent-encoded, line ends inside questions become blanks."""
    qrels = [
        f"{token(question.id)} {need} {doc_id_of(gold)} {gold.grade}\n"
        for question in questions.questions
        for gold, need in documents(question)
    ]
    words = [f"{token(question.id)}\t{' '.join(question.text.split())}\n" for question in questions.questions]
    return packed({QRELS: "".join(qrels), TOPICS: "".join(words)})

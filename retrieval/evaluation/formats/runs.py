"""Runs as TREC run files, for evaluators that sort again: the scores fall strictly, so that the order of the list stays what it is.

The rank score of a hit cannot stand there: the quota and the named corpus put hits above others that rank higher.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.formats.judgements import documents
from retrieval.evaluation.model import Question, covers
from retrieval.evaluation.spelling import doc_id, doc_id_of, token, unprotected
from retrieval.model import Chunk
from retrieval.readers.safe_files import decoded

_TAG = "fundstelle"
_MAP_HEAD = "question\tplace\tdocument\tchunk\taddress\n"


class Place(msgspec.Struct, frozen=True):
    """One place of a run: the document as evaluators know it, the chunk that stands there, and the chunk's address as ``doc_id``."""

    document: str
    chunk_id: str
    address: str


def places(question: Question, chunks: Iterable[Chunk]) -> tuple[Place, ...]:
    """A list of hits as places of a run, in its order.

    The first chunk of a gold norm is called like the norm in the qrels; every other chunk by its own id, so that each place counts and
    no norm counts twice. A chunk that covers two gold norms ("§ 6" and "§ 6 Abs. 1") is called like the first that is still open.
    """
    open_golds = {doc_id_of(gold): gold.address for gold, _ in documents(question)}
    found: list[Place] = []
    for chunk in chunks:
        document = next((doc for doc, address in open_golds.items() if covers(address, chunk)), "")
        open_golds.pop(document, None)
        found.append(Place(document or token(chunk.chunk_id), chunk.chunk_id, doc_id(chunk.address)))
    return tuple(found)


def write(runs: Mapping[str, Sequence[Place]], tag: str = _TAG) -> bytes:
    """The lists of all questions, by question id: ``question Q0 document rank score tag``, the score of the last place is 1."""
    return "".join(
        f"{token(question)} Q0 {place.document} {rank} {len(listed) - rank + 1} {token(tag) or _TAG}\n"
        for question, listed in runs.items()
        for rank, place in enumerate(listed, start=1)
    ).encode()


def write_map(runs: Mapping[str, Sequence[Place]]) -> bytes:
    """What each document of a run is: a table with tabs that leads back to chunk and address."""
    rows = (
        f"{token(question)}\t{rank}\t{place.document}\t{token(place.chunk_id)}\t{place.address}\n"
        for question, listed in runs.items()
        for rank, place in enumerate(listed, start=1)
    )
    return (_MAP_HEAD + "".join(rows)).encode()


def read_map(data: bytes) -> dict[str, tuple[Place, ...]]:
    """The places of each question, out of the table. Raises BadInput for a line of another form."""
    found: dict[str, list[Place]] = {}
    for line, row in enumerate(decoded(data, "id map").split("\n")[1:], start=2):
        cells = row.split("\t")
        if len(cells) == 5:
            found.setdefault(unprotected(cells[0]), []).append(Place(cells[2], unprotected(cells[3]), cells[4]))
        elif row.strip():
            raise BadInput(f"The id map, line {line}: found {len(cells)} columns, expected 5. Take the file that was written with the run.")
    return {question: tuple(listed) for question, listed in found.items()}


def read(data: bytes) -> dict[str, tuple[str, ...]]:
    """The documents of each question, sorted as evaluators do: by score, falling; equal scores by the document's name, falling.

    Raises BadInput for a line of another form.
    """
    scored: dict[str, list[tuple[float, str]]] = {}
    for line, row in enumerate(decoded(data, "run").split("\n"), start=1):
        cells = row.split()
        if not cells:
            continue
        try:
            question, _, document, _, score, _ = cells
            scored.setdefault(unprotected(question), []).append((float(score), document))
        except ValueError:
            raise BadInput(
                f"The run, line {line}: found {row[:60]!r}; expected six columns with a score in the fifth. Mend the line."
            ) from None
    return {question: tuple(document for _, document in sorted(listed, reverse=True)) for question, listed in scored.items()}

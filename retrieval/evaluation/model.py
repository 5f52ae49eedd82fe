"""The words of evaluation as frozen values: questions, the norms that answer them, judgements."""

from __future__ import annotations

import msgspec

from retrieval.model import Address, Chunk


class Gold(msgspec.Struct, frozen=True):
    """One norm that answers a question, by its address, with a grade from 1 (helps) to 3 (decides).

    ``written`` is how a person wrote it.
    """

    address: Address
    grade: int = 1
    written: str = ""


class Need(msgspec.Struct, frozen=True):
    """One thing that the answer needs: any one of these norms will do (``§ A or § B``)."""

    any_of: tuple[Gold, ...]


class Question(msgspec.Struct, frozen=True):
    """One question of a set. All needs together answer it (``§ A or § B, and § C``); ``chain`` says that less is no answer.

    ``date`` is an ISO date. A question without needs can be asked but does not enter recall.
    """

    id: str
    text: str
    needs: tuple[Need, ...] = ()
    chain: bool = False
    tags: tuple[str, ...] = ()
    author: str = ""
    note: str = ""
    date: str = ""


class QuestionSet(msgspec.Struct, frozen=True):
    """A set of questions, in order; ids are unique in it."""

    name: str
    questions: tuple[Question, ...] = ()
    note: str = ""


def covers(gold: Address, chunk: Chunk) -> bool:
    """Whether a chunk belongs to a norm: the same corpus, container and section, and the same Absatz where the norm names one."""
    same = (gold.corpus_id, gold.container_id, gold.section_id) == (chunk.corpus_id, chunk.container_id, chunk.section_id)
    return same and gold.subsection in ("", chunk.subsection)

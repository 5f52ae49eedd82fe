"""What is different between two versions of a question set: questions that came, went, and say something else, by their ids."""

from __future__ import annotations

from typing import Literal

import msgspec

from retrieval.evaluation.model import Question, QuestionSet

Part = Literal["text", "needs", "chain", "tags", "author", "note", "date"]
PARTS: tuple[Part, ...] = ("text", "needs", "chain", "tags", "author", "note", "date")


class Edited(msgspec.Struct, frozen=True):
    """A question that both versions have, with the parts in which they differ."""

    before: Question
    after: Question
    parts: tuple[Part, ...]


class SetChanges(msgspec.Struct, frozen=True):
    """The way from one version to the other. ``moved``: the same questions stand in another order; ``named``: name or note differ."""

    added: tuple[Question, ...] = ()
    removed: tuple[Question, ...] = ()
    edited: tuple[Edited, ...] = ()
    moved: bool = False
    named: bool = False

    @property
    def none(self) -> bool:
        """Whether both versions say the same."""
        return self == SetChanges()


def changes(before: QuestionSet, after: QuestionSet) -> SetChanges:
    """What makes ``after`` out of ``before``."""
    old = {question.id: question for question in before.questions}
    new = {question.id: question for question in after.questions}
    both = [(old[key], new[key]) for key in new if key in old]
    return SetChanges(
        tuple(question for key, question in new.items() if key not in old),
        tuple(question for key, question in old.items() if key not in new),
        tuple(Edited(one, other, parts(one, other)) for one, other in both if one != other),
        [key for key in old if key in new] != [key for key in new if key in old],
        (before.name, before.note) != (after.name, after.note),
    )


def parts(before: Question, after: Question) -> tuple[Part, ...]:
    """In what two questions differ, their ids aside."""
    return tuple(part for part in PARTS if getattr(before, part) != getattr(after, part))

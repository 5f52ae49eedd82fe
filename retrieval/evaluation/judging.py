"""From a question with its gold norms and a final list to what each place is worth.

What is counted, and how:

- **A need is the unit.** A need is fulfilled when any one of its norms stands in the list; its grade is the highest of theirs, for any of
  them will do. A norm that is cut into several chunks, and a second alternative of a need, add nothing to a need that is fulfilled.
- **Recall and chain coverage** ask of each need whether it is fulfilled.
- **The metrics of order** (MRR, nDCG, MAP) give a need to the first place that fulfils it. A place is given one need at most: of several
  that it fulfils the one with the highest grade, then the one that names an Absatz, then the first. So the rest of that norm can still
  earn the others, and the ideal list has one place for each need.
- **Precision** asks of each place whether a gold norm stands there: a further Absatz of it, or an alternative, is not superfluous.
- **Judged** is a place where a gold norm stands, or a norm on which there is another judgement (grade 0: does not help). All else is
  unjudged and counts as not relevant; beside that, ``judged_only`` leaves such places out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from retrieval.evaluation.model import Gold, Need, Question, QuestionSet, covers
from retrieval.model import Address, Chunk

Judgements = Mapping[str, Sequence[Gold]]
"""Judgements beside the gold, by question id; the grade 0 says that the norm does not help, any other that it does."""
NO_JUDGEMENTS: Judgements = {}


class Place(msgspec.Struct, frozen=True):
    """One place of a list.

    ``fulfils`` are the needs (from 0) that are fulfilled here first, ``earns`` the one that the metrics of order give to this place.
    ``relevant`` says that a norm stands here that helps; ``judged`` that anybody has judged it.
    """

    chunk_id: str
    fulfils: tuple[int, ...] = ()
    earns: int | None = None
    relevant: bool = False
    judged: bool = False


class JudgedList(msgspec.Struct, frozen=True):
    """A final list against the needs of its question: places best first, and the grade of each need (none: nothing is known).

    ``demanded`` says of each norm that anchors demand for this question whether it stands in the list.
    """

    question_id: str
    places: tuple[Place, ...]
    grades: tuple[int, ...] = ()
    chain: bool = False
    demanded: tuple[bool, ...] = ()

    @property
    def first_places(self) -> tuple[int | None, ...]:
        """For each need the place (from 1) that fulfils it; None for one that is not fulfilled."""
        found = {need: number for number, place in enumerate(self.places, start=1) for need in place.fulfils}
        return tuple(found.get(need) for need in range(len(self.grades)))

    @property
    def unjudged(self) -> int:
        """How many places nobody has judged."""
        return sum(not place.judged for place in self.places)


def judge(question: Question, chunks: Iterable[Chunk], judgements: Sequence[Gold] = (), demanded: Sequence[Address] = ()) -> JudgedList:
    """The list ``chunks`` (best first) judged; ``demanded`` are the norms that anchors demand for the question."""
    listed = tuple(chunks)
    there = tuple(any(covers(norm, chunk) for chunk in listed) for norm in demanded)
    places = tuple(_places(question.needs, listed, judgements))
    return JudgedList(question.id, places, tuple(_grade(need) for need in question.needs), question.chain, there)


def judge_all(
    questions: QuestionSet, lists: Mapping[str, Iterable[Chunk]], judgements: Judgements = NO_JUDGEMENTS
) -> tuple[JudgedList, ...]:
    """The lists of a set by question id, judged in the order of the set; a question without a list is left out."""
    return tuple(judge(one, lists[one.id], judgements.get(one.id, ())) for one in questions.questions if one.id in lists)


def _places(needs: Sequence[Need], chunks: Iterable[Chunk], judgements: Sequence[Gold]) -> Iterator[Place]:
    fulfilled: set[int] = set()
    earned: set[int] = set()
    for chunk in chunks:
        met = {number: hits for number, need in enumerate(needs) if (hits := [one for one in need.any_of if covers(one.address, chunk)])}
        new = tuple(number for number in met if number not in fulfilled)
        open_ones = [number for number in met if number not in earned]
        earns = min(open_ones, key=lambda number: _order(needs[number], met[number], number)) if open_ones else None
        fulfilled.update(new)
        earned.update(() if earns is None else (earns,))
        others = [one.grade for one in judgements if covers(one.address, chunk)]
        yield Place(chunk.chunk_id, new, earns, bool(met) or any(others), bool(met) or bool(others))


def _order(need: Need, met: Sequence[Gold], number: int) -> tuple[int, bool, int]:
    return -_grade(need), not any(one.address.subsection for one in met), number


def _grade(need: Need) -> int:
    return max((one.grade for one in need.any_of), default=1)


# --- parts of a list --------------------------------------------------------------------------------------------------


def judged_only(one: JudgedList) -> JudgedList:
    """The list without the places that nobody has judged; the others move up."""
    return msgspec.structs.replace(one, places=tuple(place for place in one.places if place.judged))


def first(one: JudgedList, k: int) -> JudgedList:
    """The first ``k`` places of the list."""
    return msgspec.structs.replace(one, places=one.places[:k])


def only_needs(question: Question, keep: Collection[str]) -> Question:
    """The question as if only its needs in these corpora were asked for; an alternative in one of them is enough."""
    needs = tuple(need for need in question.needs if any(one.address.corpus_id in keep for one in need.any_of))
    return msgspec.structs.replace(question, needs=needs)

"""Verdicts: what judges say of single norms beside the gold of a set, line by line, and what follows from it for measuring.

One file for each question set, one JSON object in each line, never changed afterwards. Of what one judge said of one norm for one question
the last line counts; taking it back is a line of its own.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation import jsonlines
from retrieval.evaluation.golds import CheckedSet
from retrieval.evaluation.jsonlines import Lines
from retrieval.evaluation.judging import Judgements
from retrieval.evaluation.model import Gold, Question
from retrieval.evaluation.protocol import moment
from retrieval.model import Address

GRADES = (0, 1, 2, 3)
"""Does not help · helps · important · decides."""
LONGEST_REASON = 1000
Grade = Annotated[int, msgspec.Meta(ge=GRADES[0], le=GRADES[-1])]


class Verdict(msgspec.Struct, frozen=True):
    """What one judge says of one norm for one question.

    ``address`` has the Absatz where the hit has one; without, it stands for the whole norm. ``grade`` is one of ``GRADES``, None for
    "cannot judge", which counts as no judgement. ``when`` is UTC in ISO form. ``withdrawn`` takes back what this judge said before.
    """

    question_id: str
    address: Address
    grade: Grade | None
    judge: str
    reason: str = ""
    when: str = ""
    withdrawn: bool = False


class Conflict(msgspec.Struct, frozen=True):
    """A norm on which judges differ, or judges and the gold of the set.

    ``said`` has one verdict for each judge, by name. ``gold`` is the gold norm at this address, None where there is none.
    ``against_gold`` says that somebody contradicts it. The verdicts on a gold norm without Absatz may name one.
    """

    question_id: str
    address: Address
    said: tuple[Verdict, ...]
    gold: Gold | None = None
    against_gold: bool = False


# --- the file ---------------------------------------------------------------------------------------------------------


def append(path: Path, verdict: Verdict) -> None:
    """Write one verdict at the end of the file, whole or not at all.

    Raises BadInput for one that cannot count, and where nothing can be written.
    """
    _refuse(verdict)
    jsonlines.append(path, verdict)


def _refuse(verdict: Verdict) -> None:
    if not verdict.judge.strip():
        raise BadInput("A judgement: found no name of the judge, expected one. Say who judges.")
    if verdict.grade is not None and verdict.grade not in GRADES:
        raise BadInput(f"A judgement: found the grade {verdict.grade}, expected 0, 1, 2, 3 or none. Choose one of them.")
    if len(verdict.reason) > LONGEST_REASON:
        raise BadInput(f"A judgement: found a reason of {len(verdict.reason)} characters, expected at most {LONGEST_REASON}. Shorten it.")


def kept(path: Path) -> Lines[Verdict]:
    """The file with what is wrong in it; an empty one where there is none. Errors as for ``jsonlines.read``."""
    return jsonlines.read(path, Verdict, "judgement")


def read(path: Path) -> tuple[Verdict, ...]:
    """All verdicts of the file, oldest first; none where there is no file. Errors as for ``kept``."""
    return kept(path).found


def withdrawal(verdict: Verdict, now: datetime | None = None) -> Verdict:
    """The line that takes a verdict back."""
    return msgspec.structs.replace(verdict, reason="", when=moment(now), withdrawn=True)


def in_force(lines: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """What counts: the last line of each judge on each norm of each question, unless it takes the verdict back; "cannot judge" too."""
    last = {(one.question_id, one.address, one.judge): one for one in lines}
    return tuple(one for one in last.values() if not one.withdrawn)


# --- what follows for measuring ---------------------------------------------------------------------------------------


def judgements(lines: Iterable[Verdict], checked: CheckedSet) -> Judgements:
    """The judgements beside the gold, by question id, as ``judge`` and ``evaluate`` take them.

    The grade of a norm is the median of its judges' grades; between two grades it is the lower one, so that a doubt never makes a hit
    relevant. The gold of the set counts for itself: what it names is left out here, also where judges contradict it, see ``conflicts``.
    """
    questions = {one.id: one for one in checked.settled.questions}
    found: dict[str, list[Gold]] = defaultdict(list)
    for (question_id, address), said in _by_norm(lines).items():
        question = questions.get(question_id)
        if question is not None and not any(within(gold.address, address) for gold in golds_of(question)):
            found[question_id].append(Gold(address, common_grade([one.grade for one in said if one.grade is not None])))
    return {question_id: tuple(sorted(golds, key=lambda gold: gold.address)) for question_id, golds in found.items()}


def common_grade(grades: Sequence[int]) -> int:
    """The median of some grades, a half rounded down."""
    return int(statistics.median(grades))


def golds_of(question: Question) -> tuple[Gold, ...]:
    """All gold norms of a question, alternatives too."""
    return tuple(gold for need in question.needs for gold in need.any_of)


def within(gold: Address, address: Address) -> bool:
    """Whether an address is a gold norm or an Absatz of it."""
    same = (gold.corpus_id, gold.container_id, gold.section_id) == (address.corpus_id, address.container_id, address.section_id)
    return same and gold.subsection in ("", address.subsection)


def _by_norm(lines: Iterable[Verdict]) -> Mapping[tuple[str, Address], tuple[Verdict, ...]]:
    """The verdicts in force that have a grade, by question and norm; those of a norm by judge."""
    groups: dict[tuple[str, Address], list[Verdict]] = defaultdict(list)
    for one in in_force(lines):
        if one.grade is not None:
            groups[one.question_id, one.address].append(one)
    return {key: tuple(sorted(said, key=lambda one: one.judge)) for key, said in groups.items()}


# --- where judges differ ----------------------------------------------------------------------------------------------


def conflicts(lines: Iterable[Verdict], checked: CheckedSet) -> tuple[Conflict, ...]:
    """The norms on which judges differ from each other or from the gold, in the order of the set and of the addresses.

    A gold norm without Absatz is compared with the best grade that a judge gives to any Absatz of it. Gold of grade 1, which stands where
    nobody wrote a grade, says only that the norm helps: a higher grade does not contradict it.
    """
    by_question: dict[str, dict[Address, tuple[Verdict, ...]]] = defaultdict(dict)
    for (question_id, address), said in _by_norm(lines).items():
        by_question[question_id][address] = said
    found = ((question, by_question[question.id]) for question in checked.settled.questions if question.id in by_question)
    return tuple(one for question, said in found for one in _conflicts(question, said))


def _conflicts(question: Question, said: Mapping[Address, tuple[Verdict, ...]]) -> Iterator[Conflict]:
    among = {address: Conflict(question.id, address, one) for address, one in said.items() if len({each.grade for each in one}) > 1}
    golds = {gold.address: gold for gold in golds_of(question)}
    for address, gold in golds.items():
        best = _best_of(verdict for place, one in said.items() if within(address, place) for verdict in one)
        if any(_contradicts(one, gold) for one in best):
            among[address] = Conflict(question.id, address, best, gold, against_gold=True)
        elif address in among:
            among[address] = msgspec.structs.replace(among[address], gold=gold)
    yield from (among[address] for address in sorted(among))


def _best_of(said: Iterable[Verdict]) -> tuple[Verdict, ...]:
    best: dict[str, Verdict] = {}
    for one in said:
        if one.judge not in best or (one.grade or 0) > (best[one.judge].grade or 0):
            best[one.judge] = one
    return tuple(best[judge] for judge in sorted(best))


def _contradicts(verdict: Verdict, gold: Gold) -> bool:
    return not verdict.grade or (gold.grade > 1 and verdict.grade != gold.grade)

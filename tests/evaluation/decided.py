"""Decisions for tests: a set of twelve questions in memory, measured under settings whose lists are given by name."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from retrieval.decide import decide
from retrieval.evaluation.decisions import Decision, Former, Signed, comparison, decision
from retrieval.evaluation.evaluate import Sampling, evaluate
from retrieval.evaluation.golds import CheckedQuestion, CheckedSet, Found
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.protocol import Event
from retrieval.evaluation.report import Report
from retrieval.exports.fingerprints import Fingerprint
from retrieval.model import CorpusSpec
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.builders import answer, chunk, pool
from tests.evaluation.lists import simple

QUICK = Sampling(resamples=200)
HOSTILE = "# <b>fett</b> *stark* [weg](javascript:alert(1)) | `x` http://boese.example"
CORPORA = (CorpusSpec("gesetz", "Gesetz über Arzneimittel", "statute", ("AMG-T",), "Stand: 1. Januar 2033", invented=True),)
QUESTIONS = tuple(simple("§1 §2" if number % 3 == 0 else "§1", id=f"f{number}", chain=number % 3 == 0) for number in range(12))
SET = QuestionSet("Satz", QUESTIONS)
GOOD, BAD = "§1 §2 §8 §9", "§8 §1 §9 §7"
DEFAULTS, HIGH = Settings.of(max_final_results=4), Settings.of(max_final_results=4, verweis_score=0.97)
MARKS = Fingerprint("c" * 10, "1" * 10, "2" * 10, "3" * 10, "4" * 10)


def run_of(listed: str, settings: Settings, without: tuple[str, ...] = ()) -> Trace:
    """The run of one corpus whose list is these sections, best first."""
    sections = listed.split()
    scores = {f"gesetz/{name}": 0.9 - place / 100 for place, name in enumerate(sections)}
    return decide(pool([answer("gesetz", scores)], [chunk(f"gesetz/{one}", "gesetz", one) for one in sections]), settings, without=without)


def report(
    settings: Settings = DEFAULTS,
    listed: str = GOOD,
    others: Mapping[str, str] | None = None,
    questions: QuestionSet = SET,
    without: tuple[str, ...] = (),
) -> Report:
    """What the settings make of the set where every question has the list ``listed``, but for ``others`` by question id."""
    lists = {one.id: (others or {}).get(one.id, listed) for one in questions.questions}
    return evaluate(checked(questions), {name: run_of(some, settings, without) for name, some in lists.items()}, sampling=QUICK)


def checked(questions: QuestionSet = SET) -> CheckedSet:
    """The set with all norms in stock, but for that of ``f1``, which is repealed."""
    found = [
        CheckedQuestion(
            one, tuple(tuple(Found(gold, "repealed" if one.id == "f1" else "in_stock") for gold in need.any_of) for need in one.needs)
        )
        for one in questions.questions
    ]
    return CheckedSet(questions, tuple(found))


def signed(name: str = "Verweise weiter vorn", reason: str = "Die Verweise tragen.", replaces: Former | None = None) -> Signed:
    """What two people say of a decision."""
    return Signed(name, ("Ada Beispiel", "Emil Muster"), reason, "2033-05-02T18:30:00+00:00", replaces)


def event(act: str, when: str = "2033-05-02T08:00:00+00:00", settings: Settings | None = DEFAULTS, **more: object) -> Event:
    """An event of the protocol."""
    values = {"act": act, "when": when, "who": "Ada", "set_name": "Satz", "settings": settings.flat() if settings else None, **more}
    return msgspec.convert(values, Event)


EVENTS = (
    event("measured", details={"recall": 0.9}, tried=1),
    event("swept", "2033-05-02T09:00:00+00:00", details={"knobs": "verweis_score", "goal": "chain_coverage"}, tried=40),
    event("measured", "2033-05-02T10:00:00+00:00", HIGH, tried=1),
    event("remarked", "2033-05-02T11:00:00+00:00", HIGH, why=HOSTILE),
)


def made(
    after: Report | None = None, before: Report | None = None, questions: QuestionSet = SET, told: Signed | None = None, **more: object
) -> Decision:
    """A decision for a measurement (default: one question gets worse), compared with the defaults."""
    found = after or report(HIGH, others={"f0": BAD}, questions=questions)
    against_default = comparison("default", before or report(questions=questions), found, QUICK)
    values = {"events": EVENTS, "marks": MARKS, "corpora": CORPORA, "sampling": QUICK, **more}
    compared = values.pop("comparisons", (against_default,) if against_default else ())
    return decision(told or signed(), found, questions, comparisons=compared, **values)  # type: ignore[arg-type]


def question(question_id: str, sections: str, **more: object) -> Question:
    """A question with one need for each section."""
    return simple(sections, id=question_id, **more)

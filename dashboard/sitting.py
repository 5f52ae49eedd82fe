"""A sitting: one judge on one set. Which hits are to be judged, what was said of them, and what the protocol is told of it."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from dashboard.pinning import current
from dashboard.stock import Places, Runs
from dashboard.tuning import Tuning, set_places
from retrieval.errors import BadInput
from retrieval.evaluation import protocol, sets
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.judging import judge
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.verdicts import Verdict, judgements, read
from retrieval.evaluation.workshop import Workshop
from retrieval.inspector.grids import lists
from retrieval.model import Chunk
from retrieval.settings import Settings
from retrieval.trace import Trace

log = logging.getLogger(__name__)
PRESENT, DEFAULT = "present", "defaults"
PAUSE = timedelta(minutes=30)
"""Who says nothing for so long has ended the sitting."""
_MOST = 4000
_found: OrderedDict[bytes, tuple[Chunk, ...]] = OrderedDict()
_sets: OrderedDict[tuple[str, int, int], QuestionSet] = OrderedDict()
_lock = threading.Lock()
Watch = Callable[[int, int], None]
"""Told after each question how many of how many have their lists."""


class Variant(msgspec.Struct, frozen=True):
    """A setting whose list goes into the heap: ``present``, ``defaults``, or the title of a pin."""

    name: str
    settings: Settings
    without: tuple[str, ...] = ()


class Lists(msgspec.Struct, frozen=True):
    """The lists of each question, one for each variant, the first of them the present one; the ids of questions that could not be run."""

    by_question: dict[str, tuple[tuple[Chunk, ...], ...]]
    failed: tuple[str, ...] = ()


class Coverage(msgspec.Struct, frozen=True):
    """How many places of a list there are, and how many of them nobody has judged."""

    places: int
    unjudged: int


# --- the lists --------------------------------------------------------------------------------------------------------


def variants(tuning: Tuning) -> tuple[Variant, ...]:
    """The present setting, the defaults and the pinned ones; of equal ones the first."""
    pins = (Variant(pin.title, pin.settings, pin.without) for pin in current().pins)
    every = (Variant(PRESENT, tuning.settings, tuning.state.without), Variant(DEFAULT, Settings()), *pins)
    different: dict[bytes, Variant] = {}
    for one in every:
        different.setdefault(_setting(one), one)
    return tuple(different.values())


def gathered(tuning: Tuning, found: Sequence[Variant], watch: Watch = lambda done, every: None) -> Lists:
    """The lists of all questions of the set under these settings; each is made once for each version of the stock."""
    by_question: dict[str, tuple[tuple[Chunk, ...], ...]] = {}
    failed: list[str] = []
    questions = tuning.checked.settled.questions
    settings = [(one, _setting(one)) for one in found]
    for number, question in enumerate(questions, start=1):
        try:
            by_question[question.id] = tuple(_list(question.text, one, key, tuning) for one, key in settings)
        except Exception:
            log.exception("a question of the set could not be run")
            failed.append(question.id)
        watch(number, len(questions))
    return Lists(by_question, tuple(failed))


def _list(text: str, variant: Variant, setting: bytes, tuning: Tuning) -> tuple[Chunk, ...]:
    key = msgspec.json.encode((str(tuning.index), tuning.runs.stamp, text)) + setting
    with _lock:
        known = _found.get(key)
    if known is not None:
        return known
    pool = tuning.runs.pool(text, variant.settings)
    (ids,) = lists(pool, [variant.settings], variant.without)
    chunks = tuple(pool.chunks[one] for one in ids or ())
    if not pool.faults and all(answer.status != "failed" for answer in pool.answers.values()):  # what failed may go well the next time
        with _lock:
            _found[key] = chunks
            while len(_found) > _MOST:
                _found.popitem(last=False)
    return chunks


def _setting(variant: Variant) -> bytes:
    return msgspec.json.encode((variant.settings.flat(), sorted(variant.without)))


# --- what was said ----------------------------------------------------------------------------------------------------


def coverage(question: Question, chunks: Sequence[Chunk], lines: Sequence[Verdict], checked: CheckedSet) -> Coverage:
    """How far a list of a question is judged, by the gold of the set or by anybody."""
    found = judge(question, chunks, judgements(lines, checked).get(question.id, ()))
    return Coverage(len(found.places), found.unjudged)


def coverage_of_run(runs: Runs, trace: Trace, chosen_set: str) -> Coverage | None:
    """How far the list of a run is judged in the chosen set; None where the set does not have the question or cannot be read."""
    places = Places.of()
    workshop = Workshop(places.workshop)
    found = {one.name: one for one in set_places(workshop, places.questions)}
    place = found.get(chosen_set) or next(iter(found.values()), None)
    if place is None or runs.texts is None:
        return None
    try:
        questions = _read_set(str(place.path), place.path.stat().st_mtime_ns, place.path.stat().st_size)
        asked = next((one for one in questions.questions if one.text.strip() == trace.question.strip()), None)
        lines = read(workshop.judgements_file(place.name)) if asked is not None else ()
    except (BadInput, OSError) as error:
        log.warning("the chosen set says nothing about the run: %s", error)
        return None
    if asked is None:
        return None
    checked = Golds(runs.texts).check(msgspec.structs.replace(questions, questions=(asked,)))
    return coverage(checked.settled.questions[0], [trace.chunks[entry.chunk_id] for entry in trace.final], lines, checked)


def _read_set(path: str, changed: int, size: int) -> QuestionSet:
    """A set, read once for each version of its file: this is asked while a slider moves."""
    key = (path, changed, size)
    if key not in _sets:
        found = sets.load(Path(path)).questions
        with _lock:
            _sets[key] = found
            while len(_sets) > 8:
                _sets.popitem(last=False)
    return _sets[key]


# --- the protocol -----------------------------------------------------------------------------------------------------


def unnoted(lines: Sequence[Verdict], events: Sequence[protocol.Event], who: str) -> tuple[Verdict, ...]:
    """What this judge has said since the protocol was last told."""
    mine = [line for line in lines if line.judge == who]
    told = next((one.details.get("lines") for one in reversed(events) if one.act == "judged" and one.who == who), 0)
    return tuple(mine[int(told or 0) :])


def paused(said: Sequence[Verdict], now: datetime | None = None) -> bool:
    """Whether a sitting has ended by itself: its last verdict is older than ``PAUSE``."""
    if not said:
        return False
    return (now or datetime.now(UTC)) - datetime.fromisoformat(said[-1].when) > PAUSE


def note(tuning: Tuning, lines: Sequence[Verdict], said: Sequence[Verdict]) -> None:
    """Tell the protocol of a sitting: how many norms of how many questions were judged. ``lines`` says up to where that is told."""
    norms = {(one.question_id, one.address) for one in said}
    details: dict[str, str | int | float | None] = {
        "norms": len(norms),
        "questions": len({question_id for question_id, _ in norms}),
        "lines": sum(line.judge == tuning.who for line in lines),
    }
    tuning.note("judged", details=details)


# --- into the gold --------------------------------------------------------------------------------------------------------


def with_gold(questions: QuestionSet, question_id: str, gold: Gold, need: int | None = None) -> QuestionSet:
    """The set with one gold norm more: as a need of its own, or as an alternative of the need of this number (from 0)."""
    return msgspec.structs.replace(
        questions, questions=tuple(_added(one, gold, need) if one.id == question_id else one for one in questions.questions)
    )


def _added(question: Question, gold: Gold, need: int | None) -> Question:
    if need is None:
        return msgspec.structs.replace(question, needs=(*question.needs, Need((gold,))))
    needs = tuple(Need((*one.any_of, gold)) if number == need else one for number, one in enumerate(question.needs))
    return msgspec.structs.replace(question, needs=needs)


def take_into_gold(tuning: Tuning, question_id: str, gold: Gold, need: int | None = None) -> None:
    """Write a gold norm into the set and the protocol. Raises BadInput where the set cannot be written or is another one by now."""
    changed = with_gold(tuning.loaded.questions, question_id, gold, need)
    loaded = sets.save(tuning.place.path, changed, tuning.loaded.seen)
    after = msgspec.structs.replace(tuning, loaded=loaded, checked=Golds(tuning.runs.texts).check(loaded.questions))
    place = gold.address
    norm = " ".join(part for part in (place.corpus_id, place.container_id, place.section_id, place.subsection) if part)
    after.note("changed", details={"question": question_id, "norm": norm, "grade": gold.grade})

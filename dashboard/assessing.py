"""What the pages that measure have in common: reports with a bar of progress, two of them on the same places, notes, the way to a run."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import msgspec
import streamlit as st

from dashboard import measuring
from dashboard.blocks import Block, notice
from dashboard.links import RUN_PAGES
from dashboard.state import State, write
from dashboard.tuning import Tuning
from dashboard.views.judging import torn
from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.evaluation import verdicts
from retrieval.evaluation.judging import NO_JUDGEMENTS, Judgements
from retrieval.evaluation.protocol import Act, Event, events
from retrieval.evaluation.report import Report
from retrieval.evaluation.statistics import Tried, tried
from retrieval.settings import Settings
from retrieval.trace import Trace
from retrieval.words import Words

log = logging.getLogger(__name__)
MAIN_FIGURES = ("recall", "chain_coverage", "ndcg", "mrr", "precision")
"""The figures that a protocol names."""
_KEPT, _NOTED = "assessing_kept", "assessing_noted"
_MOST_KEPT = 24
Made = TypeVar("Made")
Details = dict[str, str | int | float | None]


class Side(msgspec.Struct, frozen=True):
    """A setting under the title that the page gives it."""

    title: str
    settings: Settings
    without: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What tells two settings apart, whatever they are called."""
        return (*self.settings.flat().items(), self.without)


def present(tuning: Tuning, title: str) -> Side:
    """The setting in force."""
    return Side(title, tuning.settings, tuning.state.without)


# --- reports ----------------------------------------------------------------------------------------------------------


def judged(tuning: Tuning, words: Words) -> tuple[Judgements, list[Block]]:
    """The judgements beside the gold, and what is to be said where their file cannot be read, or not all of it."""
    try:
        lines = verdicts.kept(tuning.workshop.judgements_file(tuning.place.name))
    except BadInput as error:
        return NO_JUDGEMENTS, [_fault("measure.judgements_broken", error, words)]
    return verdicts.judgements(lines.found, tuning.checked), torn(lines.torn, words)


def report(tuning: Tuning, side: Side, judgements: Judgements, words: Words) -> Report:
    """What a setting makes of the set, with a bar of progress while the questions run."""
    slot = st.empty()
    every = words.whole(len(tuning.checked.questions))

    def watch(done: int, total: int) -> None:
        slot.progress(min(1.0, done / total), text=words.t("measure.progress", done=words.whole(done), all=every))

    found = measuring.report(tuning, side.settings, side.without, judgements, watch)
    slot.empty()
    return found


def both(tuning: Tuning, first: Side, second: Side, judgements: Judgements, words: Words) -> tuple[Report, Report]:
    """The reports of two settings on the same number of places: where their lists differ in length, that of the longer one."""
    one, other = (report(tuning, side, judgements, words) for side in (first, second))
    if one.k == other.k:
        return one, other
    k = max(one.k, other.k)
    one, other = (measuring.report(tuning, side.settings, side.without, judgements, k=k) for side in (first, second))
    return one, other


def run(tuning: Tuning, text: str, side: Side) -> Trace:
    """The run of one question under a setting. What was gathered before is not asked again."""
    return decide(tuning.runs.pool(text, side.settings), side.settings, without=side.without)


def runs(tuning: Tuning, side: Side) -> dict[str, Trace]:
    """The runs of all questions that can be run, by id; why another cannot, the report says."""
    found = {}
    for question in tuning.checked.settled.questions:
        try:
            found[question.id] = run(tuning, question.text, side)
        except Exception:
            log.exception("a question of the set could not be run")
    return found


def kept(tuning: Tuning, key: object, make: Callable[[], Made]) -> Made:
    """What was made for this set and stock before in this session, else made now."""
    memory: dict[object, Made] = st.session_state.setdefault(_KEPT, {})
    whole = (tuning.runs.stamp, tuning.loaded.seen, tuning.place.name, key)
    if whole not in memory:
        memory[whole] = make()
        while len(memory) > _MOST_KEPT:
            memory.pop(next(iter(memory)))
    return memory[whole]


# --- the protocol -----------------------------------------------------------------------------------------------------


def note_once(tuning: Tuning, act: Act, side: Side, details: Details, words: Words, count: int = 0) -> list[Block]:
    """Write into the protocol what was done with this version of the set, unless it stands there; what is to be said where it cannot.

    ``count`` is the number of settings that this act measured.
    """
    key = (tuning.fingerprint, act, side.key, tuple(details) if act == "compared" else ())
    noted: set[object] = st.session_state.setdefault(_NOTED, set())
    if key in noted:
        return []
    try:
        if not any(_same(one, tuning, act, side, details) for one in _events(tuning)):
            here = msgspec.structs.replace(tuning, state=tuning.state.replaced(without=side.without))
            aside = (side.settings, side.without) != (tuning.settings, tuning.state.without)
            here.note(act, settings=side.settings, details=details, tried=count, aside=aside)
    except BadInput as error:
        return [_fault("measure.protocol_broken", error, words)]
    noted.add(key)
    return []


def _same(one: Event, tuning: Tuning, act: Act, side: Side, details: Details) -> bool:
    here = (one.act, one.set_fingerprint, one.settings, one.without) == (act, tuning.fingerprint, side.settings.flat(), side.without)
    return here and (act == "measured" or one.details == details)


def note_measured(tuning: Tuning, side: Side, found: Report, words: Words) -> list[Block]:
    """Write the main figures of a setting into the protocol, once for each version of the set."""
    figures = {name: found.figure(name).estimate.value for name in MAIN_FIGURES}
    return note_once(tuning, "measured", side, {"questions": len(found.rows), "places": found.k, **figures}, words, count=1)


def tried_so_far(tuning: Tuning) -> Tried:
    """How many settings were tried with this set, as its protocol has it; none where it cannot be read."""
    try:
        return tried(sum(one.tried for one in _events(tuning)))
    except BadInput:
        return tried(0)


def revealed(tuning: Tuning) -> int:
    """How often the questions held out were looked at, as the protocol has it."""
    try:
        return sum(one.act == "revealed" for one in _events(tuning))
    except BadInput:
        return 0


def _events(tuning: Tuning) -> tuple[Event, ...]:
    return events(tuning.workshop.protocol_file(tuning.place.name))


# --- the way to a run -------------------------------------------------------------------------------------------------


def to_live(state: State, question: str, label: str) -> None:
    """A link to the page of one run, with this question and the settings of this state."""
    page = st.Page(_nothing, title=label, url_path=RUN_PAGES["page"] or None, default=True)
    st.page_link(page, label=label, query_params=write(state.replaced(question=question, step=0)), width="stretch")


def _nothing() -> None:
    """Stands for the page that the navigation knows under the same address."""


def _fault(key: str, error: BadInput, words: Words) -> Block:
    about = [(words.t("screen.error"), str(error))]
    return notice(words.t(f"{key}.title"), [words.t(f"{key}.text")], "fault", about, words.t("screen.details"))

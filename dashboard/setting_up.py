"""What every part of the page "Fragensätze" works on: the sets there are, one of them opened, and how a change is stored and told."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec
import streamlit as st

from dashboard.blocks import notice
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.goldnames import Specs
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.tuning import WHO, SetPlace, Tuning, checked_set
from dashboard.views.question_sets import Shelved
from retrieval.errors import BadInput
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.protocol import Act
from retrieval.evaluation.sets import Loaded, SetBusy, SetChanged, file_hash, load
from retrieval.evaluation.workshop import Workshop
from retrieval.words import Words

log = logging.getLogger(__name__)
TASKS = ("questions", "import", "history", "export")
"""What can be done on the page."""
TASK, OPEN = "sets_task", "sets_open"
"""Where it is kept what is being done on the page, and which question is open."""
Details = dict[str, str | int | float | None]
TOP = "top"
_SAID = "sets_said"
_LONGEST_NAME = 60
_NO_NAME = re.compile(r"[^0-9A-Za-zÄÖÜäöüß _.-]+")


class Opened(msgspec.Struct, frozen=True):
    """One set as it is now. ``loaded`` and ``checked`` are None for a file that cannot be read; ``fault`` says why. ``seen``: its hash."""

    place: SetPlace
    seen: str
    loaded: Loaded | None = None
    checked: CheckedSet | None = None
    fault: str = ""


class Desk(msgspec.Struct, frozen=True):
    """What the page works on: the stock, the workshop, and every set that can be chosen."""

    runs: Runs
    workshop: Workshop
    places: tuple[SetPlace, ...]
    state: State
    index: Path

    @property
    def golds(self) -> Golds:
        """What reads gold norms against the stock."""
        return Golds(self.runs.texts)

    @property
    def specs(self) -> Specs:
        """What the corpora are called."""
        return self.runs.texts.specs if self.runs.texts else {}

    @property
    def names(self) -> frozenset[str]:
        """The names that are in use; upper and lower case count as the same, as on many disks."""
        return frozenset(place.name.casefold() for place in self.places)

    def opened(self, place: SetPlace) -> Opened:
        """A set as its file has it now, against the stock."""
        seen = ""
        try:
            seen = file_hash(place.path.read_bytes())
            loaded = _read(place.path, seen)
        except (BadInput, OSError) as error:
            return Opened(place, seen, fault=str(error))
        return Opened(place, loaded.seen, loaded, checked_set(loaded, self.runs))

    def tuning(self, opened: Opened) -> Tuning:
        """An opened set as all pages about sets work with it. Raises ValueError for one that could not be read."""
        if opened.loaded is None or opened.checked is None:
            raise ValueError(f"{opened.place.name}: found a set that cannot be read; expected one that can")
        who = str(st.session_state.get(WHO, ""))
        return Tuning(self.runs, self.workshop, opened.place, self.places, opened.loaded, opened.checked, self.state, self.index, who)


@lru_cache(maxsize=32)
def _read(path: Path, seen: str) -> Loaded:
    """The set in a file whose bytes have the hash ``seen``."""
    del seen  # it tells one version from another
    return load(path)


def shelved(opened: Opened) -> Shelved:
    """A set as the list shows it."""
    path = opened.place.path
    changed = datetime.fromtimestamp(path.stat().st_mtime if path.is_file() else 0, UTC)
    return Shelved(opened.place.name, opened.place.own, changed.isoformat(timespec="seconds"), opened.seen, opened.checked)


# --- names -------------------------------------------------------------------------------------------------------------------


def suggested(wanted: str, desk: Desk) -> str:
    """A name that is free and that every disk takes, close to what was wanted."""
    plain = (
        " ".join(_NO_NAME.sub(" ", unicodedata.normalize("NFC", wanted)).split()).strip("._- ")[:_LONGEST_NAME].strip("._- ") or "Fragen"
    )
    number, name = 1, plain
    while name.casefold() in desk.names:
        number += 1
        name = f"{plain} {number}"
    return name


# --- storing ------------------------------------------------------------------------------------------------------------------


class Said(msgspec.Struct, frozen=True):
    """What is to be told after a click, by its key in the words. ``count`` chooses between one and several where it is given.

    ``where`` is the place of the page: beside what was clicked where that stays, else at the top.
    """

    key: str
    values: dict[str, str] = {}
    role: str = "note"
    detail: str = ""
    count: int | None = None
    where: str = TOP


def say(said: Said) -> None:
    """Keep a message for the next time the page is drawn."""
    st.session_state[_SAID] = said


def hush(where: str) -> None:
    """Drop the message that is waiting for this place."""
    said: Said | None = st.session_state.get(_SAID)
    if said is not None and said.where == where:
        del st.session_state[_SAID]


def tell(words: Words, where: str = TOP) -> None:
    """Draw the message that is waiting for this place of the page, once."""
    said: Said | None = st.session_state.get(_SAID)
    if said is None or said.where != where:
        return
    hush(where)
    key = f"sets.said.{said.key}"
    values = {name: words.quoted(value) for name, value in said.values.items()}
    text = words.t(f"{key}.text", **values) if said.count is None else words.n(f"{key}.text", said.count, **values)
    details = [(words.t("screen.error"), said.detail)] if said.detail else []
    draw([notice(words.t(f"{key}.title", **values), [text], said.role, details, words.t("screen.details"))], "sets_told", words.language)


class Change(msgspec.Struct, frozen=True):
    """One change of a set: what it is in the protocol, why, what is told when it went well, and where when it did not."""

    act: Act
    details: Details
    done: Said
    why: str = ""
    where: str = TOP


def store(desk: Desk, name: str, write: Callable[[Path], Loaded], change: Change) -> BadInput | None:
    """Write a set, choose it, and note it in its protocol; what went wrong is told and given back, and then nothing was written."""
    try:
        path = desk.workshop.set_file(name)
    except BadInput as error:
        return _refused(Said("name", {"name": name}, "warning", str(error), where=change.where), error)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        loaded = write(path)
    except OSError as error:
        return _refused(Said("unwritable", {"name": name}, "fault", str(error), where=change.where), BadInput(str(error)))
    except BadInput as error:
        key = "changed" if isinstance(error, SetChanged) else "busy" if isinstance(error, SetBusy) else "unwritable"
        role = "fault" if key == "unwritable" else "warning"
        return _refused(Said(key, {"name": name}, role, str(error), where=change.where), error)
    place = SetPlace(path.stem, path)
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(chosen_set=place.name)
    say(change.done)
    tuning = desk.tuning(Opened(place, loaded.seen, loaded, checked_set(loaded, desk.runs)))
    try:
        tuning.note(change.act, details=change.details, why=change.why)
    except BadInput as error:
        log.warning("%s", error)
        say(Said("no_protocol", {"name": place.name}, "warning", str(error)))
    return None


def _refused(said: Said, error: BadInput) -> BadInput:
    say(said)
    return error

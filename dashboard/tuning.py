"""What every page about a question set has in common: the workshop, the chosen set against the stock, and who is at work."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import msgspec
import streamlit as st

from dashboard import fields, screens
from dashboard.blocks import Block, notice
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.state import State
from dashboard.stock import Places, Runs
from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation import protocol
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.protocol import Act
from retrieval.evaluation.sets import Loaded, fingerprint, load
from retrieval.evaluation.workshop import Workshop
from retrieval.knobs import Value
from retrieval.settings import Settings
from retrieval.words import Words

log = logging.getLogger(__name__)
WHO = "who"
"""Where the name of the person at work is kept, for this session."""
_FIELD, _CHOSEN = "who_field", "set_chosen"
_MOST_CHECKED = 16
_LONGEST_NAME = 60
_checked: OrderedDict[tuple[str, str, str], CheckedSet] = OrderedDict()
_lock = threading.Lock()


class SetPlace(msgspec.Struct, frozen=True):
    """A question set that can be chosen: its name, its file, and whether it lies in the workshop and may be written."""

    name: str
    path: Path
    own: bool = True


class Tuning(msgspec.Struct, frozen=True):
    """The set that is worked with.

    ``loaded`` is the set as its file has it; ``checked`` the same against the stock, whose ``settled`` set is the one to measure with.
    ``who`` is empty where nobody gave a name.
    """

    runs: Runs
    workshop: Workshop
    place: SetPlace
    places: tuple[SetPlace, ...]
    loaded: Loaded
    checked: CheckedSet
    state: State
    index: Path
    who: str = ""

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.state.settings

    @property
    def fingerprint(self) -> str:
        """What the set says, settled against the stock, as a hash: the one that reports name."""
        return fingerprint(self.checked.settled)

    def note(
        self,
        act: Act,
        *,
        settings: Settings | None = None,
        details: dict[str, str | int | float | None] | None = None,
        tried: int = 0,
        why: str = "",
        aside: bool = False,
    ) -> None:
        """Write what was done into the protocol of the set, under the settings in force where none are given.

        ``aside`` says that other settings were only looked at beside them.
        """
        values: dict[str, Value] = (settings or self.settings).flat()
        event = protocol.Event(
            protocol.moment(),
            self.who,
            act,
            self.place.name,
            self.fingerprint,
            values,
            self.state.without,
            details or {},
            tried,
            why,
            aside,
        )
        protocol.append(self.workshop.protocol_file(self.place.name), event)


def tuning(runs: Runs, places: Places, above: Sequence[Block], words: Words) -> Tuning | None:
    """Draw which set is worked with and by whom; the set, or None where a screen stands in its place."""
    state: State = st.session_state[STATE]
    workshop = Workshop(places.workshop)
    index = places.index or Path()
    screen = screens.no_stock(runs.stock, index, words) or (None if runs.texts else screens.no_texts(words)) or _unsound(state, words)
    if screen is not None:
        draw([*above, screen], "above", words.language)
        return None
    draw(list(above), "above", words.language)
    found = set_places(workshop, places.questions)
    if not found:
        draw([notice(words.t("tuning.no_set.title"), [words.t("tuning.no_set.text")])], "no_set", words.language)
        return None
    place = _choice(found, state, words)
    try:
        loaded = load(place.path)
    except BadInput as error:
        about = [(words.t("screen.error"), str(error))]
        lines = [words.t("tuning.broken.text")]
        broken = notice(words.t("tuning.broken.title", name=words.quoted(place.name)), lines, "fault", about, words.t("screen.details"))
        draw([broken], "broken_set", words.language)
        return None
    return Tuning(runs, workshop, place, found, loaded, checked_set(loaded, runs), state, index, str(st.session_state.get(WHO, "")))


def set_places(workshop: Workshop, examples: Path | None) -> tuple[SetPlace, ...]:
    """The sets that can be chosen: those of the workshop by name, and the example questions unless a set has their name."""
    own = [SetPlace(path.stem, path) for path in workshop.set_files()]
    shared = [SetPlace(examples.stem, examples, own=False)] if examples is not None and examples.is_file() else []
    return (*own, *(one for one in shared if one.name not in {place.name for place in own}))


def _choice(found: Sequence[SetPlace], state: State, words: Words) -> SetPlace:
    names = {place.name: place for place in found}
    chosen = state.chosen_set if state.chosen_set in names else next(iter(names))
    left, right = st.columns([2, 1])

    def shown(name: str) -> str:
        return name if names[name].own else words.t("tuning.read_only", name=name)

    label, every, key = words.t("tuning.set"), list(names), fields.key(_CHOSEN, chosen)
    left.selectbox(label, every, every.index(chosen), key=key, format_func=shown, on_change=_take_set)
    who = str(st.session_state.get(WHO, ""))
    label, key, hint = words.t("tuning.who"), fields.key(_FIELD, who), words.t("tuning.who_hint")
    right.text_input(label, who, key=key, max_chars=_LONGEST_NAME, placeholder=hint, on_change=_take_who)
    if state.chosen_set and state.chosen_set not in names:
        st.caption(words.t("tuning.other_set", wanted=words.quoted(state.chosen_set), name=words.quoted(chosen)))
    return names[chosen]


def _take_set() -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(chosen_set=fields.taken(_CHOSEN))


def _take_who() -> None:
    st.session_state[WHO] = " ".join(fields.taken(_FIELD).split())


def checked_set(loaded: Loaded, runs: Runs) -> CheckedSet:
    """The set against the stock; checked once for each version of both, and for each name: a copy has the bytes of another set."""
    key = (runs.stamp, loaded.seen, loaded.questions.name)
    with _lock:
        known = _checked.get(key)
    if known is None:
        known = Golds(runs.texts).check(loaded.questions)
        with _lock:
            _checked[key] = known
            while len(_checked) > _MOST_CHECKED:
                _checked.popitem(last=False)
    return known


def _unsound(state: State, words: Words) -> Block | None:
    try:
        state.settings.shares()
    except BadSetting:
        return screens.no_weights(words)
    return None

"""The state of the page and its way into the address and back.

Nothing from an address is believed: each value is read by its knob, and what is not valid falls back to the default with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from retrieval.decide import STAGES
from retrieval.errors import BadSetting
from retrieval.knobs import Value
from retrieval.settings import KNOBS, Settings
from retrieval.words import LANGUAGES

MOST_CHARACTERS = 2000
MOST_TYPED = 300
MODES = ("normal", "dense", "large")
_QUESTION, _LANGUAGE, _ALL, _NORM, _MODE, _STEP, _WITHOUT, _SEEN, _SET = "q", "lang", "all", "n", "m", "s", "off", "fp", "set"
_MOST_STEPS = 999


def link_key(name: str) -> str:
    """The short key of a knob in the address: the initials of its name (``max_final_results`` → ``mfr``)."""
    return "".join(word[0] for word in name.split("_"))


BY_KEY = {link_key(name): name for name in KNOBS}


class State(msgspec.Struct, frozen=True):
    """Question, values of all knobs, language, whether every candidate is listed, and the norm that is looked at.

    ``norm`` is its key, or what was typed into the search box. Each value is valid by itself; whether they go together says ``settings``.
    ``mode`` is how the page is set: normal · dense (desk) · large (projector). ``step`` is the place in a presentation or tour, from 0.
    ``without`` names the stages that are left out of the run. ``seen`` are the fingerprints that a link was made with, empty: none.
    ``chosen_set`` is the name of the question set that is worked with, empty for the first.
    """

    question: str = ""
    values: dict[str, Value] = {}
    language: str = LANGUAGES[0]
    show_all: bool = False
    norm: str = ""
    mode: str = MODES[0]
    step: int = 0
    without: tuple[str, ...] = ()
    seen: str = ""
    chosen_set: str = ""

    def value(self, name: str) -> Value:
        """The value of a knob, its default where nothing was set."""
        return self.values.get(name, KNOBS[name].default)

    def with_value(self, name: str, value: Value) -> State:
        """A copy with one knob moved."""
        return self.replaced(values={**self.values, name: value})

    @property
    def settings(self) -> Settings:
        """The settings of a run. Raises BadSetting for weights that are no weights."""
        return Settings.of(self.values)

    @property
    def too_long(self) -> bool:
        """Whether the question has more characters than the page takes."""
        return len(self.question) > MOST_CHARACTERS

    @property
    def typed_too_long(self) -> bool:
        """Whether what was typed as a norm has more characters than an address can have."""
        return len(self.norm) > MOST_TYPED

    def replaced(self, **changes: Any) -> State:
        """A copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)


NoteCode = Literal["value", "weights", "language", "flag", "mode", "step", "stages", "unknown"]


class Note(msgspec.Struct, frozen=True):
    """Something in the address that does not count. ``name`` is the knob for ``value``, the key for the others."""

    code: NoteCode
    name: str = ""
    found: str = ""


def read(params: Mapping[str, str]) -> tuple[State, tuple[Note, ...]]:
    """The state that an address asks for, and a note for everything in it that does not count."""
    notes: list[Note] = []
    values: dict[str, Value] = {}
    others: dict[str, Any] = {}
    for key, raw in params.items():
        if key in _PLAIN:
            others[_PLAIN[key]] = raw.strip()
        elif key in _READERS:
            name, code, reader = _READERS[key]
            found = reader(raw)
            if found is None:
                notes.append(Note(code, key, raw))
            else:
                others[name] = found
        elif key not in BY_KEY:
            notes.append(Note("unknown", key, raw))
        else:
            try:
                values[BY_KEY[key]] = KNOBS[BY_KEY[key]].read(raw)
            except BadSetting:
                notes.append(Note("value", BY_KEY[key], raw))
    values, refused = _together(values)
    return State(values=values, **others), (*notes, *refused)


def _language(raw: str) -> str | None:
    return raw if raw in LANGUAGES else None


def _flag(raw: str) -> bool | None:
    return True if raw == "1" else None


def _mode(raw: str) -> str | None:
    return raw if raw in MODES else None


def _step(raw: str) -> int | None:
    return int(raw) if raw.isascii() and raw.isdigit() and int(raw) <= _MOST_STEPS else None


def _stages(raw: str) -> tuple[str, ...] | None:
    named = raw.split(",")
    return tuple(stage for stage in STAGES if stage in named) if named and set(named) <= set(STAGES) else None


_PLAIN = {_QUESTION: "question", _NORM: "norm", _SEEN: "seen", _SET: "chosen_set"}
_READERS: dict[str, tuple[str, NoteCode, Callable[[str], Any]]] = {
    _LANGUAGE: ("language", "language", _language),
    _ALL: ("show_all", "flag", _flag),
    _MODE: ("mode", "mode", _mode),
    _STEP: ("step", "step", _step),
    _WITHOUT: ("without", "stages", _stages),
}


def _together(values: dict[str, Value]) -> tuple[dict[str, Value], tuple[Note, ...]]:
    """Values that go together: weights that are no weights fall back to the defaults, both."""
    try:
        Settings.of(values)
    except BadSetting:
        kept = {name: value for name, value in values.items() if not name.startswith("weight_")}
        return kept, (Note("weights", "weight_vector"),)
    return values, ()


def write(state: State, norm: bool = False) -> dict[str, str]:
    """The address of a state: the question, and what is not the default; the norm only where ``norm`` asks for it."""
    pairs = {_QUESTION: state.question} if state.question and not state.too_long else {}
    for key, name in BY_KEY.items():
        value = state.value(name)
        if value != KNOBS[name].default:
            pairs[key] = str(value).removesuffix(".0")
    if state.language != LANGUAGES[0]:
        pairs[_LANGUAGE] = state.language
    if state.show_all:
        pairs[_ALL] = "1"
    if state.mode != MODES[0]:
        pairs[_MODE] = state.mode
    if state.step:
        pairs[_STEP] = str(state.step)
    if state.without:
        pairs[_WITHOUT] = ",".join(state.without)
    if norm and 0 < len(state.norm) <= MOST_TYPED:
        pairs[_NORM] = state.norm
    if state.seen and len(state.seen) <= MOST_TYPED:
        pairs[_SEEN] = state.seen
    if state.chosen_set and len(state.chosen_set) <= MOST_TYPED:
        pairs[_SET] = state.chosen_set
    return pairs

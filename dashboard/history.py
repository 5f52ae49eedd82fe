"""What a session has tried and pinned: frozen values, so that every state can be gone back to and no session sees another one's."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dashboard.state import State
from retrieval.knobs import Value
from retrieval.settings import KNOBS, Settings

MOST = 500
LONGEST_NAME = 40
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Tried(msgspec.Struct, frozen=True):
    """A question with the settings under which it was asked; ``number`` counts from 1, ``at`` is the time in seconds since 1970."""

    number: int
    at: float
    question: str
    values: dict[str, Value] = {}
    without: tuple[str, ...] = ()

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return Settings.of(self.values)


class Pin(msgspec.Struct, frozen=True):
    """A setting that was pinned: its letter, which no other pin of the session gets, and the name that the user gave it."""

    letter: str
    values: dict[str, Value] = {}
    without: tuple[str, ...] = ()
    name: str = ""

    @property
    def title(self) -> str:
        """Letter and name: ``A · ohne Quote``."""
        return f"{self.letter} · {self.name}" if self.name else self.letter

    @property
    def settings(self) -> Settings:
        """The settings that were pinned."""
        return Settings.of(self.values)


class History(msgspec.Struct, frozen=True):
    """The states of one session, the oldest first, and its pins.

    ``fallen`` counts the states that were dropped because more than ``MOST`` were tried; ``lettered`` the pins that were ever made.
    """

    tried: tuple[Tried, ...] = ()
    fallen: int = 0
    pins: tuple[Pin, ...] = ()
    lettered: int = 0

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that were asked, each once, in the order in which they were asked first."""
        return tuple(dict.fromkeys(one.question for one in self.tried))


def noted(history: History, state: State, at: float) -> History:
    """With this state at the end, unless it is the one that stands there already."""
    values = _moved(state.values)
    if history.tried:
        last = history.tried[-1]
        if (last.question, last.values, last.without) == (state.question, values, state.without):
            return history
    number = history.fallen + len(history.tried) + 1
    tried = (*history.tried, Tried(number, at, state.question, values, state.without))
    return msgspec.structs.replace(history, tried=tried[-MOST:], fallen=history.fallen + max(0, len(tried) - MOST))


def pinned(history: History, state: State) -> History:
    """With the settings of this state as the last pin, unless they are pinned already."""
    if pin_of(history, state) is not None:
        return history
    pin = Pin(_letter(history.lettered), _moved(state.values), state.without)
    return msgspec.structs.replace(history, pins=(*history.pins, pin), lettered=history.lettered + 1)


def pin_of(history: History, state: State) -> Pin | None:
    """The pin that holds the settings of this state, if there is one."""
    wanted = (_moved(state.values), state.without)
    return next((pin for pin in history.pins if (pin.values, pin.without) == wanted), None)


def renamed(history: History, letter: str, name: str) -> History:
    """With another name for one pin: on one line, at most ``LONGEST_NAME`` characters."""
    short = " ".join(name.split())[:LONGEST_NAME].rstrip()
    pins = (msgspec.structs.replace(pin, name=short) if pin.letter == letter else pin for pin in history.pins)
    return msgspec.structs.replace(history, pins=tuple(pins))


def unpinned(history: History, letter: str) -> History:
    """Without one pin; its letter stays given away."""
    return msgspec.structs.replace(history, pins=tuple(pin for pin in history.pins if pin.letter != letter))


def back_to(state: State, tried: Tried) -> State:
    """The page as it is, with question and settings of a state that was tried."""
    return state.replaced(question=tried.question, values=dict(tried.values), without=tried.without, step=0)


def applied(state: State, pin: Pin) -> State:
    """The page as it is, with the settings of a pin; the question stays."""
    return state.replaced(values=dict(pin.values), without=pin.without)


def _moved(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values that are not the default, in the order of the run: two states that say the same are equal."""
    return {name: values[name] for name, knob in KNOBS.items() if values.get(name, knob.default) != knob.default}


def _letter(number: int) -> str:
    """A, B … Z, AA, AB … for 0, 1 … 25, 26, 27 …"""
    rest, place = divmod(number, len(_LETTERS))
    return (_letter(rest - 1) if rest else "") + _LETTERS[place]

"""The history of this session on the page: pinning, going back, and lists that are turned over page by page."""

from __future__ import annotations

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard import fields, history
from dashboard.controls import STATE
from dashboard.history import History, Pin, Tried
from dashboard.naming import shortened
from dashboard.state import State
from dashboard.views import comparison
from retrieval.errors import BadSetting
from retrieval.words import Words

HISTORY = "history"
ROWS = 20
_QUESTION = 90


def current() -> History:
    """What this session has tried and pinned so far."""
    found: History = st.session_state.setdefault(HISTORY, History())
    return found


def keep(changed: History) -> None:
    """Make this the history of this session."""
    st.session_state[HISTORY] = changed


def note(state: State) -> None:
    """Keep a state that is being run, so that it can be gone back to."""
    keep(history.noted(current(), state, time.time()))


def button(words: Words, place: str) -> None:
    """The button that pins the settings in force; ``place`` tells two of them on one page apart."""
    state: State = st.session_state[STATE]
    pin = history.pin_of(current(), state)
    st.button(words.t("pin.button"), key=f"pin_{place}", on_click=_pin, disabled=pin is not None or not _sound(state), width="stretch")
    if pin is not None:
        st.caption(words.t("pin.is_pinned", letter=pin.letter))


def _sound(state: State) -> bool:
    try:
        return bool(state.settings)
    except BadSetting:
        return False


def _pin() -> None:
    keep(history.pinned(current(), st.session_state[STATE]))


# --- the pins --------------------------------------------------------------------------------------------------------------


def pins(words: Words) -> None:
    """Every pin with its name, the way back to it, and the way to be rid of it."""
    state: State = st.session_state[STATE]
    here = history.pin_of(current(), state)
    for pin in current().pins:
        letter = pin.letter
        key = fields.key(_field(letter), pin.name)
        name, back, gone = st.columns([2, 1, 1], vertical_alignment="bottom")
        label, hint = words.t("compare.rename", letter=letter), words.t("compare.rename_hint")
        name.text_input(label, pin.name, key=key, max_chars=history.LONGEST_NAME, placeholder=hint, on_change=_rename, args=(letter,))
        label = words.t("compare.apply", letter=letter)
        back.button(label, key=f"pin_back_{letter}", on_click=_apply, args=(pin,), disabled=pin is here, width="stretch")
        gone.button(words.t("compare.remove", letter=letter), key=f"pin_gone_{letter}", on_click=_remove, args=(letter,), width="stretch")
        st.caption(comparison.about(pin.settings, pin.without, words))


def _rename(letter: str) -> None:
    keep(history.renamed(current(), letter, fields.taken(_field(letter))))


def _field(letter: str) -> str:
    return f"pin_name_{letter}"


def _apply(pin: Pin) -> None:
    st.session_state[STATE] = history.applied(st.session_state[STATE], pin)


def _remove(letter: str) -> None:
    keep(history.unpinned(current(), letter))


# --- what was tried ---------------------------------------------------------------------------------------------------------


def tried(words: Words) -> None:
    """The states of this session, the latest first, each with its time, what changed, and the way back to it."""
    found = current()
    last = len(found.tried) - 1
    for place in paged("history_page", len(found.tried), words):
        one = found.tried[last - place]
        before = found.tried[last - place - 1] if place < last else None
        change = comparison.change(before, one, words, first=not found.fallen)
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.text(
            f"{words.t('compare.history.line', time=_clock(one.at), change=change)}\n{words.quoted(shortened(one.question, _QUESTION))}"
        )
        label = words.t("compare.history.back" if place else "compare.history.here", number=one.number)
        right.button(label, key=f"tried_{one.number}", on_click=_back, args=(one,), disabled=not place, width="stretch")
    if found.fallen:
        st.caption(words.n("compare.history.fallen", found.fallen, most=words.whole(history.MOST)))


def _back(one: Tried) -> None:
    st.session_state[STATE] = history.back_to(st.session_state[STATE], one)
    st.session_state["notes"] = ()


def _clock(at: float) -> str:
    """The time of day where the reader is, as far as the browser says so."""
    name = st.context.timezone
    return datetime.fromtimestamp(at, ZoneInfo(name) if name else None).strftime("%H:%M:%S")


# --- long lists --------------------------------------------------------------------------------------------------------------


def paged(key: str, rows: int, words: Words) -> range:
    """The rows of the page that is turned to, with the ways to the pages around it where there is more than one."""
    pages = max(1, -(-rows // ROWS))
    number = min(st.session_state.get(key, 0), pages - 1)
    if pages > 1:
        back, where, on = st.columns(3, vertical_alignment="center")
        back.button(words.t("compare.set.previous"), key=f"{key}_back", on_click=_turn, args=(key, number - 1), disabled=not number)
        where.caption(words.t("compare.set.page", n=words.whole(number + 1), all=words.whole(pages)))
        on.button(words.t("compare.set.next"), key=f"{key}_on", on_click=_turn, args=(key, number + 1), disabled=number == pages - 1)
    return range(number * ROWS, min(rows, (number + 1) * ROWS))


def _turn(key: str, number: int) -> None:
    st.session_state[key] = number

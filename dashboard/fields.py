"""Controls that show a value of the state: each is told where it begins, and is never set.

What a program sets in a control reaches the browser once and is lost where the next run overtakes it; the browser then shows the lowest
value, and sends it with whatever is touched next. So a control whose value came from elsewhere (a link, a button, another page) becomes a
new control, which begins with that value.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

_KEPT = "fields"


def key(name: str, value: object) -> str:
    """The key of the control of this name, which is to show ``value``: another one than before where the value came from elsewhere."""
    known: dict[str, tuple[int, object]] = st.session_state.setdefault(_KEPT, {})
    number, shown = known.get(name, (0, value))
    known[name] = (number if shown == value else number + 1, value)
    return _key(name, known[name][0])


def taken(name: str) -> Any:
    """What a person has moved the control to; from now on it shows that."""
    known: dict[str, tuple[int, object]] = st.session_state[_KEPT]
    number, _ = known[name]
    value = st.session_state[_key(name, number)]
    known[name] = (number, value)
    return value


def _key(name: str, number: int) -> str:
    return f"{name}_{number}" if number else name

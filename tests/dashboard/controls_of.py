"""The controls of a page that runs without a browser, by what they move."""

from __future__ import annotations

import re
from typing import Any

_KINDS = ("selectbox", "select_slider", "slider", "number_input", "radio", "toggle", "text_area", "text_input")


def knob(page: Any, name: str) -> Any:
    """The control of a setting."""
    return control(page, f"knob_{name}")


def control(page: Any, name: str) -> Any:
    """The one control of this name; a number behind it counts how often its value came from elsewhere."""
    every = (one for kind in _KINDS for one in getattr(page, kind) if one.key and re.fullmatch(rf"{re.escape(name)}(_\d+)?", one.key))
    (found,) = every
    return found

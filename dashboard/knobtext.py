"""A knob in words: label, sentence, scale and value, in the language of the page. Everything comes from the knob itself."""

from __future__ import annotations

from retrieval.knobs import Knob, Value
from retrieval.words import Words


def label(knob: Knob, words: Words) -> str:
    """The name of a knob on screen."""
    return knob.label_de if words.language == "de" else knob.label_en


def sentence(knob: Knob, words: Words) -> str:
    """What a knob does."""
    return knob.de if words.language == "de" else knob.en


def shown(knob: Knob, value: Value, words: Words) -> str:
    """A value as it stands on screen."""
    if isinstance(value, str):
        return words.word("choice", value)
    return words.whole(int(value)) if knob.kind == "int" else number(knob, float(value), words)


def number(knob: Knob, value: float, words: Words) -> str:
    """A fraction with the digits that its scale has, and four where it lies between two steps."""
    digits = 0 if knob.step >= 1 else 2
    return words.number(value, digits if value == round(value, digits) else 4)


def expected(knob: Knob, words: Words) -> str:
    """What a knob takes: its choices, or its range."""
    if knob.kind == "choice":
        return words.t("knob.one_of", choices=", ".join(words.word("choice", choice) for choice in knob.choices))
    key = "knob.whole_range" if knob.kind == "int" else "knob.range"
    return words.t(key, low=shown(knob, _typed(knob, knob.low), words), high=shown(knob, _typed(knob, knob.high), words))


def scale(knob: Knob, words: Words) -> str:
    """Range, unit, default and whether a change asks again, in one line."""
    unit = words.word("unit", knob.unit) if knob.unit else ""
    default = words.t("knob.default", value=shown(knob, knob.default, words))
    again = words.t("knob.gather") if knob.scope == "gather" and len(knob.choices) != 1 else ""
    return first_up(" · ".join(part for part in (expected(knob, words), unit, default, again) if part))


def first_up(text: str) -> str:
    """A line that begins like a sentence."""
    return text[:1].upper() + text[1:]


def _typed(knob: Knob, number: float) -> Value:
    return int(number) if knob.kind == "int" else number

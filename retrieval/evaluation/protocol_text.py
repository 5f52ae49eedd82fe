"""The protocol in plain sentences: who did what and when, what moved, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.protocol import Event, Shift
from retrieval.exports.naming import label
from retrieval.knobs import Value
from retrieval.settings import KNOBS
from retrieval.words import NONE, Words

_HERE = ZoneInfo("Europe/Berlin")
_SILENT = ("file", "lines", "sweep", "version")
"""Details that only the program needs; the file of an import is told."""
_CODES = ("kind", "state", "what", "goal", "format")
"""Details whose values are codes that have a word each."""


def when(moment: str, words: Words) -> str:
    """A moment (UTC, ISO) as a day and a time in Germany; the text itself where it is no moment."""
    try:
        here = datetime.fromisoformat(moment).astimezone(_HERE)
    except (ValueError, OverflowError):
        return moment
    return words.t("protocol.when", day=words.date(here.date()), time=f"{here:%H:%M}")


def who(name: str, words: Words) -> str:
    """Who did it; somebody where no name was given."""
    return name or words.t("protocol.nobody")


def sentence(event: Event, words: Words) -> str:
    """What was done, in a sentence that begins with who did it."""
    act = f"{event.act}_aside" if event.aside and f"protocol.said.{event.act}_aside" in words.catalogue else event.act
    said, about = words.t(f"protocol.said.{act}", who=who(event.who, words)), details(event, words)
    return words.t("protocol.with_details", said=said, details=about) if about else words.t("protocol.sentence", said=said)


def details(event: Event, words: Words) -> str:
    """The details of an event in a line; empty where it has none."""
    told = ((name, value) for name, value in event.details.items() if value not in ("", None) and _told(name, event))
    return "; ".join(words.t("protocol.pair", name=_called(name, words), value=_shown(name, value, event, words)) for name, value in told)


def _told(name: str, event: Event) -> bool:
    return name not in _SILENT or (name == "file" and event.act == "imported")


def _called(name: str, words: Words) -> str:
    """A metric or setting by its label, another detail by its word, or by itself."""
    if name in METRICS:
        return METRICS[name].label_de if words.language == "de" else METRICS[name].label_en
    return name_of(name, words) if name in KNOBS else words.word("protocol.detail", name)


def _shown(name: str, value: str | int | float | None, event: Event, words: Words) -> str:
    if isinstance(value, str):
        parts = value.split(", ")
        if all(part in METRICS or part in KNOBS for part in parts):
            return ", ".join(_called(part, words) for part in parts)
        return words.word(f"protocol.value.{name}", value) if name in _CODES else value
    if name in KNOBS:
        return value_text(name, value, words)
    if event.act == "compared" and name in METRICS and value is not None:
        return signed(value, words)
    return words.number(value) if isinstance(value, float) else words.whole(value)


def signed(value: float, words: Words) -> str:
    """A difference with its sign; none where it is shown as 0."""
    shown = words.number(abs(value))
    sign = "" if shown == words.number(0.0) else "+" if value > 0 else "−"
    return f"{sign}{shown}"


def moves(found: Shift, words: Words) -> list[str]:
    """Each setting that moved, and each stage that was left out or taken back, in a line."""
    lines = [
        words.t(
            "protocol.moved",
            name=name_of(one.name, words),
            before=value_text(one.name, one.before, words),
            after=value_text(one.name, one.after, words),
        )
        for one in found.settings
    ]
    stages = [words.t(f"protocol.stage_{'out' if one.out else 'back'}", stage=words.word("stage", one.name)) for one in found.stages]
    return [*lines, *stages]


def name_of(name: str, words: Words) -> str:
    """What a setting is called; one that this program does not know by the name in its file."""
    return label(KNOBS[name], words) if name in KNOBS else name


def value_text(name: str, value: Value | None, words: Words) -> str:
    """A setting's value: a choice by its word, a fraction with the digits of its scale, or all that it has beyond them."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return words.word("choice", value)
    digits = 0 if name in KNOBS and KNOBS[name].step >= 1 else 2
    if isinstance(value, int) or value == round(value, digits):
        return words.number(float(value), 0 if isinstance(value, int) else digits)
    text = f"{value:.10g}"
    return text.replace(".", ",") if words.language == "de" else text


def left_out(without: Sequence[str], words: Words) -> str:
    """The stages that are left out, in a line; empty for none."""
    return ", ".join(words.word("stage", stage) for stage in without)


def change(event: Event, found: Shift, words: Words) -> str:
    """What moved up to an event, in a sentence that tells a change that was noted from one that nobody noted; empty for none.

    Of settings that were only looked at for a comparison it says in what they differ from those in force.
    """
    moved = moves(found, words)
    way = "aside" if event.aside else "noted" if event.act in ("moved", "decided") else "unnoted"
    return words.t(f"protocol.{way}", moved="; ".join(moved)) if moved else ""


def reason(event: Event, words: Words, shown: Callable[[str], str] = str) -> str:
    """What a person wrote with an event: a note, or why it was done; empty for nothing. ``shown`` puts it into the sentence."""
    key = "protocol.remark" if event.act == "remarked" else "protocol.why"
    return words.t(key, why=shown(event.why)) if event.why else ""

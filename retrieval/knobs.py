"""A knob: one setting described as data, with range, step, default, unit and a sentence.

A stage declares its knobs as one frozen group whose fields carry a ``Knob`` in their annotation. ``Settings`` composes the groups;
sliders, sweeps, the TOML file and the README's table are read from there.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from retrieval.errors import BadSetting

Value = float | int | str


class Knob(msgspec.Struct, frozen=True):
    """One setting. ``scope`` says what a change costs: ``decide`` re-ranks what was gathered, ``gather`` asks the corpora again.

    ``only`` names the fusion method in which the knob has an effect, empty for all.
    """

    de: str
    en: str
    label_de: str
    label_en: str
    low: float = 0.0
    high: float = 1.0
    step: float = 1.0
    unit: str = ""
    choices: tuple[str, ...] = ()
    scope: Literal["decide", "gather"] = "decide"
    only: str = ""
    name: str = ""
    group: str = ""
    default: Value = 0
    kind: Literal["float", "int", "choice"] = "float"

    def read(self, raw: object) -> Value:
        """``raw`` (number or text, decimal comma allowed) as a valid value of this knob.

        Raises BadSetting with what was found, what was expected and the default.
        """
        if self.kind == "choice":
            if isinstance(raw, str) and raw.strip() in self.choices:
                return raw.strip()
            raise BadSetting(self._refusal(raw, "one of " + ", ".join(self.choices)))
        expected = f"a {'whole ' if self.kind == 'int' else ''}number from {self.low:g} to {self.high:g}"
        if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
            raise BadSetting(self._refusal(raw, expected))
        try:
            number = float(raw.strip().replace(",", ".", 1) if isinstance(raw, str) else raw)
        except (ValueError, OverflowError):
            raise BadSetting(self._refusal(raw, expected)) from None
        if not math.isfinite(number) or not self.low <= number <= self.high:
            raise BadSetting(self._refusal(raw, expected))
        if self.kind == "int":
            if number != int(number):
                raise BadSetting(self._refusal(raw, expected))
            return int(number)
        return number

    def _refusal(self, raw: object, expected: str) -> str:
        shown = str(raw)[:40]
        return f"{self.name}: found {shown!r}, expected {expected}. The default is {self.default}."


def knobs_of(group: type[msgspec.Struct], name: str) -> tuple[Knob, ...]:
    """The knobs of one stage's group, in the order of declaration, with name, group, kind and default filled in."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(group)}
    found: list[Knob] = []
    for field, hint in get_type_hints(group, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            continue
        base, *extras = get_args(hint)
        knob = next((extra for extra in extras if isinstance(extra, Knob)), None)
        if knob is None:
            continue
        kind: Any = "float" if base is float else "int" if base is int else "choice"
        found.append(msgspec.structs.replace(knob, name=field, group=name, kind=kind, default=defaults[field]))
    return tuple(found)

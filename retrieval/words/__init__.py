"""The message catalogue: every sentence that a person reads, by language and key.

Both languages hold the same keys with the same placeholders. Codes of the trace are found systematically: ``fate.below_limit``,
``kind.semantic``, ``anchor.not_found``, ``quota.reason.fits``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("de", "en")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
NONE = "–"
MINUS = "\N{MINUS SIGN}"


class Words:
    """The words of one language. Values are put in as they are and never read as placeholders themselves."""

    def __init__(self, language: str = "de", *packages: str) -> None:
        """The words of the run, and those of further packages that hold a file for each language.

        Raises KeyError for a language without a catalogue.
        """
        if language not in LANGUAGES:
            raise KeyError(f"Language {language!r}: not known. Known are: {', '.join(LANGUAGES)}.")
        self.language = language
        self.catalogue = {key: text for package in (__name__, *packages) for key, text in catalogue(language, package).items()}

    def t(self, key: str, **values: object) -> str:
        """The sentence under ``key`` with its placeholders filled; fractions get three digits. Raises KeyError for an unknown key."""
        shown = {name: self.number(value) if isinstance(value, float) else value for name, value in values.items()}
        return self.catalogue[key].format_map(shown)

    def n(self, key: str, count: int, **values: object) -> str:
        """The sentence for a number of things: ``key.one`` for 1, else ``key.other``; the number is the placeholder ``n``."""
        return self.t(f"{key}.{'one' if count == 1 else 'other'}", n=self.whole(count), **values)

    def word(self, family: str, code: str, **values: object) -> str:
        """The word for a code of the trace (``word("kind", "semantic")``); a code without a word stands for itself."""
        key = f"{family}.{code}"
        return self.t(key, **values) if key in self.catalogue else code

    def number(self, value: float | None, digits: int = 3) -> str:
        """A number with the language's decimal sign; a dash for None, which is not zero. What rounds to zero has no sign."""
        if value is None:
            return NONE
        text = f"{round(value, digits) or 0.0:.{digits}f}".replace("-", MINUS)
        return text.replace(".", ",") if self.language == "de" else text

    def difference(self, one: float | None, other: float | None, digits: int = 3) -> str:
        """The distance of two numbers as a reader finds it who subtracts what ``number`` shows of them; a dash where one is None."""
        if one is None or other is None:
            return NONE
        return self.number(abs(round(one, digits) - round(other, digits)), digits)

    def whole(self, value: int | None) -> str:
        """A whole number with the language's thousands sign; a dash for None."""
        if value is None:
            return NONE
        text = f"{value:,}"
        return text.replace(",", ".") if self.language == "de" else text

    def percent(self, share: float) -> str:
        """A share from 0 to 1 as whole per cent."""
        return f"{share * 100:.0f} %" if self.language == "de" else f"{share * 100:.0f}%"

    def date(self, day: date) -> str:
        """A date: 05.11.2026, or 5 November 2026."""
        return f"{day:%d.%m.%Y}" if self.language == "de" else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    def quoted(self, text: str) -> str:
        """Words of a question or of a text, in the quotation marks of the language."""
        return f"„{text}“" if self.language == "de" else f"“{text}”"


@cache
def catalogue(language: str, package: str = __name__) -> Mapping[str, str]:
    """The sentences of one package in one language by flat key, from ``de.toml`` and every ``SUBJECT.de.toml`` beside it."""
    found: dict[str, str] = {}
    for file in sorted(files(package).iterdir(), key=lambda file: file.name):
        if file.name == f"{language}.toml" or file.name.endswith(f".{language}.toml"):
            new = dict(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))
            twice = found.keys() & new.keys()
            if twice:
                raise KeyError(f"{file.name}: the keys {', '.join(sorted(twice))} stand in another file of {package} already.")
            found |= new
    return found


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)

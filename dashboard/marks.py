"""References marked in a wording: spans that do not overlap, each with its reading in words and in form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from dashboard.blocks import Block, legend
from dashboard.links import key_of
from retrieval.model import Address
from retrieval.words import Words

_STYLES = {
    "fetched": "followed",
    "follow": "followed",
    "void": "void",
    "failed": "void",
    "repealed": "repealed",
    "not_in_stock": "absent",
    "ambiguous": "ambiguous",
    "open_ended": "other",
    "quoted": "other",
    "former": "other",
}
STYLES = ("followed", "stocked", "repealed", "absent", "ambiguous", "void", "other")
_TITLES = 6


class Spot(msgspec.Struct, frozen=True):
    """One reading of a span: ``code`` is the fate of a reference in a run, or its state; ``name`` the target in words."""

    start: int
    end: int
    code: str
    target: Address | None = None
    name: str = ""


def style_of(code: str) -> str:
    """The form of a mark; what leads to a norm in stock and needs no other word is ``stocked``."""
    return _STYLES.get(code, "stocked")


def short(code: str, words: Words) -> str:
    """A reading in one or two words; empty for the plain case that a norm stands in stock."""
    if code == "resolved":
        return ""
    return words.word("mark", code) if f"mark.{code}" in words.catalogue else words.word("verweis", code)


def marks(text: str, spots: Iterable[Spot], words: Words) -> list[Block]:
    """The marks of a text in its order. Spans that overlap are one mark, which leads to the first target that stands in stock.

    Offsets count UTF-16 units, as the browser does.
    """
    found: list[Block] = []
    for group in _groups(text, spots):
        start, end = group[0].start, max(spot.end for spot in group)
        chosen = next((spot for spot in group if style_of(spot.code) in ("followed", "stocked", "repealed")), None)
        found.append(
            {
                "start": _units(text, start),
                "end": _units(text, end),
                "style": style_of((chosen or group[0]).code),
                "norm": key_of(chosen.target) if chosen and chosen.target else "",
                "label": _label(group, words),
                "title": _title(group, words),
            }
        )
    return found


def shown_legend(drawn: Iterable[Block], words: Words) -> list[Block]:
    """What the marks that are there mean; nothing where there are none."""
    used = {mark["style"] for mark in drawn}
    entries = [(style, words.t("mark.sample"), words.t(f"mark.legend.{style}")) for style in STYLES if style in used]
    return [legend(words.t("mark.legend.title"), entries)] if entries else []


def _groups(text: str, spots: Iterable[Spot]) -> list[list[Spot]]:
    groups: list[list[Spot]] = []
    end = 0
    for spot in sorted((spot for spot in spots if 0 <= spot.start < spot.end <= len(text)), key=lambda spot: spot.start):
        if groups and spot.start < end:
            groups[-1].append(spot)
        else:
            groups.append([spot])
        end = max(end, spot.end)
    return groups


def _label(group: Sequence[Spot], words: Words) -> str:
    """The reading; of several targets how many have which."""
    if len(group) == 1:
        return short(group[0].code, words)
    counts = Counter(short(spot.code, words) for spot in group)
    if len(counts) == 1:
        (reading,) = counts
        return words.t("mark.all", n=words.whole(len(group)), reading=reading) if reading else words.n("mark.norms", len(group))
    return ", ".join(f"{words.whole(number)} {reading or words.t('mark.resolved')}" for reading, number in counts.items())


def _title(group: Sequence[Spot], words: Words) -> str:
    lines = [": ".join(part for part in (spot.name, _long(spot.code, words)) if part) for spot in group[:_TITLES]]
    return "\n".join([*lines, *(["…"] if len(group) > _TITLES else [])])


def _long(code: str, words: Words) -> str:
    return words.t("mark.resolved") if code == "resolved" else words.word("verweis", code)


def _units(text: str, position: int) -> int:
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2

"""The settings of a run: one frozen value, composed of the stages' own knobs.

Read from and written to TOML and text (links, the command line). What is not valid is refused with a sentence and never reaches a stage.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

import msgspec

from retrieval.errors import BadSetting
from retrieval.knobs import Knob, Value, knobs_of
from retrieval.stages.fusion import FusionKnobs
from retrieval.stages.quota import QuotaKnobs
from retrieval.stages.references import ReferenceKnobs
from retrieval.stages.selection import SelectionKnobs


class GatherKnobs(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of each corpus."""

    fetch_k: Annotated[
        int,
        Knob(
            label_de="Kandidaten je Regelwerk und Suchweg (fetch_k)",
            label_en="Candidates per corpus and route (fetch_k)",
            de="So viele Treffer liefert jede der beiden Suchen in jedem Regelwerk höchstens. Eine Änderung fragt die Regelwerke neu.",
            en="Each of the two searches hands over at most so many hits per corpus. A change asks the corpora again.",
            low=1,
            high=500,
            unit="candidates",
            scope="gather",
        ),
    ] = 60
    reranker: Annotated[
        Literal["off", "on"],
        Knob(
            label_de="Reranker",
            label_en="Reranker",
            de="Ein zweites Modell, das Frage und Textstück zusammen liest und die vordersten Treffer beider Suchen neu bewertet.",
            en="A second model that reads question and text together and scores the first hits of both searches again.",
            choices=("off", "on"),
            scope="gather",
        ),
    ] = "off"
    rerank_depth: Annotated[
        int,
        Knob(
            label_de="Treffer je Suchweg für den Reranker",
            label_en="Hits per route for the reranker",
            de="So viele Treffer jeder der beiden Suchen, über alle Regelwerke, liest der Reranker. Mehr Treffer brauchen mehr Zeit.",
            en="So many hits of each of the two searches, over all corpora, are given to the reranker to read. More hits take more time.",
            low=1,
            high=200,
            unit="candidates",
            scope="gather",
        ),
    ] = 50


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of a run, one group for each stage."""

    selection: SelectionKnobs = SelectionKnobs()
    gathering: GatherKnobs = GatherKnobs()
    fusion: FusionKnobs = FusionKnobs()
    references: ReferenceKnobs = ReferenceKnobs()
    quota: QuotaKnobs = QuotaKnobs()

    @classmethod
    def of(cls, values: Mapping[str, object] | None = None, /, **more: object) -> Self:
        """Settings with some values changed, by the knobs' names. Raises BadSetting."""
        return cls().changed({**(values or {}), **more})

    def changed(self, values: Mapping[str, object]) -> Self:
        """A copy with some values changed. Raises BadSetting: unknown name, value out of range, or weights that are no weights."""
        groups: dict[str, dict[str, Value]] = {}
        for name, raw in values.items():
            knob = KNOBS.get(name)
            if knob is None:
                raise BadSetting(f"Setting {str(name)[:40]!r}: not known. Known are: {', '.join(KNOBS)}.")
            groups.setdefault(knob.group, {})[name] = knob.read(raw)
        new = {group: msgspec.structs.replace(getattr(self, group), **changes) for group, changes in groups.items()}
        changed = msgspec.structs.replace(self, **new)
        changed.shares()
        return changed

    @property
    def reranking(self) -> bool:
        """Whether the reranker is switched on."""
        return self.gathering.reranker == "on"

    def shares(self) -> dict[str, float]:
        """The weights of the routes as shares that sum to 1; the reranker's counts while it is switched on. Raises BadSetting."""
        return self.fusion.shares(self.reranking)

    def acts(self, name: str) -> bool:
        """Whether a knob has an effect under the fusion method in force and with the reranker as it is switched."""
        return KNOBS[name].only in ("", self.fusion.fusion) and (self.reranking or name not in RERANKING)

    def value(self, name: str) -> Value:
        """The value of one knob."""
        found: Value = getattr(getattr(self, KNOBS[name].group), name)
        return found

    def flat(self) -> dict[str, Value]:
        """All values by the knobs' names, in the order of the run."""
        return {name: self.value(name) for name in KNOBS}

    def to_toml(self) -> str:
        """The settings as a TOML table ``[settings]``."""
        lines = (f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}" for name, value in self.flat().items())
        return "[settings]\n" + "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Settings from a TOML text with a table ``[settings]``. Raises BadSetting."""
        try:
            table: Any = tomllib.loads(text).get("settings")
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise BadSetting(f"Settings file: found text that is no TOML ({error}); expected a table [settings].") from None
        if not isinstance(table, dict):
            raise BadSetting("Settings file: found no table [settings]; expected one line 'name = value' for each setting below it.")
        return cls.of(table)


def _all_knobs() -> Iterator[Knob]:
    for field in msgspec.structs.fields(Settings):
        yield from knobs_of(field.type, field.name)


KNOBS: dict[str, Knob] = {knob.name: knob for knob in _all_knobs()}
RERANKING = ("rerank_depth", "weight_reranker")
"""The knobs that act only while the reranker is switched on."""

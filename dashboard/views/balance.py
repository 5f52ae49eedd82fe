"""The balance of the stages, everything that was dropped, and what the run rests on."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.blocks import Block, Cell, paragraph, row, table, to_why
from dashboard.knobtext import label, shown
from dashboard.links import key_of
from dashboard.naming import norm
from retrieval.knobs import Knob
from retrieval.ranking import Entry, Ranking
from retrieval.settings import KNOBS, Settings
from retrieval.trace import StageCount, Trace
from retrieval.words import Words


def counts(trace: Trace, words: Words) -> list[Block]:
    """One row for each stage: came in + added = go on + dropped, the dropped ones by reason."""
    head = [words.t(f"balance.head.{name}") for name in ("stage", "came_in", "added", "living", "dropped", "why")]
    rows = [_row(stage, words) for stage in trace.counts]
    return [table(words.t("balance.caption"), head, rows, numeric=(1, 2, 3, 4)), paragraph(words.t("balance.sentence"), muted=True)]


def _row(stage: StageCount, words: Words) -> Block:
    why = "; ".join(f"{words.whole(number)}: {words.word('fate', code)}" for code, number in stage.fates.items())
    numbers = [words.whole(value) for value in (stage.came_in, stage.added, stage.living, sum(stage.fates.values()))]
    return row([words.word("stage", stage.stage), *numbers, why or words.number(None)])


def dropped(trace: Trace, words: Words) -> list[Block]:
    """Every candidate that a stage dropped, with its rank score there and the reason."""
    head = [words.t(f"dropped.head.{name}") for name in ("stage", "norm", "rank", "why")]
    rows = [_dropped(stage, entry, trace, words) for stage, entry in _ended(trace)]
    return [table(words.t("dropped.caption"), head, rows, numeric=(2,), empty=words.t("dropped.none"))]


def _ended(trace: Trace) -> Iterator[tuple[str, Entry]]:
    stages: dict[str, Ranking] = {
        "fusion": trace.fused,
        "anchors": trace.anchored,
        "references": trace.completed,
        "quota": trace.quota.ranking,
        "named_first": trace.named.ranking,
    }
    for stage, ranking in stages.items():
        for entry in ranking.dropped:
            yield stage, entry


def _dropped(stage: str, entry: Entry, trace: Trace, words: Words) -> Block:
    why = words.word("fate", entry.fate.code, round=entry.fate.round)
    chunk = trace.chunks[entry.chunk_id]
    name: Cell = [norm(chunk, trace.specs), to_why(words.t("why.gone"), key_of(chunk))]
    return row([words.word("stage", stage), name, words.number(entry.rank), why])


def stamps(trace: Trace, words: Words) -> list[Block]:
    """What the run rests on: versions of index, model, anchors and code."""
    head = [words.t("stamps.head.what"), words.t("stamps.head.version")]
    names = ("index", "model", "anchors", "code")
    rows = [row([words.t(f"stamps.{name}"), _stamp(name, trace, words)]) for name in names]
    return [table(words.t("stamps.caption"), head, rows)]


def _stamp(name: str, trace: Trace, words: Words) -> str:
    found = trace.stamps.version(name)
    if name == "code" and found == "source":
        return words.t("stamps.source")
    return found or words.t("stamps.none")


def settings(used: Settings, words: Words) -> list[Block]:
    """Every setting that was in force, hidden controls too, beside its default."""
    head = [words.t(f"settings.head.{name}") for name in ("setting", "value", "default", "effect")]
    rows = [_setting(knob, used, words) for knob in KNOBS.values()]
    return [table(words.t("settings.caption"), head, rows, numeric=(1, 2))]


def _setting(knob: Knob, used: Settings, words: Words) -> Block:
    value = used.value(knob.name)
    idle = not used.acts(knob.name)
    why = words.t("settings.idle", method=words.word("choice", knob.only)) if knob.only else words.t("settings.idle_reranker")
    effect = why if idle else words.t(f"settings.scope.{knob.scope}")
    values = [shown(knob, each, words) for each in (value, knob.default)]
    return row([label(knob, words), *values, effect], "muted" if idle else "strong" if value != knob.default else "")

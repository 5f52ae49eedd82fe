"""How firmly the list stands: for each continuous setting the stretch in which nothing changes, and the first change on either side."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.blocks import Block, heading, paragraph, row, table
from dashboard.knobtext import label, number
from dashboard.naming import norm
from retrieval.inspector.tracks import Change, Moved, Track
from retrieval.knobs import Knob
from retrieval.settings import KNOBS
from retrieval.trace import Trace
from retrieval.words import Words

_NAMED = 2


def blocks(tracks: Sequence[Track], trace: Trace, words: Words) -> list[Block]:
    """One row for each setting: its value, the stretch around it, and what happens at both ends of that stretch."""
    head = [words.t(f"sliders.head.{name}") for name in ("setting", "value", "stable", "down", "up", "count")]
    rows = [_row(track, trace, words) for track in tracks]
    return [
        heading(words.t("sliders.all")),
        paragraph(sentence(tracks, words)),
        table(words.t("sliders.caption"), head, rows, numeric=(1, 5)),
        paragraph(words.t("sliders.note"), muted=True),
    ]


def sentence(tracks: Sequence[Track], words: Words) -> str:
    """Which setting has the least room before the list changes."""
    rooms = [(_room(track), track) for track in tracks if track.works and track.breakpoints]
    if not rooms:
        return words.t("sliders.firm")
    room, track = min(rooms, key=lambda pair: pair[0])
    knob = KNOBS[track.knob]
    nearest = min(track.breakpoints, key=lambda point: abs(point - track.value))
    share = words.number(100 * room, 1)
    key = "sliders.touching" if room == 0 else "sliders.nearest"
    return words.t(key, setting=label(knob, words), at=number(knob, nearest, words), value=number(knob, track.value, words), share=share)


def _room(track: Track) -> float:
    """The way to the nearest breakpoint, as a share of the range."""
    return min(abs(point - track.value) for point in track.breakpoints) / (track.high - track.low)


def _row(track: Track, trace: Trace, words: Words) -> Block:
    knob = KNOBS[track.knob]
    name, value = label(knob, words), number(knob, track.value, words)
    if not track.works:
        return row([name, value, words.t("sliders.idle"), "", "", words.number(None)], "muted")
    low, high = track.stable()
    below = max((change for change in track.changes if change.at <= track.value), key=lambda change: change.at, default=None)
    above = min((change for change in track.changes if change.at > track.value), key=lambda change: change.at, default=None)
    stable = words.t("sliders.stretch", low=number(knob, low, words), high=number(knob, high, words))
    down, up = _event(below, knob, False, trace, words), _event(above, knob, True, trace, words)
    return row([name, value, stable, down, up, words.whole(len(track.breakpoints))])


def _event(change: Change | None, knob: Knob, upwards: bool, trace: Trace, words: Words) -> str:
    """What happens when the setting passes a breakpoint in this direction."""
    if change is None:
        return words.t("sliders.none")
    enters, leaves = (change.enters, change.leaves) if upwards else (change.leaves, change.enters)
    parts = [words.t("sliders.enters", norms=_norms(enters, trace, words))] if enters else []
    parts += [words.t("sliders.leaves", norms=_norms(leaves, trace, words))] if leaves else []
    if change.moves:
        parts.append(words.n("sliders.moves", len(change.moves)))
    return words.t("sliders.event", at=number(knob, change.at, words), what="; ".join(parts))


def _norms(moved: Sequence[Moved], trace: Trace, words: Words) -> str:
    named = [norm(trace.chunks[one.chunk_id], trace.specs) for one in moved[:_NAMED]]
    if len(moved) > _NAMED:
        named.append(words.n("sliders.more", len(moved) - _NAMED))
    return ", ".join(named)

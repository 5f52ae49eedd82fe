"""One setting over its whole range: the slider that moves the list, its events as sentences, and where each hit stands in the list.

``section`` gives what the component draws (see ``component_data``) and the blocks that stand under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from dashboard.blocks import Block, folded, paragraph, row, table
from dashboard.knobtext import label, number
from dashboard.naming import norm, title_of
from retrieval.inspector.events import MOST_DIGITS, Along, Event, Standing, along
from retrieval.inspector.tracks import Change, Moved, Track
from retrieval.knobs import Knob
from retrieval.settings import KNOBS
from retrieval.trace import Trace
from retrieval.words import Words

_NAMED = 3
"""So many hits that come or leave are named in a sentence, the others counted."""
_LISTED = 6
"""So many hits that change places are listed in the table, the others counted."""
_ROWS = 200
"""So many events stand in the table at most."""
_FINE = 1000
"""The pointer moves by the power of ten that divides the range into at least so many steps."""
_COPIED = (
    *("number", "keys_next", "keys_previous", "keys_back", "arrows", "page_up", "page_down", "escape", "keys", "previous", "next"),
    *("none_before", "none_after", "list", "badges", "new", "same", "same_spoken", "gone_title", "empty", "beside"),
)
_COUNTS = ("new", "gone", "moved")


def section(track: Track, trace: Trace, words: Words) -> tuple[Block, list[Block]]:
    """The data of the component for ``dragging.draw`` and the blocks that stand under it.

    ``trace`` is the run in force, which names the hits; ``track`` the record of the knob over that run's pool and settings.
    """
    seen = along(track)
    return component_data(seen, trace, words), blocks(seen, trace, words)


# --- the component ------------------------------------------------------------------------------------------------------


def component_data(seen: Along, trace: Trace, words: Words) -> Block:
    """Everything that the component needs to draw any value of the range by itself, as plain data.

    ``lists`` are the different lists, as places in ``hits``; ``between`` and ``at`` name a list for each stretch and each point (-1: the
    value is refused). ``events`` are the sentences, upwards and downwards, with their place and size, ``stops`` the values to jump to.
    ``spans`` of a hit are the intervals in which it stands in the list. ``words`` are the sentences; their placeholders are filled where
    the value is known.
    """
    track = seen.track
    knob = KNOBS[track.knob]
    index = {hit.chunk_id: place for place, hit in enumerate(seen.standings)}
    known: dict[tuple[str, ...], int] = {}
    between = [known.setdefault(found, len(known)) for found in track.between]
    at = [-1 if found is None else known.setdefault(found, len(known)) for found in track.at]
    return {
        "knob": track.knob,
        "language": words.language,
        "label": label(knob, words),
        "value": track.value,
        "low": track.low,
        "high": track.high,
        "step": knob.step,
        "fine": _fine(track),
        "digits": 0 if knob.step >= 1 else 2,
        "most": MOST_DIGITS,
        "off": idle(track, trace, words),
        "constant": constant(seen, words) if track.works else "",
        "points": list(track.points),
        "between": between,
        "at": at,
        "lists": [[index[chunk_id] for chunk_id in found] for found in known],
        "hits": [_hit(hit, trace, words) for hit in seen.standings],
        "events": [_event(event, knob, trace, words) for event in seen.events],
        "stops": list(seen.landings),
        "words": _words(track, knob, words),
    }


def _fine(track: Track) -> float:
    step: float = 10.0 ** floor(log10((track.high - track.low) / _FINE) + 1e-9)
    return step


def _hit(hit: Standing, trace: Trace, words: Words) -> Block:
    corpus = title_of(trace.chunks[hit.chunk_id].corpus_id, trace.specs)
    spans = [list(span) for span in hit.spans]
    return {"key": hit.chunk_id, "title": _norm(hit.chunk_id, trace), "corpus": corpus, "badge": badge(hit, words), "spans": spans}


def _event(event: Event, knob: Knob, trace: Trace, words: Words) -> Block:
    texts = {name: event_sentence(event, knob, trace, words, name) for name in ("up", "down")}
    return {"at": event.at, "size": event.size, **texts}


def _words(track: Track, knob: Knob, words: Words) -> Block:
    """The sentences of the component. What stands in braces after this is filled where the value is known."""
    low, high, force = (number(knob, value, words) for value in (track.low, track.high, track.value))
    kept = {name: "{" + name + "}" for name in ("low", "high", "value", "at", "place", "changes", "summary", "n")}
    found = {name: words.t(f"track.{name}") for name in _COPIED}
    found |= {name: words.t(f"track.{name}", place=kept["place"]) for name in ("up", "down", "gone")}
    found |= {name: words.t(f"track.{name}", force=force) for name in ("in_force", "as_in_force")}
    found |= {f"stable_{name}": words.t(f"track.stability.{name}", force=force, **kept) for name in ("between", "edge", "point", "refused")}
    found |= {f"spoken_{name}": words.t(f"track.spoken.{name}", **kept) for name in ("both", "one", "none")}
    found |= {f"count_{name}_{form}": words.t(f"track.count.{name}.{form}", n=kept["n"]) for name in _COUNTS for form in ("one", "other")}
    return {
        **found,
        "low": low,
        "high": high,
        "decimal": words.number(0.5, 1)[1],
        "lead": words.t("track.lead"),
        "invalid": words.t("track.invalid", low=low, high=high),
        "keys_step": words.t("track.keys_step", step=number(knob, knob.step, words)),
        "against": words.t("track.against", force=force, changes=kept["changes"]),
        "announced": words.t("track.announced", value=kept["value"], summary=kept["summary"]),
        "chart": words.t("track.overview.chart"),
        "chart_sentence": words.t("track.overview.sentence", force=force),
        "force": words.t("track.overview.force", force=force),
    }


# --- sentences ----------------------------------------------------------------------------------------------------------


def idle(track: Track, trace: Trace, words: Words) -> str:
    """Why the slider is switched off; empty where it works."""
    if track.works:
        return ""
    if not KNOBS[track.knob].only:
        return words.t("track.idle_reranker")
    method, used = (words.word("choice", choice) for choice in (KNOBS[track.knob].only, trace.settings.fusion.fusion))
    return words.t("track.idle", method=method, used=used)


def constant(seen: Along, words: Words) -> str:
    """The sentence of a slider that changes nothing; empty where it changes something."""
    if any(event.kind == "passing" for event in seen.events):
        return ""
    return words.t("track.constant_inside" if any(event.kind == "exactly" for event in seen.events) else "track.constant")


def stability(track: Track, words: Words) -> str:
    """How far the value in force can move without a change of the list."""
    knob = KNOBS[track.knob]
    low, high = track.stable()
    force = number(knob, track.value, words)
    if track.list_at(track.value) is None:
        return words.t("track.stability.refused", value=force, force=force)
    kind = "point" if low == high else "edge" if track.value in (low, high) else "between"
    return words.t(f"track.stability.{kind}", low=number(knob, low, words), high=number(knob, high, words), value=force)


def badge(hit: Standing, words: Words) -> str:
    """Over how much of the range a hit stands in the list, in words; only what is all is called all."""
    if not hit.spans:
        return words.t("track.badge.points")
    if hit.share > 0.99:
        return words.t("track.badge.all" if _always(hit) else "track.badge.nearly")
    return words.t("track.badge.hardly") if hit.share < 0.01 else words.t("track.badge.share", share=words.percent(hit.share))


def _always(hit: Standing) -> bool:
    return len(hit.spans) == 1 and hit.share == 1


def event_sentence(event: Event, knob: Knob, trace: Trace, words: Words, way: str = "up") -> str:
    """What happens at one event: ``Bei 0,62: § 14 RV kommt auf Platz 10 in die Liste; § 31 SGB V verlässt …``.

    ``way`` is ``down`` for a reader who lowers the value.
    """
    change = event.change if way == "up" else event.back
    return words.t(f"track.event.{event.kind}", at=number(knob, event.at, words), what=_what(change, trace, words))


def _what(change: Change, trace: Trace, words: Words) -> str:
    parts = [words.t("track.event.enters", norm=_norm(one.chunk_id, trace), place=one.after) for one in change.enters[:_NAMED]]
    if len(change.enters) > _NAMED:
        parts.append(words.n("track.event.more_enter", len(change.enters) - _NAMED))
    parts += [words.t("track.event.leaves", norm=_norm(one.chunk_id, trace), place=one.before) for one in change.leaves[:_NAMED]]
    if len(change.leaves) > _NAMED:
        parts.append(words.n("track.event.more_leave", len(change.leaves) - _NAMED))
    if change.moves:
        parts.append(_moving(change.moves, bool(parts), trace, words))
    return "; ".join(parts)


def _moving(moves: Sequence[Moved], among_others: bool, trace: Trace, words: Words) -> str:
    """Two hits that swap are named, and one that passes several; else, or beside hits that come and leave, the number says enough."""
    first, *others = sorted(moves, key=lambda one: one.before)
    if not among_others and len(moves) == 2:
        pair = {"first": _norm(first.chunk_id, trace), "second": _norm(others[0].chunk_id, trace)}
        return words.t("track.event.swap", **pair, before=first.before, after=first.after)
    far, *rest = sorted(moves, key=_way, reverse=True)
    if rest and (among_others or _way(far) == _way(rest[0])):
        return words.n("track.event.others_move", len(moves))
    alone = words.t("track.event.moves", norm=_norm(far.chunk_id, trace), before=far.before, after=far.after)
    return "; ".join([alone, *([words.n("track.event.more_move", len(rest))] if rest else [])])


def _way(one: Moved) -> int:
    return abs(one.after - one.before)


def overview(seen: Along, words: Words) -> str:
    """At how many values the list changes, and how many hits stand in it always and sometimes."""
    track, knob = seen.track, KNOBS[seen.track.knob]
    always = sum(_always(hit) for hit in seen.standings)
    partly = len(seen.standings) - always
    ends = {"low": number(knob, track.low, words), "high": number(knob, track.high, words)}
    changing = len({event.at for event in seen.events if event.kind != "refused"})
    rest = words.n("track.overview.partly", partly) if partly else words.t("track.overview.partly.none")
    return " ".join([words.n("track.overview.changes", changing, **ends), words.n("track.overview.always", always), rest])


def _norm(chunk_id: str, trace: Trace) -> str:
    """The name of a norm as it stands in a sentence of ours: the sign of the section keeps its number."""
    return norm(trace.chunks[chunk_id], trace.specs).replace("§ ", "§\u00a0")


# --- tables -------------------------------------------------------------------------------------------------------------


def blocks(seen: Along, trace: Trace, words: Words) -> list[Block]:
    """What stands under the component: the whole range in one sentence, its events, and every hit with its intervals."""
    if not seen.track.works or constant(seen, words):
        return []
    told = folded(words.t("track.table.fold"), _events(seen, trace, words), "track_events")
    stood = folded(words.t("track.table.fold_hits"), [_hits(seen, trace, words)], "track_hits")
    return [paragraph(overview(seen, words)), told, stood]


def _events(seen: Along, trace: Trace, words: Words) -> list[Block]:
    """The events as sentences; of very many those that are nearest to the value in force."""
    track, knob = seen.track, KNOBS[seen.track.knob]
    near = sorted(sorted(seen.events, key=lambda event: abs(event.at - track.value))[:_ROWS], key=lambda event: event.at)
    head = [words.t("track.table.at"), words.t("track.table.what")]
    rows = [row([number(knob, event.at, words), _told(event, trace, words)]) for event in near]
    notes = [words.t("track.table.nearest", n=len(near))] if len(near) < len(seen.events) else []
    if seen.narrow:
        notes.append(words.t("track.table.narrow"))
    return [table(words.t("track.table.caption"), head, rows), *(paragraph(note, muted=True) for note in notes)]


def _told(event: Event, trace: Trace, words: Words) -> list[str]:
    """The sentence of an event, and under it who moves where if there it is only counted."""
    sentence = words.t(f"track.table.told.{event.kind}", what=_what(event.change, trace, words))
    moves = event.change.moves
    counted = len(moves) > 2 or (len(moves) == 2 and bool(event.change.enters or event.change.leaves))
    if not counted:
        return [sentence]
    lines = [
        words.t("track.table.moves_at", norm=_norm(one.chunk_id, trace), before=one.before, after=one.after) for one in moves[:_LISTED]
    ]
    if len(moves) > _LISTED:
        lines.append(words.n("track.table.more", len(moves) - _LISTED))
    return [sentence, "; ".join(lines)]


def _hits(seen: Along, trace: Trace, words: Words) -> Block:
    """The chart as a table: every hit with its place at the value in force, its share of the range, and its intervals."""
    knob = KNOBS[seen.track.knob]
    now = words.t("track.table.now", force=number(knob, seen.track.value, words))
    head = [words.t("track.table.hit"), words.t("track.table.corpus"), now, words.t("track.table.share"), words.t("track.table.where")]
    rows = [_stood(hit, knob, trace, words) for hit in seen.standings]
    return table(words.t("track.table.caption_hits"), head, rows)


def _stood(hit: Standing, knob: Knob, trace: Trace, words: Words) -> Block:
    place = words.t("track.table.place", place=hit.place) if hit.place else words.t("track.table.not_now")
    spans = [words.t("track.table.interval", low=number(knob, low, words), high=number(knob, high, words)) for low, high in hit.spans]
    where = "; ".join(spans) or words.t("track.badge.points")
    corpus = title_of(trace.chunks[hit.chunk_id].corpus_id, trace.specs)
    return row([_norm(hit.chunk_id, trace), corpus, place, badge(hit, words), where], "" if hit.place else "muted")

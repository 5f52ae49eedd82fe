"""The life of a norm: the answer in one sentence, its stations as one row, the reference or the claim behind it, its other chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dashboard.blocks import (
    Block,
    folded,
    heading,
    links,
    notice,
    paragraph,
    passage,
    passages,
    row,
    station,
    stations,
    table,
    to_norm,
    to_why,
)
from dashboard.links import key_of
from dashboard.marks import Spot, marks
from dashboard.naming import norm
from retrieval.commands.telling import Telling
from retrieval.inspector.life import Life, Piece
from retrieval.inspector.stations import Quote, Station
from retrieval.model import Address, AnchorClaim
from retrieval.ranking import Entry
from retrieval.trace import Trace
from retrieval.words import Words

_CUT = 8
"""So many of the norms that just missed the list are offered."""


def chips(trace: Trace, words: Words) -> list[Block]:
    """The norms of the list with their places, and those behind its end that came closest, each once and a click away."""
    listed = _by_norm(trace.final, trace)
    behind = _by_norm(trace.completed.living, trace)
    missed = [key for key in behind if key not in listed][:_CUT]
    rows = {
        "why.listed": [to_why(words.t("why.chip", place=", ".join(places), norm=name), key) for key, (name, places) in listed.items()],
        "why.cut": [to_why(behind[key][0], key) for key in missed],
    }
    found: list[Block] = []
    for key, ways in rows.items():
        if ways:
            found += [paragraph(words.t(key), muted=True), links(words.t(key), ways)]
    return found


def _by_norm(entries: Sequence[Entry], trace: Trace) -> dict[str, tuple[str, list[str]]]:
    """The norms of some entries by their keys, each with its name and the places of all its chunks."""
    found: dict[str, tuple[str, list[str]]] = {}
    for place, entry in enumerate(entries, start=1):
        chunk = trace.chunks[entry.chunk_id]
        found.setdefault(key_of(chunk), (norm(chunk, trace.specs), []))[1].append(str(place))
    return found


def not_one_norm(address: Address, trace: Trace, words: Words) -> list[Block]:
    """A whole corpus or a part of one was asked for: the way to its contents."""
    name = norm(address, trace.specs)
    way = links(words.t("why.whole"), [to_norm(words.t("why.contents", norm=name), key_of(address))])
    return [notice(words.t("why.whole"), [words.t("why.whole_text")], "warning"), way]


def blocks(life: Life, trace: Trace, words: Words) -> list[Block]:
    """The answer, the stations, what stands behind them, and the other chunks of the norm."""
    telling = Telling(trace, words, norm)
    best = life.best
    name = norm(life.address, trace.specs)
    found = [heading(f"{name}: {best.heading}" if best and best.heading else name), notice(telling.answer(life))]
    if best:
        found.append(links(name, [to_norm(words.t("why.text", norm=name), key_of(life.address))]))
    found += [heading(words.t("why.stations")), paragraph(words.t("why.explained"))]
    if life.others and best:
        found.append(paragraph(words.t("why.told_for", norm=norm(best.address, trace.specs)), muted=True))
    found.append(stations(words.t("why.stations"), [_card(one, life, telling) for one in life.stations]))
    return [*found, *_behind(life, telling), *_others(life, trace, words)]


def _card(one: Station, life: Life, telling: Telling) -> Block:
    words = telling.words
    lines = [telling.reason(one)]
    if one.error:
        lines.append(words.t("why.fault", error=one.error))
    mark = words.t("why.decides") if one.name == life.decisive else ""
    return station(telling.title(one), telling.state(one), one.state, lines, mark)


def _behind(life: Life, telling: Telling) -> Iterator[Block]:
    """The sentence that names the norm, and the claim that requires it."""
    quote, claim = life.station("verweis").quote, life.station("anchor").claim
    if quote is not None:
        yield from _quote(quote, telling)
    if claim is not None:
        yield heading(telling.words.t("why.claim"))
        yield _claim(claim, telling)


def _quote(quote: Quote, telling: Telling) -> Iterator[Block]:
    words, by = telling.words, telling.name(quote.address)
    spots = [Spot(quote.start, quote.end, "resolved")]
    yield heading(words.t("why.quote"))
    yield paragraph(words.t("why.quoted", by=by, place=words.whole(quote.place)))
    yield passages(words.t("why.quote"), [passage(quote.by, quote.sentence, marks(quote.sentence, spots, words))])
    yield links(words.t("why.quote"), [to_norm(words.t("why.to_citing", by=by), key_of(quote.address))])


def _claim(claim: AnchorClaim, telling: Telling) -> Block:
    words = telling.words
    facts = {
        "anchor": claim.anchor_id,
        "note": claim.note or words.t("anchors.no_note"),
        "author": claim.author,
        "date": telling.date(claim.date),
        "trigger": words.quoted(claim.trigger) if claim.trigger else words.t("anchors.trigger.unknown"),
    }
    rows = [row([words.t(f"why.claim_head.{name}"), fact or words.number(None)]) for name, fact in facts.items()]
    return table(words.t("why.claim"), [words.t("why.head.name"), words.t("why.head.value")], rows)


def _others(life: Life, trace: Trace, words: Words) -> list[Block]:
    if not life.others or life.best is None:
        return []
    head = [words.t(f"why.head.{name}") for name in ("norm", "place", "before", "vector", "lexical")]
    rows = [_piece(piece, trace, words) for piece in (life.best, *life.others)]
    caption = words.t("why.others")
    return [folded(f"{caption} ({words.whole(len(life.others))})", [table(caption, head, rows, numeric=(1, 2, 3, 4))], "others")]


def _piece(piece: Piece, trace: Trace, words: Words) -> Block:
    name = to_why(norm(piece.address, trace.specs), key_of(piece.address))
    numbers: Sequence[int] = (piece.place, piece.before, piece.vector, piece.lexical)
    return row([[name], *(words.whole(number or None) for number in numbers)])

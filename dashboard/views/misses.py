"""What did not come into the list, greyed: grouped by the rule that kept it out, the nearest miss first."""

from __future__ import annotations

from dashboard.blocks import Block, Cell, Line, paragraph, row, table, to_norm, to_why, written
from dashboard.links import key_of
from dashboard.naming import norm, short_name, title_of
from retrieval.inspector.misses import Group, Miss, Misses
from retrieval.trace import Trace
from retrieval.words import Words

NEAREST = 5
_SCORES = frozenset({"displaced", "below_limit", "below_floor"})
_COUNTED = frozenset(
    {
        "verweis_no_rank",
        "verweis_repealed",
        "verweis_not_in_stock",
        "verweis_ambiguous",
        "verweis_open_ended",
        "verweis_quoted",
        "verweis_former",
        "verweis_corpus_not_selected",
        "corpus_not_routed",
    }
)
"""The rules without a threshold: nothing was near, so their number says enough at first."""


def blocks(found: Misses, trace: Trace, words: Words, everything: bool = False) -> list[Block]:
    """A table for each rule, at most ``NEAREST`` rows each unless ``everything`` is asked for, and what the run cannot know."""
    if not found.groups:
        return [paragraph(words.t("misses.none")), *_unknown(found, trace, words)]
    shown = [group for group in found.groups if everything or group.rule not in _COUNTED]
    counted = [group for group in found.groups if group not in shown]
    tables = [block for group in shown for block in _group(group, trace, words, everything)]
    rest = "; ".join(words.n(f"misses.rule.{group.rule}", len(group.misses)) for group in counted)
    said = [paragraph(words.t("misses.counted", counts=rest), muted=True)] if rest else []
    return [paragraph(words.t("misses.sentence"), muted=True), *tables, *said, *_unknown(found, trace, words)]


def _unknown(found: Misses, trace: Trace, words: Words) -> list[Block]:
    """Which lists are as long as was asked for: what follows there was never seen."""
    if not found.full:
        return []
    lists = ", ".join(
        words.t("misses.route", route=words.word("route", route), corpus=short_name(corpus, trace.specs)) for corpus, route in found.full
    )
    return [paragraph(words.t("misses.unknown", most=words.whole(trace.settings.gathering.fetch_k), lists=lists), muted=True)]


def _title(corpus_id: str, trace: Trace) -> str:
    return title_of(corpus_id, trace.specs)


def _group(group: Group, trace: Trace, words: Words, everything: bool) -> list[Block]:
    misses = group.misses if everything else group.misses[:NEAREST]
    caption = words.n(f"misses.rule.{group.rule}", len(group.misses))
    if group.rule in _SCORES:
        head = [words.t(f"misses.head.{name}") for name in (group.rule, "place", "had", "needed", "margin")]
        found = table(caption, head, [_scored(miss, trace, words) for miss in misses], numeric=(1, 2, 3, 4))
    else:
        head = [words.t("misses.head.corpus" if group.rule.startswith("corpus_") else "misses.head.what"), words.t("misses.head.lack")]
        found = table(caption, head, [row([_what(miss, trace, words), _lack(miss, words)], "muted") for miss in misses])
    left = len(group.misses) - len(misses)
    return [found, *([paragraph(words.n("misses.more", left), muted=True)] if left else [])]


def _scored(miss: Miss, trace: Trace, words: Words) -> Block:
    numbers = [words.number(value) for value in (miss.had, miss.needed)]
    return row([_what(miss, trace, words), words.whole(miss.place or None), *numbers, _margin(miss, words)], "muted")


def _margin(miss: Miss, words: Words) -> str:
    """The distance; one that would be rounded to nothing is said in words."""
    if not miss.margin:
        return words.t("misses.equal")
    shown = words.difference(miss.had, miss.needed)
    return words.t("misses.tiny") if shown == words.number(0.0) else shown


def _what(miss: Miss, trace: Trace, words: Words) -> Cell:
    """The norm or the corpus that was kept out; for a reference who names it, for a corpus its best hit."""
    chunk = trace.chunks.get(miss.chunk_id)
    if miss.rule == "below_floor" and chunk:
        return [_title(miss.corpus_id, trace), to_norm(norm(chunk, trace.specs), key_of(chunk))]
    if chunk:
        heading = [written(chunk.heading)] if chunk.heading else []
        return [to_norm(norm(chunk, trace.specs), key_of(chunk)), *heading, to_why(words.t("why.gone"), key_of(chunk))]
    if miss.target is None and not miss.by:
        return _title(miss.corpus_id, trace) if miss.corpus_id else miss.words
    name = norm(miss.target, trace.specs) if miss.target else miss.words or words.t("verweise.no_target")
    in_stock = miss.target if miss.rule not in ("verweis_void", "anchor_not_found", "anchor_corpus_not_in_stock") else None
    return [to_norm(name, key_of(in_stock) if in_stock else ""), *_named_by(miss, trace, words)]


def _named_by(miss: Miss, trace: Trace, words: Words) -> list[Line]:
    by = trace.chunks.get(miss.by)
    if by is not None:
        return [words.t("misses.named_by", norm=norm(by, trace.specs), place=words.whole(miss.place), words=words.quoted(miss.words))]
    return [words.t("misses.triggered_by", words=words.quoted(miss.words))] if miss.words and miss.rule.startswith("anchor_") else []


def _lack(miss: Miss, words: Words) -> str:
    """What would have been needed."""
    numbers = {name: words.whole(None if value is None else int(value)) for name, value in (("had", miss.had), ("needed", miss.needed))}
    return words.t(f"misses.lack.{miss.rule}", place=words.whole(miss.place or None), **numbers)

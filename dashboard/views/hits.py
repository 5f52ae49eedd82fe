"""The final list: each hit with its values, its parts, how it was found, and its full text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dashboard.blocks import Block, Cell, card, cards, folded, paragraph, passage, passages, row, table, to_why, written
from dashboard.journey import Step, steps
from dashboard.knobtext import first_up, number
from dashboard.links import key_of
from dashboard.marks import Spot, marks, shown_legend
from dashboard.naming import norm, title_of
from retrieval.model import DEFINITION_LOOKUP, LEXICAL_KIND, NEIGHBOR, NORM_ANCHOR, SECTION_LOOKUP, SEMANTIC, VERWEIS, Chunk
from retrieval.neighbors import near
from retrieval.ranking import Entry, Part
from retrieval.settings import KNOBS
from retrieval.trace import Neighbors, Trace
from retrieval.words import Words

_KINDS = (SEMANTIC, LEXICAL_KIND, SECTION_LOOKUP, DEFINITION_LOOKUP, NEIGHBOR, NORM_ANCHOR, VERWEIS)


def _kind_order(kind: str) -> int:
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)


def blocks(trace: Trace, words: Words) -> list[Block]:
    """The hits as cards, or a sentence that says whether nothing was found or nothing could be asked."""
    if not trace.final:
        failed = trace.route_failure == "all_routes_failed" or all(one.status == "failed" for one in trace.corpora if one.state == "asked")
        return [paragraph(words.t("hits.failed" if failed else "hits.partial" if trace.partial else "hits.none"))]
    by_id = {step.entry.chunk_id: step for step in steps(trace)}
    spots = _spots(trace)
    found = [
        _card(place, entry, by_id[entry.chunk_id], spots.get(entry.chunk_id, ()), trace, words)
        for place, entry in enumerate(trace.final, start=1)
    ]
    above = shown_legend((mark for one in found for mark in one["marks"]), words)
    if above and any(entry.rank_by == VERWEIS and entry.chunk_id not in spots for entry in trace.final):
        above.append(paragraph(words.t("hits.unread"), muted=True))
    return [*above, cards(words.t("hits.caption"), found)]


def _spots(trace: Trace) -> dict[str, list[Spot]]:
    """The references of each text with their fate in this run."""
    found: dict[str, list[Spot]] = {}
    for verweis in trace.verweise:
        name = norm(verweis.target, trace.specs) if verweis.target else verweis.law
        found.setdefault(verweis.by, []).append(Spot(verweis.start, verweis.end, verweis.fate, verweis.target, name))
    return found


def _card(place: int, entry: Entry, step: Step, spots: Sequence[Spot], trace: Trace, words: Words) -> Block:
    chunk = trace.chunks[entry.chunk_id]
    decision = words.number(entry.cosine) if entry.cosine is not None else words.t("term.none")
    facts = [(words.t("term.rank"), words.number(entry.rank)), (words.t("term.decision"), decision)]
    kinds = ", ".join(words.word("kind", kind) for kind in sorted(entry.kinds, key=_kind_order)) or words.number(None)
    cut = next((one for one in trace.neighbors if one.chunk_id == entry.chunk_id), None)
    about = [*_defines(entry, trace, words), *([_part_of(cut, words)] if cut else ()), *_promises(entry, step, words)]
    origin = " · ".join([words.t("hits.origin", kinds=kinds), *about])
    return card(
        key=entry.chunk_id,
        place=str(place),
        title=norm(chunk, trace.specs),
        subtitle=chunk.heading,
        facts=facts,
        origin=origin,
        text=chunk.text,
        text_label=words.t("hits.text"),
        parts_label=words.t("hits.parts"),
        parts=[*_parts(entry, step.entry, trace, words), _about(chunk, trace, words)],
        norm=key_of(chunk),
        marks=marks(chunk.text, spots, words),
        ways=[to_why(words.t("why.here"), key_of(chunk))],
        more=[_others(cut, trace, words)] if cut else (),
    )


def _defines(entry: Entry, trace: Trace, words: Words) -> Iterator[str]:
    """The term that the question asks for, where this hit defines it."""
    if entry.chunk_id in trace.definitions:
        yield words.t("lookups.defines", term=words.quoted(trace.definitions[entry.chunk_id]))


def _part_of(cut: Neighbors, words: Words) -> str:
    return words.t("lookups.part", number=_number(cut, cut.chunk_id), of=len(cut.parts))


def _number(cut: Neighbors, part: str) -> int:
    return cut.parts.index(part) + 1


def _others(cut: Neighbors, trace: Trace, words: Words) -> Block:
    """The parts next to a hit that is one part of an Absatz, behind a label."""
    places = {entry.chunk_id: place for place, entry in enumerate(trace.final, start=1)}
    values = {"number": _number(cut, cut.chunk_id), "of": len(cut.parts)}
    found = [
        passage(
            f"{cut.chunk_id}~{part}",
            trace.chunks[part].text,
            (),
            words.t("lookups.hit_too" if part in places else "lookups.other", number=_number(cut, part), place=places.get(part, 0)),
        )
        for part in near(cut.parts, cut.chunk_id)
    ]
    label = words.t("lookups.others", **values)
    return folded(label, [paragraph(words.t("lookups.cut", **values), muted=True), passages(label, found)], f"{cut.chunk_id}-parts-of")


def _promises(entry: Entry, step: Step, words: Words) -> Iterator[str]:
    """What the quota and the naming of a corpus did for a hit."""
    if step.how == "quota":
        yield words.t("hits.only_quota", round=step.round)
    elif step.round:
        yield words.t("movement.held", round=step.round)
    if entry.fate.code == "moved_to_front":
        yield words.word("fate", entry.fate.code)


def _parts(entry: Entry, before: Entry, trace: Trace, words: Words) -> list[Block]:
    """The sum of the routes, and where the rank score does not come from them, the sentence that says so."""
    found: list[Block] = []
    if entry.rank_by == "named_first":
        lifted = trace.named.lifted_from
        found.append(paragraph(words.t("hits.lifted", before=words.number(lifted), after=words.number(entry.rank))))
    source = before.rank_by
    if source != "routes":
        found.append(paragraph(words.t("hits.fixed", why=first_up(words.word("rank_by", source)), rank=words.number(before.rank))))
    if not entry.parts:
        return [*found, paragraph(words.t("hits.no_parts"), muted=True)]
    head = [words.t(f"hits.head.{name}") for name in ("route", "place", "raw", "scaled", "weight", "amount")]
    rows = [_part(part, words) for part in entry.parts]
    total = sum(part.amount for part in entry.parts)
    key = "hits.sum_unused" if source != "routes" else "hits.sum_lifted" if entry.rank_by == "named_first" else "hits.sum"
    rows.append(row([words.t(key), "", "", "", "", words.number(total)], "strong"))
    found.append(table(words.t("hits.parts_caption"), head, rows, numeric=(1, 2, 3, 4, 5)))
    found.append(paragraph(_formula(trace, words), muted=True))
    return found


def _part(part: Part, words: Words) -> Block:
    numbers = [words.number(value) for value in (part.raw, part.scaled, part.weight, part.amount)]
    return row([words.word("route", part.route), words.whole(part.place), *numbers])


def _formula(trace: Trace, words: Words) -> str:
    if trace.settings.fusion.fusion == "rrf":
        return words.t(
            "hits.formula.rrf", k=number(KNOBS["rrf_k"], trace.settings.fusion.rrf_k, words), ceiling=words.number(trace.rrf_ceiling, 5)
        )
    return words.t("hits.formula.weighted")


def _about(chunk: Chunk, trace: Trace, words: Words) -> Block:
    facts: list[tuple[str, Cell]] = [
        (words.t("hits.about.corpus"), title_of(chunk.corpus_id, trace.specs)),
        (words.t("hits.about.container"), chunk.container_id),
        (words.t("hits.about.path"), [written(" › ".join(chunk.path))] if chunk.path else ""),
        (words.t("hits.about.stand"), [written(" ".join(chunk.stand.split()))] if chunk.stand else ""),
        (words.t("hits.about.source"), [written(chunk.source)] if chunk.source else ""),
        (words.t("hits.about.repealed"), words.t("hits.repealed") if chunk.repealed else ""),
        (words.t("hits.about.chunk"), [written(chunk.chunk_id)]),
    ]
    head = [words.t("hits.about.name"), words.t("hits.about.value")]
    return table(words.t("hits.about.caption"), head, [row([name, value]) for name, value in facts if value])

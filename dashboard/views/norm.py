"""A norm: where it stands, its wording by Absatz with the references marked in it, what it cites and what cites it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from dashboard.blocks import Block, Cell, Line, folded, heading, links, notice, paragraph, passage, passages, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.marks import Spot, marks, shown_legend, style_of
from dashboard.naming import norm as named
from dashboard.naming import part_name, shortened, title_of
from retrieval.model import Address, Chunk, CorpusSpec, Reference
from retrieval.norms import Citing, Norm, first_chunk
from retrieval.stock import Federation
from retrieval.words import Words

_OPEN = 8
"""So many passages stand open at once; of a longer norm each Absatz has its fold."""

_ROWS = 15
_LISTED = 60
_FIRST_WORDS = 80


def above(found: Norm, federation: Federation, words: Words) -> list[Block]:
    """The name of the norm, what is to be said before its text, its place in the stock, and the ways around it."""
    specs, first = federation.specs, next(iter(found.chunks), None)
    subject = f": {first.heading}" if first and first.heading else ""
    blocks = [heading(named(found.address, specs), source=subject)]
    if found.state == "repealed":
        blocks.append(notice(words.t("norm.repealed.title"), [words.t("norm.repealed.text")], "warning"))
    if found.missing:
        blocks.append(notice(words.t("norm.missing", subsection=found.missing), (), "warning"))
    around = _around(found, federation, words)
    return [*blocks, _place(found, first, specs, words), *([links(words.t("norm.around"), around)] if around else [])]


def _place(found: Norm, first: Chunk | None, specs: dict[str, CorpusSpec], words: Words) -> Block:
    spec = specs[found.address.corpus_id]
    stand, source = (first.stand, first.source) if first else (spec.stand, spec.source)
    facts: list[tuple[str, Cell]] = [
        (words.t("hits.about.corpus"), f"{title_of(spec.corpus_id, specs)} ({words.t(f'corpus_kind.{spec.kind}')})"),
        (words.t("hits.about.container"), found.address.container_id),
        (words.t("hits.about.path"), [written(" › ".join(first.path))] if first and first.path else ""),
        (words.t("hits.about.stand"), [written(" ".join(stand.split()))] if stand else ""),
        (words.t("hits.about.source"), [written(source)] if source else ""),
        (words.t("norm.validity.name"), words.t(f"norm.state.{found.state}")),
        (words.t("norm.note"), words.t("norm.invented") if spec.invented else ""),
    ]
    head = [words.t("hits.about.name"), words.t("hits.about.value")]
    return table(words.t("norm.place"), head, [row([name, value]) for name, value in facts if value])


def _around(found: Norm, federation: Federation, words: Words) -> list[Line]:
    """The whole norm, its neighbours in the text, and the contents of the body of rules."""
    here = found.address
    whole = Address(here.corpus_id, here.container_id, here.section_id)
    ways: list[tuple[str, Address]] = []
    if here.section_id:
        order = federation.book.sections(here.corpus_id, here.container_id)
        position = order.index(here.section_id) if here.section_id in order else -1
        if here.subsection:
            ways.append((words.t("norm.way.whole", norm=here.section_id), whole))
        if position > 0:
            before = order[position - 1]
            ways.append((words.t("norm.way.before", norm=before), msgspec.structs.replace(whole, section_id=before)))
        if 0 <= position < len(order) - 1:
            behind = order[position + 1]
            ways.append((words.t("norm.way.behind", norm=behind), msgspec.structs.replace(whole, section_id=behind)))
        ways += [(words.t("norm.way.also", part=home.container_id), home) for home in _elsewhere(whole, federation)]
        container = Address(here.corpus_id, here.container_id)
        ways.append((words.t("norm.way.contents", norm=named(container, federation.specs)), container))
    return [to_norm(text, key_of(address)) for text, address in ways]


def _elsewhere(whole: Address, federation: Federation) -> list[Address]:
    """The same number in the other parts of the corpus: § 10 of the contract is not § 10 of its annex."""
    others = [container for container in federation.containers[whole.corpus_id] if container != whole.container_id]
    places = (federation.book.locate(whole.corpus_id, container, whole.section_id) for container in others)
    return [place for place, state in places if state != "not_found"]


# --- the wording ----------------------------------------------------------------------------------------------------------


def wording(found: Norm, federation: Federation, words: Words) -> list[Block]:
    """The text Absatz by Absatz; of a container the list of its norms instead."""
    if not found.address.section_id:
        return [heading(words.t("norm.section.contents")), *_contents(found, federation, words)]
    long = len(found.chunks) > _OPEN
    drawn = [_passage(chunk, found, long, federation, words) for chunk in found.chunks]
    legend = shown_legend((mark for one in drawn for mark in one["marks"]), words)
    return [heading(words.t("norm.section.text")), *legend, passages(words.t("norm.section.text"), drawn)]


def _passage(chunk: Chunk, found: Norm, long: bool, federation: Federation, words: Words) -> Block:
    wanted = found.address.subsection
    meant = bool(wanted) and chunk.subsection == wanted
    spots = [_spot(reference, federation.specs) for reference in federation.references(chunk.chunk_id)]
    label = _label(chunk, found, words) if long or wanted else ""
    opened = meant if wanted else chunk is found.chunks[0]
    return passage(chunk.chunk_id, chunk.text, marks(chunk.text, spots, words), label, opened, "strong" if meant else "")


def _label(chunk: Chunk, found: Norm, words: Words) -> str:
    """The Absatz and its first words; an Absatz in several pieces says that it goes on."""
    if not chunk.subsection:
        place = words.t("norm.part", number=(chunk.position or 0) + 1)
    else:
        first = next(one for one in found.chunks if one.subsection == chunk.subsection)
        place = part_name(chunk.section_id, chunk.subsection, words.t("norm.absatz")) + ("" if chunk is first else words.t("norm.goes_on"))
    return f"{place}: {shortened(chunk.text.removeprefix(f'({chunk.subsection})').strip(), _FIRST_WORDS)}"


def _spot(reference: Reference, specs: dict[str, CorpusSpec]) -> Spot:
    name = named(reference.target, specs) if reference.target else reference.law
    return Spot(reference.start, reference.end, reference.state, reference.target, name)


def _contents(found: Norm, federation: Federation, words: Words) -> list[Block]:
    """The norms of a container; those of a large one by the uppermost parts of its structure, each behind its title."""
    head = [words.t("norm.head.norm"), words.t("norm.head.heading")]
    groups: dict[str, list[Block]] = {}
    for section in found.sections:
        first = first_chunk(section, federation)
        gone = words.t("norm.state.repealed") if first and first.repealed else ""
        cells: list[Cell] = [[to_norm(section.section_id, key_of(section))], [written(first.heading) if first else "", gone]]
        part = first.path[0] if first and first.path else words.t("norm.ungrouped")
        groups.setdefault(part, []).append(row(cells, "muted" if gone else ""))
    title = words.n("norm.contents", len(found.sections))
    if len(found.sections) <= _LISTED or len(groups) == 1:
        return [table(title, head, [one for rows in groups.values() for one in rows])]
    folds = {part: words.t("norm.group", title=part, count=words.whole(len(rows))) for part, rows in groups.items()}
    return [paragraph(title), *(folded(folds[part], [table(part, head, rows)], part) for part, rows in groups.items())]


# --- what it cites and what cites it ------------------------------------------------------------------------------------------


def cites(found: Norm, federation: Federation, words: Words) -> list[Block]:
    """What the norm refers to: the words and their sentence, the target, the state."""
    if not found.address.section_id:
        return []
    blocks = [heading(words.t("norm.section.cites")), paragraph(_cites_sentence(found.cites, words))]
    head = [words.t(f"norm.head.{name}") for name in ("place", "words", "target", "state")]
    rows = [_cites_row(one, federation.specs, words) for one in found.cites]
    return [*blocks, *_cut(words.t("norm.caption.cites"), head, rows, "cites", words)]


def _cites_sentence(found: Sequence[Citing], words: Words) -> str:
    if not found:
        return words.t("norm.cites_none")
    away = sum(style_of(one.reference.state) == "absent" for one in found)
    return " ".join([words.n("norm.cites_count", len(found)), *([words.n("norm.cites_absent", away)] if away else [])])


def _cites_row(one: Citing, specs: dict[str, CorpusSpec], words: Words) -> Block:
    reference = one.reference
    state = words.t("mark.resolved") if reference.state == "resolved" else words.word("reference", reference.state)
    tone = "" if reference.state in ("resolved", "repealed") else "muted"
    return row([one.by.subsection or words.t("corpora.none"), _quoted(one, words), targets(reference, specs, words), state], tone)


def targets(reference: Reference, specs: dict[str, CorpusSpec], words: Words) -> Cell:
    """The norm that a reference leads to, the readings of one that is not clear, or the law that is not in stock."""
    places = getattr(reference, "alternatives", ()) or ((reference.target,) if reference.target else ())
    if not places:
        return reference.law or words.t("verweise.no_target")
    linked = style_of(reference.state) != "absent"
    return [to_norm(named(place, specs), key_of(place) if linked else "") for place in places]


def has_references(found: Norm) -> bool:
    """Whether there is anything to say of references: a body of rules as a whole is seldom cited, its norms are."""
    return bool(found.address.section_id or found.cited_by)


def cited_by(found: Norm, federation: Federation, words: Words) -> list[Block]:
    """Who refers to the norm, by body of rules, each with the sentence in which it does."""
    here = found.address
    blocks = [heading(words.t("norm.section.cited_by")), paragraph(_cited_sentence(found, words))]
    if found.cited_whole:
        whole = Address(here.corpus_id, here.container_id, here.section_id)
        text = words.n("norm.cited_whole", found.cited_whole, norm=here.section_id)
        blocks.append(links(words.t("norm.section.cited_by"), [to_norm(text, key_of(whole))]))
    for corpus in dict.fromkeys(one.by.corpus_id for one in found.cited_by):
        rows = [_cited_row(one, federation.specs, words) for one in found.cited_by if one.by.corpus_id == corpus]
        caption = f"{title_of(corpus, federation.specs)} ({words.whole(len(rows))})"
        head = [words.t(f"norm.head.{name}") for name in ("citing", "words", "cited")]
        blocks += _cut(caption, head, rows, f"cited-{corpus}", words)
    return blocks


def _cited_sentence(found: Norm, words: Words) -> str:
    if not found.cited_by:
        return words.t("norm.cited_none")
    corpora = len({one.by.corpus_id for one in found.cited_by})
    spread = [words.n("norm.cited_corpora", corpora)] if len(found.cited_by) > 1 else []
    return " ".join([words.n("norm.cited_count", len(found.cited_by)), *spread, words.t("norm.certain")])


def _cited_row(one: Citing, specs: dict[str, CorpusSpec], words: Words) -> Block:
    target = one.reference.target
    part = target.subsection if target else ""
    meant = part_name(target.section_id, part, words.t("norm.absatz")) if target and part else words.t("norm.whole")
    citing: list[Line] = [to_norm(named(one.by, specs), key_of(one.by)), written(one.by.heading)]
    return row([citing, _quoted(one, words), meant])


def _quoted(one: Citing, words: Words) -> Cell:
    return [words.quoted(one.reference.words), written(one.sentence)]


def _cut(caption: str, head: Sequence[str], rows: Sequence[Block], key: str, words: Words) -> Iterable[Block]:
    """A table of which the first rows stand at once and the rest behind a label."""
    if rows:
        yield table(caption, head, rows[:_ROWS])
    if len(rows) > _ROWS:
        yield folded(words.n("norm.more", len(rows) - _ROWS), [table(words.t("norm.continued", caption=caption), head, rows[_ROWS:])], key)

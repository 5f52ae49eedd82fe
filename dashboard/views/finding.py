"""From typed words or a link to a norm: the contents of the stock, the choice, and what is said where nothing is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dashboard.blocks import Block, Line, notice, paragraph, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.naming import norm, target_name, title_of
from retrieval.model import Address, CorpusSpec
from retrieval.norms import Found, first_chunk
from retrieval.stock import Federation
from retrieval.words import Words

_CHOICES = 40


def no_norm(federation: Federation, place: str, words: Words) -> list[Block]:
    """No norm yet: how to type one, and what is in stock, with a way to the contents of each part; ``place`` says where that lies."""
    specs = federation.specs
    rows = []
    for corpus, spec in specs.items():
        ways: list[Line] = [
            to_norm(home or words.t("norm.contents_of"), key_of(Address(corpus, home))) for home in federation.containers[corpus]
        ]
        rows.append(row([[spec.title, ", ".join(spec.names)], ways]))
    head = [words.t("norm.head.corpus"), words.t("norm.head.contents")]
    lines = [words.t("screen.no_norm.text"), words.t("screen.no_norm.examples")]
    under = [paragraph(place)] if place else []
    return [notice(words.t("screen.no_norm.title"), lines), table(words.t("norm.stock"), head, rows), *under]


def unknown_norm(address: Address, specs: Mapping[str, CorpusSpec], words: Words) -> Block:
    """A link to a norm that does not stand in stock, or stands there no more."""
    key = "corpus" if address.corpus_id not in specs else "text"
    lines = [words.t(f"screen.unknown_norm.{key}", norm=norm(address, specs)), words.t("screen.unknown_norm.help")]
    return notice(words.t("screen.unknown_norm.title"), lines, "warning")


def choice(
    typed: str, places: Sequence[Address], federation: Federation, words: Words, way: Callable[[str, str], Line] = to_norm
) -> list[Block]:
    """Several norms that the typed words may mean; ``way`` makes the link that a choice is."""
    head = [words.t("norm.head.norm"), words.t("norm.head.heading"), words.t("norm.head.corpus")]
    rows = []
    for place in places[:_CHOICES]:
        chunk = first_chunk(place, federation)
        name = way(norm(place, federation.specs), key_of(place))
        rows.append(row([[name], [written(chunk.heading)] if chunk else "", title_of(place.corpus_id, federation.specs)]))
    lines = [words.t("screen.choice.text", typed=words.quoted(typed))]
    if len(places) > _CHOICES:
        lines.append(words.n("screen.choice.more", len(places) - _CHOICES))
    return [notice(words.n("screen.choice.title", len(places)), lines), table(words.t("screen.choice.caption"), head, rows)]


def nothing_found(typed: str, found: Found, specs: Mapping[str, CorpusSpec], words: Words) -> Block:
    """Typed words that lead to no norm: what was understood, and what is missing."""
    lines = [words.t("screen.nothing_found.typed", typed=words.quoted(typed))]
    lines += [words.t("screen.nothing_found.elsewhere", law=words.quoted(law)) for law in found.elsewhere]
    lines += [words.t("screen.nothing_found.strange", law=words.quoted(law)) for law in found.strange]
    lines += [words.t("screen.nothing_found.void", norm=target_name(target, specs)) for target in found.void]
    if found.corpora and not found.void:
        titles = ", ".join(title_of(corpus, specs) for corpus in found.corpora)
        lines.append(words.t("screen.nothing_found.corpora", corpora=titles))
    if len(lines) == 1:
        lines.append(words.t("screen.nothing_found.none"))
    return notice(words.t("screen.nothing_found.title"), [*lines, words.t("screen.no_norm.examples")], "warning")

"""How norms, corpora, settings and reasons are named in the files of a run."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.knobs import Knob, Value
from retrieval.model import (
    DEFINITION_LOOKUP,
    LEXICAL_KIND,
    NEIGHBOR,
    NORM_ANCHOR,
    SECTION_LOOKUP,
    SEMANTIC,
    VERWEIS,
    Address,
    Chunk,
    CorpusSpec,
    Target,
)
from retrieval.ranking import Entry
from retrieval.trace import Trace
from retrieval.words import Words

_KINDS = (SEMANTIC, LEXICAL_KIND, SECTION_LOOKUP, DEFINITION_LOOKUP, NEIGHBOR, NORM_ANCHOR, VERWEIS)


def title(corpus_id: str, specs: Mapping[str, CorpusSpec]) -> str:
    """The title of a corpus, its id where it has none."""
    spec = specs.get(corpus_id)
    return spec.title if spec and spec.title else corpus_id


def short(corpus_id: str, specs: Mapping[str, CorpusSpec]) -> str:
    """The shortest name that people use for a corpus, else its title."""
    spec = specs.get(corpus_id)
    names = [name for name in (spec.names if spec else ()) if name]
    return min(names, key=len) if names else title(corpus_id, specs)


def norm(place: Chunk | Address | Target, specs: Mapping[str, CorpusSpec]) -> str:
    """An address as the page names it: ``AbgV · Anlage 11 · § 10 Abs. 2``."""
    part = place.subsection or ""
    unit = place.section_id.partition(" ")[0] if "." in part else f"{place.section_id} Abs."
    section = f"{unit} {part}" if part else place.section_id
    return " · ".join(name for name in (short(place.corpus_id, specs), place.container_id, section) if name)


def printed(place: Chunk | Address | Target, specs: Mapping[str, CorpusSpec]) -> str:
    """An address as it is printed."""
    return tied(norm(place, specs))


def tied(address: str) -> str:
    """An address in which no line ends between § or Abs. and its number."""
    return address.replace("§ ", "§\u00a0").replace("Abs. ", "Abs.\u00a0")


def label(knob: Knob, words: Words) -> str:
    """The name of a setting."""
    return knob.label_de if words.language == "de" else knob.label_en


def shown(knob: Knob, value: Value, words: Words) -> str:
    """A setting's value in words: a choice by its word, a number with as many digits as it has."""
    if isinstance(value, str):
        return words.word("choice", value)
    text = f"{value:.10g}"
    return text.replace(".", ",") if words.language == "de" else text


def kinds(entry: Entry, words: Words) -> str:
    """How an entry was found, the searches first."""
    ordered = sorted(entry.kinds, key=lambda kind: _KINDS.index(kind) if kind in _KINDS else len(_KINDS))
    return ", ".join(words.word("kind", kind) for kind in ordered)


def outcomes(trace: Trace) -> dict[str, Entry]:
    """What became of each candidate in the end, by chunk: its entry in the list after the quota, or in the final one."""
    after = {entry.chunk_id: entry for entry in trace.quota.ranking.entries}
    return after | {entry.chunk_id: entry for entry in trace.named.ranking.entries}

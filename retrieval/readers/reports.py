"""The report of a reading: the counts over its norms, and what a person should look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from retrieval.errors import BadSource
from retrieval.model import CorpusSpec
from retrieval.readers.gii_text import Counts
from retrieval.readers.sections import is_repealed
from retrieval.readers.types import Oddity, Paragraph, ReadCorpus, ReadNorm, ReadReport

_STAND_IN = re.compile(r"^\([^()]+\)$")

EMPTY_SHARE = 0.01
"""More empty norms than this share of those in force mean that the reading lost text."""


def finished(spec: CorpusSpec, norms: Sequence[ReadNorm], counts: Counts, oddities: Iterable[Oddity], name: str) -> ReadCorpus:
    """The corpus with its report. Raises BadSource when not one norm was found in the file ``name``."""
    if not norms:
        raise BadSource(f"{name}: found no norm (no line such as “§ 1 …”); expected rules with numbered sections. Check the file's format.")
    empty = tuple(_where(norm) for norm in norms if not norm.repealed and not norm.paragraphs)
    report = ReadReport(
        norms=len(norms),
        paragraphs=sum(len(norm.paragraphs) for norm in norms),
        tables_found=counts.tables_found,
        tables_kept=counts.tables_kept,
        pictures=counts.pictures,
        footnotes=counts.footnotes,
        repealed=sum(norm.repealed for norm in norms),
        empty=empty,
        oddities=(*oddities, *_found_in(norms, empty, counts)),
    )
    containers = tuple(dict.fromkeys(norm.container_id for norm in norms if norm.container_id))
    return ReadCorpus(msgspec.structs.replace(spec, containers=containers), tuple(norms), report)


def settled(heading: str, paragraphs: tuple[Paragraph, ...]) -> tuple[tuple[Paragraph, ...], bool]:
    """The text of a norm as it is kept, and whether it is repealed.

    The mark may stand in the heading, in the text, or be a bare dash without a heading. A heading that is wholly in parentheses, such
    as ``(Inkrafttreten)``, is the editor's stand-in for a text that is not there, and is kept as the text.
    """
    only = paragraphs[0].text if len(paragraphs) == 1 else ""
    dash = only in ("-", "–")
    if is_repealed(only):
        return paragraphs, True
    if paragraphs and not dash:
        return paragraphs, False
    if is_repealed(heading):
        return (Paragraph("", heading),), True
    if dash and not heading:
        return (Paragraph("", "(weggefallen)"),), True
    return ((Paragraph("", heading),) if _STAND_IN.match(heading) else ()), False


def _where(norm: ReadNorm) -> str:
    return " ".join(part for part in (norm.container_id, norm.section_id) if part)


def _found_in(norms: Sequence[ReadNorm], empty: tuple[str, ...], counts: Counts) -> Iterable[Oddity]:
    seen: set[tuple[str, str]] = set()
    for norm in norms:
        key = (norm.container_id, norm.section_id)
        if key in seen:
            yield Oddity("duplicate_section", _where(norm), "This section stands in the source more than once; all its texts were kept.")
        seen.add(key)
    in_force = sum(not norm.repealed for norm in norms)
    if len(empty) > EMPTY_SHARE * in_force:
        detail = f"{len(empty)} of {in_force} norms in force have a heading and no text; look whether the reading lost it."
        yield Oddity("too_many_empty", ", ".join(empty[:5]), detail)
    for tag in dict.fromkeys(counts.unknown):
        yield Oddity("unknown_element", tag, f"The element was met {counts.unknown.count(tag)} times; its text was kept.")
    if counts.tables_kept < counts.tables_found:
        lost = counts.tables_found - counts.tables_kept
        yield Oddity("table_not_kept", "", f"{lost} of {counts.tables_found} tables could not be kept whole.")


SPEC_FIELDS = frozenset(["corpus_id", "title", "kind", "names", "stand", "source", "default_container_id", "invented", "collection"])


def with_overrides(spec: CorpusSpec, overrides: Mapping[str, Any]) -> CorpusSpec:
    """``spec`` with the caller's words in place of the source's; None means: leave. Raises BadSource for a wrong field."""
    given = {key: value for key, value in overrides.items() if value is not None}
    unknown = sorted(set(given) - SPEC_FIELDS)
    if unknown:
        raise BadSource(f"Found the override {unknown[0]!r}; expected one of {', '.join(sorted(SPEC_FIELDS))}.")
    fields = {field: getattr(spec, field) for field in spec.__struct_fields__} | given
    try:
        return msgspec.convert(fields, CorpusSpec)
    except msgspec.ValidationError as cause:
        raise BadSource(f"What the corpus says about itself cannot be read: {cause}. Mend the front matter or the manifest.") from cause

"""Cuts norms into chunks: an Absatz, or parts of one that was split where a sentence ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from retrieval.model import Address, Chunk, hash_text
from retrieval.readers.sections import is_repealed
from retrieval.readers.types import ReadCorpus, ReadNorm

WORDS = 120
"""Words of a chunk that is full; what a small encoder reads to its end."""

LONGEST = 140
"""Words up to which an Absatz stays whole: a short rest tears an Absatz apart for nothing."""

REST = 20
"""Words below which the end of an Absatz says nothing alone; it stays with the part before it."""

CHUNKING = f"absatz-1:words={WORDS},longest={LONGEST},rest={REST}"
"""The stamp of this way of cutting; part of the fingerprint of a stock."""

_NUMBERS = re.compile(r"^(?:\(\s*\d+\s?[a-z]{0,2}\s*\)\s*(?:(?:u\.|und|bis|,|-|–)\s*)?)+")
_SENTENCE_END = re.compile(r"[.!?;:][\"”“’»)\]]*(?= )")
_OPENING = re.compile(r" (?=[\"„“»(\[]?(?:[A-ZÄÖÜ§⁰¹²³⁴⁵⁶⁷⁸⁹]|\d+ [A-ZÄÖÜ]))")
_ABBREVIATION = re.compile(
    r"[A-Za-zäöüÄÖÜ]|\d+|[IVXLC]+|(?i:Abs|Abschn|ABl|Anl|Art|Aufl|Az|BAnz|Bd|Bek|betr|BGBl|Bl|Buchst|bzgl|bzw|ca|Dr|Drs|einschl|entspr|etc|"
    r"evtl|ff|Fn|geänd|gem|ggf|Halbs|Hs|idF|inkl|insb|insbes|iVm|jew|Kap|lfd|lit|max|min|Mio|Mrd|MwSt|mWv|Nr|Nrn|Prof|Rdnr|Rn|Rz|sog|St|"
    r"Std|Str|Tab|Tel|Tz|u\.a|i\.V\.m|z\.B|d\.h|Unterabs|USt|usw|vgl|Ziff|zul|zz|zzgl)"
)
_BEFORE = re.compile(r"[(\[„\"»/]+")


def chunks(corpus: ReadCorpus) -> tuple[Chunk, ...]:
    """All chunks of a corpus in its order. Positions run from 0 inside (container, section), over duplicates of a section too.

    The texts of one Absatz, joined by a blank, are its words. A norm without text gives no chunk; a repealed one gives one.
    """
    positions: dict[tuple[str, str], int] = {}
    return tuple(chunk for norm in corpus.norms for chunk in _of_norm(corpus, norm, positions))


def _of_norm(corpus: ReadCorpus, norm: ReadNorm, positions: dict[tuple[str, str], int]) -> Iterator[Chunk]:
    key = (norm.container_id, norm.section_id)
    for subsection, text, repealed in _texts(norm):
        position = positions.get(key, 0)
        positions[key] = position + 1
        address = Address(corpus.spec.corpus_id, norm.container_id, norm.section_id, subsection)
        yield Chunk(
            chunk_id=_chunk_id(address, position),
            corpus_id=address.corpus_id,
            container_id=address.container_id,
            section_id=address.section_id,
            subsection=address.subsection,
            position=position,
            text=text,
            text_hash=hash_text(address, text),
            heading=norm.heading,
            path=norm.path,
            source=corpus.spec.source,
            stand=norm.stand or corpus.spec.stand,
            repealed=repealed,
        )


def _texts(norm: ReadNorm) -> Iterator[tuple[str, str, bool]]:
    """Absatz, text and whether it is repealed: an Absatz that reads ``(2) (weggefallen)`` is, though its norm is in force."""
    if norm.repealed:
        yield "", "\n".join(paragraph.text for paragraph in norm.paragraphs) or "(weggefallen)", True
        return
    for paragraph in norm.paragraphs:
        gone = bool(paragraph.subsection) and is_repealed(_NUMBERS.sub("", paragraph.text))
        for part in split(paragraph.text):
            yield paragraph.subsection, part, gone


def _chunk_id(address: Address, position: int) -> str:
    """Readable, and unique because positions are: ``sgb_v/-/§ 129/4``. A slash inside a name cannot shift the parts."""
    parts = (address.corpus_id, address.container_id or "-", address.section_id, str(position))
    return "/".join(part.replace("/", "∕") for part in parts)


def split(text: str) -> list[str]:
    """``text`` whole when it has at most LONGEST words, else parts of about WORDS words, cut at line or sentence ends.

    A table row is never cut, nor is ``§ 1 Abs. 2 Nr. 3`` or ``z. B.``; a single sentence longer than that stays whole.
    """
    if _words(text) <= LONGEST:
        return [text] if text.strip() else []
    parts: list[str] = []
    for separator, piece in _pieces(text):
        if parts and _words(parts[-1]) + _words(piece) <= WORDS:
            parts[-1] += separator + piece
        else:
            parts.append(piece)
            last = separator
    if len(parts) > 1 and _words(parts[-1]) < REST and _words(parts[-2]) + _words(parts[-1]) <= LONGEST:
        return [*parts[:-2], parts[-2] + last + parts[-1]]
    return parts


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The smallest pieces that stay whole, each with what stood before it: a line, or a sentence of a long line."""
    for line in text.split("\n"):
        separator = "\n"
        for sentence in sentences(line):
            yield separator, sentence
            separator = " "


def sentences(line: str) -> Iterable[str]:
    """The sentences of one line; a table row (cells parted by a bar) is one piece."""
    if " | " in line:
        yield line
        return
    start = 0
    for end in _SENTENCE_END.finditer(line):
        cut = end.end()
        if _OPENING.match(line, cut) and not (end.group().startswith(".") and _abbreviated(line[start : end.start()])):
            yield line[start:cut]
            start = cut + 1
    if line[start:].strip():
        yield line[start:]


def _abbreviated(text: str) -> bool:
    """Whether the last word of ``text`` is one after which a full stop ends no sentence: an abbreviation, a number, a letter."""
    word = text[-40:].split()[-1:] or [""]
    return bool(_ABBREVIATION.fullmatch(_BEFORE.sub("", word[0], count=1)))


def _words(text: str) -> int:
    return len(text.split())

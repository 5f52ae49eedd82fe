"""Reads the official XML of gesetze-im-internet.de (``gii-norm.dtd``), plain or as ``xml.zip``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from retrieval.errors import BadSource
from retrieval.model import CorpusSpec
from retrieval.readers.gii_text import Counts, one_line, render
from retrieval.readers.naming import technical_name, usual_abbreviation
from retrieval.readers.reports import finished, settled, with_overrides
from retrieval.readers.safe_files import contents, only_member
from retrieval.readers.sections import follows, plain, read_label, subsections
from retrieval.readers.types import Oddity, Paragraph, ReadCorpus, ReadNorm

_BINDING_NOTE = re.compile(r"\b(?:unvereinbar|nichtig)\b", re.IGNORECASE)
_OUTSIDE_STRUCTURE = re.compile(r"^(Anlage|Anhang|Schlu|Inhalts|Eingang|Präambel)")
_SGB = re.compile(r"(?:Sozialgesetzbuch \(SGB\)\W*)?(\w+) Buch\b(?: Sozialgesetzbuch)?")


def accepts(path: Path, start: bytes) -> bool:
    """Whether the file is an archive or XML, by its first bytes or its name."""
    opening = start.lstrip(b"\xef\xbb\xbf \r\n\t")
    return (
        start.startswith(b"PK")
        or opening.startswith((b"<?xml", b"<dokumente", b"<!DOCTYPE dok"))
        or path.suffix.lower() in (".xml", ".zip")
    )


def read(path: Path, manifest: Path | None, overrides: Mapping[str, Any]) -> ReadCorpus:
    """The law in this file. Raises BadSource with the cause; nothing outside the file is opened, no entity is followed."""
    if manifest is not None:
        raise BadSource(f"{path.name}: the official XML describes itself; a manifest ({manifest.name}) is not expected. Leave it out.")
    root = _parsed(path)
    try:
        return _law(root, path.name, overrides)
    except RecursionError as cause:
        raise BadSource(f"{path.name}: the elements are nested too deeply; expected the official XML of a law.") from cause


def _parsed(path: Path) -> Element:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    opening = contents(path)[:512].lstrip().lower()
    if opening.startswith((b"<!doctype html", b"<html")):
        raise BadSource(f"{path.name}: found an HTML page; expected the law as XML or xml.zip. The download failed: fetch it again.")
    zipped = opening.startswith(b"pk") or path.suffix.lower() == ".zip"
    name, data = only_member(path, ".xml") if zipped else (path.name, contents(path))
    try:
        root: Element = fromstring(data, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as cause:
        raise BadSource(
            f"{name}: defines entities of its own ({type(cause).__name__}); refused. The official files define none."
        ) from cause
    except (ParseError, ValueError) as cause:
        raise BadSource(f"{name}: not well-formed XML ({cause}); expected the official XML of a law. Fetch the file again.") from cause
    if root.tag != "dokumente" or root.find("norm/metadaten") is None:
        raise BadSource(
            f"{name}: found the root element <{str(root.tag)[:40]}>; expected <dokumente> with <norm> of gesetze-im-internet.de."
        )
    return root


def _law(root: Element, name: str, overrides: Mapping[str, Any]) -> ReadCorpus:
    counts, oddities, structure = Counts(), list[Oddity](), Structure()
    norms: list[ReadNorm] = []
    for element in root.iterfind("norm"):
        path = structure.path_of(element)
        label = read_label(one_line(element.find("metadaten/enbez")))
        if label.ids:
            norms.extend(_norms(element, label.ids, path, counts))
        else:
            oddities.extend(_note_outside(element, counts))
    return finished(with_overrides(_spec(root), overrides), norms, counts, oddities, name)


class Structure:
    """The headings above the norm that is being read, kept by their official key (three digits a level)."""

    def __init__(self) -> None:
        self._open: list[tuple[str, str]] = []

    def path_of(self, norm: Element) -> tuple[str, ...]:
        """The path for this norm; a structure heading in it changes the path for those that follow. Annexes stand outside."""
        unit = norm.find("metadaten/gliederungseinheit")
        if unit is not None:
            key = one_line(unit.find("gliederungskennzahl"))
            words = (one_line(unit.find("gliederungsbez")), one_line(unit.find("gliederungstitel")))
            label = " ".join(word for word in words if word not in ("", "-"))
            self._open = [(above, text) for above, text in self._open if key.startswith(above) and key != above]
            self._open.append((key, label))
        if _OUTSIDE_STRUCTURE.match(one_line(norm.find("metadaten/enbez"))):
            return ()
        return tuple(text for _, text in self._open if text)


def _norms(element: Element, ids: tuple[str, ...], path: tuple[str, ...], counts: Counts) -> list[ReadNorm]:
    """One norm, or one for each section of a range that was taken out together."""
    heading = one_line(element.find("metadaten/titel"))
    paragraphs = _paragraphs(element, counts)
    paragraphs, repealed = settled(heading, paragraphs)
    return [ReadNorm(section, heading, paragraphs, path=path, repealed=repealed) for section in ids]


def _paragraphs(element: Element, counts: Counts) -> tuple[Paragraph, ...]:
    """The Absätze of a norm; what follows one without a number of its own belongs to it."""
    notes = _official_notes(element, counts)
    found: list[tuple[str, list[str]]] = []
    for content in element.iterfind("textdaten/text/*"):
        if content.tag == "Footnotes":
            continue
        for text, called in _blocks(content, counts):
            signs = [notes.pop(sign) for sign in called if sign in notes] if text else []
            _take(found, text)
            if signs and found:
                found[-1][1].extend(signs)
    done = [Paragraph(number, "\n".join(lines)) for number, lines in found if any(lines)]
    trailing = [*notes.values(), *_binding_notes(element, counts)]
    return (*done, *(Paragraph("", note) for note in trailing))


def _take(found: list[tuple[str, list[str]]], text: str) -> None:
    """Adds a block to the Absätze found; a line in it that opens the Absatz that comes next opens it, though no P does."""
    for number in subsections(text) or ("",):
        if number or not found:
            found.append((number, []))
        for line in text.split("\n"):
            inner = subsections(line)
            if found[-1][1] and len(inner) == 1 and follows(found[-1][0], inner[0]):
                found.append((inner[0], []))
            found[-1][1].append(line)


def _blocks(content: Element, counts: Counts) -> list[tuple[str, tuple[str, ...]]]:
    """Text and called footnotes of each block of a Content or TOC; loose words between the blocks are blocks too."""
    if content.tag != "Content":
        return [render(content, counts)]
    blocks: list[tuple[str, tuple[str, ...]]] = [(plain(content.text), ())] if content.text and content.text.strip() else []
    for child in content:
        blocks.append(render(child, counts))
        if child.tail and child.tail.strip():
            blocks.append((plain(child.tail), ()))
    return blocks


def _official_notes(element: Element, counts: Counts) -> dict[str, str]:
    """The footnotes that belong to the enacted text, by id, each as one marked line."""
    notes: dict[str, str] = {}
    for number, note in enumerate(element.iterfind("textdaten/text/Footnotes/Footnote")):
        text = one_line(note)
        counts.footnotes += 1
        if text:
            sign = note.get("FnZ", "") + note.get("Postfix", "")
            notes[note.get("ID") or str(number)] = f"[Fußnote {sign}] {text}" if sign else f"[Fußnote] {text}"
    return notes


def _binding_notes(element: Element, counts: Counts) -> list[str]:
    """Notes of the documentation are counted; kept are those that say that the text does not apply as it reads."""
    kept: list[str] = []
    for content in element.iterfind("textdaten/fussnoten/Content"):
        for block in content:
            text, _ = render(block, Counts())
            counts.footnotes += bool(text)
            kept.extend(f"[Anmerkung] {line}" for line in [" ".join(text.split("\n"))] if _BINDING_NOTE.search(line))
    return kept


def _note_outside(element: Element, counts: Counts) -> list[Oddity]:
    """Text beside the law's name or a structure heading: a note, which is told and not indexed."""
    found = []
    for content in element.iterfind("textdaten/text/Content"):
        text, _ = render(content, counts)
        if text:
            counts.footnotes += 1
            where = one_line(element.find("metadaten/gliederungseinheit/gliederungsbez")) or one_line(element.find("metadaten/jurabk"))
            found.append(Oddity("note_outside_norms", where, " ".join(text.split())[:200]))
    _binding_notes(element, counts)
    return found


def _spec(root: Element) -> CorpusSpec:
    meta = root.find("norm/metadaten")
    assert meta is not None
    jurabk, amtabk, short, long = (one_line(meta.find(tag)) for tag in ("jurabk", "amtabk", "kurzue", "langue"))
    usual = usual_abbreviation(jurabk, amtabk)
    title = long or short or usual
    names = [usual, short, jurabk, *_book_names(title)] if usual.startswith("SGB ") else [usual, short, jurabk]
    stands = (one_line(line) for line in meta.iterfind("standangabe/standkommentar"))
    return CorpusSpec(
        corpus_id=technical_name(usual or title),
        title=title,
        kind="ordinance" if re.search(r"(?i)verordnung$|^verordnung\b", title) else "statute",
        names=tuple(dict.fromkeys(name for name in names if name and name != title)),
        stand="\n".join(line for line in stands if line),
        source=f"gesetze-im-internet.de, {root.get('doknr', '')}, builddate {root.get('builddate', '')}",
    )


def _book_names(title: str) -> list[str]:
    match = _SGB.search(title)
    return [f"{match.group(1)} Buch Sozialgesetzbuch"] if match else []

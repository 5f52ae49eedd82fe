"""Reads rules as Markdown or plain text, alone, with a manifest, or as a manifest that lists several files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from retrieval.errors import BadSource
from retrieval.readers import front_matter, pdf_cleaning
from retrieval.readers.front_matter import FrontMatter, SourceFile
from retrieval.readers.gii_text import Counts
from retrieval.readers.headings import Heading, decimal_parts, norm_heading, plain_heading, read_heading
from retrieval.readers.markdown_text import Line, inline, readable
from retrieval.readers.reports import finished, settled, with_overrides
from retrieval.readers.safe_files import contents, decoded
from retrieval.readers.sections import follows, subsections
from retrieval.readers.types import Oddity, Paragraph, ReadCorpus, ReadNorm

PREAMBLE = "Vorspruch"
"""Section id of words that stand before the first heading."""

_MARKED = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_RUNNING = re.compile(r"^(\d+(?:\.\d+)+|\d+(?=\.\d|\s[a-z]\s))(?:\s([a-z])(?=\s))?\s+\S")


def accepts(path: Path, start: bytes) -> bool:
    """Whether this can be text: no known binary or web format."""
    return not start.lstrip().lower().startswith((b"%pdf", b"<!doctype html", b"<html", b"{\\rtf", b"\xd0\xcf\x11\xe0", b"\x89png"))


def read(path: Path, manifest: Path | None, overrides: Mapping[str, Any]) -> ReadCorpus:
    """The rules in this file, or in the files that the manifest at ``path`` lists. Raises BadSource; nothing is guessed silently."""
    if path.suffix.lower() == ".toml":
        return _read_listed(path, overrides)
    given = front_matter.read_manifest(manifest) if manifest else None
    own, body = front_matter.split(decoded(contents(path), path.name), path.name)
    about = given or own or FrontMatter()
    page = Page(about, Counts())
    page.add(body, SourceFile(path.name, about.default_container))
    spec = about.spec(page.title or path.stem)
    return finished(with_overrides(spec, overrides), page.norms(), page.counts, page.oddities, path.name)


def _read_listed(path: Path, overrides: Mapping[str, Any]) -> ReadCorpus:
    about = front_matter.read_manifest(path)
    if not about.files:
        raise BadSource(f'{path.name}: the manifest lists no files; expected files = ["…"]. Or pass it beside the rules as their manifest.')
    page = Page(about, Counts())
    for file in about.files:
        place = (path.parent / file.path).resolve()
        if not place.is_relative_to(path.parent.resolve()):
            raise BadSource(f"{path.name}: the file {file.path[:80]!r} lies outside the manifest's folder; put it beside the manifest.")
        _, body = front_matter.split(decoded(contents(place), place.name), place.name)
        page.add(body, file)
    spec = about.spec(page.title or path.stem)
    return finished(with_overrides(spec, overrides), page.norms(), page.counts, page.oddities, path.name)


class Draft(msgspec.Struct):
    """A norm while its lines are being gathered."""

    ids: tuple[str, ...]
    heading: str
    container: str
    path: tuple[str, ...]
    lines: list[str]


class Page:
    """One body of rules while it is read, file after file."""

    def __init__(self, about: FrontMatter, counts: Counts) -> None:
        self.about = about
        self.counts = counts
        self.title = ""
        self.oddities: list[Oddity] = []
        self._drafts: list[Draft] = []
        self._open: list[tuple[tuple[int, int], str]] = []
        self._container = ""

    def add(self, body: str, file: SourceFile) -> None:
        """Reads one file into the page."""
        if self.about.layout == "pdf":
            cleaned = pdf_cleaning.clean(body)
            body = cleaned.text
            self.oddities.extend(cleaned.oddities)
        self._container = file.container or self.about.default_container
        self._open = [((0, 0), file.title)] if file.title else []
        lines = body.split("\n")
        marked = any(match and norm_heading(inline(match.group(2))) for match in map(_MARKED.match, lines))
        self._start((), "")
        for number, line in enumerate(lines):
            heading = self._marked(line) if marked else self._unmarked(line, not number or not lines[number - 1].strip())
            if heading is None:
                self._drafts[-1].lines.append(line)
            else:
                self._heading(heading)

    def norms(self) -> list[ReadNorm]:
        """All norms read so far; words outside a norm stand under the heading above them."""
        if not any(draft.ids or draft.container != self.about.default_container for draft in self._drafts):
            return []
        return _under_their_numbers([norm for draft in self._drafts for norm in self._finish(draft)])

    def _marked(self, line: str) -> Heading | None:
        match = _MARKED.match(line)
        return read_heading(inline(match.group(2)), len(match.group(1)), self.about.default_container) if match else None

    def _unmarked(self, line: str, apart: bool) -> Heading | None:
        """Plain text: a line is a heading by its look; an empty line before it, or another heading, sets it apart."""
        fresh = not any(text.strip() for text in self._drafts[-1].lines)
        match = _MARKED.match(line)
        return self._marked(line) if match else plain_heading(inline(line), self.about.default_container, apart or fresh)

    def _heading(self, heading: Heading) -> None:
        if heading.kind == "norm":
            self._start(heading.ids, heading.title)
            return
        if heading.kind == "container":
            self._container = heading.ids[0]
            self._open = [((0, 0), heading.title)] if heading.title else []
        elif self._is_title(heading):
            self.title = self.title or heading.title
        else:
            place = (heading.level, heading.depth)
            self._open = [(above, text) for above, text in self._open if above < place]
            self._open.append((place, heading.title))
        self._start((), "")

    def _is_title(self, heading: Heading) -> bool:
        """The first heading of level 1, above everything, is the title where it repeats the title or there is none yet."""
        if heading.level != 1 or self._open or any(draft.ids for draft in self._drafts):
            return False
        known = self.about.title or self.title
        return heading.title.startswith(known) if known else not heading.depth and not re.match(r"(?:[IVX]+|[A-Z]|\d+)\. ", heading.title)

    def _start(self, ids: tuple[str, ...], heading: str) -> None:
        path = tuple(text for _, text in self._open if text)
        self._drafts.append(Draft(ids, heading, self._container, path, []))

    def _finish(self, draft: Draft) -> list[ReadNorm]:
        lines = readable(draft.lines, self.counts)
        if not draft.ids and not lines:
            return []
        ids = draft.ids or (self._stand_in(draft),)
        paragraphs, repealed = settled(draft.heading, _paragraphs(lines, ids[0]))
        return [ReadNorm(section, draft.heading, paragraphs, draft.container, draft.path, repealed) for section in ids]

    def _stand_in(self, draft: Draft) -> str:
        """An id for words outside a norm: the annex they stand in, else the heading above them."""
        if draft.container and draft.container != self.about.default_container:
            return draft.container
        return draft.path[-1] if draft.path else PREAMBLE


def _under_their_numbers(norms: list[ReadNorm]) -> list[ReadNorm]:
    """Norms with decimal numbers get the headings above them as path; a heading with nothing but numbers below it is its own text."""
    done: list[ReadNorm] = []
    above: dict[tuple[str, tuple[int, ...]], str] = {}
    for norm, following in zip(norms, [*norms[1:], None], strict=True):
        number = decimal_parts(norm.section_id)
        if number:
            above[norm.container_id, number] = f"{norm.section_id.removeprefix('Ziffer ')} {norm.heading}".strip()
            path = (above.get((norm.container_id, number[:depth]), "") for depth in range(1, len(number)))
            norm = msgspec.structs.replace(norm, path=(*norm.path, *(heading for heading in path if heading)))
            below = following is not None and decimal_parts(following.section_id)[: len(number)] == number
            if below and not norm.paragraphs and norm.heading:
                norm = msgspec.structs.replace(norm, paragraphs=(Paragraph("", norm.heading),))
        done.append(norm)
    return done


def _paragraphs(lines: list[Line], section: str) -> tuple[Paragraph, ...]:
    """The Absätze of a norm. A line in the middle of a paragraph opens one only if its number comes next."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        numbers = subsections(line.text) or _running(line.text, section)
        if numbers and found and not line.opens and not follows(found[-1][0] or "0", numbers[0]):
            numbers = ()
        for number in numbers or ("",):
            if number or not found:
                found.append((number, [line.text]))
            else:
                found[-1][1].append(line.text)
    return tuple(Paragraph(number, "\n".join(texts)) for number, texts in found)


def _running(text: str, section: str) -> tuple[str, ...]:
    """The number below a Ziffer that opens this line, as written: ``4.10.1`` or ``4.1.1 a`` under their Ziffer."""
    above = decimal_parts(section)
    match = _RUNNING.match(text) if above else None
    if not match:
        return ()
    number, letter = match.groups()
    parts = tuple(int(part) for part in number.split("."))
    below = parts[: len(above)] == above and (len(parts) > len(above) or letter)
    return (f"{number} {letter}" if letter else number,) if below else ()

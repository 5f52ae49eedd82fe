"""Turns the rough Markdown conversion of a PDF into clean Markdown: contents list and page heads gone, real headings marked.

Nothing here knows a certain document. What is a heading is decided by the order of the numbers and by the document's own table of
contents; which blank stands inside a word is decided by the document's own words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from retrieval.readers.headings import Heading, decimal_parts, is_title, norm_heading
from retrieval.readers.markdown_text import inline, starts_line
from retrieval.readers.sections import follows, is_repealed, subsections
from retrieval.readers.types import Oddity
from retrieval.readers.word_repair import repaired

HEAD_REPEATS = 4
"""A line with a page number that comes again so often, but for its numbers, is the head or foot of pages."""

SAME_REPEATS = 10
"""A line without a page number has to come oftener than that: forms repeat their field names too."""

SHORTEST_HEAD = 16
"""Characters below which a line that repeats is taken for a field name or a list mark."""

PROMISED = 1000
"""How many numbers may be missing before a heading that the table of contents promises."""

MARKED = 3
"""How many numbers on a heading may be that is marked as one; running text may only have the very next number."""

_MARKS = re.compile(r"^\s{0,3}#{1,6}\s+")
_NUMBERED = re.compile(r"\b(?:Seite|Blatt|Page)\b\W*\d+|^\W*-?\s*\d+\s*-?\W*$")
_LEADERS = re.compile(r"(?:\.\s?){5,}\s*(\d+)?\s*")
_BOLD = re.compile(r"^\*\*(.+?)\*\*\s*(.*)$")
_PAGE = re.compile(r"^(#{1,6}\s+)?(\d{1,3}) (?=\S)")
_ENTRY = re.compile(r"^(?:#|§|[IVXLC]+\.|[A-Z]\.|\d+ )")
_ROMAN = re.compile(r"^([IVXLC]+)\. (?=[A-ZÄÖÜ])")
_LETTER = re.compile(r"^([A-Z])\. (?=[A-ZÄÖÜ])")
_SENTENCE = re.compile(r"(?:(?<=\s)|(?<=^))(\d{1,2})(?=(?:[A-ZÄÖÜ][a-zäöüß]|§|[„\"(][A-ZÄÖÜ]))")
_FOOTNOTE = re.compile(r"^(\d{1,2}) (?=\S)")
_CALL = re.compile(r"([a-zäöüß]{4,})(\d{1,2})\b(?![.,]\d)")
_ITEM = re.compile(r"^(\d{1,2})\.\s+(?=\S)")
_UP = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Cleaned(Struct, frozen=True):
    """Clean Markdown and what was done to it, as oddities with counts."""

    text: str
    oddities: tuple[Oddity, ...]


def clean(text: str) -> Cleaned:
    """The rules in the conversion ``text``, as Markdown whose headings are real."""
    lines, heads = _without_page_heads(text.split("\n"))
    lines, pages = (lines, 0) if heads else _without_page_numbers(lines)
    lines, contents = _without_contents(lines)
    marked, front = _headings(lines, _titles(contents))
    body, repairs = repaired(_sentence_numbers(_paragraphs(marked)))
    done = (
        ("page_heads_dropped", "; ".join(heads)),
        ("page_numbers_dropped", f"{pages} page numbers stood at the start of a line." if pages else ""),
        ("contents_dropped", f"{len(contents)} lines of a table of contents were dropped." if contents else ""),
        ("front_dropped", f"{front} lines before the first norm were dropped." if front else ""),
        ("words_rejoined", f"{repairs} words were broken and are whole again; some may still be broken." if repairs else ""),
    )
    return Cleaned("\n".join(body), tuple(Oddity(code, "", detail) for code, detail in done if detail))


# --- pages ----------------------------------------------------------------------------------------------------------


def _without_page_heads(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Drops lines that come again on many pages; a table that opens with one is a page head as a whole. Also one sample of each."""
    blocks = list(_blocks(lines))
    shapes = Counter(_shape(block[0]) for block in blocks)
    kept: list[str] = []
    samples: dict[str, str] = {}
    for block in blocks:
        shape = _shape(block[0])
        often = shapes[shape] >= (HEAD_REPEATS if _NUMBERED.search(block[0]) else SAME_REPEATS)
        if often and len(shape) >= SHORTEST_HEAD and not _MARKS.match(block[0]) and norm_heading(inline(block[0])) is None:
            samples.setdefault(shape, " ".join(block[0].split())[:80])
            kept.append("")
        else:
            kept.extend(block)
    return kept, list(samples.values())


def _shape(line: str) -> str:
    return re.sub(r"\d+", "#", line.strip())


def _blocks(lines: Sequence[str]) -> Iterable[list[str]]:
    """Tables as blocks, every other line as a block of its own."""
    table: list[str] = []
    for line in lines:
        if line.lstrip().startswith("|"):
            table.append(line)
            continue
        if table:
            yield table
            table = []
        yield [line]
    if table:
        yield table


def _without_page_numbers(lines: Sequence[str]) -> tuple[list[str], int]:
    """Drops the numbers of a longest row of line starts that count up page by page; a short row is chance."""
    found = [(at, int(match.group(2))) for at, line in enumerate(lines) if (match := _PAGE.match(line))]
    pages = _longest_count(found)
    if len(pages) < 5:
        return list(lines), 0
    starts = set(pages)
    return [_PAGE.sub(r"\1", line, count=1) if at in starts else line for at, line in enumerate(lines)], len(pages)


def _longest_count(found: Sequence[tuple[int, int]]) -> list[int]:
    """The places of the longest chain whose numbers go up by one or two."""
    best: list[tuple[int, int]] = []
    for here, (at, number) in enumerate(found):
        chains = [
            (best[before][0] + 1, before)
            for before in range(max(0, here - 200), here)
            if 1 <= number - found[before][1] <= 2 and at - found[before][0] > 1
        ]  # fmt: skip
        best.append(max(chains, default=(1, -1)))
    if not best:
        return []
    here = max(range(len(best)), key=lambda place: best[place][0])
    chain = []
    while here >= 0:
        chain.append(found[here][0])
        here = best[here][1]
    return chain[::-1]


# --- contents list --------------------------------------------------------------------------------------------------


def _without_contents(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines without the table of contents, and the table: from its first line with leaders to its last."""
    leaders = [at for at, line in enumerate(lines) if _LEADERS.search(line)]
    if len(leaders) >= 5:
        first, last = leaders[0], leaders[-1]
        return [*lines[:first], *lines[last + 1 :]], list(lines[first : last + 1])
    return list(lines), []


def _titles(contents: Sequence[str]) -> list[str]:
    """The headings that the table of contents promises, wrapped ones joined, without leaders and page numbers."""
    titles: list[str] = []
    pending = ""
    for line, following in zip(contents, [*contents[1:], ""], strict=False):
        pending = f"{pending} {_MARKS.sub('', line)}".strip()
        whole = _LEADERS.sub(" ", pending) if _LEADERS.search(pending) else ""
        if not whole and re.search(r"\s\d{1,3}$", pending) and _ENTRY.match(following):
            whole = re.sub(r"\s\d{1,3}$", "", pending)
        if whole:
            titles.append(" ".join(whole.split()))
            pending = ""
    return [title for title in titles if title]


# --- headings -------------------------------------------------------------------------------------------------------


class Outline:
    """Which heading comes next: norms by their numbers, structure by the contents list."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._titles = {_squeezed(title): title for title in titles}
        self._last = ""
        self._letter = ""
        self.begun = False

    def promised(self, words: str) -> str:
        """The title in the contents list that these words are the whole of, else empty."""
        return self._titles.get(_squeezed(words), "")

    def begins_title(self, words: str) -> bool:
        """Whether a longer title of the contents list begins with these words."""
        start = _squeezed(words)
        return len(start) > 3 and any(title != start and title.startswith(start) for title in self._titles)

    def takes(self, heading: Heading, reach: int) -> bool:
        """Whether this norm can come next, at most ``reach`` numbers on; if so it is the last from now on."""
        section = heading.ids[0]
        if not (self._next(section, reach) if self._last else _first(section)):
            return False
        self._last = heading.ids[-1]
        self.begun = True
        return True

    def _next(self, section: str, reach: int) -> bool:
        before, after = decimal_parts(self._last), decimal_parts(section)
        if before or after:
            return bool(before and after) and next_decimal(before, after, reach)
        unit, _, number = section.partition(" ")
        last_unit, _, last = self._last.partition(" ")
        if unit != last_unit:
            return False
        skipped = _whole(number) - _whole(last)
        return follows(last, number) or (1 <= skipped <= reach and (number.isdigit() or reach >= PROMISED))

    def level(self, words: str) -> int:
        """1 for a part with a Roman number, 2 for a letter, 0 for neither; ``I.`` after ``H.`` is the letter."""
        letter = _LETTER.match(words)
        if letter and (letter.group(1) == "A" or (self._letter and ord(letter.group(1)) == ord(self._letter) + 1)):
            self._letter = letter.group(1)
            return 2
        return 1 if _ROMAN.match(words) else 0


def _first(section: str) -> bool:
    return section.partition(" ")[2] in ("1", "1.1")


def _whole(number: str) -> int:
    digits = re.match(r"\d+", number)
    return int(digits.group()) if digits else 0


def next_decimal(before: tuple[int, ...], after: tuple[int, ...], reach: int = 1) -> bool:
    """Whether a number can follow in counting order: ``4.1.4`` is followed by ``4.1.5``, ``4.1.4.1``, ``4.2`` or ``5``."""
    shared = next((at for at, (left, right) in enumerate(zip(before, after, strict=False)) if left != right), min(len(before), len(after)))
    if shared == len(after):
        return False
    step = after[shared] - (before[shared] if shared < len(before) else 0)
    return 1 <= step <= reach and all(part == 1 for part in after[shared + 1 :])


def _squeezed(words: str) -> str:
    return re.sub(r"[\s\-–.]+", "", words).lower()


def _headings(lines: Sequence[str], titles: Sequence[str]) -> tuple[list[str], int]:
    """Marks the real headings, demotes the false ones, drops what stands before the first norm; the count of dropped lines."""
    outline = Outline(titles)
    out: list[str] = []
    front: list[str] = []
    at = 0
    while at < len(lines):
        taken, heading = _heading_at(lines, at, outline)
        if heading and outline.begun:
            kept_structure = [line for line in front if line.startswith("#")] if not out else []
            out.extend([*kept_structure, "", *heading, ""])
        elif heading:
            front.extend(heading)
        else:
            (out if outline.begun else front).append(_MARKS.sub("", lines[at]))
        at += taken
    return out, sum(1 for line in front if line.strip() and not line.startswith("#"))


def _heading_at(lines: Sequence[str], at: int, outline: Outline) -> tuple[int, list[str]]:
    """How many lines from here are one heading, and the Markdown for it; (1, []) for running text."""
    bold = _BOLD.match(lines[at].strip())
    words = inline(_MARKS.sub("", lines[at]) if not bold else bold.group(1))
    taken, whole = 1, words
    if not bold and not outline.promised(words) and outline.begins_title(words):
        taken, whole = _joined_title(lines, at, words, outline)
    title = outline.promised(whole)
    heading = norm_heading(title or whole)
    marked = bool(bold or _MARKS.match(lines[at]))
    reach = PROMISED if title else MARKED if marked and heading and heading.title else 1
    if heading and (title or bold or _looks_like_heading(lines[at], heading)) and outline.takes(heading, reach):
        rest = [bold.group(2)] if bold and bold.group(2) else []
        return taken, [f"### {title or whole}", "", *rest]
    level = outline.level(whole) if title and not heading else 0
    if level:
        return taken, [f"{'#' * level} {title}"]
    return 1, []


def _joined_title(lines: Sequence[str], at: int, words: str, outline: Outline) -> tuple[int, str]:
    """A heading that was wrapped over up to three lines, whole as the contents list has it."""
    whole = words
    for taken, line in enumerate(lines[at + 1 : at + 3], start=2):
        whole = f"{whole} {inline(_MARKS.sub('', line))}"
        if outline.promised(whole):
            return taken, whole
    return 1, words


def _looks_like_heading(line: str, heading: Heading) -> bool:
    """Without a contents list to promise it, a heading has to look like one; running numbers are headings only when marked."""
    marked = bool(_MARKS.match(line))
    if decimal_parts(heading.ids[0]):
        return marked and is_title(heading.title)
    return is_title(heading.title) or is_repealed(heading.title)


# --- paragraphs and sentences ---------------------------------------------------------------------------------------


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Wrapped lines joined, over the end of a page too; what is a line of its own gets an empty line before it."""
    out: list[str] = []
    item, subsection, gap = 0, "", True
    for words in lines:
        if not words.strip():
            gap = True
            continue
        number, opened = _ITEM.match(words), subsections(words)
        if out and _goes_on(out[-1], words, gap, item, subsection):
            out[-1] = f"{out[-1].rstrip()} {words.strip()}"
        else:
            item = int(number.group(1)) if number else 0 if words.startswith(("#", "(")) else item
            subsection = opened[0] if opened else "" if words.startswith("#") else subsection
            out.extend([words] if words.startswith("|") and out and out[-1].startswith("|") and not gap else ["", words])
        gap = False
    return out


def _goes_on(last: str, words: str, gap: bool, item: int, subsection: str) -> bool:
    """Whether these words belong to the last line. A number that does not come next is a number in a sentence."""
    if last.startswith(("#", "|")) or words.startswith(("#", "|")) or _BOLD.match(words):
        return False
    if re.match(r"[a-zäöüß]{2,}", words) and last.rstrip()[-1] not in ".:;!?":
        return True
    if gap or last.endswith("  "):
        return False
    number, opened = _ITEM.match(words), subsections(words)
    if number:
        return int(number.group(1)) not in (1, item + 1)
    if opened:
        return not follows(subsection or "0", opened[0])
    if re.match(r"(?:Anlage|Anhang|Teil) [A-Z0-9]", words):
        return last.split()[-1][0].islower()
    return not starts_line(words) and not re.match(r"\d+(?:\.\d+)+\s", words)


def _sentence_numbers(lines: Sequence[str]) -> list[str]:
    """Sentence numbers become words of their own; signs of footnotes leave the word they are glued to."""
    called = {match.group(2) for line in lines for match in _CALL.finditer(line)}
    notes = {match.group(1) for line in lines if (match := _FOOTNOTE.match(line))} & called
    return [_apart(line, notes) for line in lines]


def _apart(line: str, notes: set[str]) -> str:
    if line.startswith("#"):
        return line
    note = _FOOTNOTE.match(line)
    if note and note.group(1) in notes:
        line = f"[Fußnote {note.group(1)}] {line[note.end() :]}"
    line = _SENTENCE.sub(lambda match: match.group(1).translate(_UP) + " ", line)
    return _CALL.sub(lambda match: f"{match.group(1)} [{match.group(2)}]" if match.group(2) in notes else match.group(0), line)

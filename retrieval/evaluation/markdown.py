"""Markdown that holds texts of people: whatever they wrote is shown as it stands there, and never read as Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# What moves a cursor, shows a text in another order than it has, or ends a line where nobody sees it.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
# An underscore between letters or digits stresses nothing, and the names of settings have them.
_SIGNS = re.compile(r"[\\`*{}\[\]<>|~$&^@#]|(?<![^\W_])_|_(?![^\W_])")
_BEGINS = re.compile(r"(?:[-+=:]|\d+(?=[.)]))")
# Some readers make links of bare addresses, and footnotes or pictures of what has these signs.
_ADDRESS = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)


def plain(text: str) -> str:
    """A text on one line, every sign of Markdown in it taken as a sign."""
    line = " ".join(_HIDDEN.sub(" ", text).split())
    line = _ADDRESS.sub(lambda found: f"\\{found[0]}", _SIGNS.sub(lambda found: f"\\{found[0]}", line))
    begins = _BEGINS.match(line)
    if begins is None:
        return line
    end = begins.end() if begins[0][0].isdigit() else 0
    return f"{line[:end]}\\{line[end:]}"


def quoted(text: str) -> list[str]:
    """A text of several lines as a quotation; each line is a paragraph, for two lines would run into one."""
    lines = [plain(line) for line in text.splitlines()]
    found = [f"> {line}" for line in lines if line]
    return [part for number, line in enumerate(found) for part in ([">", line] if number else [line])]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> list[str]:
    """A table of cells that are Markdown already; ``numeric`` columns stand to the right."""
    rule = ["---:" if column in numeric else "---" for column in range(len(head))]
    return [f"| {' | '.join(cell or ' ' for cell in cells)} |" for cells in (head, rule, *rows)]


def bullets(lines: Iterable[str]) -> list[str]:
    """A list of lines that are Markdown already."""
    return [f"- {line}" for line in lines]


def joined(blocks: Iterable[Sequence[str]]) -> str:
    """Blocks of lines with one blank line between them and a line end at the end."""
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"

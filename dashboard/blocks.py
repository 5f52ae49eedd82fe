"""Blocks: what the page shows, as plain data.

A block is a dictionary that survives JSON. The component draws it with text nodes only, so no character of a corpus, a question or an
address is ever read as HTML, Markdown or a formula. A cell is a text, or a list of lines of which the first is the main one.
Norms are named by their keys, see ``links``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Block = dict[str, Any]
Line = str | Block
"""A text, a text that leads to the view of a norm, see ``to_norm``, or one out of a source, see ``written``."""
Cell = str | Sequence[Line]


def written(text: str) -> Line:
    """A text out of a source, such as a heading or a sentence of law: shown as it stands there, every blank as it is. Empty stays empty."""
    return {"text": text, "written": True} if text else text


def to_norm(text: str, norm: str) -> Line:
    """A text that leads to the norm with this key; the text alone when the key is empty."""
    return {"text": text, "norm": norm} if norm else text


def to_why(text: str, norm: str) -> Line:
    """A text that leads to the reasons why this norm stands where it stands."""
    return {"text": text, "norm": norm, "why": True} if norm else text


def alike(found: Sequence[Line]) -> list[Line]:
    """Lines of a cell that rank alike: none of them is the main one."""
    lines = (one if isinstance(one, dict) else {"text": one} for one in found)
    return [{**line, "alike": True} for line in lines]


def links(label: str, found: Sequence[Line]) -> Block:
    """Ways to norms, in a row; ``label`` names the row for readers aloud."""
    return {"type": "links", "label": label, "links": list(found)}


def heading(text: str, anchor: str = "", source: str = "") -> Block:
    """The heading of a section; ``anchor`` names it for keyboards and links, ``source`` is the end of it that stands so in a source."""
    return {"type": "heading", "text": text + source, "anchor": anchor, "source": source}


def paragraph(text: str, muted: bool = False) -> Block:
    """One paragraph."""
    return {"type": "paragraph", "text": text, "muted": muted}


def statement(text: str, above: str = "") -> Block:
    """One sentence that stands for itself, large; ``above`` says in small type what it is."""
    return {"type": "statement", "text": text, "above": above}


def notice(title: str, lines: Sequence[str] = (), role: str = "note", details: Sequence[tuple[str, str]] = (), label: str = "") -> Block:
    """A framed message: title, sentences, and technical details behind ``label``. ``role``: note · warning · fault."""
    return {
        "type": "notice",
        "title": title,
        "lines": list(lines),
        "role": role,
        "details": [list(pair) for pair in details],
        "label": label,
    }


def row(cells: Sequence[Cell], tone: str = "") -> Block:
    """One row of a table. ``tone`` (``muted``, ``strong``) only supports what the words say."""
    return {"cells": list(cells), "tone": tone}


def table(caption: str, head: Sequence[str], rows: Sequence[Block], numeric: Sequence[int] = (), empty: str = "") -> Block:
    """A table with caption and header cells; ``numeric`` are the columns of numbers, ``empty`` the sentence instead of no rows."""
    return {"type": "table", "caption": caption, "head": list(head), "rows": list(rows), "numeric": list(numeric), "empty": empty}


def item(place: str, title: str, lines: Sequence[Line] = (), tone: str = "") -> Block:
    """One entry of a ranking. ``tone`` (``muted``, ``strong``, ``focus``) only supports what the words say."""
    return {"place": place, "title": title, "lines": list(lines), "tone": tone}


def rule(text: str) -> Block:
    """A line drawn through a ranking, with its words: the end of the list, the floor."""
    return {"rule": text}


def pair(left: Block, right: Block) -> Block:
    """Two rankings side by side."""
    return {"type": "pair", "sides": [left, right]}


def ranking(title: str, items: Sequence[Block], note: str = "") -> Block:
    """One ranking: its title, its items and rules in order, and a closing sentence."""
    return {"title": title, "items": list(items), "note": note}


def folded(label: str, blocks: Sequence[Block], key: str) -> Block:
    """Blocks behind a label that opens them; ``key`` keeps them open from run to run."""
    return {"type": "folded", "label": label, "blocks": list(blocks), "key": key}


def terms(pairs: Sequence[tuple[str, str]]) -> Block:
    """Words and their explanations."""
    return {"type": "terms", "pairs": [list(pair) for pair in pairs]}


def legend(title: str, entries: Sequence[tuple[str, str, str]]) -> Block:
    """What the marks of a wording mean: for each its style, the words that show it, and what it says."""
    return {"type": "legend", "title": title, "entries": [{"style": style, "words": words, "text": text} for style, words, text in entries]}


def passages(caption: str, found: Sequence[Block]) -> Block:
    """The wording of a norm, Absatz by Absatz, see ``passage``."""
    return {"type": "passages", "caption": caption, "passages": list(found)}


def passage(key: str, text: str, marks: Sequence[Block], label: str = "", opened: bool = True, tone: str = "") -> Block:
    """One piece of a wording with its marks, behind ``label`` where there is one."""
    return {"key": key, "text": text, "marks": list(marks), "label": label, "open": opened, "tone": tone}


def stations(caption: str, found: Sequence[Block]) -> Block:
    """The stations of a norm as one row that wraps, joined by a line, see ``station``."""
    return {"type": "stations", "caption": caption, "stations": list(found)}


def station(title: str, state: str, form: str, lines: Sequence[str], mark: str = "") -> Block:
    """One station: what it asks, the answer in words, values and reason; ``form`` is the border, ``mark`` says that it decided."""
    return {"title": title, "state": state, "form": form, "lines": list(lines), "mark": mark}


def cards(caption: str, hits: Sequence[Block]) -> Block:
    """Hits as an ordered list of cards, see ``card``."""
    return {"type": "cards", "caption": caption, "cards": list(hits)}


def card(
    key: str,
    place: str,
    title: str,
    subtitle: str,
    facts: Sequence[tuple[str, str]],
    origin: str,
    text: str,
    text_label: str,
    parts_label: str,
    parts: Sequence[Block],
    norm: str = "",
    marks: Sequence[Block] = (),
    ways: Sequence[Line] = (),
    more: Sequence[Block] = (),
) -> Block:
    """One hit: where it stands, its values, how it was found, its text with the marks in it, its parts, and ways that lead on.

    ``more`` stands right under the text.
    """
    return {
        "key": key,
        "place": place,
        "title": title,
        "subtitle": subtitle,
        "facts": [list(fact) for fact in facts],
        "origin": origin,
        "text": text,
        "norm": norm,
        "marks": list(marks),
        "ways": list(ways),
        "more": list(more),
        "textLabel": text_label,
        "partsLabel": parts_label,
        "parts": list(parts),
    }

"""Parsers of German references by others, asked in an environment of their own; runs as a script there and imports nothing of ours.

    PYTHON_WITH_PEERS citation_peers.py < questions.json > answers.json

In: {"texts": [...], "names": [...], "spans": [[[start, end], ...], ...], "citations": [...], "speed": [...]}. Out, for each peer that can
be imported: for each text the found [start, end, number]; for each citation alone the numbers; the seconds for the texts of "speed".
``bundesrecht`` reads a citation and does not search in a text: it is told the spans, which the others are not.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

Found = list[tuple[int, int, str]]
Finder = Callable[[str], Found]


def quantlaw(names: list[str]) -> Finder:
    """The areas of quantlaw, parsed; it knows the names that we know."""
    areas = import_module("quantlaw.de_extract.statutes_areas")
    parse = import_module("quantlaw.de_extract.statutes_parse")
    stem_law_name = import_module("quantlaw.de_extract.stemming").stem_law_name

    known = {stem_law_name(name): name for name in names}
    extractor, parser = areas.StatutesExtractor(known), parse.StatutesParser(known)

    def find(text: str) -> Found:
        found: Found = []
        for area in extractor.find_all(text):
            if not area.has_main_area():
                continue
            try:
                paths = parser.parse_main(area.main_text())
            except Exception:  # the parser gives up on what it does not know; that is its answer
                continue
            end = area.end + area.suffix_len + area.law_len
            found += [(area.start, end, path[0][1]) for path in paths if path]
        return found

    return find


def refex(names: list[str]) -> Finder:
    """legal-reference-extraction with its default settings: it reads a section only where its law is named."""
    extractor = import_module("refex.orchestrator").CitationExtractor()

    def find(text: str) -> Found:
        kind = "html" if "&" in text or "<" in text else "plain"
        found = [one for one in extractor.extract(text, fmt=kind).citations if getattr(one, "number", None)]
        return [(one.span.start, one.span.end, number) for one in found for number in counted(one.number, one.range_end)]

    return find


def counted(number: str, last: str | None) -> list[str]:
    """The numbers of a range, its ends included."""
    if last and number.isdigit() and last.isdigit():
        return [str(one) for one in range(int(number), int(last) + 1)]
    return [number, last] if last else [number]


def bundesrecht(names: list[str]) -> Finder:
    """The numbers that bundesrecht reads in a text that is one citation."""
    reader = import_module("bundesrecht")

    def find(text: str) -> Found:
        parsed = [reader.parse_reference(canonical) for canonical in reader.normalise(text)]
        return [(0, len(text), str(one.paragraph)) for reference in parsed for one in reference.paragraphs]

    return find


PEERS: dict[str, Callable[[list[str]], Finder]] = {"quantlaw": quantlaw, "legal-reference-extraction": refex, "bundesrecht": bundesrecht}


def told(find: Finder, text: str, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """What a reader of single citations makes of the spans that it is told."""
    for start, end in spans:
        yield from ((start, end, number) for _, _, number in safe(find, text[start:end]))


def safe(find: Finder, text: str) -> Found:
    try:
        return find(text)
    except Exception:  # a peer that breaks on a text has found nothing there
        return []


def answers(name: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Everything that one peer finds."""
    find = PEERS[name](asked["names"])
    searches = name != "bundesrecht"
    pairs = zip(asked["texts"], asked["spans"], strict=True)
    texts = [safe(find, text) if searches else list(told(find, text, spans)) for text, spans in pairs]
    alone = [[number for _, _, number in safe(find, one)] for one in asked["citations"]]
    start = time.process_time()
    for text in asked["speed"] if searches else asked["citations"]:
        safe(find, text)
    return {"texts": texts, "citations": alone, "seconds": time.process_time() - start, "searches": searches}


def main() -> None:
    asked = json.load(sys.stdin)
    given: dict[str, Any] = {}
    for name in PEERS:
        try:
            with contextlib.redirect_stdout(sys.stderr):  # a peer prints while it works
                given[name] = answers(name, asked)
        except ImportError as error:
            given[name] = {"error": str(error)}
    json.dump(given, sys.stdout)


if __name__ == "__main__":
    main()

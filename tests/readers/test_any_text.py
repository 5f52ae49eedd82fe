"""Any text at all: the reader answers with a corpus or a sentence, and loses no word on the way."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import BadSource
from retrieval.readers import read

PIECE = st.sampled_from(
    [
        "§ 1",
        "## § 2 Titel",
        "# Teil 1",
        "## Anlage 1",
        "**3 Fett**",
        "4.10 Abgabe",
        "4.10.1 Papier",
        "(1) Text",
        "(2)",
        "1. Punkt",
        "a) Buchst",
        "* Stern",
        "| a | b |",
        "| --- | --- |",
        "*    *   Zelle",
        "    *   mehr",
        "Wort",
        "wort-",
        "1Satz",
        "Seite: 3",
        "12 Seite",
        "........ 4",
        "&sect;",
        "\\=",
        "**x",
        "[^1]",
        "[^1]: Fuß",
        "![b](c)",
        "<br>",
        "+++",
        "---",
        "Ende.",
        "\xa0",
        "§§ 3 bis 5 (weggefallen)",
        "Anlage 2:",
    ]
)
GAP = st.sampled_from(["\n", "\n\n", " ", "  \n"])
TEXT = st.lists(st.tuples(PIECE, GAP), max_size=60).map(lambda parts: "".join(piece + gap for piece, gap in parts))


def outcome(text: str, layout: str) -> str:
    """All words of the corpus, or the sentence of the refusal."""
    with tempfile.TemporaryDirectory() as folder:
        rules, manifest = Path(folder, "r.md"), Path(folder, "m.toml")
        rules.write_text(text, encoding="utf-8", newline="")
        manifest.write_text(f'title = "T"\nlayout = "{layout}"\n', encoding="utf-8")
        try:
            corpus = read(rules, manifest=manifest)
        except BadSource as refusal:
            return str(refusal)
        return " ".join(part.text for norm in corpus.norms for part in norm.paragraphs)


@settings(max_examples=150, deadline=None)
@given(TEXT | st.text(max_size=200), st.sampled_from(["plain", "pdf"]))
def test_any_text_is_read_or_refused_with_a_sentence(text: str, layout: str) -> None:
    assert outcome(text, layout) == outcome(text, layout)


WORD = st.text("abcdefgäöüß0123456789().,;:|*-_#§\u00a0", min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(WORD, st.sampled_from([" ", "\n", "\n\n"])), max_size=40))
def test_no_letter_below_a_heading_is_lost(parts: list[tuple[str, str]]) -> None:
    body = "".join(word + space for word, space in parts)
    text = "\n".join(line for line in body.split("\n") if not line.lstrip().startswith("#"))
    shown = outcome(f"## § 1 Titel\n\nAnfang {text}", "plain")
    assert letters(shown) == letters(f"Anfang {text}")


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)

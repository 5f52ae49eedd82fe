"""What stands in the place of a run: no question, a question too long, no index, an empty stock, a setting that is none, an error.

Pure: each screen is a list of blocks.
"""

from __future__ import annotations

from pathlib import Path

from dashboard.blocks import Block, notice, terms
from dashboard.knobtext import expected, label, shown
from dashboard.state import MOST_CHARACTERS, Note, State
from retrieval.errors import FundstelleError
from retrieval.settings import KNOBS
from retrieval.words import Words

_GLOSSARY = (
    "corpus",
    "norm",
    "chunk",
    "vector",
    "lexical",
    "rank",
    "decision",
    "fusion",
    "anchor",
    "verweis",
    "quota",
    "floor",
    "named",
    "trace",
)


def of_error(error: Exception, index: Path | None, words: Words) -> Block:
    """The screen of an error: what happened, what was not touched, what to do; the exact message behind a label."""
    name = next((each.__name__ for each in type(error).__mro__ if f"screen.{each.__name__}.title" in words.catalogue), "Exception")
    lines = [words.t(f"screen.{name}.text")]
    if index is not None and not isinstance(error, FundstelleError):
        lines.append(words.t("screen.class", error=type(error).__name__))
    details = [(words.t("screen.error"), f"{type(error).__name__}: {error}")]
    if index is not None:
        details.insert(0, (words.t("screen.index"), str(index)))
    return notice(words.t(f"screen.{name}.title"), lines, "fault", details, words.t("screen.details"))


def no_index(words: Words) -> Block:
    """No index folder was named at all."""
    return notice(words.t("screen.no_index.title"), [words.t("screen.no_index.text"), words.t("screen.start")], "warning")


def no_database(index: Path, words: Words) -> Block:
    """Nothing is stored at the place that was named: a first start, or a mistyped folder."""
    lines = [words.t("screen.NoDatabase.text"), words.t("screen.place", path=index), words.t("screen.start")]
    return notice(words.t("screen.NoDatabase.title"), lines, "warning")


def no_corpora(index: Path, words: Words) -> Block:
    """The database is there, but holds no corpus that can be asked."""
    lines = [words.t("screen.no_corpora.text"), words.t("screen.place", path=index), words.t("screen.start")]
    return notice(words.t("screen.no_corpora.title"), lines, "warning")


def all_blocked(words: Words) -> Block:
    """There are corpora, but none of them can be asked; why stands above."""
    return notice(words.t("screen.all_blocked.title"), [words.t("screen.all_blocked.text")], "warning")


def no_question(titles: list[str], words: Words) -> Block:
    """No question yet: what can be asked."""
    lines = [words.t("screen.no_question.text"), words.n("screen.stock", len(titles), titles="; ".join(titles))]
    return notice(words.t("screen.no_question.title"), lines)


def too_long(state: State, words: Words) -> Block:
    """A question with more characters than the page takes; it was not asked."""
    count, most = words.whole(len(state.question)), words.whole(MOST_CHARACTERS)
    return notice(words.t("screen.too_long.title"), [words.t("screen.too_long.text", count=count, most=most)], "warning")


def no_weights(words: Words) -> Block:
    """Both weights are zero: nothing is ranked."""
    return notice(words.t("screen.no_weights.title"), [words.t("screen.no_weights.text")], "warning")


def notes(found: tuple[Note, ...], words: Words) -> list[Block]:
    """Everything in the address that does not count, named."""
    if not found:
        return []
    return [notice(words.t("address.title"), [_note(note, words) for note in found], "warning")]


def _note(note: Note, words: Words) -> str:
    value = words.quoted(note.found[:40])
    if note.code != "value":
        return words.t(f"address.{note.code}", name=note.name[:40], value=value)
    knob = KNOBS[note.name]
    default = shown(knob, knob.default, words)
    return words.t("address.value", label=label(knob, words), value=value, expected=expected(knob, words), default=default)


def glossary(words: Words) -> Block:
    """The words of the page and what they mean."""
    return terms([(words.t(f"glossary.{name}.term"), words.t(f"glossary.{name}.text")) for name in _GLOSSARY])

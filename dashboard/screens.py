"""What stands in the place of a run: no question, a question too long, no index, an empty stock, a setting that is none, an error.

Pure: each screen is a list of blocks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dashboard.blocks import Block, notice, terms
from dashboard.knobtext import expected, label, shown
from dashboard.state import MOST_CHARACTERS, MOST_TYPED, Note, State
from retrieval.errors import FundstelleError
from retrieval.places import Server
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


def no_stock(stock: Any, index: Path, words: Words) -> Block | None:
    """The screen of a stock that cannot be asked at all; None for one that can."""
    if stock.available():
        return None
    return all_blocked(words) if stock.blocked else no_corpora(index, words)


def about_stock(stock: Any, words: Words, *, failed: Exception | None = None, changed: bool = False, inconsistent: str = "") -> list[Block]:
    """What is to be said about the stock on every page: changed since the last look, without vectors, blocked, not comparable, invented."""
    found: list[Block] = []
    label = words.t("screen.details")
    if failed is not None:
        details = [(words.t("screen.error"), f"{type(failed).__name__}: {failed}")]
        found.append(notice(words.t("page.not_reloaded"), [words.t("page.not_reloaded_text")], "fault", details, label))
    if changed:
        found.append(notice(words.t("page.reloaded"), role="warning"))
    lost = getattr(stock, "lost", "")
    if lost and stock.available():
        back = [words.t("place.lost.back", server=stock.place.address)] if isinstance(getattr(stock, "place", None), Server) else []
        details = [(words.t("screen.error"), lost)]
        found.append(notice(words.t("place.lost.title"), [words.t("place.lost.text"), *back], "fault", details, label))
    if stock.blocked:
        lines = [words.n("page.blocked_text", len(stock.blocked), corpora=", ".join(stock.blocked))]
        found.append(notice(words.t("page.blocked"), lines, "fault", list(stock.blocked.items()), label))
    if inconsistent:
        found.append(notice(words.t("page.inconsistent"), (), "warning", [(words.t("screen.error"), inconsistent)], label))
    specs = [stock.spec(corpus) for corpus in stock.available()]
    invented = [spec.title for spec in specs if getattr(spec, "invented", False)]
    if invented:
        text = words.t("page.invented_all") if len(invented) == len(specs) else words.t("page.invented_text", titles="; ".join(invented))
        found.append(notice(words.t("page.invented"), [text]))
    return found


def no_texts(words: Words) -> Block:
    """The corpora are not ours: they can be asked, but give no norms."""
    return notice(words.t("screen.no_texts.title"), [words.t("screen.no_texts.text")], "warning")


def norm_too_long(state: State, words: Words) -> Block:
    """More characters than an address can have; nothing was looked up."""
    count, most = words.whole(len(state.norm)), words.whole(MOST_TYPED)
    return notice(words.t("screen.norm_too_long.title"), [words.t("screen.norm_too_long.text", count=count, most=most)], "warning")


def no_register(words: Words) -> Block:
    """No anchor register was named."""
    return notice(words.t("screen.no_register.title"), [words.t("screen.no_register.text")], "warning")


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

"""Question sets on screen: which there are, which of their norms cannot be found, one question, and what differs between two versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from dashboard import goldnames
from dashboard.blocks import Block, Cell, Line, heading, notice, paragraph, row, statement, table, written
from dashboard.goldnames import Specs
from dashboard.naming import shortened
from retrieval.evaluation.changes import Edited, SetChanges
from retrieval.evaluation.golds import CheckedQuestion, CheckedSet, Found, GoldState
from retrieval.evaluation.model import Question
from retrieval.evaluation.protocol_text import when
from retrieval.evaluation.spelling import cell_of
from retrieval.words import NONE, Words

HASH = 12
"""Digits of a hash on screen."""
_TEXT, _LONG = 160, 1000
_FINE: tuple[GoldState, ...] = ("in_stock", "unchecked")


class Shelved(msgspec.Struct, frozen=True):
    """One set in the list. ``changed`` is when its file was written (ISO, with zone), ``hash`` that of its bytes.

    ``checked`` is None for a file that cannot be read.
    """

    name: str
    own: bool
    changed: str
    hash: str
    checked: CheckedSet | None = None


# --- the list ---------------------------------------------------------------------------------------------------------------


def shelf(found: Sequence[Shelved], words: Words) -> list[Block]:
    """All sets as a table, with what cannot be found in each."""
    columns = ("name", "questions", "golds", "states", "changed", "hash")
    head = [words.t(f"sets.shelf.{name}") for name in columns]
    rows = [row(_shelved(one, words)) for one in found]
    return [table(words.t("sets.shelf.caption"), head, rows, numeric=(1, 2))]


def _shelved(one: Shelved, words: Words) -> list[Cell]:
    name: Cell = [written(one.name), *([] if one.own else [words.t("sets.shelf.read_only")])]
    changed, digits = when(one.changed, words), one.hash[:HASH]
    if one.checked is None:
        return [name, NONE, NONE, words.t("sets.shelf.broken"), changed, digits]
    empty = one.checked.without_gold
    missing: list[Line] = [words.n("sets.shelf.without", empty)] if empty else []
    return [
        name,
        words.whole(len(one.checked.questions)),
        words.whole(one.checked.golds),
        goldnames.even([*_states(one, words), *missing]),
        changed,
        digits,
    ]


def _states(one: Shelved, words: Words) -> list[Line]:
    states = one.checked.states if one.checked else {}
    bad: list[Line] = [
        f"{words.whole(count)} {words.word('questions.state', state)}" for state, count in states.items() if state not in _FINE
    ]
    return bad or [words.t("sets.shelf.all_found" if states else "sets.shelf.no_norms")]


def is_odd(found: Found) -> bool:
    """Whether something is to be said about a gold norm."""
    return found.state not in _FINE or bool(found.note)


def problems(checked: CheckedSet, specs: Specs, words: Words) -> list[Block]:
    """Every gold norm that no search can find, or about which something is to be said, with its question."""
    odd = [(one.question, found) for one in checked.questions for found in one.found if is_odd(found)]
    if not checked.golds:
        return []
    if not odd:
        return [paragraph(words.n("sets.problems.none", checked.golds))]
    counts = {"unreachable": words.whole(checked.unreachable), "golds": words.n("questions.n.golds", checked.golds)}
    said = words.t("sets.problems.some", **counts) if checked.unreachable else words.n("sets.problems.reachable", checked.golds)
    head = [words.t(f"sets.problems.{name}") for name in ("norm", "remark", "question")]
    rows = [row(_problem(question, found, specs, words)) for question, found in odd]
    return [
        paragraph(said),
        table(words.t("sets.problems.caption"), head, rows),
    ]


def _problem(question: Question, found: Found, specs: Specs, words: Words) -> list[Cell]:
    said: list[Line] = [goldnames.said(one, words) for one in goldnames.remarks(found)]
    text: Cell = [written(shortened(question.text, _TEXT)), written(question.id)]
    return [[goldnames.line(found, specs, words)], goldnames.even([*said, *goldnames.choices(found, specs, words)]), text]


# --- questions ---------------------------------------------------------------------------------------------------------------


def matching(checked: CheckedSet, wanted: str = "", tag: str = "", odd: bool = False) -> list[CheckedQuestion]:
    """The questions with these words in id, text, note or norms, and with this tag; ``odd``: only those that something is to be said of."""
    words = wanted.casefold().split()
    return [
        one
        for one in checked.questions
        if all(word in _searched(one) for word in words)
        and (not tag or tag in one.question.tags)
        and (not odd or not one.needs or any(map(is_odd, one.found)))
    ]


def _searched(one: CheckedQuestion) -> str:
    question = one.question
    golds = (f"{found.gold.written} {found.gold.address.section_id}" for found in one.found)
    return " ".join((question.id, question.text, question.note, *golds)).casefold()


def tags(checked: CheckedSet) -> list[str]:
    """All tags of a set, by name."""
    return sorted({tag for one in checked.questions for tag in one.question.tags}, key=str.casefold)


def line(one: CheckedQuestion, words: Words) -> str:
    """One question in the list: its words, and below what it needs, in plain text."""
    odd = sum(map(is_odd, one.found))
    facts = [
        one.question.id,
        words.n("questions.n.golds", len(one.found)) if one.found else words.t("sets.list.no_gold"),
        words.n("sets.list.odd", odd) if odd else "",
        words.t("sets.list.chain") if one.question.chain else "",
        ", ".join(one.question.tags),
    ]
    return f"{shortened(one.question.text, _TEXT)}\n{' · '.join(fact for fact in facts if fact)}"


def question(one: CheckedQuestion, specs: Specs, words: Words) -> list[Block]:
    """One question with everything that the set says about it."""
    asked = one.question
    found = [heading(words.t("sets.one.title", id=""), source=asked.id), statement(asked.text, words.t("sets.one.text"))]
    if not one.needs:
        found.append(notice(words.t("sets.one.no_gold.title"), [words.t("sets.one.no_gold.text")]))
    else:
        kind = "single" if len(one.needs) == 1 else "chain" if asked.chain else "all"
        found.append(paragraph(words.t(f"sets.one.needs_{kind}", needs=goldnames.sentence(one.needs, specs, words))))
        head = [words.t(f"sets.one.{name}") for name in ("need", "norms", "written", "remark")]
        rows = [row(_need(number, need, specs, words)) for number, need in enumerate(one.needs, start=1)]
        found.append(table(words.t("sets.one.caption"), head, rows, numeric=(0,)))
    return [*found, _about(asked, words)]


def _need(number: int, need: Sequence[Found], specs: Specs, words: Words) -> list[Cell]:
    lines: list[Line] = []
    for found in need:
        lines += [*([words.t("sets.norm.or")] if lines else []), goldnames.line(found, specs, words)]
    as_written: list[Line] = [written(found.gold.written) for found in need if found.gold.written]
    said: list[Line] = []
    for found in need:
        said += [*(goldnames.said(one, words) for one in goldnames.remarks(found)), *goldnames.choices(found, specs, words)]
    return [
        words.whole(number),
        goldnames.even(lines),
        goldnames.even(as_written) if as_written else NONE,
        goldnames.even(said) if said else "",
    ]


def _about(asked: Question, words: Words) -> Block:
    values: Mapping[str, str] = {
        "chain": words.t("sets.one.chain_yes" if asked.chain else "sets.one.chain_no"),
        "tags": ", ".join(asked.tags),
        "author": asked.author,
        "note": asked.note,
        "date": words.date(datetime.fromisoformat(asked.date).date()) if asked.date else "",
    }
    rows = [
        row([words.t(f"sets.one.{name}"), [written(value)] if value else words.t("sets.one.missing")]) for name, value in values.items()
    ]
    return table(words.t("sets.one.about"), [words.t("sets.one.fact"), words.t("sets.one.value")], rows)


# --- versions -----------------------------------------------------------------------------------------------------------------


def difference(found: SetChanges, specs: Specs, words: Words) -> list[Block]:
    """What is different between a version and the set as it is now, question by question."""
    if found.none:
        return [paragraph(words.t("sets.changes.none"))]
    counts = {"added": found.added, "removed": found.removed, "edited": found.edited}
    lines = [words.n(f"sets.changes.{name}", len(each)) for name, each in counts.items() if each]
    lines += [words.t("sets.changes.moved")] if found.moved else []
    lines += [words.t("sets.changes.named")] if found.named else []
    head = [words.t(f"sets.changes.{name}") for name in ("what", "question", "before", "after")]
    rows = [_came(one, "came", words) for one in found.added]
    rows += [_came(one, "went", words) for one in found.removed]
    rows += [_edited(one, specs, words) for one in found.edited]
    return [paragraph(" ".join(lines)), *([table(words.t("sets.changes.caption"), head, rows)] if rows else [])]


def _came(asked: Question, how: str, words: Words) -> Block:
    return row([words.t(f"sets.changes.{how}"), _named(asked), "", ""])


def _edited(one: Edited, specs: Specs, words: Words) -> Block:
    parts = ", ".join(words.t(f"sets.part.{part}") for part in one.parts)
    pairs = [_pair(one, part, specs, words) for part in one.parts]
    before, after = (goldnames.even([written(shortened(text, _LONG)) for text in side]) for side in zip(*pairs, strict=True))
    return row([words.t("sets.changes.other", parts=parts), _named(one.after), before, after])


def _pair(one: Edited, part: str, specs: Specs, words: Words) -> tuple[str, str]:
    """A part before and after; norms that are called the same and differ in grade or spelling as a table has them."""
    before, after = (_part(asked, part, specs, words) for asked in (one.before, one.after))
    return (before, after) if before != after or part != "needs" else (cell_of(one.before.needs), cell_of(one.after.needs))


def _named(asked: Question) -> Cell:
    return [written(shortened(asked.text, _TEXT)), written(asked.id)]


def _part(asked: Question, part: str, specs: Specs, words: Words) -> str:
    if part == "needs":
        return goldnames.sentence([[Found(gold, "unchecked") for gold in need.any_of] for need in asked.needs], specs, words) or NONE
    if part == "chain":
        return words.t("sets.one.chain_yes" if asked.chain else "sets.one.chain_no")
    value = getattr(asked, part)
    return (", ".join(value) if isinstance(value, tuple) else value) or NONE

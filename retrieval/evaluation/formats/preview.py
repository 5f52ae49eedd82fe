"""What an import takes and what not, line by line, before anything is stored."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, Protocol

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.golds import HIGHEST, LOWEST, Found, Golds, GoldState
from retrieval.evaluation.model import Need, Question, QuestionSet
from retrieval.evaluation.spelling import NOWHERE, doc_id_of

Verdict = Literal["taken", "remarked", "refused"]
Field = Literal["id", "text", "grade", "written", "any_of", "chain", "tags", "author", "note", "date"]
"""What a format can hold beside the norms themselves."""

_TORN = re.compile("[\ufffd\ud800-\udfff]")
_LONGEST_ID = 40
MORE: tuple[Field, ...] = ("chain", "tags", "author", "note", "date")
"""What a question has beside its id, its text and its needs."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "§": " par "})
_SAID: tuple[GoldState, ...] = ("not_in_stock", "repealed", "ambiguous")


class Remark(msgspec.Struct, frozen=True):
    """One thing to be said about a line, as a code of the words ``questions.remark`` with what it speaks of."""

    code: str
    values: dict[str, str] = {}


class Row(msgspec.Struct, frozen=True):
    """One line of the source, from 1: taken, taken with a remark, or refused with the reason. ``golds`` are the norms it names."""

    line: int
    id: str
    text: str
    verdict: Verdict
    remarks: tuple[Remark, ...] = ()
    golds: tuple[Found, ...] = ()


class Preview(msgspec.Struct, frozen=True):
    """What an import would give. ``head`` are the remarks about the file as a whole, such as an unknown column."""

    format: str
    questions: QuestionSet
    rows: tuple[Row, ...] = ()
    head: tuple[Remark, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """How many lines have this verdict."""
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def without_gold(self) -> int:
        """How many questions can be asked but do not enter recall."""
        return sum(not question.needs for question in self.questions.questions)

    @property
    def states(self) -> dict[GoldState, int]:
        """How many gold norms of the lines that are taken are in which state."""
        return dict(Counter(found.state for row in self.rows if row.verdict != "refused" for found in row.golds))


class Reader(Protocol):
    """Reads the bytes of a file. ``texts`` gives the words of a question by its id, for files that hold none."""

    def __call__(self, data: bytes, golds: Golds, name: str = "", texts: Mapping[str, str] | None = None) -> Preview:
        """Raises BadInput or BadSource for a file that is none of this format."""
        ...


class Format(msgspec.Struct, frozen=True):
    """A format: how it is read and written, the ending of its files, and what it can hold beside questions and norms."""

    read: Reader
    write: Callable[[QuestionSet], bytes] | None
    ending: str
    mime: str
    holds: frozenset[Field]


# --- the questions of a file ------------------------------------------------------------------------------------------------


class Entry(msgspec.Struct, frozen=True):
    """A question as a line gives it, before it is judged. An empty ``id`` is made from the text."""

    line: int
    id: str
    text: str
    needs: tuple[tuple[Found, ...], ...] = ()
    remarks: tuple[Remark, ...] = ()
    refusals: tuple[Remark, ...] = ()
    chain: bool = False
    tags: tuple[str, ...] = ()
    author: str = ""
    note: str = ""
    date: str = ""


class Intake:
    """Takes in the questions of a file one after the other and judges each: its id, its text, its norms."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.questions: list[Question] = []
        self._ids: dict[str, int] = {}
        self._texts: dict[str, tuple[int, str]] = {}

    def add(self, entry: Entry) -> None:
        """One question; it gets a row in any case, and is taken if nothing speaks against it."""
        text = entry.text.strip()
        golds = tuple(found for need in entry.needs for found in need)
        refusals = (*entry.refusals, *self._refusals(entry, text, golds))
        if refusals:
            self.rows.append(Row(entry.line, entry.id, text, "refused", refusals, golds))
            return
        question_id = entry.id or made_id(text, self._ids)
        remarks = [*entry.remarks, *(said for found in golds for said in about(found))]
        remarks += _twice(golds)
        remarks += [] if entry.id else [Remark("id_made", {"id": question_id})]
        remarks += [] if golds else [Remark("no_gold")]
        self._ids[question_id] = entry.line
        self._texts[_folded(text)] = (entry.line, entry.text)
        self.rows.append(Row(entry.line, question_id, text, "remarked" if remarks else "taken", tuple(remarks), golds))
        more = {name: getattr(entry, name) for name in MORE}
        self.questions.append(Question(question_id, text, needs_of(entry.needs), **more))

    def refuse(self, line: int, code: str, **values: str) -> None:
        """A line that gives no question at all."""
        self.rows.append(Row(line, "", "", "refused", (Remark(code, values),)))

    def _refusals(self, entry: Entry, text: str, golds: Iterable[Found]) -> Iterable[Remark]:
        if not text:
            yield Remark("no_text")
        if any(is_torn(part) for part in (entry.id, text, entry.note, entry.author, *entry.tags)):
            yield Remark("replacement")
        if entry.id in self._ids:
            yield Remark("doubled_id", {"id": entry.id, "line": str(self._ids[entry.id])})
        line, other = self._texts.get(_folded(text), (0, ""))
        if line and text:
            yield Remark("same_text" if other == entry.text else "blank_only", {"line": str(line)})
        for found in golds:
            if found.state == "unreadable":
                yield unreadable(found)


def _twice(golds: Iterable[Found]) -> list[Remark]:
    """The norms that a question names a second time."""
    seen: set[object] = set()
    found: list[Remark] = []
    for one in golds:
        found += [Remark("gold_twice", {"gold": named(one)})] if one.gold.address in seen else []
        seen |= {one.gold.address} - {NOWHERE}
    return found


def about(found: Found) -> list[Remark]:
    """What is to be said about a gold norm that is taken."""
    said = [Remark(f"gold_{found.state}", {"gold": named(found)})] if found.state in _SAID else []
    return said + ([Remark(f"gold_{found.note}", {"gold": named(found)})] if found.note else [])


def unreadable(found: Found) -> Remark:
    """Why a gold norm cannot be taken."""
    return Remark("gold_unreadable" + (f"_{found.note}" if found.note else ""), {"gold": named(found)})


def named(found: Found) -> str:
    """A gold norm as a person wrote it, else by its address."""
    address = found.gold.address
    parts = (address.section_id, f"Abs. {address.subsection}" if address.subsection else "", address.container_id, address.corpus_id)
    return found.gold.written or " ".join(part for part in parts if part)


def needs_of(needs: Iterable[Iterable[Found]]) -> tuple[Need, ...]:
    """The needs of a question from the norms that were found."""
    return tuple(Need(tuple(found.gold for found in need)) for need in needs)


def is_torn(text: str) -> bool:
    """Whether a text has lost characters before it came here: it holds the sign for one that could not be read, or half a one."""
    return bool(_TORN.search(text))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def made_id(text: str, taken: Mapping[str, object]) -> str:
    """An id out of the words of a question, at most 40 characters, that is not taken yet: ``wie-laeuft-die-pruefung``."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(_UMLAUTS)).encode("ascii", "ignore").decode()
    words = re.findall("[a-z0-9]+", plain) or ["frage"]
    while len("-".join(words)) > _LONGEST_ID and len(words) > 1:
        words.pop()
    stem = "-".join(words)[:_LONGEST_ID]
    number, made = 1, stem
    while made in taken:
        number += 1
        made = f"{stem}-{number}"
    return made


def beside(preview: Preview, old: QuestionSet, ids_are_made: bool) -> Preview:
    """A preview for a set that has questions already: what stands in it is refused, and an id that was made gives way to one in use.

    ``ids_are_made``: the format holds no ids, so that an equal one is chance. An id in use under which the set says something else is
    told apart from a question that stands there as it is.
    """
    texts = {_folded(question.text): question for question in old.questions}
    known = {question.id: question for question in old.questions}
    ids: dict[str, object] = dict(known)
    made = {row.id for row in preview.rows if any(remark.code == "id_made" for remark in row.remarks)}
    taken: list[Question] = []
    refused: dict[str, Remark] = {}
    for question in preview.questions.questions:
        chance = ids_are_made or question.id in made
        new = made_id(question.text, ids) if question.id in ids and chance else question.id
        same = texts.get(_folded(question.text))
        if same or new in ids:
            other = new in known and _says(known[new]) != _says(question)
            refused[_folded(question.text)] = (
                Remark("id_in_set", {"id": new}) if other else Remark("in_set", {"id": same.id if same else new})
            )
            continue
        ids[new] = None
        taken.append(msgspec.structs.replace(question, id=new))
    rows = tuple(_in_set(row, refused.get(_folded(row.text))) for row in preview.rows)
    return msgspec.structs.replace(preview, questions=msgspec.structs.replace(preview.questions, questions=tuple(taken)), rows=rows)


def _says(question: Question) -> tuple[object, ...]:
    """What a question asks and needs, as far as every table holds it."""
    needs = tuple(tuple((gold.address, gold.grade) for gold in need.any_of) for need in question.needs)
    return _folded(question.text), needs, question.chain


def _in_set(row: Row, remark: Remark | None) -> Row:
    if remark is None or row.verdict == "refused":
        return row
    return msgspec.structs.replace(row, verdict="refused", remarks=(remark, *row.remarks))


# --- values as people write them ---------------------------------------------------------------------------------------------


def grade_of(raw: str) -> tuple[int | None, Remark | None]:
    """A rating as a grade from 1 to 3, decimal comma allowed, with what was changed; no grade for one that says "not relevant"."""
    try:
        rating = float(raw.strip().replace(",", ".", 1)) if raw.strip() else float(LOWEST)
    except ValueError:
        return None, Remark("rating_unreadable", {"rating": raw.strip()})
    if not rating > 0:
        return None, Remark("not_relevant", {"rating": raw.strip()})
    grade = min(HIGHEST, max(LOWEST, int(rating + 0.5) if rating < HIGHEST else HIGHEST))
    return grade, None if grade == rating else Remark("grade_fitted", {"rating": raw.strip(), "grade": str(grade)})


# --- what is left in a format --------------------------------------------------------------------------------------------------


def reduced(questions: QuestionSet, holds: Iterable[Field]) -> QuestionSet:
    """The set that is read back from a format that holds no more than this, if the words of the questions are at hand."""
    fields = frozenset(holds)
    ids: dict[str, object] = {}
    found: list[Question] = []
    for question in questions.questions:
        question_id = question.id if "id" in fields else made_id(question.text, ids)
        ids[question_id] = True
        more = {name: getattr(question, name) for name in MORE if name in fields}
        found.append(Question(question_id, question.text, _reduced(question.needs, fields), **more))
    return QuestionSet(questions.name, tuple(found))


def _reduced(needs: Iterable[Need], fields: frozenset[Field]) -> tuple[Need, ...]:
    def gold(one: Need) -> Need:
        return Need(
            tuple(
                msgspec.structs.replace(
                    each,
                    grade=each.grade if "grade" in fields else LOWEST,
                    written=each.written if "written" in fields or each.address == NOWHERE else "",
                )
                for each in one.any_of
            )
        )

    kept = tuple(gold(need) for need in needs)
    if "any_of" in fields:
        return kept
    singles = {doc_id_of(each): each for need in reversed(kept) for each in reversed(need.any_of)}
    return tuple(Need((each,)) for each in reversed(singles.values()))


def lost(questions: QuestionSet, holds: Iterable[Field]) -> tuple[Field, ...]:
    """What of this set a format does not hold, so that it can be said before it is exported."""
    fields = frozenset(holds)
    missing = [field for field in _ALL if field not in fields]
    whole = reduced(questions, _ALL)
    return tuple(field for field in missing if (field == "text" and whole.questions) or reduced(questions, set(_ALL) - {field}) != whole)


_ALL: tuple[Field, ...] = ("id", "text", "grade", "written", "any_of", "chain", "tags", "author", "note", "date")


def unusable(name: str, found: str, expected: str, to_do: str) -> BadInput:
    """The error for a file that is none of its format."""
    return BadInput(f"{name or 'The file'}: found {found}; expected {expected}. Nothing was taken. {to_do}")

"""The text of a question set: TOML with one ``[[question]]`` entry for each, read with all faults together and written for review."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.golds import HIGHEST, LOWEST
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.model import Address

_TEXTS = ("id", "text", "author", "note", "shows")
_KEYS = ("id", "text", "gold", "chain", "tags", "author", "date", "note", "shows")
"""``shows`` says what a question demonstrates; it is kept in the file and is no part of the question."""
_PARTS = {"corpus": "corpus_id", "container": "container_id", "section": "section_id", "subsection": "subsection"}
_HEADER = re.compile(r"\s*\[\[\s*question\s*\]\]")
_KEY = re.compile(r"\s*([A-Za-z_]+)\s*=")
_STRING = re.compile(r""""{3}|'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#.*""")
_ENDS = {'"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL), "'''": re.compile(r"(?s:.)*?'''")}
# What shows a text in another order than it has, or breaks a line where nobody sees it, is written as an escape.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_ROW = re.compile(r"[^\n]*\n|[^\n]+")
_LONGEST_LINE = 120


# --- reading ----------------------------------------------------------------------------------------------------------------


def parse(content: bytes, name: str = "fragen.toml") -> QuestionSet:
    """The set in these bytes; ``name`` stands in the messages. Raises BadInput with all faults together, each with line and question."""
    text, raw = _toml(content, name)
    lines = [block.lines for block in _blocks(text)[1]]
    faults = [f"found the key {key!r} outside a question. Known are name, note, question. Mend it." for key in raw if not _known(key, raw)]
    entries = raw.get("question", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadInput(f"{name}: found 'question' in another form. Expected [[question]] with two brackets, once for each question.")
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        places = lines[index] if len(lines) == len(entries) else {}
        faults += _faults(entry, places, seen)
    if faults:
        raise BadInput(f"{name}: {len(faults)} fault(s), nothing was loaded.\n" + "\n".join(faults))
    title = raw.get("name", "") or PurePath(name).stem
    return QuestionSet(title, tuple(_question(entry) for entry in entries), raw.get("note", ""))


def places(content: bytes) -> tuple[int, ...]:
    """The line, from 1, on which each question of a set begins; 0 where the entries are written in another way than one by one."""
    text, raw = _toml(content, "")
    lines = tuple(block.lines[""] for block in _blocks(text)[1])
    count = len(raw.get("question", ()))
    return lines if len(lines) == count else (0,) * count


def _toml(content: bytes, name: str) -> tuple[str, dict[str, Any]]:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadInput(f"{name}, line {line}: found bytes that are no UTF-8; expected a TOML file. Save the file as UTF-8.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{name}: found no valid TOML ({error}). Expected entries that begin with [[question]]. Mend the line.") from None


def _known(key: str, raw: Mapping[str, Any]) -> bool:
    return key == "question" or (key in ("name", "note") and isinstance(raw[key], str))


def _faults(entry: Mapping[str, Any], places: Mapping[str, int], seen: dict[str, int]) -> Iterator[str]:
    start = places.get("", 0)
    label = f", question {entry['id']!r}" if isinstance(entry.get("id"), str) else ""

    def at(key: str, fault: str) -> str:
        return f"Line {places.get(key, start)}{label}: {fault}"

    for key, value in entry.items():
        yield from (at(key, fault) for fault in _key_faults(key, value))
    for key in ("id", "text"):
        if key not in entry:
            yield at("", f"the key {key!r} is missing. Add it to the question.")
    question_id = entry.get("id")
    if isinstance(question_id, str):
        if question_id in seen:
            yield at("id", f"this id stands already in line {seen[question_id]}. Give each question its own.")
        seen.setdefault(question_id, places.get("id", start))


def _key_faults(key: str, value: Any) -> Iterator[str]:
    if key not in _KEYS:
        yield f"the key {key!r} is unknown. Known are {', '.join(_KEYS)}. Correct or remove it."
    elif key in _TEXTS and not isinstance(value, str):
        yield f"{key!r} is {_shown(value)}. Expected a text in quotes."
    elif key in ("id", "text") and not value.strip():
        yield f"{key!r} is empty. Write it out."
    elif key == "chain" and not isinstance(value, bool):
        yield f"'chain' is {_shown(value)}. Expected true or false."
    elif key == "tags" and not (isinstance(value, list) and all(isinstance(tag, str) and tag.strip() for tag in value)):
        yield f"'tags' is {_shown(value)}. Expected a list of words in quotes."
    elif key == "date" and not _is_date(value):
        yield f"'date' is {_shown(value)}. Expected a date such as 2033-05-02."
    elif key == "gold":
        yield from _gold_faults(value)


def _gold_faults(value: Any) -> Iterator[str]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        yield f"'gold' is {_shown(value)}. Expected a list of norms such as [{{ written = …, corpus = …, section = … }}]."
        return
    for number, entry in enumerate(value, start=1):
        if "any_of" not in entry:
            yield from (f"gold norm {number}: {fault}" for fault in _norm_faults(entry))
        elif len(entry) > 1 or not _norms(entry["any_of"]):
            yield f"gold norm {number}: 'any_of' is {_shown(entry)}. Expected a list of norms, and no other key beside it."
        else:
            yield from (f"gold norm {number}: {fault}" for one in entry["any_of"] for fault in _norm_faults(one))


def _norms(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _norm_faults(norm: Mapping[str, Any]) -> Iterator[str]:
    known = ("written", *_PARTS, "grade")
    for key, value in norm.items():
        if key not in known:
            yield f"the key {key!r} is unknown. Known are {', '.join(known)}. Correct or remove it."
        elif key == "grade":
            if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
                yield f"'grade' is {_shown(value)}. Expected a whole number from {LOWEST} (helps) to {HIGHEST} (decides)."
        elif not isinstance(value, str):
            yield f"{key!r} is {_shown(value)}. Expected a text in quotes."
    if not any(norm.get(key) for key in ("corpus", "written")):
        yield "found neither 'corpus' nor 'written'. Name the norm: corpus and section, or the words in 'written'."
    elif norm.get("section", "") == "" and norm.get("corpus"):
        yield "found no 'section'. A norm has one, such as § 129; a whole corpus or annex is no norm. Add it."


def _shown(value: object) -> str:
    return repr(value)[:60]


def _is_date(value: Any) -> bool:
    if isinstance(value, str):
        try:
            datetime.date.fromisoformat(value)
        except ValueError:
            return False
        return len(value) == len("2033-05-02")
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)


def _question(entry: Mapping[str, Any]) -> Question:
    needs = tuple(Need(tuple(_gold(norm) for norm in norms.get("any_of", [norms]))) for norms in entry.get("gold", []))
    texts = {key: entry.get(key, "") for key in ("id", "text", "author", "note")}
    return Question(
        **texts, needs=needs, chain=entry.get("chain", False), tags=tuple(entry.get("tags", ())), date=str(entry.get("date", ""))
    )


def _gold(norm: Mapping[str, Any]) -> Gold:
    address = Address(**{"corpus_id": "", **{field: norm[key] for key, field in _PARTS.items() if key in norm}})
    return Gold(address, norm.get("grade", LOWEST), norm.get("written", ""))


# --- the blocks of a file -------------------------------------------------------------------------------------------------------


class _Block(msgspec.Struct, frozen=True):
    """The text that belongs to one question: the comments in front of it, then its entry. ``lines`` are the lines of its keys, from 1."""

    lead: str
    body: str
    lines: dict[str, int]

    @property
    def comments(self) -> str:
        """The comments inside the entry, each on its line."""
        return "".join(f"{line.strip()}\n" for line in self.body.splitlines() if line.lstrip().startswith("#"))


def _blocks(text: str) -> tuple[str, list[_Block]]:
    """What stands in front of the first question, and the block of every question. Lines inside long texts open no block."""
    rows = _ROW.findall(text)
    starts: list[int] = []
    keys: list[dict[str, int]] = []
    inside = ""
    for number, row in enumerate(rows, start=1):
        if not inside:
            if _HEADER.match(row):
                starts.append(number - 1)
                keys.append({"": number})
            elif keys and (key := _KEY.match(row)):
                keys[-1].setdefault(key[1], number)
        inside = _open_text(row, inside)
    leads = [_lead(rows, start, floor) for start, floor in zip(starts, [0, *starts], strict=False)]
    ends = [*leads[1:], len(rows)] if leads else []
    blocks = ["".join(rows[lead:start]) for lead, start in zip(leads, starts, strict=True)]
    bodies = ["".join(rows[start:end]) for start, end in zip(starts, ends, strict=True)]
    front = "".join(rows[: leads[0]]) if leads else text
    return front, [_Block(lead, body, found) for lead, body, found in zip(blocks, bodies, keys, strict=True)]


def _open_text(row: str, inside: str) -> str:
    """The quotation marks of the long text that is open at the end of a row; ``inside`` are those that were open before it."""
    pos = 0
    while True:
        found = _ENDS[inside].match(row, pos) if inside else _STRING.search(row, pos)
        if found is None:
            return inside
        inside = found[0] if not inside and found[0] in _ENDS else ""
        pos = found.end()


def _lead(rows: list[str], start: int, floor: int) -> int:
    """Where the comments begin that stand directly in front of a question, without a blank line between."""
    while start > floor and rows[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


# --- writing --------------------------------------------------------------------------------------------------------------------


def written(questions: QuestionSet, before: bytes = b"", name: str = "fragen.toml") -> bytes:
    """The file of a set. Of the file ``before`` it keeps the comments, and every question that says the same byte for byte.

    Raises BadInput for a set that would not be read back as it is: a doubled id, an empty text, a grade out of range, half a character.
    """
    for text in (_kept(questions, before, name), _anew(questions, name)):
        try:
            content = text.encode()
            if text and parse(content, name) == questions:
                return content
        except UnicodeEncodeError as error:
            raise BadInput(
                f"{name}: found half a character ({error.object[error.start]!r}) in a text; expected whole ones. Remove it."
            ) from None
        except BadInput:
            if text == _anew(questions, name):
                raise
    raise BadInput(f"{name}: found a set that its file would not give back as it is; expected plain texts. Nothing was written.")


def _kept(questions: QuestionSet, before: bytes, name: str) -> str:
    """The file with the old comments and unchanged questions; empty when the old file cannot be read."""
    try:
        text, raw = _toml(before, name)
        old = parse(before, name)
    except BadInput:
        return ""
    front, blocks = _blocks(text)
    if len(blocks) != len(old.questions) or not blocks:
        return ""
    shows = [str(entry.get("shows", "")) for entry in raw["question"]]
    known = {one.id: (one, block, shown) for one, block, shown in zip(old.questions, blocks, shows, strict=True)}
    parts = [_front(questions, old, front, name)]
    for question in questions.questions:
        same, block, shown = known.get(question.id, (None, _Block("", "", {}), ""))
        parts.append(block.lead + (block.body if same == question else _entry(question, shown, block.comments)))
    return _joined(parts)


def _front(questions: QuestionSet, old: QuestionSet, front: str, name: str) -> str:
    if (questions.name, questions.note) == (old.name, old.note):
        return front
    comments = "".join(row for row in front.splitlines(keepends=True) if row.lstrip().startswith("#"))
    return comments + _head(questions, name)


def _joined(parts: list[str]) -> str:
    """One blank line between the parts, none at the end."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip("\n")) + "\n"


def _anew(questions: QuestionSet, name: str) -> str:
    return _joined([_head(questions, name), *(_entry(question) for question in questions.questions)])


def _head(questions: QuestionSet, name: str) -> str:
    named = "" if questions.name == PurePath(name).stem else f"name = {_quoted(questions.name)}\n"
    return named + (f"note = {_quoted(questions.note)}\n" if questions.note else "")


def _entry(question: Question, shows: str = "", comments: str = "") -> str:
    lines = [f"id = {_quoted(question.id)}", f"text = {_quoted(question.text)}"]
    lines += [f"gold = {_golds(question.needs)}"] if question.needs else []
    lines += ["chain = true"] if question.chain else []
    lines += [f"tags = [{', '.join(map(_quoted, question.tags))}]"] if question.tags else []
    more = {"author": question.author, "note": question.note, "shows": shows}
    lines += [f"{key} = {_quoted(value)}" for key, value in more.items() if value]
    lines += [f"date = {question.date if _is_date(question.date) else _quoted(question.date)}"] if question.date else []
    return "[[question]]\n" + comments + "\n".join(lines) + "\n"


def _golds(needs: tuple[Need, ...]) -> str:
    each = [_norm(need.any_of[0]) if len(need.any_of) == 1 else _any_of(need) for need in needs]
    one_line = f"[{', '.join(each)}]"
    if len(each) == 1 and len(one_line) <= _LONGEST_LINE and "\n" not in one_line:
        return one_line
    return "[\n" + "".join(f"    {one},\n" for one in each) + "]"


def _any_of(need: Need) -> str:
    # An inline table stands on one line, its arrays may not: TOML allows line ends inside the brackets.
    return "{ any_of = [\n" + "".join(f"        {_norm(gold)},\n" for gold in need.any_of) + "    ] }"


def _norm(gold: Gold) -> str:
    parts = {"written": gold.written, **{key: getattr(gold.address, field) for key, field in _PARTS.items()}}
    texts = [f"{key} = {_quoted(value)}" for key, value in parts.items() if value]
    return f"{{ {', '.join([*texts, *([f'grade = {gold.grade}'] if gold.grade != LOWEST else [])])} }}"


def _quoted(text: str) -> str:
    """A text as a TOML string on one line: JSON's escapes are TOML's, and signs that hide are escaped, too."""
    return _HIDDEN.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(text, ensure_ascii=False))

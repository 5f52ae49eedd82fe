"""Taking questions in from a file: which format it has, what every line gives, and only then a name and the button that stores it."""

from __future__ import annotations

import logging
from pathlib import Path, PurePath
from typing import Any

import msgspec
import streamlit as st

from dashboard import pinning, setting_up
from dashboard.blocks import Block, heading, notice, paragraph
from dashboard.component import draw
from dashboard.setting_up import Change, Desk, Opened, Said
from dashboard.views import preview as view
from retrieval.evaluation import formats, sets
from retrieval.evaluation.formats import FORMATS
from retrieval.evaluation.formats.guess import Guess, guess
from retrieval.evaluation.formats.preview import Preview, beside
from retrieval.evaluation.model import QuestionSet
from retrieval.words import Words

log = logging.getLogger(__name__)
LARGEST = 20
"""Megabytes of a file: 300 questions have less than one."""
_MEGABYTE = 1_000_000
_BUTTON = """<style>
[data-testid=stFileUploaderDropzone] [kind=secondary] p {{ font-size: 0 }}
[data-testid=stFileUploaderDropzone] [kind=secondary] p::after {{ font-size: 0.9rem; content: "{label}" }}
[data-testid=stFileUploaderDropzoneInstructions] {{ display: none }}
</style>"""
"""The uploader speaks English whatever the page speaks; its button gets our words, and its limit stands in the hint below it.

Its own word is only too small to be seen: hidden, it would take ours with it out of the name that is read aloud.
"""
_ROUND, _READ = "sets_round", "sets_read"
_FORMAT, _TEXTS, _TARGET, _SHOWN, _NAME = "sets_format", "sets_texts", "sets_target", "sets_shown", "sets_name"
_NEW, _ADD = "new", "add"
_LONGEST_NAME = 80
_WITHOUT_TEXT = ("ranx", "trec")
"""Formats of which a file may hold no words of the questions."""


class Target(msgspec.Struct, frozen=True):
    """Where the questions go: beside those of a set, or into a new one, where ``old`` is empty and nothing was seen."""

    old: QuestionSet
    seen: str = ""


def page(desk: Desk, opened: Opened | None, words: Words) -> None:
    """Draw the way from a file to a set; nothing is stored before its last button."""
    draw([heading(words.t("sets.import.title")), paragraph(words.t("sets.import.lead"), muted=True)], "import_title", words.language)
    number = st.session_state.setdefault(_ROUND, 0)
    st.html(_BUTTON.format(label=words.t("sets.import.button")))
    file = st.file_uploader(words.t("sets.import.file"), key=f"sets_file_{number}")
    st.caption(words.t("sets.import.hint", most=words.whole(LARGEST)))
    if file is None:
        return
    if file.size > LARGEST * _MEGABYTE:
        title, text = words.t("sets.import.too_large.title"), words.t("sets.import.too_large.text", most=words.whole(LARGEST))
        draw([notice(title, [text], "fault")], "import_fault", words.language)
        return
    data = file.getvalue()
    found = guess(data)
    if found.fault:
        draw([_fault(found, words)], "import_fault", words.language)
        return
    name = _format(found, number, file.file_id, words)
    texts = _texts(name, desk, number, words)
    target = _target(opened, number, words)
    key = (desk.runs.stamp, sets.file_hash(data), name, tuple(texts.items()), target.seen)
    read = _read(key, data, file.name, name, texts, target, desk)
    if isinstance(read, str):
        title, text = words.t("sets.import.unreadable.title"), words.t("sets.import.unreadable.text", format=_named(name, words))
        about = [(words.t("screen.error"), read)]
        draw([notice(title, [text], "fault", about, words.t("screen.details"))], "import_unreadable", words.language)
        return
    _preview(read, desk, words)
    _button(read, target, file.name, desk, opened, words)
    setting_up.tell(words, "import")


def _fault(found: Guess, words: Words) -> Block:
    key = f"sets.import.{found.fault}"
    text = words.t(f"{key}.text") if not found.line else words.t("sets.import.torn.line", line=words.whole(found.line))
    return notice(words.t(f"{key}.title"), [text], "fault")


def _named(name: str, words: Words) -> str:
    return words.t(f"sets.format.{name}.title")


def _format(found: Guess, number: int, file_id: str, words: Words) -> str:
    """The format: the one that was guessed, or another that a person chose for this file."""
    options = list(FORMATS)
    key = f"{_FORMAT}_{number}_{file_id}"
    name: str = st.selectbox(
        words.t("sets.import.format"), options, options.index(found.format), key=key, format_func=lambda one: _named(one, words)
    )
    st.caption(words.t("sets.import.guessed" if name == found.format else "sets.import.chosen", format=_named(found.format, words)))
    return name


def _texts(name: str, desk: Desk, number: int, words: Words) -> dict[str, str]:
    """The words of the questions by their ids, out of a set that has them, where the file may hold none."""
    if name not in _WITHOUT_TEXT:
        return {}
    options = ["", *(place.name for place in desk.places)]
    label, none = words.t("sets.import.texts"), words.t("sets.import.texts_none")
    chosen = st.selectbox(label, options, key=f"{_TEXTS}_{number}", format_func=lambda one: one or none)
    st.caption(words.t("sets.import.texts_hint"))
    place = next((place for place in desk.places if place.name == chosen), None)
    loaded = desk.opened(place).loaded if place else None
    return {one.id: one.text for one in loaded.questions.questions} if loaded else {}


def _target(opened: Opened | None, number: int, words: Words) -> Target:
    if opened is None or opened.loaded is None or not opened.place.own:
        return Target(QuestionSet(""))
    chosen = st.radio(
        words.t("sets.import.target"), [_NEW, _ADD], key=f"{_TARGET}_{number}", format_func=lambda one: words.t(f"sets.import.target_{one}")
    )
    if chosen == _NEW:
        return Target(QuestionSet(""))
    text = words.t("sets.import.adding", name=words.quoted(opened.place.name))
    draw([paragraph(text, muted=True)], "import_adding", words.language)
    return Target(opened.loaded.questions, opened.seen)


def _read(key: tuple[Any, ...], data: bytes, file: str, name: str, texts: dict[str, str], target: Target, desk: Desk) -> Preview | str:
    """What the file gives, read once for each choice; the exact message where it cannot be read as this format."""
    known = st.session_state.get(_READ)
    if known is not None and known[0] == key:
        kept: Preview | str = known[1]
        return kept
    found: Preview | str
    try:
        preview = formats.read(name, data, desk.golds, file, texts)
        found = beside(preview, target.old, "id" not in FORMATS[name].holds)
    except Exception as error:  # a file of a stranger: whatever is wrong with it, the page stands and says so
        log.warning("a file of questions could not be read: %s", error)
        found = str(error)
    st.session_state[_READ] = (key, found)
    return found


def _preview(read: Preview, desk: Desk, words: Words) -> None:
    title = heading(words.t("sets.preview.title"))
    draw([title, *view.summary(read, words)], "import_summary", words.language)
    options = ["", *(verdict for verdict in view.VERDICTS if read.count(verdict))]

    def label(verdict: str) -> str:
        counted = words.word("questions.verdict", verdict) if verdict else words.t("sets.preview.every")
        return f"{counted} ({words.whole(len(view.rows_with(read, verdict)))})"

    shown = st.radio(words.t("sets.preview.show"), options, key=_SHOWN, format_func=label, horizontal=True)
    rows = view.rows_with(read, shown or "")
    places = pinning.paged(f"{_SHOWN}_{shown}", len(rows), words)
    draw([view.rows(read, [rows[place] for place in places], desk.specs, words)], "import_rows", words.language)


def _button(read: Preview, target: Target, file: str, desk: Desk, opened: Opened | None, words: Words) -> None:
    count = len(read.questions.questions)
    if not count:
        draw([notice(words.t("sets.import.nothing.title"), [words.t("sets.import.nothing.text")])], "import_nothing", words.language)
        return
    label = words.n("sets.import.take", count)
    if target.seen and opened is not None:
        st.button(label, key="sets_take", type="primary", on_click=_take, args=(read, target, file, opened.place.name, desk))
        return
    with st.form("sets_new", border=False):
        free = setting_up.suggested(PurePath(file).stem, desk)
        st.text_input(words.t("sets.name"), free, max_chars=_LONGEST_NAME, key=f"{_NAME}_{file}")
        st.caption(words.t("sets.name_hint"))
        args = (read, target, file, "", desk)
        st.form_submit_button(label, key="sets_take", type="primary", on_click=_take, args=args)


def _take(read: Preview, target: Target, file: str, into: str, desk: Desk) -> None:
    name = into or " ".join(st.session_state[f"{_NAME}_{file}"].split())
    if not into and name.casefold() in desk.names:
        setting_up.say(Said("exists", {"name": name}, "warning", where="import"))
        return
    new = read.questions.questions
    old = target.old if into else QuestionSet(name)

    def write(path: Path) -> sets.Loaded:
        return sets.save(path, msgspec.structs.replace(old, questions=(*old.questions, *new)), target.seen)

    details: setting_up.Details = {"file": file, "format": read.format, "questions": len(new), "refused": read.count("refused")}
    done = Said("imported", {"name": name}, count=len(new))
    if setting_up.store(desk, name, write, Change("imported", details, done, where="import")) is None:
        st.session_state[_ROUND] += 1
        st.session_state.pop(_READ, None)
        st.session_state[setting_up.TASK] = setting_up.TASKS[0]
        st.session_state.pop(setting_up.OPEN, None)

"""Changing one question of an own set: a form that is read like one line of a table, looked at, and only then stored.

What is typed stays where it is until it is stored: nobody's change and nobody's lock takes it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec
import streamlit as st

from dashboard import setting_up
from dashboard.blocks import Block, heading, notice, paragraph
from dashboard.component import draw
from dashboard.setting_up import OPEN, Change, Desk, Said
from dashboard.tuning import WHO, Tuning
from dashboard.views import preview as view
from retrieval.evaluation import sets
from retrieval.evaluation.changes import parts
from retrieval.evaluation.formats.preview import Row, beside
from retrieval.evaluation.formats.table import HEAD, read_table, rows_of
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.sets import SetChanged
from retrieval.evaluation.spelling import cell_of
from retrieval.exports.cells import safe_text
from retrieval.words import Words

_FORM, _REMOVAL = "form", "removal"
_DRAFT, _COUNT = "sets_draft", "sets_drafts"
_FIELDS = ("id", "text", "gold", "chain", "tags", "note", "why")
_LONGEST, _LONGEST_ID, _LONGEST_WHY = 4000, 80, 300


class Draft(msgspec.Struct, frozen=True):
    """A question in work: of which set, what it was, and the hash of the set then. ``base`` is None for a new one.

    ``values`` are the fields as they were last looked at, ``row`` what they were read as; ``torn``: the set was written by somebody else.
    """

    number: int
    set_name: str
    seen: str
    base: Question | None = None
    values: dict[str, str] = {}
    row: Row | None = None
    torn: bool = False

    def key(self, field: str) -> str:
        """The key of a field of the form."""
        return f"sets_draft_{self.number}_{field}"


def current(tuning: Tuning) -> Draft | None:
    """The question of this set that is in work."""
    draft: Draft | None = st.session_state.get(_DRAFT)
    return draft if draft is not None and draft.set_name == tuning.place.name else None


def begin(tuning: Tuning, base: Question | None) -> None:
    """Take a question into work, or a new one."""
    number = st.session_state.get(_COUNT, 0) + 1
    cells = dict(zip(HEAD, next(rows_of(QuestionSet("", (base,)))), strict=True)) if base else {}
    texts = (
        {"text": base.text, "note": base.note, "tags": cells["schlagworte"], "gold": _lines(base), "chain": cells["kette"]} if base else {}
    )
    values = {field: texts.get(field, "") for field in _FIELDS}
    st.session_state[_COUNT], st.session_state[_DRAFT] = number, Draft(number, tuning.place.name, tuning.loaded.seen, base, values)


def leave() -> None:
    """Put the question away without storing it, with what was to be said beside its form."""
    if st.session_state.pop(_DRAFT, None) is not None:
        setting_up.hush(_FORM)


def _lines(base: Question | None) -> str:
    """The norms of a question as the field shows them: one need in each line."""
    return "\n".join(cell_of([need]) for need in base.needs) if base else ""


# --- the form -----------------------------------------------------------------------------------------------------------------


def form(draft: Draft, desk: Desk, tuning: Tuning, words: Words) -> None:
    """Draw the form, below it what its norms were read as, and what is to be said where the set was written meanwhile."""
    title = "sets.form.title_new" if draft.base is None else "sets.form.title"
    draw([heading(words.t(title)), paragraph(words.t("sets.form.lead"), muted=True)], "form_title", words.language)
    if draft.torn:
        draw([_torn(draft, tuning, words)], "form_torn", words.language)
        st.button(words.t("sets.form.rebase"), key="sets_rebase", on_click=_rebase, args=(draft, tuning))
    was = draft.values
    most = max(_LONGEST, *map(len, was.values()))  # a field cuts what is longer without a word
    with st.form(f"sets_form_{draft.number}"):
        if draft.base is None:
            hint = words.t("sets.form.id_hint")
            st.text_input(words.t("sets.form.id"), was["id"], key=draft.key("id"), max_chars=_LONGEST_ID, placeholder=hint)
        st.text_area(words.t("sets.form.text"), was["text"], key=draft.key("text"), max_chars=most)
        st.text_area(words.t("sets.form.gold"), was["gold"], key=draft.key("gold"), max_chars=most, height=140)
        st.caption(words.t("sets.form.gold_hint"))
        st.checkbox(words.t("sets.form.chain"), bool(was["chain"]), key=draft.key("chain"))
        st.text_input(words.t("sets.form.tags"), was["tags"], key=draft.key("tags"), max_chars=most)
        st.text_area(words.t("sets.form.note"), was["note"], key=draft.key("note"), max_chars=most, height=80)
        hint = words.t("sets.form.why_hint")
        st.text_input(words.t("sets.form.why"), was["why"], key=draft.key("why"), max_chars=_LONGEST_WHY, placeholder=hint)
        left, right = st.columns(2)
        left.form_submit_button(words.t("sets.form.check"), key="sets_check", on_click=_check, args=(draft, desk, tuning), width="stretch")
        save = {"type": "primary", "on_click": _save, "args": (draft, desk, tuning), "width": "stretch"}
        right.form_submit_button(words.t("sets.form.save"), key="sets_save", **save)  # type: ignore[arg-type]
    setting_up.tell(words, _FORM)
    if draft.row is not None:
        draw(view.read(draft.row, desk.specs, words), "form_read", words.language)
    st.button(words.t("sets.form.leave"), key="sets_leave", on_click=leave)


def _torn(draft: Draft, tuning: Tuning, words: Words) -> Block:
    """What became of the question in the set that somebody else wrote."""
    there = _find(tuning, draft)
    if draft.base is None:
        text = words.t("sets.form.torn_new")
    elif there is None:
        text = words.t("sets.form.torn_gone")
    elif there == draft.base:
        text = words.t("sets.form.torn_same")
    else:
        named = ", ".join(words.t(f"sets.part.{part}") for part in parts(draft.base, there))
        text = words.t("sets.form.torn_other", parts=named)
    lines = [text, words.t("sets.form.torn_text")]
    about = [(words.t("sets.one.text"), there.text), (words.t("sets.one.norms"), _lines(there))] if there and there != draft.base else []
    return notice(words.t("sets.form.torn_title"), lines, "warning", about, words.t("sets.form.torn_there"))


def _find(tuning: Tuning, draft: Draft) -> Question | None:
    wanted = draft.base.id if draft.base else None
    return next((one for one in tuning.loaded.questions.questions if one.id == wanted), None)


def _rebase(draft: Draft, tuning: Tuning) -> None:
    """From now on the form is a change of the set as it is now."""
    st.session_state[_DRAFT] = msgspec.structs.replace(draft, seen=tuning.loaded.seen, torn=False)


# --- reading and storing --------------------------------------------------------------------------------------------------------


class Read(msgspec.Struct, frozen=True):
    """What a form was read as: the line of the table with its verdict, and the question, None where it is refused."""

    row: Row
    question: Question | None


def read(values: dict[str, str], base: Question | None, others: Sequence[Question], golds: Golds) -> Read:
    """A form like one line of a table; ``others`` are the questions of the set beside it. Norms nobody touched stay as they are."""
    cells = [base.id if base else values["id"], *(values[field] for field in ("text", "gold", "chain", "tags")), "", values["note"], ""]
    preview = read_table([(1, HEAD), (1, [safe_text(cell) for cell in cells])], golds, "csv", "")
    preview = beside(preview, QuestionSet("", tuple(others)), ids_are_made=False)
    row = preview.rows[0]
    if not preview.questions.questions:
        return Read(row, None)
    found = preview.questions.questions[0]
    if base is None:
        return Read(row, found)
    needs = base.needs if values["gold"] == _lines(base) else found.needs
    return Read(row, msgspec.structs.replace(found, id=base.id, needs=needs, author=base.author, date=base.date))


def _typed(draft: Draft) -> dict[str, str]:
    """What stands in the fields now."""
    found = {field: st.session_state.get(draft.key(field), "") for field in _FIELDS}
    return {**found, "chain": "ja" if found["chain"] else ""}


def _read(draft: Draft, values: dict[str, str], desk: Desk, tuning: Tuning) -> Read:
    """What the fields give; it is shown below them from now on."""
    others = [one for one in tuning.loaded.questions.questions if draft.base is None or one.id != draft.base.id]
    found = read(values, draft.base, others, desk.golds)
    st.session_state[_DRAFT] = msgspec.structs.replace(draft, row=found.row, values=values)
    return found


def _check(draft: Draft, desk: Desk, tuning: Tuning) -> None:
    _read(draft, _typed(draft), desk, tuning)


def _save(draft: Draft, desk: Desk, tuning: Tuning) -> None:
    """Store the question if it can be taken and its norms were looked at; else show what they were read as."""
    values = _typed(draft)
    made = _read(draft, values, desk, tuning).question
    if made is None:
        setting_up.say(Said("refused", {}, "warning", where=_FORM))
        return
    if draft.values["gold"] != values["gold"]:
        setting_up.say(Said("look", {}, "warning", where=_FORM))
        return
    if draft.base is None:
        made = msgspec.structs.replace(made, author=str(st.session_state.get(WHO, "")), date=date.today().isoformat())
    after = _with(tuning.loaded.questions, made)
    what = "added" if draft.base is None else "edited"
    change = Change("changed", {"what": what, "question": made.id}, Said("saved", {"id": made.id}), " ".join(values["why"].split()), _FORM)
    error = setting_up.store(desk, tuning.place.name, lambda path: sets.save(path, after, draft.seen), change)
    if error is None:
        leave()
        st.session_state[OPEN] = made.id
    elif isinstance(error, SetChanged):  # said beside the form, with what became of the question
        setting_up.hush(_FORM)
        st.session_state[_DRAFT] = msgspec.structs.replace(st.session_state[_DRAFT], torn=True)


def _with(questions: QuestionSet, new: Question) -> QuestionSet:
    """The set with this question in the place of the one that has its id, else at the end."""
    ids = [one.id for one in questions.questions]
    kept = tuple(new if one.id == new.id else one for one in questions.questions)
    return msgspec.structs.replace(questions, questions=kept if new.id in ids else (*kept, new))


# --- taking out --------------------------------------------------------------------------------------------------------------


def removal(asked: Question, desk: Desk, tuning: Tuning, words: Words) -> None:
    """The form that takes a question out of the set; it asks for the reason."""
    with st.expander(words.t("sets.remove.title")), st.form("sets_removal", border=False):
        st.text(words.t("sets.remove.text"))
        st.text_input(words.t("sets.remove.why"), key=_reason(asked), max_chars=_LONGEST_WHY)
        st.form_submit_button(words.t("sets.remove.button"), key="sets_remove", on_click=_remove, args=(asked, desk, tuning))
    setting_up.tell(words, _REMOVAL)


def _reason(asked: Question) -> str:
    return f"sets_reason_{asked.id}"


def _remove(asked: Question, desk: Desk, tuning: Tuning) -> None:
    why = " ".join(st.session_state[_reason(asked)].split())
    if not why:
        setting_up.say(Said("no_reason", {}, "warning", where=_REMOVAL))
        return
    before = tuning.loaded
    after = msgspec.structs.replace(before.questions, questions=tuple(one for one in before.questions.questions if one.id != asked.id))
    change = Change("changed", {"what": "removed", "question": asked.id}, Said("removed", {"id": asked.id}), why, _REMOVAL)
    if setting_up.store(desk, tuning.place.name, lambda path: sets.save(path, after, before.seen), change) is None:
        leave()
        st.session_state.pop(OPEN, None)

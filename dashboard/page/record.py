"""The page "Protokoll": what was done with the set, the decision that is signed off, and the decisions that there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, cast

import streamlit as st

from dashboard import assessing, deciding, pinning
from dashboard import figures as said
from dashboard.blocks import Block, heading, notice, paragraph
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.deciding import Draft
from dashboard.state import State
from dashboard.tuning import Tuning
from dashboard.views import decisions as view
from dashboard.views import protocol as entries
from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation import protocol
from retrieval.evaluation.decision_compare import compared
from retrieval.evaluation.decision_files import ENDINGS, Folder, Kept, stored
from retrieval.evaluation.protocol import Act, Protocol
from retrieval.words import Words

Part = Literal["history", "decide", "decisions"]
PARTS: tuple[Part, ...] = ("history", "decide", "decisions")
_PART, _PART_KEY, _SAID = "record_part", "record_part_choice", "record_said"
_WHO, _ACT, _PAGE = "record_who", "record_act", "record_page"
_NAME, _NAMES, _REASON, _FORMER = "decision_name", "decision_names", "decision_reason", "decision_former"
_CHOSEN, _BEFORE, _AFTER = "decision_chosen", "decision_before", "decision_after"
_ALL = "all"
_MOST_NAME, _MOST_NAMES, _MOST_REASON, _MOST_NOTE = 120, 300, 4000, 2000
_MIMES = {".md": "text/markdown", ".json": "application/json", ".settings.toml": "application/toml"}


def page(tuning: Tuning, words: Words) -> None:
    """Draw the page for this set."""
    draw(st.session_state.pop(_SAID, []), "record_said", words.language)
    drawn: dict[Part, Callable[[Tuning, Words], None]] = {"history": _history, "decide": _decide, "decisions": _decisions}
    drawn[_part(words)](tuning, words)


def _part(words: Words) -> Part:
    """The part that is shown; kept apart from its control, which other pages do not have."""
    chosen = st.session_state.setdefault(_PART, PARTS[0])
    if st.session_state.get(_PART_KEY) != chosen:
        st.session_state[_PART_KEY] = chosen
    name = partial(words.word, "record.parts")
    st.radio(words.t("record.part_label"), PARTS, key=_PART_KEY, format_func=name, horizontal=True, on_change=_take_part)
    return cast(Part, chosen)


def _take_part() -> None:
    st.session_state[_PART] = st.session_state[_PART_KEY]


def _fault(error: Exception, words: Words) -> Block:
    about = [(words.t("screen.error"), str(error))]
    return notice(words.t("record.fault"), [words.t("record.fault_text")], "fault", about, words.t("screen.details"))


# --- the protocol -------------------------------------------------------------------------------------------------------------


def _history(tuning: Tuning, words: Words) -> None:
    try:
        found = protocol.read(tuning.workshop.protocol_file(tuning.place.name))
    except BadInput as error:
        draw([_fault(error, words)], "broken", words.language)
        return
    draw(entries.torn(found, words), "torn", words.language)
    _moved(tuning, found, words)
    _note(tuning, words)
    _entries(found, words)


def _moved(tuning: Tuning, found: Protocol, words: Words) -> None:
    """The settings that were moved since the last entry, and the form that notes them."""
    moved = protocol.shift(protocol.latest(found.events), tuning.settings.flat(), tuning.state.without)
    if not moved:
        return
    draw([heading(words.t("record.moved_title")), *entries.since(moved, words)], "moved", words.language)
    with st.form("moved_form", border=False):
        st.text_area(words.t("record.why"), key="moved_why", max_chars=_MOST_NOTE, height=70, placeholder=words.t("record.why_hint"))
        _submit(words.t("record.keep_move"), tuning, "moved", "moved_why", words)


def _note(tuning: Tuning, words: Words) -> None:
    draw([heading(words.t("record.note_title"))], "note_title", words.language)
    with st.form("note_form", border=False):
        st.text_area(words.t("record.note"), key="note_text", max_chars=_MOST_NOTE, height=70, placeholder=words.t("record.note_hint"))
        _submit(words.t("record.keep_note"), tuning, "remarked", "note_text", words)


def _submit(label: str, tuning: Tuning, act: Act, field: str, words: Words) -> None:
    """The button that writes an entry; it waits for a name."""
    st.form_submit_button(label, on_click=_write, args=(tuning, act, field, words), disabled=not tuning.who)
    if not tuning.who:
        st.caption(words.t("record.who_first"))


def _write(tuning: Tuning, act: Act, field: str, words: Words) -> None:
    text = st.session_state[field].strip()
    if not text:
        st.session_state[_SAID] = [notice(words.t(f"record.empty.{act}"), role="warning")]
        return
    try:
        tuning.note(act, why=text)
    except BadInput as error:
        st.session_state[_SAID] = [_fault(error, words)]
        return
    st.session_state[field] = ""
    st.session_state[_SAID] = [notice(words.t(f"record.kept.{act}"))]


def _entries(found: Protocol, words: Words) -> None:
    draw([heading(words.t("record.section.entries"))], "entries_title", words.language)
    left, right = st.columns(2)
    person = _filter(left, _WHO, words.t("record.filter_who"), entries.people(found), lambda one: one or words.t("protocol.nobody"), words)
    act = _filter(right, _ACT, words.t("record.filter_act"), entries.acts(found), partial(words.word, "protocol.act"), words)
    every = entries.entries(found, person, act)
    shown = [every[place] for place in pinning.paged(_PAGE, len(every), words)]
    draw(entries.listed(shown, len(every), words, filtered=bool(found.events)), "entries", words.language)


def _filter(
    place: st.delta_generator.DeltaGenerator, key: str, label: str, found: Sequence[str], name: Callable[[str], str], words: Words
) -> str | None:
    """A choice among what occurs; None for all of it."""
    options = {_ALL: words.t("record.all"), **{f"={one}": name(one) for one in found}}  # a name may read like the word for all
    chosen = place.selectbox(label, list(options), key=key, format_func=options.__getitem__)
    return None if chosen == _ALL else chosen.removeprefix("=")


# --- signing off ----------------------------------------------------------------------------------------------------------------


def _decide(tuning: Tuning, words: Words) -> None:
    if not tuning.checked.questions:
        draw([notice(words.t("record.no_questions.title"), [words.t("record.no_questions.text")])], "empty", words.language)
        return
    judgements, broken = assessing.judged(tuning, words)
    here = assessing.present(tuning, "")
    report = assessing.report(tuning, here, judgements, words)
    # Who sees the figures of a setting has tried it.
    broken += assessing.note_measured(tuning, here, report, words)
    warned = said.warned(assessing.tried_so_far(tuning), words)
    about = [
        *broken,
        *view.in_force(tuning.settings.flat(), tuning.state.without, words),
        *view.measured(report, words),
        paragraph(words.t("record.measured_text", k=words.whole(report.k)), muted=True),
        *([paragraph(warned)] if warned else []),
        heading(words.t("record.section.sign")),
        paragraph(words.t("record.sign_text")),
    ]
    draw(about, "decide", words.language)
    if broken:
        return
    draft = _form(tuning, words)
    if draft is None:
        return
    if draft.missing:
        fields = ", ".join(words.t(f"record.field.{name}") for name in draft.missing)
        draw([notice(words.t("record.missing", fields=fields), role="warning")], "missing", words.language)
        return
    try:
        kept = deciding.sign(tuning, draft, judgements, words)
    except BadInput as error:
        draw([_fault(error, words)], "unsigned", words.language)
        return
    for field in (_NAME, _REASON):
        st.session_state.pop(field, None)
    st.session_state[_PART], st.session_state[_CHOSEN] = "decisions", kept.path.name
    st.session_state[_SAID] = [notice(words.t("record.signed"), [words.t("record.signed_text", file=kept.path.name)])]
    st.rerun()


def _form(tuning: Tuning, words: Words) -> Draft | None:
    """What was filled in, once it is signed."""
    formers = {one.path.name: one for one in deciding.formers(tuning)}
    st.session_state.setdefault(_NAMES, tuning.who)
    with st.form("decide_form"):
        name = st.text_input(words.t("record.field.name"), key=_NAME, max_chars=_MOST_NAME, placeholder=words.t("record.field.name_hint"))
        names = st.text_input(
            words.t("record.field.names"), key=_NAMES, max_chars=_MOST_NAMES, placeholder=words.t("record.field.names_hint")
        )
        reason = st.text_area(
            words.t("record.field.reason"), key=_REASON, max_chars=_MOST_REASON, placeholder=words.t("record.field.reason_hint")
        )
        shown = lambda one: view.title(formers[one], words) if one else words.t("record.field.no_former")  # noqa: E731
        former = st.selectbox(words.t("record.field.former"), ["", *formers], key=_FORMER, format_func=shown)
        if not st.form_submit_button(words.t("record.sign"), type="primary"):
            return None
    return Draft(name, names, reason, formers.get(former))


# --- the decisions -----------------------------------------------------------------------------------------------------------------


def _decisions(tuning: Tuning, words: Words) -> None:
    folder = stored(tuning.workshop.decisions)
    draw(view.listed(folder, words), "decisions", words.language)
    if not folder.kept:
        return
    kept = _chosen(_CHOSEN, words.t("record.choose"), folder, 0, words)
    draw(view.blocks(kept, words), "decision", words.language)
    _files(kept, words)
    st.button(words.t("record.apply"), key="decision_apply", on_click=_apply, args=(kept, words))
    if len(folder.kept) > 1:
        draw([heading(words.t("record.section.compare"))], "compare_title", words.language)
        left, right = st.columns(2)
        before = _chosen(_BEFORE, words.t("record.before"), folder, 1, words, left)
        after = _chosen(_AFTER, words.t("record.after"), folder, 0, words, right)
        _compare(before, after, words)


def _chosen(key: str, label: str, folder: Folder, first: int, words: Words, place: st.delta_generator.DeltaGenerator | None = None) -> Kept:
    """One of the decisions; the ``first`` of the list where none was chosen."""
    found = {one.path.name: one for one in folder.kept}
    if st.session_state.get(key) not in found:
        st.session_state[key] = list(found)[first]
    shown = lambda name: view.title(found[name], words)  # noqa: E731
    return found[(place or st).selectbox(label, list(found), key=key, format_func=shown)]


def _files(kept: Kept, words: Words) -> None:
    for ending, column in zip(ENDINGS, st.columns(len(ENDINGS)), strict=True):
        file = kept.beside(ending)
        if file.is_file():
            label = words.t(f"record.file{ending.replace('.', '_')}")
            column.download_button(
                label, file.read_bytes(), file.name, _MIMES[ending], key=f"file{ending}", on_click="ignore", width="stretch"
            )


def _apply(kept: Kept, words: Words) -> None:
    """Put the decided settings in force."""
    state: State = st.session_state[STATE]
    try:
        used = kept.decision.used
    except BadSetting as error:
        st.session_state[_SAID] = [_fault(error, words)]
        return
    st.session_state[STATE] = state.replaced(values=used.flat(), without=kept.decision.without)
    st.session_state[_SAID] = [notice(words.t("record.applied"), [words.t("record.applied_text")])]


def _compare(before: Kept, after: Kept, words: Words) -> None:
    if before.path == after.path:
        draw([paragraph(words.t("record.same_decision"))], "compared", words.language)
    else:
        draw(view.compared(compared(before.decision, after.decision), words), "compared", words.language)

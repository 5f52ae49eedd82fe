"""The page "Fragensätze": what sets there are, what is in them, and how others come in and go out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import streamlit as st

from dashboard import editing, fields, handing_on, pinning, screens, setting_up, taking_in
from dashboard.blocks import Block, folded, heading, notice, paragraph
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.goldnames import Specs
from dashboard.setting_up import OPEN, TASK, TASKS, Change, Desk, Opened, Said
from dashboard.state import State
from dashboard.stock import Places, Runs
from dashboard.tuning import WHO, Tuning, set_places
from dashboard.views import question_sets as view
from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation import sets
from retrieval.evaluation.changes import changes
from retrieval.evaluation.protocol_text import when
from retrieval.evaluation.workshop import Workshop
from retrieval.words import Words

_CHOSEN, _FIELD, _TASK = "sets_chosen", "sets_who", "sets_task_shown"
_WANTED, _TAG, _ODD, _VERSION, _COPY, _WHY = "sets_wanted", "sets_tag", "sets_odd", "sets_version", "sets_copy", "sets_restore_why"
_LONGEST_NAME, _LONGEST_SET, _LONGEST_WHY = 60, 80, 300


def page(runs: Runs, places: Places, above: Sequence[Block], words: Words) -> None:
    """Draw the page; it stands where there is no set yet, too."""
    index = places.index or Path()
    state: State = st.session_state[STATE]
    screen = screens.no_stock(runs.stock, index, words) or (None if runs.texts else screens.no_texts(words)) or _unsound(state, words)
    draw([*above, *([screen] if screen else [])], "above", words.language)
    if screen is not None:
        return
    workshop = Workshop(places.workshop)
    desk = Desk(runs, workshop, set_places(workshop, places.questions), state, index)
    every = {place.name: desk.opened(place) for place in desk.places}
    if not every:
        draw([notice(words.t("sets.none.title"), [words.t("sets.none.text")])], "sets_none", words.language)
        _who(st.container(), words)
        setting_up.tell(words)
        taking_in.page(desk, None, words)
        return
    shelf = view.shelf([setting_up.shelved(one) for one in every.values()], words)
    draw([heading(words.t("sets.shelf.title")), *shelf], "shelf", words.language)
    opened = every[_choice(desk, words)]
    task = _task(words)
    setting_up.tell(words)
    if task == "import":
        taking_in.page(desk, opened, words)
    elif opened.loaded is None:
        _broken(opened, words)
        if opened.place.own:
            _history(desk, opened, words)
    else:
        _draw_task(task, desk, opened, words)


def _unsound(state: State, words: Words) -> Block | None:
    """The screen of settings that are none: the protocol could not say under which a change was made."""
    try:
        state.settings.flat()
    except BadSetting:
        return screens.no_weights(words)
    return None


def _draw_task(task: str, desk: Desk, opened: Opened, words: Words) -> None:
    if task == "export":
        handing_on.page(desk.tuning(opened), words)
    elif task == "history":
        _history(desk, opened, words)
    else:
        _questions(desk, desk.tuning(opened), words)


def _broken(opened: Opened, words: Words) -> None:
    title, about = words.t("sets.broken.title", name=words.quoted(opened.place.name)), [(words.t("screen.error"), opened.fault)]
    broken = notice(title, [words.t("sets.broken.text")], "fault", about, words.t("screen.details"))
    draw([broken], "sets_broken", words.language)


# --- what is worked on ---------------------------------------------------------------------------------------------------------


def _choice(desk: Desk, words: Words) -> str:
    """The set that is worked with, and who works."""
    names = [place.name for place in desk.places]
    own = {place.name: place.own for place in desk.places}
    chosen = desk.state.chosen_set if desk.state.chosen_set in names else names[0]
    left, right = st.columns([2, 1])

    def shown(name: str) -> str:
        return name if own[name] else words.t("tuning.read_only", name=name)

    key, first = fields.key(_CHOSEN, chosen), names.index(chosen)
    left.selectbox(words.t("tuning.set"), names, first, key=key, format_func=shown, on_change=_take_set)
    _who(right, words)
    if desk.state.chosen_set and desk.state.chosen_set not in names:
        wanted = words.t("tuning.other_set", wanted=words.quoted(desk.state.chosen_set), name=words.quoted(chosen))
        draw([paragraph(wanted, muted=True)], "sets_other", words.language)
    return chosen


def _who(place: st.delta_generator.DeltaGenerator, words: Words) -> None:
    who = str(st.session_state.get(WHO, ""))
    key, hint = fields.key(_FIELD, who), words.t("tuning.who_hint")
    place.text_input(words.t("tuning.who"), who, key=key, max_chars=_LONGEST_NAME, placeholder=hint, on_change=_take_who)


def _take_set() -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(chosen_set=fields.taken(_CHOSEN))
    st.session_state.pop(OPEN, None)


def _take_who() -> None:
    st.session_state[WHO] = " ".join(fields.taken(_FIELD).split())


def _task(words: Words) -> str:
    task = str(st.session_state.get(TASK, TASKS[0]))
    label, key, named = words.t("sets.task.label"), fields.key(_TASK, task), partial(words.word, "sets.task")
    st.radio(label, TASKS, TASKS.index(task), key=key, format_func=named, horizontal=True, on_change=_take_task)
    return task


def _take_task() -> None:
    st.session_state[TASK] = fields.taken(_TASK)


# --- the questions -------------------------------------------------------------------------------------------------------------


def _questions(desk: Desk, tuning: Tuning, words: Words) -> None:
    specs = desk.specs
    wanted = st.session_state.get(OPEN)
    one = next((one for one in tuning.checked.questions if one.question.id == wanted), None)
    draft = editing.current(tuning) if tuning.place.own else None
    if draft is None and one is None:
        _overview(desk, tuning, specs, words)
        return
    st.button(words.t("sets.one.back"), key="sets_back", on_click=_close)
    if one is not None:
        draw(view.question(one, specs, words), "question", words.language)
    if draft is not None:
        editing.form(draft, desk, tuning, words)
    elif one is not None and tuning.place.own:
        st.button(words.t("sets.one.edit"), key="sets_edit", type="primary", on_click=editing.begin, args=(tuning, one.question))
        editing.removal(one.question, desk, tuning, words)


def _close() -> None:
    st.session_state.pop(OPEN, None)
    editing.leave()


def _overview(desk: Desk, tuning: Tuning, specs: Specs, words: Words) -> None:
    checked = tuning.checked
    name = words.quoted(tuning.place.name)
    prints = paragraph(words.t("sets.prints", file=tuning.loaded.seen, content=tuning.fingerprint), muted=True)
    found = [heading(words.t("sets.problems.title", name=name)), *view.problems(checked, specs, words)]
    draw([*found, folded(words.t("sets.prints_label"), [prints], "sets_prints")], "problems", words.language)
    if not tuning.place.own:
        _copy(desk, tuning, words)
    draw([heading(words.t("sets.list.title"))], "list_title", words.language)
    if tuning.place.own:
        st.button(words.t("sets.list.new"), key="sets_new_question", on_click=editing.begin, args=(tuning, None))
    _list(tuning, words)


def _list(tuning: Tuning, words: Words) -> None:
    checked = tuning.checked
    left, right = st.columns(2)
    wanted = left.text_input(words.t("sets.list.wanted"), key=_WANTED, placeholder=words.t("sets.list.wanted_hint"))
    options = ["", *view.tags(checked)]
    tag = right.selectbox(words.t("sets.list.tag"), options, key=_TAG, format_func=lambda one: one or words.t("sets.list.any_tag"))
    odd = st.checkbox(words.t("sets.list.only_odd"), key=_ODD)
    found = view.matching(checked, wanted, tag or "", odd)
    counted = words.n("sets.list.found", len(found), all=words.n("questions.n.questions", len(checked.questions)))
    st.caption(counted if checked.questions else words.t("sets.list.empty"))
    for place in pinning.paged(f"sets_list_{tuning.place.name}", len(found), words):
        one = found[place]
        text, button = st.columns([4, 1], vertical_alignment="center")
        text.text(view.line(one, words))
        label = words.t("sets.list.open", number=place + 1)
        button.button(label, key=f"sets_open_{place}", on_click=_open, args=(one.question.id,), width="stretch")


def _open(question_id: str) -> None:
    st.session_state[OPEN] = question_id
    editing.leave()


# --- copies and versions ---------------------------------------------------------------------------------------------------------


def _copy(desk: Desk, tuning: Tuning, words: Words) -> None:
    with st.form("sets_copy_form"):
        st.text(words.t("sets.copy.text"))
        free = setting_up.suggested(tuning.place.name, desk)
        st.text_input(words.t("sets.name"), free, max_chars=_LONGEST_SET, key=_COPY)
        st.caption(words.t("sets.name_hint"))
        st.form_submit_button(words.t("sets.copy.button"), key="sets_copy_button", on_click=_take_copy, args=(desk, tuning))


def _take_copy(desk: Desk, tuning: Tuning) -> None:
    name = " ".join(st.session_state[_COPY].split())
    if name.casefold() in desk.names:
        setting_up.say(Said("exists", {"name": name}, "warning"))
        return
    copied = msgspec.structs.replace(tuning.loaded.questions, name=name)
    details: setting_up.Details = {"what": "copied", "from": tuning.place.name, "questions": len(copied.questions)}
    change = Change("imported", details, Said("copied", {"name": name, "from_name": tuning.place.name}))
    setting_up.store(desk, name, lambda path: sets.save(path, copied, ""), change)


def _history(desk: Desk, opened: Opened, words: Words) -> None:
    title = [heading(words.t("sets.history.title")), paragraph(words.t("sets.history.lead"), muted=True)]
    kept = {one.name: one for one in sets.history(opened.place.path)} if opened.place.own else {}
    if not kept:
        draw([*title, paragraph(words.t("sets.history.none"))], "history", words.language)
        return
    draw(title, "history", words.language)

    def shown(name: str) -> str:
        return words.t("sets.history.version", time=when(kept[name].time, words), hash=kept[name].hash)

    wanted = st.selectbox(words.t("sets.history.choose"), list(kept), key=f"{_VERSION}_{opened.place.name}", format_func=shown)
    try:
        then = sets.version(opened.place.path, wanted)
    except BadInput as error:
        about = [(words.t("screen.error"), str(error))]
        gone = notice(words.t("sets.history.unreadable"), role="fault", details=about, label=words.t("screen.details"))
        draw([gone], "version", words.language)
        return
    if opened.loaded is not None:
        draw(view.difference(changes(then.questions, opened.loaded.questions), desk.specs, words), "version", words.language)
    now = opened.seen.startswith(kept[wanted].hash)
    with st.form("sets_restore_form"):
        st.text(words.t("sets.history.is_now" if now else "sets.history.restore_text"))
        st.text_input(words.t("sets.form.why"), key=_WHY, max_chars=_LONGEST_WHY, placeholder=words.t("sets.form.why_hint"))
        args = (desk, opened, wanted, kept[wanted].hash)
        label = words.t("sets.history.restore")
        st.form_submit_button(label, key="sets_restore", disabled=now, on_click=_restore, args=args)


def _restore(desk: Desk, opened: Opened, wanted: str, digits: str) -> None:
    why = " ".join(st.session_state[_WHY].split())
    change = Change("changed", {"what": "restored", "version": digits}, Said("restored", {"version": digits}), why)
    setting_up.store(desk, opened.place.name, lambda path: sets.restore(path, wanted, opened.seen), change)

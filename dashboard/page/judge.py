"""The page "Bewerten": one hit at a time for one judge, and the list with what all judges said of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
import streamlit as st

from dashboard import sitting
from dashboard.blocks import heading, notice, paragraph
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.sitting import Lists, Variant
from dashboard.state import State
from dashboard.tuning import Tuning
from dashboard.views import agreement as agreement_view
from dashboard.views import judging as view
from retrieval.errors import BadInput
from retrieval.evaluation import protocol
from retrieval.evaluation.agreement import agreement
from retrieval.evaluation.model import Gold, Question
from retrieval.evaluation.pooling import Hit, in_order, open_hits, pool, spoken_of
from retrieval.evaluation.verdicts import GRADES, LONGEST_REASON, Verdict, append, conflicts, in_force, kept, withdrawal
from retrieval.model import Address, Chunk, CorpusSpec, Target
from retrieval.words import Words

Specs = Mapping[str, CorpusSpec]
VIEWS, SOURCES = ("single", "overview"), ("list", "heap")
_VIEW, _SOURCE, _QUESTION, _REASON, _AGAIN, _FAULT, _TRAIL, _CHOSEN, _ASKED = (
    f"judge_{name}" for name in ("view", "source", "question", "reason", "again", "fault", "trail", "chosen", "asked")
)
_EVERY = ""
"""Stands for all questions where one is chosen."""
_CANNOT = "u"
_PATIENCE = 0.4
"""Seconds after which progress is shown."""


class _Desk(msgspec.Struct, frozen=True):
    """What the page works with: the set, all lines of its judges, and the lists of all questions.

    ``new`` is what the protocol does not know yet, ``mine`` what counts of what this judge said.
    """

    tuning: Tuning
    lines: tuple[Verdict, ...]
    lists: Lists
    variants: tuple[Variant, ...]
    new: tuple[Verdict, ...]
    mine: dict[Hit, Verdict]

    @property
    def questions(self) -> dict[str, Question]:
        """The questions whose lists are there, in the order of the set."""
        return {one.id: one for one in self.tuning.checked.settled.questions if one.id in self.lists.by_question}

    def hits(self, source: str, question_id: str) -> tuple[Hit, ...]:
        """What is to be judged for a question, in the order in which it comes up."""
        found = self.lists.by_question[question_id]
        if source == "list":
            return in_order(question_id, found[0])
        return pool({question_id: found}, f"{self.tuning.place.name}|{self.tuning.who}")


def page(tuning: Tuning, words: Words) -> None:
    """Draw the page for this set."""
    path = tuning.workshop.judgements_file(tuning.place.name)
    try:
        file = kept(path)
        lines = file.found
        new = sitting.unnoted(lines, protocol.read(tuning.workshop.protocol_file(tuning.place.name)).events, tuning.who)
        if sitting.paused(new):
            sitting.note(tuning, lines, new)
            new = ()
    except BadInput as error:
        _broken(error, words)
        return
    variants = sitting.variants(tuning)
    mine = spoken_of(lines, tuning.who) if tuning.who else {}
    desk = _Desk(tuning, lines, _gathered(tuning, variants, words), variants, new, mine)
    _said_before(desk, words)
    draw(view.torn(file.torn, words), "judge_torn", words.language)
    if not desk.questions:
        draw([notice(words.t("judge.no_list.title"), [words.t("judge.no_list.text")])], "no_list", words.language)
        return
    left, right = st.columns(2)
    with left:
        chosen = _radio(_VIEW, VIEWS, words)
    if chosen == "overview":
        _overview(desk, words)
        return
    with right:
        source = _radio(_SOURCE, SOURCES, words)
    _single(desk, source, words)


def _broken(error: BadInput, words: Words) -> None:
    about = [(words.t("screen.error"), str(error))]
    lines = [words.t("judge.broken.text")]
    draw([notice(words.t("judge.broken.title"), lines, "fault", about, words.t("screen.details"))], "broken", words.language)


def _gathered(tuning: Tuning, variants: Sequence[Variant], words: Words) -> Lists:
    """The lists of all questions, with progress where that takes a while."""
    bar, began = st.empty(), time.monotonic()

    def watch(done: int, every: int) -> None:
        if time.monotonic() - began > _PATIENCE:
            bar.progress(done / every, words.t("judge.gathering", done=words.whole(done), all=words.whole(every)))

    found = sitting.gathered(tuning, variants, watch)
    bar.empty()
    return found


def _said_before(desk: _Desk, words: Words) -> None:
    """What is to be said above all: what went wrong with the last click, and which questions could not be run."""
    fault = st.session_state.pop(_FAULT, "")
    about = [(words.t("screen.error"), fault)]
    found = (
        [notice(words.t("judge.fault.title"), [words.t("judge.fault.text")], "fault", about, words.t("screen.details"))] if fault else []
    )
    failed = desk.lists.failed
    missed = [notice(words.n("judge.failed", len(failed)), [", ".join(failed)], "warning")] if failed else []
    draw([*found, *missed], "judge_faults", words.language)


def _radio(key: str, options: Sequence[str], words: Words) -> str:
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0]
    name = key.removeprefix("judge_")
    label = words.t(f"judge.{name}.label")
    return str(st.radio(label, options, key=key, horizontal=True, format_func=lambda one: words.t(f"judge.{name}.{one}")))


# --- one hit after the other ----------------------------------------------------------------------------------------------


def _single(desk: _Desk, source: str, words: Words) -> None:
    draw([paragraph(_about_source(source, desk.variants, words), muted=True)], "source", words.language)
    heaps = {one: desk.hits(source, one) for one in desk.questions}
    chosen = _choose(desk, heaps, words, every=True)
    scope = [hit for one, heap in heaps.items() if chosen in (_EVERY, one) for hit in heap]
    still = open_hits(scope, desk.mine)
    st.progress(1 - len(still) / max(len(scope), 1), words.n("judge.progress", len(scope), done=words.whole(len(scope) - len(still))))
    again = _again(desk)
    hit = again or next(iter(still), None)
    if hit is None:
        _done(desk, heaps, bool(scope), words)
    else:
        _show(hit, desk, words)
    _foot(desk, scope, words)


def _about_source(source: str, variants: Sequence[Variant], words: Words) -> str:
    if source == "list":
        return words.t("judge.source.list_about")
    if len(variants) == 1:
        return words.t("judge.source.heap_alone")
    names = [words.t(f"judge.variant.{one.name}") if f"judge.variant.{one.name}" in words.catalogue else one.name for one in variants]
    return words.t("judge.source.heap_about", n=words.whole(len(variants)), names=", ".join(names))


def _choose(desk: _Desk, heaps: dict[str, tuple[Hit, ...]], words: Words, every: bool) -> str:
    """The question that is worked at, those with most hits to be judged first; empty for all."""
    still = {one: len(open_hits(heap, desk.mine)) for one, heap in heaps.items()}
    order = sorted(still, key=lambda one: -still[one])
    options = [_EVERY, *order] if every else order
    chosen, text = st.session_state.get(_CHOSEN), desk.tuning.state.question
    asked = next((one.id for one in desk.questions.values() if one.text.strip() == text), None)
    if asked and st.session_state.get(_ASKED) != text:  # asked elsewhere since: that question is meant
        chosen = asked
    st.session_state[_ASKED] = text
    if chosen not in options:
        chosen = asked or order[0]
    # A choice by whose names the open hits are counted is a new one after each grade, and a new one forgets; what is kept here does not.
    st.session_state[_CHOSEN] = st.session_state[_QUESTION] = chosen

    names = view.told_apart({one: view.question_name(desk.questions[one], number, words) for one, number in still.items()})
    names[_EVERY] = words.t("judge.every", open=words.n("judge.open", sum(still.values())))
    take = partial(_take_question, {one.id: one.text for one in desk.questions.values()})
    return str(st.selectbox(words.t("judge.which"), options, key=_QUESTION, format_func=names.__getitem__, on_change=take))


def _take_question(texts: dict[str, str]) -> None:
    """The chosen question goes into the address, so that it is there again after a reload."""
    _go_to(st.session_state[_QUESTION], texts.get(st.session_state[_QUESTION], ""))


def _go_to(question_id: str, text: str) -> None:
    st.session_state[_CHOSEN] = question_id
    text = text.strip()
    _forward()
    if text:
        st.session_state[_ASKED] = text
        state: State = st.session_state[STATE]
        st.session_state[STATE] = state.replaced(question=text)


def _again(desk: _Desk) -> Hit | None:
    """The hit that this judge has gone back to."""
    again = st.session_state.get(_AGAIN)
    return again if isinstance(again, Hit) and again.question_id in desk.questions and again in desk.mine else None


def _show(hit: Hit, desk: _Desk, words: Words) -> None:
    """Question, norm, grades and wording: the grades above the wording, so that they stay in their place from hit to hit."""
    chunks, specs = _chunks(hit.address, desk.tuning), desk.tuning.runs.texts.specs if desk.tuning.runs.texts else {}
    said = desk.mine.get(hit)
    before = view.before(said, words) if said else []
    draw(
        [*view.asked(desk.questions[hit.question_id], specs, words), *view.hit(hit.address, chunks, specs, words), *before],
        "hit",
        words.language,
    )
    if not desk.tuning.who:
        draw([notice(words.t("judge.who.title"), [words.t("judge.who.text")])], "judge_who", words.language)
    _grades(hit, desk, said, words)
    draw(view.wording(hit.address, chunks, words), "wording", words.language)


def _chunks(address: Address, tuning: Tuning) -> tuple[Chunk, ...]:
    """The whole wording at an address, also where it is cut into pieces."""
    texts = tuning.runs.texts
    if texts is None:
        return ()
    found = texts.book.find(Target(address.corpus_id, address.section_id, address.container_id, address.subsection or None))
    return tuple(texts.chunk(chunk_id) for chunk_id in found)


def _grades(hit: Hit, desk: _Desk, said: Verdict | None, words: Words) -> None:
    off = not desk.tuning.who
    with st.container(horizontal=True):
        for grade in GRADES:
            take = partial(_judge, desk.tuning, hit, grade)
            st.button(view.grade(grade, words), key=f"grade_{grade}", shortcut=str(grade), on_click=take, disabled=off)
        take = partial(_judge, desk.tuning, hit, None)
        st.button(view.grade(None, words), key="grade_none", shortcut=_CANNOT, on_click=take, disabled=off)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.text_input(words.t("judge.reason"), key=_REASON, max_chars=LONGEST_REASON, placeholder=words.t("judge.reason_hint"), disabled=off)
    trail = _trail(desk)
    right.button(words.t("judge.back"), key="judge_back", shortcut="b", on_click=_back, args=(trail,), disabled=not trail, width="stretch")
    if said is not None:
        with st.container(horizontal=True):
            st.button(words.t("judge.leave"), key="judge_leave", shortcut="n", on_click=_forward)
            st.button(words.t("judge.withdraw"), key="judge_withdraw", on_click=_withdraw, args=(desk.tuning, said))
    if not off:
        st.caption(words.t("judge.keys"))


def _trail(desk: _Desk) -> tuple[Hit, ...]:
    """What this judge has judged in this session and can go back to, the last one at the end."""
    key, trail = st.session_state.get(_TRAIL, (None, ()))
    return tuple(trail) if key == (desk.tuning.place.name, desk.tuning.who) else ()


def _judge(tuning: Tuning, hit: Hit, grade: int | None) -> None:
    reason = " ".join(str(st.session_state.get(_REASON, "")).split())
    if _written(tuning, Verdict(hit.question_id, hit.address, grade, tuning.who, reason, protocol.moment())):
        key = (tuning.place.name, tuning.who)
        known, trail = st.session_state.get(_TRAIL, (key, ()))
        st.session_state[_TRAIL] = (key, (*(one for one in trail if one != hit), hit) if known == key else (hit,))
        _forward()


def _written(tuning: Tuning, verdict: Verdict) -> bool:
    try:
        append(tuning.workshop.judgements_file(tuning.place.name), verdict)
    except BadInput as error:
        st.session_state[_FAULT] = str(error)
        return False
    return True


def _back(trail: tuple[Hit, ...]) -> None:
    """To the hit before the one that is looked at."""
    again = st.session_state.get(_AGAIN)
    place = trail.index(again) if again in trail else len(trail)
    st.session_state[_AGAIN] = trail[max(place - 1, 0)]
    st.session_state[_REASON] = ""


def _forward() -> None:
    st.session_state.pop(_AGAIN, None)
    st.session_state[_REASON] = ""


def _withdraw(tuning: Tuning, verdict: Verdict) -> None:
    if _written(tuning, withdrawal(verdict)):
        _forward()


def _done(desk: _Desk, heaps: dict[str, tuple[Hit, ...]], any_hits: bool, words: Words) -> None:
    """All is judged: where to go on, and the protocol is told."""
    draw([notice(words.t("judge.done.title" if any_hits else "judge.done.empty"), [words.t("judge.done.text")])], "done", words.language)
    still = [one for one, heap in heaps.items() if open_hits(heap, desk.mine)]
    with st.container(horizontal=True):
        if still:
            st.button(
                words.t("judge.done.next"),
                key="judge_next",
                type="primary",
                on_click=_go_to,
                args=(still[0], desk.questions[still[0]].text),
            )
        trail = _trail(desk)
        if trail:
            st.button(words.t("judge.back"), key="judge_back", shortcut="b", on_click=_back, args=(trail,))


def _foot(desk: _Desk, scope: Sequence[Hit], words: Words) -> None:
    """What was judged already, to be changed on demand, and the end of the sitting."""
    mine = {hit: desk.mine[hit] for hit in scope if hit in desk.mine}
    texts = desk.tuning.runs.texts
    if mine and texts is not None:
        names = view.told_apart({hit: view.hit_name(hit, said, texts.specs, words) for hit, said in mine.items()})
        label, hint = words.n("judge.change", len(mine)), words.t("judge.change_hint")
        st.selectbox(
            label, list(mine), index=None, key="judge_change", format_func=lambda hit: names[hit], placeholder=hint, on_change=_change
        )
    if desk.new:
        st.button(words.n("judge.finish", len({(one.question_id, one.address) for one in desk.new})), on_click=_finish, args=(desk,))


def _change() -> None:
    st.session_state[_AGAIN] = st.session_state["judge_change"]
    st.session_state["judge_change"] = None


def _finish(desk: _Desk) -> None:
    try:
        sitting.note(desk.tuning, desk.lines, desk.new)
    except BadInput as error:
        st.session_state[_FAULT] = str(error)


# --- the list with what all said -------------------------------------------------------------------------------------------------


def _overview(desk: _Desk, words: Words) -> None:
    heaps = {one: desk.hits("list", one) for one in desk.questions}
    question = desk.questions[_choose(desk, heaps, words, every=False)]
    texts, chunks = desk.tuning.runs.texts, desk.lists.by_question[question.id][0]
    specs = texts.specs if texts else {}
    said = [one for one in in_force(desk.lines) if one.question_id == question.id]
    found = sitting.coverage(question, chunks, desk.lines, desk.tuning.checked)
    above = [*view.plainly(question, words), paragraph(view.unjudged(found.places, found.unjudged, words))]
    draw([*above, *view.overview(question, chunks, said, specs, words)], "overview", words.language)
    _into_gold(desk, question, view.helpful(question, said), specs, words)
    draw(agreement_view.blocks(agreement(desk.lines), words), "agreement", words.language)
    differing = conflicts(desk.lines, desk.tuning.checked)
    every = {one.id: one for one in desk.tuning.checked.settled.questions}
    draw(agreement_view.conflicts(differing, every, specs, words), "conflicts", words.language)


def _into_gold(desk: _Desk, question: Question, found: Sequence[Gold], specs: Specs, words: Words) -> None:
    """What judges find to help becomes gold of the set: as something that is needed too, or in place of something that is needed."""
    draw([heading(words.t("judge.take.title")), paragraph(_about_gold(desk, found, words))], "take_words", words.language)
    if not found or not desk.tuning.place.own:
        return
    names = view.told_apart({gold: view.gold_name(gold, specs, words) for gold in found})
    gold = st.selectbox(words.t("judge.take.norm"), list(found), format_func=lambda one: names[one], key=f"take_norm_{question.id}")
    needs = range(-1, len(question.needs))

    def shown(need: int) -> str:
        return (
            words.t("judge.take.instead", norm=view.need_name(question, need, specs, words)) if need >= 0 else words.t("judge.take.further")
        )

    need = st.selectbox(words.t("judge.take.as"), needs, format_func=shown, key=f"take_as_{question.id}")
    whole = bool(gold.address.subsection) and st.checkbox(words.t("judge.take.whole"), key=f"take_whole_{question.id}")
    taken = msgspec.structs.replace(gold, address=msgspec.structs.replace(gold.address, subsection="")) if whole else gold
    args = (desk.tuning, question.id, taken, need if need >= 0 else None)
    st.button(words.t("judge.take.button"), key="take", on_click=_take, args=args, disabled=not desk.tuning.who)


def _about_gold(desk: _Desk, found: Sequence[Gold], words: Words) -> str:
    if not found:
        return words.t("judge.take.none")
    if not desk.tuning.place.own:
        return words.n("judge.take.read_only", len(found))
    return words.n("judge.take.text", len(found)) + ("" if desk.tuning.who else f" {words.t('judge.take.who')}")


def _take(tuning: Tuning, question_id: str, gold: Gold, need: int | None) -> None:
    try:
        sitting.take_into_gold(tuning, question_id, gold, need)
    except BadInput as error:
        st.session_state[_FAULT] = str(error)

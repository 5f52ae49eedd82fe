"""The page "Vergleich": pinned settings side by side, the same over many questions, and the way back to every state."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import streamlit as st

from dashboard import pinning, questionset, slopes
from dashboard.blocks import Block, heading, notice, paragraph
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.history import pin_of
from dashboard.naming import shortened
from dashboard.questionset import SetRun, Side
from dashboard.running import Run
from dashboard.state import State
from dashboard.views import comparison as view
from retrieval.decide import decide
from retrieval.inspector.comparison import compare, differences, hits_of, most_changed, norms_of, summary
from retrieval.trace import Trace
from retrieval.words import Words

log = logging.getLogger(__name__)
_NOW = "now"
_HIDDEN, _COLUMNS = "compare_hidden", "compare_columns"
_SET, _KNOWN = "compare_set", "compare_known"
_SOURCE, _A, _B = "compare_source", "compare_a", "compare_b"
_QUESTION = 160


def page(run: Run, words: Words) -> None:
    """Draw the page for this run."""
    sides = _sides(run, words)
    draw([heading(words.t("compare.section.pins"))], "pins_title", words.language)
    pinning.button(words, "page")
    pinning.pins(words)
    _lists(run, sides, words)
    slot = _question_set(run, sides, words)
    draw([heading(words.t("compare.section.history")), paragraph(words.t("compare.history.lead"), muted=True)], "tried", words.language)
    pinning.tried(words)
    # Last, so that the whole page is there while the questions run.
    _go_on(run, slot, words)


def _sides(run: Run, words: Words) -> dict[str, Side]:
    """The pinned settings by their letters; the settings in force as one more where they are not pinned."""
    history = pinning.current()
    here = pin_of(history, run.state)
    found = {}
    for pin in history.pins:
        title = words.t("compare.now_is", title=pin.title) if pin is here else pin.title
        found[pin.letter] = Side(title, pin.settings, pin.without)
    if here is None:
        found[_NOW] = Side(words.t("compare.now"), run.state.settings, run.state.without)
    return found


# --- lists side by side ---------------------------------------------------------------------------------------------------


def _lists(run: Run, sides: dict[str, Side], words: Words) -> None:
    if len(sides) < 2:
        draw([_missing("single" if pinning.current().pins else "empty", words)], "lists_missing", words.language)
        return
    draw([heading(words.t("compare.section.lists"))], "lists_title", words.language)
    chosen = _chosen(sides, words)
    traces, faults = _traces(run, chosen, words)
    draw(faults, "lists_faults", words.language)
    if len(traces) < 2:
        draw([_missing("single", words)], "lists_missing", words.language)
        return
    shown = [chosen[key] for key in traces]
    _draw_lists([side.title for side in shown], list(traces.values()), words)
    draw(_differences(shown, words), "differences", words.language)


def _missing(name: str, words: Words) -> Block:
    return notice(words.t(f"compare.{name}.title"), [words.t(f"compare.{name}.text")])


def _chosen(sides: dict[str, Side], words: Words) -> dict[str, Side]:
    """The columns that are shown: all of them but those that the user took out."""
    hidden: set[str] = st.session_state.setdefault(_HIDDEN, set())
    shown = [key for key in sides if key not in hidden]
    if len(sides) > 2 or len(shown) < len(sides):
        titles = {key: side.title for key, side in sides.items()}
        key = _key(_COLUMNS, titles)
        label, hint = words.t("compare.columns"), words.t("compare.columns_hint")
        names, args = titles.__getitem__, (list(sides), key)
        st.multiselect(label, list(sides), shown, key=key, format_func=names, placeholder=hint, on_change=_take_columns, args=args)
    return {key: sides[key] for key in shown}


def _take_columns(every: Sequence[str], key: str) -> None:
    st.session_state[_HIDDEN] = set(every) - set(st.session_state[key])


def _traces(run: Run, sides: dict[str, Side], words: Words) -> tuple[dict[str, Trace], list[Block]]:
    """The run of each column, and what is to be said of those that failed."""
    found: dict[str, Trace] = {}
    faults: list[Block] = []
    for key, side in sides.items():
        try:
            found[key] = run.trace if key == _NOW else _trace(run, side)
        except Exception as error:
            log.exception("a column of the comparison could not be run")
            title, detail = words.t("compare.failed.title", title=words.quoted(side.title)), f"{type(error).__name__}: {error}"
            about = [(words.t("screen.error"), detail)]
            faults.append(notice(title, [words.t("compare.failed.text")], "fault", about, words.t("screen.details")))
    partial = ", ".join(words.quoted(sides[key].title) for key, trace in found.items() if trace.partial)
    if partial:
        faults.append(notice(words.t("compare.partial.title"), [words.t("compare.partial.text", titles=partial)], "warning"))
    return found, faults


def _trace(run: Run, side: Side) -> Trace:
    return decide(run.runs.pool(run.state.question, side.settings), side.settings, without=side.without)


def _draw_lists(titles: Sequence[str], traces: Sequence[Trace], words: Words) -> None:
    columns, names = view.columns(titles, traces), view.labels(traces)
    if names:
        chart(slopes.figure(columns, names, ink(), words, title=words.t("compare.chart")), "compare_lists")
    hits, norms = (compare([ids(trace) for trace in traces]) for ids in (hits_of, norms_of))
    below = [
        paragraph(f"{words.t('compare.chart_sentence')} {slopes.sentence(columns, words)}"),
        *view.lists(titles, traces, words),
        heading(words.t("compare.section.overlap")),
        *view.overlap(hits, norms, titles, names, words),
    ]
    draw(below, "lists", words.language)


def _differences(sides: Sequence[Side], words: Words) -> list[Block]:
    found = differences([side.settings for side in sides], [side.without for side in sides])
    return [heading(words.t("compare.section.settings")), *view.settings(found, [side.title for side in sides], words)]


# --- the same over many questions -------------------------------------------------------------------------------------------


def _question_set(run: Run, sides: dict[str, Side], words: Words) -> st.delta_generator.DeltaGenerator:
    """The controls of the set and its result; the place where its progress is shown."""
    draw([heading(words.t("compare.section.set")), paragraph(words.t("compare.set.lead"), muted=True)], "set_title", words.language)
    current: SetRun | None = st.session_state.get(_SET)
    going = current is not None and current.going
    if len(sides) < 2:
        draw([paragraph(words.t("compare.set.too_few"))], "set_missing", words.language)
    else:
        _starting(run, sides, going, words)
    slot = st.empty()
    if current is not None and not going:
        _result(current, run, words)
    return slot


def _starting(run: Run, sides: dict[str, Side], going: bool, words: Words) -> None:
    sources = {"examples": run.questions, "asked": pinning.current().questions}
    counted = {name: words.n(f"compare.set.{name}", len(found)) for name, found in sources.items() if found}
    questions = sources[
        _choice(partial(st.radio, horizontal=True), words.t("compare.set.source"), _SOURCE, counted, next(iter(counted)), going)
    ]
    titles = {key: side.title for key, side in sides.items()}
    left, right = st.columns(2)
    first = _choice(left.selectbox, words.t("compare.set.a"), _A, titles, next(iter(sides)), going)
    second = _choice(right.selectbox, words.t("compare.set.b"), _B, titles, next(reversed(sides)), going)
    if first == second:
        st.caption(words.t("compare.set.same"))
    begun = SetRun(questions, _fixed(first, sides, words), _fixed(second, sides, words), run.runs.stamp)
    label = words.n("compare.set.start", len(questions))
    st.button(label, key="set_start", disabled=going or first == second, on_click=_keep_set, args=(begun,))


def _choice(control: Callable[..., object], label: str, name: str, titles: dict[str, str], default: str, off: bool) -> str:
    """A choice that is kept apart from its control, so that it comes back with an option that was away.

    The control is told where it begins, not set: what is set reaches the browser once, and is lost where the next run overtakes it.
    """
    chosen = st.session_state.get(name, default)
    shown = chosen if chosen in titles else default
    options, key = list(titles), _key(name, titles)
    first = options.index(shown)
    control(label, options, first, key=key, format_func=titles.__getitem__, disabled=off, on_change=_take, args=(name, key))
    return shown


def _key(name: str, titles: dict[str, str]) -> str:
    """The key of a control over these options: it knows them by their titles, so with other titles it is another control."""
    return f"{name}: {', '.join(titles.values())}"


def _take(name: str, key: str) -> None:
    st.session_state[name] = st.session_state[key]


def _fixed(key: str, sides: dict[str, Side], words: Words) -> Side:
    """A side that keeps what it means, and its title, while the controls move on."""
    titles = {pin.letter: pin.title for pin in pinning.current().pins}
    return msgspec.structs.replace(sides[key], title=titles.get(key, words.t("compare.set.then")))


def _keep_set(current: SetRun) -> None:
    st.session_state[_SET] = current


def _go_on(run: Run, slot: st.delta_generator.DeltaGenerator, words: Words) -> None:
    """Run what is left of the set, one question after the other; what is done is kept, whatever interrupts it."""
    current: SetRun | None = st.session_state.get(_SET)
    if current is None or not current.going:
        return
    known = st.session_state.setdefault(_KNOWN, {})
    with slot.container():
        bar = st.progress(0.0)
        st.button(words.t("compare.set.stop"), key="set_stop", on_click=_stop)
    every = words.whole(len(current.questions))
    while current.going:
        share = current.done / len(current.questions)
        bar.progress(share, text=words.t("compare.set.progress", n=words.whole(current.done + 1), all=every))
        current = questionset.advanced(current, run.runs, known)
        _keep_set(current)
    st.rerun()


def _stop() -> None:
    _keep_set(questionset.stopped(st.session_state[_SET]))


def _result(current: SetRun, run: Run, words: Words) -> None:
    stale = current.stamp != run.runs.stamp
    unfinished = current.done < len(current.questions)
    draw(_about(current, stale, unfinished, words), "set_about", words.language)
    if unfinished and not stale:
        st.button(words.t("compare.set.go_on"), key="set_go_on", on_click=_keep_set, args=(questionset.continued(current),))
    rows = most_changed(current.rows)
    for place in pinning.paged("set_page", len(rows), words):
        one = rows[place]
        here = one.question == run.state.question
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.text(f"{place + 1}. {shortened(one.question, _QUESTION)}\n{view.set_row(one, words)}")
        label = words.t("compare.set.open_now" if here else "compare.set.open", place=place + 1)
        right.button(label, key=f"set_open_{place}", on_click=_open, args=(one.question,), disabled=here, width="stretch")


def _about(current: SetRun, stale: bool, unfinished: bool, words: Words) -> list[Block]:
    titles = {"a": words.quoted(current.a.title), "b": words.quoted(current.b.title)}
    done, every = words.whole(current.done), words.whole(len(current.questions))
    lines = [words.t("compare.set.about", done=done, all=every, **titles), *view.set_summary(summary(current.rows), words)]
    found = [paragraph(" ".join(lines))]
    for side in (current.a, current.b):
        about = view.about(side.settings, side.without, words)
        found.append(paragraph(words.t("compare.set.side", title=words.quoted(side.title), about=about), muted=True))
    if stale or unfinished:
        found.insert(0, notice(words.t("compare.set.stale" if stale else "compare.set.partial"), role="warning"))
    if current.failed:
        title = words.n("compare.set.failures", len(current.failed))
        failures = [(shortened(one.question, _QUESTION), f"{one.error_class}: {one.message}") for one in current.failed]
        names = [shortened(one.question, _QUESTION) for one in current.failed[:5]]
        found.append(notice(title, names, "fault", failures, words.t("screen.details")))
    return found


def _open(question: str) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(question=question, step=0)

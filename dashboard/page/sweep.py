"""The page "Abstimmen": asks for a sweep, shows it while it runs beside the page, and what came out of this one and earlier ones."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st

from dashboard import figures, knobtext
from dashboard.blocks import Block, heading, notice, paragraph
from dashboard.component import chart, draw, ink
from dashboard.controls import STATE
from dashboard.state import State
from dashboard.tuning import Tuning
from dashboard.views import heatmap, searched, staircase
from dashboard.views import sweeps as views
from dashboard.views.judging import told_apart
from retrieval.errors import FundstelleError
from retrieval.evaluation import protocol, verdicts
from retrieval.evaluation.desk import Desk, Kept, SweepBusy, Watch
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.protocol import Event
from retrieval.evaluation.statistics import halves
from retrieval.evaluation.sweeps.asking import SWEPT, axis, places, spec_of
from retrieval.evaluation.sweeps.model import COST, Goal, Kind, Spec, Sweep
from retrieval.evaluation.sweeps.run import run
from retrieval.inspector.comparison import differences
from retrieval.knobs import Value
from retrieval.settings import KNOBS, Settings
from retrieval.words import Words

_KINDS: tuple[Kind, ...] = ("one", "two", "search")
_GOALS = (*(name for name, metric in METRICS.items() if metric.compared), COST)
_FIRST, _SECOND = "verweis_score", "min_ratio"
_EVERY = 1.0
"""Seconds between two looks at a running sweep."""
_KEPT, _CHOSEN, _SEEN, _REFUSED, _TAKEN, _WHY = "sweep_kept", "sweep_chosen", "sweep_seen", "sweep_refused", "sweep_taken", "sweep_why"
_LONGEST_REASON = 500
_MOST_CELLS, _MOST_TRIALS, _MOST_HITS, _MOST_SEED = 50, 2000, 1000, 999_999
_noting = threading.Lock()


def page(tuning: Tuning, words: Words) -> None:
    """Draw the form, what runs, and the results of this set."""
    desk = _desk(str(tuning.workshop.sweeps))
    name = tuning.place.name
    draw([heading(words.t("sweep.form"))], "sweep_form", words.language)
    _form(tuning, desk, words)
    running = desk.running()
    if running is not None:
        draw([heading(words.t("sweep.running")), *views.running(running, name, words)], "sweep_running", words.language)
        st.fragment(_progress, run_every=_EVERY)(desk, running.id, words)
        draw(_changed(running, tuning, words), "sweep_running_changed", words.language)
    shelf = desk.sweeps(name)
    kept = [one for one in shelf.kept if not one.here]
    if kept or running is None:
        draw([heading(words.t("sweep.results"))], "sweep_results", words.language)
    draw(views.broken(shelf.broken, words), "sweep_broken", words.language)
    if kept:
        _results(_choice(kept, words), tuning, words)
    elif running is None:
        draw([notice(words.t("sweep.empty_title"), [words.t("sweep.empty")])], "sweep_none", words.language)


@st.cache_resource(show_spinner=False)
def _desk(folder: str) -> Desk:
    """The one desk of this process for a workshop."""
    return Desk(Path(folder))


# --- asking for a sweep -----------------------------------------------------------------------------------------------


def _form(tuning: Tuning, desk: Desk, words: Words) -> None:
    kind: Kind = st.radio(
        words.t("sweep.kind"), _KINDS, format_func=lambda one: words.t(f"sweep.kinds.{one}"), horizontal=True, **_held("kind", "one")
    )
    names = _knobs(kind, tuning.settings, words)
    goal = _goal(tuning, names, words)
    hold_out = st.toggle(words.t("sweep.hold_out"), **_held("hold_out", True))
    tuned, held = halves(one.id for one in tuning.checked.settled.questions)
    asked = len(tuned) if hold_out else len(tuned) + len(held)
    st.caption(words.t("sweep.hold_out_on" if hold_out else "sweep.hold_out_off", tuned=words.whole(asked), held=words.whole(len(held))))
    numbers = _numbers(kind, words)
    for name in _VALUES:
        if f"sweep_{name}" in st.session_state:
            st.session_state.setdefault(_KEPT, {})[name] = st.session_state[f"sweep_{name}"]
    missing = _missing(kind, names, asked, len(held), words)
    label = missing or _start_label(kind, names, numbers["cells"], numbers["trials"], asked, words)
    wanted = {"knobs": names, "goal": goal, "kind": kind, "hold_out": hold_out, **numbers}
    running = desk.running() is not None
    off = bool(missing) or running
    st.button(label, type="primary", key="sweep_start", disabled=off, on_click=_start, args=(tuning, desk, wanted, words))
    if running:
        st.caption(words.t("sweep.busy"))
    draw(st.session_state.pop(_REFUSED, []), "sweep_refused", words.language)


_VALUES = ("kind", "knob", "across", "up", "several", "goal", "hits", "hold_out", "cells", "trials", "seed")


def _held(name: str, default: Any, options: Sequence[Any] = ()) -> dict[str, Any]:
    """The key of a control whose value is remembered while another page is open; what is no option any more falls back."""
    key = f"sweep_{name}"
    value = st.session_state.get(key, st.session_state.get(_KEPT, {}).get(name, default))
    if options:
        value = [one for one in value if one in options] if isinstance(value, list) else value if value in options else default
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return {"key": key}


def _knobs(kind: Kind, settings: Settings, words: Words) -> tuple[str, ...]:
    """The settings to sweep. A search may change the kind of fusion, so it may move what belongs to the other kind."""

    def shown(name: str) -> str:
        return knobtext.label(KNOBS[name], words)

    if kind == "search":
        kept = _held("several", [_FIRST, _SECOND], SWEPT)
        return tuple(st.multiselect(words.t("sweep.several"), SWEPT, format_func=shown, **kept))
    working = [name for name in SWEPT if settings.acts(name)]
    if kind == "one":
        found = [st.selectbox(words.t("sweep.knob"), working, format_func=shown, **_held("knob", _FIRST, working))]
    else:
        numbers = [name for name in working if KNOBS[name].kind != "choice"]
        left, right = st.columns(2)
        across = left.selectbox(words.t("sweep.across"), numbers, format_func=shown, **_held("across", _FIRST, numbers))
        found = [across, right.selectbox(words.t("sweep.up"), numbers, format_func=shown, **_held("up", _SECOND, numbers))]
    st.caption(" ".join([*(knobtext.sentence(KNOBS[name], words) for name in dict.fromkeys(found)), words.t("sweep.idle")]))
    return tuple(found)


def _goal(tuning: Tuning, names: Sequence[str], words: Words) -> Goal:
    metric = st.selectbox(
        words.t("sweep.goal"), _GOALS, format_func=lambda one: figures.name(one, words), **_held("goal", "recall", _GOALS)
    )
    looked_at = places(Spec("search", tuple(names), Goal(), tuning.settings, "", "", ()))
    st.caption(figures.about(metric, looked_at, words))
    if metric != COST:
        return Goal(metric)
    return Goal(metric, st.number_input(words.t("sweep.hits"), 0.1, float(_MOST_HITS), step=1.0, **_held("hits", 5.0)))


def _numbers(kind: Kind, words: Words) -> dict[str, int]:
    found = {"cells": 20, "trials": 200, "seed": 0}
    if kind == "two":
        found["cells"] = int(st.number_input(words.t("sweep.cells"), 1, _MOST_CELLS, step=1, **_held("cells", 20)))
    if kind == "search":
        left, right = st.columns(2)
        found["trials"] = int(left.number_input(words.t("sweep.trials"), 1, _MOST_TRIALS, step=10, **_held("trials", 200)))
        help_text = words.t("sweep.seed_help")
        found["seed"] = int(right.number_input(words.t("sweep.seed"), 0, _MOST_SEED, step=1, help=help_text, **_held("seed", 0)))
    return found


def _missing(kind: Kind, names: Sequence[str], asked: int, held: int, words: Words) -> str:
    """What is missing before a sweep can start; empty for nothing."""
    if not asked:
        return words.t("sweep.all_held" if held else "sweep.no_questions")
    if kind == "two" and len(set(names)) < 2:
        return words.t("sweep.too_few")
    return "" if names else words.t("sweep.none_chosen")


def _start_label(kind: Kind, names: Sequence[str], cells: int, trials: int, asked: int, words: Words) -> str:
    """What the button does, with the number of settings and questions."""
    questions = words.n("sweep.questions", asked)
    if kind == "one":
        return words.t("sweep.start_line", questions=questions)
    count = trials if kind == "search" else prod(len(axis(KNOBS[name], cells)) for name in names)
    return words.t("sweep.start_many", settings=words.n("sweep.settings", count), questions=questions)


def _start(tuning: Tuning, desk: Desk, wanted: Mapping[str, Any], words: Words) -> None:
    """Start the sweep that the form asks for; a refusal is shown beside the button."""
    try:
        spec = spec_of(tuning.checked, settings=tuning.settings, without=tuning.state.without, who=tuning.who, **wanted)
        spec = msgspec.structs.replace(spec, set_name=tuning.place.name)  # a set is found by its file, whatever it calls itself
        judgements = verdicts.judgements(verdicts.read(tuning.workshop.judgements_file(tuning.place.name)), tuning.checked)

        def work(watch: Watch) -> Sweep:
            return run(spec, tuning.checked, tuning.runs.pool, judgements, watch)

        desk.start(spec, work)
    except SweepBusy as error:
        running = desk.running()
        said = words.t("sweep.refused.busy", what=views.title(running, words)) if running else words.t("sweep.refused.busy_elsewhere")
        st.session_state[_REFUSED] = [_refusal(said, error, words)]
    except FundstelleError as error:
        st.session_state[_REFUSED] = [_refusal(words.t("sweep.refused.other"), error, words)]


def _refusal(said: str, error: Exception, words: Words) -> Block:
    return notice(words.t("sweep.refused.title"), [said], "fault", [(words.t("screen.error"), str(error))], words.t("screen.details"))


# --- while it runs ----------------------------------------------------------------------------------------------------


def _progress(desk: Desk, sweep_id: str, words: Words) -> None:
    """How far the sweep is, looked at every second by itself; the whole page is drawn again when it has ended."""
    sweep = desk.running()
    if sweep is None or sweep.id != sweep_id:
        st.rerun()
    st.progress(min(1.0, sweep.progress.share), views.progress(sweep, desk.remaining(), words))
    st.button(words.t("sweep.stop"), key="sweep_stop", on_click=_stop, args=(desk, sweep_id))


def _stop(desk: Desk, sweep_id: str) -> None:
    running = desk.running()
    if running is not None and running.id == sweep_id:  # it may have ended between two looks
        desk.stop(sweep_id)


def _changed(sweep: Sweep, tuning: Tuning, words: Words) -> list[Block]:
    spec = sweep.spec
    differing = differences((spec.settings, tuning.settings), (spec.without, tuning.state.without))
    same = spec.set_name != tuning.place.name or spec.set_fingerprint == tuning.fingerprint
    return views.changed(sweep, differing, same, tuning.runs.stamp, words)


# --- results ----------------------------------------------------------------------------------------------------------


def _choice(kept: Sequence[Kept], words: Words) -> Kept:
    """The sweep that is looked at: the newest, until somebody chooses another."""
    by_id = {one.sweep.id: one for one in kept}
    newest = next(iter(by_id))
    if st.session_state.get(_SEEN) != newest or st.session_state.get(_CHOSEN) not in by_id:
        wanted = st.session_state.get(_KEPT, {}).get("chosen") if st.session_state.get(_SEEN) == newest else None
        st.session_state[_CHOSEN] = wanted if wanted in by_id else newest
        st.session_state[_SEEN] = newest
    names = told_apart({one: views.title(found.sweep, words) for one, found in by_id.items()})
    chosen: str = st.selectbox(words.t("sweep.choose"), list(by_id), key=_CHOSEN, format_func=names.__getitem__)
    st.session_state.setdefault(_KEPT, {})["chosen"] = chosen
    return by_id[chosen]


def _results(kept: Kept, tuning: Tuning, words: Words) -> None:
    sweep = kept.sweep
    names = {one.id: one.text for one in tuning.checked.settled.questions}
    events = _noted(kept, tuning, words)
    revealed = any(one.act == "revealed" and one.details.get("sweep") == sweep.id for one in events)
    draw([*views.state(kept, words), *_changed(sweep, tuning, words)], "sweep_state", words.language)
    _drawn(sweep, names, revealed, words)
    if sweep.line is not None and sweep.line.held is not None and not revealed:
        st.caption(words.t("sweep.reveal_about"))
        st.button(words.t("sweep.reveal"), key="sweep_reveal", on_click=_reveal, args=(sweep, tuning, words))
    earlier = sum(one.tried for one in events if one.details.get("sweep") != sweep.id)
    draw(views.outcome(sweep, names, earlier + sweep.tried, words), "sweep_outcome", words.language)
    _take_over(sweep, tuning, words)
    draw(views.basis(sweep, words), "sweep_basis", words.language)


def _drawn(sweep: Sweep, names: Mapping[str, str], revealed: bool, words: Words) -> None:
    """The chart of this kind of sweep, with its sentence and tables; nothing where nothing is computed yet."""
    if sweep.line is not None:
        chart(staircase.figure(sweep, sweep.line, revealed, words, ink()), "staircase")
        said = staircase.blocks(sweep, sweep.line, names, revealed, words)
    elif sweep.steps:
        chart(staircase.values_figure(sweep, words, ink()), "steps")
        said = staircase.values_blocks(sweep, names, words)
    elif sweep.field is not None:
        chart(heatmap.figure(sweep, sweep.field, words, ink()), "heatmap")
        said = heatmap.blocks(sweep, sweep.field, words)
    elif sweep.trials:
        chart(searched.figure(sweep, words, ink()), "search")
        said = searched.blocks(sweep, words)
    else:
        said = []
    draw(said, "sweep_words", words.language)


def _noted(kept: Kept, tuning: Tuning, words: Words) -> tuple[Event, ...]:
    """The protocol of the set, in which a sweep stands once, from when its end is first looked at."""
    path = tuning.workshop.protocol_file(tuning.place.name)
    try:
        with _noting:
            events = protocol.events(path)
            known = any(one.act == "swept" and one.details.get("sweep") == kept.sweep.id for one in events)
            if not known and kept.sweep.state != "running":
                tuning.note("swept", details=_details(kept.sweep), tried=kept.sweep.tried)
                events = protocol.events(path)
    except FundstelleError as error:
        draw([_no_protocol(error, words)], "sweep_protocol", words.language)
        return ()
    return events


def _details(sweep: Sweep) -> dict[str, str | int | float | None]:
    """What the protocol keeps of a sweep."""
    spec = sweep.spec
    found: dict[str, str | int | float | None] = {"sweep": sweep.id, "kind": spec.kind, "knobs": ", ".join(spec.knobs)}
    found |= {"goal": spec.goal.metric, "state": sweep.state, "questions": len(spec.questions), "held_out": len(spec.held_out)}
    if spec.goal.metric == COST:
        found["hits_per_norm"] = spec.goal.hits_per_norm
    return {**found, "present": sweep.present, "reached": sweep.reached, **sweep.values}


def _no_protocol(error: Exception, words: Words) -> Block:
    details = [(words.t("screen.error"), str(error))]
    return notice(words.t("sweep.protocol.title"), [words.t("sweep.protocol.text")], "fault", details, words.t("screen.details"))


def _reveal(sweep: Sweep, tuning: Tuning, words: Words) -> None:
    try:
        tuning.note("revealed", details={"sweep": sweep.id, "knobs": ", ".join(sweep.spec.knobs)})
    except FundstelleError as error:  # what cannot be noted is not shown
        st.session_state[_REFUSED] = [_no_protocol(error, words)]


# --- taking values over -----------------------------------------------------------------------------------------------


def _take_over(sweep: Sweep, tuning: Tuning, words: Words) -> None:
    """The button that puts the proposed values into force, with a reason."""
    if not sweep.values:
        draw([paragraph(words.t("sweep.no_values"))], "sweep_no_values", words.language)
        return
    draw([heading(words.t("sweep.take_title"))], "sweep_take_title", words.language)
    if st.session_state.pop(_TAKEN, "") == sweep.id:
        draw([notice(words.t("sweep.taken"))], "sweep_taken", words.language)
    here = all(tuning.settings.value(name) == value for name, value in sweep.values.items())
    st.text_input(words.t("sweep.why"), key=_WHY, max_chars=_LONGEST_REASON, placeholder=words.t("sweep.why_hint"), disabled=here)
    st.button(words.t("sweep.take"), key="sweep_take", disabled=here, on_click=_take, args=(sweep, tuning, words))
    st.caption(words.t("sweep.take_done" if here else "sweep.take_about"))


def _take(sweep: Sweep, tuning: Tuning, words: Words) -> None:
    state: State = st.session_state[STATE]
    for name, value in sweep.values.items():
        state = state.with_value(name, _read(name, value))
    why = " ".join(st.session_state.get(_WHY, "").split())
    details: dict[str, str | int | float | None] = {"sweep": sweep.id, **sweep.values}
    try:
        msgspec.structs.replace(tuning, state=state).note("moved", details=details, why=why)
    except FundstelleError as error:  # what cannot be noted is not done
        st.session_state[_REFUSED] = [_no_protocol(error, words)]
        return
    st.session_state[STATE], st.session_state[_TAKEN], st.session_state[_WHY] = state, sweep.id, ""


def _read(name: str, value: Value) -> Value:
    return KNOBS[name].read(value)

"""The page "Befund": two values of one setting over the whole set, what the one costs, and what is replaced by what."""

from __future__ import annotations

import msgspec
import streamlit as st

from dashboard import assessing, controls, knobtext
from dashboard import figures as said
from dashboard.assessing import Side
from dashboard.blocks import Block, heading, notice, paragraph, statement
from dashboard.component import chart, draw, ink
from dashboard.tuning import Tuning
from dashboard.views import against as against_view
from dashboard.views import exchange as view
from dashboard.views import measures
from retrieval.errors import BadSetting
from retrieval.evaluation.against import Against, MetricChange, against
from retrieval.evaluation.exchange import Exchange, Turn, balance, exchange, scorer, steps, turns
from retrieval.evaluation.report import Report
from retrieval.evaluation.staircase import Score, Staircase
from retrieval.inspector.grids import lists
from retrieval.inspector.tracks import CONTINUOUS
from retrieval.knobs import Knob, Value
from retrieval.settings import KNOBS
from retrieval.words import Words

_KNOB, _FIRST, _SECOND, _METRIC = "swap_knob", "swap_first", "swap_second", "swap_metric"
_FOUND: tuple[str, Value] = ("verweis_score", 0.97)
"""The finding that is shown where nobody has chosen another: this value against the default."""
_MOST_STEPS = 60


class Swap(msgspec.Struct, frozen=True):
    """Two values of one setting on this set, everything else as it is in force."""

    knob: Knob
    first: Value
    second: Value
    sides: tuple[Side, Side]

    @property
    def values(self) -> tuple[Value, Value]:
        """Both values."""
        return self.first, self.second


def page(tuning: Tuning, words: Words) -> None:
    """Draw the page for this set."""
    swap = _chosen(tuning, words)
    if swap is None:
        return
    judgements, broken = assessing.judged(tuning, words)
    before, after = assessing.both(tuning, *swap.sides, judgements, words)
    found = against(before, after)
    faults = [*broken, *measures.faults(before, words), *measures.faults(after, words), *against_view.faults(found, words)]
    draw(faults, "faults", words.language)
    change = _figure(found, words)
    if change is None:
        draw([notice(words.t("swap.nothing.title"), [words.t("swap.nothing.text")])], "nothing", words.language)
        return
    notes = _noted(tuning, swap, before, after, found, words)
    top = view.headline(change, before, after, swap.knob, swap.values, words)
    draw([*notes, statement(top, words.t("swap.above")), paragraph(view.honest(change, words))], "headline", words.language)
    _replaced(tuning, swap, words)
    _where(tuning, swap, change.metric, words)
    _costs(tuning, found, before, after, swap, words)


# --- what is compared -------------------------------------------------------------------------------------------------


def _chosen(tuning: Tuning, words: Words) -> Swap | None:
    """The setting and its two values; None where they are the same, or one is refused."""
    names = [name for name, knob in KNOBS.items() if len(knob.choices) != 1]
    kept = st.session_state.get(f"{_KNOB}_kept", _FOUND[0])
    if st.session_state.get(_KNOB) not in names:
        st.session_state[_KNOB] = kept
    name: str = st.selectbox(words.t("swap.knob"), names, key=_KNOB, format_func=lambda one: knobtext.label(KNOBS[one], words))
    st.session_state[f"{_KNOB}_kept"] = name
    knob = KNOBS[name]
    left, right = st.columns(2)
    with left:
        first = _value(knob, _FIRST, knob.default, words)
    with right:
        second = _value(knob, _SECOND, _other(knob), words)
    idle = words.t("swap.idle" if knob.only else "knob.reranker_off") if controls.idle(knob, tuning.state) else ""
    st.caption(words.t("swap.rest", idle=idle).rstrip())
    if first == second:
        draw([notice(words.t("swap.same.title"), [words.t("swap.same.text")])], "same", words.language)
        return None
    try:
        used = [tuning.settings.changed({name: value}) for value in (first, second)]
    except BadSetting:
        draw([notice(words.t("swap.refused.title"), [words.t("swap.refused.text")], "warning")], "refused", words.language)
        return None
    titles = [knobtext.shown(knob, value, words) for value in (first, second)]
    one, other = (Side(title, settings, tuning.state.without) for title, settings in zip(titles, used, strict=True))
    return Swap(knob, first, second, (one, other))


def _other(knob: Knob) -> Value:
    """What the default is compared with at first: the finding's value, 0 where that switches something off, else the far end."""
    if knob.name == _FOUND[0]:
        return _FOUND[1]
    if knob.kind == "choice":
        return next(choice for choice in knob.choices if choice != knob.default)
    low_end = knob.scope == "gather" or knob.default == knob.high or (knob.kind == "int" and knob.low == 0)
    far = knob.low if low_end else knob.high
    return int(far) if knob.kind == "int" else far


def _value(knob: Knob, side: str, default: Value, words: Words) -> Value:
    """One of the two values, remembered for each setting while another one or another page is open."""
    key, kept = f"{side}_{knob.name}", f"{side}_{knob.name}_kept"
    if key not in st.session_state:
        st.session_state[key] = st.session_state.get(kept, default)
    name = words.t(f"swap.{'first' if side == _FIRST else 'second'}")
    if knob.kind == "choice":
        st.selectbox(name, knob.choices, key=key, format_func=lambda one: words.word("choice", one))
    elif knob.kind == "int":
        st.number_input(name, int(knob.low), int(knob.high), step=int(knob.step), key=key)
    else:
        places = controls.grid(knob, st.session_state[key])
        st.select_slider(name, places, key=key, format_func=lambda one: knobtext.number(knob, one, words))
    st.session_state[kept] = st.session_state[key]
    return knob.read(st.session_state[key])


def _figure(found: Against, words: Words) -> MetricChange | None:
    """The figure of which the finding speaks; None where no question has any."""
    by_name = {one.metric: one for one in found.metrics if one.effect.n}
    if not by_name:
        return None
    preferred = "chain_coverage" if "chain_coverage" in by_name else next(iter(by_name))
    kept = st.session_state.get(f"{_METRIC}_kept", preferred)
    if st.session_state.get(_METRIC) not in by_name:
        st.session_state[_METRIC] = kept if kept in by_name else preferred
    name: str = st.selectbox(words.t("swap.metric"), list(by_name), key=_METRIC, format_func=lambda one: said.name(one, words))
    st.session_state[f"{_METRIC}_kept"] = name
    return by_name[name]


def _noted(tuning: Tuning, swap: Swap, before: Report, after: Report, found: Against, words: Words) -> list[Block]:
    one, other = swap.sides
    notes = [*assessing.note_measured(tuning, one, before, words), *assessing.note_measured(tuning, other, after, words)]
    differences = {each.metric: each.effect.difference for each in found.metrics if each.metric in assessing.MAIN_FIGURES}
    details: assessing.Details = {"against": f"{knobtext.label(swap.knob, words)} {one.title}", **differences}
    return [*notes, *assessing.note_once(tuning, "compared", other, details, words)]


# --- what is replaced by what -----------------------------------------------------------------------------------------


def _replaced(tuning: Tuning, swap: Swap, words: Words) -> None:
    key = ("exchange", *(side.key for side in swap.sides))
    found = assessing.kept(tuning, key, lambda: _exchanges(tuning, swap))
    specs = tuning.runs.texts.specs if tuning.runs.texts is not None else {}
    settled = {one.id: one for one in tuning.checked.settled.questions}
    drawn = [
        heading(words.t("swap.section.replaced")),
        paragraph(view.summary(found, words)),
        *view.questions(found, settled, specs, words),
        paragraph(words.t("swap.balance.says"), muted=True),
        *view.balance(balance(found), words),
    ]
    draw(drawn, "replaced", words.language)
    _openings(tuning, swap, found, words)


def _exchanges(tuning: Tuning, swap: Swap) -> tuple[Exchange, ...]:
    one, other = (assessing.runs(tuning, side) for side in swap.sides)
    asked = tuning.checked.settled.questions
    return tuple(
        exchange(question, one[question.id], other[question.id]) for question in asked if question.id in one and question.id in other
    )


def _openings(tuning: Tuning, swap: Swap, found: tuple[Exchange, ...], words: Words) -> None:
    """The way to the run of each question that loses a norm, under the second value."""
    losing = [one for one in found if one.lost]
    if not losing:
        return
    state = tuning.state.with_value(swap.knob.name, swap.second)
    st.caption(words.t("swap.open_says", value=swap.sides[1].title))
    for place, one in enumerate(losing, start=1):
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.text(f"{place}. {one.question}")
        with right:
            assessing.to_live(state, one.question, words.t("measure.open", place=place))


# --- where it happens -------------------------------------------------------------------------------------------------


def _where(tuning: Tuning, swap: Swap, metric: str, words: Words) -> None:
    draw([heading(words.t("swap.section.where"))], "where_title", words.language)
    texts = {one.id: one.text for one in tuning.checked.settled.questions}
    knob = swap.knob
    if knob.name in CONTINUOUS:
        with st.spinner(words.t("swap.searching")):
            stairs, found = assessing.kept(
                tuning, ("stairs", metric, *(side.key for side in swap.sides)), lambda: _stairs(tuning, swap, metric)
            )
        values = (float(swap.first), float(swap.second))
        chart(view.figure(stairs, metric, values, knob, words, ink()), "stairs_chart")
        said_below = [paragraph(words.t("swap.stairs.says", name=said.name(metric, words)), muted=True)]
        draw(
            [*said_below, *view.turns(found, texts, knob, metric, words), *view.stairs_table(stairs, metric, knob, words)],
            "where",
            words.language,
        )
        return
    if not _countable(swap):
        draw([paragraph(words.t("swap.turns.jump"))], "where", words.language)
        return
    found = assessing.kept(tuning, ("steps", metric, *(side.key for side in swap.sides)), lambda: _steps(tuning, swap, metric))
    draw(view.turns(found, texts, knob, metric, words), "where", words.language)


def _countable(swap: Swap) -> bool:
    """Whether there are whole numbers between the values, not too many, and nobody is to be asked again for them."""
    return swap.knob.kind == "int" and swap.knob.scope == "decide" and abs(int(swap.second) - int(swap.first)) <= _MOST_STEPS


def _stairs(tuning: Tuning, swap: Swap, metric: str) -> tuple[Staircase, tuple[Turn, ...]]:
    runs, settings = tuning.runs, swap.sides[0].settings
    asked = tuning.checked.settled.questions
    tracks = {one.id: runs.track(runs.pool(one.text, settings), settings, swap.knob.name, tuning.state.without) for one in asked}
    return turns(tracks, _score(tuning, swap, metric), float(swap.first), float(swap.second))


def _steps(tuning: Tuning, swap: Swap, metric: str) -> tuple[Turn, ...]:
    first, second = int(swap.first), int(swap.second)
    values = list(range(first, second + 1) if first < second else range(first, second - 1, -1))
    used = [swap.sides[0].settings.changed({swap.knob.name: value}) for value in values]
    found = {one.id: lists(tuning.runs.pool(one.text, used[0]), used, tuning.state.without) for one in tuning.checked.settled.questions}
    return steps(found, values, _score(tuning, swap, metric))


def _score(tuning: Tuning, swap: Swap, metric: str) -> Score:
    texts = tuning.runs.texts
    if texts is None:
        raise RuntimeError("a set is measured on a stock of ours only")
    k = max(side.settings.quota.max_final_results for side in swap.sides)
    return scorer(tuning.checked.settled.questions, metric, k, texts.chunk)


# --- what it costs ----------------------------------------------------------------------------------------------------


def _costs(tuning: Tuning, found: Against, before: Report, after: Report, swap: Swap, words: Words) -> None:
    warned = said.warned(assessing.tried_so_far(tuning), words)
    titles = (swap.sides[0].title, swap.sides[1].title)
    drawn = [
        heading(words.t("swap.section.costs")),
        *against_view.verdicts(found, before, after, titles, words),
        *([paragraph(warned)] if warned else []),
    ]
    draw(drawn, "costs", words.language)

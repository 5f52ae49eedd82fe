"""The page "Messen": what a setting makes of the set, against another one, where norms are lost, and how far a threshold goes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal, cast

import streamlit as st

from dashboard import assessing, pinning
from dashboard import figures as said
from dashboard.assessing import Side
from dashboard.blocks import Block, heading, notice, paragraph
from dashboard.component import chart, draw, ink
from dashboard.tuning import Tuning
from dashboard.views import against as against_view
from dashboard.views import assertions, measures
from dashboard.views import oracle as oracle_view
from dashboard.views import thresholds as thresholds_view
from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation.against import Against, against
from retrieval.evaluation.judging import Judgements
from retrieval.evaluation.oracle import METRICS_OF_LISTS, Oracle, oracle, summed
from retrieval.evaluation.report import Report
from retrieval.evaluation.statistics import halves
from retrieval.evaluation.thresholds import QUANTITIES, Gap, Observed, Quantity, choice, gap, middle, observed
from retrieval.settings import Settings
from retrieval.words import Words

log = logging.getLogger(__name__)
Part = Literal["figures", "questions", "against", "losses", "threshold"]
PARTS: tuple[Part, ...] = ("figures", "questions", "against", "losses", "threshold")
_PART, _OTHER, _FILE, _REVEALED = "measure_part", "measure_other", "measure_file", "measure_revealed"
_METRIC, _QUANTITY, _THRESHOLD = "measure_metric", "measure_quantity", "measure_threshold"
_DEFAULTS, _UPLOADED = "defaults", "file"


def page(tuning: Tuning, words: Words) -> None:
    """Draw the page for this set."""
    if not tuning.checked.questions:
        draw([notice(words.t("measure.empty.title"), [words.t("measure.empty.text")])], "empty", words.language)
        return
    judgements, broken = assessing.judged(tuning, words)
    draw(broken, "judgements", words.language)
    here = assessing.present(tuning, words.t("measure.present"))
    found = assessing.report(tuning, here, judgements, words)
    draw(measures.faults(found, words), "faults", words.language)
    if not found.rows:
        draw([notice(words.t("measure.nothing_ran.title"), [words.t("measure.nothing_ran.text")], "fault")], "nothing", words.language)
        return
    draw([*assessing.note_measured(tuning, here, found, words), *_about(tuning, found, words)], "about", words.language)
    drawn: dict[Part, Callable[[], None]] = {
        "figures": lambda: _figures(tuning, found, words),
        "questions": lambda: _questions(tuning, found, words),
        "against": lambda: _against(tuning, here, judgements, words),
        "losses": lambda: _losses(tuning, here, words),
        "threshold": lambda: _threshold(tuning, here, words),
    }
    drawn[cast(Part, _kept_choice(_PART, words.t("measure.part"), PARTS, "measure.parts", words))]()


def _about(tuning: Tuning, found: Report, words: Words) -> list[Block]:
    warned = said.warned(assessing.tried_so_far(tuning), words)
    return [paragraph(measures.about(found, words)), *([paragraph(warned, muted=True)] if warned else [])]


def _kept_choice(name: str, label: str, options: tuple[str, ...], family: str, words: Words) -> str:
    """One of a few options, remembered while another page or part is open."""
    kept = f"{name}_kept"
    if st.session_state.get(name) not in options:
        st.session_state[name] = st.session_state.get(kept) if st.session_state.get(kept) in options else options[0]
    chosen: str = st.radio(label, options, key=name, format_func=lambda one: words.word(family, one), horizontal=True)
    st.session_state[kept] = chosen
    return chosen


# --- the figures ------------------------------------------------------------------------------------------------------


def _figures(tuning: Tuning, found: Report, words: Words) -> None:
    specs = _specs(tuning)
    draw([heading(words.t("measure.section.figures"))], "figures_title", words.language)
    drawn = measures.frame(found.figures, words)
    if len(drawn):
        chart(measures.figure(drawn, words, ink()), "figures_chart")
    below = [
        paragraph(measures.sentence(words)),
        *measures.table_of(found, specs, words),
        heading(words.t("measure.section.corpus")),
        *measures.groups(found.by_corpus, "corpus", specs, words),
        heading(words.t("measure.section.tag")),
        *measures.groups(found.by_tag, "tag", specs, words),
    ]
    draw(below, "figures", words.language)


def _specs(tuning: Tuning) -> measures.Specs:
    return tuning.runs.texts.specs if tuning.runs.texts is not None else {}


# --- the questions ----------------------------------------------------------------------------------------------------


def _questions(tuning: Tuning, found: Report, words: Words) -> None:
    specs, rows = _specs(tuning), measures.worst_first(found.rows)
    settled = {one.id: one for one in tuning.checked.settled.questions}
    texts = {one.question_id: one.question for one in found.rows}
    draw([heading(words.t("measure.section.questions")), paragraph(words.t("measure.questions_says"))], "questions_title", words.language)
    for place in pinning.paged("measure_page", len(rows), words):
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.text(f"{place + 1}. {measures.row_text(rows[place], settled, specs, words)}")
        with right:
            assessing.to_live(tuning.state, rows[place].question, words.t("measure.open", place=place + 1))
    below = [
        *measures.rows_table(rows, settled, specs, words),
        heading(words.t("measure.section.matrix")),
        *assertions.blocks(found.demands, texts, specs, words),
    ]
    draw(below, "questions", words.language)


# --- against another setting ------------------------------------------------------------------------------------------


def _against(tuning: Tuning, here: Side, judgements: Judgements, words: Words) -> None:
    draw(
        [heading(words.t("measure.section.against")), paragraph(words.t("measure.against.lead"), muted=True)],
        "against_title",
        words.language,
    )
    other = _other(words)
    if other is None:
        return
    if other.key == here.key:
        draw([notice(words.t("measure.against.same.title"), [words.t("measure.against.same.text")])], "against", words.language)
        return
    before, after = assessing.both(tuning, other, here, judgements, words)
    found = against(before, after)
    notes = assessing.note_measured(tuning, other, before, words)
    details: assessing.Details = {
        "against": other.title,
        **{one.metric: one.effect.difference for one in found.metrics if one.metric in assessing.MAIN_FIGURES},
    }
    notes += assessing.note_once(tuning, "compared", here, details, words)
    warned = said.warned(assessing.tried_so_far(tuning), words)
    drawn = [
        *notes,
        paragraph(against_view.differing(found.differing, words)),
        *against_view.faults(found, words),
        *against_view.verdicts(found, before, after, (other.title, here.title), words),
        *([paragraph(warned)] if warned else []),
    ]
    draw(drawn, "against", words.language)
    _halves(tuning, (other, here), before, after, words)


def _other(words: Words) -> Side | None:
    """The setting to compare with: the defaults, a pinned one, or one out of a file; None while there is no file."""
    pins = {pin.letter: pin for pin in pinning.current().pins}
    options = (_DEFAULTS, *pins, _UPLOADED)
    titles = {_DEFAULTS: words.t("measure.against.defaults"), _UPLOADED: words.t("measure.against.file")}
    titles |= {letter: words.t("measure.against.pin", title=pin.title) for letter, pin in pins.items()}
    kept = st.session_state.get(_OTHER, _DEFAULTS)
    key = f"{_OTHER}: {', '.join(titles.values())}"
    first = options.index(kept) if kept in options else 0
    chosen = st.selectbox(words.t("measure.against.with"), options, first, key=key, format_func=titles.__getitem__)
    st.session_state[_OTHER] = chosen
    if chosen == _UPLOADED:
        return _uploaded(words)
    if chosen in pins:
        return Side(pins[chosen].title, pins[chosen].settings, pins[chosen].without)
    return Side(titles[_DEFAULTS], Settings())


def _uploaded(words: Words) -> Side | None:
    file = st.file_uploader(words.t("measure.against.upload"), type=["toml"], key=_FILE)
    if file is None:
        return None
    try:
        return Side(file.name, Settings.from_toml(file.getvalue().decode("utf-8")))
    except (BadSetting, UnicodeDecodeError) as error:
        about = [(words.t("screen.error"), str(error))]
        lines = [words.t("measure.against.no_settings.text")]
        title = words.t("measure.against.no_settings.title", name=words.quoted(file.name))
        draw([notice(title, lines, "fault", about, words.t("screen.details"))], "uploaded", words.language)
        return None


def _halves(tuning: Tuning, sides: tuple[Side, Side], before: Report, after: Report, words: Words) -> None:
    """The comparison on the questions to tune with, and on those held out once somebody asks to see them for these two settings."""
    used, held = halves(one.id for one in tuning.checked.settled.questions)
    draw([heading(words.t("measure.section.halves")), paragraph(words.t("measure.halves.says"))], "halves_title", words.language)
    shown: set[object] = st.session_state.setdefault(_REVEALED, set())
    seen = _looked_at(tuning, sides) in shown
    kept: Against | None = against(before, after, held) if seen else None
    draw(against_view.halves(against(before, after, used), kept, (len(used), len(held)), words), "halves", words.language)
    looked = assessing.revealed(tuning)
    if looked:
        st.caption(words.n("measure.halves.looked", looked))
    if not seen:
        st.button(words.t("measure.halves.reveal"), key="measure_reveal", on_click=_reveal, args=(tuning, sides, len(held)))
        st.caption(words.t("measure.halves.warning"))


def _looked_at(tuning: Tuning, sides: tuple[Side, Side]) -> object:
    """What one look at the questions held out shows: another comparison is another look."""
    return tuning.fingerprint, *(side.key for side in sides)


def _reveal(tuning: Tuning, sides: tuple[Side, Side], questions: int) -> None:
    try:
        tuning.note("revealed", settings=sides[1].settings, details={"questions": questions})
    except BadInput:  # the page says at its top that the protocol cannot be kept
        log.exception("the protocol of the set could not be written")
    st.session_state.setdefault(_REVEALED, set()).add(_looked_at(tuning, sides))


# --- where norms are lost ---------------------------------------------------------------------------------------------


def _losses(tuning: Tuning, here: Side, words: Words) -> None:
    found = assessing.kept(tuning, ("looked", here.key), lambda: _looked(tuning, here))[0]
    draw(
        [heading(words.t("measure.section.losses")), paragraph(words.t("measure.oracle.lead"), muted=True)], "losses_title", words.language
    )
    used = tuple(name for name in METRICS_OF_LISTS if found.metric(name).n)
    if not used:
        draw([paragraph(words.t("measure.oracle.nobody"))], "losses", words.language)
        return
    metric = _metric(used, words)
    chart(oracle_view.figure(found.metric(metric), words, ink()), "losses_chart")
    below = [
        paragraph(oracle_view.sentence(found.metric(metric), words)),
        paragraph(words.t("measure.oracle.chart_says"), muted=True),
        *oracle_view.blocks(found, words),
        heading(words.t("measure.section.lost_norms")),
        *oracle_view.names(found, _specs(tuning), words),
    ]
    draw(below, "losses", words.language)


def _metric(used: tuple[str, ...], words: Words) -> str:
    if st.session_state.get(_METRIC) not in used:
        st.session_state[_METRIC] = used[0]
    chosen: str = st.radio(
        words.t("measure.oracle.metric"), used, key=_METRIC, format_func=lambda one: said.name(one, words), horizontal=True
    )
    return chosen


def _looked(tuning: Tuning, here: Side) -> tuple[Oracle, tuple[Observed, ...]]:
    """The oracle gap and the decision scores of every question that can be run."""
    runs = assessing.runs(tuning, here)
    gaps = [oracle(one, runs[one.question.id]) for one in tuning.checked.questions if one.question.id in runs]
    seen = [observed(one, runs[one.id]) for one in tuning.checked.settled.questions if one.id in runs]
    return summed(gaps), tuple(one for one in seen if one is not None)


# --- the decision gap -------------------------------------------------------------------------------------------------


def _threshold(tuning: Tuning, here: Side, words: Words) -> None:
    seen = assessing.kept(tuning, ("looked", here.key), lambda: _looked(tuning, here))[1]
    draw([heading(words.t("measure.section.threshold")), paragraph(words.t("measure.gap.lead"), muted=True)], "gap_title", words.language)
    quantity = cast(Quantity, _kept_choice(_QUANTITY, words.t("measure.gap.quantity"), QUANTITIES, "measure.gap.name", words))
    without_gold = [one.id for one in tuning.checked.settled.questions if not one.needs]
    found = gap(quantity, seen, without_gold)
    draw([paragraph(words.t(f"measure.gap.says.{quantity}")), paragraph(thresholds_view.sentence(found, words))], "gap", words.language)
    best = middle(found)
    if best is not None:
        chosen = choice(found, _typed(found, best, words))
        chart(thresholds_view.figure(found, chosen, words, ink()), "gap_chart")
        said_below = [
            paragraph(words.t("measure.gap.chart_says"), muted=True),
            *thresholds_view.blocks(found, chosen, _specs(tuning), words),
        ]
        draw(said_below, "gap_words", words.language)
    for line in thresholds_view.apart(found, words):
        st.caption(line)


def _typed(found: Gap, best: float, words: Words) -> float:
    """The threshold that the reader types, the middle of the best stretch where the field is empty or holds no such number."""
    low, high = found.bounds
    key = f"{_THRESHOLD}_{found.quantity}"
    hint = words.t("measure.gap.middle", value=thresholds_view.value(best, words))
    text = st.text_input(words.t("measure.gap.threshold"), key=key, placeholder=hint, max_chars=20)
    if not text.strip():
        return best
    try:
        number = float(text.strip().replace(",", ".", 1))
    except ValueError:
        number = float("nan")
    if low <= number <= high:
        return number
    refused = words.t("measure.gap.no_threshold", value=words.quoted(text), low=words.number(low, 0), high=words.number(high, 0))
    draw([paragraph(refused)], "gap_refused", words.language)
    return best

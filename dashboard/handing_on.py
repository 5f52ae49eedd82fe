"""Handing a set on: in the formats of others, with what each cannot hold; and the lists of the setting in force as a run file."""

from __future__ import annotations

import logging
from datetime import date
from typing import Any

import msgspec
import streamlit as st

from dashboard.blocks import heading, notice, paragraph
from dashboard.component import draw
from dashboard.naming import shortened
from dashboard.tuning import Tuning
from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.evaluation.formats import FORMATS, runs, zipped
from retrieval.evaluation.formats.preview import lost
from retrieval.evaluation.formats.trec import QRELS, write
from retrieval.evaluation.formats.zipped import members
from retrieval.exports.files import file_name
from retrieval.words import Words

log = logging.getLogger(__name__)
RUN, MAP = "run.txt", "run-map.tsv"
"""The files of a run: the lists, and what each document in them is."""
_RUN, _FORMAT = "sets_run", "sets_export_format"
_TEXT = 120


def page(tuning: Tuning, words: Words) -> None:
    """Draw the ways out of the page for this set."""
    _formats(tuning, words)
    _runs(tuning, words)


# --- formats -----------------------------------------------------------------------------------------------------------------


def _formats(tuning: Tuning, words: Words) -> None:
    draw([heading(words.t("sets.export.title")), paragraph(words.t("sets.export.lead"), muted=True)], "export_title", words.language)
    names = [name for name, one in FORMATS.items() if one.write]
    name = st.selectbox(words.t("sets.export.format"), names, key=_FORMAT, format_func=lambda one: words.t(f"sets.format.{one}.title"))
    chosen, questions = FORMATS[name], tuning.loaded.questions
    missing = lost(questions, chosen.holds)
    about = [paragraph(words.t(f"sets.format.{name}.text"))]
    if missing:
        fields = "; ".join(words.word("questions.field", field) for field in missing)
        about.append(notice(words.t("sets.export.lost_title"), [words.t("sets.export.lost", fields=fields)], "warning"))
    else:
        about.append(paragraph(words.t("sets.export.whole")))
    try:
        data = chosen.write(questions) if chosen.write else b""
    except BadInput as error:
        details = [(words.t("screen.error"), str(error))]
        text = words.t("sets.export.failed.text")
        about.append(notice(words.t("sets.export.failed.title"), [text], "fault", details, words.t("screen.details")))
        draw(about, "export_about", words.language)
        return
    draw(about, "export_about", words.language)
    file = file_name(tuning.place.name, date.today(), chosen.ending)
    st.download_button(words.t("sets.export.button"), data, file, chosen.mime, key="sets_download", on_click="ignore", type="primary")


# --- the run -----------------------------------------------------------------------------------------------------------------


class Ran(msgspec.Struct, frozen=True):
    """The lists of a set under one setting, as far as they were made. ``key`` is everything that they depend on."""

    key: tuple[Any, ...]
    lists: dict[str, tuple[runs.Place, ...]] = {}
    failed: dict[str, str] = {}
    going: bool = True

    @property
    def done(self) -> int:
        """How many questions were run, with those that failed."""
        return len(self.lists) + len(self.failed)


def advanced(ran: Ran, tuning: Tuning) -> Ran:
    """The lists with one question more."""
    asked = tuning.checked.settled.questions[ran.done]
    try:
        trace = decide(tuning.runs.pool(asked.text, tuning.settings), tuning.settings, without=tuning.state.without)
        if trace.partial:
            raise RuntimeError("a part of the search failed")
        listed = runs.places(asked, (trace.chunks[entry.chunk_id] for entry in trace.final))
        return msgspec.structs.replace(ran, lists={**ran.lists, asked.id: listed})
    except Exception as error:
        log.exception("a question of the set could not be run")
        return msgspec.structs.replace(ran, failed={**ran.failed, asked.id: f"{type(error).__name__}: {error}"})


def archive(ran: Ran, tuning: Tuning) -> bytes:
    """The lists, what their documents are, and the qrels that evaluators need beside them."""
    qrels = members(write(tuning.checked.settled))[QRELS]
    return zipped.packed({RUN: runs.write(ran.lists), MAP: runs.write_map(ran.lists), QRELS: qrels})


def _key(tuning: Tuning) -> tuple[Any, ...]:
    return (tuning.place.name, tuning.loaded.seen, tuning.runs.stamp, tuple(tuning.settings.flat().items()), tuning.state.without)


def _runs(tuning: Tuning, words: Words) -> None:
    draw([heading(words.t("sets.run.title")), paragraph(words.t("sets.run.lead"), muted=True)], "run_title", words.language)
    every = len(tuning.checked.settled.questions)
    ran: Ran | None = st.session_state.get(_RUN)
    if ran is None or ran.key != _key(tuning):
        begun = Ran(_key(tuning))
        st.button(words.n("sets.run.start", every), key="sets_run_start", on_click=_keep, args=(begun,), disabled=not every)
        return
    if ran.going and ran.done < every:
        _go_on(ran, tuning, words)
        return
    if ran.failed:
        texts = {one.id: one.text for one in tuning.checked.settled.questions}
        about = [(shortened(texts[key], _TEXT), reason) for key, reason in ran.failed.items()]
        title = words.n("sets.run.failed", len(ran.failed))
        draw([notice(title, [words.t("sets.run.failed_text")], "fault", about, words.t("screen.details"))], "run_failed", words.language)
    if ran.done < every:
        draw(
            [notice(words.t("sets.run.part", n=words.whole(ran.done), all=words.whole(every)), role="warning")], "run_part", words.language
        )
        st.button(words.t("sets.run.go_on"), key="sets_run_on", on_click=_keep, args=(msgspec.structs.replace(ran, going=True),))
    if ran.lists:
        data, file = archive(ran, tuning), file_name(f"{tuning.place.name} lauf", date.today(), "zip")
        label = words.n("sets.run.button", len(ran.lists))
        st.download_button(label, data, file, "application/zip", key="sets_run_file", on_click="ignore")


def _go_on(ran: Ran, tuning: Tuning, words: Words) -> None:
    """Run what is left, one question after the other; what is done is kept, whatever interrupts it."""
    every = len(tuning.checked.settled.questions)
    bar = st.progress(0.0)
    st.button(words.t("sets.run.stop"), key="sets_run_stop", on_click=_stop)
    while ran.done < every:
        bar.progress(ran.done / every, text=words.t("sets.run.progress", n=words.whole(ran.done + 1), all=words.whole(every)))
        ran = advanced(ran, tuning)
        _keep(ran)
    st.rerun()


def _keep(ran: Ran) -> None:
    st.session_state[_RUN] = ran


def _stop() -> None:
    _keep(msgspec.structs.replace(st.session_state[_RUN], going=False))

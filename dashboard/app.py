"""The entry of the page: opens the stock, reads the address, draws language, controls and the chosen page."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from dashboard import controls, fields, pinning, screens
from dashboard.blocks import Block
from dashboard.component import GOTO, WHY, draw, set_mode
from dashboard.controls import STATE
from dashboard.links import RUN_PAGES, SET_PAGES
from dashboard.page import (
    anchors_check,
    compare,
    export,
    judge,
    live,
    measure,
    norm,
    present,
    record,
    scores,
    sets,
    sliders,
    stages,
    swap,
    sweep,
    tour,
    why,
)
from dashboard.running import Run, glossary, run
from dashboard.state import MODES, State, read, write
from dashboard.stock import RERANKER, Opener, Places, Runs, example_questions
from dashboard.tuning import Tuning, tuning
from dashboard.words import page_words
from retrieval.errors import BadSource, NoDatabase
from retrieval.federated import FederatedRetriever
from retrieval.words import LANGUAGES, Words

log = logging.getLogger(__name__)
_ADDRESS = "address"
_SETTLED = "settled"
_STAMP = "stamp"
_PRINTED = "<style>@media print { [data-testid=stSidebar], [data-testid=stHeader], [data-testid=stPageLink] { display: none } }</style>"
_OWN_NAMES = {"de": "Deutsch", "en": "English"}


# What draws each page about the run of this session. A comment, since Streamlit shows what stands as a mere text in its entry file.
_DRAWN: dict[str, Callable[[Run, Words], None]] = {
    "page": live.page,
    "why": why.page,
    "sliders": sliders.page,
    "stages": stages.page,
    "scores": scores.page,
    "compare": compare.page,
    "present": present.page,
    "export": export.page,
}
# What draws each page about a question set.
_DRAWN_SET: dict[str, Callable[[Tuning, Words], None]] = {
    "judge": judge.page,
    "measure": measure.page,
    "sweep": sweep.page,
    "swap": swap.page,
    "record": record.page,
}
_WITH_NORM = ("why", "norm")


def main(opener: Opener | None = None) -> None:
    """One run of the page. ``opener`` makes the federation from the places of index and register."""
    st.set_page_config(page_title="Fundstelle", layout="wide", initial_sidebar_state="auto")
    _read_address()
    clicked = _follow_click()
    state: State = st.session_state[STATE]
    words = page_words(state.language)
    places = Places.of()

    def run_page(name: str) -> Callable[[], None]:
        draw_run = _DRAWN[name]

        def drawn(runs: Runs, above: list[Block]) -> None:
            found = run(runs, examples, index, above, words, alone)
            if found is not None:
                draw_run(found, words)
            if alone:
                leave()
            else:
                glossary(words)

        return lambda: _drawn(name, drawn)

    def set_page(name: str) -> Callable[[], None]:
        draw_set = _DRAWN_SET[name]

        def drawn(runs: Runs, above: list[Block]) -> None:
            found = tuning(runs, places, above, words)
            if found is not None:
                draw_set(found, words)

        return lambda: _drawn(name, drawn)

    def sets_page() -> None:
        _drawn("sets", lambda runs, above: sets.page(runs, places, above, words))

    def norm_page() -> None:
        _drawn("norm", lambda runs, above: norm.page(runs, index, above, back, words))

    def anchors_page() -> None:
        _drawn("register", lambda runs, above: anchors_check.page(runs, index, places.anchors, above, words))

    def tour_page() -> None:
        _drawn("tour", lambda runs, above: tour.page(runs, index, places.tour, above, to_live, words))

    def _drawn(name: str, page: Callable[[Runs, list[Block]], None]) -> None:
        if not alone:
            st.title(words.t(f"{name}.title"), anchor=False)
            st.write(words.t(f"{name}.lead"))
        if isinstance(opened, Runs):
            page(opened, _above(opened, words))
        else:
            draw([opened], "opening", words.language)

    def back() -> None:
        st.page_link(pages["page"], label=words.t("norm.back"), query_params=write(st.session_state[STATE]))

    def to_live(shown: State, label: str) -> None:
        st.page_link(pages["page"], label=label, query_params=write(shown))

    def leave() -> None:
        if st.button(words.t("present.leave"), key="present_leave", shortcut="Esc"):
            st.switch_page(pages["page"], query_params=write(state.replaced(step=0)))

    pages = {name: _page(name, address, run_page(name), words) for name, address in RUN_PAGES.items()}
    pages["sets"] = _page("sets", SET_PAGES["sets"], sets_page, words)
    pages |= {name: _page(name, SET_PAGES[name], set_page(name), words) for name in _DRAWN_SET}
    pages["tour"] = _page("tour", "rundgang", tour_page, words)
    pages["norm"] = _page("norm", "norm", norm_page, words)
    pages["register"] = _page("register", "anker", anchors_page, words)
    chosen = st.navigation(list(pages.values()), position="hidden")
    if clicked and chosen is not pages[clicked]:
        st.switch_page(pages[clicked], query_params=write(state, norm=True))
    with _first_time(words):
        opened = _opened(opener or _open, places, words)
    index = places.index or Path()
    about_run = any(chosen is pages[name] for name in RUN_PAGES)
    about_set = any(chosen is pages[name] for name in SET_PAGES)
    # A presentation has the screen for itself: no menu, no question field, the type as large as a room needs it.
    alone = chosen is pages["present"] and bool(state.question) and not state.too_long and isinstance(opened, Runs)
    set_mode("large" if alone else state.mode, alone)
    with st.sidebar:
        _menu(pages, state, words)
        _language(words)
        _mode(words)
        if isinstance(opened, Runs) and (about_run or about_set):
            controls.draw(words, opened.has_reranker)
            pinning.button(words, "sidebar")
        if isinstance(opened, Runs) and about_run:
            _show_all(words)
    examples = _examples(places.questions, words) if about_run else ()
    chosen.run()
    st.html(_PRINTED)
    _write_address(norm=any(chosen is pages[name] for name in _WITH_NORM))


def _page(name: str, address: str, function: Callable[[], None], words: Words) -> Page:
    return st.Page(function, title=words.t(f"{name}.title"), url_path=address or None, default=not address)


def _menu(pages: dict[str, Page], state: State, words: Words) -> None:
    """The pages, in groups. Each link carries the state, so that question and settings come along and stand in the address.

    A place in a presentation or tour is not taken along: it is another one on each page.
    """
    groups = {"run": RUN_PAGES, "set": SET_PAGES, "reference": [name for name in pages if name not in {*RUN_PAGES, *SET_PAGES}]}
    for group, names in groups.items():
        st.caption(words.t(f"menu.{group}"))
        for name in names:
            page = pages[name]
            st.page_link(page, label=page.title, query_params=write(state.replaced(step=0), norm=name in _WITH_NORM))


def _follow_click() -> str:
    """Take the norm that was clicked into the state; the page that the click leads to, empty for none."""
    for key, name in ((GOTO, "norm"), (WHY, "why")):
        clicked = st.session_state.pop(key, None)
        if clicked is not None:
            state: State = st.session_state[STATE]
            st.session_state[STATE] = state.replaced(norm=clicked)
            return name
    return ""


def _above(runs: Runs, words: Words) -> list[Block]:
    """What stands above every page: what is to be said about the stock and about the address."""
    failed = runs.look()
    stamp = runs.stamp
    changed = st.session_state.setdefault(_STAMP, stamp) != stamp
    st.session_state[_STAMP] = stamp
    inconsistent = runs.registry.assert_consistent_embedding()
    about = screens.about_stock(runs.stock, words, failed=failed, changed=changed, inconsistent=inconsistent)
    return [*about, *screens.notes(st.session_state.get("notes", ()), words)]


# --- the address ------------------------------------------------------------------------------------------------------


def _read_address() -> None:
    """Take the state from the address where it is not the one that this session has written: a new link, or the way back.

    What a control has changed since counts more: of several quick changes the later ones reach us with an address that the browser has not
    yet replaced by ours.
    """
    pairs = st.query_params.to_dict()
    if STATE not in st.session_state or (pairs != st.session_state[_ADDRESS] and st.session_state[STATE] == st.session_state[_SETTLED]):
        st.session_state[STATE], st.session_state["notes"] = read(pairs)
        st.session_state[_ADDRESS], st.session_state[_SETTLED] = pairs, st.session_state[STATE]


def _write_address(norm: bool) -> None:
    state: State = st.session_state[STATE]
    pairs = write(state, norm)
    st.session_state[_SETTLED] = state
    if pairs != st.session_state[_ADDRESS]:
        st.session_state[_ADDRESS] = pairs
        st.query_params.from_dict(pairs)


# --- language, display and extent ------------------------------------------------------------------------------------------------


def _language(words: Words) -> None:
    state: State = st.session_state[STATE]
    label, first, key = words.t("page.language"), LANGUAGES.index(state.language), fields.key("language", state.language)
    st.radio(label, LANGUAGES, first, key=key, format_func=_OWN_NAMES.get, horizontal=True, on_change=_take, args=("language",))


def _mode(words: Words) -> None:
    state: State = st.session_state[STATE]
    label, first, key, named = words.t("mode.label"), MODES.index(state.mode), fields.key("mode", state.mode), partial(words.word, "mode")
    st.radio(label, MODES, first, key=key, format_func=named, horizontal=True, on_change=_take, args=("mode",))


def _show_all(words: Words) -> None:
    state: State = st.session_state[STATE]
    key = fields.key("show_all", state.show_all)
    st.toggle(words.t("page.show_all"), state.show_all, key=key, on_change=_take, args=("show_all",))
    st.caption(words.t("page.show_all_help"))


def _take(name: str) -> None:
    state: State = st.session_state[STATE]
    st.session_state[STATE] = state.replaced(**{name: fields.taken(name)})


# --- the stock --------------------------------------------------------------------------------------------------------


def _opened(opener: Opener, places: Places, words: Words) -> Runs | Block:
    """The federation and its pools, shared by all sessions; the screen of what is wrong where it cannot be opened."""
    if places.index is None:
        return screens.no_index(words)
    try:
        return _runs(str(places.index), str(places.anchors or ""), opener)
    except NoDatabase:
        return screens.no_database(places.index, words)
    except Exception as error:
        log.exception("the stock at %s could not be opened", places.index)
        return screens.of_error(error, places.index, words)


def _first_time(words: Words) -> AbstractContextManager[None]:
    """Says that the stock is being opened, in a session that has not seen it open."""
    if st.session_state.get("opened_once"):
        return nullcontext()
    st.session_state["opened_once"] = True
    return st.spinner(words.t("page.opening"))


@st.cache_resource(show_spinner=False)
def _runs(index: str, anchors: str, _opener: Opener) -> Runs:
    runs = Runs(_opener(Path(index), Path(anchors) if anchors else None))
    # Streamlit collects garbage after every run; what is loaded once and stays need not be looked through each time.
    gc.collect()
    gc.freeze()
    return runs


def _open(index: Path, anchors: Path | None) -> FederatedRetriever:
    from retrieval.assemble import open_federation

    return open_federation(index, anchors, reranker=os.environ.get(RERANKER, "").strip() or None)


def _examples(path: Path | None, words: Words) -> tuple[str, ...]:
    try:
        return example_questions(path)
    except BadSource as error:
        log.warning("%s", error)
        st.caption(words.t("page.examples_broken"))
        return ()


if __name__ == "__main__":
    main()

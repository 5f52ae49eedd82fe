"""The entry of the page: opens the stock, reads the address, draws language, controls and the chosen page."""

from __future__ import annotations

import gc
import logging
from pathlib import Path

import streamlit as st

from dashboard import controls, screens
from dashboard.blocks import Block
from dashboard.component import draw
from dashboard.controls import STATE
from dashboard.pages import live
from dashboard.state import State, read, write
from dashboard.stock import Opener, Places, Runs, example_questions
from dashboard.words import page_words
from retrieval.errors import BadSource, NoDatabase
from retrieval.federated import FederatedRetriever
from retrieval.words import LANGUAGES, Words

log = logging.getLogger(__name__)
_ADDRESS = "address"
_PRINTED = "<style>@media print { [data-testid=stSidebar], [data-testid=stHeader] { display: none } }</style>"
_OWN_NAMES = {"de": "Deutsch", "en": "English"}


def main(opener: Opener | None = None) -> None:
    """One run of the page. ``opener`` makes the federation from the places of index and register."""
    st.set_page_config(page_title="Fundstelle", layout="wide", initial_sidebar_state="auto")
    _read_address()
    state: State = st.session_state[STATE]
    words = page_words(state.language)
    places = Places.of()

    def live_page() -> None:
        st.title(words.t("page.title"), anchor=False)
        st.write(words.t("page.lead"))
        if isinstance(opened, Runs):
            live.page(opened, examples, places.index, words)
        else:
            draw([opened], "opening", words.language)

    # One page is no choice, so no menu is drawn; each further page is a line here.
    pages = [st.Page(live_page, title=words.t("page.title"), default=True)]
    chosen = st.navigation(pages, position="sidebar" if len(pages) > 1 else "hidden")
    _settle()
    opened = _opened(opener or _open, places, words)
    with st.sidebar:
        _language(words)
        if isinstance(opened, Runs):
            controls.draw(words)
            _show_all(words)
    examples = _examples(places.questions, words)
    chosen.run()
    st.html(_PRINTED)
    _write_address()


def _settle() -> None:
    """Start over once, before anything is drawn.

    Until the first call of ``st.navigation`` Streamlit takes the folder ``pages`` beside this file for pages of its own; controls drawn in
    such a run would lose their values in the next one.
    """
    if "settled" not in st.session_state:
        st.session_state["settled"] = True
        st.rerun()


# --- the address ------------------------------------------------------------------------------------------------------


def _read_address() -> None:
    """Take the state from the address where it is not the one that this session has written: a new link, or the way back."""
    pairs = st.query_params.to_dict()
    if STATE not in st.session_state or pairs != st.session_state[_ADDRESS]:
        st.session_state[STATE], st.session_state["notes"] = read(pairs)
        st.session_state[_ADDRESS] = pairs


def _write_address() -> None:
    pairs = write(st.session_state[STATE])
    if pairs != st.session_state[_ADDRESS]:
        st.session_state[_ADDRESS] = pairs
        st.query_params.from_dict(pairs)


# --- language and extent ------------------------------------------------------------------------------------------------


def _language(words: Words) -> None:
    state: State = st.session_state[STATE]
    if st.session_state.get("language") != state.language:
        st.session_state["language"] = state.language
    st.radio(words.t("page.language"), LANGUAGES, key="language", format_func=_OWN_NAMES.get, horizontal=True, on_change=_take_extent)


def _show_all(words: Words) -> None:
    state: State = st.session_state[STATE]
    if st.session_state.get("show_all") != state.show_all:
        st.session_state["show_all"] = state.show_all
    st.toggle(words.t("page.show_all"), key="show_all", on_change=_take_extent)
    st.caption(words.t("page.show_all_help"))


def _take_extent() -> None:
    state: State = st.session_state[STATE]
    show_all = bool(st.session_state.get("show_all", state.show_all))
    st.session_state[STATE] = State(state.question, state.values, st.session_state["language"], show_all)


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


@st.cache_resource(show_spinner=False)
def _runs(index: str, anchors: str, _opener: Opener) -> Runs:
    runs = Runs(_opener(Path(index), Path(anchors) if anchors else None))
    # Streamlit collects garbage after every run; what is loaded once and stays need not be looked through each time.
    gc.collect()
    gc.freeze()
    return runs


def _open(index: Path, anchors: Path | None) -> FederatedRetriever:
    from retrieval.assemble import open_federation

    return open_federation(index, anchors)


def _examples(path: Path | None, words: Words) -> tuple[str, ...]:
    try:
        return example_questions(path)
    except BadSource as error:
        log.warning("%s", error)
        st.caption(words.t("page.examples_broken"))
        return ()


if __name__ == "__main__":
    main()

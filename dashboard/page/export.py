"""The page "Mitnehmen": a link to the run, the run as files, and whether it is the same as production."""

from __future__ import annotations

import os
from datetime import date
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st

from dashboard.blocks import heading, paragraph
from dashboard.component import draw
from dashboard.links import RUN_PAGES
from dashboard.running import Run
from dashboard.state import State, write
from dashboard.views import share
from retrieval.exports.files import KINDS, export, name_of
from retrieval.exports.fingerprints import PRODUCTION, Fingerprint, same_as
from retrieval.trace import Trace
from retrieval.words import Words

_WITH_NORM = ("why",)
_LOCAL = ("127.0.0.1", "localhost", "::1")


def page(run: Run, words: Words) -> None:
    """Draw the page for this run."""
    _link(run, words)
    _files(run, words)
    draw(share.same(same_as(_production(), Fingerprint.of(run.trace)), run.trace, words), "same", words.language)


def _production() -> Path | None:
    named = os.environ.get(PRODUCTION, "").strip()
    return Path(named).expanduser().absolute() if named else None


# --- the link -----------------------------------------------------------------------------------------------------------


def _link(run: Run, words: Words) -> None:
    draw([heading(words.t("export.link.head")), paragraph(words.t("export.link.text"))], "link_words", words.language)
    target = st.selectbox(words.t("export.link.target"), list(RUN_PAGES), format_func=lambda name: words.t(f"{name}.title"), key="link_to")
    base = base_of(st.context.url)
    st.code(link(base, target, run.state, run.trace), language=None, wrap_lines=True)
    if urlsplit(base).hostname in _LOCAL:
        draw([paragraph(words.t("export.link.local", base=base), muted=True)], "link_local", words.language)


def base_of(url: str | None) -> str:
    """The address under which the pages stand, from the address of this page; empty where it is not known."""
    return (url or "").rstrip("/").removesuffix(f"/{RUN_PAGES['export']}")


def link(base: str, target: str, state: State, trace: Trace) -> str:
    """The whole address of a page with question, settings and the fingerprints of the run."""
    pairs = write(state.replaced(seen=share.stamp(trace), step=0), norm=target in _WITH_NORM)
    return f"{base}/{RUN_PAGES[target]}?{urlencode(pairs, quote_via=quote, safe='=')}"


# --- the files ----------------------------------------------------------------------------------------------------------


def _files(run: Run, words: Words) -> None:
    draw([heading(words.t("export.files.head")), paragraph(words.t("export.files.text"))], "files_words", words.language)
    today = date.today()
    for kind, found in KINDS.items():
        # Made on the click, beside the run of the page; a download changes nothing on it.
        st.download_button(
            words.t(f"export.file.{kind}"),
            partial(_made, kind, run.trace, words, today),
            name_of(kind, run.trace.question, today),
            found.mime,
            key=f"file_{kind}",
            on_click="ignore",
        )
        st.caption(words.t(f"export.about.{kind}"))


def _made(kind: str, trace: Trace, words: Words, made: date) -> bytes:
    return export(kind, trace, words, made).data

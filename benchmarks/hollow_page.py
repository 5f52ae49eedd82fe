"""The hollow page: what the page "Live" shows, drawn from constants the way Streamlit's manual shows it. Nothing is searched or decided.

    HOLLOW_CONSTANTS=FILE [HOLLOW_TABLES=static] streamlit run benchmarks/hollow_page.py

Tables are ``st.dataframe``, or with ``static`` the lighter ``st.table``. The file (made by ``benchmarks.slider``) holds the widgets, and
for every place of the slider the texts, tables and figures of that run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st


@st.cache_resource
def constants() -> dict[str, Any]:
    """The file's content, read once."""
    found: dict[str, Any] = json.loads(Path(os.environ["HOLLOW_CONSTANTS"]).read_text(encoding="utf-8"))
    return found


def widget(knob: dict[str, Any]) -> Any:
    """One control of the sidebar with its explanation; its value."""
    if knob["kind"] == "choice":
        value = st.selectbox(knob["label"], knob["options"])
    elif knob["kind"] == "float":
        value = st.slider(knob["label"], knob["low"], knob["high"], value=knob["value"], step=knob["step"])
    elif knob["wide"]:
        value = st.number_input(knob["label"], int(knob["low"]), int(knob["high"]), value=knob["value"])
    else:
        value = st.slider(knob["label"], int(knob["low"]), int(knob["high"]), value=knob["value"])
    st.caption(knob["help"])
    return value


def sidebar(page: dict[str, Any]) -> str:
    """All controls; the place of the slider that is moved."""
    with st.sidebar:
        st.radio(page["language"], ["Deutsch", "English"], horizontal=True)
        st.subheader(page["settings"])
        values: dict[str, Any] = {}
        for group, knobs in page["groups"].items():
            st.markdown(f"**{group}**")
            for knob in knobs:
                values[knob["name"]] = widget(knob)
        st.button(page["reset"], width="stretch")
        st.toggle(page["show_all"])
        st.caption(page["show_all_help"])
    return f"{values[page['moved']]:.2f}"


def frame(block: dict[str, Any]) -> pd.DataFrame:
    """A table as a data frame; a cell of several lines is one text."""
    rows = [["\n".join(map(text_of, cell)) if isinstance(cell, list) else cell for cell in row["cells"]] for row in block["rows"]]
    return pd.DataFrame(rows, columns=block["head"])


def text_of(line: str | dict[str, Any]) -> str:
    """A line of a cell without the way that it leads."""
    return line if isinstance(line, str) else str(line["text"])


def table(content: pd.DataFrame) -> None:
    """A data frame on screen."""
    if os.environ.get("HOLLOW_TABLES") == "static":
        st.table(content)
    else:
        st.dataframe(content, hide_index=True)


def ranked(side: dict[str, Any]) -> None:
    """One of two rankings side by side."""
    rows = [
        ["–", item["rule"], ""] if "rule" in item else [item["place"], item["title"], " ".join(map(text_of, item["lines"]))]
        for item in side["items"]
    ]
    st.markdown(f"**{side['title']}**")
    table(pd.DataFrame(rows, columns=["Platz", "Norm", "Angaben"]))
    if side["note"]:
        st.caption(side["note"])


def card(hit: dict[str, Any]) -> None:
    """One hit."""
    with st.container(border=True):
        st.markdown(f"**{hit['place']}. {hit['title']}**")
        st.caption(hit["subtitle"])
        for column, (name, value) in zip(st.columns(len(hit["facts"])), hit["facts"], strict=True):
            column.metric(name, value)
        st.write(hit["origin"])
        with st.expander(hit["textLabel"]):
            st.write(hit["text"])
        with st.expander(hit["partsLabel"]):
            for part in hit["parts"]:
                draw(part)


def draw(block: dict[str, Any]) -> None:
    """One block."""
    kind = block["type"]
    if kind == "heading":
        st.subheader(block["text"])
    elif kind == "paragraph":
        (st.caption if block["muted"] else st.write)(block["text"])
    elif kind == "notice":
        st.info("\n\n".join([f"**{block['title']}**", *block["lines"]]))
    elif kind == "table":
        st.caption(block["caption"])
        table(frame(block))
    elif kind == "pair":
        for column, side in zip(st.columns(len(block["sides"])), block["sides"], strict=True):
            with column:
                ranked(side)
    elif kind == "terms":
        st.table(pd.DataFrame(block["pairs"], columns=["Begriff", "Bedeutung"]))
    elif kind == "cards":
        st.caption(block["caption"])
        for hit in block["cards"]:
            card(hit)
    elif kind == "folded":
        with st.expander(block["label"]):
            for inner in block["blocks"]:
                draw(inner)
    elif kind in ("legend", "links"):
        st.caption(" · ".join(map(text_of, block.get("entries") or block["links"])))
    elif kind == "figure":
        st.plotly_chart(go.Figure(block["figure"]), key=block["key"])
    else:
        # The page would be lighter than what it stands for.
        raise ValueError(f"Block {kind!r}: found a kind that the hollow page does not draw. Add it.")


def main() -> None:
    """One run of the page."""
    st.set_page_config(page_title="hollow", layout="wide")
    page = constants()
    place = sidebar(page)
    st.title(page["title"])
    st.write(page["lead"])
    st.selectbox(page["examples_label"], page["examples"], index=None)
    with st.form("ask", border=False):
        st.text_area(page["question_label"], page["question"], height=90)
        st.form_submit_button(page["ask"], type="primary")
    for block in page["runs"][place]:
        draw(block)


main()

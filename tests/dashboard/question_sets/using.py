"""The page of question sets without a browser: what is in its sets, and hands and eyes for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from retrieval.evaluation import protocol
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from tests.dashboard.demo import HOSTILE, HTML, QUESTION

SCRIPT = Path(__file__).parents[1] / "sets_page.py"
Open = Callable[..., AppTest]
NORM = Gold(Address("gesetz", "", "§ 5"), 1, "§ 5 AMG-T")
MADE = QuestionSet(
    "fragen",
    (
        Question("eins", QUESTION, (Need((NORM,)),), tags=("Abgabe",)),
        Question("zwei", "Was sagt TA-T zur Abrechnung der Apotheke?", (Need((Gold(Address("gesetz", "", "§ 999")),)),)),
        Question("drei", HOSTILE, note=HTML, author=HTML, tags=(HTML,)),
    ),
)


def shown(page: AppTest) -> str:
    found: list[Any] = []
    for element in page.get("bidi_component"):
        found += json.loads(element.proto.json)["blocks"]  # type: ignore[attr-defined]
    return json.dumps(found, ensure_ascii=False).replace("\u00a0", " ")


def rows(page: AppTest, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, as texts."""
    for element in page.get("bidi_component"):
        for block in json.loads(element.proto.json)["blocks"]:  # type: ignore[attr-defined]
            if block.get("caption") == caption:
                return [[_text(cell) for cell in row["cells"]] for row in block["rows"]]
    raise AssertionError(f"no table {caption!r} in {shown(page)}")


def _text(cell: Any) -> str:
    lines = cell if isinstance(cell, list) else [cell]
    return " / ".join(line["text"] if isinstance(line, dict) else line for line in lines).replace("\u00a0", " ")


def upload(page: AppTest, data: bytes, name: str = "fragen.csv") -> AppTest:
    page.file_uploader[0].upload(name, data, "application/octet-stream").run()
    assert not page.exception
    return page


def press(page: AppTest, key: str) -> AppTest:
    button = next(one for one in page.button if one.key == key or str(one.key).startswith(f"FormSubmitter:{key}"))
    button.click().run()
    assert not page.exception
    return page


def task(page: AppTest, name: str) -> AppTest:
    next(one for one in page.radio if one.label in ("Was möchten Sie tun?", "What would you like to do?")).set_value(name).run()
    assert not page.exception
    return page


def preview(page: AppTest) -> list[list[str]]:
    return rows(page, "Was die Datei enthält und was davon übernommen wird")


def acts(workshop: Workshop, name: str = "fragen") -> list[tuple[str, dict[str, Any], str]]:
    return [(one.act, one.details, one.why) for one in protocol.events(workshop.protocol_file(name))]


def edit(page: AppTest, question_id: str) -> AppTest:
    place = [one.id for one in MADE.questions].index(question_id)
    press(page, f"sets_open_{place}")
    return press(page, "sets_edit")


def field(page: AppTest, name: str) -> Any:
    return next(
        one for one in [*page.text_area, *page.text_input, *page.checkbox] if str(one.key).endswith(f"_{name}") and "draft" in str(one.key)
    )

"""The page of question sets over a workshop of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from retrieval.evaluation import sets
from retrieval.evaluation.workshop import Workshop
from tests.dashboard.question_sets.using import MADE, SCRIPT, Open


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "werkstatt")


@pytest.fixture
def opened(tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the page over the stock in memory and the workshop of this test, with an example set where one is wanted."""
    control, example = tmp_path / "control", tmp_path / "beispiele.toml"
    monkeypatch.setenv("PAGE_CONTROL", str(control))
    monkeypatch.setenv("FUNDSTELLE_INDEX", "")
    monkeypatch.setenv("FUNDSTELLE_TUNING", str(workshop.folder))
    control.write_text(f"/stock/{tmp_path.name}/full", "utf-8")

    def open_page(example_set: bool = False, **address: str) -> AppTest:
        if example_set:
            sets.save(example, MADE, "")
        monkeypatch.setenv("FUNDSTELLE_QUESTIONS", str(example) if example_set else "")
        page = AppTest.from_file(str(SCRIPT), default_timeout=30)
        for key, value in address.items():
            page.query_params[key] = value
        page.run()
        assert not page.exception
        return page

    return open_page


@pytest.fixture
def own(workshop: Workshop) -> Path:
    """A set of the workshop."""
    path = workshop.set_file("fragen")
    path.parent.mkdir(parents=True)
    sets.save(path, MADE, "")
    return path

"""The page in a real browser: one server and one browser for all tests, a fresh session for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retrieval.evaluation.workshop import Workshop
from tests.dashboard.browsing import Server, Visit, served
from tests.dashboard.demo import HOSTILE, QUESTION, TOUR

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("page")
    questions = folder / "questions.toml"
    questions.write_text(f"[[question]]\ntext = '''{QUESTION}'''\n[[question]]\ntext = '''{HOSTILE}'''\n", "utf-8")
    tour = folder / "tour.toml"
    tour.write_text(TOUR, "utf-8")
    named = {"FUNDSTELLE_QUESTIONS": str(questions), "FUNDSTELLE_ANCHORS": "anchors.toml", "FUNDSTELLE_TOUR": str(tour)}
    yield from served(Path(__file__).with_name("served_page.py"), folder, **named)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The workshop that the tests of one file share."""
    return Workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def desk(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A page over this workshop, without example questions."""
    named = {"FUNDSTELLE_TUNING": str(workshop.folder), "FUNDSTELLE_QUESTIONS": ""}
    yield from served(Path(__file__).with_name("served_page.py"), tmp_path_factory.mktemp("desk"), **named)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}; it is not part of the project")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(server: Server, browser: Any) -> Iterator[Visit]:
    """Opens the page in a fresh session; fails the test for a script error, a dialog or a request to another host."""
    faults: list[str] = []
    pages: list[Any] = []

    def go(query: str = "", stock: str = "full", width: int = 1280, address: str = "", scheme: Any = "light") -> Any:
        server.stock(stock)
        page = browser.new_context(viewport={"width": width, "height": 1000}, locale="de-DE", color_scheme=scheme).new_page()
        pages.append(page)
        host = address or server.address
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url.startswith((host, "data:", "blob:")) else faults.append(request.url))
        page.goto(f"{host}/{query}")
        page.locator("h1").first.wait_for()
        return page

    yield go
    for page in pages:
        page.context.close()
    assert [fault for fault in faults if not fault.startswith("ws://127.0.0.1")] == []

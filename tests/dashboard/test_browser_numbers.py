"""The numbers on the page are those of ``fundstelle ask --json``, for every sample question, read out of the browser."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Run

from dashboard.links import key_of
from dashboard.words import page_words
from retrieval.commands.terminal import ANCHORS, INDEX, QUESTIONS
from retrieval.trace import Trace
from tests.dashboard.browsing import ROOT, Server, ask, served, settled

pytestmark = pytest.mark.browser
SAMPLES = ROOT / "sample_corpora"
TEXTS = [entry["text"] for entry in tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]]
WORDS = page_words("de")

CARDS = """cards => cards.map(card => ({
  place: card.querySelector('.place').textContent,
  norm: card.querySelector('h3 a').dataset.norm,
  facts: Object.fromEntries([...card.querySelectorAll('.fact')].map(fact => {
    const value = fact.querySelector('b').textContent;
    return [fact.textContent.slice(0, -value.length).trim(), value];
  })),
  parts: [...card.querySelectorAll('details')[1].querySelectorAll('table')[0].querySelectorAll('tbody tr')].map(
    row => [...row.children].map(cell => cell.textContent)),
}))"""
BALANCE = """tables => tables.filter(table => table.caption && table.caption.textContent.startsWith('Bilanz'))
  .flatMap(table => [...table.querySelectorAll('tbody tr')].map(row => [...row.children].slice(1, 5).map(cell => cell.textContent)))"""


@pytest.fixture(scope="module")
def sample_page(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("numbers")
    environment = {INDEX: str(sample_index), ANCHORS: str(SAMPLES / "anchors.toml"), QUESTIONS: str(SAMPLES / "questions.toml")}
    yield from served(ROOT / "dashboard" / "app.py", folder, **environment)


@pytest.fixture(scope="module")
def window(browser: Any, sample_page: Server) -> Iterator[Any]:
    page = browser.new_context(viewport={"width": 1280, "height": 1000}, locale="de-DE").new_page()
    page.goto(sample_page.address)
    page.locator("h1").first.wait_for(timeout=60_000)
    yield page
    page.context.close()


def number(value: float | None) -> str:
    return WORDS.number(value)


@pytest.mark.parametrize("question", TEXTS, ids=[f"{place}" for place in range(1, len(TEXTS) + 1)])
def test_the_page_shows_the_numbers_of_ask(question: str, window: Any, sample_page: Server, sample_index: Path, run: Run) -> None:
    ran = run("ask", question, "--index", sample_index, "--anchors", SAMPLES / "anchors.toml", "--json")
    assert ran.code == 0
    trace = Trace.from_json(json.dumps(json.loads(ran.out)))
    window.goto(f"{sample_page.address}/{ask(question)}")
    window.locator(".card").first.wait_for(timeout=30_000)
    settled(window)
    cards = window.locator(".card").evaluate_all(CARDS)
    assert [card["norm"] for card in cards] == [key_of(trace.chunks[entry.chunk_id]) for entry in trace.final]
    assert [card["place"] for card in cards] == [str(place) for place in range(1, len(trace.final) + 1)]
    for card, entry in zip(cards, trace.final, strict=True):
        assert card["facts"]["Ordnungswert"] == number(entry.rank)
        assert card["facts"]["Urteilswert"] == (WORDS.t("term.none") if entry.cosine is None else number(entry.cosine))
        rows = card["parts"] if entry.parts else []
        shown = [row[1:] for row in rows[: len(entry.parts)]]
        values = [(part.raw, part.scaled, part.weight, part.amount) for part in entry.parts]
        places = [WORDS.whole(part.place) for part in entry.parts]
        assert shown == [[place, *map(number, each)] for place, each in zip(places, values, strict=True)]
    rows = window.locator("table").evaluate_all(BALANCE)
    assert rows == [
        [WORDS.whole(value) for value in (stage.came_in, stage.added, stage.living, sum(stage.fates.values()))] for stage in trace.counts
    ]

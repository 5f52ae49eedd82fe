"""A whole afternoon in a real browser, over the sample corpora: a file becomes a set, a setting is tuned, signed off, and taken along."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from retrieval import cli
from retrieval.evaluation import protocol, sets
from retrieval.evaluation.decision_files import load, stored
from retrieval.evaluation.evaluate import evaluate
from retrieval.evaluation.formats import FORMATS
from retrieval.evaluation.formats.runs import read as read_run
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.statistics import halves
from retrieval.evaluation.workshop import Workshop
from retrieval.federated import FederatedRetriever
from tests.dashboard.browsing import ROOT, Server, Visit, see, served, settled
from tests.dashboard.test_browser_record import part
from tests.dashboard.test_browser_sets import download, give, press, turn
from tests.dashboard.test_browser_sweep import over, start

pytestmark = pytest.mark.browser

SAMPLES = ROOT / "sample_corpora"
NAME = "Nachmittag"


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path / "workshop")


@pytest.fixture
def house(workshop: Workshop, sample_index: Path, tmp_path: Path) -> Iterator[Server]:
    """The page as it is served, without any question set."""
    named = {
        "FUNDSTELLE_INDEX": str(sample_index),
        "FUNDSTELLE_ANCHORS": str(SAMPLES / "anchors.toml"),
        "FUNDSTELLE_TUNING": str(workshop.folder),
        "FUNDSTELLE_QUESTIONS": "",
    }
    folder = tmp_path / "house"
    folder.mkdir()
    yield from served(ROOT / "dashboard" / "app.py", folder, **named)


def go(page: Any, name: str) -> None:
    """Turn to another page by its link."""
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    settled(page)


def by_name(page: Any, who: str) -> None:
    field = page.get_by_label("Wer arbeitet?")
    field.fill(who)
    field.press("Enter")
    settled(page)


def table_of_questions() -> bytes:
    """The chains among the sample questions as a German spreadsheet saves them."""
    every = sets.load(SAMPLES / "questions.toml").questions
    chains = tuple(one for one in every.questions if one.chain)
    write = FORMATS["csv"].write
    assert write is not None
    return write(type(every)(every.name, chains)).decode("utf-8-sig").encode("cp1252")


def test_a_session_from_the_file_to_the_signed_decision(
    visit: Visit, house: Server, workshop: Workshop, sample_index: Path, federation: FederatedRetriever, capsys: pytest.CaptureFixture[str]
) -> None:
    page = visit("fragen", address=house.address, width=1440)
    settled(page)
    _import(page, workshop)
    _tune(page, workshop)
    _sign(page, workshop, federation)
    _take_along(page, workshop)
    _hold(workshop, sample_index, capsys)
    acts = [one.act for one in protocol.events(workshop.protocol_file(NAME))]
    assert [act for act in ("imported", "swept", "revealed", "moved", "measured", "decided") if act not in acts] == []
    assert {one.who for one in protocol.events(workshop.protocol_file(NAME)) if one.act != "imported"} == {"A. Kern"}


def _import(page: Any, workshop: Workshop) -> None:
    give(page, table_of_questions(), f"{NAME}.csv")
    press(page, "17 Fragen aufnehmen")
    see(page, f"Normen im Fragensatz „{NAME}“")
    made = sets.load(workshop.set_file(NAME)).questions.questions
    known = {one.id: one for one in sets.load(SAMPLES / "questions.toml").questions.questions}
    assert [one.text for one in made] == [known[one.id].text for one in made]
    assert all(one.chain for one in made)


def _tune(page: Any, workshop: Workshop) -> None:
    go(page, "Abstimmen")
    by_name(page, "A. Kern")
    page.get_by_role("combobox", name="Was soll möglichst hoch sein?", exact=False).click()
    page.get_by_role("option", name="Kettenabdeckung").click()
    settled(page)
    ids = [one.id for one in sets.load(workshop.set_file(NAME)).questions.questions]
    tuned, held = halves(ids)
    see(page, f"{len(tuned)} Fragen suchen den besten Wert, {len(held)} werden zurückgehalten")
    start(page)
    over(page)
    see(page, "Ein Plateau ist ein Abschnitt mit gleichem Wert")
    page.get_by_role("button", name="Linie der zurückgehaltenen Fragen ansehen").click()
    page.get_by_text("zurückgehaltene Fragen (gestrichelt)").first.wait_for()
    (file,) = workshop.sweeps.glob("*.json")
    found = json.loads(file.read_bytes())
    assert found["state"] == "finished"
    assert [found["spec"]["questions"], found["spec"]["held_out"]] == [list(tuned), list(held)]


def _sign(page: Any, workshop: Workshop, federation: FederatedRetriever) -> None:
    """Another value, noted with a reason, and signed off."""
    page.goto(f"{page.url.split('?')[0].replace('abstimmen', 'protokoll')}?set={quote(NAME)}&vs=0.44")
    settled(page)
    by_name(page, "A. Kern")
    see(page, "Seit dem letzten Eintrag geändert")
    page.get_by_label("Warum wurde geändert?").fill("In der Mitte des Abschnitts.")
    page.get_by_role("button", name="Änderung festhalten").click()
    see(page, "Die Änderung steht im Protokoll.")
    settled(page)
    part(page, "Entscheiden")
    see(page, "Was diese Einstellungen erreichen")
    settled(page)
    page.get_by_label("Name der Entscheidung").fill("Verweise am Ende")
    page.get_by_label("Gründe").fill("Der Abschnitt um 0,44 ist breit.")
    page.get_by_role("button", name="Entscheidung festhalten").click()
    see(page, "Die Entscheidung ist festgehalten")
    (kept,) = stored(workshop.decisions).kept
    decision = load(kept.path).decision
    checked = Golds(federation.registry.federation).check(sets.load(workshop.set_file(NAME)).questions)
    report = evaluate(checked, lambda question: _with(federation, decision.used).trace(question))
    assert decision.used.value("verweis_score") == 0.44
    assert decision.report.figures == report.figures
    minutes = kept.beside(".md").read_text("utf-8")
    assert "In der Mitte des Abschnitts." in minutes
    assert "Der Abschnitt um 0,44 ist breit." in minutes


def _with(federation: FederatedRetriever, settings: Any) -> FederatedRetriever:
    wiring = federation.wiring
    parts = {name: getattr(wiring, name) for name in ("router", "anchors", "verweise", "named_corpora")}
    return FederatedRetriever(wiring.registry, **parts, settings=settings)


def _take_along(page: Any, workshop: Workshop) -> None:
    go(page, "Fragensätze")
    turn(page, "export")
    data = download(page, "Datei herunterladen")
    assert FORMATS["csv"].read(data, Golds(), NAME).questions.questions == sets.load(workshop.set_file(NAME)).questions.questions
    press(page, "17 Fragen stellen und Listen vorbereiten")
    see(page, "17 Listen herunterladen")
    settled(page)
    with zipfile.ZipFile(io.BytesIO(download(page, re.compile("17 Listen herunterladen")))) as packed:
        assert len(read_run(packed.read("run.txt"))) == 17


def _hold(workshop: Workshop, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A nightly run against the decision."""
    (kept,) = stored(workshop.decisions).kept
    where = ["--index", str(index), "--anchors", str(SAMPLES / "anchors.toml")]
    assert cli.main(["evaluate", str(workshop.set_file(NAME)), *where, "--decision", str(kept.path)]) == 0
    without = ["--index", str(index), "--decision", str(kept.path)]
    assert cli.main(["evaluate", str(workshop.set_file(NAME)), *without]) == 1
    assert capsys.readouterr().err

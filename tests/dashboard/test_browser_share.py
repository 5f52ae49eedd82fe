"""Handing on a run in a real browser: downloads are made on the click, and the report opens from disk and asks nobody."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from dashboard.words import page_words
from retrieval.exports.cells import original_text
from retrieval.exports.files import KINDS
from retrieval.exports.fingerprints import Fingerprint
from retrieval.trace import Trace
from tests.dashboard.browsing import Visit, ask, query_of, see, settled
from tests.dashboard.demo import HOSTILE, QUESTION

pytestmark = pytest.mark.browser
WORDS = page_words("de")


def take_along(visit: Visit, question: str, more: str = "") -> Any:
    page = visit(f"mitnehmen{ask(question)}{more}")
    see(page, "Gleich wie im Betrieb")
    settled(page)
    return page


def download(page: Any, kind: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=WORDS.t(f"export.file.{kind}")).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def test_every_file_of_a_hostile_run_is_downloaded_and_reads_back(visit: Visit, tmp_path: Path) -> None:
    page = take_along(visit, HOSTILE)
    files = {kind: download(page, kind, tmp_path) for kind in KINDS}
    trace = Trace.from_json(files["json"].read_bytes())
    assert trace.question == HOSTILE
    assert Fingerprint.of(trace).to_toml() == files["production"].read_text("utf-8")
    assert original_text(openpyxl.load_workbook(files["xlsx"])["Lauf"]["B1"].value) == HOSTILE
    rows = list(csv.reader(io.StringIO(files["csv"].read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    assert len(rows) == len(trace.final) + 1
    assert files["html"].name.startswith("fundstelle-")
    see(page, "Gleich wie im Betrieb")


@pytest.mark.parametrize("width", [420, 1440])
@pytest.mark.parametrize("language", ["de", "en"])
def test_the_report_opens_from_disk_without_a_request_or_a_script(
    visit: Visit, browser: Any, tmp_path: Path, language: str, width: int
) -> None:
    from datetime import date

    from retrieval.exports.report import report
    from tests.exports.runs import hostile

    file = tmp_path / "bericht.html"
    file.write_bytes(report(hostile(), page_words(language), date(2033, 5, 2)))
    requests: list[str] = []
    faults: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: faults.append(message.text))
    page.goto(file.as_uri())
    assert page.locator("li.hit").count() == len(hostile().final)
    assert page.locator("script, img, a, iframe, link").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("body").evaluate("body => getComputedStyle(body).display") == "block"
    assert (requests, faults) == ([file.as_uri()], [])
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.close()


def test_a_link_from_another_stock_says_so_on_every_run_page(visit: Visit) -> None:
    for address in ("", "werte", "mitnehmen"):
        page = visit(f"{address}{ask(QUESTION)}&fp=c=0123456789.i=0123456789.m=.a=.s=")
        see(page, "Seit dieser Link erstellt wurde, hat sich etwas geändert")
        see(page, "Bestand: Regelwerke wurden seither eingelesen")


def test_the_copied_link_opens_the_same_run_and_finds_nothing_changed(visit: Visit) -> None:
    page = take_along(visit, QUESTION, "&mr=0.4")
    assert "fp" not in query_of(page)
    link = page.locator("code").first.inner_text()
    other = visit(link[link.index("?") :])
    see(other, "hat sich nichts geändert")
    see(other, "6 · Treffer")

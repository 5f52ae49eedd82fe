"""Labels, roles and contrast of every page, checked by axe in the browser, shadow roots included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.dashboard.browsing import Server, Visit, settled
from tests.dashboard.demo import QUESTION

pytestmark = pytest.mark.browser

PAGES = ("", "warum", "stufen", "werte", "vergleich", "vorfuehrung", "mitnehmen", "rundgang", "norm", "anker", "regler")
GRAVE = ("serious", "critical")


def address(page: str, mode: str) -> str:
    norm = f"&n={quote('gesetz||§ 3|1')}" if page in ("warum", "norm") else ""
    step = "&s=1" if page == "rundgang" else ""
    return f"{page}?q={quote(QUESTION)}&m={mode}{norm}{step}"


def whole(page: Any) -> None:
    """Make the window as high as the page: what is scrolled out of sight has no contrast that could be measured."""
    for _ in range(2):
        height = max(
            page.evaluate("[...document.querySelectorAll('[data-testid=stMain], [data-testid=stSidebarContent]')].map(n => n.scrollHeight)")
        )
        page.set_viewport_size({"width": 1280, "height": int(height) + 50})
        settled(page)


def grave(page: Any) -> Iterator[str]:
    """Every grave violation of a page: rule, element, and what is wrong with it."""
    from axe_playwright_python.sync_playwright import Axe

    found: dict[str, Any] = Axe().run(page, options={"resultTypes": ["violations"]}).response
    for violation in found["violations"]:
        if violation["impact"] in GRAVE:
            yield from (f"{violation['id']}: {node['html'][:120]} ({node['failureSummary'][:200]})" for node in violation["nodes"])


@pytest.mark.parametrize("mode", ["normal", "large"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_on_any_page(visit: Visit, server: Server, scheme: str, mode: str) -> None:
    page = visit(address("", mode), scheme=scheme)
    found: dict[str, list[str]] = {}
    for name in PAGES:
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.goto(f"{server.address}/{address(name, mode)}")
        page.locator(".blocks > *").first.wait_for()
        settled(page)
        whole(page)
        found[name] = list(grave(page))
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_axe_looks_into_the_component_and_would_find_a_fault(visit: Visit) -> None:
    page = visit(address("", "normal"))
    page.locator(".card").first.wait_for()
    settled(page)
    whole(page)
    page.locator(".card .origin").first.evaluate("node => { node.style.color = '#bbbbbb'; }")
    page.locator(".facts").first.evaluate("node => node.append(document.createElement('button'))")
    found = " ".join(grave(page))
    assert "color-contrast" in found
    assert "button-name" in found

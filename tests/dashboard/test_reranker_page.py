"""The reranker on the page: its sliders with the reason where they do nothing, its scores with their scale, and its failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from retrieval.reranking import RememberingReranker
from retrieval.stages.fusion import RERANKER
from tests.dashboard import demo
from tests.dashboard.controls_of import knob
from tests.dashboard.test_page_app import Open, opened, shown
from tests.tiny_cross_encoder import made

__all__ = ["opened"]
OWN = ("rerank_depth", "weight_reranker")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("reranker"), demo.PAIRS)


def set_up(page: Any, name: Path | str) -> Any:
    """The open page with this reranker."""
    federation = demo.OPENED[-1]
    federation.wiring = msgspec.structs.replace(federation.wiring, reranker=RememberingReranker.named(str(name)))
    return page.run()


def captions(page: Any) -> str:
    return " ".join(one.value for one in page.caption)


def test_without_a_reranker_its_controls_are_visible_and_switched_off_with_the_reason(opened: Open) -> None:
    page = opened(q=demo.QUESTION)
    assert all(knob(page, name).disabled for name in (RERANKER, *OWN))
    assert captions(page).count("Es ist kein Reranker eingerichtet.") == 3
    assert "Wirksame Anteile: Vektorsuche 50 %, Wortsuche 50 %." in captions(page)


def test_a_reranker_that_is_set_up_can_be_switched_on_and_its_scores_stand_with_their_scale(opened: Open, folder: Path) -> None:
    page = set_up(opened(q=demo.QUESTION), folder)
    assert not knob(page, RERANKER).disabled
    assert all(knob(page, name).disabled for name in OWN)
    knob(page, RERANKER).select("on").run()
    assert not page.exception
    assert not any(knob(page, name).disabled for name in (RERANKER, *OWN))
    assert "Wirksame Anteile: Vektorsuche 33 %, Wortsuche 33 %, Reranker 33 %." in captions(page)
    assert "durch die logistische Funktion auf 0 bis 1" in captions(page)
    assert "cross-encoder " in shown(page)


def test_a_reranker_that_does_not_load_is_named_and_the_list_goes_on(opened: Open) -> None:
    page = set_up(opened(q=demo.QUESTION), "/kein/ordner")
    knob(page, RERANKER).select("on").run()
    assert not page.exception
    assert "Ausgefallen: Reranker; die Liste steht so, wie sie ohne ihn wäre (EncoderError)." in shown(page)
    assert "/kein/ordner" in shown(page)
    assert "§ 10" in shown(page)


def test_a_link_that_switches_a_missing_reranker_on_lets_the_reader_switch_it_off(opened: Open) -> None:
    from dashboard.state import BY_KEY

    key = next(short for short, name in BY_KEY.items() if name == RERANKER)
    page = opened(q=demo.QUESTION, **{key: "on"})
    assert "--reranker" in shown(page)
    knob(page, RERANKER).select("off").run()
    assert "Ausgefallen" not in shown(page)

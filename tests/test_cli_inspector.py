"""The commands that look ahead: breakpoints on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from cli_runs import Run

from retrieval.inspector.tracks import CONTINUOUS

ANCHORS = Path(__file__).parents[1] / "sample_corpora" / "anchors.toml"
QUESTION = "Wann ist eine abweichende Abgabe erlaubt, und wie wird sie gekennzeichnet?"


def test_the_breakpoints_of_a_setting_are_named_with_what_happens(run: Run, sample_index: Path) -> None:
    ran = run("breakpoints", QUESTION, "--index", sample_index, "--anchors", ANCHORS, "--knob", "verweis_score")
    assert (ran.code, ran.err) == (0, "")
    assert "verweis_score = 0,5" in ran.out
    assert "Die Liste bleibt gleich von" in ran.out
    assert "min_ratio" not in ran.out


def test_the_json_of_a_track_holds_points_lists_and_changes_that_fit_together(run: Run, sample_index: Path) -> None:
    ran = run("breakpoints", QUESTION, "--index", sample_index, "--json", "--set", "fusion=rrf")
    tracks = json.loads(ran.out)
    assert [found["knob"] for found in tracks] == list(CONTINUOUS)
    for found in tracks:
        assert len(found["points"]) == len(found["between"]) + 1 == len(found["at"])
        assert [change["at"] for change in found["changes"]] == found["points"][1:-1]
        low, high = found["stable"]
        assert low <= found["value"] <= high


def test_a_setting_without_effect_says_so(run: Run, sample_index: Path) -> None:
    ran = run("breakpoints", QUESTION, "--index", sample_index, "--knob", "rrf_k", "--lang", "en")
    assert "no effect in this fusion" in ran.out


def test_an_unknown_setting_is_refused_with_those_that_have_a_track(run: Run) -> None:
    ran = run("breakpoints", QUESTION, "--knob", "fetch_k")
    assert ran.code == 2
    assert "verweis_score" in ran.err

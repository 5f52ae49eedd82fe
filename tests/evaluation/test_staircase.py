"""Staircases: the exact figure over a setting, against trying every value of a fine grid."""

from __future__ import annotations

import msgspec
import pytest

from retrieval.decide import decide
from retrieval.evaluation.staircase import Flip, Plateau, Staircase, staircase
from retrieval.inspector.breakpoints import track
from retrieval.inspector.tracks import CONTINUOUS, Track
from retrieval.settings import Settings
from tests.inspector.generated import Runs, generated


def made(knob: str, seeds: range) -> tuple[dict[str, Track], dict[str, Runs], dict[str, frozenset[str]]]:
    """Tracks of several generated questions under one setting, their runs, and two gold chunks for each."""
    settings = Settings.of(max_final_results=4, fusion="rrf" if knob == "rrf_k" else "weighted", min_ratio=0.4)
    tracks, runs, golds = {}, {}, {}
    for seed in seeds:
        pool, _ = generated(seed, 12)
        name = f"f{seed}"
        tracks[name] = track(pool, settings, knob)
        runs[name] = Runs(pool, settings, knob)
        listed = [entry.chunk_id for entry in decide(pool, settings).completed.living]
        golds[name] = frozenset({listed[0], listed[len(listed) // 3]} if listed else ())
    return tracks, runs, golds


@pytest.mark.parametrize("knob", CONTINUOUS)
def test_a_staircase_equals_trying_every_value_of_a_grid(knob: str) -> None:
    tracks, runs, golds = made(knob, range(500, 512))

    def recall(question: str, ids: tuple[str, ...]) -> float | None:
        gold = golds[question]
        return len(gold & set(ids)) / len(gold) if gold else None

    found = staircase(tracks, recall)
    low, high = found.points[0], found.points[-1]
    for step in range(301):
        value = low + (high - low) * step / 300
        if any(abs(value - point) < 1e-9 for point in found.points):
            continue
        figures = [recall(name, one.at(value) or ()) for name, one in runs.items() if golds[name]]
        assert found.value_at(value) == pytest.approx(sum(figure or 0.0 for figure in figures) / len(figures))
    assert found.count == sum(bool(gold) for gold in golds.values())


def tracks_of_two() -> dict[str, Track]:
    one = Track("min_ratio", 0.2, (0.0, 0.25, 1.0), (("a",), ("b",)), (("a",), ("a",), ("b",)))
    other = Track("min_ratio", 0.2, (0.0, 0.5, 0.75, 1.0), (("b",), ("a",), ("c",)), (("b",), ("a",), ("a",), ("c",)))
    return {"eins": one, "zwei": other}


def found_a(question: str, ids: tuple[str, ...]) -> float | None:
    return float("a" in ids)


def test_the_steps_name_the_questions_that_flip() -> None:
    found = staircase(tracks_of_two(), found_a)
    assert found.points == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert found.between == (0.5, 0.0, 0.5, 0.0)
    assert found.at == (0.5, 0.5, 0.5, 0.5, 0.0)
    assert found.flips == ((Flip("eins", 1.0, 0.0),), (Flip("zwei", 0.0, 1.0),), (Flip("zwei", 1.0, 0.0),))


def test_the_best_is_the_widest_plateau_with_the_highest_mean() -> None:
    found = staircase(tracks_of_two(), found_a)
    plateaus = [(one.low, one.high, one.value) for one in found.plateaus()]
    assert plateaus == [
        (0.0, 0.25, 0.5),
        (0.25, 0.5, 0.0),
        (0.5, 0.75, 0.5),
        (0.75, 1.0, 0.0),
    ]
    assert found.best() == Plateau(0.0, 0.25, 0.5)
    assert (found.best().width, found.best().middle) == (0.25, 0.125)


def test_a_value_at_which_only_that_very_value_is_better_is_a_plateau_of_no_width() -> None:
    only = Track("min_ratio", 0.2, (0.0, 0.5, 1.0), (("b",), ("c",)), (("b",), ("a",), ("c",)))
    found = staircase({"eins": only}, found_a)
    assert found.best() == Plateau(0.5, 0.5, 1.0)
    assert found.flips == ((),)


def test_breakpoints_that_change_no_figure_are_no_steps() -> None:
    track_ = Track("min_ratio", 0.2, (0.0, 0.5, 1.0), (("a", "b"), ("b", "a")), (("a", "b"), ("a", "b"), ("b", "a")))
    assert staircase({"eins": track_}, found_a).points == (0.0, 1.0)


def test_a_question_without_a_figure_is_named_and_not_counted() -> None:
    found = staircase(tracks_of_two(), lambda question, ids: None if question == "zwei" else found_a(question, ids))
    assert (found.count, found.without) == (1, ("zwei",))
    assert found.between == (1.0, 0.0)


def test_a_refused_value_has_no_figure() -> None:
    refused = Track("weight_vector", 0.2, (0.0, 1.0), (("a",),), (None, ("a",)))
    found = staircase({"eins": refused}, found_a)
    assert (found.at, found.value_at(0.0), found.value_at(0.5), found.value_at(7)) == ((None, 1.0), None, 1.0, None)


def test_tracks_of_several_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="one setting"):
        staircase({**tracks_of_two(), "drei": Track("rrf_k", 60, (1, 200), (("a",),), (("a",), ("a",)))}, found_a)
    with pytest.raises(ValueError, match="at least one"):
        staircase({}, found_a)


def test_a_staircase_survives_json() -> None:
    found = staircase(tracks_of_two(), found_a)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Staircase) == found

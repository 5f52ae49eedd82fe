"""What a sweep is asked: specifications that fit, and those that are refused before anything is gathered."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
import pytest

from retrieval.errors import BadInput
from retrieval.evaluation.sets import fingerprint
from retrieval.evaluation.statistics import halves
from retrieval.evaluation.sweeps.asking import SWEPT, axis, check, choices, places, spec_of, with_values
from retrieval.evaluation.sweeps.effort import points, spans
from retrieval.evaluation.sweeps.model import COST, Goal
from retrieval.evaluation.sweeps.run import run
from retrieval.settings import KNOBS, Settings
from tests.evaluation.sweeps.made import crossing

MADE = crossing([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize(("knobs", "kind"), [(1, "one"), (2, "two"), (3, "search"), (5, "search")])
def test_the_kind_is_that_which_fits_the_number_of_settings(knobs: int, kind: str) -> None:
    names = [name for name in SWEPT if KNOBS[name].kind != "choice"][:knobs]
    assert spec_of(MADE.checked, names).kind == kind


def test_half_of_the_questions_is_held_out_by_their_ids() -> None:
    ids = tuple(f"f{number}" for number in range(4))
    spec = spec_of(MADE.checked, ["min_ratio"], who="Ada")
    assert (spec.questions, spec.held_out) == halves(ids)
    assert (spec.set_name, spec.set_fingerprint, spec.who) == ("Satz", fingerprint(MADE.checked.settled), "Ada")
    assert (spec.goal, spec.settings) == (Goal("recall"), Settings())
    every = spec_of(MADE.checked, ["min_ratio"], hold_out=False)
    assert (every.questions, every.held_out) == (ids, ())


@pytest.mark.parametrize(
    ("knobs", "more", "said"),
    [
        (["fetch_k"], {}, "every value of it asks the corpora again"),
        (["max_corpora_per_query", "min_ratio"], {}, "every value of it asks the corpora again"),
        (["reranker"], {}, "every value of it asks the corpora again"),
        (["verweis"], {}, "found the setting 'verweis', which is not known"),
        (["verweis"], {}, "Name one of them."),
        ([], {}, "found the settings none"),
        (["min_ratio", "min_ratio"], {}, "each named once"),
        (["min_ratio"], {"kind": "two"}, "expected 2, each named once. Choose others, or another kind."),
        (["min_ratio", "fusion"], {}, "found a setting with names for values"),
        (["min_ratio"], {"cells": 0}, "cells: found 0, expected a whole number from 1 to 200. Choose one of them."),
        (["min_ratio"], {"cells": 201}, "cells: found 201"),
        (["min_ratio"], {"trials": 0}, "trials: found 0"),
        (["min_ratio"], {"seed": -1}, "seed: found -1, expected a whole number of at least 0. Choose another one."),
        (["min_ratio"], {"goal": Goal("judged")}, "expected one of recall"),
        (["min_ratio"], {"goal": Goal(COST, 0.0)}, "expected a number above 0"),
        (["min_ratio"], {"without": ["fusion"]}, "Stages left out: found fusion"),
        (["min_ratio"], {"settings": with_values(Settings(), {"weight_vector": 0.0, "weight_lexical": 0.0})}, "not all of them 0"),
    ],
)
def test_what_cannot_be_swept_is_refused_with_a_sentence(knobs: list[str], more: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        spec_of(MADE.checked, knobs, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"set_fingerprint": "0" * 64}, "not the one that it was set up for"),
        ({"questions": ("f0", "f9")}, "found the questions f9, which are not in the set. Set the sweep up again."),
        ({"questions": ("f0",), "held_out": ("f0",)}, "found a question twice"),
        ({"questions": (), "held_out": ("f0",)}, "found no question to tune with"),
    ],
)
def test_a_specification_of_another_set_is_refused_and_nothing_is_gathered(changed: dict[str, object], said: str) -> None:
    made = crossing([0.1, 0.2, 0.3, 0.4])
    spec = msgspec.structs.replace(spec_of(made.checked, ["min_ratio"]), **changed)
    with pytest.raises(BadInput, match=re.escape(said)):
        run(spec, made.checked, made.gather)
    assert made.asked == []


def test_a_sound_specification_passes_and_survives_json() -> None:
    spec = spec_of(MADE.checked, ["min_ratio", "verweis_score"], Goal(COST, 3.0), without=["quota"])
    check(spec, MADE.checked)
    assert msgspec.json.decode(msgspec.json.encode(spec), type=type(spec)) == spec


# --- how far it is ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("knobs", "more"),
    [
        (["min_ratio"], {}),
        (["fusion"], {}),
        (["min_ratio", "verweis_score"], {"cells": 200}),
        (["min_ratio"], {"kind": "search", "trials": 1}),
    ],
)
def test_the_phases_follow_each_other_without_a_gap(knobs: list[str], more: dict[str, object]) -> None:
    found = spans(spec_of(MADE.checked, knobs, **more))  # type: ignore[arg-type]
    assert list(found) == ["gathering", "computing", "testing"]
    ends = [end for span in found.values() for end in span]
    assert ends[0::2] == [0.0, *ends[1:-1:2]]
    assert ends == sorted(ends)
    assert ends[-1] == 1.0
    assert all(start < end for start, end in list(found.values())[:2])


def test_the_more_settings_are_tried_the_more_of_the_whole_is_computing() -> None:
    sweeps = [spec_of(MADE.checked, ["min_ratio", "verweis_score"], cells=cells) for cells in (2, 20, 200)]
    assert [points(spec) for spec in sweeps] == [9, 441, 40_401]
    parts = [spans(spec)["computing"] for spec in sweeps]
    widths = [end - start for start, end in parts]
    assert widths == sorted(set(widths))


# --- values -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 3, 7, 10, 20, 200])
@pytest.mark.parametrize("name", ["min_ratio", "rrf_k", "verweis_score"])
def test_an_axis_goes_from_edge_to_edge_in_equal_steps(name: str, cells: int) -> None:
    knob = KNOBS[name]
    found = axis(knob, cells)
    assert (found[0], found[-1], len(found)) == (knob.low, knob.high, cells + 1)
    assert [after - before for before, after in pairwise(found)] == pytest.approx([(knob.high - knob.low) / cells] * cells)


def test_a_setting_with_whole_numbers_or_names_has_all_of_them() -> None:
    assert choices(KNOBS["min_hits_per_corpus"]) == tuple(range(11))
    assert choices(KNOBS["fusion"]) == ("weighted", "rrf")
    assert axis(KNOBS["min_hits_per_corpus"], 3) == tuple(map(float, range(11)))


def test_the_longest_list_in_play_says_how_many_places_are_looked_at() -> None:
    assert places(spec_of(MADE.checked, ["min_ratio"], settings=Settings.of(max_final_results=7))) == 7
    assert places(spec_of(MADE.checked, ["max_final_results", "min_ratio"])) == 50

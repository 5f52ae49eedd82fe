"""Sweeps on screen: sentences and tables exactly, figures as far as what they must never lack."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import charts
from dashboard.blocks import Block
from dashboard.views import heatmap, searched, staircase
from dashboard.words import page_words
from retrieval.evaluation.staircase import Flip, Plateau, Staircase
from retrieval.evaluation.sweeps.model import Field, Goal, Line, Spec, Step, Stretch, Sweep, Trial
from retrieval.settings import Settings

DE, EN = page_words("de"), page_words("en")
NAMES = {"q1": "Wann darf die Apotheke abweichen?", "q2": "Was gilt nach § 10?"}


MIN_RATIO = "Mindestverhältnis zum besten Treffer (min_ratio)"


def spec(kind: Any = "one", knobs: tuple[str, ...] = ("min_ratio",), **more: Any) -> Spec:
    return Spec(kind, knobs, Goal(), Settings(), "fragen", "0123456789abcdef", ("q1", "q2"), **more)


def line(**more: Any) -> Line:
    """Three plateaus over min_ratio, the middle one best; at 0.6 exactly the mean is another one."""
    stairs = Staircase(
        "min_ratio",
        (0.0, 0.3, 0.6, 1.0),
        (0.5, 1.0, 0.75),
        (0.5, 0.5, 0.8, 0.75),
        ((Flip("q1", 0.5, 1.0), Flip("q2", 0.5, 1.0)), (Flip("q2", 1.0, 0.5),)),
        2,
    )
    held = Staircase("min_ratio", (0.0, 0.45, 1.0), (0.2, 0.4), (0.2, 0.2, 0.4), ((Flip("q3", 0.2, 0.4),),), 1)
    best = Plateau(0.3, 0.6, 1.0)
    return msgspec.structs.replace(Line(stairs, 0.25, best, 0.45, (Stretch(0.3, 0.6), Stretch(0.6, 1.0)), held), **more)


def swept(found: Line) -> Sweep:
    return Sweep(spec(), "finished", id="s", line=found, values={"min_ratio": 0.45}, present=0.5, reached=1.0, tried=4)


def field(done: int = 6, **more: Any) -> Field:
    """A grid of three columns and two rows, of which the cell (0, 0) is refused."""
    values = (None, 0.5, 0.75, 0.75, 0.25, 0.0)
    cells = tuple(value if place < done else None for place, value in enumerate(values))
    found = Field((0.0, 0.5, 1.0), (0.0, 1.0), (cells[:3], cells[3:]), done, 6, best=(0, 2), alike=((0, 2), (1, 0)))
    return msgspec.structs.replace(found, **more)


def grid(found: Field) -> Sweep:
    used = msgspec.structs.replace(spec("two", ("weight_vector", "weight_lexical")), settings=Settings.of(weight_lexical=1.0))
    return Sweep(used, "finished", id="g", field=found, present=0.25, reached=0.75, tried=6)


def search(*means: float | None) -> Sweep:
    best, trials = 0.0, []
    for number, found in enumerate(means, start=1):
        best = max(best, found or 0.0)
        trials.append(Trial(number, {"min_ratio": number / 10, "fusion": "rrf"}, found, best))
    return Sweep(spec("search", ("min_ratio", "fusion"), trials=9, seed=7), "finished", id="t", trials=tuple(trials), tried=len(means))


def text(blocks: list[Block]) -> str:
    """All words of some blocks, without blanks that do not break."""
    return json.dumps(blocks, ensure_ascii=False).replace("\xa0", " ")


def tables(blocks: list[Block]) -> list[Block]:
    inside = [one for block in blocks for one in block.get("blocks", ())]
    return [block for block in [*blocks, *inside] if block["type"] == "table"]


def cells(found: Block) -> list[list[Any]]:
    return [one["cells"] for one in found["rows"]]


def named(figure: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {trace["name"]: trace for trace in figure["data"] if "name" in trace}


# --- one setting ------------------------------------------------------------------------------------------------------


def test_the_staircase_has_upright_steps_where_the_figure_changes() -> None:
    found = named(staircase.figure(swept(line()), line(), False, DE, "#000"))["Fragen zum Abstimmen"]
    assert found["x"] == [0.0, 0.3, 0.3, 0.6, 0.6, 1.0]
    assert found["y"] == [0.5, 0.5, 1.0, 1.0, 0.75, 0.75]
    assert "shape" not in found["line"]


def test_the_line_of_the_questions_held_out_is_drawn_only_when_it_was_asked_for() -> None:
    hidden, shown = (staircase.figure(swept(line()), line(), revealed, DE, "#000") for revealed in (False, True))
    assert "zurückgehaltene Fragen (gestrichelt)" not in named(hidden)
    assert named(shown)["zurückgehaltene Fragen (gestrichelt)"]["line"]["dash"] == "dash"
    assert hidden["layout"]["yaxis"]["range"][0] > 0.4 > shown["layout"]["yaxis"]["range"][0]
    assert "0,2" not in text(staircase.blocks(swept(line()), line(), NAMES, False, DE)).replace("0,25", "")


def test_what_marks_a_value_is_a_shape_with_its_words() -> None:
    found = named(staircase.figure(swept(line()), line(), False, DE, "#000"))
    symbols = {name: trace["marker"]["symbol"] for name, trace in found.items() if trace["mode"] == "markers"}
    assert symbols == {
        "Wert nur genau an dieser Stelle (Ring)": "circle-open",
        "beim Start: 0,25 (Raute)": "diamond",
        "vorgeschlagen: 0,45 (Stern)": "star",
    }
    assert found["Wert nur genau an dieser Stelle (Ring)"]["x"] == [0.6]
    assert found["vom besten nicht zu unterscheiden (schraffiert)"]["fillpattern"]["shape"] == "/"


def test_stretches_that_touch_are_one_band() -> None:
    assert staircase.merged([Stretch(0.6, 1.0), Stretch(0.3, 0.6), Stretch(0.1, 0.1)]) == (Stretch(0.1, 0.1), Stretch(0.3, 1.0))
    band = named(staircase.figure(swept(line()), line(), False, DE, "#000"))["vom besten nicht zu unterscheiden (schraffiert)"]
    assert band["x"] == [0.3, 0.3, 1.0, 1.0, 0.3, None]


def test_a_band_of_one_value_is_wide_enough_to_be_seen() -> None:
    found = line(alike=(Stretch(0.6, 0.6),))
    band = named(staircase.figure(swept(found), found, False, DE, "#000"))["vom besten nicht zu unterscheiden (schraffiert)"]
    assert band["x"][0] < 0.6 < band["x"][2]


def test_the_sentence_names_the_best_stretch_the_present_value_and_what_is_not_distinguishable() -> None:
    assert staircase.sentences(swept(line()), line(), True, DE) == [
        f"Die Linie zeigt „Ausbeute (Recall)“ im Mittel über 2 Fragen für jeden Wert von „{MIN_RATIO}“.",
        "Am höchsten ist sie von 0,30 bis 0,60: 1,000.",
        "Dieser Abschnitt ist 0,30 breit; am weitesten von beiden Enden entfernt ist 0,45.",
        "Beim Start galt 0,25: 0,500.",
        "Mit diesen Fragen vom besten nicht zu unterscheiden: von 0,30 bis 1,00.",
        "Die senkrechte Achse zeigt den Ausschnitt von 0,080 bis 1,000.",
        "Gestrichelt: dieselbe Kennzahl bei der 1 zurückgehaltenen Frage.",
    ]


@pytest.mark.parametrize(
    ("alike", "sentence"),
    [
        ((Stretch(0.0, 1.0),), "Mit diesen Fragen ist kein Wert der ganzen Skala vom besten zu unterscheiden."),
        ((Stretch(0.0, 0.5), Stretch(0.5, 1.0)), "Mit diesen Fragen ist kein Wert der ganzen Skala vom besten zu unterscheiden."),
        ((), "Alle anderen Werte sind vom besten zu unterscheiden."),
        (
            (Stretch(0.1, 0.1), Stretch(0.3, 0.6)),
            "Mit diesen Fragen vom besten nicht zu unterscheiden: genau bei 0,10; von 0,30 bis 0,60.",
        ),
    ],
)
def test_what_is_not_distinguishable_is_said_in_each_case(alike: tuple[Stretch, ...], sentence: str) -> None:
    found = line(alike=alike)
    assert sentence in staircase.sentences(swept(found), found, False, DE)


def test_a_setting_that_changes_nothing_says_so() -> None:
    flat = Line(Staircase("min_ratio", (0.0, 1.0), (0.5,), (0.5, 0.5), (), 2), 0.25, Plateau(0.0, 1.0, 0.5), 0.25, (Stretch(0.0, 1.0),))
    assert (
        staircase.sentences(swept(flat), flat, False, DE)[1]
        == "Über die ganze Skala ist sie 0,500: Diese Einstellung ändert an ihr nichts."
    )
    assert "Keine Frage ändert ihren Wert." in text(staircase.blocks(swept(flat), flat, NAMES, False, DE))


def test_a_present_value_that_is_refused_is_said_and_not_drawn() -> None:
    refused = Staircase("weight_vector", (0.0, 1.0), (0.5,), (None, 0.5), (), 2)
    found = Line(refused, 0.0, Plateau(0.0, 1.0, 0.5), 0.5)
    moving = msgspec.structs.replace(
        found, staircase=msgspec.structs.replace(refused, points=(0.0, 0.4, 1.0), between=(0.5, 0.6), at=(None, 0.5, 0.6))
    )
    assert "Der Wert beim Start, 0,00, ist keine gültige Einstellung." in staircase.sentences(swept(moving), moving, False, DE)
    assert not any("Raute" in name for name in named(staircase.figure(swept(moving), moving, False, DE, "#000")))


def test_the_tables_list_every_plateau_and_who_changes_at_each_step() -> None:
    stretches, flips = tables(staircase.blocks(swept(line()), line(), NAMES, False, DE))
    assert cells(stretches) == [
        ["0,00", "0,30", "0,500", "–", "galt beim Start"],
        ["0,30", "0,60", "1,000", "2", "am besten"],
        ["0,60", "0,60", "0,800", "–", ""],
        ["0,60", "1,00", "0,750", "1", ""],
    ]
    assert cells(flips) == [
        ["0,30", NAMES["q1"], "0,500", "1,000"],
        ["0,30", NAMES["q2"], "0,500", "1,000"],
        ["0,60", NAMES["q2"], "1,000", "0,500"],
    ]


def test_the_line_of_the_questions_held_out_has_its_table_once_it_is_drawn() -> None:
    hidden, shown = (tables(staircase.blocks(swept(line()), line(), NAMES, revealed, DE)) for revealed in (False, True))
    assert len(hidden) == 2
    assert cells(shown[1]) == [["0,00", "0,45", "0,200"], ["0,45", "1,00", "0,400"]]


def test_the_frame_is_what_the_table_shows() -> None:
    assert staircase.frame(line()).values.tolist() == [[0, 0.3, 0.5, 0], [0.3, 0.6, 1, 2], [0.6, 0.6, 0.8, 0], [0.6, 1, 0.75, 1]]


def test_a_long_table_is_cut_and_the_rest_is_counted() -> None:
    points = tuple(place / 500 for place in range(501))
    between = tuple(place % 2 for place in range(500))
    stairs = Staircase("min_ratio", points, between, (0, *between), ((),) * 499, 2)
    found = line(staircase=stairs, best=Plateau(points[1], points[2], 1.0))
    shown = staircase.blocks(swept(found), found, NAMES, False, DE)
    assert len(tables(shown)[0]["rows"]) == 400
    assert "100 weitere Zeilen sind nicht aufgeführt." in text(shown)


def stepped() -> Sweep:
    steps = (Step(1, 0.5), Step(2, None), Step(3, 0.75, (Flip("q2", 0.5, 1.0),), True), Step(4, 0.75, (), True), Step(10, 0.25))
    used = spec("one", ("max_final_results",))
    return Sweep(used, "finished", id="v", steps=steps, values={"max_final_results": 3}, present=0.25, reached=0.75, tried=5)


def test_each_value_of_a_setting_with_whole_numbers_has_its_mark_and_its_row() -> None:
    found = named(staircase.values_figure(stepped(), DE, "#000"))
    assert {name: (trace["marker"]["symbol"], trace["x"]) for name, trace in found.items()} == {
        "andere Werte (Punkt)": ("circle", [0]),
        "vom besten nicht zu unterscheiden (Ring)": ("circle-open", [3]),
        "galt beim Start (Raute)": ("diamond", [4]),
        "vorgeschlagen (Stern)": ("star", [2]),
    }
    values, flips = tables(staircase.values_blocks(stepped(), NAMES, DE))
    assert cells(values) == [
        ["1", "0,500", "0", ""],
        ["2", "keine gültige Einstellung", "0", ""],
        ["3", "0,750", "1", "vorgeschlagen (Stern)"],
        ["4", "0,750", "0", "vom besten nicht zu unterscheiden (Ring)"],
        ["10", "0,250", "0", "galt beim Start (Raute)"],
    ]
    assert cells(flips) == [["3", NAMES["q2"], "0,500", "1,000"]]
    said = staircase.values_blocks(stepped(), NAMES, DE)[0]["text"]
    assert said.endswith(
        "Vorgeschlagen ist 3: 0,750. Beim Start galt 10: 0,250. Mit diesen Fragen ist 1 anderer Wert nicht von ihm zu unterscheiden."
    )


# --- two settings -----------------------------------------------------------------------------------------------------


def test_the_heat_map_has_one_hue_and_marks_the_present_and_the_best_by_letters() -> None:
    found = heatmap.figure(grid(field()), field(), DE, "#000")
    assert len(found["data"][0]["colorscale"]) == 2
    letters = {name: (trace["text"], trace["x"], trace["y"]) for name, trace in named(found).items() if "text" in trace}
    assert letters == {
        "S: galt beim Start (Quadrat)": (["S"], [0.5], [1.0]),
        "B: beste Zelle (Kreis)": (["B"], [1.0], [0.0]),
    }
    assert named(found)["von der besten nicht zu unterscheiden (Punkt)"]["x"] == [0.0]


def test_a_best_cell_that_is_in_force_has_one_letter() -> None:
    best = field(best=(1, 1))
    assert [trace["text"] for trace in named(heatmap.figure(grid(best), best, DE, "#000")).values() if "text" in trace] == [["B"]]


def test_the_sentence_counts_the_cells() -> None:
    assert heatmap.sentences(grid(field()), field(), DE)[1:] == [
        "Berechnet sind 6 von 6 Zellen.",
        "Am besten ist Gewicht der Vektorsuche 1,00 mit Gewicht der Wortsuche 0,00: 0,750.",
        "Genauso hoch ist 1 andere Zelle.",
        "Mit den Werten beim Start ist sie 0,250.",
        "Mit diesen Fragen ist 1 andere Zelle nicht von ihr zu unterscheiden.",
    ]
    assert "6 of 6 cells are computed." in heatmap.sentences(grid(field()), field(), EN)


def test_where_no_cell_can_be_told_from_the_best_no_cell_has_a_dot() -> None:
    every = field(alike=((0, 1), (0, 2), (1, 0), (1, 1), (1, 2)))
    assert heatmap.sentences(grid(every), every, DE)[-1] == "Mit diesen Fragen ist keine Zelle von der besten zu unterscheiden."
    assert not any("Punkt" in name for name in named(heatmap.figure(grid(every), every, DE, "#000")))


def test_refused_not_computed_and_zero_are_three_different_cells() -> None:
    _, every = tables(heatmap.blocks(grid(field()), field(), DE))
    assert cells(every) == [
        ["1,00", ["0,750", "nicht zu unterscheiden"], ["0,250", "galt beim Start"], "0,000"],
        ["0,00", "keine gültige Einstellung", "0,500", ["0,750", "am besten"]],
    ]
    part = field(4, best=None, alike=())
    _, every = tables(heatmap.blocks(grid(part), part, DE))
    assert cells(every) == [
        ["1,00", "0,750", "nicht berechnet", "nicht berechnet"],
        ["0,00", "keine gültige Einstellung", "0,500", "0,750"],
    ]
    assert "Berechnet sind 4 von 6 Zellen." in text(heatmap.blocks(grid(part), part, DE))


def test_the_best_cells_stand_first_with_the_best_one_on_top() -> None:
    best, _ = tables(heatmap.blocks(grid(field()), field(), DE))
    assert [row[2:] for row in cells(best)] == [
        ["0,750", "am besten"],
        ["0,750", "nicht zu unterscheiden"],
        ["0,500", ""],
        ["0,250", "galt beim Start"],
        ["0,000", ""],
    ]


# --- several settings -------------------------------------------------------------------------------------------------


def test_the_history_is_a_line_that_only_rises_over_all_trials() -> None:
    found = named(searched.figure(search(None, 0.5, 0.25, 0.75, 0.75), DE, "#000"))
    assert found["bis dahin bester Wert (Linie)"]["x"] == [2, 3, 4, 5]
    assert found["bis dahin bester Wert (Linie)"]["y"] == [0.5, 0.5, 0.75, 0.75]
    assert found["ein Versuch (Ring)"]["x"] == [2, 3, 4, 5]
    assert found["bester Versuch (Stern)"]["x"] == [4]


def test_the_best_trial_is_told_with_its_values_and_with_how_many_are_as_good() -> None:
    said = searched.sentences(search(None, 0.5, 0.25, 0.75, 0.75), DE)
    assert said[0].endswith("Gemacht sind 5 Versuche (Startzahl 7).")
    values = "Mindestverhältnis zum besten Treffer (min_ratio) 0,40; Fusion Rangfusion (RRF)"
    assert said[1:] == [f"Am besten ist Versuch 4 mit 0,750: {values}.", "Genauso hoch ist 1 anderer Versuch."]


def test_the_proposed_values_are_the_ones_with_the_star_among_equals() -> None:
    found = search(0.75, 0.75)
    assert searched.best(found) == found.trials[0]
    assert searched.best(msgspec.structs.replace(found, values=found.trials[1].values)) == found.trials[1]


def test_the_tables_of_a_search_list_the_best_first_and_all_in_their_order() -> None:
    top, every = tables(searched.blocks(search(None, 0.5, 0.75), DE))
    assert [row[0] for row in cells(top)] == ["3", "2"]
    assert cells(every)[0] == ["1", "0,100", "Rangfusion (RRF)", "keine gültige Einstellung", "0,000"]


def test_a_search_without_any_figure_says_so() -> None:
    assert searched.sentences(search(None, None), DE)[-1] == "Noch hat kein Versuch einen Wert."
    assert searched.best(search(None)) is None


# --- axes -------------------------------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_cut_of_a_scale_holds_all_figures_and_its_round_values_lie_in_it(one: float, other: float) -> None:
    low, high = charts.cut([one, None, other])
    assert 0 <= low <= min(one, other) <= max(one, other) <= high <= 1
    assert high - low > 0
    ticks = charts.round_values(low, high)
    assert 2 <= len(ticks) <= 7
    assert all(low - 1e-5 <= tick <= high + 1e-5 for tick in ticks)


def test_a_scale_without_figures_is_whole() -> None:
    assert charts.cut([None]) == (0.0, 1.0)
    assert charts.round_values(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


@pytest.mark.parametrize("words", [DE, EN], ids=["de", "en"])
def test_every_figure_survives_json(words: Any) -> None:
    figures = [
        staircase.figure(swept(line()), line(), True, words, "#000"),
        staircase.values_figure(stepped(), words, "#000"),
        heatmap.figure(grid(field(4)), field(4), words, "#000"),
        searched.figure(search(None, 0.5), words, "#000"),
    ]
    assert [json.loads(json.dumps(one)) == one for one in figures] == [True] * 4

"""Lists side by side: places exactly, the drawing lightly."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from dashboard.slopes import Column, blocks, figure, frame, in_words, kind_of, places, sentence
from dashboard.words import page_words

DE = page_words("de")
LABELS = {"a": "Gesetz · § 1", "b": "Gesetz · § 2", "c": "Vertrag · <b>§ 3", "d": "Vertrag · § 4"}
TWO = [Column("davor", ("a", "b", "c")), Column("danach", ("a", "d", "b"))]
lists = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8).map(tuple)


def test_the_frame_has_a_column_of_places_for_each_list() -> None:
    found = frame(TWO, LABELS)
    assert list(found.columns) == ["id", "label", "davor", "danach"]
    assert found[["id", "davor", "danach"]].values.tolist() == [["a", 1, 1], ["b", 2, 3], ["c", 3, 0], ["d", 0, 2]]


def test_a_line_joins_the_places_and_breaks_where_a_hit_is_missing() -> None:
    by_name = {line["name"]: line for line in figure(TWO, LABELS, "#000", DE)["data"] if "name" in line}
    assert by_name["überall derselbe Platz"]["y"] == [1, 1, None]
    assert by_name["anderer Platz"]["y"] == [2, 3, None]
    assert by_name["nicht in jeder Liste"]["y"] == [3, None, None, None, 2, None]


def test_form_of_line_and_marker_tell_what_moved_without_colour() -> None:
    forms = {
        line["name"]: (line["line"]["dash"], line["marker"]["symbol"]) for line in figure(TWO, LABELS, "#000", DE)["data"] if "name" in line
    }
    assert len(set(forms.values())) == len(forms) == 3
    assert forms["nicht in jeder Liste"] == ("dot", "circle-open")


def test_the_name_of_a_hit_stands_where_it_comes_first() -> None:
    drawn = figure(TWO, LABELS, "#000", DE)
    assert drawn["layout"]["yaxis"]["ticktext"] == [
        "Gesetz · § 1  <b>1</b>",
        "Gesetz · § 2  <b>2</b>",
        "Vertrag · &lt;b&gt;§ 3  <b>3</b>",
    ]
    assert drawn["layout"]["yaxis2"]["ticktext"] == ["<b>1</b>", "<b>3</b>", "<b>2</b>  Vertrag · § 4"]
    json.dumps(drawn)


def test_lists_between_the_outer_ones_say_their_places_beside_the_markers() -> None:
    drawn = figure([*TWO, Column("am Ende", ("d",))], LABELS, "#000", DE)
    texts = next(one for one in drawn["data"] if one.get("mode") == "markers+text")
    assert texts["text"] == ["<b>1</b>", "<b>3</b>", "<b>2</b>  Vertrag · § 4"]
    assert texts["x"] == [1, 1, 1]
    largest = max(one["marker"]["size"] for one in drawn["data"] if one.get("mode") == "lines+markers")
    assert texts["marker"]["size"] > largest
    assert texts["marker"]["opacity"] == 0


def test_the_markers_of_the_outer_lists_are_drawn_whole_on_a_narrow_page() -> None:
    assert {one["cliponaxis"] for one in figure(TWO, LABELS, "#000", DE)["data"] if one.get("mode") == "lines+markers"} == {False}


def test_a_name_that_is_too_long_keeps_its_section() -> None:
    long = {**LABELS, "d": "Abgabevertrag · Anlage 11 · § 107 Abs. 1"}
    drawn = figure(TWO, long, "#000", DE)
    assert drawn["layout"]["yaxis2"]["ticktext"][-1] == "<b>2</b>  … Anlage 11 · § 107 Abs. 1"


def test_a_shortened_list_keeps_the_true_places_and_is_drawn_without_gaps() -> None:
    columns = [Column("davor", ("a", "b"), (1, 14)), Column("danach", ("b", "a"))]
    assert places(columns) == {"a": (1, 2), "b": (14, 1)}
    drawn = figure(columns, LABELS, "#000", DE)
    assert drawn["layout"]["yaxis"]["tickvals"] == [1, 2]
    assert drawn["layout"]["yaxis"]["ticktext"][1].endswith("<b>14</b>")


def test_named_hits_are_drawn_strong_instead_of_all_that_changed() -> None:
    drawn = figure(TWO, LABELS, "#000", DE, changed={"a"})
    widths = {line["name"]: line["line"]["width"] for line in drawn["data"] if "name" in line}
    assert widths["überall derselbe Platz"] > widths["anderer Platz"] == widths["nicht in jeder Liste"]


def test_the_sentence_counts_what_stayed_moved_and_is_missing() -> None:
    assert sentence(TWO, DE) == (
        "1 Treffer steht überall auf demselben Platz. 1 Treffer wechselt den Platz. 2 Treffer stehen nicht in jeder Liste."
    )
    assert sentence([TWO[0], TWO[0]], DE) == "Die Listen sind gleich: Jeder Treffer steht überall auf demselben Platz."
    assert sentence([Column("leer", ())], DE) == "Die Listen sind leer."


def test_the_table_shows_a_dash_where_a_hit_is_missing_and_leads_to_the_norm() -> None:
    (table,) = blocks(TWO, LABELS, DE, "Plätze", {"a": "gesetz||§ 1"})
    assert table["head"] == ["Fundstelle", "davor", "danach"]
    assert table["rows"][0]["cells"] == [[{"text": "Gesetz · § 1", "norm": "gesetz||§ 1"}], "1", "1"]
    assert table["rows"][3]["cells"] == [["Vertrag · § 4"], "–", "2"]


def test_places_in_words_name_an_absence() -> None:
    assert in_words((14, 9), DE) == "Platz 14 → Platz 9"
    assert in_words((0, 3), DE) == "nicht in der Liste → Platz 3"


@given(st.lists(lists, min_size=1, max_size=4))
def test_every_place_of_every_list_is_drawn_once(every: list[tuple[str, ...]]) -> None:
    columns = [Column(str(number), ids) for number, ids in enumerate(every)]
    drawn = [
        (x, y)
        for line in figure(columns, {}, "#000", DE)["data"]
        if "name" in line
        for x, y in zip(line["x"], line["y"], strict=True)
        if y is not None
    ]
    assert sorted(drawn) == sorted((number, place) for number, ids in enumerate(every) for place in range(1, len(ids) + 1))
    assert all(kind_of(where) in ("same", "moved", "partial") for where in places(columns).values())

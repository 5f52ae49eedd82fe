"""References on screen: marks in a wording, the view of a norm, its neighbourhood, the register against the stock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.blocks import Block, to_norm, written
from dashboard.links import address_of, key_of
from dashboard.marks import STYLES, Spot, marks, shown_legend, style_of
from dashboard.naming import norm as named
from dashboard.views import finding, hits, neighbours, register
from dashboard.views import norm as view
from dashboard.words import page_words
from retrieval.anchors import AnchorRegister
from retrieval.model import Address, Chunk, CorpusSpec, Reference
from retrieval.norms import Citing, Norm, look_up, norm
from retrieval.ports import Fingerprint
from retrieval.stock import CorpusStock, Federation, NoVectors
from tests.dashboard.demo import HTML, LINK, Registry
from tests.dashboard.test_page_views import run
from tests.stock_builders import chunk

DE, EN = page_words("de"), page_words("en")
FEDERATION = Registry(("gesetz", "vertrag", "vereinbarung", "seltsam"), {}).federation


def shown(place: Address, federation: Federation = FEDERATION) -> Norm:
    found = norm(place, federation)
    assert found is not None
    return found


def rows(blocks: list[Block]) -> list[list[Any]]:
    inner = [one for block in blocks for one in (block["blocks"] if block["type"] == "folded" else [block])]
    return [row["cells"] for block in inner if block["type"] == "table" for row in block["rows"]]


def every_text(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for inner in value.values() for text in every_text(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in every_text(inner))


# --- keys ---------------------------------------------------------------------------------------------------------------


def test_a_text_without_a_key_leads_nowhere() -> None:
    assert to_norm("§ 99", "") == "§ 99"


def test_a_key_names_the_parts_of_an_address() -> None:
    assert key_of(Address("sgb_v", "", "§ 129", "2")) == "sgb_v||§ 129|2"
    assert key_of(Address("rv", "Anlage 11")) == "rv|Anlage 11"
    assert key_of(Address("rv")) == "rv|"
    assert key_of(Address("")) == ""


@pytest.mark.parametrize("typed", ["", "129 Abs 2 SGB V", "|", "||§ 5", "a|b|c|d|e"])
def test_typed_words_are_no_key(typed: str) -> None:
    assert address_of(typed) is None


@given(parts=st.tuples(st.text(min_size=1, max_size=9), *[st.text(st.sampled_from("a|%7C§ 5"), max_size=9)] * 3))
def test_every_address_comes_back_from_its_key(parts: tuple[str, str, str, str]) -> None:
    assert address_of(key_of(Address(*parts))) == Address(*parts)


# --- marks --------------------------------------------------------------------------------------------------------------


def test_a_mark_says_its_reading_in_words_and_in_form() -> None:
    text = "Nach § 2 AMG-T und § 7 ApoG."
    spots = [Spot(5, 14, "fetched", Address("gesetz", "", "§ 2"), "AMG-T · § 2"), Spot(19, 27, "not_in_stock", None, "ApoG")]
    first, second = marks(text, spots, DE)
    assert (first["style"], first["label"], first["norm"]) == ("followed", "nachgeladen", "gesetz||§ 2")
    assert first["title"] == "AMG-T · § 2: nachgeladen"
    assert (second["style"], second["label"], second["norm"]) == ("absent", "nicht im Bestand", "")
    assert [text[mark["start"] : mark["end"]] for mark in (first, second)] == ["§ 2 AMG-T", "§ 7 ApoG"]


def test_a_range_is_one_mark_that_counts_its_readings() -> None:
    places = [Address("gesetz", "", f"§ {number}") for number in (2, 3, 4)]
    codes = ("fetched", "beyond_cap", "beyond_cap")
    (mark,) = marks("§§ 2 bis 4", [Spot(0, 10, code, place, str(place)) for code, place in zip(codes, places, strict=True)], DE)
    assert (mark["label"], mark["norm"]) == ("1 nachgeladen, 2 nicht verfolgt", "gesetz||§ 2")
    (same,) = marks("§§ 2 bis 4", [Spot(0, 10, "beyond_cap", place) for place in places], DE)
    assert same["label"] == "3 Normen: nicht verfolgt"


def test_a_mark_of_several_targets_leads_to_the_first_one_in_stock() -> None:
    spots = [Spot(0, 4, "not_in_stock", Address("gesetz", "", "§ 99")), Spot(2, 6, "resolved", Address("gesetz", "", "§ 2"))]
    (mark,) = marks("§ 99 bis", spots, DE)
    assert (mark["start"], mark["end"], mark["norm"]) == (0, 6, "gesetz||§ 2")


def test_marks_count_as_the_browser_does() -> None:
    (mark,) = marks("𝔄𝔅 § 5", [Spot(3, 6, "resolved", Address("gesetz", "", "§ 5"))], DE)
    assert (mark["start"], mark["end"], mark["label"]) == (5, 8, "")


@given(
    text=st.text("a§ 𝔄1", max_size=30),
    spans=st.lists(
        st.tuples(st.integers(-2, 33), st.integers(-2, 33), st.sampled_from(["fetched", "repealed", "ambiguous", "neu"])), max_size=8
    ),
)
def test_marks_never_overlap_and_stay_inside_the_text(text: str, spans: list[tuple[int, int, str]]) -> None:
    found = marks(text, [Spot(*span) for span in spans], DE)
    whole = len(text.encode("utf-16-le")) // 2
    bounds = [position for mark in found for position in (mark["start"], mark["end"])]
    assert bounds == sorted(bounds)
    assert all(0 <= mark["start"] < mark["end"] <= whole for mark in found)
    covered = {position for start, end, _ in spans if 0 <= start < end <= len(text) for position in range(start, end)}
    inside = {len(text[:position].encode("utf-16-le")) // 2 for position in covered}
    assert all(any(mark["start"] <= position < mark["end"] for mark in found) for position in inside)


def test_the_legend_names_the_forms_that_are_there_and_no_others() -> None:
    drawn = marks("§ 1 § 2", [Spot(0, 3, "fetched"), Spot(4, 7, "former")], DE)
    (block,) = shown_legend(drawn, DE)
    assert [entry["style"] for entry in block["entries"]] == ["followed", "other"]
    assert shown_legend([], DE) == []
    assert all(f"mark.legend.{style}" in words.catalogue for style in STYLES for words in (DE, EN))


def test_a_reading_that_nobody_knows_yet_is_drawn_with_its_code() -> None:
    (mark,) = marks("§ 1", [Spot(0, 3, "brand_new")], DE)
    assert (mark["label"], style_of("brand_new")) == ("brand_new", "stocked")


def test_the_hits_of_a_run_are_marked_with_the_fate_of_each_reference() -> None:
    blocks = hits.blocks(run("Apotheke abweichen"), DE)
    card = next(card for card in blocks[-1]["cards"] if card["norm"] == "vertrag|Vertrag|§ 10")
    assert [(mark["label"], mark["norm"]) for mark in card["marks"]] == [("nachgeladen", "gesetz||§ 2"), ("nicht im Bestand", "")]
    assert blocks[0]["type"] == "legend"
    assert "nicht markiert" in blocks[1]["text"]


# --- a norm -------------------------------------------------------------------------------------------------------------


def test_a_norm_is_shown_with_its_place_its_text_and_its_references() -> None:
    found = shown(Address("vertrag", "Vertrag", "§ 10"))
    above = view.above(found, FEDERATION, DE)
    assert (above[0]["text"], above[0]["source"]) == ("RV · Vertrag · § 10: Abweichung", ": Abweichung")
    assert ["Gliederung", [written("Erstes Buch")]] in rows(above)
    assert [link["text"] for link in above[-1]["links"]] == ["danach: § 11", "auch in: Anlage 11", "Inhalt: RV · Vertrag"]
    passages = view.wording(found, FEDERATION, DE)[-1]["passages"]
    assert [mark["norm"] for mark in passages[0]["marks"]] == ["gesetz||§ 2", ""]
    cited = rows(view.cites(found, FEDERATION, DE))
    assert [cells[2:] for cells in cited] == [
        [[{"text": "AMG-T · § 2", "norm": "gesetz||§ 2"}], "im Bestand"],
        ["ApoG", "Ziel nicht im Bestand"],
    ]


def test_what_cites_a_norm_stands_by_body_of_rules_with_its_sentence() -> None:
    blocks = view.cited_by(shown(Address("gesetz", "", "§ 2")), FEDERATION, DE)
    assert blocks[1]["text"] == (
        "2 Stellen im Bestand nennen diese Norm. Sie stehen in 2 Regelwerken. Gezählt wird nur, was eindeutig auf diese Norm führt."
    )
    captions = [block["caption"] for block in blocks if block["type"] == "table"]
    assert captions[0] == "Rahmenvertrag mit Anlagen (1)"
    assert rows(blocks)[0][1] == ["„§ 2 AMG-T“", written("Näheres regeln § 2 AMG-T und § 7 ApoG.")]


def test_an_absatz_stands_open_and_strong_among_the_folded_others() -> None:
    chunks = [chunk("§ 1", f"({number}) Satz {number}.", "hut", subsection=str(number), position=number) for number in range(1, 12)]
    federation = _federation(chunks)
    (block,) = [one for one in view.wording(shown(Address("hut", "", "§ 1", "4"), federation), federation, DE) if one["type"] == "passages"]
    assert [(one["open"], one["tone"]) for one in block["passages"]] == [
        (number == 4, "strong" if number == 4 else "") for number in range(1, 12)
    ]
    assert block["passages"][3]["label"] == "Absatz 4: Satz 4."
    whole = view.wording(shown(Address("hut", "", "§ 1"), federation), federation, DE)[-1]
    assert [one["open"] for one in whole["passages"]] == [True] + [False] * 10


def _federation(chunks: list[Chunk], **spec: Any) -> Federation:
    stock = CorpusStock(CorpusSpec("hut", "Hutgesetz", "statute", ("HutG",), **spec), chunks, NoVectors(""), Fingerprint("", "", 0))
    return Federation([stock], FEDERATION.lexical, {})


def test_a_repealed_norm_and_invented_rules_say_so() -> None:
    federation = _federation([chunk("§ 1", "(weggefallen)", "hut", repealed=True)], invented=True)
    above = view.above(shown(Address("hut", "", "§ 1"), federation), federation, DE)
    assert above[1]["title"] == "Diese Norm ist aufgehoben"
    assert ["Geltung", "aufgehoben"] in rows(above)
    assert ["Hinweis", "erfunden zur Vorführung; gilt nirgends"] in rows(above)


def test_an_absatz_that_is_not_there_is_said_above_the_whole_norm() -> None:
    above = view.above(shown(Address("gesetz", "", "§ 2", "9")), FEDERATION, DE)
    assert above[1]["title"] == "Absatz 9 steht dort nicht. Gezeigt wird die ganze Norm."


def test_the_contents_of_a_part_lead_to_its_norms() -> None:
    blocks = view.wording(shown(Address("vertrag", "Vertrag")), FEDERATION, DE)
    assert rows(blocks) == [
        [[{"text": "§ 10", "norm": "vertrag|Vertrag|§ 10"}], [written("Abweichung"), ""]],
        [[{"text": "§ 11", "norm": "vertrag|Vertrag|§ 11"}], [written("Vorstand"), ""]],
    ]


def test_the_contents_of_a_large_part_are_folded_by_its_structure() -> None:
    chunks = [chunk(f"§ {number}", "Hut.", "hut", path=(f"Kapitel {number // 50}",)) for number in range(1, 101)]
    federation = _federation(chunks)
    blocks = view.wording(shown(Address("hut"), federation), federation, DE)
    assert [block["label"] for block in blocks if block["type"] == "folded"] == ["Kapitel 0 (49)", "Kapitel 1 (50)", "Kapitel 2 (1)"]
    assert len(rows(blocks)) == 100


def test_a_long_table_shows_its_first_rows_and_the_rest_behind_a_label() -> None:
    chunks = [chunk("§ 1", "Hut.", "hut"), *(chunk(f"§ {number}", "Es gilt § 1.", "hut") for number in range(2, 42))]
    federation = _federation(chunks)
    blocks = view.cited_by(shown(Address("hut", "", "§ 1"), federation), federation, DE)
    assert blocks[-1]["label"] == "25 weitere Zeilen zeigen"
    assert len(rows(blocks)) == 40


def test_the_readings_of_an_unclear_reference_are_all_named() -> None:
    both = (Address("vertrag", "Vertrag", "§ 10"), Address("vertrag", "Anlage 11", "§ 10"))
    reference = Reference(0, 4, "§ 10", "ambiguous", both[0], alternatives=both)
    cell = view.targets(reference, FEDERATION.specs, DE)
    assert [line["text"] for line in cell if isinstance(line, dict)] == ["RV · Vertrag · § 10", "RV · Anlage 11 · § 10"]


def test_a_numbered_part_has_the_unit_of_its_section() -> None:
    assert named(Address("vereinbarung", "", "Ziffer 4.10", "4.10.1"), FEDERATION.specs) == "TA-T · Ziffer 4.10.1"


# --- the neighbourhood ----------------------------------------------------------------------------------------------------


def star(citing: int, cited: int) -> Norm:
    """A norm with so many neighbours on each side."""
    centre = chunk("§ 0", "Mitte", "hut")
    by = [
        Citing(chunk(f"§ {number}", "", "hut"), Reference(0, 1, "", "resolved", Address("hut", "", "§ 0")), "")
        for number in range(1, citing + 1)
    ]
    to = [Citing(centre, Reference(0, 1, "", "resolved", Address("hut", "", f"§ {number}")), "") for number in range(100, 100 + cited)]
    return Norm(Address("hut", "", "§ 0"), "found", (centre,), cites=tuple(to), cited_by=tuple(by))


@pytest.mark.parametrize(("citing", "cited"), [(0, 0), (3, 2), (40, 40), (40, 2), (1, 40)])
def test_the_graph_is_small_and_says_what_it_leaves_out(citing: int, cited: int) -> None:
    found = star(citing, cited)
    drawn = neighbours.chosen(neighbours.neighbours(found))
    assert len(drawn) == min(citing + cited, neighbours.MOST - 1)
    left_out = citing + cited - len(drawn)
    assert (f"{left_out} davon, mit den wenigsten Verweisen, fehlen" in neighbours.sentence(found, DE)) == bool(left_out)
    if citing >= 12 and cited >= 12:
        assert sum(one.way == "citing" for one in drawn) == 12


def test_the_graph_draws_every_neighbour_once_with_its_form_and_its_word() -> None:
    specs = {"hut": CorpusSpec("hut", "Hutgesetz", "statute", ("HutG",))}
    figure = neighbours.figure(star(3, 2), specs, DE, "#000")
    points = {line["name"]: line for line in figure["data"] if line["mode"] == "markers+text"}
    assert {name: len(line["x"]) for name, line in points.items()} == {"nennt diese Norm": 3, "wird von ihr genannt": 2}
    assert len({json.dumps(line["marker"]["symbol"]) for line in figure["data"] if "marker" in line}) == 3
    assert figure == neighbours.figure(star(3, 2), specs, DE, "#000")
    assert points["nennt diese Norm"]["text"] == ["§ 1<br>HutG", "§ 2<br>HutG", "§ 3<br>HutG"]
    assert figure["layout"]["title"]["text"] == "HutG · § 0: wer sie nennt und wen sie nennt"


def test_neighbours_in_both_directions_are_counted_both_ways() -> None:
    found = shown(Address("seltsam", "", "§ 7"))
    both = msgspec.structs.replace(found, cited_by=(Citing(chunk("§ 2", "", "gesetz"), found.cites[0].reference, ""),))
    (first, *_) = [one for one in neighbours.neighbours(both) if one.norm.corpus_id == "gesetz"]
    assert (first.way, neighbours.in_words(first, DE)) == ("both", "nennt diese Norm an 1 Stelle, wird von ihr an 1 Stelle genannt")


# --- finding ------------------------------------------------------------------------------------------------------------


def test_several_norms_are_a_choice_and_no_norm_says_what_was_understood() -> None:
    places = look_up("§ 10", FEDERATION).places
    blocks = finding.choice("§ 10", places, FEDERATION, DE)
    assert blocks[0]["title"] == f"{len(places)} Normen passen"
    assert [cells[0][0]["norm"] for cells in rows(blocks)] == [key_of(place) for place in places]

    def said(typed: str) -> str:
        return " ".join(finding.nothing_found(typed, look_up(typed, FEDERATION), FEDERATION.specs, DE)["lines"])

    assert "„ApoG“ ist als Regelwerk bekannt, aber nicht im Bestand." in said("§ 7 ApoG")
    assert "Verstanden wurde: AMG-T · § 99. Dort steht nichts." in said("§ 99 AMG-T")
    assert "Verstanden wurde: Gesetz über Arzneimittel. Es fehlt" in said("AMG-T")
    assert "Darin wurde keine Fundstelle erkannt" in said("Guten Tag")


def test_a_link_to_what_is_not_there_says_whether_the_text_or_the_corpus_is_missing() -> None:
    text = finding.unknown_norm(Address("gesetz", "", "§ 99"), FEDERATION.specs, DE)
    corpus = finding.unknown_norm(Address("weg", "", "§ 1"), FEDERATION.specs, DE)
    assert text["lines"][0] == "Gesucht wurde: AMG-T · § 99. Dort steht nichts, oder nichts mehr."
    assert corpus["lines"][0] == "Gesucht wurde: weg · § 1. Dieses Regelwerk ist nicht im Bestand, oder nicht mehr."


# --- the register ---------------------------------------------------------------------------------------------------------

REGISTER = b"""
[[anchor]]
id = "gut"
triggers = [["Hut", "Winter"], "Kopf"]
corpus = "gesetz"
section = "2"
note = "Ein Vermerk."
author = "Redaktion"
date = 2033-05-02

[[anchor]]
id = "leer"
triggers = ["Schal"]
corpus = "gesetz"
section = "99"
"""


def test_the_register_shows_its_findings_first_and_every_claim() -> None:
    blocks = register.blocks(AnchorRegister.parse(REGISTER), FEDERATION, DE)
    assert blocks[1]["text"] == "Geprüft wurden 2 Anker."
    assert (blocks[2]["title"], blocks[2]["lines"]) == (
        "1 Anker führt nicht eindeutig zu einer geltenden Norm",
        ["1 führt zu einer Fundstelle, die nicht im Bestand ist."],
    )
    first, second = rows(blocks)
    assert first[0] == ["AMG-T · § 99", "Gesetz über Arzneimittel", "leer"]
    assert first[1] == ["nicht im Bestand", "Zeile 11 im Register"]
    assert second[0][0] == {"text": "AMG-T · § 2", "norm": "gesetz||§ 2"}
    assert blocks[-1]["text"] == "Wörter mit + dazwischen lösen den Anker nur aus, wenn alle in der Frage stehen."
    assert second[2:] == [["„Hut + Winter“", "„Kopf“"], [written("Ein Vermerk."), "Redaktion, 2033-05-02"]]


def test_a_sound_register_says_so() -> None:
    blocks = register.blocks(AnchorRegister.parse(REGISTER[: REGISTER.index(b'[[anchor]]\nid = "leer"')]), FEDERATION, DE)
    assert blocks[2]["text"] == "Jeder Anker führt zu einer geltenden Norm im Bestand."


# --- all of them ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [DE, EN], ids=["de", "en"])
def test_every_view_of_a_norm_survives_json_leaves_no_placeholder_and_reads_no_tag(words: Any) -> None:
    found = shown(Address("seltsam", "", "§ 7"))
    drawn = [
        *view.above(found, FEDERATION, words),
        *view.wording(found, FEDERATION, words),
        *view.cites(found, FEDERATION, words),
        *view.cited_by(shown(Address("seltsam", "", "§ 5")), FEDERATION, words),
        *neighbours.blocks(found, FEDERATION, words),
        *finding.no_norm(FEDERATION, "", words),
        *register.blocks(AnchorRegister.parse(REGISTER), FEDERATION, words),
    ]
    assert json.loads(json.dumps(drawn)) == drawn
    assert [text for text in every_text(drawn) if "{" in text and "display:none" not in text] == []
    assert any(f"{HTML} Es gilt § 5 und § 2 AMG-T. {LINK}" == text for text in every_text(drawn))
    figure = neighbours.figure(found, FEDERATION.specs, words, "#000")
    assert [text for text in every_text(figure) if "<img" in text or "<style" in text or "<i>" in text] == []

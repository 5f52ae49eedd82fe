"""The views of a norm's life: chips, stations, the sentence and the claim behind them, and the changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dashboard.blocks import Block
from dashboard.views import life as view
from dashboard.views import whatif
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.inspector.counterfactuals import Answer, counterfactual
from retrieval.inspector.life import STATIONS, life
from retrieval.model import Address
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Pool, Trace
from retrieval.words import Words
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import HTML, MARKDOWN, federation

DE, EN = page_words("de"), page_words("en")
QUESTION = "Apotheke Sonderkennzeichen abweichen"
DEMO = federation()


def drawn(norm: Address, question: str = QUESTION, **settings: Any) -> list[Block]:
    used = Settings.of(settings)
    gathered = DEMO.gather(question, used)
    trace = decide(gathered, used)
    return view.blocks(life(trace, gathered, norm, DEMO), trace, DE)


def kind(blocks: list[Block], name: str) -> list[Block]:
    return [block for block in blocks if block["type"] == name]


def quota_pool() -> Pool:
    scores = {"a1": 0.9, "a2": 0.8, "a3": 0.7, "a4": 0.6, "a5": 0.5}
    return pool([answer("A", scores)], [chunk(one, "A", f"§ {one[1]}") for one in scores])


def test_the_chips_name_the_list_and_what_just_missed_it() -> None:
    trace = decide(quota_pool(), Settings.of(max_final_results=3))
    blocks = view.chips(trace, DE)
    assert [block["text"] for block in kind(blocks, "paragraph")] == ["Normen in der Liste", "Normen, die knapp nicht in die Liste kamen"]
    found = [[one["text"] for one in block["links"]] for block in kind(blocks, "links")]
    assert found == [["1 · A · § 1", "2 · A · § 2", "3 · A · § 3"], ["A · § 4", "A · § 5"]]
    assert all(one["why"] and one["norm"].startswith("A||§ ") for block in kind(blocks, "links") for one in block["links"])


def test_a_norm_of_several_chunks_has_one_chip_with_all_its_places() -> None:
    sections = {"a1": "§ 1", "a2": "§ 1", "a3": "§ 2", "a4": "§ 1", "a5": "§ 3"}
    scores = {one: 0.9 - number / 10 for number, one in enumerate(sections)}
    stock = [chunk(one, "A", section) for one, section in sections.items()]
    trace = decide(pool([answer("A", scores)], stock), Settings.of(max_final_results=3, list_unit="chunk"))
    found = [[one["text"] for one in block["links"]] for block in kind(view.chips(trace, DE), "links")]
    assert found == [["1, 2 · A · § 1", "3 · A · § 2"], ["A · § 3"]]


def test_an_empty_list_has_no_chips() -> None:
    assert view.chips(decide(pool([answer("A")], []), Settings()), DE) == []


@pytest.mark.parametrize("words", [DE, EN])
def test_the_words_of_the_cards_are_explained_above_them(words: Words) -> None:
    said = [words.t(f"station.state.{state}") for state in ("passed", "stopped", "not_applicable", "not_reached")]
    assert [one for one in (*said, words.t("why.decides")) if words.quoted(one) not in words.t("why.explained")] == []


def test_the_stations_stand_in_the_order_of_the_run_and_one_decides() -> None:
    (row,) = kind(drawn(Address("vereinbarung", "", "Ziffer 4.10")), "stations")
    assert [one["title"] for one in row["stations"]] == [DE.t(f"station.title.{name}") for name in STATIONS]
    assert [one["title"] for one in row["stations"] if one["mark"]] == ["Durch einen Anker abgerufen"]
    assert {one["form"] for one in row["stations"]} <= {"passed", "stopped", "not_reached", "not_applicable", "failed"}
    assert all(one["state"] and one["lines"] and all(one["lines"]) for one in row["stations"])


def test_the_answer_stands_above_the_stations() -> None:
    blocks = drawn(Address("vereinbarung", "", "Ziffer 4.10"))
    assert blocks[0]["text"] == "TA-T · Ziffer 4.10: Kennzeichen"
    assert blocks[1]["title"].startswith("TA-T · Ziffer 4.10 steht auf Platz 1, weil ein Anker")
    assert [block["type"] for block in blocks].index("stations") > 1


def test_a_claim_is_shown_with_author_and_date_and_its_note_stays_text() -> None:
    table = kind(drawn(Address("vereinbarung", "", "Ziffer 4.10")), "table")[0]
    facts = dict(row["cells"] for row in table["rows"])
    assert facts["Urheber"] == "Redaktion"
    assert facts["Datum"] == "02.05.2033"
    assert facts["Vermerk"] == f"Die Ziffer entscheidet. {MARKDOWN}"


def test_a_reference_is_shown_as_its_sentence_with_the_words_marked() -> None:
    blocks = drawn(Address("gesetz", "", "§ 2"), "Apotheke abweichen")
    (quoted,) = kind(blocks, "passages")
    (passage,) = quoted["passages"]
    (mark,) = passage["marks"]
    assert passage["text"][mark["start"] : mark["end"]] == "§ 2 AMG-T"
    assert passage["text"] == "Näheres regeln § 2 AMG-T und § 7 ApoG."
    assert any(one["text"] == "RV · Vertrag · § 10 öffnen" for block in kind(blocks, "links") for one in block["links"])


def test_hostile_text_is_data_in_every_block() -> None:
    blocks = drawn(Address("seltsam", "", "§ 7"), "Apotheke abgeben")
    assert blocks[0]["text"].endswith(f"§ 7: {MARKDOWN}")
    assert HTML not in json.dumps([block for block in blocks if block["type"] == "stations"])
    json.dumps(blocks)


def test_a_whole_part_is_no_single_norm_and_leads_to_its_contents() -> None:
    trace = decide(DEMO.gather(QUESTION, Settings()), Settings())
    notice, ways = view.not_one_norm(Address("vertrag", "Anlage 11"), trace, DE)
    assert notice["title"] == "Das ist ein ganzer Teil, keine einzelne Norm"
    assert ways["links"] == [{"text": "Inhalt von RV · Anlage 11", "norm": "vertrag|Anlage 11"}]


def test_the_other_chunks_of_a_norm_stand_with_their_places() -> None:
    chunks = [chunk("a1", "A", "§ 1", subsection="1"), chunk("a2", "A", "§ 1", subsection="2", position=1)]
    gathered = pool([answer("A", {"a1": 0.5, "a2": 0.4})], chunks)
    trace = decide(gathered, Settings.of(max_final_results=1))
    found = life(trace, gathered, ("a2", "a1"), federation(()))
    (fold,) = kind(view.blocks(found, trace, DE), "folded")
    assert [row["cells"][1:] for row in fold["blocks"][0]["rows"]] == [["1", "1", "1", "–"], ["–", "2", "2", "–"]]


# --- what would change it -------------------------------------------------------------------------------------------------


def changed(**settings: Any) -> tuple[Answer, Trace]:
    gathered, used = quota_pool(), Settings.of(max_final_results=3, **settings)
    return counterfactual(gathered, used, [gathered.chunks["a4"]]), decide(gathered, used)


def test_each_change_is_a_sentence_with_a_button_of_its_own() -> None:
    found = whatif.suggestions(*changed(), DE)
    assert found[0].text.startswith("1. „Länge der Liste“ auf 4 (jetzt 3). Dann steht die Norm auf Platz 4.")
    assert found[0].values == {"max_final_results": 4}
    assert [one.label for one in found] == [f"Änderung {number} übernehmen" for number in range(1, len(found) + 1)]
    assert {name for one in found for name in one.values} <= set(KNOBS)


def test_the_heading_says_whether_the_norm_would_come_or_go() -> None:
    answer, trace = changed()
    assert whatif.blocks(answer, trace, DE)[0]["text"] == "Was die Norm in die Liste brächte"
    gone = Answer(("a1",), False, 1)
    blocks = whatif.blocks(gone, trace, EN)
    assert [block["text"] for block in blocks] == [
        "What would take the norm out of the list",
        "No single setting and no pair of settings that was searched takes the norm out of the list. More than that is not said.",
    ]
    assert whatif.suggestions(gone, trace, EN) == []

"""What the page says about definitions, the parts of a cut Absatz, and whether nothing is there."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.blocks import Block
from dashboard.journey import steps
from dashboard.views import faults, hits, movement, negative
from dashboard.words import page_words
from retrieval.model import Chunk, CorpusSpec
from tests.in_memory import federated
from tests.stock_builders import chunk

DE, EN = page_words("de"), page_words("en")
SPECS = {"a": CorpusSpec("a", "Regeln A"), "b": CorpusSpec("b", "Regeln B")}
PARTS = [
    chunk("§ 7", text, subsection="1", position=place) for place, text in enumerate(("Anfang.", "Die Rechnung wird gekürzt.", "Ende."))
]


def cards(found: list[Block]) -> list[Block]:
    return list(found[-1]["cards"])


# --- definitions --------------------------------------------------------------------------------------------------------


def test_a_hit_that_defines_the_term_says_so_wherever_its_place_is_told() -> None:
    rules = {"a": [chunk("§ 2", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.", "a"), chunk("§ 3", "Die Frist läuft.", "a")]}
    trace = federated(rules).trace("Was ist eine Frist?")
    assert "definiert „Frist“" in cards(hits.blocks(trace, DE))[0]["origin"]
    assert "definiert" not in cards(hits.blocks(trace, DE))[1]["origin"]
    assert "defines “Frist”" in cards(hits.blocks(trace, EN))[0]["origin"]
    assert steps(trace)[0].how == "definition"
    assert movement.in_words(steps(trace)[0], DE) == "Platz 1, unverändert, bestimmt den erfragten Begriff"
    assert "1 Treffer bestimmt den erfragten Begriff." in faults.summary(trace, DE)


# --- parts of an Absatz -------------------------------------------------------------------------------------------------


def test_a_part_of_an_absatz_says_which_and_opens_the_parts_beside_it() -> None:
    trace = federated({"abgabe": PARTS}).trace("Wann wird die Rechnung gekürzt?", include_neighbors=True)
    card = cards(hits.blocks(trace, DE))[0]
    assert "Teil 2 von 3" in card["origin"]
    (folded,) = card["more"]
    assert folded["label"] == "Teil 2 von 3: angrenzende Teile"
    assert [(one["label"], one["text"]) for one in folded["blocks"][1]["passages"]] == [("Teil 1", "Anfang."), ("Teil 3", "Ende.")]


def test_a_part_that_is_a_hit_itself_says_on_which_place() -> None:
    trace = federated({"abgabe": PARTS}, list_unit="chunk").trace("Rechnung und Ende", include_neighbors=True)
    labels = [one["label"] for card in cards(hits.blocks(trace, DE)) for one in card["more"][0]["blocks"][1]["passages"]]
    places = {entry.chunk_id: place for place, entry in enumerate(trace.final, start=1)}
    assert f"Teil 2, selbst ein Treffer auf Platz {places[PARTS[1].chunk_id]}" in labels
    assert f"Teil 3, selbst ein Treffer auf Platz {places[PARTS[2].chunk_id]}" in labels


def test_a_whole_absatz_shows_nothing_of_parts() -> None:
    trace = federated({"abgabe": PARTS[1:2]}).trace("Wann wird die Rechnung gekürzt?", include_neighbors=True)
    card = cards(hits.blocks(trace, DE))[0]
    assert card["more"] == []
    assert "Teil" not in card["origin"]


# --- is nothing there? --------------------------------------------------------------------------------------------------


def passage(corpus: str, chunk_id: str) -> Chunk:
    return chunk("§ 4", "Ein Wortlaut.", corpus, subsection="2", chunk_id=chunk_id)


def answered(**verdicts: dict[str, Any]) -> dict[str, Any]:
    objections = [corpus for corpus, verdict in verdicts.items() if verdict and not verdict["safe"]]
    unchecked = [corpus for corpus, verdict in verdicts.items() if not verdict]
    safe = not objections and not unchecked
    return {"safe": safe, "objections": objections, "unchecked": unchecked, "unasked": [], "reason": "", "verdicts": verdicts}


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("section_named", "Die Frage nennt Regeln A · § 4 Abs. 2, und diese Norm ist im Bestand."),
        ("definition_found", "Regeln A · § 4 Abs. 2 bestimmt den erfragten Begriff."),
        ("passage_near", "Regeln A · § 4 Abs. 2 kommt der Frage nach der Bedeutung nahe (Urteilswert 0,612)."),
        ("words_found", "Regeln A · § 4 Abs. 2 enthält 55 % dessen, was die Wörter der Frage wiegen."),
    ],
)
def test_an_objection_names_the_passage_and_why(reason: str, sentence: str) -> None:
    verdict = {"safe": False, "reason": reason, "chunk_id": "x", "best_decision_score": 0.612, "best_share": 0.55}
    (notice, _) = negative.blocks(answered(a=verdict, b={"safe": True}), SPECS, passage, DE)
    assert notice["title"] == "Nein, das lässt sich nicht sagen."
    assert [line.replace("\u00a0", " ") for line in notice["lines"]] == [sentence]


def test_a_corpus_that_gives_no_reason_objects_all_the_same() -> None:
    (notice, _) = negative.blocks(answered(a={"safe": False}), SPECS, passage, DE)
    assert notice["lines"] == ["Regeln A: Das Regelwerk widerspricht, ohne einen Grund zu nennen."]


def test_a_corpus_that_failed_is_no_yes() -> None:
    (notice, _) = negative.blocks(answered(a={"safe": True}, b={}), SPECS, passage, DE)
    assert notice["title"] == "Nein, das lässt sich nicht sagen."
    assert notice["lines"] == ["Regeln B: Hier ließ sich nicht prüfen. Nichts ist widerlegt und nichts bestätigt."]


def test_a_yes_says_what_it_does_not_speak_of() -> None:
    answer = {**answered(a={"safe": True}), "unasked": ["b"]}
    (notice, _) = negative.blocks(answer, SPECS, passage, DE)
    assert notice["title"].startswith("Ja. Keines der befragten Regelwerke")
    assert notice["lines"] == ["Nicht befragt und daher nicht geprüft: Regeln B."]

"""The views over real runs of invented corpora: frames and blocks exactly, figures lightly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from dashboard.blocks import Block, written
from dashboard.journey import steps
from dashboard.views import anchors, balance, corpora, faults, floor, hits, movement, verweise
from dashboard.words import page_words
from retrieval.decide import decide, looked_up
from retrieval.model import Address, AnchorClaim, Chunk, ReadyHit, Reference, RouteAnswer, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Fault, Trace
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import HTML, LINK, MARKDOWN, QUESTION, federation

DE, EN = page_words("de"), page_words("en")


def run(question: str = QUESTION, fails: dict[str, str] | None = None, **settings: Any) -> Trace:
    federated = federation(fails=fails)
    used = Settings.of(settings)
    return decide(federated.gather(question, used), used)


def quota_run() -> Trace:
    """Corpus A fills the list of four places; the quota brings B's only hit from place 6 to place 4."""
    scores = {"a1": 0.9, "a2": 0.8, "a3": 0.7, "a4": 0.6, "a5": 0.5}
    chunks = [chunk(key, "A", f"§ {key[1]}") for key in scores] + [chunk("b1", "B", "§ 1")]
    settings = Settings.of(max_final_results=4, min_hits_per_corpus=1, weight_lexical=0)
    return decide(pool([answer("A", scores), answer("B", {"b1": 0.4})], chunks), settings)


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts(inner)


def rows(blocks: list[Block]) -> list[list[Any]]:
    return [row["cells"] for block in blocks if block["type"] == "table" for row in block["rows"]]


# --- movement ---------------------------------------------------------------------------------------------------------


def test_the_frame_of_the_movement_names_places_way_and_words() -> None:
    frame = movement.frame(quota_run(), DE)
    assert list(frame.columns) == movement.COLUMNS
    found = frame[["chunk_id", "before", "after", "left", "right", "how", "words"]].values.tolist()
    assert found == [
        ["a1", 1, 1, 1, 1, "search", "Platz 1, unverändert, auch durch die Quote gesichert, Runde 1"],
        ["a2", 2, 2, 2, 2, "search", "Platz 2, unverändert"],
        ["a3", 3, 3, 3, 3, "search", "Platz 3, unverändert"],
        ["a4", 4, 0, 4, 5, "displaced", "Platz 4, fällt weg: von der Quote verdrängt"],
        ["b1", 6, 4, 5, 4, "quota", "Platz 6 → 4, durch die Quote, Runde 1"],
    ]


def test_the_slope_chart_says_by_line_style_and_word_what_came_only_by_the_quota() -> None:
    trace = quota_run()
    figure = movement.figure(movement.frame(trace, DE), trace, DE, "#000")
    quota = next(line for line in figure["data"] if line.get("name") == "nur durch die Quote")
    assert quota["line"]["dash"] == "dash"
    assert quota["y"] == [5, 4, None]
    assert "<b>4</b> · Quote" in figure["layout"]["yaxis2"]["ticktext"]
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["Ende der Liste"]
    json.dumps(figure)


def test_the_sentence_under_the_chart_counts_what_moved() -> None:
    assert movement.sentence(quota_run(), DE) == "1 Treffer steht nur durch die Quote in der Liste. 1 Treffer wird dafür verdrängt."
    assert movement.sentence(run(min_hits_per_corpus=0), DE) == "Quote und genannte Regelwerke ändern die Reihenfolge nicht."


def test_the_two_lists_draw_the_end_of_the_list_and_count_what_is_hidden() -> None:
    (block,) = movement.blocks(quota_run(), DE)
    left, right = block["sides"]
    assert [item.get("place") or item["rule"] for item in left["items"]] == ["1", "2", "3", "4", "Ende der Liste: 4 Plätze", "6"]
    assert left["note"] == "1 weiterer Kandidat steht hinter dem letzten Platz."
    assert right["items"][3]["lines"] == ["Ordnungswert 0,400 · Platz 6 → 4, durch die Quote, Runde 1"]


def test_every_candidate_is_listed_on_request() -> None:
    trace = run()
    left, _ = movement.blocks(trace, DE, everything=True)[0]["sides"]
    assert len([item for item in left["items"] if "place" in item]) == len(trace.completed.living)
    assert left["note"] == ""


def test_the_floor_is_drawn_before_the_first_hit_below_it() -> None:
    trace = quota_run()
    raised = decide(pool_of(trace), Settings.of({**trace.settings.flat(), "min_ratio": 0.6}))
    left, _ = movement.blocks(raised, DE, everything=True)[0]["sides"]
    names = [item.get("place") or item["rule"] for item in left["items"]]
    assert names == ["1", "2", "3", "4", "Ende der Liste: 4 Plätze", "Schwelle 0,540 für den besten Treffer jedes Regelwerks", "5", "6"]


def pool_of(trace: Trace) -> Any:
    scores = {"a1": 0.9, "a2": 0.8, "a3": 0.7, "a4": 0.6, "a5": 0.5}
    return pool([answer("A", scores), answer("B", {"b1": 0.4})], list(trace.chunks.values()))


def test_a_named_corpus_stands_first_with_both_places() -> None:
    chunks = [chunk("a1", "A"), chunk("b1", "B")]
    trace = decide(pool([answer("A", {"a1": 0.9}), answer("B", {"b1": 0.4})], chunks, named=["B"]), Settings())
    assert [(step.entry.chunk_id, step.before, step.after, step.how) for step in steps(trace)] == [
        ("a1", 1, 2, "search"),
        ("b1", 2, 1, "named"),
    ]
    assert movement.in_words(steps(trace)[1], DE) == "Platz 2 → 1, genanntes Regelwerk zuerst"


def test_no_step_is_lost_between_the_two_lists() -> None:
    trace = run("Arzneimittel Sonderkennzeichen")
    found = steps(trace)
    assert sorted(step.after for step in found if step.after) == list(range(1, len(trace.final) + 1))
    assert [step.before for step in found] == list(range(1, len(trace.completed.living) + 1))


# --- floor ------------------------------------------------------------------------------------------------------------


def test_the_frame_of_the_floor_holds_each_corpus_with_its_best_hit() -> None:
    frame = floor.frame(quota_run(), DE)
    assert list(frame.columns) == floor.COLUMNS
    assert frame.values.tolist() == [["A", "A", 0.9, True, 1], ["B", "B", 0.4, True, 1]]


def test_the_floor_chart_draws_floor_reference_and_anchor_with_their_words() -> None:
    trace = quota_run()
    figure = floor.figure(floor.frame(trace, DE), trace, DE, "#000")
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["Schwelle 0,225", "Verweis 0,50", "Anker 1,00"]
    assert figure["layout"]["yaxis"]["ticktext"] == ["A · nimmt teil", "B · nimmt teil"]


def test_the_sentence_of_the_floor_says_how_it_comes_about_and_why_the_rounds_ended() -> None:
    assert floor.sentence(quota_run(), DE) == (
        "Die Schwelle liegt bei 0,225: 0,25 × 0,900 (der beste Ordnungswert). 2 von 2 Regelwerken erreichen sie. "
        "Die Quote sichert 2 Plätze in 1 Runde (höchstens 2). Die eingestellte Zahl der Runden ist erreicht."
    )


# --- corpora, anchors, references -----------------------------------------------------------------------------------------


def test_missing_failed_empty_and_found_are_four_displays() -> None:
    broken = answer("A", {"a1": 0.9}, failed_routes=["lexical"])
    silent = answer("B")
    wordless = answer("C")
    wordless = type(wordless)("C", "empty", (wordless.routes[0], RouteAnswer("lexical", "empty", note="no_usable_words")), size=3)
    foreign = type(wordless)("D", "ok", (), (ReadyHit("d1", 0.5),), foreign=True)
    trace = decide(pool([broken, silent, wordless, foreign], [chunk("a1", "A"), chunk("d1", "D")]), Settings())
    found = [(cells[0][0], cells[4][0]) for cells in rows(corpora.blocks(trace, DE))]
    assert found == [
        ("A", "Wortsuche ausgefallen: RuntimeError"),
        ("B", "Wortsuche fand nichts"),
        ("C", "keine verwertbaren Wörter in der Frage"),
        ("D", "hat diesen Suchweg nicht"),
    ]


def test_a_failed_corpus_names_its_class_of_error() -> None:
    found = {cells[0][0]: cells[2] for cells in rows(corpora.blocks(run(fails={"vertrag": "corpus"}), DE))}
    assert found["Rahmenvertrag mit Anlagen"] == ["ausgefallen: RuntimeError", f"kaputt {HTML}"]


def test_a_corpus_says_which_words_chose_it_and_which_anchor_requires_it() -> None:
    trace = run("Was sagt AMG-T zum Sonderkennzeichen?")
    found = {cells[0][0]: cells[1] for cells in rows(corpora.blocks(trace, DE))}
    assert found["Gesetz über Arzneimittel"] == ["befragt", "bestimmt durch „AMG-T“"]
    assert found["Abrechnungsvereinbarung"] == ["befragt", "verlangt von Anker: kennzeichen, leer"]
    assert found["Rahmenvertrag mit Anlagen"] == ["nicht befragt: die Frage führt zu anderen Regelwerken"]


def test_a_corpus_beyond_the_cap_says_so() -> None:
    states = [cells[1][0] for cells in rows(corpora.blocks(run(max_corpora_per_query=3), DE))]
    assert states.count("nicht befragt: Höchstzahl der Regelwerke erreicht") == 1
    assert corpora.sentence(run(max_corpora_per_query=3), DE).endswith(
        "1 fällt weg, weil die Höchstzahl erreicht ist; "
        "befragt werden erst die verlangten, dann die anderen in der Reihenfolge des Bestands."
    )


def test_where_nearness_decides_it_is_told_and_stands_with_each_corpus() -> None:
    answers, near = [answer(name, {f"{name}1": 0.5}) for name in "ab"], {"a": 0.25, "b": 0.75, "c": 0.125}
    made = msgspec.structs.replace(pool(answers, [chunk(f"{name}1", name) for name in "ab"]), available=("a", "b", "c"), affinities=near)
    trace = decide(made, Settings.of(max_corpora_per_query=2))
    assert corpora.sentence(trace, DE).endswith(
        "1 fällt weg, weil die Höchstzahl erreicht ist; befragt werden erst die verlangten, dann die, deren Inhalt der Frage am nächsten "
        "kommt. Die Nähe steht bei jedem Regelwerk."
    )
    assert [cells[1][-1] for cells in rows(corpora.blocks(trace, DE))] == [
        "Nähe zur Frage 0,750", "Nähe zur Frage 0,250", "Nähe zur Frage 0,125",
    ]  # fmt: skip


def test_an_anchor_says_found_nothing_found_or_repealed() -> None:
    claims = [
        (AnchorClaim(Target("A", "§ 1"), "Vermerk", trigger="Wort"), Units("found", (ReadyHit("a1", 1.0),))),
        (AnchorClaim(Target("A", "§ 9")), Units("not_found")),
        (AnchorClaim(Target("A", "§ 2")), Units("repealed", (ReadyHit("a2", 1.0),))),
        (AnchorClaim(Target("Z", "§ 1")), Units("not_asked")),
    ]
    trace = decide(pool([answer("A", {"a1": 0.5})], [chunk("a1", "A"), chunk("a2", "A", "§ 2")], claims=claims), Settings())
    assert [cells[1][0] for cells in rows(anchors.blocks(trace, DE))] == [
        "gefunden",
        "nichts gefunden: unter dieser Fundstelle steht nichts im Bestand",
        "gefunden, aber aufgehoben",
        "nicht abgerufen: Regelwerk nicht im Bestand",
    ]


def test_a_failed_register_is_not_an_empty_one() -> None:
    trace = decide(pool([answer("A", {"a1": 0.5})], [chunk("a1", "A")]), Settings())
    failed = decide(pool_with_fault("anchors"), Settings())
    assert anchors.blocks(trace, DE)[0]["text"] == "Für diese Frage gilt kein Anker."
    assert anchors.blocks(failed, DE)[0]["text"].startswith("Das Ankerregister ist ausgefallen.")


def pool_with_fault(part: str) -> Any:
    return msgspec.structs.replace(pool([answer("A", {"a1": 0.5})], [chunk("a1", "A")]), faults=(Fault(part, "OSError", "weg"),))


def test_a_reference_names_hit_words_target_and_outcome() -> None:
    trace = run("Apotheke abweichen")
    by_words = {cells[1][0]: cells for cells in rows(verweise.blocks(trace, DE))}
    source, quoted, target, outcome = by_words["„§ 2 AMG-T“"]
    assert source[1] == {"text": "RV · Vertrag · § 10", "norm": "vertrag|Vertrag|§ 10"}
    assert quoted[1] == written("Näheres regeln § 2 AMG-T und § 7 ApoG.")
    assert (target, outcome[0]) == ([{"text": "AMG-T · § 2", "norm": "gesetz||§ 2"}], "nachgeladen")
    assert by_words["„§ 7 ApoG“"][2:] == ["ApoG", ["Ziel nicht im Bestand"]]


def test_a_norm_that_a_reference_names_and_another_displaces_is_not_said_to_be_in_the_list() -> None:
    keys = {"a1": 0.9, "a2": 0.4, "a3": 0.3}
    chunks = [chunk(key, "A", f"§ {key[1]}") for key in (*keys, "a9")]
    named = [
        Reference(number, number + 3, f"§ {section}", "resolved", target=Address("A", "", f"§ {section}"))
        for number, section in ((0, 9), (4, 2))
    ]
    found = Units("found", (ReadyHit("a9", 1.0),))
    one = pool([answer("A", keys)], chunks, references={"a1": named}, units={looked_up(Address("A", "", "§ 9")): found})
    outcomes = {}
    for score in (0.5, 0.1):
        trace = decide(one, Settings.of({"max_final_results": 2, "verweis_score": score, "weight_lexical": 0}))
        outcomes[score] = verweise.outcome(trace.verweise[1], trace, DE)
    said = "stand schon in der Liste, bevor Verweise hinzukamen"
    assert outcomes == {0.5: [said, "hinter dem letzten Platz"], 0.1: [said, "Platz 2"]}


def test_references_stand_ahead_of_the_search_only_with_a_higher_rank_score() -> None:
    chunks = [chunk("a1", "A", "§ 1"), chunk("a9", "A", "§ 9")]
    named = [Reference(0, 3, "§ 9", "resolved", target=Address("A", "", "§ 9"))]
    found = {looked_up(Address("A", "", "§ 9")): Units("found", (ReadyHit("a9", 1.0),))}
    one = pool([answer("A", {"a1": 0.5})], chunks, references={"a1": named}, units=found)
    for score, first in ((0.5, "a1"), (0.6, "a9")):
        trace = decide(one, Settings.of({"verweis_score": score, "weight_lexical": 0}))
        assert trace.final[0].chunk_id == first
        assert ("vor allen Treffern der Suche" in verweise.summary(trace, DE)) == (first == "a9")


def test_a_quota_without_a_whole_round_says_that_it_secures_nothing() -> None:
    one = pool(
        [answer("A", {"a1": 0.9}), answer("B", {"b1": 0.8}), answer("C", {"c1": 0.7})], [chunk(f"{key.lower()}1", key) for key in "ABC"]
    )
    said = floor.sentence(decide(one, Settings.of({"max_final_results": 2, "weight_lexical": 0})), DE)
    assert said.endswith(
        "Die Quote sichert keinen Platz: Eine Runde braucht einen Platz für jedes teilnehmende Regelwerk, zu vergeben ist höchstens 1."
    )


def test_references_that_are_not_listed_are_counted_by_their_fate() -> None:
    one = run("Apotheke abweichen").verweise[1]
    many = tuple(type(one)(one.by, 900, 0, 5, "§ 1", "beyond_cap") for _ in range(30))
    shown = verweise.chosen(many, 10)
    assert 0 < len(shown) < 30
    assert (
        verweise._rest(many, shown, DE)
        == f"{30 - len(shown)} weitere Verweise sind nicht aufgeführt: nicht verfolgt: Höchstzahl erreicht ({30 - len(shown)})."
    )


# --- hits ---------------------------------------------------------------------------------------------------------------


def card_of(trace: Trace, place: int) -> Block:
    found: Block = hits.blocks(trace, DE)[-1]["cards"][place - 1]
    return found


def test_the_parts_of_a_hit_sum_to_the_rank_score_shown() -> None:
    trace = run(weight_vector=0.75, weight_lexical=0.25)
    entry = trace.final[0]
    card = card_of(trace, 1)
    table = next(block for block in card["parts"] if block["type"] == "table")
    assert table["rows"][-1]["cells"] == ["Summe = Ordnungswert", "", "", "", "", DE.number(entry.rank)]
    assert sum(part.amount for part in entry.parts) == pytest.approx(entry.rank)
    assert card["facts"] == [["Ordnungswert", DE.number(entry.rank)], ["Urteilswert", DE.number(entry.cosine)]]


def test_a_hit_outside_the_vector_search_has_no_decision_score_and_not_zero() -> None:
    trace = decide(pool([answer("A", None, {"a1": 0.5})], [chunk("a1", "A")]), Settings())
    assert card_of(trace, 1)["facts"][1] == ["Urteilswert", "keiner"]


def test_a_fixed_rank_says_where_it_comes_from() -> None:
    trace = run("Sonderkennzeichen")
    sentences = [block["text"] for block in card_of(trace, 1)["parts"] if block["type"] == "paragraph"]
    assert sentences[0] == "Der Ordnungswert 1,000 kommt nicht aus der Suche. Anker: fester Wert."


def test_a_lifted_hit_shows_the_sum_before_the_lift_as_such() -> None:
    chunks = [chunk("a1", "A"), chunk("b1", "B")]
    trace = decide(pool([answer("A", {"a1": 0.9}, {"a1": 0.9}), answer("B", {"b1": 0.4}, {"b1": 0.2})], chunks, named=["B"]), Settings())
    parts = card_of(trace, 1)["parts"]
    assert parts[0]["text"] == "Der Ordnungswert wurde von 0,300 auf 0,900 angehoben, weil die Frage das Regelwerk nennt."
    assert parts[1]["rows"][-1]["cells"][::5] == ["Summe = Ordnungswert vor dem Anheben", "0,300"]


def test_only_what_would_not_stand_there_without_it_is_marked_as_by_the_quota() -> None:
    trace = quota_run()
    assert "nur durch die Quote in der Liste, Runde 1" in card_of(trace, 4)["origin"]
    assert "auch durch die Quote gesichert, Runde 1" in card_of(trace, 1)["origin"]
    assert "Quote" not in card_of(trace, 2)["origin"]


def test_nothing_found_is_not_nothing_asked() -> None:
    empty = decide(pool([answer("A")], []), Settings())
    failed = decide(pool([answer("A", failed_routes=["vector", "lexical"])], []), Settings())
    partial = decide(pool([answer("A", failed_routes=["lexical"])], []), Settings())
    found = [hits.blocks(trace, DE)[0]["text"] for trace in (empty, failed, partial)]
    assert found[0].startswith("Nichts gefunden. Alle befragten Regelwerke haben geantwortet")
    assert found[1].startswith("Es gibt keine Treffer, weil die Suche ausgefallen ist.")
    assert found[2].startswith("Nichts gefunden, aber ein Teil der Suche ist ausgefallen.")


def test_text_of_a_corpus_stands_in_a_card_character_by_character() -> None:
    trace = run("Faktor preis kostet Tage Apotheke")
    card = next(card for card in hits.blocks(trace, DE)[-1]["cards"] if card["key"] == "seltsam|§ 5")
    assert card["text"] == f"{MARKDOWN}\n{HTML}\n{LINK}\nDie Apotheke darf abgeben."
    assert card["subtitle"] == HTML


# --- balance and faults -------------------------------------------------------------------------------------------------


def test_each_row_of_the_balance_adds_up() -> None:
    for trace in (run(), run("Apotheke Sonderkennzeichen abweichen", max_final_results=5), quota_run()):
        table = balance.counts(trace, DE)[0]
        for row in table["rows"]:
            came_in, added, living, dropped = (int(cell.replace(".", "")) for cell in row["cells"][1:5])
            assert came_in + added == living + dropped


def test_every_dropped_candidate_is_listed_with_a_reason() -> None:
    trace = quota_run()
    found = rows(balance.dropped(trace, DE))
    assert [[stage, name[0], rank, why] for stage, name, rank, why in found] == [
        ["Quote", "A · § 4", "0,600", "fällt weg: hinter dem letzten Platz der Liste"],
        ["Quote", "A · § 5", "0,500", "fällt weg: hinter dem letzten Platz der Liste"],
    ]
    assert [name[1] for _, name, _, _ in found] == [
        {"text": "Warum nicht in der Liste?", "norm": f"A||§ {number}", "why": True} for number in (4, 5)
    ]


def test_every_hit_and_every_norm_that_was_cut_leads_to_its_reasons() -> None:
    trace = quota_run()
    cards = hits.blocks(trace, DE)[-1]["cards"]
    assert [card["ways"] for card in cards] == [[{"text": "Warum hier?", "norm": card["norm"], "why": True}] for card in cards]
    before = movement.blocks(trace, DE)[0]["sides"][0]["items"]
    linked = [item["place"] for item in before if any(isinstance(line, dict) for line in item.get("lines", ()))]
    assert linked == [item["place"] for item in before if item.get("tone") == "muted"] != []


def test_the_settings_in_force_hold_every_knob_and_say_which_has_no_effect() -> None:
    found = {cells[0]: cells[1:] for cells in rows(balance.settings(Settings.of(min_ratio=0.3), DE))}
    assert found["Mindestverhältnis zum besten Treffer (min_ratio)"] == ["0,30", "0,25", "ordnet neu"]
    assert found["RRF-Konstante k"] == ["60", "60", "ohne Wirkung: gehört zur Fusion „Rangfusion (RRF)“"]
    assert len(found) == len(Settings().flat())


def test_a_whole_run_has_no_banner_and_a_partial_one_names_every_fault() -> None:
    assert faults.blocks(run(), DE) == []
    (banner,) = faults.blocks(run(fails={"vertrag": "corpus", "gesetz": "lexical"}), DE)
    assert banner["lines"] == [
        "Wortsuche in Gesetz über Arzneimittel ausgefallen (RuntimeError).",
        "Rahmenvertrag mit Anlagen ist ausgefallen (RuntimeError) und fehlt in der Liste.",
        "Ein Suchweg ist in mindestens einem Regelwerk ausgefallen; die Liste beruht auf den übrigen.",
    ]


# --- all views ----------------------------------------------------------------------------------------------------------


def everything(trace: Trace, words: Any) -> list[Any]:
    return [
        *corpora.blocks(trace, words),
        *anchors.blocks(trace, words),
        *verweise.blocks(trace, words, everything=True),
        *movement.blocks(trace, words, everything=True),
        movement.figure(movement.frame(trace, words), trace, words, "#000"),
        floor.figure(floor.frame(trace, words), trace, words, "#000"),
        *floor.blocks(trace, words),
        *hits.blocks(trace, words),
        *balance.counts(trace, words),
        *balance.dropped(trace, words),
        *balance.settings(trace.settings, words),
        *balance.stamps(trace, words),
        *faults.blocks(trace, words),
    ]


@pytest.mark.parametrize("words", [DE, EN], ids=["de", "en"])
def test_every_view_survives_json_and_leaves_no_placeholder(words: Any) -> None:
    drawn = everything(run("Apotheke Sonderkennzeichen abweichen Faktor", fusion="rrf"), words)
    assert json.loads(json.dumps(drawn)) == drawn
    assert [text for text in texts(drawn) if "{" in text and "display:none" not in text and "%{text}" not in text] == []


def test_a_figure_reads_no_tag_out_of_a_corpus() -> None:
    trace = run("Arzneimittel abgeben", max_final_results=50)
    figures = [movement.figure(movement.frame(trace, DE), trace, DE, "#000"), floor.figure(floor.frame(trace, DE), trace, DE, "#000")]
    assert [text for text in texts(figures) if "<img" in text or "<style" in text or "<b>f<" in text] == []
    assert any("&lt;b&gt;" in text for text in texts(figures))


def test_the_same_trace_gives_the_same_page() -> None:
    assert everything(run(), DE) == everything(run(), DE)


def test_a_chunk_without_particulars_draws_no_empty_row() -> None:
    bare = Chunk("a1", "A", text="Text", text_hash="x")
    trace = decide(pool([answer("A", {"a1": 0.5})], [bare]), Settings())
    names = [cells[0] for cells in rows(card_of(trace, 1)["parts"])][-2:]
    assert names == ["Regelwerk", "Kennung"]

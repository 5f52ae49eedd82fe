"""The life of a norm in words: each rule as a sentence, exactly; and no run that leaves one without words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.naming import norm
from retrieval.commands.telling import Changes, Telling
from retrieval.decide import decide
from retrieval.inspector.counterfactuals import Answer, Way, counterfactual
from retrieval.inspector.life import Life, life
from retrieval.model import Address, AnchorClaim, Chunk, CorpusSpec, ReadyHit, Reference, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from retrieval.words import Words
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import federation as in_memory
from tests.strategies import pools
from tests.strategies import settings as any_settings

DE, EN = Words("de"), Words("en")
OTHER = in_memory()


def told(gathered: Pool, chunk_id: str, words: Words = DE, **settings: Any) -> tuple[Life, Telling]:
    used = Settings.of(settings)
    trace = decide(gathered, used)
    return life(trace, gathered, (chunk_id,), OTHER), Telling(trace, words, norm)


def sentence(gathered: Pool, chunk_id: str, words: Words = DE, **settings: Any) -> str:
    found, telling = told(gathered, chunk_id, words, **settings)
    return telling.answer(found)


def reason(gathered: Pool, chunk_id: str, station: Any, words: Words = DE, **settings: Any) -> str:
    found, telling = told(gathered, chunk_id, words, **settings)
    return telling.reason(found.station(station))


def two_corpora() -> Pool:
    scores = {"a1": 0.92, "a2": 0.8, "a3": 0.7, "a4": 0.6, "a5": 0.5}
    chunks = [chunk(one, "a", f"§ {one[1]}") for one in scores] + [chunk("b1", "b", "§ 1")]
    return pool([answer("a", scores), answer("b", {"b1": 0.2})], chunks)


# --- sentences ----------------------------------------------------------------------------------------------------------


def test_a_hit_of_the_search_is_explained_by_the_ranks_of_both_routes() -> None:
    gathered = pool([answer("a", {"a1": 0.5}, {"a1": 0.4})], [chunk("a1", "a", "§ 1")])
    expected = (
        "A · § 1 steht auf Platz 1: Die Vektorsuche fand die Norm auf Rang 1, die Wortsuche auf Rang 1. "
        "Der Ordnungswert 0,450 reicht für die Liste."
    )
    assert sentence(gathered, "a1") == expected
    assert reason(gathered, "a1", "fusion") == (
        "Platz 1 von 1 mit dem Ordnungswert 0,450 = Vektorsuche: 0,500 × 0,500 + Wortsuche: 0,500 × 0,400."
    )
    assert reason(gathered, "a1", "vector") == (
        "Rang 1 im Regelwerk; geholt wird bis Rang 60. Kosinus 0,500, auf der Skala von 0 bis 1: 0,500. "
        "Unter den geholten Textstücken aller Regelwerke ist es Rang 1."
    )
    assert reason(gathered, "a1", "fusion", EN, fusion="rrf") == (
        "Place 1 of 1 with the rank score 1.000 = vector search, rank 1: 0.500 + word search, rank 1: 0.500."
    )


def test_a_place_by_the_quota_says_which_place_it_would_be_without() -> None:
    expected = (
        "B · § 1 steht nur durch die Quote auf Platz 4: Nach dem Ordnungswert wäre es Platz 6, "
        "doch in Runde 1 ist dem Regelwerk ein Platz gesichert."
    )
    assert sentence(two_corpora(), "b1", max_final_results=4, min_ratio=0.2) == expected


def test_a_norm_whose_place_the_quota_gave_away_is_not_said_to_stand_behind_the_list() -> None:
    said = sentence(two_corpora(), "a4", max_final_results=4, min_ratio=0.2)
    assert said.startswith(
        "A · § 4 steht nicht in der Liste: Nach dem Ordnungswert wäre es Platz 4, doch die Quote hat Plätze für andere Treffer gesichert. "
        "Zum letzten Treffer ohne gesicherten Platz (freie Plätze: 2) fehlen "
    )
    assert reason(two_corpora(), "a4", "final", max_final_results=4, min_ratio=0.2) == (
        "Nach dem Ordnungswert Platz 4 von 6 Kandidaten; die Quote hat den Platz einem anderen Treffer gegeben."
    )


def test_a_norm_that_the_quota_displaced_by_a_tie_says_so() -> None:
    scores = {"a1": 0.9, "a2": 0.8, "a3": 0.5, "a4": 0.5}
    chunks = [chunk(one, "a", f"§ {one[1]}") for one in scores] + [chunk("b1", "b", "§ 1")]
    gathered = pool([answer("a", scores), answer("b", {"b1": 0.45})], chunks)
    assert sentence(gathered, "a4", max_final_results=4) == (
        "A · § 4 steht nicht in der Liste: Nach dem Ordnungswert wäre es Platz 4, doch die Quote hat Plätze für andere Treffer gesichert. "
        "Der letzte Treffer ohne gesicherten Platz (freie Plätze: 2) hat denselben Ordnungswert, kommt in der Reihenfolge aber früher."
    )


@pytest.mark.parametrize("words", [DE, EN])
def test_sentences_about_a_number_read_well_for_one(words: Words) -> None:
    gathered = pool([answer("a", {"a1": 0.5, "a2": 0.4})], [chunk("a1", "a", "§ 1"), chunk("a2", "a", "§ 2")])
    found, telling = told(gathered, "a2", words, max_final_results=1, max_corpora_per_query=1, fetch_k=1)
    said = " ".join([telling.answer(found), *(telling.reason(station) for station in found.stations)])
    assert not re.search(r"\b1 (freie |free |best |besten |hits|Treffer[n ]|werden|wurden|are|were)", said)


def test_a_corpus_below_the_floor_says_by_how_much() -> None:
    # The rank scores are halves of the scores: only one route gives them.
    assert sentence(two_corpora(), "b1", max_final_results=4) == (
        "B · § 1 steht nicht in der Liste: Es wäre Platz 6, die Liste endet mit Platz 4; "
        "zum letzten aufgenommenen Treffer fehlen 0,200 im Ordnungswert. "
        "Auch die Quote hilft nicht: Das Regelwerk liegt 0,015 unter der Schwelle."
    )
    assert reason(two_corpora(), "b1", "floor", max_final_results=4) == (
        "Bester Ordnungswert des Regelwerks: 0,100. Das sind 0,015 unter der Schwelle 0,115; das Regelwerk nimmt an der Quote nicht teil."
    )


def test_a_margin_that_rounds_to_nothing_is_less_than_little() -> None:
    gathered = pool([answer("a", {"a1": 0.5, "a2": 0.4999})], [chunk("a1", "a", "§ 1"), chunk("a2", "a", "§ 2")])
    assert sentence(gathered, "a2", max_final_results=1).endswith(
        "zum letzten aufgenommenen Treffer fehlen weniger als 0,001 im Ordnungswert."
    )


def test_a_tie_says_that_the_order_decided() -> None:
    gathered = pool([answer("a", {"a1": 0.5, "a2": 0.5})], [chunk("a1", "a", "§ 1"), chunk("a2", "a", "§ 2")])
    assert sentence(gathered, "a2", max_final_results=1).endswith(
        "der letzte aufgenommene Treffer hat denselben Ordnungswert, kommt in der Reihenfolge aber früher."
    )


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (AnchorClaim(Target("a", "§ 2"), author="Redaktion", date="2033-05-02", anchor_id="x"), "Anker „x“ (Redaktion, 02.05.2033)"),
        (AnchorClaim(Target("a", "§ 2"), date="im Mai", trigger="Wort"), "Anker „Wort“ (im Mai)"),
        (AnchorClaim(Target("a", "§ 2")), "Anker „–“"),
    ],
)
def test_an_anchor_is_named_with_its_author_and_its_date(claim: AnchorClaim, expected: str) -> None:
    chunks = [chunk("a1", "a", "§ 1"), chunk("a2", "a", "§ 2")]
    units = Units("found", (ReadyHit("a2", 1.0, (), 1.0),))
    gathered = pool([answer("a", {"a1": 0.5})], chunks, claims=[(claim, units)])
    assert sentence(gathered, "a2") == (
        f"A · § 2 steht auf Platz 1, weil ein Anker diese Norm für diese Art von Frage verlangt: {expected}."
    )
    void = pool([answer("a", {"a1": 0.5})], chunks, claims=[(claim, Units("failed", error_class="RuntimeError"))])
    assert reason(void, "a2", "anchor") == f"{expected}. Abruf ausgefallen."


def test_a_reference_is_told_with_the_hit_that_names_the_norm() -> None:
    citing = chunk("a1", "a", "§ 1", text="Näheres regelt § 2 dazu. Es gilt § 3.")
    references = {
        "a1": [Reference(15, 18, "§ 2", "resolved", Address("a", "", "§ 2")), Reference(33, 36, "§ 3", "resolved", Address("a", "", "§ 3"))]
    }
    units = {Target("a", f"§ {number}", ""): _found(f"a{number}") for number in (2, 3)}
    chunks = [citing, chunk("a2", "a", "§ 2"), chunk("a3", "a", "§ 3")]
    gathered = pool([answer("a", {"a1": 0.9})], chunks, references=references, units=units)
    assert sentence(gathered, "a2") == "A · § 2 steht auf Platz 1, weil ein Treffer darauf verweist: A · § 1 („§ 2“)."
    beyond, telling = told(gathered, "a3", max_verweis_normen=1)
    assert telling.reason(beyond.station("verweis")) == (
        "A · § 1 nennt die Norm. In der Reihe der verfolgten wäre sie Nummer 2; die Höchstzahl ist 1."
    )
    quote = beyond.station("verweis").quote
    assert quote is not None
    assert (quote.sentence, quote.sentence[quote.start : quote.end]) == ("Es gilt § 3.", "§ 3")


def _found(chunk_id: str) -> Units:
    return Units("found", (ReadyHit(chunk_id, 1.0, (), 1.0),))


def test_a_norm_out_of_stock_is_said_to_be_so_in_both_languages() -> None:
    gathered = two_corpora()
    trace = decide(gathered, Settings())
    found = life(trace, gathered, Address("c", "", "§ 7"), OTHER)
    assert Telling(trace, DE, norm).answer(found) == "c · § 7 steht nicht in der Liste: Das Regelwerk ist nicht im Bestand."
    assert Telling(trace, EN, norm).answer(found) == "c · § 7 is not in the list: the corpus is not in stock."


@given(pools(), any_settings(), st.sampled_from([DE, EN]), st.data())
def test_every_station_of_any_run_has_a_sentence(gathered: Pool, used: Settings, words: Words, data: st.DataObject) -> None:
    trace = decide(gathered, used, without=data.draw(st.sets(st.sampled_from(["anchors", "references", "quota", "named_first"]))))
    if not gathered.chunks:
        return
    chunk_id = data.draw(st.sampled_from(sorted(gathered.chunks)))
    found = life(trace, gathered, (chunk_id,), OTHER)
    telling = Telling(trace, words, norm)
    said = [
        telling.answer(found),
        *(text for one in found.stations for text in (telling.title(one), telling.state(one), telling.reason(one))),
    ]
    assert [text for text in said if not text.strip() or "{" in text or "None" in text] == []


# --- what would change it -------------------------------------------------------------------------------------------------


def changes(ways: tuple[Way, ...], words: Words = DE, **more: Any) -> Changes:
    trace = decide(two_corpora(), Settings.of(max_final_results=4))
    return Changes(Answer(("b1",), True, 0, ways, **more), Telling(trace, words, norm))


def test_a_way_names_the_value_the_threshold_and_what_the_list_becomes() -> None:
    way = Way({"min_ratio": 0.22}, {"min_ratio": 2 / 9}, 0.03, 4, "b1", ("b1",), ("a4",))
    assert changes((way,)).way(way) == (
        "„Mindestverhältnis zum besten Treffer (min_ratio)“ auf 0,22 (jetzt 0,25; die Grenze liegt bei 0,2222222). "
        "Dann steht die Norm auf Platz 4. Nicht mehr in der Liste: A · § 4."
    )
    pair = Way({"fusion": "rrf", "fetch_k": 80}, {}, 0.3, 0, regathers=True)
    assert changes((pair,), EN).way(pair) == (
        "“Fusion” to rank fusion (RRF) (now weighted sum) and “Candidates per corpus and route (fetch_k)” to 80 (now 60). "
        "Then the norm is not in the list any more. The corpora are asked again for it."
    )


@pytest.mark.parametrize("proof", ["", "never_candidate", "corpus_not_asked", "not_in_stock", "repealed", "always_behind", "always_first"])
def test_where_there_is_no_way_a_sentence_says_why(proof: Any) -> None:
    for words in (DE, EN):
        said = changes((), words, proof=proof, behind=("a1", "a2")).verdict()
        assert said.endswith(".")
        assert "{" not in said
    assert ("A · § 1; A · § 2" in changes((), proof=proof, behind=("a1", "a2")).verdict()) == (proof == "always_behind")


def test_every_way_that_is_told_does_what_its_sentence_says() -> None:
    gathered, used = two_corpora(), Settings.of(max_final_results=4)
    found = counterfactual(gathered, used, [gathered.chunks["b1"]])
    assert found.ways
    telling = Changes(found, Telling(decide(gathered, used), DE, norm))
    for way in found.ways:
        after: Trace = decide(gathered, used.changed(way.values))
        place = 1 + [entry.chunk_id for entry in after.final].index("b1")
        assert f"Dann steht die Norm auf Platz {place}." in telling.way(way)


def test_a_chunk_that_the_run_does_not_hold_is_named_by_the_stock_or_else_by_its_id() -> None:
    telling = Telling(decide(two_corpora(), Settings()), DE, norm)
    assert telling.chunk("nobody") == "nobody"
    stocked = Telling(telling.trace, DE, norm, OTHER.registry.federation)
    assert [stocked.chunk(one) for one in ("nobody", "gesetz|§ 3|1")] == ["nobody", "gesetz · § 3 Abs. 1"]
    assert telling.name(Chunk("x", "a", section_id="§ 9")) == "A · § 9"
    assert telling.trace.specs["a"] == CorpusSpec("a", "A")

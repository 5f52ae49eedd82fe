"""The life of a norm over the sample corpora: each station against the trace, counted by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decide import decide
from retrieval.errors import UnknownCorpus
from retrieval.federated import FederatedRetriever
from retrieval.inspector.life import STATIONS, Life, life
from retrieval.inspector.standing import Standings
from retrieval.model import Address, AnchorClaim, Target, Units
from retrieval.ranking import Entry
from retrieval.settings import Settings
from retrieval.trace import Fault, Pool, Trace
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import QUESTION
from tests.dashboard.demo import federation as in_memory
from tests.strategies import pools
from tests.strategies import settings as any_settings
from tests.test_federated import Registry, Retriever, hit

SAMPLES = Path(__file__).parents[2] / "sample_corpora"
TEXTS = {one["id"]: one["text"] for one in tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]}


OTHER = in_memory()
"""A federation whose corpora are not those of the pool: nothing can be asked about it."""


class Told:
    """A run over the samples, and the life of one norm in it."""

    def __init__(self, federation: FederatedRetriever, question: str, norm: Address | tuple[str, ...], **settings: Any) -> None:
        used = Settings.of(settings)
        self.pool = federation.gather(question, used)
        self.trace = decide(self.pool, used)
        self.life = life(self.trace, self.pool, norm, federation)

    def entry(self) -> Entry:
        return next(one for one in self.trace.completed.living if one.chunk_id == self.life.chunk_ids[0])

    def states(self) -> dict[str, str]:
        return {one.name: one.state for one in self.life.stations}


def of(corpus: str, section: str, subsection: str = "", container: str = "") -> Address:
    return Address(corpus, container, section, subsection)


def everyone(trace: Trace) -> set[str]:
    return {entry.chunk_id for ranking in (trace.fused, trace.anchored, trace.completed) for entry in ranking.entries}


# --- in the list --------------------------------------------------------------------------------------------------------


def test_a_hit_of_the_search_tells_its_ranks_its_sum_and_its_place(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["krankengeld"], of("hvg_a", "§ 40"))
    entry, found = told.entry(), told.life
    assert (found.how, found.decisive) == ("search", "fill")
    assert found.place == 1 + [one.chunk_id for one in told.trace.final].index(entry.chunk_id)
    for name, route in zip(("vector", "lexical"), told.pool.answers["hvg_a"].routes, strict=True):
        ids = [one.chunk_id for one in route.hits]
        station = found.station(name)
        assert (station.state, station.place) == ("passed", 1 + ids.index(entry.chunk_id))
        assert station.value == route.hits[station.place - 1].score
        assert station.words == route.hits[station.place - 1].words
    assert found.station("fusion").parts == entry.parts
    assert found.station("fusion").value == pytest.approx(sum(part.amount for part in entry.parts))
    assert {found.station(name).state for name in ("lookup", "anchor", "verweis")} == {"not_applicable"}
    assert found.station("merging").reason == "alone"


def test_a_place_by_the_quota_names_its_round_and_the_place_without_it(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["saft-nicht-lieferbar"], of("abrechnungsvereinbarung", "Ziffer 4.11"))
    before = 1 + [one.chunk_id for one in told.trace.completed.living].index(told.life.chunk_ids[0])
    assert (told.life.how, told.life.decisive, told.life.place) == ("quota", "quota", 10)
    assert before > 10
    assert (told.life.station("quota").state, told.life.station("quota").place) == ("passed", 1)
    assert told.life.station("final").before == before
    floor = told.life.station("floor")
    best = max(one.rank for one in told.trace.completed.living if one.corpus_id == "abrechnungsvereinbarung")
    limit = 0.25 * max(one.rank for one in told.trace.completed.living)
    assert (floor.state, floor.value, floor.threshold, floor.margin) == ("passed", best, limit, best - limit)


def test_an_anchor_tells_its_claim_and_the_merging_what_it_was_united_with(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["sonderkennzeichen"], of("abrechnungsvereinbarung", "Ziffer 4.10"))
    assert (told.life.how, told.life.decisive, told.life.place) == ("anchor", "anchor", 1)
    claim = told.life.station("anchor").claim
    assert claim is not None
    assert (claim.anchor_id, claim.author, claim.date) == ("abweichende-abgabe-kennzeichnen", "Fachredaktion Abrechnung", "2033-05-02")
    assert told.life.station("required").words == ("abweichende-abgabe-kennzeichnen",)
    assert told.life.station("selected").place == 1
    merging = told.life.station("merging")
    assert (merging.reason, merging.value, merging.words[0]) == ("united", 1.0, "norm_anchor")
    assert "routes" in merging.words


def test_a_reference_tells_the_sentence_of_the_hit_and_where_its_words_stand(federation: FederatedRetriever) -> None:
    question = TEXTS["rangfolge-vertrag"]
    used = Settings()
    trace = decide(federation.gather(question, used), used)
    verweis = next(one for one in trace.verweise if one.fate == "fetched" and any(e.chunk_id in one.chunk_ids for e in trace.final))
    told = Told(federation, question, verweis.chunk_ids)
    station = told.life.station("verweis")
    quote = station.quote
    assert quote is not None
    assert (told.life.how, told.life.decisive, station.state, station.value) == ("verweis", "verweis", "passed", 0.5)
    assert (quote.by, quote.place) == (verweis.by, verweis.place)
    assert quote.sentence[quote.start : quote.end] == quote.words == " ".join(verweis.words.split())
    assert quote.sentence in " ".join(told.trace.chunks[verweis.by].text.split())


def test_a_norm_of_a_named_corpus_tells_from_where_it_was_moved(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["richtlinie-darreichungsformen"], of("verordnungsrichtlinie", "§ 14"))
    named = told.life.station("named")
    assert (told.life.how, told.life.decisive, told.life.place) == ("named", "named", 1)
    assert (named.place, named.value) == (told.trace.named.from_place, told.trace.named.lifted_from)
    assert (told.life.station("routed").state, told.life.station("routed").reason) == ("passed", "named")
    pushed = Told(federation, TEXTS["richtlinie-darreichungsformen"], of("abgabevertrag", "§ 9", "", "Vertrag")).life
    assert pushed.station("named").reason == "pushed"
    assert pushed.station("named").other == told.life.chunk_ids[0]
    assert pushed.place == pushed.station("named").place + 1


def test_a_norm_that_the_question_names_is_looked_up_even_when_it_is_repealed(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["aufgehobene-norm"], of("hvg_a", "§ 52"))
    assert (told.life.how, told.life.decisive) == ("lookup", "lookup")
    assert told.life.station("stock").reason == "repealed"
    assert told.life.station("vector").reason == told.life.station("lexical").reason == "repealed"
    assert told.life.station("lookup").value == 1.0


# --- not in the list ------------------------------------------------------------------------------------------------------


def test_a_hit_cut_below_the_limit_tells_what_it_lacks_to_the_last_one(federation: FederatedRetriever) -> None:
    question = TEXTS["krankengeld"]
    used = Settings.of(min_hits_per_corpus=0)
    trace = decide(federation.gather(question, used), used)
    first_out = trace.completed.living[10]
    told = Told(federation, question, (first_out.chunk_id,), min_hits_per_corpus=0)
    fill = told.life.station("fill")
    assert (told.life.place, told.life.decisive, told.life.how) == (0, "fill", "")
    assert (fill.place, fill.bound) == (11, 10)
    assert fill.value == first_out.rank
    assert fill.threshold == trace.final[-1].rank
    assert fill.margin == first_out.rank - trace.final[-1].rank < 0
    assert told.life.station("floor").reason == told.life.station("quota").reason == "switched_off"
    assert (told.life.station("final").state, told.life.station("final").place) == ("stopped", 11)


def test_a_corpus_below_the_floor_tells_by_how_much(federation: FederatedRetriever) -> None:
    question = TEXTS["teststreifen"]
    used = Settings()
    trace = decide(federation.gather(question, used), used)
    best = next(one for one in trace.completed.living if one.corpus_id == "abgabevertrag")
    told = Told(federation, question, (best.chunk_id,))
    floor = told.life.station("floor")
    needed = 0.25 * trace.completed.living[0].rank
    assert (floor.state, floor.reason, floor.value, floor.threshold) == ("stopped", "below_floor", best.rank, needed)
    assert floor.margin == best.rank - needed < 0
    assert (told.life.station("quota").state, told.life.station("quota").reason) == ("stopped", "below_floor")
    assert told.life.decisive == "fill"


def test_a_norm_that_was_never_a_candidate_tells_its_true_rank(federation: FederatedRetriever) -> None:
    question = TEXTS["krankengeld"]
    used = Settings.of(fetch_k=5)
    gathered = federation.gather(question, used)
    trace = decide(gathered, used)
    ids = federation.registry.state.stocks["hvg_a"].ids
    outside = [one for one in ids if one not in everyone(trace) and not federation.registry.federation.chunk(one).repealed][:25]
    wide = federation.gather(question, Settings.of(fetch_k=500)).answers["hvg_a"].routes
    for chunk_id in outside:
        found = life(trace, gathered, (chunk_id,), federation)
        vector, lexical = found.station("vector"), found.station("lexical")
        last = gathered.answers["hvg_a"].routes[0].hits[-1].score
        assert (found.decisive, found.place, vector.reason, vector.bound) == ("vector", 0, "beyond_fetch", 5)
        assert vector.place == 1 + [one.chunk_id for one in wide[0].hits].index(chunk_id) > 5
        assert vector.threshold == last
        assert vector.margin is not None
        assert vector.margin == (vector.value or 0) - (last or 0) < 0
        words = [one.chunk_id for one in wide[1].hits]
        assert lexical.reason == ("beyond_fetch" if chunk_id in words else "no_match")
        assert lexical.place == (1 + words.index(chunk_id) if chunk_id in words else 0)
        assert {found.station(name).state for name in STATIONS[10:]} == {"not_reached"}
    assert len(outside) == 25


def test_a_corpus_cut_by_the_cap_tells_its_place_and_what_the_norm_would_have_been(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["teilmenge-bei-lieferausfall"], of("abgabestellenverordnung", "§ 11", "1"))
    selected = told.life.station("selected")
    assert (told.life.decisive, selected.reason, selected.place, selected.bound) == ("selected", "cut_by_cap", 5, 4)
    standing = Standings(told.trace.question, federation).of("abgabestellenverordnung", told.life.chunk_ids)[told.life.chunk_ids[0]]
    vector = told.life.station("vector")
    assert (vector.state, vector.reason, vector.place) == ("not_reached", "corpus_not_asked", standing.vector.rank)
    assert vector.value == standing.vector.score


def test_a_corpus_that_was_not_routed_tells_to_which_the_question_leads(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["definition-dauerleiden"], of("hvg_a", "§ 3", "5"))
    routed = told.life.station("routed")
    assert (routed.state, routed.words) == ("stopped", ("verordnungsrichtlinie",))
    assert (told.life.decisive, told.life.station("selected").reason) == ("selected", "not_routed")


def test_a_repealed_norm_tells_that_it_is_not_searched(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["krankengeld"], of("hvg_a", "§ 52"))
    assert told.life.decisive == "vector"
    assert told.life.station("vector").reason == "repealed"
    assert told.life.place == 0


def test_what_is_not_in_stock_ends_at_the_first_station(federation: FederatedRetriever) -> None:
    for norm, reason in ((of("bgb", "§ 1"), "not_in_stock"), (of("hvg_a", "§ 9999"), "no_such_norm")):
        found = Told(federation, TEXTS["krankengeld"], norm).life
        assert (found.decisive, found.stations[0].reason, found.best, found.chunk_ids) == ("stock", reason, None, ())
        assert {one.state for one in found.stations[1:]} == {"not_reached"}


def test_a_reference_beyond_the_cap_tells_its_number(federation: FederatedRetriever) -> None:
    question = TEXTS["rangfolge-vertrag"]
    used = Settings()
    trace = decide(federation.gather(question, used), used)
    beyond = [one for one in trace.verweise if one.fate == "beyond_cap"]
    chosen = next(
        one
        for one in beyond
        if one.target is not None and not any(other.target == one.target and other.fate == "fetched" for other in trace.verweise)
    )
    told = Told(federation, question, chosen.target or Address(""))
    station = told.life.station("verweis")
    assert (station.state, station.reason, station.place, station.bound) == ("stopped", "beyond_cap", 4 + beyond.index(chosen), 3)


# --- several chunks, other retrievers, faults -------------------------------------------------------------------------------


def test_the_life_is_told_for_the_chunk_that_came_furthest_and_the_others_are_named(federation: FederatedRetriever) -> None:
    told = Told(federation, TEXTS["krankengeld"], of("hvg_a", "§ 40"))
    ids = federation.registry.federation.book.find(Target("hvg_a", "§ 40"))
    assert len(ids) > 1
    assert sorted(told.life.chunk_ids) == sorted(ids)
    places = {one.chunk_id: place for place, one in enumerate(told.trace.final, start=1)}
    assert told.life.place == min(places[one] for one in ids if one in places)
    assert {piece.chunk_id: piece.place for piece in told.life.others} == {one: places.get(one, 0) for one in told.life.chunk_ids[1:]}
    assert all(piece.vector for piece in told.life.others)


def test_a_foreign_retriever_tells_its_own_rank_and_has_no_routes() -> None:
    registry: Any = Registry(a=Retriever([hit("x", 0.5, "a", "§ 1"), hit("y", 0.4, "a", "§ 2")]))
    federation = FederatedRetriever(registry)
    told = Told(federation, "Frage", of("a", "§ 2"))
    assert (told.life.how, told.life.decisive, told.life.place) == ("own_rank", "fusion", 2)
    assert {told.life.station("vector").reason, told.life.station("lexical").reason, told.life.station("lookup").reason} == {"foreign"}
    assert (told.life.station("fusion").value, told.life.station("fusion").place) == (0.4, 2)
    assert Told(federation, "Frage", of("a", "§ 3")).life.stations[0].reason == "no_such_norm"


def test_a_corpus_in_memory_without_standings_says_that_no_rank_is_known() -> None:
    federation = in_memory()
    found = Told(federation, QUESTION, of("vertrag", "§ 11", "", "Vertrag"), fetch_k=1).life
    assert (found.station("vector").reason, found.station("vector").place) == ("not_found", 0)


def test_a_corpus_that_failed_is_a_fault_and_no_rule() -> None:
    federation = in_memory(fails={"vertrag": "corpus"})
    found = Told(federation, QUESTION, of("vertrag", "§ 11", "", "Vertrag")).life
    assert (found.decisive, found.station("selected").state, found.station("vector").state) == ("selected", "failed", "failed")
    assert "RuntimeError" in found.station("selected").error
    words = Told(in_memory(("gesetz",), {"gesetz": "lexical"}), QUESTION, of("gesetz", "§ 1", "1")).life.station("lexical")
    assert (words.state, words.reason) == ("failed", "route_failed")


def test_a_stage_that_was_left_out_is_named() -> None:
    claims = [(AnchorClaim(Target("a", "§ 1"), anchor_id="x"), Units("found", ()))]
    gathered = pool([answer("a", {"a1": 0.5})], [chunk("a1", "a", "§ 1")], claims=claims)
    trace = decide(gathered, Settings(), without=("anchors", "references", "quota", "named_first"))
    found = life(trace, gathered, ("a1",), OTHER)
    reasons = {name: found.station(name).reason for name in ("anchor", "verweis", "floor", "quota", "named")}
    assert set(reasons.values()) == {"left_out"}


def test_a_route_with_the_weight_zero_and_a_merged_chunk_say_so() -> None:
    gathered = pool([answer("a", {"a1": 0.5}, {"a2": 0.4})], [chunk("a1", "a", "§ 1"), chunk("a2", "a", "§ 2")])
    trace = decide(gathered, Settings.of(weight_lexical=0))
    assert life(trace, gathered, ("a2",), OTHER).decisive == "fusion"
    twin = msgspec.structs.replace(gathered, identities={"a1": "same", "a2": "same"})
    found = life(decide(twin, Settings()), twin, ("a2",), OTHER)
    assert (found.decisive, found.station("merging").other, found.station("final").reason) == ("merging", "a1", "merged_into")


def test_parts_of_the_run_that_failed_are_faults() -> None:
    gathered = pool([answer("a", {"a1": 0.5})], [chunk("a1", "a", "§ 1")])
    broken = msgspec.structs.replace(gathered, faults=tuple(Fault(part, "RuntimeError") for part in ("router", "anchors", "verweise")))
    found = life(decide(broken, Settings()), broken, ("a1",), OTHER)
    assert {name: found.station(name).state for name in ("routed", "required", "anchor", "verweis")} == dict.fromkeys(
        ("routed", "required", "anchor", "verweis"), "failed"
    )


def test_an_equal_rank_score_behind_the_end_is_called_a_tie() -> None:
    gathered = pool([answer("a", {"a1": 0.5, "a2": 0.5})], [chunk("a1", "a", "§ 1"), chunk("a2", "a", "§ 2")])
    fill = life(decide(gathered, Settings(), limit=1), gathered, ("a2",), OTHER).station("fill")
    assert (fill.reason, fill.margin, fill.place, fill.bound) == ("tied", 0, 2, 1)


def test_a_chunk_that_nobody_knows_is_refused() -> None:
    gathered = pool([answer("a", {"a1": 0.5})], [chunk("a1", "a", "§ 1")])
    with pytest.raises(UnknownCorpus):
        life(decide(gathered, Settings()), gathered, ("nobody",), OTHER)


def test_a_life_survives_json(federation: FederatedRetriever) -> None:
    found = Told(federation, TEXTS["sonderkennzeichen"], of("abrechnungsvereinbarung", "Ziffer 4.10")).life
    assert msgspec.json.decode(msgspec.json.encode(found), type=Life) == found


@given(pools(), any_settings(), st.data())
def test_every_candidate_of_any_run_has_a_whole_life_that_agrees_with_the_trace(
    gathered: Pool, used: Settings, data: st.DataObject
) -> None:
    trace = decide(gathered, used)
    if not everyone(trace):
        return
    chunk_id = data.draw(st.sampled_from(sorted(everyone(trace))))
    found = life(trace, gathered, (chunk_id,), OTHER)
    final = [one.chunk_id for one in trace.final]
    assert tuple(one.name for one in found.stations) == STATIONS
    assert found.place == (final.index(chunk_id) + 1 if chunk_id in final else 0)
    assert bool(found.how) == bool(found.place)
    assert (found.station("final").state == "passed") == bool(found.place)
    decisive = found.station(found.decisive)
    assert decisive.state == ("passed" if found.place and found.how != "search" else decisive.state)
    assert found.place or decisive.state in ("stopped", "failed")

"""The exchange: what leaves and comes between two values of one setting, by which way, and where it happens."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from retrieval.decide import decide
from retrieval.evaluation.exchange import WAYS, Exchange, balance, exchange, scorer, steps, turns, way
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.sets import load
from retrieval.federated import FederatedRetriever
from retrieval.inspector.breakpoints import track
from retrieval.inspector.grids import lists
from retrieval.model import Chunk
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from tests.builders import answer, chunk, pool
from tests.evaluation.lists import simple
from tests.strategies import pools
from tests.strategies import settings as any_settings

SAMPLES = Path(__file__).parents[2] / "sample_corpora"
LOW, HIGH = Settings(), Settings.of(verweis_score=0.97)


@pytest.fixture(scope="module")
def asked(federation: FederatedRetriever) -> CheckedSet:
    return Golds(federation.registry.federation).check(load(SAMPLES / "questions.toml").questions)


@pytest.fixture(scope="module")
def gathered(federation: FederatedRetriever, asked: CheckedSet) -> dict[str, Pool]:
    return {one.id: federation.gather(one.text, LOW) for one in asked.settled.questions}


@pytest.fixture(scope="module")
def found(asked: CheckedSet, gathered: dict[str, Pool]) -> dict[str, Exchange]:
    runs = {name: (decide(one, LOW), decide(one, HIGH)) for name, one in gathered.items()}
    return {one.id: exchange(one, *runs[one.id]) for one in asked.settled.questions}


def run_of(listed: str, length: int = 2) -> Trace:
    sections = listed.split()
    stock = [chunk(f"gesetz/{name}", "gesetz", name) for name in sections]
    scores = {f"gesetz/{name}": 0.9 - place / 100 for place, name in enumerate(sections)}
    return decide(pool([answer("gesetz", scores)], stock), Settings.of(max_final_results=length))


def test_what_leaves_and_comes_has_its_place_its_way_and_its_needs() -> None:
    made = exchange(simple("b c"), run_of("a b"), run_of("c a"))
    assert [(hit.norm.section_id, hit.place, hit.way, hit.needs) for hit in made.leaves] == [("b", 2, "search", (0,))]
    assert [(hit.norm.section_id, hit.place, hit.way, hit.needs) for hit in made.comes] == [("c", 1, "search", (1,))]
    assert (made.lost, made.gained) == ((0,), (1,))


def test_equal_lists_exchange_nothing() -> None:
    made = exchange(simple("a"), run_of("a b"), run_of("b a"))
    assert made.nothing
    assert (made.lost, made.gained) == ((), ())


@given(pools(), any_settings(), any_settings())
def test_the_ways_add_up_to_what_left_and_came(gathered_pool: Pool, first: Settings, second: Settings) -> None:
    runs = [decide(gathered_pool, one) for one in (first, second)]
    made = exchange(simple("§ 1"), *runs)
    ids = [{entry.chunk_id for entry in run.final} for run in runs]
    assert {hit.chunk_id for hit in made.leaves} == ids[0] - ids[1]
    assert {hit.chunk_id for hit in made.comes} == ids[1] - ids[0]
    assert len(ids[0]) - len(made.leaves) + len(made.comes) == len(ids[1])
    counted = balance([made])
    assert [one.way for one in counted] == list(WAYS)
    assert sum(one.leaves for one in counted) == len(made.leaves)
    assert sum(one.comes for one in counted) == len(made.comes)
    assert all(way(entry.chunk_id, run) in WAYS for run in runs for entry in run.final)


def test_on_the_samples_a_high_score_of_references_costs_three_links(found: dict[str, Exchange]) -> None:
    assert {name for name, one in found.items() if one.lost} == {"sonderkennzeichen", "abweichende-abgabe", "saft-nicht-lieferbar"}
    assert not any(one.gained for one in found.values())
    for name in ("abweichende-abgabe", "saft-nicht-lieferbar"):
        (gone,) = found[name].leaves
        assert (gone.norm.corpus_id, gone.way) == ("abrechnungsvereinbarung", "quota")
        assert "abrechnungsvereinbarung" in found[name].quota_lost
        assert all(hit.after < hit.before for hit in found[name].shifted)
        assert found[name].shifted


def test_on_the_samples_fetched_norms_take_the_places_of_the_hits_that_leave(found: dict[str, Exchange]) -> None:
    made = found["sonderkennzeichen"]
    assert [hit.norm.section_id for hit in made.leaves] == ["§ 49", "§ 41a", "§ 12"]
    assert {hit.way for hit in made.comes} == {"verweis"}
    assert len(made.comes) == 3
    assert made.quota_lost == ()


def test_on_the_samples_the_loss_happens_at_exact_values(
    asked: CheckedSet, gathered: dict[str, Pool], federation: FederatedRetriever
) -> None:
    score = scorer(asked.settled.questions, "chain_coverage", 10, federation.registry.federation.chunk)
    tracks = {name: track(one, LOW, "verweis_score") for name, one in gathered.items()}
    stairs, found = turns(tracks, score, 0.5, 0.97)
    assert stairs.count == 17
    # Missing of 17 chains: a quarter of three, a half of one, a third of two; at 0.97 a half of one and a quarter of two more.
    missing = 3 / 4 + 1 / 2 + 2 / 3
    assert (stairs.value_at(0.5), stairs.value_at(0.97)) == pytest.approx((1 - missing / 17, 1 - (missing + 1) / 17))
    assert {one.question_id for one in found} == {"sonderkennzeichen", "abweichende-abgabe", "saft-nicht-lieferbar"}
    for one in found:
        (point,) = one.at
        for value, figure in ((point - 1e-6, one.before), (point + 1e-6, one.after)):
            run = decide(gathered[one.question_id], Settings.of(verweis_score=value))
            assert score(one.question_id, tuple(entry.chunk_id for entry in run.final)) == figure
    back = {one.question_id: one for one in turns(tracks, score, 0.97, 0.5)[1]}
    assert {name: one.at for name, one in back.items()} == {one.question_id: one.at for one in found}
    assert all((back[one.question_id].before, back[one.question_id].after) == (one.after, one.before) for one in found)


def test_whole_numbers_are_walked_one_by_one() -> None:
    stock = [chunk(f"gesetz/{name}", "gesetz", name) for name in "abc"]
    made = pool([answer("gesetz", {"gesetz/a": 0.9, "gesetz/b": 0.8, "gesetz/c": 0.7})], stock)
    values = [1, 2, 3]
    held = {"f1": lists(made, [Settings.of(max_final_results=value) for value in values])}
    by_id: dict[str, Chunk] = {one.chunk_id: one for one in stock}
    score = scorer([simple("c")], "recall", 3, by_id.__getitem__)
    (turn,) = steps(held, values, score)
    assert (turn.before, turn.after, turn.at, turn.exact) == (0.0, 1.0, (3.0,), False)
    assert steps({"f1": held["f1"][:2]}, values[:2], score) == ()


def test_an_exchange_survives_json(found: dict[str, Exchange]) -> None:
    made = tuple(found.values())
    assert msgspec.json.decode(msgspec.json.encode(made), type=tuple[Exchange, ...]) == made

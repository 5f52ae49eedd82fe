"""Lists under many settings at once: those of ``decide``, each of them, ties and odd settings included."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from retrieval.decide import STAGES, decide
from retrieval.errors import BadSetting, NotGathered
from retrieval.inspector.grids import Grid, Table, lists
from retrieval.inspector.kernel import rounded
from retrieval.model import CorpusAnswer, ReadyHit, Target, Units
from retrieval.settings import Settings
from retrieval.stages.fusion import ROUTES, FusionKnobs
from retrieval.trace import Pool, target_key
from tests import strategies
from tests.builders import answer, chunk, pool
from tests.inspector.generated import ROUND, generated, reranked

Ids = tuple[str, ...]


def one_by_one(pool: Pool, wanted: Sequence[Settings], without: Sequence[str] = ()) -> list[Ids | None]:
    found: list[Ids | None] = []
    for one in wanted:
        try:
            found.append(tuple(entry.chunk_id for entry in decide(pool, one, without=without).final))
        except BadSetting:
            found.append(None)
    return found


def some_settings(rng: random.Random, base: Settings, count: int) -> list[Settings]:
    """Settings around ``base``: all that move together, round values often, and now and then another length, quota or cap."""

    def value() -> float:
        return rng.choice(ROUND) if rng.random() < 0.4 else rng.random()

    found = []
    for _ in range(count):
        weights = {f"weight_{route}": value() for route in ROUTES}
        fusion = replace(base.fusion, **weights, rrf_k=rng.choice((1.0, 60.0, 1 + 199 * rng.random())))
        references = replace(base.references, verweis_score=value())
        quota = replace(base.quota, min_ratio=value())
        if rng.random() < 0.2:
            quota = replace(quota, max_final_results=rng.randint(1, 12), min_hits_per_corpus=rng.randint(0, 4))
            references = replace(references, max_verweis_normen=rng.randint(0, 4))
        found.append(replace(base, fusion=fusion, references=references, quota=quota))
    return found


def with_twins(pool: Pool, rng: random.Random) -> Pool:
    """The pool with some chunks of a norm that have the same text as another one of it, or of the corpus where norms have one chunk."""
    norms = [(one.corpus_id, one.section_id) for one in pool.chunks.values()]
    alike = (lambda one: one.corpus_id) if len(norms) == len(set(norms)) else (lambda one: (one.corpus_id, one.section_id))
    identities = dict(pool.identities)
    for one in identities:
        other = rng.choice(list(identities))
        if rng.random() < 0.3 and alike(pool.chunks[one]) == alike(pool.chunks[other]):
            identities[one] = identities[other]
    return replace(pool, identities=identities)


@pytest.mark.parametrize("seed", range(60))
def test_every_list_is_the_one_that_a_decision_gives(seed: int) -> None:
    rng = random.Random(seed)
    made, base = generated(seed, rng.choice((4, 14, 40)))
    if seed % 2:
        made = with_twins(made, rng)
    without = tuple(stage for stage in STAGES if rng.random() < 0.1)
    wanted = some_settings(rng, base, 50)
    assert lists(made, wanted, without) == one_by_one(made, wanted, without)


@pytest.mark.parametrize("seed", range(90))
def test_with_a_reranker_every_list_is_the_one_that_a_decision_gives(seed: int) -> None:
    rng = random.Random(seed)
    made, base = reranked(seed, rng.choice((4, 14, 40)))
    if seed % 2:
        made = with_twins(made, rng)
    if seed % 9 == 8:
        made = generated(seed, 14)[0]  # switched on, and it gave nothing
    wanted = some_settings(rng, base, 50)
    assert lists(made, wanted) == one_by_one(made, wanted)


def with_a_stranger(pool: Pool, rng: random.Random) -> Pool:
    """The pool with a foreign corpus that hands over chunks which others have found too."""
    copied = rng.sample(sorted(pool.chunks), min(5, len(pool.chunks)))
    chunks = {f"fremd#{number}": chunk(f"fremd#{number}", "fremd") for number in range(len(copied))}
    identities = {name: pool.identities[one] for name, one in zip(chunks, copied, strict=True)}
    ready = tuple(ReadyHit(name, rng.random()) for name in chunks)
    return replace(
        pool,
        available=(*pool.available, "fremd"),
        answers={**pool.answers, "fremd": CorpusAnswer("fremd", "ok", ready=ready, foreign=True)},
        chunks={**pool.chunks, **chunks},
        identities={**pool.identities, **identities},
    )


@pytest.mark.parametrize("seed", range(100))
def test_a_chunk_that_a_foreign_corpus_hands_over_too_counts_where_it_ranks_higher(seed: int) -> None:
    rng = random.Random(seed)
    made, base = generated(seed, 20)
    made, base = with_a_stranger(made, rng), replace(base, selection=replace(base.selection, max_corpora_per_query=50))
    wanted = some_settings(rng, base, 12)
    assert lists(made, wanted) == one_by_one(made, wanted)


@pytest.mark.parametrize("seed", range(30))
def test_what_a_pool_hides_already_stays_hidden(seed: int) -> None:
    rng = random.Random(seed)
    made, base = generated(seed, 20)
    made = replace(made, hidden=frozenset(rng.sample(sorted(made.chunks), len(made.chunks) // 3)))
    wanted = some_settings(rng, replace(base, fusion=replace(base.fusion, fusion=("weighted", "rrf")[seed % 2])), 30)
    assert lists(made, wanted) == one_by_one(made, wanted)


@settings(max_examples=60)
@given(strategies.pools(), st.lists(strategies.settings(), min_size=1, max_size=8))
def test_any_settings_over_any_pool_give_the_lists_of_decisions(made: Pool, wanted: list[Settings]) -> None:
    wanted = [replace(one, gathering=wanted[0].gathering, selection=wanted[0].selection) for one in wanted]
    try:
        expected = one_by_one(made, wanted)
    except NotGathered:
        with pytest.raises(NotGathered):
            lists(made, wanted)
        return
    assert lists(made, wanted) == expected


def test_a_thousand_settings_in_several_blocks_keep_their_places() -> None:
    rng = random.Random(5)
    made, base = generated(5, 40)
    wanted = some_settings(rng, replace(base, fusion=replace(base.fusion, fusion="rrf")), 1_100)
    assert lists(made, wanted) == one_by_one(made, wanted)


def test_the_sample_questions_have_the_lists_of_decisions(sample_index: Any, federation: Any) -> None:
    rng = random.Random(3)
    for question in ("Wann ist eine abweichende Abgabe erlaubt?", "Was regelt § 41a HVG-A?", "Fristen im Abgabevertrag"):
        made = federation.gather(question, Settings())
        wanted = some_settings(rng, Settings(), 40) + some_settings(rng, Settings.of(fusion="rrf"), 40)
        assert lists(made, wanted) == one_by_one(made, wanted)


def test_targets_that_a_foreign_provider_names_are_brought_in() -> None:
    rng = random.Random(11)
    for seed in range(20):
        made, base = generated(seed, 14)
        chunks = list(made.chunks.values())
        given_targets = tuple(Target(one.corpus_id, one.section_id, "") for one in rng.sample(chunks, min(3, len(chunks))))
        units = {
            f"given {number}": made.reference_units.get(target_key(one), Units("not_found", ())) for number, one in enumerate(given_targets)
        }
        foreign = replace(made, given_targets=given_targets, reference_units=units)
        wanted = some_settings(rng, base, 30)
        assert lists(foreign, wanted) == one_by_one(foreign, wanted)


def test_weights_that_are_no_weights_are_refused_and_the_others_are_not() -> None:
    made, base = generated(2)
    none = replace(base, fusion=FusionKnobs(weight_vector=0.0, weight_lexical=0.0))
    table = Table([base, none, base])
    first, refused, last = Grid(made).lists(table)
    assert refused is None
    assert first == last == one_by_one(made, [base])[0]
    assert table.refused == [1]


def test_a_grid_that_is_kept_answers_the_second_table_like_the_first() -> None:
    rng = random.Random(8)
    made, base = generated(8, 30)
    grid, wanted = Grid(made), some_settings(rng, base, 40)
    first = grid.lists(Table(wanted))
    grid.lists(Table(some_settings(rng, base, 40)))
    assert grid.lists(Table(wanted)) == first


def test_nothing_gathered_gives_empty_lists() -> None:
    empty = pool([answer("k", {}, {})], [chunk("k/1", "k", "§ 1")])
    assert lists(empty, [Settings(), Settings.of(fusion="rrf")]) == [(), ()]


def test_no_settings_give_no_lists() -> None:
    made, _ = generated(1)
    assert lists(made, []) == []


@given(st.lists(st.floats(-2_000, 2_000, allow_nan=False) | st.integers(0, 10**12).map(lambda n: (n + 0.5) / 1e12), min_size=1))
def test_columns_are_rounded_as_single_numbers_are(numbers: list[float]) -> None:
    assert rounded(np.array(numbers)).tolist() == [round(one, 12) for one in numbers]

"""Generated pools, seeded: corpora of unequal size with ties, look-ups, anchors, references, named corpora and odd settings."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from retrieval.decide import decide
from retrieval.errors import BadSetting
from retrieval.model import Address, AnchorClaim, Chunk, ReadyHit, Reference, Target, Units
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Pool
from tests.builders import answer, chunk, pool, with_reranker

ROUND = (0.0, 0.008, 0.1, 0.25, 0.3, 0.41, 0.5, 0.66, 0.85, 1.0)


def generated(seed: int, size: int = 14) -> tuple[Pool, Settings]:
    """A pool with up to four corpora of up to ``size`` candidates in each route, and settings for it; the same for the same seed."""
    rng = random.Random(seed)
    corpora = [f"k{number}" for number in range(rng.randint(1, 4))]
    parts = rng.choice((1, 1, 2, 3))  # chunks of one norm
    stock = {corpus: [chunk(f"{corpus}/{n}", corpus, f"§ {n // parts}") for n in range(rng.randint(1, size))] for corpus in corpora}
    chunks = [one for found in stock.values() for one in found]
    answers = [_answer(rng, corpus, stock[corpus]) for corpus in corpora]
    references, units = _references(rng, chunks)
    claims = [_claim(rng, rng.choice(chunks)) for _ in range(rng.choice((0, 0, 1, 2)))]
    named = rng.sample(corpora, rng.choice((0, 0, 1)))
    made = pool(answers, chunks, claims=claims, named=named, references=references, units=units)
    return made, _settings(rng)


def reranked(seed: int, size: int = 14) -> tuple[Pool, Settings]:
    """The same with a reranker that has scored about two thirds of the candidates, with ties, and has a weight."""
    made, settings = generated(seed, size)
    rng = random.Random(seed + 10_000)
    raw = {one: rng.choice((-8.3, 0.4, 8.15)) if rng.random() < 0.2 else rng.gauss(0, 3) for one in made.chunks if rng.random() < 0.67}
    weight = rng.choice((0.5, 1.0, 0.1, 0.0, rng.random()))
    return with_reranker(made, raw), settings.changed({"reranker": "on", "weight_reranker": weight})


def _score(rng: random.Random) -> float:
    return rng.choice(ROUND) if rng.random() < 0.25 else rng.random()


def _answer(rng: random.Random, corpus: str, stock: Sequence[Chunk]) -> object:
    ids = [one.chunk_id for one in stock]
    routes = [{one: _score(rng) for one in rng.sample(ids, rng.randint(0, len(ids)))} for _ in range(2)]
    ready = [ReadyHit(rng.choice(ids), 1.0, ("section_lookup",), 1.0)] if rng.random() < 0.2 else []
    return answer(corpus, *routes, ready)


def _claim(rng: random.Random, one: Chunk) -> tuple[AnchorClaim, Units]:
    return AnchorClaim(Target(one.corpus_id, one.section_id)), Units("found", (ReadyHit(one.chunk_id, 1.0, (), 1.0),))


def _references(rng: random.Random, chunks: Sequence[Chunk]) -> tuple[dict[str, list[Reference]], dict[Target, Units]]:
    references: dict[str, list[Reference]] = {}
    units: dict[Target, Units] = {}
    for _ in range(rng.randint(0, 12)):
        by, to = rng.choice(chunks), rng.choice(chunks)
        references.setdefault(by.chunk_id, []).append(Reference(0, 3, "§ x", "resolved", Address(to.corpus_id, "", to.section_id)))
        units[Target(to.corpus_id, to.section_id, "")] = Units("found", (ReadyHit(to.chunk_id, 1.0, (), 1.0),))
    return references, units


def _settings(rng: random.Random) -> Settings:
    return Settings.of(
        fusion=rng.choice(("weighted", "weighted", "rrf")),
        weight_vector=rng.choice((0.5, 0.3, 1.0, rng.random())),
        weight_lexical=rng.choice((0.5, 0.7, 0.2, 0.1 + 0.9 * rng.random())),
        rrf_k=rng.choice((60.0, 1.0, 12.0)),
        verweis_score=rng.choice((0.5, 0.97, rng.random())),
        max_verweis_normen=rng.choice((0, 1, 3, 3)),
        max_final_results=rng.choice((1, 3, 5, 10)),
        list_unit=rng.choice(("chunk", "subsection", "section")),
        min_hits_per_corpus=rng.choice((0, 1, 2, 3)),
        min_ratio=rng.choice((0.25, 0.0, 0.6, rng.random())),
    )


class Runs:
    """The lists that ``decide`` gives at values of one setting, one value after the other, each computed once."""

    def __init__(self, made: Pool, settings: Settings, knob: str, without: Collection[str] = ()) -> None:
        self._pool, self._settings, self._knob, self._without = made, settings, knob, without
        self._known: dict[float, tuple[str, ...] | None] = {}

    def at(self, value: float) -> tuple[str, ...] | None:
        """The list at this value, None where the setting is refused there."""
        if value not in self._known:
            self._known[value] = self._decided(value)
        return self._known[value]

    def _decided(self, value: float) -> tuple[str, ...] | None:
        group = KNOBS[self._knob].group
        settings = replace(self._settings, **{group: replace(getattr(self._settings, group), **{self._knob: value})})
        try:
            return tuple(entry.chunk_id for entry in decide(self._pool, settings, without=self._without).final)
        except BadSetting:
            return None

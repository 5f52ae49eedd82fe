"""What a decision costs: 640 candidates with their full trace, against bare fusion and against ranx on the same lists.

python -m benchmarks.decide
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.timing import medians, table
from retrieval.decide import decide
from retrieval.model import Address, Chunk, CorpusAnswer, CorpusSpec, ReadyHit, Reference, RouteAnswer, RouteHit, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Pool, target_key

CORPORA, HITS, NORMS = 4, 80, 100


def synthetic_pool(seed: int = 1, hits: int = HITS, norms: int = NORMS) -> Pool:
    """4 corpora × 2 routes × ``hits`` hits out of 4 × ``norms`` chunks each, with up to three references in each text, seeded."""
    rng = random.Random(seed)
    chunks: dict[str, Chunk] = {}
    answers: dict[str, CorpusAnswer] = {}
    units: dict[str, Units] = {}
    corpora = [f"corpus_{number}" for number in range(CORPORA)]
    for corpus in corpora:
        ids = [f"{corpus}/-/§ {number // 4}/{number % 4}" for number in range(4 * norms)]
        chunks |= {name: Chunk(name, corpus, section_id=f"§ {n // 4}", text_hash=name) for n, name in enumerate(ids)}
        answers[corpus] = CorpusAnswer(corpus, "ok", tuple(_route(rng, name, ids, hits) for name in ("vector", "lexical")))
        for number in range(norms):
            target = Target(corpus, f"§ {number}", "")
            units[target_key(target)] = Units("found", (ReadyHit(ids[4 * number], 1.0, (), 1.0),))
    references = {name: _references(rng, corpora, norms) for name in chunks}
    return Pool(
        question="synthetic",
        fetch_k=hits,
        available=tuple(corpora),
        routings=(),
        claims=(),
        named=(),
        answers=answers,
        anchor_units=(),
        references=references,
        reference_units=units,
        chunks=chunks,
        identities={name: name for name in chunks},
        specs={corpus: CorpusSpec(corpus, corpus) for corpus in corpora},
    )


def _route(rng: random.Random, name: str, ids: list[str], count: int) -> RouteAnswer:
    hits = [RouteHit(one, score, score) for one in rng.sample(ids, count) for score in (rng.random(),)]
    return RouteAnswer(name, "ok", tuple(sorted(hits, key=lambda hit: -(hit.score or 0))))


def _references(rng: random.Random, corpora: list[str], norms: int) -> tuple[Reference, ...]:
    named = [Address(rng.choice(corpora), "", f"§ {rng.randrange(norms)}") for _ in range(rng.randrange(4))]
    return tuple(Reference(0, 3, address.section_id, "resolved", address) for address in named)


def plain_fuse(pool: Pool) -> list[str]:
    """Weighted sum and quota in plain dictionaries, nothing explained: the least that any implementation does."""
    sums: dict[str, float] = {}
    for answer in pool.answers.values():
        for route in answer.routes:
            for hit in route.hits:
                sums[hit.chunk_id] = sums.get(hit.chunk_id, 0.0) + 0.5 * (hit.scaled or 0.0)
    order = sorted(sums, key=lambda name: -sums[name])
    by_corpus: dict[str, list[str]] = {}
    for name in order:
        by_corpus.setdefault(pool.chunks[name].corpus_id, []).append(name)
    floor = 0.25 * sums[order[0]]
    taking_part = [names for names in by_corpus.values() if sums[names[0]] >= floor]
    held = [names[0] for names in taking_part]
    return sorted([*held, *[name for name in order if name not in set(held)][: 10 - len(held)]], key=lambda name: -sums[name])


def ranx_fuse(pool: Pool) -> Any:
    """The same two lists in ranx (weighted sum), a prepared call: ``Run`` objects are made outside of the clock."""
    from ranx import Run, fuse

    runs = []
    for name in ("vector", "lexical"):
        hits = {hit.chunk_id: hit.scaled for answer in pool.answers.values() for r in answer.routes if r.route == name for hit in r.hits}
        runs.append(Run({"q": hits}))
    return lambda: fuse(runs=runs, norm=None, method="wsum", params={"weights": (0.5, 0.5)})


def main() -> None:
    """Print the table."""
    pool = synthetic_pool()
    candidates = sum(len(route.hits) for answer in pool.answers.values() for route in answer.routes)
    weighted, rank_fusion = Settings(), Settings.of(fusion="rrf")
    sides = {
        "plain fuse and quota, nothing explained": lambda: plain_fuse(pool),
        "ranx fuse (no quota, no references, no explanation)": ranx_fuse(pool),
        "decide, full trace, weighted": lambda: decide(pool, weighted),
        "decide, full trace, RRF": lambda: decide(pool, rank_fusion),
    }
    title = f"decide over {candidates} candidates, {len(decide(pool, weighted).verweise)} references read; median of 200"
    print(table(title, medians(sides), "ranx fuse (no quota, no references, no explanation)"))


if __name__ == "__main__":
    main()

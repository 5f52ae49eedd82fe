"""What it costs to tell the life of a norm: over generated pools, and with exact ranks over real law where an index of it is named.

python -m benchmarks.life [INDEX]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.decide import CORPORA
from benchmarks.timing import medians
from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.inspector.life import life
from retrieval.inspector.standing import Standings
from retrieval.model import Chunk, CorpusAnswer, CorpusSpec, RouteAnswer, RouteHit
from retrieval.settings import Settings
from retrieval.trace import Pool

SIZES = (100, 1_000, 10_000)
ROUNDS = 20
QUESTION = "Wann darf die Apotheke ein anderes als das rabattierte Arzneimittel abgeben?"
Call = Callable[[], object]


class Nothing:
    """A registry without corpora: the life is told from the pool alone."""

    def available(self) -> list[str]:
        """No corpus."""
        return []


def generated(candidates: int, seed: int = 1) -> Pool:
    """A pool with so many places in the routes of 4 corpora, both routes over the same chunks, seeded."""
    rng = random.Random(seed)
    hits = max(1, candidates // (2 * CORPORA))
    chunks: dict[str, Chunk] = {}
    answers: dict[str, CorpusAnswer] = {}
    for number in range(CORPORA):
        corpus = f"corpus_{number}"
        ids = [f"{corpus}/-/§ {place // 4}/{place % 4}" for place in range(hits)]
        chunks |= {one: Chunk(one, corpus, section_id=f"§ {place // 4}", text_hash=one) for place, one in enumerate(ids)}
        answers[corpus] = CorpusAnswer(corpus, "ok", tuple(_route(rng, name, ids) for name in ("vector", "lexical")))
    specs = {corpus: CorpusSpec(corpus, corpus) for corpus in answers}
    identities = {one: one for one in chunks}
    return Pool("synthetic", hits, tuple(answers), (), (), (), answers, (), {}, {}, chunks, identities, specs)


def _route(rng: random.Random, name: str, ids: list[str]) -> RouteAnswer:
    found = [RouteHit(one, score, score) for one in ids for score in (rng.random(),)]
    return RouteAnswer(name, "ok", tuple(sorted(found, key=lambda hit: -(hit.score or 0))))


def over_pools() -> dict[str, Call]:
    """For each size the life of the candidate in the middle, from a trace that is there."""
    sides: dict[str, Call] = {}
    nowhere = FederatedRetriever(Nothing())
    for size in SIZES:
        pool = generated(size)
        trace = decide(pool, Settings())
        middle = trace.completed.living[len(trace.completed.living) // 2].chunk_id
        sides[f"life of a candidate, {size:,} places in the routes"] = lambda t=trace, p=pool, m=middle: life(t, p, (m,), nowhere)  # type: ignore[misc]
    return sides


def over_law(index: Path) -> dict[str, Call]:
    """Standing and life of a norm that no route fetched, in the largest corpus of this index, and the whole run beside them."""
    from retrieval.assemble import open_federation

    federation = open_federation(index)
    pool = federation.gather(QUESTION)
    trace = decide(pool, Settings())
    largest = max(trace.selection.selected, key=lambda corpus: len(federation.registry.state.stocks[corpus].chunks))
    chunks = federation.registry.state.stocks[largest].chunks
    outside = next(one.chunk_id for one in chunks if one.chunk_id not in pool.chunks and not one.repealed)
    inside = trace.final[0].chunk_id
    name = f"{largest}, {len(chunks):,} chunks"
    return {
        f"standing of one chunk ({name})": lambda: Standings(QUESTION, federation, trace.selection.selected).of(largest, [outside]),
        f"life of a norm that was never a candidate ({name})": lambda: life(trace, pool, (outside,), federation),
        f"life of the first hit ({name})": lambda: life(trace, pool, (inside,), federation),
        "gather and decide the same question": lambda: decide(federation.gather(QUESTION), Settings()),
    }


def main(arguments: list[str]) -> None:
    """Print the table."""
    sides = over_pools() | (over_law(Path(arguments[0])) if arguments else {})
    print(f"the life of a norm; median of {ROUNDS}")
    for name, seconds in medians(sides, ROUNDS, warm=2).items():
        print(f"  {name:<80} {1000 * seconds:8.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])

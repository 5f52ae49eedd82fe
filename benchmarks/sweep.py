"""What a sweep costs: 10,000 settings × 50 questions × 800 candidates, against ranx's optimiser and against searching again.

    python -m benchmarks.sweep [--index FOLDER] [--settings 10000] [--whole]

Ours: the lists of all settings with anchors, references, quota and named corpus, and the recall of each list, over generated pools
(``benchmarks.decide``). ranx: ``optimize_fusion`` over the same weights, which knows none of these stages, after a call that compiles it;
its time per setting is measured on a part of the grid (``--whole``: on all of it) and multiplied. Searching again: ``query`` over real
law with as many candidates (100 of each route from each of four corpora; the samples where the law is absent), each question asked
before, measured under a few settings and multiplied. Figures are compared where both sides must agree: without the stages that ranx lacks.
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from benchmarks.decide import synthetic_pool
from benchmarks.law import ANCHORS, DATA, SAMPLES, SIX, arguments, ensure, index_at, met, question_texts
from retrieval.assemble import open_federation
from retrieval.build import ingest_file
from retrieval.commands.corpora import files_in
from retrieval.decide import STAGES, decide
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.sweeps.model import Goal
from retrieval.evaluation.sweeps.scoring import Scorer
from retrieval.inspector.grids import Grid, Table
from retrieval.model import AnchorClaim, ReadyHit, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Pool

QUESTIONS, PLACES, HITS, NORMS = 50, 10, 100, 125
RANX_PART, AGAIN = 101, 3
TIMES_RANX, TIMES_AGAIN, MEMORY_MB = 30, 1_000, 2_000


def pool_of(number: int) -> Pool:
    """A pool with 800 hits in 4 corpora, references in every text, one anchor, and a named corpus in every third question."""
    pool = synthetic_pool(number, HITS, NORMS)
    anchor = list(pool.chunks.values())[number]
    claim = AnchorClaim(Target(anchor.corpus_id, anchor.section_id, ""), anchor_id="anchor")
    units = Units("found", (ReadyHit(anchor.chunk_id, 1.0, (), 1.0),))
    named = (pool.available[number % 4],) if number % 3 == 0 else ()
    return replace(pool, claims=(claim,), anchor_units=(units,), named=named)


def set_of(pools: Sequence[Pool]) -> QuestionSet:
    """A set with three gold norms for each question, seeded, out of the 60 best candidates of the plain sum."""
    questions = []
    for number, pool in enumerate(pools):
        best = [entry.chunk_id for entry in decide(pool, Settings(), without=STAGES).fused.living[:60]]
        golds = (Gold(pool.chunks[one].address) for one in random.Random(number).sample(best, 3))
        questions.append(Question(f"q{number}", f"question {number}", tuple(Need((gold,)) for gold in golds)))
    return QuestionSet("benchmark", tuple(questions))


def weights(count: int) -> list[Settings]:
    """So many weights of the vector route from 0 to 1, both edges included; the rest of 1 is the word route's."""
    return [Settings.of(weight_vector=place / (count - 1), weight_lexical=1 - place / (count - 1)) for place in range(count)]


def mixed(count: int) -> list[Settings]:
    """So many settings with four values drawn at random, seeded."""
    rng = random.Random(1)
    names = ("weight_vector", "weight_lexical", "verweis_score", "min_ratio")
    return [Settings.of({name: rng.random() for name in names}) for _ in range(count)]


def ours(
    pools: Sequence[Pool], questions: QuestionSet, settings: Sequence[Settings], metric: str = "recall", without: Sequence[str] = ()
) -> list[float]:
    """The mean figure under each of the settings, from the pools as they were gathered."""
    table = Table(settings)
    chunks = {one.id: pool.chunks for one, pool in zip(questions.questions, pools, strict=True)}
    scorer = Scorer(Golds().check(questions), Goal(metric), chunks, PLACES)
    sums = [0.0] * len(settings)
    for one, pool in zip(questions.questions, pools, strict=True):
        found = Grid(pool, without).lists(table)
        for place, value in enumerate(scorer.values((one.id, ids or ()) for ids in found)):
            sums[place] += value or 0.0
    return [total / len(pools) for total in sums]


def ranx_sides(pools: Sequence[Pool], questions: QuestionSet) -> tuple[Any, list[Any]]:
    """The same questions, norms and lists as ranx takes them; each norm is the chunks that it has."""
    from ranx import Qrels, Run

    relevant: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, dict[str, float]]] = {"vector": {}, "lexical": {}}
    for one, pool in zip(questions.questions, pools, strict=True):
        golds = {gold.address for need in one.needs for gold in need.any_of}
        relevant[one.id] = {chunk.chunk_id: 1 for chunk in pool.chunks.values() if chunk.address in golds}
        for name, found in lists.items():
            routes = (route for answer in pool.answers.values() for route in answer.routes if route.route == name)
            found[one.id] = {hit.chunk_id: hit.scaled or 0.0 for route in routes for hit in route.hits}
    return Qrels(relevant), [Run(found, name=name) for name, found in lists.items()]


def optimised(relevant: Any, runs: list[Any], step: float) -> None:
    """ranx's optimiser over the weights in steps of ``step``."""
    from ranx import optimize_fusion

    optimize_fusion(qrels=relevant, runs=runs, norm=None, method="wsum", metric=f"recall@{PLACES}", step=step, show_progress=False)


def ranx_figures(relevant: Any, runs: list[Any], settings: Sequence[Settings]) -> list[float]:
    """The share of questions with a relevant chunk among the first places under these weights, as ranx has it."""
    from ranx import evaluate, fuse

    found = []
    for one in settings:
        weights = (one.fusion.weight_vector, one.fusion.weight_lexical)
        fused = fuse(runs=runs, norm=None, method="wsum", params={"weights": weights})
        found.append(float(evaluate(relevant, fused, f"hit_rate@{PLACES}")))
    return found


def searching_again(folder: Path) -> tuple[float, str]:
    """Seconds of a question that is asked again under another setting, and over what."""
    if DATA.is_dir():
        ensure(folder, SIX)
    else:
        for file in files_in(SAMPLES):
            ingest_file(folder, file)
    federation = open_federation(folder, ANCHORS if DATA.is_dir() else SAMPLES / "anchors.toml")
    texts = question_texts()[:QUESTIONS]
    settings = [one.changed({"fetch_k": HITS}) for one in weights(AGAIN)]
    for text in texts:
        with_settings(federation, settings[0]).query(text)
    took, _ = seconds(lambda: [with_settings(federation, one).query(text) for one in settings for text in texts])
    return took / (len(settings) * len(texts)), "real law" if DATA.is_dir() else "samples"


def with_settings(federation: Any, settings: Settings) -> Any:
    """The same federation under other settings."""
    from retrieval.federated import FederatedRetriever

    wiring = federation.wiring
    parts = {name: getattr(wiring, name) for name in ("router", "anchors", "verweise", "named_corpora")}
    return FederatedRetriever(wiring.registry, **parts, settings=settings)


def seconds(call: Any) -> tuple[float, Any]:
    """The seconds of one call, and what it gives."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def memory_mb() -> float:
    """The most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--settings", type=int, default=10_000)
    parser.add_argument("--whole", action="store_true", help="let ranx try the whole grid (about five minutes)")
    args = parser.parse_args()
    pools = [pool_of(number) for number in range(QUESTIONS)]
    questions = set_of(pools)
    places = sum(len(route.hits) for answer in pools[0].answers.values() for route in answer.routes)
    every = weights(args.settings)
    took, figures = seconds(lambda: ours(pools, questions, every))
    took_mixed, _ = seconds(lambda: ours(pools, questions, mixed(args.settings)))
    memory = memory_mb()
    print(
        f"{args.settings:,} settings × {QUESTIONS} questions × {places} candidates, recall@{PLACES}, on one core where not said otherwise"
    )
    relevant, runs = ranx_sides(pools, questions)
    optimised(relevant, runs, 0.5)  # compiles
    tried = args.settings if args.whole else RANX_PART
    ranx, _ = seconds(lambda: optimised(relevant, runs, 1 / (tried - 1)))
    per_ranx = ranx / tried
    with index_at(args.index) as folder:
        once, over = searching_again(folder)
    again = once * QUESTIONS
    few = weights(RANX_PART)[::10]
    bare = ours(pools, questions, few, "success", STAGES)
    same = np.allclose(bare, ranx_figures(relevant, runs, few), atol=1e-12)
    per = took / args.settings
    rows = {
        "ours, weights, all stages": per,
        "ours, four settings at random, all stages": took_mixed / args.settings,
        f"ranx, weights, on {tried:,} settings": per_ranx,
        f"searching again, on {AGAIN} settings ({over})": again,
    }
    for name, value in rows.items():
        print(f"  {name:<48}{1000 * value:12.3f} ms a setting{1 / value:14,.1f} settings/s{value * args.settings:14,.1f} s in all")
    slower = max(per, took_mixed / args.settings)
    print(f"ours over ranx: {per_ranx / slower:,.0f} × (bar {TIMES_RANX}: {met(per_ranx / slower >= TIMES_RANX)})")
    print(f"ours over searching again: {again / slower:,.0f} × (bar {TIMES_AGAIN:,}: {met(again / slower >= TIMES_AGAIN)})")
    print(f"memory before ranx was loaded: {memory:,.0f} MB (bar {MEMORY_MB:,}: {met(memory < MEMORY_MB)})")
    print(f"with the stages off that ranx has not: figures {'equal' if same else 'DIFFERENT'} under {len(few)} weights")
    print(f"best mean recall {max(figures):.3f}, least {min(figures):.3f}")


if __name__ == "__main__":
    main()

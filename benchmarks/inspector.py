"""What looking ahead costs: breakpoints and counterfactuals over 100 to 10,000 candidates, against one decision over the same pool.

    python -m benchmarks.inspector [--rounds 5]

Generated pools (``benchmarks.decide``): 4 corpora, 2 routes, references in every text, an even spread of scores, which gives more
crossings near the front than real scores do.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable

from benchmarks.decide import synthetic_pool
from benchmarks.law import met
from retrieval.decide import decide
from retrieval.inspector.breakpoints import track
from retrieval.inspector.counterfactuals import counterfactual
from retrieval.inspector.tracks import CONTINUOUS
from retrieval.settings import Settings
from retrieval.trace import Pool

SIZES = {100: (13, 100), 240: (31, 100), 1_000: (135, 250), 3_000: (410, 600), 10_000: (1_390, 1_800)}
"""Distinct candidates wanted: hits of each route and corpus, norms of each corpus."""
BREAKPOINTS_MS, COUNTERFACTUAL_MS, AT = 100, 300, 240


def middle(call: Callable[[], object], rounds: int) -> float:
    """The median of some calls in milliseconds, after one that is not counted."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def sides(pool: Pool) -> dict[str, Callable[[], object]]:
    """What is measured over one pool."""
    weighted, by_rank = Settings(), Settings.of(fusion="rrf")
    listed = [entry.chunk_id for entry in decide(pool, weighted).completed.living]
    near, far = ([pool.chunks[listed[place]]] for place in (14, len(listed) * 2 // 3))
    found: dict[str, Callable[[], object]] = {"one decision": lambda: decide(pool, weighted)}
    for knob in CONTINUOUS:
        settings = by_rank if knob == "rrf_k" else weighted
        found[f"breakpoints of {knob}"] = lambda knob=knob, settings=settings: track(pool, settings, knob)  # type: ignore[misc]
    found["counterfactual, a near miss"] = lambda: counterfactual(pool, weighted, near)
    found["counterfactual, far behind"] = lambda: counterfactual(pool, weighted, far)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    pools = {size: synthetic_pool(1, hits, norms) for size, (hits, norms) in SIZES.items()}
    counts = {size: len(decide(pool, Settings()).fused.entries) for size, pool in pools.items()}
    seen = {size: {name: middle(call, rounds) for name, call in sides(pool).items()} for size, pool in pools.items()}
    print("median ms over candidates:".ljust(34) + "".join(f"{counts[size]:>10,}" for size in SIZES) + "    growth")
    for name in seen[AT]:
        row = [seen[size][name] for size in SIZES]
        exponent = math.log(row[-1] / row[1]) / math.log(counts[10_000] / counts[AT])
        print(f"  {name:<32}" + "".join(f"{value:10.1f}" for value in row) + f"     n^{exponent:.2f}")
    worst = max(value for name, value in seen[AT].items() if name.startswith("breakpoints"))
    slow = max(value for name, value in seen[AT].items() if name.startswith("counterfactual"))
    print(
        f"at {counts[AT]} candidates: breakpoints at most {worst:.0f} ms (bar {BREAKPOINTS_MS}: {met(worst <= BREAKPOINTS_MS)}), "
        f"counterfactual at most {slow:.0f} ms (bar {COUNTERFACTUAL_MS}: {met(slow <= COUNTERFACTUAL_MS)})"
    )


if __name__ == "__main__":
    main()

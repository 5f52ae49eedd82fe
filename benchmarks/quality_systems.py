"""The systems that the quality benchmark compares, each described by data: settings, stages left out, and how the corpora are chosen.

Further ones come from the command line: ``--system "NAME: rrf_k=20 fusion=rrf without=quota,anchors routing=told"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from benchmarks.quality_vectors import LABELS, MODELS
from retrieval.decide import STAGES, decide
from retrieval.errors import BadInput
from retrieval.evaluation.model import Question
from retrieval.federated import FederatedRetriever
from retrieval.gather import Wiring, gather
from retrieval.inspector import grids
from retrieval.knobs import Value
from retrieval.model import Chunk
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Pool, Trace

Way = Literal["product", "plain_words", "our_words", "dense", "chroma"]
Routing = Literal["on", "off", "told"]
"""``off``: nobody chooses, every corpus is asked. ``told``: the corpora of the gold norms are given, and only they are asked."""
SHORT, LONG = 10, 50
LENGTH = "max_final_results"
_CAP = "max_corpora_per_query"
DEFAULT = "the defaults"
_PROVED = 2
"""So many questions of each set are decided in both ways before the faster one is trusted."""


class System(msgspec.Struct, frozen=True):
    """One system.

    ``values`` are settings that differ from the defaults, ``without`` the stages left out, ``routing`` see above: the product's. ``model``
    is that of a dense list; ``whole_norms`` and ``once`` (each norm in its first place only) are for flat lists. ``explained`` says that
    the way of every missing gold norm is told. ``note`` stands where there is nothing to measure.
    """

    name: str
    way: Way = "product"
    values: dict[str, Value] = {}
    without: tuple[str, ...] = ()
    routing: Routing = "on"
    model: str = ""
    whole_norms: bool = False
    once: bool = False
    explained: bool = False
    note: str = ""

    @property
    def settings(self) -> Settings:
        """The product's settings; without routing, or with the corpora told, the cap takes none away."""
        return Settings.of({**({} if self.routing == "on" else {_CAP: KNOBS[_CAP].high}), **self.values})


def systems(models: Sequence[str] = MODELS) -> tuple[System, ...]:
    """The systems that stand side by side: flat lists, single routes, both fused with every stage and without."""
    return (*_flat(models), *_routes(), *_fused(), *_switched())


def _flat(models: Sequence[str]) -> Iterator[System]:
    yield System("plain BM25 (bm25s as it comes)", "plain_words")
    yield System("plain BM25, each norm once", "plain_words", once=True)
    yield System("plain BM25 over whole norms", "plain_words", whole_norms=True)
    yield System("BM25 with our words (bm25s)", "our_words")
    for model in models:
        yield System(f"dense: {LABELS.get(model, model)}", "dense", model=model)
    if not any(model.startswith("st:") for model in models):
        yield System("dense: any model of the hub", "dense", note="not measured: download one and name it, --model st:FOLDER")
    yield System("plain Chroma (default model)", "chroma")


def _routes() -> Iterator[System]:
    yield System("word route alone, all stages", values={"weight_vector": 0.0})
    yield System("vector route alone, all stages", values={"weight_lexical": 0.0})
    yield System("word route alone, no routing, no stages", values={"weight_vector": 0.0}, without=STAGES, routing="off")
    yield System("vector route alone, no routing, no stages", values={"weight_lexical": 0.0}, without=STAGES, routing="off")


def _fused() -> Iterator[System]:
    usual = Settings().value("fusion")
    for fusion in (usual, *(one for one in KNOBS["fusion"].choices if one != usual)):
        values: dict[str, Value] = {} if fusion == usual else {"fusion": fusion}
        yield System(DEFAULT if fusion == usual else f"{fusion}: all stages", values=values, explained=fusion == usual)
        yield System(f"{fusion}: without routing", values=values, routing="off", explained=fusion == usual)
        for stage in STAGES:
            yield System(f"{fusion}: without {stage}", values=values, without=(stage,))
        yield System(f"{fusion}: without routing and stages", values=values, without=STAGES, routing="off")
        yield System(f"{fusion}: told the corpora", values=values, routing="told", explained=fusion == usual)


def _switched() -> Iterator[System]:
    """Every other setting that is a choice, at each of its other values."""
    for name, knob in KNOBS.items():
        if knob.kind == "choice" and knob.scope == "decide" and name != "fusion":
            for choice in knob.choices:
                if choice != knob.default:
                    yield System(f"{name} = {choice}", values={name: choice})


def named(text: str) -> System:
    """A system from the command line. Raises BadInput, for settings BadSetting."""
    name, colon, rest = text.partition(":")
    pairs = [part.partition("=") for part in rest.split()]
    if not colon or not all(mark for _, mark, _ in pairs):
        raise BadInput(f"--system: found {text!r}, expected 'NAME: setting=value … without=stage,stage routing=on|off|told'.")
    given: dict[str, Any] = {key: value for key, _, value in pairs}
    without = tuple(filter(None, given.pop("without", "").split(",")))
    routing = given.pop("routing", "on")
    if routing not in ("on", "off", "told"):
        raise BadInput(f"--system, routing: found {routing!r}, expected on, off or told.")
    unknown = sorted(set(without) - set(STAGES))
    if unknown:
        raise BadInput(f"--system, without: found {', '.join(unknown)}, expected some of {', '.join(STAGES)}.")
    values = {key: Settings.of({key: value}).value(key) for key, value in given.items()}
    return System(name.strip(), values=values, without=without, routing=routing, explained=True)


# --- the product ------------------------------------------------------------------------------------------------------


def wiring(federation: FederatedRetriever, question: Question, routing: Routing) -> Wiring:
    """The federation's parts, with its own router, with none, or with one that names the corpora of the gold norms."""
    if routing == "on":
        return federation.wiring
    gold = {one.address.corpus_id for need in question.needs for one in need.any_of}
    told = None if routing == "off" else lambda text, corpora: [corpus for corpus in corpora if corpus in gold]
    return replace(federation.wiring, router=told)


class Found(msgspec.Struct, frozen=True):
    """What the product found for one question under one system: the list of ``SHORT`` places, the one of ``LONG``."""

    short: tuple[Chunk, ...]
    long: tuple[Chunk, ...]


class Asked:
    """One question put to the product under many systems; the corpora are asked as seldom as the settings allow."""

    def __init__(self, federation: FederatedRetriever, question: Question) -> None:
        self._federation, self.question = federation, question
        self._pools: dict[tuple[object, ...], Pool] = {}
        self._grids: dict[tuple[int, tuple[str, ...]], grids.Grid] = {}

    def pool(self, system: System) -> Pool:
        """What the corpora answer under a system."""
        settings = system.settings
        asked = tuple(settings.value(name) for name, knob in KNOBS.items() if knob.scope == "gather")
        key = (system.routing, asked)
        if key not in self._pools:
            known = max(self._pools.values(), key=lambda pool: len(pool.answers), default=None)
            self._pools[key] = gather(self.question.text, settings, wiring(self._federation, self.question, system.routing), known=known)
        return self._pools[key]

    def trace(self, system: System, length: int, without: Sequence[str] | None = None) -> Trace:
        """The run under a system, for a list of ``length`` places; ``without`` takes the place of the stages that it leaves out."""
        return decide(self.pool(system), system.settings, length, system.without if without is None else without)

    def decided(self, system: System) -> Found:
        """The lists as the product decides them."""
        traces = [self.trace(system, length) for length in (SHORT, LONG)]
        short, long = (tuple(one.chunks[entry.chunk_id] for entry in one.final) for one in traces)
        return Found(short, long)

    def computed(self, system: System) -> Found:
        """The same lists from the product's kernel, which is faster."""
        pool = self.pool(system)
        key = (id(pool), system.without)
        if key not in self._grids:
            self._grids[key] = grids.Grid(pool, system.without)
        lengths = [system.settings.changed({LENGTH: length}) for length in (SHORT, LONG)]
        short, long = (tuple(pool.chunks[one] for one in ids or ()) for ids in self._grids[key].lists(grids.Table(lengths)))
        return Found(short, long)


class Product:
    """The product's lists for the questions of a set. The kernel is trusted as long as it decides the first questions as the product does.

    ``federation`` has the register and the stock; ``slow`` says that every list is decided, because kernel and decision differed.
    """

    def __init__(self, federation: FederatedRetriever) -> None:
        self.federation = federation
        self.slow = False
        self._seen = 0

    def ask(self, question: Question, wanted: Sequence[System]) -> tuple[Asked, dict[str, Found | Exception]]:
        """The lists of one question by the names of the systems; an exception for a system that failed."""
        asked = Asked(self.federation, question)
        found: dict[str, Found | Exception] = {}
        for system in sorted(wanted, key=lambda one: one.routing != "off"):
            try:
                found[system.name] = self._one(asked, system)
            except Exception as error:
                found[system.name] = error
        self._seen += 1
        return asked, found

    def _one(self, asked: Asked, system: System) -> Found:
        if self.slow:
            return asked.decided(system)
        if self._seen >= _PROVED:
            return asked.computed(system)
        found = asked.decided(system)
        self.slow = self.slow or asked.computed(system) != found
        return found


def distinct(wanted: Sequence[System]) -> tuple[System, ...]:
    """The systems, each name and each description once; the first of them stays."""
    kept: dict[Any, System] = {}
    for one in wanted:
        key = (one.settings.to_toml(), one.without, one.routing) if one.way == "product" else one.name
        kept.setdefault(key, one)
    return tuple({one.name: one for one in kept.values()}.values())


def changes(system: System) -> Mapping[str, Value]:
    """The settings in which a system differs from the defaults."""
    usual = Settings().flat()
    return {name: value for name, value in system.settings.flat().items() if value != usual[name]}

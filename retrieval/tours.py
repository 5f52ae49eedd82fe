"""Tours: the steps of a walkthrough, read from a text file that an owner of a stock can write, and computed while they are shown.

A step is one sentence, one question and one or two runs of it. What a step claims can be written so that it is checked each time.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from retrieval.addresses import AddressBook, normal_section
from retrieval.decide import STAGES, decide
from retrieval.errors import BadInput, BadSetting
from retrieval.knobs import Value
from retrieval.model import Chunk, Target
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace

MOST_STEPS = 100
MOST_BYTES = 1_000_000
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Sentence = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
Question = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
Part = Literal["", "corpora", "anchors", "references", "floor"]
"""What a step shows beside the lists."""
PoolOf = Callable[[str, Settings], Pool]
"""What was gathered for a question under these settings: ``FederatedRetriever.gather`` or a memory of pools."""


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A norm, or without ``section`` a whole corpus. ``container`` not named means the main one of the corpus."""

    corpus: Name
    section: str = ""
    container: str | None = None
    subsection: str = ""

    @property
    def target(self) -> Target:
        """The address that is meant."""
        return Target(self.corpus, self.section, self.container, self.subsection or None)


class Expectation(Place, frozen=True, forbid_unknown_fields=True):
    """What a step claims: the norm (or some norm of the corpus) stands in the list or does not, or stands at ``place`` (from 1).

    ``compared`` says it of the run that the step is compared with.
    """

    in_list: bool = True
    place: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    compared: bool = False


class Beside(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run that a step is compared with: settings that are not the defaults, and stages left out."""

    settings: dict[str, Value] = {}
    without: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One step: its sentence, the question, the run that is shown, the run beside it, the norms in focus, and what it claims."""

    id: Name
    de: Sentence
    en: str = ""
    question: Question
    settings: dict[str, Value] = {}
    without: tuple[str, ...] = ()
    compare_with: Beside | None = None
    norms: tuple[Place, ...] = ()
    shows: Part = ""
    expects: tuple[Expectation, ...] = ()

    def sentence(self, language: str) -> str:
        """The sentence in this language, the German one where there is no other."""
        return (self.en if language == "en" else self.de) or self.de


class Tour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The steps in their order. ``title`` and ``title_en`` name the tour, empty: no name."""

    step: Annotated[tuple[Step, ...], msgspec.Meta(min_length=1, max_length=MOST_STEPS)]
    title: str = ""
    title_en: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in their order."""
        return self.step


# --- reading ----------------------------------------------------------------------------------------------------------


def read_tour(path: Path) -> Tour:
    """The tour in this file. Raises BadInput with file, step and line: what was found, what was expected, what to do."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"Tour {path}: cannot be read ({type(error).__name__}); expected a TOML file. Check the path.") from None
    return parse_tour(content, path.name)


def parse_tour(content: bytes, name: str = "tour.toml") -> Tour:
    """The tour in these bytes; ``name`` stands in the messages. Raises BadInput."""
    if len(content) > MOST_BYTES:
        raise BadInput(f"{name}: found {len(content)} bytes, expected at most {MOST_BYTES}. Make several tours of it.")
    try:
        text = content.decode("utf-8-sig")
        raw: Any = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{name}: found no valid TOML ({error}); expected steps that begin with [[step]]. Mend the line.") from None
    try:
        tour = msgspec.convert(raw, Tour)
    except msgspec.ValidationError as error:
        raise BadInput(_refused(str(error), name, text)) from None
    for number, step in enumerate(tour.steps, start=1):
        for fault in _faults(step, tour):
            raise BadInput(f"{name}, {_where(number, text)}: {fault}")
    return tour


_HEADER = re.compile(r"^\s*\[\[\s*step\s*\]\]", re.MULTILINE)
_PATH = re.compile(r" - at `\$(?:\.step\[(\d+)\])?\.?([^`]*)`")


def _where(number: int, text: str) -> str:
    """``step 3, line 41``; the line is that of the step's header."""
    headers = list(_HEADER.finditer(text))
    if number > len(headers):
        return f"step {number}"
    header = headers[number - 1]
    return f"step {number}, line {text.count(chr(10), 0, header.end()) + 1}"


def _refused(message: str, name: str, text: str) -> str:
    found = _PATH.search(message)
    step, field = found.groups() if found else (None, "")
    place = f"{name}, {_where(int(step) + 1, text)}" if step else name
    what = f"{field}: " if field else ""
    return f"{place}: {what}{_PATH.sub('', message)}. Mend it; a step needs id, de and question."


def _faults(step: Step, tour: Tour) -> Iterator[str]:
    """What the types cannot say: ids used twice, settings out of range, stages that are none, a place that contradicts itself."""
    if Counter(other.id for other in tour.steps)[step.id] > 1:
        yield f"found the id {step.id!r} in another step too; expected one of its own. Change it."
    for side in (step, step.compare_with):
        if side is None:
            continue
        try:
            Settings.of(side.settings)
        except BadSetting as error:
            yield str(error)
        strange = [stage for stage in side.without if stage not in STAGES]
        if strange:
            yield f"without: found {strange[0]!r}; expected some of {', '.join(STAGES)}. Correct the name."
    for expected in step.expects:
        if expected.place and not expected.in_list:
            yield f"expects: found place = {expected.place} together with in_list = false; expected one of the two. Remove one."
        if expected.compared and step.compare_with is None:
            yield "expects: found compared = true, but the step has no compare_with; expected one. Add it or remove compared."


# --- walking ----------------------------------------------------------------------------------------------------------


class Move(msgspec.Struct, frozen=True):
    """One hit of the two lists: its places in the compared and in the shown list (from 1; 0 = not in the list).

    ``stood``/``stands`` are its places in those runs before the quota, so that one behind the end of the list is found (0: no candidate).
    """

    chunk_id: str
    before: int
    after: int
    stood: int = 0
    stands: int = 0


class Held(msgspec.Struct, frozen=True):
    """An expectation held against the run: ``places`` are where its norm stands. ``unknown``: the stock does not have it at all."""

    expectation: Expectation
    state: Literal["met", "not_met", "unknown"]
    places: tuple[int, ...] = ()


class Walked(msgspec.Struct, frozen=True):
    """One step, computed: the run shown, the run beside it, every hit of the two lists, the norms in focus, and what holds.

    ``by_place`` names for each norm in focus its chunks among what was gathered.
    """

    step: Step
    shown: Trace
    compared: Trace | None
    moves: tuple[Move, ...]
    by_place: tuple[tuple[Place, tuple[str, ...]], ...]
    held: tuple[Held, ...]

    @property
    def focus(self) -> frozenset[str]:
        """The chunks of all norms in focus."""
        return frozenset(chunk_id for _, chunks in self.by_place for chunk_id in chunks)

    @property
    def holds(self) -> bool:
        """Whether everything that the step claims is so."""
        return all(one.state == "met" for one in self.held)


def walk(step: Step, pool_of: PoolOf, book: AddressBook | None = None) -> Walked:
    """Compute one step over the stock as it is now; ``book`` tells a norm that is not in the list from one that is not in stock."""
    shown = _run(step, step.question, pool_of)
    compared = _run(step.compare_with, step.question, pool_of) if step.compare_with else None
    known = shown.chunks | (compared.chunks if compared else {})
    by_place = tuple((place, tuple(key for key, chunk in known.items() if _means(place, chunk, shown))) for place in step.norms)
    held = tuple(_held(one, compared if one.compared and compared else shown, book) for one in step.expects)
    return Walked(step, shown, compared, _moves(shown, compared), by_place, held)


def _run(side: Step | Beside, question: str, pool_of: PoolOf) -> Trace:
    settings = Settings.of(side.settings)
    return decide(pool_of(question, settings), settings, without=side.without)


def _means(place: Place, chunk: Chunk, trace: Trace) -> bool:
    """Whether a chunk belongs to what ``place`` names."""
    if chunk.corpus_id != place.corpus:
        return False
    if not place.section:
        return place.container in (None, chunk.container_id)
    spec = trace.specs.get(place.corpus)
    container = place.container if place.container is not None else spec.default_container_id if spec else ""
    same = normal_section(chunk.section_id) == normal_section(place.section) and chunk.container_id == container
    return same and place.subsection in ("", chunk.subsection)


def _held(expected: Expectation, trace: Trace, book: AddressBook | None) -> Held:
    places = tuple(place for place, entry in enumerate(trace.final, start=1) if _means(expected, trace.chunks[entry.chunk_id], trace))
    unknown = expected.corpus not in trace.selection.available
    if expected.section and book is not None and not unknown:
        unknown = book.state(expected.target) == "not_found"
    if unknown:
        return Held(expected, "unknown")
    met = expected.place in places if expected.place else bool(places) == expected.in_list
    return Held(expected, "met" if met else "not_met", places)


def _moves(shown: Trace, compared: Trace | None) -> tuple[Move, ...]:
    """The hits of the shown list in its order, then those that stand in the compared list only."""
    old, new = _places(compared), _places(shown)
    stood, stands = _candidates(compared), _candidates(shown)
    both = dict.fromkeys((*new, *old))
    return tuple(Move(one, old.get(one, 0), new.get(one, 0), stood.get(one, 0), stands.get(one, 0)) for one in both)


def _places(trace: Trace | None) -> dict[str, int]:
    return {entry.chunk_id: place for place, entry in enumerate(trace.final, start=1)} if trace else {}


def _candidates(trace: Trace | None) -> dict[str, int]:
    return {entry.chunk_id: place for place, entry in enumerate(trace.completed.living, start=1)} if trace else {}

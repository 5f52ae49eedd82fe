"""The report of an evaluation as frozen values that survive JSON: figures, questions, and what must be known to read them."""

from __future__ import annotations

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation.assertions import Matrix
from retrieval.evaluation.golds import GoldState
from retrieval.evaluation.model import Gold
from retrieval.evaluation.statistics import LEVEL, Estimate
from retrieval.settings import Settings
from retrieval.trace import Stamps


class Figure(msgspec.Struct, frozen=True):
    """One metric over some questions.

    ``estimate`` counts what nobody has judged as not relevant; ``judged`` leaves such places out (n = 0 where that says nothing).
    ``golds`` are the gold norms of the questions that entered, ``unreachable`` those of them that no search can find, ``repealed`` those
    that only a question finds that names them.
    """

    metric: str
    estimate: Estimate
    judged: Estimate
    golds: int = 0
    unreachable: int = 0
    repealed: int = 0


class Group(msgspec.Struct, frozen=True):
    """The figures of a part of the set: the questions with one tag, or the needs in one corpus. ``questions`` counts them."""

    name: str
    questions: int
    figures: tuple[Figure, ...]


class Problem(msgspec.Struct, frozen=True):
    """A gold norm that no search can find (not in stock, ambiguous, not to be read), or a repealed one."""

    question_id: str
    gold: Gold
    state: GoldState


class Failed(msgspec.Struct, frozen=True):
    """A question that could not be run. It enters no figure."""

    question_id: str
    question: str
    error_class: str
    message: str


class Row(msgspec.Struct, frozen=True):
    """One question that was run.

    ``fingerprint`` is a hash of the question with its gold. ``hits`` is the final list as chunk ids; ``places`` has for each need the
    place (from 1) that fulfils it; ``unjudged`` counts places. ``values`` and ``judged`` are by metric, None where the question does not
    enter it. ``partial`` says that a part of the run failed.
    """

    question_id: str
    question: str
    fingerprint: str
    tags: tuple[str, ...]
    hits: tuple[str, ...]
    places: tuple[int | None, ...]
    unjudged: int
    values: dict[str, float | None]
    judged: dict[str, float | None]
    partial: bool = False


class Report(msgspec.Struct, frozen=True):
    """What one setting makes of a set.

    ``fingerprint`` is that of the set with its norms as the stock spells them. ``k`` is the number of places that metrics with a cut look
    at. ``settings`` is None and ``stamps`` empty when no question could be run; more than one stamp says that the stock changed meanwhile.
    ``without`` are the stages left out. ``golds`` counts the gold norms of the set and
    ``problems`` names those that limit its figures; ``checked`` says that somebody looked. ``without_gold`` are questions that were run
    and enter no figure.
    """

    name: str
    fingerprint: str
    k: int
    settings: Settings | None
    without: tuple[str, ...]
    stamps: tuple[Stamps, ...]
    figures: tuple[Figure, ...]
    by_corpus: tuple[Group, ...]
    by_tag: tuple[Group, ...]
    rows: tuple[Row, ...]
    golds: int
    checked: bool
    problems: tuple[Problem, ...] = ()
    failed: tuple[Failed, ...] = ()
    without_gold: tuple[str, ...] = ()
    demands: Matrix = Matrix()
    level: float = LEVEL

    def figure(self, metric: str) -> Figure:
        """The figure of a metric over the whole set. Raises KeyError for a metric that there is not."""
        for found in self.figures:
            if found.metric == metric:
                return found
        raise KeyError(f"Metric {metric!r}: found none of this name, expected one of {', '.join(one.metric for one in self.figures)}.")

    @property
    def partial(self) -> tuple[str, ...]:
        """The questions in whose run a part failed."""
        return tuple(row.question_id for row in self.rows if row.partial)

    def to_json(self) -> bytes:
        """The report as JSON."""
        return msgspec.json.encode(self, order="sorted")


def read_report(text: str | bytes, name: str) -> Report:
    """A report from its JSON, or from the output of ``fundstelle evaluate --json`` that holds one; ``name`` is the file's.

    Raises BadInput for JSON of another shape.
    """
    try:
        found = msgspec.json.decode(text)
        return msgspec.convert(found.get("report", found) if isinstance(found, dict) else found, Report)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{name}: found no report ({error}); expected what 'fundstelle evaluate … --json' wrote. Make it again.") from None

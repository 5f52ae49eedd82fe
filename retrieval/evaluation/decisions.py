"""A decision: settings that somebody signs off, with everything that it rests on, so that it can be understood without this program.

What is measured comes in as reports, times as texts: the same values give the same decision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import msgspec

from retrieval.errors import BadInput
from retrieval.evaluation import statistics
from retrieval.evaluation.against import Against, against
from retrieval.evaluation.agreement import agreement
from retrieval.evaluation.evaluate import SAMPLING, Sampling
from retrieval.evaluation.judging import NO_JUDGEMENTS, Judgements
from retrieval.evaluation.metrics import METRICS, Metric
from retrieval.evaluation.model import Gold, Question, QuestionSet
from retrieval.evaluation.protocol import Event, tried
from retrieval.evaluation.report import Figure, Report
from retrieval.evaluation.sets import fingerprint
from retrieval.evaluation.verdicts import Verdict, in_force
from retrieval.exports.fingerprints import Fingerprint
from retrieval.knobs import Value
from retrieval.model import Address, CorpusSpec
from retrieval.settings import Settings

SCHEMA, REVISION = 1, 0
"""The form of a decision. Another schema is not read; a later revision only adds fields, which an earlier program passes over."""
NO_MARKS = Fingerprint()
PartName = Literal["all", "tuned", "held_out"]
Side = Literal["default", "former"]


class Former(msgspec.Struct, frozen=True):
    """A decision that another one replaces: its name, when it was made (UTC, ISO), its file, and the sha256 of that (64 hex digits)."""

    name: str
    decided: str
    file: str = ""
    hash: str = ""


class Signed(msgspec.Struct, frozen=True):
    """What people say of a decision. ``decided`` is the moment (UTC, ISO with seconds); ``replaces`` None where it is the first."""

    name: str
    decided_by: tuple[str, ...]
    reason: str
    decided: str
    replaces: Former | None = None


class Part(msgspec.Struct, frozen=True):
    """The figures of a part of the set: all questions, those to tune with, those held out. ``questions`` are their ids."""

    name: PartName
    questions: tuple[str, ...]
    figures: tuple[Figure, ...]

    def figure(self, metric: str) -> Figure | None:
        """The figure of a metric; None where it was not measured."""
        return next((one for one in self.figures if one.metric == metric), None)


class Comparison(msgspec.Struct, frozen=True):
    """The decided settings (second) against others (first), both measured on the same day over ``k`` places, for each part of the set."""

    side: Side
    settings: dict[str, Value]
    without: tuple[str, ...]
    k: int
    all: Against
    tuned: Against
    held_out: Against

    def part(self, name: PartName) -> Against:
        """The comparison over one part of the set."""
        return {"all": self.all, "tuned": self.tuned, "held_out": self.held_out}[name]


class Judging(msgspec.Struct, frozen=True):
    """What the judges of hits say of each other.

    ``norms`` counts the pairs of question and norm that anybody judged, ``shared`` those that several judged, ``differing`` those of them
    on which grades differ. ``alpha`` is Krippendorff's (ordinal, at most 1), None where there are too few to say.
    """

    judges: tuple[str, ...]
    norms: int
    shared: int = 0
    differing: int = 0
    alpha: float | None = None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Settings, signed off.

    ``settings`` are all values, ``settings_toml`` the same as ``--settings`` takes them. ``questions`` is the set with its norms as the
    stock spells them, ``set_fingerprint`` its hash. ``report`` is the whole measurement, question by question; ``parts`` its figures for
    the set and both halves. ``tried`` counts the settings that were measured with the set before, ``revealed`` how often the held-out
    half was looked at; ``events`` are those of the protocol since the former decision. ``corpora`` say what the rules were called and
    which version of them was in stock. ``judgements`` are those beside the gold, by question id, with which it was measured.
    """

    schema: int = SCHEMA
    revision: int = REVISION
    name: str
    decided_by: tuple[str, ...]
    reason: str
    decided: str
    settings: dict[str, Value]
    settings_toml: str
    questions: QuestionSet
    set_fingerprint: str
    report: Report
    parts: tuple[Part, ...]
    comparisons: tuple[Comparison, ...] = ()
    without: tuple[str, ...] = ()
    replaces: Former | None = None
    tried: int = 0
    revealed: int = 0
    events: tuple[Event, ...] = ()
    fingerprint: Fingerprint = NO_MARKS
    corpora: tuple[CorpusSpec, ...] = ()
    judging: Judging | None = None
    judgements: dict[str, tuple[Gold, ...]] = {}

    @property
    def used(self) -> Settings:
        """The settings for this program. Raises BadSetting for one that it does not know, or no longer takes."""
        return Settings.of(self.settings)

    def part(self, name: PartName) -> Part:
        """The figures of a part of the set; without any where it was not measured."""
        return next((one for one in self.parts if one.name == name), Part(name, (), ()))

    def to_json(self) -> bytes:
        """The decision as JSON that people can read, too; its settings stand in the order of the run."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


class _Form(msgspec.Struct, frozen=True):
    """What decisions of every form have in common."""

    schema: int
    revision: int = 0


def read_decision(data: bytes, name: str) -> Decision:
    """A decision from its JSON; ``name`` is the file's. Raises BadInput for another form, or what is none."""
    wanted = "expected the .json file that a decision was written to"
    try:
        form = msgspec.json.decode(data, type=_Form)
        if form.schema == SCHEMA:
            return msgspec.json.decode(data, type=Decision)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{name}: found no decision ({error}); {wanted}. Choose another file, or restore it from a copy.") from None
    way = "a newer version of the program" if form.schema > SCHEMA else "an older version of the program"
    raise BadInput(
        f"{name}: found a decision of form {form.schema}; this program reads form {SCHEMA}. It was written by {way}: read it with that, "
        "or read the text beside it (.md), which needs no program."
    )


# --- making one -------------------------------------------------------------------------------------------------------


def decision(
    signed: Signed,
    report: Report,
    questions: QuestionSet,
    *,
    comparisons: Sequence[Comparison] = (),
    events: Sequence[Event] = (),
    marks: Fingerprint = NO_MARKS,
    corpora: Sequence[CorpusSpec] = (),
    judging: Judging | None = None,
    judgements: Judgements = NO_JUDGEMENTS,
    sampling: Sampling = SAMPLING,
) -> Decision:
    """The decision for the settings that ``report`` measured over the settled set ``questions``.

    ``events`` is the whole protocol of the set. Raises BadInput where a name or the reason is missing, and for a measurement that does
    not hold what a decision needs: a question or a part of a run failed, or the stock changed meanwhile.
    """
    settings = _sound(signed, report, questions)
    return Decision(
        name=" ".join(signed.name.split()),
        decided_by=tuple(" ".join(one.split()) for one in signed.decided_by),
        reason=signed.reason.strip(),
        decided=signed.decided,
        settings=settings.flat(),
        settings_toml=settings.to_toml(),
        questions=questions,
        set_fingerprint=fingerprint(questions),
        report=report,
        parts=parts(report, questions, sampling),
        comparisons=tuple(comparisons),
        without=report.without,
        replaces=signed.replaces,
        tried=tried(events),
        revealed=sum(event.act == "revealed" for event in events),
        events=since(events, signed.replaces),
        fingerprint=marks,
        corpora=tuple(sorted(corpora, key=lambda spec: spec.corpus_id)),
        judging=judging,
        judgements={name: tuple(golds) for name, golds in judgements.items()},
    )


def _sound(signed: Signed, report: Report, questions: QuestionSet) -> Settings:
    missing = [
        what
        for what, found in (("name", signed.name), ("reason", signed.reason), ("names of those who decide", "".join(signed.decided_by)))
        if not found.strip()
    ]
    if missing or not all(one.strip() for one in signed.decided_by):
        raise BadInput(f"Decision: found no {', no '.join(missing) or 'name for one of those who decide'}; expected all of them. Add it.")
    if report.failed or report.partial:
        names = ", ".join([*(one.question_id for one in report.failed), *report.partial][:10])
        raise BadInput(f"Decision: found questions that could not be run whole ({names}); expected all of them. Measure again.")
    if len(report.stamps) > 1:
        raise BadInput("Decision: found a measurement during which the stock changed; expected one state of the stock. Measure again.")
    if report.settings is None or report.fingerprint != fingerprint(questions):
        raise BadInput("Decision: found a measurement without questions, or of another set; expected one of this set. Measure again.")
    return report.settings


def since(events: Sequence[Event], former: Former | None) -> tuple[Event, ...]:
    """The events after the one with which a former decision was signed off; all of them where there is none."""
    if former is None:
        return tuple(events)
    places = [place for place, one in enumerate(events) if one.act == "decided" and one.details.get("file") == former.file]
    return tuple(events[places[-1] + 1 :]) if places else tuple(one for one in events if one.when > former.decided)


def judging_of(lines: Iterable[Verdict]) -> Judging | None:
    """What the judges of hits say of each other; None where nobody gave a grade."""
    graded = [one for one in in_force(lines) if one.grade is not None]
    found = agreement(graded)
    if not graded:
        return None
    grades: dict[tuple[str, Address], list[int | None]] = {}
    for one in graded:
        grades.setdefault((one.question_id, one.address), []).append(one.grade)
    differing = sum(len(set(some)) > 1 for some in grades.values())
    return Judging(found.judges, len(grades), found.units, differing, found.alpha)


# --- figures ----------------------------------------------------------------------------------------------------------


def parts(report: Report, questions: QuestionSet, sampling: Sampling = SAMPLING) -> tuple[Part, ...]:
    """The figures over all questions of a report, those to tune with, and those held out."""
    ids = tuple(row.question_id for row in report.rows)
    tuned, held = statistics.halves(ids)
    return (
        Part("all", ids, report.figures),
        *(Part(name, chosen, _figures(report, questions, set(chosen), sampling)) for name, chosen in _named(tuned, held)),
    )


def _named(tuned: tuple[str, ...], held: tuple[str, ...]) -> Iterable[tuple[PartName, tuple[str, ...]]]:
    yield "tuned", tuned
    yield "held_out", held


def _figures(report: Report, questions: QuestionSet, ids: Collection[str], sampling: Sampling) -> tuple[Figure, ...]:
    by_id = {one.id: one for one in questions.questions}
    return tuple(figure(metric, report, by_id, ids, sampling) for metric in METRICS.values())


def figure(metric: Metric, report: Report, questions: dict[str, Question], ids: Collection[str], sampling: Sampling = SAMPLING) -> Figure:
    """A metric over some of the questions of a report, as ``evaluate`` gives it over all of them."""
    rows = [row for row in report.rows if row.question_id in ids]
    entered = {row.question_id for row in rows if row.values.get(metric.name) is not None}
    flawed = [one for one in report.problems if one.question_id in entered]
    repealed = sum(one.state == "repealed" for one in flawed)
    golds = sum(len(need.any_of) for one in entered for need in questions[one].needs)
    values, judged = ([getattr(row, kind).get(metric.name) for row in rows] for kind in ("values", "judged"))
    found = [_estimate([one for one in some if one is not None], metric, sampling) for some in (values, judged)]
    return Figure(metric.name, found[0], found[1], golds, len(flawed) - repealed, repealed)


def _estimate(values: Sequence[float], metric: Metric, sampling: Sampling) -> statistics.Estimate:
    if metric.kind == "share":
        return statistics.share(values, sampling.level)
    return statistics.mean(values, sampling.level, sampling.resamples, sampling.seed)


def comparison(side: Side, before: Report, after: Report, sampling: Sampling = SAMPLING) -> Comparison | None:
    """The decided settings ``after`` against others, on the whole set and on both halves; None where either measured nothing.

    Raises BadInput for reports that look at different numbers of places.
    """
    if before.settings is None or after.settings is None:
        return None
    ids = tuple(row.question_id for row in after.rows)
    found = [against(before, after, some, sampling) for some in (ids, *statistics.halves(ids))]
    return Comparison(side, before.settings.flat(), before.without, after.k, *found)

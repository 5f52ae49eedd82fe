"""Signing off a decision: what is measured for it, what it is compared with, and where it is kept."""

from __future__ import annotations

import re

import msgspec

from dashboard import assessing
from dashboard.assessing import Side
from dashboard.tuning import Tuning
from retrieval.errors import BadInput
from retrieval.evaluation import protocol, verdicts
from retrieval.evaluation.decision_files import Kept, store, stored
from retrieval.evaluation.decisions import Comparison, Decision, Signed, comparison, decision, judging_of
from retrieval.evaluation.judging import Judgements
from retrieval.evaluation.report import Report
from retrieval.exports.fingerprints import Fingerprint
from retrieval.model import CorpusSpec
from retrieval.settings import Settings
from retrieval.words import Words

_BETWEEN_NAMES = re.compile(r"[;,\n]")


class Draft(msgspec.Struct, frozen=True):
    """What a person filled in. ``names`` are parted by commas, semicolons or lines; ``former`` is the decision that is replaced."""

    name: str = ""
    names: str = ""
    reason: str = ""
    former: Kept | None = None

    @property
    def decided_by(self) -> tuple[str, ...]:
        """The names, each once."""
        return tuple(dict.fromkeys(filter(None, (" ".join(one.split()) for one in _BETWEEN_NAMES.split(self.names)))))

    @property
    def missing(self) -> tuple[str, ...]:
        """The fields that are still empty."""
        found = {"name": self.name.strip(), "names": self.decided_by, "reason": self.reason.strip()}
        return tuple(field for field, value in found.items() if not value)


def formers(tuning: Tuning) -> tuple[Kept, ...]:
    """The decisions that were made with this set, the latest first."""
    name = tuning.checked.settled.name
    return tuple(one for one in stored(tuning.workshop.decisions).kept if one.decision.questions.name == name)


def sign(tuning: Tuning, draft: Draft, judgements: Judgements, words: Words) -> Kept:
    """Measure, compare, write the decision and note it. Raises BadInput where it cannot be made or written."""
    events = protocol.events(tuning.workshop.protocol_file(tuning.place.name))
    here = assessing.present(tuning, "")
    report = assessing.report(tuning, here, judgements, words)
    former = draft.former
    signed = Signed(draft.name, draft.decided_by, draft.reason, protocol.moment(), former.former if former else None)
    lines = verdicts.read(tuning.workshop.judgements_file(tuning.place.name))
    made = decision(
        signed,
        report,
        tuning.checked.settled,
        comparisons=_comparisons(tuning, here, former.decision if former else None, judgements, words),
        events=events,
        marks=_marks(tuning, here, report),
        corpora=_corpora(tuning),
        judging=judging_of(lines),
        judgements=judgements,
    )
    kept = store(tuning.workshop.decisions, made)
    tuning.note("decided", details={"name": made.name, "file": kept.path.name}, why=made.reason)
    return kept


def _comparisons(tuning: Tuning, here: Side, former: Decision | None, judgements: Judgements, words: Words) -> list[Comparison]:
    """Against the defaults, and against the decision that is replaced where its settings can still be measured."""
    defaults = assessing.both(tuning, Side("", Settings()), here, judgements, words)
    found = [comparison("default", *defaults)]
    if former is not None and (used := _used(former)) is not None:
        found.append(comparison("former", *assessing.both(tuning, Side("", used, former.without), here, judgements, words)))
    return [one for one in found if one is not None]


def _used(former: Decision) -> Settings | None:
    try:
        return former.used
    except BadInput:  # a setting that this program does not know; the minutes say that there is no comparison
        return None


def _marks(tuning: Tuning, here: Side, report: Report) -> Fingerprint:
    """What the measurement rests on; nothing is stated where no question was run."""
    return Fingerprint.of(assessing.run(tuning, report.rows[0].question, here)) if report.rows else Fingerprint()


def _corpora(tuning: Tuning) -> list[CorpusSpec]:
    stock = tuning.runs.stock
    return [spec for corpus in stock.available() if isinstance(spec := stock.spec(corpus), CorpusSpec)]

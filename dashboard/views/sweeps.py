"""What is said about every sweep: how far it is, what it was started with, what became of it, and what can be concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dashboard import figures
from dashboard.blocks import Block, folded, heading, notice, paragraph, row, table
from dashboard.knobtext import label, shown
from retrieval.evaluation.desk import Broken, Kept
from retrieval.evaluation.protocol_text import when
from retrieval.evaluation.statistics import tried
from retrieval.evaluation.sweeps.model import COST, Half, Spec, Sweep
from retrieval.inspector.comparison import WITHOUT, Difference
from retrieval.settings import KNOBS
from retrieval.words import Words

Names = Mapping[str, str]
"""The questions by their ids."""
_HASH = 12
"""So many digits of a fingerprint are shown."""


def knobs(spec: Spec, words: Words) -> str:
    """The settings that are swept, by their labels."""
    return " × ".join(label(KNOBS[name], words) for name in spec.knobs)


def goal(spec: Spec, words: Words) -> str:
    """What is to be as high as possible; for costs with what a missing norm weighs."""
    name = figures.name(spec.goal.metric, words)
    return words.t("sweeps.cost", name=name, hits=_plain(spec.goal.hits_per_norm, words)) if spec.goal.metric == COST else name


def _plain(value: float, words: Words) -> str:
    return words.whole(int(value)) if value == int(value) else words.number(value, 1)


def title(sweep: Sweep, words: Words) -> str:
    """One sweep in a list."""
    state = words.t(f"sweeps.state.{sweep.state}")
    return words.t(
        "sweeps.title", when=when(sweep.started, words), knobs=knobs(sweep.spec, words), goal=goal(sweep.spec, words), state=state
    )


# --- while it runs ----------------------------------------------------------------------------------------------------


def progress(sweep: Sweep, seconds: float | None, words: Words) -> str:
    """How far a sweep is and how long it will still take."""
    done = sweep.progress
    if not done.total:
        return words.t("sweeps.begins")
    said = words.t(f"sweeps.phase.{done.phase}", done=words.whole(done.done), total=words.whole(done.total))
    return f"{said} {_left(seconds, words)}"


def _left(seconds: float | None, words: Words) -> str:
    if seconds is None:
        return words.t("sweeps.left.unknown")
    if seconds < 1:
        return words.t("sweeps.left.soon")
    return words.n("sweeps.left.seconds", round(seconds)) if seconds < 90 else words.n("sweeps.left.minutes", round(seconds / 60))


def running(sweep: Sweep, chosen_set: str, words: Words) -> list[Block]:
    """What runs now, with what it was started with."""
    said = [words.t("sweeps.runs", knobs=knobs(sweep.spec, words), goal=goal(sweep.spec, words), when=when(sweep.started, words))]
    if sweep.spec.set_name != chosen_set:
        said.append(words.t("sweeps.other_set", name=words.quoted(sweep.spec.set_name)))
    return [paragraph(" ".join([*said, words.t("sweeps.free")])), *basis(sweep, words)]


# --- what it rests on -------------------------------------------------------------------------------------------------


def basis(sweep: Sweep, words: Words) -> list[Block]:
    """The settings and fingerprints that a sweep was started with, behind a label."""
    head = [words.t(f"sweeps.basis.head.{name}") for name in ("what", "value")]
    settings = [row([label(knob, words), _setting(sweep.spec, knob.name, words)]) for knob in KNOBS.values()]
    if sweep.spec.without:
        stages = ", ".join(words.word("stage", stage) for stage in sweep.spec.without)
        settings.append(row([words.t("sweeps.basis.without"), stages]))
    prints = [row([what, value]) for what, value in _prints(sweep, words)]
    found = [
        table(words.t("sweeps.basis.settings"), head, settings),
        table(words.t("sweeps.basis.prints"), head, prints),
    ]
    return [folded(words.t("sweeps.basis.title"), found, f"basis-{sweep.id}")]


def _setting(spec: Spec, name: str, words: Words) -> str:
    value = shown(KNOBS[name], spec.settings.value(name), words)
    return words.t("sweeps.basis.moved", value=value) if name in spec.knobs else value


def _prints(sweep: Sweep, words: Words) -> Iterator[tuple[str, str]]:
    spec = sweep.spec
    yield words.t("sweeps.basis.set"), f"{spec.set_name} · {spec.set_fingerprint[:_HASH]}"
    yield words.t("sweeps.basis.questions"), words.t("sweeps.basis.halves", tuned=len(spec.questions), held=len(spec.held_out))
    if spec.kind == "search":
        yield words.t("sweeps.basis.search"), words.t("sweeps.basis.trials", trials=words.whole(spec.trials), seed=spec.seed)
    for stamp in sweep.stamps:
        for name in ("index", "model", "anchors", "code"):
            found = stamp.version(name)
            yield (
                words.t(f"stamps.{name}"),
                words.t("stamps.source") if (name, found) == ("code", "source") else found or words.t("stamps.none"),
            )
    if not sweep.stamps:
        yield words.t("stamps.index"), words.t("sweeps.basis.no_stamp")
    yield words.t("sweeps.basis.who"), spec.who or words.t("sweeps.basis.nobody")


def changed(sweep: Sweep, differing: Sequence[Difference], same_set: bool, stamp: str, words: Words) -> list[Block]:
    """What is not any more as it was when the sweep was started: the settings in force, the set, the stock."""
    lines = []
    others = [one for one in differing if one.name != WITHOUT]
    if others:
        named = "; ".join(_differs(one, words) for one in others)
        lines.append(words.n("sweeps.changed.settings", len(others), named=named))
    if len(others) < len(differing):
        lines.append(words.t("sweeps.changed.stages"))
    if not same_set:
        lines.append(words.t("sweeps.changed.set"))
    if sweep.stamps and any(one.index != stamp for one in sweep.stamps):
        lines.append(words.t("sweeps.changed.stock"))
    return [notice(words.t("sweeps.changed.title"), lines, "warning")] if lines else []


def _differs(one: Difference, words: Words) -> str:
    knob = KNOBS[one.name]
    then, now = (shown(knob, value, words) for value in one.values)
    return words.t("sweeps.changed.one", name=label(knob, words), then=then, now=now)


# --- what became of it ------------------------------------------------------------------------------------------------


def state(kept: Kept, words: Words) -> list[Block]:
    """What is to be said before the results: partial, failed, broken off, running elsewhere, not saved."""
    sweep = kept.sweep
    found: list[Block] = []
    if sweep.state in ("stopped", "interrupted"):
        found.append(
            notice(words.t(f"sweeps.{sweep.state}.title"), [words.t(f"sweeps.{sweep.state}.text"), *_reached(sweep, words)], "warning")
        )
    if sweep.state == "running" and not kept.here:
        found.append(notice(words.t("sweeps.elsewhere.title"), [words.t("sweeps.elsewhere.text"), *_reached(sweep, words)], "warning"))
    if sweep.state == "failed":
        details = [(words.t("screen.error"), sweep.error)]
        lines = [words.t("sweeps.failed.text"), *_reached(sweep, words)]
        found.append(notice(words.t("sweeps.failed.title"), lines, "fault", details, words.t("screen.details")))
    if kept.unsaved:
        details = [(words.t("screen.error"), kept.unsaved)]
        found.append(notice(words.t("sweeps.unsaved.title"), [words.t("sweeps.unsaved.text")], "fault", details, words.t("screen.details")))
    return found


def _reached(sweep: Sweep, words: Words) -> list[str]:
    """How much of a sweep that did not come to its end is there."""
    if sweep.field is not None:
        return [words.t("sweeps.reached.cells", done=words.whole(sweep.field.done), total=words.whole(sweep.field.total))]
    if sweep.trials:
        return [words.t("sweeps.reached.trials", done=words.whole(len(sweep.trials)), total=words.whole(sweep.spec.trials))]
    if sweep.line is not None or sweep.steps:
        return [words.t("sweeps.reached.part", done=words.whole(len(sweep.measured)), total=words.whole(len(sweep.spec.questions)))]
    return [words.t("sweeps.reached.nothing")]


def broken(found: Sequence[Broken], words: Words) -> list[Block]:
    """The files that hold no sweep, by name."""
    if not found:
        return []
    details = [(one.name, one.message) for one in found]
    lines = [words.n("sweeps.broken.text", len(found), names=", ".join(one.name for one in found))]
    return [notice(words.t("sweeps.broken.title"), lines, "fault", details, words.t("screen.details"))]


# --- what can be concluded --------------------------------------------------------------------------------------------


def outcome(sweep: Sweep, names: Names, settings_tried: int, words: Words) -> list[Block]:
    """Present against best: both halves with what may be said, the losers by name, and how many settings were tried in all.

    ``settings_tried`` counts those of the whole protocol, this sweep's among them.
    """
    found: list[Block] = [heading(words.t("sweeps.outcome")), *_values(sweep, words)]
    if sweep.gain is None:
        found.append(paragraph(words.t("sweeps.no_gain")))
    else:
        halves = [("tuned", sweep.gain.tuned), *([("held", sweep.gain.held)] if sweep.gain.held is not None else [])]
        found += [_estimates(halves, words), *(paragraph(_said(which, half, words)) for which, half in halves)]
        if sweep.gain.held is None:
            found.append(paragraph(words.t("sweeps.no_held")))
        found += _moved(halves, names, sweep, words)
    warned = figures.warned(tried(settings_tried), words)
    return [*found, *([paragraph(warned)] if warned else []), *_left_out(sweep, names, words)]


def _values(sweep: Sweep, words: Words) -> list[Block]:
    """The values in force then and those proposed."""
    if not sweep.values:
        return []
    head = [words.t(f"sweeps.head.{name}") for name in ("setting", "present", "best")]
    rows = [
        row([label(KNOBS[name], words), shown(KNOBS[name], sweep.spec.settings.value(name), words), shown(KNOBS[name], value, words)])
        for name, value in sweep.values.items()
    ]
    kept = all(sweep.spec.settings.value(name) == value for name, value in sweep.values.items())
    said = [paragraph(words.t("sweeps.stay"))] if kept else []
    return [table(words.t("sweeps.values"), head, rows, numeric=(1, 2)), *said]


def _estimates(halves: Sequence[tuple[str, Half]], words: Words) -> Block:
    head = [words.t(f"sweeps.head.{name}") for name in ("half", "present", "best")]
    rows = [
        row([words.t(f"sweeps.half.{which}"), figures.estimated(half.present, words), figures.estimated(half.best, words)])
        for which, half in halves
    ]
    return table(words.t("sweeps.figures"), head, rows)


def _said(which: str, half: Half, words: Words) -> str:
    """What may be said of one half; of the half that has chosen the value, that it is partial to it."""
    said = f"{words.t(f'sweeps.half.{which}')}: {figures.verdict(half.effect, words)}"
    moves = half.effect.verdict not in ("equal", "no_questions")
    return f"{said} {words.t('sweeps.partial')}" if which == "tuned" and moves else said


def _moved(halves: Sequence[tuple[str, Half]], names: Names, sweep: Sweep, words: Words) -> list[Block]:
    """The losers stand openly beside the average, the winners behind a label."""
    head = [words.t(f"sweeps.head.{name}") for name in ("question", "half", "before", "after")]

    def rows(kind: str) -> list[Block]:
        return [
            row(
                [
                    names.get(one.question_id, one.question or one.question_id),
                    words.t(f"sweeps.half.{which}"),
                    words.number(one.before),
                    words.number(one.after),
                ]
            )
            for which, half in halves
            for one in (half.losers if kind == "losers" else half.winners)
        ]

    lost, won = rows("losers"), rows("winners")
    losers = table(words.t("sweeps.losers"), head, lost, numeric=(2, 3), empty=words.t("sweeps.no_losers"))
    if not won:
        return [losers, paragraph(words.t("sweeps.no_winners"), muted=True)]
    winners = table(words.t("sweeps.winners"), head, won, numeric=(2, 3))
    return [losers, folded(words.n("sweeps.winners_label", len(won)), [winners], f"winners-{sweep.id}")]


def _left_out(sweep: Sweep, names: Names, words: Words) -> list[Block]:
    """Questions that entered no figure, and why."""
    found: list[Block] = []
    if sweep.failed:
        head = [words.t(f"sweeps.head.{name}") for name in ("question", "error")]
        rows = [row([one.question or one.question_id, f"{one.error_class}: {one.message}"]) for one in sweep.failed]
        found.append(table(words.n("sweeps.failed_questions", len(rows)), head, rows))
    if sweep.without_figure:
        rows = [row([names.get(one, one)]) for one in sweep.without_figure]
        listed = table(words.t("sweeps.without_figure_caption"), [words.t("sweeps.head.question")], rows)
        found.append(folded(words.n("sweeps.without_figure", len(rows)), [listed], f"unasked-{sweep.id}"))
    return found

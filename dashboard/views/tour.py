"""One step of a tour: its sentence, what is set differently, the lists with every change marked, and whether its claims hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dashboard.blocks import Block, folded, item, notice, pair, paragraph, ranking, row, statement, table, terms
from dashboard.knobtext import label, shown
from dashboard.naming import norm, short_name, target_name
from retrieval.decide import STAGES
from retrieval.settings import KNOBS, Settings
from retrieval.tours import Beside, Held, Move, Place, Step, Walked
from retrieval.trace import Trace
from retrieval.words import Words

EXAMPLE = """[[step]]
id = "quote"
de = "Erst die Quote bringt die Ziffer 4.10 in die Liste."
question = "Wie wird die abweichende Abgabe gekennzeichnet?"
settings = { min_ratio = 0.25 }
compare_with = { without = ["quota"] }
norms = [{ corpus = "abrechnungsvereinbarung", section = "Ziffer 4.10" }]
shows = "floor"
expects = [{ corpus = "abrechnungsvereinbarung", section = "Ziffer 4.10", in_list = true }]
"""
_FIELDS = ("id", "de", "question", "settings", "without", "compare_with", "norms", "shows", "expects")


# --- instead of a step ------------------------------------------------------------------------------------------------


def none(words: Words) -> list[Block]:
    """No tour was named: what one is and how to write it."""
    lines = [words.t(f"tour.none.{name}") for name in ("text", "how", "check")]
    meaning = terms([(name, words.t(f"tour.field.{name}")) for name in _FIELDS])
    return [
        notice(words.t("tour.none.title"), lines, "note", [("", EXAMPLE)], words.t("tour.none.example")),
        folded(words.t("tour.none.fields"), [meaning], "tour_fields"),
    ]


def broken(error: Exception, words: Words) -> list[Block]:
    """The tour was named and cannot be read."""
    details = [(type(error).__name__, str(error))]
    return [notice(words.t("tour.broken.title"), [words.t("tour.broken.text")], "fault", details, words.t("tour.broken.label"))]


# --- the step ---------------------------------------------------------------------------------------------------------


def head(walked: Walked, number: int, count: int, words: Words) -> list[Block]:
    """Which step it is, its sentence large, and the question; ``number`` counts from 1."""
    above = words.t("tour.progress", number=number, count=count)
    found = [statement(walked.step.sentence(words.language), above), *_wrong(walked, words)]
    if walked.shown.partial or (walked.compared and walked.compared.partial):
        found.append(notice(words.t("tour.failed"), role="fault"))
    return [*found, paragraph(words.t("tour.question", question=words.quoted(walked.step.question)), muted=True)]


def lists(walked: Walked, words: Words) -> list[Block]:
    """The list of the step, beside the one that it is compared with; what changed in a sentence, in words at each hit, and in form."""
    step = walked.step
    by_id = {move.chunk_id: move for move in walked.moves}
    after = words.t("tour.list.only" if walked.compared is None else "tour.list.after", run=run_name(step, words))
    sides = [ranking(after, _items(walked.shown, by_id, walked, words), _empty(walked.shown, words))]
    if walked.compared is not None and step.compare_with is not None:
        before = words.t("tour.list.before", run=run_name(step.compare_with, words))
        sides.insert(0, ranking(before, _items(walked.compared, by_id, walked, words), _empty(walked.compared, words)))
    outside = [paragraph(sentence) for sentence in _outside(walked, words)]
    return [paragraph(change(walked, words)), *outside, {"type": "pair", "sides": sides} if len(sides) == 1 else pair(*sides)]


def change(walked: Walked, words: Words) -> str:
    """What differs between the two lists, in a sentence or two."""
    if walked.compared is None:
        return words.t("tour.change.single", n=words.whole(len(walked.shown.final)))
    enters = [move for move in walked.moves if not move.before]
    leaves = [move for move in walked.moves if not move.after]
    others = sum(0 < move.before != move.after > 0 for move in walked.moves)
    if not enters and not leaves:
        return words.n("tour.change.only_moves", others) if others else words.t("tour.change.none")
    parts = [
        words.n(f"tour.change.{name}", len(moves), norms="; ".join(_name(move.chunk_id, walked) for move in moves))
        for name, moves in (("enters", enters), ("leaves", leaves))
        if moves
    ]
    return " ".join([*parts, *([words.n("tour.change.moves", others)] if others else ())])


def moved(walked: Walked, words: Words) -> list[Block]:
    """The settings and stages in which the two runs differ; without comparison, how the run differs from the defaults."""
    step = walked.step
    if step.compare_with is None:
        key = "tour.moved.single" if step.settings or step.without else "tour.moved.nothing"
        return [paragraph(words.t(key, run=run_name(step, words)))]
    rows = [row([what, before, after], "strong") for what, before, after in _differences(step, step.compare_with, words)]
    columns = [words.t(f"tour.moved.head.{name}") for name in ("what", "before", "after")]
    return [table(words.t("tour.moved.caption"), columns, rows, empty=words.t("tour.moved.same"))]


def checks(walked: Walked, words: Words) -> list[Block]:
    """What was checked and is true; what is not stands at the top, see ``head``."""
    if not walked.held:
        return [paragraph(words.t("tour.check.nothing"), muted=True)]
    true = [_claim(held, walked.shown, words) for held in walked.held if held.state == "met"]
    return [paragraph(words.t("tour.check.met", claims="; ".join(true)), muted=True)] if true else []


def run_name(side: Step | Beside, words: Words) -> str:
    """A run by what is not the default in it: settings with their values, stages left out."""
    used = Settings.of(side.settings)
    values = [(KNOBS[name], used.value(name)) for name in side.settings]
    settings = [f"{label(knob, words)} {shown(knob, value, words)}" for knob, value in values if value != knob.default]
    without = [words.word("tour_without", stage) for stage in side.without]
    return ", ".join((*settings, *without)) or words.t("tour.list.defaults")


# --- the parts --------------------------------------------------------------------------------------------------------


def _differences(step: Step, other: Beside, words: Words) -> Iterator[tuple[str, str, str]]:
    before, after = Settings.of(other.settings), Settings.of(step.settings)
    for name, knob in KNOBS.items():
        values = before.value(name), after.value(name)
        if values[0] != values[1]:
            yield label(knob, words), shown(knob, values[0], words), shown(knob, values[1], words)
    for stage in STAGES:
        off = stage in other.without
        if off != (stage in step.without):
            states = words.t("tour.moved.off"), words.t("tour.moved.on")
            yield words.t("tour.moved.stage", stage=words.word("tour.stage", stage)), states[not off], states[off]


def _items(trace: Trace, by_id: dict[str, Move], walked: Walked, words: Words) -> list[Block]:
    found = []
    for place, entry in enumerate(trace.final, start=1):
        move = by_id[entry.chunk_id]
        changed = walked.compared is not None and move.before != move.after
        focus = entry.chunk_id in walked.focus
        lines = [words.t("tour.list.rank", rank=words.number(entry.rank))]
        if walked.compared is not None:
            lines.append(_movement(move, trace is walked.shown, words))
        if focus:
            lines.append(words.t("tour.list.focus"))
        tone = " ".join(name for name, on in (("strong", changed), ("focus", focus)) if on)
        found.append(item(str(place), norm(trace.chunks[entry.chunk_id], trace.specs), [" · ".join(lines)], tone))
    return found


def _movement(move: Move, shown_list: bool, words: Words) -> str:
    """What happens to a hit, told in the list of the step or in the one beside it."""
    if not move.after:
        return words.t("tour.list.leaves")
    if not move.before:
        return words.t("tour.list.enters", place=move.stood) if move.stood else words.t("tour.list.enters_new")
    if move.before == move.after:
        return words.t("tour.list.stays", after=move.after)
    way = "up" if move.after < move.before else "down"
    return words.t(f"tour.list.{way}" if shown_list else f"tour.list.goes_{way}", before=move.before, after=move.after)


def _empty(trace: Trace, words: Words) -> str:
    return "" if trace.final else words.t("tour.list.empty")


def _outside(walked: Walked, words: Words) -> Iterator[str]:
    """Where the norms in question stand that are not in the list of the step."""
    trace = walked.shown
    listed = {entry.chunk_id for entry in trace.final}
    stands = {entry.chunk_id: place for place, entry in enumerate(trace.completed.living, start=1)}
    for place, chunks in walked.by_place:
        if listed & set(chunks):
            continue
        places = sorted(stands[chunk] for chunk in chunks if chunk in stands)
        name = _place_name(place, trace)
        if not places:
            yield words.t("tour.outside.absent", norm=name)
        elif place.section:
            yield words.t("tour.outside.before_quota", norm=name, place=words.whole(places[0]))
        else:
            yield words.t("tour.outside.corpus", corpus=name, place=words.whole(places[0]))


def _wrong(walked: Walked, words: Words) -> list[Block]:
    """Every claim that is not true of this stock, or speaks of what it does not have."""
    lines = []
    for held in walked.held:
        if held.state == "met":
            continue
        found = words.t("tour.check.wrong.at", places=_listed(held.places)) if held.places else words.t("tour.check.wrong.nowhere")
        lines.append(words.t(f"tour.check.wrong.{held.state}", claim=_claim(held, walked.shown, words), found=found))
    return [notice(words.t("tour.check.wrong.title"), lines, "fault")] if lines else []


def _claim(held: Held, trace: Trace, words: Words) -> str:
    expected = held.expectation
    key = "at_place" if expected.place else "in_list" if expected.in_list else "not_in_list"
    key = key if expected.section else f"corpus_{key}"
    claim = words.t(f"tour.check.{key}", norm=_place_name(expected, trace), place=expected.place)
    return words.t("tour.check.compared", claim=claim) if expected.compared else claim


def _listed(places: Sequence[int]) -> str:
    return ", ".join(str(place) for place in places)


def _place_name(place: Place, trace: Trace) -> str:
    return target_name(place.target, trace.specs) if place.section else short_name(place.corpus, trace.specs)


def _name(chunk_id: str, walked: Walked) -> str:
    trace = walked.shown if chunk_id in walked.shown.chunks or walked.compared is None else walked.compared
    return norm(trace.chunks[chunk_id], trace.specs)

"""The record of a decision as the minutes of a meeting, in Markdown: readable, also aloud, without this program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from retrieval.evaluation.decision_annexes import annexes, gold_text, short
from retrieval.evaluation.decision_compare import Loss, losses
from retrieval.evaluation.decisions import Comparison, Decision, PartName
from retrieval.evaluation.golds import GoldState
from retrieval.evaluation.markdown import bullets, joined, plain, quoted, table
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.protocol import Event, Shift, latest, shift, shifts
from retrieval.evaluation.protocol_text import change as changed_until
from retrieval.evaluation.protocol_text import left_out, moves, reason, sentence, signed, when
from retrieval.evaluation.report import Figure
from retrieval.evaluation.statistics import LEVEL, Effect, tried
from retrieval.knobs import Value
from retrieval.settings import Settings
from retrieval.words import NONE, Words

PARTS: tuple[PartName, ...] = ("all", "tuned", "held_out")
Block = Sequence[str]
_ALMOST_SURE = 0.99


def minutes(decision: Decision, words: Words) -> str:
    """The minutes of a decision; the same text for the same decision and language."""
    return joined(
        (
            [f"# {words.t('decision.title', name=plain(decision.name))}"],
            *_head(decision, words),
            *_decided(decision, words),
            *_section("reasons", [quoted(decision.reason)], words),
            *_section("figures", _figures(decision, words), words),
            *(block for one in decision.comparisons for block in _comparison(one, decision, words)),
            *_section("uncertain", [bullets(uncertain(decision, words))], words),
            *_section("losers", _losers(decision, words), words),
            *_section("history", _history(decision, words), words),
            *annexes(decision, words),
        )
    )


def _section(name: str, blocks: Iterable[Block], words: Words) -> Iterator[Block]:
    yield [f"## {words.t(f'decision.section.{name}')}"]
    yield from blocks


# --- head and decision ------------------------------------------------------------------------------------------------------


def _head(decision: Decision, words: Words) -> Iterator[Block]:
    report, former = decision.report, decision.replaces
    counts = {
        "name": plain(decision.questions.name),
        "questions": words.n("decision.questions", len(report.rows)),
        "golds": words.n("decision.golds", report.golds),
    }
    replaced = words.t("decision.first")
    if former is not None:
        replaced = words.t("decision.replaces", name=plain(former.name), when=when(former.decided, words), file=plain(former.file))
    rows = {
        "when": when(decision.decided, words),
        "who": plain("; ".join(decision.decided_by)),
        "set": words.t("decision.set", **counts),
        "replaced": replaced,
    }
    said = [(words.t(f"decision.head.{key}"), value) for key, value in rows.items()]
    yield table([words.t("decision.head.what"), words.t("decision.head.said")], said)
    invented = [plain(short(spec, spec.corpus_id)) for spec in decision.corpora if spec.invented]
    if invented:
        yield [words.t("decision.invented", titles="; ".join(invented))]


def _decided(decision: Decision, words: Words) -> Iterator[Block]:
    yield [f"## {words.t('decision.section.decision')}"]
    changed = changes(decision.settings, decision.without, words)
    yield [words.t("decision.as_defaults" if not changed else "decision.other_than_defaults")]
    yield bullets(plain(line) for line in changed)
    former = next((one for one in decision.comparisons if one.side == "former"), None)
    if former is not None:
        since = moves(shift(_stand(former), decision.settings, decision.without), words)
        yield [words.t("decision.since_former" if since else "decision.as_former")]
        yield bullets(plain(line) for line in since)


def changes(settings: dict[str, Value], without: Sequence[str], words: Words) -> list[str]:
    """What is not the default of the program, in lines: each setting from its default to its value, each stage that is left out."""
    defaults = Event("", "", "decided", "", settings=Settings().flat())
    return moves(shift(defaults, settings, without), words)


def _stand(one: Comparison) -> Event:
    return Event("", "", "decided", "", settings=one.settings, without=one.without)


# --- figures -------------------------------------------------------------------------------------------------------------


def _figures(decision: Decision, words: Words) -> Iterator[Block]:
    parts = [decision.part(name) for name in PARTS]
    head = [words.t("decision.head.metric"), *(words.t(f"decision.part.{one.name}", n=words.whole(len(one.questions))) for one in parts)]
    rows = [
        [metric_name(name, words), *(figure_text(part.figure(name), words) for part in parts)]
        for name in METRICS
        if decision.part("all").figure(name)
    ]
    yield [words.t("decision.figures_lead", k=words.whole(decision.report.k), level=words.percent(LEVEL))]
    yield table(head, rows)
    yield [words.t("decision.halves")]


def figure_text(figure: Figure | None, words: Words) -> str:
    """A figure with interval and number of questions; a dash where no question entered."""
    estimate = figure.estimate if figure else None
    if estimate is None or estimate.value is None or estimate.interval is None:
        return NONE
    return words.n("decision.value", estimate.n, value=estimate.value, low=estimate.interval.low, high=estimate.interval.high)


def metric_name(name: str, words: Words) -> str:
    """What a metric is called."""
    if name not in METRICS:
        return name
    return METRICS[name].label_de if words.language == "de" else METRICS[name].label_en


def _comparison(one: Comparison, decision: Decision, words: Words) -> Iterator[Block]:
    yield [f"### {words.t(f'decision.against.{one.side}')}"]
    if one.settings == decision.settings and one.without == decision.without:
        yield [words.t(f"decision.same_as.{one.side}")]
        return
    yield [words.t("decision.against_lead", k=words.whole(one.k))]
    if one.without:
        yield [words.t(f"decision.against_without.{one.side}", stages=left_out(one.without, words))]
    counted = (words.t(f"decision.part.{name}", n=words.whole(one.part(name).questions)) for name in PARTS)
    head = [words.t("decision.head.metric"), *counted]
    effects = {name: {found.metric: found.effect for found in one.part(name).metrics} for name in PARTS}
    rows = [[metric_name(name, words), *(effect_text(effects[part][name], words) for part in PARTS)] for name in effects["all"]]
    yield table(head, rows)
    yield [words.t("decision.against_read")]


def effect_text(effect: Effect, words: Words) -> str:
    """What may be said about a difference, in few words that claim no more than the questions show."""
    if effect.difference is None or effect.verdict == "no_questions":
        return NONE
    if effect.verdict == "equal":
        return words.t("decision.verdict.equal")
    said = words.t(f"decision.verdict.{effect.verdict}", difference=signed(effect.difference, words))
    if effect.interval is None:
        return said
    low, high = signed(effect.interval.low, words), signed(effect.interval.high, words)
    return words.t("decision.verdict.with_range", said=said, low=low, high=high)


# --- what is uncertain ---------------------------------------------------------------------------------------------------


Shown = Callable[[str], str]
"""How a text of a person is put into a sentence: escaped for Markdown, or as it is."""


def uncertain(decision: Decision, words: Words, shown: Shown = plain) -> list[str]:
    """What limits the decision, in sentences."""
    return [
        *_chance(decision, words),
        *_tuning(decision, words),
        *_golds(decision, words, shown),
        *_judged(decision, words, shown),
    ]


def _chance(decision: Decision, words: Words) -> Iterator[str]:
    yield words.n("decision.uncertain.questions", len(decision.report.rows))
    for one in decision.comparisons:
        unsure = [found for found in one.all.metrics if found.effect.verdict == "not_distinguishable"]
        if unsure:
            named = "; ".join(_open(found.metric, found.effect, words) for found in unsure)
            yield words.t(f"decision.uncertain.open.{one.side}", metrics=named)
    if decision.replaces is not None and not any(one.side == "former" for one in decision.comparisons):
        yield words.t("decision.uncertain.no_former")


def _open(metric: str, effect: Effect, words: Words) -> str:
    name = metric_name(metric, words)
    return words.n("decision.uncertain.needed", effect.more, metric=name) if effect.more else name


def _tuning(decision: Decision, words: Words) -> Iterator[str]:
    counted = tried(decision.tried)
    if counted.settings > 1:
        chance = words.percent(counted.chance) if counted.chance < _ALMOST_SURE else words.t("decision.uncertain.almost_sure")
        yield words.t("decision.uncertain.tried", n=words.whole(counted.settings), chance=chance)
    else:
        yield words.t("decision.uncertain.not_tried")
    used = sum(event.act == "swept" and event.details.get("held_out") == 0 for event in decision.events)
    if used:
        yield words.n("decision.uncertain.all_used", used)
    elif decision.revealed:
        yield words.n("decision.uncertain.revealed", decision.revealed)
    else:
        yield words.t("decision.uncertain.not_revealed")


def _golds(decision: Decision, words: Words, shown: Shown) -> Iterator[str]:
    report = decision.report
    if report.golds and not report.checked:
        yield words.t("decision.uncertain.unchecked")
    if report.problems:
        named = "; ".join(_problems(decision, words, shown))
        yield words.n("decision.uncertain.problems", len(report.problems), golds=words.whole(report.golds), named=named)
    elif report.checked:
        yield words.t("decision.uncertain.no_problems")
    if report.without_gold:
        yield words.n("decision.uncertain.without_gold", len(report.without_gold), named=shown(", ".join(report.without_gold)))
    if report.demands.broken:
        yield words.n("decision.uncertain.demands", len(report.demands.broken))


def _problems(decision: Decision, words: Words, shown: Shown) -> Iterator[str]:
    """Each norm once, with its state and the questions that it was to answer."""
    found: dict[tuple[str, GoldState], list[str]] = {}
    for one in decision.report.problems:
        found.setdefault((gold_text(one.gold, decision), one.state), []).append(one.question_id)
    for (norm, state), ids in found.items():
        values = {"norm": shown(norm), "ids": shown(", ".join(dict.fromkeys(ids))), "state": words.t(f"decision.gold.{state}")}
        yield words.n("decision.uncertain.problem", len(set(ids)), **values)


def _judged(decision: Decision, words: Words, shown: Shown) -> Iterator[str]:
    figure = decision.part("all").figure("judged")
    if figure is not None and figure.estimate.value is not None:
        share = words.percent(figure.estimate.value)
        yield words.t("decision.uncertain.judged", share=share, k=words.whole(decision.report.k))
    if decision.judgements:
        yield words.t("decision.uncertain.judgements", n=words.whole(sum(map(len, decision.judgements.values()))))
    found = decision.judging
    if found is None:
        return
    yield words.n("decision.uncertain.judges", len(found.judges), names=shown(", ".join(found.judges)), norms=words.whole(found.norms))
    if found.shared:
        yield words.t("decision.uncertain.shared", shared=words.whole(found.shared), differing=words.whole(found.differing))
    if found.alpha is not None:
        yield words.t("decision.uncertain.alpha", alpha=found.alpha)


# --- losers and protocol -------------------------------------------------------------------------------------------------


def _losers(decision: Decision, words: Words) -> Iterator[Block]:
    if not decision.comparisons:
        yield [words.t("decision.no_comparison")]
    for one in decision.comparisons:
        lines = [_loser(lost, words) for lost in losses(one.all.metrics)]
        yield [words.t(f"decision.{'losers' if lines else 'no_losers'}.{one.side}")]
        yield bullets(lines)
        gained = {winner.question_id for found in one.all.metrics for winner in found.winners}
        yield [words.n("decision.gained", len(gained))] if gained else []


def _loser(one: Loss, words: Words) -> str:
    return words.t("decision.loser", question=plain(one.question), id=plain(one.question_id), lost=lost_text(one, words))


def lost_text(one: Loss, words: Words) -> str:
    """What a question loses, metric by metric, in a line."""
    return "; ".join(
        words.t("decision.lost", metric=metric_name(metric, words), before=change.before, after=change.after)
        for metric, change in one.changes
    )


def _history(decision: Decision, words: Words) -> Iterator[Block]:
    former = [_stand(one) for one in decision.comparisons if one.side == "former"]
    events = [*former, *decision.events]
    yield [words.t("decision.history_lead" if decision.replaces is None else "decision.history_since")]
    yield bullets(_event(event, found, words) for event, found in zip(events, shifts(events), strict=True) if event not in former)
    last = latest(events)
    rest = moves(shift(last, decision.settings, decision.without), words)
    if not decision.events:
        yield [words.t("decision.no_events")]
    if rest:
        yield [words.t("decision.history_rest", moved=plain("; ".join(rest)))]


def _event(event: Event, found: Shift, words: Words) -> str:
    parts = (plain(sentence(event, words)), plain(changed_until(event, found, words)), reason(event, words, plain))
    return words.t("protocol.line", when=when(event.when, words), text=" ".join(part for part in parts if part))

"""Figures over a question set in plain words: a value with its interval, and what can be said about a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from dashboard.naming import norm
from retrieval.evaluation.against import Change
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.statistics import LEVEL, Effect, Estimate, Tried
from retrieval.model import Address, CorpusSpec
from retrieval.words import NONE, Words

_ALMOST_SURE = 0.99


def name(metric: str, words: Words) -> str:
    """A metric as the page calls it."""
    found = METRICS.get(metric)
    if found is None:
        return words.t(f"figures.{metric}")
    return found.label_de if words.language == "de" else found.label_en


def about(metric: str, k: int, words: Words) -> str:
    """What a metric counts, in one sentence; ``k`` is the number of places that are looked at."""
    found = METRICS.get(metric)
    if found is None:
        return words.t(f"figures.{metric}_about")
    return (found.de if words.language == "de" else found.en).format(k=k)


def value(estimate: Estimate, words: Words) -> str:
    """The mean alone; a dash where no question entered."""
    return words.number(estimate.value)


def interval(estimate: Estimate | Effect, words: Words) -> str:
    """The interval alone; a dash where there is none."""
    found = estimate.interval
    return words.t("figures.interval", low=found.low, high=found.high) if found else NONE


def estimated(estimate: Estimate, words: Words) -> str:
    """The mean with its interval and the number of questions."""
    if estimate.value is None or estimate.interval is None:
        return words.t("figures.no_question")
    between = interval(estimate, words)
    return words.n("figures.estimate", estimate.n, value=estimate.value, between=between, level=words.percent(LEVEL))


def verdict(effect: Effect, words: Words) -> str:
    """What may be said about the second setting against the first: sentences that claim no more than the questions show."""
    if effect.difference is None:
        return words.t("figures.no_question")
    numbers = {"difference": words.number(abs(effect.difference)), "between": interval(effect, words)}
    way = "more" if effect.difference > 0 else "less"
    if effect.verdict == "equal":
        return words.n("figures.equal", effect.n)
    if effect.verdict in ("better", "worse"):
        return words.n(f"figures.{effect.verdict}", effect.n, chance=_chance(effect.p, words), **numbers)
    said = words.n(f"figures.open_{way}", effect.n, chance=_chance(effect.p, words), **numbers)
    if effect.n > 1 and effect.p <= 1 - LEVEL < effect.adjusted:
        said = f"{said} {words.t('figures.several')}"
    return f"{said} {words.n('figures.needed', effect.more)}" if effect.more else said


def _chance(p: float, words: Words) -> str:
    """A chance in per cent, with a digit after the sign where it is small, and never 0."""
    if p < 0.001:
        return words.t("figures.rare")
    sign = " %" if words.language == "de" else "%"
    return f"{words.number(100 * p, 1 if p < 0.1 else 0)}{sign}"


def warned(tried: Tried, words: Words) -> str:
    """How many settings were tried in a session, and what that does to every comparison; empty for fewer than two."""
    if tried.settings < 2:
        return ""
    chance = words.percent(tried.chance) if tried.chance < _ALMOST_SURE else words.t("figures.almost_sure")
    return words.t("figures.tried", n=words.whole(tried.settings), chance=chance)


def moved(changes: Sequence[Change], words: Words, shown: Callable[[Change], str] | None = None) -> list[str]:
    """Questions that gain or lose, by name, each with its value before and after."""
    named = shown or (lambda one: one.question or one.question_id)
    return [words.t("figures.moved", name=named(one), before=one.before, after=one.after) for one in changes]


def need(any_of: Iterable[tuple[Address, str]], specs: Mapping[str, CorpusSpec], words: Words) -> str:
    """A need by its norms, any of which will do; one without address by what a person wrote."""
    either = f" {words.t('figures.or')} "
    return either.join(norm(address, specs) if address.corpus_id else words.quoted(text) for address, text in any_of)

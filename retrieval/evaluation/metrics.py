"""The metrics: each a function from judged lists to one value per question, and a line in ``METRICS``.

Whatever the field has is computed by ir_measures (trec_eval underneath), so that a figure here is the figure that others would get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import ir_measures
import msgspec
from ir_measures import AP, RR, P, SetP, SetR, Success, nDCG
from ir_measures import Measure as LibraryMeasure

from retrieval.evaluation.judging import JudgedList, first, judged_only

Values = list[float | None]
"""One value for each list, from 0 to 1; None where the question does not enter the metric."""
Measure = Callable[[Sequence[JudgedList], int], Values]
"""A metric's function: judged lists and the number ``k`` of places that are looked at."""
_NEVER_LISTED = "-"


class Metric(msgspec.Struct, frozen=True):
    """A metric as data. ``of`` computes it; ``of_judged`` computes it from lists without unjudged places, None where that says nothing.

    ``kind``: ``share`` where every question has 0 or 1, ``mean`` else. ``by_corpus`` says that it can be asked of the norms of one corpus
    alone; ``compared`` that more of it makes a setting better. The sentences may name ``{k}``. Values lie between ``low`` and ``high``.
    """

    name: str
    label_de: str
    label_en: str
    de: str
    en: str
    of: Measure
    of_judged: Measure | None = None
    kind: Literal["share", "mean"] = "mean"
    by_corpus: bool = True
    compared: bool = True
    low: float = 0.0
    high: float = 1.0

    def values(self, lists: Sequence[JudgedList], k: int) -> Values:
        """The metric of each list; what is unjudged counts as not relevant."""
        return self.of(lists, k)

    def judged_values(self, lists: Sequence[JudgedList], k: int) -> Values:
        """The metric of each list without its unjudged places; None for every list where that says nothing."""
        return self.of_judged([judged_only(one) for one in lists], k) if self.of_judged else [None] * len(lists)


# --- from the library -------------------------------------------------------------------------------------------------


def recall(lists: Sequence[JudgedList], k: int) -> Values:
    """The share of the needs that the first k places fulfil."""
    return _asked(SetR, [first(one, k) for one in lists], _fulfilled)


def success(lists: Sequence[JudgedList], k: int) -> Values:
    """1 when the first k places fulfil any need, else 0."""
    return _asked(Success @ k, lists, _earned)


def precision(lists: Sequence[JudgedList], k: int) -> Values:
    """The share of k places on which a norm stands that helps; k is the denominator for a shorter list too."""
    return _asked(P @ k, lists, _relevant)


def judged_precision(lists: Sequence[JudgedList], k: int) -> Values:
    """The same with the number of places that there are as denominator; None for an empty list."""
    found = _asked(SetP, [first(one, k) for one in lists], _relevant)
    return [value if one.places else None for one, value in zip(lists, found, strict=True)]


def mrr(lists: Sequence[JudgedList], k: int) -> Values:
    """1 divided by the first place that fulfils a need, 0 when none of the first k does."""
    return _asked(RR, [first(one, k) for one in lists], _earned)


def ndcg(lists: Sequence[JudgedList], k: int) -> Values:
    """Discounted cumulative gain by grades, divided by that of the best possible list, which is made of all needs.

    Reference: K. Järvelin and J. Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20(4), 2002.
    """
    return _asked(nDCG @ k, lists, _earned)


def average_precision(lists: Sequence[JudgedList], k: int) -> Values:
    """The precision at each of the first k places that earns a need, summed and divided by the number of all needs."""
    return _asked(AP @ k, lists, _earned)


Relevance = tuple[dict[str, int], dict[str, float]]
"""What is known (document to grade) and what was returned (document to score), as the library wants it."""


def _asked(measure: LibraryMeasure, lists: Sequence[JudgedList], view: Callable[[JudgedList], Relevance]) -> Values:
    """The library's value for each list; None where nothing is known. An empty list has 0."""
    views = {str(number): view(one) for number, one in enumerate(lists) if one.grades}
    known = {number: grades for number, (grades, _) in views.items()}
    returned = {number: scores for number, (_, scores) in views.items() if scores}
    found = {one.query_id: float(one.value) for one in ir_measures.iter_calc([measure], known, returned)} if views else {}
    return [found.get(str(number)) for number in range(len(lists))]


def _falling(documents: Sequence[str]) -> dict[str, float]:
    """Scores that fall strictly: evaluators sort by score and break ties in ways of their own."""
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def _fulfilled(one: JudgedList) -> Relevance:
    """Every need is a document, returned if fulfilled."""
    needs = [f"need {need}" for place in one.places for need in place.fulfils]
    return {f"need {need}": grade for need, grade in enumerate(one.grades)}, _falling(needs)


def _earned(one: JudgedList) -> Relevance:
    """Every need is a document, at the place that earns it; places that earn none are documents of no worth."""
    places = [f"place {number}" if place.earns is None else f"need {place.earns}" for number, place in enumerate(one.places)]
    return {f"need {need}": grade for need, grade in enumerate(one.grades)}, _falling(places)


def _relevant(one: JudgedList) -> Relevance:
    """Every place is a document; one that is never listed keeps a list without any relevant place in the library's books."""
    places = [f"place {number}" for number in range(len(one.places))]
    known = {name: 1 for name, place in zip(places, one.places, strict=True) if place.relevant}
    return {**known, _NEVER_LISTED: 1}, _falling(places)


# --- our own ----------------------------------------------------------------------------------------------------------


def chain_coverage(lists: Sequence[JudgedList], k: int) -> Values:
    """The share of a chain's needs that the whole list fulfils; questions with a chain only."""
    return [len(_done(one)) / len(one.grades) if one.chain and one.grades else None for one in lists]


def chain_complete(lists: Sequence[JudgedList], k: int) -> Values:
    """1 when the whole list fulfils every need of a chain, else 0; questions with a chain only."""
    return [float(len(_done(one)) == len(one.grades)) if one.chain and one.grades else None for one in lists]


def _done(one: JudgedList) -> set[int]:
    return {need for place in one.places for need in place.fulfils}


def judged(lists: Sequence[JudgedList], k: int) -> Values:
    """The share of the first k places, as far as the list goes, that somebody has judged; None for an empty list."""
    heads = [first(one, k) for one in lists]
    return [1 - one.unjudged / len(one.places) if one.places and one.grades else None for one in heads]


def demanded(lists: Sequence[JudgedList], k: int) -> Values:
    """The share of the norms demanded by anchors that stand in the whole list; questions for which an anchor demands one only."""
    return [sum(one.demanded) / len(one.demanded) if one.demanded else None for one in lists]


_ALL = (
    Metric(
        "recall",
        "Ausbeute (Recall)",
        "Recall",
        "Anteil dessen, was die Antwort braucht, das auf den ersten {k} Plätzen steht; von Alternativen genügt eine.",
        "Share of what the answer needs that stands on the first {k} places; of alternatives one is enough.",
        recall,
        recall,
    ),
    Metric(
        "success",
        "Fragen mit Treffer",
        "Questions with a hit",
        "Anteil der Fragen, zu denen mindestens eine bekannte Norm auf den ersten {k} Plätzen steht.",
        "Share of the questions for which at least one known norm stands on the first {k} places.",
        success,
        success,
        kind="share",
    ),
    Metric(
        "precision",
        "Genauigkeit (Precision)",
        "Precision",
        "Anteil von {k} Plätzen, auf denen eine Norm steht, die hilft; geteilt wird durch {k}, auch wenn die Liste kürzer ist.",
        "Share of {k} places on which a norm stands that helps; the divisor is {k}, for a shorter list too.",
        precision,
        judged_precision,
        by_corpus=False,
    ),
    Metric(
        "mrr",
        "Erster Treffer (MRR)",
        "First hit (MRR)",
        "1 geteilt durch den Platz der ersten bekannten Norm: 1 auf Platz 1, 0,5 auf Platz 2, 0 bei keiner auf den ersten {k} Plätzen.",
        "1 divided by the place of the first known norm: 1 on place 1, 0.5 on place 2, 0 for none on the first {k} places.",
        mrr,
        mrr,
    ),
    Metric(
        "ndcg",
        "Reihenfolge (nDCG)",
        "Order (nDCG)",
        "Wie nahe die ersten {k} Plätze der besten möglichen Liste kommen, in der alles Nötige vorn steht, das Wichtigste zuerst.",
        "How near the first {k} places come to the best possible list, in which all that is needed stands in front, the weightiest first.",
        ndcg,
        ndcg,
    ),
    Metric(
        "map",
        "Mittlere Genauigkeit (MAP)",
        "Mean average precision (MAP)",
        "Genauigkeit an jedem der ersten {k} Plätze, der etwas Nötiges bringt, geteilt durch die Zahl alles Nötigen.",
        "Precision at each of the first {k} places that brings something needed, divided by the number of all that is needed.",
        average_precision,
        average_precision,
    ),
    Metric(
        "chain_coverage",
        "Kettenabdeckung",
        "Chain coverage",
        "Anteil der Glieder einer Kette, die in der Liste stehen; nur Fragen, die erst mehrere Normen zusammen beantworten.",
        "Share of the links of a chain that stand in the list; only questions that several norms answer together.",
        chain_coverage,
    ),
    Metric(
        "chain_complete",
        "Vollständige Ketten",
        "Complete chains",
        "Anteil der Ketten, von denen kein Glied in der Liste fehlt.",
        "Share of the chains of which no link is missing in the list.",
        chain_complete,
        kind="share",
    ),
    Metric(
        "judged",
        "Beurteilte Plätze",
        "Judged places",
        "Anteil der ersten {k} Plätze, über die ein Urteil vorliegt; ein Platz ohne Urteil zählt sonst als nicht hilfreich.",
        "Share of the first {k} places on which there is a judgement; a place without one counts as not helpful elsewhere.",
        judged,
        by_corpus=False,
        compared=False,
    ),
    Metric(
        "demanded",
        "Pflichtabruf",
        "Mandatory norms",
        "Anteil der Normen, die ein Anker zu dieser Frage verlangt, die in der Liste stehen; nur Fragen mit Anker.",
        "Share of the norms that an anchor demands for this question that stand in the list; only questions with an anchor.",
        demanded,
        by_corpus=False,
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}

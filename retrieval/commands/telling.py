"""The life of a norm and the ways to change it in words, for both faces: the page draws these sentences, the command line prints them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date as calendar_date
from functools import reduce

from retrieval.errors import UnknownCorpus
from retrieval.inspector.counterfactuals import Answer, Way
from retrieval.inspector.life import Life
from retrieval.inspector.stations import Quote, Station
from retrieval.knobs import Knob, Value
from retrieval.model import Address, AnchorClaim, Chunk, CorpusSpec
from retrieval.ranking import Part
from retrieval.settings import KNOBS
from retrieval.stock import Federation
from retrieval.trace import Trace
from retrieval.words import NONE, Words

Naming = Callable[[Chunk | Address, Mapping[str, CorpusSpec]], str]
_LISTED = 6


class Telling:
    """Sentences about one run; ``naming`` says how a norm is called on this face.

    ``texts`` names the chunks that other settings would bring in; without it they are called by their ids.
    """

    def __init__(self, trace: Trace, words: Words, naming: Naming, texts: Federation | None = None) -> None:
        self.trace, self.words, self._naming, self._texts = trace, words, naming, texts

    def name(self, place: Chunk | Address) -> str:
        """A norm as this face calls it."""
        return self._naming(place, self.trace.specs)

    def chunk(self, chunk_id: str) -> str:
        """The norm of a chunk; its id where neither the run nor the stock holds it."""
        chunk = self.trace.chunks.get(chunk_id)
        if chunk is None and self._texts is not None:
            try:
                chunk = self._texts.chunk(chunk_id)
            except UnknownCorpus:
                chunk = None
        return self.name(chunk) if chunk else chunk_id

    # --- the stations -------------------------------------------------------------------------------------------------

    def title(self, station: Station) -> str:
        """What the station asks."""
        return self.words.t(f"station.title.{station.name}")

    def state(self, station: Station) -> str:
        """Whether the norm passed it, in one or two words."""
        return self.words.t(f"station.state.{station.state}")

    def reason(self, station: Station) -> str:
        """The rule that let the norm pass or stopped it, with the values that it compared."""
        values = self._values(station)
        said = self.words.t(self._key(station), **values)
        overall = "station.overall_fetched" if station.state == "passed" else "station.overall"
        return f"{said} {self.words.t(overall, **values)}" if station.overall else said

    def _key(self, station: Station) -> str:
        name, reason = station.name, station.reason
        if reason == "corpus_not_asked" and station.place:
            reason = "would"
        elif reason == "reached" and station.margin == 0:
            reason = "exactly"
        elif station.claim is not None and name == "anchor" and f"anchor.{reason}" in self.words.catalogue and reason != "found":
            reason = "missed"
        elif station.quote is not None and f"station.verweis.{reason}" not in self.words.catalogue:
            reason = "outcome"
        families = (f"station.{name}", "station.any", "named.reason", "quota.reason")
        return next(key for family in families if (key := f"{family}.{reason}") in self.words.catalogue)

    def _values(self, station: Station) -> dict[str, object]:
        numbers = {name: getattr(station, name) for name in ("value", "threshold", "scaled")}
        places = {name: getattr(station, name) for name in ("place", "bound", "of", "overall", "before")}
        return {
            **{name: self.words.number(number) for name, number in numbers.items()},
            **{name: self.words.whole(number) for name, number in places.items()},
            "missing": self.missing(station),
            "words": self._listed(station),
            "other": self.chunk(station.other),
            "parts": " + ".join(self._part(part) for part in station.parts),
            "claim": self.claim(station.claim) if station.claim else "",
            "outcome": self._outcome(station),
            "by": self.name(station.quote.address) if station.quote else self.words.t("station.verweis.reader"),
        }

    def missing(self, station: Station) -> str:
        """How far a value lies from what it is compared with, without sign, so that it adds up with the numbers beside it."""
        shown = self.words.difference(station.value, station.threshold)
        nothing = shown == self.words.number(0.0)
        return self.words.t("station.missing.little") if nothing and station.margin else shown

    def _listed(self, station: Station) -> str:
        if station.name == "merging":
            found = [self.words.word("station.source", word) for word in station.words]
        elif station.reason in ("others", "pushed", "unmoved"):
            found = [self.trace.specs[word].title if word in self.trace.specs else word for word in station.words]
        else:
            found = [self.words.quoted(word) for word in station.words if word]
        return ", ".join(found) or NONE

    def _part(self, part: Part) -> str:
        numbers = {name: self.words.number(getattr(part, name)) for name in ("scaled", "weight", "amount")}
        key = f"station.part.{self.trace.settings.fusion.fusion}"
        return self.words.t(key, route=self.words.word("route", part.route), place=self.words.whole(part.place), **numbers)

    def _outcome(self, station: Station) -> str:
        family = "anchor" if station.name == "anchor" else "verweis"
        said = self.words.word(family, station.reason)
        return said[:1].upper() + said[1:]

    def claim(self, claim: AnchorClaim) -> str:
        """An anchor by its name, with who wrote it and when."""
        origin = ", ".join(part for part in (claim.author, self.date(claim.date)) if part)
        anchor = claim.anchor_id or claim.trigger or NONE
        return self.words.t("station.anchor.claim_by" if origin else "station.anchor.claim", anchor=anchor, origin=origin)

    def date(self, text: str) -> str:
        """A date as this language writes it; what is none stays as it is."""
        try:
            found = calendar_date.fromisoformat(text)
        except ValueError:
            return text
        return self.words.date(found)

    # --- the answer ---------------------------------------------------------------------------------------------------

    def answer(self, life: Life) -> str:
        """Why the norm stands in the list or not, in one sentence, two where the quota could have helped."""
        norm = self.name(life.best.address if life.best and not life.address.subsection else life.address)
        return self._inside(life, norm) if life.place else self._outside(life, norm)

    def _inside(self, life: Life, norm: str) -> str:
        values = {
            "norm": norm,
            "place": self.words.whole(life.place),
            "before": self.words.whole(self._before(life)),
            "value": self.words.number(life.station("merging").value),
            "round": self.words.whole(life.station("quota").place),
            "routes": self._routes(life),
            "claim": self._claim_of(life),
            "by": self._cited(life.station("verweis").quote),
        }
        return self.words.t(f"life.in.{life.how}", **values)

    def _before(self, life: Life) -> int:
        """The place that the norm would have: of a moved one that after the quota, of the others that before it."""
        return life.station("named").place if life.how == "named" else life.station("final").before

    def _routes(self, life: Life) -> str:
        ranks = {name: life.station(name).place for name in ("vector", "lexical") if life.station(name).state == "passed"}
        key = "both" if len(ranks) == 2 else next(iter(ranks), "")
        return self.words.t(f"life.routes.{key}", **{name: self.words.whole(rank) for name, rank in ranks.items()}) if key else ""

    def _claim_of(self, life: Life) -> str:
        claim = life.station("anchor").claim
        return self.claim(claim) if claim else ""

    def _cited(self, quote: Quote | None) -> str:
        return f"{self.name(quote.address)} ({self.words.quoted(quote.words)})" if quote else self.words.t("station.verweis.reader")

    def _outside(self, life: Life, norm: str) -> str:
        station = life.station(life.decisive)
        if life.decisive == "vector" and station.reason != "repealed":
            return self.words.t("life.out.never", norm=norm, vector=self._clause(station), lexical=self._clause(life.station("lexical")))
        final, floor = life.station("final"), life.station("floor")
        values = {**self._values(station), "before": self.words.whole(final.place), "limit": self.words.whole(final.bound)}
        reason = f"displaced_{station.reason}" if final.reason == "displaced" else station.reason
        said = self.words.t(f"life.out.{reason}", norm=norm, **values)
        if life.decisive != "fill" or floor.state != "stopped":
            return said
        return f"{said} {self.words.t('life.out.below_floor', missing=self.missing(floor))}"

    def _clause(self, station: Station) -> str:
        return self.words.t(f"life.{station.name}.{station.reason}", **self._values(station))


class Changes:
    """What would change the place of a norm, in words."""

    def __init__(self, answer: Answer, telling: Telling) -> None:
        self.answer, self.telling, self.words = answer, telling, telling.words
        self._own = frozenset(answer.chunk_ids)

    def verdict(self) -> str:
        """How many ways there are, or why there is none."""
        answer = self.answer
        wanted = "in" if answer.wanted else "out"
        if answer.ways:
            return self.words.n(f"ways.{wanted}", len(answer.ways))
        if not answer.proof:
            return self.words.t(f"ways.none.{wanted}")
        return self.words.t(f"ways.proof.{answer.proof}", hits=self._hits(answer.behind), count=self.words.whole(len(answer.behind)))

    def way(self, way: Way) -> str:
        """One change as a sentence: which setting goes where, where the threshold lies, and what the list becomes."""
        each = [self._move(name, value, way) for name, value in way.values.items()]
        moves = reduce(lambda first, second: self.words.t("ways.and", first=first, second=second), each)
        parts = [
            f"{moves[:1].upper()}{moves[1:]}.",
            self.words.t("ways.place" if way.place else "ways.gone", place=self.words.whole(way.place)),
        ]
        entering, leaving = ([one for one in ids if one not in self._own] for ids in (way.enters, way.leaves))
        parts += [self.words.t("ways.enters", hits=self._hits(entering))] if entering else []
        parts += [self.words.t("ways.leaves" if way.place else "ways.leaves_too", hits=self._hits(leaving))] if leaving else []
        parts += [self.words.t("ways.regathers")] if way.regathers else []
        return " ".join(parts)

    def _move(self, name: str, value: Value, way: Way) -> str:
        knob = KNOBS[name]
        label = knob.label_de if self.words.language == "de" else knob.label_en
        values = {"label": label, "value": self.shown(knob, value), "now": self.shown(knob, self.telling.trace.settings.value(name))}
        bound = way.bounds.get(name)
        if bound is None:
            return self.words.t("ways.move", **values)
        return self.words.t("ways.move_bound", bound=self.shown(knob, bound), **values)

    def shown(self, knob: Knob, value: Value) -> str:
        """A setting's value with the digits that it has, at most seven."""
        if isinstance(value, str):
            return self.words.word("choice", value)
        text = f"{value:.7g}"
        return text.replace(".", ",") if self.words.language == "de" else text

    def _hits(self, chunk_ids: Sequence[str]) -> str:
        """The norms of some hits by name, a long row cut."""
        names = list(dict.fromkeys(self.telling.chunk(one) for one in chunk_ids))
        more = f" … (+ {len(names) - _LISTED})" if len(names) > _LISTED else ""
        return "; ".join(names[:_LISTED]) + more

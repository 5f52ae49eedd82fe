"""The life of a norm in one run, station by station, from the stock to its place in the list or to the rule that stopped it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import msgspec

from retrieval.errors import FundstelleError
from retrieval.federated import FederatedRetriever
from retrieval.inspector.arrivals import list_stations, lookup_stations, meets, merging
from retrieval.inspector.standing import Standing, Standings
from retrieval.inspector.stations import Name, Station, Subject, corpus_stations, route_stations
from retrieval.model import DEFINITION_LOOKUP, LEXICAL, NORM_ANCHOR, SECTION_LOOKUP, VECTOR, VERWEIS, Address, Chunk, Target
from retrieval.ranking import Entry
from retrieval.stock import Federation
from retrieval.trace import Pool, Trace

How = Literal["search", "quota", "anchor", "lookup", "definition", "verweis", "named", "own_rank", ""]
STATIONS: tuple[Name, ...] = get_args(Name)
_BY: dict[str, How] = {
    NORM_ANCHOR: "anchor",
    SECTION_LOOKUP: "lookup",
    DEFINITION_LOOKUP: "definition",
    VERWEIS: "verweis",
    "own_rank": "own_rank",
}


class Piece(msgspec.Struct, frozen=True):
    """One chunk of the norm and its places: in the final list and before the quota (0: none), and its ranks in the routes of its corpus.

    A rank is 0 where the route does not rank the chunk, or where it was not computed.
    """

    chunk_id: str
    address: Address
    heading: str = ""
    place: int = 0
    before: int = 0
    vector: int = 0
    lexical: int = 0


class Life(msgspec.Struct, frozen=True):
    """The life of one norm in one run.

    ``address`` is the norm that was asked for; its life is told for ``best``, its chunk that came furthest (None: nothing stands in stock
    at this address), the ``others`` are named with their places. ``place`` is the place in the final list, 0 where it is not in it.
    ``decisive`` is the station that decided: what brought the norm in, or the first rule that kept it out. ``how`` is what gave it its
    place, empty for one that has none.
    """

    address: Address
    place: int
    decisive: Name
    how: How
    stations: tuple[Station, ...]
    best: Piece | None = None
    others: tuple[Piece, ...] = ()

    def station(self, name: Name) -> Station:
        """The station of this name."""
        return next(one for one in self.stations if one.name == name)

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The ids of all chunks of the norm, the best one first."""
        return tuple(piece.chunk_id for piece in (*((self.best,) if self.best else ()), *self.others))


def life(trace: Trace, pool: Pool, norm: Address | Sequence[str], federation: FederatedRetriever) -> Life:
    """The life of a norm, given by its address or by the ids of its chunks (at least one).

    Nothing is asked of the corpora but the exact ranks of what the routes did not bring.
    """
    chunks = chunks_of(norm, pool, federation)
    address = norm if isinstance(norm, Address) else chunks[0].address
    if not chunks:
        return _nothing(address, trace, federation)
    standings = _standings(chunks, trace, pool, federation)
    pieces = sorted((_piece(chunk, trace, pool, standings) for chunk in chunks), key=lambda one: _nearness(one, trace, standings))
    best = next(chunk for chunk in chunks if chunk.chunk_id == pieces[0].chunk_id)
    subject = Subject(best.chunk_id, best.address, best.repealed, standings.get(best.chunk_id))
    entry = next((one for one in trace.completed.living if one.chunk_id == subject.chunk_id), None)
    merged = merging(subject, trace, pool)
    stations = (
        *corpus_stations(subject, trace),
        *route_stations(subject, trace, pool),
        *lookup_stations(subject, trace, pool),
        merged,
        *list_stations(merged, entry, trace),
    )
    how = _how(entry, pieces[0], trace)
    return Life(address, pieces[0].place, _decisive(stations, how), how, stations, pieces[0], tuple(pieces[1:]))


# --- the chunks of the norm -------------------------------------------------------------------------------------------


def chunks_of(norm: Address | Sequence[str], pool: Pool, federation: FederatedRetriever) -> tuple[Chunk, ...]:
    """The chunks of a norm: those of the stock, or where that is not ours, those that the run has seen of it.

    Empty for an address at which nothing stands. Raises UnknownCorpus for the id of a chunk that is neither in stock nor in the run.
    """
    texts = _texts(federation)
    if not isinstance(norm, Address):
        return tuple(pool.chunks[one] if one in pool.chunks or texts is None else texts.chunk(one) for one in norm)
    if texts is not None:
        target = Target(norm.corpus_id, norm.section_id, norm.container_id, norm.subsection or None)
        found = tuple(texts.chunk(chunk_id) for chunk_id in texts.book.find(target))
        if found:
            return found
    target = Target(norm.corpus_id, norm.section_id, norm.container_id or None, norm.subsection or None)
    return tuple(chunk for chunk in pool.chunks.values() if meets(target, chunk.address, pool.specs))


def _texts(federation: FederatedRetriever) -> Federation | None:
    found = getattr(getattr(federation.registry, "state", federation.registry), "federation", None)
    return found if isinstance(found, Federation) else None


def _standings(chunks: Sequence[Chunk], trace: Trace, pool: Pool, federation: FederatedRetriever) -> dict[str, Standing]:
    """The exact standing of the norm's chunks, where a route did not bring one of them."""
    answer = pool.answers.get(chunks[0].corpus_id)
    routes = [route for route in answer.routes if route.route in (VECTOR, LEXICAL)] if answer is not None else []
    brought = [{hit.chunk_id for hit in route.hits} for route in routes]
    whole = bool(brought) and all(chunk.chunk_id in ids for chunk in chunks for ids in brought)
    if whole or chunks[0].corpus_id not in federation.registry.available():
        return {}
    standings = Standings(trace.question, federation, trace.selection.selected, pool.where)
    try:
        return standings.of(chunks[0].corpus_id, [chunk.chunk_id for chunk in chunks])
    except FundstelleError:
        return {}  # the corpus is blocked or has changed since; the stations say what the run knew


def _piece(chunk: Chunk, trace: Trace, pool: Pool, standings: Mapping[str, Standing]) -> Piece:
    ranks = {VECTOR: 0, LEXICAL: 0}
    answer = pool.answers.get(chunk.corpus_id)
    for route in answer.routes if answer is not None else ():
        ranks[route.route] = next((place for place, hit in enumerate(route.hits, 1) if hit.chunk_id == chunk.chunk_id), 0)
    there = standings.get(chunk.chunk_id)
    exact = {name: ranks[name] or (there.route(name).rank if there else 0) for name in (VECTOR, LEXICAL)}
    places = {"place": _place(chunk.chunk_id, trace.final), "before": _place(chunk.chunk_id, trace.completed.living)}
    return Piece(chunk.chunk_id, chunk.address, chunk.heading, **places, **exact)


def _place(chunk_id: str, entries: Sequence[Entry]) -> int:
    return next((place for place, entry in enumerate(entries, start=1) if entry.chunk_id == chunk_id), 0)


def _nearness(piece: Piece, trace: Trace, standings: Mapping[str, Standing]) -> tuple[bool, int, bool, int, float]:
    """Sorts the chunks of a norm by how far they came; those that were never a candidate by the score they would have had."""
    there = standings.get(piece.chunk_id)
    would = there.sum({name: trace.shares[name] for name in (VECTOR, LEXICAL)}) if there else 0.0
    return not piece.place, piece.place, not piece.before, piece.before, -would


def _nothing(address: Address, trace: Trace, federation: FederatedRetriever) -> Life:
    """The life of a norm that is not in stock: it ends at the first station."""
    blocked = getattr(federation.registry, "blocked", {})
    if address.corpus_id in blocked:
        first = Station("stock", "failed", "blocked", error=str(blocked[address.corpus_id]))
    else:
        first = Station("stock", "stopped", "no_such_norm" if address.corpus_id in trace.selection.available else "not_in_stock")
    rest = (Station(name, "not_reached", "not_in_stock") for name in STATIONS[1:])
    return Life(address, 0, "stock", "", (first, *rest))


# --- what decided -----------------------------------------------------------------------------------------------------


def _how(entry: Entry | None, piece: Piece, trace: Trace) -> How:
    """What gave a norm its place: the named corpus, the quota where it alone did, an address, else the search."""
    if entry is None or not piece.place:
        return ""
    if trace.named.moved == entry.chunk_id:
        return "named"
    if trace.limit is not None and piece.before > trace.limit:
        return "quota"
    return _BY.get(entry.rank_by, "search")


def _decisive(stations: Sequence[Station], how: How) -> Name:
    by: dict[str, Name] = {
        "search": "fill",
        "quota": "quota",
        "anchor": "anchor",
        "lookup": "lookup",
        "definition": "lookup",
        "verweis": "verweis",
        "named": "named",
    }
    if how:
        return by.get(how, "fusion")
    found = {station.name: station for station in stations}
    if found["selected"].state != "passed":
        return "selected"
    if found["merging"].state == "stopped":
        return "merging"
    if found["merging"].state == "passed":
        return "fill"
    return "vector" if found["fusion"].state == "not_reached" else "fusion"

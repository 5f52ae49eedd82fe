"""A run as one HTML file that needs no server, no script and nothing from outside, and that prints on A4.

All text goes through Jinja2's escaping, so nothing out of a corpus or a question becomes markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import msgspec

from retrieval.exports.cells import Cell
from retrieval.exports.fingerprints import Fingerprint
from retrieval.exports.naming import kinds, printed, title
from retrieval.exports.sections import Section, sections
from retrieval.ranking import Entry, Part
from retrieval.trace import Trace
from retrieval.words import Words

_LEFT, _WIDE, _TOP, _STEP = 270, 330, 22, 26
"""The chart, in its own units: where bars begin, how wide a rank score of 1 is, the room for the floor's words, the height of a row."""
_LABEL = 36
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Hit(msgspec.Struct, frozen=True):
    """One hit of the list, in words."""

    place: int
    norm: str
    heading: str
    scores: str
    lines: tuple[str, ...]
    text: str
    parts: Section
    about: tuple[str, ...]


class Bar(msgspec.Struct, frozen=True):
    """One bar of the chart, in its units."""

    y: int
    width: float
    label: str
    value: str


def report(trace: Trace, words: Words, made: date) -> bytes:
    """The run as a self-contained HTML report in UTF-8, the same bytes for the same run, language and day."""
    hits = tuple(_hit(place, entry, trace, words) for place, entry in enumerate(trace.final, start=1))
    top = max([1.0, *(entry.rank for entry in trace.final)])
    html = _template().render(
        language=words.language,
        title=words.t("report.title"),
        question=trace.question,
        made=f"{words.t('file.run.date')}: {words.date(made)}",
        invented=_invented(trace, words),
        faults_title=words.t("report.faults"),
        faults=tuple(_faults(trace, words)),
        list_title=words.t("report.list"),
        summary=_summary(trace, words),
        bars=tuple(_bar(number, hit, entry, top, words) for number, (hit, entry) in enumerate(zip(hits, trace.final, strict=True))),
        height=_TOP + _STEP * len(hits),
        floor=_floor(trace, top, words),
        chart_title=words.t("report.chart"),
        chart_text=_chart_text(trace, words),
        overview=_overview(trace, words),
        glossary=words.t("report.glossary"),
        hits=hits,
        sections=sections(trace, words),
        foot=words.t("report.foot", date=words.date(made), mark=Fingerprint.of(trace).text()),
    )
    return html.encode("utf-8", "replace")


@cache
def _template() -> jinja2.Template:
    text = files("retrieval.exports").joinpath("report.html").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, finalize=_clean, keep_trailing_newline=True)
    return environment.from_string(text)


def _clean(value: Any) -> Any:
    """Text without control characters, which HTML does not know; what is escaped already stays so."""
    return type(value)(_CONTROLS.sub(" ", value)) if isinstance(value, str) else value


# --- above the list -------------------------------------------------------------------------------------------------------


def _invented(trace: Trace, words: Words) -> str:
    asked = {corpus.corpus_id for corpus in trace.corpora if corpus.state == "asked"}
    titles = [spec.title for corpus, spec in trace.specs.items() if spec.invented and corpus in asked]
    return words.t("report.invented", titles="; ".join(titles)) if titles else ""


def _faults(trace: Trace, words: Words) -> Iterator[str]:
    for corpus in trace.corpora:
        named = title(corpus.corpus_id, trace.specs)
        if corpus.status == "failed":
            yield f"{named} ({corpus.error_class})"
        for route in corpus.routes:
            if route.status == "failed":
                yield f"{named}: {words.word('route', route.route)} ({route.error_class})"
    if trace.route_failure:
        yield words.word("route_failure", trace.route_failure)
    for fault in trace.faults:
        yield f"{words.word('fault', fault.part)} ({fault.error_class})"


def _summary(trace: Trace, words: Words) -> str:
    if not trace.final:
        return words.t("report.empty_failed" if trace.partial else "report.empty")
    counted = len(trace.completed.living)
    return words.t("report.summary", hits=words.n("report.hits", len(trace.final)), candidates=words.n("report.candidates", counted))


def _bar(number: int, hit: Hit, entry: Entry, top: float, words: Words) -> Bar:
    label = f"{hit.place}. {hit.norm}"
    shown = label if len(label) <= _LABEL else label[: _LABEL - 1].rstrip() + "…"
    return Bar(_TOP + _STEP * number, round(_WIDE * max(entry.rank, 0.0) / top, 1), shown, words.number(entry.rank))


def _overview(trace: Trace, words: Words) -> Section:
    head = tuple(words.t(f"file.head.{name}") for name in ("place", "norm", "heading", "rank", "decision"))
    rows = tuple(
        (words.whole(place), printed(chunk, trace.specs), chunk.heading, words.number(entry.rank), words.number(entry.cosine))
        for place, entry in enumerate(trace.final, start=1)
        for chunk in [trace.chunks[entry.chunk_id]]
    )
    return Section("", (), head, rows, (0, 3, 4), words.t("report.overview"))


def _floor(trace: Trace, top: float, words: Words) -> dict[str, Any] | None:
    """The floor of the quota in the chart; none where the quota did nothing."""
    if not trace.quota.applied:
        return None
    floor = trace.quota.floor
    return {"x": round(_LEFT + _WIDE * floor / top, 1), "label": words.t("report.floor", floor=words.number(floor))}


def _chart_text(trace: Trace, words: Words) -> str:
    found = [words.t("report.chart_text")]
    if trace.quota.applied:
        found.append(words.t("report.chart_floor", floor=words.number(trace.quota.floor)))
    return " ".join(found)


# --- the hits -------------------------------------------------------------------------------------------------------------


def _hit(place: int, entry: Entry, trace: Trace, words: Words) -> Hit:
    chunk = trace.chunks[entry.chunk_id]
    decision = words.number(entry.cosine) if entry.cosine is not None else words.t("term.none")
    about = {"about": " › ".join(chunk.path), "stand": " ".join(chunk.stand.split()), "source": chunk.source}
    keys = {"about": "path", "stand": "stand", "source": "source"}
    return Hit(
        place,
        printed(chunk, trace.specs),
        chunk.heading,
        words.t("report.scores", rank=words.number(entry.rank), decision=decision),
        tuple(_lines(entry, trace, words)),
        chunk.text,
        _parts(entry, words),
        tuple(words.t(f"report.{key}", **{keys[key]: value}) for key, value in about.items() if value),
    )


def _lines(entry: Entry, trace: Trace, words: Words) -> Iterator[str]:
    chunk = trace.chunks[entry.chunk_id]
    if chunk.repealed:
        yield words.t("report.repealed")
    yield words.t("report.found", kinds=kinds(entry, words))
    yield from (
        words.t("report.cited", words=words.quoted(verweis.words), by=printed(trace.chunks[verweis.by], trace.specs))
        for verweis in trace.verweise
        if verweis.by and entry.chunk_id in verweis.chunk_ids
    )
    if entry.rank_by != "routes":
        yield words.t("report.fixed", rank=words.number(entry.rank), source=words.word("rank_by", entry.rank_by))
    if entry.fate.code == "moved_to_front":
        yield words.t("report.outcome", outcome=words.word("fate", entry.fate.code))
    if entry.fate.round:
        before = [other.chunk_id for other in trace.completed.living[: trace.limit]]
        yield words.t("report.held" if entry.chunk_id in before else "report.only_quota", round=entry.fate.round)
    if not entry.parts:
        yield words.t("report.no_parts")


def _parts(entry: Entry, words: Words) -> Section:
    head = tuple(words.t(f"file.head.{name}") for name in ("route", "route_rank", "raw", "scaled", "weight", "amount"))
    rows: list[Sequence[Cell]] = [_part(part, words) for part in entry.parts]
    if rows:
        rows.append((words.t("report.sum"), "", "", "", "", words.number(sum(part.amount for part in entry.parts))))
    return Section("", (), head, tuple(tuple(row) for row in rows), (1, 2, 3, 4, 5), words.t("report.parts"), total=True)


def _part(part: Part, words: Words) -> tuple[str, ...]:
    values = (words.number(value) for value in (part.raw, part.scaled, part.weight, part.amount))
    return words.word("route", part.route), words.whole(part.place), *values

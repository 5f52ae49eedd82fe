"""The score view: the rank scores of all corpora on one axis with the thresholds, decision scores apart, and formulas with numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from dashboard.blocks import Block, paragraph, row, table, to_norm
from dashboard.charts import legend_below, rows_axis, scale
from dashboard.knobtext import first_up
from dashboard.links import key_of
from dashboard.naming import figure_text, norm, short_name, title_of
from retrieval.exports.cells import Cell
from retrieval.inspector.spread import ANCHOR, Dot, Formula, Spread, Strip, Term
from retrieval.model import VECTOR
from retrieval.stages.fusion import RERANKER
from retrieval.trace import Trace
from retrieval.words import Words

COLUMNS = ["chunk_id", "corpus_id", "label", "rank", "rank_by", "before", "place"]
_DOT, _QUIET = "#3f86ba", "#8b95a1"
_ROW_HEIGHT = 64


def frame(found: Spread, trace: Trace) -> pd.DataFrame:
    """One row for each candidate before the quota, corpus by corpus, best first: its rank score and its places (0 = not in the list)."""
    rows = [
        (dot.chunk_id, strip.corpus_id, norm(trace.chunks[dot.chunk_id], trace.specs), dot.rank, dot.rank_by, dot.before, dot.place)
        for strip in found.strips
        for dot in strip.dots
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def sheet(frame: pd.DataFrame, trace: Trace, words: Words) -> tuple[list[str], list[list[Cell]]]:
    """The same with words for head and codes, to be written to a file; a candidate outside the list has an empty place."""
    head = [words.t(f"spread.sheet.{name}") for name in ("norm", "corpus", "rank", "rank_by", "before", "place")]
    rows: list[list[Cell]] = [
        [
            line["label"],
            title_of(line["corpus_id"], trace.specs),
            float(line["rank"]),
            words.word("rank_by", line["rank_by"]),
            int(line["before"]),
            int(line["place"]) or None,
        ]
        for line in frame.to_dict("records")
    ]
    return head, rows


def figure(found: Spread, trace: Trace, words: Words, ink: str) -> dict[str, Any]:
    """A strip for each corpus that was asked, all candidates as marks; 0, floor, VERWEIS_SCORE and 1.0 as lines with their words."""
    strips = [strip for strip in found.strips if strip.state == "asked"]
    top = max([ANCHOR, *(dot.rank for strip in strips for dot in strip.dots)])
    labels = [_strip_label(strip, trace, words) for strip in strips]
    layout = {
        "height": 206 + _ROW_HEIGHT * len(strips),
        "title": {"text": words.t("spread.chart"), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 112, "b": 92},
        "xaxis": _axis(words.t("spread.axis"), 0, top, words, ink),
        "yaxis": {**rows_axis(labels, ink), "range": [len(strips) - 0.4, -0.7], "showgrid": False},
        **_lines(found, words),
        "legend": legend_below(),
        "hovermode": "closest",
        "font": {"color": ink},
    }
    placed = [(number, dot) for number, strip in enumerate(strips) for dot in strip.dots]
    data = [
        _marks([(number, dot) for number, dot in placed if not dot.place], "out", trace, words),
        _marks([(number, dot) for number, dot in placed if dot.place], "in", trace, words),
        _best(strips, top, trace, words, ink),
    ]
    return {"data": [one for one in data if one["x"]], "layout": layout}


def _axis(title: str, low: float, high: float, words: Words, ink: str) -> dict[str, Any]:
    ticks = [tick / 5 for tick in range(round(low * 5 - 0.49), round(high * 5 + 0.49) + 1)]
    return {**scale(low - 0.02, high * 1.06, {tick: words.number(tick, 1) for tick in ticks}, ink), "title": {"text": title}}


def _strip_label(strip: Strip, trace: Trace, words: Words) -> str:
    """The corpus and how many candidates it has; what failed or found nothing says so."""
    said = (
        words.n("spread.candidates", len(strip.dots))
        if strip.dots
        else words.t("spread.failed" if strip.status == "failed" else "spread.empty")
    )
    return f"{figure_text(short_name(strip.corpus_id, trace.specs))}<br>{said}"


def _lines(found: Spread, words: Words) -> dict[str, Any]:
    lines = [
        *([(0.0, words.t("spread.mark.zero"), "solid")] if _has_zero(found) else []),
        (found.floor, words.t("floor.mark.floor", value=words.number(found.floor)), "dash"),
        (found.verweis_score, words.t("floor.mark.verweis", value=words.number(found.verweis_score, 2)), "dashdot"),
        (ANCHOR, words.t("floor.mark.anchor", value=words.number(ANCHOR, 2)), "dot"),
    ]
    line = {"type": "line", "y0": 0, "y1": 1, "yref": "paper"}
    return {
        "shapes": [{**line, "x0": x, "x1": x, "line": {"dash": dash, "width": 1.5, "color": _QUIET}} for x, _, dash in lines],
        "annotations": [
            {
                "x": x,
                "y": 1,
                "yref": "paper",
                "xanchor": "center" if x else "left",
                "text": text,
                "showarrow": False,
                "yshift": 10 + 16 * number,
                "font": {"size": 11},
            }
            for number, (x, text, _) in enumerate(lines)
        ],
    }


def _has_zero(found: Spread) -> bool:
    """Whether 0 means "unrelated": in the weighted sum. Rank fusion knows places only."""
    return found.method == "weighted"


def _marks(placed: list[tuple[int, Dot]], where: str, trace: Trace, words: Words) -> dict[str, Any]:
    """Candidates behind the list as strokes, hits of the list as diamonds."""
    inside = where == "in"
    return {
        "type": "scatter",
        "mode": "markers",
        "name": words.t(f"spread.mark.{where}"),
        "x": [dot.rank for _, dot in placed],
        "y": [number for number, _ in placed],
        "text": [_told(dot, trace, words) for _, dot in placed],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "symbol": "diamond" if inside else "line-ns-open",
            "size": 12 if inside else 14,
            "color": _DOT if inside else _QUIET,
            "opacity": 1 if inside else 0.7,
            "line": {"width": 1.5, "color": "#ffffff" if inside else _QUIET},
        },
    }


def _told(dot: Dot, trace: Trace, words: Words) -> str:
    where = (
        words.t("term.place", place=words.whole(dot.place)) if dot.place else words.t("spread.place_before", place=words.whole(dot.before))
    )
    return figure_text(f"{norm(trace.chunks[dot.chunk_id], trace.specs)}: {words.number(dot.rank)}, {where}", 160)


def _best(strips: list[Strip], top: float, trace: Trace, words: Words, ink: str) -> dict[str, Any]:
    """The name and the value of each corpus's best candidate, above its mark, on the side with room."""
    best = [(number, strip.dots[0]) for number, strip in enumerate(strips) if strip.dots]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [dot.rank for _, dot in best],
        "y": [number - 0.3 for number, _ in best],
        "text": [f"{figure_text(_section(dot, trace), 24)} · <b>{words.number(dot.rank)}</b>" for _, dot in best],
        "textposition": ["middle left" if dot.rank > 0.5 * top else "middle right" for _, dot in best],
        "textfont": {"color": ink, "size": 11},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _section(dot: Dot, trace: Trace) -> str:
    chunk = trace.chunks[dot.chunk_id]
    return " · ".join(part for part in (chunk.container_id, chunk.section_id) if part)


def sentence(found: Spread, trace: Trace, words: Words) -> str:
    """What the marks are, which corpus stands highest and which lowest, and who reaches the floor."""
    strips = sorted((strip for strip in found.strips if strip.dots), key=lambda strip: -strip.dots[0].rank)
    if not strips:
        return words.t("spread.nothing")
    names = [short_name(strip.corpus_id, trace.specs) for strip in strips]
    zero = [words.t("spread.zero")] if _has_zero(found) else []
    parts = [words.t("spread.reading"), *zero, words.t("spread.highest", corpus=names[0], value=words.number(strips[0].best))]
    if len(strips) > 1:
        parts.append(words.t("spread.lowest", corpus=names[-1], value=words.number(strips[-1].best)))
    if found.decides:
        reached = sum(strip.reaching(found.floor) > 0 for strip in strips)
        parts.append(words.n("spread.reach", reached, floor=words.number(found.floor), all=words.whole(len(strips))))
    else:
        parts.append(words.t("spread.idle", floor=words.number(found.floor)))
    return " ".join(parts)


def blocks(found: Spread, trace: Trace, words: Words) -> list[Block]:
    """The sentence, and one row for each corpus."""
    head = [words.t(f"spread.head.{name}") for name in ("corpus", "candidates", "best", "middle", "reaching", "held")]
    rows = [_row(strip, found.floor, trace, words) for strip in found.strips]
    return [paragraph(sentence(found, trace, words)), table(words.t("spread.caption"), head, rows, numeric=(1, 2, 3, 4, 5))]


def _row(strip: Strip, floor: float, trace: Trace, words: Words) -> Block:
    title = title_of(strip.corpus_id, trace.specs)
    if strip.state != "asked" or strip.status == "failed":
        said = words.word("state", strip.state) if strip.state != "asked" else words.word("status", strip.status)
        return row([[title, said], *[words.number(None)] * 5], "muted")
    numbers = [words.whole(len(strip.dots)), words.number(strip.best), words.number(strip.middle)]
    return row([[title], *numbers, words.whole(strip.reaching(floor)), words.whole(strip.held)], "" if strip.dots else "muted")


# --- decision scores ----------------------------------------------------------------------------------------------------


def decision_figure(found: Spread, trace: Trace, words: Words, ink: str) -> dict[str, Any]:
    """The decision scores of the list on an axis of their own, hit by hit, with the gap between the two highest drawn in."""
    scored = [(one, one.cosine) for one in found.decisions if one.cosine is not None]
    labels = [f"{one.place} · {figure_text(norm(trace.chunks[one.chunk_id], trace.specs), 34)}" for one, _ in scored]
    values = [cosine for _, cosine in scored]
    named = {found.first.chunk_id, found.second.chunk_id} if found.first and found.second else set()
    edges = sorted({one.cosine for one in (found.first, found.second) if one and one.cosine is not None}) if found.second else []
    layout = {
        "height": 150 + 28 * len(scored),
        "title": {"text": words.t("decision.chart"), "font": {"color": ink, "size": 15}},
        "margin": {"l": 8, "r": 16, "t": 74, "b": 48},
        "xaxis": _axis(words.t("decision.axis"), min([0.0, *values]), max([1.0, *values]), words, ink),
        "yaxis": rows_axis(labels, ink),
        "shapes": [
            {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": {"dash": "dot", "width": 1.5, "color": _QUIET}}
            for x in edges
        ],
        "annotations": _gap_mark(found, edges, words),
        "font": {"color": ink},
    }
    dots = {
        "type": "scatter",
        "mode": "markers+text",
        "x": values,
        "y": list(range(len(scored))),
        "text": [words.number(value) for value in values],
        "textposition": ["middle left" if value > 0.8 else "middle right" for value in values],
        "textfont": {"color": ink},
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "size": 11,
            "color": _DOT,
            "symbol": ["square" if one.chunk_id in named else "square-open" for one, _ in scored],
            "line": {"width": 2, "color": _DOT},
        },
        "showlegend": False,
    }
    return {"data": [dots], "layout": layout}


def _gap_mark(found: Spread, edges: list[float], words: Words) -> list[dict[str, Any]]:
    if found.gap is None or not edges:
        return []
    text = words.t("decision.mark", gap=_gap(found, words))
    middle = sum(edges) / len(edges)
    return [{"x": middle, "y": 1, "yref": "paper", "yshift": 12, "text": text, "showarrow": False, "font": {"size": 11}}]


def decision_sentence(found: Spread, trace: Trace, words: Words) -> str:
    """The gap between the two highest decision scores of the list, and how many hits have none."""
    scoreless = {one.chunk_id for one in found.decisions if one.cosine is None}
    why = Counter(formula.missing.get(VECTOR, "not_found") for formula in found.formulas if formula.chunk_id in scoreless)
    none = [words.n(f"decision.none.{code}", count) for code, count in why.items()]
    if not found.decisions:
        return words.t("decision.nothing")
    if found.first is None:
        return " ".join([words.t("decision.all_none"), *none])
    first = _unbroken(found.first.chunk_id, trace)
    value = words.number(found.first.cosine)
    if found.second is None:
        return " ".join([words.t("decision.single", norm=first, value=value), *none])
    second, other = _unbroken(found.second.chunk_id, trace), words.number(found.second.cosine)
    said = words.t("decision.gap", first=first, value=value, second=second, other=other, gap=_gap(found, words))
    return " ".join([said, words.t("decision.role"), *none])


def _gap(found: Spread, words: Words) -> str:
    first, second = (one.cosine if one else None for one in (found.first, found.second))
    return words.difference(first, second)


def _unbroken(chunk_id: str, trace: Trace) -> str:
    return norm(trace.chunks[chunk_id], trace.specs).replace("§ ", "§\u00a0")


# --- formulas -----------------------------------------------------------------------------------------------------------


def formulas(found: Spread, trace: Trace, words: Words) -> list[Block]:
    """The rank score of every hit as arithmetic with its numbers, and beside it the decision score, which is no part of it."""
    head = [words.t(f"formula.head.{name}") for name in ("place", "norm", "formula", "rank", "decision")]
    decisions = {one.chunk_id: one.cosine for one in found.decisions}
    rows = []
    for formula in found.formulas:
        chunk, cosine = trace.chunks[formula.chunk_id], decisions[formula.chunk_id]
        rank = formula.rank if formula.lifted is None else formula.lifted
        decision = words.t("term.none") if cosine is None else words.number(cosine)
        name = to_norm(norm(chunk, trace.specs), key_of(chunk))
        rows.append(row([words.whole(formula.place), [name], in_words(formula, found, words), words.number(rank), decision]))
    reranked = [words.t("formula.note_reranker")] if RERANKER in trace.shares else []
    note = words.t("formula.note_rrf" if found.method == "rrf" else "formula.note_weighted")
    return [
        table(words.t("formula.caption"), head, rows, numeric=(0, 3, 4), empty=words.t("decision.nothing")),
        paragraph(" ".join([note, *reranked, words.t("formula.rounded")]), muted=True),
    ]


def in_words(formula: Formula, found: Spread, words: Words) -> list[str]:
    """The lines of one formula: what gives the rank score, what the routes alone would give, and the lift."""
    routes = f"{_sum(formula, found, words)} = {words.number(formula.total)}" if formula.terms else ""
    if formula.kind == "fixed":
        fixed = words.t("formula.fixed", why=first_up(words.word("rank_by", formula.rank_by)), rank=words.number(formula.rank))
        lines = [fixed, words.t("formula.unused", formula=routes) if routes else _no_parts(formula, words)]
    else:
        raws = (
            words.t("formula.raw", route=words.word("route", one.route), raw=words.number(one.raw), scaled=words.number(one.scaled))
            for one in formula.terms
            if one.route == RERANKER
        )
        lines = [routes, *raws, *(words.t(f"formula.{code}", route=words.word("route", route)) for route, code in formula.missing.items())]
    if formula.lifted is not None:
        lines.append(words.t("formula.lifted", before=words.number(formula.rank), after=words.number(formula.lifted)))
    return [line for line in lines if line]


def _no_parts(formula: Formula, words: Words) -> str:
    """Why no route has given anything; of a retriever that is not ours the routes are not known."""
    return words.t("formula.no_routes" if "foreign" in formula.missing.values() else "hits.no_parts")


def _sum(formula: Formula, found: Spread, words: Words) -> str:
    """``Vektorsuche 0,5 · 0,812 + Wortsuche 0,5 · 0,640``, or the same over places for rank fusion."""
    terms = " + ".join(f"{words.word('route', term.route)} {_term(term, found, words)}" for term in formula.terms)
    return f"({terms}) ÷ {words.number(found.ceiling, 5)}" if found.method == "rrf" else terms


def _term(term: Term, found: Spread, words: Words) -> str:
    weight = _short(term.weight, words)
    said = f"{weight} ÷ ({_short(found.k, words)} + {words.whole(term.place)})"
    if found.method != "rrf":
        said = f"{weight} · {words.number(term.scaled)}"
    return said.replace(" ", "\u00a0")


def _short(value: float, words: Words) -> str:
    """A number of at most three decimals, without zeros at its end."""
    return words.number(value).rstrip("0").rstrip(",.")

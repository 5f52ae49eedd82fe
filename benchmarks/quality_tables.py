"""The quality benchmark's table, as text for a terminal and as Markdown for the docs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import quantiles

from benchmarks.quality_losses import FATES, Losses
from benchmarks.quality_measure import COMPARED, FIGURES, Row, SetReport
from benchmarks.quality_systems import DEFAULT
from retrieval.evaluation.statistics import Effect, Estimate

_VERDICTS = {"better": "better", "worse": "worse", "not_distinguishable": "–", "equal": "equal", "no_questions": ""}
_PLACES = {
    "far_behind": "behind the first 50: place before the quota",
    "not_fetched": "no candidate: best place in a route of its corpus",
}
HALVES = {"tune": "the half to tune with", "report": "the half kept for reporting", "all": "all questions"}


def text(reports: Sequence[SetReport]) -> str:
    """Everything, for a terminal of 180 columns."""
    return "\n".join(line for report in reports for line in (*_of_set(report), "", *_lost(report), ""))


def _of_set(report: SetReport) -> Iterator[str]:
    yield about(report)
    width = max((len(row.system) for row in report.rows), default=0)
    yield f"{'':{width}} | " + " | ".join(f"{name:>16}" for name in FIGURES) + " | the defaults: " + ", ".join(COMPARED)
    for row in report.rows:
        cells = [f"{_cell(row.figures[name]):>16}" for name in FIGURES] if row.figures else [row.note]
        yield f"{row.system:{width}} | " + " | ".join(cells) + (" | " + _verdicts(row) if row.figures else "")


def about(report: SetReport) -> str:
    """What was measured and what was left out, in one line."""
    reasons = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in report.left_out.items())
    lost = sum(report.left_out.values())
    without = f", with them {report.questions_left_out} questions without any other" if report.questions_left_out else ""
    left = f"{lost} of {report.norms} gold norms left out ({reasons}){without}" if lost else f"all {report.norms} gold norms in stock"
    chains = f", {report.chains} of them chains" if report.chains else ""
    slow = " The kernel decided otherwise than the product; every list is the product's." if report.slow else ""
    return f"{report.name}: {report.questions} of {report.of} questions ({HALVES[report.half]}){chains}; {left}.{slow}"


def _cell(one: Estimate) -> str:
    if one.value is None or one.interval is None:
        return ""
    return f"{one.value:.2f} ({one.interval.low:.2f}–{one.interval.high:.2f})"


def _verdicts(row: Row) -> str:
    return "" if row.system == DEFAULT else " · ".join(_verdict(row.against[name]) for name in COMPARED if name in row.against)


def _verdict(effect: Effect) -> str:
    word = _VERDICTS[effect.verdict]
    if effect.difference is None or effect.interval is None or effect.verdict == "equal":
        return word
    return f"{effect.difference:+.2f} ({effect.interval.low:+.2f} to {effect.interval.high:+.2f}) {word}"


def _lost(report: SetReport) -> Iterator[str]:
    rows = [row for row in report.rows if row.losses is not None and row.losses.needs]
    if not rows:
        return
    yield "Where the gold norms are, as shares that sum to 1:"
    yield _line("", [row.system[:28] for row in rows])
    for code, words in FATES.items():
        shares = [row.losses.shares.get(code, 0.0) for row in rows if row.losses]
        if any(shares):
            yield _line(words, [f"{share:.2f}" for share in shares])
    lost = [row.losses for row in rows if row.losses]
    yield _line("beside that: another Absatz of the norm is there", [f"{_siblings(one):.2f}" for one in lost])
    for code, words in _PLACES.items():
        yield _line(words, [_places(one.places.get(code, ())) for one in lost])
    for name in sorted({name for one in lost for name in one.corpora}):
        yield _line(f"  {name}: found of its gold norms", [_share(one, name) for one in lost])


def _line(words: str, cells: Sequence[str]) -> str:
    return f"{words:52} | " + " | ".join(f"{cell:>28}" for cell in cells)


def _siblings(losses: Losses) -> float:
    return losses.siblings / losses.needs if losses.needs else 0.0


def _places(places: Sequence[int]) -> str:
    """A quarter, half and three quarters of these stand before the three numbers; how many have no place at all."""
    ranked = [place for place in places if place]
    if not places:
        return "–"
    nowhere = f" · {len(places) - len(ranked)} nowhere" if len(ranked) < len(places) else ""
    if len(ranked) < 4:
        return ", ".join(map(str, ranked)) + nowhere
    low, middle, high = quantiles(ranked, n=4)
    return f"{low:.0f} / {middle:.0f} / {high:.0f}{nowhere}"


def _share(losses: Losses, corpus: str) -> str:
    found, of = losses.corpora.get(corpus, (0, 0))
    return f"{found} of {of}"


# --- for the docs -----------------------------------------------------------------------------------------------------


def markdown(reports: Sequence[SetReport]) -> str:
    """For two figures a table of all sets, a row for each system, with intervals and verdicts; then one of the losses."""
    tables = (line for figure in ("R@10 norm", "R@10") for line in (*_table(reports, figure), ""))
    return "\n".join((*tables, *_losses_table(reports), "", *(f"- {about(report)}" for report in reports), ""))


def _table(reports: Sequence[SetReport], figure: str) -> Iterator[str]:
    yield f"| {figure} | " + " | ".join(f"{report.name} ({report.questions})" for report in reports) + " |"
    yield "|---|" + "---|" * len(reports)
    names = dict.fromkeys(row.system for report in reports for row in report.rows)
    for name in names:
        cells = [_short(report.row(name), figure) for report in reports]
        yield f"| {f'**{name}**' if name == DEFAULT else name} | " + " | ".join(cells) + " |"


def _short(row: Row | None, figure: str) -> str:
    if row is None or not row.figures:
        return row.note if row else ""
    cell, effect = _cell(row.figures[figure]), row.against.get(figure)
    return f"{cell} {_VERDICTS[effect.verdict]}".strip() if effect else cell


def _losses_table(reports: Sequence[SetReport]) -> Iterator[str]:
    rows = [(report, row.losses) for report in reports for row in report.rows if row.system == DEFAULT and row.losses]
    yield "| the defaults: where the gold norms are | " + " | ".join(f"{report.name} ({losses.needs})" for report, losses in rows) + " |"
    yield "|---|" + "---|" * len(rows)
    for code, words in FATES.items():
        shares = [losses.shares.get(code, 0.0) for _, losses in rows]
        if any(shares):
            yield f"| {words} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"
    yield "| beside that: another Absatz of the norm is there | " + " | ".join(f"{_siblings(losses):.2f}" for _, losses in rows) + " |"

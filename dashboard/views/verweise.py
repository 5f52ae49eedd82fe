"""The references of a run: from which hit and which words, to which address, and what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dashboard.blocks import Block, Cell, paragraph, row, table, to_norm, written
from dashboard.links import key_of
from dashboard.naming import norm
from retrieval.norms import sentence
from retrieval.stages.references import Verweis
from retrieval.trace import Trace
from retrieval.words import Words

_SHOWN = 12
_FOLLOWED = frozenset({"follow", "fetched", "void", "failed"})
_SPENT = _FOLLOWED | {"beyond_cap"}
_NOWHERE = frozenset({"void", "not_in_stock"})


def blocks(trace: Trace, words: Words, everything: bool = False) -> list[Block]:
    """A sentence, the references that were followed or just missed it, and the count of each other fate."""
    if "references" in trace.without:
        return [paragraph(words.t("left_out.references"))]
    if any(fault.part == "verweise" for fault in trace.faults):
        return [paragraph(words.t("verweise.failed"))]
    if not trace.verweise:
        return [paragraph(words.t("verweise.none"))]
    shown = trace.verweise if everything else chosen(trace.verweise, trace.limit)
    head = [words.t(f"verweise.head.{name}") for name in ("by", "words", "target", "outcome")]
    found: list[Block] = [
        paragraph(summary(trace, words)),
        table(words.t("verweise.caption"), head, [_row(verweis, trace, words) for verweis in shown], empty=words.t("verweise.no_rows")),
    ]
    if len(shown) < len(trace.verweise):
        found.append(paragraph(_rest(trace.verweise, shown, words), muted=True))
    return found


def summary(trace: Trace, words: Words) -> str:
    """How many references were read and how many were followed."""
    followed = sum(verweis.fate in _FOLLOWED for verweis in trace.verweise)
    cap = trace.settings.references.max_verweis_normen
    read = words.n("verweise.read", len(trace.verweise))
    said = f"{read} {words.n('verweise.followed', followed, cap=words.whole(cap))}"
    best = trace.fused.living[0].rank if trace.fused.living else 0.0
    score = trace.settings.references.verweis_score
    if score <= best or not any(verweis.fate == "fetched" for verweis in trace.verweise):
        return said  # among equals what the search found stands first
    return f"{said} {words.t('verweise.ahead', score=words.number(score), best=words.number(best))}"


def chosen(verweise: Sequence[Verweis], limit: int | None) -> tuple[Verweis, ...]:
    """The references that are listed at once: all followed ones, then those of hits within the limit, up to a dozen in all."""
    if len(verweise) <= _SHOWN:
        return tuple(verweise)
    followed = [number for number, verweis in enumerate(verweise) if verweis.fate in _FOLLOWED]
    spent = [number for number, verweis in enumerate(verweise) if verweis.fate == "beyond_cap"]
    near = [number for number, verweis in enumerate(verweise) if verweis.fate not in _SPENT and (limit is None or verweis.place <= limit)]
    room = max(0, _SHOWN - len(followed))
    numbers = sorted({*followed, *spent[: room // 2], *near[: room - room // 2]})
    return tuple(verweise[number] for number in numbers)


def _row(verweis: Verweis, trace: Trace, words: Words) -> Block:
    by = trace.chunks.get(verweis.by)
    source: Cell = words.t("verweise.given")
    if by:
        source = [words.t("term.place", place=verweis.place), to_norm(norm(by, trace.specs), key_of(by))]
    target = _target(verweis, trace, words)
    quoted = (
        [words.quoted(verweis.words), written(sentence(by.text, verweis.start, verweis.end))]
        if verweis.words and by
        else [words.t("corpora.none")]
    )
    return row([source, quoted, target, [*outcome(verweis, trace, words)]], "" if verweis.fate in _FOLLOWED else "muted")


def outcome(verweis: Verweis, trace: Trace, words: Words) -> list[str]:
    """What became of a reference, and where its norm stands at the end of the run, which is not where it stood when it was read."""
    said = words.word("verweis", verweis.fate) + (f": {verweis.error_class}" if verweis.error_class else "")
    if verweis.fate != "fetched" and not verweis.at:
        return [said]
    brought = (trace.anchored.living[verweis.at - 1].chunk_id,) if verweis.at else verweis.chunk_ids
    places = [place for place, entry in enumerate(trace.final, start=1) if entry.chunk_id in brought]
    return [said, words.t("term.place", place=places[0]) if places else words.t("movement.legend.below")]


def _target(verweis: Verweis, trace: Trace, words: Words) -> Cell:
    if verweis.target is None:
        return verweis.law or words.t("verweise.no_target")
    name = norm(verweis.target, trace.specs)
    return [to_norm(name, key_of(verweis.target))] if verweis.fate not in _NOWHERE else name


def _rest(every: Sequence[Verweis], shown: Sequence[Verweis], words: Words) -> str:
    """The references that are not listed, counted by what became of them."""
    left = Counter(verweis.fate for verweis in every)
    left.subtract(verweis.fate for verweis in shown)
    counts = [f"{words.word('verweis', fate)} ({words.whole(number)})" for fate, number in left.most_common() if number]
    return words.n("verweise.rest", len(every) - len(shown), counts="; ".join(counts))

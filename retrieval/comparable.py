"""Whether the scores of several corpora mean the same: made by one model, in one way, and asked as they were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from retrieval import chroma
from retrieval.ports import Encoder
from retrieval.stock import CorpusStock

_COMPARED = ("model", "revision", "question_prompt", "passage_prompt", "normalised", "metric")


def _metric(stock: CorpusStock) -> str:
    return chroma.space(stock.col) if stock.col is not None else stock.fingerprint.metric


def differences(stocks: Mapping[str, CorpusStock]) -> Iterable[str]:
    """In what the corpora were made differently, so that their scores cannot be compared as they are."""
    unknown = [corpus_id for corpus_id, stock in stocks.items() if not stock.fingerprint.model]
    if unknown:
        yield f"It is not known which model made the vectors of {', '.join(unknown)}; their scores cannot be compared with others."
    known = {corpus_id: stock for corpus_id, stock in stocks.items() if stock.fingerprint.model}
    parts = [f"{field} ({_values(known, field)})" for field in _COMPARED if len(_by_value(known, field)) > 1]
    if parts:
        cut = _by_value(known, "chunking")
        also = f" They were also cut in different ways ({_values(known, 'chunking')})." if len(cut) > 1 else ""
        yield f"The corpora differ in {', '.join(parts)}; their scores cannot be compared as they are.{also}"


def _by_value(stocks: Mapping[str, CorpusStock], field: str) -> dict[object, list[str]]:
    found: dict[object, list[str]] = {}
    for corpus_id, stock in stocks.items():
        value = _metric(stock) if field == "metric" else getattr(stock.fingerprint, field)
        found.setdefault(value, []).append(corpus_id)
    return found


def _values(stocks: Mapping[str, CorpusStock], field: str) -> str:
    return "; ".join(f"{value!r}: {', '.join(ids)}" for value, ids in _by_value(stocks, field).items())


def other_encoders(stocks: Mapping[str, CorpusStock], encoders: Mapping[str, Encoder | str]) -> Iterable[str]:
    """Where questions are not encoded as the corpus was: another model, version or prompt."""
    for corpus_id, stock in stocks.items():
        made, encoder = stock.fingerprint, encoders.get(stock.fingerprint.model)
        if encoder is None or isinstance(encoder, str) or not made.model:
            continue
        now = encoder.fingerprint
        other = [field for field in _COMPARED[:4] if getattr(made, field) != getattr(now, field)]
        if other:
            parts = ", ".join(f"{field} {getattr(now, field)!r} instead of {getattr(made, field)!r}" for field in other)
            yield f"Questions to {corpus_id} are encoded otherwise than it was made: {parts}."

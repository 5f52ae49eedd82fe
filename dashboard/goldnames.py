"""Gold norms in words: as the stock spells them, with their state there, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.blocks import Line, alike, to_norm, written
from dashboard.links import key_of
from dashboard.naming import norm
from retrieval.evaluation.formats.preview import Remark, about, unreadable
from retrieval.evaluation.golds import LOWEST, Found
from retrieval.model import CorpusSpec
from retrieval.words import Words

Specs = Mapping[str, CorpusSpec]


def name(found: Found, specs: Specs, words: Words) -> str:
    """A gold norm by its address; what a person wrote, in quotation marks, where no address was found."""
    address = found.gold.address
    return norm(address, specs) if address.corpus_id else words.quoted(found.gold.written)


def state(found: Found, words: Words) -> str:
    """How it stands with a gold norm in the stock."""
    return words.word("questions.state", found.state)


def line(found: Found, specs: Specs, words: Words) -> Line:
    """Name, state and grade of a gold norm in one line; it leads to the norm where the stock has it."""
    graded = words.t("sets.norm.graded", grade=found.gold.grade) if found.gold.grade != LOWEST else ""
    text = " · ".join(part for part in (f"{name(found, specs, words)}: {state(found, words)}", graded) if part)
    return to_norm(text, key_of(found.gold.address)) if found.state in ("in_stock", "repealed") else text.replace("§ ", "§\u00a0")


def even(lines: Sequence[Line]) -> list[Line]:
    """Lines of a cell that rank alike, be they links or plain texts."""
    return alike([one if isinstance(one, dict) else written(one) for one in lines if one])


def sentence(needs: Sequence[Sequence[Found]], specs: Specs, words: Words) -> str:
    """All that a question needs in one sentence: ``§ A oder § B, und § C``."""
    either, all_of = f" {words.t('sets.norm.or')} ", f"; {words.t('sets.norm.and')} "
    return all_of.join(either.join(name(one, specs, words) for one in need) for need in needs)


def remarks(found: Found) -> list[Remark]:
    """What is to be said about a gold norm; nothing where it is in stock and in force, and meant as it is written."""
    return [unreadable(found)] if found.state == "unreadable" else about(found)


def said(remark: Remark, words: Words) -> str:
    """A remark as a sentence."""
    return words.word("questions.remark", remark.code, **remark.values)


def choices(found: Found, specs: Specs, words: Words) -> list[Line]:
    """The norms that an ambiguous one may mean."""
    places: list[Line] = [to_norm(norm(place, specs), key_of(place)) for place in found.choices]
    return [words.t("sets.norm.choices"), *places] if places else []

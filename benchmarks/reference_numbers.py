"""The numbers of sections in the public cases: what a case wants and what the product reads, so that all systems can be compared."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.reference_suites import Case, absolute, counted, in_their_form, laws
from retrieval.model import Target


def wanted_numbers(case: Case) -> list[str] | None:
    """The numbers of the sections that a case expects; None where it expects something else."""
    expected = case.expected
    if isinstance(expected, list):
        numbers = [_number_in(one) for one in expected]
        return numbers if all(numbers) else None
    if expected is None:
        return [] if case.kind == "citation->structure" else None
    if not isinstance(expected, dict) or "error" in expected:
        return None
    if "paragraphs" in expected:
        numbers = [one.get("paragraph", "") for one in expected["paragraphs"]]
        return numbers if all(numbers) else None
    if "contains" in expected or "sections_contain" in expected:
        return None
    if "sections" in expected:
        return list(expected["sections"])
    number = str(expected.get("norm") or expected.get("section") or "")
    return [number] if number else None if expected else []


def _number_in(one: Any) -> str:
    if isinstance(one, dict):
        return str(one.get("section", ""))
    if isinstance(one, str):
        found = re.match(r"(?:§|Art\.) (\S+)", one)
        return found[1] if found else ""
    return str(one[0][1]) if one and isinstance(one[0], list) else ""


def our_numbers(case: Case) -> list[str]:
    """The numbers that the product reads in the input of a case: as an address where it is typed, else as a text."""
    if not case.source.startswith("GammaFunds"):
        return [number for citation in absolute(case.input) for number in counted(citation)]
    book, names = laws()
    found = [
        target for target in book.read(case.input, names) if target.container_id or book.find(Target(target.corpus_id, target.section_id))
    ]
    return [in_their_form(target)["section"] for target in found if target.corpus_id]

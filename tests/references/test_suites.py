"""The public test cases: each is read as its source wants it, or differs by a convention that we state."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reference_suites import CASES, CONVENTIONS, cases, conventions, outcome

SOURCES = {
    "GammaFunds/german-law-lookup": 113,
    "harshildarji/bundesrecht": 101,
    "openlegaldata/legal-reference-extraction": 46,
    "QuantLaw/quantlaw": 40,
    "S1SYPHOS/php-gesetze": 40,
    "timothyc012/german-law-mcp": 1,
}
DOCS = Path(__file__).resolve().parents[2] / "docs" / "references.md"

needs_cases = pytest.mark.skipif(not CASES.exists(), reason="../shared/data/verweise_testfaelle is not here: no public cases to read")


@pytest.mark.shared
@needs_cases
@pytest.mark.parametrize("source", SOURCES)
def test_no_case_of_a_public_suite_fails(source: str) -> None:
    outcomes = [outcome(case) for case in cases() if case.source == source]
    assert len(outcomes) == SOURCES[source]
    assert [(one.case.id, one.case.input, one.case.expected, one.ours) for one in outcomes if one.verdict == "fails"] == []


@pytest.mark.shared
@needs_cases
def test_a_convention_lists_no_case_that_is_read_as_its_source_wants_it() -> None:
    known = {case.id for case in cases()}
    passing = {one.case.id for one in map(outcome, cases()) if one.verdict == "passes"}
    assert set(conventions()) <= known
    assert not passing & set(conventions())


def test_every_convention_is_explained() -> None:
    told = DOCS.read_text(encoding="utf-8")
    assert [name for name in dict.fromkeys(conventions().values()) if f"`{name}`" not in told] == []
    assert CONVENTIONS.exists()

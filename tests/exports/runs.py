"""Runs for the tests of exports: one over the corpora in memory, one full of hostile text, one of rank fusion."""

from __future__ import annotations

from functools import cache

from retrieval.decide import decide
from retrieval.model import Address, ReadyHit, Reference, Target, Units
from retrieval.settings import Settings
from retrieval.trace import Trace
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import HOSTILE, federation

KENNZEICHEN = "Welches Sonderkennzeichen setzt die Apotheke, wenn sie ein anderes Arzneimittel abgeben darf? RV"
FORMULA = '=HYPERLINK("http://beispiel.invalid";"x") Arzneimittel abgeben'


@cache
def traced(question: str = KENNZEICHEN, **settings: object) -> Trace:
    """A run of the federation in memory: anchors, references, quota and a named corpus all do something in the first question."""
    chosen = Settings.of({"max_final_results": 8, **settings})
    return decide(federation().gather(question, chosen), chosen)


def hostile() -> Trace:
    """A run whose question, titles, headings and texts try to be markup, links and formulas."""
    return traced(f"{HOSTILE} Sonderkennzeichen")


def referenced(**settings: object) -> Trace:
    """A run with a norm that only a reference brings, and one candidate behind the last place."""
    chunks = [chunk(name, section=f"§ {number}") for number, name in enumerate("abcd", start=1)]
    references = {"a": [Reference(0, 3, "§ 4", "resolved", Address("gesetz", "", "§ 4"))]}
    units = {Target("gesetz", "§ 4", ""): Units("found", (ReadyHit("d", 1.0, (), 1.0),))}
    gathered = pool([answer("gesetz", {"a": 0.9, "b": 0.2, "c": 0.1}, {"a": 0.4})], chunks, references=references, units=units)
    return decide(gathered, Settings.of({"max_final_results": 3, **settings}))

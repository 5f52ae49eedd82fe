"""The files of a run: names, types, and that each can be read back."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decide import decide
from retrieval.exports.cells import original_text
from retrieval.exports.files import KINDS, as_csv, as_json, as_production, as_toml, export, file_name
from retrieval.exports.fingerprints import Fingerprint
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace
from retrieval.words import LANGUAGES, Words
from tests.exports.runs import FORMULA, hostile, traced
from tests.strategies import pools, settings

MADE = date(2033, 5, 2)
DE = Words("de")


@given(st.text())
def test_a_name_is_safe_on_every_system(question: str) -> None:
    assert re.fullmatch(r"fundstelle-2033-05-02(-[a-z0-9]+)*\.xlsx", file_name(question, MADE, "xlsx"))
    assert len(file_name(question, MADE, "xlsx")) <= 90


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Wann darf die Apotheke abweichen?", "wann-darf-die-apotheke-abweichen"),
        ("§ 129 Abs. 2 SGB V: Größe", "par-129-abs-2-sgb-v-groesse"),
        ("../../etc/passwd", "etc-passwd"),
        ("wort " * 40, "-".join(["wort"] * 12)),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_name_tells_the_question(question: str, name: str) -> None:
    assert file_name(question, MADE, "html") == f"fundstelle-2033-05-02-{name}.html"


@given(pools(), settings())
def test_the_json_read_back_is_the_trace(gathered: Pool, chosen: Settings) -> None:
    trace = decide(gathered, chosen)
    assert Trace.from_json(as_json(trace, DE, MADE)) == trace


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_hostile_text_in_both_languages(kind: str, language: str) -> None:
    file = export(kind, hostile(), Words(language), MADE)
    assert len(file.data) > 100
    assert file.name.endswith(f".{'toml' if kind == 'production' else kind}")


@given(pools(), settings())
def test_every_run_gives_every_kind(gathered: Pool, chosen: Settings) -> None:
    trace = decide(gathered, chosen)
    assert [kind for kind in KINDS if not export(kind, trace, DE, MADE).data] == []


def test_the_table_holds_the_list_with_texts_guarded_and_numbers_as_numbers() -> None:
    trace = traced(FORMULA)
    rows = list(csv.reader(io.StringIO(as_csv(trace, DE, MADE).decode("utf-8-sig"), newline=""), delimiter=";"))
    rank = rows[0].index("Ordnungswert")
    assert [float(row[rank].replace(",", ".")) for row in rows[1:]] == [entry.rank for entry in trace.final]
    assert [original_text(row[-1]) for row in rows[1:]] == [trace.chunks[entry.chunk_id].text for entry in trace.final]


def test_the_settings_read_back_are_the_settings() -> None:
    trace = traced(min_ratio=0.33, fusion="rrf")
    assert Settings.from_toml(as_toml(trace, DE, MADE).decode()) == trace.settings


def test_the_file_of_production_holds_the_fingerprints() -> None:
    trace = traced()
    found = tomllib.loads(as_production(trace, DE, MADE).decode())["production"]
    assert Fingerprint(**found) == Fingerprint.of(trace)

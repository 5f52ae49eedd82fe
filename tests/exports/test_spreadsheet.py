"""The spreadsheet: its formulas, recalculated by another program, give the run's own values; its texts are texts."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from msgspec.structs import replace

from retrieval.decide import decide
from retrieval.exports.cells import original_text
from retrieval.exports.naming import norm
from retrieval.exports.spreadsheet import workbook
from retrieval.exports.tables import Formula, Table, tables
from retrieval.settings import Settings
from retrieval.trace import Trace
from retrieval.words import LANGUAGES, Words
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import QUESTION
from tests.exports.runs import FORMULA, KENNZEICHEN, hostile, referenced, traced

MADE = date(2033, 5, 2)
DE = Words("de")
RUNS = {
    "anchors and a named corpus": traced(),
    "quota": traced(QUESTION, max_final_results=6),
    "rank fusion": traced(QUESTION, fusion="rrf", rrf_k=17.5, weight_vector=0.75, weight_lexical=0.1),
    "a reference in the list": referenced(weight_vector=0.3),
    "a weight of zero": traced(QUESTION, weight_lexical=0.0),
    "hostile": hostile(),
}


def opened(trace: Trace, words: Words = DE, values: bool = False) -> Any:
    return openpyxl.load_workbook(io.BytesIO(workbook(trace, words, MADE)), data_only=values)


class Recalculated:
    """The workbook, calculated from its formulas alone by the library ``formulas``, with some cells changed before."""

    def __init__(self, trace: Trace, folder: Path, **changed: float) -> None:
        import formulas

        file = folder / "run.xlsx"
        file.write_bytes(workbook(trace, DE, MADE))
        self.names = {name: found.attr_text for name, found in openpyxl.load_workbook(file).defined_names.items()}
        model = formulas.ExcelModel().loads(str(file)).finish()
        self.found = model.calculate(inputs={self._key(self._place(name)): value for name, value in changed.items()})

    def _place(self, name: str) -> tuple[str, str]:
        sheet, cell = self.names[name].replace("$", "").split("!")
        return sheet.strip("'"), cell

    def _key(self, place: tuple[str, str]) -> str:
        return f"'[run.xlsx]{place[0].upper()}'!{place[1]}"

    def __call__(self, sheet: str, cell: str) -> float:
        return float(self.found[self._key((sheet, cell))].value[0][0])


def formulas_of(table: Table) -> dict[str, Formula]:
    return {
        f"{chr(ord('A') + column)}{row}": cell
        for row, cells in enumerate(table.rows, start=2)
        for column, cell in enumerate(cells)
        if isinstance(cell, Formula)
    }


@pytest.mark.parametrize("trace", RUNS.values(), ids=RUNS.keys())
def test_another_program_calculates_every_value_of_the_run(trace: Trace, tmp_path: Path) -> None:
    recalculated = Recalculated(trace, tmp_path)
    count = 0
    for table in tables(trace, DE):
        for cell, formula in formulas_of(table).items():
            assert recalculated(DE.t(f"file.sheet.{table.name}"), cell) == pytest.approx(formula.value, abs=1e-11), (table.name, cell)
            count += 1
    assert count > 20


@pytest.mark.parametrize("trace", RUNS.values(), ids=RUNS.keys())
def test_the_rank_scores_in_the_cells_are_those_of_the_trace(trace: Trace) -> None:
    sheet = opened(trace, values=True)["Liste"]
    column = [cell.value for cell in sheet[1]].index("Ordnungswert")
    ranks = [row[column] for row in sheet.iter_rows(min_row=2, values_only=True)]
    assert ranks == pytest.approx([entry.rank for entry in trace.final], abs=1e-12)
    assert len(ranks) > 1


def test_every_rank_that_comes_from_the_routes_is_a_formula_over_the_settings() -> None:
    trace = RUNS["rank fusion"]
    sheet = opened(trace)["Liste"]
    heads = [cell.value for cell in sheet[1]]
    row = [cell.value for cell in sheet[2]]
    assert row[heads.index("Vektorsuche: Beitrag")] == "=H2/(rrf_k+E2)/rrf_ceiling"
    assert row[heads.index("Vektorsuche: Gewicht")] == "=share_vector"
    assert row[heads.index("Ordnungswert")] == "=O2"


@pytest.mark.parametrize(
    ("settings", "changed"),
    [({}, {"weight_vector": 0.9, "weight_lexical": 0.2}), ({"fusion": "rrf"}, {"rrf_k": 5.0}), ({}, {"verweis_score": 0.3})],
)
@pytest.mark.parametrize("run", [referenced, partial(traced, QUESTION)])
def test_a_changed_cell_gives_the_rank_scores_of_a_run_with_that_setting(
    run: Callable[..., Trace], settings: dict[str, Any], changed: dict[str, float], tmp_path: Path
) -> None:
    trace, with_it = run(**settings), run(**settings, **changed)
    recalculated = Recalculated(trace, tmp_path, **changed)
    expected = {entry.chunk_id: entry.rank for entry in with_it.completed.living}
    moved = 0
    for row, entry in enumerate(trace.completed.living, start=2):
        assert recalculated("Kandidaten", f"P{row}") == pytest.approx(expected[entry.chunk_id], abs=1e-11)
        moved += entry.rank != expected[entry.chunk_id]
    assert moved or (run is not referenced and "verweis_score" in changed)


def test_a_reference_target_reads_its_score_from_the_settings() -> None:
    trace = referenced()
    target = norm(trace.chunks["d"], trace.specs)
    row = next(row for row in opened(trace)["Liste"].iter_rows(min_row=2, values_only=True) if row[1] == target)
    assert row[15] == "=verweis_score"


def test_the_sheets_stand_in_order_in_both_languages() -> None:
    assert opened(RUNS["quota"]).sheetnames == ["Lauf", "Liste", "Kandidaten", "Bilanz", "Verweise", "Anker"]
    assert opened(RUNS["quota"], Words("en")).sheetnames == ["Run", "List", "Candidates", "Balance", "References", "Anchors"]


def test_all_candidates_stand_in_their_sheet_with_what_became_of_them() -> None:
    trace = RUNS["anchors and a named corpus"]
    rows = list(opened(trace, values=True)["Kandidaten"].iter_rows(min_row=2, values_only=True))
    assert len(rows) == len(trace.completed.entries)
    assert {row[-2] for row in rows} - {None} == set(range(1, len(trace.final) + 1))
    assert DE.t("fate.moved_to_front") in {row[-1] for row in rows}


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_is_text_and_comes_back_as_it_was(language: str) -> None:
    trace = hostile()
    book = opened(trace, Words(language))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert [cell.value for cell in cells if cell.hyperlink] == []
    ours = re.compile(r"=[A-Za-z0-9_+\-*/(),:]+")
    assert [cell.value for cell in cells if cell.data_type == "f" and not ours.fullmatch(cell.value)] == []
    texts = {original_text(cell.value) for cell in cells if cell.data_type == "s"}
    assert trace.question in texts
    assert {trace.chunks[entry.chunk_id].text for entry in trace.final} <= texts


def test_a_question_that_is_a_formula_is_guarded() -> None:
    sheet = opened(traced(FORMULA))["Lauf"]
    assert (sheet["B1"].value, sheet["B1"].data_type) == ("'" + FORMULA, "s")


def test_no_part_of_the_file_reaches_outside() -> None:
    with zipfile.ZipFile(io.BytesIO(workbook(hostile(), DE, MADE))) as packed:
        relations = [packed.read(name).decode() for name in packed.namelist() if name.endswith(".rels")]
        assert [text for text in relations if "External" in text] == []
        assert [name for name in packed.namelist() if "vba" in name.lower() or "externalLink" in name] == []


def test_a_text_longer_than_a_cell_is_cut_and_says_so() -> None:
    trace = decide(pool([answer("gesetz", {"a": 0.5})], [chunk("a", text="=" + "ä" * 40_000)]), Settings())
    text = opened(trace)["Liste"]["U2"].value
    assert len(text) == 32_767
    assert "gekürzt" in text
    assert text.startswith("'=ä")


def test_control_characters_and_half_signs_do_not_break_the_file() -> None:
    trace = replace(referenced(), question="a\x00b\x0bc\ud800d _x0041_ § ä")
    assert opened(trace)["Lauf"]["B1"].value.endswith("c?d _x0041_ § ä")


def test_an_empty_list_has_its_heads() -> None:
    trace = decide(pool([answer("gesetz")], []), Settings())
    assert [[cell.value for cell in row][:2] for row in opened(trace)["Liste"].iter_rows()] == [["Platz", "Fundstelle"]]


def test_missing_is_an_empty_cell_and_zero_is_zero() -> None:
    trace = decide(pool([answer("gesetz", {"a": 0.5}, {"b": 0.0})], [chunk("a"), chunk("b", section="§ 2")]), Settings())
    first, second = opened(trace, values=True)["Liste"].iter_rows(min_row=2, values_only=True)
    assert first[9:14] == (None,) * 5
    assert second[4:9] == (None,) * 5
    assert (second[11], second[15], second[16]) == (0, 0, None)


def test_the_same_run_and_day_give_the_same_bytes() -> None:
    assert workbook(traced(KENNZEICHEN), DE, MADE) == workbook(traced(KENNZEICHEN), DE, MADE)

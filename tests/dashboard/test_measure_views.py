"""Measuring on screen: what each sentence and table says, and that a chart never stands without them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dashboard import figures
from dashboard.blocks import Block
from dashboard.views import against as against_view
from dashboard.views import assertions as matrix_view
from dashboard.views import measures
from dashboard.views import oracle as oracle_view
from dashboard.views import thresholds as gap_view
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.evaluation.against import against
from retrieval.evaluation.assertions import Assertion, Matrix
from retrieval.evaluation.evaluate import Sampling, evaluate
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.oracle import STAGES, Oracle, oracle, summed
from retrieval.evaluation.report import Failed, Report
from retrieval.evaluation.sets import load
from retrieval.evaluation.statistics import effect, share, tried
from retrieval.evaluation.thresholds import Observed, choice, gap, middle
from retrieval.federated import FederatedRetriever
from retrieval.model import Address, CorpusSpec
from retrieval.settings import Settings
from retrieval.words import Words
from tests.builders import chunk
from tests.dashboard.demo import HTML, SPECS
from tests.evaluation.lists import gold, question, simple
from tests.evaluation.test_evaluate import a_set, checked, run_of

DE, EN = page_words("de"), page_words("en")
BOTH = pytest.mark.parametrize("words", [DE, EN], ids=["de", "en"])
QUICK = Sampling(resamples=200)
SAMPLES = Path(__file__).parents[2] / "sample_corpora"
GESETZ = {"gesetz": CorpusSpec("gesetz", "Gesetz", names=("G",))}


def text(blocks: Sequence[Block]) -> str:
    return json.dumps(list(blocks), ensure_ascii=False)


def tables(blocks: Sequence[Block]) -> list[Block]:
    """All tables, also those behind a label; every row has a cell under each head."""
    opened = [one for block in blocks for one in (block["blocks"] if block["type"] == "folded" else [block])]
    found = [one for one in opened if one["type"] == "table"]
    assert all(len(row["cells"]) == len(one["head"]) for one in found for row in one["rows"])
    return found


def cells(found: Block, line: int) -> list[Any]:
    made: list[Any] = found["rows"][line]["cells"]
    return made


@pytest.fixture(scope="module")
def asked(federation: FederatedRetriever) -> CheckedSet:
    return Golds(federation.registry.federation).check(load(SAMPLES / "questions.toml").questions)


def measured(asked: CheckedSet, federation: FederatedRetriever, settings: Settings) -> Report:
    return evaluate(asked, lambda text: decide(federation.gather(text, settings), settings), sampling=QUICK)


@pytest.fixture(scope="module")
def report(asked: CheckedSet, federation: FederatedRetriever) -> Report:
    return measured(asked, federation, Settings())


@pytest.fixture(scope="module")
def other(asked: CheckedSet, federation: FederatedRetriever) -> Report:
    return measured(asked, federation, Settings.of(verweis_score=0.97))


def specs(federation: FederatedRetriever) -> dict[str, CorpusSpec]:
    found: dict[str, CorpusSpec] = federation.registry.federation.specs
    return found


# --- the figures ------------------------------------------------------------------------------------------------------


def test_unjudged_hits_count_and_are_counted_beside_the_figure() -> None:
    one = simple("g1 g2", id="eins")
    made = evaluate(a_set(one), {"eins": run_of("x g1 y g2")}, sampling=QUICK)
    (found, *_) = tables(measures.table_of(made, GESETZ, DE))
    by_name = {row["cells"][0]: row["cells"] for row in found["rows"]}
    assert by_name["Genauigkeit (Precision)"][1:6] == ["0,500", "0,055 bis 0,945", "1", "1,000", "2 von 4"]
    assert by_name["Ausbeute (Recall)"][1] == "1,000"
    assert by_name["Reihenfolge (nDCG)"][1] == "0,651"
    assert by_name["Beurteilte Plätze"][1] == "0,500"


def test_gold_out_of_stock_is_named_in_every_figure_that_it_touches() -> None:
    one, two = simple("a b", id="eins", chain=True), simple("c", id="zwei")
    made = evaluate(checked({"eins": ("in_stock", "not_in_stock")}, one, two), {"eins": run_of("a"), "zwei": run_of("c")}, sampling=QUICK)
    found, limits, *_ = tables(measures.table_of(made, GESETZ, DE))
    by_name = {row["cells"][0]: row["cells"] for row in found["rows"]}
    assert by_name["Ausbeute (Recall)"][-1] == ["1 von 3 bekannten Normen", "G · b (nicht im Bestand)"]
    assert by_name["Kettenabdeckung"][-1] == ["1 von 2 bekannten Normen", "G · b (nicht im Bestand)"]
    assert by_name["Beurteilte Plätze"][-1] == "nichts"
    assert "Beurteilte Plätze" not in cells(limits, 0)[3]
    assert cells(limits, 0)[1:3] == ["nicht im Bestand", "Frage eins?"]
    assert "Kettenabdeckung" in cells(limits, 0)[3]


def test_a_repealed_norm_leads_to_itself_and_one_that_is_nowhere_to_nothing() -> None:
    one = simple("a b", id="eins")
    made = evaluate(checked({"eins": ("repealed", "ambiguous")}, one), {"eins": run_of("x")}, sampling=QUICK)
    limits = tables(measures.table_of(made, GESETZ, DE))[1]
    assert [cells(limits, line)[0] for line in range(2)] == [[{"text": "G · a", "norm": "gesetz||a"}], ["G · b"]]


def test_what_failed_and_what_is_partial_stands_by_name() -> None:
    one, two = simple("a", id="eins"), simple("c", id="zwei")

    def runs(asked: str) -> Any:
        if asked == two.text:
            raise RuntimeError(HTML)
        return run_of("a")

    made = evaluate(a_set(one, two), runs, sampling=QUICK)
    (notice,) = measures.faults(made, DE)
    assert (notice["role"], notice["lines"]) == ("fault", [two.text])
    assert notice["details"] == [[two.text, f"RuntimeError: {HTML}"]]
    assert made.failed == (Failed("zwei", two.text, "RuntimeError", HTML),)


def test_a_figure_without_a_question_is_a_dash_and_no_zero() -> None:
    made = evaluate(a_set(question(id="leer")), {"leer": run_of("a")}, sampling=QUICK)
    (found, *_) = tables(measures.table_of(made, GESETZ, DE))
    assert cells(found, 0)[1:] == ["–", "–", "0", "–", "–", "–"]
    assert len(measures.frame(made.figures, DE)) == 0
    assert "Zu 1 Frage ist keine Norm bekannt" in measures.about(made, DE)


def test_what_limits_the_figures_is_counted_by_its_state() -> None:
    one = simple("a b c", id="eins")
    made = evaluate(checked({"eins": ("repealed", "not_in_stock", "not_in_stock")}, one), {"eins": run_of("x")}, sampling=QUICK)
    assert measures.about(made, DE).endswith("3 bekannte Normen können die Kennzahlen begrenzen (1 aufgehoben, 2 nicht im Bestand).")


@BOTH
def test_the_chart_shows_each_figure_with_its_interval_and_its_number(report: Report, words: Words) -> None:
    frame = measures.frame(report.figures, words)
    drawn = measures.figure(frame, words, "#000")
    assert len(drawn["data"][0]["x"]) == sum(one.estimate.n > 0 for one in report.figures)
    assert drawn["layout"]["yaxis"]["ticktext"][0].endswith(words.n("measure.questions", 38))
    assert all(
        down >= 0 <= up for down, up in zip(drawn["data"][0]["error_x"]["arrayminus"], drawn["data"][0]["error_x"]["array"], strict=True)
    )


@BOTH
def test_parts_of_the_set_have_a_row_each(report: Report, federation: FederatedRetriever, words: Words) -> None:
    (corpora,) = tables(measures.groups(report.by_corpus, "corpus", specs(federation), words))
    (tags,) = tables(measures.groups(report.by_tag, "tag", specs(federation), words))
    assert len(corpora["rows"]) == 5
    assert [row["cells"][0] for row in tags["rows"]] == [one.name for one in report.by_tag]
    assert tables(measures.groups((), "tag", {}, words)) == []


def test_the_worst_question_stands_first_and_its_norms_have_their_places(
    report: Report, asked: CheckedSet, federation: FederatedRetriever
) -> None:
    rows = measures.worst_first(report.rows)
    settled = {one.id: one for one in asked.settled.questions}
    assert [one.values["recall"] for one in rows] == sorted(one.values["recall"] or 0.0 for one in report.rows)
    said = measures.row_text(rows[0], settled, specs(federation), DE)
    found = "HVG-A · § 59: fehlt; AbgV-A · Anlage 2 · § 2: Platz 2; AbgV-A · Anlage 2 · § 6: fehlt; AbrV-A · Ziffer 4.12: Platz 3"
    assert said.splitlines()[-2:] == [found, "7 von 10 Plätzen ohne Urteil"]
    (made,) = tables(measures.rows_table(rows[:3], settled, specs(federation), DE))
    assert len(made["rows"]) == 3


# --- the matrix -------------------------------------------------------------------------------------------------------


def test_the_matrix_says_every_state_in_words_and_names_what_is_broken() -> None:
    norms = (Address("gesetz", "", "§ 1"), Address("gesetz", "", "§ 2"))
    found = Matrix(
        norms,
        (
            Assertion("f1", norms[0], "held", 2, True, ("anker",)),
            Assertion("f1", norms[1], "missing", None, False, ("anker",)),
            Assertion("f2", norms[0], "not_demanded", None, True),
        ),
    )
    drawn = matrix_view.blocks(found, {"f1": "Erste?", "f2": "Zweite?"}, SPECS, DE)
    broken, matrix = tables(drawn)
    assert "Anker verlangen 2 Mal eine Norm; 1 Mal steht sie in der Liste." in text(drawn)
    assert cells(broken, 0) == ["Erste?", "AMG-T · § 2", "fehlt in der Liste", "anker"]
    assert cells(matrix, 0) == ["Erste?", ["in der Liste, Platz 2", "zugleich bekannte Norm"], "fehlt in der Liste"]
    assert cells(matrix, 1) == ["Zweite?", "bekannte Norm, von keinem Anker verlangt", "–"]


def test_without_demands_the_matrix_is_a_sentence() -> None:
    assert text(matrix_view.blocks(Matrix(), {}, SPECS, DE)).count("Kein Anker verlangt") == 1


# --- two settings -----------------------------------------------------------------------------------------------------


def test_eight_of_ten_is_not_called_better_than_seven_of_ten() -> None:
    seven, eight = [1.0] * 7 + [0.0] * 3, [1.0] * 8 + [0.0] * 2
    said = figures.verdict(effect(seven, eight), DE)
    assert "nicht vom Zufall zu unterscheiden" in said
    assert "Besser" not in said
    assert figures.estimated(share(seven), DE) == "0,700 (10 Fragen; Bereich 0,397 bis 0,892 bei 95 % Sicherheit)"


def test_the_warning_speaks_of_tests_and_never_of_certainty() -> None:
    assert figures.warned(tried(1), DE) == ""
    assert "bis zu 40 % mindestens ein Unterschied nachgewiesen, der nur Zufall ist" in figures.warned(tried(10), DE)
    assert "bis zu fast 100 %" in figures.warned(tried(500), DE)


@BOTH
def test_a_comparison_has_every_figure_under_both_settings_and_names_the_losers(report: Report, other: Report, words: Words) -> None:
    found = against(report, other, sampling=QUICK)
    numbers, said, *_ = tables(against_view.verdicts(found, report, other, ("A", "B"), words))
    by_name, told = ({row["cells"][0]: row["cells"] for row in made["rows"]} for made in (numbers, said))
    name = figures.name("chain_coverage", words)
    assert by_name[name][1:4] == [words.number(0.887), words.number(0.828), words.number(-0.059)]
    assert told[name][1][1] == words.n("measure.against.losers", 3)
    assert len(told[name][1]) == 5
    assert figures.name("success", words) in by_name
    assert figures.name("success", words) not in told
    assert "0,50 → 0,97" in against_view.differing(found.differing, DE)


def test_nobody_sees_the_held_out_half_before_it_is_asked_for(report: Report, other: Report) -> None:
    ids = [row.question_id for row in report.rows]
    tuned, held = against(report, other, ids[:20], QUICK), against(report, other, ids[20:], QUICK)
    hidden, shown = (tables(against_view.halves(tuned, one, (20, 18), DE))[0] for one in (None, held))
    assert {row["cells"][2] for row in hidden["rows"]} == {"für diesen Vergleich noch nicht angesehen"}
    assert all("noch nicht angesehen" not in str(row["cells"][2]) for row in shown["rows"])
    assert [row["cells"][1] for row in hidden["rows"]] == [row["cells"][1] for row in shown["rows"]]


def test_questions_of_one_side_only_are_named(report: Report) -> None:
    found = against(report, evaluate(a_set(), {}, sampling=QUICK, k=report.k), sampling=QUICK)
    assert len(found.unpaired) == 38
    assert "38 Fragen ließen sich nicht auf beiden Seiten messen" in text(against_view.faults(found, DE))


# --- where norms are lost ---------------------------------------------------------------------------------------------


def small() -> Oracle:
    one = checked({"eins": ("in_stock", "in_stock", "not_in_stock")}, simple("a b z", id="eins", chain=True)).questions[0]
    return summed([oracle(one, run_of("x b y w a"))])


def test_the_numbers_of_a_column_add_up_to_the_real_list() -> None:
    (made,) = tables(oracle_view.blocks(small(), DE))
    for column in (1, 2, 3):
        numbers = [float(row["cells"][column].replace("−", "-").replace(",", ".")) for row in made["rows"]]
        assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.002)


@BOTH
def test_the_bars_fall_from_one_to_the_real_list(words: Words) -> None:
    found = small().metric("recall")
    drawn = oracle_view.figure(found, words, "#000")
    bars = drawn["data"][0]
    assert len(bars["x"]) == len(STAGES) + 2
    assert bars["x"][-1] == pytest.approx(1 / 3)
    assert (bars["base"][1], bars["x"][1]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert words.number(1 / 3) in oracle_view.sentence(found, words)


def test_lost_norms_stand_by_name_under_their_stage() -> None:
    drawn = oracle_view.names(small(), GESETZ, DE)
    assert [block["label"] for block in drawn] == [
        "Nicht im Bestand: 1 Norm",
        "Nicht in die Liste gekommen: 1 Norm",
        "Zu weit hinten: 1 Norm",
    ]
    assert ["G · b", "steht auf Platz 2, möglich wäre Platz 1"] in [row["cells"][1] for made in tables(drawn) for row in made["rows"]]


# --- the decision gap -------------------------------------------------------------------------------------------------


def seen(name: str, value: float, right: bool) -> Observed:
    return Observed(name, f"Frage {name}", right, value, value, chunk(name).address)


NARROW = gap("min_gap", [seen("w", 0.0649, False), seen("r", 0.0759, True)])


def test_a_feasible_gap_is_said_with_four_digits_and_its_room() -> None:
    assert "trennt beide ohne Fehler" in gap_view.sentence(NARROW, DE)
    assert "über 0,0649 bis einschließlich 0,0759" in gap_view.sentence(NARROW, DE)
    drawn = text(gap_view.blocks(NARROW, choice(NARROW, middle(NARROW) or 0.0), GESETZ, DE))
    assert "Spielraum nach unten: 0,0055. Darunter wird auch durchgelassen: „Frage w“." in drawn
    assert "Spielraum nach oben: 0,0055. Darüber wird auch zurückgewiesen: „Frage r“." in drawn
    assert "bei 0 von 2 Fragen falsch" in drawn


def test_the_chart_tells_right_from_wrong_by_shape_and_row() -> None:
    drawn = gap_view.figure(NARROW, choice(NARROW, 0.07), DE, "#000")
    right, wrong = drawn["data"]
    assert (right["marker"]["symbol"], wrong["marker"]["symbol"]) == ("circle", "x-thin")
    assert (right["y"], wrong["y"]) == ([0], [1])
    assert [shape["type"] for shape in drawn["layout"]["shapes"]] == ["rect", "line"]


def test_contradicting_questions_and_mistakes_are_named() -> None:
    found = gap("min_score", [seen("r", 0.2, True), seen("w", 0.6, False), seen("r2", 0.5, True)])
    drawn = gap_view.blocks(found, choice(found, 0.4), GESETZ, DE)
    assert "3 Fragen widersprechen jeder fehlerfreien Schwelle" in text(drawn)
    mistakes, everybody = tables(drawn)
    assert [row["cells"][-1] for row in mistakes["rows"]] == ["richtig, aber zurückgewiesen", "nicht richtig, aber durchgelassen"]
    assert [row["cells"][0] for row in everybody["rows"]] == ["Frage w", "Frage r2", "Frage r"]


@BOTH
def test_a_threshold_that_lets_nothing_pass_is_said_to_tell_nothing_apart(words: Words) -> None:
    found = gap("min_score", [seen("r", 0.1, True), seen("w1", 0.6, False), seen("w2", 0.7, False)])
    assert words.t("measure.gap.none_passes") in gap_view.sentence(found, words)
    assert words.t("measure.gap.none_passes") not in gap_view.sentence(NARROW, words)


def test_what_has_no_value_is_counted_apart() -> None:
    found = gap("min_gap", [Observed("leer", "Leer?", False)], ["ohne"])
    assert gap_view.sentence(found, DE) == DE.t("measure.gap.no_question")
    assert len(gap_view.apart(found, DE)) == 2


def test_a_need_is_named_by_all_its_norms_and_by_words_where_it_has_no_address() -> None:
    named = [(gold("§ 1").address, ""), (Address(""), "§ 6 Rahmenvertrag")]
    assert figures.need(named, GESETZ, DE) == "G · § 1 oder „§ 6 Rahmenvertrag“"

"""Tours: what a file of steps may say, what is refused and how, and whether the tour of the samples is true."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from builders import answer, chunk, pool

from retrieval.decide import STAGES
from retrieval.errors import BadInput
from retrieval.federated import FederatedRetriever
from retrieval.settings import Settings
from retrieval.tours import MOST_STEPS, Beside, Expectation, Step, Tour, Walked, parse_tour, read_tour, walk
from retrieval.trace import Pool
from sample_corpora import PATH

STEP = '[[step]]\nid = "a"\nde = "Ein Satz."\nquestion = "Frage"\n'


def refused(text: str) -> str:
    with pytest.raises(BadInput) as found:
        parse_tour(text.encode(), "tour.toml")
    return str(found.value)


def one(**fields: object) -> Step:
    return Step(id="a", de="Satz.", question="Frage", **fields)  # type: ignore[arg-type]


def gathered() -> Pool:
    """A large corpus whose four norms come first, a small one with one norm behind them."""
    large = {f"g{number}": 0.9 - number / 100 for number in range(4)}
    chunks = [*(chunk(key, section=f"§ {number}") for number, key in enumerate(large, start=1)), chunk("v1", "vertrag", "§ 9")]
    return pool([answer("gesetz", large, large), answer("vertrag", {"v1": 0.6}, {"v1": 0.6})], chunks)


def walked(step: Step) -> Walked:
    return walk(step, lambda _question, _settings: gathered())


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_step_with_three_lines_is_a_tour() -> None:
    (step,) = parse_tour(STEP.encode()).steps
    assert (step.id, step.question, step.compare_with, step.expects) == ("a", "Frage", None, ())


def test_a_step_without_english_is_shown_in_german() -> None:
    assert one().sentence("en") == "Satz."
    assert one(en="Sentence.").sentence("en") == "Sentence."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[step]", "found no valid TOML"),
        ("", "missing required field `step`"),
        (STEP + STEP, "tour.toml, step 1, line 1: found the id 'a' in another step too"),
        (
            STEP + STEP.replace('"a"', '"b"').replace("question", "frage"),
            "tour.toml, step 2, line 5: Object contains unknown field `frage`",
        ),
        (STEP + '[[step]]\nid = "b"\n', "tour.toml, step 2, line 5: Object missing required field `de`"),
        (STEP + "settings = { min_ratio = 7 }", "min_ratio: found '7', expected a number from 0 to 1"),
        (STEP + "settings = { ratio = 0.2 }", "Setting 'ratio': not known"),
        (STEP + 'without = ["quote"]', "without: found 'quote'; expected some of anchors, references, quota, named_first"),
        (STEP + 'compare_with = { without = ["x"] }', "without: found 'x'"),
        (STEP + 'norms = [{ section = "§ 1" }]', "norms[0]: Object missing required field `corpus`"),
        (STEP + 'shows = "wheel"', "shows: Invalid enum value 'wheel'"),
        (STEP + 'expects = [{ corpus = "c", in_list = "yes" }]', "expects[0].in_list: Expected `bool`, got `str`"),
        (STEP + 'expects = [{ corpus = "c", in_list = false, place = 1 }]', "expected one of the two"),
        (STEP + 'expects = [{ corpus = "c", compared = true }]', "the step has no compare_with"),
        (STEP.replace("Ein Satz.", "x" * 401), "de: Expected `str` of length <= 400"),
    ],
)
def test_a_fault_is_named_with_step_line_and_remedy(text: str, said: str) -> None:
    assert said in refused(text)


def test_a_tour_has_an_end() -> None:
    steps = "".join(STEP.replace('"a"', f'"{number}"') for number in range(MOST_STEPS + 1))
    assert f"length <= {MOST_STEPS}" in refused(steps)
    assert "expected at most 1000000" in refused("#" * 1_000_001)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_tour(tmp_path / "no.toml")


# --- walking ----------------------------------------------------------------------------------------------------------


SHORT = {"max_final_results": 4}


def beside(*without: str) -> Beside:
    return Beside(settings=dict(SHORT), without=without)


def test_the_moves_name_who_comes_in_and_who_leaves_and_where_they_stood() -> None:
    moves = walked(one(settings=SHORT, compare_with=beside("quota"))).moves
    assert [(move.chunk_id, move.before, move.after, move.stood) for move in moves] == [
        ("g0", 1, 1, 1),
        ("g1", 2, 2, 2),
        ("g2", 3, 3, 3),
        ("v1", 0, 4, 5),
        ("g3", 4, 0, 4),
    ]


def test_a_claim_that_is_not_true_of_this_stock_is_not_met() -> None:
    step = one(settings=SHORT, expects=(Expectation("vertrag", "§ 9", in_list=False), Expectation("gesetz", "§ 1", place=1)))
    found = walked(step)
    assert [(held.state, held.places) for held in found.held] == [("not_met", (4,)), ("met", (1,))]
    assert not found.holds


def test_a_claim_about_a_corpus_that_is_not_there_is_neither_true_nor_false() -> None:
    (held,) = walked(one(expects=(Expectation("anderes", "§ 1", in_list=False),))).held
    assert held.state == "unknown"


def test_a_norm_is_found_however_its_number_is_written() -> None:
    (held,) = walked(one(expects=(Expectation("gesetz", "§1", place=1),))).held
    assert held.state == "met"


def test_a_step_without_comparison_has_no_places_before() -> None:
    found = walked(one())
    assert found.compared is None
    assert {move.before for move in found.moves} == {0}


def test_a_walked_step_survives_json() -> None:
    found = walked(one(compare_with=beside()))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Walked) == found


# --- the tour of the samples --------------------------------------------------------------------------------------------


TOUR: Tour = read_tour(PATH / "tour.toml")


@pytest.mark.parametrize("step", TOUR.steps, ids=lambda step: step.id)
def test_every_claim_of_the_tour_of_the_samples_is_true(step: Step, federation: FederatedRetriever) -> None:
    found = walk(step, federation.gather, federation.registry.federation.book)
    assert found.held
    assert [held for held in found.held if held.state != "met"] == []
    assert found.focus


def test_the_tour_of_the_samples_shows_the_six_facts_one_sentence_each() -> None:
    assert {stage for step in TOUR.steps if step.compare_with for stage in step.compare_with.without} == set(STAGES)
    moved = {name for step in TOUR.steps for name in step.settings}
    assert moved == {"verweis_score"}
    for step in TOUR.steps:
        for text in (step.de, step.en):
            assert text.endswith(".")
            assert len(text) < 180


def test_the_sample_settings_are_read_as_a_run_reads_them() -> None:
    step = next(step for step in TOUR.steps if step.settings)
    assert Settings.of(step.settings).references.verweis_score == 0.97

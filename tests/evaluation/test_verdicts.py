"""Verdicts: what counts of what judges said, what it means for measuring, and how pooled lists hide where a norm came from."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadInput
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.jsonlines import Lines
from retrieval.evaluation.judging import judge
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.pooling import Hit, in_order, open_hits, pool, spoken_of
from retrieval.evaluation.verdicts import (
    LONGEST_REASON,
    Verdict,
    append,
    common_grade,
    conflicts,
    in_force,
    judgements,
    kept,
    read,
    withdrawal,
    within,
)
from tests.evaluation.lists import chunk, chunks, gold, need, norm, question, simple


def said(section: str, grade: int | None, judge: str = "Anna", subsection: str = "", id: str = "f1", reason: str = "") -> Verdict:
    return Verdict(id, norm(section, subsection), grade, judge, reason, "2033-05-02T10:00:00+00:00")


def checked(*questions: Question) -> CheckedSet:
    return Golds().check(QuestionSet("fragen", questions))


# --- the file ---------------------------------------------------------------------------------------------------------


def test_what_was_written_is_read_again_in_order(tmp_path: Path) -> None:
    path = tmp_path / "judgements" / "fragen.jsonl"
    lines = (said("a", 3, reason="Entscheidet\nalles; „so“ {x}"), said("b", None), said("a", 0, "Bernd"))
    assert read(path) == ()
    for line in lines:
        append(path, line)
    assert read(path) == lines
    assert path.read_bytes().count(b"\n") == 3


def test_nothing_that_was_written_changes_when_a_judge_thinks_again(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    append(path, said("a", 3))
    before = path.read_bytes()
    append(path, said("a", 1))
    append(path, withdrawal(said("a", 1), datetime(2033, 5, 3, tzinfo=UTC)))
    assert path.read_bytes().startswith(before)
    assert [(one.grade, one.withdrawn) for one in read(path)] == [(3, False), (1, False), (1, True)]
    assert read(path)[-1].when == "2033-05-03T00:00:00+00:00"


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        (said("a", 2, " "), "found no name of the judge"),
        (said("a", 4), "found the grade 4"),
        (said("a", 1, reason="x" * (LONGEST_REASON + 1)), "at most 1000"),
    ],
)
def test_a_verdict_that_cannot_count_is_refused_and_nothing_is_written(tmp_path: Path, verdict: Verdict, message: str) -> None:
    path = tmp_path / "fragen.jsonl"
    with pytest.raises(BadInput, match=message):
        append(path, verdict)
    assert not path.exists()


@pytest.mark.parametrize(
    "line", [b"{}", b"nothing", b'{"question_id": "f", "address": {"corpus_id": "g"}, "grade": 7, "judge": "A"}', b"\xff"]
)
def test_a_line_that_is_no_verdict_is_named_by_its_number(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "fragen.jsonl"
    append(path, said("a", 3))
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(BadInput, match=r"fragen\.jsonl, line 2: found no judgement"):
        read(path)


def test_a_line_that_broke_off_is_named_and_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    append(path, said("a", 1))
    path.write_bytes(path.read_bytes() + b'{"question_id": "f1", "addr')
    append(path, said("a", 3))
    assert kept(path) == Lines((said("a", 1), said("a", 3)), (2,))
    assert read(path) == (said("a", 1), said("a", 3))


def test_a_place_that_takes_no_file_is_said_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    with pytest.raises(BadInput, match="nothing can be written to"):
        append(tmp_path / "file" / "fragen.jsonl", said("a", 3))


def test_lines_of_two_processes_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "fragen.jsonl"
    code = f"""
import sys
from pathlib import Path
from retrieval.evaluation.verdicts import Verdict, append
from retrieval.model import Address
for number in range(200):
    append(Path({str(path)!r}), Verdict(str(number), Address("g"), 1, sys.argv[1], sys.argv[1] * 500))
"""
    running = [subprocess.Popen([sys.executable, "-c", code, name], cwd=Path(__file__).parents[2]) for name in ("A", "B")]
    assert [one.wait(timeout=60) for one in running] == [0, 0]
    lines = read(path)
    assert len(lines) == 400
    assert all(line.reason == line.judge * 500 for line in lines)


# --- what counts --------------------------------------------------------------------------------------------------------


def test_the_last_word_of_each_judge_on_each_norm_of_each_question_counts() -> None:
    lines = [said("a", 3), said("a", 0), said("a", 2, "Bernd"), said("b", 1), said("a", 1, id="f2")]
    assert [(one.judge, one.grade, one.question_id) for one in in_force(lines)] == [
        ("Anna", 0, "f1"),
        ("Bernd", 2, "f1"),
        ("Anna", 1, "f1"),
        ("Anna", 1, "f2"),
    ]


def test_what_is_taken_back_counts_no_more_until_it_is_said_again() -> None:
    lines = [said("a", 3), withdrawal(said("a", 3))]
    assert in_force(lines) == ()
    assert in_force([*lines, said("a", 1)]) == (said("a", 1),)


@pytest.mark.parametrize(
    ("grades", "common"), [([2], 2), ([0, 1], 0), ([1, 2], 1), ([0, 3], 1), ([0, 3, 3], 3), ([1, 1, 2, 3], 1), ([0, 2, 2, 3], 2)]
)
def test_the_common_grade_is_the_median_with_a_half_rounded_down(grades: list[int], common: int) -> None:
    assert common_grade(grades) == common


def test_judges_become_one_judgement_for_each_norm_and_who_cannot_judge_does_not_count() -> None:
    lines = [said("x", 0), said("x", 1, "Bernd"), said("x", None, "Carla"), said("y", None), said("z", 2), said("z", 3, id="unbekannt")]
    assert judgements(lines, checked(simple("a"))) == {"f1": (gold("x", 0), gold("z", 2))}


def test_a_norm_that_nobody_can_judge_stays_unjudged() -> None:
    lines = [said("x", None), said("y", 0)]
    found = judge(simple("a"), chunks("a x y"), judgements(lines, checked(simple("a")))["f1"])
    assert [place.judged for place in found.places] == [True, False, True]


def test_the_gold_of_the_set_counts_for_itself_whatever_judges_say() -> None:
    both = checked(question(need(gold("a"), gold("b", subsection="2"))))
    lines = [said("a", 0), said("a", 0, subsection="1"), said("b", 0, subsection="2"), said("b", 1, subsection="1")]
    assert judgements(lines, both) == {"f1": (gold("b", 1, subsection="1"),)}


def test_an_absatz_lies_in_its_norm_and_not_the_other_way_round() -> None:
    assert within(norm("a"), norm("a", "2"))
    assert not within(norm("a", "2"), norm("a"))
    assert not within(norm("a", "2"), norm("a", "2a"))
    assert not within(norm("a"), norm("a12"))


# --- where they differ ------------------------------------------------------------------------------------------------------


def test_judges_who_differ_are_named_by_norm_with_what_they_said() -> None:
    lines = [
        said("x", 0, "Bernd", reason="anderes Thema"),
        said("x", 2),
        said("y", 1),
        said("y", 1, "Bernd"),
        said("z", 1),
        said("z", None, "Bernd"),
    ]
    (found,) = conflicts(lines, checked(simple("a")))
    assert (found.address, found.gold, found.against_gold) == (norm("x"), None, False)
    assert [(one.judge, one.grade, one.reason) for one in found.said] == [("Anna", 2, ""), ("Bernd", 0, "anderes Thema")]


@pytest.mark.parametrize(
    ("written", "grade", "differs"), [(1, 0, True), (1, 1, False), (1, 3, False), (2, 3, True), (3, 1, True), (3, 3, False)]
)
def test_a_judge_contradicts_the_gold_where_it_says_something_else(written: int, grade: int, differs: bool) -> None:
    found = conflicts([said("a", grade)], checked(question(need(gold("a", written)))))
    assert [(one.gold, one.against_gold) for one in found] == ([(gold("a", written), True)] if differs else [])


def test_a_gold_norm_without_absatz_is_compared_with_the_best_of_its_absaetze() -> None:
    one_helps = [said("a", 0, subsection="1"), said("a", 2, subsection="2")]
    none_helps = [said("a", 0, "Bernd", subsection="1"), said("a", 0, "Bernd", subsection="2")]
    assert conflicts(one_helps, checked(simple("a"))) == ()
    (found,) = [one for one in conflicts([*one_helps, *none_helps], checked(simple("a"))) if one.against_gold]
    assert found.address == norm("a")
    assert [(one.judge, one.grade) for one in found.said] == [("Anna", 2), ("Bernd", 0)]


def test_conflicts_stand_in_the_order_of_the_set_each_once() -> None:
    asked = checked(simple("b", id="f2"), simple("a", id="f1"))
    lines = [said("a", 0), said("a", 1, "Bernd"), said("x", 0, id="f2"), said("x", 1, "Bernd", id="f2"), said("b", 0, id="f2")]
    assert [(one.question_id, one.address.section_id, one.against_gold) for one in conflicts(lines, asked)] == [
        ("f2", "b", True),
        ("f2", "x", False),
        ("f1", "a", True),
    ]


# --- pooled lists -------------------------------------------------------------------------------------------------------------


def test_the_lists_of_several_settings_become_one_heap_with_each_norm_once() -> None:
    first, second = chunks("a b c"), [chunk("c"), chunk("d", "1"), chunk("d", "2"), chunk("a")]
    found = pool({"f1": [first, second]}, "seed")
    assert sorted(hit.address for hit in found) == [norm("a"), norm("b"), norm("c"), norm("d", "1"), norm("d", "2")]


@given(st.permutations([f"n{number}" for number in range(12)]), st.integers(0, 12), st.text(max_size=5))
def test_the_order_of_a_heap_tells_nothing_about_the_lists(order: list[str], cut: int, seed: str) -> None:
    listed = chunks(" ".join(order))
    found = pool({"f1": [listed[:cut], listed[cut:]]}, seed)
    assert found == pool({"f1": [chunks(" ".join(sorted(order)))]}, seed)
    assert set(found) == set(in_order("f1", listed))


def test_another_seed_gives_another_order_and_the_same_seed_the_same() -> None:
    lists = {"f1": [chunks(" ".join(f"n{number}" for number in range(30)))]}
    orders = {pool(lists, f"seed {number}") for number in range(20)}
    assert len(orders) == 20
    firsts = {pool(lists, f"seed {number}")[0] for number in range(400)}
    assert len(firsts) > 25  # any norm can come first


def test_a_norm_that_comes_or_goes_moves_no_other() -> None:
    many = pool({"f1": [chunks("a b c d e f g")]}, "seed")
    fewer = pool({"f1": [chunks("a b d e g")]}, "seed")
    assert [hit for hit in many if hit in fewer] == list(fewer)


def test_several_questions_stand_one_after_the_other() -> None:
    found = pool({"f2": [chunks("a b c")], "f1": [chunks("a b c d")]}, "seed")
    assert [hit.question_id for hit in found] == ["f2"] * 3 + ["f1"] * 4


def test_a_list_has_each_norm_at_its_first_place() -> None:
    assert in_order("f1", chunks("b a b c a")) == (Hit("f1", norm("b")), Hit("f1", norm("a")), Hit("f1", norm("c")))


def test_what_a_judge_has_spoken_of_is_left_out_for_this_judge_alone() -> None:
    hits = in_order("f1", chunks("a b c d"))
    lines = [said("a", 0), said("b", None), said("c", 1, "Bernd"), said("d", 1), withdrawal(said("d", 1))]
    assert [hit.address.section_id for hit in open_hits(hits, spoken_of(lines, "Anna"))] == ["c", "d"]
    assert [hit.address.section_id for hit in open_hits(hits, spoken_of(lines, "Bernd"))] == ["a", "b", "d"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0, 1, 2, 3, None]), st.sampled_from(["Anna", "Bernd"]), st.booleans())))
def test_only_norms_with_a_grade_in_force_are_judged(drawn: list[tuple[str, int | None, str, bool]]) -> None:
    lines = [msgspec.structs.replace(said(section, grade, judge), withdrawn=gone) for section, grade, judge, gone in drawn]
    last = {(section, judge): None if gone else grade for section, grade, judge, gone in drawn}
    found = {one.address.section_id: one.grade for one in judgements(lines, checked(simple("z"))).get("f1", ())}
    assert set(found) == {section for (section, _), grade in last.items() if grade is not None}

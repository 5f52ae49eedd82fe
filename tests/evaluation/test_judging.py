"""Judging: which place fulfils which need, and what nobody has judged."""

from __future__ import annotations

from retrieval.evaluation.judging import first, judge, judge_all, judged_only, only_needs
from retrieval.evaluation.model import QuestionSet
from tests.evaluation.lists import chunk, chunks, gold, need, norm, question, simple


def test_a_norm_found_by_several_chunks_fulfils_its_need_once_at_the_first_place() -> None:
    found = judge(simple("a b"), [chunk("x"), chunk("a", "2"), chunk("a", "1"), chunk("b")])
    assert [place.fulfils for place in found.places] == [(), (0,), (), (1,)]
    assert [place.earns for place in found.places] == [None, 0, None, 1]
    assert [place.relevant for place in found.places] == [False, True, True, True]
    assert found.first_places == (2, 4)


def test_any_alternative_fulfils_a_need_and_another_one_adds_nothing() -> None:
    found = judge(question(need(gold("a", 1), gold("b", 3)), need(gold("c", 2))), chunks("b a"))
    assert found.grades == (3, 2)
    assert [place.earns for place in found.places] == [0, None]
    assert [place.relevant for place in found.places] == [True, True]
    assert found.first_places == (1, None)


def test_an_absatz_is_needed_where_the_gold_names_one() -> None:
    found = judge(question(need(gold("a", subsection="2"))), [chunk("a", "1"), chunk("a", "2"), chunk("a", "2a")])
    assert found.first_places == (2,)
    assert [place.judged for place in found.places] == [False, True, False]


def test_the_same_section_of_another_corpus_or_container_is_another_norm() -> None:
    assert judge(simple("a"), [chunk("a", corpus="vertrag"), chunk("a12"), chunk("a")]).first_places == (3,)


def test_a_place_that_fulfils_two_needs_earns_the_weightier_then_the_narrower() -> None:
    whole, part = need(gold("a")), need(gold("a", subsection="1"))
    found = judge(question(whole, part), [chunk("a", "1"), chunk("a", "2")])
    assert [place.fulfils for place in found.places] == [(0, 1), ()]
    assert [place.earns for place in found.places] == [1, 0]
    weighty = judge(question(part, need(gold("a", 3))), [chunk("a", "1")])
    assert weighty.places[0].earns == 1


def test_what_is_neither_gold_nor_judged_is_unjudged() -> None:
    found = judge(simple("a"), chunks("x a y z"), [gold("x", 0), gold("z", 2)])
    assert [(place.judged, place.relevant) for place in found.places] == [(True, False), (True, True), (False, False), (True, True)]
    assert found.unjudged == 1
    assert [place.chunk_id for place in judged_only(found).places] == ["gesetz/x/", "gesetz/a/", "gesetz/z/"]
    assert judged_only(found).first_places == (2,)


def test_gold_outweighs_a_judgement_that_says_the_opposite() -> None:
    assert judge(simple("a"), chunks("a"), [gold("a", 0)]).places[0].relevant


def test_the_first_places_alone_can_be_looked_at() -> None:
    assert first(judge(simple("a b"), chunks("x a b")), 2).first_places == (2, None)


def test_the_norms_that_anchors_demand_are_looked_for_in_the_list() -> None:
    found = judge(simple("a"), [chunk("b", "2")], demanded=[norm("b"), norm("b", "1"), norm("c")])
    assert found.demanded == (True, False, False)


def test_a_question_without_needs_is_judged_all_the_same() -> None:
    found = judge(question(), chunks("x y"))
    assert (found.grades, found.first_places, found.unjudged) == ((), (), 2)


def test_a_set_is_judged_in_its_order_and_a_question_without_a_list_is_left_out() -> None:
    questions = QuestionSet("s", (simple("a", id="eins"), simple("b", id="zwei"), simple("c", id="drei")))
    found = judge_all(questions, {"drei": chunks("c"), "eins": chunks("x")}, {"eins": [gold("x", 0)]})
    assert [one.question_id for one in found] == ["eins", "drei"]
    assert [one.unjudged for one in found] == [0, 0]


def test_needs_are_kept_by_the_corpora_of_their_norms() -> None:
    one = question(need(gold("a")), need(gold("b", corpus="vertrag"), gold("c")), need(gold("d", corpus="vertrag")))
    assert len(only_needs(one, {"vertrag"}).needs) == 2
    assert only_needs(one, {"richtlinie"}).needs == ()

"""Judging on the page without a browser: what a judge sees, what is said of agreement, and what a sitting leaves behind."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dashboard import assessing, measuring, sitting
from dashboard.assessing import Side
from dashboard.state import State
from dashboard.stock import Runs
from dashboard.tuning import SetPlace, Tuning
from dashboard.views import agreement as agreement_view
from dashboard.views import judging as view
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.evaluation import protocol, sets
from retrieval.evaluation.agreement import agreement
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.judging import NO_JUDGEMENTS
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.pooling import in_order
from retrieval.evaluation.verdicts import Verdict, append, conflicts
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from retrieval.settings import Settings
from tests.dashboard.demo import CHUNKS, HTML, MARKDOWN, QUESTION, SPECS, federation

LANGUAGES = ("de", "en")
TEN = Address("vertrag", "Vertrag", "§ 10")
KEY = Address("vereinbarung", "", "Ziffer 4.10")
ASKED = Question("abgabe", QUESTION, (Need((Gold(TEN, 1, "§ 10 RV"), Gold(KEY, 3))),))
OTHER = Question("anders", "Wann wird abgerechnet?")
NOW = datetime(2033, 5, 2, 12, tzinfo=UTC)


def said(address: Address, grade: int | None, judge: str = "Anna", reason: str = "", id: str = "abgabe") -> Verdict:
    return Verdict(id, address, grade, judge, reason, "2033-05-02T11:50:00+00:00")


def law(number: int) -> Address:
    return Address("gesetz", "", f"§ {number}", "1")


def text_of(blocks: Any) -> str:
    return json.dumps(blocks, ensure_ascii=False)


@pytest.fixture
def work(tmp_path: Path) -> Tuning:
    """A set of two questions in a workshop, over the corpora in memory."""
    workshop = Workshop(tmp_path / "workshop")
    workshop.sets.mkdir(parents=True)
    path = workshop.set_file("fragen")
    loaded = sets.save(path, QuestionSet("fragen", (ASKED, OTHER)), "")
    runs = Runs(federation())
    assert runs.texts is not None
    place = SetPlace("fragen", path)
    checked = Golds(runs.texts).check(loaded.questions)
    return Tuning(runs, workshop, place, (place,), loaded, checked, State(), tmp_path, "Anna")


# --- one hit ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gold_of_a_question_stands_behind_a_label_that_is_closed(language: str) -> None:
    question, gold = view.asked(ASKED, SPECS, page_words(language))
    assert question["text"] == QUESTION
    assert gold["type"] == "folded"
    assert "§ 10" not in text_of(question)
    (line,) = gold["blocks"][0]["rows"]
    assert [one["text"] for one in line["cells"][0]] == ["§ 10 RV", "TA-T · Ziffer 4.10"]
    assert line["cells"][1] == page_words(language).t("judge.grade.3")


def test_a_question_without_gold_says_so_behind_the_label() -> None:
    _, gold = view.asked(OTHER, SPECS, page_words("de"))
    assert gold["blocks"][0]["empty"] == "Der Fragensatz nennt zu dieser Frage keine Norm."


def test_the_wording_of_a_hit_is_shown_whole_and_as_data() -> None:
    chunk = CHUNKS["seltsam"][1]
    words = page_words("de")
    (name,) = view.hit(chunk.address, [chunk], SPECS, words)
    wording, way = view.wording(chunk.address, [chunk], words)
    assert name["source"] == f": {HTML}"
    assert [one["text"] for one in wording["passages"]] == [chunk.text]
    assert MARKDOWN in chunk.text
    assert way["links"][0]["norm"] == "seltsam||§ 5"


def test_a_norm_of_several_absaetze_is_parted_and_a_repealed_one_says_so() -> None:
    words = page_words("de")
    pieces = [msgspec.structs.replace(CHUNKS["gesetz"][0], chunk_id=str(number), subsection=str(number)) for number in (1, 2)]
    wording, _ = view.wording(Address("gesetz", "", "§ 1"), pieces, words)
    assert [one["label"] for one in wording["passages"]] == ["Absatz 1", "Absatz 2"]
    gone = msgspec.structs.replace(pieces[0], repealed=True)
    assert "aufgehoben" in text_of(view.hit(gone.address, [gone], SPECS, words))
    assert "aufgehoben" not in text_of(view.hit(gone.address, pieces, SPECS, words))


def test_a_wording_that_left_the_stock_is_said_to_be_missing() -> None:
    assert view.wording(TEN, [], page_words("de"))[0]["text"] == "Der Wortlaut steht nicht mehr im Bestand."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("grade", [0, 1, 2, 3, None])
def test_every_grade_has_words_of_its_own(language: str, grade: int | None) -> None:
    words = page_words(language)
    assert len({view.grade(one, words) for one in (0, 1, 2, 3, None)}) == 5
    assert view.grade(grade, words) in view.before(said(TEN, grade), words)[0]["title"]


def test_a_judge_who_comes_back_sees_grade_and_reason() -> None:
    (shown,) = view.before(said(TEN, 1, reason="nur *Abrechnung*"), page_words("de"))
    assert shown["title"] == "Ihr Urteil bisher: hilft. Eine neue Note ersetzt es."
    assert shown["lines"] == ["Ihr Grund: „nur *Abrechnung*“"]


# --- the list -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "nobody", "sentence"),
    [
        (0, 0, "Die jetzige Liste ist leer."),
        (10, 3, "3 von 10 Plätzen hat niemand bewertet; sie zählen als nicht hilfreich."),
        (10, 1, "Einen von 10 Plätzen hat niemand bewertet; er zählt als nicht hilfreich."),
        (10, 0, "Alle 10 Plätze hat jemand bewertet oder der Fragensatz genannt."),
        (1, 0, "Den einen Platz hat jemand bewertet."),
    ],
)
def test_what_nobody_has_judged_is_counted_in_a_sentence(places: int, nobody: int, sentence: str) -> None:
    assert view.unjudged(places, nobody, page_words("de")) == sentence


def test_the_list_shows_what_the_set_and_each_judge_say_and_what_is_measured_with() -> None:
    chunks = [CHUNKS["vertrag"][0], *CHUNKS["gesetz"][:3]]
    lines = [
        said(TEN, 0, "Bernd"),
        said(law(1), 2, reason=HTML),
        said(law(1), 1, "Bernd"),
        said(law(2), None),
        said(law(3), 0, "Bernd"),
    ]
    shown, _ = view.overview(ASKED, chunks, lines, SPECS, page_words("de"))
    assert shown["head"] == ["Platz", "Norm", "Fragensatz", "Anna", "Bernd", "Gemessen wird mit"]
    cells = [line["cells"] for line in shown["rows"]]
    assert [(one[0], one[2], one[5]) for one in cells] == [
        ("1", "hilft", "hilft"),
        ("2", "–", "hilft"),
        ("3", "–", "niemand hat bewertet"),
        ("4", "–", "hilft nicht"),
    ]
    assert cells[1][3] == ["wichtig", {"text": HTML, "written": True}]
    assert [one[3] for one in cells[2:]] == [["kann ich nicht beurteilen", ""], "–"]


def test_norms_that_help_and_are_not_gold_are_offered_the_most_helpful_first() -> None:
    lines = [
        said(law(1), 1),
        said(law(2), 3),
        said(law(3), 0),
        said(TEN, 3),
        said(law(4), 0),
        said(law(4), 1, "Bernd"),
        said(law(5), 3, id="anders"),
    ]
    assert view.helpful(ASKED, lines) == (Gold(law(2), 3), Gold(law(1), 1))


def test_choices_name_norms_needs_and_open_hits() -> None:
    words = page_words("de")
    assert view.gold_name(Gold(law(2), 3), SPECS, words) == "AMG-T · § 2 Abs. 1 – entscheidend"
    assert view.need_name(ASKED, 0, SPECS, words) == "§ 10 RV oder TA-T · Ziffer 4.10"
    assert view.question_name(OTHER, 1, words) == "Wann wird abgerechnet? (1 offen)"
    (hit,) = in_order("abgabe", [CHUNKS["vertrag"][0]])
    assert view.hit_name(hit, said(TEN, None), SPECS, words) == "RV · Vertrag · § 10 – kann ich nicht beurteilen"


def test_choices_that_would_read_alike_are_told_apart() -> None:
    assert view.told_apart({"a": "§ 1", "b": "§ 2", "c": "§ 1", "d": "§ 1"}) == {"a": "§ 1", "b": "§ 2", "c": "§ 1 · 2", "d": "§ 1 · 3"}


# --- agreement ------------------------------------------------------------------------------------------------------------


def graded(first: list[int], second: list[int]) -> list[Verdict]:
    return [
        said(law(number), grade, judge) for judge, row in (("Anna", first), ("Bernd", second)) for number, grade in enumerate(row, start=1)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_agreement_on_little_is_said_without_a_number(language: str) -> None:
    words = page_words(language)
    for lines in ([], [said(TEN, 1)], [said(TEN, 1), said(KEY, 1, "Bernd")], graded([0, 1, 2], [0, 1, 3]), graded([1] * 12, [1] * 12)):
        sentence = agreement_view.sentence(agreement(lines), words)
        assert "Krippendorff" not in sentence
        assert sentence.endswith(".")


def test_agreement_names_figure_number_of_hits_and_the_thresholds_of_krippendorff() -> None:
    grades = [0, 3] * 10
    one_off = [*grades[:-1], 0]
    shown = agreement_view.blocks(agreement(graded(grades, one_off)), page_words("de"))
    assert shown[1]["text"].startswith("Die Bewertungen stimmen weitgehend überein: Krippendorffs Alpha ist 0,9")
    assert "über 20 Treffer" in shown[1]["text"]
    assert "ab 0,8 verlässlich; ab 0,667 erlauben" in shown[2]["text"]
    assert shown[3]["rows"][0]["cells"] == ["Anna und Bernd", "20", "19", "95 %"]


def test_judges_who_diverge_are_told_to_settle_what_the_grades_mean() -> None:
    words, found = page_words("de"), agreement(graded([0, 3] * 10, [3, 0] * 10))
    assert found.alpha is not None
    assert found.alpha < 0
    sentence = agreement_view.sentence(found, words)
    assert sentence.startswith(
        f"Die Bewertungen gehen auseinander: Krippendorffs Alpha ist {words.number(found.alpha, 2)}, gerechnet über 20"
    )
    assert sentence.endswith("Klären Sie zuerst, was „hilft“ und was „wichtig“ heißen soll.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_conflict_says_who_said_what_and_why(language: str, work: Tuning) -> None:
    words = page_words(language)
    lines = [said(law(1), 0, reason=HTML), said(law(1), 2, "Bernd"), said(TEN, 0)]
    found = conflicts(lines, work.checked)
    shown = agreement_view.conflicts(found, {one.id: one for one in work.checked.settled.questions}, SPECS, words)
    rows = [line["cells"] for line in shown[2]["rows"]]
    assert [[one["text"] for one in cells[1]] for cells in rows] == [
        [f"Anna: {words.t('judge.grade.0')} – {words.quoted(HTML)}", f"Bernd: {words.t('judge.grade.2')}"],
        [f"Anna: {words.t('judge.grade.0')}"],
    ]
    assert [cells[2] for cells in rows] == [words.t("judge.conflict.not_named"), words.t("judge.grade.1")]
    assert len(shown) == 4


def test_a_verdict_on_an_absatz_of_a_gold_norm_names_the_absatz() -> None:
    whole = Question("q", "Was gilt?", (Need((Gold(Address("gesetz", "", "§ 1")),)),))
    found = conflicts([said(law(1), 0, id="q")], Golds().check(QuestionSet("f", (whole,))))
    shown = agreement_view.conflicts(found, {"q": whole}, SPECS, page_words("de"))
    assert shown[2]["rows"][0]["cells"][1][0]["text"] == "Anna zu Absatz 1: hilft nicht"


def test_no_conflict_is_one_sentence() -> None:
    shown = agreement_view.conflicts((), {}, SPECS, page_words("de"))
    assert shown[-1]["text"] == "Es gibt keine Norm, bei der die Urteile auseinandergehen."


# --- a sitting ------------------------------------------------------------------------------------------------------------


def test_the_lists_to_judge_are_those_of_the_runs_each_made_once(work: Tuning) -> None:
    fewer = sitting.Variant("A", Settings.of({"max_final_results": 2}), ("quota",))
    both = (sitting.Variant(sitting.PRESENT, work.settings), fewer)
    told: list[tuple[int, int]] = []
    found = sitting.gathered(work, both, lambda done, every: told.append((done, every)))
    trace = decide(work.runs.pool(QUESTION, work.settings), work.settings)
    assert found.by_question["abgabe"][0] == tuple(trace.chunks[entry.chunk_id] for entry in trace.final)
    assert len(found.by_question["abgabe"][1]) == 2
    assert told == [(1, 2), (2, 2)]
    embedded = work.runs.registry.embedded
    assert sitting.gathered(work, both) == found
    assert work.runs.registry.embedded == embedded


def test_a_question_that_cannot_be_run_is_named_and_the_others_go_on(work: Tuning, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = work.runs.pool

    def broken(question: str, settings: Settings) -> Any:
        if question == OTHER.text:
            raise RuntimeError("kaputt")
        return pool(question, settings)

    monkeypatch.setattr(work.runs, "pool", broken)
    found = sitting.gathered(msgspec.structs.replace(work, index=Path("anderswo")), (sitting.Variant(sitting.PRESENT, work.settings),))
    assert (list(found.by_question), found.failed) == (["abgabe"], ("anders",))


def test_the_list_of_a_run_is_counted_in_the_chosen_set(work: Tuning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUNDSTELLE_TUNING", str(work.workshop.folder))
    monkeypatch.delenv("FUNDSTELLE_QUESTIONS", raising=False)
    trace = decide(work.runs.pool(QUESTION, work.settings), work.settings)
    before = sitting.coverage_of_run(work.runs, trace, "fragen")
    assert before is not None
    chunks = [trace.chunks[entry.chunk_id] for entry in trace.final]
    golds = sum(chunk.address in (TEN, KEY) for chunk in chunks)
    assert (before.places, before.unjudged) == (len(chunks), len(chunks) - golds)
    free = next(chunk for chunk in chunks if chunk.address not in (TEN, KEY))
    append(work.workshop.judgements_file("fragen"), said(free.address, 0))
    after = sitting.coverage_of_run(work.runs, trace, "")
    assert after is not None
    assert after.unjudged == before.unjudged - 1
    strange = decide(work.runs.pool("Apotheke?", work.settings), work.settings)
    assert sitting.coverage_of_run(work.runs, strange, "fragen") is None
    work.place.path.write_text("[[question]", "utf-8")
    assert sitting.coverage_of_run(work.runs, trace, "fragen") is None


def test_a_judgement_that_broke_off_is_named_where_judgements_count_and_costs_no_other(work: Tuning) -> None:
    path = work.workshop.judgements_file("fragen")
    append(path, said(law(1), 2))
    path.write_bytes(path.read_bytes() + b'{"question_id": "abg')
    append(path, said(law(2), 1))
    words = page_words("de")
    found, (notice,) = assessing.judged(work, words)
    assert [gold.grade for gold in found["abgabe"]] == [2, 1]
    assert notice["title"] == "Ein Urteil brach beim Schreiben ab"
    assert "Zeile 2 der Datei" in notice["lines"][0]
    assert view.torn((), words) == []


def test_lists_of_different_length_are_measured_on_the_same_places_and_once(work: Tuning, monkeypatch: pytest.MonkeyPatch) -> None:
    words = page_words("de")
    sides = Side("", Settings.of(max_final_results=3)), Side("", Settings())
    found = assessing.both(work, *sides, NO_JUDGEMENTS, words)
    assert [one.k for one in found] == [10, 10]

    def again(*given: object, **more: object) -> None:
        raise AssertionError("measured twice")

    monkeypatch.setattr(measuring, "evaluate", again)
    assert assessing.both(work, *sides, NO_JUDGEMENTS, words) == found


def test_a_copy_with_the_same_bytes_has_a_report_of_its_own(work: Tuning) -> None:
    path = work.workshop.set_file("kopie")
    path.write_bytes(work.place.path.read_bytes())
    loaded = sets.load(path)
    assert loaded.seen == work.loaded.seen
    assert work.runs.texts is not None
    checked = Golds(work.runs.texts).check(loaded.questions)
    copy = msgspec.structs.replace(work, place=SetPlace("kopie", path), loaded=loaded, checked=checked)
    names = [measuring.report(one).name for one in (work, copy)]
    assert names == ["fragen", "kopie"]


def test_the_protocol_is_told_of_a_sitting_once(work: Tuning) -> None:
    path = work.workshop.protocol_file("fragen")
    lines = [said(law(1), 0), said(law(1), 1), said(law(2), None, id="anders"), said(law(3), 1, "Bernd")]
    new = sitting.unnoted(lines, protocol.events(path), "Anna")
    assert new == tuple(lines[:3])
    sitting.note(work, lines, new)
    (event,) = protocol.events(path)
    assert (event.act, event.who, event.details) == ("judged", "Anna", {"norms": 2, "questions": 2, "lines": 3})
    assert sitting.unnoted(lines, protocol.events(path), "Anna") == ()
    assert sitting.unnoted(lines, protocol.events(path), "Bernd") == (lines[3],)
    again = [*lines, said(law(4), 2)]
    assert sitting.unnoted(again, protocol.events(path), "Anna") == (again[4],)


@pytest.mark.parametrize(("minutes", "over"), [(10, False), (40, True)])
def test_a_sitting_ends_by_itself_after_a_pause(minutes: int, over: bool) -> None:
    assert sitting.paused([said(TEN, 1)], datetime(2033, 5, 2, 11, 50, tzinfo=UTC) + timedelta(minutes=minutes)) is over
    assert sitting.paused([], NOW) is False


@pytest.mark.parametrize(("need", "sizes"), [(None, [2, 1]), (0, [3])])
def test_a_judged_norm_goes_into_the_gold_as_a_need_or_as_an_alternative(work: Tuning, need: int | None, sizes: list[int]) -> None:
    sitting.take_into_gold(work, "abgabe", Gold(law(2), 2), need)
    after = sets.load(work.place.path).questions
    assert [len(one.any_of) for one in after.questions[0].needs] == sizes
    assert after.questions[0].needs[-1].any_of[-1] == Gold(law(2), 2)
    assert after.questions[1] == OTHER
    (event,) = protocol.events(work.workshop.protocol_file("fragen"))
    assert (event.act, event.details) == ("changed", {"question": "abgabe", "norm": "gesetz § 2 1", "grade": 2})
    assert event.set_fingerprint != work.fingerprint


def test_a_set_that_somebody_else_has_written_is_left_alone(work: Tuning) -> None:
    sitting.take_into_gold(work, "abgabe", Gold(law(2), 2))
    written = work.place.path.read_bytes()
    with pytest.raises(BadInput, match="written since you read it"):
        sitting.take_into_gold(work, "abgabe", Gold(law(3), 1))
    assert work.place.path.read_bytes() == written

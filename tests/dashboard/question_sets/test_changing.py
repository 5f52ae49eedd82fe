"""Looking at questions and changing them, beside others who do the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from retrieval.evaluation import sets
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.workshop import Workshop
from tests.dashboard.demo import HTML, QUESTION
from tests.dashboard.question_sets.using import MADE, Open, acts, edit, field, press, rows, shown, task


def test_one_question_is_told_with_its_norms_in_words(opened: Open, own: Path) -> None:
    page = press(opened(), "sets_open_1")
    assert "Zur Antwort gehört: AMG-T · § 999." in shown(page)
    assert rows(page, "Was die Antwort braucht")[0][1] == "AMG-T · § 999: nicht im Bestand"
    press(page, "sets_back")
    press(page, "sets_open_2")
    assert "Zu dieser Frage ist keine Norm genannt" in shown(page)
    assert HTML in rows(page, "Was sonst zur Frage vermerkt ist")[3][1]


def test_new_norms_are_looked_at_before_they_are_stored(opened: Open, own: Path, workshop: Workshop) -> None:
    page = edit(opened(), "eins")
    assert field(page, "gold").value == "§ 5 AMG-T = gesetz § 5"
    field(page, "gold").set_value("§ 6 AMG-T oder § 7 AMG-T\nZiffer 5 TA-T [3]")
    field(page, "why").set_value("Gesetz geändert")
    field(page, "chain").set_value(True)
    press(page, "sets_save")
    assert "Noch nicht gespeichert" in shown(page)
    assert [row[0] for row in rows(page, "So wurden die Normen gelesen")] == [
        "AMG-T · § 6: im Bestand",
        "AMG-T · § 7: im Bestand",
        "TA-T · Ziffer 5: im Bestand · Grad 3",
    ]
    assert sets.load(own).questions == MADE
    press(page, "sets_save")
    assert "Gespeichert" in shown(page)
    changed = sets.load(own).questions.questions
    assert changed[1:] == MADE.questions[1:]
    assert [[gold.address.section_id for gold in need.any_of] for need in changed[0].needs] == [["§ 6", "§ 7"], ["Ziffer 5"]]
    assert (changed[0].chain, changed[0].tags, changed[0].text) == (True, ("Abgabe",), QUESTION)
    assert acts(workshop) == [("changed", {"what": "edited", "question": "eins"}, "Gesetz geändert")]


def test_norms_that_cannot_be_read_are_not_stored_and_stay_in_the_form(opened: Open, own: Path) -> None:
    page = edit(opened(), "eins")
    field(page, "gold").set_value("siehe oben")
    press(page, "sets_save")
    assert "Unter dem Formular steht, was nicht stimmt." in shown(page)
    assert "ist keine Fundstelle" in rows(page, "So wurden die Normen gelesen")[0][1]
    assert field(page, "gold").value == "siehe oben"
    task(page, "export")
    task(page, "questions")
    assert field(page, "gold").value == "siehe oben"
    assert sets.load(own).questions == MADE


def test_a_change_of_somebody_else_loses_nothing_that_was_typed(opened: Open, own: Path) -> None:
    page = edit(opened(), "eins")
    field(page, "text").set_value("Meine neue Fassung?")
    other = QuestionSet("fragen", (Question("eins", "Fassung der anderen?", MADE.questions[0].needs), *MADE.questions[1:]))
    sets.save(own, other, sets.load(own).seen)
    press(page, "sets_save")
    text = shown(page)
    assert "Inzwischen hat jemand anderes diesen Fragensatz geschrieben" in text
    assert "Auch diese Frage wurde dort geändert: Wortlaut" in text
    assert "Fassung der anderen?" in text
    assert (field(page, "text").value, sets.load(own).questions) == ("Meine neue Fassung?", other)
    press(page, "sets_rebase")
    assert field(page, "text").value == "Meine neue Fassung?"
    press(page, "sets_save")
    assert sets.load(own).questions.questions[0].text == "Meine neue Fassung?"
    assert len(sets.history(own)) == 3


def test_a_set_that_is_being_written_is_left_alone(opened: Open, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import filelock

    monkeypatch.setattr(sets, "_PATIENCE", 0.05)
    page = edit(opened(), "eins")
    field(page, "text").set_value("Meine neue Fassung?")
    with filelock.FileLock(own.with_name("fragen.toml.history") / "write.lock"):
        press(page, "sets_save")
    assert "wird gerade von jemand anderem geschrieben" in shown(page)
    assert field(page, "text").value == "Meine neue Fassung?"
    press(page, "sets_save")
    assert sets.load(own).questions.questions[0].text == "Meine neue Fassung?"


def test_a_new_question_gets_an_id_and_the_name_of_who_wrote_it(opened: Open, own: Path) -> None:
    page = opened()
    next(one for one in page.text_input if one.label == "Wer arbeitet?").set_value(" Dr.  Muster ").run()
    press(page, "sets_new_question")
    field(page, "text").set_value("Wer dokumentiert?")
    field(page, "tags").set_value("Abgabe, Neu")
    press(page, "sets_save")
    new = sets.load(own).questions.questions[-1]
    assert (new.id, new.text, new.tags, new.author) == ("wer-dokumentiert", "Wer dokumentiert?", ("Abgabe", "Neu"), "Dr. Muster")
    assert "Frage wer-dokumentiert" in shown(page)


def test_an_id_in_use_is_refused_for_a_new_question(opened: Open, own: Path) -> None:
    page = press(opened(), "sets_new_question")
    field(page, "id").set_value("eins")
    field(page, "text").set_value("Etwas anderes?")
    press(page, "sets_save")
    assert "Die Kennung „eins“ ist im Fragensatz vergeben" in shown(page)
    assert sets.load(own).questions == MADE


def test_a_hostile_question_comes_back_from_the_form_as_it_was(opened: Open, own: Path) -> None:
    page = edit(opened(), "drei")
    press(page, "sets_save")
    assert "Gespeichert" in shown(page)
    assert sets.load(own).questions == MADE


def test_a_question_goes_only_with_a_reason(opened: Open, own: Path, workshop: Workshop) -> None:
    page = press(opened(), "sets_open_1")
    press(page, "sets_remove")
    assert "Es fehlt der Grund" in shown(page)
    assert sets.load(own).questions == MADE
    page.text_input(key="sets_reason_zwei").set_value("Norm gibt es nicht")
    press(page, "sets_remove")
    assert [one.id for one in sets.load(own).questions.questions] == ["eins", "drei"]
    assert acts(workshop) == [("changed", {"what": "removed", "question": "zwei"}, "Norm gibt es nicht")]


def test_questions_are_found_by_word_tag_and_what_is_to_be_said(opened: Open, own: Path) -> None:
    page = opened()
    assert len([one for one in page.button if str(one.key).startswith("sets_open_")]) == 3
    page.text_input(key="sets_wanted").set_value("abrechnung").run()
    assert any(caption.value == "1 von 3 Fragen passt zur Auswahl." for caption in page.caption)
    page.text_input(key="sets_wanted").set_value("").run()
    page.selectbox(key="sets_tag").select("Abgabe").run()
    assert [text.value.split("\n")[0] for text in page.text] == [QUESTION]
    page.selectbox(key="sets_tag").select("").run()
    page.checkbox(key="sets_odd").check().run()
    assert any(caption.value == "2 von 3 Fragen passen zur Auswahl." for caption in page.caption)


def test_three_hundred_questions_are_shown_twenty_at_a_time(opened: Open, own: Path) -> None:
    many = QuestionSet("fragen", tuple(Question(f"q{number}", f"Frage {number}?") for number in range(300)))
    sets.save(own, many, sets.load(own).seen)
    page = opened()
    assert len([one for one in page.button if str(one.key).startswith("sets_open_")]) == 20
    press(page, "sets_list_fragen_on")
    press(page, "sets_open_20")
    assert "Frage q20" in shown(page)


def test_a_question_longer_than_the_field_comes_back_whole(opened: Open, own: Path) -> None:
    long = msgspec.structs.replace(MADE.questions[0], text="Wie? " * 1500 + "Ende")
    sets.save(own, QuestionSet("fragen", (long, *MADE.questions[1:])), sets.load(own).seen)
    page = edit(opened(), "eins")
    press(page, "sets_save")
    assert sets.load(own).questions.questions[0] == long

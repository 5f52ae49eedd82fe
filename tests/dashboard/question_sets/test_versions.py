"""Examples, earlier versions, and the ways out of the page."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from dashboard.controls import STATE
from dashboard.handing_on import MAP, RUN
from retrieval.evaluation import sets
from retrieval.evaluation.formats import runs
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.workshop import Workshop
from tests.dashboard.controls_of import knob
from tests.dashboard.demo import HTML, QUESTION
from tests.dashboard.question_sets.using import MADE, Open, acts, press, rows, shown, task


def test_examples_are_read_only_until_they_are_copied(opened: Open, workshop: Workshop) -> None:
    page = press(opened(example_set=True), "sets_open_0")
    assert not any(button.key in ("sets_edit", "sets_new_question") for button in page.button)
    press(page, "sets_back")
    page.text_input(key="sets_copy").set_value("meine")
    press(page, "sets_copy_button")
    assert page.session_state[STATE].chosen_set == "meine"
    assert sets.load(workshop.set_file("meine")).questions == QuestionSet("meine", MADE.questions)
    press(page, "sets_open_0")
    assert any(button.key == "sets_edit" for button in page.button)


def test_an_earlier_version_is_compared_and_counts_again(opened: Open, own: Path, workshop: Workshop) -> None:
    sets.save(own, QuestionSet("fragen", (*MADE.questions[1:], Question("neu", "Neu?"))), sets.load(own).seen)
    page = task(opened(), "history")
    assert "besteht kein Unterschied" in shown(page)
    page.selectbox(key="sets_version_fragen").select_index(1).run()
    assert [row[:2] for row in rows(page, "Was seit dieser Fassung anders ist")] == [
        ["dazugekommen", "Neu? / neu"],
        ["entfernt", f"{QUESTION} / eins"],
    ]
    press(page, "sets_restore")
    assert sets.load(own).questions == MADE
    assert len(sets.history(own)) == 3
    assert acts(workshop)[0][1]["what"] == "restored"


def test_a_broken_set_is_said_and_an_earlier_version_brings_it_back(opened: Open, own: Path) -> None:
    own.write_text(f"kaputt {HTML}", "utf-8")
    page = opened()
    assert "Der Fragensatz „fragen“ lässt sich nicht lesen" in shown(page)
    assert "Datei nicht lesbar" in shown(page)
    press(page, "sets_restore")
    assert sets.load(own).questions == MADE


def test_what_a_form_cannot_hold_is_said_before_it_is_downloaded(opened: Open, own: Path) -> None:
    page = task(opened(), "export")
    assert "Diese Form hält alles" in shown(page)
    page.selectbox(key="sets_export_format").select("quepid").run()
    assert "die Kennungen der Fragen; die Schreibweise der Normen; die Schlagworte" in shown(page)


def test_the_lists_of_a_set_are_handed_on_in_their_order(opened: Open, own: Path) -> None:
    page = press(task(opened(), "export"), "sets_run_start")
    ran = page.session_state["sets_run"]
    assert list(ran.lists) == ["eins", "zwei", "drei"]
    assert ran.failed == {}
    data = runs.write(ran.lists)
    assert runs.read(data) == {key: tuple(place.document for place in listed) for key, listed in ran.lists.items()}
    button = next(one for one in page.get("download_button") if "3 Listen herunterladen" in one.proto.label)  # type: ignore[attr-defined]
    assert button is not None


def test_the_archive_of_a_run_leads_back_to_every_chunk(opened: Open, own: Path) -> None:
    from dashboard.handing_on import archive

    page = press(task(opened(), "export"), "sets_run_start")
    ran = page.session_state["sets_run"]

    class Settled:
        class checked:
            settled = MADE

    with zipfile.ZipFile(io.BytesIO(archive(ran, Settled))) as packed:  # type: ignore[arg-type]
        assert packed.namelist() == [RUN, MAP, "qrels.txt"]
        assert runs.read_map(packed.read(MAP)) == ran.lists


def test_another_setting_prepares_the_lists_anew(opened: Open, own: Path) -> None:
    page = press(task(opened(), "export"), "sets_run_start")
    knob(page, "weight_vector").set_value(0.7).run()
    assert any(button.key == "sets_run_start" for button in page.button)


def test_settings_that_are_none_are_said_and_nothing_else_is_drawn(opened: Open, own: Path) -> None:
    page = opened()
    for name in ("weight_vector", "weight_lexical"):
        knob(page, name).set_value(0.0).run()
    assert not page.exception
    assert not page.text


def test_the_page_is_there_in_english(opened: Open, own: Path) -> None:
    page = opened(lang="en")
    text = shown(page)
    assert "Question sets at hand" in text
    assert "1 of 2 norms cannot be found by any search." in text

"""Judging in a real browser: one key for each grade, a heap that hides where a hit came from, and judgements that go into the set."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from retrieval.evaluation import protocol, sets
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.verdicts import Verdict, append, read
from retrieval.evaluation.workshop import Workshop
from retrieval.model import Address
from tests.dashboard.browsing import Server, Visit, ask, fresh_set, see, settled
from tests.dashboard.demo import HOSTILE, HTML, LINK, MARKDOWN, QUESTION
from tests.dashboard.test_browser_axe import grave, whole

pytestmark = pytest.mark.browser

TEN = Address("vertrag", "Vertrag", "§ 10")
Open = Callable[..., Any]


@pytest.fixture
def name(request: pytest.FixtureRequest, workshop: Workshop) -> str:
    """A fresh set of two questions for this test."""
    questions = (Question("abgabe", QUESTION, (Need((Gold(TEN),)),)), Question("fremd", HOSTILE))
    return fresh_set(request, workshop, questions)


@pytest.fixture
def opened(visit: Visit, desk: Server, name: str) -> Open:
    """Opens the page for the set of this test, and says who is at work."""

    def go(who: str = "Anna", more: str = "", **view: Any) -> Any:
        page = visit(f"bewerten{ask(QUESTION)}&set={name}{more}", address=desk.address, **view)
        page.get_by_test_id("stProgress").wait_for()
        settled(page)
        if who:
            introduce(page, who)
        return page

    return go


def introduce(page: Any, who: str) -> None:
    field = page.get_by_label(re.compile("Wer arbeitet|Who is at work"))
    field.fill(who)
    field.press("Enter")
    settled(page)
    page.locator("h1").click()


def norm(page: Any) -> str:
    """The norm that is to be judged."""
    return str(page.locator("h2").first.inner_text())


def press(page: Any, keys: str) -> list[str]:
    """Press keys one after the other; the norms that they were pressed for."""
    seen = []
    for key in keys:
        seen.append(norm(page))
        page.keyboard.press(key)
        settled(page)
    return seen


def progress(page: Any) -> str:
    return str(page.get_by_test_id("stProgress").inner_text())


def choose(page: Any, label: str, option: str) -> None:
    """Choose from a list; one that opens while the page still scrolls to its control closes again."""
    box = page.get_by_role("combobox", name=label, exact=False)
    box.evaluate("box => box.scrollIntoView({block: 'center', behavior: 'instant'})")
    settled(page)
    box.click()
    page.get_by_role("option", name=option, exact=False).click()
    settled(page)
    page.locator("h1").click()


def asked(page: Any) -> str:
    """The question that is judged for."""
    return str(page.locator(".statement p").last.inner_text()).replace("\xa0", " ")


def overview(page: Any) -> None:
    page.get_by_text("Liste mit allen Urteilen", exact=True).first.click()
    settled(page)


def test_nobody_grades_without_a_name_and_it_is_said_kindly(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened(who="")
    see(page, "Bitte tragen Sie oben bei „Wer arbeitet?“ Ihren Namen oder ein Kürzel ein.")
    assert page.get_by_role("button", name="hilft nicht").is_disabled()
    press(page, "3")
    assert read(workshop.judgements_file(name)) == ()
    introduce(page, "Anna")
    press(page, "3")
    assert [one.judge for one in read(workshop.judgements_file(name))] == ["Anna"]


def test_each_key_gives_its_grade_and_the_next_hit_appears(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened()
    assert progress(page) == "0 von 10 bewertet"
    seen = press(page, "0123u")
    assert len(set(seen)) == 5
    assert [one.grade for one in read(workshop.judgements_file(name))] == [0, 1, 2, 3, None]
    assert {one.question_id for one in read(workshop.judgements_file(name))} == {"abgabe"}
    assert progress(page) == "5 von 10 bewertet"
    assert norm(page) not in seen


def test_a_judge_goes_back_corrects_and_takes_back(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened()
    first, second = press(page, "01")
    here = norm(page)
    press(page, "b")
    assert norm(page) == second
    see(page, "Ihr Urteil bisher: hilft. Eine neue Note ersetzt es.")
    press(page, "b")
    assert norm(page) == first
    press(page, "3")
    assert norm(page) == here
    press(page, "b")
    assert norm(page) == first
    press(page, "n")
    assert norm(page) == here
    press(page, "b")
    page.get_by_role("button", name="Urteil zurücknehmen").click()
    settled(page)
    assert norm(page) == first
    assert [(one.grade, one.withdrawn) for one in read(workshop.judgements_file(name))] == [(0, False), (1, False), (3, False), (3, True)]
    assert progress(page) == "1 von 10 bewertet"


def test_a_reason_is_kept_with_its_grade_and_with_no_other(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened()
    field = page.get_by_label("Warum?", exact=False)
    field.fill(f"{MARKDOWN} {HTML} 0123u")
    page.get_by_role("button", name="wichtig").click()
    settled(page)
    assert field.input_value() == ""
    page.locator("h1").click()
    press(page, "1")
    assert [(one.grade, one.reason) for one in read(workshop.judgements_file(name))] == [(2, f"{MARKDOWN} {HTML} 0123u"), (1, "")]
    overview(page)
    assert page.locator("td .under").filter(has_text="onerror").first.inner_text() == f"{MARKDOWN} {HTML} 0123u"
    assert page.locator("img[src='x'], .katex").count() == 0


def test_the_gold_is_not_shown_unless_asked_for(opened: Open) -> None:
    page = opened()
    row = page.locator("details[data-key=gold-abgabe] table")
    assert not row.is_visible()
    page.get_by_text("Was der Fragensatz als Antwort nennt", exact=False).click()
    assert row.is_visible()
    assert "RV · Vertrag · § 10" in row.inner_text().replace("\xa0", " ")


def test_the_heap_hides_the_settings_and_stays_in_its_order_after_a_reload(opened: Open) -> None:
    page = opened(more="&mfr=6")
    listed = press(page, "uuuuuu")

    def heap(of: Any) -> list[str]:
        of.get_by_text("gemeinsamer Topf", exact=True).click()
        settled(of)
        see(of, "Die Treffer aus 2 Einstellungen (die jetzige, die Vorgaben), jeder einmal und in zufälliger Reihenfolge.")
        return [norm(of), progress(of)]

    first = heap(page)
    assert first[0] not in listed
    assert first[1].startswith("6 von ")
    page.reload()
    page.get_by_test_id("stProgress").wait_for()
    settled(page)
    introduce(page, "Anna")
    assert heap(page) == first
    other = opened("Bernd", more="&mfr=6")
    heap(other)
    other.locator("h1").click()
    order = press(other, "u" * 6)
    assert sorted(order) != order
    assert order != listed
    assert progress(other).startswith("6 von ")


def test_hostile_wording_is_data(opened: Open) -> None:
    page = opened()
    choose(page, "Welche Frage?", "1. Faktor:preis")
    for _ in range(12):
        if page.locator(".wording").filter(has_text="Faktor:preis").count():
            break
        press(page, "u")
    assert page.locator(".wording").first.inner_text() == f"{MARKDOWN}\n{HTML}\n{LINK}\nDie Apotheke darf abgeben."
    assert asked(page) == HOSTILE
    assert page.locator("img[src='x'], a[href^='javascript'], .katex").count() == 0
    assert f"q={quote(HOSTILE[:12])}" in page.url.replace("+", "%20")


def test_when_all_is_judged_the_way_leads_on_and_the_protocol_is_told_once(opened: Open, workshop: Workshop, name: str) -> None:
    page = opened(more="&mfr=3")
    press(page, "100")
    see(page, "Sie haben hier alles bewertet")
    page.get_by_role("button", name="Für jetzt fertig: 3 Urteile ins Protokoll").click()
    page.get_by_role("button", name="Für jetzt fertig", exact=False).wait_for(state="detached")
    (event,) = [one for one in protocol.events(workshop.protocol_file(name)) if one.act == "judged"]
    assert (event.who, event.details["norms"], event.details["questions"]) == ("Anna", 3, 1)
    page.get_by_role("button", name="Zur nächsten Frage mit offenen Treffern").click()
    see(page, "0 von 3 bewertet")
    assert asked(page) == HOSTILE


def test_two_questions_of_the_same_words_are_judged_each_for_itself(opened: Open, workshop: Workshop, name: str) -> None:
    path = workshop.set_file(name)
    loaded = sets.load(path)
    twice = QuestionSet(name, (*loaded.questions.questions, Question("noch-einmal", QUESTION)))
    sets.save(path, twice, loaded.seen)
    page = opened()
    press(page, "30")
    assert progress(page) == "2 von 10 bewertet"
    choose(page, "Welche Frage?", "abgeben? (10 offen)")
    press(page, "1")
    assert [(one.question_id, one.grade) for one in read(workshop.judgements_file(name))] == [
        ("abgabe", 3),
        ("abgabe", 0),
        ("noch-einmal", 1),
    ]


def test_two_judges_stand_beside_each_other_with_what_they_disagree_on(opened: Open) -> None:
    press(opened(more="&mfr=5"), "30120")
    page = opened("Bernd", more="&mfr=5")
    press(page, "32")
    overview(page)
    head = page.locator("table").first.locator("thead th").all_inner_texts()
    assert head == ["Platz", "Norm", "Fragensatz", "Anna", "Bernd", "Gemessen wird mit"]
    see(page, "Alle 5 Plätze hat jemand bewertet oder der Fragensatz genannt.")
    see(page, "Erst 2 Treffer haben mindestens zwei Urteile. Eine Kennzahl gibt es ab 10; darunter sagte sie nichts.")
    see(page, "Wo die Urteile auseinandergehen")
    assert "Anna: hilft nicht\nBernd: wichtig" in page.locator("table").last.inner_text()


def test_a_judged_norm_becomes_gold_of_the_set(opened: Open, workshop: Workshop, name: str) -> None:
    place = Address("gesetz", "", "§ 1", "1")
    append(workshop.judgements_file(name), Verdict("abgabe", place, 2, "Bernd", "", protocol.moment()))
    page = opened()
    overview(page)
    see(page, "1 Norm hilft nach den Urteilen und fehlt im Fragensatz.")
    choose(page, "Als was?", "genügt anstelle von")
    page.get_by_role("button", name="Übernehmen").click()
    settled(page)
    see(page, "Zurzeit gibt es keine Norm, die nach den Urteilen hilft und im Fragensatz fehlt.")
    (need,) = sets.load(workshop.set_file(name)).questions.questions[0].needs
    assert need.any_of == (Gold(TEN), Gold(place, 2))
    assert [one.act for one in protocol.events(workshop.protocol_file(name))] == ["changed"]


def test_judgements_that_cannot_be_read_are_a_screen_and_stay_as_they_are(
    opened: Open, visit: Visit, desk: Server, workshop: Workshop, name: str
) -> None:
    path = workshop.judgements_file(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("kein Urteil\n", "utf-8")
    page = visit(f"bewerten?set={name}", address=desk.address)
    see(page, "Die Urteile lassen sich nicht lesen")
    page.locator("summary").first.click()
    assert "line 1: found no judgement" in page.locator(".exact").first.inner_text()
    assert path.read_text("utf-8") == "kein Urteil\n"


def test_the_page_of_a_question_says_how_far_its_list_is_judged_and_leads_here(visit: Visit, desk: Server, name: str) -> None:
    page = visit(f"{ask(QUESTION)}&set={name}", address=desk.address)
    see(page, "Bewertung dieser Liste")
    see(page, "von 10 Plätzen hat niemand bewertet; sie zählen als nicht hilfreich.")
    page.get_by_role("link", name="Diese Liste bewerten").click()
    page.get_by_test_id("stProgress").wait_for()
    settled(page)
    assert asked(page) == QUESTION
    other = visit(f"{ask('Apotheke?')}&set={name}", address=desk.address)
    see(other, "6 · Treffer")
    settled(other)
    assert other.get_by_text("Bewertung dieser Liste").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_roles_and_contrast_hold_in_both_views(opened: Open, scheme: str) -> None:
    page = opened(scheme=scheme)
    press(page, "30b")
    whole(page)
    assert list(grave(page)) == []
    overview(page)
    whole(page)
    assert list(grave(page)) == []


def test_nothing_is_wider_than_a_telephone(opened: Open) -> None:
    page = opened(width=420)
    for view in ("Liste mit allen Urteilen", "Einzeln bewerten"):
        page.get_by_text(view, exact=True).first.click()
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420


def test_the_page_speaks_english(opened: Open) -> None:
    page = opened(more="&lang=en")
    press(page, "3")
    assert progress(page) == "1 of 10 judged"
    page.get_by_text("List with all judgements", exact=True).first.click()
    settled(page)
    see(page, "Where judgements differ")

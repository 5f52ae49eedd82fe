"""The slider that moves the list, in a real browser: by pointer, by keys, by a typed number, and where its script does not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dashboard import dragging
from dashboard.views.track import section, stability
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.inspector.tracks import Track
from retrieval.settings import Settings
from tests.dashboard.browsing import Server, Visit, see, served, settled
from tests.dashboard.demo import HTML, LINK, MARKDOWN, QUESTION, federation

pytestmark = pytest.mark.browser

EVENT = 0.2778  # the only event of the weight of the vector search over the corpora in memory, as it is shown
BLOCKED = """
const Real = window.Blob;
window.Blob = class extends Real {
  constructor(parts, options) {
    const ours = (parts || []).some((part) => typeof part === "string" && part.includes("sliders.get(root)"));
    super(ours ? ["throw new Error('blocked')"] : parts, options);
  }
};
"""
FRAMES = """
() => {
  const root = document.querySelector('[data-testid="stMain"]');
  const inside = (node) => [...node.querySelectorAll('*')].map((one) => one.shadowRoot && find(one.shadowRoot)).find(Boolean);
  const find = (node) => node.querySelector('.track') || inside(node);
  const track = find(root);
  let frame = 0;
  let moved = null;
  window.__frames = [];
  const count = () => { frame += 1; requestAnimationFrame(count); };
  requestAnimationFrame(count);
  track.querySelector('input[type=range]').addEventListener('input', () => { moved = frame; }, true);
  new MutationObserver(() => { if (moved !== null) window.__frames.push(frame - moved); moved = null; })
    .observe(track.querySelector('ol'), {childList: true});
}
"""
Slider = Callable[..., Any]


@pytest.fixture(scope="module")
def sliders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from served(Path(__file__).with_name("track_page.py"), tmp_path_factory.mktemp("track"))


@pytest.fixture
def slider(visit: Visit, sliders: Server) -> Slider:
    """Opens the page with the slider and waits for it."""

    def go(query: str = "", width: int = 1280) -> Any:
        page = visit(query, width=width, address=sliders.address)
        page.locator(".track ol li").first.wait_for()
        settled(page)
        return page

    return go


def handle(page: Any) -> Any:
    return page.locator(".track input[type=range]")


def number(page: Any) -> Any:
    return page.locator(".track input[type=text]")


def titles(page: Any) -> list[str]:
    return page.locator(".track ol.list .title").all_inner_texts()


def changes(page: Any) -> list[str]:
    return page.locator(".track ol.list .change").all_inner_texts()


def in_force(page: Any) -> float:
    return float(page.get_by_text("in Kraft: ", exact=False).last.inner_text().removeprefix("in Kraft: "))


def stands_at(page: Any, value: float) -> None:
    page.get_by_text(f"in Kraft: {value}", exact=True).wait_for(timeout=15_000)
    settled(page)


def take(page: Any) -> Callable[[float], None]:
    """Take hold of the slider; what is returned moves it, the pointer still down."""
    grip = handle(page)
    grip.scroll_into_view_if_needed()
    box, thumb = grip.bounding_box(), 20
    low, high, value = (float(grip.evaluate(f"node => node.{name}")) for name in ("min", "max", "value"))
    middle = box["y"] + box["height"] / 2

    def to(place: float) -> None:
        across = (place - low) / (high - low)
        page.mouse.move(box["x"] + thumb / 2 + across * (box["width"] - thumb), middle, steps=8)

    to(value)
    page.mouse.down()
    return to


def test_the_list_follows_the_pointer_and_the_server_follows_on_release(slider: Slider) -> None:
    page = slider()
    before = titles(page)
    move = take(page)
    move(0.1)
    assert titles(page) != before
    assert "neu" in changes(page)
    assert page.locator(".track ul.list .change").all_inner_texts() == ["war auf 10"]
    assert in_force(page) == 0.5
    held = titles(page)
    page.mouse.up()
    value = float(number(page).input_value().replace(",", "."))
    assert value == pytest.approx(0.1, abs=0.01)
    stands_at(page, value)
    assert titles(page) == held
    assert set(changes(page)) == {"="}


def test_coming_back_to_the_start_shows_the_list_in_force_again(slider: Slider) -> None:
    page = slider()
    before = titles(page)
    move = take(page)
    move(0.1)
    see(page, "Gegenüber dem Wert in Kraft (0,50): 1 Treffer neu, 1 nicht mehr in der Liste.")
    move(0.9)
    assert titles(page) == before
    see(page, "Dieselbe Liste wie beim Wert in Kraft (0,50).")
    page.mouse.up()


def test_the_order_in_the_document_is_new_within_two_frames(slider: Slider) -> None:
    page = slider()
    page.evaluate(FRAMES)
    move = take(page)
    for place in (0.1, 0.5, 0.05, 0.6):
        move(place)
    page.mouse.up()
    seen = page.evaluate("() => window.__frames")
    assert len(seen) >= 4
    assert max(seen) <= 2


def test_arrow_keys_move_by_the_step_and_the_page_follows_after_a_pause(slider: Slider) -> None:
    page = slider("?wv=0.52")
    handle(page).focus()
    page.keyboard.press("ArrowLeft")
    assert number(page).input_value() == "0,50"
    page.keyboard.press("ArrowLeft")
    assert handle(page).get_attribute("aria-valuetext") == "0,45; ändert die Liste bei 0,2778"
    stands_at(page, 0.45)
    assert page.locator(".track [aria-live]").inner_text() == "0,45: Dieselbe Liste wie beim Wert in Kraft (0,52)."
    assert handle(page).evaluate("node => node.getRootNode().activeElement === node")


@pytest.mark.parametrize(("back", "forth"), [("PageDown", "PageUp"), ("[", "]")])
def test_keys_jump_from_event_to_event(slider: Slider, back: str, forth: str) -> None:
    page = slider()
    number(page).focus()
    page.keyboard.press(back)
    assert float(number(page).input_value().replace(",", ".")) < EVENT
    assert "neu" in changes(page)
    stands_at(page, 0.1)
    page.keyboard.press(forth)
    stands_at(page, 0.6)
    assert "neu" in page.locator(".track [aria-live]").inner_text()


def test_the_buttons_jump_too_and_are_off_where_nothing_more_happens(slider: Slider) -> None:
    page = slider()
    assert page.get_by_role("button", name="Nächstes Ereignis").is_disabled()
    see(page, "Rechts vom Regler wechselt die Liste nicht mehr.")
    page.get_by_role("button", name="Voriges Ereignis").click()
    stands_at(page, 0.1)
    assert page.get_by_role("button", name="Nächstes Ereignis").is_enabled()
    assert "Zwischen 0,00 und 0,2778 bleibt die Liste gleich." in page.locator(".track .stability").inner_text()


def test_the_sentence_of_the_previous_event_says_what_happens_on_the_way_down(slider: Slider) -> None:
    page = slider()
    before = titles(page)
    told = page.locator(".track").get_by_text("Bei 0,2778:", exact=False).first.inner_text()
    page.get_by_role("button", name="Voriges Ereignis").click()
    stands_at(page, 0.1)
    (new,) = (title for title in titles(page) if title not in before)
    assert f"{new} kommt auf Platz" in told
    upwards = page.locator(".track").get_by_text("Bei 0,2778:", exact=False).first.inner_text()
    assert f"{new} verlässt die Liste" in upwards


def test_a_typed_number_with_a_comma_counts_on_enter(slider: Slider) -> None:
    page = slider()
    number(page).fill("0,1234")
    assert in_force(page) == 0.5
    assert "neu" in changes(page)
    number(page).press("Enter")
    stands_at(page, 0.1234)
    assert number(page).input_value() == "0,1234"
    assert slider_beside(page) == "0,1234"


def slider_beside(page: Any) -> str:
    return str(page.locator('section[data-testid="stSidebar"] input[aria-label="Gewicht der Vektorsuche"]').get_attribute("aria-valuetext"))


@pytest.mark.parametrize("text", ["abc", "7", "-0,1", "0,1,2", "NaN", "", "1e-1"])
def test_what_is_no_number_of_the_range_is_refused_in_a_sentence(slider: Slider, text: str) -> None:
    page = slider()
    number(page).fill(text)
    number(page).press("Enter")
    see(page, "Erwartet wird eine Zahl von 0,00 bis 1,00.")
    assert number(page).get_attribute("aria-invalid") == "true"
    handle(page).focus()
    settled(page)
    assert number(page).input_value() == "0,50"
    assert in_force(page) == 0.5


def test_escape_goes_back_to_the_value_in_force(slider: Slider) -> None:
    page = slider()
    before = titles(page)
    number(page).fill("0,1")
    assert titles(page) != before
    page.keyboard.press("Escape")
    assert titles(page) == before
    assert number(page).input_value() == "0,50"
    settled(page)
    assert in_force(page) == 0.5


def test_a_refused_value_keeps_the_list_and_is_not_taken_over(slider: Slider) -> None:
    page = slider("?wl=0")
    before = titles(page)
    number(page).fill("0")
    number(page).press("Enter")
    see(page, "Der Wert 0,00 ist nicht zulässig und wird nicht übernommen. In Kraft bleibt 0,50.")
    settled(page)
    assert in_force(page) == 0.5
    assert titles(page) == before


def test_a_slider_of_the_other_method_is_off_with_a_sentence(slider: Slider, visit: Visit, sliders: Server) -> None:
    page = visit("?moved=rrf_k", address=sliders.address)
    see(page, "Dieser Regler wirkt nur bei der Fusion „Rangfusion (RRF)“.")
    assert handle(page).is_disabled()
    assert number(page).is_disabled()
    assert page.locator(".track ol.list").is_hidden()


def test_a_slider_without_an_event_says_that_it_changes_nothing(slider: Slider) -> None:
    page = slider("?mfr=50&mhpc=0&moved=min_ratio")
    see(page, "Dieser Regler ändert an dieser Liste nichts.")
    assert handle(page).is_enabled()
    assert page.get_by_role("button", name="Nächstes Ereignis").is_hidden()


def test_the_slider_follows_what_is_set_elsewhere(slider: Slider) -> None:
    page = slider()
    other = page.locator('section[data-testid="stSidebar"] input[aria-label="Gewicht der Vektorsuche"]')
    other.focus()
    page.keyboard.press("ArrowRight")
    stands_at(page, 0.55)
    assert number(page).input_value() == "0,55"
    assert page.locator(".track .force").inner_text() == "in Kraft 0,55"


def test_rows_glide_only_where_motion_is_wanted(slider: Slider) -> None:
    page = slider("?moved=verweis_score&q=Apotheke Abweichung abweichen rechnet")
    moving = "nodes => nodes.flatMap((node) => node.getAnimations()).length"
    seen = {}
    for wanted in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=wanted)
        seen[wanted] = max(_animated(page, place, moving) for place in ("1", "0", "0,5"))
    assert seen["reduce"] == 0
    assert seen["no-preference"] > 0


def _animated(page: Any, place: str, moving: str) -> int:
    number(page).fill(place)
    return int(page.locator(".track ol.list li").evaluate_all(moving))


def test_foreign_text_is_text_in_every_part_of_the_slider(slider: Slider) -> None:
    page = slider()
    assert f"{HTML} {MARKDOWN}" in page.locator(".track ol.list .under").all_inner_texts()
    assert page.locator(".track img, .track a").count() == 0
    assert LINK not in page.content()


@pytest.mark.parametrize("width", [420, 1440])
def test_nothing_sticks_out_at_the_side(slider: Slider, width: int) -> None:
    page = slider(width=width)
    box = page.locator(".track").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    wide = (
        "node => [...node.querySelectorAll('*')].filter((one) => one.clientWidth && one.getBoundingClientRect().right > innerWidth).length"
    )
    assert page.locator(".track").evaluate(wide) == 0


def test_every_control_has_a_name_that_is_spoken(slider: Slider) -> None:
    page = slider()
    main = page.locator(".track")
    assert main.get_by_role("slider", name="Gewicht der Vektorsuche").count() == 1
    assert main.get_by_role("textbox", name="Wert als Zahl").count() == 1
    assert main.get_by_role("list", name="Die Liste bei diesem Wert").count() == 1
    assert main.get_by_role("button").all_inner_texts() == ["‹ Voriges Ereignis", "Nächstes Ereignis ›"]


ALONE = """
async ([script, data]) => {
  const module = await import('data:text/javascript;charset=utf-8,' + encodeURIComponent(script));
  window.__sent = [];
  window.__answer = (value) => {
    const setTriggerValue = (name, sent) => window.__sent.push([name, sent]);
    module.default({data: {...data, value}, parentElement: document.body, setTriggerValue});
    return document.querySelector('.track').dataset.value;
  };
  return window.__answer(data.value);
}
"""


SHOW = """
(values) => values.map((text) => {
  const field = document.querySelector('input[type=text]');
  field.value = text;
  field.dispatchEvent(new Event('input'));
  const titles = [...document.querySelectorAll('ol.list .title')].map((node) => node.textContent);
  return [titles, document.querySelector('.stability').textContent];
})
"""


@pytest.mark.parametrize("language", ["de", "en"])
def test_at_every_value_stands_the_list_and_the_stability_of_the_record(browser: Any, language: str) -> None:
    gathered, words = federation().gather(QUESTION, Settings()), page_words(language)
    trace = decide(gathered, Settings())
    a, b, c, d = (entry.chunk_id for entry in trace.final[:4])
    between = ((a, b, c), (b, a, c), (b, a, d), (d, a, b))
    at = ((a, b), (a, b, c), (c, b, a), (d, a, b), None)
    track = Track("weight_vector", 0.4, (0.0, 0.25, 0.5, 0.7142, 1.0), between, at)
    page = browser.new_context().new_page()
    page.set_content(dragging.HTML)
    data = section(track, trace, words)[0]
    page.evaluate(ALONE, [dragging.script(), data])
    values = [0.0, 0.0001, 0.1, 0.2499, 0.25, 0.2501, 0.4, 0.5, 0.6, 0.7141, 0.7142, 0.7143, 0.9999]
    shown = page.evaluate(SHOW, [str(value) for value in values])
    page.context.close()
    named = {hit["key"]: hit["title"] for hit in data["hits"]}
    assert [titles for titles, _ in shown] == [[named[one] for one in track.list_at(value) or ()] for value in values]
    moved = [msgspec.structs.replace(track, value=value) for value in values]
    assert [text for _, text in shown] == [stability(one, words) for one in moved]


def test_a_late_answer_does_not_pull_the_slider_back(browser: Any) -> None:
    track = Track(
        "weight_vector", 0.5, (0.0, 0.4, 1.0), (("gesetz|§ 1|1",), ("gesetz|§ 2|1",)), (None, ("gesetz|§ 1|1",), ("gesetz|§ 2|1",))
    )
    gathered = federation().gather(QUESTION, Settings())
    data, _ = section(track, decide(gathered, Settings()), page_words("de"))
    page = browser.new_context().new_page()
    page.set_content(dragging.HTML)
    assert page.evaluate(ALONE, [dragging.script(), data]) == "0.5"
    for text in ("0,1", "0,9"):
        page.locator("input[type=text]").fill(text)
        page.keyboard.press("Enter")
    assert page.evaluate("() => window.__sent") == [["value", 0.1], ["value", 0.9]]
    assert page.evaluate("() => window.__answer(0.5)") == "0.9"  # a run for another reason
    assert page.evaluate("() => window.__answer(0.1)") == "0.9"  # the late answer
    assert page.evaluate("() => window.__answer(0.9)") == "0.9"
    assert page.evaluate("() => window.__answer(0.3)") == "0.3"  # set elsewhere
    page.context.close()


def test_where_the_script_does_not_run_the_plain_slider_works_and_a_sentence_leads_to_it(browser: Any, sliders: Server) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 1000}, locale="de-DE").new_page()
    page.add_init_script(BLOCKED)
    page.goto(sliders.address)
    plain = page.locator('section[data-testid="stSidebar"] input[aria-label="Gewicht der Vektorsuche"]')
    plain.wait_for(state="attached")
    settled(page)
    assert page.locator(".track input").count() == 0
    see(page, "Denselben Regler gibt es bei den Einstellungen am Rand")
    plain.focus()
    page.keyboard.press("ArrowRight")
    stands_at(page, 0.55)
    page.context.close()

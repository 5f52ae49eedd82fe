"""Dragging the slider that moves the list: frames from the pointer's event to the new order in the document, in a headless browser.

    python -m benchmarks.drag [--rows 10 50] [--stretches 300] [--moves 300]

The component stands alone in an empty page and gets a track in which every row changes its place at every event, drawn from twice as many
hits as the list is long: more than any question does. The pointer crosses the range there and back. Counted are the animation frames that
began between an input event and the change of the list that it caused (0: the same frame), and the milliseconds between the two.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import statistics
from typing import Any

import msgspec

from benchmarks.law import met
from benchmarks.slider import BROWSER, FLAGS
from dashboard import dragging
from dashboard.blocks import Block
from dashboard.views.track import section
from dashboard.words import page_words
from retrieval.decide import decide
from retrieval.inspector.tracks import Track
from retrieval.model import Chunk, CorpusAnswer, CorpusSpec, RouteAnswer, RouteHit
from retrieval.settings import Settings
from retrieval.trace import Pool, Trace

BAR = 2
_FRAME_MS = 1000 / 60
_THUMB = 20
_WIDTH, _HEIGHT = 1200, 1000

START = """
async ([script, data]) => {
  const module = await import('data:text/javascript;base64,' + script);
  module.default({data, parentElement: document.body, setTriggerValue: () => {}});
  const state = {frame: 0, asked: null, seen: [], gaps: [], last: 0};
  const tick = (now) => {
    if (state.last) state.gaps.push(now - state.last);
    state.last = now;
    state.frame += 1;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.addEventListener('input', () => { state.asked = [state.frame, performance.now()]; }, true);
  new MutationObserver(() => {
    if (state.asked) state.seen.push([state.frame - state.asked[0], performance.now() - state.asked[1]]);
    state.asked = null;
  }).observe(document.querySelector('ol.list'), {childList: true});
  window.__state = state;
}
"""
SHOWN = """
() => {
  const titles = [...document.querySelectorAll('ol.list .title')].map((node) => node.textContent);
  return [document.querySelector('.track').dataset.value, titles];
}
"""


def run(hits: int) -> Trace:
    """A run with so many hits, one for each section of one body of rules."""
    chunks = {f"c{n}": Chunk(f"c{n}", "law", section_id=f"§ {n}", text="Text", text_hash=f"{n}") for n in range(hits)}
    found = tuple(RouteHit(key, 1 - place / hits, 1 - place / hits) for place, key in enumerate(chunks))
    answer = CorpusAnswer("law", "ok", (RouteAnswer("vector", "ok", found), RouteAnswer("lexical", "empty")), size=hits)
    pool = Pool(
        question="question",
        fetch_k=hits,
        available=("law",),
        routings=(),
        claims=(),
        named=(),
        answers={"law": answer},
        anchor_units=(),
        references={},
        reference_units={},
        chunks=chunks,
        identities={key: key for key in chunks},
        specs={"law": CorpusSpec("law", "Body of rules", names=("LAW",))},
    )
    return decide(pool, Settings())


def shuffled(trace: Trace, rows: int, stretches: int) -> Track:
    """A track with another order of other hits in every stretch; the same on every call."""
    dice = random.Random(rows)
    between = tuple(tuple(dice.sample(sorted(trace.chunks), rows)) for _ in range(stretches))
    points = tuple(place / stretches for place in range(stretches + 1))
    return Track("weight_vector", 0.5, points, between, (between[0], *between))


class Dragged(msgspec.Struct, frozen=True):
    """What one drag showed.

    Frames and milliseconds from event to order, milliseconds from frame to frame, and whether the list at its end is right.
    """

    frames: list[int]
    wait_ms: list[float]
    gap_ms: list[float]
    right: bool


def drag(browser: Any, data: Block, moves: int) -> Dragged:
    """Drag over the range and back."""
    page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
    page.set_content(f"<style>{dragging.style()}</style>{dragging.HTML}")
    page.evaluate(START, [base64.b64encode(dragging.script().encode()).decode(), json.loads(json.dumps(data))])
    box = page.locator("input[type=range]").bounding_box()
    middle, wide = box["y"] + box["height"] / 2, box["width"] - _THUMB
    page.mouse.move(box["x"] + _THUMB / 2 + wide / 2, middle)
    page.mouse.down()
    for place in [*range(moves), *range(moves, -1, -1)]:
        page.mouse.move(box["x"] + _THUMB / 2 + wide * place / moves, middle)
    page.mouse.move(box["x"] + _THUMB / 2 + wide * 0.3337, middle)
    page.wait_for_timeout(300)
    value, titles = page.evaluate(SHOWN)
    state = page.evaluate("() => window.__state")
    page.close()
    place = next(place for place, point in enumerate(data["points"][1:]) if float(value) < point)
    expected = [data["hits"][hit]["title"] for hit in data["lists"][data["between"][place]]]
    return Dragged([frames for frames, _ in state["seen"]], [wait for _, wait in state["seen"]], state["gaps"], titles == expected)


def report(rows: int, stretches: int, seen: Dragged) -> str:
    """Medians and worst cases, and whether the bar was met."""
    worst = max(seen.frames)
    quick = sum(wait <= BAR * _FRAME_MS for wait in seen.wait_ms) / len(seen.wait_ms)
    last = "right" if seen.right else "WRONG"
    frames = f"median {statistics.median(seen.frames):.0f}, worst {worst}"
    lines = [
        f"{rows} rows, {stretches} stretches: {len(seen.frames)} new orders while dragging; the last list is {last}",
        f"  frames from event to order: {frames}; bar: at most {BAR}: {met(worst <= BAR)}",
        f"  milliseconds from event to order: median {statistics.median(seen.wait_ms):.1f}, worst {max(seen.wait_ms):.1f}; "
        f"{quick:.1%} within the time of {BAR} frames",
        f"  milliseconds from frame to frame: median {statistics.median(seen.gap_ms):.1f}, worst {max(seen.gap_ms):.1f}",
    ]
    return "\n".join(lines)


def main() -> None:
    """Drag once for each length of the list, print."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--stretches", type=int, default=300)
    parser.add_argument("--moves", type=int, default=300)
    args = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        for rows in args.rows:
            trace = run(2 * rows)
            data, _ = section(shuffled(trace, rows, args.stretches), trace, page_words("de"))
            print(report(rows, args.stretches, drag(browser, data, args.moves)))
        browser.close()


if __name__ == "__main__":
    main()

"""How much longer a released slider takes when eight people use the page at once: the page "Live" in as many browser windows.

    python -m benchmarks.people [--index FOLDER] [--people 8] [--moves 20] [--pause 2.0]

Each person moves a slider by one key press, looks at the result for ``--pause`` seconds on average, and moves it again; everybody has an
own window and session. Measured as in ``benchmarks.slider``: from the key press to the last change in the page. All windows run in one
browser on the machine that also runs the server, which costs them more than people at their own desks would.
"""

from __future__ import annotations

import random
import statistics
import time
import tomllib
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlencode

from benchmarks.law import ROOT, SAMPLES, arguments, index_at, met
from benchmarks.slider import BROWSER, FLAGS, START, WARM, Watched, served
from dashboard import knobtext
from dashboard.state import link_key
from dashboard.words import page_words
from retrieval.build import ingest_file
from retrieval.commands.corpora import files_in
from retrieval.settings import KNOBS

KNOB = KNOBS["verweis_score"]
AWAKE = ("--disable-renderer-backgrounding", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows")
_QUIET = 0.5
_TOGETHER = "() => window.__last > window.__pressed && performance.now() - window.__last > 500"


def alone(page: Watched, moves: int) -> list[float]:
    """The moves of one person by himself, without the first ones."""
    return [page.move()[0] for _ in range(WARM + moves)][WARM:]


def together(pages: list[Watched], moves: int, pause: float, seed: int = 1) -> list[float]:
    """The moves of all: each presses when his own pause is over, whatever the others do."""
    rng = random.Random(seed)
    due = {number: time.monotonic() + rng.uniform(0, pause) for number in range(len(pages))}
    pressed: dict[int, float] = {}
    left = dict.fromkeys(range(len(pages)), moves)
    found: list[float] = []
    while any(left.values()) or pressed:
        now = time.monotonic()
        for number, page in enumerate(pages):
            if number in pressed:
                took = _settled(page.page) if now - pressed[number] > _QUIET else None
                if took is not None:
                    found.append(took)
                    del pressed[number]
                    due[number] = time.monotonic() + rng.uniform(0.5, 1.5) * pause
            elif left[number] and now >= due[number]:
                page.page.evaluate("() => window.__watch()")
                page.slider.press("ArrowRight")
                pressed[number] = time.monotonic()
                left[number] -= 1
        time.sleep(0.02)
    return found


def _settled(page: Any) -> float | None:
    """Milliseconds from the key press to the last change, None while the page still changes."""
    if not page.evaluate(_TOGETHER):
        return None
    found: float = page.evaluate("() => window.__last - window.__pressed")
    return found


def main() -> None:
    """Open the windows, move, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--pause", type=float, default=2.0)
    args = parser.parse_args()
    question = tomllib.loads((SAMPLES / "questions.toml").read_text(encoding="utf-8"))["question"][1]["text"]
    from playwright.sync_api import sync_playwright

    with index_at(args.index) as folder, ExitStack() as stack:
        if args.index is None:
            for path in files_in(SAMPLES):
                ingest_file(folder, path)
        places = {"INDEX": folder.absolute(), "ANCHORS": SAMPLES / "anchors.toml", "QUESTIONS": SAMPLES / "questions.toml"}
        address = stack.enter_context(
            served(ROOT / "dashboard" / "app.py", {f"FUNDSTELLE_{name}": str(path) for name, path in places.items()})
        )
        link = f"{address}/?{urlencode({'q': question, link_key(KNOB.name): START})}"
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=BROWSER, args=[*FLAGS, *AWAKE])
        pages = [Watched(browser, link, knobtext.label(KNOB, page_words("de"))) for _ in range(args.people)]
        one = alone(pages[0], args.moves)
        many = together(pages, args.moves, args.pause)
        browser.close()
    ratio = statistics.median(many) / statistics.median(one)
    print(f"one person: median {statistics.median(one):.0f} ms, 95th percentile {statistics.quantiles(one, n=20)[-1]:.0f} ms")
    print(f"{args.people} people: median {statistics.median(many):.0f} ms, 95th percentile {statistics.quantiles(many, n=20)[-1]:.0f} ms")
    print(f"  ratio of the medians {ratio:.2f}; bar: at most 2: {met(ratio <= 2)}")


if __name__ == "__main__":
    main()

"""From the key press on a slider to the settled page: the page "Live" against a hollow page, in a headless browser.

    python -m benchmarks.slider [--index FOLDER] [--knob verweis_score] [--moves 30] [--static]

Hollow (``benchmarks.hollow_page``): the same widgets, tables, texts and charts, drawn from constants by a plain Streamlit script
(``--static``: with ``st.table``, the lightest that Streamlit has, instead of ``st.dataframe``). Both
pages are measured alike and take turns: from the press of → on the same slider to the last change in the page's main region, shadow
roots included, after which nothing changes for half a second. What a browser paints into a canvas without changing the document is not
seen; that favours the hollow page, whose tables are canvases.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.law import ROOT, SAMPLES, arguments, index_at, met
from dashboard import SERVER_FLAGS, knobtext, screens
from dashboard.blocks import Block, folded, notice
from dashboard.page import live
from dashboard.state import link_key
from dashboard.words import page_words
from retrieval.assemble import open_federation
from retrieval.build import ingest_file
from retrieval.commands.corpora import files_in
from retrieval.commands.serve import free_port
from retrieval.decide import decide
from retrieval.knobs import Knob
from retrieval.settings import KNOBS, Settings
from retrieval.trace import Trace
from retrieval.words import Words

BROWSER = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
QUESTION_ID = "abweichende-abgabe"
START, WARM = 0.30, 3
INK = "#31333f"
_QUIET_MS = 500
_LONGEST_MS = 15_000

WATCH = """
() => {
  window.__last = 0; window.__count = 0; window.__pressed = 0;
  const seen = new WeakSet();
  const options = {childList: true, characterData: true, attributes: true, subtree: true};
  const observer = new MutationObserver(records => {
    window.__last = performance.now(); window.__count += records.length;
    for (const record of records) for (const node of record.addedNodes) enter(node);
  });
  const enter = node => {
    if (node.nodeType !== 1) return;
    for (const one of [node, ...node.querySelectorAll('*')]) {
      if (one.shadowRoot && !seen.has(one.shadowRoot)) {
        seen.add(one.shadowRoot); observer.observe(one.shadowRoot, options); for (const inner of one.shadowRoot.children) enter(inner);
      }
    }
  };
  window.__watch = () => { const main = document.querySelector('[data-testid="stMain"]'); observer.observe(main, options); enter(main); };
  document.addEventListener('keydown', () => { window.__pressed = performance.now(); window.__last = 0; window.__count = 0; }, true);
}
"""
SETTLED = f"() => window.__last > window.__pressed && performance.now() - window.__last > {_QUIET_MS}"
IDLE = "() => document.querySelectorAll('[data-testid=\"stStatusWidget\"]').length === 0 && performance.now() - window.__last > 1000"


# --- the constants of the hollow page -----------------------------------------------------------------------------------


def blocks(trace: Trace, words: Words) -> list[Block]:
    """What the page "Live" shows of a run, in its order, with its two figures."""
    found: list[Block] = []
    for key, part in live.parts(trace, False, INK, words):
        found += part if isinstance(part, list) else [{"type": "figure", "key": key, "figure": part}]
    return found


def constants(index: Path, question: str, examples: Sequence[str], knob: Knob, moves: int) -> dict[str, Any]:
    """Everything that the hollow page draws."""
    words = page_words("de")
    federation = open_federation(index, SAMPLES / "anchors.toml")
    pool = federation.gather(question, Settings.of({knob.name: START}))
    places = [round(START + step * knob.step, 2) for step in range(moves + 1)]
    specs = federation.registry.state.manifest.corpora
    invented = "; ".join(entry.spec.title for entry in specs if entry.spec.invented)
    around = [notice(words.t("page.invented"), [words.t("page.invented_text", titles=invented)])]
    glossary = [folded(words.t("page.glossary"), [screens.glossary(words)], "glossary")]
    runs = {place: [*around, *blocks(decide(pool, Settings.of({knob.name: place})), words), *glossary] for place in places}
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in KNOBS.values():
        groups.setdefault(words.t(f"group.{one.group}"), []).append(_control(one, START if one is knob else one.default, words))
    texts = {
        name: words.t(f"page.{name}") for name in ("title", "lead", "language", "settings", "reset", "show_all", "show_all_help", "ask")
    }
    labels = {"examples_label": words.t("page.examples"), "question_label": words.t("page.question")}
    found = {"runs": {f"{place:.2f}": drawn for place, drawn in runs.items()}, "groups": groups, "moved": knob.name}
    return {**texts, **labels, **found, "examples": list(examples), "question": question}


def _control(knob: Knob, value: Any, words: Words) -> dict[str, Any]:
    return {
        "name": knob.name,
        "label": knobtext.label(knob, words),
        "kind": knob.kind,
        "options": [words.word("choice", choice) for choice in knob.choices],
        **{name: float(getattr(knob, name)) if knob.kind == "float" else getattr(knob, name) for name in ("low", "high", "step")},
        "value": value,
        "wide": knob.high - knob.low > 250 * knob.step,
        "help": f"{knobtext.sentence(knob, words)}  \n{knobtext.scale(knob, words)}.",
    }


# --- two servers and a browser -------------------------------------------------------------------------------------------


@contextmanager
def served(script: Path, environment: dict[str, str]) -> Iterator[str]:
    """A Streamlit server for this script; its address."""
    port = free_port(None)
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}", *SERVER_FLAGS]
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.2)
    raise SystemExit(f"The server at {address} did not start. Run its command by hand to see why.")


class Watched:
    """One page in the browser with the slider that is moved."""

    def __init__(self, browser: Any, address: str, label: str) -> None:
        self.page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        self.page.goto(address)
        self.slider = self.page.locator('[data-testid="stSlider"]', has_text=label).locator('input[type="range"]')
        self.slider.wait_for(state="attached", timeout=60_000)
        self.page.locator(".js-plotly-plot").nth(1).wait_for(timeout=60_000)
        self.page.evaluate(WATCH)
        self.page.evaluate("() => { window.__last = performance.now(); window.__watch(); }")
        self.page.wait_for_function(IDLE, timeout=60_000)

    def move(self) -> tuple[float, int]:
        """Milliseconds from the key press to the last change, and the number of changes."""
        self.page.bring_to_front()
        self.slider.focus()
        self.page.evaluate("() => window.__watch()")
        self.slider.press("ArrowRight")
        self.page.wait_for_function(SETTLED, timeout=_LONGEST_MS, polling=50)
        found: list[float] = self.page.evaluate("() => [window.__last - window.__pressed, window.__count]")
        return found[0], int(found[1])

    @property
    def place(self) -> str:
        """Where the slider stands, as the page shows it."""
        return str(self.slider.get_attribute("aria-valuetext")).replace(",", ".")


def moved(real: str, hollow: str, label: str, moves: int) -> dict[str, list[tuple[float, int]]]:
    """The moves of both pages, taking turns, without the first ones."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        pages = {"hollow page": Watched(browser, hollow, label), "page Live": Watched(browser, real, label)}
        seen: dict[str, list[tuple[float, int]]] = {name: [] for name in pages}
        for _ in range(WARM + moves):
            for name, page in pages.items():
                seen[name].append(page.move())
        places = {page.place for page in pages.values()}
        browser.close()
    if len(places) != 1:
        raise SystemExit(f"The pages were not moved alike: the slider stands at {' and '.join(sorted(places))}.")
    return {name: found[WARM:] for name, found in seen.items()}


def report(seen: dict[str, list[tuple[float, int]]], knob: Knob) -> str:
    """Medians and p95 of both, and whether the bar was met."""
    lines = [f"{knob.name} one step to the right, {len(seen['page Live'])} moves of each page, taking turns"]
    middle = {name: statistics.median(time for time, _ in found) for name, found in seen.items()}
    for name, found in seen.items():
        late = statistics.quantiles([time for time, _ in found], n=20)[-1]
        changes = statistics.median(count for _, count in found)
        lines.append(f"  {name:<12} median {middle[name]:7.0f} ms   p95 {late:7.0f} ms   {changes:6.0f} changes of the document per move")
    ratio = middle["page Live"] / middle["hollow page"]
    lines.append(f"  page Live / hollow page {ratio:.2f}; bar: not slower: {met(ratio <= 1)}")
    return "\n".join(lines)


def main() -> None:
    """Start both pages, move the slider, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--knob", default="verweis_score", choices=[name for name, knob in KNOBS.items() if knob.kind == "float"])
    parser.add_argument("--moves", type=int, default=30)
    parser.add_argument("--static", action="store_true", help="the hollow page draws its tables with st.table")
    args = parser.parse_args()
    knob = KNOBS[args.knob]
    entries = tomllib.loads((SAMPLES / "questions.toml").read_text(encoding="utf-8"))["question"]
    question = next(entry["text"] for entry in entries if entry["id"] == QUESTION_ID)
    with index_at(args.index) as folder, ExitStack() as stack:
        if args.index is None:
            for path in files_in(SAMPLES):
                ingest_file(folder, path)
        file = Path(stack.enter_context(index_at(None))) / "constants.json"
        examples = [entry["text"] for entry in entries]
        file.write_text(json.dumps(constants(folder, question, examples, knob, WARM + args.moves)), encoding="utf-8")
        places = {"INDEX": folder.absolute(), "ANCHORS": SAMPLES / "anchors.toml", "QUESTIONS": SAMPLES / "questions.toml"}
        environment = {f"FUNDSTELLE_{name}": str(path) for name, path in places.items()}
        real = stack.enter_context(served(ROOT / "dashboard" / "app.py", environment))
        drawn = {"HOLLOW_CONSTANTS": str(file), "HOLLOW_TABLES": "static" if args.static else ""}
        hollow = stack.enter_context(served(Path(__file__).with_name("hollow_page.py"), drawn))
        address = f"{real}/?{urlencode({'q': question, link_key(knob.name): START})}"
        print(report(moved(address, hollow, knobtext.label(knob, page_words("de")), args.moves), knob))


if __name__ == "__main__":
    main()

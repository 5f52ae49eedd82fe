"""The page with the question sets as its first page, over the corpora in memory."""

import os
from pathlib import Path

from dashboard import app
from tests.dashboard.demo import opener

os.environ["FUNDSTELLE_INDEX"] = Path(os.environ["PAGE_CONTROL"]).read_text(encoding="utf-8").strip()
kept = app.RUN_PAGES, app.SET_PAGES
# A test without a browser opens the default page only.
app.RUN_PAGES = {name: address or "live" for name, address in app.RUN_PAGES.items()}
app.SET_PAGES = {name: "" if name == "sets" else address for name, address in app.SET_PAGES.items()}
try:
    app.main(opener)
finally:
    app.RUN_PAGES, app.SET_PAGES = kept

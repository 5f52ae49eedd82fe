"""The page with the comparison as its first page, over the corpora in memory."""

import os
from pathlib import Path

from dashboard import app
from tests.dashboard.demo import opener

os.environ["FUNDSTELLE_INDEX"] = Path(os.environ["PAGE_CONTROL"]).read_text(encoding="utf-8").strip()
kept = app.RUN_PAGES
# A test without a browser opens the default page only.
app.RUN_PAGES = {name: "" if name == "compare" else address or "live" for name, address in kept.items()}
try:
    app.main(opener)
finally:
    app.RUN_PAGES = kept

"""The page over the corpora in memory, as a script: the file named by PAGE_CONTROL says which stock it opens in this run."""

import os
from pathlib import Path

from dashboard.app import main
from tests.dashboard.demo import opener

os.environ["FUNDSTELLE_INDEX"] = Path(os.environ["PAGE_CONTROL"]).read_text(encoding="utf-8").strip()
main(opener)

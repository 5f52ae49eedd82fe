"""The page over the corpora in memory, on which every step of a sweep takes as long as a large set of questions would need for it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from dashboard.app import main
from dashboard.page import sweep
from retrieval.evaluation.sweeps.model import Sweep
from retrieval.evaluation.sweeps.run import Watch, run
from tests.dashboard.demo import opener

_PAUSE = float(os.environ["SWEEP_PAUSE"])


def slow(spec: Any, checked: Any, gather: Any, judgements: Any, watch: Watch) -> Sweep:
    """The sweep itself, with a pause after each step."""

    def after(found: Sweep) -> bool:
        time.sleep(_PAUSE)
        return watch(found)

    return run(spec, checked, gather, judgements, after)


vars(sweep)["run"] = slow
os.environ["FUNDSTELLE_INDEX"] = Path(os.environ["PAGE_CONTROL"]).read_text(encoding="utf-8").strip()
main(opener)

"""What the tests in a browser share: a server of the page, and ways to wait for it and to read it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from dashboard import SERVER_FLAGS
from retrieval.evaluation import sets
from retrieval.evaluation.model import Question, QuestionSet
from retrieval.evaluation.workshop import Workshop

ROOT = Path(__file__).parents[2]
Visit = Callable[..., Any]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A running page; ``stock`` says which corpora the next run opens."""

    def __init__(self, script: Path, folder: Path, **environment: str) -> None:
        self.control = folder / "control"
        self.log = folder / "log"
        self.stock("full")
        self.address = f"http://127.0.0.1:{_free_port()}"
        command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={urlsplit(self.address).port}", *SERVER_FLAGS]
        used = {**os.environ, "PYTHONPATH": str(ROOT), "PAGE_CONTROL": str(self.control), **environment}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=used, stdout=log, stderr=subprocess.STDOUT)

    def stock(self, name: str) -> None:
        self.control.write_text(f"/stock/{name}", "utf-8")

    def wait(self) -> None:
        for _ in range(120):
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.25)
        raise AssertionError(f"the page did not start: {self.log.read_text('utf-8')}")


def served(script: Path, folder: Path, **environment: str) -> Iterator[Server]:
    server = Server(script, folder, **environment)
    try:
        server.wait()
        yield server
    finally:
        server.process.terminate()
        server.process.wait(timeout=20)


def fresh_set(request: pytest.FixtureRequest, workshop: Workshop, questions: Sequence[Question]) -> str:
    """Write a question set that no other test works with; its name."""
    name = re.sub(r"\W+", "-", request.node.name)[-60:].strip("-_")
    workshop.sets.mkdir(exist_ok=True, parents=True)
    sets.save(workshop.set_file(name), QuestionSet(name, tuple(questions)), "")
    return name


def see(page: Any, text: str) -> None:
    page.get_by_text(text, exact=False).first.wait_for(timeout=15_000)


def settled(page: Any) -> None:
    """Wait until no run is under way."""
    page.wait_for_timeout(250)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(timeout=15_000)


def query_of(page: Any) -> dict[str, str]:
    """What stands in the address behind the question mark."""
    return {key: found[-1] for key, found in parse_qs(urlsplit(page.url).query, keep_blank_values=True).items()}


def ask(text: str) -> str:
    """The address of a question."""
    return f"?q={quote(text)}"

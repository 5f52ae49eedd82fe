"""What several test files need: the shared folder, and the sample corpora ingested once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from chroma_server import ChromaServer
from cli_runs import Ran, Run
from hypothesis import settings

from retrieval.federated import FederatedRetriever
from retrieval.places import HEADERS, SERVER, TOKEN, Place

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_corpora"

# Whatever the environment says about a Chroma server is not about the tests.
for _name in (SERVER, TOKEN, HEADERS):
    os.environ.pop(_name, None)

# The same examples on every run, and no limit of time that a busy machine would break.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real law and recorded cases that lies beside the repository; a test is skipped where it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder ../shared with real law is not there; it is not part of the project")
    return folder


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """An index with the sample corpora, made by the default encoder; once for all workers of a run. To be read only."""
    from filelock import FileLock

    from retrieval.build import ingest_file
    from retrieval.commands.corpora import files_in

    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "sample-index"
    done = folder.with_suffix(".done")
    with FileLock(folder.with_suffix(".lock")):
        if not done.exists():
            for path in files_in(SAMPLES):
                ingest_file(folder, path)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def federation(sample_index: Path) -> FederatedRetriever:
    """The federation over the sample corpora with their anchors, wired as the program wires it."""
    from retrieval.assemble import open_federation

    return open_federation(sample_index, SAMPLES / "anchors.toml")


@pytest.fixture(scope="session")
def _one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """A Chroma server for the whole run, started when the first test needs it; each worker has its own."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma-server"))
    yield server
    server.stop()


@pytest.fixture
def server(_one_server: ChromaServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChromaServer]:
    """A running Chroma server with nothing on it, on which new indexes have their collections."""
    monkeypatch.setenv(SERVER, _one_server.place.address)
    yield _one_server
    _one_server.clear()


@pytest.fixture(params=["folder", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where the collections of a new index live: in the folder of the test, and in a second run of the same test on a server."""
    if request.param == "folder":
        return tmp_path
    server: ChromaServer = request.getfixturevalue("server")
    return server.place


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in this process, with nothing set in the environment."""
    from retrieval import cli
    from retrieval.commands.terminal import ANCHORS, INDEX, QUESTIONS

    for name in (INDEX, ANCHORS, QUESTIONS):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: object) -> Ran:
        try:
            code = cli.main([str(one) for one in argv])
        except SystemExit as end:
            code = int(end.code or 0)
        return Ran(code, *capsys.readouterr())

    return call

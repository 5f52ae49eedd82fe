"""A real Chroma server for tests: a process of its own on a free port, which can be ended and started again at the same place."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from retrieval import places
from retrieval.errors import StockError
from retrieval.places import Server

_STARTS = 60.0


class ChromaServer:
    """``chroma run`` over one folder; running from the start."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, _free_port()
        self._over: Path | None = None
        self.place = Server(f"http://127.0.0.1:{self.port}")
        self.start()

    def start(self, folder: Path | None = None) -> None:
        """Starts it over its folder, or over another one, and waits until it answers."""
        program = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
        self._over = folder or self.folder
        command = [program, "run", "--path", str(self._over), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + _STARTS
        while True:
            try:
                places.require_answer(self.place)
                return
            except StockError:
                if time.monotonic() > end or self._process.poll() is not None:
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        """Ends it as if the machine had been switched off."""
        self._over = None
        self._process.kill()
        self._process.wait()

    def clear(self) -> None:
        """Takes everything off it, so that one test knows nothing of another; runs over its own folder afterwards."""
        if self._over != self.folder:
            self.stop()
            self.start()
        client = places.open_client(self.place, create=True)
        for found in client.list_collections():
            client.delete_collection(found.name)
        client.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

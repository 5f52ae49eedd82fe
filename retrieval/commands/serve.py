"""``fundstelle serve``: the page, on this machine only."""

from __future__ import annotations

import argparse
import importlib
import os
import socket
import subprocess
import sys
from pathlib import Path

from retrieval.commands.terminal import ANCHORS, INDEX, QUESTIONS, RERANKER, TOUR, TUNING, CliWords, Terminal, anchors_file, index_folder
from retrieval.errors import BadInput

HOST = "127.0.0.1"
PORT = 8501
_MORE_PORTS = 20


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle serve``."""
    parser.add_argument("--anchors", type=Path, metavar="DATEI", help=words.t("cli.help.register"))
    parser.add_argument("--questions", type=Path, metavar="DATEI", help=words.t("cli.help.serve_questions"))
    parser.add_argument("--tour", type=Path, metavar="DATEI", help=words.t("cli.help.serve_tour"))
    parser.add_argument("--tuning", type=Path, metavar="ORDNER", help=words.t("cli.help.serve_tuning"))
    parser.add_argument("--reranker", metavar="MODELL", help=words.t("cli.help.reranker"))
    parser.add_argument("--port", type=int, metavar="PORT", help=words.t("cli.help.port", port=PORT))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Start the page and wait until it is ended."""
    anchors = _existing(anchors_file(args.anchors))
    questions, tour = _existing(args.questions), _existing(args.tour)
    index = index_folder(args.index).resolve()
    port = free_port(args.port)
    entry, flags = page()
    command = [sys.executable, "-m", "streamlit", "run", str(entry), f"--server.port={port}", *flags]
    named = {INDEX: index, ANCHORS: anchors, QUESTIONS: questions, TOUR: tour, TUNING: args.tuning}
    environment = {**os.environ, **{name: str(path.resolve()) for name, path in named.items() if path}}
    if args.reranker:
        folder = Path(args.reranker).expanduser()
        environment[RERANKER] = str(folder.resolve()) if folder.is_dir() else args.reranker
    address = f"http://{HOST}:{port}"
    if out.as_json:
        out.json({"address": address, "index": str(index)})
    else:
        out.say("serve.address", address=address, index=index)
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # in place, so that whatever ends this program ends the page
    return subprocess.call(command, env=environment)


def page() -> tuple[Path, tuple[str, ...]]:
    """The page's entry file and its server flags; found by name, because the page stands above this package."""
    dashboard = importlib.import_module("dashboard")
    return Path(str(dashboard.__file__)).with_name("app.py"), dashboard.SERVER_FLAGS


def _existing(file: Path | None) -> Path | None:
    if file and not file.is_file():
        raise BadInput(f"{file}: found no such file; expected a TOML file. Correct the path.")
    return file


def free_port(wanted: int | None) -> int:
    """The port that was asked for, else the first free one from 8501. Raises BadInput when it is taken or no port."""
    if wanted is not None and not 1 <= wanted <= 65535:
        raise BadInput(f"--port: found {wanted}, expected a number from 1 to 65535.")
    candidates = [wanted] if wanted else range(PORT, PORT + _MORE_PORTS)
    free = next((port for port in candidates if _is_free(port)), None)
    if free is None:
        taken = str(wanted) if wanted else f"{PORT} to {PORT + _MORE_PORTS - 1}"
        raise BadInput(f"--port: found {taken} in use by another program; expected a free port. Choose another one with --port.")
    return free


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True

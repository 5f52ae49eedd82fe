"""What every command about a run has in common: its options, the stock that it opens, and what is said of corpora that cannot be asked."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from retrieval.commands import settings as settings_command
from retrieval.commands.terminal import RERANKER, CliWords, Terminal, anchors_file, index_folder, one_line
from retrieval.errors import BrokenStock
from retrieval.federated import FederatedRetriever


def add_options(parser: argparse.ArgumentParser, words: CliWords, *, settings: bool = True) -> None:
    """The settings of a run, the anchor register, the encoder, the reranker."""
    if settings:
        settings_command.add_options(parser, words)
    parser.add_argument("--anchors", type=Path, metavar="DATEI", help=words.t("cli.help.register"))
    parser.add_argument("--encoder", metavar="MODELL", help=words.t("cli.help.encoder"))
    parser.add_argument("--reranker", metavar="MODELL", help=words.t("cli.help.reranker"))


def opened(args: argparse.Namespace) -> FederatedRetriever:
    """The federation that the arguments name. Raises BrokenStock when no corpus of it can be asked."""
    from retrieval.assemble import open_federation

    reranker = args.reranker or os.environ.get(RERANKER, "").strip() or None
    federation = open_federation(index_folder(args.index), anchors_file(args.anchors), args.encoder, reranker=reranker)
    blocked = federation.registry.blocked
    if not federation.registry.available() and blocked:
        raise BrokenStock(" ".join(one_line(reason, 500) for reason in blocked.values()))
    return federation


def told(federation: FederatedRetriever, partial: bool, out: Terminal) -> int:
    """Say which corpora could not be asked; the exit code of a run: 1 when a part of it failed or a corpus could not be asked."""
    blocked = federation.registry.blocked
    for reason in blocked.values():
        out.complain(out.words.t("cli.ask.blocked", reason=one_line(reason)))
    return 1 if partial or blocked else 0

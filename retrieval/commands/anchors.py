"""``fundstelle anchors check``: does every curated claim point to a norm that is in stock and in force?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from retrieval.anchors import AnchorRegister, Finding
from retrieval.commands.terminal import ANCHORS, AddParser, CliWords, Terminal, address, anchors_file, index_folder
from retrieval.errors import BadInput
from retrieval.model import CorpusSpec


def add_check_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle anchors check``."""
    parser.add_argument("--anchors", type=Path, metavar="DATEI", help=words.t("cli.help.register"))
    parser.set_defaults(run=check)


PARSERS: dict[str, AddParser] = {"check": add_check_parser}


def check(args: argparse.Namespace, out: Terminal) -> int:
    """Print what is wrong with the register; exit code 1 when there are findings."""
    from retrieval.registry import CorpusRegistry

    file = anchors_file(args.anchors)
    if file is None:
        raise BadInput(f"The anchor register: found none named, expected a TOML file. Name it with --anchors or {ANCHORS}.")
    register = AnchorRegister.load(file)
    registry = CorpusRegistry(index_folder(args.index))
    findings = register.check(registry.federation.book)
    if out.as_json:
        out.json({"anchors": len(register.anchors), "findings": msgspec.to_builtins(findings)})
    else:
        _print(findings, len(register.anchors), registry.federation.book.specs, out)
    return 1 if findings else 0


def _print(findings: Sequence[Finding], checked: int, specs: Mapping[str, CorpusSpec], out: Terminal) -> None:
    out.say("anchors.checked", count=checked, findings=len(findings))
    for finding in findings:
        problem = out.words.t(f"cli.anchors.{finding.problem}")
        line = {"line": finding.line, "anchor": finding.anchor_id, "address": address(finding.target, specs)}
        out.line("  " + out.words.t("cli.anchors.finding", problem=problem, **line))

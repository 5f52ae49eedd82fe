"""``fundstelle decisions``: the decisions of a workshop listed, one of them shown as minutes, two of them compared."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from retrieval.commands.terminal import TUNING, AddParser, CliWords, Terminal, index_folder, one_line

if TYPE_CHECKING:
    from retrieval.evaluation.decision_compare import Compared, Loss
    from retrieval.evaluation.decision_files import Kept
    from retrieval.evaluation.decisions import Decision

_BESIDE = "-tuning"
_SHOWN_NAME = 60


def add_list_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle decisions list``."""
    parser.add_argument("folder", type=Path, nargs="?", metavar="DECISIONS", help=words.t("cli.decisions.help.folder"))
    parser.set_defaults(run=show_all)


def add_show_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle decisions show``."""
    parser.add_argument("decision", type=Path, metavar="ENTSCHEIDUNG", help=words.t("cli.decisions.help.file"))
    parser.set_defaults(run=show)


def add_compare_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle decisions compare``."""
    parser.add_argument("before", type=Path, metavar="A", help=words.t("cli.decisions.help.before"))
    parser.add_argument("after", type=Path, metavar="B", help=words.t("cli.decisions.help.after"))
    parser.set_defaults(run=compare)


PARSERS: dict[str, AddParser] = {"list": add_list_parser, "show": add_show_parser, "compare": add_compare_parser}


def _folder(args: argparse.Namespace) -> Path:
    """The decisions of the workshop that the environment names, else of the one beside the index."""
    from retrieval.evaluation.workshop import Workshop

    named, index = os.environ.get(TUNING, "").strip(), index_folder(args.index)
    return Workshop(Path(named) if named else index.with_name(index.name + _BESIDE)).decisions


def _load(given: Path, args: argparse.Namespace) -> Kept:
    """A decision by its file, or by its name in the workshop, with or without ending."""
    from retrieval.evaluation.decision_files import load

    named = _folder(args) / f"{given.name.removesuffix('.json')}.json"
    return load(named if not given.exists() and given.name == str(given) and named.exists() else given)


# --- list and show ------------------------------------------------------------------------------------------------------


def show_all(args: argparse.Namespace, out: Terminal) -> int:
    """List the decisions; exit code 1 when a file among them cannot be read."""
    from retrieval.evaluation.decision_files import stored
    from retrieval.evaluation.protocol_text import when

    folder = args.folder or _folder(args)
    found = stored(folder)
    if out.as_json:
        out.json(
            {
                "decisions": [_about(one) for one in found.kept],
                "unreadable": [{"file": str(one.path), "reason": one.reason} for one in found.unreadable],
            }
        )
    elif not found.kept:
        out.say("decisions.none", folder=folder)
    else:
        head = [out.words.t(f"cli.decisions.{name}") for name in ("when", "name", "who", "set", "file")]
        out.table((_row(one, when(one.decision.decided, out.words)) for one in found.kept), head)
    for one in found.unreadable:
        out.complain(out.words.t("cli.decisions.unreadable", reason=one_line(one.reason)))
    return 1 if found.unreadable else 0


def _about(one: Kept) -> dict[str, object]:
    found = one.decision
    return {
        "file": str(one.path),
        "hash": one.hash,
        "name": found.name,
        "decided": found.decided,
        "decided_by": found.decided_by,
        "set": found.questions.name,
        "set_fingerprint": found.set_fingerprint,
        "settings": found.settings,
        "without": found.without,
        "replaces": found.replaces,
    }


def _row(one: Kept, moment: str) -> list[str]:
    found = one.decision
    people = one_line("; ".join(found.decided_by), _SHOWN_NAME)
    return [moment, one_line(found.name, _SHOWN_NAME), people, one_line(found.questions.name, _SHOWN_NAME), one.path.name]


def show(args: argparse.Namespace, out: Terminal) -> int:
    """Print the minutes of a decision, or its record as JSON."""
    from retrieval.evaluation.decision_text import minutes

    found = _load(args.decision, args).decision
    if out.as_json:
        out.json(found.to_json())
    else:
        out.line(minutes(found, out.words).rstrip())
    return 0


# --- compare ------------------------------------------------------------------------------------------------------------


def compare(args: argparse.Namespace, out: Terminal) -> int:
    """Print what leads from one decision to another."""
    from retrieval.evaluation.decision_compare import compared

    before, after = (_load(path, args).decision for path in (args.before, args.after))
    found = compared(before, after)
    if out.as_json:
        out.json({"before": before.name, "after": after.name, **msgspec.structs.asdict(found)})
    else:
        _Told(before, after, found, out).all()
    return 0


class _Told:
    """A comparison in words and tables."""

    def __init__(self, before: Decision, after: Decision, found: Compared, out: Terminal) -> None:
        self.before, self.after, self.found, self.out, self.words = before, after, found, out, out.words

    def all(self) -> None:
        """Everything, from the settings to the stock."""
        from retrieval.evaluation.protocol_text import when

        moments = {"before_when": when(self.before.decided, self.words), "after_when": when(self.after.decided, self.words)}
        self.out.say("decisions.compared", before=one_line(self.before.name), after=one_line(self.after.name), **moments)
        self._settings()
        self._set()
        self._figures()
        self.out.head("decisions.stock")
        self.out.table([self._t(f"part.{one.part}"), self._t(f"verdict.{one.verdict}")] for one in self.found.stock)

    def _t(self, key: str, **values: object) -> str:
        return self.words.t(f"cli.decisions.{key}", **values)

    def _settings(self) -> None:
        from retrieval.evaluation.protocol_text import moves

        lines = moves(self.found.shift, self.words)
        self.out.head("decisions.settings" if lines else "decisions.same_settings")
        for line in lines:
            self.out.line(f"  {one_line(line)}")

    def _set(self) -> None:
        if self.found.same_set:
            self.out.head("decisions.set_same")
            return
        self.out.head("decisions.set_other")
        self.out.table(self._changed()) if self.found.set_change else self.out.say("decisions.set_details")

    def _changed(self) -> Iterator[list[str]]:
        change = self.found.set_change
        groups = {"added": change.added, "removed": change.removed, "other_norms": change.other_norms, "reworded": change.reworded}
        for name, questions in groups.items():
            yield from ([self._t(name), one.id, one_line(one.text, 80)] for one in questions)

    def _figures(self) -> None:
        from retrieval.evaluation.decision_compare import losses
        from retrieval.evaluation.decision_text import effect_text, metric_name

        if not self.found.common or not self.found.questions:
            before, after = (self.words.whole(k) for k in self.found.k)
            key = "other_places" if self.found.k[0] != self.found.k[1] else "no_common"
            self.out.head(f"decisions.{key}", before=before, after=after)
            return
        self.out.head("decisions.figures", questions=self.words.whole(self.found.questions))
        head = [self._t(name) for name in ("metric", "before", "after", "difference")]
        rows = []
        for one in self.found.common:
            values = [self.words.number(one.before), self.words.number(one.after)]
            rows.append([metric_name(one.metric, self.words), *values, effect_text(one.effect, self.words)])
        self.out.table(rows, head)
        self._losers(losses(self.found.common))

    def _losers(self, lost: tuple[Loss, ...]) -> None:
        from retrieval.evaluation.decision_text import lost_text

        self.out.head("decisions.losers" if lost else "decisions.no_losers")
        self.out.table([one.question_id, lost_text(one, self.words)] for one in lost)

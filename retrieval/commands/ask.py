"""``fundstelle ask``: one question, its list, and why each hit stands where it stands."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from retrieval.commands import asking
from retrieval.commands import settings as settings_command
from retrieval.commands.terminal import CliWords, Terminal, address, one_line, short_name
from retrieval.decide import decide
from retrieval.errors import BadInput
from retrieval.ranking import Entry, Part
from retrieval.settings import KNOBS
from retrieval.stages.references import Verweis
from retrieval.trace import Anchor, CorpusTrace, Trace
from retrieval.words import NONE

_LONGEST_QUESTION = 2_000
_SHOWN_TEXT = 240
_SHOWN_LEFT_OUT = 12
_SHOWN_HASH = 12
_TRIED = ("fetched", "void", "failed")


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle ask``."""
    parser.add_argument("question", metavar="FRAGE", help=words.t("cli.help.question"))
    asking.add_options(parser, words)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, out: Terminal) -> int:
    """Ask, decide, and print the run; exit code 1 when a part of it failed or a corpus in stock could not be asked."""
    settings = settings_command.chosen(args.settings, args.set)
    question = valid_question(args.question)
    federation = asking.opened(args)
    trace = decide(federation.gather(question, settings), settings)
    if out.as_json:
        out.json(trace.to_json())
    else:
        Report(trace, out).print()
    return asking.told(federation, trace.partial, out)


def valid_question(text: str) -> str:
    """The question without blanks around it. Raises BadInput when it is empty, no text, or no question any more."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(
            "The question: found bytes that are no UTF-8 text, expected text. Set the terminal to UTF-8 and type it again."
        ) from None
    question = text.strip()
    if not question:
        raise BadInput("The question: found no text, expected a question or the address of a norm. Type one in quotation marks.")
    if len(question) > _LONGEST_QUESTION:
        raise BadInput(
            f"The question: found {len(question)} characters, expected at most {_LONGEST_QUESTION}. Shorten it to what is asked."
        )
    return question


class Report:
    """A trace in words. Everything that is printed stands in the trace."""

    def __init__(self, trace: Trace, out: Terminal) -> None:
        self.trace = trace
        self.out = out
        self.words = out.words

    def print(self) -> None:
        """The list first, then what was asked, what came in by address, and what fell out."""
        self._hits()
        self._corpora()
        self._anchors()
        self._verweise()
        self._balance()
        self._faults()
        self._basis()

    # --- the list -----------------------------------------------------------------------------------------------------

    def _hits(self) -> None:
        final = self.trace.final
        self.out.say("ask.question", question=one_line(self.trace.question))
        self.out.head("ask.list", shown=len(final), found=len(self.trace.completed.entries))
        if not final:
            self.out.line("  " + self.words.t("cli.ask.nothing"))
        for place, entry in enumerate(final, start=1):
            chunk = self.trace.chunks[entry.chunk_id]
            heading = f" – {one_line(chunk.heading, 100)}" if chunk.heading else ""
            self.out.line(f"{place:3}. {self._where(entry.chunk_id)}{heading}")
            scores = {"rank": self.words.number(entry.rank), "decision": self.words.number(entry.cosine)}
            self.out.line("     " + self.words.t("cli.ask.scores", **scores))
            self.out.line("     " + self.words.t("cli.ask.why", reason="; ".join(self._reasons(entry))))
            self.out.line("     " + self.words.quoted(one_line(chunk.text, _SHOWN_TEXT)))

    def _where(self, chunk_id: str) -> str:
        return address(self.trace.chunks[chunk_id], self.trace.specs)

    def _reasons(self, entry: Entry) -> Iterator[str]:
        if entry.rank_by == "routes":
            sums = " + ".join(self._part(part) for part in entry.parts)
            yield self.words.t("cli.ask.sum", parts=sums, rank=self.words.number(entry.rank))
        else:
            yield self.words.word("rank_by", entry.rank_by)
        others = [kind for kind in entry.kinds if kind not in ("semantic", "lexical")]
        if others:
            yield ", ".join(self.words.word("kind", kind) for kind in others)
        yield from (self._cited(verweis) for verweis in self.trace.verweise if entry.chunk_id in verweis.chunk_ids)
        yield self.words.word("fate", entry.fate.code, round=entry.fate.round)
        if entry.chunk_id == self.trace.named.moved:
            yield self.words.t("cli.ask.moved", place=self.trace.named.from_place, rank=self.trace.named.lifted_from)

    def _part(self, part: Part) -> str:
        numbers = {"raw": part.raw, "scaled": part.scaled, "weight": part.weight, "amount": part.amount}
        shown = {name: self.words.number(value) for name, value in numbers.items()}
        key = f"cli.ask.part_{self.trace.settings.fusion.fusion}"
        return self.words.t(key, route=self.words.word("route", part.route), place=part.place, **shown)

    def _cited(self, verweis: Verweis) -> str:
        by = self._where(verweis.by) if verweis.by else NONE
        return self.words.t("cli.ask.cited", words=one_line(verweis.words, 80), by=by)

    # --- what was asked -------------------------------------------------------------------------------------------------

    def _corpora(self) -> None:
        self.out.head("ask.corpora")
        for corpus in self.trace.corpora:
            name = short_name(self.trace.specs.get(corpus.corpus_id), corpus.corpus_id)
            self.out.line(f"  {one_line(name)}: " + "; ".join(one_line(part) for part in self._about(corpus)))

    def _about(self, corpus: CorpusTrace) -> Iterator[str]:
        yield self.words.word("state", corpus.state)
        if corpus.routed_by:
            yield self.words.t("cli.ask.routed", words=", ".join(map(self.words.quoted, corpus.routed_by)))
        if corpus.affinity is not None:
            yield self.words.t("routing.affinity", affinity=self.words.number(corpus.affinity))
        if corpus.required_by:
            yield self.words.t("cli.ask.required", anchors=", ".join(corpus.required_by))
        if corpus.status:
            yield f"{self.words.word('status', corpus.status)} {_error(corpus.error_class, corpus.error)}".rstrip()
        for route in corpus.routes:
            found = self.words.word("note", route.note) if route.note else self.words.whole(route.found)
            if route.status == "failed":
                found = f"{self.words.word('status', 'failed')} {_error(route.error_class, route.error)}"
            yield f"{self.words.word('route', route.route)} {found}"
        if corpus.dropped_filter:
            yield self.words.t("cli.ask.dropped_filter", filter=corpus.dropped_filter)

    def _anchors(self) -> None:
        if self.trace.anchors:
            self.out.head("ask.anchors")
        for anchor in self.trace.anchors:
            self.out.line("  " + one_line(self._anchor(anchor)))

    def _anchor(self, anchor: Anchor) -> str:
        where = address(anchor.claim.target, self.trace.specs)
        outcome = self.words.word("anchor", anchor.outcome)
        return f"{where} ({anchor.claim.anchor_id}): {outcome} {_error(anchor.error_class)}".rstrip()

    def _verweise(self) -> None:
        tried = [verweis for verweis in self.trace.verweise if verweis.fate in _TRIED]
        left_out = [verweis for verweis in self.trace.verweise if verweis.fate == "beyond_cap"]
        if not self.trace.verweise:
            return
        self.out.head("ask.verweise")
        for verweis in tried:
            self.out.line(f"  {self._target(verweis)}: {self.words.word('verweis', verweis.fate)}; {self._cited(verweis)}")
        if left_out:
            names = list(dict.fromkeys(self._target(verweis) for verweis in left_out))
            more = "" if len(names) <= _SHOWN_LEFT_OUT else f" … (+ {len(names) - _SHOWN_LEFT_OUT})"
            shown = ", ".join(names[:_SHOWN_LEFT_OUT]) + more
            self.out.line("  " + self.words.t("cli.ask.left_out", count=len(names), targets=shown))
        others = Counter(verweis.fate for verweis in self.trace.verweise if verweis.fate not in (*_TRIED, "beyond_cap"))
        for fate, count in others.items():
            self.out.line(f"  {count} × {self.words.word('verweis', fate)}")

    def _target(self, verweis: Verweis) -> str:
        return address(verweis.target, self.trace.specs) if verweis.target else one_line(verweis.law or verweis.words)

    # --- what fell out ----------------------------------------------------------------------------------------------------

    def _balance(self) -> None:
        self.out.head("ask.balance")
        if self.trace.quota.reason:
            self.out.line("  " + self.words.word("quota.reason", self.trace.quota.reason))
        else:
            floor = {"floor": self.words.number(self.trace.quota.floor), "rounds": self.trace.quota.rounds}
            self.out.line("  " + self.words.t("cli.ask.quota", **floor))
        if self.trace.named.reason:
            self.out.line("  " + self.words.word("named.reason", self.trace.named.reason))
        for stage in self.trace.counts:
            fates = [f"{count} {self.words.word('fate', code, round=0)}" for code, count in stage.fates.items()]
            numbers = {"came": stage.came_in, "added": stage.added, "living": stage.living}
            line = self.words.t("cli.ask.stage", stage=self.words.word("stage", stage.stage), **numbers)
            self.out.line("  " + "; ".join((line, *fates)))

    def _faults(self) -> None:
        if self.trace.partial:
            self.out.head("ask.partial")
        if self.trace.route_failure:
            self.out.line("  " + self.words.word("route_failure", self.trace.route_failure))
        for fault in self.trace.faults:
            self.out.line(f"  {self.words.word('fault', fault.part)}: {_error(fault.error_class, fault.message)}")

    def _basis(self) -> None:
        changed = {name: value for name, value in self.trace.settings.flat().items() if value != KNOBS[name].default}
        if changed:
            shown = ", ".join(f"{name} = {self.words.value(value)}" for name, value in changed.items())
            self.out.head("ask.changed", settings=shown)
        stamps = {part: self.trace.stamps.version(part) for part in ("index", "model", "anchors", "code")}
        stamps["anchors"] = stamps["anchors"][:_SHOWN_HASH]
        self.out.head("ask.stamps", **{name: stamp or NONE for name, stamp in stamps.items()})


def _error(error_class: str, message: str = "") -> str:
    inside = ": ".join(one_line(part, 200) for part in (error_class, message) if part)
    return f"({inside})" if inside else ""

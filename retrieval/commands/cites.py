"""``fundstelle cites`` and ``fundstelle norm``: what a text refers to, and a norm with what it cites and what cites it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

import msgspec

from retrieval.citations import Citation, citations
from retrieval.commands.terminal import CliWords, Terminal, address, index_folder, one_line
from retrieval.errors import BadInput
from retrieval.model import Address, Chunk, Reference
from retrieval.norms import Citing, Found, Norm, look_up, norm, sentence
from retrieval.stock import Federation
from retrieval.verweise import references

_STANDARD_INPUT = "-"
_SHOWN_WORDS = 60
_SHOWN_CHOICES = 20


def add_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle cites``."""
    parser.add_argument("text", metavar="TEXT", help=words.t("cli.help.text"))
    parser.add_argument("--in", dest="home", metavar="FUNDSTELLE", help=words.t("cli.help.home"))
    parser.set_defaults(run=cites)


def add_norm_parser(parser: argparse.ArgumentParser, words: CliWords) -> None:
    """The options of ``fundstelle norm``."""
    parser.add_argument("address", metavar="FUNDSTELLE", help=words.t("cli.help.address"))
    parser.set_defaults(run=show_norm)


# --- what a text cites --------------------------------------------------------------------------------------------------


def cites(args: argparse.Namespace, out: Terminal) -> int:
    """Print the citations of a text, resolved against the stock; exit code 1 when a corpus in stock could not be read."""
    text = sys.stdin.read() if args.text == _STANDARD_INPUT else str(args.text)
    if not text.strip():
        raise BadInput("The text: found none, expected a text with citations. Type one in quotation marks, or - for standard input.")
    federation, blocked = _opened(args)
    home = single(args.home, federation) if args.home else Address("")
    chunk = Chunk("", home.corpus_id, home.container_id, home.section_id, home.subsection, text=text)
    read = tuple(one for one in citations(text) if not one.locator)
    resolved = references(chunk, federation.book, federation.names, read)
    if out.as_json:
        out.json({"citations": msgspec.to_builtins(read), "references": msgspec.to_builtins(resolved)})
    else:
        _print_cites(text, read, resolved, federation, out)
    return _complain(blocked, out)


def _print_cites(text: str, read: Sequence[Citation], resolved: Sequence[Reference], federation: Federation, out: Terminal) -> None:
    if not read:
        out.say("cites.none")
        return
    out.say("cites.read", count=len(read), references=len(resolved))
    for reference in resolved:
        words = out.words.quoted(one_line(reference.words, _SHOWN_WORDS))
        out.line(f"  {words}: {_outcome(reference, federation, out)}")
        around = one_line(sentence(text, reference.start, reference.end))
        if around != one_line(text):
            out.line(f"     {around}")
    spans = {(reference.start, reference.end) for reference in resolved}
    for citation in read:
        if (citation.start, citation.end) not in spans:
            out.line(f"  {out.words.quoted(one_line(citation.words, _SHOWN_WORDS))}: " + out.words.t("cli.cites.no_target"))


def _outcome(reference: Reference, federation: Federation, out: Terminal) -> str:
    """Target and state of a reference in words; a section of a text that nobody named is no section that is missing."""
    target, state = reference.target, out.words.word("reference", reference.state)
    if target is not None and not target.corpus_id:
        return out.words.t("cli.cites.homeless")
    places = reference.alternatives or ((target,) if target else ())
    named = out.words.t("cli.cites.or").join(address(place, federation.specs) for place in places)
    return f"{named or one_line(reference.law)} ({state})"


# --- a norm -------------------------------------------------------------------------------------------------------------


def show_norm(args: argparse.Namespace, out: Terminal) -> int:
    """Print a norm's text, what it cites and what cites it; exit code 1 when a corpus in stock could not be read."""
    federation, blocked = _opened(args)
    place = single(args.address, federation)
    found = norm(place, federation)
    if found is None:
        raise BadInput(f"{address(place, federation.specs)}: found nothing in stock, expected a norm. See: fundstelle corpora list")
    if out.as_json:
        out.json(msgspec.to_builtins(found))
    else:
        _print_norm(found, federation, out)
    return _complain(blocked, out)


def _print_norm(found: Norm, federation: Federation, out: Terminal) -> None:
    specs, first = federation.specs, next(iter(found.chunks), None)
    heading = f": {first.heading}" if first and first.heading else ""
    out.line(one_line(address(found.address, specs) + heading))
    out.line(one_line(specs[found.address.corpus_id].title))
    if found.state == "repealed":
        out.say("norm.repealed")
    if found.missing:
        out.say("norm.missing", subsection=found.missing)
    if first and first.stand:
        out.line(one_line(first.stand))
    for chunk in found.chunks:
        if found.address.subsection in ("", chunk.subsection):
            out.line()
            out.line(chunk.text)
    for section in found.sections:
        out.line("  " + address(section, specs))
    out.head("norm.cites", count=len(found.cites))
    for citing in found.cites:
        words = out.words.quoted(one_line(citing.reference.words, _SHOWN_WORDS))
        out.line(f"  {words}: {_outcome(citing.reference, federation, out)}")
    out.head("norm.cited_by", count=len(found.cited_by))
    _print_citing(found.cited_by, federation, out)
    if found.cited_whole:
        out.say("norm.cited_whole", count=found.cited_whole, section=found.address.section_id)


def _print_citing(cited_by: Iterable[Citing], federation: Federation, out: Terminal) -> None:
    for citing in cited_by:
        out.line(f"  {address(citing.by, federation.specs)}")
        out.line(f"     {one_line(citing.sentence)}")


# --- the stock and the address --------------------------------------------------------------------------------------------


def _opened(args: argparse.Namespace) -> tuple[Federation, dict[str, str]]:
    from retrieval.registry import open_texts

    state = open_texts(index_folder(args.index))
    return state.federation, state.blocked


def _complain(blocked: dict[str, str], out: Terminal) -> int:
    for reason in blocked.values():
        out.complain(out.words.t("cli.cites.blocked", reason=one_line(reason)))
    return 1 if blocked else 0


def single(text: str, federation: Federation) -> Address:
    """The one norm that these words mean. Raises BadInput when they mean none or several."""
    found = look_up(text, federation)
    if len(found.places) == 1:
        return found.places[0]
    shown = one_line(text, 80)
    if not found.places:
        raise BadInput(f"{shown!r}: {_why(found)}. Expected an address such as '§ 129 Abs. 2 SGB V'. See: fundstelle corpora list")
    choices = ", ".join(address(place, federation.specs) for place in found.places[:_SHOWN_CHOICES])
    raise BadInput(f"{shown!r}: found {len(found.places)} norms, expected one: {choices}. Name the corpus and the part.")


def _why(found: Found) -> str:
    if found.elsewhere or found.strange:
        return f"{', '.join((*found.elsewhere, *found.strange))} is not in stock"
    if found.void:
        return f"found no {', '.join(target.section_id for target in found.void)} there"
    return "found a corpus and no section" if found.corpora else "found no address"

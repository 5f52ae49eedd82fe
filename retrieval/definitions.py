"""Definitions: the term whose meaning a question asks for, and the terms that a text of rules defines.

Recognised are the forms of German law and contracts: "X im Sinne dieses Gesetzes ist …", "Im Sinne dieser Verordnung sind 1. X: …",
"X sind …" inside a norm that is headed as one of definitions or by the term itself, "(X)" behind the words that it stands for, "Als X
gelten …". Terms are compared by their search words, so that their inflection does not matter.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from retrieval.model import Chunk
from retrieval.tokenizer import tokens

log = logging.getLogger(__name__)

DEFINITIONS = "definitions.json"
"""The name under which the definitions of a corpus are stored beside its chunks."""

Form = Literal["stated", "bracketed", "loose"]
"""``stated``: the text says what the term is. ``bracketed``: the term stands in brackets behind its meaning, or "Als X gelten …".
``loose``: a sentence of the form "X ist die …" or "… gilt als X", which may say something else of it."""

FORMS: tuple[Form, ...] = ("stated", "bracketed", "loose")
"""The forms, the surest first."""

_MOST = 2
"""Definitions of one term that one corpus hands over."""


class Defined(msgspec.Struct, frozen=True, gc=False):
    """A term that a text defines, as it stands there, with its character span in the text."""

    term: str
    start: int
    end: int
    form: Form


# --- the question -------------------------------------------------------------------------------------------------------

_NOISE = r"(?:(?:denn|eigentlich|genau|überhaupt|rechtlich|juristisch|hier|so|alles|nun|bitte)\s+)*"
_OPEN, _CLOSE = "„\"“»«'‚‘’", "“”\"«»'‘’"
_TERM = r"(?P<term>.+)"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:was|wer)\s+(?:ist|sind|wäre|wären)\s+{_NOISE}(?:mit|unter)\s+{_TERM}\s+(?:gemeint|zu\s+verstehen)",
        rf"(?:was|wer)\s+(?:wird|versteht\s+(?:man|[\w§. -]+?))\s+{_NOISE}unter\s+{_TERM}",
        rf"unter\s+{_TERM}\s+versteht\s+man\b.*",
        rf"was\s+(?:meint|bezeichnet)\s+(?:man|[\w§. -]+?)\s+(?:mit|als)\s+{_TERM}",
        rf"(?:was|wer)\s+gilt\s+(?:[\w§. -]+?\s+)?als\s+{_TERM}",
        rf"was\s+(?:bedeutet|bedeuten|heißt|heisst|heißen|meint)\s+{_NOISE}{_TERM}",
        rf"wie\s+(?:ist|sind|wird|werden)\s+{_TERM}\s+(?:[\w§. -]+\s+)?(?:definiert|bestimmt|legaldefiniert)",
        rf"wie\s+(?:definiert|bestimmt)\s+[\w§. -]+?\s+den\s+begriff\s+{_TERM}",
        rf"wie\s+definiert\s+(?:man|(?:(?:das|die|der)\s+)?[\w-]+)\s+{_TERM}",
        r"(?:(?:die|eine|zur|nenne|erkläre|erkläre\s+mir|was\s+ist)\s+)?(?:die|den|eine)?\s?(?:legal)?(?:definition|begriffsbestimmung|bedeutung|begriff)"
        rf"\s*(?:von|vom|des|der|zu|zum|für|:|-|–|\s)\s*{_TERM}",
        rf"(?:was|wer)\s+(?:ist|sind)\s+{_NOISE}{_TERM}",
        rf"{_TERM}\s*[:,–-]?\s+(?:legal)?(?:definition|begriffsbestimmung|begriff)",
    )
)
_BREAK = re.compile(r"[?!;\n]|(?<=\w{3})\.\s")
_NOT_A_TERM = re.compile(
    r"(?:zu|erlaubt|verboten|möglich|nötig|zulässig|notwendig|wichtig|der\s+unterschied|der\s+fall|los|wenn|damit|daran|dabei|zuständig|"
    r"berechtigt|verpflichtet|befugt|passiert|geschehen|richtig|besser|das|dies|es|für|bei|beim|mit|nach|im|in|am|an|auf|aus|von|zur|zum|unter)"
    r"(?:[\s,]|$)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:(?:der|die|das|des|dem|den|ein|eine|einer|eines|einem|einen)\s+)?(?:(?:rechts|gesetzes|fach)?(?:begriff|ausdruck|bezeichnung|wort)\w*\s+"
    rf"(?:(?:der|des|eines|einer)\s+)?)?(?:(?:der|die|das|des|dem|den|ein|eine|einer|eines|einem|einen)\s+)?[{_OPEN}]?",
    re.IGNORECASE,
)
_MORE = re.compile(r"\s*(?:,|:|\s[–-]\s|\bund\s+(?:was|wer|wie|wann|wo|welche\w*|warum)\b).*$", re.IGNORECASE | re.DOTALL)
_WHERE = re.compile(
    r"\s+(?:i\.\s?S\.\s?(?:d|v)\.|im\s+sinne?|nach|laut|gemäß|gem\.|im|in|bei|beim|innerhalb|aus|entsprechend|hinsichtlich)(?=\s)",
    re.IGNORECASE,
)
_BOOK = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_LONGEST = 8
"""Words of a term; what is longer is a sentence."""


def asked(question: str) -> tuple[str, ...]:
    """The terms whose meaning the question asks for, the fullest first; empty where it asks for something else.

    "Was ist ein Lieferausfall im Sinne des HVG-A?" gives the term with and without the words that say where it is used.
    """
    found = (term for sentence in _sentences(question) for term in _asked_in(sentence))
    return tuple(dict.fromkeys(found))


def _sentences(question: str) -> Iterator[str]:
    return (sentence.strip(" .\t") for sentence in _BREAK.split(question))


def _asked_in(sentence: str) -> Iterator[str]:
    if len(sentence.split()) > 2 * _LONGEST:
        return
    match = next((match for pattern in _FORMS if (match := pattern.fullmatch(sentence))), None)
    if match is None or _NOT_A_TERM.match(match["term"].strip()):
        return
    whole = _bare(match["term"])
    for term in (whole, _BOOK.sub("", whole), *(whole[: cut.start()] for cut in reversed(list(_WHERE.finditer(whole))))):
        if words_of(term) and len(term.split()) <= _LONGEST:
            yield term.strip(f" {_CLOSE}")


def _bare(term: str) -> str:
    """A term without articles, quotation marks and what the sentence goes on with."""
    rest = _MORE.sub("", term.strip())
    head = _LEADING.match(rest)
    return rest[head.end() if head else 0 :].strip(f" {_OPEN}{_CLOSE}")


def words_of(term: str) -> tuple[str, ...]:
    """The search words of a term, one for each of its words: a compound counts as a whole, not by its parts."""
    return tuple(found[0] for word in term.split() if (found := tokens(word)))


# --- the texts ----------------------------------------------------------------------------------------------------------

_DEFINING = re.compile(r"(?<!in)begriffs?bestimmung|definition|begriffe\b|(?<!in)begriff\b", re.IGNORECASE)
_SEGMENT = re.compile(r"^|\n|[.;:]\s|[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_HEAD = r"\s*(?:(?:\(\d+[a-z]?\)|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d+[a-z]?\.|\d+(?:\.\d+)+\.?|[a-z]\)|[-–•])\s*)*"
_ARTICLE = r"(?:(?:[Dd]er|[Dd]ie|[Dd]as|[Ee]in|[Ee]ine)\s+)?"
_NAME = r"(?P<term>[^\n,;:.()]{2,90}?)"
_ASIDE = r"(?:\s?\([^)\n]{1,80}\))?"
_IS = r"(?:ist|sind|bedeutet|bedeuten|bezeichnet|bezeichnen|umfasst|umfaßt|umfassen)\b"
_SENSE = r"(?:[Ii]m\s+Sinne?|i\.\s?S\.)\s+(?:dies\w+|des|der|von|d\.)\s[^;:\n]{0,90}?"
# "Apotheke im Sinne dieses Gesetzes ist …"
_IN_THE_SENSE = re.compile(
    rf"{_HEAD}{_ARTICLE}{_NAME}{_ASIDE},?\s+{_SENSE},?\s*(?:{_IS}|gilt\b|gelten\b|liegt\b|bezieht\b)"
    r"(?!\s+(?:verpflichtet|berechtigt|befugt|zuständig|so|unverzüglich|anzu\w+|entsprechend|auf|zu|nach|durch|bei|von|für|mit)\b)"
)
# "Im Sinne dieses Gesetzes sind …", followed by the term or by a list of terms
_LED = re.compile(rf"{_HEAD}{_SENSE}\s?(?:{_IS}(?:\s+der\s+Ausdruck)?|gelten\s+als\b|gilt\s+als\b)(?P<rest>[^\n]*)")
_DIRECT = re.compile(
    r"\s+(?:ein|eine|der|die|das)?\s?(?P<term>[^\n,;:.()]{2,80}?)(?:$|:|,|\s(?=(?:die|der|das|den|jede\w*|alle|solche|diejenigen|ein|eine|nur|auch)\s))"
)
# "(14) Herstellen ist …" in a norm of definitions
_SUBJECT = re.compile(rf"{_HEAD}{_ARTICLE}{_NAME}{_ASIDE}\s+(?:{_IS}|gilt\b|gelten\b|versucht\b)")
# an item of a list: a term with a colon, or before its meaning, or in quotation marks
_ITEM = re.compile(
    r"^\d+[a-z]?\.\s+(?:[„»\"](?P<quoted>[^“”«\"\n]{2,80})[“”«\"]|(?:ein|eine|der|die|das)?\s?(?P<labelled>[^\n,;:.()]{2,80}):"
    r"|(?P<term>(?!(?:ein|eine|der|die|das)\s)[^\n,;:.()]{2,80}?)(?:\n(?=[a-zäöü(])|\s(?=(?:die|das|den|ein|eine|einen|jede[rsn]?|alle|solche|"
    r"diejenigen|wer|nur|auch|ist|sind)\s)|,\s(?=wer\s)))",
    re.MULTILINE,
)
_LABEL = re.compile(r"^(?:[-–•]\s+|[a-z]\)\s+)?(?P<term>[A-ZÄÖÜ„\"][^\n,;:.()]{2,60}):\s", re.MULTILINE)
# "Unter Festbetrag wird … verstanden"
_MEANT = re.compile(
    rf"\b[Uu]nter\s+(?:dem|der|den|einer|einem)?\s?{_NAME}\s+(?:{_SENSE}\s?)?(?:ist|sind|wird|werden|versteht)\b[^.\n]{{0,250}}?"
    r"(?:verstehen|verstanden|man\b)"
)
# in brackets behind the words that it stands for
_BRACKET = re.compile(
    r"(?<=[\w“\"%]\s)\((?:(?:im\s+)?(?:nachfolgend|nachstehend|folgenden|künftig|kurz|sogenannte\w*)[:,]?\s+(?:auch\s+)?)?[„\"»‚]?"
    r"(?P<term>(?:[a-zäöü][\w-]+(?:e|er|es|en|em)\s)?[A-ZÄÖÜ][\w-]+(?:\s[\w-]+){0,5}?)[“\"«‘]?\)"
)
# "Mörder ist, wer …", "Geschäftstag ist jeder Tag, an dem …"
_SURE = re.compile(
    rf"{_HEAD}{_ARTICLE}(?P<term>(?:[A-ZÄÖÜ][\w-]+(?:e|er|es|en)\s)?[A-ZÄÖÜ][\w-]{{2,}})\s(?:(?:ist|sind)(?:\s(?:auch|nur))?,\s+wer|ist\s+jede[rs]?|"
    r"sind\s+(?:alle|solche|diejenigen))\s"
)
# "Als Arzneimittel gelten …", "gilt als Arzneimittel", "Kompatibilität ist die Fähigkeit …"
_COUNTED = re.compile(rf"{_HEAD}Als\s+(?P<term>[^\n,;:.()]{{2,60}}?)\s+(?:im\s+Sinne\s[^.;\n]{{1,60}}?\s)?(?:gilt|gelten)\b")
_COUNTS_AS = re.compile(r"\b(?:gilt|gelten)\s+(?:\w+\s){0,2}?als\s+(?P<term>(?:[a-zäöü][\w-]+(?:e|er|es|en|em)\s)?[A-ZÄÖÜ][\w-]{2,})")
_PLAIN = re.compile(
    rf"{_HEAD}(?:(?:Eine?|Die|Das)\s+)?(?P<term>(?:[A-ZÄÖÜ][\w-]+(?:e|er|es|en)\s)?[A-ZÄÖÜ][\w-]{{2,}})\s(?:ist\s+(?:eine?|der|die|das)|sind\s+(?:nur|die))\s"
)
_WHAT = re.compile(
    r",?\s+(?:(?:nur|auch)\s+)?(?:wer|eine?|der|die|das|jede[rs]?|alle|solche|diejenigen|[A-ZÄÖÜ]\w+|"
    r"[a-zäöü]\w+e[rns]?\s[A-ZÄÖÜ]\w+)\b|\s*:?\n"
)
_NO_NAME = re.compile(
    r"(?:\d+|Absatz|Absätze|Satz|Sätze|Nummer|Nr|Buchstabe|Artikel|Art|Anlage|Anhang|Beilage|Abschnitt|Kapitel|Teil|weggefallen|siehe|Stand|ABl|BGBl|"
    r"BAnz|E[UG]|EWG|Euratom|Datenelement|(?:Dies|Jen|Solch|Jed)\w*|Das|Die|Der|Es|Sie|Er|Keine?r?|Nicht|Soweit|Soll|Wenn|Insbesondere|Ist|Sind|Wer|Was|So|Auch|"
    r"Gleiches|Ausgenommen|Unberührt|Ziel|Aufgaben?|Zweck|Gegenstand|Voraussetzung|Anzugeben|Maßgeb\w+|Zuständig\w*|Erforderlichenfalls|Andernfalls|"
    r"(?:Da|Hier|Wo)(?:r?an|r?auf|r?aus|bei|durch|für|gegen|mit|nach|neben|r?über|r?um|r?unter|von|vor|zu|zwischen)|"
    r"Für|Bei|Beim|In|Im|Zu|Zur|Zum|Nach|Mit|Als|Auf|Von|Vom|An|Am|Aus|Über|Unter|Durch|Gegen|Während|Vor|Um|Bis|Seit|Ab)\b"
)
_CAPITAL = re.compile(r"[A-ZÄÖÜ]")
_SENTENCE = re.compile(r"\bim\s+Sinn|\b(?:ist|sind|wird|werden|hat|haben)\b", re.IGNORECASE)
_TABLE = " | "
_COMMON = 3
"""Chunks of a corpus beyond which words in brackets are no definition but a way of speaking, such as an abbreviation of another law."""


def defined(heading: str, text: str) -> tuple[Defined, ...]:
    """The terms that a text under this heading defines, in the order of the text; each once, in its surest form."""
    found: dict[str, Defined] = {}
    for one in sorted(_found(heading, text), key=lambda one: (FORMS.index(one.form), one.start)):
        found.setdefault(one.term, one)
    return tuple(sorted(found.values(), key=lambda one: one.start))


def _found(heading: str, text: str) -> Iterator[Defined]:
    starts = [match.end() for match in _SEGMENT.finditer(text)]
    defining = bool(_DEFINING.search(heading))
    if defining:
        yield from _named(_at(_SUBJECT, text, starts), "stated")
        yield from _named(_ITEM.finditer(text), "stated")
        yield from _named(_LABEL.finditer(text), "stated")
    else:
        yield from _headed(heading, text)
        yield from _named(_at(_SURE, text, starts), "stated")
        yield from _named(_at(_PLAIN, text, starts), "loose")
    if " Sinn" in text or "S. " in text:
        yield from _named(_at(_IN_THE_SENSE, text, starts), "stated")
        yield from _led(text, starts)
    if "nter " in text:
        yield from _named(_MEANT.finditer(text), "stated")
    if "(" in text and _TABLE not in text:
        yield from _named(_BRACKET.finditer(text), "bracketed")
    if "als " in text or "Als " in text:
        yield from _named(_at(_COUNTED, text, starts), "bracketed")
        yield from _named(_COUNTS_AS.finditer(text), "loose")


def _at(pattern: re.Pattern[str], text: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    """The matches that begin where a sentence or a line does."""
    return (match for start in starts if (match := pattern.match(text, start)))


def _named(matches: Iterable[re.Match[str]], form: Form) -> Iterator[Defined]:
    """The terms of these matches, where the words can be one: a noun among them, and none that begins another kind of sentence."""
    for match in matches:
        group = next(name for name, words in match.groupdict().items() if words is not None)
        bare = match[group].strip().strip(_OPEN + _CLOSE).strip()
        noun = _CAPITAL.search(bare) and not _NO_NAME.match(bare) and not _SENTENCE.search(bare)
        if noun and len(bare.split()) <= _LONGEST:
            start = match.start(group) + match[group].index(bare)
            yield Defined(bare, start, start + len(bare), form)


def _led(text: str, starts: Iterable[int]) -> Iterator[Defined]:
    """What follows "Im Sinne dieses Gesetzes ist": the term itself, or a numbered list of terms."""
    for match in _at(_LED, text, starts):
        if match["rest"].strip(" :"):
            yield from _named(filter(None, [_DIRECT.match(text, match.start("rest"), match.end("rest"))]), "stated")
        else:
            yield from _named(_ITEM.finditer(text, match.end()), "stated")


def _headed(heading: str, text: str) -> Iterator[Defined]:
    """A norm that is headed by a term and begins with what that is."""
    match = _SUBJECT.match(text)
    if match is not None and _WHAT.match(text, match.end()):
        heads = [words_of(part) for part in (heading, *re.split(r"[,;]| und ", heading))]
        yield from (one for one in _named([match], "stated") if words_of(one.term) in heads)


# --- in stock -----------------------------------------------------------------------------------------------------------

Definitions = dict[int, tuple[Defined, ...]]
"""The definitions of a corpus by the rows of its chunks; a chunk that defines nothing is not there."""


class _File(msgspec.Struct, frozen=True):
    rules: str
    chunks: Definitions


@cache
def rules() -> str:
    """The stamp of these rules: 16 hex digits, others after every change of their source."""
    return hashlib.sha256(files("retrieval").joinpath("definitions.py").read_bytes()).hexdigest()[:16]


def read(chunks: Iterable[Chunk]) -> Definitions:
    """The definitions of these chunks; a norm that is repealed defines nothing."""
    found = ((row, defined(chunk.heading, chunk.text)) for row, chunk in enumerate(chunks) if not chunk.repealed)
    return {row: definitions for row, definitions in found if definitions}


def stored_definitions(chunks: Iterable[Chunk]) -> bytes:
    """The definitions of these chunks with the stamp of the rules, as JSON."""
    return msgspec.json.encode(_File(rules(), read(chunks)))


def load_definitions(path: Path, chunks: Sequence[Chunk]) -> Definitions:
    """The stored definitions of a corpus; where there are none of these rules, they are read from the texts again."""
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_File)
        if stored.rules == rules() and all(0 <= row < len(chunks) for row in stored.chunks):
            return stored.chunks
        reason = f"they follow the rules {stored.rules}, expected {rules()}"
    except (OSError, msgspec.MsgspecError) as cause:
        reason = type(cause).__name__
    log.info("The definitions at %s are read from the texts: %s.", path, reason)
    return read(chunks)


class Terms:
    """The terms that the chunks of one corpus define, by their search words."""

    def __init__(self, definitions: Definitions) -> None:
        self._found: dict[tuple[str, ...], list[tuple[int, Defined]]] = {}
        for row, here in definitions.items():
            for one in here:
                if key := words_of(one.term):
                    self._found.setdefault(key, []).append((row, one))

    def __len__(self) -> int:
        return len(self._found)

    def find(self, terms: Sequence[str]) -> tuple[tuple[int, Defined], ...]:
        """Where the first of these terms that is defined here stands: rows and definitions, of the surest form alone, at most two."""
        for term in terms:
            found = self._found.get(words_of(term), [])
            surest = min((one.form for _, one in found), key=FORMS.index, default="")
            rows = {row: one for row, one in reversed(found) if one.form == surest}
            if rows and (surest == "stated" or len(rows) <= _COMMON):
                return tuple(sorted(rows.items()))[:_MOST]
        return ()


def defined_in(question: str, chunk: Chunk) -> Defined | None:
    """The definition in this chunk of the term that the question asks for; None where there is none."""
    return next((one for _, one in Terms(read([chunk])).find(asked(question))), None)

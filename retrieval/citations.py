"""The grammar of German citations: text in, citations out.

The scan runs once over the text. A trigger ("§", "Art.", "Anlage", "Absatz") opens a group, a group is a list of sections with their
sub-levels, and groups that are joined by "und", a comma or "i. V. m." form a chain over which the law at its end spreads. All blanks
are bounded, every character is read a bounded number of times: the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from retrieval.lawnames import law_after, law_at, law_before
from retrieval.plaintext import SPACES, Plain, Spans, ahead, is_inside, plain, quoted
from retrieval.sectionlist import (
    ANNEX,
    ANNEX_NUMBER,
    APPENDIX,
    ARTICLE,
    ITEM,
    RANGE,
    SECTION,
    close,
    former_behind,
    sections,
)
from retrieval.sublevels import BLANKS, JOIN, LINK_SIGNS, RELATIVE, Group, Member, levels, with_path


class Citation(msgspec.Struct, frozen=True, gc=False):
    """One section that a text names, with its sub-levels; several sub-levels of one section give several citations.

    ``start``/``end`` are the character span in the text, ``words`` the text there. ``unit`` is § · Artikel · Ziffer · Anlage · Anhang, or
    Absatz for a relative reference, whose ``section`` is empty. ``until`` is the last section of a range. ``container`` is "Anlage 11" (or
    "Artikel 247" where an article holds §§). ``law`` are the words that named the law, ``own`` says "dieses Vertrages" and the like,
    ``open_ended`` is "", "f" or "ff". ``spread`` marks that law or container stand only at a neighbour that is merely joined to this
    citation ("§ 5 und § 7 ApoG"): a reader may bind § 5 to the own text as well. ``quoted`` says that it stands between quotation marks
    or in a note of the editors, ``former`` that it means another version than the present one ("a. F."), ``locator`` that it tells the
    place in a commentary or a collection of decisions and not a norm ("SozR 3-2500 § 240 Nr. 6").
    """

    start: int
    end: int
    words: str
    unit: str
    section: str
    until: str | None = None
    container: str | None = None
    subsection: str | None = None
    sentence: str | None = None
    number: str | None = None
    letter: str | None = None
    law: str = ""
    own: bool = False
    open_ended: str = ""
    quoted: bool = False
    spread: bool = False
    half_sentence: str | None = None
    double_letter: str | None = None
    alternative: str | None = None
    former: bool = False
    locator: bool = False


# Every branch begins with a letter, so that the engine skips to the five letters at once; a common group in front costs six times as much.
_TRIGGER = re.compile(
    r"§|A(?:rt(?=[.i\s\d])|n(?:lage|l\.|hang|hänge|h\.)|bs(?:at|ät|ä\xad|\.|\s))|Paragra|Ziff|Abschnitt\s|Punkt\s|N(?:r\.|ummer\s)"
)
_HEAD_SECTION = re.compile(rf"(?:§{BLANKS}§?|Paragra(?:ph|f)(?:en|s)?){BLANKS}(?=\d)")
_HEAD_ARTICLE = re.compile(rf"Art(?:ikel[ns]?|\.)?{BLANKS}(?=\d|[IVXLC]{{1,6}}(?![\w.]))")
_HEAD_ITEM = re.compile(rf"(?:Ziff(?:ern?|\.)|(?:Abschnitt|Punkt|Nr\.|Nummer)(?={BLANKS}\d{{1,2}}\.\d)){BLANKS}(?=\d)")
_HEAD_ANNEX = re.compile(rf"(Anlagen?|Anl\.|Anhangs?|Anhängen?|Anh\.){BLANKS}(?:Nr\.{BLANKS})?(?=[\dIVXLA-H])")
_HEAD_RELATIVE = re.compile(rf"(?=Abs(?:atz(?:es)?|ä\xad?tzen?|\.)?{BLANKS}\d)")
_LINK = re.compile(
    rf"{BLANKS}(?=[,/ajiuosbm])(?:,?{BLANKS}(?:jeweils\s)?(?:auch\s)?{BLANKS}(?:in\s+Verbindung\s+mit|i\.?\s?V\.?\s?m(?:it|\.|(?!\w)))|,"
    rf"|/|und|oder|sowie|beziehungsweise|bzw\.|u\.|mit)(?:\s(?:und\s)?für\s(?:das|die|den)\s[A-ZÄÖÜ][a-zäöüß]{{2,30}}(?=\sdie))?"
    rf"(?:{BLANKS}(?:und|oder|sowie|auch|der|die|den|des|dem)(?=[\s§])){{0,3}}{BLANKS}(?=§|Art(?:ikel|\.)|Anlage|Anhang)"
)
_CONTAINER_BEFORE = re.compile(r"[^\S\n]{0,40}([,\n]?)[^\S\n]{0,40}(?=§)")
_OF_SECTION = re.compile(rf"{BLANKS}(?:des|von|der|in|zu)?{BLANKS}(?=§|Artikel)")
_OF_SIGNS = frozenset("dviz§A") | SPACES
_OF_ELSE = re.compile(rf"{BLANKS}(?:der|des)\s{{1,40}}(?![\w\s]{{0,30}}§)")
_LOCATOR_BEHIND = re.compile(r",?\s{1,3}(?:(?:Rn|Rdnr?|Rz|Randn(?:r|ummer)|Randziffer|Anm(?:erkung)?|Fn)(?:\.|\b)\s?\d)")
_LOCATOR_FRONT = re.compile(
    r"(?:SozR\s[\d-]{1,9}|Buchholz\s[\d.]{1,9}|(?:AP|EzA)\s[^§;]{0,30}\szu|Aufl(?:\.|age)[^§;]{0,12}|a\.?\s?a\.?\s?O\.?,?)$"
)
_LOCATOR_SIGNS = frozenset("RAF") | SPACES
_LOCATOR_ENDS = frozenset("0123456789u.,eO")
_OPENING = re.compile(r"de[mrs](?<=\w\sde\w)\s([^\n:.]{3,90}?)(?:\s(gelten|sind|finden)\s(?:[a-zäöü]{2,15}\s){0,3}entsprechend:\s|:\n)")
_NEXT_SENTENCE = re.compile(r"[.;]\s")
_NEXT_ITEM = re.compile(r"\n\s{0,9}\d{1,2}[a-z]?\.\s")


def citations(text: str) -> tuple[Citation, ...]:
    """All citations of ``text`` in its order. Pure, never raises, linear in the length of the text.

    The spans fit ``text`` as it was given, entities and odd blanks included.
    """
    found: list[Citation] = []
    source = plain(text)
    trigger = _TRIGGER.search(source.text)
    if trigger is None:
        return ()
    words = source.text
    quotes = quoted(words)
    pos = 0
    while trigger is not None:
        start = trigger.start()
        chain = _chain(words, start, pos) if start == 0 or not words[start - 1].isalnum() else []
        if chain:
            if chain[-1].plural:
                chain += _goes_on(words, chain[-1])
            _write(source, chain, quotes, found)
            pos = chain[-1].end
        trigger = _TRIGGER.search(words, pos if pos > start else start + 1)
    if found and ":" in words and (":\n" in words or "entsprechend:" in words):
        return tuple(_introduced(source, found))
    return tuple(found)


def _openings(source: Plain) -> Iterator[tuple[int, int, str]]:
    """Where a law named before a colon holds: "aus dem Asylgesetz:" with a list, "… des Vierten Buches gelten entsprechend:"."""
    words = source.text
    for line in _OPENING.finditer(words):
        law = law_at(words, line.start(1), article=True)
        if law and law.end == line.end(1):
            closing = (_NEXT_ITEM if line[2] is None else _NEXT_SENTENCE).search(words, line.end())
            end = source.end(closing.start() if closing else len(words))
            yield source.end(line.end()), end, source.name(law.words_start, law.end)


def _introduced(source: Plain, found: list[Citation]) -> Iterator[Citation]:
    """The citations, with the law of an opening for those behind it that name none."""
    openings = list(_openings(source))
    for citation in found:
        index = bisect_right(openings, (citation.start, len(source.given), "")) - 1
        if index >= 0 and citation.start < openings[index][1] and not (citation.law or citation.own or citation.unit == RELATIVE):
            citation = msgspec.structs.replace(citation, law=openings[index][2], spread=True)
        yield citation


def _chain(plain: str, start: int, floor: int) -> list[Group]:
    """The groups that begin at ``start`` and are joined to one another; ``floor`` is where the last chain ended."""
    group = _group(plain, start)
    if group is None:
        return []
    chain = [group]
    while group.law is None and ahead(plain, group.end) in LINK_SIGNS:
        link = _LINK.match(plain, group.end)
        following = _group(plain, link.end()) if link else None
        if following is None:
            break
        chain.append(following)
        group = following
    _spread(plain, chain, floor)
    if _is_locator(plain, start, group.end):
        for one in chain:
            one.locator = True
    return chain


def _is_locator(plain: str, start: int, end: int) -> bool:
    """Whether a section only tells the place in a commentary or in a collection of decisions."""
    if ahead(plain, end + (plain[end : end + 1] == ",")) in _LOCATOR_SIGNS and _LOCATOR_BEHIND.match(plain, end):
        return True
    before = plain[start - 2 : start - 1]
    if before.isalpha() and before not in _LOCATOR_ENDS:
        return False
    front = plain[max(0, start - 50) : start].rstrip()
    return bool(front) and front[-1] in _LOCATOR_ENDS and bool(_LOCATOR_FRONT.search(front))


def _goes_on(plain: str, group: Group) -> list[Group]:
    """ "§§ 46 Abs. 2 ArbGG, 91 Abs. 1 ZPO": behind a law a list goes on when the next number has a law of its own."""
    more: list[Group] = []
    while group.law and not group.law.own and group.law.start < 0:
        joined = JOIN.match(plain, group.end)
        following = sections(plain, joined.end(), joined.end(), group.unit, plural=True) if joined else None
        if following is None or following.law is None or following.law.own:
            break
        more.append(following)
        group = following
    return more


def _spread(plain: str, chain: list[Group], floor: int) -> None:
    """Give the law at the end of the chain, or the one in front of it, to the groups that name none."""
    law = chain[-1].law
    if law is None and chain[0].unit != RELATIVE:
        law = law_before(plain, chain[0].members[0].start, floor)
        if law is not None and law.start >= 0:
            chain[0].members[0].start = law.start
        for group in chain:
            group.law = law
        return
    for group in chain[:-1]:
        if group.unit != RELATIVE:
            group.law, group.spread = law, True


def _group(plain: str, start: int) -> Group | None:
    """The group that begins at ``start``; its first two letters tell its kind."""
    opening = plain[start : start + 2]
    if opening[0] == "§" or opening == "Pa":
        head = _HEAD_SECTION.match(plain, start)
        return sections(plain, start, head.end(), SECTION, plural=head[0].count("§") > 1) if head else None
    if opening == "Ar":
        head = _HEAD_ARTICLE.match(plain, start)
        return _article(plain, start, head) if head else None
    if opening == "An":
        head = _HEAD_ANNEX.match(plain, start)
        return _annex(plain, start, head) if head else None
    if opening == "Ab" and _HEAD_RELATIVE.match(plain, start):
        return _relative(plain, start)
    return _item(plain, start)


def _item(plain: str, start: int) -> Group | None:
    head = _HEAD_ITEM.match(plain, start)
    return sections(plain, start, head.end(), ITEM, plural=head[0].startswith("Ziffern")) if head else None


def _article(plain: str, start: int, head: re.Match[str]) -> Group | None:
    """Articles; an article that is followed by "§" is a container (Artikel 247 § 13 of the EGBGB)."""
    group = sections(plain, start, head.end(), ARTICLE, plural=head[0].startswith("Artikeln"))
    if group is None:
        return None
    group.bare = head[0].strip() == "Art"
    last = group.members[-1]
    inner = _CONTAINER_BEFORE.match(plain, last.end) if len(group.members) == 1 and not last.path and not group.law else None
    nested = _group(plain, inner.end()) if inner and not inner[1] else None
    return _inside(nested, start, f"Artikel {last.section}") if nested else group


def _inside(group: Group, start: int, container: str) -> Group:
    group.container = container
    group.members[0].start = start
    return group


def _annex(plain: str, start: int, head: re.Match[str]) -> Group | None:
    """One annex or several; an annex that is followed by "§" is the container of that section."""
    if plain[max(0, start - 14) : start].rstrip().endswith(("Technische", "Technischen", "Technischer")):
        return None
    number = ANNEX_NUMBER.match(plain, head.end())
    if number is None:
        return None
    word = "Anlage" if head[1].startswith("Anl") else "Anhang"
    inner = _CONTAINER_BEFORE.match(plain, number.end())
    nested = _group(plain, inner.end()) if inner and not (inner[1] and "Nr" in head[0]) else None
    if nested and inner:
        nested.spread = bool(inner[1])
        return _inside(nested, start, f"{word} {number[0]}")
    group = Group(ANNEX if word == "Anlage" else APPENDIX)
    group.members.append(Member(start, number.end(), number[0]))
    pos = _further_annexes(plain, number.end(), group) if head[1] in ("Anlagen", "Anhänge", "Anhängen") else number.end()
    return close(plain, group, pos)


def _further_annexes(plain: str, pos: int, group: Group) -> int:
    """The other numbers of "Anlagen 1, 3 und 5 bis 7"."""
    while True:
        last = group.members[-1]
        until = None if last.until else RANGE.match(plain, pos)
        step = until or JOIN.match(plain, pos)
        following = ANNEX_NUMBER.match(plain, step.end()) if step and step[0][-1].isspace() else None
        if following is None:
            return pos
        if until:
            last.until, last.end = following[0], following.end()
        else:
            group.members.append(Member(following.start(), following.end(), following[0]))
        pos = following.end()


def _relative(plain: str, start: int) -> Group | None:
    """ "Absatz 2 Satz 1": the own section, or the one named behind it ("Absatz 2 des § 129"); nothing if it is of something else."""
    group = Group(RELATIVE)
    group.members.append(Member(start, start, ""))
    pos = levels(plain, start, group, plural=False)
    group.members[0].start = start
    of_section = _OF_SECTION.match(plain, pos) if ahead(plain, pos) in _OF_SIGNS else None
    if of_section and (nested := _group(plain, of_section.end())) and not nested.members[0].path:
        first = nested.members[0]
        nested.members[:1] = [with_path(first, start, first.end, member.path) for member in group.members]
        return nested
    if not group.members[0].path:
        return None
    law = law_after(plain, pos)
    if (law and not law.own) or (not law and _OF_ELSE.match(plain, pos)):
        group.members.clear()
        group.end = pos
    else:
        group.end = former_behind(plain, group, pos)
    return group


def _write(source: Plain, chain: list[Group], quotes: Spans, found: list[Citation]) -> None:
    """Turn the groups into citations."""
    for group in chain:
        law = group.law
        if group.bare and law is None and not group.members[0].path:
            continue
        own = bool(law and law.own)
        name = source.name(law.words_start, law.words_end or law.end) if law and not own else ""
        for member in group.members:
            levels: list[str | None] = [None] * 7
            for kind, value in member.path + member.extras:
                levels[kind] = value
            subsection, sentence, number, letter, half_sentence, double_letter, alternative = levels
            start, end = source.span(member.start, member.end)
            # In the order of the fields: names would cost six times as much, a third of the time of this loop.
            found.append(
                Citation(
                    start,
                    end,
                    source.given[start:end],
                    group.unit,
                    member.section,
                    member.until,
                    group.container,
                    subsection,
                    sentence,
                    number,
                    letter,
                    name,
                    own,
                    member.open,
                    bool(quotes) and is_inside(member.start, quotes),
                    group.spread,
                    half_sentence,
                    double_letter,
                    alternative,
                    group.former,
                    group.locator,
                )
            )

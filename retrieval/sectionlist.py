"""Lists of sections with their sub-levels, as German texts write them: "§§ 129a, 130a Abs. 8, 131", with container, law and version.

All patterns are anchored and bounded, so that a list is read in time linear in its length.
"""

from __future__ import annotations

import re
from typing import Final

from retrieval.lawnames import LAW_SIGNS, law_after
from retrieval.plaintext import ahead
from retrieval.sublevels import (
    BLANKS,
    FORMER_SIGNS,
    JOIN,
    JOIN_SIGNS,
    LETTER,
    OPEN,
    OPEN_SIGNS,
    RANGE_SIGNS,
    SENTENCE_GOES_ON,
    SUB,
    TAIL_SIGNS,
    Group,
    Member,
    letter_behind,
    levels,
    section_key,
)

SECTION: Final = "§"
ARTICLE: Final = "Artikel"
ITEM: Final = "Ziffer"
ANNEX: Final = "Anlage"
APPENDIX: Final = "Anhang"
ANNEX_NUMBER = re.compile(r"(?:\d{1,3}(?:\.\d{1,2})?[a-z]?|[IVXL]{1,6}[a-z]?|[A-H])(?!\w|/\d|\.\d)")
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,3}){0,4}(?:[a-z]{1,2}\d{0,2}|[A-Z])?(?!\w)|\d{1,4}(?=[A-ZÄÖÜ][A-Za-z.])")
_ROMAN_NUMBER = re.compile(r"[IVXLC]{1,6}(?![\w.])")
RANGE = re.compile(
    rf"{BLANKS}(?:bis(?:\s+(?:einschließlich|zu[mr]?))?\s{{1,40}}|[-–—]{BLANKS})(?:§{{1,2}}{BLANKS}|Art(?:ikel|\.)\s{{0,9}})?(?=\d|[IVX]+\b)"
)
_DATED_VERSION = r"(?:in (?:de[rn]|ihrer|seiner)|idF|i\.\s?d\.\s?F\.)\s(?:jeweils\s|de[rs]\s)?(?:bis|vor|am|vom|ab|seit)\s"
_FORMER = re.compile(
    r"\s{1,40}(?:a\.?\s?F(?:\.|(?!\w))|in der (?:alten|früheren|ursprünglichen|damaligen|seinerzeitigen)\s[^§;.()]{0,40}?Fassung"
    rf"|{_DATED_VERSION}[^§;()]{{0,80}}?(?:Fassung(?:en)?(?!\w)|\d{{4}}(?!\s[a-zäöü]|\w)))"
)
_FORMER_ASIDE = re.compile(rf"\s{{0,40}}\((?:a\.?\s?F\b|{_DATED_VERSION})")
_CLOSING_SIGNS = FORMER_SIGNS | LAW_SIGNS
_MEASURE = re.compile(
    r"\s{0,9}(?:Tag|Woche|Monat|Jahr|Stunde|Minute|Euro|Cent|DM|EUR|Prozent|%|Stück|Packung|Mitglied|Person|Apotheke|Zeichen|Seite)"
)
_IN_ANNEX = re.compile(
    rf"{BLANKS}(?:Kapitel|Teil|Abschnitt|Ziffern?|Nummern?|Nr\.|Nrn\.|Satz|Tabelle|Spalte|Buchstaben?|Punkt)\s{{1,9}}(?:[\dIVXA-Z]|[a-z](?!\w)){{1,5}}"
    r"(?:\.\d{1,3}){0,4}\.?(?:\s(?:und|oder|bis)\s\d{1,3}(?:\.\d{1,3}){0,4}\.?)?(?![\w])"
)
_FOLLOWS = re.compile(
    r"\s{0,40}(?:$|[.,;:)\]/–—-]|§|(?:und|oder|sowie|bis|bzw|beziehungsweise|ff?)\b|(?i:abs|satz|s\.|nr|nummer|buchst|lit)|i\.?\s?V)"
)
_NOUN_FOLLOWS = re.compile(r"\s{0,40}[A-ZÄÖÜ%]")
_CONTAINER_AFTER = re.compile(
    rf"{BLANKS}(?:der|des|in|in\s+der|zur|zu|aus|aus\s+der|von|von\s+der)?{BLANKS}(Anlage|Anhangs?){BLANKS}({ANNEX_NUMBER.pattern})"
)


def sections(plain: str, start: int, pos: int, unit: str, plural: bool) -> Group | None:
    """The list of sections that begins at ``pos`` with a number."""
    group = Group(unit, plural)
    read = _number(plain, pos, unit)
    if read is None:
        return None
    while read:
        member, pos = read
        if not group.members:
            member.start = start
        group.members.append(member)
        pos = levels(plain, pos, group, plural)
        joined = JOIN.match(plain, pos) if ahead(plain, pos) in JOIN_SIGNS else None
        read = _number(plain, joined.end(), unit) if joined and _is_section(plain, joined, plural) else None
    return close(plain, group, pos)


def close(plain: str, group: Group, pos: int) -> Group:
    """Read the container and the law behind the list."""
    annex = group.unit in (ANNEX, APPENDIX)
    while annex and (inner := _IN_ANNEX.match(plain, pos)):
        pos = inner.end()
    if ahead(plain, pos) not in _CLOSING_SIGNS:
        group.end = pos
        return group
    pos = former_behind(plain, group, pos)
    law = law_after(plain, pos)
    container = None if law or annex or group.container or plain.find("An", pos, pos + 60) < 0 else _CONTAINER_AFTER.match(plain, pos)
    if container:
        group.container = f"{container[1].removesuffix('s')} {container[2]}"
        group.members[-1].end = pos = container.end()
        law = law_after(plain, pos)
    if law:
        last = group.members[-1]
        last.end = pos = law.end
        if not law.own and not last.path and not annex and SUB.match(plain, pos):
            pos = levels(plain, pos, group, plural=False)
        pos = former_behind(plain, group, pos)
    group.law, group.end = law, pos
    return group


def former_behind(plain: str, group: Group, pos: int) -> int:
    """Take the words that name a former version into the citation; in brackets they only tell."""
    if ahead(plain, pos) not in FORMER_SIGNS:
        return pos
    if former := _FORMER.match(plain, pos):
        group.former = True
        group.members[-1].end = pos = former.end()
    elif plain[pos + 1 : pos + 2] == "(" and _FORMER_ASIDE.match(plain, pos):
        group.former = True
    return pos


def _number(plain: str, pos: int, unit: str) -> tuple[Member, int] | None:
    """One section number with its letter, its "ff." and its range."""
    match = _NUMBER.match(plain, pos) or (_ROMAN_NUMBER.match(plain, pos) if unit == ARTICLE else None)
    if match is None:
        return None
    number, end = match[0], match.end()
    member = Member(pos, end, number)
    if number[-1].isdigit() and ahead(plain, end) not in TAIL_SIGNS:
        return member, end
    if number[-1] == "f" and (number.endswith("ff") or _f_is_following(plain, end)):
        member.section, member.open = number.rstrip("f"), "ff" if number.endswith("ff") else "f"
        end += plain[end : end + 1] == "."
    elif number[-1].isdigit() and (letter := letter_behind(plain, pos, end)):
        member.section, end = number + letter[1], letter.end()
    elif ahead(plain, end) in OPEN_SIGNS and (opened := OPEN.match(plain, end)):
        member.open, end = opened[1], opened.end()
    if number[-1].isupper() and number[0].isdigit():
        member.section = number.lower()
    if not member.open and ahead(plain, end) in RANGE_SIGNS and (until := RANGE.match(plain, end)):
        last = _NUMBER.match(plain, until.end()) or _ROMAN_NUMBER.match(plain, until.end())
        if last and section_key(last[0]) > section_key(member.section):
            member.until, end = last[0].lower() if last[0][0].isdigit() else last[0], last.end()
            if letter := LETTER.match(plain, end):
                member.until, end = member.until + letter[1], letter.end()
    member.end = end
    return member, end


def _f_is_following(plain: str, end: int) -> bool:
    """Whether the "f" of "129f." means "and the following": a dot in the middle of a sentence says so."""
    return bool(SENTENCE_GOES_ON.match(plain, end))


def _is_section(plain: str, joined: re.Match[str], plural: bool) -> bool:
    """Whether the number behind a joint goes on with the list; "§ 31, 14 Tage" does not."""
    number = _NUMBER.match(plain, joined.end())
    if number is None:
        return False
    end = number.end()
    if _FOLLOWS.match(plain, end) or LETTER.match(plain, end) or law_after(plain, end) or _CONTAINER_AFTER.match(plain, end):
        return True
    if _NOUN_FOLLOWS.match(plain, end):
        return plural and joined[0].strip().isalpha() and not _MEASURE.match(plain, end)
    return plural or not joined[0].lstrip().startswith((",", ";"))

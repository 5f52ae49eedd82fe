"""The sub-levels of a section, as German texts write them: "Abs. 1 Satz 2 Nr. 3 und 4", "IV 1", "(2)", "erster Halbsatz".

A bare number in a list is a further sub-level or a further section; what follows it and its size decide. All patterns are anchored and
bounded, so that a list is read in time linear in its length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

from retrieval.lawnames import Law, law_after
from retrieval.plaintext import SPACES, ahead

RELATIVE: Final = "Absatz"
BLANKS = r"\s{0,40}+"  # taken whole, as nothing that follows begins with a blank
LETTER = re.compile(
    r"\s{1,2}([a-eg-z])(?![\w.])(?!\s?V\b)"
    r"(?=\s{0,9}(?:$|[,;:)/–-]|\(\d|[A-ZÄÖÜ§]|(?:und|oder|bis|sowie|bzw|des|der|im|in|dieses|dieser|ff?|i)\b))"
)
OPEN = re.compile(r"\s{0,9}(ff?)(?![\w)])\.?")
SENTENCE_GOES_ON = re.compile(r"\.\s{1,3}(?:[a-zäöü]|[A-Z]+[a-z]*[A-Z])")
SUB = re.compile(
    rf"{BLANKS}([Aa]bs(?:atz(?:es)?|ä\xad?tzen?|\.|(?=\s{{0,9}}\d))|[Aa]b\.|[Ss](?:atz(?:es)?|ä\xad?tzen?|\.|(?=\s{{0,9}}\d))"
    rf"|[Nn](?:ummern?|rn?\.|rn?(?=\s{{0,9}}\d))|[Zz]iff(?:ern?|\.)|[Bb]uchst(?:aben?|\.)?|[Ll]it(?:era|\.)?|[Bb]st\.?){BLANKS}"
    r"(\d{1,3}[a-z]{0,2}|[a-z]{1,2}|eins|zwei|drei)(?:(?!\w|/\d|\.\d)|(?=S\.?\s?\d|Nr|Buchst|[A-ZÄÖÜ]{2}|[A-ZÄÖÜ][a-zäöü]{1,9}[A-Z](?![a-z])))"
)
_SUB_VALUE = re.compile(r"(\d{1,3}[a-z]{0,2}|[a-z]{1,2})(?!\w|/\d|\.\d)")
_DOUBLE = re.compile(r"\s{1,3}(([a-z])\2)(?:\)|(?<!ff)(?![\w.)]))")
_SUB_RANGE = re.compile(rf"{BLANKS}(?:bis\s{{1,40}}|[-–—]{BLANKS})(?=\d|[a-z]{{1,2}}\b)")
# Behind "§ 5 (1)" an ordinary word begins the text of that Absatz, so that this is a heading; a sub-level or a law goes on.
_GOES_ON = (
    r"Satz|Nr|Nummer|Buchst|[A-ZÄÖÜ][\w-]{0,20}[A-ZÄÖÜ]"
    r"|[A-ZÄÖÜ][a-zäöüß-]{2,40}(?:gesetz(?:buch)?|ordnung)(?!\w)|[A-Z][a-zäöü]{3,11}es\sBuch"
)
_BRACKET_SUB = re.compile(rf"\s{{0,9}}\((\d{{1,2}}[a-z]?)\)(?!\s{{0,9}}(?!{_GOES_ON})[A-ZÄÖÜ][a-zäöü])")
_ROMAN_SUB = re.compile(r"\s([IVX]{1,5})([a-z])?(?:\s(\d{1,2}))?(?![\w.])")
_EXTRA = re.compile(
    r"[\s,]{0,40}+(?=[\dezdlHTAVUDSa])(?:(\d(?=\.)|erste|zweite|dritte|vierte|letzte)(?:\.|[rns]?)\s{0,9}"
    r"(Halbsatz|Teilsatz|Halbs\.?|Hs\.?|Alternative|Alt\.?|Var\.?|Spiegelstrich|Satz)(?!\w)"
    r"|(Halbsatz|Teilsatz|Halbs\.?|Hs\.?|Alternative|Alt\.|Variante|Var\.|Unterabs(?:atz|\.)|UAbs\.?|Doppelbuchst(?:aben?|\.)|Spiegelstrich)"
    r"\s{0,9}([\da-z]{1,3})(?!\w)|Teil\s{1,9}[A-Z\d](?!\w)|a\.\s?E\.)"
)
_ORDINALS = {"erste": "1", "zweite": "2", "dritte": "3", "vierte": "4", "eins": "1", "zwei": "2", "drei": "3"}
_EXTRA_KINDS = {"Hal": 4, "Hs": 4, "Hs.": 4, "Tei": 4, "Dop": 5, "Alt": 6, "Var": 6}
_WITH = re.compile(
    rf",?{BLANKS}(?:jeweils\s)?(?:auch\s)?(?:in\s+Verbindung\s+mit|i\.?\s?V\.?\s?m(?:it\b|\.|(?!\w))|mit\s+Ausnahme\s+(?:des|der|von))\s{{1,40}}(?=[ASNB])"
)
JOIN = re.compile(
    rf"{BLANKS}(?:[,;/+&]\s{{0,40}}(?:(?:und|oder|sowie|auch)\s{{1,40}})?|(?:und|oder|sowie|beziehungsweise|bzw\.|u\.|o\.)\s{{1,40}})"
    r"(?!(?<=\n)[\da-z]{1,3}[.)])"
)
_LEVELS = {"a": 0, "s": 1, "n": 2, "z": 2, "b": 3, "l": 3, "A": 0, "S": 1, "N": 2, "Z": 2, "B": 3, "L": 3}
_DIGITS = re.compile(r"\d{1,9}")
_LIMIT = 60
Path = tuple[tuple[int, str], ...]
_ROMANS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
# With which signs a pattern can go on behind a blank; a look at the sign spares most of the patterns that cannot match.
_SUB_SIGNS = frozenset("AaSsNnZzBbLl") | SPACES
_SHORT_SIGNS = frozenset("(IVXLC") | SPACES
_EXTRA_SIGNS = frozenset(",0123456789ezdvlHTAVUDSa") | SPACES
JOIN_SIGNS = frozenset(",;/+&uosbijam") | SPACES
_LEVEL_SIGNS = _SUB_SIGNS | _EXTRA_SIGNS | JOIN_SIGNS
LINK_SIGNS = frozenset(",/ajiuosbm") | SPACES
RANGE_SIGNS = frozenset("b-–—") | SPACES
OPEN_SIGNS = frozenset("f") | SPACES
TAIL_SIGNS = RANGE_SIGNS | frozenset("abcdefghijklmnopqrstuvwxyz")
FORMER_SIGNS = frozenset("ai(") | SPACES


class Member(msgspec.Struct, gc=False):
    """One section of a group while it is read."""

    start: int
    end: int
    section: str
    path: Path = ()
    until: str | None = None
    open: str = ""
    extras: Path = ()


class Group(msgspec.Struct, gc=False):
    """A unit and its sections, such as "§§ 129a, 130a Abs. 8, 131"."""

    unit: str
    plural: bool = False
    members: list[Member] = []
    container: str | None = None
    law: Law | None = None
    end: int = 0
    bare: bool = False
    spread: bool = False
    former: bool = False
    locator: bool = False


@lru_cache(maxsize=4096)
def section_key(number: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts section numbers as statutes do: 129 < 129a < 130 < 1300; 4.2 < 4.10; Roman numbers by their value."""
    return tuple(_part_key(part) for part in number.split("."))


def _part_key(part: str) -> tuple[int, str]:
    digits = _DIGITS.match(part)
    if digits:
        return int(digits[0]), part[digits.end() :].lower()
    return (_roman(part), "") if part and all(letter in _ROMANS for letter in part) else (0, part.lower())


def _roman(word: str) -> int:
    values = [_ROMANS[letter] for letter in word]
    return sum(-v if any(v < later for later in values[i + 1 : i + 2]) else v for i, v in enumerate(values))


def with_path(member: Member, start: int, end: int, path: Path) -> Member:
    other = Member(start, end, member.section, path)
    other.until, other.open = member.until, member.open
    return other


def letter_behind(plain: str, pos: int, end: int) -> re.Match[str] | None:
    """The letter behind the number from ``pos`` to ``end`` that a blank parts from it ("§ 12 a")."""
    if len(word := plain[end + 1 : end + 3]) == 2 and word.isalpha():
        return None
    letter = LETTER.match(plain, end)
    return letter if letter and _belongs(plain, pos, letter.end()) else None


def _belongs(plain: str, pos: int, end: int) -> bool:
    """Whether the letter before ``end`` is part of the number: "§ 124 a)" is Buchstabe a unless the bracket was opened before."""
    if plain[end : end + 1] != ")":
        return True
    before = plain[max(0, pos - 60) : pos]
    return before.rfind("(") > before.rfind(")")


def levels(plain: str, pos: int, group: Group, plural: bool) -> int:
    """Read the sub-levels of the last member; each further value ("Abs. 1, 2 und 4") becomes a member of its own."""
    if group.unit != RELATIVE and ahead(plain, pos) in _SHORT_SIGNS:
        pos = _short_form(plain, pos, group)
    while (sign := ahead(plain, pos)) in _LEVEL_SIGNS:
        member = group.members[-1]
        if sign in _SUB_SIGNS and (sub := SUB.match(plain, pos)):
            word, value = sub.groups()
            level, value = _LEVELS[word[0]], _ORDINALS.get(value, value)
            if level == 3 and member.path and member.path[-1][0] == 3 and len(value) == 2 and value[0] == value[1]:
                member.extras, pos, member.end = (*member.extras, (5, value)), sub.end(), sub.end()
                continue
            if (level == 3) == value[0].isalpha():
                pos = _value(plain, sub.end(), group, member, (*member.path, (level, value)))
                continue
        if sign in _EXTRA_SIGNS and (extra := _EXTRA.match(plain, pos)):
            pos = member.end = extra.end()
            member.extras += _extra(extra)
            continue
        following = _further(plain, pos, group, plural) if member.path and sign in JOIN_SIGNS else None
        if following is None:
            return pos
        pos = following
    return pos


def _short_form(plain: str, pos: int, group: Group) -> int:
    """The Absatz without its word, "§ 280 I 2" or "§ 5 (1)"."""
    if plain[pos + 1 : pos + 2] in _ROMANS and (roman := _ROMAN_SUB.match(plain, pos)):
        return _romans(plain, roman, group)
    bracket = _BRACKET_SUB.match(plain, pos)
    return _value(plain, bracket.end(), group, group.members[-1], ((0, bracket[1]),)) if bracket else pos


def _extra(match: re.Match[str]) -> Path:
    """The Halbsatz (4), Doppelbuchstabe (5) or Alternative (6) that was read; nothing for what has no place in a citation."""
    word, value = (match[2], match[1]) if match[2] else (match[3] or "", match[4])
    kind = _EXTRA_KINDS.get(word[:3])
    return ((kind, _ORDINALS.get(value, value)),) if kind and value != "letzte" else ()


def _romans(plain: str, roman: re.Match[str], group: Group) -> int:
    """The short form of the courts, "§ 280 I 2, III": a Roman number is the Absatz, a number behind it the Satz."""
    member: Member | None = group.members[-1]
    match: re.Match[str] | None = roman
    end = roman.end()
    while match:
        if member is None:
            member = Member(match.start(1), end, group.members[-1].section)
            group.members.append(member)
        absatz = (0, f"{_roman(match[1])}{match[2] or ''}")
        member.path, member.end = (absatz, (1, match[3])) if match[3] else (absatz,), match.end()
        end, member = match.end(), None
        joined = JOIN.match(plain, end)
        match = _ROMAN_SUB.match(plain, joined.end() - 1) if joined and joined[0][-1].isspace() else None
    return end


def _value(plain: str, end: int, group: Group, member: Member, path: Path) -> int:
    """Take one value of a sub-level, with its letter, its "ff." and its range, into the group."""
    level, value = path[-1]
    if level != 3 and value[-1] != "f" and ahead(plain, end) not in TAIL_SIGNS:
        member.path, member.end = path, end
        return end
    if level != 1 and value[-1].isdigit() and (letter := letter_behind(plain, end, end)):
        value, end = value + letter[1], letter.end()
    if value[-1] == "f" and value[0].isdigit() and (value.endswith("ff") or SENTENCE_GOES_ON.match(plain, end)):
        value = value.rstrip("f")
    elif ahead(plain, end) in OPEN_SIGNS and (opened := OPEN.match(plain, end)):
        end = opened.end()
    if level == 3:
        if plain[end : end + 1] == ")" and (SUB.match(plain, end + 1) or law_after(plain, end + 1)):
            end += 1
        if double := _DOUBLE.match(plain, end):
            member.extras, end = (*member.extras, (5, double[1])), double.end()
    member.path, member.end = (*path[:-1], (level, value)), end
    if ahead(plain, end) not in RANGE_SIGNS or not (step := _SUB_RANGE.match(plain, end)):
        return end
    last = _SUB_VALUE.match(plain, step.end())
    if last and section_key(value) < section_key(last[1]) and len(values := _between(value, last[1])) > 1:
        member.end = end = last.end()
        group.members += [with_path(member, member.start, end, (*path[:-1], (level, between))) for between in values[1:]]
    return end


def _between(first: str, last: str) -> list[str]:
    """The values of a range of sub-levels as far as they can be counted: 1 to 3, a to d, 2a to 2c, 1 to 3a."""
    low, high = section_key(first)[0], section_key(last)[0]
    if low[0] == high[0]:
        letters = range(ord(low[1] or "`"), ord(high[1][:1] or "`") + 1) if len(low[1]) < 2 and len(high[1]) == 1 else range(0)
        return [f"{low[0] or ''}{chr(code).strip('`')}" for code in letters]
    if high[0] - low[0] > _LIMIT:
        return []
    return [first, *(str(n) for n in range(low[0] + 1, high[0] + 1)), *([last] if high[1] else [])]


def _further(plain: str, pos: int, group: Group, plural: bool) -> int | None:
    """A further value or sub-level behind a joint, or None where the list of sub-levels ends."""
    joined = JOIN.match(plain, pos)
    if joined is None:
        joined = _WITH.match(plain, pos)
        if joined is None or not SUB.match(plain, joined.end()):
            return None
    member, path = group.members[-1], None
    if (sub := SUB.match(plain, joined.end())) and ((level := _LEVELS[sub[1][0]]) == 3) == sub[2][0].isalpha():
        path, end = (*_above(member.path, level), (level, sub[2])), sub.end()
    elif value := _SUB_VALUE.match(plain, joined.end()):
        path, end = _path_of(plain, value, group, plural), value.end()
    if path is None:
        return None
    new = Member(joined.end(), end, member.section, path)
    group.members.append(new)
    return _value(plain, end, group, new, path)


def _above(path: Path, level: int) -> Path:
    """The part of a path that stays when a sub-level of this kind is named anew."""
    for index, (kind, _) in enumerate(path):
        if kind == level:
            return path[:index]
    return tuple(step for step in path if step[0] < level)


def _path_of(plain: str, value: re.Match[str], group: Group, plural: bool) -> Path | None:
    """The path of a bare value in a list, or None when it is a section: a sub-level behind it, or its size, tells."""
    member = group.members[-1]
    if value[1][0].isalpha() != (member.path[-1][0] == 3):
        return None
    path, end = member.path, value.end()
    letter = LETTER.match(plain, end)
    end = letter.end() if letter else end
    if sub := SUB.match(plain, end):
        level = _LEVELS[sub[1][0]]
        path = _above(path, level) if any(kind == level for kind, _ in path) else path
        if not path:
            return None
    if value[1][0].isdigit() and group.unit != RELATIVE:
        key, section, before = (
            section_key(plain[value.start() : end].replace(" ", "")),
            section_key(member.section),
            section_key(path[-1][1]),
        )
        far = key[0][0] > before[0][0] + 25
        if key > section and (plural or far):
            return None
    return (*path[:-1], (path[-1][0], value[1]))

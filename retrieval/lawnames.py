"""How German texts name a law beside a citation: "SGB V", "des Fünften Buches", "der Hausordnung", "dieses Vertrages".

Only the form is judged here, not whether the law is known: a law that nobody knows must still be seen, so that its sections are not
looked up in the own text. All patterns are anchored and bounded.
"""

from __future__ import annotations

import re

import msgspec

from retrieval.plaintext import SPACES, ahead


class Law(msgspec.Struct, frozen=True, gc=False):
    """Where a law is named: its words run from ``words_start`` to ``end``.

    ``own`` means that they point to the own text. ``start`` is where the citation begins if the law stands in front of it, else -1.
    ``words_end`` lies beyond ``end`` if a citation belongs to the name ("Rahmenvertrag nach § 129"), else it is 0.
    """

    words_start: int
    end: int
    own: bool = False
    start: int = -1
    words_end: int = 0


_W = r"[\wäöüß\xad]"
_UP = r"[A-ZÄÖÜ]"
_ORDINAL = (
    r"(?:(?:Erst|Zweit|Dritt|Viert|Fünft|Sechst|Sieb(?:en)?t|Acht|Neunt|Zehnt|Elft|Zwölft|Dreizehnt|Vierzehnt|Fü\xadnft|Zwö\xadlft)(?:e[nsr]?)?"
    r"|\d{1,2}\.)"
)
_SGB = (
    rf"{_ORDINAL}\s{{1,9}}(?:Buche?s?)(?:\s{{1,9}}(?:des\s+)?(?:Sozialgesetzbuch(?:e?s)?|SGB))?(?:\s{{0,9}}\(?[–-]?\s?SGB\s?[IVX]{{1,5}}\)?(?!\w))?"
    rf"|SGB\s{{1,9}}{_ORDINAL}\s{{1,9}}Buch"
    r"|Sozialgesetzbuch(?:e?s)?\s{0,9}\(SGB\s?(?:[IVX]{1,5}|\d{1,2})\)"
    r"|SGB[\s-]{0,3}(?:[IVX]{1,5}|\d{1,2})(?!\w)|SGB(?!\w)"
    rf"|Sozialgesetzbuch(?:e?s)?(?:\s{{0,9}}\(SGB\))?\s{{0,9}}[,–-]?\s{{0,9}}(?:{_ORDINAL}\s{{1,9}}Buche?s?(?:\s\([IVX]{{1,5}}\))?|[IVX]{{1,5}}(?!\w))"
    r"|Buche?s?\s[IVX]{1,5}\s(?:des\s)?(?:Sozialgesetzbuch(?:e?s)?|SGB)"
)
_EU = (
    r"(?:[A-ZÄÖÜ][\w-]{2,40}en\s)?(?:Verordnung|Richtlinie|Durchführungsverordnung|VO|RL)\s{0,9}(?:\((?:EU|EG|EWG|Euratom)[^()]{0,20}\))?"
    r"\s{0,9}(?:Nr\.\s{0,9})?\d{1,4}/\d{1,4}(?:/(?:EU|EG|EWG))?"
)
_SUFFIX = (
    r"(?:[Gg]esetz(?:buch(?:e?s|e)?|e?s)?|[Oo]rdnung|[Vv]ertrag(?:e?s)?|[Vv]ereinbarung|[Rr]ichtlinien?|[Ss]atzung|[Aa]bkommens?"
    r"|[Üü]bereinkommens?|[Ss]tatuts?|[Vv]erfassung|[Kk]onvention|[Vv]orschrift|[Bb]estimmung(?:en)?|[Ee]ntscheidung|[Rr]eglements?|[Kk]odex|[Ee]mpfehlung(?:en)?|[Bb]ekanntmachung|[Tt]axe|[Ll]eitlinien?)"
)
_COMPOUND = (
    r"(?!(?:An|Zu|Ab|Ein|Neu|Unter|Über|Bei|Größen|Tages|Rang|Haupt)ordnung|Arzneimittelverordnung|Heilmittelverordnung)"
    rf"{_UP}[\w\xad-]{{1,60}}{_SUFFIX}(?!\w)"
)
_PARTICIPLE = (
    r"(?:bestimmt|genannt|vorgesehen|gemacht|ergebend|vorgeschrieben|erlassen|geregelt|bezeichnet|aufgeführt|festgelegt|geltend|enthalten)"
)
_ADJECTIVES = rf"(?:(?!{_PARTICIPLE})[a-zäöü]{{3,25}}e[nrs]\s{{1,9}}|{_UP}[a-zäöüß\xad]{{2,25}}(?:e[nrs]|liche)\s{{1,9}}){{0,3}}"
_PAIR = rf"{_UP}[\w\xad-]{{1,50}}-(?:\s?,\s?{_UP}[\w\xad-]{{1,50}}-){{0,3}}\s(?:und|oder)\s-?"
_WRITTEN = (
    rf"(?:{_PAIR}[\w\xad-]{{0,60}}{_SUFFIX}(?!\w)|{_COMPOUND}|{_ADJECTIVES}(?:{_COMPOUND}|{_SUFFIX}(?<=[a-zß])(?!\w))"
    rf"|(?:{_UP}[a-zäöüß\xad]{{1,40}}(?:-{_UP}?[a-zäöüß\xad]{{1,40}}){{0,3}}\s){{1,3}}{_COMPOUND}|{_UP}[\w-]{{2,40}}\s[a-zäöü]{{0,40}}{_SUFFIX}(?!\w))"
)
_TECHNICAL = r"(?:Technischen?r?\s{1,9}Anlage\s{1,9}|TA\s?)\d{1,2}(?!\w)"
_GENITIVE = rf"{_UP}[a-zäöüß\xad-]{{3,40}}s(?!\w)"
_ABBREVIATION = rf"{_UP}{_W}{{0,20}}(?:-{_W}{{1,20}}){{0,3}}(?:/(?:EU|[A-C])(?!\w))?(?:\s(?:1[89]|20)\d\d(?!\w))?"

_ARTICLE = re.compile(r"\s{0,40}[(,]?\s{0,9}((?:des|der|zum|zur|im|in\s+der|vom|von|aus\s+de[mr])\s{1,40})?")
LAW_SIGNS = frozenset("(dzivaABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ") | SPACES
_QUICK = re.compile(rf"\s{{0,40}}[(]?(?:{_UP}|d|zu|im|in\sder|vo|aus\sde)")
_OWN = re.compile(
    r"\s{0,40}(?:dieser|dieses|diesem|(?:des|der|dem)\s(?:vorliegenden|hiesigen))\s{1,40}(?:[A-ZÄÖÜ][\w-]{0,40})?(?:[Gg]esetz|[Bb]uch|[Oo]rdnung"
    r"|[Vv]ertrag|[Vv]ereinbarung|[Rr]ichtlinie|[Ss]atzung|[Aa]bkommen|[Aa]nlage|[Aa]nhang|[Pp]aragra|[Aa]rtikel|[Vv]orschrift|[Rr]egelung)\w{0,6}"
)
_UNKNOWN = re.compile(_GENITIVE)
_NAME = re.compile(rf"({_TECHNICAL}|{_SGB}|{_EU})|({_WRITTEN})|({_ABBREVIATION})")
_TITLE_START = re.compile(r"\s{1,9}(?:zum|zur|über|vom|gegen|für|betreffend|zu)\s{1,9}")
_TITLE_WORD = re.compile(
    rf"(?:der|die|das|des|den|dem|und|von|zur|zum|für|über|im|in|bei|mit|auf|an|aus|sowie|einer|eines)(?!\w)|{_UP}[\w\xad-]{{0,60}}"
    r"|" + rf"(?!{_PARTICIPLE})" + r"[a-zäöüß]{3,30}(?:en|er|es)(?=\s[A-ZÄÖÜ])|\d{1,2}\.(?=\s[A-ZÄÖÜ])|\d{4}(?!\w)"
)
_TITLE_TAIL = re.compile(
    r"(?:\s{1,9}(?:der|die|das|des|den|dem|und|von|zur|zum|für|über|im|in|bei|mit|auf|an|aus|sowie|einer|eines)){1,5}$"
)
_DATED = re.compile(r"\s{1,9}vom\s{1,9}\d{1,2}\.\s{0,9}(?:[A-ZJ][a-zä]{2,8}|\d{1,2}\.)\s{0,9}\d{4}(?!\d)")
_GIVER = re.compile(rf"\s{{1,9}}(?:des|der)\s{{1,9}}(?:[A-ZÄÖÜ][a-zäöüß]{{2,25}}(?:e[nrs])\s{{1,9}})?{_UP}[\w\xad-]{{2,60}}")
_GENERIC = re.compile(
    r"(?:Gesetz(?:e?s)?|(?:Ein|Aus|Durch)führungs?gesetz(?:e?s)?|Verordnung|Richtlinie|Vereinbarung|Vertrag(?:e?s)?|Satzung|Ordnung)$"
)
_QUALIFIER = re.compile(r"(?:\s{1,9}(?:nach|gemäß|gem\.|zu))?\s{1,9}§{1,2}\s{0,9}\d{1,4}[a-z]?(?!\w)")
_AGREEMENT = re.compile(r".*(?:vertrag(?:e?s)?|vereinbarung)$", re.IGNORECASE)
_BARE_NOUN = re.compile(rf"(?:{_SUFFIX}|.*(?:richtlinien|bestimmungen|entscheidung|vorschrift))$")
_NO_LAW = re.compile(
    r"(?:EUR|DM|GKV|PKV|DAV|KBV|KZBV|KV|KZV|DKG|BMG|AOK|BKK|IKK|PZN|LAV|ABDA|BAS|MD|AG|LG|OLG|BGH|BSG|BAG|BVerfG|BVerwG|BFH|LSG|VG|OVG|VGH"
    r"|BGBl|BAnz|GmbH|KG|OHG|GbR|TI|PKW|LKW|IT)$"
)
_LAW_END = re.compile(r"(?:G|O|V|B|VO|RL|ÜG|GB|R|StG|K|Ä|Z|W|P|EStR|TA\d?|EBM|EV|ÖD|D)(?:-[A-ZÄÖÜ]{1,3})?$")
_BEFORE = re.compile(rf"(?:^|(?<=[\s(„\"]))((?:(?:{_TECHNICAL}|{_SGB}|{_WRITTEN}|{_ABBREVIATION}))(?:\s?\d{{1,2}})?)[,:]?\s{{0,40}}\(?$")
# What every name in front of a citation has among its last words: two capitals, or a word for a law (the core of each in _SUFFIX).
_TWO_CAPITALS = re.compile(rf"{_UP}[\w-]*{_UP}")
_WORD_FOR_LAW = re.compile(
    r"esetz|rdnung|ertrag|ereinbarung|ichtlinie|atzung|bkommen|bereinkommen|tatut|erfassung|onvention|estimmung|eglement"
    r"|odex|mpfehlung|ekanntmachung|axe|eitlinie|Buch|Technisch|Kapitel"
)
_SHORT_ASIDE = re.compile(rf"\s{{1,9}}\((?:{_UP}[\w-]{{1,14}}(?:\s(?:[IVX]{{1,5}}|\d{{1,2}}))?)\)")
_BLANK = re.compile(r"\s{1,9}")
_LEVEL_WORDS = frozenset(("Absatz", "Absatzes", "Abs.", "Abs", "Satz", "S.", "Nr.", "Nr", "Nummer", "Artikel", "Art.", "§", "§§"))
_CHAPTER = re.compile(r"(?<!\w)(\d{1,2}\. Kapitel)\s{1,9}$")
_WORD_START = re.compile(rf"(?<!\S)[(„\"]?(?={_UP}|\d)")
_PROSE = re.compile(r"(?:des|der|dem|das|die|im|vom|zum|zur|den)\s+$")


def law_after(plain: str, pos: int) -> Law | None:
    """The law that is named directly behind ``pos``."""
    if ahead(plain, pos) not in LAW_SIGNS or not _QUICK.match(plain, pos):
        return None
    if own := _OWN.match(plain, pos):
        return Law(own.start(), own.end(), own=True)
    article = _ARTICLE.match(plain, pos)
    if article is None or "," in article[0]:
        return None
    if "(" in article[0]:
        name = _NAME.match(plain, article.end())
        closed = name and name[1] and plain[name.end() : name.end() + 1] == ")"
        return Law(name.start(), name.end() + 1, words_end=name.end()) if name and closed else None
    law = law_at(plain, article.end(), article=bool(article[1]))
    unknown = _UNKNOWN.match(plain, article.end()) if law is None and (article[1] or "").startswith("des") else None
    return Law(unknown.start(), unknown.end()) if unknown else law


def law_at(plain: str, pos: int, article: bool) -> Law | None:
    """The law whose name begins exactly at ``pos``; a common noun ("Vereinbarung") is a name only behind an article."""
    name = _NAME.match(plain, pos)
    if name is None:
        return None
    if name[3]:
        return _abbreviation(name, article)
    if name[2] and not article and _is_common(name[2]):
        return None
    qualifier = _QUALIFIER.match(plain, name.end()) if _AGREEMENT.match(name[0]) else None
    if qualifier:
        return Law(name.start(), name.end(), words_end=qualifier.end())
    end = _title(plain, name)
    aside = _SHORT_ASIDE.match(plain, end) if name[2] else None
    return Law(name.start(), aside.end(), words_end=end) if aside else Law(name.start(), end)


def _is_common(words: str) -> bool:
    """Whether the words are no name without an article: "Vereinbarung", "geltende Satzung"."""
    last = words.split()[-1]
    return words[0].islower() or (bool(_BARE_NOUN.match(last)) and not ("Gesetzbuch" in last and " " in words))


def _abbreviation(name: re.Match[str], article: bool) -> Law | None:
    """An abbreviation counts by its shape: at least two capitals and the ending of a law, and no known body or currency."""
    word = name[3].split()[0]
    if _NO_LAW.match(word) or max(sum(letter.isupper() for letter in part) for part in word.split("-")) < 2:
        return None
    return Law(name.start(), name.end()) if article or _LAW_END.search(word) else None


def _title(plain: str, name: re.Match[str]) -> int:
    """The end of a long title such as "Gesetzes über das Musterwesen"."""
    end = name.end()
    if (dated := _DATED.match(plain, end)) and _GENERIC.match(name[0].split()[-1]):
        return dated.end()
    if not _GENERIC.match(name[0].split()[-1]):
        return end
    if giver := _GIVER.match(plain, end):
        return giver.end()
    start = _TITLE_START.match(plain, end)
    if start is None:
        return end
    pos = start.end()
    for _ in range(16):
        word = _TITLE_WORD.match(plain, pos)
        if word is None:
            break
        end = word.end()
        blank = _BLANK.match(plain, end)
        if blank is None:
            break
        pos = blank.end()
    tail = _TITLE_TAIL.search(plain[name.start() : end])
    if tail:
        return name.start() + tail.start()
    dated = _DATED.match(plain, end)
    return dated.end() if dated else end


def law_before(plain: str, start: int, floor: int) -> Law | None:
    """The law that stands directly in front of ``start`` ("SGB V, § 129"), not reaching back beyond ``floor``."""
    window = plain[max(floor, start - 90) : start]
    last = window.rsplit(None, 1)[-1:]
    first = last[0][0] if last else ""
    if not (first.isupper() or first.isdigit() or (first and first in "(–-")):
        return None
    last = window.rsplit(None, 5)[-5:]
    words = " ".join(last)
    if not (_TWO_CAPITALS.search(words) or _WORD_FOR_LAW.search(words)) or (first.isdigit() and last[-2:][0] in _LEVEL_WORDS):
        return None
    base = start - len(window)
    if chapter := _CHAPTER.search(window):
        return Law(base + chapter.start(), base + chapter.end(1), start=base + chapter.start())
    best = None
    for word in _WORD_START.finditer(window):
        best = _BEFORE.match(window, word.end())
        if best:
            break
    return _front(window, best, base) if best else None


def _front(window: str, match: re.Match[str], base: int) -> Law | None:
    words = match[1]
    name = _NAME.match(words)
    if name is None or (name[3] and not _abbreviation(name, article=False)):
        return None
    if name[2] and _is_common(name[2]):
        return None
    prose = _PROSE.search(window[: match.start(1)])
    if prose and ("," in window[match.end(1) :] or ":" in window[match.end(1) :]):
        return None
    return Law(base + match.start(1), base + match.end(1), start=base + match.start(1))

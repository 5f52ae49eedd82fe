"""The public test cases for German references, each compared with what the product reads.

Every source has a shape of its own; ``compare`` brings ours into it. A case that differs is either listed under a convention in
``tests/references/conventions.toml`` (explained in ``docs/references.md``) or it fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from retrieval.addresses import AddressBook, normal_section
from retrieval.citations import Citation, citations
from retrieval.model import Chunk, CorpusSpec, Target
from retrieval.names import Names, name_key
from retrieval.sublevels import RELATIVE, section_key

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT.parent / "shared" / "data" / "verweise_testfaelle" / "faelle.jsonl"
CONVENTIONS = ROOT / "tests" / "references" / "conventions.toml"

Verdict = Literal["passes", "differs", "fails"]
_LEVELS = (
    ("Abs", "subsection"),
    ("Satz", "sentence"),
    ("Halbsatz", "half_sentence"),
    ("Nr", "number"),
    ("Buchst", "letter"),
    ("Buchst", "double_letter"),
)


class Case(msgspec.Struct, frozen=True):
    """One public case; ``expected`` keeps the shape of its source."""

    id: str
    source: str
    kind: str
    name: str = ""
    input: Any = None
    expected: Any = None
    context_law: str | None = None
    options: dict[str, Any] | None = None
    law_names: Any = None


class Outcome(msgspec.Struct, frozen=True):
    """What became of one case; ``convention`` names the decision by which we differ, ``ours`` is what was read."""

    case: Case
    verdict: Verdict
    ours: str
    convention: str = ""


@cache
def cases() -> tuple[Case, ...]:
    """All public cases. Raises OSError where the shared folder is absent."""
    return tuple(msgspec.json.decode(line, type=Case) for line in CASES.read_bytes().splitlines())


@cache
def conventions() -> Mapping[str, str]:
    """The convention under which each differing case falls, by the id of the case."""
    raw = tomllib.loads(CONVENTIONS.read_text(encoding="utf-8"))
    return {case: name for name, one in raw.items() for case in one["cases"]}


def outcome(case: Case) -> Outcome:
    """Compare one case."""
    same, ours = compare(case)
    convention = conventions().get(case.id, "")
    return Outcome(case, "passes" if same else "differs" if convention else "fails", ours, convention)


def compare(case: Case) -> tuple[bool, str]:
    """Whether the product reads what the case expects, and what it reads."""
    source = case.source.split("/")[-1]
    return _BY_SOURCE[source, case.kind](case)


# --- the laws that the cases name, as a stock --------------------------------------------------------------------------

_ARTICLES = ("GG", "EGBGB", "B-VG", "DSGVO")


@cache
def laws() -> tuple[AddressBook, Names]:
    """A stock with every law that a typed case names: sections 1 to 2000 with their letters where a case needs one."""
    codes = {one.expected["lawCode"]: None for one in cases() if isinstance(one.expected, dict) and "lawCode" in one.expected}
    written = {token for one in cases() if isinstance(one.input, str) for token in one.input.split()}
    specs, chunks = {}, []
    for code in [*codes, "BGB"]:
        name = next((word for word in sorted(written) if word.upper() == code), code)
        specs[code] = CorpusSpec(code, name, "statute", (name,))
        unit = "Artikel" if code in _ARTICLES else "§"
        labels = ["229", "246a", "247", "312g", "823a", "1295", "1294", *map(str, range(1, 1000))]
        chunks += [Chunk(f"{code}/{label}", code, "", f"{unit} {label}") for label in labels]
    return AddressBook(chunks, specs), Names(specs)


# --- one comparison for each shape ------------------------------------------------------------------------------------


def _typed(case: Case) -> tuple[bool, str]:
    """A typed address: the law, the section and whether it stands in an article. Nothing is read where nothing stands there."""
    book, names = laws()
    found = [
        target for target in book.read(case.input, names) if target.container_id or book.find(Target(target.corpus_id, target.section_id))
    ]
    ours = [in_their_form(target) for target in found if target.corpus_id]
    wanted = case.expected or {}
    return ours == ([wanted] if wanted else []), str(ours)


def in_their_form(target: Target) -> dict[str, str]:
    unit, number = target.section_id.split(" ", 1)
    form = {"lawCode": target.corpus_id, "section": number}
    if target.container_id:
        unit, article = target.container_id.split(" ", 1)
        form |= {"section": article, "subsection": number}
    return form | ({"referenceType": "article"} if unit == "Artikel" else {})


def _books_and_sections(case: Case) -> tuple[bool, str]:
    """Law and section of every reference in a text, ranges counted out."""
    found = [(_law(citation.law or case.context_law or ""), number) for citation in absolute(case.input) for number in counted(citation)]
    expected = case.expected
    if isinstance(expected, list):
        wanted = [(_law(one["book"]), one["section"]) for one in expected]
        return sorted(set(found)) == sorted(set(wanted)), str(found)
    if "sections" in expected:
        numbers = list(dict.fromkeys(number for _, number in found))
        return numbers == expected["sections"] and all(law == _law(expected.get("book", law)) for law, _ in found), str(found)
    if "sections_contain" in expected:
        return set(expected["sections_contain"]) <= {number for _, number in found}, str(found)
    return _contains(case, expected["contains"]), str(found)


def _contains(case: Case, wanted: list[dict[str, str]]) -> bool:
    kinds = {"§": "paragraph", "Artikel": "article"}
    have = [
        {
            "book": _law(one.law),
            "section": one.section,
            "number": one.section,
            "unit": kinds.get(one.unit),
            "delimiter": one.words.split()[0],
        }
        for one in absolute(case.input)
    ]
    asked = [{key: _law(value) if key == "book" else value for key, value in one.items()} for one in wanted]
    return all(any(one.items() <= other.items() for other in have) for one in asked)


def _law(words: str) -> str:
    return name_key(words.removeprefix("deutschen "))


def absolute(text: str) -> Iterator[Citation]:
    return (citation for citation in citations(text) if citation.unit != RELATIVE)


def counted(citation: Citation) -> list[str]:
    if citation.unit == "Anlage":
        return [f"anlage-{citation.section}"]
    if citation.until and citation.section.isdigit() and citation.until.isdigit():
        return [str(number) for number in range(int(citation.section), int(citation.until) + 1)]
    return [citation.section]


def _canonical(case: Case) -> tuple[bool, str]:
    ours = [line for citation in absolute(case.input) for line in _canonical_lines(citation)]
    return ours == case.expected, str(ours)


def _canonical_lines(citation: Citation) -> list[str]:
    head = "Art." if citation.unit == "Artikel" else citation.unit
    written = {"Abs": "Abs.", "Nr": "Nr.", "Buchst": "Buchst."}
    levels = [f"{written.get(name, name)} {value}" for name, value in _steps(citation)]
    opened = [f"{citation.open_ended}."] if citation.open_ended else []
    return [" ".join([head, number, *levels, *opened, citation.law]) for number in counted(citation)]


def _steps(citation: Citation) -> list[tuple[str, str]]:
    return [(name, value) for name, field in _LEVELS if (value := getattr(citation, field, None))]


def _sub_references(case: Case) -> tuple[bool, str]:
    steps = [step for citation in absolute(case.input) for step in _steps(citation)]
    ours: dict[str, list[str]] = {}
    for name, value in steps:
        ours[name] = [*ours.get(name, []), value]
    if "must_not_contain_text" in case.expected:
        return case.expected["must_not_contain_text"] not in " ".join(f"{name}. {value}" for name, value in steps), str(ours)
    exact = all(ours.get(name) == values for name, values in case.expected.items() if not name.endswith("_contains"))
    held = all(set(values) <= set(ours.get(name[:-9], ())) for name, values in case.expected.items() if name.endswith("_contains"))
    return exact and held, str(ours)


def _paragraphs(case: Case) -> tuple[bool, str]:
    found = list(absolute(case.input))
    wanted = case.expected["paragraphs"]
    same = len(found) == len(wanted) and all(map(_is_paragraph, found, wanted))
    same &= all(citation.law == case.expected.get("law", citation.law) for citation in found)
    same &= all(citation.unit == "Artikel" for citation in found) if case.expected.get("is_art") else True
    return same, str([(citation.section, _steps(citation), citation.law) for citation in found])


def _is_paragraph(citation: Citation, wanted: Mapping[str, Any]) -> bool:
    steps = [list(step) for step in _steps(citation)]
    checks: dict[str, Callable[[Any], bool]] = {
        "paragraph": lambda value: citation.section == value,
        "sub_refs": lambda value: steps == value,
        "sub_refs_levels": lambda value: [step[0] for step in steps] == value,
        "sub_refs_contain": lambda value: all(step in steps for step in value),
        "no_number": lambda value: citation.section not in value and not {step[1] for step in steps} & set(value),
        "is_f": lambda value: (citation.open_ended == "f") == value,
        "is_ff": lambda value: (citation.open_ended == "ff") == value,
    }
    return all(checks[name](value) for name, value in wanted.items())


def _paths(case: Case) -> tuple[bool, str]:
    text = case.input if isinstance(case.input, str) else case.input[0]
    ours = [[[citation.unit, citation.section], *map(list, _steps(citation))] for citation in citations(text)]
    return ours == case.expected, str(ours)


def _first_area(case: Case) -> tuple[bool, str]:
    area = next((_area(case.input, citations(case.input))), None) if case.expected is None or isinstance(case.expected, str) else None
    if isinstance(case.expected, dict):
        found = citations(case.input)
        return bool(found) == case.expected["has_main_area"], str(found)
    short = case.expected is not None and not case.expected.startswith("Main:")
    return (area.split(";")[0].removeprefix("Main:") if area and short else area) == case.expected, str(area)


def _area(text: str, found: tuple[Citation, ...]) -> Iterator[str | None]:
    """The chain of citations at the beginning, as "Main:…;Suffix:…;Law:…;Type:…"."""
    if not found:
        yield None
        return
    last = found[0]
    for citation in found[1:]:
        if citation.law == found[0].law and citation.start - last.end <= 12:
            last = citation
    whole = text[found[0].start : last.end]
    start = whole.rfind(last.law) if last.law else len(whole)
    start = whole.rfind("dieser") if last.own else start
    main = whole[:start].rstrip()
    suffix = ""
    for word in (" des", " der"):
        if main.endswith(word):
            main, suffix = main.removesuffix(word), f"{word} "
    suffix = suffix or whole[len(main) : start]
    yield f"Main:{main};Suffix:{suffix};Law:{whole[start:]};Type:{_type(last, whole[start:])}"


def _type(citation: Citation, law: str) -> str:
    if citation.own or " vom " in law:
        return "ignore"
    return "sgb" if "Sozialgesetzbuch" in law else "eu" if "/" in law else "dict" if law else "internal"


def _all_areas(case: Case) -> tuple[bool, str]:
    ours = [area for citation in citations(case.input) for area in _area(case.input, (citation,)) if area]
    return ours == case.expected, str(ours)


def _law_key(case: Case) -> tuple[bool, str]:
    """The same book of the Sozialgesetzbuch by its name and by their key, or a law that is known."""
    names = Names({})
    words, key = case.input[0], case.expected
    if not isinstance(words, str) or not isinstance(key, str):
        return False, "not our task"
    same = names.knows(words) and (key == "GG" or _sgb(words) == _sgb(key.replace("-", " ")))
    return same, f"known: {names.knows(words)}"


def _sgb(words: str) -> frozenset[str]:
    specs = {f"sgb{n}": CorpusSpec(f"sgb{n}", f"SGB {n}") for n in range(1, 13)}
    return frozenset(Names(specs).corpora_of(words))


def _units(case: Case) -> tuple[bool, str]:
    word = case.input if isinstance(case.input, str) else case.input[0]
    ours = normal_section(f"{word} 1").split()[0].removesuffix("ikel")
    return ours == (case.expected if isinstance(case.expected, str) else word), ours


def _norm(case: Case) -> tuple[bool, str]:
    fields = {"norm": "section", "absatz": "subsection", "satz": "sentence", "nr": "number", "lit": "letter", "gesetz": "law"}
    found = next(iter(citations(case.input)), None)
    ours = {name: getattr(found, field) for name, field in fields.items() if getattr(found, field, None)} if found else {}
    return ours == case.expected, str(ours)


def _roman(case: Case) -> tuple[bool, str]:
    ours = section_key(case.input)[0]
    value: object = ours[0] if ours[0] and not ours[1] else {"error": True}
    return value == case.expected, str(value)


def _exists(case: Case) -> tuple[bool, str]:
    book, names = laws()
    found = any(book.find(target) for target in book.read(case.input, names))
    return found == case.expected, str(found)


def _words(case: Case) -> tuple[bool, str]:
    ours = [citation.words for citation in citations(case.input)]
    return ours == case.expected, str(ours)


def _normalized(case: Case) -> tuple[bool, str]:
    ours = [line.replace("Buchst.", "lit.") for citation in citations(case.input) for line in _canonical_lines(citation)]
    wanted = [one["normalized"] for one in case.expected["contains"] if one["type"] != "caselaw"]
    return ours == wanted, str(ours)


# --- cases whose answer is a text of real law --------------------------------------------------------------------------

_FILES = {"BGB": "BJNR001950896", "StGB": "BJNR001270871", "HWG": "BJNR006049965", "GG": "BJNR000010949"}


@cache
def real_law() -> tuple[AddressBook, Names, Mapping[str, Chunk]]:
    """The four laws that these cases cite, read as the product reads them."""
    from retrieval.chunking import chunks
    from retrieval.readers import read

    folders = {"GG": "gesetze_xml_weitere"}
    corpora = [read(CASES.parents[1] / folders.get(law, "gesetze_xml") / f"{number}.xml") for law, number in _FILES.items()]
    stock = [chunk for corpus in corpora for chunk in chunks(corpus)]
    specs = {corpus.spec.corpus_id: corpus.spec for corpus in corpora}
    return AddressBook(stock, specs), Names(specs), {chunk.chunk_id: chunk for chunk in stock}


def _resolved_text(case: Case) -> tuple[bool, str]:
    """The Absatz (or the section) at the address holds the expected words; what is not there gives nothing."""
    book, names, by_id = real_law()
    found = [by_id[chunk_id] for target in book.read(case.input, names) for chunk_id in book.find(target)]
    text = " ".join(" ".join(chunk.text.split()) for chunk in found)
    expected = case.expected
    if "results" in expected or "not found" in str(expected.get("note", "")):
        return not found, text[:80]
    wanted = [*expected.get("contains", ()), *([expected["text"]] if "text" in expected else [])]
    bare = [" ".join(part.split()).lstrip("(0123456789) ") for part in wanted]
    apart = not any(part in text for part in expected.get("not_contains", ()))
    titled = "title" not in expected or expected["title"] in {chunk.heading for chunk in found}
    return bool(found) and apart and titled and all(part in text for part in bare), text[:80]


_BY_SOURCE: dict[tuple[str, str], Callable[[Case], tuple[bool, str]]] = {
    ("german-law-lookup", "citation->structure"): _typed,
    ("legal-reference-extraction", "text->references"): _books_and_sections,
    ("legal-reference-extraction", "text->references (context law given)"): _books_and_sections,
    ("bundesrecht", "citation->canonical list"): _canonical,
    ("bundesrecht", "citation->structure"): _paragraphs,
    ("bundesrecht", "citation->set of sub-references after normalising"): _sub_references,
    ("bundesrecht", "citation->resolved text"): _resolved_text,
    ("quantlaw", "citation->structure"): _paths,
    ("quantlaw", "text->first reference area"): _first_area,
    ("quantlaw", "text->all reference areas"): _all_areas,
    ("quantlaw", "law-name->key"): _law_key,
    ("quantlaw", "unit->stem"): _units,
    ("php-gesetze", "citation->structure"): _norm,
    ("php-gesetze", "citation->exists"): _exists,
    ("php-gesetze", "roman->arabic"): _roman,
    ("php-gesetze", "text->all reference areas"): _words,
    ("german-law-mcp", "text->references"): _normalized,
}

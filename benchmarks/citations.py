"""Precision, recall and speed of the grammar of references, side by side with the parsers of others.

    python -m benchmarks.citations [--peers PYTHON] [--laws] [--sample SEED]

Measured in one run: (a) the annotated decisions of the shared folder, (b) our own gold, (c) each public suite, (d) speed over all laws of
the shared folder. ``--peers`` names the Python of an environment with ``requirements-peers.txt``; without it only ours is measured.
``--laws`` adds what becomes of the references of SGB V, and ``--sample`` prints 200 of them to be judged by eye. Every loss is listed with
its text, except in the third of our gold that is for reporting only.

A found number counts where its span overlaps that of an annotated number and the two are equal; one annotation counts once. "exact" asks
for the very span as well. The interval is the middle 95 % of 2,000 draws of the documents with replacement, paired where systems are
compared.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.law import DATA, LAW_FOLDERS, SGB_V, all_sources, require_law
from benchmarks.reference_gold import FOLDER, read, sentences, stock
from benchmarks.reference_numbers import our_numbers, wanted_numbers
from benchmarks.reference_suites import cases, outcome
from retrieval.addresses import AddressBook
from retrieval.chunking import chunks
from retrieval.citations import citations
from retrieval.names import Names
from retrieval.readers import read as read_file
from retrieval.sublevels import RELATIVE
from retrieval.verweise import references

Found = tuple[int, int, str]
DRAWS = 2000
TOLD = " (told the spans)"
_UNITS = ("§", "Ziffer", "Artikel", "Anlage", "Anhang")
_WRITTEN = re.compile(r"(?:§{1,2}|Art(?:ikel|\.)?|Ziff(?:er|ern|\.))?\s*(\d+(?:\.\d+)*(?:\s?[a-z])?)\b(?: bis (\d+))?")


class Document(msgspec.Struct, frozen=True):
    """A text with the spans and numbers that stand in it."""

    text: str
    gold: tuple[Found, ...]


class Score(msgspec.Struct, frozen=True):
    """Hits, false finds and misses."""

    hits: int
    false: int
    missed: int

    @property
    def precision(self) -> float:
        return self.hits / max(1, self.hits + self.false)

    @property
    def recall(self) -> float:
        return self.hits / max(1, self.hits + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.hits / max(1, 2 * self.hits + self.false + self.missed)


def total(scores: Iterable[Score]) -> Score:
    """The sum of several scores."""
    parts = list(scores)
    return Score(sum(s.hits for s in parts), sum(s.false for s in parts), sum(s.missed for s in parts))


def ours(text: str) -> list[Found]:
    """The sections that the grammar finds; an Absatz of the own section has no number to compare."""
    return [
        (one.start, one.end, number)
        for one in citations(text)
        if one.unit != RELATIVE and not one.locator
        for number in dict.fromkeys((one.section, one.until or one.section))
    ]


def score(document: Document, found: Sequence[Found], exact: bool = False) -> tuple[Score, list[Found], list[Found]]:
    """The score of one text, with what was missed and what was found falsely.

    A number inside a range that a system counts out (§ 12 of "§§ 11 bis 13") does not stand in the text and counts neither way.
    """
    text, gold = document.text, document.gold
    claimed: set[int] = set()
    false: list[Found] = []
    for start, end, number in dict.fromkeys(found):
        fits = [i for i, (s, e, n) in enumerate(gold) if n == number and ((s, e) == (start, end) if exact else s < end and start < e)]
        if fits:
            claimed.update(fits[:1] if exact else fits)
        elif number in "".join(text[start:end].split()):
            false.append((start, end, number))
    missed = [one for i, one in enumerate(gold) if i not in claimed]
    return Score(len(claimed), len(false), len(missed)), missed, false


def decisions(read_again: bool = False) -> list[Document]:
    """The annotated decisions of the shared folder; a directive cited without an article has no number and is left out.

    ``read_again`` adds what the annotations lack and mends their wrong numbers, as ``tests/references/decisions.toml`` has it.
    """
    again = tomllib.loads((FOLDER / "decisions.toml").read_text(encoding="utf-8")) if read_again else {}
    folder = DATA / "verweise_urteile"
    texts = {one["doc_id"]: one["text"] for one in map(json.loads, (folder / "documents.jsonl").read_text().splitlines())}
    noted = [json.loads(line) for line in (folder / "annotations.jsonl").read_text().splitlines()]
    return [Document(texts[one["doc_id"]], tuple(_annotated(one["citations"], again.get(one["doc_id"], {})))) for one in noted]


def _annotated(noted: Iterable[dict[str, Any]], again: dict[str, Any]) -> Iterator[Found]:
    for one in noted:
        if one["type"] == "law" and one["number"]:
            start = one["span"]["start"]
            yield start, one["span"]["end"], again.get("numbers", {}).get(str(start), one["number"])
    yield from ((start, end, number) for start, end, number in again.get("more", ()))


def book_field() -> tuple[int, int]:
    """How many annotated citations have a number, and how many of them a book that is no law's name ("5", "dezember", none)."""
    noted = (json.loads(line) for line in (DATA / "verweise_urteile" / "annotations.jsonl").read_text().splitlines())
    books = [c["book"] for one in noted for c in one["citations"] if c["type"] == "law" and c["number"]]
    return len(books), sum(book is None or not str(book)[:1].isalpha() or book == "dezember" for book in books)


def own_gold(reporting: bool) -> list[Document]:
    """Our own gold as texts with numbers: what has a section of its own to name."""
    return [
        Document(one.text, tuple((c[0], c[1], number) for c in one.expected for number in _numbers(c[3], one.text[c[0] : c[1]])))
        for one in sentences()
        if one.for_reporting == reporting
    ]


def _numbers(where: str, words: str) -> list[str]:
    """The numbers of sections that the words themselves name: as in the address, or as written if the law is not in stock."""
    parts = [part.split(" ")[1] for part in where.split(" · ") if part.startswith(_UNITS)]
    if parts:
        return [parts[-1]] if parts[-1] in "".join(words.split()) and not words.startswith("Abs") else []
    written = _WRITTEN.match(words)
    return ["".join(number.split()) for number in written.groups() if number] if written else []


def interval(draw: Callable[[list[int]], float], size: int) -> tuple[float, float]:
    """The middle 95 % of a figure over draws of the documents with replacement."""
    dice = random.Random(1)
    values = sorted(draw([dice.randrange(size) for _ in range(size)]) for _ in range(DRAWS))
    return values[int(0.025 * DRAWS)], values[int(0.975 * DRAWS) - 1]


def line(name: str, scores: Sequence[Score]) -> str:
    whole = total(scores)
    low, high = interval(lambda draw: total(scores[i] for i in draw).f1, len(scores))
    return (
        f"  {name:<28} precision {whole.precision:.3f}  recall {whole.recall:.3f}  F1 {whole.f1:.3f} [{low:.3f}, {high:.3f}]"
        f"  ({whole.hits} hits, {whole.false} false, {whole.missed} missed)"
    )


def compare(title: str, documents: Sequence[Document], finds: dict[str, list[list[Found]]]) -> None:
    """One table: every system on the same texts, and the margin of ours."""
    print(f"\n{title}: {len(documents)} texts, {sum(len(d.gold) for d in documents)} numbers")
    scores = {name: [score(d, found)[0] for d, found in zip(documents, lists, strict=True)] for name, lists in finds.items()}
    for name, parts in scores.items():
        print(line(name, parts))
    mine = scores["ours"]
    print(line("ours, exact spans", [score(d, found, exact=True)[0] for d, found in zip(documents, finds["ours"], strict=True)]))
    for name, parts in scores.items():
        if name != "ours" and not name.endswith(TOLD):
            low, high = interval(_margin(mine, parts), len(documents))
            print(f"  margin over {name}: {total(mine).f1 - total(parts).f1:+.3f} [{low:+.3f}, {high:+.3f}]")


def _margin(mine: Sequence[Score], other: Sequence[Score]) -> Callable[[list[int]], float]:
    return lambda draw: total(mine[i] for i in draw).f1 - total(other[i] for i in draw).f1


def losses(documents: Sequence[Document], lists: Sequence[Sequence[Found]]) -> None:
    """Every number that ours misses or finds falsely, with its text."""
    for document, found in zip(documents, lists, strict=True):
        _, missed, false = score(document, found)
        for kind, one in (*(("missed", m) for m in missed), *(("false", f) for f in false)):
            around = document.text[max(0, one[0] - 30) : one[1] + 30].replace("\n", " ")
            print(f"    {kind}: {one[2]!r} in …{around}…")


def resolution(reporting: bool) -> Score:
    """Spans, states and addresses of our gold against what the product resolves."""
    parts = []
    for sentence in sentences():
        if sentence.for_reporting == reporting:
            expected, got = Counter(sentence.expected), Counter(read(sentence))
            hits = (expected & got).total()
            parts.append(Score(hits, got.total() - hits, expected.total() - hits))
    whole = total(parts)
    print(line("third for reporting" if reporting else "the rest", parts))
    return whole


def suites(peers: dict[str, Any], asked: Sequence[str]) -> None:
    """Each public suite: our verdicts, then the numbers of the sections that every system reads in its inputs."""
    outcomes = [outcome(case) for case in cases()]
    print("\n(c) public suites: passes / differs by a stated convention / fails; then the numbers of sections that each system reads")
    for source in dict.fromkeys(one.case.source for one in outcomes):
        counts = Counter(one.verdict for one in outcomes if one.case.source == source)
        print(f"  {source:<44} {counts['passes']:4} {counts['differs']:4} {counts['fails']:4}")
        for name, whole in _suite_scores(source, peers, asked).items():
            print(f"      {name:<28} precision {whole.precision:.3f}  recall {whole.recall:.3f}  F1 {whole.f1:.3f}")
    for one in outcomes:
        if one.verdict != "passes":
            told = f"{str(one.case.input)[:90]!r} wants {one.case.expected}, ours {one.ours[:120]}"
            print(f"    {one.case.id} {one.convention or 'FAILS'}: {told}")


def _suite_scores(source: str, peers: dict[str, Any], asked: Sequence[str]) -> dict[str, Score]:
    comparable = ((case, wanted_numbers(case)) for case in cases() if case.source == source and isinstance(case.input, str))
    pairs = [(case, wanted) for case, wanted in comparable if wanted is not None]
    if not pairs:
        return {}
    read_by = {name: dict(zip(asked, one["citations"], strict=True)) for name, one in peers.items()}
    scores = {"ours": total(_numbers_score(wanted, our_numbers(case)) for case, wanted in pairs)}
    scores |= {name: total(_numbers_score(wanted, found[case.input]) for case, wanted in pairs) for name, found in read_by.items()}
    return scores


def _numbers_score(wanted: Sequence[str], found: Sequence[str]) -> Score:
    hits = len({number.lower() for number in wanted} & {number.lower() for number in found})
    return Score(hits, len({number.lower() for number in found}) - hits, len({number.lower() for number in wanted}) - hits)


def law_texts() -> list[str]:
    """The text of every law of the shared folder, Absatz by Absatz as it comes into stock."""
    files = [path for folder in LAW_FOLDERS for path in sorted((DATA / folder).glob("*.xml"))]
    return [chunk.text for path in files for chunk in chunks(read_file(path))]


def speed(texts: Sequence[str], peers: dict[str, Any], asked: Sequence[str]) -> None:
    """Characters per second of each system over the same texts (``bundesrecht``, which does not search, over the inputs of the suites)."""
    size = sum(map(len, texts))
    print(f"\n(d) speed over {len(texts)} Absätze of all laws, {size / 1e6:.1f} million characters")
    start = time.process_time()
    for text in texts:
        citations(text)
    print(f"  {'ours':<28} {size / (time.process_time() - start) / 1e6:8.2f} million characters per second")
    start = time.process_time()
    for text in asked:
        citations(text)
    print(f"  {'ours, inputs of the suites':<28} {sum(map(len, asked)) / (time.process_time() - start) / 1e6:8.2f}")
    for name, one in peers.items():
        read_size = size if one["searches"] else sum(map(len, asked))
        note = "" if one["searches"] else "  (inputs of the suites: it does not search in texts)"
        print(f"  {name:<28} {read_size / one['seconds'] / 1e6:8.2f}{note}")


def ask_peers(python: str, documents: Sequence[Document], asked: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
    """What the peers find, and how long they take. A peer that is not installed is named and left out."""
    raw = tomllib.loads(resources.files("retrieval").joinpath("data/aliases.toml").read_text(encoding="utf-8"))
    names = [name for law in raw["law"] for name in (*law["short"], *law["names"])]
    question = {"texts": [d.text for d in documents], "spans": [[g[:2] for g in d.gold] for d in documents]}
    question |= {"names": names, "citations": list(asked), "speed": list(texts)}
    script = Path(__file__).with_name("citation_peers.py")
    done = subprocess.run([python, str(script)], input=json.dumps(question), capture_output=True, text=True, check=True)
    given: dict[str, Any] = json.loads(done.stdout)
    for name, one in given.items():
        if "error" in one:
            print(f"not installed: {name} ({one['error']})")
    return {name: one for name, one in given.items() if "error" not in one}


def law_counts(seed: int | None) -> None:
    """What becomes of the references of SGB V against a stock of all laws, and a sample to be judged by eye."""
    corpora = [source.read() for source in all_sources()]
    stocked = {corpus.spec.corpus_id: chunks(corpus) for corpus in corpora}
    specs = {corpus.spec.corpus_id: corpus.spec for corpus in corpora}
    book, names = AddressBook((chunk for one in stocked.values() for chunk in one), specs), Names(specs)
    home = SGB_V.read().spec.corpus_id
    found = [(chunk, one) for chunk in stocked[home] for one in references(chunk, book, names)]
    own = [one for _, one in found if one.target is not None and one.target.corpus_id == home]
    print(f"\n(e) SGB V: {len(found)} references: {dict(Counter(one.state for _, one in found))}")
    print(f"  to its own text: {len(own)}: {dict(Counter(one.state for one in own))}")
    if seed is None:
        return
    for number, (chunk, one) in enumerate(random.Random(seed).sample(found, 200), start=1):
        around = f"{chunk.text[max(0, one.start - 60) : one.start]}⟦{one.words}⟧{chunk.text[one.end : one.end + 60]}"
        print(f"{number:3} {chunk.section_id}/{chunk.subsection} | {' '.join(around.split())} | {one.state} {one.target or one.law}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default="", help="the Python of an environment with benchmarks/requirements-peers.txt")
    parser.add_argument("--laws", action="store_true", help="count what becomes of the references of SGB V")
    parser.add_argument("--sample", type=int, default=None, help="print 200 references of SGB V, drawn with this seed")
    options = parser.parse_args()
    require_law()
    sets = {
        "(a) decisions as annotated": decisions(),
        "(a) decisions read again": decisions(read_again=True),
        "(b) our gold, third for reporting": own_gold(reporting=True),
        "(b) our gold, the rest": own_gold(reporting=False),
    }
    documents = [document for part in sets.values() for document in part]
    alone = [case.input for case in cases() if isinstance(case.input, str)]
    texts = law_texts()
    peers = ask_peers(options.peers, documents, alone, texts) if options.peers else {}
    at = 0
    for title, part in sets.items():
        finds = {"ours": [ours(document.text) for document in part]}
        finds |= {
            name if one["searches"] else f"{name}{TOLD}": [[(s, e, n) for s, e, n in found] for found in one["texts"][at : at + len(part)]]
            for name, one in peers.items()
        }
        compare(title, part, finds)
        if "reporting" not in title and "annotated" not in title:
            losses(part, finds["ours"])
        at += len(part)
    whole, noisy = book_field()
    print(f"\nThe book field is not scored: {noisy} of {whole} annotated numbers have one that is no law's name.")
    print("\n(b) our gold, resolved: spans, states and addresses")
    stock()
    for reporting in (True, False):
        resolution(reporting)
    suites(peers, alone)
    speed(texts, peers, alone)
    if options.laws or options.sample is not None:
        law_counts(options.sample)


if __name__ == "__main__":
    main()

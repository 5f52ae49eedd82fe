"""Gold norms against the stock: what a person wrote becomes an address, and every address has a state.

A gold norm is an address and never a chunk, so reading the rules in again in other pieces changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from retrieval.citations import citations
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.spelling import NOWHERE, Written, address_of, needs_in, unprotected
from retrieval.model import Address, Target
from retrieval.norms import look_up
from retrieval.stock import Federation

GoldState = Literal["in_stock", "not_in_stock", "repealed", "ambiguous", "unreadable", "unchecked"]
"""``unchecked``: there is no stock at hand to look in."""
Note = Literal["", "only_one", "written_differs", "whole_part", "grade", "several", "piece"]
"""``only_one``: no corpus is named, and one only has this norm. ``written_differs``: the words mean another norm than the address.
``whole_part``: a whole contract or annex, no norm. ``grade``: not 1 to 3. ``several``: one alternative names several norms.
``piece``: the id of a piece of text was given, and its whole norm is meant, because pieces are cut anew with every ingest."""

LOWEST, HIGHEST = 1, 3
_DOC_ID = ":"
_PIECE = re.compile(r"(?P<corpus>[^/\s]+)/(?P<container>[^/]+)/(?P<section>[^/]+)/\d+")
_WORD = re.compile(r"[^\W\d_]{2,}[\w-]*")
_LEVELS = re.compile(
    r"de[rsmn]|d[ai][es]|i[mn]|und|nach|gem(?:äß)?|vgl|siehe|abs(?:atz|ätze)?|satz|sätze|nr|nummer|buchst(?:abe)?|hs|halbsatz|alt(?:ernative)?|ff"
    r"|art(?:ikel)?|ziff(?:er)?|anlage|anhang|paragra(?:ph|f)"
)


class Found(msgspec.Struct, frozen=True):
    """A gold norm with its address as the stock spells it, its state there, and what else is to be said.

    ``choices`` are the norms that an ambiguous one may mean.
    """

    gold: Gold
    state: GoldState
    note: Note = ""
    choices: tuple[Address, ...] = ()

    @property
    def reachable(self) -> bool:
        """Whether a search can find it: it is in stock, also as a repealed one, or nobody looked."""
        return self.state in ("in_stock", "repealed", "unchecked")


class CheckedQuestion(msgspec.Struct, frozen=True):
    """A question with its gold norms as the stock has them, need by need."""

    question: Question
    needs: tuple[tuple[Found, ...], ...]

    @property
    def found(self) -> tuple[Found, ...]:
        """All gold norms, in order."""
        return tuple(one for need in self.needs for one in need)


class CheckedSet(msgspec.Struct, frozen=True):
    """A set against the stock. ``settled`` is the set with every address as the stock spells it: search results are compared with that."""

    settled: QuestionSet
    questions: tuple[CheckedQuestion, ...]

    @property
    def golds(self) -> int:
        """How many gold norms there are."""
        return sum(len(one.found) for one in self.questions)

    @property
    def states(self) -> dict[GoldState, int]:
        """How many of them are in which state; a state that does not occur is left out."""
        return dict(Counter(found.state for one in self.questions for found in one.found))

    @property
    def unreachable(self) -> int:
        """How many of them no search can find."""
        return sum(not found.reachable for one in self.questions for found in one.found)

    @property
    def without_gold(self) -> int:
        """How many questions can be asked but do not enter recall."""
        return sum(not one.needs for one in self.questions)


class Golds:
    """Reads gold norms. Without a federation only addresses can be read, and nothing is said about the stock."""

    def __init__(self, federation: Federation | None = None) -> None:
        self.federation = federation
        self._known: dict[str, tuple[Found, ...]] = {}

    # --- a set ------------------------------------------------------------------------------------------------------

    def check(self, questions: QuestionSet) -> CheckedSet:
        """Every gold norm of a set against the stock."""
        checked = tuple(
            CheckedQuestion(one, tuple(tuple(self.settle(gold) for gold in need.any_of) for need in one.needs))
            for one in questions.questions
        )
        settled = tuple(msgspec.structs.replace(one.question, needs=_needs(one.needs)) for one in checked)
        return CheckedSet(msgspec.structs.replace(questions, questions=settled), checked)

    def settle(self, gold: Gold) -> Found:
        """A gold norm as the stock has it; one without a corpus is read again from what the person wrote."""
        if self.federation is None:
            return Found(gold, "unchecked")
        if not gold.address.corpus_id:
            return self._again(gold)
        found = self._located(gold)
        return msgspec.structs.replace(found, note="written_differs") if self._differs(found) else found

    def _again(self, gold: Gold) -> Found:
        found = self.words(gold.written)
        if len(found) != 1:
            return Found(gold, "ambiguous" if found else "unreadable", "several" if found else "", _places(found))
        return _with(found[0], grade=gold.grade, written=gold.written)

    def _differs(self, found: Found) -> bool:
        if found.state != "in_stock" or not found.gold.written:
            return False
        meant = self.words(found.gold.written)
        certain = bool(meant) and all(one.state == "in_stock" for one in meant)
        return certain and found.gold.address not in {one.gold.address for one in meant}

    # --- what a person wrote --------------------------------------------------------------------------------------------

    def read(self, cell: str, grade: int = LOWEST) -> tuple[tuple[Found, ...], ...]:
        """The needs that a cell names, each with its alternatives. ``grade`` is meant where the cell gives none.

        Norms that are named together ("§§ 5 und 7 SGB V") are needed all.
        """
        needs: list[tuple[Found, ...]] = []
        for alternatives in needs_in(cell):
            groups = self._alternatives(alternatives, grade)
            if len(groups) == 1:
                needs += [(found,) for found in groups[0]]
            else:
                needs.append(tuple(_single(group, one) for group, one in zip(groups, alternatives, strict=True)))
        return tuple(needs)

    def document(self, word: str, grade: int = LOWEST) -> tuple[Found, ...]:
        """The norms that the id of a document in a foreign file means: an address, a chunk in stock, or words."""
        address = address_of(word)
        if address is not None:
            return (self.settle(Gold(address, grade)),)
        text = unprotected(word)
        piece = _PIECE.fullmatch(text)
        if piece and self.federation is not None and piece["corpus"] in self.federation.specs:
            container = "" if piece["container"] == "-" else piece["container"]
            found = self.settle(Gold(Address(piece["corpus"], container, piece["section"]), grade, text))
            return (msgspec.structs.replace(found, note="piece"),)
        return tuple(_with(one, grade=grade) for one in self.words(text))

    def _alternatives(self, alternatives: tuple[Written, ...], grade: int) -> list[tuple[Found, ...]]:
        """The norms of each alternative; one that names no corpus belongs to the corpus of the one behind it ("§ 5 oder § 7 SGB V")."""
        groups: list[tuple[Found, ...]] = []
        corpus = ""
        for one in reversed(alternatives):
            found = self._one(one, grade, corpus)
            corpora = {each.gold.address.corpus_id for each in found if each.note != "only_one"}
            corpus = corpora.pop() if len(corpora) == 1 else corpus
            groups.insert(0, found)
        return groups

    def _one(self, one: Written, grade: int, corpus: str) -> tuple[Found, ...]:
        if one.grade:
            if one.grade not in ("1", "2", "3"):
                return (Found(Gold(NOWHERE, grade, one.words or one.place), "unreadable", "grade"),)
            grade = int(one.grade)
        address = address_of(one.place)
        if address is not None and (one.words or _DOC_ID in one.place):
            return (self.settle(Gold(address, grade, one.words)),)
        text = unprotected(f"{one.words} = {one.place}" if one.words else one.place)
        found = self.words(text)
        if corpus and all(each.note == "only_one" or not each.gold.address.corpus_id for each in found):
            nearer = self.words(f"{corpus} {text}")
            found = tuple(_with(each, written=text) for each in nearer if each.gold.address.corpus_id) or found
        return tuple(_with(each, grade=grade) for each in found) or (Found(Gold(NOWHERE, grade, text), "unreadable"),)

    def words(self, text: str) -> tuple[Found, ...]:
        """The norms that a person's words name ("SGB V § 129 Absatz 2", "sgb_v § 129 Abs. 2"); empty when they name none."""
        if text not in self._known:
            self._known[text] = tuple(dict.fromkeys(self._read(" ".join(text.split()), text)))
        return self._known[text]

    def _read(self, text: str, written: str) -> Iterable[Found]:
        exact = address_of(text)
        if self.federation is None:
            return [Found(Gold(exact) if exact else Gold(NOWHERE, written=written), "unchecked")] if text else []
        located = self._located(Gold(exact)) if exact else None
        if located and located.state in ("in_stock", "repealed"):
            return [located]
        people = [_with(one, written=written) for one in self._people(text)]
        if located and (not people or all(one.state == "not_in_stock" for one in people)):
            return [located]
        return people

    # --- the stock --------------------------------------------------------------------------------------------------------

    def _people(self, text: str) -> Iterator[Found]:
        federation = self._stock
        corpus, rest = self._corpus_id(text)
        targets = federation.book.read(rest, federation.names)
        if corpus:
            yield from (self._of(msgspec.structs.replace(target, corpus_id=corpus)) for target in targets)
            return
        seen = look_up(text, federation)
        if seen.elsewhere or seen.strange or (targets and not seen.corpora and _strange(text)):
            yield Found(Gold(NOWHERE), "not_in_stock")
            return
        yield from (self._of(target) for target in targets)

    def _corpus_id(self, text: str) -> tuple[str, str]:
        """The id of a corpus that stands in the words, and the words without it."""
        ids = {corpus.casefold(): corpus for corpus in self._stock.specs}
        for word in text.split():
            if (corpus := ids.get(word.strip(",:;()").casefold())) and ("_" in word or word.islower()):
                return corpus, " ".join(text.replace(word, " ", 1).split())
        return "", text

    def _of(self, target: Target) -> Found:
        """The gold norm that a target means in this stock."""
        book = self._stock.book
        named = Address(target.corpus_id, target.container_id or "", target.section_id, target.subsection or "")
        if not target.section_id:
            return Found(Gold(named), "unreadable", "whole_part")
        places = [book.locate(place.corpus_id, place.container_id, target.section_id, named.subsection) for place in book.places(target)]
        here = [(self._as_stored(place), state) for place, state in places if state != "not_found"]
        if len(here) == 1:
            place, state = here[0]
            note: Note = "" if target.corpus_id else "only_one"
            return Found(Gold(place), "repealed" if state == "repealed" else "in_stock", note)
        if not here:
            return Found(Gold(named if named.corpus_id else NOWHERE), "not_in_stock")
        return Found(Gold(named if named.corpus_id else NOWHERE), "ambiguous", "", tuple(place for place, _ in here))

    def _located(self, gold: Gold) -> Found:
        """A gold norm with a corpus: where it stands, else in the container that the stock spells so or that is meant by default."""
        book, address = self._stock.book, gold.address
        if address.corpus_id not in book.specs:
            return Found(gold, "not_in_stock")
        container = book.container(address.corpus_id, address.container_id)
        if not address.section_id:
            return Found(gold, "unreadable", "whole_part")
        if container is None and address.container_id:
            return Found(gold, "not_in_stock")
        exact = Target(address.corpus_id, address.section_id, container, address.subsection or None)
        return _with(self._of(exact), grade=gold.grade, written=gold.written)

    def _as_stored(self, place: Address) -> Address:
        """A section without numbered Absätze is its own first; its chunks carry no number, so the gold carries none."""
        if not place.subsection:
            return place
        chunk_ids = self._stock.book.find(Target(place.corpus_id, place.section_id, place.container_id, place.subsection))
        numbered = any(self._stock.chunk(chunk_id).subsection for chunk_id in chunk_ids)
        return place if numbered else msgspec.structs.replace(place, subsection="")

    @property
    def _stock(self) -> Federation:
        if self.federation is None:
            raise RuntimeError("there is no stock to look in")
        return self.federation


def _strange(text: str) -> bool:
    """Whether words are left beside the citations of a text that names no known corpus: the name of something nobody knows."""
    rest = text
    for citation in reversed(citations(text)):
        rest = rest[: citation.start] + rest[citation.end :]
    return any(not _LEVELS.fullmatch(word.casefold()) for word in _WORD.findall(rest))


def _single(group: tuple[Found, ...], one: Written) -> Found:
    """The one norm of an alternative; several at once ("§§ 1 und 2 oder § 3") could mean either thing."""
    if len(group) == 1:
        return group[0]
    written = unprotected(one.words or one.place)
    return Found(Gold(NOWHERE, group[0].gold.grade, written), "unreadable", "several", _places(group))


def _places(group: Iterable[Found]) -> tuple[Address, ...]:
    return tuple(found.gold.address for found in group if found.gold.address != NOWHERE)


def _with(found: Found, *, grade: int | None = None, written: str | None = None) -> Found:
    """The same norm with the grade and the words of a person, where they are given."""
    gold = found.gold
    grade = gold.grade if grade is None else grade
    written = gold.written if written is None else written
    return msgspec.structs.replace(found, gold=Gold(gold.address, grade, written))


def _needs(needs: Iterable[Iterable[Found]]) -> tuple[Need, ...]:
    return tuple(Need(tuple(found.gold for found in need)) for need in needs)

"""What the tests of question sets share: a small stock in memory, builders, and sets as Hypothesis makes them."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.spelling import NOWHERE
from retrieval.lexical import LexicalIndex
from retrieval.model import Address, Chunk, CorpusSpec
from retrieval.ports import Fingerprint
from retrieval.stock import CorpusStock, Federation, NoVectors

SPECS = (
    CorpusSpec("sgb_v", "Fünftes Buch Sozialgesetzbuch", "statute", ("SGB V",)),
    CorpusSpec("ampreisv", "Arzneimittelpreisverordnung", "ordinance", ("AMPreisV",)),
    CorpusSpec("ta1", "Technische Anlage 1", "agreement", ("TA1",)),
    CorpusSpec("rahmenvertrag", "Lieferrahmenvertrag", "contract", ("LRV",), default_container_id="Vertrag"),
    CorpusSpec("satzung", "Satzung mit zwei Teilen", "other", ("SatzT",)),
)
# corpus, container, section, Absätze
NORMS = (
    ("sgb_v", "", "§ 31", ("1",)),
    ("sgb_v", "", "§ 129", ("1", "2")),
    ("sgb_v", "", "§ 129a", ("",)),
    ("sgb_v", "", "§ 300", ("",)),
    ("ampreisv", "", "§ 3", ("1",)),
    ("ta1", "", "Ziffer 4.10", ("",)),
    ("rahmenvertrag", "Vertrag", "§ 10", ("1",)),
    ("rahmenvertrag", "Anlage 11", "§ 10", ("1",)),
    ("satzung", "Teil A", "§ 5", ("",)),
    ("satzung", "Teil B", "§ 5", ("",)),
)
REPEALED = "§ 300"


@cache
def federation(pieces: int = 1) -> Federation:
    """The stock, every Absatz cut into this many pieces."""
    chunks: dict[str, list[Chunk]] = {spec.corpus_id: [] for spec in SPECS}
    for corpus, container, section, subsections in NORMS:
        place = 0
        for subsection in subsections:
            for _ in range(pieces):
                chunk_id = f"{corpus}/{container or '-'}/{section}/{place}"
                gone = section == REPEALED
                chunks[corpus].append(Chunk(chunk_id, corpus, container, section, subsection, place, f"Text {chunk_id}", repealed=gone))
                place += 1
    stocks = [CorpusStock(spec, chunks[spec.corpus_id], NoVectors("none"), Fingerprint("", "", 0)) for spec in SPECS]
    return Federation(stocks, LexicalIndex({}), {})


def address(text: str) -> Address:
    """An address from its four parts, parted by bars; the last ones may be left out."""
    return Address(*text.split("|"))


def need(*golds: str | Gold) -> Need:
    """A need with these alternatives."""
    return Need(tuple(gold if isinstance(gold, Gold) else Gold(address(gold)) for gold in golds))


def question(question_id: str, text: str = "", *needs: Need, **more: object) -> Question:
    """A question; without a text it asks for its own id."""
    return Question(question_id, text or f"Was gilt für {question_id}?", needs, **more)  # type: ignore[arg-type]


# --- generated sets ---------------------------------------------------------------------------------------------------------

# Signs that could be mistaken for separators, guards, formulas or escapes, umlauts in both forms, and what is no Latin letter.
_SIGNS = "abz ÄöüßE\u0301§.,;:|=[]%\\'\"/-+@#\u2212\u00a0\u3042\U0001f600\n{}()019"
_LINE = st.text(st.sampled_from(_SIGNS), min_size=1, max_size=20).map(lambda text: text.strip().strip("\u00a0"))
words = _LINE.filter(bool)
one_line = words.map(lambda text: " ".join(text.split())).filter(bool)
_part = st.sampled_from(["§ 1", "§ 129a", "Ziffer 4.10", "Artikel 3", "Anlage 1", "Inhaltsübersicht", "§ 5; oder § 6", "a:b|c", "1 = 2"])
addresses = st.builds(
    Address,
    st.sampled_from(["sgb_v", "am-rl", "Groß Buch", "x"]),
    st.sampled_from(["", "Vertrag", "Anlage 11", "Teil oder Anhang", "Abs. 3"]),
    _part,
    st.sampled_from(["", "1", "4a", "2.1", "x y"]),
)
_resolved = st.builds(Gold, addresses, st.integers(1, 3), st.just("") | words)
_open = st.builds(Gold, st.just(NOWHERE), st.integers(1, 3), st.sampled_from(["SGB V § 129 Absatz 2", "unklar; 50 % | oder = [3]", "§ 1"]))


def _once(needs: list[list[Gold]]) -> tuple[Need, ...]:
    """Each norm of a question once: a second time it says nothing new."""
    seen: set[object] = set()
    kept: list[Need] = []
    for group in needs:
        new = []
        for gold in group:
            key = gold.address if gold.address != NOWHERE else gold.written
            if key not in seen:
                seen.add(key)
                new.append(gold)
        kept += [Need(tuple(new))] if new else []
    return tuple(kept)


_needs = st.lists(st.lists(_resolved | _open, min_size=1, max_size=3), max_size=4).map(_once)
_dates = st.just("") | st.dates().filter(lambda day: day.year >= 1000).map(lambda day: day.isoformat())


@st.composite
def question_sets(draw: st.DrawFn, texts: st.SearchStrategy[str] = words) -> QuestionSet:
    """Sets of up to five questions with unique ids and unique words."""
    count = draw(st.integers(0, 5))
    ids = draw(st.lists(one_line, min_size=count, max_size=count, unique=True))
    asked = draw(st.lists(texts, min_size=count, max_size=count, unique_by=lambda text: " ".join(text.split())))
    made = [
        Question(
            question_id,
            text,
            draw(_needs),
            draw(st.booleans()),
            tuple(draw(st.lists(one_line, max_size=3, unique=True))),
            draw(st.just("") | words),
            draw(st.just("") | words),
            draw(_dates),
        )
        for question_id, text in zip(ids, asked, strict=True)
    ]
    return QuestionSet("fragen", tuple(made))

"""A federation in memory for the page: small invented corpora, one of them full of hostile text, and switches that make parts fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retrieval.anchors import Anchor, AnchorRegister
from retrieval.errors import BrokenStock, NoDatabase
from retrieval.federated import FederatedRetriever
from retrieval.lexical import LexicalIndex
from retrieval.model import (
    Address,
    AnchorClaim,
    Chunk,
    CorpusAnswer,
    CorpusSpec,
    ReadyHit,
    Reference,
    RouteAnswer,
    RouteHit,
    Routing,
    Target,
    Units,
    hash_text,
)
from retrieval.ports import Fingerprint, Question
from retrieval.stock import CorpusStock, Federation, NoVectors

MARKDOWN = "1. Faktor:preis [neu] kostet 5 $ bis 7 $; *) siehe Fußnote_a_; 3~4 Tage; # 12"
HTML = "<img src=x onerror=alert(1)> § 5 </div><style>body{display:none}</style>"
LINK = "[weiter](javascript:alert(1))"
HOSTILE = f"Arzneimittel abgeben {MARKDOWN} {HTML} {LINK}"
QUESTION = "Wann darf die Apotheke ein anderes Arzneimittel abgeben?"
TOUR = f"""
[[step]]
id = "ohne"
de = "Ohne Quote fehlt der § 10 des Vertrages."
en = "Without the quota § 10 of the contract is missing."
question = "{QUESTION}"
without = ["quota"]
norms = [{{ corpus = "vertrag", section = "§ 10" }}]
shows = "corpora"
expects = [{{ corpus = "vertrag", in_list = false }}]

[[step]]
id = "mit"
de = "Mit der Quote steht der § 10 des Vertrages in der Liste."
en = "With the quota § 10 of the contract is in the list."
question = "{QUESTION}"
compare_with = {{ without = ["quota"] }}
norms = [{{ corpus = "vertrag", section = "§ 10" }}]
shows = "floor"
expects = [{{ corpus = "vertrag", section = "§ 10" }}]

[[step]]
id = "falsch"
de = "Dieser Satz stimmt nicht."
en = "This sentence is not true."
question = "{QUESTION}"
settings = {{ max_final_results = 4 }}
compare_with = {{ settings = {{ max_final_results = 6 }} }}
expects = [{{ corpus = "vereinbarung", section = "Ziffer 5", place = 1 }}, {{ corpus = "anderes", section = "§ 1" }}]
"""

THEMES = (
    "Die Apotheke darf ein anderes Arzneimittel abgeben, wenn das rabattierte nicht verfügbar ist.",
    "Ist ein Arzneimittel nicht lieferbar, darf die Apotheke ein wirkstoffgleiches abgeben.",
    "Die Apotheke dokumentiert, wann und warum sie abweicht.",
    "Arzneimittel sind trocken und kühl zu lagern.",
    "Der Vorstand tritt einmal im Jahr zusammen.",
)
PAIRS = [
    (question, passage, fits == number)
    for fits, question in enumerate(
        (QUESTION, "Was gilt für nicht lieferbare Arzneimittel?", "Was dokumentiert die Apotheke?", "Wo sind Arzneimittel zu lagern?")
    )
    for number, passage in enumerate(THEMES)
]
"""Questions and passages, and whether they belong together: what a small reranker is taught."""


def _chunk(corpus: str, section: str, text: str, container: str = "", heading: str = "", subsection: str = "") -> Chunk:
    address = Address(corpus, container, section, subsection)
    chunk_id = "|".join(part for part in (corpus, container, section, subsection) if part)
    values = {"heading": heading, "source": "für den Test erfunden", "stand": "Fassung 1", "path": ("Erstes Buch",)}
    return Chunk(chunk_id, corpus, container, section, subsection, 0, text, hash_text(address, text), **values)  # type: ignore[arg-type]


def _gesetz() -> list[Chunk]:
    return [
        _chunk("gesetz", f"§ {number}", f"{THEMES[number % 3]} Absatz {number}.", heading="Abgabe", subsection="1")
        for number in range(1, 25)
    ]


CHUNKS: dict[str, list[Chunk]] = {
    "gesetz": _gesetz(),
    "vertrag": [
        _chunk("vertrag", "§ 10", "Die Apotheke darf abweichen. Näheres regeln § 2 AMG-T und § 7 ApoG.", "Vertrag", "Abweichung"),
        _chunk("vertrag", "§ 10", "Die Apotheke rechnet die Abweichung ab.", "Anlage 11", "Abrechnung"),
        _chunk("vertrag", "§ 11", THEMES[4], "Vertrag", "Vorstand"),
    ],
    "vereinbarung": [
        _chunk(
            "vereinbarung",
            "Ziffer 4.10",
            "Wer anders abgibt, setzt das Sonderkennzeichen. Arzneimittel sind zu nennen.",
            heading="Kennzeichen",
        ),
        _chunk("vereinbarung", "Ziffer 5", "Die Abrechnung erfolgt monatlich.", heading="Abrechnung"),
    ],
    "seltsam": [
        _chunk("seltsam", "§ 7", f"{HTML} Es gilt § 5 und § 2 AMG-T. {LINK}", heading=MARKDOWN),
        _chunk("seltsam", "§ 5", f"{MARKDOWN}\n{HTML}\n{LINK}\nDie Apotheke darf abgeben.", heading=HTML),
        _chunk("seltsam", "§ 6 <b>f</b> $x$", f"{LINK} Arzneimittel abgeben", heading=LINK),
    ],
}
SPECS = {
    "gesetz": CorpusSpec("gesetz", "Gesetz über Arzneimittel", "statute", ("AMG-T",), "Stand: 1. Januar 2033"),
    "vertrag": CorpusSpec("vertrag", "Rahmenvertrag mit Anlagen", "contract", ("RV",), default_container_id="Vertrag"),
    "vereinbarung": CorpusSpec("vereinbarung", "Abrechnungsvereinbarung", "agreement", ("TA-T",), invented=True),
    "seltsam": CorpusSpec("seltsam", f"{HTML} {MARKDOWN}", "other", ("<i>S</i>", LINK)),
}


def _words(text: str) -> list[str]:
    return [word.strip(".,?;:!").lower() for word in text.split() if len(word.strip(".,?;:!")) > 3]


class Corpus:
    """A corpus in memory: the vector route counts shared words, the lexical route counts them too, on another scale."""

    def __init__(self, corpus_id: str, registry: Registry, fails: str = "") -> None:
        self.corpus_id, self.registry, self.fails = corpus_id, registry, fails
        self.chunks = {chunk.chunk_id: chunk for chunk in CHUNKS[corpus_id]}
        self.asked = 0

    @property
    def federation(self) -> Federation:
        return self.registry.federation

    def prepare(self, question: str, explicit_sections: Sequence[str] = ()) -> Question:
        self.registry.embedded += 1
        return Question(question, words=tuple(_words(question)))

    def candidates(self, question: Question, fetch_k: int, where: Mapping[str, Any] | None = None) -> CorpusAnswer:
        self.asked += 1
        if self.fails == "corpus":
            raise RuntimeError(f"kaputt {HTML}")
        if not question.words:
            empty = (RouteAnswer("vector", "empty", way="exact"), RouteAnswer("lexical", "empty", way="bm25", note="no_usable_words"))
            return CorpusAnswer(self.corpus_id, "empty", empty, size=len(self.chunks))
        shared = {key: len(set(question.words) & set(_words(chunk.text))) / len(question.words) for key, chunk in self.chunks.items()}
        order = sorted((key for key in shared if shared[key] > 0), key=lambda key: -shared[key])[:fetch_k]
        vector = tuple(RouteHit(key, 0.1 + 0.7 * shared[key], 0.9 * shared[key]) for key in order)
        lexical = tuple(RouteHit(key, 12 * shared[key], shared[key] ** 2, question.words) for key in order[: fetch_k // 2 + 1])
        broken = RouteAnswer("lexical", "failed", error_class="RuntimeError", error="Wortindex fehlt")
        words = broken if self.fails == "lexical" else RouteAnswer("lexical", "ok" if lexical else "empty", lexical, way="bm25")
        routes = (RouteAnswer("vector", "ok" if vector else "empty", vector, way="exact"), words)
        return CorpusAnswer(self.corpus_id, "ok" if vector else "empty", routes, size=len(self.chunks))

    def chunk(self, chunk_id: str) -> Chunk:
        return self.chunks[chunk_id]

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        return self.registry.federation.references(chunk_id)

    def units(self, target: Target) -> Units:
        found = [
            chunk
            for chunk in self.chunks.values()
            if chunk.section_id == target.section_id and target.container_id in (None, "", chunk.container_id)
        ]
        hits = tuple(ReadyHit(chunk.chunk_id, 1.0, ("section_lookup",)) for chunk in found[: target.max_chunks])
        return Units("found" if hits else "not_found", hits)


class Registry:
    """The corpora in memory; ``stamp`` is what another process would change."""

    def __init__(self, corpora: Sequence[str], fails: Mapping[str, str]) -> None:
        self.corpora = {corpus: Corpus(corpus, self, fails.get(corpus, "")) for corpus in corpora}
        self.stamp = "1"
        self.embedded = 0
        self.inconsistent = ""
        self.blocked: dict[str, str] = {}
        self.unreadable: BrokenStock | None = None
        stocks = [CorpusStock(SPECS[corpus], CHUNKS[corpus], NoVectors("none"), Fingerprint("", "", 0)) for corpus in corpora]
        self.federation = Federation(stocks, LexicalIndex({}), {})

    def available(self) -> list[str]:
        return list(self.corpora)

    def retriever(self, corpus_id: str) -> Corpus:
        return self.corpora[corpus_id]

    def reload_if_changed(self) -> bool:
        if self.unreadable is not None:
            raise self.unreadable
        return False

    def spec(self, corpus_id: str) -> CorpusSpec:
        return SPECS[corpus_id]

    def stamps(self) -> tuple[str, str]:
        return self.stamp, "im Speicher"

    def assert_consistent_embedding(self) -> str:
        return self.inconsistent


class _Router:
    def __call__(self, question: str, ids: Sequence[str]) -> list[str]:
        return [routing.corpus_id for routing in self.explain(question, ids)]

    def explain(self, question: str, corpora: Sequence[str]) -> list[Routing]:
        return [Routing(corpus, (SPECS[corpus].names[0],)) for corpus in corpora if SPECS[corpus].names[0] in question]


class _Anchors(AnchorRegister):
    """Two anchors that apply, the second of them to nothing; and a register of three for the page that checks it."""

    def __init__(self) -> None:
        places = {"kennzeichen": ("vereinbarung", "Ziffer 4.10"), "leer": ("vereinbarung", "Ziffer 99"), "alt": ("gesetz", "§ 99")}
        anchors = [
            Anchor(name, Target(corpus, section), (((HTML.casefold(),),),), (HTML,), MARKDOWN, "Redaktion", "2033-05-02", line)
            for line, (name, (corpus, section)) in enumerate(places.items(), start=1)
        ]
        super().__init__(anchors, "abc123")

    def __call__(self, question: str) -> tuple[Target, ...]:
        return tuple(claim.target for claim in self.claims(question))

    def claims(self, question: str) -> tuple[AnchorClaim, ...]:
        if "Sonderkennzeichen" not in question:
            return ()
        note = f"Die Ziffer entscheidet. {MARKDOWN}"
        first = AnchorClaim(
            Target("vereinbarung", "Ziffer 4.10", max_chunks=1), note, "Redaktion", "2033-05-02", "Sonderkennzeichen", "kennzeichen"
        )
        void = AnchorClaim(Target("vereinbarung", "Ziffer 99"), "", trigger="Sonderkennzeichen", anchor_id="leer")
        return first, void


class _Verweise:
    def __call__(self, hits: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> list[Target]:
        return []

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        raise AssertionError("a run asks the corpora themselves")


def federation(corpora: Sequence[str] = tuple(CHUNKS), fails: Mapping[str, str] | None = None) -> FederatedRetriever:
    """The federation over some of the corpora; ``fails`` says of a corpus ``corpus`` or ``lexical``."""
    registry = Registry(corpora, fails or {})
    router = _Router()
    return FederatedRetriever(registry, router=router, anchors=_Anchors(), verweise=_Verweise(), named_corpora=router)


OPENED: list[FederatedRetriever] = []


def opener(index: Path, anchors: Path | None) -> FederatedRetriever:
    """A federation by the name of the index folder, kept in OPENED; NoDatabase for a name that stands for none."""
    OPENED.append(_opened(index))
    return OPENED[-1]


def _opened(index: Path) -> FederatedRetriever:
    if index.name == "unread":
        raise BrokenStock(f"Corpus gesetz: found 3 vectors, expected 24. Read it in again. {HTML}")
    if index.name == "empty":
        return federation(())
    if index.name == "broken_corpus":
        return federation(fails={"vertrag": "corpus"})
    if index.name == "broken_words":
        return federation(("gesetz", "vertrag"), fails={"gesetz": "lexical"})
    if index.name == "mixed":
        mixed = federation()
        mixed.registry.inconsistent = "gesetz and vertrag do not share a model"
        return mixed
    if index.name == "full":
        return federation()
    raise NoDatabase(f"{index}: found no database.")

"""The ports: what the product asks of an encoder, of a retriever and of the four injected callables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from retrieval.model import AnchorClaim, Chunk, CorpusAnswer, CorpusSpec, Reference, Routing, Target, Units

Matrix = NDArray[np.float32]


class Fingerprint(msgspec.Struct, frozen=True):
    """What must be equal for two collections to be compared by score.

    ``background`` is the model's background similarity: the cosine that an unrelated pair of question and passage reaches. It is
    measured at ingest, one constant per model. ``near`` is the cosine of a pair that clearly belongs together, measured beside it; None in
    a stock that was made before it was measured.
    """

    model: str
    revision: str
    dimension: int
    question_prompt: str = ""
    passage_prompt: str = ""
    normalised: bool = True
    metric: str = "cosine"
    chunking: str = ""
    background: float = 0.0
    near: float | None = None


class Encoder(Protocol):
    """Turns questions and passages into unit vectors of one length. Texts in, float32 matrix (texts x dimension) out."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Model, revision, dimension and prompts; ``chunking``, ``background`` and ``near`` are left empty here."""
        ...

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of questions, one row each."""
        ...

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of passages, one row each."""
        ...

    def truncated(self, texts: Sequence[str]) -> list[int]:
        """Positions of the texts that the model does not read to their end."""
        ...


class Reranker(Protocol):
    """Reads a question and a passage together and says how well they fit, as a raw number (logit) of its own scale."""

    @property
    def fingerprint(self) -> str:
        """Model and revision; the same text means the same scores. May load the model, and raise EncoderError where it does not load."""
        ...

    def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """One raw score for each passage, in their order; a passage has the same score whatever stands beside it."""
        ...


@runtime_checkable
class Source(Protocol):
    """A retriever of ours: hands over what its routes found, before any fusion, and keeps its chunks at hand.

    One that has ``affinity(question) -> float`` besides says how near its corpus is, from 0 to 1, and is left out last.
    """

    @property
    def federation(self) -> Any:
        """What the corpora of one federation share; a question is prepared once for each."""
        ...

    def prepare(self, question: str, explicit_sections: Sequence[str] = ()) -> Question:
        """The question embedded, split into words, with the sections that it names."""
        ...

    def candidates(self, question: Question, fetch_k: int, where: Mapping[str, Any] | None = None) -> CorpusAnswer:
        """Both routes and the look-up of named sections, best first; never raises for a failed route, it says so."""
        ...

    def chunk(self, chunk_id: str) -> Chunk:
        """The chunk with this id."""
        ...

    def units(self, target: Target) -> Units:
        """The chunks of a norm by its address alone."""
        ...

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        """The references in this chunk's text, in the order of the text."""
        ...


@runtime_checkable
class ReadsReferences(Protocol):
    """A reference provider of ours: it rests on the references that each corpus of ours knows of its chunks, before any ranking.

    A run asks the corpora themselves, so that all of it speaks of one state of the stock.
    """

    def references(self, chunk_id: str) -> tuple[Reference, ...]:
        """The references in this chunk's text, in the order of the text."""
        ...


class Question(msgspec.Struct, frozen=True):
    """One question, prepared once for all corpora: its vector per model, its tokens, the sections that it names.

    ``vectors`` maps the model's key to the vector; ``encoder_error`` says why a model gave none. ``words`` are the words that the word
    search uses, as the question has them. ``sections`` are addresses as far as the question names them (corpus may be empty: not named).
    """

    text: str
    vectors: Mapping[str, Any] = {}
    tokens: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    sections: tuple[Target, ...] = ()
    encoder_error: Mapping[str, str] = {}


class Registry(Protocol):
    """The corpora that can be asked. Foreign registries need ``available`` and ``retriever`` only."""

    def available(self) -> Sequence[str]: ...

    def retriever(self, corpus_id: str) -> Any: ...

    def spec(self, corpus_id: str) -> CorpusSpec | Any: ...


Router = Callable[[str, Sequence[str]], Iterable[str]]
NamedCorpora = Callable[[str, Sequence[str]], Iterable[str]]
Anchors = Callable[[str], Iterable[Any]]
Verweise = Callable[[Sequence[Mapping[str, Any]], Sequence[str]], Iterable[Any]]


@runtime_checkable
class ExplainsRouting(Protocol):
    """A router that can say which words named which corpus."""

    def explain(self, question: str, corpora: Sequence[str]) -> Sequence[Routing]: ...


@runtime_checkable
class ExplainsAnchors(Protocol):
    """A register that can say which claim applied and why."""

    def claims(self, question: str) -> Sequence[AnchorClaim]: ...

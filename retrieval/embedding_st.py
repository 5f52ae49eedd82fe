"""Encoders of the sentence-transformers library, loaded from this machine only and refused where they are not what they claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np

from retrieval.errors import EncoderError
from retrieval.ports import Fingerprint, Matrix
from retrieval.vectors import unit_rows

_QUESTION_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")
_WHOLE_FILE = 1 << 20
"""Files up to this size (bytes) are hashed whole, of larger ones both ends: a model's weights differ there too."""


class SentenceTransformersEncoder:
    """A model folder with its prompts. The revision is the commit of a downloaded model, else a hash of the folder's files.

    Prompts are the ones that the model defines for ``query`` and ``document`` (or ``passage``); others are chosen by name or given as
    text. Vectors of one text computed alone and among others may differ in the last bits, as the library pads its batches.
    """

    def __init__(self, folder: Path, name: str = "", prompts: Mapping[str, str] | None = None) -> None:
        """Raises EncoderError for a folder that is no sentence encoder, an undefined prompt name or a model that does not load."""
        shown = name or folder.name
        _refuse_other_models(folder, shown)
        question, passage = _prompts(_json(folder / "config_sentence_transformers.json"), prompts or {}, shown)
        self._question, self._passage = question, passage
        self._model = _loaded(folder, shown)
        probe = self._encoded(["Apotheke"], question, query=True)
        self.fingerprint = Fingerprint(shown, _revision(folder), probe.shape[1], question, passage)

    @classmethod
    def named(cls, name: str) -> SentenceTransformersEncoder:
        """From a folder or a model's name, with prompts behind a question mark: see ``retrieval.embedding``."""
        place, _, choice = name.partition("?")
        fields = {key: values[-1] for key, values in parse_qs(choice, keep_blank_values=True).items()}
        unknown = sorted(set(fields) - {"question", "passage", "question_text", "passage_text"})
        if unknown:
            raise EncoderError(f"Encoder {place!r}: found {unknown[0]!r}; expected question, passage, question_text, passage_text.")
        folder = Path(place).expanduser()
        return cls(folder, prompts=fields) if folder.is_dir() else cls(_downloaded(place), place, fields)

    def questions(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of questions, one row each, encoded with the question prompt."""
        return self._encoded(texts, self._question, query=True)

    def passages(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of passages, one row each, encoded with the passage prompt."""
        return self._encoded(texts, self._passage, query=False)

    def truncated(self, texts: Sequence[str]) -> list[int]:
        """Positions of the texts that have more tokens, with prompt, than the model reads; counted with its own tokenizer."""
        limit = self._model.max_seq_length
        if not texts or limit is None or limit == float("inf"):
            return []
        whole = self._model.tokenizer([self._passage + text for text in texts], truncation=False, verbose=False)["input_ids"]
        return [place for place, tokens in enumerate(whole) if len(tokens) > limit]

    def _encoded(self, texts: Sequence[str], prompt: str, query: bool) -> Matrix:
        if not texts:
            return np.empty((0, self.fingerprint.dimension), dtype=np.float32)
        encode = self._model.encode_query if query else self._model.encode_document
        return unit_rows(encode(list(texts), prompt=prompt, show_progress_bar=False, convert_to_numpy=True))


def _downloaded(name: str) -> Path:
    """The folder of a model that was downloaded earlier. Nothing is asked of the network."""
    try:
        from huggingface_hub import constants, snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as cause:
        raise _no_library() from cause
    for candidate in (name,) if "/" in name else (f"sentence-transformers/{name}", name):
        try:
            return Path(snapshot_download(candidate, local_files_only=True))
        except (LocalEntryNotFoundError, HFValidationError):
            continue
    raise EncoderError(
        f"The model {name!r} is not on this machine: there is no folder {str(Path(name).absolute())!r} and no downloaded model in "
        f"{constants.HF_HUB_CACHE!r}. Put its folder there or give the path; nothing is downloaded here."
    )


def _refuse_other_models(folder: Path, shown: str) -> None:
    modules = _json(folder / "modules.json")
    if not isinstance(modules, list) or not modules:
        raise EncoderError(
            f"{shown}: found no modules.json with the parts of a sentence encoder in the folder; a plain language model has no agreed way "
            "to make one vector of a text. Give the folder of a sentence-transformers model."
        )
    kind = (_json(folder / "config_sentence_transformers.json") or {}).get("model_type", "SentenceTransformer")
    if kind != "SentenceTransformer":
        raise EncoderError(f"{shown}: found a model of the kind {kind}; expected a SentenceTransformer. Give another model.")


def _json(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as cause:
        raise EncoderError(f"{path.name} of the model cannot be read: {cause}. Copy the model's folder again.") from cause


def _prompts(config: Mapping[str, Any] | None, chosen: Mapping[str, str], shown: str) -> tuple[str, str]:
    defined: Mapping[str, str] = (config or {}).get("prompts") or {}
    return (
        _prompt(defined, chosen.get("question"), chosen.get("question_text"), _QUESTION_PROMPTS, shown),
        _prompt(defined, chosen.get("passage"), chosen.get("passage_text"), _PASSAGE_PROMPTS, shown),
    )


def _prompt(defined: Mapping[str, str], name: str | None, text: str | None, usual: Sequence[str], shown: str) -> str:
    if text is not None:
        return text
    if name is None:
        return next((defined[key] for key in usual if defined.get(key)), "")
    if name not in defined:
        known = ", ".join(sorted(defined)) or "none"
        raise EncoderError(f"{shown}: found the prompt name {name!r}; the model defines: {known}. Choose one or give the text.")
    return defined[name]


def _loaded(folder: Path, shown: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as cause:
        raise _no_library() from cause
    try:
        return SentenceTransformer(str(folder), local_files_only=True)
    except Exception as cause:
        # The library and the ones below it raise what they like: OSError, ValueError, RuntimeError, their own.
        raise EncoderError(
            f"{shown}: the model does not load ({type(cause).__name__}: {str(cause)[:200]}). Copy its folder again or choose another."
        ) from cause


def _no_library() -> EncoderError:
    return EncoderError(
        "The library sentence-transformers is not installed, which this encoder needs. Install fundstelle[models] or choose 'use'."
    )


def _revision(folder: Path) -> str:
    if folder.parent.name == "snapshots":
        return folder.name
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md"):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\x1f{size}\x1f".encode())
        with path.open("rb") as file:
            digest.update(file.read(_WHOLE_FILE))
            if size > _WHOLE_FILE:
                file.seek(-_WHOLE_FILE, 2)
                digest.update(file.read())
    return digest.hexdigest()[:16]

"""Encoders of the sentence-transformers library, loaded from this machine only and refused where they are not what they claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np

from retrieval.errors import EncoderError
from retrieval.modelfolder import downloaded, json_of, no_library, revision
from retrieval.ports import Fingerprint, Matrix
from retrieval.vectors import unit_rows

_QUESTION_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformersEncoder:
    """A model folder with its prompts. The revision is the commit of a downloaded model, else a hash of the folder's files.

    Prompts are the ones that the model defines for ``query`` and ``document`` (or ``passage``); others are chosen by name or given as
    text. Vectors of one text computed alone and among others may differ in the last bits, as the library pads its batches.
    """

    def __init__(self, folder: Path, name: str = "", prompts: Mapping[str, str] | None = None) -> None:
        """Raises EncoderError for a folder that is no sentence encoder, an undefined prompt name or a model that does not load."""
        shown = name or folder.name
        _refuse_other_models(folder, shown)
        question, passage = _prompts(json_of(folder / "config_sentence_transformers.json"), prompts or {}, shown)
        self._question, self._passage = question, passage
        self._model = _loaded(folder, shown)
        probe = self._encoded(["Apotheke"], question, query=True)
        self.fingerprint = Fingerprint(shown, revision(folder), probe.shape[1], question, passage)

    @classmethod
    def named(cls, name: str) -> SentenceTransformersEncoder:
        """From a folder or a model's name, with prompts behind a question mark: see ``retrieval.embedding``."""
        place, _, choice = name.partition("?")
        fields = {key: values[-1] for key, values in parse_qs(choice, keep_blank_values=True).items()}
        unknown = sorted(set(fields) - {"question", "passage", "question_text", "passage_text"})
        if unknown:
            raise EncoderError(f"Encoder {place!r}: found {unknown[0]!r}; expected question, passage, question_text, passage_text.")
        folder = Path(place).expanduser()
        return cls(folder, prompts=fields) if folder.is_dir() else cls(downloaded(place), place, fields)

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


def _refuse_other_models(folder: Path, shown: str) -> None:
    modules = json_of(folder / "modules.json")
    if not isinstance(modules, list) or not modules:
        raise EncoderError(
            f"{shown}: found no modules.json with the parts of a sentence encoder in the folder; a plain language model has no agreed way "
            "to make one vector of a text. Give the folder of a sentence-transformers model."
        )
    kind = (json_of(folder / "config_sentence_transformers.json") or {}).get("model_type", "SentenceTransformer")
    if kind != "SentenceTransformer":
        raise EncoderError(f"{shown}: found a model of the kind {kind}; expected a SentenceTransformer. Give another model.")


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
        raise no_library() from cause
    try:
        return SentenceTransformer(str(folder), local_files_only=True)
    except Exception as cause:
        # The library and the ones below it raise what they like: OSError, ValueError, RuntimeError, their own.
        raise EncoderError(
            f"{shown}: the model does not load ({type(cause).__name__}: {str(cause)[:200]}). Copy its folder again or choose another."
        ) from cause

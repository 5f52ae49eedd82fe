"""Cross-encoders of the sentence-transformers library, loaded from this machine only and refused where they are not what they claim."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from retrieval.errors import EncoderError
from retrieval.modelfolder import downloaded, json_of, revision

THREADS = "FUNDSTELLE_THREADS"
"""The environment may name here how many threads a model uses."""
_MOST_THREADS = 4
"""A page serves several people: more threads than this gain little for one text and take the machine from everybody else."""
_WANTED = "expected a cross-encoder with one label, which reads question and text together"


class CrossEncoderReranker:
    """A model folder. Scores are the raw outputs (logits) of the model: its own activation, by default a sigmoid, is left out.

    Each pair is computed by itself, so that a text has the same score whatever stands beside it and in whatever order: batches differ in
    the last bits, and on a processor without GPU they save no time, as short texts are padded to the longest. Longer texts than the model
    reads are cut by it at their end.
    """

    def __init__(self, folder: Path, name: str = "", threads: int | None = None) -> None:
        """Raises EncoderError for a folder that is no cross-encoder with one label, or a model that does not load."""
        self.name = name or folder.name
        _refuse_other_models(folder, self.name)
        self._model = _loaded(folder, self.name)
        labels = getattr(self._model, "num_labels", 1)
        if labels != 1:
            raise EncoderError(f"{self.name}: found a model with {labels} labels; {_WANTED}. Give another model.")
        _bound_threads(threads or threads_of(os.environ.get(THREADS, "")))
        self.fingerprint = f"{self.name} {revision(folder)}"

    @classmethod
    def named(cls, name: str) -> CrossEncoderReranker:
        """From a folder or the name of a downloaded model. Raises EncoderError."""
        folder = Path(name).expanduser()
        return cls(folder) if folder.is_dir() else cls(downloaded(name), name)

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """The raw score of each passage for the question, in their order."""
        if not passages:
            return []
        from torch.nn import Identity

        pairs = [(question, passage) for passage in passages]
        return [float(score) for score in self._model.predict(pairs, batch_size=1, activation_fn=Identity(), show_progress_bar=False)]


def threads_of(text: str, cores: int | None = None) -> int:
    """How many threads a model may use: the number that was set, else at most four and never more than there are cores.

    Raises EncoderError for a text that is no whole number of at least 1.
    """
    if not text.strip():
        return min(_MOST_THREADS, cores or os.cpu_count() or 1)
    if not text.strip().isascii() or not text.strip().isdigit() or int(text) < 1:
        raise EncoderError(f"{THREADS}: found {text[:40]!r}, expected a whole number of at least 1. Correct it or leave it away.")
    return int(text)


def _bound_threads(most: int) -> None:
    import torch

    torch.set_num_threads(min(most, torch.get_num_threads()))


def _refuse_other_models(folder: Path, shown: str) -> None:
    """Refuse what can be seen in the files; the library would load a sentence encoder too and give it a head of random numbers."""
    config = json_of(folder / "config.json")
    if not isinstance(config, dict):
        raise EncoderError(f"{shown}: found no config.json of a model in the folder; {_WANTED}. Give the model's folder.")
    described = json_of(folder / "config_sentence_transformers.json") or {}
    modules = json_of(folder / "modules.json")
    kind = described.get("model_type", "SentenceTransformer") if modules else "CrossEncoder"
    if kind != "CrossEncoder":
        raise EncoderError(f"{shown}: found a model of the kind {kind}; {_WANTED}. Give another model.")
    built = " ".join(str(name) for name in config.get("architectures") or ())
    if not modules and "ForSequenceClassification" not in built:
        raise EncoderError(f"{shown}: found a model of the kind {built or 'without a name'}; {_WANTED}. Give another model.")
    labels = config.get("num_labels") or len(config.get("id2label") or {"0": ""})
    if "ForSequenceClassification" in built and labels != 1:
        raise EncoderError(f"{shown}: found a model with {labels} labels; {_WANTED}. Give another model.")


def _loaded(folder: Path, shown: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as cause:
        raise EncoderError(
            "The library sentence-transformers is not installed, which the reranker needs. Install fundstelle[models] or switch it off."
        ) from cause
    try:
        return CrossEncoder(str(folder), local_files_only=True)
    except Exception as cause:
        # The library and the ones below it raise what they like: OSError, ValueError, RuntimeError, their own.
        raise EncoderError(
            f"{shown}: the model does not load ({type(cause).__name__}: {str(cause)[:200]}). Copy its folder again or choose another."
        ) from cause

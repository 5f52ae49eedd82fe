"""Folders of models on this machine: where a downloaded one lies, what its files say, and by which hash it is told from others."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from retrieval.errors import EncoderError

_WHOLE_FILE = 1 << 20
"""Files up to this size (bytes) are hashed whole, of larger ones both ends: a model's weights differ there too."""


def downloaded(name: str) -> Path:
    """The folder of a model that was downloaded earlier. Nothing is asked of the network. Raises EncoderError where there is none."""
    try:
        from huggingface_hub import constants, snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as cause:
        raise no_library() from cause
    for candidate in (name,) if "/" in name else (f"sentence-transformers/{name}", name):
        try:
            return Path(snapshot_download(candidate, local_files_only=True))
        except (LocalEntryNotFoundError, HFValidationError):
            continue
    raise EncoderError(
        f"The model {name!r} is not on this machine: there is no folder {str(Path(name).absolute())!r} and no downloaded model in "
        f"{constants.HF_HUB_CACHE!r}. Put its folder there or give the path; nothing is downloaded here."
    )


def json_of(path: Path) -> Any:
    """What a JSON file of a model says; None where there is no such file. Raises EncoderError for one that cannot be read."""
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as cause:
        raise EncoderError(f"{path.name} of the model cannot be read: {cause}. Copy the model's folder again.") from cause


def no_library() -> EncoderError:
    """The error of a machine without the library that the models need."""
    return EncoderError(
        "The library sentence-transformers is not installed, which this encoder needs. Install fundstelle[models] or choose 'use'."
    )


def revision(folder: Path) -> str:
    """The commit of a downloaded model, else a hash of the folder's files (16 hex digits)."""
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

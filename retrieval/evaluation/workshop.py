"""The workshop: the folder in which tuning keeps its question sets, judgements, sweeps, protocols and decisions.

Nothing is made before something is written. Names of files are made from names that people give; what is no name is refused.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from retrieval.errors import BadInput

_NAME = re.compile(r"[0-9A-Za-zÄÖÜäöüß][0-9A-Za-zÄÖÜäöüß _.-]{0,79}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class Workshop:
    """The places of one workshop: five folders that may not be there yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sets = folder / "sets"
        self.judgements = folder / "judgements"
        self.sweeps = folder / "sweeps"
        self.protocols = folder / "protocols"
        self.decisions = folder / "decisions"

    def set_files(self) -> tuple[Path, ...]:
        """The files of all question sets, by name."""
        return tuple(sorted(self.sets.glob("*.toml"))) if self.sets.is_dir() else ()

    def set_file(self, name: str) -> Path:
        """The file of the set of this name, there or not. Raises BadInput for what is no name."""
        return self.sets / f"{file_name(name)}.toml"

    def judgements_file(self, name: str) -> Path:
        """The judgements beside the gold of a set."""
        return self.judgements / f"{file_name(name)}.jsonl"

    def protocol_file(self, name: str) -> Path:
        """The protocol of what was done with a set."""
        return self.protocols / f"{file_name(name)}.jsonl"


def file_name(name: str) -> str:
    """A name as the stem of a file. Raises BadInput for one that no file system takes everywhere."""
    plain = unicodedata.normalize("NFC", " ".join(name.split()))  # some disks part ä into a and its points
    if not _NAME.fullmatch(plain) or _RESERVED.fullmatch(plain) or plain.endswith((".", " ")):
        raise BadInput(
            f"The name {name[:40]!r}: found characters that a file name cannot have everywhere; expected letters, digits, spaces, "
            "points, _ and -, beginning with a letter or digit, at most 80. Choose such a name."
        )
    return plain

"""Names that people give become names of files inside the workshop, on every disk, or are refused."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from retrieval.errors import BadInput
from retrieval.evaluation.workshop import Workshop, file_name

TRICKS = ("../x", "..", "a/b", "a\\b", "a\0b", ".x", "x.", "C:x", "*", "")
RESERVED = ("CON", "con", "con.txt", "nul ", "LPT9.alt")
ALIKE = ("Fra\u0261en", "\ufb01le", "\uff21", "COM\u00b9", "a\u202eb", "a\u200bb")


@pytest.mark.parametrize("name", [*TRICKS, *RESERVED, *ALIKE, "x" * 81, "x" * 10_000])
def test_a_name_that_leads_elsewhere_or_hides_something_is_refused_in_a_short_sentence(name: str) -> None:
    for place in (Workshop(Path("w")).set_file, Workshop(Path("w")).judgements_file, Workshop(Path("w")).protocol_file):
        with pytest.raises(BadInput, match="Choose such a name") as caught:
            place(name)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("name", "file"), [("Prüfung 2", "Prüfung 2"), ("  a \n b ", "a b"), ("v1.2_x-y", "v1.2_x-y"), ("console", "console")]
)
def test_a_name_is_the_file_inside_the_folder(name: str, file: str) -> None:
    assert Workshop(Path("w")).set_file(name) == Path("w") / "sets" / f"{file}.toml"


def test_letters_that_some_disks_take_apart_are_the_same_name() -> None:
    parted = unicodedata.normalize("NFD", "Prüfung")
    assert parted != "Prüfung"
    assert file_name(parted) == "Prüfung"


def test_nothing_is_made_before_something_is_written(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path / "w")
    assert workshop.set_files() == ()
    assert not workshop.folder.exists()

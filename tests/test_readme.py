"""What README and CONTRIBUTING say is true: the table of settings, the commands, the files, the lines of code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from retrieval import cli
from retrieval.commands.settings import markdown
from retrieval.commands.terminal import CliWords

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands() -> list[list[str]]:
    lines = "\n".join(blocks("sh")).splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [line[1:] for line in words if line and Path(line[0]).name == "fundstelle"]


def paths(text: str) -> list[str]:
    """What stands as a path in the text: quoted with a slash or an ending, or the target of a link."""
    quoted = re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.\w+)`", text)
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    return sorted({*quoted, *links})


def test_the_table_of_settings_is_the_one_that_the_program_prints() -> None:
    found = re.search(r"<!-- settings -->\n(.*?)\n<!-- /settings -->", README, re.DOTALL)
    assert found is not None
    assert found.group(1) == markdown(CliWords("de")), "run: fundstelle settings --markdown"


@pytest.mark.parametrize("line", commands(), ids=" ".join)
def test_every_command_of_the_readme_is_understood(line: list[str]) -> None:
    assert callable(cli.arguments(line).run)


def test_the_readme_shows_commands() -> None:
    assert {line[0] for line in commands()} >= {"corpora", "ask", "serve"}


# Where something will lie is no promise that it lies there in a fresh copy.
MADE_LATER = {".venv/bin/", "data/demo", "./fundstelle-index"}


@pytest.mark.parametrize("name", sorted({*paths(README), *paths(CONTRIBUTING)} - MADE_LATER))
def test_every_path_in_readme_and_contributing_exists(name: str) -> None:
    assert (ROOT / name).exists()


def test_the_table_for_newcomers_names_a_place_in_every_row() -> None:
    table = CONTRIBUTING.partition("## Where a newcomer adds something")[2].partition("\n## ")[0]
    rows = [row for row in table.splitlines() if row.startswith("| ")][1:]
    assert len(rows) >= 6
    assert [row for row in rows if not paths(row)] == []


def test_the_lines_of_python_in_the_readme_run(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = blocks("python")
    names: dict[str, object] = {}
    exec(block.replace("data/demo", str(sample_index)), names)
    hits, trace = names["hits"], names["trace"]
    assert isinstance(hits, list)
    assert 0 < len(hits) <= 10
    assert [hit["metadata"]["chunk_id"] for hit in hits] == [entry.chunk_id for entry in trace.final]  # type: ignore[attr-defined]


def test_the_readme_names_every_top_folder_of_the_code() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert folders
    assert [folder for folder in folders if f"`{folder}/`" not in README] == []


def test_the_changelog_names_the_version_of_the_package() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version is not None
    assert f"## [{version.group(1)}]" in CHANGELOG or "## [Unveröffentlicht]" in CHANGELOG

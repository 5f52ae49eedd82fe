"""The file of a question set: read with clear faults, written whole, for one writer at a time, with every version kept."""

from __future__ import annotations

import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from filelock import FileLock
from hypothesis import given, settings

from retrieval.errors import BadInput
from retrieval.evaluation import sets
from retrieval.evaluation.model import Gold, Question, QuestionSet
from retrieval.evaluation.settext import parse, written
from tests.evaluation.question_sets import address, need, question, question_sets

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_corpora" / "questions.toml"
NOW = datetime(2033, 5, 2, 10, 0, tzinfo=UTC)
COMMENTED = """# Fragen der Redaktion.
name = "Probe"

# Diese Frage ist die wichtigste.
[[question]]
id = "eins"
text = "Erste Frage?"
# mit zwei Normen
gold = [
    { written = "§ 1", corpus = "gesetz", section = "§ 1" }, # die erste
    { any_of = [{ corpus = "gesetz", section = "§ 2" }, { corpus = "vertrag", container = "Anlage 1", section = "§ 2", grade = 3 }] },
]
shows = "Vorführung"

[[question]]
id = "zwei"
text = '''
[[question]]
# kein Kommentar
'''
date = 2033-05-02
"""


def test_the_sample_file_reads_as_a_set_as_it_is() -> None:
    loaded = sets.load(SAMPLE)
    raw = tomllib.loads(SAMPLE.read_text("utf-8"))["question"]
    assert loaded.questions.name == "questions"
    assert [one.id for one in loaded.questions.questions] == [entry["id"] for entry in raw]
    assert [len(one.needs) for one in loaded.questions.questions] == [len(entry["gold"]) for entry in raw]
    chain = loaded.questions.questions[1]
    assert chain.chain
    assert chain.needs[1] == need(Gold(address("abgabevertrag|Vertrag|§ 14"), 1, "§ 14 Abgabevertrag"))


def test_a_set_that_did_not_change_is_written_byte_for_byte() -> None:
    content = SAMPLE.read_bytes()
    assert written(parse(content, SAMPLE.name), content, SAMPLE.name) == content


def test_alternatives_grades_and_dates_are_read() -> None:
    one, two = parse(COMMENTED.encode()).questions
    assert [len(each.any_of) for each in one.needs] == [1, 2]
    assert one.needs[1].any_of[1] == Gold(address("vertrag|Anlage 1|§ 2"), 3)
    assert (two.date, two.text) == ("2033-05-02", "[[question]]\n# kein Kommentar\n")


def test_a_change_touches_its_question_only_and_keeps_the_comments() -> None:
    old = parse(COMMENTED.encode())
    changed = msgspec.structs.replace(old.questions[0], note="neu")
    text = written(msgspec.structs.replace(old, questions=(changed, old.questions[1])), COMMENTED.encode()).decode()
    assert text.startswith(COMMENTED[: COMMENTED.index("id =")] + "# mit zwei Normen\n")
    assert 'note = "neu"\nshows = "Vorführung"\n' in text
    assert COMMENTED[COMMENTED.index('[[question]]\nid = "zwei"') :] in text


def test_quotation_marks_of_every_kind_open_no_text_that_is_none() -> None:
    texts = ["'''", '"""', "# ''' kein Text", "Ende mit \\", '\\"""', '""""']
    old = QuestionSet("fragen", tuple(question(f"q{number}", "", note=text) for number, text in enumerate(texts)))
    before = b"# oben\n\n" + written(old) + b'\n[[question]]\nid = "lang"\ntext = """\n\\"""\n[[question]]\nx""""\n'
    assert written(parse(before), before) == before


def test_new_questions_come_behind_and_removed_ones_go() -> None:
    old = parse(COMMENTED.encode())
    new = msgspec.structs.replace(old, questions=(old.questions[1], question("drei")))
    text = written(new, COMMENTED.encode()).decode()
    assert parse(text.encode()) == new
    assert text.index("zwei") < text.index("drei")
    assert "eins" not in text


@given(question_sets())
def test_what_is_written_is_read_again(made: QuestionSet) -> None:
    assert parse(written(made), "fragen.toml") == made


@settings(max_examples=60)
@given(question_sets(), question_sets())
def test_a_set_is_read_again_whatever_stood_in_the_file_before(old: QuestionSet, new: QuestionSet) -> None:
    before = b"# oben\n\n" + written(old) + b"# unten\n"
    content = written(new, before)
    assert parse(content, "fragen.toml") == new
    assert content.startswith(b"# oben\n") or not old.questions


def test_signs_that_hide_are_written_as_escapes() -> None:
    made = QuestionSet("fragen", (question("a", "vor\u202enach\u2028\x7f"),))
    content = written(made)
    assert b"\\u202e" in content
    assert b"\\u2028" in content
    assert parse(content) == made


@pytest.mark.parametrize(
    ("entry", "line", "said"),
    [
        ('id = "b"', 5, "the key 'text' is missing"),
        ('id = "a"\ntext = "x"', 6, "stands already in line 2"),
        ('id = "b"\ntext = " "', 7, "'text' is empty"),
        ('id = "b"\ntext = "x"\nchian = true', 8, "the key 'chian' is unknown"),
        ('id = "b"\ntext = "x"\nchain = "ja"', 8, "Expected true or false"),
        ('id = "b"\ntext = "x"\ntags = "Kette"', 8, "Expected a list of words"),
        ('id = "b"\ntext = "x"\ndate = "gestern"', 8, "Expected a date such as 2033-05-02"),
        ('id = "b"\ntext = "x"\ngold = "§ 1"', 8, "Expected a list of norms"),
        ('id = "b"\ntext = "x"\ngold = [{ section = "§ 1" }]', 8, "neither 'corpus' nor 'written'"),
        ('id = "b"\ntext = "x"\ngold = [{ corpus = "g" }]', 8, "no 'section'"),
        ('id = "b"\ntext = "x"\ngold = [{ corpus = "g", section = "§ 1", grade = 7 }]', 8, "from 1 (helps) to 3 (decides)"),
        ('id = "b"\ntext = "x"\ngold = [{ corpus = "g", section = "§ 1", paragraph = 7 }]', 8, "the key 'paragraph' is unknown"),
        ('id = "b"\ntext = "x"\ngold = [{ any_of = [] }]', 8, "'any_of' is"),
    ],
)
def test_a_fault_is_named_with_its_line(entry: str, line: int, said: str) -> None:
    text = f'[[question]]\nid = "a"\ntext = "Frage"\n\n[[question]]\n{entry}\n'
    with pytest.raises(BadInput) as raised:
        parse(text.encode(), "probe.toml")
    message = str(raised.value)
    assert message.startswith("probe.toml: 1 fault(s)")
    assert f"Line {line}" in message
    assert said in message


def test_all_faults_are_named_together() -> None:
    with pytest.raises(BadInput, match=r"3 fault\(s\)"):
        parse(b'title = "x"\n[[question]]\nid = "a"\ntext = 3\n[[question]]\nid = "a"\ntext = "y"\n')


@pytest.mark.parametrize(
    ("content", "said"),
    [(b'id = "\xff"', "line 1"), (b"[[question]]\nid = \ntext", "line 2"), (b"question = 3", "two brackets")],
)
def test_what_is_no_set_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse(content)


@pytest.mark.parametrize(
    "bad",
    [question("a", "\ud800"), question("", "x"), Question("a", "x", date="bald"), question("a", "x", need(Gold(address("g||§ 1"), 9)))],
)
def test_what_would_not_be_read_back_is_not_written(tmp_path: Path, bad: Question) -> None:
    path = tmp_path / "fragen.toml"
    with pytest.raises(BadInput):
        sets.save(path, QuestionSet("fragen", (bad,)), "")
    assert not path.exists()


# --- writing ----------------------------------------------------------------------------------------------------------------


def made(*ids: str) -> QuestionSet:
    return QuestionSet("fragen", tuple(question(one) for one in ids))


def test_a_new_set_is_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    saved = sets.save(path, made("a"), "", NOW)
    assert sets.load(path) == saved
    assert [version.time for version in sets.history(path)] == ["2033-05-02T10:00:00+00:00"]


def test_nobody_overwrites_what_somebody_else_has_written(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    seen = sets.save(path, made("a"), "", NOW).seen
    theirs = sets.save(path, made("a", "b"), seen, NOW + timedelta(seconds=1))
    with pytest.raises(sets.SetChanged, match="Read it again"):
        sets.save(path, made("a", "c"), seen)
    with pytest.raises(sets.SetChanged, match="there already"):
        sets.save(path, made("c"), "")
    assert sets.load(path) == theirs


def test_a_change_by_hand_counts_and_is_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    seen = sets.save(path, made("a"), "", NOW).seen
    by_hand = path.read_bytes() + b"# von Hand\n"
    path.write_bytes(by_hand)
    with pytest.raises(sets.SetChanged):
        sets.save(path, made("b"), seen)
    loaded = sets.load(path)
    sets.save(path, made("b"), loaded.seen, NOW + timedelta(days=9000))
    kept = {version.hash for version in sets.history(path)}
    assert sets.file_hash(by_hand)[:12] in kept
    assert len(kept) == 3


def test_a_kept_version_comes_back_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    path.write_text(COMMENTED, "utf-8")
    first = sets.load(path)
    second = sets.save(path, made("a"), first.seen)
    assert [version.hash for version in sets.history(path)] == [second.seen[:12], first.seen[:12]]
    assert sets.version(path, first.seen[:6]).questions == first.questions
    restored = sets.restore(path, first.seen[:12], second.seen)
    assert path.read_text("utf-8") == COMMENTED
    assert restored.seen == first.seen
    assert len(sets.history(path)) == 3


def test_a_kept_version_is_called_like_its_set(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    made = QuestionSet("fragen", (question("a"),))
    sets.save(path, made, "")
    assert sets.version(path, sets.history(path)[0].name).questions == made


def test_restoring_is_refused_for_an_unknown_version_and_a_set_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    first = sets.save(path, made("a"), "", NOW)
    second = sets.save(path, made("b"), first.seen, NOW + timedelta(seconds=1))
    with pytest.raises(BadInput, match="found 0 versions"):
        sets.restore(path, "zzz", second.seen)
    with pytest.raises(BadInput, match="found 0 versions"):
        sets.restore(path, "", second.seen)
    with pytest.raises(sets.SetChanged):
        sets.restore(path, first.seen[:12], first.seen)


def test_a_second_writer_is_told_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fragen.toml"
    saved = sets.save(path, made("a"), "", NOW)
    monkeypatch.setattr(sets, "_PATIENCE", 0.05)
    with FileLock(tmp_path / "fragen.toml.history" / "write.lock"), pytest.raises(sets.SetBusy, match="Try again"):
        sets.save(path, made("b"), saved.seen)
    assert sets.load(path) == saved


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fragen.toml"
    sets.save(path, made("start"), "")

    def add(question_id: str) -> None:
        while True:
            loaded = sets.load(path)
            try:
                sets.save(
                    path,
                    msgspec.structs.replace(loaded.questions, questions=(*loaded.questions.questions, question(question_id))),
                    loaded.seen,
                )
            except sets.SetChanged:
                continue
            return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, "abcdefgh"))
    assert {one.id for one in sets.load(path).questions.questions} == {"start", *"abcdefgh"}
    assert len(sets.history(path)) == 9


def test_what_breaks_off_leaves_the_old_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fragen.toml"
    saved = sets.save(path, made("a"), "", NOW)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match=r"fragen\.toml: writing broke off \(No space left on device\).*Make room"):
        sets.save(path, made("b"), saved.seen)
    assert sets.load(path) == saved
    assert [one.name for one in tmp_path.rglob("*.new")] == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "fragen.toml", tmp_path / "hier.toml"
    saved = sets.save(path, made("a"), "", NOW)
    link.symlink_to(path)
    sets.save(link, made("b"), saved.seen)
    assert link.is_symlink()
    assert sets.load(path).questions == made("b")


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing can be written"):
        sets.save(tmp_path / "fehlt" / "fragen.toml", made("a"), "")


def test_the_fingerprint_knows_the_questions_and_no_comments() -> None:
    bare = "\n".join(line for line in COMMENTED.splitlines() if not line.startswith("#")) + "\n"
    one, other = parse(COMMENTED.encode()), parse(bare.replace("Erste", "Andere").encode())
    assert sets.fingerprint(one) == sets.fingerprint(parse((COMMENTED + "# noch etwas\n").encode()))
    assert sets.fingerprint(one) != sets.fingerprint(other)

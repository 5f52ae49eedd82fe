"""Postings on the disk: built once, shared, rebuilt when they are not whole, and never searched otherwise than the full sum."""

from __future__ import annotations

import math
import multiprocessing
import os
import shutil
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval import lexical, postings
from retrieval.lexical import LexicalHit, LexicalIndex, StoredTokens
from retrieval.postings import Postings, Words, kept

TEXTS = {"a": ["frist rechnung", "ware ware kunde", ""], "b": ["frist frist lager", "zahlung"]}
ALPHABET = [f"w{number}" for number in range(12)]


def words(corpora: Mapping[str, Sequence[str]] = TEXTS) -> dict[str, Words]:
    return {name: StoredTokens.of(texts).of_rows(range(len(texts))) for name, texts in corpora.items()}


def answers(found: Postings) -> list[list[LexicalHit]]:
    index = LexicalIndex(found)
    return [index.search(corpus, "", ("frist", "ware", "lager"), 10) for corpus in TEXTS]


class Builder:
    """Hands out the words and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> dict[str, Words]:
        self.asked += 1
        return words()


def only(folder: Path) -> Path:
    """The one index that is kept here."""
    (place,) = (folder / postings.FOLDER).iterdir()
    return place


# --- the sum ------------------------------------------------------------------------------------------------------------


def textbook(corpora: Mapping[str, Sequence[str]], question: Sequence[str]) -> dict[str, list[float]]:
    """BM25 as it is written down, document by document."""
    documents = [text.split() for texts in corpora.values() for text in texts]
    average = sum(map(len, documents)) / len(documents)

    def score(text: str) -> float:
        held, total = Counter(text.split()), 0.0
        for word in question:
            holding = sum(word in document for document in documents)
            if held[word]:
                idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
                total += idf * held[word] * 2.5 / (held[word] + 1.5 * (0.25 + 0.75 * len(text.split()) / average))
        return total

    return {name: [score(text) for text in texts] for name, texts in corpora.items()}


TEXT = st.lists(st.sampled_from(ALPHABET + ALPHABET[:3] * 4), max_size=12).map(" ".join)


@given(
    st.lists(st.lists(TEXT, min_size=1, max_size=12), min_size=1, max_size=4),
    st.lists(st.sampled_from([*ALPHABET, "unbekannt"]), min_size=1, max_size=6),
    st.sampled_from([1, 2, 5, 100]),
    st.sampled_from([(1, 1), (8, 10**9), (1 << 16, 50)]),
    st.randoms(use_true_random=False),
)
def test_lists_and_scores_are_those_of_the_full_sum_whatever_is_left_out(
    texts: list[list[str]], question: list[str], k: int, size: tuple[int, int], random: Any
) -> None:
    corpora = {f"werk{place}": corpus for place, corpus in enumerate(texts)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "_BLOCK", size[0])
        patch.setattr(lexical, "_CHEAP", size[1])
        index = LexicalIndex({name: (StoredTokens.of(corpus), range(len(corpus))) for name, corpus in corpora.items()})
        expected = textbook(corpora, question) if any(map(any, texts)) else {}
        best = max((score for scores in expected.values() for score in scores), default=0.0)
        if random.random() < 0.5:
            assert index.ceiling(question) >= best - 1e-12
        for name, scores in expected.items():
            mask = [random.random() < 0.7 for _ in scores]
            places = sorted(
                (place for place, score in enumerate(scores) if score and mask[place]), key=lambda one: (-round(scores[one], 9), one)
            )
            found = index.search(name, "", question, k, mask)
            assert [hit.row for hit in found] == places[:k]
            assert [hit.score for hit in found] == pytest.approx([scores[place] for place in places[:k]], rel=1e-12)
            held = [set(question) & set(corpora[name][hit.row].split()) for hit in found]
            assert [set(hit.words) for hit in found] == held


def test_a_frequent_word_is_looked_up_for_the_documents_that_it_can_still_bring_in() -> None:
    index = LexicalIndex({"a": (StoredTokens.of(["w1 w2"] * 5 + ["w2"] * 2000), range(2005))})
    asked = ("w1", "w2")
    assert [hit.row for hit in index.search("a", "", asked, 5)] == [0, 1, 2, 3, 4]
    (block,) = index._question(asked).blocks
    assert np.count_nonzero(block._scores) == 5


def test_the_same_question_scores_the_same_after_a_longer_list_was_asked_for() -> None:
    texts = [f"wort{'a' * (number % 7)} ware {'kunde ' * (number % 5)}" for number in range(400)]
    index = LexicalIndex({"a": (StoredTokens.of(texts), range(len(texts)))})
    asked = ("kund", "war", "wortaaa")
    short = index.search("a", "", asked, 3)
    assert index.search("a", "", asked, 400)[:3] == short == index.search("a", "", asked, 3)


# --- on the disk --------------------------------------------------------------------------------------------------------


def test_postings_are_built_once_and_then_read_from_the_disk(tmp_path: Path) -> None:
    builder = Builder()
    first = kept(tmp_path, "one", builder)
    again = kept(tmp_path, "one", builder)
    assert builder.asked == 1
    assert answers(first) == answers(again) == answers(Postings.of(words())) != [[], []]
    assert all(isinstance(array, np.memmap) for array in again.arrays.values())


def test_an_index_without_a_word_is_kept_too(tmp_path: Path) -> None:
    for corpora in ({}, {"a": ["", "der die das"]}):
        found = [kept(tmp_path, f"{len(corpora)}", lambda corpora=corpora: words(corpora)) for _ in range(2)]  # type: ignore[misc]
        assert [one.size for one in found] == [len(corpora.get("a", ())), len(corpora.get("a", ()))]
        assert LexicalIndex(found[1]).search("a", "", ("frist",), 5) == []


def test_another_version_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    builder = Builder()
    kept(tmp_path, "one", builder)
    kept(tmp_path, "two", builder)
    assert builder.asked == 2
    assert only(tmp_path).name.endswith("-two")


def test_postings_in_use_outlive_their_files(tmp_path: Path) -> None:
    used = kept(tmp_path, "one", words)
    before = answers(used)
    shutil.rmtree(tmp_path / postings.FOLDER)
    assert answers(used) == before


@pytest.mark.parametrize("name", ["about.json", "documents.npy", "norms.npy", "letters.npy"])
@pytest.mark.parametrize("damage", ["cut", "gone", "flipped", "foreign"])
def test_a_damaged_index_is_made_anew(tmp_path: Path, name: str, damage: str) -> None:
    builder = Builder()
    kept(tmp_path, "one", builder)
    path = only(tmp_path) / name
    content = path.read_bytes()
    other = content[:-1] + bytes([content[-1] ^ 1])
    path.unlink()
    if damage != "gone":
        path.write_bytes({"cut": content[:-3], "flipped": other, "foreign": b"PK\x03\x04 something else"}[damage])
    assert answers(kept(tmp_path, "one", builder)) == answers(Postings.of(words()))
    assert builder.asked == 2
    assert answers(kept(tmp_path, "one", builder)) == answers(Postings.of(words()))
    assert builder.asked == 2


def test_an_index_under_another_key_is_not_taken_for_ours(tmp_path: Path) -> None:
    kept(tmp_path, "one", words)
    shutil.copytree(only(tmp_path), tmp_path / postings.FOLDER / "1-two")
    builder = Builder()
    kept(tmp_path, "two", builder)
    assert builder.asked == 1


def test_where_nothing_can_be_written_the_index_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / postings.FOLDER).write_text("a file where the folder should be")
    found = kept(tmp_path, "one", words)
    assert answers(found) == answers(Postings.of(words()))
    assert not any(isinstance(array, np.memmap) for array in found.arrays.values())


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    assert answers(kept(tmp_path, "one", words)) == answers(Postings.of(words()))
    assert list((tmp_path / postings.FOLDER).iterdir()) == []


def test_what_another_process_is_writing_stays_and_what_nobody_writes_goes(tmp_path: Path) -> None:
    begun, left = (tmp_path / postings.FOLDER / name for name in ("1-zwei.abc", "1-drei.def"))
    begun.mkdir(parents=True)
    left.mkdir()
    os.utime(left, (0, 0))
    kept(tmp_path, "one", words)
    assert begun.is_dir()
    assert not left.exists()


def test_the_first_of_two_that_build_at_once_wins_and_both_work(tmp_path: Path) -> None:
    met = threading.Barrier(2)
    found: list[Postings] = []

    def together() -> dict[str, Words]:
        met.wait(timeout=10)
        return words()

    threads = [threading.Thread(target=lambda: found.append(kept(tmp_path, "one", together))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers(found[0]) == answers(found[1]) == answers(Postings.of(words()))
    assert only(tmp_path).name.endswith("-one")


def _open_and_tell(folder: Path, told: Any) -> None:
    told.put(answers(kept(folder, "one", words)))


def test_several_processes_share_one_index(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    told = spawn.Queue()
    processes = [spawn.Process(target=_open_and_tell, args=(tmp_path, told)) for _ in range(2)]
    for process in processes:
        process.start()
    seen = [told.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert seen == [answers(Postings.of(words()))] * 2
    assert only(tmp_path).name.endswith("-one")

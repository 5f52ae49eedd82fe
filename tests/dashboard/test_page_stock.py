"""Places, example questions and the memory of pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.stock import Places, Runs, example_questions
from retrieval.decide import decide
from retrieval.errors import BadSource, BrokenStock
from retrieval.settings import Settings
from tests.dashboard.demo import QUESTION, federation


def test_the_environment_names_the_places_and_an_empty_name_is_none() -> None:
    places = Places.of({"FUNDSTELLE_INDEX": "index", "FUNDSTELLE_ANCHORS": " "})
    assert places == Places(Path("index").absolute(), None, None)


def test_example_questions_are_read_once_each_in_order(tmp_path: Path) -> None:
    file = tmp_path / "fragen.toml"
    file.write_text(
        '[[question]]\ntext = "Zwei?"\n[[question]]\ntext = " Eins? "\n[[question]]\ntext = "Zwei?"\n[[question]]\nid = "x"\n', "utf-8"
    )
    assert example_questions(file) == ("Zwei?", "Eins?")
    assert example_questions(None) == ()


@pytest.mark.parametrize("text", ["kein toml [", "x = 1", "question = 3"])
def test_a_file_without_questions_is_refused_with_what_was_expected(tmp_path: Path, text: str) -> None:
    file = tmp_path / "fragen.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(BadSource, match=r"Expected"):
        example_questions(file)


def test_moving_a_slider_ten_times_embeds_the_question_once_and_asks_each_corpus_once() -> None:
    runs = Runs(federation())
    for step in range(10):
        settings = Settings.of(weight_vector=0.1 + step / 20, min_ratio=step / 10, fusion="rrf" if step % 2 else "weighted")
        decide(runs.pool(QUESTION, settings), settings)
    registry = runs.registry
    assert registry.embedded == 1
    assert [corpus.asked for corpus in registry.corpora.values()] == [1, 1, 1, 1]


def test_one_more_corpus_asks_that_corpus_only() -> None:
    runs = Runs(federation())
    runs.pool(QUESTION, Settings.of(max_corpora_per_query=2))
    runs.pool(QUESTION, Settings.of(max_corpora_per_query=3))
    assert [corpus.asked for corpus in runs.registry.corpora.values()] == [1, 1, 1, 0]


def test_what_one_reader_lifts_stays_as_it_was_for_the_next() -> None:
    runs = Runs(federation())
    named = "Was sagt TA-T zu Arzneimittel? Apotheke abgeben"
    first = decide(runs.pool(named, Settings()), Settings())
    other = decide(runs.pool(QUESTION, Settings()), Settings())
    again = decide(runs.pool(named, Settings.of(weight_vector=0.9)), Settings.of(weight_vector=0.9))
    fresh = Runs(federation())
    assert other == decide(fresh.pool(QUESTION, Settings()), Settings())
    assert again == decide(fresh.pool(named, Settings.of(weight_vector=0.9)), Settings.of(weight_vector=0.9))
    assert first == decide(runs.pool(named, Settings()), Settings())


def test_a_changed_stock_is_asked_anew() -> None:
    runs = Runs(federation())
    runs.pool(QUESTION, Settings())
    runs.registry.stamp = "2"
    assert runs.pool(QUESTION, Settings()).stamps.index == "2"
    assert runs.registry.corpora["gesetz"].asked == 2


def test_the_memory_of_pools_is_bounded_and_keeps_the_latest() -> None:
    runs = Runs(federation(), most=2)
    for question in ("Apotheke eins", "Apotheke zwei", "Apotheke eins", "Apotheke drei", "Apotheke eins"):
        runs.pool(question, Settings())
    assert runs.registry.corpora["gesetz"].asked == 3


def test_a_forgotten_question_is_asked_again() -> None:
    runs = Runs(federation())
    runs.pool(QUESTION, Settings())
    runs.forget(QUESTION)
    runs.pool(QUESTION, Settings())
    assert runs.registry.corpora["gesetz"].asked == 2


def test_a_stock_that_cannot_be_reloaded_keeps_the_open_one() -> None:
    runs = Runs(federation())
    assert runs.look() is None
    runs.registry.unreadable = BrokenStock("writing")
    assert isinstance(runs.look(), BrokenStock)
    assert runs.stamp == "1"


def test_what_was_gathered_without_vectors_is_asked_again_when_the_server_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(federation())
    runs.pool(QUESTION, Settings())
    monkeypatch.setattr(runs.registry, "reload_if_changed", lambda: True)
    assert runs.look() is None
    runs.pool(QUESTION, Settings())
    assert runs.registry.corpora["gesetz"].asked == 2

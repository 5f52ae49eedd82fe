"""The words of German texts, and BM25 over a whole federation."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import BrokenStock
from retrieval.lexical import LexicalHit, LexicalIndex, StoredTokens, originals, tokens


def index(**corpora: Sequence[str]) -> LexicalIndex:
    return LexicalIndex({name: (StoredTokens.of(texts), range(len(texts))) for name, texts in corpora.items()})


def hits_of(searched: LexicalIndex, corpus: str, question: str, k: int = 10) -> list[LexicalHit]:
    return searched.search(corpus, question, tokens(question), k)


def found(searched: LexicalIndex, corpus: str, question: str, k: int = 10) -> list[int]:
    return [hit.row for hit in hits_of(searched, corpus, question, k)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("E‑Rezept", "E-Rezept"),
        ("Pru\u0308fung", "Prüfung"),
        ("Pruefung", "Prüfung"),
        ("daßelbe", "dasselbe"),
        ("Straße", "STRASSE"),
        ("Maß\u00adgabe", "Maßgabe"),
        ("Abgabe\u200bfrist", "Abgabefrist"),
        ("prüfpflicht", "PRÜFPFLICHT"),
        ("§\u00a0129a", "§129a"),
        ("Apotheken", "Apotheke"),
        ("Größe", "Groesse"),
    ],
)
def test_two_spellings_of_one_word_give_the_same_token(one: str, other: str) -> None:
    assert tokens(one) == tokens(other) != ()


def test_a_word_with_hyphens_is_found_whole_and_by_its_parts() -> None:
    assert tokens("E-Rezept") == ("erezept", "rezept")
    assert set(tokens("Arzneimittelrichtlinie")) <= set(tokens("Arzneimittel-Richtlinie"))
    assert tokens("AM-RL") == ("amrl", "rl")


def test_numbers_are_whole_words() -> None:
    assert tokens("§ 129a und § 129, Ziffer 4.10 oder 7,10 Euro.") == ("129a", "129", "ziff", "4.10", "7,10", "euro")


@pytest.mark.parametrize(
    ("glued", "apart"),
    [("10mg", "10 mg"), ("§129Abs.2", "§ 129 Abs. 2"), ("1Apotheken geben", "1 Apotheken geben"), ("129a-Vertrag", "129a Vertrag")],
)
def test_a_number_is_told_from_the_word_behind_it(glued: str, apart: str) -> None:
    assert tokens(glued) == tokens(apart)


def test_letters_before_a_number_stay_with_it() -> None:
    assert tokens("B12 und COVID-19") == ("b12", "covid19", "covid", "19")


def test_no_word_is_cut_at_an_umlaut() -> None:
    assert tokens("Die Prüfpflicht der Größe nach § 129a gilt für Straßenapotheken.") == (
        "prufpflicht", "pruf", "pflicht", "gross", "129a", "gilt", "strassenapothek", "strass", "apothek",
    )  # fmt: skip


def test_a_raised_sentence_number_is_no_part_of_a_word() -> None:
    assert tokens("¹Apotheken geben ²Dienste") == tokens("Apotheken geben Dienste")


@pytest.mark.parametrize("question", ["", "Was ist das?", "Wer ist es und wie?", "?!", "§", "der die DAS"])
def test_a_question_of_stop_words_has_no_usable_words(question: str) -> None:
    assert tokens(question) == ()


def test_the_word_of_the_question_is_kept_beside_its_token() -> None:
    assert originals("Wann darf die Apotheke abgeben? APOTHEKEN!") == {"darf": "darf", "apothek": "Apotheke", "abgeb": "abgeben"}


@pytest.mark.parametrize("question", ["Prüfpflicht", "prüfpflicht", "PRÜFPFLICHT", "Größe", "§ 129a", "129a", "Straßenapotheke"])
def test_a_german_word_finds_its_chunk(question: str) -> None:
    searched = index(a=["Etwas anderes.", "Die Prüfpflicht der Größe nach § 129a gilt für Straßenapotheken."])
    assert found(searched, "a", question) == [1]


def test_a_number_does_not_find_the_number_with_a_letter() -> None:
    searched = index(a=["Nach § 129a gilt.", "Nach § 12 gilt.", "Nach § 1290 gilt."])
    assert found(searched, "a", "129") == []


def test_a_compound_and_the_words_that_it_is_made_of_find_each_other() -> None:
    searched = index(a=["Die Abrechnung von Arzneimitteln.", "Die Lagerung von Waren.", "Die Arzneimittelabrechnungsvereinbarung."])
    assert found(searched, "a", "Arzneimittelabrechnungsvereinbarung") == [2, 0]
    assert found(searched, "a", "Abrechnung von Arzneimitteln") == [0, 2]


def test_a_word_that_stands_in_a_corpus_alone_leads_it() -> None:
    searched = index(a=["rabatt der apotheke", "sonderkennzeichen der apotheke"])
    assert found(searched, "a", "sonderkennzeichen") == [1]


def test_the_score_is_the_formula_of_the_textbook() -> None:
    words = StoredTokens(["rabatt", "apotheke", "sonderkennzeichen"], np.array([0, 1, 2, 1], np.int32), np.array([0, 2, 4], np.int64))
    (hit,) = LexicalIndex({"a": (words, range(2))}).search("a", "", ("sonderkennzeichen",), 10)
    assert hit.row == 1
    assert hit.score == pytest.approx(math.log(1 + 1.5 / 1.5), abs=1e-6)
    assert hit.score == pytest.approx(0.6931, abs=1e-4)


def test_the_score_counts_repetition_and_length() -> None:
    searched = index(a=["frist frist rechnung", "rechnung zahlung ware kunde lager"])
    (hit,) = searched.search("a", "", ("frist",), 10)
    frequency, length, average = 2, 3, 4
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert hit.score == pytest.approx(idf * frequency * 2.5 / (frequency + 1.5 * (0.25 + 0.75 * length / average)))


def test_a_word_is_as_rare_as_it_is_in_the_whole_federation() -> None:
    alone = index(a=["frist rechnung", "ware kunde"]).search("a", "", ("frist",), 1)[0].score
    beside = index(a=["frist rechnung", "ware kunde"], b=["frist ware", "frist kunde"]).search("a", "", ("frist",), 1)[0].score
    assert beside == pytest.approx(math.log(1 + 1.5 / 3.5))
    assert alone == pytest.approx(math.log(2))


def test_a_search_gives_hits_of_its_corpus_only() -> None:
    searched = index(a=["frist", "ware"], b=["kunde", "lager", "frist der zahlung"])
    assert found(searched, "a", "Frist") == [0]
    assert found(searched, "b", "Frist") == [2]


def test_a_passage_of_average_length_with_every_word_reaches_the_ceiling() -> None:
    searched = index(a=["frist rechnung", "ware kunde", "lager zahlung"])
    (hit, *_) = hits_of(searched, "a", "Frist der Rechnung")
    assert searched.ceiling(tokens("Frist der Rechnung")) == pytest.approx(hit.score) != 0


def test_the_ceiling_is_what_the_best_passage_of_the_whole_federation_reaches() -> None:
    searched = index(a=["frist ware", "kunde rechnung"], b=["frist rechnung", "lager zahlung"])
    words = ("frist", "rechnung")
    best = searched.search("b", "", words, 1)[0].score
    assert searched.ceiling(words) == pytest.approx(best)
    assert searched.search("a", "", words, 1)[0].score == pytest.approx(best / 2)


def test_the_best_passage_of_a_stock_that_has_nothing_to_say_does_not_look_good() -> None:
    searched = index(a=["frist ware", "kunde", "rechnung", "lager", "zahlung"])
    words = tokens("Frist Kunde Rechnung Lager Zahlung")
    best = max(hit.score for hit in searched.search("a", "", words, 10))
    every_word = sum(math.log(1 + (size - 1 + 0.5) / (1 + 0.5)) for size in [5] * len(words))
    assert best < searched.ceiling(words)
    assert searched.ceiling(words) == pytest.approx(every_word / 2)


def test_a_word_that_the_question_repeats_counts_twice_in_score_and_ceiling() -> None:
    searched = index(a=["frist ware", "kunde rechnung"])
    assert searched.ceiling(("frist", "frist")) == pytest.approx(2 * searched.ceiling(("frist",)))
    assert searched.search("a", "", ("frist", "frist"), 1)[0].score == pytest.approx(searched.ceiling(("frist", "frist")))


def test_words_that_nobody_knows_are_left_out_of_the_ceiling() -> None:
    searched = index(a=["frist ware", "kunde rechnung"])
    assert searched.ceiling(("frist", "einhorn")) == searched.ceiling(("frist",)) > 0
    assert searched.ceiling(("einhorn",)) == 0
    assert searched.search("a", "", ("einhorn",), 10) == []


def test_a_hit_names_the_words_of_the_question_that_it_holds() -> None:
    question = "Welche Fristen gelten für Apotheken?"
    searched = index(a=["Die Apotheke wahrt die Frist.", "Eine andere Frist.", "Nichts davon."])
    hits = hits_of(searched, "a", question)
    assert [hit.words for hit in hits] == [("Fristen", "Apotheken"), ("Fristen",)]


def test_equal_scores_stand_in_the_order_of_the_chunks() -> None:
    assert found(index(a=["frist"] * 30 + ["ware"]), "a", "Frist", k=7) == [0, 1, 2, 3, 4, 5, 6]


def test_a_mask_leaves_chunks_out_before_the_best_are_taken() -> None:
    searched = index(a=["frist", "frist", "frist"])
    hits = searched.search("a", "", ("frist",), 1, mask=np.array([False, False, True]))
    assert [hit.row for hit in hits] == [2]


def test_chunks_that_take_no_part_are_not_found_and_count_for_nothing() -> None:
    stored = StoredTokens.of(["frist", "frist rechnung", "ware kunde"])
    searched = LexicalIndex({"a": (stored, [1, 2])})
    (hit,) = searched.search("a", "", ("frist",), 10)
    assert (hit.row, searched.size) == (1, 2)
    assert hit.score == pytest.approx(math.log(2))


@pytest.mark.parametrize("texts", [[], ["der die das", "und oder"]])
def test_a_corpus_without_words_gives_an_empty_list(texts: list[str]) -> None:
    assert found(index(a=texts), "a", "Frist") == []
    assert found(index(a=texts, b=["frist"]), "a", "Frist") == []


def test_at_least_one_hit_must_be_asked_for() -> None:
    assert index(a=["frist"]).search("a", "", ("frist",), 0) == []


def test_stored_words_come_back_as_they_were(tmp_path: Path) -> None:
    texts = ["Die Frist nach § 129a.", "", "Größe und Maß"]
    StoredTokens.of(texts).save(tmp_path / "tokens.npz")
    stored = StoredTokens.load(tmp_path / "tokens.npz")
    assert len(stored) == 3
    assert found(LexicalIndex({"a": (stored, range(3))}), "a", "groesse") == [2]


def test_no_words_at_all_can_be_stored(tmp_path: Path) -> None:
    StoredTokens.of([]).save(tmp_path / "tokens.npz")
    assert len(StoredTokens.load(tmp_path / "tokens.npz")) == 0


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.marker,)


def test_code_in_a_stored_file_is_not_run(tmp_path: Path) -> None:
    marker, path = tmp_path / "marker", tmp_path / "tokens.npz"
    trap = np.array([Trap(marker)], dtype=object)
    with path.open("wb") as file:
        np.savez(file, words=trap, numbers=trap, offsets=trap, style=trap)
    with pytest.raises(BrokenStock, match="cannot be read"):
        StoredTokens.load(path)
    path.write_bytes(pickle.dumps(Trap(marker)))
    with pytest.raises(BrokenStock, match="cannot be read"):
        StoredTokens.load(path)
    assert not marker.exists()
    pickle.loads(path.read_bytes())
    assert marker.exists()


def test_numbers_that_point_outside_the_vocabulary_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokens.npz"
    StoredTokens(["frist"], np.array([7], dtype=np.int32), np.array([0, 1])).save(path)
    with pytest.raises(BrokenStock, match="do not follow the rules"):
        StoredTokens.load(path)


def test_the_best_score_of_a_corpus_is_that_of_its_first_hit() -> None:
    searched = index(a=["frist rechnung", "frist frist"], b=["rechnung ware"], c=["lager"])
    for corpus in "abc":
        first = hits_of(searched, corpus, "frist rechnung", 1)
        assert searched.best(corpus, tokens("frist rechnung")) == (first[0].score if first else 0.0)
    assert searched.best("fehlt", ("frist",)) == 0.0

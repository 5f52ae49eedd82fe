"""The report: everything of the run, in both languages, and no text becomes markup."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from retrieval.decide import decide
from retrieval.exports.fingerprints import Fingerprint
from retrieval.exports.naming import printed
from retrieval.exports.report import report
from retrieval.exports.sections import NEAREST, Section, sections
from retrieval.settings import Settings
from retrieval.stages.references import Verweis
from retrieval.trace import Fault, Trace
from retrieval.words import LANGUAGES, Words
from tests.builders import answer, chunk, pool
from tests.dashboard.demo import HOSTILE, HTML, LINK, MARKDOWN, QUESTION, federation
from tests.exports.runs import hostile, referenced, traced

MADE = date(2033, 5, 2)
DE = Words("de")


class Read(HTMLParser):
    """Tags, attributes and text of a report."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.pieces: list[str] = []
        self.feed(data.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    @property
    def text(self) -> str:
        return " ".join(piece.strip() for piece in self.pieces if piece.strip())


def rows_of(name: str, trace: Trace) -> Section:
    return next(section for section in sections(trace, DE) if section.title == DE.t(f"report.{name}"))


def test_of_what_was_cut_the_nearest_are_listed_with_what_they_lack_and_the_others_counted() -> None:
    scores = {f"a{number}": 1 - number / 50 for number in range(1, 31)}
    trace = decide(
        pool([answer("A", scores)], [chunk(one, "A", f"§ {one[1:]}") for one in scores]),
        Settings.of({"max_final_results": 4, "weight_lexical": 0}),
    )
    found = rows_of("cut", trace)
    assert len(found.rows) == NEAREST
    assert found.rows[0][1:4] == ("A · §\u00a05", "0,900", "0,920")
    assert found.sentences[1] == (
        "Aufgeführt sind von jeder Art die ersten 10 Zeilen. 16 weitere stehen nur in Tabelle und Protokoll: "
        "Quote: fällt weg: hinter dem letzten Platz der Liste (16)."
    )


def test_of_each_kind_of_reference_the_first_are_listed_and_the_others_counted() -> None:
    verweise = tuple(Verweis("a1", 1, 0, 0, f"§ {number}", "beyond_cap") for number in range(13))
    trace = replace(decide(pool([answer("A", {"a1": 0.9})], [chunk("a1", "A")]), Settings()), verweise=verweise)
    found = rows_of("references", trace)
    assert len(found.rows) == NEAREST
    assert found.sentences[1].endswith("3 weitere stehen nur in Tabelle und Protokoll: nicht verfolgt: Höchstzahl erreicht (3).")


def read(trace: Trace, language: str = "de") -> Read:
    return Read(report(trace, Words(language), MADE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_holds_question_texts_stamps_settings_and_what_was_dropped(language: str) -> None:
    trace, words = traced(QUESTION, max_final_results=5), Words(language)
    text = read(trace, language).text
    assert trace.question in text
    assert [entry.chunk_id for entry in trace.final if trace.chunks[entry.chunk_id].text not in text] == []
    assert Fingerprint.of(trace).text() in text
    dropped = trace.quota.ranking.dropped
    assert dropped
    nearest = dropped[:NEAREST]
    assert [entry.chunk_id for entry in nearest if printed(trace.chunks[entry.chunk_id], trace.specs) not in text] == []
    headings = ("list", "corpora", "anchors", "references", "balance", "cut", "settings", "basis")
    places = [text.index(words.t(f"report.{key}")) for key in headings]
    assert len(set(places)) == len(headings)


def test_hostile_text_stays_text() -> None:
    found = read(hostile())
    assert {"img", "script", "a", "link", "iframe", "b", "i"} & set(found.tags) == set()
    assert found.tags.count("style") == 1
    assert all(piece in found.text for piece in (HTML, LINK, MARKDOWN, HOSTILE))
    assert [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "href", "srcset", "action")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_names_no_outside_place(language: str) -> None:
    text = report(traced(), Words(language), MADE).decode()
    assert re.findall(r"(?:https?:)?//\w|url\(|@import", text) == []
    assert f'<html lang="{language}">' in text


def test_the_sum_of_the_parts_is_the_rank_score_on_paper() -> None:
    trace = referenced()
    text = read(trace).text
    first = trace.final[0]
    assert f"Ordnungswert {Words('de').number(first.rank)}" in text
    assert f"Summe {Words('de').number(sum(part.amount for part in first.parts))}" in text


def test_a_hit_that_comes_by_reference_says_which_words_named_it() -> None:
    text = read(referenced()).text
    assert "Genannt mit den Wörtern „§ 4“ in GESETZ · §\u00a01." in text
    assert "Er kommt aus: Verweis: fester Wert (VERWEIS_SCORE)." in text


def test_the_chart_has_one_bar_for_each_hit_and_the_floor_where_the_quota_worked() -> None:
    quota = traced(QUESTION, max_final_results=5)
    assert quota.quota.applied
    assert read(quota).tags.count("rect") == len(quota.final)
    assert read(quota).tags.count("line") == 1
    assert read(referenced()).tags.count("line") == 0


def test_nothing_found_and_nothing_known_are_two_sentences() -> None:
    empty = decide(pool([answer("gesetz")], []), Settings())
    failed = decide(pool([answer("gesetz", failed_routes=["vector", "lexical"])], []), Settings())
    assert "Die Liste ist leer." in read(empty).text
    assert "weil ein Teil der Suche ausgefallen ist" in read(failed).text
    assert read(empty).tags.count("svg") == 0


def test_what_failed_is_named_at_the_top() -> None:
    trace = decide(federation(fails={"vertrag": "corpus"}).gather(QUESTION, Settings()), Settings())
    text = read(replace(trace, faults=(*trace.faults, Fault("anchors", "ValueError")))).text
    assert text.index("Ausgefallen") < text.index("Die Liste")
    assert "Rahmenvertrag mit Anlagen (RuntimeError)" in text
    assert "Ob ein Anker gilt, ist nicht bekannt." in text


def test_control_characters_and_half_signs_are_no_part_of_the_page() -> None:
    data = report(replace(referenced(), question="a\x00b\x1b[2J\ud800c"), Words("de"), MADE)
    assert b"\x00" not in data
    assert b"\x1b" not in data
    assert "a b [2J?c" in read(replace(referenced(), question="a\x00b\x1b[2J\ud800c")).text


def test_invented_rules_are_called_invented() -> None:
    assert "zur Vorführung erfunden sind: Abrechnungsvereinbarung." in read(traced(QUESTION)).text
    assert "erfunden sind" not in read(decide(pool([answer("gesetz", {"a": 0.5})], [chunk("a")]), Settings())).text


def test_the_same_run_and_day_give_the_same_bytes() -> None:
    assert report(traced(), Words("de"), MADE) == report(traced(), Words("de"), MADE)

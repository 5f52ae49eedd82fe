"""Decisions: what they hold, how they are kept, and how they read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from retrieval.errors import BadInput, BadSetting
from retrieval.evaluation import decision_files
from retrieval.evaluation.decision_files import Taken, load, stem, store, stored
from retrieval.evaluation.decision_text import minutes, uncertain
from retrieval.evaluation.decisions import SCHEMA, Former, Judging, comparison, decision, judging_of, parts, read_decision, since
from retrieval.evaluation.markdown import plain, quoted
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.model import Gold, QuestionSet
from retrieval.evaluation.statistics import halves
from retrieval.evaluation.verdicts import Verdict
from retrieval.model import Address
from retrieval.settings import Settings
from retrieval.words import Words
from tests.evaluation.decided import (
    BAD,
    DEFAULTS,
    EVENTS,
    HIGH,
    HOSTILE,
    QUESTIONS,
    QUICK,
    SET,
    event,
    made,
    report,
    signed,
)

DE, EN = Words("de"), Words("en")
BOTTOMLESS = b'{"neu": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


# --- what it holds -----------------------------------------------------------------------------------------------------------


def test_a_decision_holds_the_settings_the_set_and_all_figures() -> None:
    found = made()
    assert found.settings == HIGH.flat()
    assert Settings.from_toml(found.settings_toml) == found.used == HIGH
    assert found.questions == SET
    assert [one.name for one in found.parts] == ["all", "tuned", "held_out"]
    assert all([one.metric for one in part.figures] == list(METRICS) for part in found.parts)
    assert (found.tried, found.revealed, found.events) == (42, 0, EVENTS)


def test_the_same_values_give_the_same_bytes_and_they_are_read_back_equal() -> None:
    first, second = made(), made()
    assert first.to_json() == second.to_json()
    assert read_decision(first.to_json(), "a.json") == first
    assert minutes(first, DE) == minutes(second, DE) == minutes(read_decision(first.to_json(), "a.json"), DE)


def test_the_figures_of_all_questions_taken_as_a_part_are_those_of_the_report() -> None:
    found = report(HIGH, others={"f0": BAD})
    whole = QuestionSet("Satz", QUESTIONS)
    (every, tuned, held_out) = parts(found, whole, QUICK)
    assert every.figures == found.figures
    tuned_ids, held_ids = halves(one.id for one in QUESTIONS)
    assert (tuned.questions, held_out.questions) == (tuned_ids, held_ids)
    for part, ids in ((tuned, tuned_ids), (held_out, held_ids)):
        alone = report(HIGH, others={"f0": BAD}, questions=QuestionSet("Satz", tuple(one for one in QUESTIONS if one.id in ids)))
        assert part.figures == alone.figures


@pytest.mark.parametrize(
    ("told", "missing"),
    [
        (signed(name=" "), "no name"),
        (signed(reason="\n"), "no reason"),
        (msgspec.structs.replace(signed(), decided_by=()), "no names of those who decide"),
        (msgspec.structs.replace(signed(), decided_by=("Ada", " ")), "no name for one of those"),
    ],
)
def test_a_decision_without_name_people_or_reason_is_refused(told: object, missing: str) -> None:
    with pytest.raises(BadInput, match=missing):
        made(told=told)  # type: ignore[arg-type]


def test_a_measurement_that_is_not_whole_is_no_ground_for_a_decision() -> None:
    found = report()
    row = msgspec.structs.replace(found.rows[0], partial=True)
    with pytest.raises(BadInput, match="could not be run whole"):
        made(after=msgspec.structs.replace(found, rows=(row, *found.rows[1:])))
    with pytest.raises(BadInput, match="the stock changed"):
        made(after=msgspec.structs.replace(found, stamps=(found.stamps[0], msgspec.structs.replace(found.stamps[0], index="2"))))
    with pytest.raises(BadInput, match="another set"):
        decision(signed(), found, QuestionSet("Satz", QUESTIONS[:-1]))


def test_the_protocol_begins_after_the_decision_that_is_replaced() -> None:
    former = Former("Erste", "2033-05-02T09:30:00+00:00", "erste.json", "ab")
    told = (*EVENTS[:2], event("decided", details={"name": "Erste", "file": "erste.json"}), *EVENTS[2:])
    assert since(told, former) == EVENTS[2:]
    assert since(EVENTS, former) == EVENTS[2:]
    assert since(EVENTS, None) == EVENTS


def test_the_judges_are_counted_by_norms_that_several_judged() -> None:
    norms = [Address("gesetz", "", f"§{number}") for number in range(12)]
    lines = [Verdict("f0", norm, 2, judge, "", "2033-05-02T08:00:00+00:00") for norm in norms for judge in ("Ada", "Emil")]
    lines += [Verdict("f0", norms[0], 0, "Emil", "", "2033-05-02T09:00:00+00:00"), Verdict("f1", norms[0], None, "Ada", "", "")]
    found = judging_of(lines)
    assert found is not None
    assert (found.judges, found.norms, found.shared, found.differing) == (("Ada", "Emil"), 12, 12, 1)
    assert judging_of(lines[-1:]) is None


# --- forms ----------------------------------------------------------------------------------------------------------------


def test_another_schema_is_refused_with_a_way_out() -> None:
    content = json.loads(made().to_json())
    for form, way in ((SCHEMA + 1, "a newer version"), (SCHEMA - 1, "an older version")):
        other = json.dumps({"schema": form, "ganz": "anders"}).encode()
        with pytest.raises(BadInput, match=rf"a\.json: found a decision of form {form}.*{way}"):
            read_decision(other, "a.json")
    assert content["schema"] == SCHEMA


def test_a_later_revision_with_new_fields_is_read() -> None:
    content = json.loads(made().to_json())
    newer = {**content, "revision": 7, "neu": [1, 2], "report": {**content["report"], "neu": {}}}
    assert read_decision(json.dumps(newer).encode(), "a.json") == msgspec.structs.replace(made(), revision=7)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"schema": 1}', b'{"schema": "1"}', b"\xff", b"name = 1", BOTTOMLESS])
def test_what_is_no_decision_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match=r"a\.json: found no decision"):
        read_decision(content, "a.json")


def test_settings_that_this_program_does_not_know_are_kept_and_not_used() -> None:
    found = msgspec.structs.replace(made(), settings={**HIGH.flat(), "alte_einstellung": 3})
    assert read_decision(found.to_json(), "a.json").settings["alte_einstellung"] == 3
    assert "alte\\_einstellung" in minutes(found, DE) or "alte_einstellung" in minutes(found, DE)
    with pytest.raises(BadSetting, match="alte_einstellung"):
        _ = found.used


# --- files -----------------------------------------------------------------------------------------------------------------


def test_a_decision_is_three_files_named_by_day_and_name(tmp_path: Path) -> None:
    kept = store(tmp_path / "decisions", made())
    assert kept.path.name == "2033-05-02-verweise-weiter-vorn.json"
    assert kept.beside(".settings.toml").read_text("utf-8") == HIGH.to_toml()
    assert kept.beside(".md").read_text("utf-8") == minutes(made(), DE)
    assert load(kept.path) == kept
    assert kept.former == Former("Verweise weiter vorn", made().decided, kept.path.name, kept.hash)


def test_the_day_of_a_decision_is_that_in_germany() -> None:
    assert stem("A", "2033-05-02T22:30:00+00:00") == "2033-05-03-a"
    assert stem("日本", "2033-05-02T10:00:00+00:00") == "2033-05-02"
    assert re.fullmatch(r"2033-05-02-[a-z0-9-]+", stem("../../etc/pässe | CON", "2033-05-02T10:00:00+00:00"))


@pytest.mark.parametrize("ending", decision_files.ENDINGS)
def test_nothing_that_is_there_is_overwritten(tmp_path: Path, ending: str) -> None:
    there = tmp_path / f"2033-05-02-verweise-weiter-vorn{ending}"
    there.write_text("bleibt", "utf-8")
    with pytest.raises(Taken, match="never overwritten"):
        store(tmp_path, made())
    assert there.read_text("utf-8") == "bleibt"
    assert [one.name for one in tmp_path.iterdir() if one.name != "write.lock"] == [there.name]


def test_a_decision_whose_writing_breaks_off_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = decision_files.replace_file

    def breaks(path: Path, content: bytes) -> None:
        if path.suffix == ".json":
            raise OSError(28, "No space left on device")
        real(path, content)

    monkeypatch.setattr(decision_files, "replace_file", breaks)
    with pytest.raises(BadInput, match="No space left"):
        store(tmp_path, made())
    assert [one.name for one in tmp_path.iterdir()] == ["write.lock"]
    monkeypatch.setattr(decision_files, "replace_file", real)
    assert store(tmp_path, made()).path.exists()


def test_half_a_character_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="half a character"):
        store(tmp_path, made(told=signed(reason="a\ud800")))
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_costs_only_itself_and_the_latest_comes_first(tmp_path: Path) -> None:
    later = msgspec.structs.replace(signed("Später"), decided="2033-06-01T08:00:00+00:00")
    store(tmp_path, made(told=later))
    store(tmp_path, made())
    (tmp_path / "kaputt.json").write_text("{", "utf-8")
    found = stored(tmp_path)
    assert [one.decision.name for one in found.kept] == ["Später", "Verweise weiter vorn"]
    assert [one.path.name for one in found.unreadable] == ["kaputt.json"]
    assert stored(tmp_path / "nichts") == decision_files.Folder()


# --- the minutes -------------------------------------------------------------------------------------------------------------


def hostile_minutes() -> str:
    questions = QuestionSet(HOSTILE, tuple(msgspec.structs.replace(one, text=HOSTILE, note=HOSTILE, tags=(HOSTILE,)) for one in QUESTIONS))
    told = msgspec.structs.replace(signed(f"{HOSTILE} #", f"{HOSTILE}\n\n1. {HOSTILE}\n- x\n===\n    eingerückt"), decided_by=(HOSTILE,))
    return minutes(made(questions=questions, told=told), DE)


def test_what_people_wrote_is_never_markup_in_the_minutes() -> None:
    html = MARKDOWN.render(hostile_minutes())
    allowed = {"h1", "h2", "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "strong", "blockquote", "pre", "code"}
    assert set(re.findall(r"<([a-z0-9]+)", html)) <= allowed
    text = re.sub(r"<[^>]+>", "", html)
    shown = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    assert shown.count(HOSTILE) > 3 * len(QUESTIONS)


@pytest.mark.parametrize(
    "text",
    [HOSTILE, "1. eins", "- eins", "+ x", "=== ", "_a_ b_c", "www.boese.example", "a@b.de", "\\", "&amp; &#35;", "~~x~~", "a|b", "§ 5 (2)"],
)
def test_a_text_reads_as_it_was_written(text: str) -> None:
    html = MARKDOWN.render(plain(text))
    shown = re.sub(r"</?p>", "", html).strip().replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    assert shown == " ".join(text.split())


def test_direction_marks_and_control_characters_are_gone() -> None:
    assert plain("a\u202eb\x00c\u2028d") == "a b c d"


def test_each_line_of_a_reason_is_a_paragraph_of_its_quotation() -> None:
    assert quoted("eins\n\nzwei\ndrei\n") == ["> eins", ">", "> zwei", ">", "> drei"]


def test_the_minutes_have_their_sections_in_order_and_german_numbers() -> None:
    found = minutes(made(), DE)
    assert re.findall(r"^## (\S+)", found, re.MULTILINE) == ["1.", "2.", "3.", "4.", "5.", "6.", "7.", "Anlage", "Anlage", "Anlage"]
    assert "- Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97" in found
    assert "| Entschieden am | 02.05.2033, 20:30 Uhr |" in found
    assert "Bekannte Normen: §1 AMG-T" in found
    assert not re.search(r"\d\.\d{3}\b(?!\d)", re.sub(r"```.*?```", "", found, flags=re.DOTALL))


def test_every_figure_that_stands_in_the_minutes_is_explained_once() -> None:
    found = minutes(made(), DE)
    terms = found.partition("## 7. ")[2].partition("## Anlage A")[0]
    assert [terms.count(f"**{metric.label_de}**") for metric in METRICS.values()] == [1] * len(METRICS)


def test_losers_stand_by_name_with_what_they_lose() -> None:
    found = minutes(made(), DE)
    losers = found.partition("## 5. ")[2].partition("## 6. ")[0]
    assert "„Frage f0?“ (Kennung f0): Ausbeute (Recall) 1,000 → 0,500" in losers
    assert losers.count("(Kennung ") == 1
    assert "verliert keine Frage" in minutes(made(after=report(HIGH)), DE)


def test_a_change_that_nobody_noted_stands_in_the_minutes() -> None:
    found = minutes(made(), DE)
    assert "ohne dass es jemand festhielt: Wert eines Verweisziels (VERWEIS_SCORE) 0,50 → 0,97" in found
    moved = minutes(made(events=EVENTS[:1]), DE)
    assert "Nach dem letzten Eintrag bis zur Entscheidung wurde noch geändert: Wert eines Verweisziels" in moved


def test_what_is_uncertain_is_said() -> None:
    said = " ".join(uncertain(made(), DE, str))
    assert "Alles ruht auf 12 Fragen" in said
    assert "42 Einstellungen gemessen" in said
    assert "laut Protokoll nicht angesehen" in said
    assert "Eine von 16 bekannten Normen" in said
    assert "§1 AMG-T (aufgehoben, nur mit Namen zu finden; Frage f1)" in said
    seen = made(
        events=(*EVENTS, event("revealed"), event("revealed")), judging=Judging(("Ada",), 5), judgements={"f0": (Gold(Address("gesetz")),)}
    )
    said = " ".join(uncertain(seen, EN, str))
    assert "looked at 2 times before" in said
    assert "One person only judged hits (Ada), 5 norms" in said
    assert "1 judgements of single hits" in said


def test_tuning_on_all_questions_leaves_no_cross_check_and_that_is_said() -> None:
    swept = [event("swept", details={"held_out": held_out}, tried=9) for held_out in (0, 6, 0)]
    said = " ".join(uncertain(made(events=swept), DE, str))
    assert "2-mal wurde an allen Fragen abgestimmt" in said
    assert "nicht angesehen" not in said


def test_a_norm_that_cannot_be_found_is_named_once_with_all_its_questions() -> None:
    found = made()
    lost = tuple(msgspec.structs.replace(found.report.problems[0], question_id=one, state="not_in_stock") for one in ("f1", "f2"))
    said = " ".join(uncertain(msgspec.structs.replace(found, report=msgspec.structs.replace(found.report, problems=lost)), DE, str))
    assert "§1 AMG-T (nicht im Bestand; 2 Fragen: f1, f2)." in said


def test_settings_that_are_the_defaults_are_said_to_be() -> None:
    used = Settings()
    found = minutes(made(after=report(used), before=report(used)), DE)
    assert "gelten die Vorgaben des Programms, alle Werte" in found
    assert "es gibt nichts zu vergleichen" in found


def test_a_decision_that_is_replaced_is_named_and_compared() -> None:
    former = Former("Erste | Wahl", "2033-04-01T08:00:00+00:00", "erste.json", "ab" * 32)
    after, before = report(HIGH, others={"f0": BAD}), report(DEFAULTS, without=("quota",))
    both = [one for one in (comparison("default", report(), after, QUICK), comparison("former", before, after, QUICK)) if one]
    found = minutes(made(after=after, told=signed(replaces=former), comparisons=tuple(both)), DE)
    assert "die Entscheidung „Erste \\| Wahl“ vom 01.04.2033, 10:00 Uhr (Datei erste.json)" in found
    assert "- Stufe „Quote“ wieder dabei" in found
    assert "### Verglichen mit der ersetzten Entscheidung" in found
    alone = minutes(made(told=signed(replaces=former)), DE)
    assert "mit diesem Programm nicht mehr gemessen werden konnten" in alone

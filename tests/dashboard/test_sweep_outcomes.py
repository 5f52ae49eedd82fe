"""What is said about every sweep: how far it is, what it rests on, what became of it, what can be concluded."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dashboard.views import sweeps
from retrieval.evaluation.against import Change
from retrieval.evaluation.desk import Broken, Kept
from retrieval.evaluation.report import Failed
from retrieval.evaluation.statistics import effect, mean
from retrieval.evaluation.sweeps.model import Gain, Goal, Half, Progress, Sweep
from retrieval.inspector.comparison import differences
from retrieval.settings import Settings
from retrieval.trace import Stamps
from tests.dashboard.test_sweep_views import DE, EN, NAMES, cells, field, grid, line, search, spec, swept, tables, text


def half(before: list[float], after: list[float], **more: Any) -> Half:
    return Half(mean(before), mean(after), effect(before, after), **more)


def test_a_running_sweep_says_how_far_it_is_and_how_long_it_will_take() -> None:
    sweep = Sweep(spec(), progress=Progress("computing", 1200, 2000, 0.6))
    assert sweeps.progress(Sweep(spec()), None, DE) == "Der Durchlauf beginnt."
    assert sweeps.progress(sweep, None, DE) == "Rechnen: 1.200 von 2.000. Wie lange es dauert, ist noch nicht zu sagen."
    assert sweeps.progress(sweep, 0.4, DE) == "Rechnen: 1.200 von 2.000. Gleich fertig."
    assert sweeps.progress(sweep, 1.2, DE).endswith("Noch etwa 1 Sekunde.")
    assert sweeps.progress(sweep, 300, DE).endswith("Noch etwa 5 Minuten.")


def test_what_it_was_started_with_shows_every_setting_and_fingerprint() -> None:
    stamps = (Stamps("7-abc", "model-x", "anch", "0.1.0"),)
    shown = text(sweeps.basis(msgspec.structs.replace(swept(line()), stamps=stamps), DE))
    assert all(
        word in shown for word in ("0,25, wird abgestimmt", "fragen · 0123456789ab", "7-abc", "model-x", "anch", "0.1.0", "ohne Namen")
    )
    assert "2 zum Abstimmen, 0 zurückgehalten" in shown


def test_what_differs_now_is_named_with_both_values() -> None:
    sweep = msgspec.structs.replace(swept(line()), stamps=(Stamps("7-abc", "m", "a", "c"),))
    differing = differences((sweep.spec.settings, Settings.of(min_ratio=0.4)), ((), ("quota",)))
    (found,) = sweeps.changed(sweep, differing, False, "8-def", DE)
    assert found["lines"] == [
        "Jetzt gilt eine andere Einstellung als beim Start; für den Durchlauf gilt die vom Start. "
        "Mindestverhältnis zum besten Treffer (min_ratio): beim Start 0,25, jetzt 0,40.",
        "Jetzt sind andere Stufen ausgelassen als beim Start.",
        "Der Fragensatz wurde seitdem geändert. Die Ergebnisse gelten für den Stand beim Start.",
        "Der Bestand wurde seitdem geändert. Die Ergebnisse gelten für den Stand beim Start.",
    ]
    assert sweeps.changed(sweep, (), True, "7-abc", DE) == []


@pytest.mark.parametrize(
    ("state", "here", "unsaved", "titles"),
    [
        ("finished", False, "", []),
        ("stopped", False, "", ["Unvollständig: Der Durchlauf wurde angehalten"]),
        ("interrupted", False, "", ["Unvollständig: Der Durchlauf ist abgebrochen"]),
        ("running", False, "", ["Dieser Durchlauf läuft in einem anderen Vorgang"]),
        ("running", True, "", []),
        ("failed", False, "", ["Der Durchlauf ist fehlgeschlagen"]),
        ("finished", False, "no space", ["Das Ergebnis konnte nicht gespeichert werden"]),
    ],
)
def test_each_end_of_a_sweep_has_its_own_notice(state: Any, here: bool, unsaved: str, titles: list[str]) -> None:
    sweep = msgspec.structs.replace(grid(field(4)), state=state, error="why")
    found = sweeps.state(Kept(sweep, here, unsaved), DE)
    assert [one["title"] for one in found] == titles
    if titles and not unsaved:
        assert found[0]["lines"][-1] == "4 von 6 Zellen sind berechnet."


def test_how_much_of_a_partial_sweep_is_there_is_said_for_each_kind() -> None:
    def said(sweep: Sweep) -> str:
        return str(sweeps.state(Kept(msgspec.structs.replace(sweep, state="stopped")), DE)[0]["lines"][-1])

    assert said(search(0.5, 0.5)) == "2 von 9 Versuchen sind gemacht."
    assert said(msgspec.structs.replace(swept(line()), measured=("q1",))) == "1 von 2 Fragen sind eingerechnet."
    assert said(Sweep(spec())) == "Berechnet ist noch nichts."


def test_a_broken_file_is_named() -> None:
    (found,) = sweeps.broken((Broken("halb.json", "halb.json: found no sweep"),), DE)
    assert found["lines"] == ["1 Datei enthält keinen Durchlauf: halb.json. Sie wurde nicht verändert."]
    assert sweeps.broken((), DE) == []


def gained() -> Sweep:
    losers = (Change("q2", "Was gilt nach § 10?", 1.0, 0.5),)
    tuned = half([0.5, 1.0, 0.5], [1.0, 0.5, 1.0], winners=(Change("q1", "Wann?", 0.5, 1.0),), losers=losers)
    held = half([0.5, 0.5], [0.5, 0.5])
    return msgspec.structs.replace(swept(line()), gain=Gain(tuned, held))


def test_the_outcome_shows_both_halves_the_losers_by_name_and_all_settings_tried() -> None:
    found = sweeps.outcome(gained(), NAMES, 40, DE)
    values, figures, losers, winners = tables(found)
    assert cells(values) == [["Mindestverhältnis zum besten Treffer (min_ratio)", "0,25", "0,45"]]
    assert [row[0] for row in cells(figures)] == ["Fragen zum Abstimmen", "Zurückgehaltene Fragen"]
    assert cells(losers) == [[NAMES["q2"], "Fragen zum Abstimmen", "1,000", "0,500"]]
    assert cells(winners) == [[NAMES["q1"], "Fragen zum Abstimmen", "0,500", "1,000"]]
    said = text(found)
    assert "bei 3 Fragen nicht vom Zufall zu unterscheiden" in said
    assert "Diese Fragen haben den Wert ausgesucht; ihr Gewinn fällt deshalb im Schnitt zu günstig aus." in said
    assert "Zurückgehaltene Fragen: Bei allen 2 Fragen gleich." in said
    assert "Bisher wurden 40 Einstellungen probiert." in said


def test_without_questions_held_out_it_is_said_that_nothing_checks_the_value() -> None:
    gain = gained().gain
    assert gain is not None
    alone = msgspec.structs.replace(gained(), gain=Gain(gain.tuned))
    assert "Es wurden keine Fragen zurückgehalten" in text(sweeps.outcome(alone, NAMES, 4, DE))


def test_a_value_that_is_as_good_already_is_no_reason_to_change_it() -> None:
    stays = msgspec.structs.replace(gained(), values={"min_ratio": 0.25})
    assert "Es gibt keinen Grund, sie zu ändern." in text(sweeps.outcome(stays, NAMES, 4, DE))
    assert "Es gibt keinen Grund" not in text(sweeps.outcome(gained(), NAMES, 4, DE))


def test_questions_that_count_in_nothing_are_named_with_the_reason() -> None:
    failed = (Failed("q1", "Wann <b>darf</b> sie?", "RuntimeError", "kaputt"),)
    found = sweeps.outcome(msgspec.structs.replace(swept(line()), failed=failed, without_figure=("q2",)), NAMES, 0, DE)
    assert ["Wann <b>darf</b> sie?", "RuntimeError: kaputt"] in [row for one in tables(found) for row in cells(one)]
    said = text(found)
    assert "1 Frage ist ausgefallen und zählt nicht mit" in said
    assert "1 der Fragen zum Abstimmen hat für dieses Ziel keinen Wert und zählt nicht mit" in said
    assert "Ein Vergleich mit dem Wert beim Start liegt nicht vor" in said


def test_the_cost_goal_says_what_a_missing_norm_weighs() -> None:
    cost = msgspec.structs.replace(spec(), goal=Goal("cost", 5.0))
    assert sweeps.goal(cost, DE) == "Güte nach Kosten: eine fehlende Norm = 5 überzählige Treffer"
    assert sweeps.goal(msgspec.structs.replace(cost, goal=Goal("cost", 2.5)), EN).endswith("one missing norm = 2.5 superfluous hits")


def test_the_title_in_the_list_has_the_state_before_what_may_be_cut_off() -> None:
    sweep = msgspec.structs.replace(grid(field()), state="stopped", started="2026-11-30T12:00:00+00:00")
    assert sweeps.title(sweep, DE).split(" · ")[1] == "angehalten, unvollständig"
    assert sweeps.title(msgspec.structs.replace(sweep, started="?"), DE).startswith("? · ")
    assert sweeps.title(sweep, DE).split(" · ")[2] == "Ausbeute (Recall)"


def test_a_sweep_started_at_the_hour_that_the_protocol_names() -> None:
    sweep = msgspec.structs.replace(grid(field()), started="2026-11-30T23:30:00+00:00")
    assert sweeps.title(sweep, DE).startswith("01.12.2026, 00:30 Uhr · ")
    assert "01.12.2026, 00:30 Uhr" in text(sweeps.running(sweep, "fragen", DE))

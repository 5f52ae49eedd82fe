"""Definitions: which questions ask for a meaning, which texts give one, and that the giver comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.definitions import Terms, asked, defined, defined_in, load_definitions, read, stored_definitions
from retrieval.federated import FederatedRetriever
from retrieval.model import DEFINITION_LOOKUP, Chunk
from tests.in_memory import federated
from tests.stock_builders import chunk

MEANING = "Begriffsbestimmungen"


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("Was ist ein Lieferausfall?", "Lieferausfall"),
        ("was sind fertigarzneimittel", "fertigarzneimittel"),
        ("Was bedeutet „Charge“?", "Charge"),
        ("Was heißt denn eigentlich Inverkehrbringen?", "Inverkehrbringen"),
        ("Was versteht man unter dem Begriff der Charge?", "Charge"),
        ("Was versteht die Verordnungsrichtlinie unter einem Dauerleiden?", "Dauerleiden"),
        ("Was ist unter Großhandel mit Arzneimitteln zu verstehen?", "Großhandel mit Arzneimitteln"),
        ("Unter einer Nebenwirkung versteht man was?", "Nebenwirkung"),
        ("Definition von Rezepturarzneimittel", "Rezepturarzneimittel"),
        ("Rezepturarzneimittel: Definition", "Rezepturarzneimittel"),
        ("Begriff des Verwaltungsakts", "Verwaltungsakts"),
        ("Wie ist der Begriff Sponsor definiert?", "Sponsor"),
        ("Wie definiert das Gesetz den Begriff Wirkstoff?", "Wirkstoff"),
        ("Wer ist Verbraucher?", "Verbraucher"),
        ("Wer gilt als Angehöriger?", "Angehöriger"),
        ("Was meint das Gesetz mit Wirkstoff?", "Wirkstoff"),
        ("Was ist ein Defekturarzneimittel, und wie viele davon sind erlaubt?", "Defekturarzneimittel"),
        ("Was ist ein Rezepturarzneimittel und wer darf es herstellen?", "Rezepturarzneimittel"),
        ("Guten Tag. Was ist ein Verwaltungsakt?", "Verwaltungsakt"),
    ],
)
def test_a_question_for_a_meaning_names_its_term(question: str, term: str) -> None:
    assert asked(question)[0] == term


@pytest.mark.parametrize(
    "question",
    [
        "Was ist zu tun, wenn die Heilkarte fehlt?",
        "Was ist erlaubt?",
        "Was ist, wenn ich krank bin?",
        "Was ist bei der Zustellung zu beachten?",
        "Was bedeutet es, wenn die Kasse nicht zahlt?",
        "Was ist der Unterschied zwischen Rezeptur und Defektur?",
        "Was ist das?",
        "Was ist mit meinem Hund?",
        "Wer ist für die Abrechnung zuständig?",
        "Wer ist verpflichtet, den Beleg aufzubewahren?",
        "Wie lange gilt eine Verordnung?",
        "Was regelt § 1?",
        "",
        "?!",
    ],
)
def test_a_question_for_something_else_names_none(question: str) -> None:
    assert asked(question) == ()


def test_where_a_term_is_used_is_told_from_the_term() -> None:
    assert asked("Was ist ein Lieferausfall im Sinne des HVG-A?") == ("Lieferausfall im Sinne des HVG-A", "Lieferausfall")
    assert asked("Was ist ein Stoff (AMG)?") == ("Stoff (AMG)", "Stoff")


@pytest.mark.parametrize(
    ("heading", "text", "terms"),
    [
        ("", "(1) Kasse im Sinne dieses Gesetzes ist jede Landesheilkasse.", ["Kasse"]),
        ("", "Stoffe im Sinne dieser Verordnung sind\n1. Elemente,\n2. Pflanzen.", ["Stoffe"]),
        ("", "(2) Trainer im Sinne dieser Vorschrift ist, wer anleitet.", ["Trainer"]),
        ("", "Arbeitnehmer (Arbeiterinnen und Arbeiter) im Sinne dieses Gesetzes sind Beschäftigte.", ["Arbeitnehmer"]),
        ("", "Im Sinne dieses Abschnitts ist\n1. ein Gewässer:\nein See;\n2. Richter:\nwer richtet.", ["Gewässer", "Richter"]),
        ("", "(2) Im Sinne dieses Gesetzes sind Verfassungsgrundsätze\n1. das Recht des Volkes.", ["Verfassungsgrundsätze"]),
        (MEANING, "(14) Herstellen ist das Gewinnen und das Anfertigen.", ["Herstellen"]),
        (MEANING, "(16) Eine Charge ist die erzeugte Menge. Fremde Chargen sind zu melden.", ["Charge", "Fremde Chargen"]),
        (
            MEANING,
            "8. Zertifikat eine Bescheinigung über etwas;\n9. aktuelles Testat das positive Ergebnis.",
            ["Zertifikat", "aktuelles Testat"],
        ),
        (MEANING, "1. „Eigenmarke“ eine Marke des Händlers;\n2. „Händler“ neben anderen auch der Bote.", ["Eigenmarke", "Händler"]),
        ("Bauvertrag", "(1) Ein Bauvertrag ist ein Vertrag über die Herstellung.", ["Bauvertrag"]),
        ("Tiere; Sachen", "Sachen sind körperliche Gegenstände.", ["Sachen"]),
        ("Mord", "(2) Mörder ist, wer\nheimtückisch tötet.", ["Mörder"]),
        ("", "Geschäftstag ist jeder Tag, an dem gearbeitet wird.", ["Geschäftstag"]),
        ("", "Unter Festbetrag wird der höchste Betrag verstanden, den die Kasse zahlt.", ["Festbetrag"]),
    ],
)
def test_a_text_that_says_what_a_term_is_states_it(heading: str, text: str, terms: list[str]) -> None:
    assert [one.term for one in defined(heading, text) if one.form == "stated"] == terms


@pytest.mark.parametrize(
    ("text", "term", "form"),
    [
        ("Die Miete richtet sich nach dem Preisindex (Indexmiete).", "Indexmiete", "bracketed"),
        ("Ein Vertrag (nachfolgend „Lieferverhältnis“) wird geschlossen.", "Lieferverhältnis", "bracketed"),
        ("(2) Als Arzneimittel gelten Gegenstände, die eines enthalten.", "Arzneimittel", "bracketed"),
        ("Das Schweigen gilt als Zustimmung.", "Zustimmung", "loose"),
        ("Geburtsname ist der Name bei der Geburt.", "Geburtsname", "loose"),
    ],
)
def test_weaker_forms_are_told_apart(text: str, term: str, form: str) -> None:
    assert [(one.term, one.form) for one in defined("", text)] == [(term, form)]


@pytest.mark.parametrize(
    "text",
    [
        "Die Kosten (Absatz 1) trägt die Kasse.",
        "Nach der Verordnung (EU) 2017/745 gilt das nicht.",
        "Der Antrag gilt als abgelehnt.",
        "Auf Verträge im Sinne des Absatzes 1 ist das Gesetz anzuwenden.",
        "Krankenhäuser im Sinne des § 108 sind verpflichtet, Daten zu melden.",
        "Dies ist der Fall, wenn nichts anderes gilt.",
        "(4) Werden Daten von einem Träger im Sinne von § 12 verarbeitet, ist er verantwortlich.",
        "Keine Apotheke ist ein Lager.",
        "Bismut (III)-citrat | Salbe (Tube) | 5 mg",
    ],
)
def test_what_only_looks_like_a_definition_is_none(text: str) -> None:
    assert defined("Kosten", text) == ()


def test_a_norm_headed_by_a_term_that_says_something_else_of_it_defines_nothing() -> None:
    assert defined("Aufrechnung", "Die Aufrechnung ist schriftlich zu erklären.") == ()
    assert defined("Inbegriff von Sachen", "Die Sachen sind dem Eigentümer zu zeigen.") == ()


def test_the_span_of_a_definition_shows_the_term() -> None:
    text = "(3) Das Schweigen ist teuer. „Lärm“ im Sinne dieses Gesetzes ist lauter Schall."
    (one,) = defined("", text)
    assert text[one.start : one.end] == one.term == "Lärm"


def test_inflection_does_not_part_a_term_from_its_definition() -> None:
    rule = chunk("§ 4", "(1) Der pharmazeutische Unternehmer ist der Inhaber der Zulassung.", heading=MEANING)
    for question in ("Was ist ein pharmazeutischer Unternehmer?", "Was sind pharmazeutische Unternehmer?"):
        found = defined_in(question, rule)
        assert found is not None
        assert found.term == "pharmazeutische Unternehmer"
    assert defined_in("Was ist ein Unternehmer?", rule) is None


def test_the_surest_form_goes_before_the_others() -> None:
    rules = [
        chunk("§ 1", "Das Warten gilt als Frist."),
        chunk("§ 2", "Eine Zeit (Frist) ist zu wahren."),
        chunk("§ 3", "Frist im Sinne dieses Gesetzes ist ein Zeitraum."),
    ]
    assert [row for row, _ in Terms(read(rules)).find(["Frist"])] == [2]
    assert [row for row, _ in Terms(read(rules[:2])).find(["Frist"])] == [1]
    assert [row for row, _ in Terms(read(rules[:1])).find(["Frist"])] == [0]


def test_words_in_brackets_all_over_a_corpus_are_a_way_of_speaking() -> None:
    rules = [chunk(f"§ {n}", "Die Grundverordnung zum Schutz (Datenschutz) gilt.") for n in range(4)]
    assert Terms(read(rules)).find(["Datenschutz"]) == ()
    assert len(Terms(read(rules[:3])).find(["Datenschutz"])) == 2


def test_a_repealed_norm_defines_nothing() -> None:
    assert read([chunk("§ 1", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.", repealed=True)]) == {}


# --- in stock -----------------------------------------------------------------------------------------------------------


def test_stored_definitions_come_back_as_they_were_read(tmp_path: Path) -> None:
    rules = [chunk("§ 1", "Nichts."), chunk("§ 2", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.")]
    path = tmp_path / "definitions.json"
    path.write_bytes(stored_definitions(rules))
    assert load_definitions(path, [chunk("§ 1", "anderes"), chunk("§ 2", "anderes")]) == read(rules)


@pytest.mark.parametrize("content", [None, b"", b"{}", b'{"rules": "other", "chunks": {}}'])
def test_without_definitions_of_these_rules_the_texts_are_read(tmp_path: Path, content: bytes | None) -> None:
    rules = [chunk("§ 2", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.")]
    path = tmp_path / "definitions.json"
    if content is not None:
        path.write_bytes(content)
    assert load_definitions(path, rules) == read(rules) != {}


def test_definitions_that_point_behind_the_chunks_are_read_again(tmp_path: Path) -> None:
    rules = [chunk("§ 1", "Nichts."), chunk("§ 2", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.")]
    path = tmp_path / "definitions.json"
    path.write_bytes(stored_definitions(rules))
    assert load_definitions(path, rules[:1]) == {}


# --- in a run -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "chunk_id", "term"),
    [
        ("Was ist ein Lieferausfall im Sinne des HVG-A?", "hvg_a/-/§ 3/4", "Lieferausfall"),
        ("Was versteht die Verordnungsrichtlinie unter einem Dauerleiden?", "verordnungsrichtlinie/-/§ 2/2", "Dauerleiden"),
    ],
)
def test_the_defining_norm_of_the_samples_leads_the_list(federation: FederatedRetriever, question: str, chunk_id: str, term: str) -> None:
    trace = federation.trace(question)
    assert (trace.final[0].chunk_id, trace.definitions) == (chunk_id, {chunk_id: term})
    assert DEFINITION_LOOKUP in trace.final[0].kinds
    without = federation.trace(question, enable_definition_lookup=False)
    assert without.definitions == {}
    assert not any(DEFINITION_LOOKUP in entry.kinds for entry in without.completed.entries)


def _defining(corpus: str, *texts: str) -> list[Chunk]:
    return [chunk(f"§ {number}", text, corpus) for number, text in enumerate(texts, start=1)]


def test_every_corpus_that_defines_the_term_hands_its_definition_over() -> None:
    rules = {one: _defining(one, f"Frist im Sinne dieses Gesetzes ist der Zeitraum {one}.", "Etwas anderes.") for one in "abc"}
    hits = federated(rules).query("Was ist eine Frist?")
    assert [(hit["corpus_id"], hit["rank_score"]) for hit in hits if DEFINITION_LOOKUP in hit["retrieval_kinds"]] == [
        ("a", 1.0),
        ("b", 1.0),
        ("c", 1.0),
    ]


def test_of_many_definitions_the_surest_five_come() -> None:
    stated, bracketed = "Frist im Sinne dieses Gesetzes ist ein Zeitraum.", "Die Zeit (Frist) läuft."
    rules = {one: _defining(one, bracketed if one in "ab" else stated) for one in "abcdefg"}
    trace = federated(rules, max_corpora_per_query=7).trace("Was ist eine Frist?")
    assert sorted(trace.definitions) == sorted(rules[one][0].chunk_id for one in "cdefg")


def test_a_weaker_definition_has_a_lower_rank() -> None:
    rules = {"a": _defining("a", "Die Zeit (Frist) läuft."), "b": _defining("b", "Das Warten gilt als Frist.")}
    ranks = {
        hit["corpus_id"]: hit["rank_score"] for hit in federated(rules, weight_vector=1.0, weight_lexical=0.0).query("Was ist eine Frist?")
    }
    assert 1.0 > ranks["a"] > ranks["b"] > 0


def test_a_retriever_of_one_corpus_looks_definitions_up_where_it_is_told_to() -> None:
    rules = {"a": _defining("a", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.", "Eine Frist läuft.")}
    retriever = federated(rules).registry.retriever("a")
    told = retriever.query("Was ist eine Frist?", enable_definition_lookup=True)
    assert DEFINITION_LOOKUP in told[0]["retrieval_kinds"]
    assert not any(DEFINITION_LOOKUP in hit["retrieval_kinds"] for hit in retriever.query("Was ist eine Frist?"))


def test_a_filter_holds_for_definitions_too() -> None:
    rules = {"a": _defining("a", "Frist im Sinne dieses Gesetzes ist ein Zeitraum.", "Eine Frist läuft.")}
    hits = federated(rules).query("Was ist eine Frist?", where={"section_id": "§ 2"})
    assert [hit["metadata"]["section_id"] for hit in hits] == ["§ 2"]

"""The register of anchors: what it claims, when it applies, and how it tells its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.addresses import AddressBook
from retrieval.anchors import AnchorRegister
from retrieval.errors import BadRegister
from retrieval.model import Chunk, CorpusSpec, Target
from retrieval.ports import Anchors, ExplainsAnchors

REGISTER = """
# Ein Kommentar
[[anchor]]
id = "austausch"
triggers = ["Austausch der Darreichungsform", ["Vertrag", "E-Rezept"]]
corpus = "vertrag"
container = "Anlage 11"
section = "10"
subsection = "2"
max_chunks = 1
note = "Die Anlage geht vor."
author = "Fachredaktion"
date = 2033-02-10

[[anchor]]
id = "notdienst"
triggers = [["Größe"], "Prüfung"]
corpus = "gesetz"
section = "§ 1"
"""


def register(text: str = REGISTER) -> AnchorRegister:
    return AnchorRegister.parse(text.encode(), "anker.toml")


@pytest.mark.parametrize(
    ("question", "anchors"),
    [
        ("Ist ein Austausch der Darreichungsformen erlaubt?", ["austausch"]),
        ("AUSTAUSCH DER DARREICHUNGSFORM", ["austausch"]),
        ("Austausch einer Darreichungsform", []),
        ("Welche Verträge gelten für ein E‑Rezept?", ["austausch"]),
        ("Gilt der Vertrag für das eRezept?", ["austausch"]),
        ("Gilt der Vertrag für ein Rezept?", []),
        ("Welche Grössen und Prüfungen?", ["notdienst"]),
        ("Pru\u0308fung", ["notdienst"]),
        ("Rezeptprüfung", []),
        ("Rezept-Prüfung", ["notdienst"]),
        ("Austausch der Darreichungsform nach Prüfung", ["austausch", "notdienst"]),
        ("", []),
    ],
)
def test_a_trigger_is_the_beginning_of_a_word(question: str, anchors: list[str]) -> None:
    assert [claim.anchor_id for claim in register().claims(question)] == anchors


def test_a_claim_says_what_it_wants_and_why() -> None:
    (claim,) = register().claims("Gilt der Vertrag für das E-Rezept?")
    assert claim.target == Target("vertrag", "§ 10", "Anlage 11", "2", 1)
    assert (claim.note, claim.author, claim.date, claim.trigger) == (
        "Die Anlage geht vor.",
        "Fachredaktion",
        "2033-02-10",
        "Vertrag + E-Rezept",
    )
    assert register()("Gilt der Vertrag für das E-Rezept?") == (claim.target,)


def test_a_register_serves_as_the_injected_callable() -> None:
    anchors: Anchors = register()
    explaining: ExplainsAnchors = register()
    question = "Gilt der Vertrag für das E-Rezept?"
    assert list(anchors(question)) == [claim.target for claim in explaining.claims(question)]


def test_no_register_is_an_empty_register(tmp_path: Path) -> None:
    empty = tmp_path / "leer.toml"
    empty.write_text("", encoding="utf-8")
    for path in ("", None, empty):
        assert AnchorRegister.load(path)("Austausch") == ()


def test_the_fingerprint_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "anker.toml"
    path.write_text(REGISTER, encoding="utf-8")
    assert AnchorRegister.load(path).fingerprint == register().fingerprint
    assert register(REGISTER + "# neu\n").fingerprint != register().fingerprint


def test_all_faults_are_told_together_with_their_lines() -> None:
    faulty = "\n".join(
        [
            'titel = "falsch"',
            "[[anchor]]",
            'id = "a"',
            "triggers = []",
            'corpus = "k"',
            'section = "§ 1"',
            "[[anchor]]",
            'id = "a"',
            'triggers = ["gut", ["", "wort"], 3]',
            "corpus = 7",
            'abschnitt = "§ 2"',
            'date = "gestern"',
            "max_chunks = 0",
            'note = """',
            "[[anchor]]",
            'id = "nur Text"',
            '"""',
            "[[anchor]]",
            'id = "c"',
        ]
    )
    with pytest.raises(BadRegister) as caught:
        register(faulty)
    message = str(caught.value)
    for part in (
        "'titel' outside an entry",
        "Line 4: 'triggers' is empty",
        "Line 8: the id 'a' stands already in line 3",
        "Line 9: the trigger ['', 'wort'] has no word",
        "Line 9: the trigger 3 is neither",
        "Line 10: 'corpus' is 7",
        "Line 11: the key 'abschnitt' is unknown",
        "Line 12: 'date' is 'gestern'",
        "Line 13: 'max_chunks' is 0",
        "Line 7: the key 'section' is missing",
        "Line 18: the key 'triggers' is missing",
        "anker.toml: 13 fault(s)",
    ):
        assert part in message, part


@pytest.mark.parametrize("content", [b"[[anchor]\n", b"\xff\xfe", b"id = \n"])
def test_what_is_no_toml_is_told(content: bytes) -> None:
    with pytest.raises(BadRegister, match=r"no valid TOML"):
        AnchorRegister.parse(content)


def test_a_register_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRegister, match="cannot be read"):
        AnchorRegister.load(tmp_path / "fehlt.toml")


def test_one_bracket_is_told() -> None:
    with pytest.raises(BadRegister, match="two brackets"):
        register('[anchor]\nid = "a"\n')


def test_anchors_are_checked_against_the_stock() -> None:
    entry = '[[anchor]]\nid = "{0}"\ntriggers = ["x"]\ncorpus = "k"\nsection = "{0}"\n'
    checked = register("".join(entry.format(section) for section in ("§ 1", "§ 2", "§ 3", "§ 4")))
    chunks = [
        Chunk("1", "k", "A", "§ 1"),
        Chunk("2", "k", "A", "§ 2", repealed=True),
        Chunk("3", "k", "A", "§ 3"),
        Chunk("4", "k", "B", "§ 3"),
    ]
    findings = checked.check(AddressBook(chunks, {"k": CorpusSpec("k", "Korpus")}))
    assert [(finding.anchor_id, finding.problem, finding.line) for finding in findings] == [
        ("§ 2", "repealed", 6),
        ("§ 3", "ambiguous", 11),
        ("§ 4", "missing", 16),
    ]


def test_the_example_register_fits_the_example_corpora() -> None:
    register_file = Path(__file__).resolve().parents[1] / "sample_corpora" / "anchors.toml"
    loaded = AnchorRegister.load(register_file)
    assert loaded.anchors
    assert all(anchor.author and anchor.date for anchor in loaded.anchors)

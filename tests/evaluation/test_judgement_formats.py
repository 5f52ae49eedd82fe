"""Formats of other programs that judge documents for questions: what becomes of their rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.errors import BadInput, FundstelleError
from retrieval.evaluation import formats
from retrieval.evaluation.formats import FORMATS, opensearch, trec, zipped
from retrieval.evaluation.formats.preview import Preview, made_id
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.model import Gold, QuestionSet
from tests.evaluation.question_sets import address, federation, need, question

GOLDS = Golds(federation())


def codes(preview: Preview, line: int) -> list[str]:
    """The remarks of a line."""
    return [remark.code for row in preview.rows if row.line == line for remark in row.remarks]


def test_the_set_of_a_colleague_is_told_with_its_lines_and_settled() -> None:
    data = (
        b'# x\n[[question]]\nid = "a"\ntext = "A?"\ngold = [{ written = "SGB V \xc2\xa7 129" }]\n\n[[question]]\nid = "b"\ntext = "A? "\n'
    )
    preview = formats.read("toml", data, GOLDS, "s")
    assert [(row.line, row.verdict) for row in preview.rows] == [(2, "taken"), (7, "refused")]
    assert preview.questions.questions[0].needs == (need(Gold(address("sgb_v||§ 129"), 1, "SGB V § 129")),)


def test_ratings_of_quepid_become_questions() -> None:
    data = (
        "query,docid,rating\nWas gilt?,SGB V § 129,3\nWas gilt? ,ampreisv::§%203:,1\nNoch etwas?,,\nWas gilt?,§ 31 SGB V,0\n"
        "Was gilt?,sgb_v::§%20129:,2\nWas gilt?,D17,2\n"
    )
    preview = formats.read("quepid", data.encode(), GOLDS, "s")
    first, second = preview.questions.questions
    assert (first.id, first.text, second.needs) == ("was-gilt", "Was gilt?", ())
    assert first.needs == (need(Gold(address("sgb_v||§ 129"), 3, "SGB V § 129")), need("ampreisv||§ 3"))
    assert [codes(preview, line) for line in range(2, 8)] == [
        [],
        ["blank_merged"],
        ["no_gold"],
        ["not_relevant"],
        ["doubled_gold"],
        ["gold_unreadable"],
    ]


def test_the_longer_export_of_quepid_is_read_too() -> None:
    data = "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,Farbe\nT,C,1,Was gilt?,sgb_v::§%20129:,1,x,2.0,rot\n"
    preview = formats.read("quepid", data.encode(), GOLDS, "s")
    assert preview.questions.questions[0].needs == (need(Gold(address("sgb_v||§ 129"), 2)),)
    assert [remark.values["column"] for remark in preview.head] == ["Farbe"]
    with pytest.raises(BadInput, match="query, docid, rating"):
        formats.read("quepid", b"frage,gold\n", GOLDS)


def test_qrels_are_read_with_topics_and_alternatives() -> None:
    qrels = ("q1 0 sgb_v::§%20129: 2\nq1 1 ampreisv::§%203: 1\nq1 1 ta1::Ziffer%204.10: 1\nq2 0 D1\n\nq3 0 sgb_v::§%20129: 1\n").encode()
    preview = trec.read(qrels, GOLDS, "s", {"q1": "Was gilt?"})
    (only,) = preview.questions.questions
    assert only.needs == (need(Gold(address("sgb_v||§ 129"), 2)), need("ampreisv||§ 3", "ta1||Ziffer 4.10"))
    assert [remark.code for remark in preview.head] == ["numbered_needs"]
    assert codes(preview, 4) == ["columns"]
    assert codes(preview, 6) == ["question_refused", "no_text"]
    assert preview.states == {"in_stock": 3}


def test_topics_are_read_in_both_of_their_forms() -> None:
    classic = b"<top>\n<num> Number: 301\n<title> Wer  haftet?\n<desc> x\n</top>\n"
    assert trec.topics(classic) == {"301": "Wer haftet?"}
    assert trec.topics("q%201\tWer haftet?\n".encode("utf-8-sig")) == {"q 1": "Wer haftet?"}


def test_an_archive_of_beir_of_somebody_else_is_read() -> None:
    data = zipped.packed(
        {
            "set/corpus.jsonl": "",
            "set/queries.jsonl": '{"_id": "1", "text": "Was gilt?", "metadata": {"tags": 3, "chain": "ja"}}\n\n'
            '{"_id": "2", "text": "Nichts?"}\n',
            "set/qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\tsgb_v::§%20129:\t1\n1\tx\n",
        }
    )
    preview = formats.read("beir", data, GOLDS, "s")
    assert [(one.id, len(one.needs), one.tags, one.chain) for one in preview.questions.questions] == [
        ("1", 1, (), False),
        ("2", 0, (), False),
    ]
    assert codes(preview, 3) == ["columns"]


def test_a_folder_reads_like_its_archive(tmp_path: Path) -> None:
    made = QuestionSet("s", (question("a", "", need("sgb_v||§ 129")),))
    for path, content in zipped.members(FORMATS["beir"].write(made)).items():  # type: ignore[misc]
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert formats.read("beir", zipped.folder(tmp_path), Golds(), "s").questions == made


def test_a_judgment_list_is_read_as_it_is_sent_and_as_it_comes_back() -> None:
    made = QuestionSet("s", (question("was-gilt", "Was gilt?", need(Gold(address("sgb_v||§ 129"), 3))),))
    sent = json.loads(opensearch.write(made))
    assert sent["type"] == "IMPORT_JUDGMENT"
    assert sent["judgmentRatings"] == [{"query": "Was gilt?", "ratings": [{"docId": "sgb_v::§%20129:", "rating": "3.000"}]}]
    answer = {"hits": {"total": {"value": 1}, "hits": [{"_id": "1", "_source": sent}]}}
    assert opensearch.read(json.dumps(answer).encode(), Golds(), "s").questions == made


def test_a_query_set_gives_questions_without_norms() -> None:
    lines = b'{"queryText": "Was gilt?", "referenceAnswer": "x"}\n{"queryText": "Noch etwas?"}\n'
    whole = b'{"name": "x", "querySetQueries": [{"queryText": "Was gilt?"}, {"queryText": "Noch etwas?"}]}'
    for data in (lines, whole):
        preview = opensearch.read(data, GOLDS, "s")
        assert [one.text for one in preview.questions.questions] == ["Was gilt?", "Noch etwas?"]
        assert [(row.line, row.verdict) for row in preview.rows] == [(1, "remarked"), (2, "remarked")]
        assert preview.without_gold == 2


def test_a_question_whose_only_norm_is_refused_has_a_row_of_its_own() -> None:
    preview = formats.read("quepid", b"query,docid,rating\nWas?,siehe oben,1\n", GOLDS, "s")
    assert [(row.verdict, [remark.code for remark in row.remarks]) for row in preview.rows] == [
        ("refused", ["gold_unreadable"]),
        ("remarked", ["no_gold"]),
    ]


def test_qrels_of_ranx_need_the_words_from_elsewhere() -> None:
    data = b'{"a": {"sgb_v::\xc2\xa7%20129:": 1}, "b": {}}'
    preview = formats.read("ranx", data, GOLDS, "s", {"a": "Was gilt?"})
    assert [one.id for one in preview.questions.questions] == ["a"]
    assert [remark.code for row in preview.rows if row.verdict == "refused" for remark in row.remarks] == ["no_text"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("ranx", b"[1]"),
        ("ranx", b'{"a": 1}'),
        ("ranx", b'{"a": {}, "a": {}}'),
        ("ranx", b"[" * 100_000),
        ("ranx", b"\xff"),
        ("opensearch", b"{}"),
        ("opensearch", b'{"judgmentRatings": [{"query": 3}]}'),
        ("opensearch", b'{"judgmentRatings": [{"query": "a"}]}'),
        ("opensearch", b'{"hits": {"hits": []}}'),
        ("toml", b"frage;gold"),
        ("toml", b"question = 3"),
        ("beir", b"PK\x03\x04"),
        ("beir", zipped.packed({"x.txt": ""})),
        ("beir", zipped.packed({"queries.jsonl": "{}"})),
        ("beir", zipped.packed({"queries.jsonl": '{"_id": 1}\n{"_id": 1}'})),
        ("trec", zipped.packed({"topics.txt": ""})),
        ("xlsx", b"frage;gold"),
        ("xlsx", zipped.packed({"x.txt": ""})),
        ("unknown", b""),
    ],
)
def test_a_file_of_another_form_is_refused_with_a_sentence(name: str, data: bytes) -> None:
    with pytest.raises(FundstelleError, match=r"found|not known"):
        formats.read(name, data, GOLDS, "datei")


def test_an_archive_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped, "LARGEST", 1000)
    with pytest.raises(BadInput, match="unpacks to more than 1000"):
        zipped.members(zipped.packed({"a": "x" * 600, "b": "x" * 600}), "datei.zip")


def test_ids_are_made_of_the_words_and_differ() -> None:
    assert made_id("Wie läuft die Prüfung nach § 12?", {}) == "wie-laeuft-die-pruefung-nach-par-12"
    assert made_id("Frage?", {"frage": 1, "frage-2": 1}) == "frage-3"
    assert made_id("???", {}) == "frage"
    assert len(made_id("Langeswort" * 20, {})) <= 40

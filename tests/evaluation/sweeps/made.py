"""Sets and pools for tests of sweeps: generated ones, and ones whose staircase can be said beforehand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import msgspec

from retrieval.decide import decide
from retrieval.evaluation.golds import CheckedSet, Golds
from retrieval.evaluation.model import Gold, Need, Question, QuestionSet
from retrieval.evaluation.sweeps.model import Sweep
from retrieval.settings import Settings
from retrieval.trace import Pool
from tests.builders import answer, chunk, pool
from tests.inspector.generated import generated


class Made:
    """A checked set with a pool for each of its questions; ``asked`` are the questions in the order in which they were gathered."""

    def __init__(self, pools: Mapping[str, Pool], questions: Sequence[Question]) -> None:
        self.pools = pools
        self.checked: CheckedSet = Golds().check(QuestionSet("Satz", tuple(questions)))
        self.texts = {one.text: one.id for one in questions}
        self.asked: list[str] = []

    def gather(self, text: str, settings: Settings) -> Pool:
        """The pool of a question."""
        self.asked.append(self.texts[text])
        return self.pools[self.texts[text]]

    def failing(self, *ids: str) -> Callable[[str, Settings], Pool]:
        """The same with questions that cannot be gathered."""

        def gather(text: str, settings: Settings) -> Pool:
            if self.texts[text] in ids:
                raise ConnectionError("Der Bestand antwortet nicht.")
            return self.gather(text, settings)

        return gather


def random_set(
    seed: int, questions: int = 8, size: int = 14, draw: Callable[[int, int], tuple[Pool, Settings]] = generated
) -> tuple[Made, Settings]:
    """A set of generated pools with graded norms and some chains, and settings for it under which lists are short."""
    drawn = random.Random(seed)
    pools = {f"f{number}": draw(1000 * seed + number, size)[0] for number in range(questions)}
    made = [Question(one, f"Frage {one}?", _needs(drawn, found), chain=drawn.random() < 0.5) for one, found in pools.items()]
    return Made(pools, made), draw(1000 * seed, size)[1].changed({"max_final_results": drawn.choice((2, 3, 5))})


def _needs(drawn: random.Random, found: Pool) -> tuple[Need, ...]:
    """Norms that stand anywhere among the candidates, or some that do not where there are none."""
    ranked = [entry.chunk_id for entry in decide(found, Settings()).completed.living] or list(found.chunks)
    norms = [found.chunks[one].address for one in ranked]
    return tuple(Need((Gold(one, drawn.randint(1, 3)),)) for one in drawn.sample(norms, min(len(norms), drawn.randint(1, 4))))


def crossing(thresholds: Sequence[float], ids: Sequence[str] = (), falling: Sequence[float] = ()) -> Made:
    """Questions each of which finds its only norm once ``weight_vector`` passes its threshold, with a list of one place.

    The other weight is 0.5: the norm has the similarity 1 and the other text the word score 2 · threshold, so they meet where
    weight · 1 = 0.5 · 2 · threshold. Those of ``falling`` find it until there.
    """
    names = ids or [f"f{number}" for number in range(len(thresholds) + len(falling))]
    sides = [*((one, "gold") for one in thresholds), *((one, "other") for one in falling)]
    pools, questions = {}, []
    for name, (threshold, by_meaning) in zip(names, sides, strict=True):
        by_words = "other" if by_meaning == "gold" else "gold"
        texts = [chunk("gesetz/gold", section="§ 1"), chunk("gesetz/other", section="§ 2")]
        found = answer("gesetz", {f"gesetz/{by_meaning}": 1.0}, {f"gesetz/{by_words}": 2 * threshold})
        pools[name] = pool([found], texts)
        questions.append(Question(name, f"Frage {name}?", (Need((Gold(texts[0].address),)),)))
    return Made(pools, questions)


ONE_PLACE = Settings.of(max_final_results=1)
"""The settings under which ``crossing`` holds."""


def timeless(sweep: Sweep) -> Sweep:
    """A sweep without what a clock says."""
    return msgspec.structs.replace(sweep, started="", seconds=0.0)

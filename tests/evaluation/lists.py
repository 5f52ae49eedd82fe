"""Questions and lists for tests of evaluation: a norm is a section, and a chunk is named by the section that it is a part of."""

from __future__ import annotations

import random
from collections.abc import Sequence

from retrieval.evaluation.judging import JudgedList, judge
from retrieval.evaluation.model import Gold, Need, Question
from retrieval.model import Address, Chunk


def norm(section: str, subsection: str = "", corpus: str = "gesetz") -> Address:
    """The address of a norm."""
    return Address(corpus, "", section, subsection)


def chunk(section: str, subsection: str = "", corpus: str = "gesetz") -> Chunk:
    """A chunk of a norm."""
    return Chunk(f"{corpus}/{section}/{subsection}", corpus, section_id=section, subsection=subsection)


def chunks(sections: str) -> list[Chunk]:
    """A list of chunks, one for each word."""
    return [chunk(section) for section in sections.split()]


def gold(section: str, grade: int = 1, subsection: str = "", corpus: str = "gesetz") -> Gold:
    """A gold norm."""
    return Gold(norm(section, subsection, corpus), grade)


def need(*any_of: Gold) -> Need:
    """A need that any of these norms fulfils."""
    return Need(any_of)


def question(*needs: Need, id: str = "f1", **more: object) -> Question:
    """A question with these needs."""
    return Question(id, f"Frage {id}?", needs, **more)  # type: ignore[arg-type]


def simple(sections: str, **more: object) -> Question:
    """A question with one need for each word."""
    return question(*(need(gold(section)) for section in sections.split()), **more)  # type: ignore[arg-type]


class Case:
    """A random question with graded norms, a short or long list whose rank scores have ties, and some places judged as not helpful."""

    def __init__(self, seed: int, longest: int = 12) -> None:
        drawn = random.Random(seed)
        sections = [f"n{number}" for number in range(16)]
        self.grades = {section: drawn.randint(1, 3) for section in drawn.sample(sections, drawn.randint(1, 6))}
        scored = [(section, drawn.choice((0.9, 0.5, 0.1))) for section in drawn.sample(sections, drawn.randint(1, longest))]
        self.tied = dict(sorted(scored, key=lambda pair: -pair[1]))
        self.listed: Sequence[str] = list(self.tied)
        others = [section for section in sections if section not in self.grades]
        self.refused = drawn.sample(others, drawn.randint(0, 5))
        self.question = question(*(need(gold(section, grade)) for section, grade in self.grades.items()), id=f"f{seed}")

    @property
    def falling(self) -> dict[str, float]:
        """The list with scores that fall strictly."""
        return {section: float(len(self.listed) - place) for place, section in enumerate(self.listed)}

    @property
    def known(self) -> dict[str, int]:
        """All judgements as the evaluators want them."""
        return self.grades | dict.fromkeys(self.refused, 0)

    @property
    def judged(self) -> JudgedList:
        """The list as it is judged here."""
        return judge(self.question, [chunk(section) for section in self.listed], [gold(section, 0) for section in self.refused])

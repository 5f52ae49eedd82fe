"""The router by names: a question that names a body of rules goes there, any other goes everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.citations import citations
from retrieval.model import Routing
from retrieval.names import NOT_IN_STOCK, Mention, Names


class NameRouter:
    """Chooses the corpora that a question names; serves both as ``router`` and as ``named_corpora``."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def __call__(self, question: str, ids: Sequence[str]) -> list[str]:
        """The named corpora among ``ids``, in their order; empty when the question names none of them."""
        return [routing.corpus_id for routing in self.explain(question, ids)]

    def named_corpora(self, question: str, ids: Sequence[str]) -> list[str]:
        """The same corpora as the call: a corpus is named or it is not."""
        return self(question, ids)

    def explain(self, question: str, corpora: Sequence[str]) -> tuple[Routing, ...]:
        """For each named corpus among ``corpora``, in their order, the words of the question that name it, in theirs."""
        words: dict[str, list[str]] = {}
        for mention in self._mentions(question):
            words.setdefault(mention.corpus_id, []).append(mention.words)
        return tuple(Routing(corpus, tuple(dict.fromkeys(words[corpus]))) for corpus in dict.fromkeys(corpora) if corpus in words)

    def _mentions(self, question: str) -> list[Mention]:
        """The names in the question, and laws that only mean a corpus beside a section ("§ 129 des Fünften Buches")."""
        mentions = [mention for mention in self._names.find(question) if mention.corpus_id != NOT_IN_STOCK]
        for citation in citations(question):
            start = question.find(citation.law, citation.start, citation.end) if citation.law else -1
            if start < 0:
                continue
            end = start + len(citation.law)
            corpora = self._names.corpora_of(citation.law)
            if not corpora:
                mentions = [m for m in mentions if not (start <= m.start and m.end <= end and end - start > m.end - m.start)]
            mentions += [Mention(start, end, citation.law, corpus) for corpus in corpora if not _covered(start, end, corpus, mentions)]
        return sorted(mentions, key=lambda mention: mention.start)


def _covered(start: int, end: int, corpus: str, mentions: list[Mention]) -> bool:
    return any(mention.corpus_id == corpus and mention.start < end and start < mention.end for mention in mentions)

"""The sentences of the page, beside the words of the run."""

from functools import cache

from retrieval.words import Words


@cache
def page_words(language: str) -> Words:
    """All words that the page needs in one language."""
    return Words(language, __name__)

"""What stands around a number of a text, as KAZB and ZDC look at it: its nearest nouns, its window, its sentence.

Both take distances along dependency parses; here the distance in words stands in for that.
"""

from __future__ import annotations

from collections.abc import Sequence

from draw_dataset.solver.extended_features import question_words
from draw_dataset.solver.tagged_text import TaggedText, Word

REACH = 5
"""Words before and after a number that are its window."""

_SIGNS = frozenset("$%£€#")


def nouns_by_distance(words: Sequence[Word], spot: int) -> list[str]:
    """Return the nouns of the sentence of a word, the nearest first, of equally near ones the later one first."""
    here = words[spot].sentence
    found = [
        (abs(at - spot), at < spot, word.lemma)
        for at, word in enumerate(words)
        if at != spot and word.sentence == here and word.is_noun and word.lemma not in _SIGNS
    ]
    return list(dict.fromkeys(lemma for _, _, lemma in sorted(found)))


def window(words: Sequence[Word], spot: int) -> list[Word]:
    """Return the words around a word that stand in its sentence, without itself."""
    near = [*range(max(0, spot - REACH), spot), *range(spot + 1, min(len(words), spot + REACH + 1))]
    return [words[at] for at in near if words[at].sentence == words[spot].sentence]


class Question:
    """The sentence of a text that asks, and what it is about."""

    def __init__(self, text: TaggedText) -> None:
        asked = question_words(text.words)
        self.start = len(text.words) - len(asked)
        self.nouns = frozenset(word.lemma for word in asked if word.is_noun)

    def has(self, spot: int) -> bool:
        """Say whether a word stands in the question."""
        return spot >= self.start


def relation(first: object, second: object, larger: bool) -> str:
    """Return how a value compares with another: equal, larger or smaller."""
    return "equal" if first == second else "larger" if larger else "smaller"
